//! What changed between two images.

use std::collections::BTreeMap;

use super::{Entry, Weight};

/// One name's weight before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is.
    pub name: String,
    /// Its weight in the old image; nothing where it is new.
    pub before: Weight,
    /// Its weight in the new image; nothing where it is gone.
    pub after: Weight,
}

impl Change {
    /// By how many bytes of flash it grew (negative: shrank).
    pub fn flash(&self) -> i64 {
        delta(self.before.flash.get(), self.after.flash.get())
    }

    /// By how many bytes of RAM it grew (negative: shrank).
    pub fn ram(&self) -> i64 {
        delta(self.before.ram.get(), self.after.ram.get())
    }
}

fn delta(before: u64, after: u64) -> i64 {
    i64::try_from(i128::from(after) - i128::from(before)).unwrap_or(if after > before { i64::MAX } else { i64::MIN })
}

/// The names whose weight differs between two breakdowns of the same sort, largest change first.
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
