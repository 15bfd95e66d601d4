//! Bytes both ways, until both sides have ended.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::panic::resume_unwind;
use std::thread;

use socket2::SockRef;

use super::visit::{Bounded, Upstream, broken, is_timeout};
use crate::server::connection::Ending;

/// Joins a client with its target. `early` reads from the client, and may have read more already than was used.
pub(super) fn join(early: &mut (impl Read + Send), client: &TcpStream, upstream: &Upstream<'_>) -> Ending {
    let upstream = &upstream.socket;
    let moved = AtomicU64::new(0);
    let results = thread::scope(|scope| -> io::Result<_> {
        let up = || pass(early, client, upstream, &moved);
        let up = thread::Builder::new().spawn_scoped(scope, up)?;
        let down = pass(&mut Bounded::new(upstream), upstream, client, &moved);
        Ok([up.join().unwrap_or_else(|panic| resume_unwind(panic)), down])
    });
    let error = results.and_then(|[up, down]| up.and(down)).err();
    let ending = error.as_ref().map_or(Ending::Close, broken);
    if matches!(ending, Ending::Reset) {
        drop(SockRef::from(upstream).set_linger(Some(Duration::ZERO)));
    }
    ending
}

/// Passes on what comes `from` one side, and its end.
fn pass(reader: &mut impl Read, from: &TcpStream, to: &TcpStream, moved: &AtomicU64) -> io::Result<()> {
    let passed = pass_bytes(reader, to, moved);
    // An error means that the socket has ended already.
    match &passed {
        Ok(()) => drop(to.shutdown(Shutdown::Write)),
        // Wakes the other direction without a word to either side: what they are to see may be a reset.
        Err(_) => [from, to].iter().for_each(|socket| drop(socket.shutdown(Shutdown::Read))),
    }
    passed
}

fn pass_bytes(reader: &mut impl Read, mut to: &TcpStream, moved: &AtomicU64) -> io::Result<()> {
    let mut buffer = [0; 8192];
    let mut seen = moved.load(Ordering::Relaxed);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                to.write_all(&buffer[..read])?;
                moved.fetch_add(read as u64, Ordering::Relaxed);
            }
            Err(error) if is_timeout(&error) => {
                // This direction may rest for as long as the other is busy.
                let now = moved.load(Ordering::Relaxed);
                if now == seen {
                    return Err(error);
                }
                seen = now;
            }
            Err(error) => return Err(error),
        }
    }
}
