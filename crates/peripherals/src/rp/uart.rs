//! Serial ports (RP-008371-DS, "UART"): Arm's PL011 ([`pl011`](crate::pl011)) with FIFOs of 32 characters, clocked by clk_peri.
//!
//! Of a modem's lines CTS and RTS have pins.

use cyclescope_machine::TimingRow;

use super::registers::{bank, ones};
use crate::bank::{but, some};
use crate::pl011::{Form, Pl011};
use crate::{Instance, Modelled, Source};

/// The registers that are modelled in part: all but IrDA.
pub const PARTLY: &[Modelled] = &[some("UARTILPR", 0, &[]), but("UARTCR", 0, &["SIREN", "SIRLP"])];

/// The timing that does not follow from the baud rate.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "uart.start",
    "from a write of UARTDR with an idle transmitter to the start bit, in periods of clk_peri",
    0,
    "DDI 0183G gives no figure; the transmitter waits for its next baud tick, less than a sixteenth of a bit",
)];

static FORM: Form =
    Form { fifo: 32, clock: Source::Pclk, has_modem: true, sends_while_off: false, cleared: ones, row: &ROWS[0] };

/// The port `instance` after reset.
pub fn new(instance: &Instance) -> Pl011 {
    Pl011::new(instance, bank(instance.map, PARTLY), &FORM)
}
