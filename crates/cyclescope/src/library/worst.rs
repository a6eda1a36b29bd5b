//! The worst of many arrivals of a stimulus.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use cyclescope_machine::units::Cycles;
use cyclescope_scope::{
    Missing, Pace, Plan, Question, Rule, Session, Span, SpanText, WorstError, explain, find_worst, look_at, place,
};

use super::measured::Measured;
use super::{Board, BoardError, Written};

/// The functions that the text names of the longest occurrence.
const NAMED: usize = 3;

/// The answers of the firmware to a stimulus that came at each cycle of a window, or two in all pairs: a maximum over these arrivals, and no bound beyond
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    longest: Measured,
    arrival: u64,
    second: Option<u64>,
    cycles: Vec<u64>,
    what: String,
}

impl Worst {
    /// Returns the longest occurrence; of several the one of the earliest arrival.
    pub fn longest(&self) -> Measured {
        self.longest
    }

    /// Returns the length of the longest occurrence in cycles.
    pub fn cycles(&self) -> u64 {
        self.longest.cycles()
    }

    /// Returns the cycle after reset at which the stimulus came before the longest occurrence.
    pub fn arrival(&self) -> u64 {
        self.arrival
    }

    /// Returns the cycle after reset at which the second of two stimuli came before the longest occurrence; `None` if there was one.
    pub fn second_arrival(&self) -> Option<u64> {
        self.second
    }

    /// Returns the lengths of all occurrences in cycles, one for each cycle of the window, in order. Of two windows there is one for
    /// each pair: all cycles of the second for the first cycle of the first, and so on.
    pub fn each(&self) -> &[u64] {
        &self.cycles
    }
}

impl fmt::Display for Worst {
    /// Says how long the longest took, where the core was, what held interrupts back, and which functions took most of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Board {
    /// Has the outside do something once at each cycle of a window, `at 100ms..100.1ms pin PC13 low`, each in a run of its own from
    /// where the board stands, and tells the longest first occurrence of `span` that ends behind it. The board itself stays where it
    /// is. Runs go on to the board's limit, on all processors.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let elf = cyclescope::example_image("button-freertos-interrupt-s-stm32c031c6")?;
    /// # let firmware = cyclescope::Firmware::from_elf("button", &elf)?;
    /// let mut board = firmware.on("stm32c031c6")?;
    /// board.stimulate("at 1ms pin PC13 high")?;
    /// let latency = "latency=pin:PC13:fall..exception:EXTI4_15:entered";
    /// let worst = board.worst(latency, "at 4807700cy..4808200cy pin PC13 low")?;
    /// assert!(worst.cycles() <= 300, "{worst}");
    /// assert_eq!(worst.each().len(), 500);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BoardError::Worst`] where the window is none, too long or past, and [`BoardError::Unanswered`] where an arrival has no such
    /// occurrence.
    pub fn worst(&mut self, span: impl Written<SpanText>, stimulus: impl Written<Rule>) -> Result<Worst, BoardError> {
        let (span, rule) = (span.value()?, stimulus.value()?);
        self.worst_of(span, &[rule])
    }

    /// Does the same with two stimuli, `first` and `second`, which come in all pairs of a cycle of each window. Of the span counts the
    /// first occurrence that ends behind the earlier one.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let elf = cyclescope::example_image("button-freertos-interrupt-s-stm32c031c6")?;
    /// # let firmware = cyclescope::Firmware::from_elf("button", &elf)?;
    /// let mut board = firmware.on("stm32c031c6")?;
    /// board.stimulate("at 1ms pin PC13 high")?;
    /// let latency = "latency=pin:PC13:fall..exception:EXTI4_15:entered";
    /// let (press, character) = ("at 4807930cy..4807940cy pin PC13 low", "at 4807900cy..4807910cy uart 2 \"x\"");
    /// let worst = board.worst_pair(latency, press, character)?;
    /// assert!(worst.cycles() <= 300, "{worst}");
    /// assert_eq!(worst.each().len(), 10 * 10);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`Board::worst`].
    pub fn worst_pair(
        &mut self,
        span: impl Written<SpanText>,
        first: impl Written<Rule>,
        second: impl Written<Rule>,
    ) -> Result<Worst, BoardError> {
        let (span, rules) = (span.value()?, [first.value()?, second.value()?]);
        self.worst_of(span, &rules)
    }

    fn worst_of(&mut self, text: SpanText, rules: &[Rule]) -> Result<Worst, BoardError> {
        let windows = rules.iter().map(|rule| match rule {
            Rule::Arrives { from, to, .. } => Ok((*from, *to)),
            _ => Err(WorstError::NoWindow),
        });
        let windows = windows.collect::<Result<Vec<_>, _>>()?;
        let mut session: Session<'static> = self.session.snapshot().session();
        let plan = Plan::resolve_arriving(rules, &self.image, &self.exceptions)?;
        session.apply(&plan)?;
        let [from, to] = [&text.from, &text.to].map(|event| session.watch_event(event, &self.image, &self.exceptions));
        let span = session.span(Span { name: text.name.clone(), from: from?, to: to? });
        session.begins_again(span, text.again);
        session.poll_steadily(Pace::POLL);
        let question = Question {
            begin: &session.snapshot(),
            spans: &[span],
            windows: &windows,
            limit: self.limit,
            search: None,
            threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            progress: &|_, _| {},
            stop: &|| self.stop.load(Ordering::Relaxed),
        };
        let findings = find_worst(question)?;
        if self.stop.load(Ordering::Relaxed) {
            return Err(BoardError::Interrupted { waited_for: text.name, place: self.place() });
        }
        if let Some((tried, why, count)) = findings.missing(0) {
            let why = match why {
                Missing::Ended { at, stop } => explain(*stop, &self.image, *at),
                other => other.to_string(),
            };
            return Err(BoardError::Unanswered { span: text.name, count, arrival: tried.at.first, why });
        }
        let (tried, sample) = findings.worst(0).expect("a window has a cycle, and each has an answer");
        let (look, _) = look_at(question, &self.image, (tried.at, 0, sample), tried.at.earliest())?;
        let at: Vec<String> = tried.at.cycles().map(Cycles::grouped).collect();
        let mut what = format!(
            "{}: the maximum over these {} arrivals is {}, with the {} at {} {}",
            text.name,
            Cycles::new(findings.tried.len() as u64).grouped(),
            sample.cycles,
            if at.len() > 1 { "stimuli" } else { "stimulus" },
            if at.len() > 1 { "cycles" } else { "cycle" },
            at.join(" and ")
        );
        for stand in &look.stands {
            what += &format!("; {} then", place(&self.image, stand.pc));
            for held in &stand.holds {
                what += &format!(" ({})", held.hold.text(&self.exceptions));
            }
        }
        for one in look.waited.iter().filter(|one| !one.holds.is_empty()).take(NAMED) {
            let name = self.exceptions.iter().find(|(known, _)| *known == one.number).map_or("?", |(_, name)| *name);
            let holds: Vec<String> = one.holds.iter().map(|hold| hold.text(&self.exceptions)).collect();
            what += &format!("; {name} was held back by {}", holds.join(", "));
        }
        let functions = look.account.functions.iter().take(NAMED);
        let functions = functions.map(|function| format!("{} ({})", function.name, function.own.cycles));
        what += &format!("; most of it: {}", functions.collect::<Vec<_>>().join(", "));
        let cycles = findings.samples(0).map(|sample| sample.cycles.get()).collect();
        let (arrival, second) = (tried.at.first.get(), tried.at.second.map(Cycles::get));
        Ok(Worst { longest: Measured::new(sample), arrival, second, cycles, what })
    }
}
