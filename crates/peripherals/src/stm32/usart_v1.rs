//! USART of STM32F1, F2 and F4, with one status and one data register (RM0390, "Universal synchronous asynchronous
//! receiver transmitter (USART)"; RM0008, the same chapter): asynchronous mode with exact frame lengths.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.
//! LIN, IrDA and smartcards are in `usart_modes.rs`. Not modelled, and counted when switched on: synchronous and mute mode.

use cyclescope_machine::TimingRow;

use super::usart::{self, CTSIF, DMAR, EIE, FE, IDLE, NE, ORE, OVER8, PE, RXNE, TC, TXE, Usart, Version};
use super::usart_modes::{BREAK_SEEN, IRDA, LBD};
use crate::bank::{all, some};
use crate::serial::Registers;
use crate::{Env, Instance, Instant, Modelled, Write};

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
    some("SR", TC | TXE, &["PE", "FE", "NE", "ORE", "IDLE", "RXNE", "TC", "TXE", "CTS", "LBD"]),
    all("DR", 0),
    all("BRR", 0),
    some(
        "CR1",
        0,
        &["SBK", "RE", "TE", "IDLEIE", "RXNEIE", "TCIE", "TXEIE", "PEIE", "PS", "PCE", "WAKE", "M0", "UE", "OVER8"],
    ),
    some("CR2", 0, &["STOP", "ADD", "LBDL", "LBDIE", "LINEN", "CLKEN"]),
    // No card answers with NACK, and none sends a false parity.
    some("CR3", 0, &["EIE", "HDSEL", "DMAR", "DMAT", "RTSE", "CTSE", "CTSIE", "ONEBIT", "IREN", "IRLP", "SCEN"])
        .unseen(&["NACK"]),
    all("GTPR", 0),
];

/// The timing that does not follow from the baud rate.
pub const ROWS: &[TimingRow] = &[
    usart::start(
        "from a write to DR with an idle transmitter to the start bit, in periods of the baud rate's clock",
        "RM0390 gives no figure; the transmitter waits for its next baud tick, less than one bit",
    ),
    usart::received("RM0390: the frame is transferred during the stop bit; no exact point given"),
    IRDA,
    BREAK_SEEN,
];

/// The version, with the flags that a read of SR has shown: a read or write of DR then clears them.
#[derive(Clone, Debug)]
pub struct V1 {
    seen: u32,
}

/// One serial port.
pub type UsartV1 = Usart<V1>;

impl UsartV1 {
    /// The port `instance`, clocked by its bus.
    pub fn new(instance: &Instance) -> Self {
        Self::with(instance, V1 { seen: 0 })
    }
}

impl Version for V1 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const CR: [u32; 3] = [CR1, CR2, CR3];
    const STATUS: u32 = SR;
    const UE: u32 = UE;
    const SBK: u32 = 1;
    const GTPR: u32 = 0x18;
    const HELD_WHILE_OFF: bool = false;

    fn word(cr1: u32) -> u32 {
        if cr1 & M != 0 { 9 } else { 8 }
    }

    /// RM0390, "Fractional baud rate generation". By 16: sixteenths of USARTDIV are clocks. By 8: the fraction has three bits,
    /// and a bit lasts eight USARTDIV.
    fn ticks(usart: &UsartV1) -> u64 {
        let brr = usart.get(BRR);
        u64::from(if usart.cr1() & OVER8 != 0 { (brr >> 4) * 8 + (brr & 7) } else { brr })
    }

    fn is_empty(usart: &UsartV1) -> bool {
        usart.get(SR) & RXNE == 0
    }

    fn arrived(usart: &mut UsartV1, byte: u8) {
        if usart.get(SR) & RXNE != 0 {
            // The shift register is overwritten, what DR holds is not lost (RM0390, "Overrun error").
            usart.bank.flag(SR, ORE, true);
        } else {
            let data = u16::from(byte) & usart.format().mask();
            usart.bank.set(DR, data.into());
            usart.bank.flag(SR, RXNE, true);
        }
    }

    fn follow(usart: &mut UsartV1) {
        let empty = usart.port.to_send.is_empty();
        usart.bank.flag(SR, TXE, empty);
    }

    /// Errors have their interrupt only with DMA.
    fn wants(_: u32, cr3: u32) -> impl IntoIterator<Item = (u32, u32)> {
        [(if cr3 & DMAR != 0 { cr3 & EIE } else { 0 }, FE | NE | ORE)]
    }

    fn read(usart: &mut UsartV1, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = usart.bank.read(offset, env);
        match offset {
            SR => usart.own.seen = value,
            DR => {
                // A read of SR and then of DR clears these; a read of DR alone clears RXNE (RM0390, USART_SR).
                usart.bank.flag(SR, RXNE | (usart.own.seen & (PE | FE | NE | ORE | IDLE)), false);
                usart.own.seen = 0;
                usart.settle(env);
            }
            _ => {}
        }
        value
    }

    fn still(usart: &UsartV1, offset: u32) -> Option<Instant> {
        match offset {
            // The flags that a read of SR and then of DR clears are those that it showed.
            SR => (usart.own.seen == usart.bank.get(SR)).then_some(Instant::NEVER),
            DR => None,
            _ => usart.bank.still(offset),
        }
    }

    fn write(usart: &mut UsartV1, offset: u32, write: Write, env: &mut Env<'_, '_>) -> bool {
        match offset {
            // RXNE, TC, LBD and CTS are cleared by writing 0; the others are read-only (RM0390, USART_SR).
            SR => usart.bank.flag(SR, write.zeros() & (RXNE | TC | CTSIF | LBD), false),
            DR => {
                usart.port.put((write.ones() & 0x1FF) as u16, 1);
                // A read of SR and then a write to DR clears TC.
                usart.bank.flag(SR, usart.own.seen & TC, false);
                usart.own.seen &= !TC;
                usart.transmit(env);
            }
            _ => return false,
        }
        true
    }

    fn reset(&mut self) {
        self.seen = 0;
    }
}
