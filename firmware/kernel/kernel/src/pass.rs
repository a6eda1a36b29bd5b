//! How a decoded call is handed from layer to layer.
//!
//! A call has twelve words. By value each layer that keeps one or hands one on has a copy of its own; by reference all see
//! the one that was decoded. Nothing else differs between the two builds.

use crate::call::Call;

/// A call as functions take it.
#[cfg(feature = "by-value")]
pub type Passed<'a> = Call;
/// A call as functions take it.
#[cfg(not(feature = "by-value"))]
pub type Passed<'a> = &'a Call;

/// What a function is given of a call.
#[cfg(feature = "by-value")]
#[inline(always)]
pub fn pass(call: &Call) -> Passed<'_> {
    *call
}

/// What a function is given of a call.
#[cfg(not(feature = "by-value"))]
#[inline(always)]
pub fn pass(call: &Call) -> Passed<'_> {
    call
}
