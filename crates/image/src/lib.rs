//! Firmware images: what an ELF file loads, what it calls things, where its source lines are and what it weighs.
//!
//! The bytes are untrusted. [`Image::parse`] takes any input and answers with an image or an [`ImageError`] that says
//! what is wrong and what to do; nothing here panics, follows paths, or allocates more than a small multiple of the
//! file. Line tables are parsed when first asked for, hashes likewise, so that starting a run costs next to nothing.
//!
//! The loader's view is the *physical* address (ELF `p_paddr`, the LMA of a linker script): that is where a
//! programmer writes `.data`'s initial values, which start-up code then copies to the virtual address.
#![forbid(unsafe_code)]

mod architecture;
mod demangle;
mod error;
mod image;
mod lines;
mod pattern;
mod read;
mod section;
mod segment;
pub mod size;
mod symbol;

pub use architecture::Architecture;
pub use demangle::demangle;
pub use error::{ImageError, ImageWarning, SymbolError};
pub use image::{Digest, Image};
pub use lines::{Frame, SourceLine};
pub use read::read;
pub use section::{Section, SectionKind, SectionTotals};
pub use segment::Segment;
pub use symbol::{Binding, Symbol, SymbolKind};
