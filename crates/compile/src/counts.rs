//! The counts of a region for an observer.

use cyclescope_engine::Marks;
use cyclescope_machine::{BlockCatalog, Counted};

use crate::member::Count;

/// Adds `numbers`, which a region has counted as `counts` say, to those of `marks` and `observer`, and begins anew. `blocks` has the
/// number of each member's block in the observer's catalog.
pub fn take(counts: &[Count], numbers: &mut [u64], blocks: &[u32], marks: &mut Marks, observer: &mut dyn BlockCatalog) {
    let mut before = (0, 1);
    for (count, number) in counts.iter().zip(numbers) {
        let number = std::mem::take(number);
        if let Count::Runs { member, instructions, .. } = count {
            before = (blocks[*member], *instructions);
        }
        if number == 0 {
            continue;
        }
        let counted = |(block, instructions)| Counted { block, instructions, runs: 0, cycles: 0, marked: 0 };
        observer.count(match count {
            Count::Runs { marked, cycles, .. } => {
                let mut sum = 0u64;
                for (counter, cycles) in marked {
                    let cycles = cycles.wrapping_mul(number);
                    marks.add(*counter, cycles);
                    sum = sum.wrapping_add(cycles);
                }
                let cycles = cycles.unwrap_or(0).wrapping_mul(number);
                Counted { runs: number, cycles, marked: sum, ..counted(before) }
            }
            Count::Cycles => Counted { cycles: number, ..counted(before) },
            Count::Marked { member, counter } => {
                marks.add(*counter, number);
                Counted { marked: number, ..counted((blocks[*member], 1)) }
            }
        });
    }
}
