//! The ties of an instruction to its own place: branches and compressed jumps, which reach only near.

use cyclescope_machine::Reach;

use crate::decode::{self, Extensions, Op, is_wide};

/// Returns the ties of the instruction `halfwords` at `pc`, of which the second halfword counts if the instruction has two. A linker
/// gives JAL, and AUIPC with what follows it, any target that a flash has.
pub fn reach(extensions: Extensions, halfwords: [u16; 2], pc: u32) -> Reach {
    let wide = is_wide(halfwords[0]);
    let second = if wide { halfwords[1] } else { 0 };
    let i = decode::decode(u32::from(second) << 16 | u32::from(halfwords[0]), extensions);
    let near = i.is_branch() || i.op == Op::Jal && !wide;
    let leaves = matches!(i.op, Op::Jal | Op::Jalr | Op::Mret | Op::Retirq | Op::Illegal);
    Reach {
        bytes: if wide { 4 } else { 2 },
        goes_on: !leaves,
        near: near.then(|| pc.wrapping_add(i.imm)),
        literal: false,
        idle: matches!(i.op, Op::Addi) && i.rd == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_encoding_ties_to_its_place() {
        let check = |bits: u32, goes_on: bool, near: Option<u32>| {
            let halfwords = [bits as u16, (bits >> 16) as u16];
            let bytes = if is_wide(halfwords[0]) { 4 } else { 2 };
            let expect = Reach { bytes, goes_on, near, literal: false, idle: false };
            assert_eq!(reach(Extensions::IMAC, halfwords, 0x100), expect, "{bits:#x}");
        };
        check(0x3FF5, false, Some(0xFC)); // c.jal .-4
        check(0xBFF5, false, Some(0xFC)); // c.j .-4
        check(0xFF9F_F0EF, false, None); // jal ra, .-8
        check(0xFF9F_F06F, false, None); // j .-8
        check(0x0000_0463, true, Some(0x108)); // beq x0, x0, .+8
        check(0x8082, false, None); // ret
        check(0x9502, false, None); // jalr a0
        check(0x3020_0073, false, None); // mret
        check(0x0000_0297, true, None); // auipc t0, 0
    }
}
