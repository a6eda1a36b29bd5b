//! What instructions do. No cycle number stands here: bodies touch registers and memory, and where control or time
//! depends on data they say which row applies.
//!
//! A block is a row of [`Step`]s. Each step's handler ends by calling the next step's, so that every handler has a jump of
//! its own, which the host predicts far better than one shared by all; a chain is as long as its block and no longer.
//! Loads and stores try RAM first; everything else (flash tables, peripherals, the system control space, faults) goes
//! through the slow path in [`memory`], which knows the exact cycle. After an access to a register the block is left,
//! since anything may have changed.

mod alu;
mod branch;
mod memory;
mod system;

use cyclescope_machine::{Bus, Peripherals, Width};

use crate::code::{Block, FetchedLine};
use crate::cpu::{Cpu, Fault};
use crate::decode::{Instruction, Op, Reg};

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `r[15]` says where to go on.
    Next,
    /// With `Cpu::fault` at `r[15]`.
    Fault,
    /// With a branch to the EXC_RETURN value in `Cpu::detail`.
    ExceptionReturn,
    /// With SVC.
    SupervisorCall,
    /// With BKPT at `r[15]`, its immediate in `Cpu::detail`.
    Breakpoint,
    /// With WFE.
    WaitForEvent,
    /// With WFI.
    WaitForInterrupt,
}

/// Carries out one step and those after it.
pub type Handler<P> = fn(&mut Cpu, &mut Bus<P>, &Block<P>, &Step<P>, &[Step<P>]) -> Exit;

/// One instruction of a block and what carries it out.
pub struct Step<P> {
    run: Handler<P>,
    /// Its operands.
    pub i: Instruction,
}

impl<P> Clone for Step<P> {
    fn clone(&self) -> Self {
        Self { run: self.run, i: self.i }
    }
}

impl<P> std::fmt::Debug for Step<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.i.fmt(f)
    }
}

impl<P: Peripherals> Step<P> {
    /// The step that carries out `i`.
    pub fn new(i: Instruction) -> Self {
        Self { run: handler(i.op), i }
    }
}

/// Goes on with the steps in `rest`, or ends the block.
#[inline(always)]
fn next<P: Peripherals>(cpu: &mut Cpu, bus: &mut Bus<P>, block: &Block<P>, rest: &[Step<P>]) -> Exit {
    match rest {
        [step, rest @ ..] => (step.run)(cpu, bus, block, step, rest),
        [] => cpu.complete(block, Exit::Next),
    }
}

/// The place in `block` of the step that is followed by `rest`.
#[inline(always)]
fn index<P>(block: &Block<P>, rest: &[Step<P>]) -> usize {
    block.steps.len() - rest.len() - 1
}

/// The handler of `op`.
#[allow(clippy::too_many_lines)] // One row an operation, like the manual's table.
fn handler<P: Peripherals>(op: Op) -> Handler<P> {
    /// Touches registers only.
    macro_rules! plain {
        (|$cpu:ident, $i:ident| $body:expr) => {
            |$cpu, bus, block, step, rest| {
                let $i = &step.i;
                $body;
                next($cpu, bus, block, rest)
            }
        };
    }
    /// The last step of its block.
    macro_rules! last {
        (|$cpu:ident, $i:ident| $body:expr) => {
            |$cpu, _, block, step, _| {
                let $i = &step.i;
                let exit = $body;
                $cpu.complete(block, exit)
            }
        };
    }
    macro_rules! load {
        ($width:ident, $extend:ty, |$cpu:ident, $i:ident| $address:expr) => {
            |$cpu, bus, block, step, rest| {
                let $i = &step.i;
                let address = $address;
                match $cpu.load_fast(bus, address, Width::$width) {
                    Some(value) => $cpu.set($i.rd, value as $extend as i32 as u32),
                    None => match $cpu.load_slow(bus, block, index(block, rest), address, Width::$width) {
                        Ok((value, touched)) => {
                            $cpu.set($i.rd, value as $extend as i32 as u32);
                            if touched {
                                return $cpu.leave_after(block, index(block, rest));
                            }
                        }
                        Err(fault) => return $cpu.leave_at(block, index(block, rest), fault),
                    },
                }
                next($cpu, bus, block, rest)
            }
        };
    }
    macro_rules! store {
        ($width:ident, |$cpu:ident, $i:ident| $address:expr) => {
            |$cpu, bus, block, step, rest| {
                let $i = &step.i;
                let (address, value) = ($address, $cpu.get($i.rd));
                if !$cpu.store_fast(bus, address, Width::$width, value) {
                    match $cpu.store_slow(bus, block, index(block, rest), address, Width::$width, value) {
                        Ok(false) => {}
                        Ok(true) => return $cpu.leave_after(block, index(block, rest)),
                        Err(fault) => return $cpu.leave_at(block, index(block, rest), fault),
                    }
                }
                next($cpu, bus, block, rest)
            }
        };
    }
    macro_rules! multiple {
        ($method:ident) => {
            |cpu, bus, block, step, rest| match cpu.$method(bus, block, index(block, rest), &step.i) {
                Ok(false) => next(cpu, bus, block, rest),
                Ok(true) => cpu.leave_after(block, index(block, rest)),
                Err(fault) => cpu.leave_at(block, index(block, rest), fault),
            }
        };
    }
    macro_rules! branch_if {
        (|$cpu:ident| $condition:expr) => {
            last!(|$cpu, i| {
                if $condition {
                    $cpu.r[Reg::Pc as usize] = i.imm;
                    $cpu.now += $cpu.taken_extra;
                }
                Exit::Next
            })
        };
    }
    match op {
        Op::MovReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rm))),
        Op::MovImm => plain!(|cpu, i| cpu.mov(i.rd, i.imm)),
        Op::LslImm => plain!(|cpu, i| cpu.lsl_imm(i)),
        Op::LsrImm => plain!(|cpu, i| cpu.lsr_imm(i)),
        Op::AsrImm => plain!(|cpu, i| cpu.asr_imm(i)),
        Op::LslReg => plain!(|cpu, i| cpu.lsl_reg(i)),
        Op::LsrReg => plain!(|cpu, i| cpu.lsr_reg(i)),
        Op::AsrReg => plain!(|cpu, i| cpu.asr_reg(i)),
        Op::RorReg => plain!(|cpu, i| cpu.ror_reg(i)),
        Op::AddReg => plain!(|cpu, i| cpu.add(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::AddImm => plain!(|cpu, i| cpu.add(i.rd, cpu.get(i.rn), i.imm)),
        Op::AdcReg => plain!(|cpu, i| cpu.adc(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::SubReg => plain!(|cpu, i| cpu.sub(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::SubImm => plain!(|cpu, i| cpu.sub(i.rd, cpu.get(i.rn), i.imm)),
        Op::SbcReg => plain!(|cpu, i| cpu.adc(i.rd, cpu.get(i.rn), !cpu.get(i.rm))),
        Op::RsbZero => plain!(|cpu, i| cpu.sub(i.rd, 0, cpu.get(i.rm))),
        Op::CmpReg => plain!(|cpu, i| cpu.cmp(cpu.get(i.rn), cpu.get(i.rm))),
        Op::CmpImm => plain!(|cpu, i| cpu.cmp(cpu.get(i.rn), i.imm)),
        Op::CmnReg => plain!(|cpu, i| cpu.cmn(cpu.get(i.rn), cpu.get(i.rm))),
        Op::Mul => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn).wrapping_mul(cpu.get(i.rm)))),
        Op::AndReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) & cpu.get(i.rm))),
        Op::EorReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) ^ cpu.get(i.rm))),
        Op::OrrReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) | cpu.get(i.rm))),
        Op::BicReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) & !cpu.get(i.rm))),
        Op::MvnReg => plain!(|cpu, i| cpu.mov(i.rd, !cpu.get(i.rm))),
        Op::TstReg => plain!(|cpu, i| cpu.test(cpu.get(i.rn) & cpu.get(i.rm))),
        Op::AddHigh => plain!(|cpu, i| cpu.add_high(i)),
        Op::AddOffset => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rn).wrapping_add(i.imm))),
        Op::AddSp => plain!(|cpu, i| cpu.set_sp(cpu.get(Reg::Sp).wrapping_add(i.imm))),
        Op::SubSp => plain!(|cpu, i| cpu.push_to(cpu.get(Reg::Sp).wrapping_sub(i.imm))),
        Op::MovHigh => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm))),
        Op::MovSp => plain!(|cpu, i| cpu.push_to(cpu.get(i.rm))),
        Op::Constant => plain!(|cpu, i| cpu.set(i.rd, i.imm)),
        Op::AddConstant => plain!(|cpu, i| cpu.add_constant(i)),
        Op::Sxth => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) as i16 as u32)),
        Op::Sxtb => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) as i8 as u32)),
        Op::Uxth => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) & 0xFFFF)),
        Op::Uxtb => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) & 0xFF)),
        Op::Rev => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).swap_bytes())),
        Op::Rev16 => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).swap_bytes().rotate_left(16))),
        Op::Revsh => plain!(|cpu, i| cpu.set(i.rd, (cpu.get(i.rm) as u16).swap_bytes() as i16 as u32)),

        Op::LdrImm => load!(Word, u32, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrhImm => load!(Half, u16, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrbImm => load!(Byte, u8, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::StrImm => store!(Word, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::StrhImm => store!(Half, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::StrbImm => store!(Byte, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrReg => load!(Word, u32, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrhReg => load!(Half, u16, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrbReg => load!(Byte, u8, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrshReg => load!(Half, i16, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrsbReg => load!(Byte, i8, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::StrReg => store!(Word, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::StrhReg => store!(Half, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::StrbReg => store!(Byte, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrLiteral => load!(Word, u32, |cpu, i| i.imm),
        Op::FlashConstant => |cpu, bus, block, step, rest| {
            cpu.set(step.i.rd, step.i.imm);
            cpu.stall_data(bus, cpu.starts_at(block, index(block, rest)));
            next(cpu, bus, block, rest)
        },
        Op::FetchLine => |cpu, bus, block, step, rest| {
            cpu.stall_fetch(bus, step.i.imm);
            next(cpu, bus, block, rest)
        },
        Op::Ldm => multiple!(ldm),
        Op::Stm => multiple!(stm),
        Op::Push => multiple!(push),
        Op::Pop => multiple!(pop),
        Op::PopPc => |cpu, bus, block, step, rest| match cpu.pop_pc(bus, block, index(block, rest), &step.i) {
            Ok(target) => {
                let exit = cpu.branch_exchange(target);
                cpu.complete(block, exit)
            }
            Err(fault) => cpu.leave_at(block, index(block, rest), fault),
        },

        Op::B => last!(|cpu, i| {
            cpu.r[Reg::Pc as usize] = i.imm;
            Exit::Next
        }),
        Op::Beq => branch_if!(|cpu| cpu.zero()),
        Op::Bne => branch_if!(|cpu| !cpu.zero()),
        Op::Bcs => branch_if!(|cpu| cpu.c),
        Op::Bcc => branch_if!(|cpu| !cpu.c),
        Op::Bmi => branch_if!(|cpu| cpu.nz < 0),
        Op::Bpl => branch_if!(|cpu| cpu.nz >= 0),
        Op::Bvs => branch_if!(|cpu| cpu.v),
        Op::Bvc => branch_if!(|cpu| !cpu.v),
        Op::Bhi => branch_if!(|cpu| cpu.c && !cpu.zero()),
        Op::Bls => branch_if!(|cpu| !cpu.c || cpu.zero()),
        Op::Bge => branch_if!(|cpu| (cpu.nz < 0) == cpu.v),
        Op::Blt => branch_if!(|cpu| (cpu.nz < 0) != cpu.v),
        Op::Bgt => branch_if!(|cpu| !cpu.zero() && (cpu.nz < 0) == cpu.v),
        Op::Ble => branch_if!(|cpu| cpu.zero() || (cpu.nz < 0) != cpu.v),
        Op::Bl => last!(|cpu, i| {
            cpu.bl(i);
            Exit::Next
        }),
        Op::Bx => last!(|cpu, i| cpu.bx(i)),
        Op::Blx => last!(|cpu, i| {
            cpu.blx(i);
            Exit::Next
        }),
        Op::AddPc => last!(|cpu, i| {
            cpu.add_pc(i);
            Exit::Next
        }),
        Op::MovPc => last!(|cpu, i| {
            cpu.branch(cpu.get(i.rm));
            Exit::Next
        }),

        Op::Nop | Op::Yield | Op::Dsb | Op::Dmb | Op::Isb => |cpu, bus, block, _, rest| next(cpu, bus, block, rest),
        Op::Sev => plain!(|cpu, _i| cpu.event = true),
        Op::Cps => plain!(|cpu, i| cpu.cps(i)),
        Op::Mrs => plain!(|cpu, i| cpu.mrs(i)),
        Op::Msr => plain!(|cpu, i| cpu.msr(i)),
        Op::Wfe => last!(|cpu, _i| Exit::WaitForEvent),
        Op::Wfi => last!(|cpu, _i| Exit::WaitForInterrupt),
        Op::Svc => last!(|cpu, _i| Exit::SupervisorCall),
        Op::Bkpt => last!(|cpu, i| {
            cpu.detail = i.imm;
            cpu.r[Reg::Pc as usize] = cpu.r[Reg::Pc as usize].wrapping_sub(2);
            Exit::Breakpoint
        }),
        Op::Udf | Op::Undefined | Op::Adr => |cpu, _, block, _, rest| {
            let fault = Fault { cause: "undefined instruction", address: None };
            cpu.leave_at(block, index(block, rest), fault)
        },
    }
}

impl Cpu {
    /// Runs `block` to its end or until it must be left.
    #[inline(always)]
    pub fn execute<P: Peripherals>(&mut self, bus: &mut Bus<P>, block: &Block<P>) -> Exit {
        self.r[Reg::Pc as usize] = block.next_pc;
        next(self, bus, block, &block.steps)
    }

    /// The whole block is done.
    #[inline(always)]
    fn complete<P>(&mut self, block: &Block<P>, exit: Exit) -> Exit {
        self.now = self.now.wrapping_add(u64::from(block.cycles));
        self.instructions += u64::from(block.count);
        exit
    }

    /// The block is left after the instruction at `index`.
    #[cold]
    fn leave_after<P>(&mut self, block: &Block<P>, index: usize) -> Exit {
        let place = block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        self.r[Reg::Pc as usize] = place.next_pc;
        self.horizon = 0;
        Exit::Next
    }

    /// The instruction at `index` faults: it does not retire.
    #[cold]
    fn leave_at<P>(&mut self, block: &Block<P>, index: usize, fault: Fault) -> Exit {
        let place = block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index);
        self.r[Reg::Pc as usize] = place.pc;
        self.fault = fault;
        Exit::Fault
    }

    /// When the instruction at `index` begins.
    #[inline(always)]
    fn starts_at<P>(&self, block: &Block<P>, index: usize) -> u64 {
        self.now.wrapping_add(u64::from(block.places[index].before))
    }

    /// The fetch reaches a flash line: `line` is as [`FetchedLine`] packs it.
    #[inline(always)]
    fn stall_fetch<P: Peripherals>(&mut self, bus: &mut Bus<P>, line: u32) {
        let FetchedLine { number, before } = FetchedLine::unpack(line);
        let at = self.now.wrapping_add(u64::from(before));
        self.now += u64::from(bus.memory.flash.interface_mut().fetch(number, at));
    }

    /// A load whose first cycle is `at` reads data from flash: the array is wanted in its data phase.
    #[inline(always)]
    fn stall_data<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64) {
        // The row counts as used with register accesses, which tell the part that its bus rows are.
        let phase = u64::from(self.config.timing.cycles(self.config.timing.data_phase));
        self.now += u64::from(bus.memory.flash.interface_mut().read_data(at + phase));
    }
}

/// Whether an instruction list needs the value of `register`.
fn in_list(i: &Instruction, register: Reg) -> bool {
    i.imm & (1 << register as u32) != 0
}
