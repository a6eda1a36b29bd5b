//! Interprets assembly: addresses of instructions, their order, and the cycles of each without wait states.
//!
//! It knows only the instructions of sequences in flash and of the code around all sequences.

use std::collections::BTreeMap;

/// The label of the timed function.
pub(crate) const TIMED: &str = "timed";

/// An executed instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Executed {
    /// Its address.
    pub address: u32,
    /// Its width in bytes.
    pub bytes: u32,
    /// Its cycles without wait states.
    pub cycles: u64,
    /// Tells if it is a load.
    pub loads: bool,
    /// The address in flash that it loads from.
    pub literal: Option<u32>,
    /// Tells if it loads the counter.
    pub reads_counter: bool,
    /// Tells if it is a branch.
    pub branches: bool,
    /// The target of a taken branch.
    pub target: Option<u32>,
}

impl Executed {
    /// Returns the address after it.
    pub fn end(&self) -> u32 {
        self.address + self.bytes
    }

    /// Tells if it is a load that overlaps with the previous instruction: only its data phase takes time of its own.
    pub fn overlaps(&self) -> bool {
        self.loads && self.cycles == 1
    }

    /// Returns the last word that it occupies.
    pub fn last_word(&self) -> u32 {
        (self.end() - 2) / 4
    }
}

/// Assembly with known addresses.
#[derive(Default)]
struct Program<'a> {
    /// Instructions by address.
    code: BTreeMap<u32, &'a str>,
    /// Labels in order; numeric labels repeat.
    labels: Vec<(&'a str, u32)>,
    /// The addresses of literals, by the address of their load.
    literals: BTreeMap<u32, u32>,
}

/// Splits an instruction into name and operands.
fn split(text: &str) -> (&str, &str) {
    text.split_once(' ').map_or((text, ""), |(name, operands)| (name, operands.trim()))
}

fn width(text: &str) -> u32 {
    let (name, operands) = split(text);
    let high = ["r8", "r9", "r10", "r11", "r12"].iter().any(|register| operands.contains(register));
    let moves = name == "mov" && !operands.contains('#');
    if name == "bl" || name.ends_with(".w") || high && !moves { 4 } else { 2 }
}

/// Parses a number; every symbol's address has the same value.
fn number(text: &str) -> u32 {
    let digits = text.trim_start_matches(['#', '=']);
    let hexadecimal = digits.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
    hexadecimal.unwrap_or_else(|| digits.parse()).unwrap_or(0x2000_0000)
}

/// Tells if `text` loads a constant from behind the code. A constant of four equal bytes is moved instead.
fn loads_literal(text: &str) -> bool {
    text.split_once('=').map(|(_, value)| number(value)).is_some_and(|value| value != (value & 0xFF) * 0x0101_0101)
}

impl<'a> Program<'a> {
    fn new(text: &'a str) -> Self {
        let (mut program, mut address, mut loads) = (Self::default(), 0_u32, Vec::new());
        let mut lines = text.lines().map(str::trim);
        while let Some(mut line) = lines.next() {
            while let Some((label, rest)) = line.split_once(':').filter(|_| !line.starts_with("/*")) {
                program.labels.push((label, address));
                line = rest.trim();
            }
            let mut put = |text| {
                program.code.insert(address, text);
                if loads_literal(text) {
                    loads.push(address);
                }
                address += width(text);
            };
            match split(line) {
                (".rept", times) => {
                    let body: Vec<&str> = lines.by_ref().take_while(|line| *line != ".endr").collect();
                    body.repeat(number(times) as usize).into_iter().for_each(put);
                }
                (".balign", bytes) => address = address.next_multiple_of(number(bytes)),
                (".ltorg", _) => {
                    address = address.next_multiple_of(4);
                    for from in loads.drain(..) {
                        program.literals.insert(from, address);
                        address += 4;
                    }
                }
                (name, _) if name.is_empty() || name.starts_with(['.', '/']) => {}
                _ => put(line),
            }
        }
        program
    }

    /// Returns the address of `label` for an instruction at `from`: `1f` is the next label 1, `1b` the previous one.
    fn find(&self, label: &str, from: u32) -> Option<u32> {
        let mut places = self.labels.iter().filter(|(name, _)| *name == label.trim_end_matches(['f', 'b']));
        let place = match label.as_bytes() {
            [b'0'..=b'9', b'f'] => places.find(|(_, address)| *address > from),
            [b'0'..=b'9', b'b'] => places.rfind(|(_, address)| *address <= from),
            _ => self.labels.iter().find(|(name, _)| *name == label),
        };
        place.map(|(_, address)| *address)
    }
}

/// Returns the instructions that the function [`TIMED`] of `text` executes in `passes` runs, with the cycles that `row`
/// gives.
///
/// # Errors
/// An instruction that is unknown here or has no row.
pub(super) fn run(
    text: &str,
    mut passes: u8,
    row: &mut dyn FnMut(&str) -> Option<u32>,
) -> Result<Vec<Executed>, String> {
    let program = Program::new(text);
    let start = program.find(TIMED, 0).ok_or(TIMED)?;
    let mut registers: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut executed, mut zero, mut address) = (Vec::<Executed>::new(), false, start);
    while passes > 0 {
        let text = *program.code.get(&address).ok_or("its end")?;
        let (name, operands) = split(text);
        let first = operands.split(',').next().unwrap_or_default();
        let mut values = operands.split(',').map(|text| {
            let text = text.trim();
            registers.get(text).copied().unwrap_or_else(|| number(text))
        });
        let last = values.next_back().unwrap_or_default();
        let before = values.next_back().unwrap_or_default();
        let mut one = Executed { address, bytes: width(text), ..Executed::default() };
        let mut result = None;
        let mut further = 0;
        // The names of its rows on the cores.
        let rows: &[&str] = match name {
            "nop" | "push" => &["data processing"],
            "cmp" => {
                zero = before == last;
                &["data processing"]
            }
            "ldr" if !text.contains('=') || loads_literal(text) => {
                let overlaps = executed.last().is_some_and(|before| before.loads);
                (one.loads, one.reads_counter, result) = (true, text.ends_with("[r7]"), Some(last));
                one.literal = program.literals.get(&address).copied();
                if overlaps { &["load or store after a load", "load"] } else { &["load"] }
            }
            "mov" | "movs" | "ldr" | "adds" | "add.w" | "subs" => {
                result = Some(match name {
                    "adds" | "add.w" => before.wrapping_add(last),
                    "subs" => before.wrapping_sub(last),
                    _ => last,
                });
                &["data processing"]
            }
            "udiv" => {
                let quotient = before.checked_div(last).unwrap_or(0);
                if let Some(bits) = quotient.checked_ilog2() {
                    further = 2 + (bits + 1).div_ceil(row("divide, quotient bits").unwrap_or(1));
                }
                result = Some(quotient);
                &["divide"]
            }
            "beq" | "bne" if zero != (name == "beq") => {
                one.branches = true;
                &["branch not taken"]
            }
            "b" | "bl" | "beq" | "bne" => {
                one.target = Some(program.find(first, address).ok_or(first)?);
                match name {
                    "b" => &["branch", "branch taken"],
                    "bl" => &["branch with link", "branch taken"],
                    _ => &["branch taken"],
                }
            }
            "bx" | "pop" => {
                // Code between two passes is left out.
                one.target = Some(if name == "bx" { last } else { start });
                passes -= u8::from(name == "pop");
                &["branch and exchange", "branch to the link register"]
            }
            _ => return Err(text.to_owned()),
        };
        if let Some(result) = result {
            zero = if name.ends_with('s') { result == 0 } else { zero };
            registers.insert(first, result);
        }
        if name == "bl" {
            registers.insert("lr", one.end());
        }
        one.branches |= one.target.is_some();
        one.cycles = u64::from(further + rows.iter().find_map(|name| row(name)).ok_or(text)?);
        address = one.target.unwrap_or(one.end());
        executed.push(one);
    }
    Ok(executed)
}
