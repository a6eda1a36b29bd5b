//! The expected output of the program, to the letter.

use cyclescope_images::Image;
use cyclescope_records::Unit;

use super::definition::Primes;
use crate::program::nanoseconds;
use crate::{RunError, Said};

/// The program's own account of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The number of times that the first task handed over.
    pub dispatches: u64,
    /// The second task's counter.
    pub counter: u64,
    /// The span by its own clock, in that clock's ticks.
    pub elapsed: u64,
    /// Its clock's rate.
    pub clock_hz: u64,
}

/// The facts of the run beside its output.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub contender: &'a str,
    pub mode: &'a str,
    /// Switches that a tick forced away from the first task, less those that it forced back to it.
    pub forced: i64,
}

/// Checks every line.
///
/// # Errors
/// [`RunError::Output`] or [`RunError::Figure`] with the first thing that is wrong.
pub fn check(definition: &Primes, expected: Expected<'_>, text: &str) -> Result<Account, RunError> {
    let mut lines = (1..).zip(text.lines());
    let mut next = || lines.next().unwrap_or((0, "(nothing)"));
    let wrong = |line, expected: &str, found: &str| RunError::Output {
        line,
        expected: expected.to_owned(),
        found: found.to_owned(),
    };
    for (index, prime) in (1..).zip(&definition.workload.primes) {
        let should = format!("found a prime number {index} {prime}");
        let (line, found) = next();
        if found != should {
            return Err(wrong(line, &should, found));
        }
    }
    let workload = &definition.workload;
    let (line, done) = next();
    let tail = format!(" ms, trials={}, loops={}", workload.trials, workload.loops);
    let milliseconds = done
        .strip_prefix("done elapsed = ")
        .and_then(|rest| rest.strip_suffix(&tail))
        .and_then(|number| number.parse::<u64>().ok())
        .ok_or_else(|| wrong(line, &format!("done elapsed = …{tail}"), done))?;
    let (line, result) = next();
    let head = format!(
        "cyclescope {} contender={} mode={} trials={} loops={} ",
        definition.name, expected.contender, expected.mode, workload.trials, workload.loops
    );
    let account = result
        .strip_prefix(&head)
        .and_then(figures)
        .ok_or_else(|| wrong(line, &format!("{head}dispatches=… counter=… elapsed=… clock_hz=…"), result))?;
    if let Some((line, more)) = lines.next() {
        return Err(wrong(line, "(nothing)", more));
    }
    check_figures(definition, expected, &account)?;
    let stated = account.elapsed.saturating_mul(1000) / account.clock_hz;
    if milliseconds.abs_diff(stated) > 1 {
        let expected = format!("{stated}, as its ticks say");
        return Err(RunError::Figure { name: "done elapsed", expected, found: milliseconds });
    }
    Ok(account)
}

fn figures(text: &str) -> Option<Account> {
    let mut fields = text.split(' ');
    let mut next = |name: &str| fields.next()?.strip_prefix(name)?.strip_prefix('=')?.parse::<u64>().ok();
    let account = Account {
        dispatches: next("dispatches")?,
        counter: next("counter")?,
        elapsed: next("elapsed")?,
        clock_hz: next("clock_hz").filter(|hz| *hz > 0)?,
    };
    fields.next().is_none().then_some(account)
}

/// The second task takes its turn after each of the first one's, except that either may be cut off at the ends, and that
/// a tick may have taken turns away from the one or the other.
fn check_figures(definition: &Primes, expected: Expected<'_>, account: &Account) -> Result<(), RunError> {
    let dispatches = definition.dispatches(expected.contender, expected.mode);
    if account.dispatches != dispatches {
        let expected = dispatches.to_string();
        return Err(RunError::Figure { name: "dispatches", expected, found: account.dispatches });
    }
    if expected.mode == "other-core" {
        // A task on another core takes its turns whatever this one does.
        let expected = "1 or more, by the task on the other core".to_owned();
        let nothing = RunError::Figure { name: "counter", expected, found: account.counter };
        return if account.counter > 0 { Ok(()) } else { Err(nothing) };
    }
    let two = expected.mode.starts_with("two");
    let turns = if two { dispatches.saturating_add_signed(expected.forced) } else { 0 };
    let slack = if two { 2 } else { 0 };
    if account.counter.abs_diff(turns) > slack {
        let expected = match (two, expected.forced) {
            (false, _) => "0, without a second task".to_owned(),
            (true, 0) => format!("{turns}, give or take 2"),
            (true, forced) => format!("{turns} ({dispatches} dispatches, {forced} forced switches), give or take 2"),
        };
        return Err(RunError::Figure { name: "counter", expected, found: account.counter });
    }
    Ok(())
}

/// Returns the figures of a run of `image` on a board, checked as the model's.
///
/// # Errors
/// As [`check`]; and [`RunError::Setup`] for a program whose counter depends on when ticks came, which a log does not say.
pub fn said(definition: &Primes, image: &Image, text: &str) -> Result<Vec<Said>, RunError> {
    if image.mode.ends_with("sliced") {
        return Err(RunError::Setup(format!(
            "its counter cannot be checked without knowing when ticks took the core, in mode {}",
            image.mode
        )));
    }
    let expected = Expected { contender: image.contender, mode: image.mode, forced: 0 };
    let account = check(definition, expected, text)?;
    let value = |metric, unit, value| Said { metric, unit, row: None, value };
    Ok(vec![
        value("elapsed.own_clock", Unit::Nanoseconds, nanoseconds(account.elapsed, account.clock_hz)),
        value("own_clock.hz", Unit::Count, account.clock_hz),
    ])
}

/// Checks that the program's clock and the simulator's agree to a tick of the program's clock.
///
/// Both ends of the program's reading are rounded down to a tick, so that the difference of two readings is less than a
/// tick away from the time between them.
///
/// # Errors
/// [`RunError::Clock`].
pub fn check_clock(account: &Account, simulated_ns: u64) -> Result<(), RunError> {
    let hz = u128::from(account.clock_hz);
    let own = u128::from(account.elapsed) * 1_000_000_000;
    let simulated = u128::from(simulated_ns) * hz;
    if own.abs_diff(simulated) <= 1_000_000_000 {
        return Ok(());
    }
    Err(RunError::Clock { own: account.elapsed, clock_hz: account.clock_hz, simulated_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said() -> String {
        let mut text = String::new();
        for (index, prime) in (1..).zip(&Primes::bundled().workload.primes) {
            text += &format!("found a prime number {index} {prime}\n");
        }
        text += "done elapsed = 2101 ms, trials=177, loops=202346\n";
        text += "cyclescope primes contender=embassy mode=two trials=177 loops=202346 dispatches=202346 \
                 counter=202345 elapsed=2101 clock_hz=1000\n";
        text
    }

    fn check_text(text: &str, forced: i64) -> Result<Account, String> {
        let expected = Expected { contender: "embassy", mode: "two", forced };
        check(&Primes::bundled(), expected, text).map_err(|error| error.to_string())
    }

    #[test]
    fn the_right_output_is_taken() {
        assert!(crate::program::is_complete(&said()));
        let account = Account { dispatches: 202_346, counter: 202_345, elapsed: 2101, clock_hz: 1000 };
        assert_eq!(check_text(&said(), 0), Ok(account));
    }

    #[test]
    fn anything_else_is_refused_with_its_line() {
        for (from, to, line) in [
            ("268435493", "268435494", "line 3"),
            ("10 268435631", "11 268435631", "line 10"),
            ("trials=177, loops", "trials=178, loops", "line 11"),
            ("mode=two", "mode=one", "line 12"),
            ("clock_hz=1000", "clock_hz=0", "line 12"),
            ("clock_hz=1000\n", "clock_hz=1000\nmore\n", "line 13"),
            ("dispatches=202346", "dispatches=202345", "dispatches=202345"),
            ("counter=202345", "counter=202343", "counter=202343"),
            ("done elapsed = 2101", "done elapsed = 2110", "done elapsed=2110"),
        ] {
            let error = check_text(&said().replace(from, to), 0).expect_err(to);
            assert!(error.contains(line), "{error}");
        }
        assert!(check_text("", 0).is_err());
    }

    #[test]
    fn forced_switches_are_part_of_the_counter() {
        assert!(check_text(&said(), 100).is_err());
        assert!(check_text(&said().replace("counter=202345", "counter=202446"), 100).is_ok());
    }

    #[test]
    fn a_task_on_another_core_takes_as_many_turns_as_it_can() {
        let checked = |counter: &str| {
            let text = said().replace("mode=two", "mode=other-core").replace("counter=202345", counter);
            let expected = Expected { contender: "embassy", mode: "other-core", forced: 0 };
            check(&Primes::bundled(), expected, &text)
        };
        assert!(checked("counter=7").is_ok() && checked("counter=900000").is_ok());
        let error = checked("counter=0").expect_err("it has not run").to_string();
        assert!(error.contains("1 or more"), "{error}");
    }

    #[test]
    fn clocks_agree_to_a_tick() {
        let account = Account { dispatches: 0, counter: 0, elapsed: 2101, clock_hz: 1000 };
        for (ns, agrees) in
            [(2_101_000_000, true), (2_102_000_000, true), (2_100_000_000, true), (2_102_000_001, false)]
        {
            assert_eq!(check_clock(&account, ns).is_ok(), agrees, "{ns}");
        }
    }
}
