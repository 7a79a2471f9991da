//! Poly1305: a message hashed at once under a new key, since a key is for one message.

use std::hint::black_box;

use benches::{OURS, RUSTCRYPTO, SIZES};
use criterion::{BenchmarkId, Throughput};
use poly1305_simd::universal_hash::KeyInit;

fn main() {
    let mut criterion = benches::criterion();
    let mut group = benches::group(&mut criterion, "poly1305");
    // `compute_unpadded` belongs to the types, not to a trait.
    macro_rules! hash {
        ($type:ty, $name:expr, $size:expr) => {
            let (key, message) = ([0x42; 32].into(), benches::text($size));
            group.bench_function(BenchmarkId::new($name, $size), |bencher| {
                bencher
                    .iter(|| <$type>::new(black_box(&key)).compute_unpadded(black_box(&message)));
            });
        };
    }
    for size in SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        hash!(poly1305_simd::Poly1305, OURS, size);
        hash!(poly1305::Poly1305, RUSTCRYPTO, size);
    }
    group.finish();
    criterion.final_summary();
}
