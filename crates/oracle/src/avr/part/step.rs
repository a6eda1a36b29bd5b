//! The steps of a program, and their form in the protocol.

use crate::avr::state::State;

/// The length of a step in the protocol.
pub(super) const STEP_BYTES: usize = 48;
/// Stands for no register: a skip used the value.
pub(super) const NO_REGISTER: u8 = 32;
/// Stands for no register: the value was written.
pub(super) const STORED: u8 = 33;

/// The event of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An instruction retired. `read` is the data address below 256 that it read, or 0. `to` is the destination: a
    /// register, `NO_REGISTER` for a skip that tested the bit `bit`, or `STORED` for a write.
    Instruction {
        /// The data address.
        read: u8,
        /// The register.
        to: u8,
        /// The bit.
        bit: u8,
    },
    /// An interrupt was taken.
    Interrupt {
        /// Its vector.
        vector: u8,
    },
    /// Time passed without an instruction.
    Idle,
    /// A byte arrives at the serial port.
    Receive(u8),
    /// A pin is driven from outside.
    Pin {
        /// The port's letter.
        port: u8,
        /// The bit.
        number: u8,
        /// The level.
        high: bool,
    },
}

/// An event, its address, and the state after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The event.
    pub kind: Kind,
    /// The instruction's address.
    pub at: u32,
    /// The state after it.
    pub state: State,
}

impl Step {
    /// Returns the step in the protocol's form.
    pub(super) fn bytes(&self) -> [u8; STEP_BYTES] {
        let mut bytes = [0; STEP_BYTES];
        bytes[..44].copy_from_slice(&self.state.bytes());
        let (kind, rest) = match self.kind {
            Kind::Instruction { read, to, bit } => (0, [read, to, bit]),
            Kind::Interrupt { vector } => (1, [0, 0, vector]),
            Kind::Idle => (2, [0; 3]),
            Kind::Receive(byte) => (3, [0, 0, byte]),
            Kind::Pin { port, number, high } => (4, [0, port, number | u8::from(high) << 7]),
        };
        bytes[33] = kind;
        bytes[44..47].copy_from_slice(&rest);
        bytes
    }
}
