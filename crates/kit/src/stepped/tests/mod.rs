//! Cases computed by hand. Cycles count from the start of the first reading, which is at the start of a line that has
//! been fetched.

mod random;

use super::*;

/// Returns the rows of a core and of a part with lines of `line` bytes.
fn row(one_bus: bool, line: u32) -> impl FnMut(&str) -> Option<u32> {
    move |name| {
        Some(match name {
            "data processing" | "branch not taken" => 1,
            "load" | "branch taken" => 2,
            "branch to the link register" if !one_bus => 2,
            "branch and exchange" if one_bus => 2,
            "fetch latency" => 3 - u32::from(one_bus),
            "fetch buffer" => 3 - 2 * u32::from(one_bus),
            "flash.line_bytes" => line,
            "flash.instruction_lines" => 2,
            _ => return None,
        })
    }
}

/// Returns the cycles of `code` between its readings, without those of the empty sequence. Text after `|` is not
/// executed in sequence.
fn took(code: &str, one_bus: bool, line: u32, memory: Memory) -> u64 {
    let code = code.replace("; ", "\n");
    let (code, behind) = code.split_once('|').unwrap_or((&code, ""));
    let text = format!(
        "timed:\nmovs r4, #2\nb 9f\n.balign 64\n9:\nldr r6, [r7]\nmov r8, r8\n{code}\nmov r8, r8\nldr r5, [r7]\npop {{pc}}\n{behind}\n"
    );
    cycles(&text, one_bus, memory, &mut row(one_bus, line)).unwrap()
}

const FIVE: &str = ".rept 5; adds r1, r1, r2; .endr";

#[test]
fn a_line_is_asked_for_when_there_is_room_for_its_first_word() {
    // The instruction at 6 is decoded at 3. From 4 on there is room for the word at 16, whose address phase ends at 4 +
    // W. The second reading is in that word: it could begin at 9, and cannot before 7 + W.
    for (wait, late) in [(1, 0), (2, 0), (3, 1), (5, 3)] {
        assert_eq!(took(FIVE, false, 16, Memory { wait, ..Memory::default() }), 5 + late, "{wait} wait states");
    }
}

#[test]
fn words_are_asked_for_one_a_cycle() {
    // Words at 0, 4 and 8 have their address phases at -3, -2 and from -1 to 4, the next at 5 and from 6 to 11: 14 instead of 9.
    assert_eq!(took(FIVE, false, 8, Memory { wait: 5, ..Memory::default() }), 5 + 5);
}

#[test]
fn what_was_asked_for_in_vain_stays_under_way() {
    // The line at 8 is read from -1 to 4. The branch begins at 3 and redirects fetching at 2; its target's line is read
    // from 5 to 10.
    let code = "bne 1f; .balign 32; 1: adds r1, r1, r2";
    assert_eq!(took(code, false, 8, Memory { wait: 5, ..Memory::default() }), 2 + 1 + 5 + 3);
    // With lines of 16 bytes, the second line has not been requested.
    assert_eq!(took(code, false, 16, Memory { wait: 5, ..Memory::default() }), 2 + 1 + 5);
}

#[test]
fn words_of_a_line_that_is_there_cost_nothing_but_of_a_target_across_two() {
    let memory = Memory { wait: 1, ..Memory::default() };
    // Unaligned 32-bit instructions need one word a cycle, and the buffer does not always have room for it.
    let across = "nop; .rept 4; add.w r1, r1, r2; .endr; nop";
    assert_eq!(took(across, false, 32, memory), 6);
    // The branch goes to the current line.
    assert_eq!(took("b 1f; 1: add.w r1, r1, r2", false, 32, memory), 2 + 1 + 1);
    assert_eq!(took("b 1f; nop; 1: add.w r1, r1, r2", false, 32, memory), 2 + 1);
}

#[test]
fn a_branch_has_the_address_in_its_last_cycle_of_decoding() {
    // The instruction at 22 is decoded at 11 and makes room for the line at 32 from 12 on. The branch behind it begins
    // at 13 and redirects fetching at 12, to the current line.
    let code = ".rept 10; nop; .endr; b 1f; 1: nop";
    assert_eq!(took(code, false, 32, Memory { wait: 5, ..Memory::default() }), 10 + 2 + 1);
}

#[test]
fn nothing_is_asked_for_while_a_branch_may_turn() {
    // The same with a branch that is not taken: the line at 32 is requested at 14 and arrives at 19. Its first
    // instruction could begin at 17, and begins at 22.
    let code = ".rept 10; nop; .endr; beq 1f; nop; nop; 1:";
    assert_eq!(took(code, false, 32, Memory { wait: 5, ..Memory::default() }), 10 + 1 + 2 + 5);
}

#[test]
fn the_line_used_last_stays_in_the_cache() {
    // Two lines are cached; the first one is entered again before and after a third.
    let code = "b 1f; 2: b 3f; 4: nop | .balign 16; 1: b 2b; .balign 16; 3: b 4b";
    assert_eq!(took(code, true, 16, Memory { wait: 1, cache: true, ..Memory::default() }), 4 * 2 + 1 + 2);
}

#[test]
fn a_line_that_was_left_is_read_again_unless_it_is_cached() {
    // Two iterations. Each requests the line behind the loop before it branches back.
    let code = "b 1f; .balign 16; 1: .rept 6; adds r1, r1, r2; .endr; subs r4, r4, #1; bne 1b";
    let turns = (7 + 2) + (7 + 1);
    let memory = Memory { wait: 1, ..Memory::default() };
    assert_eq!(took(code, false, 16, memory), 2 + turns + 2);
    assert_eq!(took(code, false, 16, Memory { cache: true, ..memory }), 2 + turns + 1);
}

#[test]
fn a_core_with_one_bus_waits_for_each_fetch() {
    // The words at 8 and 16 are fetched beside the instructions at 4 and 12.
    assert_eq!(took(FIVE, true, 8, Memory { wait: 1, ..Memory::default() }), 5 + 2);
    // Reading ahead starts in the cycle after the delivery and has ended by then.
    assert_eq!(took(FIVE, true, 8, Memory { wait: 1, prefetch: true, ..Memory::default() }), 5);
}

#[test]
fn what_is_not_known_is_named() {
    let memory = Memory { wait: 1, ..Memory::default() };
    assert_eq!(cycles("timed:\nwfi\n", false, memory, &mut row(false, 8)), Err("wfi".to_owned()));
    assert_eq!(
        cycles("timed:\nudiv r1, r2, r3\n", false, memory, &mut row(false, 8)),
        Err("udiv r1, r2, r3".to_owned())
    );
}
