//! Execute-in-place: the cache in front of the serial flash (RP-008371-DS, "Flash", "XIP Cache") and the settings of its pins.
//!
//! A stream reads words one after the other into a FIFO while nothing else wants the flash ("Flash", "Streaming"); the DMA empties it, by
//! XIP_STREAM_FIFO or by a slave of its own (XIP_AUX). The counters of accesses and hits count from where a program first clears one of
//! them: before, nobody looks at accesses. Accesses that wait for a flush are not modelled.

use std::collections::VecDeque;

use cyclescope_machine::{FlashTiming, GapKind, TimingRow, Width};

use super::Message;
use super::nor::Nor;
use super::registers::bank;
use crate::bank::some;
use crate::{
    Bank, Block, Clocks, DmaRequest, Effect, Env, FlashControl, Instance, Instant, MemorySetting, Modelled, Source,
    Tree, Words, Write,
};

const CTRL: u32 = 0x00;
const FLUSH: u32 = 0x04;
const STAT: u32 = 0x08;
const CTR_HIT: u32 = 0x0C;
const CTR_ACC: u32 = 0x10;
const STREAM_ADDR: u32 = 0x14;
const STREAM_CTR: u32 = 0x18;
const STREAM_FIFO: u32 = 0x1C;

/// CTRL.
const EN: u32 = 1 << 0;
const POWER_DOWN: u32 = 1 << 3;
/// STAT.
const FLUSH_READY: u32 = 1 << 0;
const FIFO_EMPTY: u32 = 1 << 1;
const FIFO_FULL: u32 = 1 << 2;

/// The bits of an address that reach the flash chip.
const WINDOW: u32 = 0x00FF_FFFF;

/// The bit by which the block asks for counts.
const WHO: u8 = 2;
/// The bit by which it asks that accesses be seen during a flush: one of FLUSH waits for longer than the worst case of any block of code.
const FLUSHING: u8 = 4;

/// The words that the stream's FIFO has room for.
const DEPTH: usize = 2;

/// The event at which a flush ends.
const FLUSHED: u16 = 0;
/// The event at which a word of the stream is there, or the flash may be free for it.
const STREAMED: u16 = 1;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[some("CTRL", 0, &["EN", "POWER_DOWN"])];

/// The cache, and a read of the usual second stage.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "xip.sets",
        "sets of the cache, in two ways of 8 bytes each",
        1024,
        "RP-008371-DS, XIP Cache: 16 KiB, two-way set-associative, 8-byte lines, a hit in one cycle",
    ),
    TimingRow::documented(
        "xip.fill_bytes",
        "bytes that a miss reads",
        4,
        "a line has a valid bit for each half, filled apart (raspberrypi/pico-sdk#1182)",
    ),
    TimingRow::assumed(
        "xip.alternates",
        "1: of a set the way that was not filled last is filled next, whatever was used",
        1,
        "RP-008371-DS does not name the policy of replacement",
    ),
    TimingRow::documented(
        "xip.flush",
        "cycles that a flush of the cache takes",
        1024,
        "RP-008371-DS, Cache Flushing and Maintenance: just over 1024 cycles",
    ),
    TimingRow::documented(
        "xip.usual_read",
        "cycles of a read with the second stage for W25Q080 and a divider of 2",
        40,
        "RP-008371-DS, SSI: (8 + 4 + 8) clocks of two cycles for address and mode, dummies and data; so in klipper#6464, 320 ns at 125 MHz",
    ),
    TimingRow::assumed(
        "xip.stream",
        "reads of the flash that a word of the stream takes",
        1,
        "RP-008371-DS, Streaming: reads in idle cycles of the flash; taken to be as long as others, and past the cache",
    ),
];

const SETS: usize = 0;
const FILL: usize = 1;
const POLICY: usize = 2;
const FLUSH_TIME: usize = 3;
const USUAL: usize = 4;
const STREAM: usize = 5;

/// The names of the rows behind the time that flash takes to read.
pub const READ_ROWS: &[&str] = &["xip.sets", "xip.fill_bytes", "xip.alternates", "xip.usual_read", "xip.overhead"];

/// The block.
#[derive(Clone, Debug)]
pub struct Xip {
    bank: Bank,
    setting: MemorySetting,
    /// The cycles of a read, if the serial interface makes any.
    read: Option<u32>,
    flushed: Instant,
    /// The words of the stream that nobody has read.
    words: VecDeque<u32>,
    /// A word of the stream is on its way.
    reads: bool,
    /// When it is there, or when the flash may be free.
    streamed: Instant,
    request: DmaRequest,
    /// The accesses, and the hits among them, at which each counter was cleared; `None` while nothing is counted.
    cleared: Option<[u64; 2]>,
}

impl Xip {
    /// The block after power-on; `setting` is chosen before a run.
    pub fn new(instance: &Instance, setting: MemorySetting) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            setting,
            read: None,
            flushed: Instant::NEVER,
            words: VecDeque::new(),
            reads: false,
            streamed: Instant::NEVER,
            request: DmaRequest::new(instance, "STREAM"),
            cleared: None,
        }
    }

    /// A read through the window takes so many cycles from now on; `None`: there is none.
    pub fn set_read(&mut self, cycles: Option<u32>, env: &mut Env<'_, '_>) {
        self.read = cycles;
        self.apply(env);
    }

    fn is_on(&self) -> bool {
        self.bank.get(CTRL) & (EN | POWER_DOWN) == EN
    }

    /// The first time at which a read of the register at `offset` is answered: one of FLUSH waits for the flush.
    pub fn answers_at(&self, offset: u32) -> Option<Instant> {
        (offset == FLUSH && self.flushed != Instant::NEVER).then_some(self.flushed)
    }

    fn timing(&self) -> FlashTiming {
        let of = |cycles: u32, cached: bool| FlashTiming {
            line_bytes: ROWS[FILL].cycles,
            wait_states: cycles.saturating_sub(1),
            shared_sets: if cached { ROWS[SETS].cycles } else { 0 },
            ..FlashTiming::IDEAL
        };
        match self.setting {
            MemorySetting::Ideal => FlashTiming::IDEAL,
            MemorySetting::Equal => of(ROWS[USUAL].cycles, true),
            MemorySetting::Shipped => of(self.read.unwrap_or(ROWS[USUAL].cycles), self.is_on()),
        }
    }

    fn flush(&mut self, env: &mut Env<'_, '_>) {
        env.context.memory.flash.interface_mut().forget(true, true);
        let cycles = env.cycles(&ROWS[FLUSH_TIME]);
        self.flushed = env.clocks().edge_after(Source::Hclk, env.now(), cycles);
        self.bank.flag(STAT, FLUSH_READY, false);
        env.schedule(FLUSHED, self.flushed);
        env.context.traffic.want(FLUSHING, true);
    }

    /// Begins to read the next word of the stream, if there is one and room for it; while something else has the flash, asks again
    /// when that ends.
    fn stream(&mut self, env: &mut Env<'_, '_>) {
        if self.reads || self.bank.get(STREAM_CTR) == 0 || self.words.len() >= DEPTH {
            return;
        }
        let cycles = match env.context.memory.flash.interface_mut().read_idle(env.context.now.get()) {
            Ok(cycles) => {
                env.wires.note(&ROWS[STREAM]);
                self.reads = true;
                cycles
            }
            Err(busy) => busy,
        };
        self.streamed = env.clocks().edge_after(Source::Hclk, env.now(), cycles.max(1));
        env.schedule(STREAMED, self.streamed);
    }

    /// The word on its way is there.
    fn take_streamed(&mut self, env: &mut Env<'_, '_>) {
        if std::mem::take(&mut self.reads) {
            let from = self.bank.get(STREAM_ADDR);
            let bytes = [0, 1, 2, 3].map(|byte| Nor::read(from.wrapping_add(byte) & WINDOW, env));
            self.words.push_back(u32::from_le_bytes(bytes));
            self.bank.set(STREAM_ADDR, from.wrapping_add(4));
            self.bank.set(STREAM_CTR, self.bank.get(STREAM_CTR).saturating_sub(1));
            self.show_level(env);
        }
        self.stream(env);
    }

    /// The FIFO holds more or less than before.
    fn show_level(&mut self, env: &mut Env<'_, '_>) {
        self.bank.flags(STAT, &[(FIFO_EMPTY, self.words.is_empty()), (FIFO_FULL, self.words.len() == DEPTH)]);
        self.request.credit(self.words.len() as u8, env);
    }

    fn read_streamed(&mut self, env: &mut Env<'_, '_>) -> u32 {
        let Some(word) = self.words.pop_front() else {
            env.gap(GapKind::Setting, format_args!("XIP_STREAM_FIFO: a read while it is empty"));
            return 0;
        };
        self.show_level(env);
        self.stream(env);
        word
    }

    /// CTR_ACC (0) or CTR_HIT (1).
    fn counted(&self, which: usize, env: &mut Env<'_, '_>) -> u32 {
        let Some(cleared) = self.cleared else {
            env.gap(GapKind::RegisterRead, format_args!("XIP_CTR_ACC and XIP_CTR_HIT before either is cleared"));
            return 0;
        };
        u32::try_from(env.context.traffic.cached()[which].saturating_sub(cleared[which])).unwrap_or(u32::MAX)
    }

    fn clear_counter(&mut self, which: usize, env: &mut Env<'_, '_>) {
        let now = env.context.traffic.cached();
        env.wires.note(&super::bus_control::ROWS[0]);
        env.context.traffic.want(WHO, true);
        self.cleared.get_or_insert(now)[which] = now[which];
    }

    /// The stream ends here: the word on its way is dropped. The flash is free once it has been read.
    fn stop_stream(&mut self, env: &mut Env<'_, '_>) {
        (self.reads, self.streamed) = (false, Instant::NEVER);
        env.cancel(STREAMED);
    }
}

impl Block<Words> for Xip {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            FLUSH => 0,
            STREAM_FIFO => self.read_streamed(env),
            CTR_ACC => self.counted(0, env),
            CTR_HIT => self.counted(1, env),
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if matches!(offset, FLUSH | STREAM_FIFO | CTR_ACC | CTR_HIT) { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        match offset {
            FLUSH if write.ones() & 1 != 0 => self.flush(env),
            CTRL => {
                if self.bank.get(CTRL) & POWER_DOWN != 0 {
                    self.bank.flag(CTRL, EN, false);
                }
                self.apply(env);
            }
            CTR_ACC => self.clear_counter(0, env),
            CTR_HIT => self.clear_counter(1, env),
            STREAM_CTR => {
                if self.bank.get(STREAM_CTR) == 0 {
                    self.stop_stream(env);
                }
                self.stream(env);
            }
            _ => {}
        }
    }

    fn event(&mut self, id: u16, env: &mut Env<'_, '_>) {
        if id == FLUSHED && env.now() >= self.flushed {
            self.flushed = Instant::NEVER;
            self.bank.flag(STAT, FLUSH_READY, true);
            env.context.traffic.want(FLUSHING, false);
        }
        if id == STREAMED && env.now() >= self.streamed {
            self.streamed = Instant::NEVER;
            self.take_streamed(env);
        }
    }

    fn after_change(&mut self, before: Tree, env: &mut Env<'_, '_>) {
        let (now, old, new) = (env.now(), before.hclk, env.clocks().tree().hclk);
        self.flushed = self.flushed.rescaled(now, old, new);
        self.streamed = self.streamed.rescaled(now, old, new);
        env.schedule(FLUSHED, self.flushed);
        env.schedule(STREAMED, self.streamed);
    }

    fn refine(&mut self, times: u64) {
        self.flushed = self.flushed.refined(times);
        self.streamed = self.streamed.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        // The boot ROM finds it flushed.
        self.flushed = Instant::NEVER;
        self.bank.flag(STAT, FLUSH_READY, true);
        self.words.clear();
        (self.reads, self.streamed, self.cleared) = (false, Instant::NEVER, None);
        env.context.traffic.want(WHO | FLUSHING, false);
        env.context.memory.flash.interface_mut().forget(true, true);
        env.cancel_all();
        self.show_level(env);
        env.effect(Effect::FlashChanged);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

impl FlashControl for Xip {
    fn setting(&self) -> MemorySetting {
        self.setting
    }

    fn apply(&mut self, env: &mut Env<'_, '_>) {
        [SETS, FILL, POLICY].iter().for_each(|row| env.wires.note(&ROWS[*row]));
        env.context.memory.set_flash_timing(self.timing());
    }

    /// A store to the window programs nothing: it forgets the line.
    fn store(&mut self, offset: u32, _: Width, _: u32, env: &mut Env<'_, '_>) {
        let flash = &mut env.context.memory.flash;
        let placed = flash.placed(offset);
        flash.interface_mut().forget_line(placed);
    }

    fn settings_written(&self, _: &Clocks) -> String {
        let cache = if self.is_on() { "cache on" } else { "cache off" };
        match self.read {
            Some(cycles) => format!("{cache}, a read of flash in {cycles} cycles"),
            None => format!("{cache}, no XIP reads set up"),
        }
    }
}

/// The settings of the flash chip's pins (RP-008371-DS, "GPIO", IO_QSPI): of these the override of the select line has an effect.
#[derive(Clone, Debug)]
pub struct IoQspi {
    bank: Bank,
}

/// GPIO_QSPI_SS_STATUS and GPIO_QSPI_SS_CTRL.
const SS_STATUS: u32 = 0x08;
const SS_CTRL: u32 = 0x0C;
/// Level and output of the select line in its status: high, as the pull-up leaves it.
const INFROMPAD: u32 = 1 << 17;
const INTOPERI: u32 = 1 << 19;

/// The registers of IO_QSPI that are modelled in part.
pub const IO_PARTLY: &[Modelled] = &[
    some("GPIO_QSPI_SS_CTRL", 0, &["FUNCSEL", "OUTOVER"]).unseen(&["OEOVER", "INOVER"]),
    some("GPIO_QSPI_SCLK_CTRL", 0, &["FUNCSEL"]).unseen(&["OEOVER", "OUTOVER", "INOVER"]).and(&[
        "GPIO_QSPI_SD0_CTRL",
        "GPIO_QSPI_SD1_CTRL",
        "GPIO_QSPI_SD2_CTRL",
        "GPIO_QSPI_SD3_CTRL",
    ]),
    some("INTR", 0, &[]),
    some("PROC0_INTE", 0, &[]).and(&["PROC0_INTF", "PROC0_INTS", "PROC1_INTE", "PROC1_INTF", "PROC1_INTS"]),
    some("DORMANT_WAKE_INTE", 0, &[]).and(&["DORMANT_WAKE_INTF", "DORMANT_WAKE_INTS"]),
];

impl IoQspi {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, IO_PARTLY) }
    }

    fn tell(&self, env: &mut Env<'_, '_>) {
        let low = match self.bank.get(SS_CTRL) >> 8 & 3 {
            0 => None,
            1 => {
                env.gap(GapKind::Setting, format_args!("IO_QSPI_GPIO_QSPI_SS_CTRL.OUTOVER: an inverted select line"));
                None
            }
            level => Some(level == 2),
        };
        env.effect(Effect::Rp(Message::FlashSelect { low }));
    }
}

impl Block<Words> for IoQspi {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.bank.read(offset, env);
        if offset == SS_STATUS { value | INFROMPAD | INTOPERI } else { value }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        if offset == SS_CTRL {
            self.tell(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.tell(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
