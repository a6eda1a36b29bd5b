//! The contenders of the experiments on the host once more, with an allocator that counts. `cyclescope` starts it where it
//! finds it beside itself, for the figures that want it; what is timed has the system's own allocator.
#![forbid(unsafe_code)]

use std::process::ExitCode;

#[cfg(unix)]
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
#[cfg(unix)]
use std::alloc::System;

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[cfg(unix)]
fn main() -> ExitCode {
    // As `cyclescope` itself is called: `contender`, the work, and what to walk.
    cyclescope_contenders::run_arguments(std::env::args_os().skip(2), || ALLOCATOR.stats().into())
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("experiments on the host need a Unix system, such as Linux or macOS");
    ExitCode::from(64)
}
