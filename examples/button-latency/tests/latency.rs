//! Bounds the time from the edge on the button's pin to the task that handles it, for every press.

use cyclescope::{BoardError, Firmware, Setup};

/// Your project would read its own file: `Firmware::read("target/thumbv6m-none-eabi/release/app")`.
fn firmware() -> Firmware {
    let name = "button-freertos-interrupt-s-stm32c031c6";
    let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    Firmware::from_elf(name, &image.elf().expect("it unpacks")).expect("it is an ELF")
}

#[test]
fn one_press_is_answered_in_time() -> Result<(), BoardError> {
    let mut board = firmware().on("stm32c031c6")?;
    board.stimulate("at 100ms pin PC13 low")?;
    let span = board.measure("pin:PC13:fall", "symbol:cyclescope_button_runs")?;
    assert!(span.cycles() <= 1_200, "{} cycles, {:?}", span.cycles(), span.time());
    Ok(())
}

#[test]
fn twenty_presses_are_answered_in_time_and_none_is_lost() -> Result<(), BoardError> {
    let mut board = Setup::new("stm32c031c6")
        .limit("8s")
        .stimulus("presses 20 of PC13 low from 100ms gap 20ms..150ms seed 7")
        .start(&firmware())?;
    let response = board.watch("response=pin:PC13:edge..symbol:cyclescope_button_runs")?;
    board.run_for("7s")?;
    assert_eq!(board.spans(response)?.len(), 40, "presses and releases");
    let longest = board.longest(response)?;
    assert!(longest.cycles() <= 1_500, "{} cycles, from cycle {} on", longest.cycles(), longest.start());
    assert!(board.gaps().is_empty(), "the model lacks something: {:?}", board.gaps());
    Ok(())
}
