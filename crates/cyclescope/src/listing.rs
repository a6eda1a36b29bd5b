//! A trace as text: one line an instruction.
//!
//! A line holds the cycle, counted from the span's first; the cycles taken; the address; the instruction's bytes; its text;
//! the registers that it changed, with their new values; and the memory it went to. Lines are written as they come, so that
//! no trace is too long. Of a part with several cores, each line begins with the core's number.

mod text;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;

use cyclescope_guest::trace::{self as guest_trace, Listed};
use cyclescope_image::{Architecture, Image, SectionKind};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Line, Registers, Retire, Signal, SignalKind, Sink, State};
use cyclescope_scope::transfer_text;

use self::text::{BUFFER, CYCLE, Counter, Label, MOST_AT, Page, hex};
use crate::backend::Lines;
use crate::disassembly::{Disassembler, Memory, RISCV_NAMES};

/// Entries of the table that finds instructions by their addresses.
const FOUND: usize = 1 << 12;

/// Room for what most lines have in common; a copy of known length is several times faster than one of any length.
const COMMON: usize = 80;

/// Columns of the cycles taken.
const TAKEN: usize = 4;

/// The text that all lines of one instruction share.
#[derive(Debug)]
struct InstructionText {
    /// Room for the cycle and the cycles taken, then address, bytes and text, padded.
    text: Vec<u8>,
    /// The same, if there is room; its length is the text's.
    common: [u8; COMMON],
    /// The registers that it has been seen to change, as bits, and all bits of each of the others.
    changing: u32,
    unchanging: [u32; 32],
    /// True if it may change the registers of floating point.
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

/// The state of a core that does not go on now.
#[derive(Debug)]
struct Resting {
    function: Option<u32>,
    seen: Seen,
    latest: Option<(Retire, u32)>,
    floats_moved: bool,
}

/// Writes a listing.
pub(crate) struct Listing<'i, 'w> {
    image: &'i Image,
    exceptions: Vec<(u16, String)>,
    /// The names of the lines whose transfers are seen.
    lines: Vec<(String, Line)>,
    disassembler: Disassembler,
    to: &'w mut dyn Lines,
    failed: Option<io::Error>,
    page: Page,
    /// The start of the latest line in the buffer, and the end of its instruction in cycles.
    line: usize,
    end: u64,
    known: Vec<InstructionText>,
    by_pc: HashMap<u32, u32>,
    found: Vec<(u32, u32)>,
    functions: HashMap<Option<u32>, u32>,
    names: Vec<String>,
    function: Option<u32>,
    /// The cycle that lines count from, while they are written.
    from: Option<u64>,
    seen: Seen,
    labels: Vec<Label>,
    float_labels: Vec<Label>,
    /// True if an address is in two registers of 8 bits.
    pairs: bool,
    latest: Option<(Retire, u32)>,
    /// The cycle of the latest line.
    cycle: Counter,
    /// True if an exception may have changed the registers of floating point.
    floats_moved: bool,
    /// The core that goes on, and the other one, if there is one.
    core: u8,
    other: Option<Resting>,
}

impl<'i, 'w> Listing<'i, 'w> {
    /// The listing of a run, to `to`.
    ///
    /// # Errors
    /// The disassembler's.
    pub(crate) fn new(
        &Listed { image, ref exceptions, cores, ref lines }: &Listed<'i>,
        to: &'w mut dyn Lines,
    ) -> io::Result<Self> {
        Ok(Self {
            image,
            exceptions: exceptions.iter().map(|(number, name)| (*number, (*name).to_owned())).collect(),
            lines: lines.clone(),
            disassembler: Disassembler::new(image.architecture()).map_err(io::Error::other)?,
            to,
            failed: None,
            page: Page::of(Vec::new()),
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
            labels: labels(image.architecture()),
            float_labels: (0..32).map(Label::numbered('s')).collect(),
            pairs: matches!(image.architecture(), Architecture::Avr(_)),
            latest: None,
            cycle: Counter::default(),
            floats_moved: true,
            core: 0,
            other: (cores > 1).then(|| Resting {
                function: None,
                seen: Seen::default(),
                latest: None,
                floats_moved: true,
            }),
        })
    }

    /// Names the function above the next line of each core.
    fn forget_functions(&mut self) {
        self.function = None;
        if let Some(other) = &mut self.other {
            other.function = None;
        }
    }

    fn say(&mut self, text: &str) {
        self.page.append(text.as_bytes());
        self.page.append(b"\n");
    }

    #[cold]
    fn flush(&mut self) {
        if self.failed.is_none() {
            match self.to.take(std::mem::take(&mut self.page.bytes), self.page.len) {
                Ok(used) => self.page = Page::of(used),
                Err(error) => self.failed = Some(error),
            }
        }
        self.page.len = 0;
        self.line = 0;
    }

    /// Returns the index of the text of the instruction at `pc`.
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

    fn look(&mut self, pc: u32) -> InstructionText {
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
        let (text, mut common) = (text.into_bytes(), [0; COMMON]);
        if let Some(room) = common.get_mut(..text.len()) {
            room.copy_from_slice(&text);
        }
        // One without a label is never shown.
        let unchanging = std::array::from_fn(|number| if number < self.labels.len() { u32::MAX } else { 0 });
        InstructionText { text, common, changing: 0, unchanging, floats, memory: instruction.memory, function }
    }

    #[inline(always)]
    fn write_line(&mut self, retire: Retire, known: u32) {
        if self.page.len > BUFFER {
            self.flush();
        }
        let known = &self.known[known as usize];
        if self.function != Some(known.function) {
            self.function = Some(known.function);
            if self.other.is_some() {
                self.page.append(if self.core == 0 { b"core 0, " } else { b"core 1, " });
            }
            self.page.append(self.names[known.function as usize].as_bytes());
            self.page.append(b":\n");
        }
        self.line = self.page.len;
        if self.other.is_some() {
            self.page.append(if self.core == 0 { b"0 " } else { b"1 " });
        }
        let at = retire.at.get().saturating_sub(self.from.unwrap_or(0));
        let cycles = retire.cycles.get();
        if at < MOST_AT && cycles < 10_000 && known.text.len() <= COMMON {
            let (line, len) = self.page.room();
            let (common, _) = line.split_first_chunk_mut().expect("the room is for more");
            *common = known.common;
            let (columns, _) = common.split_first_chunk_mut().expect("every line begins with them");
            self.cycle.put(at, columns);
            let mut rest = cycles;
            for place in (CYCLE..CYCLE + TAKEN).rev() {
                let digit;
                (rest, digit) = if rest < 10 { (0, rest) } else { (rest / 10, rest % 10) };
                common[place] = b'0' + digit as u8;
                if rest == 0 {
                    break;
                }
            }
            *len += known.text.len();
        } else {
            let columns = format!("{at:CYCLE$}{cycles:TAKEN$}");
            self.page.append(columns.as_bytes());
            self.page.append(&known.text[CYCLE + TAKEN..]);
        }
        if let Some(memory) = known.memory.filter(|_| self.seen.known) {
            let words = &self.seen.words;
            let register = |number: u8| match usize::from(number) {
                number if self.pairs => words[number] | words[number + 1] << 8,
                number => words[number],
            };
            let address = memory.address(register);
            let (room, len) = self.page.room();
            let (line, _) = room.split_first_chunk_mut().expect("the room is for more");
            *line = *if memory.writes { b" w:........+." } else { b" r:........+." };
            line[3..11].copy_from_slice(&hex(address));
            *len += line.len();
            match memory.bytes {
                few @ 0..10 => line[12] = b'0' + few as u8,
                many => {
                    *len -= 1;
                    self.page.append(many.to_string().as_bytes());
                }
            }
        }
    }

    /// Adds the numbers of single precision that have changed to the line, and remembers them.
    #[inline(always)]
    fn change_floats(&mut self, floats: &[u32], shown: bool) {
        if self.seen.floats[..floats.len()] == *floats {
            return;
        }
        for (number, word) in floats.iter().enumerate() {
            if shown && self.seen.floats[number] != *word {
                self.float_labels[number].put(&mut self.page, *word);
            }
        }
        self.seen.floats[..floats.len()].copy_from_slice(floats);
    }

    /// Adds the registers that have changed to the line, and remembers them.
    #[inline(always)]
    fn changes(&mut self, state: State<'_>) {
        let known = std::mem::replace(&mut self.seen.known, true);
        let shown = known && self.from.is_some();
        match state.registers {
            Registers::WordsAndSingles(words, floats) => {
                self.change(words, shown, Label::put);
                let may_float = self.latest.is_none_or(|(_, known)| self.known[known as usize].floats);
                if may_float || std::mem::take(&mut self.floats_moved) {
                    self.change_floats(floats, shown);
                }
            }
            Registers::WordsAndFloats(words, floats) => {
                self.change(words, shown, Label::put);
                self.change_floats(floats, shown);
            }
            Registers::Words(words) => self.change(words, shown, Label::put),
            Registers::Bytes(bytes) => {
                self.change(&bytes.map(u32::from), shown, Label::put_byte);
                let stack_pointer = state.stack_pointer.get();
                if self.seen.stack_pointer != stack_pointer {
                    self.seen.stack_pointer = stack_pointer;
                    if shown {
                        self.labels[32].put(&mut self.page, stack_pointer & 0xFFFF);
                    }
                }
            }
        }
        if self.from.is_some() {
            self.page.push(b'\n');
        }
    }

    /// Those of the registers that are `words`, each added by `put`.
    #[inline(always)]
    fn change<const N: usize>(&mut self, words: &[u32; N], shown: bool, put: fn(&Label, &mut Page, u32)) {
        let seen: &mut [u32; N] = self.seen.words.first_chunk_mut().expect("there is room for 32");
        if let Some((_, known)) = self.latest.filter(|_| shown) {
            let known = &mut self.known[known as usize];
            let unchanging: &[u32; N] = known.unchanging.first_chunk().expect("there is room for 32");
            // Most instructions change the same registers again and again, and no others need a look then.
            if differs(seen, words, unchanging) {
                known.learn(seen, words);
            }
            let mut changing = known.changing;
            while changing != 0 {
                let number = changing.trailing_zeros() as usize;
                changing &= changing - 1;
                if seen[number] != words[number] {
                    put(&self.labels[number], &mut self.page, words[number]);
                }
            }
        }
        *seen = *words;
    }
}

impl InstructionText {
    /// Remembers which registers it changed.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, before: &[u32], after: &[u32]) {
        for (number, (before, after)) in before.iter().zip(after).enumerate() {
            if before != after {
                self.changing |= (1 << number) & self.unchanging[number];
                self.unchanging[number] = 0;
            }
        }
    }
}

impl guest_trace::Listing for Listing<'_, '_> {
    fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    fn begin(&mut self, number: u64, at: Cycles) {
        self.say(&format!("# {number}: from cycle {}", at.get()));
        self.line = self.page.len;
        self.from = Some(at.get());
        self.forget_functions();
        // The instruction under way counts.
        if let Some((retire, known)) = self.latest.filter(|_| self.end > at.get()) {
            let inside = Cycles::new(self.end - at.get());
            self.write_line(Retire { at, cycles: inside, ..retire }, known);
            self.page.append(b"\n");
        }
    }

    fn end(&mut self, at: Cycles) {
        if at.get() < self.end {
            self.page.len = self.line;
        }
        self.from = None;
        self.say(&format!("# to cycle {}", at.get()));
    }

    fn cut_off(&mut self) {
        self.say("# the run ends here: this one is not counted");
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        self.floats_moved = true;
        if let Some(other) = &mut self.other {
            other.floats_moved = true;
        }
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
            Signal::Transfer { line, transfer } => {
                let name = self.lines.iter().find(|(_, known)| *known == line).map(|(name, _)| name.to_lowercase());
                format!("{} {}", name.unwrap_or_default(), transfer_text(transfer))
            }
            Signal::ExceptionPended { .. } | Signal::Store { .. } | Signal::Listens { .. } | Signal::Gap => return,
        };
        let is_core_s = matches!(signal.kind(), SignalKind::Exception | SignalKind::Sleep);
        let of = if is_core_s && self.other.is_some() { format!("core {core}: ") } else { String::new() };
        self.say(&format!("# {:>9} {of}{what}", at.get().saturating_sub(from)));
        self.forget_functions();
    }

    fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.failed.map_or(Ok(()), Err)
    }
}

impl Sink for Listing<'_, '_> {
    const OBSERVES: bool = true;

    #[inline(always)]
    fn retire(&mut self, retire: Retire) {
        let known = self.find(retire.pc.get());
        self.latest = Some((retire, known));
        self.end = retire.at.get() + retire.cycles.get();
        if self.from.is_some() {
            self.write_line(retire, known);
        }
    }

    #[inline(always)]
    fn state(&mut self, state: State<'_>) {
        self.changes(state);
    }

    fn turn_to(&mut self, core: u8) {
        if core != self.core
            && let Some(other) = &mut self.other
        {
            std::mem::swap(&mut self.function, &mut other.function);
            std::mem::swap(&mut self.seen, &mut other.seen);
            std::mem::swap(&mut self.latest, &mut other.latest);
            std::mem::swap(&mut self.floats_moved, &mut other.floats_moved);
            self.core = core;
        }
    }
}

/// Tells if `before` and `after`, of as many words as a multiple of 4, differ in bits of `mask`.
#[inline(always)]
fn differs<const N: usize>(before: &[u32; N], after: &[u32; N], mask: &[u32; N]) -> bool {
    let [before, after, mask] = [before, after, mask].map(|words| words.as_chunks::<4>().0);
    let mut bits = [0; 4];
    for ((before, after), mask) in before.iter().zip(after).zip(mask) {
        for lane in 0..4 {
            bits[lane] |= (before[lane] ^ after[lane]) & mask[lane];
        }
    }
    bits != [0; 4]
}

/// Returns the code of the image at `pc`, up to the section's end; empty without code there.
fn code_at(image: &Image, pc: u32) -> &[u8] {
    let address = Address::new(pc);
    let holds = |section: &&cyclescope_image::Section| {
        matches!(section.kind, SectionKind::Text | SectionKind::Data) && section.contains(address)
    };
    let Some(section) = image.sections().iter().find(holds) else { return &[] };
    image.section_bytes(section).get((pc - section.address.get()) as usize..).unwrap_or_default()
}

/// The labels of the registers that are words, by number, on `architecture`.
fn labels(architecture: Architecture) -> Vec<Label> {
    match architecture {
        Architecture::Riscv => RISCV_NAMES.into_iter().map(Label::new).collect(),
        Architecture::Xtensa => (0..16).map(Label::numbered('a')).collect(),
        Architecture::Avr(_) => (0..32).map(Label::numbered('r')).chain([Label::new("sp")]).collect(),
        _ => (0..13).map(Label::numbered('r')).chain(["sp", "lr"].map(Label::new)).collect(),
    }
}
