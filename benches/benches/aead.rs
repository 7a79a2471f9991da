//! ChaCha20-Poly1305: messages sealed and opened in place under one key, tag apart.
//!
//! `seal` and `open` run over all sizes with 12 bytes of associated data; `seal-aad` and `open-aad`
//! run over its lengths with 1420 bytes of message.

use std::hint::black_box;

use benches::{AAD, AADS, OURS, PACKET, RUSTCRYPTO, SIZES};
use chacha20poly1305_esp::aead::{AeadInPlace, Key, KeyInit, Nonce};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Throughput};

/// A message, and how it is named in the reports.
#[derive(Clone, Copy)]
struct Message {
    size: usize,
    aad: usize,
    parameter: usize,
}

/// Every message is the ciphertext of the one before it: what the buffer holds makes no difference.
fn seal<A: AeadInPlace + KeyInit>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    Message { size, aad, parameter }: Message,
) {
    let (aead, nonce) = (A::new(&Key::<A>::default()), Nonce::<A>::default());
    let (mut buffer, aad) = (benches::text(size), benches::text(aad));
    group.bench_function(BenchmarkId::new(name, parameter), |bencher| {
        bencher.iter(|| {
            aead.encrypt_in_place_detached(
                black_box(&nonce),
                black_box(&aad),
                black_box(&mut buffer),
            )
            .expect("short enough")
        });
    });
}

/// Sealing twice under one nonce gives the plaintext back, with a tag as if it were the ciphertext.
/// So each of the two tags opens what opening the other has left in the buffer, and nothing needs to
/// be copied.
fn open<A: AeadInPlace + KeyInit>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    Message { size, aad, parameter }: Message,
) {
    let (aead, nonce) = (A::new(&Key::<A>::default()), Nonce::<A>::default());
    let (mut buffer, aad) = (benches::text(size), benches::text(aad));
    let mut seal = || aead.encrypt_in_place_detached(&nonce, &aad, &mut buffer).expect("short");
    let (mut next, mut tag) = (seal(), seal());
    group.bench_function(BenchmarkId::new(name, parameter), |bencher| {
        bencher.iter(|| {
            aead.decrypt_in_place_detached(
                black_box(&nonce),
                black_box(&aad),
                black_box(&mut buffer),
                black_box(&tag),
            )
            .expect("authentic");
            core::mem::swap(&mut tag, &mut next);
        });
    });
}

fn main() {
    use chacha20poly1305::ChaCha20Poly1305 as Theirs;
    use chacha20poly1305_esp::ChaCha20Poly1305 as Ours;

    let sizes = SIZES.map(|size| Message { size, aad: AAD, parameter: size });
    let aads = AADS.map(|aad| Message { size: PACKET, aad, parameter: aad });

    let mut criterion = benches::criterion();
    for (suffix, messages) in [("", &sizes[..]), ("-aad", &aads[..])] {
        let mut group = benches::group(&mut criterion, &format!("aead/seal{suffix}"));
        for &message in messages {
            group.throughput(Throughput::Bytes(message.size as u64));
            seal::<Ours>(&mut group, OURS, message);
            seal::<Theirs>(&mut group, RUSTCRYPTO, message);
        }
        group.finish();

        let mut group = benches::group(&mut criterion, &format!("aead/open{suffix}"));
        for &message in messages {
            group.throughput(Throughput::Bytes(message.size as u64));
            open::<Ours>(&mut group, OURS, message);
            open::<Theirs>(&mut group, RUSTCRYPTO, message);
        }
        group.finish();
    }
    criterion.final_summary();
}
