//! cyclescope runs firmware on cycle-timed models of microcontrollers, the same each time, with no board on the desk.
//!
//! # In a firmware project's own tests
//!
//! ```toml
//! [dev-dependencies]
//! cyclescope = { version = "0.1", default-features = false }
//!
//! [profile.dev.package."*"]
//! opt-level = 3     # else simulated seconds take minutes
//! ```
//!
//! [`Firmware`] is an ELF, [`Board`] is a chip with that in it. It runs from event to event, and what lies between is exact to
//! the cycle:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let elf = cyclescope::example_image("button-c-plain-interrupt-s-stm32c031c6")?;
//! // let firmware = cyclescope::Firmware::read("target/thumbv6m-none-eabi/release/button")?;
//! # let firmware = cyclescope::Firmware::from_elf("button", &elf)?;
//! let mut board = firmware.on("stm32c031c6")?;
//! board.stimulate("at 100ms pin PC13 low")?;
//! let irq = board.measure("pin:PC13:fall", "exception:EXTI4_15:returned")?;
//! assert!(irq.cycles() <= 420, "{} cycles", irq.cycles());
//! # Ok(())
//! # }
//! ```
//!
//! Events, spans and stimuli are written as `cyclescope measure` has them, or given as [`Event`], [`SpanText`] and [`Rule`].
//! Many passages through a span, with a chip set up to order, and a look at what the firmware is doing:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let elf = cyclescope::example_image("button-c-plain-interrupt-s-stm32c031c6")?;
//! # let firmware = cyclescope::Firmware::from_elf("button", &elf)?;
//! use cyclescope::{MemorySetting, Setup};
//!
//! let mut board = Setup::new("stm32c031c6")
//!     .memory(MemorySetting::Ideal)
//!     .limit("3s")
//!     .stimulus("presses 5 of PC13 low from 100ms gap 20ms..200ms seed 1")
//!     .start(&firmware)?;
//! let response = board.watch("response=pin:PC13:edge..symbol:cyclescope_button_runs")?;
//! board.run_for("2500ms")?;
//! assert_eq!(board.spans(response)?.len(), 10);
//! assert!(board.longest(response)?.cycles() < 1_000);
//! assert!(board.pin("PC13")?, "released");
//! assert_eq!(board.register("pc")?, board.machine().register("r15").unwrap());
//! assert!(board.stack_used().get() < 1_024, "{}", board.output());
//! # Ok(())
//! # }
//! ```
//!
//! An error says what happened and where:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let elf = cyclescope::example_image("button-c-plain-interrupt-s-stm32c031c6")?;
//! # let firmware = cyclescope::Firmware::from_elf("button", &elf)?;
//! let mut board = firmware.on("stm32c031c6")?;
//! let error = board.run_to("pin:PC13:fall").unwrap_err();
//! assert!(error.to_string().starts_with("pin:PC13:fall did not happen within 1s, the limit of this board"));
//! # Ok(())
//! # }
//! ```
//!
//! # The command line
//!
//! is the feature `cli`, which is on by default, so that `cargo install cyclescope` brings the command. It is a thin layer:
//! `cli` says what can be asked, `commands` answers, one file a command, through a `backend::Backend` that runs experiments
//! and guests, and `output` is the only place that writes. `exit` lists what the process can end with.
#![forbid(unsafe_code)]

#[cfg(feature = "cli")]
pub mod backend;
#[cfg(feature = "cli")]
mod chip;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod commands;
#[cfg(feature = "cli")]
mod commit;
mod device_file;
#[cfg(feature = "cli")]
mod disassembly;
#[cfg(feature = "cli")]
pub mod error;
#[cfg(feature = "cli")]
mod files;
#[cfg(feature = "cli")]
mod gdb;
#[cfg(feature = "cli")]
mod input;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use gdb::fed::feed as feed_debugger;
#[cfg(feature = "cli")]
pub mod interrupt;
mod library;
#[cfg(feature = "cli")]
mod listing;
#[cfg(feature = "cli")]
mod luck;
#[cfg(feature = "cli")]
pub mod output;
#[cfg(feature = "cli")]
mod page;
#[cfg(feature = "cli")]
pub mod progress;
#[cfg(feature = "cli")]
mod simulator;
#[cfg(feature = "cli")]
mod start;
#[cfg(feature = "cli")]
mod status;
#[cfg(feature = "cli")]
pub mod suite;
#[cfg(feature = "cli")]
mod terminal;
#[cfg(feature = "cli")]
mod unfinished;

#[cfg(feature = "cli")]
pub use cyclescope_guest::exit;
#[cfg(feature = "cli")]
use cyclescope_guest::{formats, measurement, tasking, tracing};
pub use cyclescope_image as image;
pub use cyclescope_machine as machine;
pub use cyclescope_machine::units;
#[cfg(feature = "cli")]
pub use cyclescope_records as records;
#[cfg(feature = "cli")]
pub use cyclescope_records::stats;
#[cfg(feature = "cli")]
pub use cyclescope_report as report;
pub use cyclescope_scope as scope;
#[cfg(feature = "cli")]
pub use cyclescope_text::nearest;
#[cfg(feature = "cli")]
pub use simulator::Simulator;

pub use cyclescope_attached::DeviceFileError;
pub use cyclescope_attached::{self as attached, AttachError, DeviceText};
pub use cyclescope_chips::{MemorySetting, Part};
#[cfg(feature = "cli")]
pub use cyclescope_guest::TOOL;
pub use cyclescope_machine::{Attached, Attachment, Contact, I2cAddress, Transfer, Voltage, Wire};
pub use cyclescope_scope::{Action, Event, Level, Rule, SpanText, Time};
pub use library::{Board, BoardError, Firmware, Measured, Place, Setup, SpanId, Worst, Written};
#[cfg(feature = "cli")]
pub use start::run;

/// The ELF of an image that comes with cyclescope, for examples: `cyclescope list images` shows their names. Needs the feature
/// `cli`, which brings them.
///
/// # Errors
/// If no image has that name.
#[cfg(feature = "cli")]
pub fn example_image(name: &str) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let image = cyclescope_images::images().iter().find(|image| image.name == name);
    Ok(image.ok_or_else(|| format!("there is no image `{name}`"))?.elf()?)
}
