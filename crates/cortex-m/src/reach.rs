//! The ties of an instruction to its own place (DDI 0403E §A7.7): branches that reach only near, and data beside the code.

use cyclescope_machine::Reach;

use crate::decode::shape::{Shape, shape};
use crate::decode::{Architecture, FpAccess, Op, is_wide};

/// The no-operation of Armv6-M's assemblers.
const MOV_R8_R8: u16 = 0x46C0;

/// Returns the ties of the instruction `halfwords` at `pc`, of which the second halfword counts if the instruction has two. A linker
/// gives BL and the unconditional B of 32 bits any target that a flash has.
pub fn reach(architecture: Architecture, halfwords: [u16; 2], pc: u32) -> Reach {
    let wide = is_wide(halfwords[0]);
    let i = architecture.instructions().decode(halfwords[0], if wide { halfwords[1] } else { 0 });
    let here = pc.wrapping_add(4);
    let word = here & !3;
    let (near, literal) = match i.op {
        Op::B if wide => (None, false),
        Op::B | Op::Cbz | Op::Cbnz => (Some(here.wrapping_add(i.imm)), false),
        _ if matches!(shape(&i), Shape::BranchIf) => (Some(here.wrapping_add(i.imm)), false),
        // The table stands behind it.
        Op::Tbb | Op::Tbh => (Some(here), false),
        Op::VldrLiteral => (Some(word.wrapping_add_signed(FpAccess::unpack(i.imm).offset)), true),
        Op::Adr
        | Op::LdrLiteral
        | Op::LdrhLiteral
        | Op::LdrbLiteral
        | Op::LdrshLiteral
        | Op::LdrsbLiteral
        | Op::LdrdLiteral
        | Op::LdrPcLiteral => (Some(word.wrapping_add(i.imm)), true),
        _ => (None, false),
    };
    let leaves = matches!(
        shape(&i),
        Shape::Branch | Shape::BranchIndirect | Shape::Table | Shape::LoadPc | Shape::LoadMultiplePc(_) | Shape::Fault
    );
    let idle = i.op == Op::Nop || halfwords[0] == MOV_R8_R8;
    Reach { bytes: if wide { 4 } else { 2 }, goes_on: !leaves, near, literal, idle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_encoding_ties_to_its_place() {
        let check = |halfwords: [u16; 2], pc: u32, goes_on: bool, near: Option<u32>, literal: bool| {
            let bytes = if is_wide(halfwords[0]) { 4 } else { 2 };
            let idle = halfwords[0] == 0xBF00;
            let expect = Reach { bytes, goes_on, near, literal, idle };
            assert_eq!(reach(Architecture::Armv7EMF, halfwords, pc), expect, "{halfwords:#x?}");
        };
        check([0xE7FE, 0], 0x100, false, Some(0x100), false); // b .
        check([0xD0FE, 0], 0x100, true, Some(0x100), false); // beq .
        check([0xB100, 0], 0x100, true, Some(0x104), false); // cbz r0, .+4
        check([0xF7FF, 0xFFFE], 0x100, false, None, false); // bl .
        check([0xF7FF, 0xBFFE], 0x100, false, None, false); // b.w .
        check([0x4801, 0], 0x102, true, Some(0x108), true); // ldr r0, [pc, #4]
        check([0xA001, 0], 0x100, true, Some(0x108), true); // adr r0, .+8
        check([0xED9F, 0x0A01], 0x100, true, Some(0x108), true); // vldr s0, [pc, #4]
        check([0x4770, 0], 0x100, false, None, false); // bx lr
        check([0x4780, 0], 0x100, false, None, false); // blx r0
        check([0xBD10, 0], 0x100, false, None, false); // pop {r4, pc}
        check([0xE8DF, 0xF000], 0x100, false, Some(0x104), false); // tbb [pc, r0]
        check([0xDE00, 0], 0x100, false, None, false); // udf
        check([0xBF00, 0], 0x100, true, None, false); // nop
    }
}
