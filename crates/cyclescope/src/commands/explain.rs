//! `cyclescope explain`.

mod records;
mod tables;
mod waits;

use cyclescope_explain::parts::{Parts, Rule, is_main_alone, kernel_share};
use cyclescope_explain::rounds::{Failure, Outcome, Plan, Series, Watch};
use cyclescope_explain::scheduler::Shares;
use cyclescope_explain::{Command, RunError, Source};
use cyclescope_report::visible;

use crate::cli::explain::ExplainArguments;
use crate::commands::{counted, with_records};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::{self, interrupted};
use crate::output::{Console, render};
use crate::progress::{Bar, Progress as _};

/// A machine is called busy if runs wait for a processor for more than this part of their time.
const BUSY: f64 = 0.05;

/// The most lines of a failed command's output that are shown.
const LAST: usize = 20;

/// Runs commands in rounds and shows where their time goes.
///
/// # Errors
/// [`CliError`] for arguments that do not go together and for results that cannot be written.
pub fn explain(arguments: &ExplainArguments, console: &mut Console) -> Result<Exit, CliError> {
    let plan = plan(arguments)?;
    let format = arguments.results.format()?;
    let file = arguments.results.open()?;
    interrupt::install();
    console.note(&announcement(&plan));
    let bar = Bar::new(console, None);
    bar.begin(1);
    let progress = |done, of| bar.step(done, of);
    let outcome = plan.run(Watch { stop: &interrupted, progress: &progress });
    drop(bar);
    if outcome.series.iter().any(|series| !series.accounts.is_empty()) {
        let divided = Divided::of(&outcome);
        let records = records::records(&plan, &outcome, &divided);
        let tables = tables::tables(&plan, &outcome, &divided);
        let what = with_records("the results", records.len());
        console.results(file, &what, |surface| render(format, &tables, records, surface))?;
        if let Some(warning) = busy(&outcome) {
            console.note(&warning);
        }
    }
    Ok(outcome.failure.as_ref().map_or(Exit::Success, |failure| tell(failure, &outcome, console)))
}

fn plan(arguments: &ExplainArguments) -> Result<Plan, CliError> {
    let own = Command::new(arguments.command.clone());
    let own = own.map_err(|_| CliError::Usage("the command is empty; write a program behind --"))?;
    let mut commands: Vec<Command> = std::iter::once(own).chain(arguments.against.iter().cloned()).collect();
    if arguments.name.len() > commands.len() {
        return Err(CliError::Usage("there are more --name than commands; each command has one"));
    }
    for (command, name) in commands.iter_mut().zip(&arguments.name) {
        command.name.clone_from(name);
    }
    for (place, command) in commands.iter().enumerate() {
        if commands[..place].iter().any(|other| other.name == command.name) {
            return Err(CliError::Usage("two commands have one name; give each its own with --name"));
        }
    }
    Ok(Plan {
        commands,
        runs: arguments.runs as usize,
        warmup: arguments.warmup as usize,
        traced: arguments.traced as usize,
        seed: arguments.seed,
        timeout: arguments.timeout,
        prepare: arguments.prepare.as_deref().map(Command::shell),
        cold: arguments.cold,
        without: arguments.without.iter().map(|name| (*name).into()).collect(),
        all_sources: arguments.all_sources,
    })
}

fn announcement(plan: &Plan) -> String {
    let sources = Source::ALL.iter().filter(|source| !plan.without.contains(source)).count();
    let more = match plan.traced * sources {
        0 => String::new(),
        runs => format!("; then {} of each that a source watches", counted(runs as u64, "run", "runs")),
    };
    format!(
        "Running {} in {} after {} of warm-up, on this machine{more}.",
        counted(plan.commands.len() as u64, "command", "commands"),
        counted(plan.runs as u64, "round", "rounds"),
        plan.warmup,
    )
}

/// The runs' times in parts, all by one rule.
#[derive(Debug)]
struct Divided {
    /// The rule; `None` where neither can be applied.
    rule: Option<Rule>,
    /// Tells if other threads worked, of whose states nothing is known.
    others_unknown: bool,
    /// The parts of each run of each command.
    parts: Vec<Vec<Parts>>,
}

impl Divided {
    fn of(outcome: &Outcome) -> Self {
        let series = || outcome.series.iter().filter(|series| !series.accounts.is_empty());
        let is_alone = series().all(|series| is_main_alone(&series.accounts));
        let is_told = series().all(|series| series.accounts.iter().all(|account| account.main.is_some()));
        let is_watched = series().all(|series| !series.schedules.is_empty());
        let rule = match (is_alone && is_told, is_watched) {
            (false, true) => Some(Rule::AllThreads),
            _ => is_told.then_some(Rule::MainThread),
        };
        let parts = |series: &Series| -> Vec<Parts> {
            let share = kernel_share(&series.accounts);
            let shares = summed(series);
            let divide = |account: &_| match rule? {
                Rule::MainThread => Parts::of_main(account, share),
                Rule::AllThreads => Some(Parts::of_all(account, share, &shares)),
            };
            series.accounts.iter().filter_map(divide).collect()
        };
        let others_unknown = !is_alone && rule == Some(Rule::MainThread);
        Self { rule, others_unknown, parts: outcome.series.iter().map(parts).collect() }
    }
}

/// Adds the shares of all watched runs.
fn summed(series: &Series) -> Shares {
    series.schedules.iter().fold(Shares::default(), |sum, (_, schedule)| Shares {
        startup: sum.startup + schedule.shares.startup,
        running: sum.running + schedule.shares.running,
        queued: sum.queued + schedule.shares.queued,
        waiting: sum.waiting + schedule.shares.waiting,
    })
}

/// Returns a warning if the runs waited for processors that others had.
fn busy(outcome: &Outcome) -> Option<String> {
    let accounts = || outcome.series.iter().flat_map(|series| &series.accounts);
    let wall: f64 = accounts().map(|account| account.wall.as_secs_f64()).sum();
    let queued: f64 = accounts().filter_map(|account| Some(account.main?.queued.as_secs_f64())).sum();
    let part = queued / wall.max(1e-9);
    (part > BUSY).then(|| {
        format!(
            "warning: main threads waited for a processor for {:.0} % of the time: unless the commands keep all processors busy \
             themselves, something else runs on this machine, and times are too long",
            part * 100.0
        )
    })
}

/// Tells why the plan ended early, and returns the exit of the process.
fn tell(failure: &Failure, outcome: &Outcome, console: &mut Console) -> Exit {
    let kept = match outcome.complete {
        0 => "no round was complete".to_owned(),
        rounds => format!("the results are of {} before it", counted(rounds as u64, "round", "rounds")),
    };
    if failure.error.is_interrupted() {
        console.note(&format!("interrupted: {kept}"));
        return Exit::Interrupted;
    }
    let before =
        if failure.command.is_none() && !matches!(failure.error, RunError::Cold(_)) { "--prepare: " } else { "" };
    let help = match &failure.error {
        RunError::Start { .. } => "check the program's name; a shell's built-in commands need `-- sh -c '…'`",
        RunError::Left { .. } => "let the command wait for them, or run what it starts in its place",
        RunError::TimedOut { .. } => "raise --timeout if it needs more time",
        RunError::Cold(_) => "run as root, or leave --cold out",
        RunError::Unkillable { .. } => "run the command as a user whose processes you may end",
        _ => "run it by itself to see all that it says",
    };
    console.problem(&format!("{before}{}", failure.error), Some(&format!("{help}; {kept}")));
    if let Some(tail) = failure.error.tail() {
        let lines: Vec<&str> = tail.lines().collect();
        let lines = &lines[lines.len().saturating_sub(LAST)..];
        console.note("It printed last:");
        // They are laid out as they are.
        let text: String = lines.iter().map(|line| format!("  {}\n", visible(line))).collect();
        console.write_stderr(text.as_bytes());
    }
    match failure.error {
        RunError::Start { .. } => Exit::NoInput,
        _ => Exit::CommandFailed,
    }
}
