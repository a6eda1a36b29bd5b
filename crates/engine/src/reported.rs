//! Watched instructions that were reported and have not executed yet.

use cyclescope_machine::units::Address;

/// The most that wait: one a nested handler or switched-out task.
const MOST: usize = 64;

/// Watched instructions that were reported ([`Stop::Watch`](cyclescope_machine::Stop::Watch)) and have not executed yet, each with the
/// stack pointer that it was reported at: an interrupt may come between, and its handler or another task may meet watched
/// instructions of its own, the same one among them.
#[derive(Clone, Debug, Default)]
pub struct Reported {
    meetings: Vec<(Address, Address)>,
}

impl Reported {
    /// Says whether the watched instruction at `pc`, about to execute, is yet to be reported. It counts as reported from then on.
    pub fn reports(&mut self, pc: Address, stack_pointer: Address) -> bool {
        let meeting = (pc, stack_pointer);
        let new = !self.meetings.contains(&meeting);
        if new {
            if self.meetings.len() == MOST {
                self.meetings.remove(0);
            }
            self.meetings.push(meeting);
        }
        new
    }

    /// It executes: the next time it is reported anew.
    pub fn executes(&mut self, pc: Address, stack_pointer: Address) {
        self.meetings.retain(|other| *other != (pc, stack_pointer));
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.meetings.clear();
    }

    /// Forgets those at addresses that are no longer watched.
    pub fn retain(&mut self, watched: impl Fn(u32) -> bool) {
        self.meetings.retain(|(pc, _)| watched(pc.get()));
    }

    /// Takes over those of `from` at addresses that are watched here, and no others.
    pub fn restore(&mut self, from: &Self, watched: impl Fn(u32) -> bool) {
        self.meetings.clone_from(&from.meetings);
        self.retain(watched);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_reported_once_a_meeting_and_again_once_it_has_executed() {
        let [pc, here, there] = [0x100, 0x2000, 0x1000].map(Address::new);
        let mut reported = Reported::default();
        assert!(reported.reports(pc, here));
        assert!(!reported.reports(pc, here));
        assert!(reported.reports(pc, there), "another task's own");
        reported.executes(pc, here);
        assert!(!reported.reports(pc, there), "it has not executed there");
        assert!(reported.reports(pc, here));
        reported.retain(|address| address != 0x100);
        assert!(reported.reports(pc, there));
    }

    #[test]
    fn those_that_never_execute_do_not_pile_up() {
        let mut reported = Reported::default();
        for stack in 0..1_000 {
            assert!(reported.reports(Address::new(0x100), Address::new(stack)));
        }
        assert_eq!(reported.meetings.len(), MOST);
        assert!(!reported.reports(Address::new(0x100), Address::new(999)));
    }
}
