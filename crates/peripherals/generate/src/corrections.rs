//! Corrections of the metadata where the parts' manuals differ from it.
//!
//! The metadata describes an IP version once for all parts that carry it: arrays have the length of the largest, and
//! registers the bits of all. Citations: RM0490 for STM32C0, RM0008 for STM32F1, RM0390 for STM32F446.

/// The parts told apart here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// STM32C031.
    C0,
    /// STM32F103, medium density.
    F1,
    /// STM32F446.
    F4,
}

impl Part {
    /// The part by what the metadata calls its line.
    pub fn of(line: &str) -> Self {
        match line {
            "STM32C0x1" => Self::C0,
            "STM32F103" => Self::F1,
            "STM32F446" => Self::F4,
            _ => panic!("no corrections for the line {line}"),
        }
    }
}

/// Returns the suffix that separates the name of this part's map from the maps of other parts with the same version. It
/// may be empty.
pub fn variant(part: Part, kind: &str) -> &'static str {
    match (part, kind) {
        // RM0008, "DMA main features": seven channels. RM0008, EXTI: 19 lines, RM0390: 23.
        (Part::F1, "bdma" | "exti") => "_f1",
        // RM0390, GPIO registers: no BRR.
        (Part::F4, "exti" | "gpio") => "_f4",
        _ => "",
    }
}

/// Tells if the register `name` of the block `block` of IP `kind` exists on this part.
pub fn has_register(part: Part, kind: &str, block: &str, name: &str) -> bool {
    match (part, kind) {
        // RM0008, "TIM1 and TIM8 register map" and "TIMx register map", and the same of RM0390: DMAR is the last, but for
        // the option register of TIM2, TIM5 (32 bits) and TIM11 (one channel).
        (Part::F1 | Part::F4, "timer") => match name {
            "or" => part == Part::F4 && ["TIM_GP32", "TIM_1CH"].contains(&block),
            "ccmr3" | "ccr5" | "ccr6" | "af1" | "af2" | "tisel" => false,
            _ => true,
        },
        _ => true,
    }
}

/// Returns the number of elements that the register or block array `name` of IP `kind` has on this part.
pub fn array_len(part: Part, kind: &str, name: &str, described: u32) -> u32 {
    match (part, kind, name) {
        // RM0490, "DMA implementation": DMA1 has three channels on STM32C031. RM0008: seven.
        (Part::C0, "bdma", "ch") => 3,
        (Part::F1, "bdma", "ch") => 7,
        // RM0490, "DMAMUX implementation": one multiplexer channel per DMA channel, four request generators.
        (_, "dmamux", "ccr") => 3,
        (_, "dmamux", "rgcr") => 4,
        // Lines from 32 on are those of larger parts.
        (Part::F1 | Part::F4, "exti", _) => 1,
        // RM0008, BKP: ten data registers on medium-density parts.
        (Part::F1, "bkp", "dr") => described.min(10),
        _ => described,
    }
}

/// Returns the number of elements that the field array `field` in the field set `set` of IP `kind` has on this part.
pub fn field_len(part: Part, kind: &str, set: &str, field: &str, described: u32) -> u32 {
    match (part, kind, set, field) {
        (Part::C0, "bdma", "Isr", _) => 3,
        (Part::F1, "bdma", "Isr", _) => 7,
        (_, "dmamux", "Csr", _) => 3,
        (_, "dmamux", "Rgsr", _) => 4,
        _ => described,
    }
}

/// Tells if the field `field` at bit `bit` of `register` exists on this part. The metadata shares one field set among
/// registers or parts whose fields differ.
pub fn has_field(part: Part, kind: &str, register: &str, field: &str, bit: u32) -> bool {
    match (part, kind) {
        (Part::C0, "exti") => c0_exti(register, bit),
        // RM0008, "EXTI registers": lines 0 to 18. RM0390: lines 0 to 22.
        (Part::F1, "exti") => bit < 19,
        (Part::F4, "exti") => bit < 23,
        (Part::F4, "rcc") => f4_rcc(register, field, bit),
        // RM0390, FLASH_OPTCR, SYSCFG_MEMRMP, SYSCFG_PMC.
        (Part::F4, "flash") => field != "db1m",
        (Part::F4, "syscfg") => !["fb_mode", "mii_rmii_sel"].contains(&field),
        // RM0008, GPIOx_CRL: CNF means one thing for inputs and another for outputs; it is one field.
        (_, "gpio") => field != "cnf_out",
        // RM0390, ADC_SMPR1: the fields are listed one by one as well.
        (_, "adc") => field != "smpx_x",
        // RM0390, OTG_GRXSTSR, OTG_HCTSIZx, OTG_HCDMAx: host and device mode, buffer and descriptor DMA, share bits.
        (_, "otg") => !["pktstsh", "schedinfo", "ntdl", "cqtd"].contains(&field),
        _ => true,
    }
}

/// RM0490, "EXTI line connections": lines 0 to 15 are configurable (pins); 19 (RTC), 23 (I2C1), 25 (USART1) and 31
/// (LSE CSS) are direct.
fn c0_exti(register: &str, bit: u32) -> bool {
    match register {
        "IMR1" | "EMR1" => bit < 16 || [19, 23, 25, 31].contains(&bit),
        _ => bit < 16 || register.starts_with("EXTICR"),
    }
}

/// RM0390, "RCC registers": the bits of each register, and of two fields at one place the one this part has.
fn f4_rcc(register: &str, field: &str, bit: u32) -> bool {
    let bits: u32 = match register {
        "CFGR" => return !["mco1en", "mco2en", "i2ssrc"].contains(&field),
        "AHB1RSTR" => 0x2060_10FF,
        "AHB2RSTR" | "AHB2ENR" | "AHB2LPENR" => 0x0000_0081,
        "AHB3RSTR" | "AHB3ENR" | "AHB3LPENR" => 0x0000_0003,
        "APB1RSTR" | "APB1ENR" | "APB1LPENR" => 0x3FFF_C9FF,
        "APB2RSTR" => 0x00C7_7933,
        "AHB1ENR" => 0x6064_10FF,
        "APB2ENR" | "APB2LPENR" => 0x00C7_7F33,
        "AHB1LPENR" => 0x6067_90FF,
        "PLLI2SCFGR" => 0x7F03_7FFF,
        "PLLSAICFGR" => 0x0F03_7FFF,
        "DCKCFGR" => 0x1FF0_1F1F,
        "CKGATENR" => 0x0000_007F,
        "DCKCFGR2" => 0x3CC0_0000,
        _ => u32::MAX,
    };
    const OTHERS: [&str; 15] = [
        "fsmcen",
        "fsmcrst",
        "fsmclpen",
        "can3en",
        "can3lpen",
        "plli2sdivr",
        "plldivr",
        "pllsaidivr",
        "sai1asrc",
        "sai1bsrc",
        "i2ssrc",
        "clk48sel",
        "sdiosel",
        "ckdfsdm2asel",
        "dsisel",
    ];
    let elsewhere = OTHERS.contains(&field) && !(register == "DCKCFGR2" && ["clk48sel", "sdiosel"].contains(&field));
    // The metadata has QUADSPI's enable in Sleep mode twice.
    let twice = register == "AHB2LPENR" && field == "quadspilpen";
    bits >> bit & 1 != 0 && !elsewhere && !twice
}

/// The width of a field where this part has fewer bits than described.
pub fn field_width(part: Part, kind: &str, field: &str, described: u32) -> u32 {
    match (part, kind, field) {
        // RM0390, FLASH_CR: eight sectors, SNB[3:0]; FLASH_OPTCR: nWRP[7:0].
        (Part::F4, "flash", "snb") => 4,
        (Part::F4, "flash", "n_wrp") => 8,
        _ => described,
    }
}

/// The manual's name of a field, where the metadata has another's.
pub fn field_name(part: Part, kind: &str, field: &str) -> String {
    match (part, kind, field) {
        // RM0390, RCC_APB1RSTR: bit 27 is CEC's.
        (Part::F4, "rcc", "can3rst") => "CECRST".to_owned(),
        (_, "gpio", "cnf_in") => "CNF".to_owned(),
        _ => field.to_uppercase(),
    }
}

/// The number that the manual gives to the first element of the array `name` of IP `kind`.
pub fn first_index(kind: &str, name: &str) -> u32 {
    match (kind, name) {
        ("timer" | "bdma", _) => 1,
        ("exti", "line" | "exti") => 0,
        ("exti", _) => 1,
        ("syscfg" | "afio", "exticr") => 1,
        ("pwr", "ewup" | "wp" | "cwuf" | "wuf") => 1,
        ("bkp", "dr") => 1,
        _ => 0,
    }
}

/// Returns the number of elements of a field array that lie in the registers before `register`, whose index is
/// `index`: CCMR2 holds channels 3 and 4.
pub fn fields_before(kind: &str, register: &str, index: u32, per_register: u32) -> u32 {
    match (kind, register) {
        ("timer", "CCMR3") => 4,
        ("timer", _) if register.starts_with("CCMR") => index * per_register,
        ("exti" | "syscfg" | "afio", _) if register.starts_with("EXTICR") => index * per_register,
        ("dma", "HISR" | "HIFCR") => 4,
        ("gpio", "CRH") => 8,
        ("adc", "SMPR1") => 10,
        _ => 0,
    }
}

/// The manual's name for a register. `number` is the register's index and `suffix` its block's, as printed.
pub fn register_name(part: Part, kind: &str, name: &str, number: &str, suffix: &str) -> String {
    match (kind, name) {
        ("rcc", "gpiorstr") => "IOPRSTR".to_owned(),
        ("rcc", "gpioenr") => "IOPENR".to_owned(),
        ("rcc", "gpiosmenr") => "IOPSMENR".to_owned(),
        ("timer", "ccmr_output") => format!("CCMR{number}"),
        ("timer", "ccmr_input") => format!("CCMR{number}_INPUT"),
        ("timer", "or") if part == Part::C0 => "OR1".to_owned(),
        ("crc", "dr32") => "DR".to_owned(),
        ("gpio", "afr") => if number == "0" { "AFRL" } else { "AFRH" }.to_owned(),
        ("gpio", "cr") => if number == "0" { "CRL" } else { "CRH" }.to_owned(),
        ("bdma", "cr") => format!("CCR{suffix}"),
        ("bdma", "ndtr") => format!("CNDTR{suffix}"),
        ("bdma", "par") => format!("CPAR{suffix}"),
        ("bdma", "mar") => format!("CMAR{suffix}"),
        ("dma", "isr" | "ifcr") => format!("{}{}", if number == "0" { "L" } else { "H" }, name.to_uppercase()),
        ("dma", _) => format!("S{suffix}{}", name.to_uppercase()),
        ("pwr", "cr1") if part == Part::F4 => "CR".to_owned(),
        ("pwr", "csr1") if part == Part::F4 => "CSR".to_owned(),
        ("exti", _) if part != Part::C0 => name.to_uppercase(),
        ("syscfg", "memrm") => "MEMRMP".to_owned(),
        _ => format!("{}{number}{suffix}", name.to_uppercase()),
    }
}

/// Registers that the metadata leaves out: name, offset, and the name of its sixteen one-bit fields.
pub fn extra_registers(part: Part, kind: &str) -> &'static [(&'static str, u32, &'static str)] {
    match (part, kind) {
        // RM0490, "GPIO port bit reset register (GPIOx_BRR)"; RM0390 has none.
        (Part::C0, "gpio") => &[("BRR", 0x28, "BR")],
        _ => &[],
    }
}

/// Fields that the metadata leaves out: register, name, lowest bit, width.
pub fn extra_fields(part: Part, kind: &str) -> &'static [(&'static str, &'static str, u32, u32)] {
    match (part, kind) {
        // RM0390, FLASH_SR.RDERR.
        (Part::F4, "flash") => &[("SR", "RDERR", 8, 1)],
        // RM0490, ADC_CHSELR: channel 22 is PB12.
        (Part::C0, "adc") => &[("CHSELR", "CHSEL22", 22, 1)],
        _ => &[],
    }
}

/// Tells if the enable bit that the metadata gives for a peripheral exists on this part.
pub fn is_gated(part: Part, peripheral: &str) -> bool {
    // RM0390, RCC_APB1ENR: RTCAPBEN is of other parts; the RTC's clock is RCC_BDCR.RTCEN.
    // RM0008, RCC_AHBENR: FLITFEN clocks the flash interface in Sleep mode only.
    ![(Part::F4, "RTC"), (Part::F1, "FLASH")].contains(&(part, peripheral))
}

/// The RCC register and field that enable a peripheral of which the metadata does not say it.
pub fn enable(part: Part, peripheral: &str) -> Option<(&'static str, &'static str)> {
    match (part, peripheral) {
        // RM0490, "APB peripheral clock enable register 1": DBGEN clocks the debug support's registers.
        (Part::C0, "DBGMCU") => Some(("APBENR1", "DBGEN")),
        // RM0490, "AHB peripheral clock enable register": DMA1EN clocks DMA1 and DMAMUX.
        (Part::C0, "DMAMUX1") => Some(("AHBENR", "DMA1EN")),
        (Part::C0, "ADC1_COMMON") => Some(("APBENR2", "ADC1EN")),
        _ => None,
    }
}

/// The same of the bit that resets a peripheral.
pub fn reset(part: Part, peripheral: &str) -> Option<(&'static str, &'static str)> {
    match (part, peripheral) {
        // RM0390, RCC_APB2RSTR.ADCRST: one bit for all converters and their common registers.
        (Part::F4, "ADC1" | "ADC2" | "ADC3" | "ADC123_COMMON") => Some(("APB2RSTR", "ADCRST")),
        // RM0490, RCC_APBRSTR2.ADC1RST.
        (Part::C0, "ADC1_COMMON") => Some(("APBRSTR2", "ADC1RST")),
        _ => None,
    }
}

/// The address of a peripheral where the metadata has another.
pub fn address(part: Part, peripheral: &str, described: u64) -> u64 {
    match (part, peripheral) {
        // RM0490, ADC_CCR: offset 0x308 of the converter; the metadata gives that register's address and its offset from 0x300.
        (Part::C0, "ADC1_COMMON") => described & !0xFF,
        _ => described,
    }
}
