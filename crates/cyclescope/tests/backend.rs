//! `run`, `list` and `exec` over a backend made for the test.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;

use cyclescope::backend::{
    Backend, BoardLog, Catalogue, ChipEntry, ContenderEntry, Desk, DeskEnd, ExecOutcome, ExecRequest, ExperimentEntry,
    Failure, ImageEntry, Lines, LuckOutcome, LuckRequest, MeasureOutcome, MeasureRequest, MemorySetting, OutputSink,
    Pulse, RunOutcome, RunRequest, TasksOutcome, TasksRequest, TraceOutcome, TraceRequest, UserImageRequest,
    WorstOutcome, WorstRequest,
};
use cyclescope::exit::Exit;
use cyclescope::machine::{Channel, FaultReport, Stop};
use cyclescope::progress::Progress;
use cyclescope::records::Record;
use cyclescope::report::{Column, Table};
use cyclescope::units::{Address, Instructions};

use crate::elf;

/// Answers with what it was told to and remembers what it was asked.
#[derive(Default)]
struct Fake {
    failures: Vec<Exit>,
    refuses: bool,
    stop: Option<Stop>,
    said: Vec<u8>,
    asked: RefCell<Vec<RunRequest>>,
}

#[derive(Debug, thiserror::Error)]
#[error("on purpose")]
struct OnPurpose;

fn failure(exit: Exit) -> Failure {
    Failure { subject: "primes one".into(), error: Box::new(OnPurpose), help: None, exit }
}

impl Backend for Fake {
    fn catalogue(&self) -> Catalogue {
        let image = |opt: &str| ImageEntry {
            name: format!("embassy-one-{opt}"),
            contender: "embassy".into(),
            mode: "one".into(),
            chip: "stm32c031c6".into(),
            opt: opt.into(),
            sha256: "0".repeat(64),
        };
        Catalogue {
            experiments: vec![ExperimentEntry {
                name: "primes".into(),
                question: "What does it cost to yield?".into(),
                modes: vec!["plain".into(), "one".into()],
                host: false,
                span: None,
            }],
            chips: vec![ChipEntry { name: "stm32c031c6".into(), description: "Cortex-M0+".into() }],
            lines: Vec::new(),
            contenders: vec![ContenderEntry {
                name: "embassy".into(),
                version: "0.10.0".into(),
                compiler: "rustc".into(),
            }],
            images: vec![image("s"), image("3")],
        }
    }

    fn run(
        &self,
        request: &RunRequest,
        progress: &dyn Progress,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunOutcome, Failure> {
        self.asked.borrow_mut().push(request.clone());
        if self.refuses {
            return Err(failure(Exit::BadInput));
        }
        assert!(!stop());
        progress.begin(1);
        progress.done("primes");
        let mut table = Table::new("primes", [Column::text("framework")]);
        table.row(["embassy"]);
        let failures = self.failures.iter().map(|&exit| failure(exit)).collect();
        Ok(RunOutcome { tables: vec![table], failures, ..RunOutcome::default() })
    }

    fn user_image(&self, _: &UserImageRequest<'_>, _: &Pulse<'_>) -> Result<RunOutcome, Failure> {
        panic!("no test here has an image of its own")
    }

    fn exec(
        &self,
        request: &ExecRequest<'_>,
        desk: &mut dyn Desk,
        _: &dyn Fn() -> bool,
    ) -> Result<ExecOutcome, Failure> {
        desk.take(Channel::Rtt(0), &self.said);
        Ok(ExecOutcome {
            core: None,
            end: self.stop.map_or(DeskEnd::Budget, DeskEnd::Stopped),
            stop: self.stop.unwrap_or(Stop::Horizon),
            pc: Address::new(0x0800_0012),
            handled_fault: None,
            stack_overrun: None,
            cycles: request.max_cycles,
            instructions: Instructions::new(7),
            time: Default::default(),
            part: "stm32c031c6".to_owned(),
            gaps: Vec::new(),
            debugger: None,
            post_mortem: None,
            wait: None,
            spins: None,
        })
    }

    fn measure(
        &self,
        _: &MeasureRequest<'_>,
        _: &mut OutputSink<'_>,
        _: &Pulse<'_>,
    ) -> Result<MeasureOutcome, Failure> {
        unreachable!("not asked for")
    }

    fn luck(
        &self,
        _: &LuckRequest<'_>,
        _: &mut OutputSink<'_>,
        _: &Pulse<'_>,
        _: &(dyn Fn() -> bool + Sync),
        _: &(dyn Fn(u64) + Sync),
    ) -> Result<LuckOutcome, Failure> {
        unreachable!("not asked for")
    }

    fn worst(
        &self,
        _: &WorstRequest<'_>,
        _: &(dyn Fn(u64, u64) + Sync),
        _: &(dyn Fn() -> bool + Sync),
    ) -> Result<WorstOutcome, Failure> {
        unreachable!("not asked for")
    }

    fn tasks(&self, _: &TasksRequest<'_>, _: &mut OutputSink<'_>, _: &Pulse<'_>) -> Result<TasksOutcome, Failure> {
        panic!("no test here has tasks")
    }

    fn trace(
        &self,
        _: &TraceRequest<'_>,
        _: Option<&mut dyn Lines>,
        _: &mut OutputSink<'_>,
        _: &Pulse<'_>,
    ) -> Result<TraceOutcome, Failure> {
        unreachable!("not asked for")
    }

    fn import(&self, _: &str, _: BoardLog<'_>) -> Result<Vec<Record>, Failure> {
        Ok(Vec::new())
    }
}

fn run(backend: &Fake, arguments: &[&str], path: Option<&Path>) -> Exit {
    let words = ["cyclescope"].iter().chain(arguments).map(OsString::from);
    cyclescope::run(words.chain(path.map(|path| path.as_os_str().to_owned())), backend)
}

#[test]
fn names_are_checked_before_anything_runs() {
    let fake = Fake::default();
    for wrong in [
        ["run", "--chip", "stm32c031"],
        ["run", "--contender", "embasy"],
        ["run", "--mode", "three"],
        ["run", "--opt", "z"],
        ["run", "primse", "--jobs=1"],
    ] {
        assert_eq!(run(&fake, &wrong, None), Exit::Usage, "{wrong:?}");
    }
    assert!(fake.asked.borrow().is_empty());
    let all = ["run", "primes", "--chip", "stm32c031c6", "--contender", "embassy", "--mode", "one", "--opt", "3"];
    assert_eq!(run(&fake, &all, None), Exit::Success);
    let asked = &fake.asked.borrow()[0];
    assert_eq!(
        (asked.experiments.as_slice(), asked.selection.memory.as_slice()),
        (&["primes".to_owned()][..], &[MemorySetting::Equal][..])
    );
    assert!(!asked.digest());
}

#[test]
fn results_replace_the_file_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results.md");
    std::fs::write(&out, "before").unwrap();
    let refusing = Fake { refuses: true, ..Fake::default() };
    assert_eq!(run(&refusing, &["run", "--out"], Some(&out)), Exit::BadInput);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "before");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the unfinished file is gone");
    assert_eq!(run(&Fake::default(), &["run", "--out"], Some(&out)), Exit::Success);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "### primes\n\n| framework |\n| --- |\n| embassy |\n");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else stays behind: {left:?}");
    let nowhere = folder.path().join("no/such/folder/x.json");
    let fake = Fake::default();
    assert_eq!(run(&fake, &["run", "--out"], Some(&nowhere)), Exit::NoOutput);
    assert!(fake.asked.borrow().is_empty(), "found out before the work");
    assert_eq!(run(&fake, &["run", "--out"], Some(folder.path())), Exit::NoOutput);
    assert_eq!(run(&fake, &["run", "--out", "-"], None), Exit::Usage, "nobody means a file of that name");
}

#[test]
fn failed_runs_keep_the_others_results_and_decide_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results.md");
    let fake = Fake { failures: vec![Exit::WrongOutput, Exit::Fault], ..Fake::default() };
    assert_eq!(run(&fake, &["run", "--out"], Some(&out)), Exit::WrongOutput);
    assert!(std::fs::read_to_string(&out).unwrap().contains("embassy"));
}

#[test]
fn lists_show_without_fail() {
    for kind in [&["list"][..], &["list", "experiments"], &["list", "images", "--format", "markdown"]] {
        assert_eq!(run(&Fake::default(), kind, None), Exit::Success);
    }
    assert_eq!(run(&Fake::default(), &["list", "imags"], None), Exit::Usage);
}

#[test]
fn a_guests_end_is_the_processes_end() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a.elf");
    std::fs::write(&image, elf::image(&[("main", 4)])).unwrap();
    let pc = Address::new(0x0800_0012);
    let fault = FaultReport { pc, cause: "no memory or register", address: Some(Address::new(0x4000_0000)) };
    for (stop, expect) in [
        (Stop::Exit(0), Exit::Success),
        (Stop::Exit(7), Exit::Guest(7)),
        (Stop::Exit(-1), Exit::Guest(63)),
        (Stop::Fault(fault), Exit::Fault),
        (Stop::Lockup(fault), Exit::Fault),
        (Stop::Deadlock(pc), Exit::Deadlock),
        (Stop::Breakpoint(pc, 0), Exit::Breakpoint),
        (Stop::Reset("the watchdog"), Exit::Reset),
        (Stop::OutputBudget, Exit::OutputBudget),
        (Stop::Horizon, Exit::CycleBudget),
    ] {
        let fake = Fake { stop: Some(stop), ..Fake::default() };
        assert_eq!(run(&fake, &["exec", "--chip", "stm32c031c6"], Some(&image)), expect, "{stop:?}");
    }
}

#[test]
fn damaged_defmt_output_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a.elf");
    let ready = r#"{"package":"p","tag":"defmt_info","data":"ready","disambiguator":"2","crate_name":"p"}"#;
    let strings = [("_defmt_version_ = 4", 0), ("_defmt_encoding_ = raw", 0), (ready, 2)];
    std::fs::write(&image, elf::defmt(&strings)).unwrap();
    let arguments = ["exec", "--chip", "stm32c031c6"];
    let good = Fake { stop: Some(Stop::Exit(0)), said: vec![2, 0], ..Fake::default() };
    assert_eq!(run(&good, &arguments, Some(&image)), Exit::Success);
    let damaged = Fake { said: vec![0xFF, 0xFF], ..good };
    assert_eq!(run(&damaged, &arguments, Some(&image)), Exit::BadInput);
}
