//! Two peripherals of one part on the same lines, TI's format, and the edges of long frames and changing clocks.

use super::*;

const SPI2: u32 = 0x4000_3800;
const FRE: u32 = 1 << 8;
const FRF: u32 = 1 << 4;
const NSS: u8 = 4;

/// An F446 whose SPI1 (PA4 to PA7) and SPI2 (PB12 to PB15) are connected.
fn joined() -> Board {
    let mut board = Board::new("f446");
    board.bench.write(0x4002_0424, 0x5555_0000);
    board.bench.write(0x4002_0400, 0xAA00_0280);
    board.hang(&[
        "loopback:name=nss@a=PA4,b=PB12",
        "loopback:name=sck@a=PA5,b=PB13",
        "loopback:name=miso@a=PA6,b=PB14",
        "loopback:name=mosi@a=PA7,b=PB15",
    ]);
    board
}

/// Exchanges messages: what SPI1 and SPI2 have received.
fn exchange(board: &mut Board, one: &[u16], two: &[u16]) -> (Vec<u16>, Vec<u16>) {
    let (mut got, mut at) = ([Vec::new(), Vec::new()], [0, 0]);
    for _ in 0..3_000 {
        // The target first, so that it is never without data.
        for (index, (spi, message)) in [(SPI2, two), (SPI1, one)].into_iter().enumerate() {
            let status = board.bench.read(spi + 8);
            if status & TXE != 0 && at[index] < message.len() && (index == 0 || at[0] > at[1] || at[0] == two.len()) {
                board.bench.write(spi + 0x0C, message[at[index]].into());
                at[index] += 1;
            }
            if status & RXNE != 0 {
                got[index].push(board.bench.read(spi + 0x0C) as u16);
            }
        }
        board.pass(10);
    }
    let [second, first] = got;
    (first, second)
}

#[test]
fn what_spi1_sends_spi2_takes_and_the_other_way_round() {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = |count: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % count
    };
    for round in 0..24u32 {
        let (mode, wide, low_first) = (round % 4, round & 4 != 0, round & 8 != 0);
        let mut board = joined();
        let setting = mode | if wide { 1 << 11 } else { 0 } | if low_first { LSBFIRST } else { 0 };
        // The controller first: until then its clock is low, whatever the mode.
        board.bench.write(CR2, 1 << 2);
        board.bench.write(CR1, setting | MSTR | (3 + random(3) as u32) << 3 | SPE);
        board.bench.write(SPI2, setting | SPE);
        let mask = if wide { 0xFFFF } else { 0xFF };
        let mut message = || -> Vec<u16> { (0..8).map(|_| random(mask + 1) as u16).collect() };
        let (one, two) = (message(), message());
        assert_eq!(exchange(&mut board, &one, &two), (two, one), "mode {mode}, wide {wide}");
        let gaps = board.bench.gaps(GapKind::Setting);
        assert!(gaps.is_empty(), "{gaps:?}");
    }
}

#[test]
fn frames_of_tis_format_are_announced_by_pulses() {
    let mut board = joined();
    board.bench.write(SPI2 + 4, FRF);
    board.bench.write(SPI2, SPE);
    board.bench.write(CR2, FRF);
    board.bench.write(CR1, MSTR | 3 << 3 | SPE);
    board.edges();
    let (one, two) = ([0x9F, 0x01, 0x80], [0xA5, 0x7E, 0x33]);
    assert_eq!(exchange(&mut board, &one, &two), (two.to_vec(), one.to_vec()));
    assert_eq!(board.bench.read(SPI2 + 8) & FRE, 0);
    let edges = board.edges();
    let rises = edges.iter().filter(|(_, pin, high)| *pin == NSS && *high).count();
    assert_eq!(rises, 3, "one for each frame");
    // A first frame has a clock more.
    let clocks = edges.iter().filter(|(_, pin, high)| *pin == SCK && *high).count();
    assert!((25..=27).contains(&clocks), "{clocks}");
}

#[test]
fn a_pulse_inside_a_frame_of_tis_format_is_an_error() {
    let mut board = Board::new("f446");
    board.bench.write(CR2, FRF | 1 << 5);
    board.bench.write(CR1, SPE);
    let mut set = |board: &mut Board, pin: u8, high| {
        board.bench.set_pin(1, 0, pin, Some(high));
        board.pass(50);
    };
    set(&mut board, SCK, false);
    set(&mut board, NSS, false);
    let clock = |board: &mut Board, set: &mut dyn FnMut(&mut Board, u8, bool)| {
        set(board, SCK, true);
        set(board, SCK, false);
    };
    set(&mut board, NSS, true);
    clock(&mut board, &mut set);
    set(&mut board, NSS, false);
    (0..3).for_each(|_| clock(&mut board, &mut set));
    assert_eq!(board.bench.read(SR) & FRE, 0);
    set(&mut board, NSS, true);
    assert!(board.bench.bus.shared.interrupts.is_high(board.line));
    assert_eq!([board.bench.read(SR) & FRE, board.bench.read(SR) & FRE], [FRE, 0], "a read clears it");
}

#[test]
fn miso_shows_all_bits_of_a_long_frame() {
    for part in ["f103", "f446"] {
        let mut board = Board::with(part, false, &[0xA5, 0x3C, 0xFF]);
        board.bench.write(CR1, CONTROLLER | 1 << 11 | SPE);
        board.bench.write(DR, 0x9F01);
        board.pass(board.bits(16) + 1);
        assert_eq!((board.bench.read(DR), board.heard()), (0xA53C, vec![0x9F, 0x01]), "{part}");
        let edges = board.edges();
        let bits = decode(&edges, false, false, MISO);
        assert_eq!([byte(&bits[..8]), byte(&bits[8..16])], [0xA5, 0x3C], "{part}");
    }
}

#[test]
fn edges_behind_a_change_of_the_clock_come_later() {
    let mut board = Board::with("c031", false, &[0x55, 0xAA]);
    board.bench.write(CR1, CONTROLLER | SPE);
    board.edges();
    let begin = board.bench.now;
    board.send(0xC5);
    board.pass(24);
    board.bench.write(crate::bench::RCC_CFGR, 4 << 12);
    board.pass(200);
    let edges = board.edges();
    let bits = decode(&edges, false, false, MOSI);
    assert_eq!(byte(&bits), 0xC5);
    // A bit had 8 cycles and has 16 behind the third.
    let taken: Vec<u64> = bits.iter().map(|(at, _)| at - begin).collect();
    assert_eq!(taken, [4, 12, 20, 32, 48, 64, 80, 96]);
    assert_eq!(board.receive(), 0x55);
}

#[test]
fn random_accesses_neither_panic_nor_hang() {
    for (seed, part) in (1..=3u64).flat_map(|seed| PARTS.map(|part| (seed, part))) {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = |count: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % count
        };
        let mut board = Board::new(part);
        board.hang(&["spi-controller:name=c,clock=10MHz@sck=PA5,mosi=PA7,miso=PA6,cs=PA4", "flash:w25q32@spi1,cs=PA3"]);
        for _ in 0..3_000 {
            let register = SPI1 + 4 * random(9) as u32;
            let value = match random(3) {
                0 => random(1 << 32) as u32,
                1 => 0x40 | 1 << random(16),
                _ => random(256) as u32,
            };
            let width = [Width::Byte, Width::Half, Width::Word][random(3) as usize];
            match random(10) {
                0..=3 => drop(board.bench.try_write(register, width, value)),
                4..=6 => drop(board.bench.try_read(register, width)),
                7 => {
                    let (device, name) = ("c".into(), "send".into());
                    let value = format!("{:02x} 01", value & 0xFF);
                    board.bench.stimulate(1, cyclescope_chips::Stimulus::Device { device, name, value });
                }
                _ => board.pass(random(1_500)),
            }
        }
        assert!(!board.edges().is_empty(), "{part}");
    }
}
