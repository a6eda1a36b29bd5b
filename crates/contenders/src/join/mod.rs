//! Waits for many futures, form by form.

mod forms;
mod watched;

use std::time::Instant;

use cyclescope_host::join::{Account, Form, Order, Runtime, Spec};

use crate::count::{Allocated, AskAllocator};

/// Waits as `spec` describes.
pub(crate) fn run(spec: &Spec, allocator: Option<AskAllocator>) -> Account {
    if spec.watch {
        watched::on(spec.count);
    }
    let measured = |wait: &mut dyn FnMut() -> Vec<usize>| {
        let before = allocator.map(|ask| ask());
        let begun = Instant::now();
        let results = wait();
        (begun.elapsed(), before.zip(allocator.map(|ask| ask())), results)
    };
    let (elapsed, allocated, results) = forms::run(spec, measured);
    let allocated = allocated
        .map(|(before, after)| Allocated { blocks: after.blocks - before.blocks, bytes: after.bytes - before.bytes });
    let mut sorted = results.clone();
    sorted.sort_unstable();
    Account {
        elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
        complete: sorted.into_iter().eq(0..spec.count),
        polls: watched::polls(),
        awaited_polls: watched::awaited_polls(),
        order: watched::done().map(|done| Order::of(&results, &done)),
        allocations: allocated.map(|allocated| allocated.blocks),
        allocated_bytes: allocated.map(|allocated| allocated.bytes),
    }
}
