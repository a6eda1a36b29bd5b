//! The measurement of a plan, read and checked.

use std::collections::BTreeSet;

use cyclescope_chips::MemorySetting;
use cyclescope_scope::{Event, Rule, SpanText, Time};
use cyclescope_text::nearest::clause;

use crate::plan::at_most;
use crate::{Plan, SweepError};

/// The most spans of a sweep.
const MOST_SPANS: u64 = 100;

/// The memory settings that have a name.
const MEMORIES: [MemorySetting; 3] = [MemorySetting::Equal, MemorySetting::Shipped, MemorySetting::Ideal];

/// The measurement that each point makes.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) memories: Vec<MemorySetting>,
    pub(crate) spans: Vec<SpanText>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) window: Time,
    pub(crate) until: Option<Event>,
}

impl Question {
    /// Reads the texts of `plan`.
    ///
    /// # Errors
    /// [`SweepError::Value`] with the key, [`SweepError::TooMany`].
    pub(crate) fn of(plan: &Plan) -> Result<Self, SweepError> {
        if plan.image.is_empty() {
            return Err(SweepError::value("image", "a sweep needs an image: [[image]] with elf = \"FILE\""));
        }
        if let Some(image) = plan.image.iter().find(|image| plan.chips(image).is_empty()) {
            let why = format!("{} has no chip, and the plan names none for all images", image.elf);
            return Err(SweepError::value("chip", why));
        }
        if plan.memory.is_empty() {
            return Err(SweepError::value("memory", "the list is empty; leave the key out for `shipped`"));
        }
        if plan.chunk_cycles == 0 {
            return Err(SweepError::value("chunk-cycles", "a chunk needs at least one cycle"));
        }
        let series = [("clock", &plan.clock), ("arrivals", &plan.arrivals), ("seeds", &plan.seeds)];
        for (key, numbers) in series {
            if let Some(last) = numbers.count().checked_sub(1).filter(|last| numbers.get(*last).is_none()) {
                return Err(SweepError::value(key, format!("number {} of them has more than 64 bits", last + 1)));
            }
        }
        let memories = plan.memory.iter().map(|name| memory(name)).collect::<Result<_, _>>()?;
        let spans = plan.span.iter().map(|text| text.parse::<SpanText>());
        let spans = spans.collect::<Result<Vec<_>, _>>().map_err(|error| SweepError::value("span", error))?;
        at_most("spans", Some(spans.len() as u64), MOST_SPANS)?;
        let mut names = BTreeSet::new();
        if let Some(twice) = spans.iter().find(|span| !names.insert(span.name.as_str())) {
            return Err(SweepError::value("span", format!("two spans are called `{}`", twice.name)));
        }
        let rules = plan.stimulus.iter().map(|text| text.parse::<Rule>());
        let mut rules = rules.collect::<Result<Vec<_>, _>>().map_err(|error| SweepError::value("stimulus", error))?;
        if let Some(file) = rules.iter_mut().find_map(|rule| rule.samples_file().cloned()) {
            let why = format!("voltages of a file, {file}, are not for sweeps; write them into the stimulus");
            return Err(SweepError::value("stimulus", why));
        }
        let window = plan.window.parse().map_err(|error| SweepError::value("for", error))?;
        let until = plan.until.as_deref().map(str::parse::<Event>).transpose();
        let until = until.map_err(|error| SweepError::value("until", error))?;
        let question = Self { memories, spans, rules, window, until };
        question.check_axes(plan)?;
        Ok(question)
    }

    /// Checks that the axes of `plan` vary something.
    fn check_axes(&self, plan: &Plan) -> Result<(), SweepError> {
        let windows = self.rules.iter().filter(|rule| matches!(rule, Rule::Arrives { .. })).count();
        match (windows, plan.arrivals.is_empty()) {
            (0, true) | (1, false) => {}
            (0, false) => {
                let why = "no stimulus has a window in which it could arrive: `at FROM..TO ACTION`";
                return Err(SweepError::value("arrivals", why));
            }
            (_, true) => {
                let why = "a stimulus has a window; `arrivals` says at which cycles of it, as in {from = 100000, count = 500}";
                return Err(SweepError::value("arrivals", why));
            }
            (_, false) => return Err(SweepError::value("arrivals", "more than one stimulus has a window")),
        }
        if !plan.arrivals.is_empty() && self.until.is_some() {
            return Err(SweepError::value("until", "a run with an arrival ends with its spans; leave the key out"));
        }
        if !plan.arrivals.is_empty() && self.spans.is_empty() {
            return Err(SweepError::value("span", "a run with an arrival ends with its spans, and there are none"));
        }
        let drawn = self.rules.clone().iter_mut().any(|rule| rule.seed().is_some());
        if !plan.seeds.is_empty() && !drawn {
            return Err(SweepError::value("seeds", "no stimulus is drawn by a seed"));
        }
        Ok(())
    }

    /// Returns the stimuli, those that are drawn by a seed by `seed`.
    pub(crate) fn rules(&self, seed: Option<u64>) -> Vec<Rule> {
        let mut rules = self.rules.clone();
        if let Some(seed) = seed {
            rules.iter_mut().filter_map(Rule::seed).for_each(|own| *own = seed);
        }
        rules
    }
}

/// Returns the memory setting called `name`.
fn memory(name: &str) -> Result<MemorySetting, SweepError> {
    let found = MEMORIES.into_iter().find(|setting| setting.name() == name);
    found.ok_or_else(|| {
        let nearest = clause(name, MEMORIES.map(MemorySetting::name));
        SweepError::value("memory", format!("there is no memory setting `{name}`{nearest}"))
    })
}
