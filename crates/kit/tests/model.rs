//! The model runs the kit of every board and gives each sequence the sum of its rows.

use cyclescope_chips::{Machine, MemorySetting, Settings};
use cyclescope_image::Image;
use cyclescope_kit::{BOARDS, Kit, Log};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Stop};

/// Returns the output of the board's bundled program on the model.
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
    let gaps: Vec<_> = machine.gaps().iter().filter(|gap| !gap.quiet).map(|gap| gap.name.clone()).collect();
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
            let Some(expected) = sequence.expected.filter(|expected| *expected != took) else { continue };
            let (name, sum) = (&sequence.name, &sequence.sum);
            wrong.push(format!("{} {name}: {took}, expected {sum} = {expected}", board.name));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
