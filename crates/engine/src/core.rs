//! The run loop: blocks while nothing can happen, short ones and single instructions near an event, exceptions and sleep between.

mod attempts;

pub use attempts::Attempt;

use cyclescope_machine::units::{Address, Cycles, Instructions};
use cyclescope_machine::{BlockCatalog, Bus, CallFrame, RowSet, Silent, Sink, Stop, Touch};

use crate::block::{Block, Execute};
use crate::blocks::Stride;
use crate::code::Code;
use crate::instruction_set::{Hooks, InstructionSet, Refusal};
use crate::observed::{
    Before, execute_marked, execute_marked_from, execute_single, finish_marked, finish_single, stride,
};
use crate::reported::Reported;
use crate::skip::Skipping;
use crate::tier::{Heat, Ran, RestOfBlock, Then, Tier, Tiers};

/// A core of the instruction set `I` with its predecoded code, on a bus with the devices `P`. Plain data: clone it to fork a run.
#[derive(Clone, Debug)]
pub struct Core<I: InstructionSet, P> {
    pub(crate) cpu: I,
    pub(crate) code: Code<I, P>,
    reported: Reported,
    /// The key that blocks must have been checked under to run unchecked.
    pub(crate) fetch_key: u32,
    /// The last run stopped at a watched instruction, and nobody has changed the core since.
    stopped_at_watch: bool,
    pub(crate) skipping: Skipping,
    /// See [`Core::new_ways`].
    new_ways: [Option<Way>; WAYS],
    /// See [`Core::stray`].
    stray: Option<Way>,
    /// The state before the instruction that is attempted, beside another core.
    before: Option<Box<I>>,
    /// An attempt waits for its turn up to this cycle.
    waits: Option<u64>,
    /// That attempt was a simple one, so that `before` has nothing of it.
    simply: bool,
    /// The cycle from which the core has waited for fetches beside the last instruction.
    fetched_from: Option<u64>,
    /// Beside another core: the first cycle at which something concerns that one, whatever the caller's `until` is.
    concern: u64,
    /// The cycles by which the worst case of an instruction by itself exceeds its share of a block's; 0 if nobody asks.
    margin: u64,
    /// The runner of blocks that have often run.
    tiers: Tiers<I, P>,
}

/// The extent to which [`Core::run_carefully`] may go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// A block or an instruction.
    Any,
    /// One instruction.
    Single,
    /// The same, but where something may happen that concerns another core the run stops.
    Beside,
}

/// The branches that are kept.
const WAYS: usize = 8;

/// A branch that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The address of the branch.
    pub from: Address,
    /// Its target.
    pub to: Address,
}

impl<I: Hooks<P>, P> Core<I, P> {
    /// A core over the memory of `bus`, as [`InstructionSet::create`] makes it.
    pub fn new(config: I::Config, bus: &Bus<P>) -> Self {
        Self {
            cpu: I::create(config, &bus.memory),
            code: Code::new(&bus.memory),
            reported: Reported::default(),
            fetch_key: 0,
            stopped_at_watch: false,
            skipping: Skipping::default(),
            new_ways: [None; WAYS],
            stray: None,
            before: None,
            waits: None,
            simply: false,
            fetched_from: None,
            concern: u64::MAX,
            margin: 0,
            tiers: Tiers::new(None),
        }
    }

    /// Has `tier` run blocks that have often run, or nobody. Results and cycles are the same.
    pub fn set_tier(&mut self, tier: Option<Box<dyn Tier<I, P>>>) {
        self.code.flush();
        self.tiers = Tiers::new(tier);
    }

    /// The tier that runs blocks which have often run.
    pub fn tier(&self) -> Option<&dyn Tier<I, P>> {
        self.tiers.second.as_deref()
    }

    /// Resets the core as [`Hooks::reset`] does. The clock goes on.
    pub fn reset(&mut self, bus: &mut Bus<P>) -> I::Reset {
        self.reported.clear();
        self.stopped_at_watch = false;
        self.new_ways = [None; WAYS];
        self.waits = None;
        let reset = self.cpu.reset(bus);
        self.cpu.plan_fetch(bus, None);
        reset
    }

    /// Takes the state of `from`, a core of the same part, but for the addresses watched. Predecoded code is kept; memory must
    /// say which of it is stale ([`Memory::restore_from`](cyclescope_machine::Memory::restore_from)). The rows used are those of
    /// both: code that is kept is not built again.
    pub fn restore(&mut self, from: &Self) {
        if !self.cpu.shares_keys_with(&from.cpu) {
            self.code.flush();
        }
        self.code.restore(&from.code);
        self.cpu.take_over(&from.cpu);
        let blocks = &self.code.blocks;
        self.reported.restore(&from.reported, |address| blocks.watches(address));
        self.fetch_key = from.fetch_key;
        (self.new_ways, self.stray) = (from.new_ways, from.stray);
        (self.waits, self.simply) = (from.waits, from.simply);
        self.fetched_from = from.fetched_from;
        // An attempt that waits is made again from there.
        self.before.clone_from(&from.before);
        // The next run looks at everything anew.
        self.stopped_at_watch = false;
    }

    /// Makes the run stop ([`Stop::Watch`]) whenever the instruction at `address` is about to execute.
    pub fn watch(&mut self, address: Address) {
        self.code.watch(address);
    }

    /// The addresses watched.
    pub fn watched(&self) -> &[u32] {
        self.code.blocks.watched()
    }

    /// Watches the `addresses` and no others.
    pub fn watch_only(&mut self, addresses: &[u32]) {
        self.code.watch_only(addresses);
        let blocks = &self.code.blocks;
        self.reported.retain(|address| blocks.watches(address));
    }

    /// Cycles since the first reset.
    pub fn now(&self) -> Cycles {
        Cycles::new(self.cpu.progress().now)
    }

    /// Instructions retired since the first reset.
    pub fn instructions(&self) -> Instructions {
        Instructions::new(self.cpu.progress().instructions)
    }

    /// The architectural state.
    pub fn cpu(&self) -> &I {
        &self.cpu
    }

    /// The architectural state, for a debugger or a test to change between runs.
    pub fn cpu_mut(&mut self) -> &mut I {
        self.stopped_at_watch = false;
        self.waits = None;
        &mut self.cpu
    }

    /// At the first instruction of a function: where it will return to.
    pub fn call_frame(&self, bus: &Bus<P>) -> CallFrame {
        self.cpu.call_frame(bus)
    }

    /// The branches that were taken last of those that went where no block was known to follow, the latest first: a jump to a
    /// place without code is always among them, one that a loop repeats is not.
    pub fn new_ways(&self) -> impl Iterator<Item = Way> {
        self.new_ways.into_iter().flatten()
    }

    /// The branch to the last place from which nothing could be fetched; `None` if control did not come there by a branch.
    pub fn stray(&self) -> Option<Way> {
        self.stray
    }

    /// Notes that control went from the end of the block `id` to `pc`, unless it just went on.
    #[cold]
    fn note_way(&mut self, id: usize, pc: u32) {
        let block = self.code.blocks.get(id);
        if let Some(last) = block.places.last().filter(|_| pc != block.next_pc) {
            note_latest(&mut self.new_ways, last.pc, pc);
        }
    }

    /// The bytes that the instruction about to execute reads or writes; `None` where it moves no data.
    pub fn touches(&self, bus: &Bus<P>) -> Option<Touch> {
        self.cpu.touches(bus)
    }

    /// The rows of the core's timing table that this run used.
    pub fn rows_used(&self) -> RowSet {
        let mut rows = self.code.rows();
        rows.union(self.cpu.rows());
        rows
    }

    /// Runs to the first instruction boundary at or after the cycle `until`, or until something stops the run.
    pub fn run(&mut self, bus: &mut Bus<P>, until: Cycles) -> Stop {
        self.run_into(bus, until, &mut Silent)
    }

    /// The same, with every retired instruction handed to `sink`. Takes exactly the same cycles.
    pub fn run_into<S: Sink>(&mut self, bus: &mut Bus<P>, until: Cycles, sink: &mut S) -> Stop {
        self.cpu.progress_mut().marks.exchange(sink.catalog());
        let stop = self.run_on(bus, until.get(), sink);
        self.count(sink);
        self.cpu.progress_mut().marks.exchange(sink.catalog());
        stop
    }

    /// The same beside a core that sleeps or is off, for which nothing happens before the cycle `concern` unless this one or a device
    /// causes it. Comes back before an instruction in which that may be, too: such ones are attempts. It depends on the state alone
    /// which those are, and not on `until`.
    pub fn run_beside<S: Sink>(&mut self, bus: &mut Bus<P>, until: Cycles, concern: u64, sink: &mut S) -> Stop {
        self.concern = concern;
        self.fetched_from = None;
        self.run_into(bus, until.min(Cycles::new(concern)), sink)
    }

    /// Has the second tier count for `sink` what it has joined.
    fn count<S: Sink>(&mut self, sink: &mut S) {
        if S::BLOCKS
            && let (Some(tier), Some(observer)) = (&mut self.tiers.second, sink.catalog())
        {
            tier.count(self.cpu.progress_mut().marks, observer);
        }
    }

    fn run_on<S: Sink>(&mut self, bus: &mut Bus<P>, until: u64, sink: &mut S) -> Stop {
        let takes_tiers = |catalog: &mut dyn BlockCatalog| catalog.joins_runs();
        let in_tiers = self.tiers.second.is_some() && (!S::OBSERVES || sink.catalog().is_some_and(takes_tiers));
        self.skipping.begin();
        self.cpu.leave_fetches(bus, false);
        // After a watch everything is as it was, but for what the outside has done to the bus meanwhile.
        let horizon = self.cpu.progress().horizon;
        let resumed = std::mem::take(&mut self.stopped_at_watch)
            && horizon > 0
            && bus.shared.is_quiet()
            && !self.code.blocks.is_stale(&bus.memory);
        let horizon = if resumed { horizon.min(self.cpu.next_event(bus)).min(until) } else { 0 };
        *self.cpu.progress_mut().horizon = horizon;
        self.set_margin(bus);
        loop {
            if I::CODE_IN_RAM && bus.memory.code_changed() {
                self.code.refresh(&mut bus.memory, self.cpu.guards_data());
            }
            if S::BLOCKS && self.code.disagrees(sink.catalog()) {
                self.count(sink);
                self.code.agree(sink.catalog());
            }
            if !self.cpu.is_careful() {
                let (exit, before) = match stride::<S>() {
                    Stride::Block | Stride::Marked if in_tiers => (self.run_in_tiers(bus, sink), Before::default()),
                    _ => self.run_linked(bus, sink),
                };
                if exit != I::NEXT {
                    let stop = match stride::<S>() {
                        Stride::Block | Stride::Short => self.cpu.finish(bus, exit),
                        Stride::Single | Stride::Beside => finish_single(&mut self.cpu, bus, exit, before, sink),
                        Stride::Marked => finish_marked(&mut self.cpu, bus, exit, sink),
                    };
                    if let Some(stop) = stop {
                        return stop;
                    }
                    continue;
                }
                if I::CODE_IN_RAM && bus.memory.code_changed() {
                    continue;
                }
            }
            if I::SKIPS && !S::OBSERVES && self.horizon_is_look() {
                let needs = self.needs(stride::<S>());
                if self.is_to_look(needs) {
                    if let Some(stop) = self.look(bus, until, needs) {
                        return stop;
                    }
                    continue;
                }
            }
            let progress = self.cpu.progress();
            if progress.now >= progress.horizon {
                if let Some(stop) = self.service(bus, until) {
                    return stop;
                }
                if I::SKIPS && !S::OBSERVES {
                    self.look_before_horizon();
                }
            } else {
                let care = if bus.shared.turns.are_several() { Care::Beside } else { Care::Any };
                if let Some(stop) = self.run_carefully(bus, sink, care) {
                    return stop;
                }
            }
        }
    }

    /// Executes the next instruction and nothing more, even if it takes no time, once what is due has been done. Returns why it
    /// came back, [`Stop::Horizon`] if for no other reason.
    pub fn step(&mut self, bus: &mut Bus<P>) -> Stop {
        self.stopped_at_watch = false;
        *self.cpu.progress_mut().horizon = 0;
        let until = self.cpu.progress().now + 1;
        loop {
            if bus.memory.code_changed() {
                self.code.refresh(&mut bus.memory, self.cpu.guards_data());
            }
            let progress = self.cpu.progress();
            if progress.now >= progress.horizon {
                if let Some(stop) = self.service(bus, until) {
                    return stop;
                }
            } else {
                return self.run_carefully(bus, &mut Silent, Care::Single).unwrap_or(Stop::Horizon);
            }
        }
    }

    /// Runs blocks as the sink wants them, one after the other, as long as nothing can happen by itself before each is done.
    /// Returns how the last one ended, and for a sink of single instructions the state before it.
    fn run_linked<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> (I::Exit, Before) {
        let Some(mut id) = self.code.blocks.find(self.cpu.pc().get(), stride::<S>()) else {
            return (I::NEXT, Before::default());
        };
        loop {
            if !self.may_begin(id) {
                return (I::NEXT, Before::default());
            }
            let block = self.code.blocks.get(id);
            let (exit, before) = match stride::<S>() {
                Stride::Block | Stride::Short => (self.cpu.execute(bus, block), Before::default()),
                Stride::Single | Stride::Beside => execute_single(&mut self.cpu, bus, block, sink),
                Stride::Marked => (execute_marked(&mut self.cpu, bus, block, sink), Before::default()),
            };
            if exit != I::NEXT || I::CODE_IN_RAM && bus.memory.code_changed() {
                return (exit, before);
            }
            let pc = self.cpu.pc().get();
            id = match block.successors.at(pc) {
                Some(id) => id,
                None => match self.code.blocks.link(id, pc, stride::<S>()) {
                    Some(id) => id,
                    None => {
                        self.note_way(id, pc);
                        return (I::NEXT, before);
                    }
                },
            };
        }
    }

    /// The same, but not of single instructions, with regions of blocks that have often run left to the second tier. Returns how the
    /// last one ended.
    fn run_in_tiers<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> I::Exit {
        let Some(mut id) = self.code.blocks.find(self.cpu.pc().get(), stride::<S>()) else { return I::NEXT };
        loop {
            let block = self.code.blocks.get(id);
            if block.key != self.key() || !self.fits(block) {
                return I::NEXT;
            }
            let exit = match block.heat {
                Heat::Entry(entry) => {
                    let horizon = bring_near(&mut self.cpu, self.margin);
                    let ran = self.tiers.run(entry, &mut self.cpu, bus, &self.code.blocks, sink.catalog());
                    put_back(&mut self.cpu, self.margin, horizon, bus);
                    match ran {
                        Ran::Left(left) => {
                            if left.then != Then::Stays {
                                self.code.blocks.get_mut(id).heat = left.then.heat(entry);
                            }
                            id = left.last;
                            let block = self.code.blocks.get(id);
                            match left.rest {
                                None if left.exit == I::NEXT => self.cpu.stopped(),
                                None => left.exit,
                                Some(RestOfBlock { from, began }) if S::BLOCKS => {
                                    execute_marked_from(&mut self.cpu, bus, block, from, began, sink)
                                }
                                Some(RestOfBlock { from, .. }) => self.cpu.execute_from(bus, block, from),
                            }
                        }
                        Ran::Late => execute_whole(&mut self.cpu, bus, block, sink),
                        Ran::Elsewhere => {
                            let exit = execute_whole(&mut self.cpu, bus, block, sink);
                            let then = self.tiers.missed(entry, block.count);
                            if then != Then::Stays {
                                self.code.blocks.get_mut(id).heat = then.heat(entry);
                            }
                            exit
                        }
                    }
                }
                Heat::Due(_) | Heat::Again(_) => {
                    self.tiers.compile(&self.cpu, &bus.memory, &mut self.code.blocks, id, sink.catalog());
                    continue;
                }
                Heat::Runs(runs) => {
                    let exit = execute_whole(&mut self.cpu, bus, block, sink);
                    let heat = self.tiers.interpreted(runs, block.count);
                    self.code.blocks.get_mut(id).heat = heat;
                    exit
                }
                Heat::Never => execute_whole(&mut self.cpu, bus, block, sink),
            };
            if exit != I::NEXT || I::CODE_IN_RAM && bus.memory.code_changed() {
                return exit;
            }
            let pc = self.cpu.pc().get();
            // A block may follow itself, and a region may end before its last block.
            if pc == self.code.blocks.get(id).pc {
                continue;
            }
            id = match self.code.blocks.get(id).successors.at(pc) {
                Some(id) => id,
                None => match self.code.blocks.link(id, pc, stride::<S>()) {
                    Some(id) => id,
                    None => {
                        self.note_way(id, pc);
                        return I::NEXT;
                    }
                },
            };
        }
    }

    /// Runs the block `id` and what follows in short blocks and single instructions, in silence, as long as each is done before the
    /// horizon, which is too near for whole blocks. Ends where control does not go straight on, because the block there may
    /// be shorter. Returns how the last one ended.
    fn run_near(&mut self, bus: &mut Bus<P>, mut id: usize) -> I::Exit {
        loop {
            let block = self.code.blocks.get(id);
            let exit = self.cpu.execute(bus, block);
            let pc = self.cpu.pc().get();
            if exit != I::NEXT || pc != block.next_pc || I::CODE_IN_RAM && bus.memory.code_changed() {
                // As from whole blocks.
                if exit == I::NEXT && self.code.blocks.find(pc, Stride::Block).is_none() {
                    self.note_way(id, pc);
                }
                return exit;
            }
            let flushes = self.code.blocks.flushes();
            let next = match self.short(bus, pc) {
                Some(next) => Some(next),
                // What was built has taken the place of all others.
                None if self.code.blocks.flushes() != flushes => None,
                None => {
                    let next = self.code.blocks.get(id).successors.at(pc);
                    next.or_else(|| self.code.blocks.link(id, pc, Stride::Single)).filter(|next| self.may_begin(*next))
                }
            };
            match next {
                Some(next) => id = next,
                None => return I::NEXT,
            }
        }
    }

    /// The short block at `pc`, built if need be, if it is done before the horizon.
    fn short(&mut self, bus: &mut Bus<P>, pc: u32) -> Option<usize> {
        // Where the horizon is reached, control may go elsewhere, or what may be fetched has changed.
        let progress = self.cpu.progress();
        if progress.now >= progress.horizon || self.cpu.is_careful() {
            return None;
        }
        let id = self.code.find_or_build(&self.cpu, pc, Stride::Short, &mut bus.memory, None)?;
        (self.may_run(id).is_ok() && self.may_begin(id)).then_some(id)
    }

    /// Runs one block where something is to be seen to: a new or watched one, one near an event, one that inherits something, or
    /// a `single` instruction for a sink or a step.
    pub(crate) fn run_carefully<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S, care: Care) -> Option<Stop> {
        let pc = self.cpu.pc().get();
        let stride = if S::BLOCKS { Stride::Marked } else { Stride::Block };
        let whole = if care == Care::Single || S::OBSERVES && !S::BLOCKS || self.cpu.is_careful() {
            None
        } else {
            self.code.find_or_build(&self.cpu, pc, stride, &mut bus.memory, sink.catalog())
        };
        let whole = whole.filter(|id| self.fits(self.code.blocks.get(*id)) && self.may_run(*id).is_ok());
        if whole.is_none() && care == Care::Beside {
            // An instruction that is done before anything can happen is as good as one of a block. The caller's `until` has no say, so
            // that no cut of a run makes one an attempt.
            let single = self.code.single(&self.cpu, pc, self.cpu.entry(), &mut bus.memory);
            let end = self.cpu.next_event(bus).min(self.concern);
            let worst = |id| u64::from(self.code.blocks.get(id).worst_cycles);
            if self.cpu.is_careful() || single.is_none_or(|id| self.cpu.progress().now + worst(id) > end) {
                return Some(Stop::Horizon);
            }
        }
        let may_join = whole.is_none() && !S::OBSERVES && care != Care::Single && self.waits.is_none();
        let short = if may_join { self.short(bus, pc) } else { None };
        let single = || self.code.single(&self.cpu, pc, self.cpu.entry(), &mut bus.memory);
        let Some(id) = whole.or(short).or_else(single) else { return self.refuse(bus, pc, Refusal::NoMemory) };
        if let Err(address) = self.may_run(id) {
            return self.refuse(bus, address, Refusal::Forbidden);
        }
        if may_join && !self.cpu.is_careful() && self.may_begin(id) {
            let exit = self.run_near(bus, id);
            return self.cpu.finish(bus, exit);
        }
        let block = self.code.blocks.get(id);
        let watched = block.is_watched();
        let (at, stack_pointer) = (Address::new(pc), self.cpu.stack_pointer());
        if watched && self.waits.is_none() && self.reported.reports(at, stack_pointer) {
            self.stopped_at_watch = true;
            return Some(Stop::Watch(at));
        }
        if let Some(at) = self.waits
            && self.cpu.cut_short(bus, block, at)
        {
            return None;
        }
        if !bus.shared.turns.has_made_some() && self.cpu.abandons(bus, block) {
            return None;
        }
        if watched {
            self.reported.executes(at, stack_pointer);
        }
        if bus.shared.turns.are_taken() {
            self.cpu.take_begun_fetches(bus);
        }
        self.cpu.begin();
        if S::BLOCKS && whole.is_some() {
            let exit = execute_marked(&mut self.cpu, bus, block, sink);
            self.left(id, exit);
            return finish_marked(&mut self.cpu, bus, exit, sink);
        }
        let (exit, before) = execute_single(&mut self.cpu, bus, block, sink);
        self.cpu.ran_single(block, before.now, before.has_retired(&self.cpu));
        self.left(id, exit);
        finish_single(&mut self.cpu, bus, exit, before, sink)
    }

    /// Keeps the margin by which blocks end before the next event beside another core.
    pub(crate) fn set_margin(&mut self, bus: &Bus<P>) {
        // Fetching may begin anew with an instruction by itself, and it may ask for two words.
        let stalls = || 3 * u64::from(bus.memory.flash.interface().worst_stall());
        self.margin = if bus.shared.turns.are_several() { stalls() } else { 0 };
    }

    /// Notes where control went from the end of the block `id`, which has run and ended as `exit` says.
    fn left(&mut self, id: usize, exit: I::Exit) {
        if exit == I::NEXT {
            self.note_way(id, self.cpu.pc().get());
        }
    }

    #[cold]
    fn refuse(&mut self, bus: &mut Bus<P>, address: u32, refusal: Refusal) -> Option<Stop> {
        self.stray = self.new_ways[0].filter(|way| way.to.get() == address);
        *self.cpu.progress_mut().horizon = 0;
        self.cpu.refuse_fetch(bus, address, refusal)
    }

    /// Checks whether the block `id` may be fetched as things are, and notes the key that it was checked under.
    ///
    /// # Errors
    /// The first address that must not be fetched.
    fn may_run(&mut self, id: usize) -> Result<(), u32> {
        let key = self.key();
        let block = self.code.blocks.get_mut(id);
        if block.key != key {
            if key != 0 {
                self.cpu.may_fetch(block.pc, block.next_pc)?;
            }
            if !block.is_watched() {
                block.key = key;
                // The blocks of its region were checked under the key before.
                block.heat = Heat::Runs(0);
            }
        }
        Ok(())
    }

    /// The key that blocks must have been checked under to run unchecked.
    #[inline(always)]
    fn key(&self) -> u32 {
        if I::CHECKS_FETCHES { self.fetch_key } else { 0 }
    }

    /// Tells whether the block `id` may run unchecked now.
    #[inline(always)]
    fn may_begin(&self, id: usize) -> bool {
        let block = self.code.blocks.get(id);
        block.key == self.key() && self.fits(block)
    }

    /// Says whether all of `block` is done before anything can happen by itself.
    #[inline(always)]
    fn fits(&self, block: &Block<I, P>) -> bool {
        let progress = self.cpu.progress();
        progress.now + self.most_cycles(block) <= progress.horizon
    }

    /// The cycles from the beginning of the block to the nearest horizon that it runs by.
    fn most_cycles(&self, block: &Block<I, P>) -> u64 {
        let margin = if block.count > 1 { self.margin } else { 0 };
        u64::from(block.worst_cycles) + margin
    }

    /// The same of the block that comes next; 0 if there is none yet.
    fn needs(&self, stride: Stride) -> u64 {
        let block = self.code.blocks.find(self.cpu.pc().get(), stride).map(|id| self.code.blocks.get(id));
        block.filter(|block| block.key == self.key()).map_or(0, |block| self.most_cycles(block))
    }
}

/// Notes that control went from `from` to `to`.
#[inline]
fn note_latest(ways: &mut [Option<Way>; WAYS], from: u32, to: u32) {
    ways.copy_within(..WAYS - 1, 1);
    ways[0] = Some(Way { from: Address::new(from), to: Address::new(to) });
}

/// Runs a whole block, in silence or with its run shown to a sink of blocks.
#[inline(always)]
fn execute_whole<I: InstructionSet, P, S: Sink>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    sink: &mut S,
) -> I::Exit {
    if S::BLOCKS { execute_marked(cpu, bus, block, sink) } else { cpu.execute(bus, block) }
}

/// Brings the horizon nearer by `margin` cycles, for a tier that asks for none itself; returns where it was.
#[inline(always)]
fn bring_near<I: InstructionSet>(cpu: &mut I, margin: u64) -> u64 {
    let horizon = cpu.progress_mut().horizon;
    std::mem::replace(horizon, horizon.saturating_sub(margin))
}

/// Puts it back to `horizon`, unless what has run meanwhile has set it anew.
#[inline(always)]
fn put_back<I: Hooks<P>, P>(cpu: &mut I, margin: u64, horizon: u64, bus: &Bus<P>) {
    let nearer = horizon.saturating_sub(margin);
    if margin > 0 && nearer > 0 && cpu.progress().horizon == nearer {
        // A register read that made an event earlier has left it if that is not before the nearer one.
        *cpu.progress_mut().horizon = horizon.min(cpu.next_event(bus));
    }
}
