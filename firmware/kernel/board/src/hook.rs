//! The debug hook of builds for development. Symbols must not be generic, so it stands here and not in the generic kernel.

use core::fmt;

use cyclescope_kernel::{Answer, Hook, LastCall, Passed};

use crate::State;

/// Keeps the last call.
pub struct Keep(LastCall<State>);

impl Keep {
    /// No call yet.
    pub const fn new() -> Self {
        Self(LastCall::new())
    }
}

impl Hook<State> for Keep {
    #[unsafe(export_name = "cyclescope_debug_hook")]
    #[inline(never)]
    fn called(&self, call: Passed<'_>, state: &State) {
        self.0.keep(call, state);
    }

    #[unsafe(export_name = "cyclescope_debug_answer")]
    #[inline(never)]
    fn answered(&self, answer: Answer) {
        self.0.keep_answer(answer);
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
