//! The report of an attempt, held back until it is known to count.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Registers, Retire, Sink, State};

/// Copies of a core's registers.
#[derive(Clone, Copy, Debug)]
enum Copied {
    Words([u32; 32]),
    WordsAndSingles([u32; 16], [u32; 32]),
    WordsAndFloats([u32; 16], [u32; 16]),
    Bytes([u8; 32]),
}

/// Takes what one instruction has to tell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    retire: Option<Retire>,
    state: Option<(Address, Address, Copied)>,
}

impl Held {
    /// Tells it to `sink`, with the cycles from `since` on, in which the core has waited for fetches, as the instruction's.
    pub(crate) fn tell<S: Sink>(self, since: u64, sink: &mut S) {
        if let Some(Retire { pc, at, cycles }) = self.retire {
            let waited = at.saturating_sub(Cycles::new(since));
            sink.retire(Retire { pc, at: at.saturating_sub(waited), cycles: cycles.saturating_add(waited) });
        }
        if let Some((next, stack_pointer, copied)) = self.state {
            let registers = match &copied {
                Copied::Words(words) => Registers::Words(words),
                Copied::WordsAndSingles(words, singles) => Registers::WordsAndSingles(words, singles),
                Copied::WordsAndFloats(words, floats) => Registers::WordsAndFloats(words, floats),
                Copied::Bytes(bytes) => Registers::Bytes(bytes),
            };
            sink.state(State { next, stack_pointer, registers });
        }
    }
}

impl Sink for Held {
    const OBSERVES: bool = true;

    fn retire(&mut self, retire: Retire) {
        self.retire = Some(retire);
    }

    fn state(&mut self, state: State<'_>) {
        let copied = match state.registers {
            Registers::Words(words) => Copied::Words(*words),
            Registers::WordsAndSingles(words, singles) => Copied::WordsAndSingles(*words, *singles),
            Registers::WordsAndFloats(words, floats) => Copied::WordsAndFloats(*words, *floats),
            Registers::Bytes(bytes) => Copied::Bytes(*bytes),
        };
        self.state = Some((state.next, state.stack_pointer, copied));
    }
}
