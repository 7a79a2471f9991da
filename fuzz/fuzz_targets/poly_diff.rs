//! Poly1305 on every backend, in pieces, beside RustCrypto's.

#![no_main]

use libfuzzer_sys::fuzz_target;
use poly1305::universal_hash::KeyInit;
use poly1305_simd::engine::Mac;
use poly1305_simd::{Backend, Poly1305};

#[derive(arbitrary::Arbitrary, Debug)]
struct Input<'a> {
    key: [u8; 32],
    /// In blocks.
    cuts: [u8; 4],
    message: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let Input { key, cuts, message } = input;
    let theirs = poly1305::Poly1305::new(&key.into()).compute_unpadded(message);
    for backend in Backend::available() {
        let ours = Poly1305::with_backend(&key.into(), backend).compute_unpadded(message);
        assert_eq!(ours, theirs, "{backend}");

        let mut mac = Mac::new(&key, backend);
        let (mut blocks, end) = message.split_at(message.len() / 16 * 16);
        for cut in cuts {
            let (now, later) = blocks.split_at(blocks.len().min(16 * usize::from(cut)));
            mac.blocks(now);
            blocks = later;
        }
        mac.blocks(blocks);
        if !end.is_empty() {
            mac.partial(end);
        }
        assert_eq!(mac.finish(), <[u8; 16]>::from(theirs), "{backend} in pieces");
    }
});
