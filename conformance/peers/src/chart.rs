//! One chart: bars of what each subject takes over bare, in instructions. It stands on light and on dark pages.

use std::fmt::{Error, Write};

/// One subject: its instructions over bare's, without and with a limit.
#[derive(Clone, Debug)]
pub struct Bar {
    pub label: String,
    pub is_ours: bool,
    pub overhead: [f64; 2],
}

const WIDTH: f64 = 820.0;
const LEFT: f64 = 250.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 74.0;
const ROW: f64 = 34.0;
const BAR: f64 = 12.0;

/// Grey that can be read on white and on black.
const TEXT: &str = "#768390";
const LINE: &str = "#8b949e";
/// Ours and theirs, without and with a limit.
const OURS: [&str; 2] = ["#1f6feb", "#79b0ff"];
const PEERS: [&str; 2] = ["#9a6700", "#d4a72c"];

pub fn svg(bars: &[Bar]) -> Result<String, Error> {
    let percents = |bar: &Bar| bar.overhead.map(|ratio| (ratio - 1.0) * 100.0);
    // An even number, whose quarters have a decimal at most.
    let most = (bars.iter().flat_map(percents).fold(1.0, f64::max) / 2.0).ceil() * 2.0;
    let scale = (WIDTH - LEFT - RIGHT) / most;
    let bottom = TOP + ROW * bars.len() as f64;
    let height = bottom + 50.0;

    let mut svg = String::new();
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13" fill="{TEXT}" role="img">"#
    )?;
    writeln!(svg, "<title>Instructions of one happy GET over bare reqwest, in percent</title>")?;
    legend(&mut svg)?;
    for mark in 0..=4 {
        let value = most / 4.0 * f64::from(mark);
        let x = LEFT + value * scale;
        writeln!(
            svg,
            r#"<line x1="{x:.1}" y1="{TOP}" x2="{x:.1}" y2="{bottom}" stroke="{LINE}" stroke-opacity="0.35"/>"#
        )?;
        writeln!(svg, r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{value:.1} %</text>"#, bottom + 18.0)?;
    }
    for (number, bar) in bars.iter().enumerate() {
        let y = TOP + ROW * number as f64 + 4.0;
        let weight = if bar.is_ours { "bold" } else { "normal" };
        writeln!(
            svg,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end" font-weight="{weight}">{}</text>"#,
            LEFT - 10.0,
            y + BAR + 4.0,
            bar.label.replace('&', "&amp;")
        )?;
        let colours = if bar.is_ours { OURS } else { PEERS };
        for (place, (percent, colour)) in percents(bar).into_iter().zip(colours).enumerate() {
            let y = y + (BAR + 1.0) * place as f64;
            let length = percent.max(0.0) * scale;
            writeln!(svg, r#"<rect x="{LEFT}" y="{y:.1}" width="{length:.1}" height="{BAR}" fill="{colour}"/>"#)?;
            let x = LEFT + length + 5.0;
            writeln!(svg, r#"<text x="{x:.1}" y="{:.1}" font-size="11">{percent:+.2} %</text>"#, y + BAR - 2.0)?;
        }
    }
    let (middle, below) = ((LEFT + WIDTH - RIGHT) / 2.0, bottom + 40.0);
    writeln!(
        svg,
        r#"<text x="{middle}" y="{below}" text-anchor="middle">instructions of one happy GET over bare reqwest, in percent</text>"#
    )?;
    writeln!(
        svg,
        r#"<line x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{bottom}" stroke="{LINE}"/>
<text transform="translate(16 {:.1}) rotate(-90)" text-anchor="middle">crate</text>
</svg>"#,
        (TOP + bottom) / 2.0
    )?;
    Ok(svg)
}

fn legend(svg: &mut String) -> Result<(), Error> {
    let entries = [
        (OURS[0], "ours, without limit"),
        (OURS[1], "ours, with limit"),
        (PEERS[0], "peers, without limit"),
        (PEERS[1], "peers, with limit"),
    ];
    for (place, (colour, text)) in entries.into_iter().enumerate() {
        let (x, y) = (LEFT + 190.0 * (place / 2) as f64, 16.0 + 22.0 * (place % 2) as f64);
        writeln!(svg, r#"<rect x="{x}" y="{y}" width="14" height="14" fill="{colour}"/>"#)?;
        writeln!(svg, r#"<text x="{}" y="{}">{text}</text>"#, x + 20.0, y + 12.0)?;
    }
    Ok(())
}
