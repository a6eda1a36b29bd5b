//! The converter of STM32C0 and STM32G0, and its common registers (RM0490, RM0444, "Analog-to-digital converter (ADC)").
//!
//! A conversion is one event at its end. The flag of the end of sampling is worked out when somebody looks, unless
//! its interrupt is enabled. Calibration takes its time and finds nothing to correct.

mod common;
mod registers;
mod sequence;

use cyclescope_machine::{GapKind, TimingRow, Transfer};

pub use self::common::AdcCommonC0;
use self::registers::*;
pub use self::registers::{COMMON, MODEL, MODEL_G0, ROWS, ROWS_G0};
use self::sequence::Sequence;
use super::analog::{Channels, Oversampling, code, trigger};
use crate::{
    Bank, Block, Clocks, Converter, DmaRequest, Env, Instance, Instant, Lines, Message, Source, Span, Tree, Trigger,
    Words, Write,
};

/// A conversion under way.
#[derive(Clone, Copy, Debug)]
struct Conversion {
    channel: u8,
    sampled: Instant,
    end: Instant,
    /// EOSMP was set.
    flagged: bool,
}

/// The converter.
#[derive(Clone, Debug)]
pub struct AdcC0 {
    bank: Bank,
    kind: &'static Kind,
    /// The triggers by number.
    triggers: [Option<Trigger>; 8],
    lines: Lines,
    dma: DmaRequest,
    channels: Channels,
    /// The kernel's clock, and the bus's.
    clock: Source,
    bus: Source,
    /// The common control register, as it was told.
    common: u32,
    running: Option<Conversion>,
    /// The place in the sequence of the next conversion.
    rank: usize,
    /// The results so far that are added up.
    sum: u32,
    taken: u32,
    /// The next conversion waits until the result is read.
    waits: bool,
    /// AUTOFF has switched the converter off.
    asleep: bool,
    /// The DMA has done its last transfer.
    ended: bool,
    /// When the regulator is up.
    regulator: Instant,
    /// When the events of [`COUNTED`] come.
    due: [Instant; COUNTED.len()],
}

impl AdcC0 {
    /// The converter after reset.
    pub fn new(instance: &'static Instance) -> Self {
        let kind = if instance.map.version == "g0" { &G0 } else { &C0 };
        let mut triggers = kind.triggers;
        for (number, place) in triggers.iter_mut().enumerate() {
            *place = trigger(instance, "ADC_EXT_TRG", number).or(*place);
        }
        Self {
            bank: Bank::new(instance.map, kind.model),
            kind,
            triggers,
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            dma: DmaRequest::new(instance, "ADC1"),
            channels: Channels::new(instance),
            clock: Source::Sysclk,
            bus: instance.clock.source(),
            common: 0,
            running: None,
            rank: 0,
            sum: 0,
            taken: 0,
            waits: false,
            asleep: false,
            ended: false,
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

    /// The period of the converter's clock; zero where it does not run.
    fn period(&self, tree: &Tree) -> Span {
        let pclk = tree.period_of(self.bus);
        match self.get(CFGR2) >> 30 {
            0 => tree.period_of(self.clock).times(PRESCALERS[(self.common >> 18 & 15).min(11) as usize]),
            1 => pclk.times(2),
            2 => pclk.times(4),
            _ => pclk,
        }
    }

    fn halves(&self, count: u32, env: &Env<'_, '_>) -> Span {
        self.period(env.clocks().tree()).times(count.into()).half()
    }

    /// The latency of a trigger.
    fn latency(&self, env: &mut Env<'_, '_>) -> Span {
        let mode = (self.get(CFGR2) >> 30) as usize;
        let halves = env.cycles(&self.kind.rows[mode]);
        let period = if mode == 0 { self.period(env.clocks().tree()) } else { env.clocks().period_of(self.bus) };
        period.times(halves).half()
    }

    /// CFGR1.RES.
    fn bits(&self) -> u8 {
        12 - 2 * (self.get(CFGR1) >> 3 & 3) as u8
    }

    fn sequence(&self) -> Sequence {
        let cfgr1 = self.get(CFGR1);
        Sequence::new(self.get(CHSELR), cfgr1 & CHSELRMOD != 0, cfgr1 & SCANDIR != 0)
    }

    /// True if only software starts conversions.
    fn by_software(&self) -> bool {
        self.get(CFGR1) >> 10 & 3 == 0
    }

    fn flag(&mut self, flags: u32, high: bool, env: &mut Env<'_, '_>) {
        self.bank.flag(ISR, flags, high);
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

    /// Has it come after as many periods of the converter's clock as `row` says.
    fn count(&mut self, kind: u16, row: &'static TimingRow, env: &mut Env<'_, '_>) {
        let period = self.period(env.clocks().tree());
        if period == Span::ZERO {
            return self.name_clock(env);
        }
        let cycles = env.cycles(row);
        self.set_due(kind, env.now().after(period.times(cycles)), env);
    }

    fn name_clock(&self, env: &mut Env<'_, '_>) {
        let name = env.name();
        env.gap(GapKind::Setting, format_args!("{name}: its clock does not run, so that it never ends what it begins"));
    }

    fn check(&self, env: &mut Env<'_, '_>) {
        let (period, name) = (self.period(env.clocks().tree()), env.name());
        let fastest = self.kind.fastest;
        if period != Span::ZERO && period < env.clocks().period(fastest) {
            env.gap(GapKind::Setting, format_args!("{name}: its clock is faster than {fastest}"));
        }
        if env.now() < self.regulator {
            env.gap(GapKind::Setting, format_args!("{name}: used before its regulator is up (tADCVREG_SETUP)"));
        }
    }

    /// Nothing is converted any more.
    fn abandon(&mut self, env: &mut Env<'_, '_>) {
        (self.running, self.rank, self.waits) = (None, 0, false);
        (self.sum, self.taken) = (0, 0);
        env.cancel(CONVERTED);
        env.cancel(SAMPLED);
    }

    /// A write of CR, whose bits software sets and the converter clears, but for ADVREGEN.
    fn control(&mut self, old: u32, write: Write, env: &mut Env<'_, '_>) {
        let ones = write.ones();
        let cr = (write.over(old) & ADVREGEN) | (old & !ADVREGEN);
        self.bank.set(CR, cr);
        if cr & !old & ADVREGEN != 0 {
            let microseconds = env.cycles(&self.kind.rows[5]);
            self.regulator = env.now().after(env.clocks().microseconds(microseconds));
        }
        if cr & ADVREGEN == 0 {
            return;
        }
        let busy = |bits: u32| self.bank.get(CR) & bits != 0;
        if ones & ADCAL != 0 && !busy(ADCAL | ADEN) {
            self.bank.flag(CR, ADCAL, true);
            self.check(env);
            self.count(CALIBRATED, &self.kind.rows[4], env);
        } else if ones & ADEN != 0 && !busy(ADCAL | ADEN) {
            self.bank.flag(CR, ADEN, true);
            self.asleep = false;
            self.check(env);
            self.count(READY, &self.kind.rows[6], env);
        } else if ones & ADDIS != 0 && busy(ADEN) && !busy(ADSTART | ADDIS) {
            self.bank.flag(CR, ADDIS, true);
            self.count(DISABLED, &self.kind.rows[7], env);
        } else if ones & ADSTP != 0 && busy(ADSTART) && !busy(ADSTP | ADDIS) {
            self.bank.flag(CR, ADSTP, true);
            self.count(STOPPED, &self.kind.rows[7], env);
        } else if ones & ADSTART != 0 && busy(ADEN) && !busy(ADSTART | ADDIS) {
            self.bank.flag(CR, ADSTART, true);
            self.ended = false;
            if self.due[0] != Instant::NEVER {
                let name = env.name();
                env.gap(GapKind::Setting, format_args!("{name}: a conversion begins before ADRDY"));
            }
            if self.by_software() {
                self.begin(true, env);
            }
        }
        self.listen(env);
    }

    fn listen(&self, env: &mut Env<'_, '_>) {
        let selected = self.triggers[(self.get(CFGR1) >> 6 & 7) as usize];
        env.hear(0, selected.filter(|_| self.get(CR) & ADSTART != 0 && !self.by_software()));
    }

    /// The next conversion or sequence begins after its latency; a `trigger` readies the converter anew where LFTRIG asks for it
    /// (RM0490, "Low frequency trigger mode").
    fn begin(&mut self, trigger: bool, env: &mut Env<'_, '_>) {
        if self.running.is_some() || self.waits {
            return;
        }
        let latency = self.latency(env);
        // Off between conversions, the converter starts anew each time (RM0490, "Auto-off mode").
        let on = if std::mem::take(&mut self.asleep) { env.cycles(&self.kind.rows[6]) } else { 0 };
        let rearm = if trigger && self.get(CFGR2) & LFTRIG != 0 { env.cycles(&self.kind.rows[9]) } else { 0 };
        let on = self.period(env.clocks().tree()).times(on + rearm);
        self.convert(env.now().after(on).after(latency), env);
    }

    fn convert(&mut self, begin: Instant, env: &mut Env<'_, '_>) {
        if self.period(env.clocks().tree()) == Span::ZERO {
            return self.name_clock(env);
        }
        let Some(channel) = self.sequence().at(self.rank) else {
            let name = env.name();
            return env.gap(GapKind::Setting, format_args!("{name}: a conversion begins, but no channel is selected"));
        };
        let smpr = self.get(SMPR);
        let second = smpr >> (8 + channel.min(23)) & 1 != 0;
        let sampling = SAMPLING[(smpr >> if second { 4 } else { 0 } & 7) as usize];
        let sampled = begin.after(self.halves(sampling, env));
        // A period a bit, and half a one (RM0490, "Programmable resolution").
        let end = sampled.after(self.halves(2 * u32::from(self.bits()) + 1, env));
        self.running = Some(Conversion { channel, sampled, end, flagged: false });
        env.schedule(CONVERTED, end);
        self.watch_sampling(env);
    }

    /// Has the end of sampling come as an event where it interrupts.
    fn watch_sampling(&self, env: &mut Env<'_, '_>) {
        let awaited = self.running.filter(|running| !running.flagged && self.get(IER) & EOSMP != 0);
        env.schedule(SAMPLED, awaited.map_or(Instant::NEVER, |running| running.sampled));
    }

    /// Sets the flag of the end of sampling, if it has come.
    fn flag_sampled(&mut self, env: &mut Env<'_, '_>) {
        let now = env.now();
        if let Some(running) = self.running.as_mut().filter(|running| !running.flagged && now >= running.sampled) {
            running.flagged = true;
            self.flag(EOSMP, true, env);
        }
    }

    fn converted(&mut self, env: &mut Env<'_, '_>) {
        let Some(Conversion { channel, sampled, .. }) = self.running.filter(|running| env.now() >= running.end) else {
            return;
        };
        self.flag_sampled(env);
        let internal = self.kind.internal.iter().find(|(place, ..)| *place == channel);
        if internal.is_some_and(|(.., switch)| self.common & switch != *switch) {
            let name = env.name();
            env.gap(
                GapKind::Setting,
                format_args!("{name}: an internal channel is converted while its switch in CCR is 0, and reads 0 V"),
            );
            return self.take(0, env);
        }
        let internal = internal.map(|(_, voltage, _)| *voltage);
        if let Some(microvolts) = self.channels.measure(channel, internal, sampled, env) {
            self.take(microvolts, env);
        }
    }

    fn take(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        let Some(Conversion { channel, .. }) = self.running.take() else { return };
        let bits = self.bits();
        let value = code(microvolts, env.wires.outside.reference(), bits);
        env.transfer(Transfer::Conversion { channel, value });
        let oversampling = Oversampling::new(self.get(CFGR2), 1);
        let Some(oversampling) = oversampling else {
            self.guard(channel, u32::from(value) << (12 - bits), env);
            // Left-aligned six bits stay in the low byte (RM0490, "Data alignment").
            let left = if bits == 6 { 2 } else { 16 - bits };
            return self.result(if self.get(CFGR1) & ALIGN != 0 { value << left } else { value }, env);
        };
        self.sum = self.sum.wrapping_add(u32::from(value));
        self.taken += 1;
        if self.taken < oversampling.ratio {
            // With TOVS each conversion has a trigger of its own.
            if oversampling.by_trigger {
                self.rest(env);
            } else {
                self.convert(env.now(), env);
            }
            return;
        }
        let result = oversampling.result(self.sum);
        (self.sum, self.taken) = (0, 0);
        // The upper twelve of sixteen bits are compared (RM0490, "Analog watchdog", with oversampling).
        self.guard(channel, u32::from(result >> 4), env);
        self.result(result, env);
    }

    /// The analog watchdogs.
    fn guard(&mut self, channel: u8, value: u32, env: &mut Env<'_, '_>) {
        let cfgr1 = self.get(CFGR1);
        let first = cfgr1 & AWD1EN != 0 && (cfgr1 & AWD1SGL == 0 || cfgr1 >> 26 & 31 == u32::from(channel));
        let others = [AWD2CR, AWD3CR].map(|at| self.get(at) >> channel & 1 != 0);
        let watchdogs = [(first, AWD1TR), (others[0], AWD2TR), (others[1], AWD3TR)];
        for (number, (guards, thresholds)) in watchdogs.into_iter().enumerate() {
            let thresholds = self.get(thresholds);
            if guards && (value < thresholds & 0xFFF || value > thresholds >> 16 & 0xFFF) {
                self.flag(AWD1 << number, true, env);
            }
        }
    }

    /// A result is there.
    fn result(&mut self, value: u16, env: &mut Env<'_, '_>) {
        let (cfgr1, overrun) = (self.get(CFGR1), self.get(ISR) & EOC != 0);
        if !overrun || cfgr1 & OVRMOD != 0 {
            self.bank.set(DR, value.into());
        }
        self.flag(if overrun { EOC | OVR } else { EOC }, true, env);
        // After an overrun that keeps the old result the DMA is asked for nothing (RM0490, "Managing converted data using the DMA").
        let blocked = self.get(ISR) & OVR != 0 && cfgr1 & OVRMOD == 0;
        if cfgr1 & DMAEN != 0 && !self.ended && !blocked {
            self.dma.drive(true, env);
        }
        let last = self.rank + 1 >= self.sequence().len();
        self.rank = if last { 0 } else { self.rank + 1 };
        if last {
            self.flag(EOS, true, env);
        }
        if cfgr1 & DISCEN != 0 || (last && cfgr1 & CONT == 0) {
            if self.by_software() {
                self.bank.flag(CR, ADSTART, false);
            }
            self.rest(env);
        } else if cfgr1 & WAIT != 0 {
            self.waits = true;
            self.rest(env);
        } else {
            self.convert(env.now(), env);
        }
    }

    /// No conversion follows at once.
    fn rest(&mut self, env: &mut Env<'_, '_>) {
        self.asleep = self.get(CFGR1) & AUTOFF != 0;
        env.cancel(CONVERTED);
        env.cancel(SAMPLED);
    }

    /// The result was read, or its flag cleared: what waits for that goes on.
    fn go_on(&mut self, env: &mut Env<'_, '_>) {
        if std::mem::take(&mut self.waits) && self.get(CR) & ADSTART != 0 {
            self.begin(false, env);
        }
    }

    /// The channels have changed.
    fn reconfigured(&mut self, env: &mut Env<'_, '_>) {
        self.rank = 0;
        let periods = env.cycles(&self.kind.rows[8]);
        let at = env.now().after(env.clocks().period_of(self.bus).times(periods));
        self.set_due(CONFIGURED, at, env);
    }

    /// The common control register holds `common` now.
    fn switched(&mut self, common: u32, env: &mut Env<'_, '_>) {
        let before = self.period(env.clocks().tree());
        self.common = common;
        self.recount(before, env);
    }

    /// The converter's clock has changed from a period of `before`.
    fn recount(&mut self, before: Span, env: &mut Env<'_, '_>) {
        let (now, after) = (env.now(), self.period(env.clocks().tree()));
        if before == after {
            return;
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
        if self.get(CR) & (ADEN | ADCAL) != 0 {
            self.check(env);
        }
    }
}

impl Converter for AdcC0 {
    fn measured(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        self.take(microvolts, env);
    }

    fn told(&mut self, message: Message, env: &mut Env<'_, '_>) {
        if let Message::Common(common) = message {
            self.switched(common, env);
        }
    }

    /// RM0490, "DMA one shot mode": what is under way is given up, and the DMA is asked for nothing more.
    fn dma_ended(&mut self, number: u8, env: &mut Env<'_, '_>) {
        let cfgr1 = self.get(CFGR1);
        if self.dma.is(number) && cfgr1 & DMAEN != 0 && cfgr1 & DMACFG == 0 {
            self.ended = true;
            self.dma.drive(false, env);
            self.abandon(env);
        }
    }
}

impl Block<Words> for AdcC0 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            ISR => self.flag_sampled(env),
            DR => {
                let value = self.get(DR);
                self.dma.drive(false, env);
                self.flag(EOC, false, env);
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
                    self.go_on(env);
                }
                return;
            }
            CR => {
                let old = self.get(CR);
                return self.control(old, write, env);
            }
            _ => {}
        }
        if offset == CHSELR && self.get(CFGR1) & CHSELRMOD != 0 {
            // The other view of the register, eight places of four bits (RM0490, ADC_CHSELR, alternate).
            self.bank.set(CHSELR, write.over(self.get(CHSELR)));
            return self.reconfigured(env);
        }
        let before = self.period(env.clocks().tree());
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            IER => {
                self.watch_sampling(env);
                self.drive(env);
            }
            CFGR1 => {
                if (old ^ new) & (CHSELRMOD | SCANDIR) != 0 {
                    self.reconfigured(env);
                }
                if new & DMAEN == 0 {
                    self.dma.drive(false, env);
                }
                if new & !old & DMAEN != 0 {
                    self.ended = false;
                }
                self.listen(env);
            }
            CFGR2 => self.recount(before, env),
            CHSELR => self.reconfigured(env),
            CCR_G0 => self.switched(new, env),
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            CONVERTED => return self.converted(env),
            SAMPLED => return self.flag_sampled(env),
            READY..=CONFIGURED => {}
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
                self.bank.flag(CR, ADCAL, false);
                self.bank.set(CALFACT, 0);
                self.flag(EOCAL, true, env);
            }
            DISABLED => {
                self.bank.flag(CR, ADDIS | ADEN, false);
                self.abandon(env);
            }
            STOPPED => {
                self.bank.flag(CR, ADSTP | ADSTART, false);
                self.abandon(env);
                self.listen(env);
            }
            _ => self.flag(CCRDY, true, env),
        }
    }

    fn triggered(&mut self, _: u8, high: bool, env: &mut Env<'_, '_>) {
        let edges = self.get(CFGR1) >> 10 & if high { 1 } else { 2 };
        if edges != 0 && self.get(CR) & (ADSTART | ADSTP) == ADSTART {
            self.begin(true, env);
        }
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.recount(self.period(&old), env);
    }

    fn refine(&mut self, times: u64) {
        self.regulator = self.regulator.refined(times);
        self.due = self.due.map(|at| at.refined(times));
        if let Some(running) = &mut self.running {
            (running.sampled, running.end) = (running.sampled.refined(times), running.end.refined(times));
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        if self.bank.at(CCR_G0).is_some() {
            self.common = 0;
        }
        self.abandon(env);
        self.due = [Instant::NEVER; COUNTED.len()];
        COUNTED.into_iter().for_each(|kind| env.cancel(kind));
        (self.asleep, self.ended, self.regulator) = (false, false, Instant::NEVER);
        self.dma.drive(false, env);
        self.listen(env);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
