//! A suite under defmt-test; with the feature `failing` its last test fails.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use defmt_rtt as _;
use panic_probe as _;

#[defmt_test::tests]
mod tests {
    use defmt::assert_eq;

    #[init]
    fn init() -> u32 {
        20
    }

    #[test]
    fn state_is_handed_on(state: &mut u32) {
        *state += 1;
        assert_eq!(*state, 21);
    }

    #[test]
    fn a_sum_is_right(state: &mut u32) {
        assert_eq!(*state + 21, 42);
    }

    #[cfg(feature = "failing")]
    #[test]
    fn a_wrong_one() {
        assert_eq!(core::hint::black_box(2) + 2, 5);
    }
}
