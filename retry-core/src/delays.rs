//! The waits of a policy as a plain iterator, for loops that need no machine.

use core::time::Duration;

use rand_core::Rng;

use crate::backoff::Backoff;
use crate::policy::Policy;

impl Policy {
    /// The wait before each retry, as the machine draws it where no server, custom policy or proxy names another one:
    /// one word of `rng` each, `max_retries` of them. The policy's time limits are the caller's to keep.
    ///
    /// For a loop around something that is not an HTTP request, and to look at a policy:
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Jitter, Policy};
    /// # struct Zero;
    /// # impl rand_core::TryRng for Zero {
    /// #     type Error = core::convert::Infallible;
    /// #     fn try_next_u32(&mut self) -> Result<u32, Self::Error> { Ok(0) }
    /// #     fn try_next_u64(&mut self) -> Result<u64, Self::Error> { Ok(0) }
    /// #     fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Self::Error> { dst.fill(0); Ok(()) }
    /// # }
    /// # let mut rng = Zero;
    /// const STEADY: Policy = Policy::builder().jitter(Jitter::None).build_const();
    /// assert!(STEADY.delays(&mut rng).eq([1, 2, 4].map(Duration::from_secs)));
    /// ```
    pub fn delays<R: Rng>(&self, rng: R) -> Delays<'_, R> {
        Delays { policy: self, rng, backoff: Backoff::start(self), left: self.max_retries }
    }
}

/// The waits before the retries of one call, from [`Policy::delays`].
#[derive(Clone, Debug)]
pub struct Delays<'a, R> {
    policy: &'a Policy,
    rng: R,
    backoff: Backoff,
    left: u32,
}

impl<R: Rng> Iterator for Delays<'_, R> {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        Some(Duration::from_nanos(self.backoff.draw(self.policy, self.rng.next_u64())))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}
