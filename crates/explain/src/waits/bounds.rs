//! The sizes in perf's recording, checked against the file before its reader allocates by them.

use std::io::{self, Read, Seek, SeekFrom};

use thiserror::Error;

/// The first bytes of a recording of this machine.
const MAGIC: [u8; 8] = u64::from_le_bytes(*b"PERFILE2").to_ne_bytes();

/// The bytes of the header (`struct perf_file_header` in perf's sources).
const HEADER: usize = 104;

/// The bytes of an event's description (`struct perf_event_attr`): the first version's, and more than any has had.
const ATTRIBUTE: std::ops::RangeInclusive<u64> = 64..=4096;

/// The feature that describes the events (HEADER_EVENT_DESC).
const EVENTS: u32 = 12;

/// The record whose data lies behind it, without a limit (PERF_RECORD_AUXTRACE). No command of ours asks for it.
const AUXTRACE: u32 = 71;

/// A recording that its reader should not see.
#[derive(Debug, Error)]
pub(super) enum BoundsError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("it is no recording of perf on this machine")]
    Other,
    /// A size or a place lies outside.
    #[error("its {0} lie outside the file")]
    Outside(&'static str),
    /// It holds what was not asked for.
    #[error("it holds a processor's trace, which was not asked for")]
    Trace,
}

/// Checks that all that `file` announces lies in it, and goes back to its beginning.
///
/// # Errors
/// [`BoundsError`].
pub(super) fn check(file: &mut (impl Read + Seek)) -> Result<(), BoundsError> {
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut header = [0; HEADER];
    read(file, &mut header).map_err(|_| BoundsError::Other)?;
    if header[..8] != MAGIC {
        return Err(BoundsError::Other);
    }
    let word = |index: usize| header[8 * index..].first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
    let attribute = word(2);
    let sections = [(3, "events"), (5, "records"), (7, "kinds of events")];
    for (index, name) in sections {
        within(word(index), word(index + 1), length).ok_or(BoundsError::Outside(name))?;
    }
    if !ATTRIBUTE.contains(&attribute) {
        return Err(BoundsError::Outside("events"));
    }
    let (records, behind) = (word(5), word(5) + word(6));
    let features: u32 = (9..13).map(|index| word(index).count_ones()).sum();
    // Without it, or with a feature of another program's (from 64 on), events are read by sizes of their own.
    if word(9) & (1 << EVENTS) == 0 || (10..13).any(|index| word(index) != 0) {
        return Err(BoundsError::Other);
    }
    let before = (word(9) & ((1 << EVENTS) - 1)).count_ones();
    file.seek(SeekFrom::Start(behind))?;
    let (mut all, mut events) = (0_u64, (0, 0));
    for feature in 0..features {
        let section = (long(file)?, long(file)?);
        within(section.0, section.1, length).ok_or(BoundsError::Outside("features"))?;
        all += section.1;
        if feature == before {
            events = section;
        }
    }
    if all > length {
        return Err(BoundsError::Outside("features"));
    }
    check_events(file, events)?;
    check_records(file, records, behind)?;
    file.rewind()?;
    Ok(())
}

/// Checks the counts in the description of the events, which begins at the first number of `section` and has as many bytes as the
/// second says.
fn check_events(file: &mut (impl Read + Seek), section: (u64, u64)) -> Result<(), BoundsError> {
    const OUTSIDE: BoundsError = BoundsError::Outside("events");
    let take = |left: &mut u64, bytes: u64| left.checked_sub(bytes).map(|rest| *left = rest).ok_or(OUTSIDE);
    let (at, mut left) = section;
    file.seek(SeekFrom::Start(at))?;
    take(&mut left, 8)?;
    let (count, own) = (short(file)?, u64::from(short(file)?));
    if !ATTRIBUTE.contains(&own) || u64::from(count) > left / own {
        return Err(OUTSIDE);
    }
    for _ in 0..count {
        take(&mut left, own + 8)?;
        skip(file, own)?;
        let (ids, name) = (short(file)?, short(file)?);
        let more = u64::from(ids) * 8 + u64::from(name);
        take(&mut left, more)?;
        skip(file, more)?;
    }
    Ok(())
}

/// Checks the sizes of the records from `from` up to `to`.
fn check_records(file: &mut (impl Read + Seek), from: u64, to: u64) -> Result<(), BoundsError> {
    const OUTSIDE: BoundsError = BoundsError::Outside("records");
    file.seek(SeekFrom::Start(from))?;
    let mut left = to - from;
    while left > 0 {
        let (kind, sizes) = (short(file)?, short(file)?.to_ne_bytes());
        let size = u64::from(u16::from_ne_bytes([sizes[2], sizes[3]]));
        if kind == AUXTRACE {
            return Err(BoundsError::Trace);
        }
        let body = size.checked_sub(8).ok_or(OUTSIDE)?;
        left = left.checked_sub(size).ok_or(OUTSIDE)?;
        skip(file, body)?;
    }
    Ok(())
}

/// Tells if `bytes` from `at` on lie in a file of `length`.
fn within(at: u64, bytes: u64, length: u64) -> Option<()> {
    at.checked_add(bytes).filter(|end| *end <= length).map(drop)
}

fn read(file: &mut impl Read, into: &mut [u8]) -> Result<(), BoundsError> {
    file.read_exact(into).map_err(BoundsError::Io)
}

fn short(file: &mut impl Read) -> Result<u32, BoundsError> {
    let mut bytes = [0; 4];
    read(file, &mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

fn long(file: &mut impl Read) -> Result<u64, BoundsError> {
    let mut bytes = [0; 8];
    read(file, &mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

/// Goes on by `bytes`, of which a file has at most as many as it is long.
fn skip(file: &mut impl Seek, bytes: u64) -> Result<(), BoundsError> {
    Ok(file.seek_relative(i64::try_from(bytes).unwrap_or(i64::MAX))?)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// A recording with one event and one record, as 64-bit words.
    fn recording() -> Vec<u64> {
        let magic = u64::from_ne_bytes(MAGIC);
        let short = |low: u32, high: u32| {
            let [a, b, c, d] = low.to_ne_bytes();
            let [e, f, g, h] = high.to_ne_bytes();
            u64::from_ne_bytes([a, b, c, d, e, f, g, h])
        };
        // A record of 16 bytes that ends a round.
        let record = [short(68, u32::from_ne_bytes([0, 0, 16u16.to_ne_bytes()[0], 16u16.to_ne_bytes()[1]])), 0];
        let mut words = vec![magic, 104, 64, 0, 0, 104, 16, 0, 0, 1 << EVENTS, 0, 0, 0];
        words.extend(record);
        // The feature's section, behind itself: one event of 64 bytes, one number, a name of eight bytes.
        words.extend([136, 8 + 64 + 8 + 8 + 8, short(1, 64)]);
        words.extend([0; 8]);
        words.extend([short(1, 8), 0, 7]);
        words
    }

    fn checked(words: &[u64]) -> Result<(), BoundsError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        check(&mut Cursor::new(bytes))
    }

    #[test]
    fn what_lies_in_the_file_passes_and_the_reader_begins_at_its_start() {
        let bytes: Vec<u8> = recording().iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut file = Cursor::new(bytes);
        check(&mut file).expect("it is whole");
        assert_eq!(file.position(), 0);
    }

    #[test]
    fn no_size_outside_the_file_reaches_the_reader() {
        let whole = recording();
        for (index, value, says) in [
            (0, 1, "no recording"),
            (2, 0, "events lie outside"),
            (2, u64::MAX, "events lie outside"),
            (4, u64::MAX, "events lie outside"),
            (5, u64::MAX, "records lie outside"),
            (6, 1 << 40, "records lie outside"),
            (8, 1 << 40, "kinds of events lie outside"),
            (9, 0, "no recording"),
            (11, 1, "no recording"),
            (13, u64::from(AUXTRACE), "a processor's trace"),
            (13, 68, "records lie outside"),
            (15, u64::MAX, "features lie outside"),
            (16, 1 << 40, "features lie outside"),
            (17, u64::MAX, "events lie outside"),
            (26, u64::MAX, "events lie outside"),
        ] {
            let mut words = whole.clone();
            words[index] = value;
            let error = checked(&words).expect_err("it is damaged").to_string();
            assert!(error.contains(says), "word {index}: {error}");
        }
        for length in 0..whole.len() {
            checked(&whole[..length]).expect_err("it is cut");
        }
    }
}
