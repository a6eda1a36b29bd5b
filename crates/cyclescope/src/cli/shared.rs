//! Options that several commands have, each defined once.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use cyclescope_attached::DeviceText;
use cyclescope_chips::Tier;
use cyclescope_guest::Variant;
use cyclescope_guest::options::MEMORIES;
use cyclescope_guest::variant::{ClockText, LayoutText};
use cyclescope_scope::{DumpTime, Event, Rule, Time};
use serde::Deserialize;

use crate::backend::{Guest, MemorySetting};
use crate::cli::stimuli::Stimuli;
use crate::error::CliError;
use crate::exit::Exit;

/// Returns the help on a memory setting.
fn memory_help(setting: MemorySetting) -> &'static str {
    match setting {
        MemorySetting::Equal => "The flash as the vendor recommends for this clock, whatever the firmware wrote",
        MemorySetting::Shipped => "What the firmware wrote",
        MemorySetting::Ideal => "No wait states: shows what is luck of placement",
    }
}

/// The names of the memory settings.
pub const MEMORY_NAMES: [&str; 3] = [MEMORIES[0].name(), MEMORIES[1].name(), MEMORIES[2].name()];

/// The word that stands for all memory settings.
const ALL: &str = "all";

/// Returns the memory settings that `name` stands for: one, all three for `all`, or none for any other name.
pub fn memory_settings(name: &str) -> Vec<MemorySetting> {
    MEMORIES.into_iter().filter(|setting| name == ALL || setting.name() == name).collect()
}

fn memory_values() -> impl Iterator<Item = PossibleValue> {
    MEMORIES.into_iter().map(|setting| PossibleValue::new(setting.name()).help(memory_help(setting)))
}

/// Parses one memory setting.
pub fn memory_parser() -> impl TypedValueParser<Value = MemorySetting> {
    PossibleValuesParser::new(memory_values().collect::<Vec<_>>())
        .try_map(|name| memory_settings(&name).first().copied().ok_or("it is no memory setting"))
}

/// Parses one memory setting, or `all`.
pub fn memories_parser() -> impl TypedValueParser<Value = Vec<MemorySetting>> {
    let all = PossibleValue::new(ALL).help("All three");
    PossibleValuesParser::new(memory_values().chain([all]).collect::<Vec<_>>()).map(|name| memory_settings(&name))
}

/// The chip of a guest, its flash settings, the files beside its image and the devices on its pins.
#[derive(Debug, Args)]
pub struct ChipArguments {
    /// The chip to run it on: a name of `cyclescope list chips`, or a TOML file that describes a chip [default: the one that
    /// the firmware or its project names]
    #[arg(long, value_name = "CHIP")]
    pub chip: Option<String>,
    /// Load this beside the firmware: a binary with its address, or Intel HEX, UF2 or ELF (may be repeated)
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    pub load: Vec<Beside>,
    /// Hang a device on the chip's pins: a name of `cyclescope list devices`, its options, and the peripheral or the pins,
    /// such as eeprom:24c32@i2c1 or eeprom:24c32,address=0x51@scl=PB6,sda=PB7 (may be repeated)
    #[arg(long, value_name = "DEVICE[:OPTIONS]@PLACE")]
    pub attach: Vec<DeviceText>,
    /// Flash settings to run with
    #[arg(long, value_parser = memory_parser(), value_name = "SETTING", default_value = "shipped")]
    pub memory: MemorySetting,
}

/// A firmware, its chip, its outside and the end of its run.
#[derive(Debug, Args)]
pub struct GuestArguments {
    /// The firmware
    #[arg(value_name = "ELF")]
    pub elf: PathBuf,
    /// The chip and its flash settings.
    #[command(flatten)]
    pub chip: ChipArguments,
    /// The stimuli and the length of the run.
    #[command(flatten)]
    pub outside: OutsideArguments,
    /// The event that ends the run.
    #[command(flatten)]
    pub until: UntilArguments,
}

/// Another clock of the chip, and other places for the firmware's code.
#[derive(Clone, Copy, Debug, Args)]
pub struct VariantArguments {
    /// Run with another crystal where the board has one, else with another core clock, in hertz [default: the chip's own]
    #[arg(long, value_name = "HZ")]
    pub clock: Option<ClockText>,
    /// Run with code and constants in other places, for timing only: the layout of this number, as `luck` draws them [default: 0, the
    /// firmware's own]
    #[arg(long, value_name = "N[:SEED]")]
    pub layout: Option<LayoutText>,
}

impl VariantArguments {
    /// Returns the variant that they ask for.
    pub fn variant(self) -> Variant {
        Variant { clock: self.clock, layout: self.layout.unwrap_or_default() }
    }
}

/// A file that is loaded beside a firmware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The file.
    pub path: PathBuf,
    /// The address of a binary's first byte; `None` for files that have addresses of their own.
    pub address: Option<u32>,
}

impl FromStr for Beside {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let whole = || Self { path: PathBuf::from(text), address: None };
        let Some((path, address)) = text.rsplit_once('@').filter(|(path, _)| !path.is_empty()) else {
            return Ok(whole());
        };
        if !address.starts_with(|first: char| first.is_ascii_digit()) {
            return Ok(whole());
        }
        let number = match address.strip_prefix("0x").or_else(|| address.strip_prefix("0X")) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => address.parse(),
        };
        match number {
            Ok(number) => Ok(Self { path: PathBuf::from(path), address: Some(number) }),
            Err(_) => Err(format!("`{address}` is not an address of 32 bits, such as 0x08020000")),
        }
    }
}

/// The files of the host that a guest has.
#[derive(Debug, Args)]
pub struct FilesArguments {
    /// Let the guest read, write and remove the files of this folder by semihosting; without this it has none
    #[arg(long, value_name = "DIR")]
    pub files: Option<PathBuf>,
}

/// The limits of a guest's run.
#[derive(Clone, Copy, Debug, Args)]
pub struct LimitArguments {
    /// Stop the guest when it has written more bytes than this [default: 67,108,864]
    #[arg(long, value_name = "BYTES", default_value_t = Guest::MAX_OUTPUT, hide_default_value = true)]
    pub max_output: usize,
    /// Let a fault run the guest's own handler; without this it ends the run, as under a probe that catches faults
    #[arg(long)]
    pub guest_handles_faults: bool,
    /// The model gaps to tell of: what the program uses and the model lacks
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = GapsShown::Met)]
    pub gaps: GapsShown,
}

pub use cyclescope_guest::gaps::GapsShown;

/// Returns the end of a long help: `examples` and the exit codes.
pub(super) fn after_help(examples: &str) -> String {
    format!("Examples:\n  {examples}\n\n{}", Exit::help())
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

/// The way in which simulated code that often runs is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TierChoice {
    /// Compiled for this machine
    #[default]
    Compiled,
    /// Interpreted, as all other code
    Interpreter,
    /// Compiled once it has run, for comparing
    #[value(hide = true)]
    CompiledAtOnce,
}

impl TierChoice {
    /// The choice, as parts have it.
    pub fn tier(self) -> Tier {
        match self {
            Self::Compiled => Tier::Compiled,
            Self::Interpreter => Tier::Interpreter,
            Self::CompiledAtOnce => Tier::CompiledAtOnce,
        }
    }
}

/// The format of results.
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

/// The format of lists, and of sizes without records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Tables for people
    Table,
    /// Tables for a document
    Markdown,
}

impl From<ListFormat> for Format {
    fn from(format: ListFormat) -> Self {
        match format {
            ListFormat::Table => Self::Table,
            ListFormat::Markdown => Self::Markdown,
        }
    }
}

/// The destination of a guest's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuestOutput {
    /// To standard output; the results then need --out
    Stdout,
    /// To standard error
    Stderr,
    /// Nowhere
    None,
}

/// A file for the trace of a run.
#[derive(Debug, Args)]
pub struct VcdArguments {
    /// Write pins, exceptions, sleep and the running task of the run to this file for GTKWave or PulseView
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// The unit of time in that file
    #[arg(long, value_parser = vcd_time(), value_name = "UNIT", default_value = "ns", requires = "vcd")]
    pub vcd_time: DumpTime,
}

/// Parses the unit of time of a VCD file.
fn vcd_time() -> impl TypedValueParser<Value = DumpTime> {
    let nanoseconds = PossibleValue::new("ns").help("Real time, rounded down to nanoseconds");
    let picoseconds = PossibleValue::new("ps").help("Real time, rounded down to picoseconds; too fine for PulseView");
    let cycles = PossibleValue::new("cycles").help("A cycle, exactly; viewers show cycles as nanoseconds");
    PossibleValuesParser::new([nanoseconds, picoseconds, cycles]).map(|name| match name.as_str() {
        "ns" => DumpTime::Nanoseconds,
        "ps" => DumpTime::Picoseconds,
        _ => DumpTime::Cycles,
    })
}

/// The outside of a guest, and the length of its run.
#[derive(Debug, Args)]
pub struct OutsideArguments {
    /// A stimulus, written as for `measure`, or @FILE with one a line (may be repeated)
    #[arg(long, value_name = "STIMULUS")]
    pub stimulus: Vec<Stimuli>,
    /// The length of the run, from reset [default: 1s; `exec`: as long as it takes]
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true)]
    pub window: Option<Time>,
}

impl OutsideArguments {
    /// Returns the stimuli in order.
    pub fn rules(&self) -> Vec<Rule> {
        Stimuli::rules(&self.stimulus)
    }
}

/// The event that ends a run.
#[derive(Debug, Args)]
pub struct UntilArguments {
    /// Stop when this event happens; it is an error if it never does
    #[arg(long, value_name = "EVENT")]
    pub until: Option<Event>,
}

/// The form and the place of a command's results.
#[derive(Debug, Args)]
pub struct ResultArguments<F: ValueEnum + Send + Sync + 'static> {
    /// The format of the results [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<F>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl<F: ValueEnum + Send + Sync + 'static> ResultArguments<F> {
    /// Returns the format: the one asked for, or the one of the file's extension, or tables.
    ///
    /// # Errors
    /// [`CliError::Usage`] for an extension that suggests a format which the command does not write.
    pub fn format(&self) -> Result<F, CliError> {
        choose(self.format.clone(), self.out.as_deref())
    }
}

/// The extensions of formats that some readers of a file expect and not all commands write.
const FOREIGN: [&str; 12] =
    ["csv", "html", "json", "parquet", "svg", "toml", "tsv", "vcd", "xls", "xlsx", "xml", "yaml"];

/// Returns the format `asked` for, or the one of the extension of `out`, or the first format, which is tables.
fn choose<F: ValueEnum>(asked: Option<F>, out: Option<&Path>) -> Result<F, CliError> {
    let extension = extension(out);
    let named = extension.and_then(|name| F::from_str(if name == "md" { "markdown" } else { name }, true).ok());
    let foreign = extension.is_some_and(|name| FOREIGN.iter().any(|foreign| foreign.eq_ignore_ascii_case(name)));
    match asked.or(named) {
        Some(format) => Ok(format),
        None if foreign => Err(CliError::Usage(
            "this command does not write the format of --out's extension: use the extension of one that it writes, \
             such as .json or .md, or name one with --format",
        )),
        None => Ok(F::value_variants()[0].clone()),
    }
}

/// Returns the extension of `path`.
pub fn extension(path: Option<&Path>) -> Option<&str> {
    path?.extension()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::shared::Format;

    #[test]
    fn the_format_follows_the_file_unless_asked_for() {
        let choose = |asked, out: Option<&str>| choose(asked, out.map(Path::new)).ok();
        assert_eq!(choose(None, None), Some(Format::Table));
        assert_eq!(choose(None, Some("x/y.json")), Some(Format::Json));
        assert_eq!(choose(None, Some("y.md")), Some(Format::Markdown));
        assert_eq!(choose(None, Some("y.txt")), Some(Format::Table));
        assert_eq!(choose(Some(Format::Csv), Some("y.json")), Some(Format::Csv));
        assert_eq!(choose(None, Some("y.xml")), None);
        assert_eq!(choose(Some(Format::Table), Some("y.xml")), Some(Format::Table));
    }

    #[test]
    fn a_name_is_a_setting_and_all_is_all() {
        assert_eq!(memory_settings("ideal"), [MemorySetting::Ideal]);
        assert_eq!(memory_settings("all").len(), 3);
        assert!(memory_settings("slow").is_empty());
    }
}
