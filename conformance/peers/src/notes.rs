//! For aims that are not met: what was tried, and what stands in the way. The figures are the report's own.

/// How an aim's name begins, and the note. The first that fits is shown, and only while the aim is not met.
const NOTES: &[(&str, &str)] = &[];

pub fn of(aim: &str) -> Option<&'static str> {
    NOTES.iter().find(|(beginning, _)| aim.starts_with(beginning)).map(|(_, note)| *note)
}
