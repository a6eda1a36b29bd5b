//! Prepares instructions: operands at the edges, and bases whose accesses hit memory.

use cyclescope_cortex_m::Fpscr;
use cyclescope_cortex_m::decode::{
    Architecture, Dsp, DspOp, Fp, FpAccess, FpOp, Index, Indexed, Instruction, Multiple, Op, Reg,
};
use cyclescope_machine::Width;

use super::assembly::divided;
use super::chunk::{Chunk, Literal, Patch};
use super::transfer;
use crate::arm::map::{DATA_BYTES, IMAGE_BYTES, RAM_BASE, Region};
use crate::random::Random;

const fn bit(register: Reg) -> u32 {
    1 << register as u32
}

/// Appends code to `chunk` after which `instruction` has a result worth comparing.
pub fn prepare(chunk: &mut Chunk, instruction: &Instruction, setting: Setting, random: &mut Random) {
    if loads_sp(instruction) {
        transfer::through_pool(chunk, instruction, Literal::Value(random.operand() & !3), random);
        return;
    }
    let mut steer = Steer { chunk, setting, random };
    let Instruction { op, rd, rn, rm, imm } = *instruction;
    if let Some(access) = Access::of(instruction) {
        let rn = access.base;
        match access.to {
            To::Base(offset) => steer.base(rn, offset, &access),
            To::Register(shift) => steer.base_and_offset(rn, rm, shift, &access),
        }
        if matches!(op, Op::Strex | Op::Strexh | Op::Strexb) {
            steer.monitor(instruction);
        }
        return;
    }
    match op {
        Op::AddHigh if rd == Reg::Sp && rm != Reg::Sp => steer.aligned(rm),
        Op::MovSp if rm != Reg::Sp => steer.aligned(rm),
        Op::AddShifted | Op::SubShifted | Op::MovShifted if rd == Reg::Sp => steer.aligned(rm),
        Op::Msr => {
            let value = steer.special(imm);
            if imm & 0xFF == 20 && setting.architecture.has_fpu() && value & 4 == 0 {
                // A new context keeps FPSCR's flags, except in the peer (see the known defects).
                let modes = fpscr(steer.random) & Fpscr::CONTROL;
                steer.set_fpscr(modes);
            }
            steer.set(rn, value, 0);
        }
        Op::Fp => steer.floating_point(Fp::unpack(imm)),
        Op::Vmsr => {
            let value = fpscr(steer.random);
            steer.set(rd, value, 0);
        }
        Op::Dsp => steer.dsp(instruction),
        _ => steer.operands(instruction),
    }
}

/// Appends `instruction`, encoded as `bits`, with a patch for its offset.
pub fn append(chunk: &mut Chunk, bits: u32, instruction: &Instruction) {
    let at = chunk.code.len();
    match instruction.op {
        Op::LdrLiteral if instruction.rd == Reg::Sp => {
            let word = chunk.word(Literal::Value(SOME_STACK));
            chunk.patches.push(Patch::Pool(at, word));
        }
        // The 16-bit form reaches no further than the image.
        Op::LdrLiteral if bits > 0xFFFF => chunk.patches.push(Patch::Literal12(at, 4)),
        Op::LdrhLiteral | Op::LdrshLiteral => chunk.patches.push(Patch::Literal12(at, 2)),
        Op::LdrbLiteral | Op::LdrsbLiteral => chunk.patches.push(Patch::Literal12(at, 1)),
        Op::VldrLiteral => {
            chunk.patches.push(Patch::Literal8(at, 4 * FpAccess::unpack(instruction.imm).count));
        }
        Op::LdrdLiteral => {
            let at = if chunk.offset(at) & 2 == 0 {
                at
            } else {
                // LDRD (literal) is UNPREDICTABLE if pc is not word-aligned (DDI 0403E §A7.7.50).
                chunk.narrow(NOP);
                at + 1
            };
            chunk.patches.push(Patch::Literal8(at, 8));
        }
        _ => {}
    }
    chunk.instruction(bits);
}

const NOP: u32 = 0xBF00;

/// The value that LDR (literal) loads into the stack pointer.
const SOME_STACK: u32 = 0x2000_0A5C;

/// Tells if a word is loaded into the stack pointer through a base register: the peer needs a multiple of 4.
fn loads_sp(instruction: &Instruction) -> bool {
    instruction.rd == Reg::Sp && matches!(instruction.op, Op::LdrImm | Op::LdrReg | Op::LdrIndexed)
}

/// The bit for FPSCR in register sets.
const FPSCR: u32 = 1 << 16;

/// Returns the registers that must not change between [`prepare`] and `instruction`, as a bit set; `None` if all may.
pub fn relies_on(instruction: &Instruction) -> Option<u32> {
    let Instruction { op, rd, rn, rm, imm } = *instruction;
    if let Some(access) = Access::of(instruction) {
        let offset = if matches!(access.to, To::Register(_)) { bit(rm) } else { 0 };
        // The value of an exclusive store does not matter, but it must follow its load at once.
        return Some(bit(access.base) | offset);
    }
    match op {
        Op::AddHigh if rd == Reg::Sp => Some(bit(rm)),
        Op::MovSp => Some(bit(rm)),
        Op::AddShifted | Op::SubShifted | Op::MovShifted if rd == Reg::Sp => Some(bit(rm)),
        Op::Msr => Some(bit(rn) | FPSCR),
        Op::Dsp if matches!(Dsp::unpack(imm).op, DspOp::Smlad | DspOp::Smladx) => Some(bit(rn)),
        Op::Fp if rounds_to_nearest(Fp::unpack(imm).op) => Some(FPSCR),
        _ => None,
    }
}

/// Returns the registers that an instruction without such needs may write, and perhaps more, as a bit set.
pub fn may_write(instruction: &Instruction) -> u32 {
    let Instruction { op, rd, rn, rm, imm } = *instruction;
    let special = match op {
        Op::AddSp | Op::SubSp => bit(Reg::Sp),
        Op::Vmsr => FPSCR,
        _ => 0,
    };
    bit(rd) | bit(rn) | bit(rm) | 1 << (imm & 15) | special
}

/// Tells if the operation converts from fixed point, which rounds to nearest in every mode of FPSCR.
const fn rounds_to_nearest(op: FpOp) -> bool {
    matches!(op, FpOp::FromSignedFixed32 | FpOp::FromUnsignedFixed32)
}

/// The address of an access.
pub enum To {
    /// The base register plus this.
    Base(u32),
    /// The base register plus the other one, shifted left by this.
    Register(u32),
}

/// The memory access of an instruction.
pub struct Access {
    base: Reg,
    /// Its address.
    pub to: To,
    /// The alignment that Armv6-M requires.
    width: Width,
    /// The number of bytes.
    bytes: u32,
    reads: bool,
    /// Tells if Armv7-M requires the alignment too.
    strict: bool,
}

impl Access {
    /// Returns the access of `instruction`, if it uses a base register.
    pub fn of(instruction: &Instruction) -> Option<Self> {
        use Width::{Byte, Half, Word};
        let Instruction { op, imm, .. } = *instruction;
        let base = instruction.rn;
        let one = |to, width: Width, reads| Self { base, to, width, bytes: width.bytes(), reads, strict: false };
        let several =
            |offset, bytes, reads| Self { base, to: To::Base(offset), width: Word, bytes, reads, strict: true };
        let exclusive = |width: Width, reads| Self { strict: true, ..one(To::Base(imm), width, reads) };
        let indexed = || {
            let Indexed { offset, index } = Indexed::unpack(imm);
            if index == Index::Post { 0 } else { offset as u32 }
        };
        let multiple = |reads| {
            let bytes = 4 * Multiple::listed(imm);
            several(if Multiple::unpack(imm).before { bytes.wrapping_neg() } else { 0 }, bytes, reads)
        };
        Some(match op {
            Op::LdrImm => one(To::Base(imm), Word, true),
            Op::LdrhImm | Op::LdrshImm => one(To::Base(imm), Half, true),
            Op::LdrbImm | Op::LdrsbImm => one(To::Base(imm), Byte, true),
            Op::StrImm => one(To::Base(imm), Word, false),
            Op::StrhImm => one(To::Base(imm), Half, false),
            Op::StrbImm => one(To::Base(imm), Byte, false),
            Op::LdrReg => one(To::Register(imm), Word, true),
            Op::LdrhReg | Op::LdrshReg => one(To::Register(imm), Half, true),
            Op::LdrbReg | Op::LdrsbReg => one(To::Register(imm), Byte, true),
            Op::StrReg => one(To::Register(imm), Word, false),
            Op::StrhReg => one(To::Register(imm), Half, false),
            Op::StrbReg => one(To::Register(imm), Byte, false),
            Op::LdrIndexed => one(To::Base(indexed()), Word, true),
            Op::LdrhIndexed | Op::LdrshIndexed => one(To::Base(indexed()), Half, true),
            Op::LdrbIndexed | Op::LdrsbIndexed => one(To::Base(indexed()), Byte, true),
            Op::StrIndexed => one(To::Base(indexed()), Word, false),
            Op::StrhIndexed => one(To::Base(indexed()), Half, false),
            Op::StrbIndexed => one(To::Base(indexed()), Byte, false),
            Op::Ldrd => several(indexed(), 8, true),
            Op::Strd => several(indexed(), 8, false),
            Op::Ldrex => exclusive(Word, true),
            Op::Ldrexh => exclusive(Half, true),
            Op::Ldrexb => exclusive(Byte, true),
            Op::Strex => exclusive(Word, false),
            Op::Strexh => exclusive(Half, false),
            Op::Strexb => exclusive(Byte, false),
            Op::Ldm => multiple(true),
            Op::Stm => multiple(false),
            Op::Vldr | Op::Vstr => {
                let FpAccess { offset, count, .. } = FpAccess::unpack(imm);
                several(offset as u32, 4 * count, op == Op::Vldr)
            }
            Op::Vldm | Op::Vstm => {
                let FpAccess { count, before, .. } = FpAccess::unpack(imm);
                several(if before { (4 * count).wrapping_neg() } else { 0 }, 4 * count, op == Op::Vldm)
            }
            _ => return None,
        })
    }
}

/// The architecture and flash base of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The architecture.
    pub architecture: Architecture,
    /// The base of flash.
    pub flash_base: u32,
}

/// Single-precision values at which floating point changes its behaviour: zeros, ones, the ends of the denormal, normal
/// and integer ranges, infinities, quiet and signalling NaNs.
const SINGLES: [u32; 24] = [
    0x0000_0000,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0x3F00_0000,
    0x0000_0001,
    0x8000_0001,
    0x007F_FFFF,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0001,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC1_2345,
    0x7F80_0001,
    0xFFA0_0000,
    0x4F00_0000,
    0xCF00_0000,
    0x4B80_0001,
    0x3380_0000,
];

/// Returns a single-precision value: a special one in most cases, one close to another, or any.
pub fn single(random: &mut Random) -> u32 {
    match random.below(8) {
        0..=3 => random.pick(&SINGLES),
        4 => random.pick(&SINGLES).wrapping_add(random.below(5)).wrapping_sub(2),
        5 => (0x3F00_0000 + (random.below(4) << 22)) ^ random.below(16) ^ (random.below(2) << 31),
        // Small integers, which are also denormal numbers.
        6 => random.operand(),
        _ => random.bits(),
    }
}

/// Returns a value for FPSCR: the reset value, random modes, or anything.
pub fn fpscr(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.bits() & Fpscr::NZCV,
        1 => random.bits(),
        _ => random.bits() & (Fpscr::CONTROL | Fpscr::NZCV),
    }
}

struct Steer<'a> {
    chunk: &'a mut Chunk,
    setting: Setting,
    random: &'a mut Random,
}

impl Steer<'_> {
    fn set(&mut self, register: Reg, value: u32, busy: u32) {
        self.chunk.set(register, Literal::Value(value), busy, self.random);
    }

    /// Returns an address for `access`. Its distance to `base`, if given, is a multiple of 4.
    fn place(&mut self, access: &Access, base: Option<u32>) -> u32 {
        let (start, size) = if access.reads && self.random.one_in(4) {
            (self.random.pick(&Region::ALL).base(self.setting.flash_base), IMAGE_BYTES)
        } else {
            (RAM_BASE, DATA_BYTES)
        };
        let last = size - access.bytes;
        let offset = match self.random.below(16) {
            0 => 0,
            1 => last,
            _ => self.random.below(last + 1),
        };
        let unaligned = self.setting.architecture.is_v7() && !access.strict && self.random.one_in(3);
        let address = start + if unaligned { offset } else { offset & !(access.width.bytes() - 1) };
        match base {
            None => address,
            Some(base) => {
                let off = address.wrapping_sub(base) & 3;
                if address - start >= off { address - off } else { address + 4 - off }
            }
        }
    }

    fn base(&mut self, rn: Reg, offset: u32, access: &Access) {
        // The stack pointer is always a multiple of 4.
        let address = self.place(access, (rn == Reg::Sp).then_some(offset));
        self.set(rn, address.wrapping_sub(offset), 0);
    }

    fn base_and_offset(&mut self, rn: Reg, rm: Reg, shift: u32, access: &Access) {
        if rn == rm {
            let address = self.place(access, None);
            let value = if shift == 0 {
                // Twice the register is an even address, whatever its top bit.
                let even = if access.width == Width::Byte { address & !1 } else { self.place_even(access) };
                (even >> 1) | self.random.below(2) << 31
            } else {
                divided(address, 1 + (1 << shift))
            };
            self.set(rn, value, 0);
        } else {
            let offset = self.random.operand();
            let moved = offset << shift;
            let address = self.place(access, (rn == Reg::Sp).then_some(moved));
            self.set(rn, address.wrapping_sub(moved), 0);
            self.set(rm, offset, bit(rn));
        }
    }

    fn place_even(&mut self, access: &Access) -> u32 {
        loop {
            let address = self.place(access, None);
            if address & 1 == 0 {
                return address;
            }
        }
    }

    /// Prepares an exclusive store with its load, or with code that makes it fail. QEMU compares address and value; the
    /// monitor of Armv7-M need not (DDI 0403E §A3.4.1), so nothing may come between.
    fn monitor(&mut self, store: &Instruction) {
        if self.random.one_in(3) {
            self.chunk.wide(0xF3BF_8F2F);
            return;
        }
        let into = loop {
            let low = Reg::new(self.random.below(8));
            if low != store.rn && low != store.rm {
                break low as u32;
            }
        };
        let base = (store.rn as u32) << 16;
        self.chunk.wide(match store.op {
            Op::Strex => 0xE850_0F00 | base | into << 12 | (store.imm / 4),
            Op::Strexh => 0xE8D0_0F5F | base | into << 12,
            _ => 0xE8D0_0F4F | base | into << 12,
        });
    }

    fn aligned(&mut self, register: Reg) {
        let value = self.random.operand() & !3;
        self.set(register, value, 0);
    }

    /// Returns a value for the special register `number` without reserved bits.
    fn special(&mut self, number: u32) -> u32 {
        match number & 0xFF {
            0..=7 => self.random.bits() & self.flags(),
            8 | 9 => self.random.operand() & !3,
            17 | 18 => self.random.operand() & 0xFF,
            // Unprivileged in some cases: there is no way back before the batch ends.
            20 => self.random.below(2) << 1 | u32::from(self.random.one_in(8)) | self.context(),
            _ => self.random.operand() & 1,
        }
    }

    /// Returns the flags that MSR writes.
    fn flags(&self) -> u32 {
        flags(self.setting.architecture)
    }

    /// Returns CONTROL.FPCA and SFPA. With FPCA cleared, the next floating-point instruction begins with the reset
    /// modes. The peer checks SFPA too; Armv7-M ignores it.
    fn context(&mut self) -> u32 {
        if self.setting.architecture.has_fpu() { self.random.below(2) * 12 } else { 0 }
    }

    /// Sets the single-precision register `number` through a low register.
    fn set_single(&mut self, number: u32, value: u32) {
        let low = self.random.below(8);
        self.set(Reg::new(low), value, 0);
        self.chunk.wide(0xEE00_0A10 | (number >> 1) << 16 | low << 12 | (number & 1) << 7);
    }

    /// Changes rounding and flushing modes in some cases.
    fn modes(&mut self) {
        if self.random.one_in(8) {
            let value = fpscr(self.random);
            self.set_fpscr(value);
        }
    }

    fn set_fpscr(&mut self, value: u32) {
        let low = self.random.below(8);
        self.set(Reg::new(low), value, 0);
        self.chunk.wide(0xEEE1_0A10 | low << 12);
    }

    fn floating_point(&mut self, fp: Fp) {
        let accumulates = matches!(
            fp.op,
            FpOp::Mla | FpOp::Mls | FpOp::Nmla | FpOp::Nmls | FpOp::Fma | FpOp::Fms | FpOp::Fnma | FpOp::Fnms
        );
        let reads = fp.reads() | if accumulates { 1 << fp.d } else { 0 };
        for number in (0..32).filter(|number| reads >> number & 1 != 0) {
            if !self.random.one_in(4) {
                let value = single(self.random);
                self.set_single(number, value);
            }
        }
        if rounds_to_nearest(fp.op) {
            // libunicorn 2.0.1 rounds as FPSCR says (see the known defects).
            let value = fpscr(self.random) & !Fpscr::RMODE;
            self.set_fpscr(value);
        } else {
            self.modes();
        }
    }

    /// Sets operands, and in some cases the flags, which record saturation and select for SEL.
    fn dsp(&mut self, instruction: &Instruction) {
        if self.random.one_in(4) {
            let low = self.random.below(8);
            let value = self.random.bits() & self.flags();
            self.set(Reg::new(low), value, 0);
            self.chunk.wide(0xF380_8C00 | low << 16);
        }
        self.operands(instruction);
        if matches!(Dsp::unpack(instruction.imm).op, DspOp::Smlad | DspOp::Smladx) {
            // If both products are 2^30, libunicorn 2.0.1 sets Q for their sum alone (see the known defects).
            let value = self.random.operand();
            self.set(instruction.rn, if value as u16 == 0x8000 { value ^ 1 } else { value }, 0);
        }
    }

    /// Sets operands at the edges in most cases.
    fn operands(&mut self, instruction: &Instruction) {
        let sources = sources(instruction);
        let mut busy = 0;
        // High registers come first, because setting one needs a low one.
        for register in Reg::ALL.into_iter().rev() {
            let usable = register < Reg::Sp || register == Reg::Lr;
            if sources & bit(register) != 0 && usable && !self.random.one_in(4) {
                let value = self.random.operand();
                self.set(register, value, busy);
                busy |= bit(register);
            }
        }
    }
}

/// Returns the flags in an architecture's APSR.
pub fn flags(architecture: Architecture) -> u32 {
    match architecture {
        Architecture::Armv6M => 0xF000_0000,
        Architecture::Armv7M => 0xF800_0000,
        _ => 0xF80F_0000,
    }
}

/// Returns the registers that a data-processing instruction reads.
pub fn sources(instruction: &Instruction) -> u32 {
    let Instruction { op, rd, rn, rm, imm } = *instruction;
    match op {
        Op::MvnReg | Op::RsbZero | Op::MovHigh | Op::MovShifted | Op::MvnShifted | Op::Clz | Op::Rbit => bit(rm),
        _ if op.is_between(Op::MovReg, Op::AsrImm) || op.is_between(Op::Sxth, Op::Revsh) => bit(rm),
        Op::AddImm | Op::SubImm | Op::CmpImm | Op::Ubfx | Op::Sbfx | Op::Ssat | Op::Usat => bit(rn),
        Op::Cbz | Op::Cbnz => bit(rn),
        Op::MovConst | Op::MvnConst => 0,
        _ if op.is_between(Op::AndConst, Op::CmnConst) => bit(rn),
        Op::TstReg | Op::AddHigh | Op::Umull | Op::Smull | Op::Udiv | Op::Sdiv => bit(rn) | bit(rm),
        _ if op.is_between(Op::LslReg, Op::Mul) || op.is_between(Op::AndReg, Op::BicReg) => bit(rn) | bit(rm),
        _ if op.is_between(Op::AndShifted, Op::MulQuiet) => bit(rn) | bit(rm),
        Op::Bfi => bit(rn) | bit(rd),
        Op::Bfc | Op::MovTop | Op::VmovFromCore => bit(rd),
        Op::VmovPairFromCore => bit(rd) | bit(rn),
        Op::Mla | Op::Mls => bit(rn) | bit(rm) | 1 << imm,
        Op::Umlal | Op::Smlal => bit(rn) | bit(rm) | bit(rd) | 1 << imm,
        // The fourth operand, or a number that stands for none.
        Op::Dsp => bit(rn) | bit(rm) | bit(rd) | 1 << (imm & 15),
        _ => 0,
    }
}
