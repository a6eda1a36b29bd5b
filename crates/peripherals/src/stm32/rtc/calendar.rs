//! The calendar in BCD (RM0390, RM0490, "Real-time clock (RTC)"), as plain arithmetic: dates of a century in which each fourth
//! year is a leap year, and the next time at which an alarm matches.

/// Seconds of a day.
const DAY: u64 = 86_400;
/// Days from the beginning of year 0 to that of year 100.
const CENTURY: u64 = 36_525;
const MONTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// A point in time, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// The year in its century, 0 to 99.
    pub year: u32,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// 1 to 7, counted apart from the date.
    pub weekday: u32,
    /// Seconds since midnight.
    pub second: u64,
}

/// Two digits.
const fn bcd(value: u32) -> u32 {
    (value / 10) << 4 | (value % 10)
}

/// The number that the digits of `word` from bit `low` on are, with `tens` bits of tens; `None` if a digit is above 9.
fn digits(word: u32, low: u32, tens: u32) -> Option<u32> {
    let (units, tens) = (word >> low & 15, word >> (low + 4) & ((1 << tens) - 1));
    (units < 10 && tens < 10).then_some(tens * 10 + units)
}

/// The hour that a word of TR's form holds; `None` if there is no such hour. With `half` in the format of 12 hours.
fn hour(word: u32, half: bool) -> Option<u32> {
    let (hour, pm) = (digits(word, 16, 2)?, word >> 22 & 1);
    match half {
        true => (1..=12).contains(&hour).then_some(hour % 12 + 12 * pm),
        false => (hour < 24 && pm == 0).then_some(hour),
    }
}

const fn days_in(year: u32, month: u32) -> u32 {
    if month == 2 && year.is_multiple_of(4) { 29 } else { MONTHS[(month - 1) as usize] }
}

impl DateTime {
    /// The time after a reset of the domain: 1 January of year 0, weekday 1, midnight.
    pub const START: Self = Self { year: 0, month: 1, day: 1, weekday: 1, second: 0 };

    /// The time that TR and DR hold, and whether each part of it is one; parts that are none become the nearest.
    pub fn decode(tr: u32, dr: u32, half: bool) -> (Self, bool) {
        let limit = |value: Option<u32>, least: u32, most: u32| match value {
            Some(value) => (value.clamp(least, most), (least..=most).contains(&value)),
            None => (most, false),
        };
        let (second, good_second) = limit(digits(tr, 0, 3), 0, 59);
        let (minute, good_minute) = limit(digits(tr, 8, 3), 0, 59);
        let (hour, good_hour) = limit(hour(tr, half), 0, 23);
        let (year, good_year) = limit(digits(dr, 16, 4), 0, 99);
        let (month, good_month) = limit(digits(dr, 8, 1), 1, 12);
        let (day, good_day) = limit(digits(dr, 0, 2), 1, days_in(year, month));
        let (weekday, good_weekday) = limit(Some(dr >> 13 & 7), 1, 7);
        let time = Self { year, month, day, weekday, second: u64::from(hour * 3600 + minute * 60 + second) };
        let good = [good_second, good_minute, good_hour, good_year, good_month, good_day, good_weekday];
        (time, good.iter().all(|good| *good))
    }

    /// TR.
    pub fn tr(&self, half: bool) -> u32 {
        let second = self.second as u32;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let hour = match half {
            true => bcd((hour + 11) % 12 + 1) | u32::from(hour >= 12) << 6,
            false => bcd(hour),
        };
        hour << 16 | bcd(minute) << 8 | bcd(second)
    }

    /// DR.
    pub fn dr(&self) -> u32 {
        bcd(self.year) << 16 | self.weekday << 13 | bcd(self.month) << 8 | bcd(self.day)
    }

    /// Days since the first of the century.
    fn number(&self) -> u64 {
        let leap = self.year.div_ceil(4);
        let months: u32 = (1..self.month).map(|month| days_in(self.year, month)).sum();
        u64::from(self.year * 365 + leap + months + self.day - 1)
    }

    /// The time `seconds` later; after year 99 comes year 0.
    #[must_use]
    pub fn after(&self, seconds: u64) -> Self {
        let all = self.second + seconds % (DAY * CENTURY * 7);
        let days = all / DAY;
        let time = Self { second: all % DAY, ..*self };
        if days == 0 {
            return time;
        }
        let number = (self.number() + days) % CENTURY;
        // Years of a group of four have 366, 365, 365 and 365 days.
        let (group, rest) = ((number / 1461) as u32, (number % 1461) as u32);
        let (year, mut day) = if rest < 366 { (0, rest) } else { ((rest - 1) / 365, (rest - 1) % 365) };
        let year = group * 4 + year;
        let mut month = 1;
        while day >= days_in(year, month) {
            day -= days_in(year, month);
            month += 1;
        }
        let weekday = ((u64::from(self.weekday) + 6 + days) % 7) as u32 + 1;
        Self { year, month, day: day + 1, weekday, ..time }
    }
}

/// The fields that an alarm compares, by its register ALRMxR; `None` matches all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alarm {
    second: Option<u32>,
    minute: Option<u32>,
    hour: Option<u32>,
    day: Option<u32>,
    weekday: Option<u32>,
}

/// More steps of a day, an hour, a minute and a second than the search for a time takes: 62 days lie between two 31sts.
const MOST_STEPS: usize = 400;

impl Alarm {
    /// The alarm of the register's value; `None` if it never matches.
    pub fn new(word: u32, half: bool) -> Option<Self> {
        let masked = |bit: u32| word >> bit & 1 != 0;
        let unless = |masked: bool, value: Option<u32>| if masked { Some(None) } else { value.map(Some) };
        let by_weekday = masked(30);
        let weekday = Some(word >> 24 & 15).filter(|day| (1..=7).contains(day));
        Some(Self {
            second: unless(masked(7), digits(word, 0, 3).filter(|second| *second < 60))?,
            minute: unless(masked(15), digits(word, 8, 3).filter(|minute| *minute < 60))?,
            hour: unless(masked(23), hour(word, half))?,
            day: unless(masked(31) || by_weekday, digits(word, 24, 2).filter(|day| (1..=31).contains(day)))?,
            weekday: unless(masked(31) || !by_weekday, weekday)?,
        })
    }

    fn matches(wanted: Option<u32>, value: u64) -> bool {
        wanted.is_none_or(|wanted| u64::from(wanted) == value)
    }

    fn matches_day(&self, time: &DateTime) -> bool {
        Self::matches(self.day, time.day.into()) && Self::matches(self.weekday, time.weekday.into())
    }

    /// Tells if the alarm matches the second `time`.
    pub fn is_at(&self, time: &DateTime) -> bool {
        let second = time.second;
        self.matches_day(time)
            && Self::matches(self.hour, second / 3600)
            && Self::matches(self.minute, second / 60 % 60)
            && Self::matches(self.second, second % 60)
    }

    /// Returns the seconds from `time` to the next second that matches, at least 1.
    pub fn next(&self, time: &DateTime) -> Option<u64> {
        let mut ahead = 1;
        for _ in 0..MOST_STEPS {
            let at = time.after(ahead);
            let second = at.second;
            ahead += if !self.matches_day(&at) {
                DAY - second
            } else if !Self::matches(self.hour, second / 3600) {
                3600 - second % 3600
            } else if !Self::matches(self.minute, second / 60 % 60) {
                60 - second % 60
            } else if !Self::matches(self.second, second % 60) {
                1
            } else {
                return Some(ahead);
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_end_and_leap_days_come() {
        let at = |tr, dr| DateTime::decode(tr, dr, false).0;
        // Thursday 28 February 2024, 23:59:59.
        let time = at(0x0023_5959, 0x0024_8228);
        assert_eq!((time.after(1).tr(false), time.after(1).dr()), (0, 0x0024_A229));
        assert_eq!(time.after(1 + DAY).dr(), 0x0024_C301);
        let time = at(0x0023_5959, 0x0099_9231);
        assert_eq!(time.after(1).dr(), 0x0000_A101, "after 99 comes 0");
    }

    #[test]
    fn twelve_hours_go_from_twelve_to_eleven() {
        let shown: Vec<u32> =
            (0..24).map(|hour| DateTime { second: hour * 3600, ..DateTime::START }.tr(true) >> 16).collect();
        assert_eq!(shown[..3], [0x12, 0x01, 0x02]);
        assert_eq!(shown[11..14], [0x11, 0x52, 0x41]);
        for (hour, shown) in (0..24).zip(shown) {
            let (time, good) = DateTime::decode(shown << 16, 0x2101, true);
            assert_eq!((time.second, good), (hour * 3600, true));
        }
    }

    #[test]
    fn an_alarm_comes_at_the_first_second_that_matches_and_never_without_one() {
        let time = DateTime::decode(0x0010_2030, 0x0024_2131, false).0;
        let next = |word| Alarm::new(word, false).and_then(|alarm| alarm.next(&time));
        assert_eq!(next(0x8080_8080), Some(1), "each second");
        assert_eq!(next(0x8080_8030), Some(60), "each minute at :30");
        assert_eq!(next(0x3110_2030), Some(60 * DAY), "the next 31st is in March");
        assert_eq!(next(0x8080_8060), None, "no such second");
        assert_eq!(next(0x0000_0000), None, "no such day");
        // In steps of a second the same.
        for word in [0x8080_1545, 0x8011_0000, 0x0200_0000, 0x4500_0001] {
            let Some(alarm) = Alarm::new(word, false) else { panic!("{word:#x}") };
            let slow = (1..40 * DAY).find(|ahead| alarm.is_at(&time.after(*ahead)));
            assert_eq!(alarm.next(&time), slow, "{word:#x}");
        }
    }
}
