//! Flash memory interfaces that program double words: STM32C0 (RM0490), G0 (RM0444), G4 (RM0440), L4 (RM0351, RM0394) and L4+
//! (RM0432), "Embedded flash memory (FLASH)": wait states by voltage range, prefetch and caches, keys, programming, erasing
//! of pages and banks. A [`Line`] has what differs.
//!
//! Not modelled: fast programming, flash without power, the protections (PCROP, WRP, RDP, the securable area), changes of the
//! option bytes (one or two banks stay as the factory chose), error correction, and the stall of reads while the array
//! programs or erases.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{FlashTiming, GapKind, TimingRow, Width};

use super::flash::{Flash, KEYS, OPTION_KEYS, Places, Version};
use crate::device::Properties;
use crate::{Env, Instance, Modelled, Source, VoltageRange, Write};

const KEYR: u32 = 0x08;
const OPTKEYR: u32 = 0x0C;
const SR: u32 = 0x10;
const CR: u32 = 0x14;
/// The first of the registers that option bytes fill.
const OPTR: u32 = 0x20;

const PRFTEN: u32 = 1 << 8;
const ICEN: u32 = 1 << 9;
const DCEN: u32 = 1 << 10;
/// ICRST and DCRST.
const RESET_CACHES: u32 = 3 << 11;
const LATENCY: u32 = 15;

const EOP: u32 = 1 << 0;
const OPERR: u32 = 1 << 1;
const PROGERR: u32 = 1 << 3;
const PGAERR: u32 = 1 << 5;
const SIZERR: u32 = 1 << 6;
const PGSERR: u32 = 1 << 7;
const ERRORS: u32 = 0x0000_C3FA;
/// BSY, where STM32G0 has BSY1, and BSY2 of its second bank.
const BSY: u32 = 1 << 16;
const BSY2: u32 = 1 << 17;
const CFGBSY: u32 = 1 << 18;

const PG: u32 = 1 << 0;
const PER: u32 = 1 << 1;
const MER1: u32 = 1 << 2;
const MER2: u32 = 1 << 15;
const STRT: u32 = 1 << 16;
const FSTPG: u32 = 1 << 18;
const EOPIE: u32 = 1 << 24;
const ERRIE: u32 = 1 << 25;
const OPTLOCK: u32 = 1 << 30;
const LOCK: u32 = 1 << 31;

/// The clock in whose periods programming and erasing are given.
pub(super) const REFERENCE: Hertz = Hertz::new(16_000_000);

/// The properties of a line of parts.
#[derive(Debug)]
pub struct Line {
    /// The modelled registers and fields, with the values after reset.
    pub model: &'static [Modelled],
    /// Programming a double word, erasing a page, erasing a bank.
    pub times: [&'static TimingRow; 3],
    /// The reads of the array that the instruction cache holds, and the data cache.
    pub caches: [&'static [&'static TimingRow]; 2],
    /// The fastest HCLK in MHz with each number of wait states, in [`VoltageRange`]'s order.
    pub limits: [&'static [TimingRow]; 3],
    /// The device identifications (DEV_ID) of parts with two banks.
    pub two_banks: &'static [u32],
    /// The largest bank: where the second begins if the first is as large.
    pub bank_bytes: usize,
    /// BKER of FLASH_CR.
    pub bker: u32,
    /// The second bank's BSY2 (STM32G0).
    pub second_busy: bool,
    /// CFGBSY of FLASH_SR (STM32C0 and G0).
    pub configures: bool,
    /// Programming and erasing need range 1.
    pub needs_range_1: bool,
}

impl Line {
    /// Tells if parts with this DBGMCU_IDCODE are of the line and have two banks.
    pub fn has_two_banks(&self, device_id: u32) -> bool {
        self.two_banks.contains(&(device_id & 0xFFF))
    }
}

/// A row of [`Line::limits`].
pub(super) const fn limit(name: &'static str, megahertz: u32, source: &'static str) -> TimingRow {
    TimingRow::documented(
        name,
        "the fastest HCLK, in MHz, for this number of wait states and voltage range",
        megahertz,
        source,
    )
}

/// The same, where the manual's table is known from others' words alone.
pub(super) const fn told_limit(name: &'static str, megahertz: u32, source: &'static str) -> TimingRow {
    let TimingRow { what, .. } = limit(name, megahertz, source);
    TimingRow::assumed(name, what, megahertz, source)
}

/// The version, with the first half of a double word and its offset.
#[derive(Clone, Debug)]
pub struct Double {
    line: &'static Line,
    page_bytes: usize,
    /// The bytes of each bank; the second has none in parts with one bank.
    banks: [usize; 2],
    range: VoltageRange,
    half: Option<(u32, u32)>,
}

/// The block.
pub type FlashDouble = Flash<Double>;

impl FlashDouble {
    /// The block of `part` after reset.
    pub fn of(instance: &Instance, part: &Properties<'_>, line: &'static Line) -> Self {
        let bytes = usize::try_from(part.flash_bytes).unwrap_or(usize::MAX);
        let two = line.has_two_banks(part.device_id);
        // A bank is half of flash; one that does not adjoin is no memory here.
        let first = if !two {
            bytes
        } else if bytes > line.bank_bytes {
            bytes / 2
        } else {
            bytes.min(line.bank_bytes)
        };
        let page = part.sectors.first().map_or(2048, |(_, page)| *page as usize);
        let own = Double::new(line, page, [first, if two { bytes - first } else { 0 }]);
        Self::with(instance, line.model, part.setting, own)
    }

    fn program(&mut self, offset: u32, low: u32, high: u32, env: &mut Env<'_, '_>) {
        let data: Vec<u8> = low.to_le_bytes().into_iter().chain(high.to_le_bytes()).collect();
        let at = offset as usize;
        let blank =
            env.context.memory.flash.bytes().get(at..at + 8).is_some_and(|cells| cells.iter().all(|c| *c == 0xFF));
        if !blank && data.iter().any(|byte| *byte != 0) {
            self.refuse(PROGERR, env);
            return;
        }
        env.context.memory.program_flash(at, &data);
        self.operate(self.own.line.times[0], at >= self.own.banks[0], env);
    }

    /// An operation in the first or the second bank begins, and takes as long as `row` says.
    fn operate(&mut self, row: &TimingRow, second: bool, env: &mut Env<'_, '_>) {
        if self.own.line.needs_range_1 && self.own.range == VoltageRange::Low {
            env.gap(
                GapKind::Setting,
                format_args!("flash is programmed or erased in range 2 (PWR_CR1.VOS): it needs range 1"),
            );
        }
        self.busy(row.cycles, env);
        if second && self.own.line.second_busy {
            self.bank.flag(SR, BSY, false);
            self.bank.flag(SR, BSY2, true);
        }
        self.bank.flag(SR, CFGBSY, self.own.line.configures);
    }

    fn refuse(&mut self, error: u32, env: &mut Env<'_, '_>) {
        self.own.half = None;
        self.bank.flag(SR, CFGBSY, false);
        self.fail(error, env);
    }

    /// Bytes from the beginning of flash, and how many, of the page that FLASH_CR selects; `None` if there is none.
    fn page(&self) -> Option<(usize, usize)> {
        let [first, second] = self.own.banks;
        let page = (self.cr() >> 3 & 0x3FF) as usize;
        let bker = self.cr() & self.own.line.bker != 0;
        if second == 0 {
            return Some(page * self.own.page_bytes)
                .filter(|at| *at < first && !bker)
                .map(|at| (at, self.own.page_bytes));
        }
        // RM0444 numbers the second bank's pages from 256 on: the lower bits count.
        let inside = page * self.own.page_bytes % first.max(1);
        let begin = if bker { first } else { 0 };
        Some((begin + inside, self.own.page_bytes)).filter(|_| !bker || inside < second)
    }
}

impl Double {
    pub(super) fn new(line: &'static Line, page_bytes: usize, banks: [usize; 2]) -> Self {
        Self { line, page_bytes: page_bytes.max(1), banks, range: VoltageRange::Normal, half: None }
    }
}

impl Version for Double {
    const PLACES: Places = Places {
        keyr: [KEYR, OPTKEYR],
        keys: [KEYS, OPTION_KEYS],
        locks: [(CR, LOCK, true), (CR, OPTLOCK, true)],
        nested: true,
        sr: SR,
        bsy: BSY | BSY2,
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
        reference: REFERENCE,
    };

    fn limit(&self, wait_states: usize) -> Option<Hertz> {
        let limits = self.line.limits[self.range as usize];
        limits.get(wait_states).map(|row| Hertz::new(u64::from(row.cycles) * 1_000_000))
    }

    fn condition(&self) -> &'static str {
        if self.line.limits[2].is_empty() { "" } else { self.range.name() }
    }

    fn set_range(&mut self, range: VoltageRange) {
        self.range = range;
    }

    fn written(&self, acr: u32) -> FlashTiming {
        // The lines of a cache, times the reads that fill one.
        let [instructions, data] = self.line.caches.map(|rows| match rows {
            [] => 0,
            rows => rows.iter().map(|row| row.cycles as usize).product(),
        });
        FlashTiming {
            line_bytes: 8,
            wait_states: acr & LATENCY,
            prefetch: acr & PRFTEN != 0,
            instruction_lines: if acr & ICEN != 0 { instructions } else { 0 },
            data_lines: if acr & DCEN != 0 { data } else { 0 },
            caches_prefetched: false,
            ..FlashTiming::IDEAL
        }
    }

    fn recommended(&self, wait_states: u32) -> FlashTiming {
        FlashTiming { wait_states, ..self.written(PRFTEN | ICEN | DCEN) }
    }

    fn parts(&self, timing: &FlashTiming) -> Vec<(&'static str, bool)> {
        let mut parts = vec![("prefetch", timing.prefetch)];
        if self.line.caches[1].is_empty() {
            parts.push(("cache", timing.instruction_lines > 0));
        } else {
            parts.push(("instruction cache", timing.instruction_lines > 0));
            parts.push(("data cache", timing.data_lines > 0));
        }
        parts
    }

    /// RM0440, FLASH_ACR.ICRST, DCRST: each only while its cache is off. The caches empty at a change of settings too.
    fn settings(old: u32, new: u32) -> u32 {
        new & !RESET_CACHES | (new & RESET_CACHES & !(old << 2))
    }

    fn control(flash: &mut FlashDouble, old: u32, new: u32) {
        flash.bank.set(CR, new | old & (LOCK | OPTLOCK));
        if new & OPTLOCK != 0 {
            flash.lock(1);
        }
    }

    /// RM0440, "Flash main memory erase sequences", "Programming errors": PGSERR.
    fn erase(flash: &mut FlashDouble, env: &mut Env<'_, '_>) {
        let cr = flash.cr();
        let [first, second] = flash.own.banks;
        if cr & (PG | FSTPG) != 0 || flash.get(SR) & ERRORS != 0 {
            flash.refuse(PGSERR, env);
            return;
        }
        let (at, bytes, row) = match cr & (PER | MER1 | MER2) {
            PER => match flash.page() {
                Some((at, bytes)) => (at, bytes, flash.own.line.times[1]),
                None => {
                    env.gap(
                        GapKind::Setting,
                        format_args!("FLASH_CR.PNB selects no page of this part: nothing is erased"),
                    );
                    return;
                }
            },
            MER1 => (0, first, flash.own.line.times[2]),
            MER2 if second > 0 => (first, second, flash.own.line.times[2]),
            both if both == MER1 | MER2 => (0, first.saturating_add(second), flash.own.line.times[2]),
            _ => {
                flash.refuse(PGSERR, env);
                return;
            }
        };
        env.context.memory.erase_flash(at, bytes);
        flash.operate(row, at >= first, env);
    }

    fn write_own(flash: &mut FlashDouble, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        // While locked, the registers of options take nothing (RM0440, FLASH_CR.OPTLOCK).
        if offset < OPTR || flash.cr() & OPTLOCK == 0 {
            flash.bank.write(offset, write, env);
        }
    }

    /// RM0440, "Standard programming", "Programming errors".
    fn store(flash: &mut FlashDouble, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        let cr = flash.cr();
        if cr & PG == 0 || cr & (PER | MER1 | MER2) != 0 || flash.is_busy() || flash.get(SR) & ERRORS != 0 {
            flash.refuse(PGSERR, env);
        } else if width != Width::Word {
            flash.refuse(SIZERR, env);
        } else {
            match flash.own.half.take() {
                None if offset.is_multiple_of(8) => {
                    flash.own.half = Some((offset, value));
                    flash.bank.flag(SR, CFGBSY, flash.own.line.configures);
                }
                Some((first, low)) if offset == first + 4 => flash.program(first, low, value, env),
                _ => flash.refuse(PGAERR, env),
            }
        }
    }

    /// RM0444, RM0440, RM0351, PWR_CR1.VOS: range 1 is back after each reset.
    fn reset(&mut self) {
        self.half = None;
        self.range = VoltageRange::Normal;
    }

    fn done(flash: &mut FlashDouble) {
        flash.bank.flag(SR, CFGBSY, false);
    }
}
