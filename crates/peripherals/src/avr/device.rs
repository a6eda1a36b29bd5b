//! What every block does, and one type for all blocks, so that a part is plain data.

use super::eeprom::Eeprom;
use super::external::{ExternalInterrupts, PinChangeInterrupts};
use super::flash::SelfProgramming;
use super::pll::Pll;
use super::port::Port;
use super::prescaler::PrescalerControl;
use super::system::{Storage, System};
use super::timer::Timer;
use super::timer::timer4::Timer4;
use super::usart::Usart;
use super::watchdog::Watchdog;
use super::{Change, Env, Instance, Kind};

/// What every block of an ATmega does. Registers, interrupt lines and pins go by the block's own numbering
/// ([`Instance`]).
pub trait Block {
    /// A read of the block's register `register` by an instruction, at [`Env::now`]; events due by then have come.
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8;

    /// A write of `value` to the block's register `register`; reserved bits come as zero.
    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>);

    /// SBI (`high`) or CBI: only that bit is written (8271H, note to the register summary). A register of flags that
    /// writing one clears needs its own answer: `write(register, 1 << bit)` for SBI, nothing for CBI.
    fn write_bit(&mut self, register: u8, bit: u8, high: bool, env: &mut Env<'_, '_>) {
        let value = self.read(register, env);
        let mask = 1 << (bit & 7);
        self.write(register, if high { value | mask } else { value & !mask }, env);
    }

    /// The block's event `kind` is due.
    fn event(&mut self, _kind: u16, _env: &mut Env<'_, '_>) {}

    /// The handler of the block's vector `index` begins: a flag that this clears is cleared now, and its line with it.
    fn acknowledge(&mut self, _index: usize, _env: &mut Env<'_, '_>) {}

    /// The pin of the block's input `index` has a new level, at [`Env::now`]. A pin that stands twice in
    /// [`Instance::inputs`] comes twice.
    fn input(&mut self, _index: usize, _high: bool, _env: &mut Env<'_, '_>) {}

    /// `change` is about to be made: whatever is computed from time is brought up to now.
    fn before_change(&mut self, _change: Change, _env: &mut Env<'_, '_>) {}

    /// `change` has been made: whatever is scheduled is scheduled anew.
    fn after_change(&mut self, _change: Change, _env: &mut Env<'_, '_>) {}

    /// WDR was executed.
    fn watchdog_reset(&mut self, _env: &mut Env<'_, '_>) {}

    /// The core entered the sleep mode `mode` (SMCR.SM), or (`None`) left it. clkI/O and its events are seen to by the part.
    fn sleep(&mut self, _mode: Option<u8>, _env: &mut Env<'_, '_>) {}

    /// Back to the state after a reset of the part, at power-on too. Its events are cancelled already, its lines low and
    /// its outputs given back.
    fn reset(&mut self, env: &mut Env<'_, '_>);
}

macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident($block:ty)),* $(,)?) => {
        /// A block of a part.
        // The few blocks of a part live in one vector; their size does not matter.
        #[allow(clippy::large_enum_variant)]
        #[derive(Clone, Debug)]
        pub enum Device {
            $($(#[$doc])* $name($block),)*
        }

        impl Block for Device {
            #[inline]
            fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
                match self { $(Self::$name(block) => block.read(register, env),)* }
            }

            #[inline]
            fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.write(register, value, env),)* }
            }

            #[inline]
            fn write_bit(&mut self, register: u8, bit: u8, high: bool, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.write_bit(register, bit, high, env),)* }
            }

            fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.event(kind, env),)* }
            }

            fn acknowledge(&mut self, index: usize, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.acknowledge(index, env),)* }
            }

            fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.input(index, high, env),)* }
            }

            fn before_change(&mut self, change: Change, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.before_change(change, env),)* }
            }

            fn after_change(&mut self, change: Change, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.after_change(change, env),)* }
            }

            fn watchdog_reset(&mut self, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.watchdog_reset(env),)* }
            }

            fn sleep(&mut self, mode: Option<u8>, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.sleep(mode, env),)* }
            }

            fn reset(&mut self, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.reset(env),)* }
            }
        }
    };
}

devices! {
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
}

impl Device {
    /// The block that `instance` is, yet to be reset.
    pub fn new(instance: &Instance) -> Self {
        match instance.kind {
            Kind::Prescaler => Self::Prescaler(PrescalerControl::default()),
            Kind::Timer => Self::Timer(Timer::new(instance)),
            Kind::Timer4 => Self::Timer4(Timer4::new()),
            Kind::Port => Self::Port(Port::default()),
            Kind::ExternalInterrupts { asynchronous } => {
                Self::ExternalInterrupts(ExternalInterrupts::new(asynchronous))
            }
            Kind::PinChangeInterrupts => Self::PinChangeInterrupts(PinChangeInterrupts::default()),
            Kind::Usart => Self::Usart(Usart::new(instance.number)),
            Kind::Eeprom { bytes } => Self::Eeprom(Eeprom::new(bytes)),
            Kind::SelfProgramming(sections) => Self::SelfProgramming(SelfProgramming::new(sections)),
            Kind::System { shift } => Self::System(System::new(shift)),
            Kind::Storage(reset) => Self::Storage(Storage::new(reset)),
            Kind::Pll => Self::Pll(Pll::default()),
            Kind::Watchdog { always_on } => Self::Watchdog(Watchdog::new(always_on)),
        }
    }
}
