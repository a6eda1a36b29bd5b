//! Flash memory interface of STM32F1 (PM0075; RM0008, "Embedded Flash memory"): wait states, the prefetch buffer, keys,
//! programming by half-words, erasing, option bytes.
//!
//! [`MemorySetting`] decides for each run if the firmware's timing settings take effect. Not modelled: half-cycle access,
//! read protection, the reload of changed option bytes by a system reset, and the stall of reads while the array programs
//! or erases.

use cyclescope_machine::units::{Address, Hertz};
use cyclescope_machine::{BusFault, FlashTiming, GapKind, TimingRow, Width};

use super::flash::{self, Interface, KEYS, Key, Places};
use crate::bank::{all, some};
use crate::{
    Bank, Block, Clocks, Effect, Env, FlashControl, Instance, MemorySetting, Modelled, Source, Tree, Words, Write,
};

const ACR: u32 = 0x00;
const KEYR: u32 = 0x04;
const OPTKEYR: u32 = 0x08;
const SR: u32 = 0x0C;
const CR: u32 = 0x10;
const AR: u32 = 0x14;
const WRPR: u32 = 0x20;

const LATENCY: u32 = 7;
const PRFTBE: u32 = 1 << 4;
const PRFTBS: u32 = 1 << 5;

const BSY: u32 = 1 << 0;
const PGERR: u32 = 1 << 2;
const WRPRTERR: u32 = 1 << 4;
const EOP: u32 = 1 << 5;

const PG: u32 = 1 << 0;
const PER: u32 = 1 << 1;
const MER: u32 = 1 << 2;
const OPTPG: u32 = 1 << 4;
const OPTER: u32 = 1 << 5;
const STRT: u32 = 1 << 6;
const LOCK: u32 = 1 << 7;
const OPTWRE: u32 = 1 << 9;
const ERRIE: u32 = 1 << 10;
const EOPIE: u32 = 1 << 12;

/// A page of a medium-density part (PM0075, "Flash module organization").
const PAGE_BYTES: usize = 1024;
/// Pages that one bit of WRPR protects (PM0075, "Write protection").
const PAGES_PER_PROTECTION_BIT: usize = 4;
/// The option bytes' half-words: RDP, USER, Data0, Data1, WRP0 to WRP3, each a byte with its complement above it.
const OPTION_HALFWORDS: usize = 8;
/// The address of the option bytes.
const OPTIONS: u32 = 0x1FFF_F800;
/// As the factory leaves them: read protection off, no write protection (PM0075, "Option byte organization").
const OPTIONS_FROM_FACTORY: [u16; OPTION_HALFWORDS] = [0x5AA5, 0x00FF, 0x00FF, 0x00FF, 0x00FF, 0x00FF, 0x00FF, 0x00FF];

/// The modelled registers and fields, with the values after reset (PM0075, "Flash register map").
pub const MODEL: &[Modelled] = &[
    some("ACR", 0x0000_0030, &["LATENCY", "PRFTBE", "PRFTBS"]),
    all("KEYR", 0),
    all("OPTKEYR", 0),
    all("SR", 0),
    all("CR", 0x0000_0080),
    all("AR", 0),
    all("OBR", 0x03FF_FFFC),
    all("WRPR", 0xFFFF_FFFF),
];

/// The times of programming and erasing, and the sizes and wait states of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "flash.program",
        "programming a half-word, in periods of 8 MHz",
        420,
        "52.5 us, the typical value of tprog (DS5319, Flash memory characteristics)",
    ),
    TimingRow::assumed(
        "flash.erase",
        "erasing a page or all pages, in periods of 8 MHz",
        160_000,
        "20 ms, the least of the 20 to 40 ms of tERASE and tME; no typical value (DS5319, Flash memory characteristics)",
    ),
    TimingRow::documented(
        "flash.line_bytes",
        "bytes of one of the prefetch buffer's two lines",
        8,
        "two blocks of 64 bits (PM0075, Read interface, Prefetch buffer)",
    ),
    TimingRow::assumed(
        "flash.line_bytes_without_prefetch",
        "bytes that a read of the array serves while the prefetch buffer is off",
        4,
        "without the buffer nothing holds the other half of the 64 bits, so each word pays; PM0075 does not say",
    ),
    TimingRow::documented(
        "flash.wait_states_above_24MHz",
        "wait states for 24 MHz < SYSCLK <= 48 MHz; none below",
        1,
        "PM0075, FLASH_ACR.LATENCY",
    ),
    TimingRow::documented(
        "flash.wait_states_above_48MHz",
        "wait states for 48 MHz < SYSCLK <= 72 MHz",
        2,
        "PM0075, FLASH_ACR.LATENCY",
    ),
];

const PROGRAM: usize = 0;
const ERASE: usize = 1;

/// The names of the rows that decide how long reads take.
pub const READ_ROWS: &[&str] = &[
    "flash.line_bytes",
    "flash.line_bytes_without_prefetch",
    "flash.wait_states_above_24MHz",
    "flash.wait_states_above_48MHz",
];

static PLACES: Places = Places {
    keys: [KEYR, OPTKEYR],
    sr: SR,
    bsy: BSY,
    eop: EOP,
    errors: PGERR | WRPRTERR,
    cr: CR,
    strt: STRT,
    eopie: EOPIE,
    errie: ERRIE,
    eop_needs_enable: false,
    reference: Hertz::new(8_000_000),
};

/// The block.
#[derive(Clone, Debug)]
pub struct FlashF1 {
    interface: Interface,
    options: [u16; OPTION_HALFWORDS],
}

impl FlashF1 {
    /// The block after reset; `setting` decides what its settings mean.
    pub fn new(instance: &Instance, setting: MemorySetting) -> Self {
        Self { interface: Interface::new(instance, MODEL, &PLACES, setting), options: OPTIONS_FROM_FACTORY }
    }

    /// Wait states that the vendor asks for at `sysclk` (PM0075, FLASH_ACR.LATENCY).
    pub const fn wait_states_for(sysclk: Hertz) -> u32 {
        match sysclk.get() {
            0..=24_000_000 => 0,
            24_000_001..=48_000_000 => ROWS[4].cycles,
            _ => ROWS[5].cycles,
        }
    }

    const fn with(wait_states: u32, prefetch: bool) -> FlashTiming {
        let line_bytes = if prefetch { ROWS[2].cycles } else { ROWS[3].cycles };
        FlashTiming { line_bytes, wait_states, prefetch, instruction_lines: 0, data_lines: 0, caches_prefetched: false }
    }

    /// Returns the timing that FLASH_ACR selects.
    pub fn written(&self) -> FlashTiming {
        let acr = self.interface.get(ACR);
        Self::with(acr & LATENCY, acr & PRFTBE != 0)
    }

    /// Returns the timing of flash reads at `sysclk`, by the run's [`MemorySetting`].
    pub fn timing(&self, sysclk: Hertz) -> FlashTiming {
        let equal = Self::with(Self::wait_states_for(sysclk), true);
        self.interface.timing(self.written(), equal)
    }

    /// Tells if a store programs now. It does if FLASH_CR selects `mode` and the interface is not busy. A width other than
    /// 16 bits is a bus error (PM0075, "Main Flash memory programming").
    fn may_program(&mut self, mode: u32, width: Width, env: &mut Env<'_, '_>) -> bool {
        if self.interface.get(CR) & mode == 0 {
            env.gap(GapKind::Setting, format_args!("store into flash while FLASH_CR selects no programming: lost"));
            return false;
        }
        if width != Width::Half {
            env.wires.fault = Some(BusFault::Width(Address::new(env.instance.address)));
            return false;
        }
        !self.interface.is_busy()
    }

    fn is_protected(&self, at: usize) -> bool {
        let bit = (at / (PAGE_BYTES * PAGES_PER_PROTECTION_BIT)).min(31);
        self.interface.get(WRPR) & 1 << bit == 0
    }

    fn erase(&mut self, env: &mut Env<'_, '_>) {
        let size = env.context.memory.flash.bytes().len();
        match self.interface.get(CR) & (PER | MER | OPTER) {
            PER => {
                let base = env.context.memory.flash.base().get();
                let at = self.interface.get(AR).wrapping_sub(base) as usize;
                if at >= size {
                    env.gap(GapKind::Setting, format_args!("FLASH_AR is outside flash: nothing is erased"));
                    return;
                }
                if self.is_protected(at) {
                    self.interface.fail(WRPRTERR, env);
                    return;
                }
                env.context.memory.erase_flash(at / PAGE_BYTES * PAGE_BYTES, PAGE_BYTES);
            }
            MER => env.context.memory.erase_flash(0, size),
            OPTER if self.interface.get(CR) & OPTWRE != 0 => self.options = [0xFFFF; OPTION_HALFWORDS],
            _ => return,
        }
        self.interface.busy(u64::from(ROWS[ERASE].cycles), env);
    }

    /// One key of a sequence (PM0075, "Unlocking the Flash memory").
    fn key(&mut self, which: usize, value: u32, env: &mut Env<'_, '_>) {
        let may_open = which == 0 || self.interface.get(CR) & LOCK == 0;
        match (self.interface.key(which, KEYS, value, may_open, env), which) {
            (Key::First, _) => {}
            (key, 0) => self.interface.bank.flag(CR, LOCK, key == Key::Closes),
            (key, _) => self.interface.bank.flag(CR, OPTWRE, key == Key::Opens),
        }
    }

    fn control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.interface.bank.write(CR, write, env);
        // OPTWRE is set by its keys only and cleared by writing 0; LOCK is only set by software.
        self.interface.bank.set(CR, (new & !(LOCK | OPTWRE)) | ((old | new) & LOCK) | (old & new & OPTWRE));
        if new & LOCK != 0 {
            self.interface.lock(0);
        }
        if old & OPTWRE != 0 && new & OPTWRE == 0 {
            self.interface.lock(1);
        }
        if new & STRT != 0 {
            self.erase(env);
            self.interface.started();
        }
    }
}

impl FlashControl for FlashF1 {
    fn setting(&self) -> MemorySetting {
        self.interface.setting
    }

    fn apply(&mut self, env: &mut Env<'_, '_>) {
        let sysclk = env.clocks().frequency(Source::Sysclk);
        let acr = self.interface.get(ACR);
        let needed = Self::wait_states_for(sysclk);
        self.interface.check_latency(acr & LATENCY, needed, "SYSCLK", sysclk, env);
        if acr & PRFTBE == 0 && env.clocks().frequency(Source::Hclk) != sysclk {
            env.gap(GapKind::Setting, format_args!("FLASH_ACR.PRFTBE=0 with a divided AHB (PM0075 forbids it)"));
        }
        env.context.memory.set_flash_timing(self.timing(sysclk));
    }

    /// PM0075, "Option byte organization".
    fn option_word(&self, address: u32) -> Option<u32> {
        let place = address.wrapping_sub(OPTIONS) as usize / 4 * 2;
        let halves = self.options.get(place..place + 2)?;
        Some(u32::from(halves[0]) | u32::from(halves[1]) << 16)
    }

    /// PM0075, "Option byte programming".
    fn store_option(&mut self, address: u32, width: Width, value: u32, env: &mut Env<'_, '_>) -> bool {
        let place = address.wrapping_sub(OPTIONS) as usize / 2;
        if place >= OPTION_HALFWORDS {
            return false;
        }
        if !self.may_program(OPTPG, width, env) {
            return true;
        }
        if self.options[place] != 0xFFFF {
            self.interface.fail(PGERR, env);
            return true;
        }
        // The hardware computes the complement in the upper byte.
        let byte = value as u16 & 0xFF;
        self.options[place] = byte | (!byte & 0xFF) << 8;
        self.interface.busy(u64::from(ROWS[PROGRAM].cycles), env);
        true
    }

    fn settings_written(&self, clocks: &Clocks) -> String {
        let written = self.written();
        let parts = [("prefetch", written.prefetch)];
        flash::settings(written.wait_states, &parts, clocks.frequency(Source::Hclk))
    }

    /// PM0075, "Main Flash memory programming".
    fn store(&mut self, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        let at = offset as usize;
        if !self.may_program(PG, width, env) {
            return;
        }
        let Some(old) = env.context.memory.flash.bytes().get(at..at + 2).map(|cells| [cells[0], cells[1]]) else {
            return;
        };
        if self.is_protected(at) {
            self.interface.fail(WRPRTERR, env);
        } else if old != [0xFF; 2] && value & 0xFFFF != 0 {
            // Only an erased half-word can be programmed, or any be cleared.
            self.interface.fail(PGERR, env);
        } else {
            env.context.memory.program_flash(at, &(value as u16).to_le_bytes());
            self.interface.busy(u64::from(ROWS[PROGRAM].cycles), env);
        }
    }
}

impl Block<Words> for FlashF1 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            KEYR => self.key(0, write.value, env),
            OPTKEYR => self.key(1, write.value, env),
            SR => self.interface.bank.flag(SR, write.ones() & (EOP | PGERR | WRPRTERR), false),
            // While locked, CR takes nothing (PM0075, "Flash control register"), nor while busy.
            CR if self.interface.get(CR) & LOCK != 0 || self.interface.is_busy() => {}
            CR => self.control(write, env),
            // The address register is the one of the write that is busy.
            AR if self.interface.is_busy() => {}
            AR => self.interface.bank.set(AR, write.over(self.interface.get(AR))),
            ACR => {
                let (_, new) = self.interface.bank.write(ACR, write, env);
                self.interface.bank.flag(ACR, PRFTBS, new & PRFTBE != 0);
                env.effect(Effect::FlashChanged);
            }
            _ => {
                self.interface.bank.write(offset, write, env);
            }
        }
        self.interface.drive(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.interface.event(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.interface.reset(env);
    }

    fn refine(&mut self, times: u64) {
        self.interface.refine(times);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.interface.reschedule(env);
        self.apply(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.interface.bank)
    }
}
