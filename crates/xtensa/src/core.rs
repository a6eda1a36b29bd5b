//! The core, as the engine runs it: its state by the engine's names, and what debuggers see of it.

use cyclescope_engine::{
    self as engine, Draft, InstructionSet, Lowering, Place, Progress, ProgressMut, Register, registers,
};
use cyclescope_machine::units::Address;
use cyclescope_machine::{Memory, Registers, RowSet, State, WithoutPeripherals};

use crate::code::{After, Builder, Ends, Pending};
use crate::config::Config;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};
use crate::exec::Exit;
use crate::lower;
use crate::ps::Ps;

/// An Xtensa core with its predecoded code.
pub type Core<P = WithoutPeripherals> = engine::Core<Cpu, P>;

/// The registers: a0 to a15 of the current window, the program counter, PS, SAR.
const REGISTERS: &[Register] = registers! {
    General 32: "a0";
    StackPointer 32: "a1" = "sp";
    General 32:
        "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15";
    ProgramCounter 32: "pc";
    System 32: "ps", "sar", "windowbase", "windowstart";
};

impl InstructionSet for Cpu {
    type Config = Config;
    type Instruction = Instruction;
    type Exit = Exit;
    type Entry = Pending;
    type BlockDetail = Ends;
    type PlaceDetail = After;

    const NEXT: Exit = Exit::Next;
    const SKIPS: bool = true;
    const ALIGNMENT: u32 = 1;

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
        Address::new(self.get(1))
    }

    #[inline(always)]
    fn state(&self) -> State<'_> {
        let registers = Registers::WordsAndFloats(&self.a, &self.f);
        State { next: self.pc(), stack_pointer: self.stack_pointer(), registers }
    }

    fn rows(&self) -> RowSet {
        self.rows
    }

    fn registers(&self) -> &'static [Register] {
        REGISTERS
    }

    fn register(&self, number: usize) -> u32 {
        match number {
            16 => self.pc,
            17 => self.ps.bits(),
            18 => self.sar,
            19 => self.window_base.into(),
            20 => self.window_start.into(),
            _ => self.get(number as u8),
        }
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        self.horizon = 0;
        self.pending = Pending::default();
        match number {
            16 => self.pc = value,
            17 => self.set_ps(Ps::from_bits(value, self.config.configuration.options.windows)),
            18 => self.sar = value & 63,
            19 => self.turn_to(value as u8),
            20 => self.set_window_start(value),
            _ => self.set(number as u8, value),
        }
        true
    }

    fn build(&self, draft: &mut Draft<'_, Instruction, After>, entry: Pending) -> Option<(u32, Ends)> {
        Builder::new(draft, self.config, self.guarded, entry).build()
    }

    #[inline(always)]
    fn completed(&mut self, ends: &Ends) {
        self.pending = ends.pending;
        if ends.waits {
            // The next instruction runs by itself.
            self.horizon = 0;
        }
    }

    fn entry(&self) -> Pending {
        self.pending
    }

    fn begin(&mut self) {
        self.pending = Pending::default();
        self.counts = self.counts_instructions();
    }

    fn ran_single<P>(&mut self, _: &engine::Block<Self, P>, _: u64, retired: bool) {
        if retired {
            self.count_instruction();
        }
    }

    #[inline(always)]
    fn is_careful(&self) -> bool {
        self.pending != Pending::default() || self.is_watched_by_itself()
    }

    fn digest(&self) -> u64 {
        let others = [self.sar, u32::from(self.booleans), self.loop_count];
        engine::digest(self.a.iter().chain(&others).map(|value| u64::from(*value)))
    }

    fn repeats(&self, earlier: &Self) -> bool {
        let of = |cpu: &Self| {
            let loops = (cpu.loop_begin, cpu.loop_end, cpu.loop_count);
            (cpu.a, cpu.ps, cpu.sar, cpu.booleans, loops, cpu.window_base, cpu.window_start, cpu.pending)
        };
        of(self) == of(earlier)
    }

    fn is_calm(i: &Instruction) -> bool {
        i.computes() || i.is_load() || i.is_branch() || crate::exec::is_quiet(i)
    }

    fn fetch_key(&self) -> u32 {
        self.regions.fetch_key()
    }

    fn may_fetch(&self, pc: u32, end: u32) -> Result<(), u32> {
        self.regions.may_fetch(pc, end)
    }

    fn guards_data(&self) -> bool {
        self.guarded
    }

    fn shares_keys_with(&self, other: &Self) -> bool {
        self.regions == other.regions
    }

    fn is_asleep(&self) -> bool {
        self.asleep
    }

    fn operation(i: &Instruction) -> Option<String> {
        let is_between = matches!(i.op, Op::Mark | Op::Window | Op::Enabled | Op::LoopEnd);
        (!is_between).then(|| format!("{:?}", i.op))
    }

    const FIELDS: Option<engine::Fields> = Some(lower::FIELDS);

    fn lower(&self, memory: &Memory, i: &Instruction, place: &Place<After>, lowering: &mut Lowering) -> engine::After {
        lower::lower(self, memory, i, place, lowering)
    }

    fn lower_completed(&self, ends: &Ends, lowering: &mut Lowering) {
        lower::lower_completed(ends, lowering);
    }

    fn computed(&self, memory: &Memory, target: u32, lowering: &mut Lowering) -> Option<u32> {
        lower::computed(self, memory, target, lowering)
    }

    fn reaches_beyond_ram(&self, pc: u32) -> bool {
        self.beyond_ram.has(pc)
    }

    fn own_event(&self) -> u64 {
        self.next_match()
    }

    fn take_exit(&mut self) -> Option<i32> {
        self.exit.take()
    }
}
