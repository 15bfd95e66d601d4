//! The other end: HTTP/1.1 on loopback, in a process of its own on a core of its own. It ends with its standard input.

use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What may be asked for. What is not here is answered 404.
pub mod path {
    /// 200 at once.
    pub const OK: &str = "/ok";
    /// 200 when the client has surely gone to sleep: so each call takes the same way through client and runtime.
    pub const ASLEEP: &str = "/asleep";
    /// 503 and 200 in turns, over all connections. The 503 has a small body, sent together with its head.
    pub const TURNS: &str = "/turns";
    /// The same when the client has surely gone to sleep.
    pub const TURNS_ASLEEP: &str = "/turns-asleep";
    /// The same; the body of the 503 comes a moment after its head.
    pub const LATE: &str = "/late";
    /// Always 503, with its body a moment after its head.
    pub const BUSY: &str = "/busy";
}

const PAUSE: Duration = Duration::from_millis(1);
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 32\r\n\r\n";
const BUSY_BODY: &str = "too many requests are under way\n";
const MISSING: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";

static ACCEPTED: AtomicU64 = AtomicU64::new(0);
static ASKED: AtomicU64 = AtomicU64::new(0);
static TURN: AtomicU64 = AtomicU64::new(0);

/// Serves until standard input ends. Prints the two ports first: of the server, and of its counters.
pub fn main() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let counters = std::net::TcpListener::bind("127.0.0.1:0")?;
        println!("{} {}", listener.local_addr()?.port(), counters.local_addr()?.port());
        std::thread::spawn(move || tell(&counters));
        std::thread::spawn(|| {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            std::process::exit(0);
        });
        loop {
            let (stream, _) = listener.accept().await?;
            ACCEPTED.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move { serve(stream).await });
        }
    })
}

async fn serve(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 4096];
    let mut filled = 0;
    loop {
        let head = loop {
            if let Some(end) = buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            // A head larger than the buffer ends the connection: none of ours is.
            match stream.read(&mut buffer[filled..]).await? {
                0 => return Ok(()),
                read => filled += read,
            }
        };
        let path = buffer[..head].split(|&byte| byte == b' ').nth(1).unwrap_or_default().to_vec();
        ASKED.fetch_add(1, Ordering::SeqCst);
        answer(&mut stream, std::str::from_utf8(&path).unwrap_or_default()).await?;
        // No request that is measured has a body.
        buffer.copy_within(head..filled, 0);
        filled -= head;
    }
}

async fn answer(stream: &mut TcpStream, path: &str) -> io::Result<()> {
    let is_turn = || TURN.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
    if let path::ASLEEP | path::TURNS_ASLEEP = path {
        tokio::time::sleep(PAUSE).await;
    }
    match path {
        path::OK | path::ASLEEP => stream.write_all(OK.as_bytes()).await?,
        path::TURNS | path::TURNS_ASLEEP if is_turn() => {
            stream.write_all(format!("{BUSY}{BUSY_BODY}").as_bytes()).await?
        }
        path::BUSY => busy_late(stream).await?,
        path::LATE if is_turn() => busy_late(stream).await?,
        path::TURNS | path::TURNS_ASLEEP | path::LATE => stream.write_all(OK.as_bytes()).await?,
        _ => stream.write_all(MISSING.as_bytes()).await?,
    }
    Ok(())
}

/// The client may go away before the body comes: that is its right.
async fn busy_late(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(BUSY.as_bytes()).await?;
    tokio::time::sleep(PAUSE).await;
    let _ = stream.write_all(BUSY_BODY.as_bytes()).await;
    Ok(())
}

/// Answers each line on the counters' port with a line of both counters.
fn tell(listener: &std::net::TcpListener) {
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || -> io::Result<()> {
            let mut lines = BufReader::new(stream.try_clone()?).lines();
            let mut stream = stream;
            while let Some(Ok(_)) = lines.next() {
                let (accepted, asked) = (ACCEPTED.load(Ordering::SeqCst), ASKED.load(Ordering::SeqCst));
                stream.write_all(format!("{accepted} {asked}\n").as_bytes())?;
            }
            Ok(())
        });
    }
}

/// The server's counters, asked over a connection of their own.
pub struct Counters(BufReader<std::net::TcpStream>);

/// What the server has seen since its start.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Connections.
    pub accepted: u64,
    /// Requests.
    pub asked: u64,
}

impl Counters {
    pub fn new(port: u16) -> io::Result<Self> {
        let stream = std::net::TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port)))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    pub fn seen(&mut self) -> io::Result<Seen> {
        self.0.get_mut().write_all(b"\n")?;
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        let mut numbers = line.split_whitespace().map(|number| number.parse().unwrap_or_default());
        let mut next = || numbers.next().unwrap_or_default();
        Ok(Seen { accepted: next(), asked: next() })
    }
}
