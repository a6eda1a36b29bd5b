//! External interrupts under the registers of any version: edges on their way, pending flags, interrupt lines.
//!
//! An edge is caught without a clock, then passes flip-flops of the bus that the block lies on. In Sleep mode that clock
//! goes on, and the way is the same; Stop mode is timed as Sleep mode.
//!
//! A line that sees a selected edge is a trigger for other blocks, by the name of its interrupt signal (`EXTI11`), masked
//! or not: the masks are those of interrupts and of the core's event.

use std::fmt::Debug;
use std::marker::PhantomData;

use cyclescope_machine::TimingRow;

use crate::synchroniser::Edges;
use crate::{Bank, Block, Clocks, EdgeLines, Env, Instance, Instant, Lines, Modelled, Source, Tree, Words, Write};

/// The fields of the lines that pins feed.
pub(super) const PINS: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15",
];

/// The interrupt signals of these lines.
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
            version: PhantomData,
        }
    }

    /// Lines that have seen an edge, or a program's trigger, tell who hears them.
    fn pass_on(seen: u32, env: &mut Env<'_, '_>) {
        for (_, name) in SIGNALS.into_iter().enumerate().filter(|(line, _)| seen & 1 << line != 0) {
            env.pulse(name);
        }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let [rising, falling] = V::PENDING.map(|offset| self.bank.get(offset));
        self.lines.drive((rising | falling) & self.bank.get(V::MASK) & 0xFFFF, env);
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
        let seen = self.bank.get(V::SELECTS[usize::from(!high)]) & 1 << (line & 15);
        self.edges.push(if high { seen } else { 0 }, if high { 0 } else { seen }, env);
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
        self.bank.flag(V::PENDING[0], rose, true);
        self.bank.flag(V::PENDING[1], fell, true);
        Self::pass_on(rose | fell, env);
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.edges.reset(env);
        self.drive(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.edges.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.edges.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
