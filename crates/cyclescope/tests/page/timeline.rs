//! A timeline says what it leaves out and what its colours mean; what filters leave empty shows the nearest; narrow screens clip
//! no label; every experiment has an answer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::{cyclescope, page, place, tools};

/// The page of a run of a bundled image.
pub fn run(image: &str, time: &str, more: &[&str]) -> PathBuf {
    let place = place();
    let elf = place.join(format!("{image}.elf")).display().to_string();
    cyclescope(&["image", image, "--out", &elf]).success();
    let page = place.join(format!("{image}-{time}.html"));
    let out = page.display().to_string();
    let arguments = ["report", "--run", &elf, "--chip", "stm32c031c6", "--for", time, "--out", &out];
    cyclescope(&[&arguments, more].concat()).success();
    page
}

/// The texts of a timeline's legend, and that all its colours are drawn and no others.
async fn legend(browser: &Browser) -> Vec<String> {
    browser.show("[data-chart=timeline]").await;
    browser.find(".plot[data-from] .main-svg").await;
    let colours = "const colours = (list, of) => [...new Set([...document.querySelectorAll(list)].map(of))].filter((one) => one !== 'none').sort();
        const drawn = (node) => {
            const style = getComputedStyle(node);
            return style.stroke !== 'none' && style.strokeWidth !== '0px' ? style.stroke : style.fill;
        };
        const plot = '[data-chart=timeline] .scatterlayer';
        return [
            colours('[data-chart=timeline] .legend i', (dot) => getComputedStyle(dot).backgroundColor),
            colours(`${plot} .js-line[d], ${plot} .js-fill[d]`, drawn).map((colour) => colour.replace(/rgba\\((.*), [\\d.]+\\)/, 'rgb($1)')),
        ]";
    let found = browser.run(colours, Vec::new()).await;
    // Of a part of the run, the drawing goes on out of sight.
    let part = browser.number("Number(document.querySelector('.plot[data-from]').dataset.from)").await > 0.0;
    let drawn = |colour: &Value| found[1].as_array().is_some_and(|drawn| drawn.contains(colour));
    let named = found[0].as_array().expect("the script gives two lists");
    assert!(!named.is_empty() && named.iter().all(drawn), "the legend's colours, and those drawn: {found}");
    assert!(part || found[0] == found[1], "the legend's colours, and those drawn: {found}");
    browser.texts("[data-chart=timeline] .legend li").await
}

#[tokio::test]
async fn a_timeline_says_where_it_is_cut_and_what_its_colours_mean() {
    let sliced = "primes-freertos-two-sliced-3-stm32c031c6";
    let cut = run(sliced, "500ms", &["--task-pointer", "pxCurrentTCB"]);
    let whole = run("primes-c-plain-plain-3-stm32c031c6", "20ms", &[]);
    if !tools::wanted("chromedriver") {
        return;
    }
    let browser = Browser::at(&cut, (1400, 1000)).await;
    assert_eq!(legend(&browser).await, ["exception", "search_tcb", "counter_tcb"]);
    let said = browser.texts(".cut").await.concat();
    assert!(said.starts_with("Shows the first ") && said.contains(" ms of 500 ms: 20,000 events kept, "), "{said}");
    assert_eq!(browser.texts(".lacks").await, ["No pins in what is shown."]);
    // No task hides another, however often they change.
    let heights = "const tall = (node) => node.getBBox().height;
        return [...document.querySelectorAll('[data-chart=timeline] .js-fill')].map(tall)";
    let heights = browser.run(heights, Vec::new()).await;
    let heights: Vec<f64> = heights.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert!(heights.len() >= 2 && heights.iter().all(|height| *height > 1.0), "{heights:?}");
    browser.picture(&place().join("timeline-cut.png")).await;

    // Near enough, tasks have stretches of their own, and the legend names what is in sight.
    browser.click("button[aria-label='Show the whole run']").await;
    for _ in 0..30 {
        browser.click("button[aria-label='Zoom in']").await;
    }
    let names = legend(&browser).await;
    assert!(names.len() < 3, "{names:?}");

    browser.open(&whole).await;
    assert_eq!(browser.texts(".cut").await, [""; 0]);
    let lacks = browser.texts(".lacks").await.concat();
    assert!(lacks.to_lowercase().contains("no exceptions"), "{lacks}");
    browser.finish().await;
}

/// Goes over all charts, and returns the labels that reach beyond theirs.
async fn clipped(browser: &Browser) -> Vec<String> {
    let figures = browser.number("document.querySelectorAll('figure').length").await as usize;
    for index in 0..figures {
        let show = "const figure = document.querySelectorAll('figure')[arguments[0]];
            figure.scrollIntoView();
            return `#${figure.querySelector('.plot').id} .main-svg`";
        let chart = browser.run(show, vec![json!(index)]).await;
        browser.find(chart.as_str().expect("it is a text")).await;
    }
    let beyond = "return [...document.querySelectorAll('.plot .main-svg text')].filter((text) => {
        const [box, own] = [text.closest('.plot').getBoundingClientRect(), text.getBoundingClientRect()];
        return own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1);
    }).map((text) => text.textContent)";
    let found = browser.run(beyond, Vec::new()).await;
    found.as_array().into_iter().flatten().map(ToString::to_string).collect()
}

#[tokio::test]
async fn no_label_is_clipped_and_what_is_filtered_away_shows_the_nearest() {
    let primes =
        ["primes", "--chip", "stm32c031c6", "--opt", "3", "--contender", "c-plain", "--contender", "cpp20-coroutines"];
    let page = page("narrow", &[&primes, &["switch", "--contender", "ply", "--contender", "c-loop"]], &["--no-runs"]);
    if !tools::wanted("chromedriver") {
        return;
    }
    let browser = Browser::start().await;
    browser.dark(false).await;
    for width in [320, 400, 1400] {
        browser.size(width, 900).await;
        browser.open(&page).await;
        assert!(browser.number("document.documentElement.scrollWidth - innerWidth").await <= 0.0, "{width}");
        assert_eq!(clipped(&browser).await, [""; 0], "at {width}");
    }
    // primes has one chip and one level; another choice leaves its own in sight, and says so.
    browser.click("#filter-chip option[value='atmega328p']").await;
    browser.find("#primes .table.nearest").await;
    let rows = browser.number("document.querySelectorAll('#primes .table tbody tr').length").await;
    assert!(rows >= 2.0, "{rows}");
    let said = browser.texts("#primes .bar p").await.concat();
    assert!(said.starts_with("Nothing is there for atmega328p; this is the nearest, stm32c031c6 · "), "{said}");
    let chart = browser.texts("#primes .near").await;
    assert!(chart.iter().any(|text| text == "Drawn for stm32c031c6, the nearest there is."), "{chart:?}");
    assert_eq!(browser.number("document.querySelectorAll('#switch .table.nearest').length").await, 0.0);
    browser.finish().await;
}

#[test]
fn every_experiment_has_an_answer() {
    let one = ["--runs", "1", "--warmup", "0"];
    let yielding = [&["yield", "--contender", "smol"], one.as_slice()].concat();
    let join = [&["join", "--contender", "smol", "--sleep", "1ms"], one.as_slice()].concat();
    let walk = ["dirwalk", "--quick", "--contender", "rayon", "--dirs", "5", "--files", "20"];
    let syscall = ["syscall", "--chip", "cortex-m3", "--opt", "3"];
    let page = page("answers", &[&syscall, &walk, &join, &yielding], &["--no-runs"]);
    let text = std::fs::read_to_string(&page).expect("it was written");
    let answers: Vec<&str> =
        text.split("<p class=\"answer\">").skip(1).filter_map(|rest| rest.split("</p>").next()).collect();
    let begins = [
        "Instructions of a call from its trap to the one behind it: ",
        "A quick run (--quick): 3 rounds only; a whole run&#39;s figures may differ. The plain walk takes ",
        "Waiting for all at once takes ",
        "One await that gives way costs ",
    ];
    let unlike: BTreeSet<&str> =
        begins.into_iter().filter(|begin| !answers.iter().any(|one| one.starts_with(begin))).collect();
    assert!(unlike.is_empty() && answers.len() == 4, "{unlike:?} of {answers:#?}");
    assert!(Path::new(&page).exists());
}

/// Each task has a lane with its polls, and arrows lead from wakes to them where they can be told apart.
#[tokio::test]
async fn tasks_have_lanes_and_wakes_have_arrows() {
    let stimulus = ["--tasks", "--stimulus", "presses 5 of PC13 low from 10ms gap 20ms..30ms seed 1"];
    let page = run("button-embassy-interrupt-s-stm32c031c6", "200ms", &stimulus);
    if !tools::wanted("chromedriver") {
        return;
    }
    let browser = Browser::at(&page, (1400, 1000)).await;
    let seen = legend(&browser).await;
    assert!(seen.contains(&"task".to_owned()) && seen.contains(&"exception".to_owned()), "{seen:?}");
    let lanes = "document.querySelector('.plot[data-from]').getAttribute('aria-label')";
    let lanes = browser.run(&format!("return {lanes}"), Vec::new()).await;
    let lanes = lanes.as_str().expect("a text").to_owned();
    assert!(["EXTI4_15", "main", "send", "blink", "report"].iter().all(|name| lanes.contains(name)), "{lanes}");
    // Around the first press: the interrupt wakes `report`, which wakes `send`.
    let arrows = "document.querySelectorAll('.plot[data-from] .annotation-arrow-g').length";
    assert!(browser.number(arrows).await >= 2.0);
    let whole = "button[aria-label='Show the whole run']";
    browser.click(whole).await;
    assert!(browser.number(arrows).await >= 20.0);
    // A point of the arrow from a wake lies in no other lane than the waker's.
    let wakes = "const { data, layout } = document.querySelector('.plot[data-from]');
        return layout.annotations.map(({ x, ax, y, ay }) => [x - ax, y, ay])";
    let wakes = browser.run(wakes, Vec::new()).await;
    let of = |wake: &Value, place: usize| wake[place].as_f64().expect("a number");
    let wakes = wakes.as_array().expect("a list");
    assert!(wakes.iter().all(|wake| of(wake, 0) >= 0.0 && of(wake, 1) != of(wake, 2)), "{wakes:?}");
    browser.picture(&place().join("timeline-tasks.png")).await;
}
