//! The ciphers on every backend beside RustCrypto's: positions, pieces, and where the keystream ends.

#![no_main]

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20_simd::Backend;
use libfuzzer_sys::fuzz_target;

#[derive(arbitrary::Arbitrary, Debug)]
struct Input<'a> {
    key: [u8; 32],
    nonce: [u8; 24],
    /// A position of block and byte.
    block: u32,
    byte: u8,
    cuts: [u8; 4],
    data: &'a [u8],
}

impl Input<'_> {
    fn compare<T, O>(&self, mut theirs: T, ours: impl Fn(Backend) -> O)
    where
        T: StreamCipher + StreamCipherSeek,
        O: StreamCipher + StreamCipherSeek,
    {
        // Not at the end of the keystream: there the two differ on purpose.
        let room = self.data.len() as u32 / 64 + 2;
        let block = self.block.min(u32::MAX - room);
        let position = u64::from(block) * 64 + u64::from(self.byte % 64);
        let mut want = self.data.to_vec();
        theirs.seek(position);
        theirs.apply_keystream(&mut want);
        for backend in Backend::available() {
            let mut ours = ours(backend);
            ours.seek(position);
            let mut got = self.data.to_vec();
            let mut rest = &mut got[..];
            for cut in self.cuts {
                let (now, later) = rest.split_at_mut(rest.len().min(usize::from(cut)));
                ours.apply_keystream(now);
                rest = later;
            }
            ours.apply_keystream(rest);
            assert_eq!(got, want, "{backend}");
            let after: u64 = ours.current_pos();
            assert_eq!(after, position + self.data.len() as u64);
        }
    }
}

fuzz_target!(|input: Input<'_>| {
    let (key, long) = (input.key.into(), input.nonce.into());
    let short = *input.nonce.first_chunk::<12>().expect("24 are 12 and more");
    input.compare(chacha20::ChaCha20::new(&key, &short.into()), |backend| {
        chacha20_simd::ChaCha20::with_backend(&input.key, &short, backend)
    });
    input.compare(chacha20::ChaCha8::new(&key, &short.into()), |backend| {
        chacha20_simd::ChaCha8::with_backend(&input.key, &short, backend)
    });
    input.compare(chacha20::XChaCha12::new(&key, &long), |backend| {
        chacha20_simd::XChaCha12::with_backend(&input.key, &input.nonce, backend)
    });
});
