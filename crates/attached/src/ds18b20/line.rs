//! A target's side of 1-Wire: slots and resets by their times (Maxim, "DS18B20", 19-7487, "1-Wire signaling" and "AC electrical
//! characteristics"), in picoseconds.

use cyclescope_machine::Contact;
use cyclescope_machine::units::Picoseconds;

const fn microseconds(count: u64) -> Picoseconds {
    Picoseconds::new(count * 1_000_000)
}

/// The shortest low that resets (tRSTL).
const RESET: Picoseconds = microseconds(480);
/// The wait behind a reset, and the presence pulse (tPDHIGH and tPDLOW, the most).
const PRESENCE_HIGH: Picoseconds = microseconds(60);
const PRESENCE_LOW: Picoseconds = microseconds(240);
/// The longest low of a one (tLOW1), the least and the most of a zero (tLOW0).
const ONE: Picoseconds = microseconds(15);
const ZERO: Picoseconds = microseconds(60);
const LONGEST_ZERO: Picoseconds = microseconds(120);
/// The time at which a target samples, which is also the time up to which it holds a zero: the typical one of the figures
/// "Read/write time slot timing diagram".
const SAMPLE: Picoseconds = microseconds(30);

/// The meaning of a rising edge for this target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing of this target's concern: a slot in which it sent, or what another target did.
    Nothing,
    /// A reset.
    Reset,
    /// A bit for it.
    Bit(bool),
}

/// The own part of a target on the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Listens,
    /// A presence pulse comes.
    Waits,
    /// It is under way.
    Presence,
    /// A zero is held.
    Zero,
}

/// The line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    phase: Phase,
    /// The time at which the line fell.
    fell: Option<Picoseconds>,
    /// A slot or a reset began with it, while nothing was under way.
    slot: bool,
    /// The target sends in this slot.
    sends: bool,
}

impl Line {
    /// The line has fallen; returns `true` if a slot begins, for which [`Self::answer`] takes the target's bit.
    pub(super) fn falls(&mut self, now: Picoseconds) -> bool {
        let begins = self.phase == Phase::Listens;
        if self.phase != Phase::Zero {
            (self.fell, self.slot) = (Some(now), begins);
        }
        begins
    }

    /// The target sends `bit` in the slot that begins, or (`None`) listens.
    pub(super) fn answer(&mut self, bit: Option<bool>, contact: &mut Contact<'_>) {
        self.sends = bit.is_some();
        if bit == Some(false) {
            self.phase = Phase::Zero;
            contact.drive(0, Some(false));
            contact.wake_at(contact.now() + SAMPLE);
        }
    }

    /// The line has risen; the target wants bits if it `listens`.
    pub(super) fn rises(&mut self, listens: bool, contact: &mut Contact<'_>) -> Heard {
        let Some(fell) = self.fell.take() else { return Heard::Nothing };
        let low = contact.now().saturating_sub(fell);
        if low >= RESET {
            self.phase = Phase::Waits;
            contact.wake_at(contact.now() + PRESENCE_HIGH);
            return Heard::Reset;
        }
        // In other targets' slots, the line is low as long as they hold it, and what falls while a presence pulse is due or under way
        // begins none.
        if self.sends || !listens || !self.slot {
            return Heard::Nothing;
        }
        let bit = low < SAMPLE;
        if low > ONE && low < ZERO || low > LONGEST_ZERO {
            let (nanoseconds, bit) = (low.get() / 1_000, u8::from(bit));
            let rule = "a 1 takes 15000 at most, a 0 from 60000 to 120000, a reset 480000";
            contact.complain(format!("a slot is low for {nanoseconds} ns and taken as a {bit}; {rule}"));
        }
        Heard::Bit(bit)
    }

    /// The alarm is due.
    pub(super) fn wake(&mut self, contact: &mut Contact<'_>) {
        match self.phase {
            Phase::Listens => {}
            Phase::Waits => {
                self.phase = Phase::Presence;
                contact.drive(0, Some(false));
                contact.wake_at(contact.now() + PRESENCE_LOW);
            }
            Phase::Presence | Phase::Zero => {
                self.phase = Phase::Listens;
                contact.drive(0, None);
            }
        }
    }
}
