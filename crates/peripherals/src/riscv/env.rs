//! The framework's bus for small RISC-V systems: registers are words and time is the core's clock.

use cyclescope_machine::units::{Cycles, Hertz};
use cyclescope_machine::{GapKind, Timebase};

use super::{Instance, Wire};
use crate::Write;
use crate::framework::{self, Bus};

/// The bus.
#[derive(Clone, Copy, Debug)]
pub struct Riscv;

/// An action of a block on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A source of the PLIC moves.
    Source {
        /// The source.
        source: u8,
        /// `true` for high.
        high: bool,
    },
    /// A block has begun a wave, or an attached device has done something.
    Outside,
}

/// The state that the blocks of a part share.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// The core's clock, which never changes.
    pub clock: Hertz,
    /// The code with which software ended the run.
    pub exit: Option<i32>,
}

impl Bus for Riscv {
    /// Offsets are those of words, from the block's base; a UART 16550's are those of bytes.
    type Offset = u32;
    type Word = u32;
    type Write = Write;
    type Instance = Instance;
    type Effect = Effect;
    /// Clocks never change.
    type Change = ();
    type Shared = Shared;
    /// Cycles of the core since power-on.
    type Time = u64;
    /// These parts have no pins.
    type Signal = u8;

    const OUTSIDE: Effect = Effect::Outside;
    const SUPPLY: i32 = 3_300_000;

    fn timebase(shared: &Shared) -> Timebase {
        Timebase::fixed(shared.clock)
    }

    fn cycle(_: &Shared, at: u64) -> Cycles {
        Cycles::new(at)
    }

    fn name(instance: &Instance) -> &'static str {
        instance.name
    }

    fn with_bit(_: u32, bit: u8, high: bool) -> Write {
        Write::bit(bit, high)
    }

    #[inline]
    fn now(env: &Env<'_, '_>) -> u64 {
        env.context.now.get()
    }

    fn schedule(env: &mut Env<'_, '_>, kind: u16, at: u64) {
        let id = env.event_id(RANK, kind);
        if at == u64::MAX {
            env.context.events.cancel(id);
        } else {
            env.context.events.schedule(Cycles::new(at.max(env.now() + 1)), id);
        }
    }
}

/// The rank of blocks' events among those of a cycle.
const RANK: u8 = 128;

/// A block's view of its part.
pub type Env<'a, 'c> = framework::Env<'a, 'c, Riscv>;

/// The connections of a part's blocks with each other and with their machine.
pub type Wires = framework::Wires<Riscv>;

impl Env<'_, '_> {
    /// Drives the block's interrupt `index`.
    pub fn line(&mut self, index: usize, high: bool) {
        match self.instance.wires.get(index) {
            Some(Wire::Core(line)) => self.context.interrupts.set(usize::from(*line), high),
            Some(Wire::Plic(source)) => self.effect(Effect::Source { source: *source, high }),
            Some(Wire::None) | None => {}
        }
    }

    /// Ends the run with `code`, after the instruction.
    pub fn exit(&mut self, code: i32) {
        self.wires.shared.exit = Some(code);
        *self.context.reset = Some("software has ended the run");
    }

    /// Names the hole at `offset` of the block.
    #[cold]
    pub fn hole(&mut self, kind: GapKind, offset: u32) {
        self.gap(kind, format_args!("{}+{offset:#x}", self.instance.name));
    }

    /// A read at `offset` of the block, where no register is: names the hole and gives 0.
    #[cold]
    pub fn read_hole(&mut self, offset: u32) -> u32 {
        self.hole(GapKind::RegisterRead, offset);
        0
    }

    /// Names what of the register at `offset` the bits `unmodelled` belong to, if any are set.
    pub fn unmodelled(&mut self, offset: u32, unmodelled: u32) {
        if unmodelled == 0 {
            return;
        }
        let name = self.instance.name;
        let Some(register) = self.instance.map().and_then(|map| super::find(map, offset)) else { return };
        for field in register.fields.iter().filter(|field| field.mask() & unmodelled != 0) {
            self.gap(GapKind::RegisterWrite, format_args!("{name}_{}.{}", register.name, field.name));
        }
    }
}
