//! UART of the LM3S6965 (LM3S6965 data sheet, "Universal Asynchronous Receivers/Transmitters (UARTs)"): Arm's PL011
//! ([`pl011`](crate::pl011)) without a modem's lines.
//!
//! Programs made for emulators often write the data register of a UART that they never switched on; such a byte goes
//! out at once, and is named. The system's clock is the part's own and constant: what firmware writes to RCC is stored and named.

use cyclescope_machine::TimingRow;

use crate::bank::{all, some};
use crate::pl011::{Form, Pl011};
use crate::register::Access::{ReadOnly, ReadWrite, WriteOnly};
use crate::register::word;
use crate::{Bank, Field, Instance, Map, Modelled, Source, Write};

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
    all("LCRH", 0),
    some("CTL", 0x300, &["UARTEN", "LBE", "TXE", "RXE"]),
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

static FORM: Form = Form {
    fifo: 16,
    clock: Source::Hclk,
    has_modem: false,
    sends_while_off: true,
    cleared: Write::ones,
    row: &ROWS[0],
};

/// The port `instance` after reset.
pub fn new(instance: &Instance) -> Pl011 {
    Pl011::new(instance, Bank::new(instance.map, UART), &FORM)
}
