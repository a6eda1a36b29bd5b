//! Every bit of every register is declared: in one field or reserved, and what is modelled exists.

use cyclescope_chips::Part;
use cyclescope_peripherals::bank::Modelled;
use cyclescope_peripherals::stm32::{
    adc_c0, adc_f1, adc_v2, adc_v3, afio_f1, bkp_v1, can, comp, cordic, crc_v1, crc_v3, dac_v2, declared_f1, dma_v1,
    dma_v2, dmamux_v1, exti_c0, exti_v1, fdcan, flash_c0, flash_f1, flash_f4, flash_g0, flash_g4, flash_l4, gpio_v1,
    gpio_v2, i2c_v1, i2c_v2, iwdg_v2, lptim, otg_v1, pwr_c0, pwr_f1, pwr_f4, pwr_g0, pwr_g4, pwr_l4, rcc_c0, rcc_f1,
    rcc_f4, rcc_g0, rcc_g4, rcc_l4, rng, rtc_v1, rtc_v2, rtc_v3, sdmmc_v1, spi_v1, spi_v3, tamp, timer_v3, usart_v1,
    usart_v4, usb_v1, vrefbuf, wwdg_v2,
};
use cyclescope_peripherals::{Map, small};

/// The models of all blocks: kind, versions that use the model, model.
const MODELS: &[(&str, &[&str], &[Modelled])] = &[
    ("adc", &["c0"], adc_c0::MODEL),
    ("adccommon", &["c0"], adc_c0::COMMON),
    ("adc", &["g0"], adc_c0::MODEL_G0),
    ("adc", &["v3"], adc_v3::MODEL),
    ("adc", &["g4"], adc_v3::MODEL_G4),
    ("adccommon", &["v3"], adc_v3::COMMON),
    ("adccommon", &["g4"], adc_v3::COMMON_G4),
    ("adc", &["v2"], adc_v2::MODEL),
    ("adccommon", &["v2"], adc_v2::COMMON),
    ("bdma", &["v1", "v2"], dma_v1::MODEL),
    ("comp", &["v1"], comp::MODEL_V1),
    ("comp", &["v2", "v3"], comp::MODEL),
    ("crc", &["v3"], crc_v3::MODEL),
    ("dac", &["v1"], dac_v2::MODEL_V1),
    ("dac", &["v2"], dac_v2::MODEL),
    ("dbgmcu", &["c0", "g0"], small::DBGMCU_C0),
    ("dbgmcu", &["f4", "g4", "l4"], small::DBGMCU_F4),
    ("dac", &["v3"], dac_v2::MODEL_V3),
    ("dac", &["v4"], dac_v2::MODEL_V4),
    ("dac", &["v5"], dac_v2::MODEL_V5),
    ("dac", &["v7"], dac_v2::MODEL_V7),
    ("dma", &["v2"], dma_v2::MODEL),
    ("dmamux", &["v1"], dmamux_v1::MODEL),
    ("exti", &["c0"], exti_c0::MODEL),
    ("exti", &["g0"], exti_c0::MODEL_G0),
    ("exti", &["v1"], exti_v1::MODEL),
    ("exti", &["v1"], exti_v1::MODEL_L4),
    ("exti", &["v1"], exti_v1::MODEL_G4),
    ("flash", &["c0"], flash_c0::MODEL),
    ("flash", &["f4"], flash_f4::MODEL),
    ("flash", &["g0x0", "g0x1"], flash_g0::MODEL),
    ("flash", &["g4c2", "g4c3", "g4c4"], flash_g4::MODEL),
    ("flash", &["l4"], flash_l4::MODEL),
    ("gpio", &["v2", "v2_l478"], gpio_v2::MODEL),
    ("gpio", &["v2", "v2_l478"], gpio_v2::MODEL_A),
    ("gpio", &["v2", "v2_l478"], gpio_v2::MODEL_JTAG_A),
    ("gpio", &["v2", "v2_l478"], gpio_v2::MODEL_F4),
    ("can", &["bxcan"], can::MODEL),
    ("sdmmc", &["v1"], sdmmc_v1::MODEL),
    ("i2c", &["v1"], i2c_v1::MODEL),
    ("fmpi2c", &["v2"], i2c_v2::MODEL),
    ("i2c", &["v2"], i2c_v2::MODEL),
    ("iwdg", &["v1", "v2"], iwdg_v2::MODEL),
    ("otg", &["v1"], otg_v1::MODEL),
    ("pwr", &["c0"], pwr_c0::MODEL),
    ("pwr", &["f4"], pwr_f4::MODEL),
    ("rcc", &["c0", "c0v2"], rcc_c0::MODEL),
    ("rcc", &["f4", "f410"], rcc_f4::MODEL),
    ("rcc", &["g0x0", "g0x1"], rcc_g0::MODEL),
    ("rcc", &["g4"], rcc_g4::MODEL),
    ("rcc", &["l4", "l4plus"], rcc_l4::MODEL),
    ("pwr", &["g0"], pwr_g0::MODEL),
    ("pwr", &["g4"], pwr_g4::MODEL),
    ("pwr", &["l4"], pwr_l4::MODEL),
    ("rtc", &["v3_c0"], rtc_v3::MODEL),
    ("rtc", &["v3_base", "v3_l4"], rtc_v3::MODEL_BASE),
    ("rtc", &["v2_f4", "v2_l4"], rtc_v2::MODEL),
    ("rtc", &["v2_f4", "v2_l4"], rtc_v2::MODEL_L4),
    ("spi", &["v3", "v3_i2s"], spi_v3::MODEL),
    ("spi", &["v1_i2s", "v2_i2s"], spi_v1::MODEL_F4),
    ("syscfg", &["c0"], small::SYSCFG_C0),
    ("syscfg", &["f4"], small::SYSCFG_F4),
    ("syscfg", &["g0"], small::SYSCFG_G0),
    ("syscfg", &["g4", "l4"], small::SYSCFG_G4),
    ("syscfg", &["l4"], small::SYSCFG_L4),
    ("tamp", &["g0", "g4"], tamp::MODEL),
    ("timer", &["v1"], timer_v3::MODEL_V1),
    ("timer", &["v2"], timer_v3::MODEL_V2),
    ("timer", &["v3"], timer_v3::MODEL_V3),
    ("usart", &["v1", "v2"], usart_v1::MODEL),
    ("usart", &["v3", "v4"], usart_v4::MODEL),
    ("vrefbuf", &["v1", "v2b"], vrefbuf::MODEL),
    ("wwdg", &["v1", "v2"], wwdg_v2::MODEL),
    ("rcc", &["f1", "f100", "f1cl"], rcc_f1::MODEL),
    ("flash", &["f1"], flash_f1::MODEL),
    ("gpio", &["v1"], gpio_v1::MODEL),
    ("afio", &["f1"], afio_f1::MODEL),
    ("pwr", &["f1"], pwr_f1::MODEL),
    ("bkp", &["v1"], bkp_v1::MODEL),
    ("crc", &["v1"], crc_v1::MODEL),
    ("dbgmcu", &["f1"], declared_f1::DBGMCU),
    ("rtc", &["v1"], rtc_v1::MODEL),
    ("adc", &["f1"], adc_f1::MODEL),
    ("usb", &["v1"], usb_v1::MODEL),
    ("usb", &["v3"], usb_v1::MODEL_V3),
    ("usb", &["v4"], usb_v1::MODEL_V4),
    ("rng", &["v1"], rng::MODEL_V1),
    ("rng", &["v2"], rng::MODEL_V2),
    ("lptim", &["v1a", "v1b", "v1b_g4"], lptim::MODEL),
    ("cordic", &["v1"], cordic::MODEL),
    ("can", &["fdcan_v1"], fdcan::MODEL),
    ("spi", &["v1"], spi_v1::MODEL),
];

/// The register maps of all STM32, each once a family.
fn maps() -> Vec<&'static Map> {
    let parts = Part::names().filter(|name| name.starts_with("stm32")).map(|name| Part::find(name).unwrap());
    let mut maps: Vec<&Map> =
        parts.flat_map(|part| part.soc().unwrap().instances().map(|instance| instance.map)).collect();
    maps.sort_by_key(|map| std::ptr::from_ref(*map));
    maps.dedup_by_key(|map| std::ptr::from_ref(*map));
    maps
}

#[test]
fn no_field_overlaps_another_or_leaves_its_register() {
    let mut bits = 0;
    for map in maps() {
        for register in map.registers {
            let name = format!("{} {} {}", map.kind, map.version, register.name);
            let mut seen = 0u64;
            for field in register.fields {
                assert!(u32::from(field.low + field.width) <= u32::from(register.bits), "{name}.{}", field.name);
                let mask = u64::from(field.mask());
                assert_eq!(seen & mask, 0, "{name}.{} overlaps", field.name);
                seen |= mask;
            }
            assert_eq!(register.offset % u32::from(register.bits / 8), 0, "{name}");
            bits += register.bits as usize;
        }
    }
    assert!(bits > 5_000, "the maps are not empty");
}

#[test]
fn registers_lie_apart_unless_one_is_a_view_of_the_other() {
    for map in maps() {
        for pair in map.registers.windows(2) {
            assert!(pair[0].offset <= pair[1].offset, "{} is sorted", map.kind);
            assert_eq!(pair[0].offset == pair[1].offset, pair[1].alternate, "{} {}", map.kind, pair[1].name);
        }
    }
}

#[test]
fn what_is_modelled_is_declared() {
    let maps = maps();
    for (kind, versions, models) in MODELS {
        for (name, model) in models.iter().flat_map(|model| model.registers().map(move |name| (name, model))) {
            let known: Vec<_> = maps
                .iter()
                .filter(|map| map.kind == *kind && versions.contains(&map.version))
                .filter_map(|map| map.register(name))
                .collect();
            assert!(!known.is_empty(), "{kind} {versions:?} {name}");
            for field in model.fields.names() {
                let found = known.iter().any(|register| register.fields.iter().any(|known| known.name == *field));
                assert!(found, "{kind} {name}.{field}");
            }
        }
    }
}
