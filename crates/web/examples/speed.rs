//! Carries out a measurement without a browser and says how fast: the figure beside that of the page.
//!
//! `cargo run --profile wasm -p cyclescope-web --example speed -- FILE CHIP TIME`

use std::time::Instant;

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_web::{Beside, Request, Watcher, run};
use serde_json::{Value, json};

/// Hears nothing.
struct Deaf;

impl Watcher for Deaf {
    fn output(&self, _: &[u8]) {}

    fn progress(&self, _: Cycles, _: Picoseconds) -> bool {
        false
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, chip, time] = arguments.as_slice() else { return Err("give FILE CHIP TIME".into()) };
    let bytes = std::fs::read(file)?;
    let request = json!({"command": "measure", "name": file, "chip": chip, "for": time, "timeline": true});
    let request = Request::read(&request.to_string())?;
    let begun = Instant::now();
    let answer = run(&request, &bytes, &Beside::new(), &Deaf);
    let seconds = begun.elapsed().as_secs_f64();
    let records: Value = serde_json::from_str(answer.file.as_deref().ok_or_else(|| answer.messages.join("\n"))?)?;
    let all = records["records"].as_array().ok_or("the file has no records")?;
    let instructions = all.iter().find(|record| record["metric"] == "instructions");
    let instructions = instructions.and_then(|record| record["mean"].as_f64()).ok_or("the file has no instructions")?;
    println!("{:.1} million instructions a second", instructions / seconds / 1e6);
    Ok(())
}
