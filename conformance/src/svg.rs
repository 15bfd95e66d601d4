//! Pictures as plain text: lines, areas and words, and plots with axes.
//!
//! The same calls give the same bytes. Coordinates are pixels from the upper left corner, rounded to hundredths; what is
//! not finite is left out. Colours come with line styles, so that a picture can be read in grey, too.
//!
//! ```
//! use conformance::svg::{Axis, Frame, Plot, Style, Svg};
//!
//! let mut svg = Svg::new(400.0, 300.0, "Load of one server");
//! let frame = Frame { left: 60.0, top: 30.0, width: 320.0, height: 220.0 };
//! let plot = Plot::new(frame, Axis::new(0.0, 60.0), Axis::new(0.0, 300.0));
//! plot.axes(&mut svg, "time (s)", "requests per second");
//! plot.line(&mut svg, &[(0.0, 240.0), (30.0, 0.0), (60.0, 240.0)], Style::FIRST);
//! let text = svg.finish();
//! assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
//! ```

use core::fmt::{self, Display, Write as _};

pub use axis::Axis;
pub use plot::{Frame, Plot, legend};

mod axis;
mod plot;

/// The words' colour, and that of the axes.
pub const INK: &str = "#222222";
/// What stands back: grid lines, notes.
pub const FAINT: &str = "#d9d9d9";

/// A picture in the making.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Svg {
    text: String,
}

impl Svg {
    /// A white picture of `width` times `height` pixels, smaller where a page has less room. The title is for who cannot see it; it is not drawn.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let (width, height) = (Pixels(width), Pixels(height));
        let mut svg = Self { text: String::new() };
        svg.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" style=\"max-width:100%;height:auto\" \
             font-family=\"Helvetica, Arial, sans-serif\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            Escaped(title)
        ));
        svg
    }

    /// Words at a point of their base line.
    pub fn text(&mut self, at: (f64, f64), words: &str, look: Text) {
        let Some((x, y)) = finite(at) else { return };
        let Text { size, anchor, bold, turned, colour } = look;
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        let turn = if turned { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{colour}\"{weight}{turn}>{}</text>",
            Pixels(size),
            Escaped(words)
        ));
    }

    /// A line through `points`.
    pub fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, style: Style) {
        let Style { colour, width, dash } = style;
        let points = Points(points.into_iter().filter_map(finite).collect());
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let width = Pixels(width);
        self.add(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"{dash}/>"
        ));
    }

    /// A filled shape; `opacity` is 0.0 ..= 1.0.
    pub fn area(&mut self, points: impl IntoIterator<Item = (f64, f64)>, colour: &str, opacity: f64) {
        let points = Points(points.into_iter().filter_map(finite).collect());
        let opacity = Pixels(opacity);
        self.add(format_args!("<polygon points=\"{points}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>"));
    }

    /// A filled rectangle from its upper left corner.
    pub fn rect(&mut self, frame: Frame, colour: &str, opacity: f64) {
        let Frame { left, top, width, height } = frame;
        let (right, bottom) = (left + width, top + height);
        self.area([(left, top), (right, top), (right, bottom), (left, bottom)], colour, opacity);
    }

    /// The picture's file.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn add(&mut self, element: fmt::Arguments<'_>) {
        // Writing into a text cannot fail.
        _ = writeln!(self.text, "{element}");
    }
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Its colour.
    pub colour: &'static str,
    /// Its width in pixels.
    pub width: f64,
    /// The lengths of dashes and gaps in pixels, as SVG writes them; empty for a solid line.
    pub dash: &'static str,
}

impl Style {
    /// Dark blue, solid.
    pub const FIRST: Self = Self { colour: "#08306b", width: 1.8, dash: "" };
    /// Orange, dashed; clearly lighter than the first in grey.
    pub const SECOND: Self = Self { colour: "#e6701a", width: 1.8, dash: "7 3" };
    /// Light green, dotted; the lightest in grey.
    pub const THIRD: Self = Self { colour: "#74c476", width: 2.2, dash: "2 2.5" };
    /// A limit or another mark: thin, black, long dashes.
    pub const LIMIT: Self = Self { colour: INK, width: 1.0, dash: "10 3 2 3" };
}

/// How words look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Text {
    /// The height in pixels.
    pub size: f64,
    /// Which end of the words is at the point.
    pub anchor: Anchor,
    /// Whether they are bold.
    pub bold: bool,
    /// Whether they run upwards.
    pub turned: bool,
    /// Their colour.
    pub colour: &'static str,
}

impl Default for Text {
    fn default() -> Self {
        Self { size: 12.0, anchor: Anchor::Start, bold: false, turned: false, colour: INK }
    }
}

/// Which end of some words is at their point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Their start.
    Start,
    /// Their middle.
    Middle,
    /// Their end.
    End,
}

/// A number in hundredths, without trailing zeros.
struct Pixels(f64);

impl Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns a negative zero into a plain one.
        let rounded = (self.0 * 100.0).round() / 100.0 + 0.0;
        write!(f, "{rounded}")
    }
}

fn finite((x, y): (f64, f64)) -> Option<(Pixels, Pixels)> {
    (x.is_finite() && y.is_finite()).then_some((Pixels(x), Pixels(y)))
}

struct Points(Vec<(Pixels, Pixels)>);

impl Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (x, y)) in self.0.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            write!(f, "{gap}{x},{y}")?;
        }
        Ok(())
    }
}

/// Words as XML has them. Characters that no XML may hold become U+FFFD.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped_and_numbers_are_short() {
        let mut svg = Svg::new(10.0, 20.5, "a < b & \"c\"\u{1}");
        svg.text((1.0 / 3.0, -0.001), "1 > 0\n", Text::default());
        svg.line([(0.0, 1e9), (f64::NAN, 0.0), (2.005, f64::INFINITY), (3.0, 4.0)], Style::SECOND);
        let text = svg.finish();
        assert!(text.contains("<title>a &lt; b &amp; &quot;c&quot;\u{fffd}</title>"), "{text}");
        assert!(text.contains("<text x=\"0.33\" y=\"0\"") && text.contains(">1 &gt; 0 </text>"), "{text}");
        assert!(text.contains("points=\"0,1000000000 3,4\"") && text.contains("stroke-dasharray=\"7 3\""), "{text}");
    }

    /// Two lines that cannot be told apart by their dashes must not depend on colour alone.
    #[test]
    fn the_styles_differ_in_grey_and_in_dashes() {
        let grey = |style: Style| {
            let part = |from: usize| f64::from(u8::from_str_radix(&style.colour[from..from + 2], 16).unwrap());
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let styles = [Style::FIRST, Style::SECOND, Style::THIRD];
        for (one, other) in [(0, 1), (1, 2), (0, 2)] {
            let (one, other) = (styles[one], styles[other]);
            assert!((grey(one) - grey(other)).abs() > 35.0 && one.dash != other.dash, "{one:?} {other:?}");
        }
    }
}
