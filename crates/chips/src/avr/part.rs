//! AVR parts, as data.

use cyclescope_avr::Config;
use cyclescope_avr::decode::Extensions;
use cyclescope_avr::timing::CoreTiming;
use cyclescope_machine::TimingRow;
use cyclescope_machine::units::{Cycles, Hertz};
use cyclescope_peripherals::avr::Sections;
use cyclescope_peripherals::avr::{
    Instance, adc, comparator, eeprom, external, flash, pll, port, spi, system, timer, twi, usart, watchdog,
};
use cyclescope_peripherals::{Map, Register};

/// The fuse bytes, as read: a zero is a programmed bit (8271H §28.2, 7766J §28.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuses {
    /// CKDIV8, CKOUT, SUT, CKSEL.
    pub low: u8,
    /// Boot loader, watchdog and debugging.
    pub high: u8,
    /// Brown-out detection.
    pub extended: u8,
}

impl Fuses {
    /// CLKPS after a reset: 3 where CKDIV8 is programmed.
    pub const fn clock_shift(self) -> u8 {
        if self.low & 1 << 7 == 0 { 3 } else { 0 }
    }

    /// Tells whether a reset goes to the boot section (BOOTRST).
    pub const fn resets_to_boot(self) -> bool {
        self.high & 1 == 0
    }

    /// Tells whether the watchdog runs from reset on and cannot be stopped (WDTON).
    pub const fn watchdog_always_on(self) -> bool {
        self.high & 1 << 4 == 0
    }

    /// The bytes of the boot section of a part whose smallest is `smallest`: BOOTSZ halves it from eight times that.
    pub const fn boot_bytes(self, smallest: u32) -> u32 {
        smallest << (3 - (self.high >> 1 & 3))
    }
}

/// The way out of Power-down and Power-save.
pub static WAKE_CRYSTAL: TimingRow = TimingRow::documented(
    "wake-up of the crystal",
    "from Power-down and Power-save with a crystal and a slowly rising supply, in periods of the crystal",
    16_384,
    "8271H §9.3, table 9-4, CKSEL0 = 1: 16K CK; 7766J §6.3, table 6-4",
);

/// The same with a ceramic resonator.
pub static WAKE_RESONATOR: TimingRow = TimingRow::documented(
    "wake-up of a resonator",
    "from Power-down and Power-save with a ceramic resonator, in periods of it",
    1_024,
    "8271H §9.3, table 9-4, CKSEL0 = 0 or SUT = 0: 1K CK; 7766J §6.3, table 6-4",
);

/// The same with a ceramic resonator that starts fast.
pub static WAKE_FAST_RESONATOR: TimingRow = TimingRow::documented(
    "wake-up of a fast resonator",
    "from Power-down and Power-save with a ceramic resonator and a fast rising supply, in periods of it",
    258,
    "8271H §9.3, table 9-4, CKSEL0 = 0: 258 CK; 7766J §6.3, table 6-4",
);

/// The way out of Standby.
pub static WAKE_STANDBY: TimingRow = TimingRow::documented(
    "wake-up from Standby",
    "from Standby and Extended Standby",
    6,
    "8271H §10.7 and §10.8, 7766J §7.6 and §7.7: six clock cycles",
);

/// The way out of a reset.
pub static RESET_DELAY: TimingRow = TimingRow::documented(
    "reset delay",
    "from the end of a reset's cause to the first instruction: 16K CK, 14 CK and 65 ms of 16 MHz",
    16_384 + 14 + 1_040_000,
    "8271H §9.3, table 9-4, SUT = 11 and §11.2; 7766J §6.3, table 6-4",
);

/// An AVR part on its board.
#[derive(Clone, Copy, Debug)]
pub struct AvrPart {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// Cycles of its core.
    pub timing: &'static CoreTiming,
    /// The instructions it has beyond those of all AVRe+.
    pub extensions: Extensions,
    /// The data address of RAMPZ, where there is one.
    pub rampz: Option<u8>,
    /// The data address of EIND, where there is one.
    pub eind: Option<u8>,
    /// The three bytes of its signature.
    pub signature: [u8; 3],
    /// The interrupt vectors by number; empty where the number is reserved.
    pub vectors: &'static [&'static str],
    /// The declared registers.
    pub map: &'static Map,
    /// The reset values, other than 0, of registers without a block of their own, by data address.
    pub reset_values: &'static [(u8, u8)],
    /// Its blocks.
    pub instances: &'static [Instance],
    /// Bytes of flash.
    pub flash_bytes: u32,
    /// The first data address of SRAM.
    pub ram_start: u16,
    /// Bytes of SRAM.
    pub ram_bytes: u16,
    /// The sections of the flash for self-programming.
    pub sections: Sections,
    /// The fuses as the board has them.
    pub fuses: Fuses,
    /// The board's crystal.
    pub crystal: Hertz,
    /// Pins that the package brings out: a port (0 for A) and one bit a pin.
    pub bonded: &'static [(u8, u32)],
}

/// A part is its name.
impl PartialEq for AvrPart {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for AvrPart {}

impl AvrPart {
    /// Returns the configuration of the core. If the fuses send a reset to the boot loader, it goes there if the image
    /// has one (`has_boot_loader`). Else it goes to 0, where a boot loader that nobody talks to would go in the end.
    pub fn config(&self, has_boot_loader: bool) -> Config {
        let boot = self.fuses.resets_to_boot() && has_boot_loader;
        Config {
            timing: self.timing,
            extensions: self.extensions,
            pc_bytes: 2,
            rampz: self.rampz,
            eind: self.eind,
            smcr: 0x53,
            ram_start: self.ram_start,
            vector_bytes: 4,
            vectors: self.vectors.len() as u8,
            reset: if boot { self.sections.boot } else { 0 },
            stack_pointer: self.ram_start + self.ram_bytes - 1,
            debugger: false,
        }
    }

    /// The number of the vector `name`.
    pub fn vector(&self, name: &str) -> Option<u8> {
        self.vectors.iter().position(|known| *known == name).map(|number| number as u8)
    }

    /// The register at the data address `address`.
    pub fn register(&self, address: u8) -> Option<&'static Register> {
        self.map.registers.iter().find(|register| register.offset == u32::from(address))
    }

    /// The row that says how long it takes to leave the sleep mode `mode` (SMCR.SM), if it takes anything, in periods of the
    /// crystal: the oscillator runs on in Idle and ADC Noise Reduction.
    pub fn start_up(&self, mode: u8) -> Option<&'static TimingRow> {
        let (crystal, delay) = (self.fuses.low & 1 != 0, self.fuses.low >> 4 & 3);
        match mode {
            0 | 1 => None,
            6 | 7 => Some(&WAKE_STANDBY),
            _ => match (crystal, delay) {
                (true, 1..) => Some(&WAKE_CRYSTAL),
                (true, 0) | (false, 2..) => Some(&WAKE_RESONATOR),
                (false, _) => Some(&WAKE_FAST_RESONATOR),
            },
        }
    }

    /// From the end of a reset's cause to the first instruction, in periods of a crystal of 16 MHz.
    pub fn reset_delay(&self) -> Cycles {
        Cycles::new(u64::from(RESET_DELAY.cycles))
    }

    /// Every row of its blocks that may decide cycles, beside its core's.
    pub fn timing_rows(&self) -> Vec<&'static TimingRow> {
        let mut rows = vec![
            &port::OUTPUT,
            &port::SYNCHRONISER,
            &external::EDGE,
            &external::PIN_CHANGE,
            &usart::LOAD,
            &usart::START,
            &usart::SAMPLED,
            &eeprom::WRITE,
            &eeprom::HALF_WRITE,
            &eeprom::WINDOW,
            &eeprom::READ_HALT,
            &eeprom::WRITE_HALT,
            &flash::PROGRAM,
            &flash::WINDOW,
            &system::WINDOW,
            &system::DIVIDE,
            &WAKE_CRYSTAL,
            &WAKE_RESONATOR,
            &WAKE_FAST_RESONATOR,
            &WAKE_STANDBY,
            &RESET_DELAY,
        ];
        rows.extend(adc::ROWS);
        rows.push(&comparator::SYNCHRONISER);
        rows.extend(spi::ROWS);
        rows.extend(timer::ROWS);
        rows.extend(twi::ROWS);
        rows.extend(watchdog::ROWS);
        if self.map.register("PLLCSR").is_some() {
            rows.push(&pll::LOCK);
            rows.push(&adc::DIFFERENTIAL);
        }
        rows
    }
}
