//! ST's SPI under the registers of any version: frames, clock, data lines, chip select, CRC, flags, interrupt and DMA
//! requests.
//!
//! A controller's frame is one event, at its end: the target then gets all bits and has sent all of its own; of a frame of
//! more than eight bits it gets the first eight in the middle. Frames follow each other without a gap while there is
//! something to send, or always where the controller only receives. As a target, and where others drive its lines, the
//! block follows edges (`spi_edges`). I2S is beside it (`spi_i2s`).

use std::fmt::Debug;

use cyclescope_machine::{GapKind, TimingRow, Transfer, Width};

use crate::spi_edges::{Edges, Follower, Frame};
use crate::wires::Wave;
use crate::{
    AlternateFunction, Bank, Block, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree,
    Words, Write,
};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const SR: u32 = 0x08;
const DR: u32 = 0x0C;
const CRCPR: u32 = 0x10;
const RXCRCR: u32 = 0x14;
const TXCRCR: u32 = 0x18;

/// Bits of CR1.
pub(super) const CPHA: u32 = 1 << 0;
const CPOL: u32 = 1 << 1;
const MSTR: u32 = 1 << 2;
const SPE: u32 = 1 << 6;
const LSBFIRST: u32 = 1 << 7;
const SSI: u32 = 1 << 8;
const SSM: u32 = 1 << 9;
const RXONLY: u32 = 1 << 10;
/// DFF, or CRCL of version 3.
pub(super) const WIDE: u32 = 1 << 11;
const CRCNEXT: u32 = 1 << 12;
const CRCEN: u32 = 1 << 13;
const BIDIOE: u32 = 1 << 14;
const BIDIMODE: u32 = 1 << 15;

/// Bits of CR2.
const RXDMAEN: u32 = 1 << 0;
const TXDMAEN: u32 = 1 << 1;
const SSOE: u32 = 1 << 2;
/// TI's frame format; no bit of version 1.
pub(super) const FRF: u32 = 1 << 4;
const ERRIE: u32 = 1 << 5;
const RXNEIE: u32 = 1 << 6;
const TXEIE: u32 = 1 << 7;

/// Flags of SR.
pub(super) const RXNE: u32 = 1 << 0;
pub(super) const TXE: u32 = 1 << 1;
const CRCERR: u32 = 1 << 4;
const MODF: u32 = 1 << 5;
const OVR: u32 = 1 << 6;
const BSY: u32 = 1 << 7;
const FRE: u32 = 1 << 8;

/// The event at which a frame ends.
const END: u16 = 0;
/// The event at which a target has got the first eight bits of a longer frame.
const MIDDLE: u16 = 1;

/// The row for the wait of an idle controller.
pub(super) const fn start(source: &'static str) -> TimingRow {
    let what = "from a write to DR with an idle controller to the first bit, in periods of SCK";
    TimingRow::assumed("spi.start", what, 0, source)
}

/// The row for the flag of a received frame.
pub(super) const fn received(source: &'static str) -> TimingRow {
    let what = "from the end of the last bit to RXNE, in periods of PCLK";
    TimingRow::assumed("spi.rxne", what, 0, source)
}

/// A version of the registers, with its buffers.
pub trait Version: Clone + Debug + Default {
    /// The wait of an idle controller, that for the flag of a received frame, and that of a pulse of NSS.
    const ROWS: &'static [TimingRow];
    /// True if BSY stays 0 while a controller receives over its one data line.
    const QUIET_RECEPTION: bool;

    /// Half-words that I2S has room for behind its shift register, each way.
    const I2S_DEPTH: usize = 1;

    /// The bits of CR2 that say that the DMA's last half-word has one frame: of what comes, of what goes.
    const ODD: [u32; 2] = [0; 2];

    /// The bits of a frame.
    fn bits(cr1: u32, cr2: u32) -> u8;

    /// True if NSS goes up between frames.
    fn pulses(_cr1: u32, _cr2: u32) -> bool {
        false
    }

    /// The frame of `bits` that [`Self::next`] would give.
    fn peek(&self, bits: u8) -> Option<u16>;

    /// DR is written.
    fn put(&mut self, data: u16, width: Width);

    /// DR is read.
    fn take(&mut self, width: Width) -> u16;

    /// The next frame of `bits` for the shift register.
    fn next(&mut self, bits: u8) -> Option<u16>;

    /// A frame is in; `false` if there is no room for it.
    fn arrived(&mut self, data: u16, bits: u8) -> bool;

    /// The flags of SR that follow from the buffers; `odd`: the half-word that is next has one frame.
    fn flags(&self, cr2: u32, odd: bool) -> u32;
}

/// The frames of a CRC under way.
#[derive(Clone, Copy, Debug)]
struct Checksum {
    /// The bits still to be sent.
    left: u8,
    /// The bits received so far.
    received: u32,
}

/// One controller.
#[derive(Clone, Debug)]
pub struct Spi<V> {
    pub(super) bank: Bank,
    own: V,
    clock: Source,
    lines: Lines,
    pins: &'static [AlternateFunction],
    transmit: DmaRequest,
    receive: DmaRequest,
    frame: Option<Frame>,
    checksum: Option<Checksum>,
    /// TI's format: the frame under way announces the next one.
    follows: bool,
    /// The requests to receive and to send.
    numbers: [Option<u8>; 2],
    /// The level of MOSI after the last frame.
    mosi: bool,
    /// The lines as they are heard.
    pub(super) edges: Edges,
    /// The bits that a target has sent in the first half of a long frame.
    half: Option<u32>,
    /// The DMA has one frame left: the CRC follows it.
    last_frame: bool,
    /// The DMA's next transfer is its last: of what comes, of what goes.
    last: [bool; 2],
    /// OVR was up at a read of DR: the next read of SR clears it.
    read_overrun: bool,
    /// SR was accessed with MODF up: the next write of CR1 clears it.
    seen_fault: bool,
}

/// The lines that the block drives.
const SIGNALS: [&str; 4] = ["SCK", "MOSI", "MISO", "NSS"];

impl<V: Version> Spi<V> {
    /// The block `instance`, clocked by its bus, with `model` of its registers.
    pub(super) fn with(instance: &Instance, model: &[Modelled]) -> Self {
        Self {
            bank: Bank::new(instance.map, model),
            own: V::default(),
            clock: instance.clock.source(),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            pins: instance.pins,
            transmit: DmaRequest::new(instance, "TX"),
            receive: DmaRequest::new(instance, "RX"),
            frame: None,
            checksum: None,
            follows: false,
            numbers: ["RX", "TX"].map(|name| instance.request(name)),
            mosi: false,
            edges: Edges::default(),
            half: None,
            last_frame: false,
            last: [false; 2],
            read_overrun: false,
            seen_fault: false,
        }
    }

    fn cr1(&self) -> u32 {
        self.bank.get(CR1)
    }

    fn cr2(&self) -> u32 {
        self.bank.get(CR2)
    }

    fn is_set(&self, bits: u32) -> bool {
        self.cr1() & bits == bits
    }

    /// The DMA's channel of the request `number` has one transfer left, or is switched on for a single one.
    pub fn last_due(&mut self, number: u8, env: &mut Env<'_, '_>) {
        for (last, known) in self.last.iter_mut().zip(self.numbers) {
            *last |= known == Some(number);
        }
        if self.is_odd(0) {
            self.settle(env);
        }
    }

    /// True if the half-word that comes (`way` is 0) or goes next is one of the DMA with one frame (RM0490, SPI_CR2, LDMA_RX and
    /// LDMA_TX).
    fn is_odd(&self, way: usize) -> bool {
        let enable = [RXDMAEN, TXDMAEN][way] | V::ODD[way];
        self.last[way] && V::ODD[way] != 0 && self.cr2() & enable == enable && self.bits() <= 8
    }

    /// The DMA has one transfer of the request `number` left.
    pub fn one_left(&mut self, number: u8) {
        let (cr2, only_receives) = (self.cr2(), self.only_receives());
        let sends = self.numbers[1] == Some(number) && cr2 & TXDMAEN != 0 && !only_receives;
        let receives = self.numbers[0] == Some(number) && cr2 & RXDMAEN != 0 && only_receives;
        if self.is_set(CRCEN) && (sends || receives) {
            self.last_frame = sends;
            self.bank.flag(CR1, CRCNEXT, receives);
        }
    }

    /// True if it has the lines: on, or a last frame is under way.
    fn drives(&self) -> bool {
        self.is_set(MSTR) && (self.is_set(SPE) || self.frame.is_some())
    }

    fn bits(&self) -> u8 {
        V::bits(self.cr1(), self.cr2())
    }

    /// Half of a bit: 2^BR periods of PCLK.
    fn half_bit(&self, env: &Env<'_, '_>) -> Span {
        env.clocks().period_of(self.clock).times(1 << (self.cr1() >> 3 & 7))
    }

    /// The bits of a frame in the order of the wire, or back.
    fn ordered(&self, data: u32, bits: u8) -> u32 {
        if self.is_set(LSBFIRST) { data.reverse_bits() >> (32 - u32::from(bits)) } else { data }
    }

    /// The idle controller begins its next frame at `at`, if it has one.
    fn begin(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if self.frame.is_some() || !self.is_set(SPE | MSTR) {
            return;
        }
        let bits = self.bits();
        let Some((sent, crc)) = self.next(bits) else { return };
        let half = self.half_bit(env);
        if half == Span::ZERO {
            env.gap(GapKind::Setting, format_args!("{}: the controller has no clock", env.name()));
            return;
        }
        // TI's format announces the first frame by a clock with NSS high; later ones by their predecessor's last bit.
        let announces = self.is_ti() && !self.follows;
        let at = if announces { at.after(half.times(2)) } else { at };
        let end = at.after(half.times(2 * u64::from(bits)));
        self.frame = Some(Frame { sent, bits, end, crc });
        self.edges.received = 0;
        self.half = None;
        if announces {
            self.announce(at.before(half.times(2)), half, env);
        } else {
            self.waves(at, half, env);
        }
        let pulse = if V::pulses(self.cr1(), self.cr2()) { env.cycles(&V::ROWS[2]) } else { 0 };
        let end = end.after(half.times(2 * pulse));
        if let Some(frame) = &mut self.frame {
            frame.end = end;
        }
        env.schedule(END, end);
    }

    /// The bits of the CRC (RM0390, CR1.DFF; RM0490, CR1.CRCL).
    fn crc_bits(&self) -> u8 {
        if self.is_set(WIDE) { 16 } else { 8 }
    }

    /// The levels of the frame that begins at `at`.
    fn waves(&mut self, at: Instant, half: Span, env: &mut Env<'_, '_>) {
        let Some(Frame { sent, bits, .. }) = self.frame else { return };
        // CPOL is the idle level. With CPHA the first edge begins the first bit, without it lies in the middle. TI's format
        // is as CPHA alone.
        let ti = self.is_ti();
        let (idle, late) = (self.is_set(CPOL) && !ti, !self.is_set(CPHA) && !ti);
        let active_first = 0x5555_5555_5555_5555u64 << u32::from(late);
        let clocks = if idle { !active_first } else { active_first };
        let count = 2 * bits + u8::from(late);
        let clock = Wave { signal: "SCK", start: at, steps: [half; 2], levels: clocks, count };
        let bit = half.times(2);
        if !self.only_receives() {
            let levels = u64::from(sent.reverse_bits() >> (32 - u32::from(bits)));
            env.wave(Wave { signal: "MOSI", start: at, steps: [bit; 2], levels, count: bits });
        }
        if let Some((byte, known)) = env.spi_outgoing("MISO").filter(|_| !self.is_set(BIDIMODE)) {
            let levels = u64::from(byte.reverse_bits());
            env.wave(Wave { signal: "MISO", start: at, steps: [bit; 2], levels, count: known.min(bits) });
            if bits > 8 && known == 8 {
                env.schedule(MIDDLE, at.after(bit.times(8)));
            }
        }
        self.follows = ti && (self.own.peek(bits).is_some() || self.only_receives());
        if self.follows && self.output("NSS").is_some() {
            let steps = [bit.times(u64::from(bits) - 1), bit];
            env.wave(Wave { signal: "NSS", start: at, steps, levels: 0b010, count: 3 });
        }
        if V::pulses(self.cr1(), self.cr2()) && self.output("NSS").is_some() {
            let steps = [bit.times(bits.into()), bit];
            env.wave(Wave { signal: "NSS", start: at, steps, levels: 0b10, count: 2 });
        }
        // At one time select and data change before the clock.
        env.wave(clock);
    }

    /// The clock of TI's format before a first frame, with NSS high, and the frame's own waves behind it.
    fn announce(&mut self, at: Instant, half: Span, env: &mut Env<'_, '_>) {
        let Some(frame) = self.frame else { return };
        let bit = half.times(2);
        self.follows = self.own.peek(frame.bits).is_some() || self.only_receives();
        let count = 2 * (frame.bits + 1);
        let clock = Wave { signal: "SCK", start: at, steps: [half; 2], levels: 0x5555_5555_5555_5555, count };
        if !self.only_receives() {
            let levels = u64::from(frame.sent.reverse_bits() >> (32 - u32::from(frame.bits)));
            let start = at.after(bit);
            env.wave(Wave { signal: "MOSI", start, steps: [bit; 2], levels, count: frame.bits });
        }
        if self.output("NSS").is_some() {
            let (levels, count) = if self.follows { (0b0101, 4) } else { (0b01, 2) };
            let steps = [bit, bit.times(u64::from(frame.bits) - 1)];
            env.wave(Wave { signal: "NSS", start: at, steps, levels, count });
        }
        env.wave(clock);
    }

    /// The first eight bits of a long frame are over.
    fn middle(&mut self, env: &mut Env<'_, '_>) {
        let Some(Frame { sent, bits, end, .. }) = self.frame.filter(|frame| frame.bits > 8) else { return };
        let falling = self.is_set(CPOL) != self.is_set(CPHA);
        let rest = bits - 8;
        self.half = env.spi_part(sent >> rest, 8, falling);
        if let Some((byte, known)) = env.spi_outgoing("MISO") {
            let bit = self.half_bit(env).times(2);
            let levels = u64::from(byte.reverse_bits());
            let start = end.before(bit.times(rest.into()));
            env.wave(Wave { signal: "MISO", start, steps: [bit; 2], levels, count: known.min(rest) });
        }
    }

    /// The frame has ended.
    fn ended(&mut self, frame: Frame, env: &mut Env<'_, '_>) {
        let Frame { sent, bits, .. } = frame;
        env.cycles(&V::ROWS[1]);
        let falling = self.is_set(CPOL) != self.is_set(CPHA);
        let one_line = self.is_set(BIDIMODE);
        let mask = (1 << bits) - 1;
        let first = self.half.take();
        let received = if env.is_shared() {
            let received = self.edges.received & mask;
            env.transfer(Transfer::SpiFrame { sent, received, bits });
            received
        } else if let Some(first) = first {
            let rest = bits - 8;
            let second = env.spi_part(sent & ((1 << rest) - 1), rest, falling);
            let received = first << rest | second.unwrap_or((1 << rest) - 1);
            env.transfer(Transfer::SpiFrame { sent, received, bits });
            received & mask
        } else {
            let answer = if one_line && !self.is_set(BIDIOE) {
                env.spi_receive("MOSI", bits, falling)
            } else {
                env.spi_frame(sent, bits, falling)
            };
            // A line that nobody drives has the level that its resistor gives it.
            let resting = if one_line { "MOSI" } else { "MISO" };
            answer.unwrap_or_else(|| if env.line(resting) == Some(true) { u32::MAX } else { 0 }) & mask
        };
        if !self.only_receives() {
            self.mosi = sent & 1 != 0;
        }
        self.taken(frame, received);
    }

    /// A frame of the CRC has come in.
    fn check(&mut self, received: u32, bits: u8) {
        let Some(checksum) = &mut self.checksum else { return };
        checksum.received = checksum.received << bits | received;
        let Checksum { left, received } = *checksum;
        if left == 0 {
            self.checksum = None;
            if received != self.bank.get(RXCRCR) {
                self.bank.flag(SR, CRCERR, true);
            }
        }
    }

    /// The CRC in the register at `offset` goes on over `data`, bit by bit in the order of the wire.
    fn sum(&mut self, offset: u32, data: u32, bits: u8) {
        let size = u32::from(self.crc_bits());
        let (polynomial, mask) = (self.bank.get(CRCPR), (1u32 << size) - 1);
        let sum = (0..bits).rev().fold(self.bank.get(offset), |sum, bit| {
            let carries = (sum >> (size - 1) & 1) != (data >> bit & 1);
            ((sum << 1) ^ if carries { polynomial } else { 0 }) & mask
        });
        self.bank.set(offset, sum);
    }

    /// The frame under way is given up.
    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        self.frame = None;
        self.checksum = None;
        self.half = None;
        self.follows = false;
        env.cancel(END);
        env.cancel(MIDDLE);
        env.end_waves();
    }

    /// CR1 was written.
    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let risen = new & !old;
        if std::mem::take(&mut self.seen_fault) {
            self.bank.flag(SR, MODF, false);
        }
        if self.bank.get(SR) & MODF != 0 {
            // RM0390, RM0490, "Mode fault (MODF)": neither bit can be set while the flag is.
            self.bank.flag(CR1, SPE | MSTR, false);
        }
        if risen & CRCEN != 0 {
            self.bank.set(RXCRCR, 0);
            self.bank.set(TXCRCR, 0);
        }
        if (old ^ new) & (SPE | MSTR | BIDIMODE | CPOL | CPHA) != 0 {
            self.edges.forget();
            self.look(env);
        }
        if new & (CRCEN | LSBFIRST) == CRCEN | LSBFIRST {
            env.gap(GapKind::Setting, format_args!("{} has a CRC with the lowest bit first", env.name()));
        }
        if old & !new & SPE != 0 && self.frame.is_some() && !self.only_receives() {
            env.gap(GapKind::Setting, format_args!("{} is switched off inside a frame, which is lost", env.name()));
            self.give_up(env);
        }
    }

    /// The levels of the lines, as they are between frames.
    fn levels(&self) -> [Option<bool>; 4] {
        SIGNALS.map(|signal| self.output(signal))
    }

    /// Tells the pins which levels have changed from `old`.
    fn drive(&self, old: [Option<bool>; 4], env: &mut Env<'_, '_>) {
        for ((signal, old), level) in SIGNALS.into_iter().zip(old).zip(self.levels()) {
            if old != level {
                env.effect(Effect::Output { signal, level });
            }
        }
    }
}

impl<V: Version> Follower for Spi<V> {
    const SELECT: &'static str = "NSS";
    const ANSWER: &'static str = "MISO";

    fn edges(&mut self) -> &mut Edges {
        &mut self.edges
    }

    fn is_target(&self) -> bool {
        self.cr1() & (SPE | MSTR) == SPE
    }

    fn is_framing(&self) -> bool {
        self.frame.is_some()
    }

    fn is_ti(&self) -> bool {
        self.cr2() & FRF != 0
    }

    fn is_idle_high(&self) -> bool {
        self.is_set(CPOL)
    }

    fn is_late(&self) -> bool {
        self.is_set(CPHA)
    }

    fn takes_mosi(&self) -> bool {
        self.is_target() != self.is_set(BIDIMODE)
    }

    fn selects_by_software(&self) -> bool {
        self.is_set(SSM)
    }

    /// By SSI, or by the pin. TI's pulses select nobody.
    fn is_selected(&self) -> bool {
        self.is_ti() || if self.is_set(SSM) { !self.is_set(SSI) } else { !self.edges.nss }
    }

    fn frame_bits(&self) -> u8 {
        self.bits()
    }

    /// True if clocks run without anything to send.
    fn only_receives(&self) -> bool {
        let cr1 = self.cr1();
        if cr1 & BIDIMODE != 0 { cr1 & BIDIOE == 0 } else { cr1 & RXONLY != 0 }
    }

    fn peek(&self, bits: u8) -> Option<u32> {
        self.own.peek(bits).map(|data| self.ordered(u32::from(data) & ((1 << bits) - 1), bits))
    }

    fn frame_error(&mut self) {
        self.bank.flag(SR, FRE, true);
    }

    fn row(&self) -> &'static TimingRow {
        &V::ROWS[1]
    }

    /// The bits that go out next, in the order of the wire; `true` if they are of the CRC.
    fn next(&mut self, bits: u8) -> Option<(u32, bool)> {
        let mask = (1u32 << bits) - 1;
        if self.checksum.is_none() {
            if !self.only_receives() {
                if let Some(data) = self.own.next(bits) {
                    return Some((self.ordered(u32::from(data) & mask, bits), false));
                }
            } else if !self.is_set(CRCEN | CRCNEXT) {
                // Nobody drives the line that goes out.
                return Some((0, false));
            }
            if self.is_set(CRCEN | CRCNEXT) {
                self.bank.flag(CR1, CRCNEXT, false);
                self.checksum = Some(Checksum { left: self.crc_bits(), received: 0 });
            }
        }
        let checksum = self.checksum.as_mut()?;
        checksum.left = checksum.left.saturating_sub(bits);
        Some((self.bank.get(TXCRCR) >> checksum.left & mask, true))
    }

    /// A frame has gone out and `received` has come in.
    fn taken(&mut self, Frame { sent, bits, crc, .. }: Frame, received: u32) {
        let one_line = self.is_set(BIDIMODE);
        if crc {
            self.check(received, bits);
        } else if self.is_set(CRCEN) {
            self.sum(TXCRCR, sent, bits);
            self.sum(RXCRCR, received, bits);
        }
        let receives = !(one_line && self.is_set(BIDIOE));
        if receives && !self.own.arrived(self.ordered(received, bits) as u16, bits) {
            // What was received before stays (RM0390, RM0490, "Overrun flag (OVR)").
            self.bank.flag(SR, OVR, true);
        }
    }

    /// Puts the flags that follow into SR, then drives interrupts and DMA requests.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (cr1, cr2) = (self.cr1(), self.cr2());
        // RM0390, RM0490, "Mode fault (MODF)".
        let selected = if cr1 & SSM != 0 { cr1 & SSI == 0 } else { cr2 & (SSOE | FRF) == 0 && !self.edges.nss };
        if cr1 & (SPE | MSTR) == SPE | MSTR && selected {
            let old = self.levels();
            self.give_up(env);
            self.bank.flag(SR, MODF, true);
            self.bank.flag(CR1, SPE | MSTR, false);
            self.drive(old, env);
        }
        let follows = self.own.flags(cr2, self.is_odd(0));
        let silent = V::QUIET_RECEPTION && cr1 & (BIDIMODE | BIDIOE) == BIDIMODE;
        let busy = if self.frame.is_some() && !silent || self.edges.is_busy() { BSY } else { 0 };
        let status = self.bank.get(SR) & (CRCERR | MODF | OVR | FRE) | follows | busy;
        self.bank.set(SR, status);
        // RM0390, RM0490, "SPI interrupts".
        let wants = [(TXEIE, TXE), (RXNEIE, RXNE), (ERRIE, CRCERR | MODF | OVR | FRE)];
        let active = wants.into_iter().any(|(enable, flags)| cr2 & enable != 0 && status & flags != 0);
        self.lines.drive(u32::from(active), env);
        self.transmit.drive(cr2 & TXDMAEN != 0 && status & TXE != 0, env);
        self.receive.drive(cr2 & RXDMAEN != 0 && status & RXNE != 0, env);
    }
}

impl<V: Version> Block<Words> for Spi<V> {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            DR => {
                let width = if self.is_odd(0) { Width::Byte } else { env.wires.width };
                self.last[0] = false;
                let data = self.own.take(width);
                self.bank.set(DR, data.into());
                self.read_overrun = self.bank.get(SR) & OVR != 0;
                self.settle(env);
                data.into()
            }
            SR => {
                let value = self.bank.read(SR, env);
                // RM0390, RM0490, SR.FRE: a read clears it.
                if value & FRE != 0 {
                    self.bank.flag(SR, FRE, false);
                    self.settle(env);
                }
                self.seen_fault |= value & MODF != 0;
                if std::mem::take(&mut self.read_overrun) {
                    self.bank.flag(SR, OVR, false);
                    self.settle(env);
                }
                value
            }
            _ => self.bank.read(offset, env),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let old_levels = self.levels();
        match offset {
            DR => {
                let width = if self.is_odd(1) { Width::Byte } else { env.wires.width };
                self.last[1] = false;
                self.own.put((write.ones() & 0xFFFF) as u16, width);
                if std::mem::take(&mut self.last_frame) {
                    // RM0008, RM0390, RM0490, "CRC with DMA": the CRC follows the last frame.
                    self.bank.flag(CR1, CRCNEXT, true);
                }
            }
            SR => {
                self.seen_fault |= self.bank.get(SR) & MODF != 0;
                self.bank.flag(SR, write.zeros() & CRCERR, false);
            }
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                if offset == CR1 {
                    self.control(old, new, env);
                }
                if offset == CR2 {
                    for (last, enable) in self.last.iter_mut().zip([RXDMAEN, TXDMAEN]) {
                        *last &= old & !new & enable == 0;
                    }
                }
            }
        }
        self.follow(env);
        self.drive(old_levels, env);
        if self.frame.is_none() {
            if self.is_set(SPE | MSTR) {
                env.cycles(&V::ROWS[0]);
            }
            self.begin(env.now(), env);
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let now = env.now();
        if kind == MIDDLE {
            self.middle(env);
        }
        if kind == END
            && let Some(frame) = self.frame.take_if(|frame| now >= frame.end)
        {
            let old = self.levels();
            self.ended(frame, env);
            self.begin(frame.end, env);
            self.drive(old, env);
        }
        self.settle(env);
    }

    fn hears(&self, index: usize) -> bool {
        let Some(wired) = self.pins.get(index) else { return false };
        wired.signal == "NSS" || self.is_target()
    }

    fn hears_shared(&self, _: usize) -> bool {
        true
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if let Some(wired) = self.pins.get(index) {
            self.line(wired.signal, high, env);
            self.follow(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let old = self.levels();
        self.bank.reset();
        self.give_up(env);
        self.own = V::default();
        (self.mosi, self.read_overrun, self.seen_fault, self.last_frame) = (false, false, false, false);
        self.last = [false; 2];
        self.edges.forget();
        self.drive(old, env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after) = (old.period_of(self.clock), env.clocks().period_of(self.clock));
        if let Some(frame) = &mut self.frame {
            frame.end = frame.end.rescaled(env.now(), before, after);
            env.schedule(END, frame.end);
            env.rescale_waves(before, after);
        }
    }

    fn refine(&mut self, times: u64) {
        if let Some(frame) = &mut self.frame {
            frame.end = frame.end.refined(times);
        }
    }

    /// The level between frames.
    fn output(&self, signal: &str) -> Option<bool> {
        if signal == "MISO" {
            return self.edges.shown().filter(|_| self.is_target());
        }
        if !self.drives() {
            return None;
        }
        match signal {
            "SCK" => Some(self.is_set(CPOL) && !self.is_ti()),
            "MOSI" => (!self.only_receives()).then_some(self.mosi),
            "NSS" => {
                let output = self.is_ti() || !self.is_set(SSM) && self.cr2() & SSOE != 0;
                output.then(|| V::pulses(self.cr1(), self.cr2()))
            }
            _ => None,
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
