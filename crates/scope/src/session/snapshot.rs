//! Copies of a session, from which several runs go on.

use std::fmt;

use cyclescope_chips::Machine;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Restore, Timebase};

use super::Session;
use super::functions::Function;
use crate::arrivals::SETTLED;
use crate::drive::Drive;
use crate::event::Resolved;
use crate::exceptions::Exceptions;
use crate::maybe_owned::MaybeOwned;
use crate::rtt::Rtt;
use crate::sleep::SleepTime;
use crate::span::SpanTracker;

/// A machine with all that a [`Session`] knows of its run so far, but for traces and for listeners to model gaps.
#[derive(Clone)]
pub struct Snapshot {
    machine: Machine,
    watched: Watched,
}

/// The knowledge that a session has of a run.
#[derive(Clone)]
struct Watched {
    rtt: Option<Rtt>,
    next_poll: Option<Cycles>,
    events: Vec<Resolved>,
    spans: Vec<SpanTracker>,
    awaited: Vec<(usize, Cycles)>,
    functions: Vec<Function>,
    exceptions: Option<Exceptions>,
    times: Vec<(usize, cyclescope_machine::Moment)>,
    timebase: Timebase,
    within: Vec<(Exceptions, Exceptions)>,
    drive: Drive,
    room: usize,
    sleep: Option<SleepTime>,
    traps: Vec<cyclescope_machine::units::Address>,
    until: Option<(usize, bool)>,
    drained: bool,
}

impl Session<'_> {
    /// Copies the machine and the state of the run.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { machine: self.target.clone(), watched: self.watched() }
    }

    /// Turns `snapshot`, which is of this run's image and part, into one of this moment. It costs less than a new one.
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        snapshot.machine.restore(&self.target);
        snapshot.watched = self.watched();
    }

    /// Goes back, or forward, to `snapshot`, which descends from a session of the same machine.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.target.restore(&snapshot.machine);
        self.take(snapshot.watched.clone());
        // What the run that is left was about to tell.
        self.signals.clear();
        self.signal_cores.clear();
        self.listening.clear();
        // Calls under way end where other runs of this session have never been.
        for address in self.functions.iter().flat_map(Function::return_addresses) {
            self.target.watch(address);
        }
    }

    fn watched(&self) -> Watched {
        Watched {
            rtt: self.rtt,
            next_poll: self.next_poll,
            events: self.events.clone(),
            spans: self.spans.clone(),
            awaited: self.awaited.clone(),
            functions: self.functions.clone(),
            exceptions: self.exceptions.clone(),
            times: self.times.clone(),
            timebase: self.timebase,
            within: self.within.clone(),
            drive: self.drive.clone(),
            room: self.room,
            sleep: self.sleep,
            traps: self.traps.clone(),
            until: self.until,
            drained: self.drained,
        }
    }

    fn take(&mut self, watched: Watched) {
        let Watched { rtt, next_poll, events, spans, awaited, functions, exceptions, times, .. } = watched;
        (self.rtt, self.next_poll, self.events, self.spans, self.awaited) = (rtt, next_poll, events, spans, awaited);
        (self.functions, self.exceptions, self.times) = (functions, exceptions, times);
        let Watched { timebase, within, drive, room, sleep, traps, until, drained, .. } = watched;
        (self.timebase, self.within, self.drive, self.room) = (timebase, within, drive, room);
        (self.sleep, self.traps, self.until, self.drained) = (sleep, traps, until, drained);
        self.set_next_time();
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("now", &self.now()).finish_non_exhaustive()
    }
}

impl Restore for Snapshot {
    fn restore(&mut self, from: &Self) {
        self.machine.restore(&from.machine);
        self.watched.clone_from(&from.watched);
    }
}

impl Snapshot {
    /// Returns a session that goes on from here.
    pub fn session(&self) -> Session<'static> {
        let target = MaybeOwned::Owned(self.machine.clone());
        let mut session = Session::bare(target, self.watched.timebase);
        session.take(self.watched.clone());
        session
    }

    /// Returns the cycle at which the machine stands.
    pub fn now(&self) -> Cycles {
        self.machine.now()
    }

    /// Tells if a run with a stimulus at the cycle `arrival` goes on from here as it does from reset.
    pub fn is_before(&self, arrival: Cycles) -> bool {
        self.now().saturating_add(Cycles::new(SETTLED)) <= arrival
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
}
