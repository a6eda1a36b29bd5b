//! The expected output of the program.

use cyclescope_images::Image;
use cyclescope_records::Unit;

use super::definition::Switch;
use crate::program::nanoseconds;
use crate::{RunError, Said};

/// The program's own account of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its clock's rate.
    pub clock_hz: u64,
    /// The number of ticks that the clock moves at once.
    pub resolution: u64,
    /// The length of each row by that clock, in its ticks; in the rows' order.
    pub elapsed: Vec<u64>,
    /// The objects that a user pays for, with their bytes.
    pub sizes: Vec<(String, u64)>,
}

/// The facts of the run beside its output.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub contender: &'a str,
    pub mode: &'a str,
    pub rows: &'a [&'a str],
    pub iterations: u64,
}

/// Checks every line: one a row for people, one a size for people, the result, and no more.
///
/// # Errors
/// [`RunError::Output`] or [`RunError::Figure`] with the first thing that is wrong.
pub fn check(definition: &Switch, expected: Expected<'_>, text: &str) -> Result<Account, RunError> {
    let lines: Vec<&str> = text.lines().collect();
    let result = lines.iter().position(|line| line.starts_with("cyclescope ")).unwrap_or(lines.len());
    let account = result_line(definition, expected, result + 1, lines.get(result).copied())?;
    if let Some(more) = lines.get(result + 1) {
        return Err(wrong(result + 2, "(nothing)", Some(more)));
    }
    for (at, (row, elapsed)) in expected.rows.iter().zip(&account.elapsed).enumerate() {
        let head = format!("{row}: {} iterations in ", expected.iterations);
        let line = lines.get(at).filter(|_| at < result).copied();
        let microseconds = line.and_then(|line| line.strip_prefix(&head)?.strip_suffix(" us")?.parse::<u64>().ok());
        let stated = u128::from(*elapsed) * 1_000_000 / u128::from(account.clock_hz);
        if microseconds.is_none_or(|told| u128::from(told).abs_diff(stated) > 1) {
            return Err(wrong(at + 1, &format!("{head}{stated} us"), line));
        }
    }
    for (at, (object, bytes)) in (expected.rows.len()..).zip(&account.sizes) {
        let line = lines.get(at).filter(|_| at < result).copied();
        let should = format!("{object}: {bytes} bytes");
        if line != Some(should.as_str()) {
            return Err(wrong(at + 1, &should, line));
        }
    }
    match lines.get(expected.rows.len() + account.sizes.len()) {
        Some(more) if expected.rows.len() + account.sizes.len() < result => {
            Err(wrong(expected.rows.len() + account.sizes.len() + 1, "the result line", Some(more)))
        }
        _ => Ok(account),
    }
}

/// Returns the figures of a run of `image`, which has `rows`, on a board, checked as the model's.
///
/// # Errors
/// As [`check`].
pub fn said(definition: &Switch, rows: &[&str], image: &Image, text: &str) -> Result<Vec<Said>, RunError> {
    let iterations = definition.iterations(image.chip);
    let account = check(definition, Expected { contender: image.contender, mode: image.mode, rows, iterations }, text)?;
    let row = |(row, ticks): (&&str, &u64)| {
        let (metric, unit) = ("elapsed.own_clock", Unit::Nanoseconds);
        Said { metric, unit, row: Some((*row).to_owned()), value: nanoseconds(*ticks, account.clock_hz) }
    };
    let clock = [("own_clock.hz", account.clock_hz), ("own_clock.resolution", account.resolution)];
    let clock = clock.map(|(metric, value)| Said { metric, unit: Unit::Count, row: None, value });
    Ok(rows.iter().zip(&account.elapsed).map(row).chain(clock).collect())
}

fn wrong(line: usize, expected: &str, found: Option<&str>) -> RunError {
    let found = found.unwrap_or("(nothing)").to_owned();
    RunError::Output { line, expected: expected.to_owned(), found }
}

/// Reads the result line, number `at`, and checks its figures.
fn result_line(
    definition: &Switch,
    expected: Expected<'_>,
    at: usize,
    line: Option<&str>,
) -> Result<Account, RunError> {
    let head = format!("cyclescope {} contender={} mode={} ", definition.name, expected.contender, expected.mode);
    let form = || {
        let rows: String = expected.rows.iter().map(|row| format!("{row}=…/… ")).collect();
        format!("{head}iterations=… clock_hz=… resolution=… {rows}size.…=…")
    };
    let malformed = || wrong(at, &form(), line);
    let mut fields = line.and_then(|line| line.strip_prefix(&head)).ok_or_else(malformed)?.split(' ').peekable();
    let mut number = |name: &str| fields.next()?.strip_prefix(name)?.strip_prefix('=')?.parse::<u64>().ok();
    let iterations = number("iterations").ok_or_else(malformed)?;
    let clock_hz = number("clock_hz").filter(|hz| *hz > 0).ok_or_else(malformed)?;
    let resolution = number("resolution").filter(|ticks| *ticks > 0).ok_or_else(malformed)?;
    let figure = |name, found| match found == expected.iterations {
        true => Ok(()),
        false => Err(RunError::Figure { name, expected: expected.iterations.to_string(), found }),
    };
    figure("iterations", iterations)?;
    let mut elapsed = Vec::new();
    for row in expected.rows {
        let value = fields.next().and_then(|field| field.strip_prefix(row)?.strip_prefix('='));
        let (counter, ticks) = value.and_then(|value| value.split_once('/')).ok_or_else(malformed)?;
        let counter = counter.parse().map_err(|_| malformed())?;
        if counter != expected.iterations {
            let expected = expected.iterations;
            return Err(RunError::Counter { row: (*row).to_owned(), expected, found: counter });
        }
        elapsed.push(ticks.parse().map_err(|_| malformed())?);
    }
    let mut sizes: Vec<(String, u64)> = Vec::new();
    for field in fields {
        let known = |name: &&str| definition.size.iter().any(|size| size.name == *name);
        let (name, bytes) =
            field.strip_prefix("size.").and_then(|field| field.split_once('=')).ok_or_else(malformed)?;
        let fresh = Some(name).filter(known).filter(|name| sizes.iter().all(|(other, _)| other != name));
        sizes.push((fresh.ok_or_else(malformed)?.to_owned(), bytes.parse().map_err(|_| malformed())?));
    }
    Ok(Account { clock_hz, resolution, elapsed, sizes })
}

/// A row by the simulator's clock.
#[derive(Clone, Copy, Debug)]
pub struct Simulated {
    pub cycles: u64,
    pub core_hz: u64,
}

/// Checks that the program's clock and the simulator's agree on `row`.
///
/// The clock moves by its resolution at once, so that the difference of two readings is off by less than that; two ticks
/// more are for an interrupt between a reading and its marker. The readings stand outside the markers: the program's
/// figure may be longer by the definition's `reading`, and never shorter.
///
/// # Errors
/// [`RunError::RowClock`].
pub fn check_clock(
    definition: &Switch,
    account: &Account,
    (index, name): (usize, &str),
    simulated: Simulated,
) -> Result<(), RunError> {
    let Simulated { cycles, core_hz } = simulated;
    let told = account.elapsed.get(index).copied().unwrap_or(0);
    let (clock, core) = (u128::from(account.clock_hz), u128::from(core_hz));
    // All in parts of a second that both clocks divide.
    let (own, span) = (u128::from(told) * core, u128::from(cycles) * clock);
    let apart = (u128::from(account.resolution) + 2) * core;
    let reading = u128::from(definition.limits.reading) * clock;
    if own + apart >= span && own <= span + apart + reading {
        return Ok(());
    }
    let (clock_hz, resolution) = (account.clock_hz, account.resolution);
    Err(RunError::RowClock { row: name.to_owned(), own: told, clock_hz, resolution, cycles, core_hz })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "EmptyLoop: 30000 iterations in 4376 us\n\
        DirectScheduling: 30000 iterations in 11251 us\n\
        CoroutineScheduling: 30000 iterations in 19376 us\n\
        task: 16 bytes\n\
        scheduler: 8 bytes\n\
        cyclescope switch contender=ply mode=plain iterations=30000 clock_hz=1000000 resolution=1 EmptyLoop=30000/4376 \
        DirectScheduling=30000/11251 CoroutineScheduling=30000/19376 size.task=16 size.scheduler=8\n";

    fn read(text: &str) -> Result<Account, String> {
        let definition = Switch::bundled();
        let rows = ["EmptyLoop", "DirectScheduling", "CoroutineScheduling"];
        let expected = Expected { contender: "ply", mode: "plain", rows: &rows, iterations: 30_000 };
        check(&definition, expected, text).map_err(|error| error.to_string())
    }

    fn account() -> Account {
        Account {
            clock_hz: 1_000_000,
            resolution: 1,
            elapsed: vec![4376, 11_251, 19_376],
            sizes: vec![("task".to_owned(), 16), ("scheduler".to_owned(), 8)],
        }
    }

    #[test]
    fn the_right_output_is_taken() {
        assert!(crate::program::is_complete(SAID));
        assert!(!crate::program::is_complete(SAID.trim_end()), "the line is not at its end");
        assert_eq!(read(SAID), Ok(account()));
    }

    #[test]
    fn anything_else_is_refused_with_what_is_wrong() {
        for (from, to, says) in [
            ("EmptyLoop: 30000", "EmptyLoop: 29999", "line 1"),
            ("in 11251 us", "in 11253 us", "line 2"),
            ("task: 16 bytes", "task: 116 bytes", "line 4"),
            ("task: 16 bytes\n", "", "line 4"),
            ("cyclescope switch", "more\ncyclescope switch", "line 6"),
            ("size.scheduler=8\n", "size.scheduler=8\nmore\n", "line 7"),
            ("contender=ply", "contender=plyx", "line 6"),
            ("mode=plain", "mode=profiled", "line 6"),
            ("iterations=30000", "iterations=10000", "iterations=10000"),
            ("clock_hz=1000000", "clock_hz=0", "line 6"),
            ("resolution=1", "resolution=0", "line 6"),
            ("EmptyLoop=30000", "EmptyLoop=29999", "the counter of EmptyLoop is 29999"),
            ("CoroutineScheduling=30000/", "CoroutineScheduling=60000/", "the counter of CoroutineScheduling is 60000"),
            (" DirectScheduling=30000/11251", "", "line 6"),
            ("DirectScheduling=30000/11251", "DirectScheduling=30000/", "line 6"),
            (" size.task", " size.tsk", "line 6"),
            ("size.scheduler=8", "size.task=8", "line 6"),
        ] {
            assert!(SAID.contains(from), "{from}");
            let error = read(&SAID.replacen(from, to, 1)).expect_err(to);
            assert!(error.contains(says), "{to}: {error}");
        }
        assert!(read("").is_err());
    }

    #[test]
    fn clocks_agree_to_the_resolution_two_ticks_and_what_a_reading_takes() {
        let (definition, mut account) = (Switch::bundled(), account());
        let agrees = |account: &Account, cycles| {
            let simulated = Simulated { cycles, core_hz: 48_000_000 };
            check_clock(&definition, account, (0, "EmptyLoop"), simulated).is_ok()
        };
        // 4376 ticks of 1 MHz are 210,048 cycles at 48 MHz; three ticks are 144.
        for (cycles, expected) in
            [(210_048, true), (210_192, true), (210_193, false), (209_504, true), (209_503, false)]
        {
            assert_eq!(agrees(&account, cycles), expected, "{cycles}");
        }
        account.resolution = 4;
        assert!(agrees(&account, 210_336) && !agrees(&account, 210_337));
    }
}
