//! MK20DX256: clock generator, gates, watchdog, flash controller (K20P64M72SF1RM).

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{FlashTiming, GapKind, Width};
use cyclescope_peripherals::Source;

use crate::bench::Bench;

const SIM: u32 = 0x4004_7000;
const SCGC4: u32 = SIM + 0x1034;
const SCGC5: u32 = SIM + 0x1038;
const SCGC6: u32 = SIM + 0x103C;
const CLKDIV1: u32 = SIM + 0x1044;
const MCG: u32 = 0x4006_4000;
const MCG_C1: u32 = MCG;
const MCG_C2: u32 = MCG + 1;
const MCG_C5: u32 = MCG + 4;
const MCG_C6: u32 = MCG + 5;
const MCG_S: u32 = MCG + 6;
const WDOG: u32 = 0x4005_2000;
const WDOG_UNLOCK: u32 = WDOG + 0x0E;
const WDOG_REFRESH: u32 = WDOG + 0x0C;
const FMC_PFB0CR: u32 = 0x4001_F004;
const RCM_SRS: u32 = 0x4007_F000;

pub fn byte(bench: &mut Bench, address: u32, value: u32) {
    bench.try_write(address, Width::Byte, value).unwrap();
}

pub fn read_byte(bench: &mut Bench, address: u32) -> u32 {
    bench.try_read(address, Width::Byte).unwrap()
}

fn half(bench: &mut Bench, address: u32, value: u32) {
    bench.try_write(address, Width::Half, value).unwrap();
}

/// The part with an image whose flash configuration field leaves it unsecured.
fn new(setting: MemorySetting) -> Bench {
    let mut bench = Bench::of("mk20dx256", setting);
    assert!(bench.bus.memory.load(Address::new(0x40C), &[0xDE, 0xF9]));
    bench.bus.shared.gaps = Default::default();
    let (devices, mut context) = bench.bus.with_context(Cycles::ZERO, Address::ZERO);
    devices.start(&mut context);
    bench
}

fn without_watchdog(setting: MemorySetting) -> Bench {
    let mut bench = new(setting);
    half(&mut bench, WDOG_UNLOCK, 0xC520);
    half(&mut bench, WDOG_UNLOCK, 0xD928);
    bench.pass(2);
    half(&mut bench, WDOG, 0x0010);
    bench
}

/// At 96 MHz by way of FBE and PBE, as a Teensy's start-up code goes it, with the clocks of ports and UARTs on.
pub fn fast(setting: MemorySetting) -> Bench {
    let mut bench = without_watchdog(setting);
    byte(&mut bench, 0x4006_5000, 0x8A);
    byte(&mut bench, MCG_C2, 2 << 4 | 1 << 2);
    byte(&mut bench, MCG_C1, 2 << 6 | 4 << 3);
    bench.pass(50_000);
    assert_eq!(read_byte(&mut bench, MCG_S), 1 << 1 | 2 << 2, "FBE: OSCINIT0, CLKST external");
    byte(&mut bench, MCG_C5, 3);
    byte(&mut bench, MCG_C6, 1 << 6);
    bench.pass(10_000);
    assert_eq!(read_byte(&mut bench, MCG_S), 1 << 1 | 2 << 2 | 1 << 5 | 1 << 6, "PBE: PLLST, LOCK0");
    bench.write(CLKDIV1, 1 << 24 | 3 << 16);
    byte(&mut bench, MCG_C1, 4 << 3);
    assert_eq!(read_byte(&mut bench, MCG_S) >> 2 & 3, 3, "PEE");
    bench.write(SCGC4, 0xF010_1C30);
    bench.write(SCGC5, 0x0004_3F82);
    bench.write(SCGC6, 0x4000_0001 | 1 << 23);
    bench
}

#[test]
fn it_starts_in_fei_and_ends_at_96_mhz() {
    let bench = new(MemorySetting::Equal);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(20_971_520), "640 times 32.768 kHz");
    let bench = fast(MemorySetting::Equal);
    let clocks = bench.bus.peripherals.clocks();
    let is = [Source::Hclk, Source::Pclk, Source::Pclk2].map(|source| clocks.frequency(source).get());
    assert_eq!(is, [96_000_000, 48_000_000, 24_000_000], "core, bus, flash");
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    assert!(bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", bench.gaps(GapKind::RegisterWrite));
}

#[test]
fn the_crystal_and_the_pll_take_their_times() {
    let mut bench = without_watchdog(MemorySetting::Equal);
    byte(&mut bench, MCG_C2, 2 << 4 | 1 << 2);
    byte(&mut bench, MCG_C1, 2 << 6 | 4 << 3);
    // 0.6 ms at 20.97152 MHz; the first two cycles went by before.
    let startup = 12_583;
    bench.pass(startup - 1);
    assert_eq!(read_byte(&mut bench, MCG_S) & 0x1E, 1 << 4, "still FEI");
    bench.pass(1);
    assert_eq!(read_byte(&mut bench, MCG_S) & 0x1E, 1 << 1 | 2 << 2);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(16_000_000));
    byte(&mut bench, MCG_C5, 3);
    byte(&mut bench, MCG_C6, 1 << 6);
    // 150 us and 1075 periods of 4 MHz, at 16 MHz.
    bench.pass(2_400 + 4_300 - 1);
    assert_eq!(read_byte(&mut bench, MCG_S) & 1 << 6, 0);
    bench.pass(1);
    assert_eq!(read_byte(&mut bench, MCG_S) & 1 << 6, 1 << 6);
}

#[test]
fn a_block_without_a_clock_is_a_bus_error() {
    let mut bench = without_watchdog(MemorySetting::Equal);
    assert!(bench.try_read(0x4006_A000, Width::Byte).is_err());
    assert_eq!(bench.gaps(GapKind::Setting), ["clock of UART0 is off"]);
    bench.write(SCGC4, 0xF010_0430);
    assert_eq!(read_byte(&mut bench, 0x4006_A001), 4, "UART0_BDL after reset");
}

#[test]
fn the_watchdog_wants_to_be_unlocked_in_time() {
    let mut bench = new(MemorySetting::Equal);
    bench.pass(255);
    assert_eq!(bench.bus.shared.reset, None);
    bench.pass(1);
    assert_eq!(bench.bus.shared.reset, Some("WDOG: not unlocked within 256 bus clocks after reset"));
    let mut bench = new(MemorySetting::Equal);
    half(&mut bench, WDOG_UNLOCK, 0xC520);
    bench.pass(21);
    half(&mut bench, WDOG_UNLOCK, 0xD928);
    assert_eq!(bench.bus.shared.reset, Some("WDOG: the unlock sequence took too long"));
}

#[test]
fn a_watchdog_switched_off_stays_quiet_and_takes_no_second_setting() {
    let mut bench = without_watchdog(MemorySetting::Equal);
    assert_eq!(bench.read(WDOG) & 0xFFFF, 0x0110);
    half(&mut bench, WDOG, 0x01D3);
    assert_eq!(bench.read(WDOG) & 0xFFFF, 0x0110, "once per unlock");
    bench.pass(500_000_000);
    assert_eq!(bench.bus.shared.reset, None);
}

#[test]
fn a_watchdog_left_on_bites_unless_it_is_refreshed() {
    let mut bench = new(MemorySetting::Equal);
    half(&mut bench, WDOG_UNLOCK, 0xC520);
    half(&mut bench, WDOG_UNLOCK, 0xD928);
    // 10,000 steps of five bus clocks.
    half(&mut bench, WDOG + 4, 0);
    half(&mut bench, WDOG + 6, 10_000);
    bench.pass(49_999);
    half(&mut bench, WDOG_REFRESH, 0xA602);
    half(&mut bench, WDOG_REFRESH, 0xB480);
    bench.pass(49_999);
    assert_eq!(bench.bus.shared.reset, None);
    bench.pass(1);
    assert_eq!(bench.bus.shared.reset, Some("WDOG: timed out"));
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.reset("WDOG: timed out", &mut context);
    assert_eq!(bench.read(RCM_SRS), 1 << 5, "SRS0.WDOG");
}

#[test]
fn wait_states_follow_from_the_clocks_and_the_cache_from_its_register() {
    let timing = |bench: &Bench| bench.bus.memory.flash.interface().timing();
    let lines = |wait_states, prefetch, instruction_lines, data_lines| FlashTiming {
        line_bytes: 8,
        caches_prefetched: true,
        wait_states,
        prefetch,
        instruction_lines,
        data_lines,
        ..FlashTiming::IDEAL
    };
    assert_eq!(timing(&new(MemorySetting::Equal)), lines(1, true, 24, 8), "flash at half the core's clock");
    let mut bench = fast(MemorySetting::Shipped);
    assert_eq!(timing(&bench), lines(3, true, 24, 8));
    assert_eq!(bench.read(FMC_PFB0CR) >> 28, 3, "B0RWSC");
    bench.write(FMC_PFB0CR, 1);
    assert_eq!(timing(&bench), lines(3, false, 0, 0));
    let text = bench.bus.peripherals.flash_settings_written().unwrap();
    assert_eq!(text, "3 wait states, speculation off, instruction cache off, data cache off at 96 MHz");
    assert_eq!(timing(&fast(MemorySetting::Ideal)), FlashTiming::IDEAL);
}

#[test]
fn a_flash_clock_beyond_its_limit_and_a_secured_part_are_named() {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(CLKDIV1, 1 << 24 | 2 << 16);
    assert_eq!(bench.gaps(GapKind::Setting), ["SIM_CLKDIV1.OUTDIV4: flash clock above 25 MHz"]);
    let bench = Bench::of("mk20dx256", MemorySetting::Equal);
    assert!(bench.gaps(GapKind::Setting)[0].contains("secures the part"), "an erased field");
}

#[test]
fn references_that_the_loops_are_not_made_for_are_named() {
    const FLL: &str = "MCG_C1.FRDIV: FLL reference outside 31.25 to 39.0625 kHz";
    const PLL: &str = "MCG_C5.PRDIV0: PLL reference outside 2 to 4 MHz";
    let crystal = |divider: u32| {
        let mut bench = without_watchdog(MemorySetting::Equal);
        bench.write(CLKDIV1, 0xF << 28 | 0xF << 24 | 0xF << 16);
        byte(&mut bench, MCG_C2, 2 << 4 | 1 << 2);
        byte(&mut bench, MCG_C1, 2 << 6 | divider << 3);
        bench.pass(50_000);
        bench
    };
    // 16 MHz by 512, by 256 and by 1024: 31.25 kHz, twice and half of it.
    for (divider, named) in [(4, &[][..]), (3, &[FLL]), (5, &[FLL])] {
        let mut bench = crystal(divider);
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "FBE does not use the FLL");
        byte(&mut bench, MCG_C1, divider << 3);
        assert_eq!(bench.gaps(GapKind::Setting), named, "FRDIV {divider}");
    }
    // 16 MHz by 4, 3, 8 and 9.
    for (divider, named) in [(3, &[][..]), (2, &[PLL]), (7, &[]), (8, &[PLL])] {
        let mut bench = crystal(4);
        byte(&mut bench, MCG_C5, divider);
        byte(&mut bench, MCG_C6, 1 << 6);
        bench.pass(10_000);
        byte(&mut bench, MCG_C1, 4 << 3);
        assert_eq!(read_byte(&mut bench, MCG_S) >> 2 & 3, 3, "PEE");
        assert_eq!(bench.gaps(GapKind::Setting), named, "PRDIV0 {divider}");
    }
}

#[test]
fn a_flash_clock_that_the_pll_makes_too_fast_is_named() {
    let mut bench = fast(MemorySetting::Equal);
    // FBE, a divider for it, and the PLL again.
    byte(&mut bench, MCG_C1, 2 << 6 | 4 << 3);
    bench.write(CLKDIV1, 0);
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
    byte(&mut bench, MCG_C1, 4 << 3);
    assert_eq!(bench.gaps(GapKind::Setting), ["SIM_CLKDIV1.OUTDIV4: flash clock above 25 MHz"]);
}

#[test]
fn four_timers_count_the_bus_clock() {
    let mut bench = fast(MemorySetting::Equal);
    const PIT: u32 = 0x4003_7000;
    const PIT1_LINE: usize = 69;
    bench.write(PIT, 0);
    bench.write(PIT + 0x110, 999);
    bench.write(PIT + 0x118, 3);
    let begun = bench.now;
    bench.pass(20);
    assert_eq!(bench.read(PIT + 0x114), 989, "CVAL1 after ten bus clocks");
    assert_eq!(bench.until_line(PIT1_LINE, 10_000), Some(begun + 2_000));
    bench.write(PIT + 0x11C, 1);
    assert_eq!(bench.until_line(PIT1_LINE, 10_000), Some(begun + 4_000));
}

#[test]
fn flexnvm_and_absent_blocks_are_named() {
    let mut bench = fast(MemorySetting::Equal);
    assert_eq!(bench.read(0x1000_0000), 0);
    assert!(bench.try_read(0x4006_D000, Width::Word).is_err(), "UART3 is not on this package");
    let gaps = bench.gaps(GapKind::RegisterRead);
    assert_eq!(gaps, ["no peripheral at 0x10000000", "no peripheral at 0x4006d000"]);
    assert!(bench.try_read(0x6000_0000, Width::Word).is_err());
    assert!(bench.try_write(0, Width::Word, 0).is_err(), "flash takes no stores");
}
