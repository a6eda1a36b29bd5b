//! A converter with a regular and an injected group under the registers of STM32L4 and STM32G4 (RM0351, RM0394, RM0432,
//! RM0440, "Analog-to-digital converters (ADC)"), and the registers that several share.
//!
//! A conversion is one event at its end. The flag of the end of sampling is worked out when somebody looks, unless its interrupt
//! is enabled. An injected group interrupts a regular conversion, which begins anew afterwards. Calibration takes its time
//! and finds nothing to correct.

mod common;
mod data;
mod groups;
mod queue;
mod registers;

use cyclescope_machine::{GapKind, TimingRow};

pub use self::common::AdcCommonV3;
use self::queue::Queue;
use self::registers::*;
pub use self::registers::{COMMON, COMMON_G4, MODEL, MODEL_G4, ROWS, ROWS_G4};
use super::analog::{Channels, trigger};
use crate::{
    Bank, Block, Clocks, Converter, DmaRequest, Env, Instance, Instant, Lines, Message, Receiver, Source, Span, Tree,
    Trigger, Words, Write,
};

/// The numbers of triggers of a group.
const SELECTIONS: usize = 32;

/// A conversion under way.
#[derive(Clone, Copy, Debug)]
struct Conversion {
    injected: bool,
    rank: u8,
    channel: u8,
    sampled: Instant,
    end: Instant,
    /// EOSMP was set.
    flagged: bool,
}

/// A group of channels.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// The rank that is converted, or waits; `None` while the group is at rest.
    rank: Option<u8>,
    /// The rank at which the next trigger goes on.
    next: u8,
    /// The conversions since the trigger.
    taken: u8,
    /// When its sampling begins at the earliest.
    from: Option<Instant>,
    /// The results so far that are added up, and their number.
    sum: u32,
    added: u32,
}

/// One converter.
#[derive(Clone, Debug)]
pub struct AdcV3 {
    bank: Bank,
    kind: &'static Kind,
    /// Its number: 1 for ADC1.
    number: u8,
    triggers: [[Option<Trigger>; SELECTIONS]; 2],
    lines: Lines,
    dma: DmaRequest,
    channels: Channels,
    /// The negative inputs of differential channels.
    negative: Channels,
    /// The kernel's clock, and the bus's.
    clock: Source,
    bus: Source,
    /// The common control register, as it was told.
    common: u32,
    groups: [Group; 2],
    running: Option<Conversion>,
    queue: Queue,
    /// The context of the injected group under way.
    context: u32,
    /// The voltage of the positive input of a differential channel, while the negative one is measured.
    positive: Option<i32>,
    /// With AUTDLY, nobody has read the last result.
    unread: bool,
    /// The DMA has done its last transfer.
    ended: bool,
    /// Results in a row outside of the first watchdog's thresholds.
    outside: u32,
    /// When the regulator is up.
    regulator: Instant,
    /// When the events of [`COUNTED`] come.
    due: [Instant; COUNTED.len()],
}

impl AdcV3 {
    /// The converter after reset.
    pub fn new(instance: &'static Instance) -> Self {
        let kind = if instance.map.version == "g4" { &G4 } else { &L4 };
        let known = instance.triggers.iter().any(|(signal, _)| signal.starts_with("ADC_"));
        let select = |group: usize| {
            std::array::from_fn(|number| {
                let input = ["ADC_EXT_TRG", "ADC_JEXT_TRG"][group];
                let common = TRIGGERS[group].get(number).copied();
                if known { trigger(instance, input, number) } else { common }
            })
        };
        let (name, above) = kind.negative;
        Self {
            bank: Bank::new(instance.map, kind.model),
            kind,
            number: instance.name.trim_start_matches("ADC").parse().unwrap_or(1),
            triggers: [select(0), select(1)],
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            dma: DmaRequest::new(instance, instance.name),
            channels: Channels::new(instance),
            negative: Channels::of(instance, name, above),
            clock: instance.clock.source(),
            bus: instance.clock.source(),
            common: 0,
            groups: [Group::default(); 2],
            running: None,
            queue: Queue::default(),
            context: 0,
            positive: None,
            unread: false,
            ended: false,
            outside: 0,
            regulator: Instant::NEVER,
            due: [Instant::NEVER; COUNTED.len()],
        }
    }

    /// Selects the kernel's clock; returns true if it was another.
    pub(crate) fn set_clock(&mut self, clock: Source) -> bool {
        std::mem::replace(&mut self.clock, clock) != clock
    }

    fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    fn has(&self, offset: u32, bits: u32) -> bool {
        self.get(offset) & bits != 0
    }

    fn row(&self, place: usize) -> &'static TimingRow {
        &self.kind.rows[place]
    }

    /// The period of the converter's clock; zero where it does not run.
    fn period(&self, tree: &Tree) -> Span {
        let bus = tree.period_of(self.bus);
        match self.common >> 16 & 3 {
            0 => tree.period_of(self.clock).times(PRESCALERS[(self.common >> 18 & 15).min(11) as usize]),
            1 => bus,
            2 => bus.times(2),
            _ => bus.times(4),
        }
    }

    fn halves(&self, count: u32, env: &Env<'_, '_>) -> Span {
        self.period(env.clocks().tree()).times(count.into()).half()
    }

    /// The time from a trigger to the sampling.
    fn latency(&self, injected: bool, env: &mut Env<'_, '_>) -> Span {
        let eighths = env.cycles(self.row((self.common >> 16 & 3) as usize));
        let more = if injected { env.cycles(self.row(INJECTED)) } else { 0 };
        let period = self.period(env.clocks().tree());
        period.times(eighths).half().half().half().plus(period.times(more))
    }

    /// CFGR.RES.
    fn bits(&self) -> u8 {
        12 - 2 * (self.get(CFGR) >> 3 & 3) as u8
    }

    /// JSQR as the next injected group takes it.
    fn next_context(&self) -> Option<u32> {
        if self.has(CFGR, JQDIS) { Some(self.get(JSQR)) } else { self.queue.context() }
    }

    /// The edges at which a group is triggered, and its trigger; without an edge only software starts it.
    fn select(&self, injected: bool) -> (u32, Option<Trigger>) {
        let (edges, number) = if injected {
            let Some(context) = self.next_context() else { return (0, None) };
            (context >> self.kind.jexten & 3, context >> 2 & ((1 << (self.kind.jexten - 2)) - 1))
        } else {
            let cfgr = self.get(CFGR);
            (cfgr >> 10 & 3, cfgr >> self.kind.extsel & ((1 << (10 - self.kind.extsel)) - 1))
        };
        let selected = self.triggers[usize::from(injected)][number as usize & (SELECTIONS - 1)];
        (edges, selected.filter(|_| edges != 0))
    }

    /// Hears the triggers of the groups that have been started.
    fn listen(&mut self, env: &mut Env<'_, '_>) {
        for injected in [false, true] {
            let (edges, from) = self.select(injected);
            let started = self.has(CR, ADSTART << u32::from(injected));
            env.hear(u8::from(injected), from.filter(|_| started));
            if started && edges != 0 && from.is_none() {
                let name = env.name();
                env.gap(GapKind::Setting, format_args!("{name}: the selected trigger is none of a modelled block's"));
            }
        }
    }

    /// The channel at `rank` of a group.
    fn channel(&self, injected: bool, rank: u8) -> u8 {
        let rank = u32::from(rank);
        let (register, place) = if injected {
            return (self.context >> (self.kind.jsq + 6 * rank.min(3)) & 31) as u8;
        } else {
            (SQR1 + (rank + 1) / 5 * 4, (rank + 1) % 5)
        };
        (self.get(register) >> (6 * place) & 31) as u8
    }

    /// The number of conversions of a group.
    fn ranks(&self, injected: bool) -> u8 {
        1 + if injected { self.context & 3 } else { self.get(SQR1) & 15 } as u8
    }

    fn sampling(&self, channel: u8) -> u32 {
        let channel = u32::from(channel.min(19));
        let smp = self.get(SMPR1 + channel / 10 * 4) >> (3 * (channel % 10)) & 7;
        // RM0440, ADC_SMPR1.SMPPLUS: 3.5 periods instead of 2.5.
        let plus = smp == 0 && self.kind.later && self.has(SMPR1, SMPPLUS);
        SAMPLING[smp as usize] + if plus { 2 } else { 0 }
    }

    /// Sets or clears flags, with what follows from them.
    fn flag(&mut self, flags: u32, high: bool, env: &mut Env<'_, '_>) {
        let before = self.get(ISR);
        self.bank.flag(ISR, flags, high);
        let flags = self.get(ISR);
        if flags != before {
            env.send(Receiver::Common, Message::Status { from: self.number, flags });
        }
        self.drive(env);
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        self.lines.drive(u32::from(self.get(ISR) & self.get(IER) != 0), env);
    }

    /// Has an event of [`COUNTED`] come at `at`.
    fn set_due(&mut self, kind: u16, at: Instant, env: &mut Env<'_, '_>) {
        self.due[usize::from(kind - READY)] = at;
        env.schedule(kind, at);
    }

    /// Has it come after as many periods of the converter's clock as the row says.
    fn count(&mut self, kind: u16, row: usize, env: &mut Env<'_, '_>) {
        let period = self.period(env.clocks().tree());
        if period == Span::ZERO {
            return self.name_clock(env);
        }
        let cycles = env.cycles(self.row(row));
        self.set_due(kind, env.now().after(period.times(cycles)), env);
    }

    fn name_clock(&self, env: &mut Env<'_, '_>) {
        let name = env.name();
        env.gap(GapKind::Setting, format_args!("{name}: its clock does not run, so that it never ends what it begins"));
    }

    fn check(&self, env: &mut Env<'_, '_>) {
        let (period, name, fastest) = (self.period(env.clocks().tree()), env.name(), self.kind.fastest);
        if period != Span::ZERO && period < env.clocks().period(fastest) {
            env.gap(GapKind::Setting, format_args!("{name}: its clock is faster than {fastest}"));
        }
        if env.now() < self.regulator {
            env.gap(GapKind::Setting, format_args!("{name}: used before its regulator is up (tADCVREG_STUP)"));
        }
    }

    /// A write of CR, whose bits software sets and the converter clears, but for three.
    fn control(&mut self, old: u32, write: Write, env: &mut Env<'_, '_>) {
        let (ones, settings) = (write.ones(), ADVREGEN | DEEPPWD | ADCALDIF);
        let mut cr = (write.over(old) & settings) | (old & !settings);
        if cr & DEEPPWD != 0 {
            cr &= !ADVREGEN;
        }
        self.bank.set(CR, cr);
        if cr & !old & ADVREGEN != 0 {
            let microseconds = env.cycles(self.row(REGULATOR));
            self.regulator = env.now().after(env.clocks().microseconds(microseconds));
        }
        if cr & ADVREGEN == 0 {
            return;
        }
        let busy = |bits: u32| self.bank.get(CR) & bits != 0;
        if ones & ADCAL != 0 && !busy(ADCAL | ADEN) {
            self.bank.flag(CR, ADCAL, true);
            self.check(env);
            self.count(CALIBRATED, CALIBRATION, env);
        } else if ones & ADEN != 0 && !busy(ADCAL | ADEN) {
            self.bank.flag(CR, ADEN, true);
            self.check(env);
            self.count(READY, POWER_UP, env);
        } else if ones & ADDIS != 0 && busy(ADEN) && !busy(ADSTART | ADSTART << 1 | ADDIS) {
            self.bank.flag(CR, ADDIS, true);
            self.count(DISABLED, END, env);
        }
        for injected in [false, true] {
            let (start, stop) = (ADSTART << u32::from(injected), ADSTP << u32::from(injected));
            if ones & stop != 0 && self.has(CR, start) && !self.has(CR, stop | ADDIS) {
                self.bank.flag(CR, stop, true);
                self.count(if injected { JSTOPPED } else { STOPPED }, END, env);
            } else if ones & start != 0 && self.has(CR, ADEN) && !self.has(CR, start | ADDIS) {
                self.start(injected, env);
            }
        }
        self.listen(env);
    }

    /// ADSTART or JADSTART was set.
    fn start(&mut self, injected: bool, env: &mut Env<'_, '_>) {
        self.bank.flag(CR, ADSTART << u32::from(injected), true);
        if self.due[0] != Instant::NEVER {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: a conversion begins before ADRDY"));
        }
        if !injected {
            self.ended = false;
        }
        if self.select(injected).0 == 0 {
            self.begin(injected, env);
        }
    }

    /// The converter's clock has changed from a period of `before`.
    fn recount(&mut self, before: Span, env: &mut Env<'_, '_>) {
        let (now, after) = (env.now(), self.period(env.clocks().tree()));
        if before == after {
            return;
        }
        for group in &mut self.groups {
            group.from = group.from.map(|from| from.rescaled(now, before, after));
        }
        if let Some(running) = &mut self.running {
            running.sampled = if running.sampled > now {
                running.sampled.rescaled(now, before, after)
            } else {
                now.before(now.since(running.sampled).rescaled(before, after))
            };
            running.end = running.end.rescaled(now, before, after);
            env.schedule(CONVERTED, running.end);
        }
        self.watch_sampling(env);
        for kind in COUNTED {
            let at = self.due[usize::from(kind - READY)].rescaled(now, before, after);
            self.set_due(kind, at, env);
        }
        if self.has(CR, ADEN | ADCAL) {
            self.check(env);
        }
    }

    /// A write of JSQR: into the queue, if there is one.
    fn enqueue(&mut self, context: u32, env: &mut Env<'_, '_>) {
        if !self.has(CFGR, JQDIS) {
            if !self.queue.push(context) {
                self.flag(JQOVF, true, env);
            }
            self.bank.set(JSQR, self.queue.context().unwrap_or(0));
        }
        self.listen(env);
    }
}

impl Converter for AdcV3 {
    fn measured(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        self.sample(microvolts, env);
    }

    fn told(&mut self, message: Message, env: &mut Env<'_, '_>) {
        if let Message::Common(common) = message {
            let before = self.period(env.clocks().tree());
            self.common = common;
            self.recount(before, env);
        }
    }

    /// RM0351, RM0440, "DMA one shot mode": what is under way is given up, and the DMA is asked for nothing more.
    fn dma_ended(&mut self, number: u8, env: &mut Env<'_, '_>) {
        if self.dma.is(number) && self.get(CFGR) & (DMAEN | DMACFG) == DMAEN {
            self.ended = true;
            self.dma.drive(false, env);
            self.abandon(false, env);
        }
    }
}

impl Block<Words> for AdcV3 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            ISR => self.flag_sampled(env),
            DR => {
                let value = self.get(DR);
                self.dma.drive(false, env);
                self.flag(EOC, false, env);
                self.unread = false;
                self.go_on(env);
                return value;
            }
            _ => {}
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, now: Instant, _: &Clocks) -> Option<Instant> {
        match offset {
            DR => None,
            ISR => {
                let flag = self.running.filter(|running| !running.flagged);
                Some(flag.map_or(Instant::NEVER, |running| running.sampled.max(now)))
            }
            _ => self.bank.still(offset),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            ISR => {
                self.flag_sampled(env);
                self.flag(write.ones(), false, env);
                if write.ones() & EOC != 0 {
                    self.unread = false;
                }
                return self.go_on(env);
            }
            CR => {
                let old = self.get(CR);
                return self.control(old, write, env);
            }
            _ => {}
        }
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            IER => {
                self.watch_sampling(env);
                self.drive(env);
            }
            CFGR => {
                if new & DMAEN == 0 {
                    self.dma.drive(false, env);
                }
                if new & !old & DMAEN != 0 {
                    self.ended = false;
                }
                if (old ^ new) & JQDIS != 0 {
                    self.queue = Queue::default();
                    self.bank.set(JSQR, 0);
                }
                self.listen(env);
                self.go_on(env);
            }
            JSQR => self.enqueue(new, env),
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            CONVERTED => return self.converted(env),
            SAMPLED => return self.flag_sampled(env),
            READY..=JSTOPPED => {}
            _ => return,
        }
        let due = &mut self.due[usize::from(kind - READY)];
        if *due > env.now() {
            return;
        }
        *due = Instant::NEVER;
        match kind {
            READY => self.flag(ADRDY, true, env),
            CALIBRATED => {
                let half = if self.has(CR, ADCALDIF) { 0x7F << 16 } else { 0x7F };
                self.bank.flag(CALFACT, half, false);
                self.bank.flag(CR, ADCAL, false);
            }
            DISABLED => {
                self.bank.flag(CR, ADDIS | ADEN, false);
                self.set_due(READY, Instant::NEVER, env);
                self.abandon(false, env);
                self.abandon(true, env);
            }
            _ => {
                let injected = kind == JSTOPPED;
                self.bank.flag(CR, (ADSTP | ADSTART) << u32::from(injected), false);
                self.abandon(injected, env);
                self.listen(env);
            }
        }
    }

    fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_>) {
        let injected = input != 0;
        let edges = self.select(injected).0 & if high { 1 } else { 2 };
        let (start, stop) = (ADSTART << u32::from(injected), ADSTP << u32::from(injected));
        if edges != 0 && self.get(CR) & (start | stop) == start {
            self.begin(injected, env);
        }
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.recount(self.period(&old), env);
    }

    fn refine(&mut self, times: u64) {
        self.regulator = self.regulator.refined(times);
        self.due = self.due.map(|at| at.refined(times));
        for group in &mut self.groups {
            group.from = group.from.map(|from| from.refined(times));
        }
        if let Some(running) = &mut self.running {
            (running.sampled, running.end) = (running.sampled.refined(times), running.end.refined(times));
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.groups = [Group::default(); 2];
        self.rest(env);
        self.due = [Instant::NEVER; COUNTED.len()];
        COUNTED.into_iter().for_each(|kind| env.cancel(kind));
        (self.queue, self.context, self.positive) = (Queue::default(), 0, None);
        (self.unread, self.ended, self.outside, self.regulator) = (false, false, 0, Instant::NEVER);
        self.dma.drive(false, env);
        self.listen(env);
        self.flag(0, false, env);
        env.send(Receiver::Common, Message::Status { from: self.number, flags: 0 });
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
