//! Spans from one event to another, and their samples.

use cyclescope_machine::units::{Cycles, Instructions, Picoseconds};
use thiserror::Error;

/// The most samples of a span: 320 MB. The guest decides how many there are.
pub const MOST_SAMPLES: usize = 10_000_000;

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
    #[error("span `{0}` has more than {MOST_SAMPLES} samples; shorten the run")]
    TooMany(String),
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
    most: usize,
    open: Option<(Cycles, Picoseconds, Instructions)>,
    samples: Vec<Sample>,
    /// The first cycle at which the last event happened without the first.
    ended_first: Option<Cycles>,
    error: Option<SpanError>,
}

impl SpanTracker {
    /// Returns a tracker without samples.
    pub fn new(span: Span) -> Self {
        Self {
            span,
            again: Again::Refuse,
            most: MOST_SAMPLES,
            open: None,
            samples: Vec::new(),
            ended_first: None,
            error: None,
        }
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

    /// Handles the event of index `event`, which happened at the cycle `at`, at `time`.
    pub fn happened(&mut self, event: usize, at: Cycles, time: Picoseconds, instructions: Instructions) {
        if event == self.span.to {
            match self.open.take() {
                Some(_) if self.samples.len() >= self.most => {
                    self.fail(SpanError::TooMany(self.span.name.clone()));
                }
                Some((start, began, before)) => self.samples.push(Sample {
                    start,
                    cycles: at.saturating_sub(start),
                    time: time.saturating_sub(began),
                    instructions: instructions.saturating_sub(before),
                }),
                None if self.span.from != self.span.to && self.samples.is_empty() => {
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

    /// Returns the samples.
    ///
    /// # Errors
    /// The first error of the span.
    pub fn finish(self) -> Result<Vec<Sample>, SpanError> {
        self.trust()?;
        Ok(self.samples)
    }

    /// Returns the samples so far.
    ///
    /// # Errors
    /// As for [`SpanTracker::finish`].
    pub fn samples(&self) -> Result<&[Sample], SpanError> {
        self.trust()?;
        Ok(&self.samples)
    }

    fn trust(&self) -> Result<(), SpanError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        match (self.samples.is_empty(), self.open) {
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
            tracker.happened(*event, Cycles::new(*at), Picoseconds::new(3 * at), Instructions::new(at / 2));
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
        tracker.most = 3;
        for at in 0..=3 {
            tracker.happened(0, Cycles::new(at), Picoseconds::ZERO, Instructions::ZERO);
        }
        assert!(tracker.clone().finish().is_ok());
        tracker.happened(0, Cycles::new(9), Picoseconds::ZERO, Instructions::ZERO);
        assert_eq!(tracker.finish(), Err(SpanError::TooMany("p".into())));
    }

    #[test]
    fn a_span_that_begins_again_counts_from_where_it_is_told() {
        for (again, expect) in [(Again::First, [9, 2]), (Again::Last, [1, 2])] {
            let mut tracker = SpanTracker::new(Span { name: "s".into(), from: 0, to: 1 });
            tracker.begins_again(again);
            for (event, at) in [(1, 0), (0, 1), (0, 4), (0, 9), (1, 10), (0, 11), (1, 13), (1, 14)] {
                tracker.happened(event, Cycles::new(at), Picoseconds::ZERO, Instructions::ZERO);
            }
            let samples = tracker.finish().expect("two samples");
            assert_eq!(samples.iter().map(|sample| sample.cycles.get()).collect::<Vec<_>>(), expect);
        }
    }

    #[test]
    fn a_span_from_an_event_to_itself_is_its_period() {
        let mut tracker = SpanTracker::new(Span { name: "p".into(), from: 0, to: 0 });
        for at in [5, 15, 30] {
            tracker.happened(0, Cycles::new(at), Picoseconds::ZERO, Instructions::ZERO);
        }
        let periods = tracker.finish().map(|samples| samples.iter().map(|s| s.cycles.get()).collect::<Vec<_>>());
        assert_eq!(periods, Ok(vec![10, 15]));
    }
}
