//! One type for all blocks of an ATmega, so that a part is plain data.

use super::adc::Adc;
use super::comparator::Comparator;
use super::eeprom::Eeprom;
use super::external::{ExternalInterrupts, PinChangeInterrupts};
use super::flash::SelfProgramming;
use super::pll::Pll;
use super::port::Port;
use super::prescaler::PrescalerControl;
use super::spi::Spi;
use super::system::{Storage, System};
use super::timer::Timer;
use super::timer::timer4::Timer4;
use super::twi::Twi;
use super::usart::Usart;
use super::usb::Usb;
use super::watchdog::Watchdog;
use super::{Avr, Instance, Kind};
use crate::framework::devices;

devices! { Avr {
    /// GTCCR.
    Prescaler(PrescalerControl),
    /// A timer of eight or sixteen bits.
    Timer(Timer),
    /// Timer 4 of the ATmega32U4.
    Timer4(Timer4),
    /// A port of pins.
    Port(Port),
    /// INTn.
    ExternalInterrupts(ExternalInterrupts),
    /// PCINTn.
    PinChangeInterrupts(PinChangeInterrupts),
    /// A serial port.
    Usart(Usart),
    /// SPI.
    Spi(Spi),
    /// TWI.
    Twi(Twi),
    /// The converter.
    Adc(Adc),
    /// The analog comparator.
    Comparator(Comparator),
    /// The EEPROM.
    Eeprom(Eeprom),
    /// SPMCSR.
    SelfProgramming(SelfProgramming),
    /// MCUSR, MCUCR, CLKPR, PRR.
    System(System),
    /// Registers that hold what is written.
    Storage(Storage),
    /// The PLL of the ATmega32U4.
    Pll(Pll),
    /// The watchdog.
    Watchdog(Watchdog),
    /// The USB device of the ATmega32U4.
    Usb(Usb),
} serial: Usart; usb: Usb }

impl Device {
    /// The block that `instance` is, yet to be reset.
    pub fn new(instance: &Instance) -> Self {
        match instance.kind {
            Kind::Prescaler => Self::Prescaler(PrescalerControl::default()),
            Kind::Timer => Self::Timer(Timer::new(instance)),
            Kind::Timer4 => Self::Timer4(Timer4::default()),
            Kind::Port => Self::Port(Port::default()),
            Kind::ExternalInterrupts { asynchronous } => {
                Self::ExternalInterrupts(ExternalInterrupts::new(asynchronous))
            }
            Kind::PinChangeInterrupts => Self::PinChangeInterrupts(PinChangeInterrupts::default()),
            Kind::Usart => Self::Usart(Usart::new(instance.number)),
            Kind::Spi => Self::Spi(Spi::default()),
            Kind::Twi => Self::Twi(Twi::default()),
            Kind::Adc(model) => Self::Adc(Adc::new(model)),
            Kind::Comparator => Self::Comparator(Comparator::default()),
            Kind::Eeprom { bytes } => Self::Eeprom(Eeprom::new(bytes)),
            Kind::SelfProgramming(sections) => Self::SelfProgramming(SelfProgramming::new(sections)),
            Kind::System { shift } => Self::System(System::new(shift)),
            Kind::Storage(reset) => Self::Storage(Storage::new(reset)),
            Kind::Pll => Self::Pll(Pll::default()),
            Kind::Usb => Self::Usb(Usb::default()),
            Kind::Watchdog { always_on } => Self::Watchdog(Watchdog::new(always_on)),
        }
    }
}
