//! The target of gdb's protocol: a [`Guest`].

use std::convert::Infallible;
use std::num::NonZeroUsize;

use cyclescope_machine::units::Address;
use gdbstub::arch::{Arch, RegId, Registers};
use gdbstub::common::{Signal, Tid};
use gdbstub::outputln;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadResume, MultiThreadResumeOps, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};

use super::guest::{Guest, Watched, Way};
use crate::commands::times;

/// No debugger needs more at a time.
const MOST_POINTS: usize = 1024;

/// Returns the thread that the core `core` is.
pub(super) fn thread(core: usize) -> Tid {
    Tid::MIN.saturating_add(core)
}

/// Any of the cores here: which registers it has is found when it is asked.
#[derive(Debug)]
pub(super) enum AnyCore {}

/// All registers, one behind the other as gdb wants them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Raw {
    bytes: Vec<u8>,
    pc: u32,
}

impl Registers for Raw {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.pc
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.bytes.iter().for_each(|byte| write_byte(Some(*byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.bytes = bytes.to_vec();
        Ok(())
    }
}

/// A register by its place among those that gdb was told of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        Some((Self(id), None))
    }
}

impl Arch for AnyCore {
    type Usize = u32;
    type Registers = Raw;
    type BreakpointKind = usize;
    type RegId = Number;
}

impl Target for Guest<'_, '_> {
    type Arch = AnyCore;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, AnyCore, Infallible> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(&mut self) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for Guest<'_, '_> {
    fn read_registers(&mut self, registers: &mut Raw, tid: Tid) -> TargetResult<(), Self> {
        let core = self.core_of(tid)?;
        registers.bytes.clear();
        for place in 0..self.layout.registers.len() {
            let register = self.layout.registers[place];
            registers.bytes.extend(self.read(core, register));
        }
        registers.pc = self.shown_pc(core);
        Ok(())
    }

    fn write_registers(&mut self, registers: &Raw, tid: Tid) -> TargetResult<(), Self> {
        let core = self.core_of(tid)?;
        let mut rest = registers.bytes.as_slice();
        for register in self.layout.registers.clone() {
            let (bytes, behind) = rest.split_at_checked(register.bytes()).ok_or(TargetError::NonFatal)?;
            // What cannot be written is left as it is: gdb writes all of them where it means one.
            if self.read(core, register) != bytes {
                self.write(core, register, bytes);
            }
            rest = behind;
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        match self.machine.peek(Address::new(start), data) {
            0 if !data.is_empty() => Err(TargetError::NonFatal),
            count => Ok(count),
        }
    }

    fn write_addrs(&mut self, start: u32, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        let written = self.machine.poke(Address::new(start), data);
        if written == data.len() { Ok(()) } else { Err(TargetError::NonFatal) }
    }

    fn list_active_threads(&mut self, thread_is_active: &mut dyn FnMut(Tid)) -> Result<(), Infallible> {
        (0..self.machine.cores()).for_each(|core| thread_is_active(thread(core)));
        Ok(())
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        if self.machine.cores() > 1 { Some(self) } else { None }
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<Tid> for Guest<'_, '_> {
    fn read_register(&mut self, tid: Tid, Number(number): Number, buf: &mut [u8]) -> TargetResult<usize, Self> {
        let core = self.core_of(tid)?;
        let register = *self.layout.registers.get(number).ok_or(TargetError::NonFatal)?;
        let bytes = self.read(core, register);
        buf.get_mut(..bytes.len()).ok_or(TargetError::NonFatal)?.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(&mut self, tid: Tid, Number(number): Number, value: &[u8]) -> TargetResult<(), Self> {
        let core = self.core_of(tid)?;
        let register = *self.layout.registers.get(number).ok_or(TargetError::NonFatal)?;
        if self.write(core, register, value) { Ok(()) } else { Err(TargetError::NonFatal) }
    }
}

impl ThreadExtraInfo for Guest<'_, '_> {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> Result<usize, Infallible> {
        let name = format!("core {}", tid.get() - 1);
        let count = name.len().min(buf.len());
        buf[..count].copy_from_slice(&name.as_bytes()[..count]);
        Ok(count)
    }
}

impl MultiThreadResume for Guest<'_, '_> {
    fn resume(&mut self) -> Result<(), Infallible> {
        let way = self.steps.map_or(Way::Continue, Way::Step);
        self.go(way);
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Infallible> {
        self.steps = None;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        Ok(())
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

/// No core stands still while another goes on: time passes for all.
impl MultiThreadSchedulerLocking for Guest<'_, '_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl MultiThreadSingleStep for Guest<'_, '_> {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        self.steps = self.core_of(tid).ok();
        Ok(())
    }
}

impl Breakpoints for Guest<'_, '_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl Guest<'_, '_> {
    /// Returns the core that is the thread `tid`.
    fn core_of(&self, tid: Tid) -> TargetResult<usize, Self> {
        Some(tid.get() - 1).filter(|core| *core < self.machine.cores()).ok_or(TargetError::NonFatal)
    }

    fn add(&mut self, address: u32) -> bool {
        let room = self.breakpoints.len() < MOST_POINTS;
        if room {
            self.breakpoints.push(address & !1);
        }
        room
    }

    fn remove(&mut self, address: u32) -> bool {
        let place = self.breakpoints.iter().position(|known| *known == address & !1);
        place.map(|place| self.breakpoints.swap_remove(place)).is_some()
    }
}

/// Both kinds are the same here: no byte of the guest's code is changed, so that it takes the time it always takes.
impl SwBreakpoint for Guest<'_, '_> {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add(address))
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove(address))
    }
}

impl HwBreakpoint for Guest<'_, '_> {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add(address))
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove(address))
    }
}

impl HwWatchpoint for Guest<'_, '_> {
    fn add_hw_watchpoint(&mut self, address: u32, bytes: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let room = self.watched.len() < MOST_POINTS;
        if room {
            self.watched.push(Watched { address, bytes: bytes.max(1), kind });
        }
        Ok(room)
    }

    fn remove_hw_watchpoint(&mut self, address: u32, bytes: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let watched = Watched { address, bytes: bytes.max(1), kind };
        let place = self.watched.iter().position(|known| *known == watched);
        Ok(place.map(|place| self.watched.swap_remove(place)).is_some())
    }
}

impl MonitorCmd for Guest<'_, '_> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Infallible> {
        match String::from_utf8_lossy(command).trim() {
            "cycles" => outputln!(out, "{}", self.machine.now().get()),
            "instructions" => outputln!(out, "{}", self.machine.instructions().get()),
            "clock" => outputln!(out, "{} Hz", self.machine.clock().get()),
            "gaps" => {
                for gap in self.machine.gaps() {
                    outputln!(out, "{} ({}, first at pc {})", gap.name, times(gap.count), gap.pc);
                }
            }
            "why" => outputln!(out, "{}", self.why()),
            "backtrace" => {
                for line in self.backtrace() {
                    outputln!(out, "{line}");
                }
            }
            _ => {
                outputln!(out, "cycles        since reset");
                outputln!(out, "instructions  retired since reset");
                outputln!(out, "clock         of the core, now");
                outputln!(out, "why           it stands where it stands");
                outputln!(out, "backtrace     as `exec` shows it where a guest faults");
                outputln!(out, "gaps          what the model lacks of what was touched");
            }
        }
        Ok(())
    }
}

impl TargetDescriptionXmlOverride for Guest<'_, '_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.layout.xml.as_bytes().get(from..).unwrap_or_default();
        let count = rest.len().min(length).min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
