//! `history` as a user runs it: what is added, shown, compared; the page; and the workflow and the action of the repository.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common;

use common::{PROGRAM, folder, step, text};

/// The variables in which a runner names its commit, which tests must not see.
const RUNNER: [&str; 8] = [
    "GITHUB_SHA",
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_COMMIT_SHA",
    "CI_COMMIT_REF_NAME",
    "CI_COMMIT_TIMESTAMP",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "GIT_DIR",
];

/// A command in `folder` that knows no commit but those of a repository there.
fn plain(mut command: Command, folder: &Path) -> Command {
    for name in RUNNER {
        command.env_remove(name);
    }
    command.current_dir(folder).env("GIT_CEILING_DIRECTORIES", folder.parent().expect("a folder"));
    command
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    plain(common::command(folder.path()), folder.path()).args(arguments).output().expect("it runs")
}

fn history(folder: &TempDir, arguments: &[&str]) -> Output {
    run(folder, &[&["history"], arguments].concat())
}

/// Runs it, which must succeed; returns standard output and standard error.
fn good(folder: &TempDir, arguments: &[&str]) -> (String, String) {
    let output = history(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn record(contender: &str, metric: &str, value: u64) -> Value {
    json!({
        "experiment": "measure", "mode": "span", "params": {}, "contender": contender, "contender_version": "",
        "compiler": "", "chip": "stm32c031c6", "clock_hz": 48_000_000, "settings": {"memory": "shipped"}, "opt": "",
        "metric": metric, "unit": "cycles", "n": 1, "mean": value, "stddev": 0, "min": value, "median": value,
        "p99": value, "max": value, "source": "simulated", "image_sha256": null, "model": null
    })
}

fn write(folder: &TempDir, name: &str, records: &[Value]) {
    let file = json!({"schema": 1, "tool": "test", "records": records});
    fs::write(folder.path().join(name), file.to_string()).expect("ours");
}

/// A folder whose history has an entry for each of `values`, a minute apart, with commits c0de0000, c0de0001, …
fn filled(values: &[u64]) -> TempDir {
    let folder = folder();
    for (number, value) in values.iter().enumerate() {
        write(&folder, "r.json", &[record("app.elf", "response", *value), record("app.elf", "flash", 7)]);
        let (commit, time) = (format!("c0de{number:04}"), format!("2026-01-01T00:{number:02}:00Z"));
        good(&folder, &["add", "r.json", "--commit", &commit, "--branch", "main", "--time", &time]);
    }
    folder
}

#[test]
fn an_entry_takes_commit_branch_and_time_from_git() {
    let folder = folder();
    let git = |arguments: &[&str]| {
        let mut git = plain(Command::new("git"), folder.path());
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
        let output = git.env("GIT_COMMITTER_DATE", "2026-02-03T04:05:06Z").output().expect("there is git");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch", "trunk"]);
    write(&folder, "r.json", &[record("app.elf", "response", 1)]);
    git(&["add", "r.json"]);
    git(&["commit", "--quiet", "--message", "first"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let (_, told) = good(&folder, &["add", "r.json"]);
    let expected =
        format!("added entry #1, {} on trunk, 2026-02-03 04:05, to cyclescope-history.sqlite: 1 record", &commit[..10]);
    assert!(told.starts_with(&expected) && !told.contains("warning"), "{told}");
    let (_, told) = good(&folder, &["add", "r.json", "--commit", &commit[..7]]);
    assert!(told.contains("has these records already; nothing was added"), "{told}");
    write(&folder, "r.json", &[record("app.elf", "response", 2)]);
    let (_, told) = good(&folder, &["add", "r.json"]);
    assert!(told.contains("warning: the working folder has changes"), "{told}");
    let (list, _) = good(&folder, &["list", "--format", "json"]);
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let entries = list["entries"].as_array().expect("a list");
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|entry| entry["commit"] == *commit && entry["branch"] == "trunk"), "{entries:?}");

    // On a runner, which checks a commit out without its branch.
    git(&["checkout", "--quiet", "--detach"]);
    let mut runner = plain(common::command(folder.path()), folder.path());
    runner.args(["history", "add", "r.json"]).env("GITHUB_REF_NAME", "7/merge").env("GITHUB_HEAD_REF", "topic");
    let told = text(&runner.output().expect("it runs").stderr);
    assert!(told.contains(" on topic, "), "{told}");
}

#[test]
fn a_metric_is_shown_by_commit_in_eighty_columns() {
    let folder = filled(&[100, 100, 103, 103]);
    let (shown, _) = good(&folder, &["show", "response"]);
    for line in [
        "measure/response of app.elf span on stm32c031c6 memory shipped",
        "Changed at c0de0002, the one before is c0de0001: 100 to 103, +3 (+3.00 %).",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let row = shown.lines().find(|line| line.contains("c0de0002")).expect("its row");
    assert!(row.contains("2026-01-01 00:02") && row.contains("103") && row.contains("exact"), "{row}");
    let (last, _) = good(&folder, &["show", "measure/resp*", "--last", "1"]);
    assert!(last.contains("3 older values are not shown") && !last.contains("2026-01-01 00:02"), "{last}");

    let (json, _) = good(&folder, &["show", "response", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["schema"], &json["branch"]), (&json!(1), &json!("main")));
    let series = &json["series"][0];
    assert_eq!((series["points"].as_array().map(Vec::len), &series["exact"]), (Some(4), &json!(true)));
    let change = &series["changes"][0];
    let told = [&change["at"]["commit"], &change["before"]["commit"], &change["old"], &change["method"]];
    assert_eq!(told, [&json!("c0de0002"), &json!("c0de0001"), &json!(100), &json!("exact")]);
}

#[test]
fn names_that_are_not_there_get_the_nearest() {
    let folder = filled(&[1, 2]);
    for (arguments, says) in [
        (&["show", "respnse"][..], "there is no metric in the history `respnse`; did you mean `response`?"),
        (&["show", "mesure/response"], "did you mean `measure`?"),
        (&["show", "response", "--contender", "ap.elf"], "did you mean `app.elf`?"),
        (&["show", "response", "--branch", "mian"], "did you mean `main`?"),
        (&["compare", "mian~1"], "did you mean `main`?"),
        (&["compare", "main~2"], "goes back beyond the first entry of branch main, which has 1 before"),
        (&["compare", "main~x"], "write it as in main~20"),
        (&["remove", "9"], "there is no entry `#9`"),
        (&["add", "r.json", "--time", "soon"], "RFC 3339"),
        (&["add", "r.json", "--branch", "a~1"], "no name of a branch"),
        (&["add", "r.json", "--commit", "a\u{1b}[31m"], "no name of a commit"),
    ] {
        let output = history(&folder, arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
}

#[test]
fn a_comparison_with_an_entry_is_that_with_its_file() {
    let folder = folder();
    let metrics = ["a", "b", "c"];
    for round in 0..3 {
        let records: Vec<Value> = (0..).zip(metrics).map(|(n, name)| record("app.elf", name, 10 + n * round)).collect();
        let name = format!("r{round}.json");
        write(&folder, &name, &records);
        let (commit, time) = (format!("c0de{round}"), format!("2026-01-0{}", round + 1));
        good(&folder, &["add", &name, "--branch", "main", "--commit", &commit, "--time", &time]);
    }
    let compared = |arguments: &[&str]| {
        let output = run(&folder, arguments);
        (output.status.code(), text(&output.stdout))
    };
    for more in [&["--format", "json"][..], &["--all"], &["--fail-on", "cycles>+10%", "--format", "github"]] {
        let of = |sides: &[&str]| compared(&[&["compare"], sides, more].concat());
        let file = of(&["r0.json", "r2.json"]);
        assert!(file.1.len() > 50 && file == of(&["r2.json", "--against", "history:main~2"]), "{file:?}");
        assert_eq!(file, of(&["r2.json", "--against", "r0.json"]));
        assert_eq!(file, of(&["r2.json", "--against", "history:c0de0"]));
        assert_eq!(file, compared(&[&["history", "compare", "2026-01-01"], more].concat()));
    }
    assert_eq!(compared(&["compare", "r2.json", "--against", "history:main", "--fail-on", "cycles>+0"]).0, Some(0));
    let both = run(&folder, &["compare", "r0.json", "r2.json", "--against", "history:main"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both.stderr));
    assert_eq!(run(&folder, &["compare", "r0.json"]).status.code(), Some(2));
}

#[test]
fn writers_at_once_are_all_there() {
    let folder = folder();
    let names: Vec<String> = (0..6).map(|number| format!("w{number}.json")).collect();
    for (value, name) in (0..).zip(&names) {
        write(&folder, name, &[record("app.elf", "response", value)]);
    }
    let start = |name: &String| {
        let mut command = plain(common::command(folder.path()), folder.path());
        command.args(["history", "add", name, "--commit", name, "--branch", "main"]).stderr(Stdio::null());
        command.spawn().expect("it starts")
    };
    let writers: Vec<_> = names.iter().map(start).collect();
    for mut writer in writers {
        assert!(writer.wait().expect("it ends").success());
    }
    let (list, _) = good(&folder, &["list", "--format", "json"]);
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let mut found: Vec<&str> =
        list["entries"].as_array().expect("a list").iter().filter_map(|entry| entry["commit"].as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, names);
}

/// A file may grow to 256 kB only, as on a disk that is full then.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_with_its_code_and_loses_nothing() {
    let folder = filled(&[1, 2]);
    let many: Vec<Value> = (0..2000).map(|value| record("app.elf", &format!("m{value}"), value)).collect();
    write(&folder, "many.json", &many);
    let mut shell = plain(Command::new("bash"), folder.path());
    let script = "trap '' XFSZ; ulimit -f 256; exec \"$0\" history add many.json --commit c0deffff --branch main";
    let output = shell.args(["-c", script, PROGRAM]).output().expect("there is bash");
    assert_eq!(output.status.code(), Some(73), "{}", text(&output.stderr));
    let told = text(&output.stderr);
    assert!(told.contains("cyclescope-history.sqlite: the history cannot be written"), "{told}");
    assert!(told.contains("what the history had before is untouched"), "{told}");
    let (list, _) = good(&folder, &["list"]);
    assert!(list.contains("c0de0001") && !list.contains("c0deffff"), "{list}");
    good(&folder, &["add", "many.json", "--commit", "c0deffff", "--branch", "main"]);
}

#[test]
fn files_that_are_no_history_of_this_version_are_told_with_their_codes() {
    let folder = filled(&[1]);
    let path = folder.path().join("cyclescope-history.sqlite");
    let whole = fs::read(&path).expect("it is there");
    let mut later = whole.clone();
    later[60..64].copy_from_slice(&999u32.to_be_bytes());
    let mut cut = whole.clone();
    cut.truncate(whole.len() / 2);
    for (bytes, code, says) in [
        (&later[..], 65, "has schema 999, but this cyclescope reads schemas up to 1"),
        (b"{\"schema\":1,\"tool\":\"x\",\"records\":[]}", 65, "this is not a history of cyclescope"),
        (&cut, 65, "the history is damaged"),
    ] {
        fs::write(&path, bytes).expect("ours");
        for arguments in [&["list"][..], &["show", "response"], &["add", "r.json"], &["compare", "main"]] {
            let output = history(&folder, arguments);
            let told = text(&output.stderr);
            assert!(output.status.code() == Some(code) && told.contains(says), "{arguments:?}: {told}");
        }
        assert_eq!(fs::read(&path).expect("it is there"), bytes);
    }
    fs::remove_file(&path).expect("ours");
    let missing = history(&folder, &["show", "response"]);
    assert_eq!(missing.status.code(), Some(66), "{}", text(&missing.stderr));
    assert!(text(&missing.stderr).contains("history add RESULTS.json` begins one"), "{}", text(&missing.stderr));
    assert!(!path.exists(), "nothing is made by a look");
}

#[test]
fn names_of_strangers_move_no_cursor_and_are_no_markup() {
    let folder = folder();
    let evil = "\u{1b}[31m</script><script>alert(1)</script>\u{202E}";
    for value in 0..2 {
        let mut one = record(evil, evil, value);
        one["params"] = json!({evil: evil});
        write(&folder, "r.json", &[one]);
        good(&folder, &["add", "r.json", "--commit", &format!("c{value}"), "--branch", "main"]);
    }
    for arguments in [&["show", "*"][..], &["list"], &["list", "--metrics"], &["compare", "main~1"]] {
        let (out, told) = good(&folder, arguments);
        assert!(!(out + &told).contains(['\u{1b}', '\u{202E}']), "{arguments:?}: {told:?}");
    }
    good(&folder, &["page", "--out", "h.html"]);
    let page = fs::read_to_string(folder.path().join("h.html")).expect("it was written");
    assert!(!page.contains("<script>alert") && !page.contains("</script><script>a"), "markup in the page");
    assert!(page.contains("&#60;/script&#62;") || page.contains("&lt;/script&gt;"), "the name is there as text");
}

#[cfg(unix)]
#[test]
fn a_side_may_be_a_pipe() {
    let folder = folder();
    for (name, value) in [("old.json", 100), ("new.json", 103)] {
        write(&folder, name, &[record("app.elf", "response", value)]);
    }
    let mut shell = plain(Command::new("sh"), folder.path());
    shell.args(["-c", "cat old.json | \"$0\" compare /dev/stdin new.json", PROGRAM]);
    let output = shell.output().expect("there is a shell");
    assert!(output.status.success() && text(&output.stdout).contains("103"), "{output:?}");
}

#[test]
fn a_branch_may_begin_as_a_number_of_an_entry_does() {
    let folder = folder();
    for value in [100, 103] {
        write(&folder, "r.json", &[record("app.elf", "response", value)]);
        good(&folder, &["add", "r.json", "--commit", &format!("c0de{value}"), "--branch", "#12-fix"]);
    }
    let (out, told) = good(&folder, &["compare", "~1"]);
    assert!(out.contains("103") && told.contains("#12-fix is entry #2"), "{out}{told}");
}

#[test]
fn a_page_has_a_trend_and_its_changes_beside_it() {
    let folder = filled(&[100, 100, 103, 103]);
    let (_, told) = good(&folder, &["page", "response", "--out", "h.html"]);
    assert!(told.contains("wrote a page of 1 metric over 4 entries"), "{told}");
    let page = fs::read_to_string(folder.path().join("h.html")).expect("it was written");
    for part in [
        "<h1>History of main</h1>",
        "4 entries of the branch main, of 2026-01-01",
        "\"is\":\"trend\"",
        "\"changes\":[2]",
        "c0de0003 2026-01-01",
        "<td class=\"\">c0de0002</td>",
        "1 change in 1 configuration.",
    ] {
        assert!(page.contains(part), "the page lacks {part}");
    }
    for outside in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!page.contains(outside), "the page asks for {outside}");
    }
}

#[test]
fn results_of_other_tools_stand_beside_our_own() {
    let folder = folder();
    let bench = json!({"results": [{"command": "sleep 1", "mean": 1.0, "times": [1.0, 1.5], "parameters": {}}]});
    fs::write(folder.path().join("bench.json"), bench.to_string()).expect("ours");
    write(&folder, "r.json", &[record("app.elf", "response", 5)]);
    let (_, told) = good(&folder, &["add", "r.json", "bench.json", "--branch", "main", "--commit", "c0de"]);
    assert!(told.contains(": 2 records, 2 of them new"), "{told}");
    let (list, _) = good(&folder, &["list", "--format", "json"]);
    assert!(list.contains("r.json (test), bench.json (hyperfine)"), "{list}");
    let (metrics, _) = good(&folder, &["list", "--metrics"]);
    assert!(metrics.contains("hyperfine") && metrics.contains("elapsed"), "{metrics}");
    let (shown, _) = good(&folder, &["show", "elapsed"]);
    assert!(shown.contains("hyperfine/elapsed of sleep 1") && shown.contains("1,250,000,000"), "{shown}");
    let against = run(&folder, &["compare", "bench.json", "--against", "history:main", "--all"]);
    assert!(text(&against.stdout).contains("hyperfine"), "{}", text(&against.stderr));
    for (name, code) in [("r.txt", 66), ("empty", 65)] {
        fs::create_dir_all(folder.path().join("empty")).expect("ours");
        let output = history(&folder, &["add", name]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    }
}

#[test]
fn the_page_of_the_documentation_shows_what_comes() {
    let folder = folder();
    let commits = ["5be3c1d0a7", "0f4c9a8e21", "a91d27c3f6", "3f2a9c1b58", "c47e8d0913", "77b1f5e2d4", "e80c6a3b9f"];
    let values = [412, 412, 398, 398, 405, 405, 405];
    for (day, (commit, value)) in (2..).zip(commits.iter().zip(values)) {
        write(&folder, "results.json", &[record("app.elf", "response", value)]);
        let time = format!("2026-11-{day:02}T09:30:00Z");
        let commit = commit.repeat(4);
        good(&folder, &["add", "results.json", "--commit", &commit, "--branch", "main", "--time", &time]);
    }
    common::runs_as_printed("history.md", &folder);
}

/// The action's steps in bash, with a cargo that installs the program under test and a gh that notes what it is asked.
#[cfg(unix)]
#[test]
fn the_action_measures_compares_adds_and_comments() {
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let action = fs::read_to_string(action).expect("the action");
    let folder = folder();
    let place = |name: &str| folder.path().join(name);
    let tools = place("tools");
    fs::create_dir(&tools).expect("ours");
    let script = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::write(tools.join(name), format!("#!/bin/bash\n{text}\n")).expect("ours");
        fs::set_permissions(tools.join(name), fs::Permissions::from_mode(0o755)).expect("ours");
    };
    let install = "[ \"$1 $2 $3 $4\" = \"install --locked --path $GITHUB_ACTION_PATH/crates/cyclescope\" ] || exit 9\n\
                   mkdir -p \"$6/bin\" && ln -s \"$PROGRAM\" \"$6/bin/cyclescope\"";
    script("cargo", install);
    script("gh", "echo \"$*\" >> asked\n[ \"$2\" = --paginate ] && cat known\nexit 0");
    fs::write(place("known"), "").expect("ours");
    let run = |name: &str, variables: &[(&str, &str)]| {
        let paths = [tools.clone(), place("cyclescope/bin")].into_iter();
        let paths = paths.chain(std::env::split_paths("/usr/bin:/bin"));
        let mut shell = plain(Command::new("bash"), folder.path());
        // As GitHub starts bash.
        shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step(&action, name)]);
        shell.env("PATH", std::env::join_paths(paths).expect("a path")).env("PROGRAM", PROGRAM);
        shell.env("RUNNER_TEMP", folder.path()).env("GITHUB_ACTION_PATH", "/action");
        for name in ["GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"] {
            shell.env(name, place(name));
        }
        shell.env("GITHUB_REPOSITORY", "a/b").env("GITHUB_REF_NAME", "main").env("GITHUB_SHA", "c0ffee00");
        shell.env("RESULTS", "results.json").env("HISTORY", "h.sqlite").env("NUMBER", "7");
        shell.env("AGAINST", "main").env("BRANCH", "main").env("GIVEN", "");
        let output = shell.envs(variables.iter().copied()).output().expect("there is bash");
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let good = |name: &str, variables: &[(&str, &str)]| {
        let (code, told) = run(name, variables);
        assert_eq!(code, Some(0), "{name}: {told}");
        told
    };
    let read = |name: &str| fs::read_to_string(place(name)).unwrap_or_default();

    good("install", &[]);
    assert_eq!(read("GITHUB_PATH").trim(), place("cyclescope/bin").display().to_string());
    // A push to a branch without a history.
    write(&folder, "old.json", &[record("app.elf", "response", 100)]);
    good("measure", &[("MEASURE", "cyclescope --version\ncp old.json results.json")]);
    assert_ne!(run("measure", &[("MEASURE", "false\ntrue")]).0, Some(0), "a command that fails is told");
    good("compare", &[("BOUNDS", "")]);
    assert!(read("GITHUB_STEP_SUMMARY").contains("no history of main yet"));
    let told = good("add", &[]);
    assert!(told.contains("added entry #1, c0ffee00 on main"), "{told}");
    // The same job again, whose entry is the only one.
    good("compare", &[("BOUNDS", "response > +1%")]);
    assert!(read("GITHUB_OUTPUT").lines().last() == Some("code=0"), "{}", read("GITHUB_OUTPUT"));
    // A pull request.
    write(&folder, "results.json", &[record("app.elf", "response", 103)]);
    good("compare", &[("BOUNDS", "response > +5%\n"), ("GITHUB_SHA", "decaf000")]);
    assert!(read("GITHUB_STEP_SUMMARY").contains("103"), "{}", read("GITHUB_STEP_SUMMARY"));
    good("gate", &[("CODE", "0")]);
    good("comment", &[]);
    let comment = read("cyclescope-comment.md");
    assert!(comment.starts_with("<!-- cyclescope -->\n") && comment.contains("103"), "{comment}");
    assert!(read("asked").contains("--method POST repos/a/b/issues/7/comments -F body=@"), "{}", read("asked"));
    fs::write(place("known"), "42\n").expect("ours");
    good("comment", &[]);
    assert!(read("asked").contains("--method PATCH repos/a/b/issues/comments/42"), "{}", read("asked"));
    // Beyond a bound: the comment comes first, then the job fails.
    good("compare", &[("BOUNDS", "response > +1%\nvanished"), ("GITHUB_SHA", "decaf000")]);
    assert!(read("GITHUB_OUTPUT").lines().last() == Some("code=1"), "{}", read("GITHUB_OUTPUT"));
    assert_eq!(run("gate", &[("CODE", "1")]).0, Some(1));
    // A bound without a metric fails the job, but not before the results are in the history.
    good("compare", &[("BOUNDS", "no.such > +1%"), ("GITHUB_SHA", "decaf000")]);
    assert!(read("GITHUB_OUTPUT").lines().last() == Some("code=2"), "{}", read("GITHUB_OUTPUT"));
    assert_eq!(run("gate", &[("CODE", "2")]).0, Some(2));
    // A job that runs again compares with the entry before its own.
    good("add", &[("GITHUB_SHA", "decaf000")]);
    good("compare", &[("BOUNDS", "response > +1%"), ("GITHUB_SHA", "decaf000")]);
    assert!(read("GITHUB_OUTPUT").lines().last() == Some("code=1"), "{}", read("GITHUB_OUTPUT"));
    // A branch without an entry.
    good("compare", &[("BOUNDS", "response > +1%"), ("BRANCH", "release"), ("AGAINST", "release")]);
    assert!(read("GITHUB_STEP_SUMMARY").ends_with("no history of release yet to compare with.\n"));
    // From a fork.
    script("gh", "exit 1");
    assert!(good("comment", &[]).contains("::warning::"), "what cannot be written is told");
}
