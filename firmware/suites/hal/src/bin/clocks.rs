//! Settings of the board's clocks, one a start, each with the clocks that the HAL computes from it.
#![no_std]
#![no_main]

use core::mem::MaybeUninit;

use cortex_m_semihosting::hprintln;
use cyclescope_suites_hal::done;
use cyclescope_suites_hal::settings::SETTINGS;
use embassy_stm32::{Config, rcc};

/// Stands before an index that a start has left for the next; RAM holds anything after power-on.
const KEPT: u32 = 0x6B65_7074;

#[unsafe(link_section = ".uninit.NEXT")]
static mut NEXT: MaybeUninit<[u32; 2]> = MaybeUninit::uninit();

#[cortex_m_rt::entry]
fn main() -> ! {
    let next = (&raw mut NEXT).cast::<[u32; 2]>();
    // Any bits are words, and nothing interrupts that knows of them.
    let index = match unsafe { next.read_volatile() } {
        [KEPT, index] => index,
        _ => 0,
    };
    unsafe { next.write_volatile([KEPT, index + 1]) };
    let mut config = Config::default();
    SETTINGS[index as usize](&mut config.rcc);
    let p = embassy_stm32::init(config);
    hprintln!("{} {:?}", index, rcc::clocks(&p.RCC));
    if index as usize + 1 == SETTINGS.len() {
        done()
    }
    cortex_m::peripheral::SCB::sys_reset()
}
