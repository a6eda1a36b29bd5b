//! Encoders of the 32-bit instructions the tests use, and of IT, from DDI 0403E §A7.7.
//! `encoders_and_decoder_agree` in `v7_control.rs` checks each of them against the decoder.

pub const BASEPRI: u16 = 17;
pub const BASEPRI_MAX: u16 = 18;
pub const FAULTMASK: u16 = 19;

pub const CPSIE_F: u16 = 0xB661;
pub const CPSID_F: u16 = 0xB671;
pub const CLREX: [u16; 2] = [0xF3BF, 0x8F2F];
/// `MCR p0, 0, r0, c0, c0, 0`: a coprocessor that no Cortex-M has.
pub const MCR: [u16; 2] = [0xEE00, 0x0010];

/// Conditions by their four bits.
pub const EQ: u16 = 0;
pub const NE: u16 = 1;
pub const AL: u16 = 14;

/// IT and its `x`, `y` and `z`: `mask` as printed in the encoding.
pub fn it(condition: u16, mask: u16) -> u16 {
    0xBF00 | condition << 4 | mask
}

pub fn movw(rd: u16, imm16: u16) -> [u16; 2] {
    [0xF240 | imm16 >> 12 | (imm16 >> 11 & 1) << 10, (imm16 >> 8 & 7) << 12 | rd << 8 | imm16 & 0xFF]
}

pub fn movt(rd: u16, imm16: u16) -> [u16; 2] {
    let [first, second] = movw(rd, imm16);
    [first | 0x80, second]
}

/// MOVW and MOVT.
pub fn mov32(rd: u16, value: u32) -> Vec<u16> {
    [movw(rd, value as u16), movt(rd, (value >> 16) as u16)].concat()
}

/// Stores the word `value` at `address`; changes r0 and r1.
pub fn poke(address: u32, value: u32) -> Vec<u16> {
    [mov32(0, address), mov32(1, value), vec![super::asm::str(1, 0, 0)]].concat()
}

/// `LDR.W Rt, [Rn, #imm12]`
pub fn ldr_w(rt: u16, rn: u16, imm12: u16) -> [u16; 2] {
    [0xF8D0 | rn, rt << 12 | imm12]
}

pub fn str_w(rt: u16, rn: u16, imm12: u16) -> [u16; 2] {
    [0xF8C0 | rn, rt << 12 | imm12]
}

pub fn ldr_post(rt: u16, rn: u16, imm8: u16) -> [u16; 2] {
    [0xF850 | rn, rt << 12 | 0x0B00 | imm8]
}

pub fn str_post(rt: u16, rn: u16, imm8: u16) -> [u16; 2] {
    [0xF840 | rn, rt << 12 | 0x0B00 | imm8]
}

pub fn ldrh_w(rt: u16, rn: u16, imm12: u16) -> [u16; 2] {
    [0xF8B0 | rn, rt << 12 | imm12]
}

pub fn strh_w(rt: u16, rn: u16, imm12: u16) -> [u16; 2] {
    [0xF8A0 | rn, rt << 12 | imm12]
}

pub fn ldrb_w(rt: u16, rn: u16, imm12: u16) -> [u16; 2] {
    [0xF890 | rn, rt << 12 | imm12]
}

pub fn strb_w(rt: u16, rn: u16, imm12: u16) -> [u16; 2] {
    [0xF880 | rn, rt << 12 | imm12]
}

pub fn ldrt(rt: u16, rn: u16) -> [u16; 2] {
    [0xF850 | rn, rt << 12 | 0xE00]
}

pub fn strt(rt: u16, rn: u16) -> [u16; 2] {
    [0xF840 | rn, rt << 12 | 0xE00]
}

pub fn ldrd(rt: u16, rt2: u16, rn: u16) -> [u16; 2] {
    [0xE9D0 | rn, rt << 12 | rt2 << 8]
}

pub fn strd(rt: u16, rt2: u16, rn: u16) -> [u16; 2] {
    [0xE9C0 | rn, rt << 12 | rt2 << 8]
}

pub fn ldrex(rt: u16, rn: u16) -> [u16; 2] {
    [0xE850 | rn, rt << 12 | 0xF00]
}

pub fn strex(rd: u16, rt: u16, rn: u16) -> [u16; 2] {
    [0xE840 | rn, rt << 12 | rd << 8]
}

/// `LDM.W Rn, {list}`, or with `!`.
pub fn ldm_w(rn: u16, writes_base: bool, list: u16) -> [u16; 2] {
    [0xE890 | u16::from(writes_base) << 5 | rn, list]
}

pub fn stm_w(rn: u16, writes_base: bool, list: u16) -> [u16; 2] {
    [0xE880 | u16::from(writes_base) << 5 | rn, list]
}

/// `STMDB Rn!, {list}`
pub fn stmdb(rn: u16, list: u16) -> [u16; 2] {
    [0xE920 | rn, list]
}

/// `LDMDB Rn!, {list}`
pub fn ldmdb(rn: u16, list: u16) -> [u16; 2] {
    [0xE930 | rn, list]
}

pub fn udiv(rd: u16, rn: u16, rm: u16) -> [u16; 2] {
    [0xFBB0 | rn, 0xF0F0 | rd << 8 | rm]
}

pub fn sdiv(rd: u16, rn: u16, rm: u16) -> [u16; 2] {
    [0xFB90 | rn, 0xF0F0 | rd << 8 | rm]
}

pub fn umull(low: u16, high: u16, rn: u16, rm: u16) -> [u16; 2] {
    [0xFBA0 | rn, low << 12 | high << 8 | rm]
}

pub fn mla(rd: u16, rn: u16, rm: u16, ra: u16) -> [u16; 2] {
    [0xFB00 | rn, ra << 12 | rd << 8 | rm]
}

pub fn tbb(rn: u16, rm: u16) -> [u16; 2] {
    [0xE8D0 | rn, 0xF000 | rm]
}

pub fn tbh(rn: u16, rm: u16) -> [u16; 2] {
    [0xE8D0 | rn, 0xF010 | rm]
}

/// `VADD.F32 Sd, Sn, Sm` and others of its form, by the fixed bits of the first and second halfword.
fn three(first: u16, second: u16, d: u16, n: u16, m: u16) -> [u16; 2] {
    [first | (d & 1) << 6 | n >> 1, second | d >> 1 << 12 | (n & 1) << 7 | (m & 1) << 5 | m >> 1]
}

pub fn vadd(d: u16, n: u16, m: u16) -> [u16; 2] {
    three(0xEE30, 0x0A00, d, n, m)
}

pub fn vmul(d: u16, n: u16, m: u16) -> [u16; 2] {
    three(0xEE20, 0x0A00, d, n, m)
}

pub fn vdiv(d: u16, n: u16, m: u16) -> [u16; 2] {
    three(0xEE80, 0x0A00, d, n, m)
}

pub fn vmla(d: u16, n: u16, m: u16) -> [u16; 2] {
    three(0xEE00, 0x0A00, d, n, m)
}

/// `VMOV Sn, Rt`
pub fn vmov_from(n: u16, rt: u16) -> [u16; 2] {
    [0xEE00 | n >> 1, rt << 12 | 0xA10 | (n & 1) << 7]
}

/// `VMOV Rt, Sn`
pub fn vmov_to(rt: u16, n: u16) -> [u16; 2] {
    [0xEE10 | n >> 1, rt << 12 | 0xA10 | (n & 1) << 7]
}

pub fn vldr(d: u16, rn: u16) -> [u16; 2] {
    [0xED90 | (d & 1) << 6 | rn, d >> 1 << 12 | 0xA00]
}

pub fn vstr(d: u16, rn: u16) -> [u16; 2] {
    [0xED80 | (d & 1) << 6 | rn, d >> 1 << 12 | 0xA00]
}

pub fn vmrs(rt: u16) -> [u16; 2] {
    [0xEEF1, rt << 12 | 0xA10]
}

pub fn vmsr(rt: u16) -> [u16; 2] {
    [0xEEE1, rt << 12 | 0xA10]
}
