//! UART 16550 with FIFOs (National PC16550D data sheet, 1995), registers one byte apart.
//!
//! A byte sent goes to the console when its last stop bit ends. Where the part says that its transmitter takes no time, as
//! QEMU's does not, a byte goes out with its store and the transmitter is always empty; received bytes then wait outside until
//! there is room. Modem lines are all held active and never change; loopback, breaks and errors of received frames are not
//! modelled. A program that sends before it has set the divisor has its bytes sent at once, and that is named.

use cyclescope_machine::{GapKind, TimingRow};

use super::{Env, Riscv, Shared, register};
use crate::serial::{ARRIVED, Format, Port, Registers};
use crate::{Access, Block, Field, Map, Serial, Write};

const DATA: u32 = 0;
const IER: u32 = 1;
const IIR: u32 = 2;
const LCR: u32 = 3;
const MCR: u32 = 4;
const LSR: u32 = 5;
const MSR: u32 = 6;
const SCR: u32 = 7;

const DLAB: u8 = 1 << 7;
const BREAK: u8 = 1 << 6;
const LOOP: u8 = 1 << 4;
const DMA_MODE: u8 = 1 << 3;

/// IER: received data, transmitter empty, line status.
const ERBFI: u8 = 1 << 0;
const ETBEI: u8 = 1 << 1;
const ELSI: u8 = 1 << 2;

/// LSR.
const DR: u32 = 1 << 0;
const OE: u32 = 1 << 1;
const THRE: u32 = 1 << 5;
const TEMT: u32 = 1 << 6;

/// DCD, DSR and CTS are active.
const MODEM_LINES: u32 = 0xB0;

/// Entries of each FIFO.
const FIFO: usize = 16;
/// Received data that nobody reads for so many frames' time asks for an interrupt below the trigger level, too.
const PATIENCE: u64 = 4;

/// The event at which data has waited for too long.
const TIMEOUT: u16 = 3;

/// The registers; those behind LCR.DLAB, and those of which one is read and one written, share an offset.
pub static MAP: Map = Map {
    kind: "uart",
    version: "16550",
    registers: &[
        register("THR", DATA, 8, Access::ReadWrite, &[Field::new("DATA", 0, 8)]),
        register(
            "IER",
            IER,
            8,
            Access::ReadWrite,
            &[
                Field::new("ERBFI", 0, 1),
                Field::new("ETBEI", 1, 1),
                Field::new("ELSI", 2, 1),
                Field::new("EDSSI", 3, 1),
            ],
        ),
        register(
            "FCR",
            IIR,
            8,
            Access::WriteOnly,
            &[
                Field::new("FIFO", 0, 1),
                Field::new("RCVR_RESET", 1, 1),
                Field::new("XMIT_RESET", 2, 1),
                Field::new("DMA_MODE", 3, 1),
                Field::new("TRIGGER", 6, 2),
            ],
        ),
        register(
            "LCR",
            LCR,
            8,
            Access::ReadWrite,
            &[
                Field::new("WLS", 0, 2),
                Field::new("STB", 2, 1),
                Field::new("PEN", 3, 1),
                Field::new("EPS", 4, 1),
                Field::new("STICK", 5, 1),
                Field::new("BREAK", 6, 1),
                Field::new("DLAB", 7, 1),
            ],
        ),
        register(
            "MCR",
            MCR,
            8,
            Access::ReadWrite,
            &[
                Field::new("DTR", 0, 1),
                Field::new("RTS", 1, 1),
                Field::new("OUT1", 2, 1),
                Field::new("OUT2", 3, 1),
                Field::new("LOOP", 4, 1),
            ],
        ),
        register(
            "LSR",
            LSR,
            8,
            Access::ReadOnly,
            &[Field::new("DR", 0, 1), Field::new("OE", 1, 1), Field::new("THRE", 5, 1), Field::new("TEMT", 6, 1)],
        ),
        register("MSR", MSR, 8, Access::ReadOnly, &[Field::new("LINES", 4, 4)]),
        register("SCR", SCR, 8, Access::ReadWrite, &[Field::new("SCRATCH", 0, 8)]),
    ],
};

/// When a frame begins.
pub static START: TimingRow = TimingRow::assumed(
    "uart start",
    "from a store to THR, or the end of the frame before, to the start bit",
    0,
    "PC16550D gives 8 to 24 periods of the baud clock; which of them depends on its phase",
);

/// The block. Its wire: the interrupt.
#[derive(Clone, Debug)]
pub struct Uart16550 {
    port: Port<u64>,
    timed: bool,
    divisor: u16,
    ier: u8,
    lcr: u8,
    mcr: u8,
    scratch: u8,
    fifos: bool,
    trigger: usize,
    overrun: bool,
    /// The transmitter's interrupt: it has become empty, and nobody has taken note.
    emptied: bool,
    timed_out: bool,
    /// The guest has looked for data or asked for their interrupt. The block's receiver cannot be switched off, so this is
    /// how the outside knows that somebody listens.
    attended: bool,
}

impl Uart16550 {
    /// The serial port `number`; `timed` says whether its frames take time.
    pub fn new(number: u8, timed: bool) -> Self {
        Self {
            port: Port::new(number),
            timed,
            divisor: 0,
            ier: 0,
            lcr: 0,
            mcr: 0,
            scratch: 0,
            fifos: false,
            trigger: 1,
            overrun: false,
            emptied: false,
            timed_out: false,
            attended: false,
        }
    }

    /// Cycles of a frame; a bit is 16 periods of the divided clock.
    fn frame(&self) -> u64 {
        let stop_halves = match self.lcr & 7 {
            0..=3 => 2,
            4 => 3,
            _ => 4,
        };
        let format = Format { data: 5 + u32::from(self.lcr & 3), parity: self.lcr & 8 != 0, stop_halves };
        format.half_bits() * 8 * u64::from(self.divisor)
    }

    /// Tells if frames take time.
    fn takes_time(&self) -> bool {
        self.timed && self.divisor != 0
    }

    fn room(&self) -> usize {
        if self.fifos { FIFO } else { 1 }
    }

    fn send(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        self.emptied = false;
        if self.timed && self.divisor == 0 {
            env.gap(
                GapKind::Setting,
                format_args!("{}: byte written before the divisor: sent at once", env.instance.name),
            );
        }
        if !self.takes_time() {
            self.port.print(byte, env);
            self.emptied = true;
            return;
        }
        // What was there is written over.
        let room = self.room();
        self.port.put(byte.into(), room);
        self.transmit(env);
    }

    /// Has the interrupt for data below the trigger level come when it is due.
    fn wait(&mut self, env: &mut Env<'_, '_>) {
        self.timed_out = false;
        let waits = self.fifos && !self.port.received.is_empty();
        let due = if !waits {
            u64::MAX
        } else if self.takes_time() {
            env.now() + PATIENCE * self.frame()
        } else {
            env.now() + 1
        };
        env.schedule(TIMEOUT, due);
    }

    /// IIR: the most urgent interrupt.
    fn cause(&self) -> u32 {
        let full = self.port.received.len() >= if self.fifos { self.trigger } else { 1 };
        if self.ier & ELSI != 0 && self.overrun {
            0b0110
        } else if self.ier & ERBFI != 0 && full {
            0b0100
        } else if self.ier & ERBFI != 0 && self.timed_out {
            0b1100
        } else if self.ier & ETBEI != 0 && self.emptied {
            0b0010
        } else {
            0b0001
        }
    }

    fn status(&self) -> u32 {
        let bits = [
            (!self.port.received.is_empty(), DR),
            (self.overrun, OE),
            (self.port.to_send.is_empty(), THRE),
            (self.port.to_send.is_empty() && !self.port.is_sending(), TEMT),
        ];
        bits.iter().filter(|(set, _)| *set).fold(0, |word, (_, bit)| word | bit)
    }

    fn control_fifos(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let on = value & 1 != 0;
        // Switching them on or off empties them.
        if value & 2 != 0 || on != self.fifos {
            self.port.received.clear();
        }
        if value & 4 != 0 || on != self.fifos {
            self.port.to_send.clear();
            self.emptied = true;
        }
        self.fifos = on;
        self.trigger = [1, 4, 8, 14][usize::from(value >> 6)];
        env.unmodelled(IIR, u32::from(value & DMA_MODE));
        self.wait(env);
    }
}

impl Block<Riscv> for Uart16550 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let latch = self.lcr & DLAB != 0;
        let [low, high] = self.divisor.to_le_bytes();
        self.attended |= offset == LSR || offset == DATA && !latch;
        let value = match offset {
            DATA if latch => u32::from(low),
            IER if latch => u32::from(high),
            DATA => {
                let byte = self.port.received.pop_front().unwrap_or(0);
                if !self.takes_time() {
                    self.listen(env);
                }
                self.wait(env);
                u32::from(byte)
            }
            IER => u32::from(self.ier),
            IIR => {
                let cause = self.cause();
                if cause == 0b0010 {
                    self.emptied = false;
                }
                cause | if self.fifos { 0xC0 } else { 0 }
            }
            LCR => u32::from(self.lcr),
            MCR => u32::from(self.mcr),
            LSR => {
                let status = self.status();
                self.overrun = false;
                status
            }
            MSR => MODEM_LINES,
            SCR => u32::from(self.scratch),
            _ => env.read_hole(offset),
        };
        self.settle(env);
        value
    }

    fn still(&self, offset: u32, _: u64, _: &Shared) -> Option<u64> {
        let latch = self.lcr & DLAB != 0;
        let still = match offset {
            DATA => latch,
            IER | LCR | MCR | MSR | SCR => true,
            IIR => self.cause() != 0b0010,
            // A read takes the overrun back, and tells that somebody listens.
            LSR => !self.overrun && self.attended,
            _ => false,
        };
        still.then_some(u64::MAX)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let value = write.value as u8;
        let latch = self.lcr & DLAB != 0;
        let [low, high] = self.divisor.to_le_bytes();
        match offset {
            DATA if latch => self.divisor = u16::from_le_bytes([value, high]),
            IER if latch => self.divisor = u16::from_le_bytes([low, value]),
            DATA => self.send(value, env),
            IER => {
                // Asking for the transmitter's interrupt while it is empty raises it.
                self.emptied |= value & !self.ier & ETBEI != 0 && self.port.to_send.is_empty();
                self.ier = value & 0xF;
                self.attended |= value & ERBFI != 0;
            }
            IIR => self.control_fifos(value, env),
            LCR => {
                self.lcr = value;
                env.unmodelled(LCR, u32::from(value & BREAK));
            }
            MCR => {
                self.mcr = value & 0x1F;
                env.unmodelled(MCR, u32::from(value & LOOP));
            }
            // For the factory's tests only.
            LSR | MSR => {}
            SCR => self.scratch = value,
            _ => env.hole(GapKind::RegisterWrite, offset),
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.timed_out |= kind == TIMEOUT;
        self.line_event(kind, env);
        if kind == ARRIVED {
            self.wait(env);
            self.settle(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::new(self.port.number, self.timed);
        self.settle(env);
    }
}

impl Registers<Riscv> for Uart16550 {
    fn port(&self) -> &Port<u64> {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port<u64> {
        &mut self.port
    }

    fn frame_end(&self, env: &Env<'_, '_>) -> Option<u64> {
        Some(env.now() + self.frame())
    }

    fn transmit_end(&self, env: &Env<'_, '_>) -> Option<u64> {
        Some(env.now() + u64::from(START.cycles) + self.frame())
    }

    fn sends(&self) -> bool {
        true
    }

    fn receives(&self) -> bool {
        true
    }

    fn untimed_depth(&self) -> Option<usize> {
        (!self.takes_time()).then(|| self.room())
    }

    fn started(&mut self, _: u16, env: &mut Env<'_, '_>) {
        env.cycles(&START);
        self.emptied |= self.port.to_send.is_empty();
    }

    fn is_empty(&self) -> bool {
        self.attended && self.port.received.is_empty()
    }

    fn arrived(&mut self, byte: u8, _: &mut Env<'_, '_>) {
        let room = self.room();
        self.overrun |= !self.port.take(byte, room);
    }

    /// Quiet is of no interest; data that waits is, see `TIMEOUT`.
    fn quiet_from(&self, _: &Env<'_, '_>) -> Option<u64> {
        None
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        env.line(0, self.cause() & 1 == 0);
        self.tell(env);
    }
}

impl Serial<Riscv> for Uart16550 {
    fn number(&self) -> u8 {
        self.port.number
    }

    fn listens(&self) -> bool {
        self.port.listens()
    }

    fn receive(&mut self, bytes: &[u8], env: &mut Env<'_, '_>) {
        let idle = self.port.is_free();
        self.port.push(bytes, env);
        if idle {
            self.listen(env);
            self.wait(env);
        }
        self.settle(env);
    }
}
