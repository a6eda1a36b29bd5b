//! Blocks with little behaviour of their own: PWR, SYSCFG, DBGMCU, and those that are only declared.

use cyclescope_machine::{AtZero, GapKind};

use crate::bank::{all, some};
use crate::{Bank, Block, Env, Instance, Map, Modelled, Words, Write};

/// System configuration of STM32C0 (RM0490, "SYSCFG registers").
pub const SYSCFG_C0: &[Modelled] = &[some("CFGR1", 0, &["MEM_MODE"])];

/// The same of STM32G0 (RM0444, "SYSCFG registers"). Of the interrupt lines those of one source are modelled.
pub const SYSCFG_G0: &[Modelled] = &[
    // Currents of pins and the resistance of analog switches are nothing that a program sees.
    some("CFGR1", 0, &["MEM_MODE"]).unseen(&["BOOSTEN", "I2C_PBX_FMP", "I2C1_FMP", "I2C2_FMP", "I2C_PAX_FMP"]),
    all("ITLINE0", 0).and(&[
        "ITLINE1", "ITLINE4", "ITLINE9", "ITLINE14", "ITLINE15", "ITLINE16", "ITLINE19", "ITLINE20", "ITLINE21",
        "ITLINE22", "ITLINE23", "ITLINE24", "ITLINE25", "ITLINE26", "ITLINE27", "ITLINE28", "ITLINE30",
    ]),
];

/// The same of STM32F4 (RM0390, "SYSCFG registers").
pub const SYSCFG_F4: &[Modelled] = &[
    some("MEMRMP", 0, &["MEM_MODE"]),
    all("EXTICR1", 0).and(&["EXTICR2", "EXTICR3", "EXTICR4"]),
    some("CMPCR", 0, &["CMP_PD", "READY"]),
];

/// The same of STM32L4 and L4+ (RM0351, "SYSCFG registers").
pub const SYSCFG_L4: &[Modelled] = &syscfg_l4(0x7C00_0001);

/// The same of STM32G4 (RM0440, "SYSCFG registers").
pub const SYSCFG_G4: &[Modelled] = &syscfg_l4(0x7C00_0000);

const fn syscfg_l4(cfgr1: u32) -> [Modelled; 3] {
    let unseen = &[
        "BOOSTEN",
        "ANASWVDD",
        "I2C_PB6_FMP",
        "I2C_PB7_FMP",
        "I2C_PB8_FMP",
        "I2C_PB9_FMP",
        "I2C1_FMP",
        "I2C2_FMP",
        "I2C3_FMP",
        "I2C4_FMP",
    ];
    [
        some("MEMRMP", 0, &["MEM_MODE"]),
        some("CFGR1", cfgr1, &[]).unseen(unseen),
        all("EXTICR1", 0).and(&["EXTICR2", "EXTICR3", "EXTICR4"]),
    ]
}

/// Debug support of STM32C0 (RM0490, "DBGMCU registers") and of STM32G0 (RM0444): no debugger is attached, so that the freeze
/// bits are inert.
pub const DBGMCU_C0: &[Modelled] = &[all("IDCODE", 0), all("CR", 0), all("APB1FZR", 0), all("APB2FZR", 0)];

/// The same of STM32F4 (RM0390), G4 (RM0440) and L4 (RM0351), whose registers have other names for the first bus.
pub const DBGMCU_F4: &[Modelled] = &[
    all("IDCODE", 0),
    some("CR", 0, &["DBG_SLEEP", "DBG_STOP", "DBG_STANDBY"]),
    all("APB1FZR", 0).and(&["APB1LFZR", "APB1HFZR", "APB1FZR1", "APB1FZR2"]),
    all("APB2FZR", 0),
];

/// The rules of a SYSCFG.
#[derive(Debug)]
struct Syscfg {
    model: &'static [Modelled],
    /// The register with MEM_MODE, as its gaps name it.
    remap: &'static str,
    /// The bits of MEM_MODE that count, all of them set for RAM.
    ram: u32,
    /// The values of the same bits that select the flash.
    flash: &'static [u32],
    /// CMPCR, where there is a compensation cell.
    cell: Option<u32>,
    /// True if registers show the interrupt lines.
    shows_lines: bool,
}

impl Syscfg {
    /// The rules of the version `version`.
    fn of(version: &str) -> &'static Self {
        /// RM0490, RM0444, SYSCFG_CFGR1.MEM_MODE: x0 main flash, 01 system flash, 11 SRAM.
        static C0: Syscfg =
            Syscfg { model: SYSCFG_C0, remap: "CFGR1", ram: 3, flash: &[0, 2], cell: None, shows_lines: true };
        static G0: Syscfg = Syscfg { model: SYSCFG_G0, ..C0 };
        /// RM0390, SYSCFG_MEMRMP.MEM_MODE: 0 main flash, 1 system flash, 2 external memory, 3 SRAM1. RM0351, RM0440: others
        /// are external memories as well.
        static L4: Syscfg =
            Syscfg { model: SYSCFG_L4, remap: "MEMRMP", ram: 3, flash: &[0], cell: None, shows_lines: false };
        static G4: Syscfg = Syscfg { model: SYSCFG_G4, ..L4 };
        static F4: Syscfg = Syscfg { model: SYSCFG_F4, cell: Some(0x20), ..L4 };
        match version {
            "c0" => &C0,
            "g0" => &G0,
            "g4" => &G4,
            "l4" => &L4,
            _ => &F4,
        }
    }

    /// The register at offset 0 holds `new`.
    fn remap(&self, new: u32, env: &mut Env<'_, '_>) {
        let mode = new & if self.shows_lines { 3 } else { 7 };
        env.context.memory.map_at_zero(if mode == self.ram { AtZero::Ram } else { AtZero::Flash });
        if mode != self.ram && !self.flash.contains(&mode) {
            env.gap(GapKind::Setting, format_args!("SYSCFG_{}.MEM_MODE={mode}", self.remap));
        }
    }
}

/// The behaviour of a block of few words.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Nothing: registers are stored, and counted as gaps.
    Declared,
    /// Memory remap and interrupt line status.
    Syscfg(&'static Syscfg),
    /// A value fixed at the factory, whatever is written.
    Fixed,
}

/// A block with few rules.
#[derive(Clone, Debug)]
pub struct Small {
    bank: Bank,
    kind: Kind,
    fixed: Vec<(u32, u32)>,
}

impl Small {
    /// A block that stores what its registers take; `model` says which fields that is right for.
    pub fn declared(map: &'static Map, model: &[Modelled]) -> Self {
        Self { bank: Bank::new(map, model), kind: Kind::Declared, fixed: Vec::new() }
    }

    /// SYSCFG.
    pub fn syscfg(instance: &Instance) -> Self {
        let rules = Syscfg::of(instance.map.version);
        Self { kind: Kind::Syscfg(rules), ..Self::declared(instance.map, rules.model) }
    }

    /// A block some of whose words were fixed at the factory: by offset and value.
    pub fn with_fixed(map: &'static Map, model: &[Modelled], fixed: &[(u32, u32)]) -> Self {
        let mut block = Self { kind: Kind::Fixed, ..Self::declared(map, model) };
        block.fixed = fixed.to_vec();
        block.restore();
        block
    }

    fn restore(&mut self) {
        for (offset, value) in &self.fixed {
            self.bank.set(*offset, *value);
        }
    }
}

const SYSCFG_ITLINE0: u32 = 0x80;
const SYSCFG_ITLINE31: u32 = 0xFC;

impl Block<Words> for Small {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let shows_lines = matches!(self.kind, Kind::Syscfg(rules) if rules.shows_lines);
        if shows_lines && (SYSCFG_ITLINE0..=SYSCFG_ITLINE31).contains(&offset) {
            let line = (offset - SYSCFG_ITLINE0) / 4;
            let row = self.bank.rows().iter().find(|row| row.register.offset == offset);
            // One flag per source of the line; where there is one source only, the line is the flag.
            if let Some(row) = row.filter(|row| row.register.fields.len() == 1) {
                return if env.context.interrupts.is_high(line as usize) { row.declared } else { 0 };
            }
        }
        self.bank.read(offset, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (_, new) = self.bank.write(offset, write, env);
        if let Kind::Syscfg(rules) = self.kind {
            if offset == 0 {
                rules.remap(new, env);
            } else if rules.cell == Some(offset) {
                // RM0390, SYSCFG_CMPCR: the cell is ready once it is powered up.
                self.bank.set(offset, (new & 1) | (new & 1) << 8);
            }
        }
        self.restore();
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.restore();
        if matches!(self.kind, Kind::Syscfg(_)) {
            env.context.memory.map_at_zero(AtZero::Flash);
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
