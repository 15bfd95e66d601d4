//! A scripted HTTP/1 server on loopback.
