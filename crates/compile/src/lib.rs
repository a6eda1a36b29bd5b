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
mod native;
mod notes;
mod region;
mod shared;
mod translate;

use std::fmt;
use std::sync::Arc;

use cyclescope_engine::{Blocks, Decision, Execute as _, Heat, Hooks, InstructionSet, Left, Made, Tier};
use cyclescope_machine::{Bus, Memory};

use flow::Ways;
use native::{Code, Place};
pub use notes::{NoteTaker, Notes};
use region::Lowered;
use shared::Translation;
use translate::{Translated, Translator};

/// The instructions that the interpreter carries out before it is worth the time to compile a step, and twice as many where flash waits.
/// They take one to two and a half times as long as that.
const COST: u32 = 30_000;

/// The instructions of a block that the interpreter carries out from one question for a region to the next, as a power of two.
const PERIOD: u32 = 18;

/// The most bytes of compiled code.
const MOST_BYTES: usize = 64 << 20;

/// The most times that the cost is doubled for a guest that rewrites itself.
const MOST_DOUBLINGS: u32 = 12;

/// Compiled code, and the blocks in it by their ids.
#[derive(Clone, Debug)]
struct Region {
    translation: Arc<Translation>,
    members: Arc<[usize]>,
    /// For each run of fetches the place of its latest outcome, and for each noted step whether it was carried out.
    sites: Box<[u32]>,
    /// The places among these of noted steps, with their operations.
    noted: Arc<[(usize, String)]>,
}

/// A place at which a region is entered.
#[derive(Clone, Copy, Debug)]
struct Entry {
    region: usize,
    /// Its number among those of the region.
    number: u32,
    /// The most cycles up to the first look at the horizon.
    cycles: u32,
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
    /// The most blocks of a region.
    pub most_blocks: usize,
    /// The lowered steps that are worth a call of bodies: where there are fewer, handlers that call each other are faster.
    pub lowered_a_call: usize,
}

impl Default for Settings {
    /// As is worth the time.
    fn default() -> Self {
        Self { cost: COST, period: PERIOD, most_blocks: 40, lowered_a_call: 4 }
    }
}

impl Settings {
    /// Everything is compiled once it has run, in small regions: for comparing.
    pub const ALL: Self = Self { cost: 0, period: 0, most_blocks: 3, lowered_a_call: 0 };
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
        let Lowered { ids, members } = lowered;
        let sound = check::fields_lie_inside(&fields, size_of::<I>())
            && members.iter().all(|member| check::is_sound(member, &fields));
        if !sound {
            return None;
        }
        let caches_many = memory.flash.interface().caches_many();
        let region = shared::Region { fields, ram_base: memory.ram.base().get(), caches_many, members };
        let translation = shared::find_or_make(region, |region| self.translate(region))?;
        let Translation { ways, code, sites, noted, .. } = &*translation;
        self.bytes += code.bytes();
        let (region, first) = (self.regions.len(), self.entries.len() as u32);
        let entries = ways.entries.iter().zip(0..);
        self.entries.extend(entries.clone().map(|(member, number)| Entry {
            region,
            number,
            cycles: ways.cycles[*member],
        }));
        let entries = entries.map(|(member, number)| (ids[*member], first + number));
        let entries = entries.filter(|(id, _)| self.takes_over(blocks, &ids, *id)).collect();
        let members = ways.order.iter().map(|member| ids[*member]).collect();
        let sites = vec![0; *sites].into();
        let operation = |(site, number): &(usize, usize)| Some((*site, operations.get(*number)?.clone()));
        let noted = noted.iter().filter_map(operation).collect();
        self.regions.push(Region { translation: Arc::clone(&translation), members: ids.into(), sites, noted });
        Some(Made { members, entries })
    }

    /// Tells whether a region of the blocks `ids` is to be entered at the block `id`: unless another one is, with blocks that it has
    /// not.
    fn takes_over<I: InstructionSet, P>(&self, blocks: &Blocks<I, P>, ids: &[usize], id: usize) -> bool {
        let Heat::Entry(entry) = blocks.get(id).heat else { return true };
        let Some(entry) = self.entries.get(entry as usize) else { return true };
        self.regions[entry.region].members.iter().all(|member| ids.contains(member))
    }

    fn translate(&mut self, region: shared::Region) -> Option<Translation> {
        let translator = match &mut self.translator {
            Some(translator) => translator,
            none => none.insert(Translator::new().ok()?),
        };
        let ways = Ways::between(&region.members);
        let Translated { code, sites, noted } = translator.translate(&region, &ways)?;
        Some(Translation { region, ways, code: Code::place(&code).ok()?, sites, noted })
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
        if !region::is_worth_it(blocks, &ids, cost) {
            return Decision::Later;
        }
        self.make(cpu, memory, blocks, ids).map_or(Decision::Never, Decision::Made)
    }

    fn run(&mut self, entry: u32, cpu: &mut I, bus: &mut Bus<P>, blocks: &Blocks<I, P>) -> Option<Left<I::Exit>> {
        let Entry { region, number, cycles } = self.entries[entry as usize];
        let progress = cpu.progress();
        if progress.now + u64::from(cycles) > progress.horizon {
            return None;
        }
        let Region { translation, members, sites, noted } = &mut self.regions[region];
        let (place, exit) = translation.code.enter(number, cpu, bus, blocks, members, sites);
        if let Some(notes) = &self.notes {
            notes.take(noted, sites);
        }
        Some(match place {
            Place::Before { member } | Place::Behind { member } => Left { last: members[member], exit: I::NEXT },
            Place::At { member, step } => {
                let last = members[member];
                Left { last, exit: cpu.execute_from(bus, blocks.get(last), step) }
            }
            Place::Left { member } => Left { last: members[member], exit: exit.unwrap_or(I::NEXT) },
        })
    }

    fn copy(&self) -> Box<dyn Tier<I, P>> {
        let (regions, entries, notes) = (self.regions.clone(), self.entries.clone(), self.notes.clone());
        Box::new(Self { translator: None, regions, entries, notes, ..*self })
    }
}
