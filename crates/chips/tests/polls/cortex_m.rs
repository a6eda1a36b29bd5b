//! STM32, Kinetis and LM3S parts.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::Pin;
use proptest::prelude::*;

use crate::cortex_asm::*;
use crate::{Case, Loop, Scene, Writes, loops, outside};

/// TST.
fn tst(rn: u16, rm: u16) -> u16 {
    0x4200 | rm << 3 | rn
}

/// The address of the handler of all interrupts, behind the vectors.
const HANDLER: usize = 0x200;

/// The image of a program at `base` with its stack below `stack`. What it writes, and where, comes from a table behind the code.
fn image(base: u32, stack: u32, wait: &Loop) -> Vec<u8> {
    // The handler counts in RAM; then comes the program, which loads r7 with the table's address.
    let counter = stack - 0x400;
    let handler = [ldr_literal(0, 2), ldr(1, 0, 0), adds(1, 1), str(1, 0, 0), BX_LR, NOP];
    let mut code = [&handler[..], &[counter as u16, (counter >> 16) as u16, ldr_literal(7, 0), b(0), 0, 0]].concat();
    let (start, table) = (HANDLER + 16, code.len() - 2);
    // Registers of a halfword lie in the upper one here.
    let write = |(at, _): &(u32, u32)| [ldm(7, 0b11), if at & 2 == 0 { str(1, 0, 0) } else { strh(1, 0, 0) }];
    code.extend(wait.setup.iter().flat_map(write));
    code.extend([ldm(7, 0b1100), mov(6, 7)]);
    let again = code.len() as i16;
    let ldrb = 0x7800 | 2 << 3;
    code.push(if wait.polled & 3 == 0 { ldr(0, 2, 0) } else { ldrb });
    code.extend(vec![NOP; wait.inside]);
    code.push(tst(0, 3));
    code.push(b_if(u16::from(!wait.while_zero), -2 * (wait.inside as i16 + 2) - 4));
    code.push(adds(5, 1));
    code.extend(wait.between.iter().flat_map(write));
    code.push(mov(7, 6));
    code.push(b(2 * (again - code.len() as i16) - 4));
    if code.len() % 2 == 1 {
        code.push(NOP);
    }
    let behind = base + (HANDLER + 2 * code.len()) as u32;
    (code[table], code[table + 1]) = (behind as u16, (behind >> 16) as u16);
    let mut words = vec![base + HANDLER as u32 + 1; HANDLER / 4];
    (words[0], words[1]) = (stack, base + start as u32 + 1);
    let polled = (wait.polled, wait.mask);
    let rows = wait.setup.iter().chain([&polled]).chain(&wait.between);
    let rows = rows.flat_map(|(at, value)| [*at, *value]).flat_map(u32::to_le_bytes);
    let words = words.into_iter().flat_map(u32::to_le_bytes);
    words.chain(code.into_iter().flat_map(u16::to_le_bytes)).chain(rows).collect()
}

struct Chip {
    name: &'static str,
    base: u32,
    stack: u32,
    port: u8,
    pins: &'static [Pin],
    first: &'static [(u32, u32)],
    noise: Writes,
    scenes: &'static [Scene],
}

const PINS: &[Pin] = &[Pin { port: 0, number: 0 }, Pin { port: 0, number: 6 }, Pin { port: 2, number: 13 }];

/// SysTick: reload value, value, control.
const SYSTICK: Scene = Scene {
    writes: &[(0xE000_E014, &[999, 40_000, 100_000]), (0xE000_E018, &[0]), (0xE000_E010, &[1, 5, 7])],
    polled: &[(0xE000_E010, 1 << 16), (0xE000_E010, 1 << 16), (0xE000_E018, 1 << 14)],
};

/// Timers from 0x4000_0000 on: SR, PSC, ARR, CCR1, CCMR1, DIER, EGR, SR, CR1.
const TIM2: Scene = Scene {
    writes: &[
        (0x4000_0028, &[0, 47, 3_999, 9_999]),
        (0x4000_002C, &[3, 10, 999, 30_000]),
        (0x4000_0034, &[2, 5, 700]),
        (0x4000_0018, &[0, 0x30, 0x68, 1]),
        (0x4000_000C, &[0, 0, 1, 2]),
        (0x4000_0014, &[1]),
        (0x4000_0010, &[0]),
        (0x4000_0000, &[1, 1, 9, 0x11, 0x61, 0x85]),
    ],
    polled: &[
        (0x4000_0010, 1),
        (0x4000_0010, 2),
        (0x4000_0024, 4),
        (0x4000_0024, 2),
        (0x4000_0000, 1),
        (0x4000_0000, 0x10),
    ],
};

const TIM3: Scene = Scene {
    writes: &[
        (0x4000_0428, &[0, 47, 3_999, 9_999]),
        (0x4000_042C, &[3, 10, 999, 30_000]),
        (0x4000_0434, &[2, 5, 700]),
        (0x4000_0418, &[0, 0x30, 0x68, 1]),
        (0x4000_040C, &[0, 0, 1, 2]),
        (0x4000_0414, &[1]),
        (0x4000_0410, &[0]),
        (0x4000_0400, &[1, 1, 9, 0x11, 0x61, 0x85, 0x801]),
    ],
    polled: &[
        (0x4000_0410, 1),
        (0x4000_0410, 2),
        (0x4000_0424, 4),
        (0x4000_0424, 2),
        (0x4000_0400, 1),
        (0x4000_0400, 0x10),
    ],
};

const C031: Chip = Chip {
    name: "stm32c031c6",
    base: 0x0800_0000,
    stack: 0x2000_3000,
    port: 2,
    pins: PINS,
    first: &[(0x4002_1034, 0x2F), (0x4002_103C, 0x0022_0002), (0x4002_1040, 0x0002_0801)],
    noise: &[
        // RCC: HSI's divider, AHB's and APB's dividers.
        (0x4002_1000, &[0x500, 0x1D00]),
        (0x4002_1008, &[0x6000, 0x4000, 0x900, 0x6900]),
        (0x5000_0000, &[0xEBFF_2000, 0xEBFF_00A0]),
        (0xE000_E100, &[1 << 28, 1 << 16]),
    ],
    scenes: &[
        SYSTICK,
        TIM3,
        // HSE and LSI.
        Scene {
            writes: &[(0x4002_1000, &[0x0001_0500]), (0x4002_1060, &[1, 0])],
            polled: &[(0x4002_1000, 1 << 17), (0x4002_1060, 2)],
        },
        // USART2: BRR, CR1, TDR, ICR.
        Scene {
            writes: &[
                (0x4000_440C, &[104, 1667, 5000]),
                (0x4000_4400, &[0xD, 0x9, 0x2D, 0x2000_000D, 0xCD]),
                (0x4000_4428, &[0x41, 0x42]),
                (0x4000_4420, &[0x7F]),
            ],
            polled: &[(0x4000_441C, 1 << 5), (0x4000_441C, 1 << 6), (0x4000_441C, 1 << 7), (0x4000_4424, 0xFF)],
        },
        // GPIOA's and GPIOC's inputs.
        Scene { writes: &[(0x5000_000C, &[0, 0x5555_5555])], polled: &[(0x5000_0010, 0x41), (0x5000_0810, 1 << 13)] },
        // IWDG, and what it and flash say of writes.
        Scene {
            writes: &[(0x4000_3000, &[0xCCCC]), (0x4000_3000, &[0x5555]), (0x4000_3004, &[4, 6])],
            polled: &[(0x4000_300C, 7), (0x4002_2010, 1 << 16)],
        },
        // I2C1: TIMINGR, CR1, CR2 with and without START, TXDR; what it says of a bus without anybody.
        Scene {
            writes: &[
                (0x4000_5410, &[0x0010_0A0F, 0x2030_0A0F]),
                (0x4000_5400, &[1, 0x20001]),
                (0x4000_5404, &[0x0001_2078, 0x0202_2078, 0x0101_2478]),
                (0x4000_5428, &[0x55]),
                (0x4000_541C, &[0x38]),
            ],
            polled: &[
                (0x4000_5418, 1 << 15),
                (0x4000_5418, 2),
                (0x4000_5418, 0x20),
                (0x4000_5418, 0x10),
                (0x4000_5404, 1 << 13),
                (0x4000_5424, 0xFF),
            ],
        },
    ],
};

const F446: Chip = Chip {
    name: "stm32f446re",
    base: 0x0800_0000,
    stack: 0x2000_8000,
    port: 2,
    pins: PINS,
    first: &[(0x4002_3830, 0x0060_0087), (0x4002_3840, 0x0002_0003), (0x4002_3844, 0x4001)],
    noise: &[
        // The dividers of the buses, and flash.
        (0x4002_3808, &[0x0000_1000, 0x0000_B400, 0x0000_9480, 0x0000_FC90]),
        (0x4002_3C00, &[0x705, 2]),
        (0x4002_0000, &[0xA800_0000, 0xA800_00A0]),
        (0xE000_E100, &[1 << 28]),
        (0xE000_E104, &[1 << 6]),
    ],
    scenes: &[
        SYSTICK,
        TIM2,
        // HSE and the PLL, and which clock it is.
        Scene {
            writes: &[(0x4002_3800, &[0x0001_0083]), (0x4002_3800, &[0x0101_0083]), (0x4002_3808, &[0, 1])],
            polled: &[(0x4002_3800, 1 << 17), (0x4002_3800, 1 << 25), (0x4002_3808, 4)],
        },
        // USART2: BRR, CR1, DR, SR; by bit-band too.
        Scene {
            writes: &[
                (0x4000_4408, &[139, 1667]),
                (0x4000_440C, &[0x200C, 0x202C, 0x20CC]),
                (0x4000_4404, &[0x41]),
                (0x4000_4400, &[0]),
            ],
            polled: &[
                (0x4000_4400, 1 << 5),
                (0x4000_4400, 1 << 6),
                (0x4000_4400, 1 << 7),
                (0x4000_4404, 0xFF),
                (0x4208_8000 + 4 * 6, 1),
            ],
        },
        // DMA1's stream 6 to USART2_DR: addresses, number, control.
        Scene {
            writes: &[
                (0x4000_4408, &[139]),
                (0x4000_440C, &[0x200C]),
                (0x4000_4414, &[0x80]),
                (0x4002_60A8, &[0x4000_4404]),
                (0x4002_60AC, &[0x2000_0000]),
                (0x4002_60A4, &[3, 30]),
                (0x4002_60A0, &[0x0800_0441]),
            ],
            polled: &[(0x4002_6004, 1 << 21), (0x4002_60A4, 3), (0x4002_60A0, 1), (0x4000_4400, 1 << 6)],
        },
        Scene { writes: &[(0x4002_000C, &[0, 0x5555_5555])], polled: &[(0x4002_0010, 0x41), (0x4002_0810, 1 << 13)] },
    ],
};

const F103: Chip = Chip {
    name: "stm32f103c8",
    base: 0x0800_0000,
    stack: 0x2000_4000,
    port: 1,
    pins: PINS,
    first: &[(0x4002_1018, 0x5C1D), (0x4002_101C, 0x0020_0003), (0x4001_0C00, 0xFF44_4444)],
    noise: &[(0x4002_1004, &[0x2400, 0x3F00]), (0x4001_0800, &[0x4444_4444, 0x8888_8888])],
    scenes: &[
        SYSTICK,
        TIM2,
        Scene { writes: &[(0x4002_1000, &[0x0001_0083])], polled: &[(0x4002_1000, 1 << 17)] },
        Scene {
            writes: &[(0x4001_3808, &[69, 833]), (0x4001_380C, &[0x200C, 0x202C]), (0x4001_3804, &[0x55])],
            polled: &[(0x4001_3800, 1 << 5), (0x4001_3800, 1 << 6), (0x4001_3800, 1 << 7)],
        },
        Scene { writes: &[(0x4001_080C, &[0, 0x41])], polled: &[(0x4001_0808, 0x41), (0x4001_1008, 1 << 13)] },
        // I2C1: CR2, CCR, TRISE, CR1, DR; what it says of a bus without pull-ups or anybody.
        Scene {
            writes: &[
                (0x4000_5404, &[8, 0x708]),
                (0x4000_541C, &[40, 4]),
                (0x4000_5420, &[9]),
                (0x4000_5400, &[1, 0x101, 0x101, 0x201]),
                (0x4000_5410, &[0x78]),
            ],
            polled: &[
                (0x4000_5414, 1),
                (0x4000_5414, 2),
                (0x4000_5414, 0x80),
                (0x4000_5414, 0x400),
                (0x4000_5400, 0x200),
                (0x4000_5418, 2),
            ],
        },
    ],
};

const K20: Chip = Chip {
    name: "mk20dx256",
    base: 0,
    stack: 0x2000_8000,
    port: 0,
    pins: &[Pin { port: 1, number: 16 }, Pin { port: 2, number: 5 }],
    // The watchdog off; clocks for the ports, UART0 and the PIT.
    first: &[
        (0x4005_200E, 0xC520),
        (0x4005_200E, 0xD928),
        (0x4005_2000, 0x0001_01D2),
        (0x4004_8038, 0x3E00),
        (0x4004_8034, 0xF000_0430),
        (0x4004_803C, 0x0080_0001),
    ],
    noise: &[(0x4004_8044, &[0, 0x0111_0000, 0x0333_0000, 0x1113_0000]), (0xE000_E108, &[1 << 4])],
    scenes: &[
        SYSTICK,
        // PIT: MCR, LDVAL0, TCTRL0, TFLG0.
        Scene {
            writes: &[
                (0x4003_7000, &[0]),
                (0x4003_7100, &[999, 30_000]),
                (0x4003_710C, &[1]),
                (0x4003_7108, &[1, 1, 3]),
            ],
            polled: &[(0x4003_710C, 1), (0x4003_710C, 1), (0x4003_7104, 0x1000)],
        },
        // UART0: status, and PORTB's input.
        Scene { writes: &[(0x4004_A040, &[0x300, 0x103])], polled: &[(0x4006_A005, 0xFF), (0x400F_F050, 1 << 16)] },
    ],
};

const LM3S: Chip = Chip {
    name: "cortex-m3",
    base: 0x0800_0000,
    stack: 0x2000_4000,
    port: 0,
    pins: &[Pin { port: 0, number: 0 }],
    first: &[],
    noise: &[(0x4000_C044, &[0x7F0])],
    scenes: &[
        SYSTICK,
        // IBRD, FBRD, LCRH, CTL, DR.
        Scene {
            writes: &[
                (0x4000_C024, &[8, 100]),
                (0x4000_C028, &[44]),
                (0x4000_C02C, &[0x60, 0x70]),
                (0x4000_C030, &[0x301]),
                (0x4000_C000, &[0x41]),
            ],
            polled: &[(0x4000_C018, 8), (0x4000_C018, 0x10), (0x4000_C03C, 0x30), (0x4000_C000, 0xFF)],
        },
    ],
};

/// Checks a loop of `chip` that begins with `writes` and then waits for ever: until the bits `mask` at `polled` are set, or with
/// `while_zero` off until they are clear.
fn is_skipped(chip: &'static Chip, writes: &[(u32, u32)], polled: u32, mask: u32, while_zero: bool) {
    let setup = [chip.first, writes].concat();
    let wait = Loop { setup, polled, mask, while_zero, inside: 2, between: Vec::new() };
    let code = vec![(chip.base, image(chip.base, chip.stack, &wait))];
    let case = Case { part: chip.name, memory: MemorySetting::Equal, code, wait, outside: Vec::new(), end: 200_000 };
    let skipped = case.is_the_same_skipped();
    assert!(skipped > case.end / 2, "{case:?}: {skipped} cycles skipped");
}

#[test]
fn a_bus_that_stays_as_it_is_is_polled_in_no_time() {
    // I2C v1 holds SCL behind a start condition for an address that nobody writes: SR2.BUSY.
    let started = [(0x4000_5404, 8), (0x4000_541C, 40), (0x4000_5420, 9), (0x4000_5400, 1), (0x4000_5400, 0x101)];
    is_skipped(&F103, &started, 0x4000_5418, 2, false);
    // It was never started.
    is_skipped(&F103, &started[..4], 0x4000_5418, 2, true);
    // I2C v2: nobody acknowledges, so that ISR.TXIS does not come; the bus becomes free and stays so.
    let called = [(0x4000_5410, 0x0010_0A0F), (0x4000_5400, 1), (0x4000_5404, 0x0202_2078)];
    is_skipped(&C031, &called, 0x4000_5418, 2, true);
    is_skipped(&C031, &called[..2], 0x4000_5418, 1 << 15, true);
}

/// A Kinetis' flash configuration field, which leaves the part open.
fn flash_field(chip: &Chip) -> Vec<(u32, Vec<u8>)> {
    if chip.base == 0 { vec![(0x400, [&[0xFF; 12][..], &[0xFE, 0xFF, 0xFF, 0xFF]].concat())] } else { Vec::new() }
}

fn case(chip: &'static Chip) -> impl Strategy<Value = Case<'static>> {
    let memory = prop::sample::select(vec![MemorySetting::Equal, MemorySetting::Shipped]);
    (loops(chip.first, chip.noise, chip.scenes), outside(chip.pins, chip.port), memory).prop_map(
        |(wait, outside, memory)| Case {
            part: chip.name,
            memory,
            code: [vec![(chip.base, image(chip.base, chip.stack, &wait))], flash_field(chip)].concat(),
            wait,
            outside,
            end: 200_000,
        },
    )
}

fn check(chip: &'static Chip, cases: u32) {
    crate::check(cases, &case(chip));
}

#[test]
fn polls_of_an_stm32c0_are_skipped_exactly() {
    check(&C031, 150);
}

#[test]
fn polls_of_an_stm32f4_are_skipped_exactly() {
    check(&F446, 150);
}

#[test]
fn polls_of_an_stm32f1_are_skipped_exactly() {
    check(&F103, 80);
}

#[test]
fn polls_of_a_kinetis_are_skipped_exactly() {
    check(&K20, 60);
}

#[test]
fn polls_of_an_lm3s_are_skipped_exactly() {
    check(&LM3S, 40);
}
