//! The registers of timers, and what of them is modelled.

use crate::Modelled;
use crate::bank::{all, but, some};

pub const CR1: u32 = 0x00;
pub const CR2: u32 = 0x04;
pub const SMCR: u32 = 0x08;
pub const DIER: u32 = 0x0C;
pub const SR: u32 = 0x10;
pub const EGR: u32 = 0x14;
pub const CCMR1: u32 = 0x18;
pub const CCMR2: u32 = 0x1C;
pub const CCER: u32 = 0x20;
pub const CNT: u32 = 0x24;
pub const PSC: u32 = 0x28;
pub const ARR: u32 = 0x2C;
pub const RCR: u32 = 0x30;
pub const CCR1: u32 = 0x34;
pub const CCR4: u32 = 0x40;
pub const BDTR: u32 = 0x44;
pub const DCR: u32 = 0x48;
pub const DMAR: u32 = 0x4C;
pub const CCMR3: u32 = 0x54;
pub const CCR5: u32 = 0x58;
pub const CCR6: u32 = 0x5C;
pub const AF1: u32 = 0x60;
pub const AF2: u32 = 0x64;

/// The registers that version 2 has elsewhere, with their offsets there (RM0440, "TIM1 register map").
pub const MOVED: [(u32, u32); 5] = [(DCR, 0x3DC), (DMAR, 0x3E0), (CCMR3, 0x50), (CCR5, 0x48), (CCR6, 0x4C)];

// CR1.
pub const CEN: u32 = 1 << 0;
pub const UDIS: u32 = 1 << 1;
pub const URS: u32 = 1 << 2;
pub const OPM: u32 = 1 << 3;
pub const DIR: u32 = 1 << 4;
pub const ARPE: u32 = 1 << 7;
pub const UIFREMAP: u32 = 1 << 11;

// CR2.
pub const CCPC: u32 = 1 << 0;
pub const CCUS: u32 = 1 << 2;
pub const CCDS: u32 = 1 << 3;
pub const TI1S: u32 = 1 << 7;
/// OIS1 and all idle states above it.
pub const OIS: u32 = 0x5_FF00;

// SMCR.
pub const MSM: u32 = 1 << 7;
pub const ECE: u32 = 1 << 14;
pub const ETP: u32 = 1 << 15;

// SR, and the enables of the same place in DIER.
pub const UIF: u32 = 1 << 0;
pub const COMIF: u32 = 1 << 5;
pub const TIF: u32 = 1 << 6;
pub const BIF: u32 = 1 << 7;
pub const BIF2: u32 = 1 << 8;

// DIER.
pub const UDE: u32 = 1 << 8;
pub const CCDE1: u32 = 1 << 9;
pub const COMDE: u32 = 1 << 13;
pub const TDE: u32 = 1 << 14;

// BDTR.
pub const OSSI: u32 = 1 << 10;
pub const OSSR: u32 = 1 << 11;
pub const BKE: u32 = 1 << 12;
pub const BKP: u32 = 1 << 13;
pub const AOE: u32 = 1 << 14;
pub const MOE: u32 = 1 << 15;
pub const BKE2: u32 = 1 << 24;
pub const BKP2: u32 = 1 << 25;

/// The modelled registers and fields of version 1, with the values after reset (RM0008 and RM0390, "TIM1 and TIM8 register
/// map" and the maps of the other timers). The declared fields that only later versions have stay out.
pub const MODEL_V1: &[Modelled] = &[
    all("CR1", 0),
    but("CR2", 0, &["OIS5", "OIS6", "MMS2"]),
    but("SMCR", 0, &["SMS_1", "TS_1"]),
    all("DIER", 0),
    all("SR", 0),
    but("EGR", 0, &["BG2"]),
    all("CCMR1", 0).and(&["CCMR2"]),
    but("CCER", 0, &["CCE5", "CCP5", "CCE6", "CCP6"]),
    all("CNT", 0),
    all("PSC", 0),
    all("ARR", 0xFFFF),
    all("RCR", 0),
    all("CCR1", 0).and(&["CCR2", "CCR3", "CCR4"]),
    but("BDTR", 0, &["BKF1", "BKF2", "BKE2", "BKP2"]),
    all("DCR", 0),
    all("DMAR", 0),
];

/// The same of version 2 (RM0440, "TIM1, TIM8, TIM20 register map" and the maps of the other timers). Of what it has beyond version 3
/// nothing is modelled: dithering, the encoders' index and further modes, the fourth complementary output, preload of SMS, asymmetric
/// dead time, the pulse on a comparison, and a choice of sources of bursts.
pub const MODEL_V2: &[Modelled] = &[
    but("CR1", 0, &["DITHEN"]),
    but("CR2", 0, &["MMS_1", "OISN4"]),
    but("SMCR", 0, &["OCCS", "SMSPE", "SMSPS"]),
    but("DIER", 0, INDEX_ENABLES),
    but("SR", 0, INDEX_FLAGS),
    all("EGR", 0),
    all("CCMR1", 0).and(&["CCMR2", "CCMR3"]),
    but("CCER", 0, &["CCNE4"]),
    all("CNT", 0),
    all("PSC", 0),
    all("ARR", 0xFFFF),
    all("RCR", 0),
    all("CCR1", 0).and(&["CCR2", "CCR3", "CCR4", "CCR5", "CCR6"]),
    but("BDTR", 0, &["BKDSRM1", "BKDSRM2", "BKBID1", "BKBID2"]),
    but("DCR", 0, &["DBSS"]),
    all("DMAR", 0),
    some("AF1", 1, &["BKINE", "BKINP"]),
    some("AF2", 1, &["BK2INE", "BK2INP"]),
];

const INDEX_ENABLES: &[&str] = &["IDXIE", "DIRIE", "IERRIE", "TERRIE"];
const INDEX_FLAGS: &[&str] = &["IDXIF", "DIRIF", "IERRIF", "TERRIF"];

/// The same of version 3 (RM0490, "TIM1 register map" and the maps of the other timers). Comparators, which the parts here do
/// not have, and the choice of other inputs than pins stay out.
pub const MODEL_V3: &[Modelled] = &[
    all("CR1", 0),
    all("CR2", 0),
    all("SMCR", 0),
    all("DIER", 0),
    all("SR", 0),
    all("EGR", 0),
    all("CCMR1", 0).and(&["CCMR2", "CCMR3"]),
    all("CCER", 0),
    all("CNT", 0),
    all("PSC", 0),
    all("ARR", 0xFFFF),
    all("RCR", 0),
    all("CCR1", 0).and(&["CCR2", "CCR3", "CCR4", "CCR5", "CCR6"]),
    all("BDTR", 0),
    all("DCR", 0),
    all("DMAR", 0),
    some("AF1", 1, &["BKINE", "BKINP"]),
    some("AF2", 1, &["BK2INE", "BK2INP"]),
];
