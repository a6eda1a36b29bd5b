//! The architectural state, and what the part decides about its core.

use cyclescope_engine::{Marks, SeenAt};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{FaultReport, RowSet};

use crate::decode::{Extensions, Instruction, Op};
use crate::timing::CoreTiming;

/// The first guest address of the data space, as in AVR's ELF files: flash begins at 0, data here.
pub const DATA_SPACE: u32 = 0x80_0000;

/// The configuration of a core, as its part sets it.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Cycles.
    pub timing: &'static CoreTiming,
    /// The instructions of AVRe+ that it has.
    pub extensions: Extensions,
    /// Bytes of a return address: 2, or 3 for parts with more than 128 KiB of flash.
    pub pc_bytes: u8,
    /// The data address of RAMPZ, where there is one.
    pub rampz: Option<u8>,
    /// The data address of EIND, where there is one.
    pub eind: Option<u8>,
    /// The data address of SMCR: sleep enable in bit 0, the mode in bits 3 to 1.
    pub smcr: u8,
    /// The first data address behind the I/O registers: SRAM begins there.
    pub ram_start: u16,
    /// Bytes from one interrupt vector to the next: 4 where a vector holds a JMP, else 2.
    pub vector_bytes: u8,
    /// The number of vectors, reset included.
    pub vectors: u8,
    /// The byte address at which execution begins after a reset: 0, or the boot loader as the fuses say.
    pub reset: u32,
    /// The value of SP after a reset: the end of RAM on this family.
    pub stack_pointer: u16,
    /// True if BREAK stops the run, as with a debugger on a part whose fuses allow one; otherwise BREAK does nothing
    /// (8271H §25.4, DS40002198B BREAK).
    pub debugger: bool,
}

/// The first push of a stack onto the memory below it, and the depth reached since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackOverrun {
    /// The instruction that pushed, or the one before which an interrupt pushed.
    pub pc: Address,
    /// The cycle of the push.
    pub at: Cycles,
    /// The data address of the push.
    pub stack_pointer: u16,
    /// The lowest data address that a push has gone to since.
    pub deepest: u16,
}

/// The way in which the stack pointer came below [`Cpu::stack_floor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    /// SP is above the floor, or pushes took it down from there.
    Pushed,
    /// Software has just set SP to this value: to make room on the stack that ran into the floor, or to go to a task's own
    /// stack.
    Set(u16),
    /// Software went to the stack of another task. That stack lies among the variables, which is allowed.
    Elsewhere,
}

/// The data address of SPL.
pub const SPL: u16 = 0x5D;
/// The data address of SPH.
pub const SPH: u16 = 0x5E;
/// The data address of SREG.
pub const SREG: u16 = 0x5F;

/// Everything architectural and the clock. Plain data.
///
/// Of the flags each operation stores what they follow from: a flag costs nothing until it is looked at.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// r0 to r31.
    pub r: [u8; 32],
    /// The address of the next instruction, in bytes.
    pub pc: u32,
    /// The stack pointer: the next free byte.
    pub sp: u16,
    /// C.
    pub c: bool,
    /// Z is set when this is zero.
    pub not_z: u8,
    /// N is bit 7.
    pub n: u8,
    /// V is bit 7.
    pub v: u8,
    /// S is bit 7.
    pub s: u8,
    /// H is bit 4.
    pub h: u8,
    /// T.
    pub t: bool,
    /// I.
    pub i: bool,
    /// RAMPZ.
    pub rampz: u8,
    /// EIND.
    pub eind: u8,
    /// SMCR.
    pub smcr: u8,
    /// The next instruction executes before any interrupt is served.
    pub delayed: bool,
    /// The instructions that have read or written something other than SRAM.
    pub(crate) beyond_ram: SeenAt,
    /// The sleep mode (SMCR's SM bits) that the core is in.
    pub asleep: Option<u8>,
    /// While the clock of a sleeping core starts up: when it is done.
    pub(crate) wakes_at: Option<u64>,
    /// The lowest SP that pushes, calls and interrupts came to, on the stack that the program started with. Room made by
    /// writing SP counts once something is pushed below it.
    pub lowest_sp: u16,
    /// The highest data address that a push must not write to: the end of .bss as the image has it, 0 for none.
    pub stack_floor: u16,
    /// The first push that did. A kernel's task stacks lie among its variables: they are told from a stack that ran into
    /// them by what follows when software sets SP below the floor. Who went to another stack pops what lies there.
    pub overrun: Option<StackOverrun>,
    /// The way in which SP came below the floor.
    pub(crate) below: Below,
    /// The register that was read last: its data address, the value that it shows, and the first cycle that may show another one, if
    /// nothing happens before; 0 if something has.
    pub(crate) still_at: u16,
    pub(crate) still_value: u8,
    pub(crate) still_until: u64,
    /// Vectors whose handlers have not returned, the outermost first; a handler that never returns stays.
    pub(crate) active: Vec<u8>,
    /// Cycles since reset.
    pub now: u64,
    /// Instructions retired since reset.
    pub instructions: u64,
    /// Interrupts served since reset.
    pub interrupts_taken: u64,
    /// Rows of the timing table that interrupts, sleep and register accesses used.
    pub rows: RowSet,
    /// The cycle before which nothing can happen by itself: blocks that end before it run unchecked. 0 asks the run loop
    /// to look at everything again.
    pub horizon: u64,
    /// The core's configuration.
    pub config: Config,
    /// The fault that ended a block early.
    pub fault: FaultReport,
    /// Bytes of flash.
    pub(crate) flash_bytes: u32,
    /// The marks of the block that runs, for an observer.
    pub(crate) marks: Marks,
}

impl Cpu {
    /// A core that is yet to be reset, over `flash_bytes` of flash.
    pub fn new(config: Config, flash_bytes: u32) -> Self {
        Self {
            r: [0; 32],
            pc: config.reset,
            sp: config.stack_pointer,
            c: false,
            not_z: 1,
            n: 0,
            v: 0,
            s: 0,
            h: 0,
            t: false,
            i: false,
            rampz: 0,
            eind: 0,
            smcr: 0,
            delayed: false,
            beyond_ram: SeenAt::default(),
            asleep: None,
            wakes_at: None,
            still_at: 0,
            still_value: 0,
            still_until: 0,
            lowest_sp: config.stack_pointer,
            stack_floor: 0,
            overrun: None,
            marks: Marks::default(),
            below: Below::Pushed,
            active: Vec::new(),
            now: 0,
            instructions: 0,
            interrupts_taken: 0,
            rows: RowSet::default(),
            horizon: 0,
            config,
            fault: FaultReport { pc: Address::ZERO, cause: "none", address: None },
            flash_bytes,
        }
    }

    /// The state after a reset; registers and time stay (8271H §11.1: I/O registers get their initial values).
    pub fn reset(&mut self) {
        let config = self.config;
        let fresh = Self::new(config, self.flash_bytes);
        *self = Self {
            r: self.r,
            now: self.now,
            instructions: self.instructions,
            interrupts_taken: self.interrupts_taken,
            rows: self.rows,
            stack_floor: self.stack_floor,
            overrun: self.overrun,
            ..fresh
        };
    }

    /// The cycles of the timing row at `row`, which counts as used.
    pub(crate) fn charge(&mut self, row: usize) -> u64 {
        self.rows.insert(row);
        u64::from(self.config.timing.cycles(row))
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> Address {
        Address::new(self.pc)
    }

    /// Reads a register.
    #[inline(always)]
    pub fn get(&self, register: u8) -> u8 {
        self.r[usize::from(register & 31)]
    }

    /// Writes a register.
    #[inline(always)]
    pub fn set(&mut self, register: u8, value: u8) {
        self.r[usize::from(register & 31)] = value;
    }

    /// Reads a pair of registers, `low` and the one above it.
    #[inline(always)]
    pub fn pair(&self, low: u8) -> u16 {
        let low = usize::from(low & 30);
        u16::from_le_bytes([self.r[low], self.r[low + 1]])
    }

    /// Writes a pair of registers.
    #[inline(always)]
    pub fn set_pair(&mut self, low: u8, value: u16) {
        let low = usize::from(low & 30);
        [self.r[low], self.r[low + 1]] = value.to_le_bytes();
    }

    /// SREG: I, T, H, S, V, N, Z, C from bit 7 down.
    pub fn sreg(&self) -> u8 {
        u8::from(self.c)
            | u8::from(self.not_z == 0) << 1
            | self.n >> 7 << 2
            | self.v >> 7 << 3
            | self.s >> 7 << 4
            | (self.h >> 4 & 1) << 5
            | u8::from(self.t) << 6
            | u8::from(self.i) << 7
    }

    /// Writes SREG; of an interrupt that may now come nothing is said ([`Cpu::write_sreg`]).
    pub fn set_sreg(&mut self, value: u8) {
        self.c = value & 1 != 0;
        self.not_z = !value & 2;
        self.n = value << 5;
        self.v = value << 4;
        self.s = value << 3;
        self.h = value >> 1;
        self.t = value & 1 << 6 != 0;
        self.i = value & 1 << 7 != 0;
    }

    /// One flag by its bit in SREG.
    #[inline(always)]
    pub fn flag(&self, bit: u8) -> bool {
        match bit & 7 {
            0 => self.c,
            1 => self.not_z == 0,
            2 => self.n & 0x80 != 0,
            3 => self.v & 0x80 != 0,
            4 => self.s & 0x80 != 0,
            5 => self.h & 0x10 != 0,
            6 => self.t,
            _ => self.i,
        }
    }

    /// The mode that SLEEP enters, by SMCR's SM bits; `None` while SE is clear.
    pub fn sleep_mode(&self) -> Option<u8> {
        (self.smcr & 1 != 0).then_some(self.smcr >> 1 & 7)
    }

    /// Writes the stack pointer as software does.
    pub fn write_sp(&mut self, value: u16) {
        self.sp = value;
        self.below = match self.below {
            _ if value > self.stack_floor => Below::Pushed,
            Below::Elsewhere => Below::Elsewhere,
            Below::Pushed | Below::Set(_) => Below::Set(value),
        };
    }

    /// The vectors whose handlers run, the outermost first.
    pub fn active_vectors(&self) -> &[u8] {
        &self.active
    }

    /// Notes why the block cannot go on.
    pub(crate) fn refuse(&mut self, pc: u32, i: &Instruction) {
        let (cause, address) = match i.op {
            Op::Reserved if i.imm == Instruction::CUT_OFF => ("instruction cut off by the end of flash", None),
            Op::Reserved => ("reserved opcode", None),
            _ => ("jump outside flash", Some(Address::new(i.imm))),
        };
        self.fault = FaultReport { pc: Address::new(pc), cause, address };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::timing::ATMEGA328P;

    pub(crate) fn config() -> Config {
        Config {
            timing: &ATMEGA328P,
            extensions: Extensions::NONE,
            pc_bytes: 2,
            rampz: None,
            eind: None,
            smcr: 0x53,
            ram_start: 0x100,
            vector_bytes: 4,
            vectors: 26,
            reset: 0,
            stack_pointer: 0x8FF,
            debugger: true,
        }
    }

    #[test]
    fn every_flag_is_a_bit_of_its_own() {
        let mut cpu = Cpu::new(config(), 32768);
        for value in 0..=255 {
            cpu.set_sreg(value);
            assert_eq!(cpu.sreg(), value);
            for bit in 0..8 {
                assert_eq!(cpu.flag(bit), value >> bit & 1 != 0);
            }
        }
    }
}
