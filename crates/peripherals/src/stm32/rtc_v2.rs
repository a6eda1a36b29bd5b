//! The real-time clocks of STM32F4 (RM0390, "RTC registers") and of STM32L4 (RM0351 and RM0432, the same chapter): two alarms, a
//! wake-up timer, smooth calibration and tamper pins; STM32F4 also has the coarse calibration. The behaviour is
//! [`Rtc`](super::rtc::Rtc)'s.
//!
//! Not modelled: the reference clock (REFCKON), the timestamp of the switch to VBAT (ITSE), the move of the output (OR), and the
//! electrical side of pins (precharge, output type).

use super::rtc::Version;
use crate::Modelled;
use crate::bank::{all, but};

/// The modelled registers and fields, with the values after a reset of the backup domain (RM0390, "RTC register map").
pub const MODEL: &[Modelled] = &[
    CALENDAR,
    all("DR", 0x0000_2101),
    but("CR", 0, &["REFCKON"]),
    all("ISR", 0x0000_0007),
    all("PRER", 0x007F_00FF),
    all("WUTR", 0xFFFF),
    but("TAFCR", 0, &["TAMPPRCH", "TAMPPUDIS", "ALARMOUTTYPE"])
        // How a pin is charged before a sample takes no part of the level that the outside gives it.
        .unseen(&["TAMPPRCH", "TAMPPUDIS"]),
    all("ALRMSSR0", 0).and(&["ALRMSSR1"]),
    BACKUP,
];

/// The same of STM32L4 (RM0351, "RTC register map").
pub const MODEL_L4: &[Modelled] = &[
    CALENDAR,
    all("DR", 0x0000_2101),
    but("CR", 0, &["REFCKON", "ITSE"]),
    all("ISR", 0x0000_0007),
    all("PRER", 0x007F_00FF),
    all("WUTR", 0xFFFF),
    but("TAMPCR", 0, &["TAMPPRCH", "TAMPPUDIS"]).unseen(&["TAMPPRCH", "TAMPPUDIS"]),
    all("ALRMSSR0", 0).and(&["ALRMSSR1"]),
    BACKUP,
];

const CALENDAR: Modelled =
    all("TR", 0).and(&["CALIBR", "ALRMR0", "ALRMR1", "WPR", "SSR", "SHIFTR", "TSTR", "TSDR", "TSSSR", "CALR"]);

const BACKUP: Modelled = all("BKPR0", 0).and(&[
    "BKPR1", "BKPR2", "BKPR3", "BKPR4", "BKPR5", "BKPR6", "BKPR7", "BKPR8", "BKPR9", "BKPR10", "BKPR11", "BKPR12",
    "BKPR13", "BKPR14", "BKPR15", "BKPR16", "BKPR17", "BKPR18", "BKPR19", "BKPR20", "BKPR21", "BKPR22", "BKPR23",
    "BKPR24", "BKPR25", "BKPR26", "BKPR27", "BKPR28", "BKPR29", "BKPR30", "BKPR31",
]);

/// The version of STM32F4.
pub static F4: Version = Version {
    model: MODEL,
    guarded: true,
    cr: 0x08,
    isr: 0x0C,
    wutr: Some(0x14),
    calibr: Some(0x18),
    alarms: &[(0x1C, 0x44), (0x20, 0x48)],
    ssr: 0x28,
    calr: 0x3C,
    tafcr: Some(0x40),
    moves_pins: true,
    flags: None,
};

/// That of STM32L4.
pub static L4: Version = Version { model: MODEL_L4, calibr: None, moves_pins: false, ..F4 };
