//! What variants differ in, as it is spelled: kinds of jitter, and budgets.

use core::fmt;
use core::str::FromStr;

use retry_core::{Budget, Instant, Jitter, Judged, PolicyError, Ratio, Throttle, TokenBucket};

/// How waits are spread: `none`, `10%` (or, as `plan` has it, `proportional=0.1`), `full`, `equal` or `decorrelated`.
///
/// ```
/// use conformance::storm::Spread;
///
/// assert_eq!("10%".parse::<Spread>()?.to_string(), "10%");
/// assert!("ten".parse::<Spread>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread(pub Jitter);

impl Spread {
    const SPELLINGS: &str =
        "none, full, equal, decorrelated, or a share of 0% ..= 100%, such as 10% or proportional=0.1";
}

impl FromStr for Spread {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "none" => Jitter::None,
            "full" => Jitter::Full,
            "equal" => Jitter::Equal,
            "decorrelated" => Jitter::Decorrelated,
            _ => match percent(text).or_else(|| text.strip_prefix("proportional=")?.parse().ok()) {
                Some(share @ 0.0..=1.0) => Jitter::Proportional(share),
                _ => return Err(Self::SPELLINGS.into()),
            },
        }))
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Jitter::None => f.write_str("none"),
            Jitter::Full => f.write_str("full"),
            Jitter::Equal => f.write_str("equal"),
            Jitter::Decorrelated => f.write_str("decorrelated"),
            Jitter::Proportional(share) => write!(f, "{}%", hundredth(share)),
        }
    }
}

/// A budget before the first call. Each process of the fleet begins with one like it.
///
/// `none`; `10%`, the [`Ratio`] of 0.1 without a reserve; `20%+100`, with a reserve of 100 retries; `aws-2.0` and
/// `aws-2.1`, [`TokenBucket`]s, with another capacity as in `aws-2.1:50`; `throttle:10:0.1`, the [`Throttle`] of 10 tokens
/// that gets 0.1 back for each success.
///
/// ```
/// use conformance::storm::Fund;
///
/// assert_eq!("20%+100".parse::<Fund>()?.to_string(), "20%+100");
/// assert_eq!("120%".parse::<Fund>().unwrap_err(), "a share of 0.0 ..= 1.0 as ratio.share");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fund {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Unlimited,
    Ratio(Ratio),
    Bucket(TokenBucket),
    Throttle(Throttle),
}

impl Fund {
    const SPELLINGS: &str = "none, a share as 10% or 20%+100, aws-2.0, aws-2.1, aws-2.1:50, or throttle:10:0.1";
}

impl FromStr for Fund {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind =
            kind(text).ok_or(Self::SPELLINGS)?.map_err(|error| format!("{} as {}", error.bound(), error.field()))?;
        Ok(Self { name: text.into(), kind })
    }
}

impl fmt::Display for Fund {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Budget for Fund {
    fn reply(&mut self, reply: Judged, now: Instant) {
        match &mut self.kind {
            Kind::Unlimited => {}
            Kind::Ratio(budget) => budget.reply(reply, now),
            Kind::Bucket(budget) => budget.reply(reply, now),
            Kind::Throttle(budget) => budget.reply(reply, now),
        }
    }

    fn withdraw(&mut self, reply: Judged, now: Instant) -> Option<u32> {
        match &mut self.kind {
            Kind::Unlimited => Some(0),
            Kind::Ratio(budget) => budget.withdraw(reply, now),
            Kind::Bucket(budget) => budget.withdraw(reply, now),
            Kind::Throttle(budget) => budget.withdraw(reply, now),
        }
    }
}

/// The budget that `text` spells; `None` if it spells none.
fn kind(text: &str) -> Option<Result<Kind, PolicyError>> {
    let parts: Vec<&str> = text.split(':').collect();
    let bucket = |bucket: TokenBucket| Some(Ok(Kind::Bucket(bucket)));
    match parts[..] {
        ["none"] => Some(Ok(Kind::Unlimited)),
        ["aws-2.0"] => bucket(TokenBucket::aws_2_0()),
        ["aws-2.1"] => bucket(TokenBucket::aws_2_1()),
        ["aws-2.0", tokens] => bucket(TokenBucket::aws_2_0().capacity(tokens.parse().ok()?)),
        ["aws-2.1", tokens] => bucket(TokenBucket::aws_2_1().capacity(tokens.parse().ok()?)),
        ["throttle", max, ratio] => Some(Throttle::new(max.parse().ok()?, ratio.parse().ok()?).map(Kind::Throttle)),
        [share] => {
            let (share, reserve) = share.split_once('+').unwrap_or((share, "0"));
            Some(Ratio::new(percent(share)?, reserve.parse().ok()?).map(Kind::Ratio))
        }
        _ => None,
    }
}

fn percent(text: &str) -> Option<f64> {
    text.strip_suffix('%')?.trim_end().parse::<f64>().ok().map(|number| number / 100.0)
}

/// A share in percent, without what binary fractions add to it.
fn hundredth(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_and_others_are_told_what_would_be() {
        for text in ["none", "10%", "0.5%", "100%+7", "aws-2.0", "aws-2.1", "aws-2.0:5", "throttle:10:0.1"] {
            assert_eq!(text.parse::<Fund>().map(|fund| fund.to_string()), Ok(text.into()));
        }
        for text in ["", "ten", "10", "10%+", "10%+-1", "aws-2.2", "aws-2.0:", "throttle:10", "none:1", "throttle:a:b"]
        {
            assert_eq!(text.parse::<Fund>(), Err(Fund::SPELLINGS.into()), "{text}");
        }
        for (text, field) in [("101%", "ratio.share"), ("NaN%", "ratio.share"), ("throttle:0:1", "throttle.max")] {
            assert!(text.parse::<Fund>().is_err_and(|error| error.ends_with(field)), "{text}");
        }
        for text in ["none", "full", "equal", "decorrelated", "0%", "10%", "12.5%", "100%"] {
            assert_eq!(text.parse::<Spread>().map(|spread| spread.to_string()), Ok(text.into()));
        }
        assert_eq!("proportional=0.1".parse::<Spread>(), "10%".parse());
        for text in ["", "ten", "-1%", "101%", "NaN%", "%", "proportional", "proportional=2", "proportional=NaN"] {
            assert!(text.parse::<Spread>().is_err(), "{text}");
        }
    }
}
