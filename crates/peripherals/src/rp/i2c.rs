//! I2C (RP-008371-DS, "I2C"; Synopsys' DW_apb_i2c), as a controller and as a target, over the engine of all vendors.
//!
//! A controller takes commands out of the transmit FIFO: a byte to send or to receive, with a restart before it or a stop behind it.
//! Without a command it holds SCL; behind a byte that came in it does so ahead of the acknowledgement, which the next command
//! decides. The block counts the system's clock.

use std::collections::VecDeque;

use cyclescope_machine::{I2cAddress, TimingRow};

use super::registers;
use crate::i2c::{Byte, I2c as Engine, Next, Times, Version};
use crate::{Bank, Env, Instance, Instant, Modelled, Span, Write};

const CON: u32 = 0x00;
const TAR: u32 = 0x04;
const SAR: u32 = 0x08;
const DATA_CMD: u32 = 0x10;
const SS_HCNT: u32 = 0x14;
const SS_LCNT: u32 = 0x18;
const FS_HCNT: u32 = 0x1C;
const FS_LCNT: u32 = 0x20;
const INTR_STAT: u32 = 0x2C;
const INTR_MASK: u32 = 0x30;
const RAW_INTR_STAT: u32 = 0x34;
const RX_TL: u32 = 0x38;
const TX_TL: u32 = 0x3C;
const CLR_INTR: u32 = 0x40;
const CLR_RX_UNDER: u32 = 0x44;
const CLR_GEN_CALL: u32 = 0x68;
const ENABLE: u32 = 0x6C;
const STATUS: u32 = 0x70;
const TXFLR: u32 = 0x74;
const RXFLR: u32 = 0x78;
const SDA_HOLD: u32 = 0x7C;
const TX_ABRT_SOURCE: u32 = 0x80;
const SLV_DATA_NACK_ONLY: u32 = 0x84;
const DMA_CR: u32 = 0x88;
const DMA_TDLR: u32 = 0x8C;
const DMA_RDLR: u32 = 0x90;
const SDA_SETUP: u32 = 0x94;
const ACK_GENERAL_CALL: u32 = 0x98;
const ENABLE_STATUS: u32 = 0x9C;
const FS_SPKLEN: u32 = 0xA0;
const CLR_RESTART_DET: u32 = 0xA8;

/// The interrupts that the registers from [`CLR_RX_UNDER`] to [`CLR_GEN_CALL`] clear, in their order.
const CLEARED: [u32; 10] =
    [RX_UNDER, RX_OVER, TX_OVER, RD_REQ, TX_ABRT, RX_DONE, ACTIVITY, STOP_DET, START_DET, GEN_CALL];

/// IC_CON.
const MASTER_MODE: u32 = 1 << 0;
const TEN_TARGET: u32 = 1 << 3;
const TEN_CONTROLLER: u32 = 1 << 4;
const RESTART_EN: u32 = 1 << 5;
const SLAVE_DISABLE: u32 = 1 << 6;
const STOP_DET_IFADDRESSED: u32 = 1 << 7;
const TX_EMPTY_CTRL: u32 = 1 << 8;
const RX_FIFO_FULL_HLD_CTRL: u32 = 1 << 9;
const STOP_DET_IF_MASTER_ACTIVE: u32 = 1 << 10;

/// IC_TAR.
const GC_OR_START: u32 = 1 << 10;
const SPECIAL: u32 = 1 << 11;

/// IC_DATA_CMD.
const READ: u16 = 1 << 8;
const STOP: u16 = 1 << 9;
const RESTART: u16 = 1 << 10;
const FIRST_DATA_BYTE: u16 = 1 << 11;

/// IC_RAW_INTR_STAT.
const RX_UNDER: u32 = 1 << 0;
const RX_OVER: u32 = 1 << 1;
const RX_FULL: u32 = 1 << 2;
const TX_OVER: u32 = 1 << 3;
const TX_EMPTY: u32 = 1 << 4;
const RD_REQ: u32 = 1 << 5;
const TX_ABRT: u32 = 1 << 6;
const RX_DONE: u32 = 1 << 7;
const ACTIVITY: u32 = 1 << 8;
const STOP_DET: u32 = 1 << 9;
const START_DET: u32 = 1 << 10;
const GEN_CALL: u32 = 1 << 11;
const RESTART_DET: u32 = 1 << 12;

/// IC_ENABLE.
const ON: u32 = 1 << 0;
const ABORT: u32 = 1 << 1;
const TX_CMD_BLOCK: u32 = 1 << 2;

/// IC_TX_ABRT_SOURCE.
const ADDR_NOACK: u32 = 1 << 0;
const TEN_1_NOACK: u32 = 1 << 1;
const TEN_2_NOACK: u32 = 1 << 2;
const TXDATA_NOACK: u32 = 1 << 3;
const GCALL_NOACK: u32 = 1 << 4;
const GCALL_READ: u32 = 1 << 5;
const SBYTE_ACKDET: u32 = 1 << 7;
const SBYTE_NORSTRT: u32 = 1 << 9;
const TEN_RD_NORSTRT: u32 = 1 << 10;
const MASTER_DIS: u32 = 1 << 11;
const ARB_LOST: u32 = 1 << 12;
const SLVFLUSH: u32 = 1 << 13;
const SLV_ARBLOST: u32 = 1 << 14;
const SLVRD_INTX: u32 = 1 << 15;
const USER_ABRT: u32 = 1 << 16;
const FLUSHED_SHIFT: u32 = 23;

/// Entries of a FIFO (IC_COMP_PARAM_1).
const DEPTH: usize = 16;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

const HIGH: usize = 0;
const LOW: usize = 1;
const TARGET_HOLD: usize = 2;

/// The times that are not in registers.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "i2c.high",
        "periods of the system's clock for which SCL is high, beyond IC_*_SCL_HCNT and IC_FS_SPKLEN",
        7,
        "RP-008371-DS, I2C, IC_CLK Frequency Configuration: (HCNT + IC_*_SPKLEN + 7) periods",
    ),
    TimingRow::documented(
        "i2c.low",
        "periods of the system's clock for which SCL is low, beyond IC_*_SCL_LCNT",
        1,
        "RP-008371-DS, I2C, IC_CLK Frequency Configuration: (LCNT + 1) periods",
    ),
    TimingRow::documented(
        "i2c.target_hold",
        "least periods of the system's clock from a fall of SCL to a target's change of SDA",
        7,
        "register description of RP-008371-DS in rp-pac 7.0.0, IC_SDA_HOLD",
    ),
    TimingRow::assumed(
        "i2c.start",
        "from a command with a free bus to the start condition, in periods of the system's clock",
        0,
        "RP-008371-DS gives no figure; a few periods",
    ),
    TimingRow::assumed(
        "i2c.resume",
        "low times of SCL behind a hold for a command, at least",
        1,
        "RP-008371-DS gives no figure; the counter of the low time is taken to begin anew",
    ),
];

/// The step of a transfer's address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// Data, or nothing.
    #[default]
    Data,
    /// The start byte is out, behind which the address comes.
    Address,
    /// The second of an address of ten bits is to be read from, in a repeated start.
    ReadHeader,
}

/// The state that the registers do not show.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// IC_ENABLE_STATUS.IC_EN: on, or not yet off.
    on: bool,
    commands: VecDeque<u16>,
    received: VecDeque<u16>,
    /// The command under way.
    current: Option<u16>,
    step: Step,
    /// The next byte is the first of its transfer.
    first: bool,
    /// A byte that waits ahead of its acknowledgement, and `true` if it waits for room.
    waits: Option<(u8, bool)>,
    /// The stop that comes ends an abort by software.
    user_abort: bool,
    /// The target that somebody has called: `true` if it sends.
    called: Option<bool>,
    /// The call is a general one.
    general: bool,
    /// The controller has been asked for with RD_REQ.
    asked: bool,
}

/// One block.
pub type I2c = Engine<Registers>;

impl I2c {
    fn raise(&mut self, interrupts: u32) {
        self.bank.flag(RAW_INTR_STAT, interrupts, true);
    }

    fn con(&self, bits: u32) -> bool {
        self.get(CON) & bits != 0
    }

    fn enabled(&self) -> bool {
        self.get(ENABLE) & ON != 0
    }

    /// True while an abort holds the FIFOs empty.
    fn is_flushed(&self) -> bool {
        self.get(RAW_INTR_STAT) & TX_ABRT != 0
    }

    /// The transfer ends by `source`; the FIFOs are empty until software has seen it.
    fn abort(&mut self, source: u32) {
        let flushed = self.own.commands.len() as u32;
        self.own.commands.clear();
        self.own.received.clear();
        self.own.current = None;
        let kept = self.get(TX_ABRT_SOURCE) & ((1 << FLUSHED_SHIFT) - 1);
        self.bank.set(TX_ABRT_SOURCE, kept | source | flushed << FLUSHED_SHIFT);
        self.raise(TX_ABRT);
    }

    fn abort_and_stop(&mut self, source: u32, at: Instant, env: &mut Env<'_, '_>) {
        self.abort(source);
        self.own.step = Step::Data;
        self.stop(at, env);
    }

    /// The idle controller begins a transfer, if there is a command.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        if !self.is_free() || self.own.called.is_some() || self.own.commands.is_empty() || !self.enabled() {
            return;
        }
        if !self.con(MASTER_MODE) || self.get(ENABLE) & TX_CMD_BLOCK != 0 {
            return;
        }
        let restarts = self.con(RESTART_EN);
        if self.get(TAR) & (SPECIAL | GC_OR_START) == SPECIAL | GC_OR_START && !restarts {
            return self.abort(SBYTE_NORSTRT);
        }
        let reads = self.own.commands.front().is_some_and(|command| command & READ != 0);
        if self.con(TEN_CONTROLLER) && reads && !restarts {
            return self.abort(TEN_RD_NORSTRT);
        }
        self.start(env.now(), env);
    }

    /// SCL is low: the next command, or the end of a transfer.
    fn proceed(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if !self.is_held() || self.own.waits.is_some() || self.own.step != Step::Data {
            return;
        }
        if self.get(ENABLE) & ABORT != 0 || !self.enabled() {
            self.own.user_abort = self.get(ENABLE) & ABORT != 0;
            self.own.current = None;
            return self.stop(at, env);
        }
        let last = self.own.current;
        if last.is_some_and(|command| command & STOP != 0) {
            self.own.current = None;
            return self.stop(at, env);
        }
        let Some(next) = self.own.commands.front().copied().filter(|_| self.get(ENABLE) & TX_CMD_BLOCK == 0) else {
            return;
        };
        let turns = last.is_some_and(|last| (last ^ next) & READ != 0);
        if next & RESTART == 0 && !turns {
            self.own.current = self.own.commands.pop_front();
            return self.transfer(at, env);
        }
        self.own.current = None;
        if self.con(RESTART_EN) { self.start(at, env) } else { self.stop(at, env) }
    }

    /// The byte of the command under way.
    fn transfer(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        match self.own.current {
            Some(command) if command & READ != 0 => self.receive(at, env),
            Some(command) => self.send(Byte::Data(command as u8), at, env),
            None => self.stop(at, env),
        }
    }

    /// True if the command that comes next says whether the byte that came in is acknowledged, and what it says.
    fn decided(&self) -> Option<bool> {
        if self.get(ENABLE) & ABORT != 0 || !self.enabled() {
            return Some(false);
        }
        match (self.own.current, self.own.commands.front()) {
            (Some(current), _) if current & STOP != 0 => Some(false),
            (_, Some(next)) => Some(next & (READ | RESTART) == READ),
            (_, None) => None,
        }
    }

    /// A byte has come in; returns `false` if it has to wait for room.
    fn take(&mut self, byte: u8) -> bool {
        if self.own.received.len() < DEPTH {
            let first = if std::mem::take(&mut self.own.first) { FIRST_DATA_BYTE } else { 0 };
            self.own.received.push_back(u16::from(byte) | first);
        } else if self.con(RX_FIFO_FULL_HLD_CTRL) {
            return false;
        } else {
            self.raise(RX_OVER);
        }
        true
    }

    /// A byte that waits goes on, if software has done its part.
    fn resume(&mut self, env: &mut Env<'_, '_>) {
        let Some((byte, for_room)) = self.own.waits.filter(|_| self.is_held()) else { return };
        if for_room && self.enabled() {
            if !self.take(byte) {
                return;
            }
            self.own.waits = Some((byte, false));
        }
        if let Some(acknowledged) = self.decided() {
            self.own.waits = None;
            self.acknowledge_received(byte, acknowledged, env.now(), env);
        }
    }

    /// The first byte of an address of ten bits.
    fn header(&self) -> u8 {
        0xF0 | (self.get(TAR) >> 7 & 6) as u8
    }

    fn write_command(&mut self, command: u16, env: &mut Env<'_, '_>) {
        if !self.enabled() || self.is_flushed() {
            return;
        }
        if self.own.commands.len() == DEPTH {
            return self.raise(TX_OVER);
        }
        self.own.commands.push_back(command);
        if !self.con(MASTER_MODE) && self.own.called.is_none() {
            self.abort(MASTER_DIS);
        }
        self.begin(env);
    }

    fn write_enable(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(ENABLE, write, env);
        // ABORT is set while the block is on, and cleared by the block itself.
        let abort = old & ABORT | if old & new & ON != 0 && !self.is_free() { new & ABORT } else { 0 };
        self.bank.set(ENABLE, new & !ABORT | abort);
        if new & ON != 0 {
            let was_off = !std::mem::replace(&mut self.own.on, true);
            self.bank.set(ENABLE_STATUS, 1);
            if was_off {
                self.show(env);
            }
        } else if old & ON != 0 {
            self.own.commands.clear();
            self.own.received.clear();
            if let Some(sends) = self.own.called {
                self.bank.flags(ENABLE_STATUS, &[(2, true), (4, !sends && !self.own.first)]);
            }
        }
        self.begin(env);
    }

    /// The registers that only a block that is off takes, with their least values.
    fn locked(offset: u32) -> Option<u32> {
        match offset {
            SS_HCNT | FS_HCNT => Some(6),
            SS_LCNT | FS_LCNT => Some(8),
            SDA_SETUP => Some(2),
            FS_SPKLEN => Some(1),
            CON | TAR | SAR | SDA_HOLD | SLV_DATA_NACK_ONLY => Some(0),
            _ => None,
        }
    }

    /// A read of the register that clears `interrupts`; returns `true` if one of them was there.
    fn clear(&mut self, interrupts: u32) -> bool {
        let there = self.get(RAW_INTR_STAT) & interrupts != 0;
        // What goes on sets ACTIVITY again.
        let kept = if self.is_free() && self.own.called.is_none() { 0 } else { ACTIVITY };
        self.bank.flag(RAW_INTR_STAT, interrupts & !kept, false);
        if interrupts & TX_ABRT != 0 {
            self.bank.set(TX_ABRT_SOURCE, 0);
        }
        there
    }
}

impl Version for Registers {
    const MODEL: &'static [Modelled] = PARTLY;
    const ROWS: &'static [TimingRow] = ROWS;

    fn bank(instance: &Instance) -> Bank {
        registers::bank(instance.map, PARTLY)
    }

    fn still(i2c: &I2c, offset: u32, _: Instant) -> Option<Instant> {
        match offset {
            DATA_CMD | CLR_INTR..=CLR_GEN_CALL | CLR_RESTART_DET => None,
            _ => i2c.bank.still(offset),
        }
    }

    fn follow(i2c: &mut I2c, env: &mut Env<'_, '_>) {
        // A target's transfer may have held a controller's up.
        i2c.begin(env);
        let (controls, called) = (!i2c.is_free(), i2c.own.called.is_some());
        if controls || called {
            i2c.raise(ACTIVITY);
        }
        if i2c.own.on && !i2c.enabled() && !controls && !called {
            // "Disabling DW_apb_i2c": all that is left ends with the transfer.
            let status = i2c.get(ENABLE_STATUS) & !1;
            i2c.own = Registers::default();
            i2c.bank.set(ENABLE_STATUS, status);
            i2c.bank.set(RAW_INTR_STAT, 0);
            i2c.bank.set(TX_ABRT_SOURCE, 0);
            i2c.bank.flag(ENABLE, ABORT, false);
            i2c.stop_at_once(env);
        }
        let (waiting, received) = (i2c.own.commands.len(), i2c.own.received.len());
        let at_rest = !i2c.con(TX_EMPTY_CTRL) || i2c.own.current.is_none() || i2c.is_held();
        let empty = waiting as u32 <= i2c.get(TX_TL) && at_rest && i2c.own.on;
        let full = received as u32 > i2c.get(RX_TL);
        i2c.bank.flags(RAW_INTR_STAT, &[(TX_EMPTY, empty), (RX_FULL, full)]);
        i2c.bank.set(INTR_STAT, i2c.get(RAW_INTR_STAT) & i2c.get(INTR_MASK));
        i2c.bank.set(TXFLR, waiting as u32);
        i2c.bank.set(RXFLR, received as u32);
        let states =
            [controls || called, waiting < DEPTH, waiting == 0, received > 0, received == DEPTH, controls, called];
        i2c.bank.set(STATUS, (0u32..).zip(states).fold(0, |bits, (bit, state)| bits | u32::from(state) << bit));
    }

    /// "IC_CLK Frequency Configuration", and the parameters of I2C that follow from the counts.
    fn times(i2c: &I2c, tick: Span, _: &Env<'_, '_>) -> Option<Times> {
        let standard = i2c.get(CON) >> 1 & 3 == 1;
        let (high, low) = if standard { (SS_HCNT, SS_LCNT) } else { (FS_HCNT, FS_LCNT) };
        let spikes = u64::from(i2c.get(FS_SPKLEN));
        let high = tick.times(u64::from(i2c.get(high)) + spikes + u64::from(ROWS[HIGH].cycles));
        let low = tick.times(u64::from(i2c.get(low)) + u64::from(ROWS[LOW].cycles));
        let hold = tick.times(u64::from(i2c.get(SDA_HOLD) & 0xFFFF).max(1));
        let pause = if standard { low } else { high };
        Some(Times { low, high, hold, setup: low, pause, free: low, start: high, stop: high })
    }

    fn started(i2c: &mut I2c, at: Instant, env: &mut Env<'_, '_>) {
        i2c.raise(START_DET);
        let (step, tar) = (std::mem::take(&mut i2c.own.step), i2c.get(TAR));
        if step == Step::ReadHeader {
            return i2c.send(Byte::Header(i2c.header() | 1), at, env);
        }
        if i2c.own.current.is_none() {
            i2c.own.current = i2c.own.commands.pop_front();
            i2c.own.first = true;
        }
        let Some(command) = i2c.own.current else { return i2c.stop(at, env) };
        let read = u8::from(command & READ != 0);
        let byte = match (tar & SPECIAL != 0, tar & GC_OR_START != 0) {
            (true, false) => Byte::Address(0),
            (true, true) if step != Step::Address => {
                i2c.own.step = Step::Address;
                Byte::Address(1)
            }
            _ if i2c.con(TEN_CONTROLLER) => Byte::Header(i2c.header()),
            _ => Byte::Address((tar as u8) << 1 | read),
        };
        i2c.send(byte, at, env);
    }

    fn received(i2c: &mut I2c, byte: u8) -> Option<bool> {
        if i2c.enabled() && !i2c.take(byte) {
            i2c.own.waits = Some((byte, true));
            return None;
        }
        let decided = i2c.decided();
        if decided.is_none() {
            i2c.own.waits = Some((byte, false));
        }
        decided
    }

    fn ninth(i2c: &mut I2c, byte: Byte, acknowledged: bool, at: Instant, env: &mut Env<'_, '_>) {
        let special = i2c.get(TAR) & SPECIAL != 0;
        let general = special && i2c.get(TAR) & GC_OR_START == 0;
        let reads = i2c.own.current.is_some_and(|command| command & READ != 0);
        match byte {
            Byte::Address(_) if i2c.own.step == Step::Address => {
                if acknowledged {
                    return i2c.abort_and_stop(SBYTE_ACKDET, at, env);
                }
                i2c.start(at, env);
            }
            Byte::Address(_) if !acknowledged => {
                let source = if general { GCALL_NOACK } else { ADDR_NOACK };
                i2c.abort_and_stop(source, at, env);
            }
            Byte::Address(_) if general && reads => i2c.abort_and_stop(GCALL_READ, at, env),
            Byte::Header(_) if !acknowledged => i2c.abort_and_stop(TEN_1_NOACK, at, env),
            Byte::Header(bits) if bits & 1 == 0 => i2c.send(Byte::Second(i2c.get(TAR) as u8), at, env),
            Byte::Second(_) if !acknowledged => i2c.abort_and_stop(TEN_2_NOACK, at, env),
            Byte::Second(_) if reads => {
                i2c.own.step = Step::ReadHeader;
                i2c.start(at, env);
            }
            Byte::Address(_) | Byte::Header(_) | Byte::Second(_) => i2c.transfer(at, env),
            Byte::Data(_) if !acknowledged => i2c.abort_and_stop(TXDATA_NOACK, at, env),
            Byte::Data(_) | Byte::Received(_) => i2c.proceed(at, env),
        }
    }

    fn stopped(i2c: &mut I2c, env: &mut Env<'_, '_>) {
        i2c.raise(STOP_DET);
        (i2c.own.current, i2c.own.step, i2c.own.waits) = (None, Step::Data, None);
        if std::mem::take(&mut i2c.own.user_abort) || i2c.get(ENABLE) & ABORT != 0 {
            i2c.bank.flag(ENABLE, ABORT, false);
            i2c.abort(USER_ABRT);
        }
        i2c.begin(env);
    }

    fn requests(i2c: &I2c) -> (u32, bool, bool) {
        let dma = if i2c.enabled() { i2c.get(DMA_CR) } else { 0 };
        let send = dma & 2 != 0 && i2c.own.commands.len() as u32 <= i2c.get(DMA_TDLR) && !i2c.is_flushed();
        let receive = dma & 1 != 0 && i2c.own.received.len() as u32 > i2c.get(DMA_RDLR);
        (u32::from(i2c.get(INTR_STAT) != 0), send, receive)
    }

    fn is_on(i2c: &I2c) -> bool {
        i2c.own.on
    }

    fn read(i2c: &mut I2c, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let interrupts = match offset {
            DATA_CMD => {
                match i2c.own.received.pop_front() {
                    Some(data) => i2c.bank.set(DATA_CMD, data.into()),
                    None => i2c.raise(RX_UNDER),
                }
                i2c.resume(env);
                return i2c.bank.read(DATA_CMD, env);
            }
            CLR_INTR => u32::MAX,
            CLR_RX_UNDER..=CLR_GEN_CALL => CLEARED[(offset - CLR_RX_UNDER) as usize / 4],
            CLR_RESTART_DET => RESTART_DET,
            _ => return i2c.bank.read(offset, env),
        };
        let there = i2c.clear(interrupts & !(RX_FULL | TX_EMPTY));
        i2c.bank.set(offset, there.into());
        i2c.bank.read(offset, env)
    }

    fn write(i2c: &mut I2c, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            DATA_CMD => i2c.write_command(write.ones() as u16 & 0x7FF, env),
            ENABLE => i2c.write_enable(write, env),
            RX_TL | TX_TL => {
                let (_, new) = i2c.bank.write(offset, write, env);
                i2c.bank.set(offset, new.min(DEPTH as u32));
            }
            _ => match I2c::locked(offset) {
                Some(_) if i2c.own.on => {}
                Some(least) => {
                    let (old, new) = i2c.bank.write(offset, write, env);
                    let mut value = new.max(least);
                    if offset == CON {
                        // Speeds other than standard are fast; STOP_DET_IF_MASTER_ACTIVE is only read.
                        let fast = if matches!(new >> 1 & 3, 1 | 2) { new >> 1 & 3 } else { 2 };
                        value =
                            new & !(3 << 1 | STOP_DET_IF_MASTER_ACTIVE) | fast << 1 | old & STOP_DET_IF_MASTER_ACTIVE;
                    }
                    i2c.bank.set(offset, value);
                }
                None => {
                    i2c.bank.write(offset, write, env);
                }
            },
        }
        i2c.resume(env);
        i2c.proceed(env.now(), env);
    }

    fn lost(i2c: &mut I2c, _: &mut Env<'_, '_>) {
        let target = i2c.own.called == Some(true);
        i2c.abort(if target { ARB_LOST | SLV_ARBLOST } else { ARB_LOST });
        (i2c.own.step, i2c.own.waits) = (Step::Data, None);
    }

    fn condition(i2c: &mut I2c, start: bool) {
        if start {
            i2c.raise(START_DET);
        } else if !i2c.con(STOP_DET_IFADDRESSED) {
            i2c.raise(STOP_DET);
        }
    }

    fn called(i2c: &mut I2c, address: I2cAddress, read: bool) -> bool {
        if i2c.con(SLAVE_DISABLE) || !i2c.enabled() {
            return false;
        }
        let own = i2c.get(SAR);
        i2c.own.general = false;
        match address {
            I2cAddress::Seven(0) if !read && i2c.get(ACK_GENERAL_CALL) != 0 => {
                i2c.own.general = true;
                true
            }
            I2cAddress::Seven(address) => !i2c.con(TEN_TARGET) && address != 0 && u32::from(address) == own & 0x7F,
            I2cAddress::Ten(address) => i2c.con(TEN_TARGET) && u32::from(address) == own,
        }
    }

    fn called_by_header(i2c: &mut I2c, high: u8) -> bool {
        i2c.con(TEN_TARGET) && !i2c.con(SLAVE_DISABLE) && i2c.enabled() && i2c.get(SAR) >> 8 & 3 == u32::from(high)
    }

    fn selected(i2c: &mut I2c, sends: bool) {
        (i2c.own.called, i2c.own.first, i2c.own.asked) = (Some(sends), true, false);
        if i2c.own.general {
            i2c.raise(GEN_CALL);
        }
        if sends && !i2c.own.commands.is_empty() {
            i2c.abort(SLVFLUSH);
        }
    }

    fn target_received(i2c: &mut I2c, byte: u8) -> Option<bool> {
        if !i2c.enabled() || i2c.get(SLV_DATA_NACK_ONLY) != 0 {
            return Some(false);
        }
        i2c.take(byte).then_some(true)
    }

    fn target_ninth(i2c: &mut I2c, _: u8, sends: bool, acknowledged: bool) {
        if sends && !acknowledged {
            i2c.raise(RX_DONE);
        }
    }

    fn target_next(i2c: &mut I2c) -> Next {
        if i2c.own.called != Some(true) {
            return Next::Receive;
        }
        if !i2c.enabled() {
            return Next::Send(u8::MAX);
        }
        match i2c.own.commands.pop_front() {
            Some(command) if command & READ != 0 => {
                i2c.abort(SLVRD_INTX);
                Next::Wait
            }
            Some(command) => {
                i2c.own.asked = false;
                Next::Send(command as u8)
            }
            None => {
                if !std::mem::replace(&mut i2c.own.asked, true) {
                    i2c.raise(RD_REQ);
                }
                Next::Wait
            }
        }
    }

    fn restarted(i2c: &mut I2c) {
        i2c.own.called = None;
        i2c.raise(RESTART_DET);
    }

    fn target_stopped(i2c: &mut I2c, _: bool) {
        i2c.own.called = None;
        if !(i2c.own.general && i2c.con(STOP_DET_IFADDRESSED)) {
            i2c.raise(STOP_DET);
        }
    }

    fn target_times(i2c: &I2c, tick: Span, _: &Env<'_, '_>) -> (Span, Span) {
        let hold = u64::from(i2c.get(SDA_HOLD) & 0xFFFF).max(ROWS[TARGET_HOLD].cycles.into());
        (tick.times(hold), tick.times(u64::from(i2c.get(SDA_SETUP)).saturating_sub(1)))
    }

    fn timeout(_: &I2c, _: (bool, bool), _: &Env<'_, '_>) -> Option<Span> {
        None
    }

    fn timed_out(_: &mut I2c, _: &mut Env<'_, '_>) {}
}
