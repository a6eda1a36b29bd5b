//! The model runs the kit of every board, and gives for each sequence the sum of its rows.

use cyclescope_chips::{Machine, MemorySetting, Settings};
use cyclescope_image::Image;
use cyclescope_kit::{BOARDS, Kit, Log};
use cyclescope_machine::{Channel, Stop, Target};
use cyclescope_units::Cycles;

/// What the model is known to get wrong, and why; each fails the test once it is right.
const KNOWN: &[(&str, &str, &str)] = &[(
    "stm32f446ze",
    "flash.prefetch.alternating",
    "FlashInterface queues a read ahead behind each that is under way, and the last line waits for all of them",
)];

/// What the board's bundled program prints on the model.
fn printed(kit: &Kit) -> String {
    let bundled = cyclescope_images::images()
        .iter()
        .find(|image| (image.experiment, image.board) == ("kit", kit.board.name))
        .unwrap_or_else(|| panic!("no kit is bundled for {}", kit.board.name));
    let elf = bundled.elf().expect("it unpacks");
    let image = Image::parse(&elf).expect("it is an image");
    let settings =
        Settings { memory: MemorySetting::Shipped, halt_on_fault: true, halt_on_reset: true, ..Settings::default() };
    let mut machine = Machine::load(kit.part, settings, &image).expect("it fits");
    let stop = machine.run(Cycles::new(2_000_000_000));
    let channel = bundled.channel.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number");
    let text = String::from_utf8_lossy(&machine.shared().console.bytes(Channel::Uart(channel))).into_owned();
    assert!(matches!(stop, Stop::Deadlock(_)), "{}: {stop:?} at {}\n{text}", kit.board.name, machine.pc());
    let gaps: Vec<_> = machine.gaps().iter().map(|gap| gap.name.to_string()).collect();
    assert!(gaps.is_empty(), "{}: {gaps:?}", kit.board.name);
    text
}

#[test]
fn every_sequence_takes_the_sum_of_its_rows_on_the_model() {
    let mut wrong = Vec::new();
    for board in BOARDS {
        let kit = Kit::of(board.name).expect("the board has a kit");
        let log = Log::read(&printed(&kit)).expect("the program's own lines");
        assert_eq!((log.chip.as_str(), log.version.as_str()), (board.name, kit.version().as_str()), "build the images");
        assert_eq!(log.cycles.len(), kit.sequences.len(), "{}", board.name);
        for sequence in &kit.sequences {
            let took = log.cycles[&sequence.name];
            let known = KNOWN.iter().find(|(on, name, _)| (*on, *name) == (board.die, sequence.name.as_str()));
            if let (Some((_, name, why)), true) = (known, took == sequence.expected) {
                wrong.push(format!("{} {name} is right now: take it out of KNOWN ({why})", board.name));
            }
            if known.is_none() && took != sequence.expected {
                let (name, sum, expected) = (&sequence.name, &sequence.sum, sequence.expected);
                wrong.push(format!("{} {name}: {took}, expected {sum} = {expected}", board.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
