//! The core as a page uses it.

mod requests;
