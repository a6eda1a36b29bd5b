//! The commands of the SSD1306 ("Command table", "Command descriptions").

use cyclescope_machine::Contact;

use super::Ssd1306;

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
        (row <= self.last_row).then_some(row.wrapping_add(self.start_line) & 63)
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
            0x26..=0x2A | 0xA3 | 0x2E => {}
            0x2F => contact.complain("it does not scroll (command 0x2f)"),
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
            // The clock, the pre-charge period and the deselect level change no pixel.
            0xD5 | 0xD9 | 0xDB | 0xE3 => {}
            // A panel of 64 rows has its COM lines in alternative order, one of 32 rows in sequence.
            0xDA if (first & 0x30 == 0x10) == (rows > 32) && first & 0x20 == 0 => {}
            0xDA => contact.complain(format!(
                "command 0xda {first:#04x} does not fit a panel of {rows} rows, whose rows it shows in another order"
            )),
            _ => contact.complain(format!("it has no command {code:#04x}")),
        }
    }
}
