//! I2C of STM32F1, F2 and F4 (RM0008, RM0390, "Inter-integrated circuit (I2C) interface"): a controller with exact bit times
//! and the flags' own ways to be cleared.
//!
//! Not modelled, and counted when used: SMBus with its timeouts, packet error checking. Own addresses have no effect: no
//! other controller is on the bus.

use cyclescope_machine::TimingRow;

use super::i2c::{Byte, I2c, Times, Version};
use crate::bank::{all, some};
use crate::{Env, Instant, Modelled, Span, Write};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const DR: u32 = 0x10;
const SR1: u32 = 0x14;
const SR2: u32 = 0x18;
const CCR: u32 = 0x1C;

const PE: u32 = 1 << 0;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const ACK: u32 = 1 << 10;
const POS: u32 = 1 << 11;
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
const AF: u32 = 1 << 10;
/// Flags that writing 0 clears.
const ERRORS: u32 = 0xDF00;

const MSL: u32 = 1 << 0;
const BUSY: u32 = 1 << 1;
const TRA: u32 = 1 << 2;

/// The modelled registers and fields, with the values after reset (RM0390, "I2C register map").
pub const MODEL: &[Modelled] = &[
    some("CR1", 0, &["PE", "START", "STOP", "ACK", "POS", "SWRST"]).unseen(&["ENGC", "NOSTRETCH"]),
    all("CR2", 0),
    some("OAR1", 0, &[]).unseen(&["ADD", "ADDMODE"]),
    some("OAR2", 0, &[]).unseen(&["ENDUAL", "ADD2"]),
    all("DR", 0),
    some("SR1", 0, &["START", "ADDR", "BTF", "ADD10", "RXNE", "TXE", "AF"]),
    some("SR2", 0, &["MSL", "BUSY", "TRA"]),
    all("CCR", 0),
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
        self.own.seen = 0;
        if waits & SB != 0 && self.is_held() {
            self.bank.flag(SR1, SB, false);
            let byte = if byte & 0xF8 == 0xF0 { Byte::Header(byte) } else { Byte::Address(byte) };
            return self.send(byte, now, env);
        }
        if waits & ADD10 != 0 && self.is_held() {
            self.bank.flag(SR1, ADD10, false);
            return self.send(Byte::Second(byte), now, env);
        }
        if self.sends() {
            self.own.to_send = Some(byte);
            self.bank.flag(SR1, TXE | BTF, false);
            self.proceed(now, env);
        }
    }

    /// Software has read DR.
    fn taken(&mut self, env: &mut Env<'_, '_>) {
        self.own.seen = 0;
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
        (count > 0).then_some(Times { low, high, hold: Span::ZERO, setup: low, pause: low, edge: high })
    }

    fn started(i2c: &mut I2cV1, at: Instant, env: &mut Env<'_, '_>) {
        i2c.bank.flag(CR1, START, false);
        i2c.bank.flag(SR1, SB, true);
        i2c.bank.flags(SR2, &[(MSL, true), (TRA, false)]);
        (i2c.own.failed, i2c.own.between, i2c.own.one_left) = (false, false, false);
        i2c.proceed(at, env);
    }

    fn received(i2c: &mut I2cV1, _: u8) -> Option<bool> {
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
                let busy = if i2c.is_busy(env) { BUSY } else { 0 };
                if i2c.own.seen & i2c.get(SR1) & ADDR != 0 {
                    i2c.bank.flag(SR1, ADDR, false);
                    i2c.own.seen = 0;
                    i2c.proceed(env.now(), env);
                }
                return value | busy;
            }
            DR => i2c.taken(env),
            _ => {}
        }
        value
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

    fn one_left(i2c: &mut I2cV1) {
        i2c.own.one_left = true;
    }
}
