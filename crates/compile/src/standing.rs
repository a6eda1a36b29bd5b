//! Members for the states in which flash is when they begin.
//!
//! The stall of a run of fetches, and the state after it, follow from the state before it and the cycles between. So where a region
//! is entered in a state that it was made for, all states in it follow: each block of it becomes as many members as there are states
//! in which control comes to it, and none of them asks flash for anything. Flash takes up the state where the region is left.

use cyclescope_engine::{After, Micro, Value};
use cyclescope_machine::{FlashInterface, FlashStanding, Foreseen};
use rustc_hash::FxHashMap;

use crate::member::{Exit, FlashUse, Known, Member, NOT_KNOWN, Standing, Start, Step, Variant, Way};

/// The most members that are made of one block, and those from which on one more is for all their states together.
const MOST_OF_ONE: usize = 8;
const MOST_APART: usize = 5;

/// The cycles beyond the least for which outcomes are looked for, where the time since the last fetches is not known.
const WINDOW: i64 = 128;

/// The most states of a set.
const MOST_STATES: usize = 24;

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
    /// The sets of states.
    pub sets: Vec<Vec<Variant>>,
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
    let exit = |pc: u32| Exit { to: at.get(&pc).copied(), ..Exit::default() };
    let blocks = (0..members.len()).collect();
    let link = |mut member: Member| {
        member.straight = exit(member.next_pc);
        for step in &mut member.steps {
            step.exits = match step.after {
                After::LeavesIf(_, pc, _) | After::Ends(pc) => vec![exit(pc)],
                After::EndsIf(_, pc, _) => vec![exit(pc), exit(member.next_pc)],
                After::EndsAt(_) | After::Body | After::Next => step.ways.iter().map(|way| exit(way.pc)).collect(),
                After::Stops => vec![Exit::default()],
                After::Guard(..) => Vec::new(),
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
    // Time passes and flash is asked in steps' own operations, but not in those of guards.
    let is_quiet = |operation: &Micro| !matches!(operation, Micro::Pass(_) | Micro::Fetches(..) | Micro::ReadFlash(..));
    let sets_slot = |operation: &Micro| matches!(operation, Micro::Set(set, _) if *set == slot);
    let is_understood = |step: &Step| {
        let guard = !matches!(step.after, After::Guard(..)) || step.operations.iter().all(is_quiet);
        guard && step.ways.iter().all(|way| way.operations.iter().all(is_quiet))
    };
    let completes =
        |block: &Member| block.completed.iter().all(|operation| is_quiet(operation) && !sets_slot(operation));
    if !blocks.iter().all(|block| completes(block) && block.steps.iter().all(is_understood)) {
        return None;
    }
    let mut following =
        Following { interface, blocks, slot, most, steps: 0, starts: Vec::new(), made: Standings::default() };
    let state = following.state(number, standing)?;
    let behind = beginning.now.wrapping_sub(since) as i64;
    let standing = following.standing(vec![Variant { state, behind }])?;
    following.add(0, Start { standing, anew }, behind);
    while let Some((start, least)) = following.starts.get(following.made.members.len()).copied() {
        let member = following.make(following.made.blocks[following.made.members.len()], start, least);
        following.made.members.push(member);
    }
    Some(following.made)
}

/// The state of flash at a place in a block, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    standing: Standing,
    anew: Option<bool>,
    /// The offset, or at least so many cycles where it is not known.
    least: i64,
}

/// A value, as far as it is known before the region runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Constant(u64),
    /// The truth that fetching begins anew.
    Anew,
    /// A stall that is known only where it comes, with the offset of the states after it.
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
    /// The state that each member is for, and the least offset where that is not known.
    starts: Vec<(Start, i64)>,
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

    /// The standing of what is one of `variants`; `None` if there are too many sets.
    fn standing(&mut self, mut variants: Vec<Variant>) -> Option<Standing> {
        variants.sort_unstable();
        variants.dedup();
        let offset = variants.first()?.behind;
        for variant in &mut variants {
            variant.behind -= offset;
        }
        let known = self.made.sets.iter().position(|set| *set == variants);
        let set = known.unwrap_or_else(|| {
            self.made.sets.push(variants);
            self.made.sets.len() - 1
        });
        let set = u16::try_from(set).ok().filter(|set| *set < u16::MAX)?;
        Some(Standing { set, offset: Some(offset) })
    }

    /// The states of `standing`, with their cycles as they are.
    fn variants(&self, standing: Standing) -> impl Iterator<Item = Variant> {
        let offset = standing.offset.unwrap_or(0);
        let set = &self.made.sets[usize::from(standing.set)];
        set.iter().map(move |variant| Variant { behind: variant.behind.wrapping_add(offset), ..*variant })
    }

    /// Adds a member made of `block` for `start`, which is made later.
    fn add(&mut self, block: usize, start: Start, least: i64) -> usize {
        self.steps += self.blocks[block].steps.len();
        self.starts.push((start, least));
        self.made.blocks.push(block);
        self.starts.len() - 1
    }

    /// The member made of `block` for states of which `standing` is a part, with its numbers there; one that may be made later. `None`
    /// if there is no room for it.
    fn member(&mut self, block: usize, at: At) -> Option<(usize, Vec<u16>)> {
        let At { standing, anew, least } = at;
        let anew = anew?;
        let all = self.made.blocks.iter().zip(&self.starts).zip(0..);
        let of_one: Vec<(usize, Standing)> = all
            .filter(|((other, (start, _)), _)| **other == block && start.anew == anew)
            .filter(|((_, (start, _)), _)| start.standing.offset.is_some() == standing.offset.is_some())
            .map(|((_, (start, _)), member)| (member, start.standing))
            .collect();
        let may_come = |member: usize| standing.offset.is_some() || self.starts[member].1 <= least;
        let mut fitting = of_one.iter().filter(|(member, _)| may_come(*member));
        if let Some((member, _)) = fitting.clone().find(|(_, other)| *other == standing) {
            return Some((*member, Vec::new()));
        }
        let found = fitting.find_map(|(member, other)| Some((*member, self.renumbered(standing, *other)?)));
        if found.is_some() {
            return found;
        }
        let all = self.made.blocks.iter().filter(|other| **other == block).count();
        let steps = self.steps + self.blocks[block].steps.len();
        if self.starts.len() >= self.most.members || steps > self.most.steps || all >= MOST_OF_ONE {
            return None;
        }
        if all >= MOST_APART && standing.offset.is_some() {
            let others = of_one.iter().flat_map(|(_, other)| self.variants(*other));
            let union: Vec<Variant> = others.chain(self.variants(standing)).collect();
            let together = self.standing(union)?;
            if self.variants(together).count() <= MOST_STATES {
                let least = together.offset.unwrap_or(least);
                let member = self.add(block, Start { standing: together, anew }, least);
                return Some((member, self.renumbered(standing, together)?));
            }
        }
        Some((self.add(block, Start { standing, anew }, least), Vec::new()))
    }

    /// The numbers that the states of `standing` have among those of `other`, if they are all there.
    fn renumbered(&self, standing: Standing, other: Standing) -> Option<Vec<u16>> {
        let number = |variant| Some(self.variants(other).position(|other| other == variant)? as u16);
        self.variants(standing).map(number).collect()
    }

    /// The way out to `pc`, where the state is `at`.
    fn exit(&mut self, pc: u32, at: At) -> Exit {
        let block = self.blocks.iter().position(|block| block.pc == pc);
        let there = block.and_then(|block| self.member(block, at));
        let (to, renumbered) = there.map_or((None, Vec::new()), |(member, numbers)| (Some(member), numbers));
        Exit { to, standing: Some(at.standing), renumbered, is_told: false }
    }

    fn make(&mut self, block: usize, start: Start, least: i64) -> Member {
        let mut member = self.blocks[block].clone();
        member.start = Some(start);
        let mut steps = std::mem::take(&mut member.steps);
        let mut at = Some(At { standing: start.standing, anew: Some(start.anew), least });
        // What a guard skips is followed by this.
        let mut join: Option<(usize, At)> = None;
        for number in 0..steps.len() {
            if let Some((_, skipped)) = join.take_if(|(behind, _)| *behind == number) {
                at = Some(at.map_or(skipped, |at| merge(at, skipped)));
            }
            let next = steps.get(number + 1).cloned();
            let step = &mut steps[number];
            let Some(before) = at else {
                step.flash = FlashUse::Never;
                continue;
            };
            step.standing = Some(before.standing);
            if let After::Guard(_, saved) = step.after {
                let guarded = next.map(|next| self.guarded(&next, saved, before));
                let Some(Some(behind)) = guarded else {
                    step.flash = FlashUse::Never;
                    at = None;
                    continue;
                };
                if behind.standing != before.standing {
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
        Some(if loosens { At { least: before.least - i64::from(saved), ..loose(before) } } else { before })
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
        if step.falls_back {
            // The access takes a time of its own, and leaves flash and fetching alone, or the region is left.
            let there = At { anew: before.anew.filter(|anew| !anew), ..later(loose(before), step.cycles) };
            step.exits = step.ways.iter().map(|way| self.exit(way.pc, there)).collect();
        }
        let Effect { at, flash } = match effect {
            Ok(effect) => effect,
            Err(flash) => {
                step.flash = flash;
                return None;
            }
        };
        if !matches!(flash, FlashUse::None | FlashUse::Loosens) && step.after != After::Next {
            step.flash = FlashUse::Never;
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
            After::Stops => {
                let exit = self.exit(member.next_pc, later(at, member.cycles));
                step.exits = vec![Exit { to: None, renumbered: Vec::new(), ..exit }];
            }
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

    /// Tells whether fetching begins anew behind `operations`, before which it does if `anew` says so.
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

    /// The effect of `operations`, in which what is known takes the place of what asks for it.
    ///
    /// # Errors
    /// They ask for what is not known, or for what no region could know.
    fn operations(&mut self, operations: &mut [Micro], before: At) -> Result<Effect, FlashUse> {
        let (mut at, mut flash, mut has_passed) = (before, FlashUse::None, false);
        let mut worths: Vec<Worth> = Vec::with_capacity(operations.len());
        for operation in operations {
            let of = |value: Value| worths.get(value.0 as usize).copied().unwrap_or(Worth::Unknown);
            let may_ask = flash == FlashUse::None && !has_passed;
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
                Micro::ReadFlash(..) if self.interface.has_data_cache() => Worth::Constant(0),
                Micro::Fetches(..) | Micro::ReadFlash(..) => {
                    let (run, asked, anew) = match (*operation, at.anew) {
                        (Micro::Fetches(run, anew), Some(now)) if of(anew) == Worth::Anew => (run, 0, now),
                        (Micro::ReadFlash(_, behind), _) if let Worth::Constant(behind) = of(behind) => {
                            let asked = (behind as i64).wrapping_add(FlashInterface::AHEAD.into());
                            (FlashInterface::READ, asked, false)
                        }
                        _ => return Err(FlashUse::Never),
                    };
                    if !may_ask {
                        return Err(FlashUse::Never);
                    }
                    let (worth, used) = self.ask(&mut at, run, asked, anew).ok_or(FlashUse::Unknown)?;
                    if let Worth::Constant(stall) = worth {
                        *operation = Micro::Constant(stall, 8);
                    }
                    flash = used;
                    worth
                }
                Micro::Pass(cycles) => {
                    has_passed = true;
                    match (of(cycles), &flash) {
                        (Worth::Constant(_) | Worth::Anew | Worth::Unknown, FlashUse::Sought { .. }) => {
                            return Err(FlashUse::Never);
                        }
                        (Worth::Constant(cycles), _) => at = passed(at, cycles as i64),
                        (Worth::Stall(offset), _) => {
                            at.standing.offset = Some(offset);
                            at.least = offset;
                        }
                        (Worth::Anew | Worth::Unknown, FlashUse::None | FlashUse::Loosens) => {
                            flash = FlashUse::Loosens;
                            at = loose(at);
                        }
                        (Worth::Anew | Worth::Unknown, _) => return Err(FlashUse::Never),
                    }
                    Worth::Unknown
                }
                _ => Worth::Unknown,
            };
            worths.push(worth);
        }
        Ok(Effect { at, flash })
    }

    /// Asks flash for the fetches `run` in the state `at`, or for a read, `asked` cycles after the clock's.
    fn ask(&mut self, at: &mut At, run: u32, asked: i64, anew: bool) -> Option<(Worth, FlashUse)> {
        let Standing { set, offset } = at.standing;
        let least = at.least;
        let variants: Vec<Variant> = self.made.sets[usize::from(set)].clone();
        // By the number of the state and the cycles from those that the set's count from.
        let mut found: Vec<(usize, i64, Foreseen)> = Vec::new();
        for (place, variant) in variants.iter().enumerate() {
            let number = self.made.numbers[usize::from(variant.state)];
            let asked = asked.wrapping_add(variant.behind);
            if let Some(offset) = offset {
                let foreseen = self.interface.foresee(number, offset.wrapping_add(asked), run, anew);
                found.extend(foreseen.map(|foreseen| (place, 0, foreseen)));
            } else {
                let least = least.wrapping_add(asked);
                let all = self.interface.foresee_all(number, least..least + WINDOW, run, anew).into_iter();
                found.extend(all.map(|(passed, foreseen)| (place, passed.wrapping_sub(asked), foreseen)));
            }
        }
        let (.., first) = found.first()?;
        let used = first.used;
        found.retain(|(.., foreseen)| foreseen.used == used);
        let read = run == FlashInterface::READ;
        let behind = |foreseen: &Foreseen| i64::from(foreseen.stall) - asked - i64::from(foreseen.until);
        let mut met: Vec<(u64, i64)> = Vec::new();
        let mut after = Vec::new();
        for (.., foreseen) in &found {
            let it = (foreseen.number, behind(foreseen));
            if !met.contains(&it) && met.len() < MOST_STATES {
                met.push(it);
                after.push(Variant { state: self.state(foreseen.number, foreseen.standing)?, behind: it.1 });
            }
        }
        let states = after.clone();
        let standing = self.standing(after)?;
        let known = |stall| Known { used, delivered: read.then_some(asked), stall };
        if let (Some(_), [_], [(.., foreseen)]) = (offset, &variants[..], &found[..]) {
            let stall = foreseen.stall;
            at.standing = standing;
            at.standing.offset = standing.offset.map(|offset| offset - i64::from(stall));
            at.least = at.standing.offset.unwrap_or(0);
            return Some((Worth::Constant(stall.into()), FlashUse::Known(known(Some(stall)))));
        }
        let least = found.iter().map(|(_, passed, _)| *passed).min()?;
        let most = found.iter().map(|(_, passed, _)| *passed).max()?;
        let width = usize::try_from(most - least).ok()? + 1;
        let mut outcomes = vec![NOT_KNOWN; variants.len() * width];
        for (place, passed, foreseen) in &found {
            let it = (foreseen.number, behind(foreseen));
            let variant = met.iter().zip(&states).find_map(|(met, variant)| (*met == it).then_some(*variant));
            if let Some(number) = variant.and_then(|variant| self.variants(standing).position(|other| other == variant))
            {
                let stall = u16::try_from(foreseen.stall).ok()?;
                let index = place * width + usize::try_from(passed - least).ok()?;
                outcomes[index] = (number as u32) << 16 | u32::from(stall);
            }
        }
        at.standing = Standing { offset: None, ..standing };
        let sought = FlashUse::Sought { least, outcomes, width, after: standing.set, known: known(None) };
        Some((Worth::Stall(standing.offset?), sought))
    }
}

/// `cycles` later.
fn later(at: At, cycles: u32) -> At {
    passed(at, cycles.into())
}

/// The state so many cycles later.
fn passed(mut at: At, cycles: i64) -> At {
    at.standing.offset = at.standing.offset.map(|offset| offset.wrapping_add(cycles));
    at.least = at.least.wrapping_add(cycles);
    at
}

/// The same, with the cycle from which the state is seen in a variable.
fn loose(mut at: At) -> At {
    at.standing.offset = None;
    at
}

/// The state where two ways come together: what a guard skips leaves flash alone.
fn merge(one: At, other: At) -> At {
    debug_assert_eq!(one.standing, other.standing, "what is skipped changes nothing about flash");
    At { anew: one.anew.filter(|_| one.anew == other.anew), least: one.least.min(other.least), ..one }
}

#[cfg(test)]
mod tests;
