//! A node on its CAN bus, whatever its registers: bit times, synchronisation, the frames of the node and of the attached ones, errors, recovery.
//!
//! The bus has a transceiver on the part's side, so that the node hears itself. A frame is one event, at the sample point
//! that decides about it; a second one where another frame won. While the node does not take part, attached nodes wait
//! with their frames, which nobody would acknowledge; so they do while it hears only itself (LBKM).

use cyclescope_machine::{CanError, CanFrame, GapKind, Transfer};

use super::can::ROWS;
use crate::wires::Wave;
use crate::wires::can::{
    Counters, Course, IDLE, INTERMISSION, Node, Others, SUSPEND, Sender, Share, bits, breaks, course,
};
use crate::{Env, Instant, Source, Span};

/// The mode changes.
pub(super) const CHANGE: u16 = 0;
/// A frame begins.
const START: u16 = 1;
/// A frame is decided.
const DECIDED: u16 = 2;
/// The node's frame loses to another.
const LOST: u16 = 3;
/// The node is back on the bus.
const RECOVERED: u16 = 4;

/// The mode that is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing is heard but the beginning of a frame.
    Sleep,
    /// The bus is left alone.
    Initialisation,
    /// Neither.
    Normal,
}

/// The outcome of an attempt to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The frame went out.
    Sent,
    /// Another had priority.
    Lost,
    /// An error.
    Failed,
}

/// A frame on the bus.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    start: Instant,
    course: Course,
    /// The node's own share, with its mailbox and the frame.
    own: Option<(Share, usize, CanFrame)>,
    /// The attached devices that send, by their number among the senders.
    senders: Vec<(usize, usize)>,
    /// The node takes part in it as a receiver.
    receives: bool,
    decided: Instant,
    /// The user has been told of it.
    done: bool,
    time: u16,
}

/// The node's place in the time of its bus.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    attempt: Option<Attempt>,
    /// The mode that begins, and when.
    change: Option<(Mode, Instant)>,
    /// The start of the next frame.
    next: Option<Instant>,
    /// A bit began here.
    grid: Instant,
    /// From when on another frame may begin, and one of the node.
    free: Instant,
    own_free: Instant,
    /// The attached node that has to wait longer, until then.
    suspended: Option<(usize, Instant)>,
    /// Since when the bus is recessive.
    quiet: Instant,
    /// Since when occurrences of recessive bits count, and how many are missing.
    recovery: Option<(Instant, u64)>,
    /// The counter of time stamps was 0.
    pub(super) counted_from: Instant,
}

impl Default for Traffic {
    fn default() -> Self {
        let zero = Instant::default();
        Self {
            attempt: None,
            change: None,
            next: None,
            grid: zero,
            free: zero,
            own_free: zero,
            suspended: None,
            quiet: zero,
            recovery: None,
            counted_from: zero,
        }
    }
}

impl Traffic {
    /// True if a frame of mailbox `number` is on the bus.
    pub(super) fn sends(&self, number: usize) -> bool {
        let own = self.attempt.as_ref().filter(|attempt| !attempt.done).and_then(|attempt| attempt.own);
        own.is_some_and(|(_, mailbox, _)| mailbox == number)
    }

    /// True if levels of a frame may still be on the bus.
    pub(super) const fn is_under_way(&self) -> bool {
        self.attempt.is_some()
    }

    /// True if the node sends a frame now, and if it receives one.
    pub(super) fn role(&self, env: &Env<'_, '_>) -> (bool, bool) {
        let Some(attempt) = self.attempt.as_ref().filter(|attempt| !attempt.done && attempt.start <= env.now()) else {
            return (false, false);
        };
        let sends = attempt.own.is_some_and(|(share, ..)| !matches!(share, Share::Lost(_)));
        (sends, !sends && attempt.receives)
    }

    /// All points in time, to be moved.
    fn points(&mut self) -> impl Iterator<Item = &mut Instant> {
        let Self { attempt, change, next, grid, free, own_free, suspended, quiet, recovery, counted_from } = self;
        let attempt = attempt.iter_mut().flat_map(|attempt| [&mut attempt.start, &mut attempt.decided]);
        let change = change.iter_mut().map(|(_, at)| at);
        let recovery = recovery.iter_mut().map(|(at, _)| at);
        let suspended = suspended.iter_mut().map(|(_, at)| at);
        attempt.chain(change).chain(next.iter_mut()).chain(recovery).chain(suspended).chain([
            grid,
            free,
            own_free,
            quiet,
            counted_from,
        ])
    }

    /// The unit of time has become `times` smaller.
    pub(super) fn refine(&mut self, times: u64) {
        self.points().for_each(|at| *at = at.refined(times));
    }
}

/// The parts of a bit, in time quanta.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// Periods of the clock in a quantum.
    pub(super) quantum: u64,
    pub(super) first: u64,
    pub(super) second: u64,
    pub(super) jump: u64,
}

impl Timing {
    const fn quanta(self) -> u64 {
        1 + self.first + self.second
    }
}

/// The part of a node that its bus sees.
#[derive(Clone, Debug)]
pub(super) struct OnBus {
    pub(super) clock: Source,
    pub(super) mode: Mode,
    pub(super) counters: Counters,
    pub(super) traffic: Traffic,
}

impl OnBus {
    /// A node that counts `clock`, in `mode`.
    pub(super) fn new(clock: Source, mode: Mode) -> Self {
        Self { clock, mode, counters: Counters::default(), traffic: Traffic::default() }
    }
}

/// A node on CAN: what its registers decide, and what follows on the bus.
pub(super) trait Participant {
    /// The node's place on its bus.
    fn bus(&self) -> &OnBus;

    /// The same, to be changed.
    fn bus_mut(&mut self) -> &mut OnBus;

    /// The parts of a bit.
    fn timing(&self) -> Timing;

    /// True if it hears only itself.
    fn loops(&self) -> bool;

    /// True if it sends no dominant bit.
    fn is_silent(&self) -> bool;

    /// True if it receives and acknowledges, but sends neither frames nor error flags, and counts no errors.
    fn is_restricted(&self) -> bool {
        false
    }

    /// The mode that software asks for.
    fn asked(&self) -> Mode;

    /// The mode is `mode` now.
    fn enter(&mut self, mode: Mode);

    /// A frame begins on the bus of a sleeping node.
    fn wake(&mut self, env: &mut Env<'_, '_>);

    /// True if frames are stamped with the time, in so many bits.
    fn stamps(&self) -> Option<u64>;

    /// True if it comes back by itself after it has left the bus.
    fn recovers(&self) -> bool;

    /// The occurrences of eleven recessive bits after which a node that left the bus is back.
    fn recovery(&self) -> u64 {
        128
    }

    /// The number of the mailbox whose frame goes first.
    fn chosen(&self) -> Option<usize>;

    /// The frame in mailbox `number`, with the time stamp of a frame that begins now.
    fn frame_in(&self, number: usize, time: u16) -> CanFrame;

    /// An attempt with the frame of mailbox `number`, which began at the time stamp `time`, ended with `outcome`.
    fn tried(&mut self, number: usize, outcome: Outcome, time: u16);

    /// A frame has come in that began at the time stamp `time`.
    fn receive(&mut self, frame: CanFrame, time: u16);

    /// An error on the bus, by its code of 1 to 6, or (`None`) a frame without one.
    fn note_error(&mut self, code: Option<u32>);

    /// Puts the counters and what follows from them into the registers.
    fn show_counters(&mut self);

    /// True if neither its frames nor others' reach the pins.
    fn is_private(&self) -> bool {
        self.loops() && self.is_silent()
    }

    fn quantum(&self, env: &Env<'_, '_>) -> Span {
        env.clocks().period_of(self.bus().clock).times(self.timing().quantum)
    }

    fn bit(&self, env: &Env<'_, '_>) -> Span {
        self.quantum(env).times(self.timing().quanta())
    }

    /// The sample point of the bit `place` of a frame that began at `start`.
    fn sample(&self, start: Instant, place: usize, env: &Env<'_, '_>) -> Instant {
        let late = self.quantum(env).times(1 + self.timing().first);
        start.after(self.bit(env).times(place as u64)).after(late)
    }

    /// The nodes on the bus that take part.
    fn nodes(&self, env: &Env<'_, '_>) -> Vec<Node> {
        let mut nodes = env.can_nodes();
        nodes.retain(|node| !node.counters.is_off());
        nodes
    }

    /// True if an attached node has something to send.
    fn nodes_want(&self, env: &Env<'_, '_>) -> bool {
        self.nodes(env).iter().any(|node| node.next.is_some())
    }

    /// True if the node can follow another that runs at `rate` bits a second (ISO 11898-1, "Oscillator tolerance"): jumps
    /// make up for ten bits, and the phase segments for the thirteen bits of an error flag.
    fn follows(&self, rate: u32, env: &Env<'_, '_>) -> bool {
        let (timing, own) = (self.timing(), self.bit(env));
        let theirs = env.clocks().period(cyclescope_machine::units::Hertz::new(rate.into()));
        let off = own.max(theirs).minus(own.min(theirs));
        off.times(10 * timing.quanta()) <= own.times(timing.jump)
            && off.times(13 * timing.quanta() - timing.second) <= own.times(timing.first.min(timing.second))
    }

    /// A bit's picoseconds.
    fn bit_picoseconds(&self, env: &Env<'_, '_>) -> u64 {
        let timing = self.timing();
        let periods = timing.quantum * timing.quanta();
        1_000_000_000_000 * periods / env.clocks().frequency(self.bus().clock).get().max(1)
    }

    /// The mode that MCR asks for begins after the bus's activity, normal mode after eleven recessive bits.
    fn change_mode(&mut self, env: &mut Env<'_, '_>) {
        let asked = self.asked();
        if asked == self.bus().mode {
            self.bus_mut().traffic.change = None;
            env.cancel(CHANGE);
            return;
        }
        if self.bus().traffic.change.is_some_and(|(mode, _)| mode == asked) {
            return;
        }
        let (now, bit) = (env.now(), self.bit(env));
        let wait = env.cycles(&ROWS[0]);
        let at = if asked == Mode::Normal {
            if self.bus().counters.is_off() {
                self.bus_mut().traffic.recovery = Some((now.max(self.bus().traffic.quiet), self.recovery()));
            }
            now.max(self.bus().traffic.quiet).after(bit.times(IDLE as u64))
        } else {
            let busy = self
                .bus()
                .traffic
                .attempt
                .as_ref()
                .map(|attempt| attempt.start.after(bit.times(attempt.course.levels.len() as u64)));
            busy.unwrap_or(now).max(now)
        };
        let at = at.after(bit.times(wait));
        self.bus_mut().traffic.change = Some((asked, at));
        if at <= now {
            self.mode_changes(env);
        } else {
            env.schedule(CHANGE, at);
        }
    }

    /// The mode that was asked for begins, if it is time.
    fn mode_changes(&mut self, env: &mut Env<'_, '_>) {
        let Some((mode, at)) = self.bus_mut().traffic.change.take_if(|(_, at)| *at <= env.now()) else { return };
        if mode == Mode::Normal {
            self.bus_mut().traffic.attempt = None;
            (self.bus_mut().traffic.grid, self.bus_mut().traffic.free, self.bus_mut().traffic.own_free) = (at, at, at);
            self.bus_mut().traffic.counted_from = at;
            let high = Wave { signal: "RX", start: at, steps: [Span::ZERO; 2], levels: 1, count: 1 };
            env.wave(high);
            self.enter(mode);
            self.recover(env);
            return;
        }
        self.leave_bus(env);
        self.enter(mode);
        if mode == Mode::Sleep && self.nodes_want(env) {
            self.wake(env);
        }
    }

    /// Nothing more happens on the bus.
    fn leave_bus(&mut self, env: &mut Env<'_, '_>) {
        self.bus_mut().traffic.attempt = None;
        self.bus_mut().traffic.next = None;
        self.bus_mut().traffic.change = None;
        self.bus_mut().traffic.recovery = None;
        [CHANGE, START, DECIDED, LOST, RECOVERED].into_iter().for_each(|kind| env.cancel(kind));
        env.end_waves();
    }

    /// Plans the start of the next frame, if somebody has one.
    fn plan(&mut self, env: &mut Env<'_, '_>) {
        if self.bus().mode != Mode::Normal || self.bus().traffic.attempt.as_ref().is_some_and(|attempt| !attempt.done) {
            return;
        }
        let leaves = self.bus().traffic.change.map(|(_, at)| at);
        let own = self.sends_next().map(|_| self.bus().traffic.own_free);
        let nodes = if self.loops() { Vec::new() } else { self.nodes(env) };
        let nodes = nodes.iter().filter(|node| node.next.is_some()).map(|node| self.free_for(node.index));
        let at = own.into_iter().chain(nodes).min();
        let (bit, now) = (self.bit(env), env.now());
        let at = at.filter(|_| bit != Span::ZERO).map(|at| {
            // Bits begin whole bits after the last frame, or after the node has come to the bus.
            let at = at.max(now);
            let (whole, rest) = at.since(self.bus().traffic.grid).divide(bit);
            self.bus().traffic.grid.after(bit.times(whole + u64::from(rest != Span::ZERO)))
        });
        let at = at.filter(|at| leaves.is_none_or(|leaves| *at < leaves));
        if at != self.bus().traffic.next {
            self.bus_mut().traffic.next = at;
            env.schedule(START, at.unwrap_or(Instant::NEVER));
        }
    }

    /// From when on the attached node `index` may send.
    fn free_for(&self, index: usize) -> Instant {
        let suspended = self.bus().traffic.suspended.filter(|(node, _)| *node == index);
        suspended.map_or(self.bus().traffic.free, |(_, at)| at)
    }

    /// The mailbox that the node would send.
    fn sends_next(&self) -> Option<usize> {
        let may = !self.bus().counters.is_off() && !self.is_restricted() && (!self.is_silent() || self.loops());
        self.chosen().filter(|_| may)
    }

    /// Handles an event of the bus.
    fn bus_event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let now = env.now();
        match kind {
            START => {
                if let Some(at) = self.bus_mut().traffic.next.take_if(|at| *at <= now) {
                    self.begin(at, env);
                }
            }
            LOST => self.lose(env),
            DECIDED => {
                let due =
                    self.bus().traffic.attempt.as_ref().is_some_and(|attempt| !attempt.done && attempt.decided <= now);
                if due {
                    self.decide(env);
                }
            }
            RECOVERED => {
                self.count_recovery(now, env);
                self.recover(env);
            }
            _ => {}
        }
    }

    /// A frame begins at `at`, by all who have one.
    fn begin(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        let private = self.loops();
        let time = self.stamp(at, env);
        let mailbox = self.sends_next().filter(|_| at >= self.bus().traffic.own_free);
        let own = mailbox.map(|number| (number, self.frame_in(number, time)));
        let mut senders: Vec<Sender> = Vec::new();
        senders.extend(own.map(|(_, frame)| Sender { frame, passive: self.bus().counters.is_passive() }));
        let nodes = if self.is_private() { Vec::new() } else { self.nodes(env) };
        let mut sending = Vec::new();
        for node in nodes.iter().filter(|node| !private && at >= self.free_for(node.index)) {
            if let Some(frame) = node.next {
                sending.push((senders.len(), node.index));
                senders.push(Sender { frame, passive: node.counters.is_passive() });
            }
        }
        let takes_part = !self.bus().counters.is_off();
        let others = self.others(&nodes, &sending, own.is_some(), takes_part, &senders, env);
        let Some(course) = course(&senders, others) else { return };
        self.count_recovery(at, env);
        let share = own.map(|(number, frame)| (course.shares[0], number, frame));
        let last = course.levels.len() - 1;
        let place = match share {
            Some((Share::Whole, ..)) => last,
            Some((Share::Failed(_, place), ..)) => place,
            _ => course.error.map_or(last - 1, |(_, place)| place),
        };
        if let Some((Share::Lost(place), ..)) = share {
            env.schedule(LOST, self.sample(at, place, env));
        }
        let wait = env.cycles(&ROWS[1]);
        let decided = self.sample(at, place, env).after(self.bit(env).times(wait));
        env.schedule(DECIDED, decided);
        self.bus_mut().traffic.grid = at;
        let attempt = Attempt {
            start: at,
            course,
            own: share,
            senders: sending,
            receives: takes_part && (own.is_none() || matches!(share, Some((Share::Lost(_), ..)))),
            decided,
            done: false,
            time,
        };
        self.waves(&attempt, env);
        self.bus_mut().traffic.attempt = Some(attempt);
    }

    /// The others' answers to a frame that begins.
    fn others(
        &self,
        nodes: &[Node],
        sending: &[(usize, usize)],
        own: bool,
        takes_part: bool,
        senders: &[Sender],
        env: &mut Env<'_, '_>,
    ) -> Others {
        let mut others = Others { acknowledge: self.loops(), ..Others::default() };
        if !own && takes_part && !self.is_silent() {
            others.acknowledge = true;
            others.active = !self.bus().counters.is_passive() && !self.is_restricted();
        }
        let ours = self.bit_picoseconds(env);
        for node in nodes {
            let sends = sending.iter().find(|(_, index)| *index == node.index);
            let astray = node.rate.filter(|rate| !self.follows(*rate, env));
            let Some(rate) = astray else {
                if sends.is_none() {
                    others.acknowledge |= node.acknowledges;
                    others.active |= !node.counters.is_passive() && node.acknowledges;
                }
                continue;
            };
            let (theirs, name) = (1_000_000_000_000 / u64::from(rate.max(1)), env.name());
            let sentence = format!(
                "it runs at {rate} bit/s and {name} at {} bit/s, so that frames end in errors",
                1_000_000_000_000 / ours.max(1)
            );
            env.can_complain(node.index, sentence);
            let listens = node.acknowledges && !node.counters.is_passive() && own;
            let place = match sends {
                // The part reads a frame at another rate than its own.
                Some((sender, _)) if !own => Some(breaks(&bits(&senders[*sender].frame).levels, theirs, ours)),
                _ => senders.first().filter(|_| listens).map(|first| breaks(&bits(&first.frame).levels, ours, theirs)),
            };
            let disturbs = place.filter(|_| listens || sends.is_some() && others.active);
            others.disturbed = match (others.disturbed, disturbs) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        others
    }

    /// The time stamp of a frame that begins at `at`: bits at the sample point of its first.
    fn stamp(&self, at: Instant, env: &Env<'_, '_>) -> u16 {
        let Some(divider) = self.stamps() else { return 0 };
        let (bits, _) = self.sample(at, 0, env).since(self.bus().traffic.counted_from).divide(self.bit(env));
        (bits / divider.max(1)) as u16
    }

    /// Gives the levels of a frame to the pins.
    fn waves(&self, attempt: &Attempt, env: &mut Env<'_, '_>) {
        let Attempt { start, course, own, receives, .. } = attempt;
        let (levels, length) = (&course.levels, course.levels.len());
        if self.is_private() {
            return;
        }
        let mut sent = vec![true; length];
        let mut flag = |from: usize| {
            let end = (from + 7).min(length);
            sent[(from + 1).min(end)..end].fill(self.bus().counters.is_passive());
        };
        match *own {
            Some((Share::Failed(_, place), ..)) => flag(place),
            None if *receives && !self.is_silent() && !self.is_restricted() => {
                if let Some((_, place)) = course.error {
                    flag(place);
                }
            }
            _ => {}
        }
        match *own {
            Some((Share::Whole, ..)) => {
                sent.copy_from_slice(levels);
                sent[course.slot] = true;
            }
            Some((Share::Failed(error, place), ..)) => {
                let sends = !matches!(error, CanError::Recessive | CanError::Acknowledgement);
                sent[..place].copy_from_slice(&levels[..place]);
                sent[place] = !sends || levels[place];
            }
            Some((Share::Lost(place), ..)) => sent[..place].copy_from_slice(&levels[..place]),
            None => {}
        }
        if *receives && !self.is_silent() && course.error.is_none() && course.slot < length {
            sent[course.slot] = levels[course.slot];
        }
        let bit = self.bit(env);
        for (signal, levels) in [("TX", &sent), ("RX", levels)] {
            if signal == "RX" && self.loops() || levels.iter().all(|level| *level) {
                continue;
            }
            for (index, chunk) in levels.chunks(64).enumerate() {
                let bits = chunk.iter().rev().fold(0, |bits, level| bits << 1 | u64::from(*level));
                let start = start.after(bit.times(64 * index as u64));
                let wave = Wave { signal, start, steps: [bit; 2], levels: bits, count: chunk.len() as u8 };
                if index == 0 { env.wave(wave) } else { env.wave_behind(wave) }
            }
        }
    }

    /// Another's frame has priority.
    fn lose(&mut self, env: &mut Env<'_, '_>) {
        let Some(attempt) = self.bus().traffic.attempt.as_ref().filter(|attempt| !attempt.done) else { return };
        if let Some((Share::Lost(_), mailbox, _)) = attempt.own {
            let time = attempt.time;
            self.tried(mailbox, Outcome::Lost, time);
        }
        env.cancel(LOST);
    }

    /// The frame under way is decided.
    fn decide(&mut self, env: &mut Env<'_, '_>) {
        let Some(mut attempt) = self.bus_mut().traffic.attempt.take() else { return };
        attempt.done = true;
        let (bit, length) = (self.bit(env), attempt.course.levels.len());
        let end = attempt.start.after(bit.times(length as u64));
        self.bus_mut().traffic.quiet = attempt.start.after(bit.times((length - 8) as u64));
        self.bus_mut().traffic.free = end.after(bit.times(INTERMISSION as u64));
        self.bus_mut().traffic.own_free = self.bus().traffic.free;
        self.tell_nodes(&attempt, env);
        // "Suspend transmission": an error-passive sender waits longer.
        let later = self.bus().traffic.free.after(bit.times(SUSPEND as u64));
        let sent = |node: &&Node| {
            let sender = attempt.senders.iter().find(|(_, index)| *index == node.index);
            sender.is_some_and(|(sender, _)| !matches!(attempt.course.shares[*sender], Share::Lost(_)))
        };
        let nodes = self.nodes(env);
        let suspended = nodes.iter().filter(|node| node.counters.is_passive()).find(sent);
        self.bus_mut().traffic.suspended = suspended.map(|node| (node.index, later));
        let frame = attempt.course.frame;
        let error = match attempt.own {
            Some((Share::Whole, mailbox, frame)) => {
                self.bus_mut().counters.sent();
                self.tried(mailbox, Outcome::Sent, attempt.time);
                if self.loops() {
                    self.receive(frame, attempt.time);
                }
                None
            }
            Some((Share::Failed(error, _), mailbox, _)) => {
                self.bus_mut().counters.failed(error);
                self.tried(mailbox, Outcome::Failed, attempt.time);
                if error == CanError::Acknowledgement {
                    self.name_silence(env);
                }
                Some(error)
            }
            _ if !attempt.receives => attempt.course.error.map(|(error, _)| error),
            _ => match attempt.course.error {
                Some((error, _)) => {
                    if !self.is_restricted() {
                        self.bus_mut().counters.missed();
                    }
                    Some(error)
                }
                None => {
                    if !self.is_restricted() {
                        self.bus_mut().counters.received();
                    }
                    self.receive(frame, attempt.time);
                    None
                }
            },
        };
        if attempt.own.is_some() || attempt.receives {
            self.note_error(error.map(code));
        }
        if self.bus().counters.is_passive() && matches!(attempt.own, Some((Share::Whole | Share::Failed(..), ..))) {
            self.bus_mut().traffic.own_free = later;
        }
        env.transfer(error.map_or(Transfer::CanFrame(frame), Transfer::CanError));
        let off = self.bus().counters.is_off();
        self.bus_mut().traffic.attempt = Some(attempt);
        if off && self.bus().traffic.recovery.is_none() && self.recovers() {
            self.bus_mut().traffic.recovery = Some((self.bus().traffic.quiet, self.recovery()));
        } else {
            let Traffic { recovery, quiet, .. } = &mut self.bus_mut().traffic;
            if let Some((since, _)) = recovery {
                *since = *quiet;
            }
        }
        self.recover(env);
    }

    /// Names to the user that nobody answers.
    fn name_silence(&self, env: &mut Env<'_, '_>) {
        if self.nodes(env).iter().any(|node| node.acknowledges) {
            return;
        }
        let name = env.name();
        env.gap(
            GapKind::Setting,
            format_args!(
                "{name}: no other node on its bus acknowledges frames, so that they fail and are sent again; --attach \
                 can@{} is one",
                if name == "CAN" { "can1".to_owned() } else { name.to_lowercase() }
            ),
        );
    }

    /// Tells the attached nodes what became of the frame.
    fn tell_nodes(&self, attempt: &Attempt, env: &mut Env<'_, '_>) {
        if self.is_private() {
            return;
        }
        for node in self.nodes(env) {
            let sender = attempt.senders.iter().find(|(_, index)| *index == node.index).map(|(sender, _)| *sender);
            let share = sender.map(|sender| attempt.course.shares[sender]);
            match share {
                Some(Share::Whole) => env.can_frame(node.index, attempt.course.frame, true),
                Some(Share::Failed(error, _)) => env.can_error(node.index, error, true),
                _ => {
                    // A frame is no frame for one that runs at another rate.
                    let follows = node.rate.is_none_or(|rate| self.follows(rate, env));
                    let own_failed = matches!(attempt.own, Some((Share::Failed(..), ..)));
                    match attempt.course.error {
                        Some((error, _)) => env.can_error(node.index, error, false),
                        None if own_failed && !attempt.course.levels[attempt.course.slot] => {}
                        None if follows => env.can_frame(node.index, attempt.course.frame, false),
                        None => env.can_error(node.index, CanError::Stuff, false),
                    }
                }
            }
        }
    }

    /// Counts the recessive bits of a node that left the bus up to `until`.
    fn count_recovery(&mut self, until: Instant, env: &Env<'_, '_>) {
        let eleven = self.bit(env).times(IDLE as u64);
        if let Some((since, left)) = &mut self.bus_mut().traffic.recovery {
            let (whole, _) = until.since(*since).divide(eleven);
            *since = since.after(eleven.times(whole));
            *left = left.saturating_sub(whole);
        }
    }

    /// Plans the end of the recovery, or ends it.
    fn recover(&mut self, env: &mut Env<'_, '_>) {
        let Some((since, left)) = self.bus().traffic.recovery else { return };
        if left == 0 && self.bus().mode == Mode::Normal {
            self.bus_mut().traffic.recovery = None;
            self.bus_mut().counters = Counters::default();
            self.show_counters();
            self.bus_mut().traffic.own_free = self.bus().traffic.free;
            env.cancel(RECOVERED);
            return;
        }
        let at = since.after(self.bit(env).times(IDLE as u64 * left));
        env.schedule(RECOVERED, at);
    }

    /// The level of the bus now, and at the last sample point.
    fn level(&self, env: &Env<'_, '_>) -> (bool, bool) {
        let Some(attempt) = &self.bus().traffic.attempt else { return (true, true) };
        let (bit, now) = (self.bit(env), env.now());
        let (place, _) = now.since(attempt.start).divide(bit);
        let at = |place: u64| attempt.course.levels.get(place as usize).copied().unwrap_or(true);
        let sampled = self.sample(attempt.start, place.min(1 << 20) as usize, env) <= now;
        let before = if sampled { Some(place) } else { place.checked_sub(1) };
        (at(place), before.is_none_or(at))
    }

    /// PCLK has another period than `old` now.
    fn clock_changed(&mut self, old: Span, env: &mut Env<'_, '_>) {
        let (now, new) = (env.now(), env.clocks().period_of(self.bus().clock));
        if old == new {
            return;
        }
        for at in self.bus_mut().traffic.points() {
            *at = if *at > now { at.rescaled(now, old, new) } else { now.before(now.since(*at).rescaled(old, new)) };
        }
        let Traffic { attempt, change, next, .. } = &self.bus().traffic;
        let attempt = attempt.as_ref().filter(|attempt| !attempt.done);
        let lost = attempt.and_then(|attempt| match attempt.own {
            Some((Share::Lost(place), ..)) => Some(self.sample(attempt.start, place, env)).filter(|at| *at > now),
            _ => None,
        });
        let events = [
            (DECIDED, attempt.map(|attempt| attempt.decided)),
            (CHANGE, change.map(|(_, at)| at)),
            (START, *next),
            (LOST, lost),
        ];
        for (kind, at) in events {
            env.schedule(kind, at.unwrap_or(Instant::NEVER));
        }
        self.recover(env);
    }
}

/// The code of an error in ESR.LEC.
const fn code(error: CanError) -> u32 {
    match error {
        CanError::Stuff => 1,
        CanError::Form => 2,
        CanError::Acknowledgement => 3,
        CanError::Recessive => 4,
        CanError::Dominant => 5,
        CanError::Checksum => 6,
    }
}
