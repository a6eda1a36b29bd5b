//! I2S of STM32F446 and C031 (RM0390, RM0490, "I2S functional description").

use cyclescope_machine::{GapKind, Pin, Signal, Width};

use crate::bench::{Bench, RCC_APBENR2};
use crate::f446_clocks;

const SPI2: u32 = 0x4000_3800;
const CR2: u32 = 0x04;
const SR: u32 = 0x08;
const DR: u32 = 0x0C;
const I2SCFGR: u32 = 0x1C;
const I2SPR: u32 = 0x20;
const LINE: usize = 36;

const CHLEN: u32 = 1;
const CKPOL: u32 = 1 << 3;
const LONG: u32 = 1 << 7;
const I2SE: u32 = 1 << 10;
const I2SMOD: u32 = 1 << 11;
/// I2SCFG: target or controller, sending or receiving.
const TARGET_SENDS: u32 = I2SMOD;
const TARGET_RECEIVES: u32 = I2SMOD | 1 << 8;
const SENDS: u32 = I2SMOD | 2 << 8;
const RECEIVES: u32 = I2SMOD | 3 << 8;

const RXNE: u32 = 1 << 0;
const TXE: u32 = 1 << 1;
const CHSIDE: u32 = 1 << 2;
const UDR: u32 = 1 << 3;
const OVR: u32 = 1 << 6;
const BSY: u32 = 1 << 7;
const FRE: u32 = 1 << 8;

const WS: u8 = 12;
const CK: u8 = 13;
const SD: u8 = 15;
/// Cycles of 180 MHz in a bit: PLLI2S gives 45 MHz, divided by four.
const BIT: u64 = 16;

struct Board {
    bench: Bench,
    base: u32,
}

impl Board {
    /// SPI2 of an F446 with CK, WS and SD on PB13, PB12 and PB15, and MCK on PC6.
    fn new() -> Self {
        let mut bench = f446_clocks::fast();
        bench.write(f446_clocks::RCC + 0x84, 4 << 28 | 180 << 6 | 8);
        bench.write(f446_clocks::RCC, 0x0505_0081);
        f446_clocks::wait(&mut bench, f446_clocks::RCC, 1 << 27);
        bench.write(0x4002_0424, 0x5055_0000);
        bench.write(0x4002_0400, 0x8A00_0000);
        bench.write(0x4002_0820, 5 << 24);
        bench.write(0x4002_0800, 2 << 12);
        bench.write(SPI2 + I2SPR, 2);
        let mut board = Self { bench, base: SPI2 };
        board.signals();
        board
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.bench.read(self.base + offset)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.bench.write(self.base + offset, value);
    }

    fn signals(&mut self) -> Vec<(u64, Pin, bool)> {
        let signals: Vec<_> = self.bench.bus.shared.signals.drain().collect();
        let pins = signals.into_iter().filter_map(|(at, signal)| match signal {
            Signal::Pin { pin, high } => Some((at.get(), pin, high)),
            _ => None,
        });
        pins.collect()
    }

    /// Sends half-words, each as soon as there is room; gives WS and SD at CK's edges, as text, and their times.
    fn send(&mut self, words: &[u16], settings: u32) -> (String, String, Vec<u64>) {
        self.write(I2SCFGR, settings);
        self.write(I2SCFGR, settings | I2SE);
        for word in words {
            while self.read(SR) & TXE == 0 {
                self.bench.pass(1);
            }
            self.write(DR, (*word).into());
        }
        self.bench.pass(1_000 * BIT);
        assert_eq!(self.read(SR) & (BSY | TXE), TXE, "all is out");
        let all = self.signals();
        self.write(I2SCFGR, settings);
        self.signals();
        let of = |number| all.iter().filter(move |(_, pin, _)| *pin == Pin { port: 1, number });
        let level = |number, at: u64| of(number).take_while(|(edge, ..)| *edge <= at).last().is_some_and(|edge| edge.2);
        let rising = settings & CKPOL == 0;
        // The line comes from its level before it was switched on.
        let first = usize::from(!rising && of(CK).next().is_some_and(|edge| edge.2));
        let taken: Vec<u64> = of(CK).skip(first).filter(|edge| edge.2 == rising).map(|edge| edge.0).collect();
        let text = |number| taken.iter().map(|at| if level(number, *at) { '1' } else { '0' }).collect();
        (text(WS), text(SD), taken)
    }
}

#[test]
fn each_standard_and_length_has_its_bits() {
    let zeros = |count| "0".repeat(count);
    let (left, right) = ("1000111000110101", "0111111100000011");
    let words = [0x8E35, 0x7F03];
    let philips = |bits: usize| format!("0{}{}{}", zeros(bits - 1), "1".repeat(bits), "0");
    let msb = |bits: usize| format!("{}{}", "1".repeat(bits), zeros(bits));
    let pad = zeros(16);
    // Settings, half-words, WS, SD.
    let cases: [(u32, &[u16], String, String); 10] = [
        (0, &words, philips(16), format!("0{left}{right}")),
        (CKPOL, &words, philips(16), format!("0{left}{right}")),
        (CHLEN, &words, philips(32), format!("0{left}{pad}{right}{pad}")),
        (1 << 4 | CHLEN, &words, msb(32), format!("{left}{pad}{right}{pad}")),
        (2 << 4 | CHLEN, &words, msb(32), format!("{pad}{left}{pad}{right}")),
        (2 << 4, &words, msb(16), format!("{left}{right}")),
        // 24 bits: the eight lowest of the second half-word are none; LSB: the eight highest of the first.
        (1 << 1, &[0x8E35, 0xABFF], format!("0{}1", zeros(31)), format!("0{left}10101011{}", zeros(8))),
        (1 << 1 | 2 << 4, &[0xFF8E, 0x7F03], "1".repeat(32), format!("{}10001110{right}", zeros(8))),
        (3 << 4, &words, format!("1{}1{}1", zeros(15), zeros(15)), format!("0{left}{right}")),
        (3 << 4 | LONG | 2 << 1, &words, format!("{}{}", "1".repeat(13), zeros(19)), format!("{left}{right}")),
    ];
    for (settings, words, select, data) in cases {
        let mut board = Board::new();
        let start = board.bench.now;
        let (ws, sd, taken) = board.send(words, SENDS | settings);
        assert_eq!((ws.as_str(), sd.as_str()), (select.as_str(), data.as_str()), "{settings:#x}");
        // A bit each 16 cycles, taken in its middle.
        assert!(taken.windows(2).all(|pair| pair[1] - pair[0] == BIT), "{settings:#x}: {taken:?}");
        assert_eq!(taken[0], start + BIT / 2);
    }
}

#[test]
fn flags_tell_the_side_and_when_there_is_room() {
    let mut board = Board::new();
    board.write(CR2, 1 << 7);
    board.write(I2SCFGR, SENDS);
    board.write(I2SCFGR, SENDS | I2SE);
    assert_eq!(board.read(SR), TXE, "the left side is first");
    assert!(board.bench.bus.shared.interrupts.is_high(LINE));
    let start = board.bench.now;
    board.write(DR, 1);
    assert_eq!(board.read(SR), TXE | CHSIDE | BSY, "it is in the shift register");
    board.write(DR, 2);
    assert_eq!(board.read(SR), CHSIDE | BSY);
    assert!(!board.bench.bus.shared.interrupts.is_high(LINE));
    // A bit of WS ahead and sixteen of data.
    assert_eq!(board.bench.until_line(LINE, 10_000), Some(start + 17 * BIT));
    assert_eq!(board.read(SR), TXE | BSY, "left again");
    board.bench.pass(16 * BIT - 1);
    assert_eq!(board.read(SR), TXE | BSY);
    board.bench.pass(1);
    assert_eq!(board.read(SR), TXE);
    // The clock rests until there is more, which goes on in step.
    board.signals();
    let start = board.bench.now;
    board.write(DR, 0x8000);
    board.bench.pass(20 * BIT);
    let edges = board.signals();
    let ck: Vec<u64> = edges.iter().filter(|(_, pin, _)| pin.number == CK).map(|edge| edge.0).collect();
    assert_eq!((ck.len(), ck[0], ck[31]), (32, start + BIT / 2, start + 16 * BIT));
    // Switched off in the middle: at once.
    board.write(DR, 1);
    board.write(I2SCFGR, SENDS);
    assert_eq!(board.read(SR), TXE);
    board.signals();
    board.bench.pass(100 * BIT);
    assert_eq!(board.signals(), []);
}

#[test]
fn a_master_clock_is_256_times_the_rate_of_samples() {
    for (settings, ratio) in [(0, 8), (CHLEN, 4)] {
        let mut board = Board::new();
        board.write(I2SPR, 1 << 9 | 1 << 8 | 2);
        // 45 MHz / 5 = 9 MHz: 20 cycles.
        let (_, sd, taken) = board.send(&[0xFFFF, 0xFFFF], SENDS | settings);
        assert_eq!(sd.len(), if ratio == 8 { 33 } else { 65 });
        assert!(taken.windows(2).all(|pair| pair[1] - pair[0] == 20 * ratio));
        board.write(I2SCFGR, SENDS | settings | I2SE);
        board.write(DR, 5);
        board.bench.pass(20 * ratio * 10);
        let edges = board.signals();
        let mck: Vec<u64> = edges.iter().filter(|(_, pin, high)| pin.port == 2 && *high).map(|edge| edge.0).collect();
        assert!(mck.len() as u64 >= 10 * ratio - 1 && mck.windows(2).all(|pair| pair[1] - pair[0] == 20), "{mck:?}");
    }
}

#[test]
fn a_controller_receives_what_is_on_its_line() {
    let mut board = Board::new();
    board.write(CR2, 1 << 6 | 1 << 5);
    // SPI as a controller drives the line; I2S lets it go, and heeds neither MSTR nor SPE.
    board.write(0, 1 << 2 | 1 << 8 | 1 << 9);
    board.write(0, 1 << 2 | 1 << 6 | 1 << 8 | 1 << 9);
    board.write(I2SCFGR, RECEIVES | 1 << 4);
    board.write(0, 1 << 2 | 1 << 8 | 1 << 9);
    board.write(0, 1 << 2 | 1 << 6 | 1 << 8 | 1 << 9);
    let start = board.bench.now;
    // 0xF00F: the line changes in the middle between the edges that take it.
    for (bit, high) in [(0, true), (4, false), (12, true), (16, false), (31, true), (32, false)] {
        board.bench.set_pin(bit * BIT + 1, 1, SD, Some(high));
    }
    board.write(I2SCFGR, RECEIVES | 1 << 4 | I2SE);
    assert_eq!(board.bench.until_line(LINE, 10_000), Some(start + 16 * BIT));
    assert_eq!(board.read(SR) & (RXNE | CHSIDE | BSY), RXNE, "left; a receiving controller shows no BSY");
    assert_eq!(board.read(DR), 0xF00F);
    assert_eq!(board.bench.until_line(LINE, 10_000), Some(start + 32 * BIT));
    assert_eq!(board.read(SR) & (RXNE | CHSIDE), RXNE | CHSIDE);
    // Not read in time: the first stays.
    board.bench.pass(16 * BIT);
    assert_eq!(board.read(SR) & OVR, OVR);
    assert_eq!(board.read(DR), 1);
    assert_eq!(board.read(SR) & OVR, OVR);
    assert_eq!(board.read(SR) & OVR, 0, "DR, then SR");
}

#[test]
fn dma_feeds_and_drains_it() {
    let mut board = Board::new();
    // SPI2_TX: DMA1, stream 4, channel 0; half-words.
    let (stream, ram) = (0x4002_6010 + 0x18 * 4, 0x2000_0000);
    for (place, word) in [0x1111u32, 0x2222, 0x3333, 0x4444].into_iter().enumerate() {
        assert!(board.bench.bus.memory.write(ram + 2 * place as u32, Width::Half, word));
    }
    for (offset, value) in [(4, 4), (8, SPI2 + DR), (12, ram), (0, 1 << 13 | 1 << 11 | 1 << 10 | 1 << 6 | 1)] {
        board.bench.write(stream + offset, value);
    }
    board.write(CR2, 1 << 1);
    board.write(I2SCFGR, SENDS | 1 << 4);
    board.write(I2SCFGR, SENDS | 1 << 4 | I2SE);
    board.bench.pass(80 * BIT);
    assert_eq!(board.bench.read(stream + 4), 0);
    let edges = board.signals();
    let ck = edges.iter().filter(|(_, pin, high)| pin.number == CK && *high).count();
    assert_eq!(ck, 64, "four half-words without a pause");
    let taken: Vec<u64> = edges.iter().filter(|edge| edge.1.number == CK && edge.2).map(|edge| edge.0).collect();
    assert_eq!(taken[63] - taken[0], 63 * BIT);
}

/// Moves the lines of a target by hand.
struct Lines(Board);

impl Lines {
    fn new(settings: u32) -> Self {
        let mut board = Board::new();
        for (pin, high) in [(CK, false), (WS, true), (SD, false)] {
            board.bench.set_pin(0, 1, pin, Some(high));
            board.bench.pass(20);
        }
        board.write(I2SCFGR, settings);
        board.write(I2SCFGR, settings | I2SE);
        Self(board)
    }

    fn set(&mut self, pin: u8, high: bool) {
        self.0.bench.set_pin(0, 1, pin, Some(high));
        self.0.bench.pass(20);
    }

    /// A bit: WS and SD change with CK's falling edge; gives SD at the rising one.
    fn bit(&mut self, ws: bool, sd: Option<bool>) -> bool {
        self.set(CK, false);
        self.set(WS, ws);
        if let Some(sd) = sd {
            self.set(SD, sd);
        }
        self.set(CK, true);
        self.0.bench.bus.peripherals.pin(Pin { port: 1, number: SD })
    }

    /// Channels of `bits` bits in Philips' standard, left first; gives what SD showed.
    fn channels(&mut self, bits: usize, sent: &[u32]) -> Vec<u32> {
        let mut ws = false;
        self.bit(false, Some(false));
        let mut seen = Vec::new();
        for word in sent {
            let mut out = 0;
            for place in (0..bits).rev() {
                // WS changes with the last bit.
                let level = if place == 0 { !ws } else { ws };
                out = out << 1 | u32::from(self.bit(level, Some(word >> place & 1 != 0)));
            }
            ws = !ws;
            seen.push(out);
        }
        seen
    }
}

#[test]
fn a_target_receives_by_the_edges_of_its_lines() {
    let mut lines = Lines::new(TARGET_RECEIVES);
    lines.channels(16, &[0x8001]);
    assert_eq!(lines.0.read(SR) & (RXNE | CHSIDE | FRE), RXNE);
    assert_eq!(lines.0.read(DR), 0x8001);
    // 24 bits in 32: two half-words, of which the second's lower half is none.
    let mut lines = Lines::new(TARGET_RECEIVES | 1 << 1);
    lines.set(WS, true);
    lines.bit(true, None);
    lines.bit(false, Some(true));
    let mut got = Vec::new();
    for place in (0..32).rev() {
        lines.bit(place == 0, Some(0xABCD_EFFFu32 >> place & 1 != 0));
        if lines.0.read(SR) & RXNE != 0 {
            got.push(lines.0.read(DR));
        }
    }
    assert_eq!(got, [0xABCD, 0xEF00]);
    // WS changes in the middle of a channel.
    let mut lines = Lines::new(TARGET_RECEIVES);
    lines.bit(false, None);
    for _ in 0..5 {
        lines.bit(false, Some(true));
    }
    lines.bit(true, Some(true));
    lines.bit(true, Some(true));
    assert_eq!(lines.0.read(SR) & FRE, FRE);
    assert_eq!(lines.0.read(SR) & FRE, 0, "cleared by the read");
}

#[test]
fn a_target_sends_or_names_what_it_lacks() {
    let mut lines = Lines::new(TARGET_SENDS);
    lines.0.write(DR, 0xA5C3);
    lines.0.bench.set_pin(0, 1, SD, None);
    lines.0.bench.pass(20);
    let mut ws = true;
    let mut seen = 0u64;
    lines.bit(ws, None);
    for place in 0..17 {
        ws = place == 16;
        seen = seen << 1 | u64::from(lines.bit(ws, None));
    }
    assert_eq!(seen & 0xFFFF, 0xA5C3);
    assert_eq!(lines.0.read(SR) & UDR, 0);
    lines.bit(true, None);
    assert_eq!(lines.0.read(SR) & UDR, UDR, "nothing for the right side");
    assert_eq!(lines.0.read(SR) & UDR, 0);
}

#[test]
fn a_clock_that_cannot_be_is_named() {
    for (divider, on, says) in [(1, true, "I2SDIV"), (2, false, "clock does not run")] {
        let mut board = Board::new();
        if !on {
            board.bench.write(f446_clocks::RCC, 0x0105_0081);
        }
        board.write(I2SPR, divider);
        board.write(I2SCFGR, SENDS | I2SE);
        board.write(DR, 1);
        board.bench.pass(1_000);
        let gaps = board.bench.gaps(GapKind::Setting);
        assert!(gaps.iter().any(|gap| gap.contains("SPI2") && gap.contains(says)), "{gaps:?}");
    }
}

#[test]
fn c031_has_two_half_words_behind_its_shift_register() {
    let mut bench = Bench::fast();
    bench.write(RCC_APBENR2, u32::MAX);
    let mut board = Board { bench, base: 0x4001_3000 };
    board.write(I2SPR, 2);
    board.write(CR2, 1 << 7);
    board.write(I2SCFGR, SENDS | 1 << 4);
    board.write(I2SCFGR, SENDS | 1 << 4 | I2SE);
    let start = board.bench.now;
    for word in 0..3 {
        assert_eq!(board.read(SR) & TXE, TXE);
        board.write(DR, word);
    }
    assert_eq!(board.read(SR) & TXE, 0);
    // 48 MHz / 4: four cycles a bit.
    assert_eq!(board.bench.until_line(25, 10_000), Some(start + 16 * 4));
}

#[test]
fn random_writes_and_edges_neither_panic_nor_hang() {
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = |count: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % count
    };
    for _ in 0..6 {
        let mut board = Board::new();
        for _ in 0..2_000 {
            let offset = [0, CR2, SR, DR, DR, I2SCFGR, I2SCFGR, I2SPR][random(8) as usize];
            let value = [random(1 << 16) as u32, I2SMOD | I2SE | random(1 << 12) as u32][random(2) as usize];
            match random(5) {
                0 => drop(board.read(offset)),
                1..3 => board.write(offset, value),
                _ => board.bench.set_pin(0, 1, [WS, CK, CK, SD][random(4) as usize], Some(random(2) == 0)),
            }
            board.bench.pass([1, 8, 100, 3_000][random(4) as usize]);
        }
        let mut copy = Board { bench: board.bench.clone(), base: SPI2 };
        board.bench.pass(10_000);
        copy.bench.pass(10_000);
        assert_eq!((board.read(SR), board.signals()), (copy.read(SR), copy.signals()));
    }
}
