//! The contenders as a program of their own with a counting allocator, for this crate's tests.
#![forbid(unsafe_code)]

use std::alloc::System;
use std::process::ExitCode;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    cyclescope_contenders::run_arguments(std::env::args_os().skip(1), || ALLOCATOR.stats().into())
}
