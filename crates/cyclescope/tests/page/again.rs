//! A page that makes its run again: what it carries, and in a real browser that its records are the command's, byte for byte.
//!
//! `CYCLESCOPE_TEST_CORE=FILE` names the core, which `cargo xtask wasm --core FILE` makes.

use std::path::{Path, PathBuf};

use cyclescope::report::page::Core;
use serde_json::json;

use super::browser::Browser;
use super::contents::{intel_hex, loaded};
use super::timeline::run;
use super::{place, tools};

const IMAGE: &str = "button-c-plain-interrupt-s-stm32c031c6";
const DISPLAY: &str = "display-c-registers-spi-3-stm32c031c6";
const PRESS: &str = "at 100ms pin PC13 low";
const BOUNCES: &str = "presses 6 of PC13 low from 100ms gap 10ms..20ms bounce 2 within 2ms seed 1";
const SPAN: &str = "irq=pin:PC13:fall..exception:EXTI4_15:returned";

/// The most bytes that the core may add to a page.
const MOST_BYTES: usize = 3_000_000;

/// Returns the page's policy.
fn policy(page: &str) -> String {
    let (_, rest) = page.split_once("Content-Security-Policy\" content=\"").expect("it has one");
    let (policy, _) = rest.split_once('"').expect("it ends");
    policy.replace("&#39;", "'").replace("&#x27;", "'")
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(page).expect("it was written")
}

#[test]
fn a_page_with_a_core_carries_its_image_and_lets_nothing_out_and_one_without_says_so() {
    let without = read(&run(IMAGE, "101ms", &["--stimulus", PRESS]));
    assert!(without.contains("it was written without the core for browsers, which releases of cyclescope carry"));
    assert!(
        !without.contains("<script type=\"text/plain\" data-image") && !policy(&without).contains("wasm"),
        "{}",
        policy(&without)
    );

    let core = place().join("no.core");
    let written = Core::new(cyclescope::TOOL, ("</script><b>", b"xz"), ("", b"\0asm")).write().expect("it is text");
    std::fs::write(&core, written).expect("it is written");
    let core = core.display().to_string();
    let with = read(&run(IMAGE, "102ms", &["--stimulus", PRESS, "--core", &core]));
    assert!(!with.contains("</script><b>"), "a core's script ends no element");
    let elf = cyclescope::example_image(IMAGE).expect("it is bundled");
    let sha256 = cyclescope::image::Image::parse(&elf).expect("it is one").file_sha256().to_string();
    assert!(with.contains(&format!("data-image=\"{sha256}\"")), "the image is there");
    let policy = policy(&with);
    for part in ["default-src 'none'", "'wasm-unsafe-eval'", "worker-src blob:"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("connect-src"), "{policy}");

    // The files that a run needs beside its image come with it.
    let bytes = place().join("again-memory.bin").display().to_string();
    std::fs::write(&bytes, [7; 20]).expect("it is written");
    let device = format!("eeprom:24c32,file={bytes}@i2c1");
    let with = read(&run(IMAGE, "103ms", &["--attach", &device, "--core", &core]));
    assert!(
        with.contains("<script type=\"text/plain\" data-file=") && with.contains("again-memory.bin"),
        "the file is there"
    );
    let without = read(&run(IMAGE, "105ms", &["--attach", &device]));
    assert!(!without.contains("<script type=\"text/plain\" data-file="), "no core, no files");
    let volts = place().join("again-volts.csv").display().to_string();
    std::fs::write(&volts, "1.2\n1.3\n").expect("it is written");
    let stimulus = format!("at 1ms pin PA0 samples {volts} every 1ms");
    let with = read(&run(IMAGE, "104ms", &["--stimulus", &stimulus, "--core", &core]));
    assert!(with.contains("data-file=") && with.contains("again-volts.csv"), "the voltages are there");
}

#[test]
fn a_core_of_another_version_and_a_file_that_is_none_are_refused() {
    let elf = place().join("again.elf");
    std::fs::write(&elf, cyclescope::example_image(IMAGE).expect("it is bundled")).expect("it is written");
    let refused = |core: &Path| {
        let [elf, core, out] = [&elf, core, &place().join("again-refused.html")].map(|path| path.display().to_string());
        let arguments = ["report", "--run", &elf, "--chip", "stm32c031c6", "--out", &out, "--core", &core];
        let output = super::cyclescope(&arguments).get_output().clone();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let other = place().join("other.core");
    let written = Core::new("cyclescope 0.0.1", ("", b"xz"), ("", b"\0asm")).write().expect("it is text");
    std::fs::write(&other, written).expect("it is written");
    let (code, told) = refused(&other);
    assert!(code == Some(65) && told.contains("take the core of the same version"), "{told}");
    let (code, told) = refused(&elf);
    assert!(code == Some(65) && told.contains("`cargo xtask wasm --core FILE` writes"), "{told}");
    assert_eq!(refused(&place().join("nowhere.core")).0, Some(66));
}

/// Returns the core, if it was made.
fn core() -> Option<PathBuf> {
    let path = std::env::var_os("CYCLESCOPE_TEST_CORE").map(PathBuf::from);
    if path.is_none() {
        eprintln!("left out: CYCLESCOPE_TEST_CORE names no core; cargo xtask wasm --core FILE makes one");
    }
    path.map(|path| path.canonicalize().expect("the core is there"))
}

/// Waits for the end of a run, and returns the records and the texts of its stimuli and spans.
async fn done(browser: &Browser) -> (String, String, String) {
    browser.find("form.again-form[data-done=true][data-busy=false]").await;
    let script = "const form = document.querySelector('form.again-form');
        return [form.dataset.file, ...['stimulus', 'span'].map((name) => form.querySelector(`[id$=-again-${name}]`).value)]";
    let value = browser.run(script, vec![]).await;
    let text = |place: usize| value[place].as_str().expect("it is text").to_owned();
    (text(0), text(1), text(2))
}

/// The records that the command writes.
fn records(file: &str, memory: &str, stimuli: &str, spans: &str) -> String {
    records_of(file, &["--chip", "stm32c031c6", "--memory", memory], stimuli, spans)
}

/// The records that the command writes with more options.
fn records_of(file: &str, more: &[&str], stimuli: &str, spans: &str) -> String {
    let mut arguments = [&["measure", file, "--for", "300ms", "--format", "json"], more].concat();
    arguments.extend(stimuli.lines().flat_map(|stimulus| ["--stimulus", stimulus]));
    arguments.extend(spans.lines().flat_map(|span| ["--span", span]));
    String::from_utf8(super::cyclescope(&arguments).get_output().stdout.clone()).expect("it is text")
}

#[tokio::test]
async fn a_run_made_again_in_the_browser_gives_the_records_of_the_command() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(core) = core() else { return };
    let core = core.display().to_string();
    let plain = run(IMAGE, "300ms", &["--stimulus", PRESS]);
    let size = read(&plain).len();
    let page = run(IMAGE, "300ms", &["--stimulus", PRESS, "--core", &core, "--span", SPAN]);
    let elf = place().join(format!("{IMAGE}.elf")).display().to_string();
    let image = std::fs::metadata(&elf).expect("it is there").len() as usize;
    let more = read(&page).len() - size;
    assert!(more < MOST_BYTES + image, "the core adds {more} bytes, with an image of {image}");

    let browser = Browser::at(&page, (1280, 1000)).await;
    browser.click(".again summary").await;
    browser.click("form.again-form button[type=submit]").await;
    let (file, stimuli, spans) = done(&browser).await;
    assert_eq!((stimuli.as_str(), spans.as_str()), (PRESS, SPAN));
    assert!(!file.is_empty() && file == records(&elf, "shipped", &stimuli, &spans), "as it was");

    // Presses that bounce, the first edge and then the bounce moved with their sliders; another flash setting.
    let fill =
        "const field = [...document.querySelectorAll(arguments[0])].at(arguments[2]); field.value = arguments[1];
        for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }))";
    browser.run(fill, vec![json!("[id$=-again-stimulus]"), json!(BOUNCES), json!(0)]).await;
    browser.run(fill, vec![json!(".sliders input"), json!("90.5"), json!(0)]).await;
    let (file, stimuli, spans) = done(&browser).await;
    assert_eq!((stimuli.as_str(), spans.as_str()), (BOUNCES.replace("100ms", "90.5ms").as_str(), SPAN));
    assert!(file == records(&elf, "shipped", &stimuli, &spans), "with a moved edge");
    browser.show("[data-chart=again-histogram]").await;
    browser.find("[data-chart=again-histogram] .main-svg").await;
    browser.run(fill, vec![json!(".sliders input"), json!("1.5"), json!(-1)]).await;
    let (file, stimuli, spans) = done(&browser).await;
    assert_eq!(stimuli, BOUNCES.replace("100ms", "90.5ms").replace("within 2ms", "within 1.5ms"));
    let moved = records(&elf, "shipped", &stimuli, &spans);
    assert!(file == moved, "with another bounce");
    browser.run(fill, vec![json!("[id$=-again-memory]"), json!("ideal"), json!(0)]).await;
    let (file, stimuli, spans) = done(&browser).await;
    let ideal = records(&elf, "ideal", &stimuli, &spans);
    assert!(file == ideal && ideal != moved, "without wait states");
    browser.show(".results [data-chart=timeline]").await;
    browser.find(".results .plot[data-from] .main-svg").await;
    browser.picture(&place().join("again.png")).await;

    // A link holds all of it.
    let link = browser.run("return document.querySelector('.results a').getAttribute('href')", vec![]).await;
    let link = link.as_str().expect("it is text").to_owned();
    for part in ["image=", "chip=stm32c031c6", "memory=ideal", "for=300ms", "within+1.5ms+seed+1"] {
        assert!(link.contains(part), "{part}: {link}");
    }
    browser.open(&page).await;
    browser.run("location.hash = arguments[0]", vec![json!(format!("{link}&cycle=4344500"))]).await;
    let (file, again, _) = done(&browser).await;
    assert!(file == ideal && again == stimuli, "by the link");
    browser.show(".results [data-chart=timeline]").await;
    browser.find(".results .plot[data-from] .main-svg").await;
    assert_eq!(
        browser.number("Number(document.querySelector('.results .plot[data-from]').dataset.from)").await,
        4_344_000.0
    );
    browser.finish().await;
}

/// Fills a field of the form as a reader does.
const FILL: &str = "const field = document.querySelector(`[id$=-again-${arguments[0]}]`); field.value = arguments[1];
    for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }))";

/// Another clock, another layout, an attached device with a file, and a chip that a file describes, in the page, by the link, and by
/// a number's dialog.
#[tokio::test]
async fn another_clock_another_layout_devices_and_described_chips_run_there_too() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(core) = core() else { return };
    let (core, folder) = (core.display().to_string(), place());
    let names = ["again-variant.elf", "again-mine.toml", "again-in.bin", "again-variant.json", "again-variant.html"];
    let [elf, chip, bytes, results, page] = names.map(|name| folder.join(name).display().to_string());
    std::fs::write(&elf, cyclescope::example_image(DISPLAY).expect("it is bundled")).expect("it is written");
    std::fs::write(&chip, "name = \"mine\"\nbase = \"stm32c031c6\"\nflash_kib = 64\n").expect("it is written");
    std::fs::write(&bytes, [7; 20]).expect("it is written");
    let (oled, memory) =
        ("ssd1306:spi,name=oled@sck=PA5,mosi=PA7,cs=PA4,dc=PA3", format!("eeprom:24c32,file={bytes}@i2c1"));
    let span = "frame=first pin:PA4:fall..pin:PA4:rise";
    let own = ["--chip", &chip, "--attach", oled, "--attach", &memory];
    let varied = [&own[..], &["--clock", "16000000", "--layout", "3:2"]].concat();
    let wanted = records_of(&elf, &varied, "", span);
    assert!(wanted.contains("\"layout\":\"3:2\"") && wanted.contains("\"clock\":\"16000000\""), "{wanted}");
    std::fs::write(&results, &wanted).expect("it is written");
    let report = [
        &["report", &results, "--run", &elf, "--for", "300ms", "--span", span, "--out", &page, "--core", &core],
        &own[..],
    ];
    super::cyclescope(&report.concat()).success();

    let browser = Browser::at(Path::new(&page), (1280, 1000)).await;
    browser.click(".again summary").await;
    browser.click("form.again-form button[type=submit]").await;
    let (plain, ..) = done(&browser).await;
    assert!(plain == records_of(&elf, &own, "", span), "as it was");
    assert!(browser.number("document.querySelectorAll('.results .strip img').length").await > 1.0, "the pictures");
    for (name, value) in [("clock", "16000000"), ("layout", "2:2")] {
        browser.run(FILL, vec![json!(name), json!(value)]).await;
    }
    browser.click(".with-button button").await;
    let (file, ..) = done(&browser).await;
    assert!(file == wanted && file != plain, "at another clock, in another layout");
    let told = browser.texts(".results code").await.concat();
    assert!(told.contains("--clock 16000000 --layout 3:2") && told.contains("--attach ssd1306:spi"), "{told}");
    browser.show("form.again-form").await;
    browser.picture(&place().join("again-variant.png")).await;
    let link = browser.run("return document.querySelector('.results a').getAttribute('href')", vec![]).await;
    let link = link.as_str().expect("it is text").to_owned();
    for part in ["image=", "clock=16000000", "layout=3%3A2", "attach=ssd1306", "again-mine.toml"] {
        assert!(link.contains(part), "{part}: {link}");
    }
    browser.open(Path::new(&page)).await;
    browser.run("location.hash = arguments[0]", vec![json!(link)]).await;
    assert!(done(&browser).await.0 == wanted, "by the link");

    browser.open(Path::new(&page)).await;
    browser.click(".table tbody button.number").await;
    browser.find("dialog[open]").await;
    browser.click("#run-here").await;
    assert!(done(&browser).await.0 == wanted, "by a number's dialog");

    // What there is not is told.
    browser.run(FILL, vec![json!("clock"), json!("3")]).await;
    browser.click("form.again-form button[type=submit]").await;
    done(&browser).await;
    let told = browser.texts(".results .lines li").await.concat();
    assert!(told.starts_with("error: the clock 3: ") && told.contains("hse_hz must be"), "{told}");

    // On a phone, in the dark.
    browser.dark(true).await;
    browser.size(390, 844).await;
    browser.open(Path::new(&page)).await;
    browser.click(".again summary").await;
    browser.show("form.again-form [id$=-again-layout]").await;
    let over = browser.number("document.documentElement.scrollWidth - 390").await;
    assert!(over <= 0.0, "the page is {over} pixels wider than a phone");
    browser.picture(&place().join("again-variant-narrow.png")).await;
    browser.finish().await;
}

/// Voltages from a file, which the page has, as it was and by a file of stimuli.
#[tokio::test]
async fn voltages_from_a_file_are_in_the_page() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(core) = core() else { return };
    let (core, folder) = (core.display().to_string(), place());
    let names = ["again-volts.elf", "again-press.csv", "again-list.txt", "again-volts.html"];
    let [elf, volts, list, page] = names.map(|name| folder.join(name).display().to_string());
    std::fs::write(&elf, cyclescope::example_image(IMAGE).expect("it is bundled")).expect("it is written");
    std::fs::write(&volts, "0.3\n3.3\n").expect("it is written");
    let stimulus = format!("at 90ms pin PA0 samples {volts} every 10ms\nat 100ms pin PC13 low");
    std::fs::write(&list, format!("{stimulus}\n")).expect("it is written");
    let report = ["report", "--run", &elf, "--chip", "stm32c031c6", "--for", "300ms", "--span", SPAN, "--out", &page];
    super::cyclescope(&[&report[..], &["--stimulus", &format!("@{list}"), "--core", &core]].concat()).success();
    let browser = Browser::at(Path::new(&page), (1280, 1000)).await;
    browser.click(".again summary").await;
    browser.click("form.again-form button[type=submit]").await;
    let (file, stimuli, spans) = done(&browser).await;
    assert_eq!(stimuli, stimulus);
    assert!(file.contains("\"irq\"") && file == records(&elf, "shipped", &stimuli, &spans), "with its voltages");
    // One that the page does not have.
    browser.run(FILL, vec![json!("stimulus"), json!("at 90ms pin PA0 samples other.csv every 10ms")]).await;
    browser.click("form.again-form button[type=submit]").await;
    done(&browser).await;
    let told = browser.texts(".results .lines li").await.concat();
    assert!(told.ends_with("other.csv cannot be read: it is none of the files beside the firmware"), "{told}");
    browser.finish().await;
}

/// A file without symbols is run as it is.
#[tokio::test]
async fn intel_hex_runs_there_too() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(core) = core() else { return };
    let (core, folder) = (core.display().to_string(), place());
    let [hex, page] = ["again.hex", "again-hex.html"].map(|name| folder.join(name).display().to_string());
    let elf = cyclescope::example_image(IMAGE).expect("it is bundled");
    std::fs::write(&hex, intel_hex(&loaded(&elf))).expect("it is written");
    let report = ["report", "--run", &hex, "--chip", "stm32c031c6", "--for", "300ms", "--stimulus", PRESS];
    super::cyclescope(&[&report[..], &["--span", SPAN, "--out", &page, "--core", &core]].concat()).success();
    let browser = Browser::at(Path::new(&page), (1280, 1000)).await;
    browser.click(".again summary").await;
    browser.click("form.again-form button[type=submit]").await;
    let (file, stimuli, spans) = done(&browser).await;
    assert!(!file.is_empty() && file == records(&hex, "shipped", &stimuli, &spans));
    browser.finish().await;
}

/// A number's dialog runs its image, with its own stimuli and spans.
#[tokio::test]
async fn the_dialog_of_a_number_runs_it() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(core) = core() else { return };
    let (core, folder) = (core.display().to_string(), place());
    let [elf, results, page] = ["again-number.elf", "again-number.json", "again-number.html"]
        .map(|name| folder.join(name).display().to_string());
    std::fs::write(&elf, cyclescope::example_image(IMAGE).expect("it is bundled")).expect("it is written");
    let wanted = records(&elf, "ideal", "at 110ms pin PC13 low", SPAN);
    std::fs::write(&results, &wanted).expect("it is written");
    let report =
        ["report", &results, "--run", &elf, "--chip", "stm32c031c6", "--for", "20ms", "--out", &page, "--core", &core];
    super::cyclescope(&report).success();
    let browser = Browser::at(Path::new(&page), (1280, 1000)).await;
    browser.click(".table tbody button.number").await;
    browser.find("dialog[open]").await;
    browser.click("#run-here").await;
    let (file, stimuli, spans) = done(&browser).await;
    assert_eq!((stimuli.as_str(), spans.as_str()), ("at 110ms pin PC13 low", SPAN));
    assert!(file == wanted, "the number's own run");
    browser.finish().await;
}
