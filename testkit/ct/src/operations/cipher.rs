//! ChaCha20 in its variants: key and text are secret, nonce and position are not.

use chacha20_simd::cipher::{StreamCipher, StreamCipherSeek};
use chacha20_simd::engine::{self, CounterWidth, RoundCount, State, XorBuf};
use chacha20_simd::{ChaCha, Ietf, Legacy, R20, Variant, X, hchacha};

use crate::check::{Run, lengths};

pub(crate) fn chacha20(run: &Run) {
    stream::<Ietf>(run);
}

pub(crate) fn xchacha20(run: &Run) {
    stream::<X>(run);
}

pub(crate) fn legacy(run: &Run) {
    stream::<Legacy>(run);
}

fn stream<V: Variant>(run: &Run)
where
    ChaCha<R20, V>: StreamCipher + StreamCipherSeek,
{
    let cipher = || {
        let mut nonce = V::Nonce::default();
        nonce.as_mut().fill(0x24);
        ChaCha::<R20, V>::with_backend(&run.key(), &nonce, run.backend.chacha20)
    };
    for len in lengths() {
        let mut data = run.text(len);
        cipher().apply_keystream(&mut data);
        run.result(&mut data, "in place");

        let text = run.text(len);
        let mut data = vec![0; len];
        cipher().apply_keystream_b2b(&text, &mut data).expect("as long as each other");
        run.result(&mut data, "between buffers");
    }
    for piece in [1, 15, 63, 65, 200, 1000] {
        let mut data = run.text(4100);
        let mut cipher = cipher();
        data.chunks_mut(piece).for_each(|piece| cipher.apply_keystream(piece));
        cipher.seek(77u32);
        cipher.apply_keystream(&mut data);
        run.result(&mut data, "in pieces");
    }
}

/// Keystream without a text.
pub(crate) fn keystream(run: &Run) {
    for blocks in 0..=70 {
        let mut state = State::ietf(&run.key(), &[0x24; 12], 0);
        let mut numbers = vec![0; 64 * blocks];
        let (backend, buf) = (run.backend.chacha20, XorBuf::in_place(&mut numbers));
        engine::keystream(backend, RoundCount::R20, CounterWidth::W32, &mut state, buf);
        run.result(&mut numbers, "numbers");
    }
}

pub(crate) fn hchacha20(run: &Run) {
    let key = run.key::<32>();
    let mut subkey = hchacha::<R20>(&key.into(), &[0x31; 16].into());
    run.result(&mut subkey, "subkey");
}
