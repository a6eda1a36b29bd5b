//! Analog-to-digital converter (nRF52840 PS, "SAADC — Successive approximation analog-to-digital converter").
//!
//! EasyDMA stores a result of 16 bits; RESULTDONE, the limits and END come when it is in RAM.
//!
//! A SAMPLE converts the enabled channels one after the other, a channel with BURST as often as it averages. Results are exact:
//! there is no noise, no offset and no error of gain. The resistors at an input matter only where nothing drives its pin.

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, Pin, TimingRow, Transfer, Width};

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

use super::easydma::{self, DECIDED, EasyDma, Master, Moved};
use super::signals::{Signals, Tasked};

const START: u32 = 0x00;
const SAMPLE: u32 = 0x04;
const STOP: u32 = 0x08;
const CALIBRATEOFFSET: u32 = 0x0C;
const STARTED: u32 = 0x100;
const END: u32 = 0x104;
const DONE: u32 = 0x108;
const RESULTDONE: u32 = 0x10C;
const CALIBRATEDONE: u32 = 0x110;
const STOPPED: u32 = 0x114;
/// EVENTS_CH[n].LIMITH and LIMITL, 8 bytes each.
const LIMITH: u32 = 0x118;
const STATUS: u32 = 0x400;
const ENABLE: u32 = 0x500;
/// CH[n].PSELP, PSELN, CONFIG, LIMIT, 16 bytes each.
const PSELP: u32 = 0x510;
const PSELN: u32 = 0x514;
const CONFIG: u32 = 0x518;
const LIMIT: u32 = 0x51C;
const RESOLUTION: u32 = 0x5F0;
const OVERSAMPLE: u32 = 0x5F4;
const SAMPLERATE: u32 = 0x5F8;
const PTR: u32 = 0x62C;
const MAXCNT: u32 = 0x630;
const AMOUNT: u32 = 0x634;

const CHANNELS: u32 = 8;
/// Beside a channel's number: its result is the last of the buffer.
const LAST: u32 = 1 << 8;
/// CONFIG's bits.
const VDD_1_4: u32 = 1 << 12;
const DIFFERENTIAL: u32 = 1 << 20;
const BURST: u32 = 1 << 24;
/// SAMPLERATE.MODE: the converter's own timer starts samples.
const TIMERS: u32 = 1 << 12;

/// The internal reference, in microvolts.
const REFERENCE: i64 = 600_000;
/// CONFIG.GAIN, as numerator and denominator.
const GAINS: [(i64, i64); 8] = [(1, 6), (1, 5), (1, 4), (1, 3), (1, 2), (1, 1), (2, 1), (4, 1)];
/// CONFIG.TACQ in microseconds; values that the manual does not have count as the last.
const ACQUISITION: [u64; 8] = [3, 5, 10, 15, 20, 40, 40, 40];
/// AIN0 to AIN7 ("Pin assignments").
pub(super) const INPUTS: [u8; 8] = [2, 3, 4, 5, 28, 29, 30, 31];
/// PSEL's inputs beside the pins.
const VDD: u32 = 9;
const VDDHDIV5: u32 = 13;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The converter's timing.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "saadc.conversion",
        "microseconds from the end of an acquisition to the result",
        2,
        "nRF52840 PS v1.7, SAADC, Electrical specification: tCONV, less than 2; the figure is from memory and was not read in \
         the document",
    ),
    TimingRow::assumed(
        "saadc.calibration",
        "microseconds from CALIBRATEOFFSET to CALIBRATEDONE",
        42,
        "the manual gives none; the longest acquisition and a conversion",
    ),
];

/// The events: a conversion ends, the converter's timer starts a sample, a calibration ends.
const CONVERTED: u16 = 0;
const TICK: u16 = 1;
const CALIBRATED: u16 = 2;

/// The block.
#[derive(Clone, Debug)]
pub struct Saadc {
    signals: Signals,
    dma: Master,
    /// The results on their way to RAM.
    results: VecDeque<i64>,
    /// The address of the next result and the number of those that still have room, once START has taken them over.
    buffer: Option<(u32, u32)>,
    /// The channel that is converted.
    channel: u32,
    /// The sum of the conversions that make the next result, by channel, and their number.
    sums: [(i64, u32); CHANNELS as usize],
    converted_at: Instant,
    tick_at: Instant,
    calibrated_at: Instant,
}

impl Saadc {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, &[]),
            dma: Master::new(instance),
            results: VecDeque::new(),
            buffer: None,
            channel: 0,
            sums: Default::default(),
            converted_at: Instant::NEVER,
            tick_at: Instant::NEVER,
            calibrated_at: Instant::NEVER,
        }
    }

    fn config(&self, channel: u32) -> u32 {
        self.signals.get(CONFIG + 16 * channel)
    }

    /// The first enabled channel from `channel` on.
    fn enabled_from(&self, channel: u32) -> Option<u32> {
        (channel..CHANNELS).find(|channel| self.signals.get(PSELP + 16 * channel) != 0)
    }

    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        env.schedule(CONVERTED, self.converted_at);
        env.schedule(TICK, self.tick_at);
        env.schedule(CALIBRATED, self.calibrated_at);
        let busy = [self.converted_at, self.calibrated_at].iter().any(|at| *at != Instant::NEVER);
        self.signals.bank.set(STATUS, busy.into());
    }

    /// A conversion of `channel` begins at `from`.
    fn convert(&mut self, channel: u32, from: Instant, env: &mut Env<'_, '_>) {
        let conversion = env.cycles(&ROWS[0]);
        let acquisition = ACQUISITION[(self.config(channel) >> 16 & 7) as usize];
        self.channel = channel;
        self.converted_at = from.after(env.clocks().microseconds(acquisition + conversion));
    }

    /// The converter's timer starts its next sample a period after `from`.
    fn expect_tick(&mut self, from: Instant, env: &Env<'_, '_>) {
        let rate = self.signals.get(SAMPLERATE);
        let period = env.clocks().period_of(Source::Pclk).times(u64::from(rate & 0x7FF).max(1));
        self.tick_at = if rate & TIMERS != 0 { from.after(period) } else { Instant::NEVER };
    }

    /// The voltage at the input `select` of `channel` when its acquisition ended, in microvolts; `resistors` are those of
    /// CONFIG.RESP or RESN.
    fn voltage(&self, select: u32, resistors: u32, env: &mut Env<'_, '_>) -> i64 {
        let supply = env.wires.outside.supply();
        let Some(&number) = INPUTS.get((select as usize).wrapping_sub(1)) else {
            return match select {
                VDD => supply.into(),
                // VDDH has the supply, too, as on the kit.
                VDDHDIV5 => i64::from(supply) / 5,
                _ => 0,
            };
        };
        let pin = Pin::numbered(0, number);
        let before = env.clocks().microseconds(ROWS[0].cycles.into());
        let applied = env.wires.outside.voltage(pin, env.picoseconds_before(before));
        let high = env.wires.levels[0] >> number & 1 != 0;
        let drawn = match resistors & 3 {
            1 => Some(0),
            2 => Some(supply),
            3 => Some(supply / 2),
            _ => None,
        };
        applied.or(high.then_some(supply)).or(drawn).map_or_else(
            || {
                let name = env.name();
                env.gap(
                    GapKind::Setting,
                    format_args!("{name}: no stimulus puts a voltage on P0.{number:02}, taken as 0 V"),
                );
                0
            },
            i64::from,
        )
    }

    /// The result of one conversion of `channel`.
    fn measure(&self, channel: u32, env: &mut Env<'_, '_>) -> i64 {
        let config = self.config(channel);
        let pair = config & DIFFERENTIAL != 0;
        let mut voltage = self.voltage(self.signals.get(PSELP + 16 * channel), config, env);
        if pair {
            voltage -= self.voltage(self.signals.get(PSELN + 16 * channel), config >> 4, env);
        }
        let supply = i64::from(env.wires.outside.supply());
        let reference = if config & VDD_1_4 != 0 { supply / 4 } else { REFERENCE };
        let (gain, divider) = GAINS[(config >> 8 & 7) as usize];
        let top = 1i64 << (8 + 2 * (self.signals.get(RESOLUTION) & 7).min(3) - u32::from(pair));
        let result = (voltage * gain * top).div_euclid((reference * divider).max(1));
        result.clamp(if pair { -top } else { 0 }, top - 1)
    }

    /// A result of `channel` goes to RAM.
    fn store(&mut self, channel: u32, result: i64, env: &mut Env<'_, '_>) {
        env.transfer(Transfer::Conversion { channel: channel as u8, value: result as u16 });
        let Some((address, room @ 1..)) = self.buffer else { return };
        self.buffer = (room > 1).then_some((address.wrapping_add(2), room - 1));
        let last = if room == 1 { LAST } else { 0 };
        self.results.push_back(result);
        self.dma.write(address, Width::Half, u32::from(result as u16), channel | last, env);
    }

    /// The result `result` of `channel`, perhaps the buffer's last, is in RAM.
    fn stored(&mut self, channel: u32, result: i64, is_last: bool, env: &mut Env<'_, '_>) {
        let amount = self.signals.get(AMOUNT).wrapping_add(1);
        self.signals.bank.set(AMOUNT, amount);
        self.raise(RESULTDONE, env);
        let limit = self.signals.get(LIMIT + 16 * channel);
        if result >= i64::from((limit >> 16) as i16) {
            self.raise(LIMITH + 8 * channel, env);
        }
        if result <= i64::from(limit as i16) {
            self.raise(LIMITH + 8 * channel + 4, env);
        }
        if is_last {
            self.raise(END, env);
        }
    }

    /// A conversion has ended.
    fn converted(&mut self, env: &mut Env<'_, '_>) {
        let (channel, at) = (self.channel, std::mem::replace(&mut self.converted_at, Instant::NEVER));
        let result = self.measure(channel, env);
        let wanted = 1u32 << self.signals.get(OVERSAMPLE).min(8);
        let (sum, count) = &mut self.sums[channel as usize & 7];
        (*sum, *count) = (*sum + result, *count + 1);
        let average = (*count >= wanted).then(|| sum.div_euclid(i64::from(*count)));
        if average.is_some() {
            (*sum, *count) = (0, 0);
        }
        // The next one is under way before events can start tasks.
        if average.is_none() && self.config(channel) & BURST != 0 {
            self.convert(channel, at, env);
        } else if let Some(next) = self.enabled_from(channel + 1) {
            self.convert(next, at, env);
        }
        self.schedule(env);
        self.raise(DONE, env);
        if let Some(average) = average {
            self.store(channel, average, env);
        }
    }

    fn sample(&mut self, env: &mut Env<'_, '_>) {
        let first = self.enabled_from(0).filter(|_| self.buffer.is_some() && self.converted_at == Instant::NEVER);
        if let Some(first) = first {
            self.convert(first, env.now(), env);
        }
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        self.buffer = None;
        self.dma.clear(env);
        self.results.clear();
        self.sums = Default::default();
        (self.converted_at, self.tick_at) = (Instant::NEVER, Instant::NEVER);
    }
}

impl Tasked for Saadc {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        if self.signals.get(ENABLE) & 1 == 0 {
            return;
        }
        match task {
            START => {
                let count = self.signals.get(MAXCNT);
                self.buffer = (count != 0).then_some((self.signals.get(PTR), count));
                self.signals.bank.set(AMOUNT, 0);
                self.raise(STARTED, env);
            }
            SAMPLE => {
                self.sample(env);
                self.expect_tick(env.now(), env);
            }
            STOP => {
                self.stop(env);
                self.raise(STOPPED, env);
            }
            CALIBRATEOFFSET => {
                let count = env.cycles(&ROWS[1]);
                self.calibrated_at = env.now().after(env.clocks().microseconds(count));
            }
            _ => {}
        }
        self.schedule(env);
    }
}

impl EasyDma for Saadc {
    fn easydma(&self) -> &Master {
        &self.dma
    }

    fn easydma_mut(&mut self) -> &mut Master {
        &mut self.dma
    }

    fn moved(&mut self, moved: Moved, env: &mut Env<'_, '_>) {
        let Some(result) = self.results.pop_front() else { return };
        self.stored(moved.tag & (LAST - 1), result, moved.tag & LAST != 0, env);
    }
}

impl Block<Words> for Saadc {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if let Some((_, new)) = self.access(offset, write, env)
            && offset == ENABLE
            && new & 1 == 0
        {
            self.stop(env);
            self.calibrated_at = Instant::NEVER;
            self.schedule(env);
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let now = env.now();
        match kind {
            DECIDED => easydma::decide(self, env),
            CONVERTED if now >= self.converted_at => self.converted(env),
            TICK if now >= self.tick_at => {
                self.sample(env);
                self.expect_tick(self.tick_at, env);
                self.schedule(env);
            }
            CALIBRATED if now >= self.calibrated_at => {
                self.calibrated_at = Instant::NEVER;
                self.schedule(env);
                self.raise(CALIBRATEDONE, env);
            }
            _ => {}
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        for at in [&mut self.converted_at, &mut self.tick_at, &mut self.calibrated_at] {
            *at = at.refined(times);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.stop(env);
        self.calibrated_at = Instant::NEVER;
        self.schedule(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
