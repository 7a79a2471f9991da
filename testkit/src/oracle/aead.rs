//! ChaCha20-Poly1305 (RFC 8439 section 2.8) and its X variant, put together from the other two.

use super::{chacha, poly1305::poly1305};

fn tag(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], ciphertext: &[u8]) -> [u8; 16] {
    let one_time_key = chacha::block(20, key, nonce, 0)[..32].try_into().expect("32 bytes");
    let mut message = Vec::with_capacity(aad.len() + ciphertext.len() + 48);
    for part in [aad, ciphertext] {
        message.extend_from_slice(part);
        message.resize(message.len().next_multiple_of(16), 0);
    }
    message.extend_from_slice(&(aad.len() as u64).to_le_bytes());
    message.extend_from_slice(&(ciphertext.len() as u64).to_le_bytes());
    poly1305(&one_time_key, &message)
}

/// Ciphertext and tag of ChaCha20-Poly1305.
#[must_use]
pub fn seal(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let mut text = plaintext.to_vec();
    chacha::xor(20, key, nonce, 1, &mut text);
    let tag = tag(key, nonce, aad, &text);
    (text, tag)
}

/// The plaintext, or `None` if the tag is not that of the input.
#[must_use]
pub fn open(
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    ciphertext: &[u8],
    expected: &[u8; 16],
) -> Option<Vec<u8>> {
    (tag(key, nonce, aad, ciphertext) == *expected).then(|| {
        let mut text = ciphertext.to_vec();
        chacha::xor(20, key, nonce, 1, &mut text);
        text
    })
}

/// Ciphertext and tag of XChaCha20-Poly1305.
#[must_use]
pub fn xseal(
    key: &[u8; 32],
    nonce: &[u8; 24],
    aad: &[u8],
    plaintext: &[u8],
) -> (Vec<u8>, [u8; 16]) {
    let (subkey, rest) = chacha::xchacha_subkey(20, key, nonce);
    seal(&subkey, &rest, aad, plaintext)
}

/// As [`open`] for XChaCha20-Poly1305.
#[must_use]
pub fn xopen(
    key: &[u8; 32],
    nonce: &[u8; 24],
    aad: &[u8],
    ciphertext: &[u8],
    expected: &[u8; 16],
) -> Option<Vec<u8>> {
    let (subkey, rest) = chacha::xchacha_subkey(20, key, nonce);
    open(&subkey, &rest, aad, ciphertext, expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::parse;

    /// RFC 7634 appendix B.
    #[test]
    fn rfc7634_ikev2() {
        let key = parse("inc:128:32").unwrap().try_into().unwrap();
        let nonce = parse("a0a1a2a3 1011121314151617").unwrap().try_into().unwrap();
        let aad = parse("inc:192:8 inc:208:8 2e202500 00000009 00000045 29000029").unwrap();
        let plaintext = parse("0000000c000040010000000a00").unwrap();
        let (ciphertext, tag) = seal(&key, &nonce, &aad, &plaintext);
        assert_eq!(ciphertext, parse("610394701f8d017f7c12924889").unwrap());
        assert_eq!(tag.to_vec(), parse("6b71bfe25236efd7cdc67066906315b2").unwrap());
        assert_eq!(open(&key, &nonce, &aad, &ciphertext, &tag), Some(plaintext));
        assert_eq!(open(&key, &nonce, &aad[1..], &ciphertext, &tag), None);
    }
}
