//! Intel HEX (Intel, Hexadecimal Object File Format Specification, revision A).

use cyclescope_machine::units::Address;
use ihex::{Reader, ReaderOptions, Record};

use super::{Collected, Contents};
use crate::ImageError;

const FORMAT: &str = "Intel HEX";

/// Reads the records of `file`.
pub(super) fn read(file: &[u8]) -> Result<Contents, ImageError> {
    let damaged = |line: usize, reason: &str| ImageError::Contents {
        format: FORMAT,
        place: format!("line {line}"),
        reason: reason.to_owned(),
    };
    // The reader cuts lines by bytes, so that it wants one byte a character.
    if let Some(at) = file.iter().position(|byte| !byte.is_ascii()) {
        let line = 1 + file[..at].iter().filter(|byte| **byte == b'\n').count();
        return Err(damaged(line, "it has a character that records do not have"));
    }
    let text = String::from_utf8_lossy(file);
    let options = ReaderOptions { stop_after_first_error: true, stop_after_eof: false };
    let mut contents = Collected::default();
    let (mut upper, mut start, mut ended) = (0u32, None, false);
    // The reader passes over empty lines.
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty()).map(|(index, _)| index + 1);
    for (line, record) in lines.zip(Reader::new_with_options(&text, options)) {
        if ended {
            return Err(damaged(line, "a record follows the end-of-file record"));
        }
        match record.map_err(|error| damaged(line, &error.to_string()))? {
            Record::Data { offset, value } => contents.push(upper.wrapping_add(offset.into()), &value)?,
            Record::EndOfFile => ended = true,
            Record::ExtendedSegmentAddress(segment) => upper = u32::from(segment) << 4,
            Record::ExtendedLinearAddress(high) => upper = u32::from(high) << 16,
            Record::StartLinearAddress(address) => start = Some(Address::new(address)),
            Record::StartSegmentAddress { cs, ip } => {
                start = Some(Address::new((u32::from(cs) << 4).wrapping_add(ip.into())));
            }
        }
    }
    if !ended {
        let line = text.lines().count();
        return Err(damaged(line, "the end-of-file record is missing: the file is cut off"));
    }
    contents.finish(start)
}
