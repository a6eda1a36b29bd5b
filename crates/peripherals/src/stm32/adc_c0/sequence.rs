//! The channels of a sequence, and the sums of an oversampler (RM0490, "Channel selection", "Oversampler").

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

/// The oversampler's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Oversampling {
    /// The conversions that are added up.
    pub(super) ratio: u32,
    /// The bits by which the sum is shifted.
    shift: u32,
    /// True if each conversion has a trigger of its own.
    pub(super) by_trigger: bool,
}

impl Oversampling {
    /// The settings of CFGR2; `None` if the oversampler is off.
    pub(super) fn new(cfgr2: u32) -> Option<Self> {
        (cfgr2 & 1 != 0).then_some(Self {
            ratio: 2 << (cfgr2 >> 2 & 7),
            shift: (cfgr2 >> 5 & 15).min(8),
            by_trigger: cfgr2 & 1 << 9 != 0,
        })
    }

    /// The result of a sum: rounded to the nearest, and its lower sixteen bits.
    pub(super) fn result(self, sum: u32) -> u16 {
        let half = if self.shift == 0 { 0 } else { 1 << (self.shift - 1) };
        ((sum + half) >> self.shift) as u16
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

    #[test]
    fn sums_are_shifted_and_rounded() {
        let of = |ovsr: u32, ovss: u32| Oversampling::new(1 | ovsr << 2 | ovss << 5).expect("it is on");
        assert_eq!((of(0, 0).ratio, of(7, 0).ratio), (2, 256));
        // RM0490's table: 0xFFF sixteen times, without shift, by 1 and by 4; 256 times by 8, and without shift only the lower bits.
        assert_eq!([of(3, 0), of(3, 1), of(3, 4)].map(|set| set.result(16 * 0xFFF)), [0xFFF0, 0x7FF8, 0x0FFF]);
        assert_eq!([of(7, 8), of(7, 0)].map(|set| set.result(256 * 0xFFF)), [0x0FFF, 0xFF00]);
        assert_eq!([of(0, 1).result(3), of(0, 1).result(2), of(0, 15).result(256)], [2, 1, 1]);
        assert_eq!(Oversampling::new(0), None);
    }
}
