//! The only unsafe code: compiled regions are placed in executable memory, entered, and call back.
//!
//! A region is entered with the addresses of a core's state and of a [`Frame`]. It touches nothing but
//! - fields of the state, at the offsets that the instruction set took from the type itself (`offset_of!`). [`check`](crate::check)
//!   sees to it that they lie inside it. An instruction set writes truths, 0 or 1, to fields that are `bool`;
//! - main RAM. A region compares each access with the length in the frame, and [`check`](crate::check) sees to it that loads and stores
//!   stay inside what was compared. The frame has the address that the guest's address 0 would have, so the sum of both is inside;
//! - the states of RAM's pages, which are as many as cover it;
//! - the contents of flash, read only, with each end compared with their length in the frame;
//! - the flash interface, at offsets that it gives itself: a slot of lines has one byte for 256 entries;
//! - the numbers of states and the tables of the region, read only, and the marks of its steps, as many as it has. An index in a table is
//!   the number of a state in a set, and cycles that were compared with the width of the table; [`check`](crate::check) sees to it that
//!   the tables have room for all of these, and give no number that a set has not;
//! - the numbers that it counts for an observer, as many as it has;
//! - the frame's own fields. It writes none but `base`, `variant` and what it says to an observer, and these are looked up with their
//!   bounds.
//!
//! It refuses operations on values of different sizes as well. Cranelift's verifier looks again where debug assertions are on.
//!
//! The state, the bus and the blocks are borrowed for the whole of [`Code::enter`], and all access to them goes through the
//! pointers made there. What is called back may move or close RAM: it writes the frame's pointers anew before it returns. A panic of a body or
//! of an observer is caught, and goes on when the region has returned; an observer is told nothing more then.
#![allow(unsafe_code)]

use std::any::Any;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use cyclescope_engine::{Block, Blocks, Execute as _, Flow, Hooks, InstructionSet, Progress, run_of};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{BlockCatalog, Bus, Counted, FlashInterface, FlashStanding, Joined, Memory, Ram, Run, State};
use memmap2::{Mmap, MmapMut};

use crate::member::{Count, KnownMark, Member, Standing, Variant};

/// Gives a region what it works on.
#[repr(C)]
pub struct Frame {
    /// The place of address 0, if RAM reached so far down.
    ram: *mut u8,
    /// The length of RAM in bytes, halfwords, words, and double words.
    elements: [u64; 4],
    /// The state of the page of address 0 if pages reached so far down, or of the first page if one does not begin at a multiple of
    /// its size.
    pages: *const u8,
    /// The flash interface.
    interface: *mut FlashInterface,
    /// The contents of flash, and their length in bytes.
    flash_bytes: *const u8,
    flash_length: u64,
    /// The numbers of the region's states, the tables that it looks up, and the marks of its noted steps.
    numbers: *const u64,
    tables: *const u32,
    marks: *mut u32,
    /// The cycle that the states of flash count from, and the number of its state, where the region is entered and left and a body
    /// called.
    base: u64,
    variant: u64,
    body: unsafe extern "C" fn(*mut Frame, u32, u32, u32, u32) -> u32,
    caches_data: unsafe extern "C" fn(*mut Frame, u32) -> u32,
    tell: unsafe extern "C" fn(*mut Frame, u32),
    /// The numbers that it counts for an observer.
    counts: *mut u64,
    /// The index in these of the [`Count::Runs`] of the last run, and the clock when its last mark was passed, if its cycles since then
    /// are counted by themselves.
    last: u64,
    last_marked: u64,
    /// The cycle at which the member began in which the region is left or a body called, and the clock when its last mark was passed.
    began: u64,
    marked: u64,
    /// The [`Borrowed`] of the types that the functions are made for.
    borrowed: *mut (),
}

/// Offsets in a [`Frame`].
pub const RAM: i32 = offset_of!(Frame, ram) as i32;
pub const ELEMENTS: i32 = offset_of!(Frame, elements) as i32;
pub const PAGES: i32 = offset_of!(Frame, pages) as i32;
pub const BODY: i32 = offset_of!(Frame, body) as i32;
pub const INTERFACE: i32 = offset_of!(Frame, interface) as i32;
pub const FLASH_BYTES: i32 = offset_of!(Frame, flash_bytes) as i32;
pub const FLASH_LENGTH: i32 = offset_of!(Frame, flash_length) as i32;
pub const NUMBERS: i32 = offset_of!(Frame, numbers) as i32;
pub const TABLES: i32 = offset_of!(Frame, tables) as i32;
pub const MARKS: i32 = offset_of!(Frame, marks) as i32;
pub const BASE: i32 = offset_of!(Frame, base) as i32;
pub const VARIANT: i32 = offset_of!(Frame, variant) as i32;
pub const TELL: i32 = offset_of!(Frame, tell) as i32;
pub const COUNTS: i32 = offset_of!(Frame, counts) as i32;
pub const LAST: i32 = offset_of!(Frame, last) as i32;
pub const LAST_MARKED: i32 = offset_of!(Frame, last_marked) as i32;
pub const BEGAN: i32 = offset_of!(Frame, began) as i32;
pub const MARKED: i32 = offset_of!(Frame, marked) as i32;
pub const CACHES_DATA: i32 = offset_of!(Frame, caches_data) as i32;

/// Offsets in a [`FlashInterface`].
pub const NUMBER: i32 = FlashInterface::FIELDS[0] as i32;
pub const SINCE: i32 = FlashInterface::FIELDS[1] as i32;
pub const USES: i32 = FlashInterface::FIELDS[2] as i32;
pub const USED: i32 = FlashInterface::FIELDS[3] as i32;
pub const DELIVERED: i32 = FlashInterface::FIELDS[4] as i32;
pub const STALLED: i32 = FlashInterface::FIELDS[5] as i32;

/// The data that a region's code works with.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The block of each member.
    pub members: &'a [usize],
    /// The members as they were lowered.
    pub lowered: &'a [Member],
    /// The states in which flash may be, with their numbers at the interface.
    pub states: &'a [FlashStanding],
    /// See [`Self::states`].
    pub numbers: &'a [u64],
    /// The sets of these.
    pub sets: &'a [Vec<Variant>],
    /// The tables that it looks up.
    pub tables: &'a [u32],
    /// The numbers that it counts.
    pub counts: &'a [Count],
    /// The marks that count known cycles.
    pub known_marks: &'a [KnownMark],
}

/// The memory that a region writes beside the state and RAM.
pub struct Written<'a> {
    /// For each noted step whether it was carried out.
    pub marks: &'a mut [u32],
    /// The numbers that it counts.
    pub counts: &'a mut [u64],
}

/// The observer of a region that is counted.
struct Observed<'o> {
    observer: &'o mut dyn BlockCatalog,
    /// The member that ran first of those that it was not told of, the cycle at which it began, and the instructions retired by then.
    first: usize,
    began: u64,
    instructions: u64,
    /// The instructions retired before the last body.
    before_body: u64,
}

/// A place at which a region is entered, and the state of flash there.
#[derive(Clone, Copy, Debug)]
pub struct Entrance {
    /// The number of the entry.
    pub entry: usize,
    /// The state, where the member there is for some.
    pub found: Found,
}

/// The state of flash in a set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Its number in the set.
    variant: usize,
    /// The cycle that the set's count from.
    base: u64,
}

/// The objects that are borrowed while a region runs.
struct Borrowed<'a, 'o, I: InstructionSet, P> {
    cpu: *mut I,
    bus: *mut Bus<P>,
    blocks: *const Blocks<I, P>,
    parts: Parts<'a>,
    observed: Option<Observed<'o>>,
    exit: Option<I::Exit>,
    panic: Option<Box<dyn Any + Send>>,
}

/// The place at which a region was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before this member.
    Before {
        /// Its number in the region.
        member: usize,
    },
    /// Behind this member.
    Behind {
        /// Its number in the region.
        member: usize,
    },
    /// Before this step.
    At {
        /// The member's number in the region.
        member: usize,
        /// The step's number in it.
        step: usize,
    },
    /// The same, behind a body that has changed the state of flash or taken a time of its own.
    Moved {
        /// The member's number in the region.
        member: usize,
        /// The step's number in it; that of none behind the last.
        step: usize,
    },
    /// By the body of one of this member's steps.
    Left {
        /// Its number in the region.
        member: usize,
    },
    /// Before this step, because what flash does then was not known when the region was made.
    Unknown {
        /// The member's number in the region.
        member: usize,
        /// The step's number in it.
        step: usize,
    },
}

/// The number of a set of states as code has it: 0 if flash is in no state but its own.
pub fn set_number(set: Option<u16>) -> u32 {
    set.map_or(0, |set| u32::from(set) + 1)
}

impl Place {
    /// As a number, with the set that the state which flash is to take up is in.
    pub fn pack(self, set: Option<u16>) -> u64 {
        let (kind, member, step) = match self {
            Self::Before { member } => (0, member, 0),
            Self::Behind { member } => (1, member, 0),
            Self::At { member, step } => (2, member, step),
            Self::Left { member } => (3, member, 0),
            Self::Unknown { member, step } => (4, member, step),
            Self::Moved { member, step } => (5, member, step),
        };
        kind | (member as u64 & 0xFF_FFFF) << 8 | (step as u64 & 0xFFFF) << 32 | u64::from(set_number(set)) << 48
    }

    /// Back from a number, with the number of a set.
    fn unpack(number: u64) -> (Self, usize) {
        let (member, step) = ((number >> 8 & 0xFF_FFFF) as usize, (number >> 32 & 0xFFFF) as usize);
        let place = match number & 0xFF {
            0 => Self::Before { member },
            1 => Self::Behind { member },
            2 => Self::At { member, step },
            3 => Self::Left { member },
            4 => Self::Unknown { member, step },
            _ => Self::Moved { member, step },
        };
        (place, (number >> 48) as usize)
    }
}

/// The bytes of a page of the host, at least.
const PAGE: usize = 4096;

/// The code of a region.
#[derive(Debug)]
pub struct Code(Mmap);

impl Code {
    /// Places `code`, which [`Translator::translate`](crate::translate::Translator::translate) has made.
    ///
    /// # Errors
    /// If the host gives no executable memory.
    pub fn place(code: &[u8]) -> std::io::Result<Self> {
        let mut map = MmapMut::map_anon(code.len().max(1))?;
        map[..code.len()].copy_from_slice(code);
        Ok(Self(map.make_exec()?))
    }

    /// The bytes of memory that it takes, in whole pages of the host: a system has a limit of mappings too.
    pub fn bytes(&self) -> usize {
        self.0.len().next_multiple_of(PAGE)
    }

    /// Enters it at `entrance`, with the `member` there. Returns where it was left, and the exit of a body that has left it.
    #[allow(clippy::too_many_arguments)] // All that it borrows.
    pub fn enter<I: Hooks<P>, P>(
        &self,
        entrance: Entrance,
        member: usize,
        cpu: &mut I,
        bus: &mut Bus<P>,
        blocks: &Blocks<I, P>,
        parts: Parts<'_>,
        written: Written<'_>,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Left<I::Exit> {
        let Progress { now, instructions, .. } = cpu.progress();
        let observed =
            observer.map(|observer| Observed { observer, first: member, began: now, instructions, before_body: 0 });
        let cpu: *mut I = cpu;
        let mut borrowed = Borrowed::<I, P> { cpu, bus, blocks, parts, observed, exit: None, panic: None };
        let mut frame = Frame {
            ram: std::ptr::null_mut(),
            elements: [0; 4],
            pages: std::ptr::null(),
            interface: std::ptr::null_mut(),
            flash_bytes: std::ptr::null(),
            flash_length: 0,
            numbers: parts.numbers.as_ptr(),
            tables: parts.tables.as_ptr(),
            marks: written.marks.as_mut_ptr(),
            base: entrance.found.base,
            variant: entrance.found.variant as u64,
            body: body::<I, P>,
            caches_data,
            tell: tell::<I, P>,
            counts: written.counts.as_mut_ptr(),
            last: 0,
            last_marked: 0,
            began: 0,
            marked: 0,
            borrowed: (&raw mut borrowed).cast(),
        };
        // SAFETY: `bus` is borrowed mutably for all of this function.
        frame.open(unsafe { &mut *borrowed.bus });
        // SAFETY: the memory holds a function of this signature, which translation has made for this instruction set. It touches
        // what the module's description says, all of it borrowed here.
        let left = unsafe {
            let function: unsafe extern "C" fn(*mut u8, *mut Frame, u64) -> u64 = std::mem::transmute(self.0.as_ptr());
            function(cpu.cast(), &raw mut frame, entrance.entry as u64)
        };
        if let Some(panic) = borrowed.panic {
            resume_unwind(panic);
        }
        let (place, set) = Place::unpack(left);
        // SAFETY: the same.
        let (cpu, bus) = unsafe { (&mut *borrowed.cpu, &mut *borrowed.bus) };
        match place {
            Place::At { member, step } | Place::Moved { member, step } | Place::Unknown { member, step } => {
                cpu.set_pc(blocks.get(parts.members[member]).next_pc);
                parts.complete(member, step, cpu.progress().now, &mut frame);
            }
            Place::Before { member } => cpu.set_pc(blocks.get(parts.members[member]).pc),
            Place::Behind { .. } | Place::Left { .. } => {}
        }
        parts.take_up(bus, set, frame.variant, frame.base);
        if let Some(observed) = &mut borrowed.observed {
            match place {
                Place::Before { .. } | Place::Behind { .. } => {
                    let (end, next) = (cpu.progress().now, cpu.pc());
                    let instructions = cpu.progress().instructions;
                    observed.tell(cpu, blocks, parts, &frame, end, instructions, next);
                }
                Place::At { member, step } | Place::Moved { member, step } | Place::Unknown { member, step } => {
                    cpu.progress_mut().marks.resume(frame.marked);
                    let instructions = cpu.progress().instructions;
                    let known = observed.tell_before(cpu, blocks, parts, &frame, member, step, instructions);
                    observed.leave_rest(blocks.get(parts.members[member]), &frame, known);
                }
                Place::Left { .. } => {}
            }
        }
        Left { place, exit: borrowed.exit, began: frame.began }
    }
}

/// The way in which a region was left.
pub struct Left<E> {
    pub place: Place,
    /// The exit of a body that has left it.
    pub exit: Option<E>,
    /// The cycle at which the member began in which it was left, if it is counted.
    pub began: u64,
}

impl Observed<'_> {
    /// Tells the observer of all runs, up to so many instructions. The last one ended at the cycle `end` and went on at `next`.
    #[allow(clippy::too_many_arguments)]
    fn tell<I: InstructionSet, P>(
        &mut self,
        cpu: &mut I,
        blocks: &Blocks<I, P>,
        parts: Parts<'_>,
        frame: &Frame,
        end: u64,
        up_to: u64,
        next: Address,
    ) {
        let instructions = up_to - self.instructions;
        let last = parts.counts.get(frame.last as usize);
        let Some(Count::Runs { member, instructions: in_last, cycles, .. }) = last.filter(|_| instructions > 0) else {
            return;
        };
        let block = blocks.get(parts.members[*member]);
        let last = Run {
            block: block.number,
            instructions: *in_last,
            began: Cycles::new(self.began),
            marked: Cycles::new(cycles.map_or(frame.last_marked, |cycles| end.wrapping_sub(cycles))),
            end: Cycles::new(end),
            stack_pointer: cpu.stack_pointer_at_call(block, *in_last),
        };
        let first = blocks.get(parts.members[self.first]).number;
        let state = State { next, ..cpu.state() };
        self.observer.ran_joined(Joined { first, last, instructions }, Some(state));
        (self.began, self.instructions) = (end, up_to);
    }

    /// Tells the observer of all runs before that of the member `member`, up to so many instructions, and the core of the marks passed in
    /// that one before the step `step` whose cycles are known. Returns these cycles.
    #[allow(clippy::too_many_arguments)]
    fn tell_before<I: InstructionSet, P>(
        &mut self,
        cpu: &mut I,
        blocks: &Blocks<I, P>,
        parts: Parts<'_>,
        frame: &Frame,
        member: usize,
        step: usize,
        up_to: u64,
    ) -> u64 {
        let pc = blocks.get(parts.members[member]).pc;
        self.tell(cpu, blocks, parts, frame, frame.began, up_to, Address::new(pc));
        let marks = cpu.progress_mut().marks;
        let passed = |mark: &&KnownMark| mark.member == member && mark.step < step;
        let mut known = 0u64;
        for KnownMark { counter, cycles, .. } in parts.known_marks.iter().filter(passed) {
            marks.add(*counter, *cycles);
            known = known.wrapping_add(*cycles);
        }
        known
    }

    /// Tells the observer of a run of `block` that bodies have ended, as `exit` says.
    /// Its marks have counted so many `known` cycles that no count has.
    fn tell_of_rest<I: InstructionSet, P>(
        &mut self,
        cpu: &mut I,
        block: &Block<I, P>,
        frame: &Frame,
        exit: I::Exit,
        known: u64,
    ) {
        let instructions = (cpu.progress().instructions - self.instructions) as u32;
        if instructions > 0 {
            let run = run_of(cpu, block, frame.began, instructions);
            let is_done = exit == I::NEXT || cpu.progress_mut().marks.ended().is_some();
            let joined = Joined { first: block.number, last: run, instructions: instructions.into() };
            let cycles = run.end.get().wrapping_sub(run.marked.get());
            self.observer.count(Counted { block: block.number, instructions, runs: 1, cycles, marked: known });
            self.observer.ran_joined(joined, is_done.then(|| cpu.state()));
        }
        // The member that comes next is said by `tell`.
        let Progress { now, instructions, .. } = cpu.progress();
        (self.began, self.instructions) = (now, instructions);
    }

    /// The rest of a run of `block` is told by itself, with all its cycles: those that marks have counted beside the `known` ones are in
    /// a count of the region already.
    fn leave_rest<I: InstructionSet, P>(&mut self, block: &Block<I, P>, frame: &Frame, known: u64) {
        let counted = frame.marked.wrapping_sub(frame.began).wrapping_sub(known);
        if counted != 0 {
            let marked = counted.wrapping_neg();
            self.observer.count(Counted { block: block.number, instructions: 1, runs: 0, cycles: 0, marked });
        }
    }
}

impl Parts<'_> {
    /// Adds to `frame` the part of flash's state before the step `step` of the member `member` that code does not write there: all that
    /// follows from the clock, which stands at `now`.
    fn complete(&self, member: usize, step: usize, now: u64, frame: &mut Frame) {
        let step = self.lowered.get(member).and_then(|member| member.steps.get(step));
        let Some(Standing { set, offset }) = step.and_then(|step| step.standing) else { return };
        if let Some(offset) = offset {
            frame.base = now.wrapping_sub(offset as u64);
        }
        if self.sets.get(usize::from(set)).is_some_and(|set| set.len() == 1) {
            frame.variant = 0;
        }
    }

    /// Flash takes up the state `variant` of the set with this number, if it is one, whose cycles count from `base`. Returns its number
    /// and the cycle from which it is seen.
    fn take_up<P>(&self, bus: &mut Bus<P>, set: usize, variant: u64, base: u64) -> Option<(u64, u64)> {
        let variant = self.sets.get(set.checked_sub(1)?)?.get(variant as usize)?;
        let place = usize::from(variant.state);
        let (standing, number) = (self.states.get(place)?, *self.numbers.get(place)?);
        let since = base.wrapping_sub(variant.behind as u64);
        bus.memory.flash.interface_mut().resume(standing, number, since);
        Some((number, since))
    }

    /// The state of `standing` that flash is in at the cycle `now`, if it is in one.
    pub fn find(&self, memory: &Memory, standing: Standing, now: u64) -> Option<Found> {
        let (number, since) = memory.flash.interface().seen()?;
        let set = self.sets.get(usize::from(standing.set))?;
        let is_it = |variant: &Variant| {
            let base = since.wrapping_add(variant.behind as u64);
            let is_there = self.numbers.get(usize::from(variant.state)) == Some(&number);
            let is_now = |offset: i64| now.wrapping_sub(offset as u64) == base;
            (is_there && standing.offset.is_none_or(is_now)).then_some(base)
        };
        set.iter().enumerate().find_map(|(variant, it)| Some(Found { variant, base: is_it(it)? }))
    }
}

/// Tells whether the pages of a RAM that begins at `base` begin at multiples of their size.
pub const fn pages_are_aligned(base: u32) -> bool {
    base.is_multiple_of(Ram::PAGE_BYTES)
}

impl Frame {
    /// Takes the places of RAM, its pages, flash, and the flash interface.
    fn open<P>(&mut self, bus: &mut Bus<P>) {
        let base = bus.memory.ram.base().get();
        let (bytes, pages) = bus.memory.ram.open();
        let length = bytes.len() as u64;
        self.elements = [length, length / 2, length / 4, length / 8];
        self.ram = bytes.as_mut_ptr().wrapping_sub(base as usize);
        let before = if pages_are_aligned(base) { base / Ram::PAGE_BYTES } else { 0 };
        self.pages = pages.as_ptr().wrapping_sub(before as usize);
        let contents = bus.memory.flash.bytes();
        (self.flash_bytes, self.flash_length) = (contents.as_ptr(), contents.len() as u64);
        self.interface = bus.memory.flash.interface_mut();
    }
}

/// A body has left its block, and nothing else is to be done: the region may go on at the program counter.
pub const GOES_ON: u32 = 2;

/// The block goes on behind bodies, and they have changed the state of flash or taken a time of their own: the region is left.
pub const MOVED: u32 = 3;

/// A body has left its block behind its instruction, and nothing else is to be done but to go on there: flash is in the same state, and
/// fetching goes on.
pub const WENT_STRAIGHT_ON: u32 = 4;

/// Carries out `count` steps of the member `member` from the step `step` on, by their bodies, where flash is in a state of the `set`. Returns 0
/// if the block goes on behind them, [`GOES_ON`], [`MOVED`], [`WENT_STRAIGHT_ON`], or 1 if the region is to be left.
///
/// # Safety
/// `frame` is the frame of a region that [`Code::enter`] has entered with the same types, and nothing else holds what it borrows.
unsafe extern "C" fn body<I: Hooks<P>, P>(frame: *mut Frame, member: u32, step: u32, count: u32, set: u32) -> u32 {
    // SAFETY: as the caller promises. What is borrowed lies outside the frame.
    let borrowed = unsafe { &mut *(*frame).borrowed.cast::<Borrowed<'_, '_, I, P>>() };
    // SAFETY: the same.
    let frame = unsafe { &mut *frame };
    // SAFETY: the same.
    let (cpu, bus, blocks) = unsafe { (&mut *borrowed.cpu, &mut *borrowed.bus, &*borrowed.blocks) };
    let members = borrowed.parts.members;
    let now = cpu.progress().now;
    if let Some(observed) = &mut borrowed.observed {
        cpu.progress_mut().marks.resume(frame.marked);
        observed.before_body = cpu.progress().instructions;
    }
    let standing = borrowed.parts.take_up(bus, set as usize, frame.variant, frame.base);
    let act = AssertUnwindSafe(|| {
        let block = blocks.get(members[member as usize]);
        let mut flow = Flow::Next;
        for step in step..step + count {
            flow = cpu.carry_out_step(bus, block, step as usize);
            if flow != Flow::Next {
                break;
            }
        }
        if I::CODE_IN_RAM && bus.memory.code_changed() {
            // The block ends, and the run loop looks.
            *cpu.progress_mut().horizon = 0;
        }
        match flow {
            // No step that skips another one is left to its body.
            Flow::Next | Flow::Skip => {
                let interface = bus.memory.flash.interface();
                let stays = |standing| interface.seen() == Some(standing) && cpu.progress().now == now;
                (if standing.is_none_or(stays) { 0 } else { MOVED }, None)
            }
            Flow::Ends(exit) | Flow::Leaves(exit) => {
                if let Some(observed) = &mut borrowed.observed {
                    let (member, step, up_to) = (member as usize, step as usize, observed.before_body);
                    let known = observed.tell_before(cpu, blocks, borrowed.parts, frame, member, step, up_to);
                    observed.tell_of_rest(cpu, block, frame, exit, known);
                }
                let stays = || bus.memory.flash.interface().seen() == standing;
                let leaves = match (standing, cpu.fetches_anew()) {
                    _ if exit != I::NEXT => 1,
                    // Most members for states that it may lead to are for fetching that begins anew.
                    (None, _) | (_, Some((_, true))) => GOES_ON,
                    (_, Some((_, false))) if stays() => WENT_STRAIGHT_ON,
                    _ => 1,
                };
                (leaves, Some(exit))
            }
        }
    });
    let leaves = match catch_unwind(act) {
        Ok((leaves, exit)) => {
            borrowed.exit = exit.or(borrowed.exit);
            leaves
        }
        Err(panic) => {
            borrowed.fail(panic);
            1
        }
    };
    frame.open(bus);
    leaves
}

impl<I: InstructionSet, P> Borrowed<'_, '_, I, P> {
    /// Keeps a panic, which goes on when the region has returned. Nothing is told to the observer any more.
    fn fail(&mut self, panic: Box<dyn Any + Send>) {
        self.panic.get_or_insert(panic);
        self.observed = None;
    }
}

/// Tells the observer of all runs. The member `next` comes next.
///
/// # Safety
/// `frame` is the frame of a region that [`Code::enter`] has entered with the same types, and nothing else holds what it borrows.
unsafe extern "C" fn tell<I: Hooks<P>, P>(frame: *mut Frame, next: u32) {
    // SAFETY: as the caller promises. What is borrowed lies outside the frame.
    let borrowed = unsafe { &mut *(*frame).borrowed.cast::<Borrowed<'_, '_, I, P>>() };
    // SAFETY: the same.
    let (frame, cpu, blocks) = unsafe { (&*frame, &mut *borrowed.cpu, &*borrowed.blocks) };
    let (Some(observed), parts) = (&mut borrowed.observed, borrowed.parts) else { return };
    let act = AssertUnwindSafe(|| {
        let Progress { now, instructions, .. } = cpu.progress();
        let pc = cpu.pc();
        observed.tell(cpu, blocks, parts, frame, now, instructions, pc);
        (observed.first, observed.began, observed.instructions) = (next as usize, now, instructions);
    });
    if let Err(panic) = catch_unwind(act) {
        // The region returns at the next look.
        borrowed.fail(panic);
        *cpu.progress_mut().horizon = 0;
    }
}

/// Tells whether data at the byte offset `offset` in flash is cached. It counts as used then.
///
/// # Safety
/// `frame` is the frame of a region that [`Code::enter`] has entered, and nothing else holds the flash interface.
unsafe extern "C" fn caches_data(frame: *mut Frame, offset: u32) -> u32 {
    // SAFETY: as the caller promises.
    let interface = unsafe { &mut *(*frame).interface };
    interface.caches_data(offset).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbers_and_back() {
        for place in [
            Place::Before { member: 3 },
            Place::Behind { member: 70_000 },
            Place::At { member: 2, step: 90 },
            Place::Left { member: 0 },
            Place::Unknown { member: 1, step: 1 },
            Place::Moved { member: 4, step: 64 },
        ] {
            assert_eq!(Place::unpack(place.pack(None)), (place, 0));
            assert_eq!(Place::unpack(place.pack(Some(700))), (place, 701));
        }
    }
}
