//! Flash interface of STM32F446 (RM0390, "Embedded flash memory interface").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::{FlashTiming, GapKind, Width};

use crate::bench::Bench;
use crate::f446_clocks::{bench, fast};

const FLASH: u32 = 0x4002_3C00;
const ACR: u32 = FLASH;
const KEYR: u32 = FLASH + 4;
const SR: u32 = FLASH + 0x0C;
const CR: u32 = FLASH + 0x10;
const ARRAY: u32 = 0x0800_0000;
const FLASH_LINE: usize = 4;
const BSY: u32 = 1 << 16;

fn unlock(bench: &mut Bench) {
    bench.write(KEYR, 0x4567_0123);
    bench.write(KEYR, 0xCDEF_89AB);
}

fn timing(bench: &Bench) -> FlashTiming {
    bench.bus.memory.flash.interface().timing()
}

#[test]
fn equal_reads_as_recommended_whatever_was_written() {
    let mut bench = fast();
    let full = FlashTiming {
        line_bytes: 16,
        wait_states: 5,
        prefetch: true,
        instruction_lines: 64,
        data_lines: 8,
        ..FlashTiming::IDEAL
    };
    assert_eq!(timing(&bench), full);
    bench.write(ACR, 15);
    assert_eq!(timing(&bench), full);
    assert_eq!(
        bench.bus.peripherals.flash_settings_written().unwrap(),
        "15 wait states, prefetch off, instruction cache off, data cache off at 180 MHz"
    );
}

#[test]
fn shipped_reads_as_written_and_too_few_wait_states_are_named() {
    let mut bench = Bench::of("stm32f446re", MemorySetting::Shipped);
    bench.write(ACR, 3 | 1 << 8);
    let expected = FlashTiming { line_bytes: 16, wait_states: 3, prefetch: true, ..FlashTiming::IDEAL };
    assert_eq!(timing(&bench), expected);
    bench.write(ACR, 3 | 3 << 9);
    assert_eq!((timing(&bench).instruction_lines, timing(&bench).data_lines, timing(&bench).prefetch), (64, 8, false));
    bench.write(ACR, 0);
    assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "16 MHz needs none");
    assert_eq!(Bench::of("stm32f446re", MemorySetting::Ideal).bus.memory.flash.interface().timing().wait_states, 0);
}

#[test]
fn programming_needs_the_keys_and_the_width_and_takes_its_time() {
    let mut bench = bench();
    bench.write(CR, 1);
    assert_eq!(bench.read(CR), 1 << 31, "locked");
    unlock(&mut bench);
    bench.write(CR, 1 | 2 << 8 | 1 << 24);
    bench.write(ARRAY + 8, 0x1234_5678);
    assert_ne!(bench.read(SR) & BSY, 0);
    assert_eq!(bench.until_line(FLASH_LINE, 1000), Some(256), "EOP after 16 us");
    assert_eq!(bench.read(ARRAY + 8), 0x1234_5678);
    bench.write(SR, 1);
    bench.write(ARRAY + 8, 0xFFFF_00FF);
    bench.pass(300);
    assert_eq!(bench.read(ARRAY + 8), 0x1234_0078, "bits are only cleared");
    bench.try_write(ARRAY + 12, Width::Byte, 0).unwrap();
    assert_ne!(bench.read(SR) & 1 << 6, 0, "PGPERR: not the width of PSIZE");
    bench.write(SR, 1 << 6 | 1 << 1);
    bench.write(CR, 2 << 8);
    bench.write(ARRAY + 16, 0);
    assert_ne!(bench.read(SR) & 1 << 7, 0, "PGSERR: PG is off");
    assert_eq!(bench.read(ARRAY + 16), u32::MAX);
}

#[test]
fn sectors_have_three_sizes() {
    let mut bench = bench();
    unlock(&mut bench);
    // Sector 4 is 64 KiB from 0x10000, sector 5 is 128 KiB from 0x20000.
    for (sector, first, size, time) in
        [(0u32, 0u32, 0x4000u32, 4_000_000u64), (4, 0x1_0000, 0x1_0000, 8_800_000), (7, 0x6_0000, 0x2_0000, 16_000_000)]
    {
        bench.write(CR, 1 | 2 << 8);
        for offset in [first, first + size - 4] {
            bench.write(ARRAY + offset, 0);
            bench.pass(256);
        }
        bench.write(CR, 2 | sector << 3 | 2 << 8);
        bench.write(CR, 2 | sector << 3 | 2 << 8 | 1 << 16);
        bench.pass(time - 1);
        assert_ne!(bench.read(SR) & BSY, 0, "sector {sector}");
        bench.pass(1);
        assert_eq!(bench.read(SR) & BSY, 0);
        assert_eq!([bench.read(ARRAY + first), bench.read(ARRAY + first + size - 4)], [u32::MAX; 2]);
    }
}

#[test]
fn a_wrong_key_locks_until_reset_and_is_a_bus_error() {
    let mut bench = bench();
    assert!(bench.try_write(KEYR, Width::Word, 1).is_err());
    assert!(bench.try_write(KEYR, Width::Word, 0x4567_0123).is_err());
    bench.write(CR, 1);
    assert_eq!(bench.read(CR), 1 << 31);
}

#[test]
fn option_bytes_do_not_change_and_say_so() {
    let mut bench = bench();
    bench.write(FLASH + 8, 0x0819_2A3B);
    bench.write(FLASH + 8, 0x4C5D_6E7F);
    bench.write(FLASH + 0x14, 0x0FFF_AAEE);
    assert_eq!(bench.read(FLASH + 0x14), 0x0FFF_AAEC, "only unlocked");
    assert_eq!(bench.gaps(GapKind::Setting), ["FLASH_OPTCR.OPTSTRT: the option bytes do not change"]);
}
