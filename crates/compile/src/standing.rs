//! Members for the states in which flash is when they begin.
//!
//! The stall of a run of fetches, and the state after it, follow from the state before it and the cycles between. So where a region
//! is entered in a state that it was made for, all states in it follow: each block of it becomes as many members as there are states
//! in which control comes to it, and none of them asks flash for anything. Flash takes up the state where the region is left.

use cyclescope_engine::{After, Micro, Value};
use cyclescope_machine::{FlashInterface, FlashStanding, Foreseen};
use rustc_hash::FxHashMap;

use crate::member::{Exit, FlashUse, Known, Member, NO_STALL, Standing, Start, Step, Way};

/// The most members that are made of one block.
const MOST_OF_ONE: usize = 8;

/// The state in which a region begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// The clock.
    pub now: u64,
    /// The slot of the truth that fetching begins anew, and whether it does.
    pub anew: (u8, bool),
}

/// The members of a region, each for a state.
#[derive(Debug, Default)]
pub struct Standings {
    /// The members.
    pub members: Vec<Member>,
    /// The block that each is made of, by its number among those given.
    pub blocks: Vec<usize>,
    /// The states, and their numbers at the interface.
    pub states: Vec<FlashStanding>,
    /// See [`Self::states`].
    pub numbers: Vec<u64>,
}

/// The most members and steps of a region.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// The members.
    pub members: usize,
    /// Their steps.
    pub steps: usize,
}

/// Tells whether flash is asked for anything by one of `members`.
pub fn asks_flash(members: &[Member]) -> bool {
    let asks = |operation: &Micro| matches!(operation, Micro::Fetches(..) | Micro::ReadFlash(..));
    members.iter().any(|member| member.steps.iter().any(|step| step.operations.iter().any(asks)))
}

/// Links `members`, which ask flash for nothing, to each other.
pub fn link(members: Vec<Member>) -> Standings {
    let at: FxHashMap<u32, usize> = members.iter().zip(0..).map(|(member, number)| (member.pc, number)).collect();
    let exit = |pc: u32| Exit { to: at.get(&pc).copied(), standing: None };
    let blocks = (0..members.len()).collect();
    let link = |mut member: Member| {
        member.straight = exit(member.next_pc);
        for step in &mut member.steps {
            step.exits = match step.after {
                After::LeavesIf(_, pc, _) | After::Ends(pc) => vec![exit(pc)],
                After::EndsIf(_, pc, _) => vec![exit(pc), exit(member.next_pc)],
                After::EndsAt(_) | After::Body => step.ways.iter().map(|way| exit(way.pc)).collect(),
                After::Next | After::Guard(..) => Vec::new(),
            };
        }
        member
    };
    Standings { members: members.into_iter().map(link).collect(), blocks, ..Standings::default() }
}

/// The members made of `blocks` for the states that follow from that of `interface` at the beginning of the first one: `most` of them
/// at most. `None` if that state is not known.
pub fn follow(blocks: &[Member], interface: &FlashInterface, beginning: Beginning, most: Most) -> Option<Standings> {
    let (number, standing, since) = interface.standing()?;
    let (slot, anew) = beginning.anew;
    let is_simple = |operation: &Micro| match *operation {
        Micro::Set(set, _) => set != slot,
        Micro::Pass(_) | Micro::Fetches(..) | Micro::ReadFlash(..) => false,
        _ => true,
    };
    if !blocks.iter().all(|block| block.completed.iter().all(is_simple)) {
        return None;
    }
    let mut following = Following {
        interface,
        blocks,
        slot,
        most,
        steps: 0,
        found: FxHashMap::default(),
        starts: Vec::new(),
        made: Standings::default(),
    };
    let state = following.state(number, standing)?;
    let behind = beginning.now.wrapping_sub(since) as i64;
    following.member(0, Start { standing: Standing { state, behind: Some(behind) }, anew })?;
    while let Some(start) = following.starts.get(following.made.members.len()).copied() {
        let member = following.make(following.made.blocks[following.made.members.len()], start);
        following.made.members.push(member);
    }
    Some(following.made)
}

/// The state of flash at a place in a block, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    standing: Standing,
    anew: Option<bool>,
}

/// A value, as far as it is known before the region runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Constant(u64),
    /// Whether fetching begins anew.
    Anew,
    /// A stall that is known only where it comes, with the cycles behind which the clock is of the state seen after it.
    Stall(i64),
    Unknown,
}

/// The effect of operations.
struct Effect {
    at: At,
    flash: FlashUse,
}

struct Following<'a> {
    interface: &'a FlashInterface,
    blocks: &'a [Member],
    slot: u8,
    most: Most,
    steps: usize,
    /// The members, by block and state.
    found: FxHashMap<(usize, Start), usize>,
    starts: Vec<Start>,
    made: Standings,
}

impl Following<'_> {
    /// The number in the region of the state with this number at the interface; `None` if there are too many.
    fn state(&mut self, number: u64, standing: FlashStanding) -> Option<u16> {
        let known = self.made.numbers.iter().position(|known| *known == number);
        let place = known.unwrap_or_else(|| {
            self.made.numbers.push(number);
            self.made.states.push(standing);
            self.made.numbers.len() - 1
        });
        u16::try_from(place).ok().filter(|place| *place < u16::MAX)
    }

    /// The member made of `block` for the state `start`, which may be made later; `None` if there is no room for it.
    fn member(&mut self, block: usize, start: Start) -> Option<usize> {
        if let Some(member) = self.found.get(&(block, start)) {
            return Some(*member);
        }
        let of_one = self.made.blocks.iter().filter(|other| **other == block).count();
        let steps = self.steps + self.blocks[block].steps.len();
        let is_first = self.starts.is_empty();
        if !is_first && (self.starts.len() >= self.most.members || steps > self.most.steps || of_one >= MOST_OF_ONE) {
            return None;
        }
        self.steps = steps;
        self.starts.push(start);
        self.made.blocks.push(block);
        self.found.insert((block, start), self.starts.len() - 1);
        Some(self.starts.len() - 1)
    }

    /// The way out to `pc`, where the state is `at`.
    fn exit(&mut self, pc: u32, at: At) -> Exit {
        let block = self.blocks.iter().position(|block| block.pc == pc);
        let start = at.anew.map(|anew| Start { standing: at.standing, anew });
        let to = block.zip(start).and_then(|(block, start)| self.member(block, start));
        Exit { to, standing: Some(at.standing) }
    }

    fn make(&mut self, block: usize, start: Start) -> Member {
        let mut member = self.blocks[block].clone();
        member.start = Some(start);
        let mut steps = std::mem::take(&mut member.steps);
        let mut at = Some(At { standing: start.standing, anew: Some(start.anew) });
        // What a guard skips is followed by this.
        let mut join: Option<(usize, At)> = None;
        for number in 0..steps.len() {
            if let Some((_, skipped)) = join.take_if(|(behind, _)| *behind == number) {
                at = Some(at.map_or(skipped, |at| merge(at, skipped)));
            }
            let next = steps.get(number + 1).cloned();
            let step = &mut steps[number];
            let Some(before) = at else {
                step.flash = FlashUse::Unknown;
                continue;
            };
            step.standing = Some(before.standing);
            if let After::Guard(_, saved) = step.after {
                let guarded = next.map(|next| self.guarded(&next, saved, before));
                let Some(Some(behind)) = guarded else {
                    step.flash = FlashUse::Unknown;
                    at = None;
                    continue;
                };
                if behind != before {
                    step.flash = FlashUse::Loosens;
                }
                join = Some((number + 2, behind));
                at = Some(behind);
                continue;
            }
            at = self.step(&member, step, before);
        }
        if let Some((_, skipped)) = join {
            at = Some(at.map_or(skipped, |at| merge(at, skipped)));
        }
        if let Some(at) = at {
            member.straight = self.exit(member.next_pc, later(at, member.cycles));
        }
        member.steps = steps;
        member
    }

    /// The state behind a guard, before what it guards and where that is skipped, which saves cycles; `None` if what is guarded asks
    /// flash for something that changes it.
    fn guarded(&mut self, guarded: &Step, saved: u32, before: At) -> Option<At> {
        let asks = |operation: &Micro| match operation {
            Micro::Fetches(..) => true,
            Micro::ReadFlash(..) => !self.interface.has_data_cache(),
            _ => false,
        };
        if guarded.operations.iter().any(asks) {
            return None;
        }
        let passes = guarded.operations.iter().any(|operation| matches!(operation, Micro::Pass(_)));
        let loosens = saved > 0 || passes;
        Some(if loosens { loose(before) } else { before })
    }

    /// Follows the step `step` of `member`: the state behind it, if it goes on there.
    fn step(&mut self, member: &Member, step: &mut Step, before: At) -> Option<At> {
        if step.after == After::Body {
            // Flash is told of everything, and has the same state behind it or the region is left. Most that leave their blocks are
            // branches, behind which fetching begins anew.
            let exit = |way: &Way| {
                let there = later(before, member.cycles + way.cycles);
                self.exit(way.pc, At { anew: Some(true), ..there })
            };
            step.exits = step.ways.iter().map(exit).collect();
            return Some(before);
        }
        let mut operations = std::mem::take(&mut step.operations);
        let effect = self.operations(&mut operations, before);
        step.operations = operations;
        let Some(Effect { at, flash }) = effect else {
            step.flash = FlashUse::Unknown;
            return None;
        };
        if !matches!(flash, FlashUse::None | FlashUse::Loosens) && step.after != After::Next {
            step.flash = FlashUse::Unknown;
            return None;
        }
        step.flash = flash;
        let stays = if step.flash == FlashUse::Loosens { loose(before) } else { before };
        match step.after {
            After::Next | After::Body | After::Guard(..) => return Some(at),
            After::LeavesIf(_, pc, extra) => {
                step.exits = vec![self.exit(pc, later(at, step.cycles + extra))];
                return Some(stays);
            }
            After::Ends(pc) => step.exits = vec![self.exit(pc, later(at, member.cycles))],
            After::EndsIf(_, pc, extra) => {
                let taken = self.exit(pc, later(at, member.cycles + extra));
                step.exits = vec![taken, self.exit(member.next_pc, later(stays, member.cycles))];
            }
            After::EndsAt(_) => {
                let exit = |way: &Way| {
                    let there = later(at, member.cycles + way.cycles);
                    let there = At { anew: self.sets_anew(&way.operations, there.anew), ..there };
                    self.exit(way.pc, there)
                };
                step.exits = step.ways.iter().map(exit).collect();
            }
        }
        None
    }

    /// Whether fetching begins anew behind `operations`, before which it does if `anew` says so.
    fn sets_anew(&self, operations: &[Micro], anew: Option<bool>) -> Option<bool> {
        let mut sets = operations.iter().filter_map(|operation| match *operation {
            Micro::Set(slot, value) if slot == self.slot => Some(operations.get(value.0 as usize)),
            _ => None,
        });
        match sets.next_back() {
            Some(Some(Micro::Constant(truth, _))) => Some(*truth != 0),
            Some(_) => None,
            None => anew,
        }
    }

    /// The effect of `operations`, in which what is known takes the place of what asks for it; `None` if they ask for what is not
    /// known.
    fn operations(&mut self, operations: &mut [Micro], before: At) -> Option<Effect> {
        let (mut at, mut flash) = (before, FlashUse::None);
        let mut worths: Vec<Worth> = Vec::with_capacity(operations.len());
        for operation in operations {
            let of = |value: Value| worths.get(value.0 as usize).copied().unwrap_or(Worth::Unknown);
            let worth = match *operation {
                Micro::Constant(value, _) => Worth::Constant(value),
                Micro::Get(slot) if slot == self.slot => Worth::Anew,
                Micro::Set(slot, value) if slot == self.slot => {
                    at.anew = match of(value) {
                        Worth::Constant(truth) => Some(truth != 0),
                        Worth::Anew => at.anew,
                        _ => None,
                    };
                    Worth::Unknown
                }
                Micro::Fetches(run, anew) => {
                    let anew = at.anew.filter(|_| of(anew) == Worth::Anew && flash == FlashUse::None)?;
                    let (worth, used) = self.ask(&mut at, run, 0, anew)?;
                    flash = used;
                    worth
                }
                Micro::ReadFlash(..) if self.interface.has_data_cache() => Worth::Constant(0),
                Micro::ReadFlash(_, behind) => {
                    let Worth::Constant(behind) = of(behind) else { return None };
                    if flash != FlashUse::None {
                        return None;
                    }
                    let asked = (behind as i64).wrapping_add(FlashInterface::AHEAD.into());
                    let (worth, used) = self.ask(&mut at, FlashInterface::READ, asked, false)?;
                    flash = used;
                    worth
                }
                Micro::Pass(cycles) => {
                    match of(cycles) {
                        Worth::Constant(cycles) => {
                            at.standing.behind = at.standing.behind.map(|behind| behind.wrapping_add(cycles as i64));
                        }
                        Worth::Stall(behind) => at.standing.behind = Some(behind),
                        Worth::Anew | Worth::Unknown if flash == FlashUse::None => {
                            flash = FlashUse::Loosens;
                            at = loose(at);
                        }
                        Worth::Anew | Worth::Unknown => return None,
                    }
                    Worth::Unknown
                }
                _ => Worth::Unknown,
            };
            if let (Worth::Constant(stall), Micro::Fetches(..) | Micro::ReadFlash(..)) = (worth, &*operation)
                && flash != FlashUse::None
            {
                *operation = Micro::Constant(stall, 8);
            }
            worths.push(worth);
        }
        Some(Effect { at, flash })
    }

    /// Asks flash for the fetches `run` in the state `at`, or for a read, `asked` cycles after the clock's.
    fn ask(&mut self, at: &mut At, run: u32, asked: i64, anew: bool) -> Option<(Worth, FlashUse)> {
        let number = self.made.numbers[usize::from(at.standing.state)];
        let read = run == FlashInterface::READ;
        let behind = |foreseen: &Foreseen| -asked - i64::from(foreseen.until);
        let known = |foreseen: &Foreseen, stall| Known { used: foreseen.used, delivered: read.then_some(asked), stall };
        if let Some(passed) = at.standing.behind {
            let foreseen = self.interface.foresee(number, passed.wrapping_add(asked), run, anew)?;
            let state = self.state(foreseen.number, foreseen.standing)?;
            at.standing = Standing { state, behind: Some(behind(&foreseen)) };
            let known = known(&foreseen, Some(foreseen.stall));
            return Some((Worth::Constant(foreseen.stall.into()), FlashUse::Known(known)));
        }
        let all = self.interface.foresee_all(number, run, anew);
        let after =
            |foreseen: &Foreseen| (foreseen.number, behind(foreseen) + i64::from(foreseen.stall), foreseen.used);
        let count = |wanted: &Foreseen| all.iter().filter(|(_, other)| after(other) == after(wanted)).count();
        let (_, most) = all.iter().max_by_key(|(_, foreseen)| count(foreseen))?;
        let alike: Vec<_> = all.iter().filter(|(_, foreseen)| after(foreseen) == after(most)).collect();
        let (first, last) = (alike.first()?.0, alike.last()?.0);
        let mut stalls = vec![NO_STALL; usize::try_from(last - first).ok()? + 1];
        for (passed, foreseen) in &alike {
            stalls[usize::try_from(passed - first).ok()?] = u16::try_from(foreseen.stall).ok()?;
        }
        let state = self.state(most.number, most.standing)?;
        let (_, behind, _) = after(most);
        at.standing = Standing { state, behind: None };
        Some((Worth::Stall(behind), FlashUse::Sought { least: first - asked, stalls, known: known(most, None) }))
    }
}

/// `cycles` later.
fn later(mut at: At, cycles: u32) -> At {
    at.standing.behind = at.standing.behind.map(|behind| behind.wrapping_add(cycles.into()));
    at
}

/// The same, with the cycle from which the state is seen in a variable.
fn loose(mut at: At) -> At {
    at.standing.behind = None;
    at
}

/// The state where two ways come together: what a guard skips leaves flash alone.
fn merge(one: At, other: At) -> At {
    debug_assert_eq!(one.standing, other.standing, "what is skipped changes nothing about flash");
    At { anew: one.anew.filter(|_| one.anew == other.anew), ..one }
}
