//! The chance that two means differ by noise, and the correction for many such questions.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The moments of a sample that Welch's test needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The number of samples.
    pub n: u64,
    /// Their arithmetic mean.
    pub mean: f64,
    /// Their standard deviation, with n − 1.
    pub stddev: f64,
}

impl Moments {
    /// Welch's test of whether both samples come from the same mean: the probability, from 0 to 1, that chance alone makes
    /// the means differ as much as they do or more.
    ///
    /// `None` where it cannot be said: fewer than two samples on a side, or what is not finite.
    pub fn welch(self, other: Self) -> Option<f64> {
        if self.n < 2 || other.n < 2 {
            return None;
        }
        let (n, m) = (self.n as f64, other.n as f64);
        let (a, b) = (self.stddev * self.stddev / n, other.stddev * other.stddev / m);
        let difference = self.mean - other.mean;
        if !(a + b).is_finite() || !difference.is_finite() {
            return None;
        }
        if a + b == 0.0 {
            return Some(if difference == 0.0 { 1.0 } else { 0.0 });
        }
        // Welch and Satterthwaite's degrees of freedom.
        let freedom = (a + b) * (a + b) / (a * a / (n - 1.0) + b * b / (m - 1.0));
        let t = difference.abs() / (a + b).sqrt();
        let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
        Some((2.0 * student.sf(t)).clamp(0.0, 1.0))
    }
}

/// `probabilities` of several tests as Holm corrects them: whoever takes those below x for real is wrong about any of
/// them with a probability of at most x, however many there are. In the same order.
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let mut corrected = vec![1.0; probabilities.len()];
    let mut least: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let left = (probabilities.len() - rank) as f64;
        least = least.max((left * probabilities[index]).min(1.0));
        corrected[index] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    fn moments(samples: &[f64]) -> Moments {
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        Moments { n: samples.len() as u64, mean, stddev: variance.sqrt() }
    }

    #[test]
    fn it_is_the_two_sided_probability_of_students_distribution() {
        // Equal sizes and deviations make it Student's test: t = 2.086 is 5 % at 20 degrees of freedom, from his table.
        let (a, b) = (
            Moments { n: 11, mean: 0.0, stddev: 1.0 },
            Moments { n: 11, mean: 2.086 * (2.0f64 / 11.0).sqrt(), stddev: 1.0 },
        );
        let p = a.welch(b).expect("both have samples");
        assert!((p - 0.05).abs() < 1e-4, "{p}");
        assert_eq!(a.welch(b), b.welch(a));
    }

    #[test]
    fn chance_alone_is_found_as_often_as_it_says() {
        let mut random = Pcg64::seed_from_u64(11);
        let mut draw = |n: usize| moments(&(0..n).map(|_| random.random_range(0.0..1.0)).collect::<Vec<f64>>());
        let found = (0..1000).filter(|_| draw(50).welch(draw(30)).is_some_and(|p| p < 0.05)).count();
        assert!((30..=70).contains(&found), "{found} of 1000");
    }

    #[test]
    fn what_cannot_be_told_is_not() {
        let one = Moments { n: 1, mean: 3.0, stddev: 0.0 };
        let two = Moments { n: 2, mean: 3.0, stddev: 0.0 };
        assert_eq!(one.welch(two), None);
        assert_eq!(two.welch(two), Some(1.0));
        assert_eq!(two.welch(Moments { mean: 4.0, ..two }), Some(0.0));
        assert_eq!(two.welch(Moments { mean: f64::NAN, ..two }), None);
    }

    #[test]
    fn many_questions_ask_for_more() {
        // Holm's own procedure: the least of three times three, the next times two, and never below the one before.
        let corrected = holm(&[0.03, 0.01, 0.02, 0.9]);
        let expected = [0.06, 0.04, 0.06, 0.9];
        assert!(corrected.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{corrected:?}");
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
    }
}
