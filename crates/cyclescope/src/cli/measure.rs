//! Options of `measure`.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use cyclescope_attached::DeviceText;
use cyclescope_guest::variant::{ClockText, LayoutText};
use cyclescope_scope::{Event, SpanText, Time};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use crate::backend::MemorySetting;
use crate::cli::arrivals::ArrivalArguments;
use crate::cli::shared::{
    Beside, FilesArguments, Format, GuestOutput, LimitArguments, MEMORY_NAMES, ResultArguments, VcdArguments,
    after_help, memory_parser, memory_settings,
};
use crate::cli::stimuli::Stimuli;

/// Arguments of `measure`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope measure app.elf --chip stm32f446ze --for 300s \\
      --span 'irq=pin:PG0:rise..pin:PG0:fall' \\
      --stimulus 'presses 1000 of PC13 low from 10ms gap 50ms..250ms seed 1'
  cyclescope measure app.elf --chip stm32c031c6 \\
      --span 'tick=exception:SysTick:entered..exception:SysTick:returned'
  cyclescope measure app.elf --chip stm32c031c6 --histogram \\
      --span 'echo=pin:PA3:fall..symbol:on_line' --until symbol:done \\
      --stimulus 'every 10ms from 5ms uart 2 \"hello\\n\"'
  cyclescope measure app.elf --chip stm32c031c6 --for 20ms --vcd app.vcd
  cyclescope measure --file button.toml --format json --out button.json
  cyclescope measure app.elf --chip stm32c031c6 --arrivals exhaustive \\
      --stimulus 'at 10ms..10.2ms pin PC13 low' \\
      --span 'answer=pin:PC13:edge..pin:PA1:fall'

Spans: NAME=EVENT..EVENT, with `first` or `last` before the first event if it may come again before the second.

Events:
  symbol:NAME, symbol:NAME:left, address:0x08000100
  pin:PA5:rise (fall, edge), exception:SysTick:entered (pended, returned)
  sleep, wake, time:1ms, trap
  i2c1:start, spi1:byte=0x9f, can1:frame, uart2:sent (received)

Stimuli:
  at TIME ACTION, at FROM..TO ACTION (with --arrivals)
  after EVENT [TIME] [N times] ACTION
  every TIME from TIME [N times] ACTION
  random N times from TIME gap MIN..MAX seed S ACTION
  presses N of PIN low|high from TIME gap MIN..MAX [bounce K within TIME] seed S

Actions:
  pin PC13 low|high|released|toggle, uart 2 \"text\\n\", usb \"text\"
  pin PA0 1.2V, pin PA0 ramp 0V 3.3V over 10ms
  pin PA0 sine 1.65V 0.5V period 20ms
  pin PA0 samples FILE.csv every 1ms [repeat]
  NAME QUANTITY VALUE of an attached device

Times: numbers with s, ms, us, ns, ps of simulated time (1.5ms), or with cy for cycles (1e6cy), after reset.

docs/measure.md explains all of it, docs/worst.md the arrivals."
))]
pub struct MeasureArguments {
    /// The measurement.
    #[command(flatten)]
    pub measurement: Measurement,
    /// A TOML file that holds the same as options: elf, chip, load, attach, memory, clock, layout, for, until, span, stimulus,
    /// task-pointer, guest-output. Options given beside it win; devices, spans and stimuli add up
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Show how each span's samples are spread; json always has it
    #[arg(long)]
    pub histogram: bool,
    /// The arrivals that are tried.
    #[command(flatten)]
    pub arrivals: ArrivalArguments,
    /// The words of the command line, as they were written.
    #[arg(skip)]
    pub line: Vec<String>,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<Format>,
    /// A trace of the run.
    #[command(flatten)]
    pub vcd: VcdArguments,
    /// The files that the guest has.
    #[command(flatten)]
    pub files: FilesArguments,
    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitArguments,
}

/// A measurement, as options and as the keys of a file.
#[derive(Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Measurement {
    /// The firmware; --file may name it
    #[arg(value_name = "ELF", required_unless_present = "file")]
    pub elf: Option<PathBuf>,
    /// The chip to run it on: a name of `cyclescope list chips`, or a TOML file that describes a chip [default: the one that
    /// the firmware or its project names]
    #[arg(long, value_name = "CHIP")]
    pub chip: Option<String>,
    /// Load this beside the firmware: a binary with its address, or Intel HEX, UF2 or ELF (may be repeated)
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    #[serde(deserialize_with = "each_parsed")]
    pub load: Vec<Beside>,
    /// Hang a device on the chip's pins: a name of `cyclescope list devices`, its options, and the peripheral or the pins,
    /// such as eeprom:24c32@i2c1 or eeprom:24c32,address=0x51@scl=PB6,sda=PB7 (may be repeated)
    #[arg(long, value_name = "DEVICE[:OPTIONS]@PLACE")]
    #[serde(deserialize_with = "each_parsed")]
    pub attach: Vec<DeviceText>,
    /// Flash settings to run with [default: shipped]
    #[arg(long, value_parser = memory_parser(), value_name = "SETTING")]
    #[serde(deserialize_with = "memory")]
    pub memory: Option<MemorySetting>,
    /// Run with another crystal where the board has one, else with another core clock, in hertz [default: the chip's own]
    #[arg(long, value_name = "HZ")]
    #[serde(deserialize_with = "parsed")]
    pub clock: Option<ClockText>,
    /// Run with code and constants in other places, for timing only: the layout of this number, as `luck` draws them [default: 0, the
    /// firmware's own]
    #[arg(long, value_name = "N[:SEED]")]
    #[serde(deserialize_with = "parsed")]
    pub layout: Option<LayoutText>,
    /// A span to measure: NAME=EVENT..EVENT (may be repeated)
    #[arg(long, value_name = "SPAN")]
    #[serde(deserialize_with = "each_parsed")]
    pub span: Vec<SpanText>,
    /// Something that the outside does, or @FILE with one a line (may be repeated)
    #[arg(long, value_name = "STIMULUS")]
    #[serde(deserialize_with = "each_parsed")]
    pub stimulus: Vec<Stimuli>,
    /// The length of the run, from reset [default: 1s]
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true)]
    #[serde(rename = "for", deserialize_with = "parsed")]
    pub window: Option<Time>,
    /// Stop when this event happens; it is an error if it never does
    #[arg(long, value_name = "EVENT")]
    #[serde(deserialize_with = "parsed")]
    pub until: Option<Event>,
    /// The symbol of the word that names the running task (FreeRTOS: pxCurrentTCB), for --vcd
    #[arg(long, value_name = "SYMBOL", requires = "vcd")]
    pub task_pointer: Option<String>,
    /// The destination of the guest's own output [default: stderr]
    #[arg(long, value_enum, value_name = "WHERE")]
    pub guest_output: Option<GuestOutput>,
}

/// Reads a memory setting.
fn memory<'d, D: Deserializer<'d>>(text: D) -> Result<Option<MemorySetting>, D::Error> {
    let name = String::deserialize(text)?;
    let found = MEMORY_NAMES.contains(&name.as_str()).then(|| memory_settings(&name));
    found.map(|settings| settings.first().copied()).ok_or_else(|| D::Error::unknown_variant(&name, &MEMORY_NAMES))
}

/// Reads text, or a number, as the option of the same name does.
fn parsed<'d, D: Deserializer<'d>, T: FromStr<Err: Display>>(text: D) -> Result<Option<T>, D::Error> {
    text.deserialize_any(TextOrNumber)?.parse().map(Some).map_err(D::Error::custom)
}

/// Takes text, and a number as the text of it.
struct TextOrNumber;

impl Visitor<'_> for TextOrNumber {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

/// Reads several texts as the option of the same name does.
fn each_parsed<'d, D: Deserializer<'d>, T: FromStr<Err: Display>>(texts: D) -> Result<Vec<T>, D::Error> {
    Vec::<String>::deserialize(texts)?.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
}
