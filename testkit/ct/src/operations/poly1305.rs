//! Poly1305: key and message are secret.

use poly1305_simd::universal_hash::UniversalHash;
use poly1305_simd::{Block, Poly1305};

use crate::check::{Run, lengths};

pub(crate) fn mac(run: &Run) {
    let mac = || Poly1305::with_backend(&run.key::<32>().into(), run.backend.poly1305);
    for len in lengths() {
        let message = run.text(len);
        let mut tag = mac().compute_unpadded(&message);
        run.result(&mut tag, "a message in one");

        let mut mac = mac();
        for block in message.chunks_exact(16).take(3) {
            mac.update(&[*Block::from_slice(block)]);
        }
        mac.update_padded(&message);
        let mut tag = mac.finalize();
        run.result(&mut tag, "blocks, then a message");
    }
}
