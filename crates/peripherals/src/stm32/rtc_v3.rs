//! The real-time clock of STM32C031 (RM0490, "RTC registers"): one alarm, smooth calibration, a timestamp pin, and flags in
//! registers of their own. The behaviour is [`Rtc`]'s.
//!
//! Not modelled: the reference clock (REFCKON), the second output and the electrical side of the first.

use super::rtc::{Places, Rtc, Version};
use crate::Modelled;
use crate::bank::{all, but};

/// The modelled registers and fields, with the values after a reset of the RTC domain (RM0490, "RTC register map").
pub const MODEL: &[Modelled] = &[
    all("TR", 0)
        .and(&["SSR", "WPR", "CALR", "SHIFTR", "TSTR", "TSDR", "TSSSR", "ALRMR0", "ALRMSSR0", "SR", "MISR", "SCR"]),
    all("DR", 0x0000_2101),
    all("ICSR", 0x0000_0001),
    all("PRER", 0x007F_00FF),
    but("CR", 0, &["REFCKON", "TAMPALRM_PU", "TAMPALRM_TYPE", "OUT2EN"]),
];

/// The version.
#[derive(Clone, Debug)]
pub struct V3;

/// The block.
pub type RtcV3 = Rtc<V3>;

impl Version for V3 {
    const MODEL: &'static [Modelled] = MODEL;
    const PLACES: Places = Places {
        cr: 0x18,
        isr: 0x0C,
        wutr: None,
        calibr: None,
        alarms: &[(0x40, 0x44)],
        ssr: 0x08,
        calr: 0x28,
        tafcr: None,
        flags: Some([0x50, 0x54, 0x5C]),
    };
    const GUARDED: bool = false;
    /// RM0490, "EXTI line connections".
    const LINES: &'static [(u8, u32)] = &[(19, u32::MAX)];
}
