//! The workers of a runtime on the host in Perfetto's trace format: a row each with the polls on it, and arrows from wakes to polls.

use std::collections::HashMap;

use cyclescope_scope::{CycleOwner, TaskEvent};
use cyclescope_telemetry::{Moment, View};
use prost::Message;

use crate::commands::perfetto_messages::{
    Annotation, INSTANT, MACHINE, Packet, PerfettoTrace, ProcessDescriptor, SEQUENCE, SLICE_BEGIN, SLICE_END,
    TrackDescriptor, TrackEvent, described,
};

/// The row of what happens on no worker.
const ELSEWHERE: u64 = MACHINE + 1;

/// The row of a worker, by its place.
fn row(worker: Option<usize>) -> u64 {
    worker.map_or(ELSEWHERE, |place| ELSEWHERE + 1 + place as u64)
}

/// The run as a file for ui.perfetto.dev.
pub(super) fn perfetto(name: &str, view: &View) -> Vec<u8> {
    let track = |uuid, name: Option<String>, process| {
        let parent_uuid = (uuid != MACHINE).then_some(MACHINE);
        described(TrackDescriptor { uuid: Some(uuid), name, process, parent_uuid, counter: None })
    };
    let process = ProcessDescriptor { pid: Some(1), process_name: Some(name.to_owned()) };
    let mut packet = vec![
        track(MACHINE, None, Some(process)),
        track(ELSEWHERE, Some(format!("{}, timers and other threads", view.report.runtime)), None),
    ];
    for (place, worker) in view.workers.iter().enumerate() {
        packet.push(track(row(Some(place)), Some(format!("worker {}", worker.number)), None));
    }
    let mut flows = Flows::default();
    packet.extend(view.timeline.iter().filter_map(|moment| event(view, moment, &mut flows)));
    PerfettoTrace { packet }.encode_to_vec()
}

/// The arrows that have begun, by the task that they lead to.
#[derive(Default)]
struct Flows {
    last: u64,
    open: HashMap<u64, u64>,
}

fn event(view: &View, moment: &Moment, flows: &mut Flows) -> Option<Packet> {
    let place = view.report.tasks.get(moment.place).map(|task| task.info.name.as_str()).unwrap_or_default();
    let mut begun = |verb: &str, by: CycleOwner| {
        flows.last += 1;
        flows.open.insert(moment.task, flows.last);
        // A wake in a poll stands on that worker's row.
        let worker = moment.worker.filter(|_| matches!(by, CycleOwner::Task(_)));
        let name = Some(format!("{verb} {place}"));
        (worker, TrackEvent { name, r#type: Some(INSTANT), flow_ids: vec![flows.last], ..TrackEvent::default() })
    };
    let (worker, event) = match moment.event {
        TaskEvent::Spawned(by) => begun("spawns", by),
        TaskEvent::Woken(by) => begun("wakes", by),
        TaskEvent::PollBegan => {
            let ends = flows.open.remove(&moment.task).into_iter().collect();
            let event = TrackEvent {
                name: Some(place.to_owned()),
                r#type: Some(SLICE_BEGIN),
                terminating_flow_ids: ends,
                ..TrackEvent::default()
            };
            (moment.worker, event)
        }
        TaskEvent::PollEnded => (moment.worker, TrackEvent { r#type: Some(SLICE_END), ..TrackEvent::default() }),
        TaskEvent::Ended => return None,
    };
    let task = Annotation { name: Some("task".to_owned()), uint_value: Some(moment.task), string_value: None };
    Some(Packet {
        timestamp: Some(moment.at.get()),
        trusted_packet_sequence_id: Some(SEQUENCE),
        track_event: Some(TrackEvent { debug_annotations: vec![task], track_uuid: Some(row(worker)), ..event }),
        track_descriptor: None,
    })
}
