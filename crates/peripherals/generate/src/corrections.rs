//! What the metadata describes more widely than the STM32C031 is, by RM0490.
//!
//! The metadata describes an IP version once for all parts that carry it; arrays have the length of the largest.

/// How many elements of the register or block array `name` of IP `kind` this part has.
pub fn array_len(kind: &str, name: &str, described: u32) -> u32 {
    match (kind, name) {
        // RM0490, "DMA implementation": DMA1 has three channels on STM32C031.
        ("bdma", "ch") => 3,
        // RM0490, "DMAMUX implementation": one multiplexer channel per DMA channel, four request generators.
        ("dmamux", "ccr") => 3,
        ("dmamux", "rgcr") => 4,
        _ => described,
    }
}

/// How many elements of the field array `field` in the field set `set` of IP `kind` this part has.
pub fn field_len(kind: &str, set: &str, field: &str, described: u32) -> u32 {
    match (kind, set, field) {
        ("bdma", "Isr", _) => 3,
        ("dmamux", "Csr", _) => 3,
        ("dmamux", "Rgsr", _) => 4,
        _ => described,
    }
}

/// Whether bit `bit` of register `register` exists on this part, where the metadata's field set is shared by
/// registers that have different bits.
pub fn has_bit(kind: &str, register: &str, bit: u32) -> bool {
    match (kind, register) {
        // RM0490, "EXTI line connections": lines 0 to 15 are configurable (pins); 19 (RTC), 23 (I2C1),
        // 25 (USART1) and 31 (LSE CSS) are direct.
        ("exti", "IMR1" | "EMR1") => bit < 16 || [19, 23, 25, 31].contains(&bit),
        ("exti", _) => bit < 16 || register.starts_with("EXTICR"),
        _ => true,
    }
}

/// The number that the manual gives to the first element of the array `name` of IP `kind`.
pub fn first_index(kind: &str, name: &str) -> u32 {
    match (kind, name) {
        ("timer" | "bdma", _) => 1,
        ("exti", "line" | "exti") => 0,
        ("exti", _) => 1,
        ("pwr", "ewup" | "wp" | "cwuf" | "wuf") => 1,
        _ => 0,
    }
}

/// The manual's name for a register that the metadata calls otherwise. `number` is the register's index, as printed.
pub fn register_name(kind: &str, name: &str, number: &str) -> String {
    match (kind, name) {
        ("rcc", "gpiorstr") => "IOPRSTR".to_owned(),
        ("rcc", "gpioenr") => "IOPENR".to_owned(),
        ("rcc", "gpiosmenr") => "IOPSMENR".to_owned(),
        ("timer", "ccmr_output") => format!("CCMR{number}"),
        ("timer", "ccmr_input") => format!("CCMR{number}_INPUT"),
        ("timer", "or") => "OR1".to_owned(),
        ("crc", "dr32") => "DR".to_owned(),
        ("gpio", "afr") => if number == "0" { "AFRL" } else { "AFRH" }.to_owned(),
        ("bdma", "cr") => "CCR".to_owned(),
        ("bdma", "ndtr") => "CNDTR".to_owned(),
        ("bdma", "par") => "CPAR".to_owned(),
        ("bdma", "mar") => "CMAR".to_owned(),
        _ => format!("{}{number}", name.to_uppercase()),
    }
}

/// Registers that the metadata leaves out: name, offset, and the name of its sixteen one-bit fields.
pub fn extra_registers(kind: &str) -> &'static [(&'static str, u32, &'static str)] {
    match kind {
        // RM0490, "GPIO port bit reset register (GPIOx_BRR)".
        "gpio" => &[("BRR", 0x28, "BR")],
        _ => &[],
    }
}

/// The RCC register and field that enable a peripheral of which the metadata does not say it.
pub fn enable(peripheral: &str) -> Option<(&'static str, &'static str)> {
    match peripheral {
        // RM0490, "APB peripheral clock enable register 1": DBGEN clocks the debug support's registers.
        "DBGMCU" => Some(("APBENR1", "DBGEN")),
        // RM0490, "AHB peripheral clock enable register": DMA1EN clocks DMA1 and DMAMUX.
        "DMAMUX1" => Some(("AHBENR", "DMA1EN")),
        "ADC1_COMMON" => Some(("APBENR2", "ADC1EN")),
        _ => None,
    }
}
