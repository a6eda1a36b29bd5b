//! Random programs of all encodings of a core, which stay inside memory and end.
//!
//! A program is its vectors with handlers, and chunks at shuffled places; each ends with a jump to the next. A chunk
//! consists of [`items`](super::items). With windows there are functions besides, which call each other and never
//! themselves; in them a0 and a1 are left alone. The whole is executed some times.

use std::ops::Range;

use cyclescope_xtensa::decode::Row;
use cyclescope_xtensa::special::{Special, User};

use super::assembly::special as number;
use super::assembly::*;
use super::handlers::{self, Kept};
use super::machine::Machine;
use super::rows::{self, Group};
use super::run_modes;
use crate::random::Random;

/// Offsets in memory.
const LITERALS: u32 = 0x1000;
/// Behind the literals, which L32R reaches only backwards.
pub(super) const CODE: u32 = 0x8000;
const HANDLERS: u32 = 0x8C00;
const CODE_END: u32 = 0x2_8000;
const DATA: u32 = 0x2_8000;
const DATA_BYTES: u32 = 0x1000;
const KEPT: u32 = 0x2_9000;
const ROUNDS: u32 = 0x2_9040;
const STACK: u32 = 0x2_F000;
const MEMORY: u32 = 0x3_0000;

const CHUNKS: usize = 20;
const ITEMS: u32 = 36;
const FUNCTIONS: usize = 7;
const PLACE: u32 = (CODE_END - CODE - 0x1000) / (CHUNKS + FUNCTIONS) as u32 / 4 * 4;
/// A limit above the instructions that a random program executes.
const LONGEST: u64 = 200_000;
/// The times that a program executes its chunks.
const TIMES: u32 = 1;

/// PS with windows in use.
pub const WINDOWS: u32 = 1 << 18;
/// PS.EXCM.
pub const EXCEPTION: u32 = 1 << 4;
/// PS.UM.
pub const USER: u32 = 1 << 5;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its memory, from [`Machine::base`] on.
    pub memory: Vec<u8>,
    /// The address at which it begins.
    pub entry: u32,
    /// The address from which on all registers have values.
    pub start: u32,
    /// The address at which it ends.
    pub end: u32,
    /// The addresses between which registers of the floating-point unit may differ.
    pub loose: Vec<Range<u32>>,
    /// The addresses of handlers: they leave those registers as they are.
    pub handlers: [Range<u32>; 2],
    /// The addresses of data.
    pub data: Range<u32>,
    /// Tells if QEMU writes all its memory to its output behind the end.
    pub writes_memory: bool,
    /// A limit above the instructions that it executes.
    pub longest: u64,
}

/// Rows by what they need.
pub struct Rows {
    pub plain: Vec<&'static Row>,
    pub branches: Vec<&'static Row>,
    pub accesses: Vec<&'static Row>,
    pub indexed: Vec<&'static Row>,
    pub stepped: Vec<&'static Row>,
    pub lacking: Vec<&'static Row>,
}

/// Generates the programs of a seed.
pub struct Generator {
    pub machine: &'static Machine,
    pub random: Random,
    pub rows: Rows,
    pub literals: Vec<u32>,
    pub loose: Vec<Range<u32>>,
    /// Special registers that may be written with any value.
    pub writable: Vec<u32>,
    /// Special registers that may be read; with those that do not exist.
    pub readable: Vec<u32>,
    /// Tells whether the program moves its literals by LITBASE. Each time all blocks are forgotten, so that little of it is compiled.
    pub moves_literals: bool,
    /// Tells whether the code is in a function.
    pub inside: bool,
    pub functions: Vec<u32>,
}

impl Generator {
    /// The generator for `machine` and `seed`.
    pub fn new(machine: &'static Machine, seed: u64) -> Self {
        let configuration = machine.configuration;
        let options = &configuration.options;
        let group = |group| rows::in_group(options, group);
        let mut plain = group(Group::Plain);
        // Of QEMU's cores, those with steps differ in them; UTRUNC.S has an item of its own.
        plain.retain(|row| row.name != "UTRUNC.S");
        let writable = (0..=255u8).filter(|number| {
            use Special::{
                Acchi, Acclo, Br, Dbreaka, Ddr, Depc, Epc, Eps, Exccause, Excsave, Excvaddr, Ibreaka, Lbeg, Lend, M,
                Misc, Sar, Scompare1,
            };
            matches!(
                Special::find(*number, configuration),
                Some(
                    Sar | Br
                        | Scompare1
                        | Acclo
                        | Acchi
                        | M(_)
                        | Epc(_)
                        | Depc
                        | Eps(_)
                        | Excsave(_)
                        | Exccause
                        | Excvaddr
                        | Misc(_)
                        | Ddr
                        | Ibreaka(_)
                        | Dbreaka(_)
                        | Lbeg
                        | Lend
                )
            )
        });
        // QEMU's cores have registers that ours lack: those of the memory management, of the tracer, ERACCESS, MEMCTL.
        let others = [83, 89, 90, 91, 92, 95, 97, 106, 107, 108, 109, 110, 111];
        let readable = (0..=255u8).filter(|number| {
            let differs = match Special::find(*number, configuration) {
                Some(Special::Ccount) => true,
                // The others' configurations are ours with other options.
                Some(Special::ConfigId(_)) => machine.name != "lx106",
                _ => false,
            };
            !differs && !others.contains(number)
        });
        Self {
            machine,
            random: Random::new(seed),
            rows: Rows {
                plain,
                branches: group(Group::Branch),
                accesses: group(Group::Access),
                indexed: group(Group::Indexed),
                stepped: group(Group::Stepped),
                lacking: rows::lacking(options),
            },
            literals: Vec::new(),
            loose: Vec::new(),
            writable: writable.map(u32::from).collect(),
            readable: readable.map(u32::from).collect(),
            moves_literals: false,
            inside: false,
            functions: Vec::new(),
        }
    }

    /// The next program.
    pub fn program(&mut self) -> Program {
        let base = self.machine.base;
        self.literals.clear();
        self.loose.clear();
        self.moves_literals = self.machine.configuration.options.absolute_literals && self.random.one_in(2);
        let kept = self.literal(base + KEPT);
        let mut places: Vec<u32> =
            (0..(CHUNKS + FUNCTIONS) as u32).map(|place| base + CODE + 0x1000 + place * PLACE).collect();
        for at in (1..places.len()).rev() {
            places.swap(at, self.random.below(at as u32 + 1) as usize);
        }
        // Functions have an alignment of their own; chunks begin anywhere.
        self.functions = places.split_off(CHUNKS).iter().map(|place| place + 4 * self.random.below(20)).collect();
        let starts: Vec<u32> = places.iter().map(|place| place + self.random.below(80)).collect();

        let mut whole = Vec::new();
        let mut prologue = Code::at(base + CODE);
        self.prologue(&mut prologue);
        let start = prologue.pc();
        prologue.put(j(start, starts[0]));
        // The end of a round.
        let round = prologue.pc();
        let counter = self.literal(base + ROUNDS);
        prologue.put(l32r(2, round, counter));
        prologue.all(&[l32i(3, 2, 0), addi(3, 3, -1), s32i(3, 2, 0)]);
        let branch = prologue.pc();
        prologue.put(beqz(3, branch, branch + 6));
        prologue.put(j(branch + 3, starts[0]));
        let end = prologue.pc();
        prologue.all(&[movi(2, 1), movi(3, 0), SIMCALL]);
        prologue.put(j(prologue.pc(), prologue.pc()));
        whole.push(prologue);
        for (index, start) in starts.iter().enumerate() {
            let next = starts.get(index + 1).copied().unwrap_or(round);
            whole.push(self.chunk(*start, next));
        }
        if self.machine.configuration.options.windows {
            for index in 0..FUNCTIONS {
                whole.push(self.function(index));
            }
        }
        let mut memory = vec![0; MEMORY as usize];
        for (place, value) in memory[DATA as usize..][..DATA_BYTES as usize].chunks_mut(4).zip(0..) {
            let value: u32 = if value % 3 == 0 { self.random.operand() } else { self.random.bits() };
            place.copy_from_slice(&value.to_le_bytes());
        }
        let word = |memory: &mut [u8], at: u32, value: u32| {
            memory[at as usize..at as usize + 4].copy_from_slice(&value.to_le_bytes());
        };
        word(&mut memory, ROUNDS, TIMES);
        // The frame of the caller of all: its stack pointer, where a spill looks for it.
        word(&mut memory, STACK - 12, base + STACK + 0x80);
        assert!(LITERALS + 4 * self.literals.len() as u32 <= CODE, "literals keep to their place");
        for (index, literal) in self.literals.iter().enumerate() {
            word(&mut memory, LITERALS + 4 * index as u32, *literal);
        }
        for code in &whole {
            let at = (code.start - base) as usize;
            memory[at..at + code.bytes.len()].copy_from_slice(&code.bytes);
        }
        let kept = Kept { literal: kept };
        handlers::put(&mut memory, base, base + HANDLERS, self.machine.configuration, kept);
        let handlers = [base..base + LITERALS, base + HANDLERS..base + CODE + 0x1000];
        let (loose, writes_memory) = (self.loose.clone(), false);
        let data = base + DATA..base + MEMORY;
        Program { memory, entry: base + CODE, start, end, loose, handlers, data, writes_memory, longest: LONGEST }
    }

    /// A program of `body` alone, behind its prologue.
    pub fn probe(&mut self, body: &[u32]) -> Program {
        let base = self.machine.base;
        self.literals.clear();
        self.loose.clear();
        let mut code = Code::at(base + CODE);
        self.prologue(&mut code);
        let start = code.pc();
        code.all(body);
        let end = code.pc();
        code.all(&[movi(2, 1), movi(3, 0), SIMCALL]);
        let mut memory = vec![0; MEMORY as usize];
        for (place, literal) in memory[LITERALS as usize..].chunks_mut(4).zip(&self.literals) {
            place.copy_from_slice(&literal.to_le_bytes());
        }
        memory[CODE as usize..CODE as usize + code.bytes.len()].copy_from_slice(&code.bytes);
        let none = base..base;
        let handlers = [none.clone(), none];
        let (loose, writes_memory) = (Vec::new(), false);
        let data = base + DATA..base + MEMORY;
        Program { memory, entry: base + CODE, start, end, loose, handlers, data, writes_memory, longest: LONGEST }
    }

    /// The address of a literal with `value`.
    pub fn literal(&mut self, value: u32) -> u32 {
        self.literals.push(value);
        self.machine.base + LITERALS + 4 * (self.literals.len() as u32 - 1)
    }

    /// Loads `value` into a register.
    pub fn load(&mut self, code: &mut Code, register: u32, value: u32) {
        let literal = self.literal(value);
        code.put(l32r(register, code.pc(), literal));
    }

    /// An address in the data.
    pub fn data(&mut self, alignment: u32) -> u32 {
        // Some room at both ends, for what is behind an address.
        self.machine.base + DATA + 64 + self.random.below(DATA_BYTES - 128) / alignment * alignment
    }

    /// The stack pointer of the caller of all functions.
    pub fn stack(&self) -> u32 {
        self.machine.base + STACK
    }

    /// PS as it is in general.
    pub fn ps(&mut self) -> u32 {
        let windows = if self.machine.configuration.options.windows { WINDOWS } else { 0 };
        windows | if self.random.one_in(2) { USER } else { 0 }
    }

    /// The interrupts that are enabled all the time: those of inputs, which stay low under QEMU.
    pub fn inputs(&self) -> u32 {
        run_modes::inputs(self.machine.configuration)
    }

    fn prologue(&mut self, code: &mut Code) {
        let configuration = self.machine.configuration;
        let windows = if configuration.options.windows { configuration.registers / 4 } else { 0 };
        for _ in 0..windows {
            for register in 0..4 {
                let value = self.random.operand();
                self.load(code, register, value);
            }
            code.put(rotw(1));
        }
        for special in self.writable.clone() {
            // No loop ends anywhere, and EPS has bits that exist.
            let value = match Special::find(special as u8, configuration) {
                Some(Special::Lbeg | Special::Lend) => 0,
                Some(Special::Eps(_)) => self.random.bits() & 0x2F,
                Some(Special::Exccause) => self.random.below(64),
                Some(Special::Sar) => self.random.below(33),
                _ => self.random.operand(),
            };
            self.load(code, 2, value);
            code.put(wsr(2, special));
        }
        for (special, value) in [
            (number::LCOUNT, 0),
            (number::WINDOWBASE, 0),
            (number::WINDOWSTART, 1),
            (number::VECBASE, self.machine.base),
            (number::CPENABLE, 0xFF),
            (number::INTENABLE, self.inputs()),
            // ATOMCTL, IBREAKENABLE, DBREAKC, ICOUNTLEVEL, ICOUNT.
            (99, 0x15),
            (96, 0),
            (160, 0),
            (161, 0),
            (237, 0),
            (236, 0),
        ] {
            if Special::find(special as u8, configuration).is_some() {
                self.load(code, 2, value);
                code.put(wsr(2, special));
            }
        }
        for user in 0..=255u8 {
            if let Some(User::ThreadPointer | User::Fcr | User::Fsr) = User::find(user, configuration) {
                self.load(code, 2, 0);
                code.put(wur(2, user.into()));
            }
        }
        if configuration.options.float {
            code.put(RSYNC);
            for register in 0..16 {
                let value = self.random.operand();
                self.load(code, 2, value);
                code.put(wfr(register, 2));
            }
        }
        let ps = self.ps();
        self.load(code, 2, ps);
        code.all(&[wsr(2, number::PS), RSYNC]);
        if windows == 0 {
            for register in 0..16 {
                let value = self.random.operand();
                self.load(code, register, value);
            }
        } else {
            let stack = self.stack();
            self.load(code, 1, stack);
        }
    }

    fn chunk(&mut self, start: u32, next: u32) -> Code {
        let mut code = Code::at(start);
        self.inside = false;
        while code.bytes.len() < PLACE as usize - 0x180 && self.random.below(4 * ITEMS) != 0 {
            self.item(&mut code);
        }
        let pc = code.pc();
        match self.random.below(4) {
            0 => {
                let register = self.random.below(16);
                self.load(&mut code, register, next);
                code.put(jx(register));
            }
            1 => {
                self.load(&mut code, 0, next);
                code.put(if self.random.one_in(2) { RET } else { 0xF00D });
            }
            2 if next.is_multiple_of(4) => code.put(call(0, pc, next)),
            2 => {
                let register = self.random.below(16);
                self.load(&mut code, register, next);
                code.put(callx(0, register));
            }
            _ => code.put(j(pc, next)),
        }
        code
    }

    /// A function that calls later ones.
    fn function(&mut self, index: usize) -> Code {
        let mut code = Code::at(self.functions[index]);
        self.inside = true;
        let bytes = 64 + 16 * self.random.below(8);
        code.put(entry(1, bytes));
        let calls = if index + 1 < FUNCTIONS { 1 + u32::from(self.random.one_in(4)) } else { 0 };
        for call in 0..=calls {
            for _ in 0..1 + self.random.below(4) {
                self.item(&mut code);
            }
            if call < calls {
                let to = index + 1 + self.random.below((FUNCTIONS - index - 1).min(2) as u32) as usize;
                self.call(&mut code, to);
            }
        }
        code.put(if self.random.one_in(2) { RETW } else { RETW_N });
        code
    }

    /// A call of a function.
    pub fn call(&mut self, code: &mut Code, function: usize) {
        let (window, to) = (1 + self.random.below(3), self.functions[function]);
        if self.random.one_in(3) {
            let register = self.random.below(14) + 2;
            self.load(code, register, to);
            code.put(callx(window, register));
        } else {
            code.put(call(window, code.pc(), to));
        }
    }
}
