//! Plots: a frame of the picture, and two axes.

use super::axis::label;
use super::{Anchor, Axis, FAINT, INK, Style, Svg, Text};

/// A rectangle of the picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// From the picture's left edge.
    pub left: f64,
    /// From the picture's upper edge.
    pub top: f64,
    /// To the right.
    pub width: f64,
    /// Downwards.
    pub height: f64,
}

impl Frame {
    /// Its right edge.
    pub fn right(self) -> f64 {
        self.left + self.width
    }

    /// Its lower edge.
    pub fn bottom(self) -> f64 {
        self.top + self.height
    }
}

/// Where values lie in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    /// Its place without ticks and labels, which need about 60 pixels on the left and 40 below.
    pub frame: Frame,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// How many steps the x axis has at most.
    pub x_ticks: u32,
    /// How many steps the y axis has at most.
    pub y_ticks: u32,
}

impl Plot {
    /// A plot with up to six steps to the right, and five upwards.
    pub const fn new(frame: Frame, x: Axis, y: Axis) -> Self {
        Self { frame, x, y, x_ticks: 6, y_ticks: 5 }
    }

    /// The point of the picture for two values.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let Frame { left, width, height, .. } = self.frame;
        (left + self.x.share(x) * width, self.frame.bottom() - self.y.share(y) * height)
    }

    /// Grid, ticks and the names of the axes, with their units; an empty name is left out.
    pub fn axes(&self, svg: &mut Svg, x_name: &str, y_name: &str) {
        let (frame, small) = (self.frame, Text { size: 11.0, ..Text::default() });
        let thin = |colour| Style { colour, width: 1.0, dash: "" };
        for value in self.y.ticks(self.y_ticks) {
            let (_, y) = self.at(self.x.low(), value);
            svg.line([(frame.left, y), (frame.right(), y)], thin(FAINT));
            svg.text((frame.left - 6.0, y + 4.0), &label(value), Text { anchor: Anchor::End, ..small });
        }
        for value in self.x.ticks(self.x_ticks) {
            let (x, _) = self.at(value, self.y.low());
            svg.line([(x, frame.bottom()), (x, frame.bottom() + 4.0)], thin(INK));
            svg.text((x, frame.bottom() + 16.0), &label(value), Text { anchor: Anchor::Middle, ..small });
        }
        svg.line([(frame.left, frame.top), (frame.left, frame.bottom()), (frame.right(), frame.bottom())], thin(INK));
        let name = Text { anchor: Anchor::Middle, ..Text::default() };
        if !x_name.is_empty() {
            svg.text((frame.left + frame.width / 2.0, frame.bottom() + 34.0), x_name, name);
        }
        if !y_name.is_empty() {
            let at = (frame.left - 46.0, frame.top + frame.height / 2.0);
            svg.text(at, y_name, Text { turned: true, ..name });
        }
    }

    /// A line through values.
    pub fn line(&self, svg: &mut Svg, values: &[(f64, f64)], style: Style) {
        svg.line(values.iter().map(|(x, y)| self.at(*x, *y)), style);
    }

    /// What lies between values and the x axis.
    pub fn area(&self, svg: &mut Svg, values: &[(f64, f64)], colour: &str, opacity: f64) {
        let (Some((first, _)), Some((last, _))) = (values.first(), values.last()) else { return };
        let ends = [(*last, self.y.low()), (*first, self.y.low())];
        svg.area(values.iter().chain(&ends).map(|(x, y)| self.at(*x, *y)), colour, opacity);
    }

    /// A stripe over the whole height, from one x to another.
    pub fn stripe(&self, svg: &mut Svg, from: f64, to: f64, colour: &str, opacity: f64) {
        let ((left, bottom), (right, top)) = (self.at(from, self.y.low()), self.at(to, self.y.high()));
        svg.rect(Frame { left, top, width: right - left, height: bottom - top }, colour, opacity);
    }

    /// A level line over the whole width.
    pub fn level(&self, svg: &mut Svg, y: f64, style: Style) {
        self.line(svg, &[(self.x.low(), y), (self.x.high(), y)], style);
    }

    /// A mark over the whole height.
    pub fn mark(&self, svg: &mut Svg, x: f64, style: Style) {
        self.line(svg, &[(x, self.y.low()), (x, self.y.high())], style);
    }
}

/// Names of lines in a row from `at`, each behind a piece of its line.
pub fn legend(svg: &mut Svg, at: (f64, f64), lines: &[(Style, &str)]) {
    let (mut x, y) = at;
    for (style, name) in lines {
        svg.line([(x, y - 4.0), (x + 34.0, y - 4.0)], *style);
        svg.text((x + 40.0, y), name, Text::default());
        // Words of this size are about 6 pixels wide for each letter.
        x += 66.0 + 6.0 * name.chars().count() as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_on_their_pixels() {
        let frame = Frame { left: 10.0, top: 20.0, width: 100.0, height: 50.0 };
        let plot = Plot::new(frame, Axis::new(0.0, 4.0), Axis::new(-1.0, 1.0));
        for ((x, y), at) in [((0.0, -1.0), (10.0, 70.0)), ((4.0, 1.0), (110.0, 20.0)), ((1.0, 0.0), (35.0, 45.0))] {
            assert_eq!(plot.at(x, y), at);
        }
        let mut svg = Svg::new(200.0, 100.0, "");
        plot.area(&mut svg, &[(0.0, 0.0), (4.0, 1.0)], "#000000", 0.5);
        assert!(svg.finish().contains("points=\"10,45 110,20 110,70 10,70\""));
    }
}
