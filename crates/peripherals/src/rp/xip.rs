//! Execute-in-place: the cache in front of the serial flash (RP-008371-DS, "Flash", "XIP Cache") and the settings of its pins.
//!
//! The streaming FIFO and the counters of accesses and hits are not modelled, nor are accesses that wait for a flush.

use cyclescope_machine::{FlashTiming, GapKind, TimingRow, Width};

use super::Message;
use super::registers::bank;
use crate::bank::some;
use crate::{
    Bank, Block, Clocks, Effect, Env, FlashControl, Instance, Instant, MemorySetting, Modelled, Source, Tree, Words,
    Write,
};

const CTRL: u32 = 0x00;
const FLUSH: u32 = 0x04;
const STAT: u32 = 0x08;

/// CTRL.
const EN: u32 = 1 << 0;
const POWER_DOWN: u32 = 1 << 3;
/// STAT.
const FLUSH_READY: u32 = 1 << 0;

/// The event at which a flush ends.
const FLUSHED: u16 = 0;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[
    some("CTRL", 0, &["EN", "POWER_DOWN"]),
    some("CTR_HIT", 0, &[]).and(&["CTR_ACC"]),
    some("STREAM_ADDR", 0, &[]).and(&["STREAM_CTR", "STREAM_FIFO"]),
];

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
];

const SETS: usize = 0;
const FILL: usize = 1;
const POLICY: usize = 2;
const FLUSH_TIME: usize = 3;
const USUAL: usize = 4;

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
}

impl Xip {
    /// The block after power-on; `setting` is chosen before a run.
    pub fn new(instance: &Instance, setting: MemorySetting) -> Self {
        Self { bank: bank(instance.map, PARTLY), setting, read: None, flushed: Instant::NEVER }
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
    }
}

impl Block<Words> for Xip {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == FLUSH { 0 } else { self.bank.read(offset, env) }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == FLUSH { None } else { self.bank.still(offset) }
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
            _ => {}
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() >= self.flushed {
            self.flushed = Instant::NEVER;
            self.bank.flag(STAT, FLUSH_READY, true);
        }
    }

    fn after_change(&mut self, before: Tree, env: &mut Env<'_, '_>) {
        self.flushed = self.flushed.rescaled(env.now(), before.hclk, env.clocks().tree().hclk);
        env.schedule(FLUSHED, self.flushed);
    }

    fn refine(&mut self, times: u64) {
        self.flushed = self.flushed.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        // The boot ROM finds it flushed.
        self.flushed = Instant::NEVER;
        self.bank.flag(STAT, FLUSH_READY, true);
        env.context.memory.flash.interface_mut().forget(true, true);
        env.cancel_all();
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
