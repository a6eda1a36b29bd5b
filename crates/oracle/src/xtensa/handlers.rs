//! The exception vectors: handlers of window exceptions by §4.7.1.4 of the manual, and others that skip an
//! instruction which raised an exception and clear an interrupt.

use cyclescope_xtensa::Configuration;

use super::assembly::special::{DEPC, EPC, EXCCAUSE, EXCSAVE, INTCLEAR};
use super::assembly::*;

/// The words at which handlers keep registers, two for each kind.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The address of a literal with the address of the words.
    pub literal: u32,
}

/// Puts a jump to a handler at each vector, and the handlers at `at`. `memory` begins at `base`.
pub fn put(memory: &mut [u8], base: u32, at: u32, configuration: &Configuration, kept: Kept) {
    let vectors = &configuration.vectors;
    let place = |memory: &mut [u8], address: u32, code: &Code| {
        let offset = (address - base) as usize;
        memory[offset..offset + code.bytes.len()].copy_from_slice(&code.bytes);
    };
    let mut handlers = Code::at(at);
    let to = |memory: &mut [u8], vector: u32, handlers: &mut Code, body: &dyn Fn(&mut Code)| {
        handlers.align(4);
        let mut jump = Code::at(base + vector);
        jump.put(j(jump.pc(), handlers.pc()));
        place(memory, base + vector, &jump);
        body(handlers);
    };
    if configuration.options.windows {
        for (index, (over, under)) in vectors.overflow.into_iter().zip(vectors.underflow).enumerate() {
            for (vector, lines) in [(over, OVERFLOW[index]), (under, UNDERFLOW[index])] {
                let mut code = Code::at(base + vector);
                code.all(lines);
                place(memory, base + vector, &code);
            }
        }
    }
    to(memory, vectors.kernel, &mut handlers, &|code| general(code, kept));
    to(memory, vectors.user, &mut handlers, &|code| general(code, kept));
    to(memory, vectors.double, &mut handlers, &|code| skipping(code, kept, 8, EXCSAVE + 1, DEPC, RFDE));
    for level in 2..=u32::from(configuration.levels) {
        let vector = vectors.levels[level as usize - 2];
        if level == u32::from(configuration.debug_level) {
            to(memory, vector, &mut handlers, &|code| {
                skipping(code, kept, 16, EXCSAVE + level, EPC + level, rfi(level));
            });
        } else {
            to(memory, vector, &mut handlers, &|code| {
                code.all(&[
                    wsr(0, EXCSAVE + level),
                    movi(0, -1),
                    wsr(0, INTCLEAR),
                    rsr(0, EXCSAVE + level),
                    rfi(level),
                ]);
            });
        }
    }
    place(memory, at, &handlers);
}

/// Skips the instruction at the address in the register `at`, and returns by `end`. a2 and a3 are kept `offset` bytes
/// on.
fn skipping(code: &mut Code, kept: Kept, offset: u32, scratch: u32, at: u32, end: u32) {
    code.put(wsr(0, scratch));
    code.put(l32r(0, code.pc(), kept.literal));
    code.all(&[s32i(2, 0, offset), s32i(3, 0, offset + 4)]);
    skip(code, at);
    code.all(&[l32i(2, 0, offset), l32i(3, 0, offset + 4), rsr(0, scratch), end]);
}

/// Adds the length of the instruction at the address in the register `at` to it.
fn skip(code: &mut Code, at: u32) {
    code.all(&[rsr(2, at), l8ui(3, 2, 0), bit(3, 3, 3), sub(2, 2, 3), addi(2, 2, 3), wsr(2, at)]);
}

fn general(code: &mut Code, kept: Kept) {
    code.put(wsr(0, EXCSAVE + 1));
    code.put(l32r(0, code.pc(), kept.literal));
    code.all(&[s32i(2, 0, 0), s32i(3, 0, 4), rsr(2, EXCCAUSE), addi(2, 2, -4)]);
    let branch = code.pc();
    code.put(bnez(2, branch, branch));
    code.all(&[movi(2, -1), wsr(2, INTCLEAR)]);
    let jump = code.pc();
    code.put(j(jump, jump));
    code.patch(branch, bnez(2, branch, code.pc()));
    skip(code, EPC + 1);
    code.patch(jump, j(jump, code.pc()));
    code.all(&[l32i(2, 0, 0), l32i(3, 0, 4), rsr(0, EXCSAVE + 1), RFE]);
}

const OVERFLOW: [&[u32]; 3] = [
    &[s32e(0, 5, -16), s32e(1, 5, -12), s32e(2, 5, -8), s32e(3, 5, -4), RFWO],
    &[
        s32e(0, 9, -16),
        l32e(0, 1, -12),
        s32e(1, 9, -12),
        s32e(2, 9, -8),
        s32e(3, 9, -4),
        s32e(4, 0, -32),
        s32e(5, 0, -28),
        s32e(6, 0, -24),
        s32e(7, 0, -20),
        RFWO,
    ],
    &[
        s32e(0, 13, -16),
        l32e(0, 1, -12),
        s32e(1, 13, -12),
        s32e(2, 13, -8),
        s32e(3, 13, -4),
        s32e(4, 0, -48),
        s32e(5, 0, -44),
        s32e(6, 0, -40),
        s32e(7, 0, -36),
        s32e(8, 0, -32),
        s32e(9, 0, -28),
        s32e(10, 0, -24),
        s32e(11, 0, -20),
        RFWO,
    ],
];

const UNDERFLOW: [&[u32]; 3] = [
    &[l32e(0, 5, -16), l32e(1, 5, -12), l32e(2, 5, -8), l32e(3, 5, -4), RFWU],
    &[
        l32e(0, 9, -16),
        l32e(1, 9, -12),
        l32e(2, 9, -8),
        l32e(7, 1, -12),
        l32e(3, 9, -4),
        l32e(4, 7, -32),
        l32e(5, 7, -28),
        l32e(6, 7, -24),
        l32e(7, 7, -20),
        RFWU,
    ],
    &[
        l32e(0, 13, -16),
        l32e(1, 13, -12),
        l32e(2, 13, -8),
        l32e(11, 1, -12),
        l32e(3, 13, -4),
        l32e(4, 11, -48),
        l32e(5, 11, -44),
        l32e(6, 11, -40),
        l32e(7, 11, -36),
        l32e(8, 11, -32),
        l32e(9, 11, -28),
        l32e(10, 11, -24),
        l32e(11, 11, -20),
        RFWU,
    ],
];
