//! Messages over any stream cipher, through its traits: the cipher's block 0 makes the one-time
//! key, block 1 starts the text (RFC 8439, section 2.8).

use aead::Error;
use aead::inout::InOutBuf;
use chacha20poly1305_esp::MAX_MESSAGE_LEN;
use cipher::{StreamCipher, StreamCipherSeek};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};

use crate::Tag;

/// Bytes of the cipher's block 0.
const FIRST_BLOCK: u32 = 64;

/// The authenticator of this nonce. Leaves `cipher` at the start of the text.
fn one_time_mac(cipher: &mut (impl StreamCipher + StreamCipherSeek)) -> Result<Poly1305, Error> {
    let mut key = poly1305::Key::default();
    cipher.try_apply_keystream(&mut key).map_err(|_| Error)?;
    cipher.try_seek(FIRST_BLOCK).map_err(|_| Error)?;
    let mac = Poly1305::new(&key);
    #[cfg(feature = "zeroize")]
    zeroize::Zeroize::zeroize(key.as_mut_slice());
    Ok(mac)
}

fn authenticate(mac: &mut Poly1305, aad: &[u8], ciphertext: &[u8]) {
    mac.update_padded(aad);
    mac.update_padded(ciphertext);
    let lengths = aad.len() as u128 | (ciphertext.len() as u128) << 64;
    mac.update(&[lengths.to_le_bytes().into()]);
}

fn check_len(len: usize) -> Result<(), Error> {
    if len as u64 > MAX_MESSAGE_LEN { Err(Error) } else { Ok(()) }
}

/// Encrypts `buffer`; the tag.
pub(crate) fn seal(
    mut cipher: impl StreamCipher + StreamCipherSeek,
    aad: &[u8],
    mut buffer: InOutBuf<'_, '_, u8>,
) -> Result<Tag, Error> {
    check_len(buffer.len())?;
    let mut mac = one_time_mac(&mut cipher)?;
    cipher.try_apply_keystream_inout(buffer.reborrow()).map_err(|_| Error)?;
    authenticate(&mut mac, aad, buffer.get_out());
    Ok(mac.finalize())
}

/// Decrypts `buffer` if the tag is right.
pub(crate) fn open(
    mut cipher: impl StreamCipher + StreamCipherSeek,
    aad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
    tag: &Tag,
) -> Result<(), Error> {
    check_len(buffer.len())?;
    let mut mac = one_time_mac(&mut cipher)?;
    authenticate(&mut mac, aad, buffer.get_in());
    mac.verify(tag).map_err(|_| Error)?;
    cipher.try_apply_keystream_inout(buffer).map_err(|_| Error)
}
