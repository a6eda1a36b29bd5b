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
//! | variance of floats | one pass, by updates of mean and sum of squares | Welford, *Technometrics* 4 (1962); Knuth, TAOCP 2, 4.2.2 |
#![forbid(unsafe_code)]

mod histogram;
mod number;
mod summary;

pub use histogram::{Bucket, Histogram, Scale};
pub use number::Number;
pub use summary::{StatsError, Summary};
