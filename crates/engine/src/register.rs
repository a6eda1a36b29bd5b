//! A core's registers as debuggers and tests name them.

/// The kind of register, by which debuggers present it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// One that programs calculate with.
    General,
    /// A stack pointer.
    StackPointer,
    /// The program counter.
    ProgramCounter,
    /// Flags, masks and modes.
    System,
    /// Floating point: values, and how they are rounded.
    Float,
}

/// One register. Its number is its place in [`InstructionSet::registers`](crate::InstructionSet::registers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// The name that debuggers use, in small letters.
    pub name: &'static str,
    /// Its other names.
    pub aliases: &'static [&'static str],
    /// Its width in bits, at most 32.
    pub bits: u8,
    /// Its kind.
    pub group: Group,
}

impl Register {
    /// A register without other names.
    pub const fn new(name: &'static str, bits: u8, group: Group) -> Self {
        Self { name, aliases: &[], bits, group }
    }

    /// The same register with other names.
    #[must_use]
    pub const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Says whether `name` names it, in capital or small letters.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

/// A core's registers in their order: rows of a group and a width, each with its registers' names, and `= "…"` for further ones.
#[macro_export]
macro_rules! registers {
    ($($group:ident $bits:literal: $($name:literal $(= $alias:literal)*),+;)+) => {
        &[$($($crate::Register::new($name, $bits, $crate::Group::$group).or(&[$($alias),*])),+),+]
    };
}
