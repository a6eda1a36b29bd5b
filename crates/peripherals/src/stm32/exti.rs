//! External interrupts under the registers of any version: edges on their way, pending flags, interrupt lines.
//!
//! An edge is caught without a clock, then passes flip-flops of the bus that the block lies on. In Sleep mode that clock
//! goes on, and the way is the same. In Stop mode there is none: an edge sets its flag at once, which wakes the part.
//! A line may also be an event, which wakes WFE. Lines that no pin feeds have a block's signal; of those called direct
//! the block's own interrupt goes on to the core, and the mask decides only in Stop mode.
//!
//! Up to 64 lines, of which those from 32 on have registers of their own.
//!
//! A line that sees a selected edge is a trigger for other blocks, by the name of its interrupt signal (`EXTI11`), masked
//! or not: the masks are those of interrupts and of the core's event.

use std::fmt::Debug;
use std::marker::PhantomData;

use cyclescope_machine::TimingRow;

use crate::synchroniser::Edges;
use crate::{Bank, Block, Clocks, EdgeLines, Env, Instance, Instant, Lines, Modelled, Source, Tree, Words, Write};

/// The interrupt signals of the lines that pins feed.
const SIGNALS: [&str; 16] = [
    "EXTI0", "EXTI1", "EXTI2", "EXTI3", "EXTI4", "EXTI5", "EXTI6", "EXTI7", "EXTI8", "EXTI9", "EXTI10", "EXTI11",
    "EXTI12", "EXTI13", "EXTI14", "EXTI15",
];

/// The event at which an edge has passed the flip-flops.
const ARRIVED: u16 = 0;

/// The lines of a block.
#[derive(Debug)]
pub struct Wiring {
    /// The modelled registers and fields, with the values after reset.
    pub model: &'static [Modelled],
    /// The direct lines, one bit each.
    pub direct: u64,
}

/// A version of the registers.
pub trait Version: Clone + Debug {
    /// The way of an edge, in periods of [`Version::CLOCK`].
    const WAY: &'static TimingRow;
    /// The clock of the flip-flops.
    const CLOCK: Source;
    /// The offsets of the registers that select rising and falling edges.
    const SELECTS: [u32; 2];
    /// The offsets of the pending flags of rising and falling edges, which may be one register.
    const PENDING: [u32; 2];
    /// The offset of the interrupt masks.
    const MASK: u32;
    /// The offset of the event masks.
    const EVENTS: u32;
    /// The distances to the registers of lines from 32 on, where there are any: from those of edges and flags, and from the
    /// masks.
    const SECOND: [u32; 2];

    /// The lines that the block of this part has.
    fn wiring(instance: &Instance) -> &'static Wiring;

    /// The port whose pin feeds `line`, if the block chooses it.
    fn selected_port(_bank: &Bank, _line: u8) -> Option<u8> {
        None
    }

    /// A write of a register, with the `direct` lines.
    fn write(bank: &mut Bank, direct: u64, offset: u32, write: Write, env: &mut Env<'_, '_>);
}

/// The block.
#[derive(Clone, Debug)]
pub struct Exti<V> {
    bank: Bank,
    lines: Lines,
    edges: Edges,
    wiring: &'static Wiring,
    /// The levels of direct lines.
    direct: u64,
    version: PhantomData<V>,
}

impl<V: Version> Exti<V> {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let signals: Vec<(&str, u32)> = SIGNALS.iter().enumerate().map(|(line, name)| (*name, 1 << line)).collect();
        let wiring = V::wiring(instance);
        Self {
            bank: Bank::new(instance.map, wiring.model),
            lines: Lines::new(instance, &signals),
            edges: Edges::new(V::CLOCK, V::WAY, ARRIVED),
            wiring,
            direct: 0,
            version: PhantomData,
        }
    }

    /// Lines that have seen an edge, or a program's trigger, tell who hears them.
    fn pass_on(seen: u64, env: &mut Env<'_, '_>) {
        for (_, name) in SIGNALS.into_iter().enumerate().filter(|(line, _)| seen & 1 << line != 0) {
            env.pulse(name);
        }
    }

    /// The register of edges or flags at `offset`, with that of the lines from 32 on.
    fn lines_at(&self, offset: u32) -> u64 {
        self.both(offset, V::SECOND[0])
    }

    /// The mask at `offset`, with that of the lines from 32 on.
    fn mask(&self, offset: u32) -> u64 {
        self.both(offset, V::SECOND[1])
    }

    fn both(&self, offset: u32, second: u32) -> u64 {
        u64::from(self.bank.get(offset)) | u64::from(self.bank.get(offset + second)) << 32
    }

    /// The lines whose pending flags are set.
    fn pending(&self) -> u64 {
        let [rising, falling] = V::PENDING.map(|offset| self.lines_at(offset));
        (rising | falling) & !self.wiring.direct
    }

    /// The lines that interrupt.
    fn active(&self, env: &Env<'_, '_>) -> u64 {
        let (mask, stands) = (self.mask(V::MASK), env.clocks().stands());
        self.pending() & mask | self.direct & if stands { mask } else { u64::MAX }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        self.lines.drive_wide(self.active(env), env);
    }

    /// Selected edges have passed the flip-flops, or need none.
    fn pend(&mut self, rose: u64, fell: u64, env: &mut Env<'_, '_>) {
        for (offset, lines) in V::PENDING.into_iter().zip([rose, fell]) {
            self.bank.flag(offset, lines as u32, true);
            self.bank.flag(offset + V::SECOND[0], (lines >> 32) as u32, true);
        }
        Self::pass_on(rose | fell, env);
        self.send_events(rose | fell, env);
        self.drive(env);
    }

    fn send_events(&self, lines: u64, env: &mut Env<'_, '_>) {
        if lines & self.mask(V::EVENTS) != 0 {
            env.context.interrupts.send_event();
        }
    }

    /// The signal of `line` has the level `high` now, and had another.
    fn catch(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        let seen = self.lines_at(V::SELECTS[usize::from(!high)]) & 1 << (line & 63);
        let (rose, fell) = if high { (seen, 0) } else { (0, seen) };
        if env.clocks().stands() {
            self.pend(rose, fell, env);
        } else {
            self.edges.push(rose, fell, env);
        }
    }
}

impl<V: Version> EdgeLines for Exti<V> {
    fn selected_port(&self, line: u8) -> Option<u8> {
        V::selected_port(&self.bank, line)
    }

    fn listens(&self, line: u8) -> bool {
        V::SELECTS.iter().any(|select| self.bank.get(*select) & 1 << (line & 15) != 0)
    }

    fn edge(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        self.catch(line & 15, high, env);
    }

    fn internal(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        let bit = 1 << (line & 63);
        if self.wiring.direct & bit == 0 {
            self.catch(line, high, env);
            return;
        }
        self.direct = if high { self.direct | bit } else { self.direct & !bit };
        if high {
            self.send_events(bit, env);
        }
        self.drive(env);
    }

    fn connect(&mut self, line: u8, interrupt: u8) {
        self.lines.connect(interrupt, 1 << (line & 63));
    }

    fn holds_off_stop(&self, env: &Env<'_, '_>) -> bool {
        self.active(env) != 0
    }
}

impl<V: Version> Block<Words> for Exti<V> {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let before = self.pending();
        V::write(&mut self.bank, self.wiring.direct, offset, write, env);
        Self::pass_on(self.pending() & !before, env);
        self.drive(env);
    }

    /// The pending flag is set whether or not the interrupt is masked.
    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        let (rose, fell) = self.edges.arrived(env);
        self.pend(rose, fell, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.direct = 0;
        self.edges.reset(env);
        self.drive(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        if env.clocks().stands() {
            // What was on its way when the clocks stopped was caught.
            let (rose, fell) = self.edges.take(env);
            self.pend(rose, fell, env);
        }
        self.edges.schedule(env);
        self.drive(env);
    }

    fn refine(&mut self, times: u64) {
        self.edges.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
