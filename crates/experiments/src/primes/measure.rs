//! One run of one image: watched, checked, recorded.

use std::collections::BTreeMap;

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::{Channel, Console, Target};
use cyclescope_records::{GapNote, Model, Record, Rows, Scalar, Source, Unit};
use cyclescope_scope::defmt::Strings;
use cyclescope_scope::{
    End, Event, Exceptions, FunctionTime, Limits, Names, RunningTask, Sample, Session, Span, explain, place,
};
use cyclescope_stats::{Number, Summary};
use cyclescope_units::Cycles;

use super::definition::Definition;
use super::output::{self, Account, Expected};
use crate::{Job, RunError};

/// How often the probe reads RTT and the end is looked for: a millisecond at 48 MHz.
const POLL: Cycles = Cycles::new(48_000);

/// The exception that ticks.
const SYS_TICK: u16 = 15;

/// What one run showed.
struct Seen {
    sample: Sample,
    helper: FunctionTime,
    exceptions: Exceptions,
    account: Account,
}

/// Runs `job` and records it.
pub fn run(definition: &Definition, job: &Job) -> Result<Vec<Record>, RunError> {
    let elf = job.image.elf()?;
    let image = Image::parse(&elf)?;
    let part = match &job.part {
        Some(described) => described.as_ref(),
        None => Part::find(job.image.chip)?,
    };
    let settings = Settings { memory: job.memory, halt_on_fault: true, halt_on_reset: true, ..Settings::default() };
    let segments = image.segments().map(|segment| (segment.address, segment.bytes));
    let mut machine = Machine::new(part, settings, segments)?;
    let seen = watch(definition, job, &image, &mut machine)?;
    let clock = machine.clock();
    // On a core alone the firmware cannot know its clock.
    if job.image.chip == job.image.board {
        output::check_clock(&seen.account, seen.sample.cycles.nanoseconds_at(clock).unwrap_or(u64::MAX))?;
    }
    Ok(records(job, &image, &machine, &seen))
}

fn watch(definition: &Definition, job: &Job, image: &Image, machine: &mut Machine) -> Result<Seen, RunError> {
    let exceptions = machine.exceptions();
    let names = Names { exceptions: &exceptions, clock: machine.part().clock };
    let running = match definition.contender(job.image.contender).and_then(|contender| contender.running.as_ref()) {
        Some(running) => Some(RunningTask {
            pointer: image.symbol(&running.pointer)?.address,
            task: image.symbol(&running.task)?.address,
        }),
        None => None,
    };
    let mut session = Session::new(machine, image);
    let from = session.watch(definition.span.from.parse::<Event>()?.resolve(image, names)?);
    let to = session.watch(definition.span.to.parse::<Event>()?.resolve(image, names)?);
    let span = session.span(Span { name: "elapsed".to_owned(), from, to });
    let helper = session.time_function(image, &definition.span.helper)?;
    session.count_exceptions(running);
    session.time_functions_within(span);

    let channel = channel(job.image.channel).ok_or(RunError::Channel(job.image.channel))?;
    let strings = if job.image.channel == "defmt" { Some(Strings::read(image.file())?) } else { None };
    let text = |console: &Console| -> Result<String, RunError> {
        let bytes = console.bytes(channel);
        Ok(match &strings {
            Some(strings) => {
                strings.decoder().decode(&bytes)?.iter().fold(String::new(), |text, line| text + line + "\n")
            }
            None => String::from_utf8_lossy(&bytes).into_owned(),
        })
    };
    let limits = Limits { cycles: Cycles::new(definition.limits.cycles), poll: POLL };
    let end = session.run(limits, |console| text(console).is_ok_and(|text| output::is_complete(&text)));
    let said = text(&session.target().shared().console)?;
    match end {
        End::Satisfied => {}
        End::Stopped(stop) => return Err(RunError::Ended(stop, explain(stop, image, session.target().now()))),
        End::CycleBudget => {
            return Err(RunError::Budget(limits.cycles.get(), place(image, session.target().pc())));
        }
    }
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

/// The channel that a manifest names: `semihosting`, `rtt`, `defmt` (over RTT) or `uart:usart2`.
fn channel(name: &str) -> Option<Channel> {
    match name {
        "semihosting" => Some(Channel::Semihosting),
        "rtt" | "defmt" => Some(Channel::Rtt(0)),
        _ => name.strip_prefix("uart:usart")?.parse().ok().map(Channel::Uart),
    }
}

fn model(machine: &Machine) -> Model {
    let mut timing_rows = Rows::default();
    for row in machine.timing_used() {
        timing_rows.insert(row);
    }
    Model {
        name: machine.part().name.to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        timing_rows,
        gaps: machine.gaps().iter().map(GapNote::from).collect(),
    }
}

fn settings(job: &Job, machine: &Machine) -> BTreeMap<String, Scalar> {
    let mut settings: BTreeMap<String, Scalar> =
        job.image.settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    settings.insert("memory".to_owned(), job.memory.name().into());
    if let Some(written) = machine.devices().flash_settings_written() {
        settings.insert("flash_written".to_owned(), written.into());
    }
    let flash = machine.flash_timing();
    settings.insert("wait_states".to_owned(), u64::from(flash.wait_states).into());
    if flash.wait_states > 0 {
        settings.insert("prefetch".to_owned(), flash.prefetch.into());
        settings.insert("instruction_lines".to_owned(), (flash.instruction_lines as u64).into());
        settings.insert("data_lines".to_owned(), (flash.data_lines as u64).into());
    }
    settings
}

fn records(job: &Job, image: &Image, machine: &Machine, seen: &Seen) -> Vec<Record> {
    let Seen { sample, helper, exceptions, account } = seen;
    let Summary { n, mean, stddev, min, median, p99, max } = Summary::exact(0);
    let base = Record {
        experiment: job.image.experiment.to_owned(),
        mode: job.image.mode.to_owned(),
        params: BTreeMap::new(),
        contender: job.image.contender.to_owned(),
        contender_version: job.image.contender_version.to_owned(),
        compiler: job.image.compiler.to_owned(),
        chip: Some(machine.part().name.to_string()),
        clock_hz: Some(machine.clock().get()),
        settings: settings(job, machine),
        opt: job.image.opt.to_owned(),
        metric: String::new(),
        unit: Unit::Count,
        n,
        mean,
        stddev,
        min,
        median,
        p99,
        max,
        histogram: None,
        source: Source::Simulated,
        image_sha256: Some(job.image.sha256.to_owned()),
        model: Some(model(machine)),
    };
    let sizes = image.totals();
    let own_ns = u128::from(account.elapsed) * 1_000_000_000 / u128::from(account.clock_hz);
    let interrupts: u64 =
        exceptions.numbers().filter(|number| *number >= SYS_TICK).map(|n| exceptions.entries(n)).sum();
    let interrupt_cycles: u64 =
        exceptions.numbers().filter(|number| *number >= SYS_TICK).map(|n| exceptions.cycles(n).get()).sum();
    let metrics = [
        ("elapsed", Unit::Cycles, sample.cycles.get()),
        ("instructions", Unit::Instructions, sample.instructions.get()),
        ("elapsed.own_clock", Unit::Nanoseconds, u64::try_from(own_ns).unwrap_or(u64::MAX)),
        ("own_clock.hz", Unit::Count, account.clock_hz),
        ("division", Unit::Cycles, helper.cycles.get()),
        ("division.calls", Unit::Count, helper.calls),
        ("dispatches", Unit::Count, account.dispatches),
        ("counter", Unit::Count, account.counter),
        ("switches.forced", Unit::Count, exceptions.taken_away() + exceptions.given_back()),
        ("interrupts", Unit::Count, interrupts),
        ("interrupts.handlers", Unit::Cycles, interrupt_cycles),
        ("flash", Unit::Bytes, sizes.flash.get()),
        ("text", Unit::Bytes, sizes.text.get()),
        ("rodata", Unit::Bytes, sizes.rodata.get()),
        ("data", Unit::Bytes, sizes.data.get()),
        ("bss", Unit::Bytes, sizes.bss.get()),
        ("ram", Unit::Bytes, sizes.ram.get()),
        ("stack.main", Unit::Bytes, machine.main_stack_used().get()),
    ];
    let exact = |value: u64| Summary::exact(Number::Integer(i64::try_from(value).unwrap_or(i64::MAX)));
    metrics.into_iter().map(|(metric, unit, value)| base.with_metric(metric, unit, exact(value))).collect()
}
