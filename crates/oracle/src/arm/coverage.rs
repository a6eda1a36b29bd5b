//! Counts executed encodings, by row and by form.

use std::collections::HashSet;
use std::fmt;

use cyclescope_cortex_m::decode::{self, Architecture};

use crate::arm::map::IMAGE_BYTES;
use crate::arm::stream::rows::{self, Rows};
use crate::random::Random;
use crate::report::Tally;

/// The most free bits of a wide row whose forms are counted.
const COUNTED_BITS: u32 = 16;

/// Execution counts by row and by form.
#[derive(Clone, Debug)]
pub struct Coverage {
    rows: Rows,
    /// For each halfword the index of its row plus one; 0 if it has no row.
    narrow: Vec<u8>,
    tally: Tally,
    forms: Vec<HashSet<u32>>,
    possible: Vec<Option<u64>>,
}

impl Coverage {
    /// Returns empty counts for `architecture`.
    pub fn new(architecture: Architecture) -> Self {
        let rows = Rows::new(architecture);
        let index = |first: u16| rows.index_of(first, 0).map_or(0, |index| index as u8 + 1);
        let narrow = (0..=u16::MAX).map(|first| if decode::is_wide(first) { 0 } else { index(first) }).collect();
        let tally = Tally::new(rows.all.iter().map(|row| row.name), rows::NOT_IN_STREAMS);
        let forms = vec![HashSet::new(); rows.all.len()];
        let possible = (0..rows.all.len()).map(|index| possible(&rows, index)).collect();
        Self { rows, narrow, tally, forms, possible }
    }

    /// Counts the instructions of `image` at the addresses `pcs`.
    pub fn add(&mut self, image: &[u8], pcs: &[u32]) {
        for pc in pcs {
            let (first, second) = instruction_at(image, *pc);
            let index = match self.narrow[usize::from(first)] {
                0 => self.rows.index_of(first, second),
                index => Some(usize::from(index) - 1),
            };
            let Some(index) = index else { continue };
            self.tally.add(index);
            if self.possible[index].is_some() {
                let wide = self.rows.is_wide(index);
                let bits = if wide { u32::from(first) << 16 | u32::from(second) } else { u32::from(first) };
                self.forms[index].insert(bits);
            }
        }
    }

    /// Returns the forms that streams leave out: row, reason, and number of forms. For rows with too many forms, the number
    /// is out of [`SAMPLED`].
    fn left_out(&self) -> Vec<(&'static str, &'static str, u64)> {
        let rows = &self.rows;
        let mut found: Vec<(&str, &str, u64)> = Vec::new();
        for (index, row) in rows.all.iter().enumerate().filter(|(_, row)| self.tally.excuse(row.name).is_none()) {
            let mut note = |bits| {
                let Some(why) = rows.left_out(index, bits) else { return };
                match found.iter_mut().find(|(name, reason, _)| *name == row.name && *reason == why) {
                    Some((_, _, count)) => *count += 1,
                    None => found.push((row.name, why, 1)),
                }
            };
            match forms(rows, index) {
                Some(forms) => forms.for_each(&mut note),
                None => {
                    let mut random = Random::new(index as u64);
                    (0..SAMPLED).for_each(|_| note(row.value | random.bits() & rows.free(index)));
                }
            }
        }
        found
    }
}

impl AsRef<Tally> for Coverage {
    fn as_ref(&self) -> &Tally {
        &self.tally
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<44} {:>10}  forms executed of those that are not left out", "encoding", "executed")?;
        for (index, (name, count)) in self.tally.counts().enumerate() {
            write!(f, "{name:<44} {count:>10}  ")?;
            match (self.tally.excuse(name), self.possible[index]) {
                (Some(why), _) => writeln!(f, "not in streams: {why}")?,
                (None, Some(possible)) => writeln!(f, "{} of {possible}", self.forms[index].len())?,
                (None, None) => writeln!(f, "not counted")?,
            }
        }
        writeln!(f, "\nleft out:")?;
        for (name, why, count) in self.left_out() {
            writeln!(f, "{name:<44} {count:>10}  {why}")?;
        }
        Ok(())
    }
}

/// Returns the two halfwords at `pc`, in any copy of `image`.
pub fn instruction_at(image: &[u8], pc: u32) -> (u16, u16) {
    let half = |offset: u32| {
        let offset = (offset % IMAGE_BYTES) as usize;
        u16::from_le_bytes([image[offset], image[(offset + 1) % image.len()]])
    };
    (half(pc), half(pc.wrapping_add(2)))
}

/// Returns the number of forms of a row in streams; `None` if there are too many to count.
fn possible(rows: &Rows, index: usize) -> Option<u64> {
    Some(forms(rows, index)?.filter(|bits| rows.left_out(index, *bits).is_none()).count() as u64)
}

/// Returns all bit patterns of a row, unless there are too many.
fn forms(rows: &Rows, index: usize) -> Option<impl Iterator<Item = u32> + use<>> {
    let free = rows.free(index);
    let value = rows.all[index].value;
    (free.count_ones() <= COUNTED_BITS).then(|| {
        // Counting in the bits of `free` gives all its subsets.
        let mut next = Some(0u32);
        std::iter::from_fn(move || {
            let subset = next?;
            let following = subset.wrapping_sub(free) & free;
            next = (following != 0).then_some(following);
            Some(value | subset)
        })
    })
}

/// The number of sampled forms for rows with more free bits.
const SAMPLED: u32 = 20_000;
