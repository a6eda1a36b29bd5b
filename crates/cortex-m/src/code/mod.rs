//! Predecoded code: runs of instructions with their summed static cycles.
//!
//! A block goes on past branches whose target is known, as [`builder`] says, and ends at any other instruction after which
//! control may be elsewhere. It carries what can be known once: cycles, instruction count, flash lines crossed, the rows of the
//! timing table it uses.

mod block;
mod builder;
mod memories;

pub use block::{Alone, Block, BlockDetail, Fetch, FetchKind, FetchRun, Place, PlaceDetail, Refill, Word};
pub(crate) use builder::{Builder, is_branch_across};
