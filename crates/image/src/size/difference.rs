//! The size difference of two images.

use std::collections::BTreeMap;

use super::{Entry, Weight};

/// One name's size before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The section, owner or symbol.
    pub name: String,
    /// The size in the old image; zero if it is new.
    pub before: Weight,
    /// The size in the new image; zero if it is gone.
    pub after: Weight,
}

impl Change {
    /// Returns the growth in bytes of flash (negative: shrinkage).
    pub fn flash(&self) -> i64 {
        delta(self.before.flash.get(), self.after.flash.get())
    }

    /// Returns the growth in bytes of RAM (negative: shrinkage).
    pub fn ram(&self) -> i64 {
        delta(self.before.ram.get(), self.after.ram.get())
    }
}

fn delta(before: u64, after: u64) -> i64 {
    i64::try_from(i128::from(after) - i128::from(before)).unwrap_or(if after > before { i64::MAX } else { i64::MIN })
}

/// Returns the names whose size differs between two breakdowns of the same kind, largest change first.
pub fn difference(old: &[Entry], new: &[Entry]) -> Vec<Change> {
    let mut both: BTreeMap<&str, (Weight, Weight)> = BTreeMap::new();
    for entry in old {
        both.entry(&entry.name).or_default().0.add(entry.weight);
    }
    for entry in new {
        both.entry(&entry.name).or_default().1.add(entry.weight);
    }
    let mut changes: Vec<Change> = both
        .into_iter()
        .filter(|(_, (before, after))| before != after)
        .map(|(name, (before, after))| Change { name: name.to_owned(), before, after })
        .collect();
    changes.sort_by_key(|change| {
        let (flash, ram) = (change.flash().unsigned_abs(), change.ram().unsigned_abs());
        std::cmp::Reverse((flash.saturating_add(ram), flash))
    });
    changes
}
