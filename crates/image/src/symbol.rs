//! Symbols by name and by address.

use std::collections::HashSet;

use cyclescope_machine::units::{Address, Bytes};

use crate::SymbolError;
use crate::pattern::Pattern;

/// The kind of object that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A variable or constant.
    Object,
    /// A label without a type: from assembly code or the linker script.
    Label,
}

/// The visibility of a symbol to other object files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// Visible by its name.
    Global,
    /// Visible by its name unless another symbol of that name is global.
    Weak,
    /// Not visible.
    Local,
}

/// A symbol: a name for an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name in the symbol table.
    pub name: String,
    /// The demangled name, if `name` is mangled.
    pub demangled: Option<String>,
    /// The address. For code it is the first instruction's address, without Arm's Thumb bit.
    pub address: Address,
    /// The size; 0 if the symbol table has none.
    pub size: Bytes,
    /// The kind of object.
    pub kind: SymbolKind,
    /// The visibility to other object files.
    pub binding: Binding,
    /// Tells if the value is a number and not an address in any section (SHN_ABS).
    pub absolute: bool,
}

impl Symbol {
    /// Returns the name to show: the demangled one if there is one.
    pub fn display_name(&self) -> &str {
        self.demangled.as_deref().unwrap_or(&self.name)
    }

    /// Tells if `address` is in the symbol's bytes.
    pub fn contains(&self, address: Address) -> bool {
        address >= self.address && u64::from(address.get()) - u64::from(self.address.get()) < self.size.get()
    }
}

/// All symbols, sorted by address, with an index by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolTable {
    symbols: Vec<Symbol>,
    by_name: Vec<u32>,
    by_demangled: Vec<u32>,
    /// The best code symbol for each code address, sorted by address.
    code: Vec<u32>,
    /// For each symbol in `code`: the index of the nearest symbol before it whose bytes contain its address. A label
    /// inside a function leads to the function.
    around: Vec<Option<u32>>,
    /// For each symbol in `code`: the end of the memory without a gap that it stands in, a section or segment.
    ends: Vec<u64>,
}

impl SymbolTable {
    /// Takes symbols in any order. `is_code` tells if an address is in an executable section, `end` the first address
    /// behind the section or segment of an address.
    pub(crate) fn new(
        mut symbols: Vec<Symbol>,
        is_code: impl Fn(Address) -> bool,
        end: impl Fn(Address) -> Option<u64>,
    ) -> Self {
        symbols.sort_by(|a, b| a.address.cmp(&b.address).then_with(|| rank(a).cmp(&rank(b))));
        let by_name = sorted_index(&symbols, |symbol| Some(&symbol.name));
        let by_demangled = sorted_index(&symbols, |symbol| symbol.demangled.as_deref());
        let mut code: Vec<u32> = Vec::new();
        for (index, symbol) in symbols.iter().enumerate() {
            // An absolute number names no code, even if it equals a code address.
            let label = symbol.kind == SymbolKind::Label && !symbol.absolute && is_code(symbol.address);
            let known = symbol.kind == SymbolKind::Function || label;
            let first = code.last().is_none_or(|&last| symbols[last as usize].address != symbol.address);
            if known && first {
                code.push(index as u32);
            }
        }
        let around = around(&symbols, &code);
        // A symbol with a size has its own end.
        let end = |symbol: &Symbol| if symbol.size == Bytes::ZERO { end(symbol.address) } else { None };
        let ends = code.iter().map(|&index| end(&symbols[index as usize]).unwrap_or(u64::MAX)).collect();
        Self { symbols, by_name, by_demangled, code, around, ends }
    }

    pub(crate) fn all(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns all symbols with this mangled or demangled name, by address.
    pub(crate) fn named<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s Symbol> + use<'s> {
        let exact = equal_range(&self.by_name, |index| self.symbols[index as usize].name.as_str().cmp(name));
        let demangled = equal_range(&self.by_demangled, |index| {
            self.symbols[index as usize].demangled.as_deref().unwrap_or_default().cmp(name)
        });
        let chosen = if exact.is_empty() { demangled } else { exact };
        chosen.iter().map(|&index| &self.symbols[index as usize])
    }

    /// Returns all symbols whose mangled or demangled name matches `pattern`, by address.
    pub(crate) fn matching<'s>(&'s self, pattern: &str) -> impl Iterator<Item = &'s Symbol> + use<'s> {
        let pattern = Pattern::new(pattern);
        self.symbols.iter().filter(move |symbol| {
            pattern.fits(&symbol.name) || symbol.demangled.as_deref().is_some_and(|name| pattern.fits(name))
        })
    }

    pub(crate) fn find(&self, name: &str) -> Result<&Symbol, SymbolError> {
        self.only(name)?.ok_or_else(|| match self.symbols.is_empty() {
            true => SymbolError::NoSymbols { name: name.to_owned() },
            false => SymbolError::Unknown { name: name.to_owned(), nearest: self.nearest(name, 3) },
        })
    }

    /// Finds the symbol with this name, or the one that it matches as a pattern. A name that no symbol has is no error: names like it
    /// take milliseconds to find, and who only looks whether a symbol is there needs none.
    pub(crate) fn only(&self, name: &str) -> Result<Option<&Symbol>, SymbolError> {
        let mut found = self.named(name);
        let Some(first) = found.next() else {
            return self.find_pattern(name);
        };
        if found.all(|other| other.address == first.address) {
            return Ok(Some(first));
        }
        let mut places: Vec<&Symbol> = self.named(name).collect();
        places.dedup_by_key(|symbol| symbol.address);
        let shared = repeated(places.iter().map(|symbol| symbol.name.as_str()));
        let written = |symbol: &&Symbol| match shared.contains(symbol.name.as_str()) {
            true => format!("address:{}", symbol.address),
            false => symbol.name.clone(),
        };
        let candidates = places.iter().map(written).collect();
        Err(SymbolError::Ambiguous { name: name.to_owned(), candidates })
    }

    /// Finds the only symbol that `pattern` matches, or whose C++ name without parameters it is. Code has precedence
    /// over data.
    fn find_pattern(&self, pattern: &str) -> Result<Option<&Symbol>, SymbolError> {
        let mut found: Vec<&Symbol> = match pattern.contains('*') {
            true => self.matching(pattern).collect(),
            false => self.symbols.iter().filter(|symbol| is_but_for_parameters(symbol, pattern)).collect(),
        };
        let is_code = |symbol: &&Symbol| {
            let place = self.code.binary_search_by_key(&symbol.address, |&index| self.symbols[index as usize].address);
            symbol.kind != SymbolKind::Object && place.is_ok()
        };
        if found.iter().any(is_code) {
            found.retain(is_code);
        }
        found.dedup_by_key(|symbol| symbol.address);
        match found.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            several => {
                let shared = repeated(several.iter().map(|symbol| symbol.display_name()));
                let written = |symbol: &&Symbol| match symbol.display_name() {
                    name if shared.contains(name) => format!("{name} (address:{})", symbol.address),
                    name => name.to_owned(),
                };
                let candidates = several.iter().map(written).collect();
                Err(SymbolError::Several { pattern: pattern.to_owned(), candidates })
            }
        }
    }

    /// Returns the code symbol that `address` belongs to: the innermost one whose bytes contain it, or else the nearest
    /// one before it without a size. A label inside another symbol's bytes ends with those bytes, any other at the latest
    /// with its section.
    pub(crate) fn function_at(&self, address: Address) -> Option<&Symbol> {
        let after = self.code.partition_point(|&index| self.symbols[index as usize].address <= address);
        let nearest = u32::try_from(after.checked_sub(1)?).ok()?;
        let symbol = |place: u32| &self.symbols[self.code[place as usize] as usize];
        let outwards = std::iter::successors(Some(nearest), |&place| self.around[place as usize]);
        let holds = outwards.map(symbol).find(|symbol| symbol.contains(address));
        let endless = || {
            symbol(nearest).size == Bytes::ZERO
                && self.around[nearest as usize].is_none()
                && u64::from(address.get()) < self.ends[nearest as usize]
        };
        holds.or_else(|| endless().then(|| symbol(nearest)))
    }

    /// Returns at most `count` names like `name`, best first; equally near ones by name.
    pub(crate) fn nearest(&self, name: &str, count: usize) -> Vec<String> {
        let mut scored: Vec<(usize, &str)> = Vec::new();
        for symbol in &self.symbols {
            for candidate in [Some(symbol.name.as_str()), symbol.demangled.as_deref()].into_iter().flatten() {
                if candidate.len() > 256 || name.len() > 256 {
                    continue;
                }
                let last = candidate.rsplit("::").next().unwrap_or(candidate);
                let distance = strsim::osa_distance(name, candidate).min(strsim::osa_distance(name, last) + 1);
                if distance * 3 <= name.chars().count().max(3) {
                    scored.push((distance, candidate));
                }
            }
        }
        scored.sort_unstable();
        scored.dedup();
        scored.into_iter().take(count).map(|(_, candidate)| candidate.to_owned()).collect()
    }
}

/// Returns the names that occur more than once.
fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    names.filter(|name| !seen.insert(*name)).collect()
}

/// Tells if `name` is the demangled name of `symbol` without its last parameter list.
fn is_but_for_parameters(symbol: &Symbol, name: &str) -> bool {
    let rest = symbol.demangled.as_deref().and_then(|whole| whole.strip_prefix(name));
    let Some(rest) = rest.filter(|rest| rest.starts_with('(') && !name.is_empty()) else { return false };
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        // A local entity of a function has the function's parameters in the middle of its name.
        if depth == 0 {
            return !rest[at + 1..].starts_with([':', '(']);
        }
    }
    false
}

/// Returns, for each symbol in `code`, the index of the nearest symbol before it whose bytes contain its address.
fn around(symbols: &[Symbol], code: &[u32]) -> Vec<Option<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let place = |place: u32| &symbols[code[place as usize] as usize];
    (0..code.len() as u32)
        .map(|next| {
            let address = place(next).address;
            while open.pop_if(|outer| !place(*outer).contains(address)).is_some() {}
            let around = open.last().copied();
            if place(next).size > Bytes::ZERO {
                open.push(next);
            }
            around
        })
        .collect()
}

/// The order of several symbols at one address: functions, objects, labels; sized before unsized; global, weak (mostly
/// aliases), local; then by name.
fn rank(symbol: &Symbol) -> (SymbolKind, bool, Binding, &str) {
    (symbol.kind, symbol.size == Bytes::ZERO, symbol.binding, &symbol.name)
}

fn sorted_index<'a>(symbols: &'a [Symbol], key: impl Fn(&'a Symbol) -> Option<&'a str>) -> Vec<u32> {
    let mut index: Vec<u32> =
        (0..symbols.len() as u32).filter(|&place| key(&symbols[place as usize]).is_some()).collect();
    index.sort_by_key(|&place| (key(&symbols[place as usize]), place));
    index
}

fn equal_range(index: &[u32], order: impl Fn(u32) -> std::cmp::Ordering) -> &[u32] {
    let from = index.partition_point(|&place| order(place).is_lt());
    let to = index.partition_point(|&place| order(place).is_le());
    &index[from..to]
}
