//! A machine for programs of a few instructions.

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Address;
use cyclescope_scope::{Plan, Rule};

/// The address of a program's first instruction.
pub const CODE: u32 = 0x0800_0100;

/// Returns an STM32C031 without wait states that runs `program` from [`CODE`]; all vectors lead there.
pub fn machine(program: &[u16]) -> Machine {
    let mut words = vec![CODE | 1; 0x40];
    words[0] = 0x2000_3000;
    let mut flash: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    flash.extend(program.iter().flat_map(|halfword| halfword.to_le_bytes()));
    let part = Part::find("stm32c031c6").expect("a part of ours");
    let settings = Settings { memory: MemorySetting::Ideal, ..Settings::default() };
    Machine::new(part, settings, [(Address::new(0x0800_0000), &flash[..])]).expect("it starts")
}

/// Returns an image without anything that the tests look for.
pub fn image() -> Image {
    let elf = cyclescope_images::images()[0].elf().expect("a bundled image");
    Image::parse(&elf).expect("a bundled image")
}

/// Returns the stimuli that `texts` describe.
pub fn plan(image: &Image, texts: &[impl AsRef<str>]) -> Plan {
    let rules: Vec<Rule> = texts.iter().map(|text| text.as_ref().parse().expect("a rule")).collect();
    Plan::resolve(&rules, image, &[]).expect("a plan")
}
