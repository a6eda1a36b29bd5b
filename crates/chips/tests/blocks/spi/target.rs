//! The target, with a controller on its pins.

use cyclescope_attached::spi_controller::SpiController;
use cyclescope_chips::Stimulus;

use super::*;

/// A part whose SPI1 is a target on PA4 to PA7, with a controller.
fn target(part: &str, options: &str) -> Board {
    let mut board = Board::new(part);
    if part == "f103" {
        board.bench.write(0x4001_0800, 0x4B44_3444);
    }
    board.hang(&[&format!("spi-controller:name=c{options}@sck=PA5,mosi=PA7,miso=PA6,cs=PA4")]);
    board
}

impl Board {
    /// Has the controller send `frames`, hexadecimal.
    fn command(&mut self, frames: &str) {
        let (device, name, value) = ("c".into(), "send".into(), frames.into());
        self.bench.stimulate(1, Stimulus::Device { device, name, value });
    }

    /// The transfers so far, without their times.
    fn log(&self) -> Vec<String> {
        let mut devices = self.bench.bus.peripherals.outside().devices();
        let (_, device) = devices.next().expect("it is attached");
        let log = device.as_any().downcast_ref::<SpiController>().expect("it is one").log();
        log.lines().map(|line| line.split_once("ms send: ").expect("a time").1.to_owned()).collect()
    }

    /// Serves the target for a while: takes frames, sends those of `sends` and keeps the buffer full.
    fn serve(&mut self, mut sends: &[u16], wide: bool) -> Vec<u16> {
        let width = if wide { Width::Half } else { Width::Byte };
        let mut got = Vec::new();
        for _ in 0..4_000 {
            let status = self.bench.read(SR);
            if status & TXE != 0
                && let Some((first, rest)) = sends.split_first()
            {
                self.bench.try_write(DR, width, (*first).into()).expect("it takes it");
                sends = rest;
            }
            if status & RXNE != 0 {
                got.push(self.bench.try_read(DR, width).expect("it gives it") as u16);
            }
            self.pass(20);
        }
        got
    }

    fn complaints(&self) -> Vec<&str> {
        self.bench.gaps(GapKind::Setting)
    }
}

#[test]
fn bytes_go_both_ways_in_all_modes_with_either_select() {
    for (part, mode, software) in
        PARTS.into_iter().flat_map(|part| (0..4).flat_map(move |mode| [(part, mode, false), (part, mode, true)]))
    {
        let mut board = target(part, &format!(",mode={mode}"));
        board.bench.write(CR1, SPE | mode | if software { SSM } else { 0 });
        board.command("9f 01 80");
        let got = board.serve(&[0xA5, 0x7E, 0x01], false);
        assert_eq!(got, [0x9F, 1, 0x80], "{part} {mode}");
        assert_eq!(board.log(), ["9f>a5 01>7e 80>01"], "{part} {mode} {software}");
        assert_eq!(board.status(OVR | BSY | MODF), 0);
        assert!(board.complaints().is_empty(), "{:?}", board.complaints());
    }
}

#[test]
fn a_frame_leaves_the_buffer_at_its_first_clock_and_is_in_at_its_last() {
    for (mode, first, last) in [(0, 1, 15), (1, 1, 16)] {
        let mut board = target("f103", &format!(",mode={mode}"));
        board.bench.write(CR1, SPE | mode);
        board.bench.write(DR, 0x80);
        assert_eq!(board.status(TXE | BSY), 0);
        // A byte of 1 MHz: a half period is 36 cycles, and the select leads by one.
        board.command("55");
        let begin = board.bench.now + 1;
        let half = 36;
        board.pass(first * half);
        assert_eq!(board.status(TXE | RXNE | BSY), 0);
        board.pass(begin + first * half - board.bench.now + 1);
        assert_eq!(board.status(TXE | RXNE), TXE);
        board.pass(begin + last * half - 1 - board.bench.now);
        assert_eq!(board.status(RXNE), 0);
        board.pass(2);
        assert_eq!(board.status(RXNE | BSY), RXNE, "mode {mode}");
    }
}

#[test]
fn what_nobody_reads_is_kept_and_a_target_without_data_repeats_itself() {
    for part in ["f103", "f446"] {
        let mut board = target(part, "");
        board.bench.write(CR1, SPE);
        board.bench.write(DR, 0x42);
        board.command("01 02");
        board.pass(20_000);
        assert_eq!(board.status(OVR | RXNE), OVR | RXNE);
        assert_eq!(board.receive(), 1);
        assert_eq!(board.log(), ["01>42 02>42"]);
        assert_eq!(board.complaints(), ["SPI1 has nothing to send to its controller, and sends its last frame again"]);
    }
}

#[test]
fn frames_have_their_bits_and_the_lowest_may_go_first() {
    for bits in 4..=16u32 {
        let mut board = target("c031", &format!(",bits={bits}"));
        let mask = (1u32 << bits) - 1;
        board.bench.write(CR2, (bits - 1) << 8 | if bits > 8 { 0 } else { 1 << 12 });
        board.bench.write(CR1, SPE);
        let (one, other) = (0x9A5F & mask, 0x6B31 & mask);
        board.command(&format!("{one:x} {other:x}"));
        let got = board.serve(&[other as u16, one as u16], bits > 8);
        assert_eq!(got, [one as u16, other as u16], "{bits}");
        let digits = bits.div_ceil(4) as usize;
        assert_eq!(board.log(), [format!("{one:0digits$x}>{other:0digits$x} {other:0digits$x}>{one:0digits$x}")]);
    }
    let mut board = target("f103", ",bits=16");
    board.bench.write(CR1, SPE | LSBFIRST | 1 << 11);
    board.command("8001 1234");
    assert_eq!(board.serve(&[0x4000, 0xFFF0], true), [0x8001, 0x2C48]);
    assert_eq!(board.log(), ["8001>0002 1234>0fff"]);
}

#[test]
fn one_line_and_reception_alone() {
    for part in PARTS {
        let mut board = target(part, "");
        board.bench.write(CR1, SPE | RXONLY);
        board.command("12 34");
        assert_eq!(board.serve(&[], false), [0x12, 0x34], "{part}");
        // MISO is free: the line has its resistor's level.
        assert_eq!(board.log(), ["12>00 34>00"]);
        board.bench.write(CR1, 0);
        board.bench.write(CR1, SPE | BIDIMODE | BIDIOE);
        board.command("00 00");
        assert!(board.serve(&[0xC3, 0x3C], false).is_empty(), "{part}");
        assert_eq!(board.log()[1], "00>c3 00>3c");
    }
}

#[test]
fn a_crc_is_sent_and_compared() {
    for (part, wrong) in PARTS.into_iter().flat_map(|part| [(part, false), (part, true)]) {
        let mut board = target(part, "");
        board.bench.write(CRCPR, 0x07);
        board.bench.write(CR1, CRCEN);
        board.bench.write(CR1, CRCEN | SPE);
        let sum = crc8(&[0x12, 0x34]) ^ u8::from(wrong);
        board.send(0x56);
        board.command(&format!("12 34 {sum:02x}"));
        let mut sent = 1;
        for _ in 0..2_000 {
            let status = board.bench.read(SR);
            if status & TXE != 0 && sent == 1 {
                board.send(0x78);
                sent = 2;
            } else if status & TXE != 0 && sent == 2 {
                board.bench.write(CR1, CRCEN | SPE | CRCNEXT);
                sent = 3;
            }
            if status & RXNE != 0 {
                board.receive();
            }
            board.pass(20);
        }
        assert_eq!(board.status(CRCERR) != 0, wrong, "{part}");
        assert_eq!(board.log(), [format!("12>56 34>78 {sum:02x}>{:02x}", crc8(&[0x56, 0x78]))], "{part}");
    }
}

#[test]
fn an_unselected_target_hears_and_drives_nothing() {
    let mut board = target("f446", "");
    board.bench.write(CR1, SPE | SSM | SSI);
    board.bench.write(DR, 0xFF);
    board.command("12 34");
    board.pass(40_000);
    assert_eq!(board.status(RXNE | TXE), 0);
    assert_eq!(board.log(), ["12>00 34>00"]);
}
