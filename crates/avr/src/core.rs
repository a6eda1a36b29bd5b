//! The run loop: blocks while nothing can happen, single instructions near an event, interrupts and sleep between.

use cyclescope_machine::{
    Bus, CallFrame, FaultReport, Layout, Reported, RowSet, Silent, Sink, Stop, Stride, Width, WithoutPeripherals,
};
use cyclescope_units::{Address, Cycles, Instructions};

use crate::code::{Block, Code};
use crate::cpu::{Config, Cpu, DATA_SPACE};
use crate::exec::Exit;
use crate::hooks::AvrPeripherals;

/// An AVR core with its predecoded code. Plain data: clone it to fork a run.
#[derive(Clone, Debug)]
pub struct Core<P = WithoutPeripherals> {
    cpu: Cpu,
    code: Code<P>,
    reported: Reported,
}

impl<P: AvrPeripherals> Core<P> {
    /// A core over the memory of `bus`, as after a reset at cycle 0. Its SRAM is at [`DATA_SPACE`] plus
    /// [`Config::ram_start`], its flash at 0.
    pub fn new(config: Config, bus: &Bus<P>) -> Self {
        let flash_bytes = bus.memory.flash.bytes().len() as u32;
        Self { cpu: Cpu::new(config, flash_bytes), code: Code::new(&bus.memory), reported: Reported::default() }
    }

    /// Goes to the reset vector with the core's registers at their initial values. The clock goes on.
    pub fn reset(&mut self) {
        self.reported.clear();
        self.cpu.reset();
    }

    /// Takes the state of `from`, a core of the same part, but for the addresses watched. Predecoded code is kept; what of
    /// it is stale, memory must say ([`Memory::restore_from`](cyclescope_machine::Memory::restore_from)). The rows used are
    /// those of both: code that is kept is not built again.
    pub fn restore(&mut self, from: &Self) {
        self.code.restore(&from.code);
        self.cpu.clone_from(&from.cpu);
        let code = &self.code;
        self.reported.restore(&from.reported, |address| code.watches(address));
    }

    /// Makes the run stop ([`Stop::Watch`]) whenever the instruction at `address` is about to execute.
    pub fn watch(&mut self, address: Address) {
        self.code.watch(address);
    }

    /// The addresses watched.
    pub fn watched(&self) -> &[u32] {
        self.code.watched()
    }

    /// Watches the `addresses` and no others.
    pub fn watch_only(&mut self, addresses: &[u32]) {
        self.code.watch_only(addresses);
        let code = &self.code;
        self.reported.retain(|address| code.watches(address));
    }

    /// Cycles since the first reset.
    pub fn now(&self) -> Cycles {
        Cycles::new(self.cpu.now)
    }

    /// Instructions retired since the first reset.
    pub fn instructions(&self) -> Instructions {
        Instructions::new(self.cpu.instructions)
    }

    /// The architectural state.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// The architectural state, for a debugger or a test to change between runs.
    pub fn cpu_mut(&mut self) -> &mut Cpu {
        &mut self.cpu
    }

    /// At the first instruction of a function: where it will return to.
    pub fn call_frame(&self, bus: &Bus<P>) -> CallFrame {
        let byte = |offset: u16| {
            let address = DATA_SPACE | u32::from(self.cpu.sp.wrapping_add(offset));
            bus.memory.ram.read(address, Width::Byte).unwrap_or(0)
        };
        let bytes = u16::from(self.cpu.config.pc_bytes);
        let word = (1..=bytes).fold(0, |word, offset| word << 8 | byte(offset));
        let stack_pointer = Address::new(DATA_SPACE | u32::from(self.cpu.sp));
        CallFrame { return_address: Address::new(word << 1), stack_pointer }
    }

    /// The rows of the core's timing table that this run used.
    pub fn rows_used(&self) -> RowSet {
        let mut rows = self.code.rows();
        rows.union(self.cpu.rows);
        rows
    }

    /// Runs to the first instruction boundary at or after the cycle `until`, or until something stops the run.
    pub fn run(&mut self, bus: &mut Bus<P>, until: Cycles) -> Stop {
        self.run_into(bus, until, &mut Silent)
    }

    /// The same, with every retired instruction handed to `sink`. Takes exactly the same cycles.
    pub fn run_into<S: Sink>(&mut self, bus: &mut Bus<P>, until: Cycles, sink: &mut S) -> Stop {
        self.cpu.marks.exchange(sink.layout());
        let stop = self.run_on(bus, until, sink);
        self.cpu.marks.exchange(sink.layout());
        stop
    }

    fn run_on<S: Sink>(&mut self, bus: &mut Bus<P>, until: Cycles, sink: &mut S) -> Stop {
        let until = until.get();
        self.cpu.horizon = 0;
        loop {
            if S::BLOCKS {
                self.code.agree(sink.layout());
            }
            if !self.cpu.delayed {
                let (exit, retired) = self.run_linked(bus, sink);
                if let Some(stop) = self.finish_told(bus, exit, retired, sink) {
                    return stop;
                }
            }
            if self.cpu.now >= self.cpu.horizon {
                if let Some(stop) = self.service(bus, until) {
                    return stop;
                }
            } else if let Some(stop) = self.run_carefully(bus, sink) {
                return stop;
            }
        }
    }

    /// Blocks as the sink wants them, one after the other, as long as nothing can happen by itself before each is done. How
    /// the last one ended, and for a sink of single instructions whether it retired.
    fn run_linked<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> (Exit, bool) {
        let Some(mut id) = self.code.find(self.cpu.pc, S::STRIDE) else { return (Exit::Next, true) };
        loop {
            let block = self.code.block(id);
            if block.watched || !self.fits(block) {
                return (Exit::Next, true);
            }
            let (exit, retired) = match S::STRIDE {
                Stride::Block => (self.cpu.execute(bus, block), true),
                Stride::Single => self.cpu.execute_single(bus, block, sink),
                Stride::Marked => (self.cpu.execute_marked(bus, block, sink), true),
            };
            if exit != Exit::Next {
                return (exit, retired);
            }
            let pc = self.cpu.pc;
            id = match block.successors.at(pc) {
                Some(id) => id,
                None => match self.code.link(id, pc, S::STRIDE) {
                    Some(id) => id,
                    None => return (Exit::Next, true),
                },
            };
        }
    }

    /// What a block left to be done, and then to be told of.
    #[inline(always)]
    fn finish_told<S: Sink>(&mut self, bus: &mut Bus<P>, exit: Exit, retired: bool, sink: &mut S) -> Option<Stop> {
        if exit == Exit::Next {
            return None;
        }
        let stop = self.finish(bus, exit);
        let told = match S::STRIDE {
            Stride::Block => true,
            Stride::Single => !retired,
            Stride::Marked => self.cpu.marks.ended().is_some(),
        };
        if !told {
            sink.state(self.cpu.state());
        }
        stop
    }

    /// One block where something is to be seen to: a new or watched one, one near an event, the instruction after SEI or
    /// RETI, or a single instruction for a sink.
    fn run_carefully<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> Option<Stop> {
        let pc = self.cpu.pc;
        let one = S::OBSERVES && !S::BLOCKS || self.cpu.delayed;
        let stride = if S::BLOCKS { Stride::Marked } else { Stride::Block };
        let whole = if one { None } else { self.block(bus, pc, stride, sink.layout()) };
        let id = match whole.filter(|id| self.fits(self.code.block(*id))) {
            Some(id) => id,
            None => match self.block(bus, pc, Stride::Single, None) {
                Some(id) => id,
                None => return Some(self.nothing_to_fetch()),
            },
        };
        let watched = self.code.block(id).watched;
        if watched {
            let (at, stack_pointer) = (Address::new(pc), Address::new(self.cpu.sp.into()));
            if self.reported.reports(at, stack_pointer) {
                return Some(Stop::Watch(at));
            }
            self.reported.executes(at, stack_pointer);
        }
        let block = self.code.block(id);
        if S::BLOCKS && whole == Some(id) {
            let exit = self.cpu.execute_marked(bus, block, sink);
            return self.finish_told(bus, exit, true, sink);
        }
        self.cpu.delayed = false;
        let (exit, retired) = self.cpu.execute_single(bus, block, sink);
        if exit == Exit::Next {
            return None;
        }
        let stop = self.finish(bus, exit);
        if S::OBSERVES && retired {
            sink.state(self.cpu.state());
        }
        stop
    }

    /// Whether all of `block` is done before anything can happen by itself.
    #[inline(always)]
    fn fits(&self, block: &Block<P>) -> bool {
        self.cpu.now + u64::from(block.worst_cycles) <= self.cpu.horizon
    }

    fn block(&mut self, bus: &Bus<P>, pc: u32, stride: Stride, layout: Option<&mut dyn Layout>) -> Option<usize> {
        self.code.find_or_build(pc, stride, &self.cpu.config, &bus.memory, layout)
    }

    #[cold]
    fn nothing_to_fetch(&self) -> Stop {
        let pc = self.cpu.pc();
        Stop::Fault(FaultReport { pc, cause: "execution behind the end of flash", address: None })
    }

    /// Everything that is due at `self.cpu.now`; sets the horizon up to which nothing more can happen.
    #[cold]
    fn service(&mut self, bus: &mut Bus<P>, until: u64) -> Option<Stop> {
        loop {
            self.cpu.run_events(bus, self.cpu.now);
            if bus.shared.interrupts.changed() {
                self.cpu.note_lines(bus, self.cpu.now);
            }
            self.code.refresh(&mut bus.memory);
            if let Some(cause) = bus.shared.reset.take() {
                return Some(Stop::Reset(cause));
            }
            if !bus.shared.signals.is_empty() {
                return Some(Stop::Signal);
            }
            if bus.shared.console.over_budget() {
                return Some(Stop::OutputBudget);
            }
            if let Some(mode) = self.cpu.asleep {
                let wakes_at = self.cpu.wakes_at(bus, mode).unwrap_or(u64::MAX);
                let next = self.cpu.next_event(bus).min(wakes_at);
                if next == u64::MAX {
                    return Some(Stop::Deadlock(self.cpu.pc()));
                }
                if self.cpu.now >= until {
                    return Some(Stop::Horizon);
                }
                if wakes_at <= self.cpu.now {
                    self.cpu.wake(bus, mode);
                    continue;
                }
                self.cpu.now = next.min(until).max(self.cpu.now);
                continue;
            }
            if self.cpu.now >= until {
                return Some(Stop::Horizon);
            }
            if !self.cpu.delayed
                && let Some(vector) = self.cpu.pending(bus)
            {
                self.cpu.interrupt(bus, vector);
                continue;
            }
            let horizon = self.cpu.next_event(bus).min(until);
            if horizon > self.cpu.now {
                // What is requested already is served after the one instruction that goes before it.
                self.cpu.horizon = if self.cpu.delayed { self.cpu.now + 1 } else { horizon };
                return None;
            }
        }
    }

    /// What a block left to be done.
    #[inline(always)]
    fn finish(&mut self, bus: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        match exit {
            Exit::Next => None,
            Exit::Fault => Some(Stop::Fault(self.cpu.fault)),
            Exit::Break => Some(Stop::Breakpoint(self.cpu.pc(), 0)),
            Exit::Sleep => {
                self.cpu.fall_asleep(bus);
                None
            }
        }
    }
}
