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
//! A register's value during a period of clkI/O is the value after the edge that begins the period. A read at `t`
//! returns it. A write at `t` takes effect at the next edge, after a count there; a write of TCNT takes the place of the
//! count. A timer clock comes at the edge that ends a period of the prescaler. The prescaler is zero in the first period
//! after reset and after a write that resets it (Assumed: the datasheets leave one period open). So the first count
//! comes 1 to N periods after software selects a clock.
//!
//! Nothing ticks. Each access works out the timer clocks since the access before it. An event is scheduled if an
//! interrupt is enabled while its flag is clear, or if a pin is driven.
//!
//! # Assumed
//! The datasheets leave these points open:
//! - A flag that is set and cleared by software at the same edge is set.
//! - A count that a write of TCNT replaces sets no flags.
//! - With a TOP below the counter, a fast PWM wraps at MAX. It updates OCRnx and outputs as at BOTTOM, but sets no TOV.
//! - A dual slope that passes MAX on its way up wraps to 0.
//! - A write of ICNC, ICES or the clock makes no false edge.
//! - A timer that counts a pin goes on while GTCCR.TSM holds the prescaler.
//! - TOV of a dual slope is set as the counter leaves BOTTOM (figures 16-12 and 16-13), not as it reaches BOTTOM, which
//!   is another reading of the text.
//!
//! # Gaps
//! Clocking Timer 2 from a crystal (AS2) is named and stops it. On the ATmega32U4 the modulator that joins OC0A and OC1C
//! on PB7 (OCM1C0A) is another block's to name.

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

/// The delay of the noise canceller.
pub static NOISE_CANCELLER: TimingRow = TimingRow::documented(
    "timer.noise_canceller",
    "added by the noise canceller, which wants as many equal samples",
    4,
    "8271H §16.6.1 and §16.6.2",
);

/// The timing rows of the timers.
pub static ROWS: [&TimingRow; 2] = [&SYNCHRONISER, &NOISE_CANCELLER];
