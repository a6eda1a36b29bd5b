//! The generic kernel: one process without privilege, its calls, its memory, and what is said when all goes wrong.
//!
//! The way of a call through this crate:
//!
//! ```text
//! trap vector (board, assembly) ─▶ Kernel::trap ─▶ Call::decode ─▶ Hook::called ─▶ Filter::permits ─▶ driver::ask ─▶ Driver
//! process's registers ◀─ Chip::answer ◀─ Answer::words ◀─ Hook::answered ◀─────────────────────────────────────────────┘
//! ```
//!
//! What is generic over the chip ([`Kernel`], [`LastCall`]) is compiled where the board instantiates it; all else is
//! compiled here, once.
#![no_std]

mod answer;
mod call;
mod chip;
mod debug;
mod driver;
mod kernel;
mod memory;
mod pass;
mod protection;
mod upcall;

pub use answer::{Answer, Refusal};
pub use call::{Call, ProcessId, RawCall, Request};
pub use chip::{Cause, Chip, Fault};
pub use debug::{Hook, LastCall, NoHook};
pub use driver::{Driver, DriverNumber, Filter};
pub use kernel::Kernel;
pub use memory::{Buffer, Memory};
pub use pass::Passed;
pub use protection::{Access, Region};
pub use upcall::{Callback, Upcall, Upcalls};
