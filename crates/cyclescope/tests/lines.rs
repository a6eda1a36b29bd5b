//! One part of every product line starts, at its reset clock: a program in C for its family counts interrupts and says so
//! (firmware/suites/boot).

use cyclescope_chips::Part;

use crate::common::{cyclescope, folder, suite, text};

#[test]
fn a_part_of_every_product_line_starts() {
    let (folder, mut failed) = (folder(), Vec::new());
    let lines = Part::product_lines();
    assert!(lines.len() > 30, "{} lines", lines.len());
    for line in lines {
        // Small packages lack PA9.
        let pins = |name: &&&str| Part::find(name).map_or(0, |part| part.pins().count());
        let part = *line.parts.iter().max_by_key(pins).expect("a line has parts");
        let family = &part[..7];
        let elf = suite(&format!("boot-{family}"));
        let output = cyclescope(folder.path(), &["exec", elf.to_str().expect("a path of text"), "--chip", part]);
        let (said, printed) = (text(&output.stderr), text(&output.stdout));
        if output.status.code() != Some(0) || printed != "ten ticks\n" || said.contains("model gap") {
            failed.push(format!("{} ({part}): {printed:?} {said}", line.name));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
