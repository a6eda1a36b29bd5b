//! A block as a part has it.

use cyclescope_machine::Pin;

use super::adc::Model;

/// The sections of a part's flash for self-programming, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sections {
    /// The size of a page.
    pub page: u16,
    /// The start of the boot section, which the fuses BOOTSZ set. Only code from here on may execute SPM.
    pub boot: u32,
    /// The start of the section that cannot be read while it is written (no read-while-write).
    pub no_read_while_write: u32,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// GTCCR: the prescalers that timers share.
    Prescaler,
    /// A timer of eight or sixteen bits.
    Timer,
    /// Timer 4 of the ATmega32U4.
    Timer4,
    /// A port of pins.
    Port,
    /// INTn.
    ExternalInterrupts {
        /// The inputs whose edges are detected without clkI/O.
        asynchronous: u8,
    },
    /// PCINTn.
    PinChangeInterrupts,
    /// A serial port.
    Usart,
    /// SPI.
    Spi,
    /// TWI.
    Twi,
    /// The converter.
    Adc(&'static Model),
    /// The analog comparator.
    Comparator,
    /// The EEPROM.
    Eeprom {
        /// Its size.
        bytes: u16,
    },
    /// SPMCSR.
    SelfProgramming(Sections),
    /// MCUSR, MCUCR, CLKPR, PRR.
    System {
        /// CLKPS after a reset, as the fuse CKDIV8 says.
        shift: u8,
    },
    /// Registers that hold what is written, with what they hold after a reset.
    Storage(&'static [u8]),
    /// The PLL of the ATmega32U4.
    Pll,
    /// The USB device of the ATmega32U4.
    Usb,
    /// The watchdog.
    Watchdog {
        /// The fuse WDTON is programmed.
        always_on: bool,
    },
}

/// A register of a block: where it is, and which of its bits the block models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg {
    /// Its address in the data space, 0x20 to 0xFF; 0 where the part's block lacks it.
    pub address: u8,
    /// The bits that the block models. Others are stored and, when set to anything but their reset value, named as a gap.
    pub modelled: u8,
}

impl Reg {
    /// A register of which everything that is declared is modelled.
    pub const fn all(address: u8) -> Self {
        Self { address, modelled: 0xFF }
    }

    /// Registers of which everything that is declared is modelled.
    pub const fn all_of<const COUNT: usize>(addresses: [u8; COUNT]) -> [Self; COUNT] {
        let mut registers = [Self::NONE; COUNT];
        let mut at = 0;
        while at < COUNT {
            registers[at] = Self::all(addresses[at]);
            at += 1;
        }
        registers
    }

    /// A register of which the bits in `modelled` are.
    pub const fn some(address: u8, modelled: u8) -> Self {
        Self { address, modelled }
    }

    /// A register that this part's block does not have.
    pub const NONE: Self = Self { address: 0, modelled: 0 };
}

/// The bit of a power reduction register that stops a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerBit {
    /// The register: 0 for PRR or PRR0, 1 for PRR1.
    pub register: u8,
    /// The bit.
    pub bit: u8,
}

/// A block of a part: what it is and how it is wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The module's name as the part's datasheet has it: `TC1`, `USART0`, `PORTB`.
    pub name: &'static str,
    /// The kind of the block.
    pub kind: Kind,
    /// Its number among blocks of its kind: 1 for Timer 1 and USART1, a port's place in the alphabet from A = 0.
    pub number: u8,
    /// Its registers, in the block's own order.
    pub registers: &'static [Reg],
    /// Its interrupt vectors, in the block's own order; 0 where the part has none.
    pub vectors: &'static [u8],
    /// The pins that it can drive, in the block's own order; `None` where the part does not bond it out.
    pub outputs: &'static [Option<Pin>],
    /// The pins that it listens to, in the block's own order.
    pub inputs: &'static [Option<Pin>],
    /// The lines of a bus that it can have, by name, the clock first, each at its pin.
    pub signals: &'static [(&'static str, Pin)],
    /// The power reduction bit that stops its clock.
    pub power: Option<PowerBit>,
}

/// A block without pins, vectors or a clock of its own.
pub const fn plain(name: &'static str, kind: Kind, registers: &'static [Reg]) -> Instance {
    Instance { name, kind, number: 0, registers, vectors: &[], outputs: &[], inputs: &[], signals: &[], power: None }
}

/// The pin `number` of the port `letter`.
pub const fn pin(letter: u8, number: u8) -> Option<Pin> {
    Some(Pin { port: letter - b'A', number })
}
