//! Flash: settings, keys, programming, erasing (RM0490, "Embedded flash memory").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::{FlashTiming, GapKind, Width};

use crate::bench::{Bench, RCC_CR};
use crate::f103_clocks;

const FLASH: u32 = 0x4002_2000;
const ACR: u32 = FLASH;
const KEYR: u32 = FLASH + 0x08;
const SR: u32 = FLASH + 0x10;
const CR: u32 = FLASH + 0x14;
const BASE: u32 = 0x0800_0000;
const LOCK: u32 = 1 << 31;

fn timing(bench: &Bench) -> FlashTiming {
    bench.bus.memory.flash.interface().timing()
}

fn unlocked() -> Bench {
    let mut bench = Bench::fast();
    bench.write(KEYR, 0x4567_0123);
    bench.write(KEYR, 0xCDEF_89AB);
    bench
}

#[test]
fn equal_follows_the_clock_shipped_follows_the_firmware_ideal_has_no_waits() {
    for (setting, slow, fast, written) in [
        (MemorySetting::Equal, (0, true), (1, true), (1, true)),
        (MemorySetting::Shipped, (0, false), (0, false), (1, false)),
        (MemorySetting::Ideal, (0, false), (0, false), (0, false)),
    ] {
        let mut bench = Bench::with(setting);
        let now = |bench: &Bench| (timing(bench).wait_states, timing(bench).prefetch);
        assert_eq!(now(&bench), slow, "{setting:?} at 12 MHz");
        bench.write(RCC_CR, 0x0000_0500);
        assert_eq!(now(&bench), fast, "{setting:?} at 48 MHz");
        bench.write(ACR, 0x0004_0601);
        assert_eq!(now(&bench), written, "{setting:?} with one wait state written");
        let text = bench.bus.peripherals.flash_settings_written().unwrap();
        assert_eq!(text, "1 wait state, prefetch off, cache on at 48 MHz");
    }
}

#[test]
fn a_clock_that_is_too_fast_is_named_once_and_only_where_it_counts() {
    for (setting, expected) in [(MemorySetting::Equal, 0), (MemorySetting::Shipped, 1)] {
        let mut bench = Bench::with(setting);
        for hsidiv in [0, 1, 0, 2, 0] {
            bench.write(RCC_CR, 0x0000_0500 | hsidiv << 11);
            bench.pass(10);
        }
        let text =
            "HCLK 48 MHz is too fast for FLASH_ACR.LATENCY=0, which allows 24 MHz: flash is read as if it were right";
        assert_eq!(bench.gaps(GapKind::Setting), vec![text; expected], "{setting:?}");
    }
}

#[test]
fn the_rule_holds_for_sysclk_of_an_f103() {
    let mut bench = f103_clocks::fast(MemorySetting::Shipped);
    for latency in [2, 1, 0] {
        bench.write(0x4002_2000, 0x10 | latency);
    }
    let fast: Vec<_> = bench.gaps(GapKind::Setting).into_iter().filter(|gap| gap.contains("is too fast")).collect();
    let text =
        "SYSCLK 72 MHz is too fast for FLASH_ACR.LATENCY=0, which allows 24 MHz: flash is read as if it were right";
    assert_eq!(fast, [text]);
}

#[test]
fn keys_unlock_and_a_wrong_key_locks_until_reset() {
    let mut bench = unlocked();
    assert_eq!(bench.read(CR) & LOCK, 0);
    bench.write(CR, LOCK);
    assert_ne!(bench.read(CR) & LOCK, 0);
    bench.write(KEYR, 0x4567_0123);
    assert!(bench.try_write(KEYR, Width::Word, 0x1234_5678).is_err(), "a bus error");
    assert!(bench.try_write(KEYR, Width::Word, 0x4567_0123).is_err());
    assert_ne!(bench.read(CR) & LOCK, 0);
}

#[test]
fn a_double_word_is_programmed_in_its_time() {
    let mut bench = unlocked();
    bench.write(CR, 1);
    bench.write(BASE + 0x1000, 0x1111_1111);
    assert_eq!(bench.read(SR), 1 << 18, "CFGBSY: waits for the second half");
    bench.write(BASE + 0x1004, 0x2222_2222);
    assert_eq!(bench.read(SR), 5 << 16, "BSY and CFGBSY");
    bench.pass(4079);
    assert_eq!(bench.read(SR), 5 << 16);
    bench.pass(1);
    assert_eq!(bench.read(SR), 0);
    assert_eq!([bench.read(BASE + 0x1000), bench.read(BASE + 0x1004)], [0x1111_1111, 0x2222_2222]);
    bench.write(BASE + 0x1000, 0);
    bench.write(BASE + 0x1004, 1);
    assert_eq!(bench.read(SR), 1 << 3, "PROGERR: not blank");
}

#[test]
fn wrong_sequences_have_their_flags() {
    let mut bench = unlocked();
    bench.write(BASE, 0);
    assert_eq!(bench.read(SR), 1 << 7, "PGSERR: PG is off");
    bench.write(SR, 1 << 7);
    bench.write(CR, 1);
    bench.try_write(BASE, Width::Half, 0).unwrap();
    assert_eq!(bench.read(SR), 1 << 6, "SIZERR");
    bench.write(SR, 1 << 6);
    bench.write(BASE + 4, 0);
    assert_eq!(bench.read(SR), 1 << 5, "PGAERR");
}

#[test]
fn a_page_is_erased_and_the_interrupt_tells() {
    let mut bench = unlocked();
    bench.write(CR, 1);
    for offset in [0x7F8, 0x800, 0x1000] {
        bench.write(BASE + offset, 0);
        bench.write(BASE + offset + 4, 0);
        bench.pass(5000);
    }
    bench.write(CR, 2 | 1 << 3 | 1 << 24);
    bench.write(CR, 2 | 1 << 3 | 1 << 24 | 1 << 16);
    let began = bench.now;
    assert_eq!(bench.until_line(3, 2_000_000), Some(began + 1_056_000));
    assert_eq!([0x7F8, 0x800, 0x1000].map(|offset| bench.read(BASE + offset)), [0, u32::MAX, 0], "page 1 only");
}
