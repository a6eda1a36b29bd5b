//! A block as one part has it: where, clocked by what, wired to what. Parts are tables of these.

use cyclescope_units::Address;

use crate::Map;

/// A bit of the RCC that enables or resets a peripheral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RccBit {
    /// The register's offset in the RCC.
    pub offset: u16,
    /// The bit.
    pub bit: u8,
}

/// An interrupt signal of a peripheral and the line it drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalLine {
    /// The peripheral's name for the signal.
    pub signal: &'static str,
    /// The line of the interrupt controller.
    pub line: u8,
}

/// A DMA request of a peripheral and its number at the multiplexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The peripheral's name for the request.
    pub signal: &'static str,
    /// The multiplexer's input.
    pub number: u8,
}

/// A pin that a peripheral's signal reaches, and the alternate function that connects them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlternateFunction {
    /// The peripheral's name for the signal.
    pub signal: &'static str,
    /// The port: 0 for A.
    pub port: u8,
    /// The pin in its port.
    pub pin: u8,
    /// The alternate function's number.
    pub function: u8,
}

/// One peripheral of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its name: `TIM3`.
    pub name: &'static str,
    /// Its base address.
    pub address: u32,
    /// Its declared registers.
    pub map: &'static Map,
    /// What enables its clock, if anything does.
    pub enable: Option<RccBit>,
    /// What resets it, if anything does.
    pub reset: Option<RccBit>,
    /// Its interrupt signals.
    pub interrupts: &'static [SignalLine],
    /// Its DMA requests.
    pub requests: &'static [Request],
    /// Its pins.
    pub pins: &'static [AlternateFunction],
}

impl Instance {
    /// The base address.
    pub const fn base(&self) -> Address {
        Address::new(self.address)
    }

    /// The line that `signal` drives.
    pub fn line(&self, signal: &str) -> Option<u8> {
        self.interrupts.iter().find(|wired| wired.signal == signal).map(|wired| wired.line)
    }

    /// The multiplexer's input for the DMA request `signal`.
    pub fn request(&self, signal: &str) -> Option<u8> {
        self.requests.iter().find(|wired| wired.signal == signal).map(|wired| wired.number)
    }
}
