//! What a proxy is told beside its script. It may run by then, so all of it is behind a lock.

use core::net::SocketAddr;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::password::Password;
use super::target::{NoWay, Target};

#[derive(Default)]
pub(super) struct Settings(Mutex<State>);

#[derive(Default)]
struct State {
    password: Option<Password>,
    /// By host, in lower case.
    names: HashMap<String, SocketAddr>,
}

impl Settings {
    pub(super) fn set_password(&self, password: Password) {
        self.state().password = Some(password);
    }

    /// The password that is wanted, if one is.
    pub(super) fn password(&self) -> Option<Password> {
        self.state().password.clone()
    }

    pub(super) fn resolve(&self, host: &str, addr: SocketAddr) {
        self.state().names.insert(host.to_ascii_lowercase(), addr);
    }

    /// Where a target is, if it may be gone to.
    pub(super) fn addr(&self, target: &Target) -> Result<SocketAddr, NoWay> {
        target.addr(&self.state().names)
    }

    /// No thread leaves the state half changed, so a poisoned lock does not matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
