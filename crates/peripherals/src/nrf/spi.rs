//! SPI (nRF52840 PS, "SPI", "SPIM" and "SPIS"): controllers with EasyDMA and byte by byte, and a target with its semaphore.
//!
//! A byte takes two events at most, and one for each of its accesses to RAM: bytes of a transfer follow each other without a gap. A
//! controller begins with the first byte that EasyDMA reads, and reads each further one while the byte before it goes out (as was
//! measured on SPIM0 to SPIM2 in February 2023, in a study of erratum 198). END comes when all bytes are in RAM. A target reads
//! the first byte when it is selected, and each further one when the one before it goes into the shift register. There, and where others
//! drive its lines, the block follows edges (`spi_edges`). Lines have no delay, so that a later sample (IFTIMING.RXDELAY) takes the same bit.

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, TimingRow, Transfer, Width};

use super::easydma;
use super::serial::{
    ACQUIRE, CONFIG, END, FREQUENCY, ORC, RESUME, RXD, RXD_AMOUNT, RXD_LIST, RXD_MAXCNT, RXD_PTR, Role, SEMSTAT, START,
    STATUS, STOP, STOPPED, SUSPEND, Serial, TXD_AMOUNT, TXD_LIST, TXD_MAXCNT, TXD_PTR,
};
use super::signals::Tasked;
use crate::spi_edges::{self, Edges, Follower};
use crate::wires::Wave;
use crate::{Effect, Env, Instant, Source, Span};

const RELEASE: u32 = 0x28;
const READY: u32 = 0x108;
const ENDRX: u32 = 0x110;
const ENDTX: u32 = 0x120;
const ACQUIRED: u32 = 0x128;
const STARTED: u32 = 0x14C;
const DEF: u32 = 0x55C;
const CSNDUR: u32 = 0x564;
const CSNPOL: u32 = 0x568;
const DCXCNT: u32 = 0x570;

/// CONFIG.
const ORDER: u32 = 1 << 0;
const CPHA: u32 = 1 << 1;
const CPOL: u32 = 1 << 2;

/// FREQUENCY of 16 and 32 MHz.
const M16: u32 = 0x0A00_0000;
const M32: u32 = 0x1400_0000;

/// SEMSTAT.
const FREE: u32 = 0;
const CPU: u32 = 1;
const TARGET: u32 = 2;
const CPU_PENDING: u32 = 3;

/// STATUS.
const OVERREAD: u32 = 1 << 0;
const OVERFLOW: u32 = 1 << 1;

/// The events at which a byte is over, and at which the first one begins. Those below are the two-wire interface's.
pub(super) const FRAME_END: u16 = 5;
pub(super) const NEXT: u16 = 6;

/// DCXCNT for bytes of commands only.
const ALL: u32 = 15;

/// The timing that does not follow from FREQUENCY.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "spim.start",
        "from the task START, or a write of TXD, to the first bit, in periods of PCLK16M; behind the read of its first byte",
        0,
        "nRF52840 PS v1.7, SPIM, gives no figure",
    ),
    TimingRow::assumed(
        "spis.end",
        "from the last edge of SCK to the byte in RAM, in periods of PCLK16M",
        0,
        "nRF52840 PS v1.7, SPIS, gives no figure",
    ),
];

/// A transfer of SPIM.
#[derive(Clone, Debug)]
struct Transaction {
    /// The bytes that are sent: where they lie, how many there are, how many were asked for, and the next one if it has been read.
    from: u32,
    count: u32,
    asked: u32,
    next: Option<u8>,
    pointer: u32,
    most: u32,
    /// Bytes that have gone.
    index: u32,
    /// When a byte that waits for its read may begin.
    waits: Option<Instant>,
    /// Bytes have gone or come all; END waits for the last one's way to RAM.
    over: bool,
}

/// A byte under way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    sent: u8,
    end: Instant,
}

/// The bytes that a target sends: EasyDMA reads each when the one before it goes into the shift register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outgoing {
    pub(super) pointer: u32,
    pub(super) most: u32,
    /// The bytes that were asked for, and the next one if it has been read.
    pub(super) asked: u32,
    pub(super) next: Option<u8>,
    /// One is on its way.
    coming: bool,
}

impl Outgoing {
    /// The bytes from `pointer` on, `most` at most.
    pub(super) fn new(pointer: u32, most: u32) -> Self {
        Self { pointer, most, ..Self::default() }
    }

    /// True if all bytes have gone.
    pub(super) fn is_empty(&self) -> bool {
        self.next.is_none() && !self.coming && self.asked >= self.most
    }

    /// The byte that was asked for is there.
    pub(super) fn has(&mut self, byte: u8) {
        (self.next, self.coming) = (Some(byte), false);
    }

    /// The address of the byte that EasyDMA is to read now, if it is to; called where none is on its way.
    pub(super) fn ask(&mut self) -> Option<u32> {
        let address = self.pointer.wrapping_add(self.asked);
        let asks = self.next.is_none() && self.asked < self.most;
        self.asked += u32::from(asks);
        self.coming |= asks;
        asks.then_some(address)
    }
}

/// The state of SPI that no register shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Spi {
    edges: Edges,
    transaction: Option<Transaction>,
    frame: Option<Frame>,
    stops: bool,
    suspended: bool,
    /// The bytes of SPI behind the one under way, and those that have come, the first in RXD.
    waiting: Option<u8>,
    received: VecDeque<u8>,
    /// The levels of MOSI and DCX.
    data: bool,
    is_data: bool,
    /// The target's transfer: the bytes that it sends, if the semaphore is its own, and how many went.
    buffer: Option<Outgoing>,
    sent: u32,
    /// The bytes that have come and where they go.
    arrived: Vec<u8>,
    pointer: u32,
    most: u32,
    stored: u32,
    /// The target's transfer is over but for bytes on their way to RAM.
    ends: bool,
}

impl Serial {
    fn spi_config(&self, bit: u32) -> bool {
        self.signals.get(CONFIG) & bit != 0
    }

    /// A byte in the order of the wire, or back.
    fn spi_ordered(&self, byte: u8) -> u8 {
        if self.spi_config(ORDER) { byte.reverse_bits() } else { byte }
    }

    /// Half of SCK's period; `None` without a clock.
    fn half(&self, env: &Env<'_, '_>) -> Option<Span> {
        let period = env.clocks().period_of(Source::Pclk);
        match self.signals.get(FREQUENCY) {
            0 => None,
            M16 if self.is_fast() => Some(period.half()),
            M32 if self.is_fast() => Some(period.half().half()),
            rate => Some(period.rescaled(period.times(2 * u64::from(rate)), period.times(1 << 32))),
        }
    }

    pub(super) fn spi_task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        match (self.role, task) {
            (Role::Spim, START) if self.spi.transaction.is_none() => self.begin_transaction(env),
            (Role::Spim, STOP) if self.spi.frame.is_some() || self.is_storing() => self.spi.stops = true,
            (Role::Spim, STOP) => self.stopped(env),
            (Role::Spim, SUSPEND) => self.spi.suspended = true,
            (Role::Spim, RESUME) => {
                let suspended = std::mem::take(&mut self.spi.suspended);
                let over = self.spi.transaction.as_ref().is_none_or(|transaction| transaction.over);
                if suspended && !over && self.spi.frame.is_none() {
                    self.begin_frame(env.now(), env);
                }
            }
            (Role::Spis, ACQUIRE) => match self.signals.get(SEMSTAT) {
                FREE => self.grant(env),
                TARGET => self.signals.bank.set(SEMSTAT, CPU_PENDING),
                _ => {}
            },
            (Role::Spis, RELEASE) if self.signals.get(SEMSTAT) == CPU => self.signals.bank.set(SEMSTAT, FREE),
            _ => {}
        }
    }

    /// The core gets the semaphore.
    fn grant(&mut self, env: &mut Env<'_, '_>) {
        self.signals.bank.set(SEMSTAT, CPU);
        self.raise(ACQUIRED, env);
    }

    /// True while a controller's bytes are on their way to RAM.
    fn is_storing(&self) -> bool {
        self.spi.transaction.is_some() && self.dma.is_writing()
    }

    fn stopped(&mut self, env: &mut Env<'_, '_>) {
        self.spi.stops = false;
        if let Some(transaction) = self.spi.transaction.take() {
            self.dma.drop_reads(env);
            if !transaction.over {
                self.deselect(env.now(), env);
            }
        }
        env.cancel(NEXT);
        self.raise(STOPPED, env);
    }

    fn begin_transaction(&mut self, env: &mut Env<'_, '_>) {
        let get = |offset| self.signals.get(offset);
        let (pointer, most) = (get(RXD_PTR), get(RXD_MAXCNT));
        let (from, count) = (get(TXD_PTR), get(TXD_MAXCNT));
        let empty = count == 0 && most == 0;
        self.spi.transaction =
            Some(Transaction { from, count, asked: 0, next: None, pointer, most, index: 0, waits: None, over: false });
        (self.spi.stops, self.spi.suspended) = (false, false);
        for offset in [TXD_AMOUNT, RXD_AMOUNT] {
            self.signals.bank.set(offset, 0);
        }
        [TXD_LIST, RXD_LIST].into_iter().for_each(|list| self.advance_list(list));
        self.raise(STARTED, env);
        self.spi_fetch(env);
        if empty {
            let end = easydma::empty_end(env);
            return env.schedule(NEXT, end);
        }
        if self.chosen_pin("CSN").is_some() {
            // A transfer right behind another keeps its target.
            env.wires.waves.end(env.slot, Some("CSN"));
            env.effect(Effect::Output { signal: "CSN", level: Some(self.signals.get(CSNPOL) & 1 != 0) });
            // CSNDUR counts periods of 64 MHz.
            let before = env.clocks().period_of(Source::Hclk).times(self.signals.get(CSNDUR).into());
            return env.schedule(NEXT, env.now().after(before));
        }
        self.begin_frame(env.now(), env);
    }

    /// The chip select goes up again, CSNDUR behind the last byte.
    fn deselect(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if self.chosen_pin("CSN").is_some() {
            let behind = env.clocks().period_of(Source::Hclk).times(self.signals.get(CSNDUR).into());
            let idle = self.signals.get(CSNPOL) & 1 == 0;
            env.wave(Wave {
                signal: "CSN",
                start: at.after(behind),
                steps: [behind; 2],
                levels: idle.into(),
                count: 1,
            });
        }
    }

    /// EasyDMA reads the next byte to be sent.
    fn spi_fetch(&mut self, env: &mut Env<'_, '_>) {
        if let Some(transaction) = self.spi.transaction.as_mut().filter(|known| known.asked < known.count) {
            let address = transaction.from.wrapping_add(transaction.asked);
            transaction.asked += 1;
            self.dma.read(address, Width::Byte, 0, env);
        }
    }

    /// A byte to be sent is there: one that waits for it begins.
    pub(super) fn spi_fetched(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        let Some(transaction) = &mut self.spi.transaction else { return };
        transaction.next = Some(byte);
        // A suspended transfer begins with its task.
        if let Some(at) = transaction.waits.take().filter(|_| !self.spi.suspended) {
            self.begin_frame(at.max(env.now()), env);
        }
    }

    /// The byte `index` that came in is in RAM.
    pub(super) fn spi_stored(&mut self, index: u32, env: &mut Env<'_, '_>) {
        let Some(transaction) = &self.spi.transaction else { return };
        let (is_last, over) = (index + 1 == transaction.most, transaction.over);
        self.signals.bank.set(RXD_AMOUNT, index + 1);
        if is_last {
            self.raise(ENDRX, env);
        }
        if over {
            self.transaction_ended(env);
        } else if self.spi.stops && self.spi.frame.is_none() && !self.dma.is_writing() {
            self.stopped(env);
        }
    }

    fn end_transaction(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        let Some(transaction) = &mut self.spi.transaction else { return };
        transaction.over = true;
        self.deselect(at, env);
        self.transaction_ended(env);
    }

    /// Ends a transfer that is over, once all its bytes are in RAM.
    fn transaction_ended(&mut self, env: &mut Env<'_, '_>) {
        if self.dma.is_writing() {
            return;
        }
        let Some(transaction) = self.spi.transaction.take() else { return };
        if std::mem::take(&mut self.spi.stops) {
            self.raise(STOPPED, env);
        }
        // An empty buffer is at its end with the other.
        if transaction.count == 0 {
            self.raise(ENDTX, env);
        }
        if transaction.most == 0 {
            self.raise(ENDRX, env);
        }
        self.raise(END, env);
    }

    /// A byte begins at `at`.
    fn begin_frame(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        match &mut self.spi.transaction {
            Some(transaction) if transaction.index < transaction.count && transaction.next.is_none() => {
                transaction.waits = Some(at);
                return;
            }
            None if self.spi.waiting.is_none() => return,
            _ => {}
        }
        let Some(half) = self.half(env) else {
            let name = env.name();
            return env
                .gap(GapKind::Setting, format_args!("{name}: its settings make no clock, so that no transfer begins"));
        };
        let byte = match &mut self.spi.transaction {
            Some(transaction) => {
                let orc = self.signals.get(ORC) as u8;
                let index = transaction.index;
                let byte = transaction.next.take().unwrap_or(orc);
                let commands = self.signals.get(DCXCNT) & 15;
                let is_data = commands != ALL && index >= commands;
                if self.is_fast() && is_data != std::mem::replace(&mut self.spi.is_data, is_data) {
                    env.effect(Effect::Output { signal: "DCX", level: Some(is_data) });
                }
                byte
            }
            None => match self.spi.waiting.take() {
                Some(byte) => byte,
                None => return,
            },
        };
        env.wires.note(&ROWS[0]);
        self.spi.edges.received = 0;
        let sent = self.spi_ordered(byte);
        let steps = [half.times(2); 2];
        env.wave_behind(Wave { signal: "MOSI", start: at, steps, levels: sent.reverse_bits().into(), count: 8 });
        if let Some((byte, count)) = env.spi_outgoing("MISO") {
            env.wave_behind(Wave { signal: "MISO", start: at, steps, levels: byte.reverse_bits().into(), count });
        }
        // Without CPHA the first bit is there half a period ahead of the first edge.
        let start = if self.spi_config(CPHA) { at } else { at.after(half) };
        let levels = if self.spi_config(CPOL) { 0xAAAA } else { 0x5555 };
        env.wave_behind(Wave { signal: "SCK", start, steps: [half; 2], levels, count: 16 });
        self.spi.data = sent & 1 != 0;
        let end = at.after(half.times(16));
        self.spi.frame = Some(Frame { sent, end });
        env.schedule(FRAME_END, end);
        self.spi_fetch(env);
    }

    pub(super) fn spi_event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == NEXT {
            let empty = |transaction: &Transaction| transaction.count == 0 && transaction.most == 0;
            match &self.spi.transaction {
                Some(transaction) if empty(transaction) => self.end_transaction(env.now(), env),
                Some(_) if self.spi.frame.is_none() && !self.spi.suspended => self.begin_frame(env.now(), env),
                _ => {}
            }
        } else if let Some(frame) = self.spi.frame.take_if(|frame| env.now() >= frame.end) {
            self.frame_ended(frame, env);
        }
    }

    fn frame_ended(&mut self, frame: Frame, env: &mut Env<'_, '_>) {
        let sent = u32::from(frame.sent);
        let received = if env.is_shared() {
            let received = self.spi.edges.received & 0xFF;
            env.transfer(Transfer::SpiFrame { sent, received, bits: 8 });
            received
        } else {
            // A line that nobody drives has the level that its resistor gives it.
            let resting = if env.line("MISO") == Some(true) { 0xFF } else { 0 };
            let falling = self.spi_config(CPOL) != self.spi_config(CPHA);
            env.spi_frame(sent, 8, falling).unwrap_or(resting)
        };
        let received = self.spi_ordered(received as u8);
        let Some(transaction) = &mut self.spi.transaction else {
            // RXD has one byte, and there is room for another behind it.
            if self.spi.received.len() < 2 {
                self.spi.received.push_back(received);
            }
            if self.spi.received.len() == 1 {
                self.show_frame(env);
            }
            return self.begin_frame(frame.end, env);
        };
        let (index, most, count) = (transaction.index, transaction.most, transaction.count);
        transaction.index += 1;
        let pointer = transaction.pointer;
        if index < most {
            self.dma.write(pointer.wrapping_add(index), Width::Byte, received.into(), index, env);
        }
        if index < count {
            self.signals.bank.set(TXD_AMOUNT, index + 1);
        }
        if index + 1 == count {
            self.raise(ENDTX, env);
        }
        if index + 1 >= most.max(count) {
            self.end_transaction(frame.end, env);
        } else if self.spi.stops {
            // A byte on its way to RAM arrives first.
            if !self.dma.is_writing() {
                self.stopped(env);
            }
        } else if !self.spi.suspended {
            self.begin_frame(frame.end, env);
        }
    }

    fn show_frame(&mut self, env: &mut Env<'_, '_>) {
        if let Some(byte) = self.spi.received.front() {
            self.signals.bank.set(RXD, (*byte).into());
            self.raise(READY, env);
        }
    }

    /// RXD of SPI is read.
    pub(super) fn spi_taken(&mut self, env: &mut Env<'_, '_>) {
        if self.spi.received.pop_front().is_some() {
            self.show_frame(env);
        }
    }

    /// TXD of SPI is written.
    pub(super) fn spi_written(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        self.spi.waiting = Some(byte);
        if self.spi.frame.is_none() {
            self.begin_frame(env.now(), env);
        }
    }

    /// All stops at once, as it does without ENABLE.
    pub(super) fn stop_spi(&mut self, env: &mut Env<'_, '_>) {
        let mut edges = self.spi.edges;
        edges.forget();
        self.spi = Spi { edges, ..Spi::default() };
        self.dma.clear(env);
        [FRAME_END, NEXT].into_iter().for_each(|kind| env.cancel(kind));
        env.end_waves();
    }

    /// A line has the level `high` now.
    pub(super) fn spi_line(&mut self, signal: &str, high: bool, env: &mut Env<'_, '_>) {
        let selects = self.role == Role::Spis && signal == "CSN" && high != self.spi.edges.nss;
        if selects && !high {
            // The levels of the lines, which may have been there before the block had its pins.
            self.look(env);
            self.spi.edges.nss = true;
            self.begin_target();
        }
        self.line(signal, high, env);
        if selects && high {
            self.end_target(env);
        }
    }

    /// The target is selected: it has the buffers, if the core does not.
    fn begin_target(&mut self) {
        let semaphore = self.signals.get(SEMSTAT);
        // A transfer whose last bytes are on their way to RAM hands the semaphore on.
        let free = semaphore == FREE || self.spi.ends && semaphore == TARGET;
        let get = |offset| self.signals.get(offset);
        (self.spi.pointer, self.spi.most) = (get(RXD_PTR), get(RXD_MAXCNT));
        self.spi.buffer = free.then(|| Outgoing::new(get(TXD_PTR), get(TXD_MAXCNT)));
        (self.spi.sent, self.spi.stored) = (0, 0);
        self.spi.arrived.clear();
        if free {
            self.signals.bank.set(SEMSTAT, TARGET);
        }
    }

    fn end_target(&mut self, env: &mut Env<'_, '_>) {
        self.spi.edges.forget();
        let Some(buffer) = self.spi.buffer.take() else { return };
        self.dma.drop_reads(env);
        self.signals.bank.set(TXD_AMOUNT, self.spi.sent.min(buffer.most));
        self.signals.bank.set(RXD_AMOUNT, self.spi.stored);
        self.spi.ends = true;
        self.target_ended(env);
    }

    /// A byte of the target's buffer is in RAM: the last of `full` bytes for which there was room, or another one if that is 0.
    pub(super) fn target_stored(&mut self, full: u32, env: &mut Env<'_, '_>) {
        if full > 0 {
            self.signals.bank.set(RXD_AMOUNT, full);
            self.raise(ENDRX, env);
        }
        self.target_ended(env);
    }

    /// Ends a transfer of the target that is over, once all its bytes are in RAM.
    fn target_ended(&mut self, env: &mut Env<'_, '_>) {
        if !self.spi.ends || self.dma.is_writing() {
            return;
        }
        self.spi.ends = false;
        if self.spi.buffer.is_some() {
            // The next transfer has begun, with the semaphore.
            return self.raise(STOPPED, env);
        }
        let pending = self.signals.get(SEMSTAT) == CPU_PENDING;
        self.signals.bank.set(SEMSTAT, FREE);
        // The event END of a target.
        self.raise(STOPPED, env);
        if pending && self.signals.get(SEMSTAT) == FREE {
            self.grant(env);
        }
    }

    pub(super) fn spi_output(&self, signal: &str) -> Option<bool> {
        let selected = self.spi.transaction.as_ref().is_some_and(|transaction| !transaction.over);
        match (self.role, signal) {
            (Role::Spis, "MISO") => self.spi.edges.shown(),
            (Role::Spi | Role::Spim, "SCK") => Some(self.spi_config(CPOL)),
            (Role::Spi | Role::Spim, "MOSI") => Some(self.spi.data),
            (Role::Spim, "CSN") => Some((self.signals.get(CSNPOL) & 1 != 0) == selected),
            (Role::Spim, "DCX") => Some(self.spi.is_data),
            _ => None,
        }
    }

    pub(super) fn refine_spi(&mut self, times: u64) {
        if let Some(frame) = &mut self.spi.frame {
            frame.end = frame.end.refined(times);
        }
        if let Some(transaction) = &mut self.spi.transaction {
            transaction.waits = transaction.waits.map(|at| at.refined(times));
        }
    }

    /// The byte that the target sends next; `None` if EasyDMA has not read it yet.
    fn target_byte_out(&self) -> Option<u8> {
        let register = |offset| Some(self.signals.get(offset) as u8);
        match &self.spi.buffer {
            Some(bytes) if self.spi.sent < bytes.most => bytes.next,
            Some(_) => register(ORC),
            None => register(DEF),
        }
    }

    /// A byte for the target to send is there.
    pub(super) fn target_fetched(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        let sent = self.spi.sent;
        let Some(buffer) = &mut self.spi.buffer else { return };
        if buffer.asked > sent {
            return buffer.has(byte);
        }
        // One that comes too late is not sent any more: the next one is read at once.
        self.target_asks(env);
    }

    /// EasyDMA reads the next byte that the target is to send, once the one before it has gone into the shift register.
    fn target_asks(&mut self, env: &mut Env<'_, '_>) {
        let sent = self.spi.sent;
        let free = !self.dma.is_reading();
        if let Some(buffer) = self.spi.buffer.as_mut().filter(|buffer| free && buffer.asked <= sent) {
            buffer.asked = sent.min(buffer.most);
            let Some(address) = buffer.ask() else { return };
            self.dma.read(address, Width::Byte, 0, env);
        }
    }
}

impl Follower for Serial {
    const SELECT: &'static str = "CSN";
    const ANSWER: &'static str = "MISO";

    fn edges(&mut self) -> &mut Edges {
        &mut self.spi.edges
    }

    fn is_target(&self) -> bool {
        self.role == Role::Spis
    }

    fn is_framing(&self) -> bool {
        self.spi.frame.is_some()
    }

    fn is_idle_high(&self) -> bool {
        self.spi_config(CPOL)
    }

    fn is_late(&self) -> bool {
        self.spi_config(CPHA)
    }

    fn takes_mosi(&self) -> bool {
        self.is_target()
    }

    fn is_selected(&self) -> bool {
        !self.spi.edges.nss
    }

    fn frame_bits(&self) -> u8 {
        8
    }

    fn peek(&self, _: u8) -> Option<u32> {
        self.target_byte_out().map(|byte| self.spi_ordered(byte).into())
    }

    fn next(&mut self, bits: u8) -> Option<(u32, bool)> {
        let sent = self.peek(bits);
        if let Some(buffer) = &mut self.spi.buffer {
            buffer.next = None;
            if self.spi.sent >= buffer.most {
                self.signals.bank.flag(STATUS, OVERREAD, true);
            }
        }
        self.spi.sent = self.spi.sent.saturating_add(1);
        sent.map(|sent| (sent, false))
    }

    fn row(&self) -> &'static TimingRow {
        &ROWS[1]
    }

    fn taken(&mut self, _: spi_edges::Frame, received: u32) {
        let byte = self.spi_ordered(received as u8);
        if self.spi.buffer.is_some() {
            self.spi.arrived.push(byte);
        }
    }

    /// Bytes that have come to a target go to RAM, and the next one to be sent comes from there.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        for byte in std::mem::take(&mut self.spi.arrived) {
            if self.spi.stored >= self.spi.most {
                self.signals.bank.flag(STATUS, OVERFLOW, true);
                continue;
            }
            let address = self.spi.pointer.wrapping_add(self.spi.stored);
            self.spi.stored += 1;
            let full = if self.spi.stored == self.spi.most { self.spi.most } else { 0 };
            self.dma.write(address, Width::Byte, byte.into(), full, env);
        }
        self.target_asks(env);
    }
}
