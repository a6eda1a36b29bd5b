//! Options of `exec`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use cyclescope_machine::Channel;

use crate::cli::shared::{FilesArguments, GuestArguments, LimitArguments, after_help};

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
    #[arg(long, value_name = "N", default_value_t = 10)]
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

/// The most cycles of a run that is not on a terminal.
pub const MAX_CYCLES: u64 = 10_000_000_000;

/// The other end of a serial port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortEnd {
    /// Standard input and output.
    Console,
    /// A file for the port's output.
    File(PathBuf),
}

/// A serial port, and its other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortText {
    /// The port.
    pub port: Channel,
    /// The other end.
    pub end: PortEnd,
}

impl PortText {
    /// Returns the file that the port's output goes to.
    pub fn file(&self) -> Option<&Path> {
        match &self.end {
            PortEnd::Console => None,
            PortEnd::File(path) => Some(path),
        }
    }
}

impl FromStr for PortText {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "write a port's name and its other end, as in usart2=- or uart0=FILE";
        let (name, end) = text.split_once('=').ok_or(FORM)?;
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is = |known: &str| known.eq_ignore_ascii_case(kind);
        let number = &name[kind.len()..];
        let port = match (is("usart") || is("uart"), is("usb")) {
            (true, _) => number.parse().ok().map(Channel::Uart),
            (_, true) if number.is_empty() => Some(Channel::Usb(0)),
            (_, true) => number.parse().ok().map(Channel::Usb),
            _ => None,
        };
        let port = port.ok_or(FORM)?;
        match end {
            "" => Err(FORM),
            "-" => Ok(Self { port, end: PortEnd::Console }),
            file => Ok(Self { port, end: PortEnd::File(file.into()) }),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_has_a_number_and_an_end() {
        assert_eq!("usart2=-".parse(), Ok(PortText { port: Channel::Uart(2), end: PortEnd::Console }));
        assert_eq!("UART0=a=b".parse(), Ok(PortText { port: Channel::Uart(0), end: PortEnd::File("a=b".into()) }));
        assert_eq!("usb=-".parse(), Ok(PortText { port: Channel::Usb(0), end: PortEnd::Console }));
        assert_eq!("usb1=x".parse(), Ok(PortText { port: Channel::Usb(1), end: PortEnd::File("x".into()) }));
        for wrong in ["usart2", "usart2=", "usart=-", "spi1=-", "2=-", "usart256=-", "=-", "é2=-"] {
            assert!(wrong.parse::<PortText>().is_err(), "{wrong}");
        }
    }
}
