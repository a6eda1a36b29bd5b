//! What of a described RISC-V system is kept for as long as the program runs.
//!
//! Names of blocks, banks and registers, and the blocks themselves, are `&'static` wherever they go: in gaps, records, signals. Of a
//! description they are made so once: the same text gives the same part, so that what is kept grows with the number of
//! descriptions and not of uses, and each is bounded by the size that a file may have.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::part::Part;

static PARTS: Mutex<Option<HashMap<String, Part>>> = Mutex::new(None);

/// The part of the description `text`, made by `make` if it is new.
pub(super) fn part<E>(text: &str, make: impl FnOnce() -> Result<Part, E>) -> Result<Part, E> {
    let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let parts = parts.get_or_insert_default();
    if let Some(part) = parts.get(text) {
        return Ok(part.clone());
    }
    let part = make()?;
    parts.insert(text.to_owned(), part.clone());
    Ok(part)
}

/// `text`, for good.
pub(super) fn text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// `value`, for good.
pub(super) fn value<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// `values`, for good.
pub(super) fn values<T>(values: Vec<T>) -> &'static [T] {
    Box::leak(values.into_boxed_slice())
}
