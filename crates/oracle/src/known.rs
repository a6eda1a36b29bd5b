//! Where the peer is known to differ, each with a probe that shows it still does.

use cyclescope_machine::FlashTiming;

use crate::error::OracleError;
use crate::map::{DATA_BYTES, END, FIRST, FLASH_BASES, IMAGE_BYTES};
use crate::ours::{self, Stepped};
use crate::peer::{Answer, Peer};
use crate::state::{State, WORDS};
use crate::stream::Batch;

/// A difference of the peer's, and what is done about it.
#[derive(Debug)]
pub struct Known {
    /// What differs.
    pub what: &'static str,
    /// Why ours is right, and what the oracle does.
    pub why: &'static str,
    /// Code that shows it; it runs with r0 = 3.
    code: &'static [u16],
    /// Whether the peer's answer to it shows the difference.
    shows: fn(&Answer, &Stepped) -> bool,
}

/// All of them.
pub const KNOWN: &[Known] = &[Known {
    what: "YIELD ends libunicorn's run as if it were an invalid instruction",
    why: "YIELD is a hint (DDI 0419E §A6.7); the peer goes on after it, and its state is compared as ever",
    code: &[0xBF10],
    shows: |answer, _| answer.resumed > 0,
}];

/// Those that the peer does not show any more.
pub(crate) fn healed(peer: &mut Peer) -> Result<Vec<&'static Known>, OracleError> {
    let mut healed = Vec::new();
    for known in KNOWN {
        let batch = probe(known.code);
        peer.submit(&batch, 100, false)?;
        let steps = ours::stepped(&batch, FlashTiming::IDEAL, 100);
        if !(known.shows)(&peer.answer()?, &steps) {
            healed.push(known);
        }
    }
    Ok(healed)
}

fn probe(code: &[u16]) -> Batch {
    let mut image = vec![0; IMAGE_BYTES as usize];
    let mut put = |offset: u32, half: u16| image[offset as usize..][..2].copy_from_slice(&half.to_le_bytes());
    put(4, FIRST as u16 | 1);
    put(END, 0xBE00);
    for (index, half) in (0..).zip(code) {
        put(FIRST + 2 * index, *half);
    }
    let after = FIRST + 2 * code.len() as u32;
    put(after, 0xE000 | ((END.wrapping_sub(after + 4) >> 1) & 0x7FF) as u16);
    let mut words = [0; WORDS];
    words[0] = 3;
    words[15] = FIRST;
    words[16] = 1 << 24;
    Batch { image, data: vec![0; DATA_BYTES as usize], state: State(words), end: END, flash_base: FLASH_BASES[0] }
}
