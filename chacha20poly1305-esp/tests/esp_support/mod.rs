//! What the ESP tests share: the published cases, keys, packets made octet by octet.
#![allow(dead_code)] // each test program uses some of it

use chacha20poly1305_esp::ChaCha20Poly1305;
use chacha20poly1305_esp::aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::esp::{
    self, Error, Fields, InboundSa, Iv, OutboundSa, Rfc7539Esp, SequenceNumber, Spi, Window,
};
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

/// SPI of the SAs here and in all inbound and outbound cases.
pub(crate) const SPI: u32 = 0x1001;

/// An outbound SA whose next number is `first`.
pub(crate) fn sender(esn: bool, first: u64) -> OutboundSa<Rfc7539Esp> {
    builder().esn(esn).first_number(first).build().unwrap()
}

pub(crate) fn builder() -> esp::OutboundBuilder<Rfc7539Esp> {
    OutboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT)).unwrap()
}

/// An inbound SA with a window of 64 that has received number `highest` and no other.
pub(crate) fn receiver(esn: bool, highest: u64) -> InboundSa<Rfc7539Esp> {
    receiver_with(esn, highest, |b| b)
}

pub(crate) fn receiver_with(
    esn: bool,
    highest: u64,
    options: impl FnOnce(esp::InboundBuilder<Rfc7539Esp>) -> esp::InboundBuilder<Rfc7539Esp>,
) -> InboundSa<Rfc7539Esp> {
    let mut window = Window::new([0; 2], 64).unwrap();
    if highest != 0 {
        window.commit(highest).unwrap();
    }
    let builder = InboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT)).unwrap().esn(esn);
    options(builder).build_with(window).unwrap()
}

pub(crate) fn seal(sa: &mut OutboundSa<Rfc7539Esp>, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; esp::sealed_len(payload.len())];
    let len = sa.seal_into(17, payload, &mut packet).unwrap();
    packet.truncate(len);
    packet
}

pub(crate) fn open(sa: &mut InboundSa<Rfc7539Esp>, packet: &[u8]) -> Result<Vec<u8>, Error> {
    let mut packet = packet.to_vec();
    sa.open(&mut packet).map(|r| r.payload().map_or(vec![], |o| packet[o.payload].to_vec()))
}
