//! A device wakes one of two cores that sleep, the one that is not asked: the run goes on with it, whether accesses are counted or not.

use super::*;

const WATCHDOG_TICK: u32 = 0x4005_802C;
/// A tick of the timer in each cycle of the reference clock.
const EACH_CYCLE: u32 = 1 << 9 | 1;

/// The first core starts the second and sleeps for ever. The second sleeps until the timer's alarm, which is masked, and counts in a
/// loop from then on. Returns the machine and the address behind that sleep.
fn sleepers(event: u32) -> (Machine, Address) {
    let mut first = Vec::new();
    constant(&mut first, 0, STACKS[0]);
    first.push(mov(13, 0));
    constant(&mut first, 4, RESETS);
    first.extend([movs(0, 0), str(0, 4, 0)]);
    launch(&mut first, STACKS[1], IN_FLASH[1]);
    constant(&mut first, 0, event);
    constant(&mut first, 1, BUS_PRIORITY);
    first.extend([str(0, 1, 3), WFI, b(-6)]);
    let mut second = vec![CPSID];
    for (register, value) in [(0, 0xE000_E100), (1, WATCHDOG_TICK), (2, EACH_CYCLE), (4, SHARED), (7, TIMER)] {
        constant(&mut second, register, value);
    }
    // NVIC, WATCHDOG_TICK, INTE; TIMERAWL and more into ALARM0.
    second.extend([movs(3, 1), str(3, 0, 0), str(2, 1, 0), str(3, 7, 14)]);
    second.extend([ldr(0, 7, 10), adds(0, 250), adds(0, 250), adds(0, 250), adds(0, 250), str(0, 7, 4), WFI]);
    let woken = Address::new(IN_FLASH[1] + 2 * second.len() as u32);
    second.extend([adds(3, 1), str(3, 4, 0), b(-8)]);
    let vectors = [STACKS[0], IN_FLASH[0] + 1].map(u32::to_le_bytes).concat();
    let programs = [(IN_FLASH[0], bytes(&first)), (IN_FLASH[1], bytes(&second))];
    let segments = [vec![(FLASH, stage_to(IN_FLASH[0])), (VECTORS, vectors)], programs.to_vec()].concat();
    (machine_with(&segments), woken)
}

#[test]
fn a_core_that_was_just_woken_ends_no_run_and_sleeps_no_longer() {
    let [silent, counted] = [NONE, SRAM4].map(|event| {
        let (mut machine, woken) = sleepers(event);
        machine.watch(woken);
        assert_eq!(machine.run(Cycles::new(END)), Stop::Watch(woken), "event {event}");
        assert_eq!(machine.core(), 1);
        let at = machine.now().get();
        machine.watch_only(&[]);
        assert_eq!(machine.run(Cycles::new(at + 10_000)), Stop::Horizon);
        let count = machine.memory().read(SHARED, Width::Word).unwrap();
        assert!(count > 500, "the second core goes on: {count}");
        (at, count)
    });
    assert_eq!(silent, counted);
}
