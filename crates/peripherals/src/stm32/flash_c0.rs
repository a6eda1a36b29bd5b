//! Flash memory interface of STM32C0 (RM0490, "Embedded flash memory (FLASH)"): wait states, prefetch and cache,
//! keys, programming by double words, erasing.
//!
//! [`MemorySetting`] decides for each run if the firmware's timing settings take effect. Not modelled: fast programming,
//! the protections (PCROP, WRP, RDP, the securable area), changes of the option bytes, and the stall of reads while the
//! array programs or erases.

use cyclescope_machine::units::{Bytes, Hertz};
use cyclescope_machine::{FlashTiming, TimingRow, Width};

use super::flash::{self, Interface, KEYS, Key, OPTION_KEYS, Places};
use crate::bank::{all, some};
use crate::{
    Bank, Block, Clocks, Effect, Env, FlashControl, Instance, MemorySetting, Modelled, Source, Tree, Words, Write,
};

const ACR: u32 = 0x00;
const KEYR: u32 = 0x08;
const OPTKEYR: u32 = 0x0C;
const SR: u32 = 0x10;
const CR: u32 = 0x14;

const PRFTEN: u32 = 1 << 8;
const ICEN: u32 = 1 << 9;
const ICRST: u32 = 1 << 11;
const LATENCY: u32 = 7;

const EOP: u32 = 1 << 0;
const PROGERR: u32 = 1 << 3;
const PGAERR: u32 = 1 << 5;
const SIZERR: u32 = 1 << 6;
const PGSERR: u32 = 1 << 7;
const ERRORS: u32 = 0x0000_C3FA;
const BSY: u32 = 1 << 16;

const PG: u32 = 1 << 0;
const PER: u32 = 1 << 1;
const MER1: u32 = 1 << 2;
const STRT: u32 = 1 << 16;
const EOPIE: u32 = 1 << 24;
const ERRIE: u32 = 1 << 25;
const OPTLOCK: u32 = 1 << 30;
const LOCK: u32 = 1 << 31;

const PAGE_BYTES: usize = 2048;

/// The modelled registers and fields, with the values after reset (RM0490, "FLASH register map").
pub const MODEL: &[Modelled] = &[
    some("ACR", 0x0004_0600, &["LATENCY", "PRFTEN", "ICEN", "ICRST", "EMPTY", "DBG_SWEN"]),
    all("KEYR", 0),
    all("OPTKEYR", 0),
    some(
        "SR",
        0,
        &[
            "EOP", "OPERR", "PROGERR", "WRPERR", "PGAERR", "SIZERR", "PGSERR", "MISERR", "FASTERR", "RDERR", "OPTVERR",
            "BSY", "CFGBSY",
        ],
    ),
    some("CR", 0xC000_0000, &["PG", "PER", "MER", "PNB", "STRT", "EOPIE", "ERRIE", "LOCK", "OPTLOCK"]),
    // Factory setting: no protection, boot from main flash (RM0490, "Option bytes").
    some("OPTR", 0xFFFF_FEAA, &["RDP", "BOREN", "N_BOOT_SEL", "N_BOOT0", "N_BOOT1", "IDWG_SW", "WWDG_SW"]),
    some("PCROP1ASR", 0xFFFF_FFFF, &["PCROP1A_STRT"]),
    some("PCROP1AER", 0x0000_0000, &["PCROP1A_END", "PCROP_RDP"]),
    some("WRP1AR", 0x0000_00FF, &["WRP1A_STRT", "WRP1A_END"]),
    some("WRP1BR", 0x0000_00FF, &["WRP1B_STRT", "WRP1B_END"]),
    some("PCROP1BSR", 0xFFFF_FFFF, &["PCROP1B_STRT"]),
    some("PCROP1BER", 0x0000_0000, &["PCROP1B_END"]),
    some("SECR", 0, &["SEC_SIZE", "BOOT_LOCK"]),
];

/// The times of programming and erasing, and the sizes and wait states of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "flash.program",
        "programming a double word, in periods of 48 MHz",
        4_080,
        "85 us, ST's figure for the same array on STM32G0; DS13867, flash memory characteristics, to be checked",
    ),
    TimingRow::assumed(
        "flash.erase",
        "erasing a page or all pages, in periods of 48 MHz",
        1_056_000,
        "22 ms, ST's figure for the same array on STM32G0; DS13867, flash memory characteristics, to be checked",
    ),
    TimingRow::assumed(
        "flash.instruction_lines",
        "lines of 64 bits in the instruction cache",
        2,
        "16 bytes of instruction cache on STM32G0, whose interface STM32C0 shares; RM0490 to be checked",
    ),
    TimingRow::documented(
        "flash.wait_states_above_24MHz",
        "wait states for 24 MHz < HCLK <= 48 MHz; none below",
        1,
        "RM0490, FLASH read access latency; FLASH_ACR.LATENCY",
    ),
    TimingRow::documented(
        "flash.prefetched_lines_cached",
        "whether a line that was read ahead enters the instruction cache when it is wanted: 1 if so",
        0,
        "RM0490, Instruction cache memory: a line is copied there if it is missing in the current line, the prefetched line and the cache",
    ),
];

static PLACES: Places = Places {
    keys: [KEYR, OPTKEYR],
    sr: SR,
    bsy: BSY,
    eop: EOP,
    errors: ERRORS,
    cr: CR,
    strt: STRT,
    eopie: EOPIE,
    errie: ERRIE,
    eop_needs_enable: true,
    reference: Hertz::new(48_000_000),
};

/// The block.
#[derive(Clone, Debug)]
pub struct FlashC0 {
    interface: Interface,
    /// The first half of a double word and its offset.
    half: Option<(u32, u32)>,
}

impl FlashC0 {
    /// The block after reset; `setting` decides what its settings mean.
    pub fn new(instance: &Instance, setting: MemorySetting) -> Self {
        Self { interface: Interface::new(instance, MODEL, &PLACES, setting), half: None }
    }

    /// Wait states that the vendor asks for at `hclk` (RM0490, FLASH read access latency).
    pub const fn wait_states_for(hclk: Hertz) -> u32 {
        if hclk.get() <= 24_000_000 { 0 } else { ROWS[3].cycles }
    }

    /// Returns the timing that FLASH_ACR selects.
    pub fn written(&self) -> FlashTiming {
        let acr = self.interface.get(ACR);
        FlashTiming {
            line_bytes: 8,
            wait_states: acr & LATENCY,
            prefetch: acr & PRFTEN != 0,
            instruction_lines: if acr & ICEN != 0 { ROWS[2].cycles as usize } else { 0 },
            data_lines: 0,
            caches_prefetched: ROWS[4].cycles != 0,
        }
    }

    /// Returns the timing of flash reads at `hclk`, by the run's [`MemorySetting`].
    pub fn timing(&self, hclk: Hertz) -> FlashTiming {
        let equal = FlashTiming {
            line_bytes: 8,
            wait_states: Self::wait_states_for(hclk),
            prefetch: true,
            instruction_lines: ROWS[2].cycles as usize,
            data_lines: 0,
            caches_prefetched: ROWS[4].cycles != 0,
        };
        self.interface.timing(self.written(), equal)
    }

    fn program(&mut self, offset: u32, low: u32, high: u32, env: &mut Env<'_, '_>) {
        let data: Vec<u8> = low.to_le_bytes().into_iter().chain(high.to_le_bytes()).collect();
        let at = offset as usize;
        let blank =
            env.context.memory.flash.bytes().get(at..at + 8).is_some_and(|cells| cells.iter().all(|c| *c == 0xFF));
        if !blank && data.iter().any(|byte| *byte != 0) {
            self.fail(PROGERR, env);
            return;
        }
        env.context.memory.program_flash(at, &data);
        self.interface.busy(u64::from(ROWS[0].cycles), env);
    }

    fn erase(&mut self, env: &mut Env<'_, '_>) {
        let cr = self.interface.get(CR);
        let all = env.context.memory.flash.bytes().len();
        match cr & (PER | MER1) {
            PER => env.context.memory.erase_flash((cr >> 3 & 0x7F) as usize * PAGE_BYTES, PAGE_BYTES),
            MER1 => env.context.memory.erase_flash(0, all),
            _ => {
                self.fail(PGSERR, env);
                return;
            }
        }
        self.interface.busy(u64::from(ROWS[1].cycles), env);
    }

    fn fail(&mut self, error: u32, env: &mut Env<'_, '_>) {
        self.half = None;
        self.interface.fail(error, env);
    }

    /// One key of a sequence (RM0490, "Unlocking the flash memory").
    fn key(&mut self, which: usize, keys: [u32; 2], value: u32, env: &mut Env<'_, '_>) {
        let (lock, may_open) = if which == 0 { (LOCK, true) } else { (OPTLOCK, self.interface.get(CR) & LOCK == 0) };
        match self.interface.key(which, keys, value, may_open, env) {
            Key::First => {}
            key => self.interface.bank.flag(CR, lock, key == Key::Closes),
        }
    }

    /// The main array's page size.
    pub const fn page() -> Bytes {
        Bytes::new(PAGE_BYTES as u64)
    }
}

impl FlashControl for FlashC0 {
    fn setting(&self) -> MemorySetting {
        self.interface.setting
    }

    fn apply(&mut self, env: &mut Env<'_, '_>) {
        let hclk = env.clocks().frequency(Source::Hclk);
        let written = self.interface.get(ACR) & LATENCY;
        self.interface.check_latency(written, Self::wait_states_for(hclk), "HCLK", hclk, env);
        env.context.memory.set_flash_timing(self.timing(hclk));
    }

    fn store(&mut self, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        let cr = self.interface.get(CR);
        let error = if cr & PG == 0 || self.interface.get(SR) & (BSY | ERRORS) != 0 {
            PGSERR
        } else if width != Width::Word {
            SIZERR
        } else {
            0
        };
        if error != 0 {
            self.fail(error, env);
            return;
        }
        match self.half.take() {
            None if offset.is_multiple_of(8) => self.half = Some((offset, value)),
            Some((first, low)) if offset == first + 4 => self.program(first, low, value, env),
            _ => self.fail(PGAERR, env),
        }
    }

    fn settings_written(&self, clocks: &Clocks) -> String {
        let written = self.written();
        let parts = [("prefetch", written.prefetch), ("cache", written.instruction_lines > 0)];
        flash::settings(written.wait_states, &parts, clocks.frequency(Source::Hclk))
    }
}

impl Block<Words> for FlashC0 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            KEYR => self.key(0, KEYS, write.value, env),
            OPTKEYR => self.key(1, OPTION_KEYS, write.value, env),
            SR => {
                self.interface.bank.flag(SR, write.ones() & (ERRORS | EOP), false);
            }
            // While locked, CR takes nothing (RM0490, "FLASH control register"), nor while busy.
            CR if self.interface.get(CR) & LOCK != 0 || self.interface.is_busy() => {}
            CR => {
                let (old, new) = self.interface.bank.write(CR, write, env);
                let locks = (old | new) & (LOCK | OPTLOCK);
                self.interface.bank.set(CR, (new & !(LOCK | OPTLOCK)) | locks);
                if new & LOCK != 0 {
                    self.interface.lock(0);
                }
                if new & OPTLOCK != 0 {
                    self.interface.lock(1);
                }
                if new & STRT != 0 {
                    self.erase(env);
                    self.interface.started();
                }
            }
            ACR => {
                let (_, new) = self.interface.bank.write(ACR, write, env);
                // ICRST only empties the cache, which a change of settings does here too.
                self.interface.bank.set(ACR, new & !ICRST);
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
        self.half = None;
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
