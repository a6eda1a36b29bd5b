//! ESP8266 (no manual describes its buses; `eagle_soc.h` of ESP8266_RTOS_SDK has addresses) and ESP32 (Technical Reference Manual
//! 5.2, "System and Memory").

use cyclescope_machine::TimingRow;
use cyclescope_peripherals::esp::ROWS;

use crate::family::{Absent, Cost, Family, Lanes, Mirror, Segment, Unclocked};

static APB_8266: TimingRow = TimingRow::assumed(
    "bus.apb",
    "periods of the APB's clock that an access to a register takes from an edge of it on",
    2,
    "no manual says; a loop that writes GPIO_OUT_W1TS 20 times took 1.9 us at 80 MHz (wdim0/esp8266_direct_gpio), 7.6 cycles a \
     turn, of which the loop has its share",
);

static APB_32: TimingRow = TimingRow::assumed(
    "bus.apb",
    "periods of the APB's clock that an access to a register takes from an edge of it on",
    2,
    "no manual says; 10 million reads of a pin took 505 ms at 240 MHz (reddit.com, r/esp32, f529hf), 12 cycles a turn, of which the \
     loop has its share",
);

static DPORT_32: TimingRow = TimingRow::assumed(
    "bus.dport",
    "extra cycles of an access to DPORT, which is on the core's own bus",
    0,
    "TRM 5.2, System and Memory: DPORT is reached past the APB; it gives no time",
);

/// The ESP8266.
pub(crate) static ESP8266: Family = Family {
    segments: &[
        Segment::new(0x3FF0_0000, 0x3FF2_1000, Lanes::Own, Cost::Apb1(&APB_8266)),
        Segment::new(0x6000_0000, 0x6000_1000, Lanes::Own, Cost::Apb1(&APB_8266)),
        // The radio's registers lie among these; no document describes them.
        Segment::new(0x6000_1000, 0x6001_0000, Lanes::Own, Cost::Apb1(&APB_8266)).with_blocks_to(0x6000_1000),
    ],
    rows: ROWS,
    unclocked: Unclocked::Unsaid,
    absent: &[
        Absent { from: 0x4000_0000, to: 0x4001_0000, name: "the vendor's boot ROM" },
        Absent { from: 0x4020_0000, to: 0x4030_0000, name: "serial flash through the cache" },
    ],
    ram_sizes: 1024..0x0002_0001,
    ..Family::bare("esp8266")
};

/// The ESP32.
pub(crate) static ESP32: Family = Family {
    segments: &[
        Segment::new(0x3FF0_0000, 0x3FF4_0000, Lanes::Own, Cost::Adds(&DPORT_32)).with_blocks_to(0x3FF0_4000),
        Segment::new(0x3FF4_0000, 0x3FF8_0000, Lanes::Own, Cost::Apb1(&APB_32)).with_blocks_to(0x3FF7_5400),
    ],
    rows: ROWS,
    unclocked: Unclocked::Unsaid,
    // "System and Memory", "Peripherals": 0x60000000 is the same bus for the radio and for UARTs' FIFOs.
    mirror: Some(Mirror { from: 0x6000_0000, to: 0x6004_0000, of: 0x3FF4_0000 }),
    absent: &[
        Absent {
            from: 0x3FF4_E000,
            to: 0x3FF4_F000,
            name: "the internal bus to the PLL, which has the frequency that is asked for",
        },
        Absent { from: 0x3F40_0000, to: 0x3FC0_0000, name: "serial flash and external RAM through the cache" },
        Absent { from: 0x3FF9_0000, to: 0x3FFA_0000, name: "the vendor's boot ROM" },
        Absent { from: 0x4000_0000, to: 0x4007_0000, name: "the vendor's boot ROM" },
        Absent { from: 0x4007_0000, to: 0x4008_0000, name: "RAM that the caches use" },
        Absent { from: 0x400A_0000, to: 0x400C_0000, name: "the other order of SRAM 1's words on the instruction bus" },
        Absent { from: 0x400C_0000, to: 0x400C_2000, name: "RTC FAST memory on the instruction bus" },
        Absent { from: 0x400C_2000, to: 0x40C0_0000, name: "serial flash through the cache" },
    ],
    ram_sizes: 1024..0x0008_2001,
    ..Family::bare("esp32")
};
