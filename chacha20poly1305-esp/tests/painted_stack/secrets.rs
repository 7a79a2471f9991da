//! What may not be found, in every form that kernels have it in.

use std::collections::HashMap;

use testkit::{Rng, oracle, painted};

/// Eight bytes as they might be found, and what they are.
pub(crate) struct Secrets(HashMap<u64, String>);

impl Secrets {
    pub(crate) fn add(&mut self, value: u64, what: impl Fn() -> String) {
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
                    // As lanes of 32 bits, and beside the next one.
                    if width == 26 {
                        self.add(limb << 32 | limb, || format!("{what}, limb {i} twice"));
                        let next = bits(width * (i + 1), width) * multiple;
                        self.add(next << 32 | limb, || format!("{what}, limbs {i} and next"));
                    }
                }
            }
        }
    }

    /// Those of a message of `len` bytes.
    pub(crate) fn of_message(key: &[u8; 32], nonce: &[u8; 12], len: usize) -> Self {
        let mut secrets = Self(HashMap::new());
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

    /// And those of an XChaCha20-Poly1305 message.
    pub(crate) fn of_x_message(key: &[u8; 32], nonce: &[u8; 24], len: usize) -> Self {
        let subkey = oracle::hchacha(20, key, nonce.first_chunk().unwrap());
        let mut rest = [0; 12];
        rest[4..].copy_from_slice(&nonce[16..]);
        let mut secrets = Self::of_message(&subkey, &rest, len);
        secrets.add_words(&words(key), "key");
        secrets
    }

    /// Adds the last accumulator: what is left of a tag without s. With the message it gives r away.
    pub(crate) fn with_accumulator(mut self, key: &[u8; 32], nonce: &[u8; 12], tag: u128) -> Self {
        let block = oracle::block(20, key, nonce, 0);
        let s = u128::from_le_bytes(*block[16..].first_chunk().unwrap());
        let accumulator = tag.wrapping_sub(s);
        let halves = [accumulator as u64, (accumulator >> 64) as u64, 0];
        self.add_number(halves, "accumulator");
        self
    }

    /// What of them a call has left.
    pub(crate) fn left_by(&self, call: impl FnMut()) -> Vec<String> {
        let mut traces = painted::run(call);
        let found = traces.find(|word| self.0.contains_key(&word));
        found.iter().map(|(at, word)| format!("{} at {at:?}", self.0[word])).collect()
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
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

/// A leak is found: what a careless cipher leaves, in the forms that kernels have secrets in.
#[test]
fn leaks_are_found() {
    let mut rng = Rng::new(9);
    let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
    let secrets = Secrets::of_message(&key, &nonce, 100);
    let block = |number| oracle::block(20, &key, &nonce, number);
    let r = u128::from_le_bytes(*block(0).first_chunk().unwrap());
    let clamped = r & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    let leaks: [(&str, [u32; 2]); 6] = [
        ("key", [words(&key)[4], words(&key)[5]]),
        ("key in columns", [words(&key)[7]; 2]),
        ("keystream", [words(&block(1))[3], words(&block(1))[4]]),
        ("keystream in columns", [words(&block(0))[9], words(&block(1))[9]]),
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
