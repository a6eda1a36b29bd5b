//! `cargo xtask docs`: writes the generated tables of docs/timing.md from the rows the simulator runs on, and checks
//! that docs/sources.md lists every manual the code cites; docs/peripherals.md from the declared registers; then the pages of docs/results, each from a run of its
//! experiment, docs/claims.md from all of them, and docs/silicon.md.
//!
//! A row that a board of docs/boards confirms is shown as measured, with its part; one that a board contradicts fails
//! `--check` until it is changed, or the board's file explains it.
//!
//! A generated part stands between `<!-- rows: NAME -->` and `<!-- end -->`; everything else is written by hand.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use cyclescope_avr::timing::{ATMEGA32U4, ATMEGA328P};
use cyclescope_chips::Part;
use cyclescope_chips::riscv::LITEX_VEXRISCV;
use cyclescope_cortex_m::timing::{CORTEX_M0PLUS, CORTEX_M3, CORTEX_M4F};
use cyclescope_kit::boards::{self, Findings};
use cyclescope_machine::{Evidence, TimingRow};
use cyclescope_riscv::timing::{IBEX, INSTRUCTIONS, PICORV32, VEXRISCV_SECURE, litedram, litex};
use cyclescope_xtensa::timing as xtensa;

mod claims;
mod peripherals;
mod picture;
mod prose;
mod results;
mod silicon;

const TIMING: &str = "docs/timing.md";
const SOURCES: &str = "docs/sources.md";
const BOARDS: &str = "docs/boards";
const BEGIN: &str = "<!-- rows: ";
const END: &str = "<!-- end -->";

/// Letters that begin a manual's id, before its number: Arm's, ST's and SEGGER's.
const SERIES: [&str; 9] = ["DDI", "IHI", "DUI", "RM", "PM", "DS", "UM", "AN", "ES"];

/// Arguments of `cargo xtask docs`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Change nothing; fail where the documents are not what the code makes them.
    #[arg(long)]
    check: bool,
    /// Of the results only those of this experiment, `silicon`, `picture` or `none` (may be repeated); all others take a run each.
    #[arg(long, value_name = "EXPERIMENT")]
    results: Vec<String>,
    /// Of the results check the README's digest, and of the pages, or those of --results, the tables of this chip (may be repeated). A
    /// page without it is checked whole; claims and figures in prose, which need all runs, are not.
    #[arg(long, value_name = "CHIP", requires = "check")]
    chip: Vec<String>,
}

/// Carries the command out, in the repository that the working directory lies in.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().context("no working directory")?;
    let root = here.ancestors().find(|folder| folder.join(TIMING).is_file());
    let root = root.with_context(|| format!("run this inside the repository: no {TIMING} here or above"))?;
    let old = std::fs::read_to_string(root.join(TIMING))?;
    let findings = boards::read(&root.join(BOARDS))?;
    let new = with_tables(&old, &findings)?;
    let unlisted = unlisted(root)?;
    ensure!(unlisted.is_empty(), "{SOURCES} does not list what the code cites: {}", unlisted.join(", "));
    for (file, count) in &findings.outdated {
        println!("{BOARDS}/{file}: {count} answers are of sequences that have changed since and say nothing");
    }
    match refusal(&findings) {
        Some(refusal) if arguments.check => bail!("{refusal}"),
        Some(refusal) => println!("{refusal}"),
        None => {}
    }
    if new == old {
        println!("{TIMING} and {SOURCES} are up to date");
    } else if arguments.check {
        bail!("{TIMING} is stale: run `cargo xtask docs` and read the difference");
    } else {
        std::fs::write(root.join(TIMING), new)?;
        println!("{TIMING} written");
    }
    peripherals::refresh(root, arguments.check)?;
    if !arguments.chip.is_empty() {
        picture::refresh(root, true)?;
        results::sample(root, &arguments.chip, &arguments.results)?;
        silicon::refresh(root, true)?;
    } else if arguments.results != ["none"] {
        let picture = arguments.results.iter().any(|name| name == "picture");
        let asked = arguments.results.iter().filter(|name| *name != "picture").cloned();
        let (silicon, experiments): (Vec<_>, Vec<_>) = asked.partition(|name| name == "silicon");
        let all = arguments.results.is_empty();
        if all || picture {
            picture::refresh(root, arguments.check)?;
        }
        if all || !experiments.is_empty() {
            results::refresh(root, &experiments, arguments.check)?;
        }
        if all {
            claims::refresh(root, arguments.check)?;
        }
        if all || !silicon.is_empty() {
            silicon::refresh(root, arguments.check)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the contradictions between boards and rows as a message; `None` if there are none.
fn refusal(findings: &Findings) -> Option<String> {
    let lines: String = findings.contradictions.iter().map(|one| format!("{BOARDS}/{one}\n")).collect();
    let count = findings.contradictions.len();
    (count > 0).then(|| {
        format!("{lines}boards contradict {count} sums of rows: change the rows, or say why not under [explained] of the file")
    })
}

/// `text` with each generated part made anew.
fn with_tables(text: &str, findings: &Findings) -> anyhow::Result<String> {
    let mut made = String::new();
    let mut rest = text;
    let mut unplaced: BTreeSet<&str> = tables().map(|(name, _)| name).collect();
    while let Some(begin) = rest.find(BEGIN) {
        let (before, marked) = rest.split_at(begin);
        let name = marked[BEGIN.len()..].split(' ').next().unwrap_or_default();
        let (_, rows) =
            tables().find(|(known, _)| *known == name).with_context(|| format!("{TIMING}: no rows named {name:?}"))?;
        unplaced.remove(name);
        let end = marked.find(END).with_context(|| format!("{TIMING}: the rows {name} have no {END}"))?;
        let confirmed = |row: &TimingRow| findings.confirmed.get(&(name.to_owned(), row.name));
        write!(made, "{before}{BEGIN}{name} -->\n{}{END}", table(&rows, &confirmed))?;
        rest = &marked[end + END.len()..];
    }
    ensure!(unplaced.is_empty(), "{TIMING} has no place for {unplaced:?}");
    Ok(made + rest)
}

/// Every table of rows by name: the cores', then what parts bring beside their cores. Parts that bring the same rows share a table,
/// as do all of an STM32 family.
fn tables() -> impl Iterator<Item = (&'static str, Vec<&'static TimingRow>)> {
    let cores =
        [&CORTEX_M0PLUS, &CORTEX_M3, &CORTEX_M4F].into_iter().map(|timing| (timing.core, timing.rows.iter().collect()));
    let avr = [&ATMEGA328P, &ATMEGA32U4].map(|timing| (timing.core, timing.rows.iter().collect()));
    // These cores' names have words, and parts are called after them.
    let riscv = [
        ("ibex-core", &IBEX),
        ("picorv32-core", &PICORV32),
        ("vexriscv-core", &VEXRISCV_SECURE),
        ("litex-vexriscv-core", LITEX_VEXRISCV.config.timing),
        ("instructions", &INSTRUCTIONS),
    ]
    .map(|(name, timing)| (name, timing.rows.iter().collect()));
    let xtensa = [("lx106", &xtensa::LX106), ("lx6", &xtensa::LX6)];
    let xtensa = xtensa.map(|(name, timing)| (name, timing.rows.iter().collect()));
    let lines = Part::product_lines();
    let first = lines
        .iter()
        .flat_map(|line| &line.parts)
        .map(|name| Part::find(name).expect("a line has parts that there are"));
    let mut parts: Vec<(&str, Vec<&TimingRow>)> = Vec::new();
    for part in Part::all().iter().copied().chain(first) {
        let rows = part.timing_rows();
        let name = part.row_table();
        match parts.iter().position(|(known, _)| *known == name) {
            Some(at) => {
                let known = &mut parts[at].1;
                let new: Vec<&TimingRow> = rows.into_iter().filter(|row| !known.contains(row)).collect();
                known.extend(new);
            }
            // A part without vendor blocks is called what its core is called and brings nothing.
            None if rows.is_empty() || parts.iter().any(|(_, known)| *known == rows) => {}
            None => parts.push((name, rows)),
        }
    }
    let memory = litex::ALL[litex::USUAL..].iter().chain(litedram::ALL).collect();
    cores.chain(avr).chain(riscv).chain(xtensa).chain(parts).chain([("litex-memory", memory)])
}

fn table<'a>(rows: &[&TimingRow], confirmed: &dyn Fn(&TimingRow) -> Option<&'a BTreeSet<String>>) -> String {
    let mut text = String::from("| row | what | cycles | evidence | source |\n|---|---|---:|---|---|\n");
    for row in rows {
        let mark = match row.evidence {
            Evidence::Documented => "documented",
            Evidence::Measured => "measured",
            Evidence::Assumed => "**assumed**",
        };
        let mark = match confirmed(row) {
            Some(parts) => format!("measured ({})", parts.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            None => mark.to_owned(),
        };
        let [name, what, source] = [row.name, row.what, row.source].map(escaped);
        text += &format!("| {name} | {what} | {} | {mark} | {source} |\n", row.cycles);
    }
    text
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('<', "&lt;")
}

/// The manuals that code cites and docs/sources.md does not list.
fn unlisted(root: &Path) -> anyhow::Result<Vec<String>> {
    let listed = cited(&std::fs::read_to_string(root.join(SOURCES))?);
    let mut files = Vec::new();
    for folder in ["crates", "firmware", "xtask"] {
        collect(&root.join(folder), &mut files)?;
    }
    let mut missing = BTreeSet::new();
    for file in files {
        // What is no text cites nothing.
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        missing.extend(cited(&text).difference(&listed).cloned());
    }
    Ok(missing.into_iter().collect())
}

/// Source files under `folder`, builds and vendored crates left out.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() && !["target", "build", "generated"].contains(&name) {
            collect(&path, files)?;
        } else if ["rs", "c", "h", "cpp", "S", "toml"].iter().any(|ext| path.extension().is_some_and(|of| of == *ext)) {
            files.push(path);
        }
    }
    Ok(())
}

/// The ids of manuals in `text`, without revision: `DDI 0419`, `RM0490`.
fn cited(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for series in SERIES {
        for (at, _) in text.match_indices(series) {
            let joined = text[..at].chars().next_back().is_some_and(|before| before.is_alphanumeric() || before == '_');
            let number = text[at + series.len()..].trim_start_matches([' ', '\u{a0}']);
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            if !joined && (4..=5).contains(&digits.len()) {
                found.insert(format!("{series}{digits}"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use cyclescope_kit::boards::BoardFile;
    use cyclescope_kit::{Kit, Log, Sequence};

    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    #[test]
    fn the_timing_document_is_what_the_rows_make_it() {
        let text = std::fs::read_to_string(root().join(TIMING)).unwrap();
        let findings = boards::read(&root().join(BOARDS)).unwrap();
        assert!(
            with_tables(&text, &findings).unwrap() == text,
            "stale: run `cargo xtask docs` and read the difference"
        );
    }

    #[test]
    fn every_cited_manual_is_listed() {
        assert_eq!(unlisted(&root()).unwrap(), [""; 0]);
    }

    #[test]
    fn a_changed_row_and_a_missing_place_are_noticed() {
        let text = std::fs::read_to_string(root().join(TIMING)).unwrap();
        let findings = boards::read(&root().join(BOARDS)).unwrap();
        let made = |text: &str| with_tables(text, &findings);
        let changed = text.replace("| 15 |", "| 16 |");
        assert_ne!(changed, text);
        assert_eq!(made(&changed).unwrap(), text);
        assert!(made(&text.replace("rows: cortex-m0plus", "rows: cortex-m1")).is_err());
        assert!(made("nothing").is_err());
    }

    #[test]
    fn a_row_that_a_board_confirms_is_shown_as_measured() {
        let text = std::fs::read_to_string(root().join(TIMING)).unwrap();
        let row = ("cortex-m4f".to_owned(), "supervisor call");
        let parts = ["stm32f446ze", "mk20dx256"].map(str::to_owned);
        let findings = Findings { confirmed: [(row, parts.into())].into(), ..Findings::default() };
        let made = with_tables(&text, &findings).unwrap();
        let of = |table: &str| {
            let from = made.find(&format!("{BEGIN}{table} ")).unwrap();
            made[from..].lines().find(|line| line.starts_with("| supervisor call ")).unwrap().to_owned()
        };
        assert!(of("cortex-m4f").contains("| measured (mk20dx256, stm32f446ze) |"), "{}", of("cortex-m4f"));
        assert!(of("cortex-m3").contains("| **assumed** |"), "{}", of("cortex-m3"));
    }

    #[test]
    fn no_board_contradicts_a_row() {
        assert_eq!(refusal(&boards::read(&root().join(BOARDS)).unwrap()), None);
    }

    #[test]
    fn a_board_that_contradicts_a_row_is_refused_until_that_is_explained() {
        // A made-up board: all as the rows say, but for one sequence.
        let kit = Kit::of("atmega328p").unwrap();
        let cycles = |one: &Sequence| (one.name.clone(), one.expected.unwrap_or(0) + u64::from(one.name == "lds.lds"));
        let log = Log {
            chip: "atmega328p".to_owned(),
            version: kit.version(),
            clock_hz: 16_000_000,
            cycles: kit.sequences.iter().map(cycles).collect(),
        };
        let mut file = BoardFile::of(&kit, &log, "made up");
        let folder = tempfile::tempdir().unwrap();
        let read = |file: &BoardFile| {
            std::fs::write(folder.path().join("made-up.toml"), file.to_text()).unwrap();
            boards::read(folder.path()).unwrap()
        };
        let refused = refusal(&read(&file)).unwrap();
        let line = "docs/boards/made-up.toml: lds.lds (for `LDS`) took 3 cycles, but its rows sum to 2\n";
        assert!(refused.starts_with(line), "{refused}");
        file.explained.insert("lds.lds".to_owned(), "it is made up".to_owned());
        assert_eq!(refusal(&read(&file)), None);
    }

    #[test]
    fn ids_are_found_with_and_without_space_and_not_inside_words() {
        let ids = cited("DDI 0419E, RM0490 and UM08001; not FARM0490, DS1 or AN_1234");
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["DDI0419", "RM0490", "UM08001"]);
    }
}
