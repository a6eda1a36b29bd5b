//! Options of `history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use cyclescope_history::{Moment, Reference};

use crate::cli::compare::ChangeArguments;
use crate::cli::luck::Estimate;
use crate::cli::shared::ResultArguments;

/// The file without --file.
pub const HISTORY: &str = "cyclescope-history.sqlite";

/// The longest name of a commit or a branch.
const LONGEST: usize = 200;

/// Arguments of `history`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope history add results.json
  cyclescope history show response
  cyclescope history compare main~20
  cyclescope history page --out history.html --open
  cyclescope compare new.json --against history:main~20

An entry is meant by its branch (the newest), by its commit or the beginning of it, by a day or a time (the newest until then) \
or by #NUMBER; ~N behind that is the Nth before it on its branch.

docs/history.md has a workflow to copy.")]
pub struct HistoryArguments {
    /// The command.
    #[command(subcommand)]
    pub command: HistoryCommand,
}

/// The commands of `history`.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Add the records of files as one entry
    ///
    /// Files of records, hyperfine's `--export-json`, and folders in which Criterion left its results (target/criterion). The
    /// same records of the same commit and branch are no second entry.
    Add(AddArguments),
    /// List the entries, or the metrics
    List(ListArguments),
    /// Show a metric from entry to entry, and the commits at which it changed
    ///
    /// Exact values change where they differ. Noisy ones change where E-divisive with means (Matteson and James, 2014) finds
    /// it, with a permutation test; three entries or more lie on both sides of such a change.
    Show(ShowArguments),
    /// Show what changed from an entry to the newest of the branch
    Compare(CompareArguments),
    /// Write an HTML page of trends
    Page(PageArguments),
    /// Remove an entry, and the records that only it has
    Remove(RemoveArguments),
}

/// The file, and the branch that is looked at.
#[derive(Debug, Args)]
pub struct BranchArguments {
    /// The branch [default: the one that is checked out if the history has it, else that of the last entry]
    #[arg(long, value_name = "NAME", value_parser = branch)]
    pub branch: Option<String>,
    /// The history
    #[arg(long, value_name = "FILE.sqlite", default_value = HISTORY)]
    pub file: PathBuf,
}

/// Arguments of `history add`.
#[derive(Debug, Args)]
pub struct AddArguments {
    /// Files of records or of hyperfine, or folders of Criterion
    #[arg(value_name = "RESULTS", required = true)]
    pub results: Vec<PathBuf>,
    /// The commit [default: the one that is checked out, or that of GitHub or GitLab]
    #[arg(long, value_name = "COMMIT", value_parser = commit)]
    pub commit: Option<String>,
    /// The branch [default: the one that is checked out, or that of GitHub or GitLab, else main]
    #[arg(long, value_name = "NAME", value_parser = branch)]
    pub branch: Option<String>,
    /// The time, as RFC 3339 has it, or a day [default: the commit's, else that of the newest file]
    #[arg(long, value_name = "TIME")]
    pub time: Option<Moment>,
    /// The history, which is made if there is none
    #[arg(long, value_name = "FILE.sqlite", default_value = HISTORY)]
    pub file: PathBuf,
}

/// The format of lists and trends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryFormat {
    /// Tables for people
    Table,
    /// Tables for a pull request
    Markdown,
    /// Everything, as docs/history.md describes it
    Json,
}

/// Arguments of `history list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// List the metrics in place of the entries
    #[arg(long)]
    pub metrics: bool,
    /// List only those of this branch
    #[arg(long, value_name = "NAME", value_parser = branch)]
    pub branch: Option<String>,
    /// The number of entries, from the newest; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub last: usize,
    /// The history
    #[arg(long, value_name = "FILE.sqlite", default_value = HISTORY)]
    pub file: PathBuf,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<HistoryFormat>,
}

/// The configurations that are looked at.
#[derive(Debug, Args)]
pub struct Chosen {
    /// Only of this contender (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub contender: Vec<String>,
    /// Only in this mode (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub mode: Vec<String>,
    /// Only on this chip (may be repeated)
    #[arg(long, value_name = "CHIP")]
    pub chip: Vec<String>,
    /// Only at this optimisation level (may be repeated)
    #[arg(long, value_name = "LEVEL")]
    pub opt: Vec<String>,
    /// The estimate of records with several samples
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Estimate::Mean)]
    pub statistic: Estimate,
}

/// Arguments of `history show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The metric, or EXPERIMENT/METRIC; * stands for any characters
    #[arg(value_name = "METRIC")]
    pub metric: String,
    /// The configurations.
    #[command(flatten)]
    pub chosen: Chosen,
    /// The number of entries to show, from the newest; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub last: usize,
    /// The branch and the file.
    #[command(flatten)]
    pub branch: BranchArguments,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<HistoryFormat>,
}

/// Arguments of `history compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The old side, such as main~20, a commit or a day
    #[arg(value_name = "REV")]
    pub old: Reference,
    /// The branch and the file.
    #[command(flatten)]
    pub branch: BranchArguments,
    /// The bounds and the form of the changes.
    #[command(flatten)]
    pub changes: ChangeArguments,
}

/// Arguments of `history page`.
#[derive(Debug, Args)]
pub struct PageArguments {
    /// The metrics, as for `show` [default: all]
    #[arg(value_name = "METRIC")]
    pub metrics: Vec<String>,
    /// Write the page to this file
    #[arg(long, value_name = "FILE.html")]
    pub out: PathBuf,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// The configurations.
    #[command(flatten)]
    pub chosen: Chosen,
    /// The number of entries to show, from the newest; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub last: usize,
    /// The branch and the file.
    #[command(flatten)]
    pub branch: BranchArguments,
}

/// Arguments of `history remove`.
#[derive(Debug, Args)]
pub struct RemoveArguments {
    /// The entry's number, as `history list` shows it
    #[arg(value_name = "NUMBER", value_parser = number)]
    pub entry: i64,
    /// The history
    #[arg(long, value_name = "FILE.sqlite", default_value = HISTORY)]
    pub file: PathBuf,
}

fn number(text: &str) -> Result<i64, String> {
    text.strip_prefix('#').unwrap_or(text).parse().map_err(|_| "it is no number of an entry".to_owned())
}

fn commit(text: &str) -> Result<String, String> {
    if is_word(text) { Ok(text.to_owned()) } else { Err("it is no name of a commit".to_owned()) }
}

fn branch(text: &str) -> Result<String, String> {
    if is_name(text) { Ok(text.to_owned()) } else { Err("it is no name of a branch".to_owned()) }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && text.chars().all(|c| !c.is_whitespace() && !c.is_control())
}

/// Tells if `text` can name an entry: a number stands behind a `~`.
pub(crate) fn is_name(text: &str) -> bool {
    is_word(text) && !text.contains('~')
}
