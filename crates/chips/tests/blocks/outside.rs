//! Attached devices, reached by pins that the program moves by hand, and the edges of transfers.

use std::any::Any;
use std::collections::VecDeque;

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{
    Attached, Attachment, Contact, GapKind, I2cAddress, Line, Pin, Signal, SignalKind, Transfer, Voltage, Wire,
};

use crate::bench::Bench;
use crate::f103_clocks;

const GPIOA: u32 = 0x4001_0800;
const GPIOB: u32 = 0x4001_0C00;
const CRL: u32 = 0x00;
const CRH: u32 = 0x04;
const IDR: u32 = 0x08;
const BSRR: u32 = 0x10;
const USART1: u32 = 0x4001_3800;

/// Keeps what it hears, and sends what it is told to.
#[derive(Clone, Debug, Default)]
struct Probe {
    spi: bool,
    heard: Vec<String>,
    sends: VecDeque<u8>,
    /// Behind each byte it holds the clock for ever.
    stretches: bool,
}

impl Attached for Probe {
    fn pins(&self) -> &'static [&'static str] {
        if self.spi { &["sck", "mosi", "miso", "cs", "dc"] } else { &["scl", "sda", "int"] }
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        contact.wake_at(Picoseconds::new(100_000_000));
    }

    fn i2c_start(&mut self, address: I2cAddress, read: bool, _: &mut Contact<'_>) -> bool {
        self.heard.push(format!("{} {address:?}", if read { "from" } else { "to" }));
        address == I2cAddress::Seven(0x3C)
    }

    fn i2c_write(&mut self, byte: u8, contact: &mut Contact<'_>) -> bool {
        self.heard.push(format!("{byte:02x}"));
        if byte == 0xEE {
            contact.complain("it has no register 0xee");
        }
        if self.stretches {
            contact.stretch(Picoseconds::MAX);
        }
        byte != 0xEE
    }

    fn i2c_read(&mut self, _: &mut Contact<'_>) -> u8 {
        self.sends.pop_front().unwrap_or(0xFF)
    }

    fn i2c_stop(&mut self, _: &mut Contact<'_>) {
        self.heard.push("stop".into());
    }

    fn spi_select(&mut self, selected: bool, _: &mut Contact<'_>) -> Option<u8> {
        self.heard.push(format!("select {selected}"));
        selected.then(|| self.sends.pop_front()).flatten()
    }

    fn spi_byte(&mut self, byte: u8, _: &mut Contact<'_>) -> Option<u8> {
        self.heard.push(format!("{byte:02x}"));
        self.sends.pop_front()
    }

    fn pin(&mut self, pin: usize, high: bool, _: &mut Contact<'_>) {
        self.heard.push(format!("{}={}", self.pins()[pin], u8::from(high)));
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        self.heard.push(format!("awake at {}", contact.now().get()));
        contact.drive(2, Some(true));
    }

    fn set(&mut self, name: &str, value: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        self.heard.push(format!("{name} is {value}"));
        if name == "levels" {
            let level = |digit| Some(digit == '1');
            value.chars().enumerate().for_each(|(pin, digit)| contact.drive(pin, level(digit)));
            return Ok(());
        }
        if name == "temperature" { Ok(()) } else { Err("it measures a temperature".into()) }
    }
}

fn attach(bench: &mut Bench, name: &str, probe: Probe, wires: &[(u8, u8)]) {
    let wires = wires.iter().map(|(port, number)| Some(Wire::Pin(Pin { port: *port, number: *number }))).collect();
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.attach(vec![Attachment { name: name.into(), device: Box::new(probe), wires }], &mut context);
}

fn heard(bench: &Bench) -> Vec<String> {
    let mut devices = bench.bus.peripherals.outside().devices();
    let (_, device) = devices.next().unwrap();
    device.as_any().downcast_ref::<Probe>().unwrap().heard.clone()
}

/// A controller on PB6 (SCL) and PB7 (SDA), both outputs with open drain.
struct ByHand(Bench);

impl ByHand {
    fn new(probe: Probe) -> Self {
        let mut bench = f103_clocks::fast(MemorySetting::Equal);
        bench.bus.shared.signals.want(SignalKind::Transfer);
        attach(&mut bench, "probe", probe, &[(1, 6), (1, 7), (1, 0)]);
        bench.write(GPIOB + BSRR, 3 << 6);
        bench.write(GPIOB + CRL, 0x5544_4444);
        bench.pass(10);
        Self(bench)
    }

    fn set(&mut self, pin: u8, high: bool) {
        self.0.write(GPIOB + BSRR, 1 << (pin + if high { 0 } else { 16 }));
        self.0.pass(100);
    }

    fn sda(&mut self) -> bool {
        self.0.read(GPIOB + IDR) & 1 << 7 != 0
    }

    fn start(&mut self) {
        for (pin, high) in [(7, true), (6, true), (7, false), (6, false)] {
            self.set(pin, high);
        }
    }

    fn stop(&mut self) {
        for (pin, high) in [(7, false), (6, true), (7, true)] {
            self.set(pin, high);
        }
    }

    fn bit(&mut self, high: bool) -> bool {
        self.set(7, high);
        self.set(6, true);
        let level = self.sda();
        self.set(6, false);
        level
    }

    /// Sends a byte; whether it is acknowledged.
    fn send(&mut self, byte: u8) -> bool {
        (0..8).rev().for_each(|bit| assert_eq!(self.bit(byte >> bit & 1 != 0), byte >> bit & 1 != 0));
        !self.bit(true)
    }

    fn receive(&mut self, acknowledge: bool) -> u8 {
        let byte = (0..8).fold(0, |byte, _| byte << 1 | u8::from(self.bit(true)));
        self.bit(!acknowledge);
        byte
    }
}

#[test]
fn a_program_that_moves_the_pins_by_hand_reaches_a_target_on_i2c() {
    let mut hand = ByHand::new(Probe { sends: [0xA5, 0x01, 0x7F].into(), ..Probe::default() });
    hand.start();
    assert!(hand.send(0x3C << 1), "acknowledged");
    assert!(hand.send(0x12) && !hand.send(0xEE));
    hand.start();
    assert!(hand.send(0x3C << 1 | 1), "after a repeated start");
    assert_eq!([hand.receive(true), hand.receive(true), hand.receive(false)], [0xA5, 0x01, 0x7F]);
    hand.stop();
    hand.start();
    assert!(!hand.send(0x3D << 1), "for somebody else");
    hand.stop();
    let expected = ["to Seven(60)", "12", "ee", "from Seven(60)", "stop", "to Seven(61)"];
    let heard: Vec<String> =
        heard(&hand.0).into_iter().filter(|heard| !heard.starts_with("awake") && heard != "int=1").collect();
    assert_eq!(heard, expected);
    let gaps = hand.0.gaps(GapKind::Setting);
    assert_eq!(gaps, ["probe: it has no register 0xee"]);
    let seen: Vec<Transfer> = { hand.0.bus.shared.signals.drain() }
        .filter_map(|(_, signal)| match signal {
            Signal::Transfer { line: Line::Attached(0), transfer } => Some(transfer),
            _ => None,
        })
        .collect();
    let start =
        |address, read, acknowledged| Transfer::I2cStart { address: I2cAddress::Seven(address), read, acknowledged };
    let byte = |byte, acknowledged| Transfer::I2cByte { byte, acknowledged };
    assert_eq!(
        seen,
        [
            start(0x3C, false, true),
            byte(0x12, true),
            byte(0xEE, false),
            start(0x3C, true, true),
            byte(0xA5, true),
            byte(0x01, true),
            byte(0x7F, false),
            Transfer::I2cStop,
            start(0x3D, false, false),
        ]
    );
}

#[test]
fn a_target_that_holds_the_clock_of_pins_moved_by_hand_for_ever_holds_it() {
    let mut hand = ByHand::new(Probe { stretches: true, ..Probe::default() });
    hand.start();
    assert!(hand.send(0x3C << 1), "acknowledged");
    hand.send(0x12);
    for _ in 0..3 {
        hand.set(6, true);
        hand.0.pass(1 << 40);
        assert_eq!(hand.0.read(GPIOB + IDR) & 1 << 6, 0, "SCL is low");
    }
}

#[test]
fn a_program_that_moves_the_pins_by_hand_reaches_a_target_on_spi_in_modes_0_and_3() {
    for idle in [false, true] {
        let mut bench = f103_clocks::fast(MemorySetting::Equal);
        let probe = Probe { spi: true, sends: [0xC3, 0x5A].into(), ..Probe::default() };
        // PA0 to PA4; PA2 comes in.
        bench.write(GPIOA + BSRR, 1 << 3 | u32::from(idle));
        bench.write(GPIOA + CRL, 0x4441_1411);
        attach(&mut bench, "probe", probe, &[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]);
        let set = |bench: &mut Bench, pin: u32, high: bool| {
            bench.write(GPIOA + BSRR, 1 << (pin + if high { 0 } else { 16 }));
            bench.pass(50);
        };
        set(&mut bench, 3, false);
        let mut received = Vec::new();
        for sent in [0x9Fu8, 0x01] {
            let mut byte = 0;
            for bit in (0..8).rev() {
                if idle {
                    set(&mut bench, 0, false);
                }
                set(&mut bench, 1, sent >> bit & 1 != 0);
                set(&mut bench, 0, true);
                byte = byte << 1 | bench.read(GPIOA + IDR) >> 2 & 1;
                if !idle {
                    set(&mut bench, 0, false);
                }
            }
            received.push(byte);
        }
        set(&mut bench, 4, true);
        set(&mut bench, 3, true);
        assert_eq!(received, [0xC3, 0x5A], "idle {idle}");
        let heard: Vec<String> =
            heard(&bench).into_iter().filter(|heard| !heard.starts_with("awake") && heard != "int=1").collect();
        assert_eq!(heard, ["select true", "cs=0", "9f", "01", "dc=1", "select false", "cs=1"]);
    }
}

#[test]
fn a_device_wakes_at_its_time_and_drives_its_pins() {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    attach(&mut bench, "probe", Probe::default(), &[(1, 6), (1, 7), (1, 0)]);
    bench.pass(20_000);
    let before = heard(&bench);
    assert_eq!(before.iter().filter(|heard| heard.starts_with("awake")).count(), 1);
    assert_eq!(bench.read(GPIOB + IDR) & 0xC1, 0xC1, "two pull-ups, and a line driven high");
    let forked = bench.bus.clone();
    bench.stimulate(5, Stimulus::Device { device: "probe".into(), name: "temperature".into(), value: "21".into() });
    bench.stimulate(6, Stimulus::Device { device: "probe".into(), name: "mass".into(), value: "1".into() });
    bench.stimulate(7, Stimulus::Device { device: "other".into(), name: "mass".into(), value: "1".into() });
    bench.pass(10);
    assert_eq!(heard(&bench)[before.len()..], ["temperature is 21".to_string(), "mass is 1".into()]);
    let gaps = bench.gaps(GapKind::Setting);
    assert_eq!(gaps, ["probe: it measures a temperature", "other: no device `other` is attached"]);
    bench.bus.peripherals.restore(&forked.peripherals);
    assert_eq!(heard(&bench), before, "a restored part has the device of that time");
}

#[test]
fn a_serial_port_without_a_pin_is_named() {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    let send = |bench: &mut Bench| {
        bench.write(USART1 + 0x08, 16);
        bench.write(USART1 + 0x0C, 1 << 13 | 1 << 3);
        bench.write(USART1 + 0x04, 0x55);
        bench.pass(1000);
        bench.gaps(GapKind::Setting).join("; ")
    };
    // PA9 as an output of the alternate function (RM0008, GPIOx_CRH).
    bench.write(GPIOA + CRH, 0x4444_44B4);
    assert_eq!(send(&mut bench), "");
    bench.write(GPIOA + CRH, 0x4444_4444);
    assert_eq!(send(&mut bench), "USART1 sends, and its TX is at no pin: a board would show nothing");
}

#[test]
fn pins_that_a_device_drives_at_once_follow_in_its_order() {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    bench.bus.shared.signals.want(SignalKind::Pin);
    attach(&mut bench, "probe", Probe::default(), &[(1, 7), (1, 6), (1, 0)]);
    bench.stimulate(5, Stimulus::Device { device: "probe".into(), name: "levels".into(), value: "111".into() });
    bench.pass(10);
    bench.bus.shared.signals.drain();
    bench.stimulate(5, Stimulus::Device { device: "probe".into(), name: "levels".into(), value: "000".into() });
    bench.pass(10);
    let edges = { bench.bus.shared.signals.drain() }.filter_map(|(_, signal)| match signal {
        Signal::Pin { pin, high } => Some((pin.number, high)),
        _ => None,
    });
    assert_eq!(edges.collect::<Vec<_>>(), [(7, false), (6, false), (0, false)]);
}

#[test]
fn a_frame_has_its_edges_where_somebody_looks_and_reads_the_same_where_nobody_does() {
    // All pins are watched, or these of port A.
    let run = |watched: Option<&[u8]>| {
        let mut bench = f103_clocks::fast(MemorySetting::Equal);
        if watched.is_some() {
            bench.bus.shared.signals = Default::default();
        }
        for pin in watched.unwrap_or_default() {
            bench.bus.shared.signals.want_pin(Pin { port: 0, number: *pin });
        }
        // PA9: alternate function, push-pull. 115,200 baud at PCLK2, 8E1.
        bench.write(GPIOA + CRH, 0x4444_44B4);
        bench.write(USART1 + 0x08, 625);
        bench.write(USART1 + 0x0C, 1 << 13 | 1 << 10 | 1 << 12);
        bench.write(USART1 + 0x0C, 1 << 13 | 1 << 10 | 1 << 12 | 1 << 3);
        // An idle frame of 11 bits goes out first.
        bench.pass(11 * 625);
        bench.edges(0, 9);
        let begin = bench.now;
        bench.write(USART1 + 0x04, 0x53);
        let next = bench.bus.shared.events.next_at().get() - begin;
        let levels: Vec<u32> = (0..11)
            .map(|bit| {
                bench.pass(if bit == 0 { 312 } else { 625 });
                bench.read(GPIOA + IDR) >> 9 & 1
            })
            .collect();
        (begin, next, levels, bench.edges(0, 9))
    };
    let (begin, next, levels, edges) = run(None);
    // Start, 0x53 from its lowest bit, even parity, stop.
    assert_eq!(levels, [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1]);
    let at = |bit: u64| begin + bit * 625;
    let expected = [(0, false), (1, true), (3, false), (5, true), (6, false), (7, true), (8, false), (10, true)];
    assert_eq!(edges, expected.map(|(bit, high)| (at(bit), high)));
    assert!(next <= 625, "{next}");
    assert_eq!(run(Some(&[9])), (begin, next, levels.clone(), edges));
    // Each edge that somebody sees is an event; else the frame is one.
    for watched in [&[][..], &[8]] {
        let (_, next, without, edges) = run(Some(watched));
        assert_eq!((without, edges), (levels.clone(), Vec::new()));
        assert!(next > 10 * 625, "{next}");
    }
}

#[test]
fn a_voltage_is_a_level_and_follows_its_shape() {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    let pin = Pin { port: 0, number: 1 };
    let put = |bench: &mut Bench, voltage| {
        bench.stimulate(1, Stimulus::Voltage { pin, voltage });
        bench.pass(10);
    };
    put(&mut bench, Some(Voltage::Constant(1_800_000)));
    assert_eq!(bench.read(GPIOA + IDR) & 2, 2);
    put(&mut bench, Some(Voltage::Constant(1_200_000)));
    assert_eq!(bench.read(GPIOA + IDR) & 2, 0);
    let over = Picoseconds::new(1_000_000);
    put(&mut bench, Some(Voltage::Ramp { from: 0, to: 3_000_000, over }));
    let now = bench.bus.peripherals.timebase().time(Cycles::new(bench.now));
    let at = |span| bench.bus.peripherals.outside().voltage(pin, now + Picoseconds::new(span));
    assert!((300_000..500_000).contains(&at(0).unwrap()));
    assert_eq!(at(2_000_000), Some(3_000_000));
    put(&mut bench, None);
    let later = bench.bus.peripherals.timebase().time(Cycles::new(bench.now));
    let at = |time| bench.bus.peripherals.outside().voltage(pin, time);
    assert_eq!((at(later), at(now).is_some()), (None, true), "what it was is still known");
}
