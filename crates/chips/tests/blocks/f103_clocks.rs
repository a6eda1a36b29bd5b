//! STM32F103: clocks, the backup domain, identity (RM0008, "Reset and clock control", "Power control", "Backup
//! registers").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{GapKind, Width};
use cyclescope_peripherals::Source;

use crate::bench::Bench;

pub const RCC: u32 = 0x4002_1000;
pub const CR: u32 = RCC;
pub const CFGR: u32 = RCC + 0x04;
const CIR: u32 = RCC + 0x08;
const AHBENR: u32 = RCC + 0x14;
const APB2ENR: u32 = RCC + 0x18;
const APB1ENR: u32 = RCC + 0x1C;
const BDCR: u32 = RCC + 0x20;
const CSR: u32 = RCC + 0x24;
const PWR_CR: u32 = 0x4000_7000;
const BKP_DR1: u32 = 0x4000_6C04;

const HSE_STARTUP: u64 = 16_000;
const PLL_LOCK: u64 = 1_600;

fn new() -> Bench {
    Bench::of("stm32f103c8", MemorySetting::Equal)
}

/// At 72 MHz from HSE and the PLL, APB1 at 36 MHz, with all clocks enabled, as the start-up code of a Blue Pill does it.
pub fn fast(setting: MemorySetting) -> Bench {
    let mut bench = Bench::of("stm32f103c8", setting);
    bench.write(CR, 0x0001_0083);
    bench.pass(HSE_STARTUP);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 4 << 8);
    bench.write(CR, 0x0101_0083);
    bench.pass(PLL_LOCK);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 4 << 8 | 2);
    for enable in [AHBENR, APB2ENR, APB1ENR] {
        bench.write(enable, u32::MAX);
    }
    bench
}

#[test]
fn after_reset_hsi_runs_at_8_mhz() {
    let mut bench = new();
    assert_eq!(bench.read(CR), 0x83);
    assert_eq!(bench.read(AHBENR), 0x14);
    assert_eq!(bench.read(CSR), 0x0C00_0000);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(8_000_000));
}

#[test]
fn hse_and_pll_take_their_time_and_then_make_72_mhz() {
    let mut bench = new();
    bench.write(CR, 0x0001_0083);
    bench.pass(HSE_STARTUP - 1);
    assert_eq!(bench.read(CR) & 1 << 17, 0, "HSERDY");
    bench.pass(1);
    assert_ne!(bench.read(CR) & 1 << 17, 0);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 4 << 8);
    bench.write(CR, 0x0101_0083);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 4 << 8 | 2);
    bench.pass(PLL_LOCK - 1);
    assert_eq!(bench.read(CFGR) >> 2 & 3, 0, "SWS waits for the PLL");
    assert_eq!(bench.read(CR) & 1 << 25, 0, "PLLRDY");
    bench.pass(1);
    assert_eq!(bench.read(CFGR) >> 2 & 3, 2);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(72_000_000));
    let clocks = bench.bus.peripherals.clocks();
    let is = [Source::Pclk, Source::Pclk2, Source::Timer, Source::Timer2].map(|source| clocks.frequency(source).get());
    assert_eq!(is, [36_000_000, 72_000_000, 72_000_000, 72_000_000], "a timer on a divided APB counts twice its clock");
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
}

#[test]
fn the_pll_multiplies_half_of_hsi_or_all_or_half_of_hse() {
    for (cfgr, hz) in [
        (0, 8_000_000),
        (14 << 18, 64_000_000),
        (15 << 18, 64_000_000),
        (1 << 16 | 1 << 17 | 7 << 18, 36_000_000),
        (1 << 16 | 4 << 18, 48_000_000),
    ] {
        let mut bench = new();
        bench.write(CR, 0x0001_0083);
        bench.pass(HSE_STARTUP);
        bench.write(CFGR, cfgr | 4 << 8);
        bench.write(CR, 0x0101_0083);
        bench.pass(PLL_LOCK);
        bench.write(CFGR, cfgr | 4 << 8 | 2);
        assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(hz), "CFGR {cfgr:#x}");
    }
}

#[test]
fn what_sysclk_comes_from_cannot_be_switched_off_nor_the_running_pll_changed() {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(CR, 0x0000_0000);
    assert_eq!(bench.read(CR) & 0x0101_0001, 0x0101_0000, "HSE and PLL stay, HSI goes");
    bench.write(CFGR, 2 << 18 | 1 << 16 | 4 << 8 | 2);
    assert_eq!(bench.read(CFGR) >> 18 & 15, 7);
    assert!(bench.gaps(GapKind::Setting).contains(&"RCC_CFGR: PLL settings written while the PLL is on"));
}

#[test]
fn clocks_beyond_the_limits_are_named() {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 2);
    assert_eq!(bench.gaps(GapKind::Setting), ["RCC_CFGR.PPRE1: PCLK1 above 36 MHz"]);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 4 << 8);
    bench.write(CR, 0x0001_0083);
    bench.write(CFGR, 14 << 18 | 1 << 16 | 4 << 8);
    bench.write(CR, 0x0101_0083);
    bench.pass(PLL_LOCK);
    bench.write(CFGR, 14 << 18 | 1 << 16 | 4 << 8 | 2);
    assert!(bench.gaps(GapKind::Setting).contains(&"SYSCLK above 72 MHz"));
}

#[test]
fn ready_interrupts_come_with_their_enable() {
    let mut bench = new();
    bench.write(CIR, 1 << 8);
    bench.write(CSR, 1);
    assert_eq!(bench.until_line(5, 10_000), Some(680), "LSI in 85 us");
    assert_eq!(bench.read(CIR), 1 << 8 | 1);
    bench.write(CIR, 1 << 16);
    assert_eq!(bench.read(CIR), 0, "clearing does not keep the enable, which was written as 0");
    assert!(!bench.bus.shared.interrupts.is_high(5));
}

#[test]
fn a_crystal_interrupted_by_a_switch_of_clocks_is_ready_at_the_same_time() {
    let mut bench = new();
    bench.write(APB1ENR, 1 << 28 | 1 << 27);
    bench.write(PWR_CR, 1 << 8);
    bench.write(BDCR, 1);
    bench.write(CR, 0x0001_0083);
    bench.pass(HSE_STARTUP);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 4 << 8);
    bench.write(CR, 0x0101_0083);
    bench.pass(PLL_LOCK);
    bench.write(CFGR, 7 << 18 | 1 << 16 | 4 << 8 | 2);
    // 3 s of which 16,000 + 1,600 cycles passed at 8 MHz; the rest at 72 MHz.
    let rest = (24_000_000 - HSE_STARTUP - PLL_LOCK) * 9;
    bench.pass(rest - 1);
    assert_eq!(bench.read(BDCR) & 2, 0, "LSERDY");
    bench.pass(1);
    assert_eq!(bench.read(BDCR) & 2, 2);
}

#[test]
fn the_backup_domain_takes_writes_with_dbp_and_outlives_a_reset() {
    let mut bench = new();
    bench.write(APB1ENR, 1 << 28 | 1 << 27);
    bench.write(BDCR, 1 << 8);
    bench.write(BKP_DR1, 0x1234);
    assert_eq!([bench.read(BDCR), bench.read(BKP_DR1)], [0, 0]);
    assert_eq!(bench.gaps(GapKind::Setting).len(), 2);
    bench.write(PWR_CR, 1 << 8);
    bench.write(BDCR, 1 << 8);
    bench.write(BKP_DR1, 0x1234);
    bench.write(BDCR, 2 << 8 | 1 << 15);
    assert_eq!(bench.read(BDCR), 1 << 8 | 1 << 15, "RTCSEL stays once chosen");
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.reset("IWDG", &mut context);
    bench.write(APB1ENR, 1 << 28 | 1 << 27);
    assert_eq!(bench.read(CSR) >> 24, 0x2C, "IWDGRSTF, PORRSTF, PINRSTF");
    assert_eq!([bench.read(BDCR), bench.read(BKP_DR1)], [1 << 8 | 1 << 15, 0x1234]);
    bench.write(BKP_DR1, 0);
    assert_eq!(bench.read(BKP_DR1), 0x1234, "DBP fell with the reset");
    bench.write(PWR_CR, 1 << 8);
    bench.write(BDCR, 1 << 16);
    assert_eq!([bench.read(BDCR), bench.read(BKP_DR1)], [1 << 16, 0]);
}

#[test]
fn the_device_is_identified_but_for_what_only_a_debugger_can_read() {
    let mut bench = new();
    assert_eq!(bench.try_read(0x1FFF_F7E0, Width::Half), Ok(64), "flash size in KiB");
    assert_ne!(bench.read(0x1FFF_F7E8), 0, "UID");
    assert_eq!(bench.read(0xE004_2000), 0, "DBGMCU_IDCODE");
    bench.write(0xE004_2004, 7);
    assert_eq!(bench.read(0xE004_2004), 0, "DBGMCU_CR");
}

#[test]
fn a_bridge_costs_more_while_its_bus_is_divided() {
    use cyclescope_machine::Peripherals;
    let mut bench = fast(MemorySetting::Equal);
    let mut cost = |address, after| {
        bench.bus.peripherals.extra_cycles(Address::new(address), false, Cycles::new(bench.now + after))
    };
    let mut costs = |after| [cost(0x4000_4400, after), cost(0x4001_0800, after), cost(0x4002_1000, after)];
    assert_eq!(costs(0), [3, 1, 0], "USART2 at an edge of PCLK1, GPIOA, RCC");
    assert_eq!(costs(1), [4, 1, 0], "a cycle after it");
}

#[test]
fn words_go_through_the_crc_unit() {
    let mut bench = fast(MemorySetting::Equal);
    const CRC: u32 = 0x4002_3000;
    bench.write(CRC, 0);
    assert_eq!(bench.read(CRC), 0xC704_DD7B, "of one word of zeros");
    bench.write(CRC + 8, 1);
    assert_eq!(bench.read(CRC), u32::MAX);
    bench.write(CRC, u32::MAX);
    assert_eq!(bench.read(CRC), 0);
}
