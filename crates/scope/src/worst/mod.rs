//! The worst case over arrivals: the same run again and again, in which only the cycle differs at which a stimulus comes.
//!
//! Each arrival goes on from a copy of the run that stands shortly before it, and takes what it takes alone from reset. Nothing
//! is said of arrivals that were not tried.

mod look;
mod search;
mod steps;
mod stretch;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Moment, Stop};
use thiserror::Error;

pub use self::look::{Held, Look, Stand, Waited, look_at};
pub use self::search::{Searched, Sought};
pub use self::stretch::{Bound, Stretch};
use crate::arrivals::{AHEAD, ArrivalsError, CHUNK, Trial, Trials, Which, try_arrivals};
use crate::guest::Pace;
use crate::limits::{End, Limits};
use crate::session::{Session, Snapshot};
use crate::span::{Sample, SpanError};
use crate::time::Time;

/// The most arrivals that are tried: about 100 MB of results.
pub const MOST_ARRIVALS: u64 = 1_000_000;

/// The most arrivals of the windows that are searched: each may be a situation of its own.
pub const MOST_SEARCHED: u64 = 20_000_000;

/// The most windows: two stimuli, in all pairs.
pub const MOST_WINDOWS: usize = 2;

/// The time before a window at which the clock is looked at, in picoseconds: 20 ms.
const CLOCK_AHEAD: u64 = 20_000_000_000;

/// A search for the worst case.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The run at its start: with all spans and stimuli, those that arrive kept ([`Plan::arriving`](crate::Plan::arriving)).
    pub begin: &'a Snapshot,
    /// The spans, by index.
    pub spans: &'a [usize],
    /// The window of each stimulus that arrives, in the plan's order: one, or two for all pairs.
    pub windows: &'a [(Time, Time)],
    /// The moment at which each run ends that has not shown all spans.
    pub limit: Moment,
    /// Try not each arrival, but those that a search chooses.
    pub search: Option<Sought>,
    /// The number of threads; the results do not depend on it.
    pub threads: usize,
    /// Receives the numbers of arrivals done and to do, on any thread.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Asked before each arrival, on any thread; `true` stops.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// The cycles of one or two stimuli that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arrival {
    /// The cycle of the first written.
    pub first: Cycles,
    /// The cycle of the second, if there is one.
    pub second: Option<Cycles>,
}

impl Arrival {
    /// Returns the cycles in the order in which the stimuli were written.
    pub fn cycles(self) -> impl Iterator<Item = Cycles> {
        [Some(self.first), self.second].into_iter().flatten()
    }

    /// Returns the earlier cycle.
    pub fn earliest(self) -> Cycles {
        self.second.map_or(self.first, |second| second.min(self.first))
    }
}

/// The reason for which a span has no number at an arrival.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Missing {
    /// The span did not happen as it was described.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// The program ended first.
    #[error("the program ended at cycle {}, before the span did ({stop:?})", .at.grouped())]
    Ended {
        /// The cycle.
        at: Cycles,
        /// The reason.
        stop: Stop,
    },
    /// The run's time was over first.
    #[error("the span did not end behind the stimulus within the run")]
    Late,
}

/// The answer of one span to one arrival.
pub type Answer = Result<Sample, Missing>;

/// An arrival that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The arrival.
    pub at: Arrival,
    /// For each span, its first occurrence that ended behind the earliest stimulus.
    pub answers: Vec<Answer>,
}

/// The results of a search for the worst case.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The windows in cycles: the first, and the one behind the last.
    pub windows: Vec<(Cycles, Cycles)>,
    /// The number of arrivals in the windows.
    pub all: u64,
    /// Those that were tried, in order of their cycles; fewer than were to be after a stop.
    pub tried: Vec<Tried>,
    /// The number that was to be tried.
    pub wanted: u64,
    /// The account of the search, if not each arrival was to be tried.
    pub searched: Option<Searched>,
}

impl Findings {
    /// Returns the tried arrival of the greatest number of cycles of the span at `place` in [`Question::spans`]; of several the
    /// earliest. `None` if no arrival gave a number.
    pub fn worst(&self, place: usize) -> Option<(&Tried, Sample)> {
        let numbers = self.tried.iter().filter_map(|tried| {
            let sample = tried.answers.get(place)?.as_ref().ok()?;
            Some((tried, *sample))
        });
        numbers.reduce(|worst, one| if one.1.cycles > worst.1.cycles { one } else { worst })
    }

    /// Returns what [`Findings::worst`] returns, or the drawn arrival that a search had skipped if that took longer.
    pub fn worst_of_all(&self, place: usize) -> Option<(&Tried, Sample)> {
        let drawn = self.searched.iter().flat_map(|searched| &searched.sample);
        let drawn = drawn.filter_map(|tried| Some((tried, *tried.answers.get(place)?.as_ref().ok()?)));
        self.worst(place)
            .into_iter()
            .chain(drawn)
            .reduce(|worst, one| if one.1.cycles > worst.1.cycles { one } else { worst })
    }

    /// Returns the numbers of the span at `place`, in order of arrivals.
    pub fn samples(&self, place: usize) -> impl Iterator<Item = Sample> {
        self.tried.iter().filter_map(move |tried| tried.answers.get(place)?.as_ref().ok().copied())
    }

    /// Returns the arrivals at which the span at `place` gave no number: the first, its reason, and how many there are.
    pub fn missing(&self, place: usize) -> Option<(&Tried, &Missing, u64)> {
        let mut missing =
            self.tried.iter().filter_map(|tried| Some((tried, tried.answers.get(place)?.as_ref().err()?)));
        let (first, why) = missing.next()?;
        Some((first, why, 1 + missing.count() as u64))
    }
}

/// An error that leaves no results.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorstError {
    /// The runs cannot begin or go on.
    #[error(transparent)]
    Arrivals(#[from] ArrivalsError),
    /// No stimulus has a window.
    #[error("no stimulus has a window; write one as `at FROM..TO ACTION`, such as `at 10ms..10.1ms pin PC13 low`")]
    NoWindow,
    /// More stimuli have windows than are tried together.
    #[error("{0} stimuli have a window; one is tried alone, and two are tried in all pairs, but not more")]
    Windows(usize),
    /// The windows have too many arrivals.
    #[error(
        "the window has {arrivals} arrivals, and at most {most} are tried one by one; shorten it, or search it (`--arrivals search`)"
    )]
    TooMany {
        /// The number of arrivals.
        arrivals: String,
        /// The greatest number.
        most: String,
    },
    /// The window is too long for a search.
    #[error("the window has {arrivals} arrivals, and at most {most} are searched; shorten it")]
    TooLong {
        /// The number of arrivals.
        arrivals: String,
        /// The greatest length.
        most: String,
    },
    /// The window reaches beyond the end of the runs.
    #[error(
        "the window ends at cycle {}, behind the run's end at cycle {}; lengthen the run (`--for`), or move the window",
        .end.grouped(), .limit.grouped()
    )]
    Beyond {
        /// The cycle behind the window.
        end: Cycles,
        /// The cycle at which each run ends.
        limit: Cycles,
    },
    /// The window has no cycle of the core's clock.
    #[error("the window from {from} to {to} has no cycle of the core's clock; lengthen it")]
    Empty {
        /// Its beginning.
        from: Time,
        /// Its end.
        to: Time,
    },
    /// The run of the worst arrival by itself took another time.
    #[error(
        "the arrival at cycle {}, run alone from reset, took {alone} cycles and not {found}; this is a defect of the simulator, \
         please report it", .at.grouped()
    )]
    Disagrees {
        /// The arrival.
        at: Cycles,
        /// The cycles that the search found.
        found: u64,
        /// The cycles of the run from reset; 0 if the span did not end.
        alone: u64,
    },
}

/// Tries the arrivals of `question`.
///
/// # Errors
/// [`WorstError`]; single arrivals that give no number are results.
pub fn find_worst(question: Question<'_>) -> Result<Findings, WorstError> {
    match question.windows.len() {
        0 => return Err(WorstError::NoWindow),
        1..=MOST_WINDOWS => {}
        more => return Err(WorstError::Windows(more)),
    }
    let (base, windows) = before(question.begin, question.windows)?;
    let (end, limit) = (windows.iter().map(|(_, end)| *end).max(), base.machine().timebase().cycle(question.limit));
    if let Some(end) = end.filter(|end| *end > limit) {
        return Err(WorstError::Beyond { end, limit });
    }
    let all = arrivals_in(&windows);
    let grouped = |count: u64| Cycles::new(count).grouped();
    if let Some(sought) = question.search {
        if all > MOST_SEARCHED {
            return Err(WorstError::TooLong { arrivals: grouped(all), most: grouped(MOST_SEARCHED) });
        }
        return search::search(question, &base, &windows, sought);
    }
    if all > MOST_ARRIVALS {
        return Err(WorstError::TooMany { arrivals: grouped(all), most: grouped(MOST_ARRIVALS) });
    }
    let (first, end) = windows[0];
    let firsts = Which::Each(first, end);
    let tried = match windows.get(1) {
        None => try_each(question, &base, firsts, (0, all))?,
        Some((from, to)) => try_pairs(question, &base, (firsts, *from), |_| Which::Each(*from, *to), (0, all))?,
    };
    Ok(Findings { windows, all, tried, wanted: all, searched: None })
}

/// Returns the number of arrivals in `windows`: of two all pairs.
fn arrivals_in(windows: &[(Cycles, Cycles)]) -> u64 {
    windows.iter().fold(1, |all, (first, end)| all.saturating_mul(end.saturating_sub(*first).get()))
}

/// Tries `listed`, which is in order. `done` arrivals of `of` have been tried before.
fn try_listed(
    question: Question<'_>,
    base: &Snapshot,
    listed: &[Arrival],
    (done, of): (u64, u64),
) -> Result<Vec<Tried>, ArrivalsError> {
    let Some(apart) = listed.iter().filter_map(|arrival| arrival.second).min() else {
        let firsts: Vec<Cycles> = listed.iter().map(|arrival| arrival.first).collect();
        return try_each(question, base, Which::Listed(&firsts), (done, of));
    };
    let groups = listed.chunk_by(|one, next| one.first == next.first);
    let groups: BTreeMap<Cycles, Vec<Cycles>> =
        groups.map(|group| (group[0].first, group.iter().filter_map(|arrival| arrival.second).collect())).collect();
    let firsts: Vec<Cycles> = groups.keys().copied().collect();
    let seconds = |first| Which::Listed(groups.get(&first).map_or(&[], Vec::as_slice));
    try_pairs(question, base, (Which::Listed(&firsts), apart), seconds, (done, of))
}

/// Tries the one stimulus of `question` at `which`.
fn try_each(
    question: Question<'_>,
    base: &Snapshot,
    which: Which<'_>,
    (before, of): (u64, u64),
) -> Result<Vec<Tried>, ArrivalsError> {
    let trials = Trials {
        which,
        apart: Cycles::MAX,
        chunk: CHUNK,
        behind_end: false,
        threads: question.threads,
        progress: &|done| (question.progress)(before + done, of),
        stop: question.stop,
    };
    try_arrivals(base, trials, |session: &mut Session<'static>, at| {
        session.arrive(0, at);
        answer(question, session, Arrival { first: at, second: None })
    })
}

/// Tries the first stimulus of `question` at `firsts`, and for each of these the second at those that `seconds` has for it, none of
/// which is before `apart`.
fn try_pairs<'w>(
    question: Question<'_>,
    base: &Snapshot,
    (firsts, apart): (Which<'_>, Cycles),
    seconds: impl Fn(Cycles) -> Which<'w> + Sync,
    (before, of): (u64, u64),
) -> Result<Vec<Tried>, ArrivalsError> {
    /// The first stimuli that share a thread: few, each with many second ones.
    const FIRSTS: u64 = 8;
    let tried = AtomicU64::new(before);
    let trials = Trials {
        which: firsts,
        apart,
        chunk: FIRSTS,
        behind_end: false,
        threads: question.threads,
        progress: &|_| (question.progress)(tried.load(Ordering::Relaxed), of),
        stop: question.stop,
    };
    let each = try_arrivals(base, trials, |session: &mut Session<'static>, first| {
        session.arrive(0, first);
        let pairs = pairs(question, session, first, seconds(first))?;
        tried.fetch_add(pairs.len() as u64, Ordering::Relaxed);
        Ok(pairs)
    })?;
    let each: Result<Vec<Vec<Tried>>, ArrivalsError> = each.into_iter().collect();
    Ok(each?.into_iter().flatten().collect())
}

/// Tries the second stimulus of `question` at `seconds`, after the first was given to `session` for the cycle `first`. The program may
/// end before the second comes.
fn pairs(
    question: Question<'_>,
    session: &mut Session<'static>,
    first: Cycles,
    seconds: Which<'_>,
) -> Result<Vec<Tried>, ArrivalsError> {
    let Some(earliest) = seconds.get(0) else { return Ok(Vec::new()) };
    let trials = Trials {
        which: seconds,
        apart: Cycles::MAX,
        chunk: CHUNK,
        behind_end: true,
        threads: 1,
        progress: &|_| {},
        stop: question.stop,
    };
    // A span may end between the two.
    session.end_with(question.spans, first.min(earliest));
    try_arrivals(&session.snapshot(), trials, |session: &mut Session<'static>, second| {
        session.arrive(1, second);
        answer(question, session, Arrival { first, second: Some(second) })
    })
}

/// Runs on to the ends of all spans behind the earliest stimulus of `at`.
fn answer(question: Question<'_>, session: &mut Session<'static>, at: Arrival) -> Tried {
    session.end_with(question.spans, at.earliest());
    let end = run_out(session, question.limit);
    let answers = question.spans.iter().map(|span| match (session.ended_behind(*span, at.earliest()), end) {
        (Ok(Some(sample)), _) => Ok(sample),
        (Err(error), _) => Err(error.into()),
        (Ok(None), Some(stop)) => Err(Missing::Ended { at: session.machine().now(), stop }),
        (Ok(None), None) => Err(Missing::Late),
    });
    Tried { at, answers: answers.collect() }
}

/// Runs to the awaited ends or to `limit`. Returns the reason if the program ended first.
fn run_out(session: &mut Session<'_>, limit: Moment) -> Option<Stop> {
    loop {
        match session.run(Limits::until(limit, Pace::POLL), |_| false) {
            End::Satisfied | End::Limit => return None,
            End::Stopped(stop) => return Some(stop),
            End::Paused | End::Listens(_) => {}
        }
    }
}

/// Returns the run shortly before the earliest of `windows`, and the windows in cycles. Times become cycles with the clock that the
/// core has there.
fn before(begin: &Snapshot, windows: &[(Time, Time)]) -> Result<(Snapshot, Vec<(Cycles, Cycles)>), WorstError> {
    let mut session = begin.session();
    let cycles = |session: &Session<'_>, time: Time| session.machine().timebase().cycle(time.after_reset());
    let earliest = |session: &Session<'_>| windows.iter().map(|(from, _)| cycles(session, *from)).min();
    let times = windows.iter().filter_map(|(from, _)| match from {
        Time::Picoseconds(time) => Some(Picoseconds::new(time.saturating_sub(CLOCK_AHEAD))),
        Time::Cycles(_) => None,
    });
    let times = times.min().map_or(Moment::Cycle(Cycles::MAX), Moment::Time);
    loop {
        // The clock may change on the way, and with it the cycles at which times are.
        let target = earliest(&session).unwrap_or_default().saturating_sub(Cycles::new(2 * AHEAD));
        let now = session.machine().now();
        let target = match session.machine().timebase().cycle(times) {
            soon if soon > now => soon.min(target),
            _ => target,
        };
        if now >= target {
            break;
        }
        session.go_to(target)?;
        if session.machine().now() < target {
            // It sleeps until a stimulus comes.
            break;
        }
    }
    let each = windows.iter().map(|(from, to)| {
        let window = (cycles(&session, *from), cycles(&session, *to));
        if window.0 >= window.1 { Err(WorstError::Empty { from: *from, to: *to }) } else { Ok(window) }
    });
    let each = each.collect::<Result<Vec<_>, _>>()?;
    Ok((session.snapshot(), each))
}
