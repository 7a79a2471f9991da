//! Poly1305 as RFC 8439, section 2.5.1, puts it into words, on schoolbook big integers: slow,
//! and short enough to be seen to be right. It shares nothing with the crate.
#![allow(dead_code)]

use poly1305_simd::{Backend, Key, Poly1305};
use std::sync::LazyLock;

/// Little-endian digits in base 2^32, wide enough for the product of two numbers below 2^132.
type Integer = [u64; 9];

const P: Integer = [0xffff_fffb, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 3, 0, 0, 0, 0];

fn integer(bytes: &[u8]) -> Integer {
    let mut n = [0; 9];
    for (i, byte) in bytes.iter().enumerate() {
        n[i / 4] |= u64::from(*byte) << (8 * (i % 4));
    }
    n
}

fn add(a: Integer, b: Integer) -> Integer {
    let mut carry = 0;
    core::array::from_fn(|i| {
        let sum = a[i] + b[i] + carry;
        carry = sum >> 32;
        sum & 0xffff_ffff
    })
}

/// a - b, if that is not negative.
fn sub(a: Integer, b: Integer) -> Option<Integer> {
    let mut borrow = 0;
    let difference = core::array::from_fn(|i| {
        let d = a[i] as i64 - b[i] as i64 - borrow;
        borrow = i64::from(d < 0);
        (d + (borrow << 32)) as u64
    });
    (borrow == 0).then_some(difference)
}

fn mul(a: Integer, b: Integer) -> Integer {
    let mut product = [0u64; 18];
    for i in 0..9 {
        let mut carry = 0;
        for j in 0..9 {
            let sum = product[i + j] + a[i] * b[j] + carry;
            product[i + j] = sum & 0xffff_ffff;
            carry = sum >> 32;
        }
        product[i + 9] = carry;
    }
    assert!(product[9..].iter().all(|digit| *digit == 0));
    core::array::from_fn(|i| product[i])
}

/// The remainder by p, by long division one bit at a time.
fn modulo_p(mut n: Integer) -> Integer {
    /// p, 2p, 4p, ... up to the first that no product reaches.
    static MULTIPLES: LazyLock<Vec<Integer>> = LazyLock::new(|| {
        let product_end = 265 - 130;
        core::iter::successors(Some(P), |multiple| Some(add(*multiple, *multiple)))
            .take(product_end)
            .collect()
    });
    for multiple in MULTIPLES.iter().rev() {
        if let Some(rest) = sub(n, *multiple) {
            n = rest;
        }
    }
    assert!(sub(n, P).is_none());
    n
}

/// An accumulator to which blocks are fed one by one.
#[derive(Clone)]
pub(crate) struct Oracle {
    r: Integer,
    s: Integer,
    acc: Integer,
}

impl Oracle {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let mut r = [0; 16];
        r.copy_from_slice(&key[..16]);
        for i in [3, 7, 11, 15] {
            r[i] &= 15;
        }
        for i in [4, 8, 12] {
            r[i] &= 252;
        }
        Self { r: integer(&r), s: integer(&key[16..]), acc: [0; 9] }
    }

    /// Replaces the accumulator by three 64-bit limbs.
    pub(crate) fn set_accumulator(&mut self, limbs: [u64; 3]) {
        let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        self.acc = modulo_p(integer(&bytes));
    }

    /// One block of 1 to 16 bytes, with a one after its last byte.
    pub(crate) fn block(&mut self, block: &[u8]) {
        assert!(matches!(block.len(), 1..=16));
        let n = integer(&[block, &[1]].concat());
        self.acc = modulo_p(mul(add(self.acc, n), self.r));
    }

    /// A message to its end.
    pub(crate) fn unpadded(&mut self, data: &[u8]) {
        data.chunks(16).for_each(|block| self.block(block));
    }

    /// Data filled up with zeros.
    pub(crate) fn padded(&mut self, data: &[u8]) {
        for chunk in data.chunks(16) {
            let mut block = [0; 16];
            block[..chunk.len()].copy_from_slice(chunk);
            self.block(&block);
        }
    }

    pub(crate) fn tag(&self) -> [u8; 16] {
        let sum = add(self.acc, self.s);
        let mut tag = [0; 16];
        for (i, bytes) in tag.chunks_mut(4).enumerate() {
            bytes.copy_from_slice(&(sum[i] as u32).to_le_bytes());
        }
        tag
    }
}

pub(crate) fn oracle(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut oracle = Oracle::new(key);
    oracle.unpadded(message);
    oracle.tag()
}

/// Every backend of this CPU. Says which, and fails unless they are those that are expected.
pub(crate) fn backends() -> Vec<Backend> {
    let backends: Vec<Backend> = Backend::available().collect();
    testkit::backends::expect(&backends.iter().map(|b| b.name()).collect::<Vec<_>>());
    backends
}

/// Bytes without a pattern, the same ones for the same seed (SplitMix64).
pub(crate) fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend((z ^ (z >> 31)).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

pub(crate) fn key(seed: u64) -> [u8; 32] {
    bytes(seed ^ 0x6b65_7900, 32).try_into().unwrap()
}

pub(crate) fn poly(key: &[u8; 32], backend: Backend) -> Poly1305 {
    Poly1305::with_backend(&Key::from(*key), backend)
}

/// Multipliers at the edges of the radices: none, the least, powers of two around a limb of 26,
/// 44 and 64 bits, and every bit that clamping leaves.
pub(crate) fn edge_multipliers() -> Vec<[u8; 16]> {
    let numbers = [
        0,
        1,
        2,
        4,
        (1 << 26) - 1,
        1 << 26,
        (1 << 28) - 1,
        1 << 43,
        (1 << 44) - 1,
        1 << 45,
        1 << 52,
        (1 << 60) - 1,
        1 << 66,
        1 << 88,
        1 << 104,
        1 << 123,
        u128::MAX,
    ];
    numbers.map(u128::to_le_bytes).to_vec()
}
