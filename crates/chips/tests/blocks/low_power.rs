//! Power control of STM32G0, G4 and L4 (RM0444, RM0440, RM0351, RM0432, "Power control (PWR)").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::GapKind;
use cyclescope_peripherals::Source;

use crate::bench::Bench;

pub const PWR: u32 = 0x4000_7000;
const RCC: u32 = 0x4002_1000;
const CR1: u32 = PWR;
const CR3: u32 = PWR + 0x08;
const CR4: u32 = PWR + 0x0C;
const SR1: u32 = PWR + 0x10;
const SR2: u32 = PWR + 0x14;
const SCR: u32 = PWR + 0x18;
const CR5: u32 = PWR + 0x80;
const RAM: u32 = 0x2000_0000;
const RANGE_1: u32 = 1 << 9;
const RANGE_2: u32 = 2 << 9;
const LPR: u32 = 1 << 14;
const REGLPF: u32 = 1 << 9;
const VOSF: u32 = 1 << 10;

const PARTS: [&str; 4] = ["stm32g071rb", "stm32g431rb", "stm32l476rg", "stm32l4r5zi"];

/// The part after power-on, with the clock of each block.
pub fn enabled(part: &str, setting: MemorySetting) -> Bench {
    let mut bench = Bench::of(part, setting);
    enable(part, &mut bench);
    bench
}

fn enable(part: &str, bench: &mut Bench) {
    let enables: &[u32] =
        if part.starts_with("stm32g0") { &[0x34, 0x38, 0x3C, 0x40] } else { &[0x48, 0x4C, 0x58, 0x60] };
    enables.iter().for_each(|offset| bench.write(RCC + offset, u32::MAX));
}

fn bench(part: &str) -> Bench {
    enabled(part, MemorySetting::Equal)
}

/// The cycles of so many periods of 16 MHz.
fn cycles(bench: &Bench, periods: u64) -> u64 {
    (periods * bench.bus.peripherals.clocks().frequency(Source::Hclk).get()).div_ceil(16_000_000)
}

#[test]
fn the_voltage_follows_its_field_after_a_time() {
    for part in PARTS {
        let mut bench = bench(part);
        assert_eq!(bench.read(CR1) & !8, RANGE_1, "{part}");
        for reserved in [0, 3 << 9] {
            bench.write(CR1, reserved);
            assert_eq!(bench.read(CR1) & 3 << 9, RANGE_1, "{part}: VOS {reserved:#x} cannot be written");
            assert_eq!(bench.read(SR2) & VOSF, 0);
        }
        bench.write(CR1, RANGE_2);
        assert_eq!(bench.read(SR2) & VOSF, VOSF, "{part}");
        let time = cycles(&bench, 320);
        bench.pass(time - 1);
        assert_eq!(bench.read(SR2) & VOSF, VOSF, "{part}");
        bench.pass(1);
        assert_eq!(bench.read(SR2) & VOSF, 0, "{part}: 20 us");
        assert_eq!(bench.read(CR1) & 3 << 9, RANGE_2);
    }
}

#[test]
fn the_boost_is_bit_8_of_cr5() {
    for part in ["stm32g431rb", "stm32l4r5zi"] {
        let mut bench = enabled(part, MemorySetting::Shipped);
        assert_eq!(bench.read(CR5), 1 << 8, "{part}: off");
        bench.write(CR5, 0xFF);
        assert_eq!(bench.read(CR5), 0, "{part}: on");
        let gaps = bench.gaps(GapKind::RegisterWrite);
        assert!(!gaps.iter().any(|gap| gap.starts_with("PWR")), "{part} {gaps:?}");
    }
    // STM32L4 has no such register.
    let mut bench = bench("stm32l476rg");
    bench.write(CR5, 1 << 8);
    assert_eq!(bench.read(CR5), 0);
}

#[test]
fn low_power_run_mode_has_its_flag_and_its_clock() {
    for part in PARTS {
        let mut bench = bench(part);
        assert_eq!(bench.read(SR2) & REGLPF, 0);
        bench.write(CR1, RANGE_1 | LPR);
        assert_eq!(bench.read(SR2) & REGLPF, REGLPF, "{part}: at once");
        bench.write(CR1, RANGE_1);
        let time = cycles(&bench, 80);
        bench.pass(time - 1);
        assert_eq!(bench.read(SR2) & REGLPF, REGLPF, "{part}");
        bench.pass(1);
        assert_eq!(bench.read(SR2) & REGLPF, 0, "{part}: 5 us");
        bench.write(CR1, RANGE_1 | LPR);
        let gaps = bench.gaps(GapKind::Setting);
        let fast: Vec<_> = gaps.iter().filter(|gap| gap.contains("Low-power run mode (PWR_CR1.LPR)")).collect();
        assert_eq!(fast.len(), 1, "{part} {gaps:?}");
    }
}

#[test]
fn each_stop_mode_has_its_time() {
    let times: [(&str, &[(u32, u64)]); 4] = [
        ("stm32g071rb", &[(0, 32), (8, 90), (1, 80), (9, 144), (LPR, 288), (LPR | 8, 352), (LPR | 9, 352)]),
        ("stm32g431rb", &[(0, 93), (1, 152), (LPR | 1, 426)]),
        ("stm32l476rg", &[(0, 75), (1, 101), (2, 117), (LPR, 171), (LPR | 1, 171)]),
        ("stm32l4r5zi", &[(0, 75), (1, 101), (2, 117)]),
    ];
    for (part, modes) in times {
        for (cr1, periods) in modes {
            let mut bench = bench(part);
            bench.write(CR1, RANGE_1 | cr1);
            assert!(bench.rest(), "{part}");
            bench.pass(12_345);
            let late = bench.wake();
            assert_eq!(late, cycles(&bench, *periods), "{part}: CR1 {cr1:#x}");
        }
    }
    for (cr1, periods) in [(0, 294), (1, 350)] {
        let mut bench = bench("stm32g431rb");
        bench.write(CR1, RANGE_2 | cr1);
        bench.pass(1_000);
        assert!(bench.rest());
        assert_eq!(bench.wake(), cycles(&bench, periods), "range 2: {cr1}");
    }
}

#[test]
fn reserved_modes_are_named() {
    for (part, lpms) in [("stm32g071rb", 2), ("stm32g431rb", 2)] {
        let mut bench = bench(part);
        bench.write(CR1, RANGE_1 | lpms);
        assert!(bench.rest());
        assert_eq!(bench.gaps(GapKind::Setting), ["PWR_CR1.LPMS=2 is reserved: taken as Stop mode"], "{part}");
    }
}

#[test]
fn pins_of_either_polarity_end_standby_and_shutdown_mode() {
    let times = [("stm32g071rb", [232, 4_128]), ("stm32g431rb", [475, 4_286]), ("stm32l433rc", [322, 4_096])];
    for (part, times) in times {
        for (lpms, periods) in [3, 4].into_iter().zip(times) {
            for low in [false, true] {
                let mut bench = bench(part);
                bench.set_pin(0, 2, 13, Some(low));
                bench.pass(1);
                bench.write(CR3, 0x8000 | 1 << 1);
                bench.write(CR4, u32::from(low) << 1);
                bench.write(RAM, 0xCAFE_F00D);
                bench.write(CR1, RANGE_1 | lpms);
                assert!(bench.rest(), "{part}");
                bench.pass(5_000);
                bench.set_pin(0, 0, 0, Some(!low));
                bench.pass(10_000);
                assert_eq!(bench.bus.shared.reset, None, "{part}: WKUP1 is not enabled");
                bench.set_pin(0, 2, 13, Some(!low));
                let time = cycles(&bench, periods);
                bench.pass(time - 1);
                assert_eq!(bench.bus.shared.reset, None, "{part}");
                bench.pass(1);
                assert_eq!(bench.reset(), Some("wake-up from Standby mode"), "{part} {lpms} {low}");
                enable(part, &mut bench);
                let flags = if lpms == 3 { 1 << 8 | 1 << 1 } else { 0 };
                assert_eq!(bench.read(SR1), flags, "{part}: SBF and WUF2 outlive Standby mode only");
                bench.write(SCR, 1 << 8 | 1 << 1);
                assert_eq!(bench.read(SR1), 0);
                assert_ne!(bench.read(RAM), 0xCAFE_F00D, "{part}");
            }
        }
    }
}

#[test]
fn g0_keeps_its_ram_in_standby_mode_and_the_others_say_what_they_lack() {
    for (part, keeps) in [("stm32g071rb", true), ("stm32g431rb", false), ("stm32l433rc", false)] {
        let mut bench = bench(part);
        bench.write(RAM, 0xCAFE_F00D);
        bench.write(CR3, 0x8000 | 1 << 8 | 1);
        bench.write(CR1, RANGE_1 | 3);
        assert!(bench.rest());
        bench.set_pin(10, 0, 0, Some(true));
        bench.pass(2_000);
        assert!(bench.reset().is_some());
        assert_eq!(bench.read(RAM) == 0xCAFE_F00D, keeps, "{part}");
        assert_eq!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("RRS")), !keeps, "{part}");
    }
}

#[test]
fn pulls_hold_pins_in_standby_mode() {
    for part in ["stm32g071rb", "stm32g431rb", "stm32l433rc"] {
        let mut bench = bench(part);
        bench.write(PWR + 0x28, 1 << 5 | 1 << 6);
        bench.write(PWR + 0x2C, 1 << 6);
        bench.edges(1, 5);
        bench.write(CR3, 0x8001 | 1 << 10);
        assert_eq!(bench.edges(1, 5), [(bench.now, true)], "{part}");
        bench.write(CR1, RANGE_1 | 3);
        assert!(bench.rest());
        bench.set_pin(100, 0, 0, Some(true));
        bench.pass(2_000);
        assert!(bench.reset().is_some());
        assert_eq!(bench.edges(1, 5), [], "{part}: all the time, and after it");
        assert_eq!(bench.edges(1, 6), [], "{part}: pulled down");
    }
}

#[test]
fn the_supply_is_above_each_threshold_of_the_detector() {
    for part in PARTS {
        let mut bench = bench(part);
        for level in 0..8 {
            bench.write(PWR + 4, 1 | level << 1);
            assert_eq!(bench.read(SR2) & 1 << 11, 0, "{part} {level}");
        }
        let gaps = bench.gaps(GapKind::Setting);
        assert_eq!(gaps, ["the voltage detector compares a pin (PVD_IN): taken as high"], "{part}");
    }
}
