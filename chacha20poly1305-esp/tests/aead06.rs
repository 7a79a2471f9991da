//! The newer generation of the traits: against RustCrypto's own types of that generation.

#![cfg(feature = "aead06")]

use aead06::{AeadCore, AeadInOut, KeyInit, Nonce};
use chacha20poly1305_esp::{self as ours, aead06};
use chacha20poly1305_new as theirs;
use testkit::rng::Rng;

/// Everything that the traits offer.
fn log<A: AeadInOut + KeyInit + Clone>() -> Vec<u8> {
    let mut rng = Rng::new(31);
    let mut log = Vec::new();
    for _ in 0..100 {
        let aead = A::new_from_slice(&rng.bytes(A::key_size())).expect("length").clone();
        let nonce = Nonce::<A>::from_fn(|_| rng.next_u32() as u8);
        let (text_len, aad_len) = (rng.length(3000), rng.length(200));
        let (text, aad) = (rng.bytes(text_len), rng.bytes(aad_len));

        let mut detached = text.clone();
        let buf = detached.as_mut_slice().into();
        let tag = aead.encrypt_inout_detached(&nonce, &aad, buf).expect("seals");
        let mut appended = text.clone();
        AeadInOut::encrypt_in_place(&aead, &nonce, &aad, &mut appended).expect("seals");
        assert_eq!(appended, [&detached[..], &tag].concat());
        log.extend(&appended);

        // Between buffers.
        let mut between = vec![0; text_len];
        let buf = aead06::inout::InOutBuf::new(&text, &mut between).expect("same lengths");
        assert!(aead.encrypt_inout_detached(&nonce, &aad, buf).expect("seals") == tag);
        assert_eq!(between, detached);
        let mut opened = vec![0; text_len];
        let mut buf = aead06::inout::InOutBuf::new(&detached, &mut opened).expect("same lengths");
        let mut wrong = tag.clone();
        wrong[7] ^= 0x10;
        assert!(aead.decrypt_inout_detached(&nonce, &aad, buf.reborrow(), &wrong).is_err());
        assert!(buf.get_out().iter().all(|&byte| byte == 0), "nothing is written");
        aead.decrypt_inout_detached(&nonce, &aad, buf, &tag).expect("opens");
        assert_eq!(opened, text);

        let mut refused = detached.clone();
        let buf = refused.as_mut_slice().into();
        assert!(aead.decrypt_inout_detached(&nonce, &aad, buf, &wrong).is_err());
        assert_eq!(refused, detached);
        AeadInOut::decrypt_in_place(&aead, &nonce, &aad, &mut appended).expect("opens");
        assert_eq!(appended, text);
        assert!(AeadInOut::decrypt_in_place(&aead, &nonce, &aad, &mut vec![0; 15]).is_err());
    }
    log
}

#[test]
fn as_upstream() {
    assert!(log::<theirs::ChaCha20Poly1305>() == log::<ours::ChaCha20Poly1305>());
    assert!(log::<theirs::XChaCha20Poly1305>() == log::<ours::XChaCha20Poly1305>());
    assert_eq!(ours::ChaCha20Poly1305::TAG_POSITION, aead06::TagPosition::Postfix);
}

/// `ChaChaPoly1305<C, N>` of RustCrypto takes any stream cipher of the traits, also ours.
#[test]
fn our_cipher_in_their_aead() {
    type Mixed = theirs::ChaChaPoly1305<chacha20_simd::ChaCha20>;
    assert!(log::<theirs::ChaCha20Poly1305>() == log::<Mixed>());
}
