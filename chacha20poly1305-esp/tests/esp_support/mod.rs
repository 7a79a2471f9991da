//! What the ESP tests share: the published cases, keys, packets made octet by octet.
#![allow(dead_code)] // each test program uses some of it

use chacha20poly1305_esp::ChaCha20Poly1305;
use chacha20poly1305_esp::aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::esp::{Fields, Iv, Rfc7539Esp, SequenceNumber, Spi};
use serde_json::Value;

/// RFC 7634 appendix A: 80..9f, salt a0a1a2a3.
pub(crate) const KEYMAT: &str =
    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3";

pub(crate) fn aead() -> Rfc7539Esp {
    Rfc7539Esp::new_from_slice(&unhex(KEYMAT)).unwrap()
}

pub(crate) fn unhex(s: &str) -> Vec<u8> {
    hex::decode(s).unwrap()
}

pub(crate) fn octets(value: &Value) -> Vec<u8> {
    unhex(value.as_str().expect("a hex string"))
}

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// The published cases of one kind.
pub(crate) fn cases(kind: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/esp.json");
    let text = std::fs::read_to_string(path).expect(path);
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let cases: Vec<_> =
        all["cases"].as_array().unwrap().iter().filter(|c| c["kind"] == kind).cloned().collect();
    assert!(!cases.is_empty(), "no cases of kind {kind}");
    cases
}

/// Octets that differ from their neighbours: 7i + 3.
pub(crate) fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

pub(crate) fn sequence(number: u64, esn: bool) -> SequenceNumber {
    match esn {
        true => SequenceNumber::Extended(number),
        false => SequenceNumber::Short(number.try_into().unwrap()),
    }
}

/// Fields with the number as explicit IV and without TFC padding.
pub(crate) fn fields(spi: u32, sequence: SequenceNumber, next_header: u8) -> Fields {
    Fields {
        spi: Spi::new(spi).unwrap(),
        sequence,
        iv: Iv::Explicit(sequence.value().to_be_bytes()),
        next_header,
        tfc_padding: 0,
    }
}

/// A packet around any text, made with the AEAD alone: whatever trailer a sender may invent.
pub(crate) fn raw_packet(fields: &Fields, text: &[u8]) -> Vec<u8> {
    let keymat = unhex(KEYMAT);
    let aead = ChaCha20Poly1305::new_from_slice(&keymat[..32]).unwrap();
    let (aad, low) = match fields.sequence {
        SequenceNumber::Short(n) => (n.to_be_bytes().to_vec(), n),
        SequenceNumber::Extended(n) => (n.to_be_bytes().to_vec(), n as u32),
    };
    let aad = [&fields.spi.get().to_be_bytes()[..], &aad].concat();
    let (iv, sent) = match fields.iv {
        Iv::Explicit(ref iv) => (*iv, &iv[..]),
        Iv::Implicit => (fields.sequence.value().to_be_bytes(), &[][..]),
    };
    let nonce = [&keymat[32..], &iv].concat();
    let mut text = text.to_vec();
    let tag = aead.encrypt_in_place_detached(nonce[..].into(), &aad, &mut text).unwrap();
    [&fields.spi.get().to_be_bytes()[..], &low.to_be_bytes(), sent, &text, &tag].concat()
}

/// A text with `pad` octets 1, 2, 3, ..
pub(crate) fn padded_text(payload: &[u8], pad: u8, next_header: u8) -> Vec<u8> {
    let padding: Vec<u8> = (1..=pad).collect();
    [payload, &padding, &[pad, next_header]].concat()
}
