//! A search where there are too many arrivals to try each: those that meet the core in another situation come first.
//!
//! The situation only orders. An arrival that was not run counts as skipped, whatever is known of its situation.

use std::collections::{BTreeMap, HashMap};

use cyclescope_chips::{Machine, Situation};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Signal, SignalKind, Silent, Stop};

use super::steps::Steps;
use super::{Arrival, Findings, Question, Tried, try_listed};
use crate::arrivals::{AHEAD, ArrivalsError, Trial};
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

    /// Returns the cycles of the window by their keys, those of the key that comes first before the others. A cycle counts from the
    /// window's first.
    fn keys(&self) -> Vec<Vec<u32>> {
        let mut numbers: HashMap<(u32, u8), usize> = HashMap::new();
        let mut keys: Vec<Vec<u32>> = Vec::new();
        for (cycle, key) in self.arrivals() {
            let number = *numbers.entry(key).or_insert(keys.len());
            if number == keys.len() {
                keys.push(Vec::new());
            }
            keys[number].push((cycle - self.window.0) as u32);
        }
        keys
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

/// Goes through the window `place` of `windows` without its stimulus, from `base` on. Where the other window begins before, its stimulus
/// comes at its first cycle. `None` after a stop.
///
/// # Errors
/// [`ArrivalsError::Ended`] if the program ends before a window does that is the only one.
fn scan(
    base: &Snapshot,
    windows: &[(Cycles, Cycles)],
    place: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Scanned>, ArrivalsError> {
    /// The cycles between two questions whether to stop.
    const SLICE: Cycles = Cycles::new(100_000);
    let (window, alone) = (windows[place], windows.len() == 1);
    let mut session = base.session();
    session.want(SignalKind::Sleep);
    if let Some(other) = windows.iter().position(|other| other.0 < window.0) {
        session.arrive(other, windows[other].0);
    }
    let mut scanner = Scanner {
        steps: Steps::default(),
        known: HashMap::new(),
        joined: HashMap::new(),
        current: [0; 2],
        changes: Vec::new(),
    };
    match session.go_to(window.0.saturating_sub(Cycles::new(2 * AHEAD))) {
        Err(error) if alone => return Err(error),
        _ => {}
    }
    while session.machine().now() < window.1 {
        if stop() {
            return Ok(None);
        }
        let pause = session.machine().now().saturating_add(SLICE).min(window.1);
        let limits = Limits { pause, ..Limits::until(Cycles::MAX, Pace::POLL) };
        match session.run_observed(limits, &mut scanner, |_| false) {
            End::Stopped(Stop::Deadlock(_)) => break,
            End::Stopped(_) if !alone => break,
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

/// Tries the arrivals that `sought` allows, of the stimuli of `question` in `windows`.
pub(super) fn search(
    question: Question<'_>,
    base: &Snapshot,
    windows: &[(Cycles, Cycles)],
    sought: Sought,
) -> Result<Findings, super::WorstError> {
    let all = super::arrivals_in(windows);
    let budget = sought.budget.min(all);
    let sample = sought.sample.min(all - budget);
    let run = |listed: &[Arrival], before: u64| try_listed(question, base, listed, (before, budget + sample));
    let mut searched = Searched { situations: 0, met: 0, skipped: all, sample: Vec::new(), wanted: sample };
    let mut tried = Vec::new();
    let mut keys = Vec::new();
    for place in 0..windows.len() {
        keys.extend(scan(base, windows, place, question.stop)?.map(|scanned| scanned.keys()));
    }
    if keys.len() == windows.len() {
        let keys = Keys { firsts: windows.iter().map(|(first, _)| *first).collect(), keys };
        searched.situations = keys.count();
        let rarest = keys.rarest(budget);
        searched.met = rarest.len() as u64;
        let mut chosen: Vec<Arrival> = rarest.iter().map(|key| keys.arrival(*key, 0)).collect();
        chosen.sort_unstable();
        tried = run(&chosen, 0)?;
        if !(question.stop)() {
            let more = more(&keys, &rarest, &tried, budget - searched.met);
            tried.extend(run(&more, tried.len() as u64)?);
            tried.sort_by_key(|tried| tried.at);
        }
        searched.skipped = all - tried.len() as u64;
        if !(question.stop)() {
            let drawn = drawn(&tried, windows, sample, sought.seed);
            searched.sample = run(&drawn, tried.len() as u64)?;
        }
    }
    Ok(Findings { windows: windows.to_vec(), all, tried, wanted: budget, searched: Some(searched) })
}

/// A key of an arrival: that of its first cycle, and of its second. The second is 0 where there is one stimulus.
type Key = (u32, u32);

/// The keys of all arrivals: each of the first window with each of the second.
struct Keys {
    /// The first cycle of each window.
    firsts: Vec<Cycles>,
    /// Of each window, the cycles of each key, as [`Scanned::keys`] has them.
    keys: Vec<Vec<Vec<u32>>>,
}

impl Keys {
    /// Returns the number of keys in the window `window`; 1 if there is no such window.
    fn of(&self, window: usize) -> u64 {
        self.keys.get(window).map_or(1, |keys| keys.len() as u64)
    }

    /// Returns the number of keys.
    fn count(&self) -> u64 {
        self.of(0) * self.of(1)
    }

    /// Returns the cycles of the key `key` in the window `window`.
    fn cycles(&self, window: usize, key: u32) -> &[u32] {
        self.keys.get(window).and_then(|keys| keys.get(key as usize)).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of arrivals of `key`.
    fn arrivals(&self, (first, second): Key) -> u64 {
        self.cycles(0, first).len() as u64 * (self.cycles(1, second).len() as u64).max(1)
    }

    /// Returns the arrival `number` of `key`, in order.
    fn arrival(&self, (first, second): Key, number: u64) -> Arrival {
        let seconds = self.cycles(1, second);
        let each = (seconds.len() as u64).max(1);
        let at = |window: usize, cycles: &[u32], number: u64| {
            let offset = cycles.get(number as usize).copied().unwrap_or(0);
            Some(self.firsts.get(window)?.saturating_add(Cycles::new(offset.into())))
        };
        let first = at(0, self.cycles(0, first), number / each).unwrap_or_default();
        Arrival { first, second: at(1, seconds, number % each) }
    }

    /// Returns the keys, those that come first before the others.
    fn all(&self) -> impl Iterator<Item = Key> {
        (0..self.of(0) as u32).flat_map(|first| (0..self.of(1) as u32).map(move |second| (first, second)))
    }

    /// Returns the `most` keys of the fewest arrivals: what is met often is met by chance as well. Those of one number of arrivals that
    /// are not all taken are spread over the windows.
    fn rarest(&self, most: u64) -> Vec<Key> {
        let mut by_arrivals: BTreeMap<u64, u64> = BTreeMap::new();
        for key in self.all() {
            *by_arrivals.entry(self.arrivals(key)).or_default() += 1;
        }
        // Of each number of arrivals: its keys, those to be taken, and those passed.
        let mut left = most;
        let mut shares: BTreeMap<u64, (u64, u64, u64)> = BTreeMap::new();
        for (arrivals, keys) in by_arrivals {
            let taken = keys.min(left);
            left -= taken;
            shares.insert(arrivals, (keys, taken, 0));
        }
        let mut rarest: Vec<(u64, Arrival, Key)> = Vec::new();
        for key in self.all() {
            let arrivals = self.arrivals(key);
            let Some((keys, taken, passed)) = shares.get_mut(&arrivals) else { continue };
            if (*passed + 1) * *taken / *keys > *passed * *taken / *keys {
                rarest.push((arrivals, self.arrival(key, 0), key));
            }
            *passed += 1;
        }
        rarest.sort_unstable();
        rarest.into_iter().map(|(.., key)| key).collect()
    }
}

/// Returns `left` more arrivals, spread over `keys`, of which the first of each have been tried: as many of each as there are, and
/// where that does not come out even, more of those whose first took longest.
fn more(all: &Keys, keys: &[Key], tried: &[Tried], left: u64) -> Vec<Arrival> {
    /// A key with its number of arrivals behind the first, and of those to be tried.
    struct Open {
        key: Key,
        others: u64,
        more: u64,
    }
    let answers: HashMap<Arrival, u64> = tried.iter().map(|tried| (tried.at, greatest(tried))).collect();
    let mut open: Vec<(u64, Arrival, Open)> = (keys.iter())
        .map(|key| (all.arrival(*key, 0), Open { key: *key, others: all.arrivals(*key) - 1, more: 0 }))
        .filter(|(_, open)| open.others > 0)
        .map(|(first, open)| (u64::MAX - answers.get(&first).copied().unwrap_or(0), first, open))
        .collect();
    open.sort_by_key(|(answer, first, _)| (*answer, *first));
    let mut left = left;
    loop {
        let unmet = open.iter().filter(|(.., one)| one.more < one.others).count() as u64;
        if left == 0 || unmet == 0 {
            break;
        }
        let quota = (left / unmet).max(1);
        for (.., one) in &mut open {
            let more = quota.min(one.others - one.more).min(left);
            one.more += more;
            left -= more;
        }
    }
    let mut chosen: Vec<Arrival> = (open.iter())
        .flat_map(|(.., one)| {
            // They are spread over the key's arrivals behind the first.
            (0..one.more).map(|number| {
                all.arrival(one.key, 1 + (u128::from(number) * u128::from(one.others) / u128::from(one.more)) as u64)
            })
        })
        .collect();
    chosen.sort_unstable();
    chosen
}

/// The greatest number of cycles of any span of `tried`.
fn greatest(tried: &Tried) -> u64 {
    tried.answers.iter().flatten().map(|sample| sample.cycles.get()).max().unwrap_or(0)
}

/// Draws `count` of the arrivals of `windows` that are not among `tried`, which is in order.
fn drawn(tried: &[Tried], windows: &[(Cycles, Cycles)], count: u64, seed: u64) -> Vec<Arrival> {
    let all = super::arrivals_in(windows);
    let skipped = all - tried.len() as u64;
    let numbers = Draws::new(seed, STREAM).distinct(count.min(skipped), skipped);
    let mut wanted = numbers.into_iter().peekable();
    let mut tried = tried.iter().map(|tried| tried.at).peekable();
    let seconds = windows.get(1).map_or(1, |(first, end)| end.saturating_sub(*first).get());
    let mut passed = 0;
    let mut drawn = Vec::new();
    for number in 0..all {
        let at = |window: usize, number| Some(windows.get(window)?.0.saturating_add(Cycles::new(number)));
        let first = at(0, number / seconds).unwrap_or_default();
        let arrival = Arrival { first, second: at(1, number % seconds) };
        if tried.next_if_eq(&arrival).is_some() {
            continue;
        }
        passed += 1;
        if wanted.next_if_eq(&passed).is_some() {
            drawn.push(arrival);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclescope_machine::units::{Instructions, Picoseconds};

    use crate::span::Sample;

    fn tried(at: Arrival) -> Tried {
        Tried { at, answers: Vec::new() }
    }

    fn one(at: u64) -> Arrival {
        Arrival { first: Cycles::new(at), second: None }
    }

    /// Three situations: 0 once, 1 three times, 2 for the rest.
    fn scanned(end: u64) -> Scanned {
        Scanned { changes: vec![(100, 0), (101, 1), (104, 2)], window: (100, end) }
    }

    #[test]
    fn more_arrivals_are_spread_and_never_twice() {
        let single = Keys { firsts: vec![Cycles::new(100)], keys: vec![scanned(400).keys()] };
        assert_eq!((single.count(), single.of(0)), (1 + 3 + 17, 1 + 3 + 17));
        let firsts = vec![Cycles::new(100), Cycles::new(100)];
        let pairs = Keys { firsts, keys: vec![scanned(108).keys(), scanned(130).keys()] };
        assert_eq!(pairs.count(), (1 + 3 + 4) * (1 + 3 + 17));
        for (keys, all) in [(single, 300), (pairs, 8 * 30)] {
            let rarest = keys.rarest(u64::MAX);
            assert_eq!(rarest.iter().map(|key| keys.arrivals(*key)).sum::<u64>(), all);
            assert!(rarest.is_sorted_by_key(|key| keys.arrivals(*key)), "the rarest first");
            let some = keys.rarest(7);
            let places: Vec<usize> =
                some.iter().map(|key| rarest.iter().position(|known| known == key).expect("a key")).collect();
            let alike = rarest.iter().filter(|key| keys.arrivals(**key) == 1).count();
            assert!(places.len() == 7 && places.is_sorted() && places[6] < alike, "{places:?}");
            assert!(places[0] < alike / 4 && places[6] > alike / 2, "spread over those of one arrival: {places:?}");
            let firsts: Vec<Tried> = rarest.iter().map(|key| tried(keys.arrival(*key, 0))).collect();
            let rest = all - keys.count();
            for left in [0, 1, 7, rest / 3, rest, 500] {
                let chosen = more(&keys, &rarest, &firsts, left);
                assert_eq!(chosen.len() as u64, left.min(rest), "{left}");
                let mut all: Vec<Arrival> = chosen.into_iter().chain(firsts.iter().map(|tried| tried.at)).collect();
                all.sort_unstable();
                assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{left}: {all:?}");
            }
        }
    }

    #[test]
    fn more_arrivals_are_of_the_keys_that_took_longest() {
        let keys = Keys { firsts: vec![Cycles::new(0)], keys: vec![vec![(0..10).collect(), (10..20).collect()]] };
        let took = |at, cycles| {
            let sample = Sample {
                start: Cycles::ZERO,
                cycles: Cycles::new(cycles),
                time: Picoseconds::ZERO,
                instructions: Instructions::ZERO,
            };
            Tried { at: one(at), answers: vec![Ok(sample)] }
        };
        let chosen = more(&keys, &[(0, 0), (1, 0)], &[took(0, 5), took(10, 7)], 3);
        assert_eq!(chosen.iter().filter(|arrival| arrival.first.get() > 10).count(), 2, "{chosen:?}");
    }

    #[test]
    fn the_sample_is_of_what_was_skipped() {
        let done: Vec<Tried> = (0..50).map(|number| tried(one(1_000 + 2 * number))).collect();
        let window = [(Cycles::new(1_000), Cycles::new(1_100))];
        let all = drawn(&done, &window, 50, 7);
        assert_eq!(all, (0..50).map(|number| one(1_001 + 2 * number)).collect::<Vec<_>>());
        let some = drawn(&done, &window, 9, 7);
        assert!(some.len() == 9 && some.iter().all(|at| at.first.get() % 2 == 1));
        assert_ne!(some, drawn(&done, &window, 9, 8));
        assert_eq!(drawn(&done, &window, 500, 7).len(), 50);
        // Of pairs, all but one.
        let pair = |first, second| Arrival { first: Cycles::new(first), second: Some(Cycles::new(second)) };
        let windows = [(Cycles::new(4), Cycles::new(6)), (Cycles::new(1), Cycles::new(3))];
        assert_eq!(drawn(&[tried(pair(4, 2))], &windows, 9, 7), [pair(4, 1), pair(5, 1), pair(5, 2)]);
    }
}
