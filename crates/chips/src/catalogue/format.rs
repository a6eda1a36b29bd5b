//! The packed metadata of a family: what several parts or blocks share is there once, and a number elsewhere. The generator in
//! `crates/peripherals/generate` writes it with these types.

use serde::{Deserialize, Serialize};

/// The place of a text in [`Family::texts`].
pub type Text = u16;

/// The place of a list in one of the tables of [`Family`].
pub type List = u16;

/// The parts of a family.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Family {
    /// All names.
    pub texts: Vec<String>,
    /// Lists of fields: name, lowest bit, width.
    pub fields: Vec<Vec<(Text, u8, u8)>>,
    /// Register maps.
    pub maps: Vec<Map>,
    /// Lists of names with a number each: interrupt signals, DMA requests, interrupt lines.
    pub numbered: Vec<Vec<(Text, u8)>>,
    /// Lists of triggers: input and source.
    pub triggers: Vec<Vec<(Text, Text)>>,
    /// Lists of pins: signal, port, pin, alternate function.
    pub functions: Vec<Vec<(Text, u8, u8, u8)>>,
    /// Lists of DMA routes: request, controller, channel, selector.
    pub routes: Vec<Vec<(u8, u8, u8, u8)>>,
    /// Lists of ports with a bit for each pin that a package brings out.
    pub pins: Vec<Vec<(u8, u32)>>,
    /// Peripherals.
    pub instances: Vec<Instance>,
    /// The parts.
    pub parts: Vec<Part>,
}

/// A block's declared registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Map {
    /// The kind of block.
    pub kind: Text,
    /// Its version.
    pub version: Text,
    /// The registers, by offset.
    pub registers: Vec<Register>,
}

/// A declared register.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Register {
    /// Its name.
    pub name: Text,
    /// Bytes from the block's address.
    pub offset: u32,
    /// The width in bits.
    pub bits: u8,
    /// The access that software has.
    pub access: Access,
    /// True for another view of bytes that another register has.
    pub alternate: bool,
    /// Its fields.
    pub fields: List,
}

/// The access that software has to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Access {
    /// Read and written.
    ReadWrite,
    /// Only read.
    ReadOnly,
    /// Only written.
    WriteOnly,
}

/// The bus whose clock a peripheral counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bus {
    /// HCLK.
    Ahb,
    /// PCLK1, or PCLK where there is one APB.
    Apb1,
    /// PCLK2.
    Apb2,
}

/// A peripheral.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instance {
    /// Its name.
    pub name: Text,
    /// Its base address.
    pub address: u32,
    /// Its registers, among the maps.
    pub map: u16,
    /// Its bus.
    pub clock: Bus,
    /// Offset and bit of the RCC bit that enables its clock.
    pub enable: Option<(u16, u8)>,
    /// The same of the bit that resets it.
    pub reset: Option<(u16, u8)>,
    /// Its interrupt signals.
    pub interrupts: List,
    /// Its DMA requests.
    pub requests: List,
    /// Its triggers.
    pub triggers: List,
    /// Offset, lowest bit and width of the AFIO field that moves its pins.
    pub remap: Option<(u16, u8, u8)>,
    /// Its pins.
    pub functions: List,
}

/// A memory of a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Region {
    /// Its name in the metadata.
    pub name: Text,
    /// The first address.
    pub address: u32,
    /// The size in bytes.
    pub bytes: u32,
    /// The bytes that are erased at once in flash; 0 for RAM.
    pub erased: u32,
}

/// A part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// Its name, in lower case.
    pub name: Text,
    /// Its product line, as the vendor writes it.
    pub line: Text,
    /// Its memories as it leaves the factory.
    pub memory: Vec<Region>,
    /// Priority bits of the interrupt controller.
    pub priority_bits: u8,
    /// Its interrupt lines.
    pub interrupts: List,
    /// Its DMA routes.
    pub routes: List,
    /// The pins that its package brings out.
    pub pins: List,
    /// Its peripherals by address, each a place among the instances.
    pub instances: Vec<u16>,
}
