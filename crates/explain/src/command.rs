//! Commands.

use std::ffi::OsString;
use std::process;

use thiserror::Error;

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The name in results.
    pub name: String,
    words: Vec<OsString>,
}

/// A text that is no command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// No word.
    #[error("the command is empty")]
    Empty,
    /// A quotation mark without its partner.
    #[error("`{0}` has a quotation mark without its partner")]
    Quotes(String),
}

impl Command {
    /// Returns the command of `words`, the program first.
    ///
    /// # Errors
    /// [`CommandError::Empty`].
    pub fn new(words: Vec<OsString>) -> Result<Self, CommandError> {
        if words.first().is_none_or(|program| program.is_empty()) {
            return Err(CommandError::Empty);
        }
        let name = shell_words::join(words.iter().map(|word| word.to_string_lossy()));
        Ok(Self { name, words })
    }

    /// Splits `text` at spaces, with a shell's rules for quotation marks and backslashes. No shell runs it.
    ///
    /// # Errors
    /// [`CommandError`].
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let words = shell_words::split(text).map_err(|_| CommandError::Quotes(text.to_owned()))?;
        Self::new(words.into_iter().map(OsString::from).collect())
    }

    /// Returns the command that has a shell run `text`.
    pub fn shell(text: &str) -> Self {
        Self { name: text.to_owned(), words: ["sh", "-c", text].map(OsString::from).to_vec() }
    }

    /// Returns the command behind `prefix`, the words of a program that runs another.
    pub(crate) fn under(&self, prefix: &[OsString]) -> Self {
        Self { name: self.name.clone(), words: prefix.iter().chain(&self.words).cloned().collect() }
    }

    /// Returns the process to start.
    pub(crate) fn process(&self) -> process::Command {
        let (program, arguments) = self.words.split_first().expect("a command has a word");
        let mut command = process::Command::new(program);
        command.args(arguments);
        command
    }

    /// Returns the program.
    pub(crate) fn program(&self) -> String {
        self.words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_as_a_shell_does() {
        let command = Command::parse(r#"grep -c 'a b' "c d" e\ f"#).unwrap();
        assert_eq!(command.words, ["grep", "-c", "a b", "c d", "e f"]);
        assert_eq!(Command::parse(&command.name).unwrap(), command, "the name can be copied");
        assert_eq!(Command::parse("  "), Err(CommandError::Empty));
        assert_eq!(Command::parse("''"), Err(CommandError::Empty));
        assert!(matches!(Command::parse("a 'b"), Err(CommandError::Quotes(_))));
    }
}
