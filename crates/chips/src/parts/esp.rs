//! ESP8266 and ESP32, with programs in internal RAM.

use std::borrow::Cow;

use cyclescope_machine::Pin;
use cyclescope_machine::units::{Address, Bytes, Hertz};

use crate::families::{ESP32 as FAMILY_32, ESP8266 as FAMILY_8266};
use crate::generated::{esp32, esp8266};
use crate::part::{Board, Core, OtherRam, Part, Region, Soc, Xtensa, XtensaModel};

const fn region(base: u32, bytes: u64) -> Region {
    Region { base: Address::new(base), bytes: Bytes::new(bytes) }
}

/// A RAM of its own.
const fn ram(base: u32, kib: u64) -> OtherRam {
    OtherRam { region: region(base, kib << 10), of_main: None }
}

/// The low-speed oscillator of both, which is not exact on silicon.
const SLOW: Hertz = Hertz::new(150_000);

/// The ESP8266 on a module with a crystal of 26 MHz.
pub(crate) static ESP8266: Part = Part {
    name: Cow::Borrowed("esp8266"),
    description: Cow::Borrowed("Espressif ESP8266 (LX106): code and data in RAM, 32 and 80 KiB, 80 or 160 MHz"),
    core: Core::Xtensa(Xtensa {
        model: XtensaModel::Lx106,
        // The vendor's ROM ends with a jump to the image's entry; the stack is where the program puts it.
        code: region(0x4010_0000, 48 << 10),
        soc: Soc {
            family: &FAMILY_8266,
            sectors: Cow::Borrowed(&[]),
            device_id: 0,
            factory: Cow::Borrowed(&[]),
            full_usarts: &[],
            oscillators: (Hertz::new(26_000_000), SLOW),
            peripherals: esp8266::PERIPHERALS,
            left_out: Cow::Borrowed(&[]),
            routes: &[],
            boot: None,
        },
    }),
    clock: Hertz::new(160_000_000),
    flash: region(0, 0),
    // Data RAM; behind it 16 KiB that the vendor's ROM and system use.
    ram: region(0x3FFE_8000, 80 << 10),
    // 32 KiB of instruction RAM, and 16 that the cache has unless a program leaves it off.
    other_rams: Cow::Borrowed(&[ram(0x3FFF_C000, 16), ram(0x4010_0000, 48)]),
    // `ets_sys.h` of ESP8266_RTOS_SDK.
    interrupts: &[
        (1, "SLC"),
        (2, "SPI"),
        (3, "RTC"),
        (4, "GPIO"),
        (5, "UART"),
        (6, "CCOMPARE"),
        (7, "SOFT"),
        (8, "WDT"),
        (9, "FRC1"),
        (10, "FRC2"),
        (14, "NMI"),
    ],
    // GPIO6 to GPIO11 go to the flash.
    bonded: &[(Pin::GPIO, 0x1_F03F)],
    board: Board {
        name: Cow::Borrowed("ESP-12F module"),
        hse: Some(Hertz::new(26_000_000)),
        lse: None,
        levels: Cow::Borrowed(&[]),
    },
    base: None,
};

/// The first core of an ESP32 on a module with a crystal of 40 MHz.
pub(crate) static ESP32: Part = Part {
    name: Cow::Borrowed("esp32"),
    description: Cow::Borrowed("Espressif ESP32 (LX6, one core): code and data in RAM, 128 and 328 KiB, 240 MHz"),
    core: Core::Xtensa(Xtensa {
        model: XtensaModel::Lx6,
        code: region(0x4008_0000, 128 << 10),
        soc: Soc {
            family: &FAMILY_32,
            sectors: Cow::Borrowed(&[]),
            device_id: 0,
            factory: Cow::Borrowed(&[]),
            full_usarts: &[],
            oscillators: (Hertz::new(8_000_000), SLOW),
            peripherals: esp32::PERIPHERALS,
            left_out: Cow::Borrowed(&[]),
            routes: &[],
            boot: None,
        },
    }),
    clock: Hertz::new(240_000_000),
    flash: region(0, 0),
    // SRAM 2 and SRAM 1 on the data bus (TRM, "System and Memory", "Internal Memory").
    ram: region(0x3FFA_E000, 328 << 10),
    // SRAM 0 behind the caches' part; RTC FAST on both buses is one memory, of which the data bus has the first address.
    other_rams: Cow::Borrowed(&[ram(0x3FF8_0000, 8), ram(0x4008_0000, 128), ram(0x5000_0000, 8)]),
    // TRM, "Interrupt Matrix", "CPU Interrupts": peripherals have the numbers that the program connects.
    interrupts: &[
        (0, "interrupt 0"),
        (1, "interrupt 1"),
        (2, "interrupt 2"),
        (3, "interrupt 3"),
        (4, "interrupt 4"),
        (5, "interrupt 5"),
        (6, "timer 0"),
        (7, "software 0"),
        (8, "interrupt 8"),
        (9, "interrupt 9"),
        (10, "interrupt 10"),
        (11, "profiling"),
        (12, "interrupt 12"),
        (13, "interrupt 13"),
        (14, "NMI"),
        (15, "timer 1"),
        (16, "timer 2"),
        (17, "interrupt 17"),
        (18, "interrupt 18"),
        (19, "interrupt 19"),
        (20, "interrupt 20"),
        (21, "interrupt 21"),
        (22, "interrupt 22"),
        (23, "interrupt 23"),
        (24, "interrupt 24"),
        (25, "interrupt 25"),
        (26, "interrupt 26"),
        (27, "interrupt 27"),
        (28, "interrupt 28"),
        (29, "software 1"),
        (30, "interrupt 30"),
        (31, "interrupt 31"),
    ],
    // GPIO6 to GPIO11 go to the flash; 20, 24 and 28 to 31 are not there. GPIO32 and up are not modelled.
    bonded: &[(Pin::GPIO, 0x0EEF_F03F)],
    board: Board {
        name: Cow::Borrowed("ESP32-WROOM-32 module"),
        hse: Some(Hertz::new(40_000_000)),
        lse: None,
        levels: Cow::Borrowed(&[]),
    },
    base: None,
};
