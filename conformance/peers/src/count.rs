//! Instructions, counted by valgrind's callgrind over a whole process, all of its threads.
//!
//! The process marks moments by calling [`mark`]; what is counted between two of them is a window. So start, end and
//! warming up of a process count for nothing.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

/// Windows in a process. Their median counts.
pub const WINDOWS: u64 = 3;

/// Ends a window and begins the next one.
#[inline(never)]
pub fn mark() {
    black_box(());
}

/// Runs the program under callgrind and gives the instructions of each window. `folder` must be empty, and is left so.
pub fn windows(pin: &[&str], program: &str, arguments: &[String], folder: &Path) -> Result<Vec<u64>, Box<dyn Error>> {
    let (first, rest) = pin.split_first().ok_or("nothing to pin with")?;
    let output = Command::new(first)
        .args(rest)
        .args(["valgrind", "--tool=callgrind", "--dump-before=peers::count::mark*"])
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .arg(program)
        .args(arguments)
        // What is in the environment would be counted where it is read.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("ASYNC_STD_THREAD_COUNT", "1")
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program} {arguments:?} under valgrind: {}\n{messages}", output.status).into());
    }
    let mut found = Vec::new();
    // The first dump is that of the start, and the one without a number that of the end.
    for number in 1..=WINDOWS + 1 {
        let dump = fs::read_to_string(folder.join(format!("counts.{number}")))?;
        let total = dump.lines().find_map(|line| line.strip_prefix("totals: "));
        found.push(total.ok_or("a dump without totals")?.trim().parse()?);
    }
    for file in fs::read_dir(folder)? {
        fs::remove_file(file?.path())?;
    }
    Ok(found.split_off(1))
}
