//! Loops that are skipped: the interface's state at the head of a loop, and the same so many turns later.

use super::FlashInterface;
use super::flow::{NEVER, REMEMBERED, place};
use super::lines::{Lines, NONE};

/// The cycles in the state.
const TIMES: usize = REMEMBERED + 5;

/// The state at one cycle: its own cycles, and all else that answers depend on.
#[derive(Clone, Debug)]
pub struct Phase {
    at: u64,
    /// So many cycles later nothing comes of a cycle that stays as it is.
    over: u64,
    times: [u64; TIMES],
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    current: u32,
    held: u32,
    gaps: [u8; REMEMBERED],
    waiting: u32,
    before: u32,
    prefetched: u32,
    stalled: u32,
    lines: [([u32; 2], u64, Vec<u8>); 2],
}

/// Two are equal if they differ only in cycles that are over when outcomes are recalled.
impl PartialEq for Phase {
    fn eq(&self, other: &Self) -> bool {
        let is_over = |time: u64| time.saturating_add(self.over / 2) <= self.at;
        let same = |(one, other): (&u64, &u64)| one == other || is_over(*one) && is_over(*other);
        (self.at, self.over, &self.shape) == (other.at, other.over, &other.shape)
            && self.times.iter().zip(&other.times).all(same)
    }
}

impl Phase {
    /// Tells whether the state is that of `earlier`, later by the cycles between: what happens then is the same again.
    pub fn repeats(&self, earlier: &Self) -> bool {
        let since = self.at - earlier.at;
        let same = |(was, is): (&u64, &u64)| {
            let stays = is == was && (*is == NEVER || is.saturating_add(self.over) <= earlier.at);
            stays || *is != NEVER && *is == was.saturating_add(since)
        };
        self.shape == earlier.shape && earlier.times.iter().zip(&self.times).all(same)
    }
}

impl FlashInterface {
    /// The state at the cycle `at`, between two instructions. What counts no more is alike.
    pub fn phase(&mut self, at: u64) -> Phase {
        self.write_out();
        let flow = self.flow;
        let (waits, ahead) = (flow.waiting > 0, flow.prefetched != NONE);
        let counted = |counts: bool, cycle: u64| if counts { cycle } else { NEVER };
        let (mut ready, mut gaps) = ([NEVER; REMEMBERED], [0; REMEMBERED]);
        for behind in 0..(flow.before + 1).max(flow.waiting) {
            let place = place(flow.current.wrapping_sub(behind));
            ready[place] = flow.ready[place];
            if behind < flow.waiting {
                gaps[place] = flow.gaps[place];
            }
        }
        let [first, second, third, fourth] = ready;
        let held_at = counted(waits, flow.held_at);
        let prefetched_at = counted(ahead, flow.prefetched_at);
        let lines = |lines: &Lines| (lines.recent, lines.contents, lines.by_use());
        Phase {
            at,
            // Twice what is over when outcomes are recalled.
            over: 2 * (self.wait_states + 2 * u64::from(Self::AHEAD)),
            times: [
                first,
                second,
                third,
                fourth,
                held_at,
                flow.ahead_from,
                prefetched_at,
                flow.busy_until,
                self.delivered,
            ],
            shape: Shape {
                current: flow.current,
                held: if waits { flow.held } else { NONE },
                gaps,
                waiting: flow.waiting,
                before: flow.before,
                prefetched: flow.prefetched,
                stalled: self.stalled,
                lines: [lines(&self.instructions), lines(&self.data)],
            },
        }
    }

    /// Goes on from `phase`, the present state, which repeats `earlier`, to where it will be in `cycles`: a multiple of the
    /// cycles between the two.
    pub fn repeat(&mut self, earlier: &Phase, phase: &Phase, cycles: u64) {
        self.write_out();
        let [first, second, third, fourth] = &mut self.flow.ready;
        let times = [
            first,
            second,
            third,
            fourth,
            &mut self.flow.held_at,
            &mut self.flow.ahead_from,
            &mut self.flow.prefetched_at,
            &mut self.flow.busy_until,
            &mut self.delivered,
        ];
        for ((was, is), time) in earlier.times.iter().zip(&phase.times).zip(times) {
            if is != was {
                *time += cycles;
            }
        }
    }
}
