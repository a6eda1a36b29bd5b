//! Register numbers of Timers 0 to 3 ([`Instance::registers`](crate::avr::Instance::registers)).
#![allow(missing_docs)]

pub const TCCRA: u8 = 0;
pub const TCCRB: u8 = 1;
/// Only with sixteen bits.
pub const TCCRC: u8 = 2;
/// The counter, or its low byte.
pub const TCNTL: u8 = 3;
/// Only with sixteen bits, like every high byte.
pub const TCNTH: u8 = 4;
pub const OCRAL: u8 = 5;
pub const OCRAH: u8 = 6;
pub const OCRBL: u8 = 7;
pub const OCRBH: u8 = 8;
/// Only where the timer has a third channel.
pub const OCRCL: u8 = 9;
pub const OCRCH: u8 = 10;
pub const ICRL: u8 = 11;
pub const ICRH: u8 = 12;
pub const TIMSK: u8 = 13;
pub const TIFR: u8 = 14;
/// Only in Timer 2.
pub const ASSR: u8 = 15;

/// The input that Tn is ([`Instance::inputs`](crate::avr::Instance::inputs)).
pub const CLOCK_PIN: usize = 0;
/// The input that ICPn is.
pub const CAPTURE_PIN: usize = 1;
