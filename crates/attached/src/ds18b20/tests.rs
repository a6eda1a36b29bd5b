use cyclescope_machine::Requests;

use super::*;

/// A line with a pull-up, a master and thermometers, by microseconds.
struct Bench {
    devices: Vec<(Ds18b20, Requests, bool)>,
    now: u64,
    master: bool,
    complaints: Vec<String>,
}

impl Bench {
    fn new(devices: impl IntoIterator<Item = Ds18b20>) -> Self {
        let devices = devices.into_iter().map(|device| (device, Requests::default(), false)).collect();
        Self { devices, now: 0, master: false, complaints: Vec::new() }
    }

    fn high(&self) -> bool {
        !self.master && self.devices.iter().all(|(.., low)| !low)
    }

    /// Lets `act` happen, and everybody hear what comes of it.
    fn change(&mut self, act: impl FnOnce(&mut Self)) {
        let before = self.high();
        act(self);
        let high = self.high();
        if before == high {
            return;
        }
        for (device, requests, _) in &mut self.devices {
            device.pin(0, high, &mut Contact::new(Picoseconds::new(self.now * 1_000_000), requests));
        }
        self.collect();
    }

    fn collect(&mut self) {
        for index in 0..self.devices.len() {
            let complaints = std::mem::take(&mut self.devices[index].1.complaints);
            self.complaints.extend(complaints);
            for (_, level) in std::mem::take(&mut self.devices[index].1.levels) {
                self.change(|bench| bench.devices[index].2 = level == Some(false));
            }
        }
    }

    fn pass(&mut self, microseconds: u64) {
        for _ in 0..microseconds {
            self.now += 1;
            let now = Picoseconds::new(self.now * 1_000_000);
            for (device, requests, _) in &mut self.devices {
                if requests.alarm.take_if(|at| *at <= now).is_some() {
                    device.wake(&mut Contact::new(now, requests));
                }
            }
            self.collect();
        }
    }

    fn low(&mut self, microseconds: u64) {
        self.change(|bench| bench.master = true);
        self.pass(microseconds);
        self.change(|bench| bench.master = false);
    }

    /// A reset; the first and the last microsecond behind it in which somebody is present.
    fn reset(&mut self) -> Option<(u64, u64)> {
        self.low(480);
        let lows: Vec<u64> = (1..=480)
            .filter(|_| {
                self.pass(1);
                !self.high()
            })
            .collect();
        Some((*lows.first()?, *lows.last()?))
    }

    /// A slot: a zero, or a one in which the line is sampled.
    fn slot(&mut self, bit: bool) -> bool {
        self.low(if bit { 6 } else { 70 });
        self.pass(8);
        let sampled = self.high();
        self.pass(60);
        sampled
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            (0..8).for_each(|bit| _ = self.slot(byte >> bit & 1 != 0));
        }
    }

    fn read(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (0..8).fold(0, |byte, bit| byte | u8::from(self.slot(true)) << bit)).collect()
    }

    /// A whole transaction with all.
    fn ask(&mut self, command: u8, count: usize) -> Vec<u8> {
        assert!(self.reset().is_some());
        self.write(&[SKIP_ROM, command]);
        self.read(count)
    }

    /// The numbers that a search finds, in its order: where both bits are there, first those with a 0.
    fn search(&mut self, command: u8) -> Vec<u64> {
        let (mut found, mut open) = (Vec::new(), vec![Vec::new()]);
        while let Some(path) = open.pop() {
            self.reset();
            self.write(&[command]);
            let mut number = 0;
            for bit in 0..64 {
                let here = [self.slot(true), self.slot(true)];
                let chosen = match (path.get(bit), here) {
                    (Some(chosen), _) => *chosen,
                    (None, [true, true]) => break,
                    (None, [false, false]) => {
                        let taken = (0..bit).map(|bit| number >> bit & 1 != 0).chain([true]);
                        open.push(taken.collect());
                        false
                    }
                    (None, [one, _]) => one,
                };
                self.slot(chosen);
                number |= u64::from(chosen) << bit;
                if bit == 63 {
                    found.push(number);
                }
            }
        }
        found
    }
}

fn at(serial: u64, temperature: &str) -> Ds18b20 {
    Ds18b20 { temperature: sixteenths(temperature).unwrap(), ..Ds18b20::new(serial) }
}

#[test]
fn the_check_is_that_of_the_data_sheets_number() {
    // Maxim's application note 27 has this number with its check.
    assert_eq!(crc(&[0x02, 0x1C, 0xB8, 0x01, 0, 0, 0]), 0xA2);
    assert_eq!(crc(&number(0xFEDC_BA98_7654).to_le_bytes()), 0);
}

#[test]
fn a_reset_is_answered_and_shorter_lows_are_not() {
    let mut bench = Bench::new([at(1, "25")]);
    assert_eq!(bench.reset(), Some((60, 299)));
    bench.low(479);
    bench.pass(480);
    assert!(bench.devices[0].1.alarm.is_none());
    assert!(bench.complaints[0].contains("479000 ns and taken as a 0"), "{:?}", bench.complaints);
    assert_eq!(Bench::new([]).reset(), None);
}

#[test]
fn a_second_reset_before_and_in_the_presence_pulse_is_one() {
    for wait in [30, 100] {
        let mut bench = Bench::new([at(1, "25"), at(2, "25")]);
        bench.low(480);
        bench.pass(wait);
        assert_eq!(bench.reset(), Some((60, 299)), "{wait}");
        bench.write(&[SKIP_ROM, READ_SCRATCHPAD]);
        assert_eq!(bench.read(2), [0x50, 0x05]);
        assert_eq!(bench.complaints.first(), None);
    }
}

#[test]
fn temperatures_are_those_of_the_data_sheet() {
    // "Temperature/data relationship".
    for (text, expected) in [
        ("125", 0x07D0),
        ("85", 0x0550),
        ("25.0625", 0x0191),
        ("10.125", 0x00A2),
        ("0.5", 0x0008),
        ("0", 0),
        ("-0.5", 0xFFF8),
        ("-10.125", 0xFF5E),
        ("-25.0625", 0xFE6F),
        ("-55", 0xFC90),
    ] {
        let mut bench = Bench::new([at(1, text)]);
        assert_eq!(bench.ask(CONVERT, 1), [0]);
        bench.pass(750_000);
        let bytes = bench.ask(READ_SCRATCHPAD, 10);
        assert_eq!(u16::from_le_bytes([bytes[0], bytes[1]]), expected, "{text}");
        assert_eq!((crc(&bytes[..9]), bytes[9]), (0, 0xFF), "behind it come ones");
    }
    for text in ["126", "-55.1", "warm"] {
        assert_eq!(sixteenths(text), None, "{text}");
    }
}

#[test]
fn a_conversion_takes_its_time_by_resolution_and_shows_at_its_end() {
    for (bits, microseconds, expected) in
        [(0x1F, 93_750, 0x0150), (0x3F, 187_500, 0x0154), (0x5F, 375_000, 0x0156), (0x7F, 750_000, 0x0157)]
    {
        let mut bench = Bench::new([at(1, "21.4375")]);
        bench.reset();
        bench.write(&[SKIP_ROM, WRITE_SCRATCHPAD, 1, 2, bits]);
        bench.ask(CONVERT, 0);
        // It began with the last edge of the command.
        let begun = bench.now - 68;
        bench.pass(80_000);
        assert_eq!(bench.ask(READ_SCRATCHPAD, 5), [0x50, 0x05, 1, 2, bits], "the last one, as long as it takes");
        // Back to its answer while it is busy.
        bench.devices[0].0.enter(State::Status);
        while !bench.slot(true) {}
        assert!((microseconds..microseconds + 74).contains(&(bench.now - 74 - begun)), "{}", bench.now - begun);
        assert_eq!(bench.ask(READ_SCRATCHPAD, 2), u16::to_le_bytes(expected), "{microseconds}");
    }
}

#[test]
fn a_search_finds_all_and_commands_go_to_the_one_that_is_meant() {
    let serials = [0x0000_0A0B_0C0D, 0xFEDC_BA98_7654, 0xFEDC_BA98_7655];
    let mut bench = Bench::new(serials.map(|serial| at(serial, "25")));
    let mut found = bench.search(SEARCH_ROM);
    found.sort_unstable();
    let mut expected = serials.map(number);
    expected.sort_unstable();
    assert_eq!(found, expected);
    bench.reset();
    bench.write(&[MATCH_ROM]);
    bench.write(&number(serials[1]).to_le_bytes());
    bench.write(&[WRITE_SCRATCHPAD, 0x7D, 0xC9, 0x7F]);
    let limits = |bench: &Bench, index: usize| bench.devices[index].0.scratchpad[TH..=TL].to_vec();
    assert_eq!([0, 1, 2].map(|index| limits(&bench, index)), [[0x4B, 0x46], [0x7D, 0xC9], [0x4B, 0x46]]);
    // 85 °C of power-on is no conversion's.
    assert_eq!(bench.search(ALARM_SEARCH), []);
    (0..3).for_each(|index| bench.devices[index].0.temperature = 80 * 16);
    bench.ask(CONVERT, 0);
    bench.pass(750_000);
    // 80 °C are beyond 75 °C, and not beyond 125; limits that are written behind it count for the next.
    bench.reset();
    bench.write(&[SKIP_ROM, WRITE_SCRATCHPAD, 0x7D, 0xC9, 0x7F]);
    let mut alarmed = bench.search(ALARM_SEARCH);
    alarmed.sort_unstable();
    let mut expected = [0, 2].map(|index| number(serials[index]));
    expected.sort_unstable();
    assert_eq!(alarmed, expected);
    let mut alone = Bench::new([at(7, "25")]);
    alone.reset();
    alone.write(&[READ_ROM]);
    assert_eq!(alone.read(8), number(7).to_le_bytes());
    // Those that have dropped out hear how others hold the line.
    assert_eq!(bench.complaints.first(), None);
}

#[test]
fn the_eeprom_keeps_limits_and_others_are_lost() {
    let mut bench = Bench::new([at(1, "25")]);
    bench.reset();
    bench.write(&[SKIP_ROM, WRITE_SCRATCHPAD, 9, 8, 0xFF]);
    assert_eq!(bench.ask(COPY_SCRATCHPAD, 1), [0], "busy for 10 ms");
    bench.pass(10_000);
    assert_eq!(bench.read(1), [0xFF]);
    bench.ask(CONVERT, 0);
    assert_eq!(bench.ask(COPY_SCRATCHPAD, 0), []);
    bench.pass(500_000);
    assert!(!bench.slot(true), "the conversion is still under way");
    bench.pass(250_000);
    bench.reset();
    bench.write(&[SKIP_ROM, WRITE_SCRATCHPAD, 1, 2, 0x1F]);
    assert_eq!(bench.ask(RECALL, 1), [0xFF]);
    assert_eq!(bench.ask(READ_SCRATCHPAD, 5)[2..], [9, 8, 0x7F], "the configuration's other bits are ones");
    assert_eq!(bench.ask(READ_SUPPLY, 1), [0xFF]);
    assert_eq!(bench.ask(0x00, 1), [0xFF], "no such command");
    assert_eq!(bench.complaints.first(), None);
}
