//! Tolerances for simavr's part, as data for the peer.

/// The tolerance for an interrupt's cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allow {
    /// None.
    Nothing,
    /// A number of cycles.
    Cycles(u16),
    /// One count of the timer whose clock is selected at this data address, plus some cycles. `second` selects Timer
    /// 2's clocks.
    Tick { clock: u8, second: bool, cycles: u16 },
    /// Any number of cycles.
    Any,
}

/// The tolerance for a register's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// None.
    Same,
    /// Differences in these bits.
    Bits(u8),
    /// The counts that a timer makes in some cycles, plus one.
    Count { clock: u8, second: bool, cycles: u8 },
}

/// All tolerances for one run.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Cycles that the peer adds when it takes an interrupt.
    pub(super) entry: u32,
    /// The data address of a register that the peer clears at the start; 0 for none.
    pub(super) clear: u8,
    /// The data address of a register whose writes may halt our core for two or four cycles; 0 for none.
    pub(super) halts: u8,
    /// Tolerances by vector.
    pub(super) allow: [Allow; 64],
    /// Tolerances by data address.
    pub(super) reads: [Reads; 256],
}

impl Rules {
    /// No tolerances.
    pub(super) const STRICT: Self =
        Self { entry: 0, clear: 0, halts: 0, allow: [Allow::Nothing; 64], reads: [Reads::Same; 256] };

    /// Returns the rules in the protocol's order.
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
