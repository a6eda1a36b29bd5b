//! Serial ports (nRF52840 PS, "UARTE — Universal asynchronous receiver/transmitter with EasyDMA" and, for UART0, "UART"): exact
//! frame lengths, EasyDMA or single bytes as ENABLE says, flow control, errors, and the levels of TXD and RTS.
//!
//! A bit takes 2^32 / BAUDRATE periods of PCLK16M, whole ones. The receiver has a FIFO of six bytes. EasyDMA reads a byte for the
//! transmitter while the one before it goes out, and ENDRX comes when the last byte is in RAM. The lines of other ports and of the console bring whole characters, always with the right
//! parity, so that PARITY never comes up.

use cyclescope_machine::{GapKind, Pin, TimingRow, Width};

use super::easydma::{self, DECIDED, EasyDma, Master, Moved};
use super::select;
use super::signals::{Short, Signals, Tasked};
use crate::serial::{Format, Port, Registers};
use crate::wires::Wave;
use crate::{
    AlternateFunction, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Span, Tree, Words, Write,
};

const STARTRX: u32 = 0x00;
const STOPRX: u32 = 0x04;
const STARTTX: u32 = 0x08;
const STOPTX: u32 = 0x0C;
const SUSPEND: u32 = 0x1C;
const FLUSHRX: u32 = 0x2C;
const CTS: u32 = 0x100;
const NCTS: u32 = 0x104;
const RXDRDY: u32 = 0x108;
const ENDRX: u32 = 0x110;
const TXDRDY: u32 = 0x11C;
const ENDTX: u32 = 0x120;
const ERROR: u32 = 0x124;
const RXTO: u32 = 0x144;
const RXSTARTED: u32 = 0x14C;
const TXSTARTED: u32 = 0x150;
const TXSTOPPED: u32 = 0x158;
const ERRORSRC: u32 = 0x480;
const ENABLE: u32 = 0x500;
const PSEL_RTS: u32 = 0x508;
const PSEL_TXD: u32 = 0x50C;
const PSEL_CTS: u32 = 0x510;
const PSEL_RXD: u32 = 0x514;
const RXD: u32 = 0x518;
const TXD: u32 = 0x51C;
const BAUDRATE: u32 = 0x524;
const RXD_PTR: u32 = 0x534;
const RXD_MAXCNT: u32 = 0x538;
const RXD_AMOUNT: u32 = 0x53C;
const TXD_PTR: u32 = 0x544;
const TXD_MAXCNT: u32 = 0x548;
const TXD_AMOUNT: u32 = 0x54C;
const CONFIG: u32 = 0x56C;

/// ENABLE.
const UART: u32 = 4;
const WITH_DMA: u32 = 8;

/// ERRORSRC.
const OVERRUN: u32 = 1 << 0;
const FRAMING: u32 = 1 << 2;
const BREAK: u32 = 1 << 3;

/// CONFIG.
const HWFC: u32 = 1 << 0;
const PARITY: u32 = 7 << 1;
const STOP: u32 = 1 << 4;

/// Bytes of the receiver's FIFO, and the room in it that makes RTS go up.
const FIFO: usize = 6;
const RESERVE: usize = 4;

/// The event at which the receiver has stopped. The first three are the port's own.
const TIMEOUT: u16 = 3;
/// The event at which a reception without bytes ends.
const EMPTY: u16 = 4;

/// CTS_STARTRX, NCTS_STOPRX, ENDRX_STARTRX, ENDRX_STOPRX.
const SHORTS: &[Short] = &[(3, CTS, STARTRX), (4, NCTS, STOPRX), (5, ENDRX, STARTRX), (6, ENDRX, STOPRX)];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The timing that does not follow from BAUDRATE.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "uarte.start",
        "from a start of the transmitter, or a write of TXD, to the start bit, in periods of PCLK16M; behind the read of its \
         first byte",
        0,
        "nRF52840 PS v1.7, UARTE, gives no figure",
    ),
    TimingRow::assumed(
        "uarte.rxto",
        "from the task STOPRX to the event RXTO on a quiet line, in frames",
        4,
        "nRF52840 PS v1.7, UARTE, Reception: up to four bytes are still received behind RTS",
    ),
];

/// The buffer that the receiver fills.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    pointer: u32,
    most: u32,
    amount: u32,
    /// The number of its begin, which its bytes on their way to RAM carry.
    number: u32,
}

/// The bytes of a transmission that EasyDMA has not asked for yet.
#[derive(Clone, Copy, Debug, Default)]
struct Outgoing {
    next: u32,
    left: u32,
}

/// One serial port.
#[derive(Clone, Debug)]
pub struct Uarte {
    signals: Signals,
    port: Port<Instant>,
    dma: Master,
    outgoing: Outgoing,
    pins: &'static [AlternateFunction],
    /// The bytes sent by the transfer under way; `None` while the transmitter is off.
    sent: Option<u32>,
    /// The transmitter stops with the end of the frame under way.
    stops: bool,
    /// The receiver is on.
    receives: bool,
    buffer: Option<Buffer>,
    /// The begins of buffers, which wrap around.
    buffers: u32,
    /// The buffer ends with the bytes that have come.
    flushes: bool,
    /// The receiver has stopped, and RXTO comes behind the end of its buffer.
    owes_timeout: bool,
    /// When the receiver is off, behind STOPRX.
    off_at: Instant,
    /// The level of CTS, where a pin has it.
    cts: Option<bool>,
    rts: Option<bool>,
}

impl Uarte {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, SHORTS),
            port: Port::named(instance.name),
            dma: Master::new(instance),
            outgoing: Outgoing::default(),
            pins: instance.pins,
            sent: None,
            stops: false,
            receives: false,
            buffer: None,
            buffers: 0,
            flushes: false,
            owes_timeout: false,
            off_at: Instant::NEVER,
            cts: None,
            rts: None,
        }
    }

    /// The level of CTS, as the port knows it.
    pub fn seen(&self) -> Option<bool> {
        self.cts
    }

    /// The pin that the port has chosen for `signal`, while it is on.
    pub fn chosen_pin(&self, signal: &str) -> Option<Pin> {
        let offset = match signal {
            "RTS" => PSEL_RTS,
            "TX" => PSEL_TXD,
            "CTS" => PSEL_CTS,
            "RX" => PSEL_RXD,
            _ => return None,
        };
        select::connected(self.signals.get(offset)).filter(|_| self.is_on())
    }

    fn mode(&self) -> u32 {
        self.signals.get(ENABLE) & 15
    }

    fn is_on(&self) -> bool {
        matches!(self.mode(), UART | WITH_DMA)
    }

    fn has_dma(&self) -> bool {
        self.mode() == WITH_DMA
    }

    fn config(&self, bits: u32) -> bool {
        self.signals.get(CONFIG) & bits != 0
    }

    fn format(&self) -> Format {
        Format { data: 8, parity: self.config(PARITY), stop_halves: if self.config(STOP) { 4 } else { 2 } }
    }

    /// The time of `halves` of a bit; `None` without a bit rate. A bit has whole periods of PCLK16M: so are the actual rates in
    /// the description of BAUDRATE (nrf-pac 0.4.0), such as 115,108 baud, 139 periods, for 0x01D60000.
    fn halves(&self, halves: u64, env: &Env<'_, '_>) -> Option<Span> {
        let period = env.clocks().period_of(Source::Pclk);
        let bit = (1u64 << 32).checked_div(self.signals.get(BAUDRATE).into())?;
        Some(period.times(halves * bit).rescaled(period.times(2), period))
    }

    fn error(&mut self, bits: u32, env: &mut Env<'_, '_>) {
        self.signals.bank.flag(ERRORSRC, bits, true);
        self.raise(ERROR, env);
    }

    /// The transmitter has nothing more to send.
    fn end_transmission(&mut self, env: &mut Env<'_, '_>) {
        if let Some(sent) = self.sent.take() {
            self.drop_outgoing(env);
            if self.has_dma() {
                self.signals.bank.set(TXD_AMOUNT, sent);
                self.raise(ENDTX, env);
            }
        }
    }

    /// Drops the bytes that have not begun to go out.
    fn drop_outgoing(&mut self, env: &mut Env<'_, '_>) {
        self.port.to_send.clear();
        self.outgoing = Outgoing::default();
        if self.dma.is_reading() {
            self.dma.drop_reads(env);
        }
    }

    /// EasyDMA reads the next byte for the transmitter.
    fn fetch(&mut self, env: &mut Env<'_, '_>) {
        if self.outgoing.left > 0 {
            let address = self.outgoing.next;
            self.outgoing = Outgoing { next: address.wrapping_add(1), left: self.outgoing.left - 1 };
            self.dma.read(address, Width::Byte, 0, env);
        }
    }

    fn stop_transmitter(&mut self, env: &mut Env<'_, '_>) {
        if self.port.is_sending() {
            self.stops = true;
            self.drop_outgoing(env);
            return;
        }
        self.end_transmission(env);
        if self.has_dma() {
            self.raise(TXSTOPPED, env);
        }
    }

    fn start_receiver(&mut self, env: &mut Env<'_, '_>) {
        self.receives = true;
        self.owes_timeout = false;
        self.off_at = Instant::NEVER;
        env.cancel(TIMEOUT);
        if self.has_dma() {
            self.begin_buffer();
            self.raise(RXSTARTED, env);
            self.drain(env);
        }
        self.listen(env);
    }

    fn begin_buffer(&mut self) {
        let [pointer, most] = [RXD_PTR, RXD_MAXCNT].map(|offset| self.signals.get(offset));
        self.buffers = self.buffers.wrapping_add(1);
        self.buffer = Some(Buffer { pointer, most, amount: 0, number: self.buffers });
        self.flushes = false;
    }

    /// The next byte of the FIFO goes to the buffer; without one a flush ends.
    fn drain(&mut self, env: &mut Env<'_, '_>) {
        let Some(buffer) = self.buffer else { return };
        if buffer.most == 0 {
            let end = easydma::empty_end(env);
            return env.schedule(EMPTY, end);
        }
        if self.dma.is_writing() {
            return;
        }
        if let Some(byte) = self.port.received.pop_front() {
            let address = buffer.pointer.wrapping_add(buffer.amount);
            self.dma.write(address, Width::Byte, byte.into(), buffer.number, env);
        } else if self.flushes {
            self.end_buffer(env);
        }
    }

    /// A byte of the buffer `number` is in RAM. It does not count for a buffer that has begun since.
    fn stored(&mut self, number: u32, env: &mut Env<'_, '_>) {
        let Some(buffer) = &mut self.buffer else { return };
        buffer.amount += u32::from(buffer.number == number);
        match buffer.most {
            // It ends by its event.
            0 => {}
            most if buffer.amount >= most => self.end_buffer(env),
            _ => self.drain(env),
        }
    }

    fn end_buffer(&mut self, env: &mut Env<'_, '_>) {
        self.flushes = false;
        // A shortcut from ENDRX starts the receiver anew.
        let owes_timeout = std::mem::take(&mut self.owes_timeout);
        if let Some(buffer) = self.buffer.take() {
            self.signals.bank.set(RXD_AMOUNT, buffer.amount);
            self.raise(ENDRX, env);
        }
        if owes_timeout {
            self.raise(RXTO, env);
        }
    }

    fn stop_receiver(&mut self, env: &mut Env<'_, '_>) {
        if !self.receives || self.off_at != Instant::NEVER {
            return;
        }
        let frames = env.cycles(&ROWS[1]);
        let span = self.halves(frames * self.format().half_bits(), env).unwrap_or(Span::ZERO);
        self.off_at = env.now().after(span);
        env.schedule(TIMEOUT, self.off_at);
    }

    /// The receiver has stopped.
    fn receiver_off(&mut self, env: &mut Env<'_, '_>) {
        self.off_at = Instant::NEVER;
        self.receives = false;
        self.owes_timeout = true;
        // A byte on its way to RAM arrives first.
        if self.buffer.is_some() && self.dma.is_writing() {
            self.flushes = true;
        } else {
            self.end_buffer(env);
        }
    }

    /// The byte that RXD shows is read: the next one takes its place.
    fn take_byte(&mut self, env: &mut Env<'_, '_>) {
        if self.port.received.pop_front().is_some() {
            self.show_byte(env);
        }
    }

    fn show_byte(&mut self, env: &mut Env<'_, '_>) {
        if let Some(byte) = self.port.received.front() {
            self.signals.bank.set(RXD, (*byte).into());
            self.raise(RXDRDY, env);
        }
    }

    /// All stops at once, as it does without ENABLE.
    fn stop_at_once(&mut self, env: &mut Env<'_, '_>) {
        self.port.stop_sending(env);
        self.port.received.clear();
        env.end_waves();
        env.cancel(TIMEOUT);
        self.dma.clear(env);
        (self.outgoing, self.flushes, self.owes_timeout) = (Outgoing::default(), false, false);
        (self.sent, self.stops, self.receives, self.buffer, self.off_at) = (None, false, false, None, Instant::NEVER);
    }

    /// True if the port's line says that it may send. A pin that nobody has chosen holds nothing back.
    fn is_clear_to_send(&self) -> bool {
        !self.config(HWFC) || self.cts != Some(true)
    }

    /// CTS has the level `high` now.
    fn clear_to_send(&mut self, high: bool, env: &mut Env<'_, '_>) {
        let before = self.cts.replace(high);
        if before == Some(!high) && self.config(HWFC) {
            self.raise(if high { NCTS } else { CTS }, env);
        }
        self.transmit(env);
    }
}

impl Tasked for Uarte {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        if !self.is_on() {
            return;
        }
        match task {
            STARTRX => self.start_receiver(env),
            STOPRX => self.stop_receiver(env),
            STARTTX if self.has_dma() => {
                let [next, left] = [TXD_PTR, TXD_MAXCNT].map(|offset| self.signals.get(offset));
                self.drop_outgoing(env);
                self.outgoing = Outgoing { next, left };
                (self.sent, self.stops) = (Some(0), false);
                self.raise(TXSTARTED, env);
                if left == 0 {
                    self.end_transmission(env);
                }
                self.fetch(env);
            }
            STARTTX => (self.sent, self.stops) = (Some(0), false),
            STOPTX => self.stop_transmitter(env),
            SUSPEND if !self.has_dma() => {
                self.stop_transmitter(env);
                self.stop_receiver(env);
            }
            FLUSHRX if self.has_dma() => {
                self.begin_buffer();
                self.flushes = true;
                self.drain(env);
            }
            _ => {}
        }
    }
}

impl Registers<Words> for Uarte {
    fn port(&self) -> &Port<Instant> {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.port
    }

    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        self.halves(self.format().half_bits(), env).map(|span| env.now().after(span))
    }

    fn sends(&self) -> bool {
        self.is_on() && self.sent.is_some() && !self.stops
    }

    fn receives(&self) -> bool {
        self.receives && self.chosen_pin("RX").is_some()
    }

    fn may_send(&self) -> bool {
        self.is_clear_to_send()
    }

    fn may_receive(&self) -> bool {
        self.output("RTS") != Some(true) || !self.receives
    }

    fn started(&mut self, character: u16, env: &mut Env<'_, '_>) {
        env.wires.note(&ROWS[0]);
        if let Some(half) = self.halves(1, env) {
            let (levels, count) = self.format().levels(character, false);
            env.wave(Wave { signal: "TX", start: env.now(), steps: [half; 2], levels, count });
        }
        self.fetch(env);
    }

    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        if self.chosen_pin("TX").is_some() {
            self.port.print(character, env);
        } else {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: it sends without a pin for TXD"));
        }
        self.sent = self.sent.map(|sent| sent.saturating_add(1));
        self.raise(TXDRDY, env);
        if std::mem::take(&mut self.stops) {
            self.end_transmission(env);
            if self.has_dma() {
                self.raise(TXSTOPPED, env);
            }
        } else if self.has_dma() && self.port.to_send.is_empty() && self.outgoing.left == 0 && !self.dma.is_reading() {
            self.end_transmission(env);
        }
    }

    fn arrived(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        if !self.port.take(byte, FIFO) {
            return self.error(OVERRUN, env);
        }
        if self.has_dma() {
            self.raise(RXDRDY, env);
            self.drain(env);
        } else if self.port.received.len() == 1 {
            self.show_byte(env);
        }
    }

    fn broken(&mut self, low: u64, env: &mut Env<'_, '_>) -> Option<u64> {
        let frame = self.format().half_bits() / 2;
        self.error(if low > frame { FRAMING | BREAK } else { FRAMING }, env);
        self.arrived(0, env);
        Some(low.saturating_sub(frame)).filter(|rest| *rest > 0)
    }

    fn bits_end(&self, bits: u64, env: &Env<'_, '_>) -> Option<Instant> {
        self.halves(2 * bits, env).map(|span| env.now().after(span))
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let level = self.output("RTS");
        if level != std::mem::replace(&mut self.rts, level) {
            env.effect(Effect::Output { signal: "RTS", level });
            self.listen(env);
        }
        self.tell(env);
    }
}

impl EasyDma for Uarte {
    fn easydma(&self) -> &Master {
        &self.dma
    }

    fn easydma_mut(&mut self) -> &mut Master {
        &mut self.dma
    }

    fn moved(&mut self, moved: Moved, env: &mut Env<'_, '_>) {
        if moved.write {
            self.stored(moved.tag, env);
        } else {
            self.port.to_send.push_back(moved.value as u16);
            self.transmit(env);
        }
        self.settle(env);
    }
}

impl Block<Words> for Uarte {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.signals.bank.read(offset, env);
        if offset == RXD && self.mode() == UART {
            self.take_byte(env);
            self.settle(env);
        }
        value
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == RXD { None } else { self.signals.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.dma.set_written(true);
        match offset {
            // Ones clear.
            ERRORSRC => self.signals.bank.flag(ERRORSRC, write.ones(), false),
            TXD if self.mode() == UART => {
                if self.sent.is_some() {
                    self.port.put(u16::from(write.ones() as u8), 1);
                    self.transmit(env);
                }
            }
            _ => {
                let changed = self.access(offset, write, env).is_some_and(|(old, new)| old != new);
                if changed && offset == ENABLE && !self.is_on() {
                    self.stop_at_once(env);
                }
                if changed && matches!(offset, ENABLE | PSEL_RTS | PSEL_TXD | PSEL_CTS | PSEL_RXD) {
                    self.cts = None;
                    select::switch(env);
                }
            }
        }
        self.dma.set_written(false);
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == DECIDED {
            return easydma::decide(self, env);
        }
        if kind == EMPTY {
            if self.buffer.is_some_and(|buffer| buffer.most == 0) {
                self.end_buffer(env);
            }
            return self.settle(env);
        }
        if kind == TIMEOUT {
            if env.now() >= self.off_at {
                self.receiver_off(env);
            }
            return self.settle(env);
        }
        self.line_event(kind, env);
    }

    fn hears(&self, index: usize) -> bool {
        self.pins.get(index).is_some_and(|wired| wired.signal == "CTS")
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if self.hears(index) {
            self.clear_to_send(high, env);
            self.settle(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let was_on = self.is_on();
        self.stop_at_once(env);
        self.signals.reset(env);
        self.port.reset(env);
        (self.cts, self.rts) = (None, None);
        if was_on {
            select::switch(env);
        }
        self.settle(env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        self.chosen_pin(signal)?;
        match signal {
            "TX" => Some(true),
            "RTS" if self.config(HWFC) => {
                let full = !self.has_dma() || self.buffer.is_none();
                let full = full && self.port.received.len() + RESERVE >= FIFO;
                Some(!self.receives || self.off_at != Instant::NEVER || full)
            }
            "RTS" => Some(true),
            _ => None,
        }
    }

    fn refine(&mut self, times: u64) {
        self.port.refine(times);
        self.off_at = self.off_at.refined(times);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.port.rescale(Source::Pclk, &old, env);
        env.schedule(TIMEOUT, self.off_at);
    }

    fn bank(&self) -> Option<&crate::Bank> {
        Some(&self.signals.bank)
    }
}
