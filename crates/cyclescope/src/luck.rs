//! The request and the results of a look at luck: the same program in other layouts.

use std::num::NonZeroUsize;

use cyclescope_layout::LinkerMap;
use cyclescope_records::{Layouts, Record, Statistic};
use cyclescope_scope::Event;

use crate::backend::{MeasureRequest, RunSummary};

/// A guest to measure in other layouts.
#[derive(Clone, Copy, Debug)]
pub struct LuckRequest<'a> {
    /// The guest, its outside and the spans.
    pub measure: MeasureRequest<'a>,
    /// The number of layouts beside the image's own.
    pub layouts: u64,
    /// The seed that they are drawn from.
    pub seed: u64,
    /// The estimate of a span's samples that stands for a layout.
    pub statistic: Statistic,
    /// The linker's map, if symbols are not to tell what moves.
    pub map: Option<&'a LinkerMap>,
    /// The number of layouts in which each function's cycles are counted, the best and the worst among them.
    pub traced: usize,
    /// The event at which the layouts begin, from one state and with empty caches; none: reset.
    pub from: Option<&'a Event>,
    /// The number of runs that may go on at once.
    pub jobs: NonZeroUsize,
}

/// The figures of a span.
#[derive(Clone, Debug, PartialEq)]
pub struct LuckSpan {
    /// Its name.
    pub name: String,
    /// The figure of the image as it was linked.
    pub as_linked: f64,
    /// The figures of the layouts that gave one, in their order.
    pub layouts: Vec<f64>,
    /// The reason why a layout gave none, of the first that did not, and their number.
    pub missing: Option<(String, u64)>,
    /// The functions, with their least and most cycles in an occurrence of the span over the layouts that were looked at.
    pub functions: Vec<FunctionLuck>,
    /// The advice to a linker.
    pub advice: Option<Advice>,
}

/// The effect of placement on a function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionLuck {
    /// Its name.
    pub name: String,
    /// Its address in the image.
    pub address: u32,
    /// Its own cycles in an occurrence of the span, in the best layout of the span that was found.
    pub best: f64,
    /// The same in the worst.
    pub worst: f64,
    /// The least over the layouts that were looked at.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// A layout for a linker script, and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The lines of a linker script.
    pub script: String,
    /// The figure of the image with these functions there and the rest behind them, as the model has it.
    pub figure: f64,
}

/// The results.
#[derive(Debug)]
pub struct LuckOutcome {
    /// The spans.
    pub spans: Vec<LuckSpan>,
    /// Records: one a span, of its layouts.
    pub records: Vec<Record>,
    /// The number of units, and of those that may move.
    pub units: (usize, usize),
    /// The bytes that may move.
    pub bytes: u64,
    /// False for a part whose time depends on no address.
    pub depends: bool,
    /// The number of layouts that were run.
    pub ran: u64,
    /// The run was ended before all layouts were.
    pub interrupted: bool,
    /// The run of the image as it was linked.
    pub run: RunSummary,
}

impl LuckSpan {
    /// Returns its figures.
    pub fn figures(&self) -> Layouts {
        Layouts::new(self.as_linked, self.layouts.clone())
    }
}
