use super::*;

/// A jump that is waited for, as the caller who knows the cache makes it.
fn fetch(flash: &mut FlashInterface, line: u32, now: u64) -> u32 {
    if flash.caches_many() {
        flash.redirect::<true>(line, now);
        flash.wait::<true>(line, now)
    } else {
        flash.redirect::<false>(line, now);
        flash.wait::<false>(line, now)
    }
}

/// A data read in the cycle `now` as fetches count.
fn read_data(flash: &mut FlashInterface, offset: u32, now: u64) -> u32 {
    flash.read_data(offset, now - u64::from(FlashInterface::AHEAD))
}

fn interface(wait_states: u32, prefetch: bool, instruction_lines: usize) -> FlashInterface {
    FlashInterface::new(FlashTiming { wait_states, prefetch, instruction_lines, ..FlashTiming::IDEAL })
}

#[test]
fn without_prefetch_each_new_line_costs_its_wait_states() {
    let mut flash = interface(1, false, 0);
    assert_eq!(
        [fetch(&mut flash, 0, 0), fetch(&mut flash, 0, 2), fetch(&mut flash, 1, 5), fetch(&mut flash, 0, 10)],
        [1, 0, 1, 1]
    );
}

#[test]
fn prefetch_hides_the_wait_of_straight_code_but_not_of_a_jump() {
    let mut flash = interface(1, true, 0);
    assert_eq!(fetch(&mut flash, 0, 0), 1);
    assert_eq!(fetch(&mut flash, 1, 5), 0, "read ahead since cycle 2");
    assert_eq!(fetch(&mut flash, 9, 20), 1, "a jump misses");
}

#[test]
fn a_demand_read_waits_for_a_prefetch_under_way() {
    let mut flash = interface(2, true, 0);
    assert_eq!(fetch(&mut flash, 0, 0), 2);
    // Line 1 is being read from cycle 3 to 6; a jump at cycle 4 waits 2 cycles for the array, then 2 of its own.
    assert_eq!(fetch(&mut flash, 9, 4), 4);
}

#[test]
fn a_loop_that_fits_the_cache_stalls_once_a_line() {
    let mut flash = interface(1, false, 2);
    let stalls: u32 = (0..10).map(|turn| fetch(&mut flash, turn % 2, u64::from(turn) * 4)).sum();
    assert_eq!(stalls, 2);
    assert_eq!(fetch(&mut flash, 2, 50), 1);
    assert_eq!(fetch(&mut flash, 1, 54), 0, "most recently used, still there");
    assert_eq!(fetch(&mut flash, 0, 58), 1, "evicted");
}

#[test]
fn data_reads_go_past_the_instruction_cache() {
    let mut flash = interface(1, false, 2);
    fetch(&mut flash, 0, 0);
    assert_eq!(read_data(&mut flash, 0, 10), 1);
    assert_eq!(read_data(&mut flash, 0, 12), 1);
}

/// STM32F4: 128-bit lines, 64 for instructions, 8 for data, five wait states at 180 MHz (RM0390).
fn accelerator(prefetch: bool) -> FlashInterface {
    FlashInterface::new(FlashTiming {
        line_bytes: 16,
        wait_states: 5,
        prefetch,
        instruction_lines: 64,
        data_lines: 8,
        ..FlashTiming::IDEAL
    })
}

#[test]
fn prefetches_that_have_not_begun_delay_nobody() {
    // Two cached lines in turn, the line after each of them not cached: the array is always busy with the one or the
    // other, and never owes more than the read under way.
    let mut flash = accelerator(true);
    let mut now = 0;
    for turn in 0..100_000_u64 {
        let stall = fetch(&mut flash, if turn % 2 == 0 { 10 } else { 20 }, now);
        assert_eq!(stall, if turn == 0 { 5 } else { stall.min(10) }, "turn {turn}");
        assert!(turn < 2 || stall == 0, "turn {turn} stalls {stall} cycles");
        now += 3 + u64::from(stall);
    }
    assert!(fetch(&mut flash, 40, now) <= 10);
}

#[test]
fn what_was_read_ahead_is_cached_only_where_the_part_does_so() {
    for caches_prefetched in [false, true] {
        let mut flash = FlashInterface::new(FlashTiming { caches_prefetched, ..accelerator(true).timing() });
        assert_eq!([fetch(&mut flash, 1, 0), fetch(&mut flash, 2, 20), fetch(&mut flash, 30, 40)], [5, 0, 5]);
        // Line 31 was read ahead since cycle 46.
        assert_eq!(fetch(&mut flash, 2, 60), if caches_prefetched { 0 } else { 5 });
    }
}

#[test]
fn a_loop_of_64_lines_stays_and_one_of_65_never_does() {
    for (lines, stalls) in [(64, 64 * 5), (65, 3 * 65 * 5)] {
        let mut flash = accelerator(false);
        let turns = (0..3 * lines).map(|turn| fetch(&mut flash, turn % lines, 10 * u64::from(turn)));
        assert_eq!(turns.sum::<u32>(), stalls, "{lines} lines");
    }
}

#[test]
fn straight_code_of_eight_cycles_a_line_runs_at_full_speed_with_prefetch() {
    let mut flash = accelerator(true);
    let (mut now, mut stalls) = (0, Vec::new());
    for line in 0..5 {
        let stall = fetch(&mut flash, line, now);
        stalls.push(stall);
        now += 8 + u64::from(stall);
    }
    assert_eq!(stalls, [5, 0, 0, 0, 0]);
}

#[test]
fn data_lines_are_kept_apart_from_instructions_until_they_are_forgotten() {
    let mut flash = accelerator(false);
    assert_eq!(read_data(&mut flash, 0x100, 4), 5);
    assert_eq!(read_data(&mut flash, 0x10C, 10), 0, "the same line");
    assert_eq!(fetch(&mut flash, 0x10, 20), 5, "not an instruction line");
    flash.forget(false, true);
    assert_eq!(read_data(&mut flash, 0x100, 40), 5);
    assert_eq!(fetch(&mut flash, 0x11, 60), 5);
    assert_eq!(fetch(&mut flash, 0x10, 70), 0);
}
