//! RCC and PWR of STM32F446 (RM0390, "Reset and clock control", "Power controller"), and what the bus does.

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{GapKind, Width};
use cyclescope_peripherals::Source;

use crate::bench::Bench;

pub const RCC: u32 = 0x4002_3800;
pub const PLLCFGR: u32 = RCC + 0x04;
pub const CFGR: u32 = RCC + 0x08;
pub const AHB1ENR: u32 = RCC + 0x30;
pub const APB1ENR: u32 = RCC + 0x40;
pub const APB2ENR: u32 = RCC + 0x44;
const CIR: u32 = RCC + 0x0C;
const BDCR: u32 = RCC + 0x70;
const CSR: u32 = RCC + 0x74;
const DCKCFGR: u32 = RCC + 0x8C;
const PWR: u32 = 0x4000_7000;
const TIM2: u32 = 0x4000_0000;
/// HSE 8 MHz / 4 * 180 / 2 = 180 MHz; R = 2, Q = 7.
const PLL_180: u32 = 2 << 28 | 7 << 24 | 1 << 22 | 180 << 6 | 4;
const RCC_LINE: usize = 5;

/// The part after power-on.
pub fn bench() -> Bench {
    Bench::of("stm32f446ze", MemorySetting::Equal)
}

/// With all clocks enabled, at 16 MHz.
pub fn enabled() -> Bench {
    let mut bench = bench();
    for register in [AHB1ENR, APB1ENR, APB2ENR] {
        bench.write(register, u32::MAX);
    }
    bench
}

/// At 180 MHz from HSE with over-drive, APB1 at 45 MHz and APB2 at 90 MHz, all clocks enabled.
pub fn fast() -> Bench {
    let mut bench = enabled();
    bench.write(PWR, 3 << 14 | 1 << 16);
    wait(&mut bench, PWR + 4, 1 << 16);
    bench.write(PWR, 3 << 14 | 3 << 16);
    wait(&mut bench, PWR + 4, 1 << 17);
    bench.write(RCC, 0x0005_0081);
    wait(&mut bench, RCC, 1 << 17);
    bench.write(PLLCFGR, PLL_180);
    bench.write(RCC, 0x0105_0081);
    wait(&mut bench, RCC, 1 << 25);
    bench.write(CFGR, 5 << 10 | 4 << 13);
    bench.write(CFGR, 5 << 10 | 4 << 13 | 2);
    assert_eq!(bench.read(CFGR) & 0xF, 0xA, "SWS follows");
    bench
}

/// Lets time pass until `bits` of the register are set.
pub fn wait(bench: &mut Bench, register: u32, bits: u32) {
    for _ in 0..1_000_000 {
        if bench.read(register) & bits == bits {
            return;
        }
        bench.pass(1);
    }
    panic!("{register:#x} never shows {bits:#x}");
}

fn clocks(bench: &Bench) -> [u64; 5] {
    [Source::Hclk, Source::Pclk, Source::Pclk2, Source::Timer, Source::Timer2]
        .map(|source| bench.bus.peripherals.clocks().frequency(source).get())
}

#[test]
fn after_reset_hsi_runs_at_16_mhz() {
    let mut bench = bench();
    assert_eq!(bench.read(RCC) & 3, 3, "HSION and HSIRDY");
    assert_eq!(clocks(&bench), [16_000_000; 5]);
    assert_eq!(bench.read(PLLCFGR), 0x2400_3010);
    assert_eq!(bench.read(CSR) >> 24, 0x0E, "BOR, pin and power-on flags");
}

#[test]
fn the_pll_makes_180_mhz_exactly() {
    let bench = fast();
    assert_eq!(clocks(&bench), [180_000_000, 45_000_000, 90_000_000, 90_000_000, 180_000_000]);
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
    let tree = bench.bus.peripherals.clocks();
    let microsecond = tree.microseconds(1);
    assert_eq!(tree.period_of(Source::Hclk).times(180), microsecond, "a period is a whole number of units");
}

#[test]
fn odd_settings_of_the_pll_are_exact_too() {
    let mut bench = enabled();
    // HSI 16 MHz / 13 * 181 / 4: a period of 52 / 2896 microseconds.
    bench.write(PLLCFGR, 2 << 28 | 4 << 24 | 1 << 16 | 181 << 6 | 13);
    bench.write(RCC, 0x0100_0081);
    wait(&mut bench, RCC, 1 << 25);
    bench.write(CFGR, 4 << 10 | 2);
    let tree = bench.bus.peripherals.clocks();
    assert_eq!(tree.period_of(Source::Hclk).times(2896), tree.microseconds(52));
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
}

#[test]
fn a_loop_out_of_its_range_is_named() {
    let mut bench = enabled();
    bench.write(PLLCFGR, 2 << 28 | 433 << 6 | 16);
    bench.write(RCC, 0x0100_0081);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["RCC_PLLCFGR: PLLM=16 PLLN=433 are not allowed", "RCC_PLLCFGR: the VCO would run at 433 MHz"]
    );
    wait(&mut bench, RCC, 1 << 25);
    bench.write(PLLCFGR, PLL_180);
    assert_eq!(bench.read(PLLCFGR) >> 6 & 0x1FF, 433, "settings hold while the PLL is on");
}

#[test]
fn the_pll_waits_for_its_source_and_sysclk_for_the_pll() {
    let mut bench = enabled();
    bench.write(PLLCFGR, PLL_180);
    bench.write(RCC, 0x0100_0081);
    bench.pass(100_000);
    assert_eq!(bench.read(RCC) & 1 << 25, 0, "HSE is off");
    bench.write(CFGR, 2);
    // A crystal: 2 ms, then 200 us.
    bench.write(RCC, 0x0101_0081);
    bench.pass(32_000 + 3_200 - 1);
    assert_eq!(bench.read(CFGR) & 0xC, 0);
    bench.pass(1);
    assert_eq!(bench.read(CFGR) & 0xC, 8);
    bench.write(RCC, 0);
    assert_eq!(bench.read(RCC) & 0x0301_0000, 0x0301_0000, "what SYSCLK needs cannot be switched off");
}

#[test]
fn the_other_output_of_the_pll_drives_sysclk_too() {
    let mut bench = fast();
    bench.write(CFGR, 5 << 10 | 4 << 13);
    bench.write(RCC, 0x0005_0081);
    bench.write(PLLCFGR, (PLL_180 & !(7 << 28)) | 3 << 28);
    bench.write(RCC, 0x0105_0081);
    wait(&mut bench, RCC, 1 << 25);
    bench.write(CFGR, 5 << 10 | 4 << 13 | 3);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(120_000_000), "360 MHz / R");
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
}

#[test]
fn an_output_of_the_pll_that_is_set_up_wrongly_is_named_once_it_is_used() {
    let mut bench = fast();
    bench.write(CFGR, 5 << 10 | 4 << 13);
    bench.write(RCC, 0x0005_0081);
    bench.write(PLLCFGR, PLL_180 & !(7 << 28));
    bench.write(RCC, 0x0105_0081);
    wait(&mut bench, RCC, 1 << 25);
    bench.write(CFGR, 5 << 10 | 4 << 13 | 2);
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "SYSCLK is PLLP's");
    bench.write(CFGR, 5 << 10 | 4 << 13 | 3);
    assert!(bench.gaps(GapKind::Setting).contains(&"RCC_PLLCFGR: PLLR=0 is not allowed"));
}

#[test]
fn clocks_of_blocks_without_a_model_can_be_chosen() {
    let mut bench = enabled();
    assert_eq!(bench.read(DCKCFGR + 8), 0);
    bench.write(DCKCFGR + 8, 1 << 27);
    assert_eq!(bench.read(DCKCFGR + 8), 1 << 27, "DCKCFGR2");
    assert_eq!(bench.bus.shared.gaps.all(), []);
}

#[test]
fn timers_get_what_timpre_says() {
    let mut bench = fast();
    for (ppre1, timpre, timer) in
        [(0, 0, 180), (4, 0, 180), (5, 0, 90), (7, 0, 22), (0, 1, 180), (5, 1, 180), (6, 1, 90), (7, 1, 45)]
    {
        bench.write(DCKCFGR, timpre << 24);
        bench.write(CFGR, ppre1 << 10 | 4 << 13 | 2);
        assert_eq!(clocks(&bench)[3] / 1_000_000, timer, "PPRE1 {ppre1} TIMPRE {timpre}");
    }
}

#[test]
fn prescalers_divide_hclk() {
    let mut bench = enabled();
    for (hpre, hclk) in [(7, 16_000_000), (8, 8_000_000), (0xB, 1_000_000), (0xC, 250_000), (0xF, 31_250)] {
        bench.write(CFGR, hpre << 4);
        assert_eq!(clocks(&bench)[0], hclk);
    }
}

#[test]
fn over_drive_is_ready_after_its_time_and_switches_after_another() {
    let mut bench = enabled();
    bench.write(PWR, 3 << 14 | 3 << 16);
    bench.pass(719);
    assert_eq!(bench.read(PWR + 4) >> 16, 0);
    bench.pass(1);
    assert_eq!(bench.read(PWR + 4) >> 16, 1, "ODRDY");
    bench.pass(720);
    assert_eq!(bench.read(PWR + 4) >> 16, 3, "ODSWRDY");
    bench.write(PWR, 3 << 14);
    assert_eq!(bench.read(PWR + 4) >> 16, 0);
    assert_eq!(bench.read(PWR + 4) & 1 << 14, 0, "VOSRDY: no PLL");
    bench.write(RCC, 0x0100_0081);
    wait(&mut bench, PWR + 4, 1 << 14);
}

#[test]
fn a_clock_too_fast_for_the_supply_is_named() {
    let mut bench = fast();
    bench.write(PWR, 2 << 14);
    bench.write(CFGR, 5 << 10 | 5 << 13 | 2);
    assert_eq!(bench.gaps(GapKind::Setting), ["HCLK 180 MHz is too fast for PWR_CR.VOS and over-drive: 144 MHz"]);
    bench.write(CFGR, 4 << 13 | 2);
    assert!(bench.gaps(GapKind::Setting).contains(&"RCC_CFGR.PPRE1: PCLK1 above 45 MHz"));
}

#[test]
fn the_backup_domain_wants_its_key() {
    let mut bench = enabled();
    bench.write(BDCR, 1 << 8);
    assert_eq!(bench.read(BDCR), 0);
    assert_eq!(bench.gaps(GapKind::Setting), ["RCC_BDCR written while DBP of PWR is 0: lost"]);
    bench.write(PWR, 3 << 14 | 1 << 8);
    bench.write(BDCR, 1 << 8 | 1 << 15);
    bench.write(BDCR, 2 << 8 | 1 << 15);
    assert_eq!(bench.read(BDCR), 1 << 8 | 1 << 15, "RTCSEL is chosen once");
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.reset("SYSRESETREQ", &mut context);
    assert_eq!(bench.read(BDCR), 1 << 8 | 1 << 15, "outlives a reset");
    assert_eq!(bench.read(CSR) >> 24, 0x1E, "SFTRSTF beside those of power-on");
    assert_eq!(bench.read(AHB1ENR), 0);
}

#[test]
fn ready_interrupts_come_with_their_enable() {
    let mut bench = enabled();
    bench.write(CIR, 1 << 8);
    bench.write(CSR, 1);
    assert_eq!(bench.until_line(RCC_LINE, 10_000), Some(240), "LSI");
    assert_eq!(bench.read(CIR) & 0xFF, 1);
    bench.write(CIR, 1 << 16 | 1 << 8);
    assert!(!bench.bus.shared.interrupts.is_high(RCC_LINE));
}

#[test]
fn a_peripheral_needs_its_clock() {
    let mut bench = bench();
    bench.write(TIM2 + 0x2C, 5);
    assert_eq!(bench.gaps(GapKind::Setting), ["clock of TIM2 is off"]);
    bench.write(APB1ENR, 1);
    assert_eq!(bench.read(TIM2 + 0x2C), u32::MAX, "32 bits");
    bench.write(TIM2 + 0x2C, 5);
    bench.write(RCC + 0x20, 1);
    bench.write(RCC + 0x20, 0);
    assert_eq!(bench.read(TIM2 + 0x2C), u32::MAX, "reset by APB1RSTR");
}

#[test]
fn each_bridge_costs_by_its_own_clock() {
    use cyclescope_machine::Peripherals;
    let mut bench = fast();
    let mut extra = |address, after| {
        bench.bus.peripherals.extra_cycles(Address::new(address), false, Cycles::new(bench.now + after))
    };
    // Two periods less the data phase's first cycle, and the wait for the next edge: of every four cycles the APB1 has
    // one at the first, the APB2 at the first and the third.
    let costs = [0, 1, 2, 3, 4].map(|after| [extra(0x4002_0014, after), extra(TIM2, after), extra(0x4001_1000, after)]);
    assert_eq!(costs, [[0, 7, 3], [0, 10, 4], [0, 9, 3], [0, 8, 4], [0, 7, 3]], "AHB1, APB1 / 4, APB2 / 2");
}

/// IHI 0024, 3.1: whenever an access comes, it waits for less than a period, and what it began at an edge is done two
/// periods later.
#[test]
fn no_access_waits_longer_for_its_bridge_than_the_rest_of_a_period() {
    use cyclescope_machine::Peripherals;
    const PCLK2: [(u32, u64); 5] = [(0, 1), (4, 2), (5, 4), (6, 8), (7, 16)];
    for (bits, divider) in PCLK2 {
        for phase in 0..16 {
            let mut bench = enabled();
            bench.stimulate(0, Stimulus::Phase { cycles: phase });
            bench.pass(1);
            bench.write(CFGR, bits << 13);
            let costs: Vec<u64> = (0..3 * divider)
                .map(|after| {
                    bench.bus.peripherals.extra_cycles(Address::new(0x4001_1000), false, Cycles::new(bench.now + after))
                })
                .map(|extra| u64::try_from(extra).unwrap())
                .collect();
            let first = u64::from(phase) % divider;
            for (after, extra) in (0..).zip(&costs) {
                let wait = (first + divider * 3 - after) % divider;
                assert_eq!(*extra, wait + 2 * divider - 1, "PCLK2 / {divider}, {after} cycles on, phase {phase}");
            }
        }
    }
}

#[test]
fn the_device_is_identified_and_holes_are_named() {
    let mut bench = enabled();
    assert_eq!(bench.read(0xE004_2000) & 0xFFF, 0x421);
    assert_eq!(bench.try_read(0x1FFF_7A22, Width::Half), Ok(512), "KiB of flash");
    assert_ne!(bench.read(0x1FFF_7A10), 0);
    assert_eq!(bench.read(0x4002_2000), 0);
    assert_eq!(bench.gaps(GapKind::RegisterRead), ["no peripheral at 0x40022000"]);
    assert!(bench.try_read(0x6000_0000, Width::Word).is_err());
    assert!(bench.try_read(0x4008_0000, Width::Word).is_err());
    // Three converters and their common registers share a page.
    bench.write(0x4001_2304, 3 << 16);
    assert_eq!([0x4001_2204, 0x4001_2304].map(|at| bench.read(at)), [0, 3 << 16]);
}

#[test]
fn ram_appears_at_zero_with_mem_mode_three() {
    let mut bench = enabled();
    bench.write(0x2000_0000, 0xABCD_1234);
    assert_eq!(bench.read(0), u32::MAX);
    bench.write(0x4001_3800, 3);
    assert_eq!(bench.read(0), 0xABCD_1234);
    bench.write(0x4001_3800, 0);
    assert_eq!(bench.read(0), u32::MAX);
}

#[test]
fn the_loops_for_audio_and_sai_lock_and_feed_their_clocks() {
    let mut bench = fast();
    let frequency = |bench: &Bench, source| bench.bus.peripherals.clocks().frequency(source).get();
    const PLLI2SCFGR: u32 = RCC + 0x84;
    const PLLSAICFGR: u32 = RCC + 0x88;
    const DCKCFGR2: u32 = RCC + 0x94;
    // HSE 8 MHz / 8 * 192: by R = 3 for I2S, by P = 4 for 48 MHz.
    bench.write(PLLI2SCFGR, 3 << 28 | 4 << 24 | 192 << 6 | 8);
    bench.write(PLLSAICFGR, 4 << 24 | 1 << 16 | 192 << 6 | 8);
    assert_eq!(frequency(&bench, Source::I2s), 0);
    let control = bench.read(RCC);
    let before = bench.now;
    bench.write(RCC, control | 1 << 26);
    wait(&mut bench, RCC, 1 << 27);
    assert_eq!(bench.now - before, 200 * 180, "200 us (rcc.pll_lock)");
    bench.write(RCC, control | 1 << 26 | 1 << 28);
    wait(&mut bench, RCC, 1 << 29);
    bench.write(DCKCFGR2, 1 << 27);
    assert_eq!(
        [Source::I2s, Source::I2s2, Source::Clk48].map(|source| frequency(&bench, source)),
        [64_000_000, 64_000_000, 48_000_000]
    );
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
    bench.write(PLLI2SCFGR, 2 << 28 | 192 << 6 | 8);
    assert_eq!(bench.read(PLLI2SCFGR) >> 28, 3, "lost while it is on");
    bench.write(RCC, control);
    bench.write(PLLSAICFGR, 1 << 16 | 40 << 6 | 8);
    bench.write(RCC, control | 1 << 28);
    let named = bench.gaps(GapKind::Setting);
    assert!(named.iter().any(|name| name.starts_with("RCC_PLLI2SCFGR written while")), "{named:?}");
    assert!(named.contains(&"RCC_PLLSAICFGR: PLLM=8 PLLN=40 are not allowed"), "{named:?}");
    assert_eq!(bench.gaps(GapKind::RegisterWrite), [""; 0]);
}
