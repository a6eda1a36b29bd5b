//! Timers of STM32C0: advanced (TIM1), general-purpose (TIM3), with one channel (TIM14, TIM16, TIM17) (RM0490,
//! "Advanced-control timer", "General-purpose timers"), and their forerunners on STM32F1 and F4, basic, with one, two or
//! four channels, of 16 or 32 bits (RM0008, RM0390, RM0351, the same chapters), which lack later additions. STM32G4's (RM0440) have
//! some registers elsewhere, and additions of which none is modelled.
//!
//! Modelled: prescaler, counter in all directions, preload, one-pulse mode and repetition; all output compare modes,
//! complementary outputs with dead time, idle states, break and commutation; capture with filters and prescalers; the slave
//! modes with all triggers, encoders and external clocks; trigger outputs; DMA requests and bursts. Which of these a timer
//! has follows from its declared registers.
//!
//! Times that manuals do not give: an input passes two flip-flops of the timer's clock, and a trigger acts a period after its
//! edge. With the start of the counter and its first count this makes the five periods that RM0490 has for a pulse after a
//! trigger, and three with OCxFE. A pin is taken over at the edges of the clock. A capture takes the counter's value after the
//! step of the same period. A break input without a filter acts at once.
//!
//! Not modelled: break by comparators, which the parts do not have, or by a lock-up, which ends a run; inputs that are no pins
//! (TISEL, ETRSEL, the option registers of STM32F4).

mod counter;
mod engine;
mod line;
mod master;
mod output;
mod registers;
mod slave;
mod wiring;

use cyclescope_machine::{GapKind, TimingRow};

use self::counter::{Counter, Mode};
use self::engine::{Action, Ticks};
use self::master::{Event, Requests};
use self::output::Outputs;
use self::registers::{
    ARPE, ARR, BDTR, BIF, BIF2, CCER, CCMR1, CCMR2, CCMR3, CCPC, CCR1, CCR4, CCR5, CCR6, CEN, CNT, COMIF, CR1, CR2,
    DIR, DMAR, EGR, MOE, OIS, OPM, OSSI, OSSR, PSC, RCR, SMCR, SR, TIF, UDIS, UIF, UIFREMAP,
};
pub use self::registers::{MODEL_V1, MODEL_V2, MODEL_V3};
use self::slave::{GATED, Inputs};
use crate::{
    AlternateFunction, Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Register, Source, Tree, Trigger,
    Words, Write,
};

/// The times of a timer.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "timer.start",
        "from CEN to the first period of the timer's clock that is counted, in periods of that clock",
        1,
        "RM0490, TIMx prescaler description: CNT_EN is set one clock cycle after CEN",
    ),
    TimingRow::assumed(
        "timer.input",
        "from a pin to the filter of an input, in periods of the timer's clock",
        2,
        "two flip-flops; the manuals name a resynchronization circuit without its length. With the two other rows and the first \
         count it makes the five periods from a trigger to an output of TIMx_CCMR1.OC1FE",
    ),
    TimingRow::assumed(
        "timer.trigger",
        "from an edge of TRGI to its action, and again with MSM, in periods of the timer's clock",
        1,
        "one flip-flop of the slave mode controller; see timer.input",
    ),
];

/// The registers of `instance` with what is modelled of its version; ARR holds `max` after reset.
fn model(instance: &Instance, max: u32) -> Vec<Modelled> {
    let reset = |row: &Modelled| if row.register == "ARR" { max } else { row.reset };
    let rows = match instance.map.version {
        "v3" => MODEL_V3,
        "v2" => MODEL_V2,
        _ => MODEL_V1,
    };
    rows.iter().map(|row| Modelled { reset: reset(row), ..*row }).collect()
}

/// One timer.
#[derive(Clone, Debug)]
pub struct TimerV3 {
    bank: Bank,
    lines: Lines,
    /// True if the registers have the fields of version 3.
    is_v3: bool,
    /// True if some have the offsets of version 2.
    is_moved: bool,
    channels: usize,
    /// Channels with a complementary output.
    pairs: usize,
    /// True if the outputs also need BDTR.MOE.
    has_main_output: bool,
    /// The pins of the timer's signals.
    pins: &'static [AlternateFunction],
    /// ITR0 and the following.
    triggers: &'static [Option<Trigger>],
    /// The one of them that it hears.
    heard_trigger: Option<Trigger>,
    /// The clock it counts.
    clock: Source,
    requests: Requests,
    counter: Counter,
    ticks: Ticks,
    /// The tick up to which everything is carried out.
    at: u64,
    /// Ticks that the prescaler has counted since the last step.
    phase: u64,
    /// The tick from which the counter counts, after CEN.
    start: u64,
    /// The gate of gated mode is open, or there is none.
    gate: bool,
    /// Changes of the slave mode to come, each with its tick; never more than the delays of a few ticks.
    actions: Vec<(u64, Action)>,
    /// CCMR and CCER in force, of which CR2.CCPC holds back OCxM, CCxE and CCxNE.
    active_ccmr: [u32; 3],
    active_ccer: u32,
    /// BDTR has been written, so that LOCK stays.
    lock_written: bool,
    inputs: Inputs,
    outputs: Outputs,
    /// The listeners; see [`TimerV3::find_listeners`].
    heard: u32,
    /// The level of CNT_EN that the trigger outputs show.
    told_enable: bool,
}

impl TimerV3 {
    /// The timer `instance`.
    pub fn new(instance: &'static Instance) -> Self {
        let map = instance.map;
        let channels =
            ["CCR1", "CCR2", "CCR3", "CCR4", "CCR5", "CCR6"].iter().take_while(|name| map.register(name).is_some());
        let complements = ["CCNE1", "CCNE2", "CCNE3"];
        let has = |field: &&&str| {
            map.register("CCER").is_some_and(|ccer| ccer.fields.iter().any(|known| known.name == **field))
        };
        let max = map.register("ARR").map_or(0xFFFF, Register::declared);
        let mut timer = Self {
            bank: Bank::new(map, &model(instance, max)),
            lines: Lines::new(instance, &[("UP", UIF), ("CC", 0x1E), ("COM", COMIF), ("TRG", TIF), ("BRK", BIF)]),
            is_v3: map.version != "v1",
            is_moved: map.version == "v2",
            channels: channels.count(),
            pairs: complements.iter().filter(has).count(),
            has_main_output: map.register("BDTR").is_some(),
            pins: instance.pins,
            triggers: wiring::triggers(map, instance.name),
            heard_trigger: None,
            clock: instance.clock.timer(),
            requests: Requests::new(instance),
            counter: Counter { max, ..Counter::default() },
            ticks: Ticks::default(),
            at: 0,
            phase: 0,
            start: 0,
            gate: true,
            actions: Vec::new(),
            active_ccmr: [0; 3],
            active_ccer: 0,
            lock_written: false,
            inputs: Inputs::default(),
            outputs: Outputs::default(),
            heard: 0,
            told_enable: false,
        };
        timer.counter_after_reset();
        timer
    }

    /// The level that the timer has seen last at its pin `index`; `None` before the first.
    pub fn seen(&self, index: usize) -> Option<bool> {
        self.pins.get(index).and_then(|wired| self.pin_level(wired.signal))
    }

    /// The offset at which this version has `register`.
    fn place(&self, register: u32) -> u32 {
        let moved = registers::MOVED.iter().find(|(known, _)| self.is_moved && *known == register);
        moved.map_or(register, |(_, place)| *place)
    }

    /// The register at `offset`, by its constant; [`u32::MAX`] for one that no other version has.
    fn register(&self, offset: u32) -> u32 {
        if !self.is_moved || offset < registers::DCR {
            return offset;
        }
        let moved = registers::MOVED.iter().find(|(_, place)| *place == offset);
        let known = [registers::AF1, registers::AF2].contains(&offset).then_some(offset);
        moved.map(|(register, _)| *register).or(known).unwrap_or(u32::MAX)
    }

    fn counter_after_reset(&mut self) {
        let max = self.counter.max;
        self.counter = Counter { arr: max, max, ..Counter::default() };
        self.counter.preload.arr = max;
    }

    /// Brings everything up to now, for a read.
    fn refresh(&mut self, env: &mut Env<'_, '_>) {
        let now = self.tick(env);
        if self.run(now, env) {
            self.settle(env);
        }
    }

    /// CEN is set: the counter counts after a while.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        self.counter.running = true;
        self.start = self.at.saturating_add(env.cycles(&ROWS[0]));
    }

    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let encodes = self.encodes();
        let counter = &mut self.counter;
        counter.update_disabled = new & UDIS != 0;
        counter.one_pulse = new & OPM != 0;
        counter.mode = match (new >> 5 & 3, new & DIR != 0) {
            _ if encodes => [Mode::Up, Mode::Down][usize::from(counter.down)],
            (0, false) => Mode::Up,
            (0, true) => Mode::Down,
            (flags, _) => Mode::Centre(flags as u8),
        };
        if let Mode::Up | Mode::Down = counter.mode {
            counter.down = counter.mode == Mode::Down;
        }
        if new & ARPE == 0 {
            counter.arr = counter.preload.arr;
        }
        if new & CEN != 0 && old & CEN == 0 {
            self.align(env);
            self.begin(env);
        }
        self.counter.running &= new & CEN != 0;
        self.master(Event::Enable(self.counts()), env);
    }

    fn generate(&mut self, events: u32, env: &mut Env<'_, '_>) {
        if events & 1 != 0 {
            self.align(env);
            self.initialise(env);
            self.master(Event::Reset, env);
        }
        for channel in (0..self.channels.min(4)).filter(|channel| events & 2 << channel != 0) {
            if self.is_output(channel) {
                self.compared(channel, env);
            } else {
                self.capture(channel, env);
            }
        }
        // Bits of events that the timer does not have are not declared.
        if events & COMIF != 0 {
            self.commutate(env);
        }
        if events & TIF != 0 {
            self.flag_trigger(env);
        }
        for flag in [BIF, BIF2] {
            if events & flag != 0 {
                self.break_off(flag, env);
            }
        }
    }

    /// OCxM, CCxE and CCxNE come into force as written.
    fn activate(&mut self) {
        self.active_ccmr = [CCMR1, CCMR2, CCMR3].map(|register| self.bank.get(self.place(register)));
        self.active_ccer = self.bank.get(CCER);
    }

    /// The same, but for channels with a complement while CCPC holds them back (RM0490, TIMx_CR2.CCPC).
    fn activate_written(&mut self) {
        let held = if self.bank.get(CR2) & CCPC != 0 { self.pairs } else { 0 };
        let before = (self.active_ccmr, self.active_ccer);
        self.activate();
        for channel in 0..held {
            let (modes, enables) = (0x1_0070 << (channel % 2 * 8), 5 << (channel * 4));
            let ccmr = &mut self.active_ccmr[channel / 2];
            *ccmr = (*ccmr & !modes) | (before.0[channel / 2] & modes);
            self.active_ccer = (self.active_ccer & !enables) | (before.1 & enables);
        }
    }

    /// The bits of the register at `offset` that LOCK keeps (RM0490, TIMx_BDTR.LOCK; RM0008 and RM0390, the same).
    fn locked(&self, offset: u32) -> u32 {
        let level = self.bank.get(BDTR) >> 8 & 3;
        let outputs = |bits: u32, step: usize, first: usize, count: usize| {
            let written = (0..count).filter(|channel| self.is_output(first + channel));
            written.fold(0, |mask, channel| mask | bits << (channel * step))
        };
        match self.register(offset) {
            BDTR => {
                let lock = if self.lock_written { 3 << 8 } else { 0 };
                let first = if level >= 1 { 0x03FF_70FF } else { 0 };
                let second = if level >= 2 { OSSI | OSSR } else { 0 };
                lock | first | second
            }
            CR2 if level >= 1 => OIS,
            CCER if level >= 2 => outputs(0xA, 4, 0, self.channels),
            CCMR1 | CCMR2 if level >= 3 => outputs(0x1_0078, 8, if offset == CCMR1 { 0 } else { 2 }, 2),
            CCMR3 if level >= 3 => outputs(0x1_0078, 8, 4, 2),
            registers::AF1 | registers::AF2 if level >= 1 => u32::MAX,
            _ => 0,
        }
    }

    /// A write of BDTR, which held `old`.
    fn switch_main(&mut self, old: u32, env: &mut Env<'_, '_>) {
        self.lock_written = true;
        let new = self.bank.get(BDTR);
        if old & MOE != 0 && new & MOE == 0 {
            self.switch_off(false);
        }
        self.configure(env);
        if new & !old & MOE != 0 && self.is_broken() {
            self.bank.flag(BDTR, MOE, false);
        }
    }

    /// A write of the compare register of `channel`, which held `old`.
    fn write_compare(&mut self, channel: usize, old: u32, new: u32) {
        if channel >= self.channels {
            return;
        }
        if !self.is_output(channel) {
            // A capture channel's register is read-only.
            let offset = if channel < 4 { CCR1 + 4 * channel as u32 } else { CCR5 + 4 * (channel as u32 - 4) };
            self.bank.set(self.place(offset), old);
            return;
        }
        self.counter.preload.ccr[channel] = new & self.counter.max;
        if self.channel_mode(channel) & 8 == 0 {
            self.counter.ccr[channel] = new & self.counter.max;
        }
    }

    /// A write of a register that has been stored already.
    fn written(&mut self, offset: u32, write: Write, (old, new): (u32, u32), env: &mut Env<'_, '_>) {
        match self.register(offset) {
            CR1 => {
                // With both directions, and with an encoder, the direction is the hardware's.
                let fixed = new & 0x60 != 0 || self.encodes();
                let dir = if fixed { old & DIR } else { new & DIR };
                self.bank.set(CR1, (new & !DIR) | dir);
                self.control(old, (new & !DIR) | dir, env);
                self.configure(env);
            }
            CR2 => {
                self.activate_written();
                self.configure(env);
                if (old ^ new) & 0xF0_0070 != 0 {
                    self.tell_levels(env);
                }
            }
            SMCR => {
                if (old ^ new) & 7 != 0 {
                    self.bank.flag(CR1, DIR, self.counts_down());
                    let cr1 = self.bank.get(CR1);
                    self.control(cr1, cr1, env);
                }
                self.configure(env);
                if self.slave_mode() > 8 {
                    env.gap(GapKind::Setting, format_args!("{}_SMCR.SMS={}", env.instance.name, self.slave_mode()));
                }
                self.gate = self.slave_mode() != GATED || self.trigger_input();
                self.master(Event::Enable(self.counts()), env);
            }
            EGR => self.generate(write.ones() & self.declared(EGR), env),
            CNT => self.counter.value = new & self.counter.max,
            PSC => self.counter.preload.psc = new,
            ARR => {
                self.counter.preload.arr = new & self.counter.max;
                if self.bank.get(CR1) & ARPE == 0 {
                    self.counter.arr = new & self.counter.max;
                }
            }
            RCR => self.counter.preload.repetition = new,
            CCR1..=CCR4 => self.write_compare(((offset - CCR1) / 4) as usize, old, new),
            register @ (CCR5 | CCR6) => self.write_compare(4 + ((register - CCR5) / 4) as usize, old, new),
            CCMR1 | CCMR2 | CCMR3 => {
                self.activate_written();
                for channel in 0..self.channels {
                    if self.is_output(channel) && self.channel_mode(channel) & 8 == 0 {
                        self.counter.ccr[channel] = self.counter.preload.ccr[channel];
                    }
                    if self.is_moved && matches!(self.output_mode(channel), 10 | 11) {
                        env.gap(GapKind::Setting, format_args!("{}: pulse on compare", env.instance.name));
                    }
                }
                self.configure(env);
            }
            CCER => {
                self.activate_written();
                self.reset_prescalers();
            }
            BDTR => self.switch_main(old, env),
            registers::AF1 | registers::AF2 => self.connect(env),
            _ => {}
        }
    }

    /// True if the register at `offset` is DMAR.
    fn is_burst(&self, offset: u32) -> bool {
        self.register(offset) == DMAR && self.declared(offset) != 0
    }

    /// The declared bits of the register at `offset`.
    fn declared(&self, offset: u32) -> u32 {
        self.bank.at(offset).map_or(0, |(row, _)| row.declared)
    }
}

impl Block<Words> for TimerV3 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.refresh(env);
        match offset {
            CNT => {
                let copied = self.counter.max == 0xFFFF && self.bank.get(CR1) & UIFREMAP != 0;
                let copy = copied && self.bank.get(SR) & UIF != 0;
                self.counter.value | u32::from(copy) << 31
            }
            CR1 => {
                self.bank.flag(CR1, DIR, self.counts_down());
                self.bank.get(CR1)
            }
            SR => self.bank.get(SR),
            CCR1..=CCR4 => {
                let channel = ((offset - CCR1) / 4) as usize;
                // The captured value is taken with its flag (RM0490, TIMx_SR.CC1IF).
                if channel < self.channels && !self.is_output(channel) && self.bank.get(SR) & Self::flag(channel) != 0 {
                    self.bank.flag(SR, Self::flag(channel), false);
                    self.settle(env);
                }
                self.bank.read(offset, env)
            }
            _ if self.is_burst(offset) => match self.burst(env) {
                Some(offset) => self.read(offset, env),
                None => 0,
            },
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, now: Instant, clocks: &Clocks) -> Option<Instant> {
        let due = self.next_due();
        let next = match offset {
            CNT => self.next_step(),
            // CR1 shows the direction, and that a single pulse is over.
            CR1 | SR => (0..self.channels).map(|channel| self.next_value(channel)).fold(self.next_end(), u64::min),
            _ => return None,
        };
        // What lies behind is passed when somebody looks, which then looks at it tick by tick.
        let passed = self.next_step_after(now, clocks);
        let next =
            if offset == CNT { passed.min(self.instant(due, clocks)) } else { self.instant(next.min(due), clocks) };
        Some(next.max(now))
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.sync(env);
        if offset == SR {
            let kept = self.bank.get(SR) & !write.zeros();
            self.bank.set(SR, kept);
            self.check_breaks(env);
            self.settle(env);
            return;
        }
        if self.is_burst(offset) {
            if let Some(offset) = self.burst(env) {
                self.write(offset, write, env);
            }
            return;
        }
        if offset == CR1 {
            self.bank.flag(CR1, DIR, self.counts_down());
        }
        let write = Write { lanes: write.lanes & !self.locked(offset), ..write };
        let values = self.bank.write(offset, write, env);
        self.written(offset, write, values, env);
        self.settle(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.sync(env);
        self.settle(env);
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let Some(wired) = self.pins.get(index) else { return };
        if !self.listens_at(wired.signal) {
            self.quiet_pin(wired.signal, high, env);
            return;
        }
        self.sync(env);
        self.pin(wired.signal, high, env);
        self.settle(env);
    }

    fn hears(&self, index: usize) -> bool {
        self.pins.get(index).is_some_and(|wired| self.listens_at(wired.signal))
    }

    fn triggered(&mut self, _: u8, high: bool, env: &mut Env<'_, '_>) {
        self.sync(env);
        self.internal_changed(high, env);
        self.settle(env);
    }

    fn heard(&mut self, env: &mut Env<'_, '_>) {
        self.sync(env);
        self.find_listeners(env);
        self.tell_levels(env);
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.counter_after_reset();
        self.ticks = Ticks::from(env.now());
        (self.at, self.phase, self.start, self.gate, self.told_enable) = (0, 0, 0, true, false);
        self.actions.clear();
        self.requests.reset();
        self.activate();
        self.lock_written = false;
        self.inputs = self.inputs.after_reset();
        self.reset_outputs();
        self.configure(env);
        self.settle(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.sync(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.rescale(old.period_of(self.clock), env);
        self.settle(env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        self.shown(signal)
    }

    fn refine(&mut self, times: u64) {
        self.refine_ticks(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
