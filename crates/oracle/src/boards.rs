//! Programs of the oracle's own for the devices of QEMU's STM32 boards, `netduinoplus2` (STM32F405) and `stm32vldiscovery`
//! (STM32F100), built with GCC when the oracle runs: serial port, timer, SPI, EXTI and converter, as far as QEMU has them.
//!
//! Output and exit code must be equal, times are not compared. [`DEFECTS`] lists what QEMU does otherwise than the manuals say.

use std::fs;
use std::process::Command;

use crate::error::OracleError;
use crate::process::{self, Folder};
use crate::programs::{self, Comparison, Guest};

/// A board of QEMU's, with the part here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// An STM32F405RG.
    NetduinoPlus2,
    /// An STM32F100RB.
    Stm32VlDiscovery,
}

impl Board {
    const fn machine(self) -> &'static str {
        match self {
            Self::NetduinoPlus2 => "netduinoplus2",
            Self::Stm32VlDiscovery => "stm32vldiscovery",
        }
    }

    const fn chip(self) -> &'static str {
        match self {
            Self::NetduinoPlus2 => "stm32f405rg",
            Self::Stm32VlDiscovery => "stm32f100rb",
        }
    }

    const fn define(self) -> &'static str {
        match self {
            Self::NetduinoPlus2 => "-DF4",
            Self::Stm32VlDiscovery => "-DF1",
        }
    }
}

/// A program in C.
#[derive(Debug)]
pub struct Program {
    /// Its name, with the board's.
    pub name: &'static str,
    source: &'static str,
    board: Board,
    input: &'static [u8],
}

macro_rules! program {
    ($name:literal, $board:ident, $machine:literal) => {
        Program {
            name: concat!("devices-", $name, "-", $machine),
            source: include_str!(concat!("../programs/arm/", $name, ".c")),
            board: Board::$board,
            input: &[],
        }
    };
}

/// The programs that must not differ.
pub const PROGRAMS: &[Program] = &[
    Program { input: b"abcdEFGH", ..program!("usart", NetduinoPlus2, "netduinoplus2") },
    program!("timer", NetduinoPlus2, "netduinoplus2"),
    program!("spi", NetduinoPlus2, "netduinoplus2"),
    program!("exti", NetduinoPlus2, "netduinoplus2"),
    program!("adc", NetduinoPlus2, "netduinoplus2"),
    Program { input: b"abcdEFGH", ..program!("usart", Stm32VlDiscovery, "stm32vldiscovery") },
    program!("spi", Stm32VlDiscovery, "stm32vldiscovery"),
];

/// The program that shows the defects, a line each.
const PROBE: Program = program!("defects", NetduinoPlus2, "netduinoplus2");

/// A known defect of QEMU's devices.
#[derive(Debug)]
pub struct Defect {
    /// The difference.
    pub what: &'static str,
    /// The reason why our result is right.
    pub why: &'static str,
    /// The line that the probe prints here, and under QEMU.
    lines: [&'static str; 2],
}

/// All known defects.
pub const DEFECTS: &[Defect] = &[
    Defect {
        what: "TIM2_CNT counts while CEN is 0",
        why: "the counter is clocked while CEN is 1 (RM0090, TIMx_CR1)",
        lines: ["counts 00000000", "counts 00000001"],
    },
    Defect {
        what: "TIM2_SR.UIF stays 0 at UG while UIE is 0",
        why: "UIE lets the interrupt through, not the flag (RM0090, TIMx_EGR, TIMx_DIER)",
        lines: ["uif 00000001", "uif 00000000"],
    },
    Defect {
        what: "SPI_SR has the reset value 0x000A",
        why: "it is 0x0002 (RM0090, SPI_SR)",
        lines: ["spi 00000002", "spi 0000000a"],
    },
    Defect {
        what: "EXTI_SWIER asks for no interrupt",
        why: "it sets the pending bit of an unmasked line (RM0090, EXTI_SWIER)",
        lines: ["swier 00000001", "swier 00000000"],
    },
    Defect {
        what: "the converter never sets EOC, and makes up what it has measured",
        why: "EOC is set at the end of a conversion (RM0090, ADC_SR)",
        lines: ["eoc 00000002", "eoc 00000000"],
    },
    Defect {
        what: "USART's TXE and TC have no interrupt",
        why: "TXEIE and TCIE let it through (RM0090, USART_CR1)",
        lines: ["txe 00000001", "txe 00000000"],
    },
];

/// Runs `program` here and under QEMU.
///
/// # Errors
/// GCC or QEMU is not installed, or a file cannot be written.
pub fn compare(program: &Program) -> Result<Comparison, OracleError> {
    let elf = build(program)?;
    let board = program.board;
    let guest =
        Guest { name: program.name, elf: &elf, chip: board.chip(), board: board.machine(), input: program.input };
    programs::compare_guest(&guest, false)
}

/// Returns the defects that the probe does not show, here or under QEMU.
///
/// # Errors
/// As [`compare`].
pub fn unseen() -> Result<Vec<&'static Defect>, OracleError> {
    let comparison = compare(&PROBE)?;
    let sides = [comparison.ours.lines, comparison.qemu.lines];
    let shows = |defect: &&Defect| {
        defect.lines.iter().zip(&sides).all(|(line, side)| side.iter().any(|printed| printed.as_str() == *line))
    };
    Ok(DEFECTS.iter().filter(|defect| !shows(defect)).collect())
}

fn build(program: &Program) -> Result<Vec<u8>, OracleError> {
    let folder = Folder::temporary(program.name)?;
    for (name, text) in [
        ("program.c", program.source),
        ("common.h", include_str!("../programs/arm/common.h")),
        ("stm32.ld", include_str!("../programs/arm/stm32.ld")),
    ] {
        folder.write(name, text)?;
    }
    let mut compiler = Command::new("arm-none-eabi-gcc");
    compiler
        .current_dir(folder.path())
        .args(["-mcpu=cortex-m3", "-mthumb", "-Os", "-Wall", "-Wextra", "-Werror", program.board.define()])
        .args(["-ffreestanding", "-nostdlib", "-T", "stm32.ld", "-o", "program.elf", "program.c", "-lgcc"]);
    process::build(&mut compiler, "libgcc", "gcc-arm-none-eabi")?;
    fs::read(folder.path().join("program.elf")).map_err(OracleError::io("cannot read what was just built"))
}
