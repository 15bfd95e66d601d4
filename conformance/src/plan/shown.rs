//! Text from elsewhere, fit for a terminal.

/// No more characters of one text are shown.
const MOST: usize = 500;

/// `text` with its control characters escaped, line feeds excepted, and cut where it is too long.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (count, char) in text.chars().enumerate() {
        match char {
            _ if count == MOST => return shown + "...",
            '\n' | '\'' | '"' | '\\' => shown.push(char),
            _ => shown.extend(char.escape_debug()),
        }
    }
    shown
}
