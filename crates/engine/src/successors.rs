//! The blocks that followed a block.

/// No successor: no code is at an odd address.
const NO_SUCCESSOR: (u32, u32) = (u32::MAX, 0);

/// The last two places that control went to from a block, with the blocks there, the latest first.
#[derive(Clone, Copy, Debug)]
pub struct Successors([(u32, u32); 2]);

impl Default for Successors {
    fn default() -> Self {
        Self([NO_SUCCESSOR; 2])
    }
}

impl Successors {
    /// The block at `pc`, if it came next before.
    #[inline(always)]
    pub fn at(&self, pc: u32) -> Option<usize> {
        let [(latest, id), (earlier, other)] = self.0;
        if latest == pc {
            Some(id as usize)
        } else if earlier == pc {
            Some(other as usize)
        } else {
            None
        }
    }

    /// The blocks that came next before, the latest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> {
        self.0.into_iter().filter(|successor| successor.0 != NO_SUCCESSOR.0).map(|(_, id)| id as usize)
    }

    /// The block `id` at `pc` came next.
    pub(crate) fn follow(&mut self, pc: u32, id: usize) {
        self.0 = [(pc, id as u32), self.0[0]];
    }
}
