//! The values of a block's registers, and the rules that hold for all of them: reserved bits stay as reset, fields
//! without a model are stored and counted as gaps.

use std::sync::Arc;

use crate::{Map, Register};

/// The modelled part of one register. All other fields of the register are unimplemented.
#[derive(Clone, Copy, Debug)]
pub struct Modelled {
    /// The register's name in the block's [`Map`].
    pub register: &'static str,
    /// Other registers of which the same is modelled.
    pub others: &'static [&'static str],
    /// Its value after reset.
    pub reset: u32,
    /// The fields that are modelled.
    pub fields: Fields,
    /// Fields without a model whose effect no program can see, such as how much current the part draws.
    pub unseen: &'static [&'static str],
    /// Of the value after reset, the bits of fields alone count: parts have different fields.
    pub only_fields: bool,
}

impl Modelled {
    /// Models the same of the registers `others`.
    pub const fn and(self, others: &'static [&'static str]) -> Self {
        Self { others, ..self }
    }

    /// Says of `fields`, which are not modelled, that no program can see their effect.
    pub const fn unseen(self, fields: &'static [&'static str]) -> Self {
        Self { unseen: fields, ..self }
    }

    /// The names of all registers of which this is modelled.
    pub fn registers(&self) -> impl Iterator<Item = &'static str> {
        [self.register].into_iter().chain(self.others.iter().copied())
    }
}

/// A selection of a register's fields.
#[derive(Clone, Copy, Debug)]
pub enum Fields {
    /// All of them.
    All,
    /// Those named.
    Named(&'static [&'static str]),
    /// All but those named.
    AllBut(&'static [&'static str]),
}

impl Fields {
    /// The names that the selection mentions.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &[],
            Self::Named(names) | Self::AllBut(names) => names,
        }
    }

    /// Tells if the field `name` is selected.
    fn contain(self, name: &str) -> bool {
        matches!(self, Self::Named(_)) == self.names().contains(&name)
    }
}

/// All fields of `register` are modelled; it holds `reset` after reset.
pub const fn all(register: &'static str, reset: u32) -> Modelled {
    Modelled { register, others: &[], reset, fields: Fields::All, unseen: &[], only_fields: false }
}

/// The `fields` of `register` are modelled; it holds `reset` after reset.
pub const fn some(register: &'static str, reset: u32, fields: &'static [&'static str]) -> Modelled {
    Modelled { register, others: &[], reset, fields: Fields::Named(fields), unseen: &[], only_fields: false }
}

/// All fields of `register` but `fields` are modelled; it holds `reset` after reset.
pub const fn but(register: &'static str, reset: u32, fields: &'static [&'static str]) -> Modelled {
    Modelled { register, others: &[], reset, fields: Fields::AllBut(fields), unseen: &[], only_fields: false }
}

/// All fields of `register` are ones after reset, and only stored.
pub const fn ones(register: &'static str) -> Modelled {
    Modelled { only_fields: true, ..some(register, u32::MAX, &[]) }
}

/// A write as it reaches a register: the bus has already spread narrow data over the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The data, each byte in its lane.
    pub value: u32,
    /// The bits that are written; the others keep their value.
    pub lanes: u32,
}

impl Write {
    /// A write of the whole word.
    pub const fn word(value: u32) -> Self {
        Self { value, lanes: u32::MAX }
    }

    /// A write of one bit.
    pub const fn bit(bit: u8, high: bool) -> Self {
        let lanes = 1 << (bit & 31);
        Self { value: if high { lanes } else { 0 }, lanes }
    }

    /// Returns the value of a plain register after the write, if it held `old`.
    pub const fn over(self, old: u32) -> u32 {
        (old & !self.lanes) | (self.value & self.lanes)
    }

    /// The bits written as 1: for registers where that is a command.
    pub const fn ones(self) -> u32 {
        self.value & self.lanes
    }

    /// The bits written as 0: for flags that are cleared so.
    pub const fn zeros(self) -> u32 {
        !self.value & self.lanes
    }
}

/// One register of a [`Bank`]: its declaration and the modelled bits.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The declared register.
    pub register: &'static Register,
    /// Its value after reset.
    pub reset: u32,
    /// Bits that belong to a field.
    pub declared: u32,
    /// Bits whose behaviour is modelled.
    pub modelled: u32,
    /// Bits without a model whose effect no program can see.
    pub unseen: u32,
}

#[derive(Debug)]
struct Layout {
    map: &'static Map,
    /// The row of each word of the block, or [`NO_ROW`].
    index: Vec<u16>,
    rows: Vec<Row>,
}

const NO_ROW: u16 = u16::MAX;

/// The registers of one peripheral. Clones share what does not change.
#[derive(Clone, Debug)]
pub struct Bank {
    layout: Arc<Layout>,
    values: Vec<u32>,
}

impl Bank {
    /// The registers of `map` after reset, of which `modelled` are more than storage.
    pub fn new(map: &'static Map, modelled: &[Modelled]) -> Self {
        let rows: Vec<Row> = map
            .registers
            .iter()
            .filter(|register| !register.alternate)
            .map(|register| row(register, modelled))
            .collect();
        let words = rows.last().map_or(0, |last| last.register.offset as usize / 4 + 1);
        let mut index = vec![NO_ROW; words];
        for (place, row) in rows.iter().enumerate() {
            index[row.register.offset as usize / 4] = place as u16;
        }
        let values = rows.iter().map(|row| row.reset).collect();
        Self { layout: Arc::new(Layout { map, index, rows }), values }
    }

    /// Back to the values after reset.
    pub fn reset(&mut self) {
        for (value, row) in self.values.iter_mut().zip(&self.layout.rows) {
            *value = row.reset;
        }
    }

    /// Tells if every register holds its value after reset.
    pub fn is_reset(&self) -> bool {
        self.values.iter().zip(&self.layout.rows).all(|(value, row)| *value == row.reset)
    }

    /// The declared map.
    pub fn map(&self) -> &'static Map {
        self.layout.map
    }

    /// Returns the registers in the order of their offsets.
    pub fn rows(&self) -> &[Row] {
        &self.layout.rows
    }

    /// The register at `offset`, and its value.
    #[inline]
    pub fn at(&self, offset: u32) -> Option<(&Row, u32)> {
        self.place(offset).map(|place| (&self.layout.rows[place], self.values[place]))
    }

    fn place(&self, offset: u32) -> Option<usize> {
        let place = *self.layout.index.get(offset as usize / 4)?;
        (place != NO_ROW).then_some(usize::from(place))
    }

    /// The value at `offset`; 0 where no register is.
    #[inline]
    pub fn get(&self, offset: u32) -> u32 {
        self.place(offset).map_or(0, |place| self.values[place])
    }

    /// Sets the value at `offset`, past all rules: for hardware.
    #[inline]
    pub fn set(&mut self, offset: u32, value: u32) {
        if let Some(place) = self.place(offset) {
            self.values[place] = value;
        }
    }

    /// Sets or clears `bits` of the value at `offset`, past all rules: for hardware.
    pub fn flag(&mut self, offset: u32, bits: u32, high: bool) {
        let value = self.get(offset);
        self.set(offset, if high { value | bits } else { value & !bits });
    }

    /// Sets each of the bits `flags` of the value at `offset` to its level, past all rules: for hardware.
    pub fn flags(&mut self, offset: u32, flags: &[(u32, bool)]) {
        let value =
            flags.iter().fold(self.get(offset), |value, (bit, high)| if *high { value | bit } else { value & !bit });
        self.set(offset, value);
    }
}

fn row(register: &'static Register, modelled: &[Modelled]) -> Row {
    let declared = register.declared();
    let known = modelled.iter().find(|known| known.registers().any(|name| name == register.name));
    let fields = known.map_or(Fields::Named(&[]), |known| known.fields);
    let bits = |of: &dyn Fn(&str) -> bool| {
        register.fields.iter().filter(|field| of(field.name)).fold(0, |bits, field| bits | field.mask())
    };
    let modelled = bits(&|name| fields.contain(name));
    let unseen = bits(&|name| known.is_some_and(|known| known.unseen.contains(&name)));
    let reset = known.map_or(0, |known| if known.only_fields { known.reset & declared } else { known.reset });
    Row { register, reset, declared, modelled, unseen }
}
