//! Measures everything, or the scenarios named, and writes the report.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    peers::report::main()
}
