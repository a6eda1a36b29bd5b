//! The question's file, `experiments/primes.toml`.

use serde::Deserialize;

use crate::definition::{ProgramLimits, SpanText, bundled};

/// The experiment, as its file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Primes {
    pub name: String,
    pub question: String,
    pub workload: Workload,
    pub span: SpanText,
    pub limits: ProgramLimits,
    pub mode: Vec<ModeText>,
    pub contender: Vec<ContenderText>,
}

/// The expected result of the work.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    pub primes: Vec<u64>,
    pub trials: u64,
    pub loops: u64,
    pub divisions: u64,
}

/// A mode and how often the first task hands over in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeText {
    pub name: String,
    pub title: String,
    pub dispatches: u64,
}

/// The differences of one contender.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContenderText {
    pub name: String,
    pub dispatches: Option<u64>,
    pub running: Option<RunningText>,
}

/// Symbols by which the scope sees which task runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningText {
    pub pointer: String,
    pub task: String,
}

impl Primes {
    /// The bundled question.
    pub fn bundled() -> Self {
        bundled(include_str!("../../experiments/primes.toml"))
    }

    /// Returns the number of times that `contender`'s first task hands over in `mode`.
    pub fn dispatches(&self, contender: &str, mode: &str) -> u64 {
        let own = self.contender(contender).and_then(|contender| contender.dispatches);
        let usual = self.mode.iter().find(|known| known.name == mode).map_or(0, |known| known.dispatches);
        // What differs for a contender differs where it hands over at all.
        if usual == 0 { 0 } else { own.unwrap_or(usual) }
    }

    /// Returns the differences of `contender`.
    pub fn contender(&self, contender: &str) -> Option<&ContenderText> {
        self.contender.iter().find(|known| known.name == contender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_question_is_consistent() {
        let definition = Primes::bundled();
        let primes = &definition.workload.primes;
        assert_eq!(primes.len(), 10);
        // A turn for each division, and one more for each prime.
        assert_eq!(definition.workload.loops, definition.workload.divisions + primes.len() as u64);
        assert_eq!(definition.workload.trials, primes[9] - 0x0FFF_FFFF + 1);
        assert_eq!(definition.dispatches("c-loop", "plain"), 0);
        assert_eq!(definition.dispatches("c-loop", "one"), definition.workload.loops + definition.workload.trials);
        assert_eq!(definition.dispatches("embassy", "two"), definition.workload.loops);
    }
}
