//! The controller SSD1306 of OLED displays of 128 by 64 or 128 by 32 pixels, on I2C or SPI (Solomon Systech, "SSD1306",
//! rev. 1.1).
//!
//! [`Ssd1306::picture`] is the panel as a person sees it: upright, mounted as modules have it, with the segments and the COM
//! lines remapped (commands 0xA1 and 0xC8).

mod commands;
mod image;

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, I2cAddress};

use self::commands::{Mode, Settings};
use crate::{AttachError, FRAMES_OPTION, Kind, Options, PICTURE_OPTION};

/// The kind.
pub const KIND: Kind = Kind {
    name: "ssd1306",
    summary: "OLED display on I2C or SPI",
    options: &[
        ("i2c", "on I2C (default)"),
        ("spi", "on SPI with four wires"),
        ("128x64", "128 by 64 pixels (default)"),
        ("128x32", "128 by 32 pixels"),
        ("address=0x3c", "its address on I2C, 0x3c or 0x3d"),
        ("vcc", "the panel has a supply of its own and needs no charge pump"),
        PICTURE_OPTION,
        FRAMES_OPTION,
    ],
    places: &["i2c1", "scl=PB6,sda=PB7", "spi1,cs=PA4,dc=PA3"],
    make,
};

/// Columns of the panel.
pub const WIDTH: usize = 128;
const RAM: usize = 1024;
/// Finished frames that are kept.
const FRAMES: usize = 4096;

/// A finished frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The simulated time since reset at which it was finished.
    pub at: Picoseconds,
    /// The panel as [`Ssd1306::picture`] gives it.
    pub rows: Arc<[u128]>,
}

impl Frame {
    /// Returns the picture as a file in the format PNG, a pixel for each of the panel's.
    pub fn png(&self) -> Vec<u8> {
        image::png(&self.rows)
    }

    /// Returns the picture as lines of blocks, two pixels of height a line; `narrow` also two of width a column.
    pub fn blocks(&self, narrow: bool) -> Vec<String> {
        image::blocks(&self.rows, narrow)
    }
}

/// Its pins on I2C, and on SPI.
const ON_I2C: &[&str] = &["scl", "sda", "res"];
const ON_SPI: &[&str] = &["sck", "mosi", "cs", "dc", "res"];

/// The meaning of the next byte on I2C ("I2C-bus write data").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A control byte.
    Control,
    /// A byte of data (`true`) or a command, then a control byte.
    One(bool),
    /// Data (`true`) or commands until the stop.
    All(bool),
}

/// The display.
#[derive(Clone, Debug)]
pub struct Ssd1306 {
    spi: bool,
    rows: u8,
    address: u8,
    supplied: bool,
    ram: Box<[u8; RAM]>,
    settings: Settings,
    /// The place of the next byte of data.
    column: u8,
    page: u8,
    next: Next,
    /// The level of D/C: `true` for data.
    data: bool,
    resets: bool,
    frames: u64,
    kept: VecDeque<Frame>,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let spi = options.word(&["i2c", "spi"]) == Some("spi");
    let rows = if options.word(&["128x64", "128x32"]) == Some("128x32") { 32 } else { 64 };
    let supplied = options.word(&["vcc"]).is_some();
    let mut display = if spi {
        Ssd1306::on_spi(rows)
    } else {
        let address = options.number("address", "0x3c or 0x3d", |address| matches!(address, 0x3C | 0x3D))?;
        Ssd1306::on_i2c(rows, address.map_or(0x3C, |address| address as u8))
    };
    display.supplied = supplied;
    Ok(Box::new(display))
}

impl Ssd1306 {
    /// A display of `rows` rows (32 or 64) on I2C, at `address`. Its memory holds zeros.
    pub fn on_i2c(rows: u8, address: u8) -> Self {
        Self::new(false, rows, address)
    }

    /// A display of `rows` rows (32 or 64) on SPI.
    pub fn on_spi(rows: u8) -> Self {
        Self::new(true, rows, 0)
    }

    fn new(spi: bool, rows: u8, address: u8) -> Self {
        Self {
            spi,
            rows: rows.min(64),
            address,
            supplied: false,
            ram: Box::new([0; RAM]),
            settings: Settings::default(),
            column: 0,
            page: 0,
            next: Next::Control,
            data: false,
            resets: false,
            frames: 0,
            kept: VecDeque::new(),
        }
    }

    /// The memory: 8 pages of 128 columns, each byte 8 rows with the uppermost in bit 0.
    pub const fn ram(&self) -> &[u8; RAM] {
        &self.ram
    }

    /// The rows of the panel.
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// The contrast, 0 to 255.
    pub const fn contrast(&self) -> u8 {
        self.settings.contrast
    }

    /// True if pixels can light: the display is on, with its charge pump or a supply of its own.
    pub const fn is_lit(&self) -> bool {
        self.settings.on && (self.settings.pump || self.supplied) && !self.resets
    }

    /// The number of finished frames: how often the last byte of the window of memory was written.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// The last 4,096 finished frames and steps of scrolling, the oldest first.
    pub fn kept_frames(&self) -> impl Iterator<Item = &Frame> {
        self.kept.iter()
    }

    /// The frames of the run so far: the [kept](Self::kept_frames) ones, and what the panel shows at `now` where that is another
    /// picture than the last of them. A panel that has never been on has none.
    pub fn shown(&self, now: Picoseconds) -> Vec<Frame> {
        let mut frames: Vec<Frame> = self.kept.iter().cloned().collect();
        let last: Arc<[u128]> = self.picture().into();
        let is_new = frames.last().map_or(self.is_lit(), |before| before.rows != last);
        if is_new {
            frames.push(Frame { at: now, rows: last });
        }
        frames
    }

    /// The panel as a person sees it: a number a row, from above, with the leftmost pixel in bit 0.
    pub fn picture(&self) -> Vec<u128> {
        let row = |y| (0..WIDTH as u8).fold(0u128, |row, x| row | u128::from(self.pixel(x, y)) << x);
        (0..self.rows).map(row).collect()
    }

    /// True if the pixel `x` from the left and `y` from above is lit.
    pub fn pixel(&self, x: u8, y: u8) -> bool {
        if x >= WIDTH as u8 || y >= self.rows || !self.is_lit() {
            return false;
        }
        let settings = &self.settings;
        // The panel's upper left corner is its last segment and its last COM line.
        let (segment, com) = (WIDTH as u8 - 1 - x, self.rows - 1 - y);
        let Some(row) = settings.row(com) else { return false };
        if settings.all_on {
            return true;
        }
        let column = if settings.mirrored { WIDTH as u8 - 1 - segment } else { segment };
        let bit = self.ram[usize::from(row / 8) * WIDTH + usize::from(column)] >> (row % 8) & 1 != 0;
        bit != settings.inverse
    }

    /// A byte of data.
    fn write(&mut self, byte: u8, contact: &Contact<'_>) {
        self.ram[usize::from(self.page & 7) * WIDTH + usize::from(self.column & 0x7F)] = byte;
        let Settings { mode, columns, pages, .. } = self.settings;
        let (at_column, at_page) = match mode {
            Mode::Page => (self.column == WIDTH as u8 - 1, self.page == self.rows / 8 - 1),
            _ => (self.column == columns.1, self.page == pages.1),
        };
        let after = |at: u8, window: (u8, u8), last: u8| if at == window.1 { window.0 } else { (at + 1) & last };
        match mode {
            Mode::Page if at_column => self.column = self.settings.first_column,
            Mode::Page => self.column += 1,
            Mode::Horizontal => {
                self.column = after(self.column, columns, 0x7F);
                if at_column {
                    self.page = after(self.page, pages, 7);
                }
            }
            Mode::Vertical => {
                self.page = after(self.page, pages, 7);
                if at_page {
                    self.column = after(self.column, columns, 0x7F);
                }
            }
        }
        if at_column && at_page {
            self.frames += 1;
            self.keep(contact.now());
        }
    }

    /// Keeps the picture of `now` as a frame.
    fn keep(&mut self, now: Picoseconds) {
        if self.kept.len() == FRAMES {
            self.kept.pop_front();
        }
        let rows: Arc<[u128]> = self.picture().into();
        let same = self.kept.back().filter(|last| last.rows == rows).map(|last| last.rows.clone());
        self.kept.push_back(Frame { at: now, rows: same.unwrap_or(rows) });
    }

    /// A byte of a command.
    fn command(&mut self, byte: u8, contact: &mut Contact<'_>) {
        if let Some(complete) = self.settings.collect(byte) {
            self.carry_out(&complete, contact);
        }
    }

    fn take(&mut self, byte: u8, data: bool, contact: &mut Contact<'_>) {
        if self.resets {
            return;
        }
        if data { self.write(byte, contact) } else { self.command(byte, contact) }
    }

    fn reset(&mut self) {
        self.settings = Settings::default();
        (self.column, self.page, self.next) = (0, 0, Next::Control);
    }
}

impl Attached for Ssd1306 {
    fn pins(&self) -> &'static [&'static str] {
        if self.spi { ON_SPI } else { ON_I2C }
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn i2c_start(&mut self, address: I2cAddress, _: bool, _: &mut Contact<'_>) -> bool {
        self.next = Next::Control;
        address == I2cAddress::Seven(self.address) && !self.resets
    }

    fn i2c_write(&mut self, byte: u8, contact: &mut Contact<'_>) -> bool {
        let (data, next) = match self.next {
            // Co and D/C#.
            Next::Control => {
                let data = byte & 0x40 != 0;
                self.next = if byte & 0x80 != 0 { Next::One(data) } else { Next::All(data) };
                return true;
            }
            Next::One(data) => (data, Next::Control),
            Next::All(data) => (data, self.next),
        };
        self.next = next;
        self.take(byte, data, contact);
        true
    }

    /// The status: bit 6 is set while the display is off ("Read status").
    fn i2c_read(&mut self, _: &mut Contact<'_>) -> u8 {
        u8::from(!self.settings.on) << 6
    }

    fn spi_byte(&mut self, byte: u8, contact: &mut Contact<'_>) -> Option<u8> {
        self.take(byte, self.data, contact);
        None
    }

    /// It scrolls by a step.
    fn wake(&mut self, contact: &mut Contact<'_>) {
        if self.settings.scrolls {
            self.scroll();
            self.keep(contact.now());
            contact.wake_at(contact.now() + self.settings.step());
        }
    }

    fn pin(&mut self, pin: usize, high: bool, _: &mut Contact<'_>) {
        match self.pins()[pin] {
            "dc" => self.data = high,
            "res" => {
                self.resets = !high;
                self.reset();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
