//! Cycles by hand, from the datasheets.

use cyclescope_machine::units::{Address, Cycles};

use super::super::register::*;
use super::super::wiring::{TIMER0_32U4, TIMER0_328P, TIMER1_32U4, TIMER1_328P, TIMER2_328P};
use super::harness::Board;
use crate::Block;
use crate::avr::Instance;

const OVERFLOW: usize = 0;
const COMPARE_A: usize = 1;
const CAPTURE: usize = 4;

/// A board on which these registers were written from cycle 10 on, a cycle each; the cycle after the last.
fn set_up(wiring: &Instance, writes: &[(u8, u8)]) -> (Board, u64) {
    let mut board = Board::new(wiring);
    let mut now = 10;
    for (register, value) in writes {
        board.write(now, *register, *value);
        now += 1;
    }
    (board, now)
}

/// The cycles in which the line of `index` rises, with its handler begun three cycles later.
fn interrupts(board: &mut Board, mut now: u64, index: usize, count: usize) -> Vec<u64> {
    (0..count)
        .map(|_| {
            let at = board.rises(now, index, 5_000_000).expect("it comes");
            now = at + 3;
            board.run(now);
            board.acknowledge(now, index);
            assert!(!board.line(index));
            at
        })
        .collect()
}

fn word(board: &mut Board, now: u64, low: u8) -> u16 {
    let bytes = [board.read(now, low), board.read(now + 2, low + 1)];
    u16::from_le_bytes(bytes)
}

/// Tells if an event is pending.
fn waits(board: &Board) -> bool {
    board.bus.shared.events.next_at() != Cycles::MAX
}

#[test]
fn timer0_as_arduino_sets_it_overflows_every_16384_cycles() {
    let (mut board, now) = set_up(&TIMER0_328P, &[(TCCRA, 3), (TCCRB, 3), (TIMSK, 1)]);
    // Periods of the prescaler begin at 1; the count from 255 to 0 is the 256th.
    assert_eq!(interrupts(&mut board, now, OVERFLOW, 3), [16385, 32769, 49153]);
    assert_eq!(board.events, 3);
}

#[test]
fn the_first_count_is_one_to_n_cycles_after_the_clock_was_selected() {
    let mut waits = Vec::new();
    for at in 1000..1008 {
        let mut board = Board::new(&TIMER0_328P);
        board.write(at, TCCRB, 2);
        let first = (at + 1..at + 20).find(|now| board.read(*now, TCNTL) == 1).expect("it counts");
        waits.push(first - (at + 1));
    }
    waits.sort_unstable();
    assert_eq!(waits, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn the_prescaler_begins_anew_when_it_is_reset_and_stands_while_it_is_held() {
    let (mut board, _) = set_up(&TIMER0_328P, &[(TCCRB, 3)]);
    assert_eq!((board.read(64, TCNTL), board.read(65, TCNTL)), (0, 1));
    board.write_gtccr(100, 1);
    assert_eq!((board.read(164, TCNTL), board.read(165, TCNTL)), (1, 2), "and not at 129");
    board.write_gtccr(200, 0x81);
    assert_eq!(board.read(1000, TCNTL), 2);
    board.write_gtccr(1000, 0);
    assert_eq!((board.read(1064, TCNTL), board.read(1065, TCNTL)), (2, 3));
    // Timer 2's prescaler is another.
    let (mut board, _) = set_up(&TIMER2_328P, &[(TCCRB, 4)]);
    board.write_gtccr(40, 1);
    assert_eq!((board.read(64, TCNTL), board.read(65, TCNTL)), (0, 1));
    board.write_gtccr(100, 2);
    assert_eq!((board.read(164, TCNTL), board.read(165, TCNTL)), (1, 2));
}

#[test]
fn the_clocks_of_timer_2_are_divided_by_its_own_prescaler() {
    for (cs, by) in [(1, 1), (2, 8), (3, 32), (4, 64), (5, 128), (6, 256), (7, 1024)] {
        let (mut board, _) = set_up(&TIMER2_328P, &[(TCCRB, cs), (TIMSK, 1)]);
        let at = interrupts(&mut board, 11, OVERFLOW, 2);
        assert_eq!(at[1] - at[0], 256 * by, "CS2 = {cs}");
    }
}

#[test]
fn a_compare_match_clears_the_timer_every_ocr_plus_one_counts() {
    // A millisecond at 16 MHz: OCR1A = 249 at clkI/O / 64.
    let (mut board, now) = set_up(&TIMER1_328P, &[(OCRAL, 249), (TCCRB, 0x08 | 3), (TIMSK, 2)]);
    let at = interrupts(&mut board, now, COMPARE_A, 4);
    // The flag rises with the count from 249 to 0.
    assert_eq!(at, [1 + 250 * 64, 1 + 500 * 64, 1 + 750 * 64, 1 + 1000 * 64]);
    assert_eq!(word(&mut board, 1 + 1250 * 64 - 1, TCNTL), 249);
    // With ICR as TOP it is ICF that rises.
    let (mut board, now) =
        set_up(&TIMER1_328P, &[(TCCRB, 0x18), (ICRH, 1), (ICRL, 0), (TCCRB, 0x18 | 1), (TIMSK, 0x20)]);
    let at = interrupts(&mut board, now, CAPTURE, 3);
    assert_eq!((at[0], at[1] - at[0], at[2] - at[1]), (13 + 1 + 257, 257, 257));
}

#[test]
fn a_dual_slope_takes_twice_top() {
    for (wgm_a, wgm_b) in [(0, 0x10), (2, 0x10)] {
        let writes = [(TCCRA, wgm_a), (TCCRB, wgm_b), (ICRH, 3), (ICRL, 0xE8), (TIMSK, 1), (TCCRB, wgm_b | 1)];
        let (mut board, now) = set_up(&TIMER1_328P, &writes);
        let at = interrupts(&mut board, now, OVERFLOW, 4);
        // The first as it leaves the 0 that it starts from.
        assert_eq!(at, [17, 2017, 4017, 6017], "WGM1 = {}", wgm_b >> 1 | wgm_a);
    }
    let (mut board, now) = set_up(&TIMER0_328P, &[(TCCRA, 1), (TIMSK, 1), (TCCRB, 2)]);
    let at = interrupts(&mut board, now, OVERFLOW, 3);
    assert_eq!((at[1] - at[0], at[2] - at[1]), (510 * 8, 510 * 8));
}

#[test]
fn a_toggling_pin_has_half_the_frequency_of_matches() {
    // f = clkI/O / (2 N (1 + OCR)), 8271H §15.7.2.
    let (mut board, now) = set_up(&TIMER2_328P, &[(OCRAL, 7), (TCCRA, 0x42), (TCCRB, 2)]);
    let edges = board.edges(0, now, 2000);
    assert!(edges.len() > 25 && edges.windows(2).all(|pair| pair[1] - pair[0] == 64), "{edges:?}");
    let (mut board, now) = set_up(&TIMER2_328P, &[(TCCRA, 0x42), (TCCRB, 1)]);
    assert_eq!(board.edges(0, now, now + 5), [now + 1, now + 2, now + 3, now + 4, now + 5], "clkI/O / 2 at most");
}

/// Returns the high time and the length of each period of output 0, from edge to edge. Empty if the output does not
/// change.
fn high_times(board: &mut Board, from: u64, to: u64) -> Vec<(u64, u64)> {
    let edges = board.edges(0, from, to);
    board.run(to);
    let rising = edges.len() % 2 == usize::from(board.output(0) == Some(true));
    let edges = &edges[usize::from(!rising)..];
    edges.windows(3).step_by(2).map(|three| (three[1] - three[0], three[2] - three[0])).collect()
}

#[test]
fn fast_pwm_is_high_for_ocr_plus_one_counts() {
    for (ocr, high) in [(63, 64), (0, 1), (254, 255)] {
        let (mut board, now) = set_up(&TIMER0_328P, &[(TCCRA, 0x83), (OCRAL, ocr), (TCCRB, 1)]);
        let times = high_times(&mut board, now + 600, now + 3000);
        assert!(times.len() >= 7 && times.iter().all(|times| *times == (high, 256)), "OCR0A = {ocr}: {times:?}");
    }
    for (com, level) in [(0x83, true), (0xC3, false)] {
        let (mut board, now) = set_up(&TIMER0_328P, &[(TCCRA, com), (OCRAL, 255), (TCCRB, 1)]);
        assert_eq!(board.edges(0, now + 600, now + 3000), [], "OCR0A = MAX");
        assert_eq!(board.output(0), Some(level));
    }
}

#[test]
fn phase_correct_pwm_is_high_for_twice_ocr_counts() {
    for ocr in [1, 100, 254] {
        let (mut board, now) = set_up(&TIMER0_328P, &[(TCCRA, 0x81), (OCRAL, ocr), (TCCRB, 1)]);
        let times = high_times(&mut board, now + 1100, now + 5000);
        let expected = (2 * u64::from(ocr), 510);
        assert!(times.len() >= 6 && times.iter().all(|times| *times == expected), "OCR0A = {ocr}: {times:?}");
    }
    for (ocr, level) in [(0, false), (255, true)] {
        let (mut board, now) = set_up(&TIMER0_328P, &[(TCCRA, 0x81), (OCRAL, ocr), (TCCRB, 1)]);
        assert_eq!(board.edges(0, now + 1100, now + 5000), [], "OCR0A = {ocr}");
        assert_eq!(board.output(0), Some(level));
    }
}

#[test]
fn a_new_ocr_takes_effect_at_bottom_or_at_top() {
    // Fast PWM from 10 on: BOTTOM at 13 + 256 k, high for 101 counts, then 201.
    let (mut board, _) = set_up(&TIMER0_328P, &[(TCCRA, 0x83), (OCRAL, 100), (TCCRB, 1)]);
    board.run(13 + 256 + 50);
    board.write(13 + 256 + 50, OCRAL, 200);
    assert_eq!(board.read(13 + 256 + 51, OCRAL), 200, "what is read is the buffer");
    assert_eq!(board.edges(0, 13 + 256 + 51, 13 + 3 * 256), [13 + 256 + 101, 13 + 512, 13 + 512 + 201, 13 + 768]);
    // Phase correct: TOP is left at 13 + 256.
    let (mut board, _) = set_up(&TIMER0_328P, &[(TCCRA, 0x81), (OCRAL, 100), (TCCRB, 1)]);
    board.run(200);
    board.write(200, OCRAL, 200);
    // From 255 down to 199 and from 0 up to 201.
    assert_eq!(board.edges(0, 201, 13 + 510 + 255), [13 + 255 + 56, 13 + 510 + 201]);
}

#[test]
fn micros_never_goes_back() {
    // Arduino's: overflows counted by the handler, TCNT0 read, then TOV0, one cycle after it (IN, then SBIS).
    let (mut board, now) = set_up(&TIMER0_328P, &[(TCCRA, 3), (TCCRB, 3), (TIMSK, 1)]);
    let (mut overflows, mut last, mut asked) = (0u64, 0, None);
    for at in now..5 * 16384 {
        board.run(at);
        let mut look = board.clone();
        let tcnt = look.read(at, TCNTL);
        let tov = look.read(at + 1, TIFR) & 1 != 0;
        let count = overflows + u64::from(tov && tcnt < 255);
        let micros = (count * 256 + u64::from(tcnt)) * 4;
        assert!(micros == last || micros == last + 4, "{micros} after {last} at {at}");
        assert_eq!(micros, (at - 1) / 64 * 4, "at {at}");
        last = micros;
        // The handler comes late.
        if board.line(OVERFLOW) {
            let since = *asked.get_or_insert(at);
            if at == since + 300 {
                board.acknowledge(at, OVERFLOW);
                overflows += 1;
                asked = None;
            }
        }
    }
    assert_eq!(overflows, 4);
}

#[test]
fn a_pin_counts_three_cycles_after_its_edge() {
    for (wiring, index) in [(&TIMER0_328P, 0), (&TIMER1_328P, 0), (&TIMER0_32U4, 0), (&TIMER1_32U4, 0)] {
        for (cs, high) in [(7, true), (6, false)] {
            let (mut board, _) = set_up(wiring, &[(TCCRB, cs)]);
            board.at(90, |timer, env| timer.input(index, !high, env));
            board.at(100, |timer, env| timer.input(index, high, env));
            assert_eq!((board.read(102, TCNTL), board.read(103, TCNTL)), (0, 1));
            assert_eq!(board.read(1000, TCNTL), 1);
        }
    }
}

#[test]
fn an_edge_captures_the_counter_before_its_third_cycle_or_the_seventh() {
    for (control, seen) in [(0x41, 103), (0xC1, 107)] {
        let (mut board, _) = set_up(&TIMER1_328P, &[(TIMSK, 0x20), (TCCRB, control)]);
        board.at(100, |timer, env| timer.input(CAPTURE_PIN, true, env));
        assert_eq!(board.rises(101, CAPTURE, 100), Some(seen));
        // The counter is 1 in period 13.
        assert_eq!(word(&mut board, 200, ICRL), seen as u16 - 1 - 12);
    }
    // Three samples are noise.
    let (mut board, _) = set_up(&TIMER1_328P, &[(TIMSK, 0x20), (TCCRB, 0xC1)]);
    for (at, high) in [(100, true), (103, false), (200, true), (204, false)] {
        board.run(at);
        assert!(!board.line(CAPTURE));
        board.at(at, |timer, env| timer.input(CAPTURE_PIN, high, env));
    }
    assert_eq!(board.rises(204, CAPTURE, 100), Some(207));
    // While ICR is TOP the pin is disconnected.
    let (mut board, _) = set_up(&TIMER1_328P, &[(TIMSK, 0x20), (TCCRB, 0x58), (ICRH, 0x40), (ICRL, 0)]);
    board.at(100, |timer, env| timer.input(CAPTURE_PIN, true, env));
    assert_eq!(board.rises(101, CAPTURE, 100), None);
}

#[test]
fn temp_makes_words_of_two_bytes() {
    let (mut board, _) = set_up(&TIMER1_328P, &[(TCNTH, 0x12), (TCNTL, 0xFE), (TCCRB, 1)]);
    // Set to 1 in effect from 13 on: 0x12FF at 14.
    assert_eq!(board.read(14, TCNTL), 0xFF);
    assert_eq!(board.read(20, TCNTH), 0x12, "as it was when the low byte was read");
    assert_eq!(board.read(20, TCNTL), 0x05);
    board.write(21, OCRAH, 0x77);
    assert_eq!(board.read(22, OCRAH), 0, "written with the low byte");
    assert_eq!(board.read(22, TCNTH), 0x77, "TEMP is one for all");
    board.write(23, OCRAL, 0x66);
    assert_eq!((board.read(24, OCRAL), board.read(24, OCRAH)), (0x66, 0x77));
    // ICR takes writes only where it is TOP.
    board.write(25, ICRL, 0x55);
    assert_eq!(board.read(26, ICRL), 0);
}

#[test]
fn a_write_of_the_counter_takes_the_next_match_away() {
    let (mut board, now) = set_up(&TIMER0_328P, &[(OCRAL, 50), (TCNTL, 50), (TCCRB, 1)]);
    assert_eq!(board.read(now, TCNTL), 50);
    assert_eq!((board.read(now + 100, TCNTL), board.read(now + 100, TIFR)), (150, 0));
    assert_eq!(board.read(now + 256, TIFR) & 3, 1, "only the overflow");
    assert_eq!(board.read(now + 257, TIFR) & 3, 3);
}

#[test]
fn forced_matches_move_the_pin_and_set_no_flag() {
    let (mut board, now) = set_up(&TIMER1_328P, &[(TCCRA, 0x40), (TCCRC, 0x80)]);
    board.run(now);
    assert_eq!(board.output(0), Some(true));
    board.write(50, TCCRC, 0x80);
    board.run(51);
    assert_eq!((board.output(0), board.read(51, TIFR), board.read(51, TCCRC)), (Some(false), 0, 0));
    board.write(52, TCCRA, 0);
    board.run(53);
    assert_eq!(board.output(0), None, "the port has its pin back");
}

#[test]
fn a_bit_clears_its_own_flag() {
    let (mut board, _) = set_up(&TIMER0_328P, &[(OCRAL, 3), (OCRBL, 4), (TCCRB, 1)]);
    assert_eq!(board.read(1000, TIFR), 7);
    board.at(1001, |timer, env| timer.write_bit(TIFR, 1, true, env));
    board.at(1003, |timer, env| timer.write_bit(TIFR, 2, false, env));
    assert_eq!(board.read(1004, TIFR), 5);
    board.write(1005, TIFR, 0x04);
    assert_eq!(board.read(1006, TIFR), 1);
}

#[test]
fn nothing_is_scheduled_where_nothing_shows() {
    let (mut board, _) = set_up(&TIMER1_328P, &[(OCRAL, 5), (TCCRB, 0x09)]);
    assert!(!waits(&board));
    // After eleven days at 16 MHz: a period of 6 counts from 13 on.
    let now = 15_000_000_000_000;
    assert_eq!(u64::from(word(&mut board, now, TCNTL)), (now - 12) % 6);
    assert_eq!(board.read(now, TIFR), 6, "OCR1B is 0");
    assert!(!waits(&board));
    // A flag that is set already shows nothing new.
    board.write(now + 1, TIMSK, 2);
    assert!(board.line(COMPARE_A) && !waits(&board));
    board.acknowledge(now + 2, COMPARE_A);
    assert!(waits(&board));
    board.write(now + 3, TIMSK, 0);
    assert!(!waits(&board));
    // A match that never comes neither.
    board.write(now + 4, OCRBL, 9);
    board.write(now + 5, TIFR, 7);
    board.write(now + 6, TIMSK, 4);
    assert!(!waits(&board));
}

#[test]
fn the_timer_stands_while_sleep_stops_its_clock() {
    let (mut board, _) = set_up(&TIMER0_328P, &[(TCCRA, 3), (TCCRB, 3), (TIMSK, 1)]);
    let (_, mut context) = board.bus.with_context(Cycles::new(5000), Address::ZERO);
    board.wires.shared.stop_io(4, &mut context);
    assert!(!waits(&board));
    assert_eq!(board.read(8000, TCNTL), 78, "4999 / 64");
    let (_, mut context) = board.bus.with_context(Cycles::new(9000), Address::ZERO);
    board.wires.shared.resume_io(&mut context);
    assert_eq!(board.read(9057, TCNTL), 79, "4993 and 64 periods of clkI/O");
    assert_eq!(board.rises(9057, OVERFLOW, 20_000), Some(16385 + 4000));
}

#[test]
fn reserved_modes_and_the_crystal_are_named() {
    let (board, _) = set_up(&TIMER0_328P, &[(TCCRB, 8)]);
    assert_eq!(board.bus.shared.gaps.all()[0].name, "TC0: WGM = 4 is reserved");
    let (mut board, _) = set_up(&TIMER2_328P, &[(TCCRB, 1), (ASSR, 0x20)]);
    assert_eq!(board.bus.shared.gaps.all()[0].name, "TC2: clock from a crystal at TOSC (AS2)");
    assert_eq!(board.read(100, TCNTL), 1, "and it stands");
}
