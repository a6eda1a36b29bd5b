//! The pins of blocks: on the ESP8266 by the pads' functions, on the ESP32 by these and by the matrix of signals.

use cyclescope_machine::Pin;

use crate::{AlternateFunction, Map};

/// Functions from this number on are signals of the ESP32's matrix.
pub(super) const MATRIX: u8 = 32;

const fn pad(signal: &'static str, pin: u8, function: u8) -> AlternateFunction {
    AlternateFunction { signal, port: Pin::GPIO, pin, function }
}

/// UART0 and UART1 of the ESP8266 (ESP8266 Technical Reference, "UART"; `pin_mux_register.h`). The pins that IOSWAP gives to UART0
/// instead are not among them.
const UART0_8266: &[AlternateFunction] =
    &[pad("TX", 1, 0), pad("RX", 3, 0), pad("TX", 2, 4), pad("RTS", 15, 4), pad("CTS", 13, 4)];
const UART1_8266: &[AlternateFunction] = &[pad("TX", 2, 2), pad("RX", 8, 4), pad("TX", 7, 4)];

/// Pins of the port.
const PINS: usize = 32;
/// Signals of a UART.
const SIGNALS: usize = 4;

/// The pins of a UART of the ESP32: each through the matrix, whose signals are `data` and `flow`, and `direct` as functions of pads
/// (TRM, "Peripheral Signal List" and "IO_MUX Pad List").
const fn uart(data: u8, flow: u8, direct: [AlternateFunction; SIGNALS]) -> [AlternateFunction; SIGNALS * (PINS + 1)] {
    let names = ["TX", "RX", "RTS", "CTS"];
    let mut pins = [direct[0]; SIGNALS * (PINS + 1)];
    let mut signal = 0;
    while signal < SIGNALS {
        pins[signal] = direct[signal];
        let mut pin = 0;
        while pin < PINS {
            let number = if signal < 2 { data } else { flow };
            pins[SIGNALS + signal * PINS + pin] = pad(names[signal], pin as u8, MATRIX + number);
            pin += 1;
        }
        signal += 1;
    }
    pins
}

static UART0_32: [AlternateFunction; SIGNALS * (PINS + 1)] =
    uart(14, 15, [pad("TX", 1, 0), pad("RX", 3, 0), pad("RTS", 22, 3), pad("CTS", 19, 3)]);
static UART1_32: [AlternateFunction; SIGNALS * (PINS + 1)] =
    uart(17, 18, [pad("TX", 10, 4), pad("RX", 9, 4), pad("RTS", 11, 4), pad("CTS", 6, 4)]);
static UART2_32: [AlternateFunction; SIGNALS * (PINS + 1)] =
    uart(198, 199, [pad("TX", 17, 4), pad("RX", 16, 4), pad("RTS", 7, 4), pad("CTS", 8, 4)]);

/// Returns the pins of the block `name` with the registers `map`.
pub const fn pins_of(map: &'static Map, name: &'static str) -> &'static [AlternateFunction] {
    let (kind, version, name) = (map.kind.as_bytes(), map.version.as_bytes(), name.as_bytes());
    if kind.len() != 4 || kind[0] != b'u' || kind[1] != b'a' {
        return &[];
    }
    match (version.len(), name[name.len() - 1]) {
        (7, b'0') => UART0_8266,
        (7, _) => UART1_8266,
        (_, b'0') => &UART0_32,
        (_, b'1') => &UART1_32,
        _ => &UART2_32,
    }
}
