//! Our machine in the peer's surroundings: pins without a synchroniser, and a host that attends to the FIFOs.

use cyclescope_peripherals::rp::pio::machine::{Machine, View};

use super::{Setup, State};

/// Our machine.
pub(super) struct Ours<'a> {
    setup: &'a Setup,
    machine: Machine,
    clock: u32,
    levels: u32,
    directions: u32,
    /// The words in the RX FIFO.
    received: Vec<u32>,
    filled: u32,
    iteration: u32,
}

/// Returns the number `index` of the sequence that `seed` names, as the peer does.
pub(super) const fn number(seed: u32, index: u32) -> u32 {
    let value = index.wrapping_mul(0x9E37_79B1).wrapping_add(seed);
    (value ^ value >> 15).wrapping_mul(0x85EB_CA6B)
}

impl<'a> Ours<'a> {
    pub(super) fn new(setup: &'a Setup) -> Self {
        let mut machine = Machine::new(0);
        machine.set_shiftctrl(setup.shiftctrl());
        (machine.execctrl, machine.pinctrl) = (setup.execctrl(), setup.pinctrl());
        let Setup { x, y, isr, isr_count, osr, osr_count, .. } = *setup;
        (machine.x, machine.y, machine.isr, machine.osr) = (x, y, isr, osr);
        (machine.isr_count, machine.osr_count) = (isr_count as u8, osr_count as u8);
        for word in setup.fifo {
            machine.tx.push(word);
        }
        let (levels, directions) = (setup.levels, setup.directions);
        Self { setup, machine, clock: 0, levels, directions, received: Vec::new(), filled: 0, iteration: 0 }
    }

    /// The instruction that comes next.
    pub(super) fn next_word(&self) -> u16 {
        self.setup.program[usize::from(self.machine.pc)]
    }

    fn step(&mut self) -> bool {
        let input = number(self.setup.seed, self.clock >> 3);
        let outside = if self.setup.reads_input { input } else { self.levels };
        let pins = self.levels & self.directions | outside & !self.directions;
        let view = View { memory: &self.setup.program, pins, flags: 0 };
        let outcome = self.machine.step(&view);
        let write = outcome.write;
        self.levels = self.levels & !write.level_mask | write.levels;
        self.directions = self.directions & !write.direction_mask | write.directions;
        self.clock += 1;
        outcome.stalled
    }

    /// Executes an instruction with its delay, or a cycle in which it stalls.
    pub(super) fn iterate(&mut self) -> State {
        let before = self.machine.rx.level();
        if !self.step() {
            while self.machine.delay > 0 {
                self.step();
            }
        }
        if self.machine.rx.level() > before {
            // The newest is the last of all that there are.
            let mut words = self.machine.rx;
            self.received = std::iter::from_fn(|| words.pull()).collect();
        }
        let machine = &self.machine;
        State([
            self.clock,
            machine.pc.into(),
            self.levels,
            self.directions,
            machine.x,
            machine.y,
            machine.isr,
            machine.isr_count.into(),
            machine.osr,
            machine.osr_count.into(),
            machine.tx.level().into(),
            machine.rx.level().into(),
            self.received.last().copied().unwrap_or(0),
        ])
    }

    /// Fills and drains the FIFOs as the peer's host does.
    pub(super) fn attend(&mut self) {
        self.iteration += 1;
        let setup = self.setup;
        let machine = &mut self.machine;
        let out = setup.program[usize::from(machine.pc)] >> 13 == 3;
        let empty = u32::from(machine.osr_count) >= setup.pull_threshold && machine.tx.is_empty();
        let fills = match setup.fills {
            1 => true,
            2 => out && empty,
            3 => self.iteration.is_multiple_of(16),
            _ => false,
        };
        if fills && machine.tx.push(number(setup.seed, 1000 + self.filled)) {
            self.filled += 1;
        }
        let drains = match setup.drains {
            1 => machine.rx.level() >= 3,
            2 => self.iteration.is_multiple_of(64),
            _ => false,
        };
        if drains {
            while machine.rx.pull().is_some() {}
            self.received.clear();
        }
    }
}
