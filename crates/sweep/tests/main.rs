//! Tests of sweeps over bundled images.

mod common;
mod figures;
mod parts;
mod plans;
