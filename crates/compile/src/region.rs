//! The blocks of a region, and their lowering.

use cyclescope_engine::{After, Block, Blocks, Heat, Hooks, Lowering, Micro, SeenAt};
use cyclescope_machine::{BlockCatalog, Memory};

use crate::Settings;
use crate::member::{Exit, FlashUse, Member, Step, Way};
use crate::standing::{self, Beginning, Most, Standings};

/// The most steps of a region.
const MOST_STEPS: usize = 480;

/// A block that has run less than this share of what begins a region is left out: to compile it takes longer than it does.
const COLD: u32 = 32;

/// The members and steps of a region for each block and step that it may have: a block may be there for several states.
const STATES: usize = 3;

/// A region of blocks.
pub struct Lowered {
    /// The id of the block of each member, the first one's first.
    pub ids: Vec<usize>,
    /// The members, and the states in which flash may be.
    pub standings: Standings,
    /// Its runs are counted for an observer.
    pub is_counted: bool,
}

impl Lowered {
    /// The number of its steps.
    pub fn steps(&self) -> usize {
        self.standings.members.iter().map(|member| member.steps.len()).sum()
    }
}

/// The blocks of the region that begins with the block `head`: it, and what was seen to follow, as `settings` say.
pub fn gather<I: Hooks<P>, P>(blocks: &Blocks<I, P>, head: usize, settings: Settings) -> Vec<usize> {
    let first = blocks.get(head);
    let (mut ids, mut steps, mut next) = (vec![head], first.steps.len(), 0);
    while let Some(id) = ids.get(next).copied() {
        for follower in blocks.get(id).followers() {
            let block = blocks.get(follower);
            let fits = ids.len() < settings.most_blocks && steps + block.steps.len() <= MOST_STEPS;
            let is_cold = interpreted(block).is_some_and(|runs| runs < interpreted(first).unwrap_or(0) / COLD);
            if fits && block.key == first.key && !is_cold && !ids.contains(&follower) {
                steps += block.steps.len();
                ids.push(follower);
            }
        }
        next += 1;
    }
    ids
}

/// The instructions of the blocks `ids` that the interpreter has carried out.
pub fn spent<I: Hooks<P>, P>(blocks: &Blocks<I, P>, ids: &[usize]) -> u64 {
    ids.iter().filter_map(|id| interpreted(blocks.get(*id))).map(u64::from).sum()
}

/// The instructions of `block` that the interpreter has carried out, if it still does.
fn interpreted<I: Hooks<P>, P>(block: &Block<I, P>) -> Option<u32> {
    match block.heat {
        Heat::Runs(runs) | Heat::Due(runs) => Some(runs),
        Heat::Entry(_) | Heat::Again(_) | Heat::Never => None,
    }
}

/// Lowers the region of the blocks `ids`, where instructions that `gave_up` before go on by their bodies. `None` if too little of it can be lowered.
pub fn lower<I: Hooks<P>, P>(
    cpu: &I,
    memory: &Memory,
    blocks: &Blocks<I, P>,
    ids: Vec<usize>,
    settings: Settings,
    gave_up: &SeenAt,
    observer: Option<&mut dyn BlockCatalog>,
) -> Option<Lowered> {
    let mut lowering = Lowering::default();
    let members: Vec<Member> = ids.iter().map(|id| member(cpu, memory, blocks, *id, gave_up, &mut lowering)).collect();
    let all = || members.iter().map(|member| &member.steps);
    let is_mark = |step: &Step| matches!(step.operations[..], [Micro::Mark(_)]);
    let lowered = all().flatten().filter(|step| step.after != After::Body && !is_mark(step)).count();
    let calls: usize = all()
        .map(|steps| {
            steps
                .chunk_by(|a, b| (a.after == After::Body) == (b.after == After::Body))
                .filter(|steps| steps[0].after == After::Body)
                .count()
        })
        .sum();
    if lowered < settings.lowered_a_call * calls || lowered == 0 {
        return None;
    }
    let mut standings = if standing::asks_flash(&members) {
        let beginning = Beginning { now: cpu.progress().now, anew: cpu.fetches_anew()? };
        let most = Most { members: STATES * settings.most_blocks, steps: STATES * MOST_STEPS };
        standing::follow(&members, memory.flash.interface(), beginning, most)?
    } else {
        standing::link(members)
    };
    let ids: Vec<usize> = standings.blocks.iter().map(|block| ids[*block]).collect();
    let is_counted = observer.is_some();
    if let Some(observer) = observer {
        tell_between(&mut standings.members, &ids, blocks, observer);
    }
    Some(Lowered { ids, standings, is_counted })
}

/// Marks the ways between `members`, made of the blocks `ids`, on which `observer` is to be told of all runs.
fn tell_between<I: Hooks<P>, P>(
    members: &mut [Member],
    ids: &[usize],
    blocks: &Blocks<I, P>,
    observer: &mut dyn BlockCatalog,
) {
    let number = |member: usize| blocks.get(ids[member]).number;
    for (from, member) in members.iter_mut().enumerate() {
        let mut tell = |exit: &mut Exit, instructions| {
            exit.is_told = exit.to.is_some_and(|to| !observer.joins(number(from), instructions, number(to)));
        };
        let Member { steps, straight, count, .. } = member;
        tell(straight, *count);
        for step in steps {
            let retired = if let After::LeavesIf(..) = step.after { step.count } else { *count };
            step.exits.iter_mut().for_each(|exit| tell(exit, retired));
        }
    }
}

fn member<I: Hooks<P>, P>(
    cpu: &I,
    memory: &Memory,
    blocks: &Blocks<I, P>,
    id: usize,
    gave_up: &SeenAt,
    lowering: &mut Lowering,
) -> Member {
    let block = blocks.get(id);
    let steps = block.steps.iter().zip(&block.places).map(|(step, place)| {
        lowering.clear();
        let mut after = cpu.lower(memory, &step.i, place, lowering);
        let gives_up = lowering.operations().iter().any(|it| matches!(it, Micro::Ram { .. } | Micro::Unless(_)));
        let is_known_to = I::goes_on(&step.i) || cpu.reaches_beyond_ram(place.pc) || gave_up.has(place.pc);
        let mut falls_back = gives_up && is_known_to;
        if falls_back && let After::EndsAt(_) = after {
            // Its body finds out where it goes.
            (after, falls_back) = (After::Body, false);
        }
        falls_back &= after == After::Next;
        let operations = if after == After::Body { Vec::new() } else { lowering.operations().to_vec() };
        let mut ways = Vec::new();
        for follower in block.followers() {
            let pc = blocks.get(follower).pc;
            lowering.clear();
            match (after, cpu.computed(memory, pc, lowering)) {
                (After::EndsAt(_), Some(cycles)) => {
                    ways.push(Way { pc, cycles, operations: lowering.operations().to_vec() });
                }
                // An access to a register ends the block behind it.
                (After::Next, _) if falls_back && pc == place.next_pc => {
                    ways.push(Way { pc, cycles: 0, operations: Vec::new() });
                }
                // It may leave the block, with all that belongs to that.
                (After::Body, cycles) => {
                    ways.push(Way { pc, cycles: cycles.unwrap_or(0), operations: Vec::new() });
                }
                _ => {}
            }
        }
        Step {
            operations,
            after,
            cycles: place.before + place.cycles,
            count: place.index + 1,
            ways,
            exits: Vec::new(),
            standing: None,
            flash: FlashUse::None,
            falls_back,
            noted: None,
        }
    });
    let steps = steps.collect();
    lowering.clear();
    cpu.lower_completed(&block.detail, lowering);
    Member {
        pc: block.pc,
        next_pc: block.next_pc,
        cycles: block.cycles,
        worst_cycles: block.worst_cycles,
        count: block.count,
        steps,
        completed: lowering.operations().to_vec(),
        start: None,
        straight: Exit::default(),
    }
}
