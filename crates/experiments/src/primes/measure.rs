//! One run of one image: watched, checked, recorded.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_records::{Record, Unit};
use cyclescope_scope::{Exceptions, FunctionTime, RunningTask, Sample, Session, Unobserved};

use super::definition::Primes;
use super::output::{self, Account, Expected};
use crate::experiment::JobGaps;
use crate::program::{nanoseconds, run_to_result, watch_span};
use crate::{ImageJob, RunError, Watch, subject};

/// The exception that ticks.
const SYS_TICK: u16 = 15;

/// The observations of one run.
struct Seen {
    sample: Sample,
    helper: FunctionTime,
    exceptions: Exceptions,
    account: Account,
}

/// Runs `job` under `from` and records it.
pub fn run(definition: &Primes, job: &ImageJob, from: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let (image, mut machine) = subject::load(job)?;
    let seen = watch(definition, job, &image, &mut machine, &from.gaps_of(job, &image))?;
    let clock = machine.clock();
    // On a core alone the firmware cannot know its clock.
    if job.image.chip == job.image.board {
        output::check_clock(&seen.account, seen.sample.cycles.nanoseconds_at(clock).unwrap_or(u64::MAX))?;
    }
    Ok(records(job, &image, &machine, &seen))
}

fn watch(
    definition: &Primes,
    job: &ImageJob,
    image: &Image,
    machine: &mut Machine,
    gaps: &JobGaps<'_>,
) -> Result<Seen, RunError> {
    let running = match definition.contender(job.image.contender).and_then(|contender| contender.running.as_ref()) {
        Some(running) => Some(RunningTask {
            pointer: image.symbol(&running.pointer)?.address,
            task: image.symbol(&running.task)?.address,
        }),
        None => None,
    };
    let mut session = Session::new(machine, image);
    session.tell_gaps(gaps, image);
    let span = watch_span(&mut session, image, &definition.span)?;
    let helper = session.time_function(image, &definition.span.helper)?;
    session.count_exceptions(running);
    session.time_functions_within(span);

    let said = run_to_result(&mut session, (job, image), &mut Unobserved, definition.limits)?;
    let exceptions = session.exceptions_within(span);
    let helper = session.function_time(helper);
    let samples = session.finish().swap_remove(span)?;
    let [sample] = samples[..] else { return Err(RunError::Repeated(samples.len())) };
    let forced = exceptions.taken_away() as i64 - exceptions.given_back() as i64;
    let expected = Expected { contender: job.image.contender, mode: job.image.mode, forced };
    let account = output::check(definition, expected, &said)?;
    if helper.calls != definition.workload.divisions {
        let expected = definition.workload.divisions.to_string();
        return Err(RunError::Figure { name: "divisions", expected, found: helper.calls });
    }
    Ok(Seen { sample, helper, exceptions, account })
}

fn records(job: &ImageJob, image: &Image, machine: &Machine, seen: &Seen) -> Vec<Record> {
    let Seen { sample, helper, exceptions, account } = seen;
    let base = subject::record(job, image, machine);
    let interrupts = || exceptions.numbers().filter(|number| *number >= SYS_TICK);
    let metrics = [
        ("elapsed", Unit::Cycles, sample.cycles.get()),
        ("instructions", Unit::Instructions, sample.instructions.get()),
        ("elapsed.own_clock", Unit::Nanoseconds, nanoseconds(account.elapsed, account.clock_hz)),
        ("own_clock.hz", Unit::Count, account.clock_hz),
        ("division", Unit::Cycles, helper.cycles.get()),
        ("division.calls", Unit::Count, helper.calls),
        ("dispatches", Unit::Count, account.dispatches),
        ("counter", Unit::Count, account.counter),
        ("switches.forced", Unit::Count, exceptions.taken_away() + exceptions.given_back()),
        ("interrupts", Unit::Count, interrupts().map(|number| exceptions.entries(number)).sum()),
        ("interrupts.handlers", Unit::Cycles, interrupts().map(|number| exceptions.cycles(number).get()).sum()),
    ];
    let stack = ("stack.main", Unit::Bytes, machine.main_stack_used().get());
    let all = metrics.into_iter().chain(subject::sizes(image)).chain([stack]);
    all.map(|(metric, unit, value)| subject::exact(&base, metric, unit, value)).collect()
}
