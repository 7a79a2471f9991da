//! The AEADs. To seal, key and plaintext are secret; to open, the key is, and what comes out. Nonce,
//! associated data, ciphertext and tag are not, nor the verdict on a tag.

use chacha20poly1305_esp::aead::AeadInPlace;
use chacha20poly1305_esp::{ChaCha20Poly1305, SegmentedAead, XChaCha20Poly1305};

use crate::check::{Run, aad, lengths, public_key, public_text, require};

const NONCE: [u8; 12] = [0x0a; 12];

pub(crate) fn seal(run: &Run) {
    let aead = ChaCha20Poly1305::with_backend(&run.key(), run.backend);
    for len in lengths() {
        let mut data = run.text(len);
        let mut tag =
            aead.encrypt_in_place_detached(&NONCE.into(), aad(len), &mut data).expect("short");
        run.result(&mut data, "ciphertext");
        run.result(&mut tag, "tag");

        let mut sealed = vec![0; len + 16];
        aead.seal_into(&NONCE, aad(len), &run.text(len), &mut sealed).expect("room");
        run.result(&mut sealed, "sealed");
        require(sealed == [&data[..], &tag[..]].concat(), "in place and between buffers", "differ");
    }
}

pub(crate) fn open(run: &Run) {
    let known = ChaCha20Poly1305::with_backend(&public_key(), run.backend);
    let aead = ChaCha20Poly1305::with_backend(&run.key(), run.backend);
    for len in lengths() {
        let mut sealed = vec![0; len + 16];
        known.seal_into(&NONCE, aad(len), &public_text(len), &mut sealed).expect("room");
        let (ciphertext, tag) = sealed.split_at(len);

        let mut data = ciphertext.to_vec();
        let opened = aead.decrypt_in_place_detached(&NONCE.into(), aad(len), &mut data, tag.into());
        require(opened.is_ok(), "a good message", "refused");
        run.result(&mut data, "in place");
        require(data == public_text(len), "in place", "is not the plaintext");

        let mut data = vec![0; len];
        let opened = aead.open_into(&NONCE, aad(len), &sealed, &mut data);
        require(opened.is_ok(), "a good message", "refused");
        run.result(&mut data, "between buffers");
        require(data == public_text(len), "between buffers", "is not the plaintext");

        forged(run, &aead, &sealed);
    }
}

fn forged(run: &Run, aead: &ChaCha20Poly1305, sealed: &[u8]) {
    let len = sealed.len() - 16;
    let mut forged = sealed.to_vec();
    forged[len + 9] ^= 4;
    let mut out = vec![0x77; len];
    let opened = aead.open_into(&NONCE, aad(len), &forged, &mut out);
    require(opened.is_err(), "a forged message", "accepted");
    run.in_clear(&out, "untouched output");

    let (ciphertext, tag) = forged.split_at_mut(len);
    let opened =
        aead.decrypt_in_place_detached(&NONCE.into(), aad(len), ciphertext, (&*tag).into());
    require(opened.is_err(), "a forged message", "accepted");
    // What was decrypted and encrypted again is as it was, but the sanitizer cannot know that.
    crate::msan::declassify(ciphertext);
    require(*ciphertext == sealed[..len], "the ciphertext of a forged message", "changed");
}

pub(crate) fn extended_nonce(run: &Run) {
    let nonce = [0x0b; 24];
    let known = XChaCha20Poly1305::with_backend(&public_key(), run.backend);
    let aead = XChaCha20Poly1305::with_backend(&run.key(), run.backend);
    for len in lengths() {
        let mut sealed = vec![0; len + 16];
        aead.seal_into(&nonce, aad(len), &run.text(len), &mut sealed).expect("room");
        run.result(&mut sealed, "sealed");

        let mut same = vec![0; len + 16];
        known.seal_into(&nonce, aad(len), &public_text(len), &mut same).expect("room");
        require(sealed == same, "with a known key", "differs");
        let mut data = vec![0; len];
        let opened = aead.open_into(&nonce, aad(len), &sealed, &mut data);
        require(opened.is_ok(), "a good message", "refused");
        run.result(&mut data, "opened");
    }
}

pub(crate) fn segments(run: &Run) {
    let aead = ChaCha20Poly1305::with_backend(&run.key(), run.backend);
    for len in lengths() {
        for cut in [1, 64, 100] {
            let mut data = run.text(len);
            let (head, rest) = data.split_at_mut(cut.min(len));
            let (middle, tail) = rest.split_at_mut(rest.len() / 2);
            let mut parts = [head, middle, &mut [], tail];
            let mut tag = aead
                .encrypt_segments_detached(&NONCE.into(), aad(len), &mut parts, 0..len)
                .expect("a range of the segments");
            run.result(&mut tag, "tag");
            parts.iter_mut().for_each(|part| run.result(part, "ciphertext"));

            let opened =
                aead.decrypt_segments_detached(&NONCE.into(), aad(len), &mut parts, 0..len, &tag);
            require(opened.is_ok(), "a good message", "refused");
            parts.iter_mut().for_each(|part| run.result(part, "plaintext"));
            require(data == public_text(len), "segments", "do not give the plaintext");
        }
    }
}
