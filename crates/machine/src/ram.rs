//! RAM: bytes in pages, and what is known of each page, so that copies, snapshots and code in RAM are cheap.

use std::ops::Range;

use crate::units::Address;

use crate::Width;

/// RAM is tracked in pages of this many bytes.
const PAGE_BYTES: usize = 512;
const PAGE_SHIFT: u32 = PAGE_BYTES.trailing_zeros();

/// Written since the last snapshot.
const DIRTY: u8 = 1;
/// Predecoded code was taken from this page.
const CODE: u8 = 2;
/// Written at some time: a page without this holds zeros, and costs nothing to copy or restore.
const TOUCHED: u8 = 4;
/// Somebody wants to know of stores to this page: the fast path leaves them to the slow one.
const WATCHED: u8 = 8;
/// The state of a page for which stores need no bookkeeping.
const SETTLED: u8 = DIRTY | TOUCHED;

/// A RAM, contiguous. Copying and restoring one costs the pages that were ever written, whatever its size.
///
/// While it is [closed](Self::close), [`read`](Self::read), [`write`](Self::write), [`words`](Self::words) and
/// [`words_mut`](Self::words_mut) find nothing, so that a core takes its slow path, through [`Memory`](crate::Memory). That
/// it may be closed costs them nothing.
#[derive(Debug)]
pub struct Ram {
    base: u32,
    /// Its contents while it is open.
    bytes: Vec<u8>,
    /// Its contents while it is closed.
    behind: Vec<u8>,
    pages: Vec<u8>,
    /// The pages that are [`TOUCHED`].
    touched: Vec<u32>,
    code_changed: bool,
    /// A transfer is under way.
    taken: bool,
    /// Two cores run on it.
    shared: bool,
}

impl Clone for Ram {
    fn clone(&self) -> Self {
        let mut copy = Self {
            base: self.base,
            bytes: self.copy(),
            behind: Vec::new(),
            pages: self.pages.clone(),
            touched: self.touched.clone(),
            code_changed: self.code_changed,
            taken: self.taken,
            shared: self.shared,
        };
        copy.shut(self.is_closed());
        copy
    }
}

impl Ram {
    /// The bytes of a page.
    pub const PAGE_BYTES: u32 = PAGE_BYTES as u32;
    /// The state of a page for which stores need no bookkeeping.
    pub const SETTLED: u8 = SETTLED;

    /// `bytes` zeros from `base` on.
    pub(crate) fn new(base: Address, bytes: usize) -> Self {
        Self {
            base: base.get(),
            bytes: vec![0; bytes],
            behind: Vec::new(),
            pages: vec![0; bytes.div_ceil(PAGE_BYTES)],
            touched: Vec::new(),
            code_changed: false,
            taken: false,
            shared: false,
        }
    }

    /// Closes it, or opens it unless it is [shared](Self::share).
    pub fn close(&mut self, closed: bool) {
        self.taken = closed;
        self.shut(self.taken || self.shared);
    }

    /// Closes it because two cores run, or opens it unless it is [closed](Self::close) for another reason.
    #[inline]
    pub fn share(&mut self, shared: bool) {
        self.shared = shared;
        self.shut(self.taken || self.shared);
    }

    #[inline]
    fn shut(&mut self, closed: bool) {
        if closed != self.is_closed() {
            std::mem::swap(&mut self.bytes, &mut self.behind);
        }
    }

    /// Tells whether it is closed; a RAM of no bytes never is.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Lets `act` have it open.
    pub(crate) fn opened<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> R {
        let closed = self.is_closed();
        self.shut(false);
        let done = act(self);
        self.shut(closed);
        done
    }

    /// Its contents. What was never written is left to the host's own zeros.
    fn copy(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes().len()];
        for page in &self.touched {
            let range = self.range(*page as usize);
            bytes[range.clone()].copy_from_slice(&self.bytes()[range]);
        }
        bytes
    }

    /// The bytes of `page`.
    fn range(&self, page: usize) -> Range<usize> {
        let from = page * PAGE_BYTES;
        from..(from + PAGE_BYTES).min(self.bytes().len())
    }

    /// Pages written from now on are restored by [`Self::restore`].
    pub(crate) fn snapshot(&mut self) -> Vec<u8> {
        for page in &self.touched {
            self.pages[*page as usize] &= CODE | TOUCHED | WATCHED;
        }
        self.copy()
    }

    /// Goes back to `snapshot`, the latest: copies only the pages written since.
    pub(crate) fn restore(&mut self, snapshot: &[u8]) {
        (self.taken, self.shared) = (false, false);
        self.shut(false);
        for place in 0..self.touched.len() {
            let page = self.touched[place] as usize;
            let state = self.pages[page];
            if state & DIRTY != 0 {
                let range = self.range(page);
                self.bytes[range.clone()].copy_from_slice(&snapshot[range]);
                self.code_changed |= state & CODE != 0;
                self.pages[page] = TOUCHED | state & WATCHED;
            }
        }
    }

    /// Takes over the contents of `from`, a RAM of the same size.
    pub(crate) fn restore_from(&mut self, from: &Self) {
        self.shut(false);
        for place in 0..self.touched.len() {
            self.restore_page(from, self.touched[place] as usize);
        }
        for page in &from.touched {
            if self.pages[*page as usize] & TOUCHED == 0 {
                self.restore_page(from, *page as usize);
            }
        }
        (self.taken, self.shared) = (from.taken, from.shared);
        self.shut(from.is_closed());
    }

    fn restore_page(&mut self, from: &Self, page: usize) {
        let range = self.range(page);
        // Most pages are alike, and to compare costs no more than to copy.
        let (ours, theirs) = (&mut self.bytes[range.clone()], &from.bytes()[range]);
        if ours != theirs {
            ours.copy_from_slice(theirs);
            self.touch(page);
        }
    }

    /// Remembers that code was predecoded from the offsets `from..to`.
    pub(crate) fn mark_code(&mut self, from: u32, to: u32) {
        let first = from >> PAGE_SHIFT;
        let last = to.saturating_sub(1) >> PAGE_SHIFT;
        for page in first..=last {
            if let Some(state) = self.pages.get_mut(page as usize) {
                *state |= CODE;
            }
        }
    }

    /// Returns its first address.
    pub fn base(&self) -> Address {
        Address::new(self.base)
    }

    /// Its contents, open or closed.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        if self.is_closed() { &self.behind } else { &self.bytes }
    }

    /// The first address after it.
    pub fn end(&self) -> Address {
        Address::new(self.base + self.bytes().len() as u32)
    }

    /// Tells whether `address` lies in it.
    pub fn contains(&self, address: Address) -> bool {
        self.offset(address.get()).is_some()
    }

    /// Returns the offset of `address` from its first byte; `None` if outside.
    #[inline(always)]
    pub(crate) fn offset(&self, address: u32) -> Option<u32> {
        let offset = address.wrapping_sub(self.base);
        ((offset as usize) < self.bytes().len()).then_some(offset)
    }

    /// Reads `width` bytes, zero-extended; `None` if they are not all inside RAM, or it is closed.
    #[inline(always)]
    pub fn read(&self, address: u32, width: Width) -> Option<u32> {
        let offset = address.wrapping_sub(self.base) as usize;
        read_bytes(&self.bytes, offset, width)
    }

    /// Its bytes, none while it is closed, and the state of each of its [pages](Self::PAGE_BYTES), for code that reads and writes
    /// them as [`read`](Self::read) and [`write`](Self::write) do: a store to a page whose state is not [`SETTLED`](Self::SETTLED)
    /// is to be left to [`write`](Self::write).
    pub fn open(&mut self) -> (&mut [u8], &[u8]) {
        (&mut self.bytes, &self.pages)
    }

    /// The `count` words from the aligned `address` up; `None` if they are not all inside RAM.
    #[inline(always)]
    pub fn words(&self, address: u32, count: u32) -> Option<impl Iterator<Item = u32> + '_> {
        let offset = address.wrapping_sub(self.base) as usize;
        let bytes = self.bytes.get(offset..offset.checked_add(4 * count as usize)?)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)))
    }

    /// The same, to be stored; their pages are marked. `None` also where one of the pages is [watched](Self::watch).
    #[inline(always)]
    pub fn words_mut(&mut self, address: u32, count: u32) -> Option<&mut [[u8; 4]]> {
        let (offset, bytes) = (address.wrapping_sub(self.base) as usize, 4 * count as usize);
        if self.mark(offset, bytes)? {
            return None;
        }
        Some(self.bytes[offset..offset + bytes].as_chunks_mut::<4>().0)
    }

    /// Returns the `count` words from `address` up, to be stored, where their pages need no mark. Returns `None` if one does, if
    /// `address` is not aligned, if not all are inside RAM, or if it is closed. Ask for no more than a page (512 bytes).
    #[inline(always)]
    pub fn settled_words_mut(&mut self, address: u32, count: u32) -> Option<&mut [[u8; 4]]> {
        let offset = address.wrapping_sub(self.base) as usize;
        let end = offset.wrapping_add(4 * count as usize);
        let settled = |at: usize| self.pages.get(at >> PAGE_SHIFT) == Some(&SETTLED);
        if !Width::Word.aligned(address) || !settled(offset) || !settled(end.wrapping_sub(1)) {
            return None;
        }
        Some(self.bytes.get_mut(offset..end)?.as_chunks_mut::<4>().0)
    }

    /// The `count` bytes from the byte offset `offset` up, to be stored, watched or not; their pages are marked.
    pub(crate) fn bytes_mut(&mut self, offset: usize, count: usize) -> Option<&mut [u8]> {
        self.mark(offset, count)?;
        Some(&mut self.bytes[offset..offset + count])
    }

    /// Marks the pages of the `count` bytes from the byte offset `offset` up, and tells whether one is watched; `None` if the bytes
    /// are not all inside RAM.
    #[inline(always)]
    fn mark(&mut self, offset: usize, count: usize) -> Option<bool> {
        let end = offset.checked_add(count)?;
        if count == 0 || end > self.bytes.len() {
            return None;
        }
        let mut watched = false;
        for page in offset >> PAGE_SHIFT..=(end - 1) >> PAGE_SHIFT {
            if self.pages[page] != SETTLED {
                watched |= self.touch(page);
            }
        }
        Some(watched)
    }

    /// Stores `value`, marking its page; `false` if it is not all inside RAM, and where the page is [watched](Self::watch): then it
    /// is to be [put](Self::put) by who can tell of it.
    #[inline(always)]
    pub fn write(&mut self, address: u32, width: Width, value: u32) -> bool {
        let offset = address.wrapping_sub(self.base) as usize;
        let size = width.bytes() as usize;
        let Some(place) = self.bytes.get_mut(offset..offset.wrapping_add(size)) else { return false };
        place.copy_from_slice(&value.to_le_bytes()[..size]);
        let page = offset >> PAGE_SHIFT;
        let mut unwatched = true;
        if self.pages[page] != SETTLED {
            unwatched = !self.touch(page);
        }
        // An unaligned store may end in the next page.
        let last = (offset + size - 1) >> PAGE_SHIFT;
        if last != page && self.pages[last] != SETTLED {
            unwatched &= !self.touch(last);
        }
        unwatched
    }

    /// Stores `value` as [`write`](Self::write) does, watched or not; `false` if it is not all inside RAM.
    pub(crate) fn put(&mut self, address: u32, width: Width, value: u32) -> bool {
        let size = width.bytes() as usize;
        let Some(place) = self.bytes_mut(address.wrapping_sub(self.base) as usize, size) else { return false };
        place.copy_from_slice(&value.to_le_bytes()[..size]);
        true
    }

    /// Leaves stores to the pages of the byte offsets `from..to` to the slow path from now on.
    pub(crate) fn watch(&mut self, from: u32, to: u32) {
        for page in from >> PAGE_SHIFT..=to.saturating_sub(1) >> PAGE_SHIFT {
            if let Some(state) = self.pages.get_mut(page as usize) {
                *state |= WATCHED;
            }
        }
    }

    /// Loses its contents but those at the byte offsets `kept`, as without power: each word gets a value that nobody has stored,
    /// the same each time.
    pub fn scramble(&mut self, kept: &[Range<u32>]) {
        self.shut(false);
        for page in 0..self.pages.len() {
            self.touch(page);
        }
        let lost = |(number, _): &(u32, &mut [u8])| !kept.iter().any(|kept| kept.contains(&(number * 4)));
        for (number, word) in (0u32..).zip(self.bytes.chunks_mut(4)).filter(lost) {
            let value = (number ^ 0xA5C3_96E1).wrapping_mul(0x9E37_79B1).to_le_bytes();
            word.copy_from_slice(&value[..word.len()]);
        }
    }

    /// Notes a store to `page`, and tells whether it is watched.
    #[cold]
    fn touch(&mut self, page: usize) -> bool {
        let state = self.pages[page];
        self.code_changed |= state & CODE != 0;
        if state & TOUCHED == 0 {
            self.touched.push(page as u32);
        }
        self.pages[page] = SETTLED | state & WATCHED;
        state & WATCHED != 0
    }

    /// Tells whether predecoded code was overwritten since the last [`take_code_changed`](Self::take_code_changed).
    #[inline(always)]
    pub(crate) fn code_changed(&self) -> bool {
        self.code_changed
    }

    /// Returns the same and clears it.
    #[inline(always)]
    pub(crate) fn take_code_changed(&mut self) -> bool {
        std::mem::take(&mut self.code_changed)
    }

    /// Takes the flag of overwritten code over from `other`.
    pub(crate) fn adopt_code_changed(&mut self, other: &mut Self) {
        self.code_changed |= other.take_code_changed();
    }
}

/// The little-endian value of `width` bytes at `offset`, zero-extended; `None` if they are not all there.
#[inline(always)]
pub(crate) fn read_bytes(bytes: &[u8], offset: usize, width: Width) -> Option<u32> {
    let end = offset.wrapping_add(width.bytes() as usize);
    let place = bytes.get(offset..end)?;
    Some(match width {
        Width::Byte => u32::from(place[0]),
        Width::Half => u32::from(u16::from_le_bytes([place[0], place[1]])),
        Width::Word => u32::from_le_bytes([place[0], place[1], place[2], place[3]]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_ram_is_found_by_nobody_who_does_not_ask_for_all_of_it() {
        let mut ram = Ram::new(Address::new(0x2000_0000), 1024);
        ram.write(0x2000_0200, Width::Word, 5);
        ram.close(true);
        assert!(ram.read(0x2000_0200, Width::Word).is_none() && ram.words(0x2000_0200, 1).is_none());
        assert!(!ram.write(0x2000_0200, Width::Word, 6) && ram.words_mut(0x2000_0200, 1).is_none());
        assert_eq!(
            (ram.bytes()[0x200], ram.end(), ram.offset(0x2000_0200)),
            (5, Address::new(0x2000_0400), Some(0x200))
        );
        assert!(ram.opened(|ram| ram.write(0x2000_0200, Width::Word, 7)));
        let mut copy = ram.clone();
        assert!(copy.is_closed() && copy.bytes() == ram.bytes());
        copy.close(false);
        assert_eq!(copy.read(0x2000_0200, Width::Word), Some(7));
        let mut other = Ram::new(Address::new(0x2000_0000), 1024);
        other.restore_from(&ram);
        assert!(other.is_closed() && other.bytes() == ram.bytes());
        other.restore_from(&copy);
        assert!(!other.is_closed());
    }

    #[test]
    fn words_are_settled_where_their_pages_need_no_mark() {
        let base = 0x2000_0000;
        let second = base + PAGE_BYTES as u32;
        let mut ram = Ram::new(Address::new(base), 2 * PAGE_BYTES);
        assert!(ram.settled_words_mut(base, 2).is_none(), "never written");
        ram.write(base, Width::Word, 1);
        assert!(ram.settled_words_mut(base, 2).is_some_and(|words| words == [[1, 0, 0, 0], [0; 4]]));
        assert!(ram.settled_words_mut(base + 2, 2).is_none(), "not aligned");
        assert!(ram.settled_words_mut(second - 4, 1).is_some() && ram.settled_words_mut(second - 4, 2).is_none());
        ram.write(second, Width::Word, 2);
        assert!(ram.settled_words_mut(second - 4, 2).is_some_and(|words| words == [[0; 4], [2, 0, 0, 0]]));
        for outside in [base - 4, second + PAGE_BYTES as u32 - 4, u32::MAX - 3] {
            assert!(ram.settled_words_mut(outside, 2).is_none(), "{outside:#x}");
        }
        ram.mark_code(0, 2);
        for (address, count) in [(base, 1), (second - 4, 2)] {
            assert!(ram.settled_words_mut(address, count).is_none(), "code from {address:#x}");
        }
        assert!(ram.settled_words_mut(second, 1).is_some());
        ram.close(true);
        assert!(ram.settled_words_mut(second, 1).is_none(), "closed");
    }

    #[test]
    fn stores_to_watched_pages_are_left_to_who_can_tell_of_them() {
        let base = 0x2000_0000;
        let second = base + PAGE_BYTES as u32;
        let mut ram = Ram::new(Address::new(base), 3 * PAGE_BYTES);
        ram.watch(PAGE_BYTES as u32 + 4, PAGE_BYTES as u32 + 8);
        for address in [second, second + 4, second - 2, second + PAGE_BYTES as u32 - 2] {
            assert!(!ram.write(address, Width::Word, 1), "{address:#x}");
            assert!(ram.put(address, Width::Word, 0x0102_0304) && ram.read(address, Width::Word) == Some(0x0102_0304));
            assert!(!ram.write(address, Width::Word, 1), "again");
        }
        assert!(ram.words_mut(second - 4, 2).is_none() && ram.settled_words_mut(second, 1).is_none());
        for address in [base, second - 4, second + PAGE_BYTES as u32] {
            assert!(ram.write(address, Width::Word, 7) && ram.words_mut(address, 1).is_some(), "{address:#x}");
        }
        // A snapshot, a copy and what is restored are watched as before.
        let snapshot = ram.snapshot();
        assert!(!ram.write(second, Width::Word, 2));
        ram.restore(&snapshot);
        let mut copy = ram.clone();
        let other = Ram::new(Address::new(base), 3 * PAGE_BYTES);
        copy.restore_from(&other);
        assert!(!ram.write(second, Width::Word, 2) && !copy.write(second, Width::Word, 2));
    }

    #[test]
    fn what_was_never_written_costs_nothing_to_copy() {
        let mut ram = Ram::new(Address::new(0x4000_0000), 1 << 28);
        ram.write(0x4000_0000, Width::Word, 1);
        ram.write(0x4FFF_FFFC, Width::Word, 2);
        let mut other = ram.clone();
        assert_eq!(other.touched, [0, (1 << 28) / PAGE_BYTES as u32 - 1]);
        assert_eq!(other.read(0x4FFF_FFFC, Width::Word), Some(2));
        other.write(0x4800_0000, Width::Word, 3);
        ram.restore_from(&other);
        assert_eq!(ram.read(0x4800_0000, Width::Word), Some(3));
        other.restore_from(&ram);
        assert_eq!(other.touched.len(), 3, "no page twice");
    }
}
