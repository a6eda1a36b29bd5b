//! Measures the cost of one await, with the primes search of the chips and with values passed between tasks.
//!
//! The search is that of `firmware/workload`: ten primes from 0x0FFFFFFF upward by trial division, without a yield,
//! with one in each iteration of its inner loop, and with a second task that counts and yields.

mod meter;
mod platforms;
mod search;
mod threads;

use cyclescope_host::yielding::{Account, Runtime, Spec};

/// Runs `spec`.
pub(crate) fn run(spec: &Spec) -> Account {
    match spec.runtime {
        Runtime::Threads => threads::run(spec),
        _ => platforms::run(spec),
    }
}
