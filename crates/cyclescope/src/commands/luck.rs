//! `cyclescope luck`.

mod table;

use std::num::NonZeroUsize;

use cyclescope_layout::LinkerMap;

use self::table::tables;
use crate::backend::{Backend, LuckRequest, MeasureRequest, Scenario};
use crate::cli::luck::LuckArguments;
use crate::cli::shared::FilesArguments;
use crate::commands::devices::Bench;
use crate::commands::guest::Opened;
use crate::commands::{counted, with_records};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::{self, interrupted};
use crate::output::{Console, check_apart, render, shown, tell};
use crate::progress::{Bar, Progress as _};
use cyclescope_guest::gaps::GapTeller;
use cyclescope_guest::options::{WINDOW, check_spans};
use cyclescope_guest::run_end::tell_run_end;

/// Runs one guest in many layouts and shows what they do to its spans.
///
/// # Errors
/// [`CliError`] for unknown names, for images and stimuli that do not fit the chip, for an image that nothing tells the units of,
/// for a map that is none, and for places that cannot be written.
pub fn luck(arguments: &LuckArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    check_spans(&arguments.span)?;
    if arguments.layouts == 0 {
        return Err(CliError::Usage("--layouts 0 leaves nothing to compare with; ask for at least 1"));
    }
    let format = arguments.results.format()?;
    let chip = &arguments.guest.chip;
    let map = arguments.map.as_deref().map(|path| {
        let text = cyclescope_image::read(path).map_err(CliError::unreadable(path))?;
        LinkerMap::parse(&String::from_utf8_lossy(&text)).map_err(CliError::bad_file(path))
    });
    let map = map.transpose()?;
    let opened = Opened::read(&arguments.guest.elf, chip.chip.as_deref(), &chip.load, &backend.catalogue(), console)?;
    check_apart(Some(&arguments.guest.elf), &[("--out", arguments.results.out.as_deref())])?;
    let bench = Bench::open(&chip.attach)?;
    let out = arguments.results.open()?;
    interrupt::install();
    let gaps = GapTeller::new(shown(&opened.image), arguments.limits.gaps, &tell);
    let files = FilesArguments { files: None };
    let guest = opened.guest(chip.memory, arguments.limits, &files, &bench.devices, &gaps);
    let rules = arguments.guest.outside.rules();
    let window = arguments.guest.outside.window.unwrap_or(WINDOW);
    let scenario = Scenario { rules: &rules, window, until: arguments.guest.until.until.as_ref(), whole: false };
    let measure = MeasureRequest {
        guest,
        scenario,
        spans: &arguments.span,
        trace: false,
        task_pointer: None,
        arrival: &[],
        start: None,
    };
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let request = LuckRequest {
        measure,
        layouts: arguments.layouts,
        seed: arguments.seed,
        statistic: arguments.estimate.into(),
        map: map.as_ref(),
        traced: arguments.traced,
        from: arguments.from.as_ref(),
        jobs,
    };
    let bar = Bar::new(console, None);
    bar.begin(1);
    let step = |done| bar.step(done, arguments.layouts);
    let outcome = backend.luck(&request, &mut |_, _| true, &|_, _| interrupted(), &interrupted, &step);
    drop(bar);
    let outcome = outcome?;
    let tables = tables(&guest, &request, &outcome, arguments.top);
    let what = with_records("the results", outcome.records.len());
    console.results(out, &what, |surface| render(format, &tables, outcome.records.clone(), surface))?;
    gaps.finish(&outcome.run.gaps);
    for span in &outcome.spans {
        if let Some((why, count)) = &span.missing {
            let many = counted(*count, "layout", "layouts");
            console.note(&format!(
                "warning: {many} gave no figure for `{}`: {why}; in another time the program does other work",
                span.name
            ));
        }
    }
    let exit = tell_run_end(&outcome.run, &scenario, &opened.image, true, &gaps, console);
    Ok(if outcome.interrupted { Exit::Interrupted } else { exit })
}
