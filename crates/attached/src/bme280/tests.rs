use cyclescope_machine::Requests;

use super::*;

/// A sensor that is told when it is, in microseconds.
struct Bench {
    device: Bme280,
    requests: Requests,
    now: u64,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self { device: Bme280::on_i2c(0x76), requests: Requests::default(), now: 0 };
        bench.with(|device, contact| device.start(contact));
        bench
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Bme280, &mut Contact<'_>) -> T) -> T {
        let mut contact = Contact::new(Picoseconds::new(self.now * MICROSECOND), &mut self.requests);
        act(&mut self.device, &mut contact)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.with(|device, contact| {
            assert!(device.i2c_start(I2cAddress::Seven(0x76), false, contact));
            bytes.iter().for_each(|byte| assert!(device.i2c_write(*byte, contact)));
            device.i2c_stop(contact);
        });
    }

    fn read<const N: usize>(&mut self, register: u8) -> [u8; N] {
        self.write(&[register]);
        self.with(|device, contact| {
            assert!(device.i2c_start(I2cAddress::Seven(0x76), true, contact));
            std::array::from_fn(|_| device.i2c_read(contact))
        })
    }

    fn status(&mut self) -> u8 {
        self.read::<1>(0xF3)[0]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.with(|device, contact| device.set(name, value, contact))
    }

    /// Raw temperature, pressure and humidity.
    fn raw(&mut self) -> [u32; 3] {
        let bytes = self.read::<8>(0xF7).map(u32::from);
        let twenty = |at: usize| bytes[at] << 12 | bytes[at + 1] << 4 | bytes[at + 2] >> 4;
        [twenty(3), twenty(0), bytes[6] << 8 | bytes[7]]
    }

    /// Hundredths of a degree, pascals, and thousandths of a per cent by the data sheet's compensation.
    fn values(&mut self) -> [i64; 3] {
        let [temperature, pressure, humidity] = self.raw().map(i64::from);
        [
            CALIBRATION.temperature(temperature),
            (CALIBRATION.pressure(pressure, temperature) + 128) / 256,
            CALIBRATION.humidity(humidity, temperature) * 1_000 / 1_024,
        ]
    }
}

#[test]
fn a_forced_measurement_takes_its_time_and_gives_the_values_that_were_set() {
    let mut bench = Bench::new();
    assert_eq!(bench.read::<1>(0xD0), [0x60]);
    assert_eq!(bench.raw(), [0x8_0000, 0x8_0000, 0x8000], "after reset");
    bench.now = 3_000;
    bench.set("temperature", "-12.34").unwrap();
    bench.set("humidity", "33.3 %").unwrap();
    bench.set("pressure", "987.65hPa").unwrap();
    // Sixteen samples of each: 1.25 + 48 * 2.3 + 2 * 0.575 ms.
    bench.write(&[0xF2, 5, 0xF4, 0xB5]);
    assert_eq!(bench.status(), 8);
    bench.now += 112_799;
    assert_eq!(bench.status(), 8);
    assert_eq!(bench.raw()[0], 0x8_0000, "not before the end");
    bench.now += 1;
    assert_eq!((bench.status(), bench.read::<1>(0xF4)), (0, [0xB4]), "asleep again");
    let [temperature, pressure, humidity] = bench.values();
    assert_eq!((temperature, pressure), (-1_234, 98_765));
    assert!((33_290..=33_310).contains(&humidity), "{humidity}");
}

#[test]
fn times_and_resolution_follow_the_samples() {
    for (settings, humidity, most, typical) in [
        (0x25u8, 1u8, 9_300, 8_000),
        (0x21, 0, 3_550, 3_000),
        (0x4D, 0, 1_250 + 6 * 2_300 + 575, 1_000 + 12_000 + 500),
        (0x01, 0, 1_250, 1_000),
    ] {
        for (times, length) in [(1, most), (0, typical)] {
            let mut bench = Bench::new();
            bench.device.times = times;
            bench.write(&[0xF2, humidity, 0xF4, settings]);
            bench.now = length - 1;
            assert_eq!(bench.status() & 8, 8, "{settings:#04x}");
            bench.now = length;
            assert_eq!(bench.status() & 8, 0, "{settings:#04x}");
            let [temperature, pressure, _] = bench.raw();
            let steps = |setting: u8| 1 << (5 - setting.clamp(1, 5));
            assert_eq!((temperature % steps(settings >> 5), pressure % steps(settings >> 2 & 7)), (0, 0));
        }
    }
}

#[test]
fn what_is_skipped_reads_as_after_reset_and_humidity_waits_for_ctrl_meas() {
    let mut bench = Bench::new();
    bench.write(&[0xF4, 0x21, 0xF2, 1]);
    bench.now = 10_000;
    let [temperature, pressure, humidity] = bench.raw();
    assert!(temperature != 0x8_0000);
    assert_eq!((pressure, humidity), (0x8_0000, 0x8000));
    bench.write(&[0xF4, 0x21]);
    bench.now = 20_000;
    assert!(bench.raw()[2] != 0x8000);
}

#[test]
fn normal_mode_measures_again_and_the_filter_follows_slowly() {
    let mut bench = Bench::new();
    // Standby 62.5 ms, coefficient 4; one sample of temperature.
    bench.write(&[0xF5, 0x28, 0xF4, 0x23]);
    bench.now = 3_550;
    let first = bench.values()[0];
    assert_eq!(first, 2_500);
    bench.set("temperature", "35").unwrap();
    bench.now = 3_550 + 62_500 + 3_549;
    assert_eq!((bench.values()[0], bench.status() & 8), (2_500, 8));
    bench.now += 1;
    let second = bench.values()[0];
    assert!((2_740..=2_760).contains(&second), "a quarter of the way: {second}");
    bench.write(&[0xF5, 0]);
    assert_eq!(bench.requests.complaints.len(), 1, "config is for sleep mode");
    assert_eq!(bench.read::<1>(0xF5), [0x28]);
    bench.write(&[0xF4, 0x20]);
    bench.now += 1_000_000;
    assert_eq!(bench.values()[0], second, "asleep");
}

#[test]
fn a_mode_that_is_written_during_a_measurement_comes_after_it() {
    let mut bench = Bench::new();
    bench.write(&[0xF4, 0x21]);
    bench.now = 1_000;
    bench.write(&[0xF4, 0x23]);
    assert_eq!(bench.read::<1>(0xF4), [0x21]);
    bench.now = 3_550;
    assert_eq!((bench.status() & 8, bench.read::<1>(0xF4)), (8, [0x23]), "and the next one runs");
}

#[test]
fn a_read_is_of_one_moment_and_a_reset_forgets() {
    let mut bench = Bench::new();
    bench.write(&[0xF4, 0x21]);
    bench.write(&[0xFA]);
    bench.with(|device, contact| device.i2c_start(I2cAddress::Seven(0x76), true, contact));
    bench.now = 4_000;
    let bytes: [u8; 3] = bench.with(|device, contact| std::array::from_fn(|_| device.i2c_read(contact)));
    assert_eq!(bytes, [0x80, 0, 0], "the measurement ended in the middle of the read");
    bench.write(&[0xE0, 0xB6]);
    assert_eq!((bench.status(), bench.read::<1>(0xF4), bench.raw()[0]), (1, [0], 0x8_0000));
    bench.now += 2_000;
    assert_eq!(bench.status(), 0);
    assert!(!bench.with(|device, contact| device.i2c_start(I2cAddress::Seven(0x77), true, contact)));
}

#[test]
fn spi_reads_and_writes_the_same_registers() {
    let mut bench = Bench { device: Bme280::on_spi(), requests: Requests::default(), now: 5_000 };
    let mut exchange = |now: u64, bytes: &[u8]| -> Vec<u8> {
        let mut contact = Contact::new(Picoseconds::new(now * MICROSECOND), &mut bench.requests);
        let mut out = bench.device.spi_select(true, &mut contact);
        let back = bytes.iter().map(|byte| {
            let now = out.unwrap_or(0xFF);
            out = bench.device.spi_byte(*byte, &mut contact);
            now
        });
        let back = back.collect();
        bench.device.spi_select(false, &mut contact);
        back
    };
    assert_eq!(exchange(5_000, &[0xD0, 0]), [0xFF, 0x60]);
    assert_eq!(exchange(5_000, &[0x72, 1, 0x74, 0x25]), [0xFF; 4], "it drives nothing while it is written");
    assert_eq!(exchange(5_000, &[0xF2, 0, 0, 0])[1..], [1, 8, 0x25]);
    let back = exchange(20_000, &[0xF7, 0, 0, 0, 0, 0, 0, 0, 0]);
    let temperature = i64::from(back[4]) << 12 | i64::from(back[5]) << 4 | i64::from(back[6]) >> 4;
    assert_eq!(CALIBRATION.temperature(temperature), 2_500);
    assert_eq!(exchange(20_000, &[0x88, 0, 0])[1..], [0x70, 0x6B]);
}

#[test]
fn wrong_values_are_named() {
    let mut bench = Bench::new();
    for (name, value, says) in [
        ("temperature", "85.01", "-40 to 85"),
        ("humidity", "-1", "per cent"),
        ("pressure", "101325", "hPa"),
        ("light", "1", "pressure"),
    ] {
        assert!(bench.set(name, value).unwrap_err().contains(says), "{name}");
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let mut bench = Bench::new();
    let mut state = 7u64;
    for _ in 0..20_000u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let byte = |shift: u32| (state >> shift) as u8;
        bench.now += u64::from(byte(8)) * 100;
        match state >> 62 {
            0 => bench.write(&[byte(16), byte(24), byte(32), byte(40)]),
            1 => bench.write(&[0xF2 + byte(16) % 4, byte(24)]),
            _ => assert_eq!(bench.read::<12>(byte(16)).len(), 12),
        }
        bench.requests.complaints.clear();
    }
}
