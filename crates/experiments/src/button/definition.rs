//! The question's file, `experiments/button.toml`.

use std::collections::BTreeMap;

use cyclescope_machine::Pin;
use cyclescope_scope::{Event, Rule, SpanText, Time};
use serde::Deserialize;

use crate::definition::{BUNDLED, bundled, parsed};

/// The experiment, as its file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Button {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) stimulus: StimulusText,
    pub(crate) limits: Limits,
    pub(crate) chip: Vec<ChipText>,
    pub(crate) mode: Vec<ModeText>,
    pub(crate) span: Vec<SpanRow>,
    pub(crate) arrivals: ArrivalsText,
    pub(crate) contender: Vec<ContenderText>,
}

/// The presses of the button.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StimulusText {
    pub presses: u64,
    /// When the first gap begins, after reset.
    #[serde(deserialize_with = "parsed")]
    pub from: Time,
    pub gap: String,
    pub seed: u64,
    pub bounce: String,
}

/// The time limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The time that a run goes on after the last edge.
    #[serde(deserialize_with = "parsed")]
    pub after: Time,
    /// The longest time of one edge.
    #[serde(deserialize_with = "parsed")]
    pub settle: Time,
    /// The most by which the LED may be late.
    #[serde(deserialize_with = "parsed")]
    pub late: Time,
}

/// The pins and the interrupt of a chip's programs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipText {
    pub name: String,
    button: String,
    led: String,
    a: String,
    b: String,
    pub interrupt: String,
}

/// A mode.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeText {
    pub name: String,
    pub title: String,
    /// The mode of the images it runs, where that is another.
    image: Option<String>,
    #[serde(default)]
    pub bounce: bool,
    /// True if the program has the probe pins.
    #[serde(default = "yes")]
    pub pins: bool,
}

const fn yes() -> bool {
    true
}

/// A timed span.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanRow {
    pub metric: String,
    pub title: String,
    events: String,
    /// True if it needs the probe pins.
    #[serde(default)]
    pub pins: bool,
    /// True if it can be timed while contacts bounce.
    #[serde(default)]
    bounces: bool,
}

/// The window of all arrivals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalsText {
    pub led_turn: usize,
    /// The time before the LED's turn at which the message before is asked for.
    #[serde(deserialize_with = "parsed")]
    pub message_before: Time,
    pub window: u64,
}

/// The internals of a contender.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContenderText {
    pub name: String,
    pub running: Option<String>,
    #[serde(default)]
    pub stacks: Vec<String>,
    #[serde(default)]
    pub tasks: Vec<String>,
    /// The word behind which an executor keeps address and length of its `[Pin<&mut dyn Future>]`.
    pub futures: Option<String>,
    /// Why a cell is empty.
    #[serde(default)]
    pub reason: BTreeMap<String, String>,
}

impl Button {
    /// The bundled question.
    pub fn bundled() -> Self {
        bundled(include_str!("../../experiments/button.toml"))
    }

    /// The mode called `name`.
    pub fn mode(&self, name: &str) -> Option<&ModeText> {
        self.mode.iter().find(|mode| mode.name == name)
    }

    /// Returns the internals of `contender`.
    pub fn contender(&self, contender: &str) -> Option<&ContenderText> {
        self.contender.iter().find(|known| known.name == contender)
    }

    /// The places of the chip called `name`.
    pub fn chip(&self, name: &str) -> Option<&ChipText> {
        self.chip.iter().find(|chip| chip.name == name)
    }

    /// Returns the presses of the button in `mode`, which is up before, under `seed` if that is another than the file's.
    pub fn presses(&self, chip: &ChipText, mode: &ModeText, seed: Option<u64>) -> Rule {
        let StimulusText { presses, from, gap, seed: own, bounce } = &self.stimulus;
        let bounce = if mode.bounce { format!(" bounce {bounce}") } else { String::new() };
        let text = format!(
            "presses {presses} of {} low from {from} gap {gap}{bounce} seed {}",
            chip.button,
            seed.unwrap_or(*own)
        );
        text.parse().expect(BUNDLED)
    }

    /// The spans that a program has in `mode`.
    pub fn spans(&self, chip: &ChipText, mode: &ModeText) -> Vec<SpanText> {
        let rows = self.span.iter().filter(|row| (mode.pins || !row.pins) && (row.bounces || !mode.bounce));
        rows.map(|row| row.on(chip)).collect()
    }
}

impl SpanRow {
    fn on(&self, chip: &ChipText) -> SpanText {
        let places = [("{button}", &chip.button), ("{a}", &chip.a), ("{b}", &chip.b), ("{interrupt}", &chip.interrupt)];
        let events = places.iter().fold(self.events.clone(), |text, (name, place)| text.replace(name, place));
        format!("{}={events}", self.metric).parse().expect(BUNDLED)
    }
}

impl ModeText {
    /// The mode of the images that it runs.
    pub fn image(&self) -> &str {
        self.image.as_deref().unwrap_or(&self.name)
    }
}

impl ChipText {
    /// The button.
    pub fn button(&self) -> Pin {
        pin(&self.button)
    }

    /// The LED.
    pub fn led(&self) -> Pin {
        pin(&self.led)
    }

    /// The probe of the interrupt's handler and that of the task.
    pub fn probes(&self) -> (Pin, Pin) {
        (pin(&self.a), pin(&self.b))
    }
}

fn pin(name: &str) -> Pin {
    match format!("pin:{name}:edge").parse() {
        Ok(Event::Pin(pin, _)) => pin,
        _ => panic!("{BUNDLED}: {name} is no pin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclescope_chips::Part;

    #[test]
    fn the_bundled_question_is_consistent() {
        let definition = Button::bundled();
        for chip in &definition.chip {
            let part = Part::find(&chip.name).expect("a known part");
            let pins: Vec<Pin> = part.pins().collect();
            let (a, b) = chip.probes();
            assert!([chip.button(), chip.led(), a, b].iter().all(|pin| pins.contains(pin)), "{}", chip.name);
            for mode in &definition.mode {
                let spans = definition.spans(chip, mode);
                let expected = match (mode.pins, mode.bounce) {
                    (true, false) => 6,
                    _ => 2,
                };
                assert_eq!(spans.len(), expected, "{}", mode.name);
                assert!(spans.iter().all(|span| !span.to_string().contains('{')));
                assert!(matches!(
                    definition.presses(chip, mode, None),
                    Rule::Presses { presses: 1000, bounce, .. } if bounce.is_some() == mode.bounce
                ));
            }
        }
    }
}
