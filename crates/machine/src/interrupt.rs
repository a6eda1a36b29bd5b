//! The wires from devices to the cores: to their interrupt controllers, their event inputs, and their resets.

/// The most interrupt lines a controller here takes (Armv7-M's NVIC has up to 496; no modelled part exceeds 256).
const LINES: usize = 256;

/// The line of the interrupt that nothing masks, which no controller numbers.
pub const NMI_LINE: usize = LINES - 1;

/// The most cores of a part.
const CORES: usize = 2;

/// Lines of all interrupts, 64 a word.
type Words = [u64; LINES / 64];

/// The wires to one core.
#[derive(Clone, Debug, Default)]
struct Inputs {
    level: Words,
    rose: Words,
    changed: bool,
    event: bool,
    held: bool,
    /// Of the first lines, those that drive [`NMI_LINE`] too.
    to_nmi: u64,
    /// The edges and the event that the core has taken since [`InterruptLines::begin_attempt`].
    taken: (Words, bool),
    /// The core has looked since then at a change, which may be the fall of a line.
    looked: bool,
}

impl Inputs {
    fn set(&mut self, line: usize, high: bool) {
        let Some(word) = self.level.get_mut(line / 64) else { return };
        let bit = 1 << (line % 64);
        if (*word & bit != 0) == high {
            return;
        }
        *word ^= bit;
        if high {
            self.rose[line / 64] |= bit;
        }
        self.changed = true;
        self.drive_nmi();
    }

    fn pulse(&mut self, line: usize) {
        let Some(word) = self.rose.get_mut(line / 64) else { return };
        *word |= 1 << (line % 64);
        self.changed = true;
        if line < 64 && self.to_nmi >> line & 1 != 0 {
            self.pulse(NMI_LINE);
        }
    }

    fn drive_nmi(&mut self) {
        let high = self.level[0] & self.to_nmi != 0;
        if high != (self.level[NMI_LINE / 64] >> (NMI_LINE % 64) & 1 != 0) {
            self.set(NMI_LINE, high);
        }
    }
}

/// Levels of the interrupt lines, and which of them rose since the core last looked.
///
/// A device drives its line like a wire: high as long as a condition holds and is enabled. Edges are remembered even
/// when the line falls again before the core looks, as a controller latches them. Of a part with two cores each has the same
/// lines, but for those that [`InterruptLines::set_for`] drives; what is asked here is asked by the core whose turn it is.
#[derive(Clone, Debug, Default)]
pub struct InterruptLines {
    inputs: [Inputs; CORES],
    /// The core that asks.
    core: usize,
    several: bool,
    muted: bool,
    /// The clock of all cores stands.
    stands: bool,
    /// The time of what devices do now.
    now: u64,
    /// When something changed for the core that does not ask, for the first time since it last looked.
    called: Option<u64>,
}

impl InterruptLines {
    /// Has a second core.
    pub fn add_core(&mut self) {
        self.several = true;
    }

    /// The core `core` asks from now on.
    #[inline]
    pub fn turn_to(&mut self, core: usize) {
        self.core = core % CORES;
        self.called = None;
        if self.several && self.inputs[1 - self.core].changed {
            self.called = Some(self.now);
        }
    }

    /// Devices act at the cycle `now`.
    #[inline(always)]
    pub(crate) fn set_time(&mut self, now: u64) {
        self.now = now;
    }

    /// Drives `line` high or low. Lines beyond the controller's are ignored.
    pub fn set(&mut self, line: usize, high: bool) {
        if self.muted {
            return;
        }
        self.inputs[self.core].set(line, high);
        if self.several {
            self.inputs[1 - self.core].set(line, high);
            self.note_call();
        }
    }

    /// Drives the `line` of the core `core` alone.
    pub fn set_for(&mut self, core: usize, line: usize, high: bool) {
        if !self.muted {
            self.inputs[core % CORES].set(line, high);
            self.note_call();
        }
    }

    /// Has those of the first 64 lines whose bits are set in `lines` drive the [`NMI_LINE`] of the core `core` too.
    pub fn route_to_nmi(&mut self, core: usize, lines: u64) {
        let inputs = &mut self.inputs[core % CORES];
        inputs.to_nmi = lines;
        inputs.drive_nmi();
        self.note_call();
    }

    /// Raises `line` for one cycle.
    pub fn pulse(&mut self, line: usize) {
        let cores = if self.several { 0..CORES } else { self.core..self.core + 1 };
        for inputs in &mut self.inputs[cores] {
            if !self.muted {
                inputs.pulse(line);
            }
        }
        self.note_call();
    }

    /// Sends the core an event, which wakes it from waiting for one.
    pub fn send_event(&mut self) {
        if !self.muted {
            let inputs = &mut self.inputs[self.core];
            (inputs.event, inputs.changed) = (true, true);
        }
    }

    /// The core sends the other one an event at the cycle `now`, if there is another.
    pub fn send_event_to_other(&mut self, now: u64) {
        if self.several && !self.muted {
            self.now = now;
            let inputs = &mut self.inputs[1 - self.core];
            (inputs.event, inputs.changed) = (true, true);
            self.note_call();
        }
    }

    /// Holds the core `core` in reset, or lets it go.
    pub fn hold(&mut self, core: usize, held: bool) {
        let inputs = &mut self.inputs[core % CORES];
        if inputs.held != held {
            (inputs.held, inputs.changed) = (held, true);
            self.note_call();
        }
    }

    /// The clock of all cores stands from now on, or (`false`) runs again. None goes on meanwhile, whatever reaches it.
    pub fn stand(&mut self, stands: bool) {
        if std::mem::replace(&mut self.stands, stands) != stands {
            let cores = if self.several { 0..CORES } else { self.core..self.core + 1 };
            self.inputs[cores].iter_mut().for_each(|inputs| inputs.changed = true);
            self.note_call();
        }
    }

    /// Tells whether the clock of all cores stands.
    #[inline]
    pub const fn stands(&self) -> bool {
        self.stands
    }

    /// Tells whether the core `core` is held in reset.
    #[inline]
    pub fn is_held(&self, core: usize) -> bool {
        self.inputs[core % CORES].held
    }

    fn note_call(&mut self) {
        if self.several && self.inputs[1 - self.core].changed {
            self.called.get_or_insert(self.now);
        }
    }

    /// The cycle in which something changed first for the core that does not ask; `None` if nothing has.
    #[inline(always)]
    pub fn called(&self) -> Option<u64> {
        self.called
    }

    /// Tells whether an event was sent since the last call.
    pub fn take_event(&mut self) -> bool {
        let inputs = &mut self.inputs[self.core];
        inputs.taken.1 |= inputs.event;
        std::mem::take(&mut inputs.event)
    }

    /// Nothing reaches the core any more, since it has no power: all lines fall, and none rises until the part is reset.
    pub fn mute(&mut self) {
        *self = Self { muted: true, core: self.core, several: self.several, ..Self::default() };
    }

    /// All lines fall, and cores are let go, as after a reset of the part.
    pub fn reset(&mut self) {
        *self = Self { core: self.core, several: self.several, ..Self::default() };
    }

    /// Tells whether `line` is high now.
    pub fn is_high(&self, line: usize) -> bool {
        self.inputs[self.core].level.get(line / 64).is_some_and(|word| word & (1 << (line % 64)) != 0)
    }

    /// The levels of lines 64·`word` to 64·`word`+63.
    pub fn levels(&self, word: usize) -> u64 {
        self.inputs[self.core].level.get(word).copied().unwrap_or(0)
    }

    /// Tells whether any line changed since the last [`Self::take_rose`].
    #[inline(always)]
    pub fn changed(&self) -> bool {
        self.inputs[self.core].changed
    }

    /// The lines that rose since the last call, 64 a word.
    pub fn take_rose(&mut self) -> Words {
        let inputs = &mut self.inputs[self.core];
        inputs.looked |= std::mem::take(&mut inputs.changed);
        let rose = std::mem::take(&mut inputs.rose);
        inputs.taken.0.iter_mut().zip(rose).for_each(|(taken, rose)| *taken |= rose);
        rose
    }

    /// The core begins something that it may have to begin again.
    pub(crate) fn begin_attempt(&mut self) {
        let inputs = &mut self.inputs[self.core];
        (inputs.taken, inputs.looked) = (<(Words, bool)>::default(), false);
    }

    /// Gives back all that the core has taken since then.
    pub(crate) fn undo_attempt(&mut self) {
        let inputs = &mut self.inputs[self.core];
        let (rose, event) = std::mem::take(&mut inputs.taken);
        inputs.rose.iter_mut().zip(rose).for_each(|(line, rose)| *line |= rose);
        inputs.event |= event;
        inputs.changed |= std::mem::take(&mut inputs.looked) || event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_that_is_undone_gives_back_the_fall_of_a_line() {
        let mut lines = InterruptLines::default();
        lines.set(1, true);
        lines.take_rose();
        lines.set(1, false);
        lines.begin_attempt();
        assert_eq!(lines.take_rose(), Words::default(), "nothing rose");
        assert!(!lines.changed());
        lines.undo_attempt();
        assert!(lines.changed(), "the controller has yet to see the line low");
        lines.take_rose();
        lines.begin_attempt();
        lines.undo_attempt();
        assert!(!lines.changed(), "what was seen before the attempt stays seen");
    }

    #[test]
    fn lines_that_drive_the_unmasked_interrupt_are_or_gated_and_each_core_has_its_own() {
        let mut lines = InterruptLines::default();
        lines.add_core();
        lines.route_to_nmi(0, 0b1010);
        lines.set(1, true);
        assert!(lines.is_high(NMI_LINE) && lines.is_high(1), "the line itself stays");
        assert_eq!(lines.take_rose(), [0b10, 0, 0, 1 << 63]);
        lines.set(3, true);
        lines.set(1, false);
        assert!(lines.is_high(NMI_LINE));
        assert_eq!(lines.take_rose(), [0b1000, 0, 0, 0], "it has been high all the time");
        lines.pulse(1);
        assert_eq!(lines.take_rose(), [0b10, 0, 0, 1 << 63]);
        lines.route_to_nmi(0, 0);
        assert!(!lines.is_high(NMI_LINE));
        lines.turn_to(1);
        assert!(!lines.is_high(NMI_LINE) && lines.is_high(3));
        lines.take_rose();
        lines.route_to_nmi(1, 0b1000);
        assert_eq!(lines.take_rose(), [0, 0, 0, 1 << 63], "a line may be high already");
    }
}
