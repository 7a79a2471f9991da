//! What is left in memory of a state that has been dropped: nothing but the choice of backend.
#![cfg(feature = "zeroize")]

mod common;

use common::{backends, bytes, poly};
use poly1305_simd::{Poly1305, universal_hash::UniversalHash};
use std::mem::{ManuallyDrop, MaybeUninit};

#[test]
fn dropping_wipes_the_state() {
    fn marked<T: zeroize::ZeroizeOnDrop>() {}
    marked::<Poly1305>();

    for backend in backends() {
        for len in [0, 16, 64, 128, 256, 1024, 4096] {
            let mut key: [u8; 32] = bytes(10, 32).try_into().unwrap();
            // The multiplier as it is after clamping.
            for (byte, mask) in key.iter_mut().zip([255, 255, 255, 15, 252, 255, 255, 15]) {
                *byte &= mask;
            }
            let mut place = MaybeUninit::<ManuallyDrop<Poly1305>>::zeroed();
            place.write(ManuallyDrop::new(poly(&key, backend)));
            let new = snapshot(&place);
            // SAFETY: written above.
            unsafe { place.assume_init_mut() }.update_padded(&bytes(11, len));
            let used = snapshot(&place);
            // SAFETY: the value is initialised, and is not used as a `Poly1305` again.
            unsafe { ManuallyDrop::drop(place.assume_init_mut()) };
            let dropped = snapshot(&place);

            for secret in [&key[..8], &key[16..24], &key[24..]] {
                assert!(find(&used, secret), "a live state holds its key");
                assert!(!find(&dropped, secret), "{backend}, {len} bytes: key left");
            }
            // The accumulator and the powers, in whatever form: words that the update has written.
            // (Words that it has not may hold what the stack held when the state was moved.)
            for (i, word) in dropped.chunks(8).enumerate() {
                let at = 8 * i..8 * i + word.len();
                let secret = new[at.clone()] != used[at.clone()] && is_dense(&used[at]);
                assert!(!secret || !is_dense(word), "{backend}, {len} bytes: {word:x?} left");
            }
        }
    }
}

/// More than a small number, a tag or a flag.
fn is_dense(word: &[u8]) -> bool {
    word.iter().filter(|byte| **byte != 0).count() > 2
}

fn find(state: &[u8], secret: &[u8]) -> bool {
    state.windows(secret.len()).any(|window| window == secret)
}

/// The bytes of a place that holds, or held, a state. Reading padding is what makes this a test and
/// not a technique: volatile reads keep the compiler from reasoning about it.
fn snapshot(place: &MaybeUninit<ManuallyDrop<Poly1305>>) -> Vec<u8> {
    let start = place.as_ptr().cast::<u8>();
    (0..size_of::<Poly1305>())
        // SAFETY: the address is inside `place`, which was zeroed before it was written.
        .map(|i| unsafe { start.add(i).read_volatile() })
        .collect()
}
