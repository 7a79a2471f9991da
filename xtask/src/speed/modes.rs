//! The operations of tcrypt's modes 213, 214 and 321, and their sizes.

use std::hint::black_box;

use chacha20_simd::ChaCha20;
use chacha20_simd::cipher::StreamCipher;
use poly1305_simd::universal_hash::UniversalHash;
use poly1305_simd::{Block, Poly1305};

use crate::vectors::Kernels;
use crate::vectors::ciphers::{open_in_place, seal_in_place};
use crate::vectors::forced::salted;

/// Mode 213's block sizes.
const AEAD_SIZES: [usize; 8] = [16, 64, 256, 512, 1024, 2048, 4096, 8192];
/// Mode 214's block sizes.
const CIPHER_SIZES: [usize; 5] = [16, 64, 256, 1024, 8192];
/// Mode 321's message sizes and bytes per update, as the 2015 series set them: room for key and
/// tag beside the powers of two.
const HASH_SIZES: [(usize, usize); 12] = [
    (96, 16),
    (96, 32),
    (96, 96),
    (288, 16),
    (288, 32),
    (288, 288),
    (1056, 32),
    (1056, 1056),
    (2080, 32),
    (2080, 2080),
    (4128, 4128),
    (8224, 8224),
];

/// One line of output: an operation and its size.
pub(super) struct Job {
    pub(super) bytes: usize,
    /// Ciphers have none.
    pub(super) per_update: Option<usize>,
    key_bits: usize,
    pub(super) operation: Box<dyn FnMut()>,
}

impl Job {
    /// The start of tcrypt's line.
    pub(super) fn title(&self, i: usize) -> String {
        let bytes = self.bytes;
        match self.per_update {
            None => format!("test {i} ({} bit key, {bytes} byte blocks): ", self.key_bits),
            Some(plen) => {
                let updates = bytes.checked_div(plen).unwrap_or_default();
                format!(
                    "test{i:3} ({bytes:5} byte blocks,{plen:5} bytes per update,{updates:4} updates): "
                )
            }
        }
    }
}

/// Mode 213: the AEAD of RFC 7634, in place.
pub(super) fn rfc7539esp(kernels: &Kernels, decrypt: bool) -> (String, Vec<Job>) {
    let (chacha20, poly1305) = (kernels.chacha20, kernels.poly1305);
    let name = format!(
        "rfc7539esp(chacha20,poly1305) (rfc7539esp(chacha20-{chacha20},poly1305-{poly1305}))"
    );
    let jobs = AEAD_SIZES.map(|bytes| {
        let aead = salted(&[0x42; 36], kernels);
        let (iv, aad) = ([7; 8], [3; 8]);
        let mut text = vec![0x5a; bytes];
        let operation: Box<dyn FnMut()> = if decrypt {
            let tag = seal_in_place(&aead, &iv, &aad, &mut text).expect("a short message");
            let sealed = text.clone();
            Box::new(move || {
                // Opening consumes the ciphertext; the copy back is a small part of the figure.
                text.copy_from_slice(&sealed);
                assert!(open_in_place(&aead, black_box(&iv), &aad, black_box(&mut text), &tag));
            })
        } else {
            Box::new(move || {
                let text = black_box(&mut text);
                black_box(seal_in_place(&aead, black_box(&iv), &aad, text));
            })
        };
        Job { bytes, per_update: None, key_bits: 288, operation }
    });
    (name, jobs.into())
}

/// Mode 214: the stream cipher, in place, from block 0 of a nonce.
pub(super) fn chacha20(kernels: &Kernels) -> (String, Vec<Job>) {
    let backend = kernels.chacha20;
    let jobs = CIPHER_SIZES.map(|bytes| {
        let (key, iv) = ([0x42; 32], [7; 12]);
        let mut data = vec![0x5a; bytes];
        let operation = Box::new(move || {
            let mut cipher = ChaCha20::with_backend(black_box(&key), black_box(&iv), backend);
            cipher.apply_keystream(black_box(&mut data));
        });
        Job { bytes, per_update: None, key_bits: 256, operation }
    });
    (format!("chacha20 (chacha20-{backend})"), jobs.into())
}

/// Mode 321: Poly1305, or with `table` every multiple of a block up to 1008 bytes at once.
pub(super) fn poly1305(kernels: &Kernels, table: bool) -> (String, Vec<Job>) {
    let backend = kernels.poly1305;
    let sizes: Vec<_> = match table {
        true => (0..=1008).step_by(16).map(|bytes| (bytes, bytes)).collect(),
        false => HASH_SIZES.into(),
    };
    let job = |(bytes, per_update): (usize, usize)| {
        let key = [0x42; 32].into();
        let blocks = vec![Block::from([0x5a; 16]); bytes / 16];
        let operation = Box::new(move || {
            let mut poly = Poly1305::with_backend(black_box(&key), backend);
            for update in black_box(&blocks).chunks((per_update / 16).max(1)) {
                poly.update(update);
            }
            black_box(poly.finalize());
        });
        Job { bytes, per_update: Some(per_update), key_bits: 256, operation }
    };
    (format!("poly1305 (poly1305-{backend})"), sizes.into_iter().map(job).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_start_as_tcrypts_do() {
        let kernels = Kernels::by_name("soft").expect("soft runs everywhere");
        let (_, jobs) = rfc7539esp(&kernels, false);
        assert_eq!(jobs[0].title(0), "test 0 (288 bit key, 16 byte blocks): ");
        let (_, jobs) = chacha20(&kernels);
        assert_eq!(jobs[4].title(4), "test 4 (256 bit key, 8192 byte blocks): ");
        let (_, jobs) = poly1305(&kernels, false);
        let title = "test  0 (   96 byte blocks,   16 bytes per update,   6 updates): ";
        assert_eq!(jobs[0].title(0), title);
    }

    /// Every operation runs; opening really opens.
    #[test]
    fn operations_run() {
        let kernels = Kernels::detect();
        let modes = [
            rfc7539esp(&kernels, false),
            rfc7539esp(&kernels, true),
            chacha20(&kernels),
            poly1305(&kernels, false),
            poly1305(&kernels, true),
        ];
        for mut job in modes.into_iter().flat_map(|(_, jobs)| jobs) {
            (job.operation)();
            (job.operation)();
        }
    }
}
