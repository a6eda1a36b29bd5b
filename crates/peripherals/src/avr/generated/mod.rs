//! Declared data spaces, written by `crates/peripherals/generate-avr`; do not edit.

pub mod atmega328p;
pub mod atmega32u4;
