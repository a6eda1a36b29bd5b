//! The command line's commands and options.

pub mod arrivals;
pub mod claims;
pub mod compare;
pub mod digest;
pub mod exec;
#[cfg(unix)]
pub mod explain;
#[cfg(not(unix))]
#[path = "cli/explain_elsewhere.rs"]
pub mod explain;
pub mod history;
pub mod image;
pub mod import;
pub mod kit;
pub mod list;
pub mod luck;
pub mod measure;
pub mod report;
pub mod run;
pub mod shared;
pub mod size;
pub mod stimuli;
pub mod sweep;
pub mod tasks;
pub mod trace;
pub mod user_image;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use self::claims::ClaimsArguments;
use self::compare::CompareArguments;
use self::digest::DigestArguments;
use self::exec::ExecArguments;
use self::explain::ExplainArguments;
use self::history::HistoryArguments;
use self::image::ImageArguments;
use self::import::ImportArguments;
use self::kit::KitArguments;
use self::list::ListArguments;
use self::luck::LuckArguments;
use self::measure::MeasureArguments;
use self::report::ReportArguments;
use self::run::RunArguments;
use self::shared::{ColorChoice, TierChoice, after_help};
use self::size::SizeArguments;
use self::sweep::SweepArguments;
use self::tasks::TasksArguments;
use self::trace::{ProfileArguments, TraceArguments};

/// An oscilloscope for concurrency runtimes, in software.
///
/// Firmware goes in as an ELF and runs on a cycle-timed model of its microcontroller, the same every time; out come the
/// costs of each context switch, interrupt, system call and await: cycles, instructions, flash, RAM and stack. Real
/// runtimes that all do the same work come bundled, so that one command prints the comparison.
#[derive(Debug, Parser)]
#[command(
    name = "cyclescope",
    version,
    max_term_width = 100,
    after_long_help = after_help(
        "cyclescope run                          a digest of all experiments
  cyclescope run primes                   the whole table of one
  cyclescope list                         what there is to run
  cyclescope exec fw.elf --chip stm32c031c6
  cyclescope measure fw.elf --chip stm32c031c6 \\
      --span 'work=pin:PA0:rise..pin:PA0:fall'
  cyclescope trace fw.elf --chip stm32c031c6 --from trap --to driver::command
  cyclescope tasks fw.elf --chip stm32c031c6
  cyclescope size old.elf new.elf --diff
  cyclescope compare old.json new.json"
    )
)]
pub struct Cli {
    /// When to use colours; `auto` looks at the terminal, NO_COLOR and TERM
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    pub color: ColorChoice,
    /// The way in which simulated code that often runs is carried out; results are the same
    #[arg(long, value_enum, value_name = "TIER", default_value_t, global = true, hide_short_help = true)]
    pub tier: TierChoice,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure the bundled firmware, or a part of it, and print the comparison
    ///
    /// Without a name, all chip experiments run and a digest of a few lines is printed; with names, each one's whole
    /// table. Experiments on the host run only when named. Each program's own output is checked: one whose output is
    /// not exactly right gives an error and no number.
    Run(Box<RunArguments>),
    /// List the experiments, chips, contenders, images and devices
    List(ListArguments),
    /// Write a bundled image to a file, or show what is known of it
    ///
    /// All commands that take an ELF take a bundled one too, once it is a file: exec, measure, trace, profile, size. Boards
    /// take it as it is. Without --out the image's facts are shown: what it is, what it was built with, its settings.
    Image(ImageArguments),
    /// Run one ELF on a chip, and pass on its output and its exit code
    ///
    /// Output to UARTs, to RTT (plain or defmt, which is decoded) and to semihosting's console
    /// comes out on stdout as it is written; everything else is said on stderr. Of the host's files the
    /// guest has those of --files only. Serves as a Cargo runner: `runner = "cyclescope exec --chip stm32c031c6"`.
    Exec(ExecArguments),
    /// Run one ELF on a chip, drive its pins and serial ports, and measure the time between events
    ///
    /// A span reaches from one event to the next: a function entered or left, a pin's edge, an exception, sleep, a time.
    /// Each time that it happens is a sample, exact to the cycle; the table shows how many there were and how they spread.
    /// A stimulus is what the outside does: levels on pins and bytes to serial ports, at a time, after an event,
    /// periodically, or at times drawn from a seeded generator. The same image with the same stimuli takes the same cycles
    /// every time. A span that does not happen as described gives an error, and the others their numbers.
    Measure(MeasureArguments),
    /// Run one ELF on a chip, and show which functions ran between two events
    ///
    /// Instructions and cycles by function (itself and with what it called), path of calls, source line, inlined function,
    /// class of instruction, and of memcpy, memset and compiler helpers by who called them. Sleep and what exceptions take
    /// to be entered and left stand beside them, so that each table's sum is the time from event to event, exactly.
    Trace(TraceArguments),
    /// Run one ELF on a chip, and show which functions ran in the whole run
    Profile(ProfileArguments),
    /// Run one ELF in many layouts, and show how much of its time is luck of placement
    ///
    /// Addresses decide when instructions arrive, not what they compute. So the same program runs again and again with its functions
    /// and constants elsewhere, for timing only, in places that a linker could have chosen. Each span gets its spread, the place of
    /// this firmware in it, the functions that make the difference, and lines for a linker script.
    Luck(Box<LuckArguments>),
    /// Make one measurement over many images, chips, settings, layouts, arrivals and seeds, on this machine or on Ray
    ///
    /// A plan in TOML says what is measured and what varies. Its points are run in chunks, whose results are kept as they come: after
    /// Ctrl-C, a crash or a full disk the same command goes on where it ended. The file that all is joined into is the same however
    /// the chunks were run. It is Parquet, which pandas, polars and DuckDB read.
    Sweep(SweepArguments),
    /// Run one ELF on a chip, and show its tasks: who runs, who woke it, where it waits
    ///
    /// Seen from outside by the debug information alone, without instrumentation and at no cycle's cost: per task its polls,
    /// busy cycles, longest poll, time from wake to poll, who woke it, the await at which it is suspended and the size of its
    /// future. Each cycle of the run belongs to one task, exception, the runtime, sleep or start-up.
    Tasks(TasksArguments),
    /// Show where the bytes of ELF files go
    ///
    /// By section, by crate (C, C++ and assembly stand in parentheses), by symbol and as strings. Everything in the
    /// target's memory counts once; initialised data counts in flash and in RAM; room that linker scripts reserve
    /// for stack and heap does not count.
    Size(SizeArguments),
    /// Show what changed between two files of records, or between two ELFs
    ///
    /// Both are what `run`, `measure` and `size` write with `--format json`, of one version and the next. What is exact is
    /// compared to the last digit; what only one file has is named.
    Compare(CompareArguments),
    /// Keep results over time in one file, and show how each metric changed, and at which commit
    ///
    /// An entry is the records of some files with their commit, branch and time. The file is an SQLite database that several
    /// processes may add to at once; what was added is there, or the command says that it is not.
    History(HistoryArguments),
    /// Write an HTML page of charts and tables, with the origin of each number
    ///
    /// One HTML file that any browser opens from disk. With records of bundled images it also shows, for one run of each
    /// experiment, what happened when and where the cycles went; with --run, a run of an ELF of yours.
    Report(Box<ReportArguments>),
    /// Show records as the digest that `run` without names prints
    Digest(DigestArguments),
    /// Test well-known claims about runtimes with records
    ///
    /// Each claim (an async runtime answers sooner than an RTOS, optimising for size pays with copies, …) is a relation
    /// between figures of experiments. All pairs of figures that differ in nothing else are set against each other.
    Claims(ClaimsArguments),
    /// Write the program with which a board checks single rows of the timing tables
    ///
    /// Some hundred short sequences of instructions, each timed by the core's own counter and each for one row or rule of
    /// docs/timing.md. Flashed to a board, the program prints a line a sequence over the serial port; `import --kit` sets them
    /// beside what the rows add up to. Without --out the sequences are shown: what each is for, its code and its sum.
    Kit(KitArguments),
    /// Turn what a board printed into records, beside the model's
    ///
    /// The bundled images flash and run on the boards that they are built for, and end with a line that says what they took by
    /// their own clock. A log of a board's serial port becomes records of the source `silicon`, and the same images run on the
    /// model beside them, so that the model's error can be seen.
    Import(ImportArguments),
    /// Run any commands of this machine in rounds, and show where their time goes
    ///
    /// By the kernel's account of each run: time, faults, switches, memory. Runs of their own, which strace, bpftrace and valgrind
    /// watch and slow down, add system calls, the states of all threads, and instructions. With --against a table shows where the
    /// difference went, in parts that add up to it. Nothing that a command starts is left running.
    Explain(Box<ExplainArguments>),
    /// Print a completion script for a shell
    #[command(after_long_help = "Examples:
  cyclescope completions bash \\
      > ~/.local/share/bash-completion/completions/cyclescope
  cyclescope completions fish > ~/.config/fish/completions/cyclescope.fish")]
    Completions(CompletionsArguments),
    /// Write the man pages, one a command, into a folder
    #[command(after_long_help = "Example:
  cyclescope man ~/.local/share/man/man1 && man cyclescope-measure")]
    Man(ManArguments),
}

impl Command {
    /// Tells whether the command runs simulated code.
    pub fn simulates(&self) -> bool {
        use Command::{Compare, Exec, Import, Luck, Measure, Profile, Report, Run, Sweep, Tasks, Trace};
        matches!(self, Run(_) | Exec(_) | Measure(_) | Luck(_) | Trace(_) | Profile(_) | Tasks(_))
            || matches!(self, Report(_) | Compare(_) | Import(_) | Sweep(_))
    }
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The folder; it is made if it is not there
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use cyclescope_machine::figures::integer;

    use super::*;
    use crate::backend::Guest;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Lines that are made to be copied stay as they are written on a terminal of 80 columns: clap breaks longer ones at words
    /// and does not indent the rest.
    #[test]
    fn examples_and_lists_of_help_fit_eighty_columns() {
        let whole = Cli::command();
        for command in std::iter::once(&whole).chain(whole.get_subcommands()) {
            let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            for line in after.lines().filter(|line| line.starts_with(' ')) {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
            // A line that is full is followed by the rest of its paragraph, which clap would have filled.
            for pair in after.lines().collect::<Vec<_>>().windows(2) {
                let is_prose =
                    pair.iter().all(|line| !line.is_empty() && !line.starts_with(' ')) && !pair[0].ends_with(':');
                assert!(!is_prose, "{}: broken by hand: {}", command.get_name(), pair[0]);
            }
        }
    }

    #[test]
    fn defaults_that_help_writes_grouped_are_those_of_the_code() {
        let mut whole = Cli::command();
        let help = whole.find_subcommand_mut("exec").expect("it is there").render_long_help().to_string();
        for default in [
            i128::try_from(Guest::MAX_OUTPUT).expect("it is small"),
            cyclescope_guest::options::MAX_CYCLES.get().into(),
        ] {
            assert!(help.contains(&integer(default)), "{help}");
        }
    }
}
