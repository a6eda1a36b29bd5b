//! Compares whole programs on the chips `ibex` and `picorv32` with those cores' Verilog, by retirement with cycles.
//!
//! The Verilog has the core and its RAM. Devices are taken from our side: each load from a device gets our value, in
//! order, and the interrupt inputs change in the same cycles. All the program's actions and their cycles must then be
//! equal, including its accesses to devices.

use cyclescope_chips::{Machine, Region, Retire, Settings};
use cyclescope_machine::units::{Bytes, Cycles};
use cyclescope_machine::{Stop, Width};
use cyclescope_riscv::decode::{Instruction, Op};
use cyclescope_riscv::timing::DataPhase;
use cyclescope_riscv::{Cpu, Trap};

use super::compare::{Difference, Frame, difference};
use super::ours::{Retirements, instruction};
use super::rtl::{Answer, Design, Outside, Peer, Request};
use crate::error::OracleError;
use crate::qemu;

/// The result for one program.
#[derive(Clone, Debug)]
pub struct ImageReport {
    /// Retirements compared.
    pub retirements: u64,
    /// Their cycles.
    pub cycles: u64,
    /// The number of traps taken.
    pub traps: u64,
    /// The reason for the end.
    pub end: End,
    /// The first difference.
    pub difference: Option<Difference>,
}

/// The reason why a program was followed no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The requested number of instructions was reached.
    Enough,
    /// A semihosting call, which the Verilog does not know.
    Semihosting,
    /// The program stopped.
    Stopped(Stop),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Enough => write!(f, "goes on"),
            Self::Semihosting => write!(f, "up to a semihosting call"),
            Self::Stopped(Stop::Exit(code)) => write!(f, "ends with {code}"),
            Self::Stopped(stop) => write!(f, "{stop:?}"),
        }
    }
}

/// SLLI x0, x0, 31, the marker before a semihosting call.
const CALL: u32 = 0x01F0_1013;

/// Returns the bundled images for the chip of `design`.
pub fn images(design: Design) -> impl Iterator<Item = &'static cyclescope_images::Image> {
    cyclescope_images::images().iter().filter(move |image| image.chip == design.name())
}

/// Follows at most `count` instructions of the program `elf` with the name `name`.
///
/// # Errors
/// The peer has ended, or the program cannot be loaded.
pub fn follow(peer: &mut Peer, name: &'static str, elf: &[u8], count: usize) -> Result<ImageReport, OracleError> {
    let design = peer.design();
    let settings = Settings { semihosting: false, halt_on_reset: true, ..Settings::default() };
    let Ok(machine) = qemu::load(name, elf, design.name(), settings)? else {
        return Err(OracleError::Fit { part: design.name() });
    };
    let Region { base, bytes } = machine.part().ram;
    let base = base.get();
    let mut follower = Follower::new(design, machine, bytes)?;
    let memory = follower.memory(base);
    let end = follower.run(count)?;
    let Follower { retired: Retirements { all: retired, .. }, outside, changes, traps, .. } = follower;
    let answer = Answer { retired, outside, memory: Vec::new() };
    let cycles = answer.retired.last().map_or(0, |last| last.end);
    let request = Request {
        base,
        memory: &memory,
        boot: base,
        limits: (answer.retired.len() as u32, cycles.saturating_add(1000)),
        changes: &changes,
        outside: &answer.outside,
    };
    let theirs = peer.run(&request)?;
    let frame = Frame { base, memory: &memory, code_end: None, end: None };
    let difference = difference(design, &frame, &answer, &theirs);
    Ok(ImageReport { retirements: answer.retired.len() as u64, cycles: cycles.into(), traps, end, difference })
}

/// Our side by single steps.
struct Follower {
    design: Design,
    machine: Machine,
    ram: Bytes,
    began: Cycles,
    retired: Retirements,
    outside: Vec<Outside>,
    changes: Vec<(u32, u32)>,
    levels: u32,
    /// The first cycle whose interrupt inputs have not been recorded.
    looked: u64,
    traps: u64,
}

impl Follower {
    fn new(design: Design, machine: Machine, ram: Bytes) -> Result<Self, OracleError> {
        let began = machine.now();
        let retired = Retirements::new(began, design == Design::Ibex);
        let (outside, changes, looked) = (Vec::new(), Vec::new(), began.get());
        Ok(Self { design, machine, ram, began, retired, outside, changes, levels: 0, looked, traps: 0 })
    }

    fn memory(&mut self, base: u32) -> Vec<u8> {
        let memory = self.machine.memory();
        (0..self.ram.get() as u32).map(|at| memory.read(base + at, Width::Byte).unwrap_or(0) as u8).collect()
    }

    fn run(&mut self, count: usize) -> Result<End, OracleError> {
        while self.retired.all.len() < count {
            let from = self.machine.now();
            let before = cpu(&self.machine, self.design)?.x;
            let mut last: Option<Retire> = None;
            let stop = self.machine.run_into(from + Cycles::new(1), &mut |retire: Retire| last = Some(retire));
            self.look_at_lines()?;
            match last {
                Some(retire) => self.note(retire, &before)?,
                None => self.note_fault(from, &before)?,
            }
            if last.is_some_and(|retire| self.instruction(retire.pc.get()).1 == CALL) {
                return Ok(End::Semihosting);
            }
            if stop != Stop::Horizon {
                return Ok(End::Stopped(stop));
            }
        }
        Ok(End::Enough)
    }

    /// Records the interrupt inputs of the cycles that have passed.
    fn look_at_lines(&mut self) -> Result<(), OracleError> {
        let now = self.machine.now().get();
        for cycle in self.looked..now {
            let levels = cpu(&self.machine, self.design)?.lines_in(cycle) as u32;
            if levels != self.levels {
                self.levels = levels;
                self.changes.push(((cycle - self.began.get()) as u32, levels));
            }
        }
        self.looked = self.looked.max(now);
        Ok(())
    }

    fn note(&mut self, retire: Retire, before: &[u32; 64]) -> Result<(), OracleError> {
        let Retire { pc, at, cycles } = retire;
        let (i, _) = self.instruction(pc.get());
        let cpu = cpu(&self.machine, self.design)?;
        self.retired.add(retire, &i, cpu);
        self.traps = cpu.traps_taken;
        let timing = cpu.config.timing;
        let phase = match timing.data_phase {
            DataPhase::Begin(row) => u64::from(timing.cycles(row)),
            DataPhase::End(row) => cycles.get() - u64::from(timing.cycles(row)),
        };
        let loaded = cpu.get(i.rd);
        let moved = ((at - self.began).get() + phase) as u32;
        let access = accessed(&i, before).filter(|(address, ..)| !self.has(*address));
        self.outside.extend(access.map(|access| outside(&i, access, loaded, moved, false)));
        Ok(())
    }

    /// Handles a step without a retirement: sleep, or an unanswered load or store.
    fn note_fault(&mut self, from: Cycles, before: &[u32; 64]) -> Result<(), OracleError> {
        let cpu = cpu(&self.machine, self.design)?;
        self.retired.idle(from, cpu);
        let (traps, cause, pc) = (cpu.traps_taken, cpu.csrs.mcause, cpu.csrs.mepc);
        if traps != self.traps && matches!(cause, Trap::LOAD_ACCESS | Trap::STORE_ACCESS) {
            let (i, _) = self.instruction(pc);
            let at = (from - self.began).get() as u32;
            self.outside.extend(accessed(&i, before).map(|access| outside(&i, access, 0, at, true)));
        }
        self.traps = traps;
        Ok(())
    }

    /// Returns the instruction at `pc` and its bits.
    fn instruction(&mut self, pc: u32) -> (Instruction, u32) {
        instruction(self.machine.memory(), pc, self.design.config().extensions)
    }

    fn has(&self, address: u32) -> bool {
        u64::from(address.wrapping_sub(self.machine.part().ram.base.get())) < self.ram.get()
    }
}

/// Returns the core of `machine`.
fn cpu(machine: &Machine, design: Design) -> Result<&Cpu, OracleError> {
    Ok(machine.riscv().ok_or(OracleError::Fit { part: design.name() })?.cpu())
}

/// Returns the access of `i` outside memory in the cycle `at`; a load read `loaded`.
fn outside(i: &Instruction, (address, width, stored): (u32, Width, u32), loaded: u32, at: u32, error: bool) -> Outside {
    let place = address & 3;
    let bytes = if i.is_store() { ((1 << width.bytes()) - 1) << place } else { 0 };
    let value = if i.is_store() { stored } else { loaded } & width.mask();
    Outside { address: address & !3, at, bytes, value: value << (8 * place), error }
}

/// Returns the address of a load or store with the registers `x` before it, its width, and the stored value.
fn accessed(i: &Instruction, x: &[u32; 64]) -> Option<(u32, Width, u32)> {
    let width = match i.op {
        Op::Lb | Op::Lbu | Op::Sb => Width::Byte,
        Op::Lh | Op::Lhu | Op::Sh => Width::Half,
        Op::Lw | Op::Sw => Width::Word,
        _ => return None,
    };
    let of = |register: u8| x[usize::from(register & 31)];
    Some((of(i.rs1).wrapping_add(i.imm), width, of(i.rs2)))
}

#[cfg(test)]
mod tests {
    use cyclescope_riscv::decode::{self, Extensions};

    use super::*;

    #[test]
    fn loads_and_stores_say_where() {
        let mut x = [0; 64];
        (x[8], x[9]) = (0x1000_0000, 0x55);
        // SB x9, 4(x8); LHU x1, -2(x8); ADDI.
        let at = |bits| accessed(&decode::decode(bits, Extensions::IMC), &x);
        assert_eq!(at(0x0094_0223), Some((0x1000_0004, Width::Byte, 0x55)));
        assert_eq!(at(0xFFE4_5083).map(|(address, width, _)| (address, width)), Some((0x0FFF_FFFE, Width::Half)));
        assert_eq!(at(0x0000_0013), None);
    }
}
