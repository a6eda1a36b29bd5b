//! Layouts: units in another order, with other gaps.

use std::ops::Range;
use std::sync::Arc;

use cyclescope_machine::Placement;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;

use crate::Units;

/// The most bytes by which all that follows moves: as if code that is not there had grown.
const MOST_SHIFT: u32 = 256;

/// The places of an image's units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// For each unit, its address.
    pub places: Vec<u32>,
}

/// A unit that is placed next, a multiple of `align` bytes away from `origin`.
#[derive(Clone, Copy, Debug)]
struct Step {
    index: usize,
    origin: u32,
    align: u32,
}

/// The reason why there is no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// The memory is too small for other gaps.
    #[error(
        "with other gaps between its functions the program takes {excess} bytes more than the memory has; a layout needs some room"
    )]
    NoRoom {
        /// The bytes that are missing.
        excess: u64,
    },
}

impl Units {
    /// Returns the layout that the image has.
    pub fn as_linked(&self) -> Layout {
        Layout { places: self.units.iter().map(|unit| unit.from).collect() }
    }

    /// Returns the layout of number `number` of those that `seed` stands for: the units of each section in a random order, behind a
    /// shift of 0 to 255 bytes. Each place is one that a linker could have chosen.
    ///
    /// # Errors
    /// [`LayoutError`] if that takes more room than there is.
    pub fn layout(&self, seed: u64, number: u64) -> Result<Layout, LayoutError> {
        let mut random = Pcg64Mcg::seed_from_u64(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let shift = random.random_range(0..MOST_SHIFT / 2) * 2;
        let mut order: Vec<usize> = (0..self.units.len()).collect();
        for section in order.chunk_by_mut(|one, other| self.units[*one].section == self.units[*other].section) {
            section.shuffle(&mut random);
        }
        let order = order.into_iter().map(|index| self.step(index));
        self.placed(order.clone(), shift).or_else(|_| self.placed(order, 0))
    }

    /// Returns the layout with the units `first`, of one section, at its beginning in this order, each as far into a stretch of
    /// `period` bytes, a power of two, as in `like`, and the others behind them in the order of the image. `None` if there are none,
    /// or if that takes more room than there is.
    pub fn pinned(&self, first: &[usize], like: &Layout, period: u32) -> Option<Layout> {
        let section = self.units.get(*first.first()?)?.section;
        let pinned = first.iter().map(|index| {
            let step = self.step(*index);
            Step { origin: like.places[*index], align: step.align.max(period), ..step }
        });
        let others =
            (0..self.units.len()).filter(|index| self.units[*index].section >= section && !first.contains(index));
        self.placed(pinned.chain(others.map(|index| self.step(index))), 0).ok()
    }

    fn step(&self, index: usize) -> Step {
        Step { index, origin: self.units[index].from, align: self.units[index].align }
    }

    /// Returns the layout that `steps` make, one after the other and each section's together, the first of them behind a shift of
    /// `shift` bytes. Other units are where they are.
    fn placed(&self, steps: impl Iterator<Item = Step>, shift: u32) -> Result<Layout, LayoutError> {
        let fixed = self.units.iter().filter(|unit| unit.fixed);
        let fixed: Vec<Range<u64>> = fixed.map(|unit| u64::from(unit.from)..u64::from(unit.to)).collect();
        let mut layout = self.as_linked();
        let (mut cursor, mut shift, mut latest) = (0, Some(u64::from(shift)), None);
        for Step { index, origin, align } in steps {
            let unit = &self.units[index];
            let begins = latest.replace(unit.section) != Some(unit.section);
            if begins && (cursor == 0 || self.sections[unit.section].1) {
                cursor = self.first_of(unit.section).into();
            }
            if unit.fixed {
                continue;
            }
            cursor += shift.take().unwrap_or(0);
            let bytes = u64::from(unit.bytes());
            let mut at = following(cursor, origin, align);
            // What stays is gone round.
            while let Some(range) = fixed.iter().find(|range| at < range.end && range.start < at + bytes) {
                at = following(range.end, origin, align);
            }
            cursor = at + bytes;
            if cursor > u64::from(self.end) {
                return Err(LayoutError::NoRoom { excess: cursor - u64::from(self.end) });
            }
            layout.places[index] = at as u32;
        }
        Ok(layout)
    }

    /// Returns the first address of the section of that number, of which units are known.
    fn first_of(&self, section: usize) -> u32 {
        self.units.iter().find(|unit| unit.section == section).map_or(0, |unit| unit.from)
    }

    /// Returns the layout of these units that `other` has, an image of the same program linked in another way. Units are known by
    /// the names of what they begin with, in the order of their addresses where several have one name.
    pub fn as_in(&self, other: &Self) -> Option<Layout> {
        let mut places = Vec::new();
        for unit in &self.units {
            let same =
                |others: &&crate::Unit| others.names.first() == unit.names.first() && others.bytes() == unit.bytes();
            let earlier = self.units.iter().take_while(|before| before.from < unit.from).filter(|before| same(before));
            let place = other.units.iter().filter(same).nth(earlier.count())?;
            places.push(place.from);
        }
        Some(Layout { places })
    }

    /// Returns what timing needs of `layout`.
    pub fn placement(&self, layout: &Layout) -> Arc<Placement> {
        let moved = self.units.iter().zip(&layout.places);
        Arc::new(Placement::new(moved.map(|(unit, place)| (unit.from..unit.to, *place)).collect::<Vec<_>>()))
    }

    /// Returns how many bytes lie in units that move.
    pub fn bytes_that_move(&self) -> u64 {
        self.units.iter().filter(|unit| !unit.fixed).map(|unit| u64::from(unit.bytes())).sum()
    }
}

/// Returns the first address from `from` on that is a multiple of `align` away from `origin`.
fn following(from: u64, origin: u32, align: u32) -> u64 {
    from + u64::from(origin).wrapping_sub(from) % u64::from(align)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Unit;

    /// Units of two sections, the second right behind the first or at an address of its own, from gaps, sizes, alignments and
    /// whether they stay.
    fn units() -> impl Strategy<Value = Units> {
        let one = (0_u32..8, 1_u32..40, 1_u32..6, prop::bool::weighted(0.1), any::<bool>());
        (prop::collection::vec(one, 1..40), any::<bool>()).prop_map(|(shapes, own)| {
            let (mut from, mut section) = (0x0800_0100, 0);
            let units = shapes.into_iter().map(|(gap, halfwords, align, fixed, next)| {
                if next && section == 0 {
                    section = 1;
                    from += if own { 0x1000 } else { 0 };
                }
                let start = from + 2 * gap;
                from = start + 2 * halfwords;
                Unit { from: start, to: from, align: 1 << align, names: vec![String::new()], fixed, section }
            });
            let units: Vec<Unit> = units.collect();
            Units { units, sections: vec![("a".to_owned(), true), ("b".to_owned(), own)], end: 0x0801_0000 }
        })
    }

    fn check(units: &Units, layout: &Layout) -> Result<(), TestCaseError> {
        let mut placed: Vec<(u32, u32)> = Vec::new();
        for (unit, place) in units.all().iter().zip(&layout.places) {
            prop_assert_eq!(unit.from % unit.align, place % unit.align, "the place within its alignment");
            prop_assert!(!unit.fixed || unit.from == *place, "what stays has moved");
            prop_assert!(*place >= 0x0800_0100 && place + unit.bytes() <= units.end);
            placed.push((*place, place + unit.bytes()));
        }
        placed.sort_unstable();
        prop_assert!(placed.windows(2).all(|pair| pair[0].1 <= pair[1].0), "two lie in one place: {:x?}", placed);
        Ok(())
    }

    proptest! {
        #[test]
        fn a_layout_is_one_that_a_linker_could_have_made(units in units(), seed: u64, number: u64) {
            let layout = units.layout(seed, number);
            // Units that stay in the way of a section may leave no room for the order of the image itself.
            if let Ok(layout) = layout {
                check(&units, &layout)?;
                prop_assert_eq!(units.layout(seed, number), Ok(layout), "the same number gives the same layout");
            }
        }

        #[test]
        fn what_is_pinned_lies_as_in_its_model(units in units(), seed: u64, first in 0_usize..40) {
            let model = units.layout(seed, 1).unwrap_or_else(|_| units.as_linked());
            let first: Vec<usize> = (first..units.all().len()).filter(|index| !units.all()[*index].fixed).take(1).collect();
            if let Some(layout) = units.pinned(&first, &model, 64) {
                check(&units, &layout)?;
                prop_assert_eq!(layout.places[first[0]] % 64, model.places[first[0]] % 64);
            }
        }

        #[test]
        fn a_placement_moves_units_and_nothing_else(units in units(), seed: u64) {
            if let Ok(layout) = units.layout(seed, 7) {
                let placement = units.placement(&layout);
                for (unit, place) in units.all().iter().zip(&layout.places) {
                    prop_assert_eq!(placement.of(unit.from), *place);
                    prop_assert_eq!(placement.of(unit.to - 1), place + unit.bytes() - 1);
                }
                prop_assert_eq!(placement.of(0x0800_00FE), 0x0800_00FE);
            }
        }
    }

    #[test]
    fn a_program_that_fills_its_memory_has_no_other_layout() {
        let unit = |from: u32| Unit { from, to: from + 6, align: 4, names: Vec::new(), fixed: false, section: 0 };
        let mut units = Units { units: vec![unit(0), unit(8)], sections: vec![("a".to_owned(), true)], end: 14 };
        assert!(units.layout(1, 1).is_ok(), "one behind the other");
        units.end = 12;
        assert_eq!(units.layout(1, 1), Err(LayoutError::NoRoom { excess: 2 }));
    }
}
