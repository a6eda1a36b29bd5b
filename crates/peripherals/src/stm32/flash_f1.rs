//! Flash memory interface of STM32F1 (PM0075; RM0008, "Embedded Flash memory"): wait states, the prefetch buffer, keys,
//! programming by half-words, erasing, option bytes.
//!
//! Not modelled: half-cycle access,
//! read protection, the reload of changed option bytes by a system reset, and the stall of reads while the array programs
//! or erases.

use cyclescope_machine::units::{Address, Hertz};
use cyclescope_machine::{BusFault, FlashTiming, GapKind, TimingRow, Width};

use super::flash::{Flash, KEYS, Places, Version};
use crate::bank::{all, some};
use crate::device::Properties;
use crate::{Env, Instance, Modelled, Source, Write};

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

/// The version, with the option bytes.
#[derive(Clone, Debug)]
pub struct F1 {
    options: [u16; OPTION_HALFWORDS],
}

impl Default for F1 {
    fn default() -> Self {
        Self { options: OPTIONS_FROM_FACTORY }
    }
}

/// The block.
pub type FlashF1 = Flash<F1>;

const fn timing(wait_states: u32, prefetch: bool) -> FlashTiming {
    let line_bytes = if prefetch { ROWS[2].cycles } else { ROWS[3].cycles };
    FlashTiming { line_bytes, wait_states, prefetch, ..FlashTiming::IDEAL }
}

impl FlashF1 {
    /// The block of `part` after reset.
    pub fn of(instance: &Instance, part: &Properties<'_>) -> Self {
        Self::with(instance, MODEL, part.setting, F1::default())
    }

    /// Tells if a store programs now. It does if FLASH_CR selects `mode` and the interface is not busy. A width other than
    /// 16 bits is a bus error (PM0075, "Main Flash memory programming").
    fn may_program(&mut self, mode: u32, width: Width, env: &mut Env<'_, '_>) -> bool {
        if self.cr() & mode == 0 {
            env.gap(GapKind::Setting, format_args!("store into flash while FLASH_CR selects no programming: lost"));
            return false;
        }
        if width != Width::Half {
            env.wires.fault = Some(BusFault::Width(Address::new(env.instance.address)));
            return false;
        }
        !self.is_busy()
    }

    fn is_protected(&self, at: usize) -> bool {
        let bit = (at / (PAGE_BYTES * PAGES_PER_PROTECTION_BIT)).min(31);
        self.get(WRPR) & 1 << bit == 0
    }
}

impl Version for F1 {
    const PLACES: Places = Places {
        keyr: [KEYR, OPTKEYR],
        keys: [KEYS; 2],
        locks: [(CR, LOCK, true), (CR, OPTWRE, false)],
        nested: true,
        sr: SR,
        bsy: BSY,
        eop: EOP,
        errors: PGERR | WRPRTERR,
        clearable: EOP | PGERR | WRPRTERR,
        cr: CR,
        lock: LOCK,
        strt: STRT,
        eopie: EOPIE,
        errie: ERRIE,
        eop_needs_enable: false,
        latency: LATENCY,
        clock: (Source::Sysclk, "SYSCLK"),
        reference: Hertz::new(8_000_000),
    };

    /// PM0075, FLASH_ACR.LATENCY.
    fn limit(&self, wait_states: usize) -> Option<Hertz> {
        let above = [24_000_000, 48_000_000].into_iter().zip([ROWS[4].cycles, ROWS[5].cycles]);
        let first = above.clone().find(|(_, needed)| wait_states < *needed as usize).map(|(limit, _)| limit);
        let most = ROWS[5].cycles as usize;
        first.or((wait_states == most).then_some(72_000_000)).map(Hertz::new)
    }

    fn written(&self, acr: u32) -> FlashTiming {
        timing(acr & LATENCY, acr & PRFTBE != 0)
    }

    fn recommended(&self, wait_states: u32) -> FlashTiming {
        timing(wait_states, true)
    }

    fn parts(&self, timing: &FlashTiming) -> Vec<(&'static str, bool)> {
        vec![("prefetch", timing.prefetch)]
    }

    fn check(flash: &FlashF1, env: &mut Env<'_, '_>) {
        let clocks = env.clocks();
        let divided = clocks.frequency(Source::Hclk) != clocks.frequency(Source::Sysclk);
        if flash.get(ACR) & PRFTBE == 0 && divided {
            env.gap(GapKind::Setting, format_args!("FLASH_ACR.PRFTBE=0 with a divided AHB (PM0075 forbids it)"));
        }
    }

    fn settings(_: u32, new: u32) -> u32 {
        (new & !PRFTBS) | (new & PRFTBE) << 1
    }

    fn control(flash: &mut FlashF1, old: u32, new: u32) {
        // OPTWRE is set by its keys only and cleared by writing 0; LOCK is only set by software.
        flash.bank.set(CR, (new & !(LOCK | OPTWRE)) | ((old | new) & LOCK) | (old & new & OPTWRE));
        if old & OPTWRE != 0 && new & OPTWRE == 0 {
            flash.lock(1);
        }
    }

    fn erase(flash: &mut FlashF1, env: &mut Env<'_, '_>) {
        let size = env.context.memory.flash.bytes().len();
        match flash.cr() & (PER | MER | OPTER) {
            PER => {
                let base = env.context.memory.flash.base().get();
                let at = flash.get(AR).wrapping_sub(base) as usize;
                if at >= size {
                    env.gap(GapKind::Setting, format_args!("FLASH_AR is outside flash: nothing is erased"));
                    return;
                }
                if flash.is_protected(at) {
                    flash.raise(WRPRTERR, env);
                    return;
                }
                env.context.memory.erase_flash(at / PAGE_BYTES * PAGE_BYTES, PAGE_BYTES);
            }
            MER => env.context.memory.erase_flash(0, size),
            OPTER if flash.cr() & OPTWRE != 0 => flash.own.options = [0xFFFF; OPTION_HALFWORDS],
            _ => return,
        }
        flash.busy(ROWS[ERASE].cycles, env);
    }

    fn write_own(flash: &mut FlashF1, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            // The address register is the one of the write that is busy.
            AR if flash.is_busy() => {}
            AR => flash.bank.set(AR, write.over(flash.get(AR))),
            _ => {
                flash.bank.write(offset, write, env);
            }
        }
    }

    /// PM0075, "Option byte organization".
    fn option_word(&self, address: u32) -> Option<u32> {
        let place = address.wrapping_sub(OPTIONS) as usize / 4 * 2;
        let halves = self.options.get(place..place + 2)?;
        Some(u32::from(halves[0]) | u32::from(halves[1]) << 16)
    }

    /// PM0075, "Option byte programming".
    fn store_option(flash: &mut FlashF1, address: u32, width: Width, value: u32, env: &mut Env<'_, '_>) -> bool {
        let place = address.wrapping_sub(OPTIONS) as usize / 2;
        if place >= OPTION_HALFWORDS {
            return false;
        }
        if !flash.may_program(OPTPG, width, env) {
            return true;
        }
        if flash.own.options[place] != 0xFFFF {
            flash.raise(PGERR, env);
            return true;
        }
        // The hardware computes the complement in the upper byte.
        let byte = value as u16 & 0xFF;
        flash.own.options[place] = byte | (!byte & 0xFF) << 8;
        flash.busy(ROWS[PROGRAM].cycles, env);
        true
    }

    /// PM0075, "Main Flash memory programming".
    fn store(flash: &mut FlashF1, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        let at = offset as usize;
        if !flash.may_program(PG, width, env) {
            return;
        }
        let Some(old) = env.context.memory.flash.bytes().get(at..at + 2).map(|cells| [cells[0], cells[1]]) else {
            return;
        };
        if flash.is_protected(at) {
            flash.raise(WRPRTERR, env);
        } else if old != [0xFF; 2] && value & 0xFFFF != 0 {
            // Only an erased half-word can be programmed, or any be cleared.
            flash.raise(PGERR, env);
        } else {
            env.context.memory.program_flash(at, &(value as u16).to_le_bytes());
            flash.busy(ROWS[PROGRAM].cycles, env);
        }
    }
}
