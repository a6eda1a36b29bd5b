//! The special registers that a core has, by its options (§5.3), and the user registers.

use crate::config::Configuration;

/// A special register. A number in it counts from 0, or from the level 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The manual's names.
pub enum Special {
    Lbeg,
    Lend,
    Lcount,
    Sar,
    Br,
    Litbase,
    Scompare1,
    Acclo,
    Acchi,
    M(u8),
    WindowBase,
    WindowStart,
    IbreakEnable,
    Memctl,
    Atomctl,
    Ddr,
    Ibreaka(u8),
    Dbreaka(u8),
    Dbreakc(u8),
    ConfigId(u8),
    Epc(u8),
    Depc,
    Eps(u8),
    Excsave(u8),
    Cpenable,
    Interrupt,
    Intclear,
    Intenable,
    Ps,
    Vecbase,
    Exccause,
    Debugcause,
    Ccount,
    Prid,
    Icount,
    IcountLevel,
    Excvaddr,
    Ccompare(u8),
    Misc(u8),
}

impl Special {
    /// The number of LEND.
    pub const LEND: u8 = 1;
    /// The number of LCOUNT.
    pub const LCOUNT: u8 = 2;

    /// The register with `number` on a core of `configuration`, if it has it.
    pub fn find(number: u8, configuration: &Configuration) -> Option<Self> {
        let Configuration { options, levels, timers, misc, breakpoints, .. } = configuration;
        let nth = |first: u8, count: u8, build: fn(u8) -> Self| {
            (first..first + count).contains(&number).then(|| build(number - first))
        };
        let when = |has: bool, register: Self| has.then_some(register);
        match number {
            0 => when(options.loops, Self::Lbeg),
            Self::LEND => when(options.loops, Self::Lend),
            Self::LCOUNT => when(options.loops, Self::Lcount),
            3 => Some(Self::Sar),
            4 => when(options.booleans, Self::Br),
            5 => when(options.absolute_literals, Self::Litbase),
            12 => when(options.conditional_store, Self::Scompare1),
            16 => when(options.mac16, Self::Acclo),
            17 => when(options.mac16, Self::Acchi),
            32..=35 => when(options.mac16, Self::M(number - 32)),
            72 => when(options.windows, Self::WindowBase),
            73 => when(options.windows, Self::WindowStart),
            96 => when(options.debug, Self::IbreakEnable),
            97 => when(options.memory_control, Self::Memctl),
            99 => when(options.atomic_control, Self::Atomctl),
            104 => when(options.debug, Self::Ddr),
            128..=129 => nth(128, *breakpoints, Self::Ibreaka),
            144..=145 => nth(144, *breakpoints, Self::Dbreaka),
            160..=161 => nth(160, *breakpoints, Self::Dbreakc),
            176 => Some(Self::ConfigId(0)),
            177..=183 => nth(177, *levels, |index| Self::Epc(index + 1)),
            192 => Some(Self::Depc),
            194..=199 => nth(194, levels - 1, |index| Self::Eps(index + 2)),
            208 => Some(Self::ConfigId(1)),
            209..=215 => nth(209, *levels, |index| Self::Excsave(index + 1)),
            224 => when(options.coprocessors, Self::Cpenable),
            226 => Some(Self::Interrupt),
            227 => Some(Self::Intclear),
            228 => Some(Self::Intenable),
            230 => Some(Self::Ps),
            231 => when(options.relocatable_vectors, Self::Vecbase),
            232 => Some(Self::Exccause),
            233 => when(options.debug, Self::Debugcause),
            234 => when(*timers > 0, Self::Ccount),
            235 => Some(Self::Prid),
            236 => when(options.debug, Self::Icount),
            237 => when(options.debug, Self::IcountLevel),
            238 => Some(Self::Excvaddr),
            240..=242 => nth(240, *timers, Self::Ccompare),
            244..=247 => nth(244, *misc, Self::Misc),
            _ => None,
        }
    }

    /// Tells whether RSR may read it.
    pub const fn is_readable(self) -> bool {
        !matches!(self, Self::Intclear)
    }

    /// Tells whether WSR may write it.
    pub const fn is_writable(self) -> bool {
        !matches!(self, Self::ConfigId(_) | Self::Debugcause | Self::Prid)
    }
}

/// A user register, of RUR and WUR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The manual's names.
pub enum User {
    Expstate,
    ThreadPointer,
    Fcr,
    Fsr,
    Double(u8),
}

impl User {
    /// The register with `number` on a core of `configuration`, if it has it.
    pub fn find(number: u8, configuration: &Configuration) -> Option<Self> {
        let options = &configuration.options;
        let (has, register) = match number {
            230 => (options.output_port, Self::Expstate),
            231 => (options.thread_pointer, Self::ThreadPointer),
            232 => (options.float, Self::Fcr),
            233 => (options.float, Self::Fsr),
            234..=236 => (options.double_accelerator, Self::Double(number - 234)),
            _ => return None,
        };
        has.then_some(register)
    }
}
