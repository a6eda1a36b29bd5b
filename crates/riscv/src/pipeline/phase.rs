//! Phases: the states of a pipeline between two instructions that come again, by number.
//!
//! A phase has all of a pipeline but when it is, the tags of its caches, and the addresses of stores on their way: two states in the same
//! phase pass the same cycles with the same instructions, as long as fetches and loads hit and the inputs stay as they are. Phases are
//! numbered for the whole process, so that copies of a machine and machines of one image speak of the same ones.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Kind, Pipeline, Slot, Way};
use crate::pmp::Pmp;
use crate::trap::Privilege;

/// The most phases that are numbered; a pipeline in another one passes its cycles.
const MOST: usize = 1 << 15;

/// The most stores that are on their way to the bus.
pub(crate) const STORES: usize = 5;

const SOFTWARE_AND_TIMER: u64 = 1 << 3 | 1 << 7;
/// The inputs that a pipeline looks at.
pub(crate) const INPUTS: u64 = u64::MAX << 32 | SOFTWARE_AND_TIMER;

/// A phase.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pipeline: Pipeline,
    /// The rights that what is fetched is checked for, where it is.
    rights: Option<(Pmp, Privilege)>,
}

impl Phase {
    /// The interrupt inputs in it, which have been so for some cycles.
    pub fn inputs(&self) -> u64 {
        u64::from(self.pipeline.array_input) << 32 | u64::from(self.pipeline.pending) & SOFTWARE_AND_TIMER
    }

    /// Returns which stores, counted from the latest, a load that comes next may collide with.
    pub fn collisions(&self) -> u8 {
        let mut stores = 0u8;
        let mut number = 0;
        for stage in [&self.pipeline.execute, &self.pipeline.memory] {
            if stage.is_some_and(|slot| slot.is_own_store()) {
                stores |= 1 << number;
                number += 1;
            }
        }
        // Until the next one leaves the decode stage it may have moved on.
        stores
    }
}

impl PartialEq for Phase {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.pipeline.variant, other.pipeline.variant)
            && self.pipeline.repeats(&other.pipeline)
            && self.rights == other.rights
    }
}

impl Eq for Phase {}

impl Hash for Phase {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Pipeline { execute, memory, write_back, written, fetch, data, awaited, astray, open, .. } = &self.pipeline;
        (execute, memory, write_back, written).hash(state);
        (fetch, data, awaited, astray, open).hash(state);
        (self.pipeline.worked, self.pipeline.array_input, self.pipeline.pending).hash(state);
    }
}

#[derive(Default)]
struct Phases {
    all: Vec<Arc<Phase>>,
    numbers: HashMap<Arc<Phase>, u32>,
}

static PHASES: Mutex<Option<Phases>> = Mutex::new(None);

/// There is no room for more of them. Then a state is looked for once in so many cycles, a power of two: most searches are in vain.
static ARE_FULL: AtomicBool = AtomicBool::new(false);
const SELDOM: u64 = 1 << 6;

fn phases() -> MutexGuard<'static, Option<Phases>> {
    PHASES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The phase with `number`, from 1.
pub(crate) fn phase(number: u32) -> Option<Arc<Phase>> {
    phases().as_ref()?.all.get(number.checked_sub(1)? as usize).cloned()
}

/// The number of `phase`; `None` if there are too many.
fn number(phase: Phase) -> Option<u32> {
    let mut guard = phases();
    let Phases { all, numbers } = guard.get_or_insert_default();
    if let Some(number) = numbers.get(&phase) {
        return Some(*number);
    }
    if all.len() >= MOST {
        ARE_FULL.store(true, Ordering::Relaxed);
        return None;
    }
    let phase = Arc::new(phase);
    all.push(Arc::clone(&phase));
    let number = all.len() as u32;
    numbers.insert(phase, number);
    Some(number)
}

impl Slot {
    /// Tells whether it is a store of the program to memory.
    fn is_own_store(&self) -> bool {
        self.own && self.kind == Kind::Store
    }

    /// Tells whether all that it does follows from the phase.
    fn is_simple(&self) -> bool {
        use Kind::{Divide, Load, Multiply, Plain, Shift, Store};
        // Where an idle branch goes does not tell whether it was predicted.
        let is_known = matches!(self.kind, Plain | Load | Store | Multiply | Divide | Shift) && !self.is_idle;
        let hits = !self.own || !self.is_access() || self.way == Way::Hit;
        is_known && hits && self.masks.is_none() && !self.deferred && !self.sought && !self.is_void
    }

    /// Takes out what another program may have otherwise in the same phase. What is not the program's is removed before it loads or
    /// stores.
    fn strip(&mut self, is_open: bool) {
        let is_store = self.is_own_store();
        self.lanes = if is_store { self.lanes >> (self.address & 3) } else { 0 };
        self.address = 0;
        self.amount = 0;
        if !self.own {
            self.way = Way::Through;
        }
        let is_fixed = is_open && !self.is_branch && !self.is_computed;
        self.corrects = self.corrects.filter(|_| is_fixed);
    }
}

impl Pipeline {
    /// Tells whether its phases can be numbered at all.
    pub(crate) fn has_phases(&self) -> bool {
        self.variant.data_lines > 0
            && !self.variant.light_shifter
            && !self.variant.iterative_multiplier
            && self.bus.is_timeless()
    }

    /// Tells whether it does what its phase says: nothing misses, waits for an interrupt, or comes from an exception.
    pub(crate) fn is_simple(&self) -> bool {
        let stages = [&self.execute, &self.memory, &self.write_back];
        self.shadow.is_none()
            && self.exceptions == [false; 4]
            && !self.had_exception
            && self.interrupt.is_none()
            && self.liberated == [false; 3]
            && self.interrupts().is_none()
            && self.ahead == 0
            && self.ordered == self.masks
            && self.protected == 0
            && stages.into_iter().flatten().all(Slot::is_simple)
            && self.fetch.is_simple()
            && self.data.is_simple()
    }

    /// Its phase, and the addresses of the stores on their way, the latest first; `None` where it has no number. What it fetches is
    /// checked for `rights`, and the inputs are `inputs`.
    pub(crate) fn to_phase(&self, rights: Option<(&Pmp, Privilege)>, inputs: u64) -> Option<(u32, [u32; STORES])> {
        if ARE_FULL.load(Ordering::Relaxed) && !self.cycle.is_multiple_of(SELDOM) {
            return None;
        }
        let phase = Phase { pipeline: self.clone(), rights: rights.map(|(pmp, privilege)| (pmp.clone(), privilege)) };
        let is_settled = phase.inputs() == inputs & INPUTS
            && (self.pending >> 11 & 1 != 0) == (self.array_input & self.masks.array != 0);
        if !is_settled || !self.fetch.has_only_asked() {
            return None;
        }
        let Phase { pipeline, rights } = phase;
        let mut pipeline = pipeline;
        let mut stores = [0; STORES];
        let addresses = pipeline.stores().map(|place| *place);
        for (store, address) in stores.iter_mut().zip(addresses) {
            *store = address;
        }
        let open = pipeline.open;
        if let Some(slot) = &mut pipeline.execute {
            slot.strip(open);
        }
        for slot in [&mut pipeline.memory, &mut pipeline.write_back].into_iter().flatten() {
            slot.strip(false);
        }
        for (place, address) in pipeline.stores().zip(stores) {
            *place = pipeline_slave(self, address)?;
        }
        pipeline.fetch.take_tags();
        pipeline.data.take_tags();
        (pipeline.cycle, pipeline.retired, pipeline.retired_at) = (0, 0, Default::default());
        number(Phase { pipeline, rights }).map(|number| (number, stores))
    }

    /// Goes into `phase` in the cycle `cycle`, with `stores` on their way, the latest first; the program goes on at `pc`.
    pub(crate) fn go_into(&mut self, phase: &Phase, cycle: u64, stores: &[u32; STORES], pc: u32) {
        let (fetched, loaded) = (self.fetch.take_tags(), self.data.take_tags());
        let Self { retired, retired_at, .. } = *self;
        *self = Self { cycle, retired, retired_at, ..phase.pipeline.clone() };
        self.fetch.put_tags(fetched);
        self.data.put_tags(loaded);
        for (place, address) in self.stores().zip(stores) {
            *place = *address;
        }
        for slot in [&mut self.execute, &mut self.memory, &mut self.write_back].into_iter().flatten() {
            if slot.is_own_store() {
                slot.lanes <<= slot.address & 3;
            }
        }
        if let Some(latest) = self.execute.as_mut().filter(|_| self.open) {
            if latest.is_computed {
                latest.corrects = Some(pc);
            } else if latest.is_branch {
                latest.corrects = (latest.predicted != pc).then_some(pc);
            }
        }
    }

    /// The addresses of the program's stores on their way, the latest first.
    fn stores(&mut self) -> impl Iterator<Item = &mut u32> {
        let Self { execute, memory, write_back, data, .. } = self;
        let stages = [execute, memory, write_back].into_iter().flatten();
        stages.filter(|slot| slot.is_own_store()).map(|slot| &mut slot.address).chain(data.stores())
    }

    /// The program's store or load that has just left the decode stage.
    pub(crate) fn latest_access(&self) -> Option<Slot> {
        self.execute.filter(|slot| slot.own && slot.is_access())
    }

    /// The first address and the bytes of the slave at `address`; 0 of both where each bus has a port.
    pub(crate) fn slave(&self, address: u32) -> Option<(u32, u32)> {
        self.bus.slave(address)
    }

    /// The word that is being fetched.
    pub(crate) fn fetched(&self) -> Option<u32> {
        self.fetch.fetched()
    }

    /// The addresses of what has been fetched and is not decoded.
    pub(crate) fn undecoded(&self) -> [Option<u32>; 2] {
        self.fetch.undecoded()
    }

    /// The tags of the caches of instructions and of data.
    pub(crate) fn tags(&self) -> [&[u32]; 2] {
        [self.fetch.tags(), self.data.tags()]
    }

    /// `number` instructions retire without being passed, in cycles that are `at` behind `start`.
    pub(crate) fn retire(&mut self, start: u64, at: impl Iterator<Item = u8>) {
        for behind in at {
            self.retired_at[self.retired as usize % super::REMEMBERED] = start + u64::from(behind);
            self.retired += 1;
        }
    }
}

/// The address that stands for all of the slave at `address`.
fn pipeline_slave(pipeline: &Pipeline, address: u32) -> Option<u32> {
    pipeline.slave(address).map(|(base, _)| base)
}
