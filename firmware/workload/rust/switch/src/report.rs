//! The lines that the program prints after all rows, written piece by piece as those of the primes program are.

use core::fmt::{self, Write};

use cyclescope_workload::report::number;

use crate::{ITERATIONS, Row};

/// An object that a user pays for, and its bytes.
pub type Size = (&'static str, usize);

/// Everything a contender says about its run. Modes with a profiler have no Rust contender, so the mode is `plain`.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The contender's name as the experiments know it.
    pub contender: &'a str,
    /// Rate of the program's own clock in hertz, at least 1.
    pub clock_hz: u32,
    /// The rows by name, in the order in which they ran.
    pub rows: &'a [(&'a str, Row)],
    /// What a user pays for.
    pub sizes: &'a [Size],
}

impl Report<'_> {
    /// A row's time in whole microseconds, rounded down.
    #[must_use]
    pub fn microseconds(&self, row: Row) -> u32 {
        (u64::from(row.elapsed_ticks) * 1_000_000 / u64::from(self.clock_hz)) as u32
    }

    /// Writes all lines, each ended by `\n`.
    ///
    /// # Errors
    /// Whatever the channel returns; the report stops there.
    pub fn write_to(&self, out: &mut impl Write) -> fmt::Result {
        for &(name, row) in self.rows {
            out.write_str(name)?;
            number(out, ": ", row.counter)?;
            number(out, " iterations in ", self.microseconds(row))?;
            out.write_str(" us\n")?;
        }
        for &(object, bytes) in self.sizes {
            out.write_str(object)?;
            number(out, ": ", bytes as u32)?;
            out.write_str(" bytes\n")?;
        }
        out.write_str("cyclescope switch contender=")?;
        out.write_str(self.contender)?;
        number(out, " mode=plain iterations=", ITERATIONS)?;
        number(out, " clock_hz=", self.clock_hz)?;
        out.write_str(" resolution=1")?;
        for &(name, row) in self.rows {
            out.write_str(" ")?;
            out.write_str(name)?;
            number(out, "=", row.counter)?;
            number(out, "/", row.elapsed_ticks)?;
        }
        for &(object, bytes) in self.sizes {
            out.write_str(" size.")?;
            out.write_str(object)?;
            number(out, "=", bytes as u32)?;
        }
        out.write_str("\n")
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::String;

    use super::*;

    #[test]
    fn report_is_the_contract_to_the_byte() {
        let report = Report {
            contender: "ply",
            clock_hz: 32_000,
            rows: &[
                ("EmptyLoop", Row { counter: 30_000, elapsed_ticks: 140 }),
                ("CoroutineScheduling", Row { counter: 30_000, elapsed_ticks: 620 }),
            ],
            sizes: &[("task", 16), ("scheduler", 8)],
        };
        let mut text = String::new();
        report.write_to(&mut text).expect("a string takes all text");
        assert_eq!(
            text,
            "EmptyLoop: 30000 iterations in 4375 us\n\
             CoroutineScheduling: 30000 iterations in 19375 us\n\
             task: 16 bytes\n\
             scheduler: 8 bytes\n\
             cyclescope switch contender=ply mode=plain iterations=30000 clock_hz=32000 resolution=1 \
             EmptyLoop=30000/140 CoroutineScheduling=30000/620 size.task=16 size.scheduler=8\n"
        );
    }
}
