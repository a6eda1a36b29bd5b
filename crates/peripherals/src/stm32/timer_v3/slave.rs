//! Inputs of a timer: capture, triggers and the slave mode controller, encoders, external clocks, break (RM0490, "Input capture
//! mode", "Timers and external trigger synchronization", "Encoder interface mode", "Using the break function"; RM0008 and
//! RM0390, the same).

use super::engine::Action;
use super::line::{Divider, Filter, Line};
use super::master::Event;
use super::registers::{
    AF1, AF2, BDTR, BIF, BIF2, BKE, BKE2, BKP, BKP2, CCDE1, CCPC, CCR1, CCUS, CEN, COMDE, COMIF, CR1, CR2, DIER, ECE,
    ETP, MOE, MSM, SMCR, SR, TDE, TI1S, TIF,
};
use super::{ROWS, TimerV3};
use crate::Env;

// Values of SMS.
const ENCODER_1: u32 = 1;
const ENCODER_2: u32 = 2;
const ENCODER_3: u32 = 3;
const RESET: u32 = 4;
pub(super) const GATED: u32 = 5;
const TRIGGER: u32 = 6;
const EXTERNAL_CLOCK: u32 = 7;
const RESET_AND_TRIGGER: u32 = 8;

// Values of TS from ITR3 on.
const TI1F_ED: u32 = 4;
const TI1FP1: u32 = 5;
const TI2FP2: u32 = 6;
const ETRF: u32 = 7;

/// CCxS: captures on TRC.
const ON_TRC: u32 = 3;

/// The inputs of a timer.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    /// The levels of CH1 to CH4.
    pins: [bool; 4],
    etr: bool,
    divider: Divider,
    /// TI1 to TI4.
    lines: [Line; 4],
    /// ETR behind its prescaler.
    pub etr_line: Line,
    /// The levels of BKIN and BKIN2, where a pin is known.
    breaks: [Option<bool>; 2],
    /// High where the break inputs are active.
    break_lines: [Line; 2],
    /// The level of the internal trigger.
    internal: bool,
    /// Events of each channel since its last capture (ICxPSC).
    events: [u32; 4],
}

impl Inputs {
    /// The inputs after a reset: pins keep their levels.
    pub(super) fn after_reset(&self) -> Self {
        Self { pins: self.pins, etr: self.etr, breaks: self.breaks, ..Self::default() }
    }
}

/// Puts `level` before the flip-flops of `line` at the tick `now`, if it is another one.
fn take(line: &mut Line, level: bool, now: u64, stages: u64) {
    if line.raw != level {
        line.catch_up(now);
        line.set(level, now, stages);
    }
}

impl TimerV3 {
    /// The pin of the signal `signal` has the level `high` now.
    pub(super) fn pin(&mut self, signal: &str, high: bool, env: &mut Env<'_, '_>) {
        self.set_pin(signal, high);
        self.connect(env);
    }

    /// The same of a pin at which nobody listens, such as that of an output: only its way to the filter is noted.
    pub(super) fn quiet_pin(&mut self, signal: &str, high: bool, env: &Env<'_, '_>) {
        self.set_pin(signal, high);
        let now = self.tick(env).max(self.at);
        self.take_levels(now);
    }

    fn set_pin(&mut self, signal: &str, high: bool) {
        match signal {
            "ETR" => self.inputs.etr = high,
            "BKIN" => self.inputs.breaks[0] = Some(high),
            "BKIN2" => self.inputs.breaks[1] = Some(high),
            _ => {
                if let Some(channel) = super::output::NAMES.iter().position(|name| *name == signal) {
                    self.inputs.pins[channel] = high;
                }
            }
        }
    }

    /// True if edges of TI1 to TI4, of ETR and of each break input behind its filter do anything.
    fn uses(&self) -> [bool; 4] {
        let captures = |channel| self.channel_mode(channel) & 3 != 0 && self.ccer(channel) & 1 != 0;
        let commutes = self.bank.get(CR2) & (CCPC | CCUS) == CCPC | CCUS;
        let inputs = self.slave_mode() != 0 || commutes || (0..self.channels.min(4)).any(captures);
        let clears = |channel| self.is_output(channel) && self.channel_mode(channel) & 0x80 != 0;
        let etr = self.bank.get(SMCR) & ECE != 0 || self.trigger_source() == ETRF || (0..self.channels).any(clears);
        let bdtr = self.bank.get(BDTR);
        let breaks = [(BKE, 16), (BKE2, 20)].map(|(enable, low)| bdtr & enable != 0 && bdtr >> low & 15 != 0);
        [inputs, etr, breaks[0], breaks[1]]
    }

    /// The tick at which an input that does anything has something to do; `u64::MAX` if none has.
    pub(super) fn next_input(&self) -> u64 {
        let [inputs, etr, first, second] = self.uses();
        let etr = [(&self.inputs.etr_line, etr)];
        let breaks = self.inputs.break_lines.iter().zip([first, second]);
        let lines = self.inputs.lines.iter().map(|line| (line, inputs)).chain(etr).chain(breaks);
        lines.filter(|(_, used)| *used).map(|(line, _)| line.next()).min().unwrap_or(u64::MAX)
    }

    /// The level of the pin of `signal`, as far as the timer knows it.
    pub(super) fn pin_level(&self, signal: &str) -> Option<bool> {
        match signal {
            "ETR" => Some(self.inputs.etr),
            "BKIN" => self.inputs.breaks[0],
            "BKIN2" => self.inputs.breaks[1],
            _ => super::output::NAMES.iter().position(|name| *name == signal).map(|channel| self.inputs.pins[channel]),
        }
    }

    /// Takes the pins' levels to the inputs, as registers say.
    pub(super) fn connect(&mut self, env: &mut Env<'_, '_>) {
        self.take_levels(self.at);
        self.check_breaks(env);
    }

    /// The same at the tick `now`, without what follows at once.
    fn take_levels(&mut self, now: u64) {
        let stages = u64::from(ROWS[1].cycles);
        let smcr = self.bank.get(SMCR);
        let pins = self.inputs.pins;
        let first = if self.bank.get(CR2) & TI1S != 0 { pins[0] ^ pins[1] ^ pins[2] } else { pins[0] };
        for (channel, level) in [first, pins[1], pins[2], pins[3]].into_iter().enumerate() {
            take(&mut self.inputs.lines[channel], level, now, stages);
        }
        let etr = self.inputs.divider.pass(self.inputs.etr != (smcr & ETP != 0), smcr >> 12 & 3);
        take(&mut self.inputs.etr_line, etr, now, stages);
        for which in 0..2 {
            let active = self.is_break_pin_active(which);
            take(&mut self.inputs.break_lines[which], active, now, stages);
        }
    }

    /// Takes filters from their registers, and listens to the internal trigger that they select.
    pub(super) fn configure(&mut self, env: &mut Env<'_, '_>) {
        let dts = self.dts();
        for channel in 0..4 {
            // While the channel is an output, the field is another one.
            let mode = self.channel_mode(channel);
            let field = if mode & 3 != 0 && channel < self.channels { mode >> 4 } else { 0 };
            self.inputs.lines[channel].set_filter(Filter::new(field, dts));
        }
        let (smcr, bdtr) = (self.bank.get(SMCR), self.bank.get(BDTR));
        self.inputs.etr_line.set_filter(Filter::new(smcr >> 8, dts));
        for which in 0..2 {
            self.inputs.break_lines[which].set_filter(Filter::new(bdtr >> (16 + 4 * which), dts));
        }
        let source = self.internal_trigger().and_then(|number| self.triggers.get(number).copied().flatten());
        // A timer is not its own trigger.
        let source = source.filter(|(timer, _)| *timer != env.instance.name);
        let on_trc = (0..self.channels.min(4)).any(|channel| self.channel_mode(channel) & 3 == ON_TRC);
        let used = self.slave_mode() != 0 || on_trc || self.bank.get(CR2) & (CCPC | CCUS) == CCPC | CCUS;
        let wanted = source.filter(|_| used);
        if wanted != self.heard_trigger {
            (self.heard_trigger, self.inputs.internal) = (wanted, false);
            env.hear(0, wanted);
        }
        self.connect(env);
    }

    /// TS, with its upper bits where the version has them.
    fn trigger_source(&self) -> u32 {
        let smcr = self.bank.get(SMCR);
        smcr >> 4 & 7 | if self.is_v3 { smcr >> 17 & 0x18 } else { 0 }
    }

    /// The number of the internal trigger that TS selects: ITR0 to ITR3, and from the code 8 on those above.
    fn internal_trigger(&self) -> Option<usize> {
        match self.trigger_source() {
            code @ 0..=3 => Some(code as usize),
            code @ 8.. => Some(code as usize - 4),
            _ => None,
        }
    }

    /// TIxFPx: the filtered input of `channel` with its polarity.
    fn polarised(&self, channel: usize) -> bool {
        self.inputs.lines[channel].level != (self.ccer(channel) & 2 != 0)
    }

    /// True if a new level of an input is an edge that `channel` is sensitive to: CCxNP and CCxP 00 rising, 01 falling, 11 both
    /// (RM0490, TIMx_CCER).
    fn is_active(&self, channel: usize, level: bool) -> bool {
        match self.ccer(channel) >> 1 & 5 {
            5 => true,
            bits => level != (bits & 1 != 0),
        }
    }

    /// The level of TRGI, as gated mode sees it.
    pub(super) fn trigger_input(&self) -> bool {
        match self.trigger_source() {
            0..=3 | 8.. => self.inputs.internal,
            TI1FP1 => self.polarised(0),
            TI2FP2 => self.polarised(1),
            ETRF => self.inputs.etr_line.level,
            _ => false,
        }
    }

    /// Takes the inputs to the tick reached; true if anything happened.
    pub(super) fn arrive(&mut self, env: &mut Env<'_, '_>) -> bool {
        let [inputs, etr, first, second] = self.uses();
        let mut any = false;
        for channel in 0..4 {
            if !inputs {
                self.inputs.lines[channel].catch_up(self.at);
            } else if self.inputs.lines[channel].advance(self.at) {
                any = true;
                self.input_changed(channel, env);
            }
        }
        if !etr {
            self.inputs.etr_line.catch_up(self.at);
        } else if self.inputs.etr_line.advance(self.at) {
            any = true;
            self.etr_changed(env);
        }
        for (which, used) in [first, second].into_iter().enumerate() {
            if !used {
                self.inputs.break_lines[which].catch_up(self.at);
            } else if self.inputs.break_lines[which].advance(self.at) {
                any = true;
                self.check_breaks(env);
            }
        }
        if any {
            env.wires.note(&ROWS[1]);
        }
        any
    }

    /// TIxF of `input` has a new level.
    fn input_changed(&mut self, input: usize, env: &mut Env<'_, '_>) {
        let level = self.inputs.lines[input].level;
        for channel in 0..self.channels.min(4) {
            let captures = match self.channel_mode(channel) & 3 {
                1 => input == channel && self.is_active(channel, level),
                2 => input == channel ^ 1 && self.is_active(channel, level),
                _ => false,
            };
            if captures {
                self.capture_event(channel, env);
            }
        }
        match self.slave_mode() {
            ENCODER_1 if input == 0 => self.turn(input),
            ENCODER_2 if input == 1 => self.turn(input),
            ENCODER_3 if input < 2 => self.turn(input),
            _ => {}
        }
        match (self.trigger_source(), input) {
            (TI1F_ED, 0) => {
                self.capture_trc(env);
                self.trigger(true, None);
            }
            (TI1FP1, 0) | (TI2FP2, 1) => self.trigger(self.is_active(input, level), Some(self.polarised(input))),
            _ => {}
        }
    }

    /// An edge of the encoder's signal `input` (RM0490, "Counting direction versus encoder signals").
    fn turn(&mut self, input: usize) {
        let equal = self.polarised(0) == self.polarised(1);
        // An edge of TI1 that makes the signals equal counts down; one of TI2 counts up.
        self.plan(self.at + 1, Action::Count(Some(equal == (input == 0))));
    }

    fn etr_changed(&mut self, env: &mut Env<'_, '_>) {
        let level = self.inputs.etr_line.level;
        if level && self.bank.get(SMCR) & ECE != 0 {
            self.plan(self.at + u64::from(ROWS[2].cycles), Action::Count(None));
        }
        if self.trigger_source() == ETRF {
            self.trigger(level, Some(level));
        }
        env.wires.note(&ROWS[2]);
    }

    /// The internal trigger has a new level.
    pub(super) fn internal_changed(&mut self, high: bool, env: &mut Env<'_, '_>) {
        self.inputs.internal = high;
        if high {
            self.capture_trc(env);
        }
        self.trigger(high, Some(high));
    }

    /// TRGI rises, or (with a `level`) falls.
    fn trigger(&mut self, rises: bool, level: Option<bool>) {
        let (smcr, mode) = (self.bank.get(SMCR), self.slave_mode());
        let delay = u64::from(ROWS[2].cycles);
        let synchronised = smcr & MSM != 0;
        let at = self.at + delay + if synchronised { delay } else { 0 };
        if rises && self.bank.get(CR2) & (CCPC | CCUS) == CCPC | CCUS {
            self.plan(self.at + delay, Action::Commutate);
        }
        let enables = match (mode, level) {
            (GATED, Some(level)) => {
                self.plan(at, Action::Gate(level));
                Some(level && self.counter.running)
            }
            (GATED, None) => None,
            _ => {
                if rises && mode != 0 {
                    self.plan(at, Action::Trigger);
                }
                (rises && matches!(mode, TRIGGER | RESET_AND_TRIGGER)).then_some(true)
            }
        };
        // RM0490, TIMx_CR2.MMS, "Enable": TRGO is delayed unless the master/slave mode is selected.
        if let Some(enable) = enables {
            let at = if synchronised { self.at + delay } else { at + delay };
            self.plan(at, Action::Show(Event::Enable(enable)));
        }
    }

    /// Carries out `action`.
    pub(super) fn carry_out(&mut self, action: Action, env: &mut Env<'_, '_>) {
        env.wires.note(&ROWS[2]);
        match action {
            Action::Trigger => self.triggered(env),
            Action::Gate(open) => {
                if self.slave_mode() == GATED {
                    self.gate = open;
                    self.flag_trigger(env);
                }
            }
            Action::Count(direction) => self.count(direction, env),
            Action::Commutate => self.commutate(env),
            Action::Show(event) => self.master(event, env),
        }
    }

    fn triggered(&mut self, env: &mut Env<'_, '_>) {
        let mode = self.slave_mode();
        if matches!(mode, RESET | RESET_AND_TRIGGER) {
            self.initialise(env);
            // RM0490, TIMx_CR2.MMS, "Reset": the signal on TRGO is delayed compared to the actual reset.
            self.plan(self.at + 1, Action::Show(Event::Reset));
        }
        if matches!(mode, TRIGGER | RESET_AND_TRIGGER) && self.bank.get(CR1) & CEN == 0 {
            self.bank.flag(CR1, CEN, true);
            self.begin(env);
        }
        if mode == EXTERNAL_CLOCK && self.bank.get(SMCR) & ECE == 0 {
            self.count(None, env);
        }
        if mode != 0 {
            self.trigger_outputs();
            self.flag_trigger(env);
        }
    }

    /// TIF, and the request that goes with it.
    pub(super) fn flag_trigger(&mut self, env: &mut Env<'_, '_>) {
        self.bank.flag(SR, TIF, true);
        if self.bank.get(DIER) & TDE != 0 {
            self.request(self.requests.trigger, env);
        }
    }

    /// A commutation event: what CCPC has held back comes into force.
    pub(super) fn commutate(&mut self, env: &mut Env<'_, '_>) {
        self.activate();
        self.bank.flag(SR, COMIF, true);
        if self.bank.get(DIER) & COMDE != 0 {
            self.request(self.requests.commutation, env);
        }
    }

    /// TRC rises: an internal trigger, or an edge of TI1F.
    fn capture_trc(&mut self, env: &mut Env<'_, '_>) {
        for channel in 0..self.channels.min(4) {
            if self.channel_mode(channel) & 3 == ON_TRC {
                self.capture_event(channel, env);
            }
        }
    }

    /// An event that `channel` captures at, or counts (ICxPSC).
    fn capture_event(&mut self, channel: usize, env: &mut Env<'_, '_>) {
        if self.ccer(channel) & 1 == 0 {
            self.inputs.events[channel] = 0;
            return;
        }
        self.inputs.events[channel] += 1;
        if self.inputs.events[channel] >= 1 << (self.channel_mode(channel) >> 2 & 3) {
            self.inputs.events[channel] = 0;
            self.capture(channel, env);
        }
    }

    /// CCxE is zero: the prescaler of the channel begins anew (RM0490, TIMx_CCMR1.IC1PSC).
    pub(super) fn reset_prescalers(&mut self) {
        for channel in 0..4 {
            if self.ccer(channel) & 1 == 0 {
                self.inputs.events[channel] = 0;
            }
        }
    }

    /// `channel` takes the counter's value.
    pub(super) fn capture(&mut self, channel: usize, env: &mut Env<'_, '_>) {
        let flag = Self::flag(channel);
        if self.bank.get(SR) & flag != 0 {
            self.bank.flag(SR, flag << 8, true);
        }
        let value = self.counter.value;
        self.bank.set(CCR1 + 4 * channel as u32, value);
        (self.counter.ccr[channel], self.counter.preload.ccr[channel]) = (value, value);
        self.bank.flag(SR, flag, true);
        if channel == 0 {
            self.master(Event::Compare, env);
        }
        if self.bank.get(DIER) & CCDE1 << channel != 0 {
            self.request(self.requests.compare[channel], env);
        }
    }

    /// True if the pin of a break input, enabled or not, is at its active level.
    fn is_break_pin_active(&self, which: usize) -> bool {
        let bdtr = self.bank.get(BDTR);
        let Some(high) = self.inputs.breaks[which] else { return false };
        let active_high = bdtr & [BKP, BKP2][which] != 0;
        if !self.is_v3 {
            return high == active_high;
        }
        // RM0490, TIMx_AF1.BKINE and BKINP: the pin is connected, and inverted.
        let connection = self.bank.get([AF1, AF2][which]);
        connection & 1 != 0 && (high != (connection >> 9 & 1 != 0)) == active_high
    }

    /// True if a break input is enabled and active. One without a filter acts at once (RM0490, TIMx_BDTR.BKF).
    fn is_active_break(&self, which: usize) -> bool {
        let bdtr = self.bank.get(BDTR);
        let line = &self.inputs.break_lines[which];
        let filtered = self.is_v3 && bdtr >> (16 + 4 * which) & 15 != 0;
        let enabled = bdtr & [BKE, BKE2][which] != 0 && (which == 0 || self.is_v3);
        enabled && if filtered { line.level } else { line.raw }
    }

    /// True if a break input keeps MOE low.
    pub(super) fn is_broken(&self) -> bool {
        self.has_main_output && (self.is_active_break(0) || self.is_active_break(1))
    }

    /// Break inputs that are active set their flags and clear MOE.
    pub(super) fn check_breaks(&mut self, env: &mut Env<'_, '_>) {
        if !self.has_main_output {
            return;
        }
        let active = [self.is_active_break(0), self.is_active_break(1)];
        for (which, flag) in [BIF, BIF2].into_iter().enumerate() {
            if active[which] {
                self.break_off(flag, env);
            }
        }
    }

    /// A break sets `flag` and clears MOE.
    pub(super) fn break_off(&mut self, flag: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(SR, flag, true);
        if self.bank.get(BDTR) & MOE != 0 {
            self.switch_off(flag == BIF2);
            self.show(env);
        }
    }

    /// True if an edge at the pin of `signal` would do anything now.
    pub(super) fn listens_at(&self, signal: &str) -> bool {
        let bdtr = self.bank.get(BDTR);
        match signal {
            "BKIN" => bdtr & BKE != 0,
            "BKIN2" => bdtr & BKE2 != 0,
            "ETR" => self.uses()[1],
            _ => self.uses()[0],
        }
    }
}
