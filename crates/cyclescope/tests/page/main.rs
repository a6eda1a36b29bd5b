//! The page in a real browser: it opens from disk, filters, sorts, zooms, tells what is behind a number, by mouse and by
//! keyboard, in light and dark, and nothing that it is made of is executed.
//!
//! The tests in a browser run if `CYCLESCOPE_TEST_TOOLS=all` is set, and need Chromium and chromedriver (Debian: `chromium`,
//! `chromium-driver`). Pictures go to `target/page`. `CYCLESCOPE_PICTURE=FILE.png` names the file of the README's picture.
//! `CYCLESCOPE_RESULTS=FILE.json` gives it other records than the few that the test makes.

mod again;
mod browser;
#[path = "../common/contents.rs"]
mod contents;
mod displays;
mod luck;
mod playground;
mod timeline;
#[path = "../common/tools.rs"]
mod tools;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use fantoccini::key::Key;
use serde_json::{Value, json};

use browser::Browser;

/// Returns the folder of pictures and pages.
fn place() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("page");
    std::fs::create_dir_all(&place).expect("the target folder can be written");
    place
}

fn cyclescope(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("cyclescope").expect("it is built").args(arguments).assert()
}

/// A page of a few real runs: `name` tells those of different tests apart.
fn page(name: &str, experiments: &[&[&str]], more: &[&str]) -> PathBuf {
    let place = place();
    let mut results = Vec::new();
    for (index, arguments) in experiments.iter().enumerate() {
        let path = place.join(format!("{name}-{index}.json")).display().to_string();
        cyclescope(&[&["run"], *arguments, &["--format", "json", "--out", &path]].concat()).success();
        results.push(path);
    }
    let page = place.join(format!("{name}.html"));
    let results: Vec<&str> = results.iter().map(String::as_str).collect();
    cyclescope(&[&["report"], results.as_slice(), &["--out", &page.display().to_string()], more].concat()).success();
    page
}

const CONTENDERS: [&str; 6] = ["--contender", "c-plain", "--contender", "freertos", "--contender", "embassy"];

#[tokio::test]
async fn the_page_does_what_it_shows() {
    let button = [&["button", "--chip", "stm32c031c6", "--mode", "interrupt"], CONTENDERS.as_slice()].concat();
    let switch = ["switch", "--contender", "c-loop", "--contender", "freertos", "--contender", "ply"];
    let walk = [
        "dirwalk",
        "--runs",
        "2",
        "--warmup",
        "0",
        "--dirs",
        "5",
        "--files",
        "20",
        "--workers",
        "1,2",
        "--no-syscalls",
    ];
    let page = page("page", &[&button, &switch, &walk], &[]);
    let text = std::fs::read_to_string(&page).expect("it was written");
    for outside in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!text.contains(outside), "the page asks for {outside}");
    }

    if !tools::wanted("chromedriver") {
        return;
    }
    let browser = Browser::at(&page, (1280, 1000)).await;
    browser.picture(&place().join("wide-light.png")).await;

    filters_choose_rows(&browser).await;
    tables_sort(&browser).await;
    a_number_tells_what_is_behind_it(&browser).await;
    a_chart_changes_and_is_saved(&browser).await;
    a_timeline_zooms(&browser).await;
    cycles_are_a_graph_and_a_table(&browser).await;
    themes_change(&browser).await;
    a_phone_shows_it(&browser, &page).await;
    browser.finish().await;
}

async fn filters_choose_rows(browser: &Browser) {
    let rows = "document.querySelectorAll('#switch .table tbody tr').length";
    let one_chip = browser.number(rows).await;
    browser.show("#switch-switch").await;
    browser.find("#switch-switch[data-rows='3'] .main-svg").await;
    browser.click("#filter-chip option[value='']").await;
    let all_chips = browser.number(rows).await;
    assert!(all_chips > one_chip, "{all_chips} rows of all chips, {one_chip} of one");
    assert!(browser.find("#status").await.text().await.is_ok());
    browser.click("#filter-chip option[value='stm32c031c6']").await;
    assert_eq!(browser.number(rows).await, one_chip);

    // Contenders, by keyboard: the disclosure opens, a box is reached and let go.
    browser.run("document.querySelector('.filters summary').focus()", Vec::new()).await;
    browser.press(Key::Enter).await;
    browser.find(".filters details[open]").await;
    browser.run("document.querySelector('.filters input[value=freertos]').focus()", Vec::new()).await;
    browser.type_text(" ").await;
    browser.find("#switch-switch[data-rows='2']").await;
    let names = browser.texts("#switch .table tbody th").await;
    assert!(names.iter().all(|name| !name.starts_with("freertos")), "{names:?}");
    browser.type_text(" ").await;
    browser.find("#switch-switch[data-rows='3']").await;
    browser.click(".filters summary").await;
}

async fn tables_sort(browser: &Browser) {
    let values = async |browser: &Browser| -> Vec<f64> {
        let texts = browser.texts("#switch .table tbody tr td:nth-last-child(2)").await;
        texts.iter().map(|text| text.replace(',', "").parse().expect("a number of bytes")).collect()
    };
    let flash = "#switch .table thead th:nth-last-child(2)";
    browser.click(&format!("{flash} button")).await;
    browser.find(&format!("{flash}[aria-sort=ascending]")).await;
    let up = values(browser).await;
    assert!(up.is_sorted() && up.len() == 3, "{up:?}");
    // The focus stays, so that the same key turns the order over.
    browser.press(Key::Enter).await;
    browser.find(&format!("{flash}[aria-sort=descending]")).await;
    let down = values(browser).await;
    assert!(down.iter().rev().is_sorted(), "{down:?}");
}

async fn a_number_tells_what_is_behind_it(browser: &Browser) {
    let number = browser.find("#switch .table tbody tr:first-child button.number").await;
    let label = number.attr("aria-label").await.expect("the page answers").expect("a button says what it is of");
    assert!(label.contains("cycles"), "{label}");
    browser.run("arguments[0].focus()", vec![json!(number)]).await;
    browser.press(Key::Enter).await;
    browser.find("dialog[open]").await;
    let told = browser.texts("dialog").await.concat();
    for what in [
        "image SHA-256",
        "libraries",
        "flags",
        "compiler",
        "48 MHz",
        "wait states",
        "Timings used: assumed",
        "model gaps met",
    ] {
        assert!(told.contains(what), "{what} is not told: {told}");
    }
    browser.picture(&place().join("origin.png")).await;
    browser.press(Key::Escape).await;
    browser.find("dialog:not([open])").await;
    let focus = browser.run("return document.activeElement.className", Vec::new()).await;
    assert_eq!(focus, json!("number"), "the focus goes back to the number");
}

async fn a_chart_changes_and_is_saved(browser: &Browser) {
    browser.click("#button [data-chart=latency] .tools button").await;
    browser.find("#button [data-chart=latency] button[aria-pressed=true]").await;
    browser.find("#button-latency[aria-label*='Cumulative curves'] .main-svg").await;
    browser.click("#button [data-chart=latency] .tools button").await;
    browser.find("#button-latency[aria-label*='Histograms']").await;
    browser.show("#switch-size").await;
    // Their loops that do nothing take different times.
    browser.find("#switch-switch[aria-label*='The floor, empty loop, is '][aria-label*=' cycles, by row.']").await;
    let label = browser.find("#switch-size[aria-label]").await.attr("aria-label").await.expect("the page answers");
    assert!(label.is_some_and(|label| label.contains("Pareto front")));
    browser.show("#dirwalk-workers-scaling").await;
    browser.find("#dirwalk-workers-scaling[aria-label*='ideal']").await;

    let folder = place().join("saved");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let to = json!({"behavior": "allow", "downloadPath": folder.display().to_string()});
    browser.tell("Browser.setDownloadBehavior", to).await;
    browser.click("#switch .bar button:last-child").await;
    browser.click("#switch [data-chart=switch] .tools button:last-child").await;
    let (csv, svg) = (saved(browser, &folder, "switch.csv").await, saved(browser, &folder, "switch-switch.svg").await);
    let first = csv.lines().next().unwrap_or_default();
    assert!(first.starts_with("contender,version,") && first.ends_with(",image_sha256"), "{first}");
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(svg.starts_with("<svg") && svg.contains("freertos"), "{}", &svg[..svg.len().min(200)]);
}

/// A file that the browser saves, once it is whole. The browser makes an empty file in its place and renames the whole one
/// onto it, so that what is not empty is whole.
async fn saved(browser: &Browser, folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    let whole = async {
        loop {
            match std::fs::read_to_string(&path) {
                Ok(text) if !text.is_empty() => return text,
                // A question takes the browser as long as it takes; nothing sleeps here.
                _ => browser.number("0").await,
            };
        }
    };
    tokio::time::timeout(browser::PATIENCE, whole).await.unwrap_or_else(|_| panic!("{name} is not saved"))
}

async fn a_timeline_zooms(browser: &Browser) {
    let shown = "Number(document.querySelector('.run .plot[data-from]').dataset.to) - Number(document.querySelector('.run .plot[data-from]').dataset.from)";
    browser.show(".run [data-chart=timeline]").await;
    browser.find(".run .plot[data-from] .main-svg").await;
    browser.click(".run [data-chart=timeline] button[aria-label='Show the whole run']").await;
    browser.find(".run .plot[data-from='0'] .main-svg").await;
    // 600 ms, of which the first 0.5 ms are at the reset clock, a quarter of 48 MHz.
    let whole = browser.number(shown).await;
    assert!((28_770_000.0..28_800_000.0).contains(&whole), "{whole}");
    browser.click(".run [data-chart=timeline] button[aria-label='Zoom in']").await;
    browser.find(".run .plot[data-from]:not([data-from='0'])").await;
    let half = browser.number(shown).await;
    assert!((half - 14_400_000.0).abs() < 4.0, "300 ms of 600, in cycles: {half}");
    // By keyboard.
    browser.run("document.querySelector('.run .plot[data-from]').focus()", Vec::new()).await;
    browser.type_text("+").await;
    assert!((browser.number(shown).await * 2.0 - half).abs() < 8.0);
    let label = browser.find(".run .plot[data-from]").await.attr("aria-label").await.expect("the page answers");
    let label = label.expect("a timeline says what it shows");
    assert!(label.contains("SysTick") && label.contains("asleep") && label.contains("PC13"), "{label}");
    browser.type_text("0").await;
    browser.find(".run .plot[data-from='0']").await;
    browser.picture(&place().join("timeline.png")).await;
}

async fn cycles_are_a_graph_and_a_table(browser: &Browser) {
    browser.click(".run [data-chart=flame] summary").await;
    browser.find(".run [data-chart=flame] .slice").await;
    let rows = browser.texts(".run [data-chart=flame] details[open] tbody tr").await;
    assert!(!rows.is_empty());
    // The shares are of what was awake, so that none exceeds the whole.
    let shares = browser.texts(".run [data-chart=flame] tbody td:last-child").await;
    let sum: f64 = shares.iter().map(|share| share.trim_end_matches(" %").parse::<f64>().expect("a share")).sum();
    assert!(sum > 0.0, "{shares:?}");
}

async fn themes_change(browser: &Browser) {
    let paper = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((sum, each) => sum + Number(each), 0)";
    assert!(browser.number(paper).await > 700.0, "light paper");
    browser.dark(true).await;
    assert!(browser.number(paper).await < 120.0, "dark paper");
    browser.run("scrollTo(0, 0)", Vec::new()).await;
    browser.picture(&place().join("wide-dark.png")).await;
    browser.click("#theme").await;
    browser.find("html[data-theme=light]").await;
    assert!(browser.number(paper).await > 700.0, "the reader's choice is stronger than the system's");
}

async fn a_phone_shows_it(browser: &Browser, page: &Path) {
    browser.size(390, 844).await;
    browser.open(page).await;
    let over = browser.number("document.documentElement.scrollWidth - innerWidth").await;
    assert!(over <= 0.0, "the page is {over} pixels wider than a phone");
    browser.picture(&place().join("narrow-top.png")).await;
    browser.run("document.querySelector('#button .charts').scrollIntoView()", Vec::new()).await;
    browser.find("#button-latency .main-svg").await;
    browser.picture(&place().join("narrow-charts.png")).await;
    browser.run("document.querySelector('#button .table').scrollIntoView()", Vec::new()).await;
    browser.picture(&place().join("narrow-table.png")).await;
}

/// Names that would like to be more than text.
const HOSTILE: [&str; 5] = [
    "</script><script>window.hacked=1</script>",
    "\"><img src=x onerror=window.hacked=1>",
    "__proto__",
    "=HYPERLINK(\"x\")",
    "\u{202e}{{7*7}}%{x}<b>",
];

#[tokio::test]
async fn nothing_in_records_is_more_than_text() {
    let place = place();
    let path = place.join("hostile.json");
    std::fs::write(&path, hostile().to_string()).expect("the target folder can be written");
    let page = place.join("hostile.html");
    let (path, out) = (path.display().to_string(), page.display().to_string());
    cyclescope(&["report", &path, "--out", &out]).success();

    if !tools::wanted("chromedriver") {
        return;
    }
    let browser = Browser::at(&page, (1280, 1000)).await;
    for filter in ["chip", "opt", "memory"] {
        browser.click(&format!("#filter-{filter} option[value='']")).await;
    }
    browser.show(".plot").await;
    browser.find(".plot .main-svg").await;
    assert_eq!(browser.run("return window.hacked ?? null", Vec::new()).await, Value::Null);
    assert_eq!(browser.number("document.querySelectorAll('img, main script').length").await, 0.0);
    let names = browser.texts(".table tbody th").await;
    assert!(HOSTILE.iter().all(|name| names.iter().any(|shown| shown.starts_with(name))), "{names:?}");
    let numbers = browser.number("document.querySelectorAll('button.number').length").await;
    assert!(numbers > 0.0);
    for index in 0..(numbers as usize).min(20) {
        browser.run("document.querySelectorAll('button.number')[arguments[0]].click()", vec![json!(index)]).await;
        browser.find("dialog[open]").await;
        browser.run("document.querySelector('dialog').close()", Vec::new()).await;
    }
    assert_eq!(browser.run("return window.hacked ?? null", Vec::new()).await, Value::Null);
    browser.finish().await;
}

/// A file of records, each name a hostile one, each number an unlikely one.
fn hostile() -> Value {
    let numbers = [json!(0), json!(-1), json!(i64::MIN), json!(i64::MAX), json!(1e308), json!(5e-324)];
    let mut records = Vec::new();
    for experiment in ["primes", "button", "switch", "dirwalk", "join", "yield", HOSTILE[0], HOSTILE[2]] {
        for (place, name) in HOSTILE.iter().enumerate() {
            for (metric, mode) in [
                ("elapsed", "one"),
                ("latency.edge", "interrupt"),
                ("switch", "plain"),
                ("elapsed", "workers"),
                (*name, *name),
            ] {
                let number = &numbers[(place + metric.len()) % numbers.len()];
                records.push(json!({
                    "experiment": experiment, "mode": mode, "contender": name, "contender_version": name, "compiler": name,
                    "params": {"row": name, "workers": number, "__proto__": name}, "chip": name, "clock_hz": 0,
                    "settings": {"memory": name, "wait_states": name, *name: name}, "opt": name, "metric": metric,
                    "unit": "cycles", "n": 9, "mean": number, "stddev": number, "min": number, "median": number, "p99": number,
                    "max": number, "source": "simulated", "image_sha256": "__proto__",
                    "histogram": {"scale": "linear", "buckets": [{"from": 9, "to": 3, "count": 0}]},
                    "model": {"name": name, "version": name, "timing_rows": {"documented": [name], "measured": [], "assumed": [name]},
                        "gaps": [{"kind": name, "name": name, "count": 1, "pc": 0, "at": 0}]},
                }));
            }
        }
    }
    json!({"schema": 1, "tool": HOSTILE[0], "records": records})
}

#[test]
fn a_file_that_holds_no_records_is_named_with_the_place() {
    let place = place();
    let out = place.join("never.html").display().to_string();
    let bad = place.join("bad.json");
    for (text, said) in [
        ("{\"schema\": 1, \"tool\": \"x\",\n \"records\": [{\"experiment\": 7}]}", "line 2 column"),
        ("not json", "line 1 column"),
        ("{\"schema\": 999, \"tool\": \"x\", \"records\": []}", "schema 999"),
        ("", "line 1 column 0"),
    ] {
        std::fs::write(&bad, text).expect("the target folder can be written");
        let path = bad.display().to_string();
        let assert = cyclescope(&["report", &path, "--out", &out]).code(65);
        let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(told.contains("bad.json") && told.contains(said), "{told}");
    }
    cyclescope(&["report", "/nowhere/x.json", "--out", &out]).code(66);
    cyclescope(&["report", "--out", &out]).code(2);
    assert!(!Path::new(&out).exists(), "nothing is written where nothing could be read");
}

#[tokio::test]
async fn the_picture_of_the_readme() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let results = std::env::var("CYCLESCOPE_RESULTS");
    let picture = std::env::var("CYCLESCOPE_PICTURE").map_or_else(|_| place().join("picture.png"), PathBuf::from);
    let page = match &results {
        Ok(results) => {
            let page = place().join("picture.html");
            cyclescope(&["report", results, "--out", &page.display().to_string(), "--no-runs"]).success();
            page
        }
        Err(_) => page("picture", &[&["switch", "--chip", "stm32c031c6", "--opt", "3"]], &["--no-runs"]),
    };
    let browser = Browser::at(&page, (1200, 1060)).await;
    browser.show("#switch-size").await;
    browser.find("#switch-size .main-svg").await;
    browser
        .run(
            "const top = document.querySelector('#switch').getBoundingClientRect().top + scrollY; scrollTo(0, top - 6)",
            Vec::new(),
        )
        .await;
    browser.picture(&picture).await;
    browser.finish().await;
}
