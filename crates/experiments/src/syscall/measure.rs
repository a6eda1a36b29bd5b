//! One run of one bundled image: watched, checked, recorded.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::{Console, Stop, Target};
use cyclescope_records::Record;
use cyclescope_scope::{End, Limits, Session, explain, place};
use cyclescope_units::Cycles;

use super::definition::{ContenderText, Definition};
use super::error::CallError;
use super::parts::Parts;
use super::recorder::{Call, Recorder};
use super::records;
use crate::{ImageJob, RunError, subject};

/// How often the end of the output is looked for.
const POLL: Cycles = Cycles::new(48_000);

/// Runs `job` and records it.
pub fn run(definition: &Definition, job: &ImageJob) -> Result<Vec<Record>, RunError> {
    let contender = definition.contender(job.image.contender, &job.mode);
    let contender = contender.ok_or_else(|| RunError::NoMode(job.mode.clone()))?;
    let calls: Vec<Call> = contender.call.iter().map(|call| call.call()).collect();
    let elf = subject::elf(job)?;
    let image = Image::parse(&elf)?;
    let mut machine = subject::machine(job, &image)?;
    let recorder = watch(definition, contender, &calls, job, &image, &mut machine)?;
    let expected = definition.calls.warmup + definition.calls.counted;
    for (call, tracker) in calls.iter().zip(&recorder.trackers) {
        let found = tracker.occurrences.len();
        if found != expected || tracker.unfinished(call).is_some() || tracker.again > 0 {
            return Err(CallError::Count { call: call.name.clone(), expected, found }.into());
        }
    }
    let mut base = subject::record(job, &image, &machine);
    base.experiment.clone_from(&definition.name);
    let cycles = !records::counts_instructions(&machine);
    let mut all = records::of_calls(&base, &calls, &recorder, definition.calls.warmup, cycles)?;
    all.extend(records::of_image(&base, &image));
    Ok(all)
}

fn watch<'i>(
    definition: &Definition,
    contender: &ContenderText,
    calls: &[Call],
    job: &ImageJob,
    image: &'i Image,
    machine: &mut Machine,
) -> Result<Recorder<'i>, RunError> {
    let clock = machine.part().clock;
    let mut session = Session::new(machine, image);
    let parts = Parts::find(&definition.part, image, |_| false)?;
    let mut recorder = Recorder::new(&mut session, image, calls, parts, usize::MAX).map_err(|lacking| lacking.error)?;
    let channel = subject::channel(job)?;
    let text = |console: &Console| String::from_utf8_lossy(&console.bytes(channel)).into_owned();
    let limits = Limits { cycles: Cycles::new(definition.limits.cycles), poll: POLL };
    match session.run_observed(limits, &mut recorder, |console| text(console).ends_with('\n')) {
        End::Satisfied => {}
        End::Stopped(stop) => return Err(RunError::Ended(stop, explain(stop, image, session.target().now()))),
        End::CycleBudget => {
            return Err(RunError::Budget(limits.cycles.get(), place(image, session.target().pc())));
        }
    }
    // Nothing may follow: the program sleeps for ever, or exits, or goes on in silence.
    let cycles = session.target().now().saturating_add(definition.limits.after().cycles(clock));
    match session.run_observed(Limits { cycles, poll: POLL }, &mut recorder, |_| false) {
        End::CycleBudget | End::Satisfied | End::Stopped(Stop::Deadlock(_) | Stop::Exit(0)) => {}
        End::Stopped(stop) => return Err(RunError::Ended(stop, explain(stop, image, session.target().now()))),
    }
    let said = text(&session.target().shared().console);
    check(&result_line(definition, contender, job.image.contender, &job.mode), &said)?;
    Ok(recorder)
}

/// What the program has to say, and nothing else.
fn result_line(definition: &Definition, contender: &ContenderText, name: &str, mode: &str) -> String {
    let counts: String =
        contender.call.iter().map(|call| format!("{}={} ", call.name, definition.calls.counted)).collect();
    format!("cyclescope {} contender={name} mode={mode} {counts}sum={} ok=1", definition.name, contender.sum)
}

/// Checks all that the program said.
fn check(expected: &str, said: &str) -> Result<(), RunError> {
    let mut lines = said.lines();
    let wrong = |line, expected: &str, found: Option<&str>| {
        let found = found.unwrap_or("(nothing)").to_owned();
        Err(RunError::Output { line, expected: expected.to_owned(), found })
    };
    match lines.next() {
        Some(line) if line == expected => {}
        other => return wrong(1, expected, other),
    }
    match lines.next() {
        None => Ok(()),
        more => wrong(2, "(nothing)", more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_line_is_taken_as_it_must_be_and_no_other() {
        let definition = Definition::bundled();
        let contender = definition.contender("freertos", "queue").expect("it is there");
        let line = result_line(&definition, contender, "freertos", "queue");
        assert_eq!(line, "cyclescope syscall contender=freertos mode=queue send=8 sum=36 ok=1");
        assert!(check(&line, &format!("{line}\n")).is_ok());
        for said in [
            String::new(),
            format!("more\n{line}\n"),
            format!("{line}\nmore\n"),
            line.replace("send=8", "send=7"),
            line.replace("sum=36", "sum=35"),
            line.replace("ok=1", "ok=0"),
            line.replace("mode=queue", "mode=yield"),
        ] {
            assert!(check(&line, &said).is_err(), "{said}");
        }
    }
}
