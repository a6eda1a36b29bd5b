//! ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use cyclescope_peripherals::esp::{generated32 as generated, pins_of};
use cyclescope_peripherals::{BusClock, Instance, Map, RccBit, SignalLine};

/// The block `name` at `address`, whose registers are `map`.
const fn block(name: &'static str, address: u32, map: &'static Map, interrupts: &'static [SignalLine]) -> Instance {
    Instance {
        name,
        address,
        map,
        clock: BusClock::Apb1,
        enable: None,
        reset: None,
        interrupts,
        requests: &[],
        triggers: &[],
        remap: None,
        pins: pins_of(map, name),
    }
}

/// `block`, which DPORT gates and resets by its bit `bit`.
const fn gated(block: Instance, bit: u8) -> Instance {
    Instance { enable: Some(RccBit { offset: 0xC0, bit }), reset: Some(RccBit { offset: 0xC4, bit }), ..block }
}

/// The block's signal `signal` is the source `line` of the part's interrupts.
const fn line(signal: &'static str, line: u8) -> SignalLine {
    SignalLine { signal, line }
}

/// The peripherals, by address.
pub(crate) const PERIPHERALS: &[Instance] = &[
    block(
        "DPORT",
        0x3ff00000,
        &generated::dport::MAP,
        &[line("CPU_0", 24), line("CPU_1", 25), line("CPU_2", 26), line("CPU_3", 27)],
    ),
    block("AES", 0x3ff01000, &generated::aes::MAP, &[]),
    block("RSA", 0x3ff02000, &generated::rsa::MAP, &[line("RSA", 51)]),
    block("SHA", 0x3ff03000, &generated::sha::MAP, &[]),
    gated(block("UART0", 0x3ff40000, &generated::uart0::MAP, &[line("UART", 34)]), 2),
    block("SPI1", 0x3ff42000, &generated::spi1::MAP, &[line("SPI", 29), line("DMA", 52)]),
    block("SPI0", 0x3ff43000, &generated::spi1::MAP, &[line("SPI", 28)]),
    block("GPIO", 0x3ff44000, &generated::gpio::MAP, &[line("GPIO", 22), line("NMI", 23)]),
    block("GPIO_SD", 0x3ff44f00, &generated::gpio_sd::MAP, &[]),
    block("FLASH_ENCRYPTION", 0x3ff46000, &generated::flash_encryption::MAP, &[]),
    block("FRC_TIMER", 0x3ff47000, &generated::frc_timer::MAP, &[line("FRC1", 56), line("FRC2", 57)]),
    block("RTC_CNTL", 0x3ff48000, &generated::rtc_cntl::MAP, &[line("RTC", 46)]),
    block("RTC_IO", 0x3ff48400, &generated::rtc_io::MAP, &[]),
    block("SENS", 0x3ff48800, &generated::sens::MAP, &[]),
    block("RTC_I2C", 0x3ff48c00, &generated::rtc_i2c::MAP, &[]),
    block("IO_MUX", 0x3ff49000, &generated::io_mux::MAP, &[]),
    block("HINF", 0x3ff4b000, &generated::hinf::MAP, &[]),
    block("UHCI1", 0x3ff4c000, &generated::uhci1::MAP, &[line("UHCI", 13)]),
    block("I2S0", 0x3ff4f000, &generated::i2s0::MAP, &[line("I2S", 32)]),
    gated(block("UART1", 0x3ff50000, &generated::uart0::MAP, &[line("UART", 35)]), 5),
    block("I2C0", 0x3ff53000, &generated::i2c0::MAP, &[line("I2C", 49)]),
    block("UHCI0", 0x3ff54000, &generated::uhci1::MAP, &[line("UHCI", 12)]),
    block("SLCHOST", 0x3ff55000, &generated::slchost::MAP, &[]),
    block("RMT", 0x3ff56000, &generated::rmt::MAP, &[line("RMT", 47)]),
    block("PCNT", 0x3ff57000, &generated::pcnt::MAP, &[line("PCNT", 48)]),
    block("SLC", 0x3ff58000, &generated::slc::MAP, &[]),
    block("LEDC", 0x3ff59000, &generated::ledc::MAP, &[line("LEDC", 43)]),
    block("EFUSE", 0x3ff5a000, &generated::efuse::MAP, &[line("EFUSE", 44)]),
    block("MCPWM0", 0x3ff5e000, &generated::mcpwm0::MAP, &[line("PWM", 39)]),
    gated(
        block(
            "TIMG0",
            0x3ff5f000,
            &generated::timg0::MAP,
            &[
                line("T0", 14),
                line("T1", 15),
                line("WDT", 16),
                line("LACT", 17),
                line("T0_EDGE", 58),
                line("T1_EDGE", 59),
                line("WDT_EDGE", 60),
                line("LACT_EDGE", 61),
            ],
        ),
        13,
    ),
    gated(
        block(
            "TIMG1",
            0x3ff60000,
            &generated::timg0::MAP,
            &[
                line("T0", 18),
                line("T1", 19),
                line("WDT", 20),
                line("LACT", 21),
                line("T0_EDGE", 62),
                line("T1_EDGE", 63),
                line("WDT_EDGE", 64),
                line("LACT_EDGE", 65),
            ],
        ),
        15,
    ),
    block("SPI2", 0x3ff64000, &generated::spi1::MAP, &[line("SPI", 30), line("DMA", 53)]),
    block("SPI3", 0x3ff65000, &generated::spi1::MAP, &[line("SPI", 31), line("DMA", 54)]),
    block("APB_CTRL", 0x3ff66000, &generated::apb_ctrl::MAP, &[]),
    block("I2C1", 0x3ff67000, &generated::i2c0::MAP, &[line("I2C", 50)]),
    block("SDHOST", 0x3ff68000, &generated::sdhost::MAP, &[line("SDIO", 37)]),
    block("GMAC_DMA", 0x3ff69000, &generated::gmac_dma::MAP, &[]),
    block("EMAC_EXT", 0x3ff69800, &generated::emac_ext::MAP, &[]),
    block("GMAC", 0x3ff6a000, &generated::gmac::MAP, &[line("MAC", 38)]),
    block("TWAI0", 0x3ff6b000, &generated::twai0::MAP, &[line("TWAI", 45)]),
    block("MCPWM1", 0x3ff6c000, &generated::mcpwm0::MAP, &[line("PWM", 40)]),
    block("I2S1", 0x3ff6d000, &generated::i2s0::MAP, &[line("I2S", 33)]),
    gated(block("UART2", 0x3ff6e000, &generated::uart0::MAP, &[line("UART", 36)]), 23),
    block("RNG", 0x3ff75000, &generated::rng::MAP, &[]),
];
