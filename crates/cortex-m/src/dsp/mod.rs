//! The arithmetic of the DSP extension: what its instructions compute, as pure functions of register values.
//!
//! Each function is named as its instruction and returns what the instruction writes. Where the instruction also writes
//! APSR.GE, a pair comes back whose second part is the four GE bits; where it may set APSR.Q (it never clears it), the
//! second part says whether it does. 64-bit accumulators are `u64`: RdHi:RdLo.
//!
//! `n`, `m` and `a` are the registers Rn, Rm and Ra as the manual names them.
//!
//! Source: Armv7-M Architecture Reference Manual, DDI 0403E.b, §A7.7, at each instruction's name.

mod extend;
mod multiply;
mod parallel;
mod saturate;
#[cfg(test)]
mod tests;

pub(crate) use extend::*;
pub(crate) use multiply::*;
pub(crate) use parallel::*;
pub(crate) use saturate::*;

/// The bottom halfword as a signed number.
#[inline(always)]
fn bottom(value: u32) -> i32 {
    i32::from(value as i16)
}

/// The top halfword as a signed number.
#[inline(always)]
fn top(value: u32) -> i32 {
    value as i32 >> 16
}

/// The low 16 bits of two numbers as a word: top, bottom.
#[inline(always)]
fn pack(top: i32, bottom: i32) -> u32 {
    (top as u32) << 16 | bottom as u32 & 0xFFFF
}
