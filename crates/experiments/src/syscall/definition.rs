//! The question's file, `experiments/syscall.toml`.

use serde::Deserialize;

use crate::Mode;
use crate::definition::{ProgramLimits, bundled};

use super::parts::PartText;
use super::recorder::Call;

/// The experiment, as its file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Syscall {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) limits: ProgramLimits,
    pub(crate) calls: Calls,
    pub(crate) part: Vec<PartText>,
    pub(crate) mode: Vec<Mode>,
    pub(crate) build: Vec<BuildText>,
    contender: Vec<ContenderText>,
}

/// The number of times that each call is made.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    pub warmup: usize,
    pub counted: usize,
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
    pub call: Vec<Call>,
}

impl Syscall {
    /// The bundled question.
    pub fn bundled() -> Self {
        bundled(include_str!("../../experiments/syscall.toml"))
    }

    /// `contender` in `mode`.
    pub fn contender(&self, contender: &str, mode: &str) -> Option<&ContenderText> {
        self.contender.iter().find(|one| one.name == contender && one.modes.iter().any(|name| name == mode))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_question_is_consistent() {
        let definition = Syscall::bundled();
        for contender in &definition.contender {
            for mode in &contender.modes {
                assert!(definition.mode.iter().any(|known| known.name == *mode), "{mode}");
                let found = definition.contender(&contender.name, mode).map(|found| &found.what);
                assert_eq!(found, Some(&contender.what), "{mode} stands in two places");
            }
        }
        assert_eq!(definition.contender("kernel", "queue").map(|_| ()), None);
    }
}
