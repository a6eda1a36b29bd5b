//! Types that all experiments share.

use cyclescope_image::Image;
use cyclescope_machine::{Gap, Wait};
use cyclescope_records::{Record, Unit};
use cyclescope_report::Table;
use cyclescope_scope::{Event, GapListener, Trace};
use serde::Deserialize;

use crate::{Arrivals, Digest, ImageJob, Job, PageView, RunError, Selection};

/// One setting of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// Its name in options and records.
    pub name: String,
    /// Its name above a column.
    pub title: String,
}

impl Mode {
    /// Returns the mode `name`, which stands above its column as `title`.
    pub(crate) fn new(name: &str, title: &str) -> Self {
        Self { name: name.to_owned(), title: title.to_owned() }
    }
}

/// Takes the model gaps of a run, as [`GapListener::heard`] does.
pub type GapsHeard<'a> = dyn Fn(&ImageJob, &Image, &[Gap], &dyn Fn() -> Option<Wait>) + Sync + 'a;

/// The connection of a run to its caller while it is under way.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked now and then, from any thread, whether to stop; runs that end with their machine need not ask.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Told now and then, from any thread, how many parts of the run are done, of how many.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Given what happened on pins, exceptions and sleep, if anyone wants to look at it; see [`Experiment::dumps`].
    pub dump: Option<&'a (dyn Fn(Dump) + Sync)>,
    /// Told of a bundled image's model gaps as its run meets them, from any thread: all so far, whenever there is news.
    pub gaps: &'a GapsHeard<'a>,
}

impl<'a> Watch<'a> {
    /// Nobody looks.
    pub const NOBODY: Self = Watch { stop: &|| false, progress: &|_, _| {}, dump: None, gaps: &|_, _, _, _| {} };

    /// Returns the listener to the model gaps of a run of `job` and its `image`.
    pub(crate) fn gaps_of(self, job: &'a ImageJob, image: &'a Image) -> JobGaps<'a> {
        JobGaps { watch: self, job, image }
    }
}

/// The listener to the model gaps of one run.
pub(crate) struct JobGaps<'a> {
    watch: Watch<'a>,
    job: &'a ImageJob,
    image: &'a Image,
}

impl std::fmt::Debug for JobGaps<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobGaps").field("job", self.job).finish_non_exhaustive()
    }
}

impl GapListener for JobGaps<'_> {
    fn heard(&self, gaps: &[Gap], wait: &dyn Fn() -> Option<Wait>) {
        (self.watch.gaps)(self.job, self.image, gaps, wait);
    }
}

/// The trace of a run, with everything that is needed to write it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dump {
    /// The trace.
    pub trace: Trace,
    /// The part's name.
    pub part: String,
    /// Its exceptions by number and name.
    pub exceptions: Vec<(u16, &'static str)>,
}

/// The form of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The contender that differences refer to.
    pub base: Option<String>,
    /// Also what the figures rest on: their spread, parts and origins.
    pub details: bool,
}

/// The grounds for trust in a digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Programs whose output was checked.
    pub checked: usize,
    /// The number of timing rows that the results executed.
    pub rows: usize,
    /// Names of the Assumed ones among them.
    pub assumed: std::collections::BTreeSet<String>,
    /// Names of the model gaps met.
    pub gaps: std::collections::BTreeSet<String>,
}

/// A figure that a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The metric.
    pub metric: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// The row of the table, where it has rows.
    pub row: Option<String>,
    /// The value.
    pub value: u64,
}

/// One question.
pub trait Experiment: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Returns the question.
    fn question(&self) -> &str;

    /// Its settings.
    fn modes(&self) -> Vec<Mode>;

    /// Tells if it runs on the host, by the host's clock. Such an experiment runs only when it is named, and alone.
    fn is_host(&self) -> bool {
        false
    }

    /// Returns the first and the last event of the timed span, for a program that runs by itself from reset.
    fn span(&self) -> Option<(&Event, &Event)> {
        None
    }

    /// Returns the start of the first line that a program prints on a board, if logs of boards can be imported.
    fn first_line(&self) -> Option<String> {
        None
    }

    /// Returns the figures of a run of `image` on a board, whose output from its first line to its result is `text`.
    ///
    /// # Errors
    /// [`RunError`] where that is not what the work should have given, or the experiment reads no logs.
    fn said(&self, image: &cyclescope_images::Image, text: &str) -> Result<Vec<Said>, RunError> {
        let _ = text;
        Err(RunError::Setup(format!("{} reads no logs, such as of {}", self.name(), image.name)))
    }

    /// Returns the contenders that have no images: name, version and compiler of each.
    fn contenders(&self) -> Vec<(String, String, String)> {
        Vec::new()
    }

    /// The modes in which the runs of `image` answer it under `selection`.
    fn modes_of(&self, image: &cyclescope_images::Image, selection: &Selection) -> Vec<String> {
        if selection.arrivals == Arrivals::Random { vec![image.mode.to_owned()] } else { Vec::new() }
    }

    /// The runs that answer it, in the order of results.
    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        ImageJob::plan(selection, self.name(), |image| self.modes_of(image, selection))
    }

    /// One run, checked and turned into records.
    ///
    /// # Errors
    /// Why there is no number; [`RunError::is_interrupted`] if `watch` asked for its end.
    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError>;

    /// Says in a sentence what `jobs` are going to do and about how long that takes, where that is not a matter of seconds.
    fn announcement(&self, jobs: &[Job]) -> Option<String> {
        let _ = jobs;
        None
    }

    /// Tells if [`Watch::dump`] receives the trace of `job`.
    fn dumps(&self, job: &Job) -> bool {
        let _ = job;
        false
    }

    /// Tells if something is drawn at random in it, so that another seed makes another run.
    fn draws(&self) -> bool {
        false
    }

    /// Tells if its tables show differences from [`View::base`].
    fn shows_differences(&self) -> bool {
        false
    }

    /// Why nothing of this experiment can be run under `selection`, where the reason is not that no image matches it.
    /// Unless an experiment says otherwise nothing arrives in it, and when cannot be chosen.
    fn refuses(&self, selection: &Selection) -> Option<String> {
        let chosen = selection.arrivals != Arrivals::Random;
        chosen.then(|| format!("--arrival and --arrivals have no effect: {} has no arrivals", self.name()))
    }

    /// Returns the failures in runs that gave numbers all the same, one line each.
    fn problems(&self, records: &[Record]) -> Vec<String> {
        let _ = records;
        Vec::new()
    }

    /// Appends the records that follow from several runs, such as a difference between modes.
    fn derive(&self, records: &mut Vec<Record>) {
        let _ = records;
    }

    /// The whole result for people.
    fn tables(&self, records: &[Record], view: &View) -> Vec<Table>;

    /// Returns the views of `records`, which are all of this experiment, on the HTML page.
    fn page_views(&self, records: &[&Record]) -> Vec<PageView> {
        vec![PageView::of_metrics(self.name(), records)]
    }

    /// The result in a few lines; `None` without records, and of experiments that no digest shows.
    fn digest(&self, records: &[Record]) -> Option<Digest>;

    /// The answer in one sentence or two, computed from the records; `None` without records.
    fn answer(&self, records: &[Record]) -> Option<String> {
        self.digest(records).map(|digest| digest.conclusion)
    }
}

impl Trust {
    /// Returns the grounds of `records`.
    pub fn of(records: &[Record]) -> Self {
        let mut trust = Self::default();
        let (mut images, mut sure) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
        for record in records {
            images.extend(record.image_sha256.as_deref());
            if let Some(model) = &record.model {
                sure.extend(model.timing_rows.documented.iter().chain(&model.timing_rows.measured));
                trust.assumed.extend(model.timing_rows.assumed.iter().cloned());
                trust.gaps.extend(model.gaps.iter().map(|gap| gap.name.clone()));
            }
        }
        trust.checked = images.len();
        trust.rows = sure.iter().filter(|row| !trust.assumed.contains(**row)).count() + trust.assumed.len();
        trust
    }
}
