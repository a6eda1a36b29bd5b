//! The pins by what they do: outputs that are set by one store, the button's input, the serial port's output.
//!
//! Source: the data sheet (RP-008371-DS), "SIO", "GPIO", "Pads".

use cyclescope_boards::register::Register;

/// A register of SIO.
const fn sio(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's, and pins touch no memory.
    unsafe { Register::at(0xD000_0000 + offset) }
}

const GPIO_IN: Register<u32> = sio(0x004);
const GPIO_OUT_SET: Register<u32> = sio(0x014);
const GPIO_OUT_CLR: Register<u32> = sio(0x018);
const GPIO_OE_SET: Register<u32> = sio(0x024);

/// Gives the pin `number` to a block.
fn give(number: usize, function: u32) {
    // SAFETY: the address is the manual's, and pins touch no memory.
    unsafe { Register::at(0x4001_4004 + 8 * number) }.write(function);
}

/// The function of the processors.
const SIO: u32 = 5;

/// A pin as an output.
pub struct Output(usize);

impl Output {
    /// Pin `number`, 0 to 29.
    pub const fn new(number: usize) -> Self {
        Self(number)
    }

    /// Makes it an output, low.
    pub fn start(&self) {
        self.fall();
        GPIO_OE_SET.write(1 << self.0);
        give(self.0, SIO);
    }

    /// Sets it high.
    #[inline(always)]
    pub fn rise(&self) {
        GPIO_OUT_SET.write(1 << self.0);
    }

    /// Sets it low.
    #[inline(always)]
    pub fn fall(&self) {
        GPIO_OUT_CLR.write(1 << self.0);
    }
}

/// A pin as an input that is pulled up.
pub struct Input(usize);

impl Input {
    /// Pin `number`, 0 to 29.
    pub const fn new(number: usize) -> Self {
        Self(number)
    }

    /// Pulls it up and reads it: input enabled, 4 mA as after reset, pull-up, Schmitt trigger.
    #[inline(always)]
    pub fn start(&self) {
        // SAFETY: the address is the manual's, and pins touch no memory.
        unsafe { Register::at(0x4001_C004 + 4 * self.0) }.write(1_u32 << 6 | 1 << 4 | 1 << 3 | 1 << 1);
        give(self.0, SIO);
    }

    /// Its number.
    pub const fn number(&self) -> usize {
        self.0
    }

    /// Returns true if it is high.
    #[inline(always)]
    pub fn is_high(&self) -> bool {
        GPIO_IN.read() & 1 << self.0 != 0
    }
}

/// A pin that the serial port drives.
pub struct Serial(usize);

impl Serial {
    /// Pin `number`, one of those with the port's output.
    pub const fn new(number: usize) -> Self {
        Self(number)
    }

    /// Gives it to the port.
    #[inline(always)]
    pub fn start(&self) {
        const UART: u32 = 2;
        give(self.0, UART);
    }
}
