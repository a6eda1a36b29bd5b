//! Real-time clocks with flags in registers of their own: of STM32C0 (RM0490, "RTC registers"), with one alarm, and of STM32G0, G4
//! and some L4 (RM0444, RM0440, RM0394, RM0432, the same chapter), with two alarms and a wake-up timer. Both have smooth
//! calibration and a timestamp pin. The behaviour is [`Rtc`](super::rtc::Rtc)'s.
//!
//! Not modelled: the reference clock (REFCKON), the second output and the electrical side of the first, calibration for low
//! consumption (LPCAL), the automatic clear of WUTF (WUTOCLR), timestamps of tampering and of the switch to VBAT (TAMPTS, ITSE).

use super::rtc::Version;
use crate::Modelled;
use crate::bank::{all, but, some};

/// The modelled registers and fields, with the values after a reset of the RTC domain (RM0490, "RTC register map").
pub const MODEL: &[Modelled] = &[
    CALENDAR,
    all("DR", 0x0000_2101),
    all("ICSR", 0x0000_0001),
    all("PRER", 0x007F_00FF),
    but("CR", 0, &["REFCKON", "TAMPALRM_PU", "TAMPALRM_TYPE", "OUT2EN"]),
    all("CALR", 0),
    all("ALRMSSR0", 0),
    all("SR", 0).and(&["MISR", "SCR"]),
];

/// The same of STM32G0, G4 and L4 (RM0444, RM0440, RM0394, RM0432, "RTC register map"), of whose declared fields these parts lack
/// the binary mode's.
pub const MODEL_BASE: &[Modelled] = &[
    CALENDAR,
    all("DR", 0x0000_2101),
    but("ICSR", 0x0000_0007, &["BIN", "BCDU"]),
    all("PRER", 0x007F_00FF),
    some("WUTR", 0x0000_FFFF, &["WUT"]),
    but("CR", 0, &["REFCKON", "SSRUIE", "ITSE", "TAMPTS", "TAMPOE", "TAMPALRM_PU", "TAMPALRM_TYPE", "OUT2EN"]),
    but("CALR", 0, &["LPCAL"]),
    all("ALRMR1", 0),
    but("ALRMSSR0", 0, &["SSCLR"]).and(&["ALRMSSR1"]),
    but("SR", 0, &["ITSF", "SSRUF"]),
    but("MISR", 0, &["ITSMF", "SSRUMF"]),
    but("SCR", 0, &["CITSF", "CSSRUF"]),
];

const CALENDAR: Modelled = all("TR", 0).and(&["SSR", "WPR", "SHIFTR", "TSTR", "TSDR", "TSSSR", "ALRMR0"]);

/// The version of STM32C0.
pub static C0: Version = Version {
    model: MODEL,
    guarded: false,
    cr: 0x18,
    isr: 0x0C,
    wutr: None,
    calibr: None,
    alarms: &[(0x40, 0x44)],
    ssr: 0x08,
    calr: 0x28,
    tafcr: None,
    moves_pins: false,
    flags: Some([0x50, 0x54, 0x5C]),
};

/// That of STM32G0, G4 and L4.
pub static BASE: Version =
    Version { model: MODEL_BASE, guarded: true, wutr: Some(0x14), alarms: &[(0x40, 0x44), (0x48, 0x4C)], ..C0 };
