//! The inputs of a target: `corpus` has what fuzzing found worth keeping, `regressions` what once failed, by its name.

use core::hash::{Hash, Hasher};
use core::panic::AssertUnwindSafe;
use std::fs;
use std::hash::DefaultHasher;
use std::panic::{catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

/// Runs the body of `target` on all of its inputs, and names the one that it fails on.
pub fn replay(target: &str, body: impl Fn(&[u8])) {
    let mut inputs: Vec<_> =
        ["corpus", "regressions"].into_iter().flat_map(|kind| files(&folder(kind, target))).collect();
    inputs.sort();
    assert!(!inputs.is_empty(), "{target} has no corpus");
    for path in inputs {
        let input = fs::read(&path).expect("an input can be read");
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(&input))) {
            eprintln!("by {}", path.display());
            resume_unwind(panic);
        }
    }
}

/// Puts an input into the corpus of `target`, named after what is in it.
pub fn seed(target: &str, input: &[u8]) {
    let folder = folder("corpus", target);
    fs::create_dir_all(&folder).expect("a folder can be made");
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    fs::write(folder.join(format!("{:016x}", hasher.finish())), input).expect("an input can be written");
}

fn folder(kind: &str, target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(kind).join(target)
}

/// The files in a folder; none if it is not there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.expect("an entry can be read").path()).collect()
}
