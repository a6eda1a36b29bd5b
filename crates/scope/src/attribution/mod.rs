//! Attributes each instruction and each cycle to a function, a call path and an address.
//!
//! An [`Attribution`] is a [`Sink`]. It counts what retires between two moments that its owner names
//! ([`Attribution::open`], [`Attribution::close`]). Cycles in which nothing retires count too: sleep, exception entry
//! and return, and the remaining gaps. The sum of all costs is therefore exactly the time between the two moments.
//! [`Account`] is the result.
//!
//! Spans are half-open: the instruction under way at the first moment counts, the one under way at the last moment does
//! not. Of both, only the cycles inside the span count.

mod account;
mod by_core;
mod calls;
mod class;
mod code;
mod role;
mod runs;
mod tree;

use std::sync::Arc;

use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{BlockCatalog, BlockInstruction, Counted, Joined, Retire, Run, Signal, Sink, State};

pub use account::{
    Account, CallCost, ClassCost, Cost, FunctionCost, InlineCost, InstructionCost, Jump, LineCost, PathCost,
};
pub use by_core::CoreAttributions;
pub use class::Class;

use self::calls::{Calls, Frame, Pending};
use self::class::Flow;
use self::code::{Code, FunctionId, Slot};
use self::role::Role;
use self::runs::Runs;
use self::tree::{PathId, ROOT, Tree};

/// An owner of instructions or cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CostOwner {
    /// A symbol of the image: address, name, and how it takes part in jumps.
    Function(u32, Arc<str>, Role),
    /// Code without a symbol.
    Nameless,
    /// Entry and return of an exception.
    Exception(u16),
    /// The sleeping core.
    Asleep,
    /// Cycles between instructions that belong to none of the others.
    Between,
    /// The root of all paths.
    Nobody,
}

const NOBODY: FunctionId = 0;
const NAMELESS: FunctionId = 1;
const ASLEEP: FunctionId = 2;
const BETWEEN: FunctionId = 3;

/// The latest instruction.
#[derive(Clone, Copy, Debug)]
struct Last {
    pc: u32,
    slot: usize,
    path: PathId,
    began: u64,
}

/// Counts instructions and cycles by owner.
#[derive(Debug)]
pub struct Attribution<'i> {
    image: &'i Image,
    owners: Vec<CostOwner>,
    /// The function of each symbol's address that was met so far.
    functions: std::collections::HashMap<u32, FunctionId>,
    code: Code,
    runs: Runs,
    tree: Tree,
    calls: Calls,
    counting: bool,
    path: PathId,
    function: FunctionId,
    /// The path before the latest jump to another function.
    left: PathId,
    pending: Pending,
    /// The next instruction's address, and the stack pointer now and before the latest instruction.
    next: u32,
    stack_pointer: u32,
    stack_pointer_before: u32,
    /// The cycle up to which all cycles are attributed: the end of the latest instruction.
    end: u64,
    last: Option<Last>,
    /// The owner of the cycles up to the next instruction.
    gap: FunctionId,
    /// The cycle at which the core fell asleep, and the cycles asleep that are not attributed yet.
    asleep_since: Option<u64>,
    asleep: u64,
    /// The cycle at which an exception was entered last.
    entered: u64,
    opened: u64,
    /// The number of counted spans, and the totals of the closed ones.
    occurrences: u64,
    instructions: u64,
    elapsed: u64,
}

impl<'i> Attribution<'i> {
    /// Returns an attribution that is closed and has counted nothing.
    pub fn new(image: &'i Image) -> Self {
        Self {
            image,
            owners: vec![CostOwner::Nobody, CostOwner::Nameless, CostOwner::Asleep, CostOwner::Between],
            functions: std::collections::HashMap::new(),
            code: Code::new(image),
            runs: Runs::new(),
            tree: Tree::new(NOBODY),
            calls: Calls::default(),
            counting: false,
            path: ROOT,
            function: NOBODY,
            left: ROOT,
            pending: Pending { flow: Flow::Begun, return_address: 0, stack_pointer: 0 },
            next: 0,
            stack_pointer: 0,
            stack_pointer_before: 0,
            end: 0,
            last: None,
            gap: BETWEEN,
            asleep_since: None,
            asleep: 0,
            entered: u64::MAX,
            opened: 0,
            occurrences: 0,
            instructions: 0,
            elapsed: 0,
        }
    }

    /// Tells if it counts.
    pub fn is_open(&self) -> bool {
        self.counting
    }

    /// Returns the number of times it was closed.
    pub fn occurrences(&self) -> u64 {
        self.occurrences
    }

    /// Starts to count at the cycle `at`, which is no later than the machine's next instruction. Paths start anew.
    pub fn open(&mut self, at: Cycles) {
        let at = at.get();
        self.calls.clear();
        self.counting = true;
        self.opened = at;
        self.asleep = 0;
        if let Some(since) = &mut self.asleep_since {
            *since = (*since).max(at);
        }
        // An exception that was just entered is known; the next instruction tells the rest.
        if self.pending.flow != Flow::Entered || self.entered != at {
            self.pending.flow = Flow::Begun;
            (self.path, self.function) = (ROOT, NOBODY);
        }
        match self.last.filter(|last| self.end > at && last.began < self.end) {
            Some(Last { pc, slot, .. }) => {
                let inside = self.end - at;
                self.look(slot, pc);
                self.begin_at(slot);
                let path = self.path;
                self.count(slot, path, 1, inside);
                self.last = Some(Last { pc, slot, path, began: at });
                self.pending = self.pending_after(pc, slot);
            }
            None => self.end = at,
        }
    }

    /// Stops counting at the cycle `at`, which is no earlier than the start of the latest instruction.
    pub fn close(&mut self, at: Cycles) {
        if !self.counting {
            return;
        }
        let at = at.get().max(self.opened);
        if at > self.end {
            self.pass(at);
        } else if at < self.end
            && let Some(Last { slot, path, .. }) = self.last
        {
            let outside = self.end - at;
            let (counted, node) = (self.code.slot(slot), self.tree.node(path));
            // The block may have counted the instruction already; its counts are added later.
            counted.instructions = counted.instructions.wrapping_sub(1);
            counted.cycles = counted.cycles.wrapping_sub(outside);
            node.instructions -= 1;
            node.cycles -= outside;
            self.instructions -= 1;
        }
        self.counting = false;
        self.occurrences += 1;
        self.elapsed += at - self.opened;
    }

    /// Returns the cycle `at`, or the one at which the latest instruction began if that is later: of two cores, one may run ahead
    /// of an event on the other.
    fn not_before(&self, at: Cycles) -> Cycles {
        self.last.map_or(at, |last| at.max(Cycles::new(last.began.min(self.end))))
    }

    /// Takes a signal of the machine, before the next instruction retires.
    pub fn signal(&mut self, at: Cycles, signal: Signal) {
        match signal {
            Signal::ExceptionEntered { number } => {
                // An exception that follows another at once interrupts the same code as the first.
                if self.pending.flow != Flow::Resumed {
                    let (at, _) = self.slot_of(self.next);
                    self.calls.push(Frame {
                        pc: self.next,
                        behind: self.next.wrapping_add(u32::from(self.code.slot(at).kind.length)),
                        stack_pointer: self.stack_pointer,
                        path: self.path,
                        interrupted: Some(self.pending),
                    });
                }
                self.entered = at.get();
                self.gap = self.exception(number);
                self.path = self.tree.child(ROOT, self.gap);
                if self.counting {
                    self.tree.node(self.path).calls += 1;
                }
                self.function = self.gap;
                self.pending.flow = Flow::Entered;
            }
            Signal::ExceptionReturned { number } => {
                self.gap = self.exception(number);
                self.calls.leave_handler();
                self.pending.flow = Flow::Resumed;
            }
            Signal::Sleep => self.asleep_since = Some(at.get()),
            Signal::Wake => self.wake(at.get()),
            Signal::Pin { .. }
            | Signal::ExceptionPended { .. }
            | Signal::Store { .. }
            | Signal::Listens { .. }
            | Signal::Gap
            | Signal::Transfer { .. } => {}
        }
    }

    /// Takes the machine's position after its signals: the next instruction's address and the stack pointer.
    pub fn stopped(&mut self, pc: Address, stack_pointer: Address) {
        let (pc, stack_pointer) = (pc.get(), stack_pointer.get());
        (self.next, self.stack_pointer) = (pc, stack_pointer);
        if self.pending.flow == Flow::Resumed {
            self.resume(pc, stack_pointer);
        }
    }

    /// Returns the account so far. The attribution must be closed. `names` has exceptions by number.
    pub fn account(&self, names: &[(u16, &str)]) -> Account {
        account::account(self, names)
    }

    /// Returns only the paths, as in [`Account::paths`]. It reads no line tables and is therefore faster.
    pub fn paths(&self, names: &[(u16, &str)]) -> Vec<PathCost> {
        account::paths(self, names)
    }

    fn wake(&mut self, at: u64) {
        if let Some(since) = self.asleep_since.take() {
            self.asleep += at.saturating_sub(since);
        }
    }

    /// Handles an exception return to `pc`.
    fn resume(&mut self, pc: u32, stack_pointer: u32) {
        match self.calls.go_back(pc, stack_pointer) {
            Some(frame) => self.go_on(frame),
            None => {
                self.calls.begin();
                (self.path, self.function) = (ROOT, NOBODY);
                self.pending.flow = Flow::Begun;
            }
        }
    }

    /// Resumes `frame` with its pending work.
    fn go_on(&mut self, frame: Frame) {
        self.path = frame.path;
        self.function = self.tree.node(frame.path).function;
        self.pending = frame.interrupted.unwrap_or(Pending { flow: Flow::Straight, ..self.pending });
    }

    /// Returns the pending work after the instruction at `pc` with the slot `slot`.
    fn pending_after(&mut self, pc: u32, slot: usize) -> Pending {
        let kind = self.code.slot(slot).kind;
        let return_address = pc.wrapping_add(u32::from(kind.length));
        Pending { flow: kind.flow, return_address, stack_pointer: self.stack_pointer_before }
    }

    fn exception(&mut self, number: u16) -> FunctionId {
        let known = self.owners.iter().position(|owner| *owner == CostOwner::Exception(number));
        match known {
            Some(id) => id as FunctionId,
            None => self.meet(CostOwner::Exception(number), 0),
        }
    }

    /// Adds an owner; `name` is the length of its name in bytes.
    fn meet(&mut self, owner: CostOwner, name: usize) -> FunctionId {
        self.owners.push(owner);
        let id = (self.owners.len() - 1) as FunctionId;
        self.tree.name(id, name);
        id
    }

    /// Finds the function and class of the slot at `index`, for the address `pc`.
    fn look(&mut self, index: usize, pc: u32) {
        if Code::is_known(self.code.slot(index)) {
            return;
        }
        let symbol = self.image.function_at(Address::new(pc)).filter(|_| !self.code.is_beyond(index));
        let function = match symbol {
            None => NAMELESS,
            Some(symbol) => {
                let (address, name) = (symbol.address.get(), symbol.display_name());
                match self.functions.get(&address) {
                    Some(id) => *id,
                    None => {
                        let owner = CostOwner::Function(address, name.into(), Role::of(symbol));
                        let id = self.meet(owner, name.len());
                        self.functions.insert(address, id);
                        id
                    }
                }
            }
        };
        self.code.look(index, pc, self.image, function);
    }

    /// Returns the slot of the instruction at `pc` and its function.
    fn slot_of(&mut self, pc: u32) -> (usize, FunctionId) {
        let index = self.code.find(pc);
        self.look(index, pc);
        (index, self.code.slot(index).function)
    }

    /// Starts a path at the root for the function of the slot at `index`.
    fn begin_at(&mut self, index: usize) {
        self.function = self.code.slot(index).function;
        self.path = self.tree.child(ROOT, self.function);
        self.called();
    }

    fn called(&mut self) {
        self.tree.node(self.path).calls += 1;
    }

    #[inline(always)]
    fn count(&mut self, slot: usize, path: PathId, instructions: u64, cycles: u64) {
        let slot = self.code.slot(slot);
        slot.instructions += instructions;
        slot.cycles += cycles;
        let node = self.tree.node(path);
        node.instructions += instructions;
        node.cycles += cycles;
        self.instructions += instructions;
    }

    /// Attributes the cycles up to `at`, in which nothing retired.
    #[cold]
    fn pass(&mut self, at: u64) {
        if let Some(since) = self.asleep_since {
            self.wake(at);
            self.asleep_since = Some(at.max(since));
        }
        let passed = at.saturating_sub(self.end);
        let slept = std::mem::take(&mut self.asleep).min(passed);
        let asleep = self.tree.child(ROOT, ASLEEP);
        self.tree.node(asleep).cycles += slept;
        let gap = std::mem::replace(&mut self.gap, BETWEEN);
        let gap = self.tree.child(ROOT, gap);
        self.tree.node(gap).cycles += passed - slept;
        self.end = at;
    }

    /// Attributes the cycles up to an instruction that began at `at`, later than the last one ended; returns when it began and its
    /// cycles, as far as they are counted. One that began earlier was under way beside an event of another core, which a span
    /// begins with: the part behind that counts, and `None` is for one that has no such part.
    #[cold]
    fn pass_to(&mut self, at: u64, cycles: u64) -> Option<(u64, u64)> {
        if at >= self.end {
            self.pass(at);
            return Some((at, cycles));
        }
        let inside = (at + cycles).saturating_sub(self.end);
        (inside > 0).then_some((self.end, inside))
    }

    /// Updates the path for the instruction at `pc` with the slot `slot`. It is needed after a call, a return, an
    /// indirect jump or an exception, and where the function changes.
    #[inline(never)]
    fn arrive(&mut self, pc: u32, slot: usize) {
        self.look(slot, pc);
        let function = self.code.slot(slot).function;
        let is_entry = matches!(self.owners[function as usize], CostOwner::Function(address, ..) if address == pc);
        match self.pending.flow {
            Flow::Begun => return self.begin_at(slot),
            Flow::Entered => {
                self.path = self.tree.child(self.path, function);
                self.called();
            }
            Flow::Call => {
                let Pending { return_address, stack_pointer, .. } = self.pending;
                let (pc, path) = (return_address, self.path);
                let frame = Frame { pc, behind: pc, stack_pointer, path, interrupted: None };
                // A call to a label inside the same function is part of the function.
                let (followed, enters) = (self.calls.push(frame), is_entry || function != self.function);
                if enters {
                    self.path = match followed {
                        true => self.tree.child(self.path, function),
                        false if function == self.function => self.path,
                        false => self.tree.sibling(self.path, function),
                    };
                    self.called();
                }
            }
            Flow::Return | Flow::Indirect => {
                let inside = function == self.function && !is_entry;
                if let Some(path) = self.calls.pop_latest(pc, self.stack_pointer) {
                    self.return_to(path, function);
                } else if self.makes_room(self.function) && function != self.function {
                    // The helper has reserved stack space and the function goes on; the compiler decides if that is a
                    // call or a jump.
                    match self.calls.pop_making_room(pc) {
                        Some(path) => self.return_to(path, function),
                        None => self.path = self.jumped(pc, function, is_entry),
                    }
                } else if self.pending.flow == Flow::Indirect && (inside || is_entry) {
                    // A case table, or a tail call through a pointer.
                    self.jump(pc, function, is_entry);
                } else if self.calls.returns_unfollowed(self.stack_pointer) {
                    if function != self.function {
                        self.path = self.tree.sibling(self.path, function);
                    }
                } else if let Some(frame) = self.calls.go_back(pc, self.stack_pointer) {
                    self.go_on(frame);
                    if self.pending.flow > Flow::Straight {
                        return self.arrive(pc, slot);
                    }
                    self.return_to(frame.path, function);
                } else if !inside {
                    let tree = &self.tree;
                    let holds = |path: PathId| !is_entry && tree.nodes()[path as usize].function == function;
                    let Some(path) = self.calls.go_back_elsewhere(self.stack_pointer, holds) else {
                        self.calls.begin();
                        return self.begin_at(slot);
                    };
                    self.path = path;
                }
            }
            Flow::Straight | Flow::Resumed => self.jump(pc, function, is_entry),
        }
        self.function = function;
    }

    /// Tells if the function is a compiler's helper that saves registers on the stack for others (libgcc's
    /// `-msave-restore` on RISC-V, `-mcall-prologues` on AVR).
    fn makes_room(&self, function: FunctionId) -> bool {
        let makes_room = |name: &str| name.starts_with("__riscv_save_") || name.starts_with("__prologue_saves");
        matches!(&self.owners[function as usize], CostOwner::Function(_, name, _) if makes_room(name))
    }

    fn return_to(&mut self, path: PathId, function: FunctionId) {
        let known = self.tree.node(path).function;
        self.path = if known == function { path } else { self.tree.sibling(path, function) };
    }

    /// Goes on in `function` at `pc`, by a jump or straight on.
    fn jump(&mut self, pc: u32, function: FunctionId, is_entry: bool) {
        if function != self.function {
            self.path = self.jumped(pc, function, is_entry);
            self.called();
        }
    }

    /// Returns the path with `function` in the place of its last function. A jump to its entry is a tail call, and the
    /// path keeps the function that jumped. Any other way there (straight on, to a label or into a part of a function)
    /// keeps what the path had.
    fn jumped(&mut self, pc: u32, function: FunctionId, is_entry: bool) -> PathId {
        let left = std::mem::replace(&mut self.left, self.path);
        let nodes = self.tree.nodes();
        let (from, back) = (&nodes[self.path as usize], &nodes[left as usize]);
        if !is_entry && (back.function, back.parent) == (function, from.parent) {
            // From a part of the function, or from a helper that saved its registers, back into its middle.
            return left;
        }
        let role = |id: FunctionId| match &self.owners[id as usize] {
            CostOwner::Function(.., role) => Some(*role),
            _ => None,
        };
        let leaves = role(self.function).is_some_and(Role::is_named_by_jumps);
        let arrives = role(function).is_some_and(|role| role.is_reached_by_jumps(is_entry));
        let is_tail_call = leaves && arrives && pc != self.pending.return_address;
        let jumped = if is_tail_call { self.function } else { from.jumped };
        let jumped = if jumped == function { NOBODY } else { jumped };
        self.tree.jump(self.path, function, jumped)
    }
}

impl Attribution<'_> {
    /// Attributes so many instructions to the path: a run of `block`, and those before it from a run of `first` on.
    #[inline(always)]
    fn go_through(&mut self, first: runs::Block, instructions: u64, block: runs::Block, run: Run) {
        let (began, marked, end) = (run.began.get(), run.marked.get(), run.end.get());
        if self.counting {
            if began != self.end {
                self.pass(began);
            }
            if first.function != self.function || self.pending.flow > Flow::Straight {
                self.arrive(first.pc, first.slot as usize);
            }
            self.gap = BETWEEN;
            let ending = self.runs.ending(block, run.instructions);
            self.pending =
                Pending { flow: ending.flow, return_address: ending.next_pc, stack_pointer: run.stack_pointer.get() };
            let node = self.tree.node(self.path);
            node.instructions += instructions;
            node.cycles += end - began;
            self.instructions += instructions;
        }
        let ending = self.runs.ending(block, run.instructions);
        let began = marked.wrapping_add(u64::from(ending.before));
        self.last = Some(Last { pc: ending.pc, slot: ending.slot as usize, path: self.path, began });
        // An exception may still change these before the next instruction.
        (self.next, self.stack_pointer) = (ending.next_pc, run.stack_pointer.get());
        self.end = end;
    }
}

impl BlockCatalog for Attribution<'_> {
    fn edition(&self) -> u64 {
        self.runs.edition
    }

    fn renew(&mut self) -> u64 {
        self.runs.renew(self.code.slots())
    }

    /// Splits blocks at function borders and behind instructions that may go anywhere.
    fn splits(&mut self, first: Address, pc: Address) -> bool {
        let (slot, function) = self.slot_of(first.get());
        self.code.slot(slot).kind.class == Class::Unknown || function != self.slot_of(pc.get()).1
    }

    fn counter(&mut self, pc: Address) -> u32 {
        self.code.find(pc.get()) as u32
    }

    fn add(&mut self, code: &[BlockInstruction]) -> u32 {
        for instruction in code {
            self.slot_of(instruction.pc.get());
        }
        let function = code.first().map_or(NAMELESS, |instruction| self.slot_of(instruction.pc.get()).1);
        let slots: Vec<(u32, Slot)> = code
            .iter()
            .map(|instruction| {
                let slot = self.code.find(instruction.pc.get());
                (slot as u32, *self.code.slot(slot))
            })
            .collect();
        self.runs.add(code, function, &slots)
    }

    fn stalls(&mut self) -> Option<&mut Vec<u64>> {
        self.counting.then_some(&mut self.runs.stalls)
    }

    fn joins_runs(&self) -> bool {
        true
    }

    /// Joins runs between which the path stays.
    fn joins(&mut self, block: u32, instructions: u32, next: u32) -> bool {
        let (block, next) = (self.runs.block(block), self.runs.block(next));
        block.function == next.function && self.runs.ending(block, instructions).flow <= Flow::Straight
    }

    fn ran_joined(&mut self, joined: Joined, state: Option<State<'_>>) {
        let Joined { first, last, instructions } = joined;
        let (first, block) = (self.runs.block(first), self.runs.block(last.block));
        self.go_through(first, instructions, block, last);
        if let Some(state) = state {
            self.state(state);
        }
    }

    fn count(&mut self, counted: Counted) {
        if self.counting {
            let block = self.runs.block(counted.block);
            self.runs.ending(block, counted.instructions).count(counted.runs, counted.cycles);
        }
    }
}

impl Sink for Attribution<'_> {
    const OBSERVES: bool = true;
    const BLOCKS: bool = true;

    #[inline(always)]
    fn ran(&mut self, run: Run) {
        let block = self.runs.block(run.block);
        if self.counting {
            let cycles = run.end.get().wrapping_sub(run.marked.get());
            self.runs.ending(block, run.instructions).count(1, cycles);
        }
        self.go_through(block, run.instructions.into(), block, run);
    }

    fn catalog(&mut self) -> Option<&mut dyn BlockCatalog> {
        Some(self)
    }

    #[inline(always)]
    fn retire(&mut self, retire: Retire) {
        let (pc, mut at, mut cycles) = (retire.pc.get(), retire.at.get(), retire.cycles.get());
        let slot = self.code.find(pc);
        if self.counting {
            if at != self.end {
                let Some(counted) = self.pass_to(at, cycles) else { return };
                (at, cycles) = counted;
            }
            if self.code.slot(slot).function != self.function || self.pending.flow > Flow::Straight {
                self.arrive(pc, slot);
            }
            self.gap = BETWEEN;
            let path = self.path;
            self.count(slot, path, 1, cycles);
            let kind = self.code.slot(slot).kind;
            let return_address = pc.wrapping_add(u32::from(kind.length));
            self.pending = Pending { flow: kind.flow, return_address, stack_pointer: self.stack_pointer };
        }
        self.last = Some(Last { pc, slot, path: self.path, began: at });
        // An exception may still change this before the next instruction.
        self.next = pc.wrapping_add(u32::from(self.code.slot(slot).kind.length));
        self.end = at + cycles;
    }

    #[inline(always)]
    fn state(&mut self, state: State<'_>) {
        self.stack_pointer_before = self.stack_pointer;
        self.stack_pointer = state.stack_pointer.get();
        self.next = state.next.get();
    }
}
