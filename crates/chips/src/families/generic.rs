//! A core without a vendor's parts: nothing answers but memory.

use crate::family::Family;

/// The family of cores alone.
pub(crate) static GENERIC: Family = Family::bare("generic");
