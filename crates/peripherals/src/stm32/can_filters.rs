//! The filter banks of bxCAN (RM0008, RM0390, "Identifier filtering"), apart from the node that they serve.

use std::ops::Range;

use cyclescope_machine::CanFrame;

use crate::Bank;

/// The filter master register.
pub const FMR: u32 = 0x200;
/// Mode of each bank: list (1) or mask.
pub const FM1R: u32 = 0x204;
/// Scale of each bank: one word (1) or two half-words.
pub const FS1R: u32 = 0x20C;
/// FIFO of each bank.
pub const FFA1R: u32 = 0x214;
/// Activation of each bank.
pub const FA1R: u32 = 0x21C;
/// The first of the banks' two words each.
pub const BANKS: u32 = 0x240;

/// FMR.FINIT.
pub const FINIT: u32 = 1;

/// Bits of an identifier register.
const RTR: u32 = 1 << 1;
const IDE: u32 = 1 << 2;

/// All banks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filters {
    master: u32,
    list: u32,
    wide: u32,
    fifo: u32,
    active: u32,
    words: [[u32; 2]; 28],
}

/// Returns the identifier of `frame` as RIR and TIR hold it.
pub fn identifier(frame: &CanFrame) -> u32 {
    let id = if frame.extended { frame.id << 3 | IDE } else { frame.id << 21 };
    id | if frame.remote { RTR } else { 0 }
}

/// Returns the frame that an identifier register and a length describe, without data.
pub fn frame_of(identifier: u32, code: u8) -> CanFrame {
    let extended = identifier & IDE != 0;
    let id = if extended { identifier >> 3 } else { identifier >> 21 };
    CanFrame { id, extended, remote: identifier & RTR != 0, code, data: [0; 8] }
}

/// The same identifier in the 16 bits of a narrow filter.
const fn narrow(identifier: u32) -> u32 {
    // STID, RTR, IDE, EXID[17:15] (RM0008, "Filter bank scale configuration - register organization").
    identifier >> 21 << 5 | (identifier >> 1 & 1) << 4 | (identifier >> 2 & 1) << 3 | identifier >> 18 & 7
}

impl Filters {
    /// The filters that the registers in `bank` make.
    pub fn of(bank: &Bank) -> Self {
        let mut words = [[0; 2]; 28];
        for (number, word) in (0..).zip(words.iter_mut().flatten()) {
            *word = bank.get(BANKS + 4 * number);
        }
        Self {
            master: bank.get(FMR),
            list: bank.get(FM1R),
            wide: bank.get(FS1R),
            fifo: bank.get(FFA1R),
            active: bank.get(FA1R),
            words,
        }
    }

    /// The first bank of the second node (CAN2SB), at most 28.
    pub fn split(&self) -> usize {
        ((self.master >> 8 & 0x3F) as usize).min(28)
    }

    /// Finds where a frame with the identifier register `identifier` goes that `banks` filter: the FIFO, and the number of the
    /// filter among those of the FIFO. `None` if none lets it in, or the banks are being set up.
    ///
    /// A filter of one word goes before one of half-words, a list before a mask, then the lower number (RM0008, "Filter
    /// priority rules"). Banks that are off have numbers, too.
    pub fn find(&self, banks: Range<usize>, identifier: u32) -> Option<(usize, u8)> {
        if self.master & FINIT != 0 {
            return None;
        }
        let mut numbers = [0u8; 2];
        let mut best: Option<((bool, bool), usize, u8)> = None;
        for bank in banks {
            let on = |bits: u32| bits >> bank & 1 != 0;
            let (wide, list, fifo) = (on(self.wide), on(self.list), usize::from(on(self.fifo)));
            let first = numbers[fifo];
            numbers[fifo] += if wide { 1 } else { 2 } * if list { 2 } else { 1 };
            let rank = (!wide, !list);
            if !on(self.active) || best.is_some_and(|(known, ..)| known <= rank) {
                continue;
            }
            if let Some(place) = matches(self.words[bank], wide, list, identifier) {
                best = Some((rank, fifo, first + place));
            }
        }
        best.map(|(_, fifo, number)| (fifo, number))
    }
}

/// The first filter of a bank that lets the identifier in, counted in the bank.
fn matches([one, two]: [u32; 2], wide: bool, list: bool, identifier: u32) -> Option<u8> {
    let halves = [one & 0xFFFF, one >> 16, two & 0xFFFF, two >> 16];
    let (id, short) = (identifier & !1, narrow(identifier));
    let found = match (wide, list) {
        (true, true) => [one, two].iter().position(|word| *word & !1 == id),
        (true, false) => ((one ^ id) & two & !1 == 0).then_some(0),
        (false, true) => halves.iter().position(|half| *half == short),
        (false, false) => [0, 2].iter().position(|place| (halves[*place] ^ short) & halves[place + 1] == 0),
    };
    found.map(|place| place as u8)
}
