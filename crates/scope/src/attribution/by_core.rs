//! One attribution a core.

use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{BlockCatalog, Retire, Run, Signal, Sink, State};

use super::account::joined;
use super::{Account, Attribution, PathCost};

/// An [`Attribution`] for each core of a machine. What a core retires goes to its own.
///
/// The span of a part with several cores is the same time on each of them, so the sum of all costs is that time as often as
/// there are cores. The first step of each path is the core then.
#[derive(Debug)]
pub struct CoreAttributions<'i> {
    /// That of the core whose turn it is.
    current: Attribution<'i>,
    core: u8,
    /// That of the other core, if there is one.
    other: Option<Box<Attribution<'i>>>,
}

impl<'i> CoreAttributions<'i> {
    /// Returns attributions for `cores` cores, one or two, that are closed and have counted nothing.
    pub fn new(image: &'i Image, cores: usize) -> Self {
        let other = (cores > 1).then(|| Box::new(Attribution::new(image)));
        Self { current: Attribution::new(image), core: 0, other }
    }

    /// Tells if they count.
    pub fn is_open(&self) -> bool {
        self.current.is_open()
    }

    /// See [`Attribution::open`]. The core that the others have left behind or run ahead of begins in the same cycle.
    pub fn open(&mut self, at: Cycles) {
        match &mut self.other {
            None => self.current.open(at),
            Some(other) => [&mut self.current, &mut **other].into_iter().for_each(|one| one.open(one.not_before(at))),
        }
    }

    /// See [`Attribution::close`].
    pub fn close(&mut self, at: Cycles) {
        match &mut self.other {
            None => self.current.close(at),
            Some(other) => [&mut self.current, &mut **other].into_iter().for_each(|one| one.close(one.not_before(at))),
        }
    }

    /// Returns that of the core `core`.
    fn of(&mut self, core: u8) -> &mut Attribution<'i> {
        match &mut self.other {
            Some(other) if core != self.core => other,
            _ => &mut self.current,
        }
    }

    /// Takes a signal of the core `core`; see [`Attribution::signal`].
    pub fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        self.of(core).signal(at, signal);
    }

    /// Takes the position of the core `core`; see [`Attribution::stopped`].
    pub fn stopped(&mut self, core: u8, pc: Address, stack_pointer: Address) {
        self.of(core).stopped(pc, stack_pointer);
    }

    /// Those of all cores, in order.
    fn all(&self) -> Vec<&Attribution<'i>> {
        let mut all: Vec<_> = std::iter::once(&self.current).chain(self.other.as_deref()).collect();
        if self.core != 0 {
            all.reverse();
        }
        all
    }

    /// Returns the account so far of all cores; see [`Attribution::account`].
    pub fn account(&self, names: &[(u16, &str)]) -> Account {
        match self.all().as_slice() {
            [one] => one.account(names),
            all => joined(all.iter().map(|one| one.account(names)).collect()),
        }
    }

    /// Returns only the paths, as in [`Account::paths`].
    pub fn paths(&self, names: &[(u16, &str)]) -> Vec<PathCost> {
        match self.all().as_slice() {
            [one] => one.paths(names),
            all => {
                let paths = |one: &&Attribution<'_>| Account { paths: one.paths(names), ..Account::default() };
                joined(all.iter().map(paths).collect()).paths
            }
        }
    }
}

impl Sink for CoreAttributions<'_> {
    const OBSERVES: bool = true;
    const BLOCKS: bool = true;

    #[inline(always)]
    fn retire(&mut self, retire: Retire) {
        self.current.retire(retire);
    }

    #[inline(always)]
    fn ran(&mut self, run: Run) {
        self.current.ran(run);
    }

    #[inline(always)]
    fn state(&mut self, state: State<'_>) {
        self.current.state(state);
    }

    fn turn_to(&mut self, core: u8) {
        if core != self.core
            && let Some(other) = &mut self.other
        {
            std::mem::swap(&mut self.current, other);
            self.core = core;
        }
    }

    fn catalog(&mut self) -> Option<&mut dyn BlockCatalog> {
        self.current.catalog()
    }
}
