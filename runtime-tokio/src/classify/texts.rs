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
