//! The picture of each frame, as embedded-graphics draws it on the host.

use std::convert::Infallible;

use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::FONT_6X10;
use embedded_graphics::pixelcolor::BinaryColor;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Line, PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Baseline, Text};

use crate::RunError;

/// The panel's size.
const SIZE: Size = Size::new(128, 64);

/// Rows from above, with the leftmost pixel in bit 0, as the attached display gives them.
struct Panel(Vec<u128>);

impl OriginDimensions for Panel {
    fn size(&self) -> Size {
        SIZE
    }
}

impl DrawTarget for Panel {
    type Color = BinaryColor;
    type Error = Infallible;

    fn draw_iter<Pixels: IntoIterator<Item = Pixel<BinaryColor>>>(&mut self, pixels: Pixels) -> Result<(), Infallible> {
        for Pixel(at, color) in pixels {
            let row = usize::try_from(at.y).ok().and_then(|y| self.0.get_mut(y));
            if let Some(row) = row.filter(|_| (0..128).contains(&at.x)) {
                *row = *row & !(1 << at.x) | u128::from(color.is_on()) << at.x;
            }
        }
        Ok(())
    }
}

/// Draws frame `frame`, from 0, as firmware/README.md describes it.
pub fn frame(frame: usize) -> Vec<u128> {
    let mut panel = Panel(vec![0; SIZE.height as usize]);
    let style = MonoTextStyle::new(&FONT_6X10, BinaryColor::On);
    let title = format!("frame {frame}");
    for (text, x, y) in [("cyclescope", 2, 1), (title.as_str(), 84, 1), ("the quick brown fox", 2, 12)] {
        let Ok(_) = Text::with_baseline(text, Point::new(x, y), style, Baseline::Top).draw(&mut panel);
    }
    let stroke = PrimitiveStyle::with_stroke(BinaryColor::On, 1);
    for (from, to) in [((0, 23), (127, 23)), ((0, 24), (127, 63)), ((0, 63), (127, 24))] {
        let Ok(()) = Line::new(from.into(), to.into()).into_styled(stroke).draw(&mut panel);
    }
    let x = i32::try_from(4 + 13 * frame).unwrap_or(i32::MAX);
    let filled = PrimitiveStyle::with_fill(BinaryColor::On);
    let Ok(()) = Rectangle::new(Point::new(x, 35), Size::new(16, 16)).into_styled(filled).draw(&mut panel);
    panel.0
}

/// Compares what the panel showed with frame `number`, pixel for pixel.
///
/// # Errors
/// [`RunError::Picture`] with the number of pixels that differ and the first of them.
pub fn check(number: usize, shown: &[u128]) -> Result<(), RunError> {
    let expected = frame(number);
    let row = |rows: &[u128], y: usize| rows.get(y).copied().unwrap_or(0);
    let differ = |y: usize| row(shown, y) ^ row(&expected, y);
    let rows = shown.len().max(expected.len());
    let pixels: u32 = (0..rows).map(|y| differ(y).count_ones()).sum();
    match (0..rows).find(|y| differ(*y) != 0) {
        Some(y) => Err(RunError::Picture { frame: number, pixels, x: differ(y).trailing_zeros(), y }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_has_another_box_and_one_wrong_pixel_is_found() {
        for number in 0..8 {
            check(number, &frame(number)).unwrap();
            let mut wrong = frame(number);
            wrong[40] ^= 1 << 97;
            let error = check(number, &wrong).unwrap_err();
            assert!(matches!(error, RunError::Picture { pixels: 1, x: 97, y: 40, .. }), "{error}");
            assert_eq!(frame(number)[36] >> (4 + 13 * number) & 0xFFFF, 0xFFFF, "the box");
        }
        assert!(check(1, &frame(0)).is_err());
    }
}
