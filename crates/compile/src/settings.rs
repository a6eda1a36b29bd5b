//! The choices about what is compiled, and when it is worth its time.

/// The instructions that the interpreter carries out before it is worth the time to compile a step quickly. They take two to three times
/// as long as that: many a region is left soon, and earns little.
const COST: u32 = 30_000;

/// The instructions that a region which was compiled quickly carries out for each of its steps before it is worth the time to compile it
/// well.
const PATIENCE: u32 = 100_000;

/// The instructions of a block that the interpreter carries out from one question for a region to the next, as a power of two.
const PERIOD: u32 = 18;

/// The instructions that the interpreter carries out where no region is for the state until one more is made for it.
const MISSED: u32 = 1 << 19;

/// The most instructions that may be lost where regions are entered.
const MOST_LOSS: i64 = 200_000;

/// The factor of the cost where compiling has not paid: a guest that is seldom in states that were met before does not earn it.
const DEARER: u32 = 8;

/// Compiling has paid where it has won one part of so many of what it took.
const LEAST_WON: u64 = 8;

/// The instructions that compiling may take before it is asked whether it has paid.
const TRIED: u64 = 3_000_000;

/// The factor of the cost where compiling has taken `spent` and won `won` instructions of the interpreter up to now.
pub fn dearer(spent: u64, won: i64) -> u32 {
    let earns = spent < TRIED || u64::try_from(won).is_ok_and(|won| won >= spent / LEAST_WON);
    if earns { 1 } else { DEARER }
}

/// The choices about what is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The instructions that the interpreter carries out in the time in which a step is compiled quickly: a region is made once it has
    /// taken as long as that takes.
    pub cost: u32,
    /// The instructions that a region which was compiled quickly carries out for each of its steps until it is compiled well.
    pub patience: u32,
    /// The instructions of a block that the interpreter carries out from one question for a region to the next, as a power of two.
    pub period: u32,
    /// The instructions that the interpreter carries out where no region is for the state until one more is made for it.
    pub missed: u32,
    /// The most instructions that the interpreter may carry out in the time that is lost by entering regions at a block.
    pub most_loss: i64,
    /// The most blocks of a region.
    pub most_blocks: usize,
    /// The lowered steps that are worth a call of bodies: where there are fewer, handlers that call each other are faster.
    pub lowered_a_call: usize,
}

impl Default for Settings {
    /// As is worth the time.
    fn default() -> Self {
        Self {
            cost: COST,
            patience: PATIENCE,
            period: PERIOD,
            missed: MISSED,
            most_loss: MOST_LOSS,
            most_blocks: 40,
            lowered_a_call: 4,
        }
    }
}

impl Settings {
    /// Everything is compiled once it has run, in small regions, and well once these have run a few times: for comparing.
    pub const ALL: Self =
        Self { cost: 0, patience: 3, period: 0, missed: 100, most_loss: i64::MAX, most_blocks: 3, lowered_a_call: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiling_is_dearer_where_it_was_tried_and_won_little() {
        assert_eq!(dearer(TRIED - 1, -1_000_000), 1, "regions have not had the time to win anything");
        assert_eq!(dearer(TRIED, -1), DEARER);
        assert_eq!(dearer(2 * TRIED, (2 * TRIED / LEAST_WON) as i64 - 1), DEARER);
        assert_eq!(dearer(2 * TRIED, (2 * TRIED / LEAST_WON) as i64), 1, "it has won its share");
    }
}
