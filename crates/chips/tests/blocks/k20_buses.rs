//! MK20DX256: I2C and SPI as controllers (K20P64M72SF1RM, "Inter-Integrated Circuit", "SPI (DSPI)").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Attachment, GapKind, Pin, Signal, SignalKind, Transfer, Width, Wire};

use crate::bench::Bench;
use crate::i2c::decode;
use crate::k20_clocks::{byte, fast, read_byte};
use crate::probe::Probe;

const SCGC4: u32 = 0x4004_8034;
const SCGC6: u32 = 0x4004_803C;
const PORTB: u32 = 0x4004_A000;
const PORTC: u32 = 0x4004_B000;
const I2C0: u32 = 0x4006_6000;
const F: u32 = I2C0 + 1;
const C1: u32 = I2C0 + 2;
const S: u32 = I2C0 + 3;
const D: u32 = I2C0 + 4;
const SPI0: u32 = 0x4002_C000;
const MCR: u32 = SPI0;
const CTAR0: u32 = SPI0 + 0x0C;
const SR: u32 = SPI0 + 0x2C;
const RSER: u32 = SPI0 + 0x30;
const PUSHR: u32 = SPI0 + 0x34;
const POPR: u32 = SPI0 + 0x38;
/// Core cycles in one of the bus clock.
const BUS: u64 = 2;

struct Board {
    bench: Bench,
    edges: Vec<(u64, Pin, bool)>,
    transfers: Vec<(u64, Transfer)>,
}

impl Board {
    fn new(target: Probe, pins: &[(u8, u8)]) -> Self {
        let mut bench = fast(MemorySetting::Equal);
        bench.write(SCGC4, 0xF010_1CF0);
        bench.write(SCGC6, 0x4000_0001 | 1 << 23 | 1 << 12);
        bench.bus.shared.signals.want(SignalKind::Transfer);
        let wires = pins.iter().map(|(port, number)| Some(Wire::Pin(Pin { port: *port, number: *number }))).collect();
        let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
        devices.attach(vec![Attachment { name: "target".into(), device: Box::new(target), wires }], &mut context);
        Self { bench, edges: Vec::new(), transfers: Vec::new() }
    }

    fn i2c(sends: &[u8]) -> Self {
        let mut board = Self::new(Probe::i2c(sends), &[(1, 0), (1, 1)]);
        for pin in 0..2 {
            // ODE, alternative 2.
            board.bench.write(PORTB + 4 * pin, 2 << 8 | 1 << 5);
        }
        // 48 MHz / 480: 100 kHz.
        byte(&mut board.bench, F, 0x27);
        byte(&mut board.bench, C1, 0x80);
        board.look();
        board.edges.clear();
        board
    }

    fn spi(falling: bool, sends: &[u8]) -> Self {
        let mut target = Probe::spi(falling, sends);
        target.selects = true;
        let mut board = Self::new(target, &[(2, 5), (2, 6), (2, 7), (2, 4)]);
        for pin in 4..8 {
            board.bench.write(PORTC + 4 * pin, 2 << 8);
        }
        board
    }

    fn look(&mut self) {
        let signals: Vec<_> = self.bench.bus.shared.signals.drain().collect();
        for (at, signal) in signals {
            match signal {
                Signal::Pin { pin, high } => self.edges.push((at.get(), pin, high)),
                Signal::Transfer { transfer, .. } => self.transfers.push((at.get(), transfer)),
                _ => {}
            }
        }
    }

    fn heard(&self) -> Vec<String> {
        let (_, device) = self.bench.bus.peripherals.outside().devices().next().unwrap();
        device.as_any().downcast_ref::<Probe>().unwrap().heard.clone()
    }

    /// Waits for IICIF and clears it; gives S as it was.
    fn done(&mut self) -> u32 {
        let end = self.bench.now + 1_000_000;
        loop {
            let status = read_byte(&mut self.bench, S);
            if status & 2 != 0 {
                byte(&mut self.bench, S, 2);
                return status;
            }
            let next = self.bench.bus.shared.events.next_at().get();
            assert!(next < end, "S stays {status:#x}");
            self.bench.pass(next.saturating_sub(self.bench.now));
        }
    }

    fn send(&mut self, data: u32) -> u32 {
        byte(&mut self.bench, D, data);
        self.done()
    }
}

/// The lines of I2C0, as a decoder reads them.
fn decoded(board: &Board) -> String {
    let lines = board.edges.iter().filter(|(_, pin, _)| pin.port == 1);
    decode(&lines.map(|(at, pin, high)| (*at, pin.number == 0, *high)).collect::<Vec<_>>())
}

#[test]
fn i2c_writes_and_reads_with_a_repeated_start() {
    let mut board = Board::i2c(&[0xA5, 0x7F]);
    // MST and TX: a start condition; the byte waits for it.
    byte(&mut board.bench, C1, 0xB0);
    assert_eq!(board.send(0x78) & 0xA1, 0xA0, "TCF, BUSY, acknowledged");
    assert_eq!(board.send(0x12) & 1, 0);
    // RSTA.
    byte(&mut board.bench, C1, 0xB4);
    assert_eq!(board.send(0x79) & 1, 0);
    // Receive; the first read of D begins.
    byte(&mut board.bench, C1, 0xA0);
    read_byte(&mut board.bench, D);
    board.done();
    byte(&mut board.bench, C1, 0xA8);
    assert_eq!(read_byte(&mut board.bench, D), 0xA5);
    board.done();
    byte(&mut board.bench, C1, 0x80);
    assert_eq!(read_byte(&mut board.bench, D), 0x7F, "no further byte begins");
    board.bench.pass(2000);
    assert_eq!(read_byte(&mut board.bench, S) & 0x20, 0, "not busy");
    board.look();
    assert_eq!(decoded(&board), "S 78+ 12+ S 79+ a5+ 7f- P");
    assert_eq!(board.heard(), ["to", "12", "from", "stop"]);
    assert!(board.bench.gaps(GapKind::Setting).is_empty(), "{:?}", board.bench.gaps(GapKind::Setting));
    assert!(board.bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", board.bench.gaps(GapKind::RegisterWrite));
}

#[test]
fn i2c_s_clock_is_the_bus_clock_over_the_divider() {
    for (f, divider) in [(0x27, 480), (0x00, 20), (0x1F, 240), (0x40, 40), (0x85, 120)] {
        let mut board = Board::i2c(&[]);
        byte(&mut board.bench, F, f);
        byte(&mut board.bench, C1, 0xB0);
        board.send(0x42);
        board.look();
        let rises: Vec<u64> =
            board.edges.iter().filter(|(_, pin, high)| pin.number == 0 && *high).map(|(at, ..)| *at).collect();
        assert!(rises.windows(2).all(|pair| pair[1] - pair[0] == divider * BUS), "{f:#x}: {rises:?}");
        assert_eq!(read_byte(&mut board.bench, S) & 1, 1, "nobody there");
    }
}

#[test]
fn i2c_interrupts_until_its_flag_is_cleared() {
    let mut board = Board::i2c(&[]);
    byte(&mut board.bench, C1, 0xF0);
    byte(&mut board.bench, D, 0x78);
    assert!(board.bench.until_line(24, 100_000).is_some());
    byte(&mut board.bench, S, 2);
    assert!(!board.bench.bus.shared.interrupts.is_high(24));
}

#[test]
fn spi_exchanges_frames_in_all_modes() {
    for mode in 0..4u32 {
        let (polarity, phase) = (mode >> 1, mode & 1);
        let falling = polarity != phase;
        let mut board = Board::spi(falling, &[0xC3, 0x5A, 0x81]);
        // Eight bits, 48 MHz / 2 / 8 = 3 MHz.
        board.bench.write(MCR, 1 << 31 | 1 << 16 | 1);
        board.bench.write(CTAR0, 7 << 27 | polarity << 26 | phase << 25 | 3);
        board.look();
        board.edges.clear();
        board.bench.write(MCR, 1 << 31 | 1 << 16);
        board.bench.write(PUSHR, 1 << 31 | 1 << 16 | 0x9F);
        board.bench.write(PUSHR, 1 << 27 | 1 << 16 | 0x01);
        board.bench.pass(2000);
        let status = board.bench.read(SR);
        assert_eq!((status >> 31, status >> 28 & 1, status >> 4 & 15), (1, 1, 2), "TCF, EOQF, two frames");
        assert_eq!([board.bench.read(POPR), board.bench.read(POPR)], [0xC3, 0x5A], "mode {mode}");
        assert_eq!(board.bench.read(SR) & (1 << 17 | 1 << 30), 0, "RFDF and TXRXS are down");
        assert_eq!(board.heard(), ["]", "[", "9f", "01", "]"].map(String::from)[1..], "mode {mode}");
        board.look();
        // What the lines show to somebody who takes bits at the mode's edges.
        let (mut mosi, mut miso, mut sent, mut received) = (false, false, 0u16, 0u16);
        let mut count = 0;
        for (_, pin, high) in board.edges.iter().filter(|(_, pin, _)| pin.port == 2) {
            match pin.number {
                6 => mosi = *high,
                7 => miso = *high,
                5 if *high != falling && count < 16 => {
                    (sent, received) = (sent << 1 | u16::from(mosi), received << 1 | u16::from(miso));
                    count += 1;
                }
                _ => {}
            }
        }
        assert_eq!((sent, received), (0x9F01, 0xC35A), "mode {mode}");
    }
}

#[test]
fn spi_keeps_the_delays_of_its_attributes() {
    let mut board = Board::spi(false, &[0, 0, 0]);
    board.bench.write(MCR, 1 << 31 | 1 << 16 | 1);
    // SCK: 3 × 4 bus clocks; PCS to SCK 3 × 8, after SCK 5 × 4, after the transfer 7 × 16.
    let ctar = 7 << 27 | 1 << 22 | 2 << 20 | 3 << 18 | 1 << 16 | 2 << 12 | 1 << 8 | 3 << 4 | 1;
    board.bench.write(CTAR0, ctar);
    board.bench.write(PUSHR, 1 << 16 | 0xAA);
    board.bench.write(PUSHR, 1 << 16 | 0x55);
    board.look();
    board.edges.clear();
    let begun = board.bench.now;
    board.bench.write(MCR, 1 << 31 | 1 << 16);
    board.bench.pass(5000);
    board.look();
    let edges = |number: u8| -> Vec<(u64, bool)> {
        let of_pin = board.edges.iter().filter(|(at, pin, _)| *at >= begun && *pin == Pin { port: 2, number });
        of_pin.map(|(at, _, high)| ((*at - begun) / BUS, *high)).collect()
    };
    let frame = 24 + 15 * 6;
    let select = [(0, false), (frame + 20, true), (frame + 20 + 112, false), (2 * frame + 40 + 112, true)];
    assert_eq!(edges(4), select);
    let clock = edges(5);
    assert_eq!((clock[0], clock[1], clock[15], clock[16]), {
        ((24, true), (30, false), (frame, false), (frame + 132 + 24, true))
    });
}

#[test]
fn spi_s_fifos_hold_four_and_interrupt() {
    let mut board = Board::spi(false, &[]);
    board.bench.write(MCR, 1 << 31 | 1 << 16 | 1);
    board.bench.write(CTAR0, 15 << 27);
    for data in 0..5 {
        board.bench.write(PUSHR, data);
    }
    assert_eq!(board.bench.read(SR) >> 12 & 15, 4);
    assert_eq!(board.bench.gaps(GapKind::Setting), ["SPI0: PUSHR is written with a full FIFO: lost"]);
    board.bench.write(RSER, 1 << 17);
    board.bench.write(MCR, 1 << 31 | 1 << 16);
    assert!(board.bench.until_line(26, 10_000).is_some(), "RFDF");
    board.bench.pass(10_000);
    board.look();
    let frames: Vec<(u32, u8)> = { board.transfers.iter() }
        .filter_map(|(_, transfer)| match transfer {
            Transfer::SpiFrame { sent, bits, .. } => Some((*sent, *bits)),
            _ => None,
        })
        .collect();
    assert_eq!(frames, [(0, 16), (1, 16), (2, 16), (3, 16)]);
    // What MCR asks for that is not there is said once, in words.
    let mcr = board.bench.read(MCR);
    for _ in 0..2 {
        board.bench.write(MCR, mcr | 1 << 30 | 1 << 28 | 1 << 26 | 1 << 25);
        board.bench.write(MCR, mcr);
    }
    let said = [
        "SPI0_MCR.CONT_SCKE: SCK stands between frames, where a part's goes on",
        "SPI0_MCR.DCONF: only 0, SPI, is not reserved; it works as with that",
    ];
    let heard = board.bench.gaps(GapKind::Setting).into_iter().filter(|gap| gap.starts_with("SPI0_MCR"));
    assert_eq!(heard.collect::<Vec<_>>(), said);
    // One frame more waits in the shift register; the next one is lost.
    board.bench.write(PUSHR, 9);
    board.bench.pass(2000);
    assert_eq!(board.bench.read(SR) >> 19 & 1, 0);
    board.bench.write(PUSHR, 10);
    board.bench.pass(2000);
    assert_eq!(board.bench.read(SR) >> 19 & 1, 1, "RFOF");
    for _ in 0..5 {
        assert!(board.bench.bus.shared.interrupts.is_high(26));
        board.bench.read(POPR);
    }
    assert!(!board.bench.bus.shared.interrupts.is_high(26));
}

#[test]
fn a_byte_wide_access_reaches_only_its_register() {
    let mut board = Board::i2c(&[]);
    board.bench.try_write(C1, Width::Byte, 0xB0).unwrap();
    board.bench.try_write(I2C0, Width::Byte, 0x20).unwrap();
    assert_eq!(read_byte(&mut board.bench, I2C0), 0x20);
    assert!(board.bench.gaps(GapKind::RegisterWrite).is_empty());
    board.bench.try_write(C1, Width::Byte, 0xB2).unwrap();
    let wakes = "I2C0_C1.WUEN: an address on the bus does not wake the part out of a stop mode";
    assert_eq!(board.bench.gaps(GapKind::Setting), [wakes]);
    // C2: HDRS, which drives pins more strongly, is nothing to see; SBRC is.
    board.bench.try_write(I2C0 + 5, Width::Byte, 0x20).unwrap();
    board.bench.try_write(I2C0 + 5, Width::Byte, 0x30).unwrap();
    let follows = "I2C0_C2.SBRC: a target's rate of its own is not modelled; it follows the controller's";
    assert_eq!(board.bench.gaps(GapKind::Setting), [wakes, follows]);
}
