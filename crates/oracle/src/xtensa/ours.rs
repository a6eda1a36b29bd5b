//! Our side: the core, and its registers by the names that QEMU has for them.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Memory, Retire, Stop, WithoutPeripherals};
use cyclescope_xtensa::special::Special;
use cyclescope_xtensa::{Config, Core, Cpu};

/// A register of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The program counter.
    Pc,
    /// A special register by its number.
    Special(u8),
    /// THREADPTR.
    ThreadPointer,
    /// FCR.
    Fcr,
    /// A register of the file.
    Physical(u8),
    /// A register of the floating-point unit.
    Float(u8),
}

/// The register that QEMU calls `name`; `None` for those that are not compared.
pub fn reader(name: &str) -> Option<Reader> {
    let after = |prefix: &str| name.strip_prefix(prefix).and_then(|digits| digits.parse::<u8>().ok());
    // In the order of their numbers.
    let special = match name {
        "PC" => return Some(Reader::Pc),
        "THREADPTR" => return Some(Reader::ThreadPointer),
        "FCR" => return Some(Reader::Fcr),
        // QEMU prints the value that was last read; reads come often.
        "FSR" => return None,
        "LBEG" => 0,
        "LEND" => 1,
        "LCOUNT" => 2,
        "SAR" => 3,
        "BR" => 4,
        "SCOMPARE1" => 12,
        "ACCLO" => 16,
        "ACCHI" => 17,
        "WINDOWBASE" => 72,
        "WINDOWSTART" => 73,
        "IBREAKENABLE" => 96,
        "ATOMCTL" => 99,
        "DDR" => 104,
        "DEPC" => 192,
        "CPENABLE" => 224,
        "INTERRUPT" => 226,
        "INTENABLE" => 228,
        "PS" => 230,
        "VECBASE" => 231,
        "EXCCAUSE" => 232,
        "DEBUGCAUSE" => 233,
        "EXCVADDR" => 238,
        _ => {
            let numbered = [
                ("IBREAKA", 128),
                ("DBREAKA", 144),
                ("DBREAKC", 160),
                ("EPC", 176),
                ("EPS", 192),
                ("EXCSAVE", 208),
                ("MISC", 244),
                ("M", 32),
            ];
            if let Some(register) = after("AR") {
                return Some(Reader::Physical(register));
            }
            if let Some(register) = after("F") {
                return Some(Reader::Float(register));
            }
            numbered.into_iter().find_map(|(prefix, first)| after(prefix).map(|number| first + number))?
        }
    };
    Some(Reader::Special(special))
}

/// The core with its program.
#[derive(Debug)]
pub struct Ours {
    core: Core,
    bus: Bus<WithoutPeripherals>,
    physical: [u32; 64],
}

impl Ours {
    /// The core at its reset, with `memory` from `base` on.
    pub fn new(config: Config, base: u32, memory: &[u8]) -> Self {
        let mut all = Memory::new(Address::ZERO, Vec::new(), Address::new(base), memory.len());
        all.load(Address::new(base), memory);
        let bus = Bus::new(all, WithoutPeripherals, 0);
        let core = Core::new(config, &bus);
        Self { physical: [0; 64], core, bus }
    }

    /// Executes an instruction, or takes an exception; false where the core cannot go on.
    pub fn step(&mut self) -> bool {
        let until = self.core.now() + Cycles::new(1);
        self.core.run_into(&mut self.bus, until, &mut |_: Retire| {}) == Stop::Horizon
    }

    /// Takes an interrupt if one waits, and tells whether.
    pub fn takes_interrupt(&mut self) -> bool {
        let (core, bus) = (self.core.clone(), self.bus.clone());
        let (instructions, exceptions) = (self.core.cpu().instructions, self.core.cpu().exceptions_taken);
        // One that wakes the core does so before.
        for _ in 0..3 {
            self.step();
            let cpu = self.core.cpu();
            if cpu.instructions == instructions && cpu.exceptions_taken == exceptions + 1 {
                return true;
            }
        }
        (self.core, self.bus) = (core, bus);
        false
    }

    /// Reads all registers of the file for [`Self::read`].
    pub fn look(&mut self) {
        self.physical = self.core.cpu().physical();
    }

    /// The core's state.
    pub fn cpu(&self) -> &Cpu {
        self.core.cpu()
    }

    /// Reads a register.
    pub fn read(&self, reader: Reader) -> u32 {
        let cpu = self.core.cpu();
        match reader {
            Reader::Pc => cpu.pc,
            Reader::Special(number) => cpu.special(number).unwrap_or(0),
            Reader::ThreadPointer => cpu.thread_pointer,
            Reader::Fcr => cpu.user(232).unwrap_or(0),
            Reader::Physical(register) => self.physical[usize::from(register & 63)],
            Reader::Float(register) => cpu.f[usize::from(register & 15)],
        }
    }

    /// The memory.
    pub fn memory(&self) -> &[u8] {
        self.bus.memory.ram.bytes()
    }

    /// The exceptions taken.
    pub fn exceptions(&self) -> u64 {
        self.core.cpu().exceptions_taken
    }
}

/// Tells whether the registers of `config` that QEMU prints as `reader` exist there.
pub fn exists(reader: Reader, config: &Config) -> bool {
    match reader {
        Reader::Special(number) => Special::find(number, config.configuration).is_some(),
        Reader::Float(_) | Reader::Fcr => config.configuration.options.float,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_xtensa::timing;

    use super::*;
    use crate::random::Random;

    /// None of QEMU's cores has MULUH and MULSH.
    #[test]
    fn high_products_are_those_of_wide_arithmetic() {
        const BASE: u32 = 0x1000;
        let config = Config {
            configuration: &cyclescope_xtensa::LX6,
            timing: &timing::LX6,
            reset: BASE,
            vector_base: BASE,
            processor: 0,
            word_only: &[],
            semihosting: false,
        };
        // MULUH a4, a2, a3; MULSH a5, a2, a3.
        let mut ours = Ours::new(config, BASE, &[0x30, 0x42, 0xA2, 0x30, 0x52, 0xB2, 0, 0]);
        let mut random = Random::new(1);
        for _ in 0..100_000 {
            let (a, b) = (random.operand(), random.operand());
            let cpu = ours.core.cpu_mut();
            (cpu.a[2], cpu.a[3], cpu.pc) = (a, b, BASE);
            assert!(ours.step() && ours.step());
            let (unsigned, signed) = (u64::from(a) * u64::from(b), i64::from(a as i32) * i64::from(b as i32));
            let expected = [(unsigned >> 32) as u32, (signed >> 32) as u32];
            assert_eq!([ours.cpu().a[4], ours.cpu().a[5]], expected, "{a:08x} × {b:08x}");
        }
    }
}
