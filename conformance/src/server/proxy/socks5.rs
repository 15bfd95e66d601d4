//! A SOCKS5 proxy on one connection (RFC 1928), with names and passwords (RFC 1929).

use core::net::{Ipv4Addr, Ipv6Addr};
use std::io::{self, BufRead, BufReader, Read};

use super::password::Password;
use super::target::Target;
use super::visit::{Bounded, Visit};
use super::{Via, tunnel};
use crate::server::connection::{Ending, send};

const VERSION: u8 = 5;
const NO_PASSWORD: u8 = 0;
const WITH_PASSWORD: u8 = 2;
const NO_METHOD: u8 = 0xff;
/// Reply codes.
const GRANTED: u8 = 0;
const UNKNOWN_COMMAND: u8 = 7;
const UNKNOWN_ADDRESS: u8 = 8;

/// Serves the one request that a connection has.
pub(super) fn serve(visit: &Visit<'_>) -> Result<(), Ending> {
    let mut reader = BufReader::new(Bounded::new(&visit.socket));
    if reader.fill_buf()?.is_empty() {
        return Err(Ending::Close);
    }
    let number = visit.begin();
    greet(visit, &mut reader, number)?;

    let [version, command, _, kind] = read(&mut reader)?;
    expect(version == VERSION)?;
    let host = match kind {
        1 => Ipv4Addr::from(read(&mut reader)?).to_string(),
        3 => read_text(&mut reader)?,
        4 => Ipv6Addr::from(read::<16>(&mut reader)?).to_string(),
        _ => return reply(visit, UNKNOWN_ADDRESS),
    };
    let target = Target { host, port: u16::from_be_bytes(read(&mut reader)?) };
    if command != 1 {
        return reply(visit, UNKNOWN_COMMAND);
    }
    visit.record().note(number, |request| {
        request.method = "CONNECT".into();
        request.target = if kind == 4 {
            format!("[{}]:{}", target.host, target.port)
        } else {
            format!("{}:{}", target.host, target.port)
        };
    });
    match visit.step() {
        Via::Pass => match visit.dial(&target, number) {
            Ok(upstream) => {
                send_reply(visit, GRANTED)?;
                Err(tunnel::join(&mut reader, &visit.socket, &upstream))
            }
            Err(no_way) => reply(visit, no_way.code()),
        },
        Via::Refuse(code) => reply(visit, *code),
        Via::Raw(bytes) => Ok(send(&mut &visit.socket, bytes)?),
        Via::Fault(fault) => Err(visit.strike(*fault, &mut reader)),
        // `Proxy::socks5` takes none of these.
        Via::Status(_) | Via::Answer { .. } => Err(Ending::Close),
    }
}

/// Agrees on a method, and checks the password if that is the method.
fn greet(visit: &Visit<'_>, reader: &mut impl Read, number: usize) -> Result<(), Ending> {
    let [version, count] = read(reader)?;
    expect(version == VERSION)?;
    let mut offered = vec![0; count.into()];
    reader.read_exact(&mut offered)?;

    let wanted = visit.shared.settings.password();
    let method = match offered {
        offered if wanted.is_none() && offered.contains(&NO_PASSWORD) => NO_PASSWORD,
        offered if offered.contains(&WITH_PASSWORD) => WITH_PASSWORD,
        _ => NO_METHOD,
    };
    send(&mut &visit.socket, &[VERSION, method])?;
    expect(method != NO_METHOD)?;
    if method == NO_PASSWORD {
        return Ok(());
    }

    let [version] = read(reader)?;
    expect(version == 1)?;
    let (user, password) = (read_text(reader)?, read_text(reader)?);
    // Where none is wanted, every password is right.
    let right = wanted.is_none_or(|wanted| wanted == Password::new(&user, &password));
    visit.record().note(number, |request| request.user = Some(user));
    send(&mut &visit.socket, &[1, u8::from(!right)])?;
    expect(right)
}

/// A last word, after which the connection ends.
fn reply(visit: &Visit<'_>, code: u8) -> Result<(), Ending> {
    send_reply(visit, code)?;
    Err(Ending::Close)
}

/// The address that follows the code is nobody's: the proxy keeps its own to itself.
fn send_reply(visit: &Visit<'_>, code: u8) -> io::Result<()> {
    send(&mut &visit.socket, &[VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

fn expect(sense: bool) -> Result<(), Ending> {
    if sense { Ok(()) } else { Err(Ending::Close) }
}

fn read<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text after its length; bytes that are not UTF-8 are replaced.
fn read_text(reader: &mut impl Read) -> io::Result<String> {
    let [length] = read(reader)?;
    let mut text = vec![0; length.into()];
    reader.read_exact(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
