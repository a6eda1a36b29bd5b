//! UART (K20P64M72SF1RM, "Universal Asynchronous Receiver/Transmitter (UART)"): asynchronous mode with exact frame
//! lengths, fractional baud rates and FIFOs.
//!
//! A byte sent goes to the console when its stop bit ends; a byte received arrives when its stop bit ends. Not modelled,
//! and named when switched on: address marks, breaks, loopback and single-wire mode, inversion, infrared, smart cards,
//! hardware flow control, DMA requests, ten-bit characters, FIFO underflow and overflow as errors, and the levels of
//! the pins. A new BDH counts at once instead of with the next write of BDL.

use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::{but, some};
use crate::serial::{Port, Registers};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Tree, Words, Write};

use super::registers::{bank, byte};

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

/// The modelled registers and fields, with the values after reset ("UART memory map").
pub const MODEL: &[Modelled] = &[
    but(
        "BDH_BDL_C1_C2",
        0x0000_0400,
        &["BDH.RXEDGIE", "BDH.LBKDIE", "C1.WAKE", "C1.RSRC", "C1.LOOPS", "C2.SBK", "C2.RWU"],
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
    but("PFIFO_CFIFO_SFIFO_TWFIFO", 0x00C0_0000, &["CFIFO.RXUFE", "CFIFO.TXOFE", "SFIFO.RXUF", "SFIFO.TXOF"]),
    some("TCFIFO_RWFIFO_RCFIFO", 0x0000_0100, &["TCFIFO.TXCOUNT", "RWFIFO.RXWATER", "RCFIFO.RXCOUNT"]),
];

/// The timing that does not follow from the baud rate.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "uart.start",
    "from a write to D with an idle transmitter to the start bit, in periods of the module's clock",
    0,
    "K20P64M72SF1RM gives no figure; the transmitter waits for its next baud tick, less than one bit",
)];

/// One serial port.
#[derive(Clone, Debug)]
pub struct Uart {
    bank: Bank,
    lines: Lines,
    port: Port<Instant>,
    clock: Source,
    /// Flags that S1 showed when it was last read.
    shown: u32,
}

impl Uart {
    /// The port `instance` after reset.
    pub fn new(instance: &Instance) -> Self {
        let mut uart = Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("RX_TX", TDRE | TC | RDRF | IDLE), ("ERR", OR)]),
            port: Port::named(instance.name),
            clock: instance.clock.source(),
            shown: 0,
        };
        uart.set_sizes();
        uart
    }

    fn set_sizes(&mut self) {
        let sizes = if self.port.number < 2 { SIZES } else { 0 };
        self.bank.flag(FIFOS, sizes, true);
    }

    fn depth(&self, enable: u32) -> usize {
        if self.port.number < 2 && self.bank.get(FIFOS) & enable != 0 { FIFO } else { 1 }
    }

    fn control(&self) -> u32 {
        self.bank.get(CONTROL)
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(CONTROL, write, env);
        if new & TE != 0 && old & TE == 0 {
            // C2.TE: switching the transmitter on sends an idle character first.
            self.send_idle_frame(env);
        }
        if new & RE == 0 {
            self.port.received.clear();
        }
    }

    fn write_data(&mut self, data: u8, env: &mut Env<'_, '_>) {
        if self.port.to_send.len() < self.depth(TXFE) {
            self.port.to_send.push_back(data.into());
        } else {
            env.gap(
                GapKind::Setting,
                format_args!("UART{}: byte written to a full transmitter: lost", self.port.number),
            );
        }
        self.transmit(env);
    }

    fn read_data(&mut self) {
        if let Some(data) = self.port.received.pop_front() {
            let kept = self.bank.get(STATUS) & 0x00FF_FFFF;
            self.bank.set(STATUS, kept | u32::from(data) << 24);
        }
        self.bank.flag(STATUS, self.shown & ERRORS, false);
        self.shown = 0;
    }
}

impl Registers<Words> for Uart {
    fn port(&self) -> &Port<Instant> {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.port
    }

    fn clock_mut(&mut self) -> Option<&mut Source> {
        Some(&mut self.clock)
    }

    /// A frame: start, 8 or 9 bits, stop; a bit is 16 * (SBR + BRFA / 32) periods of the clock ("Baud rate
    /// generation").
    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let control = self.control();
        let sbr = u64::from((control & 0x1F) << 8 | control >> 8 & 0xFF);
        let halves = sbr * 32 + u64::from(self.bank.get(FINE) >> 16 & 0x1F);
        let bits = if control & M != 0 { 11 } else { 10 };
        (sbr != 0).then(|| env.now().after(env.clocks().period_of(self.clock).times(halves * bits).half()))
    }

    fn sends(&self) -> bool {
        self.control() & TE != 0
    }

    fn receives(&self) -> bool {
        self.control() & RE != 0
    }

    fn arrived(&mut self, byte: u8, _: &mut Env<'_, '_>) {
        let depth = self.depth(RXFE);
        if !self.port.take(byte, depth) {
            self.bank.flag(STATUS, OR, true);
        }
    }

    fn quiet(&mut self) {
        self.bank.flag(STATUS, IDLE, true);
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (waiting, received) = (self.port.to_send.len() as u32, self.port.received.len() as u32);
        let send_mark = self.bank.get(FIFOS) >> 24;
        let receive_mark = (self.bank.get(LEVELS) >> 8 & 0xFF).max(1);
        self.bank.flag(STATUS, TDRE, waiting <= send_mark && (waiting as usize) < self.depth(TXFE));
        self.bank.flag(STATUS, TC, waiting == 0 && !self.port.is_sending());
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
        self.tell(env);
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

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        match offset {
            // The flags that a read of S1 and then of D clears are those that it showed.
            S1 => (self.shown == self.bank.get(STATUS) & ERRORS).then_some(Instant::NEVER),
            D => None,
            _ => self.bank.still(offset & !3),
        }
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
                    self.port.to_send.clear();
                }
                if commands & RXFLUSH != 0 {
                    self.port.received.clear();
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
        self.line_event(kind, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.set_sizes();
        self.port.reset(env);
        self.shown = 0;
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.port.refine(times);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.port.rescale(self.clock, &old, env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
