//! Model gaps in words: told when the guest meets them, once a register.

use std::cell::RefCell;
use std::collections::HashSet;

use cyclescope_image::{Image, SourceLine};
use cyclescope_machine::figures::integer;
use cyclescope_machine::units::Address;
use cyclescope_machine::{Gap, GapKind, POLLS, Wait};
use cyclescope_scope::{GapListener, driver};
use cyclescope_text::shortened;

use crate::times;

/// An image, and the columns of the lines about it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The image.
    pub image: &'a Image,
    /// The columns.
    pub columns: usize,
}

impl Shown<'_> {
    /// Returns the most columns of a function's name, and of a file's: about half a line each.
    fn room(self) -> (usize, usize) {
        (self.columns / 2, self.columns * 9 / 20)
    }
}

/// The model gaps that are told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum GapsShown {
    /// Those that the program may notice, once a register, when it first meets them
    Met,
    /// The same, and at the end a list of all with counts, those without effect too
    All,
    /// None; records and `monitor gaps` still have them
    None,
}

/// Tells of a guest's model gaps.
pub struct GapTeller<'a> {
    to: Shown<'a>,
    shown: GapsShown,
    tell: &'a dyn Fn(&str),
    told: RefCell<Told>,
    /// The line told of an interrupt without a handler.
    unhandled: RefCell<Option<String>>,
}

/// The gaps that were told of.
#[derive(Debug, Default)]
pub struct Told {
    /// Registers and settings.
    met: HashSet<String>,
    /// Names of gaps that the guest polls.
    polled: HashSet<String>,
}

impl<'a> GapTeller<'a> {
    /// Has `tell` take lines about those of `to` that are `shown`.
    pub fn new(to: Shown<'a>, shown: GapsShown, tell: &'a dyn Fn(&str)) -> Self {
        Self { to, shown, tell, told: RefCell::default(), unhandled: RefCell::default() }
    }

    /// Tells what is still to be told of all `gaps` of a run that has ended, and lists them if that was asked for.
    pub fn finish(&self, gaps: &[Gap]) {
        self.heard(gaps, &|| None);
        if self.shown == GapsShown::All && !gaps.is_empty() {
            (self.tell)("all model gaps, in the order in which they were met:");
            gaps.iter().for_each(|gap| (self.tell)(&listed(gap, self.to)));
        }
    }
}

impl std::fmt::Debug for GapTeller<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GapTeller").field("shown", &self.shown).field("told", &self.told).finish_non_exhaustive()
    }
}

impl GapTeller<'_> {
    /// Tells if `reason` says of an exception that it has no handler, and this was told while the guest ran.
    pub fn has_told(&self, reason: &str) -> bool {
        let told = self.unhandled.borrow();
        let name = told.as_ref().and_then(|told| told.split_once(UNHANDLED)).map(|(name, _)| name);
        name.is_some() && name == reason.split_once(UNHANDLED).map(|(name, _)| name)
    }
}

/// The words behind the name of an exception without a handler.
const UNHANDLED: &str = " has no handler: ";

impl Told {
    /// Returns the lines that are new in the `gaps` of a run of `image`. `wait` finds the register that it polls now.
    pub fn news(&mut self, gaps: &[Gap], wait: &dyn Fn() -> Option<Wait>, shown: Shown<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        for gap in gaps.iter().filter(|gap| !gap.quiet) {
            if self.met.insert(register(&gap.name).to_owned()) && gap.polled.is_none() {
                lines.push(met(gap, shown));
            }
            if gap.polled.is_some() && self.polled.insert(gap.name.clone()) {
                lines.push(polled(gap, wait().as_ref(), shown));
            }
        }
        lines
    }
}

impl GapListener for GapTeller<'_> {
    fn heard(&self, gaps: &[Gap], wait: &dyn Fn() -> Option<Wait>) {
        if self.shown != GapsShown::None {
            self.told.borrow_mut().news(gaps, wait, self.to).iter().for_each(|line| (self.tell)(line));
        }
    }

    fn unhandled(&self, why: &str) {
        (self.tell)(why);
        *self.unhandled.borrow_mut() = Some(why.to_owned());
    }
}

/// Returns the register of a gap's name, which may be that of a field.
fn register(name: &str) -> &str {
    match name.split_once('.') {
        Some((register, field)) if !name.contains(' ') && !field.is_empty() => register,
        _ => name,
    }
}

fn met(gap: &Gap, shown: Shown<'_>) -> String {
    format!("model gap: {}{} at cycle {}", gap.name, done(gap, shown), gap.at.grouped())
}

/// Returns what was done to the register, and by whom.
fn done(gap: &Gap, shown: Shown<'_>) -> String {
    let by = by(shown, gap.driver);
    match gap.kind {
        GapKind::RegisterRead => format!(", read by {by}"),
        GapKind::RegisterWrite => format!(", written by {by}"),
        GapKind::Setting | GapKind::Instruction | GapKind::Further => format!(", in {by}"),
    }
}

fn polled(gap: &Gap, wait: Option<&Wait>, shown: Shown<'_>) -> String {
    let polls = integer(POLLS.into());
    match gap.kind {
        GapKind::Setting => {
            format!(
                "the guest seems to wait for what cannot come: {}, met {polls} times in a row{}",
                gap.name,
                done(gap, shown)
            )
        }
        _ if let Some(address) = gap.name.strip_prefix("no peripheral at ") => format!(
            "the guest seems to wait at {address}, where the part has no peripheral: {polls} times in a row{}; was it \
             built for another part?",
            done(gap, shown)
        ),
        _ => format!(
            "the guest seems to wait for {}, which the model lacks (declared only): {polls} times in a row{}",
            awaited_bit(gap, wait),
            done(gap, shown)
        ),
    }
}

fn listed(gap: &Gap, shown: Shown<'_>) -> String {
    let quiet = if gap.quiet { "; without effect" } else { "" };
    let at = gap.at.grouped();
    format!("- {}{}: {}, first at cycle {at}{quiet}", gap.name, done(gap, shown), times(gap.count))
}

/// Describes the driver at `pc` by function and line, in few columns.
pub fn by(shown: Shown<'_>, pc: Address) -> String {
    let driver = driver(shown.image, pc);
    let (most, most_of_file) = shown.room();
    let function = match &driver.function {
        Some(name) => shortened(name, most),
        None => format!("pc {pc}"),
    };
    let line = driver.line.map(|line| format!(" ({})", file(&line, most_of_file))).unwrap_or_default();
    format!("{function}{line}")
}

/// Returns the end of the file's path, of at most `most` columns, with the line, which compilers give as 0 where they know none.
fn file(line: &SourceLine, most: usize) -> String {
    let number = if line.line > 0 { format!(":{}", line.line) } else { String::new() };
    let path = line.file.trim_start_matches("./");
    let mut from = path.len();
    // At least the file's own name, then folders that fit.
    for (at, _) in path.char_indices().rev().filter(|(_, c)| matches!(c, '/' | '\\')) {
        if path[at..].chars().count() > most && from < path.len() {
            break;
        }
        from = at;
    }
    match path.chars().count() <= most || from == path.len() {
        true => format!("{}{number}", shortened(path, most)),
        false => format!("…{}{number}", shortened(&path[from..], most)),
    }
}

/// Returns the register without a model that the guest began to poll last, or has read most often, and who reads it. `wait` is the
/// register that it polls now, with the bit.
pub fn polled_last(gaps: &[Gap], wait: Option<&Wait>, shown: Shown<'_>) -> Option<String> {
    let reads = gaps.iter().filter(|gap| gap.kind == GapKind::RegisterRead);
    let gap = reads.max_by_key(|gap| (gap.polled, gap.count))?;
    Some(format!("{}, which the model lacks{}", awaited_bit(gap, wait), done(gap, shown)))
}

/// Tells if the guest has read a register without a model.
pub fn polls(gaps: &[Gap]) -> bool {
    gaps.iter().any(|gap| gap.kind == GapKind::RegisterRead)
}

/// Tells if the guest was told that the clock is off of the block that has `register`.
pub fn clock_is_off(gaps: &[Gap], register: &str) -> bool {
    let block = |gap: &Gap| Some(gap.name.strip_prefix("clock of ")?.strip_suffix(" is off")?.to_owned());
    let of = |block: String| register.strip_prefix(&block).is_some_and(|rest| rest.starts_with('_'));
    gaps.iter().filter_map(block).any(of)
}

/// Returns the gap's name, with the bit that `wait` knows of the register.
fn awaited_bit<'g>(gap: &'g Gap, wait: Option<&'g Wait>) -> &'g str {
    let same = |wait: &&Wait| register(&wait.register) == gap.name;
    wait.filter(same).map_or(&gap.name, |wait| &wait.register)
}

/// Returns the hint for a guest that sleeps for ever: the last thing that it set up and the model lacks.
pub fn awaited(gaps: &[Gap], shown: Shown<'_>) -> Option<String> {
    let set = |gap: &&Gap| !gap.quiet && matches!(gap.kind, GapKind::RegisterWrite | GapKind::Setting);
    let gap = gaps.iter().filter(set).max_by_key(|gap| gap.at)?;
    Some(format!("what should wake it may be what the model lacks: {}{}", gap.name, done(gap, shown)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_belong_to_registers_and_sentences_to_themselves() {
        assert_eq!(register("TIM9_DIER.UIE"), "TIM9_DIER");
        assert_eq!(register("SPI3_SR"), "SPI3_SR");
        assert_eq!(register("clock of USART2 is off. Really"), "clock of USART2 is off. Really");
    }

    #[test]
    fn files_keep_their_ends() {
        let line = |file: &str, line| SourceLine { file: file.to_owned(), line, column: None };
        assert_eq!(file(&line("./src/main.c", 7), 36), "src/main.c:7");
        assert_eq!(
            file(&line("/home/someone/.cargo/registry/src/embassy-stm32-0.6.0/src/rcc/c0.rs", 0), 36),
            "…/embassy-stm32-0.6.0/src/rcc/c0.rs"
        );
        assert_eq!(
            file(&line("/home/someone/.cargo/registry/src/embassy-stm32-0.6.0/src/rcc/c0.rs", 0), 50),
            "…/registry/src/embassy-stm32-0.6.0/src/rcc/c0.rs",
            "more of it where there is room"
        );
        assert_eq!(file(&line("main.c", 1), 36), "main.c:1");
        let long = format!("/a/{}.c", "x".repeat(50));
        assert!(file(&line(&long, 3), 36).chars().count() <= 40, "{}", file(&line(&long, 3), 36));
    }
}
