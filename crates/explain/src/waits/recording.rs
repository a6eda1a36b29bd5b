//! Reads perf's recording of a run: the stack with which each thread left its processor, and for how long.

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use linux_perf_data::linux_perf_event_reader::{
    CommonData, ContextSwitchRecord, EventRecord, Mmap2Record, RawEventRecord, SampleRecord, TaskWasPreempted,
};
use linux_perf_data::{PerfFileReader, PerfFileRecord};

use super::bounds;
use super::program::{Cache, Files, Map, Place, Registers};
use super::runtimes::{Frame, classify};
use super::{Sum, Waits};
use crate::source::Unavailable;

/// Memory that may hold code (mmap(2)).
const PROT_EXEC: u32 = 4;

/// Reads a recording of perf.
///
/// # Errors
/// [`Unavailable::Incomplete`] if it is none, or not of a whole run.
pub(super) fn read(mut recording: impl Read + Seek) -> Result<Waits, Unavailable> {
    let incomplete = |error: &dyn std::fmt::Display| Unavailable::Incomplete(format!("perf's recording: {error}"));
    bounds::check(&mut recording).map_err(|error| incomplete(&error))?;
    let PerfFileReader { mut perf_file, mut record_iter } =
        PerfFileReader::parse_file(recording).map_err(|error| incomplete(&error))?;
    let mut state = Recording::default();
    while let Some(record) = record_iter.next_record(&mut perf_file).map_err(|error| incomplete(&error))? {
        if let PerfFileRecord::EventRecord { record, .. } = record {
            state.take(&record).map_err(|error| incomplete(&error))?;
        }
    }
    if state.lost > 0 {
        return Err(Unavailable::Incomplete(format!("perf lost {} switches of threads", state.lost)));
    }
    Ok(state.finish())
}

/// A thread's stack when it left its processor.
struct Left {
    process: i32,
    ip: u64,
    registers: Registers,
    from: u64,
    stack: Vec<u8>,
}

/// A thread that waits, since a moment, with its stack's number.
#[derive(Clone, Copy)]
struct Off {
    since: u64,
    stack: usize,
}

#[derive(Default)]
struct Recording {
    files: Files,
    cache: Cache,
    maps: HashMap<i32, Rc<Map>>,
    left: HashMap<i32, Left>,
    off: HashMap<i32, Off>,
    numbers: HashMap<(Vec<Place>, bool), usize>,
    sums: Vec<Sum>,
    samples: u64,
    lost: u64,
}

impl Recording {
    fn take(&mut self, raw: &RawEventRecord<'_>) -> Result<(), std::io::Error> {
        match raw.parse()? {
            EventRecord::Sample(sample) => self.sample(&sample),
            EventRecord::ContextSwitch(switch) => {
                let CommonData { tid: Some(thread), timestamp: Some(at), .. } = raw.common_data()? else {
                    return Ok(());
                };
                match switch {
                    ContextSwitchRecord::Out { preempted: TaskWasPreempted::No, .. } => self.leaves(thread, at),
                    ContextSwitchRecord::Out { .. } => _ = self.left.remove(&thread),
                    ContextSwitchRecord::In { .. } => self.returns(thread, at),
                }
            }
            EventRecord::Mmap2(map) if map.protection & PROT_EXEC != 0 => self.map(&map),
            EventRecord::Mmap(map) if map.is_executable => {
                let path = PathBuf::from(String::from_utf8_lossy(&map.path.as_slice()).into_owned());
                let of = Rc::make_mut(self.maps.entry(map.pid).or_default());
                of.add(&mut self.files, &path, map.address, map.length, map.page_offset);
            }
            EventRecord::Comm(comm) if comm.is_execve => _ = self.maps.remove(&comm.pid),
            EventRecord::Fork(fork) if fork.pid != fork.ppid => {
                if let Some(map) = self.maps.get(&fork.ppid).cloned() {
                    self.maps.insert(fork.pid, map);
                }
            }
            EventRecord::Exit(exit) => {
                self.left.remove(&exit.tid);
                self.off.remove(&exit.tid);
            }
            EventRecord::Lost(lost) => self.lost = self.lost.saturating_add(lost.count.max(1)),
            _ => {}
        }
        Ok(())
    }

    fn map(&mut self, map: &Mmap2Record<'_>) {
        let path = PathBuf::from(String::from_utf8_lossy(&map.path.as_slice()).into_owned());
        let of = Rc::make_mut(self.maps.entry(map.pid).or_default());
        of.add(&mut self.files, &path, map.address, map.length, map.page_offset);
    }

    fn sample(&mut self, sample: &SampleRecord<'_>) {
        self.samples += 1;
        let (Some(process), Some(thread), Some(registers)) = (sample.pid, sample.tid, &sample.user_regs) else {
            return;
        };
        let Some((ip, registers, from)) = native(registers) else { return };
        let stack = sample.user_stack.as_ref().map_or_else(Vec::new, |(data, size)| {
            let mut bytes = data.as_slice().into_owned();
            bytes.truncate(usize::try_from(*size).unwrap_or(usize::MAX));
            bytes
        });
        self.left.insert(thread, Left { process, ip, registers, from, stack });
    }

    fn leaves(&mut self, thread: i32, at: u64) {
        let stack = self.left.remove(&thread).map_or((Vec::new(), false), |left| {
            let Some(map) = self.maps.get(&left.process) else { return (Vec::new(), false) };
            let mut read = |address: u64| {
                let from = usize::try_from(address.checked_sub(left.from).ok_or(())?).map_err(drop)?;
                let bytes = left.stack.get(from..).and_then(|rest| rest.first_chunk()).ok_or(())?;
                Ok(u64::from_ne_bytes(*bytes))
            };
            map.unwind(&mut self.cache, left.ip, left.registers, &mut read)
        });
        let next = self.numbers.len();
        let stack = *self.numbers.entry(stack).or_insert(next);
        self.off.insert(thread, Off { since: at, stack });
    }

    fn returns(&mut self, thread: i32, at: u64) {
        let Some(off) = self.off.remove(&thread) else { return };
        if self.sums.len() <= off.stack {
            self.sums.resize(off.stack + 1, Sum::default());
        }
        self.sums[off.stack].add(Duration::from_nanos(at.saturating_sub(off.since)));
    }

    fn finish(mut self) -> Waits {
        let mut waits = Waits { switches: self.samples, ..Waits::default() };
        for ((places, whole), number) in self.numbers {
            let Some(sum) = self.sums.get(number).filter(|sum| sum.times > 0) else { continue };
            let mut frames: Vec<Frame> = Vec::new();
            for place in places {
                frames.extend(self.files.frames(place).iter().cloned());
            }
            let (runtime, state, place) = classify(&frames, whole);
            waits.states.entry((runtime, state)).or_default().merge(sum);
            if let (Some(runtime), Some(place)) = (runtime, place) {
                waits.blocks.entry((runtime, place)).or_default().merge(sum);
            }
        }
        waits
    }
}

/// Returns the instruction, what unwinding needs, and the stack's address.
#[cfg(target_arch = "aarch64")]
fn native(registers: &linux_perf_data::linux_perf_event_reader::Regs<'_>) -> Option<(u64, Registers, u64)> {
    use linux_perf_data::linux_perf_event_reader::constants::{
        PERF_REG_ARM64_LR, PERF_REG_ARM64_PC, PERF_REG_ARM64_SP, PERF_REG_ARM64_X29,
    };
    let (ip, stack) = (registers.get(PERF_REG_ARM64_PC)?, registers.get(PERF_REG_ARM64_SP)?);
    let (link, frame) = (registers.get(PERF_REG_ARM64_LR)?, registers.get(PERF_REG_ARM64_X29)?);
    // 48 bits of address; above them a return address may be signed.
    let mask = framehop::aarch64::PtrAuthMask::from_max_known_address((1 << 48) - 1);
    Some((ip, Registers::new_with_ptr_auth_mask(mask, link, stack, frame), stack))
}

/// Returns the instruction, what unwinding needs, and the stack's address.
#[cfg(not(target_arch = "aarch64"))]
fn native(registers: &linux_perf_data::linux_perf_event_reader::Regs<'_>) -> Option<(u64, Registers, u64)> {
    use linux_perf_data::linux_perf_event_reader::constants::{PERF_REG_X86_BP, PERF_REG_X86_IP, PERF_REG_X86_SP};
    let (ip, stack) = (registers.get(PERF_REG_X86_IP)?, registers.get(PERF_REG_X86_SP)?);
    Some((ip, Registers::new(ip, stack, registers.get(PERF_REG_X86_BP)?), stack))
}
