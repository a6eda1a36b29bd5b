//! One run of one image: watched, checked, recorded.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::Hertz;
use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Scalar, Unit};
use cyclescope_scope::{Sample, Session, Trace, Unobserved};

use super::definition::{ModeText, Switch};
use super::interrupts;
use super::output::{self, Account, Expected, Simulated};
use crate::experiment::JobGaps;
use crate::program::{nanoseconds, run_to_result, watch_span};
use crate::table_notes::ABSENT;
use crate::{ImageJob, RunError, Watch, subject};

/// The most entries of a trace: about 100 MB.
const MOST_TRACED: usize = 4_000_000;

/// The observations of one run.
struct Seen<'d> {
    rows: Vec<&'d str>,
    samples: Vec<Sample>,
    trace: Trace,
    account: Account,
}

/// Runs `job` under `from` and records it.
pub fn run(definition: &Switch, job: &ImageJob, from: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let mode = definition.mode(&job.mode).ok_or_else(|| RunError::NoMode(job.mode.clone()))?;
    let (image, mut machine) = subject::load(job)?;
    let seen = watch(definition, mode, job, &image, &mut machine, &from.gaps_of(job, &image))?;
    let core_hz = machine.clock().get();
    for (row, sample) in seen.rows.iter().copied().enumerate().zip(&seen.samples) {
        let simulated = Simulated { cycles: sample.cycles.get(), core_hz };
        output::check_clock(definition, &seen.account, row, simulated)?;
    }
    Ok(records(definition, mode, job, &image, &machine, &seen))
}

fn watch<'d>(
    definition: &'d Switch,
    mode: &'d ModeText,
    job: &ImageJob,
    image: &Image,
    machine: &mut Machine,
    gaps: &JobGaps<'_>,
) -> Result<Seen<'d>, RunError> {
    let mut session = Session::new(machine, image);
    session.tell_gaps(gaps, image);
    let span = watch_span(&mut session, image, &definition.span)?;
    session.trace(MOST_TRACED, None);

    let said = run_to_result(&mut session, (job, image), &mut Unobserved, definition.limits)?;
    let trace = session.take_trace().unwrap_or_default();
    let samples = session.finish().swap_remove(span)?;

    let rows = definition.rows_run(mode, job.image.rows_absent());
    let iterations = definition.iterations(job.image.chip);
    let expected = Expected { contender: job.image.contender, mode: &mode.name, rows: &rows, iterations };
    let account = output::check(definition, expected, &said)?;
    if samples.len() != rows.len() {
        return Err(RunError::Rows { expected: rows.len(), found: samples.len() });
    }
    if trace.lost > 0 {
        return Err(RunError::Flooded(trace.entries.len() as u64 + trace.lost));
    }
    Ok(Seen { rows, samples, trace, account })
}

/// Nanoseconds of `ticks` of a clock of `hz`, for each of `iterations`.
fn each_ns(ticks: u64, hz: u64, iterations: u64) -> Number {
    Number::ratio(i128::from(ticks) * 1_000_000_000, i128::from(hz) * i128::from(iterations)).unwrap_or(Number::ZERO)
}

fn records(
    definition: &Switch,
    mode: &ModeText,
    job: &ImageJob,
    image: &Image,
    machine: &Machine,
    seen: &Seen<'_>,
) -> Vec<Record> {
    let Seen { rows, samples, trace, account } = seen;
    let mut base = subject::record(job, image, machine);
    base.experiment.clone_from(&definition.name);
    for (row, reason) in absent(definition, mode, job) {
        base.settings.insert(format!("{ABSENT}{row}"), reason.into());
    }
    let (names, core) = (machine.exceptions(), machine.clock());
    let iterations = definition.iterations(job.image.chip);
    let floor = rows.iter().position(|row| *row == definition.rows.floor).and_then(|at| samples.get(at));
    let mut records = Vec::new();
    for ((row, sample), own) in rows.iter().zip(samples).zip(&account.elapsed) {
        let mut base = base.clone();
        base.params.insert("row".to_owned(), (*row).into());
        let ticks = Ticks { own: *own, hz: account.clock_hz };
        records.extend(row_records(&base, sample, iterations, core, ticks));
        if *row != definition.rows.floor
            && let Some(floor) = floor
        {
            let above = i128::from(sample.cycles.get()) - i128::from(floor.cycles.get());
            let each = Number::ratio(above, i128::from(iterations)).unwrap_or(Number::ZERO);
            let mut record = base.with_metric("switch.above_floor", Unit::Cycles, Summary::exact(each));
            record.params.insert("less".to_owned(), definition.rows.floor.as_str().into());
            records.push(record);
        }
        let to = sample.start.saturating_add(sample.cycles);
        let is_of_windows = |number| machine.is_window_exception(number);
        for taken in interrupts::within(trace, sample.start, to, &is_of_windows) {
            let known = names.iter().find(|(number, _)| *number == taken.number);
            let name = known.map_or_else(|| format!("exception {}", taken.number), |(_, name)| (*name).to_owned());
            let mut base = base.clone();
            base.params.insert("exception".to_owned(), name.into());
            if taken.around {
                base.params.insert("around".to_owned(), true.into());
            }
            let [entries, handlers, of_row] = if is_of_windows(taken.number) { WINDOWS } else { INTERRUPTS };
            records.push(subject::exact(&base, entries, Unit::Count, taken.entries));
            records.push(subject::exact(&base, handlers, Unit::Cycles, taken.cycles));
            let share =
                Number::ratio(i128::from(taken.cycles), i128::from(sample.cycles.get())).unwrap_or(Number::ZERO);
            records.push(base.with_metric(of_row, Unit::Ratio, Summary::exact(share)));
        }
    }
    let own = [("own_clock.hz", account.clock_hz), ("own_clock.resolution", account.resolution)];
    records.extend(own.map(|(metric, value)| subject::exact(&base, metric, Unit::Count, value)));
    let sizes = account.sizes.iter().map(|(name, bytes)| (format!("size.{name}"), *bytes));
    records.extend(sizes.map(|(metric, bytes)| subject::exact(&base, &metric, Unit::Bytes, bytes)));
    let image = subject::sizes(image).into_iter().chain([("stack.main", Unit::Bytes, machine.main_stack_used().get())]);
    records.extend(image.map(|(metric, unit, value)| subject::exact(&base, metric, unit, value)));
    records
}

/// The metrics of interrupts inside a row: entries, cycles in handlers, the handlers' share.
pub(super) const INTERRUPTS: [&str; 3] = ["interrupts", "interrupts.handlers", "interrupts.share"];
/// The same of exceptions of register windows, which the row's own calls and returns raise.
pub(super) const WINDOWS: [&str; 3] = ["windows", "windows.handlers", "windows.share"];

/// A time by the program's own clock.
#[derive(Clone, Copy)]
struct Ticks {
    own: u64,
    hz: u64,
}

/// Returns the length of a row, by the simulator and by the program's own clock, whole and for each iteration.
fn row_records(base: &Record, sample: &Sample, iterations: u64, core: Hertz, ticks: Ticks) -> Vec<Record> {
    let cycles = sample.cycles.get();
    let whole = [
        ("elapsed", Unit::Cycles, cycles),
        ("elapsed.own_clock", Unit::Nanoseconds, nanoseconds(ticks.own, ticks.hz)),
        ("instructions", Unit::Instructions, sample.instructions.get()),
        ("iterations", Unit::Count, iterations),
    ];
    let switch = Number::ratio(i128::from(cycles), i128::from(iterations)).unwrap_or(Number::ZERO);
    let each = [
        ("switch", Unit::Cycles, switch),
        ("switch.time", Unit::Nanoseconds, each_ns(cycles, core.get(), iterations)),
        ("switch.own_clock", Unit::Nanoseconds, each_ns(ticks.own, ticks.hz, iterations)),
    ];
    let whole = whole.into_iter().map(|(metric, unit, value)| subject::exact(base, metric, unit, value));
    whole.chain(each.map(|(metric, unit, value)| base.with_metric(metric, unit, Summary::exact(value)))).collect()
}

/// The rows that `job`'s contender does not fill, and why: the image's own, and those of a mode that it has no image of.
fn absent(definition: &Switch, mode: &ModeText, job: &ImageJob) -> Vec<(String, String)> {
    let own = job.image.rows_absent().iter().map(|(row, reason)| ((*row).to_owned(), (*reason).to_owned()));
    let modes = cyclescope_images::absent().iter().filter(|absent| {
        absent.experiment == definition.name && absent.contender == job.image.contender && absent.mode != mode.name
    });
    let rows = modes.flat_map(|absent| {
        let mode = definition.mode(absent.mode).map(|mode| mode.rows.as_slice()).unwrap_or_default();
        mode.iter().filter(|row| **row != definition.rows.floor).map(|row| (row.clone(), absent.reason.to_owned()))
    });
    own.chain(rows).collect()
}

/// The reason in `record`'s settings why `row` is not there.
pub fn reason<'r>(record: &'r Record, row: &str) -> Option<&'r Scalar> {
    record.settings.get(&format!("{ABSENT}{row}"))
}
