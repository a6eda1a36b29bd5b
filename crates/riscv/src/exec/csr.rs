//! The CSR instructions: RISC-V Unprivileged ISA 20191213, chapter 9; what writing each register does.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, GapKind, Peripherals};

use super::Here;
use crate::config::{TrapVector, Traps};
use crate::cpu::Cpu;
use crate::csr::{self, CsrAccess, Reason, Refusal, Register, Row};
use crate::decode::{Instruction, Op};
use crate::trap::{Privilege, Trap};

/// A CSR instruction once resolved: the number in the low bits, the row above them.
const NUMBER: u32 = 0xFFF;

/// Packs the number of a register and its row.
pub(crate) const fn pack(number: u32, row: usize) -> u32 {
    number & NUMBER | (row as u32) << 12
}

/// The place and time of an access.
#[derive(Clone, Copy)]
struct Moment {
    pc: u32,
    at: u64,
    /// Instructions retired before.
    retired: u64,
    /// The value of the part's machine timer, for the registers that show it.
    time: u64,
}

/// Returns the part's machine timer at the cycle `at` if `row` shows it, else 0; `None` if the part has no such timer.
fn time_of<P: Peripherals>(row: &Row, bus: &Bus<P>, at: u64) -> Option<u64> {
    match row.register {
        Register::Time | Register::TimeHigh => bus.peripherals.machine_time(Cycles::new(at)),
        _ => Some(0),
    }
}

/// Tells whether the number is one of a register that can only be read.
const fn is_read_only(number: u32) -> bool {
    number >> 10 == 3
}

/// Tells whether `i`, which accesses a CSR, writes it.
const fn writes(i: &Instruction) -> bool {
    matches!(i.op, Op::Csrrw | Op::Csrrwi) || i.rs1 != 0
}

impl Cpu {
    /// Returns the value of the register with `number` between two instructions, for a debugger: it takes no time and has no
    /// side effect. `None` if the core has no such register.
    pub fn csr<P: Peripherals>(&self, number: u16, bus: &Bus<P>) -> Option<u32> {
        let (place, row) = csr::find(self.config.traps.csrs(), number)?;
        let time = time_of(row, bus, self.now)?;
        let moment = Moment { pc: self.pc, at: self.now, retired: self.instructions, time };
        Some(self.value_of(row, number.into(), place, moment, self.lines.levels()))
    }

    /// Says why the instruction `bits`, executed with the core as it is now, is illegal for the register that it accesses.
    /// `None` if it accesses none, or if this is not the reason.
    pub fn refusal<P: Peripherals>(&self, bits: u32, bus: &Bus<P>) -> Option<Refusal> {
        let access = CsrAccess::of(bits)?;
        let number = u32::from(access.number);
        let row = csr::find(self.config.traps.csrs(), access.number).map(|(_, row)| row);
        let row = row.filter(|row| !self.lacks(row) && time_of(row, bus, self.now).is_some());
        let reason = match row {
            None => Reason::Lacking,
            Some(_) if self.denies(number) || !self.may_count(number) => Reason::Denied,
            Some(_) if access.writes && is_read_only(number) => Reason::ReadOnly,
            Some(_) => return None,
        };
        let name = csr::standard_name(access.number).or_else(|| row.map(|row| row.name.to_owned()));
        Some(Refusal { name, access, reason })
    }

    /// Tells whether the core was built without the register of `row`.
    fn lacks(&self, row: &Row) -> bool {
        row.register == Register::Security && self.pmp.security().is_none()
    }

    /// Tells whether U mode asks for a register of M mode.
    fn denies(&self, number: u32) -> bool {
        number >> 8 & 3 != 0 && self.privilege == Privilege::User
    }

    /// Tells whether the register of `row`, with `number`, may be read, and written if `writes`.
    fn may_access(&self, row: &Row, number: u32, writes: bool) -> bool {
        let denied = self.denies(number) || writes && is_read_only(number);
        !denied && !self.lacks(row) && self.may_count(number)
    }

    /// Tells whether `i` accesses a register that there is not, or that it may not access.
    pub(super) fn refuses(&self, i: &Instruction) -> bool {
        let row = csr::find(self.config.traps.csrs(), (i.imm & NUMBER) as u16);
        !row.is_some_and(|(_, row)| self.may_access(row, i.imm & NUMBER, writes(i)))
    }

    /// Carries out `i`, whose number is packed with its row; says whether the block must be left.
    pub(super) fn access_csr<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<bool, Trap> {
        let (number, place) = (i.imm & NUMBER, (i.imm >> 12) as usize);
        let illegal = Trap::new(Trap::ILLEGAL, here.place().detail.bits);
        let Some(row) = self.config.traps.csrs().get(place) else { return Err(illegal) };
        let operand = match i.op {
            Op::Csrrw | Op::Csrrs | Op::Csrrc => self.get(i.rs1),
            _ => u32::from(i.rs1),
        };
        let writes = writes(i);
        if !self.may_access(row, number, writes) {
            return Err(illegal);
        }
        let at = self.executes_at(bus).unwrap_or_else(|| self.phase(here, self.config.timing.counter_phase));
        let moment = Moment {
            pc: here.place().pc,
            at,
            // PicoRV32 counts an instruction when it begins.
            retired: self.instructions
                + u64::from(here.place().index)
                + u64::from(matches!(self.config.traps, Traps::Pico(_))),
            time: time_of(row, bus, at).ok_or(illegal)?,
        };
        let old = self.read_csr(bus, row, number, place, moment);
        let mut leave = false;
        if writes {
            let value = match i.op {
                Op::Csrrw | Op::Csrrwi => operand,
                Op::Csrrs | Op::Csrrsi => old | operand,
                _ => old & !operand,
            };
            leave = self.write_csr(bus, row, number, place, value, moment);
        }
        self.put(i.rd, old);
        Ok(leave)
    }

    /// Tells whether U mode may read the counter with `number` (mcounteren).
    fn may_count(&self, number: u32) -> bool {
        let gated = self.privilege == Privilege::User && number >> 8 == 0xC;
        !gated || {
            let has = self.config.traps.csrs().iter().any(|row| row.register == Register::Mcounteren);
            !has || self.csrs.counteren >> (number & 31) & 1 != 0
        }
    }

    fn read_csr<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        row: &Row,
        number: u32,
        place: usize,
        moment: Moment,
    ) -> u32 {
        self.rows.insert(self.config.timing.counter_phase);
        let mut levels = 0;
        if matches!(row.register, Register::Mip | Register::ArrayPending) {
            self.run_events(bus, moment.at);
            let recognised = u64::from(self.config.timing.cycles(self.config.timing.recognition));
            levels = match row.register {
                Register::Mip => self.lines.seen_at(moment.at + recognised),
                _ => self.lines.levels(),
            };
        }
        self.value_of(row, number, place, moment, levels)
    }

    /// Returns the value of a register while the interrupt lines are at `levels`.
    fn value_of(&self, row: &Row, number: u32, place: usize, moment: Moment, levels: u64) -> u32 {
        let csrs = &self.csrs;
        match row.register {
            Register::Mstatus => csrs.mstatus(),
            Register::Misa => self.config.misa(),
            Register::Mie => csrs.mie,
            Register::Mip => self.mip_of(levels),
            Register::ArrayPending => self.array_pending_of(levels),
            Register::Mtvec => csrs.mtvec,
            Register::Mscratch => csrs.mscratch,
            Register::Mepc => csrs.mepc & !self.misalignment,
            Register::Mcause | Register::IbexMcause => csrs.mcause,
            Register::Mtval => csrs.mtval,
            Register::Mcounteren => csrs.counteren,
            Register::Mcountinhibit => u32::from(csrs.cycle.stopped()) | u32::from(csrs.instret.stopped()) << 2,
            Register::Mhartid => self.config.hart,
            Register::Cycle => csrs.cycle.read(moment.at) as u32,
            Register::CycleHigh => (csrs.cycle.read(moment.at) >> 32) as u32,
            Register::Instret => csrs.instret.read(moment.retired) as u32,
            Register::InstretHigh => (csrs.instret.read(moment.retired) >> 32) as u32,
            Register::Time => moment.time as u32,
            Register::TimeHigh => (moment.time >> 32) as u32,
            Register::PmpConfiguration(index) => self.pmp.read_configuration(index.into()),
            Register::PmpAddress(_) => self.pmp.read_address((number & 0xF) as usize),
            Register::Security => self.pmp.security().filter(|_| row.writable != 0).unwrap_or(0),
            Register::CpuControl => csrs.cpu_control,
            Register::ArrayMask => csrs.array_mask,
            Register::Constant(value) => value,
            Register::Unmodelled => csrs.stored.get(place).copied().unwrap_or(0),
        }
    }

    /// Writes a register; says whether the block must be left.
    fn write_csr<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        row: &Row,
        number: u32,
        place: usize,
        value: u32,
        moment: Moment,
    ) -> bool {
        let value = value & row.writable;
        let (user, vector, interrupts) = match &self.config.traps {
            Traps::Privileged(core) => (core.user_mode, core.vector, core.interrupts),
            Traps::Pico(_) => return false,
        };
        // A counter goes on from what was written in the cycle, or with the instruction, after this one.
        let (cycle, retired) = (moment.at + 1, moment.retired + 1);
        let halves = |whole: u64, high: bool| {
            if high { whole & 0xFFFF_FFFF | u64::from(value) << 32 } else { whole >> 32 << 32 | u64::from(value) }
        };
        let csrs = &mut self.csrs;
        match row.register {
            Register::Mstatus => {
                self.masks_before = Some((moment.at, csrs.mie, csrs.mie_enabled));
                csrs.set_mstatus(value, user);
                self.rights_changed();
                return self.masks_changed();
            }
            Register::Mie => {
                self.masks_before = Some((moment.at, csrs.mie, csrs.mie_enabled));
                csrs.mie = value & interrupts;
                return self.masks_changed();
            }
            Register::ArrayMask => {
                csrs.array_mask = value;
                return self.masks_changed();
            }
            Register::Mtvec => {
                csrs.mtvec = match vector {
                    TrapVector::Vectored => value | 1,
                    TrapVector::Direct => value & !3,
                    TrapVector::Either => value,
                }
            }
            Register::Mscratch => csrs.mscratch = value,
            Register::Mepc => csrs.mepc = value,
            Register::Mcause => csrs.mcause = value,
            Register::IbexMcause => {
                let kind = match value >> 30 {
                    2 => 1 << 31,
                    3 => 0xFFFF_FFE0,
                    _ => 0,
                };
                csrs.mcause = kind | value & 0x1F;
            }
            Register::Mtval => csrs.mtval = value,
            Register::Mcounteren => {
                let has_time = bus.peripherals.machine_time(Cycles::new(moment.at)).is_some();
                csrs.counteren = if has_time { value } else { value & !csr::TM };
            }
            Register::Mcountinhibit => {
                csrs.cycle.stop(cycle, value & 1 != 0);
                csrs.instret.stop(retired, value >> 2 & 1 != 0);
            }
            Register::Cycle | Register::CycleHigh => {
                let whole = csrs.cycle.read(moment.at);
                csrs.cycle.write(cycle, halves(whole, row.register == Register::CycleHigh));
            }
            Register::Instret | Register::InstretHigh => {
                let whole = csrs.instret.read(moment.retired);
                csrs.instret.write(retired, halves(whole, row.register == Register::InstretHigh));
            }
            Register::PmpConfiguration(index) => {
                self.pmp.write_configuration(index.into(), value);
                return self.protection_changed();
            }
            Register::PmpAddress(_) => {
                self.pmp.write_address((number & 0xF) as usize, value);
                return self.protection_changed();
            }
            Register::Security => {
                if row.writable != 0 {
                    self.pmp.write_security(value);
                }
                return self.protection_changed();
            }
            Register::CpuControl => csrs.cpu_control = value,
            Register::Unmodelled => {
                if value != row.reset {
                    let (pc, at) = (Address::new(moment.pc), Cycles::new(moment.at));
                    bus.shared.meet_gap(GapKind::Instruction, row.name, pc, at);
                }
                if let Some(stored) = csrs.stored.get_mut(place) {
                    *stored = value;
                }
            }
            Register::Misa
            | Register::Mip
            | Register::Mhartid
            | Register::Time
            | Register::TimeHigh
            | Register::ArrayPending
            | Register::Constant(_) => {}
        }
        false
    }

    /// An interrupt may be let through now.
    fn masks_changed(&mut self) -> bool {
        let leave = self.pending().is_some();
        if leave {
            self.horizon = 0;
        }
        leave
    }

    /// Code and data must be looked at anew.
    fn protection_changed(&mut self) -> bool {
        self.protection = self.protection.wrapping_add(1) & 0x3FFF_FFFF;
        self.rights_changed();
        self.horizon = 0;
        true
    }
}
