//! Which encodings were executed, how often, and how many forms of each.

use std::collections::HashSet;
use std::fmt;

use cyclescope_cortex_m::decode;

use crate::map::IMAGE_BYTES;
use crate::stream::rows;

/// Free bits of a wide row up to which its forms are counted.
const COUNTED_BITS: u32 = 16;

/// Counts by row.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// For each halfword the index of its row plus one, 0 where there is none.
    narrow: Vec<u8>,
    executed: Vec<u64>,
    forms: Vec<HashSet<u32>>,
    possible: Vec<Option<u64>>,
}

impl Coverage {
    /// Nothing executed yet.
    pub fn new() -> Self {
        let index = |first: u16| rows::index_of(first, 0).map_or(0, |index| index as u8 + 1);
        let narrow = (0..=u16::MAX).map(|first| if decode::is_wide(first) { 0 } else { index(first) }).collect();
        let count = rows::all().count();
        Self {
            narrow,
            executed: vec![0; count],
            forms: vec![HashSet::new(); count],
            possible: rows::all().enumerate().map(|(index, row)| possible(index, row)).collect(),
        }
    }

    /// Counts the instructions of `image` at `pcs`.
    pub fn add(&mut self, image: &[u8], pcs: &[u32]) {
        for pc in pcs {
            let (first, second) = instruction_at(image, *pc);
            let index = match self.narrow[usize::from(first)] {
                0 => rows::index_of(first, second),
                index => Some(usize::from(index) - 1),
            };
            let Some(index) = index else { continue };
            let bits = if rows::is_wide(index) { u32::from(first) << 16 | u32::from(second) } else { u32::from(first) };
            self.executed[index] += 1;
            if self.possible[index].is_some() {
                self.forms[index].insert(bits);
            }
        }
    }

    /// All rows.
    pub fn rows(&self) -> usize {
        self.executed.len()
    }

    /// Rows that were executed.
    pub fn rows_executed(&self) -> usize {
        self.executed.iter().filter(|executed| **executed > 0).count()
    }

    /// Rows that no stream can hold.
    pub fn rows_excused(&self) -> usize {
        rows::NOT_IN_STREAMS.len()
    }

    /// Rows that were never executed and are not excused.
    pub fn missing(&self) -> Vec<&'static str> {
        rows::all()
            .zip(&self.executed)
            .filter(|(row, executed)| **executed == 0 && excuse(row.name).is_none())
            .map(|(row, _)| row.name)
            .collect()
    }

    /// Excuses that no row needs: the row was executed all the same, or there is no such row.
    pub fn idle_excuses(&self) -> Vec<&'static str> {
        let needed = |name: &str| rows::all().zip(&self.executed).any(|(row, count)| row.name == name && *count == 0);
        rows::NOT_IN_STREAMS.iter().map(|(name, _)| *name).filter(|name| !needed(name)).collect()
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<28} {:>10}  forms executed of those that are not left out", "encoding", "executed")?;
        for (index, row) in rows::all().enumerate() {
            write!(f, "{:<28} {:>10}  ", row.name, self.executed[index])?;
            match (excuse(row.name), self.possible[index]) {
                (Some(why), _) => writeln!(f, "not in streams: {why}")?,
                (None, Some(possible)) => writeln!(f, "{} of {possible}", self.forms[index].len())?,
                (None, None) => writeln!(f, "not counted")?,
            }
        }
        writeln!(f, "\nleft out:")?;
        for (name, why, count) in left_out() {
            writeln!(f, "{name:<28} {count:>10}  {why}")?;
        }
        Ok(())
    }
}

/// The two halfwords at `pc`, in whichever copy of `image`.
pub fn instruction_at(image: &[u8], pc: u32) -> (u16, u16) {
    let half = |offset: u32| {
        let offset = (offset % IMAGE_BYTES) as usize;
        u16::from_le_bytes([image[offset], image[(offset + 1) % image.len()]])
    };
    (half(pc), half(pc.wrapping_add(2)))
}

fn excuse(name: &str) -> Option<&'static str> {
    rows::NOT_IN_STREAMS.iter().find(|(row, _)| *row == name).map(|(_, why)| *why)
}

/// How many forms of a row streams can have; `None` where they are too many to count.
fn possible(index: usize, row: &decode::Row) -> Option<u64> {
    let forms = forms(index, row)?;
    Some(forms.filter(|bits| rows::left_out(row, &(row.build)(*bits)).is_none()).count() as u64)
}

/// All bit patterns of a row, unless they are too many.
fn forms(index: usize, row: &decode::Row) -> Option<impl Iterator<Item = u32>> {
    let free = !row.mask & if rows::is_wide(index) { u32::MAX } else { 0xFFFF };
    (free.count_ones() <= COUNTED_BITS).then(|| {
        // The subsets of `free`, by counting in its bits alone.
        let mut next = Some(0u32);
        let value = row.value;
        std::iter::from_fn(move || {
            let subset = next?;
            let following = subset.wrapping_sub(free) & free;
            next = (following != 0).then_some(following);
            Some(value | subset)
        })
    })
}

/// What streams leave out: row, reason, how many of its forms.
pub fn left_out() -> Vec<(&'static str, &'static str, u64)> {
    let mut found: Vec<(&str, &str, u64)> = Vec::new();
    for (index, row) in rows::all().enumerate().filter(|(_, row)| excuse(row.name).is_none()) {
        for bits in forms(index, row).into_iter().flatten() {
            let Some(why) = rows::left_out(row, &(row.build)(bits)) else { continue };
            match found.iter_mut().find(|(name, reason, _)| *name == row.name && *reason == why) {
                Some((_, _, count)) => *count += 1,
                None => found.push((row.name, why, 1)),
            }
        }
    }
    found
}
