//! Running the program.

use core::sync::atomic::{AtomicU32, Ordering};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// What the program prints, what it says is wrong, and its status.
pub(crate) fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_plan")).args(arguments).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (text(output.stdout), text(output.stderr), output.status.code().expect("it ends by itself"))
}

/// What it prints if all is well.
pub(crate) fn printed(arguments: &[&str]) -> String {
    let (out, error, status) = run(arguments);
    assert_eq!((error.as_str(), status), ("", 0), "{arguments:?}: {out}");
    out
}

/// The same for machines.
pub(crate) fn planned(arguments: &[&str]) -> Value {
    let out = printed(&[arguments, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {out}"))
}

/// A folder that is removed in the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("plan-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path of text").to_owned()
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
