//! What RTIC asks of a device, for boards without a current PAC: one interrupt for its dispatcher, and priorities.

use cortex_m::interrupt::InterruptNumber;
// Nothing names it, and it is the start-up code.
use cortex_m_rt as _;

pub use self::Interrupt as interrupt;

/// Priority bits of the nRF51822.
#[cfg(feature = "board-microbit")]
pub const NVIC_PRIO_BITS: u8 = 2;

/// Priority bits of AN386.
#[cfg(feature = "board-mps2-an386")]
pub const NVIC_PRIO_BITS: u8 = 3;

/// The interrupts that are used.
#[derive(Clone, Copy)]
pub enum Interrupt {
    /// The nRF51822's first software interrupt; on the MPS2 the line has a peripheral that nothing here uses.
    SWI0 = 20,
}

// SAFETY: the number is the interrupt's place in the table below.
unsafe impl InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}

/// A place in the vector table.
pub union Vector {
    handler: unsafe extern "C" fn(),
    reserved: usize,
}

unsafe extern "C" {
    fn SWI0();
}

/// The vectors after the core's own.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
pub static __INTERRUPTS: [Vector; 32] = {
    let mut vectors = [const { Vector { reserved: 0 } }; 32];
    vectors[Interrupt::SWI0 as usize] = Vector { handler: SWI0 };
    vectors
};
