//! The peripherals of the AVR parts, around their core: hand-assembled code, and cycles read from the datasheets.

#[allow(dead_code)] // The core's tests use all of it.
#[path = "../../../avr/tests/common/asm.rs"]
mod asm;
mod bench;
mod clocks;
mod declared;
mod interrupts;
mod machine;
mod memories;
mod ports;
mod robustness;
mod usart;
mod usb;
#[path = "../blocks/usb_bus.rs"]
mod usb_bus;
