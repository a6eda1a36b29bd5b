//! The programs for comparison, one for each device, built with avr-gcc when the oracle runs.

use std::fs;
use std::process::Command;

use cyclescope_chips::avr::AvrPart;
use cyclescope_image::Image;

use super::ours::Outside;
use super::step::Kind;
use crate::error::OracleError;
use crate::process::{Folder, build};

/// Their common header.
const COMMON: &str = include_str!("../../../programs/avr/common.h");

/// A program in C.
#[derive(Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    source: &'static str,
    /// The number of cycles to follow.
    pub(super) cycles: u64,
    /// External events during the run.
    pub(super) outside: &'static [Outside],
    /// The least number of bytes that it must have sent by the end.
    pub(super) sends: usize,
    /// The only part that it runs on; any part if `None`.
    only: Option<&'static str>,
}

macro_rules! program {
    ($name:literal, $cycles:expr, $sends:expr, $outside:expr) => {
        Program {
            name: $name,
            source: include_str!(concat!("../../../programs/avr/", $name, ".c")),
            cycles: $cycles,
            outside: $outside,
            sends: $sends,
            only: None,
        }
    };
}

/// Timer overflows at several prescalers.
pub const OVERFLOW: Program = program!("overflow", 600_000, 0, &[]);
/// Compare matches in CTC mode.
pub const COMPARE: Program = program!("compare", 600_000, 0, &[]);
/// Bytes sent and received, by interrupts and by polling.
pub const USART: Program = program!(
    "usart",
    400_000,
    29,
    &[
        (150_000, Kind::Receive(b'a')),
        (170_000, Kind::Receive(b'b')),
        (190_000, Kind::Receive(0xFF)),
        (210_001, Kind::Receive(0))
    ]
);
/// Pin changes and external interrupts.
pub const PINS: Program = program!(
    "pins",
    100_000,
    0,
    &[
        (10_000, Kind::Pin { port: b'D', number: 2, high: true }),
        (20_003, Kind::Pin { port: b'B', number: 4, high: true }),
        (30_006, Kind::Pin { port: b'D', number: 2, high: false }),
        (40_001, Kind::Pin { port: b'B', number: 4, high: false }),
        (50_002, Kind::Pin { port: b'D', number: 2, high: true }),
        (60_000, Kind::Pin { port: b'B', number: 4, high: true }),
    ]
);
/// The EEPROM written and read.
pub const EEPROM: Program = program!("eeprom", 1_200_000, 0, &[]);

/// Conversions of ground, by interrupt and by polling.
pub const ANALOG: Program = program!("analog", 60_000, 0, &[]);
/// A scan of an empty I2C, and bytes over SPI.
pub const WIRES: Program = program!("wires", 20_000, 0, &[]);

/// A change of clock for a timer that has counted.
pub const CLOCK: Program = program!("clock", 2_000, 0, &[]);
/// Reserved bits written and read.
pub const RESERVED: Program = program!("reserved", 2_000, 0, &[]);

/// Registers read out of reset.
pub const RESET: Program = program!("reset", 2_000, 0, &[]);
/// The PLL started.
pub const PLL: Program = Program { only: Some("atmega32u4"), ..program!("pll", 200_000, 0, &[]) };

/// The programs that must not differ. The others demonstrate a known defect.
pub const PROGRAMS: &[Program] = &[OVERFLOW, COMPARE, USART, PINS, EEPROM, ANALOG, WIRES, RESET, PLL];

impl Program {
    /// Tells if `part` has the devices that it needs.
    pub fn suits(&self, part: &AvrPart) -> bool {
        self.only.is_none_or(|name| name == part.name)
    }

    /// Builds it for `part`.
    pub(super) fn build(&self, part: &AvrPart) -> Result<Vec<u8>, OracleError> {
        let folder = Folder::temporary(self.name)?;
        let (source, elf) = (folder.write("program.c", self.source)?, folder.path().join("program.elf"));
        folder.write("common.h", COMMON)?;
        let mut compiler = Command::new("avr-gcc");
        compiler
            .args(["-std=gnu11", "-Os", "-Wall", "-Wextra", "-Werror", "-DF_CPU=16000000UL", "-o"])
            .args([&elf, &source])
            .arg(format!("-mmcu={}", part.name));
        build(&mut compiler, "avr-libc", "gcc-avr avr-libc")?;
        fs::read(&elf).map_err(OracleError::io("cannot read what was just built"))
    }
}

/// Returns the flash of `part` with `image`; `None` if the image does not fit.
pub(super) fn flash(image: &Image, part: &AvrPart) -> Option<Vec<u8>> {
    let mut flash = vec![0xFF; part.flash_bytes as usize];
    let architecture = image.architecture();
    for segment in image.segments().filter(|segment| architecture.is_main_memory(segment.address.get())) {
        let start = segment.address.get() as usize;
        flash.get_mut(start..start.checked_add(segment.bytes.len())?)?.copy_from_slice(segment.bytes);
    }
    Some(flash)
}
