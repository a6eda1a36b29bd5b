//! Common parts of devices on USB, whatever their registers: the clock that they need, and the time of a silent bus.

use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;

use crate::Env;

/// The clock of a device of full speed; 0.25 % either way (USB 2.0, 7.1.11).
const CLOCK: u64 = 48_000_000;

/// Tells if `clock` is right for full speed.
pub const fn is_right(clock: Hertz) -> bool {
    clock.get().abs_diff(CLOCK) <= CLOCK / 400
}

/// Tells if the clock of USB devices is right, and tells the user if not.
pub fn has_clock(env: &mut Env<'_, '_>) -> bool {
    let clock = env.clocks().usb();
    if is_right(clock) {
        return true;
    }
    let name = env.name();
    if clock.get() == 0 {
        env.gap(GapKind::Setting, format_args!("{name}: its clock of 48 MHz does not run; the host sees no device"));
    } else {
        env.gap(GapKind::Setting, format_args!("{name}: its clock is {clock}, not 48 MHz; the host sees no device"));
    }
    false
}
