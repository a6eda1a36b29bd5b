//! Images on chips that they are not for, and what is said of a wait that cannot end.

use cyclescope_chips::{LoadError, Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Gap, GapKind};
use cyclescope_scope::waits_for;

/// The bundled image called `name`.
fn image(name: &str) -> Image {
    let image = cyclescope_images::images().iter().find(|image| image.name == name);
    let elf = image.expect("it is bundled").elf().expect("it is whole");
    Image::parse(&elf).expect("it is an image")
}

fn refused(name: &str, chip: &str) -> String {
    let part = Part::find(chip).expect("the chip is known");
    let error: LoadError = Machine::load(part, Settings::default(), &image(name)).expect_err("it is for another chip");
    error.to_string()
}

#[test]
fn an_image_for_another_core_or_another_avr_is_refused_by_name() {
    let (avr, arm) = ("switch-c-loop-plain-s-atmega328p", "primes-c-plain-plain-s-stm32c031c6");
    let other =
        "the image is built for atmega328p, not for atmega32u4; build it with -mmcu=atmega32u4, or choose that chip";
    assert_eq!(refused(avr, "atmega32u4"), other);
    assert_eq!(refused(avr, "stm32c031c6"), "the image is built for AVR (avr5), but stm32c031c6 is a Cortex-M0+");
    assert_eq!(refused(arm, "atmega328p"), "the image is built for 32-bit little-endian Arm, but atmega328p is an AVR");
    let part = Part::find("atmega328p").expect("the chip is known");
    assert!(Machine::load(part, Settings::default(), &image(avr)).is_ok());
}

#[test]
fn a_wait_for_what_the_model_lacks_names_the_register() {
    let image = image("switch-c-loop-plain-s-atmega328p");
    let gap = |name: &str, kind, count| Gap {
        kind,
        name: name.to_owned(),
        count,
        pc: Address::new(0),
        driver: Address::new(0),
        at: Cycles::ZERO,
        quiet: false,
        polled: None,
    };
    let few = [gap("ADCSRA", GapKind::RegisterRead, 999), gap("TWCR", GapKind::RegisterWrite, 50_000)];
    assert_eq!(waits_for(&few, &image), None);
    let many = [gap("ADCSRA", GapKind::RegisterRead, 1_000), gap("TWCR", GapKind::RegisterRead, 2_000)];
    let said = waits_for(&many, &image).expect("it waits");
    assert!(said.starts_with("it read TWCR 2,000 times, first at pc 0x00000000"), "{said}");
}
