//! Compares two builds of one program: the gain in speed from optimisation, and its cost in flash.

use std::error::Error;

use cyclescope::Firmware;

/// The measurements of one build.
#[derive(Debug)]
struct Build {
    flash: u64,
    interrupt: u64,
    response: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    // Your project would read two files here: `Firmware::read(path)`.
    let small = build("button-embassy-interrupt-s-stm32c031c6")?;
    let fast = build("button-embassy-interrupt-3-stm32c031c6")?;
    println!("{:<24} {:>10} {:>10} {:>10}", "", "for size", "for speed", "change");
    let rows = [
        ("flash, bytes", small.flash, fast.flash),
        ("interrupt, cycles", small.interrupt, fast.interrupt),
        ("edge to task, cycles", small.response, fast.response),
    ];
    for (name, old, new) in rows {
        let change = 100.0 * (new as f64 - old as f64) / old as f64;
        println!("{name:<24} {old:>10} {new:>10} {change:>+9.1}%");
    }
    Ok(())
}

fn build(name: &str) -> Result<Build, Box<dyn Error>> {
    let image = cyclescope_images::images().iter().find(|image| image.name == name).ok_or("no such image")?;
    let firmware = Firmware::from_elf(name, &image.elf()?)?;
    let mut board = firmware.on("stm32c031c6")?;
    let interrupt = board.watch("interrupt=pin:PA0:rise..pin:PA0:fall")?;
    board.stimulate("at 100ms pin PC13 low")?;
    let response = board.measure("pin:PC13:fall", "symbol:cyclescope_button_runs")?.cycles();
    let flash = firmware.image().totals().flash.get();
    Ok(Build { flash, interrupt: board.longest(interrupt)?.cycles(), response })
}
