//! The contenders as a separate program with a counting allocator, for this crate's tests.
#![forbid(unsafe_code)]

use std::alloc::System;
use std::path::PathBuf;
use std::process::ExitCode;

use cyclescope_host::contender::{self, Allocated};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let spec = arguments.next().map(|spec| spec.to_string_lossy().into_owned()).unwrap_or_default();
    let root = arguments.next().map(PathBuf::from);
    let allocated = || {
        let stats = ALLOCATOR.stats();
        let blocks = (stats.allocations + stats.reallocations) as u64;
        Allocated { blocks, bytes: stats.bytes_allocated as u64 }
    };
    ExitCode::from(contender::run(&spec, root.as_deref(), Some(allocated)))
}
