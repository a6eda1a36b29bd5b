//! A measurement's pins, exceptions and sleep, as lanes over cycles.

use std::collections::BTreeMap;

use cyclescope_machine::Signal;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{Trace, Traced};
use serde::Serialize;

/// The most changes of all lanes together: more would make a page slow.
const MOST_CHANGES: usize = 200_000;

/// The cycles by which a clock is told.
const MILLION: Cycles = Cycles::new(1_000_000);

/// One lane: it is low or high, and changes at cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// The pin, the exception, or `asleep`.
    pub name: String,
    /// True for a pin.
    pub pin: bool,
    /// The level at the start.
    pub high: bool,
    /// The cycles at which it changes.
    pub changes: Vec<u64>,
}

/// All lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// The first cycle.
    pub from: u64,
    /// The cycle after the last.
    pub to: u64,
    /// The relation of cycles to time: a cycle, the picoseconds at it, and those that a million cycles take from there on.
    pub clocks: Vec<(u64, u64, u64)>,
    /// The lanes: pins, then exceptions, then sleep.
    pub lanes: Vec<Lane>,
    /// The changes left out because there were too many.
    pub lost: u64,
}

/// The order of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Pin(usize),
    Exception(u8, u16),
    Sleep(u8),
}

impl Timeline {
    /// The lanes of `trace`; `exceptions` are the part's by number and name.
    pub(crate) fn of(trace: &Trace, exceptions: &[(u16, &'static str)]) -> Self {
        let mut lanes: BTreeMap<Key, Lane> = BTreeMap::new();
        let mut pins: BTreeMap<String, usize> = BTreeMap::new();
        let mut count = 0;
        let mut lost = trace.lost;
        let of_core = |core: u8| if trace.cores > 1 { format!(" (core {core})") } else { String::new() };
        for (at, traced) in &trace.entries {
            let Traced::Signal(core, signal) = traced else { continue };
            let (key, name, high) = match *signal {
                Signal::Pin { pin, high } => {
                    let name = pin.to_string();
                    let next = pins.len();
                    (Key::Pin(*pins.entry(name.clone()).or_insert(next)), name, high)
                }
                Signal::ExceptionEntered { number } | Signal::ExceptionReturned { number } => {
                    let known = exceptions.iter().find(|(known, _)| *known == number);
                    let name = known.map_or_else(|| format!("exception {number}"), |(_, name)| (*name).to_owned());
                    let entered = matches!(signal, Signal::ExceptionEntered { .. });
                    (Key::Exception(*core, number), name + &of_core(*core), entered)
                }
                Signal::Sleep | Signal::Wake => {
                    (Key::Sleep(*core), format!("asleep{}", of_core(*core)), *signal == Signal::Sleep)
                }
                _ => continue,
            };
            if count == MOST_CHANGES {
                lost += 1;
                continue;
            }
            let lane = lanes.entry(key).or_insert_with(|| {
                let pin = matches!(key, Key::Pin(_));
                let high = pin && trace.levels.iter().any(|(known, high)| *high && known.to_string() == name);
                Lane { name, pin, high, changes: Vec::new() }
            });
            // An exception may be entered again before it has returned, and a pin is told of twice at a reset.
            if lane.high ^ (lane.changes.len() % 2 == 1) != high {
                lane.changes.push(at.get());
                count += 1;
            }
        }
        let clocks = trace.timebases.iter().map(|base| {
            let since = base.since();
            let lasts = base.time(since.saturating_add(MILLION)).saturating_sub(base.time(since));
            (since.get(), base.time(since).get(), lasts.get())
        });
        Self {
            from: trace.from.get(),
            to: trace.to.get(),
            clocks: clocks.collect(),
            lanes: lanes.into_values().collect(),
            lost,
        }
    }
}
