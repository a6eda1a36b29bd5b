//! `measure --arrivals` over bundled firmware, as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cyclescope::Firmware;
use cyclescope::records::{Record, RecordFile, Scalar};

use crate::common;

use common::{PROGRAM, folder, text, unpack};

const IMAGE: &str = "button-freertos-interrupt-s-stm32c031c6";
const RELEASED: &str = "at 0 pin PC13 high";
/// Around the tick that follows 100 ms.
const PRESS: &str = "at 4807700cy..4808200cy pin PC13 low";
const LATENCY: &str = "latency=pin:PC13:fall..exception:EXTI4_15:entered";

fn measure(folder: &Path, arguments: &[&str]) -> Output {
    let head = ["measure", "button.elf", "--chip", "stm32c031c6", "--guest-output", "none", "--for", "150ms"];
    let stimuli = ["--stimulus", RELEASED];
    common::cyclescope(folder, &[&head[..], &stimuli, arguments].concat())
}

fn button() -> tempfile::TempDir {
    let folder = folder();
    unpack(IMAGE, &folder.path().join("button.elf"));
    folder
}

fn records(output: &Output) -> Vec<Record> {
    let json = text(&output.stdout);
    RecordFile::from_json(&json).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr))).records
}

fn number(record: &Record, name: &str) -> u64 {
    match record.params.get(name) {
        Some(Scalar::Number(number)) => {
            number.as_integer().and_then(|number| u64::try_from(number).ok()).expect("a cycle")
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// Runs `command` in a shell that finds the program.
fn shell(folder: &Path, command: &str) -> Output {
    let path = PathBuf::from(PROGRAM).parent().expect("a folder").to_owned();
    let path = std::env::join_paths([path].into_iter().chain(std::env::split_paths("/usr/bin:/bin"))).expect("a path");
    Command::new("sh").args(["-c", command]).current_dir(folder).env("PATH", path).output().expect("there is a shell")
}

/// The example of docs/worst.md gives what it prints. `CYCLESCOPE_BLESS=1` writes what it gives into the page.
#[test]
fn the_page_s_example_runs_as_printed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/worst.md");
    let written = std::fs::read_to_string(&page).expect("the page");
    let begin = written.find("\n```console\n").expect("an example") + 12;
    let end = begin + written[begin..].find("```").expect("it ends");
    let lines = &written[begin..end];
    let continued = lines.lines().take_while(|line| line.ends_with('\\')).map(|line| line.len() + 1).sum::<usize>();
    let command = continued + lines[continued..].find('\n').expect("the command's last line") + 1;
    let (command, printed) = lines.split_at(command);
    let folder = button();
    let given = shell(folder.path(), command.strip_prefix("$ ").expect("a prompt"));
    assert!(given.status.success(), "{}", text(&given.stderr));
    let given = text(&given.stdout);
    if std::env::var_os("CYCLESCOPE_BLESS").is_some() {
        let mut renewed = written.clone();
        renewed.replace_range(begin + command.len()..end, &given);
        std::fs::write(&page, renewed).expect("the page can be written");
    } else {
        assert_eq!(given, printed, "docs/worst.md shows other output; CYCLESCOPE_BLESS=1 renews it");
    }
}

#[test]
fn the_command_that_is_printed_repeats_the_worst_arrival() {
    let folder = button();
    let asked = ["--arrivals", "exhaustive", "--jobs=2", "--stimulus", PRESS, "--span", LATENCY];
    let output = measure(folder.path(), &asked);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let json = records(&measure(folder.path(), &[&asked[..], &["--format", "json"]].concat()));
    let latency = json.iter().find(|record| record.metric == "latency").expect("its record");
    let (worst, arrival) = (latency.max, number(latency, "worst_arrival"));
    assert_eq!((latency.n, number(latency, "window.cycles")), (500, 500));
    assert!(said.contains("latency: the maximum over these arrivals, 272 cycles"), "{said}");
    assert!(said.contains("It ran the handler of SysTick") && said.contains("xTaskIncrementTick"), "{said}");
    assert!(said.contains("its handler began 270 cycles later, held back by PRIMASK."), "{said}");
    assert!(!said.to_lowercase().contains("wcet"), "{said}");

    let command = said.lines().find_map(|line| line.strip_prefix("To repeat it: ")).expect("a command");
    assert!(command.ends_with(&format!(" --arrival {arrival}")), "{command}");
    let again = records(&shell(folder.path(), &format!("{command} --format json")));
    let again = again.iter().find(|record| record.metric == "latency").expect("its record");
    assert_eq!((again.n, again.max), (1, worst));

    // Of a plain run with the stimulus at that time, it is the occurrence that begins there.
    let plain = format!("at {arrival}cy pin PC13 low");
    let plain = records(&measure(folder.path(), &["--stimulus", &plain, "--span", LATENCY, "--format", "json"]));
    let plain = plain.iter().find(|record| record.metric == "latency").expect("its record");
    assert_eq!((plain.n, plain.max), (1, worst));
    // What delayed it adds up to it, and the stretches have both ends.
    let own: Vec<&Record> = json.iter().filter(|record| record.metric == "latency.worst.own").collect();
    let sum: i64 = own.iter().map(|record| record.mean.as_integer().expect("cycles")).sum();
    assert_eq!(Some(sum), worst.as_integer());
    let held: Vec<&Record> = json.iter().filter(|record| record.metric == "latency.worst.held").collect();
    assert!(!held.is_empty());
    for record in held {
        for name in ["interrupt", "held.by", "from", "from.cycle", "to", "to.cycle"] {
            assert!(record.params.contains_key(name), "{name}: {:?}", record.params);
        }
    }
}

#[test]
fn a_search_tells_what_it_skipped_and_how_the_skipped_answer() {
    let folder = button();
    let window = "at 100ms..101.5ms pin PC13 low";
    let asked = ["--arrivals", "search", "--budget", "1200", "--stimulus", window, "--span", LATENCY];
    let output = measure(folder.path(), &asked);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("at 1,200 of the 72,000 cycles"), "{said}");
    assert!(said.contains("of 70,800 arrivals skipped by the search, a sample of 120 was run"), "{said}");
    assert!(said.contains("maximum over these arrivals, 272 cycles"), "as exhaustion finds: {said}");
    assert!(said.contains("over those tried, and no bound beyond them"), "{said}");
}

#[test]
fn two_stimuli_come_in_all_pairs() {
    let folder = button();
    let pair =
        ["--stimulus", "at 4807900cy..4807960cy pin PC13 low", "--stimulus", "at 4807990cy..4808010cy uart 2 \"x\""];
    let asked = [&pair[..], &["--span", LATENCY, "--arrivals", "exhaustive"]].concat();
    let output = measure(folder.path(), &asked);
    let said = text(&output.stdout);
    assert!(said.contains("at 1,200 of the pairs"), "{said} {}", text(&output.stderr));
    let command = said.lines().find_map(|line| line.strip_prefix("To repeat it: ")).expect("a command");
    let again = shell(folder.path(), command);
    assert!(text(&again.stdout).contains(" latency  1  272 /"), "{}", text(&again.stdout));
    let one = measure(folder.path(), &[&pair[..], &["--span", LATENCY, "--arrival", "4807900"]].concat());
    assert_eq!(one.status.code(), Some(65));
    assert!(
        text(&one.stderr).contains("--arrival gives 1 cycles, and 2 stimuli have a window"),
        "{}",
        text(&one.stderr)
    );
}

#[test]
fn a_search_of_pairs_tells_what_it_skipped() {
    let folder = button();
    let press = ["--stimulus", "at 4807900cy..4808100cy pin PC13 low"];
    let character = ["--stimulus", "at 4807950cy..4808050cy uart 2 \"x\""];
    let asked = ["--arrivals", "search", "--budget", "2000", "--span", LATENCY];
    let output = measure(folder.path(), &[&press[..], &character, &asked].concat());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(said.contains("at 2,000 of the 20,000 pairs of a cycle 4,807,900 to 4,808,099 and a cycle"), "{said}");
    assert!(said.contains("of 18,000 arrivals skipped by the search, a sample of 200 was run"), "{said}");
    assert!(said.contains("none took longer"), "{said}");
    let command = said.lines().find_map(|line| line.strip_prefix("To repeat it: ")).expect("a command");
    let again = shell(folder.path(), command);
    assert!(text(&again.stdout).contains(" latency  1  272 /"), "{}", text(&again.stdout));
}

/// Ctrl-C ends a window of seconds of work: what has been tried by then is shown.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_shows_the_arrivals_that_were_tried() {
    let folder = button();
    let each = "at 100ms..120ms pin PC13 low";
    let pairs =
        ["--stimulus", "at 4807900cy..4808900cy pin PC13 low", "--stimulus", "at 4807950cy..4808950cy uart 2 \"x\""];
    // The spans end long behind the stimulus.
    let long = "long=first pin:PC13:fall..exception:SysTick:entered";
    for (stimuli, which, all) in [
        (&["--stimulus", each][..], "exhaustive", 960_000),
        (&pairs, "exhaustive", 1_000_000),
        (&pairs, "search", 900_000),
    ] {
        let mut command = common::command(folder.path());
        command.args(["measure", "button.elf", "--chip", "stm32c031c6", "--guest-output", "none", "--for", "150ms"]);
        command.args(["--stimulus", RELEASED, "--span", long, "--arrivals", which, "--jobs", "2", "--format", "json"]);
        command.args(if which == "search" { &["--budget", "900000"][..] } else { &[] }).args(stimuli);
        let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
        let child = child.expect("it starts");
        common::until_at_work(&child);
        common::signal(&child, "INT");
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("interrupted: the results are of the arrivals tried by then"), "{said}");
        let shown = records(&output);
        let record = shown.iter().find(|record| record.metric == "long");
        assert!(record.is_none_or(|record| record.n > 0 && record.n < all), "fewer than {all}: {record:?}");
        // A search may not have tried any yet.
        if which == "exhaustive" {
            assert!(record.is_some(), "{said}");
            assert!(shown.iter().any(|record| record.metric == "long.worst.own"), "the longest of them is looked at");
        }
    }
}

#[test]
fn what_cannot_be_tried_is_said() {
    let folder = button();
    let of = |which: &str, stimulus: &str, code: i32, says: &str| {
        let output = measure(folder.path(), &["--arrivals", which, "--stimulus", stimulus, "--span", LATENCY]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stimulus}: {said}");
        assert!(said.contains(says), "{stimulus}: {said}");
        assert!(output.stdout.is_empty(), "no numbers");
    };
    for which in ["exhaustive", "search"] {
        of(which, "at 0..1ms pin PC13 low", 65, "begin it at least 16 cycles later");
        of(which, "at 1ms..1ms pin PC13 low", 65, "the window is empty");
        of(which, "at 2ms..1ms pin PC13 low", 65, "the window is empty");
        of(which, "at 1ms..5cy pin PC13 low", 65, "some of its times are in cycles and some in real time");
        of(which, "at -1ms..1ms pin PC13 low", 2, "is negative");
        of(which, "at 1ms.. pin PC13 low", 2, "is not a time");
        of(which, "at 1ms pin PC13 low", 65, "no stimulus has a window");
        of(which, "at 140ms..150.001ms pin PC13 low", 65, "behind the run's end at cycle");
    }
    of("exhaustive", "at 1cy..18446744073709551615cy pin PC13 low", 65, "behind the run's end");
    of("exhaustive", "at 50ms..100ms pin PC13 low", 65, "at most 1,000,000 are tried one by one");
    let third = ["--arrivals", "exhaustive", "--stimulus", PRESS, "--stimulus", PRESS, "--stimulus", PRESS];
    let third = measure(folder.path(), &[&third[..], &["--span", LATENCY]].concat());
    assert!(text(&third.stderr).contains("3 stimuli have a window"), "{}", text(&third.stderr));
    // A window is for arrivals only.
    let plain = measure(folder.path(), &["--stimulus", PRESS, "--span", LATENCY]);
    assert_eq!(plain.status.code(), Some(65));
    assert!(text(&plain.stderr).contains("is for arrivals"), "{}", text(&plain.stderr));
}

#[test]
fn an_arrival_without_an_answer_leaves_no_maximum() {
    let folder = button();
    let never = "never=pin:PC13:fall..pin:PC13:rise";
    let asked = ["--arrivals", "exhaustive", "--stimulus", PRESS, "--span", LATENCY, "--span", never, "--for", "101ms"];
    let head = ["measure", "button.elf", "--chip", "stm32c031c6", "--stimulus", RELEASED];
    let output = common::cyclescope(folder.path(), &[&head[..], &asked].concat());
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(84), "{told}");
    assert!(said.lines().any(|line| line.trim_start().starts_with("never") && line.contains("none")), "{said}");
    assert!(said.contains("latency: the maximum over these arrivals, 272 cycles"), "{said}");
    assert!(told.contains("500 arrivals of 500 gave no number, the first at cycle 4,807,700"), "{told}");

    // This guest ends by itself before its window does.
    let elf = "syscall-freertos-yield-s-ibex";
    unpack(elf, &folder.path().join("ibex.elf"));
    let ibex = ["measure", "ibex.elf", "--chip", "ibex", "--guest-output", "none", "--arrivals", "exhaustive"];
    let ends = |window: &str| {
        let asked = ["--stimulus", window, "--span", "call=trap..vTaskSwitchContext"];
        common::cyclescope(folder.path(), &[&ibex[..], &asked].concat())
    };
    let before = ends("at 306000cy..307000cy uart 0 \"x\"");
    assert_eq!(before.status.code(), Some(65));
    assert!(
        text(&before.stderr).contains("without the stimulus, the guest exited with code 0"),
        "{}",
        text(&before.stderr)
    );
    // Between two stimuli it is an arrival without an answer.
    let pair = ["--stimulus", "at 6100cy..6102cy uart 0 \"x\"", "--stimulus", "at 306500cy..306900cy uart 0 \"y\""];
    let asked = [&pair[..], &["--span", "never=main..main", "--span", "call=trap..vTaskSwitchContext"]].concat();
    let between = common::cyclescope(folder.path(), &[&ibex[..], &asked].concat());
    assert_eq!(between.status.code(), Some(84), "{}", text(&between.stderr));
    let said = text(&between.stderr);
    assert!(said.contains("span `never` has no maximum: 800 arrivals of 800 gave no number"), "{said}");
    assert!(said.contains("the first at cycle 6,100 and 306,500: the guest exited with code 0"), "{said}");
    assert!(text(&between.stdout).contains("call: the maximum over these arrivals"), "{}", text(&between.stdout));
    let behind = ends("at 300000cy..300010cy uart 0 \"x\"");
    assert_eq!(behind.status.code(), Some(84));
    assert!(text(&behind.stderr).contains("the guest exited with code 0 (at cycle"), "{}", text(&behind.stderr));
}

#[test]
fn a_board_tells_the_same_worst_case() {
    let firmware = Firmware::from_elf("button", &common::elf(IMAGE)).unwrap();
    let mut board = firmware.on("stm32c031c6").unwrap();
    board.stimulate(RELEASED).unwrap();
    board.run_for("1ms").unwrap();
    let worst = board.worst(LATENCY, PRESS).unwrap();
    assert_eq!((worst.cycles(), worst.each().len()), (272, 500));
    assert_eq!(worst.each().iter().max(), Some(&272));
    assert!(worst.to_string().contains("EXTI4_15 was held back by PRIMASK"), "{worst}");
    // The board has stayed, and the arrival by itself takes as long.
    assert!(board.time().as_micros() < 1_100);
    board.stimulate(&format!("at {}cy pin PC13 low", worst.arrival())).unwrap();
    let alone = board.measure("pin:PC13:fall", "exception:EXTI4_15:entered").unwrap();
    assert_eq!(alone, worst.longest());
    // Two stimuli, of which the second comes first.
    let mut board = firmware.on("stm32c031c6").unwrap();
    board.stimulate(RELEASED).unwrap();
    let (press, character) = ("at 4807920cy..4807950cy pin PC13 low", "at 4807900cy..4807920cy uart 2 \"x\"");
    let pair = board.worst_pair(LATENCY, press, character).unwrap();
    assert_eq!((pair.each().len(), pair.each().iter().max()), (30 * 20, Some(&pair.cycles())));
    let second = pair.second_arrival().expect("a second");
    assert!((4_807_900..4_807_920).contains(&second), "{pair}");
    board.stimulate(&format!("at {second}cy uart 2 \"x\"")).unwrap();
    board.stimulate(&format!("at {}cy pin PC13 low", pair.arrival())).unwrap();
    assert_eq!(board.measure("pin:PC13:fall", "exception:EXTI4_15:entered").unwrap(), pair.longest());
    let past = board.worst(LATENCY, PRESS).unwrap_err().to_string();
    assert!(past.contains("the window begins at cycle 4,807,700"), "{past}");
    let none = board.worst(LATENCY, RELEASED).unwrap_err().to_string();
    assert!(none.contains("no stimulus has a window"), "{none}");
}
