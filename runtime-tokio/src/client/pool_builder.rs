//! From a list of proxies to a pool.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use reqwest::{Client, ClientBuilder, Proxy, Url};
use retry_core::{PolicyError, Rotation, Timer};

use crate::client::proxies::{Clients, ProxyPool};
use crate::redact::Redacted;
use crate::retry::Retry;
use crate::timer::TokioTimer;

/// What a function of the user's does to the client of a proxy.
type Configure = Box<dyn Fn(&Url, ClientBuilder) -> ClientBuilder>;

/// Settings on their way to a [`ProxyPool`].
#[must_use]
pub struct PoolBuilder<T = TokioTimer> {
    retry: Retry<T>,
    entries: Vec<String>,
    configure: Configure,
    rotation: Result<Rotation, PolicyError>,
}

impl<T: Timer> Retry<T> {
    /// These calls through a pool of proxies: `http`, `https`, and, with reqwest's feature for it, `socks5` and
    /// `socks5h` URLs, with or without userinfo. Duplicates do not count.
    ///
    /// `configure` is given each proxy's URL and the builder of its client, and returns that with the settings that all
    /// requests of the pool are to have.
    pub fn proxies<E: Into<String>>(
        self,
        entries: impl IntoIterator<Item = E>,
        configure: impl Fn(&Url, ClientBuilder) -> ClientBuilder + 'static,
    ) -> PoolBuilder<T> {
        let entries = entries.into_iter().map(Into::into).collect();
        PoolBuilder { retry: self, entries, configure: Box::new(configure), rotation: Ok(Rotation::new()) }
    }
}

impl<T: Timer> PoolBuilder<T> {
    fn rotation(mut self, change: impl FnOnce(Rotation) -> Result<Rotation, PolicyError>) -> Self {
        self.rotation = self.rotation.and_then(change);
        self
    }

    /// Moves on to another proxy with every request and every send.
    pub fn rotate_per_request(self) -> Self {
        self.rotation(|rotation| Ok(rotation.per_request()))
    }

    /// Moves on after these statuses, each 400 ..= 599, which join the ones that are worth another send.
    pub fn rotate_on_status(self, statuses: &[u16]) -> Self {
        self.rotation(|rotation| rotation.on_status(statuses))
    }

    /// How many failures in a row make a proxy rest: at least 1. Default 3.
    pub fn failure_threshold(self, failures: u32) -> Self {
        self.rotation(|rotation| rotation.threshold(failures))
    }

    /// How long a proxy rests: more than zero, at most 24 h. Default 30 s.
    pub fn rest(self, rest: Duration) -> Self {
        self.rotation(|rotation| rotation.rest(rest))
    }

    /// The wait before a proxy that a call has not tried, after another one's own failure. Default none.
    pub fn untried_wait(self, wait: Duration) -> Self {
        self.rotation(|rotation| Ok(rotation.untried_wait(wait)))
    }

    /// The pool.
    ///
    /// If it moves on by itself, retries rise so that each proxy can be tried, at most 10: see
    /// [`Rotation::policy`].
    ///
    /// # Errors
    ///
    /// A [`PoolError`] that names the entry or the setting.
    pub fn build(self) -> Result<ProxyPool<T>, PoolError> {
        let rotation = self.rotation.map_err(PoolError::Setting)?;
        let mut urls: Vec<Url> = Vec::new();
        for (number, entry) in (1..).zip(&self.entries) {
            let url = parse(entry).map_err(|wrong| PoolError::Entry {
                number,
                proxy: wrong.proxy,
                problem: wrong.problem,
            })?;
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        let clients: Vec<Client> = urls.iter().map(|url| client(url, &self.configure)).collect::<Result<_, _>>()?;
        let first = clients.first().ok_or(PoolError::Empty)?.clone();
        let policy = rotation.policy(self.retry.policy, clients.len());
        let clients = Clients::new(urls.iter().map(name).collect(), clients, first, rotation);
        Ok(ProxyPool::new(self.retry.with_policy(policy), Arc::new(clients)))
    }
}

impl<T> fmt::Debug for PoolBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The entries may hold passwords.
        f.debug_struct("PoolBuilder").field("proxies", &self.entries.len()).finish_non_exhaustive()
    }
}

/// What is wrong with an entry, and the part of it that can be printed.
struct Wrong {
    proxy: Option<String>,
    problem: &'static str,
}

fn parse(entry: &str) -> Result<Url, Wrong> {
    // What is no URL is not printed: nobody knows which part of it is the password.
    let wrong = |problem| Wrong { proxy: None, problem };
    if !entry.contains("://") {
        return Err(wrong("it has no scheme, such as http://"));
    }
    let mut url = Url::parse(entry).map_err(|_| wrong("it is not a URL"))?;
    if url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("it has no host"));
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        // A password with a slash in it, perhaps.
        return Err(wrong("it has a path, a query or a fragment"));
    }
    let is_of_hosts =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    if !url.host_str().unwrap_or_default().bytes().all(is_of_hosts) {
        return Err(wrong("its host is none"));
    }
    if !matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") {
        return Err(Wrong { proxy: Some(name(&url)), problem: "its scheme is none of http, https, socks5, socks5h" });
    }
    url.set_path("");
    Ok(url)
}

fn client(url: &Url, configure: &Configure) -> Result<Client, PoolError> {
    let wrong = |error: reqwest::Error| PoolError::Client { proxy: name(url), error: error.without_url() };
    let proxy = Proxy::all(url.as_str()).map_err(wrong)?;
    configure(url, crate::client_builder().no_proxy().proxy(proxy)).build().map_err(wrong)
}

fn name(url: &Url) -> String {
    let mut url = url.clone();
    url.set_path("");
    Redacted(url.as_str()).to_string().trim_end_matches('/').to_owned()
}

/// Why a pool cannot be built. No password is in it.
#[derive(Debug)]
#[non_exhaustive]
pub enum PoolError {
    /// There is no proxy in it.
    Empty,
    /// An entry is no proxy's URL.
    Entry {
        /// Which entry, from 1.
        number: usize,
        /// Its scheme, host and port, if it could be read that far.
        proxy: Option<String>,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A setting is out of its bounds.
    Setting(PolicyError),
    /// reqwest cannot build the client of a proxy, for lack of a feature perhaps.
    Client {
        /// The proxy's scheme, host and port.
        proxy: String,
        /// What reqwest says.
        error: reqwest::Error,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("proxies is empty, accepted: one or more"),
            Self::Entry { number, proxy: Some(proxy), problem } => {
                write!(f, "entry {number} of proxies, {proxy}: {problem}")
            }
            Self::Entry { number, proxy: None, problem } => write!(f, "entry {number} of proxies: {problem}"),
            Self::Setting(error) => error.fmt(f),
            Self::Client { proxy, .. } => write!(f, "no client can be built for the proxy {proxy}"),
        }
    }
}

impl core::error::Error for PoolError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Empty | Self::Entry { .. } => None,
            Self::Setting(error) => Some(error),
            Self::Client { error, .. } => Some(error),
        }
    }
}
