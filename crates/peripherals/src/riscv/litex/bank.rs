//! The registers of LiteX's cores as a part has them.

/// A register of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Csr {
    /// Its name without the bank's.
    pub name: &'static str,
    /// Bytes from the bank's base.
    pub offset: u32,
    /// Words of 32 bits, the most significant first.
    pub words: u8,
}

/// The registers of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bank {
    /// The name of the core: `timer0`.
    pub name: &'static str,
    /// Its first address.
    pub base: u32,
    /// Its registers, by offset.
    pub registers: &'static [Csr],
}

impl Bank {
    /// The register that holds the word at `offset`, and how many words are below that one.
    pub(super) fn at(&self, offset: u32) -> Option<(&'static Csr, u32)> {
        let csr = self.registers.iter().rfind(|csr| csr.offset <= offset)?;
        let word = (offset - csr.offset) / 4;
        (word < u32::from(csr.words)).then(|| (csr, u32::from(csr.words) - 1 - word))
    }

    /// The name of the register that holds the word at `offset`.
    pub fn name_of(&self, offset: u32) -> Option<&'static str> {
        self.at(offset).map(|(csr, _)| csr.name)
    }

    /// The name of the register at `offset`; empty where there is none.
    pub(super) fn name_at(&self, offset: u32) -> (&'static str, u32) {
        self.at(offset).map_or(("", 0), |(csr, word)| (csr.name, word))
    }
}
