//! A replay in words.

use core::fmt::{Display, Formatter, Result};
use core::time::Duration;

use retry_core::trace::{Answer, Decision, Difference, KEPT, Replayed, Reply, Sent, Trace, Wait};
use retry_core::{Advice, Event, Mode, Reached, Reason, Replay, Verdict, WaitSource, Why};

/// A trace and what came of its replay, as text.
pub(crate) struct Explained<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) replayed: &'a Replayed,
}

impl Display for Explained<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.head(f)?;
        let mut decisions = self.replayed.decisions.iter();
        for sent in &self.replayed.today.sends {
            write!(f, "\nsend {} at {:?}", sent.number, sent.at)?;
            if let Some(limit) = sent.limit {
                write!(f, ", cut at {limit:?} at the latest")?;
            }
            writeln!(f)?;
            match (sent.reply, decisions.next()) {
                (Some(reply), Some(decision)) => self.decision(f, sent, &reply, decision)?,
                (None, _) | (Some(_), None) => line(f, "reply", "none: the call was over before")?,
            }
            self.differing(f, |difference| difference.send == Some(sent.number))?;
        }
        let shown = self.replayed.today.sends.last().map_or(0, |sent| sent.number);
        self.end(f)?;
        self.differing(f, |difference| difference.send.is_none_or(|number| number > shown))?;
        match self.replayed.differences().len() {
            0 => writeln!(f, "\nAll decisions are the recorded ones."),
            1 => writeln!(f, "\nOne value differs from the record."),
            more => writeln!(f, "\n{more} values differ from the record."),
        }
    }
}

impl Explained<'_> {
    fn head(&self, f: &mut Formatter<'_>) -> Result {
        let policy = &self.trace.policy;
        writeln!(
            f,
            "policy: {}, from {:?} by {} up to {:?}, jitter {:?}, total limit {}, limit of a send {}",
            counted(policy.max_retries(), "retry", "retries"),
            policy.base_delay(),
            policy.factor(),
            policy.max_delay(),
            policy.jitter(),
            or_none(policy.total_timeout()),
            or_none(policy.attempt_timeout()),
        )?;
        let again = match self.trace.replay {
            Replay::Always => "may go out again",
            Replay::IfUnsent => "may go out again if it was not processed",
            Replay::Once(why) => once(why),
        };
        writeln!(f, "call:   the request {again}; deadline {}; seed {}", or_none(self.trace.deadline), self.trace.seed)
    }

    fn decision(&self, f: &mut Formatter<'_>, sent: &Sent, reply: &Reply, decision: &Decision) -> Result {
        let took = reply.at.saturating_sub(sent.at);
        let proxy = reply.proxy.map(|place| format!(", by proxy {place}")).unwrap_or_default();
        line(f, "reply", format_args!("{} after {took:?}{proxy}", Told(reply.event)))?;
        line(f, "rule", self.rule(reply, decision))?;
        if let Some(drawn) = decision.drawn {
            let (Decision { computed, .. }, (low, high)) = (decision, decision.window);
            line(f, "delay", format_args!("computed {computed:?}, window {low:?} ..= {high:?}, drawn {drawn:?}"))?;
        }
        if let Some(hint) = reply.hint {
            let hints = self.trace.policy.retry_after();
            let mode = match hints.mode {
                Mode::Replace => "replaces the drawn delay",
                Mode::AtLeast => "holds if it is longer than the drawn delay",
                Mode::Ignore => "is ignored",
            };
            let spread = if hints.spread > 0.0 { format!(", spread {}", hints.spread) } else { String::new() };
            line(f, "hint", format_args!("{hint:?}, cap {:?}{spread}; it {mode}", hints.cap))?;
        }
        let asked = reply.budget;
        let level = |level: Option<u64>| level.map_or("no limit".into(), |left| left.to_string());
        // A trace does not tell the kind of its budget.
        let levels = format!("left, in its own unit: {} -> {}", level(asked.before), level(asked.after));
        match (asked.answer, asked.before.or(asked.after)) {
            (Some(Answer::Refused), _) => line(f, "budget", format_args!("{levels}, refused"))?,
            (Some(Answer::Granted(0)), Some(_)) => line(f, "budget", format_args!("{levels}, granted"))?,
            (Some(Answer::Granted(paid)), Some(_)) => line(f, "budget", format_args!("{levels}, granted for {paid}"))?,
            (None, Some(_)) => line(f, "budget", format_args!("{levels}, not asked"))?,
            (Some(Answer::Granted(_)) | None, None) => {}
        }
        if let Some(remaining) = decision.remaining {
            let total = self.trace.policy.total_timeout().into_iter().chain(self.trace.deadline).min();
            line(f, "time", format_args!("{remaining:?} left of {}", or_none(total)))?;
        }
        match reply.wait {
            Some(Wait { lasts, source, .. }) => {
                let until = reply.at.saturating_add(lasts);
                line(f, "so", format_args!("wait {lasts:?} ({}), until {until:?}", whose(source)))
            }
            None => line(f, "so", "the call ends"),
        }
    }

    /// Which rule decided.
    fn rule(&self, reply: &Reply, decision: &Decision) -> String {
        let policy = &self.trace.policy;
        let event = Told(reply.event);
        let worth = match decision.verdict {
            _ if reply.untried.is_some() => format!("{event} came from a proxy, and another is left to try"),
            Verdict::Retry => match reply.event {
                Event::Status(status) => format!("{status} is a status that the policy retries"),
                Event::Failure(_) => format!("{event} is worth another send"),
            },
            Verdict::Answer => format!("{event} is an answer"),
            Verdict::Fail => format!("{event} would only come again"),
        };
        let Some(end) = decision.end else {
            return match reply.advice {
                Advice::Keep | Advice::Stop => worth,
                Advice::Retry => format!("{worth}; the custom policy says retry"),
                Advice::RetryAfter(wait) => format!("{worth}; the custom policy says retry after {wait:?}"),
            };
        };
        let then = match end.reason {
            Reason::NotRepeatable(why) => format!("; the request {}", once(why)),
            Reason::Advised => "; the custom policy does not say retry".into(),
            Reason::RetriesExhausted => match policy.max_retries() {
                0 => "; there are no retries".into(),
                1 => "; the one retry is used".into(),
                all => format!("; all {all} retries are used"),
            },
            Reason::TotalTimeout if decision.drawn.is_some() => "; the wait would reach the limit of the call".into(),
            Reason::TotalTimeout => "; the limit of the call has passed".into(),
            Reason::RetryAfterTooLong => {
                format!("; the server asks for more than the cap of {:?}", policy.retry_after().cap)
            }
            Reason::BudgetSpent => "; the budget refuses it".into(),
            // The table's word was the last one.
            _ => String::new(),
        };
        worth + &then
    }

    fn end(&self, f: &mut Formatter<'_>) -> Result {
        let today = &self.replayed.today;
        if today.dropped > 0 {
            let were = if today.dropped == 1 { "send was" } else { "sends were" };
            writeln!(f, "\n{} more {were} not kept: a trace has the first {KEPT}", today.dropped)?;
        }
        let Some(end) = today.end else {
            let why = if self.trace.end.is_some() { "the call would go on" } else { "the record ends here" };
            return writeln!(f, "\nend: none, {why}");
        };
        write!(f, "\nend: {} after {} in {:?}", end.reason, counted(end.attempts, "send", "sends"), end.elapsed)?;
        if let Some(event) = end.event {
            write!(f, ", with {}", Told(event))?;
        }
        writeln!(f)
    }

    fn differing(&self, f: &mut Formatter<'_>, which: impl Fn(&Difference) -> bool) -> Result {
        let mut differences = self.replayed.differences().iter().filter(|difference| which(difference));
        differences.try_for_each(|difference| writeln!(f, "  DIFFERS {difference}"))
    }
}

/// What came back, with what is known of its way.
struct Told(Event);

impl Display for Told {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Event::Status(status) => status.fmt(f),
            Event::Failure(failure) => {
                let reached = match failure.reached {
                    Reached::Unsent => "not processed",
                    Reached::MaybeSent => "maybe processed",
                };
                write!(f, "{} ({:?}, {reached})", failure.kind(), failure.cause)
            }
        }
    }
}

fn line(f: &mut Formatter<'_>, name: &str, what: impl Display) -> Result {
    writeln!(f, "  {name:<7} {what}")
}

/// A number and what it counts.
fn counted(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn or_none(time: Option<Duration>) -> String {
    time.map_or("none".into(), |time| format!("{time:?}"))
}

fn once(why: Why) -> &'static str {
    match why {
        Why::Body => "goes out once: its body cannot be produced again",
        Why::Method => "goes out once: its method is not idempotent",
        Why::RetriesOff => "goes out once: there are no retries",
    }
}

fn whose(source: WaitSource) -> &'static str {
    match source {
        WaitSource::Computed => "the drawn delay",
        WaitSource::RetryAfter => "the server's",
        WaitSource::Custom => "the custom policy's own",
        WaitSource::Proxy => "the next proxy's",
        _ => "another source",
    }
}
