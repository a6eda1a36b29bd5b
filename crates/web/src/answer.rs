//! The answer to a request.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cyclescope_attached::DeviceText;
use cyclescope_guest::tell::{Kept, Tell};
use cyclescope_guest::{Devices, Exit, Failure, Several};
use serde::Serialize;

use crate::timeline::Timeline;

/// The most pictures of a display.
const MOST_PICTURES: usize = 60;

/// The outcome of a request.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The exit code that the command has.
    pub exit: u8,
    /// The file that the command writes as JSON; `None` if it writes none.
    pub file: Option<String>,
    /// The lines that the command writes to standard error.
    pub messages: Vec<String>,
    /// The pins, exceptions and sleep, of a measurement that asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// The bytes of standard input that came, as stimuli, of an `exec` that was given some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub typed: Vec<String>,
    /// The attached devices at the end of the run, those that have something to show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Shown>,
}

/// An attached device at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// The pictures of a display, in the order of time; the last is that at the end of the run.
    pub pictures: Vec<Picture>,
    /// The pictures that are left out, before the last.
    pub left_out: usize,
    /// The file that its option `save` names, and the bytes for it as base64.
    pub saved: Option<(String, String)>,
}

/// A picture on a display.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// The time since reset at which it was there, in picoseconds.
    pub at: u64,
    /// The picture as base64 of a PNG file.
    pub png: String,
}

impl Answer {
    /// The answer with `file` for a run that ended with `exit`.
    pub(crate) fn new(exit: Exit, file: Option<String>, messages: Vec<String>) -> Self {
        Self { exit: exit.code(), file, messages, timeline: None, typed: Vec::new(), devices: Vec::new() }
    }

    /// The answer to a request that cannot be carried out because of `error`; `help` is advice.
    pub(crate) fn refused(error: &dyn std::fmt::Display, help: Option<&str>, exit: Exit) -> Self {
        let mut kept = Kept::default();
        kept.problem(&error.to_string(), help);
        Self::new(exit, None, kept.lines)
    }

    /// The answer to a run that could not be made. `messages` came before.
    pub(crate) fn failed(failure: Failure, messages: Vec<String>) -> Self {
        let mut kept = Kept { lines: messages };
        let exit = failure.exit;
        let mut tell = |failure: &Failure| kept.problem(&failure.to_string(), failure.help.as_deref());
        match failure.error.downcast_ref::<Several>() {
            Some(Several(all)) => all.iter().for_each(&mut tell),
            None => tell(&failure),
        }
        Self::new(exit, None, kept.lines)
    }

    /// The answer as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("its keys are text")
    }
}

/// Returns what `devices`, made from `texts`, have to show at the end of their run.
pub(crate) fn shown(devices: &Devices, texts: &[DeviceText]) -> Vec<Shown> {
    let show = |kept: cyclescope_guest::KeptDevice| {
        let save = texts.iter().find(|text| text.attachment.name == kept.name).and_then(|text| text.save.clone());
        let frames = kept.frames();
        let last = frames.as_ref().and_then(|frames| frames.last()).map(|frame| STANDARD.encode(frame.png()));
        let saved = match &frames {
            None => Some(STANDARD.encode(kept.device.memory())),
            Some(_) => last,
        };
        let frames = frames.unwrap_or_default();
        let left_out = frames.len().saturating_sub(MOST_PICTURES);
        let first = frames.len().min(MOST_PICTURES) - usize::from(left_out > 0);
        let chosen = frames.iter().take(first).chain(frames.last().filter(|_| left_out > 0));
        let pictures = chosen.map(|frame| Picture { at: frame.at.get(), png: STANDARD.encode(frame.png()) });
        let shown = Shown { pictures: pictures.collect(), left_out, saved: save.zip(saved), name: kept.name };
        (!shown.pictures.is_empty() || shown.saved.is_some()).then_some(shown)
    };
    devices.kept().into_iter().filter_map(show).collect()
}
