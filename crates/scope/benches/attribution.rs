//! Measures millions of instructions a second with the counters of `trace` and `profile`, against the same run without
//! a sink and with a sink for each instruction: `cargo bench -p cyclescope-scope`.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Retire, Sink, State};
use cyclescope_scope::Attribution;
use divan::Bencher;
use divan::counter::ItemsCount;

/// Images that compute all the time: chip, image name, and length of the run in cycles.
const RUNS: &[(&str, &str, u64)] = &[
    ("primes-freertos-plain-s-stm32c031c6", "stm32c031c6", 20_000_000),
    ("primes-freertos-two-s-stm32f446ze", "stm32f446ze", 20_000_000),
    ("primes-c-plain-plain-3-stm32f446ze", "stm32f446ze", 20_000_000),
    ("switch-c-loop-plain-s-atmega328p", "atmega328p", 5_000_000),
];

/// A sink for the run.
#[derive(Clone, Copy, Debug)]
enum Who {
    Nobody,
    Blocks,
    Each,
}

/// Counts single instructions instead of blocks.
struct Each<'a, 'i>(&'a mut Attribution<'i>);

impl Sink for Each<'_, '_> {
    const OBSERVES: bool = true;
    fn retire(&mut self, retire: Retire) {
        self.0.retire(retire);
    }
    fn state(&mut self, state: State<'_>) {
        self.0.state(state);
    }
}

/// Runs for `cycles` with the sink that `who` names, and returns the number of instructions.
fn run(mut machine: Machine, image: &Image, cycles: u64, who: Who) -> u64 {
    let mut attribution = Attribution::new(image);
    attribution.open(machine.now());
    let until = machine.now() + Cycles::new(cycles);
    // Up to `until`, or to where the program ends.
    match who {
        Who::Nobody => machine.run(until),
        Who::Blocks => machine.run_into(until, &mut attribution),
        Who::Each => machine.run_into(until, &mut Each(&mut attribution)),
    };
    machine.instructions().get()
}

#[divan::bench(args = [Who::Nobody, Who::Blocks, Who::Each], consts = [0, 1, 2, 3], sample_count = 5, sample_size = 1)]
fn counters<const RUN: usize>(bencher: Bencher, who: &Who) {
    let (name, chip, cycles) = RUNS[RUN];
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    let image = Image::parse(&bundled.elf().expect("it unpacks")).expect("it is an ELF");
    let part = Part::find(chip).expect("a part of ours");
    let machine = Machine::load(part, Settings::default(), &image).expect("it starts");
    let instructions = run(machine.clone(), &image, cycles, Who::Nobody);
    bencher
        .counter(ItemsCount::new(instructions))
        .with_inputs(|| machine.clone())
        .bench_values(|machine| run(machine, &image, cycles, *who));
}

fn main() {
    println!("counters<N> runs:");
    for (number, (name, chip, cycles)) in RUNS.iter().enumerate() {
        println!("  {number}: {name} on {chip}, {cycles} cycles");
    }
    divan::main();
}
