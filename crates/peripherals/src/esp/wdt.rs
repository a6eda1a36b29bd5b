//! Watchdog of the ESP8266 (`wdt.h` of ESP8266_RTOS_SDK; no manual describes it): two stages, an interrupt and a reset.

use cyclescope_machine::{GapKind, TimingRow};

use super::Message;
use super::registers::bank;
use crate::bank::{all, some};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

const CTL: u32 = 0x00;
const OP: u32 = 0x04;
const OP_ND: u32 = 0x08;
const COUNT: u32 = 0x0C;
const STAGE: u32 = 0x10;
const RST: u32 = 0x14;

/// Bits of CTL.
const ENABLE: u32 = 1 << 0;
const SECOND_IS_NO_RESET: u32 = 1 << 1;
const SECOND_IS_OFF: u32 = 1 << 2;

/// The value that feeds it.
const FEED: u32 = 0x73;

/// The bit of the watchdog in DPORT's EDGE_INT_ENABLE.
const PASSES: u32 = 1 << 0;

/// The event at which a stage is over.
const OVER: u16 = 0;

/// The registers that are modelled.
pub const MODEL: &[Modelled] = &[
    some("CTL", 0, &["ENABLE", "STAGE_1_NO_RESET", "STAGE_1_DISABLE"]).unseen(&["UNKNOWN_3", "UNKNOWN_4", "UNKNOWN_5"]),
    all("OP", 0).and(&["OP_ND", "COUNT", "STAGE", "RST"]),
];

/// The unit of a stage's time.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "wdt.unit",
    "periods of the APB's clock in a stage of length 0, which each next one doubles",
    64_000,
    "ESP8266_RTOS_SDK, wdt.h: 15 is 26214.4 ms, 14 is 13107.2 ms and so on, 0.8 ms times a power of two",
)];

/// The block.
#[derive(Clone, Debug)]
pub struct Wdt {
    bank: Bank,
    lines: Lines,
    since: Instant,
    /// The stage that runs, 0 or 1.
    stage: u32,
    passes: bool,
    /// The first stage is over and its interrupt was not cleared by feeding.
    raised: bool,
}

impl Wdt {
    /// The watchdog after reset, which is off.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("WDT", 1)]),
            since: Instant::default(),
            stage: 0,
            passes: false,
            raised: false,
        }
    }

    /// Takes `message` if it is for the watchdog. Tells whether nobody else needs it.
    pub fn take(&mut self, message: Message, env: &mut Env<'_, '_>) -> bool {
        if let Message::Edges { enabled } = message {
            self.passes = enabled & PASSES != 0;
            self.drive(env);
        }
        false
    }

    fn runs(&self) -> bool {
        self.bank.get(CTL) & ENABLE != 0
    }

    /// The length of the stage that runs.
    fn length(&self, env: &mut Env<'_, '_>) -> Span {
        let exponent = self.bank.get(if self.stage == 0 { OP } else { OP_ND }) & 15;
        let unit = env.cycles(&ROWS[0]);
        env.clocks().period_of(Source::Pclk).times(unit << exponent)
    }

    fn plan(&self, env: &mut Env<'_, '_>) {
        let end = self.since.after(self.length(env));
        env.schedule(OVER, if self.runs() { end } else { Instant::NEVER });
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        self.lines.drive((self.raised && self.passes).into(), env);
    }

    fn begin(&mut self, stage: u32, env: &mut Env<'_, '_>) {
        (self.stage, self.since) = (stage, env.now());
        self.bank.set(STAGE, stage);
        self.plan(env);
    }
}

impl Block<Words> for Wdt {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == COUNT && self.runs() {
            let period = env.clocks().period_of(Source::Pclk);
            return env.now().since(self.since).divide(period).0 as u32;
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == COUNT { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            COUNT | STAGE => self.bank.set(offset, old),
            RST if new & 0xFF == FEED => {
                self.raised = false;
                self.drive(env);
                self.begin(0, env);
            }
            CTL if (old ^ new) & ENABLE != 0 => self.begin(0, env),
            _ => self.plan(env),
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if !self.runs() || env.now() < self.since.after(self.length(env)) {
            return self.plan(env);
        }
        let control = self.bank.get(CTL);
        if self.stage == 0 {
            self.raised = true;
            self.drive(env);
            let next = if control & SECOND_IS_OFF != 0 { 0 } else { 1 };
            self.begin(next, env);
        } else if control & SECOND_IS_NO_RESET != 0 {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: what a second stage without a reset does"));
            self.begin(0, env);
        } else {
            env.reset_part("WDT");
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.plan(env);
    }

    fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.passes, self.raised) = (false, false);
        self.drive(env);
        self.begin(0, env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
