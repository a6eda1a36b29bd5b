//! The lines a contender prints after its span.
//!
//! The text is written piece by piece through [`core::fmt::Write`] with a decimal writer of its own, so that no
//! contender links the formatting machinery behind `write!`: what a table calls a contender's flash should be the
//! contender. Where defmt carries the report, its host prints these lines and [`Report`] supplies the numbers.

use core::fmt::{self, Write};

use crate::primes::Findings;

/// Everything a contender says about its run.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The contender's name as the experiments know it.
    pub contender: &'a str,
    /// The mode it was built for: `plain`, `one` or `two`.
    pub mode: &'a str,
    /// What the search found.
    pub findings: &'a Findings,
    /// The second task's counter when the search was done; 0 where there is no second task.
    pub counter: u32,
    /// Duration of the span in ticks of the contender's own clock.
    pub elapsed_ticks: u32,
    /// Rate of that clock in hertz, at least 1.
    pub clock_hz: u32,
}

impl Report<'_> {
    /// The span in whole milliseconds, rounded down.
    #[must_use]
    pub fn elapsed_ms(&self) -> u32 {
        (u64::from(self.elapsed_ticks) * 1000 / u64::from(self.clock_hz)) as u32
    }

    /// Writes all lines, each ended by `\n`.
    ///
    /// # Errors
    /// Whatever the channel returns; the report stops there.
    pub fn write_to(&self, out: &mut impl Write) -> fmt::Result {
        let Findings { primes, trials, loops, dispatches } = self.findings;
        for (place, &prime) in (1..).zip(primes) {
            number(out, "found a prime number ", place)?;
            number(out, " ", prime as u32)?;
            out.write_str("\n")?;
        }
        number(out, "done elapsed = ", self.elapsed_ms())?;
        number(out, " ms, trials=", *trials)?;
        number(out, ", loops=", *loops)?;
        out.write_str("\ncyclescope primes contender=")?;
        out.write_str(self.contender)?;
        out.write_str(" mode=")?;
        out.write_str(self.mode)?;
        number(out, " trials=", *trials)?;
        number(out, " loops=", *loops)?;
        number(out, " dispatches=", *dispatches)?;
        number(out, " counter=", self.counter)?;
        number(out, " elapsed=", self.elapsed_ticks)?;
        number(out, " clock_hz=", self.clock_hz)?;
        out.write_str("\n")
    }
}

/// Writes `label` and then `value` in decimal, in one call so that each caller stays small; fails as the channel does.
#[inline(never)]
pub fn number(out: &mut impl Write, label: &str, mut value: u32) -> fmt::Result {
    out.write_str(label)?;
    // Ten digits hold any u32.
    let mut digits = [b'0'; 10];
    let mut first = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
        first -= 1;
        if value == 0 {
            break;
        }
    }
    out.write_str(digits.get(first..).and_then(|used| str::from_utf8(used).ok()).ok_or(fmt::Error)?)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::String;

    use super::*;
    use crate::primes::search;

    #[test]
    fn report_is_the_contract_to_the_byte() {
        let mut findings = Findings::NONE;
        search(&mut findings);
        findings.dispatches = 202_523;
        let report = Report {
            contender: "c-loop",
            mode: "one",
            findings: &findings,
            counter: 0,
            elapsed_ticks: 68_845,
            clock_hz: 32_768,
        };
        let mut text = String::new();
        report.write_to(&mut text).expect("a string takes all text");
        assert_eq!(
            text,
            "found a prime number 1 268435459\n\
             found a prime number 2 268435463\n\
             found a prime number 3 268435493\n\
             found a prime number 4 268435523\n\
             found a prime number 5 268435537\n\
             found a prime number 6 268435561\n\
             found a prime number 7 268435577\n\
             found a prime number 8 268435579\n\
             found a prime number 9 268435597\n\
             found a prime number 10 268435631\n\
             done elapsed = 2100 ms, trials=177, loops=202346\n\
             cyclescope primes contender=c-loop mode=one trials=177 loops=202346 dispatches=202523 counter=0 \
             elapsed=68845 clock_hz=32768\n"
        );
    }

    #[test]
    fn numbers_keep_every_digit() {
        for (value, text) in [(0, "x0"), (9, "x9"), (10, "x10"), (1_000_000, "x1000000"), (u32::MAX, "x4294967295")] {
            let mut written = String::new();
            number(&mut written, "x", value).expect("a string takes all text");
            assert_eq!(written, text);
        }
    }

    #[test]
    fn milliseconds_do_not_overflow() {
        let findings = Findings::NONE;
        let report = Report {
            contender: "c",
            mode: "plain",
            findings: &findings,
            counter: 0,
            elapsed_ticks: u32::MAX,
            clock_hz: 1_000_000,
        };
        assert_eq!(report.elapsed_ms(), 4_294_967);
    }
}
