//! The peripherals of the AVR parts, around their core: hand-assembled code, and cycles read from the datasheets.

mod adc;
#[allow(dead_code)] // The core's tests use all of it.
#[path = "../../../avr/tests/common/asm.rs"]
mod asm;
mod bench;
mod clocks;
mod comparator;
mod declared;
mod interrupts;
#[path = "../blocks/joint.rs"]
mod joint;
mod machine;
mod memories;
mod ports;
mod probe;
mod robustness;
mod spi;
mod traffic;
mod twi;
mod usart;
mod usb;
#[path = "../blocks/usb_bus.rs"]
mod usb_bus;
