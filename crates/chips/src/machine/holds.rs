//! The reasons for which a core could not take an interrupt now, and the state by which runs are told apart.

use cyclescope_cortex_m::{Masks, PEND_SV, SYS_TICK};
use cyclescope_machine::units::Address;
use cyclescope_riscv::{INTERRUPT, Privilege, Traps};
use cyclescope_xtensa::InterruptKind;

use super::{Kind, Machine};

/// The line of RISC-V's external interrupt, and the first line of an array behind it.
const EXTERNAL: u16 = 11;
const ARRAY: u16 = 32;

/// A reason for which an interrupt cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hold {
    /// The interrupt itself is off, in the register of this name.
    Disabled(&'static str),
    /// The register or flag of this name lets no interrupt through.
    Flag(&'static str),
    /// BASEPRI has this value.
    BasePriority(u8),
    /// The handler of the exception of this number runs, which no less urgent one interrupts.
    Handler(u16),
}

impl Hold {
    /// Returns it in words, with exceptions by the names that `names` has for their numbers.
    pub fn text(self, names: &[(u16, &str)]) -> String {
        match self {
            Self::Disabled(place) => format!("off in {place}"),
            Self::Flag(name) => name.to_owned(),
            Self::BasePriority(value) => format!("BASEPRI {value:#04x}"),
            Self::Handler(number) => {
                let name = names.iter().find(|(known, _)| *known == number);
                name.map_or_else(|| format!("handler {number}"), |(_, name)| format!("handler of {name}"))
            }
        }
    }
}

/// The state of a core by which arrivals are told apart that may be answered in other times.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Situation {
    /// The instruction about to execute.
    pub pc: Address,
    /// The reasons for which not every interrupt can be taken.
    pub holds: Vec<Hold>,
    /// The exceptions that are pending, one bit each by number.
    pub pending: Vec<u64>,
    /// The state that the instruction inherits from the one before it.
    pub inherited: u32,
}

impl Machine {
    /// The reasons for which the core `core` would not take every interrupt now; none if it would. A core that the part does not
    /// have takes all.
    pub fn holds(&self, core: usize) -> Vec<Hold> {
        let mut holds = Vec::new();
        match &self.kind {
            Kind::CortexM(machine) => {
                let Some(core) = machine.core.all().get(core) else { return holds };
                let cpu = core.cpu();
                holds.extend(cpu.faultmask.then_some(Hold::Flag("FAULTMASK")));
                holds.extend(cpu.primask.then_some(Hold::Flag("PRIMASK")));
                holds.extend((cpu.basepri != 0).then_some(Hold::BasePriority(cpu.basepri)));
                holds.extend((cpu.ipsr != 0).then_some(Hold::Handler(cpu.ipsr)));
            }
            Kind::Avr(machine) => {
                let Some(core) = machine.core.all().get(core) else { return holds };
                let cpu = core.cpu();
                if !cpu.i || cpu.delayed {
                    holds.push(Hold::Flag("SREG.I"));
                    holds.extend(cpu.active_vectors().last().map(|vector| Hold::Handler(u16::from(*vector))));
                }
            }
            Kind::Riscv(machine) => {
                let Some(core) = machine.core.all().get(core) else { return holds };
                let cpu = core.cpu();
                let held = match &cpu.config.traps {
                    Traps::Privileged(_) => !cpu.csrs.mie_enabled && cpu.privilege != Privilege::User,
                    Traps::Pico(_) => cpu.pico.active || cpu.pico.delayed || cpu.pico.resumed,
                };
                if held && matches!(cpu.config.traps, Traps::Privileged(_)) {
                    holds.push(Hold::Flag("mstatus.MIE"));
                }
                if held || cpu.csrs.before_nmi.is_some() {
                    holds.extend(cpu.active_traps().last().map(|number| Hold::Handler(*number)));
                }
            }
            Kind::Xtensa(machine) => {
                let Some(core) = machine.core.all().get(core) else { return holds };
                let cpu = core.cpu();
                holds.extend((cpu.ps.level > 0).then_some(Hold::Flag("PS.INTLEVEL")));
                holds.extend(cpu.ps.exception.then_some(Hold::Flag("PS.EXCM")));
                if cpu.level() > 0 {
                    holds.extend(cpu.active_exceptions().last().map(|number| Hold::Handler(*number)));
                }
            }
        }
        holds
    }

    /// Returns the numbers of the exceptions that come as interrupts do, and may have to wait.
    pub fn interrupts(&self) -> Vec<u16> {
        let waits = |number: &u16| match &self.kind {
            Kind::CortexM(_) => *number >= PEND_SV,
            Kind::Avr(_) => *number > 0,
            Kind::Riscv(_) => number & INTERRUPT != 0,
            Kind::Xtensa(_) => number & cyclescope_xtensa::INTERRUPT != 0,
        };
        self.exceptions().into_iter().map(|(number, _)| number).filter(waits).collect()
    }

    /// Tells if the interrupt of the number `number` is on at the controller of the core `core`. Always false for the exceptions of a
    /// Cortex-M's own, and on an AVR, where each device has enable bits of its own.
    pub fn is_enabled(&self, core: usize, number: u16) -> bool {
        let listed = match &self.kind {
            Kind::CortexM(_) => number > SYS_TICK,
            Kind::Avr(_) => false,
            Kind::Riscv(_) => number & INTERRUPT != 0,
            Kind::Xtensa(_) => number & cyclescope_xtensa::INTERRUPT != 0,
        };
        listed && !matches!(self.held(core, number), Some(Hold::Disabled(_)))
    }

    /// The reason for which the core `core` could not take the exception of the number `number` if it became pending now; `None` if
    /// it could, before its next instruction.
    pub fn held(&self, core: usize, number: u16) -> Option<Hold> {
        match &self.kind {
            Kind::CortexM(machine) => {
                let cpu = machine.core.all().get(core)?.cpu();
                let (nvic, own) = (&cpu.nvic, cpu.nvic.group_priority(number));
                let alone = |masks| nvic.execution_priority(masks) <= own;
                if !nvic.is_enabled(number) {
                    Some(Hold::Disabled("the NVIC"))
                } else if cpu.faultmask && own >= -1 {
                    Some(Hold::Flag("FAULTMASK"))
                } else if cpu.primask && own >= 0 {
                    Some(Hold::Flag("PRIMASK"))
                } else if alone(Masks::default()) {
                    Some(Hold::Handler(cpu.ipsr))
                } else if alone(Masks { basepri: cpu.basepri, ..Masks::default() }) {
                    Some(Hold::BasePriority(cpu.basepri))
                } else {
                    None
                }
            }
            // The devices of an AVR have an enable bit each; a line is high only where that is set.
            Kind::Avr(machine) => {
                let cpu = machine.core.all().get(core)?.cpu();
                match cpu.active_vectors().last() {
                    _ if cpu.i && !cpu.delayed => None,
                    Some(vector) => Some(Hold::Handler(u16::from(*vector))),
                    None => Some(Hold::Flag("SREG.I")),
                }
            }
            Kind::Xtensa(machine) => {
                let cpu = machine.core.all().get(core)?.cpu();
                let line = number & !cyclescope_xtensa::INTERRUPT;
                let interrupt = cpu.config.configuration.interrupts.get(usize::from(line))?;
                if interrupt.kind == InterruptKind::Nmi {
                    None
                } else if cpu.enabled >> line & 1 == 0 {
                    Some(Hold::Disabled("INTENABLE"))
                } else if interrupt.level > cpu.level() {
                    None
                } else if let Some(number) = cpu.active_exceptions().last() {
                    Some(Hold::Handler(*number))
                } else {
                    Some(Hold::Flag(if cpu.ps.exception { "PS.EXCM" } else { "PS.INTLEVEL" }))
                }
            }
            Kind::Riscv(machine) => {
                let cpu = machine.core.all().get(core)?.cpu();
                let handler = || cpu.active_traps().last().map(|number| Hold::Handler(*number));
                let line = number & !INTERRUPT;
                let bit = 1_u32.checked_shl(u32::from(line)).unwrap_or(0);
                match &cpu.config.traps {
                    Traps::Pico(_) if cpu.pico.mask & bit != 0 => Some(Hold::Disabled("irq_mask")),
                    Traps::Pico(_) if cpu.pico.active || cpu.pico.delayed || cpu.pico.resumed => {
                        handler().or(Some(Hold::Flag("retirq")))
                    }
                    Traps::Pico(_) => None,
                    Traps::Privileged(core) if core.nmi.is_some_and(|nmi| u16::from(nmi) == line) => {
                        cpu.csrs.before_nmi.and_then(|_| handler())
                    }
                    Traps::Privileged(_) => {
                        let behind = line.checked_sub(ARRAY);
                        let enabled = if behind.is_some() { 1 << EXTERNAL } else { bit };
                        if behind.is_some_and(|line| cpu.csrs.array_mask >> (line % 32) & 1 == 0) {
                            Some(Hold::Disabled("the interrupt array's mask"))
                        } else if cpu.csrs.mie & enabled == 0 {
                            Some(Hold::Disabled("mie"))
                        } else if cpu.csrs.before_nmi.is_some()
                            || !cpu.csrs.mie_enabled && cpu.privilege != Privilege::User
                        {
                            handler().or(Some(Hold::Flag("mstatus.MIE")))
                        } else {
                            None
                        }
                    }
                }
            }
        }
    }

    /// The state of the core `core` between two instructions; of a core that the part does not have, that of the one which stands
    /// for the machine.
    pub fn situation(&self, core: usize) -> Situation {
        let holds = self.holds(core);
        let pc = self.position(core).pc;
        let (pending, inherited) = match &self.kind {
            Kind::CortexM(machine) => {
                let cpu = machine.core.all().get(core).unwrap_or(&machine.core).cpu();
                let words = (0..8).map(|word| u64::from(cpu.nvic.pending_word(word)));
                let system = (0..16).map(|number| u64::from(cpu.nvic.is_pending(number)) << number).sum();
                let inherited = cpu.entry.pack() | u32::from(cpu.refill) << 31;
                (words.chain([system]).collect(), inherited)
            }
            Kind::Avr(machine) => {
                let cpu = machine.core.all().get(core).unwrap_or(&machine.core).cpu();
                (vec![machine.bus.shared.interrupts.levels(0)], u32::from(cpu.delayed))
            }
            Kind::Riscv(machine) => {
                let cpu = machine.core.all().get(core).unwrap_or(&machine.core).cpu();
                (vec![machine.bus.shared.interrupts.levels(0)], cpu.inherited())
            }
            Kind::Xtensa(machine) => {
                let cpu = machine.core.all().get(core).unwrap_or(&machine.core).cpu();
                (vec![machine.bus.shared.interrupts.levels(0), u64::from(cpu.ps.bits())], cpu.inherited())
            }
        };
        Situation { pc, holds, pending, inherited }
    }
}
