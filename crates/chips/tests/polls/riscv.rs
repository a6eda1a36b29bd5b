//! RISC-V parts.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::Pin;
use proptest::prelude::*;

use crate::riscv_asm::*;
use crate::{Case, Loop, Scene, Writes, loops, outside};

fn li(register: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [lui(register, value.wrapping_sub(low as u32)), addi(register, register, low)]
}

/// The program in RAM.
fn image(wait: &Loop) -> Vec<u8> {
    let write = |(address, value): &(u32, u32)| {
        let store = if bytes(*address) { sb(6, 5, 0) } else { sw(6, 5, 0) };
        [&li(5, *address)[..], &li(6, *value), &[store]].concat()
    };
    let mut code: Vec<u32> = wait.setup.iter().flat_map(write).collect();
    let again = code.len() as i32;
    code.extend([li(7, wait.polled), li(8, wait.mask)].concat());
    code.push(if bytes(wait.polled) { lb(9, 7, 0) } else { lw(9, 7, 0) });
    code.extend(vec![addi(0, 0, 0); wait.inside]);
    // AND x9, x9, x8
    code.push(0x0084_F4B3);
    let back = -4 * (wait.inside as i32 + 2);
    code.push(if wait.while_zero { beq(9, 0, back) } else { bne(9, 0, back) });
    code.push(addi(10, 10, 1));
    code.extend(wait.between.iter().flat_map(write));
    code.push(jal(0, 4 * (again - code.len() as i32)));
    code.into_iter().flat_map(u32::to_le_bytes).collect()
}

const UART: u32 = 0x1000_0000;

/// `virt`'s UART takes bytes.
fn bytes(address: u32) -> bool {
    address >> 12 == UART >> 12
}

const SCENES: &[Scene] = &[
    // The line control with and without the divisor, which is written between, FIFOs, interrupts, a byte.
    Scene {
        writes: &[
            (UART + 3, &[0x83]),
            (UART, &[1, 12]),
            (UART + 3, &[3, 0x1B]),
            (UART + 2, &[0, 1, 7, 0xC1]),
            (UART + 1, &[0, 1, 2]),
            (UART, &[0x41, 0x42]),
        ],
        polled: &[(UART + 5, 1), (UART + 5, 0x20), (UART + 5, 0x40), (UART + 2, 4), (UART, 0xFF), (UART + 1, 1)],
    },
    // mtimecmp and mtime.
    Scene {
        writes: &[(0x0200_4000, &[1_000, 2_000_000]), (0x0200_4004, &[0]), (0x0200_BFF8, &[0, 77])],
        polled: &[(0x0200_BFF8, 1 << 8), (0x0200_BFF8, 1 << 12), (0x0200_BFFC, 1), (0x0200_4000, 8)],
    },
    // The PLIC: priority and enabled sources.
    Scene { writes: &[(0x0C00_0028, &[1, 3]), (0x0C00_2000, &[1 << 10])], polled: &[(0x0C00_1000, 1 << 10)] },
];

#[test]
fn polls_of_virt_are_skipped_exactly() {
    let noise: Writes = &[(UART + 7, &[0x55])];
    let cases = (loops(&[], noise, SCENES), outside(&[Pin { port: 0, number: 0 }], 0));
    let cases = cases.prop_map(|(wait, outside)| Case {
        part: "virt",
        memory: MemorySetting::Equal,
        code: vec![(0x8000_0000, image(&wait))],
        wait,
        outside,
        end: 200_000,
    });
    crate::check(150, &cases);
}
