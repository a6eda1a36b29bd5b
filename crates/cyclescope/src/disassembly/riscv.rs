//! The memory operand of a RISC-V instruction, and PicoRV32's own instructions as text. Both by the core's decoder: Capstone
//! tells no memory of the compressed ones and the atomics, and does not know PicoRV32's.

use cyclescope_riscv::decode::{self, Extension, Extensions, Instruction, Op, Row};

use super::text::Memory;

/// The names of the registers in the ABI, by number.
pub(crate) const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// Of all cores: what one of them lacks does not retire there.
const EXTENSIONS: Extensions = Extensions { pico_irq: true, ..Extensions::IMAC };

/// Returns the length of the instruction that `bytes` begin with.
pub(super) fn length(bytes: &[u8]) -> usize {
    if decode::is_wide(bits(bytes) as u16) { 4 } else { 2 }
}

/// The memory that the instruction goes to. What reads and writes the same counts as a write.
pub(super) fn memory(bytes: &[u8]) -> Option<Memory> {
    let i = decode::decode(bits(bytes), EXTENSIONS);
    let bytes = match i.op {
        Op::Lb | Op::Lbu | Op::Sb => 1,
        Op::Lh | Op::Lhu | Op::Sh => 2,
        Op::Lw | Op::Sw => 4,
        _ if i.is_atomic() => 4,
        _ => return None,
    };
    // An atomic's address is its register.
    let offset = if i.is_atomic() { 0 } else { i.imm as i32 };
    let writes = !i.is_load() && i.op != Op::LrW;
    Some(Memory { base: Some(i.rs1), index: None, offset, bytes, writes })
}

/// An instruction of PicoRV32's own, as its README writes it.
pub(super) fn pico(bytes: &[u8]) -> Option<String> {
    let word = bits(bytes);
    let Row { name, build, .. } = decode::row(word).filter(|row| row.extension == Extension::PicoIrq)?;
    let Instruction { op, rd, rs1, .. } = build(word);
    let register = |number: u8| NAMES[usize::from(number)];
    Some(match op {
        Op::Getq => format!("{name:<7} {}, q{rs1}", register(rd)),
        Op::Setq => format!("{name:<7} q{rd}, {}", register(rs1)),
        Op::Maskirq | Op::Timer => format!("{name:<7} {}, {}", register(rd), register(rs1)),
        Op::Waitirq => format!("{name:<7} {}", register(rd)),
        _ => (*name).to_owned(),
    })
}

fn bits(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use cyclescope_image::Architecture;

    use super::super::Disassembler;
    use super::*;

    fn disassembler() -> Disassembler {
        Disassembler::new(Architecture::Riscv).expect("Capstone has RISC-V")
    }

    /// The register and the offset of an operand like `-8(sp)`, by its text.
    fn operand(text: &str) -> Option<(u8, i32)> {
        let (offset, base) = text.rsplit([' ', ',']).next()?.strip_suffix(')')?.split_once('(')?;
        let base = NAMES.iter().position(|name| *name == base)?;
        let (sign, digits) = offset.strip_prefix('-').map_or((1, offset), |digits| (-1, digits));
        let number = match digits.strip_prefix("0x") {
            Some(digits) => i32::from_str_radix(digits, 16).ok()?,
            None if digits.is_empty() => 0,
            None => digits.parse().ok()?,
        };
        Some((u8::try_from(base).ok()?, sign * number))
    }

    /// Every compressed instruction goes where its text says, and no other goes anywhere.
    #[test]
    fn compressed_instructions_go_where_their_text_says() {
        let disassembler = disassembler();
        let mut seen = 0;
        for half in (0..=u16::MAX).filter(|half| !decode::is_wide(*half)) {
            let text = disassembler.text(&half.to_le_bytes(), 0);
            let known = decode::row(half.into()).is_some();
            let expect = operand(&text.text).filter(|_| known && !text.text.starts_with("c.f"));
            assert_eq!(
                text.memory.map(|memory| (memory.base, memory.offset)),
                expect.map(|(base, offset)| (Some(base), offset)),
                "{half:04x} {}",
                text.text
            );
            if let Some(memory) = text.memory {
                assert_eq!((memory.bytes, memory.writes), (4, text.text.starts_with("c.s")), "{}", text.text);
                seen += 1;
            }
        }
        assert!(seen > 4 * 1000, "{seen}");
    }

    #[test]
    fn instructions_go_where_the_manual_says() {
        for (word, text, expect) in [
            (0xFFF5_0583_u32, "lb      a1, -1(a0)", (10, -1, 1, false)),
            (0x0025_5583, "lhu     a1, 2(a0)", (10, 2, 2, false)),
            (0xFEB5_2E23, "sw      a1, -4(a0)", (10, -4, 4, true)),
            (0x1005_25AF, "lr.w    a1, (a0)", (10, 0, 4, false)),
            (0x18C5_25AF, "sc.w    a1, a2, (a0)", (10, 0, 4, true)),
            (0x00C5_25AF, "amoadd.w a1, a2, (a0)", (10, 0, 4, true)),
            (0x0AC5_A52F, "amoswap.w.rl a0, a2, (a1)", (11, 0, 4, true)),
        ] {
            let found = disassembler().text(&word.to_le_bytes(), 0);
            let (base, offset, bytes, writes) = expect;
            let expect = Memory { base: Some(base), index: None, offset, bytes, writes };
            assert_eq!((found.text.as_str(), found.memory), (text, Some(expect)));
        }
    }

    #[test]
    fn instructions_of_picorv32_have_their_names() {
        for (word, expect) in [
            (0x0001_808B_u32, "getq    ra, q3"),
            (0x0205_010B, "setq    q2, a0"),
            (0x0400_000B, "retirq"),
            (0x0602_800B, "maskirq zero, t0"),
            (0x0800_030B, "waitirq t1"),
            (0x0A02_800B, "timer   zero, t0"),
            (0x0C00_000B, "(unknown)"),
        ] {
            let found = disassembler().text(&word.to_le_bytes(), 0);
            assert_eq!((found.text.as_str(), found.length, found.memory), (expect, 4, None));
        }
    }
}
