//! nRF52840: two-wire interfaces as controllers, with EasyDMA and byte by byte, and as a target (nRF52840 PS, TWIM, TWI, TWIS).

use cyclescope_attached::i2c_controller::I2cController;
use cyclescope_chips::Stimulus;
use cyclescope_machine::GapKind;

use crate::bench::Bench;
use crate::nrf_easydma::hold;
use crate::nrf_timers::{US, part, until};
use crate::nrf_uarte::{bytes, fill};

const TWI0: u32 = 0x4000_3000;
const LINE: usize = 3;
const STARTRX: u32 = TWI0;
const STARTTX: u32 = TWI0 + 0x08;
const STOP: u32 = TWI0 + 0x14;
const RESUME: u32 = TWI0 + 0x20;
const PREPARERX: u32 = TWI0 + 0x30;
const PREPARETX: u32 = TWI0 + 0x34;
const STOPPED: u32 = TWI0 + 0x104;
const RXDREADY: u32 = TWI0 + 0x108;
const TXDSENT: u32 = TWI0 + 0x11C;
const ERROR: u32 = TWI0 + 0x124;
const SUSPENDED: u32 = TWI0 + 0x148;
const RXSTARTED: u32 = TWI0 + 0x14C;
const TXSTARTED: u32 = TWI0 + 0x150;
const LASTRX: u32 = TWI0 + 0x15C;
const LASTTX: u32 = TWI0 + 0x160;
const WRITE: u32 = TWI0 + 0x164;
const READ: u32 = TWI0 + 0x168;
const SHORTS: u32 = TWI0 + 0x200;
const INTENSET: u32 = TWI0 + 0x304;
const ERRORSRC: u32 = TWI0 + 0x4C4;
const TWIS_ERRORSRC: u32 = TWI0 + 0x4D0;
const MATCH: u32 = TWI0 + 0x4D4;
const ENABLE: u32 = TWI0 + 0x500;
const SCL: u32 = TWI0 + 0x508;
const SDA: u32 = TWI0 + 0x50C;
const RXD: u32 = TWI0 + 0x518;
const TXD: u32 = TWI0 + 0x51C;
const FREQUENCY: u32 = TWI0 + 0x524;
const RXD_PTR: u32 = TWI0 + 0x534;
const TXD_PTR: u32 = TWI0 + 0x544;
const ADDRESS: u32 = TWI0 + 0x588;
const CONFIG: u32 = TWI0 + 0x594;
const ORC: u32 = TWI0 + 0x5C0;
const RAM: u32 = 0x2000_0000;
const BB_SUSPEND: u32 = 1 << 0;
const BB_STOP: u32 = 1 << 1;
const LASTTX_STARTRX: u32 = 1 << 7;
const LASTTX_SUSPEND: u32 = 1 << 8;
const LASTTX_STOP: u32 = 1 << 9;
const LASTRX_STOP: u32 = 1 << 12;
/// Cycles of SCL at 250 kHz.
const BIT: u64 = 4 * US;

/// SCL at P0.27, SDA at P1.01, 250 kHz.
fn on(mut bench: Bench, enable: u32) -> Bench {
    for (port, pin) in [(0x5000_0000u32, 27), (0x5000_0300, 1)] {
        // S0D1, pulled up.
        bench.write(port + 0x700 + 4 * pin, 6 << 8 | 3 << 2);
    }
    bench.write(SCL, 27);
    bench.write(SDA, 32 + 1);
    bench.write(FREQUENCY, 0x0400_0000);
    bench.write(ADDRESS, 0x50);
    bench.write(ENABLE, enable);
    bench
}

fn eeprom(enable: u32) -> Bench {
    let mut bench = part();
    // By its pins or by the interface.
    bench.attach(&[if enable == 6 { "eeprom:24c32@scl=P0.27,sda=P1.01" } else { "eeprom:24c32@twi0" }]);
    on(bench, enable)
}

fn buffer(bench: &mut Bench, register: u32, pointer: u32, count: u32) {
    bench.write(register, pointer);
    bench.write(register + 4, count);
}

#[test]
fn easydma_writes_and_reads_a_memory() {
    let mut bench = eeprom(6);
    fill(&mut bench, RAM, &[0, 0x10, 0xAB, 0xCD]);
    buffer(&mut bench, TXD_PTR, RAM, 4);
    bench.write(SHORTS, LASTTX_STOP);
    bench.write(INTENSET, 1 << 1);
    let begun = bench.now;
    bench.write(STARTTX, 1);
    // Half a bit for the start, five bytes, half a bit low and half a bit for the stop.
    assert_eq!(bench.until_line(LINE, 1 << 20), Some(begun + BIT / 2 + 45 * BIT + BIT));
    assert_eq!([TXSTARTED, LASTTX, ERROR].map(|event| bench.read(event)), [1, 1, 0]);
    assert_eq!(bench.read(TXD_PTR + 8), 4);
    bench.write(STOPPED, 0);
    bench.pass(10_000 * US);
    buffer(&mut bench, TXD_PTR, RAM, 2);
    buffer(&mut bench, RXD_PTR, RAM + 0x100, 2);
    bench.write(SHORTS, LASTTX_STARTRX | LASTRX_STOP);
    let begun = bench.now;
    bench.write(STARTTX, 1);
    assert_eq!(bench.until_line(LINE, 1 << 20), Some(begun + BIT / 2 + 27 * BIT + 3 * BIT / 2 + 27 * BIT + BIT));
    assert_eq!(bytes(&bench, RAM + 0x100, 2), [0xAB, 0xCD]);
    assert_eq!([RXSTARTED, LASTRX, RXD_PTR + 8, TXD_PTR + 8].map(|event| bench.read(event)), [1, 1, 2, 2]);
    let gaps = [bench.gaps(GapKind::Setting), bench.gaps(GapKind::RegisterWrite)].concat();
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn nobody_answers_and_a_stop_ends_it() {
    let mut bench = eeprom(6);
    bench.write(ADDRESS, 0x51);
    buffer(&mut bench, TXD_PTR, RAM, 2);
    bench.write(STARTTX, 1);
    bench.pass(20 * BIT);
    assert_eq!([ERROR, ERRORSRC, STOPPED, LASTTX].map(|event| bench.read(event)), [1, 2, 0, 0]);
    bench.write(STOP, 1);
    assert_eq!(until(&mut bench, STOPPED, 1, 10 * BIT), Some(20 * BIT + BIT / 2 + BIT / 2));
    bench.write(ERRORSRC, 2);
    assert_eq!(bench.read(ERRORSRC), 0);
    // A stop without a transfer, and a transfer without bytes.
    bench.write(STOPPED, 0);
    bench.write(STOP, 1);
    assert_eq!(bench.read(STOPPED), 1);
    bench.write(STOPPED, 0);
    bench.write(ADDRESS, 0x50);
    buffer(&mut bench, TXD_PTR, RAM, 0);
    bench.write(STARTTX, 1);
    bench.write(STOP, 1);
    assert!(until(&mut bench, STOPPED, 1, 20 * BIT).is_some());
    assert_eq!(bench.read(TXD_PTR + 8), 0);
}

#[test]
fn a_suspended_transfer_waits() {
    let mut bench = eeprom(6);
    fill(&mut bench, RAM, &[0, 0]);
    buffer(&mut bench, TXD_PTR, RAM, 1);
    bench.write(SHORTS, LASTTX_SUSPEND);
    bench.write(STARTTX, 1);
    bench.pass(40 * BIT);
    assert_eq!([SUSPENDED, STOPPED, TXD_PTR + 8].map(|event| bench.read(event)), [1, 0, 1]);
    bench.write(SHORTS, LASTTX_STOP);
    bench.write(STARTTX, 1);
    bench.pass(10 * BIT);
    assert_eq!(bench.read(STOPPED), 0);
    let begun = bench.now;
    bench.write(RESUME, 1);
    // Nine bits, with half a bit for the data's setup, and no second address.
    let stopped = until(&mut bench, STOPPED, 1, 30 * BIT).unwrap() - begun;
    assert_eq!(stopped, BIT / 2 + 9 * BIT - BIT / 2 + BIT);
}

#[test]
fn bytes_go_one_by_one_without_dma() {
    let mut bench = eeprom(5);
    bench.write(STARTTX, 1);
    for byte in [0, 0x20, 0x5A, 0xA5] {
        bench.write(TXD, byte);
        assert!(until(&mut bench, TXDSENT, 1, 25 * BIT).is_some());
        bench.write(TXDSENT, 0);
    }
    bench.write(STOP, 1);
    assert!(until(&mut bench, STOPPED, 1, 10 * BIT).is_some());
    bench.write(STOPPED, 0);
    bench.pass(10_000 * US);
    bench.write(STARTTX, 1);
    for byte in [0, 0x20] {
        bench.write(TXD, byte);
        assert!(until(&mut bench, TXDSENT, 1, 25 * BIT).is_some());
        bench.write(TXDSENT, 0);
    }
    bench.write(SHORTS, BB_SUSPEND);
    bench.write(STARTRX, 1);
    assert!(until(&mut bench, RXDREADY, 1, 30 * BIT).is_some());
    bench.pass(50 * BIT);
    assert_eq!(bench.read(SUSPENDED), 1);
    bench.write(RXDREADY, 0);
    bench.write(SHORTS, BB_STOP);
    assert_eq!(bench.read(RXD), 0x5A);
    bench.write(RESUME, 1);
    assert!(until(&mut bench, RXDREADY, 1, 30 * BIT).is_some());
    assert_eq!(bench.read(RXD), 0xA5);
    assert!(until(&mut bench, STOPPED, 1, 10 * BIT).is_some());
    assert_eq!(bench.read(ERROR), 0);
}

/// A target at 0x42 and 0x43, with a controller.
fn target() -> Bench {
    let mut bench = part();
    bench.attach(&["i2c-controller:name=c@scl=P0.27,sda=P1.01"]);
    let mut bench = on(bench, 0);
    bench.write(ADDRESS, 0x42);
    bench.write(ADDRESS + 4, 0x43);
    bench.write(CONFIG, 3);
    bench.write(ORC, 0xEE);
    bench.write(ENABLE, 9);
    bench.pass(100);
    bench
}

fn command(bench: &mut Bench, text: &str) {
    let (name, value) = text.split_once(' ').unwrap();
    bench.stimulate(1, Stimulus::Device { device: "c".into(), name: name.into(), value: value.into() });
}

fn log(bench: &Bench) -> Vec<String> {
    let mut devices = bench.bus.peripherals.outside().devices();
    let (_, device) = devices.next().expect("it is attached");
    let log = device.as_any().downcast_ref::<I2cController>().expect("it is one").log();
    log.lines().map(|line| line.split_once("ms ").expect("a time").1.to_owned()).collect()
}

#[test]
fn a_target_takes_and_gives_buffers() {
    let mut bench = target();
    buffer(&mut bench, RXD_PTR, RAM, 2);
    bench.write(PREPARERX, 1);
    command(&mut bench, "write 0x42 01 fe 55");
    bench.pass(1_000 * US);
    assert_eq!([WRITE, RXSTARTED, MATCH, STOPPED, RXD_PTR + 8].map(|event| bench.read(event)), [1, 1, 0, 1, 2]);
    assert_eq!([ERROR, TWIS_ERRORSRC].map(|event| bench.read(event)), [1, 5], "no room for the third");
    assert_eq!(bytes(&bench, RAM, 2), [1, 0xFE]);
    fill(&mut bench, RAM, &[0xA5, 0x7F]);
    buffer(&mut bench, TXD_PTR, RAM, 2);
    bench.write(TWIS_ERRORSRC, 5);
    command(&mut bench, "read 0x43 3");
    bench.pass(500 * US);
    assert_eq!([READ, MATCH, TXSTARTED].map(|event| bench.read(event)), [1, 1, 0], "the clock waits");
    bench.write(PREPARETX, 1);
    bench.pass(1_000 * US);
    assert_eq!([TXSTARTED, TXD_PTR + 8, TWIS_ERRORSRC].map(|event| bench.read(event)), [1, 2, 8]);
    command(&mut bench, "write 0x44 00");
    bench.pass(1_000 * US);
    assert_eq!(
        log(&bench),
        ["write 0x42 01 fe 55: 84+ 01+ fe+ 55-", "read 0x43 3: 87+ a5+ 7f+ ee-", "write 0x44 00: 88-"]
    );
}

#[test]
fn a_target_reads_each_byte_while_the_one_before_goes_out() {
    let mut bench = target();
    buffer(&mut bench, TXD_PTR, RAM, 3);
    fill(&mut bench, RAM, b"123");
    bench.write(PREPARETX, 1);
    // Nothing is read before the controller calls.
    bench.pass(100);
    fill(&mut bench, RAM, b"abc");
    command(&mut bench, "read 0x42 4");
    while bench.read(TXSTARTED) == 0 {
        // The core has the slave: the clock waits for the first byte.
        hold(&mut bench, 0, 1);
    }
    hold(&mut bench, 0, 2_000);
    assert_eq!(bench.read(TXD_PTR + 8), 0);
    fill(&mut bench, RAM, b"def");
    bench.pass(20);
    // The first byte is on its way out, and the second one has been read.
    fill(&mut bench, RAM, b"ghi");
    while bench.read(TXD_PTR + 8) == 0 {
        bench.pass(1);
    }
    bench.pass(700);
    fill(&mut bench, RAM, b"jkl");
    buffer(&mut bench, TXD_PTR, RAM + 0x20, 1);
    bench.pass(1_000 * US);
    assert_eq!(log(&bench), ["read 0x42 4: 85+ 64+ 65+ 69+ ee-"]);
    assert_eq!([TXD_PTR + 8, TWIS_ERRORSRC, STOPPED].map(|event| bench.read(event)), [3, 8, 1]);
    assert!(!bench.bus.memory.ram.is_closed());
}

#[test]
fn a_byte_on_its_way_to_a_target_is_waited_for_even_if_it_is_the_last() {
    let mut bench = target();
    fill(&mut bench, RAM, b"a");
    buffer(&mut bench, TXD_PTR, RAM, 1);
    bench.write(PREPARETX, 1);
    command(&mut bench, "read 0x42 2");
    while bench.read(TXSTARTED) == 0 {
        hold(&mut bench, 0, 1);
    }
    hold(&mut bench, 0, 2_000);
    // A register is written meanwhile.
    bench.write(ORC, 0xEE);
    hold(&mut bench, 0, 2_000);
    bench.pass(1_000 * US);
    fill(&mut bench, RAM, b"bc");
    buffer(&mut bench, TXD_PTR, RAM, 2);
    bench.write(TWIS_ERRORSRC, 8);
    bench.write(TXSTARTED, 0);
    bench.write(PREPARETX, 1);
    command(&mut bench, "read 0x42 2");
    while bench.read(TXSTARTED) == 0 {
        bench.pass(1);
    }
    // The first byte is there; the core has the slave through all of its bits.
    bench.pass(4);
    hold(&mut bench, 0, 20 * BIT);
    bench.pass(1_000 * US);
    assert_eq!(log(&bench), ["read 0x42 2: 85+ 61+ ee-", "read 0x42 2: 85+ 62+ 63-"]);
    assert_eq!([TXD_PTR + 8, TWIS_ERRORSRC].map(|event| bench.read(event)), [2, 0]);
}

#[test]
fn a_controller_on_a_shared_bus_follows_its_edges() {
    let mut bench = target();
    bench.write(ENABLE, 6);
    bench.write(ADDRESS, 0x10);
    buffer(&mut bench, TXD_PTR, RAM, 2);
    bench.write(STARTTX, 1);
    bench.pass(30 * BIT);
    assert_eq!([ERROR, ERRORSRC].map(|event| bench.read(event)), [1, 2]);
    bench.write(STOP, 1);
    assert!(until(&mut bench, STOPPED, 1, 10 * BIT).is_some());
}
