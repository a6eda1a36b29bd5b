//! UART of the LM3S6965 (LM3S6965 data sheet, "Universal Asynchronous Receivers/Transmitters (UARTs)"; it is Arm's PL011,
//! DDI 0183).
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.
//! Programs made for emulators often write the data register of a UART that they never switched on; such a byte goes
//! out at once, and is named. IrDA, loopback, breaks and received errors are not modelled. The system's clock is the
//! part's own and constant: what firmware writes to RCC is stored and named.

use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::{all, some};
use crate::register::Access::{ReadOnly, ReadWrite, WriteOnly};
use crate::register::word;
use crate::serial::{Format, Port, Registers};
use crate::{
    Bank, Block, Clocks, Env, Field, Instance, Instant, Lines, Map, Modelled, Source, Span, Tree, Words, Write,
};

const DR: u32 = 0x000;
const RSR: u32 = 0x004;
const FR: u32 = 0x018;
const IBRD: u32 = 0x024;
const FBRD: u32 = 0x028;
const LCRH: u32 = 0x02C;
const CTL: u32 = 0x030;
const IFLS: u32 = 0x034;
const IM: u32 = 0x038;
const RIS: u32 = 0x03C;
const MIS: u32 = 0x040;
const ICR: u32 = 0x044;

const BUSY: u32 = 1 << 3;
const RXFE: u32 = 1 << 4;
const TXFF: u32 = 1 << 5;
const RXFF: u32 = 1 << 6;
const TXFE: u32 = 1 << 7;

const UARTEN: u32 = 1 << 0;
const TXE: u32 = 1 << 8;
const RXE: u32 = 1 << 9;
const FEN: u32 = 1 << 4;

const RXRIS: u32 = 1 << 4;
const TXRIS: u32 = 1 << 5;
const RTRIS: u32 = 1 << 6;
const OERIS: u32 = 1 << 10;
const OE: u32 = 1 << 3;

/// Entries of each FIFO.
const FIFO: usize = 16;

const INTERRUPTS: &[Field] = &[
    Field::new("RX", 4, 1),
    Field::new("TX", 5, 1),
    Field::new("RT", 6, 1),
    Field::new("FE", 7, 1),
    Field::new("PE", 8, 1),
    Field::new("BE", 9, 1),
    Field::new("OE", 10, 1),
];

/// The UART's registers.
pub const UART_MAP: Map = Map {
    kind: "lm3s_uart",
    version: "v1",
    registers: &[
        word("DR", 0x000, ReadWrite, &[Field::new("DATA", 0, 8), Field::new("ERRORS", 8, 4)]),
        word("RSR", 0x004, ReadWrite, &[Field::new("ERRORS", 0, 4)]),
        word(
            "FR",
            0x018,
            ReadOnly,
            &[
                Field::new("BUSY", 3, 1),
                Field::new("RXFE", 4, 1),
                Field::new("TXFF", 5, 1),
                Field::new("RXFF", 6, 1),
                Field::new("TXFE", 7, 1),
            ],
        ),
        word("ILPR", 0x020, ReadWrite, &[Field::new("ILPDVSR", 0, 8)]),
        word("IBRD", 0x024, ReadWrite, &[Field::new("DIVINT", 0, 16)]),
        word("FBRD", 0x028, ReadWrite, &[Field::new("DIVFRAC", 0, 6)]),
        word(
            "LCRH",
            0x02C,
            ReadWrite,
            &[
                Field::new("BRK", 0, 1),
                Field::new("PEN", 1, 1),
                Field::new("EPS", 2, 1),
                Field::new("STP2", 3, 1),
                Field::new("FEN", 4, 1),
                Field::new("WLEN", 5, 2),
                Field::new("SPS", 7, 1),
            ],
        ),
        word(
            "CTL",
            0x030,
            ReadWrite,
            &[
                Field::new("UARTEN", 0, 1),
                Field::new("SIREN", 1, 1),
                Field::new("SIRLP", 2, 1),
                Field::new("LBE", 7, 1),
                Field::new("TXE", 8, 1),
                Field::new("RXE", 9, 1),
            ],
        ),
        word("IFLS", 0x034, ReadWrite, &[Field::new("TXIFLSEL", 0, 3), Field::new("RXIFLSEL", 3, 3)]),
        word("IM", 0x038, ReadWrite, INTERRUPTS),
        word("RIS", 0x03C, ReadOnly, INTERRUPTS),
        word("MIS", 0x040, ReadOnly, INTERRUPTS),
        word("ICR", 0x044, WriteOnly, INTERRUPTS),
        word("PeriphID0", 0xFE0, ReadOnly, &[Field::new("PID0", 0, 8)]),
        word("PeriphID1", 0xFE4, ReadOnly, &[Field::new("PID1", 0, 8)]),
        word("PeriphID2", 0xFE8, ReadOnly, &[Field::new("PID2", 0, 8)]),
        word("PeriphID3", 0xFEC, ReadOnly, &[Field::new("PID3", 0, 8)]),
        word("PCellID0", 0xFF0, ReadOnly, &[Field::new("CID0", 0, 8)]),
        word("PCellID1", 0xFF4, ReadOnly, &[Field::new("CID1", 0, 8)]),
        word("PCellID2", 0xFF8, ReadOnly, &[Field::new("CID2", 0, 8)]),
        word("PCellID3", 0xFFC, ReadOnly, &[Field::new("CID3", 0, 8)]),
    ],
};

/// The modelled registers and fields, with the values after reset (data sheet, "UART Register Map").
pub const UART: &[Modelled] = &[
    all("DR", 0).and(&["RSR", "IBRD", "FBRD", "IM", "RIS", "MIS", "ICR"]),
    all("FR", 0x90),
    some("ILPR", 0, &[]),
    some("LCRH", 0, &["PEN", "EPS", "STP2", "FEN", "WLEN", "SPS"]),
    some("CTL", 0x300, &["UARTEN", "TXE", "RXE"]),
    all("IFLS", 0x12),
    all("PeriphID0", 0x11),
    all("PeriphID1", 0x00),
    all("PeriphID2", 0x18),
    all("PeriphID3", 0x01),
    all("PCellID0", 0x0D),
    all("PCellID1", 0xF0),
    all("PCellID2", 0x05),
    all("PCellID3", 0xB1),
];

/// The timing that does not follow from the baud rate.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "lm3s_uart.clock",
    "periods of the core's clock in one of the UART's",
    1,
    "the LM3S6965's UARTs count the system clock; here that is the part's own clock, whatever SYSCTL_RCC says",
)];

/// One serial port.
#[derive(Clone, Debug)]
pub struct Uart {
    bank: Bank,
    lines: Lines,
    port: Port<Instant>,
}

impl Uart {
    /// The port `instance` after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, UART),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            port: Port::named(instance.name),
        }
    }

    fn depth(&self) -> usize {
        if self.bank.get(LCRH) & FEN != 0 { FIFO } else { 1 }
    }

    /// `bits` at the port's rate: a bit is 16 * (IBRD + FBRD / 64) periods of the clock (data sheet, "Baud-Rate
    /// Generation"); zero while the settings make none.
    fn time_of(&self, bits: u64, env: &Env<'_, '_>) -> Span {
        let quarters = u64::from(self.bank.get(IBRD)) * 64 + u64::from(self.bank.get(FBRD));
        let clock = env.clocks().period_of(Source::Hclk).times(u64::from(ROWS[0].cycles));
        // Of quarters of a period the next whole one.
        clock.times(quarters * bits).rescaled(clock.times(4), clock)
    }

    /// The word, parity and stop bits that LCRH asks for.
    fn format(&self) -> Format {
        let lcrh = self.bank.get(LCRH);
        Format {
            data: 5 + (lcrh >> 5 & 3),
            parity: lcrh >> 1 & 1 != 0,
            stop_halves: if lcrh >> 3 & 1 != 0 { 4 } else { 2 },
        }
    }

    fn is_on(&self, which: u32) -> bool {
        self.bank.get(CTL) & (UARTEN | which) == UARTEN | which
    }

    /// Entries at which a FIFO interrupts (IFLS: 1/8, 1/4, 1/2, 3/4, 7/8 full); without FIFO at one.
    fn trigger(&self, code: u32) -> usize {
        if self.depth() == 1 { 1 } else { [2, 4, 8, 12, 14, 14, 14, 14][(code & 7) as usize] }
    }

    fn send(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        if !self.is_on(TXE) || self.frame_end(env).is_none() {
            env.gap(
                GapKind::Setting,
                format_args!("{}: byte written while the transmitter is off: sent at once", env.name()),
            );
            self.port.print(byte, env);
            return;
        }
        if self.port.to_send.len() == self.depth() {
            // Full: the data is lost (DDI 0183, UARTDR; software looks at TXFF first).
            return;
        }
        self.port.to_send.push_back(byte.into());
        if self.port.to_send.len() > self.transmit_trigger() {
            self.bank.flag(RIS, TXRIS, false);
        }
        self.transmit(env);
    }

    /// Entries left at which the transmitter interrupts: with FIFO the part of it that IFLS names, else none.
    fn transmit_trigger(&self) -> usize {
        if self.depth() == 1 { 0 } else { self.trigger(self.bank.get(IFLS)) }
    }
}

impl Registers<Words> for Uart {
    const QUIET_RUNS_ON: bool = true;

    fn port(&self) -> &Port<Instant> {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.port
    }

    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let frame = self.time_of(self.format().half_bits() / 2, env);
        (frame != Span::ZERO).then(|| env.now().after(frame))
    }

    /// Returns `true`: waiting characters are sent even if software switches the transmitter off meanwhile.
    fn sends(&self) -> bool {
        true
    }

    fn receives(&self) -> bool {
        self.is_on(RXE)
    }

    fn started(&mut self, _: u16, _: &mut Env<'_, '_>) {
        if self.port.to_send.len() == self.transmit_trigger() {
            self.bank.flag(RIS, TXRIS, true);
        }
    }

    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        self.port.print(character & self.format().mask(), env);
    }

    fn arrived(&mut self, byte: u8, _: &mut Env<'_, '_>) {
        let depth = self.depth();
        if !self.port.take(byte, depth) {
            self.bank.flag(RSR, OE, true);
            self.bank.flag(RIS, OERIS, true);
        } else if self.port.received.len() >= self.trigger(self.bank.get(IFLS) >> 3) {
            self.bank.flag(RIS, RXRIS, true);
        }
    }

    /// The timeout comes when nothing follows for 32 bits (data sheet, "FIFO Operation").
    fn quiet_from(&self, env: &Env<'_, '_>) -> Option<Instant> {
        Some(env.now().after(self.time_of(32, env)))
    }

    fn quiet(&mut self) {
        if !self.port.received.is_empty() {
            self.bank.flag(RIS, RTRIS, true);
        }
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let depth = self.depth();
        let flags = [
            (BUSY, self.port.is_sending() || !self.port.to_send.is_empty()),
            (RXFE, self.port.received.is_empty()),
            (TXFF, self.port.to_send.len() >= depth),
            (RXFF, self.port.received.len() >= depth),
            (TXFE, self.port.to_send.is_empty()),
        ];
        self.bank.flags(FR, &flags);
        let masked = self.bank.get(RIS) & self.bank.get(IM);
        self.bank.set(MIS, masked);
        self.lines.drive(masked, env);
        self.tell(env);
    }
}

impl Block<Words> for Uart {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != DR {
            return self.bank.read(offset, env);
        }
        if let Some(byte) = self.port.received.pop_front() {
            self.bank.set(DR, u32::from(byte));
            if self.port.received.len() < self.trigger(self.bank.get(IFLS) >> 3) {
                self.bank.flag(RIS, RXRIS, false);
            }
            if self.port.received.is_empty() {
                self.bank.flag(RIS, RTRIS, false);
                self.port.quiet_at(Instant::NEVER, env);
            }
            self.settle(env);
        }
        self.bank.get(DR)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == DR { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            DR => self.send(write.ones() as u8, env),
            RSR => self.bank.set(RSR, 0),
            ICR => {
                let cleared = self.bank.get(RIS) & !write.ones();
                self.bank.set(RIS, cleared);
            }
            _ => {
                self.bank.write(offset, write, env);
                self.transmit(env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.line_event(kind, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.port.reset(env);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.port.refine(times);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.port.rescale(Source::Hclk, &old, env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
