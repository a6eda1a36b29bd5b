//! Decides which forms of an instruction streams leave out. UNPREDICTABLE is the manual's term (DDI 0419E §A6.7 and DDI
//! 0403E §A7.7, under each instruction): two implementations may differ there and both be right.

use cyclescope_cortex_m::decode::{
    Architecture, Dsp, DspOp, FpAccess, Index, Indexed, Instruction, Multiple, Op, Reg, Shift, Shifted,
};

use super::steer::{Access, To, sources};

type Why = Option<&'static str>;

const UNALIGNED_SP: &str = "UNPREDICTABLE: sp that is no multiple of 4";
const BAD: &str = "UNPREDICTABLE: sp or pc as an operand";

/// Returns the reason to leave out `bits` of the row `name`, decoded as `instruction`, if there is one.
pub fn left_out(architecture: Architecture, name: &str, bits: u32, instruction: &Instruction) -> Why {
    if matches!(instruction.op, Op::Undefined) {
        return Some("UNDEFINED or UNPREDICTABLE: taken as undefined here; cortex-m/tests/v7_faults.rs");
    }
    if architecture.is_v7() && bits > 0xFFFF {
        wide(architecture, name, bits, instruction)
    } else {
        narrow(architecture, name, instruction)
    }
}

fn narrow(architecture: Architecture, name: &str, instruction: &Instruction) -> Why {
    let Instruction { op, rd, rn, rm, imm } = *instruction;
    let list = Multiple::unpack(imm).list;
    match op {
        Op::Ldm | Op::Stm if list == 0 => Some("UNPREDICTABLE: empty register list"),
        Op::Stm if list & 1 << rn as u32 != 0 && list.trailing_zeros() != rn as u32 => {
            Some("UNKNOWN value stored: base in the list and not its lowest register")
        }
        Op::AddPc if rm == Reg::Pc => Some("UNPREDICTABLE: ADD PC, PC"),
        Op::AddHigh | Op::MovSp if rd == Reg::Sp && rm == Reg::Pc => {
            Some("UNPREDICTABLE where pc is not word-aligned: it would set SP<1:0>")
        }
        Op::CmpReg if name == "CMP (register) T2" => {
            if rn == Reg::Pc || rm == Reg::Pc {
                Some("UNPREDICTABLE: CMP with pc")
            } else if rn < Reg::R8 && rm < Reg::R8 {
                Some("UNPREDICTABLE: CMP T2 of two low registers")
            } else {
                None
            }
        }
        Op::Bx | Op::Blx if rm == Reg::Pc => Some("UNPREDICTABLE: BX or BLX with pc"),
        Op::Bx | Op::Blx if rm == Reg::Sp => Some("faults: SP<0> is zero, which asks for Arm state"),
        Op::Cps if imm & (Instruction::CPS_PRIMASK | Instruction::CPS_FAULTMASK) == 0 => {
            Some("UNPREDICTABLE: CPS that changes nothing")
        }
        Op::Mrs | Op::Msr => special(architecture, instruction),
        _ => None,
    }
}

/// Handles MRS and MSR.
fn special(architecture: Architecture, instruction: &Instruction) -> Why {
    let Instruction { op, rd, rn, imm, .. } = *instruction;
    let register = if op == Op::Mrs { rd } else { rn };
    if matches!(register, Reg::Sp | Reg::Pc) {
        return Some("UNPREDICTABLE: MRS to, or MSR from, sp or pc");
    }
    let known = match imm & 0xFF {
        17..=19 => architecture.is_v7(),
        number => matches!(number, 0..=3 | 5..=9 | 16 | 20),
    };
    if !known {
        return Some("UNPREDICTABLE: special register that the architecture does not have");
    }
    if op == Op::Mrs && imm == 20 && architecture.has_fpu() {
        return Some("MRS from CONTROL with floating point: the peer shows a bit of Armv8-M; tests/directed.rs");
    }
    if op == Op::Msr && architecture.is_v7() {
        let flags = matches!(imm & 0xFF, 0..=3);
        return match imm >> 8 & 3 {
            0 => Some("UNPREDICTABLE: MSR that writes nothing"),
            1 | 3 if !flags => Some("UNPREDICTABLE: MSR of the GE bits of a register that has none"),
            1 | 3 if architecture == Architecture::Armv7M => Some("UNPREDICTABLE: GE bits without the DSP extension"),
            _ => None,
        };
    }
    None
}

const fn field(bits: u32, low: u32) -> Reg {
    Reg::new(bits >> low)
}

fn bad(register: Reg) -> bool {
    matches!(register, Reg::Sp | Reg::Pc)
}

fn if_any(registers: &[Reg]) -> Why {
    registers.iter().any(|register| bad(*register)).then_some(BAD)
}

fn wide(architecture: Architecture, name: &str, bits: u32, i: &Instruction) -> Why {
    let [n, t, d, m] = [16, 12, 8, 0].map(|low| field(bits, low));
    match i.op {
        Op::MovConst | Op::MvnConst | Op::Adr => if_any(&[d]),
        Op::TstConst | Op::TeqConst => if_any(&[n]),
        Op::CmpImm | Op::CmnConst => (n == Reg::Pc).then_some(BAD),
        Op::AddConst | Op::SubConst => with_sp(d, n).or((d == Reg::Sp && i.imm & 3 != 0).then_some(UNALIGNED_SP)),
        Op::AddShifted | Op::SubShifted => {
            let shift = Shifted::unpack(i.imm);
            let far = d == Reg::Sp && (shift.by != Shift::Lsl || shift.amount > 3);
            if far { Some("UNPREDICTABLE: sp from a register shifted otherwise than left by up to 3") } else { None }
                .or(if_any(&[m]))
                .or(with_sp(d, n))
        }
        Op::MovShifted => {
            let shift = Shifted::unpack(i.imm);
            let plain = shift.by == Shift::Lsl && shift.amount == 0;
            if plain && !shift.sets_flags {
                let both = d == Reg::Sp && m == Reg::Sp;
                (both || d == Reg::Pc || m == Reg::Pc).then_some(BAD)
            } else {
                if_any(&[d, m])
            }
        }
        Op::TstShifted | Op::TeqShifted => if_any(&[n, m]),
        Op::CmpShifted | Op::CmnShifted => (n == Reg::Pc).then_some(BAD).or(if_any(&[m])),
        Op::Ssat | Op::Usat | Op::Ubfx | Op::Sbfx => if_any(&[d, n]).or_else(|| {
            let past = matches!(i.op, Op::Ubfx | Op::Sbfx) && (i.imm & 0xFF) + (i.imm >> 8) > 32;
            past.then_some("UNPREDICTABLE: a bit field that ends beyond bit 31")
        }),
        Op::Bfi => if_any(&[d]).or((n == Reg::Sp).then_some(BAD)),
        Op::Rev | Op::Rev16 | Op::Rbit | Op::Revsh | Op::Clz => {
            if_any(&[d, m]).or((n != m).then_some("UNPREDICTABLE: two different numbers for one register"))
        }
        Op::Mla | Op::Mls => if_any(&[d, n, m]).or((bad(t)).then_some(BAD)),
        Op::Umull | Op::Smull | Op::Umlal | Op::Smlal => long(t, d, n, m),
        Op::Dsp => dsp(Dsp::unpack(i.imm).op, [n, t, d, m]),
        Op::Mrs | Op::Msr => special(architecture, i),
        _ if i.needs_fpu() => floating_point(name, bits, i),
        Op::Nop if name.ends_with("(register)") => if_any(&[m]),
        // Other data processing: its destination and what it reads.
        _ if sources(i) != 0 => {
            let used = sources(i) | 1 << i.rd as u32;
            (used & (1 << Reg::Sp as u32 | 1 << Reg::Pc as u32) != 0).then_some(BAD)
        }
        _ => access(name, bits, i),
    }
}

/// Handles ADD and SUB, whose destination may be the stack pointer if the first operand is.
fn with_sp(d: Reg, n: Reg) -> Why {
    (d == Reg::Pc || n == Reg::Pc || d == Reg::Sp && n != Reg::Sp).then_some(BAD)
}

fn long(low: Reg, high: Reg, n: Reg, m: Reg) -> Why {
    let same = "UNPREDICTABLE: one register for both words of a result";
    if_any(&[low, high, n, m]).or((low == high).then_some(same))
}

fn dsp(op: DspOp, [n, t, d, m]: [Reg; 4]) -> Why {
    use DspOp as D;
    match op {
        D::Smlalbb
        | D::Smlalbt
        | D::Smlaltb
        | D::Smlaltt
        | D::Smlald
        | D::Smlaldx
        | D::Smlsld
        | D::Smlsldx
        | D::Umaal => long(t, d, n, m),
        D::Ssat16 | D::Usat16 => if_any(&[d, n]),
        D::Smlabb
        | D::Smlabt
        | D::Smlatb
        | D::Smlatt
        | D::Smlad
        | D::Smladx
        | D::Smlawb
        | D::Smlawt
        | D::Smlsd
        | D::Smlsdx
        | D::Smmla
        | D::Smmlar
        | D::Smmls
        | D::Smmlsr
        | D::Usada8 => if_any(&[d, n, m, t]),
        // The first operand of an extension without addition reads as pc.
        D::Sxtb | D::Sxth | D::Uxtb | D::Uxth | D::Sxtb16 | D::Uxtb16 => if_any(&[d, m]),
        _ => if_any(&[d, n, m]),
    }
}

/// Handles loads, stores and branches.
fn access(name: &str, bits: u32, i: &Instruction) -> Why {
    const OWN_BASE: &str = "UNPREDICTABLE: base written back over a register that is moved";
    let [n, t, t2, m] = [16, 12, 8, 0].map(|low| field(bits, low));
    let no_base = (n == Reg::Pc).then_some("UNDEFINED or UNPREDICTABLE: pc as the base");
    let word = name.starts_with("LDR (") || name.starts_with("STR (");
    // A word may be moved to and from sp, nothing else may, and pc cannot be stored.
    let target = if word { (t == Reg::Pc).then_some(BAD) } else { if_any(&[t]) };
    match i.op {
        Op::LdrPcLiteral => None,
        Op::LdrPcReg => if_any(&[m]),
        Op::LdrImm | Op::LdrIndexed if t == Reg::Sp && n == Reg::Sp && i.imm & 3 != 0 => Some(UNALIGNED_SP),
        Op::LdrPcIndexed if n == Reg::Sp && i.imm & 3 != 0 => Some(UNALIGNED_SP),
        Op::LdrPcImm | Op::LdrPcIndexed => {
            let post = i.op == Op::LdrPcIndexed && Indexed::unpack(i.imm).index == Index::Post;
            (n == Reg::Sp && !post && i.imm & 3 != 0).then_some("UNPREDICTABLE: pc from an unaligned address")
        }
        Op::LdrLiteral | Op::LdrhLiteral | Op::LdrbLiteral | Op::LdrshLiteral | Op::LdrsbLiteral => target,
        _ if i.is_indexed() => {
            let writes = Indexed::unpack(i.imm).index != Index::Unprivileged;
            let target = if writes { target } else { if_any(&[t]) };
            let unaligned = writes && n == Reg::Sp && i.imm & 3 != 0;
            target.or(no_base).or((writes && n == t).then_some(OWN_BASE)).or(unaligned.then_some(UNALIGNED_SP))
        }
        Op::LdrdLiteral => if_any(&[t, t2])
            .or((t == t2).then_some("UNPREDICTABLE: both words into one register"))
            .or((bits & 1 << 21 != 0).then_some("UNPREDICTABLE: pc as a base that is written back")),
        Op::Ldrd | Op::Strd => {
            let writes = Indexed::unpack(i.imm).index != Index::Offset;
            let same = i.op == Op::Ldrd && t == t2;
            if_any(&[t, t2])
                .or(no_base)
                .or(same.then_some("UNPREDICTABLE: both words into one register"))
                .or((writes && (n == t || n == t2)).then_some(OWN_BASE))
        }
        Op::Ldm | Op::LdmPc | Op::Stm => {
            let multiple = Multiple::unpack(i.imm);
            let (pc, lr) = (multiple.list & 1 << 15 != 0, multiple.list & 1 << 14 != 0);
            let short = multiple.list.count_ones() < 2;
            let own = multiple.writes_base && multiple.list & 1 << n as u32 != 0;
            no_base
                .or((short || pc && lr).then_some("UNPREDICTABLE: a list of fewer than two, or of both lr and pc"))
                .or(own.then_some(OWN_BASE))
        }
        Op::Ldrex | Op::Ldrexh | Op::Ldrexb => if_any(&[t]).or(no_base),
        Op::Strex | Op::Strexh | Op::Strexb => {
            let same = i.rd == i.rn || i.rd == i.rm;
            let why = "UNPREDICTABLE: the status over base or value of an exclusive store";
            if_any(&[i.rd, i.rm]).or(no_base).or(same.then_some(why))
        }
        Op::Tbb | Op::Tbh => (n == Reg::Sp).then_some(BAD).or(if_any(&[m])),
        _ => match Access::of(i)?.to {
            To::Base(_) => target.or(no_base),
            To::Register(_) => target.or(no_base).or(if_any(&[m])),
        },
    }
}

fn floating_point(name: &str, bits: u32, i: &Instruction) -> Why {
    let is_double = bits & 0xF00 == 0xB00;
    // D<4> is N, M or D, depending on the encoding; there are doubles up to D15.
    let high_bit = match i.op {
        Op::VmovToCore | Op::VmovFromCore => 7,
        Op::VmovPairToCore | Op::VmovPairFromCore => 5,
        _ => 22,
    };
    if is_double && bits & 1 << high_bit != 0 {
        return Some("UNDEFINED: doubles D16 to D31 are not there");
    }
    let no_base = (i.rn == Reg::Pc).then_some("UNPREDICTABLE: pc as the base");
    match i.op {
        Op::Vldr | Op::VldrLiteral => None,
        Op::Vstr => no_base,
        Op::Vldm | Op::Vstm => {
            let odd = is_double && bits & 1 != 0;
            let count = FpAccess::unpack(i.imm).count;
            no_base
                .or(odd.then_some("deprecated FLDMX and FSTMX; nothing emits them"))
                .or((is_double && count > 32).then_some("UNPREDICTABLE: more than 16 doubles"))
        }
        Op::VmovToCore | Op::VmovFromCore | Op::Vmsr => if_any(&[i.rd]),
        Op::Vmrs => (i.rd == Reg::Sp).then_some(BAD),
        Op::VmovPairFromCore => if_any(&[i.rd, i.rn]),
        Op::VmovPairToCore => {
            let same = (i.rd == i.rn).then_some("UNPREDICTABLE: both words into one register");
            if_any(&[i.rd, i.rn]).or(same)
        }
        _ if matches!(name, "VCMP T2" | "VCMPE T2") && bits & 0x2F != 0 => {
            Some("UNPREDICTABLE: bits set that should be zero")
        }
        _ => None,
    }
}
