//! Runs an unmodified Arduino sketch (`firmware/arduino`) on both ATmegas: its clocks, its lines, and the times of its
//! bytes.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Pin, Signal, SignalKind, Stop};

/// 16 MHz.
const CYCLES_PER_MICROSECOND: u64 = 16;
/// Timer 0 at a 64th of the clock overflows after 256 counts: 1.024 ms.
const OVERFLOW: u64 = 64 * 256;
/// At 115200 baud the core chooses U2X and UBRR 16: 8 * 17 cycles a bit, 2.1 % less than the 138.9 that they should be.
const BIT: u64 = 136;
/// Start, eight data bits, stop.
const FRAME: u64 = 10 * BIT;
/// Half a second and a bit.
const RUN: u64 = 8_900_000;

/// The pin and vector of a board.
struct Board {
    name: &'static str,
    /// Pin 13.
    led: Pin,
    /// Timer 0's overflow vector.
    overflow: u16,
}

const BOARDS: [Board; 2] = [
    Board { name: "arduino-uno", led: Pin { port: 1, number: 5 }, overflow: 16 },
    Board { name: "arduino-leonardo", led: Pin { port: 2, number: 7 }, overflow: 23 },
];

/// The results of a run.
struct Run {
    text: String,
    /// The end of each byte's last stop bit: the end of the instruction in which it ended.
    sent: Vec<u64>,
    /// Edges of the LED.
    led: Vec<bool>,
    overflows: Vec<u64>,
}

fn run(board: &Board) -> Run {
    let sketch = cyclescope_oracle_images::sketches().iter().find(|image| image.board == board.name);
    let sketch = sketch.unwrap_or_else(|| panic!("the manifest has a sketch for {}", board.name));
    let image = Image::parse(&sketch.elf().expect("the sketch is there")).expect("it is an image");
    let mut machine = Machine::load(Part::find(sketch.chip).expect("its part is known"), Settings::default(), &image)
        .expect("it starts");
    machine.shared().signals.want(SignalKind::Pin);
    machine.shared().signals.want(SignalKind::Exception);
    let mut run = Run { text: String::new(), sent: Vec::new(), led: Vec::new(), overflows: Vec::new() };
    while machine.now().get() < RUN {
        let before = machine.clone();
        let until = machine.now() + Cycles::new(OVERFLOW);
        advance(&mut machine, until, &mut run, board);
        if machine.shared().console.len() > run.sent.len() {
            // The same run by single instructions.
            let mut machine = before;
            while machine.now() < until {
                let next = machine.now() + Cycles::new(1);
                while machine.run(next) == Stop::Signal {
                    machine.shared().signals.drain().for_each(drop);
                }
                run.sent.resize(machine.shared().console.len(), machine.now().get());
            }
        }
    }
    let runs = machine.shared().console.runs().filter(|(channel, _)| matches!(channel, Channel::Uart(_)));
    run.text = String::from_utf8(runs.flat_map(|(_, bytes)| bytes.to_vec()).collect()).expect("it prints text");
    run
}

fn advance(machine: &mut Machine, until: Cycles, run: &mut Run, board: &Board) {
    loop {
        let stop = machine.run(until);
        for (at, signal) in machine.shared().signals.drain() {
            match signal {
                Signal::Pin { pin, high } if pin == board.led => run.led.push(high),
                Signal::ExceptionPended { number } if number == board.overflow => run.overflows.push(at.get()),
                _ => {}
            }
        }
        if stop != Stop::Signal {
            assert_eq!(stop, Stop::Horizon);
            return;
        }
    }
}

/// Returns Arduino's `millis` after some overflows: one each, and one more whenever the 24 microseconds left over each
/// time sum to a millisecond.
fn millis(overflows: u64) -> u64 {
    overflows + overflows * 24 / 1000
}

/// Returns `millis` and `micros` of each line.
fn lines(text: &str) -> Vec<(u64, u64)> {
    let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("{word:?} is no number"));
    let line = |line: &str| {
        let (millis, micros) = line.strip_suffix("\r\n").and_then(|line| line.split_once(' ')).expect("two numbers");
        (number(millis), number(micros))
    };
    text.split_inclusive('\n').map(line).collect()
}

#[test]
fn millis_and_micros_go_by_overflows_of_1024_microseconds() {
    for board in &BOARDS {
        let run = run(board);
        assert!(run.overflows.windows(2).all(|pair| pair[1] - pair[0] == OVERFLOW), "{}", board.name);
        let lines = lines(&run.text);
        assert_eq!(lines.len(), 5, "{}: {}", board.name, run.text);
        for ((shown, micros), turn) in lines.into_iter().zip(1..) {
            // The first overflow after which 100 ms more have passed.
            let overflows = (0..).find(|overflows| millis(*overflows) >= 100 * turn).expect("time goes on");
            assert_eq!(shown, millis(overflows), "{}", board.name);
            let since = micros - overflows * 1024;
            assert!(
                since < 256 && micros % 4 == 0,
                "{}: {since} us after the overflow that ended the wait",
                board.name
            );
        }
        // Some values of `millis` are skipped: the 42nd step is 2.
        assert_eq!((millis(41), millis(42)), (41, 43));
    }
}

#[test]
fn bytes_leave_one_behind_the_other_in_ten_bits_of_136_cycles() {
    for board in &BOARDS {
        let run = run(board);
        let mut sent = run.sent.iter().copied();
        for (line, (_, micros)) in run.text.split_inclusive('\n').zip(lines(&run.text)) {
            let sent: Vec<u64> = sent.by_ref().take(line.len()).collect();
            // The buffer is never empty within a line. An instruction takes up to four cycles, interrupt entry five.
            let apart = sent.iter().zip(0..).map(|(end, number)| *end as i64 - (sent[0] + number * FRAME) as i64);
            assert!(apart.clone().all(|apart| apart.abs() <= 5), "{}: {line:?} at {sent:?}", board.name);
            // The line starts shortly before the sketch reads the microseconds in it.
            let begun = (sent[0] - FRAME) / CYCLES_PER_MICROSECOND;
            assert!(begun.abs_diff(micros) < 200, "{}: {line:?} from {begun} us on", board.name);
        }
        assert!(run.led.ends_with(&[true, false, true, false, true]), "{}: {:?}", board.name, run.led);
    }
}
