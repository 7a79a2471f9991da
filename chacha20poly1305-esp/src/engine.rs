//! The trait-free engine: a key, a nonce and slices in, a sealed or opened message out.
//!
//! **Unstable**: made for the crates of this workspace, exempt from semantic versioning. It is for
//! types that own the key themselves, such as the stand-ins for RustCrypto's crates.

use chacha20_simd::engine::XorBuf;
use chacha20_simd::{Rounds, Variant};

use crate::backend::Backend;
use crate::error::MessageError;
use crate::message;

/// Seals in the caller's buffers; the tag, as a little-endian number.
///
/// # Errors
/// [`MessageError::MessageTooLong`], before anything is written.
///
/// ```
/// use chacha20_simd::{Ietf, R20, engine::XorBuf};
/// use chacha20poly1305_esp::{Backend, engine};
/// let (key, nonce, backend) = ([1; 32], [2; 12], Backend::detect());
/// let mut data = *b"a message";
/// let buf = XorBuf::in_place(&mut data);
/// let tag = engine::seal::<R20, Ietf>(backend, &key, &nonce, b"header", buf)?;
/// let buf = XorBuf::in_place(&mut data);
/// engine::open::<R20, Ietf>(backend, &key, &nonce, b"header", buf, &tag.to_le_bytes())?;
/// assert_eq!(&data, b"a message");
/// # Ok::<(), chacha20poly1305_esp::MessageError>(())
/// ```
#[inline]
pub fn seal<R: Rounds, V: Variant>(
    backend: Backend,
    key: &[u8; 32],
    nonce: &V::Nonce,
    aad: &[u8],
    buf: XorBuf<'_>,
) -> Result<u128, MessageError> {
    message::check_len(buf.len() as u64)?;
    let state = &mut V::state::<R>(key, nonce);
    message::wipe_traces_of_state::<V>();
    Ok(message::seal(backend, R::ROUNDS, state, aad, buf))
}

/// Opens in the caller's buffers if the tag is right.
///
/// # Errors
/// [`MessageError::Authentication`] and [`MessageError::MessageTooLong`]; nothing is written then.
#[inline]
pub fn open<R: Rounds, V: Variant>(
    backend: Backend,
    key: &[u8; 32],
    nonce: &V::Nonce,
    aad: &[u8],
    buf: XorBuf<'_>,
    tag: &[u8; 16],
) -> Result<(), MessageError> {
    message::check_len(buf.len() as u64)?;
    let state = &mut V::state::<R>(key, nonce);
    message::wipe_traces_of_state::<V>();
    message::open(backend, R::ROUNDS, state, aad, buf, tag)
}
