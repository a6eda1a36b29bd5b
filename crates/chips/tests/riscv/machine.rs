//! A part with code in its memory.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Channel, GapKind, Retire, Signal, SignalKind, Stop, Width};
use cyclescope_riscv::INTERRUPT;

use crate::asm::*;

/// `register` becomes `value`: two instructions.
pub fn li(register: u32, value: u32) -> Vec<u32> {
    let low = (value << 20) as i32 >> 20;
    vec![lui(register, value.wrapping_sub(low as u32)), addi(register, register, low)]
}

/// The word `value` goes to `address`, by x5 and x6: five instructions.
pub fn store(address: u32, value: u32) -> Vec<u32> {
    [li(5, address), li(6, value), vec![sw(6, 5, 0)]].concat()
}

/// The same of a byte.
pub fn store_byte(address: u32, value: u8) -> Vec<u32> {
    [li(5, address), li(6, value.into()), vec![sb(6, 5, 0)]].concat()
}

/// `register` becomes the word at `address`: three instructions.
pub fn load(register: u32, address: u32) -> Vec<u32> {
    [li(register, address), vec![lw(register, register, 0)]].concat()
}

/// A machine under test.
#[derive(Clone)]
pub struct Bench(pub Machine);

impl Bench {
    /// The part `name` with `code` by address.
    pub fn new(name: &str, code: &[(u32, Vec<u32>)]) -> Self {
        Self::with(name, Settings { halt_on_reset: true, ..Settings::default() }, code)
    }

    pub fn with(name: &str, settings: Settings, code: &[(u32, Vec<u32>)]) -> Self {
        Self::of(Part::find(name).expect("tests name chips that there are"), settings, code)
    }

    /// The part that `text` describes.
    pub fn described(text: &str, code: &[(u32, Vec<u32>)]) -> Self {
        let part = Part::from_toml(text).expect("tests describe parts that there can be");
        Self::of(&part, Settings::default(), code)
    }

    pub fn of(part: &Part, settings: Settings, code: &[(u32, Vec<u32>)]) -> Self {
        let bytes: Vec<(Address, Vec<u8>)> = code
            .iter()
            .map(|(at, words)| (Address::new(*at), words.iter().flat_map(|word| word.to_le_bytes()).collect()))
            .collect();
        let segments = bytes.iter().map(|(at, bytes)| (*at, bytes.as_slice()));
        let mut machine = Machine::new(part, settings, segments).expect("tests load where there is memory");
        machine.shared().signals.want(SignalKind::Exception);
        Self(machine)
    }

    /// Runs on past signals; they stay in `signals`.
    pub fn run(&mut self, until: u64, signals: &mut Vec<(u64, Signal)>) -> Stop {
        loop {
            let stop = self.0.run(Cycles::new(until));
            signals.extend(self.0.shared().signals.drain().map(|(at, signal)| (at.get(), signal)));
            if stop != Stop::Signal {
                return stop;
            }
        }
    }

    /// The same, and nobody looks at signals.
    pub fn finish(&mut self, until: u64) -> Stop {
        self.run(until, &mut Vec::new())
    }

    /// Runs an instruction at a time; what retired.
    pub fn trace(&mut self, until: u64) -> Vec<Retire> {
        let mut retired = Vec::new();
        while self.0.run_into(Cycles::new(until), &mut |retire| retired.push(retire)) == Stop::Signal {
            self.0.shared().signals.drain();
        }
        retired
    }

    pub fn x(&self, register: u8) -> u32 {
        self.0.riscv().expect("these chips are RISC-V").cpu().get(register)
    }

    pub fn word(&mut self, address: u32) -> u32 {
        self.0.memory().read(address, Width::Word).expect("tests look at memory only")
    }

    pub fn printed(&mut self, port: u8) -> String {
        String::from_utf8(self.0.shared().console.bytes(Channel::Uart(port))).expect("tests print text")
    }

    /// Returns the bytes that port 0 has sent, text or not.
    pub fn printed_bytes(&mut self) -> Vec<u8> {
        self.0.shared().console.bytes(Channel::Uart(0))
    }

    pub fn gaps(&self, kind: GapKind) -> Vec<&str> {
        self.0.gaps().iter().filter(|gap| gap.kind == kind).map(|gap| gap.name.as_str()).collect()
    }
}

/// When the interrupt of `line` was first asked for and an interrupt first taken.
pub fn asked_and_taken(signals: &[(u64, Signal)], line: u16) -> (u64, u64) {
    let number = INTERRUPT | line;
    let asked = signals.iter().find(|(_, signal)| *signal == Signal::ExceptionPended { number });
    let taken = signals.iter().find(|(_, signal)| matches!(signal, Signal::ExceptionEntered { .. }));
    (asked.expect("it was asked for").0, taken.expect("it was taken").0)
}
