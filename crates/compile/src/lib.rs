//! A second tier for the cores of cyclescope: regions of blocks that have often run, compiled for the host by Cranelift.
//!
//! Nothing is decoded or timed here. A region takes its steps, static cycles, places and exits from the engine's blocks; the
//! instruction set says by [`lower`](cyclescope_engine::InstructionSet::lower) what a step does, and its body is called for what
//! that does not say. A region is left where the interpreter would look at something: at the horizon, at first accesses to anything but
//! main RAM, behind a body that leaves its block. The interpreter goes on from there, in the middle of a block if need be, so results and
//! cycles are the same.
//!
//! A region's code holds no address of the host; all machines of a process that come to the same region share it.

mod check;
mod counts;
mod flow;
mod member;
mod native;
mod notes;
mod region;
mod settings;
mod shared;
mod standing;
mod translate;

use std::fmt;
use std::sync::Arc;

use cyclescope_engine::{
    Blocks, Decision, ENTERED, Heat, Hooks, InstructionSet, Left, Made, Marks, Ran, RestOfBlock, SeenAt, Then, Tier,
};
use cyclescope_machine::{BlockCatalog, Bus, FlashInterface, FlashStanding, FlashTiming, Memory};

use flow::Ways;
use member::Start;
use native::{Code, Entrance, Found, Parts, Place, Written};
pub use notes::{NoteTaker, Notes};
use region::Lowered;
pub use settings::Settings;
use settings::dearer;
use shared::Translation;
use standing::Standings;
use translate::{Translated, Translator};

/// The most ways in at a block.
const MOST_DOORS: usize = 4;

/// The instructions that the interpreter carries out in the time in which none is found to be entered.
const MISS: i64 = 30;

/// The most times that a region is made anew because it gave up where it was not known to.
const MOST_REMADE: u32 = 3;

/// The most bytes of compiled code.
const MOST_BYTES: usize = 64 << 20;

/// The most times that the cost is doubled for a guest that rewrites itself.
const MOST_DOUBLINGS: u32 = 12;

/// The effort with which a region is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// Quickly: without optimisation, each block by itself.
    Quick,
    /// With Cranelift's optimisations, and values that stay in registers from one block to the next. It takes two to three times as long.
    Full,
}

/// Compiled code, and the blocks in it by their ids.
#[derive(Clone, Debug)]
struct Region {
    translation: Arc<Translation>,
    members: Arc<[usize]>,
    /// The numbers of these in an observer's catalog.
    numbers: Arc<[u32]>,
    states: States,
    /// For each noted step whether it was carried out.
    marks: Box<[u32]>,
    /// The numbers that it counts for an observer, and whether it has run since these were taken.
    counts: Box<[u64]>,
    has_counted: bool,
    /// The places among these of noted steps, with their operations.
    noted: Arc<[(usize, String)]>,
    /// The instructions after which it is worth the time to compile it well; `None` if that is done, or was tried.
    until_full: Option<u64>,
}

impl Region {
    fn effort(&self) -> Effort {
        self.translation.region.effort
    }

    /// Its blocks, each once, `head` first.
    fn blocks_from(&self, head: usize) -> Vec<usize> {
        let mut ids = vec![head];
        for id in self.members.iter() {
            if !ids.contains(id) {
                ids.push(*id);
            }
        }
        ids
    }

    /// Tells whether `door` leads into it from the state that everything is in.
    fn is_for<I: InstructionSet>(&self, door: &Door, cpu: &I, memory: &Memory) -> bool {
        let Self { translation, members, states: States { states, numbers, numbering, .. }, .. } = self;
        let Translation { region: shared::Region { sets, members: lowered, .. }, tables, counts, known_marks, .. } =
            &**translation;
        let parts = Parts { members, lowered, states, numbers, sets, tables, counts, known_marks };
        let is_numbered = states.is_empty() || *numbering == memory.flash.interface().numbering();
        is_numbered && door.group.iter().any(|entry| translation.entrance(*entry, cpu, memory, parts).is_some())
    }
}

/// Takes `instructions` that a region has carried out from those `left`. Tells whether it is to be compiled well.
fn passes(left: &mut Option<u64>, instructions: u64) -> bool {
    let Some(left) = left else { return false };
    *left = left.saturating_sub(instructions);
    *left == 0
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
        // The states of a region have the same contents of a large cache: none of them comes while these are others.
        let may_come = self.states.first().is_some_and(|standing| interface.has_contents_of(standing));
        if self.timing != interface.timing() || !may_come {
            return false;
        }
        // It may change while numbers are given, and then they are asked for again.
        self.numbering = interface.numbering();
        self.numbers = self.states.iter().map(|standing| interface.number_of(standing)).collect();
        true
    }
}

/// A region that is asked for.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// The instructions that the interpreter has carried out for want of it; `None` if it takes the place of one that has run long.
    spent: Option<u64>,
    effort: Effort,
    /// The door at its head whose place it takes.
    old: Option<usize>,
    /// The region whose place it takes at all entries that it has.
    outdated: Option<usize>,
}

/// A block at which regions are entered.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// The ways in, each for states of its own.
    doors: Vec<Door>,
    /// The instructions that the interpreter has carried out because none was for the state.
    missed: u32,
    /// The number of these at which another one is asked for.
    ask_at: u32,
    /// The instructions that the interpreter would have carried out in the time that was won: half of those carried out compiled, less
    /// those that it takes to enter and leave.
    profit: i64,
}

/// A way into a region.
#[derive(Clone, Debug)]
struct Door {
    region: usize,
    /// The numbers of the region's entries there, which are for different states.
    group: Arc<[usize]>,
    /// The most cycles up to the first look at the horizon.
    cycles: u32,
    /// The instructions that the interpreter has carried out because the region did not know what flash would do.
    unknown: u32,
    /// The number of these at which another one is asked for in its place.
    ask_at: u32,
    /// The region has given up at a step that was not known to.
    has_learned: bool,
    /// The times that a region was made anew here because of that.
    remade: u32,
}

impl Door {
    /// Tells whether another region is to be asked for, which knows more.
    fn is_due(&self) -> bool {
        self.unknown > self.ask_at
    }

    /// Tells whether a region that goes on where this one gives up is to be tried before none is.
    fn may_be_remade(&self) -> bool {
        self.has_learned && self.remade < MOST_REMADE
    }
}

impl Translation {
    /// The way into the region at the entry `entry`, if it is for the state that everything is in.
    fn entrance<I: InstructionSet>(
        &self,
        entry: usize,
        cpu: &I,
        memory: &Memory,
        parts: Parts<'_>,
    ) -> Option<Entrance> {
        let member = &self.region.members[self.ways.entries[entry]];
        let Some(Start { standing, anew }) = member.start else {
            return Some(Entrance { entry, found: Found::default() });
        };
        if cpu.fetches_anew().is_some_and(|(_, now)| now != anew) {
            return None;
        }
        Some(Entrance { entry, found: parts.find(memory, standing, cpu.progress().now)? })
    }
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
    /// The instructions that the interpreter would have carried out in the time that compiling took.
    spent: u64,
    /// Those that it would have carried out in the time that regions have won by running.
    won: i64,
    settings: Settings,
    notes: Option<NoteTaker>,
    /// The instructions at which regions have given up: there their bodies are called, and the region goes on.
    gave_up: SeenAt,
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
            spent: 0,
            won: 0,
            settings,
            notes: None,
            gave_up: SeenAt::default(),
        }
    }

    /// One whose regions tell `notes` what they have carried out.
    pub fn noting(settings: Settings, notes: NoteTaker) -> Self {
        Self { notes: Some(notes), ..Self::new(settings) }
    }
}

impl Compiled {
    /// Makes a region of the blocks `ids` as it was `asked` for, if that is worth its time.
    fn decide<I: Hooks<P>, P>(
        &mut self,
        cpu: &I,
        memory: &Memory,
        blocks: &Blocks<I, P>,
        ids: Vec<usize>,
        asked: Asked,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Decision {
        let dearer = dearer(self.spent, self.won) << self.lost.min(MOST_DOUBLINGS);
        let cost = self.settings.cost.saturating_mul(dearer);
        let is_worth = |steps: usize| asked.spent.is_none_or(|spent| spent >= steps as u64 * u64::from(cost));
        if cpu.guards_data() || self.bytes > MOST_BYTES {
            return Decision::Never;
        }
        if !is_worth(ids.iter().map(|id| blocks.get(*id).steps.len()).sum()) {
            return Decision::Later;
        }
        let Some(lowered) = region::lower(cpu, memory, blocks, ids, self.settings, &self.gave_up, observer) else {
            // Soon flash is in a state that is known.
            let is_unknown = memory.flash.interface().standing().is_none();
            return if is_unknown { Decision::Later } else { Decision::Never };
        };
        if !is_worth(lowered.steps()) {
            return Decision::Later;
        }
        self.make(memory, blocks, lowered, asked).map_or(Decision::Never, Decision::Made)
    }

    /// Makes a region of what was lowered, as it was `asked` for; `None` if that is not sound, or if no code can be made of it.
    fn make<I: Hooks<P>, P>(
        &mut self,
        memory: &Memory,
        blocks: &Blocks<I, P>,
        mut lowered: Lowered,
        asked: Asked,
    ) -> Option<Made> {
        let fields = I::FIELDS?;
        let operations = self.notes.as_ref().map(|notes| notes.prepare(&mut lowered, blocks)).unwrap_or_default();
        let Lowered { ids, standings, is_counted } = lowered;
        let sets_are_sound = check::are_sound(&standings);
        let Standings { members, blocks: places, states, numbers, sets } = standings;
        let sound = sets_are_sound
            && check::fields_lie_inside(&fields, size_of::<I>())
            && members.iter().all(|member| check::is_sound(member, &fields));
        if !sound {
            return None;
        }
        let ram_base = memory.ram.base().get();
        let Asked { effort, old, outdated, .. } = asked;
        let steps: usize = members.iter().map(|member| member.steps.len()).sum();
        let region = shared::Region { fields, ram_base, members, blocks: places, sets, is_counted, effort };
        let mut is_new = false;
        let translation = shared::find_or_make(region, |region| {
            is_new = true;
            self.translate(region)
        })?;
        if is_new {
            self.spent += steps as u64 * u64::from(self.settings.cost) / if effort == Effort::Quick { 2 } else { 1 };
        }
        let Translation { region: shared::Region { blocks: places, .. }, ways, noted, .. } = &*translation;
        self.bytes += translation.bytes();
        let region = self.regions.len();
        let mut entries = Vec::new();
        for group in ways.entries_of(places) {
            let id = ids[ways.entries[group[0]]];
            let cycles = group.iter().map(|entry| ways.cycles[ways.entries[*entry]]).max().unwrap_or(u32::MAX);
            let ask_at = self.settings.missed;
            let group = group.into();
            let door = Door { region, group, cycles, unknown: 0, ask_at, has_learned: false, remade: 0 };
            // The head comes first.
            let old = old.filter(|_| id == ids[0]).or_else(|| self.door_to(blocks, id, outdated?));
            entries.extend(self.add(blocks, &ids, !states.is_empty(), id, old, effort, door).map(|entry| (id, entry)));
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
        let counts = vec![0; translation.counts.len()].into();
        let numbers_of = ids.iter().map(|id| blocks.get(*id).number).collect();
        let (translation, members_of) = (Arc::clone(&translation), ids.into());
        self.regions.push(Region {
            translation,
            members: members_of,
            numbers: numbers_of,
            states,
            marks,
            counts,
            has_counted: false,
            noted,
            until_full: (effort == Effort::Quick).then(|| steps as u64 * u64::from(self.settings.patience)),
        });
        Some(Made { members, entries })
    }

    /// Adds `door` to those at the block `id`, a way into a region of the blocks `ids`: in the place of the door `old`, or unless it is
    /// `for_states`, of all if it has their blocks. Returns the number of their entry; `None` if there is no room.
    #[allow(clippy::too_many_arguments)]
    fn add<I: InstructionSet, P>(
        &mut self,
        blocks: &Blocks<I, P>,
        ids: &[usize],
        for_states: bool,
        id: usize,
        old: Option<usize>,
        effort: Effort,
        mut door: Door,
    ) -> Option<u32> {
        let place = self.entry_of(blocks, id).unwrap_or_else(|| {
            self.entries.push(Entry { ask_at: self.settings.missed, ..Entry::default() });
            self.entries.len() - 1
        });
        let Entry { doors, missed, profit, .. } = &mut self.entries[place];
        let is_no_better =
            |other: &Door| effort == Effort::Full || self.regions[other.region].effort() == Effort::Quick;
        let has_all = |other: &Door| self.regions[other.region].members.iter().all(|member| ids.contains(member));
        if let Some(old) = old.and_then(|old| doors.get_mut(old)) {
            (door.ask_at, door.remade) = (old.ask_at, old.remade);
            *old = door;
        } else if for_states && doors.len() < MOST_DOORS || doors.is_empty() {
            doors.push(door);
        } else if !for_states && doors.iter().all(|door| has_all(door) && is_no_better(door)) {
            door.remade = doors.iter().map(|other| other.remade).max().unwrap_or(0);
            *doors = vec![door];
        } else {
            return None;
        }
        (*missed, *profit) = (0, 0);
        u32::try_from(place).ok()
    }

    /// The number of the entry at the block `id`, if there is one.
    fn entry_of<I: InstructionSet, P>(&self, blocks: &Blocks<I, P>, id: usize) -> Option<usize> {
        match blocks.get(id).heat {
            Heat::Entry(place) | Heat::Again(place) => Some(place as usize).filter(|place| *place < self.entries.len()),
            Heat::Runs(_) | Heat::Due(_) | Heat::Never => None,
        }
    }

    /// The door at the block `id` that leads into the region `region`.
    fn door_to<I: InstructionSet, P>(&self, blocks: &Blocks<I, P>, id: usize, region: usize) -> Option<usize> {
        self.entries[self.entry_of(blocks, id)?].doors.iter().position(|door| door.region == region)
    }

    /// The region that is asked for at `entry`, for the state that everything is in; `None` if it is asked for another one. Another one
    /// is not asked for before the interpreter has carried out twice as many instructions for want of it.
    fn asked<I: InstructionSet>(&mut self, entry: u32, cpu: &I, memory: &Memory) -> Option<Asked> {
        let entry = self.entries.get_mut(entry as usize)?;
        let regions = &self.regions;
        let is_ripe = |door: &Door| {
            let region = &regions[door.region];
            region.until_full == Some(0) && region.is_for(door, cpu, memory)
        };
        if let Some(door) = entry.doors.iter().position(is_ripe) {
            let outdated = Some(entry.doors[door].region);
            return Some(Asked { spent: None, effort: Effort::Full, old: Some(door), outdated });
        }
        let is_lost = entry.profit < -self.settings.most_loss;
        if let Some(number) = entry.doors.iter().position(Door::may_be_remade).filter(|_| is_lost) {
            let door = &mut entry.doors[number];
            (door.has_learned, door.remade) = (false, door.remade + 1);
            let effort = regions[door.region].effort();
            return Some(Asked { spent: None, effort, old: Some(number), outdated: None });
        }
        let (spent, effort, old, ask_at) = match entry.doors.iter().position(Door::is_due) {
            Some(door) => {
                let Door { region, unknown, ask_at, .. } = &mut entry.doors[door];
                (*unknown, regions[*region].effort(), Some(door), ask_at)
            }
            None if entry.missed > entry.ask_at => (entry.missed, Effort::Quick, None, &mut entry.ask_at),
            None => return None,
        };
        *ask_at = ask_at.saturating_mul(2);
        Some(Asked { spent: Some(spent.into()), effort, old, outdated: None })
    }

    fn translate(&mut self, region: shared::Region) -> Option<Translation> {
        let translator = match &mut self.translator {
            Some(translator) => translator,
            none => none.insert(Translator::new().ok()?),
        };
        let ways = Ways::between(&region.members, &region.fields);
        let Translated { code, tables, noted, counts, known_marks } = translator.translate(&region, &ways)?;
        Some(Translation { region, ways, code: Code::place(&code).ok()?, tables, noted, counts, known_marks })
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

    fn compile(
        &mut self,
        cpu: &I,
        memory: &Memory,
        blocks: &Blocks<I, P>,
        head: usize,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Decision {
        if self.flushes != blocks.flushes() {
            self.lost += u32::from(!self.regions.is_empty());
            self.regions.clear();
            self.entries.clear();
            (self.bytes, self.flushes) = (0, blocks.flushes());
        }
        let (asked, ids) = match blocks.get(head).heat {
            Heat::Again(entry) => {
                let Some(asked) = self.asked(entry, cpu, memory) else { return Decision::Later };
                let ids = match asked.outdated {
                    Some(region) => self.regions[region].blocks_from(head),
                    None => region::gather(blocks, head, self.settings),
                };
                (asked, ids)
            }
            _ => {
                let ids = region::gather(blocks, head, self.settings);
                let spent = Some(region::spent(blocks, &ids));
                (Asked { spent, effort: Effort::Quick, old: None, outdated: None }, ids)
            }
        };
        let decision = self.decide(cpu, memory, blocks, ids, asked, observer);
        if let Some(region) = asked.outdated {
            let later = matches!(decision, Decision::Later).then(|| u64::from(self.settings.patience));
            self.regions[region].until_full = later;
        }
        decision
    }

    fn run(
        &mut self,
        entry: u32,
        cpu: &mut I,
        bus: &mut Bus<P>,
        blocks: &Blocks<I, P>,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Ran<I::Exit> {
        let Some(Entry { doors, profit, .. }) = self.entries.get_mut(entry as usize) else { return Ran::Elsewhere };
        let mut is_late = false;
        for door in doors {
            let Door { region, group, cycles, .. } = &*door;
            let progress = cpu.progress();
            if progress.now + u64::from(*cycles) > progress.horizon {
                is_late = true;
                continue;
            }
            let region = &mut self.regions[*region];
            let Region { translation, members, states, marks, counts, has_counted, noted, until_full, .. } = region;
            if !states.agree_with(bus.memory.flash.interface_mut()) {
                continue;
            }
            let States { states, numbers, .. } = &*states;
            let Translation {
                region: shared::Region { sets, members: lowered, .. }, code, tables, known_marks, ..
            } = &**translation;
            let parts =
                Parts { members, lowered, states, numbers, sets, tables, counts: &translation.counts, known_marks };
            let entrance = |entry: &usize| translation.entrance(*entry, cpu, &bus.memory, parts);
            let Some(entrance) = group.iter().find_map(entrance) else { continue };
            let before = cpu.progress().instructions;
            *has_counted |= observer.is_some();
            let member = translation.ways.entries[entrance.entry];
            let written = Written { marks, counts };
            let left = code.enter(entrance, member, cpu, bus, blocks, parts, written, observer);
            let (place, began) = (left.place, left.began);
            let carried_out = cpu.progress().instructions - before;
            let won = (carried_out / 2) as i64 - i64::from(ENTERED);
            *profit += won;
            self.won += won;
            if let Some(notes) = &self.notes {
                notes.take(noted, marks, translation.region.is_counted, carried_out);
            }
            if let Place::At { member, step } = place
                && lowered[member].steps[step].may_fall_back()
            {
                let pc = blocks.get(members[member]).places[step].pc;
                door.has_learned |= !self.gave_up.has(pc);
                self.gave_up.note(pc);
            }
            let mut then = match *profit < -self.settings.most_loss {
                true if door.may_be_remade() => Then::Again,
                true => Then::Never,
                false if passes(until_full, carried_out) => Then::Again,
                false => Then::Stays,
            };
            let (member, rest) = match place {
                Place::Before { member } | Place::Behind { member } | Place::Left { member } => (member, None),
                Place::At { member, step } | Place::Moved { member, step } => {
                    (member, Some(RestOfBlock { from: step, began }))
                }
                Place::Unknown { member, step } => {
                    let block = blocks.get(members[member]);
                    door.unknown = door.unknown.saturating_add(block.count + ENTERED);
                    if door.is_due() && then == Then::Stays {
                        then = Then::Again;
                    }
                    (member, Some(RestOfBlock { from: step, began }))
                }
            };
            return Ran::Left(Left { last: members[member], exit: left.exit.unwrap_or(I::NEXT), rest, then });
        }
        if is_late { Ran::Late } else { Ran::Elsewhere }
    }

    fn count(&mut self, marks: &mut Marks, observer: &mut dyn BlockCatalog) {
        for region in &mut self.regions {
            if std::mem::take(&mut region.has_counted) {
                counts::take(&region.translation.counts, &mut region.counts, &region.numbers, marks, observer);
            }
        }
    }

    fn missed(&mut self, entry: u32, instructions: u32) -> Then {
        let Some(entry) = self.entries.get_mut(entry as usize) else { return Then::Never };
        entry.missed = entry.missed.saturating_add(instructions);
        entry.profit -= MISS;
        if entry.doors.len() < MOST_DOORS && entry.missed > entry.ask_at {
            Then::Again
        } else if entry.profit < -self.settings.most_loss {
            Then::Never
        } else {
            Then::Stays
        }
    }

    fn copy(&self) -> Box<dyn Tier<I, P>> {
        let (regions, entries, notes) = (self.regions.clone(), self.entries.clone(), self.notes.clone());
        Box::new(Self { translator: None, regions, entries, notes, gave_up: self.gave_up.clone(), ..*self })
    }
}
