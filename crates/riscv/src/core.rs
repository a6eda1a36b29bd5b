//! The core, as the engine runs it: its state by the engine's names, and what debuggers see of it.

use cyclescope_engine::{
    self as engine, After, Draft, InstructionSet, Lowering, Place, Progress, ProgressMut, Register, registers,
};
use cyclescope_machine::units::Address;
use cyclescope_machine::{Memory, Registers, RowSet, State, WithoutPeripherals};

use crate::code::{Builder, Detail, Ends};
use crate::config::Config;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};
use crate::exec::Exit;
use crate::lower;

/// A RISC-V core with its predecoded code.
pub type Core<P = WithoutPeripherals> = engine::Core<Cpu, P>;

/// The registers: x0 to x31 by the names of the calling convention, and the program counter.
const REGISTERS: &[Register] = registers! {
    General 32: "zero" = "x0", "ra" = "x1";
    StackPointer 32: "sp" = "x2";
    General 32:
        "gp" = "x3", "tp" = "x4", "t0" = "x5", "t1" = "x6", "t2" = "x7", "s0" = "x8" = "fp", "s1" = "x9",
        "a0" = "x10", "a1" = "x11", "a2" = "x12", "a3" = "x13", "a4" = "x14", "a5" = "x15", "a6" = "x16",
        "a7" = "x17", "s2" = "x18", "s3" = "x19", "s4" = "x20", "s5" = "x21", "s6" = "x22", "s7" = "x23",
        "s8" = "x24", "s9" = "x25", "s10" = "x26", "s11" = "x27", "t3" = "x28", "t4" = "x29", "t5" = "x30",
        "t6" = "x31";
    ProgramCounter 32: "pc";
};

impl InstructionSet for Cpu {
    type Config = Config;
    type Instruction = Instruction;
    type Exit = Exit;
    type Entry = ();
    type BlockDetail = Ends;
    type PlaceDetail = Detail;

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
        Address::new(self.pc)
    }

    #[inline(always)]
    fn set_pc(&mut self, pc: u32) {
        self.pc = pc;
    }

    #[inline(always)]
    fn stack_pointer(&self) -> Address {
        Address::new(self.get(2))
    }

    #[inline(always)]
    fn state(&self) -> State<'_> {
        let visible = self.x.first_chunk().expect("the 32 registers that instructions name come first");
        State { next: self.pc(), stack_pointer: self.stack_pointer(), registers: Registers::Words(visible) }
    }

    fn rows(&self) -> RowSet {
        self.rows
    }

    fn registers(&self) -> &'static [Register] {
        REGISTERS
    }

    fn register(&self, number: usize) -> u32 {
        if number == 32 { self.pc } else { self.get(number as u8) }
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        self.horizon = 0;
        match number {
            32 => self.pc = value & !1,
            _ => self.set(number as u8, value),
        }
        number != 0
    }

    fn build(&self, draft: &mut Draft<'_, Instruction, Detail>, (): ()) -> Option<(u32, Ends)> {
        Builder::new(draft, self.config).build()
    }

    #[inline(always)]
    fn completed(&mut self, ends: &Ends) {
        self.after = ends.straight;
    }

    fn digest(&self) -> u64 {
        engine::digest(self.x[..32].iter().map(|value| u64::from(*value)))
    }

    fn repeats(&self, earlier: &Self) -> bool {
        let of = |cpu: &Self| (cpu.x, cpu.privilege, cpu.reservation, cpu.after, cpu.masks_before);
        let pipelines = || match (self.pipeline_now(), earlier.pipeline_now()) {
            (Some(pipeline), Some(earlier)) => pipeline.repeats(&earlier),
            _ => true,
        };
        of(self) == of(earlier) && self.stores == earlier.stores && pipelines()
    }

    fn is_calm(i: &Instruction) -> bool {
        let between = |first: Op, last: Op| (first as u8..=last as u8).contains(&(i.op as u8));
        let computes = between(Op::Lui, Op::Lhu) || between(Op::Addi, Op::And) || between(Op::Mul, Op::Remu);
        computes || i.op == Op::Issue
    }

    /// The instructions after retirq and waitirq come before any interrupt.
    #[inline(always)]
    fn is_careful(&self) -> bool {
        self.pico.holds()
    }

    fn begin(&mut self) {
        self.pico.begin();
    }

    fn ran_single<P>(&mut self, _: &engine::Block<Self, P>, _: u64, _: bool) {
        self.pico.was_delayed = false;
    }

    fn fetch_key(&self) -> u32 {
        self.protection_key()
    }

    fn may_fetch(&self, pc: u32, end: u32) -> Result<(), u32> {
        self.look_at_fetches(pc, end)
    }

    fn shares_keys_with(&self, other: &Self) -> bool {
        // The key counts the PMP's settings, and both may have counted different ones.
        self.pmp == other.pmp && self.protection == other.protection
    }

    fn operation(i: &Instruction) -> Option<String> {
        let is_between = matches!(i.op, Op::Issue | Op::Mark);
        (!is_between).then(|| format!("{:?}", i.op))
    }

    const FIELDS: Option<engine::Fields> = Some(lower::FIELDS);

    fn lower(&self, memory: &Memory, i: &Instruction, place: &Place<Detail>, lowering: &mut Lowering) -> After {
        lower::lower(self, memory, i, place, lowering)
    }

    fn lower_completed(&self, ends: &Ends, lowering: &mut Lowering) {
        lower::leave_behind(ends.straight, lowering);
    }

    fn computed(&self, memory: &Memory, target: u32, lowering: &mut Lowering) -> Option<u32> {
        lower::computed(self, memory, target, lowering)
    }

    fn reaches_beyond_ram(&self, pc: u32) -> bool {
        self.beyond_ram.has(pc)
    }

    fn goes_on(i: &Instruction) -> bool {
        i.op == Op::Issue
    }

    fn take_over(&mut self, from: &Self) {
        let recall = std::mem::take(&mut self.recall);
        self.clone_from(from);
        self.recall.keep(recall);
    }

    #[inline(always)]
    fn stopped(&mut self) -> Exit {
        if std::mem::take(&mut self.falls_asleep) { Exit::Sleep } else { Exit::Next }
    }

    fn take_exit(&mut self) -> Option<i32> {
        self.exit.take()
    }
}
