//! Reads SEGGER RTT as a debug probe does: from the up-buffers of a control block in RAM.
//!
//! The control block (SEGGER UM08001, RTT) has 16 bytes of id `SEGGER RTT`, the numbers of up- and down-buffers, then
//! six words for each buffer: name, address, size, write offset, read offset, flags. The probe reads from the read
//! offset to the write offset and moves the read offset. It takes no time of the guest (Assumed).

use cyclescope_machine::units::Address;
use cyclescope_machine::{Channel, Console, Memory, Width};

const ID: &[u8; 10] = b"SEGGER RTT";
const MAX_UP_BUFFERS: u32 = 16;
const HEADER_BYTES: u32 = 24;
const DESCRIPTOR_BYTES: u32 = 24;
/// The greatest accepted buffer size; a descriptor with a larger one is not valid.
const MAX_BUFFER_BYTES: u32 = 1 << 20;

/// A control block at a known address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rtt {
    block: u32,
}

impl Rtt {
    /// Returns the control block at the address of the symbol `_SEGGER_RTT`. The guest may initialise it later.
    pub fn at(block: Address) -> Self {
        Self { block: block.get() }
    }

    /// Moves the guest's output to `console`, one channel for each up-buffer.
    pub fn drain(&self, memory: &mut Memory, console: &mut Console) {
        if !self.is_initialised(memory) {
            return;
        }
        let count = word(memory, self.block.wrapping_add(16)).min(MAX_UP_BUFFERS);
        for index in 0..count {
            let descriptor = self.block.wrapping_add(HEADER_BYTES + index * DESCRIPTOR_BYTES);
            drain_buffer(memory, console, descriptor, index as u8);
        }
    }

    fn is_initialised(&self, memory: &Memory) -> bool {
        (0u32..)
            .zip(ID)
            .all(|(offset, byte)| memory.read(self.block.wrapping_add(offset), Width::Byte) == Some(u32::from(*byte)))
    }
}

fn drain_buffer(memory: &mut Memory, console: &mut Console, descriptor: u32, index: u8) {
    let field = |memory: &Memory, number: u32| word(memory, descriptor.wrapping_add(4 * number));
    let (buffer, size) = (field(memory, 1), field(memory, 2));
    let (write, read) = (field(memory, 3), field(memory, 4));
    if size == 0 || size > MAX_BUFFER_BYTES || write >= size || read >= size || write == read {
        return;
    }
    let mut offset = read;
    let mut bytes = Vec::new();
    while offset != write {
        let Some(byte) = memory.read(buffer.wrapping_add(offset), Width::Byte) else { break };
        bytes.push(byte as u8);
        offset = (offset + 1) % size;
    }
    console.write(Channel::Rtt(index), &bytes);
    memory.write(descriptor.wrapping_add(16), Width::Word, write);
}

fn word(memory: &Memory, address: u32) -> u32 {
    memory.read(address, Width::Word).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u32 = 0x2000_0000;
    const BUFFER: u32 = 0x2000_0100;

    fn memory(write: u32, read: u32) -> Memory {
        let mut memory = Memory::new(Address::new(0x0800_0000), vec![0; 64], Address::new(BLOCK), 1024);
        memory.load(Address::new(BLOCK), ID);
        for (offset, value) in [(16, 1), (20, 0), (28, BUFFER), (32, 8), (36, write), (40, read)] {
            memory.write(BLOCK + offset, Width::Word, value);
        }
        memory.load(Address::new(BUFFER), b"abcdefgh");
        memory
    }

    fn drained(memory: &mut Memory) -> Vec<u8> {
        let mut console = Console::new(100);
        Rtt::at(Address::new(BLOCK)).drain(memory, &mut console);
        console.bytes(Channel::Rtt(0))
    }

    #[test]
    fn it_reads_across_the_end_of_the_ring_and_only_once() {
        let mut memory = memory(2, 6);
        assert_eq!(drained(&mut memory), b"ghab");
        assert_eq!(drained(&mut memory), b"");
    }

    #[test]
    fn a_block_that_is_none_is_left_alone() {
        let mut memory = memory(3, 0);
        memory.write(BLOCK, Width::Byte, 0);
        assert_eq!(drained(&mut memory), b"");
        for size in [0, u32::MAX] {
            memory.load(Address::new(BLOCK), ID);
            memory.write(BLOCK + 32, Width::Word, size);
            assert_eq!(drained(&mut memory), b"");
        }
    }
}
