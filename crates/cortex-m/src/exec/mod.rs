//! What instructions do. No cycle number stands here: bodies touch registers and memory, and where control or time
//! depends on data they say which row applies.
//!
//! One match runs a block. Loads and stores try RAM first; everything else (flash tables, peripherals, the system control
//! space, faults) goes through the slow path in [`memory`], which knows the exact cycle. After an access to a register
//! the block is left, since anything may have changed.

mod alu;
mod branch;
mod memory;
mod system;

use cyclescope_machine::{Bus, Peripherals};

use crate::code::Block;
use crate::cpu::{Cpu, Fault};
use crate::decode::{Instruction, Op, Reg};

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `r[15]` says where to go on.
    Next,
    /// With a fault at `r[15]`.
    Fault(Fault),
    /// With a branch to this EXC_RETURN value.
    ExceptionReturn(u32),
    /// With SVC.
    SupervisorCall,
    /// With BKPT at `r[15]` and its immediate.
    Breakpoint(u8),
    /// With WFE (`true`) or WFI.
    Wait(bool),
}

impl Cpu {
    /// Runs `block` to its end or until it must be left.
    pub fn execute<P: Peripherals>(&mut self, bus: &mut Bus<P>, block: &Block) -> Exit {
        self.r[Reg::Pc as usize] = block.next_pc;
        let mut rest = block.instructions.iter();

        macro_rules! index {
            () => {
                block.instructions.len() - rest.as_slice().len() - 1
            };
        }
        macro_rules! load {
            ($i:ident, $width:ident, $address:expr, $extend:ty) => {{
                let address = $address;
                let value = match self.load_fast(bus, address, cyclescope_machine::Width::$width) {
                    Some(value) => value,
                    None => {
                        let index = index!();
                        match self.load_slow(bus, block, index, address, cyclescope_machine::Width::$width) {
                            Ok((value, false)) => value,
                            Ok((value, true)) => {
                                self.set($i.rd, value as $extend as i32 as u32);
                                return self.leave_after(block, index);
                            }
                            Err(fault) => return self.leave_at(block, index, fault),
                        }
                    }
                };
                self.set($i.rd, value as $extend as i32 as u32);
            }};
        }
        macro_rules! store {
            ($i:ident, $width:ident, $address:expr) => {{
                let address = $address;
                let value = self.get($i.rd);
                if !self.store_fast(bus, address, cyclescope_machine::Width::$width, value) {
                    let index = index!();
                    let width = cyclescope_machine::Width::$width;
                    match self.store_slow(bus, block, index, address, width, value) {
                        Ok(false) => {}
                        Ok(true) => return self.leave_after(block, index),
                        Err(fault) => return self.leave_at(block, index, fault),
                    }
                }
            }};
        }
        macro_rules! multiple {
            ($method:ident, $i:ident) => {{
                let index = index!();
                match self.$method(bus, block, index, $i) {
                    Ok(false) => {}
                    Ok(true) => return self.leave_after(block, index),
                    Err(fault) => return self.leave_at(block, index, fault),
                }
            }};
        }
        macro_rules! branch_if {
            ($i:ident, $condition:expr) => {
                if $condition {
                    self.r[Reg::Pc as usize] = $i.imm;
                    self.now += self.taken_extra;
                }
            };
        }

        while let Some(i) = rest.next() {
            match i.op {
                Op::MovReg => self.mov(i.rd, self.get(i.rm)),
                Op::MovImm => self.mov(i.rd, i.imm),
                Op::LslImm => self.lsl_imm(i),
                Op::LsrImm => self.lsr_imm(i),
                Op::AsrImm => self.asr_imm(i),
                Op::LslReg => self.lsl_reg(i),
                Op::LsrReg => self.lsr_reg(i),
                Op::AsrReg => self.asr_reg(i),
                Op::RorReg => self.ror_reg(i),
                Op::AddReg => self.add(i.rd, self.get(i.rn), self.get(i.rm)),
                Op::AddImm => self.add(i.rd, self.get(i.rn), i.imm),
                Op::AdcReg => self.adc(i.rd, self.get(i.rn), self.get(i.rm)),
                Op::SubReg => self.sub(i.rd, self.get(i.rn), self.get(i.rm)),
                Op::SubImm => self.sub(i.rd, self.get(i.rn), i.imm),
                Op::SbcReg => self.adc(i.rd, self.get(i.rn), !self.get(i.rm)),
                Op::RsbZero => self.sub(i.rd, 0, self.get(i.rm)),
                Op::CmpReg => self.cmp(self.get(i.rn), self.get(i.rm)),
                Op::CmpImm => self.cmp(self.get(i.rn), i.imm),
                Op::CmnReg => self.cmn(self.get(i.rn), self.get(i.rm)),
                Op::Mul => self.mov(i.rd, self.get(i.rn).wrapping_mul(self.get(i.rm))),
                Op::AndReg => self.mov(i.rd, self.get(i.rn) & self.get(i.rm)),
                Op::EorReg => self.mov(i.rd, self.get(i.rn) ^ self.get(i.rm)),
                Op::OrrReg => self.mov(i.rd, self.get(i.rn) | self.get(i.rm)),
                Op::BicReg => self.mov(i.rd, self.get(i.rn) & !self.get(i.rm)),
                Op::MvnReg => self.mov(i.rd, !self.get(i.rm)),
                Op::TstReg => self.test(self.get(i.rn) & self.get(i.rm)),
                Op::AddHigh => self.add_high(i),
                Op::AddOffset => self.set(i.rd, self.get(i.rn).wrapping_add(i.imm)),
                Op::AddSp => self.set_sp(self.get(Reg::Sp).wrapping_add(i.imm)),
                Op::SubSp => self.push_to(self.get(Reg::Sp).wrapping_sub(i.imm)),
                Op::MovHigh => self.set(i.rd, self.get(i.rm)),
                Op::MovSp => self.push_to(self.get(i.rm)),
                Op::Constant => self.set(i.rd, i.imm),
                Op::AddConstant => self.add_constant(i),
                Op::Sxth => self.set(i.rd, self.get(i.rm) as i16 as u32),
                Op::Sxtb => self.set(i.rd, self.get(i.rm) as i8 as u32),
                Op::Uxth => self.set(i.rd, self.get(i.rm) & 0xFFFF),
                Op::Uxtb => self.set(i.rd, self.get(i.rm) & 0xFF),
                Op::Rev => self.set(i.rd, self.get(i.rm).swap_bytes()),
                Op::Rev16 => self.set(i.rd, self.get(i.rm).swap_bytes().rotate_left(16)),
                Op::Revsh => self.set(i.rd, (self.get(i.rm) as u16).swap_bytes() as i16 as u32),

                Op::LdrImm => load!(i, Word, self.get(i.rn).wrapping_add(i.imm), u32),
                Op::LdrhImm => load!(i, Half, self.get(i.rn).wrapping_add(i.imm), u16),
                Op::LdrbImm => load!(i, Byte, self.get(i.rn).wrapping_add(i.imm), u8),
                Op::StrImm => store!(i, Word, self.get(i.rn).wrapping_add(i.imm)),
                Op::StrhImm => store!(i, Half, self.get(i.rn).wrapping_add(i.imm)),
                Op::StrbImm => store!(i, Byte, self.get(i.rn).wrapping_add(i.imm)),
                Op::LdrReg => load!(i, Word, self.get(i.rn).wrapping_add(self.get(i.rm)), u32),
                Op::LdrhReg => load!(i, Half, self.get(i.rn).wrapping_add(self.get(i.rm)), u16),
                Op::LdrbReg => load!(i, Byte, self.get(i.rn).wrapping_add(self.get(i.rm)), u8),
                Op::LdrshReg => load!(i, Half, self.get(i.rn).wrapping_add(self.get(i.rm)), i16),
                Op::LdrsbReg => load!(i, Byte, self.get(i.rn).wrapping_add(self.get(i.rm)), i8),
                Op::StrReg => store!(i, Word, self.get(i.rn).wrapping_add(self.get(i.rm))),
                Op::StrhReg => store!(i, Half, self.get(i.rn).wrapping_add(self.get(i.rm))),
                Op::StrbReg => store!(i, Byte, self.get(i.rn).wrapping_add(self.get(i.rm))),
                Op::LdrLiteral => load!(i, Word, i.imm, u32),
                Op::FlashConstant => {
                    self.set(i.rd, i.imm);
                    self.stall_data(bus, self.starts_at(block, index!()));
                }
                Op::FetchLine => self.stall_fetch(bus, block, index!(), i.imm),
                Op::Ldm => multiple!(ldm, i),
                Op::Stm => multiple!(stm, i),
                Op::Push => multiple!(push, i),
                Op::Pop => multiple!(pop, i),
                Op::PopPc => {
                    let index = index!();
                    return match self.pop_pc(bus, block, index, i) {
                        Ok(target) => self.complete(block, |cpu| cpu.branch_exchange(target)),
                        Err(fault) => self.leave_at(block, index, fault),
                    };
                }

                Op::B => self.r[Reg::Pc as usize] = i.imm,
                Op::Beq => branch_if!(i, self.z == 0),
                Op::Bne => branch_if!(i, self.z != 0),
                Op::Bcs => branch_if!(i, self.c),
                Op::Bcc => branch_if!(i, !self.c),
                Op::Bmi => branch_if!(i, (self.n as i32) < 0),
                Op::Bpl => branch_if!(i, (self.n as i32) >= 0),
                Op::Bvs => branch_if!(i, self.v),
                Op::Bvc => branch_if!(i, !self.v),
                Op::Bhi => branch_if!(i, self.c && self.z != 0),
                Op::Bls => branch_if!(i, !self.c || self.z == 0),
                Op::Bge => branch_if!(i, ((self.n as i32) < 0) == self.v),
                Op::Blt => branch_if!(i, ((self.n as i32) < 0) != self.v),
                Op::Bgt => branch_if!(i, self.z != 0 && ((self.n as i32) < 0) == self.v),
                Op::Ble => branch_if!(i, self.z == 0 || ((self.n as i32) < 0) != self.v),
                Op::Bl => self.bl(i),
                Op::Bx => return self.complete(block, |cpu| cpu.bx(i)),
                Op::Blx => self.blx(i),
                Op::AddPc => self.add_pc(i),
                Op::MovPc => self.branch(self.get(i.rm)),

                Op::Nop | Op::Yield | Op::Dsb | Op::Dmb | Op::Isb => {}
                Op::Sev => self.event = true,
                Op::Cps => self.cps(i),
                Op::Mrs => self.mrs(i),
                Op::Msr => self.msr(i),
                Op::Wfe => return self.complete(block, |_| Exit::Wait(true)),
                Op::Wfi => return self.complete(block, |_| Exit::Wait(false)),
                Op::Svc => return self.complete(block, |_| Exit::SupervisorCall),
                Op::Bkpt => {
                    let pc = block.places[index!()].pc;
                    let number = i.imm as u8;
                    return self.complete(block, |cpu| {
                        cpu.r[Reg::Pc as usize] = pc;
                        Exit::Breakpoint(number)
                    });
                }
                Op::Udf | Op::Undefined | Op::Adr => {
                    let fault = Fault { cause: "undefined instruction", address: None };
                    return self.leave_at(block, index!(), fault);
                }
            }
        }
        self.complete(block, |_| Exit::Next)
    }

    /// The whole block is done.
    #[inline(always)]
    fn complete(&mut self, block: &Block, end: impl FnOnce(&mut Self) -> Exit) -> Exit {
        self.now = self.now.wrapping_add(u64::from(block.cycles));
        self.instructions += u64::from(block.count);
        end(self)
    }

    /// The block is left after the instruction at `index`.
    #[cold]
    fn leave_after(&mut self, block: &Block, index: usize) -> Exit {
        let place = block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        self.r[Reg::Pc as usize] = place.next_pc;
        self.horizon = 0;
        Exit::Next
    }

    /// The instruction at `index` faults: it does not retire.
    #[cold]
    fn leave_at(&mut self, block: &Block, index: usize, fault: Fault) -> Exit {
        let place = block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index);
        self.r[Reg::Pc as usize] = place.pc;
        Exit::Fault(fault)
    }

    /// When the instruction at `index` begins.
    #[inline(always)]
    fn starts_at(&self, block: &Block, index: usize) -> u64 {
        self.now.wrapping_add(u64::from(block.places[index].before))
    }

    /// The fetch reaches the flash line `line`.
    #[inline(always)]
    fn stall_fetch<P: Peripherals>(&mut self, bus: &mut Bus<P>, block: &Block, index: usize, line: u32) {
        let at = self.starts_at(block, index);
        self.now += u64::from(bus.memory.flash.interface_mut().fetch(line, at));
    }

    /// A load whose first cycle is `at` reads data from flash: the array is wanted in its data phase.
    #[inline(always)]
    fn stall_data<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64) {
        let phase = self.charge(self.config.timing.data_phase);
        self.now += u64::from(bus.memory.flash.interface_mut().read_data(at + phase));
    }
}

/// Whether an instruction list needs the value of `register`.
fn in_list(i: &Instruction, register: Reg) -> bool {
    i.imm & (1 << register as u32) != 0
}
