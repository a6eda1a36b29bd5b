//! Maps made from other descriptions or by hand: every bit is in one field or reserved, and what is modelled exists.

use cyclescope_peripherals::bank::Modelled;
use cyclescope_peripherals::lm3s::{declared as declared_lm3s, uart as lm3s_uart};
use cyclescope_peripherals::{Map, esp, kinetis, nrf, rp};

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

/// The nRF52840's by kind, those that are modelled in part.
const NRF: &[(&str, &[Modelled])] = &[
    ("clock_power", nrf::clock::PARTLY),
    ("clock_power", nrf::power::PARTLY),
    ("comp_lpcomp", nrf::comp::PARTLY),
    ("ecb", nrf::ecb::PARTLY),
    ("egu", nrf::egu::PARTLY),
    ("gpio", nrf::gpio::PARTLY),
    ("gpiote", nrf::gpiote::PARTLY),
    ("nvmc", nrf::nvmc::PARTLY),
    ("ppi", nrf::ppi::PARTLY),
    ("pwm", nrf::pwm::PARTLY),
    ("qdec", nrf::qdec::PARTLY),
    ("rng", nrf::rng::PARTLY),
    ("rtc", nrf::rtc::PARTLY),
    ("saadc", nrf::saadc::PARTLY),
    ("temp", nrf::temp::PARTLY),
    ("timer", nrf::timer::PARTLY),
    ("twispi", nrf::serial::PARTLY),
    ("uarte", nrf::uarte::PARTLY),
    ("usbd", nrf::usbd::PARTLY),
    ("wdt", nrf::wdt::PARTLY),
];

/// The RP2040's by kind, those that are modelled in part.
const RP: &[(&str, &[Modelled])] = &[
    ("adc", rp::adc::PARTLY),
    ("i2c", rp::i2c::PARTLY),
    ("pwm", rp::pwm::PARTLY),
    ("rtc", rp::rtc::PARTLY),
    ("spi", rp::spi::PARTLY),
    ("uart", rp::uart::PARTLY),
    ("usb", rp::usb::PARTLY),
    ("dma", rp::dma::PARTLY),
    ("pio", rp::pio::PARTLY),
    ("busctrl", rp::bus_control::PARTLY),
    ("clocks", rp::clocks::PARTLY),
    ("io_bank", rp::io::PARTLY),
    ("io_qspi", rp::xip::IO_PARTLY),
    ("pads_bank", rp::pads::PARTLY),
    ("pll", rp::oscillators::PLL_PARTLY),
    ("psm", rp::small::PSM_PARTLY),
    ("resets", rp::resets::PARTLY),
    ("rosc", rp::oscillators::ROSC_PARTLY),
    ("sio", rp::sio::PARTLY),
    ("ssi", rp::ssi::PARTLY),
    ("syscfg", rp::small::SYSCFG_PARTLY),
    ("timer", rp::timer::PARTLY),
    ("vreg_and_chip_reset", rp::small::VREG_PARTLY),
    ("watchdog", rp::watchdog::PARTLY),
    ("xip_ctrl", rp::xip::PARTLY),
    ("xosc", rp::oscillators::XOSC_PARTLY),
];

/// The ESP8266's by kind.
const ESP8266: &[(&str, &[Modelled])] = &[
    ("dport", esp::dport8266::MODEL),
    ("gpio", esp::gpio::GPIO_8266),
    ("io_mux", esp::PADS_8266),
    ("rtc", esp::rtc8266::MODEL),
    ("timer", esp::frc::MODEL),
    ("uart", esp::uart::UART_8266),
    ("wdt", esp::wdt::MODEL),
];

/// The ESP32's by kind.
const ESP32: &[(&str, &[Modelled])] = &[
    ("apb_ctrl", esp::system::MODEL),
    ("dport", esp::dport32::MODEL),
    ("frc_timer", esp::frc::MODEL),
    ("gpio", esp::gpio::GPIO_32),
    ("io_mux", esp::PADS_32),
    ("rtc_cntl", esp::rtc32::MODEL),
    ("timg", esp::timg::MODEL),
    ("uart", esp::uart::UART_32),
];

/// All maps that come from a description, each with its values after reset.
fn described() -> impl Iterator<Item = &'static (&'static Map, &'static [Modelled])> {
    let esp = esp::generated8266::ALL.iter().chain(esp::generated32::ALL);
    kinetis::generated::ALL.iter().chain(nrf::generated::ALL).chain(rp::generated::ALL).chain(esp)
}

fn check(map: &Map, models: &[Modelled]) {
    for (name, model) in models.iter().flat_map(|model| model.registers().map(move |name| (name, model))) {
        let Some(register) = map.register(name) else { panic!("{} {name}", map.kind) };
        let reserved = model.reset & !register.declared();
        // The manuals' reset values hold a few reserved bits that read 1; those stay.
        assert!(
            reserved == 0
                || ["k20", "nrf52", "rp2040", "esp32"].contains(&map.version)
                || ["can", "flash"].contains(&map.kind),
            "{} {name}",
            map.kind
        );
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
    let vendors = [(K20, "k20"), (NRF, "nrf52"), (RP, "rp2040"), (ESP8266, "esp8266"), (ESP32, "esp32")];
    for ((kind, models), version) in vendors.iter().flat_map(|(of, version)| of.iter().map(move |one| (one, version))) {
        let maps: Vec<_> = described().filter(|(map, _)| map.kind == *kind && map.version == *version).collect();
        assert!(!maps.is_empty(), "{kind}");
        for (map, _) in maps {
            check(map, models);
        }
    }
}

#[test]
fn words_lie_apart_and_fields_too() {
    let maps = described().map(|(map, _)| *map).chain(LM3S.iter().map(|(map, _)| *map));
    let mut bits = 0;
    for map in maps {
        for pair in map.registers.windows(2) {
            assert!(pair[0].offset <= pair[1].offset, "{} {}", map.kind, pair[1].name);
            assert_eq!(pair[0].offset == pair[1].offset, pair[1].alternate, "{} {}", map.kind, pair[1].name);
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
    for (map, values) in described() {
        check(map, values);
    }
}
