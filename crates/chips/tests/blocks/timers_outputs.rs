//! Outputs of timers with exact cycles: dead time, idle states, break, lock, commutation, bursts (RM0490, "Advanced-control timer
//! (TIM1)").

use cyclescope_chips::MemorySetting;

use crate::bench::Bench;
use crate::f103_clocks;

const TIM1: u32 = 0x4001_2C00;
const TIM3: u32 = 0x4000_0400;
const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const DIER: u32 = 0x0C;
const SR: u32 = 0x10;
const EGR: u32 = 0x14;
const CCMR1: u32 = 0x18;
const CCER: u32 = 0x20;
const PSC: u32 = 0x28;
const ARR: u32 = 0x2C;
const CCR1: u32 = 0x34;
const BDTR: u32 = 0x44;
const DCR: u32 = 0x48;
const DMAR: u32 = 0x4C;
const BREAK_LINE: usize = 13;

/// Pins of port A at 48 MHz: PA6 (TIM1_BKIN), PA7 (CH1N) and PA8 (CH1) in alternate function 2.
fn bench() -> Bench {
    let mut bench = Bench::fast();
    bench.write(0x5000_0020, 2 << 24 | 2 << 28);
    bench.write(0x5000_0024, 2);
    bench.write(0x5000_0000, 0xEBFE_AFFF);
    bench
}

/// PWM of 30 in 100 on channel 1 and its complement, with `bdtr` and the main output on.
fn complementary(bench: &mut Bench, bdtr: u32) -> u64 {
    bench.write(TIM1 + ARR, 99);
    bench.write(TIM1 + CCR1, 30);
    bench.write(TIM1 + CCMR1, 6 << 4);
    bench.write(TIM1 + CCER, 1 | 1 << 2);
    bench.write(TIM1 + EGR, 1);
    bench.write(TIM1 + BDTR, bdtr | 1 << 15);
    bench.write(TIM1 + CR1, 1);
    bench.now
}

fn both(bench: &mut Bench) -> [Vec<(u64, bool)>; 2] {
    let mut copy = bench.clone();
    [bench.edges(0, 8), copy.edges(0, 7)]
}

#[test]
fn dead_time_delays_the_rise_of_each_output() {
    let mut bench = bench();
    let from = complementary(&mut bench, 12) + 1;
    bench.pass(201);
    let [main, second] = both(&mut bench);
    assert_eq!(
        main[..2],
        [(from - 1 + 12, true), (from + 30, false)],
        "the reference rose with CCMR, a period before the start"
    );
    assert_eq!(main[2..], [(from + 112, true), (from + 130, false)]);
    assert_eq!(
        second[second.len() - 4..],
        [(from + 42, true), (from + 100, false), (from + 142, true), (from + 200, false)]
    );
}

#[test]
fn a_break_forces_idle_states_after_the_dead_time() {
    let mut bench = bench();
    bench.set_pin(0, 0, 6, Some(true));
    bench.pass(0);
    // OIS1N high; a break when BKIN is low; OSSI.
    bench.write(TIM1 + CR2, 1 << 9);
    bench.write(TIM1 + DIER, 1 << 7);
    let from = complementary(&mut bench, 12 | 1 << 12 | 1 << 10) + 1;
    bench.pass(121);
    both(&mut bench);
    bench.set_pin(0, 0, 6, Some(false));
    assert_eq!(bench.until_line(BREAK_LINE, 10), Some(from + 120));
    bench.pass(50);
    assert_eq!(both(&mut bench), [vec![(from + 120, false)], vec![(from + 132, true)]]);
    assert_eq!(bench.read(TIM1 + BDTR) >> 15, 0, "MOE");
    bench.write(TIM1 + BDTR, bench.clone().read(TIM1 + BDTR) | 1 << 15);
    bench.write(TIM1 + SR, 0);
    assert_eq!([bench.read(TIM1 + BDTR) >> 15 & 1, bench.read(TIM1 + SR) >> 7 & 1], [0, 1], "while the break lasts");
    bench.set_pin(0, 0, 6, Some(true));
    bench.pass(1);
    bench.write(TIM1 + BDTR, bench.clone().read(TIM1 + BDTR) | 1 << 14);
    bench.pass(200);
    assert_eq!(bench.read(TIM1 + BDTR) >> 15 & 1, 1, "AOE switches on at the next update");
}

#[test]
fn lock_levels_keep_their_registers() {
    let mut bench = bench();
    bench.write(TIM1 + BDTR, 3 << 8 | 5);
    bench.write(TIM1 + BDTR, 9 | 1 << 11 | 1 << 15);
    assert_eq!(bench.read(TIM1 + BDTR), 3 << 8 | 5 | 1 << 15, "MOE is never locked");
    bench.write(TIM1 + CR2, 0x0300 | 1 << 7);
    assert_eq!(bench.read(TIM1 + CR2), 1 << 7);
    bench.write(TIM1 + CCER, 0xF);
    assert_eq!(bench.read(TIM1 + CCER), 5);
    bench.write(TIM1 + CCMR1, 6 << 4 | 8 | 4);
    assert_eq!(bench.read(TIM1 + CCMR1), 4);
}

#[test]
fn commutation_brings_preloaded_bits_into_force() {
    let mut bench = bench();
    complementary(&mut bench, 0);
    bench.pass(20);
    bench.write(TIM1 + CR2, 1);
    both(&mut bench);
    bench.write(TIM1 + CCER, 1);
    bench.pass(5);
    assert_eq!(both(&mut bench), [vec![], vec![]], "CCxNE is preloaded");
    bench.write(TIM1 + CCMR1, 4 << 4);
    bench.write(TIM1 + EGR, 1 << 5);
    let now = bench.now;
    assert_eq!(both(&mut bench)[0], [(now, false)], "forced inactive");
    assert_eq!(bench.read(TIM1 + SR) >> 5 & 1, 1);
}

#[test]
fn a_burst_of_dma_writes_registers_in_a_row() {
    let mut bench = Bench::fast();
    // Channel 1 of DMA1 hears TIM1_UP and writes DMAR from memory.
    bench.write(0x4002_0800, 25);
    for (index, value) in [11u32, 22, 33, 44, 55, 66].into_iter().enumerate() {
        bench.write(0x2000_0000 + 4 * index as u32, value);
    }
    bench.write(0x4002_0010, TIM1 + DMAR);
    bench.write(0x4002_0014, 0x2000_0000);
    bench.write(0x4002_000C, 6);
    bench.write(0x4002_0008, 2 << 10 | 2 << 8 | 1 << 7 | 1 << 4 | 1);
    // Three registers from CCR1 on.
    bench.write(TIM1 + DCR, 2 << 8 | 13);
    bench.write(TIM1 + DIER, 1 << 8);
    bench.write(TIM1 + EGR, 1);
    bench.pass(100);
    assert_eq!([0, 4, 8, 12].map(|at| bench.read(TIM1 + CCR1 + at)), [11, 22, 33, 0], "one burst an update");
    bench.write(TIM1 + EGR, 1);
    bench.pass(100);
    assert_eq!([0, 4, 8, 12].map(|at| bench.read(TIM1 + CCR1 + at)), [44, 55, 66, 0]);
}

#[test]
fn centre_aligned_pwm_is_symmetrical_in_each_mode() {
    for cms in 1..=3 {
        let mut bench = bench();
        bench.write(TIM1 + CR1, cms << 5);
        bench.write(TIM1 + ARR, 50);
        bench.write(TIM1 + CCR1, 20);
        bench.write(TIM1 + CCMR1, 6 << 4);
        bench.write(TIM1 + CCER, 1);
        bench.write(TIM1 + BDTR, 1 << 15);
        bench.write(TIM1 + CR1, cms << 5 | 1);
        let from = bench.now + 1;
        bench.pass(201);
        let edges = bench.edges(0, 8);
        assert_eq!(edges[1..], [(from + 20, false), (from + 80, true), (from + 120, false), (from + 180, true)]);
    }
}

#[test]
fn the_retriggerable_pulse_and_combined_modes_are_those_of_version_3() {
    let mut bench = bench();
    // Combined PWM 2: active where channel 1 (from 30 on) and channel 2 (below 70, PWM 1) are.
    bench.write(TIM1 + ARR, 99);
    bench.write(TIM1 + CCR1, 30);
    bench.write(TIM1 + CCR1 + 4, 70);
    bench.write(TIM1 + CCMR1, 1 << 16 | 5 << 4 | 6 << 12);
    bench.write(TIM1 + CCER, 1);
    bench.write(TIM1 + BDTR, 1 << 15);
    bench.write(TIM1 + CR1, 1);
    let from = bench.now + 1;
    bench.pass(201);
    assert_eq!(bench.edges(0, 8), [(from + 30, true), (from + 70, false), (from + 130, true), (from + 170, false)]);
    // A forerunner has neither: the bit is not there.
    let mut old = f103_clocks::fast(MemorySetting::Equal);
    old.write(TIM1 + CCMR1, 1 << 16);
    assert_eq!(old.read(TIM1 + CCMR1), 0);
}

#[test]
fn a_timer_of_stm32f1_drives_its_complement_at_its_pin() {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    // PA8 and PB13 in alternate function push-pull.
    bench.write(0x4001_0804, 0x4444_444B);
    bench.write(0x4001_0C04, 0x44B4_4444);
    bench.edges(0, 8);
    let from = complementary(&mut bench, 5) + 1;
    bench.pass(201);
    let mut copy = bench.clone();
    assert_eq!(bench.edges(0, 8)[2..], [(from + 105, true), (from + 130, false)]);
    assert_eq!(copy.edges(1, 13)[..2], [(from + 35, true), (from + 100, false)]);
    // DTG 0x85 is (64 + 5) * 2 periods, longer than both pulses: neither output ever rises.
    bench.write(TIM1 + BDTR, 0x85 | 1 << 15);
    bench.pass(100);
    bench.edges(0, 8);
    bench.pass(500);
    let mut second = bench.clone();
    assert_eq!((bench.edges(0, 8), second.edges(1, 13)), (vec![], vec![]));
}

#[test]
fn a_timer_far_behind_is_as_one_that_was_watched() {
    // Dead time and toggles are right however long nobody looked.
    let run = |steps: u64| {
        let mut bench = bench();
        complementary(&mut bench, 40);
        bench.write(TIM1 + CCMR1, 6 << 4 | 3 << 12);
        bench.write(TIM3 + PSC, 2);
        bench.write(TIM3 + ARR, 6);
        bench.write(TIM3 + CCMR1, 3 << 4);
        bench.write(TIM3 + CR1, 1);
        for _ in 0..steps {
            bench.pass(1_000_000 / steps);
        }
        let registers = [TIM1 + 0x24, TIM1 + SR, TIM3 + 0x24, TIM3 + SR].map(|at| bench.read(at));
        (registers, bench.bus.peripherals.pin(cyclescope_machine::Pin { port: 0, number: 7 }))
    };
    assert_eq!(run(1), run(10_000));
}
