//! A converter with a regular and an injected group under the registers of STM32F1 and STM32F4 (RM0008, RM0390,
//! "Analog-to-digital converter (ADC)").
//!
//! A conversion is one event at its end; what it sampled is the voltage at the end of its sampling time. A group begins a
//! latency after its trigger; within a group conversions follow each other without a gap. An injected group
//! interrupts a regular conversion, which begins anew afterwards. A regular trigger during an injected group waits for its
//! end, and one during a regular group is lost.
//!
//! Converters that work together are blocks of their own that send each other messages: the first one has
//! the triggers and starts the others.

mod version;

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{GapKind, Transfer};

use super::analog::{Channels, code};
use crate::{
    Bank, Block, Clocks, Converter, DmaRequest, Env, Instance, Instant, Lines, Message, Receiver, Source, Span, Tree,
    Words, Write,
};

pub(super) use version::rows;
pub use version::{Injected, Regular, Select, Together, Turns, Version};

pub(super) const SR: u32 = 0x00;
pub(super) const CR1: u32 = 0x04;
pub(super) const CR2: u32 = 0x08;
const SMPR1: u32 = 0x0C;
const SMPR2: u32 = 0x10;
const JOFR1: u32 = 0x14;
const HTR: u32 = 0x24;
const LTR: u32 = 0x28;
const SQR1: u32 = 0x2C;
const SQR3: u32 = 0x34;
const JSQR: u32 = 0x38;
const JDR1: u32 = 0x3C;
pub(super) const DR: u32 = 0x4C;

const AWD: u32 = 1 << 0;
pub(super) const EOC: u32 = 1 << 1;
const JEOC: u32 = 1 << 2;
const JSTRT: u32 = 1 << 3;
const STRT: u32 = 1 << 4;
pub(super) const OVR: u32 = 1 << 5;

const SCAN: u32 = 1 << 8;
const AWDSGL: u32 = 1 << 9;
const JAUTO: u32 = 1 << 10;
const DISCEN: u32 = 1 << 11;
const JDISCEN: u32 = 1 << 12;
const JAWDEN: u32 = 1 << 22;
const AWDEN: u32 = 1 << 23;

pub(super) const ADON: u32 = 1 << 0;
const CONT: u32 = 1 << 1;
pub(super) const DMA: u32 = 1 << 8;
const ALIGN: u32 = 1 << 11;

/// The events: the end of a conversion, and the end of something that a version knows.
const CONVERTED: u16 = 0;
pub(super) const OWN: u16 = 1;

/// The trigger inputs of the two groups.
const REGULAR_INPUT: u8 = 0;
const INJECTED_INPUT: u8 = 1;

/// A conversion under way.
#[derive(Clone, Copy, Debug)]
struct Conversion {
    injected: bool,
    rank: u8,
    channel: u8,
    begin: Instant,
    end: Instant,
}

/// A group of channels.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// The rank that is converted, or waits; `None` while the group is at rest.
    rank: Option<u8>,
    /// The rank at which the next trigger goes on in discontinuous mode.
    next: u8,
    /// The conversions since the trigger.
    taken: u8,
    /// The start that waits for the other group: when its sampling begins at the earliest.
    from: Option<Instant>,
}

/// One converter.
#[derive(Clone, Debug)]
pub struct Adc<V> {
    pub(super) bank: Bank,
    pub(super) own: V,
    /// Its number: 1 for ADC1.
    pub(super) number: u8,
    /// The common register or the clock control's field, as it was told.
    pub(super) common: u32,
    /// The first converter's control register, as it was told.
    pub(super) first: u32,
    /// The latest result of the converter that works together with this one.
    pub(super) partner: u16,
    lines: Lines,
    pub(super) dma: DmaRequest,
    channels: Channels,
    clock: Source,
    groups: [Group; 2],
    running: Option<Conversion>,
    /// When the converter is stable.
    stable: Instant,
    /// A result was not read.
    unread: bool,
    /// The DMA has done its last transfer.
    pub(super) ended: bool,
    /// The converter whose turn an alternating trigger is.
    turn: u8,
}

impl<V: Version> Adc<V> {
    /// The converter `instance`.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, V::MODEL),
            own: V::default(),
            number: instance.name.trim_start_matches("ADC").parse().unwrap_or(1),
            common: 0,
            first: 0,
            partner: 0,
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            dma: DmaRequest::new(instance, instance.name),
            channels: Channels::new(instance),
            clock: instance.clock.source(),
            groups: [Group::default(); 2],
            running: None,
            stable: Instant::default(),
            unread: false,
            ended: false,
            turn: 0,
        }
    }

    /// The period of the converter's clock.
    pub(super) fn period(&self, clocks: &Clocks) -> Span {
        clocks.period_of(self.clock).times(V::divider(self.common))
    }

    fn halves(&self, count: u32, env: &Env<'_, '_>) -> Span {
        self.period(env.clocks()).times(count.into()).half()
    }

    fn cr1(&self) -> u32 {
        self.bank.get(CR1)
    }

    fn cr2(&self) -> u32 {
        self.bank.get(CR2)
    }

    /// The number of conversions of a group: without SCAN the first one only.
    fn ranks(&self, injected: bool) -> u8 {
        let (register, discontinuous) = if injected { (JSQR, JDISCEN) } else { (SQR1, DISCEN) };
        if self.cr1() & (SCAN | discontinuous) == 0 {
            return 1;
        }
        let length = self.bank.get(register) >> 20;
        1 + (length & if injected { 3 } else { 15 }) as u8
    }

    /// The channel at `rank` of a group (RM0008, RM0390, ADC_SQR1 and ADC_JSQR: the injected sequence begins at JSQ(4-JL)).
    fn channel(&self, injected: bool, rank: u8) -> u8 {
        let (register, place) = if injected {
            (JSQR, 3 - (self.bank.get(JSQR) >> 20 & 3) + u32::from(rank))
        } else {
            (SQR3 - u32::from(rank / 6) * 4, u32::from(rank % 6))
        };
        (self.bank.get(register) >> (5 * (place & 7)) & 31) as u8
    }

    fn sampling(&self, channel: u8) -> u32 {
        let channel = u32::from(channel.min(19));
        let (register, place) = if channel < 10 { (SMPR2, channel) } else { (SMPR1, channel - 10) };
        V::SAMPLING[(self.bank.get(register) >> (3 * place) & 7) as usize]
    }

    /// Sets or clears flags, with what follows from them.
    pub(super) fn flag(&mut self, flags: u32, high: bool, env: &mut Env<'_, '_>) {
        let before = self.bank.get(SR);
        self.bank.flag(SR, flags, high);
        if self.bank.get(SR) != before {
            V::flagged(self, self.bank.get(SR), env);
        }
        self.drive(env);
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        let (flags, cr1) = (self.bank.get(SR), self.cr1());
        let enables = [(EOC, 1 << 5), (AWD, 1 << 6), (JEOC, 1 << 7), (OVR, 1 << 26)];
        let active = enables.iter().any(|(flag, enable)| flags & flag != 0 && cr1 & enable != 0);
        self.lines.drive(u32::from(active), env);
    }

    /// Hears the triggers that CR2 selects; the version's software start is none of them.
    fn listen(&mut self, env: &mut Env<'_, '_>) {
        let on = self.cr2() & ADON != 0;
        for (input, injected) in [(REGULAR_INPUT, false), (INJECTED_INPUT, true)] {
            let select = V::select(self.cr2(), injected).filter(|_| on);
            let from = select.and_then(|select| V::TRIGGERS[usize::from(injected)][usize::from(select.number & 15)]);
            env.hear(input, from);
        }
    }

    /// The converter is switched on.
    pub(super) fn switch_on(&mut self, env: &mut Env<'_, '_>) {
        let microseconds = env.cycles(&V::ROWS[3]);
        self.stable = env.now().after(env.clocks().microseconds(microseconds));
        self.check_clock(env);
    }

    /// The converter is switched off: nothing goes on.
    pub(super) fn switch_off(&mut self, env: &mut Env<'_, '_>) {
        self.groups = [Group::default(); 2];
        self.running = None;
        env.cancel(CONVERTED);
    }

    fn check_clock(&self, env: &mut Env<'_, '_>) {
        if self.cr2() & ADON != 0 && self.period(env.clocks()) < env.clocks().period(V::FASTEST) {
            let (name, limit) = (env.name(), V::FASTEST);
            env.gap(GapKind::Setting, format_args!("{name}: its clock is faster than {limit}"));
        }
    }

    /// A group is triggered, by software or (`external`) by a signal.
    pub(super) fn start(&mut self, injected: bool, external: bool, env: &mut Env<'_, '_>) {
        let together = if self.number == 1 { V::together(self) } else { Together::default() };
        let mut others = |delay: &dyn Fn(u8) -> u32| {
            for number in 2..=together.count {
                let delay = delay(number);
                env.send(Receiver::Number(number), Message::Start { injected, delay });
            }
        };
        let delay = match (injected, together.regular, together.injected) {
            (_, _, _) if together.count < 2 => 0,
            (false, Regular::Same, _) | (true, _, Injected::Same) => {
                others(&|_| 0);
                0
            }
            (false, Regular::Turns(Turns::SecondFirst { delay, .. }), _) => {
                others(&|_| 0);
                delay
            }
            (false, Regular::Turns(Turns::InOrder { delay }), _) => {
                // No converter begins while another one samples (RM0390, "Interleaved mode").
                let delay = delay.max(self.sampling(self.channel(false, 0)) + 4);
                others(&|number| delay * u32::from(number - 1));
                0
            }
            (true, _, Injected::Alternate) => {
                let turn = self.turn % together.count;
                self.turn = (turn + 1) % together.count;
                if turn != 0 {
                    env.send(Receiver::Number(turn + 1), Message::Start { injected, delay: 0 });
                    return;
                }
                0
            }
            _ => 0,
        };
        self.begin(injected, external, delay, env);
    }

    /// A group of this converter begins, `delay` half periods later than its trigger's latency.
    fn begin(&mut self, injected: bool, external: bool, delay: u32, env: &mut Env<'_, '_>) {
        let active = self.groups[usize::from(injected)].rank.is_some();
        if self.bank.get(CR2) & ADON == 0 || active || (!injected && self.bank.get(SR) & OVR != 0) {
            return;
        }
        let latency = env.cycles(&V::ROWS[usize::from(injected)]);
        let bus = if external { env.cycles(&V::ROWS[2]) } else { 0 };
        let from = env.now().after(env.clocks().period_of(self.clock).times(bus));
        let from = from.after(self.period(env.clocks()).times(latency)).after(self.halves(delay, env));
        let group = &mut self.groups[usize::from(injected)];
        (group.rank, group.taken, group.from) = (Some(group.next), 0, Some(from));
        if env.now() < self.stable {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: a conversion begins before tSTAB after ADON"));
        }
        self.flag(if injected { JSTRT } else { STRT }, true, env);
        if injected || self.running.is_none() {
            self.convert(env);
        }
    }

    /// Begins the next conversion, of the injected group first.
    fn convert(&mut self, env: &mut Env<'_, '_>) {
        let injected = self.groups[1].rank.is_some();
        let group = &mut self.groups[usize::from(injected)];
        let Some(rank) = group.rank else {
            self.running = None;
            env.cancel(CONVERTED);
            return;
        };
        let begin = group.from.take().unwrap_or(env.now()).max(env.now());
        let channel = self.channel(injected, rank);
        let length = self.sampling(channel) + V::hold(V::bits(self.cr1()));
        let end = begin.after(self.halves(length, env));
        self.running = Some(Conversion { injected, rank, channel, begin, end });
        env.schedule(CONVERTED, end);
    }

    fn converted(&mut self, env: &mut Env<'_, '_>) {
        let Some(Conversion { channel, end, .. }) = self.running.filter(|running| env.now() >= running.end) else {
            return;
        };
        let (internal, off) = V::internal(self, channel);
        if let Some(off) = off {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: {off}"));
            return self.take(0, env);
        }
        let sampled = end.before(self.halves(V::hold(V::bits(self.cr1())), env));
        if let Some(microvolts) = self.channels.measure(channel, internal, sampled, env) {
            self.take(microvolts, env);
        }
    }

    /// The conversion under way has sampled `microvolts`.
    fn take(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        let Some(conversion) = self.running.take() else { return };
        let bits = V::bits(self.cr1());
        let value = code(microvolts, env.wires.outside.reference(), bits);
        env.transfer(Transfer::Conversion { channel: conversion.channel, value });
        self.watch(conversion, value, bits, env);
        if conversion.injected {
            self.take_injected(conversion.rank, value, bits, env);
        } else {
            self.take_regular(conversion, value, bits, env);
        }
        self.convert(env);
    }

    /// The analog watchdog, which compares all twelve bits (RM0008, RM0390, "Analog watchdog").
    fn watch(&mut self, conversion: Conversion, value: u16, bits: u8, env: &mut Env<'_, '_>) {
        let cr1 = self.cr1();
        let guarded = cr1 & if conversion.injected { JAWDEN } else { AWDEN } != 0;
        let single = cr1 & AWDSGL != 0 && cr1 & 31 != u32::from(conversion.channel);
        let value = u32::from(value) << (12 - bits);
        if guarded && !single && (value > self.bank.get(HTR) || value < self.bank.get(LTR)) {
            self.flag(AWD, true, env);
        }
    }

    fn take_injected(&mut self, rank: u8, value: u16, bits: u8, env: &mut Env<'_, '_>) {
        let place = 4 * u32::from(rank & 3);
        let value = i32::from(value) - self.bank.get(JOFR1 + place) as i32;
        // Left-aligned the sign is bit 15; of six bits it is bit 7 (RM0008, RM0390, "Data alignment").
        let left = if bits == 6 { 1 } else { 15 - bits };
        let value = if self.cr2() & ALIGN != 0 { value << left } else { value };
        self.bank.set(JDR1 + place, value as u32 & 0xFFFF);
        let last = rank + 1 >= self.ranks(true);
        // An automatic group follows as a whole.
        let by_one = self.cr1() & (JDISCEN | JAUTO) == JDISCEN;
        let group = &mut self.groups[1];
        group.next = if last || !by_one { 0 } else { rank + 1 };
        group.rank = (!last && !by_one).then_some(rank + 1);
        if last {
            self.flag(if V::EOC_INJECTED { JEOC | EOC } else { JEOC }, true, env);
        }
    }

    fn take_regular(&mut self, conversion: Conversion, value: u16, bits: u8, env: &mut Env<'_, '_>) {
        let keeps = V::keeps_unread(self);
        if keeps && self.unread {
            return self.overrun(env);
        }
        let left = if bits == 6 { 2 } else { 16 - bits };
        let value = if self.cr2() & ALIGN != 0 { value << left } else { value };
        self.bank.set(DR, value.into());
        self.unread = keeps;
        let cr1 = self.cr1();
        let last = conversion.rank + 1 >= self.ranks(false);
        let discontinuous = cr1 & DISCEN != 0;
        if last || discontinuous || V::each(self.cr2()) {
            self.flag(EOC, true, env);
        }
        if self.cr2() & DMA != 0 && !self.ended {
            self.dma.drive(true, env);
        }
        V::pass_on(self, value, env);
        let rank = conversion.rank + 1;
        let group = &mut self.groups[0];
        group.taken = group.taken.saturating_add(1);
        group.rank = (!last).then_some(rank);
        if discontinuous {
            // No group of a trigger runs over the end of the sequence (RM0008, RM0390, "Discontinuous mode").
            group.next = if last { 0 } else { rank };
            group.rank = group.rank.filter(|_| u32::from(group.taken) <= cr1 >> 13 & 7);
        } else if last {
            self.sequence_ended(conversion.begin, env);
        }
    }

    /// A result is lost, and no regular conversion goes on before the flag is cleared (RM0390, "Using the DMA", "Managing a
    /// sequence of conversions without using the DMA").
    pub(super) fn overrun(&mut self, env: &mut Env<'_, '_>) {
        self.groups[0] = Group::default();
        self.dma.drive(false, env);
        self.flag(OVR, true, env);
        if self.running.is_some_and(|running| !running.injected) {
            self.convert(env);
        }
    }

    /// The regular sequence has ended: an automatic injected group follows, and the sequence begins anew.
    fn sequence_ended(&mut self, begin: Instant, env: &mut Env<'_, '_>) {
        if self.cr1() & JAUTO != 0 && self.groups[1].rank.is_none() {
            self.groups[1] = Group { rank: Some(0), ..Group::default() };
            self.flag(JSTRT, true, env);
        }
        let repeat = match V::together(self) {
            Together { count: 2, regular: Regular::Turns(Turns::SecondFirst { repeat, .. }), .. } => repeat,
            _ => 0,
        };
        if repeat != 0 {
            let from = begin.after(self.halves(repeat, env));
            self.groups[0] = Group { rank: Some(0), from: Some(from), ..Group::default() };
        } else if self.cr2() & CONT != 0 {
            self.groups[0].rank = Some(0);
        }
    }

    /// DR was read.
    fn data_read(&mut self, env: &mut Env<'_, '_>) {
        self.unread = false;
        self.dma.drive(false, env);
        self.flag(EOC, false, env);
    }

    /// A sequence was written while its group is converted: it begins anew (RM0390, "ADC_SQRx", "Channel selection").
    fn sequence_written(&mut self, injected: bool, env: &mut Env<'_, '_>) {
        let group = &mut self.groups[usize::from(injected)];
        group.next = 0;
        if group.rank.is_some() {
            group.rank = Some(0);
            group.taken = 0;
            if self.running.is_some_and(|running| running.injected == injected) {
                self.convert(env);
            }
        }
    }

    /// A register of an own kind was changed: what the version's clock or group depends on.
    fn recount(&mut self, before: Span, env: &mut Env<'_, '_>) {
        let (now, after) = (env.now(), self.period(env.clocks()));
        for group in &mut self.groups {
            group.from = group.from.map(|from| from.rescaled(now, before, after));
        }
        if let Some(running) = &mut self.running {
            running.begin = if running.begin > now {
                running.begin.rescaled(now, before, after)
            } else {
                now.before(now.since(running.begin).rescaled(before, after))
            };
            running.end = running.end.rescaled(now, before, after);
            env.schedule(CONVERTED, running.end);
        }
        if before != after {
            self.check_clock(env);
        }
    }
}

impl<V: Version> Converter for Adc<V> {
    fn measured(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        self.take(microvolts, env);
    }

    fn told(&mut self, message: Message, env: &mut Env<'_, '_>) {
        match message {
            Message::Common(common) => {
                let before = self.period(env.clocks());
                self.common = common;
                self.recount(before, env);
                V::told(self, message, env);
            }
            Message::Start { injected, delay } => self.begin(injected, false, delay, env),
            _ => V::told(self, message, env),
        }
    }

    fn dma_ended(&mut self, number: u8, env: &mut Env<'_, '_>) {
        if self.dma.is(number) && V::ends_with_dma(self) {
            self.ended = true;
            self.dma.drive(false, env);
        }
    }
}

impl<V: Version> Block<Words> for Adc<V> {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == DR {
            let value = V::data(self);
            self.data_read(env);
            return value;
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == DR { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset == SR {
            // Flags are cleared by writing zeros; all others stay.
            let cleared = self.bank.get(SR) & write.zeros();
            if cleared & OVR != 0 || (cleared & EOC != 0 && self.cr2() & DMA == 0) {
                self.unread = false;
            }
            return self.flag(cleared, false, env);
        }
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR1 => {
                V::configured(self, old, new, env);
                self.drive(env);
            }
            CR2 => {
                V::control(self, old, new, env);
                if new & !old & DMA != 0 {
                    self.ended = false;
                }
                if new & DMA == 0 && old & DMA != 0 {
                    self.dma.drive(false, env);
                }
                self.listen(env);
            }
            SQR1..=SQR3 => self.sequence_written(false, env),
            JSQR => self.sequence_written(true, env),
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            CONVERTED => self.converted(env),
            OWN => V::event(self, env),
            _ => {}
        }
    }

    fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_>) {
        let injected = input == INJECTED_INPUT;
        let heard =
            V::select(self.cr2(), injected).is_some_and(|select| if high { select.rising } else { select.falling });
        if heard {
            self.start(injected, true, env);
        }
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let before = old.period_of(self.clock).times(V::divider(self.common));
        self.recount(before, env);
    }

    fn refine(&mut self, times: u64) {
        self.stable = self.stable.refined(times);
        for group in &mut self.groups {
            group.from = group.from.map(|from| from.refined(times));
        }
        if let Some(running) = &mut self.running {
            (running.begin, running.end) = (running.begin.refined(times), running.end.refined(times));
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.switch_off(env);
        env.cancel(OWN);
        self.own = V::default();
        (self.first, self.partner, self.turn) = (0, 0, 0);
        (self.unread, self.ended) = (false, false);
        self.dma.drive(false, env);
        self.listen(env);
        V::flagged(self, 0, env);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

/// A whole number of the converter's periods from now on.
pub(super) fn later<V: Version>(adc: &Adc<V>, periods: u64, env: &Env<'_, '_>) -> Instant {
    env.now().after(adc.period(env.clocks()).times(periods))
}

/// True if an event of the version is due that was set for `at`.
pub(super) fn is_due(at: Instant, env: &Env<'_, '_>) -> bool {
    env.now() >= at && env.context.now > Cycles::ZERO
}
