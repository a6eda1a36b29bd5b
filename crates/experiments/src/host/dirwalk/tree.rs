//! The work of a walk, as the experiment's file says.

use serde::Deserialize;

/// The tree that is made where no folder is named.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    pub(super) dirs: u32,
    pub(super) files: u32,
    pub(super) links: u32,
    pub(super) depth: u32,
    pub(super) seed: u64,
    /// The operations of one run that takes them apart.
    pub(super) operations: u32,
}

/// The mode without an axis.
pub(super) const WALK: &str = "walk";

/// The mode of one operation, taken apart.
pub(super) const OPERATION: &str = "operation";
