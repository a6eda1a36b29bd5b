//! Known defects of simavr's core, each with a probe that shows it.

use super::Avr;
use crate::lockstep::PeerDefect;

/// The remark: simavr spent no cycle on taking an interrupt.
const FREE: u32 = 1;
/// The remark: simavr would have executed two instructions after one that sets I.
const TWO_AFTER: u32 = 2;
/// The remark: simavr would have executed no instruction after a SEI or RETI that found I set.
const NONE_AFTER: u32 = 4;

/// All known defects, each with interrupt requests during its code. All registers are zero.
pub const DEFECTS: &[PeerDefect<Avr>] = &[
    PeerDefect {
        what: "a skip before ADIW or SBIW with a constant whose low four bits are 12 to 15 skips two words",
        why: "they have one word (DS40002198B, opcodes of ADIW and SBIW); simavr takes them for jumps; streams have none \
              behind a skip",
        // CPSE r0, r0; ADIW r24, 12; INC r16.
        code: &[0x1000, 0x960C, 0x9503],
        setting: &[],
        shows: |answer, steps| answer.state.r[16] == 0 && steps.outcome.state.r[16] == 1,
    },
    PeerDefect {
        what: "LPM Rd, Z+ with Rd in Z leaves the moved pointer there",
        why: "the manual leaves the result undefined (DS40002198B, LPM); ours is the loaded byte as for LD, and named as a \
              gap; streams have none",
        // LPM r30, Z+: the byte at 0 is FF.
        code: &[0x91E5],
        setting: &[],
        shows: |answer, steps| answer.state.r[30] == 1 && steps.outcome.state.r[30] == 0xFF,
    },
    PeerDefect {
        what: "taking an interrupt costs no cycles",
        why: "four on the ATmega328P (8271H §7.7.1); the peer adds them where simavr spends none",
        // SEI; NOP; NOP.
        code: &[0x9478, 0, 0],
        setting: &[(0, 1)],
        shows: |answer, _| answer.remark & FREE != 0,
    },
    PeerDefect {
        what: "two instructions execute after one that sets I, before an interrupt that waits is taken",
        why: "one does, after SEI as after RETI (8271H §7.7 and §7.7.1); the peer lets the second be interrupted",
        // SEI; NOP; NOP.
        code: &[0x9478, 0, 0],
        setting: &[(0, 1)],
        shows: |answer, _| answer.remark & TWO_AFTER != 0,
    },
    PeerDefect {
        what: "no instruction executes after a SEI or RETI that finds I set, before an interrupt that waits is taken",
        why: "one does after every SEI and every RETI (8271H §7.7 and §7.7.1 make no difference); the peer lets it",
        // SEI; NOP; SEI.
        code: &[0x9478, 0, 0x9478],
        setting: &[],
        shows: |answer, _| answer.remark & NONE_AFTER != 0,
    },
];
