//! The core's rules one by one.

use core::iter;

use retry_core::{Action, Attempt, Instant, Outcome, Policy, UnixTime, Unlimited, retry_after, vendor};

use super::{Words, budgets, convert};
use crate::json::Span;
use crate::rules::{Rules, Spent, Worst};
use crate::scenario::{Advice, Event, Random, Scenario, Settings};
use crate::trace::Why;
use crate::vectors::{self, Judgement, Rule};

/// The core, part by part.
///
/// Apart from [`refused`](Rules::refused) and [`is_preset`](Rules::is_preset), all of it panics for settings that no
/// policy can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Core;

impl Rules for Core {
    fn name(&self) -> &'static str {
        "core"
    }

    fn refused(&self, settings: &Settings) -> Option<String> {
        convert::builder(settings).build().err().map(|error| error.field().to_owned())
    }

    fn is_preset(&self, settings: &Settings, name: &str) -> Option<bool> {
        let preset = match name {
            "API" => Policy::API,
            "MICROSERVICE" => Policy::MICROSERVICE,
            "DOWNLOAD" => Policy::DOWNLOAD,
            "HIGH_THROUGHPUT" => Policy::HIGH_THROUGHPUT,
            "NONE" => Policy::NONE,
            _ => return None,
        };
        Some(convert::builder(settings).build() == Ok(preset))
    }

    fn waits<'a>(&self, settings: &'a Settings, random: &'a Random) -> Box<dyn Iterator<Item = Span> + 'a> {
        let mut words = Words::new(random);
        let mut action = Some(Attempt::start(policy(settings), retry_core::Replay::Always, None, Instant::EPOCH));
        Box::new(iter::from_fn(move || {
            let Some(Action::Send(attempt)) = action.take() else { return None };
            let now = attempt.sent_at();
            let Action::Wait(pause) = attempt.finish(Outcome::status(503), now, &mut Unlimited, &mut words) else {
                return None;
            };
            let (wait, until) = (pause.duration(), pause.until());
            action = Some(pause.resume(until));
            Some(wait.into())
        }))
    }

    fn hint(&self, case: &vectors::RetryAfter) -> Option<Span> {
        let wall = case.wall.map(|wall| UnixTime::new(wall.secs, wall.nanos));
        let dates = case.dates.iter().map(|line| line.0.as_slice());
        let reference = retry_after::reference(dates, case.age, || wall);
        retry_after::hint(case.lines.iter().map(|line| line.0.as_slice()), reference).map(Span::from)
    }

    fn vendor(&self, case: &vectors::Vendor) -> (Option<Span>, Advice) {
        let hint = vendor::hint(case.waits.iter().map(|line| line.0.as_slice())).map(Span::from);
        let advice = match vendor::advice(case.status, case.words.iter().map(|line| line.0.as_slice())) {
            retry_core::Advice::Keep => Advice::Keep,
            retry_core::Advice::Retry => Advice::Retry,
            retry_core::Advice::RetryAfter(wait) => Advice::RetryAfter(wait.into()),
            retry_core::Advice::Stop => Advice::Stop,
        };
        (hint, advice)
    }

    fn worst(&self, settings: &Settings, send: Span) -> Worst {
        let policy = policy(settings);
        Worst {
            sends: policy.max_sends(),
            nominal: policy.nominal_waits().into(),
            waits: policy.max_waits().into(),
            waits_with_hints: policy.max_waits_with_hints().into(),
            total: policy.max_total().map(Span::from),
            needed: policy.time_needed(send.into()).into(),
        }
    }

    fn verdict(&self, settings: &Settings, event: Event) -> (Judgement, Option<&'static str>) {
        let event = convert::event(event);
        let verdict = match retry_core::Verdict::of(event, &policy(settings)) {
            retry_core::Verdict::Answer => Judgement::Answer,
            retry_core::Verdict::Retry => Judgement::Retry,
            retry_core::Verdict::Fail => Judgement::Fail,
        };
        match event {
            retry_core::Event::Failure(failure) => (verdict, Some(failure.kind().code())),
            retry_core::Event::Status(_) => (verdict, None),
        }
    }

    fn again(&self, scenario: &Scenario) -> (Rule, Option<Why>) {
        let replay = convert::replay(scenario);
        let why = replay.single_send(scenario.settings().max_retries);
        let rule = match (why, replay) {
            (Some(_), _) | (None, retry_core::Replay::Once(_)) => Rule::Never,
            (None, retry_core::Replay::IfUnsent) => Rule::IfUnsent,
            (None, retry_core::Replay::Always) => Rule::Always,
        };
        (rule, why.map(convert::why))
    }

    fn budget(&self, case: &vectors::Budget) -> Result<Vec<Spent>, String> {
        budgets::spent(case).map_err(|error| error.field().to_owned())
    }
}

fn policy(settings: &Settings) -> Policy {
    let policy = convert::builder(settings).build();
    policy.unwrap_or_else(|error| panic!("no policy has these settings: {error}"))
}
