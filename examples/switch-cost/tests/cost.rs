//! Bounds the cost of a switch to another task and back, above an empty loop, for every pull request.

use cyclescope::{BoardError, Firmware, Setup};

/// The number of iterations of each of this firmware's loops.
const ROUNDS: u64 = 30_000;

/// Your project would read its own file: `Firmware::read("target/thumbv7em-none-eabihf/release/app")`.
fn firmware() -> Firmware {
    let name = "switch-lilos-plain-s-stm32f446ze";
    let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    Firmware::from_elf(name, &image.elf().expect("it unpacks")).expect("it is an ELF")
}

#[test]
fn a_switch_costs_at_most_so_much() -> Result<(), BoardError> {
    let mut board = Setup::new("stm32f446ze").limit("5s").start(&firmware())?;
    let mut row = || board.measure("symbol:cyclescope_start", "symbol:cyclescope_stop");
    let (empty, _direct, switching) = (row()?, row()?, row()?);
    let per_switch = (switching.cycles() - empty.cycles()) / ROUNDS;
    assert!(per_switch <= 200, "{per_switch} cycles a switch");
    Ok(())
}
