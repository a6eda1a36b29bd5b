//! Options of `exec`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use cyclescope_guest::options::{PortText, RESETS};

use crate::cli::shared::{FilesArguments, GuestArguments, LimitArguments, VariantArguments, after_help};

/// Arguments of `exec`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope exec target/thumbv6m-none-eabi/release/app --chip stm32c031c6
  cyclescope exec test.elf --chip cortex-m4 --max-cycles 48000000
  printf 'help\\n' | cyclescope exec sh.elf --chip stm32f446re --record keys.txt
  cyclescope exec sh.elf --chip stm32f446re --stimulus @keys.txt \\
      --until-output 'bye'
  cyclescope exec blink.elf --chip atmega328p --for 5s --port usart0=blink.txt

Standard input goes to the serial port that --port calls the console, else to the first whose receiver the guest \
switches on. From a file or pipe each byte comes when the receiver is empty. On a terminal keys go to the guest \
as they are pressed, time goes no faster than real time, and Ctrl-C ends the run; `< /dev/null` avoids all that."
))]
pub struct ExecArguments {
    /// The firmware, its chip and its run.
    #[command(flatten)]
    pub guest: GuestArguments,
    /// The clock and the layout.
    #[command(flatten)]
    pub variant: VariantArguments,
    /// Stop when the guest has written this text, as one channel shows it; it is an error if it never does
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub until_output: Option<String>,
    /// The other end of a serial port: `usart2=-` takes standard input, `usart3=FILE` writes its output to a file, and
    /// `usb` is the port that a `usb-host` opens (may be repeated)
    #[arg(long, value_name = "PORT=-|FILE")]
    pub port: Vec<PortText>,
    /// Write each byte of standard input with its cycle to this file, as stimuli for `--stimulus @FILE`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write how the run ended to this file: exit code, time, model gaps, and the report of a fault
    #[arg(long, value_name = "FILE.json")]
    pub outcome: Option<PathBuf>,
    /// Show what an attached display shows at the end of the run on standard error
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub picture: PictureWhen,
    /// Let the guest reset the part this many times, by itself or by a watchdog
    #[arg(long, value_name = "N", default_value_t = RESETS)]
    pub resets: u64,
    /// Stop the guest at this cycle, or where the instruction or interrupt entry then under way ends [default:
    /// 10,000,000,000, on a terminal none]
    #[arg(long, value_name = "N")]
    pub max_cycles: Option<u64>,
    /// The files that the guest has.
    #[command(flatten)]
    pub files: FilesArguments,
    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Wait for gdb on this port of 127.0.0.1 (0: any that is free) and run as it says
    #[arg(long, value_name = "PORT", conflicts_with_all = ["stimulus", "window", "until", "until_output", "port", "record"])]
    pub gdb: Option<u16>,
    /// The choice of tests of a suite.
    #[command(flatten)]
    pub suite: SuiteArguments,
}

/// The cases in which a display's picture is shown at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureWhen {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The choice of tests, for an ELF that is a suite of the crate embedded-test. `cargo test -- …` passes these options on.
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
