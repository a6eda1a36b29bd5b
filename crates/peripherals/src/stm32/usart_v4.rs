//! USART with optional FIFOs, as on STM32C0, G0, G4 and L4+ (RM0490, "Universal synchronous receiver transmitter
//! (USART)"), the USART of STM32L4 without them (RM0351, the same chapter), and the LPUART of these (RM0444, "Low-power universal
//! asynchronous receiver transmitter (LPUART)"), whose bits last a 256th of what BRR says: asynchronous mode with exact frame
//! lengths.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.
//! LIN, IrDA, smartcards and the driver's enable of RS485 are in `usart_modes.rs`. Not modelled, and counted when switched on:
//! synchronous mode, auto baud rate, receiver timeout with the block length of smartcards, and mute mode.

use cyclescope_machine::TimingRow;

use super::usart::{self, EIE, FE, IDLE, NE, ORE, OVER8, PE, RXNE, TC, TXE, Usart, Version};
use super::usart_modes::{BREAK_SEEN, IRDA};
use crate::bank::{all, but, some};
use crate::serial::Registers;
use crate::{Env, Instance, Instant, Modelled, Span, Write};

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
const CTS: u32 = 1 << 10;
const CMF: u32 = 1 << 17;
const SBKF: u32 = 1 << 18;
const TEACK: u32 = 1 << 21;
const REACK: u32 = 1 << 22;
const TXFE: u32 = 1 << 23;
const RXFF: u32 = 1 << 24;
const RXFT: u32 = 1 << 26;
const TXFT: u32 = 1 << 27;

const OVRDIS: u32 = 1 << 12;
const DEM: u32 = 1 << 14;

/// Entries of each FIFO (RM0490, "USART implementation").
const FIFO: usize = 8;

/// The modelled registers and fields, with the values after reset (RM0490, "USART register map").
pub const MODEL: &[Modelled] = &[
    but("CR1", 0, &["UESM", "WAKE", "MME", "RTOIE", "EOBIE"]),
    some("CR2", 0, &["STOP", "ADD", "ADDM", "LBDL", "LBDIE", "LINEN", "CLKEN"]),
    // No card answers with NACK, which would have a character repeated, and none sends a false parity.
    some(
        "CR3",
        0,
        &[
            "EIE", "HDSEL", "DMAR", "DMAT", "RTSE", "CTSE", "CTSIE", "OVRDIS", "DDRE", "ONEBIT", "TXFTIE", "RXFTCFG",
            "RXFTIE", "TXFTCFG", "IREN", "IRLP", "SCEN", "DEM", "DEP",
        ],
    )
    .unseen(&["NACK", "SCARCNT"]),
    all("GTPR", 0),
    all("BRR", 0),
    some("RQR", 0, &["SBKRQ", "RXFRQ", "TXFRQ"]),
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
    IRDA,
    BREAK_SEEN,
];

/// The version.
#[derive(Clone, Debug)]
pub struct V4 {
    /// It has FIFOs (RM0490, "USART implementation": full and basic features).
    full: bool,
    /// It is an LPUART.
    low_power: bool,
}

/// One serial port.
pub type UsartV4 = Usart<V4>;

impl UsartV4 {
    /// Returns the port `instance`, clocked by its bus; `full` tells if it has FIFOs.
    pub fn new(instance: &Instance, full: bool) -> Self {
        let low_power = instance.name.starts_with("LP");
        // RM0444, RM0440 and RM0432, "LPUART implementation": with FIFOs; RM0351: without.
        let full = full || low_power && instance.map.version == "v4";
        Self::with(instance, V4 { full, low_power })
    }

    fn fifo(&self) -> bool {
        self.own.full && self.cr1() & FIFOEN != 0
    }

    fn depth(&self) -> usize {
        if self.fifo() { FIFO } else { 1 }
    }
}

/// The fill that TXFTCFG or RXFTCFG means, of eight (RM0490, CR3: 1/8, 1/4, 1/2, 3/4, 7/8, all).
fn threshold(code: u32) -> usize {
    [1, 2, 4, 6, 7, 8, 8, 8][(code & 7) as usize]
}

impl Version for V4 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const CR: [u32; 3] = [CR1, CR2, CR3];
    const STATUS: u32 = ISR;
    const UE: u32 = UE;
    const HELD_WHILE_OFF: bool = true;
    const BREAK_STOP: Option<u64> = Some(4);
    const GTPR: u32 = 0x10;

    /// RM0490, USART_CR1.DEAT, DEDT: in sample times, sixteenths of a bit or with OVER8 eighths; RM0444, LPUART_CR1: in periods of
    /// its clock.
    fn driver_times(usart: &UsartV4, period: Span) -> Option<[Span; 2]> {
        let cr1 = usart.cr1();
        let samples = |count: u32| match usart.own.low_power {
            true => period.times(count.into()),
            false => {
                let in_bit = if cr1 & OVER8 != 0 { 8 } else { 16 };
                Self::bit(usart, period).times(count.into()).rescaled(period.times(in_bit), period)
            }
        };
        (usart.get(CR3) & DEM != 0).then(|| [cr1 >> 21 & 31, cr1 >> 16 & 31].map(samples))
    }

    fn word(cr1: u32) -> u32 {
        match cr1 & (1 << 28 | 1 << 12) {
            0 => 8,
            0x1000 => 9,
            _ => 7,
        }
    }

    /// RM0490, "USART baud rate generation". By 8: bits 2 to 0 of BRR hold bits 3 to 0 of USARTDIV, shifted right; a bit lasts USARTDIV / 2.
    fn ticks(usart: &UsartV4) -> u64 {
        const PRESCALERS: [u64; 16] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256, 256, 256, 256, 256];
        let brr = usart.get(BRR);
        let ticks = if usart.cr1() & OVER8 != 0 { ((brr & 0xFFF0) | (brr & 7) << 1) / 2 } else { brr };
        PRESCALERS[(usart.get(PRESC) & 15) as usize] * u64::from(ticks)
    }

    fn is_full(usart: &UsartV4) -> bool {
        usart.port.received.len() >= usart.depth()
    }

    /// RM0444, "LPUART baud rate generation": the rate is 256 times the clock, divided by BRR.
    fn bit(usart: &UsartV4, period: Span) -> Span {
        let bit = period.times(Self::ticks(usart));
        if usart.own.low_power { bit.rescaled(period.times(256), period) } else { bit }
    }

    fn arrived(usart: &mut UsartV4, byte: u8) {
        let (data, depth) = (byte & usart.format().mask() as u8, usart.depth());
        if !usart.port.take(data, depth) {
            if usart.get(CR3) & OVRDIS != 0 {
                // Overrun disabled: the new data takes the old one's place.
                usart.port.received.pop_back();
                usart.port.received.push_back(data);
            } else {
                usart.bank.flag(ISR, ORE, true);
            }
        }
        if u32::from(byte) == usart.get(CR2) >> 24 {
            usart.bank.flag(ISR, CMF, true);
        }
    }

    fn follow(usart: &mut UsartV4) {
        let (depth, fifo, cr3) = (usart.depth(), usart.fifo(), usart.get(CR3));
        let (waiting, received) = (usart.port.to_send.len(), usart.port.received.len());
        let follow = [
            (TXE, waiting < depth),
            (RXNE, received != 0),
            (TEACK, usart.sends()),
            (REACK, usart.receives()),
            (BUSY, usart.port.is_receiving()),
            (CTS, usart.is_clear_to_send()),
            (SBKF, usart.is_breaking()),
            (TXFE, fifo && waiting == 0),
            (RXFF, fifo && received == depth),
            (RXFT, fifo && received >= threshold(cr3 >> 25)),
            (TXFT, fifo && depth - waiting.min(depth) >= threshold(cr3 >> 29)),
        ];
        usart.bank.flags(ISR, &follow);
    }

    fn wants(cr1: u32, cr3: u32) -> impl IntoIterator<Item = (u32, u32)> {
        [
            (cr1 & 1 << 14, CMF),
            (cr1 & 1 << 30, TXFE),
            (cr1 & 1 << 31, RXFF),
            (cr3 & EIE, FE | NE | ORE),
            (cr3 & 1 << 28, RXFT),
            (cr3 & 1 << 23, TXFT),
        ]
    }

    /// RM0490, "USART implementation": what is there for the FIFOs.
    fn reserved(&self) -> u32 {
        if self.full { 0 } else { FIFO_BITS }
    }

    fn read(usart: &mut UsartV4, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != RDR {
            return usart.bank.read(offset, env);
        }
        if let Some(data) = usart.port.received.pop_front() {
            usart.bank.set(RDR, data.into());
            usart.settle(env);
        }
        usart.get(RDR)
    }

    fn still(usart: &UsartV4, offset: u32) -> Option<Instant> {
        if offset == RDR { None } else { usart.bank.still(offset) }
    }

    fn write(usart: &mut UsartV4, offset: u32, write: Write, env: &mut Env<'_, '_>) -> bool {
        match offset {
            TDR => {
                // Written while full: without FIFO the data is overwritten.
                let depth = usart.depth();
                usart.port.put((write.ones() & 0x1FF) as u16, depth);
                usart.bank.flag(ISR, TC, false);
                usart.transmit(env);
            }
            // The LPUART's BRR has twenty bits, of which the declared register, which is the USART's, has sixteen.
            BRR if usart.own.low_power => {
                let brr = write.over(usart.get(BRR)) & 0xF_FFFF;
                usart.bank.set(BRR, brr);
            }
            ICR => {
                let flags = PE | FE | NE | ORE | IDLE | TC | CMF | 1 << 8 | 1 << 9;
                usart.bank.flag(ISR, write.ones() & flags, false);
            }
            RQR => {
                usart.bank.write(RQR, write, env);
                if write.ones() & 1 << 1 != 0 {
                    usart.ask_break(env);
                }
                if write.ones() & 1 << 3 != 0 {
                    usart.port.received.clear();
                }
                if write.ones() & 1 << 4 != 0 {
                    usart.port.to_send.clear();
                }
            }
            _ => return false,
        }
        true
    }
}
