//! Facts about the MK20DX256VLH7 that the description lacks, from K20P64M72SF1RM.

/// Described but not on this part, or the core's own: the 64-pin package has UART0 to UART2 and no external bus
/// ("Signal multiplexing and pin assignments"); the flash configuration field is flash.
pub const ABSENT: &[&str] = &["FTFL_FlashConfig", "SystemControl", "SysTick", "NVIC", "UART3", "UART4", "FB"];

/// The kind of block that a peripheral is.
pub fn kind(name: &str) -> &str {
    match name {
        "PTA" | "PTB" | "PTC" | "PTD" | "PTE" => "gpio",
        "PORTA" | "PORTB" | "PORTC" | "PORTD" | "PORTE" => "port",
        _ => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    }
}

/// The clock gate of a peripheral: SIM's register and its field; `None` where it is always clocked ("Clock gating").
pub fn gate(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "DAC0" => ("SCGC2", "DAC0"),
        "FTM2" => ("SCGC3", "FTM2"),
        "ADC1" => ("SCGC3", "ADC1"),
        "EWM" => ("SCGC4", "EWM"),
        "CMT" => ("SCGC4", "CMT"),
        "I2C0" => ("SCGC4", "I2C0"),
        "I2C1" => ("SCGC4", "I2C1"),
        "UART0" => ("SCGC4", "UART0"),
        "UART1" => ("SCGC4", "UART1"),
        "UART2" => ("SCGC4", "UART2"),
        "USB0" => ("SCGC4", "USBOTG"),
        "CMP0" | "CMP1" | "CMP2" => ("SCGC4", "CMP"),
        "VREF" => ("SCGC4", "VREF"),
        "LPTMR0" => ("SCGC5", "LPTIMER"),
        "TSI0" => ("SCGC5", "TSI"),
        "PORTA" => ("SCGC5", "PORTA"),
        "PORTB" => ("SCGC5", "PORTB"),
        "PORTC" => ("SCGC5", "PORTC"),
        "PORTD" => ("SCGC5", "PORTD"),
        "PORTE" => ("SCGC5", "PORTE"),
        "FTFL" => ("SCGC6", "FTFL"),
        "DMAMUX" => ("SCGC6", "DMAMUX"),
        "CAN0" => ("SCGC6", "FLEXCAN0"),
        "SPI0" => ("SCGC6", "SPI0"),
        "SPI1" => ("SCGC6", "SPI1"),
        "I2S0" => ("SCGC6", "I2S"),
        "CRC" => ("SCGC6", "CRC"),
        "USBDCD" => ("SCGC6", "USBDCD"),
        "PDB0" => ("SCGC6", "PDB"),
        "PIT" => ("SCGC6", "PIT"),
        "FTM0" => ("SCGC6", "FTM0"),
        "FTM1" => ("SCGC6", "FTM1"),
        "ADC0" => ("SCGC6", "ADC0"),
        "RTC" => ("SCGC6", "RTC"),
        "DMA" => ("SCGC7", "DMA"),
        _ => return None,
    })
}

/// Interrupt lines without a peripheral ("Interrupt vector assignments": 94 is for software alone).
pub const FURTHER_INTERRUPTS: &[(u8, &str)] = &[(94, "SWI")];

/// Tells if a peripheral counts the core's clock ("Module clocks"): UART0 and UART1 count the system clock, the other
/// serial ports the bus clock.
pub fn counts_core_clock(name: &str) -> bool {
    matches!(name, "UART0" | "UART1" | "DMA" | "CRC" | "PTA" | "PTB" | "PTC" | "PTD" | "PTE" | "FMC" | "AXBS")
}

/// The pins of the 64-pin package on which the signals of serial ports and buses are, by alternative ("K20 Signal Multiplexing and
/// Pin Assignments"): peripheral, signal, port, pin, alternative. SPI's SOUT and SIN have the names that all parts' lines have.
pub const PINS: &[(&str, &str, u8, u8, u8)] = &[
    ("UART0", "RX", 0, 1, 2),
    ("UART0", "TX", 0, 2, 2),
    ("UART0", "RX", 1, 16, 3),
    ("UART0", "TX", 1, 17, 3),
    ("UART0", "RX", 3, 6, 3),
    ("UART0", "TX", 3, 7, 3),
    ("UART1", "RX", 2, 3, 3),
    ("UART1", "TX", 2, 4, 3),
    ("UART2", "RX", 3, 2, 3),
    ("UART2", "TX", 3, 3, 3),
    ("I2C0", "SCL", 1, 0, 2),
    ("I2C0", "SDA", 1, 1, 2),
    ("I2C0", "SCL", 1, 2, 2),
    ("I2C0", "SDA", 1, 3, 2),
    ("I2C1", "SCL", 2, 10, 2),
    ("I2C1", "SDA", 2, 11, 2),
    ("I2C1", "SDA", 4, 0, 6),
    ("I2C1", "SCL", 4, 1, 6),
    ("SPI0", "PCS4", 2, 0, 2),
    ("SPI0", "PCS3", 2, 1, 2),
    ("SPI0", "PCS2", 2, 2, 2),
    ("SPI0", "PCS1", 2, 3, 2),
    ("SPI0", "PCS0", 2, 4, 2),
    ("SPI0", "SCK", 2, 5, 2),
    ("SPI0", "MOSI", 2, 6, 2),
    ("SPI0", "MISO", 2, 7, 2),
    ("SPI0", "PCS0", 3, 0, 2),
    ("SPI0", "SCK", 3, 1, 2),
    ("SPI0", "MOSI", 3, 2, 2),
    ("SPI0", "MISO", 3, 3, 2),
    ("SPI0", "PCS1", 3, 4, 2),
    ("SPI0", "PCS2", 3, 5, 2),
    ("SPI0", "PCS3", 3, 6, 2),
    ("SPI1", "MOSI", 1, 16, 2),
    ("SPI1", "MISO", 1, 17, 2),
];

/// The requests of peripherals to the DMA by their input of the multiplexer ("DMA MUX request sources"): peripheral, request,
/// input. Inputs 54 to 63 are always active and belong to nobody.
pub const REQUESTS: &[(&str, &str, u8)] = &[
    ("UART0", "RX", 2),
    ("UART0", "TX", 3),
    ("UART1", "RX", 4),
    ("UART1", "TX", 5),
    ("UART2", "RX", 6),
    ("UART2", "TX", 7),
    ("I2S0", "RX", 14),
    ("I2S0", "TX", 15),
    ("SPI0", "RX", 16),
    ("SPI0", "TX", 17),
    ("SPI1", "RX", 18),
    ("SPI1", "TX", 19),
    ("I2C0", "GLOBAL", 22),
    ("I2C1", "GLOBAL", 23),
    ("FTM0", "CH0", 24),
    ("FTM0", "CH1", 25),
    ("FTM0", "CH2", 26),
    ("FTM0", "CH3", 27),
    ("FTM0", "CH4", 28),
    ("FTM0", "CH5", 29),
    ("FTM0", "CH6", 30),
    ("FTM0", "CH7", 31),
    ("FTM1", "CH0", 32),
    ("FTM1", "CH1", 33),
    ("FTM2", "CH0", 34),
    ("FTM2", "CH1", 35),
    ("ADC0", "GLOBAL", 40),
    ("ADC1", "GLOBAL", 41),
    ("CMP0", "GLOBAL", 42),
    ("CMP1", "GLOBAL", 43),
    ("CMP2", "GLOBAL", 44),
    ("DAC0", "GLOBAL", 45),
    ("CMT", "GLOBAL", 47),
    ("PDB0", "GLOBAL", 48),
    ("PORTA", "GLOBAL", 49),
    ("PORTB", "GLOBAL", 50),
    ("PORTC", "GLOBAL", 51),
    ("PORTD", "GLOBAL", 52),
    ("PORTE", "GLOBAL", 53),
];
