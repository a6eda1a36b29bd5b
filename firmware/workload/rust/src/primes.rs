//! The search for ten primes by trial division, once as a plain function and once as a future that yields.
//!
//! The two bodies are written out side by side on purpose. One generic body with a yield that does nothing would make
//! `plain` depend on how well the compiler dissolves a state machine, and that is what the experiment asks.

#![allow(clippy::manual_is_multiple_of, reason = "the C twin takes a remainder, and so does this")]

use core::hint::black_box;

/// The first number that is tried.
pub const START: u64 = 0x0FFF_FFFF;

/// How many primes are searched.
pub const WANTED: usize = 10;

/// What the search found and what it did to find it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The primes in the order of their finding, ascending.
    pub primes: [u64; WANTED],
    /// Numbers tried.
    pub trials: u32,
    /// Turns of the inner loop: one for each division, and one for each prime.
    pub loops: u32,
    /// Times that a yield gave the processor away and the search got it back.
    pub dispatches: u32,
}

impl Findings {
    /// Nothing found, nothing done.
    pub const NONE: Self = Self { primes: [0; WANTED], trials: 0, loops: 0, dispatches: 0 };
}

/// Searches without ever yielding: mode `plain`.
///
/// The work cannot leave the span between two markers: where it starts is hidden from the compiler, and so is who
/// reads `findings`.
pub fn search(findings: &mut Findings) {
    let mut found = 0;
    let mut n = black_box(START);
    while found < WANTED {
        findings.trials += 1;
        let mut i = 2;
        loop {
            findings.loops += 1;
            if i * i > n {
                findings.primes[found] = n;
                found += 1;
                break;
            }
            if n % i == 0 {
                break;
            }
            i += 1;
        }
        n += 1;
    }
    black_box(findings);
}

/// Searches and awaits one `yield_now()` per turn of the inner loop, before the bound test: modes `one` and `two`.
///
/// `yield_now` makes the future of one yield, as the runtime offers it. A dispatch is counted when that future is done,
/// that is, when the runtime has come back to this task.
pub async fn search_yielding<Yield, Yielding>(findings: &mut Findings, mut yield_now: Yield)
where
    Yield: FnMut() -> Yielding,
    Yielding: Future<Output = ()>,
{
    let mut found = 0;
    let mut n = black_box(START);
    while found < WANTED {
        findings.trials += 1;
        let mut i = 2;
        loop {
            findings.loops += 1;
            yield_now().await;
            findings.dispatches += 1;
            if i * i > n {
                findings.primes[found] = n;
                found += 1;
                break;
            }
            if n % i == 0 {
                break;
            }
            i += 1;
        }
        n += 1;
    }
    black_box(findings);
}

#[cfg(test)]
mod tests {
    use core::future::{poll_fn, ready};
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};

    use super::*;

    /// The answer, as the contract states it.
    const PRIMES: [u64; WANTED] = [
        268_435_459,
        268_435_463,
        268_435_493,
        268_435_523,
        268_435_537,
        268_435_561,
        268_435_577,
        268_435_579,
        268_435_597,
        268_435_631,
    ];

    /// Polls `future` until it is done and says how often it was not.
    fn pendings(future: impl Future<Output = ()>) -> u32 {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        let mut pendings = 0;
        while future.as_mut().poll(&mut context).is_pending() {
            pendings += 1;
        }
        pendings
    }

    /// A yield that is pending once.
    fn yield_once() -> impl Future<Output = ()> {
        let mut yielded = false;
        poll_fn(move |_| if core::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending })
    }

    #[test]
    fn plain_search_finds_ten_primes_and_counts_its_work() {
        let mut findings = Findings::NONE;
        search(&mut findings);
        assert_eq!(findings, Findings { primes: PRIMES, trials: 177, loops: 202_346, dispatches: 0 });
        assert_eq!(findings.loops as usize - WANTED, 202_336, "divisions: every turn but each prime's last");
    }

    #[test]
    fn yielding_search_gives_the_processor_away_once_a_turn() {
        let mut findings = Findings::NONE;
        let pendings = pendings(search_yielding(&mut findings, yield_once));
        assert_eq!(findings, Findings { primes: PRIMES, trials: 177, loops: 202_346, dispatches: 202_346 });
        assert_eq!(pendings, 202_346);
    }

    #[test]
    fn a_yield_precedes_the_first_bound_test() {
        let mut findings = Findings::NONE;
        {
            let mut future = pin!(search_yielding(&mut findings, yield_once));
            assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!(findings, Findings { trials: 1, loops: 1, ..Findings::NONE });
    }

    #[test]
    fn a_yield_that_never_suspends_leaves_the_answer_alone() {
        let mut findings = Findings::NONE;
        assert_eq!(pendings(search_yielding(&mut findings, || ready(()))), 0);
        assert_eq!(findings.primes, PRIMES);
    }
}
