//! The interface to SD and MMC cards of STM32F4 (RM0390, "Secure digital input/output interface (SDIO)"), in a socket
//! without a card: lines stay high, nobody answers.
//!
//! Modelled: power, clock and its divider, the command path with its states and times, the data path up to the answer that
//! a card would give, both FIFOs' flags, interrupts and DMA requests. CK and CMD show their levels during a command, CK
//! during data; between them the clock's edges are not shown. A read wait that begins before the first block holds D2 low.
//! One that waits for the end of a block never begins, and nobody accepts a suspend command, so that data goes on behind it.

use std::collections::VecDeque;

use cyclescope_machine::TimingRow;

use crate::bank::all;
use crate::wires::Wave;
use crate::{
    Bank, Block, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write,
};

const POWER: u32 = 0x00;
const CLKCR: u32 = 0x04;
const ARG: u32 = 0x08;
const CMD: u32 = 0x0C;
const DTIMER: u32 = 0x24;
const DLEN: u32 = 0x28;
const DCTRL: u32 = 0x2C;
const DCOUNT: u32 = 0x30;
const STA: u32 = 0x34;
const ICR: u32 = 0x38;
const MASK: u32 = 0x3C;
const FIFOCNT: u32 = 0x48;
const FIFO: u32 = 0x80;

/// Bits of CLKCR.
const CLKEN: u32 = 1 << 8;
const BYPASS: u32 = 1 << 10;

/// Bits of CMD.
const WAITRESP: u32 = 1 << 6;
const WAITINT: u32 = 1 << 8;
const WAITPEND: u32 = 1 << 9;
const CPSMEN: u32 = 1 << 10;

/// Bits of DCTRL.
const DTEN: u32 = 1 << 0;
const DTDIR: u32 = 1 << 1;
const DTMODE: u32 = 1 << 2;
const DMAEN: u32 = 1 << 3;
const RWSTART: u32 = 1 << 8;
const RWSTOP: u32 = 1 << 9;
const RWMOD: u32 = 1 << 10;
const SDIOEN: u32 = 1 << 11;

/// Flags of STA.
const CTIMEOUT: u32 = 1 << 2;
const DTIMEOUT: u32 = 1 << 3;
const TXUNDERR: u32 = 1 << 4;
const CMDSENT: u32 = 1 << 7;
const DATAEND: u32 = 1 << 8;
const CMDACT: u32 = 1 << 11;
const TXACT: u32 = 1 << 12;
const RXACT: u32 = 1 << 13;
const TXFIFOHE: u32 = 1 << 14;
const TXFIFOF: u32 = 1 << 16;
const TXFIFOE: u32 = 1 << 18;
const RXFIFOE: u32 = 1 << 19;
const TXDAVL: u32 = 1 << 20;
/// Flags that ICR clears.
const STATIC: u32 = 0x0040_07FF;

/// Words of the FIFO, and how many are half of it to its flags.
const DEPTH: usize = 32;
const HALF: usize = 8;

/// Periods of CK: a command, the wait for its answer, and between two commands ("Command path").
const COMMAND: u64 = 48;
const ANSWER: u64 = 64;
const BETWEEN: u64 = 8;

/// Periods of CK from the begin of a read wait to D2's fall, and from its stop to the wait for data ("SDIO read wait operation
/// by SDIO_D2 signalling").
const READ_WAIT: u64 = 2;

/// Events: the command path and the data path.
const COMMANDS: u16 = 0;
const DATA: u16 = 1;

/// The modelled registers and fields, with the values after reset (RM0390, "SDIO register map").
pub const MODEL: &[Modelled] = &[
    all("POWER", 0)
        .and(&["CLKCR", "ARGR", "CMDR", "RESPCMDR", "RESPR0", "RESPR1", "RESPR2", "RESPR3", "DTIMER", "DLENR"]),
    all("DCTRL", 0).and(&["DCNTR", "STAR", "ICR", "MASKR", "FIFOCNT", "FIFOR"]),
];

/// The timing of the command path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "sdio.timeout",
        "periods of SDIO_CK from the end of a command to CTIMEOUT",
        ANSWER as u32,
        "RM0390, \"Command path\": the timeout of a command is fixed at 64 periods of SDIO_CK",
    ),
    TimingRow::assumed(
        "sdio.command",
        "periods of SDIO_CK from a write to SDIO_CMD to the command's first bit",
        0,
        "RM0390 gives none, only eight periods of SDIO_CK since the last command",
    ),
];

/// The state of the command path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Idle,
    /// Waits for the end of data.
    Pending,
    /// Goes out until then.
    Sends(Instant),
    /// Waits for an answer until then, or (`NEVER`) for an interrupt.
    Waits(Instant),
}

/// The state of the data path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    Idle,
    /// Waits for a card's start bit, or for the answer to a block, until then.
    Waits(Instant),
    /// Waits for the first word.
    Ready,
    /// The next word goes out whole then.
    Sends(Instant),
    /// The checksum goes out until then.
    Ends(Instant),
    /// Read wait: D2 falls then, or (`NEVER`) has fallen.
    Halts(Instant),
    /// Read wait ends then.
    Resumes(Instant),
}

/// The interface.
#[derive(Clone, Debug)]
pub struct Sdmmc {
    bank: Bank,
    clock: Source,
    lines: Lines,
    requests: [DmaRequest; 3],
    command: Command,
    data: Data,
    fifo: VecDeque<u32>,
    /// Bytes of the block that still go out.
    block: u32,
    /// From when on a command may begin.
    free: Instant,
}

impl Sdmmc {
    /// The block `instance`.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            clock: Source::Clk48,
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            requests: ["SDIO", "RX", "TX"].map(|signal| DmaRequest::new(instance, signal)),
            command: Command::Idle,
            data: Data::Idle,
            fifo: VecDeque::new(),
            block: 0,
            free: Instant::default(),
        }
    }

    /// Selects the adapter's clock; whether it was another.
    pub fn set_clock(&mut self, clock: Source) -> bool {
        // Where the clock is not in use nothing changes.
        std::mem::replace(&mut self.clock, clock) != clock && self.bank.get(CLKCR) & CLKEN != 0
    }

    /// A period of CK under `tree`; zero where it does not run.
    fn period_under(&self, tree: &Tree) -> Span {
        let clkcr = self.bank.get(CLKCR);
        if self.bank.get(POWER) & 3 != 3 || clkcr & CLKEN == 0 {
            return Span::ZERO;
        }
        let divider = if clkcr & BYPASS != 0 { 1 } else { u64::from(clkcr & 0xFF) + 2 };
        tree.period_of(self.clock).times(divider)
    }

    fn period(&self, env: &Env<'_, '_>) -> Span {
        self.period_under(env.clocks().tree())
    }

    fn flag(&mut self, flag: u32) {
        self.bank.flag(STA, flag, true);
    }

    /// The command in CMD begins, if the clock runs and no data has to end first.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        let (period, cmd) = (self.period(env), self.bank.get(CMD));
        if period == Span::ZERO || cmd & WAITPEND != 0 && self.data != Data::Idle {
            self.command = Command::Pending;
            return;
        }
        let wait = env.cycles(&ROWS[1]);
        let start = env.now().max(self.free).after(period.times(wait));
        self.command = Command::Sends(start.after(period.times(COMMAND)));
        let bits = token(cmd & 0x3F, self.bank.get(ARG));
        env.wave(Wave { signal: "CMD", start, steps: [period; 2], levels: bits.reverse_bits() >> 16, count: 48 });
        let waits = if cmd & WAITRESP != 0 && cmd & WAITINT == 0 { ANSWER } else { 0 };
        show_clock(start, period, COMMAND + waits + BETWEEN, env);
    }

    /// The command path goes on, if it is time.
    fn advance_command(&mut self, env: &mut Env<'_, '_>) {
        let (now, cmd) = (env.now(), self.bank.get(CMD));
        match self.command {
            Command::Sends(end) if end <= now => {
                if cmd & WAITRESP == 0 {
                    self.flag(CMDSENT);
                    self.rest(end, env);
                } else if cmd & WAITINT != 0 {
                    self.command = Command::Waits(Instant::NEVER);
                } else {
                    let wait = env.cycles(&ROWS[0]);
                    self.command = Command::Waits(end.after(self.period(env).times(wait)));
                }
            }
            Command::Waits(end) if end <= now => {
                self.flag(CTIMEOUT);
                self.rest(end, env);
            }
            Command::Pending if self.data == Data::Idle => self.begin(env),
            _ => {}
        }
        let at = match self.command {
            Command::Sends(at) | Command::Waits(at) => at,
            _ => Instant::NEVER,
        };
        env.schedule(COMMANDS, at);
    }

    /// No command is under way since `end`.
    fn rest(&mut self, end: Instant, env: &Env<'_, '_>) {
        self.command = Command::Idle;
        self.free = end.after(self.period(env).times(BETWEEN));
    }

    /// Periods of CK for a word on the lines in use.
    fn word(&self) -> u64 {
        [32, 8, 4, 32][(self.bank.get(CLKCR) >> 11 & 3) as usize]
    }

    /// DCTRL.DTEN rises.
    fn start_data(&mut self, env: &mut Env<'_, '_>) {
        let (dctrl, length) = (self.bank.get(DCTRL), self.bank.get(DLEN));
        self.bank.set(DCOUNT, length);
        self.bank.set(FIFOCNT, length.div_ceil(4));
        self.fifo.clear();
        if length == 0 {
            self.flag(DATAEND);
            return;
        }
        let blocks = dctrl & DTMODE == 0;
        self.block = if blocks { length.min(1 << (dctrl >> 4 & 15).min(14)) } else { length };
        let (read_wait, period) = (DTDIR | SDIOEN | RWSTART, self.period(env));
        if dctrl & (read_wait | RWSTOP | RWMOD) == read_wait && period != Span::ZERO {
            self.data = Data::Halts(env.now().after(period.times(READ_WAIT)));
        } else if dctrl & DTDIR != 0 {
            self.wait_for_card(env.now(), env);
        } else {
            self.data = Data::Ready;
        }
    }

    /// DCTRL.RWSTOP: D2 is high for a period, then let go.
    fn resume(&mut self, env: &mut Env<'_, '_>) {
        let (now, period) = (env.now(), self.period(env));
        self.data = Data::Resumes(now.after(period.times(READ_WAIT)));
        env.wave(Wave { signal: "D2", start: now.after(period), steps: [period; 2], levels: 1, count: 1 });
    }

    /// D2 has the level that the state of the data path gives it.
    fn show_d2(&self, env: &mut Env<'_, '_>) {
        env.effect(Effect::Output { signal: "D2", level: self.output("D2") });
    }

    /// A card would answer within DTIMER periods of CK.
    fn wait_for_card(&mut self, from: Instant, env: &Env<'_, '_>) {
        let period = self.period(env);
        let wait = period.times(self.bank.get(DTIMER).into());
        self.data = Data::Waits(if period == Span::ZERO { Instant::NEVER } else { from.after(wait) });
    }

    /// The data path goes on, if it is time.
    fn advance_data(&mut self, env: &mut Env<'_, '_>) {
        let (now, period) = (env.now(), self.period(env));
        // At most the words of a FIFO at a time.
        for _ in 0..=DEPTH {
            match self.data {
                Data::Ready if !self.fifo.is_empty() && period != Span::ZERO => {
                    let periods = 1 + self.word() * u64::from(self.block.div_ceil(4)) + 17;
                    show_clock(now, period, periods.min(1 << 10), env);
                    self.data = Data::Sends(now.after(period.times(1 + self.word())));
                }
                Data::Sends(at) if at <= now => self.word_is_out(at, env),
                Data::Ends(at) if at <= now => self.wait_for_card(at, env),
                Data::Waits(at) if at <= now => {
                    self.flag(DTIMEOUT);
                    self.data = Data::Idle;
                }
                Data::Halts(at) if at <= now => {
                    self.data = Data::Halts(Instant::NEVER);
                    self.show_d2(env);
                }
                Data::Resumes(at) if at <= now => {
                    self.wait_for_card(at, env);
                    self.show_d2(env);
                }
                _ => break,
            }
        }
        let at = match self.data {
            Data::Sends(at) | Data::Ends(at) | Data::Waits(at) | Data::Halts(at) | Data::Resumes(at) => at,
            Data::Idle | Data::Ready => Instant::NEVER,
        };
        env.schedule(DATA, at);
    }

    /// A word of a block has gone out; the next one must be there.
    fn word_is_out(&mut self, at: Instant, env: &Env<'_, '_>) {
        self.fifo.pop_front();
        let (sent, period) = (self.block.min(4), self.period(env));
        self.block -= sent;
        let left = self.bank.get(DCOUNT).saturating_sub(sent);
        self.bank.set(DCOUNT, left);
        if self.block == 0 && self.bank.get(DCTRL) & DTMODE == 0 {
            // Checksum and end bit; then the card would tell if it took the block.
            self.data = Data::Ends(at.after(period.times(17)));
        } else if self.block == 0 {
            self.flag(DATAEND);
            self.data = Data::Idle;
        } else if self.fifo.is_empty() {
            self.flag(TXUNDERR);
            self.data = Data::Idle;
        } else {
            self.data = Data::Sends(at.after(period.times(self.word())));
        }
    }

    /// Puts the flags that follow into STA, then drives the interrupt and the DMA requests.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.advance_data(env);
        self.advance_command(env);
        let receives = self.bank.get(DCTRL) & DTDIR != 0;
        let (active, words) = (self.data != Data::Idle, self.fifo.len());
        let sends = active && !receives;
        let follows = [
            (CMDACT, self.command != Command::Idle),
            (TXACT, sends),
            (RXACT, active && receives),
            // The FIFO's flags are those of the direction that is on; nothing ever comes in.
            (RXFIFOE, active && receives),
            (TXFIFOE, sends && words == 0),
            (TXFIFOHE, sends && words + HALF <= DEPTH),
            (TXFIFOF, sends && words == DEPTH),
            (TXDAVL, sends && words > 0),
        ];
        self.bank.flags(STA, &follows);
        self.lines.drive(self.bank.get(STA) & self.bank.get(MASK), env);
        let wants = sends && self.bank.get(DCTRL) & DMAEN != 0 && words < DEPTH && self.bank.get(FIFOCNT) > 0;
        for (request, on) in self.requests.into_iter().zip([wants, false, wants]) {
            request.drive(on, env);
        }
    }
}

/// The 48 bits of a command, the first the highest: start, direction, index, argument, checksum, end.
fn token(index: u32, argument: u32) -> u64 {
    let bits = 1 << 38 | u64::from(index) << 32 | u64::from(argument);
    let sum = (0..40).rev().fold(0u64, |sum, bit| {
        let carries = sum >> 6 & 1 != bits >> bit & 1;
        (sum << 1 & 0x7F) ^ if carries { 0x09 } else { 0 }
    });
    bits << 8 | sum << 1 | 1
}

/// `count` periods of CK from `start` on: low, then high.
fn show_clock(start: Instant, period: Span, count: u64, env: &mut Env<'_, '_>) {
    let half = period.half();
    let steps = [half, period.minus(half)];
    let wave = |done: u64| {
        let levels = 2 * (count - done).min(32);
        Wave {
            signal: "CK",
            start: start.after(period.times(done)),
            steps,
            levels: 0xAAAA_AAAA_AAAA_AAAA,
            count: levels as u8,
        }
    };
    env.wave(wave(0));
    (32..count).step_by(32).for_each(|done| env.wave_behind(wave(done)));
}

impl Block<Words> for Sdmmc {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        // The FIFO takes 32 words of addresses. Nothing is ever received.
        if offset >= FIFO { 0 } else { self.bank.read(offset, env) }
    }

    fn still(&self, offset: u32, _: Instant, _: &crate::Clocks) -> Option<Instant> {
        (offset < FIFO).then(|| self.bank.still(offset)).flatten()
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            FIFO.. => {
                let sends = self.data != Data::Idle && self.bank.get(DCTRL) & DTDIR == 0;
                if sends && self.fifo.len() < DEPTH {
                    self.fifo.push_back(write.value);
                    self.bank.set(FIFOCNT, self.bank.get(FIFOCNT).saturating_sub(1));
                }
            }
            ICR => self.bank.flag(STA, write.ones() & STATIC, false),
            CMD => {
                let (_, new) = self.bank.write(CMD, write, env);
                if new & CPSMEN == 0 {
                    self.command = Command::Idle;
                } else if matches!(self.command, Command::Idle) {
                    self.begin(env);
                }
            }
            DCTRL => {
                let (old, new) = self.bank.write(DCTRL, write, env);
                if new & DTEN == 0 {
                    self.data = Data::Idle;
                    self.show_d2(env);
                } else if new & RWSTOP != 0 && matches!(self.data, Data::Halts(_)) {
                    self.resume(env);
                } else if old & DTEN == 0 || self.data == Data::Idle {
                    self.start_data(env);
                }
            }
            POWER | CLKCR => {
                let before = self.period(env);
                self.bank.write(offset, write, env);
                self.retime(before, env);
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.fifo.clear();
        (self.command, self.data, self.free) = (Command::Idle, Data::Idle, Instant::default());
        env.end_waves();
        self.show_d2(env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.retime(self.period_under(&old), env);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.points(|at| at.refined(times));
    }

    /// CK rests low; CMD is let go between commands, D2 but in a read wait.
    fn output(&self, signal: &str) -> Option<bool> {
        let halted = matches!(self.data, Data::Halts(Instant::NEVER) | Data::Resumes(_));
        (signal == "CK" || signal == "D2" && halted).then_some(false)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

impl Sdmmc {
    /// Moves all points in time.
    fn points(&mut self, to: impl Fn(Instant) -> Instant) {
        if let Command::Sends(at) | Command::Waits(at) = &mut self.command {
            *at = to(*at);
        }
        if let Data::Waits(at) | Data::Sends(at) | Data::Ends(at) | Data::Halts(at) | Data::Resumes(at) = &mut self.data
        {
            *at = to(*at);
        }
        self.free = to(self.free);
    }

    /// The period of CK was `before`: what is under way goes on with the new one; without a clock it waits for one.
    fn retime(&mut self, before: Span, env: &mut Env<'_, '_>) {
        let (now, after) = (env.now(), self.period(env));
        if before == after {
            return;
        }
        if after == Span::ZERO {
            if self.command != Command::Idle {
                self.command = Command::Pending;
            }
            if self.data != Data::Idle {
                let receives = self.bank.get(DCTRL) & DTDIR != 0;
                self.data = if receives { Data::Waits(Instant::NEVER) } else { Data::Ready };
                self.show_d2(env);
            }
        } else if before == Span::ZERO {
            if self.data == Data::Waits(Instant::NEVER) {
                self.wait_for_card(now, env);
            }
        } else {
            self.points(|at| if at > now { at.rescaled(now, before, after) } else { at });
        }
    }
}
