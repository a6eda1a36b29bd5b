//! Maps made from other descriptions or by hand: every bit is in one field or reserved, and what is modelled exists.

use cyclescope_peripherals::bank::Modelled;
use cyclescope_peripherals::lm3s::{declared as declared_lm3s, uart as lm3s_uart};
use cyclescope_peripherals::{Map, kinetis};

/// Those of the LM3S6965, declared by hand.
const LM3S: &[(&Map, &[Modelled])] = &[
    (&lm3s_uart::UART_MAP, lm3s_uart::UART),
    (&declared_lm3s::SYSCTL_MAP, declared_lm3s::SYSCTL),
    (&declared_lm3s::GPIO_MAP, declared_lm3s::GPIO),
];

/// The Kinetis' by kind.
const K20: &[(&str, &[Modelled])] = &[
    ("sim", kinetis::sim::MODEL),
    ("mcg", kinetis::mcg::MODEL),
    ("fmc", kinetis::fmc::MODEL),
    ("ftfl", kinetis::ftfl::MODEL),
    ("gpio", kinetis::gpio::MODEL),
    ("port", kinetis::port::MODEL),
    ("pit", kinetis::pit::MODEL),
    ("adc", kinetis::adc::MODEL),
    ("pdb", kinetis::pdb::MODEL),
    ("dma", kinetis::edma::MODEL),
    ("dmamux", kinetis::dmamux::MODEL),
    ("i2c", kinetis::i2c::MODEL),
    ("spi", kinetis::spi::MODEL),
    ("uart", kinetis::uart::MODEL),
    ("wdog", kinetis::wdog::MODEL),
    ("pmc", kinetis::system::PMC),
    ("smc", kinetis::system::SMC),
    ("rcm", kinetis::system::RCM),
    ("osc", kinetis::system::OSC),
];

fn check(map: &Map, models: &[Modelled]) {
    for (name, model) in models.iter().flat_map(|model| model.registers().map(move |name| (name, model))) {
        let Some(register) = map.register(name) else { panic!("{} {name}", map.kind) };
        let reserved = model.reset & !register.declared();
        // The manuals' reset values hold a few reserved bits that read 1; those stay.
        assert!(reserved == 0 || map.version == "k20" || ["can", "flash"].contains(&map.kind), "{} {name}", map.kind);
        for field in model.fields.names() {
            assert!(register.fields.iter().any(|known| known.name == *field), "{} {name}.{field}", map.kind);
        }
    }
}

#[test]
fn what_is_modelled_is_declared() {
    for (map, models) in LM3S {
        check(map, models);
    }
    for (kind, models) in K20 {
        let maps: Vec<_> = kinetis::generated::ALL.iter().filter(|(map, _)| map.kind == *kind).collect();
        assert!(!maps.is_empty(), "{kind}");
        for (map, _) in maps {
            check(map, models);
        }
    }
}

#[test]
fn words_lie_apart_and_fields_too() {
    let maps = kinetis::generated::ALL.iter().map(|(map, _)| *map).chain(LM3S.iter().map(|(map, _)| *map));
    let mut bits = 0;
    for map in maps {
        for pair in map.registers.windows(2) {
            assert!(pair[0].offset < pair[1].offset, "{} {}", map.kind, pair[1].name);
        }
        for register in map.registers {
            assert_eq!(register.offset % 4, 0, "{} {}", map.kind, register.name);
            let mut seen = 0;
            for field in register.fields {
                assert!(u32::from(field.low) + u32::from(field.width) <= 32, "{}.{}", register.name, field.name);
                assert_eq!(seen & field.mask(), 0, "{} {}.{}", map.kind, register.name, field.name);
                seen |= field.mask();
            }
            bits += register.declared().count_ones();
        }
    }
    assert!(bits > 10_000, "the maps are not empty");
}

#[test]
fn described_values_after_reset_belong_to_registers() {
    for (map, values) in kinetis::generated::ALL {
        check(map, values);
    }
}
