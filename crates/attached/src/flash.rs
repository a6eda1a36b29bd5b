//! The flash memory W25Q32 on SPI: 4 MiB in pages of 256 bytes and sectors of 4 KiB (Winbond, "W25Q32JV", rev. G).
//!
//! It has the instructions over one data line. Those over two and four, security registers, suspension and the discoverable
//! parameters are complained of when used.

use std::any::Any;
use std::sync::Arc;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact};

use crate::{AttachError, FILE_OPTION, Kind, Options, SAVE_OPTION};

/// The kind.
pub const KIND: Kind = Kind {
    name: "flash",
    summary: "memory on SPI that keeps its bytes",
    options: &[
        ("w25q32", "4 MiB in sectors of 4 KiB"),
        ("times=most", "writes and erasures last as long as they may, or as they do by the data sheet: typical"),
        FILE_OPTION,
        SAVE_OPTION,
    ],
    places: &["spi1,cs=PA4"],
    make,
};

/// Bytes of the memory.
pub const BYTES: usize = 4 << 20;
const PAGE: usize = 256;
const SECTOR: usize = 4096;

/// Manufacturer and device ("Manufacturer and Device Identification").
const JEDEC: [u8; 3] = [0xEF, 0x40, 0x16];
const DEVICE: u8 = 0x15;

/// Bits of the first status register.
const BUSY: u8 = 1 << 0;
const WEL: u8 = 1 << 1;
const TB: u8 = 1 << 5;
const SEC: u8 = 1 << 6;
/// CMP of the second one.
const CMP: u8 = 1 << 6;

/// The bits that the instructions write of each status register; those of the security registers stay.
const WRITABLE: [u8; 3] = [0xFC, 0x43, 0x64];

const MICROSECOND: u64 = 1_000_000;
const MILLISECOND: u64 = 1_000 * MICROSECOND;

/// The times of "AC Electrical Characteristics": typical and most.
const STATUS: [u64; 2] = [10 * MILLISECOND, 15 * MILLISECOND];
const PROGRAM: [u64; 2] = [400 * MICROSECOND, 3 * MILLISECOND];
const ERASE_4K: [u64; 2] = [45 * MILLISECOND, 400 * MILLISECOND];
const ERASE_32K: [u64; 2] = [120 * MILLISECOND, 1_600 * MILLISECOND];
const ERASE_64K: [u64; 2] = [150 * MILLISECOND, 2_000 * MILLISECOND];
const ERASE_ALL: [u64; 2] = [10_000 * MILLISECOND, 50_000 * MILLISECOND];
const WAKE: [u64; 2] = [3 * MICROSECOND; 2];
const RESET: [u64; 2] = [30 * MICROSECOND; 2];

/// The memory. Erased bytes are 0xFF.
#[derive(Clone, Debug)]
pub struct Flash {
    /// Copies of the device share them until one writes.
    bytes: Arc<Vec<u8>>,
    status: [u8; 3],
    /// 1 if times are the most, 0 if they are typical.
    times: usize,
    busy_until: Picoseconds,
    /// It writes or erases, or has done so.
    working: bool,
    asleep: bool,
    /// The instruction before was 0x66, which 0x99 needs.
    may_reset: bool,
    /// The instruction under way and how many bytes have followed it; `None` until it comes, or where it is ignored.
    instruction: Option<u8>,
    count: usize,
    address: usize,
    /// The bytes to write.
    data: Vec<u8>,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    if options.word(&["w25q32"]).is_none() {
        return Err(options.no_type("w25q32"));
    }
    let mut flash = Flash::new();
    match options.take("times").as_deref() {
        None | Some("most") => {}
        Some("typical") => flash.times = 0,
        Some(other) => return Err(options.wrong("times", other, "most or typical")),
    }
    Ok(Box::new(flash))
}

impl Default for Flash {
    fn default() -> Self {
        Self::new()
    }
}

impl Flash {
    /// An erased memory.
    pub fn new() -> Self {
        Self {
            bytes: Arc::new(vec![0xFF; BYTES]),
            status: [0; 3],
            times: 1,
            busy_until: Picoseconds::ZERO,
            working: false,
            asleep: false,
            may_reset: false,
            instruction: None,
            count: 0,
            address: 0,
            data: Vec::new(),
        }
    }

    /// The byte at `address`, which wraps at the end.
    fn byte(&self, address: usize) -> u8 {
        self.bytes[address % BYTES]
    }

    /// Lasts from `now` on for one of `times`.
    fn last(&mut self, now: Picoseconds, times: [u64; 2]) {
        self.busy_until = now + Picoseconds::new(times[self.times]);
    }

    fn is_busy(&self, now: Picoseconds) -> bool {
        now < self.busy_until
    }

    /// The write enable falls when what was written or erased is done.
    fn settle(&mut self, now: Picoseconds) {
        if self.working && !self.is_busy(now) {
            self.working = false;
            self.status[0] &= !WEL;
        }
    }

    /// The status register `index` at `now`.
    fn status(&mut self, index: usize, now: Picoseconds) -> u8 {
        self.settle(now);
        self.status[index] | if index == 0 && self.is_busy(now) { BUSY } else { 0 }
    }

    /// The protected part of the memory ("Status Register Memory Protection").
    fn protected(&self) -> std::ops::Range<usize> {
        let [first, second, _] = self.status;
        let blocks = usize::from(first >> 2 & 7);
        let bytes = match (blocks, first & SEC != 0) {
            (0, _) => 0,
            (7, _) => BYTES,
            (blocks, true) => (SECTOR << (blocks - 1)).min(32 << 10),
            (blocks, false) => (64 << 10) << (blocks - 1),
        };
        // With CMP the other part is protected.
        let (low, other) = (first & TB != 0, second & CMP != 0);
        let bytes = if other { BYTES - bytes } else { bytes };
        if low != other { 0..bytes } else { BYTES - bytes..BYTES }
    }

    /// Erases `bytes` around the address, if none of them is protected.
    fn erase(&mut self, bytes: usize, times: [u64; 2], now: Picoseconds) {
        let from = self.address / bytes * bytes;
        let protected = self.protected();
        if !protected.is_empty() && from < protected.end && from + bytes > protected.start {
            return;
        }
        self.memory_mut()[from..from + bytes].fill(0xFF);
        self.last(now, times);
    }

    /// Writes the page of the address: bits become 0. Bytes beyond its end begin it anew, and the last 256 count.
    fn program(&mut self, now: Picoseconds) {
        let data = std::mem::take(&mut self.data);
        if data.is_empty() || self.protected().contains(&self.address) {
            return;
        }
        let (page, first) = (self.address / PAGE * PAGE, self.address % PAGE);
        let mut buffer = [0xFF; PAGE];
        for (index, byte) in data.iter().enumerate() {
            buffer[(first + index) % PAGE] = *byte;
        }
        for (byte, new) in self.memory_mut()[page..page + PAGE].iter_mut().zip(buffer) {
            *byte &= new;
        }
        self.last(now, PROGRAM);
    }

    /// Writes status registers from `first` on.
    fn write_status(&mut self, first: usize, now: Picoseconds) {
        let data = std::mem::take(&mut self.data);
        for (index, byte) in (first..3).zip(&data) {
            self.status[index] = self.status[index] & !WRITABLE[index] | byte & WRITABLE[index];
        }
        if !data.is_empty() {
            self.last(now, STATUS);
        }
    }

    /// The instruction's first byte.
    fn begin(&mut self, code: u8, contact: &mut Contact<'_>) -> Option<u8> {
        self.settle(contact.now());
        (self.count, self.address) = (0, 0);
        self.data.clear();
        let readable = matches!(code, 0x05 | 0x35 | 0x15);
        if self.asleep && code != 0xAB || self.is_busy(contact.now()) && !readable && !matches!(code, 0x66 | 0x99) {
            return None;
        }
        self.instruction = Some(code);
        match code {
            0x05 | 0x35 | 0x15 | 0x9F => self.answer(code, contact),
            0x01 | 0x31 | 0x11 | 0x02 | 0x03 | 0x0B | 0x20 | 0x52 | 0xD8 | 0xC7 | 0x60 | 0x04 | 0x06 | 0x50 | 0x66
            | 0x99 | 0x90 | 0xAB | 0xB9 | 0xFF => None,
            _ => {
                contact.complain(format!("it has no instruction {code:#04x}"));
                self.instruction = None;
                None
            }
        }
    }

    /// The byte that goes out after those that have come, if one does.
    fn answer(&mut self, code: u8, contact: &Contact<'_>) -> Option<u8> {
        let first = |dummies: usize| self.count.checked_sub(dummies);
        match code {
            0x05 => Some(self.status(0, contact.now())),
            0x35 => Some(self.status(1, contact.now())),
            0x15 => Some(self.status(2, contact.now())),
            0x9F => JEDEC.get(self.count).copied(),
            0x03 => first(3).map(|index| self.byte(self.address + index)),
            0x0B => first(4).map(|index| self.byte(self.address + index)),
            0x90 => first(3).map(|index| [JEDEC[0], DEVICE][(self.address + index) % 2]),
            0xAB => first(3).map(|_| DEVICE),
            _ => None,
        }
    }

    /// The chip select goes up after an instruction.
    fn finish(&mut self, code: u8, contact: &Contact<'_>) {
        let now = contact.now();
        let enabled = self.status[0] & WEL != 0;
        let may_reset = std::mem::replace(&mut self.may_reset, code == 0x66);
        match code {
            0x06 => self.status[0] |= WEL,
            0x04 => self.status[0] &= !WEL,
            0xB9 => self.asleep = true,
            0xAB if std::mem::take(&mut self.asleep) => self.last(now, WAKE),
            0x99 if may_reset => {
                (self.status[0], self.asleep) = (self.status[0] & !WEL, false);
                self.last(now, RESET);
            }
            0x01 | 0x31 | 0x11 | 0x02 | 0x20 | 0x52 | 0xD8 | 0xC7 | 0x60 if enabled => {
                let addressed = self.count == 3;
                match code {
                    0x01 => self.write_status(0, now),
                    0x31 => self.write_status(1, now),
                    0x11 => self.write_status(2, now),
                    0x02 => self.program(now),
                    0x20 if addressed => self.erase(SECTOR, ERASE_4K, now),
                    0x52 if addressed => self.erase(32 << 10, ERASE_32K, now),
                    0xD8 if addressed => self.erase(64 << 10, ERASE_64K, now),
                    0xC7 | 0x60 if self.count == 0 => self.erase(BYTES, ERASE_ALL, now),
                    _ => return,
                }
                self.working = true;
                self.settle(now);
            }
            _ => {}
        }
    }
}

impl Attached for Flash {
    fn pins(&self) -> &'static [&'static str] {
        &["sck", "mosi", "miso", "cs"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory(&self) -> &[u8] {
        &self.bytes
    }

    fn memory_mut(&mut self) -> &mut [u8] {
        Arc::make_mut(&mut self.bytes).as_mut_slice()
    }

    fn spi_select(&mut self, selected: bool, contact: &mut Contact<'_>) -> Option<u8> {
        if !selected && let Some(code) = self.instruction {
            self.finish(code, contact);
        }
        // The first byte that comes is an instruction.
        self.instruction = None;
        self.count = usize::MAX;
        None
    }

    fn spi_byte(&mut self, byte: u8, contact: &mut Contact<'_>) -> Option<u8> {
        if self.count == usize::MAX {
            return self.begin(byte, contact);
        }
        let code = self.instruction?;
        let addressed = matches!(code, 0x02 | 0x03 | 0x0B | 0x20 | 0x52 | 0xD8 | 0x90);
        if addressed && self.count < 3 {
            self.address = (self.address << 8 | usize::from(byte)) % BYTES;
        } else if code == 0x02 {
            if self.data.len() == PAGE {
                // The earliest byte is overwritten by the one that takes its place.
                self.data.remove(0);
                self.address = self.address / PAGE * PAGE + (self.address + 1) % PAGE;
            }
            self.data.push(byte);
        } else if matches!(code, 0x01 | 0x31 | 0x11) && self.data.len() < 3 {
            self.data.push(byte);
        }
        self.count = self.count.saturating_add(1).min(usize::MAX - 1);
        self.answer(code, contact)
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Requests;

    use super::*;

    #[derive(Default)]
    struct Bench {
        flash: Flash,
        now: u64,
        requests: Requests,
    }

    impl Bench {
        /// Sends `bytes`, then takes `count` more; `None` where nobody drives the line.
        fn ask(&mut self, bytes: &[u8], count: usize) -> Vec<Option<u8>> {
            let mut contact = Contact::new(Picoseconds::new(self.now), &mut self.requests);
            let mut out = vec![self.flash.spi_select(true, &mut contact)];
            let zeros = vec![0; count];
            out.extend(bytes.iter().chain(&zeros).map(|byte| self.flash.spi_byte(*byte, &mut contact)));
            self.flash.spi_select(false, &mut contact);
            out[bytes.len()..bytes.len() + count].to_vec()
        }

        fn send(&mut self, bytes: &[u8]) {
            self.ask(bytes, 0);
        }

        /// The same after a write enable, and until it is done: how long that takes.
        fn work(&mut self, bytes: &[u8]) -> u64 {
            self.send(&[0x06]);
            self.send(bytes);
            let end = self.flash.busy_until.get();
            let took = end.saturating_sub(self.now);
            if took > 0 {
                self.now = end - 1;
                assert_eq!(self.ask(&[0x05], 1)[0].map(|status| status & 3), Some(BUSY | WEL), "{bytes:02x?}");
                assert_eq!(self.ask(&[0x9F], 1), [None], "it hears nothing else");
                self.now = end;
            }
            let status = self.ask(&[0x05], 1)[0].map(|status| status & 3);
            assert_eq!(status, Some(if took > 0 || bytes.len() > 3 { 0 } else { WEL }));
            took
        }

        fn read(&mut self, address: u32, count: usize) -> Vec<u8> {
            let [_, high, middle, low] = address.to_be_bytes();
            let slow = self.ask(&[0x03, high, middle, low], count);
            assert_eq!(slow, self.ask(&[0x0B, high, middle, low, 0], count), "the fast read gives the same");
            slow.into_iter().map(Option::unwrap).collect()
        }
    }

    #[test]
    fn it_says_who_it_is() {
        let mut bench = Bench::default();
        assert_eq!(bench.ask(&[0x9F], 4), [Some(0xEF), Some(0x40), Some(0x16), None]);
        assert_eq!(bench.ask(&[0x90, 0, 0, 0], 2), [Some(0xEF), Some(0x15)]);
        assert_eq!(bench.ask(&[0x90, 0, 0, 1], 2), [Some(0x15), Some(0xEF)]);
        assert_eq!(bench.ask(&[0xAB, 0, 0, 0], 1), [Some(0x15)]);
        assert_eq!(bench.ask(&[0xEB], 0), []);
        assert_eq!(bench.requests.complaints, ["it has no instruction 0xeb"]);
    }

    #[test]
    fn a_page_is_programmed_in_its_time_and_bits_only_fall() {
        let mut bench = Bench::default();
        assert_eq!(bench.work(&[0x02, 0x01, 0x02, 0xFE, 0xA5, 0x5A, 0x0F]), 3_000_000_000);
        assert_eq!(bench.read(0x0102FE, 2), [0xA5, 0x5A]);
        assert_eq!(bench.read(0x010200, 2), [0x0F, 0xFF], "the page begins anew");
        bench.work(&[0x02, 0x01, 0x02, 0xFE, 0x0F]);
        assert_eq!(bench.read(0x0102FE, 1), [0x05]);
        bench.send(&[0x02, 0x01, 0x02, 0x10, 0]);
        assert_eq!(bench.read(0x010210, 1), [0xFF], "not without a write enable");
        bench.send(&[0x06]);
        assert_eq!(bench.ask(&[0x05], 1), [Some(WEL)]);
        bench.send(&[0x04]);
        assert_eq!(bench.ask(&[0x05], 1), [Some(0)]);
        let mut long = vec![0x02, 0, 0, 0];
        long.extend((0..=255).chain(0..2));
        bench.work(&long);
        assert_eq!(bench.read(0, 4), [0, 1, 2, 3], "256 bytes and two more");
        assert_eq!(bench.read(0xFE, 2), [0xFE, 0xFF]);
    }

    #[test]
    fn erasures_have_their_sizes_and_times() {
        for (bytes, erased, took) in [
            (&[0x20, 0x01, 0x23, 0x45][..], 0x012000..0x013000, 400),
            (&[0x52, 0x01, 0x93, 0x45], 0x018000..0x020000, 1_600),
            (&[0xD8, 0x3F, 0xFF, 0xFF], 0x3F0000..0x400000, 2_000),
            (&[0xC7], 0..BYTES, 50_000),
            (&[0x60], 0..BYTES, 50_000),
        ] {
            let mut bench = Bench::default();
            bench.flash.memory_mut().fill(0);
            assert_eq!(bench.work(bytes), took * MILLISECOND, "{bytes:02x?}");
            let is_erased = |(at, byte): (usize, &u8)| (*byte == 0xFF) == erased.contains(&at);
            assert!(bench.flash.memory().iter().enumerate().all(is_erased), "{bytes:02x?}");
        }
        let mut bench = Bench::default();
        bench.flash.times = 0;
        assert_eq!(bench.work(&[0x20, 0, 0, 0]), 45 * MILLISECOND, "typically");
        assert_eq!(bench.work(&[0x20, 0, 0]), 0, "the address is not whole");
    }

    #[test]
    fn protected_parts_stay() {
        let mut bench = Bench::default();
        for (status, range) in [
            ([0, 0], BYTES..BYTES),
            ([1 << 2, 0], BYTES - 0x10000..BYTES),
            ([3 << 2 | TB, 0], 0..0x40000),
            ([1 << 2 | SEC, 0], BYTES - 0x1000..BYTES),
            ([5 << 2 | SEC | TB, 0], 0..0x8000),
            ([1 << 2, CMP], 0..BYTES - 0x10000),
            ([7 << 2, 0], 0..BYTES),
        ] {
            assert_eq!(bench.work(&[0x01, status[0], status[1]]), 15 * MILLISECOND);
            assert_eq!(bench.flash.protected(), range, "{status:02x?}");
        }
        assert_eq!(bench.work(&[0x02, 0, 0, 0, 1]), 0);
        assert_eq!(bench.work(&[0x20, 0, 0, 0]), 0);
        assert_eq!(bench.read(0, 1), [0xFF]);
        assert_eq!(bench.ask(&[0x35], 1), [Some(0)]);
    }

    #[test]
    fn asleep_it_hears_only_what_wakes_it_and_a_reset_needs_two_words() {
        let mut bench = Bench::default();
        bench.send(&[0xB9]);
        assert_eq!(bench.ask(&[0x9F], 1), [None]);
        bench.send(&[0xAB]);
        assert_eq!(bench.ask(&[0x9F], 1), [None], "3 us");
        bench.now = 3 * MICROSECOND;
        assert_eq!(bench.ask(&[0x9F], 1), [Some(0xEF)]);
        bench.send(&[0x06]);
        bench.send(&[0x99]);
        assert_eq!(bench.ask(&[0x05], 1), [Some(WEL)]);
        bench.send(&[0x66]);
        bench.send(&[0x99]);
        assert_eq!(bench.ask(&[0x05], 1), [Some(BUSY)]);
    }

    #[test]
    fn contents_go_in_and_out_and_copies_are_their_own() {
        let mut flash = Flash::new();
        flash.memory_mut()[..5].copy_from_slice(b"hello");
        let mut bench = Bench { flash: flash.clone(), ..Bench::default() };
        bench.work(&[0x02, 0, 0, 0, 0]);
        assert_eq!((bench.read(0, 2), &flash.memory()[..6]), (vec![0, b'e'], &b"hello\xFF"[..]));
        assert_eq!(bench.read(0x3FFFFF, 2), [0xFF, 0], "over the end");
        assert_eq!(flash.memory().len(), BYTES);
    }
}
