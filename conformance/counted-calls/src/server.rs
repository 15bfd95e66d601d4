//! The other end, in a process of its own: what it does is not counted. It ends with its standard input.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// The argument that makes this program the server.
pub(crate) const WORD: &str = "server";

/// Until then the client has surely gone to sleep, so that each call takes the same way through client and runtime.
const PAUSE: Duration = Duration::from_millis(1);
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok";
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nbusy";

/// Asked for so, every other request is answered 503.
pub(crate) const TURNS: &str = "turns";

pub(crate) fn main() -> ExitCode {
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(0);
    });
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the server failed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints its port first. A connection after the other: there is one client, and it has one.
fn serve() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    loop {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        let mut buffer = [0; 4096];
        let mut filled = 0;
        let mut is_turn = false;
        // A request has no body here, and comes after the answer to the one before.
        while let read @ 1.. = stream.read(&mut buffer[filled..])? {
            filled += read;
            if buffer[..filled].ends_with(b"\r\n\r\n") {
                is_turn = !is_turn && buffer[..filled].starts_with(b"GET /turns ");
                filled = 0;
                std::thread::sleep(PAUSE);
                stream.write_all(if is_turn { BUSY } else { ANSWER })?;
            }
        }
    }
}

/// The server's process, for as long as it is needed.
pub(crate) struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    pub(crate) fn start() -> io::Result<Self> {
        let mut process =
            Command::new(std::env::current_exe()?).arg(WORD).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let port = line.trim().parse().map_err(|_| io::Error::other("the server told no port"))?;
        Ok(Self { process, address: SocketAddr::from(([127, 0, 0, 1], port)) })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
