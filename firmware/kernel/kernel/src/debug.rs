//! What is kept of the last call for the report of a panic.

use core::cell::Cell;
use core::fmt;

use crate::answer::Answer;
use crate::call::Call;
use crate::pass::Passed;

/// Told of each call before it is served, and of its answer.
pub trait Hook<S> {
    /// A call was decoded; `state` is the process's as it was stored.
    fn called(&self, call: Passed<'_>, state: &S);
    /// It was answered.
    fn answered(&self, answer: Answer);
}

/// Keeps nothing, in builds that are shipped.
#[derive(Debug, Default)]
pub struct NoHook;

impl<S> Hook<S> for NoHook {
    fn called(&self, _: Passed<'_>, _: &S) {}
    fn answered(&self, _: Answer) {}
}

/// The last call, its answer once there is one, and the process's registers as they were.
pub struct LastCall<S> {
    call: Cell<Option<Call>>,
    answer: Cell<Option<Answer>>,
    state: Cell<Option<S>>,
}

impl<S: Copy> LastCall<S> {
    /// No call yet.
    pub const fn new() -> Self {
        Self { call: Cell::new(None), answer: Cell::new(None), state: Cell::new(None) }
    }

    /// Keeps a call that was handed over by value: it is moved into its place.
    #[cfg(feature = "by-value")]
    #[inline]
    pub fn keep(&self, call: Call, state: &S) {
        self.call.set(Some(call));
        self.state.set(Some(*state));
        self.answer.set(None);
    }

    /// Keeps a copy of a call that stays where it is.
    #[cfg(not(feature = "by-value"))]
    #[inline]
    pub fn keep(&self, call: &Call, state: &S) {
        self.call.set(Some(*call));
        self.state.set(Some(*state));
        self.answer.set(None);
    }

    /// Keeps the answer beside the call.
    #[inline]
    pub fn keep_answer(&self, answer: Answer) {
        self.answer.set(Some(answer));
    }
}

impl<S: Copy> Default for LastCall<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Copy + fmt::Display> fmt::Display for LastCall<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(call), Some(state)) = (self.call.get(), self.state.get()) else {
            return f.write_str("no call was made yet\n");
        };
        writeln!(f, "last call: {call}")?;
        match self.answer.get() {
            Some(answer) => writeln!(f, "its answer: {answer}")?,
            None => f.write_str("it was not answered\n")?,
        }
        writeln!(f, "the process's registers at that call:\n{state}")
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;
    use crate::call::{ProcessId, RawCall};
    use crate::pass::pass;

    #[test]
    fn the_report_has_call_answer_and_state() {
        let last = LastCall::<u32>::new();
        assert_eq!(last.to_string(), "no call was made yet\n");
        let call = Call::decode(ProcessId(0), &RawCall { back: 8, class: 0, arguments: [0; 4] });
        last.keep(pass(&call), &99);
        let text = last.to_string();
        assert!(text.contains("process 0 before 0x00000008: wait") && text.contains("not answered"), "{text}");
        assert!(text.ends_with("at that call:\n99\n"), "{text}");
        last.keep_answer(Answer::Done(5));
        assert!(last.to_string().contains("its answer: done, value 0x5"));
    }
}
