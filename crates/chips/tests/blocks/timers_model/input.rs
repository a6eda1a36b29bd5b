//! An input, sample by sample.

/// Flip-flops and a filter, sample by sample.
#[derive(Clone, Default)]
pub struct Input {
    pub raw: bool,
    stages: [bool; 2],
    pub level: bool,
    same: u32,
    pub filter: (u32, u64),
}

impl Input {
    pub fn new() -> Self {
        Self { filter: (1, 1), ..Self::default() }
    }

    pub fn filter(&mut self, field: u32, dts: u64) {
        let divided = [1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 16, 32, 32, 32][field as usize & 15];
        let samples = [1, 2, 4, 8, 6, 8, 6, 8, 6, 8, 5, 6, 8, 5, 6, 8][field as usize & 15];
        let every = if (1..=3).contains(&(field & 15)) { 1 } else { divided * dts };
        if self.filter != (samples, every) {
            self.filter = (samples, every);
            self.same = 0;
        }
    }

    pub fn tick(&mut self, tick: u64) -> bool {
        self.stages = [self.raw, self.stages[0]];
        let (samples, every) = self.filter;
        if !tick.is_multiple_of(every) {
            return false;
        }
        self.same = if self.stages[1] == self.level { 0 } else { self.same + 1 };
        if self.same == samples {
            self.level = self.stages[1];
            self.same = 0;
            return true;
        }
        false
    }
}
