//! The core, as the engine runs it: what is due between instructions, and what blocks leave to be done.

use cyclescope_engine::{
    self as engine, After, Draft, Hooks, InstructionSet, Lowering, Outcome, Place, Progress, ProgressMut, Refusal,
    Register,
};
use cyclescope_engine::{Rest, Turn, registers};
use cyclescope_machine::units::Address;
use cyclescope_machine::{
    Access, Bus, CallFrame, FaultReport, Memory, Registers, RowSet, State, Still, Stop, Touch, Width,
    WithoutPeripherals,
};

use crate::code::{Block, Builder};
use crate::cpu::{Config, Cpu, DATA_SPACE};
use crate::decode::{Instruction, Op};
use crate::exec::{self, Exit, Handler};
use crate::hooks::AvrPeripherals;
use crate::lower;

/// An AVR core with its predecoded code. Its SRAM is at [`DATA_SPACE`] plus [`Config::ram_start`], its flash at 0.
pub type Core<P = WithoutPeripherals> = engine::Core<Cpu, P>;

/// The registers: r0 to r31, SREG, SP, and the program counter in bytes.
const REGISTERS: &[Register] = registers! {
    General 8:
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16",
        "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31";
    System 8: "sreg";
    StackPointer 16: "sp";
    ProgramCounter 32: "pc";
};

impl InstructionSet for Cpu {
    type Config = Config;
    type Instruction = Instruction;
    type Exit = Exit;
    type Entry = ();
    /// Bytes that the call pushes that ends the block, if one does.
    type BlockDetail = u8;
    type PlaceDetail = ();

    const NEXT: Exit = Exit::Next;
    const SKIPS: bool = true;
    const CODE_IN_RAM: bool = false;
    const CHECKS_FETCHES: bool = false;

    fn create(config: Config, memory: &Memory) -> Self {
        Self::new(config, memory.flash.bytes().len() as u32)
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
        Address::new(DATA_SPACE | u32::from(self.sp))
    }

    #[inline(always)]
    fn state(&self) -> State<'_> {
        State { next: self.pc(), stack_pointer: self.stack_pointer(), registers: Registers::Bytes(&self.r) }
    }

    fn rows(&self) -> RowSet {
        self.rows
    }

    fn registers(&self) -> &'static [Register] {
        REGISTERS
    }

    fn register(&self, number: usize) -> u32 {
        match number {
            32 => u32::from(self.sreg()),
            33 => u32::from(self.sp),
            34 => self.pc,
            _ => u32::from(self.get(number as u8)),
        }
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        self.horizon = 0;
        match number {
            32 => self.set_sreg(value as u8),
            33 => self.write_sp(value as u16),
            34 => self.pc = value & !1,
            _ => self.set(number as u8, value as u8),
        }
        true
    }

    fn build(&self, draft: &mut Draft<'_, Instruction, ()>, (): ()) -> Option<(u32, u8)> {
        Builder::new(draft, self.config).build()
    }

    fn digest(&self) -> u64 {
        let registers = self.r.iter().map(|value| u64::from(*value));
        engine::digest(registers.chain([u64::from(self.not_z), u64::from(self.c), u64::from(self.sp)]))
    }

    fn repeats(&self, earlier: &Self) -> bool {
        let of = |cpu: &Self| {
            let flags = (cpu.c, cpu.not_z, cpu.n, cpu.v, cpu.s, cpu.h, cpu.t, cpu.i);
            (cpu.r, cpu.sp, flags, cpu.rampz, cpu.delayed)
        };
        of(self) == of(earlier)
    }

    fn is_calm(i: &Instruction) -> bool {
        use Op::*;
        let between = |first: Op, last: Op| (first as u8..=last as u8).contains(&(i.op as u8));
        between(Add, Jmp)
            || between(Cpse, Sbrs)
            || between(Brbs, LddZ)
            || between(LpmR0, ElpmInc)
            || between(Lsr, Swap)
            || matches!(i.op, Sbic | Sbis | In | Bst | Bld | Nop)
    }

    /// The instruction after SEI or RETI comes before any interrupt.
    #[inline(always)]
    fn is_careful(&self) -> bool {
        self.delayed
    }

    fn begin(&mut self) {
        self.delayed = false;
    }

    fn operation(i: &Instruction) -> Option<String> {
        (i.op != Op::NameUndefined).then(|| format!("{:?}", i.op))
    }

    const FIELDS: Option<engine::Fields> = Some(lower::FIELDS);

    fn lower(&self, _: &Memory, i: &Instruction, place: &Place<()>, lowering: &mut Lowering) -> After {
        lower::lower(self, i, place, lowering)
    }

    fn reaches_beyond_ram(&self, pc: u32) -> bool {
        self.beyond_ram.has(pc)
    }

    fn computed(&self, _: &Memory, target: u32, _: &mut Lowering) -> Option<u32> {
        (target < self.flash_bytes).then_some(0)
    }

    #[inline(always)]
    fn stack_pointer_at_call<P>(&self, block: &Block<P>, instructions: u32) -> Address {
        let pushed = if instructions == block.count { block.detail } else { 0 };
        Address::new(DATA_SPACE | u32::from(self.sp.wrapping_add(pushed.into())))
    }
}

impl<P: AvrPeripherals> Hooks<P> for Cpu {
    type Reset = ();

    fn reset(&mut self, _: &mut Bus<P>) {
        Cpu::reset(self);
    }

    fn handler<R: Outcome<Self, P>>(&self, i: &Instruction) -> Handler<P, R> {
        exec::handler(i)
    }

    fn settle(&mut self, bus: &mut Bus<P>) {
        self.still_until = 0;
        self.run_events(bus, self.now);
        if bus.shared.interrupts.changed() {
            self.note_lines(bus, self.now);
        }
    }

    fn next_event(&self, bus: &Bus<P>) -> u64 {
        bus.shared.events.next_at().get()
    }

    fn rest(&mut self, bus: &mut Bus<P>, until: u64) -> Rest {
        let Some(mode) = self.asleep else { return Rest::Awake };
        let wakes_at = self.wakes_at(bus, mode).unwrap_or(u64::MAX);
        if wakes_at <= self.now && self.now < until {
            self.wake(bus, mode);
            return Rest::Woken;
        }
        Rest::Until(wakes_at)
    }

    fn take_pending(&mut self, bus: &mut Bus<P>) -> Turn {
        match self.pending(bus).filter(|_| !self.delayed) {
            Some(vector) => {
                self.interrupt(bus, vector);
                Turn::Again
            }
            None => Turn::Settled,
        }
    }

    #[inline(always)]
    fn finish(&mut self, bus: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        match exit {
            Exit::Next => None,
            Exit::Fault => Some(Stop::Fault(self.fault)),
            Exit::Break => Some(Stop::Breakpoint(self.pc(), 0)),
            Exit::Sleep => {
                self.fall_asleep(bus);
                None
            }
        }
    }

    fn refuse_fetch(&mut self, _: &mut Bus<P>, address: u32, _: Refusal) -> Option<Stop> {
        let (pc, cause) = (Address::new(address), "execution behind the end of flash");
        Some(Stop::Fault(FaultReport { pc, cause, address: None }))
    }

    fn call_frame(&self, bus: &Bus<P>) -> CallFrame {
        let byte = |offset: u16| {
            let address = DATA_SPACE | u32::from(self.sp.wrapping_add(offset));
            bus.memory.ram.read(address, Width::Byte).unwrap_or(0)
        };
        let bytes = u16::from(self.config.pc_bytes);
        let word = (1..=bytes).fold(0, |word, offset| word << 8 | byte(offset));
        // RET pops the address.
        let stack_pointer = self.stack_pointer().get().wrapping_add(u32::from(bytes));
        CallFrame { return_address: Address::new(word << 1), stack_pointer: Address::new(stack_pointer) }
    }

    fn touches(&self, bus: &Bus<P>) -> Option<Touch> {
        self.touched(bus)
    }

    fn still(&self, bus: &Bus<P>, access: Access) -> Option<Still> {
        bus.peripherals.still(access)
    }
}
