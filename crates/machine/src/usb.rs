//! Events on a USB cable of full speed, seen from the host: whole packets and bus states.

/// The host does something on the cable, at the moment it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsbAction {
    /// A reset begins (`true`) or ends.
    Reset(bool),
    /// The host begins (`true`) or ends to drive the resume state.
    Resume(bool),
    /// A frame begins, by its number of 11 bits.
    Frame(u16),
    /// A token and a data packet for the device.
    Out {
        /// True for SETUP.
        setup: bool,
        /// The address of the device.
        address: u8,
        /// The number of the endpoint.
        endpoint: u8,
        /// True for DATA1.
        toggle: bool,
        /// The data.
        data: Vec<u8>,
    },
    /// A token that asks for a data packet.
    In {
        /// The address of the device.
        address: u8,
        /// The number of the endpoint.
        endpoint: u8,
    },
    /// The transaction of the last IN token that was answered with data has ended.
    InEnd {
        /// The address of the device.
        address: u8,
        /// The number of the endpoint.
        endpoint: u8,
        /// True if the host has acknowledged the data; of an isochronous endpoint, if it has heard them.
        acknowledged: bool,
    },
    /// The bus has its supply (`true`), or no longer.
    Power(bool),
}

/// The device's answer to a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsbAnswer {
    /// Nothing: the device does not hear, is not meant, or the endpoint is isochronous.
    Nothing,
    /// The data are taken.
    Ack,
    /// Not now.
    Nak,
    /// The endpoint has halted.
    Stall,
    /// A data packet.
    Data {
        /// True for DATA1.
        toggle: bool,
        /// The data.
        data: Vec<u8>,
    },
}

/// The part's end of the cable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsbState {
    /// True if the part pulls D+ up; `None` where it has no resistor for that, and the board has one.
    pub pull_up: Option<bool>,
    /// True while the part's transceiver has D+, whatever the program does with the pin.
    pub takes_pin: bool,
    /// True while the part drives the resume state, to wake the host.
    pub wakes: bool,
}
