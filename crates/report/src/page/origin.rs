//! The origin of a number.

use std::collections::BTreeMap;

/// The facts of images beside their records, by the image's SHA-256: names and values, such as the compiler's
/// flags and the versions of libraries.
pub type Facts = BTreeMap<String, Vec<(String, String)>>;
