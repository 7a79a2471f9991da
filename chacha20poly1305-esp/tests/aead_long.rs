//! Messages of more than a packet on every backend, against RustCrypto.

use aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::{Backend, ChaCha20Poly1305};
use testkit::rng::Rng;

const KEY: [u8; 32] = *b"a key of these tests: 32 bytes..";
const NONCE: [u8; 12] = *b"twelve bytes";
const AAD: &[u8] = b"aad";
const UNTOUCHED: u8 = 0x5a;

/// Around the length from which a message in place is decrypted while it is hashed, and at all
/// distances from the end of a pass through the rounds.
#[test]
fn around_a_packet() {
    (4000..4200).step_by(7).chain((4608..9000).step_by(61)).for_each(sealed_and_opened);
}

/// Whole passes of every backend, and odd ends.
#[test]
fn around_1_mib() {
    for tail in [0, 1, 17, 63, 64, 65, 511, 1021] {
        sealed_and_opened((1 << 20) + tail);
    }
}

/// More than any cache holds, and block counters of more than 16 bits.
#[test]
fn beyond_64_mib() {
    sealed_and_opened((64 << 20) + 1021);
}

/// Seals and opens a message of `len` bytes on every backend, in place and between buffers, and
/// forges it.
fn sealed_and_opened(len: usize) {
    let reference = chacha20poly1305::ChaCha20Poly1305::new(&KEY.into());
    let text = Rng::new(len as u64).bytes(len);
    let mut expected = text.clone();
    let nonce = &NONCE.into();
    let tag = reference.encrypt_in_place_detached(nonce, AAD, &mut expected).unwrap();
    let sealed = [&expected[..], &tag].concat();
    let mut forged = sealed.clone();
    forged[len + 7] ^= 1;

    let names: Vec<_> = Backend::available().map(Backend::name).collect();
    testkit::backends::expect(&names);
    for backend in Backend::available() {
        let aead = ChaCha20Poly1305::with_backend(&KEY, backend);
        let what = |way: &str| format!("{backend}, {len} bytes, {way}");
        let mut data = text.clone();
        let got = aead.encrypt_in_place_detached(nonce, AAD, &mut data).unwrap();
        assert!(data == expected && got == tag, "{}", what("seal in place"));
        let (_, wrong) = forged.split_last_chunk::<16>().expect("a tag");
        assert!(aead.decrypt_in_place_detached(nonce, AAD, &mut data, wrong.into()).is_err());
        assert!(data == expected, "{}", what("a forgery in place: still the ciphertext"));
        aead.decrypt_in_place_detached(nonce, AAD, &mut data, &tag).unwrap();
        assert!(data == text, "{}", what("open in place"));

        data.fill(UNTOUCHED);
        assert!(aead.open_into(&NONCE, AAD, &forged, &mut data).is_err());
        assert!(data.iter().all(|&byte| byte == UNTOUCHED), "{}", what("a forgery: untouched"));
        assert!(aead.open_into(&NONCE, AAD, &sealed, &mut data).unwrap() == text);
        data.resize(len + 16, 0);
        assert!(aead.seal_into(&NONCE, AAD, &text, &mut data).unwrap() == sealed);
    }
}
