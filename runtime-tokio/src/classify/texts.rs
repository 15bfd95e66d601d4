//! What a client or a resolver tells by text alone, as data.

use core::error::Error as StdError;

use retry_core::Cause;

/// How the name lookups of operating systems end. What is not here counts as temporary.
const DNS: &[(&str, Cause)] = &[
    // glibc
    ("Name or service not known", Cause::DnsNoSuchName),
    ("No address associated with hostname", Cause::DnsNoSuchName),
    ("Temporary failure in name resolution", Cause::DnsTemporary),
    // musl
    ("Name does not resolve", Cause::DnsNoSuchName),
    ("Name has no usable address", Cause::DnsNoSuchName),
    ("Try again", Cause::DnsTemporary),
    // macOS and the BSDs
    ("nodename nor servname provided, or not known", Cause::DnsNoSuchName),
    ("hostname nor servname provided, or not known", Cause::DnsNoSuchName),
    ("No address associated with nodename", Cause::DnsNoSuchName),
    // Windows, by number: the text is in the user's language
    ("(os error 11001)", Cause::DnsNoSuchName),
    ("(os error 11004)", Cause::DnsNoSuchName),
];

/// What goes wrong before a connection is ready, by the beginning of the text.
const CONNECT: &[(&str, Cause)] = &[
    ("invalid URL, scheme is not http", Cause::Validation),
    ("tunnel error: proxy authorization required", Cause::ProxyAuth),
    ("tunnel error: ", Cause::Proxy),
    ("SOCKS error: credentials not accepted", Cause::ProxyAuth),
    ("SOCKS error: server does not support user/pass authentication", Cause::ProxyAuth),
    ("SOCKS error: ", Cause::Proxy),
];

/// What hyper-util's client says of a request that it does not begin to send, and of one whose URI its connector refuses.
#[cfg(feature = "tower")]
const REFUSED: [&str; 6] = [
    "client error (UserAbsoluteUriRequired)",
    "client error (UserUnsupportedRequestMethod)",
    "client error (UserUnsupportedVersion)",
    "invalid URL, scheme is not http",
    "invalid URL, scheme is missing",
    "invalid URL, host is missing",
];

/// What the text of a failed lookup says.
pub(crate) fn dns(error: &(dyn StdError + 'static)) -> Option<Cause> {
    let text = error.to_string();
    DNS.iter().find(|(part, _)| text.ends_with(part)).map(|(_, cause)| *cause)
}

/// What the text of a failed connection says.
pub(crate) fn connect(error: &(dyn StdError + 'static)) -> Option<Cause> {
    let text = error.to_string();
    CONNECT.iter().find(|(start, _)| text.starts_with(start)).map(|(_, cause)| *cause)
}

/// Whether the client refused the request.
#[cfg(feature = "tower")]
pub(crate) fn refused(error: &(dyn StdError + 'static)) -> bool {
    REFUSED.contains(&error.to_string().as_str())
}

/// Whether the source of this is what a resolver said to hyper-util's connector, whose errors have no name.
#[cfg(feature = "tower")]
pub(crate) fn lookup(error: &(dyn StdError + 'static)) -> bool {
    error.to_string() == "dns error"
}

/// Whether the time limit of a layer of tower's has passed: its type alone would take the whole library.
#[cfg(feature = "tower")]
pub(crate) fn timeout(error: &(dyn StdError + 'static)) -> bool {
    error.to_string() == "request timed out"
}
