//! I2C under the registers of any vendor: the controller's end of the bus, phase by phase, with its
//! times and levels.
//!
//! A byte takes two events: the fall of SCL after its eighth bit, at which the target or the version decides on the
//! acknowledgement, and the fall after the ninth. Between phases SCL is low and the version says what comes next, at once or
//! when software has done its part.
//!
//! The lines rise at once. Where others drive the clock of the bus, too, phases end as the lines say (`shared`): there
//! the block can lose the bus and be a target.

mod shared;
mod version;

use cyclescope_machine::i2c::packet_error_code;
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{GapKind, I2cAddress, Transfer};

use self::shared::Ends;
pub use self::shared::Next;
pub use self::version::Version;
use crate::wires::{Answer, Wave};
use crate::{
    AlternateFunction, Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Lines, Source, Span, Tree,
    Words, Write,
};

/// The event at which the phase under way ends.
const STEP: u16 = 0;
/// The event at which the controller's end goes on, on a bus that others drive.
pub(crate) const DRIVE: u16 = 1;
/// The event at which the target's end goes on.
pub(crate) const TARGET: u16 = 2;
/// The event at which lines have not moved for too long.
pub(crate) const TIMEOUT: u16 = 3;
/// The event at which the block itself has held SCL for too long.
const EXTENDED: u16 = 4;

/// The times of the bus, from a version's registers.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// From a fall of SCL to its rise.
    pub low: Span,
    /// From a rise of SCL to its fall.
    pub high: Span,
    /// From a fall of SCL to the change of SDA.
    pub hold: Span,
    /// The least time that SCL stays low after software has let a held transfer go on.
    pub setup: Span,
    /// From the rise of SCL to a repeated start.
    pub pause: Span,
    /// The least time from a stop to a start.
    pub free: Span,
    /// From a start to the fall of SCL.
    pub start: Span,
    /// From the rise of SCL to a stop.
    pub stop: Span,
}

/// A byte on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// An address of seven bits and the direction.
    Address(u8),
    /// The first byte of an address of ten bits, and the direction.
    Header(u8),
    /// The second byte of an address of ten bits.
    Second(u8),
    /// Data for the target.
    Data(u8),
    /// Data from the target.
    Received(u8),
}

impl Byte {
    /// The eight bits.
    pub const fn bits(self) -> u8 {
        match self {
            Self::Address(bits) | Self::Header(bits) | Self::Second(bits) | Self::Data(bits) | Self::Received(bits) => {
                bits
            }
        }
    }
}

/// The part of a transfer that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Both lines are high.
    #[default]
    Free,
    /// A start condition, up to the fall of SCL.
    Starting,
    /// Eight bits.
    Bits(Byte),
    /// The acknowledgement.
    Ninth(Byte, bool),
    /// SCL is low until somebody says what comes next.
    Held,
    /// A stop condition.
    Stopping,
}

/// The controller's end of the bus.
#[derive(Clone, Copy, Debug, Default)]
struct Engine {
    phase: Phase,
    /// When the phase began.
    begin: Instant,
    /// When it ends, or ended.
    end: Instant,
    /// The first time at which a start condition may come.
    free_from: Instant,
    /// The latest level of SDA.
    sda: bool,
    /// An address of ten bits of which the first byte was acknowledged.
    ten: u16,
    /// True while the target that was addressed sends.
    sends: bool,
}

/// The time for which the block has held SCL for software.
#[derive(Clone, Copy, Debug, Default)]
struct Extension {
    /// The sum of the holds that are over.
    sum: Span,
    /// The begin of the one under way.
    since: Option<Instant>,
}

/// One block.
#[derive(Clone, Debug)]
pub struct I2c<V> {
    pub(crate) bank: Bank,
    pub(crate) own: V,
    engine: Engine,
    clock: Source,
    lines: Lines,
    transmit: DmaRequest,
    receive: DmaRequest,
    numbers: [Option<u8>; 2],
    pins: &'static [AlternateFunction],
    pub(crate) ends: Ends,
    /// The packet error code of the bytes since the start condition.
    pub(crate) code: u8,
    /// A transfer is under way, so that a start condition is a repeated one.
    in_packet: bool,
    /// SMBA is pulled low.
    alerts: bool,
    extension: Extension,
}

/// The lines for events and errors; one alone is for both.
fn lines(instance: &Instance) -> Lines {
    match instance.interrupts {
        [alone] => Lines::new(instance, &[(alone.signal, 3)]),
        _ => Lines::new(instance, &[("EV", 1), ("ER", 2), ("GLOBAL", 3)]),
    }
}

impl<V: Version> I2c<V> {
    /// The block `instance`, clocked by its bus.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: V::bank(instance),
            own: V::default(),
            engine: Engine { sda: true, ..Engine::default() },
            clock: instance.clock.source(),
            lines: lines(instance),
            transmit: DmaRequest::new(instance, V::REQUESTS[0]),
            receive: DmaRequest::new(instance, V::REQUESTS[1]),
            numbers: ["RX", "TX"].map(|name| instance.request(name)),
            pins: instance.pins,
            ends: Ends::default(),
            code: 0,
            in_packet: false,
            alerts: false,
            extension: Extension::default(),
        }
    }

    /// Selects the kernel clock; whether it was another.
    pub fn set_clock(&mut self, clock: Source) -> bool {
        std::mem::replace(&mut self.clock, clock) != clock
    }

    /// The DMA has one transfer of the request `number` left.
    pub fn one_left(&mut self, number: u8) {
        if let Some(index) = self.numbers.iter().position(|known| *known == Some(number)) {
            V::one_left(self, index == 0);
        }
    }

    pub(crate) fn clock(&self) -> Source {
        self.clock
    }

    pub(crate) fn phase(&self) -> Phase {
        self.engine.phase
    }

    pub(crate) fn free_from(&self) -> Instant {
        self.engine.free_from
    }

    /// From `at` on the block holds SCL for software.
    pub(crate) fn hold_begins(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if self.extension.since.is_none()
            && let Some(limit) = V::extension(self, env)
        {
            self.extension.since = Some(at);
            let left = if limit > self.extension.sum { limit.minus(self.extension.sum) } else { Span::ZERO };
            env.schedule(EXTENDED, at.after(left));
        }
    }

    /// Software has done its part.
    pub(crate) fn hold_ends(&mut self, env: &mut Env<'_, '_>) {
        if let Some(since) = self.extension.since.take() {
            let now = env.now();
            if now > since {
                self.extension.sum = self.extension.sum.plus(now.since(since));
            }
            env.cancel(EXTENDED);
        }
    }

    /// The sum of holds begins anew.
    pub(crate) fn forget_holds(&mut self, env: &mut Env<'_, '_>) {
        self.extension = Extension::default();
        env.cancel(EXTENDED);
    }

    /// A phase begins that ends when the lines say so.
    pub(crate) fn enter_shared(&mut self, phase: Phase, at: Instant, env: &mut Env<'_, '_>) {
        self.hold_ends(env);
        (self.engine.phase, self.engine.begin) = (phase, at);
    }

    /// The controller's end takes no part any more.
    pub(crate) fn leave(&mut self) {
        self.engine = Engine { sda: true, ..Engine::default() };
    }

    /// The bits that were on the line in the phase that ends now.
    pub(crate) fn sampled(&mut self, bits: u8) {
        self.engine.phase = match self.engine.phase {
            Phase::Bits(Byte::Received(_)) => Phase::Bits(Byte::Received(bits)),
            Phase::Ninth(byte, _) => Phase::Ninth(byte, bits & 1 == 0),
            phase => phase,
        };
    }

    /// The phase ends at `at`, as the lines have said.
    pub(crate) fn step_at(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        self.engine.end = at;
        self.step(env);
    }

    /// A start condition: the packet error code begins anew, unless it is a repeated one.
    pub(crate) fn begin_code(&mut self) {
        if !std::mem::replace(&mut self.in_packet, true) {
            self.code = 0;
        }
    }

    /// A stop condition: the next start condition is no repeated one.
    pub(crate) fn end_code(&mut self) {
        self.in_packet = false;
    }

    /// `byte` counts for the packet error code.
    pub(crate) fn add_to_code(&mut self, byte: u8) {
        self.code = packet_error_code(self.code, byte);
    }

    pub(crate) fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// True if SCL is low and nothing goes on.
    pub(crate) fn is_held(&self) -> bool {
        self.engine.phase == Phase::Held
    }

    /// True if nothing is on the bus, nor about to be.
    pub(crate) fn is_free(&self) -> bool {
        self.engine.phase == Phase::Free
    }

    /// True from a start condition to the stop condition, as the lines show it.
    pub(crate) fn is_busy(&self, env: &Env<'_, '_>) -> bool {
        match self.engine.phase {
            _ if env.is_shared() => self.ends.lines.busy,
            Phase::Free => false,
            Phase::Starting => env.now() >= self.engine.begin,
            _ => true,
        }
    }

    /// The first time after `now` at which [`Self::is_busy`] changes without an event: where a start condition begins later.
    pub(crate) fn busy_still(&self, now: Instant) -> Instant {
        match self.engine.phase {
            Phase::Starting if now < self.engine.begin => self.engine.begin,
            _ => Instant::NEVER,
        }
    }

    /// Gives up what is under way and lets the lines go.
    pub(crate) fn stop_at_once(&mut self, env: &mut Env<'_, '_>) {
        self.leave();
        self.end_code();
        self.let_go(env);
        self.forget_holds(env);
        env.cancel(STEP);
        env.end_waves();
        self.show(env);
    }

    /// Puts the levels on the pins: high, if the block is on.
    pub(crate) fn show(&self, env: &mut Env<'_, '_>) {
        for signal in ["SCL", "SDA"] {
            env.effect(Effect::Output { signal, level: self.output(signal) });
        }
    }

    pub(crate) fn times(&self, env: &mut Env<'_, '_>) -> Option<Times> {
        let tick = env.clocks().period_of(self.clock);
        let times = V::times(self, tick, env).filter(|_| tick != Span::ZERO);
        if times.is_none() {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: its settings make no clock, so that no transfer begins"));
        }
        V::ROWS.iter().for_each(|row| env.wires.note(row));
        times
    }

    /// The phase is `phase` until `end`, and began at `begin`.
    fn enter(&mut self, phase: Phase, begin: Instant, end: Instant, env: &mut Env<'_, '_>) {
        self.hold_ends(env);
        (self.engine.phase, self.engine.begin, self.engine.end) = (phase, begin, end);
        env.schedule(STEP, end);
    }

    /// When SCL rises, if somebody says at `at` that it may, and a target holds it for `stretch`.
    fn rise(&self, times: &Times, at: Instant, stretch: Span, env: &mut Env<'_, '_>) -> Instant {
        let fell = self.engine.end;
        let low = fell.after(times.low).max(at.after(stretch));
        let rise = if at == fell { low } else { low.max(at.after(times.setup)) };
        if let Some(limit) = V::timeout(self, (false, false), env)
            && rise <= fell.after(limit)
        {
            env.cancel(TIMEOUT);
        }
        rise
    }

    /// Clocks from `rise` on; the fall of the last one is the next phase's.
    fn clocks(&self, rise: Instant, times: &Times, count: u8, env: &mut Env<'_, '_>) -> Instant {
        let steps = [times.high, times.low];
        env.wave(Wave { signal: "SCL", start: rise, steps, levels: 0x5555, count: count * 2 - 1 });
        rise.after(times.high.times(count.into())).after(times.low.times(u64::from(count) - 1))
    }

    /// SDA gets the level `high`, and later the `levels` from `later` on, one each `period`.
    fn data(&mut self, at: Instant, levels: u64, count: u8, later: Instant, period: Span, env: &mut Env<'_, '_>) {
        let first = levels & 1 != 0;
        if at <= env.now() {
            env.effect(Effect::Output { signal: "SDA", level: Some(first) });
            let steps = [period; 2];
            if count > 1 {
                env.wave(Wave { signal: "SDA", start: later, steps, levels: levels >> 1, count: count - 1 });
            }
        } else {
            // The first level comes after SCL's fall and lasts up to the same point of the next.
            let steps = [later.since(at), period];
            let steps = if count > 2 { [period; 2] } else { steps };
            env.wave(Wave { signal: "SDA", start: at, steps, levels, count });
        }
        self.engine.sda = levels >> (count - 1) & 1 != 0;
    }

    /// When SDA changes, if somebody says at `at` what comes next and SCL rises at `rise`.
    fn change(&self, times: &Times, at: Instant, rise: Instant) -> Instant {
        let fell = self.engine.end;
        if at == fell && rise == fell.after(times.low) { fell.after(times.hold) } else { at }
    }

    /// Eight bits go over SDA.
    fn bits(&mut self, byte: Byte, stretch: Picoseconds, at: Instant, env: &mut Env<'_, '_>) {
        let Some(times) = self.times(env) else { return };
        if env.is_shared() {
            let own = !matches!(byte, Byte::Received(_));
            return self.bits_shared(Phase::Bits(byte), (byte.bits(), 8, own), at, env);
        }
        let rise = self.rise(&times, at, env.clocks().span(stretch), env);
        let period = times.low.plus(times.high);
        let levels = u64::from(byte.bits().reverse_bits());
        let end = self.clocks(rise, &times, 8, env);
        let change = self.change(&times, at, rise);
        self.data(change, levels, 8, rise.after(times.high).after(times.hold), period, env);
        self.enter(Phase::Bits(byte), at, end, env);
    }

    /// Sends a byte.
    pub(crate) fn send(&mut self, byte: Byte, at: Instant, env: &mut Env<'_, '_>) {
        self.bits(byte, Picoseconds::ZERO, at, env);
    }

    /// Receives a byte.
    pub(crate) fn receive(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if env.is_shared() {
            return self.bits(Byte::Received(u8::MAX), Picoseconds::ZERO, at, env);
        }
        let (byte, answer) = if self.engine.sends { env.i2c_read() } else { (u8::MAX, Answer::default()) };
        self.bits(Byte::Received(byte), answer.stretch, at, env);
    }

    /// The ninth bit of `byte`.
    fn acknowledge(&mut self, byte: Byte, answer: Answer, at: Instant, env: &mut Env<'_, '_>) {
        let Some(times) = self.times(env) else { return };
        if env.is_shared() {
            // A receiver decides on the bit; a sender lets it go.
            let own = matches!(byte, Byte::Received(_));
            let level = u8::from(!(own && answer.acknowledged));
            return self.bits_shared(Phase::Ninth(byte, false), (level, 1, own), at, env);
        }
        let rise = self.rise(&times, at, env.clocks().span(answer.stretch), env);
        let end = self.clocks(rise, &times, 1, env);
        let change = self.change(&times, at, rise);
        self.data(change, u64::from(!answer.acknowledged), 1, end, Span::ZERO, env);
        self.enter(Phase::Ninth(byte, answer.acknowledged), at, end, env);
    }

    /// The ninth bit of a byte that was received and held.
    pub(crate) fn acknowledge_received(&mut self, byte: u8, acknowledged: bool, at: Instant, env: &mut Env<'_, '_>) {
        self.acknowledge(Byte::Received(byte), Answer { acknowledged, ..Answer::default() }, at, env);
    }

    /// A start condition: as soon as the bus is free, or from held lines a repeated one.
    pub(crate) fn start(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        let Some(times) = self.times(env) else { return };
        if env.is_shared() {
            return self.start_shared(at, env);
        }
        if self.is_free() {
            let begin = at.max(self.engine.free_from);
            let end = begin.after(times.start);
            self.data(begin, 0, 1, end, Span::ZERO, env);
            return self.enter(Phase::Starting, begin, end, env);
        }
        let rise = self.rise(&times, at, Span::ZERO, env);
        let fall = rise.after(times.pause);
        env.wave(Wave { signal: "SCL", start: rise, steps: [times.high; 2], levels: 1, count: 1 });
        self.data(self.change(&times, at, rise), 1, 2, fall, Span::ZERO, env);
        self.enter(Phase::Starting, at, fall.after(times.start), env);
    }

    /// A stop condition from held lines.
    pub(crate) fn stop(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        let Some(times) = self.times(env) else { return };
        if env.is_shared() {
            return self.stop_shared(at, env);
        }
        let rise = self.rise(&times, at, Span::ZERO, env);
        let end = rise.after(times.stop);
        env.wave(Wave { signal: "SCL", start: rise, steps: [times.high; 2], levels: 1, count: 1 });
        self.data(self.change(&times, at, rise), 2, 2, end, Span::ZERO, env);
        self.enter(Phase::Stopping, at, end, env);
    }

    /// The targets' answer to the eight bits of `byte`.
    fn answer(&mut self, byte: Byte, env: &mut Env<'_, '_>) -> Answer {
        match byte {
            Byte::Address(bits) => {
                self.engine.sends = bits & 1 != 0;
                env.i2c_start(I2cAddress::Seven(bits >> 1), bits & 1 != 0)
            }
            Byte::Header(bits) if bits & 1 != 0 => {
                self.engine.sends = true;
                env.i2c_start(I2cAddress::Ten(self.engine.ten), true)
            }
            Byte::Header(bits) => {
                self.engine.ten = u16::from(bits >> 1 & 3) << 8;
                Answer { acknowledged: env.i2c_header(bits >> 1 & 3), ..Answer::default() }
            }
            Byte::Second(bits) => {
                self.engine.ten = self.engine.ten & 0x300 | u16::from(bits);
                env.i2c_start(I2cAddress::Ten(self.engine.ten), false)
            }
            Byte::Data(bits) => env.i2c_write(bits),
            Byte::Received(_) => Answer::default(),
        }
    }

    /// The phase under way is over.
    fn step(&mut self, env: &mut Env<'_, '_>) {
        let at = self.engine.end;
        let phase = std::mem::replace(&mut self.engine.phase, Phase::Held);
        let shared = env.is_shared();
        if phase != Phase::Stopping && !shared {
            env.effect(Effect::Output { signal: "SCL", level: Some(false) });
            if let Some(limit) = V::timeout(self, (false, false), env) {
                env.schedule(TIMEOUT, at.after(limit));
            }
        }
        if matches!(phase, Phase::Starting | Phase::Ninth(..) | Phase::Stopping) {
            self.forget_holds(env);
        }
        match phase {
            Phase::Free | Phase::Held => self.engine.phase = phase,
            Phase::Starting => {
                self.begin_code();
                V::started(self, at, env);
            }
            Phase::Bits(Byte::Received(byte)) => {
                if let Some(acknowledged) = V::received(self, byte) {
                    self.acknowledge_received(byte, acknowledged, at, env);
                }
            }
            Phase::Bits(byte) if shared => {
                if let Byte::Second(bits) = byte {
                    self.engine.ten = self.engine.ten & 0x300 | u16::from(bits);
                }
                self.acknowledge(byte, Answer::default(), at, env);
            }
            Phase::Bits(byte) => {
                let answer = self.answer(byte, env);
                self.acknowledge(byte, answer, at, env);
            }
            Phase::Ninth(byte, acknowledged) => {
                self.add_to_code(byte.bits());
                if let Byte::Received(byte) = byte {
                    env.transfer(Transfer::I2cByte { byte, acknowledged });
                    self.engine.sends &= acknowledged;
                } else if shared {
                    self.tell(byte, acknowledged, env);
                }
                V::ninth(self, byte, acknowledged, at, env);
            }
            Phase::Stopping => {
                env.cancel(TIMEOUT);
                self.end_code();
                if shared {
                    env.transfer(Transfer::I2cStop);
                } else {
                    env.effect(Effect::Output { signal: "SDA", level: Some(true) });
                    env.i2c_stop();
                }
                let free_from = self.times(env).map_or(at, |times| at.after(times.free));
                self.engine = Engine { sda: true, free_from, ..Engine::default() };
                V::stopped(self, env);
            }
        }
        if self.is_held()
            && V::extension(self, env).is_some()
            && let Some(times) = self.times(env)
        {
            self.hold_begins(at.after(times.low), env);
        }
    }

    /// Tells observers about a byte that went to others on the bus.
    fn tell(&mut self, byte: Byte, acknowledged: bool, env: &mut Env<'_, '_>) {
        let start = match byte {
            Byte::Address(bits) => Some((I2cAddress::Seven(bits >> 1), bits & 1 != 0)),
            Byte::Header(bits) if bits & 1 != 0 => Some((I2cAddress::Ten(self.engine.ten), true)),
            Byte::Header(bits) => {
                self.engine.ten = u16::from(bits >> 1 & 3) << 8;
                None
            }
            Byte::Second(_) => Some((I2cAddress::Ten(self.engine.ten), false)),
            Byte::Data(byte) | Byte::Received(byte) => {
                env.transfer(Transfer::I2cByte { byte, acknowledged });
                None
            }
        };
        if let Some((address, read)) = start {
            env.transfer(Transfer::I2cStart { address, read, acknowledged });
        }
    }

    /// Drives SMBA, interrupt lines and DMA requests.
    pub(crate) fn settle(&mut self, env: &mut Env<'_, '_>) {
        V::follow(self, env);
        let alerts = V::alerts(self);
        if alerts != std::mem::replace(&mut self.alerts, alerts) {
            env.effect(Effect::Output { signal: "SMBA", level: Some(!alerts) });
        }
        let (active, send, receive) = V::requests(self);
        self.lines.drive(active, env);
        self.transmit.drive(send, env);
        self.receive.drive(receive, env);
    }
}

impl<V: Version> Block<Words> for I2c<V> {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = V::read(self, offset, env);
        if self.ends.is_waiting() {
            self.target_go(env);
        }
        self.settle(env);
        value
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        V::write(self, offset, write, env);
        if self.ends.is_waiting() {
            self.target_go(env);
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            STEP => self.step(env),
            DRIVE => self.drive(env),
            TARGET => self.target_due(env),
            TIMEOUT => V::timed_out(self, env),
            EXTENDED if self.extension.since.is_some() => V::timed_out(self, env),
            _ => return,
        }
        self.settle(env);
    }

    fn still(&self, offset: u32, now: Instant, _: &Clocks) -> Option<Instant> {
        V::still(self, offset, now)
    }

    fn hears(&self, index: usize) -> bool {
        self.pins.get(index).is_some_and(|wired| wired.signal == "SMBA")
    }

    fn hears_shared(&self, _: usize) -> bool {
        true
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        match self.pins.get(index).map(|wired| wired.signal) {
            Some("SCL") => self.line(true, high, env),
            Some("SDA") => self.line(false, high, env),
            Some("SMBA") if !high && V::is_on(self) => V::alerted(self),
            _ => return,
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.own = V::default();
        self.stop_at_once(env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after, now) = (old.period_of(self.clock), env.clocks().period_of(self.clock), env.now());
        if env.is_shared() {
            return self.rescale_ends(before, after, old, env);
        }
        if matches!(self.engine.phase, Phase::Free | Phase::Held) {
            return;
        }
        env.rescale_waves(before, after);
        if after != Span::ZERO && self.engine.end > now {
            self.engine.end = self.engine.end.rescaled(now, before, after);
        }
        env.schedule(STEP, self.engine.end);
    }

    fn refine(&mut self, times: u64) {
        for at in [&mut self.engine.begin, &mut self.engine.end, &mut self.engine.free_from] {
            *at = at.refined(times);
        }
        self.ends.refine(times);
        self.extension.sum = self.extension.sum.times(times);
        self.extension.since = self.extension.since.map(|since| since.refined(times));
    }

    /// The levels that the phase under way leaves.
    fn output(&self, signal: &str) -> Option<bool> {
        let level = match signal {
            "SMBA" => !self.alerts,
            "SCL" if self.ends.is_driving() || !self.ends.output(0) => self.ends.output(0),
            "SDA" if self.ends.is_driving() || !self.ends.output(1) => self.ends.output(1),
            "SCL" => matches!(self.engine.phase, Phase::Free | Phase::Stopping),
            "SDA" => self.engine.sda,
            _ => return None,
        };
        V::is_on(self).then_some(level)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
