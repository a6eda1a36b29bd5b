//! The functions for scripts.

use std::sync::{Mutex, PoisonError};

use cyclescope_machine::units::{Cycles, Picoseconds};
use js_sys::{Array, Function, Uint8Array};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::*;

use crate::answer::Answer;
use crate::beside::Beside;
use crate::request::Request;
use crate::run::Watcher;

/// The latest panic, in words.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps the words of a panic for [`panicked`].
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
}

/// Returns the words of the latest panic, which ended this instance; empty without one.
#[wasm_bindgen]
pub fn panicked() -> String {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Returns the name and the version of the core.
#[wasm_bindgen]
pub fn tool() -> String {
    cyclescope_guest::TOOL.to_owned()
}

/// Returns the chips as JSON: a list of `name` and `description`.
#[wasm_bindgen]
pub fn chips() -> String {
    serde_json::to_string(&crate::chips()).expect("it is text")
}

/// Looks at `file`, called `name`. Returns the facts as JSON, or an answer with `exit` and `messages`.
#[wasm_bindgen]
pub fn inspect(name: &str, file: &[u8]) -> String {
    match crate::inspect(name, file) {
        Ok(facts) => serde_json::to_string(&facts).expect("it is text"),
        Err(answer) => answer.json(),
    }
}

/// Returns the kinds of devices as JSON: a list of `name`, `summary` and `options`, each with its meaning.
#[wasm_bindgen]
pub fn devices() -> String {
    serde_json::to_string(&crate::devices()).expect("it is text")
}

/// Carries out `request` with `file` and returns the answer, both as JSON. `beside` is a list of other files, each a name and bytes.
/// Meanwhile `output` is called with bytes, and `progress`
/// with the cycle and the picoseconds since reset; if that returns something true, the run ends there.
#[wasm_bindgen]
pub fn run(request: &str, file: &[u8], beside: Array, output: Function, progress: Function) -> String {
    match Request::read(request) {
        Ok(request) => crate::run(&request, file, &files(&beside), &Callbacks { output, progress }).json(),
        Err(error) => Answer::refused(&error, None, cyclescope_guest::Exit::Usage).json(),
    }
}

/// Returns the files of a list of names and bytes. What is neither is left out.
fn files(list: &Array) -> Beside {
    let file = |entry: JsValue| {
        let pair = entry.dyn_into::<Array>().ok()?;
        Some((pair.get(0).as_string()?, pair.get(1).dyn_into::<Uint8Array>().ok()?.to_vec()))
    };
    list.iter().filter_map(file).collect()
}

/// The functions of a script that hear of a run.
struct Callbacks {
    output: Function,
    progress: Function,
}

impl Watcher for Callbacks {
    fn output(&self, bytes: &[u8]) {
        // An error in the page's own function ends nothing.
        let _ = self.output.call1(&JsValue::NULL, &Uint8Array::from(bytes));
    }

    fn progress(&self, cycle: Cycles, time: Picoseconds) -> bool {
        let (cycle, time) = (JsValue::from_f64(cycle.get() as f64), JsValue::from_f64(time.get() as f64));
        self.progress.call2(&JsValue::NULL, &cycle, &time).is_ok_and(|answer| answer.is_truthy())
    }
}
