//! The playground in a real browser: its records are the command's, byte for byte.
//!
//! `CYCLESCOPE_PLAYGROUND=FILE.html` names the page, which `cargo xtask wasm --playground FILE.html` makes.

use std::path::{Path, PathBuf};

use fantoccini::key::Key;
use serde_json::json;

use super::browser::Browser;
use super::contents::{intel_hex, loaded};
use super::{place, tools};

/// A run to make in both: a bundled image, its chip, the time, and the stimuli.
struct Both {
    image: &'static str,
    chip: &'static str,
    time: &'static str,
    stimuli: &'static [&'static str],
    spans: &'static [&'static str],
}

/// One image of each instruction set.
const RUNS: [Both; 4] = [
    Both {
        image: "button-c-plain-interrupt-s-stm32c031c6",
        chip: "stm32c031c6",
        time: "300ms",
        stimuli: &["at 100ms pin PC13 low", "at 150ms pin PC13 high"],
        spans: &["irq=pin:PC13:fall..exception:EXTI4_15:returned"],
    },
    Both { image: AVR, chip: "atmega328p", time: "20ms", stimuli: &[], spans: &[] },
    Both { image: RISCV, chip: "litex-vexriscv", time: "20ms", stimuli: &[], spans: &[] },
    Both { image: XTENSA, chip: "esp32", time: "20ms", stimuli: &[], spans: &[] },
];

const AVR: &str = "switch-freertos-plain-s-atmega328p";
const RISCV: &str = "syscall-freertos-yield-s-litex-vexriscv";
const XTENSA: &str = "switch-freertos-plain-s-esp32";

/// Returns the page, if it was made.
fn playground() -> Option<PathBuf> {
    let path = std::env::var_os("CYCLESCOPE_PLAYGROUND").map(PathBuf::from);
    if path.is_none() {
        eprintln!("left out: CYCLESCOPE_PLAYGROUND names no page; cargo xtask wasm --playground FILE.html makes one");
    }
    path.map(|path| path.canonicalize().expect("the page is there"))
}

async fn fill(browser: &Browser, id: &str, text: &str) {
    let script = "const field = document.getElementById(arguments[0]); field.value = arguments[1]; \
                  field.dispatchEvent(new Event('input', {bubbles: true}))";
    browser.run(script, vec![json!(id), json!(text)]).await;
}

async fn choose(browser: &Browser, elf: &Path) {
    let field = browser.find("#file").await;
    field.send_keys(&elf.display().to_string()).await.expect("the file is chosen");
}

/// Returns what the page has of `command`, or `None` for a command that wrote no file.
async fn written(browser: &Browser, command: &str) -> (Option<String>, i64) {
    browser.find(&format!("#{command}[data-exit]")).await;
    let script = "return [document.getElementById(arguments[0]).dataset.file, Number(document.getElementById(arguments[0]).dataset.exit)]";
    let value = browser.run(script, vec![json!(command)]).await;
    let text = value[0].as_str().expect("it is text");
    ((!text.is_empty()).then(|| text.to_owned()), value[1].as_i64().expect("it is a number"))
}

#[tokio::test]
async fn records_made_in_the_browser_are_those_of_the_command() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(page) = playground() else { return };
    let browser = Browser::at(&page, (1280, 1000)).await;
    for (index, run) in RUNS.iter().enumerate() {
        let elf = place().join(format!("{}.elf", run.image));
        std::fs::write(&elf, cyclescope::example_image(run.image).expect("it is bundled")).expect("it is written");
        browser.run("delete document.documentElement.dataset.inspected", vec![]).await;
        choose(&browser, &elf).await;
        browser.find("html[data-inspected][data-busy=false]").await;
        fill(&browser, "chip", run.chip).await;
        fill(&browser, "for", run.time).await;
        fill(&browser, "stimulus", &run.stimuli.join("\n")).await;
        fill(&browser, "span", &run.spans.join("\n")).await;
        browser.click("#run").await;
        browser.find("html[data-done=true][data-busy=false]").await;
        let file = elf.display().to_string();
        let mut options = vec!["--chip", run.chip, "--for", run.time, "--format", "json"];
        options.extend(run.stimuli.iter().flat_map(|stimulus| ["--stimulus", *stimulus]));
        let spans = run.spans.iter().flat_map(|span| ["--span", *span]);
        // Without a span the command measures only for a trace, which a page always keeps.
        let vcd = place().join("playground.vcd").display().to_string();
        let measure = [&["measure", &file], options.as_slice(), &spans.collect::<Vec<_>>(), &["--vcd", &vcd]].concat();
        let same = [
            ("measure", measure),
            ("profile", [&["profile", &file], options.as_slice()].concat()),
            ("tasks", [&["tasks", &file], options.as_slice()].concat()),
            ("size", vec!["size", &file, "--format", "json"]),
        ];
        for (command, arguments) in same {
            let output = super::cyclescope(&arguments).get_output().clone();
            let (file, exit) = written(&browser, command).await;
            assert_eq!(i64::from(output.status.code().expect("it ended")), exit, "{command} of {}", run.image);
            let expected = String::from_utf8(output.stdout).expect("it is text");
            assert!(file.unwrap_or_default() == expected, "{command} of {} differs", run.image);
        }
        if index == 0 {
            let output = browser.texts("#measure-table tbody th").await;
            assert!(output.iter().any(|name| name == "span irq"), "{output:?}");
            browser.show("#pins canvas").await;
            browser.picture(&place().join("playground.png")).await;
        }
    }
    let policy = browser.run("return document.querySelector('meta[http-equiv]').content", vec![]).await;
    assert!(policy.as_str().is_some_and(|policy| !policy.contains("connect-src")), "{policy}");
    browser.finish().await;
}

/// Intel HEX, a chip that a file describes, a display, and what is typed: once in the field, once in the console.
#[tokio::test]
async fn files_without_symbols_devices_and_typing_are_the_commands_too() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(page) = playground() else { return };
    let browser = Browser::at(&page, (1280, 1000)).await;
    let folder = place();
    let inspected = async |file: &Path| {
        browser.run("delete document.documentElement.dataset.inspected", vec![]).await;
        choose(&browser, file).await;
        browser.find("html[data-inspected][data-busy=false]").await;
    };
    let run = async || {
        browser.click("#run").await;
        browser.find("html[data-done=true][data-busy=false]").await;
    };
    let same = async |what: &str, arguments: &[&str]| {
        let output = super::cyclescope(arguments).get_output().clone();
        let (file, exit) = written(&browser, what).await;
        assert_eq!(i64::from(output.status.code().expect("it ended")), exit, "{arguments:?}");
        assert!(file.unwrap_or_default().as_bytes() == output.stdout, "{arguments:?} differs");
    };

    let elf = folder.join("playground-display.elf");
    let image = cyclescope::example_image("display-c-registers-spi-3-stm32c031c6").expect("it is bundled");
    std::fs::write(&elf, image).expect("it is written");
    let chip = folder.join("playground-mine.toml");
    std::fs::write(&chip, "name = \"mine\"\nbase = \"stm32c031c6\"\nflash_kib = 64\n").expect("it is written");
    inspected(&elf).await;
    browser.click("details.more summary").await;
    browser.find("#beside").await.send_keys(&chip.display().to_string()).await.expect("the file is chosen");
    browser.find("html[data-beside='1']").await;
    let device = "ssd1306:spi,name=oled@sck=PA5,mosi=PA7,cs=PA4,dc=PA3";
    fill(&browser, "chip", "playground-mine.toml").await;
    fill(&browser, "for", "10ms").await;
    fill(&browser, "attach", device).await;
    run().await;
    let [file, vcd, toml] = [&elf, &folder.join("playground.vcd"), &chip].map(|path| path.display().to_string());
    let options = ["--chip", &toml, "--for", "10ms", "--attach", device, "--format", "json"];
    same("measure", &[&["measure", &file, "--vcd", &vcd], &options[..]].concat()).await;
    same("profile", &[&["profile", &file], &options[..]].concat()).await;
    assert!(browser.number("document.querySelectorAll('#shown-devices img').length").await > 1.0);
    browser.show("#shown-devices").await;
    browser.picture(&folder.join("playground-display.png")).await;

    let hex = folder.join("playground.hex");
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/desk-arm.elf");
    std::fs::write(&hex, intel_hex(&loaded(&std::fs::read(suite).expect("it is there")))).expect("it is written");
    inspected(&hex).await;
    let told = browser.find("#status").await.text().await.expect("it is text");
    assert!(told.ends_with("the image names no chip; choose one."), "{told}");
    fill(&browser, "attach", "").await;
    fill(&browser, "chip", "stm32f446re").await;
    fill(&browser, "for", "100ms").await;
    fill(&browser, "port", "usart2").await;
    fill(&browser, "input", "hell").await;
    run().await;
    assert!(browser.texts("#console").await[0].ends_with(">hell"), "{:?}", browser.texts("#console").await);
    // Another line, typed in the console with the keyboard alone.
    browser.run("document.getElementById('typed').focus()", vec![]).await;
    browser.type_text("o you").await;
    browser.run("delete document.documentElement.dataset.done", vec![]).await;
    browser.press(Key::Enter).await;
    browser.find("html[data-done=true][data-busy=false]").await;
    let [file, record, outcome] =
        [hex.clone(), folder.join("typed.txt"), folder.join("typed.json")].map(|path| path.display().to_string());
    let options = ["--chip", "stm32f446re", "--for", "100ms"];
    let exec =
        [&["exec", &file, "--port", "usart2=-", "--record", &record, "--outcome", &outcome], &options[..]].concat();
    let mut command = assert_cmd::Command::cargo_bin("cyclescope").expect("it is built");
    let output = command.args(&exec).write_stdin("hello you\n").assert().get_output().clone();
    let (outcome_here, exit) = written(&browser, "exec").await;
    assert_eq!(i64::from(output.status.code().expect("it ended")), exit);
    assert!(outcome_here == Some(std::fs::read_to_string(&outcome).expect("it was written")), "the outcomes differ");
    assert_eq!(browser.texts("#console").await, [String::from_utf8_lossy(&output.stdout)]);
    let typed = format!("@{record}");
    let measure = ["measure", &file, "--vcd", &vcd, "--stimulus", &typed, "--format", "json"];
    same("measure", &[&measure, &options[..]].concat()).await;
    let focus = browser.run("return document.activeElement.id", vec![]).await;
    assert_eq!(focus, "typed", "the next line can be typed");
    browser.show("#typing").await;
    browser.picture(&folder.join("playground-typing.png")).await;
    // A link holds it all.
    let link = browser.run("return location.hash", vec![]).await.as_str().expect("it is text").to_owned();
    for part in ["image=", "chip=stm32f446re", "input=hello+you%0A", "port=usart2"] {
        assert!(link.contains(part), "{part}: {link}");
    }
    browser.dark(true).await;
    browser.size(390, 844).await;
    browser.show("#attach").await;
    browser.picture(&folder.join("playground-narrow.png")).await;
    let over = browser.number("document.documentElement.scrollWidth - innerWidth").await;
    assert!(over <= 0.0, "the page is {over} pixels wider than a phone");
    browser.finish().await;
}

/// Another clock and another layout, the next one by its button, voltages and stimuli of dropped files, and a link to all that.
#[tokio::test]
async fn clocks_layouts_and_files_of_voltages_are_the_commands_too() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(page) = playground() else { return };
    let browser = Browser::at(&page, (1280, 1000)).await;
    let folder = place();
    let [elf, volts, list] =
        ["playground-variant.elf", "playground-volts.csv", "playground-list.txt"].map(|name| folder.join(name));
    std::fs::write(&elf, cyclescope::example_image(RUNS[0].image).expect("it is bundled")).expect("it is written");
    std::fs::write(&volts, "0.3\n3.3\n").expect("it is written");
    let stimulus = "at 90ms pin PA0 samples playground-volts.csv every 10ms\nat 100ms pin PC13 low";
    std::fs::write(&list, format!("{stimulus}\n")).expect("it is written");
    choose(&browser, &elf).await;
    browser.find("html[data-inspected][data-busy=false]").await;
    browser.click("details.more summary").await;
    for (file, count) in [(&volts, "1"), (&list, "2")] {
        browser.find("#beside").await.send_keys(&file.display().to_string()).await.expect("the file is chosen");
        browser.find(&format!("html[data-beside='{count}']")).await;
    }
    fill(&browser, "chip", RUNS[0].chip).await;
    fill(&browser, "for", "300ms").await;
    fill(&browser, "stimulus", "@playground-list.txt").await;
    fill(&browser, "span", RUNS[0].spans[0]).await;
    fill(&browser, "clock", "16_000_000").await;
    fill(&browser, "layout", "2:2").await;
    // Chip and time are there, so that the next layout is run at once.
    browser.click(".with-button button").await;
    browser.find("html[data-done=true][data-busy=false]").await;
    let file = elf.display().to_string();
    let plain = ["--chip", "stm32c031c6", "--for", "300ms", "--stimulus", "@playground-list.txt", "--format", "json"];
    let varied = [&plain[..], &["--clock", "16000000", "--layout", "3:2"]].concat();
    let span = ["--span", RUNS[0].spans[0]];
    let run = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("cyclescope").expect("it is built");
        let output = command.current_dir(&folder).args(arguments).assert().success().get_output().clone();
        String::from_utf8(output.stdout).expect("it is text")
    };
    let own = run(&[&["measure", &file], &plain[..], &span].concat());
    for (command, more) in [("measure", &span[..]), ("profile", &[])] {
        let wanted = run(&[&[command, &file], &varied[..], more].concat());
        let (written, _) = written(&browser, command).await;
        assert!(written.as_ref() == Some(&wanted) && wanted != own, "{command} differs");
        assert!(wanted.contains("\"3:2\"") && wanted.contains("\"16000000\""), "{wanted}");
    }
    let told = browser.texts("#command").await.concat();
    assert!(told.contains("--clock 16_000_000 --layout 3:2") && told.contains("@playground-list.txt"), "{told}");
    browser.show("#clock").await;
    browser.picture(&folder.join("playground-variant.png")).await;
    let link = browser.run("return location.hash", vec![]).await.as_str().expect("it is text").to_owned();
    for part in ["clock=16_000_000", "layout=3%3A2"] {
        assert!(link.contains(part), "{part}: {link}");
    }

    // What there is not is told in the command's words.
    for (field, value, says) in [
        ("clock", "3", "error: the clock 3: stm32c031c6: hse_hz must be"),
        ("clock", "8MHz", "error: invalid value '8MHz' for '--clock <HZ>': it is no number of hertz"),
        ("layout", "x", "error: invalid value 'x' for '--layout <N[:SEED]>': it is no layout"),
    ] {
        fill(&browser, "clock", "").await;
        fill(&browser, "layout", "").await;
        fill(&browser, field, value).await;
        browser.click("#run").await;
        browser.find("html[data-done=true][data-busy=false]").await;
        let told = browser.texts("#measure-messages li").await.join("\n");
        assert!(told.starts_with(says), "{told}");
    }

    // No tests of a suite run here.
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/embedded-passing.elf");
    choose(&browser, &suite).await;
    browser.find("html[data-inspected][data-busy=false]").await;
    let told = browser.find("#status").await.text().await.expect("it is text");
    assert!(told.contains("It is a suite of embedded-test, and a page runs no tests"), "{told}");

    // A link fills the fields.
    browser.open(&page).await;
    browser.run("location.hash = arguments[0]; location.reload()", vec![json!(link)]).await;
    browser.find("html[data-ready=true]").await;
    let fields = browser.run("return ['clock', 'layout'].map((id) => document.getElementById(id).value)", vec![]).await;
    assert_eq!(fields, json!(["16_000_000", "3:2"]));

    browser.dark(true).await;
    browser.size(390, 844).await;
    browser.show("#layout").await;
    let over = browser.number("document.documentElement.scrollWidth - innerWidth").await;
    assert!(over <= 0.0, "the page is {over} pixels wider than a phone");
    browser.picture(&folder.join("playground-variant-narrow.png")).await;
    browser.finish().await;
}

#[tokio::test]
async fn a_run_is_stopped_and_a_wrong_file_is_told_of() {
    if !tools::wanted("chromedriver") {
        return;
    }
    let Some(page) = playground() else { return };
    let browser = Browser::at(&page, (900, 900)).await;
    let wrong = place().join("playground-wrong.elf");
    std::fs::write(&wrong, "no ELF").expect("it is written");
    choose(&browser, &wrong).await;
    let told = browser.find("#status.bad").await.text().await.expect("it is text");
    assert!(told.starts_with("error: playground-wrong.elf: "), "{told}");
    assert_eq!(browser.run("return document.getElementById('run').disabled", vec![]).await, true);

    let run = &RUNS[0];
    let elf = place().join("playground-long.elf");
    std::fs::write(&elf, cyclescope::example_image(RISCV).expect("it is bundled")).expect("it is written");
    choose(&browser, &elf).await;
    browser.find("html[data-inspected][data-busy=false]").await;
    fill(&browser, "chip", RUNS[2].chip).await;
    fill(&browser, "stimulus", "at 1ms pin").await;
    browser.click("#run").await;
    browser.find("html[data-done=true]").await;
    let told = browser.texts("#measure-messages li").await.join("\n");
    assert!(told.starts_with("error: invalid value 'at 1ms pin' for '--stimulus <STIMULUS>': "), "{told}");

    fill(&browser, "stimulus", "").await;
    fill(&browser, "for", "1000000s").await;
    browser.click("#run").await;
    browser.find("html[data-busy=true]").await;
    browser.click("#stop").await;
    browser.find("html[data-busy=false]").await;
    assert_eq!(browser.run("return document.getElementById('run').disabled", vec![]).await, false);
    fill(&browser, "for", run.time).await;
    browser.click("#run").await;
    browser.find("html[data-done=true]").await;
    browser.finish().await;
}
