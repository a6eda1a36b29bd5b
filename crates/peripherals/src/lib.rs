//! IP blocks as chip vendors reuse them, one module per version.
//!
//! A block is a [`Bank`] of declared registers and the behaviour of those it models; parts (in `cyclescope-chips`)
//! are tables of [`Instance`]s over these blocks. The declared maps in [`generated`] are written by
//! `crates/peripherals/generate` from the metadata of the crate `stm32-metapac`, those of the Kinetis K20 by
//! `generate-kinetis` from the crate `mk20d7`; the LM3S6965's few registers, reset values and behaviour stand by hand
//! beside each block and name the section of the manual.
//!
//! What is declared but not modelled is never silent: writing a value other than the reset value to such a field, or
//! reading a register none of whose fields is modelled, counts a model gap under the manual's name.
//!
//! Time is exact and needs no ticking: see [`Clocks`].
#![forbid(unsafe_code)]

pub mod afio_f1;
pub mod avr;
pub mod backup_f1;
pub mod bank;
mod clock;
pub mod crc_v1;
pub mod crc_v3;
pub mod declared_f1;
pub mod declared_lm3s;
mod device;
pub mod dma_v1;
pub mod dma_v2;
pub mod dmamux_v1;
mod env;
pub mod exti_c0;
pub mod exti_v1;
pub mod flash_c0;
pub mod flash_f1;
pub mod flash_f4;
#[allow(missing_docs)]
pub mod generated;
pub mod gpio_v1;
pub mod gpio_v2;
mod instance;
pub mod iwdg_v2;
pub mod kinetis;
pub mod lm3s_uart;
pub mod pwr_f4;
pub mod rcc_c0;
pub mod rcc_f1;
pub mod rcc_f4;
mod register;
pub mod riscv;
mod roles;
pub mod small;
pub mod synchroniser;
pub mod timer_v3;
pub mod usart_v1;
pub mod usart_v4;
pub mod wwdg_v2;

pub use bank::{Bank, Fields, Modelled, Row, Write};
pub use clock::{Clocks, Instant, Oscillators, Pll, Source, Span, Tree};
pub use device::Device;
pub use env::{Block, EVENTS_PER_BLOCK, Effect, Env, Lines, Wires};
pub use flash_c0::MemorySetting;
pub use instance::{AlternateFunction, BusClock, Instance, RccBit, Remap, Request, Route, SignalLine};
pub use register::{Access, Field, Map, Register};
pub use roles::{ClockControl, DmaController, EdgeLines, FlashControl, Port, Serial};
