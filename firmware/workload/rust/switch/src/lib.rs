//! The switch program's counter, rows and lines, and what a board without a HAL needs for it.
//!
//! `firmware/README.md` is the contract. The tasks stay with the contender: each is written as a user of its runtime
//! writes one. [`Row`] times what runs between the markers, [`resume_in_turn`] is the row that no scheduler is in,
//! [`Report`] says how it went. There is no runtime here.

#![no_std]

#[cfg(feature = "board")]
mod board;
#[cfg(feature = "clock")]
#[cfg_attr(feature = "rp2040", path = "rp2040/clock.rs")]
mod clock;
mod report;
mod row;
#[cfg(feature = "board")]
#[cfg_attr(feature = "rp2040", path = "rp2040/systick.rs")]
pub mod systick;

#[cfg(feature = "board")]
pub use crate::board::Board;
#[cfg(feature = "clock")]
pub use crate::clock::Clock;
pub use crate::report::{Report, Size};
pub use crate::row::{ITERATIONS, Row, Span, TURNS, add_one, count, empty_loop, resume_in_turn};
#[cfg(feature = "board")]
pub use cyclescope_boards::CORE_HZ;
