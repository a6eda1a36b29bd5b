//! TWI: states, bytes and edges against 8271H chapter 22, with a decoder that only sees the two lines.

use std::any::Any;

use cyclescope_chips::avr::ATMEGA328P;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Attached, Attachment, Contact, I2cAddress, Line, Pin, Transfer, Wire};

use crate::asm::*;
use crate::machine::{CODE, Machine, nops, pin, set};
use crate::probe::{Probe, Seen, attach, heard, watch};

const TWBR: u16 = 0xB8;
const TWSR: u16 = 0xB9;
const TWAR: u16 = 0xBA;
const TWDR: u16 = 0xBB;
const TWCR: u16 = 0xBC;
/// TWINT and TWEN.
const GO: u8 = 0x84;
const START: u8 = GO | 0x20;
const STOP: u8 = GO | 0x10;
const ACK: u8 = GO | 0x40;

/// Writes TWCR, waits for TWINT and takes TWSR into `status`.
fn go(control: u8, status: u16) -> Vec<u16> {
    [&set(TWCR, control), &lds(17, TWCR)[..], &[sbrs(17, 7), rjmp(-4)], &lds(status, TWSR)].concat()
}

/// The same with a byte in TWDR.
fn send(byte: u8, status: u16) -> Vec<u16> {
    [set(TWDR, byte), go(GO, status)].concat()
}

/// Receives a byte into `register`.
fn receive(control: u8, status: u16, register: u16) -> Vec<u16> {
    [&go(control, status)[..], &lds(register, TWDR)].concat()
}

/// Asks for a stop condition and waits for its end.
fn stop() -> Vec<u16> {
    [&set(TWCR, STOP), &lds(17, TWCR)[..], &[sbrc(17, 4), rjmp(-4)]].concat()
}

fn machine(probe: Probe, code: &[&[u16]]) -> Machine {
    let mut machine = Machine::new(code);
    attach(&mut machine, probe, "TWI", &[]);
    machine
}

/// Reads the lines as UM10204 has it: `S` and `P`, bytes with `+` or `-` for the acknowledgement.
fn decode(edges: &[(u64, Pin, bool)]) -> String {
    let (mut scl, mut sda, mut bits, mut words) = (true, true, Vec::new(), Vec::new());
    let mut last = 0;
    for &(at, line, high) in edges.iter().filter(|(at, ..)| *at > 0) {
        assert!(at >= last, "edges come in order");
        last = at;
        if line == pin("PC5") {
            scl = high;
            if scl {
                bits.push(sda);
            } else if bits.len() == 9 {
                let byte = bits.iter().take(8).fold(0, |byte, bit| byte << 1 | u32::from(*bit));
                words.push(format!("{byte:02x}{}", if bits[8] { '-' } else { '+' }));
                bits.clear();
            }
        } else if line == pin("PC4") {
            assert_ne!(sda, high);
            sda = high;
            if scl {
                assert!(bits.len() < 2, "SDA changes while SCL is high at {at}");
                bits.clear();
                words.push(if high { "P".into() } else { "S".into() });
            }
        }
    }
    words.join(" ")
}

/// The same from what observers were told.
fn told(seen: &Seen) -> String {
    let sign = |acknowledged: bool| if acknowledged { '+' } else { '-' };
    let words = seen.1.iter().map(|(_, line, transfer)| {
        assert_eq!(*line, Line::Peripheral("TWI"));
        match *transfer {
            Transfer::I2cStart { address: I2cAddress::Seven(address), read, acknowledged } => {
                format!("S {:02x}{}", address << 1 | u8::from(read), sign(acknowledged))
            }
            Transfer::I2cByte { byte, acknowledged } => format!("{byte:02x}{}", sign(acknowledged)),
            Transfer::I2cStop => "P".into(),
            other => format!("{other:?}"),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn statuses<const COUNT: usize>(machine: &Machine) -> [u8; COUNT] {
    std::array::from_fn(|index| machine.r(18 + index as u8))
}

#[test]
fn a_controller_writes_and_reads_with_a_repeated_start() {
    let mut machine = machine(
        Probe::i2c(&[0xA5, 0x7F]),
        &[
            &set(TWBR, 72),
            &go(START, 18),
            &send(0x78, 19),
            &send(0x12, 20),
            &go(START, 21),
            &send(0x79, 22),
            &receive(ACK, 23, 0),
            &receive(GO, 24, 1),
            &stop(),
            &lds(25, TWSR),
            &nops(200),
            &[BREAK],
        ],
    );
    let seen = watch(&mut machine);
    assert_eq!(statuses(&machine), [0x08, 0x18, 0x28, 0x10, 0x40, 0x50, 0x58, 0xF8]);
    assert_eq!((machine.r(0), machine.r(1)), (0xA5, 0x7F));
    assert_eq!(heard(&machine), ["to", "12", "from", "stop"]);
    let expected = "S 78+ 12+ S 79+ a5+ 7f- P";
    assert_eq!((decode(&seen.0).as_str(), told(&seen).as_str()), (expected, expected));
    assert!(machine.gaps().is_empty(), "{:?}", machine.gaps());
}

#[test]
fn the_clock_has_the_formula_s_period() {
    // 8271H §22.5.2: 16 + 2 TWBR 4^TWPS.
    for (twbr, twps, period) in [(0, 0, 16), (12, 0, 40), (72, 0, 160), (255, 0, 526), (3, 2, 112), (10, 3, 1296)] {
        let mut machine = machine(
            Probe::i2c(&[]),
            &[&set(TWBR, twbr), &set(TWSR, twps), &go(START, 18), &send(0x78, 19), &stop(), &nops(20), &[BREAK]],
        );
        let (edges, _) = watch(&mut machine);
        let clock: Vec<(u64, bool)> = { edges.iter() }
            .filter(|(at, line, _)| *line == pin("PC5") && *at > 0)
            .map(|(at, _, high)| (*at, *high))
            .collect();
        // The fall of the start condition, then nine pulses, then the rise of the stop condition.
        assert_eq!(clock.len(), 20, "{clock:?}");
        let rises: Vec<u64> = clock.iter().filter(|(_, high)| *high).map(|(at, _)| *at).collect();
        assert!(rises[..9].windows(2).all(|pair| pair[1] - pair[0] == period), "{twbr} {twps}: {rises:?}");
        let highs: Vec<u64> = clock[1..19].chunks(2).map(|pulse| pulse[1].0 - pulse[0].0).collect();
        assert_eq!(highs, [period / 2; 9]);
        assert_eq!(machine.r(19) & 0xF8, 0x18);
    }
}

#[test]
fn who_does_not_answer_or_refuses_is_in_the_status() {
    let mut machine = machine(
        Probe::i2c(&[]),
        &[
            &set(TWBR, 10),
            &go(START, 18),
            &send(0x42, 19),
            &go(START, 20),
            &send(0x43, 21),
            &go(START, 22),
            &send(0x78, 23),
            &send(0xEE, 24),
            &stop(),
            &nops(30),
            &[BREAK],
        ],
    );
    let seen = watch(&mut machine);
    assert_eq!(statuses(&machine), [0x08, 0x20, 0x10, 0x48, 0x10, 0x18, 0x30]);
    assert_eq!(decode(&seen.0), "S 42- S 43- S 78+ ee- P");
}

#[test]
fn a_target_that_stretches_holds_the_transfer_up() {
    let span = |stretch| {
        let mut probe = Probe::i2c(&[0x33]);
        probe.stretch = Picoseconds::new(stretch);
        let mut machine = machine(
            probe,
            &[&set(TWBR, 72), &go(START, 18), &send(0x79, 19), &receive(GO, 20, 0), &stop(), &nops(20), &[BREAK]],
        );
        let seen = watch(&mut machine);
        assert_eq!((machine.r(0), decode(&seen.0).as_str()), (0x33, "S 79+ 33- P"));
        machine.now()
    };
    // 100 µs are 1600 cycles, and SCL is low for 80 of them anyway; polls take seven.
    let longer = span(100_000_000) - span(0);
    assert!((2 * 1520 - 14..=2 * 1520 + 14).contains(&longer), "{longer}");
}

#[test]
fn a_stop_and_a_start_may_be_asked_for_at_once() {
    let both = START | STOP;
    let mut machine = machine(
        Probe::i2c(&[]),
        &[
            &set(TWBR, 10),
            &go(START, 18),
            &send(0x78, 19),
            &go(both, 20),
            &send(0x78, 21),
            &stop(),
            &nops(30),
            &[BREAK],
        ],
    );
    let seen = watch(&mut machine);
    assert_eq!(statuses(&machine), [0x08, 0x18, 0x08, 0x18]);
    assert_eq!(decode(&seen.0), "S 78+ P S 78+ P");
}

#[test]
fn a_write_of_twdr_during_a_byte_collides() {
    let mut machine = machine(
        Probe::i2c(&[]),
        &[
            &set(TWBR, 10),
            &go(START, 18),
            &set(TWDR, 0x78),
            &set(TWCR, GO),
            &set(TWDR, 0x55),
            &lds(19, TWCR),
            &nops(400),
            &lds(20, TWCR),
            &set(TWDR, 0x01),
            &lds(21, TWCR),
            &[BREAK],
        ],
    );
    watch(&mut machine);
    assert_eq!([19, 20, 21].map(|register| machine.r(register)), [0x0C, 0x8C, 0x84]);
    assert_eq!(heard(&machine), ["to"]);
}

#[test]
fn an_empty_bus_is_scanned_and_named() {
    let mut code = vec![set(TWBR, 10)];
    for address in 8..12u8 {
        code.extend([go(START, 18), send(address << 1, 19), stop()]);
    }
    code.push(vec![BREAK]);
    let mut machine = Machine::new(&[&code.concat()]);
    machine.run_to_break();
    assert_eq!(machine.r(19), 0x20);
    assert_eq!(machine.gaps(), ["TWI: nothing is attached to its bus, so that nobody answers"]);
}

#[test]
fn the_interrupt_holds_until_software_clears_twint() {
    // The handler switches the interrupt off.
    let handler = [&set(TWCR, 0x04), &[inc(21), RETI][..]].concat();
    let code = [set(TWCR, START | 1), vec![SEI], nops(100), vec![BREAK]].concat();
    let mut machine = Machine::of(&ATMEGA328P, &[(4 * 24, &jmp(0x6000)), (0x6000, &handler), (CODE, &code)]);
    machine.run_to_break();
    let (calls, twcr) = (machine.r(21), machine.bus.shared.interrupts.is_high(24));
    assert_eq!((calls, twcr), (1, false));
}

/// A controller outside that moves the lines: stimuli from `at` on, each edge 40 cycles after the one before.
struct Outside<'a> {
    machine: &'a mut Machine,
    at: u64,
}

impl Outside<'_> {
    fn set(&mut self, name: &str, high: bool) {
        self.machine.apply(self.at, name, high);
        self.at += 40;
    }

    fn start(&mut self) {
        for (name, high) in [("PC4", true), ("PC5", true), ("PC4", false), ("PC5", false)] {
            self.set(name, high);
        }
    }

    fn stop(&mut self) {
        for (name, high) in [("PC4", false), ("PC5", true), ("PC4", true)] {
            self.set(name, high);
        }
    }

    fn bits(&mut self, bits: &[bool]) {
        for bit in bits {
            self.set("PC4", *bit);
            self.set("PC5", true);
            self.set("PC5", false);
        }
    }

    /// A byte and a ninth bit that the controller leaves high, or pulls low.
    fn byte(&mut self, byte: u8, ninth: bool) {
        let bits: Vec<bool> = (0..8).rev().map(|bit| byte >> bit & 1 != 0).chain([ninth]).collect();
        self.bits(&bits);
        // Time for the software.
        self.at += 400;
    }
}

/// A part with the address 0x21 and the general call, whose handler writes each TWSR to RAM from 0x200 on, takes TWDR behind
/// it, and goes on with TWEA and 0x5C as the byte to send.
fn target(control: u8) -> Machine {
    let handler = [
        &lds(17, TWSR)[..],
        &[0x9000 | 1 << 9 | 17 << 4 | 0xD], // ST X+, r17
        &lds(17, TWDR),
        &[0x9000 | 1 << 9 | 17 << 4 | 0xD],
        &set(TWDR, 0x5C),
        &set(TWCR, control | 0x80 | 1),
        &[RETI],
    ]
    .concat();
    let code = [&set(TWAR, 0x43), &set(TWCR, control | 1), &[ldi(26, 0), ldi(27, 2), SEI, HERE][..]].concat();
    let mut machine = Machine::of(&ATMEGA328P, &[(4 * 24, &jmp(0x6000)), (0x6000, &handler), (CODE, &code)]);
    machine.apply(0, "PC4", true);
    machine.apply(0, "PC5", true);
    machine
}

/// Pairs of TWSR and TWDR that the handler has kept.
fn kept(machine: &Machine) -> Vec<(u8, u8)> {
    let count = usize::from(machine.r(26)) / 2;
    let ram = machine.bus.memory.ram.bytes();
    (0..count).map(|index| (ram[0x100 + 2 * index], ram[0x101 + 2 * index])).collect()
}

#[test]
fn a_target_is_addressed_receives_and_is_let_go() {
    for (address, first, data) in [(0x42, 0x60, 0x80), (0x00, 0x70, 0x90)] {
        let mut machine = target(0x44);
        let mut outside = Outside { machine: &mut machine, at: 1000 };
        outside.start();
        outside.byte(address, true);
        outside.byte(0x9D, true);
        outside.stop();
        let end = outside.at + 1000;
        machine.run(end);
        let expected = [(first, address), (data, 0x9D), (0xA0, 0x5C)];
        let kept = kept(&machine);
        assert_eq!(kept.iter().map(|(status, _)| *status).collect::<Vec<_>>(), expected.map(|(status, _)| status));
        assert_eq!((kept[0].1, kept[1].1), (address, 0x9D));
    }
}

#[test]
fn a_target_sends_until_it_is_refused() {
    let mut machine = target(0x44);
    let mut outside = Outside { machine: &mut machine, at: 1000 };
    outside.start();
    outside.byte(0x43, true);
    // The controller lets SDA go, and refuses the second byte.
    outside.byte(0xFF, false);
    let between = outside.at;
    outside.byte(0xFF, true);
    outside.stop();
    let end = outside.at + 1000;
    let (edges, _) = machine.run(between);
    let mut all = edges;
    all.extend(machine.run(end).0);
    let statuses: Vec<u8> = kept(&machine).iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [0xA8, 0xB8, 0xC0]);
    // What the lines show behind the address.
    let words = decode(&all);
    assert!(words.starts_with("S 43+ 5c+ 5c-"), "{words}");
}

#[test]
fn a_target_holds_the_clock_until_software_has_done_its_part() {
    // No interrupt; TWINT is cleared late.
    let code = [set(TWAR, 0x42), set(TWCR, 0x44), nops(4000), set(TWCR, 0xC4), vec![HERE]].concat();
    let mut machine = Machine::of(&ATMEGA328P, &[(CODE, &code)]);
    machine.apply(0, "PC4", true);
    machine.apply(0, "PC5", true);
    let mut outside = Outside { machine: &mut machine, at: 1000 };
    outside.start();
    outside.byte(0x42, true);
    // The controller lets the clock go, and finds it low.
    outside.set("PC5", true);
    let (released, end) = (outside.at, 4100);
    let (edges, _) = machine.run(end);
    let last = edges.iter().rfind(|(_, line, _)| *line == pin("PC5")).expect("there are clocks");
    assert!(last.2 && last.0 > 4000 && released < 4000, "{last:?}");
}

#[test]
fn sda_is_settled_before_a_controller_that_waits_sees_the_clock_rise() {
    // The handler takes its time, and the first bit that it sends is low.
    let handler = [nops(600), set(TWDR, 0x2A), set(TWCR, 0xC5), vec![0x9000 | 1 << 9 | 16 << 4 | 0xD, RETI]].concat();
    let code = [&set(TWAR, 0x42), &set(TWCR, 0x45), &[ldi(26, 0), ldi(27, 2), SEI, HERE][..]].concat();
    let mut machine = Machine::of(&ATMEGA328P, &[(4 * 24, &jmp(0x6000)), (0x6000, &handler), (CODE, &code)]);
    machine.apply(0, "PC4", true);
    machine.apply(0, "PC5", true);
    let mut outside = Outside { machine: &mut machine, at: 1000 };
    outside.start();
    outside.byte(0x43, true);
    outside.at -= 400;
    // The controller lets both lines go, and the clock stays low.
    outside.set("PC4", true);
    outside.set("PC5", true);
    outside.at += 1000;
    outside.set("PC5", false);
    outside.bits(&[true; 8]);
    outside.stop();
    let end = outside.at + 2000;
    let (edges, _) = machine.run(end);
    let words = decode(&edges);
    assert!(words.starts_with("S 43+ 2a-"), "{words}");
    // 8271H table 29-15: t(SU;DAT) is at least 250 ns.
    let setup = |(at, ..): &&(u64, Pin, bool)| {
        edges.iter().any(|(rise, line, high)| *line == pin("PC5") && *high && *rise >= *at && *rise < *at + 4)
    };
    let changes = edges.iter().filter(|(at, line, _)| *line == pin("PC4") && *at > 2200);
    assert_eq!(changes.filter(setup).count(), 0, "{edges:?}");
}

#[test]
fn an_address_waits_while_twint_is_set() {
    // 8271H §22.9.2, TWCR, TWINT: while it is set, the low period of SCL is stretched.
    let status = |register| lds(register, TWSR);
    let code = [
        &set(TWAR, 0x42)[..],
        &set(TWCR, 0x44),
        // The address, and its answer.
        &lds(17, TWCR),
        &[sbrs(17, 7), rjmp(-4)],
        &set(TWCR, 0xC4),
        // The repeated start condition, unanswered for long.
        &lds(17, TWCR),
        &[sbrs(17, 7), rjmp(-4)],
        &nops(4000),
        &status(20),
        &set(TWCR, 0xC4),
        &lds(17, TWCR),
        &[sbrs(17, 7), rjmp(-4)],
        &status(21),
        &[BREAK],
    ]
    .concat();
    let mut machine = Machine::of(&ATMEGA328P, &[(CODE, &code)]);
    machine.apply(0, "PC4", true);
    machine.apply(0, "PC5", true);
    let mut outside = Outside { machine: &mut machine, at: 1000 };
    outside.start();
    outside.byte(0x42, true);
    outside.start();
    // The controller waits with its first bit until it sees the clock high.
    let released = outside.at;
    outside.set("PC5", true);
    outside.at += 6000;
    outside.set("PC5", false);
    for bit in [true, false, false, false, false, true, false, true] {
        outside.bits(&[bit]);
    }
    let edges = machine.run_to_break();
    let rise = edges.iter().find(|(at, line, high)| *at >= released && *line == pin("PC5") && *high);
    assert!(rise.is_some_and(|(at, ..)| *at > released + 3000), "{released}: {rise:?}");
    assert_eq!([20, 21].map(|register| machine.r(register)), [0xA0, 0x60]);
}

#[test]
fn another_s_address_and_one_without_twea_are_left_alone() {
    for (control, address) in [(0x44, 0x46), (0x04, 0x42)] {
        let mut machine = target(control);
        let mut outside = Outside { machine: &mut machine, at: 1000 };
        outside.start();
        outside.byte(address, true);
        outside.stop();
        let end = outside.at + 1000;
        machine.run(end);
        assert_eq!(kept(&machine), [], "{control:#x} {address:#x}");
    }
}

#[test]
fn a_condition_inside_a_byte_is_a_bus_error() {
    let mut machine = target(0x44);
    let mut outside = Outside { machine: &mut machine, at: 1000 };
    outside.start();
    outside.byte(0x42, true);
    outside.bits(&[true, false, true]);
    outside.stop();
    let end = outside.at + 1000;
    machine.run(end);
    let statuses: Vec<u8> = kept(&machine).iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [0x60, 0x00]);
}

#[test]
fn a_start_waits_for_another_controller_s_stop() {
    let mut machine = Machine::new(&[&set(TWCR, 0x04), &nops(400), &go(START, 18), &[BREAK]]);
    machine.apply(0, "PC4", true);
    machine.apply(0, "PC5", true);
    let mut outside = Outside { machine: &mut machine, at: 100 };
    outside.start();
    outside.byte(0x10, true);
    outside.stop();
    // The stop condition is the last edge; half a period of 16 cycles lies between it and SCL's fall.
    let end = outside.at - 40;
    machine.run_to_break();
    assert_eq!(machine.r(18), 0x08);
    assert!((end + 9..end + 22).contains(&machine.now()), "{} for {end}", machine.now());
}

/// Another controller that sends a start at the same time, and then an address: it lets the part's clock lead until the part
/// has lost, and goes on with its own. As long as it has not lost itself it is the target, too, that answers.
#[derive(Clone, Debug)]
struct Rival {
    /// The bits of its address byte, the first the highest, and those that have gone out.
    address: u8,
    bits: u8,
    clocks: bool,
    part: u8,
}

impl Rival {
    const STEP: Picoseconds = Picoseconds::new(5_000_000);
}

impl Attached for Rival {
    fn pins(&self) -> &'static [&'static str] {
        &["scl", "sda"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn drives_bus(&self) -> bool {
        true
    }

    fn pin(&mut self, pin: usize, high: bool, contact: &mut Contact<'_>) {
        // Each fall of SCL up to the first bit in which the two differ brings the next bit.
        if pin == 0 && !high && !self.clocks && self.bits < 8 {
            let bit = self.address & 0x80 >> self.bits != 0;
            self.bits += 1;
            contact.drive(1, (!bit).then_some(false));
            if self.bits == 6 {
                self.clocks = true;
                contact.wake_at(contact.now() + Self::STEP + Self::STEP + Self::STEP);
            }
        }
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        // SCL falls, SDA changes, SCL rises.
        match self.part {
            0 => contact.drive(0, Some(false)),
            1 => {
                let bit = self.bits > 7 || self.address & 0x80 >> self.bits != 0;
                self.bits += 1;
                contact.drive(1, (!bit).then_some(false));
            }
            _ => contact.drive(0, None),
        }
        self.part = (self.part + 1) % 3;
        // The ninth clock ends with a fall.
        if self.bits < 9 || self.part != 1 {
            contact.wake_at(contact.now() + Self::STEP);
        }
    }
}

#[test]
fn an_arbitration_is_lost_to_an_address_with_an_earlier_zero() {
    // 0x42 against the part's 0x46: the sixth bit decides; then the rival calls the part, or another one.
    for (own, statuses) in [(0x42, vec![0x68]), (0x10, vec![0x38])] {
        let handler = [&lds(17, TWSR)[..], &[0x9000 | 1 << 9 | 17 << 4 | 0xD], &set(TWCR, 0xC5), &[RETI]].concat();
        let code = [
            &set(TWAR, own)[..],
            &set(TWBR, 72),
            &[ldi(26, 0), ldi(27, 2)],
            &go(START, 18),
            &set(TWDR, 0x46),
            &set(TWCR, 0xC5),
            &[SEI, HERE],
        ]
        .concat();
        let mut machine = Machine::of(&ATMEGA328P, &[(4 * 24, &jmp(0x6000)), (0x6000, &handler), (CODE, &code)]);
        let rival = Rival { address: 0x42, bits: 0, clocks: false, part: 0 };
        let wires = ["PC5", "PC4"].map(|name| Some(Wire::Pin(pin(name)))).to_vec();
        let (devices, mut context) = machine.bus.with_context(Cycles::ZERO, Address::ZERO);
        devices.attach(vec![Attachment { name: "rival".into(), device: Box::new(rival), wires }], &mut context);
        machine.run(10_000);
        let count = usize::from(machine.r(26));
        assert_eq!(machine.bus.memory.ram.bytes()[0x100..0x100 + count], statuses, "{own:#x}");
    }
}
