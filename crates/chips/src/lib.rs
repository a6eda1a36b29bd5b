//! Parts as data over the blocks of `cyclescope-peripherals`.
//!
//! A [`Part`] says what a part is; [`Devices`] is the peripherals of one, the same type for all. A new part of a known
//! family is a table in [`Part::all`] and no logic, or a file that a user writes ([`Part::from_toml`]).
#![forbid(unsafe_code)]

pub mod avr;
mod catalogue;
mod coverage;
mod described;
mod devices;
mod families;
mod family;
mod find;
mod generated;
mod machine;
mod outside;
mod owner;
mod part;
mod parts;
pub mod riscv;
mod stimuli;
mod table;

pub use coverage::{Coverage, Extent, Missing};
pub use cyclescope_engine::{Group, LoweredShare, Register, Way};
pub use cyclescope_machine::{Retire, Sink, Stimulus};
pub use cyclescope_peripherals::{Clocks, MemorySetting, Source};
pub use described::{DescriptionError, LoadPartError};
pub use devices::Devices;
pub use family::Family;
pub use find::{PartError, PinError, Substitute};
pub use machine::{AttachError, Hold, LoadError, Machine, Settings, Situation, StackUse, Tier, take_lowered_share};
pub use part::{Board, Core, CortexM, CortexMModel, OtherRam, Part, Region, Soc};
pub use parts::ProductLine;
