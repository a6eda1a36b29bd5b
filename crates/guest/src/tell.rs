//! News of a run for people.

/// A place for messages.
pub trait Tell {
    /// Takes a warning or a piece of news.
    fn note(&mut self, text: &str);

    /// Takes a problem, and advice about it.
    fn problem(&mut self, message: &str, help: Option<&str>);

    /// Takes a line that is laid out, as of a table of registers.
    fn line(&mut self, line: &str);

    /// Returns the columns of a line.
    fn columns(&self) -> usize;
}

/// The columns of a place that is no terminal.
pub const USUAL: usize = 160;

/// Messages that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The messages, as the command writes them to standard error.
    pub lines: Vec<String>,
}

impl Tell for Kept {
    fn note(&mut self, text: &str) {
        self.lines.push(cyclescope_text::visible(text));
    }

    fn problem(&mut self, message: &str, help: Option<&str>) {
        self.note(&format!("error: {message}"));
        if let Some(help) = help {
            self.note(&format!("help: {help}"));
        }
    }

    fn line(&mut self, line: &str) {
        self.note(line);
    }

    fn columns(&self) -> usize {
        USUAL
    }
}
