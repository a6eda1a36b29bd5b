//! Code that the machines of a process share.
//!
//! Two regions are the same if they were lowered to the same: image, settings of flash, layout, watches and all else that a region
//! depends on are in its operations, its cycles and its numbers of fetches. So it is looked up by them and by nothing else.

use std::hash::{BuildHasher as _, BuildHasherDefault};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cyclescope_engine::Fields;
use rustc_hash::{FxHashMap, FxHasher};

use crate::Effort;
use crate::flow::Ways;
use crate::member::{Count, KnownMark, Member, Variant};
use crate::native::Code;

/// The most bytes of code that are kept for machines to come.
const MOST_BYTES: usize = 64 << 20;

/// A region with its code.
#[derive(Debug)]
pub struct Translation {
    pub region: Region,
    pub ways: Ways,
    pub code: Code,
    /// See [`Translated`](crate::translate::Translated).
    pub tables: Vec<u32>,
    /// The same.
    pub noted: Vec<usize>,
    /// The same.
    pub counts: Vec<Count>,
    /// The same.
    pub known_marks: Vec<KnownMark>,
}

impl Translation {
    /// The bytes of memory that its code takes, and its tables with what they were made of.
    pub fn bytes(&self) -> usize {
        self.code.bytes() + 2 * size_of_val(&self.tables[..])
    }
}

/// All that the code of a region depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Region {
    pub fields: Fields,
    pub ram_base: u32,
    pub members: Vec<Member>,
    /// The block of each member, by a number.
    pub blocks: Vec<usize>,
    /// The sets of states of flash.
    pub sets: Vec<Vec<Variant>>,
    /// Its runs are counted for an observer.
    pub is_counted: bool,
    /// The effort with which it is compiled.
    pub effort: Effort,
}

/// The code that was made in this process, by the hashes of its regions.
#[derive(Default)]
struct Kept {
    translations: FxHashMap<u64, Vec<Arc<Translation>>>,
    bytes: usize,
}

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

fn kept() -> MutexGuard<'static, Option<Kept>> {
    // A panic of another thread leaves nothing half done here.
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The code of `region`, made by `translate` unless a machine has it already; `None` if that is what `translate` gives.
pub fn find_or_make(region: Region, translate: impl FnOnce(Region) -> Option<Translation>) -> Option<Arc<Translation>> {
    let hash = BuildHasherDefault::<FxHasher>::default().hash_one(&region);
    if let Some(translations) = kept().as_ref().and_then(|kept| kept.translations.get(&hash))
        && let Some(found) = translations.iter().find(|translation| translation.region == region)
    {
        return Some(Arc::clone(found));
    }
    // Two threads may make the same; nobody waits.
    let made = Arc::new(translate(region)?);
    let mut kept = kept();
    let kept = kept.get_or_insert_default();
    if kept.bytes + made.bytes() > MOST_BYTES {
        // What machines use stays theirs.
        *kept = Kept::default();
    }
    kept.bytes += made.bytes();
    kept.translations.entry(hash).or_default().push(Arc::clone(&made));
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::member::Exit;

    fn region(ram_base: u32, cycles: u32) -> Region {
        let fields = Fields { now: 0, instructions: 8, horizon: 16, pc: 24, slots: &[], tables: &[] };
        let member = Member {
            pc: 0,
            next_pc: 2,
            cycles,
            worst_cycles: cycles,
            count: 1,
            steps: vec![],
            completed: vec![],
            start: None,
            straight: Exit::default(),
        };
        let effort = Effort::Full;
        Region { fields, ram_base, members: vec![member], blocks: vec![0], sets: vec![], is_counted: false, effort }
    }

    fn find(region: Region) -> Arc<Translation> {
        let place = |region: Region| {
            let ways = Ways::between(&region.members, &region.fields);
            Some(Translation {
                region,
                ways,
                code: Code::place(&[0xC3]).ok()?,
                tables: vec![],
                noted: vec![],
                counts: vec![],
                known_marks: vec![],
            })
        };
        find_or_make(region, place).expect("the host runs code")
    }

    #[test]
    fn the_same_region_has_the_same_code_and_no_other_has_it() {
        let one = find(region(0x2000_0000, 7));
        assert!(Arc::ptr_eq(&one, &find(region(0x2000_0000, 7))));
        assert!(!Arc::ptr_eq(&one, &find(region(0x2000_0000, 8))), "other cycles");
        assert!(!Arc::ptr_eq(&one, &find(region(0x1000_0000, 7))), "other RAM");
    }
}
