//! AVR's instructions as text, as the assembler takes them (DS40002198B chapter 5).

use super::text::{Memory, Text};

/// The register pairs that hold addresses.
const X: u8 = 26;
const Y: u8 = 28;
const Z: u8 = 30;

/// The instruction that `bytes`, of the byte address `pc`, begin with. Jumps and calls show the byte address they go to, as
/// symbols have it.
pub(super) fn text(bytes: &[u8], pc: u32) -> Text {
    let half = |at: usize| bytes.get(at..at + 2).map(|half| u32::from(u16::from_le_bytes([half[0], half[1]])));
    let Some(code) = half(0) else {
        return Text { text: "(unknown)".to_owned(), length: bytes.len(), memory: None };
    };
    let second = half(2).unwrap_or(0);
    let (mut text, memory, length) = decoded(code, second, pc);
    if let Some((mnemonic, operands)) = text.split_once(' ') {
        text = format!("{mnemonic:<7} {operands}");
    }
    Text { text, length, memory }
}

fn decoded(code: u32, second: u32, pc: u32) -> (String, Option<Memory>, usize) {
    let d = code >> 4 & 0x1F;
    let r = code & 0xF | code >> 5 & 0x10;
    let high = 16 + (code >> 4 & 0xF);
    let k = code & 0xF | code >> 4 & 0xF0;
    let plain = |text: String| (text, None, 2);
    let two = |mnemonic: &str| plain(format!("{mnemonic} r{d}, r{r}"));
    let one = |mnemonic: &str| plain(format!("{mnemonic} r{d}"));
    let immediate = |mnemonic: &str| plain(format!("{mnemonic} r{high}, {k:#04x}"));
    let relative = |mnemonic: &str, words: i32| {
        plain(format!("{mnemonic} {:#x}", pc.wrapping_add(2).wrapping_add_signed(2 * words)))
    };
    let at = |base, offset, writes| Some(Memory { base, index: None, offset, bytes: 1, writes });
    let signed = |value: u32, bits: u32| (value << (32 - bits)) as i32 >> (32 - bits);
    match code >> 12 {
        0x0 => match code >> 10 {
            0 => match code >> 8 {
                0 if code == 0 => plain("nop".to_owned()),
                1 => plain(format!("movw r{}, r{}", (code >> 4 & 0xF) * 2, (code & 0xF) * 2)),
                2 => plain(format!("muls r{high}, r{}", 16 + (code & 0xF))),
                3 => {
                    let name = ["mulsu", "fmul", "fmuls", "fmulsu"][(code >> 6 & 2 | code >> 3 & 1) as usize];
                    plain(format!("{name} r{}, r{}", 16 + (code >> 4 & 7), 16 + (code & 7)))
                }
                _ => plain("(unknown)".to_owned()),
            },
            1 => two("cpc"),
            2 => two("sbc"),
            _ if d == r => one("lsl"),
            _ => two("add"),
        },
        0x1 => match code >> 10 & 3 {
            0 => two("cpse"),
            1 => two("cp"),
            2 => two("sub"),
            _ if d == r => one("rol"),
            _ => two("adc"),
        },
        0x2 => match code >> 10 & 3 {
            0 if d == r => one("tst"),
            0 => two("and"),
            1 if d == r => one("clr"),
            1 => two("eor"),
            2 => two("or"),
            _ => two("mov"),
        },
        0x3 => immediate("cpi"),
        0x4 => immediate("sbci"),
        0x5 => immediate("subi"),
        0x6 => immediate("ori"),
        0x7 => immediate("andi"),
        0x8 | 0xA => {
            let q = code & 7 | code >> 7 & 0x18 | code >> 8 & 0x20;
            let (base, name) = if code & 8 != 0 { (Y, 'Y') } else { (Z, 'Z') };
            let pointer = if q == 0 { name.to_string() } else { format!("{name}+{q}") };
            let writes = code & 0x200 != 0;
            let mnemonic = match (writes, q) {
                (false, 0) => "ld",
                (false, _) => "ldd",
                (true, 0) => "st",
                (true, _) => "std",
            };
            let text =
                if writes { format!("{mnemonic} {pointer}, r{d}") } else { format!("{mnemonic} r{d}, {pointer}") };
            (text, at(Some(base), q as i32, writes), 2)
        }
        0x9 => nine(code, second, d),
        0xB => {
            let port = code & 0xF | code >> 5 & 0x30;
            let text =
                if code & 0x800 == 0 { format!("in r{d}, {port:#04x}") } else { format!("out {port:#04x}, r{d}") };
            (text, at(None, 0x20 + port as i32, code & 0x800 != 0), 2)
        }
        0xC => relative("rjmp", signed(code & 0xFFF, 12)),
        0xD => relative("rcall", signed(code & 0xFFF, 12)),
        0xE => immediate("ldi"),
        _ => {
            const SET: [&str; 8] = ["brcs", "breq", "brmi", "brvs", "brlt", "brhs", "brts", "brie"];
            const CLEAR: [&str; 8] = ["brcc", "brne", "brpl", "brvc", "brge", "brhc", "brtc", "brid"];
            let bit = (code & 7) as usize;
            match code >> 9 & 7 {
                0 | 1 => relative(SET[bit], signed(code >> 3 & 0x7F, 7)),
                2 | 3 => relative(CLEAR[bit], signed(code >> 3 & 0x7F, 7)),
                4 => plain(format!("bld r{d}, {bit}")),
                5 => plain(format!("bst r{d}, {bit}")),
                6 => plain(format!("sbrc r{d}, {bit}")),
                _ => plain(format!("sbrs r{d}, {bit}")),
            }
        }
    }
}

/// Disassembles the opcodes that begin with 9.
fn nine(code: u32, second: u32, d: u32) -> (String, Option<Memory>, usize) {
    let plain = |text: String| (text, None, 2);
    let at = |base, offset, writes| Some(Memory { base, index: None, offset, bytes: 1, writes });
    let far = || 2 * ((code >> 3 & 0x3E | code & 1) << 16 | second);
    match code >> 8 & 0xF {
        0..=3 => {
            let writes = code & 0x200 != 0;
            let (pointer, base, offset) = match code & 0xF {
                0 => {
                    let text =
                        if writes { format!("sts {second:#06x}, r{d}") } else { format!("lds r{d}, {second:#06x}") };
                    return (text, at(None, second as i32, writes), 4);
                }
                0xF => return plain(format!("{} r{d}", if writes { "push" } else { "pop" })),
                mode @ 4..=7 if !writes => {
                    let name = if mode < 6 { "lpm" } else { "elpm" };
                    return plain(format!("{name} r{d}, Z{}", if mode & 1 == 1 { "+" } else { "" }));
                }
                mode @ 4..=7 => {
                    let name = ["xch", "las", "lac", "lat"][(mode - 4) as usize];
                    return (format!("{name} Z, r{d}"), at(Some(Z), 0, true), 2);
                }
                1 => ("Z+", Z, 0),
                2 => ("-Z", Z, -1),
                9 => ("Y+", Y, 0),
                0xA => ("-Y", Y, -1),
                0xC => ("X", X, 0),
                0xD => ("X+", X, 0),
                0xE => ("-X", X, -1),
                _ => return plain("(unknown)".to_owned()),
            };
            let text = if writes { format!("st {pointer}, r{d}") } else { format!("ld r{d}, {pointer}") };
            (text, at(Some(base), offset, writes), 2)
        }
        4 | 5 => match code & 0xF {
            0x8 => plain(
                match code {
                    0x9508 => "ret",
                    0x9518 => "reti",
                    0x9588 => "sleep",
                    0x9598 => "break",
                    0x95A8 => "wdr",
                    0x95C8 => "lpm",
                    0x95D8 => "elpm",
                    0x95E8 => "spm",
                    0x95F8 => "spm Z+",
                    _ if code < 0x9480 => {
                        ["sec", "sez", "sen", "sev", "ses", "seh", "set", "sei"][(code >> 4 & 7) as usize]
                    }
                    _ if code < 0x9500 => {
                        ["clc", "clz", "cln", "clv", "cls", "clh", "clt", "cli"][(code >> 4 & 7) as usize]
                    }
                    _ => "(unknown)",
                }
                .to_owned(),
            ),
            0x9 => plain(
                match code {
                    0x9409 => "ijmp",
                    0x9419 => "eijmp",
                    0x9509 => "icall",
                    0x9519 => "eicall",
                    _ => "(unknown)",
                }
                .to_owned(),
            ),
            0xB => plain("(unknown)".to_owned()),
            0xC | 0xD => (format!("jmp {:#x}", far()), None, 4),
            0xE | 0xF => (format!("call {:#x}", far()), None, 4),
            other => {
                let name = match other {
                    0x0 => "com",
                    0x1 => "neg",
                    0x2 => "swap",
                    0x3 => "inc",
                    0x5 => "asr",
                    0x6 => "lsr",
                    0x7 => "ror",
                    0xA => "dec",
                    _ => return plain("(unknown)".to_owned()),
                };
                plain(format!("{name} r{d}"))
            }
        },
        6 | 7 => {
            let name = if code & 0x100 == 0 { "adiw" } else { "sbiw" };
            plain(format!("{name} r{}, {}", 24 + 2 * (code >> 4 & 3), code & 0xF | code >> 2 & 0x30))
        }
        8..=0xB => {
            let (name, writes) =
                [("cbi", true), ("sbic", false), ("sbi", true), ("sbis", false)][(code >> 8 & 3) as usize];
            let port = code >> 3 & 0x1F;
            (format!("{name} {port:#04x}, {}", code & 7), at(None, 0x20 + port as i32, writes), 2)
        }
        _ => plain(format!("mul r{d}, r{}", code & 0xF | code >> 5 & 0x10)),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    /// Words as avr-objdump shows them, of the address 0x100.
    #[test]
    fn instructions_read_as_the_assembler_takes_them() {
        for (words, expect) in [
            ([0x0000, 0], "nop"),
            ([0xE5CF, 0], "ldi     r28, 0x5f"),
            ([0xBFDE, 0], "out     0x3e, r29"),
            ([0x940E, 0x0080], "call    0x100"),
            ([0x940C, 0x0034], "jmp     0x68"),
            ([0xCFFF, 0], "rjmp    0x100"),
            ([0xF7F1, 0], "brne    0xfe"),
            ([0x9508, 0], "ret"),
            ([0x9180, 0x0100], "lds     r24, 0x0100"),
            ([0x9380, 0x0100], "sts     0x0100, r24"),
            ([0x920F, 0], "push    r0"),
            ([0x90AF, 0], "pop     r10"),
            ([0x9611, 0], "adiw    r26, 1"),
            ([0x8189, 0], "ldd     r24, Y+1"),
            ([0x8380, 0], "st      Z, r24"),
            ([0x2411, 0], "clr     r1"),
            ([0x01AC, 0], "movw    r20, r24"),
            ([0x9A28, 0], "sbi     0x05, 0"),
            ([0x94F8, 0], "cli"),
            ([0x9F86, 0], "mul     r24, r22"),
            ([0x9195, 0], "lpm     r25, Z+"),
            ([0xFD80, 0], "sbrc    r24, 0"),
        ] {
            let bytes: Vec<u8> = words.iter().flat_map(|word: &u16| word.to_le_bytes()).collect();
            assert_eq!(text(&bytes, 0x100).text, expect);
        }
    }
}
