//! Periodic interrupt timer (K20P64M72SF1RM, "Periodic Interrupt Timer (PIT)"): four counters of the bus clock.

use crate::bank::all;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

use super::registers::bank;

const MCR: u32 = 0x00;
const MDIS: u32 = 1 << 1;
const TEN: u32 = 1 << 0;
const TIE: u32 = 1 << 1;
const TIF: u32 = 1 << 0;
/// Registers of a channel, 16 bytes each from 0x100 on: LDVAL, CVAL, TCTRL, TFLG.
const LDVAL: u32 = 0x100;
const CVAL: u32 = 0x104;
const TCTRL: u32 = 0x108;
const TFLG: u32 = 0x10C;
const CHANNELS: u32 = 4;
/// The triggers that expiring counters are.
const TIMERS: [&str; CHANNELS as usize] = ["0", "1", "2", "3"];

/// The modelled registers and fields, with the values after reset ("PIT memory map").
pub const MODEL: &[Modelled] = &[
    all("MCR", 0x2),
    all("LDVAL0", 0).and(&["LDVAL1", "LDVAL2", "LDVAL3"]),
    all("CVAL0", 0).and(&["CVAL1", "CVAL2", "CVAL3"]),
    all("TCTRL0", 0).and(&["TCTRL1", "TCTRL2", "TCTRL3"]),
    all("TFLG0", 0).and(&["TFLG1", "TFLG2", "TFLG3"]),
];

/// The block.
#[derive(Clone, Debug)]
pub struct Pit {
    bank: Bank,
    lines: Lines,
    /// When each running counter will have counted down; a counter that stands keeps its value in CVAL.
    ends: [Instant; CHANNELS as usize],
}

impl Pit {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("0", 1), ("1", 2), ("2", 4), ("3", 8)]),
            ends: [Instant::NEVER; CHANNELS as usize],
        }
    }

    fn get(&self, register: u32, channel: u32) -> u32 {
        self.bank.get(register + 16 * channel)
    }

    fn counts(&self, channel: u32) -> bool {
        self.bank.get(MCR) & MDIS == 0 && self.get(TCTRL, channel) & TEN != 0
    }

    /// LDVAL + 1 periods of the bus clock.
    fn period(&self, channel: u32, bus: Span) -> Span {
        bus.times(u64::from(self.get(LDVAL, channel)) + 1)
    }

    fn value(&self, channel: u32, env: &Env<'_, '_>) -> u32 {
        let end = self.ends[channel as usize];
        if end == Instant::NEVER {
            return self.get(CVAL, channel);
        }
        // The counter shows 0 for a whole period before it is loaded again.
        let (left, part) = end.since(env.now()).divide(env.clocks().period_of(Source::Pclk));
        (left + u64::from(part != Span::ZERO)).saturating_sub(1) as u32
    }

    /// Starts or stops each counter as the registers say.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let bus = env.clocks().period_of(Source::Pclk);
        for channel in 0..CHANNELS {
            let (place, counts) = (channel as usize, self.counts(channel));
            if counts && self.ends[place] == Instant::NEVER {
                self.ends[place] = env.now().after(self.period(channel, bus));
            } else if !counts && self.ends[place] != Instant::NEVER {
                let value = self.value(channel, env);
                self.bank.set(CVAL + 16 * channel, value);
                self.ends[place] = Instant::NEVER;
            }
            env.schedule(channel as u16, self.ends[place]);
        }
        let active = (0..CHANNELS)
            .filter(|channel| self.get(TFLG, *channel) & TIF != 0 && self.get(TCTRL, *channel) & TIE != 0)
            .fold(0, |bits, channel| bits | 1 << channel);
        self.lines.drive(active, env);
    }
}

impl Block<Words> for Pit {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let offset = offset & !3;
        if offset >= CVAL && (offset - CVAL).is_multiple_of(16) {
            return self.value(((offset - CVAL) / 16).min(CHANNELS - 1), env);
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        let offset = offset & !3;
        let counts = offset >= CVAL && (offset - CVAL).is_multiple_of(16);
        if counts { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset >= TFLG && (offset - TFLG).is_multiple_of(16) {
            self.bank.flag(offset, write.ones() & TIF, false);
        } else {
            // A new LDVAL counts from the next load on.
            self.bank.write(offset, write, env);
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let channel = u32::from(kind);
        let Some(end) = self.ends.get(usize::from(kind)).copied() else { return };
        if env.now() >= end {
            self.bank.flag(TFLG + 16 * channel, TIF, true);
            let next = end.after(self.period(channel, env.clocks().period_of(Source::Pclk)));
            self.ends[usize::from(kind)] = next;
            if let Some(timer) = TIMERS.get(usize::from(kind)) {
                env.pulse(timer);
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.ends = [Instant::NEVER; CHANNELS as usize];
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.ends = self.ends.map(|end| end.refined(times));
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (from, to, now) = (old.pclk, env.clocks().tree().pclk, env.now());
        self.ends = self.ends.map(|end| end.rescaled(now, from, to));
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
