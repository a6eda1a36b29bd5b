//! Firmware images: segments, symbols, source lines and sizes of an ELF file; memory from Intel HEX, UF2 and binaries.
//!
//! The bytes are untrusted. [`Image::parse`] takes any input and returns an image or an [`ImageError`] that says what
//! is wrong and what to do. No input makes this crate panic, follow paths, or allocate more than a small multiple of
//! the file. Line tables and hashes are computed at their first use, so the start of a run is fast.
//!
//! Segments use the *physical* address (ELF `p_paddr`, the LMA of a linker script). A programmer writes the initial
//! values of `.data` there; start-up code copies them to the virtual address.
#![forbid(unsafe_code)]

mod architecture;
mod call_frames;
mod contents;
mod cover;
mod demangle;
mod error;
mod frame_expression;
mod image;
mod lines;
mod members;
mod pattern;
mod read;
mod section;
mod segment;
pub mod size;
mod symbol;
mod types;

pub use architecture::Architecture;
pub use call_frames::{CallFrameRow, CallFrames, FrameBase, Saved};
pub use contents::Contents;
pub use demangle::demangle;
pub use error::{ImageError, ImageWarning, SymbolError};
pub use frame_expression::{FrameExpression, FrameState};
pub use image::{Digest, Image};
pub use lines::{Frame, SourceLine};
pub use read::read;
pub use section::{Section, SectionKind, SectionTotals};
pub use segment::Segment;
pub use symbol::{Binding, Symbol, SymbolKind};
pub use types::{Kind, Member, Static, Type, TypeId, Types, TypesError, Variant};
