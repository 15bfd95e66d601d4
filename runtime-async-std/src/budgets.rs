//! Budgets that calls share: one for all of them, or one for each origin.

use core::fmt;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use retry_core::{Budget, Instant, Judged, Level};
use surf::Url;

/// How many origins are remembered unless told otherwise.
const ORIGINS: usize = 1024;

/// Retry budgets for a [`Retry`](crate::Retry): one that all its calls share, or one for each origin.
///
/// A retry is taken from the budget when it is decided on, before its wait: a call that is dropped in the wait has spent it.
/// A retry that the budget refuses ends the call at once, with the last reply in hand and the kind
/// [`BudgetSpent`](retry_core::ErrorKind::BudgetSpent). Clones share everything.
///
/// ```
/// use retry_core::{Policy, Ratio, TokenBucket};
/// use runtime_async_std::{Budgets, Retry};
///
/// // One bucket for all that this program calls.
/// let shared = Retry::new(Policy::API).budget(Budgets::shared(TokenBucket::aws_2_1()));
/// // A budget of its own for each server.
/// let each = Retry::new(Policy::API).budget(Budgets::per_origin(Ratio::default));
/// ```
#[derive(Clone)]
pub struct Budgets(Scope);

#[derive(Clone)]
enum Scope {
    All(Shared),
    Each { origins: Arc<Origins>, seen: Seen },
}

impl Budgets {
    /// One budget for every call.
    pub fn shared(budget: impl Budget + Send + 'static) -> Self {
        Self(Scope::All(Shared::new(Box::new(budget))))
    }

    /// A budget for each origin (scheme, host and port of a URL), made by `make` when the origin is first met.
    ///
    /// The last 1024 origins are remembered; see [`origins`](Self::origins).
    pub fn per_origin<B: Budget + Send + 'static>(make: impl Fn() -> B + Send + Sync + 'static) -> Self {
        let make = Box::new(move || Box::new(make()) as Box<dyn Budget + Send>);
        Self::each(Origins { make, most: ORIGINS, known: Mutex::default() })
    }

    /// How many origins are remembered at most, at least 1. Beyond that the one met first is forgotten, and may begin anew
    /// if it is met again. To be called before the first use.
    #[must_use]
    pub fn origins(self, most: usize) -> Self {
        match self.0 {
            Scope::All(_) => self,
            Scope::Each { origins, .. } => match Arc::try_unwrap(origins) {
                Ok(origins) => Self::each(Origins { most: most.max(1), ..origins }),
                Err(origins) => Self(Scope::Each { origins, seen: Seen::default() }),
            },
        }
    }

    fn each(origins: Origins) -> Self {
        Self(Scope::Each { origins: Arc::new(origins), seen: Seen::default() })
    }

    /// What is left of the budget for `url`; `None` for an origin that was not met yet.
    pub fn level(&self, url: &str) -> Option<Level> {
        match &self.0 {
            Scope::All(shared) => Some(shared.lock().level()),
            Scope::Each { origins, .. } => {
                let origin = Origin::of(url);
                origins.lock().by_origin.get(&origin).map(|shared| shared.lock().level())
            }
        }
    }

    /// The budget for `url`. Only an origin that this handle has not met before takes the lock of the map.
    pub(crate) fn of(&self, url: &str) -> CallBudget {
        CallBudget(Some(self.find(url)))
    }

    fn find(&self, url: &str) -> Shared {
        match &self.0 {
            Scope::All(shared) => shared.clone(),
            Scope::Each { origins, seen } => {
                let plain = plain(url);
                plain.and_then(|plain| seen.find(plain)).unwrap_or_else(|| {
                    let origin = Origin::of(url);
                    let shared = seen.find(&origin.0).unwrap_or_else(|| {
                        let shared = origins.find_or_make(&origin);
                        seen.remember(&origin.0, &shared);
                        shared
                    });
                    if let Some(plain) = plain.filter(|plain| *plain != origin.0) {
                        seen.remember(plain, &shared);
                    }
                    shared
                })
            }
        }
    }
}

impl fmt::Debug for Budgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Scope::All(_) => "Budgets::shared(..)",
            Scope::Each { .. } => "Budgets::per_origin(..)",
        })
    }
}

/// One budget, locked for as long as it takes to count.
#[derive(Clone)]
struct Shared(Arc<Mutex<Box<dyn Budget + Send>>>);

impl Shared {
    fn new(budget: Box<dyn Budget + Send>) -> Self {
        Self(Arc::new(Mutex::new(budget)))
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn Budget + Send>> {
        // A budget of the caller's that panicked is still a budget.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the machine asks: a shared budget, or none at all, which takes no lock.
#[derive(Clone, Default)]
pub(crate) struct CallBudget(Option<Shared>);

impl Budget for CallBudget {
    fn reply(&mut self, reply: Judged, now: Instant) {
        if let Some(shared) = &self.0 {
            shared.lock().reply(reply, now);
        }
    }

    fn withdraw(&mut self, reply: Judged, now: Instant) -> Option<u32> {
        self.0.as_ref().map_or(Some(0), |shared| shared.lock().withdraw(reply, now))
    }

    fn level(&self) -> Level {
        self.0.as_ref().map(|shared| shared.lock().level()).unwrap_or_default()
    }
}

/// Scheme, host and port of a URL; nothing of a path, whose host nobody knows; and the text itself of what is neither.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Origin(String);

impl Origin {
    fn of(url: &str) -> Self {
        let origin = Url::parse(url).map(|url| url.origin());
        Self(match origin {
            Ok(origin) if origin.is_tuple() => origin.ascii_serialization(),
            // What knows no host is all one.
            Err(_) if url.is_empty() || url.starts_with('/') => String::new(),
            // Another scheme than HTTP's, or what is a URL to other rules: what is before its path.
            Ok(_) | Err(_) => plain(url).unwrap_or(url).to_owned(),
        })
    }
}

/// What tells the origin of `url` as it stands, so that it need not be taken apart: the same text is the same origin, though
/// one origin may have several.
fn plain(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let text = url.get(..scheme.len() + "://".len() + authority.len())?;
    // Whoever takes a URL apart passes over blanks and slashes that are too many; and nobody's password is kept.
    (!authority.is_empty() && !authority.contains('@') && text.bytes().all(|byte| byte.is_ascii_graphic()))
        .then_some(text)
}

/// The budgets of all origins that are remembered.
struct Origins {
    make: Box<dyn Fn() -> Box<dyn Budget + Send> + Send + Sync>,
    most: usize,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_origin: HashMap<Origin, Shared>,
    /// The same, first met first.
    order: VecDeque<Origin>,
}

impl Origins {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find_or_make(&self, origin: &Origin) -> Shared {
        if let Some(shared) = self.lock().by_origin.get(origin) {
            return shared.clone();
        }
        // Outside of the lock: it is the caller's own function.
        let made = Shared::new((self.make)());
        let mut known = self.lock();
        if let Some(shared) = known.by_origin.get(origin) {
            return shared.clone();
        }
        if known.order.len() >= self.most
            && let Some(oldest) = known.order.pop_front()
        {
            known.by_origin.remove(&oldest);
        }
        known.by_origin.insert(origin.clone(), made.clone());
        known.order.push_back(origin.clone());
        made
    }
}

/// The first origins that a handle and its clones have met: a list that only grows, so that it is read without a lock.
#[derive(Clone, Default)]
struct Seen(Arc<OnceLock<Met>>);

struct Met {
    /// Its own name, or one of its plain ones.
    name: Box<str>,
    shared: Shared,
    next: Seen,
}

impl Seen {
    fn iter(&self) -> impl Iterator<Item = &Met> {
        core::iter::successors(self.0.get(), |met| met.next.0.get())
    }

    fn find(&self, name: &str) -> Option<Shared> {
        self.iter().find(|met| &*met.name == name).map(|met| met.shared.clone())
    }

    /// Adds an origin at the end, unless the list is long enough.
    fn remember(&self, name: &str, shared: &Shared) {
        let mut met = Met { name: name.into(), shared: shared.clone(), next: Self::default() };
        let mut place = self;
        for _ in 0..ORIGINS {
            match place.0.set(met) {
                Ok(()) => return,
                Err(back) => met = back,
            }
            let Some(taken) = place.0.get() else { return };
            place = &taken.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_has_one_origin_whatever_follows_it() {
        let plain_ones = [
            ("http://host/path", "http://host"),
            ("http://host", "http://host"),
            ("HTTP://Host:80?query", "HTTP://Host:80"),
            ("https://[::1]:8443#part", "https://[::1]:8443"),
            ("http://host\\path", "http://host"),
            ("mailto:a://b/c", "mailto:a://b"),
        ];
        for (url, text) in plain_ones {
            assert_eq!(plain(url), Some(text), "{url}");
            for rest in ["", "/", "/other", "?other", "#other", "\\other", "//other://third/"] {
                assert!(Origin::of(&format!("{text}{rest}")) == Origin::of(url), "{text}{rest}");
            }
        }
    }

    #[test]
    fn what_is_taken_apart_in_another_way_is_not_plain() {
        let others = [
            "http:///host/path",
            "http://\\host/path",
            "http://\t/host",
            "http://user:secret@host/",
            "ht\ntp://host/",
            " http://host/",
            "http:host",
            "/path",
            "http://b\u{fc}cher/",
        ];
        for url in others {
            assert_eq!(plain(url), None, "{url:?}");
        }
    }

    /// What has a host has its own budget, whatever its scheme and path.
    #[test]
    fn odd_urls_have_an_origin_too() {
        let budgets = Budgets::per_origin(retry_core::Ratio::default);
        for url in ["http://svc.1/a?x", "http://h:99999/a", "lb://users/a", "/a"] {
            _ = budgets.find(url);
        }
        for (url, is_met) in [
            ("http://svc.1/b?y", true),
            ("http://svc.2/b?y", false),
            ("http://h:99999/b", true),
            ("lb://users/b", true),
            ("lb://orders/a", false),
            ("/b", true),
        ] {
            assert_eq!(budgets.level(url).is_some(), is_met, "{url}");
        }
    }

    /// An origin that is forgotten by the map is the same one to who has met it, by any of its names.
    #[test]
    fn names_of_one_origin_share_its_budget() {
        let budgets = Budgets::per_origin(retry_core::Ratio::default).origins(1);
        let first = budgets.find("HTTP://host/");
        _ = budgets.find("http://other/");
        for url in ["http://host/2", "HTTP://HOST/", "http://host:80", "http://user@host/", "http:host"] {
            assert!(Arc::ptr_eq(&budgets.find(url).0, &first.0), "{url}");
        }
    }
}
