//! nRF52840: SPI as a controller, with EasyDMA and byte by byte, and as a target (nRF52840 PS, SPIM, SPI, SPIS).

use cyclescope_machine::GapKind;

use crate::bench::{Bench, PORT0};
use crate::nrf_easydma::hold;
use crate::nrf_timers::{part, until};
use crate::nrf_uarte::{STORED, bytes, fill};

const SPI0: u32 = 0x4000_3000;
const SPI2: u32 = 0x4002_3000;
const SPIM3: u32 = 0x4002_F000;
const START: u32 = 0x10;
const STOP: u32 = 0x14;
const SUSPEND: u32 = 0x1C;
const RESUME: u32 = 0x20;
const ACQUIRE: u32 = 0x24;
const RELEASE: u32 = 0x28;
const STOPPED: u32 = 0x104;
const SPIS_END: u32 = 0x104;
const READY: u32 = 0x108;
const ENDRX: u32 = 0x110;
const END: u32 = 0x118;
const ENDTX: u32 = 0x120;
const ACQUIRED: u32 = 0x128;
const STARTED: u32 = 0x14C;
const SHORTS: u32 = 0x200;
const INTENSET: u32 = 0x304;
const SEMSTAT: u32 = 0x400;
const STATUS: u32 = 0x440;
const ENABLE: u32 = 0x500;
const PSEL: u32 = 0x508;
const RXD: u32 = 0x518;
const TXD: u32 = 0x51C;
const FREQUENCY: u32 = 0x524;
const RXD_PTR: u32 = 0x534;
const TXD_PTR: u32 = 0x544;
const CONFIG: u32 = 0x554;
const DEF: u32 = 0x55C;
const ORC: u32 = 0x5C0;
const RAM: u32 = 0x2000_0000;
const P0: u32 = 0x5000_0000;
const OUTSET: u32 = P0 + 0x508;
const OUTCLR: u32 = P0 + 0x50C;
/// A byte at 8 MHz.
const BYTE: u64 = 64;

/// The pins P0.02 to P0.05 for the four registers PSEL, 8 MHz.
fn on(bench: &mut Bench, base: u32, enable: u32) {
    for index in 0..4 {
        bench.write(base + PSEL + 4 * index, 2 + index);
    }
    bench.write(base + FREQUENCY, 0x8000_0000);
    bench.write(base + ENABLE, enable);
}

/// A memory whose chip select is P0.05, driven by the program.
fn memory(base: u32, enable: u32) -> Bench {
    let mut bench = part();
    bench.attach(&["flash:w25q32@sck=P0.02,mosi=P0.03,miso=P0.04,cs=P0.05"]);
    bench.write(OUTSET, 1 << 5);
    bench.write(P0 + 0x518, 1 << 5);
    on(&mut bench, base, enable);
    bench
}

fn buffer(bench: &mut Bench, register: u32, pointer: u32, count: u32) {
    bench.write(register, pointer);
    bench.write(register + 4, count);
}

#[test]
fn easydma_reads_a_memory_s_identity() {
    for base in [SPI0, SPI2] {
        let mut bench = memory(base, 7);
        bench.write(base + INTENSET, 1 << 6);
        fill(&mut bench, RAM, &[0x9F]);
        buffer(&mut bench, base + TXD_PTR, RAM, 1);
        buffer(&mut bench, base + RXD_PTR, RAM + 0x10, 4);
        bench.write(OUTCLR, 1 << 5);
        let begun = bench.now;
        bench.write(base + START, 1);
        assert_eq!([STARTED, ENDTX].map(|event| bench.read(base + event)), [1, 0]);
        bench.pass(BYTE);
        assert_eq!([ENDTX, ENDRX].map(|event| bench.read(base + event)), [1, 0]);
        assert_eq!(bench.until_line(if base == SPI0 { 3 } else { 35 }, 10_000), Some(begun + 4 * BYTE + STORED));
        bench.write(OUTSET, 1 << 5);
        assert_eq!(bytes(&bench, RAM + 0x11, 3), [0xEF, 0x40, 0x16]);
        assert_eq!([ENDRX, RXD_PTR + 8, TXD_PTR + 8].map(|event| bench.read(base + event)), [1, 4, 1]);
        let gaps = [bench.gaps(GapKind::Setting), bench.gaps(GapKind::RegisterWrite)].concat();
        assert!(gaps.is_empty(), "{gaps:?}");
    }
}

#[test]
fn the_fast_one_selects_its_target() {
    // The target is selected by CSN: the edges of a byte at 32 MHz, and of the select around it.
    let mut bench = part();
    bench.attach(&["flash:w25q32@sck=P0.02,mosi=P0.03,miso=P0.04,cs=P0.05"]);
    on(&mut bench, SPIM3, 7);
    bench.write(SPIM3 + FREQUENCY, 0x1400_0000);
    fill(&mut bench, RAM, &[0x9F, 0xFF, 0xFF, 0xFF]);
    buffer(&mut bench, SPIM3 + TXD_PTR, RAM, 4);
    buffer(&mut bench, SPIM3 + RXD_PTR, RAM + 0x10, 4);
    bench.pass(8);
    bench.bus.shared.signals.drain().count();
    bench.write(SPIM3 + START, 1);
    assert_eq!(until(&mut bench, SPIM3 + END, 1, 1_000), Some(8 + 2 + 4 * 16 + STORED));
    bench.pass(10);
    assert_eq!(bytes(&bench, RAM + 0x11, 3), [0xEF, 0x40, 0x16]);
    assert_eq!(bench.edges(PORT0, 5), [(8, false), (8 + 2 + 64 + 2, true)]);
}

#[test]
fn modes_and_orders_shape_the_lines() {
    for (config, first, data) in [(0u32, 4, 0x86), (2, 0, 0x86), (4, 4, 0x86), (1, 4, 0x61)] {
        let mut bench = part();
        on(&mut bench, SPI2, 7);
        bench.write(SPI2 + CONFIG, config);
        fill(&mut bench, RAM, &[0x86]);
        buffer(&mut bench, SPI2 + TXD_PTR, RAM, 1);
        bench.pass(8);
        let before = bench.bus.peripherals.pin(cyclescope_machine::Pin::numbered(0, 2));
        assert_eq!(before, config & 4 != 0);
        bench.bus.shared.signals.drain().count();
        bench.write(SPI2 + START, 1);
        bench.pass(100);
        let signals: Vec<_> = bench.bus.shared.signals.drain().collect();
        let edges = |number: u8| -> Vec<(u64, bool)> {
            let of = |signal: &cyclescope_machine::Signal| match signal {
                cyclescope_machine::Signal::Pin { pin, high } if (pin.port, pin.number) == (PORT0, number) => {
                    Some(*high)
                }
                _ => None,
            };
            signals.iter().filter_map(|(at, signal)| Some((at.get(), of(signal)?))).collect()
        };
        let clock = edges(2);
        assert_eq!((clock.len(), clock[0]), (16, (8 + first, !before)), "{config}");
        // The level of MOSI in the middle of each bit.
        let level = |at: u64| edges(3).iter().rev().find(|(edge, _)| *edge <= at).is_some_and(|(_, high)| *high);
        let seen = (0..8).fold(0, |byte, bit| byte << 1 | u32::from(level(8 + 8 * bit + 4)));
        assert_eq!(seen, data, "{config}");
    }
}

#[test]
fn stops_and_suspensions_come_between_bytes() {
    let mut bench = part();
    on(&mut bench, SPI0, 7);
    bench.write(SPI0 + ORC, 0x55);
    buffer(&mut bench, SPI0 + RXD_PTR, RAM, 10);
    bench.write(SPI0 + START, 1);
    bench.pass(BYTE + 10);
    bench.write(SPI0 + SUSPEND, 1);
    bench.pass(10 * BYTE);
    assert_eq!(bench.read(SPI0 + RXD_PTR + 8), 2);
    bench.write(SPI0 + RESUME, 1);
    bench.pass(10);
    bench.write(SPI0 + STOP, 1);
    bench.pass(BYTE);
    assert_eq!([STOPPED, END, RXD_PTR + 8].map(|event| bench.read(SPI0 + event)), [1, 0, 3]);
    // A transfer without bytes ends, too; a list of buffers moves on.
    buffer(&mut bench, SPI0 + RXD_PTR, RAM + 4, 0);
    bench.write(SPI0 + START, 1);
    bench.pass(4);
    assert_eq!([ENDRX, ENDTX, END].map(|event| bench.read(SPI0 + event)), [1, 1, 1]);
    // Even one that starts the next takes its time.
    bench.write(SPI0 + SHORTS, 1 << 17);
    bench.write(SPI0 + START, 1);
    bench.pass(1_000);
    bench.write(SPI0 + SHORTS, 0);
    bench.pass(8);
    buffer(&mut bench, SPI0 + RXD_PTR, RAM + 4, 3);
    bench.write(SPI0 + RXD_PTR + 12, 1);
    bench.write(SPI0 + START, 1);
    bench.pass(3 * BYTE + STORED);
    assert_eq!([RXD_PTR, END].map(|register| bench.read(SPI0 + register)), [RAM + 7, 1]);
}

#[test]
fn a_stop_waits_for_all_bytes_on_their_way_to_ram() {
    let mut bench = part();
    on(&mut bench, SPI0, 7);
    buffer(&mut bench, SPI0 + RXD_PTR, RAM, 10);
    bench.write(SPI0 + START, 1);
    bench.pass(BYTE);
    hold(&mut bench, 0, 10);
    bench.write(SPI0 + STOP, 1);
    hold(&mut bench, 0, BYTE);
    assert_eq!([STOPPED, RXD_PTR + 8].map(|register| bench.read(SPI0 + register)), [0, 0]);
    bench.pass(1);
    assert_eq!([STOPPED, RXD_PTR + 8].map(|register| bench.read(SPI0 + register)), [0, 1]);
    bench.pass(1);
    assert_eq!([STOPPED, RXD_PTR + 8].map(|register| bench.read(SPI0 + register)), [1, 2]);
}

#[test]
fn a_byte_waits_for_a_clock() {
    let mut bench = part();
    bench.attach(&["loopback@a=P0.03,b=P0.04"]);
    on(&mut bench, SPI0, 7);
    bench.write(SPI0 + FREQUENCY, 0);
    fill(&mut bench, RAM, b"ab");
    buffer(&mut bench, SPI0 + TXD_PTR, RAM, 2);
    buffer(&mut bench, SPI0 + RXD_PTR, RAM + 0x10, 2);
    bench.write(SPI0 + START, 1);
    bench.pass(100);
    assert_eq!(bench.gaps(GapKind::Setting), ["TWISPI0: its settings make no clock, so that no transfer begins"]);
    bench.write(SPI0 + SUSPEND, 1);
    bench.write(SPI0 + FREQUENCY, 0x8000_0000);
    bench.write(SPI0 + RESUME, 1);
    bench.pass(2 * BYTE + STORED);
    assert_eq!((bench.read(SPI0 + END), bytes(&bench, RAM + 0x10, 2)), (1, b"ab".to_vec()));
}

#[test]
fn a_select_that_has_ended_stays_so_while_a_byte_goes_to_ram() {
    let mut bench = part();
    on(&mut bench, SPIM3, 7);
    buffer(&mut bench, SPIM3 + RXD_PTR, RAM, 1);
    let level = |bench: &Bench| bench.bus.peripherals.pin(cyclescope_machine::Pin::numbered(0, 5));
    bench.write(SPIM3 + START, 1);
    bench.pass(10);
    assert!(!level(&bench));
    hold(&mut bench, 0, 2 * BYTE);
    assert_eq!((bench.read(SPIM3 + END), level(&bench)), (0, true));
    // PSELDCX: the pins are looked at anew.
    bench.write(SPIM3 + 0x56C, 6);
    assert!(level(&bench));
    bench.pass(2);
    assert_eq!((bench.read(SPIM3 + END), level(&bench)), (1, true));
}

#[test]
fn bytes_go_one_by_one_without_dma() {
    let mut bench = memory(SPI2, 1);
    bench.write(OUTCLR, 1 << 5);
    let mut got = Vec::new();
    bench.write(SPI2 + TXD, 0x9F);
    bench.write(SPI2 + TXD, 0);
    for _ in 0..4 {
        assert!(until(&mut bench, SPI2 + READY, 1, 4 * BYTE).is_some());
        bench.write(SPI2 + READY, 0);
        got.push(bench.read(SPI2 + RXD));
        bench.write(SPI2 + TXD, 0);
    }
    assert_eq!(got[1..], [0xEF, 0x40, 0x16]);
}

#[test]
fn dcx_tells_commands_from_data() {
    for (count, expected) in [(1, vec![(10 + 16, true)]), (15, vec![]), (0, vec![(10, true)])] {
        let mut bench = part();
        on(&mut bench, SPIM3, 7);
        bench.write(SPIM3 + FREQUENCY, 0x1400_0000);
        bench.write(SPIM3 + 0x56C, 6);
        bench.write(SPIM3 + 0x570, count);
        buffer(&mut bench, SPIM3 + TXD_PTR, RAM, 3);
        bench.pass(8);
        bench.write(SPIM3 + START, 1);
        bench.pass(200);
        assert_eq!(bench.edges(PORT0, 6), expected, "{count}");
    }
}

/// A target in that mode, with a controller.
fn target(mode: u32) -> Bench {
    let mut bench = part();
    // SCK, MISO, MOSI, CSN.
    bench.attach(&[&format!("spi-controller:name=c,mode={mode}@sck=P0.02,miso=P0.03,mosi=P0.04,cs=P0.05")]);
    bench.write(SPI2 + CONFIG, (mode >> 1) << 2 | (mode & 1) << 1);
    on(&mut bench, SPI2, 2);
    bench.write(SPI2 + DEF, 0xDD);
    bench.write(SPI2 + ORC, 0xEE);
    bench.pass(100);
    bench
}

fn command(bench: &mut Bench, frames: &str) {
    bench.controller_sends(frames);
    bench.pass(10_000);
}

#[test]
fn a_target_exchanges_buffers_in_all_modes() {
    for mode in 0..4 {
        let mut bench = target(mode);
        assert_eq!(bench.read(SPI2 + SEMSTAT), 1);
        fill(&mut bench, RAM, &[0xA5, 0x7E]);
        buffer(&mut bench, SPI2 + TXD_PTR, RAM, 2);
        buffer(&mut bench, SPI2 + RXD_PTR, RAM + 0x10, 2);
        command(&mut bench, "01 02");
        assert_eq!(bench.read(SPI2 + SPIS_END), 0, "the core has the buffers");
        bench.write(SPI2 + SHORTS, 1 << 2);
        bench.write(SPI2 + RELEASE, 1);
        assert_eq!(bench.read(SPI2 + SEMSTAT), 0);
        command(&mut bench, "9f 01 80");
        assert_eq!(bench.controller_log(), ["01>dd 02>dd", "9f>a5 01>7e 80>ee"], "{mode}");
        assert_eq!(bytes(&bench, RAM + 0x10, 2), [0x9F, 1]);
        assert_eq!([SPIS_END, ENDRX, ACQUIRED, SEMSTAT, STATUS].map(|event| bench.read(SPI2 + event)), [1, 1, 1, 1, 3]);
        assert_eq!([RXD_PTR + 8, TXD_PTR + 8].map(|event| bench.read(SPI2 + event)), [2, 2]);
        bench.write(SPI2 + STATUS, 3);
        assert_eq!(bench.read(SPI2 + STATUS), 0);
    }
}

/// The core has `slave` of the RAM, if any, until the controller's clock has had `edges` edges.
fn until_clocked(bench: &mut Bench, edges: usize, slave: Option<u32>) {
    let clock = |bench: &Bench| bench.bus.peripherals.pin(cyclescope_machine::Pin::numbered(0, 2));
    let (mut seen, mut level) = (0, clock(bench));
    for _ in 0..20_000 {
        seen += usize::from(clock(bench) != level);
        level = clock(bench);
        if seen >= edges {
            return;
        }
        match slave {
            Some(slave) => hold(bench, slave, 1),
            None => bench.pass(1),
        }
    }
    panic!("no clock comes");
}

#[test]
fn a_target_reads_each_byte_while_the_one_before_goes_out() {
    for mode in 0..4 {
        let mut bench = target(mode);
        fill(&mut bench, RAM, b"abcd");
        buffer(&mut bench, SPI2 + TXD_PTR, RAM, 4);
        bench.write(SPI2 + RELEASE, 1);
        bench.controller_sends("01 02 03 04 05");
        // Inside the first byte the second one has been read. What the registers say counts for the next transfer.
        until_clocked(&mut bench, 5, None);
        fill(&mut bench, RAM, b"wxyz");
        buffer(&mut bench, SPI2 + TXD_PTR, RAM + 0x20, 1);
        until_clocked(&mut bench, 16, None);
        fill(&mut bench, RAM, b"WXYZ");
        bench.pass(10_000);
        assert_eq!(bench.controller_log(), ["01>61 02>62 03>79 04>5a 05>ee"], "{mode}");
        assert_eq!((bench.read(SPI2 + TXD_PTR + 8), bench.read(SPI2 + STATUS) & 1), (4, 1));
        assert!(bench.gaps(GapKind::Setting).is_empty());
    }
}

#[test]
fn a_byte_that_a_target_has_not_read_in_time_is_not_sent() {
    let mut bench = target(0);
    fill(&mut bench, RAM, b"abc");
    buffer(&mut bench, SPI2 + TXD_PTR, RAM, 3);
    bench.write(SPI2 + RELEASE, 1);
    bench.controller_sends("01 02 03");
    assert!(!bench.bus.memory.ram.is_closed());
    until_clocked(&mut bench, 5, Some(0));
    assert!(bench.bus.memory.ram.is_closed());
    bench.pass(10_000);
    assert_eq!(bench.controller_log(), ["01>00 02>62 03>63"]);
    assert_eq!((bench.read(SPI2 + TXD_PTR + 8), bench.read(SPI2 + STATUS) & 1), (3, 0));
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("nothing to send")));
    // A transfer that ends early leaves nothing of its next byte behind.
    fill(&mut bench, RAM, b"def");
    for expected in ["01>64", "01>64 02>65"] {
        bench.controller_sends(if expected.len() > 5 { "01 02" } else { "01" });
        bench.pass(10_000);
        assert_eq!(bench.controller_log().last().map(String::as_str), Some(expected));
    }
}

#[test]
fn behind_a_byte_that_came_too_late_a_target_reads_the_next_one_at_once() {
    let mut bench = target(0);
    fill(&mut bench, RAM, b"abc");
    buffer(&mut bench, SPI2 + TXD_PTR, RAM, 3);
    bench.write(SPI2 + RELEASE, 1);
    bench.controller_sends("01 02 03");
    // There is no edge any more before the second byte begins.
    until_clocked(&mut bench, 16, Some(0));
    bench.pass(10_000);
    assert_eq!(bench.controller_log(), ["01>00 02>62 03>63"]);
}

#[test]
fn the_core_waits_for_the_semaphore() {
    let mut bench = target(0);
    bench.write(SPI2 + RELEASE, 1);
    bench.set_pin(0, PORT0, 5, Some(false));
    bench.pass(1);
    bench.write(SPI2 + ACQUIRE, 1);
    assert_eq!(bench.read(SPI2 + ACQUIRED), 0);
    bench.set_pin(0, PORT0, 5, Some(true));
    bench.pass(1);
    assert_eq!([ACQUIRED, SPIS_END].map(|event| bench.read(SPI2 + event)), [1, 1]);
}

#[test]
fn a_target_selected_again_while_bytes_go_to_ram_has_its_buffers() {
    let mut bench = target(0);
    bench.write(SPI2 + RELEASE, 1);
    // The core will have the slave of what comes in, and not that of what goes out.
    fill(&mut bench, RAM + 0x2000, &[0xA5, 0x7E]);
    buffer(&mut bench, SPI2 + TXD_PTR, RAM + 0x2000, 2);
    buffer(&mut bench, SPI2 + RXD_PTR, RAM + 0x10, 2);
    let selected = |bench: &Bench| !bench.bus.peripherals.pin(cyclescope_machine::Pin::numbered(0, 5));
    for (frames, selects) in [("01 02", [true, false]), ("03", [true, true])] {
        bench.controller_sends(frames);
        for level in selects {
            while selected(&bench) != level {
                hold(&mut bench, 0, 1);
            }
        }
    }
    // Selected again, before the bytes are in RAM.
    assert_eq!([SPIS_END, ENDRX, SEMSTAT].map(|register| bench.read(SPI2 + register)), [0, 0, 2]);
    bench.pass(2);
    assert_eq!([SPIS_END, ENDRX, SEMSTAT].map(|register| bench.read(SPI2 + register)), [1, 1, 2]);
    assert!(selected(&bench));
    bench.pass(10_000);
    assert_eq!(bench.controller_log(), ["01>a5 02>7e", "03>a5"]);
    assert_eq!((bench.read(SPI2 + SEMSTAT), bytes(&bench, RAM + 0x10, 2)), (0, vec![3, 2]));
}

#[test]
fn hostile_settings_are_named() {
    let mut bench = part();
    on(&mut bench, SPIM3, 7);
    for frequency in [0, 1, u32::MAX] {
        bench.write(SPIM3 + FREQUENCY, frequency);
        for (pointer, count) in [(u32::MAX - 3, 0xFFFF), (0, 3)] {
            buffer(&mut bench, SPIM3 + TXD_PTR, pointer, count);
            buffer(&mut bench, SPIM3 + RXD_PTR, pointer, count);
            bench.write(SPIM3 + START, 1);
            bench.pass(1_000);
            bench.write(SPIM3 + ENABLE, 0);
            bench.write(SPIM3 + ENABLE, 7);
        }
    }
    let gaps = bench.gaps(GapKind::Setting);
    assert!(gaps.contains(&"SPIM3: EasyDMA reaches nothing but the data RAM"), "{gaps:?}");
    assert!(gaps.contains(&"SPIM3: its settings make no clock, so that no transfer begins"), "{gaps:?}");
}
