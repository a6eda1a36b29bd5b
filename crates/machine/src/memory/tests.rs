use super::*;

fn memory() -> Memory {
    let mut memory = Memory::new(Address::new(0x0800_0000), vec![0x11; 1024], Address::new(0x2000_0000), 2048);
    memory.map_at_zero(AtZero::Flash);
    memory
}

#[test]
fn flash_shows_at_its_base_and_at_zero_and_takes_no_store() {
    let mut memory = memory();
    assert_eq!(memory.read(0x0800_0000, Width::Word), Some(0x1111_1111));
    assert_eq!(memory.read(0x0000_03FC, Width::Word), Some(0x1111_1111));
    assert_eq!(memory.read(0x0000_03FE, Width::Word), None, "half outside");
    assert!(!memory.write(0x0800_0000, Width::Word, 0));
    memory.map_at_zero(AtZero::Ram);
    assert!(memory.write(4, Width::Word, 7));
    assert_eq!(memory.read(0x2000_0004, Width::Word), Some(7));
}

#[test]
fn nothing_appears_at_zero_unless_it_is_asked_for() {
    let mut memory = Memory::new(Address::new(0x2000_0000), vec![0x11; 1024], Address::new(0x8000_0000), 2048);
    assert_eq!(memory.read(0, Width::Word), None);
    assert!(!memory.write(0, Width::Word, 7) && !memory.load(Address::ZERO, &[7]));
    memory.add_ram(Address::ZERO, 64);
    assert!(memory.write(0, Width::Word, 7));
    assert_eq!(memory.read(0, Width::Word), Some(7));
    assert_eq!(memory.read(64, Width::Word), None);
}

#[test]
fn watched_stores_are_those_that_share_a_byte() {
    let mut memory = memory();
    let at = |address| Address::new(address);
    memory.add_ram(at(0x1000_0000), 64);
    memory.map_at_zero(AtZero::Ram);
    for from in [0x2000_0104, 0x1000_0010] {
        memory.watch_stores(at(from)..at(from + 4));
        assert!(memory.write(from, Width::Word, 5) && memory.read(from, Width::Word) == Some(5));
        for (address, width, expect) in [
            (from - 4, Width::Word, false),
            (from - 2, Width::Word, true),
            (from, Width::Byte, true),
            (from + 3, Width::Byte, true),
            (from + 4, Width::Byte, false),
        ] {
            assert_eq!(memory.is_watched(address, width), expect, "{address:#x}");
        }
    }
    memory.watch_stores(at(8)..at(8));
    memory.watch_stores(at(u32::MAX - 3)..at(u32::MAX));
    assert!(!memory.is_watched(8, Width::Word) && memory.is_watched(u32::MAX - 1, Width::Word));
}

#[test]
fn memories_that_adjoin_are_told_apart() {
    let (one, other) = (0x2000_0000..0x2000_0600, 0x2000_0600..0x2000_0800);
    let mut memory = memory();
    assert!(!memory.has_several_rams());
    memory.split_ram(&[0x600, 0x800]);
    assert!(memory.has_several_rams());
    for (address, ram) in [(0x2000_0000, &one), (0x2000_05FF, &one), (0x2000_0600, &other), (0x2000_07FF, &other)] {
        assert_eq!(memory.ram_around(address), *ram, "{address:#x}");
    }
    assert!([0, 0x0800_0000, 0x1FFF_FFFF, 0x2000_0800, u32::MAX].iter().all(|at| memory.ram_around(*at).is_empty()));
    memory.map_at_zero(AtZero::Ram);
    assert_eq!(memory.ram_around(0x604), other, "the alias is the memory");
    memory.add_ram(Address::new(0x1000_0000), 1024);
    assert_eq!(memory.ram_around(0x1000_03FF), 0x1000_0000..0x1000_0400);
    memory.split_ram(&[0x800]);
    assert_eq!(memory.ram_around(0x2000_07FF), 0x2000_0000..0x2000_0800, "no border inside");
}

#[test]
fn a_slave_that_is_taken_makes_wait_for_its_own_words_alone() {
    let mut memory = memory();
    // Words of the first KiB lie in four slaves in turn; behind it is one.
    let slave = |stripe| RamSlave { from: 0, to: 0x400, stripes: 0xC, stripe };
    memory.take_ram(slave(8), 70, 2);
    memory.take_ram(RamSlave { from: 0x400, to: u32::MAX, ..RamSlave::default() }, 70, 1);
    let waits = |memory: &Memory, cycle| [0, 4, 8, 0xB, 0xC, 0x3F8, 0x400, 0x7FF].map(|at| memory.ram_wait(at, cycle));
    assert_eq!(waits(&memory, 70), [0, 0, 2, 2, 0, 2, 1, 1]);
    assert_eq!((waits(&memory, 69), waits(&memory, 71)), ([0; 8], [0; 8]));
    // Those of many cycles are kept.
    memory.take_ram(slave(0), 70, 1);
    assert_eq!(waits(&memory, 70), [1, 0, 2, 2, 0, 2, 1, 1]);
    (71..89).for_each(|cycle| (0..2).for_each(|stripe| memory.take_ram(slave(4 * stripe), cycle, 1)));
    assert_eq!(waits(&memory, 70), [1, 0, 2, 2, 0, 2, 1, 1]);
    (89..115).for_each(|cycle| memory.take_ram(slave(0), cycle, 1));
    assert_eq!(waits(&memory, 70), [1, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!((waits(&memory, 114)[0], waits(&memory, 115)[0]), (1, 0));
    // An earlier cycle may be taken later, and another memory may take all of it over.
    memory.take_ram(slave(4), 69, 1);
    assert_eq!((waits(&memory, 69)[1], waits(&memory, 114)[0]), (1, 1));
    let mut other = self::memory();
    other.restore_from(&memory);
    assert_eq!((waits(&other, 69)[1], waits(&other, 114)[0]), (1, 1));
    // Back in an earlier cycle nothing is taken.
    let snapshot = memory.snapshot();
    memory.claim_ram(0, slave(0), 114, [true; 2]);
    memory.restore(&snapshot);
    assert!(waits(&memory, 114) == [0; 8] && !memory.is_claimed(0, 114, true));
}

#[test]
fn masters_leave_a_slave_to_the_core_in_each_cycle_that_it_claims() {
    let mut memory = memory();
    let slave = |from| RamSlave { from, to: from + 0x400, ..RamSlave::default() };
    memory.claim_ram(0, slave(0), 70, [true, true]);
    memory.claim_ram(1, slave(0x400), 70, [true, false]);
    // Whoever waits for its turn claims again and again, and the other core as often as it likes.
    (71..80).for_each(|cycle| memory.claim_ram(1, slave(0), cycle, [false, true]));
    (0..9).for_each(|_| memory.claim_ram(1, slave(0), 79, [false, true]));
    let claimed = |memory: &Memory, cycle| {
        [(0, false), (0, true), (0x400, false), (0x400, true)]
            .map(|(offset, write)| memory.is_claimed(offset, cycle, write))
    };
    assert_eq!(claimed(&memory, 70), [true, true, false, false], "four of each core are kept");
    assert_eq!((claimed(&memory, 76), claimed(&memory, 80)), ([false, true, false, false], [false; 4]));
    let mut other = self::memory();
    other.restore_from(&memory);
    assert_eq!(claimed(&other, 70), [true, true, false, false]);
}

#[test]
fn a_master_that_goes_before_a_core_keeps_its_slave_from_that_one() {
    let mut memory = memory();
    let slave = RamSlave { from: 0, to: 0x400, ..RamSlave::default() };
    memory.take_ram(slave, 69, 1);
    memory.take_ram_before(slave, 70, 1, [false, true]);
    let kept = [(0, 70), (1, 70), (1, 69), (1, 71)].map(|(core, cycle)| memory.is_kept_from(core, 8, cycle));
    assert_eq!(kept, [false, true, false, false]);
    assert!(!memory.is_kept_from(1, 0x400, 70));
}

#[test]
fn no_address_wraps_or_panics() {
    let mut memory = memory();
    for address in [0u32, 1, 0x2000_07FD, 0x2000_07FF, 0x1FFF_FFFF, 0x1FFF_FFFE, u32::MAX, u32::MAX - 2] {
        for width in [Width::Byte, Width::Half, Width::Word] {
            memory.read(address, width);
            memory.write(address, width, 0);
        }
    }
}

#[test]
fn restore_brings_back_exactly_what_was_written_since() {
    let mut memory = memory();
    memory.write(0x2000_0000, Width::Word, 1);
    let snapshot = memory.snapshot();
    let before = memory.ram.bytes().to_vec();
    memory.write(0x2000_01FE, Width::Word, 0xAABB_CCDD);
    memory.write(0x2000_0000, Width::Byte, 9);
    memory.restore(&snapshot);
    assert_eq!(memory.ram.bytes(), before);
}

#[test]
fn what_is_restored_from_another_is_the_other_and_stale_code_is_noticed() {
    let mut ours = memory();
    ours.write(0x2000_0000, Width::Word, 1);
    let snapshot = ours.snapshot();
    let mut theirs = ours.clone();
    theirs.write(0x2000_0204, Width::Word, 3);
    ours.mark_code(0x200, 0x210);
    ours.write(0x2000_07FC, Width::Word, 2);
    let generation = ours.generation();
    ours.restore_from(&theirs);
    assert_eq!(ours.ram.bytes(), theirs.ram.bytes());
    assert_eq!(ours.generation(), generation, "flash is the same");
    assert!(ours.take_code_changed(), "the other has other code there");
    assert_eq!(ours.generation(), generation + 1, "another core learns of it");
    let generation = ours.generation();
    // The next is alike: nothing to forget.
    ours.mark_code(0x200, 0x210);
    ours.restore_from(&theirs);
    assert!(!ours.take_code_changed());
    theirs.set_flash_timing(FlashTiming { wait_states: 3, ..FlashTiming::IDEAL });
    ours.restore_from(&theirs);
    assert_eq!(ours.flash.interface().timing(), theirs.flash.interface().timing());
    assert!(ours.generation() > generation, "blocks carry the time that flash takes");
    let generation = ours.generation();
    ours.program_flash(0, &[0]);
    ours.restore_from(&theirs);
    assert_eq!(ours.flash.bytes(), theirs.flash.bytes());
    assert!(ours.generation() > generation + 1, "flash was programmed, and is no longer");
    // An older snapshot is still good: what came from elsewhere counts as written.
    ours.restore(&snapshot);
    assert_eq!(ours.ram.bytes()[..4], [1, 0, 0, 0]);
    assert!(ours.ram.bytes()[4..].iter().all(|byte| *byte == 0));
}

#[test]
fn what_a_probe_loads_is_noticed_like_a_store() {
    let mut memory = memory();
    let snapshot = memory.snapshot();
    memory.mark_code(0x200, 0x210);
    assert!(memory.load(Address::new(0x2000_0204), &[1, 2]));
    assert!(memory.take_code_changed());
    let generation = memory.generation();
    assert!(memory.load(Address::new(0x0800_0010), &[3]));
    assert!(memory.generation() > generation);
    assert!(!memory.load(Address::new(0x0800_03FF), &[4, 4]) && !memory.load(Address::new(0x2000_07FF), &[4, 4]));
    assert!(memory.load(Address::new(0x0800_0000), &[]) && memory.load(Address::new(0x2000_0000), &[]));
    memory.restore(&snapshot);
    assert_eq!(memory.read(0x2000_0204, Width::Half), Some(0));
}

#[test]
fn another_ram_is_one_as_the_main_one_is() {
    let mut memory = memory();
    memory.add_ram(Address::new(0x1000_0000), 1024);
    assert_eq!(memory.region(0x1000_0004), Some(RegionKind::Other(0, 4)));
    assert!(memory.load(Address::new(0x1000_0000), &[1, 2, 3, 4]) && !memory.load(Address::new(0x1000_03FF), &[1, 2]));
    let snapshot = memory.snapshot();
    let mut theirs = memory.clone();
    memory.mark_code_at(0x1000_0200, 4);
    assert!(memory.write(0x1000_0000, Width::Word, 9) && !memory.write(0x1000_0400, Width::Byte, 9));
    assert!(!memory.take_code_changed(), "another page");
    assert!(memory.write(0x1000_0202, Width::Half, 9) && memory.take_code_changed());
    memory.restore(&snapshot);
    assert_eq!(memory.read(0x1000_0000, Width::Word), Some(0x0403_0201));
    assert!(theirs.write(0x1000_0200, Width::Word, 7));
    memory.mark_code_at(0x1000_0200, 4);
    memory.restore_from(&theirs);
    assert!(memory.take_code_changed());
    assert_eq!(memory.read(0x1000_0200, Width::Word), Some(7));
    assert_eq!(memory.read(0x1000_03FE, Width::Word), None, "half outside");
}

#[test]
fn a_stretch_of_ram_appears_at_two_addresses() {
    let mut memory = memory();
    memory.alias_ram(Address::new(0x1000_0000), 0x200, 0x600);
    assert!(memory.write(0x1000_0004, Width::Word, 7) && memory.write(0x2000_07FC, Width::Word, 8));
    assert_eq!(memory.read(0x2000_0604, Width::Word), Some(7));
    assert_eq!(memory.read(0x1000_01FC, Width::Word), Some(8));
    assert_eq!(memory.read(0x1000_0200, Width::Byte), None);
    assert!(memory.load(Address::new(0x1000_0000), &[1, 2]));
    assert_eq!(memory.read(0x2000_0600, Width::Half), Some(0x0201));
    memory.mark_code_at(0x1000_0000, 4);
    assert!(memory.write(0x2000_0602, Width::Half, 9) && memory.take_code_changed(), "code seen from the other side");
    memory.alias_ram(Address::new(0x1100_0000), 0x400, 0x700);
    assert_eq!(memory.read(0x1100_00FC, Width::Word), Some(8));
    assert_eq!(memory.read(0x1100_0100, Width::Word), None, "the RAM ends there");
}

#[test]
fn words_lie_in_four_banks_in_turn_and_one_bank_after_the_other_in_the_alias() {
    let mut memory = memory();
    memory.alias_banks(Address::new(0x2100_0000), 2048);
    // The third word of the second bank of 512 bytes is the word 4 * 2 + 1.
    assert!(memory.write(0x2100_0208, Width::Word, 0x0403_0201));
    assert_eq!(memory.read(0x2000_0024, Width::Word), Some(0x0403_0201));
    assert_eq!(memory.read(0x2100_020A, Width::Half), Some(0x0403));
    assert!(memory.load(Address::new(0x2100_0600), &[9, 8, 7, 6, 5]));
    assert_eq!(memory.read(0x2000_000C, Width::Word), Some(0x0607_0809), "the fourth bank's first");
    assert_eq!(memory.read(0x2000_001C, Width::Byte), Some(5));
    assert_eq!(memory.read(0x2100_0800, Width::Byte), None);
    assert!(memory.is_ram(0x2100_07FF) && !memory.is_ram(0x2100_0800));
    memory.mark_code_at(0x2100_0040, 8);
    assert!(memory.write(0x2000_0110, Width::Word, 1) && memory.take_code_changed());
}

#[test]
fn nobody_writes_a_rom_and_flash_appears_again_past_its_cache() {
    let mut memory = memory();
    memory.add_rom(Address::new(0x1FFF_0000), &[1, 2, 3, 4]);
    assert_eq!(memory.read(0x1FFF_0000, Width::Word), Some(0x0403_0201));
    assert!(!memory.is_ram(0x1FFF_0000) && !memory.is_ram(0x0800_0000));
    assert!(!memory.write(0x1FFF_0000, Width::Word, 0) && !memory.load(Address::new(0x1FFF_0000), &[0]));
    memory.alias_flash(Address::new(0x0900_0000));
    assert_eq!(memory.region(0x0900_0010), Some(RegionKind::Flash(0x10)));
    assert!(memory.is_uncached(0x0900_03FF) && !memory.is_uncached(0x0900_0400) && !memory.is_uncached(0x0800_0000));
}

#[test]
fn a_store_into_predecoded_code_is_noticed_once() {
    let mut memory = memory();
    memory.mark_code(0x1FE, 0x202);
    memory.write(0x2000_0600, Width::Word, 1);
    assert!(!memory.take_code_changed());
    memory.write(0x2000_0200, Width::Word, 1);
    assert!(memory.take_code_changed());
    assert!(!memory.take_code_changed());
}

#[test]
fn programming_only_clears_bits_and_makes_code_stale() {
    let mut memory = memory();
    let before = memory.generation();
    memory.program_flash(0, &[0x01]);
    memory.program_flash(1023, &[0x10, 0x10]);
    assert_eq!(memory.read(0x0800_0000, Width::Byte), Some(0x01));
    memory.erase_flash(0, 8);
    assert_eq!(memory.read(0x0800_0000, Width::Byte), Some(0xFF));
    assert!(memory.generation() > before);
}
