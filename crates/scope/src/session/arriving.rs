//! Runs that are the same but for the cycle at which a stimulus comes.

use cyclescope_machine::Moment;
use cyclescope_machine::units::Cycles;

use super::Session;
use crate::arrivals::{AHEAD, SETTLED};
use crate::guest::{Pace, Pulse};
use crate::limits::{End, Limits};
use crate::span::{Sample, SpanError, SpanTracker};

impl Session<'_> {
    /// Has the stimulus of the index `arriving` among [`Plan::arriving`](crate::Plan::arriving) of the plan that was applied come at the cycle `at`, which
    /// is yet to come, and not at one that was asked for before and is yet to come too. It comes behind stimuli whose times are that cycle, and before those of other times that fall on it.
    pub fn arrive(&mut self, arriving: usize, at: Cycles) {
        self.drive.arrive(arriving, at, &mut self.target);
    }

    /// Reads RTT every `period` cycles from now on, wherever runs are cut. Without it, [`Limits::poll`](crate::Limits::poll) counts from the start of each.
    pub fn poll_steadily(&mut self, period: Cycles) {
        self.next_poll = Some(self.target.now().saturating_add(period));
    }

    /// Ends [`Session::run`] with [`End::Satisfied`](crate::End::Satisfied) once each of `spans` has ended behind the cycle `at`, or has an error.
    pub fn end_with(&mut self, spans: &[usize], at: Cycles) {
        self.awaited = spans.iter().map(|span| (*span, at)).collect();
    }

    /// Tells if RTT is read at the cycles of [`Session::poll_steadily`].
    pub(crate) fn polls_steadily(&self) -> bool {
        self.next_poll.is_some()
    }

    /// Runs to the boundary of an instruction shortly before `arrival`. Returns `false` if there is none, since an instruction takes that
    /// long, or if the run ends before, at the latest at the moment `window`. `pulse` is asked now and then, and ends it too.
    pub fn go_before(&mut self, arrival: Cycles, window: Moment, pulse: &Pulse<'_>) -> bool {
        let cycle = arrival.saturating_sub(Cycles::new(AHEAD));
        loop {
            let now = self.target.now();
            if now >= cycle {
                return now.saturating_add(Cycles::new(SETTLED)) <= arrival;
            }
            let pause = cycle.min(now.saturating_add(Pace::SLICE));
            let limits = Limits { pause, ..Limits::until(window, Pace::POLL) };
            match self.run(limits, |_| false) {
                End::Paused if !pulse(self.target.now(), self.time()) => {}
                End::Listens(_) => {}
                End::Paused | End::Stopped(_) | End::Satisfied | End::Limit => return false,
            }
        }
    }

    /// Replaces the spans of [`Session::end_with`], each with its cycle, and returns those from before.
    pub(crate) fn swap_awaited(&mut self, mut awaited: Vec<(usize, Cycles)>) -> Vec<(usize, Cycles)> {
        std::mem::swap(&mut self.awaited, &mut awaited);
        awaited
    }

    /// Tells if the span of this index has ended behind the cycle `at`, or has an error.
    pub(super) fn has_ended(&self, span: usize, at: Cycles) -> bool {
        self.spans.get(span).is_none_or(|span| !matches!(span.ended_behind(at), Ok(None)))
    }

    /// Returns the first occurrence of the span of this index that has ended behind the cycle `at`, if there is one.
    ///
    /// # Errors
    /// The span's [`SpanError`] so far.
    pub fn ended_behind(&self, span: usize, at: Cycles) -> Result<Option<Sample>, SpanError> {
        self.spans.get(span).map_or(Ok(None), |span| span.ended_behind(at))
    }

    /// Forgets all samples but the last of each span and those that [`Session::end_with`] may ask for, so that copies of the session
    /// are small.
    pub fn forget_samples(&mut self) {
        let behind = self.awaited.iter().map(|(_, at)| *at).min().unwrap_or(Cycles::MAX);
        self.spans.iter_mut().for_each(|span| span.forget_samples(behind));
    }

    /// Returns the first and the last event of the span of this index.
    pub(crate) fn span_events(&self, span: usize) -> Option<(usize, usize)> {
        self.spans.get(span).map(SpanTracker::events)
    }
}
