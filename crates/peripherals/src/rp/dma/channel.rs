//! A channel and its transfer sequence (RP-008371-DS, DMA, "Configuring Channels").

use cyclescope_machine::Width;

use crate::roles::moved;

/// Bits of CTRL.
pub const EN: u32 = 1 << 0;
/// See [`EN`].
pub const HIGH_PRIORITY: u32 = 1 << 1;
const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;
const RING_SEL: u32 = 1 << 10;
/// See [`EN`].
pub const IRQ_QUIET: u32 = 1 << 21;
/// See [`EN`].
pub const BSWAP: u32 = 1 << 22;
/// See [`EN`].
pub const SNIFF_EN: u32 = 1 << 23;
const BUSY: u32 = 1 << 24;
/// See [`EN`].
pub const WRITE_ERROR: u32 = 1 << 29;
/// See [`EN`].
pub const READ_ERROR: u32 = 1 << 30;
const AHB_ERROR: u32 = 1 << 31;
/// The bits that software writes.
const WRITTEN: u32 = 0x00FF_FFFF;

/// TREQ_SEL of the pacing timers, and of a request that is always there.
const TIMER0: u8 = 0x3B;
const PERMANENT: u8 = 0x3F;

/// The greatest value of the counter of requests.
pub const MOST_CREDITS: u64 = 63;

/// The pace of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// A request of a peripheral, by its number.
    Request(u8),
    /// A pacing timer.
    Timer(usize),
    /// Nothing.
    Permanent,
}

/// A channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// CTRL as software writes it, with the flags of errors.
    ctrl: u32,
    /// READ_ADDR, WRITE_ADDR and TRANS_COUNT as they read: what has not been read, written and transferred yet.
    pub read: u32,
    /// See [`Self::read`].
    pub write: u32,
    /// See [`Self::read`].
    pub left: u32,
    /// The same of what has not been issued yet.
    next_read: u32,
    next_write: u32,
    /// Transfers that have not been issued yet.
    pub to_issue: u32,
    /// The count that the next sequence begins with.
    pub reload: u32,
    /// Transfers that have been issued and have not ended.
    pub in_flight: u32,
    /// The sequence has begun and has not ended.
    pub busy: bool,
    /// CHAN_ABORT was written: the rest of the sequence is given up.
    pub aborted: bool,
    /// The counter of requests, and the timer's requests that it has counted.
    pub credits: u64,
    /// See [`Self::credits`].
    pub counted: u64,
    /// The first cycle at which it may issue a transfer.
    pub from: u64,
}

impl Channel {
    /// CTRL as it reads.
    pub const fn ctrl(&self) -> u32 {
        let error = if self.ctrl & (READ_ERROR | WRITE_ERROR) != 0 { AHB_ERROR } else { 0 };
        self.ctrl | error | if self.busy { BUSY } else { 0 }
    }

    /// CTRL is written with `value`; `cleared` has the flags that are cleared by it.
    pub const fn set_ctrl(&mut self, value: u32, cleared: u32) {
        let flags = self.ctrl & (READ_ERROR | WRITE_ERROR) & !cleared;
        self.ctrl = value & WRITTEN | flags;
    }

    /// Tells if all bits of `bits` are set in CTRL.
    pub const fn is(&self, bits: u32) -> bool {
        self.ctrl & bits == bits
    }

    /// The width of its transfers; the reserved size is a word here.
    pub const fn width(&self) -> Width {
        match self.ctrl >> 2 & 3 {
            0 => Width::Byte,
            1 => Width::Half,
            _ => Width::Word,
        }
    }

    /// The channel that it chains to.
    pub const fn chain_to(&self) -> usize {
        (self.ctrl >> 11 & 15) as usize
    }

    /// Its pace.
    pub const fn pace(&self) -> Pace {
        match (self.ctrl >> 15 & 63) as u8 {
            PERMANENT => Pace::Permanent,
            timer @ TIMER0.. => Pace::Timer((timer - TIMER0) as usize),
            number => Pace::Request(number),
        }
    }

    /// READ_ADDR is written.
    pub const fn set_read(&mut self, address: u32) {
        (self.read, self.next_read) = (address, address);
    }

    /// WRITE_ADDR is written.
    pub const fn set_write(&mut self, address: u32) {
        (self.write, self.next_write) = (address, address);
    }

    /// `address` behind a transfer, of the write side or the read side.
    const fn behind(&self, address: u32, write: bool) -> u32 {
        let increments = self.ctrl & if write { INCR_WRITE } else { INCR_READ } != 0;
        let ring = self.ctrl >> 6 & 15;
        let wraps = ring != 0 && (self.ctrl & RING_SEL != 0) == write;
        let mask = if wraps { (1 << ring) - 1 } else { u32::MAX };
        if increments { moved(address, self.width().bytes(), mask) } else { address }
    }

    /// Tells if a trigger starts it.
    pub const fn takes_trigger(&self) -> bool {
        self.ctrl & EN != 0 && !self.busy
    }

    /// Starts a sequence.
    pub const fn start(&mut self) {
        self.busy = true;
        self.left = self.reload;
        self.to_issue = self.reload;
        (self.next_read, self.next_write) = (self.read, self.write);
    }

    /// Issues a transfer: its two addresses. Those that are not aligned are taken as if they were.
    pub const fn issue(&mut self) -> [u32; 2] {
        let addresses = [self.next_read, self.next_write];
        self.next_read = self.behind(self.next_read, false);
        self.next_write = self.behind(self.next_write, true);
        self.to_issue -= 1;
        self.in_flight += 1;
        let mask = !(self.width().bytes() - 1);
        [addresses[0] & mask, addresses[1] & mask]
    }

    /// A read has ended well.
    pub const fn has_read(&mut self) {
        self.read = self.behind(self.read, false);
    }

    /// A write has ended well, and a transfer with it.
    pub const fn has_written(&mut self) {
        self.write = self.behind(self.write, true);
        self.left = self.left.saturating_sub(1);
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// An access has failed: nothing more is issued.
    pub const fn fail(&mut self, flag: u32) {
        self.ctrl |= flag;
        self.to_issue = 0;
    }
}
