//! Clock generators (RP-008371-DS, "Clocks"): reference, system, peripherals, USB, ADC and RTC, and the frequency counter.
//!
//! The system clock is the tree's HCLK, that of peripherals its PCLK, and the reference its timers' clock. A divider with a
//! fraction has its average period. Clocks at pins, the gates of clocks and the
//! resuscitation of a clock that stands are not modelled.

use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;

use super::oscillators::{Made, Output, rosc_frequency};
use super::registers::bank;
use crate::bank::some;
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Modelled, Pll, ResetFlag, Span, Tree, Words,
    Write,
};

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
    some("CLK_GPOUT0_CTRL", 0, &[]).and(&["CLK_GPOUT1_CTRL", "CLK_GPOUT2_CTRL", "CLK_GPOUT3_CTRL"]),
    some("CLK_GPOUT0_DIV", 0, &[]).and(&["CLK_GPOUT1_DIV", "CLK_GPOUT2_DIV", "CLK_GPOUT3_DIV"]),
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
    /// A pin, or a number without a source.
    Absent,
}

/// The block.
#[derive(Clone, Debug)]
pub struct ClockGenerators {
    bank: Bank,
    /// The clocks of oscillators and loops, by [`Made`].
    made: [Option<Output>; 4],
    counted: Instant,
}

impl ClockGenerators {
    /// The block after power-on, with the ring oscillator running.
    pub fn new(instance: &Instance) -> Self {
        let ring = Output { pll: Pll::unity(rosc_frequency()), divider: 1 };
        Self { bank: bank(instance.map, PARTLY), made: [Some(ring), None, None, None], counted: Instant::NEVER }
    }

    /// An oscillator or loop makes `output` now.
    pub fn set_made(&mut self, made: Made, output: Option<Output>, env: &mut Env<'_, '_>) {
        if self.made[made as usize] != output {
            self.made[made as usize] = output;
            self.settle(env);
        }
    }

    /// The source that the registers of the generator at `ctrl` name.
    fn source_of(&self, ctrl: u32) -> Input {
        use Input::{Absent, Generator};
        use Made::{PllSys, PllUsb, Rosc, Xosc};
        let value = self.bank.get(ctrl);
        let (source, aux) = (value & 3, (value >> 5 & 7) as usize);
        let of = |inputs: &[Input]| inputs.get(aux).copied().unwrap_or(Absent);
        let made = Input::Made;
        match (ctrl, source) {
            (REF, 0) => made(Rosc),
            (REF, 1) => of(&[made(PllUsb)]),
            (REF, 2) => made(Xosc),
            (REF, _) => Absent,
            (SYS, 0) => Generator(REF),
            (SYS, _) => of(&[made(PllSys), made(PllUsb), made(Rosc), made(Xosc)]),
            (PERI, _) => of(&[Generator(SYS), made(PllSys), made(PllUsb), made(Rosc), made(Xosc)]),
            _ => of(&[made(PllUsb), made(PllSys), made(Rosc), made(Xosc)]),
        }
    }

    /// The period of the clock of the generator at `ctrl`; zero where it does not run.
    fn period(&self, ctrl: u32, clocks: &Clocks) -> Span {
        let has_switch = !matches!(ctrl, REF | SYS);
        if has_switch && self.bank.get(ctrl) & (ENABLE | KILL) != ENABLE {
            return Span::ZERO;
        }
        let source = match self.source_of(ctrl) {
            Input::Made(made) => self.made[made as usize].map_or(Span::ZERO, |output| output.period(clocks)),
            Input::Generator(other) => self.period(other, clocks),
            Input::Absent => Span::ZERO,
        };
        // "0 -> divide by 2^16".
        let divisor = match self.bank.get(ctrl + DIV) {
            divisor @ ..0x100 => divisor | 0x0100_0000,
            divisor => divisor,
        };
        source.times(u64::from(divisor)).divide_by(256)
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
        let made = |made: Made| self.made[made as usize].map_or(Span::ZERO, |output| output.period(clocks));
        match self.bank.get(FC0_SRC) {
            1 => made(Made::PllSys),
            2 => made(Made::PllUsb),
            3 | 4 => made(Made::Rosc),
            5 => made(Made::Xosc),
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
        let (whole, _) = reference.times(khz * 32).divide(period);
        whole.min(u64::from(u32::MAX) >> 2) as u32
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
            REF..=RTC_DIV if offset % GENERATOR != SELECTED => {
                let ctrl = offset / GENERATOR * GENERATOR;
                let (source, aux) = (new & 3, new >> 5 & 7);
                if offset == ctrl
                    && (!matches!(ctrl, REF | SYS) || source == 1)
                    && self.source_of(ctrl) == Input::Absent
                {
                    env.gap(GapKind::Setting, format_args!("CLOCKS: a clock from a pin (AUXSRC={aux})"));
                }
                if offset != ctrl && new & 0xFF != 0 && matches!(ctrl, SYS | PERI | RTC) {
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
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
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

    /// The settings from which no system clock comes are named.
    fn settled(&mut self, env: &mut Env<'_, '_>) {
        if self.period(SYS, env.clocks()) == Span::ZERO {
            env.gap(GapKind::Setting, format_args!("CLOCKS: the system clock's source stands; the core runs on"));
        }
    }

    fn force_lsi(&mut self, _: &mut Env<'_, '_>) {}
}
