//! The core, as the engine runs it: its state by the engine's names, and what debuggers see of it.

use cyclescope_engine::{
    self as engine, After, Draft, InstructionSet, Lowering, Progress, ProgressMut, Register, registers,
};
use cyclescope_machine::units::Address;
use cyclescope_machine::{Memory, Registers, RowSet, State, WithoutPeripherals};

use crate::code::{BlockDetail, Builder, Place, PlaceDetail};
use crate::cpu::{Config, Cpu, Entry, Sleep};
use crate::decode::{Dsp, Fp, Instruction, Op, Reg};
use crate::exception::Beyond;
use crate::exec::Exit;
use crate::float::Fpscr;
use crate::lower;

/// A Cortex-M core with its predecoded code.
pub type Core<P = WithoutPeripherals> = engine::Core<Cpu, P>;

/// The number of registers without floating point.
const WITHOUT_FP: usize = 23;

/// The registers of the debug interface (DDI 0403E §C1.6.3), and behind them those of FPv4-SP.
const REGISTERS: &[Register] = registers! {
    General 32: "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12";
    StackPointer 32: "sp" = "r13";
    General 32: "lr" = "r14";
    ProgramCounter 32: "pc" = "r15";
    System 32: "xpsr";
    StackPointer 32: "msp", "psp";
    System 32: "primask", "basepri", "faultmask", "control";
    Float 32:
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16",
        "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31", "fpscr";
};

impl InstructionSet for Cpu {
    type Config = Config;
    type Instruction = Instruction;
    type Exit = Exit;
    type Entry = Entry;
    type BlockDetail = BlockDetail;
    type PlaceDetail = PlaceDetail;

    const NEXT: Exit = Exit::Next;
    const SKIPS: bool = true;

    fn create(config: Config, _: &Memory) -> Self {
        Self::new(config)
    }

    #[inline(always)]
    fn progress(&self) -> Progress {
        Progress { now: self.now, instructions: self.instructions, horizon: self.horizon }
    }

    #[inline(always)]
    fn progress_mut(&mut self) -> ProgressMut<'_> {
        let Self { now, instructions, horizon, marks, .. } = self;
        ProgressMut { now, instructions, horizon, marks }
    }

    #[inline(always)]
    fn pc(&self) -> Address {
        Address::new(self.r[Reg::Pc as usize])
    }

    #[inline(always)]
    fn set_pc(&mut self, pc: u32) {
        self.r[Reg::Pc as usize] = pc;
    }

    #[inline(always)]
    fn stack_pointer(&self) -> Address {
        Address::new(self.get(Reg::Sp))
    }

    #[inline(always)]
    fn state(&self) -> State<'_> {
        let registers = Registers::WordsAndSingles(&self.r, &self.fp.singles);
        State { next: self.pc(), stack_pointer: self.stack_pointer(), registers }
    }

    fn rows(&self) -> RowSet {
        self.rows
    }

    fn registers(&self) -> &'static [Register] {
        if self.config.architecture.has_fpu() { REGISTERS } else { &REGISTERS[..WITHOUT_FP] }
    }

    fn register(&self, number: usize) -> u32 {
        let (main, process) = self.stack_pointers();
        match number {
            0..=15 => self.r[number],
            16 => self.xpsr(),
            17 => main,
            18 => process,
            19 => u32::from(self.primask),
            20 => u32::from(self.basepri),
            21 => u32::from(self.faultmask),
            22 => self.control(),
            55 => self.fp.fpscr.bits(),
            _ => self.fp.singles[(number - WITHOUT_FP) & 31],
        }
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        self.horizon = 0;
        match number {
            13 => self.set_stack_pointer(self.process_stack, value),
            15 => {
                self.go_to(value & !1);
                self.enter_with(Entry::PLAIN);
                // Those on their way were for where it was.
                (self.ahead, self.planned, self.begun) = (None, None, [None; 2]);
            }
            0..=15 => self.r[number] = value,
            16 => self.set_xpsr(value),
            17 => self.set_stack_pointer(false, value),
            18 => self.set_stack_pointer(true, value),
            19 => self.primask = value & 1 != 0,
            20 => self.basepri = value as u8,
            21 => self.faultmask = value & 1 != 0,
            22 => return false,
            55 => self.fp.fpscr = Fpscr::from_bits(value),
            _ => self.fp.singles[(number - WITHOUT_FP) & 31] = value,
        }
        true
    }

    fn build(&self, draft: &mut Draft<'_, Instruction, PlaceDetail>, entry: Entry) -> Option<(u32, BlockDetail)> {
        Builder::new(draft, &self.config).build(entry, self.mpu.is_on())
    }

    fn entry(&self) -> Entry {
        self.entry
    }

    /// The next instruction begins in the middle of something, or is to be counted.
    #[inline(always)]
    fn is_careful(&self) -> bool {
        self.entry != Entry::PLAIN || self.dwt.counts_instructions()
    }

    fn begin(&mut self) {
        self.entry = Entry::PLAIN;
        self.counts = self.dwt.counts_instructions();
    }

    fn ran_single<P>(&mut self, block: &engine::Block<Self, P>, began: u64, retired: bool) {
        if retired && self.counts {
            let memory = block.steps.iter().any(|step| step.i.moves_data());
            self.dwt.retire(self.now - began, if memory { Beyond::Memory } else { Beyond::Instruction });
        }
        if !self.config.timing.fetches_aside {
            self.note_ahead(block, retired);
        }
    }

    fn is_asleep(&self) -> bool {
        self.sleep != Sleep::Awake || self.dormant
    }

    fn own_event(&self) -> u64 {
        self.systick.next_interrupt()
    }

    fn digest(&self) -> u64 {
        engine::digest(self.r.iter().map(|value| u64::from(*value)).chain([self.nz as u64, u64::from(self.c)]))
    }

    fn repeats(&self, earlier: &Self) -> bool {
        let of = |cpu: &Self| {
            let flags = (cpu.nz, cpu.c, cpu.v, cpu.q, cpu.ge, cpu.thumb);
            (cpu.r, flags, cpu.entry, cpu.refill, cpu.loaded_from.clone(), cpu.exclusive)
        };
        of(self) == of(earlier)
    }

    fn is_calm(i: &Instruction) -> bool {
        use Op::*;
        i.op.is_between(MovReg, MovPc)
            || i.op.is_between(AndConst, Strd)
            || i.op.is_between(LdrPcImm, It)
            || i.op.is_between(Constant, CompareMemory) && i.op != Mark
            || i.op == Nop
    }

    /// A supervisor call has left nothing, and its exception comes behind it.
    fn is_final(exit: Exit) -> bool {
        matches!(exit, Exit::Next | Exit::SupervisorCall)
    }

    fn fetch_key(&self) -> u32 {
        self.protection_key()
    }

    fn may_fetch(&self, pc: u32, end: u32) -> Result<(), u32> {
        if self.allows_fetches(pc, end) { Ok(()) } else { Err(pc) }
    }

    fn guards_data(&self) -> bool {
        self.mpu.is_on()
    }

    fn shares_keys_with(&self, other: &Self) -> bool {
        // The key counts the MPU's settings, and both may have counted different ones.
        self.mpu == other.mpu
    }

    fn operation(i: &Instruction) -> Option<String> {
        let is_between = matches!(i.op, Op::Fetches | Op::SetEntry | Op::Mark | Op::NoteMemory | Op::CompareMemory);
        let name = || match i.op {
            Op::Dsp => format!("{:?}", Dsp::unpack(i.imm).op),
            Op::Fp => format!("V{:?}", Fp::unpack(i.imm).op),
            op => format!("{op:?}"),
        };
        (!is_between).then(name)
    }

    const FIELDS: Option<engine::Fields> = Some(lower::FIELDS);

    fn lower(&self, memory: &Memory, i: &Instruction, place: &Place, lowering: &mut Lowering) -> After {
        lower::lower(self, memory, i, place, lowering)
    }

    fn computed(&self, memory: &Memory, target: u32, lowering: &mut Lowering) -> Option<u32> {
        lower::computed(self, memory, target, lowering)
    }

    fn fetches_anew(&self) -> Option<(u8, bool)> {
        Some((lower::REFILL, self.refill))
    }

    fn reaches_beyond_ram(&self, pc: u32) -> bool {
        self.beyond_ram.has(pc)
    }

    fn take_exit(&mut self) -> Option<i32> {
        self.exit.take()
    }
}
