//! `kit` and `import --kit`. The boards here are the model itself, and the model with some of its answers altered; none of
//! what they say is kept.

use std::path::Path;

use crate::common;

use common::{cyclescope, text};

/// Returns the output of the kit for `chip` on the model.
fn log(folder: &Path, chip: &str) -> String {
    let written = cyclescope(folder, &["kit", "--chip", chip, "--out", "kit.elf"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let run = cyclescope(folder, &["exec", "kit.elf", "--chip", chip]);
    text(&run.stdout)
}

fn import(folder: &Path, log: &str, chip: &str) -> (i32, String, String) {
    std::fs::write(folder.join("kit.log"), log).expect("the folder is ours");
    let arguments = ["import", "kit.log", "--kit", "--chip", chip, "--board", "desk", "--out", "desk.toml"];
    let output = cyclescope(folder, &arguments);
    (output.status.code().expect("it ends"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_board_s_answers_stand_beside_the_rows_contradicted_ones_first() {
    let folder = tempfile::tempdir().expect("there is room");
    let right = log(folder.path(), "stm32c031c6").replace('\n', "\r\n");
    let (code, table, errors) = import(folder.path(), &right, "stm32c031c6");
    assert_eq!(code, 0, "{errors}");
    assert!(table.contains("0 of ") && !table.contains("contradicted\n"), "{table}");

    let wrong = right.replace("kit load.word 2\r", "kit load.word 7\r");
    assert_ne!(wrong, right);
    let (code, table, errors) = import(folder.path(), &format!("boot\r\n{wrong}"), "stm32c031c6");
    assert_eq!(code, 0, "{errors}");
    let first = table.lines().find(|line| line.contains("confirmed") || line.contains("contradicted"));
    assert!(first.is_some_and(|line| line.contains("load.word") && line.contains("contradicted")), "{table}");
    assert!(table.contains("1 of "), "{table}");
    let file = std::fs::read_to_string(folder.path().join("desk.toml")).expect("it was written");
    assert!(file.contains("board = \"desk\"") && file.contains("\"load.word\" = { cycles = 7, code = "), "{file}");
}

#[test]
fn a_log_says_itself_which_chip_it_is_from() {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("kit.log"), log(folder.path(), "atmega328p")).expect("the folder is ours");
    let alone = cyclescope(folder.path(), &["import", "kit.log", "--kit"]);
    assert_eq!(alone.status.code(), Some(0), "{}", text(&alone.stderr));
    assert!(text(&alone.stdout).contains("confirmed"), "{}", text(&alone.stdout));
    let nameless = cyclescope(folder.path(), &["import", "kit.log", "--kit", "--out", "desk.toml"]);
    assert_eq!(nameless.status.code(), Some(2));
    assert!(text(&nameless.stderr).contains("name it with --board"), "{}", text(&nameless.stderr));
    assert!(!folder.path().join("desk.toml").exists());
    let strange = log(folder.path(), "atmega328p").replace("chip=atmega328p", "chip=atmega999");
    std::fs::write(folder.path().join("strange.log"), strange).expect("the folder is ours");
    let strange = cyclescope(folder.path(), &["import", "strange.log", "--kit"]);
    assert_eq!(strange.status.code(), Some(65), "{}", text(&strange.stderr));
    assert!(text(&strange.stderr).contains("strange.log: there is no chip `atmega999`"), "{}", text(&strange.stderr));
    let other = cyclescope(folder.path(), &["import", "kit.log", "--board", "desk"]);
    assert_eq!(other.status.code(), Some(2), "without --kit a log does not say its chip");
}

#[test]
fn what_is_no_whole_log_of_the_kit_gives_no_file_and_says_what_to_do() {
    let folder = tempfile::tempdir().expect("there is room");
    let right = log(folder.path(), "atmega328p");
    let lost: String =
        right.lines().filter(|line| !line.contains("skip.sbrc")).map(|line| format!("{line}\n")).collect();
    let begin = right.lines().next().expect("a first line");
    let version = begin.split("version=").nth(1).expect("its version");
    for (log, chip, code, says) in [
        (right.clone(), "stm32f446ze", 2, "the kit for atmega328p"),
        (right.clone(), "cortex-m3", 2, "the chip cortex-m3 has no kit; chips with one: stm32c031c6"),
        (right.replace(version, "00000000"), "atmega328p", 65, "flash the image of this version"),
        ("nothing".to_owned(), "atmega328p", 65, "the log has no output of the kit"),
        (lost, "atmega328p", 84, "sequences, but the log has"),
        (right.replace("kit end", "kat end"), "atmega328p", 84, "has no end"),
    ] {
        let (ended, table, errors) = import(folder.path(), &log, chip);
        assert_eq!(ended, code, "{errors}");
        assert!(errors.contains(says) && table.is_empty(), "{errors}");
        assert!(!folder.path().join("desk.toml").exists());
    }
}

#[test]
fn the_sequences_can_be_read() {
    let folder = tempfile::tempdir().expect("there is room");
    let shown = text(&cyclescope(folder.path(), &["kit", "--chip", "stm32f446ze", "--format", "markdown"]).stdout);
    assert!(shown.contains("| load.word | load | ldr r2, "), "{shown}");
    let unknown = cyclescope(folder.path(), &["kit", "--chip", "stm32f447"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("there is no chip `stm32f447`"), "{}", text(&unknown.stderr));
}
