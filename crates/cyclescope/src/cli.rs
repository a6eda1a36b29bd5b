//! What can be asked on the command line.

pub mod compare;
pub mod host;
pub mod own;
pub mod report;
pub mod trace;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use cyclescope_scope::{Event, Rule, SpanText, Time};

use self::compare::CompareArguments;
use self::host::{ContenderArguments, HostArguments};
use self::own::OwnArguments;
use self::report::ReportArguments;
use self::trace::{ProfileArguments, TraceArguments};
use crate::backend::MemorySetting;
use crate::exit::Exit;

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
  cyclescope measure fw.elf --chip stm32c031c6 --span 'work=pin:PA0:rise..pin:PA0:fall'
  cyclescope trace fw.elf --chip stm32c031c6 --from trap --to driver::command
  cyclescope size old.elf new.elf --diff
  cyclescope compare old.json new.json"
    )
)]
pub struct Cli {
    /// When to use colours; `auto` looks at the terminal, NO_COLOR and TERM
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    pub color: ColorChoice,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn after_help(examples: &str) -> String {
    format!("Examples:\n  {examples}\n\n{}", Exit::help())
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure the bundled firmware (or what you choose of it) and print the comparison
    ///
    /// Without a name, all chip experiments run and a digest of a few lines is printed; with names, each one's whole
    /// table. Experiments on the host run only when named. Each program's own output is checked: one whose output is
    /// not exactly right gives an error and no number.
    Run(Box<RunArguments>),
    /// Show the experiments, chips, contenders and images there are
    List(ListArguments),
    /// Run one ELF on a chip, its output on stdout, its exit code as ours
    ///
    /// What the guest writes to its UARTs, to RTT (plain or defmt, which is decoded) and to semihosting's console
    /// comes out on stdout as it is written; everything else is said on stderr. The guest has no way to the host's
    /// files. Serves as a Cargo runner: `runner = "cyclescope exec --chip stm32c031c6"`.
    Exec(ExecArguments),
    /// Run one ELF on a chip, do things to its pins and serial ports, and measure the time between events
    ///
    /// A span reaches from one event to the next: a function entered or left, a pin's edge, an exception, sleep, a time.
    /// Each time that it happens is a sample, exact to the cycle; the table shows how many there were and how they spread.
    /// A stimulus is what the outside does: levels on pins and bytes to serial ports, at a time, after an event,
    /// periodically, or at times drawn from a seeded generator. The same image with the same stimuli takes the same cycles
    /// every time. A span that does not happen as described gives an error, and the others their numbers.
    Measure(MeasureArguments),
    /// Run one ELF on a chip and tell what executed from one event to another, and whose it was
    ///
    /// Instructions and cycles by function (itself and with what it called), path of calls, source line, inlined function,
    /// class of instruction, and of memcpy, memset and compiler helpers by who called them. Sleep and what exceptions take
    /// to be entered and left stand beside them, so that each table's sum is the time from event to event, exactly.
    Trace(TraceArguments),
    /// The same for a whole run
    Profile(ProfileArguments),
    /// Show where the bytes of ELF files go
    ///
    /// By section, by crate (C, C++ and assembly stand in parentheses), by symbol and as strings. Everything in the
    /// target's memory counts once; initialised data counts in flash and in RAM; room that linker scripts reserve
    /// for stack and heap does not count.
    Size(SizeArguments),
    /// Be a contender of an experiment on the host
    #[command(hide = true)]
    Contender(ContenderArguments),
    /// Show what changed from one file of records to another
    ///
    /// Both are what `run`, `measure` and `size` write with `--format json`, of one version and the next. What is exact is
    /// compared to the last digit; what only one file has is named.
    Compare(CompareArguments),
    /// Write a page to look at: questions, charts, tables, and what stands behind each number
    ///
    /// One HTML file that any browser opens from disk. With records of bundled images it also shows, for one run of each
    /// experiment, what happened when and where the cycles went; with --run, a run of an ELF of yours.
    Report(Box<ReportArguments>),
    /// Say which well-known claims records bear out
    ///
    /// Each claim (an async runtime answers sooner than an RTOS, optimising for size pays with copies, …) is a relation
    /// between figures of experiments. All pairs of figures that differ in nothing else are set against each other.
    Claims(ClaimsArguments),
    /// Turn what a board printed into records, beside the model's
    ///
    /// The bundled images flash and run on the boards that they are built for, and end with a line that says what they took by
    /// their own clock. A log of a board's serial port becomes records of the source `silicon`, and the same images run on the
    /// model beside them, so that the model's error can be seen.
    Import(ImportArguments),
    /// Print a completion script for a shell
    #[command(after_long_help = "Examples:
  cyclescope completions bash > ~/.local/share/bash-completion/completions/cyclescope
  cyclescope completions fish > ~/.config/fish/completions/cyclescope.fish")]
    Completions(CompletionsArguments),
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On terminals.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people
    Table,
    /// All records, as docs/records.md describes them
    Json,
    /// All records, one a line
    Csv,
    /// Tables for a pull request
    Markdown,
}

impl Format {
    /// The format asked for, or the one that the output file's extension suggests, or tables.
    pub fn choose(asked: Option<Self>, out: Option<&std::path::Path>) -> Self {
        let extension = out.and_then(|path| path.extension()).and_then(|extension| extension.to_str());
        asked.unwrap_or(match extension {
            Some("json") => Self::Json,
            Some("csv") => Self::Csv,
            Some("md" | "markdown") => Self::Markdown,
            _ => Self::Table,
        })
    }
}

/// Which memory settings to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemoryChoice {
    /// The flash as the vendor recommends for this clock, whatever the firmware wrote
    Equal,
    /// What the firmware wrote
    Shipped,
    /// No wait states: shows what is luck of placement
    Ideal,
    /// All three
    All,
}

impl MemoryChoice {
    /// The settings that `choices` name, each once, in the order in which results show them; `equal` for none.
    pub fn settings(choices: &[Self]) -> Vec<MemorySetting> {
        let chosen = |setting: &MemorySetting| {
            choices.iter().any(|choice| match choice {
                Self::All => true,
                Self::Equal => *setting == MemorySetting::Equal,
                Self::Shipped => *setting == MemorySetting::Shipped,
                Self::Ideal => *setting == MemorySetting::Ideal,
            })
        };
        match choices {
            [] => vec![MemorySetting::Equal],
            _ => MemorySetting::ALL.into_iter().filter(chosen).collect(),
        }
    }
}

/// When what an experiment measures arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrivalsChoice {
    /// As the experiment's seeded generator says
    Random,
    /// At each cycle of a window, each time from the same state: the exact distribution and its worst case
    Exhaustive,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run
  cyclescope run primes --contender embassy --contender freertos
  cyclescope run primes --chip stm32f446ze --memory all --opt s
  cyclescope run primes --chip my-board.toml
  cyclescope run button --chip stm32f446ze --base c-plain
  cyclescope run button --contender embassy --arrivals exhaustive
  cyclescope run button --chip stm32c031c6 --contender embassy --mode interrupt --opt 3 --vcd out.vcd
  cyclescope run primes --format json --out primes.json
  cyclescope run dirwalk --runs 20 --contender tokio-await --contender rayon
  cyclescope run dirwalk --workers 1,2,4 --contend 0,1,2
  cyclescope run join --sleep 5s --count 1000
  cyclescope run syscall --image my.elf --chip ibex --from trap --to driver::command --back address:0x102468

With --out, the file is written when the work is done and replaces what was there as a
whole; until then, and if nothing could be run, that stays as it is. After Ctrl-C what is
finished is written; a second Ctrl-C ends at once.")]
pub struct RunArguments {
    /// Experiments; none: a digest of all that run on chips
    #[arg(value_name = "EXPERIMENT")]
    pub experiments: Vec<String>,
    /// Only on this chip: a name, or a TOML file that describes one (may be repeated)
    #[arg(long, value_name = "CHIP")]
    pub chip: Vec<String>,
    /// Only this contender (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub contender: Vec<String>,
    /// Only this mode of the experiment (may be repeated)
    #[arg(long, value_name = "MODE")]
    pub mode: Vec<String>,
    /// Only this optimisation level: `s`, `3` (may be repeated)
    #[arg(long, value_name = "LEVEL")]
    pub opt: Vec<String>,
    /// Flash settings to measure with (may be repeated) [default: equal]
    #[arg(long, value_enum, value_name = "SETTING")]
    pub memory: Vec<MemoryChoice>,
    /// Show differences, absolute and in per cent, from this contender
    #[arg(long, value_name = "NAME")]
    pub base: Option<String>,
    /// When the edge of `button` arrives: at random, or at each cycle of a window in turn
    #[arg(long, value_enum, value_name = "WHEN", default_value = "random")]
    pub arrivals: ArrivalsChoice,
    /// How many cycles the window of all arrivals has; needs `--arrivals exhaustive` [default: the experiment's]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    pub window: Option<u64>,
    /// One edge, at this cycle after reset: to look again at an arrival that a table names
    #[arg(long, value_name = "CYCLE", conflicts_with_all = ["arrivals", "window"])]
    pub arrival: Option<u64>,
    /// Another seed for what is drawn at random [default: the experiment's]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write pins, exceptions, sleep and a kernel's running task of the one run that is chosen to this file for GTKWave
    /// or PulseView
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// What one unit of time in that file is
    #[arg(long, value_enum, value_name = "UNIT", default_value = "cycles", requires = "vcd")]
    pub vcd_time: VcdTime,
    /// How to write the results [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write a page to look at to this file
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Open that page in the browser
    #[arg(long, requires = "html")]
    pub open: bool,
    /// How many runs may go on at once; those on the host go one by one [default: one a processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How experiments on the host are set up.
    #[command(flatten)]
    pub host: HostArguments,
    /// An image of one's own.
    #[command(flatten)]
    pub own: OwnArguments,
}

/// What `list` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListKind {
    /// Questions that can be asked
    Experiments,
    /// Chip models
    Chips,
    /// Runtimes under test
    Contenders,
    /// Bundled images
    Images,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// What to show; nothing: all but the images
    #[arg(value_enum)]
    pub kind: Option<ListKind>,
    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: ListFormat,
}

/// How lists and sizes of no record are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Tables for people
    Table,
    /// Tables for a document
    Markdown,
}

/// Arguments of `exec`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope exec target/thumbv6m-none-eabi/release/app --chip stm32c031c6
  cyclescope exec test.elf --chip cortex-m4 --max-cycles 48000000
  cyclescope exec app.elf --chip my-board.toml"
))]
pub struct ExecArguments {
    /// The firmware
    #[arg(value_name = "ELF")]
    pub elf: PathBuf,
    /// The chip to run it on: a name of `cyclescope list chips`, or a TOML file that describes a chip
    #[arg(long, value_name = "CHIP")]
    pub chip: String,
    /// Stop the guest at this cycle
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    pub max_cycles: u64,
    /// Stop the guest when it has written more bytes than this
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub max_output: u64,
    /// Flash settings to run with
    #[arg(long, value_enum, value_name = "SETTING", default_value = "shipped")]
    pub memory: MemorySetting,
    /// Let a fault run the guest's own handler; without this it ends the run, as under a probe that catches faults
    #[arg(long)]
    pub guest_handles_faults: bool,
    /// Wait for gdb on this port of 127.0.0.1 (0: any that is free) and run as it says
    #[arg(long, value_name = "PORT")]
    pub gdb: Option<u16>,
    /// What to run of a suite of tests.
    #[command(flatten)]
    pub suite: SuiteArguments,
}

/// What to run of an ELF that is a suite of the crate embedded-test; of no meaning for any other. As `cargo test -- …` hands
/// them on.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Suites of embedded-test")]
pub struct SuiteArguments {
    /// Only tests whose names contain one of these
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,
    /// Names are whole ones
    #[arg(long)]
    pub exact: bool,
    /// No tests whose names contain this
    #[arg(long, value_name = "FILTER")]
    pub skip: Vec<String>,
    /// Only tests that are ignored otherwise
    #[arg(long)]
    pub ignored: bool,
    /// Ignored tests as well
    #[arg(long)]
    pub include_ignored: bool,
    /// Name the tests and run none
    #[arg(long)]
    pub list: bool,
    /// As it is anyway: output comes out as it is written
    #[arg(long, alias = "show-output")]
    pub nocapture: bool,
    /// As it is anyway: one test after the other
    #[arg(long, value_name = "N")]
    pub test_threads: Option<usize>,
}

/// Where a guest's output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GuestOutput {
    /// To standard output; the results then need --out
    Stdout,
    /// To standard error
    Stderr,
    /// Nowhere
    None,
}

/// What one unit of time in a VCD file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VcdTime {
    /// A cycle, exactly; viewers show cycles as nanoseconds
    Cycles,
    /// A femtosecond: real times, rounded; too fine for PulseView
    Femtoseconds,
}

/// Arguments of `measure`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope measure app.elf --chip stm32f446ze --span 'irq=pin:PG0:rise..pin:PG0:fall' \\
      --stimulus 'presses 1000 of PC13 low from 10ms gap 50ms..250ms seed 1' --for 300s
  cyclescope measure app.elf --chip stm32c031c6 --span 'tick=exception:SysTick:entered..exception:SysTick:returned'
  cyclescope measure app.elf --chip stm32c031c6 --span 'echo=pin:PA3:fall..symbol:on_line' \\
      --stimulus 'every 10ms from 5ms uart 2 \"hello\\n\"' --until symbol:done --histogram
  cyclescope measure app.elf --chip stm32c031c6 --for 20ms --vcd app.vcd
  cyclescope measure --file button.toml --format json --out button.json

Spans: NAME=EVENT..EVENT, with `first` or `last` before the first event if it may come again before the second.
Events: symbol:NAME, symbol:NAME:left, address:0x08000100, pin:PA5:rise (fall, edge),
  exception:SysTick:entered (pended, returned), sleep, wake, time:1ms
Stimuli: at TIME ACTION
  after EVENT [TIME] [N times] ACTION
  every TIME from TIME [N times] ACTION
  random N times from TIME gap MIN..MAX seed S ACTION
  presses N of PIN low|high from TIME gap MIN..MAX [bounce K within TIME] seed S
Actions: pin PC13 low|high|released|toggle, uart 2 \"text\\n\"
Times: whole numbers with s, ms, us, ns at the part's fastest clock, or without for cycles, after reset.
docs/measure.md explains all of it."
))]
pub struct MeasureArguments {
    /// The firmware; --file may name it
    #[arg(value_name = "ELF", required_unless_present = "file")]
    pub elf: Option<PathBuf>,
    /// The chip to run it on: a name of `cyclescope list chips`, or a TOML file that describes a chip
    #[arg(long, value_name = "CHIP", required_unless_present = "file")]
    pub chip: Option<String>,
    /// A TOML file that holds the same as options: elf, chip, memory, for, until, span, stimulus, task-pointer. Options
    /// given beside it win; spans and stimuli add up
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Flash settings to run with [default: shipped]
    #[arg(long, value_enum, value_name = "SETTING")]
    pub memory: Option<MemorySetting>,
    /// A span to measure: NAME=EVENT..EVENT (may be repeated)
    #[arg(long, value_name = "SPAN")]
    pub span: Vec<SpanText>,
    /// Something that the outside does (may be repeated)
    #[arg(long, value_name = "STIMULUS")]
    pub stimulus: Vec<Rule>,
    /// How long to run, from reset [default: 1s]
    #[arg(long = "for", value_name = "TIME")]
    pub window: Option<Time>,
    /// Stop when this event happens; that it does not is an error
    #[arg(long, value_name = "EVENT")]
    pub until: Option<Event>,
    /// Show how each span's samples are spread; json always has it
    #[arg(long)]
    pub histogram: bool,
    /// How to write the results [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write pins, exceptions, sleep and the running task to this file for GTKWave or PulseView
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// What one unit of time in that file is
    #[arg(long, value_enum, value_name = "UNIT", default_value = "cycles", requires = "vcd")]
    pub vcd_time: VcdTime,
    /// The symbol of the word that names the running task (FreeRTOS: pxCurrentTCB), for --vcd
    #[arg(long, value_name = "SYMBOL", requires = "vcd")]
    pub task_pointer: Option<String>,
    /// Where the guest's own output goes
    #[arg(long, value_enum, value_name = "WHERE", default_value = "stderr")]
    pub guest_output: GuestOutput,
    /// Stop the guest when it has written more bytes than this
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub max_output: u64,
    /// Let a fault run the guest's own handler; without this it ends the run, as under a probe that catches faults
    #[arg(long)]
    pub guest_handles_faults: bool,
}

/// How `size` breaks an image down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SizeBy {
    /// Sections in the target's memory
    Section,
    /// Crates, and C, C++ and assembly
    Crate,
    /// Functions, variables and constants
    Symbol,
    /// Text in the image, found as strings(1) finds it
    String,
}

/// Arguments of `size`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope size app.elf
  cyclescope size app.elf --by symbol --top 50
  cyclescope size before.elf after.elf --diff --by crate --format markdown
  cyclescope size a.elf b.elf c.elf --format csv")]
pub struct SizeArguments {
    /// ELF files
    #[arg(value_name = "ELF", required = true)]
    pub elf: Vec<PathBuf>,
    /// Show what changed from the first file to the second
    #[arg(long)]
    pub diff: bool,
    /// How to break them down (may be repeated) [default: section and crate]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Vec<SizeBy>,
    /// How many crates, symbols and strings to show; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// How to write the results; json and csv always hold everything
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: Format,
}

/// Arguments of `claims`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run primes button switch syscall --format json --out results.json
  cyclescope run dirwalk --format json --out host.json
  cyclescope claims results.json host.json")]
pub struct ClaimsArguments {
    /// Files of records
    #[arg(value_name = "RESULTS.json", required = true)]
    pub results: Vec<PathBuf>,
    /// How to write it [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ListFormat>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope import serial.log --chip stm32f446ze --board nucleo-f446ze --opt 3
  cyclescope import serial.log --chip atmega328p --board uno --opt s --format json --out uno.json

Lines that are no part of a run are passed over; a run that is wrong ends the import. Several runs of one image are
samples of one record.")]
pub struct ImportArguments {
    /// What the board printed
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// The chip on it
    #[arg(long, value_name = "CHIP")]
    pub chip: String,
    /// What records call the board
    #[arg(long, value_name = "NAME")]
    pub board: String,
    /// How the images were optimised, where the log leaves a choice
    #[arg(long, value_name = "LEVEL")]
    pub opt: Option<String>,
    /// How to write it [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_format_follows_the_file_unless_asked_for() {
        let choose = |asked, out: Option<&str>| Format::choose(asked, out.map(Path::new));
        assert_eq!(choose(None, None), Format::Table);
        assert_eq!(choose(None, Some("x/y.json")), Format::Json);
        assert_eq!(choose(None, Some("y.md")), Format::Markdown);
        assert_eq!(choose(Some(Format::Csv), Some("y.json")), Format::Csv);
    }

    #[test]
    fn memory_settings_come_once_and_in_order() {
        use MemoryChoice::{All, Equal, Ideal};
        assert_eq!(MemoryChoice::settings(&[]), [MemorySetting::Equal]);
        assert_eq!(MemoryChoice::settings(&[Ideal, Equal, Ideal]), [MemorySetting::Equal, MemorySetting::Ideal]);
        assert_eq!(MemoryChoice::settings(&[Ideal, All]), MemorySetting::ALL);
    }
}
