//! GPIO of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "gpio",
    version: "esp8266",
    registers: &[
        word("OUT", 0x0, ReadWrite, &[Field::new("GPIO_OUT_DATA", 0, 16), Field::new("GPIO_BT_SEL", 16, 16)]),
        word("OUT_W1TS", 0x4, WriteOnly, &[Field::new("GPIO_OUT_DATA_W1TS", 0, 16)]),
        word("OUT_W1TC", 0x8, WriteOnly, &[Field::new("GPIO_OUT_DATA_W1TC", 0, 16)]),
        word("ENABLE", 0xc, ReadWrite, &[Field::new("GPIO_ENABLE_DATA", 0, 16), Field::new("GPIO_SDIO_SEL", 16, 6)]),
        word("ENABLE_W1TS", 0x10, WriteOnly, &[Field::new("GPIO_ENABLE_DATA_W1TS", 0, 16)]),
        word("ENABLE_W1TC", 0x14, WriteOnly, &[Field::new("GPIO_ENABLE_DATA_W1TC", 0, 16)]),
        word("IN", 0x18, ReadWrite, &[Field::new("GPIO_IN_DATA", 0, 16), Field::new("GPIO_STRAPPING", 16, 16)]),
        word("STATUS", 0x1c, ReadWrite, &[Field::new("GPIO_STATUS_INTERRUPT", 0, 16)]),
        word("STATUS_W1TS", 0x20, WriteOnly, &[Field::new("GPIO_STATUS_INTERRUPT_W1TS", 0, 16)]),
        word("STATUS_W1TC", 0x24, WriteOnly, &[Field::new("GPIO_STATUS_INTERRUPT_W1TC", 0, 16)]),
        word(
            "PIN0",
            0x28,
            ReadWrite,
            &[
                Field::new("GPIO_PIN0_SOURCE", 0, 1),
                Field::new("GPIO_PIN0_DRIVER", 2, 1),
                Field::new("GPIO_PIN0_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN0_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN1",
            0x2c,
            ReadWrite,
            &[
                Field::new("GPIO_PIN1_SOURCE", 0, 1),
                Field::new("GPIO_PIN1_DRIVER", 2, 1),
                Field::new("GPIO_PIN1_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN1_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN2",
            0x30,
            ReadWrite,
            &[
                Field::new("GPIO_PIN2_SOURCE", 0, 1),
                Field::new("GPIO_PIN2_DRIVER", 2, 1),
                Field::new("GPIO_PIN2_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN2_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN3",
            0x34,
            ReadWrite,
            &[
                Field::new("GPIO_PIN3_SOURCE", 0, 1),
                Field::new("GPIO_PIN3_DRIVER", 2, 1),
                Field::new("GPIO_PIN3_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN3_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN4",
            0x38,
            ReadWrite,
            &[
                Field::new("GPIO_PIN4_SOURCE", 0, 1),
                Field::new("GPIO_PIN4_DRIVER", 2, 1),
                Field::new("GPIO_PIN4_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN4_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN5",
            0x3c,
            ReadWrite,
            &[
                Field::new("GPIO_PIN5_SOURCE", 0, 1),
                Field::new("GPIO_PIN5_DRIVER", 2, 1),
                Field::new("GPIO_PIN5_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN5_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN6",
            0x40,
            ReadWrite,
            &[
                Field::new("GPIO_PIN6_SOURCE", 0, 1),
                Field::new("GPIO_PIN6_DRIVER", 2, 1),
                Field::new("GPIO_PIN6_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN6_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN7",
            0x44,
            ReadWrite,
            &[
                Field::new("GPIO_PIN7_SOURCE", 0, 1),
                Field::new("GPIO_PIN7_DRIVER", 2, 1),
                Field::new("GPIO_PIN7_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN7_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN8",
            0x48,
            ReadWrite,
            &[
                Field::new("GPIO_PIN8_SOURCE", 0, 1),
                Field::new("GPIO_PIN8_DRIVER", 2, 1),
                Field::new("GPIO_PIN8_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN8_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN9",
            0x4c,
            ReadWrite,
            &[
                Field::new("GPIO_PIN9_SOURCE", 0, 1),
                Field::new("GPIO_PIN9_DRIVER", 2, 1),
                Field::new("GPIO_PIN9_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN9_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN10",
            0x50,
            ReadWrite,
            &[
                Field::new("GPIO_PIN10_SOURCE", 0, 1),
                Field::new("GPIO_PIN10_DRIVER", 2, 1),
                Field::new("GPIO_PIN10_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN10_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN11",
            0x54,
            ReadWrite,
            &[
                Field::new("GPIO_PIN11_SOURCE", 0, 1),
                Field::new("GPIO_PIN11_DRIVER", 2, 1),
                Field::new("GPIO_PIN11_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN11_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN12",
            0x58,
            ReadWrite,
            &[
                Field::new("GPIO_PIN12_SOURCE", 0, 1),
                Field::new("GPIO_PIN12_DRIVER", 2, 1),
                Field::new("GPIO_PIN12_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN12_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN13",
            0x5c,
            ReadWrite,
            &[
                Field::new("GPIO_PIN13_SOURCE", 0, 1),
                Field::new("GPIO_PIN13_DRIVER", 2, 1),
                Field::new("GPIO_PIN13_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN13_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN14",
            0x60,
            ReadWrite,
            &[
                Field::new("GPIO_PIN14_SOURCE", 0, 1),
                Field::new("GPIO_PIN14_DRIVER", 2, 1),
                Field::new("GPIO_PIN14_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN14_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "PIN15",
            0x64,
            ReadWrite,
            &[
                Field::new("GPIO_PIN15_SOURCE", 0, 1),
                Field::new("GPIO_PIN15_DRIVER", 2, 1),
                Field::new("GPIO_PIN15_INT_TYPE", 7, 3),
                Field::new("GPIO_PIN15_WAKEUP_ENABLE", 10, 1),
            ],
        ),
        word(
            "SIGMA_DELTA",
            0x68,
            ReadWrite,
            &[
                Field::new("SIGMA_DELTA_TARGET", 0, 8),
                Field::new("SIGMA_DELTA_PRESCALAR", 8, 8),
                Field::new("SIGMA_DELTA_ENABLE", 16, 1),
            ],
        ),
        word(
            "RTC_CALIB_SYNC",
            0x6c,
            ReadWrite,
            &[Field::new("RTC_PERIOD_NUM", 0, 10), Field::new("RTC_CALIB_START", 31, 1)],
        ),
        word(
            "RTC_CALIB_VALUE",
            0x70,
            ReadWrite,
            &[
                Field::new("RTC_CALIB_VALUE", 0, 20),
                Field::new("RTC_CALIB_RDY_REAL", 30, 1),
                Field::new("RTC_CALIB_RDY", 31, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
