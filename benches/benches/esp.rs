//! ESP packets beside the bare AEAD on the same bytes: what the packet format costs.
//!
//! `packet` is `esp::seal_packet` or `esp::open_packet`. `aead` and `rustcrypto` seal or open what
//! lies between the packet's IV and its ICV, with ChaCha20-Poly1305 of this workspace and of
//! RustCrypto. Opening starts from a fresh copy of the packet each time, on all sides.

use std::hint::black_box;
use std::ops::Range;

use benches::{RUSTCRYPTO, SIZES};
use chacha20poly1305_esp::aead::consts::U12;
use chacha20poly1305_esp::aead::{AeadInPlace, Key, KeyInit, Nonce, Tag};
use chacha20poly1305_esp::esp::{
    self, Fields, HEADROOM, ICV_LEN, Iv, OpenOptions, Rfc7539Esp, SequenceNumber, Spi,
};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Throughput};

const KEY: [u8; 32] = [0x42; 32];
const SALT: [u8; 4] = [1, 2, 3, 4];
const IV: [u8; 8] = [0, 0, 0, 0, 0, 0, 0, 1];

/// Where the AEAD's text lies in a packet.
fn text(packet: &[u8]) -> Range<usize> {
    HEADROOM..packet.len() - ICV_LEN
}

fn fields() -> Fields {
    Fields {
        spi: Spi::new(0x1001).expect("not 0"),
        sequence: SequenceNumber::Short(1),
        iv: Iv::Explicit(IV),
        next_header: esp::NEXT_HEADER_IPV4,
        tfc_padding: 0,
    }
}

fn salted() -> Rfc7539Esp {
    Rfc7539Esp::new_from_slice(&[&KEY[..], &SALT].concat()).expect("36 bytes")
}

/// A sealed packet around a payload of `size` bytes.
fn packet(size: usize) -> Vec<u8> {
    let mut packet = vec![0; esp::sealed_len(size)];
    esp::seal_packet_into(&salted(), &fields(), &benches::text(size), &mut packet).expect("fits");
    packet
}

fn seal_packet(group: &mut BenchmarkGroup<'_, WallTime>, size: usize) {
    let (aead, fields, mut buffer) = (salted(), fields(), packet(size));
    let payload = HEADROOM..HEADROOM + size;
    group.bench_function(BenchmarkId::new("packet", size), |bencher| {
        bencher.iter(|| {
            let buffer = black_box(&mut buffer[..]);
            esp::seal_packet(&aead, black_box(&fields), buffer, payload.clone()).expect("fits")
        });
    });
}

fn open_packet(group: &mut BenchmarkGroup<'_, WallTime>, size: usize) {
    let (aead, sealed) = (salted(), packet(size));
    let (mut buffer, options) = (sealed.clone(), OpenOptions::default());
    group.bench_function(BenchmarkId::new("packet", size), |bencher| {
        bencher.iter(|| {
            buffer.copy_from_slice(&sealed);
            esp::open_packet(&aead, black_box(&mut buffer), &options).expect("authentic")
        });
    });
}

fn nonce<A: AeadInPlace<NonceSize = U12>>() -> Nonce<A> {
    Nonce::<A>::clone_from_slice(&[&SALT[..], &IV].concat())
}

fn seal<A>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, size: usize)
where
    A: AeadInPlace<NonceSize = U12> + KeyInit,
{
    let (aead, nonce) = (A::new(Key::<A>::from_slice(&KEY)), nonce::<A>());
    let mut buffer = packet(size);
    let (head, rest) = buffer.split_at_mut(HEADROOM);
    let (aad, text) = (&head[..esp::HEADER_LEN], &mut rest[..text(&packet(size)).len()]);
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        bencher.iter(|| {
            aead.encrypt_in_place_detached(black_box(&nonce), aad, black_box(text)).expect("short")
        });
    });
}

fn open<A>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, size: usize)
where
    A: AeadInPlace<NonceSize = U12> + KeyInit,
{
    let (aead, nonce) = (A::new(Key::<A>::from_slice(&KEY)), nonce::<A>());
    let sealed = packet(size);
    let (mut buffer, text) = (sealed.clone(), text(&sealed));
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        bencher.iter(|| {
            buffer.copy_from_slice(&sealed);
            let (head, rest) = buffer.split_at_mut(HEADROOM);
            let (body, icv) = rest.split_at_mut(text.len());
            let (aad, tag) = (&head[..esp::HEADER_LEN], Tag::<A>::from_slice(icv));
            aead.decrypt_in_place_detached(black_box(&nonce), aad, black_box(body), tag)
                .expect("authentic");
        });
    });
}

fn main() {
    use chacha20poly1305::ChaCha20Poly1305 as Theirs;
    use chacha20poly1305_esp::ChaCha20Poly1305 as Ours;

    let mut criterion = benches::criterion();
    let mut group = benches::group(&mut criterion, "esp/seal");
    for size in SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        seal_packet(&mut group, size);
        seal::<Ours>(&mut group, "aead", size);
        seal::<Theirs>(&mut group, RUSTCRYPTO, size);
    }
    group.finish();

    let mut group = benches::group(&mut criterion, "esp/open");
    for size in SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        open_packet(&mut group, size);
        open::<Ours>(&mut group, "aead", size);
        open::<Theirs>(&mut group, RUSTCRYPTO, size);
    }
    group.finish();
    criterion.final_summary();
}
