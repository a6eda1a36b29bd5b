//! The real-time clock of STM32F446 (RM0390, "RTC registers"): two alarms, a wake-up timer, coarse and smooth calibration,
//! two tamper pins and twenty backup registers. The behaviour is [`Rtc`]'s.
//!
//! Not modelled: the reference clock (REFCKON), and the electrical side of pins (precharge, output type).

use super::rtc::{Places, Rtc, Version, isr};
use crate::Modelled;
use crate::bank::{all, but};

/// The modelled registers and fields, with the values after a reset of the backup domain (RM0390, "RTC register map").
pub const MODEL: &[Modelled] = &[
    all("TR", 0).and(&["CALIBR", "ALRMR0", "ALRMR1", "WPR", "SSR", "SHIFTR", "TSTR", "TSDR", "TSSSR", "CALR"]),
    all("DR", 0x0000_2101),
    but("CR", 0, &["REFCKON"]),
    all("ISR", 0x0000_0007),
    all("PRER", 0x007F_00FF),
    all("WUTR", 0xFFFF),
    but("TAFCR", 0, &["TAMPPRCH", "TAMPPUDIS", "ALARMOUTTYPE"])
        // How a pin is charged before a sample takes no part of the level that the outside gives it.
        .unseen(&["TAMPPRCH", "TAMPPUDIS"]),
    all("ALRMSSR0", 0).and(&["ALRMSSR1"]),
    all("BKPR0", 0).and(&[
        "BKPR1", "BKPR2", "BKPR3", "BKPR4", "BKPR5", "BKPR6", "BKPR7", "BKPR8", "BKPR9", "BKPR10", "BKPR11", "BKPR12",
        "BKPR13", "BKPR14", "BKPR15", "BKPR16", "BKPR17", "BKPR18", "BKPR19",
    ]),
];

/// The version.
#[derive(Clone, Debug)]
pub struct V2;

/// The block.
pub type RtcV2 = Rtc<V2>;

impl Version for V2 {
    const MODEL: &'static [Modelled] = MODEL;
    const PLACES: Places = Places {
        cr: 0x08,
        isr: 0x0C,
        wutr: Some(0x14),
        calibr: Some(0x18),
        alarms: &[(0x1C, 0x44), (0x20, 0x48)],
        ssr: 0x28,
        calr: 0x3C,
        tafcr: Some(0x40),
        flags: None,
    };
    const GUARDED: bool = true;
    /// RM0390, "RTC interrupts".
    const LINES: &'static [(u8, u32)] =
        &[(17, isr::ALRAF | isr::ALRBF), (21, isr::TSF | isr::TAMP1F | isr::TAMP2F), (22, isr::WUTF)];
}
