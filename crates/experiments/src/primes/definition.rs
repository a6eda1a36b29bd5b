//! The question's file, `experiments/primes.toml`.

use serde::Deserialize;

/// The file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    pub name: String,
    pub question: String,
    pub workload: Workload,
    pub span: SpanText,
    pub limits: Limits,
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

/// The timed span.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanText {
    pub from: String,
    pub to: String,
    pub helper: String,
}

/// When a run is given up.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub cycles: u64,
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

impl Definition {
    /// The bundled question.
    pub fn bundled() -> Self {
        toml::from_str(include_str!("../../experiments/primes.toml"))
            .expect("the bundled file is read by a test before it is shipped")
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
        let definition = Definition::bundled();
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
