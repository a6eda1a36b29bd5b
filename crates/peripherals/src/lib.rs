//! IP blocks as chip vendors reuse them, one module per version.
//!
//! A block is a [`Bank`] of declared registers and the behaviour of those it models; parts (in `cyclescope-chips`)
//! are tables of [`Instance`]s over these blocks. There is a module a vendor. The declared maps in [`stm32::generated`] are written by
//! `crates/peripherals/generate` from the metadata of the crate `stm32-metapac`, those of the Kinetis K20 by
//! `generate-kinetis` from the crate `mk20d7`; the LM3S6965's few registers, reset values and behaviour stand by hand
//! beside each block and name the section of the manual.
//!
//! What is declared but not modelled is never silent: writing a value other than the reset value to such a field, or
//! reading a register none of whose fields is modelled, counts a model gap under the manual's name.
//!
//! Time is exact and needs no ticking: see [`Clocks`].
#![forbid(unsafe_code)]

pub mod avr;
pub mod bank;
mod clock;
mod device;
pub mod framework;
mod instance;
pub mod kinetis;
pub mod lm3s;
mod register;
pub mod riscv;
mod roles;
pub mod serial;
mod slots;
pub mod small;
pub mod stm32;
pub mod synchroniser;
mod words;

pub use bank::{Bank, Fields, Modelled, Row, Write};
pub use clock::{Clocks, Instant, Oscillators, Pll, Source, Span, Tree};
pub use device::Device;
pub use framework::{Block, EVENTS_PER_BLOCK};
pub use instance::{AlternateFunction, BusClock, Instance, RccBit, Remap, Request, Route, SignalLine};
pub use register::{Access, Field, Map, Register};
pub use roles::{
    ClockControl, DmaController, EdgeLines, FlashControl, MemorySetting, Port, ResetFlag, Serial, Transfer,
};
pub use slots::Slots;
pub use words::{DmaRequest, Effect, Env, Lines, Wires, Words};
