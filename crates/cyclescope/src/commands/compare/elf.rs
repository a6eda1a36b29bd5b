//! An ELF that is to be compared, run into records.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use cyclescope_image::Image;
use cyclescope_records::stats::Summary;
use cyclescope_records::{FUNCTION, Record, Scalar, Source, Unit};
use cyclescope_scope::Time;

use crate::backend::{Backend, Failure, Guest, RunEnd, RunRequest, Scenario, Selection, TraceRequest, TraceSpan};
use crate::chip;
use crate::cli::compare::ElfOptions;
use crate::commands::{check_names, chips};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::interrupted;
use crate::progress::Quiet;
use crate::status::Window;
use cyclescope_guest::options::WINDOW;

/// The longest run of an experiment's program, from reset. It ends by itself before that.
const EXPERIMENT: Time = Time::nanoseconds(60_000_000_000);

/// The metric of how often the span happened, where all of its occurrences are summed up.
pub(super) const OCCURRENCES: &str = "occurrences";

/// The name of both sides, so that their records are partners.
const NAME: &str = "image";

/// Runs the ELF `elf`, read from `path`, as `options` ask.
///
/// # Errors
/// [`CliError`] for what does not fit together, and for an ELF that does not do what was asked.
pub(super) fn records(
    options: &ElfOptions,
    path: &Path,
    elf: Vec<u8>,
    backend: &dyn Backend,
) -> Result<Vec<Record>, CliError> {
    let Some(chip) = &options.chip else {
        return Err(CliError::Usage("to compare ELFs, name the --chip that runs them"));
    };
    let chip = &chip::resolve(chip)?;
    let image = Image::parse(&elf).map_err(CliError::bad_file(path))?;
    let Some(experiment) = &options.experiment else { return traced(options, chip, path, &image, None, backend) };
    let catalogue = backend.catalogue();
    let found = catalogue.experiments.iter().find(|entry| entry.name == *experiment);
    let names = catalogue.experiments.iter().filter(|entry| !entry.host).map(|entry| entry.name.as_str());
    check_names("experiment on chips", "list experiments", std::slice::from_ref(experiment), names)?;
    let request = RunRequest {
        experiments: vec![experiment.clone()],
        selection: Selection {
            contenders: options.contender.iter().cloned().collect(),
            modes: options.mode.iter().cloned().collect(),
            opts: options.opt.iter().cloned().collect(),
            memory: vec![options.memory],
            ..chips(std::slice::from_ref(chip))?
        },
        jobs: NonZeroUsize::MIN,
        base: None,
        details: false,
        trace: false,
        elf: Some(Arc::from(elf)),
        luck: None,
    };
    let outcome = backend.run(&request, &Quiet, &interrupted)?;
    if let Some(failure) = outcome.failures.into_iter().next() {
        return Err(Failure { subject: format!("{} in {}", path.display(), failure.subject), ..failure }.into());
    }
    let mut records = outcome.records;
    if let Some((from, to)) = found.and_then(|entry| entry.span.clone()) {
        let span = TraceSpan { from: from.into(), to, occurrence: crate::tracing::Occurrence::All };
        let of = records.first().cloned();
        let functions = traced(options, chip, path, &image, Some(&span), backend)?;
        // Beside the experiment's own figures stand only the functions.
        records.extend(functions.into_iter().filter(|record| record.metric == FUNCTION).map(|record| match &of {
            Some(Record { experiment, contender, mode, opt, .. }) => Record {
                experiment: experiment.clone(),
                contender: contender.clone(),
                mode: mode.clone(),
                opt: opt.clone(),
                ..record
            },
            None => record,
        }));
    }
    Ok(records)
}

/// Returns the cycles of each function from one event to another, or in a whole run.
fn traced(
    options: &ElfOptions,
    chip: &str,
    path: &Path,
    image: &Image,
    span: Option<&TraceSpan>,
    backend: &dyn Backend,
) -> Result<Vec<Record>, CliError> {
    let own = options.from.clone().zip(options.to.clone());
    let own = own.map(|(from, to)| TraceSpan { from, to, occurrence: options.occurrence });
    let span = span.or(own.as_ref());
    let window = if options.experiment.is_some() { EXPERIMENT } else { options.outside.window.unwrap_or(WINDOW) };
    let name = path.display().to_string();
    let guest = Guest::new(image, &name, chip, options.memory);
    let rules = options.outside.rules();
    // A loop at the end of two firmwares is compared over the same time.
    let scenario = Scenario { rules: &rules, window, until: None, whole: true };
    let request = TraceRequest { guest, scenario, span, start: None };
    let status = Window::new(window);
    let outcome =
        backend.trace(&request, None, &mut |_, _| !interrupted(), &|cycle, time| status.pulse(cycle, time))?;
    let failed = |what: String, exit| {
        let subject = path.display().to_string();
        CliError::from(Failure { subject, error: what.into(), help: None, exit })
    };
    if matches!(outcome.run.end, RunEnd::Interrupted) {
        return Err(failed("interrupted before the comparison was complete".to_owned(), Exit::Interrupted));
    }
    if let (0, Some(span)) = (outcome.account.occurrences, span) {
        return Err(failed(format!("it did not go from {} to {}", span.from, span.to), Exit::WrongOutput));
    }
    let params = span.map(|span| {
        [("from", span.from.to_string()), ("to", span.to.to_string()), ("occurrence", span.occurrence.to_string())]
    });
    let base = Record {
        experiment: if span.is_some() { "trace" } else { "profile" }.to_owned(),
        params: params
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.to_owned(), Scalar::from(value)))
            .collect::<BTreeMap<_, _>>(),
        contender: NAME.to_owned(),
        compiler: image.compilers().join("; "),
        chip: Some(outcome.run.part.clone()),
        clock_hz: Some(outcome.run.clock.get()),
        settings: BTreeMap::from([("memory".to_owned(), options.memory.name().into())]),
        unit: Unit::Cycles,
        image_sha256: Some(image.file_sha256().to_string()),
        model: Some(outcome.model.clone()),
        ..Record::empty(Source::Simulated)
    };
    let one = |metric: &str, unit, value: u64| base.with_metric(metric, unit, Summary::exact(value));
    let total = outcome.account.total;
    let mut records = vec![
        one("elapsed", Unit::Cycles, total.cycles.get()),
        one("instructions", Unit::Instructions, total.instructions.get()),
    ];
    // Sums over different numbers of them are no change of one.
    if span.is_some_and(|span| span.occurrence == crate::tracing::Occurrence::All) {
        records.push(one(OCCURRENCES, Unit::Count, outcome.account.occurrences));
    }
    let sizes = image.totals();
    records.extend(
        [("flash", sizes.flash), ("text", sizes.text), ("rodata", sizes.rodata), ("ram", sizes.ram)]
            .map(|(metric, size)| one(metric, Unit::Bytes, size.get())),
    );
    records.extend(outcome.account.functions.iter().map(|function| {
        let mut record = one(FUNCTION, Unit::Cycles, function.own.cycles.get());
        record.params.insert("function".to_owned(), function.name.clone().into());
        record
    }));
    Ok(records)
}
