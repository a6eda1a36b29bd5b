//! The time of interrupts inside a span, and that of exceptions of register windows, from a trace of all exceptions.

use cyclescope_machine::Signal;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{Trace, Traced};

/// One exception inside a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its number.
    pub number: u16,
    /// The number of entries to its handler.
    pub entries: u64,
    /// Cycles in its handler, from first instruction to return, those of more urgent ones inside it left out.
    pub cycles: u64,
    /// True if its handler was under way as the span began: the row runs inside it.
    pub around: bool,
}

/// Returns the exceptions between `from` and `to`, in the order of the numbers. Those that `is_of_windows` accepts belong to the
/// calls and returns that raised them: inside a handler their time is that handler's.
pub fn within(trace: &Trace, from: Cycles, to: Cycles, is_of_windows: &dyn Fn(u16) -> bool) -> Vec<Taken> {
    let mut taken: Vec<Taken> = Vec::new();
    let mut open: Vec<u16> = Vec::new();
    let mut since = trace.from;
    let mut begun = false;
    let ends = std::iter::once((to, None));
    let entries = trace.entries.iter().take_while(|(at, _)| *at < to);
    for (at, what) in entries.map(|(at, what)| (*at, Some(what))).chain(ends) {
        if !begun && at >= from {
            begun = true;
            open.iter().for_each(|number| of(&mut taken, *number).around = true);
        }
        if let Some(number) = open.iter().rev().find(|number| !is_of_windows(**number)).or(open.last()) {
            let spent = at.saturating_sub(since.max(from)).get();
            if spent > 0 {
                of(&mut taken, *number).cycles += spent;
            }
        }
        since = at;
        match what {
            Some(Traced::Signal(_, Signal::ExceptionEntered { number })) => {
                open.push(*number);
                if at >= from {
                    of(&mut taken, *number).entries += 1;
                }
            }
            Some(Traced::Signal(_, Signal::ExceptionReturned { number })) => {
                open.pop_if(|open| open == number);
            }
            _ => {}
        }
    }
    taken.sort_by_key(|one| one.number);
    taken
}

fn of(taken: &mut Vec<Taken>, number: u16) -> &mut Taken {
    let known = taken.iter().position(|one| one.number == number);
    let index = known.unwrap_or_else(|| {
        taken.push(Taken { number, entries: 0, cycles: 0, around: false });
        taken.len() - 1
    });
    &mut taken[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(signals: &[(u64, bool, u16)]) -> Trace {
        let entry = |(at, entered, number): &(u64, bool, u16)| {
            let signal = match entered {
                true => Signal::ExceptionEntered { number: *number },
                false => Signal::ExceptionReturned { number: *number },
            };
            (Cycles::new(*at), Traced::Signal(0, signal))
        };
        Trace { entries: signals.iter().map(entry).collect(), ..Trace::default() }
    }

    fn seen(signals: &[(u64, bool, u16)], from: u64, to: u64) -> Vec<(u16, u64, u64, bool)> {
        let taken = within(&trace(signals), Cycles::new(from), Cycles::new(to), &|number| number >= 0x40);
        taken.into_iter().map(|one| (one.number, one.entries, one.cycles, one.around)).collect()
    }

    #[test]
    fn handlers_are_counted_inside_the_span_only() {
        let ticks = [(5, true, 15), (9, false, 15), (20, true, 15), (24, false, 15), (40, true, 15), (44, false, 15)];
        assert_eq!(seen(&ticks, 10, 40), [(15, 1, 4, false)]);
        assert_eq!(seen(&ticks, 20, 41), [(15, 2, 5, false)]);
        assert_eq!(seen(&ticks, 10, 20), []);
    }

    #[test]
    fn a_more_urgent_handler_is_not_counted_twice() {
        let nested = [(10, true, 20), (14, true, 15), (17, false, 15), (30, false, 20)];
        assert_eq!(seen(&nested, 0, 100), [(15, 1, 3, false), (20, 1, 17, false)]);
    }

    #[test]
    fn windows_of_a_handler_are_the_handlers_time() {
        let own = [(10, true, 0x42), (14, false, 0x42), (20, true, 15), (24, true, 0x43), (30, false, 0x43)];
        let signals = [&own[..], &[(32, false, 15), (50, true, 0x43), (56, false, 0x43)]].concat();
        assert_eq!(seen(&signals, 0, 100), [(15, 1, 12, false), (0x42, 1, 4, false), (0x43, 2, 6, false)]);
    }

    #[test]
    fn a_row_inside_a_handler_says_so() {
        let inside = [(5, true, 40), (20, true, 15), (23, false, 15), (30, false, 40), (31, true, 40), (60, false, 40)];
        assert_eq!(seen(&inside, 10, 50), [(15, 1, 3, false), (40, 1, 36, true)]);
    }
}
