//! Frames and pulses of later versions, changes of the clock, and observers.

use super::*;

#[test]
fn frames_have_four_to_sixteen_bits_on_c031_and_a_half_word_is_two_small_ones() {
    for bits in 4..=16u32 {
        let mut board = Board::new("c031");
        board.bench.write(CR2, (bits - 1) << 8 | 1 << 12);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.edges();
        let begin = board.bench.now;
        let (data, frames) = if bits > 8 { (0x5A5A, 1) } else { (0x0A05, 2) };
        board.bench.try_write(DR, Width::Half, data).unwrap();
        board.pass(1000);
        let edges = board.edges();
        let got = decode(&edges, false, false, MOSI);
        assert_eq!(got.len() as u32, bits * frames, "{bits} bits");
        let value = got.iter().fold(0u32, |value, (_, bit)| value << 1 | u32::from(*bit));
        let expected = if bits > 8 { 0x5A5A & ((1 << bits) - 1) } else { 0x05 << bits | 0x0A };
        assert_eq!(value, expected, "{bits} bits");
        let last = edges.iter().rfind(|(_, pin, _)| *pin == SCK).unwrap().0;
        assert_eq!(last - begin, board.bits(u64::from(bits * frames)), "{bits} bits");
        // FRLVL: two bytes are half of the FIFO.
        assert_eq!(board.bench.read(SR) >> 9 & 3, 2, "{bits} bits");
    }
}

#[test]
fn the_fifos_of_c031_show_their_levels_and_rxne_its_threshold() {
    let mut board = Board::with("c031", false, &[1, 2, 3, 4]);
    board.bench.write(CR2, 0x0700);
    board.bench.write(CR1, CONTROLLER);
    let mut levels = vec![board.bench.read(SR) >> 11 & 3];
    for byte in 0..5 {
        board.send(byte);
        levels.push(board.bench.read(SR) >> 11 & 3);
    }
    assert_eq!(levels, [0, 1, 2, 3, 3, 3], "the fifth is lost");
    assert_eq!(board.status(TXE), 0);
    board.bench.write(CR1, CONTROLLER | SPE);
    let mut seen = Vec::new();
    for _ in 0..4 {
        board.pass(board.bits(8));
        seen.push((board.bench.read(SR) >> 9 & 3, board.status(RXNE)));
    }
    assert_eq!(seen, [(1, 0), (2, RXNE), (2, RXNE), (3, RXNE)], "RXNE from two bytes on");
    assert_eq!(board.bench.try_read(DR, Width::Half), Ok(0x0201));
    assert_eq!(board.receive(), 3);
    assert_eq!(board.status(RXNE), 0);
    board.bench.write(CR2, 0x1700);
    assert_eq!(board.status(RXNE), RXNE, "FRXTH: from one byte on");
    assert_eq!(board.heard(), [0, 1, 2, 3]);
}

#[test]
fn nss_pulses_between_frames_where_c031_is_asked_to() {
    let mut board = Board::new("c031");
    board.bench.write(CR2, 0x1700 | 1 << 2 | 1 << 3);
    board.bench.write(CR1, MSTR | 2 << 3 | SPE);
    board.pass(10);
    board.edges();
    let begin = board.bench.now;
    board.send(0);
    board.send(0);
    board.pass(1000);
    let pulses: Vec<_> = { board.edges().into_iter() }.filter(|(_, pin, _)| *pin == 4).collect();
    let at = |bits| begin + board.bits(bits);
    assert_eq!(pulses, [(at(0), 4, false), (at(8), 4, true), (at(9), 4, false), (at(17), 4, true)]);
}

#[test]
fn a_clock_change_inside_a_frame_stretches_the_rest() {
    let mut board = Board::with("c031", false, &[]);
    board.bench.write(CR2, 0x1700 | 1 << 6);
    board.bench.write(CR1, CONTROLLER | SPE);
    let begin = board.bench.now;
    board.send(1);
    board.pass(24);
    board.bench.write(crate::bench::RCC_CFGR, 4 << 12);
    let line = board.line;
    assert_eq!(board.bench.until_line(line, 10_000), Some(begin + 24 + (64 - 24) * 2), "PCLK is half of HCLK");
}

#[test]
fn an_odd_number_of_frames_leaves_half_of_the_dmas_last_access_on_c031() {
    for count in [1, 2, 5, 7, 8] {
        let mut board = Board::with("c031", false, &[0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48]);
        let bench = &mut board.bench;
        bench.write(RAM, 0x0403_0201);
        bench.write(RAM + 4, 0x0807_0605);
        bench.write(0x4002_0804, 16);
        bench.write(0x4002_0808, 17);
        for (channel, memory, direction) in [(2, RAM + 0x100, 0), (3, RAM, 1 << 4)] {
            let base = 0x4002_0008 + 0x14 * (channel - 1);
            bench.write(base + 4, u32::div_ceil(count, 2));
            bench.write(base + 8, DR);
            bench.write(base + 12, memory);
            bench.write(base, 1 << 10 | 1 << 8 | 1 << 7 | direction | 1);
        }
        let cr2 = 0x0700 | if count % 2 == 1 { 3 << 13 } else { 0 };
        board.bench.write(CR2, cr2 | 1);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.bench.write(CR2, cr2 | 3);
        board.pass(1_000);
        let sent: Vec<u8> = (1..=count as u8).collect();
        assert_eq!(board.heard(), sent, "{count}");
        let back: Vec<u8> =
            (0..8).map(|at| board.bench.try_read(RAM + 0x100 + at, Width::Byte).unwrap() as u8).collect();
        let expected: Vec<u8> = (0..8).map(|at| if at < count as u8 { 0x41 + at } else { 0 }).collect();
        assert_eq!(back, expected, "{count}");
        assert_eq!(board.status(OVR | BSY | RXNE), 0, "{count}");
    }
}

#[test]
fn observers_see_frames_and_what_is_not_modelled_is_named() {
    let mut board = Board::with("f446", false, &[0x42]);
    board.bench.write(CR1, CONTROLLER | SPE);
    board.send(0x9F);
    board.pass(1000);
    let frames: Vec<_> = { board.bench.bus.shared.signals.drain() }
        .filter_map(|(_, signal)| match signal {
            Signal::Transfer { line, transfer } => Some((line, transfer)),
            _ => None,
        })
        .collect();
    let frame = Transfer::SpiFrame { sent: 0x9F, received: 0x42, bits: 8 };
    assert_eq!(frames, [(Line::Peripheral("SPI1"), frame)]);
    let mut board = Board::new("c031");
    board.bench.write(SPI1 + 0x1C, 1 << 12);
    assert_eq!(board.bench.gaps(GapKind::RegisterWrite), ["SPI1_I2SCFGR.ASTRTEN"]);
}
