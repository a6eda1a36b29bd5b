//! defmt frames come out as the lines they stand for.

use cyclescope_scope::defmt::{DefmtError, Strings, decode};

mod elf;

const HELLO: &str =
    r#"{"package":"p","tag":"defmt_println","data":"hello {=u8}","disambiguator":"1","crate_name":"p"}"#;
const READY: &str = r#"{"package":"p","tag":"defmt_info","data":"ready","disambiguator":"2","crate_name":"p"}"#;

fn image(encoding: &str) -> Vec<u8> {
    let encoding = format!("_defmt_encoding_ = {encoding}");
    elf::defmt(&[("_defmt_version_ = 4", 0), (&encoding, 0), (HELLO, 1), (READY, 2)])
}

/// `hello 7`, `ready`, `hello 9` as raw frames: the string's index in two bytes, then the arguments.
const RAW: [u8; 8] = [1, 0, 7, 2, 0, 1, 0, 9];

#[test]
fn lines_come_out_however_the_bytes_come_in() {
    let elf = image("raw");
    let expect = ["hello 7", "INFO  ready", "hello 9"];
    assert_eq!(decode(&elf, &RAW).unwrap(), expect);
    let strings = Strings::read(&elf).unwrap();
    for piece in 1..RAW.len() {
        let mut decoder = strings.decoder();
        let lines: Vec<String> = RAW.chunks(piece).flat_map(|bytes| decoder.decode(bytes).unwrap()).collect();
        assert_eq!(lines, expect, "in pieces of {piece}");
    }
}

#[test]
fn what_is_no_frame_is_told() {
    let elf = image("raw");
    assert!(matches!(decode(&elf, &[0xFF, 0xFF]), Err(DefmtError::Malformed { offset: 2 })));
    assert!(matches!(decode(&elf::image(&[("main", 4)]), &RAW), Err(DefmtError::NoTable)));
    assert!(matches!(decode(b"no ELF", &RAW), Err(DefmtError::Table(_))));
    let newer = elf::defmt(&[("_defmt_version_ = 99", 0), ("_defmt_encoding_ = raw", 0), (HELLO, 1)]);
    let Err(error) = Strings::read(&newer) else { panic!("refused") };
    assert!(error.to_string().contains("99"), "{error}");
}

#[test]
fn rzcobs_skips_damage_and_goes_on() {
    let strings = image("rzcobs");
    let strings = Strings::read(&strings).unwrap();
    let mut decoder = strings.decoder();
    // In rzCOBS a frame ends in 0; FF FF FF is none of ours.
    let mut lines = decoder.decode(&[0xFF, 0xFF, 0xFF, 0]).unwrap();
    lines.extend(decoder.decode(&rzcobs(&[1, 0, 7])).unwrap());
    assert_eq!(lines, ["hello 7"]);
    assert!(decoder.damaged() > 0);
}

/// A frame of at most seven bytes in reverse zero-compressing COBS: its bytes that are not 0, then a byte whose bit i
/// says that byte i of seven was 0 (bytes past the end count as 0), then the end mark.
fn rzcobs(frame: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = frame.iter().copied().filter(|&byte| byte != 0).collect();
    let zeros = (0..7).filter(|&place| frame.get(place).is_none_or(|&byte| byte == 0));
    out.push(zeros.fold(0, |mask, place| mask | 1 << place));
    out.push(0);
    out
}

#[test]
fn hostile_strings_and_frames_end_in_an_error() {
    let format = r#"{"package":"p","tag":"defmt_println","data":"{=[?]} {=str} {0} {=u8:","disambiguator":"1","crate_name":"p"}"#;
    let elf = elf::defmt(&[("_defmt_version_ = 4", 0), ("_defmt_encoding_ = raw", 0), (format, 1), (READY, 2)]);
    if let Ok(strings) = Strings::read(&elf) {
        let mut decoder = strings.decoder();
        for byte in 0..=255u8 {
            if decoder.decode(&[1, 0, byte, byte, 0, byte]).is_err() {
                break;
            }
        }
    }
    let good = image("raw");
    for at in 0..good.len() {
        let mut bent = good.clone();
        bent[at] ^= 0x11;
        // Ok or an error, as it comes; only a panic would fail the test.
        drop(decode(&bent, &RAW));
    }
}
