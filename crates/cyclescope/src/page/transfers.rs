//! The lanes of transfers on wires: a segment for each transaction on I2C, and for each burst of frames or characters.

use std::collections::BTreeMap;

use cyclescope_machine::{I2cAddress, Line, Transfer};
use cyclescope_report::page::{Lane, LaneEvents, Segments};

/// The kind of transfers that make a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    I2c,
    Frames,
    Sent,
    Received,
    Can,
    Usb,
    Conversions,
}

/// A segment under way.
#[derive(Clone, Debug)]
struct Open {
    kind: Kind,
    from: u64,
    last: u64,
    count: u64,
    /// The text before the count.
    what: String,
}

/// A segment: its first cycle, its last one, and its text.
pub(super) type Segment = (u64, u64, String);

/// One line: what is over, and what is under way.
#[derive(Clone, Debug, Default)]
struct Seen {
    segments: Vec<Segment>,
    open: Option<Open>,
    /// The shortest time between two of a burst.
    shortest: Option<u64>,
}

/// The lanes under way, by the place of each line's name.
#[derive(Clone, Debug, Default)]
pub(super) struct Transfers(BTreeMap<usize, Seen>);

impl Seen {
    fn close(&mut self) {
        if let Some(Open { kind, from, last, count, what }) = self.open.take() {
            let unit = match (kind, count) {
                (Kind::I2c, 1) => "byte",
                (Kind::I2c, _) => "bytes",
                (Kind::Frames | Kind::Can, 1) => "frame",
                (Kind::Frames | Kind::Can, _) => "frames",
                (Kind::Sent, _) => "sent",
                (Kind::Received, _) => "received",
                (Kind::Usb, 1) => "transaction",
                (Kind::Usb, _) => "transactions",
                (Kind::Conversions, 1) => "conversion",
                (Kind::Conversions, _) => "conversions",
            };
            self.segments.push((from, last.max(from + 1), format!("{what}{count} {unit}")));
        }
    }

    /// Adds to a burst of `kind`, or begins one where the last of it was long ago.
    fn add(&mut self, at: u64, kind: Kind) {
        let gap = self.open.as_ref().filter(|open| open.kind == kind).map(|open| at - open.last.min(at));
        match (&mut self.open, gap) {
            (Some(open), Some(gap)) if kind == Kind::I2c || self.shortest.is_none_or(|least| gap <= 3 * least) => {
                (open.last, open.count) = (at, open.count + 1);
                if kind != Kind::I2c {
                    self.shortest = Some(self.shortest.map_or(gap, |least| least.min(gap)).max(1));
                }
            }
            _ => {
                self.close();
                self.open = Some(Open { kind, from: at, last: at, count: 1, what: String::new() });
            }
        }
    }
}

impl Transfers {
    /// Takes a transfer on the line whose name has this place, which ended at `at`.
    pub(super) fn saw(&mut self, at: u64, line: usize, transfer: Transfer) {
        let seen = self.0.entry(line).or_default();
        match transfer {
            Transfer::I2cStart { address, read, acknowledged } => {
                seen.close();
                let address = match address {
                    I2cAddress::Seven(address) => format!("{address:#04x}"),
                    I2cAddress::Ten(address) => format!("{address:#05x}"),
                };
                let (direction, nobody) =
                    (if read { "read" } else { "write" }, if acknowledged { "" } else { "nobody, " });
                let what = format!("{direction} {address}: {nobody}");
                seen.open = Some(Open { kind: Kind::I2c, from: at, last: at, count: 0, what });
            }
            Transfer::I2cByte { .. } => seen.add(at, Kind::I2c),
            Transfer::I2cStop => {
                if let Some(open) = &mut seen.open {
                    open.last = at;
                }
                seen.close();
            }
            Transfer::SpiFrame { .. } => seen.add(at, Kind::Frames),
            Transfer::SerialSent(_) => seen.add(at, Kind::Sent),
            Transfer::SerialReceived(_) => seen.add(at, Kind::Received),
            Transfer::CanFrame(_) | Transfer::CanError(_) => seen.add(at, Kind::Can),
            Transfer::Conversion { .. } => seen.add(at, Kind::Conversions),
            Transfer::UsbReset
            | Transfer::UsbSetup { .. }
            | Transfer::UsbIn { .. }
            | Transfer::UsbOut { .. }
            | Transfer::UsbStall { .. } => seen.add(at, Kind::Usb),
        }
    }

    /// Returns a lane for each line that had any, by its name among `lines`.
    pub(super) fn finish(self, lines: &[(String, Line)]) -> Vec<Lane> {
        let named = self.0.into_iter().filter_map(|(line, mut seen)| {
            seen.close();
            let events = LaneEvents::Transfer(Segments { segments: seen.segments });
            Some(Lane { name: lines.get(line)?.0.clone(), events })
        });
        named.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments of one line.
    fn segments(seen: &[(u64, Transfer)]) -> Vec<(u64, u64, String)> {
        let mut transfers = Transfers::default();
        seen.iter().for_each(|(at, transfer)| transfers.saw(*at, 0, *transfer));
        let mut lanes = transfers.finish(&[("I2C1".to_owned(), Line::Peripheral("I2C1"))]);
        assert_eq!(lanes.len(), 1);
        match lanes.swap_remove(0).events {
            LaneEvents::Transfer(Segments { segments }) => segments,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_transaction_reaches_from_its_start_to_its_stop() {
        let start = |read, acknowledged| Transfer::I2cStart { address: I2cAddress::Seven(0x3C), read, acknowledged };
        let byte = Transfer::I2cByte { byte: 0, acknowledged: true };
        let seen = [
            (10, start(false, true)),
            (20, byte),
            (30, byte),
            (40, start(true, true)),
            (50, byte),
            (55, Transfer::I2cStop),
            (90, start(false, false)),
            (95, Transfer::I2cStop),
        ];
        let text = |from, to, text: &str| (from, to, text.to_owned());
        assert_eq!(
            segments(&seen),
            [
                text(10, 30, "write 0x3c: 2 bytes"),
                text(40, 55, "read 0x3c: 1 byte"),
                text(90, 95, "write 0x3c: nobody, 0 bytes")
            ]
        );
    }

    #[test]
    fn frames_that_follow_each_other_are_a_burst() {
        let frame = Transfer::SpiFrame { sent: 0, received: 0, bits: 8 };
        let seen = [100, 110, 125, 155, 190, 5_000].map(|at| (at, frame));
        let bursts = segments(&seen);
        assert_eq!(
            bursts.iter().map(|(from, to, _)| (*from, *to)).collect::<Vec<_>>(),
            [(100, 155), (190, 191), (5_000, 5_001)]
        );
        assert_eq!(bursts[0].2, "4 frames");
        assert_eq!(bursts[2].2, "1 frame");
    }
}
