//! Timers 0 to 3 of the ATmega family: eight or sixteen bits, two or three channels, input capture where there are
//! sixteen bits (8271H §15 to §18; 7766J §12 to §14). Timer 4 of the ATmega32U4 is [`timer4`].
//!
//! # Wiring
//! [`Timer::new`] takes everything from its [`Instance`](crate::avr::Instance):
//! - registers by the numbers in [`register`], [`Reg::NONE`](crate::avr::Reg::NONE) where the part has none: a TCNTH
//!   makes sixteen bits, OCRnx the channels, ICRn the capture unit, ASSR a timer on the asynchronous prescaler;
//! - vectors: overflow, compare A, B, C, capture; outputs: OCnA, OCnB, OCnC; inputs: Tn, ICPn.
//!
//! [`wiring`] has these tables for the ATmega328P and the ATmega32U4.
//!
//! # Time
//! A value that stands in a register during a period of clkI/O is what the edge at the period's beginning left there. A
//! read at `t` sees that; a write at `t` takes effect at the next edge, after (for TCNT: instead of) a count there. A
//! timer clock comes at the edge that ends a period of the prescaler, which is zero in the period after a write that
//! resets it and after reset (Assumed: the datasheets leave this to a period). So the first count is 1 to N periods
//! after a clock was selected.
//!
//! Nothing ticks: what the prescaler gave since the last access is worked out at the next. An event is scheduled where
//! an interrupt is enabled whose flag is clear, and where a pin is driven.
//!
//! # Assumed
//! What the datasheets leave open: a flag that is set and cleared by software at the same edge is set; a count that a
//! write of TCNT takes the place of sets no flags; after a TOP below the counter, a fast PWM that wraps at MAX updates
//! OCRnx and outputs as at BOTTOM, but sets no TOV; a dual slope wraps from MAX to 0 going up; a write of ICNC, ICES or
//! the clock makes no false edge; a timer that counts a pin goes on while GTCCR.TSM holds the prescaler. TOV of a dual
//! slope is set as the counter leaves BOTTOM, as figures 16-12 and 16-13 have it, and not as it comes there, as the
//! text might be read.
//!
//! # Gaps
//! Clocking Timer 2 from a crystal (AS2) is named and stops it. The analog comparator as a source of captures
//! (ACSR.ACIC) and, on the ATmega32U4, the modulator that joins OC0A and OC1C on PB7 (OCM1C0A) are other blocks' to
//! name.

mod block;
mod clock;
mod counter;
mod mode;
pub mod register;
#[cfg(test)]
pub(crate) mod tests;
pub mod timer4;
pub mod wiring;

use cyclescope_machine::TimingRow;

pub use block::Timer;

/// From an edge at Tn or ICPn to its effect.
pub static SYNCHRONISER: TimingRow = TimingRow::assumed(
    "timer.synchroniser",
    "from an edge at Tn or ICPn to the count or capture",
    3,
    "8271H §17.3: 2.5 to 3.5 periods by when in a period the edge comes; 3 for one at a period's beginning, which the \
     latch ahead of the two flip-flops passes at once",
);

/// What the noise canceller adds.
pub static NOISE_CANCELLER: TimingRow = TimingRow::documented(
    "timer.noise_canceller",
    "added by the noise canceller, which wants as many equal samples",
    4,
    "8271H §16.6.1 and §16.6.2",
);

/// What decides cycles in the timers.
pub static ROWS: [&TimingRow; 2] = [&SYNCHRONISER, &NOISE_CANCELLER];
