//! The real process: help, typing errors, bad input, sizes, completions, pipes.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

use crate::elf;

fn cyclescope() -> Command {
    let mut command = Command::cargo_bin("cyclescope").expect("built with the tests");
    command.env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the folder is ours");
    path
}

#[test]
fn help_shows_commands_examples_and_exit_codes() {
    cyclescope().arg("--help").assert().success().stdout(
        contains("Examples:").and(contains("completions")).and(contains("65  an input")).and(contains("130  Ctrl-C")),
    );
    for command in ["run", "list", "exec", "measure", "size", "compare", "completions"] {
        cyclescope().args([command, "--help"]).assert().success().stdout(contains("Usage: cyclescope"));
    }
    cyclescope().arg("--version").assert().success().stdout(contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn typing_errors_get_the_word_that_was_meant() {
    cyclescope().arg("siez").assert().code(2).stderr(contains("'size'"));
    cyclescope().args(["run", "--memry", "all"]).assert().code(2).stderr(contains("--memory"));
    cyclescope().args(["run", "--format", "jsn"]).assert().code(2).stderr(contains("json"));
    cyclescope()
        .args(["run", "no-such-experiment-at-all"])
        .assert()
        .code(2)
        .stderr(contains("no experiment `no-such-experiment-at-all`").and(contains("cyclescope list experiments")));
    cyclescope().assert().code(2).stderr(contains("Usage"));
}

#[test]
fn bad_input_is_told_with_its_file_and_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let text = file(folder.path(), "notes.txt", b"hello");
    cyclescope().args(["size", "/nowhere/x.elf"]).assert().code(66).stderr(contains("/nowhere/x.elf cannot be read"));
    cyclescope().arg("size").arg(&text).assert().code(65).stderr(contains("notes.txt: not an ELF file"));
    cyclescope().arg("size").arg(folder.path()).assert().code(66);
    let cut = file(folder.path(), "cut.elf", &elf::image(&[])[..0x80]);
    cyclescope().arg("size").arg(&cut).assert().code(65).stderr(contains("cut off"));
    cyclescope().arg("size").arg("--diff").arg(&text).assert().code(2).stderr(contains("exactly two files"));
    cyclescope().args(["exec", "x.elf", "--chip", "no-such-chip"]).assert().code(2).stderr(contains("no chip"));
}

#[test]
fn a_chip_file_that_is_none_is_told_alike_by_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    let image = file(folder.path(), "a.elf", &elf::image(&[("main", 4)]));
    file(folder.path(), "wrong.toml", b"name = 'mine'\nbase = 'stm32f446re'\nflash = 7\n");
    let image = image.to_str().unwrap();
    for arguments in [
        &["exec", image][..],
        &["measure", image, "--span", "a=sleep..wake"],
        &["trace", image, "--from", "main", "--to", "main"],
        &["profile", image],
        &["compare", image, image],
        &["report", "--run", image, "--out", "page.html"],
        &["run", "primes"],
        &["run", "syscall", "--image", image, "--from", "main", "--to", "main"],
    ] {
        for (chip, code, expect) in [
            ("nosuch.toml", 66, "error: nosuch.toml cannot be read: "),
            ("wrong.toml", 65, "error: wrong.toml: line 3: there is no key `flash`"),
        ] {
            let command = || cyclescope().current_dir(folder.path()).args(arguments).args(["--chip", chip]).assert();
            command().code(code).stderr(predicates::str::starts_with(expect));
        }
    }
}

#[test]
fn sizes_are_shown_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let old = file(folder.path(), "old.elf", &elf::image(&[("main", 4)]));
    let new = file(folder.path(), "new.elf", &elf::image(&[("main", 4), ("_ZN5scope4grow17h0123456789abcdefE", 6)]));
    cyclescope()
        .arg("size")
        .arg(&new)
        .args(["--by", "section", "--by", "crate", "--by", "symbol"])
        .assert()
        .success()
        .stdout(contains("Totals").and(contains(" .text")).and(contains(" scope ")).and(contains(" scope::grow ")))
        .stderr("");
    cyclescope()
        .args(["size", "--diff", "--by", "symbol", "--format", "markdown"])
        .args([&old, &new])
        .assert()
        .success()
        .stdout(contains("| scope::grow | 0 | 6 | +6 |").and(contains("main |").not()));
    let json = cyclescope().args(["size", "--format", "json"]).arg(&new).output().unwrap();
    let file = cyclescope::records::RecordFile::from_json(&String::from_utf8(json.stdout).unwrap()).unwrap();
    let flash = |mode: &str| -> i64 {
        let of_mode = file.records.iter().filter(|record| record.mode == mode && record.metric == "flash");
        of_mode.map(|record| record.mean.as_integer().unwrap()).sum()
    };
    assert_eq!([flash("section"), flash("crate"), flash("symbol")], [flash("total"); 3]);
}

#[test]
fn colours_stay_away_from_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let image = file(folder.path(), "a.elf", &elf::image(&[("main", 4)]));
    cyclescope().arg("size").arg(&image).assert().success().stdout(contains("\x1b").not());
    cyclescope().args(["size", "--color", "always"]).arg(&image).assert().success().stdout(contains("\x1b[1m"));
}

#[test]
fn every_shell_gets_its_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        cyclescope().args(["completions", shell]).assert().success().stdout(contains("cyclescope"));
    }
    cyclescope().args(["completions", "csh"]).assert().code(2).stderr(contains("bash"));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut process = Process::new(assert_cmd::cargo::cargo_bin("cyclescope"))
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(process.stdout.take());
    let mut said = String::new();
    process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(process.wait().unwrap().success(), "{said}");
    assert_eq!(said, "");
}

#[test]
fn records_are_kept_beside_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept.json");
    let chosen = ["run", "primes", "--chip", "stm32c031c6", "--contender", "embassy", "--mode", "one", "--opt", "3"];
    let table = ["--format", "markdown", "--records", kept.to_str().expect("UTF-8")];
    let told = contains("wrote the records (").and(contains("kept.json"));
    cyclescope().args(chosen).args(table).assert().success().stdout(contains("| embassy")).stderr(told);
    let printed = cyclescope().args(chosen).args(["--format", "json"]).assert().success().get_output().stdout.clone();
    assert_eq!(std::fs::read(&kept).expect("it was written"), printed);
}

#[test]
fn a_digest_of_records_is_what_a_run_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept.json");
    let kept = kept.to_str().expect("UTF-8");
    let printed = |arguments: &[&str]| cyclescope().args(arguments).assert().success().get_output().stdout.clone();
    let digest = printed(&["run", "--contender", "ply,rust-registers", "--records", kept]);
    assert!(!digest.is_empty());
    assert_eq!(printed(&["digest", kept]), digest);
    // More than a digest shows makes no other.
    let more = folder.path().join("more.json");
    let more = more.to_str().expect("UTF-8");
    printed(&["run", "switch", "--contender", "ply", "--chip", "atmega328p", "--records", more]);
    assert_eq!(printed(&["digest", kept, more]), digest);
    cyclescope().args(["digest", more]).assert().code(2).stderr(contains("a digest shows none of these records"));
}

#[test]
fn two_outputs_of_a_run_are_two_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for (first, second) in [("--out", "--records"), ("--records", "--html"), ("--html", "--vcd")] {
        let mut command = cyclescope();
        command.current_dir(&folder).args(["run", "primes", first, "a.json", second, "./a.json"]);
        command.assert().code(2).stderr(contains(format!("{first} and {second} are one file: ./a.json")));
    }
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 0, "no file was written");
}

#[test]
fn two_files_of_records_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let image = |bytes: u64| {
        let path = file(folder.path(), &format!("{bytes}.elf"), &elf::image(&[("work", bytes)]));
        let output = cyclescope().arg("size").arg(path).args(["--format", "json"]).output().unwrap();
        // The file's name is what size calls the contender.
        String::from_utf8(output.stdout).unwrap().replace(&format!("{bytes}.elf"), "app.elf")
    };
    let old = file(folder.path(), "old.json", image(4).as_bytes());
    let new = file(folder.path(), "new.json", image(12).as_bytes());
    let markdown = folder.path().join("changes.md");
    cyclescope().arg("compare").args([&old, &old]).assert().success().stdout(contains(": 0 changed"));
    let compare = |more: &[&str]| {
        let output = cyclescope().arg("compare").args([&old, &new]).args(more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(compare(&[]).contains("+8") && compare(&[]).contains("metrics compared"));
    assert!(compare(&["--all"]).lines().count() > compare(&[]).lines().count());
    compare(&["--out", markdown.to_str().unwrap()]);
    assert!(std::fs::read_to_string(&markdown).unwrap().contains("metrics compared"));
    let text = file(folder.path(), "notes.json", b"hello");
    cyclescope()
        .arg("compare")
        .args([&text, &new])
        .assert()
        .code(65)
        .stderr(contains("notes.json: this is not a file of cyclescope records").and(contains("--format json")));
    cyclescope().args(["compare", "/nowhere/a.json"]).arg(&new).assert().code(66);
}
