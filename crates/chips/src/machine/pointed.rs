//! Sinks behind a pointer. The run loops are large, and a generic function is compiled anew in each crate that calls it: behind a
//! pointer all sinks share the two loops that are compiled here.

use cyclescope_machine::{BlockCatalog, Retire, Run, Sink, State};

/// A [`Sink`] of any type.
pub(super) trait AnySink {
    fn take(&mut self, retire: Retire);
    fn take_run(&mut self, run: Run);
    fn take_state(&mut self, state: State<'_>);
    fn core(&mut self, core: u8);
    fn blocks(&mut self) -> Option<&mut dyn BlockCatalog>;
}

impl<S: Sink> AnySink for S {
    fn take(&mut self, retire: Retire) {
        self.retire(retire);
    }

    fn take_run(&mut self, run: Run) {
        self.ran(run);
    }

    fn take_state(&mut self, state: State<'_>) {
        self.state(state);
    }

    fn core(&mut self, core: u8) {
        self.turn_to(core);
    }

    fn blocks(&mut self) -> Option<&mut dyn BlockCatalog> {
        self.catalog()
    }
}

/// A sink that observes, of whole blocks or of each instruction.
pub(super) struct Pointed<'a, const BLOCKS: bool>(pub &'a mut dyn AnySink);

impl<const BLOCKS: bool> Sink for Pointed<'_, BLOCKS> {
    const OBSERVES: bool = true;
    const BLOCKS: bool = BLOCKS;

    #[inline(always)]
    fn retire(&mut self, retire: Retire) {
        self.0.take(retire);
    }

    #[inline(always)]
    fn ran(&mut self, run: Run) {
        self.0.take_run(run);
    }

    #[inline(always)]
    fn state(&mut self, state: State<'_>) {
        self.0.take_state(state);
    }

    fn turn_to(&mut self, core: u8) {
        self.0.core(core);
    }

    fn catalog(&mut self) -> Option<&mut dyn BlockCatalog> {
        self.0.blocks()
    }
}
