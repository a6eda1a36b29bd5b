//! Output of several channels on one stream, whose lines stay whole.

use cyclescope_machine::Channel;

/// The most bytes of a line that are held back until it is whole.
const LONGEST: usize = 1 << 16;

/// Orders the output of channels by lines. As long as only one channel has spoken, its bytes pass at once.
#[derive(Debug, Default)]
pub struct Lines {
    /// The channels that have spoken, with the bytes held back.
    channels: Vec<(Channel, Vec<u8>)>,
    /// The channel whose line is under way on the stream.
    open: Option<Channel>,
}

impl Lines {
    /// Takes `bytes` of `channel` and returns the bytes for the stream.
    pub fn put(&mut self, channel: Channel, bytes: &[u8]) -> Vec<u8> {
        let index = self.channels.iter().position(|(known, _)| *known == channel).unwrap_or_else(|| {
            self.channels.push((channel, Vec::new()));
            self.channels.len() - 1
        });
        if self.channels.len() == 1 {
            self.open = self.open_after(channel, bytes);
            return bytes.to_vec();
        }
        let held = &mut self.channels[index].1;
        held.extend_from_slice(bytes);
        let too_long = held.len() > LONGEST;
        let mut out = self.whole();
        if too_long {
            self.release(&mut out);
        }
        out
    }

    /// Returns what is held back. A line that another channel has under way ends there.
    pub fn flush(&mut self) -> Vec<u8> {
        let mut out = self.whole();
        self.release(&mut out);
        out
    }

    /// Returns `true` if a line is under way on the stream.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The line under way has been ended.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Returns the lines that are whole: first the one under way, then those of each channel.
    fn whole(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(open) = self.open {
            let Some((_, held)) = self.channels.iter_mut().find(|(channel, _)| *channel == open) else { return out };
            let Some(end) = held.iter().position(|byte| *byte == b'\n') else {
                // Its line goes on, and nothing can come between.
                return std::mem::take(held);
            };
            out.extend(held.drain(..=end));
            self.open = None;
        }
        for (_, held) in &mut self.channels {
            if let Some(end) = held.iter().rposition(|byte| *byte == b'\n') {
                out.extend(held.drain(..=end));
            }
        }
        out
    }

    /// Adds what is held back to `out`.
    fn release(&mut self, out: &mut Vec<u8>) {
        for index in 0..self.channels.len() {
            let (channel, held) = (self.channels[index].0, std::mem::take(&mut self.channels[index].1));
            if held.is_empty() {
                continue;
            }
            if self.open.is_some_and(|open| open != channel) {
                out.push(b'\n');
            }
            self.open = self.open_after(channel, &held);
            out.extend(held);
        }
    }

    /// Returns the channel whose line is under way after `bytes` of `channel`.
    fn open_after(&self, channel: Channel, bytes: &[u8]) -> Option<Channel> {
        match bytes.last() {
            None => self.open,
            Some(b'\n') => None,
            Some(_) => Some(channel),
        }
    }
}

/// Looks for a text in the output of each channel.
#[derive(Debug)]
pub struct Awaited {
    text: Vec<u8>,
    /// For each channel the last bytes that may belong to the text.
    tails: Vec<(Channel, Vec<u8>)>,
    seen: bool,
}

impl Awaited {
    /// A look-out for `text`.
    pub fn new(text: &str) -> Self {
        Self { text: text.as_bytes().to_vec(), tails: Vec::new(), seen: false }
    }

    /// Returns `true` once a channel has written the text.
    pub fn is_seen(&self) -> bool {
        self.seen
    }

    /// Looks at `bytes` of `channel`. Returns the number of them up to the end of the text, if they complete it.
    pub fn look(&mut self, channel: Channel, bytes: &[u8]) -> Option<usize> {
        let index = self.tails.iter().position(|(known, _)| *known == channel).unwrap_or_else(|| {
            self.tails.push((channel, Vec::new()));
            self.tails.len() - 1
        });
        let tail = &mut self.tails[index].1;
        let before = tail.len();
        tail.extend_from_slice(bytes);
        if let Some(at) = tail.windows(self.text.len()).position(|window| window == self.text) {
            self.seen = true;
            return Some(at + self.text.len() - before);
        }
        let keep = tail.len().min(self.text.len() - 1);
        tail.drain(..tail.len() - keep);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Channel = Channel::Uart(1);
    const B: Channel = Channel::Uart(2);

    fn written(parts: &[(Channel, &str)], flush: bool) -> String {
        let mut lines = Lines::default();
        let mut out: Vec<u8> = parts.iter().flat_map(|(channel, text)| lines.put(*channel, text.as_bytes())).collect();
        if flush {
            out.extend(lines.flush());
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_channel_passes_at_once() {
        assert_eq!(written(&[(A, "> "), (A, "x")], false), "> x");
    }

    #[test]
    fn lines_of_two_channels_stay_whole() {
        assert_eq!(written(&[(A, "on"), (B, "two\nth"), (A, "e\n"), (B, "ree\n")], false), "one\ntwo\nthree\n");
        assert_eq!(written(&[(A, "a\n"), (B, "b"), (A, "c"), (B, "d\n"), (A, "\n")], false), "a\nbd\nc\n");
    }

    #[test]
    fn a_prompt_appears_when_it_is_time() {
        assert_eq!(written(&[(A, "a\n"), (B, "> ")], false), "a\n");
        assert_eq!(written(&[(A, "a\n"), (B, "> ")], true), "a\n> ");
        assert_eq!(written(&[(A, "a"), (B, "> ")], true), "a\n> ", "each has a line of its own");
    }

    #[test]
    fn an_endless_line_is_not_held() {
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(written(&[(A, "a\n"), (B, &long)], false).len(), long.len() + 2);
    }

    #[test]
    fn a_text_is_found_across_pieces_of_one_channel() {
        let mut awaited = Awaited::new("ready");
        assert_eq!((awaited.look(A, b"rea"), awaited.look(B, b"dy")), (None, None));
        assert_eq!(awaited.look(A, b"dy> more"), Some(2));
        assert!(awaited.is_seen());
        assert_eq!(Awaited::new("x").look(A, b"abx"), Some(3));
    }
}
