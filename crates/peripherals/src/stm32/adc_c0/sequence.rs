//! The channels of a sequence (RM0490, "Channel selection").

/// The most channels of a sequence.
const MOST: usize = 23;

/// The channels of a sequence in the order of their conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    channels: [u8; MOST],
    count: u8,
}

impl Sequence {
    /// The sequence of CHSELR: one bit a channel, from the lowest or (`down`) the highest on, or (`free`) four bits a place up to
    /// the first 15.
    pub(super) fn new(chselr: u32, free: bool, down: bool) -> Self {
        let mut sequence = Self { channels: [0; MOST], count: 0 };
        if free {
            let places = (0..8).map(|place| (chselr >> (4 * place) & 15) as u8);
            places.take_while(|channel| *channel != 15).for_each(|channel| sequence.push(channel));
        } else {
            for place in 0..MOST as u8 {
                let channel = if down { MOST as u8 - 1 - place } else { place };
                if chselr >> channel & 1 != 0 {
                    sequence.push(channel);
                }
            }
        }
        sequence
    }

    fn push(&mut self, channel: u8) {
        if let Some(place) = self.channels.get_mut(usize::from(self.count)) {
            *place = channel;
            self.count += 1;
        }
    }

    /// The number of channels.
    pub(super) fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// The channel at `rank`.
    pub(super) fn at(&self, rank: usize) -> Option<u8> {
        self.channels[..self.len()].get(rank).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(chselr: u32, free: bool, down: bool) -> Vec<u8> {
        let sequence = Sequence::new(chselr, free, down);
        (0..sequence.len()).filter_map(|rank| sequence.at(rank)).collect()
    }

    #[test]
    fn channels_come_in_order_or_as_written() {
        assert_eq!(channels(1 | 1 << 5 | 1 << 22, false, false), [0, 5, 22]);
        assert_eq!(channels(1 | 1 << 5 | 1 << 22, false, true), [22, 5, 0]);
        assert_eq!(channels(0xFFFF_F313, true, true), [3, 1, 3]);
        assert_eq!(channels(0x7654_3210, true, false), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(channels(0xFFFF_FFFF, true, false), [0u8; 0]);
        assert_eq!(channels(u32::MAX, false, false).len(), 23);
    }
}
