//! RP2040: clocks, resets, the timer, the watchdog, pins, the processors' block, and the flash behind its serial interface
//! (RP-008371-DS).

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{GapKind, NMI_LINE, Peripherals, Pin, Width};
use proptest::prelude::*;

use crate::bench::Bench;

const RESETS: u32 = 0x4000_C000;
const RESET_DONE: u32 = RESETS + 8;
const SYSCFG: u32 = 0x4000_4000;
const CLOCKS: u32 = 0x4000_8000;
const CLK_REF_CTRL: u32 = CLOCKS + 0x30;
const CLK_REF_SELECTED: u32 = CLOCKS + 0x38;
const CLK_SYS_CTRL: u32 = CLOCKS + 0x3C;
const CLK_SYS_SELECTED: u32 = CLOCKS + 0x44;
const FC0_REF_KHZ: u32 = CLOCKS + 0x80;
const FC0_SRC: u32 = CLOCKS + 0x94;
const FC0_STATUS: u32 = CLOCKS + 0x98;
const FC0_RESULT: u32 = CLOCKS + 0x9C;
const XOSC: u32 = 0x4002_4000;
const PLL_SYS: u32 = 0x4002_8000;
const TIMER: u32 = 0x4005_4000;
const WATCHDOG: u32 = 0x4005_8000;
const IO_BANK0: u32 = 0x4001_4000;
const PADS_BANK0: u32 = 0x4001_C000;
const SIO: u32 = 0xD000_0000;
const SSI: u32 = 0x1800_0000;
const XIP_CTRL: u32 = 0x1400_0000;

/// Aliases of registers.
const XOR: u32 = 0x1000;
const SET: u32 = 0x2000;
const CLEAR: u32 = 0x3000;

const TIMER_LINE: usize = 0;
const IO_LINE: usize = 13;
const SIO_LINE: usize = 15;

/// The part after power-on, with every block out of reset.
pub fn released() -> Bench {
    let mut bench = Bench::of("rp2040", MemorySetting::Shipped);
    bench.pass(1);
    bench.write(RESETS, 0);
    bench
}

/// The cycle at which the register at `address` first has `bits`, at most `limit` away.
fn until(bench: &mut Bench, address: u32, bits: u32, limit: u64) -> Option<u64> {
    let end = bench.now + limit;
    while bench.read(address) & bits != bits {
        let next = bench.bus.shared.events.next_at().get().max(bench.now + 1);
        if next > end {
            return None;
        }
        bench.pass(next - bench.now);
    }
    Some(bench.now)
}

#[test]
fn an_interrupt_that_is_none_of_its_core_may_be_an_unmasked_one() {
    let mut bench = released();
    // PROC1_NMI_MASK has the timer; INTE and INTF raise it.
    bench.write(SYSCFG + 4, 1 << TIMER_LINE);
    bench.write(TIMER + 0x38, 1);
    bench.write(TIMER + 0x3C, 1);
    assert!(bench.bus.shared.interrupts.is_high(TIMER_LINE) && !bench.bus.shared.interrupts.is_high(NMI_LINE));
    bench.write(SYSCFG, 1 << TIMER_LINE);
    assert!(bench.bus.shared.interrupts.is_high(NMI_LINE));
    // A reset of SYSCFG ends it.
    bench.write(RESETS + SET, 1 << 18);
    assert!(!bench.bus.shared.interrupts.is_high(NMI_LINE));
    let mut bench = released();
    bench.write(SYSCFG, 1 << TIMER_LINE);
    bench.bus.turn_to(1);
    bench.write(TIMER + 0x38, 1);
    bench.write(TIMER + 0x3C, 1);
    assert!(!bench.bus.shared.interrupts.is_high(NMI_LINE), "core 1 has a mask of its own");
}

/// At 125 MHz, as the vendor's and other libraries set it up; the watchdog ticks each microsecond.
pub fn fast() -> Bench {
    let mut bench = released();
    bench.write(XOSC + 0xC, 47);
    bench.write(XOSC, 0x00FA_BAA0);
    until(&mut bench, XOSC + 4, 1 << 31, 1_000_000).expect("the crystal starts");
    bench.write(PLL_SYS + 8, 125);
    bench.write(PLL_SYS + 4 + CLEAR, 1 << 0 | 1 << 5);
    until(&mut bench, PLL_SYS, 1 << 31, 1_000_000).expect("the loop locks");
    bench.write(PLL_SYS + 0xC, 6 << 16 | 2 << 12);
    bench.write(PLL_SYS + 4 + CLEAR, 1 << 3);
    bench.write(CLK_REF_CTRL, 2);
    bench.write(CLK_SYS_CTRL, 1);
    bench.write(WATCHDOG + 0x2C, 1 << 9 | 12);
    bench
}

#[test]
fn the_system_starts_from_the_ring_oscillator_and_runs_from_the_loop() {
    let mut bench = released();
    assert_eq!(bench.bus.peripherals.hclk().get(), 6_500_000);
    let begun = bench.now;
    bench.write(XOSC + 0xC, 47);
    bench.write(XOSC, 0x00FA_BAA0);
    // 47 steps of 256 periods of 12 MHz, in cycles of 6.5 MHz.
    let ready = begun + (47 * 256 * 13_u64).div_ceil(24);
    assert_eq!(until(&mut bench, XOSC + 4, 1 << 31, 100_000), Some(ready));
    let mut bench = fast();
    assert_eq!(bench.bus.peripherals.hclk().get(), 125_000_000);
    assert_eq!((bench.read(CLK_REF_SELECTED), bench.read(CLK_SYS_SELECTED)), (4, 2));
    bench.write(FC0_REF_KHZ, 12_000);
    bench.write(FC0_SRC, 9);
    until(&mut bench, FC0_STATUS, 1 << 4, 1_000_000).expect("the count ends");
    assert_eq!(bench.read(FC0_RESULT) >> 5, 125_000);
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    bench.write(CLK_SYS_CTRL, 1 | 7 << 5);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("system clock")), "nothing feeds it");
}

#[test]
fn a_block_in_reset_does_not_answer_and_forgets() {
    let mut bench = released();
    bench.write(TIMER + 0x38, 5);
    bench.write(RESETS + SET, 1 << 21);
    assert_eq!(bench.read(RESET_DONE) >> 21 & 1, 0);
    assert_eq!(bench.read(TIMER + 0x38), 0);
    bench.write(TIMER + 0x38, 5);
    bench.write(RESETS + CLEAR, 1 << 21);
    assert_eq!((bench.read(RESET_DONE) >> 21 & 1, bench.read(TIMER + 0x38)), (1, 0));
}

#[test]
fn narrow_writes_fill_the_word_and_aliases_change_bits() {
    let mut bench = released();
    let scratch = WATCHDOG + 0xC;
    bench.try_write(scratch + 1, Width::Byte, 0xA5).unwrap();
    assert_eq!(bench.read(scratch), 0xA5A5_A5A5);
    bench.write(scratch + XOR, 0xFF);
    bench.write(scratch + SET, 0x1_0000);
    bench.write(scratch + CLEAR, 0x8000_0000);
    assert_eq!(bench.read(scratch), 0x25A5_A55A);
    assert_eq!(bench.read(scratch + SET), 0x25A5_A55A, "an alias reads as the register");
    let mut extra = |address, write| bench.bus.peripherals.extra_cycles(Address::new(address), write, Cycles::new(9));
    assert_eq!([extra(scratch, false), extra(scratch + SET, true), extra(SIO, false)], [2, 3, -1]);
}

#[test]
fn the_timer_counts_microseconds_and_its_alarms_compare_half_of_it() {
    let mut bench = fast();
    let begun = bench.now;
    let count = bench.read(TIMER + 0x28);
    bench.pass(125 * 40);
    assert_eq!(bench.read(TIMER + 0x28), count + 40);
    bench.write(TIMER + 0x38, 1);
    bench.write(TIMER + 0x10, count + 100);
    assert_eq!(bench.read(TIMER + 0x20), 1, "armed");
    let fired = bench.until_line(TIMER_LINE, 125 * 1000).unwrap();
    assert_eq!(fired - begun, 125 * 100);
    assert_eq!(bench.read(TIMER + 0x20), 0, "it disarms itself");
    bench.write(TIMER + 0x34 + CLEAR, 1);
    assert!(!bench.bus.shared.interrupts.is_high(TIMER_LINE));
    // A saved time comes back.
    bench.write(TIMER + 4, 7);
    bench.write(TIMER, 1);
    assert_eq!((bench.read(TIMER + 0xC), bench.read(TIMER + 8)), (7, 1));
}

#[test]
fn the_watchdog_counts_two_a_tick_and_leaves_its_reason() {
    let mut bench = fast();
    bench.write(WATCHDOG + 0xC, 0x1234);
    bench.write(WATCHDOG + 4, 200);
    bench.write(WATCHDOG, 1 << 30);
    let begun = bench.now;
    bench.pass(125 * 99);
    assert_eq!(bench.bus.shared.reset, None);
    assert_eq!(bench.read(WATCHDOG) & 0xFF_FFFF, 2);
    bench.pass(125);
    assert_eq!(bench.now - begun, 125 * 100);
    assert_eq!(bench.reset(), Some("WATCHDOG"));
    assert_eq!((bench.read(WATCHDOG + 8), bench.read(WATCHDOG + 0xC)), (1, 0x1234));
    assert_eq!(bench.bus.peripherals.hclk().get(), 6_500_000);
    bench.write(WATCHDOG + SET, 1 << 31);
    assert_eq!(bench.reset(), Some("WATCHDOG"));
    assert_eq!(bench.read(WATCHDOG + 8), 2, "forced");
}

#[test]
fn pins_are_driven_overridden_read_and_interrupt() {
    let mut bench = fast();
    // GPIO2 by the processors, GPIO3 pulled up.
    bench.write(IO_BANK0 + 8 * 2 + 4, 5);
    bench.write(SIO + 0x24, 1 << 2);
    bench.write(PADS_BANK0 + 4 + 4 * 3, 1 << 3 | 1 << 6);
    bench.write(SIO + 0x14, 1 << 2);
    assert_eq!(bench.edges(Pin::GPIO, 2).last(), Some(&(bench.now, true)));
    bench.pass(2);
    assert_eq!(bench.read(SIO + 4) & 0xC, 0xC);
    bench.write(SIO + 0x1C, 1 << 2);
    bench.pass(1);
    assert_eq!(bench.read(SIO + 4) & 4, 4, "two flip-flops behind");
    bench.pass(1);
    assert_eq!(bench.read(SIO + 4) & 4, 0);
    bench.write(IO_BANK0 + 8 * 2 + 4, 5 | 3 << 8);
    assert_eq!(bench.edges(Pin::GPIO, 2).last(), Some(&(bench.now, true)), "OUTOVER forces it high");
    // A falling edge of GPIO3 interrupts.
    bench.write(IO_BANK0 + 0x100, 4 << 12);
    bench.set_pin(10, Pin::GPIO, 3, Some(false));
    let begun = bench.now;
    assert_eq!(bench.until_line(IO_LINE, 100), Some(begun + 12));
    assert_eq!(bench.read(IO_BANK0 + 0x120), 4 << 12);
    bench.write(IO_BANK0 + 0xF0, 4 << 12);
    assert!(!bench.bus.shared.interrupts.is_high(IO_LINE));
    bench.write(PADS_BANK0 + 4 + 4 * 2, 1 << 7);
    assert_eq!(bench.edges(Pin::GPIO, 2).last(), Some(&(bench.now, false)), "OD lets the pin go");
}

#[test]
fn the_processors_block_has_locks_mailboxes_and_a_divider() {
    let mut bench = released();
    assert_eq!([bench.read(SIO + 0x104), bench.read(SIO + 0x104)], [2, 0], "claimed once");
    assert_eq!(bench.read(SIO + 0x5C), 2);
    bench.write(SIO + 0x104, 1);
    assert_eq!(bench.read(SIO + 0x104), 2);
    assert_eq!(bench.read(SIO + 0x50), 2, "room for words, none there");
    for word in 0..9 {
        bench.write(SIO + 0x54, word);
    }
    assert_eq!(bench.read(SIO + 0x50), 4, "full, and one was lost");
    assert!(bench.bus.shared.interrupts.is_high(SIO_LINE));
    bench.write(SIO + 0x50, 4);
    assert!(!bench.bus.shared.interrupts.is_high(SIO_LINE));
    assert_eq!((bench.read(SIO + 0x58), bench.read(SIO + 0x50)), (0, 8), "nothing was there to read");
    bench.write(SIO + 0x60, 1000);
    bench.write(SIO + 0x64, 7);
    assert_eq!(bench.read(SIO + 0x78), 2);
    bench.pass(8);
    assert_eq!([bench.read(SIO + 0x78), bench.read(SIO + 0x74), bench.read(SIO + 0x70)], [3, 6, 142]);
}

/// Sends bytes to the flash chip in one transaction, and gives the answers.
fn flash(bench: &mut Bench, bytes: &[u8]) -> Vec<u8> {
    bench.write(SSI + 8, 0);
    bench.write(SSI + 0x14, 6);
    bench.write(SSI, 7 << 16);
    bench.write(SSI + 0x10, 1);
    bench.write(SSI + 8, 1);
    for byte in bytes {
        bench.write(SSI + 0x60, u32::from(*byte));
    }
    let begun = bench.now;
    while bench.read(SSI + 0x28) & 5 != 4 {
        bench.pass(1);
    }
    assert_eq!(bench.now - begun, bytes.len() as u64 * 8 * 6, "eight clocks of six cycles each");
    bytes.iter().map(|_| bench.read(SSI + 0x60) as u8).collect()
}

#[test]
fn the_flash_chip_answers_programs_and_erases() {
    let mut bench = fast();
    assert_eq!(flash(&mut bench, &[0x9F, 0, 0, 0])[1..], [0xEF, 0x40, 0x15]);
    flash(&mut bench, &[0x02, 0, 1, 0, 0x12, 0x34]);
    assert_eq!(flash(&mut bench, &[0x03, 0, 1, 0, 0, 0])[4..], [0xFF, 0xFF], "without an enable nothing is written");
    flash(&mut bench, &[0x06]);
    flash(&mut bench, &[0x02, 0, 1, 0, 0x12, 0x34]);
    assert_eq!(flash(&mut bench, &[0x05, 0])[1] & 1, 1);
    bench.pass(125 * 400);
    assert_eq!(flash(&mut bench, &[0x05, 0])[1], 0);
    assert_eq!(flash(&mut bench, &[0x03, 0, 1, 0, 0, 0])[4..], [0x12, 0x34]);
    assert_eq!(bench.bus.memory.read(0x1000_0100, Width::Half), Some(0x3412));
    flash(&mut bench, &[0x06]);
    flash(&mut bench, &[0x20, 0, 1, 0]);
    bench.pass(125 * 45_000);
    assert_eq!(bench.bus.memory.read(0x1000_0100, Width::Half), Some(0xFFFF));
}

#[test]
fn the_override_of_the_select_line_joins_transfers() {
    const SS_CTRL: u32 = 0x4001_800C;
    let mut bench = fast();
    flash(&mut bench, &[0x9F]);
    bench.write(SS_CTRL, 2 << 8);
    flash(&mut bench, &[0x9F]);
    assert_eq!(flash(&mut bench, &[0, 0]), [0xEF, 0x40]);
    assert_eq!(flash(&mut bench, &[0]), [0x15]);
    bench.write(SS_CTRL, 3 << 8);
    assert_eq!(flash(&mut bench, &[0x9F, 0]), [0xFF, 0xFF], "not selected");
    bench.write(SS_CTRL, 0);
    assert_eq!(flash(&mut bench, &[0x9F, 0]), [0xFF, 0xEF]);
}

#[test]
fn a_read_through_the_window_takes_the_clocks_that_the_registers_say() {
    let mut bench = fast();
    let timing = |bench: &Bench| bench.bus.memory.flash.interface().timing();
    // Command, 24 bits of address, 32 of data, a divider of 4.
    bench.write(SSI + 8, 0);
    bench.write(SSI, 31 << 16 | 3 << 8);
    bench.write(SSI + 0xF4, 3 << 24 | 2 << 8 | 6 << 2);
    bench.write(SSI + 0x14, 4);
    bench.write(SSI + 8, 1);
    assert_eq!((timing(&bench).wait_states, timing(&bench).shared_sets, timing(&bench).line_bytes), (255, 1024, 4));
    assert!(bench.gaps(GapKind::Setting).is_empty());
    // Four lines, no command: the chip has not been told to read so.
    bench.write(SSI + 8, 0);
    bench.write(SSI, 2 << 21 | 31 << 16 | 3 << 8);
    bench.write(SSI + 0xF4, 0xA0 << 24 | 4 << 11 | 8 << 2 | 2);
    bench.write(SSI + 0x14, 2);
    bench.write(SSI + 8, 1);
    assert_eq!(timing(&bench).wait_states, 39);
    assert_eq!(bench.gaps(GapKind::Setting).len(), 1);
    bench.write(XIP_CTRL, 2);
    assert_eq!(timing(&bench).shared_sets, 0, "the cache is off");
    bench.write(XIP_CTRL + 4, 1);
    assert_eq!(bench.read(XIP_CTRL + 8) & 1, 0);
    let wait = bench.bus.peripherals.extra_cycles(Address::new(XIP_CTRL + 4), false, Cycles::new(bench.now));
    assert_eq!(wait, 1024, "a read of FLUSH waits for its end");
    bench.pass(1024);
    assert_eq!(bench.read(XIP_CTRL + 8) & 1, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a program writes, everything answers and goes on.
    #[test]
    fn no_sequence_of_accesses_panics(accesses in prop::collection::vec(
        (0..16usize, 0..0x60u32, prop::sample::select(vec![0, XOR, SET, CLEAR]), any::<u32>(), 0..5_000u64), 1..200
    )) {
        let mut bench = fast();
        let blocks = [
            CLOCKS, XOSC, PLL_SYS, 0x4006_0000, TIMER, WATCHDOG, IO_BANK0, IO_BANK0 + 0xF0, PADS_BANK0, SIO, SIO + 0x80, SSI,
            SSI + 0xA0, XIP_CTRL, 0x4001_8000, RESETS,
        ];
        for (block, word, alias, value, cycles) in accesses {
            let alias = if blocks[block] >> 28 == 4 { alias } else { 0 };
            let _ = bench.try_write(blocks[block] + 4 * word + alias, Width::Word, value);
            let _ = bench.try_read(blocks[block] + 4 * word, Width::Word);
            bench.pass(cycles);
            bench.reset();
        }
    }
}
