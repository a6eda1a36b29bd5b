//! Text that is made fast: a page that grows, numbers and registers on it.

/// The bytes that are collected before they are written.
pub(super) const BUFFER: usize = 1 << 18;

/// Room that any part of a line has, but for names.
const LONGEST: usize = 128;

/// Columns of the cycle, and the first that they are too few for.
pub(super) const CYCLE: usize = 11;
pub(super) const MOST_AT: u64 = 10u64.pow(CYCLE as u32);

/// A number that mostly grows by little, as text.
///
/// Its last digits are kept in one word, whose lowest byte is the last of them: bytes that are stored one by one and read
/// together at once make the host wait.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    value: u64,
    /// The eight last digits in ASCII, or blanks.
    low: u64,
    /// Those before them.
    high: [u8; CYCLE - 8],
}

impl Default for Counter {
    fn default() -> Self {
        let mut counter = Self { value: 0, low: 0, high: [0; CYCLE - 8] };
        counter.renew(0);
        counter
    }
}

impl Counter {
    /// Writes `value`, which is below [`MOST_AT`], behind blanks.
    #[inline(always)]
    pub(super) fn put(&mut self, value: u64, columns: &mut [u8; CYCLE]) {
        match value.checked_sub(self.value) {
            Some(more @ 0..10) => self.add(more),
            _ => self.renew(value),
        }
        self.value = value;
        let (high, low) = columns.split_at_mut(CYCLE - 8);
        high.copy_from_slice(&self.high);
        low.copy_from_slice(&self.low.to_be_bytes());
    }

    #[inline(always)]
    fn add(&mut self, more: u64) {
        /// Makes a digit of a blank.
        const DIGIT: u64 = 0x10;
        let (mut low, mut place) = (self.low + more, 0);
        while (low >> place) as u8 > b'9' {
            if place == 56 {
                return self.renew(self.value + more);
            }
            low = ((low - (10 << place)) | DIGIT << (place + 8)) + (1 << (place + 8));
            place += 8;
        }
        self.low = low;
    }

    #[cold]
    fn renew(&mut self, value: u64) {
        let text: [u8; CYCLE] = *right_aligned(value).last_chunk().expect("any number has more room");
        let (high, low) = (text.first_chunk(), text.last_chunk());
        self.high = *high.expect("they are as many");
        self.low = u64::from_be_bytes(*low.expect("they are as many"));
    }
}

/// Room for any number of 64 bits.
const DIGITS: usize = 20;

/// The text before a register's new value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Label {
    /// Filled up with zeros, and with room for eight digits.
    text: [u8; 16],
    len: usize,
}

impl Label {
    /// Of a register with a name of 6 letters at most.
    pub(super) fn new(name: &str) -> Self {
        let mut label = Self { text: [0; 16], len: name.len().min(6) + 2 };
        label.text[1..label.len - 1].copy_from_slice(&name.as_bytes()[..label.len - 2]);
        (label.text[0], label.text[label.len - 1]) = (b' ', b'=');
        label
    }

    /// Of the register of a number.
    pub(super) fn numbered(letter: char) -> impl Fn(u32) -> Self {
        move |number| Self::new(&format!("{letter}{number}"))
    }

    /// Adds the register with its new value.
    #[inline]
    pub(super) fn put(&self, to: &mut Page, value: u32) {
        to.put(&self.text, self.len, hex(value));
    }

    /// Adds the register of 8 bits with its new value.
    #[inline]
    pub(super) fn put_byte(&self, to: &mut Page, value: u32) {
        let [.., high, low] = hex(value);
        to.put(&self.text, self.len, [high, low]);
    }
}

/// Text that grows: `bytes` up to `len`, and room behind them.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    pub(super) len: usize,
}

impl Page {
    /// An empty one that makes use of `bytes`.
    pub(super) fn of(mut bytes: Vec<u8>) -> Self {
        if bytes.len() < BUFFER + LONGEST {
            bytes.resize(BUFFER + 2 * LONGEST, 0);
        }
        Self { bytes, len: 0 }
    }

    /// The next bytes, which may hold anything, and the length, which whoever writes them moves.
    #[inline(always)]
    pub(super) fn room(&mut self) -> (&mut [u8; LONGEST], &mut usize) {
        if self.bytes.len() - self.len < LONGEST {
            self.grow(LONGEST);
        }
        let room = self.bytes[self.len..].first_chunk_mut().expect("it has grown");
        (room, &mut self.len)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, room: usize) {
        self.bytes.resize(self.len + room + LONGEST, 0);
    }

    /// Adds the first `used` of `head`, which is copied whole, and `tail`.
    #[inline(always)]
    pub(super) fn put<const N: usize, const M: usize>(&mut self, head: &[u8; N], used: usize, tail: [u8; M]) {
        let (room, len) = self.room();
        room[..N].copy_from_slice(head);
        room[used..used + M].copy_from_slice(&tail);
        *len += used + M;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, byte: u8) {
        let (room, len) = self.room();
        room[0] = byte;
        *len += 1;
    }

    /// Adds text of any length.
    #[inline(never)]
    pub(super) fn append(&mut self, text: &[u8]) {
        if self.bytes.len() - self.len < text.len() {
            self.grow(text.len());
        }
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }
}

/// Eight digits: each nibble goes to a byte of its own, and from 10 on to the letters.
#[inline(always)]
pub(super) fn hex(value: u32) -> [u8; 8] {
    let mut nibbles = u64::from(value);
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF;
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF;
    nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (nibbles + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'0' - 10)).to_be_bytes()
}

/// `value` in decimal, behind blanks.
fn right_aligned(mut value: u64) -> [u8; DIGITS] {
    let mut digits = [b' '; DIGITS];
    for place in digits.iter_mut().rev() {
        *place = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_its_number_however_it_got_there() {
        let mut counter = Counter::default();
        let mut put = |value: u64| {
            let mut columns = [0; CYCLE];
            counter.put(value, &mut columns);
            assert_eq!(columns, *format!("{value:CYCLE$}").as_bytes());
        };
        for value in
            [0, 1, 9, 10, 99, 100, 1_099, 1_100, 5, 5, 999_999, 1_000_000, 99_999_999, 100_000_000, MOST_AT - 1, 0]
        {
            put(value);
        }
        for step in [1, 7, 9, 10, 13, 90, 99, 100, 101] {
            (0..200_000).step_by(step).chain((99_990_000..100_010_000).step_by(step)).for_each(&mut put);
        }
    }

    #[test]
    fn digits_are_those_of_the_library() {
        for value in [0, 1, 9, 10, 15, 0x89AB_CDEF, 0x0123_4567, 0xF0E1_D2C3, u32::MAX] {
            assert_eq!(hex(value), *format!("{value:08x}").as_bytes());
        }
        let mut page = Page::default();
        page.append(b"r");
        Label::new("zero").put(&mut page, 0xABC);
        Label::numbered('r')(31).put_byte(&mut page, 0xF3);
        assert_eq!(page.bytes[..page.len], *b"r zero=00000abc r31=f3");
    }
}
