//! The guest's output, kept by channel and within a budget.

/// A way out of the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// A serial port, by its number among the part's serial ports (USART1 is 1).
    Uart(u8),
    /// A serial port over USB, by its number among those that the host has opened: the first is 0.
    Usb(u8),
    /// A SEGGER RTT up-buffer, by its index.
    Rtt(u8),
    /// Semihosting's console.
    Semihosting,
}

impl Channel {
    /// Returns the channel's number in messages that speak of serial ports: `2` for USART2, `usb` over USB.
    pub fn port_text(self) -> String {
        match self {
            Self::Uart(number) => number.to_string(),
            other => other.to_string(),
        }
    }
}

impl From<u8> for Channel {
    /// Returns the part's own serial port of this number.
    fn from(number: u8) -> Self {
        Self::Uart(number)
    }
}

impl std::fmt::Display for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Uart(number) => write!(f, "uart{number}"),
            Self::Usb(0) => f.write_str("usb"),
            Self::Usb(number) => write!(f, "usb{number}"),
            Self::Rtt(index) => write!(f, "rtt{index}"),
            Self::Semihosting => f.write_str("semihosting"),
        }
    }
}

/// The guest's output, in the order it came, as runs of bytes of one channel.
///
/// The budget bounds what a runaway guest can make the host hold: bytes over it are counted and dropped, and
/// [`Console::over_budget`] tells the run loop to stop.
#[derive(Clone, Debug)]
pub struct Console {
    runs: Vec<(Channel, Vec<u8>)>,
    held: usize,
    budget: usize,
    dropped: u64,
}

impl Console {
    /// An empty console that holds at most `budget` bytes in all.
    pub fn new(budget: usize) -> Self {
        Self { runs: Vec::new(), held: 0, budget, dropped: 0 }
    }

    /// Appends `bytes` to `channel`.
    pub fn write(&mut self, channel: Channel, bytes: &[u8]) {
        let room = self.budget.saturating_sub(self.held).min(bytes.len());
        self.dropped += (bytes.len() - room) as u64;
        self.held += room;
        if room == 0 {
            return;
        }
        match self.runs.last_mut() {
            Some((last, run)) if *last == channel => run.extend_from_slice(&bytes[..room]),
            _ => self.runs.push((channel, bytes[..room].to_vec())),
        }
    }

    /// Tells whether bytes were dropped because the budget was used up.
    #[inline]
    pub fn over_budget(&self) -> bool {
        self.dropped > 0
    }

    /// The runs held, oldest first.
    pub fn runs(&self) -> impl Iterator<Item = (Channel, &[u8])> {
        self.runs.iter().map(|(channel, bytes)| (*channel, bytes.as_slice()))
    }

    /// All bytes of one channel.
    pub fn bytes(&self, channel: Channel) -> Vec<u8> {
        self.runs().filter(|(of, _)| *of == channel).flat_map(|(_, bytes)| bytes).copied().collect()
    }

    /// Returns the number of bytes held so far; drained bytes count.
    pub fn len(&self) -> usize {
        self.held
    }

    /// Tells whether no byte has been held so far.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// Takes the runs out, for a caller that prints as the guest runs. The budget still counts them.
    pub fn drain(&mut self) -> Vec<(Channel, Vec<u8>)> {
        std::mem::take(&mut self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_keeps_its_order_and_its_budget() {
        let mut console = Console::new(5);
        console.write(Channel::Uart(2), b"ab");
        console.write(Channel::Uart(2), b"c");
        console.write(Channel::Rtt(0), b"xyz");
        assert_eq!(console.bytes(Channel::Uart(2)), b"abc");
        assert_eq!(console.bytes(Channel::Rtt(0)), b"xy");
        assert!(console.over_budget());
        assert_eq!(console.drain().len(), 2);
    }
}
