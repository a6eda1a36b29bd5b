//! The packet memory and the buffers in it that the table describes (RM0008, "Structure and usage of packet buffers"; RM0440 and
//! RM0444, the same): 256 half-words that the core sees one a word, 512 half-words beside each other, or 512 words.

use cyclescope_machine::Width;

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Words, Write};

/// The values after reset: RM0008 gives none, and they are 0 here.
pub const MODEL: &[Modelled] = &[];

/// A memory of so many half-words.
#[derive(Clone, Copy, Debug)]
pub struct Size(pub usize);

impl Size {
    /// Returns the half-word at the device's byte address `at`; addresses wrap at the memory's end.
    fn get(self, memory: &[u16], at: u32) -> u16 {
        memory.get(at as usize / 2 % self.0).copied().unwrap_or(0)
    }

    fn set(self, memory: &mut Vec<u16>, at: u32, value: u16) {
        if memory.len() < self.0 {
            memory.resize(self.0, 0);
        }
        memory[at as usize / 2 % self.0] = value;
    }
}

/// A buffer by its entry in the table: the address, and the count beside it.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    memory: Size,
    entry: u32,
}

impl Buffer {
    /// The first (for transmission, where there is one for each way) or the `second` buffer of the endpoint `index`.
    pub fn new(memory: Size, table: u32, index: u32, second: bool) -> Self {
        Self { memory, entry: (table & 0xFFF8) + index * 8 + if second { 4 } else { 0 } }
    }

    /// Returns the bytes of a packet to be sent.
    pub fn load(self, memory: &[u16]) -> Vec<u8> {
        let get = |at: u32| self.memory.get(memory, at);
        let (from, count) = (u32::from(get(self.entry)) & !1, u32::from(get(self.entry + 2)) & 0x3FF);
        (0..count).map(|place| get(from + place).to_le_bytes()[place as usize & 1]).collect()
    }

    /// Takes the bytes of a packet, as far as they fit, and their number. Returns `false` if there were too many.
    pub fn store(self, memory: &mut Vec<u16>, data: &[u8]) -> bool {
        let size = self.memory;
        let (to, count) = (u32::from(size.get(memory, self.entry)) & !1, size.get(memory, self.entry + 2));
        let blocks = u32::from(count >> 10 & 0x1F);
        let room = if count & 1 << 15 != 0 { (blocks + 1) * 32 } else { blocks * 2 };
        let fits = &data[..data.len().min(room as usize)];
        for (place, pair) in (0u32..).zip(fits.chunks(2)) {
            let old = size.get(memory, to + place * 2).to_le_bytes();
            let word = [pair[0], pair.get(1).copied().unwrap_or(old[1])];
            size.set(memory, to + place * 2, u16::from_le_bytes(word));
        }
        if fits.len() < data.len() {
            return false;
        }
        size.set(memory, self.entry + 2, count & 0xFC00 | data.len() as u16 & 0x3FF);
        true
    }
}

/// The memory as the core sees it.
#[derive(Clone, Debug)]
pub struct UsbRam {
    /// For the names of its words; it holds nothing.
    bank: Bank,
    size: Size,
    /// One half-word lies in each word, whose upper half reads as 0 and takes nothing.
    sparse: bool,
}

impl UsbRam {
    /// The memory of `instance`.
    pub fn new(instance: &Instance) -> Self {
        let (size, sparse) = match instance.map.version {
            "16x1_512" => (256, true),
            "32_2048" => (1024, false),
            _ => (512, false),
        };
        Self { bank: Bank::new(instance.map, MODEL), size: Size(size), sparse }
    }

    /// The device's byte address of the word at `offset`, if it is there.
    fn place(&self, offset: u32) -> Option<u32> {
        let at = if self.sparse { offset / 2 } else { offset };
        ((at as usize) < self.size.0 * 2).then_some(at)
    }
}

impl Block<Words> for UsbRam {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let Some(at) = self.place(offset) else { return self.bank.read(offset, env) };
        let memory = &env.wires.packets;
        let high = if self.sparse { 0 } else { self.size.get(memory, at + 2) };
        u32::from(self.size.get(memory, at)) | u32::from(high) << 16
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.place(offset).map(|_| Instant::NEVER)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let Some(at) = self.place(offset) else {
            self.bank.write(offset, write, env);
            return;
        };
        let old = self.read(offset, env);
        let mut write = write;
        if !self.sparse && env.wires.width != Width::Word {
            // The bridge repeats narrow data over the word; the address says which are meant.
            write.lanes &= env.wires.width.mask() << (8 * (u32::from(env.wires.lane) & 3));
        }
        let new = write.over(old);
        let memory = &mut env.wires.packets;
        self.size.set(memory, at, new as u16);
        if !self.sparse {
            self.size.set(memory, at + 2, (new >> 16) as u16);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        env.wires.packets.clear();
    }
}
