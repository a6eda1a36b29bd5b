//! USART of STM32F1, F2 and F4, with one status and one data register (RM0390, "Universal synchronous asynchronous
//! receiver transmitter (USART)"; RM0008, the same chapter): asynchronous mode with exact frame lengths.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.
//! Not modelled, and counted when switched on: synchronous, smartcard, IrDA, LIN and single-wire modes, hardware flow
//! control, mute mode, break characters, and the levels of the pins.

use cyclescope_machine::TimingRow;

use super::usart::{self, DMAR, DMAT, EIE, FE, IDLE, NE, ORE, OVER8, PE, RE, RXNE, TC, TE, TXE, Usart};
use crate::bank::{all, some};
use crate::serial::{Clocked, Format, Port, Registers};
use crate::{Bank, Block, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

const SR: u32 = 0x00;
const DR: u32 = 0x04;
const BRR: u32 = 0x08;
const CR1: u32 = 0x0C;
const CR2: u32 = 0x10;
const CR3: u32 = 0x14;

const M: u32 = 1 << 12;
const UE: u32 = 1 << 13;

/// The modelled registers and fields, with the values after reset (RM0390, "USART register map").
pub const MODEL: &[Modelled] = &[
    some("SR", TC | TXE, &["PE", "FE", "NE", "ORE", "IDLE", "RXNE", "TC", "TXE"]),
    all("DR", 0),
    all("BRR", 0),
    some(
        "CR1",
        0,
        &["RE", "TE", "IDLEIE", "RXNEIE", "TCIE", "TXEIE", "PEIE", "PS", "PCE", "WAKE", "M0", "UE", "OVER8"],
    ),
    some("CR2", 0, &["STOP", "ADD"]),
    some("CR3", 0, &["EIE", "DMAR", "DMAT", "ONEBIT"]),
];

/// The timing that does not follow from the baud rate.
pub const ROWS: &[TimingRow] = &[
    usart::start(
        "from a write to DR with an idle transmitter to the start bit, in periods of the baud rate's clock",
        "RM0390 gives no figure; the transmitter waits for its next baud tick, less than one bit",
    ),
    usart::received("RM0390: the frame is transferred during the stop bit; no exact point given"),
];

/// One serial port.
#[derive(Clone, Debug)]
pub struct UsartV1 {
    usart: Usart,
    /// Flags that a read of SR has shown: a read or write of DR then clears them.
    seen: u32,
}

impl UsartV1 {
    /// The port `instance`, clocked by its bus.
    pub fn new(instance: &Instance) -> Self {
        Self { usart: Usart::new(instance, MODEL), seen: 0 }
    }

    fn get(&self, offset: u32) -> u32 {
        self.usart.bank.get(offset)
    }

    fn format(&self) -> Format {
        let cr1 = self.get(CR1);
        self.usart.format(if cr1 & M != 0 { 9 } else { 8 }, cr1, self.get(CR2))
    }

    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if new & UE == 0 && old & UE != 0 {
            // RM0390, CR1.UE: prescalers and outputs stop at the end of the current byte; here at once.
            self.port_mut().stop_sending(env);
            self.usart.bank.set(SR, TC | TXE);
        } else if new & (UE | TE) == UE | TE && old & (UE | TE) != UE | TE {
            // RM0390, "Character transmission": setting TE sends an idle frame first.
            self.send_idle_frame(env);
        }
        if (old ^ new) & (UE | TE) != 0 {
            env.effect(Effect::Output { signal: "TX", level: self.output("TX") });
        }
    }
}

impl Registers<Words> for UsartV1 {
    fn port(&self) -> &Port<Instant> {
        &self.usart.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.usart.port
    }

    /// RM0390, "Fractional baud rate generation".
    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let brr = self.get(BRR);
        // By 16: sixteenths of USARTDIV are clocks. By 8: the fraction has three bits, and a bit lasts eight USARTDIV.
        let ticks = if self.get(CR1) & OVER8 != 0 { (brr >> 4) * 8 + (brr & 7) } else { brr };
        self.usart.frame_end(self.format(), ticks.into(), env)
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
            self.usart.bank.flag(SR, TC, true);
        }
    }

    fn arrived(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        env.cycles(&ROWS[1]);
        if self.get(SR) & RXNE != 0 {
            // The shift register is overwritten, what DR holds is not lost (RM0390, "Overrun error").
            self.usart.bank.flag(SR, ORE, true);
        } else {
            let data = u16::from(byte) & self.format().mask();
            self.usart.bank.set(DR, data.into());
            self.usart.bank.flag(SR, RXNE, true);
        }
    }

    fn quiet(&mut self) {
        self.usart.bank.flag(SR, IDLE, true);
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let empty = self.port().to_send.is_empty();
        self.usart.bank.flag(SR, TXE, empty);
        let (sr, cr1, cr3) = (self.get(SR), self.get(CR1), self.get(CR3));
        // RM0390, "USART interrupts": enable bit and the flags it lets through; errors have theirs only with DMA.
        let wants = [
            (cr1 & 1 << 4, IDLE),
            (cr1 & 1 << 5, RXNE | ORE),
            (cr1 & 1 << 6, TC),
            (cr1 & 1 << 7, TXE),
            (cr1 & 1 << 8, PE),
            (if cr3 & DMAR != 0 { cr3 & EIE } else { 0 }, FE | NE | ORE),
        ];
        let on = cr1 & UE != 0;
        let transmit = cr3 & DMAT != 0 && sr & TXE != 0 && self.sends();
        let receive = on && cr3 & DMAR != 0 && sr & RXNE != 0;
        self.usart.drive(on, &wants, sr, (transmit, receive), env);
    }
}

impl Clocked for UsartV1 {
    fn clock_mut(&mut self) -> Option<&mut Source> {
        Some(&mut self.usart.clock)
    }
}

impl Block<Words> for UsartV1 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.usart.bank.read(offset, env);
        match offset {
            SR => self.seen = value,
            DR => {
                // A read of SR and then of DR clears these; a read of DR alone clears RXNE (RM0390, USART_SR).
                self.usart.bank.flag(SR, RXNE | (self.seen & (PE | FE | NE | ORE | IDLE)), false);
                self.seen = 0;
                self.settle(env);
            }
            _ => {}
        }
        value
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            // RXNE, TC, LBD and CTS are cleared by writing 0; the others are read-only (RM0390, USART_SR).
            SR => self.usart.bank.flag(SR, write.zeros() & (RXNE | TC), false),
            DR => {
                self.port_mut().put((write.ones() & 0x1FF) as u16, 1);
                // A read of SR and then a write to DR clears TC.
                self.usart.bank.flag(SR, self.seen & TC, false);
                self.seen &= !TC;
                self.transmit(env);
            }
            _ => {
                let (old, new) = self.usart.bank.write(offset, write, env);
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
        self.seen = 0;
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
