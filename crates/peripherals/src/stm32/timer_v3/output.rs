//! Output compare: references, their combinations, and what reaches the pins through dead time, idle states and break
//! (RM0490, "Output compare mode" to "Using the break function", TIMx_CCMR1.OC1M, "Output control bits for complementary OCx
//! and OCxN channels with break feature"; RM0008 and RM0390, the same).

use super::TimerV3;
use super::counter::{CHANNELS, Mode, Passed};
use super::registers::{AOE, BDTR, CCER, CCMR1, CCMR2, CCMR3, CCR5, CR1, CR2, MOE, OSSI, OSSR};
use crate::{Effect, Env};

/// The signals of the channels.
pub(super) const NAMES: [&str; 4] = ["CH1", "CH2", "CH3", "CH4"];
/// Those of their complements.
const COMPLEMENTS: [&str; 3] = ["CH1N", "CH2N", "CH3N"];
/// The outputs that have a complement, at most.
const PAIRS: usize = COMPLEMENTS.len();

// Values of OCxM.
const ACTIVE_ON_MATCH: u32 = 1;
const INACTIVE_ON_MATCH: u32 = 2;
const TOGGLE: u32 = 3;
const FORCED_INACTIVE: u32 = 4;
const FORCED_ACTIVE: u32 = 5;
const PWM_1: u32 = 6;
const PWM_2: u32 = 7;
const RETRIGGERABLE_1: u32 = 8;
const RETRIGGERABLE_2: u32 = 9;
const COMBINED_1: u32 = 12;
const COMBINED_2: u32 = 13;
const ASYMMETRIC_1: u32 = 14;
const ASYMMETRIC_2: u32 = 15;

/// The state of the outputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// OCxREF of each channel as its own mode makes it.
    own: [bool; CHANNELS],
    /// OCxREF as others see it: combined, and cleared by OCREF_CLR.
    pub reference: [bool; CHANNELS],
    /// Channels that OCREF_CLR keeps low up to the next update event, one bit each.
    cleared: u32,
    /// Channels that a trigger has set to their compare level (OCxFE), up to the next match or update event.
    fast: u32,
    /// Channels in a retriggerable mode whose pulse is under way.
    triggered: u32,
    /// The tick of the last change of each reference with a complement.
    since: [Option<u64>; PAIRS],
    /// The tick at which MOE fell.
    off_since: Option<u64>,
    /// The second break input made MOE fall: no idle states.
    by_second: bool,
    /// The levels shown, of each channel and its complement.
    shown: [[Option<bool>; 2]; 4],
}

/// Dead time in periods of tDTS (RM0490, TIMx_BDTR.DTG).
const fn dead_time(dtg: u32) -> u64 {
    let dtg = dtg as u64 & 0xFF;
    match dtg >> 5 {
        0..=3 => dtg,
        4 | 5 => (64 + (dtg & 0x3F)) * 2,
        6 => (32 + (dtg & 0x1F)) * 8,
        _ => (32 + (dtg & 0x1F)) * 16,
    }
}

impl TimerV3 {
    /// The byte of CCMR that belongs to `channel`: CCxS, OCxFE, OCxPE, OCxM, OCxCE.
    pub(super) fn channel_mode(&self, channel: usize) -> u32 {
        let register = [CCMR1, CCMR2, CCMR3][channel / 2];
        self.bank.get(self.place(register)) >> (channel % 2 * 8) & 0xFF
    }

    pub(super) fn is_output(&self, channel: usize) -> bool {
        channel < self.channels && self.channel_mode(channel) & 3 == 0
    }

    /// OCxM in force, which CR2.CCPC may hold back.
    pub(super) fn output_mode(&self, channel: usize) -> u32 {
        let ccmr = self.active_ccmr[channel / 2] >> (channel % 2 * 8);
        ccmr >> 4 & 7 | if self.is_v3 { ccmr >> 13 & 8 } else { 0 }
    }

    /// CCxE, CCxP, CCxNE and CCxNP of `channel`, as written.
    pub(super) fn ccer(&self, channel: usize) -> u32 {
        self.bank.get(CCER) >> (channel * 4) & 0xF
    }

    /// Periods of the timer's clock in tDTS.
    pub(super) fn dts(&self) -> u64 {
        [1, 2, 4, 4][(self.bank.get(CR1) >> 8 & 3) as usize]
    }

    /// The dead time in periods of the timer's clock.
    pub(super) fn dead_ticks(&self) -> u64 {
        dead_time(self.bank.get(BDTR)) * self.dts()
    }

    /// True if CCxE or CCxNE is in force for an output.
    fn is_enabled(&self, channel: usize) -> bool {
        self.is_output(channel) && self.active_ccer >> (channel * 4) & 5 != 0
    }

    /// True if references are to be computed edge by edge: they reach pins or other blocks.
    pub(super) fn is_live(&self) -> bool {
        let main = !self.has_main_output || self.bank.get(BDTR) & (MOE | AOE) != 0;
        self.heard != 0 || (main && (0..4).any(|channel| self.is_enabled(channel)))
    }

    /// The channels whose references change with the counter, one bit each; 0 if none does.
    pub(super) fn dynamic(&self) -> u32 {
        (0..self.channels).filter(|channel| self.is_output(*channel)).fold(0, |bits, channel| {
            let fixed = matches!(self.output_mode(channel), 0 | FORCED_INACTIVE | FORCED_ACTIVE);
            bits | u32::from(!fixed) << channel
        })
    }

    /// Takes what the counter has passed into the references that remember.
    pub(super) fn meet(&mut self, passed: Passed) {
        for channel in (0..self.channels).filter(|channel| passed.matches & 1 << channel != 0) {
            if !self.is_output(channel) {
                continue;
            }
            match self.output_mode(channel) {
                ACTIVE_ON_MATCH => self.outputs.own[channel] = true,
                INACTIVE_ON_MATCH => self.outputs.own[channel] = false,
                TOGGLE => self.outputs.own[channel] ^= passed.odd & 1 << channel != 0,
                _ => {}
            }
        }
        self.outputs.fast &= !passed.matches;
        self.clear_references();
    }

    /// An update event ends what lasts up to it.
    pub(super) fn end_pulses(&mut self) {
        self.outputs.cleared = 0;
        self.outputs.fast = 0;
        self.outputs.triggered = 0;
        self.clear_references();
    }

    /// A trigger event reaches the outputs (RM0490, TIMx_CCMR1.OC1FE, "Retriggerable one pulse mode").
    pub(super) fn trigger_outputs(&mut self) {
        for channel in 0..self.channels {
            let fast = self.channel_mode(channel) & 7 == 4 && matches!(self.output_mode(channel), PWM_1 | PWM_2);
            self.outputs.fast |= u32::from(fast) << channel;
        }
        self.outputs.triggered = u32::MAX;
    }

    /// While OCREF_CLR is high, references of channels with OCxCE are low up to the next update event.
    fn clear_references(&mut self) {
        if !self.inputs.etr_line.level {
            return;
        }
        for channel in 0..self.channels {
            if self.channel_mode(channel) & 0x80 != 0 && self.is_output(channel) {
                self.outputs.cleared |= 1 << channel;
                self.outputs.own[channel] &= self.output_mode(channel) > TOGGLE;
            }
        }
    }

    /// OCxREF of `channel` by its own mode.
    fn own_reference(&self, channel: usize) -> bool {
        let (value, ccr, bit) = (self.counter.value, self.counter.ccr[channel], 1 << channel);
        let down = self.counter.down;
        // RM0490, TIMx_CCMR1.OC1M: PWM mode 1 is active below CCR on the way up, up to CCR on the way down.
        let below = if down { value <= ccr } else { value < ccr };
        let triggered = self.outputs.triggered & bit != 0;
        match self.output_mode(channel) {
            FORCED_INACTIVE => false,
            FORCED_ACTIVE => true,
            mode @ (PWM_1 | PWM_2) if self.outputs.fast & bit != 0 => (mode == PWM_2) != down,
            PWM_1 | COMBINED_1 | ASYMMETRIC_1 => below,
            PWM_2 | COMBINED_2 | ASYMMETRIC_2 => !below,
            RETRIGGERABLE_1 => {
                if triggered {
                    below
                } else {
                    !down
                }
            }
            RETRIGGERABLE_2 if down => below || !triggered,
            RETRIGGERABLE_2 => !below && triggered,
            _ => self.outputs.own[channel],
        }
    }

    /// Works out all references at the tick reached.
    pub(super) fn refer(&mut self, env: &mut Env<'_, '_>) {
        self.clear_references();
        for channel in 0..self.channels {
            self.outputs.own[channel] = self.own_reference(channel);
        }
        let own = self.outputs.own;
        let group = self.bank.get(self.place(CCR5));
        for channel in 0..self.channels {
            let other = own[channel ^ 1];
            let mode = self.output_mode(channel);
            let mut reference = match mode {
                COMBINED_1 => own[channel] || other,
                COMBINED_2 => own[channel] && other,
                ASYMMETRIC_1 | ASYMMETRIC_2 if self.counter.down => other,
                _ => own[channel],
            };
            // RM0490, TIMx_CCR5: GC5C1 to GC5C3.
            reference &= channel >= PAIRS || group >> (29 + channel) & 1 == 0 || own[4];
            let forced = matches!(mode, FORCED_INACTIVE | FORCED_ACTIVE);
            reference &= forced || self.outputs.cleared & 1 << channel == 0;
            reference &= self.is_output(channel);
            if reference != self.outputs.reference[channel] {
                self.outputs.reference[channel] = reference;
                if channel < PAIRS {
                    self.outputs.since[channel] = Some(self.at);
                }
                self.tell_reference(channel, reference, env);
            }
        }
    }

    /// The tick after the one reached at which a dead time ends; `u64::MAX` if none does.
    pub(super) fn next_dead_end(&self) -> u64 {
        let bdtr = self.bank.get(BDTR);
        let dead = self.dead_ticks();
        if dead == 0 {
            return u64::MAX;
        }
        let after = |since: Option<u64>| since.map(|since| since.saturating_add(dead)).filter(|at| *at > self.at);
        if bdtr & MOE == 0 {
            let idles = bdtr & OSSI != 0 && !self.outputs.by_second;
            return after(self.outputs.off_since).filter(|_| idles).unwrap_or(u64::MAX);
        }
        let both = |channel: &usize| self.is_output(*channel) && self.active_ccer >> (channel * 4) & 5 == 5;
        let ends = (0..self.pairs).filter(both).filter_map(|channel| after(self.outputs.since[channel]));
        ends.min().unwrap_or(u64::MAX)
    }

    /// MOE has fallen, by the second break input if `by_second`.
    pub(super) fn switch_off(&mut self, by_second: bool) {
        self.bank.flag(BDTR, MOE, false);
        self.outputs.off_since = Some(self.at);
        self.outputs.by_second = by_second;
    }

    /// True if less than `ticks` have passed since the tick `since`.
    fn is_within(&self, since: Option<u64>, ticks: u64) -> bool {
        since.is_some_and(|since| self.at - since < ticks)
    }

    /// The level of `channel`, or of its complement, at the tick reached; `None` if the timer does not drive it.
    fn level(&self, channel: usize, complement: bool) -> Option<bool> {
        if !self.is_output(channel) {
            return None;
        }
        let enables = self.active_ccer >> (channel * 4);
        let (main, second) = (enables & 1 != 0, enables & 4 != 0 && channel < self.pairs);
        let polarities = self.ccer(channel);
        let inverted = [polarities & 2 != 0, polarities & 8 != 0];
        let own = usize::from(complement);
        let (reference, enabled) = (self.outputs.reference[channel], [main, second][own]);
        if !self.has_main_output {
            return (enabled && !complement).then_some(reference != inverted[0]);
        }
        let bdtr = self.bank.get(BDTR);
        let paired = channel < self.pairs;
        if !(main || second) {
            return None;
        }
        if bdtr & MOE == 0 {
            let dead = if paired { self.dead_ticks() } else { 0 };
            let states = self.bank.get(CR2) >> (8 + 2 * channel) & 3;
            let idle = [states & 1 != 0, states & 2 != 0];
            let both_active = paired && idle[0] != inverted[0] && idle[1] != inverted[1];
            let idles = !self.outputs.by_second && !self.is_within(self.outputs.off_since, dead) && !both_active;
            return (bdtr & OSSI != 0).then_some(if idles { idle[own] } else { inverted[own] });
        }
        if main && second {
            let quiet = self.is_within(self.outputs.since[channel], self.dead_ticks());
            return Some((reference != complement && !quiet) != inverted[own]);
        }
        if enabled {
            return Some(reference != inverted[own]);
        }
        (paired && bdtr & OSSR != 0).then_some(inverted[own])
    }

    /// Shows the levels of all outputs at the tick reached.
    pub(super) fn show(&mut self, env: &mut Env<'_, '_>) {
        for channel in 0..self.channels.min(4) {
            for complement in [false, true] {
                if complement && channel >= self.pairs {
                    continue;
                }
                let level = self.level(channel, complement);
                let shown = &mut self.outputs.shown[channel][usize::from(complement)];
                if *shown != level {
                    *shown = level;
                    let signal = if complement { COMPLEMENTS[channel] } else { NAMES[channel] };
                    env.effect(Effect::Output { signal, level });
                }
            }
        }
    }

    /// The level shown of `signal`.
    pub(super) fn shown(&self, signal: &str) -> Option<bool> {
        let place = |names: &[&str]| names.iter().position(|name| *name == signal);
        match (place(&NAMES), place(&COMPLEMENTS)) {
            (Some(channel), _) => self.outputs.shown[channel][0],
            (_, Some(channel)) => self.outputs.shown[channel][1],
            _ => None,
        }
    }

    /// After a reset nothing is driven; what was shown is remembered, so that [`Self::show`] takes it back.
    pub(super) fn reset_outputs(&mut self) {
        self.outputs = Outputs { shown: self.outputs.shown, ..Outputs::default() };
    }

    /// Tells if the counter counts down, or would.
    pub(super) fn counts_down(&self) -> bool {
        matches!(self.counter.mode, Mode::Centre(_)) && self.counter.down || self.counter.mode == Mode::Down
    }
}

#[cfg(test)]
mod tests {
    use super::dead_time;

    #[test]
    fn dead_times_have_four_ranges_without_gaps() {
        assert_eq!(
            [0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xDF, 0xE0, 0xFF].map(dead_time),
            [0, 127, 128, 254, 256, 504, 512, 1008]
        );
    }
}
