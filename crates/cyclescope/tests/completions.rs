//! Completions as shells ask for them: bash, and with `CYCLESCOPE_TEST_TOOLS=all` zsh and fish (apt: zsh fish), for real; the
//! others by the questions that their scripts ask.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;

use crate::common;

/// The words that bash offers for the last word of `line`.
fn bash(line: &str) -> Vec<String> {
    // The words as readline splits them, the cursor behind the last one.
    let script = format!(
        "eval \"$(cyclescope completions bash)\"
         COMP_WORDS=({line}); [[ '{line}' == *' ' ]] && COMP_WORDS+=('')
         COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9; COMP_LINE='{line}'
         _clap_complete_cyclescope cyclescope \"${{COMP_WORDS[$COMP_CWORD]}}\" \"\" 2>/dev/null
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    offered("bash", &["--norc", "-c", &script])
}

/// The words that zsh offers for the last word of `line`. Its `_describe`, which needs a line editor, is replaced by one that
/// prints the words it is given.
fn zsh(line: &str) -> Vec<String> {
    let script = format!(
        "compdef() {{ completer=$1 }}
         _describe() {{ local -a given=(${{(P)3}}); print -rl -- ${{given%%:*}}\"${{5-}}\" }}
         eval \"$(cyclescope completions zsh)\"
         words=({line}); [[ '{line}' == *' ' ]] && words+=('')
         CURRENT=$#words; $completer"
    );
    offered("zsh", &["-f", "-c", &script])
}

/// The words that fish offers for the last word of `line`, without their descriptions.
fn fish(line: &str) -> Vec<String> {
    let script = format!("cyclescope completions fish | source; complete -C '{line}'");
    let words = offered("fish", &["--no-config", "-c", &script]);
    words.iter().map(|word| word.split('\t').next().unwrap_or_default().to_owned()).collect()
}

/// The lines that `shell` prints in a folder with an ELF, a chip's file, records and a text.
fn offered(shell: &str, arguments: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("there is room");
    let file = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("there is room");
    file("firmware", b"\x7fELF and more");
    file("notes.txt", b"text");
    file("board.toml", b"name = 'x'");
    file("old.json", b"{}");
    file("kept.sqlite", b"");
    fs::create_dir(folder.path().join("target")).expect("there is room");
    let program = Command::cargo_bin("cyclescope").expect("it is built").get_program().to_owned();
    let path = Path::new(&program).parent().expect("it lies in a folder");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths([path.to_owned()].into_iter().chain(std::env::split_paths(&paths)));
    let output = Command::new(shell)
        .args(arguments)
        .env("PATH", paths.expect("the paths are paths"))
        .current_dir(folder.path())
        .output()
        .expect("the shell runs");
    let text = String::from_utf8(output.stdout).expect("it is text");
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn bash_offers_names_of_the_catalogue() {
    assert_eq!(bash("cyclescope run sw"), ["switch"]);
    assert_eq!(bash("cyclescope run primes --contender free"), ["freertos"]);
    assert_eq!(bash("cyclescope run --base rust-"), ["rust-plain", "rust-registers"]);
    assert_eq!(bash("cyclescope list chips mk"), ["mk20dx256"]);
    assert_eq!(bash("cyclescope image button-c-plain-interrupt-3-stm32c"), ["button-c-plain-interrupt-3-stm32c031c6"]);
    assert_eq!(bash("cyclescope meas"), ["measure"]);
    let all = bash("cyclescope run ");
    assert!(["primes", "dirwalk", "yield"].iter().all(|name| all.iter().any(|one| one == name)), "{all:?}");
}

#[test]
fn bash_offers_files_that_fit() {
    let chips = bash("cyclescope exec firmware --chip ");
    assert!(
        ["stm32c031c6", "board.toml", "target/"].iter().all(|name| chips.iter().any(|one| one == name)),
        "{chips:?}"
    );
    assert!(!chips.iter().any(|one| ["firmware", "notes.txt"].contains(&one.as_str())), "{chips:?}");
    for command in ["exec", "measure", "trace", "profile", "size"] {
        assert_eq!(bash(&format!("cyclescope {command} f")), ["firmware"], "{command}");
        assert_eq!(bash(&format!("cyclescope {command} n")), [""; 0], "{command}");
    }
    assert_eq!(bash("cyclescope report o"), ["old.json"]);
    assert_eq!(bash("cyclescope measure --file b"), ["board.toml"]);
    assert_eq!(bash("cyclescope compare o"), ["old.json"]);
    assert_eq!(bash("cyclescope compare old.json --file k"), ["kept.sqlite"]);
    assert_eq!(bash("cyclescope history show x --file k"), ["kept.sqlite"]);
    assert_eq!(bash("cyclescope history add o"), ["old.json"]);
}

/// Asks zsh or fish by `offers` what bash is asked above.
fn completes(offers: impl Fn(&str) -> Vec<String>) {
    assert_eq!(offers("cyclescope run sw"), ["switch"]);
    assert_eq!(offers("cyclescope run primes --contender free"), ["freertos"]);
    assert_eq!(offers("cyclescope meas"), ["measure"]);
    assert_eq!(offers("cyclescope measure f"), ["firmware"]);
    assert_eq!(offers("cyclescope report o"), ["old.json"]);
    assert_eq!(offers("cyclescope size n"), [""; 0]);
    let chips = offers("cyclescope exec firmware --chip ");
    assert!(
        ["stm32c031c6", "board.toml", "target/"].iter().all(|name| chips.iter().any(|one| one == name)),
        "{chips:?}"
    );
    assert!(!chips.iter().any(|one| one == "notes.txt"), "{chips:?}");
}

#[test]
fn zsh_offers_names_and_files() {
    if common::tools::wanted("zsh") {
        completes(zsh);
    }
}

#[test]
fn fish_offers_names_and_files() {
    if common::tools::wanted("fish") {
        completes(fish);
    }
}

/// The answer to the question that the script of `shell` asks about `words`.
fn asked(shell: &str, words: &[&str]) -> String {
    let mut command = Command::cargo_bin("cyclescope").expect("it is built");
    let index = (words.len() - 1).to_string();
    command.env("CYCLESCOPE_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
    let output = command.arg("--").args(words).output().expect("it runs");
    String::from_utf8(output.stdout).expect("it is text")
}

#[test]
fn every_shell_has_a_script_that_asks_this_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = Command::cargo_bin("cyclescope").expect("it is built").args(["completions", shell]).output();
        let output = output.expect("it runs");
        let script = String::from_utf8(output.stdout).expect("it is text");
        assert!(output.status.success() && script.contains("CYCLESCOPE_COMPLETE"), "{shell}: {script}");
        let answer = asked(shell, &["cyclescope", "run", "--contender", "emb"]);
        assert!(answer.lines().any(|line| line.starts_with("embassy")), "{shell}: {answer}");
    }
    assert_eq!(asked("tcsh", &["cyclescope", ""]), "", "an unknown shell gets an error and no answer");
}

/// Each command has a man page, which is made of the words of its help.
#[test]
fn each_command_has_a_man_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("share/man1");
    let output =
        Command::cargo_bin("cyclescope").expect("it is built").arg("man").arg(&place).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(place.join(format!("{name}.1"))).expect("the page is there");
    let whole = read("cyclescope");
    for name in ["exec", "measure", "history", "explain"] {
        assert!(whole.contains(&format!("cyclescope\\-{name}(1)")), "{name}: {whole}");
    }
    let measure = read("cyclescope-measure");
    assert!(measure.starts_with(".ie") && measure.contains(".TH cyclescope-measure 1"), "{measure}");
    assert!(measure.contains("\\-\\-stimulus"), "{measure}");
    assert!(
        read("cyclescope-history-add").contains("\n\\fBcyclescope history add\\fR "),
        "the synopsis is what is typed"
    );
}
