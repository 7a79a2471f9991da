//! The kernels and what is promised of each.

use std::fmt;

use super::listing::Function;

/// The packages that have kernels.
pub(super) const PACKAGES: [&str; 3] = ["chacha20-simd", "poly1305-simd", "chacha20poly1305-esp"];

/// What no kernel may use: memory accesses whose addresses are data, and divisions, whose time
/// depends on data.
pub(super) const FORBIDDEN: [&str; 8] =
    ["vpgather", "vgather", "vpscatter", "vscatter", "div", "idiv", "vdiv", "xlat"];

/// An instruction on registers of a width.
pub(super) struct Promise {
    pub(super) mnemonic: &'static str,
    pub(super) register: &'static str,
}

impl Promise {
    /// How often it occurs.
    pub(super) fn find(&self, functions: &[&Function]) -> usize {
        let is = |instruction: &&super::listing::Instruction| {
            instruction.mnemonic == self.mnemonic && instruction.operands.contains(self.register)
        };
        let instructions = functions.iter().flat_map(|function| &function.instructions);
        instructions.filter(is).count()
    }

    /// How often it occurs, to be shown.
    pub(super) fn count(&self, functions: &[&Function]) -> String {
        format!("{} {self}", self.find(functions))
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mnemonic, self.register)
    }
}

const fn promise(mnemonic: &'static str, register: &'static str) -> Promise {
    Promise { mnemonic, register }
}

/// A function that must be one piece of vector code, but for calls of others of these.
pub(super) struct Kernel {
    pub(super) package: &'static str,
    /// Its path, as objdump shows it.
    pub(super) symbol: &'static str,
    pub(super) promised: &'static [Promise],
}

const fn chacha20(symbol: &'static str, promised: &'static [Promise]) -> Kernel {
    Kernel { package: "chacha20-simd", symbol, promised }
}

/// A kernel of chacha20-simd with scalar Poly1305 in it: it exists where both come together.
const fn stitched(symbol: &'static str, promised: &'static [Promise]) -> Kernel {
    Kernel { package: "chacha20poly1305-esp", symbol, promised }
}

const fn poly1305(symbol: &'static str, promised: &'static [Promise]) -> Kernel {
    Kernel { package: "poly1305-simd", symbol, promised }
}

// Rotations tell the backends of ChaCha20 apart: by shifts on SSE2, by shuffles where there are
// any, by one instruction on AVX-512. Products tell those of Poly1305 apart.
const SSE2: &[Promise] = &[promise("paddd", "xmm"), promise("pslld", "xmm")];
const SSSE3: &[Promise] = &[promise("paddd", "xmm"), promise("pshufb", "xmm")];
const AVX2: &[Promise] = &[promise("vpaddd", "ymm"), promise("vpshufb", "ymm")];
const AVX512: &[Promise] = &[promise("vpaddd", "zmm"), promise("vprold", "zmm")];
const AVX512_YMM: &[Promise] = &[promise("vpaddd", "ymm"), promise("vprold", "ymm")];
const SSE2_MUL: &[Promise] = &[promise("pslld", "xmm"), promise("mul", "r")];
const SSSE3_MUL: &[Promise] = &[promise("pshufb", "xmm"), promise("mul", "r")];
const AVX2_MUL: &[Promise] = &[promise("vpshufb", "ymm"), promise("mulx", "r")];
const AVX512_MUL: &[Promise] = &[promise("vprold", "zmm"), promise("mulx", "r")];
const AVX512_YMM_MUL: &[Promise] = &[promise("vprold", "ymm"), promise("mulx", "r")];
const IFMA: &[Promise] = &[promise("vpmadd52luq", "zmm"), promise("vpmadd52huq", "zmm")];
const MULX: &[Promise] = &[promise("mulx", "r")];
// Nothing of their own: they call other kernels.
const CALLS: &[Promise] = &[];
const XMM_XOR: &[Promise] = &[promise("xorps", "xmm")];
const YMM_XOR: &[Promise] = &[promise("vxorps", "ymm")];
const ZMM_XOR: &[Promise] = &[promise("vpxord", "zmm")];

/// All kernels.
pub(super) const KERNELS: &[Kernel] = &[
    chacha20("chacha20_simd::backend::sse2::xor", SSE2),
    chacha20("chacha20_simd::backend::sse2::xor_first_2", SSE2),
    chacha20("chacha20_simd::backend::sse2::xor_first_3", SSE2),
    chacha20("chacha20_simd::backend::sse2::xor_first_of_many", SSE2),
    chacha20("chacha20_simd::backend::sse2::keystream_2", SSE2),
    chacha20("chacha20_simd::backend::sse2::keystream_3", SSE2),
    chacha20("chacha20_simd::backend::sse2::keystream_of_many", SSE2),
    chacha20("chacha20_simd::backend::sse2::xor_keystream", XMM_XOR),
    chacha20("chacha20_simd::backend::ssse3::xor", SSSE3),
    chacha20("chacha20_simd::backend::ssse3::xor_first_2", SSSE3),
    chacha20("chacha20_simd::backend::ssse3::xor_first_3", SSSE3),
    chacha20("chacha20_simd::backend::ssse3::xor_first_of_many", SSSE3),
    chacha20("chacha20_simd::backend::ssse3::keystream_2", SSSE3),
    chacha20("chacha20_simd::backend::ssse3::keystream_3", SSSE3),
    chacha20("chacha20_simd::backend::ssse3::keystream_of_many", SSSE3),
    chacha20("chacha20_simd::backend::ssse3::xor_keystream", XMM_XOR),
    chacha20("chacha20_simd::backend::avx2::xor", AVX2),
    chacha20("chacha20_simd::backend::avx2::xor_first_2", AVX2),
    chacha20("chacha20_simd::backend::avx2::xor_first_4", AVX2),
    chacha20("chacha20_simd::backend::avx2::xor_first_6", AVX2),
    chacha20("chacha20_simd::backend::avx2::xor_first_of_many", AVX2),
    chacha20("chacha20_simd::backend::avx2::keystream_2", AVX2),
    chacha20("chacha20_simd::backend::avx2::keystream_4", AVX2),
    chacha20("chacha20_simd::backend::avx2::keystream_6", AVX2),
    chacha20("chacha20_simd::backend::avx2::keystream_of_many", AVX2),
    chacha20("chacha20_simd::backend::avx2::xor_keystream", YMM_XOR),
    chacha20("chacha20_simd::backend::avx512::xor", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::xor_first_2", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::xor_first_4", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::xor_first_6", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::xor_first_8", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::xor_first_10", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::xor_first_12", AVX512),
    chacha20("chacha20_simd::backend::avx512::xor_first_of_many", CALLS),
    chacha20("chacha20_simd::backend::avx512::keystream_2", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::keystream_4", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::keystream_6", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::keystream_8", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::keystream_10", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::keystream_12", AVX512),
    chacha20("chacha20_simd::backend::avx512::keystream_of_many", CALLS),
    chacha20("chacha20_simd::backend::avx512::xor_keystream", ZMM_XOR),
    chacha20("chacha20_simd::backend::avx512::eight", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::ten", AVX512_YMM),
    chacha20("chacha20_simd::backend::avx512::twelve", AVX512),
    chacha20("chacha20_simd::backend::avx512::sixteen", AVX512),
    chacha20("chacha20_simd::backend::pair::sixteen_and_eight", AVX512),
    chacha20("chacha20_simd::backend::pair::sixteen_and_sixteen", AVX512),
    poly1305("poly1305_simd::backend::simd::sse2::absorb", &[promise("pmuludq", "xmm")]),
    poly1305("poly1305_simd::backend::simd::avx2::absorb", &[promise("vpmuludq", "ymm")]),
    poly1305("poly1305_simd::backend::simd::avx512::two_groups", IFMA),
    poly1305("poly1305_simd::backend::simd::avx512::groups", IFMA),
    poly1305("poly1305_simd::backend::simd::avx512::long", IFMA),
    poly1305("poly1305_simd::backend::simd::avx512::aead_two_groups", IFMA),
    poly1305("poly1305_simd::backend::simd::avx512::aead_groups", IFMA),
    poly1305("poly1305_simd::backend::simd::bmi2::aead", MULX),
    stitched("chacha20_simd::backend::sse2::xor_beside", SSE2_MUL),
    stitched("chacha20_simd::backend::sse2::keystream_beside", SSE2_MUL),
    stitched("chacha20_simd::backend::ssse3::xor_beside", SSSE3_MUL),
    stitched("chacha20_simd::backend::ssse3::keystream_beside", SSSE3_MUL),
    stitched("chacha20_simd::backend::avx2::xor_beside", AVX2_MUL),
    stitched("chacha20_simd::backend::avx2::keystream_beside", AVX2_MUL),
    stitched("chacha20_simd::backend::avx512::xor_beside", AVX512_YMM_MUL),
    stitched("chacha20_simd::backend::avx512::keystream_beside", AVX512_YMM_MUL),
    stitched("chacha20_simd::backend::avx512::eight", AVX512_YMM_MUL),
    stitched("chacha20_simd::backend::avx512::ten", AVX512_YMM_MUL),
    stitched("chacha20_simd::backend::avx512::twelve", AVX512_MUL),
    stitched("chacha20_simd::backend::avx512::sixteen", AVX512_MUL),
    stitched("chacha20_simd::backend::pair::sixteen_and_eight", AVX512_MUL),
    stitched("chacha20_simd::backend::pair::sixteen_and_sixteen", AVX512_MUL),
];
