//! A second tier for the cores of cyclescope: regions of blocks that have often run, compiled for the host by Cranelift.
//!
//! Nothing is decoded or timed here. A region takes its steps, static cycles, places and exits from the engine's blocks; the
//! instruction set says by [`lower`](cyclescope_engine::InstructionSet::lower) what a step does, and its body is called for what
//! that does not say. A region is left where the interpreter would look at something: at the horizon, at an access to anything but
//! main RAM, behind a body that leaves its block. The interpreter goes on from there, in the middle of a block if need be, so results and cycles are the same.
//!
//! A region's code holds no address of the host; all machines of a process that come to the same region share it.

mod check;
mod flow;
mod member;
mod native;
mod notes;
mod region;
mod shared;
mod standing;
mod translate;

use std::fmt;
use std::sync::Arc;

use cyclescope_engine::{Blocks, Decision, Execute as _, Heat, Hooks, InstructionSet, Left, Made, Ran, Tier};
use cyclescope_machine::{Bus, FlashInterface, FlashStanding, FlashTiming, Memory};

use flow::Ways;
use native::{Code, Parts, Place};
pub use notes::{NoteTaker, Notes};
use region::Lowered;
use shared::Translation;
use standing::Standings;
use translate::{Translated, Translator};

/// The instructions that the interpreter carries out before it is worth the time to compile a step, and twice as many where flash waits.
/// They take one to two and a half times as long as that.
const COST: u32 = 30_000;

/// The instructions of a block that the interpreter carries out from one question for a region to the next, as a power of two.
const PERIOD: u32 = 18;

/// The instructions that the interpreter carries out where no region is for the state until one more is made for it.
const MISSED: u32 = 1 << 20;

/// The most entries beside one at a block.
const MOST_OTHERS: u32 = 3;

/// The most times that a region is made anew because it did not know what flash would do.
const MOST_RENEWALS: u32 = 5;

/// The instructions that entering and leaving a region costs the interpreter.
const ENTERED: u32 = 24;

/// The most bytes of compiled code.
const MOST_BYTES: usize = 64 << 20;

/// The most times that the cost is doubled for a guest that rewrites itself.
const MOST_DOUBLINGS: u32 = 12;

/// Compiled code, and the blocks in it by their ids.
#[derive(Clone, Debug)]
struct Region {
    translation: Arc<Translation>,
    members: Arc<[usize]>,
    states: States,
    /// For each noted step whether it was carried out.
    marks: Box<[u32]>,
    /// The places among these of noted steps, with their operations.
    noted: Arc<[(usize, String)]>,
}

/// The states in which flash may be in a region, with their numbers at the interface.
#[derive(Clone, Debug)]
struct States {
    states: Arc<[FlashStanding]>,
    numbers: Box<[u64]>,
    /// The numbering that these belong to.
    numbering: u64,
    /// The settings of flash under which they follow from each other.
    timing: FlashTiming,
}

impl States {
    /// Has the numbers of `interface`: those of a copy of a machine are its own. Tells whether the states are there.
    fn agree_with(&mut self, interface: &mut FlashInterface) -> bool {
        if self.numbering == interface.numbering() || self.states.is_empty() {
            return true;
        }
        if self.timing != interface.timing() {
            return false;
        }
        self.numbers = self.states.iter().map(|standing| interface.number_of(standing)).collect();
        self.numbering = interface.numbering();
        true
    }
}

/// A place at which a region is entered.
#[derive(Clone, Copy, Debug)]
struct Entry {
    region: usize,
    /// Its number among those of the region.
    number: u32,
    /// The most cycles up to the first look at the horizon.
    cycles: u32,
    /// Another place at which a region is entered there, for other states.
    other: Option<u32>,
    /// The number of those others.
    others: u32,
    /// The instructions that the interpreter has carried out there because none was for the state.
    missed: u32,
    /// The same because the region did not know what flash would do.
    unknown: u32,
    /// The times that it was made anew for that.
    renewals: u32,
}

impl Entry {
    /// Tells whether to make the region anew takes no longer than the interpreter has taken for what it did not know.
    fn is_to_be_renewed(&self, settings: Settings) -> bool {
        self.renewals < MOST_RENEWALS && self.unknown > settings.missed << self.renewals
    }
}

/// The entries beside one: see [`Entry`].
#[derive(Default)]
struct Beside {
    other: Option<u32>,
    others: u32,
    renewals: u32,
}

/// The tier of a core.
pub struct Compiled {
    translator: Option<Translator>,
    regions: Vec<Region>,
    entries: Vec<Entry>,
    bytes: usize,
    /// The count of flushes of the blocks that the regions are made of.
    flushes: u64,
    /// The times that regions were lost.
    lost: u32,
    settings: Settings,
    notes: Option<NoteTaker>,
}

/// The choices about what is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The instructions that the interpreter carries out in the time in which a step is compiled: a region is made once it has taken as
    /// long as that takes.
    pub cost: u32,
    /// The instructions of a block that the interpreter carries out from one question for a region to the next, as a power of two.
    pub period: u32,
    /// The instructions that the interpreter carries out where no region is for the state until one more is made for it.
    pub missed: u32,
    /// The most blocks of a region.
    pub most_blocks: usize,
    /// The lowered steps that are worth a call of bodies: where there are fewer, handlers that call each other are faster.
    pub lowered_a_call: usize,
}

impl Default for Settings {
    /// As is worth the time.
    fn default() -> Self {
        Self { cost: COST, period: PERIOD, missed: MISSED, most_blocks: 40, lowered_a_call: 4 }
    }
}

impl Settings {
    /// Everything is compiled once it has run, in small regions: for comparing.
    pub const ALL: Self = Self { cost: 0, period: 0, missed: 100, most_blocks: 3, lowered_a_call: 0 };
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("regions", &self.regions.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl Compiled {
    /// A tier that compiles as `settings` say.
    pub fn new(settings: Settings) -> Self {
        Self {
            translator: None,
            regions: Vec::new(),
            entries: Vec::new(),
            bytes: 0,
            flushes: 0,
            lost: 0,
            settings,
            notes: None,
        }
    }

    /// One whose regions tell `notes` what they have carried out.
    pub fn noting(settings: Settings, notes: NoteTaker) -> Self {
        Self { notes: Some(notes), ..Self::new(settings) }
    }
}

impl Compiled {
    /// Makes a region of the blocks `ids`; `None` if there is nothing to gain.
    fn make<I: Hooks<P>, P>(
        &mut self,
        cpu: &I,
        memory: &Memory,
        blocks: &Blocks<I, P>,
        ids: Vec<usize>,
    ) -> Option<Made> {
        let fields = I::FIELDS?;
        if cpu.guards_data() || self.bytes > MOST_BYTES {
            return None;
        }
        let mut lowered = region::lower(cpu, memory, blocks, ids, self.settings)?;
        let operations = self.notes.as_ref().map(|notes| notes.prepare(&mut lowered, blocks)).unwrap_or_default();
        let Lowered { ids, standings } = lowered;
        let Standings { members, blocks: places, states, numbers } = standings;
        let sound = check::fields_lie_inside(&fields, size_of::<I>())
            && members.iter().all(|member| check::is_sound(member, &fields));
        if !sound {
            return None;
        }
        let anew = cpu.fetches_anew().map(|(slot, _)| slot);
        let region = shared::Region { fields, ram_base: memory.ram.base().get(), anew, members, blocks: places };
        let translation = shared::find_or_make(region, |region| self.translate(region))?;
        let Translation { region: shared::Region { blocks: places, .. }, ways, code, noted, .. } = &*translation;
        self.bytes += code.bytes();
        let region = self.regions.len();
        let mut entries = Vec::new();
        for (group, number) in ways.entries_of(places).into_iter().zip(0..) {
            let id = ids[group[0]];
            let Some(Beside { other, others, renewals }) = self.beside(blocks, &ids, !states.is_empty(), id) else {
                continue;
            };
            let cycles = group.iter().map(|member| ways.cycles[*member]).max().unwrap_or(u32::MAX);
            entries.push((id, self.entries.len() as u32));
            self.entries.push(Entry { region, number, cycles, other, others, missed: 0, unknown: 0, renewals });
        }
        let members = ways.order.iter().map(|member| ids[*member]).collect();
        let marks = vec![0; noted.len()].into();
        let operation = |(place, number): (usize, &usize)| Some((place, operations.get(*number)?.clone()));
        let noted = noted.iter().enumerate().filter_map(operation).collect();
        let interface = memory.flash.interface();
        let states = States {
            states: states.into(),
            numbers: numbers.into(),
            numbering: interface.numbering(),
            timing: interface.timing(),
        };
        self.regions.push(Region { translation: Arc::clone(&translation), members: ids.into(), states, marks, noted });
        Some(Made { members, entries })
    }

    /// The entries that one of a region of the blocks `ids` at the block `id` stands beside; `None` if it is not to be entered there. It
    /// takes the place of one whose blocks it has, unless both are for states of their own, and of one that is to be made anew.
    fn beside<I: InstructionSet, P>(
        &self,
        blocks: &Blocks<I, P>,
        ids: &[usize],
        for_states: bool,
        id: usize,
    ) -> Option<Beside> {
        let (Heat::Entry(place) | Heat::Again(place)) = blocks.get(id).heat else { return Some(Beside::default()) };
        let Some(entry) = self.entries.get(place as usize) else { return Some(Beside::default()) };
        if !for_states {
            let takes_over = self.regions[entry.region].members.iter().all(|member| ids.contains(member));
            return takes_over.then(Beside::default);
        }
        let Entry { other, others, renewals, .. } = *entry;
        if entry.is_to_be_renewed(self.settings) {
            Some(Beside { other, others, renewals: renewals + 1 })
        } else {
            (others < MOST_OTHERS).then_some(Beside { other: Some(place), others: others + 1, renewals: 0 })
        }
    }

    fn translate(&mut self, region: shared::Region) -> Option<Translation> {
        let translator = match &mut self.translator {
            Some(translator) => translator,
            none => none.insert(Translator::new().ok()?),
        };
        let ways = Ways::between(&region.members);
        let Translated { code, stalls, noted } = translator.translate(&region, &ways)?;
        Some(Translation { region, ways, code: Code::place(&code).ok()?, stalls, noted })
    }
}

/// Checks that this host can run compiled code.
///
/// # Errors
/// The reason if it cannot: there is no compiler for it, or it gives no executable memory.
pub fn check_host() -> Result<(), String> {
    if !cfg!(target_arch = "x86_64") {
        return Err("code is compiled for x86-64 only".into());
    }
    // A return, which nobody calls.
    Code::place(&[0xC3]).map_err(|error| format!("the host gives no executable memory: {error}"))?;
    Translator::new().map(|_| ())
}

impl<I: Hooks<P>, P> Tier<I, P> for Compiled {
    fn period(&self) -> u32 {
        self.settings.period
    }

    fn compile(&mut self, cpu: &I, memory: &Memory, blocks: &Blocks<I, P>, head: usize) -> Decision {
        if self.flushes != blocks.flushes() {
            self.lost += u32::from(!self.regions.is_empty());
            self.regions.clear();
            self.entries.clear();
            (self.bytes, self.flushes) = (0, blocks.flushes());
        }
        let ids = region::gather(blocks, head, self.settings);
        // Where fetches are looked up, compiled code gains half as much on the interpreter.
        let waits = u32::from(memory.flash.interface().timing().wait_states > 0);
        let cost = self.settings.cost.saturating_mul(1 << (waits + self.lost.min(MOST_DOUBLINGS)));
        // Where none is for the state, the interpreter has taken as long by now.
        let again = matches!(blocks.get(head).heat, Heat::Again(_));
        if !again && !region::is_worth_it(blocks, &ids, cost) {
            return Decision::Later;
        }
        match self.make(cpu, memory, blocks, ids) {
            Some(made) => Decision::Made(made),
            // Soon flash is in a state that is known.
            None if memory.flash.interface().standing().is_none() => Decision::Later,
            None => Decision::Never,
        }
    }

    fn run(&mut self, entry: u32, cpu: &mut I, bus: &mut Bus<P>, blocks: &Blocks<I, P>) -> Ran<I::Exit> {
        let mut next = Some(entry);
        while let Some(entry) = next {
            let Entry { region, number, cycles, other, .. } = self.entries[entry as usize];
            let progress = cpu.progress();
            if progress.now + u64::from(cycles) > progress.horizon {
                return Ran::Late;
            }
            next = other;
            let Region { translation, members, states, marks, noted } = &mut self.regions[region];
            if !states.agree_with(bus.memory.flash.interface_mut()) {
                continue;
            }
            let States { states, numbers, .. } = &*states;
            let parts = Parts { members, states, numbers, stalls: &translation.stalls };
            let (place, exit) = translation.code.enter(number, cpu, bus, blocks, parts, marks);
            if let Some(notes) = &self.notes {
                notes.take(noted, marks);
            }
            let left = |member: usize, exit| Left { last: members[member], exit, again: false };
            return Ran::Left(match place {
                Place::Nowhere => continue,
                Place::Before { member } | Place::Behind { member } => left(member, I::NEXT),
                Place::Left { member } => left(member, exit.unwrap_or(I::NEXT)),
                Place::At { member, step } => left(member, cpu.execute_from(bus, blocks.get(members[member]), step)),
                Place::Unknown { member, step } => {
                    let block = blocks.get(members[member]);
                    let entry = &mut self.entries[entry as usize];
                    entry.unknown = entry.unknown.saturating_add(block.count + ENTERED);
                    let again = entry.is_to_be_renewed(self.settings);
                    Left { last: members[member], exit: cpu.execute_from(bus, block, step), again }
                }
            });
        }
        Ran::Elsewhere
    }

    fn missed(&mut self, entry: u32, instructions: u32) -> bool {
        let Some(entry) = self.entries.get_mut(entry as usize) else { return false };
        entry.missed = entry.missed.saturating_add(instructions);
        let is_due = entry.others < MOST_OTHERS && entry.missed > self.settings.missed;
        if is_due {
            entry.missed = 0;
        }
        is_due
    }

    fn copy(&self) -> Box<dyn Tier<I, P>> {
        let (regions, entries, notes) = (self.regions.clone(), self.entries.clone(), self.notes.clone());
        Box::new(Self { translator: None, regions, entries, notes, ..*self })
    }
}
