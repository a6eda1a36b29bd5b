//! Functions of the process that drivers have called.

use core::cell::Cell;

/// A function of the process that a driver keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callback {
    /// Its address; 0 where there is none.
    pub entry: u32,
    /// What the process wants to get back with each call of it.
    pub data: u32,
}

/// A call of it that waits for the process to wait for it: `entry(value, number, data)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upcall {
    /// Whom to call.
    pub callback: Callback,
    /// What the driver tells.
    pub value: u32,
    /// Which of the driver's events it is.
    pub number: u32,
}

/// How many may be pending at once.
const ROOM: usize = 4;

/// The upcalls that are pending, the oldest first.
#[derive(Debug, Default)]
pub struct Upcalls {
    pending: [Cell<Option<Upcall>>; ROOM],
}

impl Upcalls {
    /// None pending.
    pub const fn new() -> Self {
        Self { pending: [const { Cell::new(None) }; ROOM] }
    }

    /// Puts one behind the others; false where there is no room, or nobody to call.
    pub fn push(&self, upcall: Upcall) -> bool {
        if upcall.callback.entry == 0 {
            return false;
        }
        match self.pending.iter().find(|place| place.get().is_none()) {
            Some(place) => {
                place.set(Some(upcall));
                true
            }
            None => false,
        }
    }

    /// Takes the oldest.
    pub fn pop(&self) -> Option<Upcall> {
        let first = self.pending[0].take();
        for pair in self.pending.windows(2) {
            pair[0].set(pair[1].take());
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upcall(value: u32) -> Upcall {
        Upcall { callback: Callback { entry: 1, data: 2 }, value, number: 0 }
    }

    #[test]
    fn the_oldest_comes_first_and_too_many_are_refused() {
        let upcalls = Upcalls::new();
        assert_eq!(upcalls.pop(), None);
        for value in 0..ROOM as u32 {
            assert!(upcalls.push(upcall(value)));
        }
        assert!(!upcalls.push(upcall(9)));
        assert_eq!(upcalls.pop(), Some(upcall(0)));
        assert!(upcalls.push(upcall(9)));
        for value in [1, 2, 3, 9] {
            assert_eq!(upcalls.pop(), Some(upcall(value)));
        }
        assert_eq!(upcalls.pop(), None);
    }

    #[test]
    fn nobody_is_not_called() {
        assert!(!Upcalls::new().push(Upcall { callback: Callback::default(), ..upcall(0) }));
    }
}
