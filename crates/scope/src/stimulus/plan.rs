//! Rules to cycles.

use cyclescope_image::Image;
use cyclescope_machine::Pin;
use cyclescope_units::Cycles;

use super::parse::shown;
use super::random::Draws;
use super::{Action, Bounce, Level, Rule, StimulusError};
use crate::event::{Names, Resolved};

/// The most stimuli of a plan.
pub(super) const MOST: usize = 1_000_000;

/// Something to do whenever an event happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The event.
    pub event: Resolved,
    /// How long after it.
    pub delay: Cycles,
    /// How many times at most.
    pub times: u64,
    /// What.
    pub action: Action,
}

/// What the outside does in a run, in cycles: rules resolved.
///
/// Draws: `random` and `presses` take one number for each gap, in order, from stream 0 of the seed (the cipher's nonce);
/// bounces take theirs from stream 1, edge by edge; a phase is the first of stream 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    fixed: Vec<(Cycles, Action)>,
    after: Vec<After>,
}

impl Plan {
    /// The plan of `rules` for a run that ends before the cycle `until`; what lies beyond is left out where a rule has no
    /// end of its own.
    ///
    /// # Errors
    /// [`StimulusError`], with the rule at fault.
    pub fn resolve(rules: &[Rule], image: &Image, names: Names<'_>, until: Cycles) -> Result<Self, StimulusError> {
        let mut plan = Self::default();
        for rule in rules {
            plan.add(rule, image, names, until)?;
        }
        // Of several at one cycle, the one written first comes first.
        plan.fixed.sort_by_key(|(at, _)| *at);
        Ok(plan)
    }

    /// What happens at a cycle known beforehand, in order.
    pub fn fixed(&self) -> &[(Cycles, Action)] {
        &self.fixed
    }

    /// What happens whenever an event does.
    pub fn after(&self) -> &[After] {
        &self.after
    }

    /// Each level that the plan applies to `pin` at a cycle known beforehand, toggles left out.
    pub fn levels(&self, pin: Pin) -> impl Iterator<Item = (Cycles, bool)> {
        self.fixed.iter().filter_map(move |(at, action)| match action {
            Action::Pin(other, Level::Low) if *other == pin => Some((*at, false)),
            Action::Pin(other, Level::High) if *other == pin => Some((*at, true)),
            _ => None,
        })
    }

    fn add(&mut self, rule: &Rule, image: &Image, names: Names<'_>, until: Cycles) -> Result<(), StimulusError> {
        let text = || shown(&rule.to_string());
        match rule {
            Rule::At { time, action } => self.push(time.cycles(names.clock), action.clone(), text)?,
            Rule::After { event, delay, times, action } => {
                let event =
                    event.resolve(image, names).map_err(|error| StimulusError::Event { text: text(), error })?;
                let (delay, times) = (delay.cycles(names.clock), times.unwrap_or(u64::MAX));
                match event {
                    // A time comes once, and comes even to a core that sleeps for ever.
                    Resolved::Time(_) if times == 0 => {}
                    Resolved::Time(at) => self.push(at.saturating_add(delay), action.clone(), text)?,
                    _ => self.after.push(After { event, delay, times, action: action.clone() }),
                }
            }
            Rule::Every { period, from, times, action } => {
                let period = period.cycles(names.clock);
                if period == Cycles::ZERO {
                    return Err(StimulusError::NoGap(text(), "period"));
                }
                let (mut at, mut left) = (from.cycles(names.clock), times.unwrap_or(u64::MAX));
                while left > 0 && (at < until || times.is_some()) {
                    self.push(at, action.clone(), text)?;
                    let Some(next) = at.get().checked_add(period.get()) else { break };
                    (at, left) = (Cycles::new(next), left - 1);
                }
            }
            Rule::Random { times, from, gap, seed, action } => {
                let gap = cycles_of(gap, names, text)?;
                for at in gaps(*seed, from.cycles(names.clock), gap, *times) {
                    self.push(at, action.clone(), text)?;
                }
            }
            Rule::Presses { presses, pin, pressed_high, from, gap, bounce, seed } => {
                let gap = cycles_of(gap, names, text)?;
                let bounce = bounce.map(|bounce| bounce_of(bounce, gap, names, text)).transpose()?;
                let mut bounces = Draws::new(*seed, 1);
                let edges = gaps(*seed, from.cycles(names.clock), gap, presses.saturating_mul(2));
                for (index, at) in edges.enumerate() {
                    let mut high = *pressed_high == (index % 2 == 0);
                    self.push(at, level(*pin, high), text)?;
                    let Some((toggles, within)) = bounce else { continue };
                    // All of an edge's are drawn before any is kept.
                    self.has_room(toggles, text)?;
                    for after in bounces.distinct(toggles, within) {
                        high = !high;
                        self.push(at.saturating_add(Cycles::new(after)), level(*pin, high), text)?;
                    }
                }
            }
            Rule::Phase(phase) => self.push(Cycles::ZERO, Action::Phase(phase.cycles()), text)?,
        }
        Ok(())
    }

    fn push(&mut self, at: Cycles, action: Action, text: impl Fn() -> String) -> Result<(), StimulusError> {
        self.has_room(1, text)?;
        self.fixed.push((at, action));
        Ok(())
    }

    /// Whether `more` stimuli can be added.
    fn has_room(&self, more: u64, text: impl Fn() -> String) -> Result<(), StimulusError> {
        if more > (MOST - self.fixed.len()) as u64 {
            return Err(StimulusError::TooMany(text()));
        }
        Ok(())
    }
}

fn level(pin: Pin, high: bool) -> Action {
    Action::Pin(pin, if high { Level::High } else { Level::Low })
}

/// A gap's ends in cycles.
fn cycles_of(
    (min, max): &(crate::Time, crate::Time),
    names: Names<'_>,
    text: impl Fn() -> String,
) -> Result<(u64, u64), StimulusError> {
    let (min, max) = (min.cycles(names.clock).get(), max.cycles(names.clock).get());
    match (min, max) {
        (0, _) => Err(StimulusError::NoGap(text(), "gap")),
        (min, max) if max < min => Err(StimulusError::Gap(text())),
        ends => Ok(ends),
    }
}

/// Toggles and the cycles they have, checked against the shortest gap.
fn bounce_of(
    Bounce { toggles, within }: Bounce,
    (shortest, _): (u64, u64),
    names: Names<'_>,
    text: impl Fn() -> String,
) -> Result<(u64, u64), StimulusError> {
    let within = within.cycles(names.clock).get();
    if toggles % 2 != 0 {
        return Err(StimulusError::OddBounce(text()));
    }
    if within < toggles || within >= shortest {
        return Err(StimulusError::Bounce { text: text(), toggles, within, most: shortest - 1 });
    }
    Ok((toggles, within))
}

/// The cycles that come one drawn gap after the other; they end where cycles do.
fn gaps(seed: u64, from: Cycles, (min, max): (u64, u64), count: u64) -> impl Iterator<Item = Cycles> {
    let mut draws = Draws::new(seed, 0);
    let mut at = Some(from.get());
    std::iter::from_fn(move || {
        at = at.and_then(|at| at.checked_add(draws.between(min, max)));
        at.map(Cycles::new)
    })
    .take(usize::try_from(count).unwrap_or(usize::MAX))
}
