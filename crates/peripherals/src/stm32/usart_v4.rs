//! USART with optional FIFOs, as on STM32C0 and STM32G0 (RM0490, "Universal synchronous receiver transmitter
//! (USART)"): asynchronous mode with exact frame lengths.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.
//! Not modelled, and counted when switched on: synchronous, smartcard, IrDA, LIN and single-wire modes, auto baud
//! rate, hardware flow control, receiver timeout, mute mode, break characters, and the levels of the pins.

use cyclescope_machine::TimingRow;

use super::usart::{self, DMAR, DMAT, EIE, FE, IDLE, NE, ORE, OVER8, PE, RE, RXNE, TC, TE, TXE, Usart};
use crate::bank::{all, but, some};
use crate::serial::{Clocked, Format, Port, Registers};
use crate::{Bank, Block, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const CR3: u32 = 0x08;
const BRR: u32 = 0x0C;
const RQR: u32 = 0x18;
const ISR: u32 = 0x1C;
const ICR: u32 = 0x20;
const RDR: u32 = 0x24;
const TDR: u32 = 0x28;
const PRESC: u32 = 0x2C;

const UE: u32 = 1 << 0;
const FIFOEN: u32 = 1 << 29;
/// RXFFIE, TXFEIE and FIFOEN.
const FIFO_BITS: u32 = 7 << 29;

const BUSY: u32 = 1 << 16;
const CMF: u32 = 1 << 17;
const TEACK: u32 = 1 << 21;
const REACK: u32 = 1 << 22;
const TXFE: u32 = 1 << 23;
const RXFF: u32 = 1 << 24;
const RXFT: u32 = 1 << 26;
const TXFT: u32 = 1 << 27;

const OVRDIS: u32 = 1 << 12;

/// Entries of each FIFO (RM0490, "USART implementation").
const FIFO: usize = 8;

/// The modelled registers and fields, with the values after reset (RM0490, "USART register map").
pub const MODEL: &[Modelled] = &[
    but("CR1", 0, &["UESM", "WAKE", "MME", "DEDT", "DEAT", "RTOIE", "EOBIE"]),
    some("CR2", 0, &["STOP", "ADD", "ADDM"]),
    some("CR3", 0, &["EIE", "DMAR", "DMAT", "OVRDIS", "DDRE", "ONEBIT", "TXFTIE", "RXFTCFG", "RXFTIE", "TXFTCFG"]),
    all("BRR", 0),
    some("RQR", 0, &["RXFRQ", "TXFRQ"]),
    all("ISR", 0x0000_00C0),
    all("ICR", 0).and(&["RDR", "TDR", "PRESC"]),
];

/// The timing that does not follow from the baud rate.
pub const ROWS: &[TimingRow] = &[
    usart::start(
        "from a write to TDR with an idle transmitter to the start bit, in periods of the baud rate's clock",
        "RM0490 gives no figure; the transmitter waits for its next baud tick, less than one bit",
    ),
    usart::received("RM0490: the frame is transferred during the stop bit; no exact point given"),
];

/// One serial port.
#[derive(Clone, Debug)]
pub struct UsartV4 {
    usart: Usart,
    /// `true` if it has FIFOs (RM0490, "USART implementation": full and basic features).
    full: bool,
}

impl UsartV4 {
    /// Returns the port `instance`, clocked by its bus; `full` tells if it has FIFOs.
    pub fn new(instance: &Instance, full: bool) -> Self {
        Self { usart: Usart::new(instance, MODEL), full }
    }

    fn get(&self, offset: u32) -> u32 {
        self.usart.bank.get(offset)
    }

    fn fifo(&self) -> bool {
        self.full && self.get(CR1) & FIFOEN != 0
    }

    fn depth(&self) -> usize {
        if self.fifo() { FIFO } else { 1 }
    }

    fn format(&self) -> Format {
        let cr1 = self.get(CR1);
        let word = match cr1 & (1 << 28 | 1 << 12) {
            0 => 8,
            0x1000 => 9,
            _ => 7,
        };
        self.usart.format(word, cr1, self.get(CR2))
    }

    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if new & UE == 0 {
            // RM0490, CR1.UE: transmission and reception stop at once, the flags go to their reset values.
            self.port_mut().stop_sending(env);
            self.port_mut().received.clear();
            self.usart.bank.set(ISR, TC | TXE);
        } else if new & TE != 0 && old & (UE | TE) != UE | TE {
            // RM0490, "Character transmission procedure": setting TE sends an idle frame first.
            self.send_idle_frame(env);
        }
        if new & RE == 0 {
            self.port_mut().received.clear();
        }
        if (old ^ new) & (UE | TE) != 0 {
            env.effect(Effect::Output { signal: "TX", level: self.output("TX") });
        }
    }
}

/// The fill that TXFTCFG or RXFTCFG means, of eight (RM0490, CR3: 1/8, 1/4, 1/2, 3/4, 7/8, all).
fn threshold(code: u32) -> usize {
    [1, 2, 4, 6, 7, 8, 8, 8][(code & 7) as usize]
}

impl Registers<Words> for UsartV4 {
    fn port(&self) -> &Port<Instant> {
        &self.usart.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.usart.port
    }

    /// RM0490, "USART baud rate generation".
    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        const PRESCALERS: [u64; 16] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256, 256, 256, 256, 256];
        let brr = self.get(BRR);
        // By 8: BRR[2:0] holds USARTDIV[3:0] shifted right; a bit lasts USARTDIV / 2.
        let ticks = if self.get(CR1) & OVER8 != 0 { ((brr & 0xFFF0) | (brr & 7) << 1) / 2 } else { brr };
        let prescaler = PRESCALERS[(self.get(PRESC) & 15) as usize];
        self.usart.frame_end(self.format(), prescaler * u64::from(ticks), env)
    }

    fn sends(&self) -> bool {
        self.get(CR1) & (UE | TE) == UE | TE
    }

    fn receives(&self) -> bool {
        self.get(CR1) & (UE | RE) == UE | RE
    }

    fn started(&mut self, env: &mut Env<'_, '_>) {
        env.cycles(&ROWS[0]);
    }

    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        self.usart.print(character, self.format(), env);
        if self.port().to_send.is_empty() {
            self.usart.bank.flag(ISR, TC, true);
        }
    }

    fn arrived(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        env.cycles(&ROWS[1]);
        let (data, depth) = (byte & self.format().mask() as u8, self.depth());
        if !self.port_mut().take(data, depth) {
            if self.get(CR3) & OVRDIS != 0 {
                // Overrun disabled: the new data takes the old one's place.
                self.port_mut().received.pop_back();
                self.port_mut().received.push_back(data);
            } else {
                self.usart.bank.flag(ISR, ORE, true);
            }
        }
        if u32::from(byte) == self.get(CR2) >> 24 {
            self.usart.bank.flag(ISR, CMF, true);
        }
    }

    fn quiet(&mut self) {
        self.usart.bank.flag(ISR, IDLE, true);
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (cr1, cr3) = (self.get(CR1), self.get(CR3));
        let (depth, fifo, port) = (self.depth(), self.fifo(), self.port());
        let (waiting, received) = (port.to_send.len(), port.received.len());
        let follow = [
            (TXE, waiting < depth),
            (RXNE, received != 0),
            (TEACK, self.sends()),
            (REACK, self.receives()),
            (BUSY, port.is_receiving()),
            (TXFE, fifo && waiting == 0),
            (RXFF, fifo && received == depth),
            (RXFT, fifo && received >= threshold(cr3 >> 25)),
            (TXFT, fifo && depth - waiting.min(depth) >= threshold(cr3 >> 29)),
        ];
        self.usart.bank.flags(ISR, &follow);

        // RM0490, "USART interrupts": enable bit and the flags it lets through.
        let wants = [
            (cr1 & 1 << 4, IDLE),
            (cr1 & 1 << 5, RXNE | ORE),
            (cr1 & 1 << 6, TC),
            (cr1 & 1 << 7, TXE),
            (cr1 & 1 << 8, PE),
            (cr1 & 1 << 14, CMF),
            (cr1 & 1 << 30, TXFE),
            (cr1 & 1 << 31, RXFF),
            (cr3 & EIE, FE | NE | ORE),
            (cr3 & 1 << 28, RXFT),
            (cr3 & 1 << 23, TXFT),
        ];
        let (on, isr) = (cr1 & UE != 0, self.get(ISR));
        let transmit = cr3 & DMAT != 0 && isr & TXE != 0 && self.sends();
        let receive = on && cr3 & DMAR != 0 && isr & RXNE != 0;
        self.usart.drive(on, &wants, isr, (transmit, receive), env);
    }
}

impl Clocked for UsartV4 {
    fn clock_mut(&mut self) -> Option<&mut Source> {
        Some(&mut self.usart.clock)
    }
}

impl Block<Words> for UsartV4 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != RDR {
            return self.usart.bank.read(offset, env);
        }
        if let Some(data) = self.port_mut().received.pop_front() {
            self.usart.bank.set(RDR, data.into());
            self.settle(env);
        }
        self.get(RDR)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            TDR => {
                // Written while full: without FIFO the data is overwritten.
                let depth = self.depth();
                self.port_mut().put((write.ones() & 0x1FF) as u16, depth);
                self.usart.bank.flag(ISR, TC, false);
                self.transmit(env);
            }
            ICR => {
                let flags = PE | FE | NE | ORE | IDLE | TC | CMF | 1 << 8 | 1 << 9;
                self.usart.bank.flag(ISR, write.ones() & flags, false);
            }
            RQR => {
                self.usart.bank.write(RQR, write, env);
                if write.ones() & 1 << 3 != 0 {
                    self.port_mut().received.clear();
                }
                if write.ones() & 1 << 4 != 0 {
                    self.port_mut().to_send.clear();
                }
            }
            _ => {
                let (old, new) = self.usart.bank.write(offset, write, env);
                if offset == CR1 && !self.full {
                    // Reserved where there is no FIFO (RM0490, "USART implementation").
                    self.usart.bank.flag(CR1, FIFO_BITS, false);
                }
                if offset == CR1 {
                    self.control(old, new, env);
                }
                self.transmit(env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.line_event(kind, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.usart.bank.reset();
        self.port_mut().reset(env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.usart.port.rescale(self.usart.clock, &old, env);
    }

    fn refine(&mut self, times: u64) {
        self.port_mut().refine(times);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        // The idle level; frames are not shown bit by bit.
        (signal == "TX" && self.sends()).then_some(true)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.usart.bank)
    }
}
