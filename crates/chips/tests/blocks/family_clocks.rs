//! RCC of the families (RM0041, RM0008, RM0401, RM0490, RM0444, RM0440, RM0351, RM0432, "Reset and clock control"): the clock after
//! reset, the usual fast clock, kernels' clocks, the clock output.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{GapKind, Width};
use cyclescope_peripherals::Source;

use crate::bench::{Bench, distinct};
use crate::f446_clocks::wait;

const MHZ: u64 = 1_000_000;
const F4: u32 = 0x4002_3800;
const RCC: u32 = 0x4002_1000;

fn new(part: &str) -> Bench {
    Bench::of(part, MemorySetting::Equal)
}

fn hclk(bench: &Bench) -> u64 {
    bench.bus.peripherals.hclk().get()
}

fn frequency(bench: &Bench, source: Source) -> u64 {
    bench.bus.peripherals.clocks().frequency(source).get()
}

/// HCLK, PCLK1, PCLK2 and the timers' clocks on both, in MHz.
fn megahertz(bench: &Bench) -> [u64; 5] {
    [Source::Hclk, Source::Pclk, Source::Pclk2, Source::Timer, Source::Timer2]
        .map(|source| frequency(bench, source))
        .map(|hertz| if hertz % MHZ == 0 { hertz / MHZ } else { hertz })
}

#[test]
fn each_family_begins_with_its_internal_oscillator() {
    for (part, expected) in [
        ("stm32c071rb", 12),
        ("stm32f100rb", 8),
        ("stm32f107vc", 8),
        ("stm32f410rb", 16),
        ("stm32g030f6", 16),
        ("stm32g071rb", 16),
        ("stm32g0b1re", 16),
        ("stm32g431kb", 16),
        ("stm32g474re", 16),
        ("stm32l412kb", 4),
        ("stm32l476rg", 4),
        ("stm32l496zg", 4),
        ("stm32l4r5zi", 4),
    ] {
        let bench = new(part);
        assert_eq!(hclk(&bench), expected * MHZ, "{part}");
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "{part}");
    }
}

/// The writes that start the PLL and switch SYSCLK to it, and the clocks then.
#[derive(Clone, Copy)]
struct Start {
    part: &'static str,
    rcc: u32,
    /// Offsets and values.
    settings: &'static [(u32, u32)],
    /// Values of CR, and the ready flags that each waits for.
    control: &'static [(u32, u32)],
    /// The offset of CFGR, and its value; SWS lies above SW.
    configuration: (u32, u32, u32),
    /// See [`megahertz`].
    expected: [u64; 5],
}

/// MSI 4 MHz * 40 / 2.
const STM32L476: Start = Start {
    part: "stm32l476rg",
    rcc: RCC,
    settings: &[(0x0C, 1 << 24 | 40 << 8 | 1)],
    control: &[(0x0100_0063, 1 << 25)],
    configuration: (0x08, 4 << 8 | 3, 3),
    expected: [80, 40, 80, 80, 80],
};

const STARTS: &[Start] = &[
    // HSE 8 MHz * 3.
    Start {
        part: "stm32f100rb",
        rcc: RCC,
        settings: &[(0x04, 1 << 16 | 1 << 18)],
        control: &[(0x0001_0083, 1 << 17), (0x0101_0083, 1 << 25)],
        configuration: (0x04, 1 << 16 | 1 << 18 | 4 << 8 | 2, 3),
        expected: [24, 12, 24, 24, 24],
    },
    // PLL2: HSE 8 MHz / 2 * 10; the PLL: that / 5 * 9.
    Start {
        part: "stm32f107vc",
        rcc: RCC,
        settings: &[(0x2C, 1 << 16 | 8 << 8 | 1 << 4 | 4), (0x04, 1 << 16 | 7 << 18)],
        control: &[(0x0001_0083, 1 << 17), (0x0401_0083, 1 << 27), (0x0501_0083, 1 << 25)],
        configuration: (0x04, 1 << 16 | 7 << 18 | 4 << 8 | 2, 3),
        expected: [72, 36, 72, 72, 72],
    },
    // HSI 16 MHz / 16 * 200 / 2.
    Start {
        part: "stm32f410rb",
        rcc: F4,
        settings: &[(0x04, 2 << 28 | 4 << 24 | 200 << 6 | 16)],
        control: &[(0x0100_0081, 1 << 25)],
        configuration: (0x08, 4 << 10 | 2, 3),
        expected: [100, 50, 100, 100, 100],
    },
    // HSI16 * 8 / 2.
    Start {
        part: "stm32g071rb",
        rcc: RCC,
        settings: &[(0x0C, 1 << 29 | 1 << 28 | 8 << 8 | 2)],
        control: &[(0x0100_0500, 1 << 25)],
        configuration: (0x08, 5 << 12 | 2, 7),
        expected: [64, 16, 16, 32, 32],
    },
    // HSI16 / 4 * 85 / 2.
    Start {
        part: "stm32g431kb",
        rcc: RCC,
        settings: &[(0x0C, 1 << 24 | 85 << 8 | 3 << 4 | 2)],
        control: &[(0x0100_0500, 1 << 25)],
        configuration: (0x08, 5 << 8 | 4 << 11 | 3, 3),
        expected: [170, 42_500_000, 85, 85, 170],
    },
    STM32L476,
    Start { part: "stm32l432kc", ..STM32L476 },
    // MSI 4 MHz * 60 / 2.
    Start {
        part: "stm32l4r5zi",
        rcc: RCC,
        settings: &[(0x0C, 1 << 24 | 60 << 8 | 1)],
        control: &[(0x0100_0063, 1 << 25)],
        configuration: (0x08, 4 << 11 | 3, 3),
        expected: [120, 120, 60, 120, 120],
    },
];

/// The part of `start` at its fast clock.
fn started(start: &Start) -> Bench {
    speed_up(new(start.part), start)
}

/// The part of `bench` at the fast clock of `start`.
fn speed_up(mut bench: Bench, start: &Start) -> Bench {
    for (offset, value) in start.settings {
        bench.write(start.rcc + offset, *value);
    }
    for (control, ready) in start.control {
        bench.write(start.rcc, *control);
        wait(&mut bench, start.rcc, *ready);
    }
    let (offset, value, sw) = start.configuration;
    bench.write(start.rcc + offset, value);
    let sws = (bench.read(start.rcc + offset) / (sw + 1)) & sw;
    assert_eq!(sws, value & sw, "{}: SWS", start.part);
    bench
}

/// The start of `part`.
fn fast(part: &str) -> Bench {
    started(STARTS.iter().find(|start| start.part == part).unwrap())
}

#[test]
fn the_pll_makes_the_fastest_clock_and_timers_count_twice_a_divided_bus() {
    for start in STARTS {
        let bench = started(start);
        assert_eq!(megahertz(&bench), start.expected, "{}", start.part);
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "{}", start.part);
        assert_eq!(bench.gaps(GapKind::RegisterWrite), [""; 0], "{}", start.part);
        let tree = bench.bus.peripherals.clocks();
        assert_eq!(
            tree.period_of(Source::Hclk).times(start.expected[0]),
            tree.microseconds(1),
            "{} exactly",
            start.part
        );
    }
}

#[test]
fn stm32c071_runs_from_either_of_its_oscillators_and_divides_them() {
    let mut bench = new("stm32c071rb");
    bench.write(RCC, 0x0000_0500);
    assert_eq!(hclk(&bench), 48 * MHZ, "HSIDIV 1");
    bench.write(RCC, 0x0000_0500 | 2 << 2);
    assert_eq!(hclk(&bench), 16 * MHZ, "SYSDIV 3");
    bench.write(RCC, 0x0040_0500);
    bench.write(RCC + 0x08, 2);
    bench.pass(287);
    assert_eq!(bench.read(RCC + 0x08) & 0x38, 0, "HSIUSB48 starts up");
    bench.pass(1);
    assert_eq!(bench.read(RCC + 0x08) & 0x38, 2 << 3);
    bench.write(RCC, 0x0040_0000);
    assert_eq!(hclk(&bench), 48 * MHZ, "without HSI48");
    assert_eq!(bench.bus.peripherals.clocks().usb(), Hertz::new(48 * MHZ));
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
}

#[test]
fn oscillators_and_loops_take_their_time() {
    // The PLL of STM32G071 locks in 40 us at 16 MHz, that of STM32L476 at 4 MHz, those of STM32F107 in 350 us at 8 MHz.
    for (part, rcc, settings, on, ready, cycles) in [
        ("stm32g071rb", RCC, 1 << 28 | 8 << 8 | 2 | 1 << 29, 0x0100_0500, 1 << 25, 640),
        ("stm32g431kb", RCC, 1 << 24 | 85 << 8 | 3 << 4 | 2, 0x0100_0500, 1 << 25, 640),
        ("stm32l476rg", RCC, 1 << 24 | 40 << 8 | 1, 0x0100_0063, 1 << 25, 160),
    ] {
        let mut bench = new(part);
        bench.write(rcc + 0x0C, settings);
        let began = bench.now;
        bench.write(rcc, on);
        wait(&mut bench, rcc, ready);
        assert_eq!(bench.now - began, cycles, "{part}");
    }
    let mut bench = new("stm32f107vc");
    bench.write(RCC + 0x04, 1 << 18);
    bench.write(RCC, 0x0100_0083);
    wait(&mut bench, RCC, 1 << 25);
    assert_eq!(bench.now, 2_800);
    // LSI 130 us, HSI16 1.2 us, both at 4 MHz.
    let mut bench = new("stm32l4r5zi");
    bench.write(RCC + 0x94, 0x0C00_0601);
    wait(&mut bench, RCC + 0x94, 2);
    assert_eq!(bench.now, 520);
    assert_eq!(frequency(&bench, Source::Lsi), 32_000);
    bench.write(RCC, 0x0000_0163);
    wait(&mut bench, RCC, 1 << 10);
    assert_eq!(bench.now, 525);
}

#[test]
fn msi_has_twelve_ranges() {
    let mut bench = new("stm32l476rg");
    let ranges = [100, 200, 400, 800, 1_000, 2_000, 4_000, 8_000, 16_000, 24_000, 32_000, 48_000];
    bench.write(RCC, 0x0000_0001 | 8 << 4);
    assert_eq!(hclk(&bench), 4 * MHZ, "MSIRGSEL is 0");
    for (range, kilohertz) in (0..).zip(ranges) {
        bench.write(RCC, 0x0000_0009 | range << 4);
        assert_eq!(hclk(&bench), kilohertz * 1000, "range {range}");
    }
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
    bench.write(RCC, 0x0000_0009 | 12 << 4);
    assert_eq!([hclk(&bench), u64::from(bench.read(RCC) >> 4 & 15)], [48 * MHZ, 11], "12 is not taken");
    bench.write(RCC, 0x0000_0001 | 6 << 4);
    assert_eq!(bench.read(RCC) & 8, 8, "MSIRGSEL stays");
    bench.write(RCC, 0x0000_000D | 6 << 4);
    assert_eq!(bench.read(RCC) & 4, 0, "LSE is not ready");
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["RCC_CR.MSIRANGE=12 is not allowed", "RCC_CR.MSIPLLEN set while LSE is not ready: lost"]
    );
}

#[test]
fn the_source_of_a_loop_in_use_and_its_settings_hold() {
    let mut bench = fast("stm32f107vc");
    bench.write(RCC, 0);
    assert_eq!(bench.read(RCC) & 0x0501_0001, 0x0501_0000, "HSE, PLL2 and the PLL stay, HSI goes");
    bench.write(RCC + 0x2C, 0);
    assert_eq!(bench.read(RCC + 0x2C), 1 << 16 | 8 << 8 | 1 << 4 | 4);
    assert_eq!(bench.gaps(GapKind::Setting), ["RCC_CFGR2: settings of a PLL written while it is on: lost"]);

    let mut bench = fast("stm32g431kb");
    // Settings hold, and so does output R, which SYSCLK has; the others are switched.
    bench.write(RCC + 0x0C, 1 << 16 | 8 << 8 | 2);
    assert_eq!(bench.read(RCC + 0x0C), 1 << 24 | 1 << 16 | 85 << 8 | 3 << 4 | 2);
    assert_eq!(bench.gaps(GapKind::Setting), ["RCC_PLLCFGR written while its PLL is on: lost"]);
    bench.write(RCC, 0);
    assert_eq!(bench.read(RCC) & 0x0100_0100, 0x0100_0100, "HSI16 feeds the PLL");
}

#[test]
fn sysclk_waits_for_the_switch_of_its_output() {
    let mut bench = new("stm32l476rg");
    bench.write(RCC + 0x0C, 40 << 8 | 1);
    bench.write(RCC, 0x0100_0063);
    bench.write(RCC + 0x08, 3);
    bench.pass(1_000);
    assert_eq!(bench.read(RCC) >> 25 & 1, 1, "PLLRDY");
    assert_eq!(bench.read(RCC + 0x08) & 0xC, 0, "PLLREN is 0");
    bench.write(RCC + 0x0C, 1 << 24 | 40 << 8 | 1);
    assert_eq!(bench.read(RCC + 0x08) & 0xC, 0xC);
    assert_eq!(hclk(&bench), 80 * MHZ);
}

#[test]
fn settings_that_manuals_forbid_are_named() {
    for (part, settings, on, named) in [
        (
            "stm32g071rb",
            1 << 28 | 1 << 29 | 5 << 8 | 2,
            0x0100_0500,
            &["RCC_PLLCFGR: PLLN=5 is not allowed", "RCC_PLLCFGR: the VCO would run at 80 MHz"][..],
        ),
        ("stm32g071rb", 1 << 24 | 8 << 8 | 2, 0x0100_0500, &["RCC_PLLCFGR: PLLQ=0 is reserved"]),
        (
            "stm32g431kb",
            85 << 8 | 15 << 4 | 2,
            0x0100_0500,
            &["RCC_PLLCFGR: the VCO would get 1 MHz", "RCC_PLLCFGR: the VCO would run at 85 MHz"],
        ),
        (
            "stm32l476rg",
            87 << 8 | 3 << 4 | 2,
            0x0100_0163,
            &["RCC_PLLCFGR: PLLN=87 is not allowed", "RCC_PLLCFGR: the VCO would run at 348 MHz"],
        ),
        ("stm32l4r5zi", 40 << 8, 0x0100_0063, &["RCC_PLLCFGR.PLLSRC selects no clock, so that no PLL becomes ready"]),
    ] {
        let mut bench = new(part);
        bench.write(RCC + 0x0C, settings);
        if on & 1 << 8 != 0 {
            bench.write(RCC, on & !(1 << 24));
            wait(&mut bench, RCC, 1 << 10);
        }
        bench.write(RCC, on);
        bench.pass(1_000);
        assert_eq!(bench.gaps(GapKind::Setting), named, "{part}");
    }
    let mut bench = new("stm32f107vc");
    bench.write(RCC + 0x2C, 13 << 8);
    bench.write(RCC, 0x0401_0083);
    bench.pass(20_000);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["RCC_CFGR2.PLL2MUL=13 is reserved", "RCC_CFGR2.PREDIV2: PLL2 and PLL3 would get 8 MHz"]
    );
}

#[test]
fn clocks_above_a_parts_limits_are_named() {
    for (part, offset, value, named) in [
        ("stm32f107vc", 0x04, 1 << 16 | 7 << 18 | 2, "RCC_CFGR.PPRE1: PCLK1 above 36 MHz"),
        ("stm32f410rb", 0x08, 2, "RCC_CFGR.PPRE1: PCLK1 above 50 MHz"),
    ] {
        let mut bench = fast(part);
        let rcc = if part == "stm32f410rb" { F4 } else { RCC };
        bench.write(rcc + offset, value);
        assert_eq!(bench.gaps(GapKind::Setting), [named], "{part}");
    }
    // HSE 8 MHz * 4.
    let mut bench = new("stm32f100rb");
    bench.write(RCC + 0x04, 2 << 18 | 1 << 16);
    bench.write(RCC, 0x0101_0083);
    wait(&mut bench, RCC, 1 << 25);
    bench.write(RCC + 0x04, 2 << 18 | 1 << 16 | 4 << 8 | 2);
    assert_eq!(bench.gaps(GapKind::Setting), ["SYSCLK above 24 MHz", "RCC_CFGR.PPRE2: PCLK2 above 24 MHz"]);
}

#[test]
fn the_divider_before_the_value_lines_pll_is_one_field_in_two_registers() {
    let mut bench = new("stm32f100rb");
    bench.write(RCC + 0x2C, 3);
    assert_eq!(bench.read(RCC + 0x04) >> 17 & 1, 1, "PLLXTPRE");
    bench.write(RCC + 0x04, 1 << 16 | 10 << 18);
    assert_eq!(bench.read(RCC + 0x2C), 2, "PREDIV1");
    // HSE 8 MHz / 3 * 9; the PLLMUL of x9 is 7.
    bench.write(RCC + 0x04, 1 << 16 | 7 << 18);
    bench.write(RCC, 0x0101_0083);
    wait(&mut bench, RCC, 1 << 25);
    bench.write(RCC + 0x04, 1 << 16 | 7 << 18 | 2);
    assert_eq!(megahertz(&bench), [24; 5]);
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
}

/// Cycles of HCLK that USART1 takes for a frame of ten bits, of 16 periods of its clock each.
fn frame(bench: &mut Bench, usart: u32) -> u64 {
    bench.write(usart, 0);
    bench.write(usart + 0x0C, 16);
    bench.write(usart, 9);
    bench.pass(20_000);
    bench.write(usart + 0x20, 1 << 6);
    let began = bench.now;
    bench.write(usart + 0x28, 0x55);
    wait(bench, usart + 0x1C, 1 << 6);
    bench.now - began
}

#[test]
fn usart1_has_the_clock_that_ccipr_selects() {
    const USART1: u32 = 0x4001_3800;
    // By USART1SEL: PCLK, SYSCLK, HSI16.
    for (part, apb2enr, ccipr, bit, expected) in [
        // 64 MHz, PCLK a quarter.
        ("stm32g071rb", 0x40, 0x54, 14, [640, 160, 640]),
        // 170 MHz, PCLK2 a half.
        ("stm32g431kb", 0x60, 0x88, 14, [320, 160, 1700]),
        // 120 MHz, PCLK2 a half.
        ("stm32l4r5zi", 0x60, 0x88, 14, [320, 160, 1200]),
    ] {
        let mut bench = fast(part);
        let control = bench.read(RCC);
        bench.write(RCC, control | 1 << 8);
        wait(&mut bench, RCC, 1 << 10);
        bench.write(RCC + apb2enr, 1 << bit);
        for (selector, cycles) in (0..).zip(expected) {
            bench.write(RCC + ccipr, selector);
            let took = frame(&mut bench, USART1);
            // The frame begins with an edge of the kernel's clock, and TC is seen at one of HCLK.
            assert!((cycles..=cycles + cycles / 160 + 1).contains(&took), "{part} {selector}: {took} of {cycles}");
        }
        assert_eq!(bench.gaps(GapKind::RegisterWrite), [""; 0], "{part}");
    }
}

#[test]
fn other_kernels_have_theirs() {
    let mut bench = fast("stm32g431kb");
    // HSI48 feeds USB and RNG after reset; PLLQ (340 MHz / 8) where it is selected and on.
    bench.write(RCC + 0x98, 1);
    wait(&mut bench, RCC + 0x98, 2);
    assert_eq!(frequency(&bench, Source::Clk48), 48 * MHZ);
    assert_eq!(bench.bus.peripherals.clocks().usb(), Hertz::new(48 * MHZ));
    bench.write(RCC + 0x88, 2 << 26);
    assert_eq!(frequency(&bench, Source::Clk48), 0, "PLLQEN is 0");
    let settings = bench.read(RCC + 0x0C);
    bench.write(RCC + 0x0C, settings | 1 << 20 | 1 << 16);
    assert_eq!(frequency(&bench, Source::Clk48), 170 * MHZ, "Q is 2");
    assert_eq!(frequency(&bench, Source::PllP), 340 * MHZ / 7, "P is 7");

    let mut bench = fast("stm32l476rg");
    // PLLSAI1: 4 MHz * 24: R by 4 for the converters, Q by 2 for USB.
    bench.write(RCC + 0x10, 1 << 25 | 1 << 24 | 1 << 20 | 24 << 8);
    bench.write(RCC, 0x0500_0063);
    wait(&mut bench, RCC, 1 << 27);
    bench.write(RCC + 0x88, 1 << 28 | 1 << 26);
    assert_eq!([Source::Converters, Source::Clk48].map(|source| frequency(&bench, source)), [24 * MHZ, 48 * MHZ]);
    bench.write(RCC + 0x98, 1);
    bench.pass(10_000);
    assert_eq!(bench.read(RCC + 0x98), 1, "no HSI48");
    assert_eq!(bench.gaps(GapKind::Setting), ["RCC_CRRCR.HSI48ON: the part has no HSI48"]);

    let mut bench = fast("stm32f107vc");
    // PLL3 is PLL2's sibling: 4 MHz * 10; I2S has its VCO.
    bench.write(RCC + 0x2C, 1 << 17 | 1 << 16 | 8 << 12 | 8 << 8 | 1 << 4 | 4);
    bench.write(RCC, 0x1501_0083);
    wait(&mut bench, RCC, 1 << 29);
    assert_eq!(frequency(&bench, Source::I2s), 80 * MHZ);
    assert_eq!(bench.bus.peripherals.clocks().usb(), Hertz::new(48 * MHZ), "OTGFSPRE: two thirds of 72 MHz");
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);

    let mut bench = fast("stm32f410rb");
    assert_eq!(frequency(&bench, Source::I2s), 100 * MHZ, "PLLR");
    bench.write(F4 + 0x8C, 2 << 25);
    assert_eq!(frequency(&bench, Source::I2s), 16 * MHZ, "HSI");
}

#[test]
fn the_loop_for_audio_divides_its_input_by_its_own_divider_or_the_main_one() {
    let own = ["stm32f411re", "stm32f412zg", "stm32f413zh", "stm32f446re"];
    for part in [&own[..], &["stm32f401rc", "stm32f407vg", "stm32f429zi", "stm32f469ni"]].concat() {
        let mut bench = new(part);
        // HSI 16 MHz: the main PLL would divide it by 8, that for audio by 16; N is 192, R is 2.
        bench.write(F4 + 0x04, 4 << 24 | 192 << 6 | 8);
        bench.write(F4 + 0x84, 2 << 28 | 8 << 24 | 192 << 6 | if own.contains(&part) { 16 } else { 0 });
        bench.write(F4, 0x0400_0081);
        wait(&mut bench, F4, 1 << 27);
        let (expected, lost) = if own.contains(&part) { (96, 0x3F) } else { (192, 8) };
        assert_eq!([Source::I2s, Source::I2s2].map(|source| frequency(&bench, source)), [expected * MHZ; 2], "{part}");
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "{part}");
        // The divider cannot change below a loop that runs.
        bench.write(F4 + 0x04, 4 << 24 | 192 << 6 | 0x3F);
        assert_eq!(bench.read(F4 + 0x04) & 0x3F, lost, "{part}");
        assert_eq!(bench.gaps(GapKind::Setting).len(), usize::from(lost == 8), "{part}");
    }
    // RCC_CFGR.I2SSRC: the pin, which has no clock.
    let mut bench = new("stm32f407vg");
    bench.write(F4 + 0x04, 4 << 24 | 192 << 6 | 8);
    bench.write(F4 + 0x84, 2 << 28 | 192 << 6);
    bench.write(F4, 0x0400_0081);
    wait(&mut bench, F4, 1 << 27);
    bench.write(F4 + 0x08, 1 << 23);
    assert_eq!(frequency(&bench, Source::I2s), 0);
}

#[test]
fn the_loop_of_48_mhz_is_each_parts_own() {
    // The loop's settings, its switch, and the register that selects it: P of PLLSAI with its own M, and with the main PLL's, which
    // is 8; Q of PLLI2S.
    for (part, settings, value, on, select) in [
        ("stm32f446re", 0x88, 1 << 16 | 192 << 6 | 16, 28, 0x94),
        ("stm32f469ni", 0x88, 3 << 16 | 192 << 6, 28, 0x8C),
        ("stm32f412zg", 0x84, 2 << 28 | 4 << 24 | 192 << 6 | 16, 26, 0x94),
    ] {
        let mut bench = new(part);
        bench.write(F4 + 0x04, 4 << 24 | 192 << 6 | 8);
        bench.write(F4 + settings, value);
        bench.write(F4, 0x81 | 1 << on);
        wait(&mut bench, F4, 2 << on);
        assert_eq!(frequency(&bench, Source::Clk48), 0, "{part}: the main PLL is off");
        bench.write(F4 + select, 1 << 27);
        assert_eq!(frequency(&bench, Source::Clk48), 48 * MHZ, "{part}");
        assert_eq!(bench.bus.peripherals.clocks().usb(), Hertz::new(48 * MHZ), "{part}");
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "{part}");
    }
}

#[test]
fn output_p_of_the_first_stm32l4_is_divided_by_7_or_17() {
    // MSI 4 MHz * 40, P by 4, and by PLLP.
    for (part, expected) in [("stm32l476rg", [160 * MHZ / 7, 160 * MHZ / 17]), ("stm32l496zg", [40 * MHZ; 2])] {
        for (pllp, expected) in (0..).zip(expected) {
            let mut bench = new(part);
            bench.write(RCC + 0x0C, 4 << 27 | pllp << 17 | 1 << 16 | 40 << 8 | 1);
            bench.write(RCC, 0x0100_0063);
            wait(&mut bench, RCC, 1 << 25);
            assert_eq!(frequency(&bench, Source::PllP), expected, "{part} {pllp}");
        }
    }
}

#[test]
fn the_prescaler_of_lsi_makes_250_hz() {
    let mut bench = new("stm32l4r5zi");
    bench.write(RCC + 0x94, 0x10 | 0x600);
    bench.write(RCC + 0x94, 0x11 | 0x600);
    wait(&mut bench, RCC + 0x94, 2);
    assert_eq!(frequency(&bench, Source::Lsi), 250);
    bench.write(RCC + 0x94, 0x01 | 0x600);
    assert_eq!(bench.read(RCC + 0x94) >> 4 & 1, 1, "it holds while LSI is on");
    assert_eq!(bench.gaps(GapKind::Setting), ["RCC_CSR.LSIPREDIV written while LSI is on: lost"]);
}

#[test]
fn the_clock_output_is_a_wave_at_its_pin() {
    // Part, port A and its clock, CFGR's offset, and the output's fields: HSI16 or its like by a divider.
    for (part, port, clock, cfgr, bits, period) in [
        ("stm32g071rb", 0x5000_0000u32, 0x34, 0x08, 3 << 28 | 3 << 24, 32),
        ("stm32g431kb", 0x4800_0000, 0x4C, 0x08, 4 << 28 | 1 << 24, 16),
        ("stm32l432kc", 0x4800_0000, 0x4C, 0x08, 3 << 28 | 5 << 24, 8),
        ("stm32l4r5zi", 0x4800_0000, 0x4C, 0x08, 1 << 28 | 2 << 24, 60),
    ] {
        let mut bench = fast(part);
        bench.write(RCC + clock, 1);
        let moder = bench.read(port);
        bench.write(port, moder & !(3 << 16) | 2 << 16);
        let configuration = bench.read(RCC + cfgr);
        bench.write(RCC + cfgr, configuration | bits);
        bench.pass(100);
        bench.edges(0, 8);
        bench.pass(1_000);
        let rises: Vec<u64> = bench.edges(0, 8).iter().filter(|(_, high)| *high).map(|(at, _)| *at).collect();
        assert!(rises.len() > 10, "{part}: {rises:?}");
        assert!(rises.windows(2).all(|pair| pair[1] - pair[0] == period), "{part}: {rises:?}");
    }
    // Half of PLL3 at PA8 of STM32F107: 40 MHz / 2 at 72 MHz.
    let mut bench = fast("stm32f107vc");
    bench.write(RCC + 0x2C, 1 << 16 | 8 << 12 | 8 << 8 | 1 << 4 | 4);
    bench.write(RCC, 0x1501_0083);
    wait(&mut bench, RCC, 1 << 29);
    bench.write(RCC + 0x18, 4);
    bench.write(0x4001_0804, 0x4444_444B);
    let configuration = bench.read(RCC + 0x04);
    bench.write(RCC + 0x04, configuration | 9 << 24);
    bench.edges(0, 8);
    bench.pass(720);
    let rises = bench.edges(0, 8).iter().filter(|(_, high)| *high).count();
    assert_eq!(rises, 200);
}

#[test]
fn ready_interrupts_reach_the_line_of_the_rcc() {
    // LSI's at bit 0 of CIER, CIFR and CICR: on STM32L4 and G4 line 5, on STM32G0 line 4.
    for (part, line, csr, cycles) in
        [("stm32g071rb", 4, 0x60, 2_080), ("stm32g431kb", 5, 0x94, 2_080), ("stm32l476rg", 5, 0x94, 520)]
    {
        let mut bench = new(part);
        bench.write(RCC + 0x18, 1);
        bench.write(RCC + csr, 0x601);
        assert_eq!(bench.until_line(line, 100_000), Some(cycles), "{part}");
        assert_eq!(bench.read(RCC + 0x1C), 1, "{part}");
        bench.write(RCC + 0x20, 1);
        assert_eq!(bench.read(RCC + 0x1C), 0, "{part}");
        assert!(!bench.bus.shared.interrupts.is_high(line), "{part}");
    }
}

#[test]
fn reset_flags_go_with_rmvf_and_a_reset_brings_the_clocks_back() {
    for (part, csr, rmvf) in [("stm32g071rb", 0x60, 23), ("stm32g431kb", 0x94, 23), ("stm32l476rg", 0x94, 23)] {
        let mut bench = fast(part);
        assert_eq!(bench.read(RCC + csr) >> 24, 0x0C, "{part}");
        bench.write(RCC + csr, 1 << rmvf | 0x600);
        assert_eq!(bench.read(RCC + csr) >> 24, 0, "{part}");
        let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
        devices.reset("SYSRESETREQ", &mut context);
        assert_eq!(bench.read(RCC + csr) >> 24, 0x14, "{part}: SFTRSTF and PINRSTF");
        assert_eq!(hclk(&bench), if part.contains("l4") { 4 } else { 16 } * MHZ, "{part}");
    }
}

#[test]
fn a_reset_takes_the_wait_states_and_the_fast_clock_at_once() {
    const FLASH: u32 = 0x4002_2000;
    for (part, latency) in [("stm32g071rb", 2), ("stm32l476rg", 4)] {
        let mut bench = Bench::of(part, MemorySetting::Shipped);
        bench.write(FLASH, latency);
        let mut bench = speed_up(bench, STARTS.iter().find(|start| start.part == part).unwrap());
        let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
        devices.reset("SYSRESETREQ", &mut context);
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "{part}");
    }
    // Out of range 2, in which HSI16 would be too fast for no wait state.
    let mut bench = Bench::of("stm32g071rb", MemorySetting::Shipped);
    bench.write(FLASH, 1);
    bench.write(RCC + 0x3C, 1 << 28);
    bench.write(0x4000_7000, 2 << 9);
    bench.pass(10_000);
    assert_eq!(bench.read(0x4000_7014) >> 10 & 1, 0, "VOSF");
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.reset("SYSRESETREQ", &mut context);
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
}

#[test]
fn enables_and_resets_are_those_of_the_parts_blocks() {
    let mut bench = new("stm32g431kb");
    const TIM2: u32 = 0x4000_0000;
    bench.write(TIM2 + 0x2C, 77);
    assert_eq!(bench.gaps(GapKind::Setting), ["clock of TIM2 is off"]);
    bench.write(RCC + 0x58, u32::MAX);
    // RM0440, RCC_APB1ENR1 of category 2: no TIM5, UART5 nor others.
    assert_eq!(bench.read(RCC + 0x58) >> 3 & 1, 0, "TIM5EN");
    assert_eq!(bench.read(RCC + 0x58) & 1, 1);
    assert_eq!(bench.read(RCC + 0x48), 0x100, "AHB1ENR: FLASHEN");
    assert_eq!(bench.read(RCC + 0x7C), 1 | 1 << 8, "APB1SMENR2: LPUART1 and UCPD1");
}

/// The generator of Marsaglia 2003 (xorshift64).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn no_write_of_any_parts_rcc_panics_or_stops_its_clock() {
    let parts = distinct();
    assert!(parts.len() > 40, "{}", parts.len());
    for (part, seed) in parts.into_iter().zip(1u64..) {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut bench = Bench::on(part, MemorySetting::Shipped);
        let rcc = part.soc().unwrap().instances().find(|known| known.map.kind == "rcc").unwrap();
        let offsets: Vec<u32> = rcc.map.registers.iter().map(|register| register.offset).collect();
        for _ in 0..400 {
            let offset = offsets[next(&mut state) as usize % offsets.len()];
            let width = [Width::Byte, Width::Half, Width::Word, Width::Word][next(&mut state) as usize % 4];
            let value = match next(&mut state) % 4 {
                0 => next(&mut state) as u32,
                1 => bench.try_read(rcc.address + offset, Width::Word).unwrap_or(0) ^ 1 << (next(&mut state) % 32),
                2 => 0,
                _ => u32::MAX,
            };
            let _ = bench.try_write(rcc.address + offset, width, value);
            let _ = bench.try_read(rcc.address + offset, Width::Word);
            bench.pass([1, 40, 1_000, 100_000][next(&mut state) as usize % 4]);
            assert_ne!(hclk(&bench), 0, "{}: {offset:#x} {value:#x}", part.name);
        }
    }
}
