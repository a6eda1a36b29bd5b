//! Timer groups of the ESP32 (TRM, "Timer Group (TIMG)" and "Watchdog Timers"): two timers of 64 bits with dividers, alarms and
//! reloading, and a watchdog of four stages. The timer that the vendor's software keeps for itself (LACT), the measurement of the
//! slow clock, and interrupts of the type "edge" are not modelled.

use cyclescope_machine::TimingRow;

use super::registers::bank;
use super::stages::{Action, KEY, Stages};
use crate::bank::{all, some};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

/// The bytes of a timer's registers.
const TIMER: u32 = 0x24;
const TIMERS_END: u32 = 2 * TIMER;
const CONFIG: u32 = 0x00;
const LO: u32 = 0x04;
const HI: u32 = 0x08;
const UPDATE: u32 = 0x0C;
const ALARM_LO: u32 = 0x10;
const ALARM_HI: u32 = 0x14;
const LOAD_LO: u32 = 0x18;
const LOAD_HI: u32 = 0x1C;
const LOAD: u32 = 0x20;

const WDT_CONFIG0: u32 = 0x48;
const WDT_CONFIG1: u32 = 0x4C;
const WDT_HOLD: u32 = 0x50;
const WDT_FEED: u32 = 0x60;
const WDT_PROTECT: u32 = 0x64;
const INT_ENA: u32 = 0x98;
const INT_RAW: u32 = 0x9C;
const INT_ST: u32 = 0xA0;
const INT_CLR: u32 = 0xA4;

/// Bits of CONFIG.
const ALARM_EN: u32 = 1 << 10;
const LEVEL_INT_EN: u32 = 1 << 11;
const AUTORELOAD: u32 = 1 << 29;
const INCREASE: u32 = 1 << 30;
const EN: u32 = 1 << 31;

/// Bits of WDTCONFIG0.
const WDT_LEVEL_INT_EN: u32 = 1 << 21;
const WDT_EN: u32 = 1 << 31;

/// The watchdog's bit of the interrupts.
const WDT: u32 = 1 << 2;

/// The event at which a stage of the watchdog is over, behind those of the alarms.
const STAGE_OVER: u16 = 2;

/// The registers that are modelled. The protection of a program's start by the boot ROM has ended before the program begins.
pub const MODEL: &[Modelled] =
    &[
        some("T0_CONFIG", 0, &["ALARM_EN", "LEVEL_INT_EN", "DIVIDER", "AUTORELOAD", "INCREASE", "EN"])
            .and(&["T1_CONFIG"]),
        all("T0_LO", 0).and(&[
            "T0_HI",
            "T0_UPDATE",
            "T0_ALARMLO",
            "T0_ALARMHI",
            "T0_LOADLO",
            "T0_LOADHI",
            "T0_LOAD",
            "T1_LO",
            "T1_HI",
            "T1_UPDATE",
            "T1_ALARMLO",
            "T1_ALARMHI",
            "T1_LOADLO",
            "T1_LOADHI",
            "T1_LOAD",
        ]),
        some("WDTCONFIG0", 0, &["WDT_LEVEL_INT_EN", "WDT_STG0", "WDT_STG1", "WDT_STG2", "WDT_STG3", "WDT_EN"])
            .unseen(&["WDT_FLASHBOOT_MOD_EN", "WDT_SYS_RESET_LENGTH", "WDT_CPU_RESET_LENGTH"]),
        all("WDTCONFIG1", 0),
        all("WDTCONFIG2", 0).and(&["WDTCONFIG3", "WDTCONFIG4", "WDTCONFIG5", "WDTFEED", "WDTWPROTECT"]),
        some("INT_ENA", 0, &["T0", "T1", "WDT"]).and(&["INT_RAW", "INT_ST", "INT_CLR"]),
        some("TIMGCLK", 0, &[]).unseen(&["CLK_EN"]),
    ];

/// The times that the manual leaves open.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "timg.update",
    "periods of the APB's clock from a write of TxUPDATE to the value in TxLO and TxHI",
    0,
    "TRM, TIMGn_TxUPDATE_REG: any write latches the value, without a time",
)];

/// One timer.
#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    /// The count at `since`, when it became that.
    count: u64,
    since: Instant,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Timg {
    bank: Bank,
    timers: [Timer; 2],
    stages: Stages,
    lines: Lines,
    /// The name in the cause of a reset by the watchdog.
    cause: &'static str,
}

impl Timg {
    /// The group after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            timers: [Timer::default(); 2],
            stages: Stages::default(),
            lines: Lines::new(instance, &[("T0", 1), ("T1", 2), ("WDT", WDT)]),
            cause: if instance.name.ends_with('1') { "WDT_TIMG1" } else { "WDT_TIMG0" },
        }
    }

    fn get(&self, timer: usize, register: u32) -> u32 {
        self.bank.get(timer as u32 * TIMER + register)
    }

    fn wide(&self, timer: usize, low: u32) -> u64 {
        u64::from(self.get(timer, low + 4)) << 32 | u64::from(self.get(timer, low))
    }

    fn runs(&self, timer: usize) -> bool {
        self.get(timer, CONFIG) & EN != 0
    }

    /// The period of a count: 0 divides by 65536, and 1 as 2 does (TRM, TIMGn_TxCONFIG_REG).
    fn step(&self, timer: usize, clocks: &Clocks) -> Span {
        let divider = match self.get(timer, CONFIG) >> 13 & 0xFFFF {
            0 => 1 << 16,
            divider => divider.max(2),
        };
        clocks.period_of(Source::Pclk).times(divider.into())
    }

    fn moved(&self, timer: usize, counts: u64) -> u64 {
        let count = self.timers[timer].count;
        if self.get(timer, CONFIG) & INCREASE != 0 { count.wrapping_add(counts) } else { count.wrapping_sub(counts) }
    }

    fn settle(&mut self, env: &Env<'_, '_>) {
        let now = env.now();
        for timer in 0..2 {
            let (counts, rest) = now.since(self.timers[timer].since).divide(self.step(timer, env.clocks()));
            self.timers[timer] = if self.runs(timer) {
                Timer { count: self.moved(timer, counts), since: now.before(rest) }
            } else {
                Timer { count: self.timers[timer].count, since: now }
            };
        }
    }

    /// Counts to the alarm; none if the count is there or beyond.
    fn left(&self, timer: usize) -> u64 {
        let (count, alarm) = (self.timers[timer].count, self.wide(timer, ALARM_LO));
        let up = self.get(timer, CONFIG) & INCREASE != 0;
        if up { alarm.saturating_sub(count) } else { count.saturating_sub(alarm) }
    }

    /// The period that the watchdog counts.
    fn wdt_clock(&self, clocks: &Clocks) -> Span {
        let prescale = (self.bank.get(WDT_CONFIG1) >> 16).max(1);
        clocks.period_of(Source::Pclk).times(prescale.into())
    }

    fn wdt_end(&self, clocks: &Clocks) -> Instant {
        let hold = self.bank.get(WDT_HOLD + 4 * self.stages.stage as u32);
        self.stages.end(self.wdt_clock(clocks), hold.into())
    }

    fn plan(&self, env: &mut Env<'_, '_>) {
        for timer in 0..2 {
            let step = self.step(timer, env.clocks());
            let comes = self.runs(timer) && self.get(timer, CONFIG) & ALARM_EN != 0 && step != Span::ZERO;
            let at = self.timers[timer].since.after(step.times(self.left(timer)));
            env.schedule(timer as u16, if comes { at } else { Instant::NEVER });
        }
        let end = self.wdt_end(env.clocks());
        env.schedule(STAGE_OVER, if self.bank.get(WDT_CONFIG0) & WDT_EN != 0 { end } else { Instant::NEVER });
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let raised = self.bank.get(INT_RAW) & self.bank.get(INT_ENA);
        self.bank.set(INT_ST, raised);
        self.lines.drive(raised, env);
    }

    fn alarm(&mut self, timer: usize, env: &mut Env<'_, '_>) {
        let offset = timer as u32 * TIMER + CONFIG;
        let config = self.bank.get(offset);
        // It takes one alarm; a program asks for the next.
        self.bank.flag(offset, ALARM_EN, false);
        if config & AUTORELOAD != 0 {
            self.timers[timer] = Timer { count: self.wide(timer, LOAD_LO), since: env.now() };
        }
        if config & LEVEL_INT_EN != 0 {
            self.bank.flag(INT_RAW, 1 << timer, true);
        }
    }

    fn stage_over(&mut self, env: &mut Env<'_, '_>) {
        let config = self.bank.get(WDT_CONFIG0);
        if config & WDT_EN == 0 || env.now() < self.wdt_end(env.clocks()) {
            return;
        }
        match Action::of(config >> (29 - 2 * self.stages.stage) & 3) {
            Action::Off => {}
            Action::Interrupt if config & WDT_LEVEL_INT_EN != 0 => self.bank.flag(INT_RAW, WDT, true),
            Action::Interrupt => {}
            // The core and all peripherals begin anew; what a reset of the core alone leaves as it is, is not told apart.
            Action::ResetCore | Action::ResetPart => env.reset_part(self.cause),
        }
        self.stages.go_on(env.now());
    }

    /// A write of a timer's register.
    fn write_timer(&mut self, timer: usize, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset % TIMER {
            LO | HI => {}
            UPDATE => {
                env.cycles(&ROWS[0]);
                let count = self.timers[timer].count;
                self.bank.set(timer as u32 * TIMER + LO, count as u32);
                self.bank.set(timer as u32 * TIMER + HI, (count >> 32) as u32);
            }
            LOAD => self.timers[timer] = Timer { count: self.wide(timer, LOAD_LO), since: env.now() },
            CONFIG | ALARM_LO | ALARM_HI | LOAD_LO | LOAD_HI => {
                self.bank.write(offset, write, env);
            }
            _ => {}
        }
    }
}

impl Block<Words> for Timg {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.settle(env);
        match offset {
            ..TIMERS_END => self.write_timer((offset / TIMER) as usize, offset, write, env),
            WDT_CONFIG0..WDT_PROTECT if self.bank.get(WDT_PROTECT) != KEY => {}
            WDT_FEED => self.stages.feed(env.now()),
            WDT_CONFIG0..WDT_FEED => {
                let (old, new) = self.bank.write(offset, write, env);
                if offset == WDT_CONFIG0 && !old & new & WDT_EN != 0 {
                    self.stages.feed(env.now());
                }
            }
            INT_CLR => self.bank.flag(INT_RAW, write.ones(), false),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.plan(env);
        self.drive(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.settle(env);
        if kind == STAGE_OVER {
            self.stage_over(env);
        } else {
            let timer = usize::from(kind & 1);
            if self.runs(timer) && self.get(timer, CONFIG) & ALARM_EN != 0 && self.left(timer) == 0 {
                self.alarm(timer, env);
            }
        }
        self.plan(env);
        self.drive(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.stages.rescale(env.now(), old.pclk, env.clocks().tree().pclk);
        self.plan(env);
    }

    fn refine(&mut self, times: u64) {
        for timer in &mut self.timers {
            timer.since = timer.since.refined(times);
        }
        self.stages.refine(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.timers = [Timer { count: 0, since: env.now() }; 2];
        self.stages.feed(env.now());
        self.plan(env);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
