//! A part with code in its flash.

use cyclescope_avr::{Config, Core, DATA_SPACE};
use cyclescope_chips::Stimulus;
use cyclescope_chips::avr::{ATMEGA32U4, ATMEGA328P, AvrDevices, AvrPart};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Channel, Memory, Pin, Signal, SignalKind, Stop};

use crate::asm;

/// The address of the tests' code, behind the vectors.
pub const CODE: u32 = 0x200;
/// The address of the tests' handlers.
pub const HANDLER: u32 = 0x1000;

#[derive(Clone, Debug)]
pub struct Machine {
    pub core: Core<AvrDevices>,
    pub bus: Bus<AvrDevices>,
}

/// A pin by its name: `PB5`.
pub fn pin(name: &str) -> Pin {
    let [b'P', letter, number] = name.as_bytes() else { panic!("{name} is no pin") };
    Pin { port: letter - b'A', number: number - b'0' }
}

/// `ldi r16, value` and `sts address, r16`: three cycles, the write in the third.
pub fn set(address: u16, value: u8) -> Vec<u16> {
    let [sts, operand] = asm::sts(address, 16);
    vec![asm::ldi(16, value), sts, operand]
}

/// `count` times NOP.
pub fn nops(count: usize) -> Vec<u16> {
    vec![asm::NOP; count]
}

impl Machine {
    /// The ATmega328P with `code` at [`CODE`], where it begins.
    pub fn new(code: &[&[u16]]) -> Self {
        Self::of(&ATMEGA328P, &[(CODE, &code.concat())])
    }

    /// The ATmega32U4.
    pub fn u4(code: &[&[u16]]) -> Self {
        Self::of(&ATMEGA32U4, &[(CODE, &code.concat())])
    }

    /// `part` with code by address, which begins at [`CODE`]; every vector goes to [`HANDLER`].
    pub fn of(part: &'static AvrPart, code: &[(u32, &[u16])]) -> Self {
        let mut flash = vec![0xFF; part.flash_bytes as usize];
        let mut place = |at: u32, words: &[u16]| {
            for (cell, word) in flash[at as usize..].as_chunks_mut::<2>().0.iter_mut().zip(words) {
                *cell = word.to_le_bytes();
            }
        };
        for vector in 0..part.vectors.len() as u32 {
            place(4 * vector, &asm::jmp(HANDLER));
        }
        place(HANDLER, &[asm::inc(20), asm::RETI]);
        for (at, words) in code {
            place(*at, words);
        }
        let ram = Address::new(DATA_SPACE + u32::from(part.ram_start));
        let memory = Memory::new(Address::ZERO, flash, ram, usize::from(part.ram_bytes));
        let mut bus = Bus::new(memory, AvrDevices::new(part, part.crystal, &[]), 4096);
        bus.shared.signals.want(SignalKind::Pin);
        let (devices, mut context) = bus.with_context(Cycles::ZERO, Address::ZERO);
        devices.start(&mut context);
        let mut core = Core::new(Config { debugger: true, ..part.config(false) }, &bus);
        core.cpu_mut().pc = CODE;
        Self { core, bus }
    }

    /// Runs to the cycle `until`, or what else stops the run; edges of pins are kept and do not.
    pub fn run(&mut self, until: u64) -> (Vec<(u64, Pin, bool)>, Stop) {
        let mut edges = Vec::new();
        loop {
            let stop = self.core.run(&mut self.bus, Cycles::new(until));
            edges.extend(self.bus.shared.signals.drain().filter_map(|(at, signal)| match signal {
                Signal::Pin { pin, high } => Some((at.get(), pin, high)),
                _ => None,
            }));
            if stop != Stop::Signal {
                return (edges, stop);
            }
        }
    }

    /// Runs to BREAK.
    pub fn run_to_break(&mut self) -> Vec<(u64, Pin, bool)> {
        let (edges, stop) = self.run(10_000_000);
        assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?} at {:?}", self.core.cpu().pc());
        edges
    }

    pub fn r(&self, register: u8) -> u8 {
        self.core.cpu().get(register)
    }

    pub fn now(&self) -> u64 {
        self.core.now().get()
    }

    pub fn stimulate(&mut self, at: u64, stimulus: Stimulus) {
        let Bus { peripherals, shared, .. } = &mut self.bus;
        peripherals.stimulate(Cycles::new(at), stimulus, &mut shared.events);
    }

    /// Applies a level to a pin at the cycle `at`.
    pub fn apply(&mut self, at: u64, name: &str, high: bool) {
        self.stimulate(at, Stimulus::Pin { pin: pin(name), high: Some(high) });
    }

    /// Returns the bytes that the serial ports have sent.
    pub fn sent(&self) -> Vec<u8> {
        let runs = self.bus.shared.console.runs().filter(|(channel, _)| matches!(channel, Channel::Uart(_)));
        runs.flat_map(|(_, bytes)| bytes.to_vec()).collect()
    }

    /// The names of the gaps met.
    pub fn gaps(&self) -> Vec<String> {
        self.bus.shared.gaps.all().iter().map(|gap| gap.name.clone()).collect()
    }

    /// Runs instruction by instruction until `done`, and says at which cycle that was.
    pub fn run_until(&mut self, most: u64, done: impl Fn(&Self) -> bool) -> u64 {
        while !done(self) {
            let now = self.now();
            assert!(now < most, "not done by cycle {most}");
            let (_, stop) = self.run(now + 1);
            assert_eq!(stop, Stop::Horizon);
        }
        self.now()
    }
}
