//! What simavr's part may do differently, as data for the peer.

/// How far an interrupt may be apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allow {
    /// Not at all.
    Nothing,
    /// So many cycles.
    Cycles(u16),
    /// A count of the timer whose clock is chosen at this data address, and so many cycles; `second` for Timer 2's clocks.
    Tick { clock: u8, second: bool, cycles: u16 },
    /// As far as it likes.
    Any,
}

/// What a register may read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// Nothing.
    Same,
    /// These bits.
    Bits(u8),
    /// The counts that a timer makes in so many cycles, and one more.
    Count { clock: u8, second: bool, cycles: u8 },
}

/// All that may differ.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Cycles that the peer adds where it takes an interrupt.
    pub(super) entry: u32,
    /// The data address of a register that the peer clears at the beginning; 0 is none.
    pub(super) clear: u8,
    /// The data address of a register whose writes may halt our core for two or four cycles; 0 is none.
    pub(super) halts: u8,
    /// By vector.
    pub(super) allow: [Allow; 64],
    /// By data address.
    pub(super) reads: [Reads; 256],
}

impl Rules {
    /// Nothing may.
    pub(super) const STRICT: Self =
        Self { entry: 0, clear: 0, halts: 0, allow: [Allow::Nothing; 64], reads: [Reads::Same; 256] };

    /// As the protocol has them, in its order.
    pub(super) fn bytes(&self, serial: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.entry.to_le_bytes());
        bytes.extend([b'0' + serial, self.clear, self.halts, 0]);
        for allow in self.allow {
            let (kind, clock, cycles) = match allow {
                Allow::Nothing => (0, 0, 0),
                Allow::Cycles(cycles) => (1, 0, cycles),
                Allow::Tick { clock, second, cycles } => (2 + u8::from(second), clock, cycles),
                Allow::Any => (4, 0, 0),
            };
            bytes.extend([kind, clock]);
            bytes.extend(cycles.to_le_bytes());
        }
        for reads in self.reads {
            bytes.extend(match reads {
                Reads::Same => [0; 4],
                Reads::Bits(bits) => [1, bits, 0, 0],
                Reads::Count { clock, second, cycles } => [2 + u8::from(second), 0xFF, clock, cycles],
            });
        }
        bytes
    }
}
