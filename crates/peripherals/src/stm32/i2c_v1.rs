//! I2C of STM32F1, F2 and F4 (RM0008, RM0390, "Inter-integrated circuit (I2C) interface"): exact bit times, the flags' own ways
//! to be cleared, and SMBus with its addresses, packet error code, alert and the timeout of a clock that stays low.
//!
//! Not modelled: the cumulative timeouts of SMBus. The filters (FLTR) have no effect on the lines' edges, which are clean.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{I2cAddress, TimingRow};

use crate::bank::{all, some};
use crate::i2c::{Byte, I2c, Next, Times, Version};
use crate::{Env, Instant, Modelled, Span, Write};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const OAR1: u32 = 0x08;
const OAR2: u32 = 0x0C;
const DR: u32 = 0x10;
const SR1: u32 = 0x14;
const SR2: u32 = 0x18;
const CCR: u32 = 0x1C;

const PE: u32 = 1 << 0;
const SMBUS: u32 = 1 << 1;
/// SMBTYPE: a host, not a device.
const HOST: u32 = 1 << 3;
const ENARP: u32 = 1 << 4;
const ENPEC: u32 = 1 << 5;
const ENGC: u32 = 1 << 6;
const NOSTRETCH: u32 = 1 << 7;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const ACK: u32 = 1 << 10;
const POS: u32 = 1 << 11;
const PEC: u32 = 1 << 12;
const ALERT: u32 = 1 << 13;
const SWRST: u32 = 1 << 15;

const ITERREN: u32 = 1 << 8;
const ITEVTEN: u32 = 1 << 9;
const ITBUFEN: u32 = 1 << 10;
const DMAEN: u32 = 1 << 11;
const LAST: u32 = 1 << 12;

const SB: u32 = 1 << 0;
const ADDR: u32 = 1 << 1;
const BTF: u32 = 1 << 2;
const ADD10: u32 = 1 << 3;
const STOPF: u32 = 1 << 4;
const RXNE: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const BERR: u32 = 1 << 8;
const ARLO: u32 = 1 << 9;
const AF: u32 = 1 << 10;
const OVR: u32 = 1 << 11;
const PECERR: u32 = 1 << 12;
const TIMEOUT: u32 = 1 << 14;
const SMBALERT: u32 = 1 << 15;
/// Flags that writing 0 clears.
const ERRORS: u32 = 0xDF00;

const MSL: u32 = 1 << 0;
const BUSY: u32 = 1 << 1;
const TRA: u32 = 1 << 2;
const GENCALL: u32 = 1 << 4;
const SMBDEFAULT: u32 = 1 << 5;
const SMBHOST: u32 = 1 << 6;
const DUALF: u32 = 1 << 7;

/// OAR1.ADDMODE: ten bits.
const ADDMODE: u32 = 1 << 15;

/// The modelled registers and fields, with the values after reset (RM0390, "I2C register map").
pub const MODEL: &[Modelled] = &[
    all("CR1", 0).and(&["CR2", "OAR1", "OAR2", "DR", "SR1", "SR2", "CCR"]),
    all("TRISE", 2),
    some("FLTR", 0, &[]).unseen(&["DNF", "ANOFF"]),
];

/// The timing that does not follow from CCR.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "i2c.start",
        "from START with a free bus to the start condition, in periods of PCLK1",
        0,
        "RM0008 and RM0390 give no figure; a few periods",
    ),
    TimingRow::assumed(
        "i2c.conditions",
        "beyond CCR's high time, from a start to SCL's fall and from SCL's rise to a stop; beyond its low time, from SCL's rise \
         to a repeated start, from a stop to a start, and from what ends a wait of software to SCL's rise; in periods of PCLK1",
        0,
        "RM0008 and RM0390 give no figures; these fit the least times of UM10204 at all settings that the manuals advise",
    ),
    TimingRow::assumed(
        "i2c.data",
        "from SCL's fall to the change of SDA, in periods of PCLK1",
        0,
        "RM0008 and RM0390 give no figure; the data sheets ask for 0 at least",
    ),
    TimingRow::assumed(
        "i2c.rise",
        "from letting SCL go to its high level, in periods of PCLK1",
        0,
        "the board's lines rise at once; TRISE makes slow ones last as CCR says (RM0390, I2C_TRISE)",
    ),
    TimingRow::assumed(
        "i2c.target_setup",
        "from a target's change of SDA to the release of the SCL that it held, in periods of PCLK1",
        4,
        "RM0008 and RM0390 give no figure; the hardware derives one from CR2.FREQ",
    ),
    TimingRow::documented(
        "i2c.timeout",
        "for which SCL may be low with SMBus, in microseconds",
        25_000,
        "RM0008, RM0390, I2C_SR1.TIMEOUT",
    ),
];

/// The version.
#[derive(Clone, Debug, Default)]
pub struct V1 {
    /// The flags that the latest read of SR1 has shown.
    seen: u32,
    /// A byte in DR that is to be sent.
    to_send: Option<u8>,
    /// A byte in the shift register, which waits for DR to be read.
    shifted: Option<u8>,
    /// ACK as it was when the byte under way began, for POS.
    ack_before: bool,
    /// The DMA has one byte left to take.
    one_left: bool,
    /// True when STOP and START may be carried out: after a byte, or after a missing acknowledgement.
    between: bool,
    /// True after a missing acknowledgement: only STOP and START go on.
    failed: bool,
    /// The flags of SR2 for the address by which the block is called.
    called: u32,
    /// The byte under way is the packet error code; POS: the next one.
    checks: bool,
    /// The byte that software wrote last.
    last: u8,
    /// The DMA has handed over the last byte to be sent.
    last_sent: bool,
}

/// One block.
pub type I2cV1 = I2c<V1>;

impl I2cV1 {
    fn sends(&self) -> bool {
        self.get(SR2) & TRA != 0
    }

    /// Does what comes next, if SCL is held and software has done its part.
    fn proceed(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        let cr1 = self.get(CR1);
        if !self.is_held() || cr1 & PE == 0 {
            return;
        }
        let sr1 = self.get(SR1);
        if sr1 & SB != 0 && cr1 & STOP != 0 {
            self.bank.flag(SR1, SB, false);
            return self.stop(at, env);
        }
        if sr1 & (SB | ADDR | ADD10) != 0 {
            return;
        }
        let may_end = self.own.between || self.own.failed || self.sends();
        if may_end && cr1 & (STOP | START) != 0 {
            self.bank.flag(SR1, BTF | TXE, false);
            self.own.to_send = None;
            return if cr1 & STOP != 0 { self.stop(at, env) } else { self.start(at, env) };
        }
        if self.own.failed {
            return;
        }
        if self.sends() && self.own.to_send.is_none() && self.own.between && self.code_is_due() {
            self.bank.flag(SR1, BTF | TXE, false);
            self.bank.flag(CR1, PEC, false);
            self.own.last_sent = false;
            return self.send(Byte::Data(self.code), at, env);
        }
        if self.sends() {
            match self.own.to_send.take() {
                Some(byte) => {
                    self.bank.flags(SR1, &[(TXE, true), (BTF, false)]);
                    self.send(Byte::Data(byte), at, env);
                }
                None => self.bank.flags(SR1, &[(TXE, true), (BTF, self.own.between)]),
            }
        } else if self.own.shifted.is_none() {
            self.own.ack_before = cr1 & ACK != 0;
            self.receive(at, env);
        }
    }

    /// The packet error code is the next byte to be sent (RM0008, RM0390, "Packet error checking").
    fn code_is_due(&self) -> bool {
        let by_dma = self.get(CR2) & DMAEN != 0 && self.own.last_sent;
        self.get(CR1) & ENPEC != 0 && (self.get(CR1) & PEC != 0 || by_dma)
    }

    /// The byte that comes in is the packet error code: PEC says so, or the DMA has had all others.
    fn checks(&mut self) -> bool {
        let (cr1, cr2) = (self.get(CR1), self.get(CR2));
        let by_dma = cr2 & DMAEN != 0 && cr2 & LAST != 0 && self.own.one_left;
        let now = cr1 & ENPEC != 0 && (cr1 & PEC != 0 || by_dma);
        // POS: PEC speaks of the byte after the one under way.
        if cr1 & POS != 0 { std::mem::replace(&mut self.own.checks, now) } else { now }
    }

    /// A byte has come in; returns `true` if it is a right packet error code or none at all.
    fn check(&mut self, byte: u8) -> (bool, bool) {
        let checks = self.checks();
        let right = byte == self.code;
        if checks {
            self.bank.flag(CR1, PEC, false);
            self.own.checks = false;
            if !right {
                self.bank.flag(SR1, PECERR, true);
            }
        }
        (checks, right)
    }

    /// An address was acknowledged.
    fn addressed(&mut self, sends: bool) {
        self.bank.flag(SR1, ADDR, true);
        self.bank.flag(SR2, TRA, sends);
        self.own.between = false;
    }

    /// CR1 was written.
    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if new & SWRST != 0 {
            self.bank.reset();
            self.own = V1::default();
            self.bank.set(CR1, SWRST);
            return self.stop_at_once(env);
        }
        if new & PE == 0 {
            self.bank.flag(CR1, START | STOP | ACK | POS, false);
            if old & PE != 0 {
                self.own = V1::default();
                self.bank.set(SR1, 0);
                self.bank.set(SR2, 0);
                self.stop_at_once(env);
            }
            return;
        }
        if old & PE == 0 {
            self.show(env);
        }
        if self.own.seen & STOPF != 0 {
            self.own.seen &= !STOPF;
            // RM0008, RM0390, SR1.STOPF: a read of SR1 and a write of CR1.
            self.bank.flag(SR1, STOPF, false);
        }
        let now = env.now();
        if new & START != 0 && self.is_free() {
            self.start(now, env);
        } else {
            self.proceed(now, env);
        }
    }

    /// Software has written `byte` to DR.
    fn put(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        let now = env.now();
        let waits = self.get(SR1) & self.own.seen;
        self.own.seen &= STOPF;
        if waits & SB != 0 && self.is_held() {
            self.bank.flag(SR1, SB, false);
            let byte = if byte & 0xF8 == 0xF0 { Byte::Header(byte) } else { Byte::Address(byte) };
            return self.send(byte, now, env);
        }
        if waits & ADD10 != 0 && self.is_held() {
            self.bank.flag(SR1, ADD10, false);
            return self.send(Byte::Second(byte), now, env);
        }
        self.own.last = byte;
        // A target that does not hold the clock has its first byte ready before it is called.
        let ready = self.is_free() && self.get(CR1) & NOSTRETCH != 0;
        if self.sends() || ready {
            self.own.to_send = Some(byte);
            self.bank.flag(SR1, TXE | BTF, false);
            self.proceed(now, env);
        }
    }

    /// Software has read DR.
    fn taken(&mut self, env: &mut Env<'_, '_>) {
        self.own.seen &= STOPF;
        match self.own.shifted.take() {
            Some(byte) => {
                self.bank.set(DR, byte.into());
                self.bank.flag(SR1, BTF, false);
                self.proceed(env.now(), env);
            }
            None => self.bank.flag(SR1, RXNE, false),
        }
    }
}

impl Version for V1 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;

    /// RM0008, RM0390, I2C_CCR.
    fn times(i2c: &I2cV1, tick: Span, _: &Env<'_, '_>) -> Option<Times> {
        let ccr = i2c.get(CCR);
        let (high, low) = match ccr >> 14 {
            0 | 1 => (1, 1),
            2 => (1, 2),
            _ => (9, 16),
        };
        let count = u64::from(ccr & 0xFFF);
        let (high, low) = (tick.times(count * high), tick.times(count * low));
        let hold = Span::ZERO;
        (count > 0).then_some(Times { low, high, hold, setup: low, pause: low, free: low, start: high, stop: high })
    }

    fn started(i2c: &mut I2cV1, at: Instant, env: &mut Env<'_, '_>) {
        i2c.bank.flag(CR1, START, false);
        i2c.bank.flag(SR1, SB, true);
        i2c.bank.flags(SR2, &[(MSL, true), (TRA, false)]);
        (i2c.own.failed, i2c.own.between, i2c.own.one_left) = (false, false, false);
        i2c.proceed(at, env);
    }

    fn received(i2c: &mut I2cV1, byte: u8) -> Option<bool> {
        let (checks, _) = i2c.check(byte);
        if checks {
            // A controller acknowledges no packet error code.
            return Some(false);
        }
        let (cr1, cr2) = (i2c.get(CR1), i2c.get(CR2));
        let ack = if cr1 & POS != 0 { i2c.own.ack_before } else { cr1 & ACK != 0 };
        let last = cr2 & (DMAEN | LAST) == DMAEN | LAST && i2c.own.one_left;
        Some(ack && !last)
    }

    fn ninth(i2c: &mut I2cV1, byte: Byte, acknowledged: bool, at: Instant, env: &mut Env<'_, '_>) {
        match byte {
            Byte::Received(byte) => {
                if i2c.get(SR1) & RXNE != 0 {
                    i2c.own.shifted = Some(byte);
                    i2c.bank.flag(SR1, BTF, true);
                } else {
                    i2c.bank.set(DR, byte.into());
                    i2c.bank.flag(SR1, RXNE, true);
                }
                i2c.own.between = true;
                // RM0008, "Communication using DMA": the stop is programmed after the last byte has come.
                i2c.own.failed = !acknowledged;
            }
            _ if !acknowledged => {
                i2c.bank.flag(SR1, AF, true);
                i2c.own.failed = true;
            }
            Byte::Address(byte) => i2c.addressed(byte & 1 == 0),
            Byte::Header(byte) if byte & 1 != 0 => i2c.addressed(false),
            Byte::Header(_) => i2c.bank.flag(SR1, ADD10, true),
            Byte::Second(_) => i2c.addressed(true),
            Byte::Data(_) => i2c.own.between = true,
        }
        i2c.proceed(at, env);
    }

    fn stopped(i2c: &mut I2cV1, env: &mut Env<'_, '_>) {
        i2c.bank.flag(CR1, STOP, false);
        i2c.bank.set(SR2, 0);
        i2c.bank.flag(SR1, TXE | BTF | SB | ADDR | ADD10, false);
        i2c.own.to_send = None;
        if i2c.get(CR1) & START != 0 {
            i2c.start(env.now(), env);
        }
    }

    /// RM0390, "I2C interrupts"; "DMA requests".
    fn requests(i2c: &I2cV1) -> (u32, bool, bool) {
        let (sr1, cr2) = (i2c.get(SR1), i2c.get(CR2));
        let buffer = cr2 & ITBUFEN != 0 && sr1 & (TXE | RXNE) != 0;
        let event = cr2 & ITEVTEN != 0 && (buffer || sr1 & (SB | ADDR | ADD10 | STOPF | BTF) != 0);
        let error = cr2 & ITERREN != 0 && sr1 & ERRORS != 0;
        let dma = cr2 & DMAEN != 0;
        (u32::from(event) | u32::from(error) << 1, dma && sr1 & TXE != 0, dma && sr1 & RXNE != 0)
    }

    fn is_on(i2c: &I2cV1) -> bool {
        i2c.get(CR1) & PE != 0
    }

    fn read(i2c: &mut I2cV1, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = i2c.bank.read(offset, env);
        match offset {
            SR1 => i2c.own.seen = value,
            SR2 => {
                let code = if i2c.get(CR1) & ENPEC != 0 { u32::from(i2c.code) << 8 } else { 0 };
                let value = value & 0xFF | code;
                let busy = if i2c.is_busy(env) { BUSY } else { 0 };
                if i2c.own.seen & i2c.get(SR1) & ADDR != 0 {
                    i2c.bank.flag(SR1, ADDR, false);
                    i2c.own.seen &= STOPF;
                    i2c.proceed(env.now(), env);
                }
                return value | busy;
            }
            DR => i2c.taken(env),
            _ => {}
        }
        value
    }

    /// SR1 is still once it was read as it is, because that read is remembered; SR2 unless its read clears ADDR.
    fn still(i2c: &I2cV1, offset: u32, now: Instant) -> Option<Instant> {
        let sr1 = i2c.get(SR1);
        match offset {
            SR1 if i2c.own.seen != sr1 => None,
            SR2 if i2c.own.seen & sr1 & ADDR != 0 => None,
            SR2 => Some(i2c.busy_still(now)),
            DR => None,
            _ => i2c.bank.still(offset),
        }
    }

    fn write(i2c: &mut I2cV1, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            SR1 => i2c.bank.flag(SR1, write.zeros() & ERRORS, false),
            SR2 => {}
            DR => i2c.put(write.ones() as u8, env),
            _ => {
                let (old, new) = i2c.bank.write(offset, write, env);
                if offset == CR1 {
                    i2c.control(old, new, env);
                }
            }
        }
    }

    fn one_left(i2c: &mut I2cV1, receives: bool) {
        *(if receives { &mut i2c.own.one_left } else { &mut i2c.own.last_sent }) = true;
    }

    /// RM0008, RM0390, "Arbitration lost (ARLO)".
    fn lost(i2c: &mut I2cV1, _: &mut Env<'_, '_>) {
        i2c.bank.flag(SR1, ARLO, true);
        i2c.bank.flag(SR1, SB | ADDR | ADD10 | TXE | BTF, false);
        i2c.bank.flag(SR2, MSL | TRA, false);
        i2c.bank.flag(CR1, STOP, false);
        i2c.own = V1 { seen: i2c.own.seen, called: i2c.own.called, ..V1::default() };
    }

    fn misplaced(i2c: &mut I2cV1) {
        i2c.bank.flag(SR1, BERR, true);
    }

    /// RM0008, RM0390, I2C_OAR1, I2C_OAR2; "SMBus": 0b0001000 is the host's, 0b1100001 the default device's, 0b0001100 that of
    /// the alert's answer.
    fn called(i2c: &mut I2cV1, address: I2cAddress, read: bool) -> bool {
        let (cr1, oar1, oar2) = (i2c.get(CR1), i2c.get(OAR1), i2c.get(OAR2));
        if cr1 & ACK == 0 {
            return false;
        }
        let smbus = |kind: u32, bits: u32| cr1 & (SMBUS | ENARP | HOST) & (SMBUS | bits) == kind;
        let flag = match address {
            I2cAddress::Ten(address) => (oar1 & ADDMODE != 0 && u32::from(address) == oar1 & 0x3FF).then_some(0),
            I2cAddress::Seven(0) if !read && cr1 & ENGC != 0 => Some(GENCALL),
            I2cAddress::Seven(0x08) if smbus(SMBUS | ENARP | HOST, ENARP | HOST) => Some(SMBHOST),
            I2cAddress::Seven(0x61) if smbus(SMBUS | ENARP, ENARP | HOST) => Some(SMBDEFAULT),
            I2cAddress::Seven(0x0C) if read && cr1 & (SMBUS | HOST | ALERT) == SMBUS | ALERT => Some(0),
            I2cAddress::Seven(address) => {
                let address = u32::from(address) << 1;
                if oar1 & ADDMODE == 0 && address == oar1 & 0xFE {
                    Some(0)
                } else {
                    (oar2 & 1 != 0 && oar1 & ADDMODE == 0 && address == oar2 & 0xFE).then_some(DUALF)
                }
            }
        };
        i2c.own.called = flag.unwrap_or(0);
        flag.is_some()
    }

    fn called_by_header(i2c: &mut I2cV1, high: u8) -> bool {
        let oar1 = i2c.get(OAR1);
        i2c.get(CR1) & ACK != 0 && oar1 & ADDMODE != 0 && oar1 >> 8 & 3 == u32::from(high)
    }

    fn selected(i2c: &mut I2cV1, sends: bool) {
        i2c.bank.set(SR2, i2c.own.called | if sends { TRA } else { 0 });
        i2c.bank.flag(SR1, ADDR, true);
        (i2c.own.between, i2c.own.failed, i2c.own.one_left) = (false, false, false);
    }

    fn target_received(i2c: &mut I2cV1, byte: u8) -> Option<bool> {
        let (checks, right) = i2c.check(byte);
        if checks { Some(right) } else { Some(i2c.get(CR1) & ACK != 0) }
    }

    fn target_ninth(i2c: &mut I2cV1, byte: u8, sends: bool, acknowledged: bool) {
        i2c.own.between = true;
        if sends {
            if !acknowledged {
                i2c.bank.flag(SR1, AF, true);
            }
        } else if i2c.get(SR1) & RXNE == 0 {
            i2c.bank.set(DR, byte.into());
            i2c.bank.flag(SR1, RXNE, true);
        } else if i2c.get(CR1) & NOSTRETCH != 0 {
            // RM0008, RM0390, "Overrun/underrun error (OVR)": the byte is lost.
            i2c.bank.flag(SR1, OVR, true);
        } else {
            i2c.own.shifted = Some(byte);
            i2c.bank.flag(SR1, BTF, true);
        }
    }

    fn target_next(i2c: &mut I2cV1) -> Next {
        let (sr1, stretches) = (i2c.get(SR1), i2c.get(CR1) & NOSTRETCH == 0);
        if sr1 & ADDR != 0 && stretches {
            return Next::Wait;
        }
        if !i2c.sends() {
            return if i2c.own.shifted.is_some() { Next::Wait } else { Next::Receive };
        }
        let between = i2c.own.between;
        match i2c.own.to_send.take() {
            Some(byte) => {
                i2c.bank.flags(SR1, &[(TXE, true), (BTF, false)]);
                Next::Send(byte)
            }
            None if between && i2c.code_is_due() => {
                i2c.bank.flag(CR1, PEC, false);
                i2c.own.last_sent = false;
                Next::Send(i2c.code)
            }
            None if stretches => {
                i2c.bank.flags(SR1, &[(TXE, true), (BTF, between)]);
                Next::Wait
            }
            None => {
                // The byte in DR goes out again.
                i2c.bank.flag(SR1, OVR | TXE, true);
                Next::Send(i2c.own.last)
            }
        }
    }

    fn restarted(i2c: &mut I2cV1) {
        i2c.bank.flag(SR1, TXE | BTF, false);
        i2c.own.to_send = None;
    }

    fn target_stopped(i2c: &mut I2cV1, selected: bool) {
        if selected {
            i2c.bank.flag(SR1, STOPF, true);
        }
        i2c.bank.flag(SR1, TXE | ADDR, false);
        i2c.bank.set(SR2, 0);
        i2c.bank.flag(CR1, PEC, false);
        (i2c.own.to_send, i2c.own.between, i2c.own.last_sent) = (None, false, false);
    }

    fn target_times(_: &I2cV1, tick: Span, _: &Env<'_, '_>) -> (Span, Span) {
        (Span::ZERO, tick.times(ROWS[4].cycles.into()))
    }

    /// RM0008, RM0390, SR1.TIMEOUT.
    fn timeout(i2c: &I2cV1, (scl, _): (bool, bool), env: &Env<'_, '_>) -> Option<Span> {
        let limit = Picoseconds::new(u64::from(ROWS[5].cycles) * 1_000_000);
        (!scl && i2c.get(CR1) & (PE | SMBUS) == PE | SMBUS).then(|| env.clocks().span(limit))
    }

    fn timed_out(i2c: &mut I2cV1, env: &mut Env<'_, '_>) {
        i2c.bank.flag(SR1, TIMEOUT, true);
        if i2c.is_free() {
            i2c.let_go_target(env);
        } else {
            i2c.bank.flag(CR1, STOP, true);
            i2c.own.failed = true;
            if i2c.is_held() {
                i2c.bank.flag(SR1, SB | ADDR | ADD10, false);
                i2c.stop(env.now(), env);
            }
        }
    }

    fn alerts(i2c: &I2cV1) -> bool {
        i2c.get(CR1) & (PE | SMBUS | HOST | ALERT) == PE | SMBUS | ALERT
    }

    fn alerted(i2c: &mut I2cV1) {
        if i2c.get(CR1) & (SMBUS | HOST) == SMBUS | HOST {
            i2c.bank.flag(SR1, SMBALERT, true);
        }
    }
}
