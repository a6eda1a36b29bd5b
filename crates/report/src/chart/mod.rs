//! Charts for people: points over two axes as a value, which knows nothing of its renderers.
//!
//! A chart has curves, each with its ideal beside it. [`chart()`] draws it in characters, [`svg`](svg()) as a picture.

mod grid;
mod scale;
mod svg;
mod text;

pub use scale::{Frame, Tick};
pub(crate) use svg::DrawError;
pub use svg::svg;
pub use text::chart;

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal lengths.
    #[default]
    Linear,
    /// Equal ratios are equal lengths; values that are not positive cannot be shown.
    Logarithmic,
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity.
    pub name: String,
    /// The unit of its numbers, if it has one.
    pub unit: Option<String>,
    /// The scale.
    pub scale: Scale,
    /// The values at which it has a mark; empty: those that the renderer finds round.
    pub marks: Vec<f64>,
}

impl Axis {
    /// An axis of numbers in `unit`.
    pub fn quantity(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: Some(unit.into()), ..Self::default() }
    }

    /// An axis of numbers without a unit.
    pub fn number(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same on another scale.
    pub fn on(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    /// The same with marks at these values.
    pub fn marked(self, marks: impl IntoIterator<Item = f64>) -> Self {
        Self { marks: marks.into_iter().collect(), ..self }
    }

    /// `name (unit)`, or the name alone.
    pub fn title(&self) -> String {
        self.unit.as_ref().map_or_else(|| self.name.clone(), |unit| format!("{} ({unit})", self.name))
    }
}

/// The shape of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Straight lines, in the order of points.
    #[default]
    Line,
    /// A line that measured ones are held against: drawn faint, without marks at its points.
    Ideal,
}

/// One point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// The place along the first axis.
    pub x: f64,
    /// Its value on the second axis.
    pub y: f64,
    /// The ends of its confidence interval on the second axis, lower first.
    pub interval: Option<(f64, f64)>,
}

impl Point {
    /// A point without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, ..Self::default() }
    }

    /// The same with a confidence interval.
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { interval: Some((low, high)), ..self }
    }
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name. An ideal has the name of the series that it belongs to, or one of its own.
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// The points, by rising `x`.
    pub points: Vec<Point>,
}

/// Points over two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// One line above; may be empty.
    pub title: String,
    /// The axis that runs to the right.
    pub x: Axis,
    /// The axis that runs up.
    pub y: Axis,
    /// The series; later ones lie over earlier ones, and all over the ideals.
    pub series: Vec<Series>,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, series: Vec::new() }
    }

    /// Appends a series.
    pub fn series(
        &mut self,
        name: impl Into<String>,
        shape: Shape,
        points: impl IntoIterator<Item = Point>,
    ) -> &mut Self {
        self.series.push(Series { name: name.into(), shape, points: points.into_iter().collect() });
        self
    }

    /// The part of both axes that is shown; none where nothing can be.
    pub fn frames(&self) -> Option<(Frame<'_>, Frame<'_>)> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let y = points().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        Some((Frame::of(&self.x, points().map(|point| point.x))?, Frame::of(&self.y, y)?))
    }

    /// The ideals, which lie below all else.
    pub(crate) fn ideals(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| series.shape == Shape::Ideal)
    }

    /// All others.
    pub(crate) fn measured(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| series.shape != Shape::Ideal)
    }
}
