//! `image`: a bundled program as a file, and its facts.

use crate::common;

use common::{cyclescope, elf, folder, text};

const NAME: &str = "button-freertos-interrupt-s-stm32c031c6";

#[test]
fn a_bundled_image_becomes_a_file_that_the_other_commands_take() {
    let folder = folder();
    let written = cyclescope(folder.path(), &["image", NAME, "--out", "button.elf"]);
    assert!(written.status.success() && written.stdout.is_empty(), "{}", text(&written.stderr));
    let said = text(&written.stderr);
    assert!(said.contains("`cyclescope exec button.elf --chip stm32c031c6` runs it"), "{said}");
    assert_eq!(std::fs::read(folder.path().join("button.elf")).expect("it was written"), elf(NAME));
    // Its chip is known by its bytes, and said.
    let ran = cyclescope(folder.path(), &["exec", "button.elf", "--for", "1ms"]);
    let told = format!("chip stm32c031c6, for which the bundled image {NAME} was built; --chip names another");
    assert!(ran.status.success() && text(&ran.stderr).contains(&told), "{}", text(&ran.stderr));
    let mut other = elf(NAME);
    other.push(0);
    std::fs::write(folder.path().join("other.elf"), other).expect("the folder is ours");
    let refused = cyclescope(folder.path(), &["exec", "other.elf", "--for", "1ms"]);
    assert!(!text(&refused.stderr).contains("bundled image"), "{}", text(&refused.stderr));
    let size = cyclescope(folder.path(), &["size", "button.elf"]);
    assert!(size.status.success(), "{}", text(&size.stderr));
}

#[test]
fn the_facts_of_an_image_say_what_it_was_built_with() {
    let folder = folder();
    let shown = cyclescope(folder.path(), &["image", NAME]);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    let table = text(&shown.stdout);
    for fact in ["V11.2.0", "interrupt", "arm-none-eabi-gcc", "-Os", "uart:usart2", "configTICK_RATE_HZ"] {
        assert!(table.contains(fact), "{fact}: {table}");
    }
    let page = cyclescope(folder.path(), &["image", NAME, "--format", "markdown"]);
    assert!(text(&page.stdout).contains("| mode | interrupt |"), "{}", text(&page.stdout));
}

#[test]
fn a_name_that_is_almost_right_is_answered_with_the_right_one() {
    let folder = folder();
    let wrong = cyclescope(folder.path(), &["image", "button-freertos-interupt-s-stm32c031c6"]);
    assert_eq!(wrong.status.code(), Some(2));
    let said = text(&wrong.stderr);
    assert!(said.contains(&format!("did you mean `{NAME}`?")) && said.contains("`cyclescope list images`"), "{said}");
    assert!(!folder.path().join("x.elf").exists());
}
