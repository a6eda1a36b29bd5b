//! The search without and with a yield, as in the firmware.

#![allow(clippy::manual_is_multiple_of, reason = "the twins on the chips take a remainder, and so does this")]

use std::hint::black_box;

/// The first candidate.
const START: u64 = 0x0FFF_FFFF;

/// The results and counts of the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    pub(super) primes: Vec<u64>,
    pub(super) loops: u64,
    pub(super) dispatches: u64,
}

impl Findings {
    fn with_room(wanted: usize) -> Self {
        Self { primes: Vec::with_capacity(wanted), ..Self::default() }
    }
}

/// Searches without a yield.
pub(super) fn plain(wanted: usize) -> Findings {
    let mut findings = Findings::with_room(wanted);
    let mut n = black_box(START);
    while findings.primes.len() < wanted {
        let mut i = 2;
        loop {
            findings.loops += 1;
            if i * i > n {
                findings.primes.push(n);
                break;
            }
            if n % i == 0 {
                break;
            }
            i += 1;
        }
        n += 1;
    }
    black_box(findings)
}

/// Searches with a yield in each iteration, before the bound test.
pub(super) async fn yielding<F: Future<Output = ()>>(wanted: usize, yield_now: impl Fn() -> F) -> Findings {
    let mut findings = Findings::with_room(wanted);
    let mut n = black_box(START);
    while findings.primes.len() < wanted {
        let mut i = 2;
        loop {
            findings.loops += 1;
            yield_now().await;
            findings.dispatches += 1;
            if i * i > n {
                findings.primes.push(n);
                break;
            }
            if n % i == 0 {
                break;
            }
            i += 1;
        }
        n += 1;
    }
    black_box(findings)
}

/// Searches with a yield of a thread.
pub(super) fn handing_over(wanted: usize, mut hand_over: impl FnMut()) -> Findings {
    let mut findings = Findings::with_room(wanted);
    let mut n = black_box(START);
    while findings.primes.len() < wanted {
        let mut i = 2;
        loop {
            findings.loops += 1;
            hand_over();
            findings.dispatches += 1;
            if i * i > n {
                findings.primes.push(n);
                break;
            }
            if n % i == 0 {
                break;
            }
            i += 1;
        }
        n += 1;
    }
    black_box(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_do_the_same() {
        let expected = plain(2);
        assert_eq!(expected.primes, [268_435_459, 268_435_463]);
        let awaiting = smol::block_on(yielding(2, smol::future::yield_now));
        assert_eq!(awaiting, Findings { dispatches: expected.loops, ..expected.clone() });
        let mut turns = 0;
        let threaded = handing_over(2, || turns += 1);
        assert_eq!((threaded.dispatches, threaded.primes), (turns, expected.primes));
    }
}
