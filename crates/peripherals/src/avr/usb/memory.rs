//! DPRAM: where the endpoints' banks lie, and who moves when it is given out (7766J, 21.9).

use super::ENDPOINTS;

/// DPRAM, in bytes (7766J, 21.7).
const BYTES: usize = 832;

/// The part of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    start: usize,
    bytes: usize,
}

impl Window {
    const fn end(self) -> usize {
        self.start + self.bytes
    }

    const fn meets(self, other: Self) -> bool {
        self.start < other.end() && other.start < self.end()
    }
}

/// The parts of all endpoints.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    windows: [Option<Window>; ENDPOINTS],
}

/// The consequence of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The memory is enough: CFGOK.
    pub fits: bool,
    /// The endpoint whose part has moved, so that its data are lost.
    pub slid: Option<usize>,
}

impl Memory {
    /// Endpoint `number` gets `bytes` behind the next lower one that has any, or gives its part back for none. The endpoint
    /// above moves to its end, those above that one stay.
    pub fn change(&mut self, number: usize, bytes: usize) -> Moved {
        let before = self.windows[number];
        let start = self.windows[..number].iter().flatten().next_back().map_or(0, |window| window.end());
        let window = Window { start, bytes };
        if window.end() > BYTES {
            return Moved::default();
        }
        self.windows[number] = (bytes > 0).then_some(window);
        let above = self.windows.get_mut(number + 1).and_then(Option::as_mut);
        let slid = match above {
            // Nothing was below it to give way, and nothing is.
            Some(above) if (before.is_some() || bytes > 0) && above.start != window.end() => {
                above.start = window.end();
                Some(number + 1)
            }
            _ => None,
        };
        Moved { fits: bytes > 0, slid }
    }

    /// Endpoint `number` has no part any more, and no other moves: a reset.
    pub fn forget(&mut self, number: usize) {
        self.windows[number] = None;
    }

    /// Tells if the part of endpoint `number` has moved beyond the end of the memory.
    pub fn is_beyond(&self, number: usize) -> bool {
        self.windows[number].is_some_and(|window| window.end() > BYTES)
    }

    /// Returns an endpoint that shares bytes with `number`.
    pub fn conflict(&self, number: usize) -> Option<usize> {
        let own = self.windows[number]?;
        let others = self.windows.iter().enumerate().filter(|(other, _)| *other != number);
        others
            .filter_map(|(other, window)| Some((other, (*window)?)))
            .find(|(_, w)| w.meets(own))
            .map(|(other, _)| other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(memory: &Memory) -> Vec<Option<usize>> {
        memory.windows.iter().map(|window| window.map(|window| window.start)).collect()
    }

    /// The example of 7766J, table 21-1, with 64 bytes an endpoint.
    #[test]
    fn a_bigger_endpoint_among_others_moves_one_and_meets_the_next() {
        let mut memory = Memory::default();
        for number in 0..6 {
            assert_eq!(memory.change(number, 64), Moved { fits: true, slid: None });
        }
        assert_eq!(memory.change(3, 64), Moved { fits: true, slid: None }, "the same again moves nothing");
        assert_eq!(memory.change(3, 0), Moved { fits: false, slid: Some(4) });
        assert_eq!(starts(&memory), [Some(0), Some(64), Some(128), None, Some(192), Some(320), None]);
        assert_eq!(memory.conflict(4), None);
        assert_eq!(memory.change(3, 128), Moved { fits: true, slid: Some(4) });
        assert_eq!(starts(&memory), [Some(0), Some(64), Some(128), Some(192), Some(320), Some(320), None]);
        assert_eq!((memory.conflict(4), memory.conflict(5), memory.conflict(3)), (Some(5), Some(4), None));
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        let mut memory = Memory::default();
        assert!(memory.change(1, 512).fits && memory.change(2, 256).fits);
        assert_eq!(memory.change(3, 128), Moved::default());
        assert_eq!(memory.change(3, 64), Moved { fits: true, slid: None });
        assert_eq!(memory.conflict(3), None);
        // Endpoint 2 moves behind the end of the memory.
        memory.forget(3);
        assert_eq!(memory.change(0, 64), Moved { fits: true, slid: Some(1) });
        assert_eq!(memory.change(1, 512), Moved { fits: true, slid: Some(2) });
        assert!(!memory.is_beyond(2), "64 + 512 + 256 bytes are all there are");
        assert_eq!(memory.change(0, 128).slid, Some(1));
        assert_eq!(memory.change(1, 512).slid, Some(2));
        assert!(memory.is_beyond(2));
    }
}
