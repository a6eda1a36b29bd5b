//! Tests of the core with a device of a few lines.

mod common;
mod control;
mod timing;
mod traps;
