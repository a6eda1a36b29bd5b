//! RP2040: the stream of the XIP block (RP-008371-DS, "Flash", "Streaming"), in exact cycles of the system clock.

use cyclescope_machine::units::Address;
use cyclescope_machine::{GapKind, Width};

use crate::bench::Bench;
use crate::rp_pio::part;

const FLASH: u32 = 0x1000_0000;
const RAM: u32 = 0x2000_0000;
const AUX: u32 = 0x5040_0000;
const XIP: u32 = 0x1400_0000;
const STAT: u32 = XIP + 0x08;
const STREAM_ADDR: u32 = XIP + 0x14;
const STREAM_CTR: u32 = XIP + 0x18;
const STREAM_FIFO: u32 = XIP + 0x1C;
const FLUSH_READY: u32 = 1;
const EMPTY: u32 = 2;
const FULL: u32 = 4;
const DMA: u32 = 0x5000_0000;
const DMA_LINE: usize = 11;

/// The cycles of a read with the usual second stage, which the part takes until one is set up.
const READ: u64 = 40;

/// The word of flash at the byte offset `offset`.
fn word(offset: u32) -> u32 {
    offset.wrapping_mul(0x9E37_79B1) | 1
}

/// The part with known words in flash.
fn ready() -> Bench {
    let mut bench = part();
    let bytes: Vec<u8> = (0..64).flat_map(|place| word(4 * place).to_le_bytes()).collect();
    assert!(bench.bus.memory.load(Address::new(FLASH), &bytes));
    bench
}

fn stream(bench: &mut Bench, offset: u32, words: u32) {
    bench.write(STREAM_ADDR, FLASH + offset);
    bench.write(STREAM_CTR, words);
}

#[test]
fn words_come_one_read_after_the_other_until_the_fifo_is_full() {
    let mut bench = ready();
    assert_eq!(bench.read(STAT), FLUSH_READY | EMPTY);
    stream(&mut bench, 16, 4);
    bench.pass(READ - 1);
    assert_eq!((bench.read(STAT), bench.read(STREAM_CTR), bench.read(STREAM_ADDR)), (3, 4, FLASH + 16));
    bench.pass(1);
    assert_eq!((bench.read(STAT), bench.read(STREAM_CTR), bench.read(STREAM_ADDR)), (1, 3, FLASH + 20));
    bench.pass(READ);
    assert_eq!((bench.read(STAT), bench.read(STREAM_CTR)), (FLUSH_READY | FULL, 2));
    bench.pass(1000);
    assert_eq!(bench.read(STREAM_CTR), 2, "there is no room");
    assert_eq!((bench.read(STREAM_FIFO), bench.read(STAT)), (word(16), FLUSH_READY));
    bench.pass(READ - 1);
    assert_eq!(bench.read(STREAM_CTR), 2);
    bench.pass(1);
    assert_eq!((bench.read(STREAM_CTR), bench.read(STAT)), (1, FLUSH_READY | FULL));
    assert_eq!([bench.read(STREAM_FIFO), bench.read(AUX)], [word(20), word(24)]);
    bench.pass(READ);
    assert_eq!([bench.read(AUX), bench.read(STAT), bench.read(STREAM_CTR)], [word(28), FLUSH_READY | EMPTY, 0]);
    assert!(bench.gaps(GapKind::Setting).is_empty());
    assert_eq!((bench.read(STREAM_FIFO), bench.gaps(GapKind::Setting).len()), (0, 1), "nothing is there");
}

#[test]
fn a_stream_that_is_stopped_drops_the_word_on_its_way_and_keeps_the_others() {
    let mut bench = ready();
    stream(&mut bench, 0, 9);
    bench.pass(READ + 10);
    bench.write(STREAM_CTR, 0);
    bench.pass(1000);
    assert_eq!((bench.read(STAT), bench.read(STREAM_ADDR)), (FLUSH_READY, FLASH + 4));
    assert_eq!((bench.read(STREAM_FIFO), bench.read(STAT)), (word(0), FLUSH_READY | EMPTY));
    // Another begins anew; the read that was dropped has the flash to its end.
    stream(&mut bench, 40, 1);
    bench.pass(10);
    bench.write(STREAM_CTR, 0);
    stream(&mut bench, 80, 1);
    bench.pass(READ - 10 + READ - 1);
    assert_eq!(bench.read(STREAM_CTR), 1);
    bench.pass(1);
    assert_eq!((bench.read(STREAM_CTR), bench.read(STREAM_FIFO)), (0, word(80)));
}

#[test]
fn a_stream_reads_while_nothing_else_has_the_flash() {
    let mut bench = ready();
    let now = bench.now;
    let stall = u64::from(bench.bus.memory.flash.interface_mut().read_uncached(now));
    assert_eq!(stall, READ - 1);
    stream(&mut bench, 0, 2);
    bench.pass(2 * READ - 1);
    assert_eq!(bench.read(STREAM_CTR), 2, "it has waited for the other read");
    bench.pass(1);
    assert_eq!(bench.read(STREAM_CTR), 1);
    // Who asks meanwhile waits for the word under way.
    bench.pass(10);
    let now = bench.now;
    let stall = u64::from(bench.bus.memory.flash.interface_mut().read_uncached(now));
    assert_eq!(stall, READ - 10 + READ - 1);
}

#[test]
fn the_dma_takes_each_word_by_its_own_slave_as_it_comes() {
    let mut bench = ready();
    bench.write(DMA + 0x404, 1);
    // Words from one address to growing ones, paced by DREQ_XIP_STREAM.
    let ctrl = 37 << 15 | 1 << 5 | 2 << 2 | 1;
    for (register, value) in [(0x0, AUX), (0x4, RAM), (0x8, 12), (0xC, ctrl)] {
        bench.write(DMA + register, value);
    }
    stream(&mut bench, 8, 12);
    let begun = bench.now;
    let ended = bench.until_line(DMA_LINE, 10_000).expect("it ends") - begun;
    // The request, its count, and the four phases of the last word.
    assert_eq!(ended, 12 * READ + 5);
    let words: Vec<u32> = (0..12).map(|place| bench.bus.memory.read(RAM + 4 * place, Width::Word).unwrap()).collect();
    assert_eq!(words, (0..12).map(|place| word(8 + 4 * place)).collect::<Vec<_>>());
    assert_eq!((bench.read(STREAM_CTR), bench.read(STAT)), (0, FLUSH_READY | EMPTY));
    assert!(bench.gaps(GapKind::Setting).is_empty());
}
