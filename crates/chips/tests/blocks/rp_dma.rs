//! RP2040: DMA (RP-008371-DS, DMA), in exact cycles of the system clock.

use cyclescope_machine::{GapKind, Width};

use crate::bench::Bench;
use crate::robustness::Random;
use crate::rp_pio::{CTRL, RXF0, SHIFTCTRL, TXF0, load, part, sm};

const DMA: u32 = 0x5000_0000;
const READ: u32 = 0x00;
const WRITE: u32 = 0x04;
const COUNT: u32 = 0x08;
const TRIG: u32 = 0x0C;
const AL1_CTRL: u32 = 0x10;
const AL1_COUNT_TRIG: u32 = 0x1C;
const AL2_WRITE_TRIG: u32 = 0x2C;
const AL3_READ_TRIG: u32 = 0x3C;
const INTR: u32 = DMA + 0x400;
const INTE0: u32 = DMA + 0x404;
const INTF0: u32 = DMA + 0x408;
const INTS0: u32 = DMA + 0x40C;
const INTE1: u32 = DMA + 0x414;
const INTS1: u32 = DMA + 0x41C;
const TIMER0: u32 = DMA + 0x420;
const MULTI: u32 = DMA + 0x430;
const SNIFF_CTRL: u32 = DMA + 0x434;
const SNIFF_DATA: u32 = DMA + 0x438;
const FIFO_LEVELS: u32 = DMA + 0x440;
const ABORT: u32 = DMA + 0x444;
const N_CHANNELS: u32 = DMA + 0x448;
const CTDREQ: u32 = DMA + 0x800;
const TCR: u32 = DMA + 0x804;
const LINE: usize = 11;

const FROM: u32 = 0x2000_0000;
/// Another bank of the striped RAM at each word.
const TO: u32 = 0x2000_1004;

/// Bits of CTRL.
const EN: u32 = 1;
const HIGH: u32 = 1 << 1;
const HALF: u32 = 1 << 2;
const WORD: u32 = 2 << 2;
const READS_ON: u32 = 1 << 4;
const WRITES_ON: u32 = 1 << 5;
const RING_WRITE: u32 = 1 << 10;
const QUIET: u32 = 1 << 21;
const BSWAP: u32 = 1 << 22;
const SNIFF: u32 = 1 << 23;
const BUSY: u32 = 1 << 24;
const PERMANENT: u32 = 0x3F << 15;

/// Words copied one after the other by `channel`, which chains to nobody.
fn copying(channel: u32) -> u32 {
    EN | WORD | READS_ON | WRITES_ON | channel << 11 | PERMANENT
}

const fn at(channel: u32, register: u32) -> u32 {
    DMA + 0x40 * channel + register
}

/// The part with numbers in RAM and DMA's interrupts of all channels on.
fn ready() -> Bench {
    let mut bench = part();
    for place in 0..64 {
        poke(&mut bench, FROM + 4 * place, 0x0101_0100 * place + 0x00C0_FFEE);
    }
    bench.write(INTE0, 0xFFF);
    bench
}

fn poke(bench: &mut Bench, address: u32, word: u32) {
    assert!(bench.bus.memory.write(address, Width::Word, word));
}

fn peek(bench: &Bench, address: u32) -> u32 {
    bench.bus.memory.read(address, Width::Word).unwrap()
}

/// Sets a channel up and triggers it by CTRL.
fn start(bench: &mut Bench, channel: u32, [read, write, count, ctrl]: [u32; 4]) {
    for (register, value) in [(READ, read), (WRITE, write), (COUNT, count), (TRIG, ctrl)] {
        bench.write(at(channel, register), value);
    }
}

/// The cycles until the interrupt of any channel.
fn until_interrupt(bench: &mut Bench) -> u64 {
    let begun = bench.now;
    bench.until_line(LINE, 100_000).expect("it ends") - begun
}

#[test]
fn words_are_copied_one_a_cycle() {
    let mut bench = ready();
    assert_eq!(bench.read(N_CHANNELS), 12);
    start(&mut bench, 2, [FROM, TO, 8, copying(2)]);
    assert_eq!(bench.read(at(2, AL1_CTRL)), copying(2) | BUSY);
    bench.pass(3);
    // The first word has been read in the second cycle, the second in the third.
    assert_eq!((bench.read(at(2, READ)), bench.read(at(2, WRITE)), bench.read(at(2, COUNT))), (FROM + 8, TO, 8));
    assert_eq!(bench.read(FIFO_LEVELS), 2 << 16 | 4 << 8 | 2);
    // Four phases, and a cycle for each further word.
    assert_eq!(until_interrupt(&mut bench), 4 + 7 - 3);
    assert_eq!((bench.read(INTR), bench.read(INTS0), bench.read(INTS1)), (4, 4, 0));
    for place in 0..8 {
        assert_eq!(peek(&bench, TO + 4 * place), peek(&bench, FROM + 4 * place));
    }
    assert_eq!(peek(&bench, TO + 32), 0);
    assert_eq!((bench.read(at(2, READ)), bench.read(at(2, COUNT))), (FROM + 32, 0));
    assert_eq!((bench.read(TCR + 0x80), bench.read(at(2, TRIG)) & BUSY), (8, 0));
    bench.write(INTS0, 4);
    assert!(!bench.bus.shared.interrupts.is_high(LINE) && bench.read(INTR) == 0);
    // The same count again, from where it was, by a trigger for several.
    bench.write(MULTI, 4);
    assert_eq!(until_interrupt(&mut bench), 4 + 7);
    assert_eq!(peek(&bench, TO + 60), peek(&bench, FROM + 60));
}

#[test]
fn both_masters_in_one_bank_take_turns() {
    let mut bench = ready();
    // Two words on is the same bank as the read two cycles before: each write meets the second read behind its own.
    start(&mut bench, 0, [FROM, FROM + 0x1000 + 8, 8, copying(0)]);
    let cycles = until_interrupt(&mut bench);
    assert!(cycles > 11, "{cycles}");
    for place in 0..8 {
        assert_eq!(peek(&bench, FROM + 0x1008 + 4 * place), peek(&bench, FROM + 4 * place));
    }
    // The fifth bank is not striped: all accesses meet.
    bench.write(INTR, 1);
    start(&mut bench, 0, [0x2004_0000, 0x2004_0400, 8, copying(0)]);
    assert!(until_interrupt(&mut bench) >= 16);
}

#[test]
fn the_core_waits_for_a_bank_that_is_taken_and_for_no_other() {
    let mut bench = ready();
    start(&mut bench, 0, [FROM + 4, TO, 1, copying(0)]);
    let trigger = bench.now;
    bench.pass(2);
    let waits = |bench: &Bench, cycle: u64| [0, 4, 8, 12, 0x404].map(|offset| bench.bus.memory.ram_wait(offset, cycle));
    assert_eq!(waits(&bench, trigger + 2), [0, 1, 0, 0, 1], "its read");
    assert!(bench.bus.memory.ram.is_closed());
    bench.pass(2);
    assert_eq!(waits(&bench, trigger + 4), [0, 1, 0, 0, 1], "its write");
    assert_eq!(waits(&bench, trigger + 3), [0; 5]);
    bench.pass(2);
    assert!(!bench.bus.memory.ram.is_closed());
}

#[test]
fn sizes_rings_and_swaps() {
    let mut bench = ready();
    let half = EN | HALF | READS_ON | WRITES_ON | PERMANENT | BSWAP;
    start(&mut bench, 0, [FROM, TO, 4, half]);
    until_interrupt(&mut bench);
    let swapped = |word: u32| word >> 8 & 0x00FF_00FF | (word & 0x00FF_00FF) << 8;
    assert_eq!(peek(&bench, TO), swapped(peek(&bench, FROM)));
    assert_eq!(peek(&bench, TO + 4), swapped(peek(&bench, FROM + 4)));
    bench.write(INTR, 1);
    // Bytes into a ring of 4, which wraps twice.
    let ring = EN | READS_ON | WRITES_ON | PERMANENT | 2 << 6 | RING_WRITE;
    start(&mut bench, 0, [FROM, TO + 0x40, 10, ring]);
    until_interrupt(&mut bench);
    let bytes: Vec<u8> = (0..12).map(|place| (peek(&bench, FROM + place / 4 * 4) >> (place % 4 * 8)) as u8).collect();
    assert_eq!(peek(&bench, TO + 0x40), u32::from_le_bytes([bytes[8], bytes[9], bytes[6], bytes[7]]));
    assert_eq!((bench.read(at(0, WRITE)), bench.read(at(0, READ))), (TO + 0x42, FROM + 10));
    // A byte to a register comes in all lanes.
    start(&mut bench, 1, [FROM, 0x4005_800C, 1, EN | 1 << 11 | PERMANENT]);
    bench.pass(20);
    assert_eq!(bench.read(0x4005_800C), (peek(&bench, FROM) & 0xFF) * 0x0101_0101);
}

#[test]
fn each_group_ends_in_its_trigger_and_a_null_one_starts_nothing() {
    let mut bench = ready();
    bench.write(at(0, AL1_CTRL), copying(0));
    bench.write(at(0, READ), FROM);
    bench.write(at(0, WRITE), TO);
    bench.pass(10);
    assert_eq!(bench.read(at(0, TRIG)) & BUSY, 0);
    for (register, value) in [(AL1_COUNT_TRIG, 4), (AL2_WRITE_TRIG, TO), (AL3_READ_TRIG, FROM)] {
        bench.write(at(0, register), value);
        assert_eq!(until_interrupt(&mut bench), 4 + 3, "{register:#x}");
        bench.write(INTR, 1);
    }
    // Quiet: no interrupt at the end, one for a null.
    bench.write(at(0, AL1_CTRL), copying(0) | QUIET);
    bench.write(at(0, AL3_READ_TRIG), FROM);
    bench.pass(20);
    assert_eq!(bench.read(INTR), 0);
    bench.write(at(0, AL3_READ_TRIG), 0);
    bench.pass(20);
    assert_eq!((bench.read(INTR), bench.read(at(0, TRIG)) & BUSY), (1, 0));
    // Switched off, it hears nothing; in the middle it pauses.
    bench.write(at(0, AL1_CTRL), copying(0) & !EN);
    bench.write(at(0, AL1_COUNT_TRIG), 100);
    assert_eq!(bench.read(at(0, TRIG)) & BUSY, 0);
    bench.write(at(0, AL3_READ_TRIG), FROM);
    start(&mut bench, 0, [FROM, TO, 20, copying(0)]);
    bench.pass(5);
    // The further address that clears bits.
    bench.write(at(0, AL1_CTRL) + 0x3000, EN);
    bench.pass(50);
    let left = bench.read(at(0, COUNT));
    assert!((10..20).contains(&left) && bench.read(at(0, TRIG)) & BUSY != 0);
    bench.write(at(0, AL1_CTRL) + 0x1000, EN);
    bench.pass(50);
    assert_eq!((bench.read(at(0, COUNT)), bench.read(at(0, TRIG)) & BUSY), (0, 0));
}

#[test]
fn a_chain_of_control_blocks() {
    let mut bench = ready();
    // Channel 0 copies READ_ADDR and TRANS_COUNT of the next block to channel 1, whose end chains back. A null ends it.
    let blocks = [(3, FROM), (1, FROM + 0x20), (0, 0)];
    for (place, (count, read)) in (0..).zip(blocks) {
        poke(&mut bench, 0x2002_0000 + 8 * place, count);
        poke(&mut bench, 0x2002_0004 + 8 * place, read);
    }
    bench.write(at(1, AL1_CTRL), copying(0) | QUIET);
    bench.write(at(1, WRITE), TO);
    let ring = copying(0) | QUIET | 3 << 6 | RING_WRITE;
    start(&mut bench, 0, [0x2002_0000, at(1, 0x38), 2, ring]);
    until_interrupt(&mut bench);
    assert_eq!(bench.read(INTR), 2);
    let copied: Vec<u32> = (0..5).map(|place| peek(&bench, TO + 4 * place)).collect();
    let expected = [FROM, FROM + 4, FROM + 8, FROM + 0x20].map(|address| peek(&bench, address));
    assert_eq!(copied[..4], expected);
    assert_eq!(copied[4], 0);
}

#[test]
fn timers_pace_a_channel() {
    let mut bench = ready();
    bench.write(TIMER0 + 8, 2 << 16 | 25);
    let begun = bench.now;
    // Timer 2 asks in cycles 13, 25, 38, 50, … behind its write.
    start(&mut bench, 0, [FROM, TO, 4, copying(0) & !PERMANENT | 0x3D << 15]);
    assert_eq!(until_interrupt(&mut bench) + begun, begun + 50 + 1 + 4);
    bench.write(INTR, 1);
    // A timer that would ask more often than once a cycle does so once a cycle.
    bench.write(TIMER0, 5 << 16 | 1);
    start(&mut bench, 0, [FROM, TO, 10, copying(0) & !PERMANENT | 0x3B << 15]);
    assert_eq!(until_interrupt(&mut bench), 1 + 1 + 4 + 9);
}

#[test]
fn a_wrap_of_a_slice_paces_a_channel() {
    const PWM: u32 = 0x4005_0000;
    let mut bench = ready();
    // Slice 3 wraps every 100 cycles.
    bench.write(PWM + 0x14 * 3 + 0x10, 99);
    start(&mut bench, 0, [FROM, TO, 4, copying(0) & !PERMANENT | 27 << 15]);
    bench.write(PWM + 0x14 * 3, 1);
    let took = until_interrupt(&mut bench);
    assert!((400..415).contains(&took), "four wraps, and the last transfer: {took}");
    assert_eq!(peek(&bench, TO + 12), peek(&bench, FROM + 12));
}

#[test]
fn a_fifo_is_filled_at_full_speed_and_never_overrun() {
    let mut bench = ready();
    start(&mut bench, 0, [FROM, TXF0, 10, copying(0) & !(PERMANENT | WRITES_ON)]);
    assert_eq!(bench.read(CTDREQ), 4 - 1, "room for four, of which one is on its way");
    let level = |bench: &mut Bench| bench.read(0x5020_000C) & 15;
    bench.pass(7);
    assert_eq!((level(&mut bench), bench.read(CTDREQ)), (4, 0));
    bench.pass(100);
    assert_eq!((level(&mut bench), bench.read(at(0, COUNT))), (4, 6));
    // out null, 32 by force takes a word: with autopull the refill makes room, which is counted, issued and written.
    load(&mut bench, 0, &[0x80A0]);
    bench.write(CTRL, 1);
    bench.pass(40);
    assert_eq!((bench.read(at(0, COUNT)), level(&mut bench)), (0, 0));
    assert_eq!(bench.read(0x5020_0008) >> 16 & 15, 0, "nothing was lost");
}

#[test]
fn two_transfers_from_fifo_to_fifo_take_nine_cycles() {
    let mut bench = ready();
    // in x, 32 with autopush; out y, 32 with autopull: 11 cycles from one to the other were measured.
    load(&mut bench, 0, &[0x4020, 0x6040, 0x0002]);
    bench.write(sm(0, SHIFTCTRL), 3 << 18 | 3 << 16);
    // Channel 1 gets its READ_ADDR from channel 0.
    bench.write(at(1, AL1_CTRL), EN | WORD | 1 << 11 | PERMANENT);
    bench.write(at(1, WRITE), TXF0);
    bench.write(at(1, COUNT), 1);
    start(&mut bench, 0, [RXF0, at(1, AL3_READ_TRIG), 1, EN | WORD | 4 << 15]);
    bench.write(0x5020_00D8, 0xA029);
    bench.pass(10);
    // x is all ones and no address that answers; the machine's is set by a forced MOV of what FIFO brings.
    poke(&mut bench, 0x2003_FFFC, 0x1234_5678);
    bench.write(TXF0, 0x2003_FFFC);
    bench.write(0x5020_00D8, 0x6020);
    bench.pass(1);
    bench.write(0x5020_00D8, 0x6020);
    bench.pass(3);
    bench.write(CTRL, 1);
    let begun = bench.now;
    let addr = |bench: &mut Bench| bench.read(0x5020_00D4);
    let mut at_two = None;
    for _ in 0..40 {
        bench.pass(1);
        if at_two.is_none() && addr(&mut bench) == 2 {
            at_two = Some(bench.now - begun);
        }
    }
    // IN ends in the first cycle, OUT 11 cycles later.
    assert_eq!(at_two, Some(1 + 11));
}

#[test]
fn channels_take_turns_and_those_of_high_priority_come_first() {
    let order = |high: u32| {
        let mut bench = ready();
        for channel in 0..3 {
            bench.write(at(channel, READ), FROM);
            bench.write(at(channel, WRITE), TO + 0x1000 * channel);
            bench.write(at(channel, COUNT), 4);
            let priority = if high >> channel & 1 != 0 { HIGH } else { 0 };
            bench.write(at(channel, AL1_CTRL), copying(channel) | priority);
        }
        bench.write(MULTI, 7);
        let mut order = Vec::new();
        let mut before = [4; 3];
        for _ in 0..40 {
            bench.pass(1);
            for channel in 0..3u32 {
                let left = bench.read(at(channel, COUNT));
                if std::mem::replace(&mut before[channel as usize], left) != left {
                    order.push(channel);
                }
            }
        }
        order
    };
    assert_eq!(order(0), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
    assert_eq!(order(0b110), [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0], "one of low priority a round");
    assert_eq!(order(0b100), [2, 0, 2, 1, 2, 0, 2, 1, 0, 1, 0, 1]);
}

#[test]
fn registers_behind_the_bridge_take_their_time() {
    let mut bench = ready();
    // Scratch registers of the watchdog: the data phase of a write takes 4 cycles, that of a read 3.
    start(&mut bench, 0, [FROM, 0x4005_800C, 4, copying(0)]);
    assert_eq!(until_interrupt(&mut bench), 4 + 3 + 3 * 4);
    assert_eq!(bench.read(0x4005_8018), peek(&bench, FROM + 12));
    bench.write(INTR, 1);
    start(&mut bench, 0, [0x4005_800C, TO, 4, copying(0)]);
    assert_eq!(until_interrupt(&mut bench), 4 + 2 + 3 * 3);
    assert_eq!(peek(&bench, TO + 8), peek(&bench, FROM + 8));
    // Bits of a register are set through its further address.
    poke(&mut bench, FROM, 0xF0);
    start(&mut bench, 0, [FROM, 0x4005_800C + 0x2000, 1, copying(0)]);
    let before = bench.read(0x4005_800C);
    bench.pass(20);
    assert_eq!(bench.read(0x4005_800C), before | 0xF0);
}

#[test]
fn a_bus_error_halts_the_channel() {
    let mut bench = ready();
    // The single-cycle port is the core's alone.
    start(&mut bench, 0, [0xD000_0000, TO, 8, copying(0) | QUIET]);
    assert_eq!(until_interrupt(&mut bench), 2);
    bench.pass(20);
    assert_eq!(bench.read(at(0, TRIG)) >> 24, 0xC0);
    bench.write(at(0, AL1_CTRL), 1 << 30 | copying(0));
    assert_eq!(bench.read(at(0, TRIG)) >> 24, 0);
    bench.write(INTR, 1);
    start(&mut bench, 0, [FROM, 0xD000_0010, 8, copying(0)]);
    assert_eq!(until_interrupt(&mut bench), 4 + 1, "the next word had been read");
    assert_eq!(bench.read(at(0, TRIG)) >> 24, 0xA0);
}

#[test]
fn an_aborted_sequence_ends_with_what_is_in_flight() {
    let mut bench = ready();
    start(&mut bench, 3, [FROM, TO, 1000, copying(4)]);
    bench.pass(20);
    bench.write(ABORT, 1 << 3);
    assert_eq!(bench.read(ABORT), 1 << 3);
    bench.pass(6);
    assert_eq!((bench.read(ABORT), bench.read(at(3, TRIG)) & BUSY), (0, 0));
    let left = bench.read(at(3, COUNT));
    bench.pass(50);
    assert_eq!((bench.read(at(3, COUNT)), bench.read(at(4, TRIG)) & BUSY), (left, 0));
    assert!((975..985).contains(&left));
    // One that waits for a request ends at once and raises nothing.
    bench.write(INTR, 0xFFF);
    start(&mut bench, 5, [RXF0, TO, 5, copying(5) & !PERMANENT | 4 << 15]);
    bench.pass(20);
    bench.write(ABORT, 1 << 5);
    assert_eq!((bench.read(ABORT), bench.read(at(5, TRIG)) & BUSY, bench.read(INTR)), (0, 0, 0));
}

#[test]
fn the_sniffer_sums_up_what_its_channel_reads() {
    let mut bench = ready();
    for (place, word) in (0..).zip([*b"1234", *b"5678", *b"9\0\0\0"]) {
        poke(&mut bench, FROM + 4 * place, u32::from_le_bytes(word));
    }
    // CRC-32 of bits in reverse order, inverted and reversed when read.
    bench.write(SNIFF_CTRL, 1 | 6 << 1 | 1 << 5 | 1 << 10 | 1 << 11);
    bench.write(SNIFF_DATA, u32::MAX);
    start(&mut bench, 7, [FROM, TO, 9, copying(7) & !WORD | SNIFF]);
    start(&mut bench, 6, [FROM, TO, 9, copying(6) & !WORD | SNIFF]);
    bench.pass(60);
    assert_eq!(bench.read(SNIFF_DATA), 0xCBF4_3926);
}

#[test]
fn interrupts_of_both_lines_are_enabled_and_forced_apart() {
    let mut bench = ready();
    bench.write(INTE0, 0);
    bench.write(INTE1, 2);
    start(&mut bench, 1, [FROM, TO, 1, copying(1)]);
    bench.pass(10);
    let high = |bench: &Bench| [11, 12].map(|line| bench.bus.shared.interrupts.is_high(line));
    assert_eq!((high(&bench), bench.read(INTS1)), ([false, true], 2));
    bench.write(INTS1, 2);
    bench.write(INTF0, 0x800);
    assert_eq!((high(&bench), bench.read(INTS0), bench.read(INTR)), ([true, false], 0x800, 0));
}

/// A random write to the DMA, mostly of addresses that are memory and of counts that are short.
fn random_write(random: &mut Random, bench: &mut Bench) {
    let channel = random.of(12) as u32;
    let places = [0x2000_0000, 0x2004_0000, 0x5010_0000, DMA, 0x5020_0000, 0x1000_0000, 0x4005_8000, 0xD000_0000];
    let place = places[random.of(8) as usize] + random.of(0x400) as u32;
    let (offset, value) = match random.of(8) {
        0 => (at(channel, READ), place),
        1 => (at(channel, WRITE), if random.of(4) == 0 { place } else { 0x2000_0000 + random.of(0x4_2000) as u32 }),
        2 => (at(channel, AL1_COUNT_TRIG), random.of(50) as u32),
        3 => (at(channel, TRIG), random.next() as u32 & 0x00FF_FFFF | EN),
        4 => (at(channel, TRIG), copying(random.of(12) as u32) | random.of(4) as u32),
        5 => (at(channel, 4 * random.of(16) as u32), random.next() as u32),
        _ => (DMA + 0x400 + 4 * random.of(0x13) as u32, random.next() as u32),
    };
    bench.write(offset + [0, 0, 0, 0x1000, 0x2000, 0x3000][random.of(6) as usize], value);
}

#[test]
fn hostile_writes_neither_panic_nor_hang_and_cuts_change_nothing() {
    for seed in 1..=4u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bench = ready();
        for _ in 0..300 {
            random_write(&mut random, &mut bench);
            let span = [1, 3, 40, 300][random.of(4) as usize];
            let mut stepped = bench.clone();
            bench.pass(span);
            for step in 0..span {
                stepped.pass(1);
                for register in [READ, COUNT, 0x400, 0x440, 0x800] {
                    let _ = stepped.read(DMA + register);
                }
                if step == span / 2 {
                    stepped = stepped.clone();
                }
            }
            for offset in (0..0x300).chain(0x400..0x44C).chain(0x800..0xAC8).step_by(4) {
                assert_eq!(bench.read(DMA + offset), stepped.read(DMA + offset), "{seed} {offset:#x}");
            }
            assert_eq!(bench.bus.memory.ram.bytes(), stepped.bus.memory.ram.bytes());
        }
        let taken = bench.bus.shared.events.taken();
        bench.pass(10_000);
        assert!(bench.bus.shared.events.taken() - taken < 40_000, "a few events a cycle at most");
    }
}

#[test]
fn no_register_of_it_is_a_gap() {
    let mut bench = ready();
    for offset in (0..0x300).chain(0x400..0x43C).chain(0x440..0x44C).step_by(4) {
        bench.read(DMA + offset);
        bench.write(DMA + offset, 0);
    }
    assert_eq!(bench.gaps(GapKind::RegisterRead), Vec::<&str>::new());
    assert_eq!(bench.gaps(GapKind::RegisterWrite), Vec::<&str>::new());
}
