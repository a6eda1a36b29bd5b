//! A channel's transfer control descriptor (K20P64M72SF1RM, "TCD structure"): eight words, and what they say.

use cyclescope_machine::Width;

use crate::roles::{Side, Transfer, moved};

use super::error;

/// The words of a descriptor, from its base on.
pub(super) mod word {
    pub const SOURCE: usize = 0;
    pub const FORM: usize = 1;
    pub const BYTES: usize = 2;
    pub const SOURCE_LAST: usize = 3;
    pub const DESTINATION: usize = 4;
    pub const COUNT: usize = 5;
    pub const DESTINATION_LAST: usize = 6;
    pub const CONTROL: usize = 7;
}

pub(super) const START: u32 = 1 << 0;
pub(super) const INTMAJOR: u32 = 1 << 1;
pub(super) const INTHALF: u32 = 1 << 2;
pub(super) const DREQ: u32 = 1 << 3;
pub(super) const ESG: u32 = 1 << 4;
pub(super) const MAJORELINK: u32 = 1 << 5;
pub(super) const ACTIVE: u32 = 1 << 6;
pub(super) const DONE: u32 = 1 << 7;

/// ELINK of CITER and of BITER, in their words.
const ELINK: u32 = 1 << 31;
/// SMLOE and DMLOE of NBYTES.
const SMLOE: u32 = 1 << 31;
const DMLOE: u32 = 1 << 30;

/// A descriptor's words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tcd(pub [u32; 8]);

/// The sizes of one side: bytes of each access and of the unit that an offset follows.
#[derive(Clone, Copy, Debug)]
struct Size {
    width: Width,
    bytes: u32,
}

impl Size {
    /// SSIZE or DSIZE; `None` for a reserved code.
    fn of(code: u32) -> Option<Self> {
        let (width, bytes) = match code & 7 {
            0 => (Width::Byte, 1),
            1 => (Width::Half, 2),
            2 => (Width::Word, 4),
            4 => (Width::Word, 16),
            _ => return None,
        };
        Some(Self { width, bytes })
    }
}

impl Tcd {
    fn form(&self) -> u32 {
        self.0[word::FORM] >> 16
    }

    fn source_size(&self) -> Option<Size> {
        Size::of(self.form() >> 8)
    }

    fn destination_size(&self) -> Option<Size> {
        Size::of(self.form())
    }

    fn source_offset(&self) -> u32 {
        i32::from(self.0[word::FORM] as i16) as u32
    }

    fn destination_offset(&self) -> u32 {
        i32::from(self.0[word::COUNT] as i16) as u32
    }

    /// The bits of an address that change: SMOD or DMOD.
    const fn mask(modulo: u32) -> u32 {
        if modulo & 31 == 0 { u32::MAX } else { (1 << (modulo & 31)) - 1 }
    }

    fn source_mask(&self) -> u32 {
        Self::mask(self.form() >> 11)
    }

    fn destination_mask(&self) -> u32 {
        Self::mask(self.form() >> 3)
    }

    /// The bytes of a minor loop; `mapped` with CR.EMLM. Without mapping, 0 stands for 4 GiB.
    pub fn bytes(&self, mapped: bool) -> u64 {
        let value = self.0[word::BYTES];
        let bytes = match (mapped, value & (SMLOE | DMLOE) != 0) {
            (false, _) => value,
            (true, false) => value & 0x3FFF_FFFF,
            (true, true) => value & 0x3FF,
        };
        if bytes == 0 && !mapped { 1 << 32 } else { bytes.into() }
    }

    /// The offsets of source and destination behind a minor loop.
    pub fn loop_offsets(&self, mapped: bool) -> [u32; 2] {
        let value = self.0[word::BYTES];
        let offset = ((value << 2) as i32 >> 12) as u32;
        [SMLOE, DMLOE].map(|enable| if mapped && value & enable != 0 { offset } else { 0 })
    }

    /// The minor loops that are left, of CITER (`COUNT`) or BITER (`CONTROL`).
    fn loops(&self, which: usize) -> u32 {
        let value = self.0[which];
        value >> 16 & if value & ELINK != 0 { 0x1FF } else { 0x7FFF }
    }

    /// CITER.
    pub fn left(&self) -> u32 {
        self.loops(word::COUNT)
    }

    /// BITER.
    pub fn all(&self) -> u32 {
        self.loops(word::CONTROL)
    }

    /// Puts `left` into CITER.
    pub fn set_left(&mut self, left: u32) {
        let count = &mut self.0[word::COUNT];
        let mask = if *count & ELINK != 0 { 0x1FF } else { 0x7FFF } << 16;
        *count = *count & !mask | left << 16 & mask;
    }

    /// CITER gets BITER's value, link and all.
    pub fn reload(&mut self) {
        self.0[word::COUNT] = self.0[word::COUNT] & 0xFFFF | self.0[word::CONTROL] & 0xFFFF_0000;
    }

    /// The channel that a minor loop starts.
    pub fn minor_link(&self) -> Option<u8> {
        let count = self.0[word::COUNT];
        (count & ELINK != 0).then_some((count >> 25 & 15) as u8)
    }

    /// The channel that the major loop starts.
    pub fn major_link(&self) -> Option<u8> {
        let control = self.0[word::CONTROL];
        (control & MAJORELINK != 0).then_some((control >> 8 & 15) as u8)
    }

    /// The errors of a channel that is being started ("Error Status Register"); a reserved size is taken as an address's error.
    pub fn errors(&self, mapped: bool) -> u32 {
        let (source, destination) = (self.source_size(), self.destination_size());
        let astray = |value: u32, size: Option<Size>| size.is_none_or(|size| value & (size.bytes - 1) != 0);
        let bytes = self.bytes(mapped);
        let uneven = |size: Option<Size>| size.is_some_and(|size| !bytes.is_multiple_of(u64::from(size.bytes)));
        let links_differ = (self.0[word::COUNT] ^ self.0[word::CONTROL]) & ELINK != 0;
        [
            (error::SAE, astray(self.0[word::SOURCE], source)),
            (error::SOE, source.is_some() && astray(self.source_offset(), source)),
            (error::DAE, astray(self.0[word::DESTINATION], destination)),
            (error::DOE, destination.is_some() && astray(self.destination_offset(), destination)),
            (error::NCE, uneven(source) || uneven(destination) || bytes == 0 || self.left() == 0 || links_differ),
        ]
        .into_iter()
        .filter(|(_, is)| *is)
        .fold(0, |errors, (error, _)| errors | error)
    }

    /// The next unit of a minor loop from `source` to `destination`, the addresses behind it, and its bytes: as many reads and
    /// writes as the larger size needs.
    pub fn unit(&self, source: u32, destination: u32) -> Option<(Transfer, [u32; 2], u32)> {
        let (from, to) = (self.source_size()?, self.destination_size()?);
        let bytes = from.bytes.max(to.bytes);
        let side = |address: u32, size: Size, offset: u32, mask: u32| {
            let count = (bytes / size.width.bytes()) as u8;
            let (step, mask) = if size.bytes == 16 { (4, u32::MAX) } else { (offset, mask) };
            Side { address, width: size.width, count, step, mask }
        };
        let (source_mask, destination_mask) = (self.source_mask(), self.destination_mask());
        let transfer = Transfer {
            from: side(source, from, self.source_offset(), source_mask),
            to: side(destination, to, self.destination_offset(), destination_mask),
        };
        let behind = [
            moved(source, self.source_offset().wrapping_mul(bytes / from.bytes), source_mask),
            moved(destination, self.destination_offset().wrapping_mul(bytes / to.bytes), destination_mask),
        ];
        Some((transfer, behind, bytes))
    }
}
