//! The controller SSD1306 with a panel of 128 by 64 pixels (Solomon Systech, "SSD1306", rev. 1.1).

use super::draw::{HEIGHT, Picture, WIDTH};
use super::wire;

/// Turns the display on, upright, with its charge pump.
pub fn init() {
    #[rustfmt::skip]
    wire::send(false, &[
        0xAE,       // off
        0xD5, 0x80, // clock
        0xA8, 63,   // rows
        0xD3, 0,    // offset
        0x40,       // start line
        0x8D, 0x14, // charge pump
        0x20, 0,    // horizontal addressing
        0xDA, 0x12, // COM lines of a panel of 64 rows
        0xA1, 0xC8, // upright
        0x81, 0x5F, // contrast
        0xD9, 0x22, // pre-charge
        0xDB, 0x20, // deselect level
        0xA4, 0xA6, // the memory, not inverted
        0x2E,       // no scrolling
        0xAF,       // on
    ]);
}

/// Sends the whole picture.
pub fn flush(picture: &Picture) {
    wire::send(false, &[0x21, 0, WIDTH as u8 - 1, 0x22, 0, HEIGHT as u8 / 8 - 1]);
    wire::send(true, picture.bytes());
}
