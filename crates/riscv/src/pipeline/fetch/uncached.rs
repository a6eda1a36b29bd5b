//! The stages without a cache: a word is asked for, comes, and waits in a register for the decode stage.

use super::Behind;
use crate::pipeline::{Slot, Surroundings};

/// The most words on their way.
const MOST: u8 = 7;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::pipeline) struct Uncached {
    /// The address that the next fetch begins at.
    next: u32,
    booted: bool,
    /// The word that the bus is asked for.
    command: Option<u32>,
    /// The address of the stage that waits for a word.
    waits: Option<u32>,
    /// Words that have come before that stage took them.
    come: u8,
    /// Words on their way, and those of them that a jump has made useless.
    pending: u8,
    discard: u8,
    /// The instruction in the decode stage; decoded, once it has been looked at.
    decodes: Option<(u32, Option<Slot>)>,
}

impl Uncached {
    pub fn new(pc: u32) -> Self {
        Self { next: pc, booted: false, command: None, waits: None, come: 0, pending: 0, discard: 0, decodes: None }
    }

    pub fn begins_at(&self, pc: u32) -> bool {
        self.next == pc && self.waits.is_none() && self.decodes.is_none()
    }

    pub fn request(&self) -> Option<u32> {
        self.command
    }

    #[inline]
    pub fn decoded(&mut self, surroundings: &impl Surroundings) -> Option<Slot> {
        let (pc, slot) = self.decodes.as_mut()?;
        Some(*slot.get_or_insert_with(|| surroundings.slot(*pc)))
    }

    #[inline]
    pub fn end(&mut self, behind: &Behind, acknowledged: bool) {
        let ready = !behind.stuck;
        let come = self.come + u8::from(acknowledged);
        let comes = come > 0;
        let joins = self.waits.filter(|_| comes && self.discard == 0);
        let goes = joins.is_some() && ready;
        let taken = comes && (goes || self.discard != 0 || behind.jumps);
        let stage_ready = if self.waits.is_some() { goes } else { ready };
        let free = self.command.is_none() || acknowledged;
        let begins = stage_ready && free && self.pending != MOST && self.booted && !behind.halted;

        self.next = behind.target.unwrap_or(self.next);
        self.booted = true;
        // Words on their way.
        self.come = come - u8::from(taken);
        if behind.jumps {
            self.discard = self.pending - u8::from(taken);
        } else if comes && self.discard != 0 {
            self.discard -= 1;
        }
        self.pending = self.pending + u8::from(begins) - u8::from(taken);
        // The decode stage.
        if behind.removed {
            self.decodes = None;
        }
        if ready {
            self.decodes = joins.filter(|_| !behind.jumps).map(|pc| (pc, None));
        }
        // The next fetch.
        if acknowledged {
            self.command = None;
        }
        if behind.jumps {
            self.waits = None;
        }
        if stage_ready {
            self.waits = begins.then_some(self.next);
        }
        if begins {
            self.command = Some(self.next);
            self.next = self.next.wrapping_add(4);
        }
    }
}
