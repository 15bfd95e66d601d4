//! What a resolver of one's own may say.

use core::error::Error;
use core::fmt;

/// Why a name was not resolved, as a resolver of one's own can say it so that nobody has to guess.
///
/// Return it, or an error that has it among its sources, from a resolver of reqwest or of hyper-util. Other errors of a
/// resolver count as temporary, unless they are the operating system's texts for a name that does not exist.
///
/// ```
/// use reqwest::dns::{Name, Resolve, Resolving};
/// use runtime_tokio::DnsFailure;
///
/// struct NothingHere;
///
/// impl Resolve for NothingHere {
///     fn resolve(&self, _: Name) -> Resolving {
///         Box::pin(async { Err(DnsFailure::NoSuchName.into()) })
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DnsFailure {
    /// There is no such name, or it has no address: asking again gives the same answer.
    NoSuchName,
    /// No answer for now.
    Temporary,
}

impl fmt::Display for DnsFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchName => "no such name",
            Self::Temporary => "the name cannot be resolved for now",
        })
    }
}

impl Error for DnsFailure {}
