//! Parses the kit's output.

use std::collections::BTreeMap;

use thiserror::Error;

/// The answers of one run of the kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The chip that the program was built for.
    pub chip: String,
    /// The version of the sequences.
    pub version: String,
    /// The core's clock set by the program, in Hz.
    pub clock_hz: u64,
    /// The cycles of each sequence, by name.
    pub cycles: BTreeMap<String, u64>,
}

/// An error in a log. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LogError {
    /// The log has no output of the kit.
    #[error("the log has no output of the kit (`kit begin chip=… clock=… version=…`)")]
    Nothing,
    /// The output has no end.
    #[error("the output that begins in line {line} has no end (`kit end COUNT`); capture the whole run")]
    NoEnd {
        /// The line of its start.
        line: usize,
    },
    /// A line of the kit has an unknown form.
    #[error("line {line} is no valid output of the kit: `{text}`")]
    Line {
        /// The line's number.
        line: usize,
        /// The line's text.
        text: String,
    },
    /// Lines are missing.
    #[error("line {line}: the kit printed {printed} sequences, but the log has {found}; capture it again")]
    Lost {
        /// The line of the end.
        line: usize,
        /// The number of printed sequences.
        printed: u64,
        /// The number of sequences in the log.
        found: u64,
    },
    /// Two runs in one log disagree.
    #[error("{sequence} took {first} cycles in one run and {then} in another; a log must be of one board")]
    Disagree {
        /// The sequence.
        sequence: String,
        /// The cycles in the first run.
        first: u64,
        /// The cycles in a later run.
        then: u64,
    },
}

impl Log {
    /// Returns the answers in `text`. It ignores other text around the kit's lines, and a run without an end before the
    /// next one: the board was reset.
    ///
    /// # Errors
    /// [`LogError`] if no run is complete or runs contradict each other.
    pub fn read(text: &str) -> Result<Self, LogError> {
        let mut whole: Option<Self> = None;
        let mut run: Option<(usize, Self)> = None;
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            // A board that was reset starts again in the middle of a line.
            let Some(at) = line.rfind("kit begin ").or_else(|| line.starts_with("kit ").then_some(0)) else { continue };
            let said = line[at..].trim_end();
            let wrong = || LogError::Line { line: line_number, text: said.to_owned() };
            let words: Vec<&str> = said.split(' ').skip(1).collect();
            match (words.as_slice(), &mut run) {
                (["begin", facts @ ..], _) => run = Some((line_number, begin(facts).ok_or_else(wrong)?)),
                // The end of a run whose start is not in the log.
                (_, None) => {}
                (["end", count], Some((_, answers))) => {
                    let printed = count.parse().map_err(|_| wrong())?;
                    let found = answers.cycles.len() as u64;
                    if printed != found {
                        return Err(LogError::Lost { line: line_number, printed, found });
                    }
                    let answers = answers.clone();
                    run = None;
                    if let Some(earlier) = &whole {
                        earlier.agrees(&answers)?;
                    }
                    whole.get_or_insert(answers);
                }
                ([name, cycles], Some((_, answers))) => {
                    let cycles = cycles.parse().map_err(|_| wrong())?;
                    if answers.cycles.insert((*name).to_owned(), cycles).is_some() {
                        return Err(wrong());
                    }
                }
                _ => return Err(wrong()),
            }
        }
        match (whole, run) {
            (Some(answers), _) => Ok(answers),
            (None, Some((line, _))) => Err(LogError::NoEnd { line }),
            (None, None) => Err(LogError::Nothing),
        }
    }

    fn agrees(&self, other: &Self) -> Result<(), LogError> {
        for (sequence, first) in &self.cycles {
            if let Some(then) = other.cycles.get(sequence).filter(|then| *then != first) {
                return Err(LogError::Disagree { sequence: sequence.clone(), first: *first, then: *then });
            }
        }
        Ok(())
    }
}

fn begin(facts: &[&str]) -> Option<Log> {
    let fact = |name: &str| facts.iter().find_map(|fact| fact.strip_prefix(name)?.strip_prefix('='));
    Some(Log {
        chip: fact("chip")?.to_owned(),
        version: fact("version")?.to_owned(),
        clock_hz: fact("clock")?.parse().ok()?,
        cycles: BTreeMap::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "kit begin chip=stm32f446ze clock=16000000 serial=PD8@115200 version=0badcafe\r\n";

    #[test]
    fn a_run_is_found_among_other_text_and_after_a_reset() {
        let text = format!(
            "??\r\nkit early 3\r\n{BEGIN}kit load 2\r\nkit st{BEGIN}kit load 2\r\nkit store 1\r\nkit end 2\r\nbye"
        );
        let log = Log::read(&text).unwrap();
        assert_eq!((log.chip.as_str(), log.version.as_str(), log.clock_hz), ("stm32f446ze", "0badcafe", 16_000_000));
        assert_eq!(log.cycles, BTreeMap::from([("load".into(), 2), ("store".into(), 1)]));
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        let refused = |text: &str| Log::read(&format!("{BEGIN}{text}")).unwrap_err();
        assert_eq!(Log::read("kit\nkitten 1\n").unwrap_err(), LogError::Nothing);
        assert_eq!(refused("kit load 2\n"), LogError::NoEnd { line: 1 });
        assert_eq!(refused("kit load 2\nkit end 2\n"), LogError::Lost { line: 3, printed: 2, found: 1 });
        assert!(matches!(refused("kit load x\nkit end 1\n"), LogError::Line { line: 2, .. }));
        assert!(matches!(refused("kit load 2\nkit load 2\nkit end 1\n"), LogError::Line { line: 3, .. }));
        let again = format!("kit load 2\nkit end 1\n{BEGIN}kit load 3\nkit end 1\n");
        assert_eq!(refused(&again), LogError::Disagree { sequence: "load".into(), first: 2, then: 3 });
    }
}
