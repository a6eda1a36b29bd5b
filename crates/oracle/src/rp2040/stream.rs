//! Random programs of instructions and accesses that both sides have.

use super::CODE;
use crate::random::Random;

/// Pieces of a program.
const PIECES: usize = 48;

/// The registers at the beginning: r4 has memory for data, r5 the processors' I/O, r6 the interpolators there, r7 scratch
/// registers behind the APB, r8 to r10 their aliases, r11 spinlocks. r0 to r3 and r12 have any values.
const DATA: u32 = CODE + 0x2000;
const SIO: u32 = 0xD000_0000;
const INTERPOLATORS: u32 = SIO + 0x80;
const SCRATCH: u32 = 0x4005_800C;
const SPINLOCKS: u32 = SIO + 0x100;
const STACK: u32 = CODE + 0x3800;

/// A program with its registers.
#[derive(Clone, Debug)]
pub struct Setup {
    code: Vec<u16>,
    /// The row of each halfword.
    rows: Vec<usize>,
    pub(super) registers: [u32; 16],
    pub(super) instructions: usize,
}

impl Setup {
    /// The program `code`, with `registers` for r0 to r3.
    pub(super) fn of(code: &[u16], registers: [u32; 4]) -> Self {
        let instructions = code.iter().filter(|half| *half >> 11 < 0b11101).count() - follows(code);
        Self { code: code.to_vec(), rows: Vec::new(), registers: with(registers), instructions }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.code.iter().flat_map(|half| half.to_le_bytes()).collect();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// The row that the instruction at `pc` was made by.
    pub(super) fn row_at(&self, pc: u32) -> Option<usize> {
        self.rows.get((pc.wrapping_sub(CODE) / 2) as usize).copied()
    }
}

/// Second halves of instructions of 32 bits that look like instructions of their own.
fn follows(code: &[u16]) -> usize {
    code.windows(2).filter(|pair| pair[0] >> 11 >= 0b11101 && pair[1] >> 11 < 0b11101).count()
}

fn with(low: [u32; 4]) -> [u32; 16] {
    let mut registers = [0; 16];
    registers[..4].copy_from_slice(&low);
    let fixed = [
        (4, DATA),
        (5, SIO),
        (6, INTERPOLATORS),
        (7, SCRATCH),
        (8, SCRATCH | 0x1000),
        (9, SCRATCH | 0x2000),
        (10, SCRATCH | 0x3000),
        (11, SPINLOCKS),
        (13, STACK),
        (15, CODE),
    ];
    for (register, value) in fixed {
        registers[register] = value;
    }
    registers
}

/// Makes a piece.
type Make = fn(&mut Random) -> Vec<u16>;

/// A low register for data.
fn low(random: &mut Random) -> u16 {
    random.below(4) as u16
}

/// A number below `end`.
fn number(random: &mut Random, end: u32) -> u16 {
    random.below(end) as u16
}

/// Data processing between two registers: `code` with Rm and Rdn.
fn two(random: &mut Random, code: u16) -> Vec<u16> {
    vec![code | low(random) << 3 | low(random)]
}

/// An immediate of five bits between two registers.
fn shift(random: &mut Random, code: u16) -> Vec<u16> {
    vec![code | number(random, 32) << 6 | low(random) << 3 | low(random)]
}

/// A shift by a register that holds 1 to 31.
fn by_register(random: &mut Random, code: u16) -> Vec<u16> {
    let by = low(random);
    vec![0x2000 | by << 8 | (1 + number(random, 31)), code | by << 3 | low(random)]
}

/// An addition or subtraction with carry of 0 to 255.
fn with_carry(random: &mut Random, code: u16) -> Vec<u16> {
    let by = low(random);
    vec![0x2000 | by << 8 | number(random, 256), code | by << 3 | low(random)]
}

/// An immediate of eight bits.
fn eight(random: &mut Random, code: u16) -> Vec<u16> {
    vec![code | low(random) << 8 | number(random, 256)]
}

/// An access in the data at r4 with an immediate.
fn data(random: &mut Random, code: u16) -> Vec<u16> {
    vec![code | number(random, 32) << 6 | 4 << 3 | low(random)]
}

/// An access in the data at r4 with a register, which is made small first.
fn indexed(random: &mut Random, code: u16, scale: u32) -> Vec<u16> {
    let (index, offset) = (low(random), number(random, 256 / scale) * scale as u16);
    vec![0x2000 | index << 8 | offset, code | index << 6 | 4 << 3 | low(random)]
}

/// A word at a register's base: 0x6800 to load, 0x6000 to store.
fn word(code: u16, base: u16, offset: u32, register: u16) -> u16 {
    code | (offset as u16 / 4) << 6 | base << 3 | register
}

const LOAD: u16 = 0x6800;
const STORE: u16 = 0x6000;
const NOP: u16 = 0xBF00;

/// Loads or stores one of `offsets` from `base`.
fn register(random: &mut Random, base: u16, offsets: &[u32]) -> Vec<u16> {
    let code = random.pick(&[LOAD, STORE]);
    vec![word(code, base, random.pick(offsets), low(random))]
}

/// All rows, by name.
pub(super) const ROWS: &[(&str, Make)] = &[
    ("MOVS imm", |random| eight(random, 0x2000)),
    ("CMP imm", |random| eight(random, 0x2800)),
    ("ADDS imm8", |random| eight(random, 0x3000)),
    ("SUBS imm8", |random| eight(random, 0x3800)),
    ("LSLS imm", |random| shift(random, 0x0000)),
    ("LSRS imm", |random| shift(random, 0x0800)),
    ("ASRS imm", |random| shift(random, 0x1000)),
    ("ADDS", |random| vec![0x1800 | low(random) << 6 | low(random) << 3 | low(random)]),
    ("SUBS", |random| vec![0x1A00 | low(random) << 6 | low(random) << 3 | low(random)]),
    ("ADDS imm3", |random| vec![0x1C00 | number(random, 8) << 6 | low(random) << 3 | low(random)]),
    ("SUBS imm3", |random| vec![0x1E00 | number(random, 8) << 6 | low(random) << 3 | low(random)]),
    ("ANDS", |random| two(random, 0x4000)),
    ("EORS", |random| two(random, 0x4040)),
    ("LSLS", |random| by_register(random, 0x4080)),
    ("LSRS", |random| by_register(random, 0x40C0)),
    ("ASRS", |random| by_register(random, 0x4100)),
    ("ADCS", |random| {
        // lsrs first, so that nothing overflows
        let sum = low(random);
        let code = with_carry(random, 0x4140);
        vec![code[0], 0x0880 | sum << 3 | sum, code[1] & !7 | sum]
    }),
    ("SBCS", |random| with_carry(random, 0x4180)),
    ("RORS", |random| by_register(random, 0x41C0)),
    ("TST", |random| two(random, 0x4200)),
    ("RSBS", |random| two(random, 0x4240)),
    ("CMP", |random| two(random, 0x4280)),
    ("CMN", |random| two(random, 0x42C0)),
    ("ORRS", |random| two(random, 0x4300)),
    ("MULS", |random| two(random, 0x4340)),
    ("BICS", |random| two(random, 0x4380)),
    ("MVNS", |random| two(random, 0x43C0)),
    ("ADD high", |random| vec![0x4400 | 12 << 3 | low(random)]),
    ("CMP high", |random| vec![0x4500 | 12 << 3 | low(random)]),
    ("MOV high", |random| vec![0x4600 | 1 << 7 | low(random) << 3 | 4]),
    ("SXTH", |random| two(random, 0xB200)),
    ("SXTB", |random| two(random, 0xB240)),
    ("UXTH", |random| two(random, 0xB280)),
    ("UXTB", |random| two(random, 0xB2C0)),
    ("REV", |random| two(random, 0xBA00)),
    ("REV16", |random| two(random, 0xBA40)),
    ("REVSH", |random| two(random, 0xBAC0)),
    ("STR", |random| data(random, 0x6000)),
    ("LDR", |random| data(random, 0x6800)),
    ("STRB", |random| data(random, 0x7000)),
    ("LDRB", |random| data(random, 0x7800)),
    ("STRH", |random| data(random, 0x8000)),
    ("LDRH", |random| data(random, 0x8800)),
    ("STR reg", |random| indexed(random, 0x5000, 4)),
    ("STRH reg", |random| indexed(random, 0x5200, 2)),
    ("STRB reg", |random| indexed(random, 0x5400, 1)),
    ("LDRSB", |random| indexed(random, 0x5600, 1)),
    ("LDR reg", |random| indexed(random, 0x5800, 4)),
    ("LDRH reg", |random| indexed(random, 0x5A00, 2)),
    ("LDRB reg", |random| indexed(random, 0x5C00, 1)),
    ("LDRSH", |random| indexed(random, 0x5E00, 2)),
    ("STR SP", |random| vec![0x9000 | low(random) << 8 | number(random, 64)]),
    ("LDR SP", |random| vec![0x9800 | low(random) << 8 | number(random, 64)]),
    ("LDR literal", |random| vec![0x4800 | low(random) << 8 | number(random, 8)]),
    ("ADR", |random| vec![0xA000 | low(random) << 8 | number(random, 256)]),
    ("ADD SP", |random| vec![0xA800 | low(random) << 8 | number(random, 256)]),
    ("ADD SP imm", |random| {
        let words = number(random, 16);
        vec![0xB000 | words, 0xB080 | words]
    }),
    ("PUSH and POP", |random| {
        let list = 1 + number(random, 15);
        vec![0xB400 | list, 0xBC00 | list]
    }),
    ("STM and LDM", |random| {
        // r3 has the base.
        let list = 1 + number(random, 7);
        let back = 4 * list.count_ones() as u16;
        vec![0x4623, 0xC300 | list, 0x3B00 | back, 0xCB00 | list]
    }),
    ("B cond", |random| vec![0xD000 | number(random, 14) << 8, random.pick(&[NOP, 0x1C40])]),
    ("B", |random| vec![0xE000, random.pick(&[NOP, 0x1C40])]),
    ("BL", |random| vec![0xF000, 0xF800 | number(random, 2), NOP]),
    ("BX", |_| vec![0xA001, 0x1C40, 0x4700, NOP]),
    ("BLX", |_| vec![0xA001, 0x1C40, 0x4780, NOP]),
    ("NOP", |_| vec![NOP]),
    ("barriers", |random| vec![0xF3BF, random.pick(&[0x8F4F, 0x8F5F, 0x8F6F])]),
    ("MRS", |random| vec![0xF3EF, 0x8000 | low(random) << 8]),
    ("MSR", |random| vec![0xF380 | low(random), 0x8800]),
    ("SIO pins", |random| register(random, 5, &[0x10, 0x14, 0x18, 0x1C, 0x20, 0x24, 0x28, 0x2C])),
    ("divider", |random| {
        // Not by zero.
        let (first, divisor) = (random.pick(&[0x60, 0x68]), low(random));
        let mut code = vec![word(STORE, 5, first, low(random)), 0x2000 | divisor << 8 | (1 + number(random, 255))];
        code.push(word(STORE, 5, first + 4, divisor));
        code.extend([NOP; 8]);
        code.extend([0x74, 0x70, 0x78].map(|offset| word(LOAD, 5, offset, low(random))));
        code
    }),
    ("interpolator", |random| {
        let unit = 0x40 * random.below(2);
        let mut code = Vec::new();
        for lane in [0x2C, 0x30] {
            // Shift, mask with its ends in order, and flags; neither blend nor clamp. ldr r0, [pc]; b over the literal
            let (one, other) = (random.below(32), random.below(32));
            let control = random.bits() & 0x0007_801F | one.min(other) << 5 | one.max(other) << 10;
            code.extend([0x4800, 0xE001, control as u16, (control >> 16) as u16, word(STORE, 6, unit + lane, 0), NOP]);
        }
        code.extend([0, 4, 8, 0xC, 0x10].map(|offset| word(STORE, 6, unit + offset, low(random))));
        let reads = [0x20, 0x24, 0x28, 0x14, 0x1C, 0, 4, 0x18, 0, 4];
        code.extend(reads.map(|offset| word(LOAD, 6, unit + offset, low(random))));
        code
    }),
    ("spinlock", |random| {
        // mov r3, r11
        let offset = 4 * random.below(4);
        vec![0x465B, word(random.pick(&[LOAD, STORE]), 3, offset, number(random, 3))]
    }),
    ("APB", |random| register(random, 7, &[0, 4, 8, 12, 16, 20, 24, 28])),
    ("APB alias", |random| {
        // mov r3, r8 to r10
        let (from, offset) = (random.pick(&[0x4643, 0x464B, 0x4653]), 4 * random.below(8));
        vec![from, word(STORE, 3, offset, number(random, 3))]
    }),
];

/// A random program.
pub(super) fn random(random: &mut Random) -> Setup {
    let low = [0; 4].map(|_| random.operand());
    let (mut code, mut rows) = (Vec::new(), Vec::new());
    for _ in 0..PIECES {
        let row = random.below(ROWS.len() as u32) as usize;
        let (name, make) = ROWS[row];
        // ADR and literals count from a word.
        if ["BX", "BLX", "interpolator"].contains(&name) {
            code.resize(code.len().next_multiple_of(2), NOP);
        }
        code.extend(make(random));
        rows.resize(code.len(), row);
    }
    let mut registers = with(low);
    registers[12] = random.operand();
    code.extend([NOP; 40]);
    Setup { code, rows, registers, instructions: PIECES }
}
