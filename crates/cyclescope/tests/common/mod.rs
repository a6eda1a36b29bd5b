//! Helpers of most tests of the command: the program as a user starts it, bundled images, and the output.

pub mod contents;
pub mod tools;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_cyclescope");

/// `cyclescope`, to be run in `folder` without what the developer's environment says of colours and widths.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// Runs `cyclescope arguments` in `folder`.
pub fn cyclescope(folder: &Path, arguments: &[&str]) -> Output {
    command(folder).args(arguments).output().expect("it runs")
}

/// An empty folder, gone with its owner.
pub fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room")
}

/// The firmware `name` of firmware/suites.
pub fn suite(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites").join(name).with_extension("elf")
}

/// The bundled image `name`.
pub fn elf(name: &str) -> Vec<u8> {
    cyclescope::example_image(name).expect("it is bundled")
}

/// Writes the bundled image `name` to `path`.
pub fn unpack(name: &str, path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is ours");
    std::fs::write(path, elf(name)).expect("the folder is ours");
}

/// The page `name` of the documentation.
pub fn page(name: &str) -> String {
    std::fs::read_to_string(path_of(name)).expect("the page")
}

fn path_of(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page)
}

/// The first block of `language` in `page`.
pub fn block<'p>(page: &'p str, language: &str) -> &'p str {
    &page[place_of_block(page, 0, language)]
}

/// The place of the first block of `language` from `from` on.
fn place_of_block(page: &str, from: usize, language: &str) -> Range<usize> {
    let begin =
        page[from..].find(&format!("\n```{language}\n")).expect("a block of that language") + language.len() + 5;
    from + begin..from + begin + page[from + begin..].find("```").expect("it ends")
}

/// Runs the first command that the page `name` shows with its output, in `folder`, and checks that it gives that output.
/// `CYCLESCOPE_BLESS=1` writes what it gives into the page. Returns the output.
pub fn runs_as_printed(name: &str, folder: &TempDir) -> String {
    runs_as_printed_below(name, "", folder)
}

/// The same with the first command below the text `heading`.
pub fn runs_as_printed_below(name: &str, heading: &str, folder: &TempDir) -> String {
    let written = page(name);
    let console = place_of_block(&written, written.find(heading).expect("a heading of the page"), "console");
    let lines = &written[console.clone()];
    let command_ends = lines.lines().take_while(|line| line.ends_with('\\')).map(|line| line.len() + 1).sum::<usize>();
    let command_ends = command_ends + lines[command_ends..].find('\n').expect("the command's last line") + 1;
    let (command, printed) = lines.split_at(command_ends);
    let command = command.strip_prefix("$ ").expect("a prompt");
    let program = PathBuf::from(PROGRAM).parent().expect("a folder").to_owned();
    let path = [program].into_iter().chain(std::env::split_paths("/usr/bin:/bin"));
    let path = std::env::join_paths(path).expect("a path");
    let shell = Command::new("sh").args(["-c", command]).current_dir(folder.path()).env("PATH", path).output();
    let shell = shell.expect("there is a shell");
    assert!(shell.status.success(), "{}", text(&shell.stderr));
    let given = text(&shell.stdout);
    if std::env::var_os("CYCLESCOPE_BLESS").is_some() {
        let mut now = written.clone();
        now.replace_range(console.start + command_ends..console.end, &given);
        std::fs::write(path_of(name), now).expect("the page can be written");
    } else {
        assert_eq!(given, printed, "docs/{name} shows other output; CYCLESCOPE_BLESS=1 renews it");
    }
    given
}

/// Returns when `process` and those of its children that have ended have computed for half a second: the middle of long work,
/// on an idle machine as on a busy one.
#[cfg(target_os = "linux")]
pub fn until_at_work(process: &Child) {
    /// Those of /proc/PID/stat behind the name in parentheses: utime, stime, cutime, cstime, in hundredths of a second.
    const TIMES: std::ops::Range<usize> = 11..15;
    let worked = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id()))
            .expect("it is there until it is waited for");
        let (_, fields) = stat.rsplit_once(") ").expect("its name is in parentheses");
        assert!(!fields.starts_with('Z'), "it has ended");
        let times = fields.split_whitespace().skip(TIMES.start).take(TIMES.len());
        times.map(|time| time.parse::<u64>().expect("a number")).sum::<u64>()
    };
    while worked() < 50 {
        std::thread::yield_now();
    }
}

/// Sends `process` a signal, such as `INT`.
pub fn signal(process: &Child, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &process.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
}

/// Returns the output, which is text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Standard output as JSON.
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// Runs `measure` with `arguments`, of which one is a stimulus with a window and others ask for all arrivals, and again with the
/// longest arrival alone: as `--arrival`, and as a stimulus at that cycle. Returns the longest in cycles, which all have.
pub fn repeats_alone(arguments: &[&str], run: impl Fn(&[&str]) -> Output) -> u64 {
    let numbers = |arguments: &[&str]| {
        let output = run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let file = json(&output);
        let records = file["records"].as_array().expect("a list");
        records.iter().find(|record| record["metric"] == "latency").expect("its record").clone()
    };
    let all = numbers(arguments);
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok()).expect("a number");
    let (longest, arrival) = (number(&all["max"]), number(&all["params"]["worst_arrival"]));
    assert!(number(&all["min"]) < longest, "the window has one answer, which shows nothing");
    let plain: Vec<&str> =
        arguments.iter().filter(|word| !["--arrivals", "exhaustive"].contains(word)).copied().collect();
    let alone = numbers(&[&plain[..], &["--arrival", &arrival.to_string()]].concat());
    assert_eq!(number(&alone["max"]), longest, "--arrival {arrival}");
    let fixed = |word: &&str| word.split_once("..").filter(|(from, _)| from.starts_with("at ")).is_some();
    let stimulus = plain.iter().find(|word| fixed(word)).expect("a window");
    let action = stimulus.splitn(3, ' ').nth(2).expect("an action");
    let stimulus = format!("at {arrival}cy {action}");
    let plain: Vec<&str> = plain.iter().map(|word| if fixed(word) { &stimulus } else { *word }).collect();
    assert_eq!(number(&numbers(&plain)["max"]), longest, "{stimulus}");
    longest
}

/// The commands of the step `name` of a workflow or an action.
pub fn step(action: &str, name: &str) -> String {
    let from = action.find(&format!("- name: {name}\n")).expect("the step is there");
    let rest = &action[from..];
    let run = rest.find("      run: ").expect("it runs something") + "      run: ".len();
    let (first, lines) = rest[run..].split_once('\n').expect("a line");
    if first != "|" {
        return first.to_owned();
    }
    let lines = lines.lines().take_while(|line| line.is_empty() || line.starts_with("        "));
    lines.map(|line| line.trim_start().to_owned() + "\n").collect()
}
