//! A program without `std` that uses the three crates.
//!
//! `#![no_std]` in a crate says nothing about its dependencies: one that links `std` makes the
//! crate useless on bare metal, and every build on a hosted target still passes. Here it cannot:
//! this library brings its own panic handler, and `std` brings another, so the compiler refuses
//! the pair (E0152, duplicate lang item `panic_impl`). The feature `hidden-std` proves that.

#![no_std]

use chacha20_simd::ChaCha20;
use chacha20_simd::cipher::{KeyIvInit, StreamCipher};
use chacha20poly1305_esp::aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::esp::Rfc7539Esp;
use poly1305_simd::Poly1305;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// With `alloc` a program must say where memory comes from. This one has none.
#[cfg(feature = "alloc")]
mod heap {
    use core::alloc::{GlobalAlloc, Layout};

    struct Empty;

    // SAFETY: a null pointer is the answer of an allocator that has no memory left; no block is
    // ever handed out, so none can come back.
    unsafe impl GlobalAlloc for Empty {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            core::ptr::null_mut()
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    #[global_allocator]
    static HEAP: Empty = Empty;
}

/// Uses each crate, so that each is linked.
pub fn use_all(text: &mut [u8; 64]) -> [u8; 16] {
    ChaCha20::new(&[1; 32].into(), &[2; 12].into()).apply_keystream(text);
    let aead = Rfc7539Esp::new(&[3; 36].into());
    if let Ok(tag) = aead.encrypt_in_place_detached(&[4; 8].into(), b"aad", text) {
        text[..16].copy_from_slice(&tag);
    }
    Poly1305::new(&[5; 32].into()).compute_unpadded(text).into()
}
