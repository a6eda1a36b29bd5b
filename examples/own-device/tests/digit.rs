//! A device of one's own: a seven-segment digit behind a shift register 74HC595, and the digits that a program shows on it.

mod firmware;

use std::any::Any;

use cyclescope::{Attached, BoardError, Contact, Firmware, Setup};

/// The device. Bits arrive on `sck` and `mosi`, and a rising edge of `latch` shows them.
#[derive(Clone, Debug, Default)]
struct Digit {
    shifted: u8,
    shown: Vec<char>,
}

/// The place of `latch` among the pins.
const LATCH: usize = 2;

/// The segments of the digits 0 to 9, from `a` in bit 0 to `g` in bit 6.
const SEGMENTS: [u8; 10] = [0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F];

impl Attached for Digit {
    fn pins(&self) -> &'static [&'static str] {
        &["sck", "mosi", "latch"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn spi_byte(&mut self, byte: u8, _: &mut Contact<'_>) -> Option<u8> {
        self.shifted = byte;
        None
    }

    fn pin(&mut self, pin: usize, high: bool, contact: &mut Contact<'_>) {
        if pin != LATCH || !high {
            return;
        }
        match (b'0'..).zip(SEGMENTS).find(|(_, segments)| *segments == self.shifted) {
            Some((digit, _)) => self.shown.push(digit.into()),
            None => contact.complain(format!("its segments {:#04x} are no digit", self.shifted)),
        }
    }
}

fn show(bytes: &[u8]) -> Result<(Digit, bool), BoardError> {
    let firmware = Firmware::from_elf("digit", &firmware::shows(bytes))?;
    let setup = Setup::new("stm32f103c8").attach_own("digit", Digit::default(), "sck=PB6,mosi=PB7,latch=PB5");
    let mut board = setup.start(&firmware)?;
    board.run_to_exit()?;
    let complains = board.gaps().iter().any(|gap| gap.name.contains("are no digit"));
    Ok((board.attached::<Digit>("digit").expect("it is attached").clone(), complains))
}

#[test]
fn the_firmware_counts() -> Result<(), BoardError> {
    let (digit, complains) = show(&SEGMENTS)?;
    assert_eq!(digit.shown.iter().collect::<String>(), "0123456789");
    assert!(!complains);
    Ok(())
}

#[test]
fn other_segments_are_told() -> Result<(), BoardError> {
    let (digit, complains) = show(&[SEGMENTS[3], 0x49])?;
    assert_eq!(digit.shown, ['3']);
    assert!(complains);
    Ok(())
}
