//! Drawing into the picture that a display of 128 by 64 pixels keeps: 8 pages of 128 columns, each byte 8 rows with the
//! uppermost in bit 0.

use super::font;

pub const WIDTH: usize = 128;
pub const HEIGHT: usize = 64;

/// The picture.
pub struct Picture([u8; WIDTH * HEIGHT / 8]);

impl Picture {
    pub const fn new() -> Self {
        Self([0; WIDTH * HEIGHT / 8])
    }

    pub const fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    fn pixel(&mut self, x: u8, y: u8) {
        self.0[usize::from(y / 8) * WIDTH + usize::from(x)] |= 1 << (y % 8);
    }

    /// `bits` of column `x`, bit 0 in row `y`.
    fn column(&mut self, x: u8, y: u8, bits: u32) {
        let mut at = usize::from(y / 8) * WIDTH + usize::from(x);
        let mut bits = bits << (y % 8);
        while bits != 0 {
            self.0[at] |= bits as u8;
            bits >>= 8;
            at += WIDTH;
        }
    }

    /// A text whose glyphs' upper left corner is at `x`, `y`.
    pub fn text(&mut self, mut x: u8, y: u8, text: &str) {
        for byte in text.bytes() {
            for column in font::GLYPHS[usize::from(byte - font::FIRST)] {
                self.column(x, y, u32::from(column));
                x += 1;
            }
        }
    }

    /// Bresenham's.
    pub fn line(&mut self, (mut x, mut y): (u8, u8), (x1, y1): (u8, u8)) {
        let (dx, dy) = (i16::from(x1.abs_diff(x)), i16::from(y1.abs_diff(y)));
        let (step_x, step_y) = (if x1 > x { 1 } else { -1 }, if y1 > y { 1 } else { -1 });
        let mut error = dx - dy;
        loop {
            self.pixel(x, y);
            if x == x1 && y == y1 {
                return;
            }
            let twice = 2 * error;
            if twice > -dy {
                error -= dy;
                x = x.wrapping_add_signed(step_x);
            }
            if twice < dx {
                error += dx;
                y = y.wrapping_add_signed(step_y);
            }
        }
    }

    /// The pixels from `x0` to `x1` of row `y`.
    pub fn row(&mut self, x0: u8, x1: u8, y: u8) {
        let row = usize::from(y / 8) * WIDTH;
        for byte in &mut self.0[row + usize::from(x0)..=row + usize::from(x1)] {
            *byte |= 1 << (y % 8);
        }
    }

    /// A filled box.
    pub fn filled_box(&mut self, x: u8, y: u8, width: u8, height: u8) {
        let bits = (1 << height) - 1;
        for column in 0..width {
            self.column(x + column, y, bits);
        }
    }
}
