//! No logger and no panic messages. The features of a board bring defmt into the executor, for the primes program; here
//! nobody reads it, and what it says is dropped.

use panic_halt as _;

#[defmt::global_logger]
struct Nobody;

// SAFETY: what is not kept needs no lock.
unsafe impl defmt::Logger for Nobody {
    fn acquire() {}
    unsafe fn flush() {}
    unsafe fn release() {}
    unsafe fn write(_: &[u8]) {}
}

defmt::timestamp!("");
