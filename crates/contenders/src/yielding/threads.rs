//! Threads of the operating system: a mutex and a condition variable pass the turn.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use cyclescope_host::yielding::{Account, Mode, Spec};

use super::meter::Meter;
use super::search;

/// The current turn, the value passed, and the end of the run.
#[derive(Debug, Default)]
struct State {
    second: bool,
    value: u64,
    over: bool,
}

#[derive(Debug, Default)]
struct Turn {
    state: Mutex<State>,
    changed: Condvar,
}

impl Turn {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panics ends the program.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of the given thread, or for the end of the run.
    fn wait(&self, second: bool) -> MutexGuard<'_, State> {
        let waiting = |state: &mut State| state.second != second && !state.over;
        self.changed.wait_while(self.lock(), waiting).unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes the turn.
    fn give(&self, mut state: MutexGuard<'_, State>) {
        state.second = !state.second;
        drop(state);
        self.changed.notify_one();
    }

    fn end(&self) {
        self.lock().over = true;
        self.changed.notify_one();
    }
}

pub(super) fn run(spec: &Spec) -> Account {
    let mut meter = Meter::new();
    let turn = Turn::default();
    let (findings, reading, counter) = match spec.mode {
        Mode::Plain => {
            meter.begin();
            let findings = search::plain(spec.primes);
            (findings, meter.end(), 0)
        }
        Mode::One => {
            meter.begin();
            let findings = search::handing_over(spec.primes, std::thread::yield_now);
            (findings, meter.end(), 0)
        }
        Mode::Two | Mode::PingPong => std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let mut counter = 0;
                loop {
                    let mut state = turn.wait(true);
                    if state.over {
                        return counter;
                    }
                    counter += 1;
                    state.value += 1;
                    turn.give(state);
                }
            });
            meter.begin();
            let findings = if spec.mode == Mode::Two {
                search::handing_over(spec.primes, || {
                    turn.give(turn.lock());
                    drop(turn.wait(false));
                })
            } else {
                ping_pong(&turn, spec.trips)
            };
            let reading = meter.end();
            turn.end();
            (findings, reading, second.join().expect("it counts"))
        }),
    };
    Account {
        elapsed_ns: reading.elapsed_ns,
        instructions: reading.instructions,
        primes: findings.primes,
        loops: findings.loops,
        dispatches: findings.dispatches,
        counter,
    }
}

/// Passes values to the other thread, which adds 1, and back.
fn ping_pong(turn: &Turn, trips: u64) -> search::Findings {
    let mut handed_over = 0;
    for trip in 0..trips {
        let mut state = turn.lock();
        state.value = trip;
        turn.give(state);
        let back = turn.wait(false).value;
        handed_over += if back == trip + 1 { 2 } else { 0 };
    }
    search::Findings { dispatches: handed_over, ..search::Findings::default() }
}
