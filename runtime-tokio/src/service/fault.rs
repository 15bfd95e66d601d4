//! What made a send through a service fail.

use core::error::Error as StdError;

use crate::fault::Fault;

/// An error of a service, and how far the request had come.
pub(crate) struct ServiceFault {
    error: Box<dyn StdError + Send + Sync>,
    /// Whether the service failed before it was given the request.
    pub(crate) is_unready: bool,
}

impl ServiceFault {
    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        &*self.error
    }
}

impl Fault {
    /// What a service says that was called.
    pub(crate) fn called(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::of_service(error.into(), false)
    }

    /// What a service says that did not become ready.
    pub(crate) fn unready(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::of_service(error.into(), true)
    }

    fn of_service(error: Box<dyn StdError + Send + Sync>, is_unready: bool) -> Self {
        Self::unless_nested(error, |error| Self::Service(ServiceFault { error, is_unready }))
    }
}
