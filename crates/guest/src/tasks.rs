//! `tasks`: a guest's run, and what its runtime's structures tell of its tasks.

use cyclescope_machine::units::Cycles;
use cyclescope_scope::{CycleOwner, Names, OutputSink, Pace, Pulse, Session, TaskScope, TasksError, run_guest};

use crate::exit::Exit;
use crate::post_mortem::at_end;
use crate::steps::{apply, failed, load, refused, watch_span};
use crate::tasking::{TasksOutcome, TasksRequest};
use crate::{Failure, RunSummary, Scenario};

/// Runs the guest of `request` and watches its tasks.
pub fn tasks(
    request: &TasksRequest<'_>,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> Result<TasksOutcome, Failure> {
    let (guest, image) = (&request.guest, request.guest.image);
    let types = image.types();
    let mut machine = load(guest)?;
    let exceptions = machine.exceptions();
    let names: Names<'_> = &exceptions;
    let mut session = Session::new(&mut machine, image);
    guest.tell_gaps(&mut session);
    apply(guest, &request.scenario, names, &mut session)?;
    for span in request.spans {
        watch_span(guest, span, names, &mut session).map_err(|mut wrong| wrong.remove(0))?;
    }
    let scope = TaskScope::new(image, types.as_ref().ok(), request.task_pointer, &mut session);
    let mut scope = scope.map_err(|error| match (error, &types) {
        (TasksError::NoRuntime, Err(error)) => refused(guest, TasksError::from(error.clone())),
        (error, _) => refused(guest, error),
    })?;
    if let Some(most) = request.timeline {
        scope.keep(most);
        session.trace(most, None);
    }
    let Scenario { window, whole, .. } = request.scenario;
    let pace = Pace { whole, ..Pace::until(window.after_reset()) };
    let end = run_guest(&mut session, pace, &mut scope, sink, pulse);
    let (time, trace) = (session.time(), session.take_trace());
    let samples = session.finish_counted();
    let spans = request.spans.iter().map(|span| span.name.clone()).zip(samples).collect();
    guest.keep_devices(&machine);
    let report = scope.finish(&machine).map_err(|error| failed(guest, error, Exit::Internal))?;
    let asleep = report.owners.iter().find(|(owner, _)| *owner == CycleOwner::Sleep);
    Ok(TasksOutcome {
        asleep: asleep.map_or(Cycles::ZERO, |(_, cycles)| *cycles),
        report,
        trace,
        spans,
        exceptions,
        time,
        run: RunSummary::of(end, &machine, at_end(&machine, image, end)),
        model: crate::model(&machine),
        flash_written: machine.flash_settings_written(),
    })
}
