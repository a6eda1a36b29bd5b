//! The DMA controller (RP-008371-DS, "DMA"): twelve channels over a master that reads and one that writes.
//!
//! In each cycle one transfer at most is issued, of the channels that are asked for, in turn; those of high priority have each had
//! one before one of the others has. A channel counts requests: a block that says for how many transfers it has room or data
//! ([`Message::Credit`](super::Message::Credit)) has as many in flight, one that only asks has one. While transfers are in flight or
//! can be issued there is an event in each cycle that does something; a channel that waits for a request costs nothing.

mod channel;
mod pipeline;
mod sniff;
mod timer;

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Cycles;

use self::channel::{BSWAP, Channel, HIGH_PRIORITY, IRQ_QUIET, MOST_CREDITS, Pace, READ_ERROR, SNIFF_EN, WRITE_ERROR};
use self::pipeline::{Pipeline, REQUEST, TRIGGER};
use self::timer::Timer;
use super::registers::{bank, ones};
use crate::{
    Bank, Block, BusMaster, Clocks, Effect, Env, Instance, Instant, Lines, MasterAccess, Modelled, Words, Write,
};

pub use pipeline::ROWS;

/// Channels.
const CHANNELS: usize = 12;
const ALL: u32 = (1 << CHANNELS) - 1;

/// Registers of a channel, four groups of four in which the last is a trigger.
const STRIDE: u32 = 0x40;
const CHANNELS_END: u32 = STRIDE * CHANNELS as u32;
/// The registers of a group, by place: what each is.
const GROUPS: [[Of; 4]; 4] = [
    [Of::Read, Of::Write, Of::Count, Of::Ctrl],
    [Of::Ctrl, Of::Read, Of::Write, Of::Count],
    [Of::Ctrl, Of::Count, Of::Read, Of::Write],
    [Of::Ctrl, Of::Write, Of::Count, Of::Read],
];

const INTR: [u32; 2] = [0x400, 0x410];
const INTE: [u32; 2] = [0x404, 0x414];
const INTF: [u32; 2] = [0x408, 0x418];
const INTS: [u32; 2] = [0x40C, 0x41C];
const TIMER0: u32 = 0x420;
const TIMER_END: u32 = 0x430;
const MULTI_CHAN_TRIGGER: u32 = 0x430;
const SNIFF_CTRL: u32 = 0x434;
const SNIFF_DATA: u32 = 0x438;
const FIFO_LEVELS: u32 = 0x440;
const CHAN_ABORT: u32 = 0x444;
const N_CHANNELS: u32 = 0x448;
/// DBG_CTDREQ and DBG_TCR of each channel.
const DEBUG: u32 = 0x800;
const DEBUG_END: u32 = DEBUG + CHANNELS_END;

/// The event at which an access begins or ends, or a transfer can be issued.
const STEP: u16 = 0;

/// Requests that TREQ_SEL can name.
const REQUESTS: usize = 64;

/// The request of the first slice's wrap, and the signals of all slices.
const WRAP0: u8 = 24;
const WRAPS: [&str; 8] = ["WRAP0", "WRAP1", "WRAP2", "WRAP3", "WRAP4", "WRAP5", "WRAP6", "WRAP7"];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// A register of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Read,
    Write,
    Count,
    Ctrl,
}

/// A request of a peripheral.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Asked {
    /// Transfers that there is room or data for.
    count: u8,
    /// The peripheral counts them.
    counts: bool,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Dma {
    bank: Bank,
    channels: [Channel; CHANNELS],
    pipeline: Pipeline,
    timers: [Timer; 4],
    asked: [Asked; REQUESTS],
    /// INTR.
    raised: u32,
    sum: u32,
    /// The channels of high priority that have had a transfer in this round.
    served: u32,
    /// The channels after which the next of high and of low priority is looked for.
    last: [usize; 2],
    /// The first cycle at which another transfer may be issued.
    free: u64,
    lines: Lines,
}

impl Dma {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            channels: [Channel::default(); CHANNELS],
            pipeline: Pipeline::default(),
            timers: [Timer::default(); 4],
            asked: [Asked::default(); REQUESTS],
            raised: 0,
            sum: 0,
            served: 0,
            last: [CHANNELS - 1; 2],
            free: 0,
            lines: Lines::new(instance, &[("DMA_IRQ_0", ALL), ("DMA_IRQ_1", ALL << 16)]),
        }
    }

    /// Tells if a channel is at a sequence of transfers.
    pub fn is_busy(&self) -> bool {
        self.channels.iter().any(|channel| channel.busy)
    }

    /// The peripheral of the request `number` has room or data for `count` transfers.
    pub fn set_credit(&mut self, number: u8, count: u8, env: &mut Env<'_, '_>) {
        self.ask(number, Asked { count, counts: true }, env);
    }

    fn ask(&mut self, number: u8, asked: Asked, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        let before = std::mem::replace(&mut self.asked[usize::from(number) % REQUESTS], asked);
        let more = u64::from(asked.count.saturating_sub(before.count));
        for channel in self.channels.iter_mut().filter(|channel| channel.pace() == Pace::Request(number)) {
            add_credits(channel, more, now);
        }
        if more > 0 {
            env.effect(Effect::DmaChanged);
        }
    }

    /// Channels that a wrap of pulse width modulation paces hear it: nobody counts the others.
    fn listen(&self, env: &mut Env<'_, '_>) {
        for (input, channel) in (0..).zip(&self.channels) {
            let slice = match channel.pace() {
                Pace::Request(number) => number.checked_sub(WRAP0).and_then(|slice| WRAPS.get(usize::from(slice))),
                Pace::Timer(_) | Pace::Permanent => None,
            };
            env.hear(input, slice.map(|signal| ("PWM", *signal)));
        }
    }

    /// Counts the requests of timers up to `now`.
    fn count_timers(&mut self, now: u64) {
        for channel in self.channels.iter_mut().filter(|channel| channel.busy) {
            if let Pace::Timer(number) = channel.pace() {
                let requests = self.timers[number].requests(now);
                let more = requests.saturating_sub(channel.counted);
                channel.counted = requests;
                add_credits(channel, more, now);
            }
        }
    }

    /// A trigger of the channels `channels`, one bit each, at `now`.
    fn trigger(&mut self, channels: u32, now: u64) {
        for (number, channel) in self.channels.iter_mut().enumerate() {
            if channels >> number & 1 == 0 || !channel.takes_trigger() {
                continue;
            }
            channel.start();
            channel.from = now + TRIGGER - 1;
            Self::shake_hands(channel, &self.asked, &self.timers, now);
        }
    }

    /// A channel begins to count requests.
    fn shake_hands(channel: &mut Channel, asked: &[Asked; REQUESTS], timers: &[Timer; 4], now: u64) {
        (channel.credits, channel.counted) = match channel.pace() {
            Pace::Request(number) => (asked[usize::from(number)].count.into(), 0),
            Pace::Timer(number) => (0, timers[number].requests(now)),
            Pace::Permanent => (0, 0),
        };
    }

    /// Tells if `channel` has a transfer to issue at `now`.
    fn can_issue(&self, channel: &Channel, now: u64) -> bool {
        let paced = match channel.pace() {
            Pace::Permanent => true,
            Pace::Timer(_) => channel.credits > 0,
            Pace::Request(number) => {
                let asked = self.asked[usize::from(number)];
                // One that only asks and is still there asks again once its transfer has been made.
                channel.credits > 0 || !asked.counts && asked.count > 0 && channel.in_flight == 0
            }
        };
        paced && channel.busy && channel.is(channel::EN) && channel.to_issue > 0 && channel.from <= now
    }

    /// The channel whose turn it is at `now`.
    fn choose(&mut self, now: u64) -> Option<usize> {
        let (mut high, mut low) = (0u32, 0u32);
        for (number, channel) in self.channels.iter().enumerate().filter(|(_, channel)| self.can_issue(channel, now)) {
            *if channel.is(HIGH_PRIORITY) { &mut high } else { &mut low } |= 1 << number;
        }
        let fresh = high & !self.served;
        let (among, rank) = match (fresh, low, high) {
            (0, 0, 0) => return None,
            (0, 0, high) => {
                self.served = 0;
                (high, 0)
            }
            (0, low, _) => {
                self.served = 0;
                (low, 1)
            }
            (fresh, ..) => (fresh, 0),
        };
        let after = self.last[rank];
        let number = (1..=CHANNELS).map(|step| (after + step) % CHANNELS).find(|number| among >> number & 1 != 0)?;
        self.last[rank] = number;
        self.served |= if rank == 0 { 1 << number } else { 0 };
        Some(number)
    }

    /// Ends the sequences that have nothing left, and issues a transfer if one can be.
    fn issue(&mut self, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        self.count_timers(now);
        self.end_empty(now);
        if now >= self.free
            && self.pipeline.has_room()
            && let Some(number) = self.choose(now)
        {
            let channel = &mut self.channels[number];
            channel.credits = channel.credits.saturating_sub(1);
            let (addresses, width) = (channel.issue(), channel.width());
            self.pipeline.issue(number as u8, addresses, width, now + 1);
            self.free = now + 1;
            ROWS.iter().for_each(|row| env.wires.note(row));
        }
        self.drive(env);
        let at = self.next(now);
        let at = if at == u64::MAX { Instant::NEVER } else { env.clocks().at(Cycles::new(at)) };
        env.schedule(STEP, at);
    }

    /// Sequences of no transfers end in the cycle after they have begun, one at a time.
    fn end_empty(&mut self, now: u64) {
        let empty = |channel: &Channel| channel.busy && channel.to_issue == 0 && channel.in_flight == 0;
        if let Some(number) = self.channels.iter().position(|channel| empty(channel) && channel.from < now) {
            self.complete(number, now);
        }
    }

    /// The next cycle after `now` at which anything happens without a request.
    fn next(&self, now: u64) -> u64 {
        let channels = self.channels.iter().filter(|channel| channel.busy).map(|channel| {
            if channel.to_issue == 0 {
                return if channel.in_flight == 0 { now + 1 } else { u64::MAX };
            }
            let later = channel.from.max(now + 1);
            if self.can_issue(channel, later) {
                // Where there is no room an access makes it.
                return if self.pipeline.has_room() { later } else { u64::MAX };
            }
            match channel.pace() {
                Pace::Timer(number) if channel.is(channel::EN) => self.timers[number].next(now).unwrap_or(u64::MAX),
                _ => u64::MAX,
            }
        });
        channels.min().unwrap_or(u64::MAX).min(self.pipeline.next()).max(now + 1)
    }

    /// The sequence of a channel ends at `now`.
    fn complete(&mut self, number: usize, now: u64) {
        let channel = &mut self.channels[number];
        (channel.busy, channel.credits) = (false, 0);
        let aborted = std::mem::take(&mut channel.aborted);
        let failed = channel.ctrl() & (READ_ERROR | WRITE_ERROR) != 0;
        let (quiet, next) = (channel.is(IRQ_QUIET), channel.chain_to());
        if failed || !quiet {
            self.raised |= 1 << number;
        }
        if !failed && !aborted && next != number {
            self.trigger(1 << next & ALL, now);
        }
    }

    /// CHAN_ABORT: what is in flight ends, all else is given up. One with transfers in flight raises its interrupt (erratum E13).
    fn abort(&mut self, channels: u32, now: u64) {
        for number in (0..CHANNELS).filter(|number| channels >> number & 1 != 0) {
            let given_up = self.pipeline.give_up(number as u8);
            let channel = &mut self.channels[number];
            channel.in_flight -= given_up.min(channel.in_flight);
            channel.to_issue = 0;
            if channel.busy && channel.in_flight > 0 {
                channel.aborted = true;
            } else {
                (channel.busy, channel.credits) = (false, 0);
            }
            channel.from = now;
        }
    }

    /// An access has failed: the channel halts and raises its interrupt.
    fn fail(&mut self, number: usize, flag: u32, now: u64) {
        let given_up = self.pipeline.give_up(number as u8);
        let channel = &mut self.channels[number];
        channel.fail(flag);
        channel.in_flight = channel.in_flight.saturating_sub(1 + given_up);
        if channel.in_flight == 0 {
            self.complete(number, now);
        }
    }

    /// INTS0 or INTS1.
    fn status(&self, line: usize) -> u32 {
        (self.raised & self.bank.get(INTE[line]) | self.bank.get(INTF[line])) & ALL
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        self.lines.drive(self.status(0) | self.status(1) << 16, env);
    }

    /// The channel and its register at `offset`, and whether that is a trigger.
    fn channel_at(offset: u32) -> Option<(usize, Of, bool)> {
        let inside = (offset % STRIDE / 4) as usize;
        (offset < CHANNELS_END).then(|| ((offset / STRIDE) as usize, GROUPS[inside / 4][inside % 4], inside % 4 == 3))
    }

    /// The register of a channel as it reads.
    fn channel_register(&self, number: usize, of: Of) -> u32 {
        let channel = &self.channels[number];
        match of {
            Of::Read => channel.read,
            Of::Write => channel.write,
            Of::Count => channel.left,
            Of::Ctrl => channel.ctrl(),
        }
    }

    fn write_channel(&mut self, (number, of, triggers): (usize, Of, bool), write: Write, now: u64) {
        let channel = &mut self.channels[number];
        // A null may be written to CTRL itself.
        let quiet = channel.is(IRQ_QUIET);
        let value = match of {
            Of::Read => {
                channel.set_read(write.over(channel.read));
                channel.read
            }
            Of::Write => {
                channel.set_write(write.over(channel.write));
                channel.write
            }
            Of::Count => {
                // Inverted, set or cleared are bits of the count that is read.
                channel.reload = write.over(channel.left);
                channel.reload
            }
            Of::Ctrl => {
                let before = channel.pace();
                channel.set_ctrl(write.over(channel.ctrl()), ones(write));
                if channel.pace() != before {
                    Self::shake_hands(channel, &self.asked, &self.timers, now);
                }
                write.over(channel.ctrl())
            }
        };
        if triggers && value != 0 {
            self.trigger(1 << number, now);
        } else if triggers && quiet {
            self.raised |= 1 << number;
        }
    }

    /// The register at `offset` now, if it changes by itself.
    fn moving(&self, offset: u32) -> Option<u32> {
        if let Some((number, of, _)) = Self::channel_at(offset) {
            return Some(self.channel_register(number, of));
        }
        if let DEBUG..DEBUG_END = offset {
            let channel = &self.channels[((offset - DEBUG) / STRIDE) as usize];
            return Some(if offset.is_multiple_of(STRIDE) { channel.credits as u32 } else { channel.reload });
        }
        Some(match offset {
            _ if INTR.contains(&offset) => self.raised,
            _ if offset == INTS[0] => self.status(0),
            _ if offset == INTS[1] => self.status(1),
            SNIFF_DATA => sniff::shown(self.sum, self.bank.get(SNIFF_CTRL)),
            FIFO_LEVELS => self.pipeline.levels(),
            CHAN_ABORT => self.channels.iter().rev().fold(0, |all, channel| all << 1 | u32::from(channel.aborted)),
            N_CHANNELS => CHANNELS as u32,
            _ => return None,
        })
    }
}

/// Counts `more` requests that have come at `now`, if the channel has begun.
fn add_credits(channel: &mut Channel, more: u64, now: u64) {
    if channel.busy && more > 0 {
        if channel.credits == 0 {
            channel.from = channel.from.max(now + REQUEST + TRIGGER - 1);
        }
        channel.credits = (channel.credits + more).min(MOST_CREDITS);
    }
}

impl BusMaster for Dma {
    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<MasterAccess> {
        self.pipeline.due(env.context.now.get())
    }

    fn put_off(&mut self, env: &mut Env<'_, '_>) {
        self.pipeline.put_off(env.context.now.get());
    }

    fn begun(&mut self, waits: u64, env: &mut Env<'_, '_>) {
        self.pipeline.begun(waits, env.context.now.get());
    }

    fn ended(&mut self, data: Option<u32>, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        let Some(ended) = self.pipeline.ended(now) else { return };
        let number = usize::from(ended.access.channel) % CHANNELS;
        if ended.write {
            if data.is_none() {
                return self.fail(number, WRITE_ERROR, now);
            }
            let channel = &mut self.channels[number];
            channel.has_written();
            if channel.to_issue == 0 && channel.in_flight == 0 {
                self.complete(number, now);
            }
            return;
        }
        let channel = &mut self.channels[number];
        let width = ended.access.width;
        let data = data.map(|data| if channel.is(BSWAP) { sniff::swapped(data, width) } else { data });
        self.pipeline.has_read(data, now);
        let Some(data) = data else { return self.fail(number, READ_ERROR, now) };
        channel.has_read();
        let ctrl = self.bank.get(SNIFF_CTRL);
        if channel.is(SNIFF_EN) && sniff::looks_at(ctrl, ended.access.channel) {
            self.sum = sniff::advanced(self.sum, ctrl, data, width);
        }
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn go_on(&mut self, env: &mut Env<'_, '_>) {
        self.issue(env);
    }

    fn is_moving(&self) -> bool {
        self.pipeline.is_moving()
    }

    fn contention(&self) -> &'static TimingRow {
        &ROWS[3]
    }

    fn request(&mut self, number: u8, active: bool, env: &mut Env<'_, '_>) {
        self.ask(number, Asked { count: active.into(), counts: false }, env);
    }

    fn request_once(&mut self, number: u8, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        for channel in self.channels.iter_mut().filter(|channel| channel.pace() == Pace::Request(number)) {
            add_credits(channel, 1, now);
        }
    }
}

impl Block<Words> for Dma {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.count_timers(env.context.now.get());
        match self.moving(offset) {
            Some(value) => value,
            None => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        // Counters of requests are counted when they are read.
        if let DEBUG..DEBUG_END = offset { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        self.count_timers(now);
        if let Some(register) = Self::channel_at(offset) {
            self.write_channel(register, write, now);
        } else if INTR.contains(&offset) || INTS.contains(&offset) {
            self.raised &= !ones(write);
        } else if let DEBUG..DEBUG_END = offset {
            if offset.is_multiple_of(STRIDE) {
                let channel = &mut self.channels[((offset - DEBUG) / STRIDE) as usize];
                Self::shake_hands(channel, &self.asked, &self.timers, now);
            }
        } else if offset == SNIFF_DATA {
            self.sum = write.over(self.sum);
        } else {
            let (_, value) = self.bank.write(offset, write, env);
            match offset {
                TIMER0..TIMER_END => {
                    let number = ((offset - TIMER0) / 4) as usize;
                    self.timers[number] = Timer::new(value, now);
                    let counts = |channel: &&mut Channel| channel.pace() == Pace::Timer(number);
                    self.channels.iter_mut().filter(counts).for_each(|channel| channel.counted = 0);
                }
                MULTI_CHAN_TRIGGER => self.trigger(write.ones() & ALL, now),
                CHAN_ABORT => self.abort(write.ones() & ALL, now),
                _ => {}
            }
        }
        self.listen(env);
        self.drive(env);
        // The owner has whatever else the access has changed carried out first.
        env.effect(Effect::DmaChanged);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        env.effect(Effect::Master);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.cancel_all();
        self.channels = [Channel::default(); CHANNELS];
        self.pipeline = Pipeline::default();
        self.timers = [Timer::default(); 4];
        (self.raised, self.sum, self.served, self.last, self.free) = (0, 0, 0, [CHANNELS - 1; 2], 0);
        for (number, channel) in self.channels.iter_mut().enumerate() {
            // CHAIN_TO is the channel's own number.
            channel.set_ctrl((number as u32) << 11, u32::MAX);
        }
        self.listen(env);
        self.drive(env);
    }

    fn present(&self, offset: u32) -> Option<u32> {
        self.moving(offset)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
