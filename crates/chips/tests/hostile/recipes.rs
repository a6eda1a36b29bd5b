//! Ways to get blocks going, which chance would hardly find: transfers, conversions, counters, DMA.

use cyclescope_peripherals::{Instance, Map};

use crate::Random;

/// Writes in order: a register and values for it, of which one is taken.
pub(crate) type Steps<R> = &'static [(R, &'static [u32])];

/// Steps for a kind of block, of which registers that a version lacks are left out.
const RECIPES: &[(&str, Steps<&str>)] = &[
    // I2C v1: speed, then a start, an address, bytes, a stop.
    (
        "i2c",
        &[
            ("CR2", &[0x08, 0x710, 0xF10, 0x1724]),
            ("CCR", &[1, 4, 10, 0x8005, 40]),
            ("TRISE", &[2, 9, 17]),
            ("TIMINGR", &[0, 0x0000_0101, 0x1010_0203, 0x2030_3E5D]),
            ("OAR1", &[0x4084, 0x8084, 0xC142, 0x4000]),
            ("CR1", &[0x401, 0x4401, 1, 0xF8FF, 0x0001_0001]),
            ("CR1", &[0x501, 0x701, 0x301, 0x8001]),
            ("DR", &[0x84, 0x85, 0xA0, 0x78, 0x79, 0xEC, 0xF0]),
            ("CR2", &[0x0202_2084, 0x0202_2484, 0x0001_2050, 0x03FF_2078, 0x0002_3942, 0x00FF_2000]),
            ("TXDR", &[0x55]),
            ("DR", &[0x12]),
            ("DR", &[0x34]),
            ("CR1", &[0x601, 0x401]),
        ],
    ),
    (
        "spi",
        &[
            ("CR1", &[0]),
            ("CR2", &[0x700, 3, 0x1703, 0xF00, 0x10, 0x704, 0]),
            ("I2SCFGR", &[0, 0, 0xE00, 0xC00, 0x800, 0xE30, 0xEB8]),
            ("I2SPR", &[2, 0x102, 0x3FF]),
            ("CR1", &[0x347, 0x34F, 0x2344, 0x8344, 0xC344, 0x744, 0x40, 0x340, 0xB44]),
            ("DR", &[0x1234]),
            ("DR16", &[0x1234, 0x55]),
            ("DR16", &[0xFFFF]),
            // A Kinetis: MCR, CTAR, DMA requests, frames.
            ("MCR", &[0x8000_0000, 0x8000_3000, 0, 0x8000_0C00]),
            ("CTAR0", &[0x3800_0000, 0x7A00_1011, 0xB8FF_FFF7, 0x1800_0000]),
            ("RSER", &[0, 0x0303_0000, 0x0202_0000]),
            ("PUSHR", &[0x0001_0055, 0x8001_1234, 0x0800_FFFF]),
            ("PUSHR", &[0x0001_0055, 0x8001_1234, 0x0800_FFFF]),
        ],
    ),
    (
        "usart",
        &[
            ("BRR", &[16, 17, 69, 1, 0xFFFF]),
            ("CR3", &[0, 0xC0, 8, 0x20, 0x300]),
            ("CR2", &[0, 0x2000, 0x1000, 0x4800]),
            ("CR1", &[0xD, 0x200C, 0x2D, 0x20EC, 0x2000_000D, 0x340D, 0x2005]),
            ("DR", &[0x41]),
            ("TDR", &[0x41]),
            ("DR", &[0x42]),
            ("TDR", &[0x42]),
        ],
    ),
    (
        "adc",
        &[
            // C0: the regulator, a channel, on, a start.
            ("CR", &[0x1000_0000]),
            ("CFGR1", &[0, 3, 0x2000, 0x0001_0003, 0x41]),
            ("CHSELR", &[1, 0x3FF, 0x0040_0000]),
            // F1, F4: a sequence, on, a start.
            ("SQR1", &[0, 0x0030_0000, 0x00F0_0000]),
            ("SQR3", &[0, 0x0000_8821, 0x3FFF_FFFF]),
            ("JSQR", &[0, 0x0030_0000]),
            ("CR1", &[0, 0x100, 0x5E0, 0x900, 0x0006_0000]),
            ("CR2", &[1, 0x101, 0x0010_0003, 0x0301]),
            ("CR2", &[0x4000_0001, 0x005E_0003, 0x4040_0301, 0x0010_0103]),
            ("CR", &[0x1000_0001]),
            ("CR", &[0x1000_0005, 0x8000_0000]),
            // A Kinetis.
            ("CFG1", &[0, 0x0D, 0x79]),
            ("SC2", &[0, 4, 0x40]),
            ("SC3", &[0, 8, 0xC, 0x80]),
            ("SC1A", &[0, 0x45, 0x1A, 0x20]),
        ],
    ),
    (
        "timer",
        &[
            ("PSC", &[0, 0, 1, 7, 99]),
            ("ARR", &[0, 1, 2, 9, 100, 5_000]),
            ("RCR", &[0, 3]),
            ("CCMR1", &[0x6868, 0x0000, 0x3030, 0x0101, 0x0201, 0x7070]),
            ("CCMR2", &[0x6868, 0x0101, 0]),
            ("CCR1", &[0, 1, 5, 50]),
            ("CCR2", &[0, 2, 99]),
            ("SMCR", &[0, 0x54, 0x04, 0x67, 0x77, 0x4000, 0x84, 3]),
            ("CCER", &[0x1111, 0x5555, 0, 0xFFFF]),
            ("BDTR", &[0x8000, 0xD0FF, 0x9010]),
            ("DIER", &[0, 0, 1, 0x7F5F, 0x101, 0x0200]),
            ("CR2", &[0, 0x20, 0x40, 0x80]),
            ("EGR", &[1, 0xFF]),
            ("CR1", &[1, 9, 0x11, 0x61, 0x85, 0x301]),
        ],
    ),
    (
        "can",
        &[
            ("MCR", &[1]),
            ("BTR", &[0, 0x4001_0000, 0x0023_0000, 0xC012_0001, 0x0123_0001, 0x4000_0000]),
            ("FMR", &[1]),
            ("FA1R", &[1]),
            ("FMR", &[0]),
            ("IER", &[0, 0xFF7F]),
            ("MCR", &[0, 0x10, 0x40, 4]),
            ("TDTR0", &[2, 8]),
            ("TIR0", &[0x2460_0001, 5, 3]),
            ("TDTR1", &[0, 15]),
            ("TIR1", &[1, 0xFFFF_FFFD]),
        ],
    ),
    (
        "usb",
        &[
            ("CNTR", &[0, 0xFF00]),
            ("ISTR", &[0]),
            ("BTABLE", &[0, 0x100, 0xFFF8]),
            ("EPR0", &[0x3210, 0x3220]),
            ("EPR1", &[0x3001, 0x3031, 0x2001]),
            ("DADDR", &[0x80, 0x85]),
        ],
    ),
    (
        "otg",
        &[
            ("GUSBCFG", &[0x4000_1440]),
            ("GCCFG_V1", &[0x0021_0000]),
            ("GCCFG_V2", &[0x0021_0000]),
            ("GOTGCTL", &[0xC0]),
            ("GAHBCFG", &[1]),
            ("GINTMSK", &[0xFFFF_FFFF, 0x0003_FC00]),
            ("GRXFSIZ", &[0x80, 0x10, 0]),
            ("DCFG", &[3]),
            ("DOEPTSIZ0", &[0x6008_0040]),
            ("DOEPCTL0", &[0x8400_0000]),
            ("DIEPTSIZ0", &[0x0008_0012]),
            ("DIEPCTL0", &[0x8400_0000]),
            ("DCTL", &[0, 2]),
        ],
    ),
    (
        "dac",
        &[("CR", &[7, 0x0FFF_0FFF, 0x1003, 0x003D_003D]), ("DHR12R1", &[0x800]), ("DHR12R0", &[5]), ("SWTRIGR", &[3])],
    ),
    (
        "sdmmc",
        &[("POWER", &[3]), ("CLKCR", &[0x100, 0x17FF, 0x500]), ("ARGR", &[0x1AA]), ("CMDR", &[0x448, 0x400, 0x4C7])],
    ),
    ("rtc", &[("WPR", &[0xCA]), ("WPR", &[0x53]), ("WUTR", &[0, 3]), ("CR", &[0x4400, 0x6C66])]),
    ("iwdg", &[("KR", &[0x5555]), ("PR", &[0, 3]), ("RLR", &[1, 0xFFF]), ("KR", &[0xCCCC])]),
    ("pit", &[("MCR", &[0]), ("LDVAL0", &[0, 1, 99]), ("TCTRL0", &[1, 3]), ("LDVAL1", &[3]), ("TCTRL1", &[7])]),
    (
        "exti",
        &[("IMR", &[0xFFFF]), ("IMR1", &[0xFFFF]), ("RTSR", &[0xFFFF]), ("RTSR1", &[0xFFFF]), ("FTSR", &[0xFFFF])],
    ),
];

/// Bytes that a Kinetis writes one by one: its blocks, offsets and values.
const BYTES: &[(&str, Steps<u32>)] = &[
    // UART: BDH, BDL, C4, C5, C3, C2, D.
    (
        "uart",
        &[
            (0, &[0, 0x1F]),
            (1, &[1, 8, 0]),
            (0xA, &[0, 0x1F]),
            (0xB, &[0, 0xA0]),
            (3, &[0xC, 0x2C, 0xFC]),
            (7, &[0x41]),
            (7, &[0x42]),
        ],
    ),
    // I2C: F, FLT, C1, an address, more.
    (
        "i2c",
        &[
            (0, &[0x84, 0]),
            (1, &[0, 0x14, 0x85, 0xBF]),
            (6, &[0, 0x1F]),
            (2, &[0x80, 0xC1]),
            (2, &[0xB0, 0xF0, 0xF1]),
            (4, &[0x84, 0x85, 0xA1, 0x78]),
            (3, &[2]),
            (4, &[0x12]),
            (2, &[0x80, 0xB4, 0xA0, 0xF8]),
        ],
    ),
    // DMAMUX: the sources of channels. DMA: requests on, a start by software.
    ("dmamux", &[(0, &[0x82, 0x90, 0xFF]), (1, &[0x83, 0x91]), (3, &[0xB6])]),
    ("dma", &[(0x1B, &[0, 1, 0x40]), (0x1D, &[0, 1, 0x40])]),
];

/// One store: an offset, a value, and true if it is a byte.
pub(crate) type Store = (u32, u32, bool);

/// Stores that get the block going; none if there is no way for it.
pub(crate) fn stores(instance: &Instance, places: &[u32], random: &mut Random) -> Vec<Store> {
    let map = instance.map;
    let of_kind = |(kind, _): &&(&str, Steps<_>)| *kind == map.kind;
    if let Some((_, steps)) = BYTES.iter().find(|(kind, _)| *kind == map.kind).filter(|_| map.version == "k20") {
        let mut stores: Vec<Store> = steps.iter().map(|(at, values)| (*at, *random.pick(values), true)).collect();
        if map.kind == "dma" {
            stores.splice(0..0, kinetis_dma(places, random));
        }
        return stores;
    }
    if let ("bdma" | "dma", true) = (map.kind, map.version != "k20") {
        return dma(map, places, random);
    }
    let steps = RECIPES.iter().find(of_kind).map(|(_, steps)| *steps).unwrap_or_default();
    let known = |(name, values): &(&str, &'static [u32])| map.register(name).map(|register| (register.offset, *values));
    steps.iter().filter_map(known).map(|(at, values)| (at, *random.pick(values), false)).collect()
}

/// A channel of an STM32's DMA: off, addresses, number, on.
fn dma(map: &Map, places: &[u32], random: &mut Random) -> Vec<Store> {
    let channel = random.of(8);
    let name = |register: &str| match map.kind {
        "bdma" => format!("C{register}{channel}"),
        _ => format!("S{channel}{register}"),
    };
    let streams = map.kind == "dma";
    let memory = if streams { "M0AR" } else { "MAR" };
    let control = random.word() & if streams { 0x0FFF_FFFE } else { 0x7FFE };
    // Memory to memory, or at a request.
    let control =
        if random.one_in(2) { control } else { if streams { control & 0xFF3F | 0x80 } else { control | 1 << 14 } };
    let writes = [
        ("CR", 0),
        ("PAR", *random.pick(places)),
        (memory, *random.pick(places)),
        ("M1AR", *random.pick(places)),
        ("NDTR", *random.pick(&[0, 1, 3, 40, 0xFFFF])),
        ("CR", control | 1),
    ];
    let known =
        |(register, value): (&str, u32)| map.register(&name(register)).map(|found| (found.offset, value, false));
    writes.into_iter().filter_map(known).collect()
}

/// A descriptor of a Kinetis' DMA, at 0x1000.
fn kinetis_dma(places: &[u32], random: &mut Random) -> Vec<Store> {
    let mut words = [0; 8].map(|_: u32| random.word() & random.word());
    (words[0], words[4]) = (*random.pick(places), *random.pick(places));
    words[1] = random.word() & 0x0707_0007;
    words[2] = *random.pick(&[0, 1, 4, 64, 0xFFFF_FFFF]);
    (0..).step_by(4).zip(words).map(|(at, word)| (0x1000 + at, word, false)).collect()
}

/// The same for an AVR: data addresses, of registers that both parts have.
pub(crate) const AVR: &[Steps<u16>] = &[
    // TWI: rate, an address of its own, a start, an address, a byte, a stop.
    &[
        (0xB8, &[0, 2, 12]),
        (0xB9, &[0, 1]),
        (0xBA, &[0x84, 0x85]),
        (0xBC, &[0xA4, 0xA5]),
        (0xBB, &[0x84, 0x85, 0xA0, 0xA1, 0x78]),
        (0xBC, &[0x84, 0xC4, 0x85]),
        (0xBB, &[0x12]),
        (0xBC, &[0x84, 0x94]),
    ],
    // SPI: its outputs, control, data.
    &[
        (0x24, &[0x2F, 0x07]),
        (0x4D, &[0, 1]),
        (0x4C, &[0x50, 0xD3, 0x5C, 0xC0, 0x70]),
        (0x4E, &[0x55]),
        (0x4E, &[0xAA]),
    ],
    // USART 1 of the one, 0 of the other.
    &[(0xCC, &[0, 8]), (0xC8, &[0, 2]), (0xCA, &[6, 0xC6]), (0xC9, &[0x18, 0xF8]), (0xCE, &[0x41]), (0xCE, &[0x42])],
    &[(0xC4, &[0, 8]), (0xC0, &[0, 2]), (0xC2, &[6, 0xC6]), (0xC1, &[0x18, 0xF8]), (0xC6, &[0x41]), (0xC6, &[0x42])],
    // The converter.
    &[(0x7C, &[0x40, 0xC1, 0xDE]), (0x7B, &[0, 3, 7]), (0x7A, &[0xC0, 0xE9, 0xEF, 0xC2])],
    // Timers 0 and 1: registers of compare, interrupts, mode, clock.
    &[(0x47, &[0, 1, 9]), (0x6E, &[0, 7]), (0x44, &[2, 0x53, 0xA1]), (0x45, &[1, 2, 9, 7])],
    &[(0x89, &[0]), (0x88, &[0, 3]), (0x6F, &[0, 0x27]), (0x80, &[0, 0x43]), (0x81, &[9, 0x19, 1, 0xD1])],
    // The PLL and USB of the 32U4: on, then attached, with an endpoint.
    &[
        (0x49, &[0x12]),
        (0xD7, &[1]),
        (0xD8, &[0xB0, 0x90]),
        (0xE2, &[0x7D]),
        (0xE9, &[0]),
        (0xEB, &[1]),
        (0xEC, &[0, 0xC1]),
        (0xED, &[0x22, 0x32]),
        (0xE0, &[0, 4]),
        (0xE3, &[0x80, 0x85]),
    ],
    // EEPROM.
    &[(0x41, &[0, 0xFF]), (0x40, &[0x12]), (0x3F, &[4, 0xC]), (0x3F, &[6, 2, 0xE])],
];
