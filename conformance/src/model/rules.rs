//! The model's rules one by one.

use core::iter;

use super::table::{code, judgement, may_repeat, single_send};
use super::waits::Draws;
use super::{Model, SECOND, bounds, budgets, header, policy, span};
use crate::json::{Bytes, Span};
use crate::rules::{Rules, Spent, Worst};
use crate::scenario::{Advice, Event, Random, Scenario, Settings};
use crate::trace::Why;
use crate::vectors::{self, Judgement, Rule};

impl Rules for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn refused(&self, settings: &Settings) -> Option<String> {
        policy::refused(settings).map(Into::into)
    }

    fn is_preset(&self, settings: &Settings, name: &str) -> Option<bool> {
        policy::preset(name).map(|preset| preset == *settings)
    }

    fn waits<'a>(&self, settings: &'a Settings, random: &'a Random) -> Box<dyn Iterator<Item = Span> + 'a> {
        let mut draws = Draws::new(settings, random);
        let retries = usize::try_from(settings.max_retries).unwrap_or(usize::MAX);
        Box::new(iter::repeat_with(move || span(draws.next().wait)).take(retries))
    }

    fn hint(&self, case: &vectors::RetryAfter) -> Option<Span> {
        let lines: Vec<_> = case.lines.iter().map(|line| line.0.as_slice()).collect();
        let dates: Vec<_> = case.dates.iter().map(|line| line.0.as_slice()).collect();
        let wall = case.wall.map(|wall| i128::from(wall.secs) * SECOND + i128::from(wall.nanos));
        header::asked(&lines, &dates, case.age, wall).map(span)
    }

    fn vendor(&self, case: &vectors::Vendor) -> (Option<Span>, Advice) {
        let lines = |lines: &'_ [Bytes]| lines.iter().map(|line| line.0.clone()).collect::<Vec<_>>();
        let hint = header::asked_in_millis(&lines(&case.waits)).map(span);
        (hint, header::word(case.status, &lines(&case.words)))
    }

    fn worst(&self, settings: &Settings, send: Span) -> Worst {
        bounds::worst(settings, send)
    }

    fn verdict(&self, settings: &Settings, event: Event) -> (Judgement, Option<&'static str>) {
        let code = match event {
            Event::Status(_) => None,
            Event::Failure(cause, _) => Some(code(cause)),
        };
        (judgement(settings, event), code)
    }

    fn again(&self, scenario: &Scenario) -> (Rule, Option<Why>) {
        match (single_send(scenario), may_repeat(scenario)) {
            (Some(why), _) => (Rule::Never, Some(why)),
            (None, rule) => (rule, None),
        }
    }

    fn budget(&self, case: &vectors::Budget) -> Result<Vec<Spent>, String> {
        budgets::spent(case)
    }
}
