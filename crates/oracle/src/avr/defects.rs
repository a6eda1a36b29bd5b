//! PeerDefect defects of simavr's core, each with a probe that shows it.

use super::ours::{self, Stepped};
use super::peer::{Answer, FREE, NONE_AFTER, Peer, TWO_AFTER};
use super::stream::{self, Batch};
use crate::error::OracleError;

/// A defect of the peer, and its handling.
#[derive(Debug)]
pub struct PeerDefect {
    /// The difference.
    pub what: &'static str,
    /// The reason why our result is right, and the handling.
    pub why: &'static str,
    /// Code that shows the defect; all registers are zero.
    code: &'static [u16],
    /// Interrupt requests during the code.
    raises: &'static [(u32, u8)],
    /// Tells if the peer's answer shows the defect.
    shows: fn(&Answer, &Stepped) -> bool,
}

/// All known defects.
pub const DEFECTS: &[PeerDefect] = &[
    PeerDefect {
        what: "a skip before ADIW or SBIW with a constant whose low four bits are 12 to 15 skips two words",
        why: "they have one word (DS40002198B, opcodes of ADIW and SBIW); simavr takes them for jumps; streams have none \
              behind a skip",
        // CPSE r0, r0; ADIW r24, 12; INC r16.
        code: &[0x1000, 0x960C, 0x9503],
        raises: &[],
        shows: |answer, steps| answer.state.r[16] == 0 && steps.outcome.state.r[16] == 1,
    },
    PeerDefect {
        what: "LPM Rd, Z+ with Rd in Z leaves the moved pointer there",
        why: "the manual leaves the result undefined (DS40002198B, LPM); ours is the loaded byte as for LD, and named as a \
              gap; streams have none",
        // LPM r30, Z+: the byte at 0 is FF.
        code: &[0x91E5],
        raises: &[],
        shows: |answer, steps| answer.state.r[30] == 1 && steps.outcome.state.r[30] == 0xFF,
    },
    PeerDefect {
        what: "taking an interrupt costs no cycles",
        why: "four on the ATmega328P (8271H §7.7.1); the peer adds them where simavr spends none",
        // SEI; NOP; NOP.
        code: &[0x9478, 0, 0],
        raises: &[(0, 1)],
        shows: |answer, _| answer.corrected & FREE != 0,
    },
    PeerDefect {
        what: "two instructions execute after one that sets I, before an interrupt that waits is taken",
        why: "one does, after SEI as after RETI (8271H §7.7 and §7.7.1); the peer lets the second be interrupted",
        // SEI; NOP; NOP.
        code: &[0x9478, 0, 0],
        raises: &[(0, 1)],
        shows: |answer, _| answer.corrected & TWO_AFTER != 0,
    },
    PeerDefect {
        what: "no instruction executes after a SEI or RETI that finds I set, before an interrupt that waits is taken",
        why: "one does after every SEI and every RETI (8271H §7.7 and §7.7.1 make no difference); the peer lets it",
        // SEI; NOP; SEI.
        code: &[0x9478, 0, 0x9478],
        raises: &[],
        shows: |answer, _| answer.corrected & NONE_AFTER != 0,
    },
];

/// Returns the defects that the peer no longer shows.
pub(super) fn fixed(peer: &mut Peer) -> Result<Vec<&'static PeerDefect>, OracleError> {
    let mut fixed = Vec::new();
    for defect in DEFECTS {
        let batch = Batch { raises: defect.raises.to_vec(), ..stream::probe(defect.code) };
        peer.submit(&batch, 100, false)?;
        if !(defect.shows)(&peer.answer()?, &ours::stepped(&batch, 100, false)) {
            fixed.push(defect);
        }
    }
    Ok(fixed)
}
