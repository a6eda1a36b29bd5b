//! The code flash: its contents, the time that reading it takes, and the places that count for that.

use std::sync::Arc;

use super::{Memory, RegionKind};
use crate::ram::read_bytes;
use crate::units::Address;
use crate::{FlashInterface, FlashTiming, Placement, Width};

/// The part's code flash. Cloned machines share its bytes.
#[derive(Clone, Debug)]
pub struct Flash {
    pub(super) base: u32,
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) interface: FlashInterface,
    /// See [`Memory::place`].
    pub(super) placement: Option<Arc<Placement>>,
}

impl Flash {
    /// Returns its first address.
    pub fn base(&self) -> Address {
        Address::new(self.base)
    }

    /// Its contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The little-endian word at the byte offset `offset`; zero beyond the end. Takes no time by itself.
    #[inline(always)]
    pub fn word(&self, offset: u32) -> u32 {
        read_bytes(&self.bytes, offset as usize, Width::Word).unwrap_or(0)
    }

    /// The interface that charges for reading it.
    pub fn interface(&self) -> &FlashInterface {
        &self.interface
    }

    /// The interface, for a core that fetches.
    #[inline(always)]
    pub fn interface_mut(&mut self) -> &mut FlashInterface {
        &mut self.interface
    }

    /// The byte offset that counts for timing in place of `offset` ([`Memory::place`]).
    #[inline(always)]
    pub fn placed(&self, offset: u32) -> u32 {
        match &self.placement {
            None => offset,
            Some(placement) => placement.of(self.base.wrapping_add(offset)).wrapping_sub(self.base),
        }
    }

    /// Tells whether a read of data at the byte offset `offset`, where instructions and data share a cache, is answered from it.
    pub fn is_cached(&self, offset: u32) -> bool {
        self.interface.timing().wait_states == 0 || self.interface.holds(self.interface.line(self.placed(offset)))
    }

    /// Stall of a data read at the byte offset `offset` in the cycle `at`: [`FlashInterface::read_data`].
    #[inline(always)]
    pub fn read_data(&mut self, offset: u32, at: u64) -> u32 {
        let placed = self.placed(offset);
        self.interface.read_data(placed, at)
    }
}

impl Memory {
    /// Has code and constants lie elsewhere, for timing only; with `None` where they are. Caches and prefetch buffers begin empty.
    pub fn place(&mut self, placement: Option<Arc<Placement>>) {
        self.flash.placement = placement;
        let core = self.flash.interface.core();
        self.flash.interface = FlashInterface::new(self.flash.interface.timing());
        self.flash.interface.turn_to(core);
        self.generation += 1;
    }

    /// The address that counts for timing in place of `address`.
    #[inline(always)]
    pub fn timed(&self, address: u32) -> u32 {
        if self.flash.placement.is_none() { address } else { self.timed_elsewhere(address) }
    }

    #[inline(never)]
    fn timed_elsewhere(&self, address: u32) -> u32 {
        match self.region(address) {
            Some(RegionKind::Flash(offset)) => address.wrapping_add(self.flash.placed(offset).wrapping_sub(offset)),
            _ => self.flash.placement.as_ref().map_or(address, |placement| placement.of(address)),
        }
    }

    /// Sets up the flash interface; a change empties its buffers.
    pub fn set_flash_timing(&mut self, timing: FlashTiming) {
        if self.flash.interface.timing() != timing {
            let core = self.flash.interface.core();
            self.flash.interface = FlashInterface::new(timing);
            self.flash.interface.turn_to(core);
            self.generation += 1;
        }
    }

    /// Programs flash at the byte offset `offset`: bits can only be cleared, as in the cells. Bytes outside are ignored.
    pub fn program_flash(&mut self, offset: usize, data: &[u8]) {
        self.change_flash(offset, data, |cell, bits| *cell &= bits);
    }

    /// Erases `len` bytes of flash at the byte offset `offset` to 0xFF. Bytes outside are ignored.
    pub fn erase_flash(&mut self, offset: usize, len: usize) {
        self.change_flash(offset, &vec![0xFF; len.min(self.flash.bytes.len())], |cell, bits| *cell = bits);
    }

    fn change_flash(&mut self, offset: usize, data: &[u8], change: impl Fn(&mut u8, u8)) {
        let cells = Arc::make_mut(&mut self.flash.bytes);
        for (cell, bits) in cells.iter_mut().skip(offset).zip(data) {
            change(cell, *bits);
        }
        self.generation += 1;
    }
}
