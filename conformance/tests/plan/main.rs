//! `plan` at the command line. `UPDATE=1` writes the texts that it is compared with anew.

mod numbers;
mod picture;
mod program;
mod texts;
mod usage;
mod warnings;
