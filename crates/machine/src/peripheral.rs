//! The contract between a part's peripherals and the rest of the machine.

use crate::units::{Address, Cycles};

use crate::{
    Access, BusFault, Console, EventId, EventQueue, GapKind, Gaps, InterruptLines, Memory, Port, RamSlave, RegionKind,
    Signal, Signals, Traffic,
};

/// The state that a peripheral may touch while it answers an access or an event.
pub struct Context<'a> {
    /// The time of the access or event, counted from reset in periods of the core's clock.
    pub now: Cycles,
    /// The instruction behind it, or the last one before an event.
    pub pc: Address,
    /// For scheduling.
    pub events: &'a mut EventQueue,
    /// The wires to the interrupt controller.
    pub interrupts: &'a mut InterruptLines,
    /// The way out.
    pub console: &'a mut Console,
    /// The model gaps met.
    pub gaps: &'a mut Gaps,
    /// The signals for observers.
    pub signals: &'a mut Signals,
    /// Set to the cause, in words, by a device that resets the part (a watchdog).
    pub reset: &'a mut Option<&'static str>,
    /// Set to the cycles for which a device halts the core behind the instruction under way.
    pub halt: &'a mut u64,
    /// Flash and RAM: for DMA, and for the flash interface's settings.
    pub memory: &'a mut Memory,
    /// Counts of accesses.
    pub traffic: &'a mut Traffic,
}

impl Context<'_> {
    /// Counts a model gap at this place and time.
    pub fn gap(&mut self, kind: GapKind, name: &str) {
        let known = self.gaps.news();
        self.gaps.meet(kind, name, self.pc, self.now);
        self.tell_news(known);
    }

    /// Counts a model gap at this place and time that has no effect that the program could see.
    pub fn quiet_gap(&mut self, kind: GapKind, name: &str) {
        let known = self.gaps.news();
        self.gaps.meet_quietly(kind, name, self.pc, self.now);
        self.tell_news(known);
    }

    /// Records that there is more news of gaps than was `known`.
    fn tell_news(&mut self, known: u64) {
        if self.gaps.news() != known {
            self.signals.record(self.now, Signal::Gap);
        }
    }
}

/// The span in which a register shows the same value to each read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Still {
    /// The first cycle that may show another value; [`u64::MAX`] if only an event, a write or the outside changes it.
    pub until: Cycles,
    /// The access takes the same time again after a multiple of so many cycles; 1 where it always does.
    pub period: u64,
}

impl Still {
    /// Of a register that only an event, a write or the outside changes, on a bus where an access takes the same time always.
    pub const ALWAYS: Self = Self { until: Cycles::MAX, period: 1 };

    /// The same up to the cycle `until`.
    pub const fn until(until: u64) -> Self {
        Self { until: Cycles::new(until), ..Self::ALWAYS }
    }
}

/// Everything of a part that is neither core nor plain memory, behind the addresses of its peripheral bus.
///
/// Registers hold their state as plain data, so that a machine can be cloned. Between accesses and events nothing
/// runs: a counter computes its value from the time at which it is read.
pub trait Peripherals: Clone + Send {
    /// The slave of the bus that has the byte offset `offset` of the main RAM.
    fn ram_slave(&self, offset: u32) -> RamSlave {
        let _ = offset;
        RamSlave { from: 0, to: u32::MAX, ..RamSlave::default() }
    }

    /// The port by which cores reach `address`, if they have it in common; `region` is the memory there, if there is one.
    fn port(&self, address: Address, region: Option<RegionKind>) -> Option<Port> {
        let _ = (address, region);
        None
    }

    /// Tells of the masters beside the cores, the one that reads and the one that writes, whether the core `core` goes before them at
    /// a slave that both want in one cycle.
    fn outranks(&self, core: usize) -> [bool; 2] {
        let _ = core;
        [false; 2]
    }

    /// Tells whether one of those masters goes before the core `core`.
    fn is_outranked(&self, core: usize) -> bool {
        let _ = core;
        false
    }

    /// Answers a read; the value is in the low bits.
    ///
    /// # Errors
    /// A [`BusFault`] where the part's bus would answer with an error.
    fn read(&mut self, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault>;

    /// Takes a write; only the low `access.width` bits of `value` count.
    ///
    /// # Errors
    /// A [`BusFault`] where the part's bus would answer with an error.
    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault>;

    /// An event that was scheduled under `id` is due at `context.now`.
    fn event(&mut self, id: EventId, context: &mut Context<'_>);

    /// Cycles that an access to `address`, a `write` or a read, takes beyond (or, negative, below) what the core's own timing charges for
    /// one without wait states, its data phase beginning at `at`: bus bridges cost, a single-cycle I/O port saves. Asked
    /// again for the same access, it counts once.
    fn extra_cycles(&mut self, _address: Address, _write: bool, _at: Cycles) -> i32 {
        0
    }

    /// Returns the cycles from `access.at` on in which a read like `access` gives the same value each time and changes nothing
    /// that anybody could notice, as long as no event comes and nothing is written. `None` where that is not so or not known.
    fn still(&self, _access: Access) -> Option<Still> {
        None
    }

    /// The core entered (`true`) or left sleep; `deep` says whether it asked for deep sleep.
    fn sleep(&mut self, _asleep: bool, _deep: bool, _context: &mut Context<'_>) {}

    /// The core, which went to sleep, has found nothing that wakes it at once; `deep` says whether it asked for deep sleep.
    /// Returns `true` if its clock stands from now on. Cycles are counted all the same, at the speed of the clock with which it
    /// wakes up, but the core's own timers do not count them.
    fn rest(&mut self, _deep: bool, _context: &mut Context<'_>) -> bool {
        false
    }

    /// Something wakes the core, which has rested. Returns the cycles until its clock runs again.
    fn wake(&mut self, _context: &mut Context<'_>) -> Cycles {
        Cycles::ZERO
    }

    /// Returns the machine timer (mtime) of a RISC-V part at the cycle `now`, for a core that shows it as `time`; `None` for
    /// a part without one.
    fn machine_time(&self, _now: Cycles) -> Option<u64> {
        None
    }
}

/// A part with no peripherals at all: every access outside memory is a bus fault.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithoutPeripherals;

impl Peripherals for WithoutPeripherals {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        Err(BusFault::Unmapped(access.address))
    }

    fn write(&mut self, access: Access, _: u32, _: &mut Context<'_>) -> Result<(), BusFault> {
        Err(BusFault::Unmapped(access.address))
    }

    fn event(&mut self, _: EventId, _: &mut Context<'_>) {}
}
