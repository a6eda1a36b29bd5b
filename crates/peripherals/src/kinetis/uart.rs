//! UART (K20P64M72SF1RM, "Universal Asynchronous Receiver/Transmitter (UART)"): asynchronous mode with exact frame
//! lengths, fractional baud rates and FIFOs.
//!
//! A byte sent goes to the console when its stop bit ends; a byte received arrives when its stop bit ends. Not modelled,
//! and named when switched on: address marks, breaks, loopback and single-wire mode, inversion, infrared, smart cards,
//! hardware flow control, DMA requests, ten-bit characters, FIFO underflow and overflow as errors, and the levels of
//! the pins. A new BDH counts at once instead of with the next write of BDL.

use std::collections::VecDeque;

use cyclescope_machine::{Channel, GapKind, Mark, TimingRow};

use crate::bank::some;
use crate::{Bank, Block, Env, Instance, Instant, Lines, Modelled, Serial, Source, Span, Tree, Words, Write};

use super::{bank, byte};

/// Words of the block: BDH, BDL, C1, C2; S1, S2, C3, D; MA1, MA2, C4, C5; PFIFO, CFIFO, SFIFO, TWFIFO; TCFIFO, RWFIFO,
/// RCFIFO.
const CONTROL: u32 = 0x00;
const STATUS: u32 = 0x04;
const FINE: u32 = 0x08;
const FIFOS: u32 = 0x10;
const LEVELS: u32 = 0x14;
/// Bytes whose access does something.
const S1: u32 = 0x04;
const D: u32 = 0x07;
const CFIFO: u32 = 0x11;

const M: u32 = 1 << 20;
const RE: u32 = 1 << 26;
const TE: u32 = 1 << 27;
const ILIE: u32 = 1 << 28;
const RIE: u32 = 1 << 29;
const TCIE: u32 = 1 << 30;
const TIE: u32 = 1 << 31;

const OR: u32 = 1 << 3;
const IDLE: u32 = 1 << 4;
const RDRF: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TDRE: u32 = 1 << 7;
/// Flags cleared by reading S1 and then D.
const ERRORS: u32 = 0x1F;
const ORIE: u32 = 1 << 19;

const RXFE: u32 = 1 << 3;
const TXFE: u32 = 1 << 7;
const RXEMPT: u32 = 1 << 22;
const TXEMPT: u32 = 1 << 23;
const RXFLUSH: u8 = 1 << 6;
const TXFLUSH: u8 = 1 << 7;

/// Entries of a FIFO ("UART configuration information": UART0 and UART1 have eight, the others one), and what PFIFO
/// says of them.
const FIFO: usize = 8;
const SIZES: u32 = 0x22;

/// What is modelled, with the values after reset ("UART memory map").
pub const MODEL: &[Modelled] = &[
    some(
        "BDH_BDL_C1_C2",
        0x0000_0400,
        &[
            "BDH.SBR",
            "BDL.SBR",
            "C1.PT",
            "C1.PE",
            "C1.ILT",
            "C1.M",
            "C1.UARTSWAI",
            "C2.RE",
            "C2.TE",
            "C2.ILIE",
            "C2.RIE",
            "C2.TCIE",
            "C2.TIE",
        ],
    ),
    some(
        "S1_S2_C3_D",
        0x0000_00C0,
        &[
            "S1.PF", "S1.FE", "S1.NF", "S1.OR", "S1.IDLE", "S1.RDRF", "S1.TC", "S1.TDRE", "S2.RAF", "C3.PEIE",
            "C3.FEIE", "C3.NEIE", "C3.ORIE", "C3.T8", "C3.R8", "D.RT",
        ],
    ),
    some("MA1_MA2_C4_C5", 0, &["C4.BRFA"]),
    some(
        "PFIFO_CFIFO_SFIFO_TWFIFO",
        0x00C0_0000,
        &[
            "PFIFO.RXFIFOSIZE",
            "PFIFO.RXFE",
            "PFIFO.TXFIFOSIZE",
            "PFIFO.TXFE",
            "CFIFO.RXFLUSH",
            "CFIFO.TXFLUSH",
            "SFIFO.RXEMPT",
            "SFIFO.TXEMPT",
            "TWFIFO.TXWATER",
        ],
    ),
    some("TCFIFO_RWFIFO_RCFIFO", 0x0000_0100, &["TCFIFO.TXCOUNT", "RWFIFO.RXWATER", "RCFIFO.RXCOUNT"]),
];

/// What is not in the baud rate.
pub const ROWS: &[TimingRow] = &[TimingRow {
    name: "uart.start",
    what: "from a write to D with an idle transmitter to the start bit, in periods of the module's clock",
    cycles: 0,
    mark: Mark::Assumed,
    source: "K20P64M72SF1RM gives no figure; the transmitter waits for its next baud tick, less than one bit",
}];

const SENT: u16 = 0;
const ARRIVED: u16 = 1;
const LINE_IDLE: u16 = 2;

/// One serial port.
#[derive(Clone, Debug)]
pub struct Uart {
    bank: Bank,
    lines: Lines,
    number: u8,
    clock: Source,
    /// What waits behind the shift register, oldest first.
    to_send: VecDeque<u8>,
    /// What the shift register sends, and when its frame ends; `None` in it is the idle frame after TE was set.
    sending: Option<(Option<u8>, Instant)>,
    received: VecDeque<u8>,
    /// Bytes on their way in, and when the first one's frame ends.
    incoming: VecDeque<u8>,
    arriving: Instant,
    idle_at: Instant,
    /// Flags that S1 showed when it was last read.
    shown: u32,
}

impl Uart {
    /// The port `instance` after reset.
    pub fn new(instance: &Instance) -> Self {
        let digits = instance.name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut uart = Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("RX_TX", TDRE | TC | RDRF | IDLE), ("ERR", OR)]),
            number: digits.parse().unwrap_or(0),
            clock: instance.clock.source(),
            to_send: VecDeque::new(),
            sending: None,
            received: VecDeque::new(),
            incoming: VecDeque::new(),
            arriving: Instant::NEVER,
            idle_at: Instant::NEVER,
            shown: 0,
        };
        uart.set_sizes();
        uart
    }

    fn set_sizes(&mut self) {
        let sizes = if self.number < 2 { SIZES } else { 0 };
        self.bank.flag(FIFOS, sizes, true);
    }

    fn depth(&self, enable: u32) -> usize {
        if self.number < 2 && self.bank.get(FIFOS) & enable != 0 { FIFO } else { 1 }
    }

    fn control(&self) -> u32 {
        self.bank.get(CONTROL)
    }

    /// A frame: start, 8 or 9 bits, stop; a bit is 16 * (SBR + BRFA / 32) periods of the clock ("Baud rate
    /// generation"). Zero while the settings make none.
    fn frame(&self, env: &Env<'_, '_>) -> Span {
        let control = self.control();
        let sbr = u64::from((control & 0x1F) << 8 | control >> 8 & 0xFF);
        if sbr == 0 {
            return Span::ZERO;
        }
        let halves = sbr * 32 + u64::from(self.bank.get(FINE) >> 16 & 0x1F);
        let bits = if control & M != 0 { 11 } else { 10 };
        env.clocks().period_of(self.clock).times(halves * bits).half()
    }

    fn start_receiving(&mut self, env: &mut Env<'_, '_>) {
        if self.arriving != Instant::NEVER || self.incoming.is_empty() {
            return;
        }
        let frame = self.frame(env);
        if frame == Span::ZERO || self.control() & RE == 0 {
            self.incoming.clear();
            env.gap(GapKind::Setting, format_args!("UART{}: bytes sent to a receiver that is off", self.number));
            return;
        }
        self.arriving = env.now().after(frame);
        self.idle_at = Instant::NEVER;
        env.schedule(ARRIVED, self.arriving);
        env.cancel(LINE_IDLE);
    }

    fn arrived(&mut self, env: &mut Env<'_, '_>) {
        if env.now() < self.arriving {
            return;
        }
        self.arriving = Instant::NEVER;
        let Some(byte) = self.incoming.pop_front() else { return };
        if self.received.len() < self.depth(RXFE) {
            self.received.push_back(byte);
        } else {
            self.bank.flag(STATUS, OR, true);
        }
        if self.incoming.is_empty() {
            self.idle_at = env.now().after(self.frame(env));
            env.schedule(LINE_IDLE, self.idle_at);
        }
        self.start_receiving(env);
    }

    fn start_sending(&mut self, env: &mut Env<'_, '_>) {
        if self.sending.is_some() || self.control() & TE == 0 {
            return;
        }
        let frame = self.frame(env);
        if frame == Span::ZERO {
            if !self.to_send.is_empty() {
                env.gap(GapKind::Setting, format_args!("UART{}: SBR=0, the transmitter has no clock", self.number));
            }
            return;
        }
        if let Some(data) = self.to_send.pop_front() {
            let done = env.now().after(frame);
            self.sending = Some((Some(data), done));
            env.schedule(SENT, done);
        }
    }

    fn sent(&mut self, env: &mut Env<'_, '_>) {
        let Some((data, done)) = self.sending else { return };
        if env.now() < done {
            return;
        }
        self.sending = None;
        if let Some(data) = data {
            env.context.console.write(Channel::Uart(self.number), &[data]);
        }
        self.start_sending(env);
    }

    /// Puts the flags that follow from the buffers into S1 and the FIFOs' registers, then drives the lines.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (waiting, received) = (self.to_send.len() as u32, self.received.len() as u32);
        let send_mark = self.bank.get(FIFOS) >> 24;
        let receive_mark = (self.bank.get(LEVELS) >> 8 & 0xFF).max(1);
        self.bank.flag(STATUS, TDRE, waiting <= send_mark && (waiting as usize) < self.depth(TXFE));
        self.bank.flag(STATUS, TC, waiting == 0 && self.sending.is_none());
        self.bank.flag(STATUS, RDRF, received >= receive_mark);
        self.bank.flag(FIFOS, RXEMPT, received == 0);
        self.bank.flag(FIFOS, TXEMPT, waiting == 0);
        let levels = self.bank.get(LEVELS) & 0xFF00;
        self.bank.set(LEVELS, levels | waiting | received << 16);

        let (control, status) = (self.control(), self.bank.get(STATUS));
        let wants = [(TIE, TDRE), (TCIE, TC), (RIE, RDRF), (ILIE, IDLE)];
        let mut active =
            wants.iter().filter(|(enable, _)| control & enable != 0).fold(0, |bits, (_, flag)| bits | status & flag);
        if status & ORIE != 0 {
            active |= status & OR;
        }
        self.lines.drive(active, env);
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(CONTROL, write, env);
        if new & TE != 0 && old & TE == 0 && self.sending.is_none() {
            // C2.TE: switching the transmitter on sends an idle character first.
            let frame = self.frame(env);
            if frame != Span::ZERO {
                let done = env.now().after(frame);
                self.sending = Some((None, done));
                env.schedule(SENT, done);
            }
        }
        if new & RE == 0 {
            self.received.clear();
        }
    }

    fn write_data(&mut self, data: u8, env: &mut Env<'_, '_>) {
        if self.to_send.len() < self.depth(TXFE) {
            self.to_send.push_back(data);
        } else {
            env.gap(GapKind::Setting, format_args!("UART{}: byte written to a full transmitter: lost", self.number));
        }
        self.start_sending(env);
    }

    fn read_data(&mut self) {
        if let Some(data) = self.received.pop_front() {
            let kept = self.bank.get(STATUS) & 0x00FF_FFFF;
            self.bank.set(STATUS, kept | u32::from(data) << 24);
        }
        self.bank.flag(STATUS, self.shown & ERRORS, false);
        self.shown = 0;
    }
}

impl Serial<Words> for Uart {
    fn number(&self) -> u8 {
        self.number
    }

    fn receive(&mut self, bytes: &[u8], env: &mut Env<'_, '_>) {
        self.incoming.extend(bytes);
        self.start_receiving(env);
    }

    fn set_clock(&mut self, clock: Source) -> bool {
        std::mem::replace(&mut self.clock, clock) != clock
    }
}

impl Block<Words> for Uart {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            S1 => self.shown = self.bank.get(STATUS) & ERRORS,
            D => {
                self.read_data();
                self.settle(env);
            }
            _ => {}
        }
        self.bank.read(offset & !3, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CONTROL => self.write_control(write, env),
            STATUS => {
                // S1 is read only, S2.RAF too; D sends.
                let lanes = write.lanes & 0x00FF_FE00;
                let data = self.bank.get(STATUS) & 0xFF00_0000;
                self.bank.write(STATUS, Write { value: write.value & 0x00FF_FFFF | data, lanes }, env);
                if let Some(data) = byte(write, 3) {
                    self.write_data(data, env);
                }
            }
            FIFOS => {
                let old = self.bank.get(FIFOS);
                self.bank.write(FIFOS, write, env);
                // The sizes, the flags of SFIFO and the flush commands are not storage.
                const FIXED: u32 = 0x00FF_0077;
                const COMMANDS: u32 = 0xC000;
                let new = self.bank.get(FIFOS);
                self.bank.set(FIFOS, (old & FIXED) | (new & !(FIXED | COMMANDS)));
                let commands = byte(write, CFIFO & 3).unwrap_or(0);
                if commands & TXFLUSH != 0 {
                    self.to_send.clear();
                }
                if commands & RXFLUSH != 0 {
                    self.received.clear();
                }
            }
            LEVELS => {
                self.bank.write(LEVELS, Write { value: write.value, lanes: write.lanes & 0xFF00 }, env);
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            SENT => self.sent(env),
            ARRIVED => self.arrived(env),
            _ if env.now() >= self.idle_at => {
                self.idle_at = Instant::NEVER;
                self.bank.flag(STATUS, IDLE, true);
            }
            _ => {}
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.set_sizes();
        self.to_send.clear();
        self.received.clear();
        self.incoming.clear();
        self.sending = None;
        (self.arriving, self.idle_at, self.shown) = (Instant::NEVER, Instant::NEVER, 0);
        for event in [SENT, ARRIVED, LINE_IDLE] {
            env.cancel(event);
        }
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.sending = self.sending.map(|(data, done)| (data, done.refined(times)));
        (self.arriving, self.idle_at) = (self.arriving.refined(times), self.idle_at.refined(times));
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (from, to, now) = (old.period_of(self.clock), env.clocks().period_of(self.clock), env.now());
        let moved = |at: Instant| {
            if at == Instant::NEVER { at } else { now.after(at.since(now).rescaled(from, to)) }
        };
        self.sending = self.sending.map(|(data, done)| (data, moved(done)));
        (self.arriving, self.idle_at) = (moved(self.arriving), moved(self.idle_at));
        if let Some((_, done)) = self.sending {
            env.schedule(SENT, done);
        }
        env.schedule(ARRIVED, self.arriving);
        env.schedule(LINE_IDLE, self.idle_at);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
