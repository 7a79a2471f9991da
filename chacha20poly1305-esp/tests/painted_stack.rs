//! What sealing and opening leave behind on the stack and in the vector registers: no key, no
//! one-time key or power of r, no keystream.
//!
//! Only optimised code is held to that: without optimisation the compiler copies every value about.
#![cfg(all(target_arch = "x86_64", unix, feature = "zeroize", not(debug_assertions)))]

use std::collections::HashMap;

use aead::AeadInPlace;
use chacha20poly1305_esp::{Backend, ChaCha20Poly1305, SegmentedAead, XChaCha20Poly1305};
use testkit::{Rng, oracle, painted};

const LENGTHS: [usize; 20] = [
    0, 16, 64, 65, 128, 192, 193, 320, 321, 448, 449, 512, 777, 1024, 1420, 2048, 4096, 4097, 8199,
    20_000,
];

/// Associated data, in bytes: an ESP packet's, and enough for vector code.
const AADS: [usize; 3] = [12, 193, 400];

/// Eight bytes as they might be found, and what they are.
struct Secrets(HashMap<u64, String>);

impl Secrets {
    fn add(&mut self, value: u64, what: impl Fn() -> String) {
        // Small numbers are everywhere.
        if value >> 16 != 0 {
            self.0.entry(value).or_insert_with(what);
        }
    }

    /// Every eight bytes of words, and each word twice, as vectors of one word have it.
    fn add_words(&mut self, words: &[u32], what: &str) {
        for (i, word) in words.iter().enumerate() {
            self.add(u64::from(*word) << 32 | u64::from(*word), || {
                format!("{what}, word {i} twice")
            });
        }
        for (i, pair) in words.windows(2).enumerate() {
            self.add(u64::from(pair[1]) << 32 | u64::from(pair[0]), || format!("{what}, word {i}"));
        }
    }

    /// A number modulo 2^130 - 5 in limbs, and the multiples of these that multiplications use.
    fn add_number(&mut self, [low, high, top]: [u64; 3], what: &str) {
        let bits = |from: u32, count: u32| {
            let at = |i: u32| [low, high, top].get(i as usize).copied().unwrap_or(0);
            let (word, bit) = (from / 64, from % 64);
            let upper = at(word + 1).checked_shl(64 - bit).unwrap_or(0);
            (at(word) >> bit | upper) & ((1 << count) - 1)
        };
        self.add(low, || format!("{what}, low half"));
        self.add(high, || format!("{what}, high half"));
        for (width, limbs, multiples) in [(26, 5, [1, 5]), (44, 3, [1, 20])] {
            for i in 0..limbs {
                for multiple in multiples {
                    let limb = bits(width * i, width) * multiple;
                    self.add(limb, || format!("{what}, {multiple} times limb {i} of {width} bits"));
                    // As lanes of 32 bits.
                    if width == 26 {
                        self.add(limb << 32 | limb, || format!("{what}, limb {i} twice"));
                    }
                }
            }
        }
    }

    fn of_message(key: &[u8; 32], nonce: &[u8; 12], len: usize) -> Self {
        let mut secrets = Self(HashMap::new());
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
        };
        let key_words = words(key);
        secrets.add_words(&key_words, "key");

        let blocks: Vec<_> = (0..=len.div_ceil(64) as u32)
            .map(|counter| oracle::block(20, key, nonce, counter))
            .collect();
        let start = |i: usize| if (4..12).contains(&i) { key_words[i - 4] } else { 0 };
        for (number, block) in blocks.iter().enumerate() {
            let block = words(block);
            secrets.add_words(&block, &format!("keystream, block {number}"));
            let rounds: Vec<_> = (0..16).map(|i| block[i].wrapping_sub(start(i))).collect();
            secrets.add_words(&rounds[4..12], &format!("rounds, block {number}"));
        }
        for (number, pair) in blocks.windows(2).enumerate() {
            for (i, (a, b)) in words(&pair[0]).into_iter().zip(words(&pair[1])).enumerate() {
                let column = u64::from(b) << 32 | u64::from(a);
                secrets.add(column, || format!("keystream, word {i} from block {number} on"));
                let before = |word: u32| u64::from(word.wrapping_sub(start(i)));
                secrets.add(before(b) << 32 | before(a), || format!("rounds, word {i}"));
            }
        }

        let r = u128::from_le_bytes(*blocks[0].first_chunk().unwrap());
        secrets.add_number([r as u64, (r >> 64) as u64, 0], "r before clamping");
        let r = r & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
        let mut power = [r as u64, (r >> 64) as u64, 0];
        for exponent in 1..=16 {
            secrets.add_number(power, &format!("r^{exponent}"));
            power = times(power, r);
        }
        secrets
    }

    /// What of them a call has left.
    fn left_by(&self, call: impl FnMut()) -> Vec<String> {
        let mut traces = painted::run(call);
        let found = traces.find(|word| self.0.contains_key(&word));
        found.iter().map(|(at, word)| format!("{} at {at:?}", self.0[word])).collect()
    }
}

/// `2 x + y` modulo 2^130 - 5; all are less than that.
fn twice_and(x: [u64; 3], y: [u64; 3]) -> [u64; 3] {
    let mut carry = 0;
    let mut sum = [0; 3];
    for i in 0..3 {
        let limb = 2 * u128::from(x[i]) + u128::from(y[i]) + carry;
        (sum[i], carry) = (limb as u64, limb >> 64);
    }
    // At most twice, since the sum is less than three times the modulus.
    for _ in 0..2 {
        let mut carry = 5;
        let more = sum.map(|limb| {
            let limb = u128::from(limb) + carry;
            carry = limb >> 64;
            limb as u64
        });
        if more[2] >= 4 {
            sum = [more[0], more[1], more[2] - 4];
        }
    }
    sum
}

/// `x r` modulo 2^130 - 5, bit by bit.
fn times(x: [u64; 3], r: u128) -> [u64; 3] {
    (0..128)
        .rev()
        .fold([0; 3], |product, bit| twice_and(product, if r >> bit & 1 == 1 { x } else { [0; 3] }))
}

/// The arithmetic of this file, against the oracle's.
#[test]
fn powers_are_powers() {
    let r = [0x5a; 16];
    let clamped = u128::from_le_bytes(r) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    // The polynomial of one block of zeros is 2^128 r, that of two is 2^128 r^2 + 2^128 r.
    let first = times([0, 0, 1], clamped);
    let second = twice_and([0; 3], times([first[0], first[1], first[2] + 1], clamped));
    let bytes = |x: [u64; 3]| x.iter().flat_map(|limb| limb.to_le_bytes()).collect::<Vec<_>>();
    assert_eq!(bytes(first)[..17], oracle::polynomial(&r, &[0; 16]));
    assert_eq!(bytes(second)[..17], oracle::polynomial(&r, &[0; 32]));
}

fn on_each_backend(mut test: impl FnMut(Backend)) {
    let names: Vec<_> = Backend::available().map(Backend::name).collect();
    testkit::backends::expect(&names);
    Backend::available().for_each(&mut test);
}

#[track_caller]
fn assert_nothing_left(left: Vec<String>, what: &str) {
    let shown = &left[..left.len().min(20)];
    assert!(left.is_empty(), "{what}: {} secrets left, {shown:#?}", left.len());
}

/// Seals and opens, in place and between buffers; good messages and forged ones.
#[test]
fn nothing_is_left() {
    let mut rng = Rng::new(7);
    on_each_backend(|backend| {
        for (len, aad_len) in LENGTHS.iter().flat_map(|&len| AADS.map(|aad_len| (len, aad_len))) {
            let (key, nonce, text) = (rng.array(), rng.array(), rng.bytes(len));
            let aad = rng.bytes(aad_len);
            let secrets = Secrets::of_message(&key, &nonce, len);
            let aead = Box::new(ChaCha20Poly1305::with_backend(&key, backend));
            let (mut data, mut tag) = (text.clone(), Default::default());
            let left = secrets.left_by(|| {
                tag = aead.encrypt_in_place_detached(&nonce.into(), &aad, &mut data).unwrap();
            });
            assert_nothing_left(
                left,
                &format!("{backend}, {len} bytes sealed in place, {aad_len} of AAD"),
            );

            let mut sealed = vec![0; len + 16];
            let left = secrets.left_by(|| {
                aead.seal_into(&nonce, &aad, &text, &mut sealed).unwrap();
            });
            assert_nothing_left(
                left,
                &format!("{backend}, {len} bytes sealed between buffers, {aad_len} of AAD"),
            );

            for forged in [true, false] {
                let mut tag = tag;
                tag[3] ^= u8::from(forged);
                sealed[len + 3] ^= u8::from(forged);
                let (mut copy, mut out, mut good) = (data.clone(), vec![0; len], false);
                let left = secrets.left_by(|| {
                    let aad = &aad[..];
                    good =
                        aead.decrypt_in_place_detached(&nonce.into(), aad, &mut copy, &tag).is_ok();
                });
                assert_eq!(good, !forged);
                let what = format!(
                    "{backend}, {len} bytes opened in place, {aad_len} of AAD, forged {forged}"
                );
                assert_nothing_left(left, &what);
                let left = secrets.left_by(|| {
                    good = aead.open_into(&nonce, &aad, &sealed, &mut out).is_ok();
                });
                assert_eq!(good, !forged);
                let what = format!(
                    "{backend}, {len} bytes opened between buffers, {aad_len} of AAD, forged {forged}"
                );
                assert_nothing_left(left, &what);
                sealed[len + 3] ^= u8::from(forged);
            }
        }
    });
}

/// The X variant has a subkey, too.
#[test]
fn nothing_is_left_of_a_subkey() {
    let mut rng = Rng::new(8);
    on_each_backend(|backend| {
        for len in LENGTHS {
            let (key, nonce): ([u8; 32], [u8; 24]) = (rng.array(), rng.array());
            let subkey = oracle::hchacha(20, &key, nonce.first_chunk().unwrap());
            let mut rest = [0; 12];
            rest[4..].copy_from_slice(&nonce[16..]);
            let mut secrets = Secrets::of_message(&subkey, &rest, len);
            for eight in key.chunks_exact(8) {
                secrets.add(u64::from_le_bytes(eight.try_into().unwrap()), || "key".to_owned());
            }
            let aead = Box::new(XChaCha20Poly1305::with_backend(&key, backend));
            let mut data = rng.bytes(len);
            let left = secrets.left_by(|| {
                aead.encrypt_in_place_detached(&nonce.into(), b"", &mut data).unwrap();
            });
            assert_nothing_left(left, &format!("X, {backend}, {len} bytes sealed"));
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
                let left = secrets.left_by(|| {
                    let (head, rest) = data.split_at_mut(len / 3);
                    let segments = &mut [head, rest];
                    tag = aead.encrypt_segments_detached(nonce, b"", segments, 0..len).unwrap();
                });
                assert_nothing_left(left, &format!("{backend}, {len} bytes sealed"));
                tag[9] ^= wrong;
                let left = secrets.left_by(|| {
                    let (head, rest) = data.split_at_mut(len / 3);
                    let segments = &mut [head, rest];
                    let opened = aead.decrypt_segments_detached(nonce, b"", segments, 0..len, &tag);
                    assert_eq!(opened.is_ok(), wrong == 0);
                });
                assert_nothing_left(left, &format!("{backend}, {len} bytes opened, wrong {wrong}"));
            }
        }
    });
}

/// A leak is found: what a careless cipher leaves, in the forms that kernels have secrets in.
#[test]
fn leaks_are_found() {
    let mut rng = Rng::new(9);
    let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
    let secrets = Secrets::of_message(&key, &nonce, 100);
    let words = |bytes: &[u8], i: usize| u32::from_le_bytes(*bytes[4 * i..].first_chunk().unwrap());
    let block = |number| oracle::block(20, &key, &nonce, number);
    let r = u128::from_le_bytes(*block(0).first_chunk().unwrap());
    let clamped = r & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    let leaks: [(&str, [u32; 2]); 6] = [
        ("key", [words(&key, 4), words(&key, 5)]),
        ("key in columns", [words(&key, 7); 2]),
        ("keystream", [words(&block(1), 3), words(&block(1), 4)]),
        ("keystream in columns", [words(&block(0), 9), words(&block(1), 9)]),
        ("r", [clamped as u32, (clamped >> 32) as u32]),
        ("limb of r", [clamped as u32 & 0x03ff_ffff, 0]),
    ];
    assert!(secrets.left_by(|| ()).is_empty());
    for (what, leak) in leaks {
        let left = secrets.left_by(|| {
            std::hint::black_box(&std::hint::black_box([0, leak[0], leak[1], 0]));
        });
        assert!(!left.is_empty(), "{what}");
    }
}
