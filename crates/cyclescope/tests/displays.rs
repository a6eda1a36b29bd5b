//! Pictures of displays: in files, in the terminal and on the page.

use std::path::Path;

use crate::common::{cyclescope, folder, text};

const CHIP: [&str; 2] = ["--chip", "stm32c031c6"];
const PINS: &str = "sck=PA5,mosi=PA7,cs=PA4,dc=PA3";

/// The display program on SPI as `app.elf`.
fn program(folder: &Path) {
    let name = "display-c-registers-spi-3-stm32c031c6";
    let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("it is bundled");
    std::fs::write(folder.join("app.elf"), image.elf().expect("it unpacks")).expect("the folder is ours");
}

#[test]
fn an_attached_display_leaves_its_frames_and_its_last_picture() {
    let folder = folder();
    program(folder.path());
    let device = format!("ssd1306:spi,name=oled,save=last.png,frames=a/b@{PINS}");
    let arguments = [&["exec", "app.elf", "--attach", &device], CHIP.as_slice()].concat();
    let output = cyclescope(folder.path(), &arguments);
    let said = text(&output.stderr);
    assert!(said.contains("wrote 8 frames of oled to a/b"), "{said}");
    assert!(!said.contains('┌'), "no terminal: {said}");
    let read = |path: &Path| std::fs::read(path).expect("it was written");
    let files = std::fs::read_dir(folder.path().join("a/b")).expect("it was made");
    let mut files: Vec<_> = files.map(|file| file.expect("it is there").path()).collect();
    files.sort();
    assert_eq!(files.len(), 8);
    let name = files[7].file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(name.starts_with("oled-0008-") && name.ends_with("ms.png"), "{name}");
    assert!(read(&files[0]).starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_ne!(read(&files[0]), read(&files[1]), "the box moves");
    assert_eq!(read(&files[7]), read(&folder.path().join("last.png")));
}

#[test]
fn the_picture_on_an_attached_display_is_shown_where_it_is_asked_for() {
    let folder = folder();
    program(folder.path());
    let device = format!("ssd1306:spi@{PINS}");
    for (when, shown) in [("always", true), ("never", false), ("auto", false)] {
        let arguments = [&["exec", "app.elf", "--attach", &device, "--picture", when], CHIP.as_slice()].concat();
        let said = text(&cyclescope(folder.path(), &arguments).stderr);
        assert_eq!(said.matches('│').count(), if shown { 64 } else { 0 }, "{when}: {said}");
        assert_eq!(said.contains("▄▄▄▄"), shown, "{when}: the line below the text");
    }
}

#[test]
fn the_page_has_a_strip_of_an_attached_displays_frames_and_a_lane_of_transfers() {
    let folder = folder();
    program(folder.path());
    let device = format!("ssd1306:spi,name=oled@{PINS}");
    let report = ["report", "--run", "app.elf", "--for", "10ms", "--out", "page.html", "--attach", &device];
    let output = cyclescope(folder.path(), &[report.as_slice(), CHIP.as_slice()].concat());
    let page = std::fs::read_to_string(folder.path().join("page.html"));
    let page = page.unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let pictures = page.matches("<img src=\"data:image/png;base64,").count();
    assert!((5..8).contains(&pictures), "{pictures} frames in 10 ms");
    assert!(page.contains("What oled showed"));
    assert!(page.contains(r#""name":"SPI1","kind":"transfer","segments":[["#));
}
