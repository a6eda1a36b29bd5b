//! Tests of sweeps over bundled images.

mod arriving;
mod common;
mod figures;
mod parts;
mod plans;
