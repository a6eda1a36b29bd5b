//! Flash memory interface of STM32C0 (RM0490, "Embedded flash memory (FLASH)"): wait states, prefetch and cache,
//! keys, programming by double words, erasing.
//!
//! Not modelled: fast programming,
//! the protections (PCROP, WRP, RDP, the securable area), changes of the option bytes, and the stall of reads while the
//! array programs or erases.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{FlashTiming, TimingRow, Width};

use super::flash::{Flash, KEYS, OPTION_KEYS, Places, Version};
use crate::bank::{all, some};
use crate::{Env, Modelled, Source};

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

/// The version, with the first half of a double word and its offset.
#[derive(Clone, Debug, Default)]
pub struct C0 {
    half: Option<(u32, u32)>,
}

/// The block.
pub type FlashC0 = Flash<C0>;

impl FlashC0 {
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
        self.busy(ROWS[0].cycles, env);
    }

    fn fail(&mut self, error: u32, env: &mut Env<'_, '_>) {
        self.own.half = None;
        self.raise(error, env);
    }
}

impl Version for C0 {
    const MODEL: &'static [Modelled] = MODEL;
    const PLACES: Places = Places {
        keyr: [KEYR, OPTKEYR],
        keys: [KEYS, OPTION_KEYS],
        locks: [(CR, LOCK, true), (CR, OPTLOCK, true)],
        nested: true,
        sr: SR,
        bsy: BSY,
        eop: EOP,
        errors: ERRORS,
        clearable: ERRORS | EOP,
        cr: CR,
        lock: LOCK,
        strt: STRT,
        eopie: EOPIE,
        errie: ERRIE,
        eop_needs_enable: true,
        latency: LATENCY,
        clock: (Source::Hclk, "HCLK"),
        reference: Hertz::new(48_000_000),
    };

    /// RM0490, FLASH read access latency.
    fn wait_states_for(hclk: Hertz) -> u32 {
        if hclk.get() <= 24_000_000 { 0 } else { ROWS[3].cycles }
    }

    fn written(acr: u32) -> FlashTiming {
        FlashTiming {
            line_bytes: 8,
            wait_states: acr & LATENCY,
            prefetch: acr & PRFTEN != 0,
            instruction_lines: if acr & ICEN != 0 { ROWS[2].cycles as usize } else { 0 },
            data_lines: 0,
            caches_prefetched: ROWS[4].cycles != 0,
        }
    }

    fn recommended(hclk: Hertz) -> FlashTiming {
        FlashTiming { wait_states: Self::wait_states_for(hclk), ..Self::written(PRFTEN | ICEN) }
    }

    fn parts(timing: &FlashTiming) -> Vec<(&'static str, bool)> {
        vec![("prefetch", timing.prefetch), ("cache", timing.instruction_lines > 0)]
    }

    /// ICRST only empties the cache, which a change of settings does here too.
    fn settings(_: u32, new: u32) -> u32 {
        new & !ICRST
    }

    fn control(flash: &mut FlashC0, old: u32, new: u32) {
        flash.bank.set(CR, new | old & (LOCK | OPTLOCK));
        if new & OPTLOCK != 0 {
            flash.lock(1);
        }
    }

    fn erase(flash: &mut FlashC0, env: &mut Env<'_, '_>) {
        let cr = flash.cr();
        let all = env.context.memory.flash.bytes().len();
        match cr & (PER | MER1) {
            PER => env.context.memory.erase_flash((cr >> 3 & 0x7F) as usize * PAGE_BYTES, PAGE_BYTES),
            MER1 => env.context.memory.erase_flash(0, all),
            _ => {
                flash.fail(PGSERR, env);
                return;
            }
        }
        flash.busy(ROWS[1].cycles, env);
    }

    fn store(flash: &mut FlashC0, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        if flash.cr() & PG == 0 || flash.get(SR) & (BSY | ERRORS) != 0 {
            flash.fail(PGSERR, env);
        } else if width != Width::Word {
            flash.fail(SIZERR, env);
        } else {
            match flash.own.half.take() {
                None if offset.is_multiple_of(8) => flash.own.half = Some((offset, value)),
                Some((first, low)) if offset == first + 4 => flash.program(first, low, value, env),
                _ => flash.fail(PGAERR, env),
            }
        }
    }

    fn reset(&mut self) {
        self.half = None;
    }
}
