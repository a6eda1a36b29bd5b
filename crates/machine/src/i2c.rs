//! The two lines of I2C, edge by edge (UM10204, "I2C-bus specification", 3.1): what they carry, and a controller's part in it.
//!
//! Neither half knows times: an owner keeps the clock and asks [`Driver`] for its next step when [`Wait`] is over.

/// A change of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A start condition; `misplaced` if it comes inside a byte.
    Start {
        /// True inside a byte.
        misplaced: bool,
    },
    /// A stop condition; `misplaced` if it comes inside a byte.
    Stop {
        /// True inside a byte.
        misplaced: bool,
    },
    /// The clock rises: a bit is taken.
    Rise,
    /// The clock falls after this many bits of a byte, 9 with the acknowledgement, 0 after a start condition.
    Fall(u8),
}

/// Follows the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// The level of the clock.
    pub scl: bool,
    /// The level of the data line.
    pub sda: bool,
    /// True from a start condition to a stop condition.
    pub busy: bool,
    /// The latest bits, the last one in bit 0.
    bits: u16,
    /// The clocks of the byte so far.
    clocks: u8,
}

impl Default for Monitor {
    fn default() -> Self {
        Self::idle(true, true)
    }
}

impl Monitor {
    /// The lines with these levels, and no transfer under way.
    pub const fn idle(scl: bool, sda: bool) -> Self {
        Self { scl, sda, busy: false, bits: 0, clocks: 0 }
    }

    /// The latest eight bits, without an acknowledgement.
    pub const fn byte(&self) -> u8 {
        if self.clocks == 9 || self.clocks == 0 { (self.bits >> 1) as u8 } else { self.bits as u8 }
    }

    /// The latest bit: after nine clocks, `false` for an acknowledgement.
    pub const fn bit(&self) -> bool {
        self.bits & 1 != 0
    }

    /// True if the latest clock is that of the acknowledgement.
    pub const fn is_ninth(&self) -> bool {
        self.clocks == 9
    }

    /// The data line has the level `high` now.
    pub const fn sda(&mut self, high: bool) -> Option<Seen> {
        if self.sda == high {
            return None;
        }
        self.sda = high;
        if !self.scl {
            return None;
        }
        // The clock pulse of a condition behind a byte counts as its first.
        let misplaced = self.clocks > 1;
        self.clocks = 0;
        self.busy = !high;
        Some(if high { Seen::Stop { misplaced } } else { Seen::Start { misplaced } })
    }

    /// The clock has the level `high` now.
    pub const fn scl(&mut self, high: bool) -> Option<Seen> {
        if self.scl == high {
            return None;
        }
        self.scl = high;
        if !high {
            let clocks = self.clocks;
            if clocks == 9 {
                self.clocks = 0;
            }
            return Some(Seen::Fall(clocks));
        }
        self.bits = self.bits << 1 | self.sda as u16;
        self.clocks += 1;
        Some(Seen::Rise)
    }
}

/// The time after which a [`Driver`] goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// From the clock's fall until the data line changes.
    Change,
    /// From the clock's fall until it rises, and no less than the data's setup time.
    Rise,
    /// The time for which the clock is high.
    Fall,
    /// From the clock's rise to a repeated start condition.
    Start,
    /// From a start condition to the clock's fall.
    Hold,
    /// From the clock's rise to a stop condition.
    Stop,
}

/// The result of a [`Driver`]'s command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// A start condition is on the lines and the clock is low.
    Started,
    /// The bits are over and the clock is low: the levels that were on the line, the last one in bit 0.
    Done(u8),
    /// A stop condition is on the lines.
    Stopped,
    /// Another controller has the bus: this one has let it go.
    Lost,
}

/// The aim of a clock pulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Bit,
    Start,
    Stop,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    Starting,
    Held,
    /// The clock is low, the data line is still to change.
    Changing(Goal),
    Low(Goal),
    /// The clock is let go.
    Rising(Goal),
    High(Goal),
    Stopping,
}

/// A controller's part: bits and conditions, with clocks that others stretch and shorten, and with arbitration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Driver {
    state: State,
    /// True while it holds the clock low.
    pub pulls_scl: bool,
    /// True while it holds the data line low.
    pub pulls_sda: bool,
    levels: u8,
    left: u8,
    /// The levels are its own: another one on the line is another controller's.
    own: bool,
    sampled: u8,
}

impl Driver {
    /// True while it takes no part in what is on the bus.
    pub fn is_free(&self) -> bool {
        self.state == State::Free
    }

    /// Puts a start condition on a free bus, or behind a byte a repeated one.
    pub fn start(&mut self) -> Wait {
        if self.state == State::Free {
            self.pulls_sda = true;
            self.state = State::Starting;
            return Wait::Hold;
        }
        self.state = State::Changing(Goal::Start);
        Wait::Change
    }

    /// Ends the transfer.
    pub fn stop(&mut self) -> Wait {
        self.state = State::Changing(Goal::Stop);
        Wait::Change
    }

    /// Clocks `count` bits, 1 to 8, with the lowest ones of `levels` on the data line, the highest of them first; `own` if
    /// they are this controller's to decide, not let go for the target.
    pub fn bits(&mut self, levels: u8, count: u8, own: bool) -> Wait {
        let count = count.clamp(1, 8);
        (self.levels, self.left, self.own, self.sampled) = (levels << (8 - count), count, own, 0);
        self.state = State::Changing(Goal::Bit);
        Wait::Change
    }

    /// The wait is over.
    pub fn step(&mut self) -> (Option<Wait>, Option<Report>) {
        match self.state {
            State::Changing(goal) => {
                self.pulls_sda = match goal {
                    Goal::Bit => self.levels & 0x80 == 0,
                    Goal::Start => false,
                    Goal::Stop => true,
                };
                self.state = State::Low(goal);
                (Some(Wait::Rise), None)
            }
            State::Low(goal) => {
                self.pulls_scl = false;
                self.state = State::Rising(goal);
                (None, None)
            }
            State::High(Goal::Bit) => self.fall(),
            State::High(Goal::Start) => {
                self.pulls_sda = true;
                self.state = State::Starting;
                (Some(Wait::Hold), None)
            }
            State::High(Goal::Stop) => {
                self.pulls_sda = false;
                self.state = State::Stopping;
                (None, None)
            }
            State::Starting => {
                self.pulls_scl = true;
                self.state = State::Held;
                (None, Some(Report::Started))
            }
            State::Free | State::Held | State::Rising(_) | State::Stopping => (None, None),
        }
    }

    /// The clock of a bit falls.
    fn fall(&mut self) -> (Option<Wait>, Option<Report>) {
        self.pulls_scl = true;
        (self.levels, self.left) = (self.levels << 1, self.left - 1);
        if self.left == 0 {
            self.state = State::Held;
            return (None, Some(Report::Done(self.sampled)));
        }
        self.state = State::Changing(Goal::Bit);
        (Some(Wait::Change), None)
    }

    /// The lines have done `seen`, and the data line has the level `sda`. `None` for the wait means that the one before goes
    /// on.
    pub fn seen(&mut self, seen: Seen, sda: bool) -> (Option<Wait>, Option<Report>) {
        match (seen, self.state) {
            (Seen::Rise, State::Rising(goal)) => self.rise(goal, sda),
            // A shorter clock of another controller counts.
            (Seen::Fall(_), State::High(Goal::Bit)) => self.fall(),
            (Seen::Fall(_), State::Starting) => self.step(),
            (Seen::Fall(_), State::High(_) | State::Stopping) => self.lose(),
            (Seen::Start { .. }, State::High(Goal::Start)) => self.step(),
            (Seen::Stop { .. }, State::Stopping) => {
                self.state = State::Free;
                (None, Some(Report::Stopped))
            }
            _ => (None, None),
        }
    }

    fn rise(&mut self, goal: Goal, sda: bool) -> (Option<Wait>, Option<Report>) {
        let level = match goal {
            Goal::Bit => self.levels & 0x80 != 0,
            Goal::Start => true,
            Goal::Stop => false,
        };
        if level && !sda && (goal == Goal::Start || self.own) {
            return self.lose();
        }
        self.sampled = self.sampled << 1 | u8::from(sda);
        self.state = State::High(goal);
        let wait = match goal {
            Goal::Bit => Wait::Fall,
            Goal::Start => Wait::Start,
            Goal::Stop => Wait::Stop,
        };
        (Some(wait), None)
    }

    fn lose(&mut self) -> (Option<Wait>, Option<Report>) {
        *self = Self::default();
        (None, Some(Report::Lost))
    }
}

/// The remainder of a packet error check, CRC-8 of x^8 + x^2 + x + 1, after `byte` (SMBus 2.0, 5.4).
pub const fn packet_error_code(code: u8, byte: u8) -> u8 {
    let mut code = code ^ byte;
    let mut bit = 0;
    while bit < 8 {
        code = if code & 0x80 != 0 { code << 1 ^ 0x07 } else { code << 1 };
        bit += 1;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_error_code_is_the_crc_that_smbus_names() {
        // The check value of CRC-8 with this polynomial over "123456789".
        let code = b"123456789".iter().fold(0, |code, byte| packet_error_code(code, *byte));
        assert_eq!(code, 0xF4);
    }

    #[test]
    fn conditions_inside_a_byte_are_misplaced() {
        let mut lines = Monitor::default();
        assert_eq!(lines.sda(false), Some(Seen::Start { misplaced: false }));
        assert_eq!(lines.scl(false), Some(Seen::Fall(0)));
        for clock in 1..=9 {
            assert_eq!((lines.scl(true), lines.scl(false)), (Some(Seen::Rise), Some(Seen::Fall(clock))));
        }
        assert_eq!((lines.byte(), lines.bit()), (0, false));
        lines.sda(true);
        lines.scl(true);
        assert_eq!(lines.sda(false), Some(Seen::Start { misplaced: false }), "behind a byte");
        lines.scl(false);
        lines.scl(true);
        lines.scl(false);
        lines.scl(true);
        assert_eq!(lines.sda(true), Some(Seen::Stop { misplaced: true }), "after a bit");
        assert!(!lines.busy);
    }
}
