//! One message: the construction of RFC 8439, section 2.8, over the two engines.

use chacha20_simd::engine::{
    self, Block, CounterWidth, Prefix, RoundCount, Scratch, State, XorBuf,
};
use poly1305_simd::engine::Mac;
use subtle::ConstantTimeEq;

use crate::backend::Backend;
use crate::error::Error;
use crate::stitched;

/// Bytes of a tag.
pub(crate) const TAG_SIZE: usize = 16;

/// Bytes of a block of keystream.
const BLOCK_SIZE: usize = 64;

/// The longest message, in bytes: (2^32 - 1) blocks of 64, since block 0 makes the one-time key
/// (RFC 8439, section 2.8: P_MAX).
pub const MAX_MESSAGE_LEN: u64 = (u32::MAX as u64) * 64;

/// Refuses a length beyond [`MAX_MESSAGE_LEN`].
#[inline]
pub(crate) const fn check_len(len: u64) -> Result<(), Error> {
    if len > MAX_MESSAGE_LEN { Err(Error::MessageTooLong) } else { Ok(()) }
}

/// Block 0 and as many of the text's blocks as come with it in one pass through the rounds: a short
/// message needs no other. Leaves `state` at the first block not made.
#[inline]
fn first_pass<'s>(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    text_len: usize,
    scratch: &'s mut Scratch,
) -> Prefix<'s> {
    let (width, blocks) = (CounterWidth::W32, text_len.div_ceil(BLOCK_SIZE) + 1);
    let prefix = Prefix::new(scratch, backend.chacha20, rounds, width, state, blocks);
    state.advance(width, (prefix.bytes().len() / BLOCK_SIZE) as u64);
    prefix
}

/// Poly1305 keyed with the first half of block 0 (RFC 8439, section 2.6).
#[inline]
fn one_time_mac(backend: Backend, prefix: &Prefix<'_>) -> Mac {
    let key = prefix.bytes().first_chunk().expect("a block holds a key");
    Mac::new(key, backend.poly1305)
}

/// XORs the keystream from block 1 on into the text.
#[inline]
fn apply(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    prefix: &Prefix<'_>,
    buf: XorBuf<'_>,
) {
    let rest = prefix.xor(BLOCK_SIZE, buf);
    if !rest.is_empty() {
        let mut last = Block::ZERO;
        engine::xor(backend.chacha20, rounds, CounterWidth::W32, state, rest, &mut last);
    }
}

/// Encrypts `buf`; the tag of the result and the associated data. `state` has block counter 0.
pub(crate) fn seal(
    backend: Backend,
    rounds: RoundCount,
    mut state: State,
    aad: &[u8],
    mut buf: XorBuf<'_>,
) -> [u8; TAG_SIZE] {
    let mut scratch = Scratch::uninit();
    let prefix = first_pass(backend, rounds, &mut state, buf.len(), &mut scratch);
    let mut mac = one_time_mac(backend, &prefix);
    let rest = prefix.xor(BLOCK_SIZE, buf.reborrow()).len();
    if rest == 0 {
        mac.aead(aad, buf.dst_mut());
    } else {
        mac.padded(aad);
        let hashed = stitched::encrypt(backend, rounds, &mut state, &mut mac, &mut buf, rest);
        let len = buf.len();
        mac.aead_end(&buf.dst_mut()[hashed..], aad.len(), len);
    }
    mac.finish()
}

/// Verifies, then decrypts `buf`: a forged message costs the first pass and the authenticator, and
/// no plaintext of it ever exists. `state` has block counter 0.
pub(crate) fn open(
    backend: Backend,
    rounds: RoundCount,
    mut state: State,
    aad: &[u8],
    buf: XorBuf<'_>,
    tag: &[u8; TAG_SIZE],
) -> Result<(), Error> {
    let mut scratch = Scratch::uninit();
    let prefix = first_pass(backend, rounds, &mut state, buf.len(), &mut scratch);
    let mut mac = one_time_mac(backend, &prefix);
    mac.aead(aad, buf.src());
    let expected = mac.finish();
    // As numbers: one comparison in constant time in place of sixteen.
    if !bool::from(u128::from_ne_bytes(expected).ct_eq(&u128::from_ne_bytes(*tag))) {
        return Err(Error::Authentication);
    }
    apply(backend, rounds, &mut state, &prefix, buf);
    Ok(())
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
        assert_eq!(check_len(MAX_MESSAGE_LEN + 1), Err(Error::MessageTooLong));
        assert_eq!(check_len(u64::MAX), Err(Error::MessageTooLong));
    }
}
