//! STM32F103: flash settings, keys, programming, erasing, option bytes (PM0075).

use cyclescope_chips::MemorySetting;
use cyclescope_machine::{FlashTiming, GapKind, Width};

use crate::bench::Bench;
use crate::f103_clocks::{CFGR, CR, fast};

const FLASH: u32 = 0x4002_2000;
const ACR: u32 = FLASH;
const KEYR: u32 = FLASH + 0x04;
const OPTKEYR: u32 = FLASH + 0x08;
const SR: u32 = FLASH + 0x0C;
const FLASH_CR: u32 = FLASH + 0x10;
const AR: u32 = FLASH + 0x14;
const BASE: u32 = 0x0800_0000;
const OPTIONS: u32 = 0x1FFF_F800;
const PROGRAM: u64 = 420 * 9;
const ERASE: u64 = 160_000 * 9;

fn timing(bench: &Bench) -> FlashTiming {
    bench.bus.memory.flash.interface().timing()
}

fn unlocked() -> Bench {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(KEYR, 0x4567_0123);
    bench.write(KEYR, 0xCDEF_89AB);
    bench
}

#[test]
fn equal_follows_the_clock_shipped_the_firmware_ideal_has_no_waits() {
    let lines = |wait_states, prefetch| FlashTiming {
        line_bytes: if prefetch { 8 } else { 4 },
        wait_states,
        prefetch,
        instruction_lines: 0,
        data_lines: 0,
        caches_prefetched: false,
        ..FlashTiming::IDEAL
    };
    for (setting, at_reset, at_72, written) in [
        (MemorySetting::Equal, lines(0, true), lines(2, true), lines(2, true)),
        (MemorySetting::Shipped, lines(0, true), lines(0, true), lines(2, false)),
        (MemorySetting::Ideal, FlashTiming::IDEAL, FlashTiming::IDEAL, FlashTiming::IDEAL),
    ] {
        assert_eq!(timing(&Bench::of("stm32f103c8", setting)), at_reset, "{setting:?}");
        let mut bench = fast(setting);
        assert_eq!(timing(&bench), at_72, "{setting:?} at 72 MHz");
        let named = bench
            .gaps(GapKind::Setting)
            .iter()
            .any(|gap| gap.starts_with("SYSCLK 72 MHz is too fast for FLASH_ACR.LATENCY=0, which allows 24 MHz"));
        assert_eq!(named, setting == MemorySetting::Shipped);
        bench.write(ACR, 2);
        assert_eq!(bench.read(ACR), 2, "PRFTBS follows PRFTBE");
        assert_eq!(timing(&bench), written, "{setting:?} with two wait states and no prefetch written");
        let text = bench.bus.peripherals.flash_settings_written().unwrap();
        assert_eq!(text, "2 wait states, prefetch off at 72 MHz");
    }
}

#[test]
fn one_wait_state_serves_48_mhz() {
    let mut bench = Bench::of("stm32f103c8", MemorySetting::Equal);
    bench.write(CFGR, 10 << 18);
    bench.write(CR, 0x0100_0083);
    bench.pass(1_600);
    bench.write(CFGR, 10 << 18 | 2);
    assert_eq!(bench.bus.peripherals.hclk().get(), 48_000_000);
    assert_eq!(timing(&bench).wait_states, 1);
}

#[test]
fn keys_unlock_and_a_wrong_key_locks_until_reset() {
    let mut bench = unlocked();
    assert_eq!(bench.read(FLASH_CR), 0);
    bench.write(FLASH_CR, 1 << 7);
    assert_eq!(bench.read(FLASH_CR), 1 << 7);
    assert!(bench.try_write(KEYR, Width::Word, 1).is_err(), "a bus error");
    assert!(bench.try_write(KEYR, Width::Word, 0x4567_0123).is_err());
    assert_eq!(bench.read(FLASH_CR), 1 << 7);
}

#[test]
fn a_half_word_is_programmed_in_its_time_and_only_where_it_is_blank() {
    let mut bench = unlocked();
    bench.write(FLASH_CR, 1);
    bench.try_write(BASE + 0x1002, Width::Half, 0x1234).unwrap();
    assert_eq!(bench.read(SR), 1, "BSY");
    bench.pass(PROGRAM - 1);
    assert_eq!(bench.read(SR), 1);
    bench.pass(1);
    assert_eq!(bench.read(SR), 1 << 5, "EOP");
    assert_eq!(bench.read(BASE + 0x1000), 0x1234_FFFF);
    bench.write(SR, 1 << 5);
    bench.try_write(BASE + 0x1002, Width::Half, 0x0034).unwrap();
    assert_eq!(bench.read(SR), 1 << 2, "PGERR");
    bench.write(SR, 1 << 2);
    bench.try_write(BASE + 0x1002, Width::Half, 0).unwrap();
    bench.pass(PROGRAM);
    assert_eq!(bench.read(BASE + 0x1000), 0x0000_FFFF, "anything can be cleared");
    assert!(bench.try_write(BASE + 0x1004, Width::Word, 0).is_err(), "16 bits or a bus error");
}

#[test]
fn a_page_is_erased_and_the_interrupt_tells() {
    let mut bench = unlocked();
    bench.write(FLASH_CR, 1);
    for offset in [0x3FE, 0x400, 0x7FE, 0x800] {
        bench.try_write(BASE + offset, Width::Half, 0).unwrap();
        bench.pass(PROGRAM);
    }
    bench.write(SR, 1 << 5);
    bench.write(FLASH_CR, 2 | 1 << 12);
    bench.write(AR, BASE + 0x456);
    bench.write(FLASH_CR, 2 | 1 << 12 | 1 << 6);
    let began = bench.now;
    assert_eq!(bench.until_line(4, 2 * ERASE), Some(began + ERASE));
    let half = |bench: &mut Bench, offset| bench.try_read(BASE + offset, Width::Half).unwrap();
    let halves = [0x3FE, 0x400, 0x7FE, 0x800].map(|offset| half(&mut bench, offset));
    assert_eq!(halves, [0, 0xFFFF, 0xFFFF, 0], "page 1 only");
}

#[test]
fn option_bytes_are_erased_and_written_with_their_complement() {
    let mut bench = unlocked();
    assert_eq!(bench.read(OPTIONS), 0x00FF_5AA5, "RDP and USER from the factory");
    bench.write(OPTKEYR, 0x4567_0123);
    bench.write(OPTKEYR, 0xCDEF_89AB);
    assert_eq!(bench.read(FLASH_CR), 1 << 9, "OPTWRE");
    bench.write(FLASH_CR, 1 << 9 | 1 << 5);
    bench.write(FLASH_CR, 1 << 9 | 1 << 5 | 1 << 6);
    bench.pass(ERASE);
    assert_eq!(bench.read(OPTIONS), u32::MAX);
    bench.write(FLASH_CR, 1 << 9 | 1 << 4);
    bench.try_write(OPTIONS + 4, Width::Half, 0x0042).unwrap();
    bench.pass(PROGRAM);
    assert_eq!(bench.read(OPTIONS + 4), 0xFFFF_BD42);
    bench.write(FLASH_CR, 0);
    assert_eq!(bench.read(FLASH_CR), 0, "OPTWRE is cleared by writing 0");
}
