//! `cyclescope tasks`.

mod perfetto;
pub(super) mod tables;

use cyclescope_report::format::integer;
use cyclescope_report::{Surface, Table, markdown, terminal};
use cyclescope_scope::Samples;

use self::perfetto::perfetto;
use self::tables::tables;
use super::channels::{Channels, check_guest_output, strings};
use crate::backend::{Backend, Scenario};
use crate::cli::shared::{ChipArguments, GuestOutput};
use crate::cli::tasks::{TasksArguments, TasksFormat};
use crate::commands::devices::{self, Bench};
use crate::commands::guest::Opened;
use crate::commands::telemetry;
use crate::error::CliError;
use crate::exit::Exit;
use crate::formats::tasks::json;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, shown, tell};
use crate::status::Window;
use crate::tasking::TasksRequest;
use cyclescope_guest::gaps::GapTeller;
use cyclescope_guest::options::{WINDOW, check_spans};
use cyclescope_guest::run_end::tell_run_end;

/// The most events of tasks, and of all else, in a timeline.
pub(super) const MOST_EVENTS: usize = 1 << 20;

/// Shows a firmware's tasks, or those of a runtime on the host by its telemetry.
///
/// # Errors
/// [`CliError`] for an image without types or without a known runtime, for unknown names, and for places that cannot be written.
pub fn tasks(arguments: &TasksArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    if telemetry::is_asked(&arguments.guest.elf) {
        return telemetry::show(arguments, console);
    }
    check_spans(&arguments.span)?;
    check_guest_output(arguments.guest_output, arguments.results.out.as_deref())?;
    let ChipArguments { chip, load, attach, memory } = &arguments.guest.chip;
    let opened = Opened::read(&arguments.guest.elf, chip.as_deref(), load, &backend.catalogue(), console)?;
    let image = &opened.image;
    let strings = strings(image, &arguments.guest.elf)?;
    let format = arguments.results.format()?;
    let files = [("--out", arguments.results.out.as_deref()), ("--perfetto", arguments.perfetto.as_deref())];
    check_apart(Some(&arguments.guest.elf), &files.into_iter().chain(devices::outputs(attach)).collect::<Vec<_>>())?;
    let bench = Bench::open(attach)?;
    let out = arguments.results.open()?;
    let timeline = arguments.perfetto.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let gaps = GapTeller::new(shown(image), arguments.limits.gaps, &tell);
    let varied = opened.varied(arguments.variant.variant())?;
    let rules = arguments.guest.outside.rules();
    let request = TasksRequest {
        guest: varied.over(opened.guest(*memory, arguments.limits, &arguments.files, &bench.devices, &gaps)),
        scenario: Scenario {
            rules: &rules,
            window: arguments.guest.outside.window.unwrap_or(WINDOW),
            until: arguments.guest.until.until.as_ref(),
            whole: false,
        },
        task_pointer: arguments.task_pointer.as_deref(),
        spans: &arguments.span,
        timeline: timeline.is_some().then_some(MOST_EVENTS),
    };
    let mut channels = Channels::new(console, strings.as_ref(), arguments.guest_output);
    let status = Window::new(request.scenario.window);
    let mut sink = |channel, bytes: &[u8]| {
        if arguments.guest_output != GuestOutput::None {
            status.heard();
        }
        channels.take(channel, bytes)
    };
    let outcome = backend.tasks(&request, &mut sink, &|cycle, time| status.pulse(cycle, time));
    drop(status);
    channels.finish(&arguments.guest.elf)?;
    let outcome = outcome?;
    let joined = |render: &dyn Fn(&Table) -> String| {
        tables(&request, &outcome).iter().map(render).collect::<Vec<_>>().join("\n")
    };
    let text = |surface: Surface| match format {
        TasksFormat::Table => Ok(joined(&|table| terminal(table, surface))),
        TasksFormat::Markdown => Ok(joined(&markdown)),
        TasksFormat::Json => json(&request, &outcome).map_err(CliError::Json),
    };
    console.results(out, "the results", text)?;
    if let (Some(file), Some(trace)) = (timeline, &outcome.trace) {
        for (_, samples) in &outcome.spans {
            if let Err(error) = samples {
                console.note(&format!("warning: {error}; the timeline goes without the span"));
            }
        }
        let later = |(_, samples): &(_, Result<Samples, _>)| samples.as_ref().map_or(0, |samples| samples.later.count);
        let lost =
            outcome.spans.iter().map(later).fold(trace.lost.saturating_add(outcome.report.lost), u64::saturating_add);
        if lost > 0 {
            console.note(&format!(
                "warning: the timeline has no room for {} later events; shorten the run with --for or --until",
                integer(lost.into())
            ));
        }
        file.put(&perfetto(request.guest.name, &outcome, trace), "the timeline", console)?;
    }
    for warning in image.warnings() {
        console.note(&format!("warning: {warning}"));
    }
    gaps.finish(&outcome.run.gaps);
    let exit = tell_run_end(&outcome.run, &request.scenario, image, true, &gaps, console);
    bench.save(console)?;
    Ok(exit)
}
