//! Charts as a picture.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;

use super::{Chart, Frame};
use crate::ReportError;
use crate::text::visible;

/// Picture points.
const WIDTH: u32 = 900;
const HEIGHT: u32 = 440;
/// Of the width, what the names of series have.
const LEGEND: u32 = 190;
/// The width of a swatch.
const KEY: i32 = 14;

/// Colours that people with any eyes tell apart (Okabe and Ito, 2008), darkest last.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Why a picture could not be drawn.
pub(crate) type DrawError = DrawingAreaErrorKind<std::io::Error>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// An axis as the library asks for it.
struct PlotAxis<'a>(Frame<'a>);

impl Ranged for PlotAxis<'_> {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let place = self.0.place(*value).unwrap_or(0.0).clamp(-1.0, 2.0);
        limit.0 + (place * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Light lines between the marks are left out.
        self.0.ticks(hint.bold_points().min(9)).into_iter().map(|tick| tick.value).collect()
    }

    fn range(&self) -> Range<f64> {
        let [low, high] = self.0.values();
        low..high
    }
}

impl ValueFormatter<f64> for PlotAxis<'_> {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.0.ticks(9).into_iter().find(|tick| tick.value == *value);
        visible(&tick.map_or_else(|| super::scale::label(*value), |tick| tick.label))
    }
}

/// The charts one below the other, as a whole SVG document that needs nothing beside itself.
///
/// # Errors
/// [`ReportError::Chart`] if the picture cannot be drawn.
pub fn svg(charts: &[&Chart]) -> Result<String, ReportError> {
    let mut out = String::new();
    let rows = u32::try_from(charts.len().max(1)).unwrap_or(u32::MAX);
    {
        let root = SVGBackend::with_string(&mut out, (WIDTH, HEIGHT.saturating_mul(rows))).into_drawing_area();
        root.fill(&WHITE)?;
        for (area, chart) in root.split_evenly((rows as usize, 1)).iter().zip(charts) {
            one(area, chart)?;
        }
        root.present()?;
    }
    Ok(out)
}

fn one(area: &Area<'_>, chart: &Chart) -> Result<(), DrawError> {
    let Some((x, y)) = chart.frames() else { return Ok(()) };
    // Names stand beside the plot, where they cover nothing.
    let (left, right) = area.split_horizontally(WIDTH - LEGEND);
    let mut drawn = ChartBuilder::on(&left)
        .caption(visible(&chart.title), ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(PlotAxis(x.clone()), PlotAxis(y.clone()))?;
    drawn
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .x_desc(visible(&chart.x.title()))
        .y_desc(visible(&chart.y.title()))
        .x_label_formatter(&|value| PlotAxis(x.clone()).format_ext(value))
        .y_label_formatter(&|value| PlotAxis(y.clone()).format_ext(value))
        .label_style(("sans-serif", 13))
        .draw()?;
    let colour_of = |name: &str| {
        let number = chart.measured().position(|series| series.name == name);
        number.map_or(BLACK, |number| COLOURS[number % COLOURS.len()])
    };
    let shown = |value: (f64, f64)| x.on(value.0).is_some() && y.on(value.1).is_some();
    for series in chart.ideals() {
        let colour = colour_of(&series.name).mix(0.7);
        let places: Vec<(f64, f64)> =
            series.points.iter().map(|point| (point.x, point.y)).filter(|p| shown(*p)).collect();
        // Straight lines on the scale need no more than their points.
        drawn.draw_series(DashedLineSeries::new(places, 5, 4, colour.stroke_width(1)))?;
    }
    for series in chart.measured() {
        let colour = colour_of(&series.name);
        let places: Vec<(f64, f64)> =
            series.points.iter().map(|point| (point.x, point.y)).filter(|p| shown(*p)).collect();
        drawn.draw_series(LineSeries::new(places.clone(), colour.stroke_width(2)))?;
        let intervals = series.points.iter().filter_map(|point| {
            let (low, high) = point.interval?;
            let all = x.on(point.x).is_some() && y.on(low).is_some() && y.on(high).is_some();
            all.then(|| ErrorBar::new_vertical(point.x, low, point.y, high, colour.stroke_width(1), 7))
        });
        drawn.draw_series(intervals)?;
        drawn.draw_series(places.iter().map(|place| Circle::new(*place, 3, colour.filled())))?;
    }
    legend(&right, chart, &colour_of)
}

/// The names of the series, each behind a swatch of its colour.
fn legend(area: &Area<'_>, chart: &Chart, colour_of: &dyn Fn(&str) -> RGBColor) -> Result<(), DrawError> {
    let text = |words: String, row: i32| Text::new(words, (KEY + 8, row - 7), ("sans-serif", 13).into_font());
    // Below the caption.
    let mut row = 52;
    for series in chart.measured() {
        let swatch = [(0, row - 4), (KEY, row + 4)];
        area.draw(&Rectangle::new(swatch, colour_of(&series.name).filled()))?;
        area.draw(&text(visible(&series.name), row))?;
        row += 18;
    }
    if chart.ideals().next().is_some() {
        area.draw(&PathElement::new([(0, row), (5, row)], BLACK.mix(0.7)))?;
        area.draw(&PathElement::new([(9, row), (KEY, row)], BLACK.mix(0.7)))?;
        area.draw(&text("dashed: ideal".to_owned(), row))?;
    }
    Ok(())
}
