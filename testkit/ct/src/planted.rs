//! Leaks, made on purpose: a check that does not find these finds nothing.
//!
//! The first two look at what the backend has made of a secret key, so they also tell that the
//! sanitizer has followed it there.

use core::hint::black_box;

use std::alloc::{Layout, alloc, dealloc};

use chacha20_simd::ChaCha20;
use chacha20_simd::cipher::StreamCipher;
use poly1305_simd::Poly1305;

use crate::check::Run;

/// A branch on a bit of keystream.
pub(crate) fn branch(run: &Run) {
    let mut keystream = [0; 600];
    let mut cipher = ChaCha20::with_backend(&run.key(), &[0; 12], run.backend.chacha20);
    cipher.apply_keystream(&mut keystream);
    if keystream[555] & 1 == 1 {
        taken();
    }
}

/// A call, which the compiler cannot turn into arithmetic.
#[inline(never)]
fn taken() {
    println!("the bit is set");
}

/// A table indexed by a byte of a tag.
pub(crate) fn index(run: &Run) {
    let table: [u8; 256] = core::array::from_fn(|i| i as u8);
    let key = run.key::<32>();
    let tag = Poly1305::with_backend(&key.into(), run.backend.poly1305).compute_unpadded(&[7; 555]);
    black_box(black_box(&table)[usize::from(tag[3])]);
}

/// A branch on memory that has not been written.
pub(crate) fn uninitialised(_: &Run) {
    let layout = Layout::new::<[u8; 64]>();
    // SAFETY: the memory is there and freed once. Its value is anything: the fault that is planted,
    // and volatile, or the compiler would choose one.
    unsafe {
        let memory = alloc(layout);
        if memory.read_volatile() & 1 == 1 {
            taken();
        }
        dealloc(memory, layout);
    }
}
