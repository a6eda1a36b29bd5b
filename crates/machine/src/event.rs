//! Things that will happen at a known cycle, in one order on every host.

use crate::units::Cycles;

/// Names one recurring happening of one device: the overflow of a timer, the end of a UART frame.
///
/// The number is the part's own: a part numbers its devices' happenings as it likes. Where two are due in the same
/// cycle, the smaller priority goes first, and among equals the one scheduled first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    /// Rank among events of the same cycle: 0 goes first.
    pub priority: u8,
    /// The part's own number.
    pub number: u16,
}

impl EventId {
    /// An event of middle rank.
    pub const fn new(number: u16) -> Self {
        Self { priority: 128, number }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Cycles,
    id: EventId,
    sequence: u64,
}

impl Entry {
    fn key(&self) -> (Cycles, u8, u64) {
        (self.at, self.id.priority, self.sequence)
    }
}

/// The pending events, ordered by (cycle, priority, order of scheduling).
///
/// Each [`EventId`] is pending at most once: scheduling it again moves it. Parts have a few dozen events at most, so a
/// sorted vector beats a heap.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    /// Latest first, so that the next event is popped from the end.
    entries: Vec<Entry>,
    sequence: u64,
    taken: u64,
}

impl EventQueue {
    /// Schedules `id` at the cycle `at`, or moves it there if it was pending.
    pub fn schedule(&mut self, at: Cycles, id: EventId) {
        if let Some(place) = self.place(id) {
            // It would go behind the events of its cycle and rank, which come before it here.
            let is_behind = place.checked_sub(1).is_none_or(|behind| {
                let behind = &self.entries[behind];
                (behind.at, behind.id.priority) != (at, id.priority)
            });
            if self.entries[place].at == at && is_behind {
                return;
            }
            self.entries.remove(place);
        }
        let entry = Entry { at, id, sequence: self.sequence };
        self.sequence += 1;
        let place = self.entries.partition_point(|other| other.key() > entry.key());
        self.entries.insert(place, entry);
    }

    /// Forgets `id`, if it was pending.
    pub fn cancel(&mut self, id: EventId) {
        if let Some(place) = self.place(id) {
            self.entries.remove(place);
        }
    }

    /// The place of `id`, if it is pending.
    fn place(&self, id: EventId) -> Option<usize> {
        self.entries.iter().position(|entry| entry.id == id)
    }

    /// Returns the cycle at which the next event is due; [`Cycles::MAX`] if none is pending.
    #[inline]
    pub fn next_at(&self) -> Cycles {
        self.entries.last().map_or(Cycles::MAX, |entry| entry.at)
    }

    /// Returns the cycle at which `id` is due, if it is pending.
    pub fn when(&self, id: EventId) -> Option<Cycles> {
        self.entries.iter().find(|entry| entry.id == id).map(|entry| entry.at)
    }

    /// Takes the next event due at or before `now`, with the cycle it was due at.
    pub fn pop_due(&mut self, now: Cycles) -> Option<(Cycles, EventId)> {
        let due = self.entries.pop_if(|entry| entry.at <= now)?;
        self.taken += 1;
        Some((due.at, due.id))
    }

    /// Returns the number of events taken so far: the work that the devices of a run have made.
    pub const fn taken(&self) -> u64 {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_cycle_then_priority_then_order_of_scheduling() {
        let mut queue = EventQueue::default();
        let id = |priority, number| EventId { priority, number };
        for (at, event) in [(9, id(1, 0)), (5, id(2, 1)), (5, id(1, 2)), (5, id(1, 3)), (7, id(0, 4))] {
            queue.schedule(Cycles::new(at), event);
        }
        queue.schedule(Cycles::new(6), id(1, 0));
        queue.cancel(id(0, 4));
        assert_eq!(queue.next_at(), Cycles::new(5));
        let due: Vec<u16> =
            std::iter::from_fn(|| queue.pop_due(Cycles::new(100))).map(|(_, event)| event.number).collect();
        assert_eq!(due, [2, 3, 1, 0]);
        assert_eq!((queue.next_at(), queue.taken()), (Cycles::MAX, 4));
    }

    #[test]
    fn an_event_scheduled_again_for_its_cycle_comes_behind_its_equals() {
        let order = |again: &[u16]| {
            let mut queue = EventQueue::default();
            for number in 0..3 {
                queue.schedule(Cycles::new(5), EventId::new(number));
            }
            queue.schedule(Cycles::new(6), EventId::new(3));
            again.iter().for_each(|number| queue.schedule(Cycles::new(5), EventId::new(*number)));
            let due = std::iter::from_fn(|| queue.pop_due(Cycles::new(100))).map(|(_, event)| event.number);
            due.collect::<Vec<u16>>()
        };
        assert_eq!(order(&[]), [0, 1, 2, 3]);
        assert_eq!(order(&[0]), [1, 2, 0, 3]);
        assert_eq!(order(&[2]), [0, 1, 2, 3]);
        assert_eq!(order(&[1, 1, 0]), [2, 1, 0, 3]);
        assert_eq!(order(&[3]), [0, 1, 2, 3]);
    }

    #[test]
    fn nothing_is_due_before_its_cycle() {
        let mut queue = EventQueue::default();
        queue.schedule(Cycles::new(10), EventId::new(1));
        assert_eq!(queue.pop_due(Cycles::new(9)), None);
        assert_eq!(queue.pop_due(Cycles::new(10)), Some((Cycles::new(10), EventId::new(1))));
    }
}
