//! Samples to estimates.
//!
//! A simulated quantity is an exact integer and stays one as far as the arithmetic allows: minimum, median (of an odd
//! number), 99th percentile and maximum of integers are integers, and so is a mean that comes out even. All float
//! arithmetic is of the kinds IEEE 754 rounds correctly (addition, multiplication, division, square root), on sorted
//! samples, so that the result depends neither on the host nor on the order in which samples came.
//!
//! | estimate | definition | source |
//! |---|---|---|
//! | mean | arithmetic mean | |
//! | stddev | of the sample, with n − 1 (Bessel's correction); 0 for one sample | NIST/SEMATECH e-Handbook, 1.3.5.6 |
//! | median | middle sample, or the mean of the two in the middle | NIST/SEMATECH e-Handbook, 1.3.5.1 |
//! | p99 | nearest rank: the least sample that at least 99 % of the samples do not exceed, so a value that occurred | Hyndman and Fan, *Sample Quantiles in Statistical Packages*, The American Statistician 50 (1996), definition 1 |
//! | ratio of two means and its interval | pairs of samples drawn anew with replacement, whole pairs, by a seeded generator; the interval lies between percentiles of the ratios so drawn | Efron, *Bootstrap Methods: Another Look at the Jackknife*, Annals of Statistics 7 (1979); Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), 13.3 |
//! | outliers | beyond 1.5 (mild) and 3 (severe) times the distance of the quartiles from them; flagged, never removed | Tukey, *Exploratory Data Analysis* (1977), 2D; quartiles: Hyndman and Fan, definition 7 |
//! | whether two means differ | Welch's test, two-sided, from n, mean and standard deviation | Welch, *The Generalization of Student's Problem when Several Different Population Variances are Involved*, Biometrika 34 (1947) |
//! | the same, asked many times | Holm's step-down correction | Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, Scandinavian Journal of Statistics 6 (1979) |
//! | variance of floats | one pass, by updates of mean and sum of squares | Welford, *Technometrics* 4 (1962); Knuth, TAOCP 2, 4.2.2 |

mod bootstrap;
mod difference;
mod histogram;
mod number;
mod outliers;
mod summary;

pub use bootstrap::{Bootstrap, Ratio};
pub use difference::{Moments, holm};
pub use histogram::{Bucket, Histogram, Scale};
pub use number::Number;
pub use outliers::Outliers;
pub use summary::{StatsError, Summary};
