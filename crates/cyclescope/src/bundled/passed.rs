//! A guest's output on its way to a sink.

use cyclescope_machine::Console;

use crate::backend::Sink;

/// How much of a console was passed on.
#[derive(Default)]
pub(crate) struct Passed {
    /// Runs of one channel that are passed on as far as they went; only the last of them can have grown since.
    runs: usize,
    /// Bytes of the last one.
    bytes: usize,
    refused: bool,
}

impl Passed {
    /// Whether the sink has had enough.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    /// Passes on what is new; `false` once the sink has had enough.
    pub(crate) fn pass(&mut self, console: &Console, sink: &mut Sink<'_>) -> bool {
        for (index, (channel, bytes)) in console.runs().enumerate().skip(self.runs.saturating_sub(1)) {
            let known = if index + 1 == self.runs { self.bytes } else { 0 };
            let new = bytes.get(known..).unwrap_or_default();
            if !new.is_empty() && !self.refused {
                self.refused = !sink(channel, new);
            }
            (self.runs, self.bytes) = (index + 1, bytes.len());
        }
        !self.refused
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Channel;

    use super::*;

    #[test]
    fn every_byte_is_passed_on_once_and_in_order() {
        let mut console = Console::new(100);
        let mut passed = Passed::default();
        let mut seen = Vec::new();
        let writes: [(Channel, &[u8]); 5] = [
            (Channel::Uart(2), b"ab"),
            (Channel::Uart(2), b"c"),
            (Channel::Rtt(0), b"d"),
            (Channel::Uart(2), b"e"),
            (Channel::Uart(2), b"fg"),
        ];
        for (index, (channel, bytes)) in writes.into_iter().enumerate() {
            console.write(channel, bytes);
            if index != 1 && index != 3 {
                assert!(passed.pass(&console, &mut |_, new| {
                    seen.extend_from_slice(new);
                    true
                }));
            }
        }
        assert_eq!(seen, b"abcdefg");
        console.write(Channel::Uart(2), b"h");
        assert!(!passed.pass(&console, &mut |_, _| false));
    }
}
