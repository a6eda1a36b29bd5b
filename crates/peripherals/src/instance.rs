//! A block as one part has it: where, clocked by what, wired to what. Parts are tables of these.

use cyclescope_machine::Pin;
use cyclescope_machine::units::Address;

use crate::{Map, Source};

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

/// A DMA request of a peripheral and its number in the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The peripheral's name for the request.
    pub signal: &'static str,
    /// The multiplexer's input; without a multiplexer, the number that [`Route`]s use.
    pub number: u8,
}

/// The destination of a DMA request on a part without a multiplexer. One request may have several destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The request's number, as in [`Request`].
    pub request: u8,
    /// The controller: 1 for DMA1.
    pub controller: u8,
    /// The controller's channel or stream, as the part's metadata counts them from 0.
    pub channel: u8,
    /// The value of DMA_SxCR.CHSEL that connects the request to the channel; 0 if the channel has no choice.
    pub selector: u8,
}

/// The bus whose clock a peripheral counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusClock {
    /// HCLK.
    Ahb,
    /// PCLK1, or PCLK where there is one APB.
    Apb1,
    /// PCLK2.
    Apb2,
}

impl BusClock {
    /// The clock of the bus.
    pub const fn source(self) -> Source {
        match self {
            Self::Ahb => Source::Hclk,
            Self::Apb1 => Source::Pclk,
            Self::Apb2 => Source::Pclk2,
        }
    }

    /// The clock of a timer on the bus.
    pub const fn timer(self) -> Source {
        match self {
            Self::Ahb => Source::Hclk,
            Self::Apb1 => Source::Timer,
            Self::Apb2 => Source::Timer2,
        }
    }
}

/// The field of the AFIO that moves a peripheral's pins; its value is the function of [`AlternateFunction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remap {
    /// The register's offset in the AFIO.
    pub offset: u16,
    /// The field's lowest bit.
    pub low: u8,
    /// The width in bits.
    pub width: u8,
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
    /// The alternate function's number, or [`Self::ANALOG`].
    pub function: u8,
}

impl AlternateFunction {
    /// The function of a pin that a converter has, whatever the pin is switched to.
    pub const ANALOG: u8 = u8::MAX;

    /// The function of a pin that the peripheral itself chooses by its registers.
    pub const CHOSEN: u8 = u8::MAX - 1;

    /// The pin `pin` of `port` as the converter's `signal`.
    pub const fn analog(signal: &'static str, port: u8, pin: u8) -> Self {
        Self { signal, port, pin, function: Self::ANALOG }
    }
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
    /// The bus whose clock it counts.
    pub clock: BusClock,
    /// The bit that enables its clock, if there is one.
    pub enable: Option<RccBit>,
    /// The bit that resets it, if there is one.
    pub reset: Option<RccBit>,
    /// Its interrupt signals.
    pub interrupts: &'static [SignalLine],
    /// Its DMA requests.
    pub requests: &'static [Request],
    /// Its trigger inputs that the metadata names, each with its source: `ADC_EXT_TRG4`, `TIM3_TRGO`.
    pub triggers: &'static [(&'static str, &'static str)],
    /// The field that moves its pins, on parts where one field moves all of them.
    pub remap: Option<Remap>,
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

    /// The pin of the converter's `signal`.
    pub fn analog(&self, signal: &str) -> Option<Pin> {
        let wired = |wired: &&AlternateFunction| wired.signal == signal && wired.function == AlternateFunction::ANALOG;
        self.pins.iter().find(wired).map(|wired| Pin { port: wired.port, number: wired.pin })
    }

    /// The number of the DMA request `signal`.
    pub fn request(&self, signal: &str) -> Option<u8> {
        self.requests.iter().find(|wired| wired.signal == signal).map(|wired| wired.number)
    }
}
