//! Where a client wants to go, and whether there is a way.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::collections::HashMap;
use std::io::ErrorKind;

/// A host, without the brackets of IPv6, and a port.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) host: String,
    pub(super) port: u16,
}

/// Why a target is not led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoWay {
    /// The name is none of those that the proxy was told.
    UnknownName,
    /// It is not on loopback.
    Forbidden,
    /// It cannot be connected to.
    Failed(ErrorKind),
}

impl Target {
    /// `host:port`; the port may be left out if there is a default.
    pub(super) fn from_authority(text: &str, default_port: Option<u16>) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(text) => text.split_once(']')?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let port = match port {
            "" => default_port?,
            port => port.strip_prefix(':')?.parse().ok()?,
        };
        (!host.is_empty()).then(|| Self { host: host.into(), port })
    }

    /// The target of an `http://` URL, and what its server is asked for: path and query.
    pub(super) fn from_url(url: &str) -> Option<(Self, String)> {
        let (scheme, rest) = url.split_once("://")?;
        if !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (_, authority) = authority.rsplit_once('@').unwrap_or(("", authority));
        let path = path.split_once('#').map_or(path, |(path, _)| path);
        let slash = if path.starts_with('/') { "" } else { "/" };
        Some((Self::from_authority(authority, Some(80))?, format!("{slash}{path}")))
    }

    /// Where it is, by these names, which are in lower case. Nobody else is asked.
    pub(super) fn addr(&self, names: &HashMap<String, SocketAddr>) -> Result<SocketAddr, NoWay> {
        let host = self.host.to_ascii_lowercase();
        let addr = if let Some(addr) = names.get(&host) {
            *addr
        } else if let Ok(ip) = host.parse::<IpAddr>() {
            (ip, self.port).into()
        } else if host == "localhost" {
            (Ipv4Addr::LOCALHOST, self.port).into()
        } else {
            return Err(NoWay::UnknownName);
        };
        if addr.ip().to_canonical().is_loopback() { Ok(addr) } else { Err(NoWay::Forbidden) }
    }
}

impl NoWay {
    /// What a client is told of it in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::UnknownName => "the proxy does not know this name\n",
            Self::Forbidden => "the proxy leads to loopback only\n",
            Self::Failed(_) => "the proxy cannot connect to the target\n",
        }
    }

    /// The reply code of SOCKS5 (RFC 1928, section 6).
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Forbidden => 2,
            Self::UnknownName => 4,
            Self::Failed(ErrorKind::ConnectionRefused) => 5,
            Self::Failed(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(host: &str, port: u16) -> Target {
        Target { host: host.into(), port }
    }

    #[test]
    fn authorities() {
        for (text, host, port) in [("a:1", "a", 1), ("127.0.0.1:65535", "127.0.0.1", 65535), ("[::1]:443", "::1", 443)]
        {
            assert_eq!(Target::from_authority(text, None), Some(target(host, port)), "{text}");
        }
        for text in ["", "a", ":1", "a:", "a:x", "a:65536", "a:-1", "[::1", "[::1]", "[::1]443", "[]:1", "::1:2"] {
            assert_eq!(Target::from_authority(text, None), None, "{text}");
        }
    }

    #[test]
    fn urls() {
        let cases = [
            ("http://a", "a", 80, "/"),
            ("HTTP://a:8?q=/", "a", 8, "/?q=/"),
            ("http://u:p@[::1]:9/x?y#z", "::1", 9, "/x?y"),
            ("http://a#z", "a", 80, "/"),
            ("http://a/b@c:d", "a", 80, "/b@c:d"),
        ];
        for (url, host, port, path) in cases {
            assert_eq!(Target::from_url(url), Some((target(host, port), path.into())), "{url}");
        }
        for url in ["", "/", "*", "a:80", "https://a/", "http:/a", "http://", "http:///x", "http://@/", "http://ü:/"] {
            assert_eq!(Target::from_url(url), None, "{url}");
        }
    }

    #[test]
    fn only_loopback_is_led_to() {
        let names = [("far.test".into(), ([192, 0, 2, 1], 1).into()), ("near.test".into(), ([127, 0, 0, 2], 2).into())];
        let names = HashMap::from(names);
        let ok = |addr: &str| Ok(addr.parse().unwrap());
        let cases = [
            ("127.9.9.9", ok("127.9.9.9:7")),
            ("::1", ok("[::1]:7")),
            ("LocalHost", ok("127.0.0.1:7")),
            ("Near.Test", ok("127.0.0.2:2")),
            ("far.test", Err(NoWay::Forbidden)),
            ("0.0.0.0", Err(NoWay::Forbidden)),
            ("::", Err(NoWay::Forbidden)),
            ("198.51.100.1", Err(NoWay::Forbidden)),
            ("other.test", Err(NoWay::UnknownName)),
            ("", Err(NoWay::UnknownName)),
            ("127.1", Err(NoWay::UnknownName)),
        ];
        for (host, addr) in cases {
            assert_eq!(target(host, 7).addr(&names), addr, "{host}");
        }
    }
}
