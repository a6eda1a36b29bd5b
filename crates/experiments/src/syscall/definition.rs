//! The question's file, `experiments/syscall.toml`.

use cyclescope_scope::{Event, Time};
use serde::Deserialize;

use super::parts::PartText;
use super::recorder::Call;

/// The file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    pub name: String,
    pub question: String,
    pub limits: Limits,
    pub calls: Calls,
    pub part: Vec<PartText>,
    pub mode: Vec<ModeText>,
    pub build: Vec<BuildText>,
    contender: Vec<ContenderText>,
}

/// The time limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub cycles: u64,
    after: String,
}

/// The number of times that each call is made.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    pub warmup: usize,
    pub counted: usize,
}

/// A mode, which is an image.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeText {
    pub name: String,
    pub title: String,
}

/// A build that is more than an optimisation level.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildText {
    /// Its name in options and records.
    pub opt: String,
    /// The call, in words.
    pub what: String,
}

/// A contender in some of its modes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContenderText {
    name: String,
    modes: Vec<String>,
    /// The program's output before its result line.
    #[serde(default)]
    pub before: Vec<String>,
    /// The expected figures of the result line.
    pub sum: u64,
    /// The events, in words.
    pub what: String,
    pub call: Vec<CallText>,
}

/// A call, as events.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallText {
    pub name: String,
    after: Option<String>,
    from: String,
    vector: Option<String>,
    to: String,
    back: String,
}

/// The bundled file is read by a test before it is shipped.
const BUNDLED: &str = "the bundled file is right";

impl Definition {
    /// The bundled question.
    pub fn bundled() -> Self {
        toml::from_str(include_str!("../../experiments/syscall.toml")).expect(BUNDLED)
    }

    /// `contender` in `mode`.
    pub fn contender(&self, contender: &str, mode: &str) -> Option<&ContenderText> {
        self.contender.iter().find(|one| one.name == contender && one.modes.iter().any(|name| name == mode))
    }
}

impl Limits {
    /// Returns the time that a program must be silent after its last line.
    pub fn after(&self) -> Time {
        self.after.parse().expect(BUNDLED)
    }
}

impl CallText {
    /// The call's events.
    pub fn call(&self) -> Call {
        let event = |text: &String| text.parse::<Event>().expect(BUNDLED);
        Call {
            name: self.name.clone(),
            after: self.after.as_ref().map(event),
            from: event(&self.from),
            vector: self.vector.as_ref().map(event),
            to: event(&self.to),
            back: Some(event(&self.back)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_question_is_consistent() {
        let definition = Definition::bundled();
        assert!(definition.limits.after.parse::<Time>().is_ok());
        for contender in &definition.contender {
            for mode in &contender.modes {
                assert!(definition.mode.iter().any(|known| known.name == *mode), "{mode}");
                let found = definition.contender(&contender.name, mode).map(|found| &found.what);
                assert_eq!(found, Some(&contender.what), "{mode} stands in two places");
            }
            for call in &contender.call {
                assert_eq!(call.call().name, call.name);
            }
        }
        assert_eq!(definition.contender("kernel", "queue").map(|_| ()), None);
    }
}
