//! The desk of `exec`: standard input to the guest's serial port, and its output.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use cyclescope_guest::options::{reset_note, typed};
use cyclescope_machine::Channel;
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_scope::{Desk, Next};

use super::channels::Channels;
use crate::input::{Input, Read1};
use crate::status::Status;
use crate::terminal;

/// The lead of simulated over real time that is not worth a wait.
const LEAD: Duration = Duration::from_millis(1);

/// The wait for a key while the guest sleeps.
const KEY: Duration = Duration::from_millis(50);

/// The silence after which an unfinished line is a prompt, on a terminal.
const PROMPT: Duration = Duration::from_millis(20);

/// The kind of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Nothing is read.
    None,
    /// A file or a pipe: the guest waits for its bytes.
    Pipe,
    /// A person at a terminal: simulated time keeps to the real one.
    Keys,
}

impl Source {
    /// Looks at the streams. A terminal whose output goes elsewhere has nobody who answers to it, nor has one in whose
    /// background the process runs.
    pub(super) fn detect() -> Self {
        match (io::stdin().is_terminal(), io::stdout().is_terminal() && !terminal::is_anothers()) {
            (true, true) => Self::Keys,
            (true, false) => Self::None,
            (false, _) => Self::Pipe,
        }
    }
}

/// Whoever sits at the board.
pub(super) struct ExecDesk<'a, 'b> {
    channels: Channels<'a, 'b>,
    source: Source,
    input: Input,
    /// The port that the input goes to, once it is known.
    port: Option<Channel>,
    told: bool,
    /// The bytes that came in, as stimuli.
    record: String,
    count: u64,
    resets: u64,
    most_resets: u64,
    started: Instant,
    /// The time of the latest output that may not be shown yet.
    written: Option<Instant>,
    status: Status,
}

impl<'a, 'b> ExecDesk<'a, 'b> {
    /// Input from `source` goes to `port`, or without one to the first that listens. The guest may reset the part
    /// `most_resets` times.
    pub(super) fn new(channels: Channels<'a, 'b>, source: Source, port: Option<Channel>, most_resets: u64) -> Self {
        Self {
            channels,
            source,
            input: Input::new(),
            port,
            told: false,
            record: String::new(),
            count: 0,
            resets: 0,
            most_resets,
            started: Instant::now(),
            written: None,
            status: Status::new(),
        }
    }

    /// Takes the stimuli that stand for the input so far, one a line, and their number.
    pub(super) fn take_record(&mut self) -> (String, u64) {
        (std::mem::take(&mut self.record), self.count)
    }

    pub(super) fn into_channels(self) -> Channels<'a, 'b> {
        self.channels
    }

    fn real(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Desk for ExecDesk<'_, '_> {
    fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        self.written = Some(Instant::now());
        self.status.heard();
        self.channels.take(channel, bytes)
    }

    fn flush(&mut self) {
        self.channels.flush();
    }

    fn has_input(&self) -> bool {
        self.source != Source::None
    }

    fn sends_to(&mut self, port: Channel) -> bool {
        let ours = *self.port.get_or_insert(port) == port;
        if ours && self.source == Source::Keys && !self.told {
            self.told = true;
            self.channels
                .note(&format!("keys go to the guest's serial port {}; Ctrl-C ends the run", port.port_text()));
        }
        ours
    }

    fn next(&mut self, asleep: bool) -> Next {
        let read = match self.source {
            Source::None => Read1::End,
            Source::Pipe => self.input.wait(),
            Source::Keys => self.input.within(if asleep { KEY } else { Duration::ZERO }),
        };
        match read {
            Read1::Byte(byte) => Next::Byte(byte),
            Read1::Nothing => Next::Nothing,
            Read1::End => Next::End,
        }
    }

    fn sent(&mut self, at: Cycles, port: Channel, byte: u8) {
        let rule = typed(at, port, byte);
        self.record.push_str(&format!("{rule}\n"));
        self.count += 1;
    }

    fn clock(&self) -> Option<Picoseconds> {
        let nanoseconds = u64::try_from(self.real().as_nanos()).unwrap_or(u64::MAX);
        (self.source == Source::Keys).then(|| Picoseconds::new(nanoseconds.saturating_mul(1_000)))
    }

    fn keep_pace(&mut self, now: Cycles, time: Picoseconds) {
        self.status.under_way(now, time, !self.channels.has_open_line());
        if self.source != Source::Keys {
            return;
        }
        if self.written.is_some_and(|written| written.elapsed() >= PROMPT) {
            self.written = None;
            self.channels.flush();
        }
        let lead = Duration::from_nanos(time.get() / 1_000).saturating_sub(self.real());
        if lead >= LEAD {
            self.input.pause(lead);
        }
    }

    fn goes_on(&mut self, at: Cycles, cause: &'static str) -> bool {
        if self.resets >= self.most_resets {
            return false;
        }
        self.resets += 1;
        self.channels.note(&reset_note(self.resets, self.most_resets, at, cause));
        true
    }
}
