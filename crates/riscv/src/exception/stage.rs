//! Interrupts of a core that takes them only while no instruction is in its stage: Ibex, ibex_controller.sv.
//!
//! Its controller looks at interrupts in every cycle. In one in which an instruction ends, it lets no other in, so that
//! the stage is empty in the next (`halt_if`). In one in which it is empty (that one, those behind taken branches and traps,
//! the first behind sleep) it goes to IRQ_TAKEN, and there it looks once more: what is gone by then is not taken, and what is
//! most urgent then is.

use cyclescope_machine::{Bus, Peripherals};

use super::privileged::Interrupt;
use crate::config::Traps;
use crate::cpu::{After, Cpu};
use crate::timing::Stage;

impl Cpu {
    /// Returns the interrupt that `handle_irq` finds in `cycle`, with the masks that were in force then.
    fn handled(&self, cycle: u64) -> Option<Interrupt> {
        let Traps::Privileged(core) = &self.config.traps else { return None };
        let seen = cycle + u64::from(self.config.timing.cycles(self.config.timing.recognition));
        let masks = match self.masks_before {
            Some((last, mie, enabled)) if cycle <= last => (mie, enabled),
            _ => (self.csrs.mie, self.csrs.mie_enabled),
        };
        self.pending_privileged(core, self.lines.seen_at(seen), masks)
    }

    /// Between two instructions, all that is due done: takes what interrupts there are, or lets time pass for one that goes
    /// again. Says whether anything came of it.
    pub(crate) fn pass_stage<P: Peripherals>(&mut self, bus: &mut Bus<P>, stage: Stage) -> bool {
        if self.after.committed {
            return false;
        }
        let now = self.now;
        if self.after.empty == 0 {
            if self.handled(now - 1).is_none() {
                return false;
            }
            self.now += self.charge(stage.drain);
            self.after.empty = 1;
            return true;
        }
        let empty = now - u64::from(self.after.empty)..now;
        let Some(seen) = empty.into_iter().find(|cycle| self.handled(*cycle).is_some()) else { return false };
        match self.handled(seen + 1) {
            Some(interrupt) => {
                self.now = seen;
                self.interrupt(bus, interrupt);
            }
            None => {
                self.now = now.max(seen + 1 + self.charge(stage.withdrawn));
                self.after = After { empty: 0, committed: true, ..self.after };
            }
        }
        true
    }
}
