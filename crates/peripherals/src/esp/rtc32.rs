//! Real-time clock control of the ESP32 (TRM, "Low-Power Management" and "Watchdog Timers", RTC_CNTL registers): the source of the
//! core's clock, the counter of the slow clock, resets by software, the watchdog, and words that outlive resets. Sleep, power
//! domains and the touch sensors are not modelled.

use super::Message;
use super::registers::bank;
use super::stages::{Action, KEY, Stages};
use crate::bank::{all, some};
use crate::{
    Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, ResetFlag, Source, Span, Tree, Words, Write,
};

const OPTIONS0: u32 = 0x00;
const TIME_UPDATE: u32 = 0x0C;
const TIME0: u32 = 0x10;
const TIME1: u32 = 0x14;
const RESET_STATE: u32 = 0x34;
const INT_ENA: u32 = 0x3C;
const INT_RAW: u32 = 0x40;
const INT_ST: u32 = 0x44;
const INT_CLR: u32 = 0x48;
const CLK_CONF: u32 = 0x70;
const WDT_CONFIG0: u32 = 0x8C;
const WDT_HOLD: u32 = 0x90;
const WDT_FEED: u32 = 0xA0;
const WDT_PROTECT: u32 = 0xA4;

/// STORE0 to STORE3, and STORE4 to STORE7.
const STORES: [u32; 8] = [0x4C, 0x50, 0x54, 0x58, 0xB0, 0xB4, 0xB8, 0xBC];

/// Bits of OPTIONS0.
const RESET_CORE: u32 = 1 << 5;
const RESET_PART: u32 = 1 << 31;

/// Bits of TIME_UPDATE.
const TIME_VALID: u32 = 1 << 30;
const UPDATE: u32 = 1 << 31;

/// Bits of WDTCONFIG0.
const WDT_LEVEL_INT_EN: u32 = 1 << 17;
const WDT_EN: u32 = 1 << 31;

/// Bits of the interrupts.
const WDT: u32 = 1 << 3;
const TIME_VALID_INT: u32 = 1 << 4;

/// RESET_CAUSE_PROCPU (TRM, "Reset and Clock", sources of resets).
const BY_POWER: u32 = 0x01;
const BY_SOFTWARE: u32 = 0x03;
const BY_TIMER_WATCHDOG: u32 = 0x07;
const BY_RTC_WATCHDOG: u32 = 0x09;
const BY_SOFTWARE_CORE: u32 = 0x0C;
const CAUSE: u32 = 0x3F;

/// The event at which a stage of the watchdog is over.
const STAGE_OVER: u16 = 0;

/// The registers that are modelled.
pub const MODEL: &[Modelled] = &[
    some("OPTIONS0", 0, &["SW_PROCPU_RST", "SW_SYS_RST"]).unseen(&[
        "BB_I2C_FORCE_PD",
        "BB_I2C_FORCE_PU",
        "BBPLL_I2C_FORCE_PD",
        "BBPLL_I2C_FORCE_PU",
        "BBPLL_FORCE_PD",
        "BBPLL_FORCE_PU",
    ]),
    all("TIME_UPDATE", 0)
        .and(&["TIME0", "TIME1", "STORE0", "STORE1", "STORE2", "STORE3", "STORE4", "STORE5", "STORE6", "STORE7"]),
    some("RESET_STATE", 0, &["RESET_CAUSE_PROCPU"]),
    some("INT_ENA", 0, &["WDT", "TIME_VALID"]).and(&["INT_RAW", "INT_ST", "INT_CLR"]),
    some("CLK_CONF", 0, &["SOC_CLK_SEL"]),
    // The core's voltage.
    some("REG", 0, &[]).unseen(&["DIG_DBIAS_WAK"]),
    some("WDTCONFIG0", 0, &["WDT_LEVEL_INT_EN", "WDT_STG0", "WDT_STG1", "WDT_STG2", "WDT_STG3", "WDT_EN"]).unseen(&[
        "WDT_FLASHBOOT_MOD_EN",
        "WDT_SYS_RESET_LENGTH",
        "WDT_CPU_RESET_LENGTH",
        "WDT_PAUSE_IN_SLP",
        "WDT_PROCPU_RESET_EN",
        "WDT_APPCPU_RESET_EN",
    ]),
    all("WDTCONFIG1", 0).and(&["WDTCONFIG2", "WDTCONFIG3", "WDTCONFIG4", "WDTFEED", "WDTWPROTECT"]),
];

/// The block.
#[derive(Clone, Debug)]
pub struct Rtc32 {
    bank: Bank,
    lines: Lines,
    stages: Stages,
    /// Power-on in the time that never stands.
    since: Instant,
    begun: bool,
    /// The cause of the reset that this block has asked for.
    cause: Option<u32>,
}

impl Rtc32 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("RTC", u32::MAX)]),
            stages: Stages::default(),
            since: Instant::default(),
            begun: false,
            cause: None,
        }
    }

    /// The end of the watchdog's stage, which counts the slow clock.
    fn wdt_end(&self, clocks: &Clocks) -> Instant {
        let hold = self.bank.get(WDT_HOLD + 4 * self.stages.stage as u32);
        self.stages.end(clocks.period_of(Source::Lsi), hold.into())
    }

    fn plan(&self, env: &mut Env<'_, '_>) {
        let end = self.wdt_end(env.clocks());
        env.schedule_always(STAGE_OVER, if self.bank.get(WDT_CONFIG0) & WDT_EN != 0 { end } else { Instant::NEVER });
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let raised = self.bank.get(INT_RAW) & self.bank.get(INT_ENA);
        self.bank.set(INT_ST, raised);
        self.lines.drive(raised, env);
    }

    fn ask_for_reset(&mut self, cause: u32, name: &'static str, env: &mut Env<'_, '_>) {
        self.cause = Some(cause);
        env.reset_part(name);
    }

    /// TIME0 and TIME1 get the counter's value.
    fn latch_time(&mut self, env: &mut Env<'_, '_>) {
        let period = env.clocks().period_of(Source::Lsi);
        let count = if period == Span::ZERO { 0 } else { env.always_now().since(self.since).divide(period).0 };
        self.bank.set(TIME0, count as u32);
        self.bank.set(TIME1, (count >> 32) as u32 & 0xFFFF);
        self.bank.set(TIME_UPDATE, TIME_VALID);
        self.bank.flag(INT_RAW, TIME_VALID_INT, true);
    }

    fn stage_over(&mut self, env: &mut Env<'_, '_>) {
        let config = self.bank.get(WDT_CONFIG0);
        if config & WDT_EN == 0 || env.always_now() < self.wdt_end(env.clocks()) {
            return;
        }
        match Action::of(config >> (28 - 3 * self.stages.stage) & 7) {
            Action::Off => {}
            Action::Interrupt if config & WDT_LEVEL_INT_EN != 0 => self.bank.flag(INT_RAW, WDT, true),
            Action::Interrupt => {}
            Action::ResetCore | Action::ResetPart => self.ask_for_reset(BY_RTC_WATCHDOG, "WDT_RTC", env),
        }
        self.stages.go_on(env.always_now());
    }

    fn tell_clock(&self, env: &mut Env<'_, '_>) {
        let source = (self.bank.get(CLK_CONF) >> 27 & 3) as u8;
        env.effect(Effect::Esp(Message::SocClock { source }));
    }
}

impl Block<Words> for Rtc32 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            OPTIONS0 if write.ones() & RESET_PART != 0 => return self.ask_for_reset(BY_SOFTWARE, "RTC_CNTL", env),
            OPTIONS0 if write.ones() & RESET_CORE != 0 => return self.ask_for_reset(BY_SOFTWARE_CORE, "RTC_CNTL", env),
            TIME_UPDATE => {
                if write.ones() & UPDATE != 0 {
                    self.latch_time(env);
                }
            }
            RESET_STATE => {
                let cause = self.bank.get(RESET_STATE) & CAUSE;
                let (_, new) = self.bank.write(offset, write, env);
                self.bank.set(RESET_STATE, new & !CAUSE | cause);
            }
            INT_CLR => self.bank.flag(INT_RAW, write.ones(), false),
            WDT_CONFIG0..WDT_PROTECT if self.bank.get(WDT_PROTECT) != KEY => {}
            WDT_FEED => self.stages.feed(env.always_now()),
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                if offset == WDT_CONFIG0 && !old & new & WDT_EN != 0 {
                    self.stages.feed(env.always_now());
                }
                if offset == CLK_CONF {
                    self.tell_clock(env);
                }
            }
        }
        self.plan(env);
        self.drive(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.stage_over(env);
        self.plan(env);
        self.drive(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.plan(env);
    }

    fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
        self.stages.refine(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let stored = STORES.map(|offset| self.bank.get(offset));
        self.bank.reset();
        STORES.iter().zip(stored).for_each(|(offset, value)| self.bank.set(*offset, value));
        if !std::mem::replace(&mut self.begun, true) {
            self.since = env.always_now();
        }
        let cause = self.cause.take().unwrap_or(match env.wires.reset_flag {
            None => BY_POWER,
            Some(ResetFlag::IndependentWatchdog) => BY_TIMER_WATCHDOG,
            Some(_) => BY_SOFTWARE,
        });
        self.bank.flag(RESET_STATE, CAUSE, false);
        self.bank.flag(RESET_STATE, cause, true);
        self.stages.feed(env.always_now());
        self.tell_clock(env);
        self.plan(env);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
