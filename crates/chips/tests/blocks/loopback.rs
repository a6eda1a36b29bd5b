//! A wire between two pins of an F103: serial ports, SPI, and plain pins.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Pin, SignalKind};

use crate::bench::Bench;
use crate::f103_clocks;
use crate::joint::joint;

const GPIOA: u32 = 0x4001_0800;
const USART1: u32 = 0x4001_3800;
const USART2: u32 = 0x4000_4400;
const SPI1: u32 = 0x4001_3000;

fn joined(a: u8, b: u8) -> Bench {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.attach(vec![joint([a, b].map(|number| Pin { port: 0, number }))], &mut context);
    bench
}

/// PA9 and PA2: TX; PA5 and PA7: SPI; PA0: output.
fn pins(bench: &mut Bench) {
    bench.write(GPIOA, 0xB4B4_4B43);
    bench.write(GPIOA + 4, 0x4444_44B4);
}

#[test]
fn a_serial_port_hears_itself_and_another_in_the_time_of_a_frame() {
    for (a, b, receiver) in [(9, 10, USART1), (9, 3, USART2), (2, 3, USART2)] {
        let mut bench = joined(a, b);
        pins(&mut bench);
        let sender = if a == 9 { USART1 } else { USART2 };
        // 72 and 36 MHz: 115,384 bits a second.
        for (port, divider) in [(USART1, 624), (USART2, 312)] {
            bench.write(port + 8, divider);
            bench.write(port + 12, 1 << 13 | 1 << 3 | 1 << 2);
            bench.pass(10_000);
        }
        for byte in [0x55, 0xA3] {
            bench.write(sender + 4, byte);
            bench.pass(624 * 10 - 200);
            assert_eq!(bench.read(receiver) & 1 << 5, 0, "RXNE not yet");
            bench.pass(900);
            assert_eq!(bench.read(receiver) & 1 << 5, 1 << 5);
            assert_eq!(bench.read(receiver + 4), byte);
        }
        // The edges arrive, too.
        let other = if receiver == USART1 { USART2 } else { USART1 };
        assert!(other == sender || bench.read(other) & 1 << 5 == 0);
    }
}

#[test]
fn an_spi_receives_what_it_sends() {
    let mut bench = joined(7, 6);
    pins(&mut bench);
    bench.write(SPI1, 1 << 2 | 3 << 8 | 2 << 3 | 1 << 6);
    for byte in [0x9F, 0x00, 0x5A] {
        bench.write(SPI1 + 12, byte);
        bench.pass(8 * 8 + 10);
        assert_eq!(bench.read(SPI1 + 8) & 1, 1);
        assert_eq!(bench.read(SPI1 + 12), byte);
    }
    // Not joined: the line reads low.
    let mut bench = joined(0, 1);
    pins(&mut bench);
    bench.write(SPI1, 1 << 2 | 3 << 8 | 2 << 3 | 1 << 6);
    bench.write(SPI1 + 12, 0x9F);
    bench.pass(8 * 8 + 10);
    assert_eq!(bench.read(SPI1 + 12), 0);
}

#[test]
fn a_pin_follows_another() {
    let mut bench = joined(0, 1);
    bench.bus.shared.signals.want(SignalKind::Pin);
    pins(&mut bench);
    for high in [true, false, true] {
        bench.write(GPIOA + 0x10, 1 << if high { 0 } else { 16 });
        bench.pass(10);
        assert_eq!(bench.read(GPIOA + 8) >> 1 & 1 != 0, high);
    }
}

#[test]
fn the_resistor_of_a_pin_pulls_the_other_up() {
    let mut bench = joined(0, 1);
    let level = |bench: &mut Bench| {
        bench.pass(10);
        bench.read(GPIOA + 8) & 1 != 0
    };
    // PA1: an input with a resistor (RM0008, "Port bit configuration table"), PA0 without: first up, then down.
    bench.write(GPIOA + 0x10, 1 << 1);
    bench.write(GPIOA, 0x4444_4484);
    assert!(level(&mut bench));
    bench.write(GPIOA + 0x14, 1 << 1);
    assert!(!level(&mut bench));
    bench.write(GPIOA + 0x10, 1 << 1);
    assert!(level(&mut bench));
    // An output is stronger than the resistor, and no longer there when it is released.
    bench.write(GPIOA, 0x4444_4481);
    assert!(!level(&mut bench));
    assert_eq!(bench.read(GPIOA + 8) & 2, 0);
    bench.write(GPIOA, 0x4444_4484);
    assert!(level(&mut bench));
    // Without the resistor nothing holds the wire.
    bench.write(GPIOA, 0x4444_4444);
    assert!(!level(&mut bench));
}
