//! A pool of five proxies, of which two are dead and one is blocked by the origin: one table row a send.

use core::net::SocketAddr;
use core::time::Duration;
use std::process::ExitCode;

use conformance::server::{Proxy, Reply, Server, Via};
use retry_core::Policy;
use runtime_tokio::{Report, Retry};

#[tokio::main]
async fn main() -> ExitCode {
    // reqwest is built without a choice of TLS here; a program of one's own makes its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match show().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!("NOT as it should be");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn show() -> Result<bool, Box<dyn core::error::Error>> {
    // The origin answers 403 to what comes by the blocked proxy: the first request that reaches it.
    let origin = Server::start([Reply::status(403).body("blocked"), Reply::status(200).body("the page")]);
    let [blocked, good, spare] = [(); 3].map(|()| Proxy::http([Via::Pass]));
    let (_held, dead) = nobody()?;
    let (_held_too, dead_too) = nobody()?;

    let entries = [dead, dead_too, blocked.url(), good.url(), spare.url()];
    let policy = Policy::API.edit().base_delay(Duration::from_millis(200)).build()?;
    let pool = Retry::new(policy)
        .proxies(entries, |_, builder| builder.user_agent("example"))
        .rotate_on_status(&[403])
        .build()?;
    let (response, report) = pool.get(origin.url("/")).send_with_report().await?;
    table(&report);
    println!("\nthe pool:");
    for proxy in pool.status() {
        println!("  {:<28} failures in a row: {}", proxy.proxy, proxy.failures);
    }
    println!("\n{} through {}", response.status(), report.proxy().unwrap_or("nothing"));
    let sends = [blocked.sends(), good.sends(), spare.sends()];
    Ok(response.status() == 200 && report.attempts() == 4 && sends == [1, 1, 0])
}

/// A port on which nobody listens, for as long as the socket is kept.
fn nobody() -> std::io::Result<(socket2::Socket, String)> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into())?;
    let port = socket.local_addr()?.as_socket().map_or(0, |addr| addr.port());
    Ok((socket, format!("http://127.0.0.1:{port}")))
}

fn table(report: &Report) {
    println!("{:>7}  {:<28} {:<14} {:>9}  from", "attempt", "proxy", "came back", "wait");
    for entry in report.record() {
        let back = entry.event.to_string();
        let (wait, from) = match entry.wait {
            Some((wait, source)) => (format!("{} ms", wait.as_millis()), source.to_string()),
            None => (String::new(), String::new()),
        };
        let proxy = report.proxy_of(&entry).unwrap_or("?");
        println!("{:>7}  {proxy:<28} {back:<14} {wait:>9}  {from}", entry.number);
    }
}
