//! The clock of a timer: clkI/O through a prescaler, or edges of a pin.

/// The clock that CSn2:0 select.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Source {
    #[default]
    Stopped,
    /// clkI/O divided by this, from the prescaler.
    Divided(u16),
    /// Edges of the Tn pin.
    Pin { rising: bool },
}

impl Source {
    /// Returns the source that `cs` selects in a timer on the shared prescaler (8271H table 15-9). `has_pin` tells if the
    /// timer has a Tn pin.
    pub const fn synchronous(cs: u8, has_pin: bool) -> Self {
        match cs & 7 {
            1 => Self::Divided(1),
            2 => Self::Divided(8),
            3 => Self::Divided(64),
            4 => Self::Divided(256),
            5 => Self::Divided(1024),
            6 if has_pin => Self::Pin { rising: false },
            7 if has_pin => Self::Pin { rising: true },
            _ => Self::Stopped,
        }
    }

    /// Returns the source that `cs` selects in Timer 2 (8271H table 18-9).
    pub const fn asynchronous(cs: u8) -> Self {
        match cs & 7 {
            0 => Self::Stopped,
            1 => Self::Divided(1),
            2 => Self::Divided(8),
            3 => Self::Divided(32),
            4 => Self::Divided(64),
            5 => Self::Divided(128),
            6 => Self::Divided(256),
            _ => Self::Divided(1024),
        }
    }

    /// Returns the number of timer clocks that the prescaler gives after `from` and up to `to`. A write at `since` that
    /// resets the prescaler makes it zero in the next period. A prescaler that is held (`None`) gives no clocks.
    ///
    /// GTCCR.TSM holds undivided clkI/O too: the register's description halts the timers, whatever their prescaling
    /// (8271H §17.4.1).
    pub fn clocks(self, from: u64, to: u64, since: Option<u64>) -> u64 {
        let (Self::Divided(by), Some(since)) = (self, since) else { return 0 };
        let passed = |at: u64| at.saturating_sub(since + 1) / u64::from(by);
        if by == 1 { to.saturating_sub(from) } else { passed(to).saturating_sub(passed(from)) }
    }

    /// When the `count`-th timer clock after `from` comes; `u64::MAX` where none does.
    pub fn nth(self, from: u64, count: u64, since: Option<u64>) -> u64 {
        let (Self::Divided(by), Some(since)) = (self, since) else { return u64::MAX };
        if by == 1 {
            return from.saturating_add(count);
        }
        let origin = since + 1;
        let by = u64::from(by);
        (from.saturating_sub(origin) / by).saturating_add(count).saturating_mul(by).saturating_add(origin)
    }
}

/// Edges on their way through a synchroniser, oldest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    pending: [Edge; 8],
    count: usize,
}

/// An edge that a synchroniser has sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edge {
    /// When the pin moved.
    pub at: u64,
    /// When it is seen.
    pub due: u64,
    pub rising: bool,
}

impl Edges {
    /// The pin has moved at `at`: seen `delay` later if it stays for `samples` periods.
    pub fn push(&mut self, at: u64, rising: bool, delay: u64, samples: u64) {
        if let Some(last) = self.count.checked_sub(1)
            && at < self.pending[last].at + samples
        {
            // The level before it is back too soon: neither edge is seen.
            self.count = last;
            return;
        }
        // At most one edge a period passes, and none stays for longer than seven; whoever pushes has taken those due.
        let place = self.count.min(self.pending.len() - 1);
        self.pending[place] = Edge { at, due: at + delay, rising };
        self.count = place + 1;
    }

    pub fn first(&self) -> Option<Edge> {
        self.pending[..self.count].first().copied()
    }

    pub fn pop(&mut self) {
        self.pending.copy_within(1.., 0);
        self.count = self.count.saturating_sub(1);
    }
}
