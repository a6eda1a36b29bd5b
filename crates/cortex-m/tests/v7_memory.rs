//! The MPU of both architectures, bit-band aliases, and unaligned accesses: DDI 0403E §B3.5, §A3.2; DDI 0439 §3.7.

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;
use cyclescope_machine::{FlashTiming, Stop};

const SPOT: u32 = RAM + 0x400;

/// Tells whether `instruction`, with `address` in r1, goes through, with or without privilege.
fn allowed(machine: &Machine, instruction: &[u16], address: u32, privileged: bool) -> bool {
    let mut machine = machine.clone().code_at(CODE, &[instruction, &[bkpt(0)]].concat()).set(1, address);
    machine.core.cpu_mut().unprivileged = !privileged;
    match machine.run_to_stop(100) {
        Stop::Breakpoint(..) => true,
        Stop::Horizon | Stop::Lockup(_) => false,
        stop => panic!("{stop:?}"),
    }
}

fn reads(machine: &Machine, address: u32, privileged: bool) -> bool {
    allowed(machine, &[ldr(0, 1, 0)], address, privileged)
}

fn writes(machine: &Machine, address: u32, privileged: bool) -> bool {
    allowed(machine, &[str(0, 1, 0)], address, privileged)
}

/// Regions for the code: flash for all.
fn with_flash(machine: Machine) -> Machine {
    machine.region(0, FLASH, sized(16, ALL_READ)).with(MPU_CTRL, WITH_DEFAULT)
}

#[test]
fn permissions_of_both_privileges() {
    // AP, then privileged reads and writes, unprivileged reads and writes (DDI 0403E table B3-15).
    for (ap, expected) in [
        (0, [false; 4]),
        (1, [true, true, false, false]),
        (2, [true, true, true, false]),
        (3, [true; 4]),
        (5, [true, false, false, false]),
        (6, [true, false, true, false]),
        (7, [true, false, true, false]),
    ] {
        let machine = with_flash(m3(&[NOP])).region(1, SPOT, sized(8, ap << 24));
        let seen = [
            reads(&machine, SPOT, true),
            writes(&machine, SPOT, true),
            reads(&machine, SPOT, false),
            writes(&machine, SPOT, false),
        ];
        assert_eq!(seen, expected, "AP {ap}");
        // LDRT and STRT ask as unprivileged code, though privileged.
        assert_eq!(allowed(&machine, &ldrt(0, 1), SPOT, true), expected[2], "LDRT, AP {ap}");
        assert_eq!(allowed(&machine, &strt(0, 1), SPOT, true), expected[3], "STRT, AP {ap}");
    }
}

#[test]
fn the_region_of_the_highest_number_decides() {
    let machine = with_flash(m3(&[NOP])).region(2, RAM, sized(12, ALL)).region(3, SPOT, sized(8, NO_ACCESS)).region(
        4,
        SPOT + 0x40,
        sized(5, PRIVILEGED),
    );
    assert!(reads(&machine, SPOT - 4, false));
    assert!(!reads(&machine, SPOT, true));
    assert!(reads(&machine, SPOT + 0x40, true) && !reads(&machine, SPOT + 0x40, false));
    assert!(reads(&machine, SPOT + 0x5C, true) && !reads(&machine, SPOT + 0x60, true));
    assert!(reads(&machine, SPOT + 0x100, false));
    // Off, it decides nothing.
    let machine = machine.region(3, SPOT, sized(8, NO_ACCESS) & !1);
    assert!(reads(&machine, SPOT, false));
}

#[test]
fn subregions_that_are_off_leave_the_decision_to_others() {
    // 256 bytes: eight subregions of 32; the second and the last are off.
    let machine =
        with_flash(m3(&[NOP])).region(2, RAM, sized(12, ALL)).region(3, SPOT, sized(8, NO_ACCESS) | 0x82 << 8);
    for subregion in 0..8 {
        let through = subregion == 1 || subregion == 7;
        assert_eq!(reads(&machine, SPOT + 32 * subregion, false), through, "{subregion}");
        assert_eq!(reads(&machine, SPOT + 32 * subregion + 28, false), through, "{subregion}");
    }
}

#[test]
fn the_default_map_is_for_privileged_code_when_allowed() {
    let machine = with_flash(m3(&[NOP]));
    assert!(reads(&machine, SPOT, true) && !reads(&machine, SPOT, false));
    let machine = machine.with(MPU_CTRL, 1);
    assert!(!reads(&machine, SPOT, true));
    // The private peripheral bus is open to privileged code whatever the regions say.
    assert!(reads(&machine, CCR, true) && !reads(&machine, CCR, false));
    let machine = machine.region(5, 0xE000_E000, sized(12, NO_ACCESS));
    assert!(reads(&machine, CCR, true));
}

#[test]
fn vectors_are_read_by_the_default_map() {
    // Code and stack have regions, the table has none (DDI 0403E §B3.5).
    let mut machine = m3(&[NOP; 40])
        .region(0, FLASH + 0x1000, sized(12, ALL_READ))
        .region(1, RAM, sized(12, ALL))
        .region(2, CODE, sized(8, ALL_READ))
        .region(3, FLASH + 0x3F00, sized(8, ALL_READ))
        .handler(IRQ0, &[bkpt(0)])
        .with(MPU_CTRL, 1)
        .interrupt(0, 0)
        .at(5, Action::Pulse(0));
    machine.run_to_breakpoint();
    assert_eq!(u32::from(machine.ipsr()), IRQ0);
}

#[test]
fn hard_fault_and_faultmask_are_looked_at_only_when_told() {
    let handler = [ldr(0, 1, 0), bkpt(0)];
    for (control, goes_on) in [(5, true), (7, false)] {
        let mut machine =
            m3(&[udf(0)]).handler(HARD_FAULT, &handler).region(1, SPOT, sized(8, NO_ACCESS)).with(MPU_CTRL, control);
        let stop = machine.clone().set(1, SPOT).run_to_stop(100);
        assert_eq!(matches!(stop, Stop::Breakpoint(..)), goes_on, "HardFault, {control}: {stop:?}");
        machine = machine.code_at(CODE, &[CPSID_F, ldr(0, 1, 0), bkpt(0)]);
        let stop = machine.set(1, SPOT).run_to_stop(100);
        assert_eq!(matches!(stop, Stop::Breakpoint(..)), goes_on, "FAULTMASK, {control}: {stop:?}");
    }
}

#[test]
fn code_in_a_region_that_is_switched_off_stops_there() {
    // A loop in RAM runs; thread code makes its region execute-never, then runs it again: warm code is asked anew.
    let code = code![blx(7), mov32(0, MPU_RASR), str(6, 0, 0), blx(7), SELF];
    let function = code![movs(2, 50), subs(2, 1), b_if(NE, -6), adds(3, 1), BX_LR];
    for (rasr, faults) in [(sized(8, ALL | XN), true), (sized(8, PRIVILEGED_READS), false), (sized(8, NO_ACCESS), true)]
    {
        let mut machine = with_flash(m3(&code))
            .with(SHCSR, ALL_FAULTS)
            .code_at(SPOT, &function)
            .region(1, SPOT, sized(8, ALL))
            .set(3, 0)
            .set(6, rasr)
            .set(7, SPOT | 1);
        machine.run_to_stop(2000);
        assert_eq!(machine.r(3), if faults { 1 } else { 2 }, "{rasr:#x}");
        assert_eq!(machine.cfsr(), u32::from(faults), "IACCVIOL");
        if faults {
            assert_eq!(machine.frame()[6], SPOT, "return address");
        }
    }
}

#[test]
fn code_of_another_privilege_is_asked_anew() {
    // The function is privileged code's; thread code drops its privilege between two calls.
    let code = code![blx(7), movs(0, 1), msr(CONTROL, 0), ISB, blx(7), SELF];
    let function = code![movs(2, 50), subs(2, 1), b_if(NE, -6), adds(3, 1), BX_LR];
    let mut machine = with_flash(m3(&code))
        .region(2, RAM, sized(12, ALL))
        .region(3, SPOT, sized(8, PRIVILEGED))
        .with(SHCSR, ALL_FAULTS)
        .code_at(SPOT, &function)
        .set(3, 0)
        .set(7, SPOT | 1);
    machine.run_to_stop(2000);
    assert_eq!((machine.r(3), machine.cfsr()), (1, 1));
}

#[test]
fn frames_are_moved_with_the_rights_of_their_mode() {
    // The main stack is privileged code's; an unprivileged thread is interrupted, and its handler interrupted again.
    let main = RAM + 0x800;
    let mut machine = with_flash(m3(&[NOP; 100]))
        .with(SHCSR, ALL_FAULTS)
        .region(2, RAM, sized(10, ALL))
        .region(3, main - 0x100, sized(8, PRIVILEGED))
        .handler(IRQ0, &code![vec![NOP; 40], movs(5, 1), BX_LR])
        .handler(IRQ0 + 1, &code![movs(6, 1), BX_LR])
        .interrupt(0, 0x80)
        .interrupt(1, 0)
        .at(5, Action::Pulse(0))
        .at(30, Action::Pulse(1));
    let cpu = machine.core.cpu_mut();
    cpu.unprivileged = true;
    cpu.select_stack(true);
    cpu.other_sp = main;
    cpu.r[13] = RAM + 0x300;
    machine.run_to_stop(120);
    assert_eq!((machine.r(5), machine.r(6), machine.cfsr(), machine.ipsr()), (1, 1, 0, 0));
}

#[test]
fn registers_of_the_unit() {
    let machine = m3(&[NOP]);
    assert_eq!(machine.register(MPU_TYPE), 8 << 8);
    // RBAR with VALID selects the region, and so do its aliases.
    let machine = machine.with(MPU_RNR, 2).with(MPU_RBAR, RAM | 0x10 | 5).with(MPU_RASR, 0x0300_0011);
    assert_eq!([MPU_RNR, MPU_RBAR, MPU_RASR].map(|at| machine.register(at)), [5, RAM | 5, 0x0300_0011]);
    let machine = machine.with(MPU_RBAR, (RAM + 0x100) | 3);
    assert_eq!(machine.register(MPU_RBAR), (RAM + 0x100) | 5, "without VALID the number in it counts for nothing");
    for alias in 1..4 {
        let rbar = MPU_RBAR + 8 * alias;
        let machine = machine.clone().with(rbar, (RAM + 0x200) | 0x10 | alias).with(rbar + 4, 0x0100_000F);
        assert_eq!(
            [MPU_RNR, MPU_RBAR, MPU_RASR].map(|at| machine.register(at)),
            [alias, (RAM + 0x200) | alias, 0x0100_000F]
        );
    }
    // A part without the unit.
    let none = cyclescope_cortex_m::Config { mpu_regions: 0, ..machine.core.cpu().config };
    let mut machine = Machine::configured(
        none,
        FlashTiming::IDEAL,
        &code![mov32(0, MPU_TYPE), ldr(1, 0, 0), str(0, 0, 1), ldr(2, 0, 1), bkpt(0)],
    );
    machine.run_to_breakpoint();
    assert_eq!([machine.r(1), machine.r(2)], [0, 0]);
}

#[test]
fn an_armv6m_mpu_protects_too() {
    let config = cyclescope_cortex_m::Config { mpu_regions: 8, ..config() };
    // r0 = MPU_RNR - 4; region 0 is r2, r3; then the access.
    let code = |access: u16| code![str(2, 0, 2), str(3, 0, 3), str(4, 0, 0), DSB, ISB, access, bkpt(0)];
    for (access, rasr, goes_on) in [
        (ldr(6, 1, 0), sized(8, ALL), true),
        (ldr(6, 1, 0), sized(8, NO_ACCESS), false),
        (str(6, 1, 0), sized(8, PRIVILEGED_READS), false),
        (ldr(6, 1, 0), sized(8, PRIVILEGED_READS), true),
        (bx(5), sized(8, ALL | XN), false),
        (bx(5), sized(8, ALL), true),
        (ldm(1, 0x60), sized(8, NO_ACCESS), false),
    ] {
        let mut machine = Machine::configured(config, FlashTiming::IDEAL, &code(access))
            .set(0, MPU_CTRL)
            .set(1, SPOT)
            .set(2, SPOT | 0x10)
            .set(3, rasr)
            .set(4, WITH_DEFAULT)
            .set(5, SPOT | 1)
            .code_at(SPOT, &[bkpt(0)]);
        let stop = machine.run_to_stop(100);
        assert_eq!(matches!(stop, Stop::Breakpoint(..)), goes_on, "{access:#x} {rasr:#x}: {stop:?}");
        if !goes_on {
            assert_eq!(u32::from(machine.ipsr()), HARD_FAULT);
        }
    }
}

#[test]
fn bit_band_aliases_of_ram() {
    let alias = |address: u32, bit: u32| 0x2200_0000 + (address - RAM) * 32 + bit * 4;
    // Each width reads 0 or 1 and changes its bit alone.
    for bit in [0, 5, 9, 17, 31] {
        let code = code![
            ldr(2, 1, 0),
            ldrh(3, 1, 0),
            ldrb_w(4, 1, 0),
            str(5, 1, 0),
            ldr(6, 0, 0),
            strh(7, 1, 0),
            ldr_w(8, 0, 0),
            strb_w(5, 1, 0),
            ldr_w(9, 0, 0),
            bkpt(0)
        ];
        let old = 0xA5A5_5A5A;
        let mut machine = m3(&code)
            .set(0, SPOT)
            .set(1, alias(SPOT, bit))
            .set(5, 0xFFFF_FFFF)
            .set(7, 0xFFFE)
            .word_at(SPOT, old)
            .word_at(SPOT + 4, 0x1111_1111);
        machine.run_to_breakpoint();
        assert_eq!([2, 3, 4].map(|register| machine.r(register)), [old >> bit & 1; 3], "bit {bit}");
        let (set, clear) = (old | 1 << bit, old & !(1 << bit));
        assert_eq!([6, 8, 9].map(|register| machine.r(register)), [set, clear, set], "bit {bit}");
        assert_eq!(machine.word(SPOT + 4), 0x1111_1111);
    }
    // A core without the aliases has nothing there.
    let none = cyclescope_cortex_m::Config { bit_band: false, ..m3(&[NOP]).core.cpu().config };
    let mut machine = Machine::configured(none, FlashTiming::IDEAL, &[ldr(2, 1, 0), SELF]).set(1, alias(SPOT, 0));
    assert_eq!(machine.entries(60).first().map(|(_, number)| u32::from(*number)), Some(HARD_FAULT));
}

#[test]
fn bit_band_aliases_of_a_device_read_and_write_it() {
    let alias = 0x4200_0000 + (WORDS - 0x4000_0000) * 32 + 4 * 4;
    for (store, width) in
        [(str(5, 1, 0).into_code(), 32), (strh(5, 1, 0).into_code(), 16), (strb_w(5, 1, 0).to_vec(), 8)]
    {
        let code = [store, code![ldr(6, 1, 0), bkpt(0)]].concat();
        let mut machine = m3(&code).set(1, alias).set(5, 1);
        machine.bus.peripherals.words[0] = 0x60;
        machine.run_to_breakpoint();
        let seen = &machine.bus.peripherals.seen;
        assert_eq!(seen[0].written, None, "{width}: read first");
        assert_eq!(seen[1].written, Some(0x70), "{width}: written with its bit");
        assert!(seen[1].at > seen[0].at);
        assert_eq!(machine.r(6), 1);
    }
}

#[test]
fn a_bit_of_a_device_behind_a_bridge_is_written_when_it_has_been_read() {
    let alias = 0x4200_0000 + (SLOW_WORD - 0x4000_0000) * 32 + 4 * 4;
    let mut machine = m3(&code![str(5, 1, 0), bkpt(0)]).set(1, alias).set(5, 1);
    machine.run_to_breakpoint();
    // The read's data phase, two cycles longer by the bridge, and the write's behind it.
    let at: Vec<u64> = machine.bus.peripherals.seen.iter().map(|seen| seen.at).collect();
    assert_eq!(at[1] - at[0], 1 + 2);
}

/// One instruction as code.
trait IntoCode {
    fn into_code(self) -> Vec<u16>;
}

impl IntoCode for u16 {
    fn into_code(self) -> Vec<u16> {
        vec![self]
    }
}

#[test]
fn unaligned_accesses_everywhere() {
    // Words and halfwords at every offset, in RAM, from flash, and over a device's registers.
    let bytes: Vec<u8> = (0..16u8).map(|byte| byte.wrapping_mul(0x1D).wrapping_add(3)).collect();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let code = code![ldr(2, 1, 0), ldrh(3, 1, 0), ldr(4, 6, 0), str(2, 5, 0), strh(3, 5, 2), bkpt(0)];
    for offset in 0..4 {
        let mut machine = m3(&code);
        for at in 0..4 {
            machine = machine
                .word_at(SPOT + 4 * at, word(4 * at as usize))
                .word_at(FLASH + 0x800 + 4 * at, word(4 * at as usize));
        }
        let mut machine = machine.set(1, SPOT + offset).set(5, SPOT + 0x40 + offset).set(6, FLASH + 0x800 + offset);
        machine.run_to_breakpoint();
        let expected = word(offset as usize);
        assert_eq!([machine.r(2), machine.r(3), machine.r(4)], [expected, expected & 0xFFFF, expected], "{offset}");
        let stored: u64 = u64::from(expected) | u64::from(expected & 0xFFFF) << 32;
        let shifted = u128::from(stored) << (8 * offset);
        let found = (0..3).fold(0u128, |all, at| all | u128::from(machine.word(SPOT + 0x40 + 4 * at)) << (32 * at));
        assert_eq!(found, shifted, "{offset}");
    }
    // Device memory takes none (DDI 0403E §A3.2.1).
    let mut machine = m3(&[ldr(2, 1, 0), SELF]).set(1, WORDS + 2);
    machine.run_to_stop(60);
    assert_eq!(machine.cfsr(), 1 << 24);
    // Across the end of RAM the second piece faults, and the address is where.
    let mut machine = m3(&[ldr(2, 1, 0), SELF]).set(1, STACK - 2);
    machine.run_to_stop(60);
    assert_eq!((machine.cfsr(), machine.register(BFAR)), (1 << 9 | BFARVALID, STACK));
    // Across the border of two regions too.
    let mut machine = with_flash(m3(&[ldr(2, 1, 0), SELF])).region(1, SPOT, sized(8, NO_ACCESS)).set(1, SPOT - 2);
    machine.run_to_stop(60);
    assert_eq!((machine.cfsr(), machine.register(MMFAR)), (2 | MMARVALID, SPOT));
}

#[test]
fn a_store_exclusive_asks_the_mpu_whatever_the_monitor_says() {
    let machine = with_flash(m3(&[NOP])).region(1, SPOT, sized(8, ALL_READ));
    assert!(!allowed(&machine, &strex(3, 0, 1), SPOT, true));
    assert!(allowed(&machine, &strex(3, 0, 1), SPOT + 0x100, true));
}

#[test]
fn what_the_mpu_allowed_in_another_life_is_asked_again() {
    let machine = m3(&[NOP, NOP, bkpt(0)]);
    // As many writes to the unit, but other ones: the second forbids to execute.
    let [mut allowed, mut forbidden] = [ALL_READ, ALL_READ | 1 << 28]
        .map(|attributes| machine.clone().region(0, CODE & !0x1F, sized(5, attributes)).with(MPU_CTRL, WITH_DEFAULT));
    let mut restored = allowed.clone();
    assert!(matches!(restored.run(1_000), Stop::Breakpoint(..)));
    restored.core.restore(&forbidden.core);
    restored.bus.memory.restore_from(&forbidden.bus.memory);
    let stop = forbidden.run(1_000);
    assert_ne!(forbidden.cfsr() & 1, 0, "IACCVIOL: {stop:?}");
    assert_eq!(restored.run(1_000), stop);
    assert_eq!(restored.state(), forbidden.state());
    // And back.
    restored.core.restore(&allowed.core);
    assert_eq!(restored.run(1_000), allowed.run(1_000));
    assert_eq!(restored.now(), allowed.now());
}
