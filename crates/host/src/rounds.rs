//! Orders contenders in rounds: each runs once in a round, in a new random order.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Returns the order of `contenders` in each of `rounds`. The same seed gives the same orders.
///
/// Drift during the measurement, such as a warming processor or a neighbour's load, then affects all contenders alike
/// and not the last ones. No contender always follows the same one.
pub fn orders(seed: u64, contenders: usize, rounds: usize) -> Vec<Vec<usize>> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut round = || {
        let mut order: Vec<usize> = (0..contenders).collect();
        order.shuffle(&mut random);
        order
    };
    (0..rounds).map(|_| round()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_has_all_and_seeds_decide() {
        let all = orders(1, 5, 40);
        for order in &all {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert!((0..5).all(|who| all.iter().any(|order| order[0] == who)), "each is first now and then");
        assert_eq!(all, orders(1, 5, 40));
        assert_ne!(all, orders(2, 5, 40));
    }
}
