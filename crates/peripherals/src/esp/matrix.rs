//! The interrupt matrix of the ESP32 (TRM, "Interrupt Matrix"): 69 sources of peripherals, each connected to one of the core's 32
//! interrupts. Sources of one interrupt are joined.

/// Sources of the matrix.
const SOURCES: usize = 69;

/// Interrupts of the core that no peripheral reaches, one bit each: timers (6, 15, 16), software (7, 29) and profiling (11).
const INTERNAL: u32 = 1 << 6 | 1 << 7 | 1 << 11 | 1 << 15 | 1 << 16 | 1 << 29;

/// The connections, and the level of each source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    connected: [u8; SOURCES],
    high: u128,
}

impl Matrix {
    /// The interrupt that sources have after reset (TRM, DPORT_PRO_*_MAP_REG: 16, which is a timer of the core).
    pub const UNCONNECTED: u8 = 16;

    /// The matrix after reset.
    pub const fn new() -> Self {
        Self { connected: [Self::UNCONNECTED; SOURCES], high: 0 }
    }

    /// The interrupt that `source` is connected to, if a peripheral reaches it.
    pub fn interrupt(&self, source: u8) -> Option<u8> {
        let interrupt = *self.connected.get(usize::from(source))?;
        (INTERNAL >> interrupt & 1 == 0).then_some(interrupt)
    }

    /// The level of the core's interrupt `interrupt`.
    pub fn level(&self, interrupt: u8) -> bool {
        let here = |source: &usize| self.connected[*source] == interrupt && self.high >> source & 1 != 0;
        INTERNAL >> (interrupt & 31) & 1 == 0 && (0..SOURCES).any(|source| here(&source))
    }

    /// The source `source` has this level. Returns the interrupt that this concerns with its level.
    pub fn set(&mut self, source: u8, high: bool) -> Option<(u8, bool)> {
        let bit = 1u128 << (source & 127);
        self.high = if high { self.high | bit } else { self.high & !bit };
        let interrupt = self.interrupt(source)?;
        Some((interrupt, self.level(interrupt)))
    }

    /// `source` goes to `interrupt` from now on. Returns the interrupts that this concerns, each with its level.
    pub fn connect(&mut self, source: u8, interrupt: u8) -> [Option<(u8, bool)>; 2] {
        let before = self.interrupt(source);
        if let Some(place) = self.connected.get_mut(usize::from(source)) {
            *place = interrupt & 31;
        }
        let after = self.interrupt(source);
        [before, after].map(|known| known.map(|interrupt| (interrupt, self.level(interrupt))))
    }

    /// The levels of 32 sources, one bit each: the first is `32 * word` (DPORT_PRO_INTR_STATUS_n).
    pub const fn status(&self, word: u32) -> u32 {
        (self.high >> (32 * (word & 3))) as u32
    }
}

impl Default for Matrix {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_one_interrupt_are_joined() {
        let mut matrix = Matrix::new();
        assert_eq!(matrix.set(34, true), None, "a source that is not connected reaches no interrupt");
        assert_eq!(matrix.connect(34, 4), [None, Some((4, true))]);
        assert_eq!(matrix.connect(22, 4), [None, Some((4, true))]);
        assert_eq!(matrix.set(22, true), Some((4, true)));
        assert_eq!(matrix.set(34, false), Some((4, true)), "the other still holds it high");
        assert_eq!(matrix.set(22, false), Some((4, false)));
    }

    #[test]
    fn a_source_that_moves_leaves_its_interrupt() {
        let mut matrix = Matrix::new();
        matrix.connect(14, 2);
        matrix.set(14, true);
        assert_eq!(matrix.connect(14, 9), [Some((2, false)), Some((9, true))]);
        assert_eq!(matrix.connect(14, 6), [Some((9, false)), None], "6 is a timer of the core");
        assert_eq!(matrix.status(0), 1 << 14);
    }
}
