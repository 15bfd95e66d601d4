#![doc = include_str!("versions.md")]
