use super::*;

fn check(bits: u32, op: Op, rd: u8, rs1: u8, rs2: u8, imm: u32) {
    let extensions = Extensions { pico_irq: true, data_cache: true, ..Extensions::IMAC };
    let i = decode(bits, extensions);
    assert_eq!((i.op, i.rd, i.rs1, i.rs2, i.imm), (op, rd, rs1, rs2, imm), "{bits:08x}");
}

#[test]
fn rows_of_32_bits_do_not_overlap() {
    for (index, first) in WIDE.iter().enumerate() {
        assert_eq!(first.value & !first.mask, 0, "{}", first.name);
        assert_eq!(first.mask & 3, 3, "{}", first.name);
        for second in &WIDE[index + 1..] {
            let common = first.mask & second.mask;
            assert_ne!(first.value & common, second.value & common, "{} and {}", first.name, second.name);
        }
    }
}

#[test]
fn every_halfword_lands_somewhere_and_special_cases_come_first() {
    let (mut wide, mut reserved) = (0, 0);
    for half in 0..=u16::MAX {
        let bits = u32::from(half);
        if is_wide(half) {
            wide += 1;
            continue;
        }
        let matching: Vec<&Row> = NARROW.iter().filter(|row| bits & row.mask == row.value).collect();
        for pair in matching.windows(2) {
            let [first, second] = pair else { unreachable!() };
            let more = first.mask.count_ones() > second.mask.count_ones();
            assert!(more, "{half:04x}: {} fixes more bits than {}", first.name, second.name);
        }
        let i = decode(bits, Extensions::IMAC);
        assert_eq!(i.op == Op::Illegal, row(bits).is_none(), "{half:04x}");
        reserved += u32::from(i.op == Op::Illegal);
    }
    assert_eq!(wide, 0x4000);
    // Quadrant 0: 8 of C.ADDI4SPN and five whole rows (001, 011, 100, 101, 111). Quadrant 1: 32 of C.LUI and C.ADDI16SP,
    // 2 × 256 shifts by more than 31, 4 × 64 of C.SUBW and its like. Quadrant 2: 1024 shifts, 64 loads
    // to x0, C.JR x0, and three whole rows (001, 011, 101, 111 are floating point or of 64 bits).
    assert_eq!(reserved, 8 + 5 * 2048 + 32 + 512 + 8 * 32 + 1024 + 64 + 1 + 4 * 2048);
}

#[test]
fn fields_are_taken_as_an_assembler_puts_them() {
    // Words from GNU as 2.40.
    check(0x1234_52B7, Op::Lui, 5, 0, 0, 0x1234_5000); // lui t0, 0x12345
    check(0xFFFF_F517, Op::Auipc, 10, 0, 0, 0xFFFF_F000); // auipc a0, 0xfffff
    check(0xFF9F_F0EF, Op::Jal, 1, 0, 0, -8i32 as u32); // jal .-8
    check(0xFFC5_80E7, Op::Jalr, 1, 11, 0, -4i32 as u32); // jalr ra, -4(a1)
    check(0xFEB5_0EE3, Op::Beq, 0, 10, 11, -4i32 as u32); // beq a0, a1, .-4
    check(0x00B5_7463, Op::Bgeu, 0, 10, 11, 8); // bgeu a0, a1, .+8
    check(0xFFF5_4503, Op::Lbu, 10, 10, 0, u32::MAX); // lbu a0, -1(a0)
    check(0xFEB5_2E23, Op::Sw, 0, 10, 11, -4i32 as u32); // sw a1, -4(a0)
    check(0x0015_0513, Op::Addi, 10, 10, 0, 1); // addi a0, a0, 1
    check(0x41F5_5513, Op::Srai, 10, 10, 0, 31); // srai a0, a0, 31
    check(0x40B5_0533, Op::Sub, 10, 10, 11, 0); // sub a0, a0, a1
    check(0x02B5_5533, Op::Divu, 10, 10, 11, 0); // divu a0, a0, a1
    check(0x3004_7073, Op::Csrrci, 0, 8, 0, 0x300); // csrci mstatus, 8
    check(0x3412_9573, Op::Csrrw, 10, 5, 0, 0x341); // csrrw a0, mepc, t0
    check(0x1005_A52F, Op::LrW, 10, 11, 0, 0); // lr.w a0, (a1)
    check(0x18C5_A52F, Op::ScW, 10, 11, 12, 0); // sc.w a0, a2, (a1)
    check(0x06C5_A52F, Op::AmoaddW, 10, 11, 12, 0); // amoadd.w.aqrl a0, a2, (a1)
    check(0x3020_0073, Op::Mret, 0, 0, 0, 0);
    check(0x1050_0073, Op::Wfi, 0, 0, 0, 0);
    check(0x0000_100F, Op::FenceI, 0, 0, 0, 0);
    check(0x0330_000F, Op::Fence, 0, 0, 0, 0); // fence rw, rw
}

#[test]
fn compressed_fields_are_taken_as_an_assembler_puts_them() {
    check(0x0808, Op::Addi, 10, 2, 0, 16); // addi a0, sp, 16
    check(0x5D5C, Op::Lw, 15, 10, 0, 60); // lw a5, 60(a0)
    check(0xC14C, Op::Sw, 0, 10, 11, 4); // sw a1, 4(a0)
    check(0x157D, Op::Addi, 10, 10, 0, u32::MAX); // addi a0, a0, -1
    check(0x0001, Op::Addi, 0, 0, 0, 0); // nop
    check(0x3FF5, Op::Jal, 1, 0, 0, -4i32 as u32); // jal .-4
    check(0xBFF5, Op::Jal, 0, 0, 0, -4i32 as u32); // j .-4
    check(0x557D, Op::Addi, 10, 0, 0, u32::MAX); // li a0, -1
    check(0x7139, Op::Addi, 2, 2, 0, -64i32 as u32); // addi sp, sp, -64
    check(0x6505, Op::Lui, 10, 0, 0, 0x1000); // lui a0, 1
    check(0x757D, Op::Lui, 10, 0, 0, 0xFFFF_F000); // lui a0, 0xfffff
    check(0x817D, Op::Srli, 10, 10, 0, 31); // srli a0, a0, 31
    check(0x8505, Op::Srai, 10, 10, 0, 1); // srai a0, a0, 1
    check(0x8975, Op::Andi, 10, 10, 0, 29); // andi a0, a0, 29
    check(0x8D0D, Op::Sub, 10, 10, 11, 0); // sub a0, a0, a1
    check(0x8D2D, Op::Xor, 10, 10, 11, 0);
    check(0x8D4D, Op::Or, 10, 10, 11, 0);
    check(0x8D6D, Op::And, 10, 10, 11, 0);
    check(0xDD75, Op::Beq, 0, 10, 0, -4i32 as u32); // beqz a0, .-4
    check(0xE119, Op::Bne, 0, 10, 0, 6); // bnez a0, .+6
    check(0x0506, Op::Slli, 10, 10, 0, 1); // slli a0, a0, 1
    check(0x50F2, Op::Lw, 1, 2, 0, 60); // lw ra, 60(sp)
    check(0xDE06, Op::Sw, 0, 2, 1, 60); // sw ra, 60(sp)
    check(0x8082, Op::Jalr, 0, 1, 0, 0); // ret
    check(0x852E, Op::Add, 10, 0, 11, 0); // mv a0, a1
    check(0x9502, Op::Jalr, 1, 10, 0, 0); // jalr a0
    check(0x952E, Op::Add, 10, 10, 11, 0); // add a0, a0, a1
    check(0x9002, Op::Ebreak, 0, 0, 0, 0);
    check(0x0000, Op::Illegal, 0, 0, 0, 0);
}

#[test]
fn what_a_core_does_not_have_is_illegal() {
    for (bits, without) in [
        (0x02B5_5533, Extensions { m: false, ..Extensions::IMAC }),
        (0x1005_A52F, Extensions::IMC),
        (0x852E, Extensions { c: false, ..Extensions::IMAC }),
        (0x1050_0073, Extensions::PICORV32),
        (0x0C00_600B, Extensions::IMAC),
        (0x0400_000B, Extensions::IMAC),
    ] {
        assert_eq!(decode(bits, without), Instruction::new(Op::Illegal).imm(bits), "{bits:08x}");
    }
    assert_eq!(decode(0x0400_000B, Extensions::PICORV32).op, Op::Retirq);
}

#[test]
fn there_is_an_encoding_of_every_operation() {
    for row in WIDE {
        assert_ne!(
            decode(row.value, Extensions { pico_irq: true, data_cache: true, ..Extensions::IMAC }).op,
            Op::Illegal,
            "{}",
            row.name
        );
    }
}
