//! `docs/silicon.md`: figures that others published from boards, beside the model, and the README's line about them.
//!
//! Figures that bundled images reproduce are taken from their records; the others stand frozen in `docs/silicon.toml`.

mod data;
mod page;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use self::data::{Board, Records, Silicon};
use super::results::{cyclescope, settle};

const PAGE: &str = "docs/silicon.md";
const README: &str = "README.md";
const BEGIN: &str = "<!-- silicon -->";
const END: &str = "<!-- end -->";

/// A figure from a record, in the write-up's unit.
struct Measured {
    value: f64,
    compiler: String,
}

/// The figures by board, mode and memory setting.
type Runs = BTreeMap<(String, String, String), Measured>;

/// Writes the page and the README's line, or with `check` fails where they are not what a run gives.
pub fn refresh(root: &Path, check: bool) -> anyhow::Result<()> {
    let silicon = Silicon::load(root)?;
    let mut runs = Runs::new();
    for writeup in &silicon.writeup {
        for board in &writeup.board {
            if let Some(of) = &board.record {
                runs.extend(run(root, &writeup.unit, board, of)?);
            }
        }
    }
    let readme = std::fs::read_to_string(root.join(README))?;
    let line = in_readme(&page::totals(&silicon, &runs)?);
    for (path, new) in [(PAGE, page::page(&silicon, &runs)?), (README, with_line(&readme, &line)?)] {
        settle(&root.join(path), &new, check)?;
    }
    Ok(())
}

/// Runs the images that `of` names under every memory setting.
fn run(root: &Path, unit: &str, board: &Board, of: &Records) -> anyhow::Result<Runs> {
    let arguments = ["run", &of.experiment, "--chip", &of.chip, "--contender", &of.contender, "--opt", &of.opt];
    let printed = cyclescope(root, &[&arguments[..], &["--memory", "all", "--format", "json"]].concat())?;
    let file: Value = serde_json::from_str(&printed).context("the records cannot be read")?;
    let records = file["records"].as_array().context("the file has no records")?;
    let mut runs = Runs::new();
    for record in records.iter().filter(|record| record["metric"] == of.metric.as_str()) {
        let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
        let key = (board.board.clone(), text(&record["mode"]), text(&record["settings"]["memory"]));
        let compiler = text(&record["compiler"]);
        let compiler = compiler.split(' ').take(2).collect::<Vec<_>>().join(" ");
        runs.insert(key, Measured { value: in_unit(record, unit)?, compiler });
    }
    Ok(runs)
}

/// The mean of `record` in `unit`.
fn in_unit(record: &Value, unit: &str) -> anyhow::Result<f64> {
    let mean = record["mean"].as_f64().context("a record has a mean")?;
    ensure!(record["unit"] == "cycles", "only cycles are set beside figures so far");
    let hertz = record["clock_hz"].as_f64().context("a chip has a clock")?;
    match unit {
        "cycles" => Ok(mean),
        "ms" => Ok(mean / hertz * 1000.0),
        _ => bail!("{}: a record has no {unit}", data::FILE),
    }
}

/// Returns the README's line, between its marks.
fn in_readme(totals: &str) -> String {
    format!("{BEGIN}{totals}{END}")
}

/// Returns the README with `line` in the place of its line.
fn with_line(readme: &str, line: &str) -> anyhow::Result<String> {
    let place = readme.find(BEGIN).zip(readme.find(END)).filter(|(begin, end)| begin < end);
    let (begin, end) = place.with_context(|| format!("{README} has no {BEGIN} with {END} behind it"))?;
    Ok(format!("{}{line}{}", &readme[..begin], &readme[end + END.len()..]))
}

#[cfg(test)]
mod tests {
    use super::data::FILE;
    use super::*;

    fn read(file: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap()
    }

    fn problem(text: &str) -> String {
        let error = Silicon::parse(text).err().expect("it is wrong");
        format!("{error:#}")
    }

    #[test]
    fn what_is_off_has_its_cause() {
        let text = read(FILE);
        Silicon::parse(&text).unwrap();
        let uncaused = text.replace(r#"model = "1034", sd = [158, 571], cause = ["flash-queue"]"#, r#"model = "1034""#);
        assert_ne!(uncaused, text);
        assert!(problem(&uncaused).contains("FreeRTOS: latency is +15.5 % off and no cause is named"));
        let unknown = text.replace(r#"cause = ["probe"]"#, r#"cause = ["luck"]"#);
        assert!(problem(&unknown).contains("no cause is called luck"));
        let needless = text.replace(r#"model = "659", "#, r#"model = "659", cause = ["probe"], "#);
        assert!(problem(&needless).contains("Embassy: latency: it is not off"));
    }

    #[test]
    fn a_cause_has_a_size_or_would_be_decided() {
        let text = read(FILE);
        let unsized_ = text.replace(r#"size = "48 cycles of 261""#, "");
        assert!(problem(&unsized_).contains("cause probe needs a source and a size"));
        let unlisted = text.replacen(r#"kit = ["flash.*", "call.*"]"#, r#"kit = ["flush.*"]"#, 1);
        assert!(problem(&unlisted).contains("names flush.*, which [kit] does not list"));
    }

    #[test]
    fn the_kit_has_what_causes_name() {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/kit")).unwrap() {
            let table: toml::Table = std::fs::read_to_string(entry.unwrap().path()).unwrap().parse().unwrap();
            let sequences = table.get("sequence").and_then(toml::Value::as_array).into_iter().flatten();
            names.extend(sequences.map(|sequence| sequence["name"].as_str().unwrap().to_owned()));
        }
        for pattern in Silicon::parse(&read(FILE)).unwrap().kit.sequences {
            let begin = pattern.trim_end_matches('*');
            assert!(names.iter().any(|name| name.starts_with(begin)), "the kit has no sequence {pattern}");
        }
    }

    #[test]
    fn a_step_of_the_clock_explains_one_step() {
        let text = read(FILE).replace(r#"model = ".133""#, r#"model = ".100""#);
        assert!(problem(&text).contains("more than one step of the clock"));
    }

    #[test]
    fn a_run_that_is_off_has_its_cause_too() {
        let text = read(FILE).replace(r#"run = "one", cause = ["c0-placement"]"#, r#"run = "one""#);
        let silicon = Silicon::parse(&text).unwrap();
        let runs = |value| -> Runs {
            let board = silicon.rows().find(|(_, _, row)| row.run.is_some()).unwrap().1;
            let key = |mode: &str| (board.board.clone(), mode.to_owned(), board.memory.clone());
            let measured = |value| Measured { value, compiler: "rustc 1.96.0".to_owned() };
            [("plain", 2228.0), ("one", value), ("two", 3987.0)]
                .map(|(mode, value)| (key(mode), measured(value)))
                .into()
        };
        assert!(
            page::page(&silicon, &runs(3300.0)).unwrap().contains("| Embassy, one task | 3269 | 3300 *run* | +0.9 % |")
        );
        let error = page::page(&silicon, &runs(3400.0)).err().unwrap().to_string();
        assert!(error.contains("Embassy, one task is +4.0 % off and no cause is named"), "{error}");
        assert!(page::page(&silicon, &Runs::new()).is_err(), "a run that was not made");
    }

    /// Compares the parts of the page that need no run with the file; `cargo xtask docs --check` compares the rest.
    #[test]
    fn the_page_and_the_readme_are_of_this_file() {
        let (silicon, page) = (Silicon::parse(&read(FILE)).unwrap(), read(PAGE));
        for (_, board, row) in silicon.rows().filter(|(_, _, row)| row.run.is_none()) {
            let line = page::line(&silicon, board, row, &Runs::new()).unwrap();
            assert!(
                page.contains(&page::caption(board)) && page.contains(&line),
                "stale: run `cargo xtask docs`: {line}"
            );
        }
        let ends = page.starts_with(&page::head(&silicon)) && page.ends_with(&page::causes(&silicon));
        assert!(ends, "stale: run `cargo xtask docs`");
        let readme = read(README);
        let line = &readme[readme.find(BEGIN).unwrap() + BEGIN.len()..readme.find(END).unwrap()];
        assert!(page.contains(line), "the README names other totals than {PAGE}: run `cargo xtask docs`");
        assert_eq!(with_line(&readme, &in_readme(line)).unwrap(), readme);
    }
}
