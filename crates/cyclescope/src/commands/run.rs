//! `cyclescope run`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use cyclescope_experiments::HostSetup;
use cyclescope_host::process::Program;
use cyclescope_records::Record;
use cyclescope_report::{Chart, Surface, Table, svg};

use crate::backend::{Arrivals, Backend, Catalogue, HostOptions, Luck, RunRequest, Selection};
use crate::cli::run::{ArrivalsChoice, RunArguments};
use crate::cli::shared::Format;
use crate::commands::report::page_of;
use crate::commands::vcd::dump;
use crate::commands::{check_names, chips, user_image, with_records};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, render};
use crate::progress::Bar;

/// Runs experiments and shows what came of them.
///
/// Runs that failed are told on standard error after the results of the others; the process then ends as the first of
/// them asks.
///
/// # Errors
/// [`CliError`] for unknown names, for places that cannot be written, and where nothing could be run.
pub fn run(arguments: &RunArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    if let Some(image) = &arguments.user.image {
        return user_image::run(arguments, image, backend, console);
    }
    let request = request(arguments, &backend.catalogue())?;
    let format = arguments.results.format()?;
    check_apart(
        None,
        &[
            ("--out", arguments.results.out.as_deref()),
            ("--records", arguments.records.as_deref()),
            ("--html", arguments.html.as_deref()),
            ("--vcd", arguments.vcd.vcd.as_deref()),
            ("--plot", arguments.plot.as_deref()),
        ],
    )?;
    let file = arguments.results.open()?;
    let vcd = arguments.vcd.vcd.as_deref().map(OutFile::open).transpose()?;
    let plot = arguments.plot.as_deref().map(OutFile::open).transpose()?;
    let kept = arguments.records.as_deref().map(OutFile::open).transpose()?;
    let page = arguments.html.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let usual = request.digest().then_some(USUAL);
    let fitted = |own: Surface| Surface { width: own.width.or(usual), ..own };
    // A digest is shown as it comes.
    let at_once = request.digest() && format == Format::Table && file.is_none();
    let surface = fitted(console.surface());
    let bar = Bar::new(console, at_once.then_some(surface));
    let mut outcome = backend.run(&request, &bar, &interrupt::interrupted)?;
    outcome.tables.drain(..bar.end()?);
    if let Some(file) = plot {
        draw(file, &outcome.tables, console)?;
    }
    keep(kept, &outcome.records, console)?;
    let shown = if page.is_some() { outcome.records.clone() } else { Vec::new() };
    let what = with_records("the results", outcome.records.len());
    let text = |own: Surface| render(format, &outcome.tables, outcome.records, fitted(own));
    console.results(file, &what, text)?;
    if let (Some(file), Some(seen)) = (vcd, &outcome.dump) {
        dump(file, arguments.vcd.vcd_time, seen, console)?;
    }
    if let Some(file) = page {
        page_of(file, shown, arguments.open, backend, console)?;
    }
    let mut exit = Exit::Success;
    for failure in outcome.failures {
        if exit == Exit::Success {
            exit = failure.exit;
        }
        console.problem(&failure.to_string(), failure.help.as_deref());
    }
    if interrupt::interrupted() {
        console.note("interrupted: the results are not complete");
        exit = Exit::Interrupted;
    }
    Ok(exit)
}

/// The columns of a digest where nobody says how many there are.
pub(super) const USUAL: u16 = 80;

/// Writes `records` beside the results, if that is asked for.
pub(super) fn keep(file: Option<OutFile>, records: &[Record], console: &mut Console) -> Result<(), CliError> {
    let Some(file) = file else { return Ok(()) };
    let text = render(Format::Json, &[], records.to_vec(), Surface::default())?;
    file.put(text.as_bytes(), &format!("the records ({})", records.len()), console)
}

/// Writes the charts of `tables` as one picture. Writes no file if there are none, as after an interruption.
fn draw(file: OutFile, tables: &[Table], console: &mut Console) -> Result<(), CliError> {
    let charts: Vec<&Chart> = tables.iter().flat_map(|table| &table.charts).collect();
    if charts.is_empty() {
        console.note("no chart was drawn: no axis has two values with results");
        return Ok(());
    }
    file.put(svg(&charts)?.as_bytes(), &format!("the charts ({})", charts.len()), console)
}

/// Checks every name against the catalogue.
fn request(arguments: &RunArguments, catalogue: &Catalogue) -> Result<RunRequest, CliError> {
    let experiments = || catalogue.experiments.iter();
    let chosen =
        |name: &str| arguments.experiments.is_empty() || arguments.experiments.iter().any(|asked| asked == name);
    check_names(
        "experiment",
        "list experiments",
        &arguments.experiments,
        experiments().map(|entry| entry.name.as_str()),
    )?;
    let chosen_chips = chips(&arguments.chip)?;
    let contenders = [arguments.contender.as_slice(), arguments.base.as_slice()].concat();
    let known = catalogue.contenders.iter().map(|entry| entry.name.as_str());
    check_names("contender", "list contenders", &contenders, known)?;
    let modes = experiments().filter(|entry| chosen(&entry.name)).flat_map(|entry| &entry.modes).map(String::as_str);
    check_names("mode", "list experiments", &arguments.mode, modes)?;
    if arguments.window.is_some() && arguments.arrivals != ArrivalsChoice::Exhaustive {
        return Err(CliError::Usage("--window needs `--arrivals exhaustive`"));
    }
    let on_host = |name: &String| experiments().any(|entry| entry.host && entry.name == *name);
    let for_host = arguments.plot.is_some() || arguments.host != HostSetup::default();
    if for_host && !arguments.experiments.iter().any(on_host) {
        return Err(CliError::Usage(
            "an option is given that only experiments on the host have; name one of them, such as `run dirwalk`",
        ));
    }
    if arguments.plot.is_some() && !arguments.host.has_axis() {
        return Err(CliError::Usage(
            "--plot draws time against an axis of two values or more; add one, such as `--workers 1,2,4`",
        ));
    }
    if arguments.seed.is_some() && (arguments.arrival.is_some() || arguments.arrivals != ArrivalsChoice::Random) {
        return Err(CliError::Usage(
            "--seed has no effect: it is for arrivals at random, and --arrival or --arrivals chooses them",
        ));
    }
    if arguments.luck.is_some() && arguments.arrivals != ArrivalsChoice::Random {
        return Err(CliError::Usage("--luck has each program run as usual; leave out --arrivals"));
    }
    // The name of an image begins with that of its experiment.
    let asked = |name: &str| {
        arguments.experiments.iter().any(|asked| name.strip_prefix(asked).is_some_and(|rest| rest.starts_with('-')))
    };
    let images = || catalogue.images.iter();
    let any = images().any(|image| asked(&image.name));
    let levels = images().filter(|image| !any || asked(&image.name)).map(|image| image.opt.as_str());
    check_names("optimisation level", "list images", &arguments.opt, levels)?;
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let selection = Selection {
        contenders: arguments.contender.clone(),
        modes: arguments.mode.clone(),
        opts: arguments.opt.clone(),
        memory: arguments.memory(),
        arrivals: match (arguments.arrival, arguments.arrivals) {
            (Some(cycle), _) => Arrivals::At(cycle, arguments.phase),
            (None, ArrivalsChoice::Random) => Arrivals::Random,
            (None, ArrivalsChoice::Exhaustive) => Arrivals::Exhaustive(arguments.window, jobs),
        },
        seed: arguments.seed,
        digest: arguments.experiments.is_empty(),
        host: Arc::new(host_options(&arguments.host)),
        ..chosen_chips
    };
    Ok(RunRequest {
        experiments: arguments.experiments.clone(),
        selection,
        jobs,
        base: arguments.base.clone(),
        details: arguments.details,
        trace: arguments.vcd.vcd.is_some(),
        elf: None,
        luck: arguments.luck.map(|layouts| Luck { layouts, seed: arguments.seed.unwrap_or(1) }),
    })
}

/// The first argument by which this program is a contender on the host; the specification and a root follow.
pub(crate) const CONTENDER: &str = "contender";

/// The program beside this one in which allocations are counted.
const COUNTING: &str = "cyclescope-counting";

/// Returns `setup` with the contenders' programs: this very program, and the one beside it.
fn host_options(setup: &HostSetup) -> HostOptions {
    let own = std::env::current_exe().ok();
    let program = |path| Program { path, arguments: vec![CONTENDER.into()] };
    let beside = own.as_ref().map(|own| own.with_file_name(format!("{COUNTING}{}", std::env::consts::EXE_SUFFIX)));
    HostOptions {
        program: own.map(program).filter(|_| cfg!(all(feature = "host", unix))),
        counting: beside.filter(|path| path.is_file()).map(program),
        setup: setup.clone(),
    }
}
