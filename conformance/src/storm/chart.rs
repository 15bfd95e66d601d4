//! A report as a picture: one small plot for each variant, all with the same axes.

use super::report::{Recovery, Report, Variant};
use super::scenario::Scenario;
use super::table::{counted, is_at_once};
use crate::svg::{Anchor, Axis, Frame, Plot, Style, Svg, Text, legend};

const LEFT: f64 = 70.0;
const TOP: f64 = 118.0;
/// The height of one plot, and the room beside and below it, in pixels.
const HEIGHT: f64 = 150.0;
const GAP: (f64, f64) = (46.0, 66.0);
const OUTAGE: &str = "#e6e6e6";
/// From this many times the capacity on, a linear axis would press all else to the ground.
const LOG_FROM: f64 = 5.0;

/// Offered load and goodput over time: budgets one below the other, kinds of jitter side by side.
pub fn draw(report: &Report) -> String {
    let scenario = &report.scenario;
    let (columns, rows) = (scenario.jitters.len(), scenario.budgets.len());
    let width = match columns {
        1 => 684.0,
        2 => 330.0,
        3 => 270.0,
        _ => 210.0,
    };
    let title = format!("{}: offered load and goodput over time", scenario.name);
    let right = LEFT + columns as f64 * (width + GAP.0);
    // For who cannot see it, what the panels are headed with.
    let told = report.variants.iter().map(|variant| format!("; {}: {}", name(variant), outcome(scenario, variant)));
    let alt = format!("{title}{}", told.collect::<String>());
    let mut svg = Svg::new(right, TOP + rows as f64 * (HEIGHT + GAP.1), &alt);
    let (x, y) = axes(report);
    head(&mut svg, scenario, &title);
    if y.is_log() {
        let note = Text { anchor: Anchor::End, ..Text::default() };
        svg.text((right - GAP.0, 24.0), "zero lies on the axis", note);
    }
    for (place, variant) in report.variants.iter().enumerate() {
        let (row, column) = (place / columns, place % columns);
        let left = LEFT + column as f64 * (width + GAP.0);
        let frame = Frame { left, top: TOP + row as f64 * (HEIGHT + GAP.1), width, height: HEIGHT };
        let plot = Plot::new(frame, x, y);
        let x_name = if row + 1 == rows { "time (s)" } else { "" };
        let y_name = match (column, y.is_log()) {
            (0, false) => "per second",
            (0, true) => "per second (log)",
            _ => "",
        };
        let [from, to] = [scenario.outage.at, scenario.outage.end()].map(|at| at.as_secs_f64().min(x.high()));
        plot.stripe(&mut svg, from, to, OUTAGE, 1.0);
        plot.axes(&mut svg, x_name, y_name);
        panel(&mut svg, &plot, scenario, variant);
    }
    svg.finish()
}

fn head(svg: &mut Svg, scenario: &Scenario, title: &str) {
    svg.text((LEFT, 24.0), title, Text { size: 15.0, bold: true, ..Text::default() });
    let Scenario { clients, load, capacity, layers, policy, .. } = scenario;
    let layers = if *layers == 1 { String::new() } else { format!(" in each of {layers} layers") };
    let clients = counted((*clients).into(), "client begins", "clients begin");
    let sends = counted(policy.max_retries().saturating_add(1).into(), "send", "sends");
    let told = format!("{clients} {load} calls/s; the server serves {capacity} sends/s; up to {sends} a call{layers}");
    svg.text((LEFT, 44.0), &told, Text::default());
    let lines = [
        (Style::FIRST, "offered load (sends/s)"),
        (Style::SECOND, "goodput (calls/s)"),
        (Style::LIMIT, "capacity (sends/s)"),
        (Style { colour: OUTAGE, width: 12.0, dash: "" }, "outage"),
    ];
    legend(svg, (LEFT, 68.0), &lines);
}

/// The axes that all plots share.
fn axes(report: &Report) -> (Axis, Axis) {
    let scenario = &report.scenario;
    // Up to the end of the load, unless the outage ends later.
    let end = if goes_on(scenario) {
        scenario.duration.as_secs_f64()
    } else {
        report.variants.iter().map(|variant| variant.end).fold(0.0, f64::max)
    };
    let peak = report.variants.iter().map(|variant| variant.peak).fold(scenario.capacity, f64::max);
    let lowest = scenario.capacity.min(scenario.load) / 10.0;
    let y = if peak > LOG_FROM * scenario.capacity { Axis::log(lowest, peak) } else { Axis::up_to(peak, 5) };
    (Axis::new(0.0, end), y)
}

fn panel(svg: &mut Svg, plot: &Plot, scenario: &Scenario, variant: &Variant) {
    plot.level(svg, scenario.capacity, Style::LIMIT);
    let step = scenario.step.as_secs_f64();
    plot.line(svg, &stairs(&variant.offered, step, plot.x.high()), Style::FIRST);
    plot.line(svg, &stairs(&variant.goodput, step, plot.x.high()), Style::SECOND);
    let middle = plot.frame.left + plot.frame.width / 2.0;
    let look = Text { anchor: Anchor::Middle, bold: true, ..Text::default() };
    svg.text((middle, plot.frame.top - 21.0), &name(variant), look);
    let small = Text { size: 10.5, bold: false, ..look };
    svg.text((middle, plot.frame.top - 7.0), &outcome(scenario, variant), small);
}

fn name(variant: &Variant) -> String {
    format!("budget {}, jitter {}", variant.budget, variant.jitter)
}

fn outcome(scenario: &Scenario, variant: &Variant) -> String {
    let failed = 100.0 * variant.failed as f64 / variant.calls.max(1) as f64;
    match variant.recovery {
        Recovery::After(seconds) => {
            let does = if goes_on(scenario) { "recovers" } else { "ends" };
            let when = if is_at_once(seconds) { "at once".into() } else { format!("after {seconds:.1} s") };
            format!("{does} {when}, {failed:.0} % of calls fail")
        }
        Recovery::Not { .. } => format!("does not recover, {failed:.0} % of calls fail"),
        Recovery::Unanswered => "no call is answered".into(),
    }
}

/// Whether calls are begun after the outage, too.
fn goes_on(scenario: &Scenario) -> bool {
    scenario.duration > scenario.outage.end()
}

/// A series as a line of stairs up to `end`; nothing happens after its last step.
fn stairs(series: &[f64], step: f64, end: f64) -> Vec<(f64, f64)> {
    let corners = |(place, value): (usize, &f64)| {
        let from = place as f64 * step;
        [(from, *value), ((from + step).min(end), *value)]
    };
    let shown = series.iter().enumerate().take_while(|(place, _)| (*place as f64) * step < end);
    let over = (series.len() as f64 * step).min(end);
    let rest = [(over, 0.0), (end, 0.0)].into_iter().filter(|_| over < end);
    shown.flat_map(corners).chain(rest).collect()
}
