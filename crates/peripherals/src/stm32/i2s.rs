//! I2S in the SPI blocks of STM32F4 and C0 (RM0390, RM0490, "I2S functional description"): controller and target, sending
//! and receiving, in all standards and lengths.
//!
//! A controller's half-word is one event, at its end; where a half-word of 16 bits is sent in 32 the rest belongs to it. Its
//! clock rests while it has nothing to send. A target follows the edges of its lines.

use std::collections::VecDeque;

use cyclescope_machine::GapKind;

use super::i2s_target::Follower;
use crate::wires::Wave;
use crate::{Bank, DmaRequest, Effect, Env, Instance, Instant, Lines, Source, Span};

const CR2: u32 = 0x04;
const SR: u32 = 0x08;
const DR: u32 = 0x0C;
pub(super) const I2SCFGR: u32 = 0x1C;
pub(super) const I2SPR: u32 = 0x20;

/// Bits of I2SCFGR.
const CHLEN: u32 = 1 << 0;
const CKPOL: u32 = 1 << 3;
const PCMSYNC: u32 = 1 << 7;
const I2SE: u32 = 1 << 10;
pub(super) const I2SMOD: u32 = 1 << 11;

/// Bits of CR2.
const RXDMAEN: u32 = 1 << 0;
const TXDMAEN: u32 = 1 << 1;
const ERRIE: u32 = 1 << 5;
const RXNEIE: u32 = 1 << 6;
const TXEIE: u32 = 1 << 7;

/// Flags of SR.
const RXNE: u32 = 1 << 0;
const TXE: u32 = 1 << 1;
const CHSIDE: u32 = 1 << 2;
pub(super) const UDR: u32 = 1 << 3;
const OVR: u32 = 1 << 6;
const BSY: u32 = 1 << 7;
pub(super) const FRE: u32 = 1 << 8;

/// The event at which a half-word ends.
pub(super) const HALF_WORD: u16 = 8;

/// The form of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standard {
    Philips,
    Msb,
    Lsb,
    /// With a long pulse of WS, or a short one.
    Pcm(bool),
}

/// The settings in I2SCFGR.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings(pub(super) u32);

impl Settings {
    pub(super) const fn standard(self) -> Standard {
        match self.0 >> 4 & 3 {
            0 => Standard::Philips,
            1 => Standard::Msb,
            2 => Standard::Lsb,
            _ => Standard::Pcm(self.0 & PCMSYNC != 0),
        }
    }

    pub(super) const fn is_on(self) -> bool {
        self.0 & (I2SMOD | I2SE) == I2SMOD | I2SE
    }

    const fn is_controller(self) -> bool {
        self.0 >> 9 & 1 != 0
    }

    pub(super) const fn receives(self) -> bool {
        self.0 >> 8 & 1 != 0
    }

    /// The level of CK at which it rests.
    pub(super) const fn rests_high(self) -> bool {
        self.0 & CKPOL != 0
    }

    /// Bits of data in a channel: 16, 24 or 32.
    const fn data(self) -> u32 {
        match self.0 >> 1 & 3 {
            0 => 16,
            1 => 24,
            _ => 32,
        }
    }

    /// Bits of a channel on the wire; more than 16 of data need 32.
    pub(super) const fn channel(self) -> u32 {
        if self.data() > 16 || self.0 & CHLEN != 0 { 32 } else { 16 }
    }

    /// Accesses to DR for a channel.
    const fn accesses(self) -> u32 {
        if self.data() > 16 { 2 } else { 1 }
    }

    /// Bits that a half-word takes on the wire.
    pub(super) const fn bits(self) -> u32 {
        self.channel() / self.accesses()
    }

    /// The bits on the wire of the half-word `data`, the second of its channel if `second`; the first bit is the highest of
    /// [`Self::bits`]. Bits that are none of the data are 0.
    pub(super) const fn out(self, data: u16, second: bool) -> u32 {
        let (data, lsb) = (data as u32, matches!(self.standard(), Standard::Lsb));
        match (self.data(), self.channel(), second) {
            (16, 32, _) if !lsb => data << 16,
            (24, _, false) if lsb => data & 0xFF,
            (24, _, true) if !lsb => data & 0xFF00,
            _ => data,
        }
    }

    /// The half-word that DR shows for such bits.
    pub(super) const fn back(self, bits: u32, second: bool) -> u16 {
        let lsb = matches!(self.standard(), Standard::Lsb);
        let data = match (self.data(), self.channel(), second) {
            (16, 32, _) if !lsb => bits >> 16,
            (24, _, false) if lsb => bits & 0xFF,
            (24, _, true) if !lsb => bits & 0xFF00,
            _ => bits & 0xFFFF,
        };
        data as u16
    }

    /// The level of WS during the bit `place` of the channel, the right one if `right`.
    const fn ws(self, right: bool, place: u32) -> bool {
        let last = place + 1 == self.channel();
        match self.standard() {
            // WS is a bit ahead of the data.
            Standard::Philips => right != last,
            Standard::Msb | Standard::Lsb => !right,
            Standard::Pcm(false) => last,
            Standard::Pcm(true) => place < 13,
        }
    }

    /// True if WS changes a bit before the first bit of data.
    const fn leads(self) -> bool {
        matches!(self.standard(), Standard::Philips | Standard::Pcm(false))
    }

    pub(super) const fn is_pcm(self) -> bool {
        matches!(self.standard(), Standard::Pcm(_))
    }
}

/// A half-word on the wire.
#[derive(Clone, Copy, Debug)]
struct Shift {
    /// The first bit, and the end of the last one.
    start: Instant,
    end: Instant,
    bit: Span,
    /// The bits that have come in, and their number.
    taken: u32,
    count: u32,
}

/// I2S of a block.
#[derive(Clone, Debug)]
pub(super) struct I2s {
    pub(super) clock: Source,
    depth: usize,
    lines: Lines,
    transmit: DmaRequest,
    receive: DmaRequest,
    pub(super) waiting: VecDeque<u16>,
    arrived: VecDeque<u16>,
    last: u16,
    shift: Option<Shift>,
    /// The clock has been on since I2SE.
    began: bool,
    /// The channel under way is the right one, and its first half-word has gone.
    pub(super) right: bool,
    pub(super) second: bool,
    /// Half-words written so far, and the side that CHSIDE shows.
    written: u32,
    side: bool,
    read_overrun: bool,
    /// The level of SD outside.
    pub(super) sd: bool,
    /// The level of SD between half-words.
    resting: bool,
    pub(super) follower: Follower,
}

/// The lines that a controller drives.
const SIGNALS: [&str; 4] = ["I2S_CK", "I2S_WS", "I2S_SD", "I2S_MCK"];

impl I2s {
    /// I2S of `instance`, with `depth` half-words behind the shift register each way.
    pub(super) fn new(instance: &Instance, depth: usize) -> Self {
        Self {
            clock: instance.clock.source(),
            depth,
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            transmit: DmaRequest::new(instance, "TX"),
            receive: DmaRequest::new(instance, "RX"),
            waiting: VecDeque::new(),
            arrived: VecDeque::new(),
            last: 0,
            shift: None,
            began: false,
            right: false,
            second: false,
            written: 0,
            side: false,
            read_overrun: false,
            sd: false,
            resting: false,
            follower: Follower::default(),
        }
    }

    fn bit(&self, settings: Settings, bank: &Bank, env: &Env<'_, '_>) -> Span {
        let i2spr = bank.get(I2SPR);
        let divider = u64::from(i2spr & 0xFF) * 2 + u64::from(i2spr >> 8 & 1);
        // With MCK, 256 times the rate of samples, of two channels.
        let master = if i2spr & 1 << 9 != 0 { 128 / u64::from(settings.channel()) } else { 1 };
        env.clocks().period_of(self.clock).times(divider * master)
    }

    /// The controller begins its next half-word at `at`, if it has one.
    fn begin(&mut self, at: Instant, bank: &Bank, env: &mut Env<'_, '_>) {
        let settings = Settings(bank.get(I2SCFGR));
        if self.shift.is_some() || !settings.is_on() || !settings.is_controller() {
            return;
        }
        if !settings.receives() && self.waiting.is_empty() {
            return;
        }
        let (bit, bits) = (self.bit(settings, bank, env), settings.bits());
        if bank.get(I2SPR) & 0xFF < 2 || bit == Span::ZERO {
            let why = if bit == Span::ZERO { "its clock does not run" } else { "I2SDIV of 0 and 1 is not allowed" };
            env.gap(GapKind::Setting, format_args!("{}: I2S has no bit clock: {why}", env.name()));
            return;
        }
        let data = if settings.receives() { 0 } else { self.waiting.pop_front().unwrap_or(0) };
        let out = settings.out(data, self.second);
        // Before its very first bit WS takes one of its own.
        let lead = u32::from(!std::mem::replace(&mut self.began, true) && settings.leads());
        let start = at.after(bit.times(lead.into()));
        let end = start.after(bit.times(bits.into()));
        self.shift = Some(Shift { start, end, bit, taken: 0, count: 0 });
        self.waves(settings, (at, lead), out, bank, env);
        self.resting = out & 1 != 0;
        env.schedule(HALF_WORD, end);
    }

    /// The levels of a half-word that begins with `lead` bits of WS alone.
    fn waves(&self, settings: Settings, (at, lead): (Instant, u32), out: u32, bank: &Bank, env: &mut Env<'_, '_>) {
        let Some(Shift { bit, .. }) = self.shift else { return };
        let (bits, count) = (settings.bits(), settings.bits() + lead);
        let half = bit.half();
        // Data change while CK goes to its rest, and are taken at the other edge.
        let clocks = if settings.rests_high() { 0x5555_5555_5555_5555 } else { 0xAAAA_AAAA_AAAA_AAAA };
        let steps = [half, bit.minus(half)];
        env.wave(Wave { signal: "I2S_CK", start: at, steps, levels: clocks, count: (2 * bits) as u8 });
        if lead > 0 {
            let start = at.after(bit.times(bits.into()));
            env.wave_behind(Wave { signal: "I2S_CK", start, steps, levels: clocks, count: 2 });
        }
        let first = if self.second { bits } else { 0 };
        let mut select = (0..bits)
            .fold(0u64, |levels, place| levels | u64::from(settings.ws(self.right, first + place)) << (place + lead));
        // The level that the bit before this one has.
        select |= u64::from(lead > 0 && settings.ws(!self.right, settings.channel() - 1));
        env.wave(Wave { signal: "I2S_WS", start: at, steps: [bit; 2], levels: select, count: count as u8 });
        if !settings.receives() {
            let levels = u64::from(out.reverse_bits() >> (32 - bits)) << lead;
            env.wave(Wave { signal: "I2S_SD", start: at, steps: [bit; 2], levels, count: count as u8 });
        }
        if bank.get(I2SPR) & 1 << 9 != 0 {
            let (periods, _) = bit.divide(self.master_period(bank, env));
            let period = self.master_period(bank, env);
            let steps = [period.half(), period.minus(period.half())];
            let all = periods * u64::from(count);
            for done in (0..all).step_by(32) {
                let start = at.after(period.times(done));
                let count = (2 * (all - done).min(32)) as u8;
                let wave = Wave { signal: "I2S_MCK", start, steps, levels: 0x5555_5555_5555_5555, count };
                if done == 0 { env.wave(wave) } else { env.wave_behind(wave) }
            }
        }
    }

    fn master_period(&self, bank: &Bank, env: &Env<'_, '_>) -> Span {
        let i2spr = bank.get(I2SPR);
        env.clocks().period_of(self.clock).times(u64::from(i2spr & 0xFF) * 2 + u64::from(i2spr >> 8 & 1))
    }

    /// Takes the bits of SD whose middle has come.
    fn sample(&mut self, now: Instant, bits: u32) {
        if let Some(shift) = &mut self.shift {
            let (due, _) = now.since(shift.start).plus(shift.bit.half()).divide(shift.bit);
            let due = if now < shift.start { 0 } else { due.min(bits.into()) as u32 };
            while shift.count < due {
                shift.taken = shift.taken << 1 | u32::from(self.sd);
                shift.count += 1;
            }
        }
    }

    /// The half-word under way has ended.
    pub(super) fn ended(&mut self, bank: &mut Bank, env: &mut Env<'_, '_>) {
        let settings = Settings(bank.get(I2SCFGR));
        let now = env.now();
        self.sample(now, settings.bits());
        let Some(shift) = self.shift.take_if(|shift| shift.end <= now) else { return };
        if settings.receives() {
            self.arrive(settings.back(shift.taken, self.second), bank);
        }
        self.next_half(settings);
        self.begin(shift.end, bank, env);
        if self.shift.is_none() {
            // The clock rests behind the last bit.
            env.effect(Effect::Output { signal: "I2S_CK", level: Some(settings.rests_high()) });
        }
    }

    /// The next half-word's place.
    pub(super) const fn next_half(&mut self, settings: Settings) {
        if settings.accesses() == 2 && !self.second {
            self.second = true;
        } else {
            self.second = false;
            self.right = !self.right && !settings.is_pcm();
        }
    }

    /// A half-word has come in.
    pub(super) fn arrive(&mut self, data: u16, bank: &mut Bank) {
        if self.arrived.len() < self.depth {
            self.arrived.push_back(data);
            self.side = self.right;
        } else {
            bank.flag(SR, OVR, true);
        }
    }

    /// The levels of the lines of a controller between half-words.
    pub(super) fn output(&self, signal: &str, bank: &Bank) -> Option<bool> {
        let settings = Settings(bank.get(I2SCFGR));
        if !settings.is_on() {
            return None;
        }
        let controls = settings.is_controller();
        match signal {
            "I2S_CK" if controls => Some(settings.rests_high()),
            // Before the first bit the level that the standard begins from.
            "I2S_WS" if controls => Some(settings.ws(!self.right, 0) && !settings.is_pcm()),
            "I2S_SD" if !settings.receives() => Some(if controls { self.resting } else { self.follower.level() }),
            "I2S_MCK" if controls => (bank.get(I2SPR) & 1 << 9 != 0).then_some(false),
            _ => None,
        }
    }

    /// Tells the pins which levels are others than `old`.
    fn drive(&self, old: [Option<bool>; 4], bank: &Bank, env: &mut Env<'_, '_>) {
        for (signal, old) in SIGNALS.into_iter().zip(old) {
            let level = self.output(signal, bank);
            if level != old {
                env.effect(Effect::Output { signal, level });
            }
        }
    }

    /// A read of SR or DR.
    pub(super) fn read(&mut self, offset: u32, bank: &mut Bank, env: &mut Env<'_, '_>) -> u32 {
        if offset == DR {
            self.last = self.arrived.pop_front().unwrap_or(self.last);
            bank.set(DR, self.last.into());
            self.read_overrun = bank.get(SR) & OVR != 0;
            self.settle(bank, env);
            return self.last.into();
        }
        let value = bank.get(SR);
        // RM0390, "I2S error flags": reading SR clears UDR and FRE, and OVR behind a read of DR.
        let overrun = if std::mem::take(&mut self.read_overrun) { OVR } else { 0 };
        bank.flag(SR, UDR | FRE | overrun, false);
        self.settle(bank, env);
        value
    }

    /// A write to DR.
    pub(super) fn put(&mut self, data: u16) {
        if self.waiting.len() < self.depth {
            self.waiting.push_back(data);
            self.written = self.written.wrapping_add(1);
        } else if let Some(last) = self.waiting.back_mut() {
            *last = data;
        }
    }

    /// I2SCFGR or I2SPR held `old`, before the lines had the levels `levels`.
    pub(super) fn configured(&mut self, old: u32, bank: &mut Bank, env: &mut Env<'_, '_>) {
        let levels = SIGNALS.map(|_| None);
        let (before, after) = (Settings(old).is_on(), Settings(bank.get(I2SCFGR)).is_on());
        if before && !after {
            self.stop(env);
            bank.flag(SR, UDR | FRE, false);
            bank.flag(SR, BSY, false);
            for signal in SIGNALS {
                env.effect(Effect::Output { signal, level: None });
            }
        } else if after {
            self.drive(levels, bank, env);
        }
    }

    /// Everything under way is given up; what has come in stays.
    pub(super) fn stop(&mut self, env: &mut Env<'_, '_>) {
        self.shift = None;
        self.waiting.clear();
        (self.began, self.right, self.second, self.written, self.side) = (false, false, false, 0, false);
        (self.resting, self.follower) = (false, Follower::default());
        env.cancel(HALF_WORD);
        env.end_waves();
    }

    /// Back to the state after a reset.
    pub(super) fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.stop(env);
        self.arrived.clear();
        (self.last, self.read_overrun) = (0, false);
    }

    /// Puts the flags that follow into SR, begins what can, then drives interrupt and DMA requests.
    pub(super) fn settle(&mut self, bank: &mut Bank, env: &mut Env<'_, '_>) {
        self.begin(env.now(), bank, env);
        let settings = Settings(bank.get(I2SCFGR));
        let (cr2, room) = (bank.get(CR2), self.waiting.len() < self.depth);
        if !settings.receives() && room {
            // The side of what is to be written next; it stays while there is no room.
            let channels = self.written / settings.accesses();
            self.side = !settings.is_pcm() && !channels.is_multiple_of(2);
        }
        let busy = (self.shift.is_some() && !settings.receives()) || self.follower.is_busy();
        let flags = [(TXE, room), (RXNE, !self.arrived.is_empty()), (CHSIDE, self.side), (BSY, busy)];
        bank.flags(SR, &flags);
        let status = bank.get(SR);
        let wants = [(TXEIE, TXE), (RXNEIE, RXNE), (ERRIE, UDR | OVR | FRE)];
        let active = wants.into_iter().any(|(enable, flags)| cr2 & enable != 0 && status & flags != 0);
        self.lines.drive(u32::from(active), env);
        self.transmit.drive(cr2 & TXDMAEN != 0 && room, env);
        self.receive.drive(cr2 & RXDMAEN != 0 && status & RXNE != 0, env);
    }

    /// A line has another level.
    pub(super) fn input(&mut self, signal: &str, high: bool, bank: &mut Bank, env: &mut Env<'_, '_>) {
        let settings = Settings(bank.get(I2SCFGR));
        if settings.is_controller() {
            if signal == "I2S_SD" {
                self.sample(env.now(), settings.bits());
                self.sd = high;
            }
        } else {
            self.follow(signal, high, settings, bank, env);
        }
    }

    /// The period of the clock was `old`.
    pub(super) fn clock_changed(&mut self, old: Span, env: &mut Env<'_, '_>) {
        let (now, new) = (env.now(), env.clocks().period_of(self.clock));
        if let Some(shift) = &mut self.shift {
            shift.end = shift.end.rescaled(now, old, new);
            shift.start = shift.start.max(now.before(now.since(shift.start).rescaled(old, new)));
            shift.bit = shift.bit.rescaled(old, new);
            env.schedule(HALF_WORD, shift.end);
        }
    }

    /// The unit of time has become `times` smaller.
    pub(super) fn refine(&mut self, times: u64) {
        if let Some(shift) = &mut self.shift {
            (shift.start, shift.end) = (shift.start.refined(times), shift.end.refined(times));
            shift.bit = shift.bit.times(times);
        }
    }
}
