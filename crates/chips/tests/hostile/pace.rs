//! Work that was not done has no number: nothing goes over a wire faster than a wire can, and nobody acknowledges who is not
//! there.

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Line, Signal, Transfer};

/// No wire here carries a bit in less time than a period of the core's clock and less time than this, as 200 MHz has it: some
/// blocks have faster clocks than the core, and a core that a program drives beyond its limits has a faster one.
const SHORTEST_BIT: u64 = 5_000;

/// The last transfer of each line by kind, with its end.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    alone: bool,
    ends: Vec<(Line, u8, Cycles, Picoseconds)>,
}

impl Pace {
    /// Of a part that is alone if so said: nobody hangs on its pins, and nothing happens to them.
    pub const fn new(alone: bool) -> Self {
        Self { alone, ends: Vec::new() }
    }

    /// Checks a signal at the cycle `cycle`, which is the time `at`.
    pub fn check(&mut self, cycle: Cycles, at: Picoseconds, signal: Signal) {
        let Signal::Transfer { line, transfer } = signal else { return };
        let (kind, bits) = match transfer {
            Transfer::I2cStart { acknowledged, .. } => {
                assert!(!(self.alone && acknowledged), "{line:?}: {transfer:?} with nobody there");
                (0, 9)
            }
            Transfer::I2cByte { .. } => (1, 9),
            Transfer::SpiFrame { bits, .. } => (2, u64::from(bits)),
            Transfer::SerialSent(_) => (3, 7),
            Transfer::SerialReceived(_) => (4, 7),
            Transfer::CanFrame(_) => (5, 44),
            _ => return,
        };
        let place = self.ends.iter().position(|(of, known, ..)| (*of, *known) == (line, kind));
        let place = place.unwrap_or_else(|| {
            self.ends.push((line, kind, Cycles::ZERO, Picoseconds::ZERO));
            self.ends.len() - 1
        });
        let (_, _, last, end) = self.ends[place];
        let (cycles, span) = (cycle.saturating_sub(last).get(), at.saturating_sub(end).get());
        assert!(cycles >= bits || span >= bits * SHORTEST_BIT, "{line:?}: {transfer:?} in {span} ps at {cycle:?}");
        self.ends[place] = (line, kind, cycle, at);
    }
}
