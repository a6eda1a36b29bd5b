//! The points of a plan: all that varies, in a fixed order.

use crate::plan::at_most;
use crate::{Plan, SweepError};

/// The most points of a sweep.
const MOST_POINTS: u64 = 10_000_000_000;

/// The most images, chips, memory settings and clocks together.
const MOST_GROUPS: u64 = 100_000;

/// The lengths of a plan's axes. The order of points is images, chips, memory settings, clocks, layouts, arrivals, seeds: the last
/// changes with each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Images, each with each of its chips.
    pub targets: u64,
    /// Memory settings.
    pub memories: u64,
    /// Clocks, at least 1.
    pub clocks: u64,
    /// Layouts, the image's own among them.
    pub layouts: u64,
    /// Arrivals, at least 1.
    pub arrivals: u64,
    /// Seeds, at least 1.
    pub seeds: u64,
}

/// The places of a point on each axis, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The image with its chip.
    pub target: u64,
    /// The memory setting.
    pub memory: u64,
    /// The clock.
    pub clock: u64,
    /// The layout; 0 is the image's own.
    pub layout: u64,
    /// The arrival.
    pub arrival: u64,
    /// The seed.
    pub seed: u64,
}

impl Axes {
    /// Returns the axes of `plan`.
    ///
    /// # Errors
    /// [`SweepError::TooMany`].
    pub fn of(plan: &Plan) -> Result<Self, SweepError> {
        let targets = plan.image.iter().map(|image| plan.chips(image).len() as u64).sum();
        let axes = Self {
            targets,
            memories: plan.memory.len() as u64,
            clocks: plan.clock.count().max(1),
            layouts: at_most("layouts", plan.layouts.checked_add(1), MOST_POINTS)?,
            arrivals: plan.arrivals.count().max(1),
            seeds: plan.seeds.count().max(1),
        };
        let product = |all: &[u64]| all.iter().try_fold(1_u64, |product, length| product.checked_mul(*length));
        let groups = product(&[axes.targets, axes.memories, axes.clocks]);
        let groups = at_most("images, chips, memory settings and clocks together", groups, MOST_GROUPS)?;
        at_most("points", product(&[groups, axes.layouts, axes.arrivals, axes.seeds]), MOST_POINTS)?;
        Ok(axes)
    }

    /// Returns the number of points with the same image, chip, memory setting and clock, which follow one another.
    pub const fn in_group(&self) -> u64 {
        self.layouts * self.arrivals * self.seeds
    }

    /// Returns the number of groups of such points.
    pub const fn groups(&self) -> u64 {
        self.targets * self.memories * self.clocks
    }

    /// Returns the number of points.
    pub const fn points(&self) -> u64 {
        self.groups() * self.in_group()
    }

    /// Returns the point of that number.
    pub const fn point(&self, number: u64) -> Point {
        let (rest, seed) = (number / self.seeds, number % self.seeds);
        let (rest, arrival) = (rest / self.arrivals, rest % self.arrivals);
        let (rest, layout) = (rest / self.layouts, rest % self.layouts);
        let (rest, clock) = (rest / self.clocks, rest % self.clocks);
        Point { target: rest / self.memories, memory: rest % self.memories, clock, layout, arrival, seed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_has_a_number_and_the_last_axis_changes_first() {
        let axes = Axes { targets: 2, memories: 3, clocks: 1, layouts: 4, arrivals: 2, seeds: 5 };
        let mut number = 0;
        for target in 0..2 {
            for memory in 0..3 {
                for layout in 0..4 {
                    for arrival in 0..2 {
                        for seed in 0..5 {
                            let point = Point { target, memory, clock: 0, layout, arrival, seed };
                            assert_eq!(axes.point(number), point);
                            number += 1;
                        }
                    }
                }
            }
        }
        assert_eq!((axes.points(), axes.groups(), axes.in_group()), (number, 6, 40));
    }
}
