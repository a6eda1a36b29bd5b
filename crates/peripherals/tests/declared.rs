//! Every bit of every register is declared: in one field or reserved, and what is modelled exists.

use cyclescope_peripherals::bank::{Fields, Modelled};
use cyclescope_peripherals::{
    crc_v3, dma_v1, dmamux_v1, exti_c0, flash_c0, generated, gpio_v2, iwdg_v2, rcc_c0, small, timer_v3, usart_v4,
    wwdg_v2,
};

const MODELS: &[(&str, &[Modelled])] = &[
    ("adc", small::ADC_C0),
    ("bdma", dma_v1::MODEL),
    ("crc", crc_v3::MODEL),
    ("dbgmcu", small::DBGMCU_C0),
    ("dmamux", dmamux_v1::MODEL),
    ("exti", exti_c0::MODEL),
    ("flash", flash_c0::MODEL),
    ("gpio", gpio_v2::MODEL),
    ("gpio", gpio_v2::MODEL_A),
    ("i2c", small::I2C_V2),
    ("iwdg", iwdg_v2::MODEL),
    ("pwr", small::PWR_C0),
    ("rcc", rcc_c0::MODEL),
    ("rtc", small::RTC_V3),
    ("spi", small::SPI_V3),
    ("syscfg", small::SYSCFG_C0),
    ("timer", timer_v3::MODEL),
    ("usart", usart_v4::MODEL),
    ("wwdg", wwdg_v2::MODEL),
];

#[test]
fn no_field_overlaps_another_or_leaves_its_register() {
    let mut bits = 0;
    for map in generated::ALL {
        for register in map.registers {
            let name = format!("{} {} {}", map.kind, map.version, register.name);
            let mut seen = 0u64;
            for field in register.fields {
                assert!(u32::from(field.low + field.width) <= u32::from(register.bits), "{name}.{}", field.name);
                let mask = u64::from(field.mask());
                assert_eq!(seen & mask, 0, "{name}.{} overlaps", field.name);
                seen |= mask;
            }
            assert_eq!(register.offset % 4, 0, "{name}");
            bits += register.bits as usize;
        }
    }
    assert!(bits > 5_000, "the maps are not empty");
}

#[test]
fn registers_lie_apart_unless_one_is_a_view_of_the_other() {
    for map in generated::ALL {
        for pair in map.registers.windows(2) {
            assert!(pair[0].offset <= pair[1].offset, "{} is sorted", map.kind);
            assert_eq!(pair[0].offset == pair[1].offset, pair[1].alternate, "{} {}", map.kind, pair[1].name);
        }
    }
}

#[test]
fn what_is_modelled_is_declared() {
    for (kind, models) in MODELS {
        for model in *models {
            let known: Vec<_> = generated::ALL
                .iter()
                .filter(|map| map.kind == *kind)
                .filter_map(|map| map.register(model.register))
                .collect();
            // Larger parts have more multiplexer channels than the maps here.
            let beyond = *kind == "dmamux" && model.register.starts_with("CCR");
            assert!(!known.is_empty() || beyond, "{kind} {}", model.register);
            let Fields::Named(names) = model.fields else { continue };
            for name in names {
                let found = known.iter().any(|register| register.fields.iter().any(|field| field.name == *name));
                assert!(found || beyond, "{kind} {}.{name}", model.register);
            }
        }
    }
}
