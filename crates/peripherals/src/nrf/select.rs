//! Pins that peripherals choose by their registers PSEL (nRF52840 PS, "Peripheral interface"): any signal may have any pin.

use cyclescope_machine::Pin;

use crate::{AlternateFunction, Effect, Env, Map};

/// P0.00 to P0.31, P1.00 to P1.15.
const PINS: usize = 48;

/// CONNECT, which disconnects.
const DISCONNECTED: u32 = 1 << 31;

/// The signals of serial ports.
const UARTE: [&str; 4] = ["TX", "RX", "CTS", "RTS"];
/// The signals of the two-wire interfaces and SPIs at one address.
const TWISPI: [&str; 6] = ["SCL", "SDA", "SCK", "MOSI", "MISO", "CSN"];
/// The signals of SPI2.
const SPI: [&str; 4] = ["SCK", "MOSI", "MISO", "CSN"];
/// The signals of SPIM3.
const SPIM: [&str; 5] = ["SCK", "MOSI", "MISO", "CSN", "DCX"];

static UARTE_PINS: [AlternateFunction; UARTE.len() * PINS] = every(&UARTE);
static TWISPI_PINS: [AlternateFunction; TWISPI.len() * PINS] = every(&TWISPI);
static SPI_PINS: [AlternateFunction; SPI.len() * PINS] = every(&SPI);
static SPIM_PINS: [AlternateFunction; SPIM.len() * PINS] = every(&SPIM);

/// Each of `signals` at each pin.
const fn every<const N: usize>(signals: &[&'static str]) -> [AlternateFunction; N] {
    let mut all = [AlternateFunction { signal: "", port: 0, pin: 0, function: AlternateFunction::CHOSEN }; N];
    let mut index = 0;
    while index < N {
        let pin = (index % PINS) as u8;
        all[index].signal = signals[index / PINS];
        (all[index].port, all[index].pin) = (Pin::NUMBERED + pin / 32, pin % 32);
        index += 1;
    }
    all
}

/// Returns the pins that the peripheral with the registers `map` may choose.
pub const fn pins_of(map: &Map) -> &'static [AlternateFunction] {
    match map.kind.as_bytes() {
        b"uarte" => &UARTE_PINS,
        b"twispi" => &TWISPI_PINS,
        b"spi" => &SPI_PINS,
        b"spim" => &SPIM_PINS,
        _ => &[],
    }
}

/// Tells if `name` is that of an interface in the block `block`: of TWIM0, SPIS0 and others in TWISPI0, and I2C0 for the first.
pub fn is_interface_of(block: &str, name: &str) -> bool {
    let split = |name: &'_ str| name.bytes().last().map(|number| (name.len() - 1, number));
    let (Some((of_block, one)), Some((of_name, other))) = (split(block), split(name)) else { return false };
    let kinds: &[&str] = match &block[..of_block] {
        "TWISPI" => &["TWI", "TWIM", "TWIS", "I2C", "SPI", "SPIM", "SPIS"],
        "SPI" | "SPIM" => &["SPI", "SPIM", "SPIS"],
        "UARTE" => &["UART"],
        _ => &[],
    };
    one == other && name.get(..of_name).is_some_and(|kind| kinds.contains(&kind))
}

/// The pin that a register PSEL with the value `psel` connects, if the part has it.
pub(super) fn connected(psel: u32) -> Option<Pin> {
    let (port, number) = ((psel >> 5 & 1) as u8, (psel & 31) as u8);
    (psel & DISCONNECTED == 0 && (port == 0 || number < 16)).then_some(Pin::numbered(port, number))
}

/// Hands the pins over anew, once the choice of some has changed.
pub(super) fn switch(env: &mut Env<'_, '_>) {
    for port in 0..2 {
        env.effect(Effect::PinsSwitched { port: Pin::numbered(port, 0).port });
    }
}
