//! The run loop: blocks while nothing can happen, single instructions near an event, exceptions and sleep between.

mod leaving;

use std::ops::Range;

use cyclescope_machine::{Bus, Layout, Peripherals, Reported, RowSet, Silent, Sink, Stop, Stride, WithoutPeripherals};
use cyclescope_units::{Address, Cycles, Instructions};

use crate::code::{Block, Code};
use crate::cpu::{Config, Cpu, Entry, Fault, FaultKind, Sleep};
use crate::decode::{Instruction, Reg};
use crate::exception::Beyond;
use crate::exec::Exit;

/// A Cortex-M core with its predecoded code. Plain data: clone it to fork a run.
#[derive(Clone, Debug)]
pub struct Core<P = WithoutPeripherals> {
    cpu: Cpu,
    code: Code<P>,
    reported: Reported,
    halt_on_fault: bool,
    /// What blocks must have been checked under to run unchecked.
    fetch_key: u32,
    /// The last run stopped at a watched instruction, and nobody has changed the core since.
    stopped_at_watch: bool,
}

impl<P: Peripherals> Core<P> {
    /// A core over the memory of `bus`, yet to be reset.
    pub fn new(config: Config, bus: &Bus<P>) -> Self {
        Self {
            cpu: Cpu::new(config),
            code: Code::new(&config, &bus.memory),
            reported: Reported::default(),
            halt_on_fault: false,
            fetch_key: 0,
            stopped_at_watch: false,
        }
    }

    /// Takes the reset exception: stack pointer and entry from the vector table. The clock goes on.
    ///
    /// # Errors
    /// The fault of reading the vector table.
    pub fn reset(&mut self, bus: &mut Bus<P>) -> Result<(), Fault> {
        self.reported.clear();
        self.stopped_at_watch = false;
        self.cpu.reset(bus)
    }

    /// Takes the state of `from`, a core of the same part, but for the addresses watched. Predecoded code is kept; what of
    /// it is stale, memory must say ([`Memory::restore_from`](cyclescope_machine::Memory::restore_from)). The rows used are
    /// those of both: code that is kept is not built again.
    pub fn restore(&mut self, from: &Self) {
        // What blocks were checked under counts the MPU's settings, and both may have counted different ones.
        if self.cpu.mpu != from.cpu.mpu {
            self.code.flush();
        }
        self.code.restore(&from.code);
        self.cpu.clone_from(&from.cpu);
        let code = &self.code;
        self.reported.restore(&from.reported, |address| code.watches(address));
        self.halt_on_fault = from.halt_on_fault;
        self.fetch_key = from.fetch_key;
        // The next run looks at everything anew.
        self.stopped_at_watch = false;
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

    /// Makes the run stop at a fault ([`Stop::Fault`]) instead of running the guest's HardFault handler.
    pub fn halt_on_fault(&mut self, halt: bool) {
        self.halt_on_fault = halt;
    }

    /// Makes the run stop ([`Stop::Watch`]) whenever the instruction at `address` is about to execute.
    pub fn watch(&mut self, address: Address) {
        self.code.watch(address);
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

    /// Watches the stacks that lie in `ranges` from now on, for [`Cpu::lowest_in_stacks`].
    pub fn watch_stacks(&mut self, ranges: impl IntoIterator<Item = Range<u32>>) {
        self.cpu.watch_stacks(ranges);
    }

    /// The architectural state, for a debugger or a test to change between runs.
    pub fn cpu_mut(&mut self) -> &mut Cpu {
        self.stopped_at_watch = false;
        &mut self.cpu
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
        // After a watch everything is as it was, but for what the outside has done to the bus meanwhile.
        let resumed = std::mem::take(&mut self.stopped_at_watch)
            && self.cpu.horizon > 0
            && bus.shared.is_quiet()
            && !self.code.is_stale(&bus.memory);
        self.cpu.horizon = if resumed { self.cpu.horizon.min(self.cpu.next_event(bus)).min(until) } else { 0 };
        loop {
            if bus.memory.code_changed() {
                self.code.refresh(&mut bus.memory, self.cpu.mpu.is_on());
            }
            if S::BLOCKS {
                self.code.agree(sink.layout());
            }
            if !self.cpu.is_careful() {
                let (exit, retired) = self.run_linked(bus, sink);
                if exit != Exit::Next {
                    if let Some(stop) = self.finish_told(bus, exit, retired, sink) {
                        return stop;
                    }
                    continue;
                }
                if bus.memory.code_changed() {
                    continue;
                }
            }
            if self.cpu.now >= self.cpu.horizon {
                if let Some(stop) = self.service(bus, until) {
                    return stop;
                }
            } else if let Some(stop) = self.run_carefully(bus, self.cpu.r[Reg::Pc as usize], sink, false) {
                return stop;
            }
        }
    }

    /// Executes the next instruction and nothing more, even if it takes no time, once what is due has been done; why it came
    /// back, [`Stop::Horizon`] if for no other reason.
    pub fn step(&mut self, bus: &mut Bus<P>) -> Stop {
        self.stopped_at_watch = false;
        self.cpu.horizon = 0;
        let until = self.cpu.now + 1;
        loop {
            if bus.memory.code_changed() {
                self.code.refresh(&mut bus.memory, self.cpu.mpu.is_on());
            }
            if self.cpu.now >= self.cpu.horizon {
                if let Some(stop) = self.service(bus, until) {
                    return stop;
                }
            } else {
                let stop = self.run_carefully(bus, self.cpu.r[Reg::Pc as usize], &mut Silent, true);
                return stop.unwrap_or(Stop::Horizon);
            }
        }
    }

    /// Blocks as the sink wants them, one after the other, as long as nothing can happen by itself before each is done. How
    /// the last one ended, and for a sink of single instructions whether it retired.
    fn run_linked<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> (Exit, bool) {
        let pc = self.cpu.r[Reg::Pc as usize];
        let Some(mut id) = self.code.find(pc, S::STRIDE) else { return (Exit::Next, true) };
        loop {
            let block = self.code.block(id);
            if block.key != self.fetch_key || !self.fits(block) {
                return (Exit::Next, true);
            }
            let (exit, retired) = match S::STRIDE {
                Stride::Block => (self.cpu.execute(bus, block), true),
                Stride::Single => self.cpu.execute_single(bus, block, sink),
                Stride::Marked => (self.cpu.execute_marked(bus, block, sink), true),
            };
            if exit != Exit::Next || bus.memory.code_changed() {
                return (exit, retired);
            }
            let pc = self.cpu.r[Reg::Pc as usize];
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
        let told = match S::STRIDE {
            Stride::Block => true,
            Stride::Single => !retired,
            Stride::Marked => self.cpu.marks.ended().is_some(),
        };
        self.finish_and_tell(bus, exit, !told, sink)
    }

    /// What an instruction left to be done, `sink` being told of the state with it, if it is to be: a supervisor call has
    /// left nothing, and its exception comes behind it.
    #[inline(always)]
    fn finish_and_tell<S: Sink>(&mut self, bus: &mut Bus<P>, exit: Exit, tell: bool, sink: &mut S) -> Option<Stop> {
        if tell && exit == Exit::SupervisorCall {
            sink.state(self.cpu.state());
        }
        let stop = self.finish(bus, exit);
        if tell && exit != Exit::SupervisorCall {
            sink.state(self.cpu.state());
        }
        stop
    }

    /// One block where something is to be seen to: a new or watched one, one near an event, one that goes on in the middle
    /// of something, or a `single` instruction for a sink or a step.
    fn run_carefully<S: Sink>(&mut self, bus: &mut Bus<P>, pc: u32, sink: &mut S, single: bool) -> Option<Stop> {
        let entry = self.cpu.entry;
        let one_by_one = single || S::OBSERVES && !S::BLOCKS || self.cpu.dwt.counts_instructions();
        let stride = if S::BLOCKS { Stride::Marked } else { Stride::Block };
        let whole = if one_by_one || entry != Entry::PLAIN { None } else { self.block(bus, pc, stride, sink.layout()) };
        let id = match whole.filter(|id| self.fits(self.code.block(*id)) && self.may_run(*id)) {
            Some(id) => id,
            None => match self.single(bus, pc, entry) {
                Some(id) => id,
                None => return self.nothing_to_fetch(bus, pc),
            },
        };
        if !self.may_run(id) {
            let cause = "execution that the MPU forbids";
            let fault = Fault { kind: FaultKind::FetchAccess, cause, address: Some(pc) };
            self.cpu.horizon = 0;
            return self.fault(bus, fault);
        }
        let block = self.code.block(id);
        let watched = block.watched();
        let (at, stack_pointer) = (Address::new(pc), Address::new(self.cpu.get(Reg::Sp)));
        if watched && self.reported.reports(at, stack_pointer) {
            self.stopped_at_watch = true;
            return Some(Stop::Watch(at));
        }
        if block.abandonable && self.abandons(bus, id) {
            return None;
        }
        if watched {
            self.reported.executes(at, stack_pointer);
        }
        self.cpu.entry = Entry::PLAIN;
        let block = self.code.block(id);
        if S::BLOCKS && whole == Some(id) {
            let exit = self.cpu.execute_marked(bus, block, sink);
            return self.finish_told(bus, exit, true, sink);
        }
        let began = self.cpu.now;
        let (exit, retired) = self.cpu.execute_single(bus, block, sink);
        if retired && self.cpu.dwt.counts_instructions() {
            let memory = block.steps.iter().any(|step| step.i.moves_data());
            self.cpu.dwt.retire(self.cpu.now - began, if memory { Beyond::Memory } else { Beyond::Instruction });
        }
        if exit == Exit::Next {
            return None;
        }
        self.finish_and_tell(bus, exit, S::OBSERVES && retired, sink)
    }

    /// Where no memory holds code: what the core says depends on whether the address may hold any.
    #[cold]
    fn nothing_to_fetch(&mut self, bus: &mut Bus<P>, pc: u32) -> Option<Stop> {
        let kind = if crate::mpu::executable(pc) { FaultKind::FetchBus } else { FaultKind::FetchAccess };
        let fault = Fault { kind, cause: "instruction fetch where no code memory is", address: Some(pc) };
        self.cpu.horizon = 0;
        self.fault(bus, fault)
    }

    /// Whether the MPU lets the block at `id` run as things are; remembers what it was checked under.
    fn may_run(&mut self, id: usize) -> bool {
        let key = self.fetch_key;
        let block = self.code.block_mut(id);
        if block.key == key || key == 0 && block.watched() {
            return true;
        }
        let allowed = self.cpu.may_fetch(block.pc, block.next_pc);
        if allowed && !block.watched() {
            block.key = key;
        }
        allowed
    }

    /// The block of one instruction at `pc`.
    fn single(&mut self, bus: &mut Bus<P>, pc: u32, entry: Entry) -> Option<usize> {
        if entry == Entry::PLAIN {
            return self.block(bus, pc, Stride::Single, None);
        }
        match self.code.find_entered(pc, entry) {
            Some(id) => Some(id),
            None => self.code.build_entered(pc, entry, &mut bus.memory),
        }
    }

    /// Whether all of `block` is done before anything can happen by itself.
    #[inline(always)]
    fn fits(&self, block: &Block<P>) -> bool {
        self.cpu.now + u64::from(block.worst_cycles) <= self.cpu.horizon
    }

    fn block(&mut self, bus: &mut Bus<P>, pc: u32, stride: Stride, layout: Option<&mut dyn Layout>) -> Option<usize> {
        match self.code.find(pc, stride) {
            Some(id) => Some(id),
            None => self.code.build(pc, stride, &mut bus.memory, layout),
        }
    }

    /// An interrupt that arrives inside a load or store of several registers, or a division, cuts it short: Armv6-M abandons
    /// and restarts it (DDI 0484C §3.6.1); Armv7-M abandons a division, and goes on with a load or store where it was,
    /// outside IT blocks (DDI 0403E §B1.5.10). Transfers abandoned have no effect but on device registers, which the
    /// manual says not to use so.
    fn abandons(&mut self, bus: &mut Bus<P>, id: usize) -> bool {
        let block = self.code.block(id);
        let longest = block.worst_cycles.max(block.cycles);
        let end = self.cpu.now
            + u64::from(if block.steps.iter().any(|step| step.i.is_division()) {
                self.cpu.division_ends(&block.steps).unwrap_or(longest)
            } else {
                block.cycles
            });
        let began = self.cpu.now;
        loop {
            let due = self.cpu.next_event(bus);
            if due <= self.cpu.now || due >= end {
                return false;
            }
            self.cpu.run_events(bus, due);
            self.cpu.horizon = 0;
            if self.cpu.preempting().is_some() {
                self.leave_off(bus, id, due - began);
                self.cpu.now = due;
                return true;
            }
        }
    }

    /// Moves the registers that were reached after `elapsed` cycles: an address, then one a cycle.
    fn leave_off(&mut self, bus: &mut Bus<P>, id: usize, elapsed: u64) {
        let in_it = self.cpu.entry.it & 0xF != 0;
        let Some(i) = self.code.block(id).steps.iter().map(|step| step.i).find(Instruction::is_multiple) else {
            return;
        };
        let Some(list) = i.continuable().filter(|_| self.cpu.config.architecture.is_v7() && !in_it) else { return };
        let reached = (elapsed as u32).saturating_sub(1).min(list.count_ones().saturating_sub(1));
        let mut rest = list;
        for _ in 0..reached {
            rest &= rest - 1;
        }
        if reached > 0 && self.cpu.move_some(bus, &i, list & !rest).is_ok() {
            let register = rest.trailing_zeros() as u8;
            self.cpu.entry = Entry::with_it(register << 4);
        }
    }

    /// Everything that is due at `self.cpu.now`; sets the horizon up to which nothing more can happen.
    #[cold]
    fn service(&mut self, bus: &mut Bus<P>, until: u64) -> Option<Stop> {
        loop {
            self.cpu.run_events(bus, self.cpu.now);
            self.code.refresh(&mut bus.memory, self.cpu.mpu.is_on());
            self.fetch_key = self.cpu.fetch_key();
            if std::mem::take(&mut self.cpu.noted)
                && self.halt_on_fault
                && let Some(report) = self.cpu.last_fault
            {
                return Some(Stop::Fault(report));
            }
            if let Some((fault, pc)) = self.cpu.imprecise.take() {
                if let Some(stop) = self.imprecise_fault(bus, fault, pc) {
                    return Some(stop);
                }
                continue;
            }
            if let Some(cause) = bus.shared.reset.take() {
                return Some(Stop::Reset(cause));
            }
            if let Some(code) = self.cpu.exit.take() {
                return Some(Stop::Exit(code));
            }
            if !bus.shared.signals.is_empty() {
                return Some(Stop::Signal);
            }
            if bus.shared.console.over_budget() {
                return Some(Stop::OutputBudget);
            }
            if self.cpu.sleep != Sleep::Awake && !self.wake(bus) {
                let next = self.cpu.next_event(bus);
                if next == u64::MAX {
                    return Some(Stop::Deadlock(self.cpu.pc()));
                }
                if self.cpu.now >= until {
                    return Some(Stop::Horizon);
                }
                let woken = next.min(until).max(self.cpu.now);
                self.cpu.dwt.slept(woken - self.cpu.now);
                self.cpu.now = woken;
                continue;
            }
            if self.cpu.now >= until {
                return Some(Stop::Horizon);
            }
            if let Some(number) = self.cpu.preempting() {
                let taken = match self.cpu_exit() {
                    Some(exc_return) => self.cpu.tail_chain(bus, number, exc_return),
                    None => self.cpu.enter(bus, number),
                };
                if taken.is_err() {
                    return Some(self.lockup());
                }
                continue;
            }
            if let Some(exc_return) = self.cpu_exit() {
                if self.cpu.unstack(bus, exc_return).is_err() {
                    return Some(self.lockup());
                }
                continue;
            }
            if !self.cpu.thumb {
                let cause = "instruction in Arm state, which the core does not have";
                let fault = Fault { kind: FaultKind::InvalidState, cause, address: None };
                if let Some(stop) = self.fault(bus, fault) {
                    return Some(stop);
                }
                continue;
            }
            let horizon = self.cpu.next_event(bus).min(until);
            if horizon > self.cpu.now {
                self.cpu.horizon = if self.cpu.is_careful() { self.cpu.now + 1 } else { horizon };
                return None;
            }
        }
    }

    fn cpu_exit(&mut self) -> Option<u32> {
        self.cpu.scb.take_exit()
    }
}
