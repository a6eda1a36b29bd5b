//! Timers of STM32C0: advanced (TIM1), general-purpose (TIM3), with one channel (TIM14, TIM16, TIM17) (RM0490,
//! "Advanced-control timer", "General-purpose timers"), and their forerunners on STM32F1 and F4, basic, with one, two or
//! four channels, of 16 or 32 bits (RM0008, RM0390, the same chapters), which lack only later additions.
//!
//! Modelled: prescaler, counter in all directions, preload of PSC, ARR, CCR and RCR, one-pulse mode, update and
//! compare events with interrupts and DMA requests, compare outputs in the modes frozen, active, inactive, toggle,
//! forced and PWM 1 and 2, and capture from a channel's own or its neighbour's pin. Declared only: master and slave
//! modes, break and dead time, complementary outputs, filters, ETR, the other PWM modes, channels 5 and 6.

mod counter;

use cyclescope_machine::{GapKind, TimingRow};

use self::counter::{Counter, Mode, Passed};
use crate::bank::{all, some};
use crate::{
    Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Register, Source, Span, Tree, Words, Write,
};

const CR1: u32 = 0x00;
const DIER: u32 = 0x0C;
const SR: u32 = 0x10;
const EGR: u32 = 0x14;
const CCMR1: u32 = 0x18;
const CCMR2: u32 = 0x1C;
const CCER: u32 = 0x20;
const CNT: u32 = 0x24;
const PSC: u32 = 0x28;
const ARR: u32 = 0x2C;
const RCR: u32 = 0x30;
const CCR1: u32 = 0x34;
const CCR4: u32 = 0x40;
const BDTR: u32 = 0x44;

const CEN: u32 = 1 << 0;
const UDIS: u32 = 1 << 1;
const URS: u32 = 1 << 2;
const OPM: u32 = 1 << 3;
const DIR: u32 = 1 << 4;
const ARPE: u32 = 1 << 7;
const UIFREMAP: u32 = 1 << 11;
const UIF: u32 = 1 << 0;
const UDE: u32 = 1 << 8;
const MOE: u32 = 1 << 15;

/// The modelled registers and fields, with the values after reset (RM0490, "TIM1 register map" and the maps of the other timers).
pub const MODEL: &[Modelled] = &[
    some("CR1", 0, &["CEN", "UDIS", "URS", "OPM", "DIR", "CMS", "ARPE", "UIFREMAP"]),
    some("DIER", 0, &["UIE", "CCIE1", "CCIE2", "CCIE3", "CCIE4", "UDE", "CCDE1", "CCDE2", "CCDE3", "CCDE4"]),
    all("SR", 0),
    some("EGR", 0, &["UG", "CCG1", "CCG2", "CCG3", "CCG4"]),
    some("CCMR1", 0, &["CCS1", "CCS2", "OCPE1", "OCPE2", "OCM1", "OCM2"]),
    some("CCMR2", 0, &["CCS3", "CCS4", "OCPE3", "OCPE4", "OCM3", "OCM4"]),
    some(
        "CCER",
        0,
        &["CCE1", "CCE2", "CCE3", "CCE4", "CCP1", "CCP2", "CCP3", "CCP4", "CCNP1", "CCNP2", "CCNP3", "CCNP4"],
    ),
    all("CNT", 0),
    all("PSC", 0),
    all("ARR", 0xFFFF),
    all("RCR", 0),
    all("CCR1", 0).and(&["CCR2", "CCR3", "CCR4"]),
    some("BDTR", 0, &["MOE"]),
    some("AF1", 1, &[]).and(&["AF2"]),
];

/// The time that the counter takes to start.
pub const ROWS: &[TimingRow] = &[TimingRow::documented(
    "timer.start",
    "from CEN to the first period of the timer's clock that is counted, in periods of that clock",
    1,
    "RM0490, TIMx prescaler description: CNT_EN is set one clock cycle after CEN",
)];

/// [`MODEL`] for a counter up to `max`, which is what ARR holds after reset.
fn model(max: u32) -> Vec<Modelled> {
    let reset = |row: &Modelled| if row.register == "ARR" { max } else { row.reset };
    MODEL.iter().map(|row| Modelled { reset: reset(row), ..*row }).collect()
}

const NAMES: [&str; 4] = ["CH1", "CH2", "CH3", "CH4"];

/// One timer.
#[derive(Clone, Debug)]
pub struct TimerV3 {
    bank: Bank,
    lines: Lines,
    channels: usize,
    /// `true` if the outputs also need BDTR.MOE.
    has_main_output: bool,
    /// The clock it counts.
    clock: Source,
    update_request: Option<u8>,
    compare_requests: [Option<u8>; 4],
    counter: Counter,
    /// When the counter had its value, with `phase` periods of the clock in the prescaler.
    anchor: Instant,
    phase: u64,
    /// OCxREF of each channel.
    reference: [bool; 4],
    outputs: [Option<bool>; 4],
}

impl TimerV3 {
    /// The timer `instance`.
    pub fn new(instance: &Instance) -> Self {
        let channels = NAMES.iter().enumerate().filter(|(index, _)| {
            let name = ["CCR1", "CCR2", "CCR3", "CCR4"][*index];
            instance.map.register(name).is_some()
        });
        let max = instance.map.register("ARR").map_or(0xFFFF, Register::declared);
        let mut timer = Self {
            bank: Bank::new(instance.map, &model(max)),
            lines: Lines::new(instance, &[("UP", UIF), ("CC", 0x1E), ("COM", 0x20), ("TRG", 0x40), ("BRK", 0x80)]),
            channels: channels.count(),
            has_main_output: instance.map.register("BDTR").is_some(),
            clock: instance.clock.timer(),
            update_request: instance.request("UP"),
            compare_requests: NAMES.map(|name| instance.request(name)),
            counter: Counter { max, ..Counter::default() },
            anchor: Instant::NEVER,
            phase: 0,
            reference: [false; 4],
            outputs: [None; 4],
        };
        timer.counter_after_reset();
        timer
    }

    fn counter_after_reset(&mut self) {
        let max = self.counter.max;
        self.counter = Counter { arr: max, max, ..Counter::default() };
        self.counter.preload.arr = max;
    }

    /// The selection of `channel`: CCxS, OCxPE, OCxM as in the low byte of CCMR1.
    fn channel_mode(&self, channel: usize) -> u32 {
        let register = if channel < 2 { CCMR1 } else { CCMR2 };
        self.bank.get(register) >> (channel % 2 * 8) & 0xFF
    }

    fn is_output(&self, channel: usize) -> bool {
        channel < self.channels && self.channel_mode(channel) & 3 == 0
    }

    fn ccer(&self, channel: usize) -> u32 {
        self.bank.get(CCER) >> (channel * 4) & 0xF
    }

    fn output_enabled(&self, channel: usize) -> bool {
        let main = !self.has_main_output || self.bank.get(BDTR) & MOE != 0;
        self.is_output(channel) && self.ccer(channel) & 1 != 0 && main
    }

    /// Brings the counter up to now and carries out what it passed; whether that was anything.
    fn sync(&mut self, env: &mut Env<'_, '_>) -> bool {
        let now = env.now();
        if !self.counter.running || now <= self.anchor {
            return false;
        }
        let (ticks, rest) = now.since(self.anchor).divide(env.clocks().period_of(self.clock));
        self.anchor = now.before(rest);
        let (passed, phase) = self.counter.advance(self.phase.saturating_add(ticks));
        self.phase = phase;
        self.pass(passed, env);
        passed != Passed::default()
    }

    /// Brings everything up to now, for a read.
    fn refresh(&mut self, env: &mut Env<'_, '_>) {
        if self.sync(env) {
            self.settle(env);
        }
    }

    fn pass(&mut self, passed: Passed, env: &mut Env<'_, '_>) {
        let dier = self.bank.get(DIER);
        for channel in (0..self.channels).filter(|channel| passed.matches & 1 << channel != 0) {
            if !self.is_output(channel) {
                continue;
            }
            self.bank.flag(SR, 2 << channel, true);
            match self.channel_mode(channel) >> 4 & 7 {
                1 => self.reference[channel] = true,
                2 => self.reference[channel] = false,
                3 => self.reference[channel] = !self.reference[channel],
                _ => {}
            }
            if dier & 0x200 << channel != 0 {
                self.request(self.compare_requests[channel], env);
            }
        }
        if passed.update {
            self.updated(env);
        }
        if !self.counter.running {
            self.bank.flag(CR1, CEN, false);
        }
    }

    fn updated(&mut self, env: &mut Env<'_, '_>) {
        self.bank.flag(SR, UIF, true);
        if self.bank.get(DIER) & UDE != 0 {
            self.request(self.update_request, env);
        }
    }

    fn request(&self, number: Option<u8>, env: &mut Env<'_, '_>) {
        if let Some(number) = number {
            env.effect(Effect::RequestOnce { number });
        }
    }

    /// Works out outputs, interrupts and the next event after anything may have changed.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        for (channel, signal) in NAMES.into_iter().enumerate().take(self.channels) {
            let (value, ccr) = (self.counter.value, self.counter.ccr[channel]);
            // RM0490, TIMx_CCMR1.OC1M: PWM mode 1 is active below CCR on the way up, up to CCR on the way down.
            let below = if self.counter.down { value <= ccr } else { value < ccr };
            match self.channel_mode(channel) >> 4 & 7 {
                4 => self.reference[channel] = false,
                5 => self.reference[channel] = true,
                6 => self.reference[channel] = below,
                7 => self.reference[channel] = !below,
                _ => {}
            }
            let inverted = self.ccer(channel) & 2 != 0;
            let level = self.output_enabled(channel).then_some(self.reference[channel] != inverted);
            if level != self.outputs[channel] {
                self.outputs[channel] = level;
                env.effect(Effect::Output { signal, level });
            }
        }
        let active = self.bank.get(SR) & self.bank.get(DIER) & 0xFF;
        self.lines.drive(active, env);
        let next = self.next_event(env);
        env.schedule(0, next);
    }

    /// When something happens that others can see.
    fn next_event(&self, env: &Env<'_, '_>) -> Instant {
        let Some(end) = self.counter.steps_to_end().filter(|_| self.counter.running) else { return Instant::NEVER };
        let (sr, dier) = (self.bank.get(SR), self.bank.get(DIER));
        let updates = self.bank.get(CR1) & UDIS == 0;
        let mut to_end = updates && ((dier & 1 != 0 && sr & UIF == 0) || dier & UDE != 0);
        let mut steps = u64::MAX;
        for channel in (0..self.channels).filter(|channel| self.is_output(*channel)) {
            let flag = 2 << channel;
            let interrupt = dier & flag != 0 && sr & flag == 0;
            let output = self.output_enabled(channel) && self.channel_mode(channel) >> 4 & 7 != 0;
            if interrupt || output || dier & 0x200 << channel != 0 {
                match self.counter.steps_to_match(self.counter.ccr[channel]) {
                    Some(at) => steps = steps.min(at),
                    None => to_end = true,
                }
                to_end |= output;
            }
        }
        if to_end {
            steps = steps.min(end);
        }
        if steps == u64::MAX {
            return Instant::NEVER;
        }
        let ticks = (steps * self.counter.scale()).saturating_sub(self.phase);
        self.anchor.after(env.clocks().period_of(self.clock).times(ticks))
    }

    /// The first time after `now` at which the counter's value may change by itself.
    fn next_step(&self, now: Instant, clock: Span) -> Instant {
        if !self.counter.running || self.counter.steps_to_end().is_none() {
            return Instant::NEVER;
        }
        let passed = self.phase.saturating_add(now.since(self.anchor).divide(clock).0);
        let (scale, steps) = (self.counter.scale(), passed / self.counter.scale());
        let ticks = steps.saturating_add(1).saturating_mul(scale).saturating_sub(self.phase);
        self.anchor.after(clock.times(ticks))
    }

    /// The first time after `now` at which the counter may pass an end or a compare value by itself.
    fn next_flag(&self, now: Instant, clock: Span) -> Instant {
        let Some(end) = self.counter.steps_to_end().filter(|_| self.counter.running) else { return Instant::NEVER };
        let matches = self.counter.ccr.iter().filter_map(|ccr| self.counter.steps_to_match(*ccr));
        let steps = matches.min().map_or(end, |first| first.min(end));
        let ticks = steps.saturating_mul(self.counter.scale()).saturating_sub(self.phase);
        // One that lies behind is passed when somebody looks.
        self.anchor.after(clock.times(ticks)).max(now)
    }

    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let counter = &mut self.counter;
        counter.update_disabled = new & UDIS != 0;
        counter.one_pulse = new & OPM != 0;
        counter.mode = match (new >> 5 & 3, new & DIR != 0) {
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
            counter.running = true;
            let cycles = env.cycles(&ROWS[0]);
            self.anchor = env.now().after(env.clocks().period_of(self.clock).times(cycles));
        }
        counter.running &= new & CEN != 0;
    }

    fn generate(&mut self, events: u32, env: &mut Env<'_, '_>) {
        if events & 1 != 0 {
            let mut passed = Passed::default();
            // The counter and its prescaler restart even where UDIS holds the update back (RM0490, TIMx_EGR.UG).
            self.counter.value = 0;
            let one_pulse = std::mem::take(&mut self.counter.one_pulse);
            self.counter.update(&mut passed);
            self.counter.one_pulse = one_pulse;
            if self.counter.mode == Mode::Down {
                self.counter.value = self.counter.arr;
            }
            if let Mode::Centre(_) = self.counter.mode {
                self.counter.down = false;
            }
            self.phase = 0;
            self.anchor = self.anchor.max(env.now());
            if passed.update && self.bank.get(CR1) & URS == 0 {
                self.updated(env);
            }
        }
        for channel in (0..self.channels).filter(|channel| events & 2 << channel != 0) {
            if self.is_output(channel) {
                self.pass(Passed { matches: 1 << channel, update: false }, env);
            } else {
                self.capture(channel, env);
            }
        }
    }

    fn capture(&mut self, channel: usize, env: &mut Env<'_, '_>) {
        let flag = 2 << channel;
        if self.bank.get(SR) & flag != 0 {
            self.bank.flag(SR, 0x200 << channel, true);
        }
        self.bank.set(CCR1 + 4 * channel as u32, self.counter.value);
        self.bank.flag(SR, flag, true);
        if self.bank.get(DIER) & 0x200 << channel != 0 {
            self.request(self.compare_requests[channel], env);
        }
    }

    /// Filters and prescalers of capture channels are not modelled.
    fn check_capture(&mut self, offset: u32, env: &mut Env<'_, '_>) {
        let first = if offset == CCMR1 { 0 } else { 2 };
        for channel in first..first + 2 {
            let mode = self.channel_mode(channel);
            if mode & 3 != 0 && mode & 0xFC != 0 {
                let (number, register) = (channel + 1, first / 2 + 1);
                env.gap(
                    GapKind::RegisterWrite,
                    format_args!("{}_CCMR{register}_INPUT.ICF{number}/ICPSC{number}", env.instance.name),
                );
            }
        }
    }
}

impl Block<Words> for TimerV3 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            CNT => {
                self.refresh(env);
                let copy = self.bank.get(CR1) & UIFREMAP != 0 && self.bank.get(SR) & UIF != 0;
                self.counter.value | u32::from(copy) << 31
            }
            CR1 => {
                self.refresh(env);
                let centre = matches!(self.counter.mode, Mode::Centre(_));
                self.bank.flag(CR1, DIR, if centre { self.counter.down } else { self.counter.mode == Mode::Down });
                self.bank.get(CR1)
            }
            SR => {
                self.refresh(env);
                self.bank.get(SR)
            }
            _ => {
                self.refresh(env);
                self.bank.read(offset, env)
            }
        }
    }

    fn still(&self, offset: u32, now: Instant, clocks: &Clocks) -> Option<Instant> {
        let clock = clocks.period_of(self.clock);
        match offset {
            CNT => Some(self.next_step(now, clock)),
            // CR1 shows the direction, and that a single pulse is over.
            CR1 | SR => Some(self.next_flag(now, clock)),
            _ => None,
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.sync(env);
        if offset == SR {
            let kept = self.bank.get(SR) & !write.zeros();
            self.bank.set(SR, kept);
            self.settle(env);
            return;
        }
        let (old, new) = self.bank.write(offset, write, env);
        let preloads = |timer: &Self, channel: usize| timer.channel_mode(channel) & 8 != 0;
        match offset {
            CR1 => {
                // In centre-aligned mode the direction is the hardware's.
                let dir = if new & 0x60 != 0 { old & DIR } else { new & DIR };
                self.bank.set(CR1, (new & !DIR) | dir);
                self.control(old, (new & !DIR) | dir, env);
            }
            EGR => self.generate(write.ones(), env),
            CNT => self.counter.value = new & self.counter.max,
            PSC => self.counter.preload.psc = new,
            ARR => {
                self.counter.preload.arr = new & self.counter.max;
                if self.bank.get(CR1) & ARPE == 0 {
                    self.counter.arr = new & self.counter.max;
                }
            }
            RCR => self.counter.preload.repetition = new,
            CCR1..=CCR4 => {
                let channel = ((offset - CCR1) / 4) as usize;
                if channel < self.channels && !self.is_output(channel) {
                    // A capture channel's register is read-only.
                    self.bank.set(offset, old);
                } else if channel < self.channels {
                    self.counter.preload.ccr[channel] = new & self.counter.max;
                    if !preloads(self, channel) {
                        self.counter.ccr[channel] = new & self.counter.max;
                    }
                }
            }
            CCMR1 | CCMR2 => {
                self.check_capture(offset, env);
                for channel in 0..4 {
                    if !preloads(self, channel) {
                        self.counter.ccr[channel] = self.counter.preload.ccr[channel];
                    }
                }
            }
            _ => {}
        }
        self.settle(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.sync(env);
        self.settle(env);
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let Some(signal) = env.instance.pins.get(index).map(|wired| wired.signal) else { return };
        let Some(input) = NAMES.iter().position(|name| *name == signal) else { return };
        self.sync(env);
        for channel in 0..self.channels {
            let selected = match self.channel_mode(channel) & 3 {
                1 => input == channel,
                2 => input == channel ^ 1,
                _ => false,
            };
            let ccer = self.ccer(channel);
            // CCxNP and CCxP: 00 rising, 01 falling, 11 both (RM0490, TIMx_CCER).
            let edge = match ccer >> 1 & 5 {
                0 => high,
                1 => !high,
                _ => true,
            };
            if selected && ccer & 1 != 0 && edge {
                self.capture(channel, env);
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.counter_after_reset();
        self.phase = 0;
        self.reference = [false; 4];
        self.settle(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.sync(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let now = env.now();
        let (before, after) = (old.period_of(self.clock), env.clocks().period_of(self.clock));
        self.anchor = if self.anchor == Instant::NEVER {
            self.anchor
        } else if self.anchor > now {
            now.after(self.anchor.since(now).rescaled(before, after))
        } else {
            now.before(now.since(self.anchor).rescaled(before, after))
        };
        self.settle(env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        NAMES.iter().position(|name| *name == signal).and_then(|channel| self.outputs[channel])
    }

    fn refine(&mut self, times: u64) {
        self.anchor = self.anchor.refined(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
