//! The FIFOs: one for all packets received, with their status, and one for each IN endpoint (RM0390, "OTG_FS data FIFOs").

use std::collections::VecDeque;

/// Values of PKTSTS (RM0390, OTG_GRXSTSP, device mode).
pub const GLOBAL_NAK: u32 = 1;
pub const DATA: u32 = 2;
pub const OUT_DONE: u32 = 3;
pub const SETUP_DONE: u32 = 4;
pub const SETUP: u32 = 6;

/// A packet with its status.
#[derive(Clone, Debug)]
struct Packet {
    endpoint: u32,
    status: u32,
    data1: bool,
    frame: u32,
    data: Vec<u8>,
}

impl Packet {
    fn words(&self) -> usize {
        1 + self.data.len().div_ceil(4)
    }

    fn word(&self) -> u32 {
        let pid = if self.data1 { 2 } else { 0 };
        let bytes = self.data.len() as u32 & 0x7FF;
        self.endpoint | bytes << 4 | pid << 15 | self.status << 17 | (self.frame & 15) << 21
    }
}

/// The FIFO of received packets.
#[derive(Clone, Debug, Default)]
pub struct Received {
    packets: VecDeque<Packet>,
    /// The rest of the packet whose status was popped.
    rest: VecDeque<u8>,
}

impl Received {
    pub fn clear(&mut self) {
        self.packets.clear();
        self.rest.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// The words in use.
    fn used(&self) -> usize {
        self.packets.iter().map(Packet::words).sum::<usize>() + self.rest.len().div_ceil(4)
    }

    /// Tells if a packet of `bytes` bytes has room in `depth` words, with the status that follows it.
    pub fn has_room(&self, bytes: usize, depth: usize) -> bool {
        self.used() + 2 + bytes.div_ceil(4) <= depth
    }

    pub fn push(&mut self, endpoint: u8, status: u32, data1: bool, frame: u32, data: &[u8]) {
        self.packets.push_back(Packet { endpoint: endpoint.into(), status, data1, frame, data: data.to_vec() });
    }

    /// The status of the oldest packet.
    pub fn peek(&self) -> u32 {
        self.packets.front().map_or(0, Packet::word)
    }

    /// Takes the status of the oldest packet, with the endpoint; its data are read next. Data not read of the one before are
    /// lost.
    pub fn pop(&mut self) -> Option<(u32, usize, u32)> {
        let packet = self.packets.pop_front()?;
        self.rest = packet.data.iter().copied().collect();
        Some((packet.word(), packet.endpoint as usize, packet.status))
    }

    /// Reads four bytes of the packet whose status was popped.
    pub fn read(&mut self) -> u32 {
        let mut bytes = [0; 4];
        bytes.iter_mut().for_each(|byte| *byte = self.rest.pop_front().unwrap_or(0));
        u32::from_le_bytes(bytes)
    }
}

/// The FIFO of an IN endpoint, by words.
#[derive(Clone, Debug, Default)]
pub struct Transmit {
    words: VecDeque<u32>,
}

impl Transmit {
    pub fn clear(&mut self) {
        self.words.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words free of `depth`.
    pub fn free(&self, depth: usize) -> usize {
        depth.saturating_sub(self.words.len())
    }

    /// Takes a word; `false` if there is no room.
    pub fn push(&mut self, word: u32, depth: usize) -> bool {
        let fits = self.words.len() < depth;
        if fits {
            self.words.push_back(word);
        }
        fits
    }

    /// The first `length` bytes, if they are all there.
    pub fn packet(&self, length: usize) -> Option<Vec<u8>> {
        let words = length.div_ceil(4);
        if self.words.len() < words {
            return None;
        }
        let mut bytes: Vec<u8> = self.words.iter().take(words).flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(length);
        Some(bytes)
    }

    /// The packet of `length` bytes has gone.
    pub fn remove(&mut self, length: usize) {
        let words = length.div_ceil(4).min(self.words.len());
        self.words.drain(..words);
    }
}
