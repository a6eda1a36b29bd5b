//! The waveform generation and compare output modes (8271H tables 15-2 to 15-8 and 16-1 to 16-4; 7766J §13 and §14).

use super::counter::{Action, Shape, Top, When};

/// A row of the table of waveform generation modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    pub shape: Shape,
    /// `true` if the outputs are modulated; `false` if only compare matches act on them.
    pub pwm: bool,
    /// `true` if the setting is reserved.
    pub reserved: bool,
}

const ALL: u8 = 0xF;

const fn counting(max: u16, top: Top) -> Mode {
    let shape = Shape { dual: false, top, max, update: When::Bottom, buffered: 0, overflow: When::Max };
    Mode { shape, pwm: false, reserved: false }
}

const fn fast(max: u16, top: Top) -> Mode {
    let shape = Shape { dual: false, top, max, update: When::Bottom, buffered: ALL, overflow: When::Top };
    Mode { shape, pwm: true, reserved: false }
}

const fn correct(max: u16, top: Top, update: When) -> Mode {
    let shape = Shape { dual: true, top, max, update, buffered: ALL, overflow: When::Bottom };
    Mode { shape, pwm: true, reserved: false }
}

const fn reserved(max: u16) -> Mode {
    let mut mode = counting(max, Top::Fixed(max));
    mode.reserved = true;
    mode
}

/// The mode that `wgm` selects in a counter of eight bits.
pub(super) const fn of_eight_bits(wgm: u8) -> Mode {
    const MAX: u16 = 0xFF;
    match wgm & 7 {
        0 => counting(MAX, Top::Fixed(MAX)),
        1 => correct(MAX, Top::Fixed(MAX), When::Top),
        2 => counting(MAX, Top::Compare(0)),
        3 => fast(MAX, Top::Fixed(MAX)),
        5 => correct(MAX, Top::Compare(0), When::Top),
        7 => fast(MAX, Top::Compare(0)),
        _ => reserved(MAX),
    }
}

/// The mode that `wgm` selects in a counter of sixteen bits.
pub(super) const fn of_sixteen_bits(wgm: u8) -> Mode {
    const MAX: u16 = 0xFFFF;
    match wgm & 15 {
        0 => counting(MAX, Top::Fixed(MAX)),
        1 => correct(MAX, Top::Fixed(0xFF), When::Top),
        2 => correct(MAX, Top::Fixed(0x1FF), When::Top),
        3 => correct(MAX, Top::Fixed(0x3FF), When::Top),
        4 => counting(MAX, Top::Compare(0)),
        5 => fast(MAX, Top::Fixed(0xFF)),
        6 => fast(MAX, Top::Fixed(0x1FF)),
        7 => fast(MAX, Top::Fixed(0x3FF)),
        8 => correct(MAX, Top::Icr, When::Bottom),
        9 => correct(MAX, Top::Compare(0), When::Bottom),
        10 => correct(MAX, Top::Icr, When::Top),
        11 => correct(MAX, Top::Compare(0), When::Top),
        12 => counting(MAX, Top::Icr),
        14 => fast(MAX, Top::Icr),
        15 => fast(MAX, Top::Compare(0)),
        _ => reserved(MAX),
    }
}

/// Returns the action that the COM bits `com` select for `channel` of a counter in `mode`, or [`Action::None`] if the
/// port keeps its pin. `toggles` tells if COM = 1 toggles channel A in this PWM mode.
pub(super) const fn action(mode: &Mode, channel: usize, com: u8, toggles: bool) -> Action {
    match com & 3 {
        0 => Action::None,
        1 if !mode.pwm || (toggles && channel == 0) => Action::Toggle,
        1 => Action::None,
        2 if mode.pwm => Action::Pwm { inverted: false },
        2 => Action::Clear,
        _ if mode.pwm => Action::Pwm { inverted: true },
        _ => Action::Set,
    }
}

/// Tells if COM = 1 toggles OCnA in a PWM mode of the counter of eight bits (8271H tables 15-3 and 15-4).
pub(super) const fn toggles_in_eight_bits(wgm: u8) -> bool {
    matches!(wgm & 7, 5 | 7)
}

/// Tells if COM = 1 toggles OCnA in a PWM mode of the counter of sixteen bits (8271H tables 16-2 and 16-3).
pub(super) const fn toggles_in_sixteen_bits(wgm: u8) -> bool {
    matches!(wgm & 15, 9 | 11 | 14 | 15)
}
