//! A part with an image in it: core, bus and devices joined.
//!
//! A [`Machine`] holds one of several cores, each with a bus of its own kind. Which one is asked once a run, and once for each
//! question from outside, never inside the loop.

/// Asks the machine inside, whatever its kind.
macro_rules! inside {
    ($kind:expr, $machine:ident => $answer:expr) => {
        match $kind {
            Kind::CortexM($machine) => $answer,
            Kind::Avr($machine) => $answer,
            Kind::Riscv($machine) => $answer,
            Kind::Xtensa($machine) => $answer,
        }
    };
}

mod avr;
mod cores;
mod cortex_m;
mod debug;
mod drive;
mod holds;
mod joined;
mod load;
mod pointed;
mod post_mortem;
mod riscv;
mod settings;
mod stacks;
mod tier;
mod xtensa;

use std::ops::Range;
use std::sync::Arc;

use cyclescope_machine::units::{Address, Bytes, Cycles, Hertz};
use cyclescope_machine::{
    Attached, Attachment, FaultReport, FlashTiming, Gap, Pin, Placement, Restore, StackOverrun, TimingRow,
};
use cyclescope_peripherals::Clocks;

use self::avr::AvrMachine;
use self::cortex_m::CortexMachine;
pub use self::holds::{Hold, Situation};
use self::riscv::RiscvMachine;
pub use self::settings::{AttachError, LoadError, Settings};
pub use self::stacks::StackUse;
pub use self::tier::{Tier, take_lowered_share};
use self::xtensa::XtensaMachine;
use crate::part::{Core, Part};
use crate::riscv::RiscvDevices;
use crate::{Devices, MemorySetting};

/// A machine ready to run, or in the middle of a run. Clone it to fork the run.
#[derive(Debug)]
pub struct Machine {
    part: Arc<Part>,
    kind: Kind,
    resets: u64,
    halt_on_reset: bool,
}

// A derived one is inlined into each crate that clones a machine, with the clones of all that is in it.
impl Clone for Machine {
    fn clone(&self) -> Self {
        let Self { part, kind, resets, halt_on_reset } = self;
        Self { part: part.clone(), kind: kind.clone(), resets: *resets, halt_on_reset: *halt_on_reset }
    }
}

/// Core and bus, by the kind of the core.
// A machine is made once and moved rarely.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
enum Kind {
    CortexM(CortexMachine),
    Avr(AvrMachine),
    Riscv(RiscvMachine),
    Xtensa(XtensaMachine),
}

impl Machine {
    /// `part` with `segments` loaded, reset and about to run its first instruction.
    ///
    /// # Errors
    /// [`LoadError`] where the part could not start this image.
    pub fn new<'s>(
        part: &Part,
        settings: Settings,
        segments: impl IntoIterator<Item = (Address, &'s [u8])>,
    ) -> Result<Self, LoadError> {
        Self::entered(part, settings, None, segments)
    }

    /// The same; execution begins at `entry` on a part whose boot ROM goes there.
    fn entered<'s>(
        part: &Part,
        settings: Settings,
        entry: Option<Address>,
        segments: impl IntoIterator<Item = (Address, &'s [u8])>,
    ) -> Result<Self, LoadError> {
        let kind = match &part.core {
            Core::CortexM(core) => Kind::CortexM(CortexMachine::load(part, core, settings, segments)?),
            Core::Avr(own) => Kind::Avr(AvrMachine::load(part, own, settings, segments)?),
            Core::Riscv(own) => Kind::Riscv(RiscvMachine::load(part, own, settings, segments)?),
            Core::Xtensa(own) => Kind::Xtensa(XtensaMachine::load(part, own, settings, entry, segments)?),
        };
        Ok(Self { part: Arc::new(part.clone()), kind, resets: 0, halt_on_reset: settings.halt_on_reset })
    }

    /// The part.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The core, if it is a Cortex-M.
    pub fn cortex_m(&self) -> Option<&cyclescope_cortex_m::Core<Devices>> {
        match &self.kind {
            Kind::CortexM(machine) => Some(&machine.core),
            Kind::Avr(_) | Kind::Riscv(_) | Kind::Xtensa(_) => None,
        }
    }

    /// The core, if it is Xtensa.
    pub fn xtensa(&self) -> Option<&cyclescope_xtensa::Core<Devices>> {
        match &self.kind {
            Kind::Xtensa(machine) => Some(&machine.core),
            Kind::CortexM(_) | Kind::Avr(_) | Kind::Riscv(_) => None,
        }
    }

    /// The core, if it is RISC-V.
    pub fn riscv(&self) -> Option<&cyclescope_riscv::Core<RiscvDevices>> {
        match &self.kind {
            Kind::Riscv(machine) => Some(&machine.core),
            Kind::CortexM(_) | Kind::Avr(_) | Kind::Xtensa(_) => None,
        }
    }

    /// The number of its cores.
    pub fn cores(&self) -> usize {
        inside!(&self.kind, machine => machine.core.all().len())
    }

    /// The core that stands for the machine: the one that ran last, or that was [selected](Self::select_core).
    pub fn core(&self) -> usize {
        inside!(&self.kind, machine => machine.core.current())
    }

    /// Has the core `core` stand for the machine until it runs again: registers, the program counter, the time. A number that it
    /// does not have changes nothing.
    pub fn select_core(&mut self, core: usize) {
        inside!(&mut self.kind, machine => machine.core.select(core, &mut machine.bus));
    }

    /// The core's clock at the moment.
    pub fn clock(&self) -> Hertz {
        inside!(&self.kind, machine => machine.bus.peripherals.hclk())
    }

    /// The clock tree at the moment, if the core is a Cortex-M or Xtensa. It is the one that the part's clock control makes; of a part
    /// without one only [`Machine::clock`] tells.
    pub fn clocks(&self) -> Option<&Clocks> {
        match &self.kind {
            Kind::CortexM(machine) => Some(machine.bus.peripherals.clocks()),
            Kind::Xtensa(machine) => Some(machine.bus.peripherals.clocks()),
            Kind::Avr(_) | Kind::Riscv(_) => None,
        }
    }

    /// Returns the present timing of flash.
    pub fn flash_timing(&self) -> FlashTiming {
        inside!(&self.kind, machine => machine.bus.memory.flash.interface().timing())
    }

    /// Has code and constants lie elsewhere, for timing only; with `None` where they are. Caches and prefetch buffers begin empty.
    pub fn place(&mut self, placement: Option<Arc<Placement>>) {
        inside!(&mut self.kind, machine => machine.bus.memory.place(placement));
    }

    /// Describes in words how the firmware has set up the flash so far; `None` for a part without a flash interface.
    pub fn flash_settings_written(&self) -> Option<String> {
        match &self.kind {
            Kind::CortexM(machine) => machine.bus.peripherals.flash_settings_written(),
            Kind::Avr(_) | Kind::Riscv(_) | Kind::Xtensa(_) => None,
        }
    }

    /// The memory setting chosen, for a part with a flash interface.
    pub fn memory_setting(&self) -> Option<MemorySetting> {
        match &self.kind {
            Kind::CortexM(machine) => machine.bus.peripherals.memory_setting(),
            Kind::Avr(_) | Kind::Riscv(_) | Kind::Xtensa(_) => None,
        }
    }

    /// In how many phases the bus clocks can lie against the core's, as they are divided at the moment; 1 where none is.
    pub fn bus_phases(&self) -> u64 {
        match &self.kind {
            Kind::CortexM(machine) => machine.bus.peripherals.clocks().phases(),
            Kind::Xtensa(machine) => machine.bus.peripherals.clocks().phases(),
            Kind::Avr(_) | Kind::Riscv(_) => 1,
        }
    }

    /// Returns the cycles of loops that were skipped, and not carried out, since power-on.
    pub fn skipped(&self) -> Cycles {
        Cycles::new(inside!(&self.kind, machine => machine.core.skipped()))
    }

    /// Returns the number of resets since power-on.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// The model gaps met so far.
    pub fn gaps(&self) -> &[Gap] {
        inside!(&self.kind, machine => machine.bus.shared.gaps.all())
    }

    /// The stimuli so far that put a pin to the level that it had, so that nothing changed: the pin, the level, their number.
    pub fn idle_stimuli(&self) -> &[(Pin, bool, u64)] {
        inside!(&self.kind, machine => machine.bus.peripherals.idle_stimuli())
    }

    /// Hangs devices on the part's pins and gives them power, before the run.
    ///
    /// # Errors
    /// [`AttachError`] where a wire ends nowhere, or two devices have one name.
    pub fn attach(&mut self, attachments: Vec<Attachment>) -> Result<(), AttachError> {
        inside!(&mut self.kind, machine => machine.attach(attachments, &self.part))
    }

    /// The attached devices, each with its name.
    pub fn attached(&self) -> Vec<(&str, &dyn Attached)> {
        inside!(&self.kind, machine => machine.bus.peripherals.outside().devices().collect())
    }

    /// Exceptions by number and name: the system's, then the part's interrupts.
    pub fn exceptions(&self) -> Vec<(u16, &'static str)> {
        inside!(&self.kind, machine => machine.exceptions(&self.part))
    }

    /// Tells if the exception `number` is one of register windows: a call or a return that moves registers between the file and
    /// the stack, and no interruption.
    pub fn is_window_exception(&self, number: u16) -> bool {
        matches!(self.kind, Kind::Xtensa(_)) && cyclescope_xtensa::WINDOW_EXCEPTIONS.contains(&number)
    }

    /// The timing rows that the run has used so far: the core's own, and those of bus and flash that applied.
    pub fn timing_used(&self) -> Vec<&'static TimingRow> {
        let mut rows = inside!(&self.kind, machine => machine.timing_used(&self.part));
        rows.extend(inside!(&self.kind, machine => machine.bus.peripherals.rows_used().iter().copied()));
        rows
    }

    /// The last fault that the guest's own handler was given, where the core has such handlers.
    pub fn handled_fault(&self) -> Option<FaultReport> {
        match &self.kind {
            Kind::CortexM(machine) => machine.core.cpu().last_fault,
            Kind::Riscv(machine) => machine.core.cpu().last_fault,
            Kind::Xtensa(machine) => machine.core.cpu().last_fault,
            // Such a core has no faults.
            Kind::Avr(_) => None,
        }
    }

    /// Deepest use of the main stack, in bytes below its initial top. On RISC-V it is the stack that is used first.
    pub fn main_stack_used(&self) -> Bytes {
        inside!(&self.kind, machine => machine.main_stack_used(&self.part))
    }

    /// Returns the place where the stack first ran into the image's variables, or `None`. Only an AVR reports it, because its
    /// stack grows towards the variables with nothing between. The image must say where they end ([`Machine::load`]).
    pub fn stack_overrun(&self) -> Option<StackOverrun> {
        match &self.kind {
            Kind::CortexM(_) | Kind::Riscv(_) | Kind::Xtensa(_) => None,
            Kind::Avr(machine) => machine.stack_overrun(),
        }
    }

    /// Watches how deep each of these stacks gets from now on, for [`Machine::stacks_used`]: a kernel's, one for each task,
    /// and the main stack if it is named. A stack reaches from its lowest address to the first above it. Of ranges that
    /// overlap the first that holds the stack pointer gets the use. Takes the place of what was watched before. A Cortex-M's
    /// only: those of AVR and RISC-V are not told apart yet, and none is reported.
    pub fn watch_stacks(&mut self, stacks: &[Range<Address>]) {
        match &mut self.kind {
            Kind::CortexM(machine) => machine.watch_stacks(stacks),
            Kind::Avr(_) | Kind::Riscv(_) | Kind::Xtensa(_) => {}
        }
    }

    /// Watches one more stack from now on, behind the others: that of a task that was just made and has not run. It takes the place
    /// of those that it overlaps, whose use up to now stays.
    pub fn watch_stack(&mut self, stack: &Range<Address>) {
        match &mut self.kind {
            Kind::CortexM(machine) => machine.watch_stack(stack),
            Kind::Avr(_) | Kind::Riscv(_) | Kind::Xtensa(_) => {}
        }
    }

    /// The deepest use of each stack since [`Machine::watch_stacks`], in its order: what code pushed or made room for,
    /// exception frames, and the registers that a kernel saves below the process stack pointer.
    ///
    /// The end of a frame that is reserved and not written counts (lazy floating-point state). What a kernel writes to a
    /// task's stack before the task first runs does not.
    pub fn stacks_used(&self) -> Vec<StackUse> {
        match &self.kind {
            Kind::CortexM(machine) => machine.stacks_used(),
            Kind::Avr(_) | Kind::Riscv(_) | Kind::Xtensa(_) => Vec::new(),
        }
    }

    /// The code with which software has ended the run, once.
    fn take_exit(&mut self) -> Option<i32> {
        match &mut self.kind {
            Kind::Riscv(machine) => machine.bus.peripherals.take_exit(),
            Kind::CortexM(_) | Kind::Avr(_) | Kind::Xtensa(_) => None,
        }
    }
}

impl Restore for Machine {
    /// See [`Restore::restore`]. `from` should descend from the same machine as this one, by [`Clone`]: one that does not is
    /// cloned. [`Machine::timing_used`] afterwards names the rows of both.
    fn restore(&mut self, from: &Self) {
        if !Arc::ptr_eq(&self.part, &from.part) {
            let watched = inside!(&self.kind, machine => machine.core.watched().to_vec());
            *self = from.clone();
            inside!(&mut self.kind, machine => machine.core.watch_only(&watched));
            return;
        }
        match (&mut self.kind, &from.kind) {
            (Kind::CortexM(machine), Kind::CortexM(from)) => machine.restore(from),
            (Kind::Avr(machine), Kind::Avr(from)) => machine.restore(from),
            (Kind::Riscv(machine), Kind::Riscv(from)) => machine.restore(from),
            (Kind::Xtensa(machine), Kind::Xtensa(from)) => machine.restore(from),
            // Machines of one part are of one kind.
            (kind, from) => *kind = from.clone(),
        }
        self.resets = from.resets;
        self.halt_on_reset = from.halt_on_reset;
    }
}
