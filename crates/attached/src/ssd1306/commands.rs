//! The commands of the SSD1306 ("Command table", "Command descriptions").

use cyclescope_machine::Contact;
use cyclescope_machine::units::Picoseconds;

use super::{Ssd1306, WIDTH};

/// The order in which memory is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Along a page, then the next page.
    Horizontal,
    /// Through the pages, then the next column.
    Vertical,
    /// Along a page, over and over.
    Page,
}

/// The scrolling that has been set up ("Continuous horizontal scroll setup", "Continuous vertical and horizontal scroll setup").
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scroll {
    /// It goes towards the lower columns.
    left: bool,
    first_page: u8,
    last_page: u8,
    /// The frames between two steps.
    frames: u64,
    /// The rows that a step goes up.
    rows: u8,
}

/// The oscillator's frequency at its setting after reset ("AC characteristics", FOSC, typical), in hertz.
const OSCILLATOR: u64 = 370_000;

/// The registers, with their values after reset.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// A command whose arguments are not all there.
    pending: Vec<u8>,
    pub(super) on: bool,
    pub(super) pump: bool,
    pub(super) contrast: u8,
    pub(super) all_on: bool,
    pub(super) inverse: bool,
    pub(super) mode: Mode,
    /// The column at which a page begins again in page mode.
    pub(super) first_column: u8,
    /// The window of memory: first and last.
    pub(super) columns: (u8, u8),
    pub(super) pages: (u8, u8),
    /// Column 0 is at the last segment.
    pub(super) mirrored: bool,
    /// The first row is at the last COM line.
    upside_down: bool,
    start_line: u8,
    offset: u8,
    /// The last row that is shown: the multiplex ratio less 1.
    last_row: u8,
    scroll: Scroll,
    /// True while it scrolls.
    pub(super) scrolls: bool,
    /// The rows that do not scroll from above, and the number of rows that do.
    area: (u8, u8),
    /// The rows that the area has scrolled up.
    scrolled: u8,
    /// The clock's divider and frequency, and the pre-charge period.
    clock: u8,
    precharge: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pending: Vec::new(),
            on: false,
            pump: false,
            contrast: 0x7F,
            all_on: false,
            inverse: false,
            mode: Mode::Page,
            first_column: 0,
            columns: (0, 127),
            pages: (0, 7),
            mirrored: false,
            upside_down: false,
            start_line: 0,
            offset: 0,
            last_row: 63,
            scroll: Scroll::default(),
            scrolls: false,
            area: (0, 64),
            scrolled: 0,
            clock: 0x80,
            precharge: 0x22,
        }
    }
}

/// The bytes that follow the command `code`.
const fn arguments(code: u8) -> usize {
    match code {
        0x20 | 0x81 | 0x8D | 0xA8 | 0xD3 | 0xD5 | 0xD9 | 0xDA | 0xDB => 1,
        0x21 | 0x22 | 0xA3 => 2,
        0x29 | 0x2A => 5,
        0x26 | 0x27 => 6,
        _ => 0,
    }
}

impl Settings {
    /// Takes a byte of a command; returns the command when it is whole.
    pub(super) fn collect(&mut self, byte: u8) -> Option<Vec<u8>> {
        self.pending.push(byte);
        let whole = self.pending.len() > arguments(self.pending[0]);
        whole.then(|| std::mem::take(&mut self.pending))
    }

    /// The row of memory that the COM line `com` shows (tables 10-1 and 10-2).
    pub(super) fn row(&self, com: u8) -> Option<u8> {
        let line = if self.upside_down { self.last_row.wrapping_sub(com) } else { com };
        let row = line.wrapping_add(self.offset) & 63;
        let (top, rows) = self.area;
        let scrolled = match row.checked_sub(top).filter(|inside| *inside < rows) {
            Some(inside) => top + (inside + self.scrolled) % rows,
            None => row,
        };
        (row <= self.last_row).then_some(scrolled.wrapping_add(self.start_line) & 63)
    }

    /// The time between two steps of scrolling ("Frame frequency": oscillator by divider, by clocks of a row, by rows).
    pub(super) fn step(&self) -> Picoseconds {
        let divider = u64::from(self.clock & 15) + 1;
        let row = u64::from(self.precharge & 15) + u64::from(self.precharge >> 4) + 50;
        let rows = u64::from(self.last_row) + 1;
        Picoseconds::new(1_000_000_000_000 / OSCILLATOR * divider * row * rows * self.scroll.frames.max(2))
    }
}

impl Ssd1306 {
    /// Carries out a command with its arguments.
    pub(super) fn carry_out(&mut self, command: &[u8], contact: &mut Contact<'_>) {
        let argument = |index: usize| command.get(index).copied().unwrap_or(0);
        let (code, first, second) = (argument(0), argument(1), argument(2));
        let rows = self.rows;
        let settings = &mut self.settings;
        match code {
            0x00..=0x1F => {
                let column = settings.first_column;
                let column = if code < 0x10 { column & 0x70 | code } else { column & 0x0F | (code & 7) << 4 };
                settings.first_column = column;
                if settings.mode == Mode::Page {
                    self.column = column;
                }
            }
            0x20 => match first & 3 {
                0 => settings.mode = Mode::Horizontal,
                1 => settings.mode = Mode::Vertical,
                2 => settings.mode = Mode::Page,
                _ => contact.complain("command 0x20 has no addressing mode 3"),
            },
            0x21 => {
                settings.columns = (first & 0x7F, second & 0x7F);
                self.column = first & 0x7F;
            }
            0x22 => {
                settings.pages = (first & 7, second & 7);
                self.page = first & 7;
            }
            0x26 | 0x27 | 0x29 | 0x2A => {
                settings.scroll = Scroll {
                    left: code == 0x27 || code == 0x2A,
                    first_page: second & 7,
                    frames: [5, 64, 128, 256, 3, 4, 25, 2][usize::from(argument(3) & 7)],
                    last_page: argument(4) & 7,
                    rows: if code > 0x27 { argument(5) & 63 } else { 0 },
                };
                if settings.scroll.first_page > settings.scroll.last_page {
                    contact.complain(format!("command {code:#04x} ends scrolling at a page before its first"));
                }
            }
            0x2E => {
                settings.scrolls = false;
                contact.sleep();
            }
            0x2F => {
                settings.scrolls = true;
                if settings.clock >> 4 != 8 {
                    contact.complain("it scrolls as if its oscillator had its frequency after reset (command 0xd5)");
                }
                contact.wake_at(contact.now() + settings.step());
            }
            0xA3 => {
                let (top, scrolling) = (first & 63, second & 127);
                if top + scrolling > settings.last_row + 1 {
                    contact.complain("command 0xa3 scrolls more rows than the multiplex ratio has");
                } else {
                    (settings.area, settings.scrolled) = ((top, scrolling), 0);
                }
            }
            0x40..=0x7F => settings.start_line = code & 63,
            0x81 => settings.contrast = first,
            0x8D => settings.pump = first & 4 != 0,
            0xA0 | 0xA1 => settings.mirrored = code & 1 != 0,
            0xA4 | 0xA5 => settings.all_on = code & 1 != 0,
            0xA6 | 0xA7 => settings.inverse = code & 1 != 0,
            0xA8 if first & 63 < 15 => contact.complain("command 0xa8 has no multiplex ratio below 16"),
            0xA8 => settings.last_row = first & 63,
            0xAE | 0xAF => settings.on = code & 1 != 0,
            0xB0..=0xB7 => self.page = code & 7,
            0xC0..=0xCF => settings.upside_down = code & 8 != 0,
            0xD3 => settings.offset = first & 63,
            // The clock and the pre-charge period decide how fast it scrolls; the deselect level changes no pixel.
            0xD5 => settings.clock = first,
            0xD9 => settings.precharge = first,
            0xDB | 0xE3 => {}
            // A panel of 64 rows has its COM lines in alternative order, one of 32 rows in sequence.
            0xDA if (first & 0x30 == 0x10) == (rows > 32) && first & 0x20 == 0 => {}
            0xDA => contact.complain(format!(
                "command 0xda {first:#04x} does not fit a panel of {rows} rows, whose rows it shows in another order"
            )),
            _ => contact.complain(format!("it has no command {code:#04x}")),
        }
    }

    /// Scrolls by a step: the memory of its pages by a column, the area by its rows.
    pub(super) fn scroll(&mut self) {
        let Scroll { left, first_page, last_page, rows, .. } = self.settings.scroll;
        for page in usize::from(first_page)..=usize::from(last_page) {
            let columns = &mut self.ram[page * WIDTH..(page + 1) * WIDTH];
            if left { columns.rotate_left(1) } else { columns.rotate_right(1) }
        }
        let (_, scrolling) = self.settings.area;
        if scrolling > 0 {
            self.settings.scrolled = (self.settings.scrolled + rows) % scrolling;
        }
    }
}
