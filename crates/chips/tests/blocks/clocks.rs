//! RCC, clock gating, the buses' rules (RM0490, "Reset and clock control", "System architecture").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{GapKind, Width};

use crate::bench::{Bench, RCC, RCC_APBENR1, RCC_APBENR2, RCC_CFGR, RCC_CR, RCC_CSR2, RCC_IOPENR};

const TIM3: u32 = 0x4000_0400;
const LSI_STARTUP: u64 = 3_840;

#[test]
fn after_reset_hsi48_runs_divided_by_four() {
    let mut bench = Bench::new();
    assert_eq!(bench.read(RCC_CR), 0x0000_1540, "RCC_CR reset value");
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(12_000_000));
    bench.write(RCC_CR, 0x0000_0500);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(48_000_000), "HSIDIV = 1");
    assert_eq!(bench.read(RCC_CFGR) >> 3 & 7, 0, "SWS: HSISYS");
}

#[test]
fn lsi_is_ready_after_its_start_up_whatever_the_core_does_meanwhile() {
    let mut bench = Bench::new();
    bench.write(RCC_CSR2, 1);
    assert_eq!(bench.read(RCC_CSR2) & 2, 0);
    bench.pass(LSI_STARTUP / 4 / 2);
    bench.write(RCC_CR, 0x0000_0500);
    bench.pass(LSI_STARTUP / 2 - 1);
    assert_eq!(bench.read(RCC_CSR2) & 2, 0, "half at 12 MHz, half less one cycle at 48 MHz");
    bench.pass(1);
    assert_eq!(bench.read(RCC_CSR2) & 3, 3);
    bench.write(RCC_CSR2, 0);
    assert_eq!(bench.read(RCC_CSR2) & 2, 0, "LSIRDY falls with LSION");
}

#[test]
fn sysclk_switches_once_the_new_clock_is_ready() {
    let mut bench = Bench::fast();
    bench.write(RCC_CFGR, 1);
    assert_eq!(bench.read(RCC_CFGR) & 0x3F, 1, "HSE is off: SWS stays");
    bench.write(RCC_CR, 0x0001_0500);
    bench.pass(95_999);
    assert_eq!(bench.read(RCC_CFGR) & 0x3F, 1);
    bench.pass(1);
    assert_eq!(bench.read(RCC_CFGR) & 0x3F, 1 | 1 << 3);
    bench.write(RCC_CR, 0x0000_0500);
    assert_eq!(bench.read(RCC_CR) & (3 << 16), 3 << 16, "the system clock's oscillator cannot be switched off");
}

#[test]
fn prescalers_divide_and_timers_run_at_twice_a_divided_pclk() {
    let mut bench = Bench::fast();
    for (hpre, ppre, hclk, pclk, timer) in [
        (0, 0, 48_000_000, 48_000_000, 48_000_000),
        (8, 0, 24_000_000, 24_000_000, 24_000_000),
        (0, 5, 48_000_000, 12_000_000, 24_000_000),
        (0xF, 7, 93_750, 5_859, 11_718),
    ] {
        use cyclescope_peripherals::Source;
        bench.write(RCC_CFGR, hpre << 8 | ppre << 12);
        let clocks = bench.bus.peripherals.clocks();
        let is = [Source::Hclk, Source::Pclk, Source::Timer].map(|source| clocks.frequency(source).get());
        assert_eq!(is, [hclk, pclk, timer], "HPRE {hpre} PPRE {ppre}");
    }
}

#[test]
fn a_peripheral_without_clock_reads_zero_and_takes_nothing() {
    let mut bench = Bench::new();
    bench.write(TIM3 + 0x2C, 77);
    assert_eq!(bench.read(TIM3 + 0x2C), 0);
    assert_eq!(bench.gaps(GapKind::Setting), ["clock of TIM3 is off"]);
    bench.write(RCC_APBENR1, 2);
    assert_eq!(bench.read(TIM3 + 0x2C), 0xFFFF, "the write was lost");
}

#[test]
fn what_start_up_code_looks_at_before_the_clock_is_on_is_no_gap() {
    for part in ["stm32c031c6", "stm32f103c8", "stm32f446ze"] {
        let mut bench = Bench::of(part, MemorySetting::Equal);
        // CR1 is 0 with and without a clock, and stays so. TIM3 is at one place on all of them.
        assert_eq!(bench.read(TIM3), 0);
        bench.write(TIM3, 0);
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "{part}");
        // ARR is not 0 after reset: RM0008 says that it reads as 0, the others do not say.
        assert_eq!(bench.read(TIM3 + 0x2C), 0);
        let said = part == "stm32f103c8";
        assert_eq!(bench.gaps(GapKind::Setting).len(), usize::from(!said), "{part}");
        bench.write(TIM3 + 0x2C, 5);
        assert_eq!(bench.gaps(GapKind::Setting), ["clock of TIM3 is off"], "{part}: what is written is lost");
    }
}

#[test]
fn a_program_that_waits_for_a_block_without_a_clock_is_told() {
    let mut bench = Bench::of("stm32f103c8", MemorySetting::Equal);
    for _ in 0..1000 {
        assert_eq!(bench.read(TIM3 + 0x10), 0);
    }
    assert_eq!(bench.gaps(GapKind::Setting), ["clock of TIM3 is off"]);
}

#[test]
fn what_a_debugger_would_want_needs_no_clock_without_one() {
    const DBGMCU: u32 = 0x4001_5800;
    let mut bench = Bench::new();
    assert_eq!(bench.read(DBGMCU + 4), 0);
    bench.write(DBGMCU + 4, 6);
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
    assert_eq!(bench.read(DBGMCU), 0, "IDCODE cannot be read");
    assert_eq!(bench.gaps(GapKind::Setting), ["clock of DBGMCU is off"]);
    bench.write(RCC_APBENR1, 1 << 27);
    assert_eq!(bench.read(DBGMCU) & 0xFFF, 0x453);
    assert_eq!(bench.read(DBGMCU + 4), 0, "what was written was lost");
}

#[test]
fn timers_of_older_parts_have_no_input_selection() {
    for (part, enable) in [("stm32f103c8", 0x4002_101C), ("stm32f446ze", 0x4002_3840)] {
        let mut bench = Bench::of(part, MemorySetting::Equal);
        bench.write(enable, 1);
        bench.read(0x4000_0068);
        assert_eq!(bench.gaps(GapKind::RegisterRead), ["TIM2+0x68"], "{part}");
    }
}

#[test]
fn a_reset_bit_brings_the_reset_values_back() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + 0x2C, 77);
    bench.write(RCC + 0x2C, 2);
    bench.write(RCC + 0x2C, 0);
    assert_eq!(bench.read(TIM3 + 0x2C), 0xFFFF);
}

#[test]
fn narrow_writes_are_spread_on_the_apb_and_lanes_on_the_ahb() {
    let mut bench = Bench::fast();
    bench.try_write(TIM3 + 0x34, Width::Byte, 0xAB).unwrap();
    assert_eq!(bench.read(TIM3 + 0x34), 0xABAB, "the bridge duplicates the data");
    bench.write(0x5000_0014, 0x1234);
    bench.try_write(0x5000_0015, Width::Byte, 0xFF).unwrap();
    assert_eq!(bench.read(0x5000_0014), 0xFF34);
    assert_eq!(bench.try_read(0x5000_0015, Width::Byte), Ok(0xFF));
}

#[test]
fn holes_read_zero_and_are_named() {
    let mut bench = Bench::fast();
    assert_eq!(bench.read(0x4000_1000), 0);
    assert!(bench.gaps(GapKind::RegisterRead).contains(&"no peripheral at 0x40001000"));
    assert!(bench.try_read(0x6000_0000, Width::Word).is_err());
    assert!(bench.try_read(0x1000_0000, Width::Word).is_err());
    assert!(bench.try_read(TIM3 + 1, Width::Half).is_err());
}

#[test]
fn reserved_bits_stay_and_unmodelled_fields_are_named() {
    let mut bench = Bench::fast();
    const TIM1_AF1: u32 = 0x4001_2C60;
    bench.write(TIM1_AF1, 1 << 1 | 1);
    assert_eq!(bench.gaps(GapKind::RegisterWrite), ["TIM1_AF1.BKCMPE1"], "BKINE is modelled");
    bench.write(RCC_CFGR, 1 << 7);
    assert_eq!(bench.read(RCC_CFGR), 0, "bit 7 is reserved");
    bench.read(RCC + 0x44);
    assert!(bench.gaps(GapKind::RegisterRead).contains(&"RCC_IOPSMENR"));
}

#[test]
fn the_device_is_identified() {
    let mut bench = Bench::fast();
    assert_eq!(bench.read(0x4001_5800) & 0xFFF, 0x453, "DBGMCU_IDCODE.DEV_ID");
    assert_eq!(bench.try_read(0x1FFF_75A0, Width::Half), Ok(32), "flash size in KiB");
    assert_ne!(bench.read(0x1FFF_7550), 0, "UID");
}

#[test]
fn ports_are_faster_and_the_apb_is_slower_than_the_ahb() {
    use cyclescope_machine::Peripherals;
    let mut bench = Bench::fast();
    let extra = |bench: &mut Bench, address, after| {
        bench.bus.peripherals.extra_cycles(Address::new(address), false, Cycles::new(bench.now + after))
    };
    assert_eq!([extra(&mut bench, 0x5000_0014, 0), extra(&mut bench, RCC, 0), extra(&mut bench, TIM3, 0)], [-1, 0, 1]);
    assert_eq!([extra(&mut bench, 0x5000_0014, 1), extra(&mut bench, RCC, 1), extra(&mut bench, TIM3, 1)], [-1, 0, 1]);
    bench.write(RCC_CFGR, 4 << 12);
    assert_eq!([0, 1, 2].map(|after| extra(&mut bench, TIM3, after)), [3, 4, 3], "two periods of two cycles, less one");
}

#[test]
fn a_reset_keeps_its_flag_and_the_rtc_domain() {
    let mut bench = Bench::fast();
    bench.write(RCC + 0x5C, 2 << 8 | 1 << 15);
    bench.write(RCC_CSR2, 1 << 23);
    assert_eq!(bench.read(RCC_CSR2) >> 24, 0, "RMVF clears the flags");
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.reset("SYSRESETREQ", &mut context);
    assert_eq!(bench.read(RCC_CSR2) >> 24, 0x14, "SFTRSTF and PINRSTF");
    assert_eq!(bench.read(RCC + 0x5C), 2 << 8 | 1 << 15);
    assert_eq!(bench.read(RCC_IOPENR) | bench.read(RCC_APBENR2), 0);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(12_000_000));
}

#[test]
fn a_clone_goes_on_as_the_original() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + 0x28, 6);
    bench.write(TIM3 + 0x0C, 1);
    bench.write(TIM3, 1);
    bench.pass(12_345);
    let mut copy = bench.clone();
    for each in [&mut bench, &mut copy] {
        each.write(RCC_CFGR, 4 << 12);
        each.pass(700_000);
    }
    assert_eq!(bench.read(TIM3 + 0x24), copy.read(TIM3 + 0x24));
    assert_eq!(bench.until_line(16, 10_000_000), copy.until_line(16, 10_000_000));
}

#[test]
fn ready_interrupts_come_with_their_enable() {
    let mut bench = Bench::fast();
    const RCC_LINE: usize = 4;
    bench.write(RCC + 0x18, 1);
    bench.write(RCC_CSR2, 1);
    assert_eq!(bench.until_line(RCC_LINE, 100_000), Some(LSI_STARTUP));
    assert_eq!(bench.read(RCC + 0x1C), 1, "LSIRDYF");
    bench.write(RCC + 0x20, 1);
    assert!(!bench.bus.shared.interrupts.is_high(RCC_LINE));
}

#[test]
fn ram_appears_at_zero_with_mem_mode_three() {
    let mut bench = Bench::fast();
    bench.write(0x2000_0000, 0xABCD_1234);
    assert_eq!(bench.read(0), u32::MAX);
    bench.write(0x4001_0000, 3);
    assert_eq!(bench.read(0), 0xABCD_1234);
    bench.write(0x4001_0000, 0);
    assert_eq!(bench.read(0), u32::MAX);
}

#[test]
fn syscfg_shows_which_line_is_high() {
    let mut bench = Bench::fast();
    const ITLINE16: u32 = 0x4001_00C0;
    assert_eq!(bench.read(ITLINE16), 0);
    bench.write(TIM3 + 0x0C, 1);
    bench.write(TIM3 + 0x14, 1);
    assert_eq!(bench.read(ITLINE16), 1, "TIM3");
}

#[test]
fn the_part_without_peripherals_faults_everywhere_but_in_memory() {
    use cyclescope_chips::{Devices, MemorySetting, Part};
    use cyclescope_machine::{Access, Bus, Memory};
    let part = Part::find("cortex-m0plus").unwrap();
    let memory = Memory::new(part.flash.base, vec![0; 64], part.ram.base, 64);
    let mut bus = Bus::new(memory, Devices::new(part, part.soc().unwrap(), MemorySetting::Equal), 0);
    for address in [0x4000_0000, 0x5000_0000, 0x1FFF_7550, 0x6000_0000] {
        let pc = Address::ZERO;
        let access = Access { address: Address::new(address), width: Width::Word, at: Cycles::ZERO, pc };
        assert!(bus.read(access).is_err());
        assert!(bus.write(access, 0).is_err());
    }
    assert!(bus.shared.gaps.all().is_empty());
    assert_eq!(bus.peripherals.hclk(), part.clock);
}
