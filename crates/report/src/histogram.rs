//! Histograms as tables whose last column is a bar.

use cyclescope_records::stats::Histogram;

use crate::format::integer;
use crate::{Column, Table};

/// The length of the longest bar, in characters.
const LONGEST: u64 = 40;

/// Parts of a character, from an eighth on.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// `histogram` of values in `unit`, a bucket a row. Bars are as long as their counts, the greatest 40 characters; a bucket
/// that has any sample has a bar that can be seen.
pub fn histogram(title: impl Into<String>, unit: &str, histogram: &Histogram) -> Table {
    let columns = [Column::quantity("from", unit), Column::quantity("to", unit), Column::number("n"), Column::text("")];
    let mut table = Table::new(title, columns);
    let greatest = histogram.buckets.iter().map(|bucket| bucket.count).max().unwrap_or(0);
    for bucket in &histogram.buckets {
        let number = |value: u64| integer(value.into());
        table.row([number(bucket.from), number(bucket.to), number(bucket.count), bar(bucket.count, greatest)]);
    }
    table
}

/// A bar for `count` where the longest stands for `greatest`.
fn bar(count: u64, greatest: u64) -> String {
    if count == 0 || greatest == 0 {
        return String::new();
    }
    let eighths = u128::from(count) * u128::from(LONGEST) * 8 / u128::from(greatest);
    // At most 8 * LONGEST.
    let eighths = (eighths as usize).max(1);
    let mut bar = "█".repeat(eighths / 8);
    bar.extend(eighths.checked_rem(8).and_then(|rest| EIGHTHS.get(rest.checked_sub(1)?)));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclescope_records::stats::{Bucket, Scale};

    #[test]
    fn bars_are_as_long_as_their_counts() {
        assert_eq!(bar(8, 8), "█".repeat(40));
        assert_eq!(bar(4, 8), "█".repeat(20));
        assert_eq!(bar(1, 64), "▋");
        assert_eq!(bar(1, 1_000_000), "▏", "one is seen among a million");
        assert_eq!(bar(0, 8), "");
        assert_eq!(bar(u64::MAX, u64::MAX), "█".repeat(40));
    }

    #[test]
    fn every_bucket_is_a_row() {
        let bucket = |(from, to, count)| Bucket { from, to, count };
        let buckets = [(0, 3, 1), (4, 7, 2), (8, 15, 0), (1_024, 2_047, 1)].map(bucket).to_vec();
        let counted = Histogram { scale: Scale::PowersOfTwo, buckets };
        let drawn = crate::markdown(&histogram("irq", "cycles", &counted));
        assert!(drawn.starts_with("### irq\n\n| from (cycles) | to (cycles) | n |  |\n"), "{drawn}");
        assert!(
            drawn.contains("| 4 | 7 | 2 | ████████████████████████████████████████ |\n| 8 | 15 | 0 |  |"),
            "{drawn}"
        );
        assert!(drawn.contains("| 1,024 | 2,047 | 1 | ████████████████████ |"), "{drawn}");
        assert_eq!(drawn.lines().filter(|line| line.starts_with("| ")).count(), 2 + counted.buckets.len());
    }
}
