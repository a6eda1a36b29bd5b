//! What stands behind a number.

use std::collections::BTreeMap;

/// What is known of images beside what their records say, by the image's SHA-256: names and values, such as the compiler's
/// flags and the versions of libraries.
pub type Facts = BTreeMap<String, Vec<(String, String)>>;
