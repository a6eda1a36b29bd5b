//! The owner of each cycle.

use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    BlockCatalog, BlockInstruction, Counted, Joined, Retire, Run, Signal, Sink, State, new_edition,
};
use rustc_hash::FxHashMap;

use super::CycleOwner;

/// A function, by its address; code without one by an address that no function has.
type FunctionId = u32;
const NAMELESS: FunctionId = u32::MAX;

/// Something that runs on a core, on top of what it has interrupted or been called by.
#[derive(Clone, Debug)]
struct Frame {
    owner: CycleOwner,
    /// Its own cycles.
    own: u64,
    /// Those of a poll by function.
    functions: FxHashMap<FunctionId, u64>,
}

impl Frame {
    fn of(owner: CycleOwner) -> Self {
        Self { owner, own: 0, functions: FxHashMap::default() }
    }
}

#[derive(Clone, Debug)]
struct Core {
    /// The cycle up to which all are given to somebody.
    end: u64,
    /// The innermost last; never empty.
    frames: Vec<Frame>,
    /// The owner of the cycles up to the next instruction, if it is another than that of the instruction: an exception that is
    /// being entered or left.
    gap: Option<CycleOwner>,
    asleep_since: Option<u64>,
    asleep: u64,
}

/// The own cycles of a poll that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Own {
    pub(super) cycles: u64,
    /// The function that had most of them.
    pub(super) function: Option<String>,
}

/// Gives each cycle to one owner. It takes what retires, signals, and who runs; cycles in which nothing retires go to sleep, to the
/// exception that is entered or left, or to who runs.
#[derive(Debug)]
pub(super) struct Ledger<'i> {
    image: &'i Image,
    /// The function of each block in the catalog.
    blocks: Vec<FunctionId>,
    edition: u64,
    cores: Vec<Core>,
    core: usize,
    cycles: FxHashMap<CycleOwner, u64>,
    from: u64,
}

/// The greatest number of exceptions and polls on top of each other. A guest that goes beyond it has lost its way.
const DEEPEST: usize = 1_024;

impl<'i> Ledger<'i> {
    pub(super) fn new(image: &'i Image, cores: usize, from: Cycles) -> Self {
        let core = Core {
            end: from.get(),
            frames: vec![Frame::of(CycleOwner::StartUp)],
            gap: None,
            asleep_since: None,
            asleep: 0,
        };
        Self {
            image,
            blocks: Vec::new(),
            edition: new_edition(),
            cores: vec![core; cores],
            core: 0,
            cycles: FxHashMap::default(),
            from: from.get(),
        }
    }

    fn function(&self, pc: Address) -> FunctionId {
        self.image.function_at(pc).map_or(NAMELESS, |symbol| symbol.address.get())
    }

    fn name(&self, function: FunctionId) -> Option<String> {
        self.image.function_at(Address::new(function)).map(|symbol| symbol.display_name().to_owned())
    }

    fn at(&mut self, core: usize) -> &mut Core {
        let last = self.cores.len() - 1;
        &mut self.cores[core.min(last)]
    }

    /// The owner of what runs on `core`.
    pub(super) fn owner(&self, core: usize) -> CycleOwner {
        let frames = self.cores.get(core).map(|core| core.frames.as_slice()).unwrap_or_default();
        frames.last().map_or(CycleOwner::StartUp, |frame| frame.owner)
    }

    /// `owner` runs on `core` until [`Ledger::end`], on top of what does.
    pub(super) fn begin(&mut self, core: usize, owner: CycleOwner) {
        let frames = &mut self.at(core).frames;
        if frames.len() < DEEPEST {
            frames.push(Frame::of(owner));
        }
    }

    /// `owner` has ended on `core`, with all that ran on top of it; `None` if it does not run.
    pub(super) fn end(&mut self, core: usize, owner: CycleOwner) -> Option<Own> {
        let frames = &self.at(core).frames;
        let place = frames.iter().rposition(|frame| frame.owner == owner).filter(|place| *place > 0)?;
        let ended = self.at(core).frames.split_off(place);
        // What ended with it was cut off, and its cycles are its own all the same.
        let own: Vec<Own> = ended.into_iter().map(|frame| self.settle(frame)).collect();
        own.into_iter().next()
    }

    /// Adds the cycles of a frame to those of its owner.
    fn settle(&mut self, frame: Frame) -> Own {
        *self.cycles.entry(frame.owner).or_default() += frame.own;
        let most = frame.functions.iter().max_by_key(|(function, cycles)| (**cycles, std::cmp::Reverse(**function)));
        Own { cycles: frame.own, function: most.and_then(|(function, _)| self.name(*function)) }
    }

    /// From now on `owner` runs on `core` while no exception and no poll does.
    /// Returns the cycles of what it takes the place of.
    pub(super) fn run(&mut self, core: usize, owner: CycleOwner) -> Own {
        let before = std::mem::replace(&mut self.at(core).frames[0], Frame::of(owner));
        self.settle(before)
    }

    /// The owner of all that runs on `core` while no exception and no poll does.
    pub(super) fn base(&self, core: usize) -> CycleOwner {
        self.cores.get(core).and_then(|core| core.frames.first()).map_or(CycleOwner::StartUp, |frame| frame.owner)
    }

    pub(super) fn signal(&mut self, at: Cycles, core: usize, signal: Signal) {
        match signal {
            Signal::ExceptionEntered { number } => {
                self.begin(core, CycleOwner::Exception(number));
                self.at(core).gap = Some(CycleOwner::Exception(number));
            }
            Signal::ExceptionReturned { number } => {
                self.end(core, CycleOwner::Exception(number));
                self.at(core).gap = Some(CycleOwner::Exception(number));
            }
            Signal::Sleep => self.at(core).asleep_since = Some(at.get()),
            Signal::Wake => {
                let core = self.at(core);
                core.wake(at.get());
            }
            _ => {}
        }
    }

    /// Gives the cycles up to `at`, in which nothing retired, to somebody.
    #[cold]
    fn pass(&mut self, core: usize, at: u64) {
        let core = &mut self.cores[core];
        if core.asleep_since.is_some() {
            core.wake(at);
            core.asleep_since = Some(at);
        }
        let passed = at.saturating_sub(core.end);
        let slept = std::mem::take(&mut core.asleep).min(passed);
        core.end = core.end.max(at);
        *self.cycles.entry(CycleOwner::Sleep).or_default() += slept;
        let rest = passed - slept;
        match core.gap.take() {
            Some(owner) => *self.cycles.entry(owner).or_default() += rest,
            None => core.innermost().own += rest,
        }
    }

    /// The cycles of each owner up to `at`, or to the end of the last instruction if that is later, and the cycle it is.
    pub(super) fn finish(mut self, at: Cycles) -> (Vec<(CycleOwner, u64)>, Cycles) {
        let end = self.cores.iter().map(|core| core.end).max().unwrap_or(0).max(at.get());
        for core in 0..self.cores.len() {
            self.pass(core, end);
            for frame in std::mem::take(&mut self.cores[core].frames) {
                self.settle(frame);
            }
        }
        let mut cycles: Vec<_> = self.cycles.into_iter().filter(|(_, cycles)| *cycles > 0).collect();
        cycles.sort_unstable();
        (cycles, Cycles::new(end - self.from))
    }

    /// Gives the cycles of instructions that ran from `began` to `end` to who runs, and returns them.
    #[inline(always)]
    fn take(&mut self, began: u64, end: u64) -> u64 {
        let place = self.core;
        if began != self.cores[place].end {
            self.pass(place, began);
        }
        let core = &mut self.cores[place];
        core.gap = None;
        // An instruction that another core's event found under way is given once.
        let cycles = end.saturating_sub(core.end);
        core.end = core.end.max(end);
        core.innermost().own += cycles;
        cycles
    }

    /// Counts cycles of who runs that are of `function`.
    #[inline(always)]
    fn give(&mut self, function: FunctionId, cycles: u64) {
        let frame = self.cores[self.core].innermost();
        if cycles != 0 && matches!(frame.owner, CycleOwner::Task(_)) {
            let of_function = frame.functions.entry(function).or_default();
            *of_function = of_function.wrapping_add(cycles);
        }
    }

    fn function_of(&self, block: u32) -> FunctionId {
        self.blocks.get(block as usize).copied().unwrap_or(NAMELESS)
    }
}

impl Core {
    fn innermost(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the outermost never ends")
    }

    fn wake(&mut self, at: u64) {
        if let Some(since) = self.asleep_since.take() {
            self.asleep += at.saturating_sub(since.max(self.end));
        }
    }
}

impl BlockCatalog for Ledger<'_> {
    fn edition(&self) -> u64 {
        self.edition
    }

    fn renew(&mut self) -> u64 {
        self.blocks.clear();
        self.edition = new_edition();
        self.edition
    }

    fn splits(&mut self, first: Address, pc: Address) -> bool {
        self.function(first) != self.function(pc)
    }

    fn counter(&mut self, _: Address) -> u32 {
        0
    }

    fn add(&mut self, code: &[BlockInstruction]) -> u32 {
        let function = code.first().map_or(NAMELESS, |instruction| self.function(instruction.pc));
        self.blocks.push(function);
        self.blocks.len() as u32 - 1
    }

    fn stalls(&mut self) -> Option<&mut Vec<u64>> {
        None
    }

    fn joins_runs(&self) -> bool {
        true
    }

    fn joins(&mut self, _: u32, _: u32, _: u32) -> bool {
        true
    }

    fn ran_joined(&mut self, joined: Joined, _: Option<State<'_>>) {
        let Run { began, end, .. } = joined.last;
        // The functions of all runs are counted apart, and that with them.
        let function = self.function_of(joined.first);
        let given = self.take(began.get(), end.get());
        self.give(function, given.wrapping_sub((end - began).get()));
    }

    fn count(&mut self, counted: Counted) {
        let function = self.function_of(counted.block);
        self.give(function, counted.cycles.wrapping_add(counted.marked));
    }
}

impl Sink for Ledger<'_> {
    const OBSERVES: bool = true;
    const BLOCKS: bool = true;

    #[inline(always)]
    fn ran(&mut self, run: Run) {
        let cycles = self.take(run.began.get(), run.end.get());
        self.give(self.function_of(run.block), cycles);
    }

    fn retire(&mut self, retire: Retire) {
        let cycles = self.take(retire.at.get(), (retire.at + retire.cycles).get());
        self.give(self.function(retire.pc), cycles);
    }

    fn turn_to(&mut self, core: u8) {
        self.core = usize::from(core).min(self.cores.len() - 1);
    }

    fn catalog(&mut self) -> Option<&mut dyn BlockCatalog> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static IMAGE: LazyLock<Image> = LazyLock::new(|| {
        let images = cyclescope_images::images();
        let small = images.iter().find(|image| image.name == "switch-rust-plain-plain-s-stm32c031c6");
        Image::parse(&small.expect("a bundled image").elf().expect("it unpacks")).expect("an image")
    });

    /// Something that happens on one core.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// An instruction of so many cycles.
        Retires(u64),
        /// So many cycles in which nothing retires.
        Passes(u64),
        Sleeps(u64),
        /// An exception is entered, behind so many cycles.
        Enters(u16, u64),
        /// The latest exception returns, and so many cycles pass.
        Returns(u64),
        Polls(usize),
        /// The latest poll ends.
        Ends,
        /// A thread runs in the place of another.
        Runs(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (1u64..9).prop_map(Step::Retires),
            2 => (1u64..9).prop_map(Step::Passes),
            1 => (1u64..9).prop_map(Step::Sleeps),
            1 => (1u16..4, 0u64..9).prop_map(|(number, cycles)| Step::Enters(number, cycles)),
            1 => (0u64..9).prop_map(Step::Returns),
            1 => (0usize..3).prop_map(Step::Polls),
            1 => Just(Step::Ends),
            1 => (0usize..3).prop_map(Step::Runs),
        ];
        proptest::collection::vec(step, 0..60)
    }

    /// The same by hand, a cycle at a time.
    struct ByHand {
        frames: Vec<CycleOwner>,
        /// The cycles since the last instruction, and if each was slept.
        open: Vec<bool>,
        /// The exception that was entered or left since.
        between: Option<CycleOwner>,
        cycles: BTreeMap<CycleOwner, u64>,
    }

    impl ByHand {
        fn give(&mut self, owner: CycleOwner, cycles: u64) {
            if cycles > 0 {
                *self.cycles.entry(owner).or_default() += cycles;
            }
        }

        /// Cycles in which nothing retired are sleep, or an exception's that is entered or left, or belong to who runs now.
        fn settle(&mut self) {
            let owner = self.between.take().unwrap_or(*self.frames.last().expect("the outermost"));
            for slept in std::mem::take(&mut self.open) {
                self.give(if slept { CycleOwner::Sleep } else { owner }, 1);
            }
        }

        /// The innermost of a kind ends, with all that ran on top of it.
        fn end(&mut self, is: impl Fn(&CycleOwner) -> bool) -> Option<CycleOwner> {
            let place = self.frames.iter().skip(1).rposition(is)? + 1;
            let ended = self.frames[place];
            self.frames.truncate(place);
            Some(ended)
        }
    }

    proptest! {
        #[test]
        fn each_cycle_has_the_owner_that_it_has_by_hand(steps in steps()) {
            let mut ledger = Ledger::new(&IMAGE, 1, Cycles::ZERO);
            let mut hand =
                ByHand { frames: vec![CycleOwner::StartUp], open: Vec::new(), between: None, cycles: BTreeMap::new() };
            let mut now = 0;
            for step in steps {
                match step {
                    Step::Retires(cycles) => {
                        hand.settle();
                        hand.give(*hand.frames.last().expect("the outermost"), cycles);
                        let (at, cycles) = (Cycles::new(now), Cycles::new(cycles));
                        ledger.retire(Retire { pc: Address::new(0), at, cycles });
                        now += cycles.get();
                    }
                    Step::Passes(cycles) => {
                        hand.open.extend((0..cycles).map(|_| false));
                        now += cycles;
                    }
                    Step::Sleeps(cycles) => {
                        hand.open.extend((0..cycles).map(|_| true));
                        ledger.signal(Cycles::new(now), 0, Signal::Sleep);
                        now += cycles;
                        ledger.signal(Cycles::new(now), 0, Signal::Wake);
                    }
                    Step::Enters(number, cycles) => {
                        hand.open.extend((0..cycles).map(|_| false));
                        now += cycles;
                        hand.frames.push(CycleOwner::Exception(number));
                        hand.between = Some(CycleOwner::Exception(number));
                        ledger.signal(Cycles::new(now), 0, Signal::ExceptionEntered { number });
                    }
                    Step::Returns(cycles) => {
                        if let Some(ended) = hand.end(|owner| matches!(owner, CycleOwner::Exception(_)))
                            && let CycleOwner::Exception(number) = ended
                        {
                            hand.between = Some(ended);
                            ledger.signal(Cycles::new(now), 0, Signal::ExceptionReturned { number });
                        }
                        hand.open.extend((0..cycles).map(|_| false));
                        now += cycles;
                    }
                    Step::Polls(task) => {
                        hand.frames.push(CycleOwner::Task(task));
                        ledger.begin(0, CycleOwner::Task(task));
                    }
                    Step::Ends => {
                        if let Some(ended) = hand.end(|owner| matches!(owner, CycleOwner::Task(_))) {
                            prop_assert!(ledger.end(0, ended).is_some());
                        }
                    }
                    Step::Runs(task) => {
                        hand.frames[0] = CycleOwner::Task(task);
                        ledger.run(0, CycleOwner::Task(task));
                    }
                }
                prop_assert_eq!(ledger.owner(0), *hand.frames.last().expect("the outermost"));
            }
            hand.settle();
            let (owners, all) = ledger.finish(Cycles::new(now));
            prop_assert_eq!(all.get(), now);
            prop_assert_eq!(owners, hand.cycles.into_iter().collect::<Vec<_>>());
        }
    }
}
