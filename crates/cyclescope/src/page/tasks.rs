//! The tasks of a run as lanes of its timeline, and who woke whom as arrows between them.

use std::collections::BTreeMap;

use cyclescope_machine::units::Cycles;
use cyclescope_report::page::{Lane, LaneEvents, Segments, Timeline, Wake};
use cyclescope_scope::{CycleOwner, TaskEvent, TaskId, TaskReport};

/// The most turns and wakes of a page.
pub(crate) const MOST_EVENTS: usize = 20_000;

/// Adds a lane for each task of `report` that has run to `timeline`, and the wakes by those that have a lane.
pub(super) fn add(timeline: &mut Timeline, report: &TaskReport, exceptions: &[(u16, &'static str)]) {
    let to = if report.lost > 0 {
        report.events.last().map_or(timeline.to, |(at, ..)| at.get()).min(timeline.to)
    } else {
        timeline.to
    };
    let mut open: BTreeMap<TaskId, Cycles> = BTreeMap::new();
    let mut turns: BTreeMap<TaskId, Vec<(u64, u64, String)>> = BTreeMap::new();
    let mut waiting: BTreeMap<TaskId, (Cycles, u8, CycleOwner)> = BTreeMap::new();
    let mut answered = Vec::new();
    for (at, core, task, event) in report.events.iter().filter(|(at, ..)| at.get() < to) {
        match event {
            TaskEvent::Spawned(by) | TaskEvent::Woken(by) => {
                waiting.insert(*task, (*at, *core, *by));
            }
            TaskEvent::PollBegan => {
                open.insert(*task, *at);
                answered.extend(waiting.remove(task).map(|(woken, core, by)| (woken, core, by, *at, *task)));
            }
            TaskEvent::PollEnded => {
                if let Some(since) = open.remove(task) {
                    turns.entry(*task).or_default().push((since.get(), at.get(), String::new()));
                }
            }
            TaskEvent::Ended => {}
        }
    }
    for (task, since) in open {
        turns.entry(task).or_default().push((since.get(), to, String::new()));
    }
    let mut places: BTreeMap<TaskId, usize> = BTreeMap::new();
    for (task, segments) in turns {
        let Some(facts) = report.tasks.get(task) else { continue };
        places.insert(task, timeline.lanes.len());
        let events = LaneEvents::Polls(Segments { segments });
        timeline.lanes.push(Lane { name: facts.info.name.clone(), events });
    }
    let exception = |core: u8, number: u16| {
        let name = exceptions.iter().find(|(known, _)| *known == number)?.1;
        let name = if report.cores > 1 { format!("core {core}: {name}") } else { name.to_owned() };
        let is = |lane: &Lane| matches!(lane.events, LaneEvents::Exception(_)) && lane.name == name;
        timeline.lanes.iter().position(is)
    };
    let wakes = answered.into_iter().filter_map(|(woken, core, by, at, task)| {
        let from = match by {
            CycleOwner::Task(by) => *places.get(&by)?,
            CycleOwner::Exception(number) => exception(core, number)?,
            _ => return None,
        };
        Some(Wake { at: woken.get(), from, poll: at.get(), to: *places.get(&task)? })
    });
    timeline.wakes = wakes.collect();
}
