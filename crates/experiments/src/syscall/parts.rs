//! Whose an instruction of a call is: the parts, as names of functions.

use std::collections::HashSet;
use std::sync::Arc;

use cyclescope_image::{Image, SymbolError};
use serde::Deserialize;

/// The part of entering and leaving the trap.
pub const ENTRY: &str = "entry";
/// All that no other part has.
pub const DISPATCH: &str = "dispatch";
/// Exceptions that are not the trap, and their handlers.
pub const INTERRUPTS: &str = "interrupts";
/// From the driver's first instruction to its return.
pub const DRIVER: &str = "driver";

/// The parts that no functions make up. Another one of such a name would hide its figures.
pub const RESERVED: [&str; 3] = [DISPATCH, INTERRUPTS, DRIVER];

/// The index of the first part of functions.
const FIRST: usize = 2;

/// A part as names of functions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartText {
    /// Its name in options and records.
    pub name: String,
    /// Its name in tables.
    pub title: String,
    /// Its functions; `*` stands for any characters.
    pub functions: Vec<String>,
}

/// The parts of an image: [`ENTRY`] and [`DISPATCH`] first, then those of functions, then [`INTERRUPTS`] and [`DRIVER`].
#[derive(Clone, Debug)]
pub struct Parts {
    names: Vec<String>,
    /// The functions whose own instructions are [`ENTRY`].
    entry: HashSet<String>,
    /// The functions of each part that has them with all that they call.
    functions: Vec<HashSet<String>>,
}

/// The parts that an instruction belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whose {
    /// The part that counts it, by its index.
    pub part: usize,
    /// A part of functions within that one, which does not.
    pub within: Option<usize>,
}

impl Parts {
    /// Finds the functions of `texts` in `image`; where `must`, each of them has to be there.
    ///
    /// # Errors
    /// [`SymbolError::Unknown`] with the nearest names.
    pub fn find(texts: &[PartText], image: &Image, must: impl Fn(&str) -> bool) -> Result<Self, SymbolError> {
        let mut parts =
            Self { names: vec![ENTRY.to_owned(), DISPATCH.to_owned()], entry: HashSet::new(), functions: Vec::new() };
        for text in texts {
            let mut found = HashSet::new();
            for pattern in &text.functions {
                let before = found.len();
                for symbol in image.symbols_matching(pattern) {
                    // What is counted has the name of the function that the address lies in, of several the first.
                    let function = image.function_at(symbol.address).unwrap_or(symbol);
                    found.insert(function.display_name().to_owned());
                }
                if found.len() == before && must(&text.name) {
                    image.symbol(pattern)?;
                }
            }
            if text.name == ENTRY {
                parts.entry = found;
            } else {
                parts.names.push(text.name.clone());
                parts.functions.push(found);
            }
        }
        parts.names.extend([INTERRUPTS.to_owned(), DRIVER.to_owned()]);
        Ok(parts)
    }

    /// The parts' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of [`ENTRY`].
    pub const fn entry(&self) -> usize {
        0
    }

    /// The index of [`DRIVER`].
    pub fn driver(&self) -> usize {
        self.names.len() - 1
    }

    /// The part of functions that an instruction is of, whoever counts it.
    pub fn of_functions(&self, whose: Whose) -> Option<usize> {
        Some(whose.part).filter(|part| (FIRST..self.names.len() - 2).contains(part)).or(whose.within)
    }

    /// Whose an instruction is that was reached by `path`, functions from the outermost on; `trap` is what the path of the
    /// trap's own exception begins with.
    pub fn whose(&self, path: &[Arc<str>], trap: Option<&str>) -> Whose {
        const EXCEPTION: &str = "(exception ";
        let inside = path.iter().skip_while(|name| trap == Some(name));
        let alone = |part| Whose { part, within: None };
        let Some(outermost) = inside.clone().next() else { return alone(self.entry()) };
        let of = |name: &Arc<str>| self.functions.iter().position(|part| part.contains(&**name));
        if outermost.starts_with(EXCEPTION) {
            return Whose { part: self.names.len() - 2, within: inside.filter_map(of).next().map(|part| part + FIRST) };
        }
        let mut of_functions = inside.clone().filter_map(of);
        match of_functions.next() {
            Some(outer) => {
                let within = of_functions.find(|inner| *inner != outer);
                Whose { part: outer + FIRST, within: within.map(|inner| inner + FIRST) }
            }
            None if inside.last().is_some_and(|name| self.entry.contains(&**name)) => alone(self.entry()),
            None => alone(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Parts {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Parts {
            names: [ENTRY, DISPATCH, "copies", "hook", INTERRUPTS, DRIVER].map(str::to_owned).to_vec(),
            entry: set(&["vector"]),
            functions: vec![set(&["memcpy", "memmove"]), set(&["hook"])],
        }
    }

    #[track_caller]
    fn check(path: &str, part: &str, within: Option<&str>) {
        let parts = parts();
        let path: Vec<Arc<str>> = path.split_whitespace().map(|name| name.replace('_', " ").into()).collect();
        let whose = parts.whose(&path, Some("(exception SVCall)"));
        let name = |index: usize| parts.names()[index].as_str();
        assert_eq!((name(whose.part), whose.within.map(name)), (part, within), "{path:?}");
    }

    #[test]
    fn an_instruction_is_the_outermost_parts() {
        check("(exception_SVCall) vector", ENTRY, None);
        check("(exception_SVCall) vector handle", DISPATCH, None);
        check("(exception_SVCall) vector handle memcpy", "copies", None);
        check("vector handle hook", "hook", None);
        check("vector handle hook memcpy memmove", "hook", Some("copies"));
        check("handle memcpy memmove", "copies", None);
        check("handle hook format hook", "hook", None);
    }

    #[test]
    fn entering_and_leaving_the_trap_is_its_own_and_other_exceptions_are_not() {
        check("(exception_SVCall)", ENTRY, None);
        check("(exception_SysTick)", INTERRUPTS, None);
        check("(exception_SysTick) vector", INTERRUPTS, None);
        check("(exception_SysTick) tick memcpy", INTERRUPTS, Some("copies"));
        check("(asleep)", DISPATCH, None);
    }
}
