//! What a block sees of the part around it while it answers an access or an event.

use std::fmt;

use cyclescope_machine::{Context, EventId, GapKind, TimingRow};
use cyclescope_units::Cycles;

use super::{Instance, Wire};

/// Happenings per block that have an event number of their own.
pub const EVENTS_PER_BLOCK: u16 = 4;

/// What the blocks of a part hand each other and their machine.
#[derive(Clone, Debug, Default)]
pub struct Wires {
    /// Sources of the PLIC that moved, and where to.
    pub sources: Vec<(u8, bool)>,
    /// The code with which software ended the run.
    pub exit: Option<i32>,
    /// The timing rows that have decided anything so far, in the order of their first use.
    pub rows: Vec<&'static TimingRow>,
}

/// A block's view of its part.
pub struct Env<'a, 'c> {
    /// What all devices of a machine see.
    pub context: &'a mut Context<'c>,
    /// The way to the other blocks.
    pub wires: &'a mut Wires,
    /// The block as this part has it.
    pub instance: &'static Instance,
    /// The block's number in its part.
    pub slot: u16,
}

impl Env<'_, '_> {
    /// The time in cycles of the core since power-on.
    #[inline]
    pub fn now(&self) -> u64 {
        self.context.now.get()
    }

    fn event_id(&self, kind: u16) -> EventId {
        EventId::new(self.slot * EVENTS_PER_BLOCK + kind % EVENTS_PER_BLOCK)
    }

    /// Has the block's event `kind` come in the cycle `at`, in the next one at the earliest; `u64::MAX` cancels it.
    pub fn schedule(&mut self, kind: u16, at: u64) {
        let id = self.event_id(kind);
        if at == u64::MAX {
            self.context.events.cancel(id);
        } else {
            self.context.events.schedule(Cycles::new(at.max(self.now() + 1)), id);
        }
    }

    /// Takes all of the block's events back.
    pub fn cancel(&mut self) {
        (0..EVENTS_PER_BLOCK).for_each(|kind| self.schedule(kind, u64::MAX));
    }

    /// Drives the block's interrupt `index`.
    pub fn line(&mut self, index: usize, high: bool) {
        match self.instance.wires.get(index) {
            Some(Wire::Core(line)) => self.context.interrupts.set(usize::from(*line), high),
            Some(Wire::Plic(source)) => self.wires.sources.push((*source, high)),
            Some(Wire::None) | None => {}
        }
    }

    /// Ends the run with `code`, after the instruction.
    pub fn exit(&mut self, code: i32) {
        self.wires.exit = Some(code);
        *self.context.reset = Some("software has ended the run");
    }

    /// Resets the part after the instruction.
    pub fn reset_part(&mut self, cause: &'static str) {
        *self.context.reset = Some(cause);
    }

    /// The cycles of `row`, which is noted as used.
    #[inline]
    pub fn cycles(&mut self, row: &'static TimingRow) -> u64 {
        if !self.wires.rows.iter().any(|known| std::ptr::eq(*known, row)) {
            self.wires.rows.push(row);
        }
        u64::from(row.cycles)
    }

    /// Counts a model gap.
    pub fn gap(&mut self, kind: GapKind, name: fmt::Arguments<'_>) {
        match name.as_str() {
            Some(name) => self.context.gap(kind, name),
            None => self.context.gap(kind, &name.to_string()),
        }
    }

    /// Names the hole at `offset` of the block.
    #[cold]
    pub fn hole(&mut self, kind: GapKind, offset: u32) {
        self.gap(kind, format_args!("{}+{offset:#x}", self.instance.name));
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
