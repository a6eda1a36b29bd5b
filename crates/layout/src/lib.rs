//! Layouts: the places that a linker could have given to the code and constants of an image.
//!
//! [`Units`] are the stretches of an image that can lie elsewhere as they are, found from its symbols or from a linker's map.
//! [`Units::layout`] puts them into another order, with other gaps, as [`Placement`](cyclescope_machine::Placement) for timing only.
#![forbid(unsafe_code)]

mod layout;
mod map;
mod piece;
mod units;

pub use layout::{Layout, LayoutError};
pub use map::{LinkerMap, MapError};
pub use units::{Unit, Units, UnitsError};
