//! `cyclescope report`, and the page that `run --html` writes.

use std::collections::BTreeMap;
use std::path::Path;

use cyclescope_attached::DeviceText;
use cyclescope_chips::Part;
use cyclescope_experiments::{Representative, representatives};
use cyclescope_guest::options::check_spans;
use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_records::{Record, RecordFile};
use cyclescope_report::page::{Core, Page, Run, html};
use cyclescope_scope::Rule;

use crate::TOOL;
use crate::backend::{Backend, Devices, Guest, Scenario};
use crate::cli::report::ReportArguments;
use crate::cli::stimuli::Stimuli;
use crate::commands::devices::Bench;
use crate::commands::guest::Opened;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile};
use crate::page::runs::{Asked, Seen, run};
use crate::page::{Results, page};

/// Writes the page of files of records, and of runs.
///
/// # Errors
/// [`CliError`] for files that cannot be read, are no records, or cannot be written; for an image that cannot be run.
pub fn report(arguments: &ReportArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let mut results = Vec::new();
    for path in &arguments.results {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        results.push(Results { name, records: read(path)? });
    }
    check_spans(&arguments.span)?;
    let core = core(arguments.core.as_deref())?;
    let file = OutFile::open(&arguments.out)?;
    interrupt::install();
    let mut runs = Vec::new();
    if let Some(elf) = &arguments.run {
        let opened = Opened::read(elf, arguments.chip.as_deref(), &[], &backend.catalogue(), console)?;
        let Opened { image, name, chip, file: firmware } = &opened;
        let bench = Bench::open(&arguments.attach)?;
        let rules = Stimuli::rules(&arguments.stimulus);
        let guest = Guest { devices: Some(&bench.devices), ..Guest::new(image, name, chip, arguments.memory) };
        let asked = Asked {
            guest,
            scenario: Scenario { rules: &rules, window: arguments.window, until: None, whole: true },
            label: &format!("a run of {name}"),
            title: &format!("What {name} does on {chip}"),
            task_pointer: arguments.task_pointer.as_deref(),
            tasks: arguments.tasks,
            spans: &arguments.span,
            cannot: cannot(core.as_ref()),
            firmware,
            files: &files(core.as_ref(), chip, &arguments.attach, &rules)?,
        };
        let Seen { run, end } = run(&asked, backend)?;
        match end {
            // Its work is done, or it waits for what does not come: an end like any other.
            Some((Stop::Exit(0) | Stop::Deadlock(_), why)) => console.note(&format!("{why}; the run ends there")),
            Some((_, why)) => console.note(&format!("warning: {why}; the page covers the time up to there")),
            None => {}
        }
        bench.save(console)?;
        runs.push(run);
    } else if !arguments.no_runs {
        let records: Vec<Record> = results.iter().flat_map(|each| each.records.iter().cloned()).collect();
        runs = bundled(&records, core.as_ref(), backend, console);
    }
    write(file, page(results, runs, core), arguments.open, console)?;
    Ok(if interrupt::interrupted() { Exit::Interrupted } else { Exit::Success })
}

/// Writes the page of `records` to `file`.
///
/// # Errors
/// [`CliError`] where it cannot be written.
pub(super) fn page_of(
    file: OutFile,
    records: Vec<Record>,
    open: bool,
    backend: &dyn Backend,
    console: &mut Console,
) -> Result<(), CliError> {
    let core = core(None)?;
    let runs = bundled(&records, core.as_ref(), backend, console);
    write(file, page(vec![Results { name: String::new(), records }], runs, core), open, console)
}

/// The core that this program was built with (build.rs).
#[cfg(core_in_program)]
const CORE: Option<&[u8]> = Some(include_bytes!(env!("CYCLESCOPE_CORE_FILE")));
#[cfg(not(core_in_program))]
const CORE: Option<&[u8]> = None;

/// Returns the core at `path`, or the one in this program.
fn core(path: Option<&Path>) -> Result<Option<Core>, CliError> {
    let Some(path) = path else {
        return Ok(CORE.map(|file| Core::read(file, TOOL).expect("it was built for this program")));
    };
    let file = cyclescope_image::read(path).map_err(CliError::unreadable(path))?;
    Core::read(&file, TOOL).map(Some).map_err(CliError::bad_file(path))
}

/// Returns why a page cannot make a run again, if it cannot.
fn cannot(core: Option<&Core>) -> Option<&'static str> {
    core.is_none().then_some(
        "This page cannot make the run again: it was written without the core for browsers, which releases of cyclescope carry.",
    )
}

/// Returns the files that a page with `core` needs to make a run on `chip` with the devices `attach` and the stimuli `rules` again, by
/// their names.
///
/// # Errors
/// [`CliError::Read`].
fn files(
    core: Option<&Core>,
    chip: &str,
    attach: &[DeviceText],
    rules: &[Rule],
) -> Result<BTreeMap<String, Vec<u8>>, CliError> {
    if core.is_none() {
        return Ok(BTreeMap::new());
    }
    let described = Part::is_file(chip).then(|| chip.to_owned());
    let voltages = rules.iter().filter_map(|rule| rule.clone().samples_file().cloned());
    let names = attach.iter().filter_map(|device| device.file.clone()).chain(described).chain(voltages);
    names
        .map(|name| {
            let bytes = cyclescope_image::read(Path::new(&name)).map_err(CliError::unreadable(Path::new(&name)))?;
            Ok((name, bytes))
        })
        .collect()
}

fn read(path: &Path) -> Result<Vec<Record>, CliError> {
    let bytes = cyclescope_image::read(path).map_err(CliError::unreadable(path))?;
    if bytes.starts_with(b"\x7fELF") {
        return Err(CliError::Usage(
            "a page is made of files of records, and this is an ELF; `report --run ELF --chip CHIP` shows a run of it",
        ));
    }
    let file = RecordFile::from_json(&String::from_utf8_lossy(&bytes)).map_err(CliError::bad_file(path))?;
    Ok(file.records)
}

/// Runs of the images that stand for the experiments of `records`. One that cannot be run costs the page nothing else.
fn bundled(records: &[Record], core: Option<&Core>, backend: &dyn Backend, console: &mut Console) -> Vec<Run> {
    let mut runs = Vec::new();
    for Representative { bundled, rules, window, memory, attached } in representatives(records) {
        if interrupt::interrupted() {
            break;
        }
        let image = bundled.elf().map_err(|error| error.to_string());
        let image = image.and_then(|elf| Image::parse(&elf).map_err(|error| error.to_string()));
        let image = match image {
            Ok(image) => image,
            Err(error) => {
                console.note(&format!("warning: no run of {} is shown: {error}", bundled.name));
                continue;
            }
        };
        // Kernels that name their running task do so here; others have no such word.
        let task_pointer = image.find_symbol(TASK_POINTER).is_some().then_some(TASK_POINTER);
        let hung = attached.iter().filter_map(|text| Some((text.clone(), cyclescope_attached::attach(text).ok()?)));
        let devices = Devices::new(hung.collect());
        let guest = Guest { devices: Some(&devices), ..Guest::new(&image, bundled.name, bundled.chip, memory) };
        let asked = Asked {
            guest,
            spans: &[],
            cannot: cannot(core),
            firmware: image.file(),
            files: &BTreeMap::new(),
            scenario: Scenario { rules: &rules, window, until: None, whole: true },
            label: &format!("a run of {}", bundled.experiment),
            title: &format!("What {} does in {}, cycle by cycle", bundled.contender, bundled.experiment),
            task_pointer,
            tasks: false,
        };
        match run(&asked, backend) {
            Ok(seen) => runs.push(seen.run),
            Err(error) => console.note(&format!("warning: no run is shown: {error}")),
        }
    }
    runs
}

/// FreeRTOS's word.
const TASK_POINTER: &str = "pxCurrentTCB";

fn write(file: OutFile, page: Page, open: bool, console: &mut Console) -> Result<(), CliError> {
    let text = html(&page)?;
    let megabytes = text.len() as f64 / 1e6;
    let (experiments, runs) = (page.sections.len(), page.runs.len());
    let path = file.path().to_owned();
    let counts = [(experiments, "experiment"), (runs, "run")];
    let parts = counts.iter().filter(|(count, _)| *count > 0);
    let parts = parts.map(|(count, thing)| format!("{count} {thing}{}", if *count == 1 { "" } else { "s" }));
    let what = format!("a page of {} ({megabytes:.1} MB)", parts.collect::<Vec<_>>().join(" and "));
    file.put(text.as_bytes(), &what, console)?;
    if open && let Err(error) = open::that_detached(path) {
        console.note(&format!("warning: no browser could be started: {error}"));
    }
    Ok(())
}
