//! What can be asked of `measure`.

use std::path::PathBuf;

use clap::Args;
use cyclescope_scope::{Event, Rule, SpanText, Time};

use crate::backend::MemorySetting;
use crate::cli::{Format, GuestOutput, VcdTime, after_help};

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
