//! The tasks of one place, in numbers.

use std::collections::BTreeMap;

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_scope::{CycleOwner, Delays, HeldUp, LongestPoll, TaskFacts, TaskId, TaskInfo};

use crate::ledger::Place;

/// The figures of the tasks of one place.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) spawns: u64,
    pub(crate) ends: u64,
    pub(crate) polls: u64,
    pub(crate) busy: u64,
    pub(crate) woken_by: BTreeMap<CycleOwner, u64>,
    longest: Option<LongestPoll>,
    waits: Delays,
}

impl Record {
    /// Adds a poll that began at `since` and took `time`, in a run from `start` on. Tells if it is the longest so far.
    pub(crate) fn poll(&mut self, start: u64, since: u64, time: u64) -> bool {
        let time = Cycles::new(time);
        let longer = self.longest.as_ref().is_none_or(|longest| time > longest.cycles);
        if longer {
            self.longest =
                Some(LongestPoll { at: Cycles::new(since - start), cycles: time, own: time, function: None });
        }
        longer
    }

    /// Adds a wait from a wake to a poll.
    pub(crate) fn wait(&mut self, start: u64, woken: u64, polled: u64) {
        self.waits.add(Cycles::new(woken - start), Cycles::new(polled - start));
    }
}

/// The places, of which only those with tasks are shown.
#[derive(Debug, Default)]
pub(crate) struct Places {
    names: Vec<String>,
    shown: BTreeMap<u32, TaskId>,
    records: Vec<(String, Record, Place)>,
}

impl Places {
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self { names, ..Self::default() }
    }

    /// The number of the place `place` among those that are shown.
    pub(crate) fn number(&mut self, place: u32) -> TaskId {
        let next = self.records.len();
        let number = *self.shown.entry(place).or_insert(next);
        if number == next {
            let name = self.names.get(place as usize).cloned().unwrap_or_default();
            self.records.push((name, Record::default(), Place::default()));
        }
        number
    }

    pub(crate) fn record(&mut self, task: TaskId) -> &mut Record {
        &mut self.records[task].1
    }

    pub(crate) fn extra(&mut self, task: TaskId) -> &mut Place {
        &mut self.records[task].2
    }
}

/// The tasks as a chip's X-ray has them, and the rest beside.
pub(crate) fn facts(places: Places) -> (Vec<TaskFacts>, Vec<Place>) {
    let task = |(number, (name, record, place)): (usize, (String, Record, Place))| {
        let facts = TaskFacts {
            info: TaskInfo::new(name, Address::new(u32::try_from(number).unwrap_or(u32::MAX))),
            future_bytes: None,
            spawns: record.spawns,
            ends: record.ends,
            polls: record.polls,
            busy: Cycles::new(record.busy),
            longest: record.longest,
            wake_to_poll: record.waits,
            woken_by: record.woken_by.into_iter().collect(),
            suspended: None,
            awaits: Vec::new(),
            stack: None,
            held_up: HeldUp::default(),
        };
        (facts, place)
    };
    places.records.into_iter().enumerate().map(task).unzip()
}
