//! What can be asked of `trace` and `profile`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cyclescope_scope::{Event, Rule, Time};

use crate::backend::MemorySetting;
use crate::cli::GuestOutput;
use crate::error::CliError;
use crate::tracing::Occurrence;

/// How a trace is broken down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceBy {
    /// Functions, each by itself and with what it called
    Function,
    /// Paths of calls
    Path,
    /// Source lines
    Line,
    /// Functions that are inlined, and into which
    Inlined,
    /// Kinds of instruction
    Class,
    /// memcpy, memset and what compilers call, by who called them
    Helper,
}

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// Tables for people
    Table,
    /// Everything, as docs/trace.md describes it
    Json,
    /// Tables for a pull request
    Markdown,
}

impl TraceFormat {
    /// The format asked for, or the one that the output file's extension suggests, or tables.
    ///
    /// # Errors
    /// [`CliError::Usage`] for an extension that suggests a format which is not among these.
    pub fn choose(asked: Option<Self>, out: Option<&Path>) -> Result<Self, CliError> {
        let extension = out.and_then(|path| path.extension()).and_then(|extension| extension.to_str());
        if let Some(asked) = asked {
            return Ok(asked);
        }
        match extension {
            Some("json") => Ok(Self::Json),
            Some("md" | "markdown") => Ok(Self::Markdown),
            Some("csv" | "tsv" | "html" | "svg" | "xml") => Err(CliError::Usage(
                "--out's extension is of none of the formats that there are: json, md, and tables as any other; name one \
                 of them with --format table, markdown or json",
            )),
            _ => Ok(Self::Table),
        }
    }
}

/// What `trace` and `profile` have in common.
#[derive(Debug, Args)]
pub struct TraceOptions {
    /// The firmware
    #[arg(value_name = "ELF")]
    pub elf: PathBuf,
    /// The chip to run it on: a name of `cyclescope list chips`, or a TOML file that describes a chip
    #[arg(long, value_name = "CHIP")]
    pub chip: String,
    /// Flash settings to run with
    #[arg(long, value_enum, value_name = "SETTING", default_value = "shipped")]
    pub memory: MemorySetting,
    /// Something that the outside does, as for `measure` (may be repeated)
    #[arg(long, value_name = "STIMULUS")]
    pub stimulus: Vec<Rule>,
    /// How long to run, from reset
    #[arg(long = "for", value_name = "TIME", default_value = "1s")]
    pub window: Time,
    /// Stop when this event happens; that it does not is an error
    #[arg(long, value_name = "EVENT")]
    pub until: Option<Event>,
    /// How to break it down (may be repeated) [default: function, class and helper]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Vec<TraceBy>,
    /// How many rows a table has; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// How to write the results; json always holds everything [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<TraceFormat>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the paths of calls as a flame graph, as wide as their cycles
    #[arg(long, value_name = "FILE.svg")]
    pub flamegraph: Option<PathBuf>,
    /// Write every instruction to this file, disassembled, with the registers that it changed and the memory it touched
    #[arg(long, value_name = "FILE")]
    pub listing: Option<PathBuf>,
    /// Where the guest's own output goes
    #[arg(long, value_enum, value_name = "WHERE", default_value = "stderr")]
    pub guest_output: GuestOutput,
    /// Stop the guest when it has written more bytes than this
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub max_output: u64,
    /// Let a fault run the guest's own handler; without this it ends the run
    #[arg(long)]
    pub guest_handles_faults: bool,
}

/// Arguments of `trace`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope trace app.elf --chip stm32f446ze --from exception:EXTI15_10:entered --to app::on_button
  cyclescope trace app.elf --chip stm32f446ze --from trap --to 'driver::*::command' --by path
  cyclescope trace app.elf --chip stm32c031c6 --from main --to time:20ms --flamegraph main.svg
  cyclescope trace app.elf --chip stm32c031c6 --from exception:SysTick:entered --to exception:SysTick:returned \\
      --occurrence all --format json

The instruction of the first event counts, that of the last does not.
Events are those of `measure`. `trap` is a supervisor call about to execute, exception:SVCall:entered
its handler's first instruction. docs/trace.md explains all of it.")]
pub struct TraceArguments {
    /// What is common.
    #[command(flatten)]
    pub options: TraceOptions,
    /// The event that the trace begins with
    #[arg(long, value_name = "EVENT")]
    pub from: Event,
    /// The event that it ends before
    #[arg(long, value_name = "EVENT")]
    pub to: Event,
    /// Which time from the one to the other: a number from 1, or `all`, summed up
    #[arg(long, value_name = "N|all", default_value = "1")]
    pub occurrence: Occurrence,
}

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope profile app.elf --chip stm32c031c6 --for 100ms
  cyclescope profile app.elf --chip stm32f446ze --until symbol:done --flamegraph app.svg --by path --by line")]
pub struct ProfileArguments {
    /// What is common.
    #[command(flatten)]
    pub options: TraceOptions,
}
