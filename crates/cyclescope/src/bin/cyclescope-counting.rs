//! The contenders of the experiments on the host once more, with an allocator that counts. `cyclescope` starts it where it
//! finds it beside itself, for the figures that want it; what is timed has the system's own allocator.
#![forbid(unsafe_code)]

use std::alloc::System;
use std::path::PathBuf;
use std::process::ExitCode;

use cyclescope_host::contender::{self, Allocated};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    // As `cyclescope` itself is called: `contender`, the work, and what to walk.
    let mut arguments = std::env::args_os().skip(2);
    let spec = arguments.next().map(|spec| spec.to_string_lossy().into_owned()).unwrap_or_default();
    let root = arguments.next().map(PathBuf::from);
    let allocated = || {
        let stats = ALLOCATOR.stats();
        Allocated { blocks: (stats.allocations + stats.reallocations) as u64, bytes: stats.bytes_allocated as u64 }
    };
    ExitCode::from(contender::run(&spec, root.as_deref(), Some(allocated)))
}
