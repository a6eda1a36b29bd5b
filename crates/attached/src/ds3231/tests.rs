use cyclescope_machine::Requests;

use super::*;

/// A clock that is told when it is, in microseconds.
struct Bench {
    device: Ds3231,
    requests: Requests,
    now: u64,
}

impl Bench {
    fn new(time: &str) -> Self {
        let device = Ds3231 { clock: Clock::parse(time).unwrap(), ..Ds3231::new() };
        let mut bench = Self { device, requests: Requests::default(), now: 0 };
        bench.with(|device, contact| device.start(contact));
        bench
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Ds3231, &mut Contact<'_>) -> T) -> T {
        let mut contact = Contact::new(Picoseconds::new(self.now * 1_000_000), &mut self.requests);
        act(&mut self.device, &mut contact)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.with(|device, contact| {
            assert!(device.i2c_start(I2cAddress::Seven(0x68), false, contact));
            bytes.iter().for_each(|byte| assert!(device.i2c_write(*byte, contact)));
            device.i2c_stop(contact);
        });
    }

    fn read(&mut self, register: u8, count: usize) -> Vec<u8> {
        self.write(&[register]);
        self.with(|device, contact| {
            assert!(device.i2c_start(I2cAddress::Seven(0x68), true, contact));
            (0..count).map(|_| device.i2c_read(contact)).collect()
        })
    }

    /// Goes to `now`, with the device's alarms on the way.
    fn go(&mut self, now: u64) {
        while let Some(at) = self.requests.alarm.filter(|at| at.get() <= now * 1_000_000) {
            self.requests.alarm = None;
            let mut contact = Contact::new(at, &mut self.requests);
            self.device.wake(&mut contact);
        }
        self.now = now;
    }

    /// The levels that it put on its pin since.
    fn levels(&mut self) -> Vec<Option<bool>> {
        std::mem::take(&mut self.requests.levels)
            .into_iter()
            .map(|(pin, level)| (pin == INT).then_some(level).unwrap())
            .collect()
    }
}

#[test]
fn it_runs_in_simulated_time_and_a_read_is_of_one_moment() {
    let mut bench = Bench::new("2026-05-01T23:59:58");
    bench.go(999_999);
    assert_eq!(bench.read(0, 7), [0x58, 0x59, 0x23, 5, 0x01, 0x05, 0x26], "a Friday");
    bench.go(2_000_000);
    assert_eq!(bench.read(0, 7), [0, 0, 0, 6, 0x02, 0x05, 0x26]);
    bench.write(&[0]);
    bench.with(|device, contact| device.i2c_start(I2cAddress::Seven(0x68), true, contact));
    bench.go(3_000_000);
    let read = bench.with(|device, contact| (0..0x14).map(|_| device.i2c_read(contact)).collect::<Vec<_>>());
    assert_eq!((read[0], read[0x13]), (0, 1), "the start's second, and the next one when the pointer has gone round");
    assert!(!bench.with(|device, contact| device.i2c_start(I2cAddress::Seven(0x69), true, contact)));
}

#[test]
fn writing_the_seconds_begins_a_second() {
    let mut bench = Bench::new("2026-05-01T00:00:00");
    bench.go(700_000);
    bench.write(&[0, 0x30]);
    bench.go(1_699_999);
    assert_eq!(bench.read(0, 1), [0x30]);
    bench.go(1_700_000);
    assert_eq!(bench.read(0, 1), [0x31]);
    bench.write(&[0, 0x61]);
    assert_eq!(bench.requests.complaints.len(), 1, "no clock shows 61 seconds");
}

#[test]
fn an_alarm_pulls_the_pin_until_its_flag_is_taken_back() {
    let mut bench = Bench::new("2026-05-01T12:00:00");
    // At second 5 of any minute; the interrupt is on.
    bench.write(&[7, 0x05, 0x80, 0x80, 0x80]);
    bench.write(&[CONTROL, 0x1D]);
    bench.go(4_999_999);
    assert_eq!(bench.levels(), []);
    bench.go(5_000_000);
    assert_eq!(bench.levels(), [Some(false)]);
    assert_eq!(bench.requests.alarm, None, "and nothing more happens by itself");
    assert_eq!(bench.read(STATUS, 1)[0] & ALARMS, 1);
    bench.write(&[STATUS, 0]);
    assert_eq!(bench.levels(), [None]);
    assert_eq!(bench.read(STATUS, 1), [0], "the oscillator's flag went as well");
    bench.write(&[STATUS, 0xFF]);
    assert_eq!(bench.read(STATUS, 1), [EN32KHZ], "flags are not set by hand");
    bench.go(65_000_000);
    assert_eq!(bench.levels(), [Some(false)]);
}

#[test]
fn masks_choose_what_an_alarm_compares() {
    let flags = |first: [u8; 4], second: [u8; 3], seconds: u64| {
        let mut bench = Bench::new("2026-05-01T12:00:00");
        let bytes: Vec<u8> = [7].into_iter().chain(first).chain(second).collect();
        bench.write(&bytes);
        bench.go(seconds * 1_000_000);
        bench.read(STATUS, 1)[0] & ALARMS
    };
    let never = [0x00, 0x00, 0x00, 0x31];
    assert_eq!(flags([0x80; 4], [0x00, 0x00, 0x31], 1), 1, "each second");
    assert_eq!(flags(never, [0x80, 0x80, 0x80], 59), 0);
    assert_eq!(flags(never, [0x80, 0x80, 0x80], 60), 2, "each minute");
    assert_eq!(flags([0x10, 0x01, 0x80, 0x80], [0x00, 0x00, 0x31], 69), 0);
    assert_eq!(flags([0x10, 0x01, 0x80, 0x80], [0x00, 0x00, 0x31], 70), 1, "minute and second");
    assert_eq!(flags([0x00, 0x01, 0x12, 0x01], never[1..].try_into().unwrap(), 60), 1, "the date");
    assert_eq!(flags([0x00, 0x01, 0x12, 0x45], never[1..].try_into().unwrap(), 60), 1, "the day: a Friday");
    assert_eq!(flags([0x00, 0x01, 0x12, 0x44], never[1..].try_into().unwrap(), 60), 0);
}

#[test]
fn a_square_wave_has_the_chosen_period() {
    for (control, half) in [(0x00, 500_000_000_000), (0x08, 488_281_250), (0x10, 122_070_312), (0x18, 61_035_156)] {
        let mut bench = Bench::new("2026-05-01T12:00:00");
        bench.write(&[CONTROL, control]);
        assert_eq!(bench.levels(), [Some(false)]);
        for edge in 1..=4u64 {
            let at = bench.requests.alarm.take().unwrap();
            assert_eq!(at.get(), half * edge, "{control:#04x}");
            bench.device.wake(&mut Contact::new(at, &mut bench.requests));
            assert_eq!(bench.levels(), [if edge % 2 == 1 { None } else { Some(false) }]);
        }
    }
}

#[test]
fn temperatures_are_converted_each_minute_and_on_demand() {
    let mut bench = Bench::new("2026-05-01T12:00:00");
    assert_eq!(bench.read(0x11, 2), [25, 0]);
    bench.with(|device, contact| device.set("temperature", "-3.3", contact)).unwrap();
    assert_eq!(bench.read(0x11, 2), [25, 0], "not before a conversion");
    bench.write(&[CONTROL, 0x3C]);
    assert_eq!(bench.read(CONTROL, 2)[1] & BSY, 0);
    bench.go(2_000);
    assert_eq!(bench.read(CONTROL, 2), [0x3C, OSF | EN32KHZ | BSY]);
    bench.go(200_000);
    assert_eq!(bench.read(CONTROL, 2), [0x1C, OSF | EN32KHZ]);
    assert_eq!(bench.read(0x11, 2), [0xFC, 0xC0], "-3.25");
    bench.with(|device, contact| device.set("temperature", "30.5 C", contact)).unwrap();
    bench.go(64_000_000);
    assert_eq!(bench.read(0x11, 2), [30, 0x80]);
    let set =
        |bench: &mut Bench, name: &str, value: &str| bench.with(|device, contact| device.set(name, value, contact));
    assert!(set(&mut bench, "temperature", "86").unwrap_err().contains("-40 to 85"));
    assert!(set(&mut bench, "humidity", "1").unwrap_err().contains("temperature"));
}

#[test]
fn random_bytes_do_no_harm() {
    let mut bench = Bench::new("2026-05-01T12:00:00");
    let mut state = 1u64;
    for step in 0..20_000u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let byte = |shift: u32| (state >> shift) as u8;
        match state >> 62 {
            0 => bench.go(bench.now + u64::from(byte(32))),
            1 => bench.write(&[byte(16), byte(24), byte(32), byte(40)]),
            2 => bench.write(&[byte(16) % 0x13, byte(24)]),
            _ => assert_eq!(bench.read(byte(16), 9).len(), 9, "{step}"),
        }
        bench.requests.complaints.clear();
        bench.requests.levels.clear();
    }
}
