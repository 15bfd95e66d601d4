//! Work with a client in a task of its own: whatever it does to its thread, limits are watched on another.

use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};

use async_std::task::{self, JoinHandle};

use crate::spans::Scope;

/// What runs in a task of its own, in the caller's span, and is canceled when this is dropped.
pub(crate) struct Task<T>(Option<JoinHandle<T>>);

impl<T: Send + 'static> Task<T> {
    pub(crate) fn spawn(work: impl Future<Output = T> + Send + 'static) -> Self {
        // In a box, because whoever spawns it moves it about.
        Self(Some(task::spawn(Scope::current().around(Box::pin(work)))))
    }
}

impl<T> Future for Task<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Some(task) = &mut self.0 else { return Poll::Pending };
        let output = Pin::new(task).poll(cx);
        if output.is_ready() {
            self.0 = None;
        }
        output
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            // The first poll cancels. The others would wait until the task's thread is done with it.
            let _ = pin!(task.cancel()).poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}
