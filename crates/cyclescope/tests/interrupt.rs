//! Ctrl-C: what is finished is written. In a file of its own, since the signal reaches the whole process.
#![cfg(unix)]

use std::process::Command;

use cyclescope::backend::{
    Backend, Catalogue, ExecOutcome, ExecRequest, Failure, ImportRequest, MeasureOutcome, MeasureRequest, OwnRequest,
    RunOutcome, RunRequest, Sink, TraceOutcome, TraceRequest,
};
use cyclescope::exit::Exit;
use cyclescope::progress::Progress;
use cyclescope::records::Record;
use cyclescope::report::{Column, Table};

/// Sends this very process the signal, and waits until it is told to stop.
struct Interrupting;

impl Backend for Interrupting {
    fn catalogue(&self) -> Catalogue {
        Catalogue::default()
    }

    fn run(&self, _: &RunRequest, _: &dyn Progress, stop: &(dyn Fn() -> bool + Sync)) -> Result<RunOutcome, Failure> {
        assert!(!stop());
        let sent = Command::new("kill").args(["-INT", &std::process::id().to_string()]).status();
        assert!(sent.expect("there is a kill").success());
        while !stop() {
            std::thread::yield_now();
        }
        let mut table = Table::new("", [Column::text("finished")]);
        table.row(["this one"]);
        Ok(RunOutcome { tables: vec![table], ..RunOutcome::default() })
    }

    fn own(&self, _: &OwnRequest<'_>, _: &dyn Fn() -> bool) -> Result<RunOutcome, Failure> {
        panic!("no test here has an image of its own")
    }

    fn exec(&self, _: &ExecRequest<'_>, _: &mut Sink<'_>) -> Result<ExecOutcome, Failure> {
        unreachable!("not asked for")
    }

    fn measure(
        &self,
        _: &MeasureRequest<'_>,
        _: &mut Sink<'_>,
        _: &dyn Fn() -> bool,
    ) -> Result<MeasureOutcome, Failure> {
        unreachable!("not asked for")
    }

    fn trace(
        &self,
        _: &TraceRequest<'_>,
        _: Option<&mut dyn cyclescope::backend::Lines>,
        _: &mut Sink<'_>,
        _: &dyn Fn() -> bool,
    ) -> Result<TraceOutcome, Failure> {
        unreachable!("not asked for")
    }

    fn import(&self, _: &ImportRequest<'_>) -> Result<Vec<Record>, Failure> {
        Ok(Vec::new())
    }
}

#[test]
fn what_is_finished_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results.md");
    let arguments = ["cyclescope".into(), "run".into(), "--out".into(), out.clone().into_os_string()];
    assert_eq!(cyclescope::run(arguments, &Interrupting), Exit::Interrupted);
    assert!(std::fs::read_to_string(out).unwrap().contains("this one"));
}
