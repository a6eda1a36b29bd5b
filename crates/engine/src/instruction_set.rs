//! The traits of an instruction set.

use std::fmt;
use std::hash::Hash;

use cyclescope_machine::units::Address;
use cyclescope_machine::{Access, Bus, CallFrame, Memory, RowSet, SimpleAccess, State, Still, Stop, Touch};

use crate::block::{Block, Handler, Outcome};
use crate::draft::{Draft, Place};
use crate::marks::Marks;
use crate::micro::{After, Fields, Lowering};
use crate::register::Register;

/// The progress of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Cycles since the first reset.
    pub now: u64,
    /// Instructions retired since the first reset.
    pub instructions: u64,
    /// The cycle before which nothing can happen by itself: blocks that end before it run unchecked. 0 asks the run loop to look
    /// at everything again.
    pub horizon: u64,
}

/// The same, for the engine to move on.
#[derive(Debug)]
pub struct ProgressMut<'a> {
    /// See [`Progress::now`].
    pub now: &'a mut u64,
    /// See [`Progress::instructions`].
    pub instructions: &'a mut u64,
    /// See [`Progress::horizon`].
    pub horizon: &'a mut u64,
    /// The marks in the block that runs.
    pub marks: &'a mut Marks,
}

/// An instruction set: a core's state, and what its blocks are made of. It is implemented by the type of that state.
pub trait InstructionSet: Clone + fmt::Debug {
    /// The choices of a part about its core.
    type Config;
    /// A decoded instruction.
    type Instruction: Copy + fmt::Debug;
    /// A way in which a block ends.
    type Exit: Copy + PartialEq + fmt::Debug;
    /// The state that an instruction inherits from the one before it where a block is cut; the default is nothing, as after a branch.
    type Entry: Copy + Eq + Hash + Default + fmt::Debug;
    /// The data that a block carries beside [`Block`]'s own fields.
    type BlockDetail: Clone + fmt::Debug;
    /// The data that a place carries beside [`Place`]'s own fields.
    type PlaceDetail: Copy + fmt::Debug;

    /// The exit of a block that leaves nothing to be done: control goes on at the program counter.
    const NEXT: Self::Exit;
    /// The bytes whose multiples instructions begin at.
    const ALIGNMENT: u32 = 2;
    /// Tells that stores of the program may change code in RAM.
    const CODE_IN_RAM: bool = true;
    /// Tells that loops that change nothing may be skipped: [`Self::digest`], [`Self::repeats`] and [`Self::is_calm`] are its own.
    const SKIPS: bool = false;
    /// Tells that there are settings under which a fetch is forbidden.
    const CHECKS_FETCHES: bool = true;

    /// A core over `memory` that is yet to be reset, or has just been.
    fn create(config: Self::Config, memory: &Memory) -> Self;

    /// Its progress.
    fn progress(&self) -> Progress;
    /// The same, to move it on.
    fn progress_mut(&mut self) -> ProgressMut<'_>;
    /// The address of the next instruction.
    fn pc(&self) -> Address;
    /// Goes straight on at `pc`.
    fn set_pc(&mut self, pc: u32);
    /// The stack pointer in use.
    fn stack_pointer(&self) -> Address;
    /// The state that an observer is shown after an instruction.
    fn state(&self) -> State<'_>;
    /// The rows of the timing table that it used beside those of its blocks.
    fn rows(&self) -> RowSet;

    /// The registers that debuggers see, in their order.
    fn registers(&self) -> &'static [Register];
    /// The value of the register with this number in [`Self::registers`].
    fn register(&self, number: usize) -> u32;
    /// Writes that register as a debugger does between two instructions. A program counter goes to the instruction there,
    /// whatever was under way; bits that the register lacks are dropped. Returns `false` for one that can only be read.
    fn set_register(&mut self, number: usize, value: u32) -> bool;

    /// Builds `draft`, of instructions that inherit `entry`. Returns the address at which it goes straight on, and its detail, or
    /// `None` where no memory holds code.
    fn build(
        &self,
        draft: &mut Draft<'_, Self::Instruction, Self::PlaceDetail>,
        entry: Self::Entry,
    ) -> Option<(u32, Self::BlockDetail)>;
    /// A block completes; `detail` is its own.
    #[inline(always)]
    fn completed(&mut self, detail: &Self::BlockDetail) {
        let _ = detail;
    }
    /// The state that the next instruction inherits.
    fn entry(&self) -> Self::Entry {
        Self::Entry::default()
    }
    /// Says whether the next instruction must run by itself.
    #[inline(always)]
    fn is_careful(&self) -> bool {
        false
    }
    /// The next instruction begins with [`Self::entry`]; nothing is inherited any more.
    fn begin(&mut self) {}
    /// A block of one instruction has run, which began in the cycle `began`; `retired` says whether it retired.
    fn ran_single<P>(&mut self, block: &Block<Self, P>, began: u64, retired: bool) {
        let _ = (block, began, retired);
    }
    /// Says whether nothing that belongs to an instruction is left to be done after `exit`, so that its state is final: what
    /// follows is an exception's.
    fn is_final(exit: Self::Exit) -> bool {
        exit == Self::NEXT
    }
    /// The stack pointer before the last of the first `instructions` of `block`, which have run, if that one is a call.
    #[inline(always)]
    fn stack_pointer_at_call<P>(&self, block: &Block<Self, P>, instructions: u32) -> Address {
        let _ = (block, instructions);
        self.stack_pointer()
    }

    /// Stands for the settings that fetches are checked under; 0 where none is forbidden, and never [`WATCHED`](crate::WATCHED).
    fn fetch_key(&self) -> u32 {
        0
    }
    /// Checks fetches from `pc` to before `end` under these settings.
    ///
    /// # Errors
    /// The first address that must not be fetched.
    fn may_fetch(&self, pc: u32, end: u32) -> Result<(), u32> {
        let _ = (pc, end);
        Ok(())
    }
    /// Says whether blocks are built with each data access checked; blocks of the other kind are forgotten.
    fn guards_data(&self) -> bool {
        false
    }
    /// Says whether the keys of `self` and `other` stand for the same settings.
    fn shares_keys_with(&self, other: &Self) -> bool {
        let _ = other;
        true
    }
    /// Tells whether it waits for something to wake it.
    fn is_asleep(&self) -> bool {
        false
    }
    /// The next cycle in which something of the core's own happens: a timer of its own ends.
    fn own_event(&self) -> u64 {
        u64::MAX
    }
    /// Returns a number that two different states seldom share, of all that calm instructions change.
    fn digest(&self) -> u64 {
        0
    }
    /// Tells whether all that calm instructions change is as in `earlier`, the clock and the counters aside.
    fn repeats(&self, earlier: &Self) -> bool {
        let _ = earlier;
        false
    }
    /// Tells whether `i` only computes, branches, or moves data as [`Hooks::touches`] says: no other state, no time.
    fn is_calm(i: &Self::Instruction) -> bool {
        let _ = i;
        false
    }
    /// The name of the operation of `i`; `None` for a step between instructions, which only fetches, counts or cuts.
    fn operation(i: &Self::Instruction) -> Option<String> {
        let _ = i;
        None
    }
    /// The fields of the state that compiled code knows; `None` where nothing is lowered.
    const FIELDS: Option<Fields> = None;
    /// Lowers `i`, a step at `place`: adds its operations to `lowering`, and says how control goes on.
    fn lower(
        &self,
        memory: &Memory,
        i: &Self::Instruction,
        place: &Place<Self::PlaceDetail>,
        lowering: &mut Lowering,
    ) -> After {
        let _ = (memory, i, place, lowering);
        After::Body
    }
    /// Lowers what [`Self::completed`] does with `detail`. It comes before what the block's last step writes.
    fn lower_completed(&self, detail: &Self::BlockDetail, lowering: &mut Lowering) {
        let _ = (detail, lowering);
    }
    /// The cycles that a branch whose target is computed takes beyond its static ones if that is `target`, with what follows it there
    /// said by `lowering`; `None` if its body has to find out.
    fn computed(&self, memory: &Memory, target: u32, lowering: &mut Lowering) -> Option<u32> {
        let _ = (memory, target, lowering);
        None
    }
    /// The slot of the truth that fetching begins anew with the next run of fetches, and whether it does; `None` where fetches are
    /// not told apart by it.
    fn fetches_anew(&self) -> Option<(u8, bool)> {
        None
    }
    /// Tells whether the instruction at `pc` has accessed something other than main RAM before, or may have: see
    /// [`SeenAt`](crate::SeenAt).
    fn reaches_beyond_ram(&self, pc: u32) -> bool {
        let _ = pc;
        false
    }
    /// Tells whether the body of `i`, which gives up where it was lowered, is called within compiled code in its place, as if it
    /// accessed something other than main RAM each time.
    fn goes_on(i: &Self::Instruction) -> bool {
        let _ = i;
        false
    }
    /// Goes into the state `from` of a machine of its kind. It keeps what it remembers of its own memory.
    fn take_over(&mut self, from: &Self) {
        self.clone_from(from);
    }
    /// The way in which the last block of compiled code ended, which was left behind it: [`After::Stops`] may say so in the state.
    fn stopped(&mut self) -> Self::Exit {
        Self::NEXT
    }
    /// The exit code that the guest has passed to the host since the last call.
    fn take_exit(&mut self) -> Option<i32> {
        None
    }
}

/// The answer of a hook between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// There was nothing to do.
    Settled,
    /// Something was done; everything is looked at again.
    Again,
    /// The run stops.
    Stop(Stop),
}

/// The rest of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Not at all.
    Awake,
    /// It has just woken; everything is looked at again.
    Woken,
    /// It sleeps until this cycle at the latest, [`u64::MAX`] for never by itself.
    Until(u64),
    /// For ever.
    Halted(Stop),
}

/// The reason why an instruction cannot be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No memory holds code there.
    NoMemory,
    /// [`InstructionSet::may_fetch`] forbids it.
    Forbidden,
}

/// The hooks of an instruction set on a bus with the devices `P`.
pub trait Hooks<P>: InstructionSet {
    /// The result of a reset: an error if it can fail.
    type Reset;

    /// Resets the core; the clock and the counters go on.
    fn reset(&mut self, bus: &mut Bus<P>) -> Self::Reset;
    /// The handler of `i`, made from its body by [`body!`](crate::body).
    fn handler<R: Outcome<Self, P>>(&self, i: &Self::Instruction) -> Handler<Self, P, R>;
    /// Does all that is due now: events, edges of interrupt lines.
    fn settle(&mut self, bus: &mut Bus<P>);
    /// The next cycle in which something happens by itself.
    fn next_event(&self, bus: &Bus<P>) -> u64;
    /// Sees to faults that stand between instructions.
    fn pending_fault(&mut self, bus: &mut Bus<P>) -> Turn {
        let _ = bus;
        Turn::Settled
    }
    /// Wakes a sleeping core if what wakes it has come. One that would wake at or after the cycle `until` goes on sleeping, but
    /// may also wake.
    fn rest(&mut self, bus: &mut Bus<P>, until: u64) -> Rest;
    /// Sleeps up to the cycle `to`.
    fn sleep_until(&mut self, to: u64) {
        *self.progress_mut().now = to;
    }
    /// Takes the most urgent of what is pending, if it may be taken.
    fn take_pending(&mut self, bus: &mut Bus<P>) -> Turn;
    /// Does what a block left to be done; the reason if the run stops there.
    fn finish(&mut self, bus: &mut Bus<P>, exit: Self::Exit) -> Option<Stop>;
    /// The instruction at `address` cannot be fetched.
    fn refuse_fetch(&mut self, bus: &mut Bus<P>, address: u32, refusal: Refusal) -> Option<Stop>;
    /// An interrupt may cut `block`, of one instruction, short: returns whether it did.
    fn abandons(&mut self, bus: &mut Bus<P>, block: &Block<Self, P>) -> bool {
        let _ = (bus, block);
        false
    }
    /// Beside another core: the accesses of `block`, of the next instruction by itself, if it may be attempted simply. Nothing is due
    /// before it then, and it changes no more than [`Self::keep`] remembers; `again` says that it was attempted before, so that what is
    /// due has been seen to.
    fn is_simple(&self, bus: &Bus<P>, block: &Block<Self, P>, again: bool) -> Option<SimpleAccess> {
        let _ = (bus, block, again);
        None
    }
    /// Remembers what a simple attempt changes, until the next.
    fn keep(&mut self) {}
    /// Goes back to that.
    fn give_back(&mut self) {}
    /// Beside another core, behind an attempt: finds out what is fetched before the next instruction begins, which is that of the block
    /// `next` if there is one.
    fn plan_fetch(&mut self, bus: &Bus<P>, next: Option<&Block<Self, P>>) {
        let _ = (bus, next);
    }
    /// The cycle in which the port of that fetch is wanted, if there is one.
    fn planned_fetch(&self) -> Option<u64> {
        None
    }
    /// Tells whether that fetch belongs to the instruction before.
    fn fetches_beside(&self) -> bool {
        false
    }
    /// Gets that fetch its port in its turn, or leaves it if its turn has not come. The next instruction is that of the block `next`, if
    /// there is one.
    fn make_planned_fetch(&mut self, bus: &mut Bus<P>, next: Option<&Block<Self, P>>) {
        let _ = (bus, next);
    }
    /// An instruction begins: waits for the fetches that have got their ports for it.
    fn take_begun_fetches(&mut self, bus: &mut Bus<P>) {
        let _ = bus;
    }
    /// Blocks see to fetches from now on, or (`done`) have done so up to now.
    fn leave_fetches(&mut self, bus: &Bus<P>, done: bool) {
        let _ = (bus, done);
    }
    /// Something that the other core has done by the cycle `at` may cut `block`, of one instruction under way, short: returns whether it
    /// did.
    fn cut_short(&mut self, bus: &mut Bus<P>, block: &Block<Self, P>, at: u64) -> bool {
        let _ = (bus, block, at);
        false
    }
    /// At the first instruction of a function: where it will return to.
    fn call_frame(&self, bus: &Bus<P>) -> CallFrame;
    /// The bytes that the instruction about to execute reads or writes; `None` where it moves no data. Exceptions that are taken
    /// before it are left aside.
    fn touches(&self, bus: &Bus<P>) -> Option<Touch>;
    /// Returns the cycles from `access.at` on in which such a read gives the same value each time and changes nothing: see
    /// [`Peripherals::still`](cyclescope_machine::Peripherals::still).
    fn still(&self, bus: &Bus<P>, access: Access) -> Option<Still> {
        let _ = (bus, access);
        None
    }
}
