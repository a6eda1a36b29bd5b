//! The programs for PIO that come with an async HAL, one a module (firmware/suites/hal-rp): what is at the wires, as another decoder
//! reads it, and devices there.

use std::collections::BTreeMap;

use vcd::{Command as Change, Value};

use crate::common::{cyclescope, folder, suite, text};
use crate::hal::run;

const CHIP: &str = "rp2040";
/// Cycles of a microsecond at the clock that the HAL sets up.
const MICROSECOND: u64 = 125;

/// The edges at a program's pins.
pub struct Edges {
    /// Time, GPIO, level.
    all: Vec<(u64, u8, bool)>,
}

impl Edges {
    /// Those of `program` on the chip with further arguments, in cycles.
    fn of(program: &str, with: &[&str]) -> Self {
        Self::at("cycles", program, with)
    }

    /// The same in another unit of time.
    pub fn at(unit: &str, program: &str, with: &[&str]) -> Self {
        let folder = folder();
        let elf = suite(&format!("hal/{CHIP}/{program}"));
        let head = ["measure", elf.to_str().expect("a path of text"), "--chip", CHIP, "--for", "1s"];
        // Any span will do: the dump has all pins.
        let tail = ["--vcd", "pins.vcd", "--vcd-time", unit, "--span", "x=pin:GPIO2:rise..pin:GPIO2:fall"];
        let output = cyclescope(folder.path(), &[&head[..], with, &tail].concat());
        let dump = std::fs::read(folder.path().join("pins.vcd")).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        let mut parser = vcd::Parser::new(&dump[..]);
        let header = parser.parse_header().expect("a header");
        let pin = |number: u8| Some((header.find_var(&[CHIP, "pins", &format!("GPIO{number}")])?.code, number));
        let pins: BTreeMap<_, _> = (0..30).filter_map(pin).collect();
        let (mut now, mut all) = (0, Vec::new());
        for change in parser {
            match change.expect("it reads") {
                Change::Timestamp(at) => now = at,
                Change::ChangeScalar(wire, value) if now > 0 => {
                    all.extend(pins.get(&wire).map(|pin| (now, *pin, value == Value::V1)));
                }
                _ => {}
            }
        }
        Self { all }
    }

    /// The level of `pin` in the cycle before `at`.
    fn before(&self, pin: u8, at: u64) -> bool {
        let known = self.all.partition_point(|(when, ..)| *when < at);
        self.all[..known].iter().rfind(|(_, of, _)| *of == pin).is_some_and(|(.., high)| *high)
    }

    /// The times at which `pin` becomes `high`.
    pub fn to(&self, pin: u8, high: bool) -> Vec<u64> {
        self.all.iter().filter(|edge| (edge.1, edge.2) == (pin, high)).map(|(at, ..)| *at).collect()
    }
}

/// A nibble that a text display takes at a falling edge of E, or gives before it.
struct Nibble {
    at: u64,
    data: bool,
    reads: bool,
    value: u8,
}

/// The nibbles at the pins of the program, whose strobes are as long as the display needs them.
fn nibbles(edges: &Edges) -> Vec<Nibble> {
    let (rises, falls) = (edges.to(4, true), edges.to(4, false));
    let strobe = |(rose, fell): (&u64, &u64)| {
        // PWEH, 450 ns; the data stand still for as long.
        assert!(fell - rose >= 57, "{rose} to {fell}");
        let value = |at| (0..4).fold(0, |value, bit| value | u8::from(edges.before(6 + bit, at)) << bit);
        assert_eq!(value(*rose + 1), value(*fell), "at {rose}");
        Nibble { at: *fell, data: edges.before(2, *fell), reads: edges.before(3, *fell), value: value(*fell) }
    };
    rises.iter().zip(&falls).map(strobe).collect()
}

/// A text display (Hitachi HD44780U, "Instructions"), as far as a program uses it that only writes.
#[derive(Default)]
struct Display {
    four_lines: bool,
    on: bool,
    /// The upper half of a byte whose lower one is to come.
    upper: Option<u8>,
    address: u8,
    text: BTreeMap<u8, u8>,
}

impl Display {
    fn take(&mut self, nibble: &Nibble) {
        if !self.four_lines {
            // The lower lines are at nothing.
            self.four_lines = nibble.value == 2;
            assert!([2, 3].contains(&nibble.value), "a function set: {}", nibble.value);
            return;
        }
        let Some(upper) = self.upper.take() else { return self.upper = Some(nibble.value) };
        let byte = upper << 4 | nibble.value;
        match byte {
            _ if nibble.data => {
                self.text.insert(self.address, byte);
                self.address += 1;
            }
            0x80.. => self.address = byte & 0x7F,
            0x20..0x40 => assert_eq!(byte & 0x18, 0x08, "four lines, two rows"),
            0x08..0x10 => self.on = byte & 4 != 0,
            0x01 => {
                self.text.clear();
                self.address = 0;
            }
            _ => panic!("the instruction {byte:#x}"),
        }
    }

    /// The characters of the rows.
    fn rows(&self) -> [String; 2] {
        [0, 0x40]
            .map(|first| (first..first + 16).map(|place| char::from(*self.text.get(&place).unwrap_or(&b' '))).collect())
    }
}

#[test]
fn a_text_display_gets_its_text_and_is_asked_if_it_is_busy() {
    run(CHIP, "pio_hd44780", &[]);
    let edges = Edges::of("pio_hd44780", &[]);
    let all = nibbles(&edges);
    // "Initializing by instruction": more than 4.1 ms, then 100 us.
    assert!(all[1].at - all[0].at > 4_100 * MICROSECOND && all[2].at - all[1].at > 100 * MICROSECOND);
    let mut display = Display::default();
    all.iter().filter(|nibble| !nibble.reads).for_each(|nibble| display.take(nibble));
    assert!(display.on && display.upper.is_none());
    assert_eq!(display.rows(), ["cyclescope      ", "HD44780 by PIO  "]);
    assert_eq!(display.address, 0x4F, "the cursor is at the end");

    // The display, which nothing plays here, tells by DB7 that it is busy from the first character on.
    let first = all.iter().find(|nibble| nibble.data).expect("a character").at;
    let until = first + 500 * MICROSECOND;
    let busy = [format!("at {first}cy pin GPIO9 high"), format!("at {until}cy pin GPIO9 low")];
    let held = Edges::of("pio_hd44780", &["--stimulus", &busy[0], "--stimulus", &busy[1]]);
    let held: Vec<Nibble> =
        nibbles(&held).into_iter().filter(|nibble| (first + 1..until).contains(&nibble.at)).collect();
    // The lower half of the character goes out; then there are only questions.
    assert!(!held[0].reads && held[1..].iter().all(|nibble| nibble.reads), "{}", held.len());
    assert!(held.len() > 300 && held[1].value & 8 != 0, "{}", held.len());
}

#[test]
fn sound_has_its_frames_and_comes_back() {
    let joined = ["--attach", "loopback@a=GPIO10,b=GPIO13"];
    run(CHIP, "pio_i2s", &joined);
    let edges = Edges::of("pio_i2s", &joined);
    // I2S: data are taken at rising edges of the bit clock; a word begins one bit behind the edge of the frame clock, left while it is low.
    let (mut words, mut right, mut word, mut bits) = (Vec::new(), None, 0u32, 0);
    for at in edges.to(11, true) {
        let (data, frame) = (edges.before(10, at), edges.before(12, at));
        (word, bits) = (word << 1 | u32::from(data), bits + 1);
        if right.is_some_and(|right| right != frame) {
            words.push((right == Some(true), word & 0xFFFF, bits));
            bits = 0;
        }
        right = Some(frame);
    }
    // Before the first one, the bit clock is high.
    let whole: Vec<_> =
        words.iter().filter(|(_, _, bits)| [16, 17].contains(bits)).map(|(right, word, _)| (*right, *word)).collect();
    let begin = whole.iter().position(|word| *word == (false, 0x8001)).expect("the first frame");
    assert_eq!(whole[begin + 1], (true, 0x7FFE));
    // The program ends when the last frames have left its memory, of which eight then wait in the FIFO.
    let rest: Vec<_> = whole[begin + 2..].iter().take(28).copied().collect();
    assert_eq!(rest, [(false, 0xC0DE), (true, 0x1234)].repeat(14));
    // 48 kHz: 64 instructions a frame, by a divider of 40 and 176 of 256 parts.
    let frames = edges.to(12, false);
    let periods: Vec<u64> = frames.windows(2).map(|pair| pair[1] - pair[0]).skip(1).collect();
    assert!(periods.len() > 14 && periods.iter().all(|period| *period == 64 * 40 + 44), "{periods:?}");
}

#[test]
fn thermometers_on_one_wire_are_found_and_asked() {
    let thermometers = [
        "--attach",
        "ds18b20:name=one,serial=0x0A0B0C0D,temperature=21.4375@dq=GPIO5",
        "--attach",
        "ds18b20:name=two,serial=0xFEDCBA987654,temperature=-10.125@dq=GPIO5",
    ];
    let printed = run(CHIP, "pio_onewire", &thermometers);
    assert_eq!(printed.matches("check of the scratchpad: 0").count(), 4, "{printed}");
}

#[test]
fn turns_of_an_encoder_are_counted_in_their_direction() {
    // A quarter of a period between the edges: the second leads five times, the first three times.
    let turns = [(("GPIO3", 230, 5), "GPIO2", 232), (("GPIO2", 290, 3), "GPIO3", 292)];
    let mut stimuli = vec!["at 0 pin GPIO2 low".to_owned(), "at 0 pin GPIO3 low".to_owned()];
    for ((leads, at, times), follows, behind) in turns {
        for (pin, from) in [(leads, at), (follows, behind)] {
            stimuli.push(format!("every 8ms from {from}ms {times} times pin {pin} high"));
            stimuli.push(format!("every 8ms from {}ms {times} times pin {pin} low", from + 4));
        }
    }
    let turns: Vec<&str> = stimuli.iter().flat_map(|stimulus| ["--stimulus", stimulus.as_str()]).collect();
    run(CHIP, "pio_encoder", &turns);
}

#[test]
fn a_stepper_motor_gets_its_steps_at_their_rate() {
    run(CHIP, "pio_stepper", &[]);
    let edges = Edges::of("pio_stepper", &[]);
    // The coils behind each time at which any changes.
    let mut steps: Vec<(u64, u8)> = Vec::new();
    for (at, pin, high) in edges.all.iter().copied().filter(|(_, pin, _)| (2..=5).contains(pin)) {
        let before = steps.last().map_or(0, |(_, coils)| *coils);
        let coils = if high { before | 1 << (pin - 2) } else { before & !(1 << (pin - 2)) };
        match steps.last_mut().filter(|(last, _)| *last == at) {
            Some((_, last)) => *last = coils,
            None => steps.push((at, coils)),
        }
    }
    let sequence: Vec<u8> = steps.iter().map(|(_, coils)| *coils).collect();
    let expected: [&[u8]; 4] = [
        // The HAL's program makes a step more than it is asked for.
        &[1, 2, 4, 8, 1, 2, 4, 8],
        // The other way; the first step changes nothing.
        &[4, 2, 1],
        &[3, 6, 12, 9, 3],
        &[9, 8, 12, 4, 6, 2, 3, 1],
    ];
    assert_eq!(sequence, expected.concat());
    // 500 and 250 times four steps a second, of 34 instructions; 35 where the pattern begins anew.
    for (from, count, rate) in [(0, 8, 500), (11, 5, 250), (16, 8, 250)] {
        let period = 125_000_000 / (rate * 136);
        for pair in steps[from..from + count].windows(2) {
            let length = pair[1].0 - pair[0].0;
            let instructions = (length + period / 2) / period;
            assert!((34..=35).contains(&instructions), "{instructions} at {}", pair[0].0);
            assert!(length.abs_diff(instructions * 125_000_000 / (rate * 136)) <= instructions, "{length}");
        }
    }
}
