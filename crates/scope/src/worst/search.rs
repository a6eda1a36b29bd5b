//! A search where there are too many arrivals to try each: those that meet the core in another situation come first.
//!
//! The situation only orders. An arrival that was not run counts as skipped, whatever is known of its situation.

use std::collections::HashMap;

use cyclescope_chips::{Machine, Situation};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Signal, SignalKind, Silent, Stop};

use super::steps::Steps;
use super::{Findings, Question, Tried, try_each};
use crate::arrivals::{ArrivalsError, Trials, Which};
use crate::guest::Pace;
use crate::limits::{End, Limits};
use crate::observer::Observer;
use crate::session::Snapshot;
use crate::stimulus::Draws;

/// Arrivals later than this in one instruction, or in sleep, count as one situation.
const FARTHEST: u64 = 16;

/// The stream of the seed from which skipped arrivals are drawn.
const STREAM: u64 = 3;

/// The extent of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// The most arrivals that are tried.
    pub budget: u64,
    /// The number of skipped arrivals that are run as well, to tell what skipping may have cost.
    pub sample: u64,
    /// The seed by which these are drawn.
    pub seed: u64,
}

/// The account of a search.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The number of situations in which arrivals meet the core.
    pub situations: u64,
    /// Those of which at least one arrival was tried.
    pub met: u64,
    /// The arrivals that the search skipped.
    pub skipped: u64,
    /// Of them, those that were drawn and run, in order of their cycles.
    pub sample: Vec<Tried>,
    /// The number that was to be run.
    pub wanted: u64,
}

impl Searched {
    /// Returns the greatest number of cycles among the drawn arrivals of the span at `place`, and how many of them took longer than
    /// `found`; `None` if none was run that gave a number.
    pub fn disagreement(&self, place: usize, found: Cycles) -> Option<(Cycles, u64)> {
        let cycles = || self.sample.iter().filter_map(|tried| Some(tried.answers.get(place)?.as_ref().ok()?.cycles));
        Some((cycles().max()?, cycles().filter(|cycles| *cycles > found).count() as u64))
    }
}

/// The situations of a window: from each of these cycles on, up to the next, the core is in the situation of that number.
struct Scanned {
    changes: Vec<(u64, u32)>,
    window: (u64, u64),
}

impl Scanned {
    /// Returns each cycle of the window with the number of its situation and how far it is into it.
    fn arrivals(&self) -> impl Iterator<Item = (u64, (u32, u8))> {
        let mut at = 0;
        (self.window.0..self.window.1).map(move |cycle| {
            while self.changes.get(at + 1).is_some_and(|(next, _)| *next <= cycle) {
                at += 1;
            }
            let (since, situation) = self.changes.get(at).copied().unwrap_or_default();
            (cycle, (situation, cycle.saturating_sub(since).min(FARTHEST) as u8))
        })
    }
}

/// Numbers the situations as they are met.
struct Scanner {
    steps: Steps,
    known: HashMap<(usize, bool, Situation), u32>,
    /// Of a part with several cores, the situations of all by their numbers.
    joined: HashMap<[u32; 2], u32>,
    current: [u32; 2],
    changes: Vec<(u64, u32)>,
}

impl Observer for Scanner {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        let Self { steps, known, joined, current, changes } = self;
        steps.run(machine, until, &mut Silent, |machine, boundary| {
            let situation = (boundary.core, boundary.asleep, machine.situation(boundary.core));
            let next = known.len() as u32;
            current[boundary.core] = *known.entry(situation).or_insert(next);
            let next = joined.len() as u32;
            changes.push((boundary.at.get(), *joined.entry(*current).or_insert(next)));
        })
    }

    fn signal(&mut self, _: Cycles, core: u8, signal: Signal) {
        self.steps.signal(core, signal);
    }
}

/// Goes through `window` without the stimulus, from `base` on.
fn scan(base: &Snapshot, window: (Cycles, Cycles), stop: &dyn Fn() -> bool) -> Result<Option<Scanned>, ArrivalsError> {
    /// The cycles between two questions whether to stop.
    const SLICE: Cycles = Cycles::new(100_000);
    let mut session = base.session();
    session.want(SignalKind::Sleep);
    let mut scanner = Scanner {
        steps: Steps::default(),
        known: HashMap::new(),
        joined: HashMap::new(),
        current: [0; 2],
        changes: Vec::new(),
    };
    while session.machine().now() < window.1 {
        if stop() {
            return Ok(None);
        }
        let pause = session.machine().now().saturating_add(SLICE).min(window.1);
        let limits = Limits { pause, ..Limits::until(Cycles::MAX, Pace::POLL) };
        match session.run_observed(limits, &mut scanner, |_| false) {
            End::Stopped(Stop::Deadlock(_)) => break,
            End::Stopped(stop) => return Err(ArrivalsError::Ended { at: session.machine().now(), stop }),
            End::Paused | End::Limit | End::Satisfied | End::Listens(_) => {}
        }
        session.forget_samples();
        // Only the last change before the window matters.
        let before = scanner.changes.partition_point(|(at, _)| *at <= window.0.get());
        scanner.changes.drain(..before.saturating_sub(1));
    }
    let changes = scanner.changes;
    Ok(Some(Scanned { changes, window: (window.0.get(), window.1.get()) }))
}

/// Tries the arrivals that `sought` allows, of the one stimulus of `question`.
pub(super) fn search(
    question: Question<'_>,
    base: &Snapshot,
    window: (Cycles, Cycles),
    sought: Sought,
) -> Result<Findings, super::WorstError> {
    let all = window.1.saturating_sub(window.0).get();
    let budget = sought.budget.min(all);
    let sample = sought.sample.min(all - budget);
    let wanted = budget + sample;
    let done_before = std::cell::Cell::new(0);
    let run = |cycles: &[Cycles], before: u64| {
        let progress = |done| (question.progress)(before + done, wanted);
        let trials = Trials {
            which: Which::Listed(cycles),
            apart: Cycles::MAX,
            threads: question.threads,
            progress: &progress,
            stop: question.stop,
        };
        try_each(question, base, trials)
    };
    let mut searched = Searched { situations: 0, met: 0, skipped: all, sample: Vec::new(), wanted: sample };
    let mut tried = Vec::new();
    if let Some(scanned) = scan(base, window, question.stop)? {
        let mut keys: HashMap<(u32, u8), Key> = HashMap::new();
        for (cycle, key) in scanned.arrivals() {
            keys.entry(key).or_insert(Key { first: cycle, count: 0, ..Key::default() }).count += 1;
        }
        searched.situations = keys.len() as u64;
        let mut order: Vec<(u64, u64, (u32, u8))> = keys.iter().map(|(id, key)| (key.count, key.first, *id)).collect();
        // The rarest first: what is met often is met by chance as well.
        order.sort_unstable();
        order.truncate(budget as usize);
        searched.met = order.len() as u64;
        let mut chosen: Vec<Cycles> = order.iter().map(|(_, first, _)| Cycles::new(*first)).collect();
        chosen.sort_unstable();
        tried = run(&chosen, 0)?;
        done_before.set(tried.len() as u64);
        if !(question.stop)() {
            let more = more(&scanned, &mut keys, &order, &tried, budget - searched.met);
            tried.extend(run(&more, done_before.get())?);
            tried.sort_by_key(|tried| tried.at);
        }
        searched.skipped = all - tried.len() as u64;
        if !(question.stop)() {
            let drawn = drawn(&tried, window, sample, sought.seed);
            searched.sample = run(&drawn, tried.len() as u64)?;
        }
    }
    Ok(Findings { windows: vec![window], all, tried, wanted: budget, searched: Some(searched) })
}

/// The arrivals of one situation.
#[derive(Clone, Copy, Debug, Default)]
struct Key {
    first: u64,
    count: u64,
    /// The cycles of the first one's answer.
    answer: u64,
    /// The number of those still to be tried, and of those passed.
    more: u64,
    passed: u64,
    taken: u64,
}

/// Returns `left` more arrivals, spread over all situations of `order`, of which the first have been tried: as many of each as there
/// are, and where that does not come out even, more of those whose first took longest.
fn more(
    scanned: &Scanned,
    keys: &mut HashMap<(u32, u8), Key>,
    order: &[(u64, u64, (u32, u8))],
    tried: &[Tried],
    left: u64,
) -> Vec<Cycles> {
    let by_cycle: HashMap<u64, u64> = tried.iter().map(|tried| (tried.at.first.get(), greatest(tried))).collect();
    let mut open: Vec<(u64, u64, (u32, u8))> = Vec::new();
    for (count, first, id) in order {
        let answer = by_cycle.get(first).copied().unwrap_or(0);
        if let Some(key) = keys.get_mut(id) {
            key.answer = answer;
        }
        if *count > 1 {
            open.push((u64::MAX - answer, *first, *id));
        }
    }
    open.sort_unstable();
    let mut left = left;
    while left > 0 && !open.is_empty() {
        let quota = (left / open.len() as u64).max(1);
        open.retain(|(_, _, id)| {
            let Some(key) = keys.get_mut(id) else { return false };
            let more = quota.min(key.count - 1 - key.more).min(left);
            key.more += more;
            left -= more;
            key.more < key.count - 1
        });
    }
    let mut chosen = Vec::new();
    for (cycle, id) in scanned.arrivals() {
        let Some(key) = keys.get_mut(&id).filter(|key| key.more > 0) else { continue };
        // The first, with nothing passed, has been tried. The others are spread over the rest.
        if (key.passed * key.more).div_ceil(key.count - 1) > key.taken {
            key.taken += 1;
            chosen.push(Cycles::new(cycle));
        }
        key.passed += 1;
    }
    chosen
}

/// The greatest number of cycles of any span of `tried`.
fn greatest(tried: &Tried) -> u64 {
    tried.answers.iter().flatten().map(|sample| sample.cycles.get()).max().unwrap_or(0)
}

/// Draws `count` of the arrivals of `window` that are not among `tried`, which is in order.
fn drawn(tried: &[Tried], window: (Cycles, Cycles), count: u64, seed: u64) -> Vec<Cycles> {
    let skipped = window.1.saturating_sub(window.0).get() - tried.len() as u64;
    let numbers = Draws::new(seed, STREAM).distinct(count.min(skipped), skipped);
    let mut wanted = numbers.into_iter().peekable();
    let mut tried = tried.iter().map(|tried| tried.at.first.get()).peekable();
    let mut passed = 0;
    let mut drawn = Vec::new();
    for cycle in window.0.get()..window.1.get() {
        if tried.next_if_eq(&cycle).is_some() {
            continue;
        }
        passed += 1;
        if wanted.next_if_eq(&passed).is_some() {
            drawn.push(Cycles::new(cycle));
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worst::Arrival;

    fn tried(at: u64) -> Tried {
        Tried { at: Arrival { first: Cycles::new(at), second: None }, answers: Vec::new() }
    }

    #[test]
    fn more_arrivals_are_spread_and_never_twice() {
        // Three situations: 0 once, 1 three times, 2 for the rest.
        let changes = vec![(100, 0), (101, 1), (104, 2)];
        let scanned = Scanned { changes, window: (100, 400) };
        let mut counts: HashMap<(u32, u8), Key> = HashMap::new();
        for (cycle, id) in scanned.arrivals() {
            counts.entry(id).or_insert(Key { first: cycle, ..Key::default() }).count += 1;
        }
        assert_eq!(counts.len(), 1 + 3 + 17);
        assert_eq!(counts.values().map(|key| key.count).sum::<u64>(), 300);
        let mut order: Vec<_> = counts.iter().map(|(id, key)| (key.count, key.first, *id)).collect();
        order.sort_unstable();
        let firsts: Vec<Tried> = order.iter().map(|(_, first, _)| tried(*first)).collect();
        for left in [0, 1, 7, 100, 279, 500] {
            let chosen = more(&scanned, &mut counts.clone(), &order, &firsts, left);
            assert_eq!(chosen.len() as u64, left.min(279), "{left}");
            let mut all: Vec<u64> = chosen.iter().map(|at| at.get()).collect();
            all.extend(firsts.iter().map(|tried| tried.at.first.get()));
            all.sort_unstable();
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{left}: {all:?}");
        }
    }

    #[test]
    fn the_sample_is_of_what_was_skipped() {
        let done: Vec<Tried> = (0..50).map(|number| tried(1_000 + 2 * number)).collect();
        let window = (Cycles::new(1_000), Cycles::new(1_100));
        let all = drawn(&done, window, 50, 7);
        assert_eq!(all, (0..50).map(|number| Cycles::new(1_001 + 2 * number)).collect::<Vec<_>>());
        let some = drawn(&done, window, 9, 7);
        assert!(some.len() == 9 && some.iter().all(|at| at.get() % 2 == 1));
        assert_ne!(some, drawn(&done, window, 9, 8));
        assert_eq!(drawn(&done, window, 500, 7).len(), 50);
    }
}
