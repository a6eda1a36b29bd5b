//! Which block answers at which address, over which bus.

use cyclescope_machine::Width;
use cyclescope_peripherals::{Instance, Write};

/// Blocks lie on multiples of this many bytes.
const PAGE_SHIFT: u32 = 10;
/// Where the peripheral buses begin (RM0490, "Memory map"), and how many pages of them are indexed.
const BUS_BASE: u32 = 0x4000_0000;
const BUS_PAGES: usize = 192;
/// Where the I/O port begins, and its pages.
const IO_BASE: u32 = 0x5000_0000;
const IO_PAGES: usize = 8;
/// The end of the peripheral region of Armv6-M's memory map.
const END: u32 = 0x6000_0000;
/// Where the APB ends and the AHB begins (RM0490, "Memory map").
const AHB_BASE: u32 = 0x4002_0000;

/// A page without a block.
const NONE: u8 = u8::MAX;

/// The buses of an STM32C0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BusKind {
    /// Behind the bridge: narrow writes are spread over the word (RM0490, "AHB-to-APB bridge").
    Apb,
    /// Narrow writes reach their lanes only.
    Ahb,
    /// The core's single-cycle port; lanes as on the AHB.
    IoPort,
}

/// The bus that `address` lies on, if on any.
#[inline]
pub(super) fn bus_of(address: u32) -> Option<BusKind> {
    match address {
        IO_BASE..END => Some(BusKind::IoPort),
        AHB_BASE..IO_BASE => Some(BusKind::Ahb),
        BUS_BASE..AHB_BASE => Some(BusKind::Apb),
        _ => None,
    }
}

/// The blocks by page.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pages: Box<[u8]>,
}

impl Space {
    /// The pages of `instances`, which are sorted by address.
    pub(super) fn new(instances: &[Instance]) -> Self {
        let mut pages = vec![NONE; BUS_PAGES + IO_PAGES].into_boxed_slice();
        for (slot, instance) in instances.iter().enumerate() {
            // Of two blocks in a page the second is found from the first.
            if let Some(page) = page(instance.address).filter(|page| pages[*page] == NONE) {
                pages[page] = slot as u8;
            }
        }
        Self { pages }
    }

    /// The block that `address` belongs to.
    #[inline]
    pub(super) fn slot(&self, address: u32, instances: &[Instance]) -> Option<usize> {
        let first = self.pages[page(address)?];
        if first == NONE {
            return None;
        }
        let first = usize::from(first);
        let second = instances
            .get(first + 1)
            .is_some_and(|next| next.address <= address && next.address >> PAGE_SHIFT == address >> PAGE_SHIFT);
        Some(first + usize::from(second))
    }
}

#[inline]
fn page(address: u32) -> Option<usize> {
    let bus = (address.wrapping_sub(BUS_BASE) >> PAGE_SHIFT) as usize;
    if bus < BUS_PAGES {
        return Some(bus);
    }
    let io = (address.wrapping_sub(IO_BASE) >> PAGE_SHIFT) as usize;
    (io < IO_PAGES).then_some(BUS_PAGES + io)
}

/// A write of `width` at `address` as the register sees it.
#[inline]
pub(super) fn spread(bus: BusKind, address: u32, width: Width, value: u32) -> Write {
    let value = value & width.mask();
    if width == Width::Word {
        return Write::word(value);
    }
    if bus == BusKind::Apb {
        let copies = if width == Width::Byte { 0x0101_0101 } else { 0x0001_0001 };
        return Write::word(value.wrapping_mul(copies));
    }
    let shift = (address & 3) * 8;
    Write { value: value << shift, lanes: width.mask() << shift }
}
