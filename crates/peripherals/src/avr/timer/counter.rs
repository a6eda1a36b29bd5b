//! The counter as a function of timer clocks: what a step does, and how many steps pass before one does anything.
//!
//! A compare match is seen while the counter holds the value and acts at the timer clock that ends it, together with
//! what the counter does then: flags, outputs and the update of double-buffered registers (8271H figures 15-8 to 15-11
//! and 16-10 to 16-13).

/// TOV, as in TIFR.
pub(super) const TOV: u8 = 1 << 0;
/// ICF, as in TIFR.
pub(super) const ICF: u8 = 1 << 5;

/// OCF of `channel`, as in TIFR of the timers with up to three channels.
pub(super) const fn ocf(channel: usize) -> u8 {
    2 << channel
}

/// Compare registers that a counter can have.
pub(super) const CHANNELS: usize = 4;

/// The source of TOP, the highest value of the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Top {
    /// A number.
    Fixed(u16),
    /// The compare register in force of a channel.
    Compare(usize),
    /// ICR.
    Icr,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// As the counter leaves its greatest value.
    Max,
    /// As it leaves TOP.
    Top,
    /// As it leaves BOTTOM; on a single slope, as it comes there.
    Bottom,
}

/// The counting sequence of a waveform generation mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Up and down, and not only up.
    pub dual: bool,
    pub top: Top,
    /// The greatest value that fits the counter.
    pub max: u16,
    /// When registers of `buffered` channels take effect.
    pub update: When,
    /// The channels, one bit each, whose registers are double-buffered.
    pub buffered: u8,
    pub overflow: When,
}

/// The effect of compare matches on a channel's output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Action {
    #[default]
    None,
    Toggle,
    Clear,
    Set,
    /// Cleared at a match while counting up, set at a match while counting down or at BOTTOM; or the other way round.
    Pwm {
        inverted: bool,
    },
}

/// Everything that a timer clock changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counter {
    pub shape: Shape,
    pub value: u16,
    pub down: bool,
    /// The compare registers in force.
    pub compare: [u16; CHANNELS],
    /// The compare registers as written last.
    pub buffer: [u16; CHANNELS],
    pub icr: u16,
    /// A write of the counter takes the next compare matches away.
    pub blocked: bool,
    /// Channels, one bit each, that are compared at all.
    pub compared: u8,
    pub flags: u8,
    pub actions: [Action; CHANNELS],
    /// The OC registers of the channels.
    pub levels: [bool; CHANNELS],
}

impl Counter {
    /// A counter of this shape that compares these channels, after reset.
    pub fn new(shape: Shape, compared: u8) -> Self {
        Self {
            shape,
            value: 0,
            down: false,
            compare: [0; CHANNELS],
            buffer: [0; CHANNELS],
            icr: 0,
            blocked: false,
            compared,
            flags: 0,
            actions: [Action::None; CHANNELS],
            levels: [false; CHANNELS],
        }
    }

    fn compares(&self) -> impl Iterator<Item = (usize, u16)> + '_ {
        self.compare.iter().copied().enumerate().filter(|(channel, _)| self.compared & 1 << channel != 0)
    }

    fn top(&self) -> u16 {
        match self.shape.top {
            Top::Fixed(top) => top,
            Top::Compare(channel) => self.compare[channel],
            Top::Icr => self.icr,
        }
    }

    /// Counts as `shape` says from now on. Registers that are no longer buffered take effect (Assumed: the datasheets
    /// only say that the CPU then has direct access), and a counter without a way down counts up.
    pub fn set_shape(&mut self, shape: Shape) {
        self.shape = shape;
        self.down &= shape.dual;
        for channel in 0..CHANNELS {
            if shape.buffered & 1 << channel == 0 {
                self.compare[channel] = self.buffer[channel];
            }
        }
    }

    /// Writes the register of `channel`.
    pub fn set_compare(&mut self, channel: usize, value: u16) {
        self.buffer[channel] = value;
        if self.shape.buffered & 1 << channel == 0 {
            self.compare[channel] = value;
        }
    }

    /// Writes the counter.
    pub fn set_value(&mut self, value: u16) {
        self.value = value;
        self.blocked = true;
    }

    /// A forced match of `channel`: the output alone, in modes without PWM (8271H §15.5, "Force Output Compare").
    pub fn force(&mut self, channel: usize) {
        match self.actions[channel] {
            Action::Toggle => self.levels[channel] = !self.levels[channel],
            Action::Clear => self.levels[channel] = false,
            Action::Set => self.levels[channel] = true,
            Action::None | Action::Pwm { .. } => {}
        }
    }

    /// One timer clock.
    fn step(&mut self) {
        let unblocked = !std::mem::take(&mut self.blocked);
        let shape = self.shape;
        let from = self.value;
        // Only a comparator can be blocked: a counter that is written with a variable TOP goes on to MAX (8271H §16.7,
        // "Using the Output Compare Unit").
        let at_top = from == self.top() && (unblocked || matches!(shape.top, Top::Fixed(_)));
        // Likewise BOTTOM, by the same warning; that the counter then goes on below it is Assumed.
        let at_bottom = shape.dual && from == 0 && unblocked;
        let mut matched = 0u8;
        if unblocked {
            for (channel, value) in self.compares() {
                matched |= u8::from(value == from) << channel;
            }
            if shape.top == Top::Icr && from == self.icr {
                self.flags |= ICF;
            }
        }
        self.flags |= matched << 1;

        let restarted = self.count(at_top, at_bottom);
        let overflowed = match shape.overflow {
            When::Max => from == shape.max,
            When::Top => at_top,
            When::Bottom => at_bottom,
        };
        if overflowed {
            self.flags |= TOV;
        }
        let update = match shape.update {
            _ if !shape.dual => restarted,
            When::Top | When::Max => at_top,
            When::Bottom => at_bottom,
        };
        if update {
            for channel in (0..CHANNELS).filter(|channel| shape.buffered & 1 << channel != 0) {
                self.compare[channel] = self.buffer[channel];
            }
        }
        for channel in 0..CHANNELS {
            self.act(channel, matched & 1 << channel != 0, at_top, restarted);
        }
    }

    /// Moves the counter; whether a single slope began anew.
    fn count(&mut self, at_top: bool, at_bottom: bool) -> bool {
        let max = self.shape.max;
        if !self.shape.dual {
            let restarted = at_top || self.value == max;
            self.value = if restarted { 0 } else { self.value + 1 };
            return restarted;
        }
        if at_top && at_bottom {
            self.down = false;
            return false;
        }
        self.down = (self.down || at_top) && !at_bottom;
        // Beyond TOP, or below a BOTTOM that was not seen, the counter wraps.
        self.value = match self.down {
            true if self.value == 0 => max,
            true => self.value - 1,
            false if self.value == max => 0,
            false => self.value + 1,
        };
        false
    }

    fn act(&mut self, channel: usize, matched: bool, at_top: bool, restarted: bool) {
        let inverted = match self.actions[channel] {
            Action::Pwm { inverted } => inverted,
            _ if matched => return self.force(channel),
            _ => return,
        };
        let high = if !self.shape.dual {
            // A match at TOP is ignored; BOTTOM decides (8271H table 15-3, note 1).
            match (restarted, matched) {
                (true, _) => true,
                (false, true) => false,
                (false, false) => return,
            }
        } else if at_top {
            // As after the match on the way up, whether or not there was one, but for OCR = TOP, which stays as on the
            // way down (8271H §15.7.4); beyond TOP likewise (Assumed).
            self.compare[channel] >= self.top()
        } else if matched {
            self.down
        } else {
            return;
        };
        self.levels[channel] = high != inverted;
    }

    /// Returns the number of timer clocks that only move the counter, before it meets a compare value, TOP, MAX or
    /// BOTTOM.
    fn quiet(&self) -> u64 {
        if self.blocked {
            return 0;
        }
        let value = self.value;
        let marks = self.compares().map(|(_, mark)| mark);
        let distance = if self.down {
            let marks = marks.chain([self.top()]).filter(|mark| *mark <= value);
            value - marks.max().unwrap_or(0)
        } else if self.shape.dual && value == 0 {
            0
        } else {
            let marks = marks.chain([self.top()]).filter(|mark| *mark >= value);
            marks.min().unwrap_or(self.shape.max).min(self.shape.max).saturating_sub(value)
        };
        u64::from(distance)
    }

    fn glide(&mut self, count: u64) {
        let count = count as u16;
        self.value = if self.down { self.value - count } else { self.value + count };
    }

    /// The timer clocks after which everything is as now but for outputs that toggle, if the counter is where that can
    /// be told.
    fn period(&self) -> Option<u64> {
        let settled = (0..CHANNELS).all(|channel| self.compare[channel] == self.buffer[channel]);
        if self.value != 0 || self.down || self.blocked || !settled {
            return None;
        }
        let top = u64::from(self.top());
        Some(if self.shape.dual { (2 * top).max(1) } else { top + 1 })
    }

    /// Passes `count` timer clocks.
    pub fn advance(&mut self, mut count: u64) {
        while count > 0 {
            // Two periods give back every output that toggles; two more have set all flags that are ever set.
            if let Some(twice) = self.period().map(|period| 2 * period)
                && count >= 2 * twice
            {
                count = count % twice + twice;
            }
            let quiet = self.quiet().min(count);
            if quiet > 0 {
                self.glide(quiet);
                count -= quiet;
            } else {
                self.step();
                count -= 1;
            }
        }
    }

    /// After how many timer clocks one of `flags` rises or one of the outputs in `channels` changes, if ever.
    pub fn until(&self, flags: u8, channels: u8) -> Option<u64> {
        let flags = flags & !self.flags;
        if flags == 0 && channels == 0 {
            return None;
        }
        let mut ahead = *self;
        let mut count = 0;
        // Registers are updated at the latest in the second round; the rounds after it are all alike.
        let mut rounds = 0;
        while rounds < 4 {
            let quiet = ahead.quiet();
            ahead.glide(quiet);
            let leaves_bottom = ahead.shape.dual && ahead.value == 0;
            ahead.step();
            count += quiet + 1;
            let changed = (0..CHANNELS).any(|at| channels & 1 << at != 0 && ahead.levels[at] != self.levels[at]);
            if ahead.flags & flags != 0 || changed {
                return Some(count);
            }
            rounds += u8::from(leaves_bottom || ahead.value == 0);
        }
        None
    }
}
