//! A request, as JSON has it.

use std::str::FromStr;

use cyclescope_attached::DeviceText;
use cyclescope_chips::MemorySetting;
use cyclescope_guest::options::{
    MEMORIES, PortEnd, PortText, PortsError, SpanTwice, WINDOW, check_spans, memory, ports,
};
use cyclescope_guest::stimuli::StimuliError;
use cyclescope_guest::{Exit, Scenario, Variant};
use cyclescope_machine::Channel;
use cyclescope_scope::{Event, Rule, SpanText, Time};
use serde::Deserialize;
use thiserror::Error;

use crate::beside::{self, Beside};

/// The command that is to be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// `exec --outcome`.
    Exec,
    /// `measure --format json`.
    Measure,
    /// `profile --format json`.
    Profile,
    /// `tasks --format json`.
    Tasks,
    /// `size --format json`.
    Size,
}

/// A run of a file, in the words of the command's options.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The command.
    pub command: Command,
    /// The file's name.
    pub name: String,
    /// The chip's name, or that of a file beside the firmware which describes it. All commands but `size` need it.
    #[serde(default)]
    pub chip: String,
    /// `--clock`.
    #[serde(default)]
    pub clock: Option<String>,
    /// `--layout`.
    #[serde(default)]
    pub layout: Option<String>,
    /// `--memory`.
    #[serde(default)]
    pub memory: Option<String>,
    /// `--for`.
    #[serde(default, rename = "for")]
    pub window: Option<String>,
    /// `--until`.
    #[serde(default)]
    pub until: Option<String>,
    /// Each `--stimulus`. Files that they name lie beside the firmware.
    #[serde(default)]
    pub stimulus: Vec<String>,
    /// Each `--span`.
    #[serde(default)]
    pub span: Vec<String>,
    /// Each `--attach`. Files that it names lie beside the firmware.
    #[serde(default)]
    pub attach: Vec<String>,
    /// Standard input of `exec`; it has ended behind that.
    #[serde(default)]
    pub input: String,
    /// Each `--port` of `exec`.
    #[serde(default)]
    pub port: Vec<String>,
    /// `--guest-handles-faults`.
    #[serde(default)]
    pub guest_handles_faults: bool,
    /// The answer has a timeline.
    #[serde(default)]
    pub timeline: bool,
}

/// A request that is none.
#[derive(Debug, Error)]
pub enum RequestError {
    /// It is no JSON of this form.
    #[error("the request is not understood: {0}")]
    Json(#[from] serde_json::Error),
    /// An option's text is wrong.
    #[error("invalid value '{text}' for '{option}': {error}")]
    Option {
        /// The option of the command.
        option: &'static str,
        /// Its text.
        text: String,
        /// The reason.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Two spans have one name.
    #[error(transparent)]
    SpanTwice(#[from] SpanTwice),
    /// Serial ports do not go together.
    #[error(transparent)]
    Ports(#[from] PortsError),
    /// The output of a port is to go to a file.
    #[error("a page writes no file for the output of a serial port; write {0}=-")]
    PortFile(String),
}

impl RequestError {
    /// Returns the exit of the process for this error.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Option { error, .. } => error.downcast_ref().map_or(Exit::Usage, StimuliError::exit),
            _ => Exit::Usage,
        }
    }
}

/// The options of a request, parsed.
pub(crate) struct Options {
    pub(crate) memory: MemorySetting,
    pub(crate) variant: Variant,
    pub(crate) window: Option<Time>,
    pub(crate) until: Option<Event>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) spans: Vec<SpanText>,
    pub(crate) devices: Vec<DeviceText>,
    pub(crate) named_ports: Vec<PortText>,
    pub(crate) ports: Vec<Channel>,
}

/// Returns an error of `option`, which has the value `text`.
fn wrong(option: &'static str, text: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> RequestError {
    RequestError::Option { option, text: text.to_owned(), error: error.into() }
}

fn stimuli(texts: &[String], beside: &Beside) -> Result<Vec<Rule>, RequestError> {
    let each = texts
        .iter()
        .map(|text| beside::rules(text, beside).map_err(|error| wrong("--stimulus <STIMULUS>", text, error)));
    Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
}

fn parsed<T>(option: &'static str, text: &str) -> Result<T, RequestError>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    text.parse().map_err(|error: T::Err| wrong(option, text, error))
}

fn each<T>(option: &'static str, texts: &[String]) -> Result<Vec<T>, RequestError>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    texts.iter().map(|text| parsed(option, text)).collect()
}

fn one<T>(option: &'static str, text: &Option<String>) -> Result<Option<T>, RequestError>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    text.as_deref().map(|text| parsed(option, text)).transpose()
}

/// Returns the memory setting called `name`.
fn setting(name: &str) -> Result<MemorySetting, RequestError> {
    let error = || {
        let names = MEMORIES.map(MemorySetting::name).join(", ");
        wrong("--memory <SETTING>", name, format!("possible values: {names}"))
    };
    memory(name).ok_or_else(error)
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// [`RequestError::Json`].
    pub fn read(text: &str) -> Result<Self, RequestError> {
        Ok(serde_json::from_str(text)?)
    }

    /// Returns the options.
    ///
    /// # Errors
    /// [`RequestError`] with the first that is wrong.
    pub(crate) fn options(&self, beside: &Beside) -> Result<Options, RequestError> {
        let spans: Vec<SpanText> = each("--span <SPAN>", &self.span)?;
        let named_ports: Vec<PortText> = each("--port <PORT=-|FILE>", &self.port)?;
        let options = Options {
            memory: self.memory.as_deref().map_or(Ok(MemorySetting::Shipped), setting)?,
            variant: Variant {
                clock: one("--clock <HZ>", &self.clock)?,
                layout: one("--layout <N[:SEED]>", &self.layout)?.unwrap_or_default(),
            },
            window: one("--for <TIME>", &self.window)?,
            until: one("--until <EVENT>", &self.until)?,
            rules: stimuli(&self.stimulus, beside)?,
            devices: each("--attach <DEVICE[:OPTIONS]@PLACE>", &self.attach)?,
            ports: ports(&named_ports)?,
            spans,
            named_ports,
        };
        check_spans(&options.spans)?;
        match options.named_ports.iter().position(|port| port.end != PortEnd::Console) {
            Some(place) => {
                let name = self.port[place].split('=').next().unwrap_or_default();
                Err(RequestError::PortFile(name.to_owned()))
            }
            None => Ok(options),
        }
    }
}

impl Options {
    /// The stimuli and the length of the run.
    pub(crate) fn scenario(&self) -> Scenario<'_> {
        let window = self.window.unwrap_or(WINDOW);
        Scenario { rules: &self.rules, window, until: self.until.as_ref(), whole: false }
    }
}
