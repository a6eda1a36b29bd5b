//! A request, as JSON has it.

use std::str::FromStr;

use cyclescope_chips::MemorySetting;
use cyclescope_guest::{Guest, Scenario};
use cyclescope_image::Image;
use cyclescope_scope::{Event, Rule, SpanText, Time};
use serde::Deserialize;
use thiserror::Error;

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
    /// The chip's name, which all commands but `size` need.
    #[serde(default)]
    pub chip: String,
    /// `--memory`.
    #[serde(default)]
    pub memory: Option<String>,
    /// `--for`.
    #[serde(default, rename = "for")]
    pub window: Option<String>,
    /// `--until`.
    #[serde(default)]
    pub until: Option<String>,
    /// Each `--stimulus`.
    #[serde(default)]
    pub stimulus: Vec<String>,
    /// Each `--span`.
    #[serde(default)]
    pub span: Vec<String>,
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
    #[error("two spans are called `{0}`; name each: NAME=EVENT..EVENT")]
    SpanTwice(String),
    /// The part is to be described in a file.
    #[error("a chip that a file describes cannot be run in a browser; choose one of the list")]
    ChipFile,
}

/// The options of a request, parsed.
pub(crate) struct Options {
    pub(crate) memory: MemorySetting,
    pub(crate) window: Option<Time>,
    pub(crate) until: Option<Event>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) spans: Vec<SpanText>,
}

/// The length of a run without `--for`.
const WINDOW: Time = Time::nanoseconds(1_000_000_000);

fn parsed<T>(option: &'static str, text: &str) -> Result<T, RequestError>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    text.parse().map_err(|error: T::Err| RequestError::Option { option, text: text.to_owned(), error: Box::new(error) })
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
    pub(crate) fn options(&self) -> Result<Options, RequestError> {
        if self.chip.contains(['/', '\\', '.']) {
            return Err(RequestError::ChipFile);
        }
        let all = [MemorySetting::Equal, MemorySetting::Shipped, MemorySetting::Ideal];
        let memory = match &self.memory {
            None => MemorySetting::Shipped,
            Some(name) => {
                let found = all.into_iter().find(|setting| setting.name() == name);
                let names = all.map(MemorySetting::name).join(", ");
                let error = || RequestError::Option {
                    option: "--memory <SETTING>",
                    text: name.clone(),
                    error: format!("possible values: {names}").into(),
                };
                found.ok_or_else(error)?
            }
        };
        let spans = self.span.iter().map(|text| parsed("--span <[NAME=]FROM..TO>", text));
        let spans = spans.collect::<Result<Vec<SpanText>, _>>()?;
        if let Some(twice) = (1..spans.len()).find(|at| spans[..*at].iter().any(|span| span.name == spans[*at].name)) {
            return Err(RequestError::SpanTwice(spans[twice].name.clone()));
        }
        Ok(Options {
            memory,
            window: self.window.as_deref().map(|text| parsed("--for <TIME>", text)).transpose()?,
            until: self.until.as_deref().map(|text| parsed("--until <EVENT>", text)).transpose()?,
            rules: self.stimulus.iter().map(|text| parsed("--stimulus <STIMULUS>", text)).collect::<Result<_, _>>()?,
            spans,
        })
    }
}

impl Options {
    /// The guest of `request`.
    pub(crate) fn guest<'a>(&self, request: &'a Request, image: &'a Image) -> Guest<'a> {
        Guest {
            guest_handles_faults: request.guest_handles_faults,
            ..Guest::new(image, &request.name, &request.chip, self.memory)
        }
    }

    /// The stimuli and the length of the run.
    pub(crate) fn scenario(&self) -> Scenario<'_> {
        let window = self.window.unwrap_or(WINDOW);
        Scenario { rules: &self.rules, window, until: self.until.as_ref(), whole: false }
    }
}
