//! One cycle.

use super::data::Last;
use super::fetch::Behind;
use super::{Event, Kind, Masks, Pipeline, REMEMBERED, Slot, Surroundings};

const SOFTWARE: u32 = 1 << 3;
const TIMER: u32 = 1 << 7;
const EXTERNAL: u32 = 1 << 11;

/// The stages from the decode stage on.
const DECODE: usize = 0;
const EXECUTE: usize = 1;
const MEMORY: usize = 2;
const WRITE_BACK: usize = 3;

/// The stages' states in a cycle: those that keep their occupants, those whose occupants go nowhere.
struct Stages {
    stuck: [bool; 4],
    removed: [bool; 4],
    /// The execute stage is kept by others.
    blocked: bool,
    /// No instruction is behind the execute stage.
    alone: bool,
}

impl Pipeline {
    /// Passes a cycle.
    pub(crate) fn step(&mut self, surroundings: &impl Surroundings) -> Event {
        let now = self.cycle;
        self.cycle += 1;
        let command = self.data.command();
        if command.is_some_and(|command| command.deferred && self.bus.carries_out(command)) {
            self.ahead = self.ahead.saturating_sub(1);
        }
        let [fetched, answered] = self.bus.step(self.fetch.request(), self.fetch.has_lines(), command);
        let leaving =
            [&self.execute, &self.memory, &self.write_back].into_iter().flatten().any(|slot| slot.kind == Kind::Return);
        let decoded = self.fetch.decoded(surroundings, leaving);
        let decodes = decoded.filter(|slot| slot.kind != Kind::TrapFetch);
        let returns = self.write_back.is_some_and(|slot| slot.kind == Kind::Return);
        let waiting = self.exceptions[EXECUTE..].contains(&true);
        let interrupts = self.interrupt.filter(|_| self.liberated[2] && !waiting && !self.had_exception);
        let enters = interrupts.is_some() || self.had_exception;
        let Last { halts, redoes } = self.data.last(self.write_back.as_ref());

        // The stages that keep their occupants, the last one first.
        let mut stuck = [false; 4];
        stuck[WRITE_BACK] = halts;
        stuck[MEMORY] = halts || self.memory_halts(answered);
        let blocked = stuck[MEMORY] || self.data.blocks(self.execute.as_ref());
        stuck[EXECUTE] = blocked || self.execute_halts();
        let liberates = self.interrupt.is_some() && decodes.is_some();
        let hazard = decodes.is_some_and(|slot| self.is_hazard(&slot));
        stuck[DECODE] = stuck[EXECUTE] || hazard || liberates || leaving;

        // Exceptions of stages, and what they and jumps flush.
        let raises = [
            decoded.is_some_and(|slot| matches!(slot.kind, Kind::TrapDecode | Kind::TrapFetch)),
            self.execute.is_some_and(|slot| matches!(slot.kind, Kind::TrapExecute | Kind::TrapCsr)),
            self.memory.is_some_and(|slot| slot.kind == Kind::TrapMemory),
            self.write_back.is_some_and(|slot| slot.kind == Kind::TrapLast),
        ];
        let redirect = self.memory.and_then(|slot| slot.redirect);
        let goes_on = redirect.is_some() && self.memory.is_some_and(|slot| slot.own);
        let predicts = decodes.filter(|slot| slot.jumps);
        let jumps_last = returns || enters || redoes;
        let flushes = [
            raises[DECODE] || predicts.is_some(),
            raises[EXECUTE],
            raises[MEMORY] || redirect.is_some(),
            raises[WRITE_BACK] || jumps_last,
        ];
        let flushed = |stage: usize| redoes || flushes[stage + 1..].contains(&true);
        let removed: [bool; 4] = std::array::from_fn(|stage| flushed(stage) || raises[stage]);
        let valid: [bool; 4] =
            std::array::from_fn(|stage| (self.exceptions[stage] || raises[stage]) && !flushed(stage));
        let exception = valid[WRITE_BACK];

        // The stages before.
        let target = if redoes {
            self.write_back.map(|slot| slot.pc)
        } else if enters {
            Some(surroundings.vector())
        } else if returns {
            Some(self.awaited)
        } else {
            redirect.or(predicts.map(|slot| slot.predicted))
        };
        let behind = Behind {
            stuck: stuck[DECODE],
            removed: removed[DECODE],
            decode_jumps: flushes[DECODE],
            jumps: flushes.contains(&true),
            target,
            halted: valid.contains(&true) || returns || enters,
            leaving,
            fence: decodes.is_some_and(|slot| slot.kind == Kind::FenceI),
        };
        self.fetch.end(&behind, fetched, surroundings);

        // The interrupt inputs.
        let before = self.interrupts();
        self.liberate(liberates && !removed[DECODE], &stuck);
        self.wakes = self.pending & self.masks.mie != 0;
        let lines = surroundings.lines(now);
        let external = self.array_input & self.masks.array != 0;
        self.array_input = (lines >> 32) as u32;
        self.pending = lines as u32 & (SOFTWARE | TIMER) | if external { EXTERNAL } else { 0 };
        self.interrupt = before.filter(|_| interrupts.is_none());

        let alone = self.is_alone();
        let stages = [&self.execute, &self.memory, &self.write_back].map(Option::as_ref);
        self.data.end(answered, stages, !stuck[WRITE_BACK]);
        let event = self.advance(now, decoded, &Stages { stuck, removed, blocked, alone });
        self.exceptions = [
            stuck[DECODE] && valid[DECODE],
            if stuck[EXECUTE] { valid[EXECUTE] } else { valid[DECODE] && !stuck[DECODE] },
            if stuck[MEMORY] { valid[MEMORY] } else { valid[EXECUTE] && !stuck[EXECUTE] },
            !stuck[WRITE_BACK] && valid[MEMORY] && !stuck[MEMORY],
        ];
        let entered = self.had_exception;
        self.had_exception = exception;
        if goes_on || returns || redoes {
            (self.astray, self.shadow) = (false, None);
        }
        if entered {
            return Event::Exception;
        }
        interrupts.map_or(event, Event::Interrupt)
    }

    fn memory_halts(&self, answered: bool) -> bool {
        let Some(slot) = &self.memory else { return false };
        match slot.kind {
            Kind::Multiply => self.variant.iterative_multiplier && self.worked < self.variant.multiply,
            Kind::Divide => self.worked < self.variant.divide,
            _ => self.data.awaits(slot, answered),
        }
    }

    fn execute_halts(&self) -> bool {
        if self.data.halts(self.execute.as_ref()) {
            return true;
        }
        let Some(slot) = &self.execute else { return false };
        match slot.kind {
            Kind::Shift => self.variant.light_shifter && self.shift.unwrap_or(slot.amount) > 1,
            Kind::Csr => !self.is_alone() || self.protected < slot.amount,
            Kind::TrapCsr => !self.is_alone(),
            Kind::Wait => self.variant.waits && !self.wakes,
            _ => false,
        }
    }

    /// Tells whether no instruction is behind the execute stage.
    fn is_alone(&self) -> bool {
        self.memory.is_none() && self.write_back.is_none()
    }

    /// Tells whether `slot`, in the decode stage, needs a register that no later stage can pass on yet.
    fn is_hazard(&self, slot: &Slot) -> bool {
        let needs = |other: &Option<Slot>, stage: usize| {
            other.as_ref().is_some_and(|other| {
                let passed = self.variant.bypasses && other.early.get(stage).is_none_or(|early| *early);
                other.writes != 0 && !passed && slot.reads.contains(&other.writes)
            })
        };
        let written = !self.variant.bypasses && self.written != 0 && slot.reads.contains(&self.written);
        needs(&self.execute, 0) || needs(&self.memory, 1) || needs(&self.write_back, 2) || written
    }

    /// The interrupt that is wanted.
    pub(super) fn interrupts(&self) -> Option<u8> {
        let Masks { mie, enabled, .. } = self.masks;
        let wanted = self.pending & mie;
        if !enabled || wanted == 0 {
            return None;
        }
        [11, 3, 7].into_iter().find(|number| wanted >> number & 1 != 0)
    }

    /// The later stages become empty while an interrupt waits.
    fn liberate(&mut self, active: bool, stuck: &[bool; 4]) {
        let before = self.liberated;
        self.liberated = [false; 3];
        if active {
            self.liberated = std::array::from_fn(|place| {
                let previous = if place == 0 { true } else { before[place - 1] };
                if stuck[place + 1] { before[place] } else { previous }
            });
        }
    }

    /// Moves the occupants of the stages on.
    fn advance(&mut self, now: u64, decoded: Option<Slot>, stages: &Stages) -> Event {
        let Stages { stuck, removed, blocked, alone } = stages;
        self.written = 0;
        if !stuck[WRITE_BACK]
            && let Some(slot) = self.write_back.take()
            && !removed[WRITE_BACK]
        {
            self.written = slot.writes;
            if slot.own {
                self.retired_at[self.retired as usize % REMEMBERED] = now;
                self.retired += 1;
            }
            if slot.own && slot.kind == Kind::Return {
                self.masks = slot.masks.unwrap_or(self.masks);
            }
        } else if removed[WRITE_BACK] {
            self.write_back = None;
        }
        if stuck[MEMORY] {
            self.worked += 1;
            if removed[MEMORY] {
                self.memory = None;
            }
        } else {
            self.write_back = self.memory.take().filter(|_| !removed[MEMORY]);
            self.worked = 0;
        }
        if stuck[EXECUTE] {
            let slot = self.execute.filter(|_| !blocked);
            if let Some(slot) = slot.filter(|slot| slot.kind == Kind::Shift) {
                self.shift = Some(self.shift.unwrap_or(slot.amount) - 1);
            }
            if slot.is_some_and(|slot| slot.is_csr()) && *alone {
                self.protected = self.protected.saturating_add(1);
            }
            if removed[EXECUTE] {
                (self.execute, self.shift, self.protected) = (None, None, 0);
            } else if let Some(slot) = &mut self.execute {
                slot.fresh = false;
            }
            if let Some(slot) = &mut self.memory {
                slot.fresh = false;
            }
        } else {
            (self.shift, self.protected) = (None, 0);
            if let Some(slot) = self.execute.take().filter(|_| !removed[EXECUTE]) {
                self.data.leaves_execute(&slot);
                if slot.kind == Kind::Csr {
                    self.masks = slot.masks.unwrap_or(self.masks);
                }
                self.memory = Some(Slot { fresh: true, ..slot });
            }
        }
        self.leave_decode(decoded, stages)
    }

    /// The instruction in the decode stage moves on, if it does.
    fn leave_decode(&mut self, decoded: Option<Slot>, stages: &Stages) -> Event {
        let Some(mut slot) = decoded else { return Event::None };
        let mut own = !self.astray && slot.pc == self.awaited;
        if matches!(slot.kind, Kind::TrapDecode | Kind::TrapFetch) && own {
            self.astray = true;
            return Event::Decoded;
        }
        if stages.stuck[DECODE] || stages.removed[DECODE] {
            return Event::None;
        }
        // The two that were before it have moved on.
        slot.way = self.data.way(&slot, self.memory.as_ref(), self.write_back.as_ref());
        if own && slot.kind == Kind::Load && slot.way.redoes() {
            (own, self.astray) = (false, true);
            self.shadow = Some(slot.predicted);
        } else if self.shadow == Some(slot.pc) {
            (self.shadow, slot.redirect) = (None, slot.corrects);
        }
        self.execute = Some(Slot { own, fresh: true, ..slot });
        if own {
            self.open = true;
            return Event::Decoded;
        }
        Event::None
    }
}
