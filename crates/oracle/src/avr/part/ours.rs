//! Our side: a part with its devices, by single steps.

use std::collections::VecDeque;

use cyclescope_avr::decode::{self, Op, X, Y, Z};
use cyclescope_avr::{Core, DATA_SPACE};
use cyclescope_chips::Stimulus;
use cyclescope_chips::avr::{AvrDevices, AvrPart};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Channel, Memory, Pin, Stop};

use super::step::{Kind, NO_REGISTER, STORED, Step};
use crate::avr::state::{State, words};
use crate::hash::hash;

/// An external event and its cycle: a byte to the serial port or a pin's level ([`Kind::Receive`], [`Kind::Pin`]).
pub type Outside = (u64, Kind);

/// The cycles by which bytes arrive earlier in simavr, whose frames last about one bit longer: more than that bit at
/// 115200 baud.
const EARLIER: u64 = 200;

/// The data address of the first I/O register of IN and OUT.
const IO: u8 = 0x20;

pub(super) struct Ours {
    core: Core<AvrDevices>,
    bus: Bus<AvrDevices>,
    outside: VecDeque<Outside>,
    /// The reason for the end.
    pub(super) stop: Option<Stop>,
}

impl Ours {
    /// Returns `part` with `flash`, out of reset. `outside` is ordered by time; its bytes go to the port `serial`.
    pub(super) fn new(part: &'static AvrPart, flash: &[u8], serial: u8, outside: &[Outside]) -> Self {
        let ram = Address::new(DATA_SPACE + u32::from(part.ram_start));
        let memory = Memory::new(Address::ZERO, flash.to_vec(), ram, usize::from(part.ram_bytes));
        let mut bus = Bus::new(memory, AvrDevices::new(part, part.crystal, &[]), 1 << 20);
        let (devices, mut context) = bus.with_context(Cycles::ZERO, Address::ZERO);
        devices.start(&mut context);
        let core = Core::new(part.config(false), &bus);
        for (at, kind) in outside {
            let stimulus = match *kind {
                Kind::Receive(byte) => Stimulus::Uart { number: serial, bytes: vec![byte] },
                Kind::Pin { port, number, high } => {
                    Stimulus::Pin { pin: Pin { port: port - b'A', number }, high: Some(high) }
                }
                _ => continue,
            };
            bus.peripherals.stimulate(Cycles::new(*at), stimulus, &mut bus.shared.events);
        }
        Self { core, bus, outside: outside.iter().copied().collect(), stop: None }
    }

    pub(super) fn now(&self) -> u64 {
        self.core.now().get()
    }

    /// Returns the bytes that the serial port has sent.
    pub(super) fn sent(&self) -> Vec<u8> {
        let runs = self.bus.shared.console.runs().filter(|(channel, _)| matches!(channel, Channel::Uart(_)));
        runs.flat_map(|(_, bytes)| bytes.to_vec()).collect()
    }

    /// Runs to the cycle `until` at once, with loops skipped or carried out.
    pub(super) fn run_whole(&mut self, until: u64, skips: bool) {
        self.core.skip_loops(skips);
        while self.now() < until {
            let stop = self.core.run(&mut self.bus, Cycles::new(until));
            if stop != Stop::Horizon {
                self.stop = Some(stop);
                return;
            }
        }
    }

    /// Returns what has come of the run, by name.
    pub(super) fn outcome(&self) -> [(&'static str, String); 6] {
        [
            ("cycles", self.now().to_string()),
            ("instructions", self.core.instructions().get().to_string()),
            ("state", format!("{:?}", self.state())),
            ("hash of SRAM", format!("{:016x}", self.ram_hash())),
            ("sent", format!("{:?}", String::from_utf8_lossy(&self.sent()))),
            ("model gaps", format!("{:?}", self.bus.shared.gaps.all())),
        ]
    }

    /// Returns the hash of SRAM.
    pub(super) fn ram_hash(&self) -> u64 {
        hash(self.bus.memory.ram.bytes())
    }

    /// Returns the two words at `pc`.
    pub(super) fn words(&self, pc: u32) -> [u16; 2] {
        words(self.bus.memory.flash.bytes(), pc)
    }

    fn state(&self) -> State {
        State::of(self.core.cpu())
    }

    /// Returns the next step; `None` at the end.
    pub(super) fn step(&mut self) -> Option<Step> {
        let (at, now) = (self.core.cpu().pc, self.now());
        let due = |time: u64, kind: Kind| now + if matches!(kind, Kind::Receive(_)) { EARLIER } else { 0 } >= time;
        if let Some((_, kind)) = self.outside.pop_front_if(|(time, kind)| due(*time, *kind)) {
            return Some(Step { kind, at, state: self.state() });
        }
        let access = self.access();
        let taken = self.core.cpu().interrupts_taken;
        let mut retired = None;
        let stop = self.core.run_into(&mut self.bus, Cycles::new(now + 1), &mut |retire| retired = Some(retire));
        if stop != Stop::Horizon {
            self.stop = Some(stop);
            return None;
        }
        let kind = match retired {
            Some(retire) => {
                assert_eq!(retire.at.get(), now, "one step a run");
                access
            }
            None if self.core.cpu().interrupts_taken != taken => {
                let vector = (self.core.cpu().pc / u32::from(self.core.cpu().config.vector_bytes)) as u8;
                Kind::Interrupt { vector }
            }
            None => Kind::Idle,
        };
        Some(Step { kind, at, state: self.state() })
    }

    /// Returns the next instruction's access to the I/O registers.
    fn access(&self) -> Kind {
        let cpu = self.core.cpu();
        let [first, second] = self.words(cpu.pc);
        let i = decode::decode(first, second, cpu.config.extensions);
        let pair = |low: u8, offset: u32| u32::from(cpu.pair(low)).wrapping_add(offset) & 0xFFFF;
        let io = i.imm.wrapping_add(u32::from(IO));
        let (address, to) = match i.op {
            Op::In => (io, i.rd),
            Op::Sbic | Op::Sbis => (io, NO_REGISTER),
            Op::Lds => (i.imm, i.rd),
            Op::Out | Op::Sbi => (io, STORED),
            Op::Sts => (i.imm, STORED),
            Op::LdX | Op::LdXInc => (pair(X, 0), i.rd),
            Op::LdYInc => (pair(Y, 0), i.rd),
            Op::LdZInc => (pair(Z, 0), i.rd),
            Op::LdXDec => (pair(X, u32::MAX), i.rd),
            Op::LdYDec => (pair(Y, u32::MAX), i.rd),
            Op::LdZDec => (pair(Z, u32::MAX), i.rd),
            Op::LddY => (pair(Y, i.imm), i.rd),
            Op::LddZ => (pair(Z, i.imm), i.rd),
            _ => (0, NO_REGISTER),
        };
        Kind::Instruction { read: u8::try_from(address).unwrap_or(0), to, bit: i.rr & 7 }
    }
}
