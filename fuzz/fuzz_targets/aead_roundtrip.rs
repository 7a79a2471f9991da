//! The AEADs on every backend, beside RustCrypto's: sealed alike, in one slice or several, opened
//! again, and refused with any bit wrong.

#![no_main]

use chacha20poly1305::aead::{AeadInPlace, KeyInit, Nonce, Tag};
use chacha20poly1305_esp::{Backend, ChaCha20Poly1305, SegmentedAead, XChaCha20Poly1305};
use libfuzzer_sys::fuzz_target;

#[derive(arbitrary::Arbitrary, Debug)]
struct Input<'a> {
    key: [u8; 32],
    nonce: [u8; 24],
    aad: Vec<u8>,
    flip: u16,
    cuts: [u16; 2],
    text: &'a [u8],
}

impl Input<'_> {
    fn compare<T, O>(&self, theirs: &T, nonce: &[u8], ours: impl Fn(Backend) -> O)
    where
        T: AeadInPlace,
        O: AeadInPlace + SegmentedAead,
    {
        let mut want = self.text.to_vec();
        let tag =
            theirs.encrypt_in_place_detached(Nonce::<T>::from_slice(nonce), &self.aad, &mut want);
        let tag = Tag::<O>::clone_from_slice(&tag.expect("short enough"));
        let nonce = Nonce::<O>::from_slice(nonce);
        for backend in Backend::available() {
            let aead = ours(backend);
            let mut text = self.text.to_vec();
            let got = aead.encrypt_in_place_detached(nonce, &self.aad, &mut text);
            assert_eq!((got.as_ref(), &text), (Ok(&tag), &want), "{backend}");

            // One bit of ciphertext or tag.
            let (mut forged, mut forged_tag) = (text.clone(), tag.clone());
            let at = usize::from(self.flip >> 3) % (text.len() + tag.len());
            match forged.get_mut(at) {
                Some(octet) => *octet ^= 1 << (self.flip & 7),
                None => forged_tag[at - text.len()] ^= 1 << (self.flip & 7),
            }
            let before = forged.clone();
            let refused =
                aead.decrypt_in_place_detached(nonce, &self.aad, &mut forged, &forged_tag);
            assert!(refused.is_err() && forged == before, "{backend}");

            aead.decrypt_in_place_detached(nonce, &self.aad, &mut text, &tag).expect("authentic");
            assert_eq!(text, self.text, "{backend}");

            let len = text.len();
            let cut = self.cuts.map(|cut| usize::from(cut) % (len + 1));
            let (a, rest) = text.split_at_mut(cut[0].min(cut[1]));
            let (b, c) = rest.split_at_mut(cut[0].abs_diff(cut[1]));
            let segments = &mut [a, b, c];
            let got = aead.encrypt_segments_detached(nonce, &self.aad, segments, 0..len);
            assert_eq!(got.as_ref(), Ok(&tag), "{backend} in slices");
            let opened = aead.decrypt_segments_detached(nonce, &self.aad, segments, 0..len, &tag);
            assert!(opened.is_ok() && text == self.text, "{backend} in slices");
        }
    }
}

fuzz_target!(|input: Input<'_>| {
    let key = input.key.into();
    input.compare(&chacha20poly1305::ChaCha20Poly1305::new(&key), &input.nonce[..12], |backend| {
        ChaCha20Poly1305::with_backend(&input.key, backend)
    });
    input.compare(&chacha20poly1305::XChaCha20Poly1305::new(&key), &input.nonce, |backend| {
        XChaCha20Poly1305::with_backend(&input.key, backend)
    });
});
