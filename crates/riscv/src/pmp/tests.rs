use super::*;

const R: u8 = READ;
const RWX: u8 = READ | WRITE | EXECUTE;
const TOR: u8 = 1 << 3;
const NA4: u8 = 2 << 3;
const NAPOT: u8 = 3 << 3;

fn pmp(granularity: u8, entries: &[(u8, u32)]) -> Pmp {
    let mut pmp = Pmp::new(16, granularity, true);
    for (index, (configuration, address)) in entries.iter().enumerate() {
        pmp.write_address(index, *address);
        let word = pmp.read_configuration(index / 4) | u32::from(*configuration) << (8 * (index % 4));
        pmp.write_configuration(index / 4, word);
    }
    pmp
}

fn allows(pmp: &Pmp, address: u32, kind: AccessKind, privilege: Privilege) -> bool {
    pmp.look(address, kind, privilege).0
}

#[test]
fn user_code_may_touch_what_an_entry_says_and_nothing_else() {
    use AccessKind::{Fetch, Read, Write};
    // 0x1000 to 0x2000 readable, 4 bytes at 0x3000 all, 0x4000 to 0x4020 executable.
    let pmp = pmp(
        0,
        &[(0, 0x1000 >> 2), (TOR | R, 0x2000 >> 2), (NA4 | RWX, 0x3000 >> 2), (NAPOT | EXECUTE, 0x4000 >> 2 | 3)],
    );
    for (address, expected) in [
        (0x0FFC, [false; 3]),
        (0x1000, [false, true, false]),
        (0x1FFC, [false, true, false]),
        (0x2000, [false; 3]),
        (0x3000, [true; 3]),
        (0x3004, [false; 3]),
        (0x4000, [true, false, false]),
        (0x401C, [true, false, false]),
        (0x4020, [false; 3]),
    ] {
        let found = [Fetch, Read, Write].map(|kind| allows(&pmp, address, kind, Privilege::User));
        assert_eq!(found, expected, "{address:#x}");
        let machine = [Fetch, Read, Write].map(|kind| allows(&pmp, address, kind, Privilege::Machine));
        assert_eq!(machine, [true; 3], "{address:#x}");
    }
}

#[test]
fn the_first_entry_that_matches_decides_and_locked_ones_bind_machine_mode() {
    let pmp = pmp(0, &[(NA4 | R | LOCKED, 0x1000 >> 2), (NAPOT | RWX, 0x1000 >> 2 | 0x1FF)]);
    assert!(!allows(&pmp, 0x1000, AccessKind::Write, Privilege::Machine));
    assert!(!allows(&pmp, 0x1000, AccessKind::Write, Privilege::User));
    assert!(allows(&pmp, 0x1004, AccessKind::Write, Privilege::User));
    assert!(pmp.any_locked());
}

#[test]
fn windows_are_as_wide_as_the_answer_is_the_same_and_no_wider() {
    let pmp = pmp(0, &[(NA4, 0x1100 >> 2), (NAPOT | R, 0x1000 >> 2 | 0x7F), (NA4 | RWX, 0x2000 >> 2)]);
    for at in (0..0x3000).step_by(4) {
        let (answer, window) = pmp.look(at, AccessKind::Read, Privilege::User);
        assert!(window.contains(at) && window.contains(at + 3), "{at:#x}");
        for other in (0..0x3000).step_by(4) {
            if window.contains(other) {
                let there = pmp.look(other, AccessKind::Read, Privilege::User);
                assert_eq!(there, (answer, window), "{at:#x} and {other:#x}");
            }
        }
    }
}

#[test]
fn locked_entries_stay_as_they_are() {
    let mut pmp = pmp(0, &[(0, 0x400), (TOR | R | LOCKED, 0x800)]);
    pmp.write_configuration(0, 0);
    pmp.write_address(1, 1);
    pmp.write_address(0, 1);
    assert_eq!((pmp.read_configuration(0), pmp.read_address(0), pmp.read_address(1)), (0x8900, 0x400, 0x800));
}

#[test]
fn coarse_regions_hide_low_bits() {
    // G = 3: 32 bytes.
    let mut pmp = pmp(3, &[(TOR | R, 0xFFF), (NAPOT | R, 0x1000)]);
    assert_eq!(pmp.read_address(0), 0xFF8);
    assert_eq!(pmp.read_address(1), 0x1003);
    assert!(allows(&pmp, 0x3FDC, AccessKind::Read, Privilege::User));
    assert!(!allows(&pmp, 0x3FE0, AccessKind::Read, Privilege::User));
    assert!(allows(&pmp, 0x401C, AccessKind::Read, Privilege::User));
    assert!(!allows(&pmp, 0x4020, AccessKind::Read, Privilege::User));
    pmp.write_configuration(0, u32::from(NA4 | R));
    assert_eq!(pmp.read_configuration(0) as u8, TOR | R, "NA4 cannot be chosen");
    pmp.write_configuration(0, u32::from(TOR | WRITE));
    assert_eq!(pmp.read_configuration(0) as u8, TOR, "W without R is reserved");
}

#[test]
fn all_of_the_address_space_can_be_one_region() {
    let pmp = pmp(0, &[(NAPOT | RWX, u32::MAX)]);
    for address in [0, 0x8000_0000, 0xFFFF_FFFC] {
        assert!(allows(&pmp, address, AccessKind::Fetch, Privilege::User));
    }
}

/// Smepmp's truth table: locked, R, W, X; what M mode may do, and what U mode may do.
#[test]
fn lockdown_gives_the_rights_of_the_truth_table() {
    use AccessKind::{Fetch, Read, Write};
    let table = [
        ("----", "---", "---"),
        ("---x", "---", "--x"),
        ("--w-", "rw-", "r--"),
        ("--wx", "rw-", "rw-"),
        ("-r--", "---", "r--"),
        ("-r-x", "---", "r-x"),
        ("-rw-", "---", "rw-"),
        ("-rwx", "---", "rwx"),
        ("l---", "---", "---"),
        ("l--x", "--x", "---"),
        ("l-w-", "--x", "--x"),
        ("l-wx", "r-x", "--x"),
        ("lr--", "r--", "---"),
        ("lr-x", "r-x", "---"),
        ("lrw-", "rw-", "---"),
        ("lrwx", "r--", "r--"),
    ];
    for (configuration, machine, user) in table {
        let bit = |letter, bit| if configuration.contains(letter) { bit } else { 0 };
        let word = bit('l', LOCKED) | bit('r', READ) | bit('w', WRITE) | bit('x', EXECUTE) | NA4;
        let mut pmp = Pmp::new(16, 0, true);
        // The bypass lets all of them be written.
        pmp.write_security(u32::from(MACHINE_LOCKDOWN | LOCKING_BYPASS));
        pmp.write_address(0, 0x1000 >> 2);
        pmp.write_configuration(0, word.into());
        assert_eq!(pmp.read_configuration(0), word.into(), "{configuration}");
        for (privilege, expected) in [(Privilege::Machine, machine), (Privilege::User, user)] {
            let rights = [(Read, 'r'), (Write, 'w'), (Fetch, 'x')];
            let found: String = rights
                .map(|(kind, letter)| if allows(&pmp, 0x1000, kind, privilege) { letter } else { '-' })
                .iter()
                .collect();
            assert_eq!(found, expected, "{configuration} in {privilege:?}");
        }
        // M mode may use what no entry matches, but not execute it; U mode may nothing.
        let elsewhere = [Read, Write, Fetch].map(|kind| allows(&pmp, 0x2000, kind, Privilege::Machine));
        assert_eq!(elsewhere, [true, true, false]);
        assert!(!allows(&pmp, 0x2000, Read, Privilege::User));
    }
}

#[test]
fn the_bits_of_mseccfg_stick_and_the_bypass_is_locked_out() {
    let mut pmp = pmp(0, &[(NA4 | R | LOCKED, 0x400)]);
    pmp.write_security(0b111);
    assert_eq!(pmp.security(), Some(0b011), "an entry is locked");
    pmp.write_security(0);
    assert_eq!(pmp.security(), Some(0b011));
    assert!(!allows(&pmp, 0x2000, AccessKind::Read, Privilege::Machine), "nothing matches");
    pmp.write_configuration(0, u32::from(LOCKED | EXECUTE | NA4) << 8);
    assert_eq!(pmp.read_configuration(0) >> 8, 0, "M mode cannot be given more to execute");

    let mut open = Pmp::new(16, 0, true);
    open.write_security(0b100);
    open.write_configuration(0, u32::from(NA4 | R | LOCKED));
    open.write_configuration(0, 0);
    assert_eq!(open.read_configuration(0), 0, "the bypass opens locked entries");
    let mut plain = Pmp::new(16, 0, false);
    plain.write_security(7);
    assert_eq!(plain.security(), None);
}

#[test]
fn the_plugin_of_vexriscv_matches_a_quarter_and_adds_rights_up() {
    use AccessKind::{Fetch, Read, Write};
    // Readable 0x1000 to 0x1400 of 0x1000 to 0x2000, writable and locked 0x1000 to 0x1080; TOR matches nothing.
    let mut pmp = Pmp::new(16, 0, false).of_plugin();
    for (index, address) in [0x1000 >> 2 | 0x1FF, 0x1000 >> 2 | 0x1F, 0xFFFF].into_iter().enumerate() {
        pmp.write_address(index, address);
    }
    pmp.write_configuration(0, u32::from_le_bytes([NAPOT | R, NAPOT | WRITE | LOCKED, TOR | RWX, 0]));
    let rights = |address, privilege| [Fetch, Read, Write].map(|kind| allows(&pmp, address, kind, privilege));
    assert_eq!(rights(0x1000, Privilege::User), [false, true, true], "both entries");
    assert_eq!(rights(0x1080, Privilege::User), [false, true, false], "the first one");
    assert_eq!(rights(0x1400, Privilege::User), [false; 3], "behind the quarter");
    assert_eq!(rights(0x1000, Privilege::Machine), [false, false, true], "the locked one");
    assert_eq!(rights(0x1080, Privilege::Machine), [true; 3], "an open one does not bind it");
    assert_eq!(rights(0x8000_1000, Privilege::User), [false, true, true], "data that is not cached");
    // A locked entry stays, and all bits are kept of another one.
    pmp.write_configuration(0, 0xFFFF_FFFF);
    assert_eq!(pmp.read_configuration(0), u32::from_le_bytes([0xFF, NAPOT | WRITE | LOCKED, 0xFF, 0xFF]));
}
