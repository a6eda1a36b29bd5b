//! Clock generators (RP-008371-DS, "Clocks"): reference, system, peripherals, USB, ADC and RTC, and the frequency counter.
//!
//! The system clock is the tree's HCLK, that of peripherals its PCLK, and the reference its timers' clock. A divider with a
//! fraction has its average period. Clocks at pins are waves whose edges are computed only for who looks: high for half of the period,
//! but without DC50 for the smaller half of an odd divisor's. The clocks that come in are those of devices of the board
//! (`Attached::frequency`). The gates of clocks and the resuscitation of a clock that stands are not modelled.

use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;

use super::Message;
use super::oscillators::{Made, Output, rosc_frequency};
use super::registers::bank;
use crate::bank::some;
use crate::wires::Square;
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Modelled, Pll, ResetFlag, Span, Tree, Words,
    Write,
};

/// The first of four generators of clocks at pins, and their signals.
const GPOUT: u32 = 0x00;
const GPOUTS: [&str; 4] = ["GPOUT0", "GPOUT1", "GPOUT2", "GPOUT3"];
const REF: u32 = 0x30;
const SYS: u32 = 0x3C;
const PERI: u32 = 0x48;
const USB: u32 = 0x54;
const ADC: u32 = 0x60;
const RTC: u32 = 0x6C;
const RTC_DIV: u32 = RTC + DIV;
/// The bytes of a generator's registers, and those from its CTRL on.
const GENERATOR: u32 = 12;
const DIV: u32 = 4;
const SELECTED: u32 = 8;
const FC0_REF_KHZ: u32 = 0x80;
const FC0_MIN_KHZ: u32 = 0x84;
const FC0_MAX_KHZ: u32 = 0x88;
const FC0_DELAY: u32 = 0x8C;
const FC0_INTERVAL: u32 = 0x90;
const FC0_SRC: u32 = 0x94;
const FC0_STATUS: u32 = 0x98;
const FC0_RESULT: u32 = 0x9C;
const ENABLED0: u32 = 0xB0;

/// CTRL.ENABLE and KILL of the generators that have them.
const KILL: u32 = 1 << 10;
const ENABLE: u32 = 1 << 11;
/// CTRL.DC50 of those at pins.
const DC50: u32 = 1 << 12;

/// FC0_STATUS.
const PASS: u32 = 1 << 0;
const DONE: u32 = 1 << 4;
const RUNNING: u32 = 1 << 8;
const FAIL: u32 = 1 << 16;
const SLOW: u32 = 1 << 20;
const FAST: u32 = 1 << 24;
const DIED: u32 = 1 << 28;

/// The event at which a count ends.
const COUNTED: u16 = 0;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[
    some("CLK_GPOUT0_CTRL", 0, &["AUXSRC", "KILL", "ENABLE", "DC50"]).unseen(&["PHASE", "NUDGE"]).and(&[
        "CLK_GPOUT1_CTRL",
        "CLK_GPOUT2_CTRL",
        "CLK_GPOUT3_CTRL",
    ]),
    some("CLK_USB_CTRL", 0, &["AUXSRC", "KILL", "ENABLE"])
        .unseen(&["PHASE", "NUDGE"])
        .and(&["CLK_ADC_CTRL", "CLK_RTC_CTRL"]),
    // The time-out counts for nothing while the block is not enabled.
    some("CLK_SYS_RESUS_CTRL", 0, &["CLEAR"]).unseen(&["TIMEOUT"]),
    some("CLK_SYS_RESUS_STATUS", 0, &["RESUSSED"]),
    some("WAKE_EN0", 0, &[]).and(&["WAKE_EN1"]),
    some("SLEEP_EN0", 0, &[]).and(&["SLEEP_EN1"]),
    some("INTE", 0, &[]).and(&["INTF"]),
];

/// A source of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Made(Made),
    /// Another generator, by its CTRL.
    Generator(u32),
    /// A number without a source.
    Absent,
}

/// The block.
#[derive(Clone, Debug)]
pub struct ClockGenerators {
    bank: Bank,
    /// The clocks of oscillators, loops and inputs, by [`Made`].
    made: [Option<Output>; 6],
    counted: Instant,
    /// The loops have no reference, as the crystal is dormant.
    reference_stands: bool,
    /// The times for which clocks at pins are high and low; none where there is none.
    shown: [Option<[Span; 2]>; 4],
}

impl ClockGenerators {
    /// The block after power-on, with the ring oscillator running.
    pub fn new(instance: &Instance) -> Self {
        let ring = Output { pll: Pll::unity(rosc_frequency()), divider: 1 };
        Self {
            bank: bank(instance.map, PARTLY),
            made: [Some(ring), None, None, None, None, None],
            counted: Instant::NEVER,
            reference_stands: false,
            shown: [None; 4],
        }
    }

    /// An oscillator or loop makes `output` now.
    pub fn set_made(&mut self, made: Made, output: Option<Output>, env: &mut Env<'_, '_>) {
        let returns = made == Made::Xosc && output.is_some() && std::mem::take(&mut self.reference_stands);
        if self.made[made as usize] != output || returns {
            self.made[made as usize] = output;
            self.settle(env);
        }
    }

    /// The clock that an oscillator, a loop or an input makes; none of a loop without a reference.
    fn clock_of(&self, made: Made) -> Option<Output> {
        let is_loop = matches!(made, Made::PllSys | Made::PllUsb);
        self.made[made as usize].filter(|_| !(is_loop && self.reference_stands))
    }

    /// The oscillator `made` is dormant: all stands if the system's clock comes of it, else only what does.
    pub fn set_dormant(&mut self, made: Made, env: &mut Env<'_, '_>) {
        let stands = self.comes_of(SYS, made);
        let loops =
            made == Made::Xosc && [Made::PllSys, Made::PllUsb].iter().any(|made| self.clock_of(*made).is_some());
        let by_loop = matches!(self.origin(SYS), Some(Made::PllSys | Made::PllUsb));
        if loops && (by_loop || !stands) {
            let text = "CLOCKS: a loop loses its reference, which is dormant; its clock stands, and LOCK stays";
            env.gap(GapKind::Setting, format_args!("{text}"));
        }
        if !stands {
            self.reference_stands |= made == Made::Xosc;
            // A loop without its reference is another change than that of the crystal, which may have been starting.
            self.made[made as usize] = None;
            return self.settle(env);
        }
        let at_pins = [0, 1, 2, 3].map(|index| GPOUT + index * GENERATOR);
        let runs = |ctrl: &u32| self.period(*ctrl, env.clocks()) != Span::ZERO && !self.comes_of(*ctrl, made);
        if [REF, PERI, USB, ADC, RTC].iter().chain(&at_pins).any(runs) {
            let text = "CLOCKS: the system's oscillator is dormant, and clocks that come of others stand, too; \
                        an alarm of the RTC will not wake the part";
            env.gap(GapKind::Setting, format_args!("{text}"));
        }
        env.effect(Effect::Rp(Message::Stands { made }));
    }

    /// The oscillator, loop or input that the clock of the generator at `ctrl` comes of.
    fn origin(&self, ctrl: u32) -> Option<Made> {
        match self.source_of(ctrl) {
            Input::Made(made) => Some(made),
            Input::Generator(other) => self.origin(other),
            Input::Absent => None,
        }
    }

    /// Tells if it comes of the oscillator `made`, which the loops' reference may be.
    fn comes_of(&self, ctrl: u32, made: Made) -> bool {
        let by_loop = |origin| made == Made::Xosc && matches!(origin, Made::PllSys | Made::PllUsb);
        self.origin(ctrl).is_some_and(|origin| origin == made || by_loop(origin))
    }

    /// The times for which the clock at the pin `index` is high and low, if there is one.
    fn wave(&self, index: usize, clocks: &Clocks) -> Option<[Span; 2]> {
        let ctrl = GPOUT + index as u32 * GENERATOR;
        let period = Some(self.period(ctrl, clocks)).filter(|period| *period != Span::ZERO)?;
        let divisor = self.bank.get(ctrl + DIV) >> 8;
        // "Enables duty cycle correction for odd divisors".
        let uneven = self.bank.get(ctrl) & DC50 == 0 && divisor % 2 == 1 && divisor > 1;
        let high = if uneven {
            period.fraction(u64::from(divisor / 2) * 256, self.bank.get(ctrl + DIV).into())
        } else {
            period.half()
        };
        Some([high, period.minus(high)])
    }

    /// The source that the registers of the generator at `ctrl` name.
    fn source_of(&self, ctrl: u32) -> Input {
        use Input::{Absent, Generator};
        use Made::{Gpin0, Gpin1, PllSys, PllUsb, Rosc, Xosc};
        let value = self.bank.get(ctrl);
        let (source, aux) = (value & 3, (value >> 5 & 15) as usize);
        let of = |inputs: &[Input]| inputs.get(aux).copied().unwrap_or(Absent);
        let made = Input::Made;
        match (ctrl, source) {
            (REF, 0) => made(Rosc),
            (REF, 1) => of(&[made(PllUsb), made(Gpin0), made(Gpin1)]),
            (REF, 2) => made(Xosc),
            (REF, _) => Absent,
            (SYS, 0) => Generator(REF),
            (SYS, _) => of(&[made(PllSys), made(PllUsb), made(Rosc), made(Xosc), made(Gpin0), made(Gpin1)]),
            (PERI, _) => {
                of(&[Generator(SYS), made(PllSys), made(PllUsb), made(Rosc), made(Xosc), made(Gpin0), made(Gpin1)])
            }
            (USB | ADC | RTC, _) => of(&[made(PllUsb), made(PllSys), made(Rosc), made(Xosc), made(Gpin0), made(Gpin1)]),
            // Those at pins.
            _ => of(&[
                made(PllSys),
                made(Gpin0),
                made(Gpin1),
                made(PllUsb),
                made(Rosc),
                made(Xosc),
                Generator(SYS),
                Generator(USB),
                Generator(ADC),
                Generator(RTC),
                Generator(REF),
            ]),
        }
    }

    /// The period of the clock of the generator at `ctrl`; zero where it does not run.
    fn period(&self, ctrl: u32, clocks: &Clocks) -> Span {
        let has_switch = !matches!(ctrl, REF | SYS);
        if has_switch && self.bank.get(ctrl) & (ENABLE | KILL) != ENABLE {
            return Span::ZERO;
        }
        let source = match self.source_of(ctrl) {
            Input::Made(made) => self.clock_of(made).map_or(Span::ZERO, |output| output.period(clocks)),
            Input::Generator(other) => self.period(other, clocks),
            Input::Absent => Span::ZERO,
        };
        // "0 -> divide by 2^16".
        let divisor = match self.bank.get(ctrl + DIV) {
            divisor @ ..0x100 => divisor | 0x0100_0000,
            divisor => divisor,
        };
        source.fraction(divisor.into(), 256)
    }

    /// The settings or a source have changed.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        for ctrl in [REF, SYS] {
            let source = self.bank.get(ctrl) & 3;
            if self.period(ctrl, env.clocks()) != Span::ZERO {
                self.bank.set(ctrl + SELECTED, 1 << source);
            }
        }
        env.effect(Effect::ClocksChanged);
    }

    /// The period of the clock that FC0_SRC names.
    fn counted_period(&self, clocks: &Clocks) -> Span {
        let made = |made: Made| self.clock_of(made).map_or(Span::ZERO, |output| output.period(clocks));
        match self.bank.get(FC0_SRC) {
            1 => made(Made::PllSys),
            2 => made(Made::PllUsb),
            3 | 4 => made(Made::Rosc),
            5 => made(Made::Xosc),
            6 => made(Made::Gpin0),
            7 => made(Made::Gpin1),
            8 => self.period(REF, clocks),
            9 => self.period(SYS, clocks),
            10 => self.period(PERI, clocks),
            11 => self.period(USB, clocks),
            12 => self.period(ADC, clocks),
            13 => self.period(RTC, clocks),
            _ => Span::ZERO,
        }
    }

    /// A count begins: 2 to the power of FC0_INTERVAL microseconds, and the delay before it.
    fn count(&mut self, env: &mut Env<'_, '_>) {
        if self.bank.get(FC0_SRC) == 0 {
            self.bank.set(FC0_STATUS, 0);
            self.counted = Instant::NEVER;
            return env.cancel(COUNTED);
        }
        let reference = self.period(REF, env.clocks());
        let span = env.clocks().microseconds(1 << self.bank.get(FC0_INTERVAL));
        let delay = reference.times(u64::from(self.bank.get(FC0_DELAY)));
        self.counted = env.now().after(span.plus(delay));
        self.bank.set(FC0_STATUS, RUNNING);
        env.schedule(COUNTED, self.counted);
    }

    /// FC0_RESULT: kilohertz, and five bits of a fraction, by the reference that the program names.
    fn result(&self, clocks: &Clocks) -> u32 {
        let (period, reference) = (self.counted_period(clocks), self.period(REF, clocks));
        if period == Span::ZERO || reference == Span::ZERO {
            return 0;
        }
        let khz = u64::from(self.bank.get(FC0_REF_KHZ));
        reference.count_in(khz * 32, period).min(u64::from(u32::MAX) >> 2) as u32
    }
}

impl Block<Words> for ClockGenerators {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (_, new) = self.bank.write(offset, write, env);
        match offset {
            FC0_SRC => self.count(env),
            GPOUT..=RTC_DIV if offset % GENERATOR != SELECTED => {
                let ctrl = offset / GENERATOR * GENERATOR;
                let used = match ctrl {
                    REF | SYS => self.bank.get(ctrl) & 3 == 1,
                    _ => self.bank.get(ctrl) & (ENABLE | KILL) == ENABLE,
                };
                let input = match self.source_of(ctrl) {
                    Input::Made(Made::Gpin0) if self.clock_of(Made::Gpin0).is_none() => Some("GPIO20"),
                    Input::Made(Made::Gpin1) if self.clock_of(Made::Gpin1).is_none() => Some("GPIO22"),
                    _ => None,
                };
                if let Some(pin) = input.filter(|_| offset == ctrl && used) {
                    env.gap(
                        GapKind::Setting,
                        format_args!(
                            "CLOCKS: no clock comes in at {pin} yet: attach clock:frequency=10MHz@out={pin}, and switch the pin to \
                             function 8 (clock) first"
                        ),
                    );
                }
                if offset != ctrl && new & 0xFF != 0 && (ctrl < REF || matches!(ctrl, SYS | PERI | RTC)) {
                    let text = "CLOCKS: a divider with a fraction has its average period";
                    env.gap(GapKind::Setting, format_args!("{text}"));
                }
                self.settle(env);
            }
            _ => {}
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() < self.counted {
            return;
        }
        self.counted = Instant::NEVER;
        let result = self.result(env.clocks());
        let (least, most) = (self.bank.get(FC0_MIN_KHZ), self.bank.get(FC0_MAX_KHZ));
        let (slow, fast) = (result >> 5 < least, result >> 5 > most);
        self.bank.set(FC0_RESULT, result);
        self.bank.set(FC0_STATUS, 0);
        self.bank.flags(
            FC0_STATUS,
            &[
                (DONE, true),
                (DIED, result == 0),
                (SLOW, slow),
                (FAST, fast),
                (FAIL, slow || fast),
                (PASS, !slow && !fast),
            ],
        );
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(COUNTED, self.counted);
    }

    fn refine(&mut self, times: u64) {
        self.counted = self.counted.refined(times);
        for step in self.shown.iter_mut().flatten().flatten() {
            *step = step.times(times);
        }
    }

    /// One at a pin is low while it does not run.
    fn output(&self, signal: &str) -> Option<bool> {
        GPOUTS.contains(&signal).then_some(false)
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.reference_stands = false;
        self.bank.set(ENABLED0, u32::MAX);
        self.bank.set(ENABLED0 + 4, 0x7FFF);
        self.counted = Instant::NEVER;
        env.cancel_all();
        env.effect(Effect::ClocksChanged);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

impl ClockControl for ClockGenerators {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let (system, reference) = (self.period(SYS, clocks), self.period(REF, clocks));
        // A core without a clock could not have asked: it is one that goes on with the last.
        let system = if system == Span::ZERO { clocks.tree().hclk } else { system };
        let peripherals = self.period(PERI, clocks);
        Tree {
            hclk: system,
            pclk: peripherals,
            pclk2: peripherals,
            timer: reference,
            timer2: reference,
            sysclk: system,
            converters: self.period(ADC, clocks),
            rtc: self.period(RTC, clocks),
            hse: self.made[Made::Xosc as usize].map_or(Span::ZERO, |output| output.period(clocks)),
            ..Tree::default()
        }
    }

    fn usb_clock(&self, clocks: &Clocks) -> Hertz {
        clocks.hertz(self.period(USB, clocks))
    }

    fn plls(&self, _: &Clocks) -> Vec<Pll> {
        self.made.iter().flatten().map(|output| output.pll).collect()
    }

    fn note_reset(&mut self, _: ResetFlag) {}

    /// Clocks at pins follow; the settings from which no system clock comes are named.
    fn settled(&mut self, env: &mut Env<'_, '_>) {
        for (index, signal) in GPOUTS.into_iter().enumerate() {
            let wave = self.wave(index, env.clocks());
            if self.shown[index] == wave {
                continue;
            }
            self.shown[index] = wave;
            env.end_square(signal);
            match wave {
                Some(steps) => env.square(Square { signal, start: env.now(), steps }),
                None => env.effect(Effect::Output { signal, level: Some(false) }),
            }
        }
        if self.period(SYS, env.clocks()) == Span::ZERO {
            env.gap(GapKind::Setting, format_args!("CLOCKS: the system clock's source stands; the core runs on"));
        }
    }

    fn force_lsi(&mut self, _: &mut Env<'_, '_>) {}
}
