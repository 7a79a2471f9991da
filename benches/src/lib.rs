//! What the benches share: the sizes, the names, and groups that are all set up alike.
//!
//! ```text
//! cargo bench -p benches                                  all groups; target/criterion/report/index.html
//! cargo bench -p benches --bench aead                     one of chacha20, poly1305, aead, esp
//! cargo bench -p benches --bench aead -- 'seal/.*/1420'   what matches a regular expression
//! cargo bench -p benches -- --test                        each once, as a test
//! ```
//!
//! Both sides of a comparison run the same generic code, bounded by RustCrypto's traits, on buffers
//! that are the same and warm. To measure a backend other than the one that is picked, build with
//! it: `RUSTFLAGS='--cfg chacha20_simd_backend="avx2" --cfg poly1305_simd_backend="avx2"'`.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{AxisScale, BenchmarkGroup, Criterion, PlotConfiguration, PlottingBackend};

/// Message lengths in bytes. 1420 is a full packet behind the headers of a tunnel.
pub const SIZES: [usize; 12] = [16, 64, 128, 256, 512, 1024, 1420, 2048, 4096, 8192, 16384, 65536];

/// Lengths of associated data in bytes: none, ESP's SPI and sequence number (8, or 12 with extended
/// numbers), the 13 of a TLS 1.2 record, and a block of the cipher.
pub const AADS: [usize; 5] = [0, 8, 12, 13, 64];

/// The AAD, in bytes, that goes with every size of message.
pub const AAD: usize = 12;

/// The size of message, in bytes, that goes with every length of AAD.
pub const PACKET: usize = 1420;

/// The name of our implementation in the reports.
pub const OURS: &str = "simd";

/// The name of RustCrypto's implementation in the reports.
pub const RUSTCRYPTO: &str = "rustcrypto";

/// Criterion with what the command line asks for. A benchmark takes about 1.5 seconds: the whole
/// takes minutes rather than the better part of an hour.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(400))
        .measurement_time(Duration::from_secs(1))
        .sample_size(50)
        .plotting_backend(PlottingBackend::Plotters)
        .configure_from_args()
}

/// A group whose plots have logarithmic axes, since the sizes grow by factors.
pub fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.plot_config(PlotConfiguration::default().summary_scale(AxisScale::Logarithmic));
    group
}

/// `len` bytes that are not all the same.
#[must_use]
pub fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + 3) as u8).collect()
}

/// The examples of the workspace's README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
