//! Every length from 1 to 4096 beside RustCrypto's: where, if anywhere, a swap makes a program
//! slower.
//!
//! Not by criterion, which takes seconds for each of what would be 16384 benchmarks. Both sides take
//! turns, batch by batch, and the fastest batch of each counts: what else the machine does only ever
//! adds time.
//!
//! ```text
//! cargo bench -p benches --bench lengths               the worst lengths of each operation
//! cargo bench -p benches --bench lengths -- --all      all of them
//! ```

use std::hint::black_box;
use std::time::Instant;

use chacha20_simd::cipher::{Iv, KeyIvInit, StreamCipher};
use chacha20poly1305_esp::aead::{AeadInPlace, Key, KeyInit, Nonce, Tag};
use poly1305_simd::universal_hash::UniversalHash;

/// The longest message, in bytes.
const LONGEST: usize = 4096;

/// Batches of each side, and calls in a batch.
const BATCHES: usize = 12;
const CALLS: usize = 24;

/// An operation on a message, in place.
type Call = Box<dyn FnMut(&mut [u8])>;

fn keystream<C: KeyIvInit + StreamCipher>() -> Call {
    let (key, iv) = (chacha20_simd::cipher::Key::<C>::default(), Iv::<C>::default());
    Box::new(move |text| C::new(black_box(&key), black_box(&iv)).apply_keystream(text))
}

fn mac<M: UniversalHash + poly1305_simd::universal_hash::KeyInit>() -> Call {
    let key = poly1305_simd::universal_hash::Key::<M>::default();
    Box::new(move |text| {
        let mut mac = M::new(black_box(&key));
        mac.update_padded(text);
        black_box(mac.finalize());
    })
}

fn seal<A: AeadInPlace + KeyInit + 'static>() -> Call {
    let (aead, nonce) = (A::new(&Key::<A>::default()), Nonce::<A>::default());
    Box::new(move |text| {
        black_box(
            aead.encrypt_in_place_detached(black_box(&nonce), &[7; 12], text).expect("short"),
        );
    })
}

/// Opens what is never authentic: decryption would have to be undone each time. It is the hash and
/// what comes before it.
fn refuse<A: AeadInPlace + KeyInit + 'static>() -> Call {
    let (aead, nonce) = (A::new(&Key::<A>::default()), Nonce::<A>::default());
    let tag = Tag::<A>::default();
    Box::new(move |text| {
        let opened = aead.decrypt_in_place_detached(black_box(&nonce), &[7; 12], text, &tag);
        assert!(opened.is_err());
    })
}

/// Nanoseconds of a call of each side.
fn measure(sides: &mut [Call; 2], text: &mut [u8], batches: usize) -> [f64; 2] {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..batches {
        for (call, best) in sides.iter_mut().zip(&mut best) {
            let start = Instant::now();
            for _ in 0..CALLS {
                call(black_box(text));
            }
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / CALLS as f64);
        }
    }
    best
}

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let (all, test) = (has("--all"), has("--test"));
    let operations: [(&str, [Call; 2]); 4] = [
        ("ChaCha20", [keystream::<chacha20_simd::ChaCha20>(), keystream::<chacha20::ChaCha20>()]),
        ("Poly1305", [mac::<poly1305_simd::Poly1305>(), mac::<poly1305::Poly1305>()]),
        (
            "seal",
            [
                seal::<chacha20poly1305_esp::ChaCha20Poly1305>(),
                seal::<chacha20poly1305::ChaCha20Poly1305>(),
            ],
        ),
        (
            "refuse",
            [
                refuse::<chacha20poly1305_esp::ChaCha20Poly1305>(),
                refuse::<chacha20poly1305::ChaCha20Poly1305>(),
            ],
        ),
    ];
    let mut buffer = benches::text(LONGEST);
    for (name, mut sides) in operations {
        let lengths = (1..=LONGEST).step_by(if test { 997 } else { 1 });
        let mut rows: Vec<(f64, usize, [f64; 2])> = Vec::new();
        for len in lengths {
            let mut nanos = measure(&mut sides, &mut buffer[..len], if test { 1 } else { BATCHES });
            // What looks slower is looked at again: of 4096, some meet a disturbance every time.
            if nanos[0] > 0.95 * nanos[1] && !test {
                nanos = measure(&mut sides, &mut buffer[..len], 20 * BATCHES);
            }
            rows.push((nanos[0] / nanos[1], len, nanos));
        }
        if !all {
            rows.sort_by(|a, b| b.0.total_cmp(&a.0));
            rows.truncate(5);
        }
        println!("{name}: time of ours over time of RustCrypto's");
        for (ratio, len, [ours, theirs]) in rows {
            println!("{len:6} bytes {ratio:6.3}   {ours:8.1} ns {theirs:8.1} ns");
        }
    }
}
