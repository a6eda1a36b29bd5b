//! What RTIC asks of a device: an interrupt of the MK20DX256 for its dispatcher, and priorities. The part has no
//! current PAC.

use cortex_m::interrupt::InterruptNumber;
// Nothing names it, and it is the start-up code.
use cortex_m_rt as _;

pub use self::Interrupt as interrupt;

/// Priority bits (K20P64M72SF1RM, "Interrupt priority levels").
pub const NVIC_PRIO_BITS: u8 = 4;

/// The interrupts that are used ("Interrupt channel assignments").
#[derive(Clone, Copy)]
pub enum Interrupt {
    /// Nothing here uses its peripheral.
    SPI1 = 27,
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
    fn SPI1();
}

/// The vectors after the core's own.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
pub static __INTERRUPTS: [Vector; 92] = {
    let mut vectors = [const { Vector { reserved: 0 } }; 92];
    vectors[Interrupt::SPI1 as usize] = Vector { handler: SPI1 };
    vectors
};
