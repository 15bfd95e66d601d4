//! The loopback server.

fn main() -> std::io::Result<()> {
    peers::server::main()
}
