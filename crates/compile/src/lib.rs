//! A second tier for the cores of cyclescope: regions of blocks that have often run, compiled for the host by Cranelift.
//!
//! Nothing is decoded or timed here. A region takes its steps, static cycles, places and exits from the engine's blocks; the
//! instruction set says by [`lower`](cyclescope_engine::InstructionSet::lower) what a step does, and its body is called for what
//! that does not say. A region is left where the interpreter would look at something: at the horizon, at an access to anything but
//! main RAM, behind a body that leaves its block. The interpreter goes on from there, in the middle of a block if need be, so results and cycles are the same.
//!
//! Regions belong to the blocks of one core and its copies. They hold no address of the host.

mod check;
mod native;
mod notes;
mod region;
mod translate;

use std::fmt;
use std::sync::Arc;

use cyclescope_engine::{Blocks, Execute as _, Hooks, Left, Tier};
use cyclescope_machine::{Bus, Memory};

use native::{Code, Place};
pub use notes::{NoteTaker, Notes};
use region::Lowered;
use translate::{Translated, Translator};

/// The instructions that a block retires before it is compiled. With five million the bundled experiments, whose programs are short,
/// took a fifth longer than interpreted.
const THRESHOLD: u32 = 50_000_000;

/// The most bytes of compiled code.
const MOST_BYTES: usize = 64 << 20;

/// The most times that the threshold is doubled for a guest that rewrites itself.
const MOST_DOUBLINGS: u32 = 12;

/// Compiled code, and the blocks in it by their ids.
#[derive(Clone, Debug)]
struct Region {
    code: Arc<Code>,
    members: Arc<[usize]>,
    /// For each run of fetches the place of its latest outcome, and for each noted step whether it was carried out.
    sites: Box<[u32]>,
    /// The places among these of noted steps, with their operations.
    noted: Arc<[(usize, String)]>,
}

/// The tier of a core.
pub struct Compiled {
    translator: Option<Translator>,
    regions: Vec<Region>,
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
    /// The instructions that a block retires before a region begins with it.
    pub threshold: u32,
    /// The most blocks of a region.
    pub most_blocks: usize,
    /// The lowered steps that are worth a call of bodies: where there are fewer, handlers that call each other are faster.
    pub lowered_a_call: usize,
}

impl Default for Settings {
    /// As is worth the time.
    fn default() -> Self {
        Self { threshold: THRESHOLD, most_blocks: 16, lowered_a_call: 4 }
    }
}

impl Settings {
    /// Everything is compiled once it has run, in small regions: for comparing.
    pub const ALL: Self = Self { threshold: 0, most_blocks: 3, lowered_a_call: 0 };
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
        Self { translator: None, regions: Vec::new(), bytes: 0, flushes: 0, lost: 0, settings, notes: None }
    }

    /// One whose regions tell `notes` what they have carried out.
    pub fn noting(settings: Settings, notes: NoteTaker) -> Self {
        Self { notes: Some(notes), ..Self::new(settings) }
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
    fn threshold(&self) -> u32 {
        self.settings.threshold.saturating_mul(1 << self.lost.min(MOST_DOUBLINGS))
    }

    fn compile(&mut self, cpu: &I, memory: &Memory, blocks: &Blocks<I, P>, head: usize) -> Option<u32> {
        if self.flushes != blocks.flushes() {
            self.lost += u32::from(!self.regions.is_empty());
            self.regions.clear();
            (self.bytes, self.flushes) = (0, blocks.flushes());
        }
        let fields = I::FIELDS?;
        if cpu.guards_data() || self.bytes > MOST_BYTES {
            return None;
        }
        let mut lowered = region::lower(cpu, memory, blocks, head, self.settings)?;
        let operations = self.notes.as_ref().map(|notes| notes.prepare(&mut lowered, blocks)).unwrap_or_default();
        let Lowered { ids, members } = lowered;
        let sound = check::fields_lie_inside(&fields, size_of::<I>())
            && members.iter().all(|member| check::accesses_lie_inside(member, &fields));
        if !sound {
            return None;
        }
        let translator = match &mut self.translator {
            Some(translator) => translator,
            none => none.insert(Translator::new().ok()?),
        };
        let Translated { code, sites, noted } = translator.translate(&members, &fields, memory.ram.base().get())?;
        let noted =
            noted.into_iter().filter_map(|(site, number)| Some((site, operations.get(number)?.clone()))).collect();
        let code = Arc::new(Code::place(&code).ok()?);
        self.bytes += code.bytes();
        self.regions.push(Region { code, members: ids.into(), sites: vec![0; sites].into(), noted });
        Some(self.regions.len() as u32 - 1)
    }

    fn run(&mut self, region: u32, cpu: &mut I, bus: &mut Bus<P>, blocks: &Blocks<I, P>) -> Left<I::Exit> {
        let Region { code, members, sites, noted } = &mut self.regions[region as usize];
        let (place, exit) = code.enter(cpu, bus, blocks, members, sites);
        if let Some(notes) = &self.notes {
            notes.take(noted, sites);
        }
        match place {
            Place::Before { member } | Place::Behind { member } => Left { last: members[member], exit: I::NEXT },
            Place::At { member, step } => {
                let last = members[member];
                Left { last, exit: cpu.execute_from(bus, blocks.get(last), step) }
            }
            Place::Left { member } => Left { last: members[member], exit: exit.unwrap_or(I::NEXT) },
        }
    }

    fn copy(&self) -> Box<dyn Tier<I, P>> {
        Box::new(Self { translator: None, regions: self.regions.clone(), notes: self.notes.clone(), ..*self })
    }
}
