//! External interrupts under the registers of any version: edges on their way, pending flags, interrupt lines.
//!
//! An edge is caught without a clock, then passes flip-flops of the bus that the block lies on. In Sleep mode that clock
//! goes on, and the way is the same. In Stop mode there is none: an edge sets its flag at once, which wakes the part.
//! A line may also be an event, which wakes WFE. Lines that no pin feeds have a block's signal; of those called direct
//! the block's own interrupt goes on to the core, and the mask decides only in Stop mode.
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

/// A version of the registers.
pub trait Version: Clone + Debug {
    /// The modelled registers and fields, with the values after reset.
    const MODEL: &'static [Modelled];
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
    /// The direct lines.
    const DIRECT: u32 = 0;

    /// The port whose pin feeds `line`, if the block chooses it.
    fn selected_port(_bank: &Bank, _line: u8) -> Option<u8> {
        None
    }

    /// A write of a register.
    fn write(bank: &mut Bank, offset: u32, write: Write, env: &mut Env<'_, '_>);
}

/// The block.
#[derive(Clone, Debug)]
pub struct Exti<V> {
    bank: Bank,
    lines: Lines,
    edges: Edges,
    /// The levels of direct lines.
    direct: u32,
    /// The interrupts of lines that no pin feeds.
    internal: Vec<(u8, u8)>,
    version: PhantomData<V>,
}

impl<V: Version> Exti<V> {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let signals: Vec<(&str, u32)> = SIGNALS.iter().enumerate().map(|(line, name)| (*name, 1 << line)).collect();
        Self {
            bank: Bank::new(instance.map, V::MODEL),
            lines: Lines::new(instance, &signals),
            edges: Edges::new(V::CLOCK, V::WAY, ARRIVED),
            direct: 0,
            internal: Vec::new(),
            version: PhantomData,
        }
    }

    /// Lines that have seen an edge, or a program's trigger, tell who hears them.
    fn pass_on(seen: u32, env: &mut Env<'_, '_>) {
        for (_, name) in SIGNALS.into_iter().enumerate().filter(|(line, _)| seen & 1 << line != 0) {
            env.pulse(name);
        }
    }

    /// The lines that interrupt.
    fn active(&self, env: &Env<'_, '_>) -> u32 {
        let [rising, falling] = V::PENDING.map(|offset| self.bank.get(offset));
        let (mask, stands) = (self.bank.get(V::MASK), env.clocks().stands());
        (rising | falling) & mask & !V::DIRECT | self.direct & if stands { mask } else { u32::MAX }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let active = self.active(env);
        self.lines.drive(active & 0xFFFF, env);
        // Several lines may have one interrupt, which may also be another block's.
        for (_, interrupt) in &self.internal {
            let of = |(line, to): &(u8, u8)| to == interrupt && active & 1 << line != 0;
            env.drive_line(*interrupt, self.internal.iter().any(of));
        }
    }

    /// Selected edges have passed the flip-flops, or need none.
    fn pend(&mut self, rose: u32, fell: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(V::PENDING[0], rose, true);
        self.bank.flag(V::PENDING[1], fell, true);
        Self::pass_on(rose | fell, env);
        self.send_events(rose | fell, env);
        self.drive(env);
    }

    fn send_events(&self, lines: u32, env: &mut Env<'_, '_>) {
        if lines & self.bank.get(V::EVENTS) != 0 {
            env.context.interrupts.send_event();
        }
    }

    /// The signal of `line` has the level `high` now, and had another.
    fn catch(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        let seen = self.bank.get(V::SELECTS[usize::from(!high)]) & 1 << (line & 31);
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
        let bit = 1 << (line & 31);
        if V::DIRECT & bit == 0 {
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
        self.internal.push((line & 31, interrupt));
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
        let pending = |bank: &Bank| V::PENDING.iter().fold(0, |bits, offset| bits | bank.get(*offset));
        let before = pending(&self.bank);
        V::write(&mut self.bank, offset, write, env);
        Self::pass_on(pending(&self.bank) & !before, env);
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
