//! The one bus of a machine: memory on the fast path, peripherals behind it.

use crate::units::{Address, Cycles};

use crate::{
    Access, BusFault, Console, Context, EventQueue, GapKind, Gaps, HostFiles, InterruptLines, Memory, Peripherals,
    Signal, Signals, SimpleAccess, Traffic, Turns, Width,
};

/// The state that core, memory and peripherals share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Pending events of the peripherals.
    pub events: EventQueue,
    /// Wires to the interrupt controller.
    pub interrupts: InterruptLines,
    /// The guest's output.
    pub console: Console,
    /// Model gaps met.
    pub gaps: Gaps,
    /// Recorded signals.
    pub signals: Signals,
    /// The cause of a reset that a device asked for and the run loop has not carried out yet.
    pub reset: Option<&'static str>,
    /// The cycles for which a device halts the core behind the instruction under way.
    pub halt: u64,
    /// The command line that semihosting hands to the guest, if it has one.
    pub command_line: Option<Vec<u8>>,
    /// The files that semihosting hands to the guest, if it has some. A clone has none.
    pub files: HostFiles,
    /// The count of reads that went beyond memory; wraps.
    pub device_reads: u32,
    /// The order of two cores' accesses.
    pub turns: Turns,
    /// Counts of accesses.
    pub traffic: Traffic,
    /// The latest cycle in which a device has acted.
    latest: u64,
}

impl Shared {
    /// Notes that the guest met the model gap `name` at `pc` in the cycle `at`, and records that there is news of one.
    pub fn meet_gap(&mut self, kind: GapKind, name: &str, pc: Address, at: Cycles) {
        let known = self.gaps.news();
        self.gaps.meet(kind, name, pc, at);
        if self.gaps.news() != known {
            self.signals.record(at, Signal::Gap);
        }
    }

    /// Tells whether nothing here waits for the run loop, except what is due by the clock.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        !self.interrupts.changed()
            && self.interrupts.called().is_none()
            && !self.signals.stop()
            && self.reset.is_none()
            && !self.traffic.has_begun()
    }
}

/// Memory, peripherals and what they share.
#[derive(Clone, Debug)]
pub struct Bus<P> {
    /// Flash and RAM.
    pub memory: Memory,
    /// The part's devices.
    pub peripherals: P,
    /// The state that all of them share.
    pub shared: Shared,
}

impl<P> Bus<P> {
    /// A second core shares the bus from now on.
    pub fn add_core(&mut self) {
        self.shared.interrupts.add_core();
        self.shared.turns.add_core();
    }

    /// The core `core` goes on.
    #[inline]
    pub fn turn_to(&mut self, core: usize) {
        self.shared.interrupts.turn_to(core);
        self.shared.turns.turn_to(core);
        self.shared.signals.turn_to(core as u8);
        self.memory.flash.interface_mut().turn_to(core);
    }

    /// The core attempts an instruction, `again` if it has before. It may act before the cycle `limit`, and in it if it goes `first`.
    pub fn attempt(&mut self, again: bool, limit: u64, first: bool) {
        self.shared.turns.attempt(again, limit, first);
        self.shared.interrupts.begin_attempt();
        self.shared.signals.begin_attempt();
        self.memory.ram.share(true);
        self.memory.flash.interface_mut().write_out();
    }

    /// The core attempts to make a fetch, which neither takes anything of interrupt lines nor tells of anything.
    #[inline]
    pub fn attempt_fetch(&mut self, again: bool, limit: u64, first: bool) {
        self.shared.turns.attempt(again, limit, first);
        self.memory.ram.share(true);
        self.memory.flash.interface_mut().write_out();
    }

    /// The same of an instruction that does so at most by its last access, behind which nothing waits any more.
    #[inline]
    pub fn attempt_simply(&mut self, again: bool, limit: u64, first: bool, reach: SimpleAccess) {
        self.attempt_fetch(again, limit, first);
        self.shared.turns.make_simple(reach);
    }

    /// The simple attempt, or that of a fetch, has ended; returns the cycle up to which the core waits, if it must be made again.
    #[inline]
    pub fn end_simple(&mut self) -> Option<u64> {
        self.shared.turns.end()
    }

    /// The attempt has ended; returns the cycle up to which the core waits, if it must be made again. Nothing has come of it then
    /// but accesses.
    pub fn end_attempt(&mut self) -> Option<u64> {
        let waits = self.shared.turns.end();
        if waits.is_some() {
            self.shared.interrupts.undo_attempt();
            self.shared.signals.undo_attempt();
        }
        waits
    }

    /// The cores' accesses begin anew, as after a reset of the part.
    pub fn reset_turns(&mut self) {
        self.shared.interrupts.reset();
        self.shared.turns.reset();
        self.turn_to(0);
    }
}

impl<P: Peripherals> Bus<P> {
    /// A bus over `memory` and `peripherals` whose guest may write at most `output_budget` bytes.
    pub fn new(memory: Memory, peripherals: P, output_budget: usize) -> Self {
        let shared = Shared {
            events: EventQueue::default(),
            interrupts: InterruptLines::default(),
            console: Console::new(output_budget),
            gaps: Gaps::default(),
            signals: Signals::default(),
            reset: None,
            halt: 0,
            command_line: None,
            files: HostFiles::default(),
            device_reads: 0,
            turns: Turns::default(),
            traffic: Traffic::default(),
            latest: 0,
        };
        Self { memory, peripherals, shared }
    }

    /// The peripherals with the context they need at the cycle `now`.
    pub fn with_context(&mut self, now: Cycles, pc: Address) -> (&mut P, Context<'_>) {
        let now = self.not_before_latest(now);
        self.shared.latest = now.get();
        self.context(now, pc)
    }

    /// The same for a core that tells of its own state at the end of an instruction. Another core may have cycles before `now` to go,
    /// and what happens in them still happens in its own cycle.
    pub fn with_context_ahead(&mut self, now: Cycles, pc: Address) -> (&mut P, Context<'_>) {
        let now = self.not_before_latest(now);
        self.context(now, pc)
    }

    /// Of two cores one may be a few cycles ahead; no device sees time go back.
    fn not_before_latest(&self, now: Cycles) -> Cycles {
        if self.shared.turns.are_several() { now.max(Cycles::new(self.shared.latest)) } else { now }
    }

    fn context(&mut self, now: Cycles, pc: Address) -> (&mut P, Context<'_>) {
        let Shared { events, interrupts, console, gaps, signals, reset, halt, traffic, .. } = &mut self.shared;
        interrupts.set_time(now.get());
        let memory = &mut self.memory;
        let context = Context { now, pc, events, interrupts, console, gaps, signals, reset, halt, memory, traffic };
        (&mut self.peripherals, context)
    }

    /// Reads through memory first, then the peripherals. The value is zero-extended.
    ///
    /// # Errors
    /// A [`BusFault`] where nothing answers or a device refuses.
    pub fn read(&mut self, access: Access) -> Result<u32, BusFault> {
        if let Some(value) = self.memory.read(access.address.get(), access.width) {
            return Ok(value);
        }
        self.shared.device_reads = self.shared.device_reads.wrapping_add(1);
        let (peripherals, mut context) = self.with_context(access.at, access.pc);
        peripherals.read(access, &mut context)
    }

    /// Writes through RAM first, then the peripherals.
    ///
    /// # Errors
    /// A [`BusFault`] where nothing answers or a device refuses; flash answers [`BusFault::ReadOnly`] unless a
    /// peripheral takes the write (a flash controller that is programming).
    pub fn write(&mut self, access: Access, value: u32) -> Result<(), BusFault> {
        if self.memory.write(access.address.get(), access.width, value) {
            return Ok(());
        }
        let (peripherals, mut context) = self.with_context(access.at, access.pc);
        peripherals.write(access, value, &mut context)
    }

    /// Tells of the store of `value` that a core has just made to memory, if somebody watches its address; returns whether. The core
    /// then leaves its block, so that the run stops behind the instruction.
    #[inline]
    pub fn tell_store(&mut self, store: Access, value: u32) -> bool {
        let told = self.memory.is_watched(store.address.get(), store.width);
        if told {
            let value = value & store.width.mask();
            self.shared.signals.record(store.at, Signal::Store { address: store.address, width: store.width, value });
        }
        told
    }

    /// Reads for an observer or a debugger: memory only, no side effect, no time.
    pub fn peek(&self, address: Address, width: Width) -> Option<u32> {
        self.memory.read(address.get(), width)
    }

    /// Hands every event due at or before `now` to the peripherals, each with the cycle it was due at.
    pub fn run_events(&mut self, now: Cycles, pc: Address) {
        while let Some((at, id)) = self.shared.events.pop_due(now) {
            let (peripherals, mut context) = self.with_context(at, pc);
            peripherals.event(id, &mut context);
        }
    }
}
