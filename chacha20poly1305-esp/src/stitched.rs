//! Hashing in the shadow of the rounds: scalar Poly1305 beside vector ChaCha20.

use chacha20_simd::engine::{
    self, Beside, Block, CounterWidth, Keystream, RoundCount, State, XorBuf,
};
use poly1305_simd::engine::{Mac, Stepper};

use crate::backend::Backend;

/// Ciphertext that is hashed a block at a time, whenever the rounds have room for it.
struct Trail<'a> {
    stepper: Stepper,
    blocks: core::slice::Iter<'a, [u8; 16]>,
}

impl Beside for Trail<'_> {
    #[inline(always)]
    fn step(&mut self) {
        if let Some(block) = self.blocks.next() {
            self.stepper.step(block);
        }
    }
}

/// Encrypts `buf` from byte `done` on, of which what comes before is ciphertext already, and
/// hashes as much of the ciphertext as the rounds have room for. Returns how much that is, a
/// multiple of 16 bytes: the rest is for the vector code, which is faster where nothing shades it.
#[inline(never)]
pub(crate) fn encrypt(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    mac: &mut Mac,
    buf: &mut XorBuf<'_>,
    mut done: usize,
) -> usize {
    let mut last = Block::ZERO;
    let (width, cipher) = (CounterWidth::W32, backend.chacha20);
    let mut hashed = 0;
    if !engine::has_beside(cipher) {
        let (_, text) = buf.reborrow().split_at(done);
        engine::xor(cipher, rounds, width, state, text, &mut last);
        return 0;
    }
    while done < buf.len() {
        let (mut ciphertext, text) = buf.reborrow().split_at(done);
        let batch = text.len().min(engine::bytes_per_pass(cipher));
        let (text, _) = text.split_at(batch);
        let (blocks, _) = ciphertext.dst_mut()[hashed..].as_chunks();
        let trail = Trail { stepper: mac.stepper(), blocks: blocks.iter() };
        let trail = engine::xor_beside(cipher, rounds, width, state, text, &mut last, trail);
        mac.resume(&trail.stepper);
        hashed = done - 16 * trail.blocks.len();
        done += batch;
    }
    hashed
}

/// Makes the keystream of the last `rest` bytes of a message, which `keystream` does not reach yet,
/// and hashes as much of the ciphertext as the rounds have room for. Returns how much that is, a
/// multiple of 16 bytes.
#[inline(never)]
pub(crate) fn hash(
    rounds: RoundCount,
    state: &mut State,
    mac: &mut Mac,
    keystream: &mut Keystream<'_>,
    ciphertext: &[u8],
    rest: usize,
) -> usize {
    let (blocks, _) = ciphertext.as_chunks();
    let trail = Trail { stepper: mac.stepper(), blocks: blocks.iter() };
    let trail = keystream.extend(rounds, CounterWidth::W32, state, rest.div_ceil(64), trail);
    mac.resume(&trail.stepper);
    16 * (blocks.len() - trail.blocks.len())
}

/// Decrypts all of a long message in place but its last pass, with `keystream` for the first part,
/// and hashes the ciphertext beside the rounds as far as they have room. Returns how much it has
/// decrypted and how much it has hashed, in bytes, a multiple of 16: at least as much.
///
/// The hash stays ahead, so that it sees what is about to be overwritten. The rounds of a pass have
/// room for a little less than a pass, so it starts with a lead, which vector code makes.
#[inline(never)]
pub(crate) fn decrypt_in_place(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    mac: &mut Mac,
    keystream: &Keystream<'_>,
    buf: &mut XorBuf<'_>,
) -> (usize, usize) {
    let (width, cipher) = (CounterWidth::W32, backend.chacha20);
    let pass = engine::bytes_per_pass(cipher);
    let mut done = keystream.bytes().len() - 64;
    let mut hashed = lead(cipher, buf.len()).min(buf.len()) & !15;
    debug_assert!(done <= hashed);
    mac.blocks(&buf.src()[..hashed]);
    keystream.xor(64, buf.reborrow().split_at(done).0);
    let mut last = Block::ZERO;
    while buf.len() - done > pass {
        let end = done + pass;
        if hashed < end {
            mac.blocks(&buf.src()[hashed..end]);
            hashed = end;
        }
        let (text, ciphertext) = buf.reborrow().split_at(end);
        let (_, text) = text.split_at(done);
        let (blocks, _) = ciphertext.src()[hashed - end..].as_chunks();
        let trail = Trail { stepper: mac.stepper(), blocks: blocks.iter() };
        let trail = engine::xor_beside(cipher, rounds, width, state, text, &mut last, trail);
        mac.resume(&trail.stepper);
        hashed += 16 * (blocks.len() - trail.blocks.len());
        done = end;
    }
    (done, hashed)
}

/// How many bytes of a message vector code hashes ahead of the rounds: two passes, and what the
/// rounds have no room for. On AVX2 they take in 30 blocks of a pass's 32; on AVX-512, 60 of 128.
fn lead(cipher: chacha20_simd::Backend, len: usize) -> usize {
    let pass = engine::bytes_per_pass(cipher);
    match cipher {
        chacha20_simd::Backend::Avx512(_) => 2 * pass + len / 2,
        _ => 2 * pass + len / 16,
    }
}
