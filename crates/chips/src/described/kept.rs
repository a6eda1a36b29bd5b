//! Values of a described RISC-V system that are kept for as long as the program runs.
//!
//! Names of blocks, banks and registers, and the blocks themselves, are `&'static` everywhere: in gaps, records,
//! signals. They are made once for each description, because the same text gives the same part. Memory thus grows with
//! the number of descriptions and not with their uses, and the size that a file may have bounds each description.

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
