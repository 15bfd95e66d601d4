//! What takes the place of `spans.rs` without the feature `tracing`: nothing, and it takes no room.

use core::future::Future;

use http::Method;
use retry_core::{End, ErrorKind, Event, Level, Pause, Policy, Try};

use crate::reply::Failed;

pub(crate) struct Spans;

impl Spans {
    #[inline]
    pub(crate) fn open<'a>(_: impl FnOnce() -> Option<(&'a Method, &'a str)>) -> Self {
        Self
    }

    #[inline]
    pub(crate) fn call(&self) -> Scope {
        Scope
    }

    #[inline]
    pub(crate) fn send<'a>(&mut self, _: Try, _: impl FnOnce() -> (&'a Method, &'a str)) -> Scope {
        Scope
    }

    #[inline]
    pub(crate) fn judged<R>(&mut self, _: Event, _: &Result<R, Failed>) {}

    #[inline]
    pub(crate) fn waiting(&self, _: Try, _: Event, _: &Pause<&Policy>, _: impl FnOnce() -> Level) {}

    #[inline]
    pub(crate) fn ended(&mut self, _: &End, _: Option<ErrorKind>) {}
}

pub(crate) struct Scope;

impl Scope {
    #[inline]
    pub(crate) fn around<F: Future>(self, work: F) -> F {
        work
    }

    #[inline]
    pub(crate) fn begin<F: Future>(self, make: impl FnOnce() -> F) -> F {
        make()
    }
}
