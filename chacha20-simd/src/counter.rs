//! The last row of the state, block counter and nonce, written as a whole.
//!
//! The row form of the kernels loads it as one vector. Had parts of it just been stored one by one,
//! that load could not be forwarded from them: it would wait until they are in the cache, and they
//! get there only when all that came before, the whole message before this one, is done. On a Zen 3
//! that took a fifth off the throughput of 64-byte messages.

use crate::engine::CounterWidth;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod imp {
    use core::arch::x86_64::*;

    use super::CounterWidth;

    /// A word that the compiler can't see the source of. Of words loaded side by side it would make
    /// one load, which waits in the same way for the two stores that a nonce of 12 bytes was just
    /// written with, 4 and 8 bytes or 8 and 4.
    #[inline(always)]
    fn opaque(mut word: u32) -> u32 {
        // MemorySanitizer takes all assembly for a use of its operands.
        if !cfg!(any(miri, chacha20poly1305_ct)) {
            // SAFETY: no instruction.
            unsafe {
                core::arch::asm!("/* {0:e} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
            }
        }
        word
    }

    #[inline(always)]
    pub(crate) fn set(row: &mut [u32; 4], [a, b, c, d]: [u32; 4]) {
        let [a, b, c, d] = [a, b, c, d].map(|word| u64::from(opaque(word)));
        // SAFETY: SSE2 is there by the `cfg`; `row` is 16 bytes long.
        unsafe {
            let words = _mm_set_epi64x((c | d << 32) as i64, (a | b << 32) as i64);
            _mm_storeu_si128(row.as_mut_ptr().cast(), words);
        }
    }

    #[inline(always)]
    pub(crate) fn advance(row: &mut [u32; 4], width: CounterWidth, blocks: u64) {
        // SAFETY: as above.
        unsafe {
            let at = row.as_mut_ptr().cast::<__m128i>();
            let words = _mm_loadu_si128(at);
            let words = match width {
                CounterWidth::W32 => _mm_add_epi32(words, _mm_cvtsi32_si128(blocks as i32)),
                CounterWidth::W64 => _mm_add_epi64(words, _mm_cvtsi64_si128(blocks as i64)),
            };
            _mm_storeu_si128(at, words);
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
mod imp {
    use super::CounterWidth;

    #[inline(always)]
    pub(crate) fn set(row: &mut [u32; 4], words: [u32; 4]) {
        *row = words;
    }

    #[inline(always)]
    pub(crate) fn advance(row: &mut [u32; 4], width: CounterWidth, blocks: u64) {
        match width {
            CounterWidth::W32 => row[0] = row[0].wrapping_add(blocks as u32),
            CounterWidth::W64 => {
                let counter = u64::from(row[0]) | u64::from(row[1]) << 32;
                let counter = counter.wrapping_add(blocks);
                (row[0], row[1]) = (counter as u32, (counter >> 32) as u32);
            }
        }
    }
}

pub(crate) use imp::{advance, set};
