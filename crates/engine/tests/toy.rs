//! An instruction set of ten instructions in one file, held against the laws; and the table of blocks, with blocks of it.
//!
//! Instructions are halfwords: an operation in bits 15 to 12, a register in 11 to 8, a register or a signed number in 7 to 0.
//! Each takes a cycle. A load from an address that is no multiple of 4 takes another, and so does a branch that is taken.

use cyclescope_engine::laws::Program;
use cyclescope_engine::{
    Block, Blocks, Core, Draft, Execute, Flow, Group, Handler, Here, Hooks, InstructionSet, Marks, Outcome, Progress,
    ProgressMut, Refusal, Register, Rest, Step, Stride, Successors, Turn, body, digest,
};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Access, AtZero, Bus, BusFault, CallFrame, Context, EventId, FaultReport, Memory, Peripherals, Registers, RowSet,
    Spin, State, Stop, Touch, Width,
};

const RAM: u32 = 0x1000;
const DEVICE: u32 = 0x4000;
const VECTOR: u32 = 0x80;

/// The instructions, and what the builder adds to them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    /// The register gets the number.
    Set(usize, u32),
    /// The second register is added to the first.
    Add(usize, usize),
    /// The register is shifted left.
    Shift(usize, u32),
    /// The first register gets the halfword at the address in the second.
    Load(usize, usize),
    /// The first register's low half goes to the address in the second.
    Store(usize, usize),
    /// The first register gets the address of the next instruction, which is at the address in the second.
    Call(usize, usize),
    /// Goes so many bytes on from here, unless the register is zero.
    Branch(usize, u32),
    /// Waits for an interrupt.
    Sleep,
    /// Returns from the interrupt's handler.
    Return,
    /// Ends the run.
    Stop,
    /// None of these.
    Undefined,
    /// The mark with this counter is passed.
    Mark(u32),
}

fn decode(half: u32) -> Op {
    let (first, second, number) = ((half >> 8 & 15) as usize, (half & 15) as usize, half as u8 as i8 as u32);
    match half >> 12 {
        0 => Op::Set(first, number),
        1 => Op::Add(first, second),
        2 => Op::Shift(first, number),
        3 => Op::Load(first, second),
        4 => Op::Store(first, second),
        5 => Op::Call(first, second),
        6 => Op::Branch(first, number),
        7 => Op::Sleep,
        8 => Op::Return,
        9 => Op::Stop,
        _ => Op::Undefined,
    }
}

fn encode(op: Op) -> u16 {
    let (row, first, second) = match op {
        Op::Set(r, number) => (0, r, number as usize),
        Op::Add(r, s) => (1, r, s),
        Op::Shift(r, number) => (2, r, number as usize),
        Op::Load(r, s) => (3, r, s),
        Op::Store(r, s) => (4, r, s),
        Op::Call(r, s) => (5, r, s),
        Op::Branch(r, number) => (6, r, number as usize),
        Op::Sleep => (7, 0, 0),
        Op::Return => (8, 0, 0),
        Op::Stop => (9, 0, 0),
        Op::Undefined | Op::Mark(_) => (15, 0, 0),
    };
    (row << 12 | first << 8 | second & 0xFF) as u16
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Exit {
    Next,
    Sleep,
    Stop,
    Undefined,
}

/// The core's state.
#[derive(Clone, Debug, Default)]
struct Toy {
    r: [u32; 32],
    pc: u32,
    /// The address to which the handler returns, while it runs.
    handles: Option<u32>,
    asleep: bool,
    now: u64,
    instructions: u64,
    horizon: u64,
    marks: Marks,
}

const REGISTERS: [Register; 2] =
    [Register::new("r0", 32, Group::General), Register::new("pc", 32, Group::ProgramCounter)];

impl InstructionSet for Toy {
    type Config = ();
    type Instruction = Op;
    type Exit = Exit;
    type Entry = ();
    type BlockDetail = ();
    type PlaceDetail = ();

    const NEXT: Exit = Exit::Next;
    const SKIPS: bool = true;
    const CHECKS_FETCHES: bool = false;

    fn create((): (), _: &Memory) -> Self {
        Self::default()
    }

    fn progress(&self) -> Progress {
        Progress { now: self.now, instructions: self.instructions, horizon: self.horizon }
    }

    fn progress_mut(&mut self) -> ProgressMut<'_> {
        let Self { now, instructions, horizon, marks, .. } = self;
        ProgressMut { now, instructions, horizon, marks }
    }

    fn build(&self, draft: &mut Draft<'_, Op, ()>, (): ()) -> Option<(u32, ())> {
        let (mut pc, mut stalls) = (draft.pc, false);
        draft.memory.read(pc, Width::Half)?;
        while let Some(half) = draft.memory.read(pc, Width::Half) {
            if stalls {
                draft.mark(Op::Mark);
            }
            let op = decode(half);
            draft.memory.mark_code_at(pc, 2);
            let place = draft.place(pc, pc + 2, 1, ());
            draft.step(op, place);
            draft.retire(&place);
            stalls = matches!(op, Op::Load(..));
            draft.extra += u32::from(stalls || matches!(op, Op::Branch(..)));
            pc += 2;
            let goes_on = matches!(op, Op::Set(..) | Op::Add(..) | Op::Shift(..) | Op::Load(..) | Op::Store(..));
            if !goes_on || draft.ends_before(pc) {
                break;
            }
        }
        Some((pc, ()))
    }

    fn pc(&self) -> Address {
        Address::new(self.pc)
    }

    fn set_pc(&mut self, pc: u32) {
        self.pc = pc;
    }

    fn stack_pointer(&self) -> Address {
        Address::ZERO
    }

    fn state(&self) -> State<'_> {
        State { next: self.pc(), stack_pointer: self.stack_pointer(), registers: Registers::Words(&self.r) }
    }

    fn rows(&self) -> RowSet {
        RowSet::default()
    }

    fn registers(&self) -> &'static [Register] {
        &REGISTERS
    }

    fn register(&self, number: usize) -> u32 {
        [self.r[0], self.pc][number]
    }

    fn digest(&self) -> u64 {
        digest(self.r.iter().map(|value| u64::from(*value)))
    }

    fn repeats(&self, earlier: &Self) -> bool {
        (self.r, self.handles) == (earlier.r, earlier.handles)
    }

    fn is_calm(op: &Op) -> bool {
        matches!(op, Op::Set(..) | Op::Add(..) | Op::Shift(..) | Op::Load(..) | Op::Store(..) | Op::Branch(..))
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        *[&mut self.r[0], &mut self.pc][number] = value;
        true
    }
}

impl Toy {
    /// Carries out any of them.
    fn carry_out<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, Self, P>, op: Op) -> Flow<Exit> {
        match op {
            Op::Set(r, number) => self.r[r] = number,
            Op::Add(r, s) => self.r[r] = self.r[r].wrapping_add(self.r[s]),
            Op::Shift(r, number) => self.r[r] = self.r[r].wrapping_shl(number),
            Op::Load(r, s) => {
                let access = self.access(here, s);
                self.now += u64::from(self.r[s] & 3 != 0);
                bus.run_events(access.at, access.pc);
                self.r[r] = bus.read(access).unwrap_or(0);
                if self.is_unsettled(bus) {
                    self.stop_behind(here);
                    return Flow::Leaves(Exit::Next);
                }
            }
            Op::Store(r, s) => {
                let access = self.access(here, s);
                bus.run_events(access.at, access.pc);
                let _ = bus.write(access, self.r[r] & 0xFFFF);
                if self.is_unsettled(bus) || bus.memory.code_changed() {
                    self.stop_behind(here);
                    return Flow::Leaves(Exit::Next);
                }
            }
            Op::Call(r, s) => {
                self.pc = self.r[s];
                self.r[r] = here.block.next_pc;
            }
            Op::Branch(r, by) if self.r[r] != 0 => {
                self.pc = here.place().pc.wrapping_add(by);
                self.now += 1;
            }
            Op::Branch(..) => {}
            Op::Sleep => return Flow::Ends(Exit::Sleep),
            Op::Return => {
                self.pc = self.handles.take().unwrap_or(VECTOR);
                self.horizon = 0;
            }
            Op::Stop | Op::Undefined => {
                self.stop_before(here);
                return Flow::Leaves(if op == Op::Stop { Exit::Stop } else { Exit::Undefined });
            }
            Op::Mark(counter) => self.marks.pass(counter, self.now),
        }
        Flow::Next
    }

    fn access<P>(&self, here: Here<'_, Self, P>, register: usize) -> Access {
        let (at, pc) = (Cycles::new(self.starts_at(here)), Address::new(here.place().pc));
        Access { address: Address::new(self.r[register]), width: Width::Half, at, pc }
    }
}

impl<P: Peripherals> Hooks<P> for Toy {
    type Reset = ();

    fn reset(&mut self, _: &mut Bus<P>) {
        *self = Self { now: self.now, instructions: self.instructions, ..Self::default() };
    }

    fn handler<R: Outcome<Self, P>>(&self, _: &Op) -> Handler<Self, P, R> {
        body!(|cpu, bus, here, op| cpu.carry_out(bus, here, *op))
    }

    fn settle(&mut self, bus: &mut Bus<P>) {
        bus.run_events(Cycles::new(self.now), self.pc());
        bus.shared.interrupts.take_rose();
    }

    fn next_event(&self, bus: &Bus<P>) -> u64 {
        bus.shared.events.next_at().get()
    }

    fn rest(&mut self, bus: &mut Bus<P>, _: u64) -> Rest {
        self.asleep &= bus.shared.interrupts.levels(0) == 0;
        if self.asleep { Rest::Until(u64::MAX) } else { Rest::Awake }
    }

    fn take_pending(&mut self, bus: &mut Bus<P>) -> Turn {
        if self.handles.is_some() || bus.shared.interrupts.levels(0) == 0 {
            return Turn::Settled;
        }
        self.handles = Some(self.pc);
        self.pc = VECTOR;
        self.now += 3;
        Turn::Again
    }

    fn finish(&mut self, _: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        match exit {
            Exit::Next => None,
            Exit::Sleep => {
                (self.asleep, self.horizon) = (true, 0);
                None
            }
            Exit::Stop => Some(Stop::Breakpoint(self.pc(), 0)),
            Exit::Undefined => {
                Some(Stop::Fault(FaultReport { pc: self.pc(), cause: "undefined instruction", address: None }))
            }
        }
    }

    fn refuse_fetch(&mut self, _: &mut Bus<P>, address: u32, _: Refusal) -> Option<Stop> {
        Some(Stop::Fault(FaultReport { pc: Address::new(address), cause: "no memory to fetch from", address: None }))
    }

    fn call_frame(&self, _: &Bus<P>) -> CallFrame {
        CallFrame { return_address: Address::new(self.r[0]), stack_pointer: self.stack_pointer() }
    }

    fn touches(&self, bus: &Bus<P>) -> Option<Touch> {
        match decode(bus.memory.read(self.pc, Width::Half)?) {
            Op::Load(_, s) => Some(Touch::read(self.r[s], 2)),
            Op::Store(_, s) => Some(Touch::write(self.r[s], 2)),
            _ => None,
        }
    }
}

/// A device: its register 0 reads the time, and a write raises the line after so many cycles; a write to register 2 lowers it.
#[derive(Clone, Debug, Default)]
struct Timer;

impl Peripherals for Timer {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        Ok(access.at.get() as u32 & 0xFFFF)
    }

    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        match access.address.get() {
            DEVICE => context.events.schedule(access.at + Cycles::new(value.into()), EventId::new(0)),
            _ => context.interrupts.set(0, false),
        }
        Ok(())
    }

    fn event(&mut self, _: EventId, context: &mut Context<'_>) {
        context.interrupts.set(0, true);
    }

    fn extra_cycles(&mut self, _: Address, _: bool, _: Cycles) -> i32 {
        0
    }

    fn sleep(&mut self, _: bool, _: bool, _: &mut Context<'_>) {}
}

const ADDRESSES: [Op; 10] = [
    Op::Set(1, 0x10),
    Op::Shift(1, 8),
    Op::Set(2, 0x40),
    Op::Shift(2, 8),
    Op::Set(7, 2),
    Op::Add(7, 1),
    Op::Set(13, 0x40),
    Op::Add(13, 1),
    Op::Set(11, 0x42),
    Op::Add(11, 1),
];

/// The routine in RAM overwrites its second instruction, which sets r8, with r10.
const ROUTINE: [Op; 5] = [Op::Store(10, 11), Op::Set(8, 0), Op::Add(4, 8), Op::Load(9, 1), Op::Call(9, 0)];

/// The handler uses r14 and r15 only, lowers the line, and has it raised again after 40 cycles.
const HANDLER: [Op; 9] = [
    Op::Set(15, 0x40),
    Op::Shift(15, 8),
    Op::Set(14, 40),
    Op::Store(14, 15),
    Op::Set(14, 2),
    Op::Add(15, 14),
    Op::Store(14, 15),
    Op::Add(5, 14),
    Op::Return,
];

fn machine(code: &[Op], handler: &[Op]) -> (Core<Toy, Timer>, Bus<Timer>) {
    let mut memory = Memory::new(Address::ZERO, vec![0xFF; 0x400], Address::new(RAM), 0x400);
    for (at, ops) in [(0, code), (VECTOR, handler), (RAM + 0x40, &ROUTINE)] {
        for (address, op) in (at..).step_by(2).zip(ops) {
            assert!(memory.load(Address::new(address), &encode(*op).to_le_bytes()));
        }
    }
    let bus = Bus::new(memory, Timer, 0);
    (Core::new((), &bus), bus)
}

/// Loads, stores, calls to code that rewrites itself, sleep, and the timer's interrupt all the while.
fn busy() -> (Core<Toy, Timer>, Bus<Timer>) {
    let code = [
        &ADDRESSES[..],
        &[
            Op::Set(3, 30),
            Op::Set(6, 25),
            Op::Store(6, 2),
            Op::Set(6, -1i32 as u32),
            // The loop.
            Op::Load(12, 1),
            Op::Add(4, 12),
            Op::Store(4, 7),
            Op::Load(12, 7),
            Op::Load(9, 2),
            Op::Store(9, 1),
            Op::Set(10, 8),
            Op::Shift(10, 8),
            Op::Add(10, 3),
            Op::Call(0, 13),
            Op::Sleep,
            Op::Add(3, 6),
            Op::Branch(3, -24i32 as u32),
            Op::Stop,
        ],
    ];
    machine(&code.concat(), &HANDLER)
}

/// The same without the timer, whose time no result may depend on.
fn calculation() -> (Core<Toy, Timer>, Bus<Timer>) {
    let code = [
        &ADDRESSES[..],
        &[
            Op::Set(3, 6),
            Op::Set(6, -1i32 as u32),
            // The loop.
            Op::Load(12, 7),
            Op::Add(4, 12),
            Op::Add(4, 3),
            Op::Store(4, 7),
            Op::Set(10, 8),
            Op::Shift(10, 8),
            Op::Add(10, 3),
            Op::Call(0, 13),
            Op::Add(3, 6),
            Op::Branch(3, -18i32 as u32),
            Op::Stop,
        ],
    ];
    let handler: Vec<Op> = HANDLER.into_iter().filter(|op| *op != Op::Add(5, 14)).collect();
    machine(&code.concat(), &handler)
}

fn outcome(core: &Core<Toy, Timer>, bus: &Bus<Timer>) -> String {
    format!("{:?} {:?}", (core.cpu().r, core.cpu().pc, core.now(), core.instructions()), bus.memory.ram.bytes())
}

#[test]
fn ten_instructions_in_one_file_obey_the_laws() {
    let watched = [20, 38, VECTOR, VECTOR + 16, RAM + 0x42, RAM + 0x46];
    Program { make: &busy, outcome: &outcome, end: 100_000, watched: &watched }.obeys_all();
    let (mut core, mut bus) = busy();
    assert!(matches!(core.run(&mut bus, Cycles::new(100_000)), Stop::Breakpoint(..)));
    assert!(core.cpu().r[5] >= 60, "30 interrupts or more: {}", core.cpu().r[5] / 2);
}

/// The handler of the programs that wait: it lowers the line, and stores r5, which is not zero, where they look.
const ANSWER: [Op; 6] =
    [Op::Set(15, 0x40), Op::Shift(15, 8), Op::Set(14, 2), Op::Add(15, 14), Op::Store(14, 15), Op::Return];

/// Has the timer raise its line in 20 times r3 cycles, and then runs `wait`.
fn waiting(wait: &[Op]) -> (Core<Toy, Timer>, Bus<Timer>) {
    let start = [Op::Set(3, 100), Op::Shift(3, 7), Op::Store(3, 2), Op::Set(3, 1)];
    let answer = [&ANSWER[..5], &[Op::Store(5, 7), Op::Return]].concat();
    machine(&[&ADDRESSES[..], &[Op::Set(5, 3)], &start, wait, &[Op::Stop]].concat(), &answer)
}

#[test]
fn a_loop_that_changes_nothing_is_skipped() {
    let minus = |bytes: i32| -bytes as u32;
    // Until the handler stores a number where the loop looks: the branch back leaves when r9 less 3 is zero.
    let polls: &[Op] = &[Op::Set(10, minus(3)), Op::Load(9, 7), Op::Add(9, 10), Op::Branch(9, minus(4))];
    let ever: &[Op] = &[Op::Branch(3, 0)];
    let unaligned: &[Op] = &[Op::Set(8, 1), Op::Add(8, 7), Op::Load(9, 8), Op::Branch(3, minus(2))];
    // What counts, writes or reads the time is no such loop.
    let counts: &[Op] = &[Op::Add(4, 3), Op::Branch(3, minus(2))];
    let writes: &[Op] = &[Op::Store(3, 7), Op::Branch(3, minus(2))];
    let time: &[Op] = &[Op::Load(9, 2), Op::Set(9, 0), Op::Branch(3, minus(4))];
    for (name, wait, skipped) in [
        ("polls", polls, true),
        ("for ever", ever, true),
        ("unaligned", unaligned, true),
        ("counts", counts, false),
        ("writes", writes, false),
        ("reads the time", time, false),
    ] {
        let make = || waiting(wait);
        let program = Program { make: &make, outcome: &outcome, end: 60_000, watched: &[2 * 11] };
        let most = program.is_the_same_where_loops_are_skipped();
        assert_eq!(most > 8_000, skipped, "{name}: {most} cycles skipped");
        program.obeys_all();
    }
    let (mut core, mut bus) = waiting(polls);
    assert!(matches!(core.run(&mut bus, Cycles::new(60_000)), Stop::Breakpoint(..)), "the interrupt ends the loop");
    assert_eq!(core.spins(), None);
    // With the interrupt behind it, nothing ends a loop but the outside.
    for (name, wait, spins) in [("for ever", ever, Some(Spin::Idle)), ("counts", counts, None), ("reads", time, None)] {
        let (mut core, mut bus) = waiting(wait);
        assert_eq!(core.run(&mut bus, Cycles::new(12_000)), Stop::Horizon);
        assert_eq!(core.spins(), None, "{name}: the interrupt is ahead");
        assert_eq!(core.run(&mut bus, Cycles::new(100_000)), Stop::Horizon);
        assert_eq!(core.spins(), spins, "{name}");
    }
}

#[test]
fn an_interrupt_in_any_cycle_changes_no_result() {
    let program = Program { make: &calculation, outcome: &outcome, end: 100_000, watched: &[] };
    let raise = |bus: &mut Bus<Timer>, at| bus.shared.events.schedule(at, EventId::new(0));
    let result = |core: &Core<Toy, Timer>, bus: &Bus<Timer>| {
        format!("{:?} {:?}", &core.cpu().r[..14], &bus.memory.ram.bytes()[..4])
    };
    program.has_its_result_whenever_interrupted(&raise, &result);
}

#[test]
fn code_beyond_the_tables_follows_its_block_and_is_forgotten_with_the_rest() {
    const FAR: u32 = 2 << 20;
    let memory = Memory::new(Address::ZERO, vec![0; 64], Address::new(RAM), 4 << 20);
    let mut blocks: Blocks<Toy, Timer> = Blocks::new(&memory);
    let [first, second] = [0, 8].map(|offset| built(&mut blocks, RAM + FAR + offset, Stride::Block));
    assert_eq!(blocks.find(RAM + FAR, Stride::Block), Some(first));
    assert_eq!(blocks.find(RAM + FAR, Stride::Single), None);
    assert_eq!(blocks.link(first, RAM + FAR + 8, Stride::Block), Some(second));
    assert_eq!(blocks.get(first).successors.at(RAM + FAR + 8), Some(second));
    blocks.flush();
    assert_eq!(blocks.find(RAM + FAR, Stride::Block), None);
}

const FLASH: u32 = 0x0800_0000;
const SRAM: u32 = 0x2000_0000;

fn memory() -> Memory {
    let mut memory = Memory::new(Address::new(FLASH), vec![0; 64], Address::new(SRAM), 128);
    memory.map_at_zero(AtZero::Flash);
    memory
}

fn block(pc: u32, steps: usize) -> Block<Toy, Timer> {
    Block {
        steps: (0..steps).map(|_| Step::new(Op::Stop, Toy::default().handler(&Op::Stop))).collect(),
        places: Box::default(),
        pc,
        next_pc: pc + 2,
        cycles: 1,
        worst_cycles: 1,
        count: 1,
        key: 0,
        successors: Successors::default(),
        number: 0,
        detail: (),
        heat: Default::default(),
    }
}

fn built(blocks: &mut Blocks<Toy, Timer>, pc: u32, stride: Stride) -> usize {
    let id = blocks.add(block(pc, 1));
    blocks.enter(id, pc, stride);
    id
}

#[test]
fn every_halfword_of_code_has_a_place_of_its_own() {
    let mut blocks = Blocks::new(&memory());
    let places = [(0, 128), (FLASH, 64), (SRAM, 128)];
    let all: Vec<u32> = places.iter().flat_map(|&(from, bytes)| (from..from + bytes).step_by(2)).collect();
    let ids: Vec<usize> = all.iter().map(|pc| built(&mut blocks, *pc, Stride::Block)).collect();
    for (pc, id) in all.iter().zip(ids) {
        assert_eq!(blocks.find(*pc, Stride::Block), Some(id), "{pc:#x}");
        assert_eq!(blocks.find(*pc, Stride::Single), None);
    }
    for outside in [128, FLASH - 2, FLASH + 64, SRAM - 2, SRAM + 128, u32::MAX - 1] {
        assert_eq!(blocks.find(outside, Stride::Block), None, "{outside:#x}");
    }
}

#[test]
fn a_block_knows_the_last_two_that_followed_and_forgets_them_with_the_rest() {
    let mut blocks = Blocks::new(&memory());
    let [first, second, third, fourth] = [0, 2, 4, 6].map(|offset| built(&mut blocks, SRAM + offset, Stride::Block));
    assert_eq!(blocks.get(first).successors.at(SRAM + 2), None);
    assert_eq!(blocks.link(first, SRAM + 8, Stride::Block), None, "not built");
    for (offset, id) in [(2, second), (4, third), (6, fourth)] {
        assert_eq!(blocks.link(first, SRAM + offset, Stride::Block), Some(id));
    }
    let successors = [2, 4, 6].map(|offset| blocks.get(first).successors.at(SRAM + offset));
    assert_eq!(successors, [None, Some(third), Some(fourth)]);
    blocks.flush();
    assert_eq!(blocks.find(SRAM, Stride::Block), None);
    let anew = built(&mut blocks, SRAM + 6, Stride::Block);
    assert_eq!(blocks.get(anew).successors.at(SRAM + 4), None);
}

#[test]
fn what_is_kept_is_stale_once_and_never_too_much() {
    let mut memory = memory();
    let mut blocks: Blocks<Toy, Timer> = Blocks::new(&memory);
    assert!(!blocks.take_stale(&mut memory));
    memory.program_flash(0, &[1]);
    assert!(blocks.is_stale(&memory) && blocks.take_stale(&mut memory) && !blocks.take_stale(&mut memory));
    memory.mark_code(0, 4);
    memory.write(SRAM, Width::Half, 1);
    assert!(blocks.is_stale(&memory) && blocks.take_stale(&mut memory) && !blocks.take_stale(&mut memory));
    blocks.add(block(SRAM, (1 << 20) - 1));
    assert!(!blocks.is_full_for(&block(SRAM, 1)));
    assert!(blocks.is_full_for(&block(SRAM, 2)));
    blocks.watch(Address::new(SRAM));
    assert!(blocks.watches(SRAM) && !blocks.is_full_for(&block(SRAM, 2)), "a new watch forgets all blocks");
    blocks.watch_only(&[FLASH]);
    assert_eq!(blocks.watched(), [FLASH]);
}
