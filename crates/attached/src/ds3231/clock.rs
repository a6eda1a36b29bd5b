//! The calendar of the DS3231: seconds to years, with a century bit and a day of the week.

/// Returns `value` as two decimal digits.
pub(super) const fn bcd(value: u8) -> u8 {
    ((value / 10) << 4) | (value % 10)
}

/// Returns the value of two decimal digits, `None` if one is none.
const fn value(bcd: u8) -> Option<u8> {
    if bcd & 15 > 9 || bcd >> 4 > 9 { None } else { Some((bcd >> 4) * 10 + (bcd & 15)) }
}

/// A time and date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    pub second: u8,
    pub minute: u8,
    pub hour: u8,
    /// Hours are shown from 1 to 12.
    pub twelve: bool,
    /// 1 to 7; what they mean is the user's.
    pub day: u8,
    pub date: u8,
    pub month: u8,
    /// Of the century.
    pub year: u8,
    pub century: bool,
}

impl Clock {
    /// The time after power comes for the first time ("Timekeeping registers").
    pub const FIRST: Self =
        Self { second: 0, minute: 0, hour: 0, twelve: false, day: 1, date: 1, month: 1, year: 0, century: false };

    const fn days_of_month(&self) -> u8 {
        match self.month {
            2 if self.year.is_multiple_of(4) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// Moves on by a second.
    pub fn tick(&mut self) {
        let roll = |value: &mut u8, first: u8, last: u8| {
            let over = *value >= last;
            *value = if over { first } else { *value + 1 };
            over
        };
        if !(roll(&mut self.second, 0, 59) && roll(&mut self.minute, 0, 59) && roll(&mut self.hour, 0, 23)) {
            return;
        }
        roll(&mut self.day, 1, 7);
        let days = self.days_of_month();
        if roll(&mut self.date, 1, days) && roll(&mut self.month, 1, 12) && roll(&mut self.year, 0, 99) {
            self.century = !self.century;
        }
    }

    fn hour_register(&self) -> u8 {
        match (self.twelve, self.hour) {
            (false, hour) => bcd(hour),
            (true, hour) => 0x40 | u8::from(hour >= 12) << 5 | bcd((hour + 11) % 12 + 1),
        }
    }

    /// The registers 0x00 to 0x06.
    pub fn registers(&self) -> [u8; 7] {
        [
            bcd(self.second),
            bcd(self.minute),
            self.hour_register(),
            self.day,
            bcd(self.date),
            u8::from(self.century) << 7 | bcd(self.month),
            bcd(self.year),
        ]
    }

    /// Writes a register from 0x00 to 0x06; returns `false`, and changes nothing, for a value that no clock shows.
    pub fn write(&mut self, register: u8, byte: u8) -> bool {
        let within = |bits: u8, first: u8, last: u8| value(bits).filter(|value| (first..=last).contains(value));
        let put = |place: &mut u8, value: Option<u8>| {
            *place = value.unwrap_or(*place);
            value.is_some()
        };
        match register {
            0 => put(&mut self.second, within(byte & 0x7F, 0, 59)),
            1 => put(&mut self.minute, within(byte & 0x7F, 0, 59)),
            2 if byte & 0x40 != 0 => {
                let afternoon = if byte & 0x20 != 0 { 12 } else { 0 };
                let hour = within(byte & 0x1F, 1, 12).map(|hour| hour % 12 + afternoon);
                self.twelve = true;
                put(&mut self.hour, hour)
            }
            2 => {
                self.twelve = false;
                put(&mut self.hour, within(byte & 0x3F, 0, 23))
            }
            3 => put(&mut self.day, within(byte & 7, 1, 7)),
            4 => put(&mut self.date, within(byte & 0x3F, 1, 31)),
            5 => {
                self.century = byte & 0x80 != 0;
                put(&mut self.month, within(byte & 0x1F, 1, 12))
            }
            _ => put(&mut self.year, within(byte, 0, 99)),
        }
    }

    /// The time that `text` writes as `2026-05-01T12:30:00`, from 2000 to 2199; the day is 1 on a Monday. `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_once(['T', ' '])?;
        let numbers = |text: &str, between: char, lengths: [usize; 3]| -> Option<[u16; 3]> {
            let parts: Vec<&str> = text.split(between).collect();
            let sound = parts.len() == 3
                && parts
                    .iter()
                    .zip(lengths)
                    .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()));
            let number = |index: usize| parts.get(index)?.parse().ok();
            if sound { Some([number(0)?, number(1)?, number(2)?]) } else { None }
        };
        let [year, month, date] = numbers(date, '-', [4, 2, 2])?;
        let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
        let of_2000 = year.checked_sub(2000).filter(|year| *year < 200)?;
        let mut clock = Self { month: month as u8, year: (of_2000 % 100) as u8, ..Self::FIRST };
        clock.century = of_2000 >= 100;
        let sound = (1..=12).contains(&month)
            && (1..=u16::from(clock.days_of_month())).contains(&date)
            && hour < 24
            && minute < 60
            && second < 60;
        // Zeller's congruence, from Saturday on.
        let (shifted, of) = if month < 3 { (month + 12, year - 1) } else { (month, year) };
        let weekday = (date + 13 * (shifted + 1) / 5 + of + of / 4 - of / 100 + of / 400) % 7;
        clock.day = ((weekday + 5) % 7 + 1) as u8;
        (clock.date, clock.hour, clock.minute, clock.second) = (date as u8, hour as u8, minute as u8, second as u8);
        sound.then_some(clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registers after `text` and a second.
    fn after(text: &str) -> [u8; 7] {
        let mut clock = Clock::parse(text).unwrap();
        clock.tick();
        clock.registers()
    }

    #[test]
    fn a_second_rolls_over_to_the_century() {
        assert_eq!(after("2024-02-28T23:59:59"), [0, 0, 0, 4, 0x29, 0x02, 0x24], "leap year, a Thursday");
        assert_eq!(after("2023-02-28T23:59:59"), [0, 0, 0, 3, 0x01, 0x03, 0x23]);
        assert_eq!(after("2026-11-30T23:59:59")[3..], [2, 0x01, 0x12, 0x26]);
        assert_eq!(after("2099-12-31T23:59:59"), [0, 0, 0, 5, 0x01, 0x81, 0x00], "the century bit");
        assert_eq!(after("2026-05-01T12:30:58")[..3], [0x59, 0x30, 0x12]);
    }

    #[test]
    fn hours_are_shown_in_both_ways() {
        let mut clock = Clock::FIRST;
        for (byte, hour) in [(0x52, 0), (0x41, 1), (0x51, 11), (0x72, 12), (0x61, 13), (0x71, 23)] {
            assert!(clock.write(2, byte));
            assert_eq!((clock.hour, clock.registers()[2]), (hour, byte), "{byte:#04x}");
        }
        assert!(clock.write(2, 0x23));
        assert_eq!(clock.registers()[2], 0x23);
    }

    #[test]
    fn what_no_clock_shows_is_refused() {
        let mut clock = Clock::FIRST;
        for (register, byte) in
            [(0, 0x60), (0, 0x0A), (1, 0x75), (2, 0x24), (2, 0x53), (3, 0), (4, 0), (5, 0x13), (6, 0xA0)]
        {
            assert!(!clock.write(register, byte), "{register} {byte:#04x}");
        }
        for text in [
            "2026-02-29T00:00:00",
            "2026-13-01T00:00:00",
            "1999-01-01T00:00:00",
            "2026-01-01",
            "2026-1-01T00:00:00",
            "2026-01-01T24:00:00",
            "2026-01-01T00:00:60",
            "+026-01-01T00:00:00",
            "ö",
        ] {
            assert_eq!(Clock::parse(text), None, "{text}");
        }
    }
}
