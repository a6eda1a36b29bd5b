//! Values of a described RISC-V system that are kept for as long as the program runs.
//!
//! Names of blocks, banks and registers, and the blocks themselves, are `&'static` everywhere: in gaps, records,
//! signals. They are made once for each description, because the same text gives the same part. Memory thus grows with
//! the number of descriptions and not with their uses. The size that a file may have bounds each description, and
//! [`MOST_BYTES`] all of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::DescriptionError;
use crate::part::Part;

static PARTS: Mutex<Option<HashMap<String, Part>>> = Mutex::new(None);

/// The bytes that are kept.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The bytes after which no new description is taken.
const MOST_BYTES: usize = 128 << 20;

/// The part of the description `text`, made by `make` if it is new.
///
/// # Errors
/// [`DescriptionError::TooMany`], and those of `make`. What a description left behind that failed counts as well.
pub(super) fn part(
    text: &str,
    make: impl FnOnce() -> Result<Part, DescriptionError>,
) -> Result<Part, DescriptionError> {
    let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let parts = parts.get_or_insert_default();
    if let Some(part) = parts.get(text) {
        return Ok(part.clone());
    }
    if BYTES.load(Ordering::Relaxed) >= MOST_BYTES {
        return Err(DescriptionError::TooMany { most: MOST_BYTES });
    }
    let part = make()?;
    BYTES.fetch_add(text.len(), Ordering::Relaxed);
    parts.insert(text.to_owned(), part.clone());
    Ok(part)
}

/// `text`, for good.
pub(super) fn text(text: &str) -> &'static str {
    BYTES.fetch_add(text.len(), Ordering::Relaxed);
    Box::leak(text.to_owned().into_boxed_str())
}

/// `value`, for good.
pub(super) fn value<T>(value: T) -> &'static T {
    BYTES.fetch_add(size_of::<T>(), Ordering::Relaxed);
    Box::leak(Box::new(value))
}

/// `values`, for good.
pub(super) fn values<T>(values: Vec<T>) -> &'static [T] {
    BYTES.fetch_add(size_of_val(&*values), Ordering::Relaxed);
    Box::leak(values.into_boxed_slice())
}
