//! IP blocks as chip vendors reuse them, one module per version.
//!
//! A block is a [`Bank`] of declared registers and the behaviour of those it models; parts (in `cyclescope-chips`)
//! are tables of [`Instance`]s over these blocks. Each vendor has a module. `crates/peripherals/generate` packs the declared
//! maps of STM32 for `cyclescope-chips` from the metadata of the crate `stm32-metapac`. `generate-kinetis` writes those
//! of the Kinetis K20 from the crate `mk20d7`, `generate-nrf` those of the nRF52840 from `nrf-pac`, `generate-rp` those of the
//! RP2040 from `rp-pac`, `generate-esp` those of the ESP8266 and the ESP32 from `esp8266` and `esp32`. The LM3S6965's few
//! registers, reset values and behaviour are written by
//! hand beside each block and name the section of the manual.
//!
//! A field or register that is declared but not modelled is never silent. A model gap is counted under the manual's name
//! for a write of such a field with another value than its reset value, and for a read of a register without modelled
//! fields.
//!
//! Time is exact and needs no ticking: see [`Clocks`].
#![forbid(unsafe_code)]

pub mod avr;
pub mod bank;
mod clock;
mod device;
mod dma;
pub mod esp;
pub mod framework;
pub mod i2c;
mod instance;
pub mod kinetis;
pub mod lm3s;
pub mod nrf;
pub mod pins;
pub mod pl011;
mod register;
pub mod riscv;
mod roles;
pub mod rp;
pub mod serial;
mod slots;
pub mod small;
mod spi_edges;
pub mod stm32;
pub mod synchroniser;
mod triggers;
mod usb;
pub mod wires;
mod words;

pub use bank::{Bank, Fields, Modelled, Row, Write};
pub use clock::{Clocks, Instant, Oscillators, Pll, Source, Span, Tree};
pub use device::{Device, Properties};
pub use framework::{Block, EVENTS_PER_BLOCK, Serial};
pub use instance::{AlternateFunction, BusClock, Instance, RccBit, Remap, Request, Route, SignalLine};
pub use register::{Access, Field, Map, Register};
pub use roles::{
    BackupDomain, BusMaster, ClockControl, Comparator, Converter, DeepSleep, DmaController, EdgeLines, FlashControl,
    MasterAccess, MemorySetting, Message, Outcome, Port, PowerControl, Receiver, RequestMux, Side, Transfer,
    VoltageRange,
};
pub use slots::Slots;
pub use triggers::{Trigger, Triggers};
pub use words::{DmaRequest, Drivers, Effect, Env, Lines, ResetFlag, Wires, Words};
