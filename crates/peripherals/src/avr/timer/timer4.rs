//! Timer 4 of the ATmega32U4: ten bits, at clkI/O or at the PLL's clock, with a prescaler of its own (7766J §15).
//!
//! Modelled: normal, fast PWM and phase and frequency correct PWM with OCR4C as TOP, each channel with its own PWM4x;
//! double buffering; both outputs of a channel without dead time; TC4H; forced matches; the PLL's clock, undelayed.
//!
//! # Wiring
//! [`Timer4`]; registers by the numbers in [`register`], vectors: overflow, compare A, B, D, fault protection;
//! outputs: OC4A, its complement, OC4B, its complement, OC4D, its complement ([`TIMER4_32U4`]). The PLL's clock comes
//! by [`Shared::pll`](crate::avr::Shared::pll) and [`Change::Pll`].
//!
//! # Gaps
//! Named where they are switched on: dead time, enhanced resolution, PWM6, fault protection, the update lock, and the
//! delays of synchronisation that registers and flags have while the PLL is the clock.
//!
//! # Assumed
//! Beside what the other timers assume: without a channel in PWM the counter counts as in normal mode whatever WGM40
//! says; OCR4C is double-buffered while a channel is in PWM; a TCNT4 beyond OCR4C goes on to 0x3FF.

use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;

use super::clock::Source;
use super::counter::{Action, Counter, Shape, Top, When, ocf};
use super::wiring::{power, timer};
use crate::Block;
use crate::avr::{Avr, Change, Env, Instance, Kind, Reg, pin};

use self::register::*;

/// The numbers of Timer 4's registers.
#[allow(missing_docs)]
pub mod register {
    pub const TCCR4A: u8 = 0;
    pub const TCCR4B: u8 = 1;
    pub const TCCR4C: u8 = 2;
    pub const TCCR4D: u8 = 3;
    pub const TCCR4E: u8 = 4;
    pub const TCNT4: u8 = 5;
    pub const TC4H: u8 = 6;
    pub const OCR4A: u8 = 7;
    pub const OCR4B: u8 = 8;
    pub const OCR4C: u8 = 9;
    pub const OCR4D: u8 = 10;
    pub const DT4: u8 = 11;
    pub const TIMSK4: u8 = 12;
    pub const TIFR4: u8 = 13;
}

/// Timer 4 of the ATmega32U4.
pub static TIMER4_32U4: Instance = Instance {
    vectors: &[41, 38, 39, 40, 42],
    outputs: &[pin(b'C', 7), pin(b'C', 6), pin(b'B', 6), pin(b'B', 5), pin(b'D', 7), pin(b'D', 6)],
    power: power(1, 4),
    ..timer("TC4", 4, Kind::Timer4, &REGISTERS)
};

/// The data addresses of the registers, by the numbers in [`register`].
const ADDRESSES: [u8; 14] = [0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xBE, 0xBF, 0xCF, 0xD0, 0xD1, 0xD2, 0xD4, 0x72, 0x39];

const REGISTERS: [Reg; ADDRESSES.len()] = Reg::all_of(ADDRESSES);

/// Events: something that shows by itself, by either clock, and pins that follow a write.
const NEXT: u16 = 0;
const PINS: u16 = 1;
const NEXT_BY_PLL: u16 = 2;

/// Channels A, B and D; C, which is TOP, comes after them.
const CHANNELS: usize = 3;
const C: usize = 3;
const MAX: u16 = 0x3FF;

/// TIFR4's bits in the order of the vectors, beside those of the counter.
const FLAGS: [(u8, u8); 4] = [(1 << 2, 1), (1 << 6, ocf(0)), (1 << 5, ocf(1)), (1 << 7, ocf(2))];

const PWM4X: u8 = 1 << 7;
const PSR4: u8 = 1 << 6;
const WGM40: u8 = 1 << 0;
const WGM41: u8 = 1 << 1;
const FPEN4: u8 = 1 << 6;
const TLOCK4: u8 = 1 << 7;
const ENHC4: u8 = 1 << 6;

/// The block.
#[derive(Clone, Debug)]
pub struct Timer4 {
    counter: Counter,
    source: Source,
    /// The PLL's clock, where that is counted and not clkI/O.
    pll: Option<Hertz>,
    powered: bool,
    /// Up to which period of the clock that is counted `counter` is computed.
    anchor: u64,
    /// The period after which the prescaler was zero.
    since: u64,
    /// Of TCCR4A and TCCR4C: COM of A, B and D, two bits each, and PWM4x, one bit each, from A = bit 0.
    com: [u8; CHANNELS],
    pwm: u8,
    tccrb: u8,
    tccrd: u8,
    tccre: u8,
    tc4h: u8,
    dt4: u8,
    timsk: u8,
    driven: [Option<bool>; 2 * CHANNELS],
}

const fn shape(pwm: u8, dual: bool) -> Shape {
    let (update, overflow) = if dual { (When::Bottom, When::Bottom) } else { (When::Top, When::Top) };
    let buffered = if pwm == 0 { 0 } else { pwm | 1 << C };
    Shape { dual, top: Top::Compare(C), max: MAX, update, buffered, overflow }
}

impl Default for Timer4 {
    /// The timer after reset.
    fn default() -> Self {
        let mut counter = Counter::new(shape(0, false), (1 << CHANNELS) - 1);
        counter.set_compare(C, 0xFF);
        Self {
            counter,
            source: Source::Stopped,
            pll: None,
            powered: true,
            anchor: 0,
            since: 0,
            com: [0; CHANNELS],
            pwm: 0,
            tccrb: 0,
            tccrd: 0,
            tccre: 0,
            tc4h: 0,
            dt4: 0,
            timsk: 0,
            driven: [None; 2 * CHANNELS],
        }
    }
}

impl Timer4 {
    /// The period of the clock that is counted, `ahead` periods of clkI/O from now.
    fn position(&self, ahead: u64, env: &Env<'_, '_>) -> u64 {
        let Some(pll) = self.pll else { return env.now() + ahead };
        let clock = env.wires.shared.clock;
        let tick = u128::from(env.tick() + (ahead << clock.shift()));
        u64::try_from(tick * u128::from(pll.get()) / u128::from(clock.source().get().max(1))).unwrap_or(u64::MAX)
    }

    fn run_to(&mut self, to: u64) {
        if to > self.anchor {
            if self.powered {
                self.counter.advance(self.source.clocks(self.anchor, to, Some(self.since)));
            }
            self.anchor = to;
        }
    }

    fn run(&mut self, ahead: u64, env: &Env<'_, '_>) {
        self.run_to(self.position(ahead, env));
    }

    /// Returns the levels of the outputs of `channel`: OC4x and its complement. `None` if the port has the pin.
    fn levels(&self, channel: usize) -> [Option<bool>; 2] {
        let modulated = self.pwm & 1 << channel != 0;
        let level = self.counter.levels[channel];
        let inverted = modulated && self.tccrb & PWM4X != 0;
        let itself = (self.com[channel] != 0).then_some(level != inverted);
        let complement = (self.com[channel] == 1 && modulated).then_some(level == inverted);
        [itself, complement]
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        for channel in 0..CHANNELS {
            for (side, level) in self.levels(channel).into_iter().enumerate() {
                let index = 2 * channel + side;
                if level != self.driven[index] {
                    self.driven[index] = level;
                    env.output(index, level);
                }
            }
        }
    }

    fn flags(&self) -> u8 {
        FLAGS.iter().filter(|(_, flag)| self.counter.flags & flag != 0).fold(0, |bits, (bit, _)| bits | bit)
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let high = self.flags() & self.timsk;
        for (index, (bit, _)) in FLAGS.into_iter().enumerate() {
            env.flag(index, self.flags() & bit != 0);
            env.line(index, high & bit != 0);
        }
        if self.anchor <= self.position(0, env) {
            self.drive(env);
        } else if (0..CHANNELS).any(|channel| self.levels(channel) != self.driven[2 * channel..][..2]) {
            env.schedule(PINS, env.now() + 1);
        }
        self.schedule(env);
    }

    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let awaited = |index: usize, bit: u8| self.timsk & bit != 0 || env.is_trigger(index);
        let enabled = { FLAGS.iter().enumerate() }
            .filter(|(index, (bit, _))| awaited(*index, *bit))
            .fold(0, |flags, (_, (_, flag))| flags | flag);
        let driven =
            (0..CHANNELS).filter(|channel| self.com[*channel] != 0).fold(0, |mask, channel| mask | 1 << channel);
        let count = self.counter.until(enabled, driven).filter(|_| self.powered);
        let at = count.map_or(u64::MAX, |count| self.source.nth(self.anchor, count, Some(self.since)));
        env.cancel(NEXT);
        env.cancel(NEXT_BY_PLL);
        match self.pll {
            None => env.schedule(NEXT, at),
            Some(_) if at == u64::MAX => {}
            // The first tick of the part's oscillator in whose period the clock has come that far.
            Some(pll) => env.schedule_tick(NEXT_BY_PLL, env.ticks_of(at, pll)),
        }
    }

    fn gaps(&self, env: &mut Env<'_, '_>) {
        let complements = (0..CHANNELS).any(|channel| self.com[channel] == 1 && self.pwm & 1 << channel != 0);
        for (is, what) in [
            (self.dt4 != 0 && complements, "dead time (DT4)"),
            (self.tccre & ENHC4 != 0, "enhanced resolution (ENHC4)"),
            (self.tccre & TLOCK4 != 0, "update lock (TLOCK4)"),
            (self.tccrd & WGM41 != 0, "PWM6 (WGM41)"),
            (self.tccrd & FPEN4 != 0, "fault protection (FPEN4)"),
            (self.pll.is_some(), "delays of synchronisation with the PLL's clock"),
        ] {
            if is {
                env.gap(GapKind::Setting, format_args!("{}: {what}", env.instance.name));
            }
        }
    }

    fn set_mode(&mut self, env: &mut Env<'_, '_>) {
        self.gaps(env);
        self.counter.set_shape(shape(self.pwm, self.pwm != 0 && self.tccrd & WGM40 != 0));
        for channel in 0..CHANNELS {
            self.counter.actions[channel] = match self.com[channel] {
                0 => Action::None,
                com if self.pwm & 1 << channel != 0 => Action::Pwm { inverted: com == 3 },
                1 => Action::Toggle,
                2 => Action::Clear,
                _ => Action::Set,
            };
        }
        self.source = match self.tccrb & 0xF {
            0 => Source::Stopped,
            cs => Source::Divided(1 << (cs - 1)),
        };
    }

    /// The channel behind a compare register.
    fn channel(register: u8) -> usize {
        match register {
            OCR4A => 0,
            OCR4B => 1,
            OCR4D => 2,
            _ => C,
        }
    }

    fn write_control(&mut self, register: u8, value: u8) {
        match register {
            TCCR4A | TCCR4C => {
                // COM4A and COM4B stand in both registers.
                (self.com[0], self.com[1]) = (value >> 6, value >> 4 & 3);
            }
            TCCR4B => self.tccrb = value & !PSR4,
            TCCR4D => self.tccrd = value,
            TCCR4E => self.tccre = value,
            _ => self.dt4 = value,
        }
        match register {
            TCCR4A => self.pwm = self.pwm & 4 | value >> 1 & 1 | value << 1 & 2,
            TCCR4C => {
                self.com[2] = value >> 2 & 3;
                self.pwm = self.pwm & 3 | value << 2 & 4;
            }
            _ => {}
        }
    }

    /// FOC4A, FOC4B and FOC4D, for channels that are not in PWM.
    fn force(&mut self, register: u8, value: u8) {
        let forced = match register {
            TCCR4A => [value & 8, value & 4, 0],
            TCCR4C => [0, 0, value & 2],
            _ => [0; CHANNELS],
        };
        for channel in (0..CHANNELS).filter(|channel| forced[*channel] != 0) {
            self.counter.force(channel);
        }
    }
}

impl Block<Avr> for Timer4 {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        let [a, b, d] = self.com;
        let bit = |channel: u8| self.pwm >> channel & 1;
        match register {
            TCCR4A => a << 6 | b << 4 | bit(0) << 1 | bit(1),
            TCCR4B => self.tccrb,
            TCCR4C => a << 6 | b << 4 | d << 2 | bit(2),
            TCCR4D => self.tccrd,
            TCCR4E => self.tccre,
            TC4H => self.tc4h,
            DT4 => self.dt4,
            TIMSK4 => self.timsk,
            TIFR4 => {
                self.run(0, env);
                self.flags()
            }
            _ => {
                self.run(0, env);
                let value =
                    if register == TCNT4 { self.counter.value } else { self.counter.buffer[Self::channel(register)] };
                let [high, low] = value.to_be_bytes();
                self.tc4h = high;
                low
            }
        }
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        let word = u16::from_be_bytes([self.tc4h, value]) & MAX;
        match register {
            TC4H => {
                self.tc4h = value & 7;
                return;
            }
            TCNT4 => {
                self.run(0, env);
                self.counter.set_value(word);
                self.anchor = self.anchor.max(self.position(1, env));
            }
            TIMSK4 => {
                self.run(0, env);
                self.timsk = value;
            }
            TIFR4 => {
                self.run(0, env);
                let cleared = FLAGS.iter().filter(|(bit, _)| value & bit != 0);
                self.counter.flags &= !cleared.fold(0, |flags, (_, flag)| flags | flag);
            }
            OCR4A | OCR4B | OCR4C | OCR4D => {
                self.run(1, env);
                // TOP is three at least (7766J §15.12.10).
                let word = if register == OCR4C { word.max(3) } else { word };
                self.counter.set_compare(Self::channel(register), word);
            }
            _ => {
                self.run(1, env);
                self.write_control(register, value);
                self.set_mode(env);
                self.force(register, value);
                if register == TCCR4B && value & PSR4 != 0 {
                    self.since = self.position(1, env) - 1;
                }
            }
        }
        self.settle(env);
    }

    fn ignores_zeros(&self, register: u8) -> bool {
        register == TIFR4
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.run(0, env);
        if kind == PINS { self.drive(env) } else { self.settle(env) }
    }

    fn acknowledge(&mut self, index: usize, env: &mut Env<'_, '_>) {
        let Some((_, flag)) = FLAGS.get(index) else { return };
        self.run(0, env);
        self.counter.flags &= !flag;
        self.settle(env);
    }

    fn before_change(&mut self, _: Change, env: &mut Env<'_, '_>) {
        self.run(1, env);
    }

    fn after_change(&mut self, _: Change, env: &mut Env<'_, '_>) {
        self.powered = env.powered();
        if self.pll != env.wires.shared.pll {
            // The prescaler goes on from where it is, with the other clock.
            let phase = self.anchor.saturating_sub(self.since + 1) % 16384;
            self.pll = env.wires.shared.pll;
            self.anchor = self.position(1, env);
            self.since = self.anchor.saturating_sub(phase + 1);
            self.gaps(env);
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self { pll: env.wires.shared.pll, powered: env.powered(), ..Self::default() };
        self.anchor = self.position(0, env);
        self.since = self.anchor;
    }
}
