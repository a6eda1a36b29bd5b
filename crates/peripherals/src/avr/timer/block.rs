//! The registers of Timers 0 to 3 around their counter.

use cyclescope_machine::GapKind;

use super::clock::{Edges, Source};
use super::counter::{Action, Counter, ICF, Top, ocf};
use super::mode::{self, Mode};
use super::{NOISE_CANCELLER, SYNCHRONISER, register::*};
use crate::Block;
use crate::avr::Shared;
use crate::avr::{ASYNCHRONOUS, Avr, Change, Env, Instance, SYNCHRONOUS};

/// Events: something that an interrupt or a pin shows, a pin that follows a write, an edge behind a synchroniser.
const NEXT: u16 = 0;
const PINS: u16 = 1;
const EDGE: u16 = 2;

const ICNC: u8 = 1 << 7;
const ICES: u8 = 1 << 6;
const AS2: u8 = 1 << 5;

/// Channels of a timer of this kind, at most.
const CHANNELS: usize = 3;

/// Timer 0, 1, 2 or 3.
#[derive(Clone, Debug)]
pub struct Timer {
    /// Sixteen bits with TEMP, or eight.
    wide: bool,
    channels: usize,
    /// `true` if it can count edges of a pin.
    has_pin: bool,
    /// Its prescaler among the shared ones.
    prescaler: usize,
    /// The flags that it has.
    known: u8,
    counter: Counter,
    mode: Mode,
    source: Source,
    powered: bool,
    /// The period of clkI/O up to which `counter` is computed.
    anchor: u64,
    tccra: u8,
    tccrb: u8,
    timsk: u8,
    assr: u8,
    temp: u8,
    clock_edges: Edges,
    capture_edges: Edges,
    /// The levels that the outputs drove last; `None` if the port has the pin.
    driven: [Option<bool>; CHANNELS],
}

impl Timer {
    /// The timer `instance`, after reset: as many bits, channels and pins as it has registers and pins.
    pub fn new(instance: &Instance) -> Self {
        let has = |register: u8| instance.registers.get(usize::from(register)).is_some_and(|reg| reg.address != 0);
        let wide = has(TCNTH);
        let channels = (0..CHANNELS).take_while(|channel| has(OCRAL + 2 * *channel as u8)).count();
        let compared = (1 << channels) - 1;
        let mode = if wide { mode::of_sixteen_bits(0) } else { mode::of_eight_bits(0) };
        Self {
            wide,
            channels,
            has_pin: instance.inputs.first().is_some_and(Option::is_some),
            prescaler: if has(ASSR) { ASYNCHRONOUS } else { SYNCHRONOUS },
            known: 1 | compared << 1 | if has(ICRL) { ICF } else { 0 },
            counter: Counter::new(mode.shape, compared),
            mode,
            source: Source::Stopped,
            powered: true,
            anchor: 0,
            tccra: 0,
            tccrb: 0,
            timsk: 0,
            assr: 0,
            temp: 0,
            clock_edges: Edges::default(),
            capture_edges: Edges::default(),
            driven: [None; CHANNELS],
        }
    }

    fn since(&self, env: &Env<'_, '_>) -> Option<u64> {
        env.wires.shared.prescalers[self.prescaler].since
    }

    /// Counts what the prescaler gives up to `to`.
    fn count_to(&mut self, to: u64, env: &Env<'_, '_>) {
        if to <= self.anchor {
            return;
        }
        if self.powered {
            self.counter.advance(self.source.clocks(self.anchor, to, self.since(env)));
        }
        self.anchor = to;
    }

    /// Takes `value` into ICR if the edge is the one that is waited for.
    fn capture(&mut self, rising: bool, value: u16) {
        let connected = self.mode.shape.top != Top::Icr && self.known & ICF != 0;
        if connected && self.powered && rising == (self.tccrb & ICES != 0) {
            self.counter.icr = value;
            self.counter.flags |= ICF;
        }
    }

    /// Brings everything up to the state in the period `to`.
    fn run_to(&mut self, to: u64, env: &Env<'_, '_>) {
        loop {
            let clock = self.clock_edges.first().filter(|edge| edge.due <= to);
            let capture = self.capture_edges.first().filter(|edge| edge.due <= to);
            match (clock, capture) {
                (clock, Some(capture)) if clock.is_none_or(|clock| capture.due <= clock.due) => {
                    // What is captured is the value before a count at the same time.
                    self.capture_edges.pop();
                    self.count_to(capture.due - 1, env);
                    let value = self.counter.value;
                    self.count_to(capture.due, env);
                    self.capture(capture.rising, value);
                }
                (Some(clock), _) => {
                    self.clock_edges.pop();
                    self.count_to(clock.due, env);
                    if self.powered && self.source == (Source::Pin { rising: clock.rising }) {
                        self.counter.advance(1);
                    }
                }
                _ => break,
            }
        }
        self.count_to(to, env);
    }

    /// A write of the counter at `now`, which has the priority over a count at the same time.
    fn write_counter(&mut self, value: u16, env: &Env<'_, '_>) {
        let now = env.now();
        self.run_to(now, env);
        if let Some(edge) = self.capture_edges.first().filter(|edge| edge.due == now + 1) {
            self.capture_edges.pop();
            self.capture(edge.rising, self.counter.value);
        }
        if self.clock_edges.first().is_some_and(|edge| edge.due == now + 1) {
            self.clock_edges.pop();
        }
        self.counter.set_value(value);
        self.anchor = self.anchor.max(now + 1);
    }

    /// The flags that somebody waits for: those of enabled interrupts, and the trigger of conversions.
    fn awaited(&self, env: &Env<'_, '_>) -> u8 {
        let trigger = FLAGS.iter().enumerate().find(|(index, _)| env.is_trigger(*index)).map_or(0, |(_, flag)| *flag);
        (self.timsk | trigger) & self.known
    }

    fn level(&self, channel: usize) -> Option<bool> {
        (self.counter.actions[channel] != Action::None).then_some(self.counter.levels[channel])
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        for channel in 0..self.channels {
            let level = self.level(channel);
            if level != self.driven[channel] {
                self.driven[channel] = level;
                env.output(channel, level);
            }
        }
    }

    fn lines(&self, env: &mut Env<'_, '_>) {
        let high = self.counter.flags & self.timsk & self.known;
        for (index, flag) in FLAGS.into_iter().enumerate().filter(|(_, flag)| self.known & flag != 0) {
            env.flag(index, self.counter.flags & flag != 0);
            env.line(index, high & flag != 0);
        }
    }

    /// Shows what has changed, and has the next change come by itself.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.lines(env);
        if self.anchor <= env.now() {
            self.drive(env);
        } else if (0..self.channels).any(|channel| self.level(channel) != self.driven[channel]) {
            env.schedule(PINS, self.anchor);
        }
        self.schedule(env);
    }

    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let mut at = u64::MAX;
        if let Source::Divided(_) = self.source
            && self.powered
        {
            let bonded = |channel: &usize| env.instance.outputs.get(*channel).is_some_and(Option::is_some);
            let driven = (0..self.channels).filter(bonded).filter(|channel| self.level(*channel).is_some());
            let driven = driven.fold(0, |mask, channel| mask | 1 << channel);
            if let Some(count) = self.counter.until(self.awaited(env), driven) {
                at = self.source.nth(self.anchor, count, self.since(env));
            }
        }
        env.schedule(NEXT, at);
        self.schedule_edge(env);
    }

    /// An edge comes by itself where it counts or interrupts.
    fn schedule_edge(&mut self, env: &mut Env<'_, '_>) {
        let counts = matches!(self.source, Source::Pin { .. });
        let clock = self.clock_edges.first().filter(|_| counts);
        let capture = self.capture_edges.first().filter(|_| self.awaited(env) & ICF != 0);
        let due = clock.into_iter().chain(capture).map(|edge| edge.due).min();
        env.schedule(EDGE, due.unwrap_or(u64::MAX));
    }

    /// The first time from `now` on at which an edge on its way may change something.
    fn next_edge(&self, now: u64) -> u64 {
        let edges = self.clock_edges.first().into_iter().chain(self.capture_edges.first());
        edges.map(|edge| edge.due.max(now)).min().unwrap_or(u64::MAX)
    }

    /// The first time from `now` on at which a flag may rise by itself.
    fn next_flag(&self, now: u64, shared: &Shared) -> u64 {
        let since = shared.prescalers[self.prescaler].since;
        let count = self.counter.until(self.known, 0).filter(|_| self.powered);
        let counted = count.map_or(u64::MAX, |count| self.source.nth(self.anchor, count, since));
        counted.max(now).min(self.next_edge(now))
    }

    /// The first time after `now` at which the counter may have another value.
    fn next_count(&self, now: u64, shared: &Shared) -> u64 {
        let since = shared.prescalers[self.prescaler].since;
        let next = if self.powered { self.source.nth(now.max(self.anchor), 1, since) } else { u64::MAX };
        next.min(self.next_edge(now))
    }

    /// The settings as the control registers have them now.
    fn set_mode(&mut self, env: &mut Env<'_, '_>) {
        let (wgm, toggles) = if self.wide {
            let wgm = self.tccrb >> 1 & 0xC | self.tccra & 3;
            self.mode = mode::of_sixteen_bits(wgm);
            (wgm, mode::toggles_in_sixteen_bits(wgm))
        } else {
            let wgm = self.tccrb >> 1 & 4 | self.tccra & 3;
            self.mode = mode::of_eight_bits(wgm);
            (wgm, mode::toggles_in_eight_bits(wgm))
        };
        if self.mode.reserved {
            env.gap(GapKind::Setting, format_args!("{}: WGM = {wgm} is reserved", env.instance.name));
        }
        self.counter.set_shape(self.mode.shape);
        for channel in 0..self.channels {
            let com = self.tccra >> (6 - 2 * channel) & 3;
            self.counter.actions[channel] = mode::action(&self.mode, channel, com, toggles);
        }
        self.source = match self.prescaler {
            ASYNCHRONOUS if self.assr & AS2 != 0 => Source::Stopped,
            ASYNCHRONOUS => Source::asynchronous(self.tccrb),
            _ => Source::synchronous(self.tccrb, self.has_pin),
        };
    }

    /// FOC bits, from the most significant one on.
    fn force(&mut self, bits: u8) {
        for channel in (0..self.channels).filter(|channel| bits & 0x80 >> channel != 0 && !self.mode.pwm) {
            self.counter.force(channel);
        }
    }

    /// The register of sixteen bits that a low byte at `register` belongs to, as a read gives it.
    fn word(&self, register: u8) -> u16 {
        match register {
            TCNTL => self.counter.value,
            ICRL => self.counter.icr,
            _ => self.counter.buffer[usize::from((register - OCRAL) / 2).min(CHANNELS - 1)],
        }
    }
}

impl Block<Avr> for Timer {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        match register {
            TCCRA => self.tccra,
            TCCRB => self.tccrb,
            TIMSK => self.timsk,
            ASSR => self.assr,
            TIFR => {
                self.run_to(env.now(), env);
                self.counter.flags & self.known
            }
            TCNTL | ICRL => {
                self.run_to(env.now(), env);
                let [high, low] = self.word(register).to_be_bytes();
                self.temp = high;
                low
            }
            TCNTH | ICRH => self.temp,
            OCRAL | OCRBL | OCRCL => self.word(register) as u8,
            OCRAH | OCRBH | OCRCH => (self.word(register - 1) >> 8) as u8,
            // TCCRnC: FOC bits read as zero.
            _ => 0,
        }
    }

    fn still(&self, register: u8, now: u64, shared: &Shared) -> Option<u64> {
        match register {
            TIFR => Some(self.next_flag(now, shared)),
            // A read takes the high byte into TEMP, the same each time.
            TCNTL | TCNTH => Some(self.next_count(now, shared)),
            TCCRA | TCCRB | TIMSK => Some(u64::MAX),
            _ => None,
        }
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        let now = env.now();
        let word = if self.wide { u16::from_be_bytes([self.temp, value]) } else { u16::from(value) };
        match register {
            TCNTH | ICRH | OCRAH | OCRBH | OCRCH => {
                self.temp = value;
                return;
            }
            TCNTL => self.write_counter(word, env),
            TIMSK => {
                self.run_to(now, env);
                self.timsk = value;
            }
            TIFR => {
                self.run_to(now, env);
                self.counter.flags &= !value;
            }
            // Only where ICR is TOP does it take writes (8271H §16.6).
            ICRL if self.mode.shape.top != Top::Icr => return,
            _ => {
                // A count at the end of this period still goes by what was before.
                self.run_to(now + 1, env);
                match register {
                    TCCRA => self.tccra = value,
                    TCCRB if self.wide => self.tccrb = value,
                    TCCRB => self.tccrb = value & 0xF,
                    TCCRC => self.force(value),
                    ICRL => self.counter.icr = word,
                    OCRAL | OCRBL | OCRCL => self.counter.set_compare(usize::from((register - OCRAL) / 2), word),
                    ASSR => {
                        self.assr = value & 0x60;
                        if value & AS2 != 0 {
                            env.gap(
                                GapKind::Setting,
                                format_args!("{}: clock from a crystal at TOSC (AS2)", env.instance.name),
                            );
                        }
                    }
                    _ => {}
                }
                if matches!(register, TCCRA | TCCRB | ASSR) {
                    self.set_mode(env);
                }
                if register == TCCRB && !self.wide {
                    self.force(value & 0xC0);
                }
            }
        }
        self.settle(env);
    }

    fn ignores_zeros(&self, register: u8) -> bool {
        register == TIFR
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.run_to(env.now(), env);
        if kind == PINS { self.drive(env) } else { self.settle(env) }
    }

    fn acknowledge(&mut self, index: usize, env: &mut Env<'_, '_>) {
        let Some(flag) = FLAGS.get(index) else { return };
        self.run_to(env.now(), env);
        self.counter.flags &= !flag;
        self.settle(env);
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        // ICP1 is cut off where the comparator captures (8271H §23.3.2).
        if index == CLOCK_PIN || !(env.wires.shared.capture_by_comparator && env.instance.number == 1) {
            self.edge(index, high, env);
        }
    }

    fn before_change(&mut self, _: Change, env: &mut Env<'_, '_>) {
        self.run_to(env.now() + 1, env);
    }

    fn after_change(&mut self, _: Change, env: &mut Env<'_, '_>) {
        self.powered = env.powered();
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self { anchor: env.now(), powered: env.powered(), ..Self::new(env.instance) };
    }
}

impl Timer {
    /// The comparator's output has a new level, which is captured like one of ICP1.
    pub fn compared(&mut self, high: bool, env: &mut Env<'_, '_>) {
        self.edge(CLOCK_PIN + 1, high, env);
    }

    fn edge(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let now = env.now();
        self.run_to(now, env);
        let delay = env.cycles(&SYNCHRONISER);
        if index == CLOCK_PIN {
            self.clock_edges.push(now, high, delay, 1);
        } else if self.tccrb & ICNC != 0 && self.wide {
            let samples = env.cycles(&NOISE_CANCELLER);
            self.capture_edges.push(now, high, delay + samples, samples);
        } else {
            self.capture_edges.push(now, high, delay, 1);
        }
        self.schedule_edge(env);
    }
}

/// TIFR's bits in the order of [`super`]'s vectors.
const FLAGS: [u8; 5] = [1, ocf(0), ocf(1), ocf(2), ICF];
