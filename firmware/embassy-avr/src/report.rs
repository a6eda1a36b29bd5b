//! The lines that the program prints after all rows, as `firmware/README.md` has them.

use crate::board::{Board, CLOCK_HZ, RESOLUTION};
use crate::row::{ITERATIONS, Row};

/// Prints rows and objects for people, then the result line.
pub fn print(board: &Board, rows: &[(&str, Row)], sizes: &[(&str, u16)]) {
    let number = |label: &str, value: u32| {
        board.write(label);
        let mut digits = [0; 10];
        let mut at = digits.len();
        let mut rest = value;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        digits[at..].iter().for_each(|&digit| board.send(digit));
    };

    for &(name, row) in rows {
        board.write(name);
        number(": ", row.counter);
        number(" iterations in ", row.micros);
        board.write(" us\n");
    }
    for &(object, bytes) in sizes {
        board.write(object);
        number(": ", bytes.into());
        board.write(" bytes\n");
    }
    board.write("cyclescope switch contender=embassy mode=plain");
    number(" iterations=", ITERATIONS.into());
    number(" clock_hz=", CLOCK_HZ);
    number(" resolution=", RESOLUTION);
    for &(name, row) in rows {
        board.write(" ");
        board.write(name);
        number("=", row.counter);
        number("/", row.micros);
    }
    for &(object, bytes) in sizes {
        board.write(" size.");
        board.write(object);
        number("=", bytes.into());
    }
    board.write("\n");
}
