//! One cycle.

use super::{Event, Fetched, Kind, Masks, Pipeline, REMEMBERED, Slot, Surroundings};

const SOFTWARE: u32 = 1 << 3;
const TIMER: u32 = 1 << 7;
const EXTERNAL: u32 = 1 << 11;

/// The stages from the decode stage on.
const DECODE: usize = 0;
const EXECUTE: usize = 1;
const MEMORY: usize = 2;
const WRITE_BACK: usize = 3;

impl Pipeline {
    /// Passes a cycle.
    pub(crate) fn step(&mut self, surroundings: &impl Surroundings) -> Event {
        let now = self.cycle;
        self.cycle += 1;
        let decoded = self.decoded(surroundings);
        let returns = self.write_back.is_some_and(|slot| slot.kind == Kind::Return);
        let waiting = self.exceptions[EXECUTE..].contains(&true);
        let interrupts = self.interrupt.filter(|_| self.liberated[2] && !waiting && !self.had_exception);
        let enters = interrupts.is_some() || self.had_exception;
        let jumps_last = returns || enters;

        // The stages that keep their occupants, the last one first.
        let mut stuck = [false; 4];
        stuck[MEMORY] = self.memory_halts(now);
        let execute_blocked = stuck[MEMORY];
        stuck[EXECUTE] = execute_blocked || self.execute_halts(now);
        let liberates = self.interrupt.is_some() && decoded.is_some();
        let leaving =
            [self.execute, self.memory, self.write_back].into_iter().flatten().any(|slot| slot.kind == Kind::Return);
        let hazard = decoded.is_some_and(|slot| self.is_hazard(&slot));
        stuck[DECODE] = stuck[EXECUTE] || hazard || liberates || leaving;

        // Exceptions of stages, and what they and jumps flush.
        let raises = [
            decoded.is_some_and(|slot| slot.kind == Kind::TrapDecode),
            self.execute.is_some_and(|slot| slot.kind == Kind::TrapExecute),
            self.memory.is_some_and(|slot| slot.kind == Kind::TrapMemory),
            false,
        ];
        let redirect = self.memory.and_then(|slot| slot.redirect);
        let predicts = decoded.filter(|slot| slot.jumps);
        let flushes =
            [raises[DECODE] || predicts.is_some(), raises[EXECUTE], raises[MEMORY] || redirect.is_some(), jumps_last];
        let flushed = |stage: usize| flushes[stage + 1..].contains(&true);
        let removed: [bool; 4] = std::array::from_fn(|stage| flushed(stage) || raises[stage]);
        let valid: [bool; 4] =
            std::array::from_fn(|stage| (self.exceptions[stage] || raises[stage]) && !flushed(stage));
        let halted = valid.contains(&true) || jumps_last;
        let exception = valid[WRITE_BACK];

        // The fetch stages.
        let missed = self.second.filter(|fetched| !fetched.hit).map(|fetched| fetched.pc);
        let target = if enters {
            Some(surroundings.vector())
        } else if returns {
            Some(self.awaited)
        } else {
            redirect.or(predicts.map(|slot| slot.predicted)).or(missed)
        };
        let flush = removed[DECODE] || flushes[DECODE] && !stuck[DECODE] || missed.is_some();
        let ready = !stuck[DECODE] && missed.is_none();
        let cache_flush = decoded.is_some_and(|slot| slot.kind == Kind::FenceI);
        let begins = ready && self.booted && !halted && !self.cache.halts() && !cache_flush;
        let busy = self.first.is_some();
        self.fetch = target.unwrap_or(self.fetch);
        self.booted = true;
        if ready {
            self.second = self.first.filter(|_| !flush);
            self.first = None;
            if begins {
                let pc = self.fetch;
                self.first = Some(Fetched { pc, hit: self.cache.hits(pc), slot: None });
                self.fetch = pc.wrapping_add(4);
            }
        } else if flush {
            (self.first, self.second) = (None, None);
        }
        self.cache.end(now, missed, cache_flush, busy);

        // The interrupt inputs.
        let before = self.interrupts();
        self.liberate(liberates && !removed[DECODE], &stuck);
        let lines = surroundings.lines(now);
        let external = self.array_input & self.masks.array != 0;
        self.array_input = (lines >> 32) as u32;
        self.pending = lines as u32 & (SOFTWARE | TIMER) | if external { EXTERNAL } else { 0 };
        self.interrupt = before.filter(|_| interrupts.is_none());

        let event = self.advance(now, decoded, &stuck, &removed, execute_blocked);
        self.exceptions = [
            stuck[DECODE] && valid[DECODE],
            if stuck[EXECUTE] { valid[EXECUTE] } else { valid[DECODE] && !stuck[DECODE] },
            if stuck[MEMORY] { valid[MEMORY] } else { valid[EXECUTE] && !stuck[EXECUTE] },
            valid[MEMORY] && !stuck[MEMORY],
        ];
        let entered = self.had_exception;
        self.had_exception = exception;
        if redirect.is_some() || returns {
            self.astray = false;
        }
        if entered {
            return Event::Exception;
        }
        interrupts.map_or(event, Event::Interrupt)
    }

    /// The occupant of the decode stage, if it has come out of the cache.
    fn decoded(&mut self, surroundings: &impl Surroundings) -> Option<Slot> {
        let fetched = self.second.as_mut().filter(|fetched| fetched.hit)?;
        let pc = fetched.pc;
        Some(*fetched.slot.get_or_insert_with(|| surroundings.slot(pc)))
    }

    fn memory_halts(&self, now: u64) -> bool {
        let Some(slot) = self.memory else { return false };
        match slot.kind {
            Kind::Load => self.answer != now,
            // One that is misaligned waits for an answer in the cycle in which it is removed.
            Kind::TrapMemory => slot.writes != 0,
            Kind::Multiply => self.variant.iterative_multiplier && self.worked < self.variant.multiply,
            Kind::Divide => self.worked < self.variant.divide,
            _ => false,
        }
    }

    fn execute_halts(&self, now: u64) -> bool {
        let Some(slot) = self.execute else { return false };
        match slot.kind {
            Kind::Load | Kind::Store => now < self.bus_free,
            Kind::Shift => self.variant.light_shifter && self.shift.unwrap_or(slot.amount) > 1,
            Kind::Csr => self.memory.is_some() || self.write_back.is_some(),
            _ => false,
        }
    }

    /// Tells whether `slot`, in the decode stage, needs a register that no later stage can pass on yet.
    fn is_hazard(&self, slot: &Slot) -> bool {
        let needs = |other: Option<Slot>, stage: usize| {
            other.is_some_and(|other| other.writes != 0 && !other.early[stage] && slot.reads.contains(&other.writes))
        };
        needs(self.execute, 0) || needs(self.memory, 1)
    }

    /// The interrupt that is wanted.
    fn interrupts(&self) -> Option<u8> {
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
    fn advance(
        &mut self,
        now: u64,
        decoded: Option<Slot>,
        stuck: &[bool; 4],
        removed: &[bool; 4],
        execute_blocked: bool,
    ) -> Event {
        if let Some(slot) = self.write_back.take()
            && slot.own
        {
            self.retired_at[self.retired as usize % REMEMBERED] = now;
            self.retired += 1;
            if slot.kind == Kind::Return {
                self.masks = slot.masks.unwrap_or(self.masks);
            }
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
            let moving = self.execute.filter(|slot| slot.kind == Kind::Shift && !execute_blocked);
            if let Some(slot) = moving {
                self.shift = Some(self.shift.unwrap_or(slot.amount) - 1);
            }
            if removed[EXECUTE] {
                (self.execute, self.shift) = (None, None);
            } else if let Some(slot) = &mut self.execute {
                slot.fresh = false;
            }
            if let Some(slot) = &mut self.memory {
                slot.fresh = false;
            }
        } else {
            self.shift = None;
            if let Some(slot) = self.execute.take().filter(|_| !removed[EXECUTE]) {
                let (bus, answer) = (now + u64::from(self.variant.bus), now + u64::from(self.variant.answer));
                match slot.kind {
                    Kind::Load => (self.bus_free, self.answer) = (bus, answer),
                    Kind::Store => self.bus_free = bus,
                    Kind::Csr => self.masks = slot.masks.unwrap_or(self.masks),
                    _ => {}
                }
                self.memory = Some(Slot { fresh: true, ..slot });
            }
        }
        let Some(slot) = decoded else { return Event::None };
        let own = !self.astray && slot.pc == self.awaited;
        let raises = slot.kind == Kind::TrapDecode;
        if raises && own {
            self.astray = true;
            return Event::Decoded;
        }
        if stuck[DECODE] || removed[DECODE] {
            return Event::None;
        }
        self.execute = Some(Slot { own, fresh: true, ..slot });
        if own {
            self.open = true;
            return Event::Decoded;
        }
        Event::None
    }
}
