//! The packet memory: 256 half-words, which the core sees one a word, and the buffers in it that the table describes
//! (RM0008, "Structure and usage of packet buffers").

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Words, Write};

/// The half-words of the memory.
const WORDS: usize = 256;

/// The values after reset: RM0008 gives none, and they are 0 here.
pub const MODEL: &[Modelled] = &[];

/// Returns the half-word at the device's byte address `at`; addresses wrap at the memory's end.
fn get(memory: &[u16], at: u32) -> u16 {
    memory.get(at as usize / 2 % WORDS).copied().unwrap_or(0)
}

fn set(memory: &mut Vec<u16>, at: u32, value: u16) {
    if memory.len() < WORDS {
        memory.resize(WORDS, 0);
    }
    memory[at as usize / 2 % WORDS] = value;
}

/// A buffer by its entry in the table: the address, and the count beside it.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    entry: u32,
}

impl Buffer {
    /// The first (for transmission, where there is one for each way) or the `second` buffer of the endpoint `index`.
    pub fn new(table: u32, index: u32, second: bool) -> Self {
        Self { entry: (table & 0xFFF8) + index * 8 + if second { 4 } else { 0 } }
    }

    /// Returns the bytes of a packet to be sent.
    pub fn load(self, memory: &[u16]) -> Vec<u8> {
        let (from, count) = (u32::from(get(memory, self.entry)) & !1, u32::from(get(memory, self.entry + 2)) & 0x3FF);
        (0..count).map(|place| get(memory, from + place).to_le_bytes()[place as usize & 1]).collect()
    }

    /// Takes the bytes of a packet, as far as they fit, and their number. Returns `false` if there were too many.
    pub fn store(self, memory: &mut Vec<u16>, data: &[u8]) -> bool {
        let (to, count) = (u32::from(get(memory, self.entry)) & !1, get(memory, self.entry + 2));
        let blocks = u32::from(count >> 10 & 0x1F);
        let room = if count & 1 << 15 != 0 { (blocks + 1) * 32 } else { blocks * 2 };
        let fits = &data[..data.len().min(room as usize)];
        for (place, pair) in (0u32..).zip(fits.chunks(2)) {
            let old = get(memory, to + place * 2).to_le_bytes();
            let word = [pair[0], pair.get(1).copied().unwrap_or(old[1])];
            set(memory, to + place * 2, u16::from_le_bytes(word));
        }
        if fits.len() < data.len() {
            return false;
        }
        set(memory, self.entry + 2, count & 0xFC00 | data.len() as u16 & 0x3FF);
        true
    }
}

/// The memory as the core sees it: the upper half of each word reads as 0 and takes nothing.
#[derive(Clone, Debug)]
pub struct UsbRam {
    /// For the names of its words; it holds nothing.
    bank: Bank,
}

impl UsbRam {
    /// The memory of `instance`.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL) }
    }
}

impl Block<Words> for UsbRam {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset as usize / 4 >= WORDS {
            return self.bank.read(offset, env);
        }
        get(&env.wires.packets, offset / 2).into()
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        ((offset as usize) < WORDS * 4).then_some(Instant::NEVER)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset as usize / 4 >= WORDS {
            self.bank.write(offset, write, env);
            return;
        }
        let old = get(&env.wires.packets, offset / 2);
        set(&mut env.wires.packets, offset / 2, write.over(old.into()) as u16);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        env.wires.packets.clear();
    }
}
