//! Nobody at an address.

use core::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// An address of loopback that refuses connections for as long as the socket lives.
pub(crate) fn refused() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("there are sockets");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("loopback has free ports");
    let addr = socket.local_addr().ok().and_then(|addr| addr.as_socket()).expect("a bound socket has an address");
    (socket, addr)
}
