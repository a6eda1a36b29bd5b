//! The controller.

use super::*;

#[test]
fn bytes_go_both_ways_in_all_modes() {
    for part in PARTS {
        for mode in 0..4 {
            let falling = mode == 1 || mode == 2;
            let mut board = Board::with(part, falling, &[0xC3, 0x5A, 0x01]);
            board.bench.write(CR1, CONTROLLER | mode);
            board.bench.write(CR1, CONTROLLER | mode | SPE);
            for (sent, received) in [(0x9F, 0xC3), (0x00, 0x5A), (0xA1, 0x01)] {
                assert_eq!(board.status(TXE | RXNE | BSY), TXE, "{part}, mode {mode}");
                board.send(sent);
                board.pass(board.bits(8) - 1);
                assert_eq!(board.status(TXE | RXNE | BSY), TXE | BSY, "{part}, mode {mode}");
                board.pass(1);
                assert_eq!(board.status(TXE | RXNE | BSY), TXE | RXNE, "{part}, mode {mode}");
                assert_eq!(board.receive(), received, "{part}, mode {mode}");
            }
            assert_eq!(board.heard(), [0x9F, 0x00, 0xA1], "{part}, mode {mode}");
            assert!(board.bench.gaps(GapKind::Setting).is_empty(), "{:?}", board.bench.gaps(GapKind::Setting));
        }
    }
}

#[test]
fn the_target_shows_its_bits_on_miso_and_lets_go_of_it_with_its_select() {
    for (part, mode) in PARTS.into_iter().flat_map(|part| (0..4).map(move |mode| (part, mode))) {
        let mut board = Board::with(part, mode == 1 || mode == 2, &[0xC1, 0x5E]);
        board.bench.write(CR1, CONTROLLER | mode);
        board.bench.write(CR1, CONTROLLER | mode | SPE);
        let before = board.edges();
        assert!(before.iter().any(|(_, pin, high)| *pin == MISO && *high), "{part}: from the select on");
        board.send(0);
        board.send(0);
        board.pass(board.bits(20));
        let mut edges = board.edges();
        edges.insert(0, (0, MISO, true));
        let bits = decode(&edges, mode & 2 != 0, mode & 1 != 0, MISO);
        assert_eq!(bits.len(), 16, "{part}, mode {mode}");
        assert_eq!([byte(&bits[..8]), byte(&bits[8..])], [0xC1, 0x5E], "{part}, mode {mode}");
        let mut board = Board::with(part, false, &[0xFF]);
        board.edges();
        board.bench.write(board.bsrr, 1 << CS);
        let edges: Vec<_> = board.edges().into_iter().map(|(_, pin, high)| (pin, high)).collect();
        assert_eq!(edges, [(CS, true), (MISO, false)], "{part}: a floating line reads low");
    }
}

#[test]
fn a_target_may_answer_inside_a_byte() {
    for part in PARTS {
        let mut board = Board::new(part);
        board.attach(Target { mirrors: true, ..Target::default() }, [SCK, MOSI, MISO, CS]);
        board.bench.write(board.bsrr, 1 << (CS + 16));
        board.bench.write(CR1, CONTROLLER | SPE);
        board.send(0xA0);
        board.pass(board.bits(8));
        assert_eq!(board.receive() & 0x0F, 0x0A, "{part}");
    }
}

#[test]
fn a_target_of_the_other_modes_is_complained_of() {
    let mut board = Board::with("f103", true, &[]);
    board.bench.write(CR1, CONTROLLER | SPE);
    board.send(1);
    board.pass(100);
    assert_eq!(board.bench.gaps(GapKind::Setting).len(), 1);
}

#[test]
fn frames_that_nobody_hears_are_named_once() {
    let alone = "SPI1: nothing is attached to its pins, so that it receives what an open line has";
    for part in PARTS {
        let mut board = Board::new(part);
        board.bench.write(CR1, CONTROLLER | SPE);
        assert!(board.bench.gaps(GapKind::Setting).is_empty(), "{part}");
        for byte in 0..3 {
            board.send(byte);
            board.pass(board.bits(9));
        }
        assert_eq!(board.bench.gaps(GapKind::Setting), [alone], "{part}");
        assert!(
            board.bench.bus.shared.gaps.all().iter().all(|gap| gap.count == 1),
            "{part}: a display takes thousands"
        );
        // Its own output is an answer.
        let mut board = Board::new(part);
        board.hang(&["loopback@a=PA7,b=PA6"]);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.send(0x5A);
        board.pass(board.bits(9));
        assert_eq!((board.receive(), board.bench.gaps(GapKind::Setting)), (0x5A, vec![]), "{part}");
    }
}

#[test]
fn an_unselected_target_hears_nothing_and_the_line_has_its_resistors_level() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[0xFF]);
        board.bench.write(board.bsrr, 1 << CS);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.send(0x77);
        board.pass(board.bits(8));
        assert_eq!((board.receive(), board.heard()), (0, vec![]), "{part}");
        board.pull_up();
        board.send(0x77);
        board.pass(board.bits(8));
        assert_eq!((board.receive(), board.heard()), (0xFF, vec![]), "{part}");
    }
}

#[test]
fn the_edges_of_two_frames_are_those_of_the_bytes_at_each_prescaler() {
    for part in PARTS {
        for (mode, prescaler) in (0..4).flat_map(|mode| (0..8).map(move |prescaler| (mode, prescaler))) {
            let (idle, late) = (mode & 2 != 0, mode & 1 != 0);
            let mut board = Board::new(part);
            board.bench.write(CR1, CONTROLLER & !(7 << 3) | prescaler << 3 | mode);
            board.bench.write(CR1, CONTROLLER & !(7 << 3) | prescaler << 3 | mode | SPE);
            board.edges();
            let begin = board.bench.now;
            board.send(0xB2);
            board.send(0x4D);
            let half = board.pclk << prescaler;
            board.pass(40 * half);
            let edges = board.edges();
            let bits = decode(&edges, idle, late, MOSI);
            assert_eq!(bits.len(), 16, "{part}, mode {mode}: {edges:?}");
            assert_eq!([byte(&bits[..8]), byte(&bits[8..])], [0xB2, 0x4D], "{part}, mode {mode}");
            for (index, (at, _)) in bits.iter().enumerate() {
                // The first edge of SCK is that of the middle without CPHA, and the second one with it.
                assert_eq!(*at, begin + (2 * index as u64 + 1) * half, "{part}, mode {mode}, bit {index}");
            }
            let clocks: Vec<u64> = edges.iter().filter(|(_, pin, _)| *pin == SCK).map(|(at, ..)| *at).collect();
            assert_eq!(clocks.len(), 32, "{part}, mode {mode}");
            assert_eq!(clocks[31] - clocks[0], 31 * half, "no gap between the frames");
        }
    }
}

#[test]
fn frames_follow_each_other_while_the_buffer_is_full_and_interrupts_tell_when() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[1, 2, 3]);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.bench.write(CR2, board.cr2 | 1 << 6);
        let begin = board.bench.now;
        board.send(0x10);
        board.send(0x20);
        if part != "c031" {
            assert_eq!(board.status(TXE), 0, "one frame waits");
        }
        let line = board.line;
        for frame in 1..=2 {
            assert_eq!(board.bench.until_line(line, 10_000), Some(begin + board.bits(8 * frame)), "{part}");
            assert_eq!(board.status(BSY) != 0, frame == 1, "{part}");
            assert_eq!(board.receive(), frame as u8, "{part}");
            assert!(!board.bench.bus.shared.interrupts.is_high(line), "a read of DR clears RXNE");
        }
        board.bench.write(CR2, board.cr2 | 1 << 7);
        assert!(board.bench.bus.shared.interrupts.is_high(line), "{part}: TXE");
    }
}

#[test]
fn what_nobody_reads_is_kept_and_what_comes_after_it_is_lost() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[1, 2, 3, 4, 5, 6]);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.bench.write(CR2, board.cr2 | 1 << 5);
        let room = if part == "c031" { 4 } else { 1 };
        for frame in 1..=room {
            board.send(frame);
            board.pass(board.bits(8));
            assert_eq!(board.status(OVR | RXNE), RXNE, "{part}");
        }
        board.send(9);
        let line = board.line;
        assert_eq!(board.bench.until_line(line, 10_000), Some(board.bench.now), "{part}");
        assert_eq!(board.status(OVR | RXNE), OVR | RXNE, "{part}");
        assert_eq!(board.status(OVR), OVR, "{part}: a read of SR alone changes nothing");
        assert_eq!(board.receive(), 1, "{part}");
        assert_eq!(board.status(OVR), OVR, "{part}: the read that clears it still shows it");
        assert_eq!(board.status(OVR), 0, "{part}");
        assert!(!board.bench.bus.shared.interrupts.is_high(line), "{part}");
    }
}

#[test]
fn the_lowest_bit_goes_first_and_frames_have_sixteen_bits_where_asked() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[0x80, 0x01, 0xAB, 0xCD]);
        board.bench.write(CR1, CONTROLLER | LSBFIRST | SPE);
        board.send(0x01);
        board.pass(board.bits(8));
        assert_eq!((board.receive(), board.heard()), (0x01, vec![0x80]), "{part}");
        board.bench.write(CR1, CONTROLLER);
        let (wide, cr2) = if part == "c031" { (0, 0x0F00) } else { (1 << 11, 0) };
        board.bench.write(CR2, cr2);
        board.bench.write(CR1, CONTROLLER | wide | SPE);
        board.bench.try_write(DR, Width::Half, 0x1234).unwrap();
        board.pass(board.bits(16) - 1);
        assert_eq!(board.status(RXNE), 0, "{part}");
        board.pass(1);
        assert_eq!(board.status(RXNE), RXNE, "{part}");
        assert_eq!(board.bench.try_read(DR, Width::Half), Ok(0x01AB), "{part}");
        assert_eq!(board.heard()[1..], [0x12, 0x34], "{part}");
    }
}

#[test]
fn dma_moves_a_message_both_ways_without_a_gap() {
    const COUNT: u32 = 8;
    for part in PARTS {
        let answer: Vec<u8> = (0x41..0x41 + COUNT as u8).collect();
        let mut board = Board::with(part, false, &answer);
        let bench = &mut board.bench;
        bench.write(RAM, 0x0403_0201);
        bench.write(RAM + 4, 0x0807_0605);
        let (out, back) = (RAM, RAM + 0x100);
        match part {
            "f446" => {
                const DMA2: u32 = 0x4002_6400;
                for (stream, memory, direction) in [(2, back, 0), (3, out, 1 << 6)] {
                    let base = DMA2 + 0x10 + 0x18 * stream;
                    bench.write(base + 4, COUNT);
                    bench.write(base + 8, DR);
                    bench.write(base + 12, memory);
                    bench.write(base, 3 << 25 | 1 << 10 | direction | 1);
                }
            }
            _ => {
                if part == "c031" {
                    bench.write(0x4002_0804, 16);
                    bench.write(0x4002_0808, 17);
                }
                for (channel, memory, direction) in [(2, back, 0), (3, out, 1 << 4)] {
                    let base = 0x4002_0008 + 0x14 * (channel - 1);
                    bench.write(base + 4, COUNT);
                    bench.write(base + 8, DR);
                    bench.write(base + 12, memory);
                    bench.write(base, 1 << 7 | direction | 1);
                }
            }
        }
        board.bench.write(CR2, board.cr2 | 1);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.edges();
        board.bench.write(CR2, board.cr2 | 3);
        board.pass(board.bits(8 * u64::from(COUNT)) + 100);
        assert_eq!(board.heard(), [1, 2, 3, 4, 5, 6, 7, 8], "{part}");
        assert_eq!(board.bench.read(back), 0x4443_4241, "{part}");
        assert_eq!(board.bench.read(back + 4), 0x4847_4645, "{part}");
        assert_eq!(board.status(OVR | BSY), 0, "{part}");
        let edges = board.edges();
        let clocks: Vec<u64> = edges.iter().filter(|(_, pin, _)| *pin == SCK).map(|(at, ..)| *at).collect();
        assert_eq!(clocks.len(), 128, "{part}");
        assert_eq!(clocks[127] - clocks[0], board.bits(64) - 4 * board.pclk, "{part}: no gap");
    }
}

#[test]
fn clocks_run_on_their_own_where_the_controller_only_receives() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[7, 8, 9, 10]);
        board.edges();
        let begin = board.bench.now;
        board.bench.write(CR1, CONTROLLER | RXONLY | SPE);
        for frame in 1..=2u64 {
            board.pass(begin + board.bits(8 * frame) - board.bench.now);
            assert_eq!(board.receive(), 6 + frame as u8, "{part}");
        }
        board.pass(board.bits(2));
        board.bench.write(CR1, CONTROLLER | RXONLY);
        board.pass(board.bits(20));
        assert_eq!(board.receive(), 9, "{part}: the frame under way comes to its end");
        let edges = board.edges();
        assert_eq!(edges.iter().filter(|(_, pin, _)| *pin == SCK).count(), 48, "{part}: three frames");
        assert_eq!(edges.iter().filter(|(_, pin, _)| *pin == MOSI).count(), 0, "{part}");
        assert_eq!(board.status(BSY), 0, "{part}");
    }
}

#[test]
fn one_line_carries_both_directions_in_turn() {
    for part in PARTS {
        let mut board = Board::new(part);
        // The target's data comes over the line that it listens to.
        board.attach(Target { sends: [0, 0x3C, 0x3D].into(), ..Target::default() }, [SCK, MOSI, MOSI, CS]);
        board.bench.write(board.bsrr, 1 << (CS + 16));
        board.bench.write(CR1, CONTROLLER | BIDIMODE | BIDIOE | SPE);
        board.send(0x8F);
        board.pass(board.bits(8));
        assert_eq!(board.status(RXNE | BSY), 0, "{part}: nothing is received");
        assert_eq!(board.heard(), [0x8F], "{part}");
        board.bench.write(CR1, CONTROLLER | BIDIMODE | BIDIOE);
        board.bench.write(CR1, CONTROLLER | BIDIMODE | SPE);
        board.pass(board.bits(4));
        assert_eq!(board.status(BSY) != 0, part == "c031", "{part}");
        board.pass(board.bits(4));
        assert_eq!(board.receive(), 0x3C, "{part}");
        board.bench.write(CR1, CONTROLLER | BIDIMODE);
        board.pass(board.bits(20));
        assert_eq!(board.receive(), 0x3D, "{part}");
    }
}

#[test]
fn a_crc_follows_the_last_byte_and_a_wrong_one_is_noticed() {
    assert_eq!(crc8(b"123456789"), 0xF4, "the check value of CRC-8");
    for (part, right) in PARTS.into_iter().flat_map(|part| [(part, true), (part, false)]) {
        let answers = [0x55, 0xAA];
        let last = crc8(&answers) ^ u8::from(!right);
        let mut board = Board::with(part, false, &[0x55, 0xAA, last, 0x11]);
        assert_eq!(board.bench.read(CRCPR), 7);
        board.bench.write(CR1, CONTROLLER | CRCEN | SPE);
        board.send(0x31);
        board.send(0x32);
        board.bench.write(CR1, CONTROLLER | CRCEN | CRCNEXT | SPE);
        for received in [0x55, 0xAA, last] {
            board.pass(board.bits(8));
            assert_eq!(board.receive(), received, "{part}");
        }
        assert_eq!(board.heard(), [0x31, 0x32, crc8(&[0x31, 0x32])], "{part}");
        assert_eq!(board.bench.read(TXCRCR), u32::from(crc8(&[0x31, 0x32])), "{part}");
        assert_eq!(board.bench.read(RXCRCR), u32::from(crc8(&answers)), "{part}");
        assert_eq!(board.status(CRCERR | BSY), if right { 0 } else { CRCERR }, "{part}");
        board.bench.write(SR, 0);
        assert_eq!(board.status(CRCERR), 0, "{part}");
    }
}

#[test]
fn the_pin_nss_is_low_while_the_controller_is_on() {
    for part in PARTS {
        let mut board = Board::new(part);
        if part == "f103" {
            board.bench.write(0x4001_0800, 0xB4BB_3444);
        }
        // A resistor of the board pulls it up.
        board.bench.set_pin(1, 0, 4, Some(true));
        board.pass(10);
        board.edges();
        board.bench.write(CR2, board.cr2 | 1 << 2);
        board.bench.write(CR1, MSTR | 3 << 3 | 2);
        board.pass(10);
        let before = board.edges();
        assert!(before.iter().all(|(_, pin, _)| *pin != 4), "{part}: {before:?}");
        // CPOL: the clock is idle high from the moment on at which it is driven.
        board.bench.write(CR1, MSTR | 3 << 3 | 2 | SPE);
        board.pass(10);
        let edges: Vec<_> = board.edges().into_iter().map(|(_, pin, high)| (pin, high)).collect();
        assert_eq!(edges, [(SCK, true), (4, false)], "{part}");
        assert_eq!(board.status(MODF), 0, "{part}");
        board.bench.write(CR1, MSTR | 3 << 3 | 2);
        let edges: Vec<_> = board.edges().into_iter().map(|(_, pin, high)| (pin, high)).collect();
        assert_eq!(edges, [(SCK, false), (4, true)], "{part}: it lets the lines go");
    }
}

#[test]
fn another_controller_at_nss_ends_this_ones_time() {
    for part in PARTS {
        let mut board = Board::new(part);
        board.bench.write(CR2, board.cr2 | 1 << 5);
        board.bench.set_pin(1, 0, 4, Some(true));
        board.pass(10);
        board.bench.write(CR1, MSTR | 2 << 3 | SPE);
        board.send(0x55);
        board.bench.set_pin(5, 0, 4, Some(false));
        let began = board.bench.now;
        let line = board.line;
        assert_eq!(board.bench.until_line(line, 1000), Some(began + 5), "{part}");
        assert_eq!(board.bench.read(CR1) & (SPE | MSTR), 0, "{part}");
        board.bench.write(CR1, CONTROLLER | SPE);
        assert_eq!(board.bench.read(CR1) & (SPE | MSTR), 0, "{part}: SR was not read");
        assert_eq!(board.status(MODF | BSY), MODF, "{part}");
        board.bench.write(CR1, CONTROLLER | SPE);
        assert_eq!(board.status(MODF), 0, "{part}");
        assert_eq!(board.bench.read(CR1) & (SPE | MSTR), SPE | MSTR, "{part}");
        board.bench.write(CR1, CONTROLLER & !SSI | SPE);
        assert_eq!(board.status(MODF), MODF, "{part}: in software");
    }
}
