//! The groups of a converter: the order of conversions, what they measure, and where results go.

use cyclescope_machine::{GapKind, Transfer};

use super::super::analog::{Internal, Oversampling, code};
use super::registers::*;
use super::{AdcV3, Conversion, Group, data};
use crate::{Env, Instant, Span};

impl AdcV3 {
    /// A group is triggered. A trigger during the group is lost, and so is one that finds AUTDLY waiting for a reader.
    pub(super) fn begin(&mut self, injected: bool, env: &mut Env<'_, '_>) {
        let place = usize::from(injected);
        if self.groups[place].rank.is_some() || (!injected && self.unread) {
            return;
        }
        if injected {
            let Some(context) = self.next_context() else { return };
            self.context = context;
        }
        let from = env.now().after(self.latency(injected, env));
        let group = &mut self.groups[place];
        (group.rank, group.taken, group.from) = (Some(group.next), 0, Some(from));
        if injected || self.running.is_none() {
            self.convert(env);
        }
    }

    /// True if AUTDLY holds a group back.
    fn waits(&self, injected: bool) -> bool {
        self.has(CFGR, AUTDLY) && (self.has(ISR, JEOS) || (!injected && self.unread))
    }

    /// Begins the next conversion, of the injected group first.
    pub(super) fn convert(&mut self, env: &mut Env<'_, '_>) {
        self.positive = None;
        let ready = |injected: &bool| self.groups[usize::from(*injected)].rank.is_some() && !self.waits(*injected);
        let Some(injected) = [true, false].into_iter().find(ready) else { return self.rest(env) };
        if self.period(env.clocks().tree()) == Span::ZERO {
            self.rest(env);
            return self.name_clock(env);
        }
        if injected && self.running.is_some_and(|running| !running.injected) && self.has(CFGR2, ROVSM) {
            // RM0351, RM0440, "Oversampler", resumed mode: the sum begins anew, too.
            (self.groups[0].sum, self.groups[0].added) = (0, 0);
        }
        let group = &mut self.groups[usize::from(injected)];
        let rank = group.rank.unwrap_or(0);
        let begin = group.from.take().unwrap_or(env.now()).max(env.now());
        let channel = self.channel(injected, rank);
        let sampled = begin.after(self.halves(self.sampling(channel), env));
        // A period a bit, and half a one (RM0351, RM0440, "Programmable resolution").
        let end = sampled.after(self.halves(2 * u32::from(self.bits()) + 1, env));
        self.running = Some(Conversion { injected, rank, channel, sampled, end, flagged: false });
        env.schedule(CONVERTED, end);
        self.watch_sampling(env);
    }

    /// Nothing is converted for now.
    pub(super) fn rest(&mut self, env: &mut Env<'_, '_>) {
        self.running = None;
        env.cancel(CONVERTED);
        env.cancel(SAMPLED);
    }

    /// Has the end of sampling come as an event where it interrupts.
    pub(super) fn watch_sampling(&self, env: &mut Env<'_, '_>) {
        let awaited = self.running.filter(|running| !running.flagged && self.has(IER, EOSMP));
        env.schedule(SAMPLED, awaited.map_or(Instant::NEVER, |running| running.sampled));
    }

    /// Sets the flag of the end of sampling, if it has come.
    pub(super) fn flag_sampled(&mut self, env: &mut Env<'_, '_>) {
        let now = env.now();
        if let Some(running) = self.running.as_mut().filter(|running| !running.flagged && now >= running.sampled) {
            running.flagged = true;
            self.flag(EOSMP, true, env);
        }
    }

    /// The voltage inside the part at `channel`, with the bit of CCR that switches it on.
    fn internal(&self, channel: u8) -> Option<(Internal, u32)> {
        let here = |(numbers, place, ..): &&Connection| numbers >> self.number.min(7) & 1 != 0 && *place == channel;
        self.kind.internal.iter().find(here).map(|(_, _, voltage, switch)| (*voltage, *switch))
    }

    pub(super) fn converted(&mut self, env: &mut Env<'_, '_>) {
        let Some(Conversion { channel, sampled, .. }) = self.running.filter(|running| env.now() >= running.end) else {
            return;
        };
        self.flag_sampled(env);
        let internal = self.internal(channel);
        if internal.is_some_and(|(_, switch)| self.common & switch == 0) {
            let name = env.name();
            env.gap(
                GapKind::Setting,
                format_args!("{name}: an internal channel is converted while its switch in CCR is 0, and reads 0 V"),
            );
            return self.take(0, env);
        }
        let internal = internal.map(|(voltage, _)| voltage);
        if let Some(microvolts) = self.channels.measure(channel, internal, sampled, env) {
            self.sample(microvolts, env);
        }
    }

    /// An input of the channel under way has `microvolts`.
    pub(super) fn sample(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        let Some(Conversion { channel, sampled, .. }) = self.running else { return };
        if !self.has(DIFSEL, 1 << channel) {
            return self.take(microvolts, env);
        }
        match self.positive.take() {
            None => {
                self.positive = Some(microvolts);
                if let Some(microvolts) = self.negative.measure(channel, None, sampled, env) {
                    self.sample(microvolts, env);
                }
            }
            // Half of the scale is no difference (RM0351, RM0440, "Single-ended and differential input channels").
            Some(positive) => {
                let reference = i64::from(env.wires.outside.reference());
                self.take(((reference + i64::from(positive) - i64::from(microvolts)) / 2) as i32, env);
            }
        }
    }

    /// The conversion under way has sampled `microvolts`.
    pub(super) fn take(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        let Some(Conversion { injected, rank, channel, .. }) = self.running.take() else { return };
        let (bits, cfgr2) = (self.bits(), self.get(CFGR2));
        let value = code(microvolts, env.wires.outside.reference(), bits);
        env.transfer(Transfer::Conversion { channel, value });
        let oversampling = Oversampling::new(cfgr2, 1 << u32::from(injected));
        let gains = self.kind.later && cfgr2 & GAIN != 0;
        let gain = self.get(GCOMP);
        let gained = |value: u32| if gains { data::gained(value, gain) } else { value };
        let place = usize::from(injected);
        let result = match oversampling {
            None => {
                self.guard(channel, injected, u32::from(value) << (12 - bits), env);
                let offset = (0..4).map(|place| self.get(OFR1 + 4 * place));
                let offset = { offset }.find(|ofr| ofr >> 31 != 0 && ofr >> 26 & 31 == u32::from(channel));
                let left = self.has(CFGR, 1 << self.kind.align);
                data::data(gained(value.into()), bits, offset, self.kind.later, left)
            }
            Some(oversampling) => {
                let group = &mut self.groups[place];
                group.sum = group.sum.wrapping_add(value.into());
                group.added += 1;
                if group.added < oversampling.ratio {
                    if oversampling.by_trigger && !injected {
                        // With TROVS each conversion has a trigger of its own.
                        (group.rank, group.next) = (None, rank);
                        self.end_by_software(false, env);
                    }
                    return self.convert(env);
                }
                let result = oversampling.result(std::mem::take(&mut group.sum));
                group.added = 0;
                // The upper twelve of sixteen bits are compared; neither offset nor alignment counts (RM0351, RM0440,
                // "Oversampler").
                self.guard(channel, injected, u32::from(result >> 4), env);
                gained(result.into()) as u16
            }
        };
        if injected {
            self.take_injected(rank, result, env);
        } else {
            self.take_regular(rank, result, env);
        }
        self.convert(env);
    }

    /// The analog watchdogs, which compare before offsets (RM0351, RM0440, "Analog window watchdog").
    fn guard(&mut self, channel: u8, injected: bool, value: u32, env: &mut Env<'_, '_>) {
        let cfgr = self.get(CFGR);
        let enable = if injected { JAWD1EN } else { AWD1EN };
        if cfgr & enable != 0 && (cfgr & AWD1SGL == 0 || cfgr >> 26 & 31 == u32::from(channel)) {
            let thresholds = self.get(TR1);
            let filter = if self.kind.later { thresholds >> 12 & 7 } else { 0 };
            let out = value < thresholds & 0xFFF || value > thresholds >> 16 & 0xFFF;
            self.outside = if out { self.outside.saturating_add(1) } else { 0 };
            // RM0440, ADC_TR1.AWDFILT: so many more results in a row.
            if self.outside > filter {
                self.flag(AWD1, true, env);
            }
        }
        for number in [1, 2] {
            let channels = self.get(AWD2CR + 4 * (number - 1));
            let thresholds = self.get(TR1 + 4 * number);
            let high = value >> 4;
            if channels >> channel & 1 != 0 && (high < thresholds & 0xFF || high > thresholds >> 16 & 0xFF) {
                self.flag(AWD1 << number, true, env);
            }
        }
    }

    fn take_regular(&mut self, rank: u8, value: u16, env: &mut Env<'_, '_>) {
        let (cfgr, overrun) = (self.get(CFGR), self.has(ISR, EOC));
        if !overrun || cfgr & OVRMOD != 0 {
            self.bank.set(DR, value.into());
        }
        let last = rank + 1 >= self.ranks(false);
        let flags = EOC | if overrun { OVR } else { 0 } | if last { EOS } else { 0 };
        self.flag(flags, true, env);
        self.unread = cfgr & AUTDLY != 0;
        // After an overrun that keeps the old result the DMA is asked for nothing (RM0351, RM0440, "Managing conversions using the
        // DMA").
        if cfgr & DMAEN != 0 && !self.ended && (!self.has(ISR, OVR) || cfgr & OVRMOD != 0) {
            self.dma.drive(true, env);
        }
        let group = &mut self.groups[0];
        group.taken = group.taken.saturating_add(1);
        let pauses = cfgr & DISCEN != 0 && u32::from(group.taken) > cfgr >> 17 & 7;
        (group.rank, group.next) = if last { (None, 0) } else { (Some(rank + 1), rank + 1) };
        if pauses || (last && cfgr & (CONT | DISCEN) != CONT) {
            group.rank = None;
            self.end_by_software(false, env);
        } else if last {
            group.rank = Some(0);
        } else {
            group.next = 0;
        }
        if last && cfgr & JAUTO != 0 && self.groups[1].rank.is_none() {
            self.context = self.next_context().unwrap_or(0);
            self.groups[1] = Group { rank: Some(0), ..Group::default() };
        }
    }

    fn take_injected(&mut self, rank: u8, value: u16, env: &mut Env<'_, '_>) {
        self.bank.set(JDR1 + 4 * u32::from(rank & 3), value.into());
        let last = rank + 1 >= self.ranks(true);
        self.flag(if last { JEOC | JEOS } else { JEOC }, true, env);
        let cfgr = self.get(CFGR);
        // An automatic group follows as a whole.
        let by_one = cfgr & (JDISCEN | JAUTO) == JDISCEN;
        let group = &mut self.groups[1];
        group.next = if last || !by_one { 0 } else { rank + 1 };
        group.rank = (!last && !by_one).then_some(rank + 1);
        if last || by_one {
            self.end_by_software(true, env);
        }
        if last && cfgr & JQDIS == 0 {
            self.queue.finish(cfgr & JQM == 0);
            self.bank.set(JSQR, self.queue.context().unwrap_or(0));
            self.listen(env);
        }
    }

    /// A group that only software starts has ended.
    pub(super) fn end_by_software(&mut self, injected: bool, env: &mut Env<'_, '_>) {
        if self.select(injected).0 == 0 {
            self.bank.flag(CR, ADSTART << u32::from(injected), false);
            self.listen(env);
        }
    }

    /// A result was read, or flags cleared: what waits for that goes on.
    pub(super) fn go_on(&mut self, env: &mut Env<'_, '_>) {
        if self.running.is_none() {
            self.convert(env);
        }
    }

    /// A group is given up.
    pub(super) fn abandon(&mut self, injected: bool, env: &mut Env<'_, '_>) {
        self.groups[usize::from(injected)] = Group::default();
        if injected {
            self.queue.flush(!self.has(CFGR, JQM));
            if !self.has(CFGR, JQDIS) {
                self.bank.set(JSQR, self.queue.context().unwrap_or(0));
            }
        } else {
            self.unread = false;
        }
        if self.running.is_some_and(|running| running.injected == injected) {
            self.rest(env);
            self.convert(env);
        }
    }
}
