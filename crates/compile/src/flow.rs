//! The ways between the blocks of a region, and the places at which it looks at the horizon.

use cyclescope_engine::{After, Fields, Micro};

use crate::member::{FlashUse, Member, Step};

/// The most cycles that a region runs between two looks at the horizon, but for those of a single block.
const MOST_CYCLES: u32 = 64;

/// The ways between the blocks of a region.
///
/// The horizon is looked at where control goes back in a loop, and behind a block which may have brought it nearer. Between
/// two looks the region runs whole, so each look asks for the most cycles up to the next one.
#[derive(Debug)]
pub struct Ways {
    /// The blocks that are reached, each behind those that lead to it without a look, the first one first.
    pub order: Vec<usize>,
    /// The blocks that the region is entered at: the first one, those that begin a loop, and those behind an access to a register.
    pub entries: Vec<usize>,
    /// For each block the most cycles from its beginning to the next look.
    pub cycles: Vec<u32>,
    /// The ways on which there is a look.
    looks: Vec<(usize, usize)>,
}

impl Ways {
    /// Those between `members` of an instruction set with these `fields`.
    pub fn between(members: &[Member], fields: &Fields) -> Self {
        let mut ways = Self { order: Vec::new(), entries: vec![0], cycles: vec![0; members.len()], looks: Vec::new() };
        let onward: Vec<Vec<usize>> = members.iter().map(followers).collect();
        let mut states = vec![State::New; members.len()];
        let mut path = vec![(0, 0)];
        states[0] = State::Open;
        while let Some((member, next)) = path.last_mut() {
            let from = *member;
            match onward[from].get(*next) {
                Some(&to) => {
                    *next += 1;
                    match states[to] {
                        State::New => {
                            states[to] = State::Open;
                            path.push((to, 0));
                        }
                        State::Open => {
                            ways.looks.push((from, to));
                            if !ways.entries.contains(&to) {
                                ways.entries.push(to);
                            }
                        }
                        State::Done => {}
                    }
                }
                None => {
                    states[from] = State::Done;
                    ways.finish(&members[from], from, &onward[from], fields);
                    path.pop();
                }
            }
        }
        ways.order.reverse();
        // Most writes of registers have everything looked at again, and then control goes on behind them.
        let behind = ways.order.iter().flat_map(|member| {
            let steps = members[*member].steps.iter().filter(|step| step.falls_back && is_known(step));
            steps.flat_map(|step| step.exits.iter().filter_map(|exit| exit.to))
        });
        for member in behind {
            if !ways.entries.contains(&member) {
                ways.entries.push(member);
            }
        }
        ways
    }

    /// All that stands behind the block `from` is done.
    fn finish(&mut self, member: &Member, from: usize, onward: &[usize], fields: &Fields) {
        self.order.push(from);
        let Member { worst_cycles, steps, completed, .. } = member;
        let by_bodies = steps.iter().any(|step| step.after == After::Body || step.falls_back);
        let moves_horizon = completed.iter().any(|operation| is_horizon(operation, fields));
        let mut most = *worst_cycles;
        for to in onward {
            let cycles = worst_cycles.saturating_add(self.cycles[*to]);
            if by_bodies || moves_horizon || cycles > MOST_CYCLES {
                self.looks.push((from, *to));
            } else if !self.looks_between(from, *to) {
                most = most.max(cycles);
            }
        }
        self.cycles[from] = most;
    }

    /// The numbers of the entries, those of one block together: `blocks` has the block of each member.
    pub fn entries_of(&self, blocks: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (entry, member) in self.entries.iter().enumerate() {
            match groups.iter_mut().find(|group| blocks[self.entries[group[0]]] == blocks[*member]) {
                Some(group) => group.push(entry),
                None => groups.push(vec![entry]),
            }
        }
        groups
    }

    /// Tells whether the horizon is looked at on the way from the block `from` to the block `to`.
    pub fn looks_between(&self, from: usize, to: usize) -> bool {
        self.looks.contains(&(from, to))
    }
}

/// The progress of the walk over a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Tells whether `operation` writes the horizon.
fn is_horizon(operation: &Micro, fields: &Fields) -> bool {
    let Micro::Set(slot, _) = operation else { return false };
    fields.slots.get(usize::from(*slot)).is_some_and(|slot| slot.offset == fields.horizon)
}

/// Tells whether control comes behind `step`.
fn is_known(step: &Step) -> bool {
    !matches!(step.flash, FlashUse::Unknown | FlashUse::Never)
}

/// The members that `member` leads to, each once.
fn followers(member: &Member) -> Vec<usize> {
    // A guard may skip the step that ends the block.
    let goes_on = match &member.steps[..] {
        [.., Step { after: After::Guard(..), .. }, _] => true,
        [.., last] => !matches!(last.after, After::Ends(_) | After::Stops | After::EndsIf(..) | After::EndsAt(_)),
        [] => true,
    };
    // Straight on first.
    let exits =
        member.steps.iter().filter(|step| is_known(step)).flat_map(|step| match (step.after, &step.exits[..]) {
            (After::EndsIf(..), [taken, straight]) => vec![straight, taken],
            (_, exits) => exits.iter().collect(),
        });
    let mut found: Vec<usize> = Vec::new();
    for to in goes_on.then_some(&member.straight).into_iter().chain(exits).filter_map(|exit| exit.to) {
        if !found.contains(&to) {
            found.push(to);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use cyclescope_engine::{Slot, Value};

    use super::*;
    use crate::member::Exit;
    use crate::standing;

    const FIELDS: Fields = Fields {
        now: 0,
        instructions: 8,
        horizon: 16,
        pc: 24,
        slots: &[Slot::new(28, 4), Slot::new(16, 8)],
        tables: &[],
    };

    fn step(after: After) -> Step {
        Step {
            operations: Vec::new(),
            after,
            cycles: 0,
            count: 0,
            ways: Vec::new(),
            exits: Vec::new(),
            standing: None,
            flash: FlashUse::None,
            falls_back: false,
            noted: None,
        }
    }

    fn between(members: impl IntoIterator<Item = Member>) -> Ways {
        Ways::between(&standing::link(members.into_iter().collect()).members, &FIELDS)
    }

    /// A block of 10 cycles from `pc` to `next_pc`, whose steps go on as `after`.
    fn member(pc: u32, next_pc: u32, after: impl IntoIterator<Item = After>) -> Member {
        let steps = after.into_iter().map(step).collect();
        Member {
            pc,
            next_pc,
            cycles: 10,
            worst_cycles: 10,
            count: 1,
            steps,
            completed: Vec::new(),
            start: None,
            straight: Exit::default(),
        }
    }

    #[test]
    fn a_look_asks_for_the_longest_way_to_the_next_one() {
        let truth = cyclescope_engine::Value(0);
        let ways = between([
            member(0, 2, [After::Next]),
            member(2, 4, [After::EndsIf(truth, 8, 0)]),
            member(4, 8, [After::Next]),
            member(8, 10, [After::EndsIf(truth, 2, 0)]),
            member(10, 12, [After::Ends(20)]),
        ]);
        assert_eq!(ways.order, [0, 1, 2, 3, 4]);
        assert_eq!(ways.entries, [0, 1], "the loop begins at 2");
        assert_eq!(ways.cycles, [50, 40, 30, 20, 10]);
        assert!(ways.looks_between(3, 1), "back to the loop");
        assert!(!ways.looks_between(1, 3) && !ways.looks_between(0, 1), "onward");
    }

    #[test]
    fn bodies_and_long_ways_have_a_look_behind_them() {
        let ways = between([member(0, 2, [After::Body]), member(2, 4, [After::Next]), member(4, 6, [])]);
        assert!(ways.looks_between(0, 1), "a body may bring the horizon nearer");
        assert_eq!(ways.cycles, [10, 20, 10]);
        assert_eq!(ways.entries, [0]);
        let chain = (0..40).map(|number| member(2 * number, 2 * number + 2, [After::Next]));
        let ways = between(chain);
        assert!(ways.cycles.iter().all(|cycles| *cycles <= MOST_CYCLES));
        assert!((0..39).any(|from| ways.looks_between(from, from + 1)));
    }

    #[test]
    fn blocks_that_bring_the_horizon_nearer_where_they_complete_have_a_look_behind_them() {
        let with = |slot| {
            let completed = vec![Micro::Constant(0, 8), Micro::Set(slot, Value(0))];
            between([Member { completed, ..member(0, 2, [After::Next]) }, member(2, 4, [])])
        };
        assert!(with(1).looks_between(0, 1));
        assert!(!with(0).looks_between(0, 1), "another slot");
    }

    #[test]
    fn only_blocks_that_are_reached_stand_in_the_order() {
        let blocks = [member(0, 2, [After::Ends(4)]), member(2, 4, []), member(4, 6, [])];
        assert_eq!(between(blocks).order, [0, 2]);
        let truth = cyclescope_engine::Value(0);
        let guarded = [member(0, 2, [After::Guard(truth, 1), After::Ends(4)]), member(2, 4, []), member(4, 6, [])];
        assert_eq!(between(guarded).order.len(), 3, "where the guard skips the branch, control goes straight on");
        let alone = [member(0, 2, [After::Ends(0)])];
        assert!(between(alone).looks_between(0, 0), "a block may follow itself");
    }
}
