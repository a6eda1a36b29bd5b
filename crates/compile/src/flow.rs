//! The ways between the blocks of a region, and the places at which it looks at the horizon.

use cyclescope_engine::After;

use crate::translate::{Member, Step};

/// The most cycles that a region runs between two looks at the horizon, but for those of a single block.
const MOST_CYCLES: u32 = 256;

/// The ways between the blocks of a region.
///
/// The horizon is looked at where control goes back in a loop, and behind a block whose bodies may have brought it nearer. Between
/// two looks the region runs whole, so each look asks for the most cycles up to the next one.
#[derive(Debug)]
pub struct Ways {
    /// The blocks that are reached, each behind those that lead to it without a look, the first one first.
    pub order: Vec<usize>,
    /// The blocks that the region is entered at: the first one and those that begin a loop.
    pub entries: Vec<usize>,
    /// For each block the most cycles from its beginning to the next look.
    pub cycles: Vec<u32>,
    /// The ways on which there is a look.
    looks: Vec<(usize, usize)>,
}

impl Ways {
    /// Those between `members`.
    pub fn between(members: &[Member]) -> Self {
        let mut ways = Self { order: Vec::new(), entries: vec![0], cycles: vec![0; members.len()], looks: Vec::new() };
        let onward: Vec<Vec<usize>> = members.iter().map(|member| followers(members, member)).collect();
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
                    ways.finish(members, from, &onward[from]);
                    path.pop();
                }
            }
        }
        ways.order.reverse();
        ways
    }

    /// All that stands behind the block `from` is done.
    fn finish(&mut self, members: &[Member], from: usize, onward: &[usize]) {
        self.order.push(from);
        let Member { worst_cycles, steps, .. } = &members[from];
        let by_bodies = steps.iter().any(|step| step.after == After::Body);
        let mut most = *worst_cycles;
        for to in onward {
            let cycles = worst_cycles.saturating_add(self.cycles[*to]);
            if by_bodies || cycles > MOST_CYCLES {
                self.looks.push((from, *to));
            } else if !self.looks_between(from, *to) {
                most = most.max(cycles);
            }
        }
        self.cycles[from] = most;
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

/// The blocks of `members` that `member` leads to, each once.
fn followers(members: &[Member], member: &Member) -> Vec<usize> {
    let mut targets = Vec::new();
    // A guard may skip the step that ends the block.
    let goes_on = match &member.steps[..] {
        [.., Step { after: After::Guard(..), .. }, _] => true,
        [.., last] => !matches!(last.after, After::Ends(_) | After::EndsAt(_)),
        [] => true,
    };
    if goes_on {
        targets.push(member.next_pc);
    }
    for step in &member.steps {
        match step.after {
            After::LeavesIf(_, pc, _) | After::Ends(pc) | After::EndsIf(_, pc, _) => targets.push(pc),
            After::EndsAt(_) => targets.extend(step.ways.iter().map(|(pc, ..)| *pc)),
            After::Next | After::Body | After::Guard(..) => {}
        }
    }
    let mut found: Vec<usize> = Vec::new();
    for pc in targets {
        if let Some(to) = members.iter().position(|member| member.pc == pc).filter(|to| !found.contains(to)) {
            found.push(to);
        }
    }
    found
}
