//! Whose every instruction and every cycle is: by function, by path of calls, by instruction.
//!
//! An [`Attribution`] is a [`Sink`]: it counts what retires, between two moments that its owner names
//! ([`Attribution::open`], [`Attribution::close`]). Cycles in which nothing retires are counted too: those asleep, those
//! that exceptions take to be entered and left, and what remains. So the sum of all that is attributed is the time from
//! moment to moment, exactly; [`Account`] is the result.
//!
//! Spans are half-open: the instruction under way at the first moment counts, the one under way at the last does not, and
//! of both only the cycles inside.

mod account;
mod calls;
mod class;
mod code;
mod runs;
mod tree;

use std::sync::Arc;

use cyclescope_image::Image;
use cyclescope_machine::{BlockCatalog, BlockInstruction, Retire, Run, Signal, Sink, State};
use cyclescope_units::{Address, Cycles};

pub use account::{Account, CallCost, ClassCost, Cost, FunctionCost, InlineCost, InstructionCost, LineCost, PathCost};
pub use class::Class;

use self::calls::{Calls, Frame, Pending};
use self::class::Flow;
use self::code::{Code, FunctionId, Slot};
use self::runs::Runs;
use self::tree::{PathId, ROOT, Tree};

/// Something that takes instructions or cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Who {
    /// A symbol of the image, by its address and its name.
    Function(u32, Arc<str>),
    /// Code without a symbol.
    Nameless,
    /// What entering and leaving an exception takes.
    Exception(u16),
    /// Sleep.
    Asleep,
    /// Cycles between instructions that belong to none of these.
    Between,
    /// Nobody; the root of all paths.
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

/// Counts whose every instruction is.
#[derive(Debug)]
pub struct Attribution<'i> {
    image: &'i Image,
    who: Vec<Who>,
    /// The function of each symbol's address that was met.
    functions: std::collections::HashMap<u32, FunctionId>,
    code: Code,
    runs: Runs,
    tree: Tree,
    calls: Calls,
    counting: bool,
    path: PathId,
    function: FunctionId,
    pending: Pending,
    /// Where the core goes on, and its stack pointer now and before the latest instruction.
    next: u32,
    stack_pointer: u32,
    stack_pointer_before: u32,
    /// When the latest instruction ended: all before is attributed.
    end: u64,
    last: Option<Last>,
    /// What the cycles up to the next instruction are of.
    gap: FunctionId,
    /// Since when the core sleeps, and the cycles asleep that are not attributed yet.
    asleep_since: Option<u64>,
    asleep: u64,
    /// When an exception was entered last.
    entered: u64,
    opened: u64,
    /// Moments counted, and the totals of those that are closed.
    occurrences: u64,
    instructions: u64,
    elapsed: u64,
}

impl<'i> Attribution<'i> {
    /// Counts nothing yet.
    pub fn new(image: &'i Image) -> Self {
        Self {
            image,
            who: vec![Who::Nobody, Who::Nameless, Who::Asleep, Who::Between],
            functions: std::collections::HashMap::new(),
            code: Code::new(image),
            runs: Runs::default(),
            tree: Tree::new(NOBODY),
            calls: Calls::default(),
            counting: false,
            path: ROOT,
            function: NOBODY,
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

    /// Whether it counts.
    pub fn is_open(&self) -> bool {
        self.counting
    }

    /// How many times it was closed.
    pub fn occurrences(&self) -> u64 {
        self.occurrences
    }

    /// Counts from the cycle `at` on, which is no later than the machine's next instruction. Paths begin anew.
    pub fn open(&mut self, at: Cycles) {
        let at = at.get();
        self.calls.clear();
        self.counting = true;
        self.opened = at;
        self.asleep = 0;
        if let Some(since) = &mut self.asleep_since {
            *since = (*since).max(at);
        }
        // An exception that was just entered is known; all else is found out with the next instruction.
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

    /// Counts no longer from the cycle `at` on, which is no earlier than the beginning of the latest instruction.
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
            // It may have been counted by the block, which is added up later.
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

    /// A signal of the machine, told before the next instruction retires.
    pub fn signal(&mut self, at: Cycles, signal: Signal) {
        match signal {
            Signal::ExceptionEntered { number } => {
                // One that follows another at once interrupts what that one did.
                if self.pending.flow != Flow::Resumed {
                    let (at, _) = self.known(self.next);
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
            Signal::Pin { .. } | Signal::ExceptionPended { .. } | Signal::Store { .. } => {}
        }
    }

    /// Where the machine stands after what it signalled: the next instruction's address and the stack pointer.
    pub fn stopped(&mut self, pc: Address, stack_pointer: Address) {
        let (pc, stack_pointer) = (pc.get(), stack_pointer.get());
        (self.next, self.stack_pointer) = (pc, stack_pointer);
        if self.pending.flow == Flow::Resumed {
            self.resume(pc, stack_pointer);
        }
    }

    /// What has been counted up to now, while it is closed.
    /// Exceptions are called by their `names`.
    pub fn account(&self, names: &[(u16, &str)]) -> Account {
        account::account(self, names)
    }

    /// The paths alone, as [`Account::paths`] has them: without line tables, which take their time to be read.
    pub fn paths(&self, names: &[(u16, &str)]) -> Vec<PathCost> {
        account::paths(self, names)
    }

    fn wake(&mut self, at: u64) {
        if let Some(since) = self.asleep_since.take() {
            self.asleep += at.saturating_sub(since);
        }
    }

    /// An exception has returned to `pc`.
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

    /// Goes on as `frame` says, with what was under way then.
    fn go_on(&mut self, frame: Frame) {
        self.path = frame.path;
        self.function = self.tree.node(frame.path).function;
        self.pending = frame.interrupted.unwrap_or(Pending { flow: Flow::Straight, ..self.pending });
    }

    /// What the instruction at `pc`, whose slot is `slot`, leaves to be done.
    fn pending_after(&mut self, pc: u32, slot: usize) -> Pending {
        let kind = self.code.slot(slot).kind;
        let return_address = pc.wrapping_add(u32::from(kind.length));
        Pending { flow: kind.flow, return_address, stack_pointer: self.stack_pointer_before }
    }

    fn exception(&mut self, number: u16) -> FunctionId {
        let known = self.who.iter().position(|who| *who == Who::Exception(number));
        match known {
            Some(id) => id as FunctionId,
            None => self.meet(Who::Exception(number), 0),
        }
    }

    /// Someone new, with a name of so many bytes.
    fn meet(&mut self, who: Who, name: usize) -> FunctionId {
        self.who.push(who);
        let id = (self.who.len() - 1) as FunctionId;
        self.tree.name(id, name);
        id
    }

    /// Finds out what the slot at `index`, of `pc`, is of.
    fn look(&mut self, index: usize, pc: u32) {
        if Code::is_known(self.code.slot(index)) {
            return;
        }
        let function = match self.image.function_at(Address::new(pc)) {
            None => NAMELESS,
            Some(symbol) => {
                let (address, name) = (symbol.address.get(), symbol.display_name());
                match self.functions.get(&address) {
                    Some(id) => *id,
                    None => {
                        let id = self.meet(Who::Function(address, name.into()), name.len());
                        self.functions.insert(address, id);
                        id
                    }
                }
            }
        };
        self.code.look(index, pc, self.image, function);
    }

    /// The slot of the instruction at `pc` and its function.
    fn known(&mut self, pc: u32) -> (usize, FunctionId) {
        let index = self.code.find(pc);
        self.look(index, pc);
        (index, self.code.slot(index).function)
    }

    /// A path of its own for what the slot at `index` is of.
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

    /// Attributes the cycles in which nothing retired, up to `at`.
    #[cold]
    fn pass(&mut self, at: u64) {
        if let Some(since) = self.asleep_since {
            self.wake(at);
            self.asleep_since = Some(at.max(since));
        }
        let passed = at - self.end;
        let slept = std::mem::take(&mut self.asleep).min(passed);
        let asleep = self.tree.child(ROOT, ASLEEP);
        self.tree.node(asleep).cycles += slept;
        let gap = std::mem::replace(&mut self.gap, BETWEEN);
        let gap = self.tree.child(ROOT, gap);
        self.tree.node(gap).cycles += passed - slept;
        self.end = at;
    }

    /// The path changes, or may: the instruction at `pc`, whose slot is `slot`, follows one that called, returned or
    /// jumped, or an exception, or is in another function.
    #[inline(never)]
    fn arrive(&mut self, pc: u32, slot: usize) {
        self.look(slot, pc);
        let function = self.code.slot(slot).function;
        let is_entry = matches!(self.who[function as usize], Who::Function(address, _) if address == pc);
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
                // A call inside a function (a label of its own) is part of it.
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
                    // The function that it makes room for goes on; whether that called or jumped is its compiler's affair.
                    match self.calls.pop_making_room(pc) {
                        Some(path) => self.return_to(path, function),
                        None => self.path = self.tree.sibling(self.path, function),
                    }
                } else if self.pending.flow == Flow::Indirect && (inside || is_entry) {
                    // A table of cases, or a call in the last place through a pointer.
                    self.jump(function);
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
            Flow::Straight | Flow::Resumed => self.jump(function),
        }
        self.function = function;
    }

    /// Whether a function is one that compilers have make room on the stack for others (libgcc's `-msave-restore` on RISC-V,
    /// `-mcall-prologues` on AVR).
    fn makes_room(&self, function: FunctionId) -> bool {
        let makes_room = |name: &str| name.starts_with("__riscv_save_") || name.starts_with("__prologue_saves");
        matches!(&self.who[function as usize], Who::Function(_, name) if makes_room(name))
    }

    fn return_to(&mut self, path: PathId, function: FunctionId) {
        let known = self.tree.node(path).function;
        self.path = if known == function { path } else { self.tree.sibling(path, function) };
    }

    /// Goes on in `function`, in the place of the one before.
    fn jump(&mut self, function: FunctionId) {
        if function != self.function {
            self.path = self.tree.sibling(self.path, function);
            self.called();
        }
    }
}

impl BlockCatalog for Attribution<'_> {
    fn edition(&self) -> u64 {
        self.runs.edition
    }

    fn renew(&mut self) -> u64 {
        self.runs.renew(self.code.slots())
    }

    /// A block is one function's, and what may go anywhere ends it.
    fn splits(&mut self, first: Address, pc: Address) -> bool {
        let (slot, function) = self.known(first.get());
        self.code.slot(slot).kind.class == Class::Unknown || function != self.known(pc.get()).1
    }

    fn counter(&mut self, pc: Address) -> u32 {
        self.code.find(pc.get()) as u32
    }

    fn add(&mut self, code: &[BlockInstruction]) -> u32 {
        for instruction in code {
            self.known(instruction.pc.get());
        }
        let function = code.first().map_or(NAMELESS, |instruction| self.known(instruction.pc.get()).1);
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
}

impl Sink for Attribution<'_> {
    const OBSERVES: bool = true;
    const BLOCKS: bool = true;

    #[inline(always)]
    fn ran(&mut self, run: Run) {
        let (began, marked, end) = (run.began.get(), run.marked.get(), run.end.get());
        let block = self.runs.block(run.block);
        if self.counting {
            if began != self.end {
                self.pass(began);
            }
            if block.function != self.function || self.pending.flow > Flow::Straight {
                self.arrive(block.pc, block.slot as usize);
            }
            self.gap = BETWEEN;
            let ending = self.runs.ending(block, run.instructions);
            ending.count(end.wrapping_sub(marked));
            self.pending =
                Pending { flow: ending.flow, return_address: ending.next_pc, stack_pointer: run.stack_pointer.get() };
            let node = self.tree.node(self.path);
            node.instructions += u64::from(run.instructions);
            node.cycles += end - began;
            self.instructions += u64::from(run.instructions);
        }
        let ending = self.runs.ending(block, run.instructions);
        let began = marked.wrapping_add(u64::from(ending.before));
        self.last = Some(Last { pc: ending.pc, slot: ending.slot as usize, path: self.path, began });
        // Until more is told: an exception may come first.
        (self.next, self.stack_pointer) = (ending.next_pc, run.stack_pointer.get());
        self.end = end;
    }

    fn catalog(&mut self) -> Option<&mut dyn BlockCatalog> {
        Some(self)
    }

    #[inline(always)]
    fn retire(&mut self, retire: Retire) {
        let (pc, at, cycles) = (retire.pc.get(), retire.at.get(), retire.cycles.get());
        let slot = self.code.find(pc);
        if self.counting {
            if at != self.end {
                self.pass(at);
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
        // Until more is told: an exception may come first.
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
