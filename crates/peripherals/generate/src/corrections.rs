//! Corrections of the metadata where the parts' manuals differ from it.
//!
//! The metadata describes an IP version once for all parts that carry it: arrays have the length of the largest, and
//! registers the bits of all. Citations: RM0490 for STM32C0, RM0008 for STM32F1, RM0390 for STM32F446, RM0090 for the larger
//! STM32F4, RM0444 for STM32G0, RM0440 for STM32G4, RM0351 for STM32L4, RM0432 for STM32L4+.

use crate::metadata::{Metadata, Peripheral, RccRegister};

/// Families with corrections of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    C0,
    F1,
    F4,
    G0,
    G4,
    L4,
}

/// A part, and the peripheral of it that is looked at.
pub struct Part<'a> {
    pub family: Family,
    pub metadata: &'a Metadata,
    pub peripheral: &'a Peripheral,
    /// The channels that the peripheral serves, if it is a DMA controller or a multiplexer.
    channels: u32,
    /// The blocks that the part's bits of RCC name, as those bits spell them.
    gated: Vec<String>,
}

impl<'a> Part<'a> {
    /// Looks at `peripheral` of `metadata`.
    pub fn new(metadata: &'a Metadata, peripheral: &'a Peripheral) -> Self {
        let family = family(metadata);
        let name = &peripheral.name;
        let mine = |channel: &&crate::metadata::DmaChannel| {
            channel.dma == *name || channel.dmamux.as_ref() == Some(name)
        };
        let channels = metadata.common.dma_channels.iter().filter(mine).count() as u32;
        let gated = if peripheral.kind() == "rcc" { gated(metadata) } else { Vec::new() };
        Self { family, metadata, peripheral, channels, gated }
    }

    /// True if the part belongs to one of `lines`, named by their digits.
    fn is_of(&self, lines: &[&str]) -> bool {
        lines.iter().any(|line| self.metadata.line.contains(line))
    }
}

/// The family of `metadata`.
fn family(metadata: &Metadata) -> Family {
    match &*metadata.family {
        "STM32C0" => Family::C0,
        "STM32F1" => Family::F1,
        "STM32F4" => Family::F4,
        "STM32G0" => Family::G0,
        "STM32G4" => Family::G4,
        "STM32L4" | "STM32L4+" => Family::L4,
        other => panic!("no corrections for the family {other}"),
    }
}

/// The blocks that enable and reset bits of the part's peripherals name.
fn gated(metadata: &Metadata) -> Vec<String> {
    let bits = metadata.common.peripherals.iter().filter_map(|known| known.rcc.as_ref());
    let bits = bits.flat_map(|rcc| rcc.enable.iter().chain(&rcc.reset));
    let mut names: Vec<String> = bits.map(|bit| gate(&bit.field).to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

/// The block that a bit of an enable or reset register names, as the bit spells it.
fn gate(field: &str) -> String {
    let field = field.to_lowercase();
    let ends = ["smen", "lpen", "rst", "en"];
    ends.iter().find_map(|end| field.strip_suffix(end)).unwrap_or(&field).to_owned()
}

/// Tells if the register `name` of the block `block` of IP `kind` exists on this part.
pub fn has_register(part: &Part<'_>, kind: &str, block: &str, name: &str) -> bool {
    match (part.family, kind) {
        // RM0008, "TIM1 and TIM8 register map" and "TIMx register map", and the same of RM0390: DMAR is the last, but for
        // the option register of TIM2, TIM5 (32 bits) and TIM11 (one channel).
        (Family::F1 | Family::F4, "timer") => match name {
            "or" => part.family == Family::F4 && ["TIM_GP32", "TIM_1CH"].contains(&block),
            "ccmr3" | "ccr5" | "ccr6" | "af1" | "af2" | "tisel" => false,
            _ => true,
        },
        // RM0351, "TIMx register map": no TIMx_TISEL.
        (Family::L4, "timer") => name != "tisel",
        _ => true,
    }
}

/// Returns the number of elements that the register or block array `name` of IP `kind` has on this part.
pub fn array_len(part: &Part<'_>, kind: &str, name: &str, described: u32) -> u32 {
    match (part.family, kind, name) {
        (_, "bdma", "ch") | (_, "dmamux", "ccr") if part.channels > 0 => part.channels,
        // RM0490, RM0444, RM0440, RM0432, "DMAMUX implementation": four request generators.
        (_, "dmamux", "rgcr") => 4,
        // Lines from 32 on are those of larger parts.
        (Family::F1 | Family::F4, "exti", _) => 1,
        // RM0008, BKP: ten data registers on low- and medium-density parts.
        (Family::F1, "bkp", "dr") => described.min(if is_large_f1(part) { 42 } else { 10 }),
        _ => described,
    }
}

/// Tells if an STM32F1 is of high or extra density, or of the connectivity line.
fn is_large_f1(part: &Part<'_>) -> bool {
    let flash = part.metadata.name.as_bytes().last();
    part.is_of(&["105/107"]) || matches!(flash, Some(b'C'..=b'G'))
}

/// Returns the number of elements that the field array `field` in the field set `set` of IP `kind` has on this part.
pub fn field_len(part: &Part<'_>, kind: &str, set: &str, field: &str, described: u32) -> u32 {
    match (kind, set, field) {
        ("bdma", "Isr", _) | ("dmamux", "Csr", _) if part.channels > 0 => part.channels,
        ("dmamux", "Rgsr", _) => 4,
        // RM0444, RM0440 and RM0351, TIM15_DIER: CC2IE, which the metadata leaves out; on the G0 also CC2DE, whose request
        // is 41 of the DMAMUX.
        ("timer", "Dier2chCmp", "ccie") => 2,
        ("timer", "Dier2chCmp", "ccde") if part.family == Family::G0 => 2,
        _ => described,
    }
}

/// Tells if the field `field` at bit `bit` of `register` exists on this part. The metadata shares one field set among
/// registers or parts whose fields differ.
pub fn has_field(part: &Part<'_>, kind: &str, register: &str, field: &str, bit: u32) -> bool {
    match (part.family, kind) {
        (_, "exti") => exti(part, register, bit),
        (_, "rcc") => rcc(part, register, field, bit),
        // RM0390, FLASH_OPTCR, SYSCFG_MEMRMP, SYSCFG_PMC. RM0090: with two banks, or an Ethernet.
        (Family::F4, "flash") => field != "db1m" || has_two_banks_f4(part),
        (Family::F4, "syscfg") => match field {
            "fb_mode" => has_two_banks_f4(part),
            "mii_rmii_sel" => has(part, "ETH"),
            _ => true,
        },
        // RM0008, GPIOx_CRL: CNF means one thing for inputs and another for outputs; it is one field.
        (_, "gpio") => field != "cnf_out",
        // RM0440, PWR_CR5: R1MODE is bit 8.
        (_, "pwr") => (register, field) != ("CR5", "r1mode"),
        // RM0390, ADC_SMPR1: the fields are listed one by one as well.
        (_, "adc") => field != "smpx_x",
        // RM0390, OTG_GRXSTSR, OTG_HCTSIZx, OTG_HCDMAx: host and device mode, buffer and descriptor DMA, share bits.
        (_, "otg") => !["pktstsh", "schedinfo", "ntdl", "cqtd"].contains(&field),
        _ => true,
    }
}

/// RM0090, "Flash memory": STM32F42x and F43x can have two banks; RM0386: STM32F469 and F479 as well.
fn has_two_banks_f4(part: &Part<'_>) -> bool {
    part.is_of(&["427/437", "429/439", "469/479"])
}

/// Tells if the part has the peripheral `name`.
fn has(part: &Part<'_>, name: &str) -> bool {
    part.metadata.common.peripherals.iter().any(|known| known.name == name)
}

/// Tells if EXTI has a bit for a line in `register`.
fn exti(part: &Part<'_>, register: &str, bit: u32) -> bool {
    if register.starts_with("EXTICR") {
        return true;
    }
    let second = register.ends_with('2');
    match part.family {
        // RM0490, "EXTI line connections": lines 0 to 15 are configurable (pins); 19 (RTC), 23 (I2C1), 25 (USART1) and 31
        // (LSE CSS) are direct.
        Family::C0 => match register {
            "IMR1" | "EMR1" => bit < 16 || [19, 23, 25, 31].contains(&bit),
            _ => bit < 16,
        },
        // RM0008, "EXTI registers": lines 0 to 18, on the connectivity line 19 as well.
        Family::F1 => bit < if part.is_of(&["105/107"]) { 20 } else { 19 },
        // RM0390: lines 0 to 22. RM0401, RM0430: line 23 is LPTIM1's.
        Family::F4 => bit < if has(part, "LPTIM1") { 24 } else { 23 },
        // RM0440, "EXTI lines connections": 0 to 43.
        Family::G4 => !second || bit < 12,
        // RM0351: 0 to 39; RM0432: to 40.
        Family::L4 => !second || bit < if part.metadata.family == "STM32L4+" { 9 } else { 8 },
        Family::G0 => true,
    }
}

/// Tells if the part has a field of the RCC. Of the bits that enable and reset blocks it has those that its peripherals name,
/// and those of memories and debugging, which the metadata has no peripherals for.
fn rcc(part: &Part<'_>, register: &str, field: &str, bit: u32) -> bool {
    let gates = ["AHB", "APB", "IOP"].iter().any(|bus| register.starts_with(bus));
    if !gates {
        return match part.family {
            Family::F4 => {
                pll_f4(part, register, field) && (!part.is_of(&["F446"]) || f446_rcc(register, field, bit))
            }
            // RM0351, RCC_PLLCFGR, RCC_PLLSAI1CFGR, RCC_PLLSAI2CFGR: PLLPDIV, with dividers of P from 2 to 31; the vendor's headers
            // of these lines have PLLP alone (RCC_PLLP_DIV_2_31_SUPPORT is not theirs), which is 7 or 17.
            Family::L4 => !(register.starts_with("PLL") && field == "pllp" && is_first_l4(part)),
            _ => true,
        };
    }
    let name = gate(field);
    // RM0390, RCC_APB1RSTR: what the metadata has as CAN3's is CEC's.
    if part.family == Family::F4 && name == "can3" && has(part, "CEC") {
        return register == "APB1RSTR";
    }
    let memory = |known: &str| part.metadata.memory[0].iter().any(|region| region.name.starts_with(known));
    match &*name {
        "ccmdataram" => memory("CCM"),
        // RM0090, RM0386: three SRAMs.
        "sram3" if part.family == Family::F4 => has_two_banks_f4(part),
        // RM0390, RCC_AHB2LPENR: QUADSPI's bit is in RCC_AHB3LPENR; the metadata has it twice.
        "quadspi" if register == "AHB2LPENR" => false,
        "rtcapb" if part.family == Family::F4 => has_rtc_gate_f4(part),
        _ => {
            let inside = ["sram", "ccm", "flash", "flitf", "bkpsram", "dbg"];
            // `ETHMACTX` is ETH's, `USB_OTG_HSULPI` is USB_OTG_HS's, `ADC` is all converters'.
            let of_block = |known: &String| name.starts_with(known.as_str()) && is_word(&name[known.len()..]);
            let of_several = |known: &String| known.strip_prefix(&*name).is_some_and(|rest| ["1", "rx"].contains(&rest));
            inside.iter().any(|start| name.starts_with(start))
                || part.gated.iter().any(|known| of_block(known) || of_several(known))
        }
    }
}

/// Tells if the part is one of the first STM32L4: L471, L475, L476, L485 or L486.
fn is_first_l4(part: &Part<'_>) -> bool {
    ["L471", "L475", "L476", "L485", "L486"].iter().any(|line| part.metadata.name.contains(line))
}

/// Tells if a block's bit with `rest` behind the block's name is the block's own: `ETHMACTX`, `USB_OTG_HSULPI`.
fn is_word(rest: &str) -> bool {
    ["", "ulpi", "rx", "tx", "ptp", "mac", "mactx", "macrx", "macptp"].contains(&rest)
}

/// RM0401, RM0402, RM0430, RCC_APB1ENR.RTCAPBEN; RM0390 and RM0090 have none.
fn has_rtc_gate_f4(part: &Part<'_>) -> bool {
    part.is_of(&["F410", "F412", "413/423"])
}

/// Tells if an STM32F4 has a field of its PLLs, or of what chooses the clocks of I2S and of 48 MHz.
fn pll_f4(part: &Part<'_>, register: &str, field: &str) -> bool {
    match (register, field) {
        // RM0383, RM0402, RM0430, RM0390, RCC_PLLI2SCFGR.PLLI2SM, and RM0390, RCC_PLLSAICFGR.PLLSAIM: these loops divide their
        // input themselves; the others take what the main PLL divides (RM0090, RM0368, RM0386).
        ("PLLI2SCFGR", "pllm") => part.is_of(&["F411", "F412", "413/423", "F446"]),
        ("PLLSAICFGR", "pllm") => part.is_of(&["F446"]),
        // RM0090, RM0386, RM0390: the parts with a PLL for SAI.
        ("PLLSAICFGR", _) => part.is_of(&["427/437", "429/439", "469/479", "F446"]),
        // RM0402, RM0430, RM0390: a source for the SPIs of each APB; RM0368, RM0383, RM0090, RM0386: one in RCC_CFGR for all.
        ("DCKCFGR", "i2s1src" | "i2s2src") => part.is_of(&["F412", "413/423", "F446"]),
        ("CFGR", "i2ssrc") => !part.is_of(&["F410", "F412", "413/423", "F446"]),
        // RM0386, RCC_DCKCFGR; RM0402, RM0430, RM0390, RCC_DCKCFGR2.
        ("DCKCFGR", "clk48sel" | "sdiosel") => part.is_of(&["469/479"]),
        ("DCKCFGR2", "clk48sel" | "sdiosel") => part.is_of(&["F412", "413/423", "F446"]),
        _ => true,
    }
}

/// RM0390, "RCC registers": the bits of a register, and of two fields at one place the one that the part has.
fn f446_rcc(register: &str, field: &str, bit: u32) -> bool {
    let bits: u32 = match register {
        "CFGR" => return !["mco1en", "mco2en", "i2ssrc"].contains(&field),
        "PLLI2SCFGR" => 0x7F03_7FFF,
        "PLLSAICFGR" => 0x0F03_7FFF,
        "DCKCFGR" => 0x1FF0_1F1F,
        "CKGATENR" => 0x0000_007F,
        "DCKCFGR2" => 0x3CC0_0000,
        _ => u32::MAX,
    };
    const OTHERS: [&str; 9] = [
        "plli2sdivr", "plldivr", "pllsaidivr", "sai1asrc", "sai1bsrc", "i2ssrc", "clk48sel", "sdiosel", "ckdfsdm2asel",
    ];
    let elsewhere = OTHERS.contains(&field) || field == "dsisel";
    bits >> bit & 1 != 0 && (!elsewhere || (register == "DCKCFGR2" && ["clk48sel", "sdiosel"].contains(&field)))
}

/// The width of a field where this part has fewer bits than described.
pub fn field_width(part: &Part<'_>, kind: &str, field: &str, described: u32) -> u32 {
    match (part.family, kind, field) {
        // RM0390, FLASH_CR: eight sectors, SNB[3:0]; RM0090: with two banks SNB[4:0].
        (Family::F4, "flash", "snb") => if has_two_banks_f4(part) { 5 } else { 4 },
        // RM0390, FLASH_OPTCR: nWRP[7:0]; RM0090: [11:0].
        (Family::F4, "flash", "n_wrp") if part.is_of(&["F446", "F411", "F401", "F410"]) => 8,
        _ => described,
    }
}

/// The manual's name of a field, where the metadata has another's.
pub fn field_name(part: &Part<'_>, kind: &str, field: &str) -> String {
    match (part.family, kind, field) {
        // RM0390, RCC_APB1RSTR: bit 27 is CEC's.
        (Family::F4, "rcc", "can3rst") if has(part, "CEC") => "CECRST".to_owned(),
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
pub fn register_name(part: &Part<'_>, kind: &str, name: &str, number: &str, suffix: &str) -> String {
    match (kind, name) {
        ("rcc", "gpiorstr") => "IOPRSTR".to_owned(),
        ("rcc", "gpioenr") => "IOPENR".to_owned(),
        ("rcc", "gpiosmenr") => "IOPSMENR".to_owned(),
        ("timer", "ccmr_output") => format!("CCMR{number}"),
        ("timer", "ccmr_input") => format!("CCMR{number}_INPUT"),
        ("timer", "or") if part.family != Family::F4 => "OR1".to_owned(),
        // RM0351, "TIM1 option register 2".
        ("timer", "af1") if part.family == Family::L4 => "OR2".to_owned(),
        ("timer", "af2") if part.family == Family::L4 => "OR3".to_owned(),
        ("crc", "dr32") => "DR".to_owned(),
        ("gpio", "afr") => if number == "0" { "AFRL" } else { "AFRH" }.to_owned(),
        ("gpio", "cr") => if number == "0" { "CRL" } else { "CRH" }.to_owned(),
        ("bdma", "cr") => format!("CCR{suffix}"),
        ("bdma", "ndtr") => format!("CNDTR{suffix}"),
        ("bdma", "par") => format!("CPAR{suffix}"),
        ("bdma", "mar") => format!("CMAR{suffix}"),
        ("dma", "isr" | "ifcr") => format!("{}{}", if number == "0" { "L" } else { "H" }, name.to_uppercase()),
        ("dma", _) => format!("S{suffix}{}", name.to_uppercase()),
        ("pwr", "cr1") if part.family == Family::F4 => "CR".to_owned(),
        ("pwr", "csr1") if part.family == Family::F4 => "CSR".to_owned(),
        ("exti", _) if matches!(part.family, Family::F1 | Family::F4) => name.to_uppercase(),
        ("syscfg", "memrm") if part.family == Family::F4 => "MEMRMP".to_owned(),
        _ => format!("{}{number}{suffix}", name.to_uppercase()),
    }
}

/// Registers that the metadata leaves out: name, offset, and the name of its sixteen one-bit fields; none of these if that is
/// empty.
pub fn extra_registers(part: &Part<'_>, kind: &str) -> &'static [(&'static str, u32, &'static str)] {
    match (part.family, kind) {
        // RM0490, RM0444, RM0440, RM0351, "GPIO port bit reset register (GPIOx_BRR)"; RM0390 has none.
        (Family::C0 | Family::G0 | Family::G4 | Family::L4, "gpio") => &[("BRR", 0x28, "BR")],
        // RM0432, PWR_CR5; RM0351 has none.
        (Family::L4, "pwr") if part.metadata.family == "STM32L4+" => &[("CR5", 0x80, "")],
        _ => &[],
    }
}

/// Fields that the metadata leaves out: register, name, lowest bit, width.
pub fn extra_fields(part: &Part<'_>, kind: &str) -> &'static [(&'static str, &'static str, u32, u32)] {
    match (part.family, kind) {
        // RM0390, FLASH_SR.RDERR.
        (Family::F4, "flash") if part.is_of(&["F446"]) => &[("SR", "RDERR", 8, 1)],
        // RM0490, ADC_CHSELR: channel 22 is PB12.
        (Family::C0, "adc") => &[("CHSELR", "CHSEL22", 22, 1)],
        // RM0440 and RM0432, PWR_CR5.R1MODE.
        (Family::G4 | Family::L4, "pwr") => &[("CR5", "R1MODE", 8, 1)],
        // RM0351, ADC_CFGR.JQDIS, ADC_CCR.PRESC.
        (Family::L4, "adc") => &[("CFGR", "JQDIS", 31, 1)],
        (Family::L4, "adccommon") => &[("CCR", "PRESC", 18, 4)],
        _ => &[],
    }
}

/// Tells if the enable bit that the metadata gives for a peripheral exists on this part.
pub fn is_gated(part: &Part<'_>) -> bool {
    match (part.family, &*part.peripheral.name) {
        // RM0390, RCC_APB1ENR: RTCAPBEN is of other parts (RM0401, RM0402, RM0430); the RTC's clock is RCC_BDCR.RTCEN.
        (Family::F4, "RTC") => has_rtc_gate_f4(part),
        // RM0008, RCC_AHBENR: FLITFEN clocks the flash interface in Sleep mode only.
        (Family::F1, "FLASH") => false,
        _ => true,
    }
}

/// The block whose enable and reset bits a peripheral shares, of which the metadata does not say it.
fn sharing<'a>(part: &Part<'a>) -> Option<&'a Peripheral> {
    let name = &*part.peripheral.name;
    let first = match part.family {
        Family::F1 | Family::F4 => return None,
        _ if name == "ADC345_COMMON" => "ADC3",
        _ if name.ends_with("_COMMON") => "ADC1",
        _ if name == "DMAMUX1" => "DMA1",
        _ if name == "USBRAM" => "USB",
        _ if name.starts_with("FDCANRAM") => "FDCAN1",
        // RM0444, RCC_APBENR1.RTCAPBEN; RM0440, RCC_APB1ENR1.RTCAPBEN.
        _ if name == "TAMP" => "RTC",
        // RM0444, RCC_APBENR2.SYSCFGEN: "SYSCFG, COMP and VREFBUF clock enable"; RM0440, RCC_APB2ENR; RM0351 likewise.
        _ if name.starts_with("COMP") || name.starts_with("OPAMP") || name == "VREFBUF" => "SYSCFG",
        _ => return None,
    };
    part.metadata.common.peripherals.iter().find(|known| known.name == first)
}

/// The RCC register and field that enable a peripheral of which the metadata does not say it.
pub fn enable(part: &Part<'_>) -> Option<RccRegister> {
    let name = &*part.peripheral.name;
    // RM0490, "APB peripheral clock enable register 1", and RM0444: DBGEN clocks the debug support's registers.
    if matches!(part.family, Family::C0 | Family::G0) && name == "DBGMCU" {
        return Some(RccRegister { register: "APBENR1".to_owned(), field: "DBGEN".to_owned() });
    }
    sharing(part)?.rcc.as_ref()?.enable.clone()
}

/// The same of the bit that resets a peripheral.
pub fn reset(part: &Part<'_>) -> Option<RccRegister> {
    let name = &*part.peripheral.name;
    // RM0390, RCC_APB2RSTR.ADCRST: one bit for all converters and their common registers.
    if part.family == Family::F4 && name.starts_with("ADC") {
        return Some(RccRegister { register: "APB2RSTR".to_owned(), field: "ADCRST".to_owned() });
    }
    let shares = name.ends_with("_COMMON").then(|| sharing(part)).flatten();
    shares?.rcc.as_ref()?.reset.clone()
}

/// Tells if the metadata gives the registers of a peripheral a second time.
pub fn is_repeated(part: &Metadata, peripheral: &Peripheral) -> bool {
    // RM0444, ADC_CCR: the only common register, at offset 0x308 of the converter, among whose registers it is.
    family(part) == Family::G0 && peripheral.name == "ADC1_COMMON"
}

/// The address of a peripheral where the metadata has another.
pub fn address(part: &Metadata, peripheral: &Peripheral) -> u32 {
    match (family(part), &*peripheral.name) {
        // RM0490, ADC_CCR: offset 0x308 of the converter; the metadata gives that register's address and its offset from 0x300.
        (Family::C0, "ADC1_COMMON") => peripheral.address & !0xFF,
        _ => peripheral.address,
    }
}

/// The way in which flash is split into banks as the part leaves the factory, among the metadata's.
pub fn bank_layout(part: &Metadata) -> usize {
    match family(part) {
        // RM0440, FLASH_OPTR.DBANK, RM0432 likewise: set at the factory, and a bank is half of the flash. RM0090,
        // FLASH_OPTCR.DB1M and RM0444, FLASH_OPTR.DUAL_BANK: of parts that can do both, one bank, but those with one layout.
        Family::G4 | Family::L4 => part.memory.len() - 1,
        _ => 0,
    }
}
