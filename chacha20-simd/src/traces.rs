//! What calls leave behind: registers, and the stack below their caller, where the compiler keeps
//! what it has no register for.

/// Wipes `depth` bytes of the stack below the caller's frame, a multiple of 128 and less than a page.
/// Does nothing without the feature `zeroize`.
///
/// To be called where the calls have returned that left something there. Every 32 bytes take a cycle
/// (AVX2), which nothing hides: no more of them than it takes.
///
/// ```
/// chacha20_simd::engine::wipe_stack(1024);
/// ```
#[inline(always)]
pub fn wipe_stack(depth: usize) {
    debug_assert!(depth != 0 && depth.is_multiple_of(128) && depth < 4096);
    if cfg!(feature = "zeroize") && !cfg!(miri) {
        imp::wipe_stack(depth);
    }
}

/// Wipes the registers that a callee need not preserve. Does nothing without the feature `zeroize`,
/// or on targets other than x86-64.
///
/// For the end of an operation: kernels leave keys, r and keystream in vector registers.
///
/// ```
/// chacha20_simd::engine::wipe_registers();
/// ```
#[inline(always)]
pub fn wipe_registers() {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if cfg!(feature = "zeroize") && !cfg!(miri) {
        imp::wipe_registers();
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod imp {
    use core::arch::asm;

    use crate::backend::cpu;

    /// From its low end up, so that the page next to it comes first where the stack ends and grows
    /// by the page. The assembly has no `nostack`: the compiler keeps nothing below the stack
    /// pointer while it runs. What a signal handler leaves there is dead when it returns.
    #[inline(always)]
    pub(super) fn wipe_stack(depth: usize) {
        let start = depth.wrapping_neg();
        // SAFETY: detection has found the registers. The stack below its pointer is nobody's.
        unsafe {
            if cpu::avx2() {
                asm!(
                    "vpxor xmm0, xmm0, xmm0",
                    "2:",
                    "vmovdqu [rsp + {at}], ymm0; vmovdqu [rsp + {at} + 32], ymm0",
                    "vmovdqu [rsp + {at} + 64], ymm0; vmovdqu [rsp + {at} + 96], ymm0",
                    "sub {at}, -128",
                    "jne 2b",
                    at = inout(reg) start => _,
                    out("xmm0") _,
                );
            } else {
                asm!(
                    "pxor xmm0, xmm0",
                    "2:",
                    "movups [rsp + {at}], xmm0; movups [rsp + {at} + 16], xmm0",
                    "movups [rsp + {at} + 32], xmm0; movups [rsp + {at} + 48], xmm0",
                    "sub {at}, -64",
                    "jne 2b",
                    at = inout(reg) start => _,
                    out("xmm0") _,
                );
            }
        }
    }

    #[inline(always)]
    pub(super) fn wipe_registers() {
        // SAFETY: detection has found the registers, and what a callee may change is clobbered. An
        // instruction on 128 bits that is not SSE's zeroes the rest of wider registers.
        unsafe {
            asm!(
                "xor eax, eax; xor ecx, ecx; xor edx, edx; xor esi, esi; xor edi, edi",
                "xor r8d, r8d; xor r9d, r9d; xor r10d, r10d; xor r11d, r11d",
                clobber_abi("sysv64"),
                options(nomem, nostack),
            );
            if cpu::avx512() {
                asm!(
                    "vpxord xmm16, xmm16, xmm16; vpxord xmm17, xmm17, xmm17",
                    "vpxord xmm18, xmm18, xmm18; vpxord xmm19, xmm19, xmm19",
                    "vpxord xmm20, xmm20, xmm20; vpxord xmm21, xmm21, xmm21",
                    "vpxord xmm22, xmm22, xmm22; vpxord xmm23, xmm23, xmm23",
                    "vpxord xmm24, xmm24, xmm24; vpxord xmm25, xmm25, xmm25",
                    "vpxord xmm26, xmm26, xmm26; vpxord xmm27, xmm27, xmm27",
                    "vpxord xmm28, xmm28, xmm28; vpxord xmm29, xmm29, xmm29",
                    "vpxord xmm30, xmm30, xmm30; vpxord xmm31, xmm31, xmm31",
                    clobber_abi("sysv64"),
                    options(nomem, nostack, preserves_flags),
                );
            }
            if cpu::avx2() {
                asm!(
                    "vpxor xmm0, xmm0, xmm0; vpxor xmm1, xmm1, xmm1",
                    "vpxor xmm2, xmm2, xmm2; vpxor xmm3, xmm3, xmm3",
                    "vpxor xmm4, xmm4, xmm4; vpxor xmm5, xmm5, xmm5",
                    "vpxor xmm6, xmm6, xmm6; vpxor xmm7, xmm7, xmm7",
                    "vpxor xmm8, xmm8, xmm8; vpxor xmm9, xmm9, xmm9",
                    "vpxor xmm10, xmm10, xmm10; vpxor xmm11, xmm11, xmm11",
                    "vpxor xmm12, xmm12, xmm12; vpxor xmm13, xmm13, xmm13",
                    "vpxor xmm14, xmm14, xmm14; vpxor xmm15, xmm15, xmm15",
                    clobber_abi("sysv64"),
                    options(nomem, nostack, preserves_flags),
                );
            } else {
                asm!(
                    "pxor xmm0, xmm0; pxor xmm1, xmm1; pxor xmm2, xmm2; pxor xmm3, xmm3",
                    "pxor xmm4, xmm4; pxor xmm5, xmm5; pxor xmm6, xmm6; pxor xmm7, xmm7",
                    "pxor xmm8, xmm8; pxor xmm9, xmm9; pxor xmm10, xmm10; pxor xmm11, xmm11",
                    "pxor xmm12, xmm12; pxor xmm13, xmm13; pxor xmm14, xmm14; pxor xmm15, xmm15",
                    clobber_abi("sysv64"),
                    options(nomem, nostack, preserves_flags),
                );
            }
        }
    }
}

/// Portably: a function whose frame lies where those of the calls before it lay.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
mod imp {
    use core::mem::MaybeUninit;

    /// Bytes at a time.
    const PART: usize = 128;

    #[inline(never)]
    pub(super) fn wipe_stack(depth: usize) {
        let mut part = MaybeUninit::<[u64; PART / 8]>::uninit();
        if depth > PART {
            wipe_stack(depth - PART);
        }
        // SAFETY: its own variable. Volatile, or it would be left out as a dead store.
        unsafe { part.as_mut_ptr().write_volatile([0; PART / 8]) };
    }
}
