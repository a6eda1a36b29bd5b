//! The parts that all questions on the host share: a file with work and method, jobs, refusals. A [`Work`] is the rest.

use std::fmt;
use std::sync::Arc;

use cyclescope_host::built;
use cyclescope_records::Record;
use cyclescope_report::Table;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::job::{HostJob, HostOptions};
use super::measure::{Amount, MethodText};
use super::origin;
use super::setup::HostSetup;
use crate::definition::bundled;
use crate::{Arrivals, Digest, Experiment, Job, Mode, PageView, RunError, Selection, View, Watch};

/// A question that is answered on the host, as its file in `experiments/` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnHost<W> {
    pub(super) name: String,
    question: String,
    pub(super) work: W,
    pub(super) method: MethodText,
    mode: Vec<Mode>,
}

/// The work of one question's contenders, as `[work]` in its file says.
pub trait Work: DeserializeOwned + fmt::Debug + Send + Sync + 'static {
    /// The question's file.
    const FILE: &'static str;

    /// Its contenders: the name of each, and its library, which none is where it is the standard one.
    fn contenders() -> Vec<(&'static str, Option<&'static str>)>;

    /// The jobs that `selection` asks for: in what mode each is as a whole, if it is in one, and what is set there.
    fn points(selection: &Selection) -> Vec<(Option<&'static str>, Option<usize>)> {
        let _ = selection;
        vec![(None, None)]
    }

    /// Returns the amount of work in one job.
    fn amount(definition: &OnHost<Self>, job: &HostJob) -> Amount;

    /// Runs one job.
    ///
    /// # Errors
    /// Why there is no number.
    fn measure(definition: &OnHost<Self>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError>;

    /// Returns the views of `records` on the HTML page.
    fn page_views(records: &[&Record]) -> Vec<PageView>;

    /// The answer in a sentence or two; `None` without records that give one.
    fn answer(records: &[Record]) -> Option<String>;

    /// Arranges records for people.
    fn tables(question: &str, modes: &[Mode], records: &[Record]) -> Vec<Table>;
}

impl<W: Work> OnHost<W> {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        bundled(W::FILE)
    }

    /// The time of `jobs` under `setup` in seconds, on an idle machine; `None` if nobody knows.
    fn time(&self, jobs: &[&HostJob], setup: &HostSetup) -> Option<f64> {
        let (runs, warmup) = self.method.rounds(setup);
        let of = |job: &&HostJob| {
            let options = Arc::new(HostOptions { setup: setup.clone(), ..(*job.options).clone() });
            let amount = W::amount(self, &HostJob { options, ..(*job).clone() });
            let count = amount.ways * (runs + warmup) + amount.more;
            amount.length.map(|length| count as f64 * length * self.method.seconds_a_run)
        };
        jobs.iter().map(of).sum()
    }

    /// Why nothing of it is chosen.
    fn why_not(&self, selection: &Selection) -> Option<String> {
        let name = &self.name;
        if cfg!(not(unix)) {
            return Some(format!("{name} measures this machine, and needs a Unix system, such as Linux or macOS"));
        }
        if selection.host.program.is_none() {
            return Some(format!(
                "{name} measures libraries that this build of cyclescope does not contain; in the folder of its sources, \
                 `cargo run --release --features host -- run {name}` builds and runs it"
            ));
        }
        if !selection.chips.is_empty() || !selection.parts.is_empty() {
            return Some(format!("{name} runs on the host, and --chip chooses a chip"));
        }
        if selection.arrivals != Arrivals::Random {
            return Some(format!("--arrival and --arrivals have no effect: {name} has no arrivals"));
        }
        let known: Vec<&str> = W::contenders().into_iter().map(|(known, _)| known).collect();
        if !known.iter().any(|known| Selection::takes(&selection.contenders, known)) {
            return Some(format!("the contenders of {name} are {}", known.join(", ")));
        }
        if !selection.opts.is_empty() && !Selection::takes(&selection.opts, built::OPT) {
            return Some(format!("{name} is built into this program at opt {}", built::OPT));
        }
        None
    }
}

impl<W: Work> Experiment for OnHost<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn modes(&self) -> Vec<Mode> {
        self.mode.clone()
    }

    fn is_host(&self) -> bool {
        true
    }

    /// The order of a round's runs.
    fn draws(&self) -> bool {
        true
    }

    fn contenders(&self) -> Vec<(String, String, String)> {
        let entry = |(name, library): (&str, Option<&str>)| {
            (name.to_owned(), built::version(library).to_owned(), built::COMPILER.to_owned())
        };
        W::contenders().into_iter().map(entry).collect()
    }

    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        if self.why_not(selection).is_some() {
            return Vec::new();
        }
        let job = |(mode, value): (Option<&str>, Option<usize>)| {
            Job::Host(HostJob {
                name: match (mode, value) {
                    (Some(mode), Some(value)) => format!("{} {mode} {value}", self.name()),
                    _ => self.name().to_owned(),
                },
                mode: mode.map(str::to_owned),
                value,
                contenders: selection.contenders.clone(),
                modes: if mode.is_some() { Vec::new() } else { selection.modes.clone() },
                seed: selection.seed,
                options: Arc::clone(&selection.host),
            })
        };
        W::points(selection).into_iter().map(job).collect()
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        W::measure(self, job.host()?, watch)
    }

    fn refuses(&self, selection: &Selection) -> Option<String> {
        if let Some(why) = self.why_not(selection) {
            return Some(why);
        }
        // Modes that nothing comes of are axes without values.
        let asked = selection.modes.first()?;
        W::points(selection)
            .is_empty()
            .then(|| format!("the mode {asked} of {} needs values; add --{asked} 1,2", self.name()))
    }

    fn announcement(&self, jobs: &[Job]) -> Option<String> {
        let jobs: Vec<&HostJob> = jobs.iter().filter_map(|job| job.host().ok()).collect();
        let setup = &jobs.first()?.options.setup;
        let (runs, warmup) = self.method.rounds(setup);
        let ways: usize = jobs.iter().map(|job| W::amount(self, job).ways).sum();
        let rounds = |count: usize| format!("{count} round{}", if count == 1 { "" } else { "s" });
        let about = match self.time(&jobs, setup) {
            Some(seconds) => format!("about {} on an idle machine", duration(seconds)),
            None => "as long as the folder is large".to_owned(),
        };
        let quick = HostSetup { quick: true, thorough: false, runs: None, warmup: None, ..setup.clone() };
        let thorough = HostSetup { thorough: true, runs: None, warmup: None, ..setup.clone() };
        let quick_hint = match self.time(&jobs, &quick).zip(self.time(&jobs, setup)) {
            Some((short, long)) if !setup.quick && short * 2.0 < long => {
                format!(" With --quick, {} only: about {}.", rounds(self.method.quick_runs), duration(short))
            }
            _ => String::new(),
        };
        let usual = !setup.quick && !setup.thorough && setup.runs.is_none();
        let thorough_hint = match self.time(&jobs, &thorough).zip(self.method.thorough_runs.filter(|_| usual)) {
            Some((long, runs)) => format!(" With --thorough, {}: about {}.", rounds(runs), duration(long)),
            None => String::new(),
        };
        Some(format!(
            "Running {ways} ways of {} in {} after {warmup} of warm-up, on this machine: {about}.{quick_hint}{thorough_hint}",
            self.name,
            rounds(runs),
        ))
    }

    fn problems(&self, records: &[Record]) -> Vec<String> {
        origin::problems(records)
    }

    fn tables(&self, records: &[Record], _: &View) -> Vec<Table> {
        let mut tables = W::tables(&self.question, &self.modes(), records);
        let all: Vec<&Record> = records.iter().collect();
        if let Some(quick) = origin::quick(&all) {
            tables.iter_mut().for_each(|table| table.head.insert(0, quick.clone()));
        }
        tables
    }

    fn page_views(&self, records: &[&Record]) -> Vec<PageView> {
        W::page_views(records)
    }

    fn digest(&self, _: &[Record]) -> Option<Digest> {
        None
    }

    fn answer(&self, records: &[Record]) -> Option<String> {
        let answer = W::answer(records)?;
        let all: Vec<&Record> = records.iter().collect();
        Some(match origin::quick(&all) {
            Some(quick) => format!("{quick} {answer}"),
            None => answer,
        })
    }
}

/// Returns a time in words: to 5 s below a minute and a half, in minutes above.
fn duration(seconds: f64) -> String {
    match seconds {
        few if few < 5.0 => format!("{:.0} s", few.ceil()),
        some if some < 90.0 => format!("{:.0} s", (some / 5.0).ceil() * 5.0),
        many => format!("{:.0} min", many / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cyclescope_host::process::Program;

    use super::*;
    use crate::HostOptions;
    use crate::host::{DirWalk, Join, Yield};

    fn said(experiment: &dyn Experiment, setup: HostSetup, contenders: &[&str]) -> String {
        let program = Some(Program { path: "cyclescope".into(), arguments: Vec::new() });
        let host = Arc::new(HostOptions { setup, program, counting: None });
        let contenders = contenders.iter().map(|name| (*name).to_owned()).collect();
        let selection = Selection { host, contenders, ..Selection::default() };
        experiment.announcement(&experiment.jobs(&selection)).expect("it runs on the host")
    }

    #[test]
    fn how_long_it_takes_is_said_and_how_long_with_fewer_rounds() {
        let all = said(&Yield::bundled(), HostSetup::default(), &[]);
        assert_eq!(
            all,
            "Running 28 ways of yield in 20 rounds after 1 of warm-up, on this machine: about 4 min on an idle machine. \
             With --quick, 3 rounds only: about 45 s."
        );
        let quick = said(&Yield::bundled(), HostSetup { quick: true, ..HostSetup::default() }, &[]);
        assert!(
            quick.contains("in 3 rounds after 1 of warm-up") && quick.ends_with("about 45 s on an idle machine."),
            "{quick}"
        );
        let one =
            said(&Yield::bundled(), HostSetup { runs: Some(1), warmup: Some(0), ..HostSetup::default() }, &["smol"]);
        assert!(
            one.contains("4 ways of yield in 1 round after 0") && one.ends_with("about 2 s on an idle machine."),
            "{one}"
        );
    }

    /// The time that is said, in seconds, after `word`.
    fn seconds(text: &str, word: &str) -> f64 {
        let (_, rest) = text.split_once(word).expect("a time");
        let (number, unit) = rest.split_once(' ').expect("a unit");
        number.parse::<f64>().expect("a number") * if unit.starts_with("min") { 60.0 } else { 1.0 }
    }

    #[test]
    fn a_usual_walk_takes_three_minutes_at_most_and_a_thorough_one_is_offered() {
        let usual = said(&DirWalk::bundled(), HostSetup::default(), &[]);
        assert!(usual.starts_with("Running 22 ways of dirwalk in 10 rounds after 1 of warm-up"), "{usual}");
        assert!(seconds(&usual, "machine: about ") <= 180.0, "{usual}");
        assert!(usual.contains(" With --thorough, 50 rounds: about "), "{usual}");
        let thorough = said(&DirWalk::bundled(), HostSetup { thorough: true, ..HostSetup::default() }, &[]);
        assert!(thorough.contains("in 50 rounds after 2 of warm-up"), "{thorough}");
        let long = seconds(&thorough, "machine: about ");
        assert_eq!(long, seconds(&usual, "50 rounds: about "), "what is offered is what it takes");
        assert!(long > 600.0 && !thorough.contains("With --thorough"), "{thorough}");
        let some = said(&DirWalk::bundled(), HostSetup::default(), &["rayon"]);
        assert!(some.starts_with("Running 2 ways"), "no operation of rayon's: {some}");
    }

    #[test]
    fn a_build_without_contenders_refuses_and_says_how_to_build_them() {
        let (experiment, selection) = (Join::bundled(), Selection::default());
        assert!(experiment.jobs(&selection).is_empty());
        let why = experiment.refuses(&selection).expect("there is no program");
        assert!(
            why.starts_with("join measures libraries that this build") && why.contains("host -- run join"),
            "{why}"
        );
    }

    #[test]
    fn longer_sleeps_and_smaller_trees_take_longer_and_less_long() {
        let long = HostSetup { sleep: Some(std::time::Duration::from_secs(20)), ..HostSetup::default() };
        let (usual, long) = (said(&Join::bundled(), HostSetup::default(), &[]), said(&Join::bundled(), long, &[]));
        let minutes = |text: &str| -> u64 {
            let (_, rest) = text.split_once("about ").expect("a time");
            rest.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        assert!(minutes(&long) > 50 * minutes(&usual), "{usual}\n{long}");
        let small =
            HostSetup { dirs: Some(10), files: Some(30), links: Some(0), no_syscalls: true, ..HostSetup::default() };
        let small = said(&DirWalk::bundled(), small, &[]);
        assert!(small.contains(" s on an idle machine"), "{small}");
        let own = said(&DirWalk::bundled(), HostSetup { root: Some("/".into()), ..HostSetup::default() }, &[]);
        assert!(own.ends_with("on this machine: as long as the folder is large."), "{own}");
    }
}
