//! The common part of the boards: their pins, interrupts and peripherals differ by name alone.

/// Writes a board: what the tasks own, the interrupts, and the registers behind the probes.
macro_rules! board {
    (
        led: $led:ident,
        probes: $a:ident $b:ident of $probes:ident,
        button: $button:ident on $exti:ident, line $line:literal, by $edge:ident,
        uart: $uart:ident, tx $tx:ident, rx $rx:ident,
        dma: $dma:ident by $dma_interrupt:ident,
    ) => {
        #[cfg(feature = "mode-dma")]
        use embassy_stm32::dma;
        use embassy_stm32::exti::{self, ExtiInput};
        use embassy_stm32::gpio::{Level, Output, Pull, Speed};
        use embassy_stm32::mode::Async;
        #[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
        use embassy_stm32::usart;
        use embassy_stm32::{Config, bind_interrupts, interrupt, peripherals};

        use crate::clock;
        #[cfg(not(feature = "mode-bare"))]
        use crate::probe;
        use crate::serial::{self, Serial};

        pub type Uart = peripherals::$uart;
        pub type Tx = peripherals::$tx;
        pub type Rx = peripherals::$rx;
        pub type TxDma = peripherals::$dma;
        pub type ButtonInterrupt = interrupt::typelevel::$edge;

        bind_interrupts!(
            pub struct Irqs {
                $edge =>
                    #[cfg(not(feature = "mode-bare"))] probe::RaiseA,
                    exti::InterruptHandler<ButtonInterrupt>,
                    #[cfg(not(feature = "mode-bare"))] probe::LowerA;
                #[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
                $uart => usart::BufferedInterruptHandler<Uart>;
                #[cfg(feature = "mode-dma")]
                $dma_interrupt => dma::InterruptHandler<TxDma>;
            }
        );

        /// Peripherals that the tasks own.
        pub struct Board {
            pub led: Output<'static>,
            pub button: ExtiInput<'static, Async>,
            pub serial: Serial,
        }

        impl Board {
            pub fn start() -> Self {
                let mut config = Config::default();
                clock::configure(&mut config.rcc);
                let p = embassy_stm32::init(config);
                #[cfg(not(feature = "mode-bare"))]
                probe::own([
                    Output::new(p.$a, Level::Low, Speed::VeryHigh),
                    Output::new(p.$b, Level::Low, Speed::VeryHigh),
                ]);
                Self {
                    led: Output::new(p.$led, Level::Low, Speed::Low),
                    button: ExtiInput::new(p.$button, p.$exti, Pull::Up, Irqs),
                    serial: serial::open(p.$uart, p.$tx, p.$rx, p.$dma),
                }
            }
        }

        /// The port of the probe pins, the button's EXTI line, and which lines are pending.
        #[cfg(not(feature = "mode-bare"))]
        pub mod registers {
            use embassy_stm32::pac::exti::regs::Lines;
            use embassy_stm32::pac::{EXTI, gpio};

            pub const PROBES: gpio::Gpio = embassy_stm32::pac::$probes;
            pub const BUTTON: usize = $line;

            #[cfg(any(feature = "board-stm32c031c6", feature = "board-stm32g071rb"))]
            #[inline(always)]
            pub fn pending_lines() -> Lines {
                Lines(EXTI.rpr(0).read().0 | EXTI.fpr(0).read().0)
            }

            #[cfg(not(any(feature = "board-stm32c031c6", feature = "board-stm32g071rb")))]
            #[inline(always)]
            pub fn pending_lines() -> Lines {
                EXTI.pr(0).read()
            }
        }

        pub type Led = Output<'static>;
        pub type Button = ExtiInput<'static, Async>;
    };
}
