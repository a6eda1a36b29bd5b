//! MK20DX256: SPI as a target, its FIFOs and the DMA (K20P64M72SF1RM, "SPI (DSPI)"). Its controller is in `k20_buses`.

use cyclescope_machine::GapKind;

use crate::bench::Bench;
use crate::k20_clocks::byte;
use crate::k20_dma::{self, Tcd, get, put};

const PORTC: u32 = 0x4004_B000;
const SPI0: u32 = 0x4002_C000;
const MCR: u32 = SPI0;
const CTAR0: u32 = SPI0 + 0x0C;
const SR: u32 = SPI0 + 0x2C;
const RSER: u32 = SPI0 + 0x30;
const PUSHR: u32 = SPI0 + 0x34;
const POPR: u32 = SPI0 + 0x38;
const TXFR0: u32 = SPI0 + 0x3C;
const RXFR0: u32 = SPI0 + 0x7C;
const RAM: u32 = 0x2000_0000;
const LINE: usize = 26;

const HALT: u32 = 1;
const ROOE: u32 = 1 << 24;
const MSTR: u32 = 1 << 31;

const RFDF: u32 = 1 << 17;
const RFOF: u32 = 1 << 19;
const TFFF: u32 = 1 << 25;
const TFUF: u32 = 1 << 27;
const TXRXS: u32 = 1 << 30;
const TCF: u32 = 1 << 31;

/// SPI0 on PTC4 to PTC7, halted.
fn bench() -> Bench {
    let mut bench = k20_dma::bench();
    for pin in 4..8 {
        bench.write(PORTC + 4 * pin, 2 << 8);
    }
    bench.write(MCR, HALT);
    bench
}

/// A target with frames of `bits`, with a controller that has SIN as its MOSI.
fn target(mode: u32, bits: u32) -> Bench {
    let mut bench = bench();
    bench.attach(&[&format!("spi-controller:name=c,mode={mode},bits={bits}@sck=PC5,mosi=PC7,miso=PC6,cs=PC4")]);
    bench.write(CTAR0, (bits - 1) << 27 | (mode >> 1) << 26 | (mode & 1) << 25);
    bench.write(MCR, 0);
    bench
}

#[test]
fn a_target_exchanges_frames_in_all_modes() {
    for mode in 0..4 {
        let mut bench = target(mode, 8);
        assert_eq!(bench.read(SR) & TXRXS, TXRXS);
        for sent in [0xA5, 0x7E, 0x01] {
            bench.write(PUSHR, sent);
        }
        bench.controller_sends("9f 01 80");
        bench.pass(4_000);
        assert_eq!([0; 3].map(|_: u32| bench.read(POPR)), [0x9F, 1, 0x80], "{mode}");
        assert_eq!(bench.controller_log(), ["9f>a5 01>7e 80>01"], "{mode}");
        assert_eq!(bench.read(SR) & (RFOF | TFUF | TCF | RFDF), TCF, "{mode}");
        let gaps = [bench.gaps(GapKind::Setting), bench.gaps(GapKind::RegisterWrite)].concat();
        assert!(gaps.is_empty(), "{gaps:?}");
    }
}

#[test]
fn a_target_s_frames_have_their_bits_and_either_end_first() {
    for bits in 4..=16u32 {
        let mut bench = target(1, bits);
        let mask = (1u32 << bits) - 1;
        let (one, other) = (0x9A5F & mask, 0x6B31 & mask);
        bench.write(PUSHR, other);
        bench.write(PUSHR, one);
        bench.controller_sends(&format!("{one:x} {other:x}"));
        bench.pass(6_000);
        assert_eq!([bench.read(POPR), bench.read(POPR)], [one, other], "{bits}");
        let digits = bits.div_ceil(4) as usize;
        assert_eq!(
            bench.controller_log(),
            [format!("{one:0digits$x}>{other:0digits$x} {other:0digits$x}>{one:0digits$x}")]
        );
    }
    let mut bench = target(0, 16);
    bench.write(CTAR0, 15 << 27 | 1 << 24);
    bench.write(PUSHR, 0x4000);
    bench.controller_sends("8001");
    bench.pass(4_000);
    assert_eq!((bench.read(POPR), bench.controller_log()), (0x8001, vec!["8001>0002".into()]));
}

#[test]
fn a_target_s_frame_is_in_at_its_last_sample() {
    // A byte of 1 MHz: a half period is 48 cycles, and the select leads by one.
    for (mode, last) in [(0, 15), (1, 16)] {
        let mut bench = target(mode, 8);
        bench.write(PUSHR, 0x80);
        bench.write(RSER, RFDF);
        // The command comes a cycle later.
        bench.controller_sends("55");
        let begun = bench.now + 2;
        assert_eq!(bench.until_line(LINE, 10_000), Some(begun + last * 48), "{mode}");
    }
}

#[test]
fn fifos_overflow_and_run_empty() {
    for overwrites in [false, true] {
        let mut bench = target(0, 8);
        bench.write(MCR, if overwrites { ROOE } else { 0 });
        bench.write(PUSHR, 0xAA);
        bench.write(RSER, RFOF | TFUF);
        bench.controller_sends("01 02 03 04 05");
        bench.pass(8_000);
        // Four in the FIFO and one in the shift register.
        assert_eq!(bench.read(SR) & (RFOF | TFUF | 0xF0), TFUF | 4 << 4);
        assert_eq!(bench.controller_log(), ["01>aa 02>aa 03>aa 04>aa 05>aa"], "the last one again");
        assert!(bench.bus.shared.interrupts.is_high(LINE));
        bench.write(SR, TFUF);
        assert!(!bench.bus.shared.interrupts.is_high(LINE));
        bench.controller_sends("06");
        bench.pass(2_000);
        assert_eq!(bench.read(SR) & RFOF, RFOF);
        let last = if overwrites { 6 } else { 5 };
        assert_eq!([0; 5].map(|_: u32| bench.read(POPR)), [1, 2, 3, 4, last]);
        assert_eq!(bench.read(SR) & RFDF, 0);
    }
}

#[test]
fn the_fifos_own_registers_show_what_is_in_them() {
    let mut bench = bench();
    bench.attach(&["loopback@a=PC6,b=PC7"]);
    bench.write(MCR, MSTR | HALT);
    bench.write(CTAR0, 7 << 27);
    for data in [1 << 31 | 1 << 16 | 0x11, 0x22, 0x33] {
        bench.write(PUSHR, data);
    }
    assert_eq!([0, 4, 8, 12].map(|offset| bench.read(TXFR0 + offset)), [1 << 31 | 1 << 16 | 0x11, 0x22, 0x33, 0]);
    assert_eq!(bench.read(SR) >> 12 & 15, 3);
    bench.write(MCR, MSTR);
    bench.pass(2_000);
    assert_eq!([0, 4, 8, 12].map(|offset| bench.read(RXFR0 + offset)), [0x11, 0x22, 0x33, 0]);
    assert_eq!([0, 4].map(|offset| bench.read(TXFR0 + offset)), [0, 0]);
    bench.write(MCR, MSTR | HALT | 1 << 10);
    assert_eq!([bench.read(RXFR0), bench.read(SR) >> 4 & 15], [0, 0], "CLR_RXF");
}

#[test]
fn the_dma_keeps_a_controller_busy_both_ways() {
    let mut bench = bench();
    bench.attach(&["loopback@a=PC6,b=PC7"]);
    let data: Vec<u8> = (0..32).map(|byte| byte * 7 + 3).collect();
    put(&mut bench, RAM, &data);
    let out = Tcd {
        source: RAM,
        source_offset: 1,
        form: 0,
        bytes: 1,
        source_last: 0,
        destination: PUSHR,
        destination_offset: 0,
        count: 32,
        destination_last: 0,
        control: 1 << 3,
    };
    out.set(&mut bench, 1);
    Tcd {
        source: POPR,
        source_offset: 0,
        destination: RAM + 256,
        destination_offset: 1,
        control: 1 << 3 | 1 << 1,
        ..out
    }
    .set(&mut bench, 0);
    byte(&mut bench, k20_dma::MUX, 0x80 | 16);
    byte(&mut bench, k20_dma::MUX + 1, 0x80 | 17);
    bench.write(k20_dma::ERQ, 3);
    // 48 MHz / 2 / 4 = 6 MHz; a frame is 8 bits of 16 cycles, behind two and before two of the bus clock and two more.
    bench.write(CTAR0, 7 << 27 | 1);
    bench.write(RSER, 3 << 24 | 3 << 16);
    let begun = bench.now;
    bench.write(MCR, MSTR);
    let end = bench.until_line(0, 20_000).expect("the DMA ends");
    assert_eq!(get(&mut bench, RAM + 256, 32), data);
    assert!(!bench.bus.shared.interrupts.is_high(LINE), "requests, no interrupts");
    assert_eq!(bench.read(SR) & (RFOF | TFFF), TFFF);
    // The first frame waits for its data: a request to the first read, and a write over the bridge.
    let frame = 15 * 8 + (2 + 2 + 2) * 2;
    let took = end - begun;
    assert!((31 * frame + 120..32 * frame + 60).contains(&took), "{took} for {frame} a frame");
    assert_eq!(bench.read(k20_dma::ERQ), 0);
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
}
