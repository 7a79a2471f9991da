//! One message: the construction of RFC 8439, section 2.8, over the two engines.

use core::mem::ManuallyDrop;

use chacha20_simd::Variant;
use chacha20_simd::engine::{
    self, Block, CounterWidth, Keystream, RoundCount, Scratch, State, XorBuf,
};
use poly1305_simd::engine::{Mac, aead_tag, declassify};
use subtle::ConstantTimeEq;

use crate::backend::Backend;
use crate::error::MessageError;
use crate::stitched;

/// Bytes of a tag.
pub(crate) const TAG_SIZE: usize = 16;

/// Bytes of a nonce of XChaCha20.
const XNONCE_SIZE: usize = 24;

/// Bytes of a block of keystream.
const BLOCK_SIZE: usize = 64;

/// Bytes of keystream that a short message may take: block 0 and the text's, of one pass through the
/// rounds. Room for more would put more of the stack between what has to be wiped.
const SHORT: usize = 1024;

/// The longest message, in bytes, whose whole keystream is made before it is verified. Packets are
/// shorter; and the stack has to hold it.
const PACKET: usize = 4096;

/// The longest message, in bytes: (2^32 - 1) blocks of 64, since block 0 makes the one-time key
/// (RFC 8439, section 2.8: P_MAX).
pub const MAX_MESSAGE_LEN: u64 = (u32::MAX as u64) * 64;

/// Refuses a length beyond [`MAX_MESSAGE_LEN`].
#[inline]
pub(crate) const fn check_len(len: u64) -> Result<(), MessageError> {
    if len > MAX_MESSAGE_LEN { Err(MessageError::MessageTooLong) } else { Ok(()) }
}

/// Block 0 and as many of the text's blocks as come with it in one pass through the rounds: a short
/// message needs no other.
#[inline(always)]
fn first_pass<'s, const SIZE: usize>(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    text_len: usize,
    scratch: &'s mut Scratch<SIZE>,
) -> Keystream<'s> {
    let blocks = text_len.div_ceil(BLOCK_SIZE) + 1;
    Keystream::new(scratch, backend.chacha20, rounds, CounterWidth::W32, state, blocks)
}

/// The first half of block 0 (RFC 8439, section 2.6).
#[inline]
fn one_time_key(keystream: &[u8]) -> &[u8; 32] {
    keystream.first_chunk().expect("a block holds a key")
}

/// Poly1305 with that key.
#[inline]
fn one_time_mac(backend: Backend, keystream: &[u8]) -> Mac {
    Mac::new(one_time_key(keystream), backend.poly1305)
}

/// How much of the stack below its caller the work on a message of `len` bytes leaves traces on, in
/// bytes. One set of rows stays in the registers, more do not; columns take more room, and vectors
/// that hash most.
///
/// Measured on a painted stack (`tests/painted_stack`), in cargo's default profile and with link-time
/// optimisation, whose inlining moves frames together, each with one unit of code generation and
/// with several: the largest, and 192 bytes or more to spare.
#[inline]
fn traces(backend: Backend, aad: &[u8], len: usize) -> usize {
    use {chacha20_simd::Backend as ChaCha20, poly1305_simd::Backend as Poly1305};
    match (backend.chacha20, backend.poly1305) {
        _ if aad.len() > 192 => 2560,
        (ChaCha20::Avx512(_), Poly1305::Avx512(_)) => match len {
            0..=224 => 384,
            225..=704 => 640,
            705..=1024 => 1280,
            _ => 2560,
        },
        (ChaCha20::Avx2(_), Poly1305::Avx2(_) | Poly1305::Avx512(_)) => match len {
            0..=320 => 640,
            _ => 2560,
        },
        // Portable code spills at any length.
        (ChaCha20::Soft, _) => 2560,
        _ if len <= 192 => 768,
        _ => 2560,
    }
}

/// What [`open_verified`] itself takes, in bytes, beside the work that it calls.
const OPEN_FRAME: usize = 512;

/// As [`traces`], of [`open_long`].
const TRACES_OF_OPEN_LONG: usize = 2816;

/// Wipes what making a state has left behind: of XChaCha20 a subkey, where the frames of the calls
/// that follow would lie, which wipe what is below them but not themselves.
#[inline(always)]
pub(crate) fn wipe_traces_of_state<V: Variant>() {
    if size_of::<V::Nonce>() == XNONCE_SIZE {
        engine::wipe_stack(768);
    }
}

/// Wipes what calls have left behind.
#[inline(always)]
pub(crate) fn wipe_traces(depth: usize) {
    engine::wipe_stack(depth);
    engine::wipe_registers();
}

/// Encrypts `buf`; the tag of the result and the associated data. `state` has block counter 0.
///
/// The tag comes as a number, which the caller gets in registers: from memory it would be copied with
/// other widths than it is stored with, and such a load waits until the store has left the store
/// buffer.
#[inline(never)]
pub(crate) fn seal(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    mut buf: XorBuf<'_>,
) -> u128 {
    let (len, width) = (buf.len(), CounterWidth::W32);
    // Not dropped if a kernel panics, which it does not. With a way out for that, MemorySanitizer
    // would lose track of the tag.
    let mut key = ManuallyDrop::new(Block::ZERO);
    let done = engine::xor_first(backend.chacha20, rounds, width, state, &mut key, &mut buf);
    let tag = if done == len {
        aead_tag(one_time_key(&key.0), backend.poly1305, aad, buf.dst_mut())
    } else {
        seal_rest(backend, rounds, state, aad, &mut buf, &mut key, done)
    };
    wipe_traces(traces(backend, aad, len));
    // In place: a move might leave a copy.
    *key = Block::ZERO;
    tag
}

/// The rest of a message of which `done` bytes are encrypted; the tag of the whole.
#[inline(never)]
fn seal_rest(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    buf: &mut XorBuf<'_>,
    key: &mut Block,
    done: usize,
) -> u128 {
    let mut mac = one_time_mac(backend, &key.0);
    // What is only read would be passed by value, and stay in the caller's frame.
    *key = Block::ZERO;
    mac.padded(aad);
    let hashed = stitched::encrypt(backend, rounds, state, &mut mac, buf, done);
    let len = buf.len();
    mac.aead_end(&buf.dst_mut()[hashed..], aad.len(), len);
    mac.finish_number()
}

/// Decrypts `buf` if it is authentic; leaves it as it was if not. `state` has block counter 0.
pub(crate) fn open(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    buf: XorBuf<'_>,
    tag: &[u8; TAG_SIZE],
) -> Result<(), MessageError> {
    let (len, cipher) = (buf.len(), backend.chacha20);
    let short = engine::bytes_per_pass(cipher).min(SHORT) - BLOCK_SIZE;
    let beside = engine::has_beside(cipher) && len > short;
    if beside && len <= PACKET {
        return open_packet(backend, rounds, state, aad, buf, tag);
    }
    let mut scratch = Scratch::<SHORT>::uninit();
    if beside && buf.is_in_place() {
        let result = open_long(backend, rounds, state, aad, buf, tag, &mut scratch);
        wipe_traces(TRACES_OF_OPEN_LONG);
        result
    } else {
        let result = open_verified(backend, rounds, state, aad, buf, tag, &mut scratch);
        wipe_traces(OPEN_FRAME + traces(backend, aad, len));
        result
    }
}

/// [`open_verified`] with room for all of the keystream. Apart from [`open`], whose other ways need
/// less of the stack.
#[inline(never)]
fn open_packet(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    buf: XorBuf<'_>,
    tag: &[u8; TAG_SIZE],
) -> Result<(), MessageError> {
    let mut scratch = Scratch::<{ BLOCK_SIZE + PACKET }>::uninit();
    let result = open_verified(backend, rounds, state, aad, buf, tag, &mut scratch);
    wipe_traces(OPEN_FRAME);
    result
}

/// Compares a tag in constant time: as numbers, which is one comparison in place of sixteen.
#[inline]
fn verify(expected: u128, tag: &[u8; TAG_SIZE]) -> Result<(), MessageError> {
    let authentic = expected.ct_eq(&u128::from_le_bytes(*tag));
    if declassify(authentic.unwrap_u8()) == 1 { Ok(()) } else { Err(MessageError::Authentication) }
}

/// A long message in place, on a backend that hashes beside the rounds: decrypted up to its last
/// pass when the tag is known, and encrypted again if that is wrong. Nobody else sees it meanwhile.
#[inline(never)]
fn open_long(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    mut buf: XorBuf<'_>,
    tag: &[u8; TAG_SIZE],
    scratch: &mut Scratch<SHORT>,
) -> Result<(), MessageError> {
    let keystream = first_pass(backend, rounds, state, buf.len(), scratch);
    let mut mac = one_time_mac(backend, keystream.bytes());
    mac.padded(aad);
    let (done, hashed) =
        stitched::decrypt_in_place(backend, rounds, state, &mut mac, &keystream, &mut buf);
    mac.aead_end(&buf.src()[hashed..], aad.len(), buf.len());
    let result = verify(mac.finish_number(), tag);
    let (decrypted, rest) = buf.split_at(done);
    let text = if result.is_ok() {
        rest
    } else {
        state.set_counter32(1);
        decrypted
    };
    let (width, mut last) = (CounterWidth::W32, Block::ZERO);
    engine::xor(backend.chacha20, rounds, width, state, text, &mut last);
    result
}

/// Verifies, then decrypts: no plaintext of a forged message ever exists. The keystream is made
/// first as far as the scratch has room for it, since the one-time key comes with a pass through the
/// rounds, and hashing beside further ones costs nothing. A forged message costs all but the rest.
#[inline(never)]
fn open_verified<const SIZE: usize>(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    buf: XorBuf<'_>,
    tag: &[u8; TAG_SIZE],
    scratch: &mut Scratch<SIZE>,
) -> Result<(), MessageError> {
    // Not dropped if a kernel panics, as in `seal`.
    let mut keystream = ManuallyDrop::new(first_pass(backend, rounds, state, buf.len(), scratch));
    let rest = buf.len().saturating_sub(keystream.bytes().len() - BLOCK_SIZE);
    let expected = if SIZE > SHORT && rest != 0 {
        tag_beside(backend, rounds, state, aad, buf.src(), &mut keystream, rest)
    } else {
        aead_tag(one_time_key(keystream.bytes()), backend.poly1305, aad, buf.src())
    };
    if SIZE > SHORT {
        // Beside the end of the hash, which waits for itself, rather than after all is done.
        engine::wipe_stack(traces(backend, aad, buf.len()));
    }
    let result = verify(expected, tag);
    if result.is_ok() {
        let rest = keystream.xor(BLOCK_SIZE, buf);
        if !rest.is_empty() {
            let (width, mut last) = (CounterWidth::W32, Block::ZERO);
            engine::xor(backend.chacha20, rounds, width, state, rest, &mut last);
        }
    }
    drop(ManuallyDrop::into_inner(keystream));
    result
}

/// The tag of a message of which the last `rest` bytes have no keystream yet: that is made beside.
#[inline(never)]
fn tag_beside(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    ciphertext: &[u8],
    keystream: &mut Keystream<'_>,
    rest: usize,
) -> u128 {
    let mut mac = one_time_mac(backend, keystream.bytes());
    mac.padded(aad);
    let hashed = stitched::hash(rounds, state, &mut mac, keystream, ciphertext, rest);
    mac.aead_end(&ciphertext[hashed..], aad.len(), ciphertext.len());
    mac.finish_number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_message() {
        assert_eq!(MAX_MESSAGE_LEN, 274_877_906_880);
        assert_eq!(check_len(0), Ok(()));
        assert_eq!(check_len(MAX_MESSAGE_LEN - 1), Ok(()));
        assert_eq!(check_len(MAX_MESSAGE_LEN), Ok(()));
        assert_eq!(check_len(MAX_MESSAGE_LEN + 1), Err(MessageError::MessageTooLong));
        assert_eq!(check_len(u64::MAX), Err(MessageError::MessageTooLong));
    }
}
