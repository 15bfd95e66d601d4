//! Plans as pictures: when the sends of a call can begin, and how the waits are spread.

use conformance::svg::{Anchor, Axis, Frame, Plot, Style, Svg, Text, legend};

use crate::calls::nanos;
use crate::plan::Plan;
use crate::rows::Row;
use crate::span::{UNITS, human, range, span};
use crate::warnings::SLOT;

/// How many retries a picture has room for.
const RETRIES: usize = 10;

/// How wide the picture of one plan is, and how high, in pixels.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 600.0;

/// The looks of one retry after the other.
const STYLES: [Style; 3] = [Style::FIRST, Style::SECOND, Style::THIRD];

/// What lies between the earliest and the latest moment of a send; lighter in grey than the mark of the mean.
const BAR: &str = "#9ecae1";
const MEAN: Style = Style { width: 2.5, ..Style::FIRST };

/// The picture of all plans, from left to right.
pub(crate) fn draw(plans: &[Plan]) -> String {
    let told: Vec<String> = plans.iter().map(told).collect();
    let mut svg = Svg::new(WIDTH * plans.len() as f64, HEIGHT, &told.join(" "));
    for (place, plan) in plans.iter().enumerate() {
        let left = WIDTH * place as f64 + 70.0;
        svg.text((left, 26.0), &title(plan), Text { size: 15.0, bold: true, ..Text::default() });
        sends(&mut svg, left, plan, plans);
        waits(&mut svg, left, plan, plans);
    }
    svg.finish()
}

/// What the picture shows of a plan, for who cannot see it.
fn told(plan: &Plan) -> String {
    let send = |row: &Row| format!("; send {} begins after {}", row.number.saturating_add(1), range(row.start));
    format!("The retries of {}{}.", title(plan), drawn(plan).iter().map(send).collect::<String>())
}

fn title(plan: &Plan) -> String {
    match plan.rows.len() {
        0 => format!("{}: one send, no retries", plan.name),
        all if all > RETRIES => format!("{}: the first {RETRIES} of {} retries", plan.name, plan.policy.max_retries()),
        _ => plan.name.clone(),
    }
}

/// What is drawn of a plan.
fn drawn(plan: &Plan) -> &[Row] {
    &plan.rows[..plan.rows.len().min(RETRIES)]
}

/// The total limit, unless it would leave no room for what comes before it.
fn limit(plan: &Plan) -> Option<f64> {
    let latest = drawn(plan).last().map_or(0, |row| row.start.1);
    plan.policy.total_timeout().map(nanos).filter(|limit| *limit <= latest.saturating_mul(2)).map(|limit| limit as f64)
}

/// When each send can begin: a bar from the earliest to the latest moment, and a mark at the mean.
fn sends(svg: &mut Svg, left: f64, plan: &Plan, plans: &[Plan]) {
    // All plans have the same axes.
    let starts = plans.iter().filter_map(|plan| drawn(plan).last().map(|row| row.start.1 as f64));
    let end = starts.chain(plans.iter().filter_map(limit)).fold(0.0, f64::max) * 1.02;
    let count = plans.iter().map(|plan| drawn(plan).len()).max().unwrap_or(0) as f64 + 1.0;
    let (unit, name) = unit(end);
    let frame = Frame { left, top: 70.0, width: WIDTH - 100.0, height: 190.0 };
    let y = Axis::new(0.4, count + 0.6);
    let plot = Plot { x_ticks: 8, y_ticks: count as u32 + 1, ..Plot::new(frame, Axis::up_to(end / unit, 8), y) };
    plot.axes(svg, &format!("time since the call began ({name})"), "send");

    plot.line(svg, &[(0.0, 0.65), (0.0, 1.35)], MEAN);
    for row in drawn(plan) {
        let number = f64::from(row.number) + 1.0;
        let (left, top) = plot.at(row.start.0 as f64 / unit, number + 0.3);
        let (right, bottom) = plot.at(row.start.1 as f64 / unit, number - 0.3);
        svg.rect(Frame { left, top, width: right - left, height: bottom - top }, BAR, 1.0);
        let mean = row.expected_start / unit;
        plot.line(svg, &[(mean, number - 0.35), (mean, number + 0.35)], MEAN);
    }
    let wide = Style { colour: BAR, width: 12.0, dash: "" };
    let mut lines = vec![(wide, "earliest to latest".to_owned()), (MEAN, "mean".to_owned())];
    match (limit(plan), plan.policy.total_timeout()) {
        (Some(limit), _) => {
            plot.mark(svg, limit / unit, Style::LIMIT);
            lines.push((Style::LIMIT, format!("total limit, {}", human(limit))));
        }
        (None, Some(limit)) => {
            let words = format!("total limit: {}, beyond the picture", span(nanos(limit)));
            svg.text((frame.right(), 52.0), &words, Text { anchor: Anchor::End, ..Text::default() });
        }
        (None, None) => {}
    }
    let lines: Vec<_> = lines.iter().map(|(style, name)| (*style, name.as_str())).collect();
    legend(svg, (left, 52.0), &lines);
}

/// The density of each wait: of the clients, the share whose wait ends within one slot.
fn waits(svg: &mut Svg, left: f64, plan: &Plan, plans: &[Plan]) {
    let all = || plans.iter().flat_map(drawn);
    let longest = all().map(|row| row.window.1).max().unwrap_or(0) as f64 * 1.02;
    let (unit, name) = unit(longest);
    let highest = all().flat_map(|row| density(row, unit)).map(|(_, share)| share).fold(0.0, f64::max);
    let frame = Frame { left, top: 360.0, width: WIDTH - 100.0, height: 186.0 };
    let plot = Plot { x_ticks: 8, ..Plot::new(frame, Axis::up_to(longest / unit, 8), Axis::up_to(highest, 5)) };
    plot.axes(svg, &format!("length of the wait ({name})"), &format!("% of clients per {}", span(SLOT)));

    let mut groups = alike(drawn(plan));
    let is_chained = drawn(plan).iter().any(|row| row.drawn.is_some());
    let mut words = "How the waits are spread, with the numbers of their retries".to_owned();
    if is_chained && groups.len() > 4 {
        // They come closer and closer to each other.
        let hidden = groups.drain(3..groups.len() - 1).flatten().map(|row| row.number).collect::<Vec<_>>();
        words += &match hidden[..] {
            [one] => format!("; {one} lies between"),
            _ => format!("; {} to {} lie between", hidden[0], hidden[hidden.len() - 1]),
        };
    }
    svg.text((left, 338.0), &words, Text::default());
    for (group, style) in groups.into_iter().zip(STYLES.into_iter().cycle()) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let curve = density(first, unit);
        plot.line(svg, &curve, style);
        let name =
            if group.len() > 1 { format!("{} to {}", first.number, last.number) } else { first.number.to_string() };
        let (at, anchor) = if is_chained {
            let (x, y) = plot.at(curve[1].0, curve[1].1);
            ((x - 5.0, y + 4.0), Anchor::End)
        } else {
            let end = curve[curve.len() - 2];
            let (x, y) = plot.at(end.0, end.1);
            ((x, y - 5.0), Anchor::Middle)
        };
        svg.text(at, &name, Text { bold: true, anchor, ..Text::default() });
    }
}

/// Retries in a row that wait alike, and so are one curve.
fn alike(rows: &[Row]) -> Vec<&[Row]> {
    rows.chunk_by(|one, other| one.window == other.window && one.drawn == other.drawn).collect()
}

/// The corners of a density, from zero to zero; shares in per cent.
fn density(row: &Row, unit: f64) -> Vec<(f64, f64)> {
    let (low, high) = (row.window.0 as f64, row.window.1 as f64);
    let shares: &[f64] = row.drawn.as_ref().map_or(&[1.0], |drawn| &drawn.shares);
    let part = row.values() / shares.len() as f64;
    // All that lies in a window narrower than a slot falls into one.
    let slot = row.values().min(SLOT as f64);
    let mut corners = vec![(low / unit, 0.0)];
    for (place, share) in shares.iter().enumerate() {
        let from = low + part * place as f64;
        let share = 100.0 * share * slot / part;
        corners.extend([(from / unit, share), ((from + part).min(high) / unit, share)]);
    }
    corners.push((high / unit, 0.0));
    corners
}

/// How many nanoseconds the unit of an axis has that ends at `nanos`, and its name.
fn unit(nanos: f64) -> (f64, &'static str) {
    // Ten of a unit at least, or it would be read in fractions; but seconds are for everyone.
    let fits = |(size, name): &&(f64, &str)| nanos >= 10.0 * size || *name == "s" && nanos >= 2.0 * size;
    let smallest = if nanos > 0.0 { (1.0, "ns") } else { (1e9, "s") };
    UNITS.iter().find(fits).copied().unwrap_or(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::time::Duration;
    use retry_core::{Jitter, Policy};

    fn plan(base: u64, jitter: Jitter) -> Plan {
        let policy = Policy::MICROSERVICE.edit().base_delay(Duration::from_millis(base)).jitter(jitter);
        Plan::new("test".into(), policy.build().unwrap(), Duration::ZERO, 20)
    }

    /// The share under a curve whose corners are given in slots.
    fn area(curve: &[(f64, f64)]) -> f64 {
        curve.windows(2).map(|corners| (corners[1].0 - corners[0].0) * (corners[0].1 + corners[1].1) / 2.0).sum()
    }

    #[test]
    fn the_area_under_each_curve_is_all_clients() {
        for jitter in [Jitter::Proportional(0.5), Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
            for base in [200, 1_000, 5_000] {
                for row in &plan(base, jitter).rows {
                    let area = area(&density(row, SLOT as f64));
                    assert!((area - 100.0).abs() < 0.01, "{jitter:?}, {base} ms, retry {}: {area} %", row.number);
                }
            }
        }
    }

    #[test]
    fn short_decorrelated_waits_have_their_heights() {
        let rows = plan(100, Jitter::Decorrelated).rows;
        // The wait before lies evenly in 100 to 300 ms, and this one evenly between 100 ms and three times as much:
        // near 100 ms the density is the mean of 1 / (3w - 100), which is ln(800 / 200) / 600 a millisecond.
        let start = density(&rows[1], SLOT as f64)[1].1;
        assert!((start - 100.0 * 4.0_f64.ln() / 6.0).abs() < 1.0, "{start} %");
    }

    #[test]
    fn a_window_within_one_slot_is_in_it() {
        for jitter in [Jitter::None, Jitter::Proportional(0.1)] {
            assert_eq!(density(&plan(100, jitter).rows[0], 1.0)[1].1, 100.0, "{jitter:?}");
        }
    }
}
