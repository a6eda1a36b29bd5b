//! A suite under embedded-test: the runner runs each test from a reset of its own. With the feature `failing` one fails.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use defmt_rtt as _;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    defmt::error!("{}", defmt::Display2Format(info));
    loop {
        cortex_m_semihosting::debug::exit(cortex_m_semihosting::debug::EXIT_FAILURE);
    }
}

#[embedded_test::tests]
mod tests {
    use core::sync::atomic::{AtomicU32, Ordering};

    static RUNS: AtomicU32 = AtomicU32::new(0);

    #[init]
    fn init() -> u32 {
        RUNS.fetch_add(1, Ordering::Relaxed)
    }

    #[test]
    fn ram_is_fresh(runs: u32) {
        assert_eq!(runs, 0);
    }

    #[test]
    fn ram_is_fresh_again(runs: u32) {
        assert_eq!(runs, 0);
        defmt::info!("said by a test");
    }

    #[test]
    #[should_panic]
    fn what_should_panic_does() {
        assert_eq!(core::hint::black_box(1), 2);
    }

    #[test]
    #[ignore]
    fn not_today() {
        panic!("ignored");
    }

    #[test]
    fn a_result_is_an_outcome() -> Result<(), u32> {
        if cfg!(feature = "failing") { Err(7) } else { Ok(()) }
    }

    #[cfg(feature = "failing")]
    #[test]
    #[timeout(1)]
    fn for_ever() {
        loop {
            cortex_m::asm::nop();
        }
    }
}
