//! Facts about the RP2040 that its description lacks, from its data sheet (RP-008371-DS).

/// Described but no blocks on a bus: the core's own registers, the memory of the USB device, and lines without a register.
pub const ABSENT: &[&str] = &["PPB", "USB_DPRAM", "SWI_IRQ"];

/// Interrupt lines that no block drives ("Interrupts").
pub const SPARE: std::ops::RangeInclusive<u32> = 26..=31;

/// Returns the kind of block that a block called `name` is: blocks of one design have one kind.
pub fn kind(name: &str) -> String {
    match name {
        "PLL_SYS" | "PLL_USB" => "pll".to_owned(),
        "IO_BANK0" | "PADS_BANK0" => name.trim_end_matches('0').to_lowercase(),
        _ => name.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase(),
    }
}

/// Returns the bit of RESETS that holds the block in reset, if there is one ("Subsystem Resets").
pub fn reset_bit(name: &str) -> Option<u32> {
    const RESETS: &[&str] = &[
        "ADC", "BUSCTRL", "DMA", "I2C0", "I2C1", "IO_BANK0", "IO_QSPI", "JTAG", "PADS_BANK0", "PADS_QSPI", "PIO0", "PIO1",
        "PLL_SYS", "PLL_USB", "PWM", "RTC", "SPI0", "SPI1", "SYSCFG", "SYSINFO", "TBMAN", "TIMER", "UART0", "UART1", "USB",
    ];
    RESETS.iter().position(|known| *known == name).map(|bit| bit as u32)
}

/// Returns the clock that a block counts: those on the APB count the system clock but for these ("Clocks", table of clock
/// generators).
pub fn clock(name: &str) -> &'static str {
    match name {
        "UART0" | "UART1" | "SPI0" | "SPI1" => "Apb1",
        _ => "Ahb",
    }
}

/// Returns the DMA requests of a block by the name of the signal and the number ("DREQ Table").
pub fn requests(name: &str) -> Vec<(String, u32)> {
    let pair = |first| vec![("TX".to_owned(), first), ("RX".to_owned(), first + 1)];
    match name {
        "PIO0" | "PIO1" => {
            let first = if name == "PIO0" { 0 } else { 8 };
            let tx = (0..4).map(|machine| (format!("TX{machine}"), first + machine));
            tx.chain((0..4).map(|machine| (format!("RX{machine}"), first + 4 + machine))).collect()
        }
        "SPI0" => pair(16),
        "SPI1" => pair(18),
        "UART0" => pair(20),
        "UART1" => pair(22),
        "PWM" => (0..8).map(|slice| (format!("WRAP{slice}"), 24 + slice)).collect(),
        "I2C0" => pair(32),
        "I2C1" => pair(34),
        "ADC" => vec![("ADC".to_owned(), 36)],
        "XIP_CTRL" => vec![("STREAM".to_owned(), 37)],
        "SSI" => vec![("TX".to_owned(), 38), ("RX".to_owned(), 39)],
        _ => Vec::new(),
    }
}

/// Returns the signals of a block at pins: signal, pin, function ("GPIO", "Function Select"). The data lines of SPI have the names
/// that they have for a controller: TX is MOSI, RX is MISO.
pub fn pins(name: &str) -> Vec<(&'static str, u32, u32)> {
    let unit = u32::from(name.ends_with('1'));
    let cycle = |signals: [&'static str; 4], function: u32, of: &dyn Fn(u32) -> u32| {
        (0..30).filter(|pin| of(*pin) == unit).map(|pin| (signals[pin as usize % 4], pin, function)).collect::<Vec<_>>()
    };
    match name {
        "SPI0" | "SPI1" => cycle(["MISO", "CSN", "SCK", "MOSI"], 1, &|pin| pin / 8 % 2),
        "UART0" | "UART1" => cycle(["TX", "RX", "CTS", "RTS"], 2, &|pin| (pin + 4) / 8 % 2),
        "I2C0" | "I2C1" => cycle(["SDA", "SCL", "SDA", "SCL"], 3, &|pin| pin / 2 % 2),
        "PWM" => {
            const SIGNALS: [&str; 16] =
                ["A0", "B0", "A1", "B1", "A2", "B2", "A3", "B3", "A4", "B4", "A5", "B5", "A6", "B6", "A7", "B7"];
            (0..30).map(|pin| (SIGNALS[pin as usize % 16], pin, 4)).collect()
        }
        "PIO0" | "PIO1" => {
            const SIGNALS: [&str; 30] = [
                "GPIO0", "GPIO1", "GPIO2", "GPIO3", "GPIO4", "GPIO5", "GPIO6", "GPIO7", "GPIO8", "GPIO9", "GPIO10", "GPIO11",
                "GPIO12", "GPIO13", "GPIO14", "GPIO15", "GPIO16", "GPIO17", "GPIO18", "GPIO19", "GPIO20", "GPIO21", "GPIO22",
                "GPIO23", "GPIO24", "GPIO25", "GPIO26", "GPIO27", "GPIO28", "GPIO29",
            ];
            SIGNALS.into_iter().zip(0..).map(|(signal, pin)| (signal, pin, 6 + unit)).collect()
        }
        "CLOCKS" => vec![
            ("GPIN0", 20, 8),
            ("GPOUT0", 21, 8),
            ("GPIN1", 22, 8),
            ("GPOUT1", 23, 8),
            ("GPOUT2", 24, 8),
            ("GPOUT3", 25, 8),
        ],
        "USB" => {
            const SIGNALS: [&str; 3] = ["OVCUR_DET", "VBUS_DET", "VBUS_EN"];
            (0..30).map(|pin| (SIGNALS[pin as usize % 3], pin, 9)).collect()
        }
        _ => Vec::new(),
    }
}
