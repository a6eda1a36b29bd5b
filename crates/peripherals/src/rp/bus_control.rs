//! The bus fabric's control (RP-008371-DS, "Bus Fabric"): priorities of the four masters, and four counters of accesses.
//!
//! A counter counts one of twenty events: for each of the crossbar's ten ports the accesses, and those that had waited for another
//! master's. While none has an event nothing is counted, and nobody has to look at accesses.

use cyclescope_machine::{Port, TimingRow};

use super::registers::bank;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Words, Write};

/// The registers that are modelled in part: none.
pub const PARTLY: &[Modelled] = &[];

/// The fetches that the counters count.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "busctrl.useless_fetches",
    "fetches behind a branch that is taken, which BUSCTRL's counters count",
    0,
    "no manual says which words the core fetches in vain; it is taken to fetch none",
)];

const BUS_PRIORITY: u32 = 0x00;
const BUS_PRIORITY_ACK: u32 = 0x04;
const PERFCTR0: u32 = 0x08;
const PERFCTR_END: u32 = PERFCTR0 + 8 * COUNTERS as u32;

/// The bits of BUS_PRIORITY that let processors go first.
const PROCESSORS: [u32; 2] = [1 << 0, 1 << 4];
/// Those that let the reading and the writing master of the DMA.
const MASTERS: [u32; 2] = [1 << 8, 1 << 12];

const COUNTERS: usize = 4;
/// The events: of each port first the accesses that have waited, then all.
const EVENTS: u32 = 20;
/// A counter stays where it is greatest.
const MOST: u64 = 0x00FF_FFFF;

/// The bit by which the block asks for counts.
const WHO: u8 = 1;

/// A counter: its count up to where its event was last chosen or cleared, and what of the event had been counted there.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    held: u64,
    since: u64,
}

/// The block.
#[derive(Clone, Debug)]
pub struct BusControl {
    bank: Bank,
    counters: [Counter; COUNTERS],
}

impl BusControl {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        let mut bank = bank(instance.map, PARTLY);
        bank.set(BUS_PRIORITY_ACK, 1);
        Self { bank, counters: [Counter::default(); COUNTERS] }
    }

    fn has_priority(&self, bit: u32) -> bool {
        self.bank.get(BUS_PRIORITY) & bit != 0
    }

    /// The processor that goes first where both want one port of the bus; `None` if they have the same priority.
    pub fn first_core(&self) -> Option<usize> {
        let [zero, one] = PROCESSORS.map(|bit| self.has_priority(bit));
        (zero != one).then_some(usize::from(one))
    }

    /// Tells of the DMA's reading and writing master whether the processor `core` goes before it.
    pub fn outranks(&self, core: usize) -> [bool; 2] {
        let first = PROCESSORS.get(core).is_some_and(|bit| self.has_priority(*bit));
        MASTERS.map(|bit| first && !self.has_priority(bit))
    }

    /// Tells of the DMA's reading and writing master whether it goes before the processor `core`.
    pub fn outrankers(&self, core: usize) -> [bool; 2] {
        let first = PROCESSORS.get(core).is_some_and(|bit| self.has_priority(*bit));
        MASTERS.map(|bit| !first && self.has_priority(bit))
    }

    /// The event that the counter `number` counts.
    fn event_of(&self, number: usize) -> Option<u32> {
        Some(self.bank.get(PERFCTR0 + 8 * number as u32 + 4)).filter(|event| *event < EVENTS)
    }

    /// The number of the events so far that the counter `number` counts.
    fn seen(&self, number: usize, env: &Env<'_, '_>) -> u64 {
        let Some(event) = self.event_of(number) else { return 0 };
        env.context.traffic.at(Port((event / 2) as u8), event.is_multiple_of(2))
    }

    fn value(&self, number: usize, env: &Env<'_, '_>) -> u64 {
        let Counter { held, since } = self.counters[number];
        held.saturating_add(self.seen(number, env).saturating_sub(since)).min(MOST)
    }

    fn count_on(&mut self, number: usize, held: u64, env: &mut Env<'_, '_>) {
        self.counters[number] = Counter { held, since: self.seen(number, env) };
        let wanted = (0..COUNTERS).any(|number| self.event_of(number).is_some());
        if wanted {
            env.wires.note(&ROWS[0]);
        }
        env.context.traffic.want(WHO, wanted);
    }
}

impl Block<Words> for BusControl {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            PERFCTR0..PERFCTR_END if offset.is_multiple_of(8) => {
                self.value(((offset - PERFCTR0) / 8) as usize, env) as u32
            }
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        let counts = (PERFCTR0..PERFCTR_END).contains(&offset) && offset.is_multiple_of(8);
        if counts { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if !(PERFCTR0..PERFCTR_END).contains(&offset) {
            self.bank.write(offset, write, env);
            return;
        }
        let number = ((offset - PERFCTR0) / 8) as usize;
        // Whatever is written to a counter clears it; one whose event is chosen anew goes on from where it is.
        let held = if offset.is_multiple_of(8) { 0 } else { self.value(number, env) };
        if !offset.is_multiple_of(8) {
            self.bank.write(offset, write, env);
        }
        self.count_on(number, held, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.bank.set(BUS_PRIORITY_ACK, 1);
        self.counters = [Counter::default(); COUNTERS];
        env.context.traffic.want(WHO, false);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
