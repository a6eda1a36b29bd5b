use cyclescope_machine::Requests;

use super::*;

/// A display on SPI that is told when it is.
struct Bench {
    display: Ssd1306,
    requests: Requests,
    now: u64,
}

impl Bench {
    /// On, upright, with its charge pump.
    fn new(rows: u8) -> Self {
        let mut bench = Self { display: Ssd1306::on_spi(rows), requests: Requests::default(), now: 0 };
        bench.pin("res", true);
        bench.commands(&[0xA8, rows - 1, 0xA1, 0xC8, 0xDA, if rows == 64 { 0x12 } else { 0x02 }, 0x8D, 0x14, 0xAF]);
        bench
    }

    fn pin(&mut self, name: &str, high: bool) {
        let pin = ON_SPI.iter().position(|known| *known == name).unwrap();
        let mut contact = Contact::new(Picoseconds::new(self.now), &mut self.requests);
        self.display.pin(pin, high, &mut contact);
    }

    fn bytes(&mut self, data: bool, bytes: &[u8]) {
        self.pin("dc", data);
        for byte in bytes {
            self.now += 1;
            let mut contact = Contact::new(Picoseconds::new(self.now), &mut self.requests);
            assert_eq!(self.display.spi_byte(*byte, &mut contact), None, "it drives no line");
        }
    }

    fn commands(&mut self, bytes: &[u8]) {
        self.bytes(false, bytes);
    }

    fn data(&mut self, bytes: &[u8]) {
        self.bytes(true, bytes);
    }

    /// The lit pixels: column and row.
    fn lit(&self) -> Vec<(usize, usize)> {
        let picture = self.display.picture();
        let lit = |(y, row): (usize, &u128)| {
            let row = *row;
            (0..WIDTH).filter(move |x| row >> x & 1 != 0).map(move |x| (x, y))
        };
        picture.iter().enumerate().flat_map(lit).collect()
    }
}

#[test]
fn a_byte_is_eight_rows_and_remapping_turns_the_picture() {
    let mut bench = Bench::new(64);
    bench.data(&[0x01, 0x80]);
    assert_eq!(bench.lit(), [(0, 0), (1, 7)], "upright");
    bench.commands(&[0xC0]);
    assert_eq!(bench.lit(), [(1, 56), (0, 63)], "COM lines in the other order");
    bench.commands(&[0xA0, 0xC8]);
    assert_eq!(bench.lit(), [(127, 0), (126, 7)], "segments in the other order, for what was written, too");
    assert_eq!((bench.display.ram()[0], bench.display.ram()[1]), (0x01, 0x80));
}

#[test]
fn memory_is_written_in_the_three_orders() {
    let place = |bench: &Bench| {
        let at = |value| bench.display.ram().iter().position(|byte| *byte == value).map(|at| (at / 128, at % 128));
        (1..=7).map_while(at).collect::<Vec<_>>()
    };
    let mut bench = Bench::new(64);
    bench.commands(&[0x20, 0, 0x21, 126, 127, 0x22, 6, 7]);
    bench.data(&[1, 2, 3, 4]);
    assert_eq!(place(&bench), [(6, 126), (6, 127), (7, 126), (7, 127)], "horizontal");
    bench.data(&[5]);
    assert_eq!(bench.display.ram()[6 * 128 + 126], 5, "and from the beginning");
    let mut bench = Bench::new(64);
    bench.commands(&[0x20, 1, 0x21, 5, 6, 0x22, 0, 1]);
    bench.data(&[1, 2, 3, 4]);
    assert_eq!(place(&bench), [(0, 5), (1, 5), (0, 6), (1, 6)], "vertical");
    let mut bench = Bench::new(64);
    bench.commands(&[0xB3, 0x0E, 0x17]);
    bench.data(&[1, 2, 3]);
    assert_eq!(bench.display.ram()[3 * 128 + 126..4 * 128], [3, 2], "by page, from column 0x7e on and round");
}

#[test]
fn a_frame_is_finished_with_the_last_byte_of_its_window() {
    let mut bench = Bench::new(64);
    bench.commands(&[0x20, 0, 0x21, 0, 127, 0x22, 0, 7]);
    for frame in 1..=3 {
        bench.data(&[0xFF; 1023]);
        assert_eq!(bench.display.frames(), frame - 1);
        bench.data(&[0xFF]);
        assert_eq!(bench.display.frames(), frame);
    }
    let times: Vec<u64> = bench.display.kept_frames().map(|frame| frame.at.get()).collect();
    assert_eq!((times.len(), times[1] - times[0], times[2] - times[1]), (3, 1024, 1024));
    assert_eq!(times[2], bench.now);
    let mut bench = Bench::new(32);
    for page in 0..4 {
        bench.commands(&[0xB0 | page, 0x00, 0x10]);
        bench.data(&[0; 128]);
    }
    assert_eq!(bench.display.frames(), 1, "by page, of a panel of four");
}

#[test]
fn lines_move_as_the_tables_of_the_data_sheet_say() {
    let mut bench = Bench::new(64);
    bench.data(&[0x01]);
    bench.commands(&[0x40 | 8]);
    assert_eq!(bench.lit(), [(0, 56)], "start line 8: row 8 of memory is the first");
    bench.commands(&[0x40, 0xD3, 8]);
    assert_eq!(bench.lit(), [(0, 56)], "offset 8: COM0 shows row 7, and COM7 row 0");
    bench.commands(&[0xC0]);
    // COM56 is the eighth from above.
    assert_eq!(bench.lit(), [(0, 7)]);
    bench.commands(&[0xD3, 0, 0xA8, 47, 0xC8]);
    // 48 rows: COM47 shows row 0, sixteen rows of the panel stay dark.
    assert_eq!(bench.lit(), [(0, 16)]);
    bench.commands(&[0xA5]);
    assert_eq!(bench.lit().len(), 48 * 128);
}

#[test]
fn pixels_are_inverted_forced_and_dark() {
    let mut bench = Bench::new(32);
    bench.data(&[0xFF]);
    assert_eq!(bench.lit().len(), 8);
    bench.commands(&[0xA7]);
    assert_eq!(bench.lit().len(), 32 * 128 - 8);
    bench.commands(&[0xA6, 0xA5]);
    assert_eq!(bench.lit().len(), 32 * 128);
    bench.commands(&[0xA4, 0xAE]);
    assert_eq!(bench.lit(), []);
    bench.commands(&[0xAF, 0x8D, 0x10]);
    assert_eq!(bench.lit(), [], "no charge pump");
    bench.commands(&[0x8D, 0x14, 0x81, 0x33]);
    assert_eq!((bench.lit().len(), bench.display.contrast()), (8, 0x33));
    bench.pin("res", false);
    bench.pin("res", true);
    assert_eq!((bench.display.is_lit(), bench.display.contrast(), bench.display.ram()[0]), (false, 0x7F, 0xFF));
}

#[test]
fn what_it_cannot_do_is_said() {
    let mut bench = Bench::new(64);
    assert_eq!(bench.requests.complaints, [""; 0]);
    // Another clock, a scroll with its six arguments, its start, a wrong wiring of the rows, a ratio of 8, and no command at all.
    bench.commands(&[0xD5, 0x50, 0x26, 0, 0, 0, 7, 0, 0xFF, 0x2F, 0xDA, 0x02, 0xA8, 7, 0xFE, 0x20, 3]);
    let complaints = bench.requests.complaints.join("\n");
    for word in ["0xd5", "0xda 0x02", "0xa8", "0xfe", "0x20"] {
        assert!(complaints.contains(word), "{word}: {complaints}");
    }
    assert_eq!(bench.requests.complaints.len(), 5, "{complaints}");
}

#[test]
fn control_bytes_on_i2c_tell_data_from_commands() {
    let mut display = Ssd1306::on_i2c(64, 0x3D);
    let mut requests = Requests::default();
    let mut contact = Contact::new(Picoseconds::ZERO, &mut requests);
    let mut send = |bytes: &[u8]| {
        assert!(display.i2c_start(I2cAddress::Seven(0x3D), false, &mut contact));
        bytes.iter().for_each(|byte| assert!(display.i2c_write(*byte, &mut contact)));
        display.i2c_stop(&mut contact);
    };
    send(&[0x00, 0x8D, 0x14, 0xAF, 0xA1, 0xC8]);
    // One command, one byte of data, then commands to the end: a contrast.
    send(&[0x80, 0xA7, 0xC0, 0x55, 0x00, 0x81, 0x11]);
    send(&[0x40, 0x66, 0x77]);
    assert!(!display.i2c_start(I2cAddress::Seven(0x3C), false, &mut contact));
    assert!(display.i2c_start(I2cAddress::Seven(0x3D), true, &mut contact));
    assert_eq!(display.i2c_read(&mut contact), 0, "on");
    assert_eq!((display.ram()[..4].to_vec(), display.contrast()), (vec![0x55, 0x66, 0x77, 0], 0x11));
    assert!(display.pixel(1, 0) && !display.pixel(1, 1) && display.pixel(4, 0), "inverse");
}

/// The step of scrolling by `frames` after reset with `rows`: 54 clocks a row.
fn step(frames: u64, rows: u64) -> u64 {
    1_000_000_000_000 / 370_000 * 54 * rows * frames
}

impl Bench {
    /// Does what the display does by itself next; the time since the last command in picoseconds.
    fn wake(&mut self) -> u64 {
        let at = self.requests.alarm.take().expect("it scrolls");
        let since = at.get() - self.now;
        self.now = at.get();
        self.display.wake(&mut Contact::new(at, &mut self.requests));
        since
    }
}

#[test]
fn it_scrolls_pages_by_a_column_in_its_own_time() {
    let mut bench = Bench::new(64);
    bench.commands(&[0x20, 0x00, 0x21, 0, 127, 0x22, 0, 7]);
    bench.data(&[0x01]);
    bench.data(&[0; 127]);
    bench.data(&[0x02]);
    // Page 0 alone, to the right, every five frames.
    bench.commands(&[0x26, 0, 0, 0, 0, 0, 0xFF, 0x2F]);
    assert_eq!(bench.wake(), step(5, 64));
    assert_eq!(bench.lit(), [(1, 0), (0, 9)]);
    assert_eq!(bench.wake(), step(5, 64));
    assert_eq!(bench.lit(), [(2, 0), (0, 9)]);
    assert_eq!(bench.display.kept_frames().count(), 2);
    bench.commands(&[0x2E]);
    assert_eq!(bench.requests.alarm, None);
    // Both pages to the left, every two frames of half the clock.
    bench.commands(&[0xD5, 0x81, 0x27, 0, 0, 7, 1, 0, 0xFF, 0x2F]);
    assert_eq!(bench.wake(), 2 * step(2, 64));
    assert_eq!(bench.lit(), [(1, 0), (127, 9)]);
    assert!(bench.requests.complaints.is_empty(), "{:?}", bench.requests.complaints);
    bench.commands(&[0x2E, 0x26, 0, 3, 0, 2, 0, 0xFF, 0xA3, 60, 10]);
    assert_eq!(bench.requests.complaints.len(), 2, "pages and rows that are not there");
}

#[test]
fn an_area_scrolls_up_by_rows_and_the_rest_stays() {
    let mut bench = Bench::new(64);
    bench.commands(&[0x20, 0x00, 0x21, 0, 127, 0x22, 0, 7]);
    bench.data(&[0x01]);
    bench.data(&[0; 127]);
    bench.data(&[0x21]);
    // Eight rows stay, 56 scroll up by 3.
    bench.commands(&[0xA3, 8, 56, 0x29, 0, 0, 4, 7, 3, 0x2F]);
    assert_eq!(bench.wake(), step(3, 64));
    assert_eq!(bench.lit(), [(1, 0), (1, 10), (1, 61)], "and a column to the right");
    bench.wake();
    assert_eq!(bench.lit(), [(2, 0), (2, 58), (2, 63)]);
}
