//! Flash memory interface of STM32F446 with its adaptive real-time accelerator (RM0390, "Embedded flash memory
//! interface"): wait states, prefetch, instruction and data cache, keys, programming, erasing.
//!
//! Not modelled: the protections
//! (write, read-out, PCROP), changes of the option bytes, and the stall of reads while the array programs or erases.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{FlashTiming, GapKind, TimingRow, Width};

use super::flash::{Flash, KEYS, OPTION_KEYS, Places, Version};
use crate::bank::{all, some};
use crate::device::Properties;
use crate::{Env, Instance, Modelled, Source, Write};

const KEYR: u32 = 0x04;
const OPTKEYR: u32 = 0x08;
const SR: u32 = 0x0C;
const CR: u32 = 0x10;
const OPTCR: u32 = 0x14;

const LATENCY: u32 = 15;
const PRFTEN: u32 = 1 << 8;
const ICEN: u32 = 1 << 9;
const DCEN: u32 = 1 << 10;
/// ICRST and DCRST.
const RESET_CACHES: u32 = 3 << 11;

const EOP: u32 = 1 << 0;
const OPERR: u32 = 1 << 1;
const PGPERR: u32 = 1 << 6;
const PGSERR: u32 = 1 << 7;
const ERRORS: u32 = 0x1F2;
const BSY: u32 = 1 << 16;

const PG: u32 = 1 << 0;
const SER: u32 = 1 << 1;
const MER: u32 = 1 << 2;
const STRT: u32 = 1 << 16;
const EOPIE: u32 = 1 << 24;
const ERRIE: u32 = 1 << 25;
const LOCK: u32 = 1 << 31;
const OPTLOCK: u32 = 1 << 0;
const OPTSTRT: u32 = 1 << 1;

/// The modelled registers and fields, with the values after reset (RM0390, "Flash interface registers").
pub const MODEL: &[Modelled] = &[
    all("ACR", 0),
    all("KEYR", 0),
    all("OPTKEYR", 0),
    some("SR", 0, &["EOP", "OPERR", "WRPERR", "PGAERR", "PGPERR", "PGSERR", "RDERR", "BSY"]),
    some("CR", 0x8000_0000, &["PG", "SER", "MER", "SNB", "PSIZE", "STRT", "EOPIE", "ERRIE", "LOCK"]),
    some("OPTCR", 0x0FFF_AAED, &["OPTLOCK"]),
];

/// The sizes and wait states of the read path, and the times of programming and erasing.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "flash.line_bytes",
        "bytes that the array delivers at once",
        16,
        "RM0390, Adaptive real-time memory accelerator: each read gives 128 bits",
    ),
    TimingRow::documented(
        "flash.instruction_lines",
        "lines of 128 bits in the instruction cache",
        64,
        "RM0390, Instruction cache memory",
    ),
    TimingRow::documented("flash.data_lines", "lines of 128 bits in the data cache", 8, "RM0390, Data management"),
    TimingRow::documented(
        "flash.MHz_per_wait_state",
        "MHz of HCLK without a wait state; one more wait state for each further such step, 5 at 180 MHz",
        30,
        "RM0390, Number of wait states according to CPU clock (HCLK) frequency, 2.7 to 3.6 V",
    ),
    TimingRow::assumed(
        "flash.program",
        "programming a byte, half-word or word, in periods of 16 MHz",
        256,
        "16 us typical (DS10693, Flash memory programming, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_16K",
        "erasing a sector of 16 KiB by words, in periods of 16 MHz",
        4_000_000,
        "250 ms typical with parallelism x32 (DS10693, Flash memory programming, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_64K",
        "erasing a sector of 64 KiB by words, in periods of 16 MHz",
        8_800_000,
        "550 ms typical with parallelism x32 (DS10693, Flash memory programming, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_128K",
        "erasing a sector of 128 KiB by words, in periods of 16 MHz",
        16_000_000,
        "1 s typical with parallelism x32 (DS10693, Flash memory programming, to be checked)",
    ),
    TimingRow::documented(
        "flash.prefetched_lines_cached",
        "whether a line that was read ahead enters the instruction cache when it is wanted: 1 if so",
        0,
        "RM0090 §3.5.2, Instruction cache memory: a line is copied there if it is missing in the current line, the prefetched line and the cache; RM0390 likewise",
    ),
    f411("flash.F411_MHz_with_1_wait_state", 64),
    f411("flash.F411_MHz_with_2_wait_states", 90),
    f411("flash.F411_MHz_with_3_wait_states", 100),
    TimingRow::assumed(
        "flash.F413_MHz_per_wait_state",
        "the same step in STM32F413 and F423",
        25,
        "RM0430, Number of wait states according to CPU clock (HCLK) frequency, 2.7 to 3.6 V, to be checked",
    ),
];

/// A limit of STM32F411.
const fn f411(name: &'static str, megahertz: u32) -> TimingRow {
    TimingRow::documented(
        name,
        "the fastest HCLK, in MHz, with so many wait states in STM32F411, F410 and F412",
        megahertz,
        "RM0383 §3.4.1, table 5, 2.7 to 3.6 V; that RM0401 and RM0402 have the same is to be checked",
    )
}
/// Rows of [`ROWS`].
const LINE: usize = 0;
const INSTRUCTION_LINES: usize = 1;
const DATA_LINES: usize = 2;
const STEP: usize = 3;
const PROGRAM: usize = 4;
const ERASE: usize = 5;
const PREFETCHED_CACHED: usize = 8;
const F411_ONE: usize = 9;
const F411_TWO: usize = 10;
const F411_THREE: usize = 11;
const F413_STEP: usize = 12;
/// Their names, for those behind the time that reads take.
pub const READ_ROWS: &[&str] = &[
    "flash.line_bytes",
    "flash.instruction_lines",
    "flash.data_lines",
    "flash.MHz_per_wait_state",
    "flash.prefetched_lines_cached",
    "flash.F411_MHz_with_1_wait_state",
    "flash.F411_MHz_with_2_wait_states",
    "flash.F411_MHz_with_3_wait_states",
    "flash.F413_MHz_per_wait_state",
];

/// The version, with the sectors: where each begins and how large it is.
#[derive(Clone, Debug)]
pub struct F4 {
    /// DEV_ID of the part.
    device: u32,
    sectors: Vec<(usize, usize)>,
}

/// The block.
pub type FlashF4 = Flash<F4>;

impl F4 {
    /// Of a part with this DEV_ID and no sectors.
    #[cfg(test)]
    pub(super) fn of_device(device: u32) -> Self {
        Self { device, sectors: Vec::new() }
    }
}

impl FlashF4 {
    /// The block of `part` after reset.
    pub fn of(instance: &Instance, part: &Properties<'_>) -> Self {
        let bytes = usize::try_from(part.flash_bytes).unwrap_or(usize::MAX);
        let mut all = Vec::new();
        let mut at = 0usize;
        for (length, sector) in part.sectors {
            for _ in 0..length / sector.max(&1) {
                if at < bytes {
                    all.push((at, *sector as usize));
                }
                at += *sector as usize;
            }
        }
        // A larger part of the family goes on with sectors of the last size.
        while let Some(last) = all.last().map(|(_, size)| *size).filter(|size| at < bytes && *size > 0) {
            all.push((at, last));
            at += last;
        }
        Self::with(instance, MODEL, part.setting, F4 { device: part.device_id & 0xFFF, sectors: all })
    }

    fn write_options(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let old = self.get(OPTCR);
        if old & OPTLOCK != 0 {
            return;
        }
        let value = write.over(old);
        if value & OPTSTRT != 0 {
            env.gap(GapKind::Setting, format_args!("FLASH_OPTCR.OPTSTRT: the option bytes do not change"));
        }
        self.bank.set(OPTCR, (old & !OPTLOCK) | (value & OPTLOCK));
        if value & OPTLOCK != 0 {
            self.lock(1);
        }
    }
}

impl Version for F4 {
    /// RM0390, FLASH_SR.EOP: only with its interrupt enabled.
    const PLACES: Places = Places {
        keyr: [KEYR, OPTKEYR],
        keys: [KEYS, OPTION_KEYS],
        locks: [(CR, LOCK, true), (OPTCR, OPTLOCK, true)],
        nested: false,
        sr: SR,
        bsy: BSY,
        eop: EOP,
        errors: OPERR,
        clearable: ERRORS | EOP,
        cr: CR,
        lock: LOCK,
        strt: STRT,
        eopie: EOPIE,
        errie: ERRIE,
        eop_needs_enable: true,
        latency: LATENCY,
        clock: (Source::Hclk, "HCLK"),
        reference: Hertz::new(16_000_000),
    };

    /// "Number of wait states according to CPU clock" of each manual, at 2.7 to 3.6 V.
    fn limit(&self, wait_states: usize) -> Option<Hertz> {
        let known = match self.device {
            // STM32F410, F411 and F412.
            0x458 | 0x431 | 0x441 => {
                [STEP, F411_ONE, F411_TWO, F411_THREE].get(wait_states).map(|row| ROWS[*row].cycles)
            }
            // STM32F413 and F423.
            0x463 if wait_states < 4 => Some(ROWS[F413_STEP].cycles * (wait_states as u32 + 1)),
            0x463 => None,
            _ => (wait_states < 6).then(|| ROWS[STEP].cycles * (wait_states as u32 + 1)),
        };
        known.map(|megahertz| Hertz::new(u64::from(megahertz) * 1_000_000))
    }

    fn written(&self, acr: u32) -> FlashTiming {
        let lines = |on: u32, row: usize| if acr & on != 0 { ROWS[row].cycles as usize } else { 0 };
        FlashTiming {
            line_bytes: ROWS[LINE].cycles,
            wait_states: acr & LATENCY,
            prefetch: acr & PRFTEN != 0,
            instruction_lines: lines(ICEN, INSTRUCTION_LINES),
            data_lines: lines(DCEN, DATA_LINES),
            caches_prefetched: ROWS[PREFETCHED_CACHED].cycles != 0,
            ..FlashTiming::IDEAL
        }
    }

    fn recommended(&self, wait_states: u32) -> FlashTiming {
        FlashTiming { wait_states, ..self.written(PRFTEN | ICEN | DCEN) }
    }

    fn parts(&self, timing: &FlashTiming) -> Vec<(&'static str, bool)> {
        vec![
            ("prefetch", timing.prefetch),
            ("instruction cache", timing.instruction_lines > 0),
            ("data cache", timing.data_lines > 0),
        ]
    }

    /// The caches empty at a change of settings too; ICRST and DCRST have no more to do (RM0390, FLASH_ACR: each only while
    /// its cache is off).
    fn settings(old: u32, new: u32) -> u32 {
        new & !RESET_CACHES | (new & RESET_CACHES & !(old << 2))
    }

    fn erase(flash: &mut FlashF4, env: &mut Env<'_, '_>) {
        let cr = flash.cr();
        let sector = flash.own.sectors.get((cr >> 3 & 15) as usize).copied();
        let erased: Vec<(usize, usize)> = match cr & (SER | MER) {
            SER => sector.into_iter().collect(),
            MER => flash.own.sectors.clone(),
            _ => Vec::new(),
        };
        if erased.is_empty() {
            flash.fail(PGSERR, env);
            return;
        }
        if cr >> 8 & 3 != 2 {
            env.gap(GapKind::Setting, format_args!("FLASH_CR.PSIZE: erasing is timed as by words"));
        }
        let mut time = 0;
        for (at, bytes) in erased {
            env.context.memory.erase_flash(at, bytes);
            time += ROWS[ERASE + usize::from(bytes > 16 << 10) + usize::from(bytes > 64 << 10)].cycles;
        }
        flash.busy(time, env);
    }

    fn write_own(flash: &mut FlashF4, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset == OPTCR {
            flash.write_options(write, env);
        } else {
            flash.bank.write(offset, write, env);
        }
    }

    /// RM0390, "Standard programming": a store of the width in PSIZE while PG is set.
    fn store(flash: &mut FlashF4, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        let cr = flash.cr();
        if cr & PG == 0 || cr & LOCK != 0 || flash.get(SR) & (BSY | ERRORS) != 0 {
            flash.fail(PGSERR, env);
            return;
        }
        if width.bytes() != 1 << (cr >> 8 & 3) {
            flash.fail(PGPERR, env);
            return;
        }
        let (at, bytes) = (offset as usize, width.bytes() as usize);
        // Programming only clears bits; nobody checks that the cells were erased.
        let old = env.context.memory.flash.bytes().get(at..at + bytes).unwrap_or_default();
        let data: Vec<u8> = old.iter().zip(value.to_le_bytes()).map(|(old, new)| old & new).collect();
        env.context.memory.program_flash(at, &data);
        flash.busy(ROWS[PROGRAM].cycles, env);
    }
}
