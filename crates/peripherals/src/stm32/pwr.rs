//! Common parts of power controls: the voltage detector, and times.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use crate::{Env, Span};

/// The line of the external interrupts that the voltage detector goes to.
pub const DETECTOR: u8 = 16;

/// Bits of CR in STM32F1 and F4.
pub(super) const LPDS: u32 = 1 << 0;
pub(super) const PDDS: u32 = 1 << 1;
pub(super) const CWUF: u32 = 1 << 2;
pub(super) const CSBF: u32 = 1 << 3;
const PVDE: u32 = 1 << 4;
pub(super) const DBP: u32 = 1 << 8;

/// Bits of CSR in STM32F1 and F4.
pub(super) const WUF: u32 = 1 << 0;
pub(super) const SBF: u32 = 1 << 1;
pub(super) const PVDO: u32 = 1 << 2;

/// Tells if the supply is below the threshold that `cr` selects, of `thresholds` in millivolts.
pub(super) fn is_low(cr: u32, thresholds: &[i32; 8], env: &Env<'_, '_>) -> bool {
    cr & PVDE != 0 && env.wires.outside.supply() / 1000 < thresholds[(cr >> 5 & 7) as usize]
}

/// The time of `row`, in periods of `reference`.
pub(super) fn time(row: &'static TimingRow, reference: Hertz, env: &mut Env<'_, '_>) -> Span {
    let periods = env.cycles(row);
    env.clocks().period(reference).times(periods)
}
