//! Facts that the sources lack: names without their block's, registers that are missing, and the numbers of interrupts.
//!
//! For the ESP8266 there is no manual of registers; its facts come from the headers of the vendor's ESP8266_RTOS_SDK
//! (`eagle_soc.h`, `gpio_register.h`, `uart_register.h`, `ets_sys.h`). For the ESP32: its Technical Reference Manual 5.2.

use cyclescope_peripherals_generate_tables::svd::Peripheral;
use cyclescope_peripherals_generate_tables::{Access, Field, Register};

/// Peripherals without a block: the radio's, which no manual describes, and the tables of the caches, which are memory.
pub const ABSENT: &[&str] = &["BB", "BTDM", "NRX", "WIFI", "MMU_TABLE", "APP_MMU_TABLE"];

/// Returns the kind of block that a block called `name` is.
pub fn kind(name: &str) -> String {
    match name {
        "GPIO_SD" => "gpio_sd".to_owned(),
        _ => name.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase(),
    }
}

/// Corrects the peripherals of the part `part`.
pub fn correct(part: &str, peripherals: &mut [Peripheral]) {
    for peripheral in peripherals.iter_mut() {
        let prefix = format!("{}_", peripheral.name.trim_end_matches(|c: char| c.is_ascii_digit()));
        for register in &mut peripheral.registers {
            let name = register.name.strip_prefix(&prefix).unwrap_or(&register.name).to_owned();
            register.name = name;
            let many = register.fields.len() > 1;
            register.fields.retain(|field| !(many && field.name == "REGISTER"));
            if register.fields.is_empty() {
                register.fields.push(Field::new(register.name.as_str(), 0, 32));
            }
            if let [field] = register.fields.as_mut_slice()
                && field.name == "REGISTER"
            {
                field.name.clone_from(&register.name);
            }
        }
        if part == "esp8266" {
            add_esp8266(peripheral);
        } else if peripheral.name == "RNG" {
            // TRM, "Random Number Generator": RNG_DATA_REG is 0x3FF75144, the same bus from the other side.
            peripheral.address = 0x3FF7_5000;
        } else if peripheral.name == "FRC_TIMER" {
            peripheral.registers = frc();
        }
    }
}

/// The registers of the timers FRC1 and FRC2, which the source of the ESP32 has wrong: those of `frc_timer_reg.h` of esp-idf, by the
/// names that the ESP8266's have.
fn frc() -> Vec<Register> {
    let timer = |number: u32, width: u32| {
        let word = move |name: &str, offset: u32, access, fields| Register {
            name: format!("FRC{number}_{name}"),
            offset: (number - 1) * 0x20 + offset,
            bits: 32,
            access,
            alternate: false,
            reset: 0,
            fields,
        };
        let own = move |name: &str, width| Field::new(format!("FRC{number}_{name}"), 0, width);
        let control = vec![
            Field::new("INTERRUPT_TYPE", 0, 1),
            Field::new("PRESCALE_DIVIDER", 2, 2),
            Field::new("ROLLOVER", 6, 1),
            Field::new("TIMER_ENABLE", 7, 1),
            Field::new(format!("FRC{number}_INT"), 8, 1),
        ];
        let mut words = vec![
            word("LOAD", 0x00, Access::ReadWrite, vec![own("LOAD_VALUE", width)]),
            word("COUNT", 0x04, Access::ReadOnly, vec![own("COUNT", width)]),
            word("CTRL", 0x08, Access::ReadWrite, control),
            word("INT", 0x0C, Access::ReadWrite, vec![own("INT_CLR_MASK", 1)]),
        ];
        if number == 2 {
            words.push(word("ALARM", 0x10, Access::ReadWrite, vec![own("ALARM", 32)]));
        }
        words
    };
    timer(1, 23).into_iter().chain(timer(2, 32)).collect()
}

/// Returns the bit by which DPORT of the ESP32 gates and resets the block `name` (TRM, DPORT_PERIP_CLK_EN_REG and
/// DPORT_PERIP_RST_EN_REG), of blocks that are modelled.
pub fn gate(part: &str, name: &str) -> Option<u32> {
    match (part, name) {
        ("esp32", "UART0") => Some(2),
        ("esp32", "UART1") => Some(5),
        ("esp32", "UART2") => Some(23),
        ("esp32", "TIMG0") => Some(13),
        ("esp32", "TIMG1") => Some(15),
        _ => None,
    }
}

/// Adds the registers of the ESP8266 that the vendor's headers name and the source lacks.
fn add_esp8266(peripheral: &mut Peripheral) {
    let word = |name: &str, offset, access| Register {
        name: name.to_owned(),
        offset,
        bits: 32,
        access,
        alternate: false,
        reset: 0,
        fields: vec![Field::new(name, 0, 32)],
    };
    let new = match peripheral.name.as_str() {
        // REG_RTC_BASE: SLP_VAL, SLP_CNT_VAL and INT_ENA.
        "RTC" => vec![
            word("CTL", 0x00, Access::ReadWrite),
            word("SLP_VAL", 0x04, Access::ReadWrite),
            word("SLP_CTL", 0x08, Access::ReadWrite),
            word("SLP_CNT_VAL", 0x1C, Access::ReadOnly),
            word("INT_ENA", 0x20, Access::ReadWrite),
            word("STORE1", 0x34, Access::ReadWrite),
            word("STORE2", 0x38, Access::ReadWrite),
            word("STORE3", 0x3C, Access::ReadWrite),
        ],
        "DPORT" => vec![word("INT_ENABLE", 0x00, Access::ReadWrite)],
        _ => Vec::new(),
    };
    for register in new {
        if !peripheral.registers.iter().any(|known| known.offset == register.offset) {
            peripheral.registers.push(register);
        }
    }
    peripheral.registers.sort_by_key(|register| register.offset);
}

/// Returns the interrupt signals of the block `name` of `part`, each with its number: of the core on the ESP8266 (`ets_sys.h`), of
/// the matrix's sources on the ESP32 (TRM, "Interrupt Matrix", peripheral interrupt sources).
pub fn lines(part: &str, name: &str) -> &'static [(&'static str, u8)] {
    match (part, name) {
        ("esp8266", "SLC") => &[("SLC", 1)],
        ("esp8266", "SPI0" | "SPI1") => &[("SPI", 2)],
        ("esp8266", "RTC") => &[("RTC", 3)],
        ("esp8266", "GPIO") => &[("GPIO", 4)],
        ("esp8266", "UART0" | "UART1") => &[("UART", 5)],
        ("esp8266", "WDT") => &[("WDT", 8)],
        ("esp8266", "TIMER") => &[("FRC1", 9), ("FRC2", 10)],
        ("esp8266", _) => &[],
        (_, "UHCI0") => &[("UHCI", 12)],
        (_, "UHCI1") => &[("UHCI", 13)],
        (_, "TIMG0") => &[
            ("T0", 14),
            ("T1", 15),
            ("WDT", 16),
            ("LACT", 17),
            ("T0_EDGE", 58),
            ("T1_EDGE", 59),
            ("WDT_EDGE", 60),
            ("LACT_EDGE", 61),
        ],
        (_, "TIMG1") => &[
            ("T0", 18),
            ("T1", 19),
            ("WDT", 20),
            ("LACT", 21),
            ("T0_EDGE", 62),
            ("T1_EDGE", 63),
            ("WDT_EDGE", 64),
            ("LACT_EDGE", 65),
        ],
        (_, "GPIO") => &[("GPIO", 22), ("NMI", 23)],
        (_, "DPORT") => &[("CPU_0", 24), ("CPU_1", 25), ("CPU_2", 26), ("CPU_3", 27)],
        (_, "SPI0") => &[("SPI", 28)],
        (_, "SPI1") => &[("SPI", 29), ("DMA", 52)],
        (_, "SPI2") => &[("SPI", 30), ("DMA", 53)],
        (_, "SPI3") => &[("SPI", 31), ("DMA", 54)],
        (_, "I2S0") => &[("I2S", 32)],
        (_, "I2S1") => &[("I2S", 33)],
        (_, "UART0") => &[("UART", 34)],
        (_, "UART1") => &[("UART", 35)],
        (_, "UART2") => &[("UART", 36)],
        (_, "SDHOST") => &[("SDIO", 37)],
        (_, "GMAC") => &[("MAC", 38)],
        (_, "MCPWM0") => &[("PWM", 39)],
        (_, "MCPWM1") => &[("PWM", 40)],
        (_, "LEDC") => &[("LEDC", 43)],
        (_, "EFUSE") => &[("EFUSE", 44)],
        (_, "TWAI0") => &[("TWAI", 45)],
        (_, "RTC_CNTL") => &[("RTC", 46)],
        (_, "RMT") => &[("RMT", 47)],
        (_, "PCNT") => &[("PCNT", 48)],
        (_, "I2C0") => &[("I2C", 49)],
        (_, "I2C1") => &[("I2C", 50)],
        (_, "RSA") => &[("RSA", 51)],
        (_, "FRC_TIMER") => &[("FRC1", 56), ("FRC2", 57)],
        _ => &[],
    }
}
