//! Two-wire interfaces (nRF52840 PS, "TWI", "TWIM" and "TWIS"): controllers with EasyDMA and byte by byte, and a target.
//!
//! The bus is that of [`i2c`](crate::i2c), which tells this file what has happened on it. A controller is the only one on its
//! bus. As in the manual, a controller's clock stands low where neither STOP nor another start was asked for. A target that has been
//! called reads its first byte when its buffer is prepared, and each further one when the one before it begins; it holds the clock
//! until a byte is there.

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, I2cAddress, TimingRow, Width};

use super::serial::{
    ADDRESS, BB, FREQUENCY, LASTRX, LASTTX, ORC, READ, RESUME, RXD, RXD_AMOUNT, RXD_LIST, RXD_MAXCNT, RXD_PTR, Role,
    SHORTS, STARTRX, STARTTX, STOP, STOPPED, SUSPEND, Serial, TWI_ERRORSRC, TWIS_CONFIG, TWIS_ERRORSRC, TXD_AMOUNT,
    TXD_LIST, TXD_MAXCNT, TXD_PTR, WRITE,
};
use super::signals::Tasked;
use super::spi::Outgoing;
use crate::i2c::{Byte, I2c as Engine, Next, Times, Version};
use crate::{Bank, Env, Instance, Instant, Map, Modelled, Span, Write};

const PREPARERX: u32 = 0x30;
const PREPARETX: u32 = 0x34;
const RXDREADY: u32 = 0x108;
const TXDSENT: u32 = 0x11C;
const ERROR: u32 = 0x124;
const SUSPENDED: u32 = 0x148;
const RXSTARTED: u32 = 0x14C;
const TXSTARTED: u32 = 0x150;
const MATCH: u32 = 0x4D4;

/// ERRORSRC of a controller.
const OVERRUN: u32 = 1 << 0;
const ANACK: u32 = 1 << 1;
const DNACK: u32 = 1 << 2;
/// ERRORSRC of a target.
const OVERFLOW: u32 = 1 << 0;
const OVERREAD: u32 = 1 << 3;

/// The timing that does not follow from FREQUENCY.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "twi.halves",
        "halves of SCL's period for which it is low, and high, for which a start or a stop is held, and between two transfers",
        1,
        "nRF52840 PS v1.7, TWIM, gives a rate; UM10204 asks for no more in its modes but at the low phase of 400 kHz",
    ),
    TimingRow::assumed(
        "twi.hold",
        "from a fall of SCL to the change of SDA, and from that of a target that held SCL to its release, in periods of PCLK16M",
        8,
        "half a microsecond: nRF52840 PS v1.7, TWIM, has it as a least time, not as the time itself",
    ),
];

/// An event of the bus.
#[derive(Clone, Copy, Debug)]
pub(super) enum Happened {
    /// A start condition is over.
    Started(Instant),
    /// The ninth bit of a byte is over.
    Ninth(Byte, bool, Instant),
    /// A byte has come in that waits for its acknowledgement.
    Received(u8),
    /// A stop condition is over.
    Stopped,
    /// Somebody else has won the bus.
    Lost,
    /// The target was called, by the address of that number, to send or to receive.
    Called(u32, bool),
    /// The target has sent or received a byte, which was acknowledged or not, and was none of its buffer's.
    Byte { byte: u8, sends: bool, acknowledged: bool, beyond: bool },
    /// A start or stop condition ends the target's part.
    Over(bool),
}

/// The engine's end of the interface.
#[derive(Clone, Debug, Default)]
pub struct Twi {
    pub(super) on: bool,
    /// FREQUENCY.
    frequency: u32,
    /// The addresses of the target.
    addresses: [Option<u8>; 2],
    matched: u32,
    pub(super) happened: VecDeque<Happened>,
    /// The answer to the next byte that comes in; `None` if it is to wait.
    answer: Option<bool>,
    /// The target's prepared bytes, and the room of its prepared buffer.
    pub(super) send: Option<Outgoing>,
    pub(super) room: Option<u32>,
    orc: u8,
    /// The target's end holds the clock.
    suspended: bool,
    /// It was called to send; shortcuts hold the clock then, by WRITE and by READ.
    sends: bool,
    suspends: [bool; 2],
    /// The byte that goes out is ORC.
    beyond: bool,
}

impl Twi {
    /// Forgets all that was under way and prepared.
    pub(super) fn forget(&mut self) {
        *self = Self { on: self.on, ..Self::default() };
    }
}

/// No registers: they are the block's.
static EMPTY: Map = Map { kind: "", version: "", registers: &[] };

/// The part of a controller's transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Direction {
    #[default]
    None,
    Sends,
    Receives,
}

/// The controller's transfer under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Transfer {
    direction: Direction,
    /// The byte to be sent that EasyDMA has read, and the number of those that it is to read.
    byte: Option<u8>,
    left: u32,
    most: u32,
    amount: u32,
    pointer: u32,
    /// Asked for, and done as soon as the clock is low.
    stops: bool,
    next: Option<Direction>,
    /// A further start that is asked for, behind that one.
    after: Option<Direction>,
    suspends: bool,
    suspended: bool,
    /// The address was not acknowledged, or a byte.
    failed: bool,
    /// A byte of TWI that waits in TXD, and one in RXD that was not read.
    waiting: Option<u8>,
    unread: bool,
    /// A byte of TWI that waits for its acknowledgement.
    held: Option<u8>,
    /// That byte is in RXD already.
    shown: bool,
    /// The target's part: where its bytes go and how many went, to receive and to send.
    buffers: [(u32, u32); 2],
}

impl Serial {
    /// Hands the engine the settings. Called when they change, and when the block goes on or off.
    pub(super) fn set_up_twi(&mut self) {
        let get = |offset| self.signals.get(offset);
        let enabled = get(TWIS_CONFIG);
        let address = |index: u32| (enabled >> index & 1 != 0).then(|| get(ADDRESS + 4 * index) as u8);
        let addresses = if self.role == Role::Twis { [address(0), address(1)] } else { [None; 2] };
        let (on, frequency, orc, shorts) = (self.is_twi(), get(FREQUENCY), get(ORC) as u8, get(SHORTS));
        let own = &mut self.twi.own;
        (own.on, own.frequency, own.addresses, own.orc) = (on, frequency, addresses, orc);
        // WRITE_SUSPEND and READ_SUSPEND.
        own.suspends = [13, 14].map(|bit| shorts >> bit & 1 != 0);
    }

    pub(super) fn twi_task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        if self.role == Role::Twis {
            return self.target_task(task, env);
        }
        match task {
            STARTRX => self.ask(Direction::Receives, env),
            STARTTX
                if self.role == Role::Twim
                    && self.transfer.suspended
                    && self.transfer.direction == Direction::Sends =>
            {
                // The next buffer goes on where the last one was suspended, without another start.
                self.begin_buffer(Direction::Sends, env);
            }
            STARTTX => self.ask(Direction::Sends, env),
            STOP if self.twi.is_free() => self.raise(STOPPED, env),
            STOP => self.transfer.stops = true,
            SUSPEND => {
                self.transfer.suspends = true;
                if self.role == Role::Twim && self.twi.is_held() && !self.transfer.suspended {
                    self.suspend(env);
                }
            }
            RESUME => {
                (self.transfer.suspended, self.transfer.suspends) = (false, false);
                if let Some(byte) = self.transfer.held.take() {
                    let acknowledged = !self.transfer.stops;
                    return self.twi.acknowledge_received(byte, acknowledged, env.now(), env);
                }
            }
            _ => return,
        }
        self.go_on(env.now(), env);
    }

    /// A start condition is asked for.
    fn ask(&mut self, direction: Direction, env: &mut Env<'_, '_>) {
        if self.transfer.next.is_some() && !self.twi.is_free() {
            self.transfer.after = Some(direction);
            return;
        }
        self.transfer.next = Some(direction);
        if self.twi.is_free() {
            self.transfer.stops = false;
            self.twi.start(env.now(), env);
        }
    }

    /// The clock stands low: what comes next, if anything does.
    fn go_on(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if !self.twi.is_held() || self.transfer.held.is_some() || self.transfer.suspended {
            return;
        }
        if self.transfer.suspends {
            return self.suspend(env);
        }
        let more = !self.transfer.failed && self.has_more();
        match self.transfer.direction {
            // What was asked for comes behind the buffer; STOP at once.
            _ if self.transfer.stops => self.twi.stop(at, env),
            _ if self.transfer.next.is_some() && (!more || self.role == Role::Twi) => self.twi.start(at, env),
            Direction::Sends if more => {
                // One that EasyDMA has not read yet is waited for.
                let byte = self.transfer.waiting.take().or_else(|| self.transfer.byte.take());
                let Some(byte) = byte else { return };
                self.twi.send(Byte::Data(byte), at, env);
                if self.role == Role::Twi {
                    self.raise(BB, env);
                } else if self.is_all_read() {
                    self.raise(LASTTX, env);
                } else {
                    self.twi_fetch(env);
                }
            }
            Direction::Receives if more => {
                self.twi.receive(at, env);
                if self.role == Role::Twi {
                    self.raise(BB, env);
                } else if self.transfer.amount + 1 == self.transfer.most {
                    self.raise(LASTRX, env);
                }
            }
            _ => {}
        }
    }

    fn has_more(&self) -> bool {
        let Transfer { direction, waiting, byte, amount, most, .. } = &self.transfer;
        match (self.role, direction) {
            (_, Direction::None) => false,
            (Role::Twi, Direction::Sends) => waiting.is_some(),
            (Role::Twi, Direction::Receives) => true,
            (_, Direction::Sends) => byte.is_some() || !self.is_all_read(),
            (_, Direction::Receives) => amount < most,
        }
    }

    /// True if EasyDMA has read the buffer.
    fn is_all_read(&self) -> bool {
        self.transfer.left == 0 && !self.dma.is_reading()
    }

    /// EasyDMA reads the next byte to be sent.
    fn twi_fetch(&mut self, env: &mut Env<'_, '_>) {
        let Transfer { pointer, most, left, .. } = &mut self.transfer;
        if *left > 0 {
            let address = pointer.wrapping_add(*most - *left);
            *left -= 1;
            self.dma.read(address, Width::Byte, 0, env);
        }
    }

    /// A byte to be sent is there.
    pub(super) fn twi_fetched(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        self.transfer.byte = Some(byte);
        self.go_on(env.now(), env);
    }

    fn suspend(&mut self, env: &mut Env<'_, '_>) {
        (self.transfer.suspends, self.transfer.suspended) = (false, true);
        self.raise(SUSPENDED, env);
    }

    fn fail(&mut self, bit: u32, env: &mut Env<'_, '_>) {
        self.signals.bank.flag(TWI_ERRORSRC, bit, true);
        self.transfer.failed = true;
        self.raise(ERROR, env);
    }

    /// The engine's events are carried out.
    pub(super) fn twi_happened(&mut self, env: &mut Env<'_, '_>) {
        self.prepare_answer();
        while let Some(happened) = self.twi.own.happened.pop_front() {
            match happened {
                Happened::Started(at) => self.twi_started(at, env),
                Happened::Ninth(byte, acknowledged, at) => self.ninth(byte, acknowledged, at, env),
                Happened::Received(byte) => {
                    (self.transfer.held, self.transfer.shown) = (Some(byte), true);
                    self.show_received(byte, env);
                    self.suspend(env);
                }
                Happened::Stopped => {
                    let next = self.transfer.next;
                    self.transfer = Transfer::default();
                    self.raise(STOPPED, env);
                    if let Some(direction) = next {
                        self.ask(direction, env);
                    }
                }
                Happened::Lost => {
                    self.transfer = Transfer::default();
                    let name = env.name();
                    env.gap(
                        GapKind::Setting,
                        format_args!("{name}: another controller is on the bus, which TWIM cannot share"),
                    );
                }
                Happened::Called(index, sends) => self.target_called(index, sends, env),
                Happened::Byte { byte, sends, acknowledged, beyond } => {
                    self.target_byte(byte, sends, acknowledged && !sends || sends && !beyond, env);
                }
                Happened::Over(stopped) => self.target_over(stopped, env),
            }
            self.prepare_answer();
        }
    }

    /// The answer to the byte that comes in now.
    fn prepare_answer(&mut self) {
        let Transfer { stops, suspends, amount, most, next, .. } = self.transfer;
        self.twi.own.answer = match self.role {
            Role::Twi if suspends && !stops => None,
            Role::Twi => Some(!stops && next.is_none()),
            _ => Some(!stops && amount + 1 < most),
        };
    }

    fn twi_started(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        let direction = self.transfer.next.take().unwrap_or(Direction::Sends);
        self.transfer.next = self.transfer.after.take();
        self.begin_buffer(direction, env);
        let address = (self.signals.get(ADDRESS) as u8) << 1;
        let receives = direction == Direction::Receives;
        self.twi.send(Byte::Address(address | u8::from(receives)), at, env);
    }

    /// The buffer of the transfer to come is taken over.
    fn begin_buffer(&mut self, direction: Direction, env: &mut Env<'_, '_>) {
        let get = |offset| self.signals.get(offset);
        let (pointer, most) = match direction {
            Direction::Receives => (get(RXD_PTR), get(RXD_MAXCNT)),
            _ => (get(TXD_PTR), get(TXD_MAXCNT)),
        };
        let receives = direction == Direction::Receives;
        self.transfer.direction = direction;
        (self.transfer.pointer, self.transfer.most, self.transfer.amount) = (pointer, most, 0);
        (self.transfer.failed, self.transfer.byte, self.transfer.left) = (false, None, 0);
        if self.role == Role::Twim {
            let list = if receives { RXD_LIST } else { TXD_LIST };
            self.dma.drop_reads(env);
            if !receives {
                self.transfer.left = most;
                self.twi_fetch(env);
            }
            self.signals.bank.set(if receives { RXD_AMOUNT } else { TXD_AMOUNT }, 0);
            self.advance_list(list);
            self.raise(if receives { RXSTARTED } else { TXSTARTED }, env);
        }
    }

    fn ninth(&mut self, byte: Byte, acknowledged: bool, at: Instant, env: &mut Env<'_, '_>) {
        match byte {
            Byte::Received(byte) if self.role == Role::Twim => {
                let address = self.transfer.pointer.wrapping_add(self.transfer.amount);
                self.dma.write(address, Width::Byte, byte.into(), 0, env);
                self.transfer.amount += 1;
                self.signals.bank.set(RXD_AMOUNT, self.transfer.amount);
            }
            Byte::Received(byte) if !std::mem::take(&mut self.transfer.shown) => self.show_received(byte, env),
            Byte::Received(_) => {}
            Byte::Data(_) => {
                self.transfer.amount += 1;
                if self.role == Role::Twim {
                    self.signals.bank.set(TXD_AMOUNT, self.transfer.amount);
                } else if acknowledged {
                    self.raise(TXDSENT, env);
                }
                if !acknowledged {
                    self.fail(DNACK, env);
                }
            }
            _ if !acknowledged => self.fail(ANACK, env),
            _ => {}
        }
        self.go_on(at, env);
    }

    /// A byte of TWI is in RXD.
    fn show_received(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        if std::mem::replace(&mut self.transfer.unread, true) {
            self.signals.bank.flag(TWI_ERRORSRC, OVERRUN, true);
            self.raise(ERROR, env);
        }
        self.signals.bank.set(RXD, byte.into());
        self.raise(RXDREADY, env);
    }

    /// RXD of TWI is read.
    pub(super) fn twi_taken(&mut self) {
        self.transfer.unread = false;
    }

    /// TXD of TWI is written.
    pub(super) fn twi_written(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        self.transfer.waiting = Some(byte);
        self.go_on(env.now(), env);
    }

    fn target_task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        let get = |offset| self.signals.get(offset);
        match task {
            STOP => {
                self.twi.let_go_target(env);
                self.target_over(true, env);
            }
            SUSPEND => self.twi.own.suspended = true,
            RESUME => self.twi.own.suspended = false,
            PREPARERX => {
                self.transfer.buffers[0] = (get(RXD_PTR), 0);
                self.twi.own.room = Some(get(RXD_MAXCNT));
            }
            PREPARETX => {
                let (pointer, most) = (get(TXD_PTR), get(TXD_MAXCNT));
                self.transfer.buffers[1] = (pointer, 0);
                self.dma.drop_reads(env);
                self.twi.own.send = Some(Outgoing::new(pointer, most));
            }
            _ => return,
        }
        self.target_begins(env);
    }

    /// A target that was called begins, once its buffer is prepared.
    fn target_begins(&mut self, env: &mut Env<'_, '_>) {
        let own = &self.twi.own;
        let ready = match self.transfer.next {
            Some(Direction::Sends) => own.send.is_some(),
            Some(Direction::Receives) => own.room.is_some(),
            _ => false,
        };
        if ready {
            let sends = self.transfer.next.take() == Some(Direction::Sends);
            self.transfer.direction = if sends { Direction::Sends } else { Direction::Receives };
            self.signals.bank.set(if sends { TXD_AMOUNT } else { RXD_AMOUNT }, 0);
            self.raise(if sends { TXSTARTED } else { RXSTARTED }, env);
        }
    }

    /// EasyDMA reads the next byte that the target is to send, once the one before it has begun.
    pub(super) fn target_fetch(&mut self, env: &mut Env<'_, '_>) {
        let begun = self.transfer.direction == Direction::Sends && !self.dma.is_reading();
        if let Some(bytes) = self.twi.own.send.as_mut().filter(|_| begun && self.role == Role::Twis)
            && let Some(address) = bytes.ask()
        {
            self.dma.read(address, Width::Byte, 0, env);
        }
    }

    /// A byte for the target to send is there.
    pub(super) fn target_has(&mut self, byte: u8) {
        if let Some(bytes) = &mut self.twi.own.send {
            bytes.has(byte);
        }
    }

    fn target_called(&mut self, index: u32, sends: bool, env: &mut Env<'_, '_>) {
        self.signals.bank.set(MATCH, index);
        self.transfer.next = Some(if sends { Direction::Sends } else { Direction::Receives });
        self.raise(if sends { READ } else { WRITE }, env);
        self.target_begins(env);
    }

    /// The target has sent or received a byte, which was of its buffer (`fits`) or beyond.
    fn target_byte(&mut self, byte: u8, sends: bool, fits: bool, env: &mut Env<'_, '_>) {
        let (pointer, amount) = &mut self.transfer.buffers[usize::from(sends)];
        if !fits {
            self.signals.bank.flag(TWIS_ERRORSRC, if sends { OVERREAD } else { OVERFLOW | DNACK }, true);
            return self.raise(ERROR, env);
        }
        let address = pointer.wrapping_add(*amount);
        *amount += 1;
        let amount = *amount;
        if !sends {
            self.dma.write(address, Width::Byte, byte.into(), 0, env);
        }
        self.signals.bank.set(if sends { TXD_AMOUNT } else { RXD_AMOUNT }, amount);
    }

    fn target_over(&mut self, stopped: bool, env: &mut Env<'_, '_>) {
        (self.transfer.next, self.transfer.direction) = (None, Direction::None);
        if stopped {
            (self.twi.own.send, self.twi.own.room, self.twi.own.suspended) = (None, None, false);
            self.dma.drop_reads(env);
            self.raise(STOPPED, env);
        }
    }
}

type I2c = Engine<Twi>;

impl Version for Twi {
    const MODEL: &'static [Modelled] = &[];
    const ROWS: &'static [TimingRow] = ROWS;

    fn bank(_: &Instance) -> Bank {
        Bank::new(&EMPTY, &[])
    }

    fn still(_: &I2c, _: u32, _: Instant) -> Option<Instant> {
        None
    }

    fn times(i2c: &I2c, tick: Span, env: &Env<'_, '_>) -> Option<Times> {
        let rate = u64::from(i2c.own.frequency);
        // SCL has FREQUENCY / 2^32 of PCLK16M.
        let half = (rate > 0).then(|| tick.rescaled(tick.times(2 * rate), tick.times(1 << 32)))?;
        let hold = Self::target_times(i2c, tick, env).0;
        let hold = if hold < half { hold } else { half.half() };
        Some(Times { low: half, high: half, hold, setup: half, pause: half, free: half, start: half, stop: half })
    }

    fn started(i2c: &mut I2c, at: Instant, _: &mut Env<'_, '_>) {
        i2c.own.happened.push_back(Happened::Started(at));
    }

    fn received(i2c: &mut I2c, byte: u8) -> Option<bool> {
        if i2c.own.answer.is_none() {
            i2c.own.happened.push_back(Happened::Received(byte));
        }
        i2c.own.answer
    }

    fn ninth(i2c: &mut I2c, byte: Byte, acknowledged: bool, at: Instant, _: &mut Env<'_, '_>) {
        i2c.own.happened.push_back(Happened::Ninth(byte, acknowledged, at));
    }

    fn stopped(i2c: &mut I2c, _: &mut Env<'_, '_>) {
        i2c.own.happened.push_back(Happened::Stopped);
    }

    fn requests(_: &I2c) -> (u32, bool, bool) {
        (0, false, false)
    }

    fn is_on(i2c: &I2c) -> bool {
        i2c.own.on
    }

    fn read(_: &mut I2c, _: u32, _: &mut Env<'_, '_>) -> u32 {
        0
    }

    fn write(_: &mut I2c, _: u32, _: Write, _: &mut Env<'_, '_>) {}

    fn lost(i2c: &mut I2c, _: &mut Env<'_, '_>) {
        i2c.own.happened.push_back(Happened::Lost);
    }

    fn called(i2c: &mut I2c, address: I2cAddress, _: bool) -> bool {
        let I2cAddress::Seven(address) = address else { return false };
        let index = i2c.own.addresses.iter().position(|known| *known == Some(address));
        i2c.own.matched = index.unwrap_or(0) as u32;
        index.is_some()
    }

    fn called_by_header(_: &mut I2c, _: u8) -> bool {
        false
    }

    fn selected(i2c: &mut I2c, sends: bool) {
        let index = i2c.own.matched;
        i2c.own.sends = sends;
        i2c.own.suspended |= i2c.own.suspends[usize::from(sends)];
        i2c.own.happened.push_back(Happened::Called(index, sends));
    }

    fn target_received(i2c: &mut I2c, _: u8) -> Option<bool> {
        let room = i2c.own.room.unwrap_or(0);
        i2c.own.room = Some(room.saturating_sub(1));
        Some(room > 0)
    }

    fn target_ninth(i2c: &mut I2c, byte: u8, sends: bool, acknowledged: bool) {
        let beyond = i2c.own.beyond;
        i2c.own.happened.push_back(Happened::Byte { byte, sends, acknowledged, beyond });
    }

    fn target_next(i2c: &mut I2c) -> Next {
        let own = &mut i2c.own;
        match (&mut own.send, own.sends) {
            _ if own.suspended => Next::Wait,
            (Some(bytes), true) if bytes.is_empty() => {
                own.beyond = true;
                Next::Send(own.orc)
            }
            // One that EasyDMA has not read yet is waited for.
            (Some(bytes), true) => match bytes.next.take() {
                Some(byte) => {
                    own.beyond = false;
                    Next::Send(byte)
                }
                None => Next::Wait,
            },
            (_, false) if own.room.is_some() => Next::Receive,
            _ => Next::Wait,
        }
    }

    fn restarted(i2c: &mut I2c) {
        i2c.own.happened.push_back(Happened::Over(false));
    }

    fn target_stopped(i2c: &mut I2c, _: bool) {
        i2c.own.happened.push_back(Happened::Over(true));
    }

    fn target_times(_: &I2c, tick: Span, _: &Env<'_, '_>) -> (Span, Span) {
        let hold = tick.times(ROWS[1].cycles.into());
        (hold, hold)
    }

    fn timeout(_: &I2c, _: (bool, bool), _: &Env<'_, '_>) -> Option<Span> {
        None
    }

    fn timed_out(_: &mut I2c, _: &mut Env<'_, '_>) {}
}
