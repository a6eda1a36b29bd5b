//! External interrupts of STM32G0, G4, L4 and L4+ with the blocks that feed them: lines from 32 on, direct lines, the choice of
//! ports, tampering (RM0444, RM0440, RM0351, "EXTI", "SYSCFG", "RTC", "TAMP").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::GapKind;

use crate::bench::Bench;

/// The Assumed flip-flops between a pin and its pending flag.
const SYNCHRONISER: u64 = 2;

const SYSCFG: u32 = 0x4001_0000;
const RTC: u32 = 0x4000_2800;
const PWR_CR1: u32 = 0x4000_7000;

/// A part after power-on with the clocks of all blocks, and writes to the backup domain allowed.
pub fn ready(name: &str) -> Bench {
    let mut bench = Bench::of(name, MemorySetting::Equal);
    let enables: &[u32] =
        if name.starts_with("stm32g0") { &[0x34, 0x38, 0x3C, 0x40] } else { &[0x48, 0x4C, 0x50, 0x58, 0x5C, 0x60] };
    for offset in enables {
        bench.write(0x4002_1000 + offset, u32::MAX);
    }
    bench.write(PWR_CR1, 1 << 8 | 1 << 9);
    bench
}

fn is_high(bench: &Bench, line: usize) -> bool {
    bench.bus.shared.interrupts.is_high(line)
}

#[test]
fn g0_has_a_flag_an_edge_and_direct_lines_have_none() {
    const EXTI: u32 = 0x4002_1800;
    let mut bench = ready("stm32g071rb");
    assert_eq!(bench.read(EXTI + 0x80), 0xFFF8_0000, "direct lines are not masked");
    bench.write(0x5000_0800, 0xF3FF_FFFF);
    bench.write(EXTI + 0x6C, 2 << 8);
    bench.write(EXTI + 0x04, 1 << 13);
    bench.write(EXTI + 0x80, 1 << 13);
    bench.set_pin(1, 2, 13, Some(true));
    bench.set_pin(10, 2, 13, Some(false));
    assert_eq!(bench.until_line(7, 100), Some(10 + SYNCHRONISER));
    assert_eq!([bench.read(EXTI + 0x0C), bench.read(EXTI + 0x10)], [0, 1 << 13]);
    // The voltage detector's line by software, and the RTC's, which is direct.
    bench.write(EXTI + 0x80, 1 << 16 | 1 << 19);
    bench.write(EXTI + 0x08, 1 << 16 | 1 << 19);
    assert_eq!(bench.read(EXTI + 0x0C), 1 << 16);
    assert_eq!([is_high(&bench, 1), is_high(&bench, 2)], [true, false]);
    bench.write(EXTI + 0x0C, 1 << 16);
    assert!(!is_high(&bench, 1));
}

#[test]
fn syscfg_chooses_the_port_and_lines_from_32_on_have_registers_of_their_own() {
    const EXTI: u32 = 0x4001_0400;
    for (name, masks, supply) in [
        ("stm32g431kb", [0x1F84_0000, 0xC3C], 1u32 << 8),
        ("stm32l476rg", [0xFF82_0000, 0x87], 1 << 3),
        ("stm32l4r5zi", [0xFF82_0000, 0x187], 1 << 3),
    ] {
        let mut bench = ready(name);
        let lines = if name.starts_with("stm32g4") { 0xFFF } else { 0x1FF };
        let expected = [masks[0], masks[1] & if name == "stm32l4r5zi" { 0x87 } else { lines }];
        let reserved = bench.read(EXTI + 0x20) & if name == "stm32l4r5zi" { 0xFF } else { lines };
        assert_eq!([bench.read(EXTI), reserved & if name == "stm32l476rg" { 0xFF } else { lines }], expected, "{name}");
        // Line 0 from port B, whose pin 0 is an input.
        bench.write(0x4800_0400, 0xFFFF_FFFC);
        bench.write(SYSCFG + 0x08, 1);
        for offset in [0x00, 0x08] {
            bench.write(EXTI + offset, 1);
        }
        bench.set_pin(5, 1, 0, Some(true));
        assert_eq!(bench.until_line(6, 100), Some(5 + SYNCHRONISER), "{name}");
        assert_eq!(bench.read(EXTI + 0x14), 1);
        bench.write(EXTI + 0x14, 1);
        assert!(!is_high(&bench, 6));
        // A monitor of another supply shares the detector's interrupt.
        bench.write(EXTI + 0x30, supply);
        assert_eq!(bench.read(EXTI + 0x34), 0, "{name}: masked");
        bench.write(EXTI + 0x34, supply);
        bench.write(EXTI + 0x30, 0);
        bench.write(EXTI + 0x20, supply);
        bench.write(EXTI + 0x30, supply);
        assert_eq!(bench.read(EXTI + 0x34), supply, "{name}");
        assert!(is_high(&bench, 1), "{name}");
        bench.write(EXTI + 0x34, supply);
        assert_eq!([bench.read(EXTI + 0x30), bench.read(EXTI + 0x34)], [0, 0], "{name}");
        assert!(!is_high(&bench, 1), "{name}");
    }
}

#[test]
fn parts_say_who_they_are_and_remap_their_memory() {
    for (name, dbgmcu, code) in [
        ("stm32g071rb", 0x4001_5800, 0x2000_0460),
        ("stm32g431kb", 0xE004_2000, 0x2003_0468),
        ("stm32l476rg", 0xE004_2000, 0x1007_0415),
        ("stm32l4r5zi", 0xE004_2000, 0x100F_0470),
    ] {
        let mut bench = ready(name);
        assert_eq!(bench.read(dbgmcu), code, "{name}");
        bench.write(0x2000_0000, 0x1234_5678);
        assert_eq!(bench.read(0), u32::MAX, "{name}: flash at 0");
        bench.write(SYSCFG, 3);
        assert_eq!(bench.read(0), 0x1234_5678, "{name}: RAM at 0");
        bench.write(SYSCFG, 1);
        assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.ends_with("MEM_MODE=1")), "{name}");
        assert_eq!(bench.read(0), u32::MAX, "{name}");
    }
}

#[test]
fn g0_shows_its_interrupt_lines_in_syscfg() {
    let mut bench = ready("stm32g071rb");
    assert_eq!(bench.read(SYSCFG + 0x80 + 4 * 15), 0);
    // TIM2's update.
    bench.write(0x4000_000C, 1);
    bench.write(0x4000_0014, 1);
    assert_eq!(bench.read(SYSCFG + 0x80 + 4 * 15), 1);
}

#[test]
fn a_tamper_pin_of_l4_erases_the_backup_registers_unless_told_otherwise() {
    const EXTI: u32 = 0x4001_0400;
    const TAMPCR: u32 = RTC + 0x40;
    for (name, keeps) in [("stm32l476rg", false), ("stm32l4r5zi", true)] {
        let mut bench = ready(name);
        bench.write(RTC + 0x50, 0xCAFE);
        bench.write(RTC + 0x50 + 4 * 31, 0xF00D);
        bench.write(EXTI, 1 << 19);
        bench.write(EXTI + 0x08, 1 << 19);
        // Tamper pin 2, PA0, at a rising edge; its own interrupt.
        bench.write(TAMPCR, 1 << 3 | 1 << 19 | u32::from(keeps) << 20);
        bench.set_pin(3, 0, 0, Some(true));
        assert_eq!(bench.until_line(2, 100), Some(3 + SYNCHRONISER), "{name}");
        assert_eq!(bench.read(RTC + 0x0C) >> 13 & 7, 2, "{name}: TAMP2F");
        let expected = if keeps { [0xCAFE, 0xF00D] } else { [0, 0] };
        assert_eq!([bench.read(RTC + 0x50), bench.read(RTC + 0x50 + 4 * 31)], expected, "{name}");
    }
}

#[test]
fn a_tamper_block_has_flags_and_backup_registers() {
    for (name, tamp, direct) in [("stm32g071rb", 0x4000_B000, true), ("stm32g431kb", 0x4000_2400, false)] {
        let mut bench = ready(name);
        bench.write(tamp + 0x100, 7);
        // TAMP_IN1, PC13, at a falling edge, with interrupt; its line is direct on G0 and configurable on G4.
        bench.set_pin(1, 2, 13, Some(true));
        bench.pass(2);
        bench.write(tamp + 0x04, 1 << 24);
        bench.write(tamp + 0x2C, 1);
        bench.write(tamp, 1);
        if !direct {
            bench.write(0x4001_0400, 1 << 19);
            bench.write(0x4001_0408, 1 << 19);
        }
        assert_eq!(bench.read(tamp + 0x30), 0, "{name}: the pin is at rest");
        let from = bench.now;
        bench.set_pin(4, 2, 13, Some(false));
        assert_eq!(bench.until_line(2, 100), Some(from + 4 + if direct { 0 } else { SYNCHRONISER }), "{name}");
        assert_eq!([0x30, 0x34, 0x100].map(|offset| bench.read(tamp + offset)), [1, 1, 0], "{name}");
        bench.write(tamp + 0x3C, 1);
        assert_eq!([0x30, 0x34].map(|offset| bench.read(tamp + offset)), [0, 0], "{name}");
        assert_eq!(is_high(&bench, 2), !direct, "{name}: G4's pending flag stays");
    }
}
