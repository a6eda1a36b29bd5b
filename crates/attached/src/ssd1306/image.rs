//! Pictures of the panel, as files and as text.

use super::WIDTH;

/// `rows` as a file in the format PNG: one bit a pixel, white where it is lit.
pub(super) fn png(rows: &[u128]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH as u32, rows.len() as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    // The leftmost pixel is in bit 0 of a row, and in the highest bit of a file's byte.
    let data: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes().map(u8::reverse_bits)).collect();
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&data));
    written.expect("a panel has rows, and memory takes all bytes");
    file
}

/// `rows` as lines of blocks: two pixels of height a line, and if `narrow` two of width a column.
pub(super) fn blocks(rows: &[u128], narrow: bool) -> Vec<String> {
    /// By the pixels in the upper left, upper right, lower left and lower right.
    const QUADRANTS: [char; 16] = [' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'];
    let line = |pair: &[u128]| -> String {
        let pixel = |row: usize, x: usize| pair.get(row).is_some_and(|row| row >> x & 1 != 0);
        let step = if narrow { 2 } else { 1 };
        let block = |x: usize| {
            let right = if narrow { x + 1 } else { x };
            let lit = [pixel(0, x), pixel(0, right), pixel(1, x), pixel(1, right)];
            QUADRANTS[lit.iter().rev().fold(0, |index, lit| index << 1 | usize::from(*lit))]
        };
        (0..WIDTH).step_by(step).map(block).collect()
    };
    rows.chunks(2).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_panels_pixels() {
        let rows: Vec<u128> = (0..64).map(|y| 1 << (y * 2) | 1 << 127).collect();
        let file = png(&rows);
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        assert_eq!((info.width, info.height, info.bit_depth), (128, 64, png::BitDepth::One));
        let pixel = |x: usize, y: usize| data[y * 16 + x / 8] >> (7 - x % 8) & 1 != 0;
        for (y, row) in rows.iter().enumerate() {
            for x in 0..128 {
                assert_eq!(pixel(x, y), row >> x & 1 != 0, "{x}, {y}");
            }
        }
    }

    #[test]
    fn blocks_have_two_or_four_pixels() {
        let rows = [0b0110_1001, 0b0011_1001, 0b1];
        let line = |narrow: bool, line: usize| blocks(&rows, narrow)[line].trim_end().to_owned();
        assert_eq!((line(false, 0), line(false, 1)), ("█  █▄█▀".to_owned(), "▀".to_owned()));
        assert_eq!((line(true, 0), line(true, 1)), ("▌▐▟▘".to_owned(), "▘".to_owned()));
        assert_eq!((blocks(&rows, false)[0].chars().count(), blocks(&rows, true)[0].chars().count()), (128, 64));
    }
}
