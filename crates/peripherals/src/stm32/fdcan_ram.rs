//! The message RAM of FDCAN (RM0440, RM0444, "Message RAM"), which is part of the wires: 212 words a node, laid out once and for
//! all, with the filters and the elements in it.

use cyclescope_machine::CanFrame;

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Words, Write};

/// The words of a node.
pub(super) const WORDS: usize = 212;
/// Words of a received or sent frame.
pub(super) const ELEMENT: usize = 18;
/// The elements of a FIFO.
pub(super) const DEPTH: u32 = 3;

/// The first words of the parts of the RAM.
const STANDARD: usize = 0;
const EXTENDED: usize = 0x70 / 4;
pub(super) const FIFOS: [usize; 2] = [0xB0 / 4, 0x188 / 4];
pub(super) const EVENTS: usize = 0x260 / 4;
pub(super) const BUFFERS: usize = 0x278 / 4;

/// Bits of the first word of an element.
const XTD: u32 = 1 << 30;
const RTR: u32 = 1 << 29;

/// The values after reset: nothing is modelled but storage, which reads back.
pub const MODEL: &[Modelled] = &[];

/// The number of a node, from 0 on, by its block's name.
pub(super) fn number(instance: &Instance) -> usize {
    let digit = instance.name.bytes().last().unwrap_or(b'1');
    usize::from(digit.saturating_sub(b'1')) & 3
}

/// The first word of an element for `frame`.
pub(super) fn identifier(frame: &CanFrame) -> u32 {
    let id = if frame.extended { frame.id | XTD } else { frame.id << 18 };
    id | if frame.remote { RTR } else { 0 }
}

/// Returns the frame that the words of an element hold.
pub(super) fn frame(words: &[u32]) -> CanFrame {
    let word = |place: usize| words.get(place).copied().unwrap_or(0);
    let (first, code) = (word(0), (word(1) >> 16 & 15) as u8);
    let extended = first & XTD != 0;
    let id = if extended { first & 0x1FFF_FFFF } else { first >> 18 & 0x7FF };
    let mut data = [0; 8];
    if first & RTR == 0 {
        data[..4].copy_from_slice(&word(2).to_le_bytes());
        data[4..].copy_from_slice(&word(3).to_le_bytes());
        data[usize::from(code.min(8))..].fill(0);
    }
    CanFrame { id, extended, remote: first & RTR != 0, code, data }
}

/// The filter that a frame has passed, and what it says: SFEC or EFEC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) index: u32,
    pub(super) action: u32,
}

/// The first filter of the node's list that `frame` passes (RM0440, "Acceptance filter"); of `standard` and `extended` filters, with
/// XIDAM.
pub(super) fn filter(ram: &[u32], frame: &CanFrame, [standard, extended]: [u32; 2], mask: u32) -> Option<Passed> {
    let word = |place: usize| ram.get(place).copied().unwrap_or(0);
    if !frame.extended {
        return (0..standard.min(28)).find_map(|index| {
            let filter = word(STANDARD + index as usize);
            let (kind, action) = (filter >> 30, filter >> 27 & 7);
            let (first, second) = (filter >> 16 & 0x7FF, filter & 0x7FF);
            let passes = kind != 3 && matches(kind, frame.id, first, second);
            (passes && matches!(action, 1..=6)).then_some(Passed { index, action })
        });
    }
    (0..extended.min(8)).find_map(|index| {
        let (first, second) = (word(EXTENDED + 2 * index as usize), word(EXTENDED + 2 * index as usize + 1));
        let (kind, action) = (second >> 30, first >> 29);
        let id = if kind == 3 { frame.id } else { frame.id & mask };
        let passes = matches(kind, id, first & 0x1FFF_FFFF, second & 0x1FFF_FFFF);
        (passes && matches!(action, 1..=6)).then_some(Passed { index, action })
    })
}

/// Tells if `id` passes a filter of two identifiers: a range, either, or an identifier and a mask.
const fn matches(kind: u32, id: u32, first: u32, second: u32) -> bool {
    match kind {
        0 | 3 => first <= id && id <= second,
        1 => id == first || id == second,
        _ => (id ^ first) & second == 0,
    }
}

/// The RAM as the core sees it.
#[derive(Clone, Debug)]
pub struct FdcanRam {
    /// For the names of its words; it holds nothing.
    bank: Bank,
    base: usize,
}

impl FdcanRam {
    /// The memory of `instance`.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL), base: number(instance) * WORDS }
    }

    fn place(&self, offset: u32) -> Option<usize> {
        let word = offset as usize / 4;
        (word < WORDS).then_some(self.base + word)
    }
}

impl Block<Words> for FdcanRam {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let Some(place) = self.place(offset) else { return self.bank.read(offset, env) };
        env.wires.messages.get(place).copied().unwrap_or(0)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.place(offset).map(|_| Instant::NEVER)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let Some(place) = self.place(offset) else {
            self.bank.write(offset, write, env);
            return;
        };
        let messages = &mut env.wires.messages;
        if messages.len() <= place {
            messages.resize(place + 1, 0);
        }
        messages[place] = write.over(messages[place]);
    }

    /// A RAM keeps what it holds; it is 0 here at power-on.
    fn reset(&mut self, _: &mut Env<'_, '_>) {}
}
