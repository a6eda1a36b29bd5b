//! MK20DX256: the DMA and its multiplexer (K20P64M72SF1RM, "Enhanced Direct Memory Access (eDMA)", "Direct Memory Access
//! Multiplexer (DMAMUX)").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::{GapKind, Width};

use crate::bench::Bench;
use crate::k20_clocks::{byte, fast};

pub const SCGC6: u32 = 0x4004_803C;
pub const SCGC7: u32 = 0x4004_8040;
pub const DMA: u32 = 0x4000_8000;
pub const CR: u32 = DMA;
pub const ES: u32 = DMA + 0x04;
pub const ERQ: u32 = DMA + 0x0C;
const EEI: u32 = DMA + 0x14;
const CDNE: u32 = DMA + 0x1C;
const SSRT: u32 = DMA + 0x1D;
const CERR: u32 = DMA + 0x1E;
const CINT: u32 = DMA + 0x1F;
const SERQ: u32 = DMA + 0x1B;
const INT: u32 = DMA + 0x24;
const ERR: u32 = DMA + 0x2C;
const HRS: u32 = DMA + 0x34;
const DCHPRI: u32 = DMA + 0x100;
pub const MUX: u32 = 0x4002_1000;
const PIT: u32 = 0x4003_7000;
const RAM: u32 = 0x2000_0000;
const ERROR_LINE: usize = 16;

const INTMAJOR: u16 = 1 << 1;
const INTHALF: u16 = 1 << 2;
const DREQ: u16 = 1 << 3;
const ESG: u16 = 1 << 4;
const MAJORELINK: u16 = 1 << 5;
const DONE: u32 = 1 << 7;

/// A channel's descriptor.
#[derive(Clone, Copy)]
pub struct Tcd {
    pub source: u32,
    pub source_offset: i16,
    /// ATTR: SMOD, SSIZE, DMOD, DSIZE.
    pub form: u16,
    pub bytes: u32,
    pub source_last: i32,
    pub destination: u32,
    pub destination_offset: i16,
    pub count: u16,
    pub destination_last: i32,
    pub control: u16,
}

impl Tcd {
    /// `bytes` bytes by words from one place of RAM to another, in one minor loop.
    fn words(source: u32, destination: u32, bytes: u32) -> Self {
        Self {
            source,
            source_offset: 4,
            form: 0x0202,
            bytes,
            source_last: 0,
            destination,
            destination_offset: 4,
            count: 1,
            destination_last: 0,
            control: 0,
        }
    }

    fn image(&self) -> [u32; 8] {
        let pair = |low: u16, high: u16| u32::from(high) << 16 | u32::from(low);
        [
            self.source,
            pair(self.source_offset as u16, self.form),
            self.bytes,
            self.source_last as u32,
            self.destination,
            pair(self.destination_offset as u16, self.count),
            self.destination_last as u32,
            pair(self.control, self.count),
        ]
    }

    pub fn set(&self, bench: &mut Bench, channel: u32) {
        for (index, word) in self.image().into_iter().enumerate() {
            bench.write(tcd(channel) + 4 * index as u32, word);
        }
    }
}

pub fn tcd(channel: u32) -> u32 {
    DMA + 0x1000 + 32 * channel
}

fn csr(bench: &mut Bench, channel: u32) -> u32 {
    bench.read(tcd(channel) + 28) & 0xFFFF
}

fn citer(bench: &mut Bench, channel: u32) -> u32 {
    bench.read(tcd(channel) + 20) >> 16
}

pub fn bench() -> Bench {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(SCGC6, 0x4000_0001 | 1 << 1 | 1 << 12 | 1 << 22 | 1 << 23 | 1 << 27);
    bench.write(SCGC7, 7);
    bench
}

pub fn put(bench: &mut Bench, at: u32, data: &[u8]) {
    for (address, byte) in (at..).zip(data) {
        assert!(bench.bus.memory.write(address, Width::Byte, (*byte).into()));
    }
}

pub fn get(bench: &mut Bench, at: u32, count: u32) -> Vec<u8> {
    (0..count).map(|index| bench.bus.memory.read(at + index, Width::Byte).unwrap() as u8).collect()
}

/// Lets time pass until `channel` has ended its major loop; the cycles since now.
fn until_done(bench: &mut Bench, channel: u32) -> u64 {
    let begun = bench.now;
    while csr(bench, channel) & DONE == 0 {
        let next = bench.bus.shared.events.next_at().get();
        assert!(next < begun + 100_000, "never done");
        bench.pass(next.saturating_sub(bench.now));
    }
    bench.now - begun
}

#[test]
fn a_started_channel_moves_its_minor_loop_in_the_manual_s_cycles() {
    for words in [1u32, 2, 8, 100] {
        let mut bench = bench();
        let data: Vec<u8> = (0..4 * words).map(|byte| byte as u8 ^ 0x5A).collect();
        put(&mut bench, RAM, &data);
        Tcd { control: INTMAJOR | DREQ, ..Tcd::words(RAM, RAM + 0x1000, 4 * words) }.set(&mut bench, 3);
        bench.write(ERQ, 1 << 3);
        byte(&mut bench, SSRT, 3);
        // Six cycles to the first read's data, two a word, three to the write-back.
        assert_eq!(until_done(&mut bench, 3), 6 + 2 * u64::from(words) - 1 + 3, "{words}");
        assert_eq!(get(&mut bench, RAM + 0x1000, 4 * words), data);
        assert!(bench.bus.shared.interrupts.is_high(3));
        assert_eq!([bench.read(INT), bench.read(ERQ), bench.read(ES)], [1 << 3, 0, 0], "DREQ takes the request away");
        byte(&mut bench, CINT, 3);
        byte(&mut bench, CDNE, 3);
        assert!(!bench.bus.shared.interrupts.is_high(3));
        assert_eq!(csr(&mut bench, 3) & DONE, 0);
        assert!(bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", bench.gaps(GapKind::RegisterWrite));
    }
}

#[test]
fn sizes_and_modulos_make_the_order_of_the_accesses() {
    // From bytes to words and back, with a source that stays within eight bytes.
    for (form, source_offset, destination_offset) in [(0x0002, 1, 4), (0x0200, 4, 1), (0x0404, 16, 16), (0x0100, 2, 1)]
    {
        let mut bench = bench();
        let data: Vec<u8> = (1..=32).collect();
        put(&mut bench, RAM, &data);
        Tcd { form, source_offset, destination_offset, ..Tcd::words(RAM, RAM + 0x1000, 32) }.set(&mut bench, 0);
        byte(&mut bench, SSRT, 0);
        until_done(&mut bench, 0);
        assert_eq!(get(&mut bench, RAM + 0x1000, 32), data, "{form:#x}");
    }
    let mut bench = bench();
    put(&mut bench, RAM, &[1, 2, 3, 4, 5, 6, 7, 8]);
    // SMOD 3: a queue of eight bytes, from its fourth byte on.
    let queue = Tcd { form: 3 << 11, source_offset: 1, destination_offset: 1, ..Tcd::words(RAM + 3, RAM + 64, 12) };
    queue.set(&mut bench, 0);
    byte(&mut bench, SSRT, 0);
    until_done(&mut bench, 0);
    assert_eq!(get(&mut bench, RAM + 64, 12), [4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn loops_count_and_end_with_their_offsets() {
    let mut bench = bench();
    put(&mut bench, RAM, &(0..64).collect::<Vec<u8>>());
    bench.write(CR, 1 << 7);
    // Four bytes, and from their end 4 further (EMLM, SMLOE); three times.
    let bytes = 1 << 31 | 4 << 10 | 4;
    let control = INTMAJOR | INTHALF;
    Tcd { bytes, count: 3, source_last: -20, destination_last: -12, control, ..Tcd::words(RAM, RAM + 256, 0) }
        .set(&mut bench, 1);
    for (count, interrupt, source) in [(2, false, 8), (1, true, 16), (3, true, 0)] {
        byte(&mut bench, CINT, 0x40);
        byte(&mut bench, SSRT, 1);
        bench.pass(100);
        assert_eq!((citer(&mut bench, 1), bench.read(tcd(1))), (count, RAM + source));
        assert_eq!(bench.read(INT) & 2 != 0, interrupt, "{count}");
    }
    assert_eq!(bench.read(tcd(1) + 16), RAM + 256);
    assert_eq!(get(&mut bench, RAM + 256, 12), [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19]);
}

#[test]
fn channels_start_others_and_load_new_descriptors() {
    let mut bench = bench();
    put(&mut bench, RAM, &[1, 2, 3, 4]);
    put(&mut bench, RAM + 16, &[5, 6, 7, 8]);
    // Channel 2 twice, each time with channel 5 behind it but for the last; then channel 6.
    let linked = 1 << 15 | 5 << 9 | 2;
    let control = MAJORELINK | 6 << 8;
    Tcd { count: linked, source_offset: 0, control, ..Tcd::words(RAM, RAM + 64, 4) }.set(&mut bench, 2);
    Tcd { count: 7, ..Tcd::words(RAM + 16, RAM + 128, 4) }.set(&mut bench, 5);
    // Channel 6 goes on with a descriptor in RAM, that starts at once.
    let second = Tcd { control: 1, ..Tcd::words(RAM + 16, RAM + 192, 4) };
    for (index, word) in second.image().into_iter().enumerate() {
        put(&mut bench, RAM + 0x800 + 4 * index as u32, &word.to_le_bytes());
    }
    let gathered = Tcd { control: ESG, destination_last: (RAM + 0x800) as i32, ..Tcd::words(RAM, RAM + 160, 4) };
    gathered.set(&mut bench, 6);
    byte(&mut bench, SSRT, 2);
    bench.pass(200);
    assert_eq!((citer(&mut bench, 2) & 0x1FF, citer(&mut bench, 5)), (1, 6), "one minor loop each");
    assert_eq!(get(&mut bench, RAM + 160, 4), [0; 4]);
    byte(&mut bench, SSRT, 2);
    bench.pass(200);
    assert_eq!((citer(&mut bench, 2) & 0x1FF, citer(&mut bench, 5)), (2, 6), "the last one has no minor link");
    assert_eq!(get(&mut bench, RAM + 160, 4), [1, 2, 3, 4], "the major link");
    assert_eq!(get(&mut bench, RAM + 192, 4), [5, 6, 7, 8], "the new descriptor");
    assert_eq!(bench.read(tcd(6) + 16), RAM + 196);
}

#[test]
fn the_higher_priority_goes_first_and_may_suspend_the_other() {
    for preempts in [false, true] {
        let mut bench = bench();
        // Channel 1 may be suspended.
        let own = if preempts { 0x81 } else { 0x01 };
        bench.try_write(DCHPRI + 2, Width::Byte, own).unwrap();
        Tcd::words(RAM, RAM + 0x1000, 400).set(&mut bench, 1);
        Tcd::words(RAM, RAM + 0x2000, 4).set(&mut bench, 9);
        byte(&mut bench, SSRT, 1);
        bench.pass(20);
        let begun = bench.now;
        byte(&mut bench, SSRT, 9);
        let took = until_done(&mut bench, 9);
        let first = csr(&mut bench, 1) & (DONE | 1 << 6);
        assert_eq!(first, if preempts { 1 << 6 } else { DONE });
        assert!(if preempts { took < 15 } else { took > 180 }, "{took}");
        until_done(&mut bench, 1);
        // One unit's end, an entry, an exit and an entry more.
        assert!(bench.now - begun < 220, "{}", bench.now - begun);
    }
    // Round robin: downwards from the last one.
    let mut bench = bench();
    bench.write(CR, 1 << 2 | 1 << 5);
    for channel in [2, 7, 11] {
        Tcd { control: INTMAJOR, ..Tcd::words(RAM, RAM + 0x1000, 4) }.set(&mut bench, channel);
        byte(&mut bench, SSRT, channel);
    }
    bench.pass(100);
    assert_eq!(bench.read(INT), 0, "halted");
    bench.write(CR, 1 << 2);
    let mut order = Vec::new();
    while order.len() < 3 {
        let next = bench.bus.shared.events.next_at().get();
        bench.pass(next - bench.now);
        let new = bench.read(INT);
        if new != 0 {
            order.push(new.trailing_zeros());
            bench.write(INT, new);
        }
    }
    assert_eq!(order, [11, 7, 2]);
}

#[test]
fn errors_stop_the_channel_and_say_why() {
    let good = Tcd::words(RAM, RAM + 0x1000, 8);
    for (what, tcd, errors) in [
        ("SAE", Tcd { source: RAM + 1, ..good }, 1 << 7),
        ("SOE", Tcd { source_offset: 3, ..good }, 1 << 6),
        ("DAE", Tcd { destination: RAM + 2, ..good }, 1 << 5),
        ("DOE", Tcd { destination_offset: 1, ..good }, 1 << 4),
        ("NCE by bytes", Tcd { bytes: 6, ..good }, 1 << 3),
        ("NCE by count", Tcd { count: 0, ..good }, 1 << 3),
        ("SGE", Tcd { control: ESG, destination_last: RAM as i32 + 4, ..good }, 1 << 2),
        ("SBE", Tcd { source: 0x6000_0000, ..good }, 1 << 1),
        ("DBE", Tcd { destination: 0x6000_0000, ..good }, 1),
    ] {
        let mut bench = bench();
        tcd.set(&mut bench, 4);
        bench.write(EEI, 1 << 4);
        byte(&mut bench, SSRT, 4);
        bench.pass(100);
        assert_eq!([bench.read(ES), bench.read(ERR)], [1 << 31 | 4 << 8 | errors, 1 << 4], "{what}");
        assert!(bench.bus.shared.interrupts.is_high(ERROR_LINE), "{what}");
        byte(&mut bench, CERR, 4);
        assert_eq!(bench.read(ES) >> 31, 0);
        assert!(!bench.bus.shared.interrupts.is_high(ERROR_LINE), "{what}");
    }
    // Two channels of one priority: served, and named.
    let mut bench = bench();
    bench.try_write(DCHPRI + 3, Width::Byte, 5).unwrap();
    good.set(&mut bench, 4);
    byte(&mut bench, SSRT, 4);
    until_done(&mut bench, 4);
    assert_eq!(bench.read(ES) & 1 << 14, 1 << 14);
    // A cancelled minor loop ends behind the unit under way.
    let mut bench = crate::k20_dma::bench();
    for (bit, es) in [(17, 0), (16, 1 << 31 | 1 << 16 | 4 << 8)] {
        Tcd { count: 9, ..Tcd::words(RAM, RAM + 0x1000, 400) }.set(&mut bench, 4);
        byte(&mut bench, SSRT, 4);
        bench.pass(20);
        bench.write(CR, 1 << bit);
        bench.pass(20);
        assert_eq!([bench.read(ES), bench.read(CR)], [es, 0]);
        assert_eq!(citer(&mut bench, 4), if bit == 17 { 8 } else { 9 });
    }
}

#[test]
fn requests_come_through_the_multiplexer() {
    let mut bench = bench();
    // An input that is always active: a minor loop as often as the bus allows, until the major loop ends.
    put(&mut bench, RAM, &[9, 8, 7, 6]);
    let tcd = Tcd { count: 4, source_offset: 0, control: DREQ, ..Tcd::words(RAM, RAM + 64, 4) };
    tcd.set(&mut bench, 8);
    byte(&mut bench, MUX + 8, 0x80 | 54);
    byte(&mut bench, SERQ, 8);
    // Seven cycles to the first data, a request every nine, and from the last read's data to the end four.
    assert_eq!(until_done(&mut bench, 8), 7 + 3 * 9 + 4);
    assert_eq!(get(&mut bench, RAM + 64, 16), [9, 8, 7, 6].repeat(4));
    assert_eq!([bench.read(ERQ), bench.read(HRS)], [0, 0]);
    // The same at the pace of PIT's second timer.
    bench.write(PIT, 0);
    bench.write(PIT + 0x110, 499);
    tcd.set(&mut bench, 1);
    byte(&mut bench, MUX + 1, 0xC0 | 54);
    byte(&mut bench, SERQ, 1);
    bench.pass(500);
    assert_eq!([citer(&mut bench, 1), bench.read(HRS)], [4, 0], "the timer stands");
    bench.write(PIT + 0x118, 1);
    let begun = bench.now;
    until_done(&mut bench, 1);
    assert_eq!(bench.now - begun, 4 * 500 * 2 + 7 + 1 + 3);
}
