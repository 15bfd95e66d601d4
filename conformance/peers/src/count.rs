//! Instructions, counted by valgrind's callgrind over a whole process, all of its threads.

use std::error::Error;
use std::process::{Command, Stdio};

/// Runs `command` under callgrind and gives the instructions it took.
pub fn instructions(program: &str, arguments: &[String], pin: &[&str]) -> Result<u64, Box<dyn Error>> {
    let (first, rest) = pin.split_first().ok_or("nothing to pin with")?;
    let output = Command::new(first)
        .args(rest)
        .args(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program])
        .args(arguments)
        // What the C library chooses by the size of the environment or at random would differ from run to run.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("ASYNC_STD_THREAD_COUNT", "1")
        .stdin(Stdio::null())
        .output()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{program} {arguments:?} under valgrind: {}\n{messages}", output.status).into());
    }
    let collected = messages.lines().find_map(|line| line.split_once("Collected :"));
    let (_, number) = collected.ok_or_else(|| format!("valgrind counted nothing:\n{messages}"))?;
    Ok(number.trim().parse()?)
}
