//! Bounds on the change of a metric.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::stats::Number;
use crate::{Change, Comparison, FUNCTION, LuckChange, LuckKind, Pair, Record, Statistic, Unit};

/// The probability below which a difference of noisy means is taken for real, over all of a comparison together.
pub const SIGNIFICANT: f64 = 0.05;

/// The end of a bound that luck of placement does not break.
const BEYOND_LUCK: &str = "beyond luck";

/// A bound on how a metric may change: `cycles>+1%`, `switch/switch.above_floor>+2`, `latency.* max>500`,
/// `response>+1% beyond luck`, `vanished`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// A metric that only the earlier file has.
    Vanished,
    /// A figure beyond a limit.
    Limit {
        experiment: Option<String>,
        what: What,
        statistic: Option<Statistic>,
        above: bool,
        amount: Amount,
        luck: bool,
    },
}

/// The metrics of a bound.
#[derive(Clone, Debug, PartialEq)]
enum What {
    /// All of a unit.
    Unit(Unit),
    /// Those of a name, in which `*` stands for any characters.
    Metric(String),
}

/// The amount of a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    /// A change in percent of what it was.
    Percent(f64),
    /// A change in the metric's unit.
    Change(f64),
    /// The new value, in the metric's unit.
    Value(f64),
}

/// Why a text is no bound.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{text}` is no bound: {why}. Write a metric or a unit, > or <, and an amount, as in `cycles > +1%`, \
     `button/latency.* max > 420` or `flash < -20`; or the word `vanished`"
)]
pub struct BoundError {
    text: String,
    why: &'static str,
}

/// A bound that was broken, and by what.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach<'c> {
    /// The bound.
    pub bound: &'c Bound,
    /// The record now; for `vanished` the one that was.
    pub record: &'c Record,
    /// The change; none for `vanished`.
    pub change: Option<Change>,
    /// The probability that noise alone does that, corrected for all questions asked; none where figures are exact.
    pub chance: Option<f64>,
}

/// The verdict of bounds on a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict<'c> {
    /// The broken bounds, bound by bound in the comparison's order.
    pub breaches: Vec<Breach<'c>>,
    /// Bounds that speak of nothing in the comparison.
    pub idle: Vec<&'c Bound>,
    /// Figures beyond a bound that may be noise: how many.
    pub noise: usize,
}

/// Returns the verdict of `bounds` on `comparison`.
///
/// An exact figure breaks a bound as soon as it is beyond it. A noisy one also has to differ from what it was by more than
/// noise: [`Pair::chance`] below [`SIGNIFICANT`], corrected for all noisy pairs of the comparison. A limit that is no change
/// (`ns>420`) asks that of the mean too.
pub fn judge<'c>(bounds: &'c [Bound], comparison: &'c Comparison<'_>) -> Verdict<'c> {
    let (chances, lucky) = (comparison.chances(), comparison.luck());
    let mut verdict = Verdict::default();
    for bound in bounds {
        let mut idle = true;
        match &bound.kind {
            Kind::Vanished => {
                idle = false;
                // Functions come and go by the compiler's leave.
                let vanished = comparison.vanished.iter().filter(|record| record.metric != FUNCTION);
                let broken = |record: &&'c Record| Breach { bound, record, change: None, chance: None };
                verdict.breaches.extend(vanished.map(broken));
            }
            Kind::Limit { experiment, what, statistic, above, amount, luck } => {
                let speaks = |record: &Record| {
                    experiment.as_ref().is_none_or(|name| *name == record.experiment) && what.is(record)
                };
                if *luck {
                    for change in
                        lucky.iter().filter(|change| speaks(change.pair.new) && stands_for(change, *statistic))
                    {
                        idle = false;
                        judge_luck(&mut verdict, bound, change, |change| amount.is_beyond(change, *above));
                    }
                    if idle {
                        verdict.idle.push(bound);
                    }
                    continue;
                }
                for (pair, chance) in comparison.pairs.iter().zip(&chances).filter(|(pair, _)| speaks(pair.new)) {
                    idle = false;
                    let Some(change) = chosen(pair, *statistic).filter(|change| amount.is_beyond(change, *above))
                    else {
                        continue;
                    };
                    if pair.is_exact() || chance.is_some_and(|chance| chance < SIGNIFICANT) {
                        let change = Some(change);
                        verdict.breaches.push(Breach { bound, record: pair.new, change, chance: *chance });
                    } else {
                        verdict.noise += 1;
                    }
                }
            }
        }
        if idle {
            verdict.idle.push(bound);
        }
    }
    verdict
}

/// Tells if the figures of `change` are of `statistic`, if one is asked for.
fn stands_for(change: &LuckChange<'_>, statistic: Option<Statistic>) -> bool {
    let of = change.pair.new.params.get("statistic").map(ToString::to_string);
    statistic.is_none_or(|statistic| of.as_deref() == Some(statistic.name()))
}

/// Adds what `change` does to `bound`: its means over layouts, if these differ by more than luck.
fn judge_luck<'c>(
    verdict: &mut Verdict<'c>,
    bound: &'c Bound,
    luck: &LuckChange<'c>,
    is_beyond: impl Fn(&Change) -> bool,
) {
    let mean = |mean: f64| Number::real(mean).unwrap_or(Number::ZERO);
    let change = Change { statistic: Statistic::Mean, old: mean(luck.means.0), new: mean(luck.means.1) };
    if !is_beyond(&change) {
        return;
    }
    if matches!(luck.kind(), LuckKind::Regression | LuckKind::Improvement) {
        let (record, chance) = (luck.pair.new, Some(luck.chance));
        verdict.breaches.push(Breach { bound, record, change: Some(change), chance });
    } else {
        verdict.noise += 1;
    }
}

/// The estimate a bound speaks of: the one named, else the only one or the mean.
fn chosen(pair: &Pair<'_>, statistic: Option<Statistic>) -> Option<Change> {
    let wanted = |change: &Change| match statistic {
        Some(statistic) => change.statistic == statistic,
        None => matches!(change.statistic, Statistic::Value | Statistic::Mean),
    };
    let estimates = pair.estimates();
    // Of one value all statistics but the count are that value.
    let only = |statistic| statistic != Some(Statistic::Samples);
    let alone = estimates.first().filter(|change| change.statistic == Statistic::Value && only(statistic)).copied();
    alone.or_else(|| estimates.into_iter().find(wanted))
}

impl What {
    fn is(&self, record: &Record) -> bool {
        match self {
            Self::Unit(unit) => record.unit == *unit && record.metric != FUNCTION,
            Self::Metric(pattern) => is_metric(pattern, &record.metric),
        }
    }
}

/// Tells if the metric `name` is `pattern`, in which `*` stands for any characters.
pub fn is_metric(pattern: &str, name: &str) -> bool {
    fits(pattern.as_bytes(), name.as_bytes())
}

/// Tells if `name` is `pattern`, in which `*` stands for any bytes; without recursion, as patterns come from strangers.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while position < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at + 1, position));
            at += 1;
        } else if pattern.get(at) == Some(&name[position]) {
            (at, position) = (at + 1, position + 1);
        } else if let Some((after, from)) = star {
            star = Some((after, from + 1));
            (at, position) = (after, from + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

impl Amount {
    fn is_beyond(self, change: &Change, above: bool) -> bool {
        let difference = change.difference().as_f64();
        let (figure, limit) = match self {
            // What was 0 has no percentages: any change from it is beyond all of them.
            Self::Percent(_) if change.old.as_f64() == 0.0 => {
                return if above { difference > 0.0 } else { difference < 0.0 };
            }
            Self::Percent(limit) => (100.0 * difference / change.old.as_f64().abs(), limit),
            Self::Change(limit) => (difference, limit),
            Self::Value(limit) => (change.new.as_f64(), limit),
        };
        if above { figure > limit } else { figure < limit }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Bound {
    type Err = BoundError;

    fn from_str(text: &str) -> Result<Self, BoundError> {
        let wrong = |why| BoundError { text: text.to_owned(), why };
        let text_kept = text.trim().to_owned();
        if text_kept == "vanished" {
            return Ok(Self { text: text_kept, kind: Kind::Vanished });
        }
        let Some(place) = text.find(['<', '>']) else { return Err(wrong("it has neither > nor <")) };
        let above = text.as_bytes()[place] == b'>';
        let (left, right) = (text[..place].trim(), text[place + 1..].trim());
        let (right, luck) = match right.strip_suffix(BEYOND_LUCK) {
            Some(amount) => (amount.trim_end(), true),
            None => (right, false),
        };
        let (experiment, left) = match left.split_once('/') {
            Some((experiment, rest)) => (Some(experiment.trim().to_owned()), rest.trim()),
            None => (None, left),
        };
        let mut words = left.split_whitespace();
        let Some(name) = words.next() else { return Err(wrong("it names no metric")) };
        let statistic = match words.next() {
            Some(word) => {
                let word = if word == "p50" { Statistic::Median.name() } else { word };
                let known = Statistic::OF_SEVERAL.into_iter().find(|statistic| statistic.name() == word);
                Some(known.ok_or_else(|| wrong("after a metric may stand n, mean, min, median, p99 or max"))?)
            }
            None => None,
        };
        if words.next().is_some() {
            return Err(wrong("more than a metric and a statistic stand before the sign"));
        }
        let what = Unit::ALL
            .into_iter()
            .find(|unit| unit.name() == name)
            .map_or_else(|| What::Metric(name.to_owned()), What::Unit);
        let (number, percent) = match right.strip_suffix('%') {
            Some(number) => (number.trim_end(), true),
            None => (right, false),
        };
        let signed = number.starts_with(['+', '-']);
        let value: f64 = number
            .replace('_', "")
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| wrong("the amount is no number"))?;
        let amount = match (percent, signed) {
            (true, true) => Amount::Percent(value),
            (true, false) => return Err(wrong("a percentage is a change, written with its sign: +1%")),
            (false, true) => Amount::Change(value),
            (false, false) => Amount::Value(value),
        };
        Ok(Self { text: text_kept, kind: Kind::Limit { experiment, what, statistic, above, amount, luck } })
    }
}
