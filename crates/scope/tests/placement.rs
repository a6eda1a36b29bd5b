//! Code placed elsewhere for timing only: the same work in another time, however the run is made.

use std::sync::Arc;

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Placement, Restore as _, Retire, Sink, Stop};
use cyclescope_scope::Attribution;

/// Programs that wait for flash, each with its chip, and one on a core that waits for words.
const PROGRAMS: [(&str, &str); 5] = [
    ("primes-freertos-two-3-stm32f446ze", "stm32f446ze"),
    ("primes-c-plain-two-3-stm32c031c6", "stm32c031c6"),
    ("primes-rust-plain-two-3-stm32f103c8", "stm32f103c8"),
    ("button-embassy-interrupt-3-stm32f446ze", "stm32f446ze"),
    ("syscall-freertos-yield-3-ibex", "ibex"),
];

const END: Cycles = Cycles::new(400_000);

fn image(name: &str) -> Image {
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    Image::parse(&bundled.elf().expect("a bundled image")).expect("a bundled image")
}

fn machine(image: &Image, chip: &str, placement: Option<&Arc<Placement>>) -> Machine {
    let settings = Settings { memory: MemorySetting::Shipped, ..Settings::default() };
    let mut machine = Machine::load(Part::find(chip).expect("a part of ours"), settings, image).expect("it starts");
    machine.place(placement.cloned());
    machine
}

/// All of the image's code moved by `by` bytes.
fn moved(image: &Image, by: u32) -> Arc<Placement> {
    let text = image.section(".text").expect("code");
    let from = text.address.get();
    Arc::new(Placement::new([(from..from + text.size.get() as u32, from + by)]))
}

/// Everything that a run is judged by.
fn state(machine: &mut Machine) -> (u64, u64, u32, Vec<u8>) {
    let pc = machine.pc().get();
    (machine.now().get(), machine.instructions().get(), pc, machine.memory().ram.bytes().to_vec())
}

/// Looks at each instruction.
struct Watching(u64);

impl Sink for Watching {
    const OBSERVES: bool = true;

    fn retire(&mut self, _: Retire) {
        self.0 += 1;
    }
}

#[test]
fn a_run_in_another_place_is_the_same_however_it_is_made() {
    for (name, chip) in PROGRAMS {
        let image = image(name);
        let placement = moved(&image, 22);
        let mut whole = machine(&image, chip, Some(&placement));
        whole.run(END);
        let expect = state(&mut whole);

        let mut cut = machine(&image, chip, Some(&placement));
        let mut copy = cut.clone();
        copy.place(None);
        for step in 1.. {
            let until = Cycles::new(step * 997).min(END);
            // A program that ends by itself does so once.
            if cut.run(until) != Stop::Horizon {
                break;
            }
            if step % 50 == 0 {
                // Into one that lay elsewhere.
                copy.restore(&cut);
                std::mem::swap(&mut cut, &mut copy);
            }
            if until == END {
                break;
            }
        }
        assert!(state(&mut cut) == expect, "{name}: cut into pieces");

        let mut single = machine(&image, chip, Some(&placement));
        let mut watching = Watching(0);
        single.run_into(END, &mut watching);
        assert!(state(&mut single) == expect && watching.0 == expect.1, "{name}: instruction by instruction");

        let mut counted = machine(&image, chip, Some(&placement));
        let mut attribution = Attribution::new(&image);
        attribution.open(Cycles::ZERO);
        counted.run_into(END, &mut attribution);
        assert!(state(&mut counted) == expect, "{name}: by counted blocks");
    }
}

#[test]
fn a_placement_changes_time_and_no_placement_none() {
    for (name, chip) in PROGRAMS {
        let image = image(name);
        let time = |placement: Option<&Arc<Placement>>| {
            let mut machine = machine(&image, chip, placement);
            machine.run(END);
            machine.instructions().get()
        };
        let linked = time(None);
        assert_eq!(time(Some(&moved(&image, 0))), linked, "{name}: moved by nothing");
        let others: Vec<u64> = (1..16).map(|by| time(Some(&moved(&image, 2 * by)))).collect();
        assert!(others.iter().any(|one| *one != linked), "{name}: {linked} instructions at every place");
    }
}
