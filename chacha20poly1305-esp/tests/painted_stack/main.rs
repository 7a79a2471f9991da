//! What sealing and opening leave behind on the stack and in the registers: no key, no one-time key or
//! power of r, no accumulator, no keystream.
//!
//! Only optimised code is held to that: without optimisation the compiler copies every value about.
#![cfg(all(target_arch = "x86_64", unix, feature = "zeroize", not(debug_assertions)))]

mod secrets;

use aead::{Aead, AeadInPlace, Payload};
use chacha20poly1305_esp::esp::{self, HEADROOM, Rfc7539Esp};
use chacha20poly1305_esp::{Backend, ChaCha20Poly1305, SegmentedAead, XChaCha20Poly1305};
use testkit::{Rng, oracle};

use secrets::Secrets;

const LENGTHS: [usize; 20] = [
    0, 16, 64, 65, 128, 192, 193, 320, 321, 448, 449, 512, 777, 1024, 1420, 2048, 4096, 4097, 8199,
    20_000,
];

/// Associated data, in bytes: an ESP packet's, and enough for vector code.
const AADS: [usize; 3] = [12, 193, 400];

fn on_each_backend(mut test: impl FnMut(Backend)) {
    let names: Vec<_> = Backend::available().map(Backend::name).collect();
    testkit::backends::expect(&names);
    Backend::available().for_each(&mut test);
}

/// Each backend of the cipher beside each other one of the authenticator.
fn on_each_mixture(mut test: impl FnMut(Backend)) {
    on_each_backend(|Backend { chacha20, poly1305 }| {
        for other in Backend::available().filter(|other| other.poly1305 != poly1305) {
            test(Backend { chacha20, poly1305: other.poly1305 });
        }
    });
}

impl Secrets {
    /// Fails if a call leaves any of them.
    #[track_caller]
    fn none_left_by(&self, what: std::fmt::Arguments<'_>, call: impl FnMut()) {
        let left = self.left_by(call);
        let shown = &left[..left.len().min(20)];
        assert!(left.is_empty(), "{what}: {} secrets left, {shown:#?}", left.len());
    }
}

/// Seals and opens with an AEAD in place and between buffers, good messages and forged ones, and
/// searches after each for the secrets.
macro_rules! check {
    ($aead:expr, $nonce:expr, $aad_len:expr, $text:expr, $secrets:expr, $what:expr) => {{
        let (aead, nonce, secrets, what) = (&$aead, &$nonce, &$secrets, $what);
        let (aad, text, len) = (&vec![0xad; $aad_len][..], $text, $text.len());
        let what = &format!("{what}, {len} bytes, {} of AAD", aad.len());
        let (mut data, mut tag) = (text.to_vec(), Default::default());
        secrets.none_left_by(format_args!("{what}: sealed in place"), || {
            tag = aead.encrypt_in_place_detached(nonce.into(), aad, &mut data).unwrap();
        });
        let mut sealed = vec![0; len + 16];
        secrets.none_left_by(format_args!("{what}: sealed between buffers"), || {
            aead.seal_into(nonce, aad, text, &mut sealed).unwrap();
        });
        for forged in [1, 0] {
            tag[3] ^= forged;
            sealed[len + 3] ^= forged;
            let (mut copy, mut out, mut good) = (data.clone(), vec![0; len], false);
            secrets.none_left_by(format_args!("{what}: opened in place, forged {forged}"), || {
                let result = aead.decrypt_in_place_detached(nonce.into(), aad, &mut copy, &tag);
                good = result.is_ok();
            });
            assert_eq!(good, forged == 0);
            assert!(copy[..] == if good { text } else { &data[..] }[..], "{what}: opened in place");
            secrets.none_left_by(format_args!("{what}: opened to a buffer, {forged}"), || {
                good = aead.open_into(nonce, aad, &sealed, &mut out).is_ok();
            });
            assert_eq!(good, forged == 0);
            assert!(!good || out[..] == text[..], "{what}: opened to a buffer");
            tag[3] ^= forged;
            sealed[len + 3] ^= forged;
        }
    }};
}

fn check(backend: Backend, len: usize, aad_len: usize, rng: &mut Rng) {
    let (key, nonce, text) = (rng.array(), rng.array(), rng.bytes(len));
    let (sealed, tag) = oracle::seal(&key, &nonce, &vec![0xad; aad_len], &text);
    let secrets = Secrets::of_message(&key, &nonce, len);
    let secrets = secrets.with_accumulator(&key, &nonce, u128::from_le_bytes(tag));
    let aead = Box::new(ChaCha20Poly1305::with_backend(&key, backend));
    check!(aead, nonce, aad_len, &text, secrets, backend);
    // It is right, too: no other test is run with link-time optimisation.
    let mut data = text.clone();
    let aad = vec![0xad; aad_len];
    let ours = aead.encrypt_in_place_detached(&nonce.into(), &aad, &mut data).unwrap();
    assert!(data == sealed && ours[..] == tag, "{backend}, {len} bytes, {aad_len} of AAD");
}

#[test]
fn nothing_is_left() {
    let mut rng = Rng::new(7);
    on_each_backend(|backend| {
        for (len, aad_len) in LENGTHS.iter().flat_map(|&len| AADS.map(|aad_len| (len, aad_len))) {
            check(backend, len, aad_len, &mut rng);
        }
    });
}

/// The two halves may have backends of different names.
#[test]
fn nothing_is_left_by_mixtures() {
    let mut rng = Rng::new(11);
    on_each_mixture(|backend| {
        for len in LENGTHS {
            check(backend, len, 12, &mut rng);
        }
    });
}

/// The X variant has a subkey, too.
#[test]
fn nothing_is_left_of_a_subkey() {
    let mut rng = Rng::new(8);
    on_each_backend(|backend| {
        for len in LENGTHS {
            let (key, nonce, text) = (rng.array(), rng.array(), rng.bytes(len));
            let secrets = Secrets::of_x_message(&key, &nonce, len);
            let aead = Box::new(XChaCha20Poly1305::with_backend(&key, backend));
            check!(aead, nonce, 12, &text, secrets, format!("X, {backend}"));
        }
    });
}

/// The way of most callers: through a trait that allocates.
#[test]
fn nothing_is_left_of_allocated_messages() {
    let mut rng = Rng::new(12);
    on_each_backend(|backend| {
        for len in LENGTHS {
            let (key, nonce, text): ([u8; 32], [u8; 12], _) =
                (rng.array(), rng.array(), rng.bytes(len));
            let secrets = Secrets::of_message(&key, &nonce, len);
            let aead = Box::new(ChaCha20Poly1305::with_backend(&key, backend));
            let mut sealed = vec![];
            secrets.none_left_by(format_args!("{backend}, {len} bytes sealed"), || {
                sealed = aead.encrypt(&nonce.into(), Payload { msg: &text, aad: b"" }).unwrap();
            });
            let mut opened = vec![];
            secrets.none_left_by(format_args!("{backend}, {len} bytes opened"), || {
                opened = aead.decrypt(&nonce.into(), &sealed[..]).unwrap();
            });
            assert_eq!(opened, text);
        }
    });
}

/// ESP packets.
#[test]
fn nothing_is_left_of_packets() {
    let mut rng = Rng::new(13);
    on_each_backend(|backend| {
        for len in LENGTHS {
            let keymat: [u8; 36] = rng.array();
            let (key, salt) = keymat.split_first_chunk().unwrap();
            let iv: [u8; 8] = rng.array();
            let nonce = [salt, &iv].concat().try_into().unwrap();
            let secrets = Secrets::of_message(key, &nonce, esp::sealed_len(len));
            let aead = Box::new(Rfc7539Esp::with_backend(&keymat, backend));
            let (mut buffer, payload) = (rng.bytes(HEADROOM + len + 64), HEADROOM..HEADROOM + len);
            let fields = esp::Fields {
                spi: esp::Spi::new(0x1001).unwrap(),
                sequence: esp::SequenceNumber::Short(1),
                iv: esp::Iv::Explicit(iv),
                next_header: esp::NEXT_HEADER_IPV4,
                tfc_padding: 0,
            };
            let mut packet = 0..0;
            secrets.none_left_by(format_args!("{backend}, {len} bytes sealed"), || {
                packet = esp::seal_packet(&*aead, &fields, &mut buffer, payload.clone()).unwrap();
            });
            let (packet, options) = (&mut buffer[packet], esp::OpenOptions::default());
            secrets.none_left_by(format_args!("{backend}, {len} bytes opened"), || {
                esp::open_packet(&*aead, packet, &options).unwrap();
            });
        }
    });
}

/// Messages in several slices.
#[test]
fn nothing_is_left_of_segments() {
    let mut rng = Rng::new(10);
    on_each_backend(|backend| {
        for len in LENGTHS {
            let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
            let secrets = Secrets::of_message(&key, &nonce, len);
            let aead = Box::new(ChaCha20Poly1305::with_backend(&key, backend));
            let nonce = &nonce.into();
            let mut data = rng.bytes(len);
            for wrong in [0, 1] {
                let mut tag = Default::default();
                secrets.none_left_by(format_args!("{backend}, {len} bytes sealed"), || {
                    let (head, rest) = data.split_at_mut(len / 3);
                    let segments = &mut [head, rest];
                    tag = aead.encrypt_segments_detached(nonce, b"", segments, 0..len).unwrap();
                });
                tag[9] ^= wrong;
                secrets.none_left_by(
                    format_args!("{backend}, {len} bytes opened, {wrong}"),
                    || {
                        let (head, rest) = data.split_at_mut(len / 3);
                        let segments = &mut [head, rest];
                        let opened =
                            aead.decrypt_segments_detached(nonce, b"", segments, 0..len, &tag);
                        assert_eq!(opened.is_ok(), wrong == 0);
                    },
                );
            }
        }
    });
}
