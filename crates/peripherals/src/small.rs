//! Blocks with little behaviour of their own: PWR, SYSCFG, DBGMCU, and those that are only declared.

use cyclescope_machine::{AtZero, GapKind};

use crate::bank::{all, some};
use crate::{Bank, Block, Env, Instance, Map, Modelled, Words, Write};

/// System configuration of STM32C0 (RM0490, "SYSCFG registers").
pub const SYSCFG_C0: &[Modelled] = &[some("CFGR1", 0, &["MEM_MODE"])];

/// Debug support of STM32C0 (RM0490, "DBGMCU registers"): no debugger is attached, so that the freeze bits are inert.
pub const DBGMCU_C0: &[Modelled] = &[all("IDCODE", 0), all("CR", 0), all("APB1FZR", 0), all("APB2FZR", 0)];

/// System configuration of STM32F446 (RM0390, "SYSCFG registers").
pub const SYSCFG_F4: &[Modelled] = &[
    some("MEMRMP", 0, &["MEM_MODE"]),
    all("EXTICR1", 0).and(&["EXTICR2", "EXTICR3", "EXTICR4"]),
    some("CMPCR", 0, &["CMP_PD", "READY"]),
];

/// Debug support of STM32F446 (RM0390, "DBGMCU registers"): no debugger is attached, so that the freeze bits are inert.
pub const DBGMCU_F4: &[Modelled] =
    &[all("IDCODE", 0), some("CR", 0, &["DBG_SLEEP", "DBG_STOP", "DBG_STANDBY"]), all("APB1FZR", 0), all("APB2FZR", 0)];

/// The behaviour of a block of few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing: registers are stored, and counted as gaps.
    Declared,
    /// Memory remap and interrupt line status.
    Syscfg,
    /// Memory remap of STM32F4.
    SyscfgF4,
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
        Self { kind: Kind::Syscfg, ..Self::declared(instance.map, SYSCFG_C0) }
    }

    /// SYSCFG of STM32F4.
    pub fn syscfg_f4(instance: &Instance) -> Self {
        Self { kind: Kind::SyscfgF4, ..Self::declared(instance.map, SYSCFG_F4) }
    }

    /// A block some of whose words were fixed at the factory: by offset and value.
    pub fn with_fixed(map: &'static Map, model: &[Modelled], fixed: &[(u32, u32)]) -> Self {
        let mut block = Self { kind: Kind::Fixed, ..Self::declared(map, model) };
        block.fixed = fixed.to_vec();
        block.restore();
        block
    }

    fn write_syscfg_f4(&mut self, offset: u32, new: u32, env: &mut Env<'_, '_>) {
        match offset {
            0 => {
                // RM0390, SYSCFG_MEMRMP.MEM_MODE: 0 main flash, 1 system flash, 2 external memory, 3 SRAM1.
                env.context.memory.map_at_zero(ram_or_flash(new & 7 == 3));
                if !matches!(new & 7, 0 | 3) {
                    env.gap(GapKind::Setting, format_args!("SYSCFG_MEMRMP.MEM_MODE={}", new & 7));
                }
            }
            // RM0390, SYSCFG_CMPCR: the cell is ready once it is powered up.
            0x20 => self.bank.set(0x20, (new & 1) | (new & 1) << 8),
            _ => {}
        }
    }

    fn restore(&mut self) {
        for (offset, value) in &self.fixed {
            self.bank.set(*offset, *value);
        }
    }
}

/// Returns the memory at address 0 that MEM_MODE selects.
fn ram_or_flash(ram: bool) -> AtZero {
    if ram { AtZero::Ram } else { AtZero::Flash }
}

const SYSCFG_ITLINE0: u32 = 0x80;
const SYSCFG_ITLINE31: u32 = 0xFC;

impl Block<Words> for Small {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if self.kind == Kind::Syscfg && (SYSCFG_ITLINE0..=SYSCFG_ITLINE31).contains(&offset) {
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
        if self.kind == Kind::Syscfg && offset == 0 {
            // RM0490, SYSCFG_CFGR1.MEM_MODE: x0 main flash, 01 system flash, 11 SRAM.
            env.context.memory.map_at_zero(ram_or_flash(new & 3 == 3));
            if new & 3 == 1 {
                env.gap(GapKind::Setting, format_args!("SYSCFG_CFGR1.MEM_MODE=1 (system flash at 0)"));
            }
        }
        if self.kind == Kind::SyscfgF4 {
            self.write_syscfg_f4(offset, new, env);
        }
        self.restore();
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.restore();
        if matches!(self.kind, Kind::Syscfg | Kind::SyscfgF4) {
            env.context.memory.map_at_zero(AtZero::Flash);
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
