//! A trace as text: one line an instruction.
//!
//! A line holds the cycle, counted from the span's first; the cycles taken; the address; the instruction's bytes; its text;
//! the registers that it changed, with their new values; and the memory it went to. Lines are written as they come, so that
//! no trace is too long.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use cyclescope_image::{Image, SectionKind};
use cyclescope_machine::{Registers, Retire, Signal, Sink, State};
use cyclescope_units::{Address, Cycles};

use crate::disassembly::{Disassembler, Memory, RISCV_NAMES};

/// How much is collected before it is written.
const BUFFER: usize = 1 << 16;

/// Entries of the table that finds instructions by their addresses.
const FOUND: usize = 1 << 12;

/// Columns of the cycle and of the cycles taken.
const CYCLE: usize = 11;
const TAKEN: usize = 4;

/// What all lines of one instruction have in common.
#[derive(Debug)]
struct Known {
    /// Room for the cycle and the cycles taken, then address, bytes and text, padded.
    text: Vec<u8>,
    /// Whether it may change the registers of floating point.
    floats: bool,
    memory: Option<Memory>,
    /// The name of the function, which stands above its lines.
    function: u32,
}

/// The registers after the latest instruction.
#[derive(Clone, Debug, Default)]
struct Seen {
    words: [u32; 32],
    floats: [u32; 32],
    stack_pointer: u32,
    known: bool,
}

/// Writes a listing.
pub(crate) struct Listing<'i, 'w> {
    image: &'i Image,
    exceptions: Vec<(u16, String)>,
    disassembler: Disassembler,
    to: &'w mut dyn Write,
    failed: Option<io::Error>,
    buffer: Vec<u8>,
    /// Where the latest line begins in the buffer, and when its instruction ends.
    line: usize,
    end: u64,
    known: Vec<Known>,
    by_pc: HashMap<u32, u32>,
    found: Vec<(u32, u32)>,
    functions: HashMap<Option<u32>, u32>,
    names: Vec<String>,
    function: Option<u32>,
    /// The cycle that lines count from, while they are written.
    from: Option<u64>,
    seen: Seen,
    latest: Option<(Retire, u32)>,
    /// The cycle of the latest line.
    cycle: Counter,
    /// Whether an exception may have changed the registers of floating point.
    floats_moved: bool,
}

impl<'i, 'w> Listing<'i, 'w> {
    /// Of a run of `image`, to `to`.
    ///
    /// # Errors
    /// The disassembler's.
    pub(crate) fn new(
        image: &'i Image,
        exceptions: &[(u16, &str)],
        to: &'w mut dyn Write,
    ) -> Result<Self, capstone::Error> {
        Ok(Self {
            image,
            exceptions: exceptions.iter().map(|(number, name)| (*number, (*name).to_owned())).collect(),
            disassembler: Disassembler::new(image.architecture())?,
            to,
            failed: None,
            buffer: Vec::with_capacity(2 * BUFFER),
            line: 0,
            end: 0,
            known: Vec::new(),
            by_pc: HashMap::new(),
            found: vec![(u32::MAX, 0); FOUND],
            functions: HashMap::new(),
            names: Vec::new(),
            function: None,
            from: None,
            seen: Seen::default(),
            latest: None,
            cycle: Counter::default(),
            floats_moved: true,
        })
    }

    /// Whether something could not be written.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The span's occurrence of this number begins at the cycle `at`.
    pub(crate) fn begin(&mut self, number: u64, at: Cycles) {
        self.say(&format!("# {number}: from cycle {}", at.get()));
        self.line = self.buffer.len();
        self.from = Some(at.get());
        self.function = None;
        // The instruction under way counts.
        if let Some((retire, known)) = self.latest.filter(|_| self.end > at.get()) {
            let inside = Cycles::new(self.end - at.get());
            self.write_line(Retire { at, cycles: inside, ..retire }, known);
            self.buffer.push(b'\n');
        }
    }

    /// It ends before the cycle `at`: an instruction that is under way then is taken back.
    pub(crate) fn end(&mut self, at: Cycles) {
        if at.get() < self.end {
            self.buffer.truncate(self.line);
        }
        self.from = None;
        self.say(&format!("# to cycle {}", at.get()));
    }

    /// A signal of the machine.
    pub(crate) fn signal(&mut self, at: Cycles, signal: Signal) {
        self.floats_moved = true;
        let Some(from) = self.from else { return };
        let name = |number: u16| {
            let known = self.exceptions.iter().find(|(known, _)| *known == number);
            known.map_or_else(|| number.to_string(), |(_, name)| name.clone())
        };
        let what = match signal {
            Signal::ExceptionEntered { number } => format!("exception {} entered", name(number)),
            Signal::ExceptionReturned { number } => format!("exception {} returned", name(number)),
            Signal::Sleep => "asleep".to_owned(),
            Signal::Wake => "awake".to_owned(),
            Signal::Pin { pin, high } => format!("pin {pin} {}", if high { "high" } else { "low" }),
            Signal::ExceptionPended { .. } | Signal::Store { .. } => return,
        };
        self.say(&format!("# {:>9} {what}", at.get().saturating_sub(from)));
        self.function = None;
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first thing that could not be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.failed.map_or(Ok(()), Err)
    }

    fn say(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
        self.buffer.push(b'\n');
    }

    #[cold]
    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.to.write_all(&self.buffer).err();
        }
        self.buffer.clear();
        self.line = 0;
    }

    /// What is known of the instruction at `pc`.
    #[inline(always)]
    fn find(&mut self, pc: u32) -> u32 {
        let place = (pc as usize / 2) % FOUND;
        let (known, id) = self.found[place];
        if known == pc { id } else { self.find_slowly(pc, place) }
    }

    #[cold]
    fn find_slowly(&mut self, pc: u32, place: usize) -> u32 {
        let id = match self.by_pc.get(&pc) {
            Some(id) => *id,
            None => {
                let known = self.look(pc);
                self.known.push(known);
                let id = (self.known.len() - 1) as u32;
                self.by_pc.insert(pc, id);
                id
            }
        };
        self.found[place] = (pc, id);
        id
    }

    fn look(&mut self, pc: u32) -> Known {
        let symbol = self.image.function_at(Address::new(pc));
        let next = self.names.len() as u32;
        let function = *self.functions.entry(symbol.map(|symbol| symbol.address.get())).or_insert(next);
        if function == next {
            self.names.push(symbol.map_or("(no symbol)", |symbol| symbol.display_name()).to_owned());
        }
        let bytes = code_at(self.image, pc);
        let instruction = self.disassembler.text(bytes, pc);
        let mut hex = String::new();
        for half in bytes[..instruction.length.min(bytes.len())].chunks(2) {
            let half = half.iter().rev().fold(0u32, |half, byte| half << 8 | u32::from(*byte));
            // Formatting into a string does not fail.
            let _ = write!(hex, "{half:04x} ");
        }
        let text = format!("{:1$}  {pc:08x}  {hex:<10} {2:<32}", "", CYCLE + TAKEN, instruction.text);
        // All of them, and no other, are called so.
        let floats = instruction.text.starts_with('v');
        Known { text: text.into_bytes(), floats, memory: instruction.memory, function }
    }

    fn write_line(&mut self, retire: Retire, known: u32) {
        if self.buffer.len() > BUFFER {
            self.flush();
        }
        let known = &self.known[known as usize];
        if self.function != Some(known.function) {
            self.function = Some(known.function);
            self.buffer.extend_from_slice(self.names[known.function as usize].as_bytes());
            self.buffer.extend_from_slice(b":\n");
        }
        self.line = self.buffer.len();
        let from = self.from.unwrap_or(0);
        let cycle = self.cycle.to(retire.at.get().saturating_sub(from));
        let cycles = retire.cycles.get();
        if cycle.len() <= CYCLE && cycles < 10_000 {
            self.buffer.extend_from_slice(&known.text);
            let columns = &mut self.buffer[self.line..self.line + CYCLE + TAKEN];
            columns[CYCLE - cycle.len()..CYCLE].copy_from_slice(cycle);
            let (mut rest, mut place) = (cycles, CYCLE + TAKEN);
            loop {
                place -= 1;
                columns[place] = b'0' + (rest % 10) as u8;
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
        } else {
            decimal(&mut self.buffer, retire.at.get().saturating_sub(from), CYCLE);
            decimal(&mut self.buffer, cycles, TAKEN);
            self.buffer.extend_from_slice(&known.text[CYCLE + TAKEN..]);
        }
        if let Some(memory) = known.memory.filter(|_| self.seen.known) {
            let pairs = matches!(self.image.architecture(), cyclescope_image::Architecture::Avr(_));
            let words = &self.seen.words;
            let register = |number: u8| match number {
                number if pairs => words[usize::from(number)] | words[usize::from(number) + 1] << 8,
                number => words[usize::from(number)],
            };
            let address = memory.address(register);
            self.buffer.extend_from_slice(if memory.writes { b" w:" } else { b" r:" });
            hex(&mut self.buffer, address);
            self.buffer.push(b'+');
            decimal(&mut self.buffer, memory.bytes.into(), 0);
        }
    }

    /// Adds the registers that have changed to the line, and remembers them.
    fn changes(&mut self, state: State<'_>) {
        let known = std::mem::replace(&mut self.seen.known, true);
        let shown = known && self.from.is_some();
        match state.registers {
            Registers::CortexM(words, floats) => {
                let seen: &mut [u32; 16] = self.seen.words.first_chunk_mut().expect("there is room for 32");
                // The program counter is not shown.
                let mut changed = differences(seen, words) & 0x7FFF;
                *seen = *words;
                while changed != 0 && shown {
                    let number = changed.trailing_zeros() as usize;
                    changed &= changed - 1;
                    let name = ["sp", "lr"].get(number.wrapping_sub(13));
                    change(&mut self.buffer, name.copied(), b'r', number, words[number]);
                }
                let may_float = self.latest.is_none_or(|(_, known)| self.known[known as usize].floats);
                if (may_float || std::mem::take(&mut self.floats_moved)) && self.seen.floats != *floats {
                    for (number, word) in floats.iter().enumerate() {
                        if shown && self.seen.floats[number] != *word {
                            change(&mut self.buffer, None, b's', number, *word);
                        }
                    }
                    self.seen.floats = *floats;
                }
            }
            Registers::RiscV(words) => {
                let mut changed = differences(&self.seen.words, words);
                self.seen.words = *words;
                while changed != 0 && shown {
                    let number = changed.trailing_zeros() as usize;
                    changed &= changed - 1;
                    change(&mut self.buffer, Some(RISCV_NAMES[number]), b'x', number, words[number]);
                }
            }
            Registers::Avr(bytes) => {
                for (number, byte) in bytes.iter().enumerate() {
                    let value = u32::from(*byte);
                    if self.seen.words[number] != value {
                        self.seen.words[number] = value;
                        if shown {
                            self.buffer.extend_from_slice(b" r");
                            decimal(&mut self.buffer, number as u64, 0);
                            self.buffer.extend_from_slice(&[b'=', digit(value >> 4), digit(value)]);
                        }
                    }
                }
                let stack_pointer = state.stack_pointer.get();
                if self.seen.stack_pointer != stack_pointer {
                    self.seen.stack_pointer = stack_pointer;
                    if shown {
                        change(&mut self.buffer, Some("sp"), b'r', 0, stack_pointer & 0xFFFF);
                    }
                }
            }
        }
        if self.from.is_some() {
            self.buffer.push(b'\n');
        }
    }
}

impl Sink for Listing<'_, '_> {
    const OBSERVES: bool = true;

    #[inline]
    fn retire(&mut self, retire: Retire) {
        let known = self.find(retire.pc.get());
        self.latest = Some((retire, known));
        self.end = retire.at.get() + retire.cycles.get();
        if self.from.is_some() {
            self.write_line(retire, known);
        }
    }

    #[inline]
    fn state(&mut self, state: State<'_>) {
        self.changes(state);
    }
}

/// The numbers of the words that differ, as bits.
#[inline(always)]
fn differences<const N: usize>(before: &[u32; N], after: &[u32; N]) -> u32 {
    (0..N).fold(0, |bits, number| bits | u32::from(before[number] != after[number]) << number)
}

/// A number that grows by little, as text.
#[derive(Clone, Debug, Default)]
struct Counter {
    value: u64,
    digits: Vec<u8>,
}

impl Counter {
    /// The decimal digits of `value`.
    #[inline]
    fn to(&mut self, value: u64) -> &[u8] {
        let more = value.checked_sub(self.value);
        self.value = value;
        if let Some(more) = more.filter(|more| *more < 1_000) {
            let mut carry = more as u32;
            for digit in self.digits.iter_mut().rev() {
                let sum = u32::from(*digit - b'0') + carry;
                *digit = b'0' + (sum % 10) as u8;
                carry = sum / 10;
                if carry == 0 {
                    return &self.digits;
                }
            }
        }
        self.digits.clear();
        decimal(&mut self.digits, value, 0);
        &self.digits
    }
}

/// What the image has at `pc`, up to the section's end; nothing where it has no code.
fn code_at(image: &Image, pc: u32) -> &[u8] {
    let address = Address::new(pc);
    let holds = |section: &&cyclescope_image::Section| {
        matches!(section.kind, SectionKind::Text | SectionKind::Data) && section.contains(address)
    };
    let Some(section) = image.sections().iter().find(holds) else { return &[] };
    image.section_bytes(section).get((pc - section.address.get()) as usize..).unwrap_or_default()
}

fn change(to: &mut Vec<u8>, name: Option<&str>, kind: u8, number: usize, value: u32) {
    to.push(b' ');
    match name {
        Some(name) => to.extend_from_slice(name.as_bytes()),
        None => {
            to.push(kind);
            decimal(to, number as u64, 0);
        }
    }
    to.push(b'=');
    hex(to, value);
}

#[inline]
fn digit(value: u32) -> u8 {
    b"0123456789abcdef"[(value & 0xF) as usize]
}

#[inline]
fn hex(to: &mut Vec<u8>, value: u32) {
    let digits: [u8; 8] = std::array::from_fn(|place| digit(value >> (28 - 4 * place)));
    to.extend_from_slice(&digits);
}

/// `value`, filled with blanks to `width`.
#[inline]
fn decimal(to: &mut Vec<u8>, mut value: u64, width: usize) {
    let mut digits = [b' '; 20];
    let mut place = digits.len();
    loop {
        place -= 1;
        digits[place] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    to.extend_from_slice(&digits[place.min(digits.len() - width.min(digits.len()))..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_its_number_however_it_got_there() {
        let mut counter = Counter::default();
        for value in [0, 1, 9, 10, 99, 100, 1_099, 1_100, 5, 5, 999_999, 1_000_000, u64::MAX, 0, u64::MAX] {
            assert_eq!(counter.to(value), value.to_string().as_bytes());
        }
        for value in (0..200_000).step_by(7) {
            assert_eq!(counter.to(value), value.to_string().as_bytes());
        }
    }

    #[test]
    fn words_that_differ_are_found() {
        let mut after = [7; 32];
        (after[0], after[31], after[5]) = (0, 1, 2);
        assert_eq!(differences(&[7; 32], &after), 1 << 31 | 1 << 5 | 1);
    }
}
