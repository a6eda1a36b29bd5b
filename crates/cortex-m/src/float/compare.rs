//! Comparison.

use super::fpscr::Fpscr;

/// VCMP and VCMPE, FPCompare(): writes FPSCR's N, Z, C and V. A signalling NaN is an invalid operation; with `quiet_raises`
/// (VCMPE) a quiet one is too.
#[inline]
pub(crate) fn compare(a: u32, b: u32, quiet_raises: bool, fpscr: &mut Fpscr) {
    let relation = cyclescope_float::compare(a, b, quiet_raises, fpscr);
    fpscr.set_nzcv(relation.bits());
}
