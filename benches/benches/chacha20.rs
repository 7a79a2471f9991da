//! ChaCha20: a cipher from key and nonce, and its keystream XORed into the message, in place.

use std::hint::black_box;

use benches::{OURS, RUSTCRYPTO, SIZES};
use chacha20_simd::cipher::{Iv, Key, KeyIvInit, StreamCipher};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Throughput};

fn apply<C: KeyIvInit + StreamCipher>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    size: usize,
) {
    let (key, iv) = (Key::<C>::default(), Iv::<C>::default());
    let mut buffer = benches::text(size);
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        bencher.iter(|| {
            C::new(black_box(&key), black_box(&iv)).apply_keystream(black_box(&mut buffer));
        });
    });
}

fn main() {
    let mut criterion = benches::criterion();
    let mut group = benches::group(&mut criterion, "chacha20");
    for size in SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        apply::<chacha20_simd::ChaCha20>(&mut group, OURS, size);
        apply::<chacha20::ChaCha20>(&mut group, RUSTCRYPTO, size);
    }
    group.finish();
    criterion.final_summary();
}
