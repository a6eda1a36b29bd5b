//! Known defects of libunicorn and QEMU, each with a probe that shows it.

use cyclescope_cortex_m::decode::Architecture;

use crate::arm::Arm;
use crate::arm::map::{DATA_BYTES, END, FIRST, FLASH_BASES, IMAGE_BYTES};
use crate::arm::state::{CONTROL, State, WORDS, XPSR};
use crate::arm::stream::Batch;
use crate::lockstep::PeerDefect;

/// All known defects, each with the first architecture that has it; later ones have it too.
pub const DEFECTS: &[PeerDefect<Arm>] = &[
    PeerDefect {
        what: "YIELD ends libunicorn's run as if it were an invalid instruction",
        why: "YIELD is a hint (DDI 0419E §A6.7); the peer goes on after it, and its state is compared as ever",
        setting: Architecture::Armv6M,
        code: &[0xBF10],
        shows: |answer, _| answer.remark > 0,
    },
    PeerDefect {
        what: "SMLAD and SMLADX set Q where the sum of both products overflows by itself",
        why: "the sum of three terms is what must not fit (DDI 0403E §A7.7.139); QEMU 7.2 agrees; streams never have \
              both products at 2^30",
        setting: Architecture::Armv7EM,
        // r3 = -1; r1 = 0x80008000; SMLAD r0, r1, r1, r3.
        code: &[0x2300, 0x43DB, 0x2180, 0x0209, 0x040A, 0x4311, 0xFB21, 0x3001],
        shows: |answer, steps| (answer.state.0[XPSR] ^ steps.state.0[XPSR]) & 1 << 27 != 0,
    },
    PeerDefect {
        what: "VCVT.F32.S32 and .U32 from fixed point round as FPSCR says",
        why: "they round to nearest (DDI 0403E §A7.7.228); QEMU 7.2 agrees; in streams FPSCR says to nearest before them",
        setting: Architecture::Armv7EMF,
        // FPSCR = r1 = RMode towards zero; S0 = r2 = 0x01000003; VCVT.F32.S32 S0, S0, #1; r0 = S0.
        code: &[0x2103, 0x0589, 0xEEE1, 0x1A10, 0x2201, 0x0612, 0x3203, 0xEE00, 0x2A10, 0xEEBA, 0x0AEF, 0xEE10, 0x0A10],
        shows: |answer, steps| answer.state.0[0] != steps.state.0[0],
    },
    PeerDefect {
        what: "CONTROL shows SFPA of Armv8-M once floating point was used",
        why: "Armv7-M has no bit 3 there (DDI 0403E §B1.4.4); the peer's state leaves it out, streams leave out MRS from it",
        setting: Architecture::Armv7EMF,
        // S0 = r0; r1 = CONTROL.
        code: &[0xEE00, 0x0A10, 0xF3EF, 0x8114],
        shows: |answer, _| answer.state.0[1] & 8 != 0,
    },
    PeerDefect {
        what: "a floating-point instruction that IT skips counts as the one that began the context",
        why: "what is skipped has no effect (DDI 0403E §A7.3); in streams one before IT begins it",
        setting: Architecture::Armv7EMF,
        // Z is set; IT NE; S0 = r0 if NE; S1 = r0.
        code: &[0x2100, 0xBF18, 0xEE00, 0x0A10, 0xEE00, 0x0A90],
        shows: |answer, steps| (answer.state.0[CONTROL] ^ steps.state.0[CONTROL]) & 4 != 0,
    },
    PeerDefect {
        what: "a new floating-point context clears FPSCR's flags too",
        why: "FPDSCR gives it the control bits only (DDI 0403E §B1.5.7, ExecuteFPCheck()); in streams the flags are clear \
              then",
        setting: Architecture::Armv7EMF,
        // S0 = r0; FPSCR = r1 = NZCV; CONTROL = r2 = 0; S0 = r0; r3 = FPSCR.
        code: &[0xEE00, 0x0A10, 0x210F, 0x0709, 0xEEE1, 0x1A10, 0x2200, 0xF382, 0x8814, 0xEE00, 0x0A10, 0xEEF1, 0x3A10],
        shows: |answer, steps| answer.state.0[3] == 0 && steps.state.0[3] == 0xF000_0000,
    },
];

/// Returns `code` as a batch; it runs with r0 = 3.
pub fn probe(architecture: Architecture, code: &[u16]) -> Batch {
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
    let data = vec![0; DATA_BYTES as usize];
    Batch { image, data, state: State(words), end: END, flash_base: FLASH_BASES[0], architecture }
}
