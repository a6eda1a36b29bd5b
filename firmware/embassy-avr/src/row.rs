//! The counter that the tasks share, and what each row runs and comes to. The crate that the other Rust contenders share
//! keeps its counter in an `AtomicU32`, which AVR has none of.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::pin::pin;
use core::task::{Context, Waker};

use crate::board::micros;

/// Iterations of a row, each one addition and one switch.
pub const ITERATIONS: u16 = 10_000;

/// Turns of the loop in each of the two tasks: a turn adds and gives way twice.
pub const TURNS: u16 = ITERATIONS / 4;

/// What the tasks count up, in turn.
struct Counter(UnsafeCell<u32>);

// SAFETY: one processor, and no interrupt handler knows the counter.
unsafe impl Sync for Counter {}

static COUNTER: Counter = Counter(UnsafeCell::new(0));

fn set(value: u32) {
    // SAFETY: no reference to the value exists.
    unsafe { COUNTER.0.get().write_volatile(value) }
}

/// The counter.
pub fn count() -> u32 {
    // SAFETY: as above.
    unsafe { COUNTER.0.get().read_volatile() }
}

/// Adds 1 to the counter, which lies in RAM before and after.
#[inline(always)]
pub fn add_one() {
    set(count().wrapping_add(1));
}

/// What runs in `EmptyLoop`: the same additions, and nothing else.
#[inline(always)]
pub fn empty_loop() {
    for _ in 0..ITERATIONS {
        add_one();
    }
}

/// What runs in `DirectScheduling`: the two tasks' futures, polled in turn until the first is done.
///
/// Nobody is woken, since both are polled anyway.
#[inline(always)]
pub fn resume_in_turn(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let mut context = Context::from_waker(Waker::noop());
    while first.as_mut().poll(&mut context).is_pending() {
        let _ = second.as_mut().poll(&mut context);
    }
}

/// Marks the beginning of the measured span for whoever watches: a symbol of its own, with an assembly comment of its own,
/// so that it is neither left out nor merged with the other.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn cyclescope_start() {
    // SAFETY: the assembly is a comment and holds no instruction.
    unsafe { asm!("/* cyclescope_start */") }
}

/// Marks its end.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn cyclescope_stop() {
    // SAFETY: as above.
    unsafe { asm!("/* cyclescope_stop */") }
}

/// A row that is running.
pub struct Span {
    before: u32,
}

impl Span {
    /// Clears the counter, reads the clock and opens the measured span.
    #[inline(always)]
    pub fn open() -> Self {
        set(0);
        let before = micros();
        cyclescope_start();
        Self { before }
    }

    /// Closes the measured span and reads the clock again.
    #[inline(always)]
    pub fn close(self) -> Row {
        cyclescope_stop();
        let after = micros();
        Row { counter: count(), micros: after.wrapping_sub(self.before) }
    }
}

/// What a row came to.
#[derive(Clone, Copy)]
pub struct Row {
    /// The counter at its end.
    pub counter: u32,
    /// How long it took on the program's own clock.
    pub micros: u32,
}
