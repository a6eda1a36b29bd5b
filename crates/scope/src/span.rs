//! Spans from one event to another, and their samples.

mod samples;

use cyclescope_machine::figures::integer;
use cyclescope_machine::units::{Cycles, Instructions, Picoseconds};
use thiserror::Error;

pub use self::samples::{Extent, Later, Samples};

/// The most samples of all spans of a session together, and the most recorded events: 128 MB, and 256 MB as vectors grow. The
/// guest decides how many there are.
pub const MOST_SAMPLES: usize = 4_000_000;

/// The samples that each span keeps in any case, so that one span takes not all from the others.
pub const SPAN_SAMPLES: usize = 100;

/// A named span between two events of a session, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The name, as in metrics.
    pub name: String,
    /// The event that starts the span.
    pub from: usize,
    /// The event that ends the span.
    pub to: usize,
}

/// The rule for a second start before the end, and for an end before the first start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Again {
    /// Both are errors: the span then has no samples.
    #[default]
    Refuse,
    /// The first start counts; ends without a start are ignored.
    First,
    /// The last start counts; ends without a start are ignored.
    Last,
}

/// One occurrence of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The cycle of its start.
    pub start: Cycles,
    /// Its length in cycles.
    pub cycles: Cycles,
    /// Its length in real time.
    pub time: Picoseconds,
    /// Instructions retired in it.
    pub instructions: Instructions,
}

/// An error in a span's occurrences.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpanError {
    /// The span never began.
    #[error("span `{0}` never began: its first event did not happen")]
    NeverBegan(String),
    /// The span began and never ended.
    #[error("span `{0}` began after {1} and never ended: its last event did not happen")]
    NeverEnded(String, Cycles),
    /// The last event happened before the first.
    #[error(
        "span `{0}` ended after {1}, before it began; are its events the wrong way round? With `first` or `last` before its \
         first event, ends without a beginning do not count"
    )]
    EndedFirst(String, Cycles),
    /// The span has more samples than are kept.
    #[error("span `{0}` has more samples than the {1} that are kept; shorten the run")]
    TooMany(String, String),
    /// The span began again before it ended.
    #[error(
        "span `{0}` began again after {1}, before it ended; write `first` or `last` before its first event to say from \
         which it counts"
    )]
    Overlaps(String, Cycles),
}

/// Collects the samples of one span as events happen.
#[derive(Clone, Debug)]
pub struct SpanTracker {
    span: Span,
    again: Again,
    open: Option<(Cycles, Picoseconds, Instructions)>,
    samples: Samples,
    /// The first cycle at which the last event happened without the first.
    ended_first: Option<Cycles>,
    error: Option<SpanError>,
}

impl SpanTracker {
    /// Returns a tracker without samples.
    pub fn new(span: Span) -> Self {
        Self { span, again: Again::Refuse, open: None, samples: Samples::default(), ended_first: None, error: None }
    }

    /// Sets the rule for a second start before the end.
    pub fn begins_again(&mut self, again: Again) {
        self.again = again;
    }

    /// Tells if `event` now starts the span.
    pub(crate) fn begins_with(&self, event: usize) -> bool {
        self.span.from == event && !(self.again == Again::First && self.is_open() && self.span.to != event)
    }

    /// Tells if `event` ends the span.
    pub(crate) fn ends_with(&self, event: usize) -> bool {
        self.span.to == event
    }

    /// Tells if the span has begun and not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Handles the event of index `event`, which happened at the cycle `at`, at `time`. `room` is the number of samples that
    /// may still be kept; a sample that is kept lowers it.
    pub fn happened(
        &mut self,
        event: usize,
        at: Cycles,
        time: Picoseconds,
        instructions: Instructions,
        room: &mut usize,
    ) {
        if event == self.span.to {
            match self.open.take() {
                Some((start, began, before)) => {
                    let sample = Sample {
                        start,
                        cycles: at.saturating_sub(start),
                        time: time.saturating_sub(began),
                        instructions: instructions.saturating_sub(before),
                    };
                    self.samples.push(sample, room);
                }
                None if self.span.from != self.span.to && self.samples.first.is_empty() => {
                    self.ended_first.get_or_insert(at);
                }
                None => {}
            }
        }
        if event == self.span.from {
            if let (Some(ended), Again::Refuse) = (self.ended_first, self.again) {
                self.fail(SpanError::EndedFirst(self.span.name.clone(), ended));
            }
            match (self.open, self.again) {
                (Some(_), Again::First) => return,
                (Some(_), Again::Refuse) => self.fail(SpanError::Overlaps(self.span.name.clone(), at)),
                _ => {}
            }
            self.open = Some((at, time, instructions));
        }
    }

    fn fail(&mut self, error: SpanError) {
        self.error.get_or_insert(error);
    }

    /// Returns the first samples, and the sums of those that were not kept.
    ///
    /// # Errors
    /// The first error of the span.
    pub fn counted(self) -> Result<Samples, SpanError> {
        self.trust()?;
        Ok(self.samples)
    }

    /// Returns all samples.
    ///
    /// # Errors
    /// The first error of the span; [`SpanError::TooMany`] if not all samples were kept.
    pub fn finish(self) -> Result<Vec<Sample>, SpanError> {
        self.samples()?;
        Ok(self.samples.first)
    }

    /// Returns all samples so far.
    ///
    /// # Errors
    /// As for [`SpanTracker::finish`].
    pub fn samples(&self) -> Result<&[Sample], SpanError> {
        self.trust()?;
        let Samples { first, later } = &self.samples;
        match later.count {
            0 => Ok(first),
            _ => Err(SpanError::TooMany(self.span.name.clone(), integer(first.len() as i128))),
        }
    }

    /// Returns the first occurrence that has ended behind the cycle `at`, if there is one.
    ///
    /// # Errors
    /// The first error of the span; [`SpanError::TooMany`] if that occurrence may not have been kept.
    pub fn ended_behind(&self, at: Cycles) -> Result<Option<Sample>, SpanError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let Samples { first, later } = &self.samples;
        let before = first.partition_point(|sample| sample.start.saturating_add(sample.cycles) <= at);
        match first.get(before) {
            None if later.count > 0 => Err(SpanError::TooMany(self.span.name.clone(), integer(first.len() as i128))),
            found => Ok(found.copied()),
        }
    }

    /// Forgets what has happened so far.
    pub(crate) fn forget(&mut self) {
        *self = Self { again: self.again, ..Self::new(self.span.clone()) };
    }

    /// Forgets all samples but the last and those that ended behind the cycle `at`.
    pub(crate) fn forget_samples(&mut self, at: Cycles) {
        let first = &mut self.samples.first;
        let before = first.partition_point(|sample| sample.start.saturating_add(sample.cycles) <= at);
        first.drain(..before.min(first.len().saturating_sub(1)));
    }

    /// Returns the first and the last event.
    pub(crate) fn events(&self) -> (usize, usize) {
        (self.span.from, self.span.to)
    }

    fn trust(&self) -> Result<(), SpanError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        match (self.samples.first.is_empty(), self.open) {
            (true, None) => Err(SpanError::NeverBegan(self.span.name.clone())),
            (true, Some((start, ..))) => Err(SpanError::NeverEnded(self.span.name.clone(), start)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(happenings: &[(usize, u64)]) -> Result<Vec<u64>, SpanError> {
        let mut tracker = SpanTracker::new(Span { name: "s".into(), from: 0, to: 1 });
        for (event, at) in happenings {
            tracker.happened(*event, Cycles::new(*at), Picoseconds::new(3 * at), Instructions::new(at / 2), &mut 99);
        }
        let samples = tracker.finish()?;
        assert!(samples.iter().all(|sample| sample.time.get() == 3 * sample.cycles.get()));
        Ok(samples.iter().map(|sample| sample.cycles.get()).collect())
    }

    #[test]
    fn samples_are_the_differences() {
        assert_eq!(track(&[(0, 10), (1, 25), (0, 30), (1, 31)]), Ok(vec![15, 1]));
    }

    #[test]
    fn what_goes_wrong_is_named() {
        assert_eq!(track(&[(1, 3)]), Err(SpanError::NeverBegan("s".into())), "whether or not it ended");
        assert_eq!(track(&[]), Err(SpanError::NeverBegan("s".into())));
        assert_eq!(track(&[(0, 4)]), Err(SpanError::NeverEnded("s".into(), Cycles::new(4))));
        assert_eq!(track(&[(1, 3), (0, 4), (1, 5)]), Err(SpanError::EndedFirst("s".into(), Cycles::new(3))));
        assert_eq!(track(&[(0, 3), (0, 4), (1, 5)]), Err(SpanError::Overlaps("s".into(), Cycles::new(4))));
    }

    #[test]
    fn a_guest_cannot_fill_the_hosts_memory() {
        let mut tracker = SpanTracker::new(Span { name: "p".into(), from: 0, to: 0 });
        let kept = SPAN_SAMPLES as u64 + 3;
        let mut room = SPAN_SAMPLES + 3;
        let mut happens = |tracker: &mut SpanTracker, at: u64| {
            tracker.happened(0, Cycles::new(at), Picoseconds::new(2 * at), Instructions::new(at), &mut room);
        };
        (0..=kept).for_each(|at| happens(&mut tracker, at));
        assert_eq!(tracker.clone().finish().map(|samples| samples.len() as u64), Ok(kept));
        [kept + 5, kept + 7].into_iter().for_each(|at| happens(&mut tracker, at));
        assert_eq!(tracker.clone().finish(), Err(SpanError::TooMany("p".into(), "103".into())));
        let samples = tracker.counted().expect("the sums are exact");
        assert_eq!((samples.first.len() as u64, samples.later.count, samples.count()), (kept, 2, kept + 2));
        assert_eq!(samples.cycles(), Extent { least: 1, greatest: 5, sum: u128::from(kept) + 7 });
        assert_eq!(samples.time(), Extent { least: 2, greatest: 10, sum: 2 * (u128::from(kept) + 7) });
    }

    #[test]
    fn a_span_keeps_some_samples_whatever_the_others_have() {
        let mut tracker = SpanTracker::new(Span { name: "p".into(), from: 0, to: 0 });
        for at in 0..=2 * SPAN_SAMPLES as u64 {
            tracker.happened(0, Cycles::new(at), Picoseconds::ZERO, Instructions::ZERO, &mut 0);
        }
        assert_eq!(tracker.counted().map(|samples| samples.first.len()), Ok(SPAN_SAMPLES));
    }

    #[test]
    fn a_span_that_begins_again_counts_from_where_it_is_told() {
        for (again, expect) in [(Again::First, [9, 2]), (Again::Last, [1, 2])] {
            let mut tracker = SpanTracker::new(Span { name: "s".into(), from: 0, to: 1 });
            tracker.begins_again(again);
            for (event, at) in [(1, 0), (0, 1), (0, 4), (0, 9), (1, 10), (0, 11), (1, 13), (1, 14)] {
                tracker.happened(event, Cycles::new(at), Picoseconds::ZERO, Instructions::ZERO, &mut 9);
            }
            let samples = tracker.finish().expect("two samples");
            assert_eq!(samples.iter().map(|sample| sample.cycles.get()).collect::<Vec<_>>(), expect);
        }
    }

    #[test]
    fn a_span_from_an_event_to_itself_is_its_period() {
        let mut tracker = SpanTracker::new(Span { name: "p".into(), from: 0, to: 0 });
        for at in [5, 15, 30] {
            tracker.happened(0, Cycles::new(at), Picoseconds::ZERO, Instructions::ZERO, &mut 9);
        }
        let periods = tracker.finish().map(|samples| samples.iter().map(|s| s.cycles.get()).collect::<Vec<_>>());
        assert_eq!(periods, Ok(vec![10, 15]));
    }
}
