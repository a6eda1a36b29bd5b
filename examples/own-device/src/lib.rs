//! A placeholder for your firmware. The example is in `tests/digit.rs`.
