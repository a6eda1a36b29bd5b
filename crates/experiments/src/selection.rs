//! The choice of runs.

use std::sync::Arc;

use cyclescope_chips::{MemorySetting, Part};

use crate::host::job::HostOptions;

/// The choice of runs. An empty list means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Chips.
    pub chips: Vec<String>,
    /// Contenders.
    pub contenders: Vec<String>,
    /// Modes.
    pub modes: Vec<String>,
    /// Optimisation levels.
    pub opts: Vec<String>,
    /// Memory settings.
    pub memory: Vec<MemorySetting>,
    /// Parts that a user describes, each run with the images of the part it comes from.
    pub parts: Vec<Arc<Part>>,
    /// When what is measured arrives; experiments that cannot choose have no jobs for anything but the default.
    pub arrivals: Arrivals,
    /// Another seed for what is drawn at random.
    pub seed: Option<u64>,
    /// Only what a digest shows is asked for.
    pub digest: bool,
    /// The setup of experiments on the host.
    pub host: Arc<HostOptions>,
}

/// The chips that a digest shows, unless it is asked for others: one of each of the most common cores.
const DIGESTED: [&str; 3] = ["stm32c031c6", "stm32f103c8", "stm32f446ze"];

impl Selection {
    /// Tells if images for `chip` run.
    pub(crate) fn takes_chip(&self, chip: &str) -> bool {
        let is_shown = !self.digest || !self.chips.is_empty() || DIGESTED.contains(&chip);
        is_shown && Self::takes(&self.chips, chip)
    }

    /// Tells if `name` is among `chosen`, or everything is.
    pub fn takes(chosen: &[String], name: &str) -> bool {
        chosen.is_empty() || chosen.iter().any(|one| one.eq_ignore_ascii_case(name))
    }
}

/// When an edge arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrivals {
    /// As the experiment's seeded generator says.
    #[default]
    Random,
    /// At each cycle of the experiment's window, or of one of so many cycles; on so many threads.
    Exhaustive(Option<u64>, std::num::NonZeroUsize),
    /// At this cycle after reset, under this [phase](cyclescope_scope::Phase) of the bus clocks.
    At(u64, u8),
}
