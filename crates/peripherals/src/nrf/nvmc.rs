//! Non-volatile memory controller (nRF52840 PS, "NVMC — Non-volatile memory controller"): writes and erases flash and the user's
//! registers (UICR), and has the cache in front of flash.
//!
//! The core is halted while an operation is under way if the instruction that asked for it lies in flash; code in RAM runs on
//! and may have one write more wait. The cache's counters of hits and misses are not modelled, nor is the protection by ACL.

use cyclescope_machine::units::Address;
use cyclescope_machine::{BusFault, FlashTiming, GapKind, RegionKind, TimingRow, Width};

use crate::bank::some;
use crate::{
    Bank, Block, Clocks, Effect, Env, FlashControl, Instance, Instant, MemorySetting, Modelled, Source, Span, Tree,
    Words, Write,
};

use super::registers::bank;

const READY: u32 = 0x400;
const READYNEXT: u32 = 0x408;
const CONFIG: u32 = 0x504;
const ERASEPAGE: u32 = 0x508;
const ERASEALL: u32 = 0x50C;
const ERASEUICR: u32 = 0x514;
const ERASEPAGEPARTIAL: u32 = 0x518;
const ERASEPAGEPARTIALCFG: u32 = 0x51C;
const ICACHECNF: u32 = 0x540;

/// CONFIG.WEN.
const WRITE: u32 = 1;
const ERASE: u32 = 2;
const CACHEEN: u32 = 1;
const PAGE: u32 = 4096;

/// The user's registers ("UICR — User information configuration registers").
const UICR: u32 = 0x1000_1000;
const UICR_WORDS: usize = 256;
/// PSELRESET[0] and [1], as words of UICR.
const PSELRESET: std::ops::Range<usize> = 0x80..0x82;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[
    some("ICACHECNF", 0, &["CACHEEN"]),
    some("IHIT", 0, &[]).and(&["IMISS"]),
    some("ACL[0].ADDR", 0, &[]).and(&[
        "ACL[1].ADDR",
        "ACL[2].ADDR",
        "ACL[3].ADDR",
        "ACL[4].ADDR",
        "ACL[5].ADDR",
        "ACL[6].ADDR",
        "ACL[7].ADDR",
    ]),
    some("ACL[0].SIZE", 0, &[]).and(&[
        "ACL[1].SIZE",
        "ACL[2].SIZE",
        "ACL[3].SIZE",
        "ACL[4].SIZE",
        "ACL[5].SIZE",
        "ACL[6].SIZE",
        "ACL[7].SIZE",
    ]),
    some("ACL[0].PERM", 0, &[]).and(&[
        "ACL[1].PERM",
        "ACL[2].PERM",
        "ACL[3].PERM",
        "ACL[4].PERM",
        "ACL[5].PERM",
        "ACL[6].PERM",
        "ACL[7].PERM",
    ]),
];

/// The times of operations, and the sizes and wait states of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "nvmc.write",
        "microseconds to write a word",
        41,
        "nRF52840 PS v1.7, NVMC, Flash programming: tWRITE, maximum, with HFXO; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::documented(
        "nvmc.erase_page",
        "microseconds to erase a page, or the user's registers",
        85_000,
        "85 ms on the nRF52840, as nrf-rs/nrf-hal#385 has it from the PS (NVMC, tERASEPAGE)",
    ),
    TimingRow::assumed(
        "nvmc.erase_all",
        "microseconds to erase all flash",
        169_000,
        "nRF52840 PS v1.7, NVMC, Flash programming: tERASEALL, maximum, with HFXO; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::assumed(
        "nvmc.partial_step",
        "microseconds that a step of ERASEPAGEPARTIALCFG.DURATION is long",
        1_000,
        "the PS has a step of 1 ms with an accuracy of 1.05; no setup time is given",
    ),
    TimingRow::assumed(
        "nvmc.wait_states",
        "wait states of a read of flash, cache off",
        2,
        "nRF52840 PS v1.7, CPU, Electrical specification: WFLASH, 0 to 2; the least is that of a word read before; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::assumed(
        "nvmc.wait_states_cached",
        "wait states of a read of flash, cache on, that misses it",
        3,
        "nRF52840 PS v1.7, CPU, Electrical specification: WFLASHCACHE, 0 to 3; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::assumed(
        "nvmc.line_bytes",
        "bytes that a read of flash serves, and of a line of the cache",
        16,
        "the PS gives no figure; WFLASH from 0 on shows that a read serves several fetches. Flash of 128 bits is taken",
    ),
    TimingRow::assumed(
        "nvmc.instruction_lines",
        "lines of the cache, for instructions alone",
        128,
        "2 KB (nRF52840 PS v1.7, NVMC, Cache) of lines of 16 bytes; fully associative here, the PS gives no ways",
    ),
];

const WRITING: usize = 0;
const ERASING_PAGE: usize = 1;
const ERASING_ALL: usize = 2;
const PARTIAL: usize = 3;

/// The names of the rows that decide how long reads take.
pub const READ_ROWS: &[&str] =
    &["nvmc.wait_states", "nvmc.wait_states_cached", "nvmc.line_bytes", "nvmc.instruction_lines"];

/// Events: all is done; the write that waited has begun.
const DONE: u16 = 0;
const NEXT: u16 = 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Nvmc {
    bank: Bank,
    setting: MemorySetting,
    uicr: Vec<u32>,
    done_at: Instant,
    next_at: Instant,
    /// The page that partial erases are for, and their time so far in steps.
    partial: (u32, u32),
}

impl Nvmc {
    /// The block as the tools of the development kit leave it: the user's registers are erased, but for the choice of P0.18 as
    /// reset pin. A program that finds another choice writes this one and resets the part. `setting` decides what the cache's
    /// setting means.
    pub fn new(instance: &Instance, setting: MemorySetting) -> Self {
        let mut uicr = vec![u32::MAX; UICR_WORDS];
        uicr[PSELRESET].fill(18);
        Self {
            bank: bank(instance.map, PARTLY),
            setting,
            uicr,
            done_at: Instant::NEVER,
            next_at: Instant::NEVER,
            partial: (0, 0),
        }
    }

    fn mode(&self) -> u32 {
        self.bank.get(CONFIG) & 3
    }

    fn span(row: usize, env: &mut Env<'_, '_>) -> Span {
        let count = env.cycles(&ROWS[row]);
        env.clocks().microseconds(count)
    }

    fn is_busy(&self) -> bool {
        self.bank.get(READY) & 1 == 0
    }

    fn show(&mut self, offset: u32, ready: bool) {
        self.bank.flag(offset, 1, ready);
    }

    /// An operation takes `span`, behind the one under way.
    fn begin(&mut self, span: Span, env: &mut Env<'_, '_>) {
        let (from, runs_from_flash) = (env.now().after(self.left(env)), self.runs_from_flash(env));
        let end = from.after(span);
        if runs_from_flash {
            return self.halt(end, env);
        }
        let waits = self.is_busy();
        (self.done_at, self.next_at) = (end, if waits { from } else { Instant::NEVER });
        self.show(READY, false);
        self.show(READYNEXT, !waits);
        env.schedule(DONE, self.done_at);
        env.schedule(NEXT, self.next_at);
    }

    /// The time that the operation under way still takes.
    fn left(&self, env: &Env<'_, '_>) -> Span {
        if self.is_busy() { self.done_at.since(env.now()) } else { Span::ZERO }
    }

    fn runs_from_flash(&self, env: &Env<'_, '_>) -> bool {
        matches!(env.context.memory.region(env.context.pc.get()), Some(RegionKind::Flash(_)))
    }

    /// The core is halted until `end`.
    fn halt(&self, end: Instant, env: &mut Env<'_, '_>) {
        let cycles = env.clocks().cycle(end).saturating_sub(env.context.now).get();
        *env.context.halt = (*env.context.halt).max(cycles);
    }

    /// Erases the `bytes` bytes of flash from `address` on.
    fn erase(&mut self, address: u32, bytes: u32, row: usize, env: &mut Env<'_, '_>) {
        if self.mode() != ERASE {
            return env
                .gap(GapKind::Setting, format_args!("NVMC erase while CONFIG.WEN is not Een: nothing is erased"));
        }
        if !address.is_multiple_of(PAGE) || address as usize >= env.context.memory.flash.bytes().len() {
            return env.gap(GapKind::Setting, format_args!("NVMC erase of no page of flash: nothing is erased"));
        }
        env.context.memory.erase_flash(address as usize, bytes as usize);
        let span = Self::span(row, env);
        self.begin(span, env);
    }

    /// "Partial erase of a page in flash": the page is erased when its partial erases have taken as long as a whole one.
    fn erase_partly(&mut self, address: u32, env: &mut Env<'_, '_>) {
        let steps = self.bank.get(ERASEPAGEPARTIALCFG) & 0x7F;
        let before = if self.partial.0 == address { self.partial.1 } else { 0 };
        self.partial = (address, before.saturating_add(steps));
        let step = env.cycles(&ROWS[PARTIAL]);
        if u64::from(self.partial.1).saturating_mul(step) >= u64::from(ROWS[ERASING_PAGE].cycles) {
            self.partial.1 = 0;
            if self.mode() == ERASE && address.is_multiple_of(PAGE) {
                env.context.memory.erase_flash(address as usize, PAGE as usize);
            }
        }
        let span = env.clocks().microseconds(step).times(steps.into());
        self.begin(span, env);
    }

    /// Takes a word for flash or the user's registers; tells if it is to be written now.
    fn takes(&mut self, width: Width, address: u32, env: &mut Env<'_, '_>) -> bool {
        if width != Width::Word {
            env.wires.fault = Some(BusFault::Width(Address::new(address)));
        } else if self.mode() != WRITE {
            env.wires.fault = Some(BusFault::ReadOnly(Address::new(address)));
        } else {
            let span = Self::span(WRITING, env);
            if self.next_at != Instant::NEVER && !self.runs_from_flash(env) {
                // Only one write waits; the bus waits with another.
                self.halt(self.next_at, env);
            }
            self.begin(span, env);
            return true;
        }
        false
    }

    const fn timing_with(cached: bool) -> FlashTiming {
        FlashTiming {
            line_bytes: ROWS[6].cycles,
            wait_states: if cached { ROWS[5].cycles } else { ROWS[4].cycles },
            prefetch: false,
            instruction_lines: if cached { ROWS[7].cycles as usize } else { 0 },
            data_lines: 0,
            caches_prefetched: false,
            ..FlashTiming::IDEAL
        }
    }

    fn is_cached(&self) -> bool {
        self.bank.get(ICACHECNF) & CACHEEN != 0
    }
}

impl FlashControl for Nvmc {
    fn setting(&self) -> MemorySetting {
        self.setting
    }

    fn apply(&mut self, env: &mut Env<'_, '_>) {
        env.context.memory.set_flash_timing(match self.setting {
            MemorySetting::Ideal => FlashTiming::IDEAL,
            MemorySetting::Shipped => Self::timing_with(self.is_cached()),
            MemorySetting::Equal => Self::timing_with(true),
        });
    }

    fn store(&mut self, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        if self.takes(width, offset, env) {
            env.context.memory.program_flash(offset as usize, &value.to_le_bytes());
        }
    }

    /// FICR and UICR are flash: erased where nothing is written.
    fn option_word(&self, address: u32) -> Option<u32> {
        let word = self.uicr.get((address.wrapping_sub(UICR) / 4) as usize);
        Some(word.copied().unwrap_or(u32::MAX))
    }

    fn store_option(&mut self, address: u32, width: Width, value: u32, env: &mut Env<'_, '_>) -> bool {
        let place = (address.wrapping_sub(UICR) / 4) as usize;
        if place >= UICR_WORDS {
            return false;
        }
        if self.takes(width, address, env) {
            self.uicr[place] &= value;
        }
        true
    }

    fn load_options(&mut self, address: u32, bytes: &[u8]) -> bool {
        let first = address.wrapping_sub(UICR) as usize;
        let fits = first.checked_add(bytes.len()).is_some_and(|end| end <= 4 * UICR_WORDS);
        for (place, byte) in (first..).zip(bytes).filter(|_| fits) {
            let shift = 8 * (place % 4);
            let word = &mut self.uicr[place / 4];
            *word = *word & !(0xFF << shift) | u32::from(*byte) << shift;
        }
        fits
    }

    fn settings_written(&self, clocks: &Clocks) -> String {
        let written = Self::timing_with(self.is_cached());
        let cache = if self.is_cached() { "on" } else { "off" };
        let clock = clocks.frequency(Source::Hclk);
        format!("{} wait states, instruction cache {cache} at {clock}", written.wait_states)
    }
}

impl Block<Words> for Nvmc {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        // While an operation is under way the controller takes no settings ("CONFIG", "ERASEPAGE").
        if self.is_busy() && matches!(offset, CONFIG..=ERASEPAGEPARTIALCFG) {
            return;
        }
        self.bank.write(offset, write, env);
        let (value, size) = (write.ones(), env.context.memory.flash.bytes().len() as u32);
        match offset {
            ERASEPAGE => self.erase(value, PAGE, ERASING_PAGE, env),
            ERASEALL if value & 1 != 0 => {
                self.uicr.fill(u32::MAX);
                self.erase(0, size, ERASING_ALL, env);
            }
            ERASEUICR if value & 1 != 0 && self.mode() == ERASE => {
                self.uicr.fill(u32::MAX);
                let span = Self::span(ERASING_PAGE, env);
                self.begin(span, env);
            }
            ERASEPAGEPARTIAL => self.erase_partly(value, env),
            ICACHECNF => env.effect(Effect::FlashChanged),
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == NEXT && env.now() >= self.next_at {
            self.next_at = Instant::NEVER;
            self.show(READYNEXT, true);
        }
        if kind == DONE && env.now() >= self.done_at {
            self.done_at = Instant::NEVER;
            self.show(READY, true);
            self.show(READYNEXT, true);
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(DONE, self.done_at);
        env.schedule(NEXT, self.next_at);
    }

    fn refine(&mut self, times: u64) {
        (self.done_at, self.next_at) = (self.done_at.refined(times), self.next_at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.done_at, self.next_at, self.partial) = (Instant::NEVER, Instant::NEVER, (0, 0));
        env.cancel(DONE);
        env.cancel(NEXT);
        env.effect(Effect::FlashChanged);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
