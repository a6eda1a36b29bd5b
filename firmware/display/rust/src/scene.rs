//! The picture, by embedded-graphics.

use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::FONT_6X10;
use embedded_graphics::pixelcolor::BinaryColor;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Line, PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Baseline, Text};

use crate::TITLES;

/// Draws frame `frame`.
pub fn draw<Display: DrawTarget<Color = BinaryColor>>(display: &mut Display, frame: u8) -> Result<(), Display::Error> {
    display.clear(BinaryColor::Off)?;
    let style = MonoTextStyle::new(&FONT_6X10, BinaryColor::On);
    Text::with_baseline("cyclescope", Point::new(2, 1), style, Baseline::Top).draw(display)?;
    Text::with_baseline(TITLES[usize::from(frame)], Point::new(84, 1), style, Baseline::Top).draw(display)?;
    Text::with_baseline("the quick brown fox", Point::new(2, 12), style, Baseline::Top).draw(display)?;
    let stroke = PrimitiveStyle::with_stroke(BinaryColor::On, 1);
    Line::new(Point::new(0, 23), Point::new(127, 23)).into_styled(stroke).draw(display)?;
    Line::new(Point::new(0, 24), Point::new(127, 63)).into_styled(stroke).draw(display)?;
    Line::new(Point::new(0, 63), Point::new(127, 24)).into_styled(stroke).draw(display)?;
    Rectangle::new(Point::new(4 + 13 * i32::from(frame), 35), Size::new(16, 16))
        .into_styled(PrimitiveStyle::with_fill(BinaryColor::On))
        .draw(display)
}
