//! A plan as a user writes it.

use std::path::{Path, PathBuf};

use cyclescope_machine::figures::integer;
use cyclescope_text::nearest::clause;
use serde::{Deserialize, Serialize};

use crate::question::Question;
use crate::{Numbers, SweepError};

/// The most bytes of a plan.
pub const MOST_PLAN: u64 = 1 << 20;

/// A measurement, and all that varies in it. Texts are those of the options of `cyclescope measure`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The images.
    pub image: Vec<PlanImage>,
    /// The chips of images that name none of their own.
    #[serde(default)]
    pub chip: Vec<String>,
    /// The memory settings.
    #[serde(default = "shipped")]
    pub memory: Vec<String>,
    /// The clocks in hertz: of the crystal where a board has one, else of the core. Without any, the chip's own.
    #[serde(default)]
    pub clock: Numbers,
    /// The number of layouts beside the image's own.
    #[serde(default)]
    pub layouts: u64,
    /// The seed that layouts are drawn from.
    #[serde(default = "first_seed")]
    pub layout_seed: u64,
    /// The cycles after reset at which the stimulus with a window comes.
    #[serde(default)]
    pub arrivals: Numbers,
    /// The seeds of all stimuli that are drawn by one.
    #[serde(default)]
    pub seeds: Numbers,
    /// The spans to measure.
    #[serde(default)]
    pub span: Vec<String>,
    /// The stimuli. The files of their voltages begin at the plan's folder.
    #[serde(default)]
    pub stimulus: Vec<String>,
    /// The devices on the pins of each chip. Their files begin at the plan's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<String>,
    /// The length of each run, from reset.
    #[serde(default = "second", rename = "for")]
    pub window: String,
    /// The event that ends each run before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// A fault runs the guest's own handler.
    #[serde(default)]
    pub guest_handles_faults: bool,
    /// The cycles that a chunk has at least, if there are as many.
    #[serde(default = "chunk_cycles")]
    pub chunk_cycles: u64,
    /// The folder at which the files begin that texts name, which stay as they are written.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

/// An image of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanImage {
    /// The path of its ELF.
    pub elf: String,
    /// The chips that it runs on; without any, those of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chip: Vec<String>,
    /// The path of the linker's map, if symbols are not to tell what layouts move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
}

/// The keys of a plan.
const KEYS: [&str; 15] = [
    "image",
    "chip",
    "memory",
    "clock",
    "layouts",
    "layout-seed",
    "arrivals",
    "seeds",
    "span",
    "stimulus",
    "attach",
    "for",
    "until",
    "guest-handles-faults",
    "chunk-cycles",
];

/// The keys of an image.
const IMAGE_KEYS: [&str; 3] = ["elf", "chip", "map"];

fn shipped() -> Vec<String> {
    vec!["shipped".to_owned()]
}

const fn first_seed() -> u64 {
    1
}

fn second() -> String {
    "1s".to_owned()
}

const fn chunk_cycles() -> u64 {
    200_000_000
}

impl Plan {
    /// Reads the plan in the file at `path`. Paths in it begin at its folder.
    ///
    /// # Errors
    /// [`SweepError::Read`], those of [`Plan::from_toml`] with the path, and those of values with path and line.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        use std::io::Read as _;
        let unreadable = |error| SweepError::Read { path: path.to_owned(), error };
        let mut text = String::new();
        // A device may have no end.
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(MOST_PLAN + 1).read_to_string(&mut text).map_err(unreadable)?;
        let plan = Self::from_toml(&text).and_then(|plan| plan.below(path.parent().unwrap_or(Path::new(""))));
        let plan = plan.and_then(|plan| match Question::of(&plan) {
            Ok(_) => Ok(plan),
            Err(error) => Err(error.in_text(&text)),
        });
        plan.map_err(|error| SweepError::In { path: path.to_owned(), error: Box::new(error) })
    }

    /// Reads the plan in `text`.
    ///
    /// # Errors
    /// [`SweepError::Toml`] with the line, [`SweepError::TooLong`].
    pub fn from_toml(text: &str) -> Result<Self, SweepError> {
        if text.len() as u64 > MOST_PLAN {
            return Err(SweepError::TooLong { most: MOST_PLAN });
        }
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = 1 + before.matches('\n').count();
            SweepError::Toml { line, message: said(error.message()) }
        })
    }

    /// Reads the plan in `text`, which is JSON with the same keys.
    ///
    /// # Errors
    /// [`SweepError::Json`], [`SweepError::TooLong`].
    pub fn from_json(text: &str) -> Result<Self, SweepError> {
        if text.len() as u64 > MOST_PLAN {
            return Err(SweepError::TooLong { most: MOST_PLAN });
        }
        serde_json::from_str(text).map_err(|error| SweepError::Json { message: said(&error.to_string()) })
    }

    /// Returns the plan as JSON, the same text for the same plan.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Has the paths of the plan begin at `folder`.
    ///
    /// # Errors
    /// [`SweepError::Path`] for one that is no Unicode then.
    pub fn below(mut self, folder: &Path) -> Result<Self, SweepError> {
        let below = |path: &mut String| -> Result<(), SweepError> {
            let whole = folder.join(&*path);
            *path = whole.to_str().ok_or_else(|| SweepError::Path(whole.clone()))?.to_owned();
            Ok(())
        };
        for image in &mut self.image {
            below(&mut image.elf)?;
            image.map.as_mut().map(below).transpose()?;
        }
        let chips = self.image.iter_mut().flat_map(|image| &mut image.chip).chain(&mut self.chip);
        chips.filter(|chip| cyclescope_chips::Part::is_file(chip)).try_for_each(below)?;
        self.folder = folder.join(self.folder);
        Ok(self)
    }

    /// Returns the chips of `image`.
    pub fn chips<'p>(&'p self, image: &'p PlanImage) -> &'p [String] {
        if image.chip.is_empty() { &self.chip } else { &image.chip }
    }
}

/// Returns the defect that a parser tells, on one line; of an unknown key, the key that was probably meant.
fn said(message: &str) -> String {
    let message = message.trim_end().replace('\n', "; ");
    let Some(rest) = message.strip_prefix("unknown field `") else { return message };
    let Some((key, rest)) = rest.split_once('`') else { return message };
    let (known, place) = match rest {
        rest if rest.contains("`elf`") => (&IMAGE_KEYS[..], " of an image"),
        rest if rest.contains("`count`") => (&["from", "count", "step"][..], " of numbers"),
        _ => (&KEYS[..], ""),
    };
    let nearest = clause(key, known.iter().copied());
    let all = if nearest.is_empty() { format!("; there are {}", known.join(", ")) } else { nearest };
    format!("there is no key `{key}`{place}{all}")
}

/// Returns `count` of the things that `what` names, or the error for more than `most` of them.
///
/// # Errors
/// [`SweepError::TooMany`].
pub(crate) fn at_most(what: &'static str, count: Option<u64>, most: u64) -> Result<u64, SweepError> {
    let count = count.filter(|count| *count <= most);
    count.ok_or_else(|| SweepError::TooMany { what, most: integer(most.into()) })
}
