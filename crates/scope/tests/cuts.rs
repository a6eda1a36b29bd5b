//! The law of cuts over bundled images of the RP2040: where a run is cut changes nothing that can be told of the machine at any later
//! cycle. `CYCLESCOPE_CUTS` is the number of rounds, each with other cuts; one, if it is not set.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Restore, Stop};

/// Images with the cycles from which on they are cut, and for how long. In the first two the second core starts, or runs.
const IMAGES: [(&str, u64, u64); 5] = [
    ("primes-embassy-other-core-3-rp2040", 1_200_000, 900_000),
    ("primes-embassy-other-core-s-rp2040", 3_000_000, 300_000),
    ("primes-embassy-two-3-rp2040", 400_000, 600_000),
    ("primes-freertos-two-sliced-3-rp2040", 400_000, 600_000),
    ("switch-rtic-plain-3-rp2040", 200_000, 600_000),
];

/// The states that are compared in each.
const LOOKS: u64 = 6;

/// The most cycles between two cuts, one of which is chosen for each stretch between two looks.
const QUANTA: [u64; 4] = [7, 90, 1_500, 20_000];

/// Of this many cuts one goes on with a copy, or a machine that is restored.
const COPIES: u64 = 64;

/// The numbers of a xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// All that can be told of a machine.
#[derive(Debug, PartialEq, Eq)]
struct State {
    cores: Vec<(u64, u64, Vec<Option<u32>>)>,
    memory: u64,
    console: Vec<u8>,
    gaps: String,
}

fn state(machine: &mut Machine) -> State {
    let names: Vec<String> = (0..13).map(|number| format!("r{number}")).collect();
    let names = names.iter().map(String::as_str).chain(["sp", "lr", "pc", "xpsr", "msp", "psp", "primask", "control"]);
    let names: Vec<&str> = names.collect();
    let cores = [0, 1].map(|core| {
        machine.select_core(core);
        let position = machine.position(core);
        let registers = names.iter().map(|name| machine.register(name)).collect();
        (position.now.get(), position.instructions.get(), registers)
    });
    let bytes = machine.memory().ram.bytes().iter();
    let memory = bytes.fold(0, |sum: u64, byte| (sum.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x9E37_79B1));
    let console = machine.shared().console.runs().flat_map(|(_, bytes)| bytes).copied().collect();
    let gaps = format!("{:?}", machine.shared().gaps.all());
    State { cores: cores.into(), memory, console, gaps }
}

/// Runs on to `until`.
fn go(machine: &mut Machine, until: u64) {
    let stop = machine.run(Cycles::new(until));
    assert!(matches!(stop, Stop::Horizon | Stop::Deadlock(_)), "{stop:?}");
}

/// Runs the image `name` up to `from` and on for `length` cycles, whole and with cuts by `random`; returns the number of cuts.
fn compare(name: &str, from: u64, length: u64, random: &mut Random) -> u64 {
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    let image = Image::parse(&bundled.elf().expect("it unpacks")).expect("it is an ELF");
    let part = Part::find("rp2040").expect("a part of ours");
    let mut whole = Machine::load(part, Settings::default(), &image).expect("it starts");
    go(&mut whole, from);
    let (mut cut, mut other, mut at, mut cuts) = (whole.clone(), whole.clone(), from, 0);
    for look in (1..=LOOKS).map(|look| from + length * look / LOOKS) {
        let quantum = QUANTA[random.below(QUANTA.len() as u64) as usize];
        while at < look {
            at = (at + 1 + random.below(quantum)).min(look);
            go(&mut cut, at);
            cuts += 1;
            match random.below(COPIES) {
                0 if quantum > QUANTA[1] => cut = cut.clone(),
                1 => {
                    other.restore(&cut);
                    std::mem::swap(&mut cut, &mut other);
                }
                _ => {}
            }
        }
        go(&mut whole, look);
        // What is asked for when nothing runs changes nothing either.
        let (mut one, mut two) = (cut.clone(), whole.clone());
        assert_eq!(state(&mut one), state(&mut two), "{name} at {look}, cut each {quantum} cycles at most");
    }
    cuts
}

#[test]
fn no_cut_changes_the_state_of_bundled_images() {
    let rounds = std::env::var("CYCLESCOPE_CUTS").ok().map_or(1, |rounds| rounds.parse().expect("a number of rounds"));
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut cuts = 0;
    for _ in 0..rounds {
        for (name, from, length) in IMAGES {
            // Another stretch of the run in each round.
            cuts += compare(name, from + random.below(200_000), length, &mut random);
        }
    }
    println!("{rounds} rounds, {cuts} cuts");
}
