//! Options of `run syscall` for a user's image.

use std::path::PathBuf;

use clap::Args;
use cyclescope_experiments::syscall::{Call, PartText};
use cyclescope_scope::{Event, Time};

use crate::error::CliError;

/// An image of one's own and its calls.
#[derive(Debug, Args)]
#[command(next_help_heading = "An image of your own, for `run syscall`")]
pub struct UserImageArguments {
    /// Measure this ELF, on the one --chip, in place of the bundled images
    #[arg(long, value_name = "ELF")]
    pub image: Option<PathBuf>,
    /// The event that a call begins with: its trap (may be repeated, each with a --to)
    #[arg(long, value_name = "EVENT", requires = "image")]
    pub from: Vec<Event>,
    /// The event that it leads to: the driver's first instruction
    #[arg(long, value_name = "EVENT", requires = "image")]
    pub to: Vec<Event>,
    /// The instruction behind the trap, for the way back; one for each --from
    #[arg(long, value_name = "EVENT", requires = "image")]
    pub back: Vec<Event>,
    /// The first instruction of the trap's vector; one for all or for each [default: the first exception entered]
    #[arg(long, value_name = "EVENT", requires = "image")]
    pub vector: Vec<Event>,
    /// Functions that are one part of a call with all that they call, such as copies='memcpy*,my_copy'; `entry` is what
    /// its functions execute themselves (may be repeated)
    #[arg(long, value_name = "NAME=FUNCTIONS", value_parser = part, requires = "image")]
    pub part: Vec<PartText>,
    /// The length of the run, from reset [default: 1s]
    #[arg(id = "own_window", long = "for", value_name = "TIME", allow_hyphen_values = true, requires = "image")]
    pub window: Option<Time>,
}

fn part(text: &str) -> Result<PartText, &'static str> {
    const FORM: &str = "write NAME=FUNCTION,FUNCTION, as in copies=memcpy,my_copy*";
    let (name, functions) = text.split_once('=').ok_or(FORM)?;
    let functions: Vec<String> =
        functions.split(',').map(|function| function.trim().to_owned()).filter(|one| !one.is_empty()).collect();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !name.is_empty() && name.chars().all(plain) && !functions.is_empty() {
        true => Ok(PartText { name: name.to_owned(), title: name.to_owned(), functions }),
        false => Err(FORM),
    }
}

impl UserImageArguments {
    /// The calls, in the order given, each by the name of its first event.
    ///
    /// # Errors
    /// [`CliError::Usage`] where their events do not belong together.
    pub fn calls(&self) -> Result<Vec<Call>, CliError> {
        let count = self.from.len();
        if count == 0 || self.to.len() != count {
            return Err(CliError::Usage("--image needs the events of its calls: give each call a --from and a --to"));
        }
        if !self.back.is_empty() && self.back.len() != count {
            return Err(CliError::Usage(
                "the numbers of --back and --from differ; give each --from a --back, or none at all",
            ));
        }
        if self.vector.len() > 1 && self.vector.len() != count {
            return Err(CliError::Usage(
                "the numbers of --vector and --from differ; give one --vector for all calls, one for each --from, or none",
            ));
        }
        let calls = self.from.iter().zip(&self.to).enumerate().map(|(index, (from, to))| Call {
            name: from.to_string(),
            after: None,
            from: from.clone(),
            vector: self.vector.get(index).or_else(|| self.vector.first()).cloned(),
            to: to.clone(),
            back: self.back.get(index).cloned(),
        });
        Ok(calls.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_name_and_functions() {
        let parsed = part("copies=memcpy*, core::ptr::copy").expect("it is one");
        assert_eq!((parsed.name.as_str(), parsed.functions.len()), ("copies", 2));
        for text in ["copies", "copies=", "=memcpy", "a b=c", "copies=,"] {
            assert!(part(text).is_err(), "{text}");
        }
    }
}
