//! Stimuli: actions of the outside world with their times, as a user writes them.
//!
//! | written | does |
//! |---|---|
//! | `at TIME ACTION` | once, that time after reset |
//! | `at FROM..TO ACTION` | once, at each cycle of that window in turn, in a run of its own each |
//! | `after EVENT [TIME] [N times] ACTION` | that time after EVENT, each time it happens or the first N times |
//! | `every TIME from TIME [N times] ACTION` | periodically, to the end of the run or N times |
//! | `random N times from TIME gap MIN..MAX seed S ACTION` | N times, gaps drawn from MIN to MAX |
//! | `presses N of PIN low from TIME gap MIN..MAX [bounce K within TIME] seed S` | N presses and N releases of a button that is low (or `high`) while pressed, gaps between edges drawn from MIN to MAX |
//! | `phase N`, `phase seed S` | at reset: the edges of divided bus clocks lie N cycles late (0 to 15), or so many as are drawn |
//!
//! | ACTION | does |
//! |---|---|
//! | `pin PC13 low`, `high`, `released`, `toggle` | applies a level to the pin, lets it go, or applies the other level than before |
//! | `pin PA0 1.2V` | puts a voltage on the pin; a digital input sees a constant voltage of half the supply and more as high, and a pin whose voltage changes as released |
//! | `pin PA0 ramp 0V 3.3V over 10ms` | the same, from one voltage to another in a straight line, which then stays |
//! | `pin PA0 sine 1.65V 0.5V period 20ms` | the same, a sine by its mean and its amplitude, which begins at the mean |
//! | `pin PA0 samples FILE.csv every 1ms [repeat]` | the same, the voltages in the last column of a file, each until the next |
//! | `NAME temperature 21.5` | gives a quantity of the attached device NAME a value |
//! | `uart 2 "text\n"` | sends bytes to USART2's receiver; escapes are `\n \r \t \0 \\ \" \xHH` |
//! | `usb "text\n"`, `usb 1 "text\n"` | the same to a serial port over USB, which an attached host has opened |
//!
//! `once` stands for `1 times`. EVENT is any [`Event`]; one with spaces in it stands in double quotes. Gaps are
//! whole picoseconds, both ends counted, all equally likely; the first press (or action) comes one gap after `from`.
//! `bounce K within TIME` adds, after each edge, K toggles at distinct times within TIME, so K is even and TIME
//! shorter than the shortest gap; a seed gives the same edges with and without it. Times of one rule are all real
//! times or all in cycles; gaps and bounces are then whole cycles.
//!
//! Random numbers are ChaCha20's key stream (RFC 8439) under the seed as key: the cipher is its own specification, so
//! the same seed gives the same cycles on every host and in every version ([`Plan`] says how draws are made).

mod error;
mod parse;
mod plan;
mod random;
mod rule;
#[cfg(test)]
mod tests;
mod voltage;

pub use error::StimulusError;
pub use plan::{After, Arriving, Endless, Plan};
pub(crate) use random::Draws;
pub use rule::{Action, Bounce, Level, PHASES, Phase, Rule};
pub use voltage::{SamplesError, VoltageText};
