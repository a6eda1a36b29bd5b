//! defmt frames come out as the lines they stand for.

use cyclescope_scope::defmt::{DefmtError, Strings, decode};

use crate::elf;

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

/// An image with raw frames and these formats, tag and string, with the indices 1, 2 and so on.
fn formats(formats: &[(&str, &str)]) -> Vec<u8> {
    let name = |(index, (tag, data)): (usize, &(&str, &str))| {
        format!(r#"{{"package":"p","tag":"defmt_{tag}","data":"{data}","disambiguator":"{index}","crate_name":"p"}}"#)
    };
    let names: Vec<String> = formats.iter().enumerate().map(name).collect();
    let mut symbols = vec![("_defmt_version_ = 4", 0), ("_defmt_encoding_ = raw", 0)];
    symbols.extend((1..).zip(&names).map(|(index, name)| (name.as_str(), index)));
    elf::defmt(&symbols)
}

fn refused(elf: &[u8], frame: &[u8], expect: &str) {
    match decode(elf, frame) {
        Err(DefmtError::TooMuch(what)) => assert_eq!(what, expect),
        other => panic!("{expect}: {other:?}"),
    }
}

const ELEMENTS: &str = "a frame's slices have more than 65,536 elements";
const MESSAGE: &str = "a message is longer than 1 MiB";

#[test]
fn slices_have_as_many_elements_as_a_log_does() {
    let image = formats(&[("println", "{=[?]}"), ("prim", "ab")]);
    assert_eq!(decode(&image, &[1, 0, 3, 0, 0, 0, 2, 0]).unwrap(), ["[ab, ab, ab]"]);
    refused(&image, &[1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0], ELEMENTS);
    refused(&formats(&[("println", "{=[?;4000000000]}"), ("prim", "ab")]), &[1, 0, 2, 0], ELEMENTS);
    // Slices of slices.
    let image = formats(&[("println", "{=[?]}"), ("prim", "{=[?]}"), ("prim", "ab")]);
    assert_eq!(decode(&image, &[1, 0, 1, 0, 0, 0, 2, 0, 1, 0, 0, 0, 3, 0]).unwrap(), ["[[ab]]"]);
    let outer = [&[1, 0, 60, 0, 0, 0, 2, 0][..], &[0x00, 0x04, 0, 0, 3, 0].repeat(60)].concat();
    assert_eq!(decode(&image, &outer).unwrap().len(), 1);
    let outer = [&[1, 0, 100, 0, 0, 0, 2, 0][..], &[0x00, 0x04, 0, 0, 3, 0].repeat(100)].concat();
    refused(&image, &outer, ELEMENTS);
}

#[test]
fn formats_nest_as_deep_as_a_log_does() {
    let image = formats(&[("println", "{=?}"), ("derived", "a{=?}"), ("derived", "b")]);
    let nested = |depth| [&[1, 0][..], &[2, 0].repeat(depth), &[3, 0]].concat();
    assert_eq!(decode(&image, &nested(60)).unwrap(), ["a".repeat(60) + "b"]);
    refused(&image, &nested(30_000), "a frame nests more than 64 formats");
    let cbor = formats(&[("println", "{=[u8]:cbor}")]);
    let nested = |depth: u32| [&[1, 0][..], &(depth + 1).to_le_bytes(), &[0x81].repeat(depth as usize), &[1]].concat();
    assert_eq!(decode(&cbor, &nested(2)).unwrap(), ["[[1]]"]);
    refused(&cbor, &nested(50_000), "bytes in CBOR have more than 256 arrays, maps and tags");
}

#[test]
fn messages_are_as_long_as_a_log_has_them() {
    let text = "t".repeat(3_000);
    let many = "{0=istr}".repeat(40);
    let image = formats(&[("println", &many), ("str", &text), ("info", "{=u8:099999}"), ("info", "{4000000000=u8}")]);
    refused(&image, &[1, 0, 2, 0], MESSAGE);
    refused(&image, &[3, 0, 1], "a format pads numbers to more than 1,024 digits");
    refused(&image, &[4, 0, 1], "a format string has more than 1,000 arguments");
    let image = formats(&[("println", "{=istr}"), ("str", &text)]);
    assert_eq!(decode(&image, &[1, 0, 2, 0]).unwrap(), [text]);
    refused(&image, &[1, 0, 2, 0].repeat(23_000), "a channel's messages take more than 64 MiB");
    let image = formats(&[("println", "{=str}")]);
    refused(&image, &[1, 0, 0xFF, 0xFF, 0xFF, 0x7F], MESSAGE);
}

#[test]
fn names_of_strings_are_not_shared_by_thousands() {
    let name = format!(r#"{{"package":"p","tag":"defmt_str","data":"{}","disambiguator":"1"}}"#, "s".repeat(30_000));
    let mut symbols = vec![("_defmt_version_ = 4", 0), ("_defmt_encoding_ = raw", 0)];
    symbols.extend((0..3_000).map(|index| (name.as_str(), index)));
    let Err(error) = Strings::read(&elf::defmt(&symbols)) else { panic!("refused") };
    assert!(error.to_string().contains("share one name many times"), "{error}");
}
