//! I2C of STM32C0 and other later series (RM0490, "Inter-integrated circuit interface (I2C)"), and the FMPI2C of STM32F446
//! (RM0390, "Fast-mode Plus Inter-integrated circuit interface (FMPI2C)"): bytes are counted, bit times are exact, and SMBus
//! has its addresses, packet error code, alert and both timeouts: of lines that do not move, and of a clock that the block
//! itself holds for too long.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{I2cAddress, TimingRow};

use crate::bank::all;
use crate::i2c::{Byte, I2c, Next, Times, Version};
use crate::{Env, Instant, Modelled, Span, Write};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const OAR1: u32 = 0x08;
const OAR2: u32 = 0x0C;
const TIMINGR: u32 = 0x10;
const TIMEOUTR: u32 = 0x14;
const ISR: u32 = 0x18;
const ICR: u32 = 0x1C;
const PECR: u32 = 0x20;
const RXDR: u32 = 0x24;
const TXDR: u32 = 0x28;

const PE: u32 = 1 << 0;
const TXIE: u32 = 1 << 1;
const RXIE: u32 = 1 << 2;
const ADDRIE: u32 = 1 << 3;
const NACKIE: u32 = 1 << 4;
const STOPIE: u32 = 1 << 5;
const TCIE: u32 = 1 << 6;
const ERRIE: u32 = 1 << 7;
const ANFOFF: u32 = 1 << 12;
const TXDMAEN: u32 = 1 << 14;
const RXDMAEN: u32 = 1 << 15;
const SBC: u32 = 1 << 16;
const NOSTRETCH: u32 = 1 << 17;
const GCEN: u32 = 1 << 19;
const SMBHEN: u32 = 1 << 20;
const SMBDEN: u32 = 1 << 21;
const ALERTEN: u32 = 1 << 22;
const PECEN: u32 = 1 << 23;

const DIR: u32 = 1 << 10;
const TEN: u32 = 1 << 11;
const HEAD10R: u32 = 1 << 12;
const START: u32 = 1 << 13;
const STOP: u32 = 1 << 14;
const NACK: u32 = 1 << 15;
const RELOAD: u32 = 1 << 24;
const AUTOEND: u32 = 1 << 25;
const PECBYTE: u32 = 1 << 26;

const TXE: u32 = 1 << 0;
const TXIS: u32 = 1 << 1;
const RXNE: u32 = 1 << 2;
const ADDR: u32 = 1 << 3;
const NACKF: u32 = 1 << 4;
const STOPF: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TCR: u32 = 1 << 7;
const BERR: u32 = 1 << 8;
const ARLO: u32 = 1 << 9;
const OVR: u32 = 1 << 10;
const PECERR: u32 = 1 << 11;
const TIMEOUT: u32 = 1 << 12;
const ALERT: u32 = 1 << 13;
/// All flags of errors.
const ERRORS: u32 = BERR | ARLO | OVR | PECERR | TIMEOUT | ALERT;
const BUSY: u32 = 1 << 15;
/// DIR and ADDCODE.
const CALL: u32 = 0xFF << 16;
/// Bits of TIMEOUTR, and the fields that they close.
const TIMOUTEN: u32 = 1 << 15;
const TEXTEN: u32 = 1 << 31;
const TIMEOUTA: u32 = 0x1FFF;
const TIMEOUTB: u32 = 0xFFF << 16;
/// Flags that ICR clears.
const CLEARED: u32 = 0x3F38;

/// The modelled registers and fields, with the values after reset (RM0490, "I2C register map").
pub const MODEL: &[Modelled] = &[
    all("CR1", 0).and(&["CR2", "OAR1", "OAR2", "TIMINGR", "TIMEOUTR", "ICR", "PECR", "RXDR", "TXDR"]),
    all("ISR", TXE),
];

/// The timing that does not follow from TIMINGR.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "i2c.sync",
        "from an edge of SCL behind its filters to the point from which SCLL and SCLH count, in periods of I2CCLK; tSYNC1 and \
         tSYNC2 have it once each",
        2,
        "RM0490, \"I2C timings\" and \"I2C_TIMINGR register configuration examples\": together 4 periods at least",
    ),
    TimingRow::assumed(
        "i2c.filter",
        "from an edge of SCL to the same behind the analog filter, in nanoseconds",
        50,
        "RM0490 gives 50 to 260 ns; the least, up to the next edge of I2CCLK",
    ),
    TimingRow::assumed(
        "i2c.start_v2",
        "from START with a free bus to the start condition, in periods of I2CCLK",
        0,
        "RM0490 gives no figure; a few periods",
    ),
    TimingRow::assumed(
        "i2c.rise_v2",
        "from letting SCL go to its high level, in periods of I2CCLK",
        0,
        "the board's lines rise at once",
    ),
];

/// The step of an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// Data, or nothing.
    #[default]
    Data,
    /// The address.
    Address,
    /// The second of an address of ten bits is to be read from, in a repeated start.
    ReadHeader,
}

/// The version.
#[derive(Clone, Debug, Default)]
pub struct V2 {
    step: Step,
    /// A byte in TXDR.
    to_send: Option<u8>,
    /// A byte that waits before its acknowledgement for RXDR to be read.
    waits: Option<u8>,
    /// Bytes of NBYTES that are left.
    left: u32,
    /// The address by which the block is called, and the direction, as ISR shows them.
    call: u32,
    /// With byte control: the byte that waits for its acknowledgement has been taken over.
    taken: bool,
}

/// One block.
pub type I2cV2 = I2c<V2>;

impl I2cV2 {
    fn is_set(&self, bits: u32) -> bool {
        self.get(CR2) & bits != 0
    }

    fn load(&mut self) {
        self.own.left = self.get(CR2) >> 16 & 0xFF;
    }

    /// The bits of an address of ten bits in its first byte.
    fn header(&self) -> u8 {
        0xF0 | (self.get(CR2) >> 7 & 6) as u8
    }

    /// Does what comes next after an address or a byte, or when software has done its part.
    fn proceed(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if !self.is_held() || self.own.step != Step::Data || self.own.waits.is_some() || !self.on() {
            return;
        }
        if self.is_set(STOP) {
            return self.end(at, env);
        }
        if self.own.left == 0 {
            if self.is_set(START) {
                self.bank.flag(ISR, TC | TCR, false);
                self.start(at, env);
            } else if self.is_set(RELOAD) {
                self.bank.flag(ISR, TCR, true);
            } else if self.is_set(AUTOEND) {
                self.end(at, env);
            } else {
                self.bank.flag(ISR, TC, true);
            }
        } else if self.is_set(DIR) {
            self.receive(at, env);
        } else if self.code_is_next() {
            self.send(Byte::Data(self.code), at, env);
        } else if let Some(byte) = self.own.to_send.take() {
            self.bank.flags(ISR, &[(TXIS, false), (TXE, true)]);
            self.send(Byte::Data(byte), at, env);
        } else {
            self.bank.flag(ISR, TXIS, true);
        }
    }

    /// The last of the counted bytes is the packet error code (RM0490, "SMBus: packet error checking").
    fn code_is_next(&self) -> bool {
        self.own.left == 1 && self.is_set(PECBYTE) && !self.is_set(RELOAD) && self.get(CR1) & PECEN != 0
    }

    /// Compares the byte that has come with the code, if it is one; returns `false` if it is a wrong one.
    fn check(&mut self, byte: u8) -> bool {
        let wrong = self.code_is_next() && byte != self.code;
        if wrong {
            self.bank.flag(ISR, PECERR, true);
        }
        !wrong
    }

    /// True if a target counts its bytes.
    fn counts(&self) -> bool {
        self.get(CR1) & SBC != 0
    }

    fn on(&self) -> bool {
        self.get(CR1) & PE != 0
    }

    /// A stop condition ends the transfer.
    fn end(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        self.bank.flag(ISR, TXIS | TC | TCR, false);
        self.stop(at, env);
    }

    /// CR2 was written.
    fn command(&mut self, old: u32, write: Write, env: &mut Env<'_, '_>) {
        // Writing 0 to these has no effect (RM0490, I2C_CR2).
        self.bank.flag(CR2, old & (START | STOP | NACK), true);
        if !self.on() {
            return self.bank.flag(CR2, START | STOP | NACK, false);
        }
        let now = env.now();
        if self.is_free() && self.ends.is_waiting() {
            if self.get(ISR) & TCR != 0 && write.lanes & 0xFF_0000 != 0 && self.is_set(0xFF_0000) {
                self.bank.flag(ISR, TCR, false);
                self.load();
            }
            return;
        }
        if self.is_free() {
            // A stop without a transfer has nothing to end.
            self.bank.flag(CR2, STOP, false);
            if self.is_set(START) && old & START == 0 {
                self.start(now, env);
            }
            return;
        }
        let isr = self.get(ISR);
        if isr & TCR != 0 && write.lanes & 0xFF_0000 != 0 && self.is_set(0xFF_0000) {
            self.bank.flag(ISR, TCR, false);
            self.load();
            self.proceed(now, env);
        } else if isr & (TC | TCR) != 0 || self.is_set(STOP) {
            self.proceed(now, env);
        }
    }

    /// CR1 was written.
    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if (old ^ new) & PE == 0 {
            return;
        }
        if new & PE == 0 {
            // RM0490, "Software reset".
            self.own = V2::default();
            self.bank.flag(CR2, START | STOP | NACK, false);
            self.bank.set(ISR, TXE);
            return self.stop_at_once(env);
        }
        self.show(env);
    }
}

impl Version for V2 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;

    /// RM0490, "I2C controller initialization", I2C_TIMINGR.
    fn times(i2c: &I2cV2, tick: Span, env: &Env<'_, '_>) -> Option<Times> {
        let (timing, cr1) = (i2c.get(TIMINGR), i2c.get(CR1));
        let field = |low: u32, mask: u32| u64::from(timing >> low & mask);
        let prescaled = tick.times(field(28, 0xF) + 1);
        let (low, high) = (prescaled.times(field(0, 0xFF) + 1), prescaled.times(field(8, 0xFF) + 1));
        let analog = if cr1 & ANFOFF != 0 { 0 } else { u64::from(ROWS[1].cycles) * 1_000 };
        let (whole, rest) = env.clocks().span(Picoseconds::new(analog)).divide(tick);
        let filters = whole + u64::from(rest != Span::ZERO) + u64::from(cr1 >> 8 & 0xF);
        let sync = tick.times(filters + u64::from(ROWS[0].cycles));
        let (hold, setup) =
            (sync.plus(prescaled.times(field(16, 0xF))).plus(tick), prescaled.times(field(20, 0xF) + 1));
        // SCL stays low until the data have been there for SCLDEL.
        let bit = sync.plus(low).max(hold.plus(setup));
        Some(Times { low: bit, high: sync.plus(high), hold, setup, pause: low, free: low, start: high, stop: high })
    }

    fn started(i2c: &mut I2cV2, at: Instant, env: &mut Env<'_, '_>) {
        let (sadd, read) = (i2c.get(CR2), i2c.is_set(DIR));
        let byte = match (i2c.is_set(TEN), std::mem::replace(&mut i2c.own.step, Step::Address)) {
            (false, _) => Byte::Address((sadd & 0xFE) as u8 | u8::from(read)),
            (true, Step::ReadHeader) => Byte::Header(i2c.header() | 1),
            (true, _) => Byte::Header(i2c.header() | u8::from(read && i2c.is_set(HEAD10R))),
        };
        i2c.send(byte, at, env);
    }

    fn received(i2c: &mut I2cV2, byte: u8) -> Option<bool> {
        if i2c.get(ISR) & RXNE != 0 {
            i2c.own.waits = Some(byte);
            return None;
        }
        i2c.bank.set(RXDR, byte.into());
        i2c.bank.flag(ISR, RXNE, true);
        i2c.check(byte);
        Some(i2c.own.left > 1 || i2c.is_set(RELOAD))
    }

    fn ninth(i2c: &mut I2cV2, byte: Byte, acknowledged: bool, at: Instant, env: &mut Env<'_, '_>) {
        let received = matches!(byte, Byte::Received(_));
        if !acknowledged && !received {
            i2c.bank.flag(CR2, START, false);
            i2c.bank.flag(ISR, NACKF, true);
            i2c.own.step = Step::Data;
            return i2c.end(at, env);
        }
        match byte {
            Byte::Header(bits) if bits & 1 == 0 => return i2c.send(Byte::Second(i2c.get(CR2) as u8), at, env),
            Byte::Second(_) if i2c.is_set(DIR) => {
                i2c.own.step = Step::ReadHeader;
                return i2c.start(at, env);
            }
            Byte::Data(_) | Byte::Received(_) => i2c.own.left = i2c.own.left.saturating_sub(1),
            Byte::Address(_) | Byte::Header(_) | Byte::Second(_) => {
                i2c.bank.flag(CR2, START, false);
                i2c.own.step = Step::Data;
                i2c.load();
            }
        }
        i2c.proceed(at, env);
    }

    fn stopped(i2c: &mut I2cV2, env: &mut Env<'_, '_>) {
        i2c.bank.flag(CR2, STOP, false);
        i2c.bank.flag(ISR, STOPF, true);
        if i2c.is_set(START) {
            i2c.start(env.now(), env);
        }
    }

    /// RM0490, "I2C interrupts"; "DMA requests".
    fn requests(i2c: &I2cV2) -> (u32, bool, bool) {
        let (isr, cr1) = (i2c.get(ISR), i2c.get(CR1));
        let wants = [(TXIE, TXIS), (RXIE, RXNE), (ADDRIE, ADDR), (NACKIE, NACKF), (STOPIE, STOPF), (TCIE, TC | TCR)];
        let event = wants.into_iter().any(|(enable, flags)| cr1 & enable != 0 && isr & flags != 0);
        let dma = |enable: u32, flag: u32| cr1 & enable != 0 && isr & flag != 0;
        let error = cr1 & ERRIE != 0 && isr & ERRORS != 0;
        (u32::from(event) | u32::from(error) << 1, dma(TXDMAEN, TXIS), dma(RXDMAEN, RXNE))
    }

    fn is_on(i2c: &I2cV2) -> bool {
        i2c.on()
    }

    fn read(i2c: &mut I2cV2, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = i2c.bank.read(offset, env);
        match offset {
            ISR if i2c.is_busy(env) => return value | BUSY,
            PECR => return if i2c.get(CR1) & PECEN != 0 { i2c.code.into() } else { 0 },
            RXDR => {
                i2c.bank.flag(ISR, RXNE, false);
                if i2c.is_free() {
                    // A target's byte is asked for again.
                    return value;
                }
                if let Some(byte) = i2c.own.waits.take() {
                    let acknowledged = Self::received(i2c, byte).unwrap_or(false);
                    i2c.acknowledge_received(byte, acknowledged, env.now(), env);
                }
            }
            _ => {}
        }
        value
    }

    /// A read of RXDR takes its byte.
    fn still(i2c: &I2cV2, offset: u32, now: Instant) -> Option<Instant> {
        match offset {
            ISR => Some(i2c.busy_still(now)),
            RXDR => None,
            _ => i2c.bank.still(offset),
        }
    }

    fn write(i2c: &mut I2cV2, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            ISR if write.ones() & TXE != 0 => {
                // RM0490, I2C_ISR: a 1 flushes TXDR.
                i2c.own.to_send = None;
                i2c.bank.flag(ISR, TXE, true);
            }
            ISR | RXDR | PECR => {}
            ICR => {
                i2c.bank.write(offset, write, env);
                i2c.bank.set(ICR, 0);
                let called = i2c.get(ISR) & ADDR != 0;
                i2c.bank.flag(ISR, write.ones() & CLEARED, false);
                if called && write.ones() & ADDR != 0 && i2c.counts() {
                    i2c.load();
                }
            }
            TXDR => {
                i2c.bank.write(offset, write, env);
                i2c.own.to_send = Some(write.ones() as u8);
                i2c.bank.flag(ISR, TXE | TXIS, false);
                i2c.proceed(env.now(), env);
            }
            _ => {
                let (old, new) = i2c.bank.write(offset, write, env);
                match offset {
                    CR1 => i2c.control(old, new, env),
                    CR2 => i2c.command(old, write, env),
                    TIMEOUTR => {
                        // RM0490, I2C_TIMEOUTR: a timeout's fields are written only while it is off.
                        let closed = if old & TIMOUTEN != 0 { TIMEOUTA } else { 0 };
                        let closed = closed | if old & TEXTEN != 0 { TIMEOUTB } else { 0 };
                        i2c.bank.set(TIMEOUTR, new & !closed | old & closed);
                    }
                    _ => {}
                }
            }
        }
    }

    /// RM0490, "Arbitration lost (ARLO)".
    fn lost(i2c: &mut I2cV2, _: &mut Env<'_, '_>) {
        i2c.bank.flag(ISR, ARLO, true);
        i2c.bank.flag(ISR, TXIS | TC | TCR, false);
        i2c.bank.flag(CR2, START | STOP, false);
        (i2c.own.step, i2c.own.waits) = (Step::Data, None);
    }

    fn misplaced(i2c: &mut I2cV2) {
        i2c.bank.flag(ISR, BERR, true);
    }

    /// RM0490, I2C_OAR1, I2C_OAR2; "SMBus: address resolution", "SMBus: alert": 0b0001000 is the host's, 0b1100001 the default
    /// device's, 0b0001100 that of the alert's answer.
    fn called(i2c: &mut I2cV2, address: I2cAddress, read: bool) -> bool {
        let (cr1, oar1, oar2) = (i2c.get(CR1), i2c.get(OAR1), i2c.get(OAR2));
        let first = |ten: u32| oar1 & 1 << 15 != 0 && oar1 >> 10 & 1 == ten;
        let (code, own) = match address {
            I2cAddress::Ten(address) => {
                (0x78 | u32::from(address) >> 8, first(1) && oar1 & 0x3FF == u32::from(address))
            }
            I2cAddress::Seven(address) => {
                let mask = oar2 >> 8 & 7;
                let reserved = matches!(address >> 3, 0 | 0xF);
                let same = u32::from(address) >> mask == (oar2 >> 1 & 0x7F) >> mask;
                let second = oar2 & 1 << 15 != 0 && (mask == 7 || same) && (mask == 0 || !reserved);
                let special = match address {
                    0 => !read && cr1 & GCEN != 0,
                    0x08 => cr1 & SMBHEN != 0,
                    0x61 => cr1 & SMBDEN != 0,
                    0x0C => read && cr1 & (ALERTEN | SMBHEN) == ALERTEN,
                    _ => false,
                };
                let own = first(0) && oar1 >> 1 & 0x7F == u32::from(address);
                (u32::from(address), own || second || special)
            }
        };
        if own {
            i2c.own.call = code << 17 | u32::from(read) << 16;
        }
        own
    }

    fn called_by_header(i2c: &mut I2cV2, high: u8) -> bool {
        let oar1 = i2c.get(OAR1);
        oar1 >> 15 & 1 == 1 && oar1 >> 10 & 1 == 1 && oar1 >> 8 & 3 == u32::from(high)
    }

    fn selected(i2c: &mut I2cV2, _: bool) {
        i2c.bank.set(ISR, i2c.get(ISR) & !CALL | i2c.own.call | ADDR);
        i2c.bank.flag(CR2, NACK, false);
        i2c.own.taken = false;
        i2c.load();
    }

    /// RM0490, "Slave receiver", "Slave byte control mode".
    fn target_received(i2c: &mut I2cV2, byte: u8) -> Option<bool> {
        if !std::mem::replace(&mut i2c.own.taken, true) {
            if i2c.get(ISR) & RXNE != 0 {
                if i2c.get(CR1) & NOSTRETCH != 0 {
                    // The byte is lost.
                    i2c.bank.flag(ISR, OVR, true);
                    i2c.own.taken = false;
                    return Some(false);
                }
                i2c.own.taken = false;
                return None;
            }
            i2c.bank.set(RXDR, byte.into());
            i2c.bank.flag(ISR, RXNE, true);
            if i2c.counts() {
                if !i2c.check(byte) {
                    i2c.own.taken = false;
                    return Some(false);
                }
                i2c.own.left = i2c.own.left.saturating_sub(1);
                i2c.bank.flag(ISR, TCR, i2c.own.left == 0 && i2c.is_set(RELOAD));
            }
        }
        if i2c.get(ISR) & TCR != 0 {
            return None;
        }
        i2c.own.taken = false;
        Some(!i2c.is_set(NACK))
    }

    fn target_ninth(i2c: &mut I2cV2, _: u8, sends: bool, acknowledged: bool) {
        if sends && i2c.counts() {
            i2c.own.left = i2c.own.left.saturating_sub(1);
        }
        if !acknowledged {
            i2c.bank.flag(CR2, NACK, false);
            if sends {
                i2c.bank.flag(ISR, NACKF, true);
            }
        }
    }

    /// RM0490, "Slave transmitter".
    fn target_next(i2c: &mut I2cV2) -> Next {
        let (isr, stretches) = (i2c.get(ISR), i2c.get(CR1) & NOSTRETCH == 0);
        if isr & ADDR != 0 && stretches {
            return Next::Wait;
        }
        if i2c.own.call >> 16 & 1 == 0 {
            return Next::Receive;
        }
        if i2c.counts() {
            if i2c.own.left == 0 && i2c.is_set(RELOAD) {
                i2c.bank.flag(ISR, TCR, true);
                return Next::Wait;
            }
            if i2c.code_is_next() {
                return Next::Send(i2c.code);
            }
        }
        match i2c.own.to_send.take() {
            Some(byte) => {
                i2c.bank.flag(ISR, TXE | TXIS, true);
                Next::Send(byte)
            }
            None if stretches => {
                i2c.bank.flag(ISR, TXIS, true);
                Next::Wait
            }
            None => {
                i2c.bank.flag(ISR, OVR | TXIS, true);
                Next::Send(u8::MAX)
            }
        }
    }

    fn restarted(i2c: &mut I2cV2) {
        i2c.bank.flag(ISR, TXIS | TCR, false);
    }

    fn target_stopped(i2c: &mut I2cV2, _: bool) {
        i2c.bank.flag(ISR, STOPF, true);
        i2c.bank.flag(ISR, TXIS | TCR, false);
        i2c.bank.flag(CR2, NACK, false);
        i2c.own.taken = false;
    }

    fn target_times(i2c: &I2cV2, tick: Span, env: &Env<'_, '_>) -> (Span, Span) {
        Self::times(i2c, tick, env).map_or((Span::ZERO, Span::ZERO), |times| (times.hold, times.setup))
    }

    /// RM0490, I2C_TIMINGR, SDADEL and SCLDEL: SCL is low during both where stretching is allowed.
    fn holds_for_data(i2c: &I2cV2) -> bool {
        i2c.get(CR1) & NOSTRETCH == 0
    }

    /// RM0490, I2C_TIMEOUTR.
    fn timeout(i2c: &I2cV2, (scl, sda): (bool, bool), env: &Env<'_, '_>) -> Option<Span> {
        let timeout = i2c.get(TIMEOUTR);
        let (stands, periods) = if timeout & 1 << 12 == 0 { (!scl, 2048) } else { (scl && sda, 4) };
        let count = u64::from(timeout & 0xFFF) + 1;
        let limit = env.clocks().period_of(i2c.clock()).times(count * periods);
        (stands && timeout & TIMOUTEN != 0).then_some(limit)
    }

    /// RM0490, I2C_TIMEOUTR: the cumulative extension of the clock, tLOW:MEXT of a controller, tLOW:SEXT of a target.
    fn extension(i2c: &I2cV2, env: &Env<'_, '_>) -> Option<Span> {
        let timeout = i2c.get(TIMEOUTR);
        let count = u64::from(timeout >> 16 & 0xFFF) + 1;
        (timeout & TEXTEN != 0).then(|| env.clocks().period_of(i2c.clock()).times(count * 2048))
    }

    fn timed_out(i2c: &mut I2cV2, env: &mut Env<'_, '_>) {
        i2c.bank.flag(ISR, TIMEOUT, true);
        if i2c.is_free() {
            i2c.let_go_target(env);
        } else {
            i2c.bank.flag(CR2, STOP, true);
            i2c.proceed(env.now(), env);
        }
    }

    fn alerts(i2c: &I2cV2) -> bool {
        i2c.get(CR1) & (PE | ALERTEN | SMBHEN) == PE | ALERTEN
    }

    fn alerted(i2c: &mut I2cV2) {
        if i2c.get(CR1) & (ALERTEN | SMBHEN) == ALERTEN | SMBHEN {
            i2c.bank.flag(ISR, ALERT, true);
        }
    }
}
