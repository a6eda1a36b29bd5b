//! ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use cyclescope_peripherals::esp::{generated8266 as generated, pins_of};
use cyclescope_peripherals::{BusClock, Instance, Map, SignalLine};

/// The block `name` at `address`, whose registers are `map`.
const fn block(name: &'static str, address: u32, map: &'static Map, interrupts: &'static [SignalLine]) -> Instance {
    Instance {
        name,
        address,
        map,
        clock: BusClock::Apb1,
        enable: None,
        reset: None,
        interrupts,
        requests: &[],
        triggers: &[],
        remap: None,
        pins: pins_of(map, name),
    }
}

/// The block's signal `signal` is the source `line` of the part's interrupts.
const fn line(signal: &'static str, line: u8) -> SignalLine {
    SignalLine { signal, line }
}

/// The peripherals, by address.
pub(crate) const PERIPHERALS: &[Instance] = &[
    block("DPORT", 0x3ff00000, &generated::dport::MAP, &[]),
    block("EFUSE", 0x3ff00050, &generated::efuse::MAP, &[]),
    block("RNG", 0x3ff20e44, &generated::rng::MAP, &[]),
    block("UART0", 0x60000000, &generated::uart0::MAP, &[line("UART", 5)]),
    block("SPI1", 0x60000100, &generated::spi1::MAP, &[line("SPI", 2)]),
    block("SPI0", 0x60000200, &generated::spi1::MAP, &[line("SPI", 2)]),
    block("GPIO", 0x60000300, &generated::gpio::MAP, &[line("GPIO", 4)]),
    block("TIMER", 0x60000600, &generated::timer::MAP, &[line("FRC1", 9), line("FRC2", 10)]),
    block("RTC", 0x60000700, &generated::rtc::MAP, &[line("RTC", 3)]),
    block("IO_MUX", 0x60000800, &generated::io_mux::MAP, &[]),
    block("WDT", 0x60000900, &generated::wdt::MAP, &[line("WDT", 8)]),
    block("SLC", 0x60000b00, &generated::slc::MAP, &[line("SLC", 1)]),
    block("RTCCNTL", 0x60000d00, &generated::rtccntl::MAP, &[]),
    block("I2S", 0x60000e00, &generated::i2s::MAP, &[]),
    block("UART1", 0x60000f00, &generated::uart0::MAP, &[line("UART", 5)]),
];
