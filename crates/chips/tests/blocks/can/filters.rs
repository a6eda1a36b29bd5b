//! The filters of bxCAN against their rules, and random writes.

use std::collections::VecDeque;

use super::*;

/// A bank: active, of one word, a list, for FIFO 1, and its words.
type Words = (bool, bool, bool, bool, [u32; 2]);

/// The FIFO and number that the rules of RM0008, "Identifier filtering", give, written field by field.
fn reference(banks: &[Words], frame: &CanFrame) -> Option<(u32, u8)> {
    let standard = if frame.extended { frame.id >> 18 } else { frame.id };
    let rest = if frame.extended { frame.id & 0x3_FFFF } else { 0 };
    let wide_word = standard << 21 | rest << 3 | u32::from(frame.extended) << 2 | u32::from(frame.remote) << 1;
    let half = standard << 5 | u32::from(frame.remote) << 4 | u32::from(frame.extended) << 3 | rest >> 15;
    let mut all = Vec::new();
    for fifo in [false, true] {
        let mut number = 0u8;
        for (place, (active, wide, list, goes, [one, two])) in banks.iter().enumerate() {
            if *goes != fifo {
                continue;
            }
            let fits: Vec<bool> = match (wide, list) {
                (true, true) => [one, two].map(|word| *word >> 1 == wide_word >> 1).to_vec(),
                (true, false) => vec![(*one ^ wide_word) & *two & !1 == 0],
                (false, true) => [one & 0xFFFF, one >> 16, two & 0xFFFF, two >> 16].map(|word| word == half).to_vec(),
                (false, false) => [one, two].map(|word| (word & 0xFFFF ^ half) & word >> 16 == 0).to_vec(),
            };
            for fit in fits {
                if *active && fit {
                    all.push(((!wide, !list), place, u32::from(fifo), number));
                }
                number += 1;
            }
        }
    }
    all.sort_by_key(|(rank, place, _, number)| (*rank, *place, *number));
    all.first().map(|(_, _, fifo, number)| (*fifo, *number))
}

#[test]
fn random_filters_let_in_what_their_rules_say() {
    let mut random = Random(99);
    let (mut passed, mut refused) = (0, 0);
    for _ in 0..60 {
        let mut board = Board::new();
        board.write(FMR, 1);
        let near = random.frame();
        let banks: Vec<Words> = (0..14)
            .map(|_| {
                let flags = [0; 4].map(|_| random.of(2) == 0);
                // Words near a frame that is sent, so that something fits.
                let word = |random: &mut Random| {
                    let standard = if near.extended { near.id >> 18 } else { near.id };
                    let exact = if near.extended { near.id << 3 | 4 } else { near.id << 21 };
                    let half = standard << 5 | if near.extended { 8 | near.id >> 15 & 7 } else { 0 };
                    match random.of(6) {
                        0 => random.next() as u32,
                        1 => exact | u32::from(near.remote) << 1,
                        2 => half | half << 16,
                        3 => half | (random.next() as u32 & 0x7FF) << 21,
                        4 => 0,
                        _ => exact | random.of(4) as u32,
                    }
                };
                (flags[0], flags[1], flags[2], flags[3], [word(&mut random), word(&mut random)])
            })
            .collect();
        let bits = |of: &dyn Fn(&Words) -> bool| {
            banks.iter().enumerate().fold(0, |bits, (place, bank)| bits | u32::from(of(bank)) << place)
        };
        board.write(FA1R, 0);
        board.write(FS1R, bits(&|bank| bank.1));
        board.write(FM1R, bits(&|bank| bank.2));
        board.write(FFA1R, bits(&|bank| bank.3));
        for (place, bank) in (0..).zip(&banks) {
            board.write(FR + 8 * place, bank.4[0]);
            board.write(FR + 8 * place + 4, bank.4[1]);
        }
        board.write(FA1R, bits(&|bank| bank.0));
        board.write(FMR, 0);
        board.join(LBKM | SILM, 0);
        for _ in 0..6 {
            let sent = if random.of(2) == 0 { near } else { random.frame() };
            board.send(0, sent);
            board.bench.pass(170 * BIT);
            let got = [0, 1].map(|fifo| board.take(fifo));
            let expected = reference(&banks, &sent);
            let seen = (0..).zip(got).find_map(|(fifo, got)| got.map(|(frame, filter, _)| (frame, (fifo, filter))));
            assert_eq!(seen.map(|(_, place)| place), expected, "{sent:?} {banks:x?}");
            assert!(seen.is_none_or(|(frame, _)| frame == sent));
            if seen.is_some() { passed += 1 } else { refused += 1 }
        }
    }
    assert!(passed > 50 && refused > 20, "{passed} {refused}");
}

#[test]
fn filters_are_set_up_by_their_rules() {
    let mut board = Board::new();
    board.write(FM1R, 1);
    assert_eq!(board.read(FM1R), 0, "not while they filter");
    board.write(FR, 5);
    board.write(FR + 8, 5);
    assert_eq!((board.read(FR), board.read(FR + 8)), (0, 5), "an active bank is locked");
    board.write(FA1R, u32::MAX);
    assert_eq!(board.read(FA1R), 0x3FFF, "fourteen banks");
    board.write(FMR, 1);
    board.write(FR, 7);
    board.write(FR + 14 * 8, 7);
    assert_eq!((board.read(FR), board.read(FR + 14 * 8)), (7, 0));
    // While they are set up nothing comes in.
    board.write(FR, 0);
    board.join(LBKM, 0);
    board.send(0, frame(1, &[]));
    board.bench.pass(100 * BIT);
    assert_eq!((board.read(RF0R), board.read(TSR) & 3), (0, 3));
}

#[test]
fn random_writes_with_nodes_on_the_bus_neither_panic_nor_hang() {
    for seed in 1..=8u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut board = Board::new();
        for (name, rate) in [("a", None), ("b", Some(250_000)), ("c", Some(1))] {
            let sends: VecDeque<CanFrame> = (0..200).map(|_| random.frame()).collect();
            if name != "c" || seed % 2 == 0 {
                board.attach(name, Node { rate, deaf: random.of(3) == 0, sends, ..Node::default() });
            }
        }
        for step in 0..1_500 {
            let offset = match random.of(4) {
                0 => 0x180 + 4 * random.of(20) as u32,
                1 => 0x200 + 4 * random.of(80) as u32,
                _ => 4 * random.of(8) as u32,
            };
            let value = [random.next() as u32, 1 << random.of(32), random.of(256) as u32, 0][random.of(4) as usize];
            if random.of(3) == 0 {
                board.read(offset);
            } else if offset != BTR || random.of(20) == 0 {
                board.write(offset, value);
            }
            if step % 300 == 299 {
                board.write(MCR, INRQ);
                board.bench.pass(300 * BIT);
                board.write(BTR, AT_500K | value & 0xC000_0000);
                board.write(MCR, value & 0xFC);
            }
            board.bench.pass([3, 40, 1_000, 50 * BIT][random.of(4) as usize]);
        }
        let copy = board.bench.clone();
        let mut other = Board { bench: copy, base: CAN1 };
        for each in [&mut board, &mut other] {
            each.bench.pass(1_000_000);
        }
        assert_eq!(board.read(ESR), other.read(ESR));
        assert_eq!(board.transfers(), other.transfers());
    }
}
