//! One run of one bundled image: watched, checked, recorded.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_records::Record;
use cyclescope_scope::Session;

use super::definition::{ContenderText, Syscall};
use super::error::CallError;
use super::parts::Parts;
use super::recorder::Recorder;
use super::records;
use crate::experiment::JobGaps;
use crate::program::run_to_result;
use crate::{ImageJob, RunError, Watch, subject};

/// Runs `job` under `from` and records it.
pub fn run(definition: &Syscall, job: &ImageJob, from: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let contender = definition.contender(job.image.contender, &job.mode);
    let contender = contender.ok_or_else(|| RunError::NoMode(job.mode.clone()))?;
    let calls = &contender.call;
    let (image, mut machine) = subject::load(job)?;
    let recorder = watch(definition, contender, job, &image, &mut machine, &from.gaps_of(job, &image))?;
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
    let mut all = records::of_calls(&base, calls, &recorder, definition.calls.warmup, cycles)?;
    all.extend(records::of_image(&base, &image));
    Ok(all)
}

fn watch<'i>(
    definition: &Syscall,
    contender: &ContenderText,
    job: &ImageJob,
    image: &'i Image,
    machine: &mut Machine,
    gaps: &JobGaps<'_>,
) -> Result<Recorder<'i>, RunError> {
    let mut session = Session::new(machine, image);
    session.tell_gaps(gaps, image);
    let parts = Parts::find(&definition.part, image, |_| false)?;
    let mut recorder =
        Recorder::new(&mut session, image, &contender.call, parts, usize::MAX).map_err(|lacking| lacking.error)?;
    let said = run_to_result(&mut session, (job, image), &mut recorder, definition.limits)?;
    check(&expected(definition, contender, job.image.contender, &job.mode), &said)?;
    Ok(recorder)
}

/// Returns the whole output of the program.
fn expected(definition: &Syscall, contender: &ContenderText, name: &str, mode: &str) -> Vec<String> {
    let counts: String =
        contender.call.iter().map(|call| format!("{}={} ", call.name, definition.calls.counted)).collect();
    let line =
        format!("cyclescope {} contender={name} mode={mode} {counts}sum={} ok=1", definition.name, contender.sum);
    contender.before.iter().cloned().chain([line]).collect()
}

/// Checks all that the program said.
fn check(expected: &[String], said: &str) -> Result<(), RunError> {
    let mut lines = said.lines();
    let mut should = expected.iter();
    for number in 1.. {
        let (expected, found) = (should.next().map(String::as_str), lines.next());
        if expected != found {
            let words = |line: Option<&str>| line.unwrap_or("(nothing)").to_owned();
            return Err(RunError::Output { line: number, expected: words(expected), found: words(found) });
        }
        if expected.is_none() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::is_complete;

    #[test]
    fn all_that_is_said_is_as_it_must_be() {
        let definition = Syscall::bundled();
        let contender = definition.contender("kernel", "deploy-value").expect("it is there");
        let lines = expected(&definition, contender, "kernel", "deploy-value");
        let said = "the process is done\n\
            cyclescope syscall contender=kernel mode=deploy-value command=8 allow=8 subscribe=8 sum=18957037 ok=1\n";
        assert!(check(&lines, said).is_ok() && is_complete(said));
        for (from, to) in [
            ("the process is done\n", ""),
            ("process", "kernel"),
            ("done\n", "done\nmore\n"),
            ("ok=1\n", "ok=1\nmore\n"),
            ("ok=1", "ok=0"),
            ("sum=18957037", "sum=18957036"),
            ("allow=8", "allow=7"),
            ("mode=deploy-value", "mode=devel-value"),
        ] {
            assert!(check(&lines, &said.replacen(from, to, 1)).is_err(), "{to}");
        }
        assert!(check(&lines, "").is_err());
        assert!(!is_complete(said.trim_end()) && !is_complete("the process is done\n"));
    }
}
