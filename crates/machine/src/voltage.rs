//! Voltages that the outside puts on pins, as functions of time.

use std::sync::Arc;

use crate::units::Picoseconds;

/// A voltage on a pin from the moment at which a stimulus applies it. All voltages are microvolts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Voltage {
    /// Always the same.
    Constant(i32),
    /// From one voltage to another in a straight line, then the last one.
    Ramp {
        /// The first voltage.
        from: i32,
        /// The last voltage.
        to: i32,
        /// The time between.
        over: Picoseconds,
    },
    /// A sine that begins at its mean and rises.
    Sine {
        /// The mean.
        mean: i32,
        /// The greatest distance from the mean.
        amplitude: i32,
        /// The period.
        period: Picoseconds,
    },
    /// Samples, each held until the next; after the last one the first follows if they repeat, else the last stays.
    Samples {
        /// The voltages.
        values: Arc<[i32]>,
        /// The time between two of them.
        every: Picoseconds,
        /// True if they repeat.
        repeat: bool,
    },
}

impl Voltage {
    /// Returns when, after `span`, the voltage may next jump, turn round or stand still: it only rises or only falls until then.
    /// `None` if it stays the same for ever.
    pub fn turns(&self, span: Picoseconds) -> Option<Picoseconds> {
        let (now, next) = match self {
            Self::Constant(_) => return None,
            Self::Ramp { over, .. } => return (span < *over).then_some(*over),
            // The highest and the lowest points lie a quarter behind the means.
            Self::Sine { period, .. } => {
                let half = (period.get() / 2).max(1);
                let quarter = half / 2;
                (span.get(), (span.get() + half - quarter) / half * half + quarter)
            }
            Self::Samples { values, every, repeat } => {
                let every = every.get().max(1);
                let index = span.get() / every;
                if values.len() < 2 || (!repeat && index + 1 >= values.len() as u64) {
                    return None;
                }
                (span.get(), (index + 1).saturating_mul(every))
            }
        };
        Some(Picoseconds::new(next.max(now + 1)))
    }

    /// Returns the voltage, in microvolts, `span` after it was applied.
    pub fn after(&self, span: Picoseconds) -> i32 {
        match self {
            Self::Constant(voltage) => *voltage,
            Self::Ramp { to, over, .. } if span >= *over => *to,
            Self::Ramp { from, to, over } => {
                let rise = i128::from(*to) - i128::from(*from);
                let done = rise * i128::from(span.get()) / i128::from(over.get().max(1));
                (i128::from(*from) + done) as i32
            }
            Self::Sine { mean, amplitude, period } => {
                let period = period.get().max(1);
                let angle = ((u128::from(span.get() % period) << 32) / u128::from(period)) as u32;
                let swing = (i64::from(*amplitude) * i64::from(sine(angle))) >> 30;
                i64::from(*mean).saturating_add(swing).clamp(i32::MIN.into(), i32::MAX.into()) as i32
            }
            Self::Samples { values, every, repeat } => {
                let Some(last) = values.len().checked_sub(1) else { return 0 };
                let index = span.get() / every.get().max(1);
                let index = if *repeat { index % values.len() as u64 } else { index.min(last as u64) };
                values[index as usize]
            }
        }
    }
}

/// The arc tangents of 2^0, 2^-1, … in parts of 2^32 of a turn.
const ARCS: [u32; 30] = [
    536_870_912,
    316_933_406,
    167_458_907,
    85_004_756,
    42_667_331,
    21_354_465,
    10_679_838,
    5_340_245,
    2_670_163,
    1_335_087,
    667_544,
    333_772,
    166_886,
    83_443,
    41_722,
    20_861,
    10_430,
    5_215,
    2_608,
    1_304,
    652,
    326,
    163,
    81,
    41,
    20,
    10,
    5,
    3,
    1,
];

/// Returns the sine of `angle`, in parts of 2^32 of a turn, in parts of 2^30: CORDIC in integers, exact to a few of them.
fn sine(angle: u32) -> i32 {
    // The vector of length 1 after 30 turns: the product of cos(atan(2^-i)).
    const START: i64 = 652_032_874;
    const QUARTER: u32 = 1 << 30;
    // Into the range of the turns, -90 to 90 degrees: the sine is the same on both sides of a quarter turn.
    let folded = if angle.wrapping_add(QUARTER) > 1 << 31 { (1u32 << 31).wrapping_sub(angle) } else { angle };
    let mut rest = folded as i32;
    let (mut x, mut y) = (START, 0i64);
    for (shift, arc) in ARCS.iter().enumerate() {
        let (dx, dy) = (y >> shift, x >> shift);
        if rest >= 0 {
            (x, y, rest) = (x - dx, y + dy, rest.wrapping_sub(*arc as i32));
        } else {
            (x, y, rest) = (x + dx, y - dy, rest.wrapping_add(*arc as i32));
        }
    }
    y as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_the_sine() {
        for step in 0..10_000u32 {
            let angle = step.wrapping_mul(429_497);
            let exact = (f64::from(angle) / 2f64.powi(32) * std::f64::consts::TAU).sin() * 2f64.powi(30);
            assert!((exact - f64::from(sine(angle))).abs() < 40.0, "{angle}: {exact} {}", sine(angle));
        }
    }

    #[test]
    fn a_voltage_turns_where_it_may_change_its_way() {
        let at = Picoseconds::new;
        let sine = Voltage::Sine { mean: 0, amplitude: 1, period: at(1_000) };
        assert_eq!(
            [0, 249, 250, 251, 749, 750].map(|t| sine.turns(at(t)).unwrap().get()),
            [250, 250, 750, 750, 750, 1250]
        );
        let ramp = Voltage::Ramp { from: 0, to: 1, over: at(5) };
        assert_eq!((ramp.turns(at(0)), ramp.turns(at(5))), (Some(at(5)), None));
        let samples = |repeat| Voltage::Samples { values: Arc::from([1, 2, 3]), every: at(10), repeat };
        assert_eq!((samples(false).turns(at(0)), samples(false).turns(at(19))), (Some(at(10)), Some(at(20))));
        assert_eq!((samples(false).turns(at(20)), samples(true).turns(at(20))), (None, Some(at(30))));
        assert_eq!(Voltage::Constant(3).turns(at(0)), None);
    }

    #[test]
    fn voltages_follow_their_shapes() {
        let at = Picoseconds::new;
        let ramp = Voltage::Ramp { from: 1_000_000, to: -1_000_000, over: at(4) };
        assert_eq!([0, 1, 2, 4, 9].map(|t| ramp.after(at(t))), [1_000_000, 500_000, 0, -1_000_000, -1_000_000]);
        let sine = Voltage::Sine { mean: 100, amplitude: 1_000_000, period: at(1_000) };
        assert_eq!([0, 250, 500, 750, 1_000].map(|t| (sine.after(at(t)) - 100 + 5) / 10), [0, 100_000, 0, -99_999, 0]);
        let values: Arc<[i32]> = Arc::from([1, 2, 3]);
        let once = Voltage::Samples { values: Arc::clone(&values), every: at(10), repeat: false };
        let again = Voltage::Samples { values, every: at(10), repeat: true };
        assert_eq!([0, 9, 10, 29, 30].map(|t| once.after(at(t))), [1, 1, 2, 3, 3]);
        assert_eq!([0, 9, 10, 29, 30].map(|t| again.after(at(t))), [1, 1, 2, 3, 1]);
        assert_eq!(Voltage::Samples { values: Arc::from([]), every: at(0), repeat: true }.after(at(7)), 0);
        assert_eq!(Voltage::Ramp { from: i32::MIN, to: i32::MAX, over: Picoseconds::MAX }.after(at(0)), i32::MIN);
    }
}
