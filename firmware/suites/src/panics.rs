//! One ending a feature: a panic under the handlers that firmware uses, a fault, an exit.
#![no_std]
#![no_main]

// Its critical section is asked for by those below.
use cortex_m as _;
use cortex_m_rt::entry;
#[cfg(not(feature = "rtt"))]
use defmt_rtt as _;
#[cfg(any(feature = "probe", feature = "fault", feature = "exit"))]
use panic_probe as _;
#[cfg(feature = "rtt")]
use panic_rtt_target as _;
#[cfg(feature = "semihosting")]
use panic_semihosting as _;

#[entry]
fn main() -> ! {
    #[cfg(feature = "rtt")]
    rtt_target::rtt_init_print!();
    #[cfg(not(feature = "rtt"))]
    defmt::info!("begins");
    end()
}

/// What the run comes to.
#[inline(never)]
fn end() -> ! {
    #[cfg(feature = "fault")]
    // SAFETY: nothing lies there, which is what the caller wants to see.
    unsafe {
        core::ptr::read_volatile(0x7000_0000 as *const u32);
    }
    #[cfg(feature = "exit")]
    cortex_m_semihosting::debug::exit(cortex_m_semihosting::debug::EXIT_SUCCESS);
    let answer = core::hint::black_box(41);
    assert_eq!(answer, 42, "the answer");
    loop {}
}
