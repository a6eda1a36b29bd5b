//! Ranges that may overlap, and a fast search for the first one around a place.

use std::collections::BTreeSet;
use std::ops::Range;

/// Ranges in an order that decides which of several holds a place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cover {
    /// Places in ascending order, and the first range that holds all places from there to the next.
    from: Vec<(u64, Option<usize>)>,
}

impl Cover {
    /// Takes ranges in their order. Empty ones hold nothing.
    pub(crate) fn new(ranges: impl Iterator<Item = Range<u64>>) -> Self {
        let mut edges: Vec<(u64, usize, bool)> = Vec::new();
        for (index, range) in ranges.enumerate().filter(|(_, range)| !range.is_empty()) {
            edges.extend([(range.start, index, true), (range.end, index, false)]);
        }
        edges.sort_unstable();
        let mut open = BTreeSet::new();
        let mut from: Vec<(u64, Option<usize>)> = Vec::new();
        for (at, index, begins) in edges {
            if begins {
                open.insert(index);
            } else {
                open.remove(&index);
            }
            from.pop_if(|(last, _)| *last == at);
            from.push((at, open.first().copied()));
        }
        Self { from }
    }

    /// Returns the number of the first range that holds `place`.
    pub(crate) fn first(&self, place: u64) -> Option<usize> {
        let after = self.from.partition_point(|(from, _)| *from <= place);
        self.from.get(after.checked_sub(1)?)?.1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_of_the_ranges_is_found(ranges in prop::collection::vec((0u64..40, 0u64..12), 0..12)) {
            let ranges: Vec<Range<u64>> = ranges.into_iter().map(|(start, length)| start..start + length).collect();
            let cover = Cover::new(ranges.iter().cloned());
            for place in 0..60 {
                prop_assert_eq!(cover.first(place), ranges.iter().position(|range| range.contains(&place)));
            }
        }
    }
}
