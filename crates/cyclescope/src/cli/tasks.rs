//! Options of `tasks`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cyclescope_experiments::duration;
use cyclescope_scope::SpanText;

use crate::cli::shared::{
    FilesArguments, GuestArguments, GuestOutput, LimitArguments, ResultArguments, VariantArguments,
};

/// The format of an X-ray of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TasksFormat {
    /// Tables for people
    Table,
    /// Everything, as docs/tasks.md describes it
    Json,
    /// Tables for a pull request
    Markdown,
}

/// Arguments of `tasks`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope tasks app.elf --chip stm32f446ze
  cyclescope tasks app.elf --chip stm32c031c6 --for 200ms \\
      --stimulus 'presses 5 of PC13 low from 10ms gap 20ms..30ms seed 1'
  cyclescope tasks app.elf --chip stm32f446ze --for 50ms --perfetto a.pftrace
  cyclescope tasks app.elf --chip stm32f446ze --for 50ms --perfetto a.pftrace \\
      --span 'answer=pin:PC13:fall..pin:PA1:rise'
  cyclescope tasks app.elf --chip rp2040 --until symbol:done --format json
  cyclescope tasks traces/trace.0.bin --perfetto a.pftrace

The firmware needs full debug information (Rust: `debug = 2` in the profile), and nothing else: no feature of its runtime, no \
instrumentation. A trace of dial9, or a folder of its files, shows the tasks of tokio on the host instead. docs/tasks.md says what each column means and what is not seen.")]
pub struct TasksArguments {
    /// The firmware, its chip and its run.
    #[command(flatten)]
    pub guest: GuestArguments,
    /// The clock and the layout.
    #[command(flatten)]
    pub variant: VariantArguments,
    /// The word that points to the running thread, of a kernel that is not known here; FreeRTOS's pxCurrentTCB is
    #[arg(long, value_name = "SYMBOL")]
    pub task_pointer: Option<String>,
    /// Write the run as a timeline for ui.perfetto.dev: tasks with their wakes, exceptions, sleep, pins and transfers on wires
    #[arg(long, value_name = "FILE.pftrace")]
    pub perfetto: Option<PathBuf>,
    /// Of a trace: a poll that takes longer blocked its worker
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = duration)]
    pub blocking: Duration,
    /// A span for the timeline: NAME=EVENT..EVENT, as `measure` has it (may be repeated)
    #[arg(long, value_name = "SPAN", requires = "perfetto")]
    pub span: Vec<SpanText>,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<TasksFormat>,
    /// The destination of the guest's own output
    #[arg(long, value_enum, value_name = "WHERE", default_value = "stderr")]
    pub guest_output: GuestOutput,
    /// The files that the guest has.
    #[command(flatten)]
    pub files: FilesArguments,
    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitArguments,
}
