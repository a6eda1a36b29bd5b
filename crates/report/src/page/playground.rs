//! The playground: a page that runs firmware by itself, with the core of cyclescope for a browser in it.

use askama::Template;

use super::contents::PageError;
use super::core::Core;
use super::policy::running;

/// Styles and scripts, in the order in which they are to be read.
const STYLES: [&str; 2] = [include_str!("../../assets/page.css"), include_str!("../../assets/playground/page.css")];
const SCRIPTS: [&str; 4] = [
    include_str!("../../assets/element.js"),
    include_str!("../../assets/asked.js"),
    include_str!("../../assets/playground/pins.js"),
    include_str!("../../assets/playground/page.js"),
];

#[derive(Template)]
#[template(path = "playground.html")]
struct Skeleton<'p> {
    policy: &'p str,
    style: &'p str,
    /// The worker's script as a JSON text without any character that means something in HTML.
    worker: &'p str,
    /// The module as base64 of an XZ file.
    core: &'p str,
    /// Its unpacker, as base64.
    unpacker: &'p str,
    script: &'p str,
}

/// Returns the playground with `core` as the text of one HTML file. The same core gives the same bytes.
///
/// # Errors
/// [`PageError`], which no core of this workspace has given.
pub fn playground(core: &Core) -> Result<String, PageError> {
    let script = format!("(() => {{\n\"use strict\";\n{}\n}})();\n", SCRIPTS.join("\n"));
    let skeleton = Skeleton {
        policy: &running(&[&script]),
        style: &STYLES.join("\n"),
        worker: &core.worker()?,
        core: core.module(),
        unpacker: core.unpacker(),
        script: &script,
    };
    Ok(skeleton.render()?)
}

#[cfg(test)]
mod tests {
    use super::{Core, playground};

    #[test]
    fn the_playground_carries_its_core_and_lets_nothing_out() {
        let core = Core::new("t", ("let wasm_bindgen = '</script><b>';", b"xz"), ("", b"\0asm"));
        let page = playground(&core).expect("it is made");
        assert!(!page.contains("</script><b>"), "the worker's script ends no element");
        let policy = page.split_once("Content-Security-Policy\" content=\"").expect("it has one").1;
        let policy = policy.split_once('"').expect("it ends").0;
        let policy = policy.replace("&#39;", "'").replace("&#x27;", "'");
        for part in ["default-src 'none'", "'wasm-unsafe-eval'", "worker-src blob:"] {
            assert!(policy.contains(part), "{policy}");
        }
        let scripts = policy.split("; ").find(|part| part.starts_with("script-src")).expect("scripts have a rule");
        assert!(!scripts.contains("unsafe-inline") && !policy.contains("connect-src"), "{policy}");
    }
}
