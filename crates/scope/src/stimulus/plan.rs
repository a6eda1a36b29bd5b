//! Resolves rules to cycles.

use cyclescope_image::Image;
use cyclescope_machine::Pin;
use cyclescope_machine::units::Cycles;

use super::error::{MOST, StimulusError, shown};
use super::random::Draws;
use super::rule::{Action, Bounce, Level, Rule};
use crate::event::{Names, Resolved};

/// An action that an event sets off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The event.
    pub event: Resolved,
    /// The delay after the event.
    pub delay: Cycles,
    /// The greatest number of times.
    pub times: u64,
    /// The action.
    pub action: Action,
}

/// The stimuli of a run in cycles: resolved rules.
///
/// Draws: `random` and `presses` take one number for each gap, in order, from stream 0 of the seed (the cipher's
/// nonce). Bounces take their numbers from stream 1, edge by edge. A phase is the first number of stream 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    fixed: Vec<(Cycles, Action)>,
    after: Vec<After>,
}

impl Plan {
    /// Resolves `rules` for a run that ends before the cycle `until`. Rules without an end of their own stop there.
    ///
    /// # Errors
    /// [`StimulusError`], with the rule at fault.
    pub fn resolve(rules: &[Rule], image: &Image, names: Names<'_>, until: Cycles) -> Result<Self, StimulusError> {
        let mut plan = Self::default();
        for rule in rules {
            plan.add(rule, image, names, until)?;
        }
        // Stimuli of the same cycle keep the order in which they were written.
        plan.fixed.sort_by_key(|(at, _)| *at);
        Ok(plan)
    }

    /// Returns the stimuli with a known cycle, in order.
    pub fn fixed(&self) -> &[(Cycles, Action)] {
        &self.fixed
    }

    /// Returns the actions that events set off.
    pub fn after(&self) -> &[After] {
        &self.after
    }

    /// Returns the levels that the plan applies to `pin` at known cycles, without toggles.
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
                    // A time comes once, and even if the core sleeps for ever.
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
                    // Checks all toggles of an edge before any is drawn.
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

    /// Checks that `more` stimuli fit into the plan.
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

/// Converts the ends of a gap to cycles.
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

/// Returns the toggles and their cycles, checked against the shortest gap.
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

/// Returns the cycles of actions with a drawn gap before each. The sequence ends at the greatest cycle.
fn gaps(seed: u64, from: Cycles, (min, max): (u64, u64), count: u64) -> impl Iterator<Item = Cycles> {
    let mut draws = Draws::new(seed, 0);
    let mut at = Some(from.get());
    std::iter::from_fn(move || {
        at = at.and_then(|at| at.checked_add(draws.between(min, max)));
        at.map(Cycles::new)
    })
    .take(usize::try_from(count).unwrap_or(usize::MAX))
}
