//! Clock control (nRF52840 PS, "CLOCK — Clock control"), which shares its registers with the power control ([`super::power`]).
//!
//! The core always runs at 64 MHz and peripherals at 16 MHz, from the internal oscillator or, once it has started, from the
//! crystal; both are exact here. LFCLK is 32.768 kHz from whatever source, exact too, so that a calibration changes nothing.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::some;
use crate::{
    Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Modelled, ResetFlag, Span, Tree, Words, Write,
};

use super::power;
use super::signals::{Signals, Tasked};
use super::usbd::VBUS;

const HFCLKSTART: u32 = 0x00;
const HFCLKSTOP: u32 = 0x04;
const LFCLKSTART: u32 = 0x08;
const LFCLKSTOP: u32 = 0x0C;
const CAL: u32 = 0x10;
const CTSTART: u32 = 0x14;
const CTSTOP: u32 = 0x18;
const HFCLKSTARTED: u32 = 0x100;
const LFCLKSTARTED: u32 = 0x104;
const DONE: u32 = 0x10C;
const CTTO: u32 = 0x110;
const CTSTARTED: u32 = 0x128;
const CTSTOPPED: u32 = 0x12C;
const HFCLKRUN: u32 = 0x408;
const HFCLKSTAT: u32 = 0x40C;
const LFCLKRUN: u32 = 0x414;
const LFCLKSTAT: u32 = 0x418;
const LFCLKSRCCOPY: u32 = 0x41C;
const LFCLKSRC: u32 = 0x518;
const HFXODEBOUNCE: u32 = 0x528;
const CTIV: u32 = 0x538;

/// HFCLKSTAT.SRC of the crystal, and STATE of both clocks.
const CRYSTAL: u32 = 1;
const RUNNING: u32 = 1 << 16;
/// LFCLKSRC.SRC.
const SOURCE: u32 = 3;
const RC: u32 = 0;
const SYNTHESISED: u32 = 2;

/// The clocks of core and peripherals.
const HCLK: Hertz = Hertz::new(64_000_000);
const PCLK16M: Hertz = Hertz::new(16_000_000);

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[
    // Trace and the power of the RC oscillator are nothing that a program sees; nor is the access port.
    some("TRACECONFIG", 0, &[]).unseen(&["TRACEPORTSPEED", "TRACEMUX"]),
    some("LFRCMODE", 0, &["STATUS"]).unseen(&["MODE"]),
    some("FORCEPROTECT", 0, &[]).unseen(&["FORCEPROTECT"]),
    some("DISABLE", 0, &[]).unseen(&["DISABLE"]),
];

/// The times of oscillators, in microseconds.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "clock.hfxo_start",
        "microseconds from HFCLKSTART to HFCLKSTARTED with HFXODEBOUNCE as after reset",
        360,
        "nRF52840 PS v1.7, CLOCK, 64 MHz crystal oscillator (HFXO): tSTART_HFXO, typical; depends on the crystal; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::documented(
        "clock.hfxo_debounce",
        "microseconds that a step of HFXODEBOUNCE is long",
        16,
        "register description of nRF52840 PS in nrf-pac 0.4.0, HFXODEBOUNCE",
    ),
    TimingRow::assumed(
        "clock.lfrc_start",
        "microseconds from LFCLKSTART until LFCLK runs from its RC oscillator",
        600,
        "nRF52840 PS v1.7, CLOCK, Low frequency RC oscillator (LFRC): tSTART_LFRC, typical; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::assumed(
        "clock.lfxo_start",
        "microseconds from LFCLKSTART until LFCLK runs from the crystal",
        250_000,
        "nRF52840 PS v1.7, CLOCK, Low frequency crystal oscillator (LFXO): tSTART_LFXO, typical; depends on the crystal; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::assumed(
        "clock.lfsynt_start",
        "microseconds from LFCLKSTART until LFCLK is synthesised from HFCLK",
        600,
        "the PS gives no figure for LFSYNT; that of LFRC is taken",
    ),
    TimingRow::assumed(
        "clock.calibration",
        "microseconds of a calibration of the RC oscillator, from CAL to DONE",
        7_500,
        "the PS gives no figure; its accuracy after a calibration holds for an averaging interval of more than 7.5 ms",
    ),
    TimingRow::documented(
        "clock.calibration_interval",
        "microseconds that a step of CTIV is long",
        250_000,
        "register description of nRF52840 PS in nrf-pac 0.4.0, CTIV",
    ),
];

const HFXO_START: usize = 0;
const DEBOUNCE: usize = 1;
const LFRC_START: usize = 2;
const LFXO_START: usize = 3;
const LFSYNT_START: usize = 4;
const CALIBRATION: usize = 5;
const INTERVAL: usize = 6;

/// Events.
const HFXO: u16 = 0;
const LFRC: u16 = 1;
const LFXO: u16 = 2;
const CALIBRATED: u16 = 3;
const TIMED: u16 = 4;
const EVENTS: usize = 5;

/// The block.
#[derive(Clone, Debug)]
pub struct ClockPower {
    pub(super) signals: Signals,
    pub(super) cause: Option<ResetFlag>,
    /// When each event is due.
    due: [Instant; EVENTS],
    /// LFCLK runs, whether started or forced.
    oscillates: bool,
    /// The watchdog keeps the RC oscillator running.
    forced: bool,
}

impl ClockPower {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        let partly: Vec<Modelled> = PARTLY.iter().chain(power::PARTLY).copied().collect();
        Self {
            signals: Signals::new(instance, &partly, &[]),
            cause: None,
            due: [Instant::NEVER; EVENTS],
            oscillates: false,
            forced: false,
        }
    }

    pub(super) fn get(&self, offset: u32) -> u32 {
        self.signals.get(offset)
    }

    /// This many microseconds of the row `row`.
    fn span(row: usize, env: &mut Env<'_, '_>) -> Span {
        let count = env.cycles(&ROWS[row]);
        env.clocks().microseconds(count)
    }

    fn expect(&mut self, kind: u16, span: Option<Span>, env: &mut Env<'_, '_>) {
        let at = span.map_or(Instant::NEVER, |span| env.now().after(span));
        self.due[usize::from(kind)] = at;
        env.schedule(kind, at);
    }

    fn start_hfxo(&mut self, env: &mut Env<'_, '_>) {
        self.signals.bank.set(HFCLKRUN, 1);
        if self.get(HFCLKSTAT) & CRYSTAL != 0 {
            return self.raise(HFCLKSTARTED, env);
        }
        if env.clocks().oscillators().hse.is_none() {
            return env.gap(GapKind::Setting, format_args!("CLOCK_TASKS_HFCLKSTART: the board has no 32 MHz crystal"));
        }
        if self.due[usize::from(HFXO)] == Instant::NEVER {
            let (start, step) = (Self::span(HFXO_START, env), Self::span(DEBOUNCE, env));
            // 0x10 is the value after reset, which the start-up time contains.
            let debounce = u64::from(self.get(HFXODEBOUNCE));
            let start = start.plus(step.times(debounce)).minus(step.times(0x10));
            self.expect(HFXO, Some(start), env);
        }
    }

    fn start_lfclk(&mut self, env: &mut Env<'_, '_>) {
        let source = self.get(LFCLKSRC) & SOURCE;
        self.signals.bank.set(LFCLKRUN, 1);
        self.signals.bank.set(LFCLKSRCCOPY, source);
        let crystal = !matches!(source, RC | SYNTHESISED);
        if crystal && env.clocks().oscillators().lse.is_none() {
            env.gap(GapKind::Setting, format_args!("CLOCK_TASKS_LFCLKSTART: the board has no 32.768 kHz crystal"));
        } else if crystal {
            let start = Self::span(LFXO_START, env);
            self.expect(LFXO, Some(start), env);
        }
        // While the crystal starts, the RC oscillator makes the clock.
        let row = if source == SYNTHESISED { LFSYNT_START } else { LFRC_START };
        let start = if self.oscillates { Span::ZERO } else { Self::span(row, env) };
        self.expect(LFRC, Some(start), env);
    }

    fn stop_lfclk(&mut self, env: &mut Env<'_, '_>) {
        self.signals.bank.set(LFCLKRUN, 0);
        self.expect(LFRC, None, env);
        self.expect(LFXO, None, env);
        self.signals.bank.set(LFCLKSTAT, if self.forced { RUNNING } else { 0 });
        self.oscillate(self.forced, env);
    }

    fn oscillate(&mut self, runs: bool, env: &mut Env<'_, '_>) {
        if self.oscillates != runs {
            self.oscillates = runs;
            env.effect(Effect::ClocksChanged);
        }
    }
}

impl Tasked for ClockPower {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        match task {
            HFCLKSTART => self.start_hfxo(env),
            HFCLKSTOP => {
                self.signals.bank.set(HFCLKRUN, 0);
                self.signals.bank.set(HFCLKSTAT, 0);
                env.effect(Effect::ClocksChanged);
                self.expect(HFXO, None, env);
            }
            LFCLKSTART => self.start_lfclk(env),
            LFCLKSTOP => self.stop_lfclk(env),
            CAL => {
                if self.get(HFCLKSTAT) & CRYSTAL == 0 {
                    env.gap(GapKind::Setting, format_args!("CLOCK_TASKS_CAL without HFXO: calibrates all the same"));
                }
                let span = Self::span(CALIBRATION, env);
                self.expect(CALIBRATED, Some(span), env);
            }
            CTSTART => {
                let span = Self::span(INTERVAL, env).times(u64::from(self.get(CTIV)));
                self.expect(TIMED, Some(span), env);
                self.raise(CTSTARTED, env);
            }
            CTSTOP => {
                self.expect(TIMED, None, env);
                self.raise(CTSTOPPED, env);
            }
            // CONSTLAT and LOWPWR choose a latency that nobody measures here.
            _ => {}
        }
    }
}

impl Block<Words> for ClockPower {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if !self.write_power(offset, write, env) {
            self.access(offset, write, env);
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let Some(at) = self.due.get_mut(usize::from(kind)) else { return };
        if env.now() < *at {
            return;
        }
        *at = Instant::NEVER;
        match kind {
            HFXO => {
                self.signals.bank.set(HFCLKSTAT, RUNNING | CRYSTAL);
                env.effect(Effect::ClocksChanged);
                self.raise(HFCLKSTARTED, env);
            }
            LFRC => {
                let source = self.get(LFCLKSRCCOPY) & SOURCE;
                let starting = self.due[usize::from(LFXO)] != Instant::NEVER;
                self.signals.bank.set(LFCLKSTAT, RUNNING | if source == SYNTHESISED { source } else { RC });
                self.oscillate(true, env);
                if !starting {
                    self.raise(LFCLKSTARTED, env);
                }
            }
            LFXO => {
                self.signals.bank.set(LFCLKSTAT, RUNNING | self.get(LFCLKSRCCOPY));
                self.raise(LFCLKSTARTED, env);
            }
            CALIBRATED => self.raise(DONE, env),
            _ => self.raise(CTTO, env),
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for (kind, at) in (0..).zip(self.due) {
            env.schedule(kind, at);
        }
    }

    fn refine(&mut self, times: u64) {
        self.due = self.due.map(|at| at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let kept = self.kept();
        self.signals.reset(env);
        self.restore(kept);
        for kind in 0..EVENTS as u16 {
            self.expect(kind, None, env);
        }
        (self.oscillates, self.forced) = (false, false);
        env.effect(Effect::ClocksChanged);
        // Anew, so that the present level comes.
        env.hear(0, None);
        env.hear(0, Some(("USBD", VBUS)));
    }

    /// The supply of the USB cable comes or goes.
    fn triggered(&mut self, _: u8, high: bool, env: &mut Env<'_, '_>) {
        self.set_vbus(high, env);
    }

    fn bank(&self) -> Option<&crate::Bank> {
        Some(&self.signals.bank)
    }
}

impl ClockControl for ClockPower {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let (hclk, pclk) = (clocks.period(HCLK), clocks.period(PCLK16M));
        let lfclk = clocks.period(clocks.oscillators().lsi);
        Tree {
            hclk,
            pclk,
            pclk2: pclk,
            timer: pclk,
            timer2: pclk,
            sysclk: hclk,
            lsi: lfclk,
            rtc: if self.oscillates { lfclk } else { Span::ZERO },
            ..Tree::default()
        }
    }

    /// "CLOCK": USB needs the crystal.
    fn usb_clock(&self, _: &Clocks) -> Hertz {
        Hertz::new(if self.get(HFCLKSTAT) & CRYSTAL != 0 { 48_000_000 } else { 0 })
    }

    fn note_reset(&mut self, flag: ResetFlag) {
        self.cause = Some(flag);
    }

    fn force_lsi(&mut self, env: &mut Env<'_, '_>) {
        self.forced = true;
        self.oscillate(true, env);
    }
}
