//! The swap: generic code, bounded by RustCrypto's traits alone, runs on RustCrypto's types and on
//! ours and does the same.

use aead::{AeadInPlace, KeyInit};
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use testkit::rng::Rng;
use universal_hash::UniversalHash;

/// Everything that the traits of a stream cipher offer.
fn stream<C: KeyIvInit + StreamCipher + StreamCipherSeek>() -> Vec<u8> {
    let mut rng = Rng::new(11);
    let key = rng.bytes(C::key_size());
    let iv = rng.bytes(C::iv_size());
    let mut cipher = C::new_from_slices(&key, &iv).expect("lengths");
    let mut log = Vec::new();
    for _ in 0..60 {
        let mut data = vec![0x6b; rng.length(3000)];
        match rng.below(5) {
            0 => cipher.apply_keystream(&mut data),
            1 => cipher.try_apply_keystream(&mut data).expect("room"),
            2 => {
                let source = data.clone();
                cipher.apply_keystream_b2b(&source, &mut data).expect("same lengths");
            }
            3 => cipher.seek(rng.below(1 << 30)),
            _ => cipher.try_seek(rng.next_u64() >> 27).expect("below 2^37"),
        }
        log.extend(cipher.current_pos::<u64>().to_le_bytes());
        log.extend(data);
    }
    assert!(C::new_from_slices(&key[1..], &iv).is_err());
    log
}

/// Everything that the traits of a universal hash offer.
fn hash<U: UniversalHash + universal_hash::KeyInit + Clone>() -> Vec<u8> {
    let mut rng = Rng::new(12);
    let mut log = Vec::new();
    for _ in 0..60 {
        let mut state = U::new_from_slice(&rng.bytes(U::key_size())).expect("length");
        for _ in 0..rng.below(6) {
            let data_len = rng.length(3000);
            let data = rng.bytes(data_len);
            if rng.below(2) == 0 {
                state.update_padded(&data);
            } else {
                let blocks: Vec<_> = data
                    .chunks_exact(U::block_size())
                    .map(universal_hash::Block::<U>::clone_from_slice)
                    .collect();
                state.update(&blocks);
            }
            let copy = state.clone();
            log.extend(copy.finalize());
        }
        let tag = state.clone().finalize();
        assert!(state.clone().verify(&tag).is_ok());
        let mut wrong = tag.clone();
        wrong[0] ^= 1;
        assert!(state.verify(&wrong).is_err());
        log.extend(tag);
    }
    log
}

/// Everything that the traits of an AEAD offer.
fn aead<A: AeadInPlace + KeyInit + Clone>() -> Vec<u8> {
    let mut rng = Rng::new(13);
    let mut log = Vec::new();
    for _ in 0..60 {
        let aead = A::new_from_slice(&rng.bytes(A::key_size())).expect("length").clone();
        let nonce = aead::Nonce::<A>::from_iter(std::iter::repeat_with(|| rng.next_u32() as u8));
        let (text_len, aad_len) = (rng.length(3000), rng.length(200));
        let (text, aad) = (rng.bytes(text_len), rng.bytes(aad_len));

        let mut detached = text.clone();
        let tag = aead.encrypt_in_place_detached(&nonce, &aad, &mut detached).expect("seals");
        let mut appended = text.clone();
        aead.encrypt_in_place(&nonce, &aad, &mut appended).expect("seals");
        assert_eq!(appended, [&detached[..], &tag].concat());

        let mut wrong = tag.clone();
        wrong[3] ^= 4;
        let mut refused = detached.clone();
        assert!(aead.decrypt_in_place_detached(&nonce, &aad, &mut refused, &wrong).is_err());
        assert_eq!(refused, detached);
        log.extend(&appended);

        aead.decrypt_in_place_detached(&nonce, &aad, &mut detached, &tag).expect("opens");
        assert_eq!(detached, text);
        aead.decrypt_in_place(&nonce, &aad, &mut appended).expect("opens");
        assert_eq!(appended, text);
        assert!(aead.decrypt_in_place(&nonce, &aad, &mut vec![0; 15]).is_err());
    }
    log
}

#[test]
fn stream_ciphers() {
    assert_eq!(stream::<chacha20::ChaCha20>(), stream::<chacha20_simd::ChaCha20>());
    assert_eq!(stream::<chacha20::ChaCha12>(), stream::<chacha20_simd::ChaCha12>());
    assert_eq!(stream::<chacha20::ChaCha8>(), stream::<chacha20_simd::ChaCha8>());
    assert_eq!(stream::<chacha20::XChaCha20>(), stream::<chacha20_simd::XChaCha20>());
    assert_eq!(stream::<chacha20::ChaCha20Legacy>(), stream::<chacha20_simd::ChaCha20Legacy>());
}

#[test]
fn universal_hashes() {
    assert_eq!(hash::<poly1305::Poly1305>(), hash::<poly1305_simd::Poly1305>());
}

#[test]
fn aeads() {
    use chacha20poly1305_esp as ours;
    assert_eq!(aead::<chacha20poly1305::ChaCha20Poly1305>(), aead::<ours::ChaCha20Poly1305>());
    assert_eq!(aead::<chacha20poly1305::XChaCha20Poly1305>(), aead::<ours::XChaCha20Poly1305>());
}

#[cfg(feature = "reduced-round")]
#[test]
fn reduced_rounds() {
    use chacha20poly1305_esp as ours;
    assert_eq!(aead::<chacha20poly1305::ChaCha8Poly1305>(), aead::<ours::ChaCha8Poly1305>());
    assert_eq!(aead::<chacha20poly1305::ChaCha12Poly1305>(), aead::<ours::ChaCha12Poly1305>());
    assert_eq!(aead::<chacha20poly1305::XChaCha8Poly1305>(), aead::<ours::XChaCha8Poly1305>());
    assert_eq!(aead::<chacha20poly1305::XChaCha12Poly1305>(), aead::<ours::XChaCha12Poly1305>());
}

/// `ChaChaPoly1305<C, N>` of RustCrypto takes any stream cipher of the traits, also ours.
#[test]
fn our_cipher_in_their_aead() {
    type Mixed = chacha20poly1305::ChaChaPoly1305<chacha20_simd::ChaCha20>;
    assert_eq!(aead::<chacha20poly1305::ChaCha20Poly1305>(), aead::<Mixed>());
}

/// The `Aead` trait, which allocates, comes with the feature `alloc`, as upstream.
#[cfg(feature = "alloc")]
#[test]
fn allocating() {
    use aead::{Aead, Payload};
    let ours = chacha20poly1305_esp::ChaCha20Poly1305::new(&[1; 32].into());
    let theirs = chacha20poly1305::ChaCha20Poly1305::new(&[1; 32].into());
    let payload = || Payload { msg: b"text", aad: b"aad" };
    let sealed = ours.encrypt(&[2; 12].into(), payload()).unwrap();
    assert_eq!(sealed, theirs.encrypt(&[2; 12].into(), payload()).unwrap());
    let payload = Payload { msg: &sealed[..], aad: b"aad" };
    assert_eq!(ours.decrypt(&[2; 12].into(), payload).unwrap(), b"text");
}
