//! The pins by what they do: outputs that are set by one store, the button's input, the serial port's output.
//!
//! Source: the product specification (4413_417), "GPIO — General purpose input/output".

use cyclescope_boards::register::Register;

/// The base of a port.
pub struct Port(usize);

/// Port 0.
pub const P0: Port = Port(0x5000_0000);
/// Port 1.
pub const P1: Port = Port(0x5000_0300);

impl Port {
    const fn register(&self, offset: usize) -> Register<u32> {
        // SAFETY: the addresses are the manual's, and pins touch no memory.
        unsafe { Register::at(self.0 + offset) }
    }
}

/// A pin of a port as an output.
pub struct Output {
    port: Port,
    number: usize,
}

impl Output {
    /// Pin `number`, 0 to 31, of `port`.
    pub const fn new(port: Port, number: usize) -> Self {
        Self { port, number }
    }

    /// Makes it an output, low.
    pub fn start(&self) {
        const DIRSET: usize = 0x518;
        self.fall();
        self.port.register(DIRSET).write(1 << self.number);
    }

    /// Sets it high.
    #[inline(always)]
    pub fn rise(&self) {
        const OUTSET: usize = 0x508;
        self.port.register(OUTSET).write(1 << self.number);
    }

    /// Sets it low.
    #[inline(always)]
    pub fn fall(&self) {
        const OUTCLR: usize = 0x50C;
        self.port.register(OUTCLR).write(1 << self.number);
    }
}

/// A pin of port 0 as an input that is pulled up.
pub struct Input {
    port: Port,
    number: usize,
}

impl Input {
    /// Pin `number`, 0 to 31, of `port`, whose input reset leaves disconnected.
    pub const fn new(port: Port, number: usize) -> Self {
        Self { port, number }
    }

    /// Pulls it up and connects it.
    #[inline(always)]
    pub fn start(&self) {
        const PIN_CNF: usize = 0x700;
        const PULLED_UP: u32 = 3 << 2;
        self.port.register(PIN_CNF + 4 * self.number).write(PULLED_UP);
    }

    /// Its number.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// Returns true if it is high.
    #[inline(always)]
    pub fn is_high(&self) -> bool {
        const IN: usize = 0x510;
        self.port.register(IN).read() & 1 << self.number != 0
    }
}

/// A pin of port 0 that the serial port drives.
pub struct Serial(Output);

impl Serial {
    /// Pin `number`, 0 to 31, of `port`.
    pub const fn new(port: Port, number: usize) -> Self {
        Self(Output::new(port, number))
    }

    /// Gives it to the port, high, as its line is at rest.
    #[inline(always)]
    pub fn start(&self) {
        self.0.start();
        self.0.rise();
        crate::uart::select(self.0.number as u32);
    }
}
