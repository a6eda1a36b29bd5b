//! Resolves rules to moments.

use std::borrow::Cow;

use cyclescope_image::Image;
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Moment, Pin};

use super::error::{MOST, MOST_BYTES, StimulusError, shown};
use super::random::Draws;
use super::rule::{Action, Bounce, Level, Rule};
use crate::Time;
use crate::event::{Names, Resolved};

/// The least period in picoseconds of an action without an end: some cycles of slow cores, one of the fastest. More would keep
/// a run from coming to its end.
const LEAST_PERIOD: u64 = 10_000;

/// An action that an event sets off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The event.
    pub event: Resolved,
    /// The delay after the event.
    pub delay: Time,
    /// The greatest number of times.
    pub times: u64,
    /// The action.
    pub action: Action,
}

/// An action that comes again and again to the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endless {
    /// The moment of the first time.
    pub from: Moment,
    /// The period, in cycles or in picoseconds as `from` is.
    pub period: u64,
    /// The action.
    pub action: Action,
}

/// An action whose cycle is still to be chosen, from a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// The first time, after reset.
    pub from: Time,
    /// The time before which the last one lies.
    pub to: Time,
    /// The action.
    pub action: Action,
}

/// The stimuli of a run: resolved rules.
///
/// Draws: `random` and `presses` take one number for each gap, in order, from stream 0 of the seed (the cipher's
/// nonce). Bounces take their numbers from stream 1, edge by edge. A phase is the first number of stream 2. Numbers are
/// picoseconds, or cycles where the rule's times are in cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    fixed: Vec<(Moment, Action)>,
    endless: Vec<Endless>,
    after: Vec<After>,
    arriving: Vec<Arriving>,
    /// Bytes of the fixed stimuli for serial ports.
    bytes: usize,
}

impl Plan {
    /// Resolves `rules`.
    ///
    /// # Errors
    /// [`StimulusError`], with the rule at fault; [`StimulusError::Window`] for a window of times.
    pub fn resolve(rules: &[Rule], image: &Image, names: Names<'_>) -> Result<Self, StimulusError> {
        if let Some(rule) = rules.iter().find(|rule| matches!(rule, Rule::Arrives { .. })) {
            return Err(StimulusError::Window(shown(&rule.to_string())));
        }
        Self::resolve_arriving(rules, image, names)
    }

    /// Resolves `rules`, of which some may have a window in the place of a time ([`Plan::arriving`]).
    ///
    /// # Errors
    /// [`StimulusError`], with the rule at fault.
    pub fn resolve_arriving(rules: &[Rule], image: &Image, names: Names<'_>) -> Result<Self, StimulusError> {
        let mut plan = Self::default();
        for rule in rules {
            let rule = &with_samples(rule)?;
            plan.add(rule, image, names)?;
        }
        // Stimuli of the same moment keep the order in which they were written.
        plan.fixed.sort_by_key(|(at, _)| match at {
            Moment::Cycle(at) => (0, at.get()),
            Moment::Time(at) => (1, at.get()),
        });
        Ok(plan)
    }

    /// Returns the stimuli with a known moment: those at cycles in order, then those at times in order.
    pub fn fixed(&self) -> &[(Moment, Action)] {
        &self.fixed
    }

    /// Returns the actions that come to the end of the run.
    pub fn endless(&self) -> &[Endless] {
        &self.endless
    }

    /// Returns the actions that events set off.
    pub fn after(&self) -> &[After] {
        &self.after
    }

    /// Returns the actions whose cycles are still to be chosen, in the order in which they were written.
    pub fn arriving(&self) -> &[Arriving] {
        &self.arriving
    }

    /// Returns the levels that the plan applies to `pin` at known moments, without toggles.
    pub fn levels(&self, pin: Pin) -> impl Iterator<Item = (Moment, bool)> {
        self.fixed.iter().filter_map(move |(at, action)| match action {
            Action::Pin(other, Level::Low) if *other == pin => Some((*at, false)),
            Action::Pin(other, Level::High) if *other == pin => Some((*at, true)),
            _ => None,
        })
    }

    fn add(&mut self, rule: &Rule, image: &Image, names: Names<'_>) -> Result<(), StimulusError> {
        let text = || shown(&rule.to_string());
        match rule {
            Rule::At { time, action } => self.push(time.after_reset(), action.clone(), text)?,
            Rule::Arrives { from, to, action } => {
                let (_, [first, end]) = Scale::of([*from, *to], text)?;
                if first >= end {
                    return Err(StimulusError::Empty(text()));
                }
                self.arriving.push(Arriving { from: *from, to: *to, action: action.clone() });
            }
            Rule::After { event, delay, times, action } => {
                let event =
                    event.resolve(image, names).map_err(|error| StimulusError::Event { text: text(), error })?;
                let times = times.unwrap_or(u64::MAX);
                match event {
                    // A time comes once, and even if the core sleeps for ever.
                    Resolved::Time(_) if times == 0 => {}
                    Resolved::Time(Moment::Cycle(at)) => {
                        let (scale, [at, delay]) = Scale::of([Time::Cycles(at.get()), *delay], text)?;
                        self.push(scale.moment(at.saturating_add(delay)), action.clone(), text)?;
                    }
                    Resolved::Time(Moment::Time(at)) => {
                        let (scale, [at, delay]) = Scale::of([Time::Picoseconds(at.get()), *delay], text)?;
                        self.push(scale.moment(at.saturating_add(delay)), action.clone(), text)?;
                    }
                    _ => self.after.push(After { event, delay: *delay, times, action: action.clone() }),
                }
            }
            Rule::Every { period, from, times, action } => {
                let (scale, [period, from]) = Scale::of([*period, *from], text)?;
                if period == 0 {
                    return Err(StimulusError::NoGap(text(), "period"));
                }
                let Some(times) = *times else {
                    if scale == Scale::Picoseconds && period < LEAST_PERIOD {
                        return Err(StimulusError::TooOften(text()));
                    }
                    self.endless.push(Endless { from: scale.moment(from), period, action: action.clone() });
                    return Ok(());
                };
                let (mut at, mut left) = (Some(from), times);
                while let Some(now) = at.filter(|_| left > 0) {
                    self.push(scale.moment(now), action.clone(), text)?;
                    (at, left) = (now.checked_add(period), left - 1);
                }
            }
            Rule::Random { times, from, gap: (min, max), seed, action } => {
                let (scale, [from, min, max]) = Scale::of([*from, *min, *max], text)?;
                for at in gaps(*seed, from, gap((min, max), text)?, *times) {
                    self.push(scale.moment(at), action.clone(), text)?;
                }
            }
            Rule::Presses { presses, pin, pressed_high, from, gap: (min, max), bounce, seed } => {
                let within = bounce.map_or(Time::ZERO, |bounce| bounce.within);
                let (scale, [from, min, max, within]) = Scale::of([*from, *min, *max, within], text)?;
                let gap = gap((min, max), text)?;
                let bounce = bounce.map(|bounce| bounce_of(bounce, within, gap, scale, text)).transpose()?;
                let mut bounces = Draws::new(*seed, 1);
                for (index, at) in gaps(*seed, from, gap, presses.saturating_mul(2)).enumerate() {
                    let mut high = *pressed_high == (index % 2 == 0);
                    self.push(scale.moment(at), level(*pin, high), text)?;
                    let Some((toggles, within)) = bounce else { continue };
                    // Checks all toggles of an edge before any is drawn.
                    self.has_room(toggles, text)?;
                    for after in bounces.distinct(toggles, within) {
                        high = !high;
                        self.push(scale.moment(at.saturating_add(after)), level(*pin, high), text)?;
                    }
                }
            }
            Rule::Phase(phase) => self.push(Cycles::ZERO.into(), Action::Phase(phase.cycles()), text)?,
        }
        Ok(())
    }

    fn push(&mut self, at: Moment, action: Action, text: impl Fn() -> String) -> Result<(), StimulusError> {
        self.has_room(1, &text)?;
        if let Action::Serial(_, bytes) = &action {
            self.bytes += bytes.len();
            if self.bytes > MOST_BYTES {
                return Err(StimulusError::TooManyBytes(text()));
            }
        }
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

/// Returns `rule` with the voltages of its file in place of the file.
fn with_samples(rule: &Rule) -> Result<Cow<'_, Rule>, StimulusError> {
    let mut with = rule.clone();
    if with.samples_file().is_none() {
        return Ok(Cow::Borrowed(rule));
    }
    if let Some(voltage) = with.voltage() {
        voltage.resolve().map_err(|error| StimulusError::Samples { text: shown(&rule.to_string()), error })?;
    }
    Ok(Cow::Owned(with))
}

/// The unit of a rule's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Cycles,
    Picoseconds,
}

impl Scale {
    /// Returns the unit of `times` and their numbers. A time of length 0 has any unit.
    fn of<const N: usize>(times: [Time; N], text: impl Fn() -> String) -> Result<(Self, [u64; N]), StimulusError> {
        let in_cycles = times.iter().any(|time| matches!(time, Time::Cycles(1..)));
        if in_cycles && times.iter().any(|time| matches!(time, Time::Picoseconds(1..))) {
            return Err(StimulusError::Mixed(text()));
        }
        let numbers = times.map(|time| match time {
            Time::Cycles(number) | Time::Picoseconds(number) => number,
        });
        Ok((if in_cycles { Self::Cycles } else { Self::Picoseconds }, numbers))
    }

    fn moment(self, number: u64) -> Moment {
        match self {
            Self::Cycles => Moment::Cycle(Cycles::new(number)),
            Self::Picoseconds => Moment::Time(Picoseconds::new(number)),
        }
    }

    /// Writes a number of this unit.
    fn show(self, number: u64) -> Time {
        match self {
            Self::Cycles => Time::Cycles(number),
            Self::Picoseconds => Time::Picoseconds(number),
        }
    }
}

fn level(pin: Pin, high: bool) -> Action {
    Action::Pin(pin, if high { Level::High } else { Level::Low })
}

/// Checks the ends of a gap.
fn gap((min, max): (u64, u64), text: impl Fn() -> String) -> Result<(u64, u64), StimulusError> {
    match (min, max) {
        (0, _) => Err(StimulusError::NoGap(text(), "gap")),
        (min, max) if max < min => Err(StimulusError::Gap(text())),
        ends => Ok(ends),
    }
}

/// Returns the toggles and the time for them, checked against the shortest gap.
fn bounce_of(
    Bounce { toggles, .. }: Bounce,
    within: u64,
    (shortest, _): (u64, u64),
    scale: Scale,
    text: impl Fn() -> String,
) -> Result<(u64, u64), StimulusError> {
    if toggles % 2 != 0 {
        return Err(StimulusError::OddBounce(text()));
    }
    if within < toggles || within >= shortest {
        let (within, shortest) = (scale.show(within), scale.show(shortest));
        return Err(StimulusError::Bounce { text: text(), toggles, within, shortest });
    }
    Ok((toggles, within))
}

/// Returns the moments of actions with a drawn gap before each. The sequence ends at the greatest number.
fn gaps(seed: u64, from: u64, (min, max): (u64, u64), count: u64) -> impl Iterator<Item = u64> {
    let mut draws = Draws::new(seed, 0);
    let mut at = Some(from);
    std::iter::from_fn(move || {
        at = at.and_then(|at| at.checked_add(draws.between(min, max)));
        at
    })
    .take(usize::try_from(count).unwrap_or(usize::MAX))
}
