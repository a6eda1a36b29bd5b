//! The bits of endpoints (RM0390, OTG_DIEPCTLx, OTG_DOEPCTLx, OTG_DIEPINTx, OTG_DOEPINTx).

pub const USBAEP: u32 = 1 << 15;
/// DATA1 is next; of an isochronous endpoint, odd frames.
pub const ODD: u32 = 1 << 16;
pub const NAKSTS: u32 = 1 << 17;
pub const STALL: u32 = 1 << 21;
pub const CNAK: u32 = 1 << 26;
pub const SNAK: u32 = 1 << 27;
pub const SD0PID: u32 = 1 << 28;
pub const SD1PID: u32 = 1 << 29;
pub const EPDIS: u32 = 1 << 30;
pub const EPENA: u32 = 1 << 31;

pub const XFRC: u32 = 1 << 0;
pub const EPDISD: u32 = 1 << 1;
/// Of IN endpoints: the host has not answered.
pub const TOC: u32 = 1 << 3;
/// Of OUT endpoints: a request has come.
pub const STUP: u32 = 1 << 3;
/// Of IN endpoints: asked for data while the FIFO was empty.
pub const ITTXFE: u32 = 1 << 4;
/// Of OUT endpoints: data came while the endpoint was disabled.
pub const OTEPDIS: u32 = 1 << 4;
pub const INEPNE: u32 = 1 << 6;
pub const B2BSTUP: u32 = 1 << 6;
pub const TXFE: u32 = 1 << 7;

/// Tells if the endpoint of this control register is isochronous.
pub const fn is_isochronous(control: u32) -> bool {
    control >> 18 & 3 == 1
}

/// The most bytes of a packet of the endpoint `number`.
pub const fn packet(number: usize, control: u32) -> usize {
    if number == 0 { [64, 32, 16, 8][(control & 3) as usize] } else { (control & 0x7FF) as usize }
}

/// The bytes and packets left of a transfer.
pub const fn left(number: usize, size: u32) -> (u32, u32) {
    if number == 0 { (size & 0x7F, size >> 19 & 3) } else { (size & 0x7_FFFF, size >> 19 & 0x3FF) }
}

/// The size register with `bytes` and `packets` left.
pub const fn with_left(size: u32, bytes: u32, packets: u32) -> u32 {
    size & !0x1FFF_FFFF | bytes & 0x7_FFFF | (packets & 0x3FF) << 19
}
