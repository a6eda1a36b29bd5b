//! The digital-to-analog converters of STM32F103, L476, L4R5, G071 and G431 at the clock after reset, whose bus runs as fast as the
//! core.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::{GapKind, Pin};

use super::*;

const EN: u32 = 1;
const TIM6: u32 = 0x4000_1000;
const TIM7: u32 = 0x4000_1400;
const DMA1: u32 = 0x4002_0000;

/// A part's converter: TEN, the selections of software and of TIM7's TRGO in place, the registers of the RCC that enable clocks,
/// and whether MCR has the modes.
struct Kind {
    part: &'static str,
    dac: u32,
    ten: u32,
    software: u32,
    tim7: u32,
    clocks: &'static [u32],
    modes: bool,
}

const L4: &[u32] = &[0x48, 0x4C, 0x58, 0x60];

const KINDS: [Kind; 5] = [
    Kind {
        part: "stm32f103rg",
        dac: 0x4000_7400,
        ten: 4,
        software: 7 << 3,
        tim7: 2 << 3,
        clocks: &[0x18, 0x1C],
        modes: false,
    },
    Kind { part: "stm32l476rg", dac: 0x4000_7400, ten: 4, software: 7 << 3, tim7: 2 << 3, clocks: L4, modes: true },
    Kind { part: "stm32l4r5zi", dac: 0x4000_7400, ten: 2, software: 0, tim7: 6 << 2, clocks: L4, modes: true },
    Kind {
        part: "stm32g071rb",
        dac: 0x4000_7400,
        ten: 2,
        software: 0,
        tim7: 6 << 2,
        clocks: &[0x34, 0x38, 0x3C, 0x40],
        modes: true,
    },
    Kind { part: "stm32g431rb", dac: 0x5000_0800, ten: 2, software: 0, tim7: 2 << 2, clocks: L4, modes: true },
];

fn enabled(kind: &Kind) -> Bench {
    let mut bench = Bench::of(kind.part, MemorySetting::Equal);
    for enable in kind.clocks {
        bench.write(0x4002_1000 + enable, if *enable == 0x48 { 0x0000_1107 } else { u32::MAX });
    }
    bench
}

fn output(bench: &Bench, number: u8) -> Option<i32> {
    let now = bench.bus.peripherals.clocks().timebase().time(cyclescope_machine::units::Cycles::new(bench.now));
    bench.bus.peripherals.outside().voltage(Pin { port: 0, number }, now)
}

#[test]
fn data_reach_both_pins_a_period_later() {
    for kind in &KINDS {
        let (mut bench, dac) = (enabled(kind), kind.dac);
        if kind.modes {
            // The second channel has no buffer.
            bench.write(dac + 0x3C, 2 << 16);
        }
        let buffer = if kind.modes { 0 } else { 2 << 16 };
        bench.write(dac, EN | EN << 16 | buffer);
        bench.pass(10);
        bench.write(dac + 0x20, 4_095 << 16);
        assert_eq!(bench.read(dac + 0x30), 0);
        bench.pass(1);
        assert_eq!((output(&bench, 4), output(&bench, 5)), (Some(200_000), Some(3_299_194)), "{}", kind.part);
        if kind.modes {
            // On chip alone.
            bench.write(dac + 0x3C, 3 << 16);
            assert_eq!((output(&bench, 4), output(&bench, 5)), (Some(200_000), None));
            assert!(bench.gaps(GapKind::Setting).is_empty());
            bench.write(dac + 0x3C, 4);
            assert_eq!(bench.gaps(GapKind::Setting), ["DAC1: sample-and-hold mode, which is normal mode here"]);
        }
    }
}

#[test]
fn software_and_a_timer_move_the_data() {
    // STM32G431's timers are of another version.
    for kind in &KINDS[..4] {
        let (mut bench, dac) = (enabled(kind), kind.dac);
        bench.write(dac, EN | kind.ten | kind.software | (EN | kind.ten | kind.tim7) << 16);
        bench.write(dac + 0x20, 0x111 | 0x222 << 16);
        bench.pass(10);
        assert_eq!([bench.read(dac + 0x2C), bench.read(dac + 0x30)], [0, 0]);
        bench.write(dac + 4, 3);
        bench.pass(1);
        assert_eq!([bench.read(dac + 0x2C), bench.read(dac + 0x30)], [0x111, 0], "{}", kind.part);
        bench.write(TIM7 + 4, 2 << 4);
        bench.write(TIM7 + 0x2C, 49);
        bench.write(TIM7, 1);
        let began = bench.now;
        while bench.read(dac + 0x30) == 0 && bench.now < began + 200 {
            bench.pass(1);
        }
        assert_eq!(bench.read(dac + 0x30), 0x222, "{}", kind.part);
        // A period of 50, what the timer itself takes, and three periods.
        assert!((53..58).contains(&(bench.now - began)), "{} {}", kind.part, bench.now - began);
    }
}

#[test]
fn the_dma_feeds_data_and_an_underrun_ends_it() {
    let kind = &KINDS[3];
    let (mut bench, dac) = (enabled(kind), kind.dac);
    bench.write(RAM, 10 | 20 << 16);
    bench.write(RAM + 4, 30);
    bench.write(0x4002_0800, 8);
    bench.write(DMA1 + 0x10, dac + 8);
    bench.write(DMA1 + 0x14, RAM);
    bench.write(DMA1 + 0x0C, 3);
    bench.write(DMA1 + 0x08, 1 << 10 | 2 << 8 | 1 << 7 | 1 << 5 | 1 << 4 | 1);
    // TIM6_TRGO.
    bench.write(dac, EN | kind.ten | 5 << 2 | 3 << 12);
    bench.write(TIM6 + 4, 2 << 4);
    bench.write(TIM6 + 0x2C, 99);
    bench.pass(1);
    bench.write(TIM6, 1);
    bench.pass(60);
    let mut seen = Vec::new();
    for _ in 0..6 {
        bench.pass(100);
        seen.push(bench.read(dac + 0x2C));
    }
    assert_eq!(seen, [0, 10, 20, 30, 10, 20]);
    assert_eq!(bench.read(dac + 0x34), 0);
    // The channel is off: the next request stays open, and the one after is an underrun.
    bench.write(DMA1 + 0x08, 0);
    bench.pass(300);
    assert_eq!(bench.read(dac + 0x34), 1 << 13);
    bench.write(dac + 0x34, 1 << 13);
    assert_eq!(bench.read(dac + 0x34), 0);
}

#[test]
fn a_converter_reads_what_this_one_drives() {
    for (kind, adc, channel) in
        [(&KINDS[1], 0x5004_0000, 9), (&KINDS[2], 0x5004_0000, 9), (&KINDS[4], 0x5000_0100u32, 17)]
    {
        let (mut bench, dac) = (enabled(kind), kind.dac);
        if kind.part == "stm32l476rg" {
            // GPIOA_ASCR joins PA4 and the converter.
            bench.write(0x4800_002C, 1 << 4);
        }
        bench.write(dac + 0x3C, 2);
        bench.write(dac, EN);
        bench.write((adc & !0xFFF) + 0x308, 1 << 16);
        bench.write(adc + 8, 0);
        bench.write(adc + 8, 1 << 28);
        bench.pass(1_000);
        bench.write(adc + 8, 1 << 28 | 1);
        bench.pass(100);
        bench.write(adc + 0x30, channel << 6);
        for code in [0, 1, 777, 2_048, 4_095] {
            bench.write(dac + 8, code);
            bench.pass(1);
            bench.write(adc + 8, 1 << 28 | 1 | 4);
            until(&mut bench, adc, 4);
            assert_eq!(bench.read(adc + 0x40), code, "{}", kind.part);
        }
        assert!(bench.gaps(GapKind::Setting).is_empty());
    }
}

#[test]
fn a_buffered_reference_is_the_scale_of_converters() {
    // VRS, and its voltage in microvolts.
    for (kind, choices) in [
        (&KINDS[3], [(0, 2_048_000), (1 << 2, 2_500_000)].as_slice()),
        (&KINDS[1], &[(0, 2_048_000), (1 << 2, 2_500_000)]),
        (&KINDS[4], &[(0, 2_048_000), (1 << 4, 2_500_000), (2 << 4, 2_900_000)]),
    ] {
        for (vrs, microvolts) in choices {
            let (mut bench, dac) = (enabled(kind), kind.dac);
            let csr = 0x4001_0030;
            assert_eq!(bench.read(csr), 2);
            bench.write(csr, 1 | vrs);
            let microsecond =
                bench.bus.peripherals.clocks().frequency(cyclescope_peripherals::Source::Hclk).get() / 1_000_000;
            bench.pass(500 * microsecond - 1);
            assert_eq!(bench.read(csr), 1 | vrs);
            bench.pass(1);
            assert_eq!(bench.read(csr), 1 | vrs | 8, "{}", kind.part);
            bench.write(dac + 0x3C, 2);
            bench.write(dac, EN);
            bench.write(dac + 8, 2_048);
            bench.pass(1);
            assert_eq!(output(&bench, 4), Some(microvolts / 2));
            bench.write(csr, 2);
            assert_eq!(bench.read(csr), 2);
            bench.write(dac + 8, 2_048);
            bench.pass(1);
            assert_eq!(output(&bench, 4), Some(1_650_000));
        }
    }
}
