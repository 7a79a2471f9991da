//! Poly1305 over byte slices, without traits. **Unstable**: meant for crates that build on this one
//! in lockstep, and outside of its semantic versioning.

#[doc(hidden)]
pub use crate::declassify::declassify;
use crate::{
    backend::Backend,
    field::Element,
    key::{self, Multiplier},
    polynomial::{self, Polynomial},
};

/// A Poly1305 computation: r, s, the accumulator and whatever powers of r it has needed so far.
///
/// With the feature `zeroize` all of it is wiped when it is dropped.
///
/// ```
/// use poly1305_simd::{Backend, engine::Mac};
///
/// let mut mac = Mac::new(&[7; 32], Backend::detect());
/// mac.aead(b"header", b"ciphertext");
/// let tag: [u8; 16] = mac.finish();
///
/// let mut mac = Mac::new(&[7; 32], Backend::detect());
/// mac.blocks(b"header\0\0\0\0\0\0\0\0\0\0ciphertext\0\0\0\0\0\0");
/// mac.blocks(&[6, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(tag, mac.finish());
/// ```
#[derive(Clone)]
pub struct Mac {
    polynomial: Polynomial,
    s: u128,
}

impl Mac {
    /// Starts with a one-time key. Costs the clamping of r and nothing else.
    #[inline]
    pub fn new(key: &[u8; 32], backend: Backend) -> Self {
        let (r, s) = key::split(key);
        Self { polynomial: Polynomial::new(r, backend), s }
    }

    /// Takes in whole blocks of 16 bytes.
    ///
    /// # Panics
    /// If the length of `data` is not a multiple of 16.
    #[inline]
    pub fn blocks(&mut self, data: &[u8]) {
        let (blocks, rest) = data.as_chunks();
        assert!(rest.is_empty(), "Poly1305 blocks are of 16 bytes");
        self.polynomial.blocks(blocks);
    }

    /// Takes in `data`, its last partial block filled up with zeros (`pad16` of RFC 8439,
    /// section 2.8.1).
    #[inline]
    pub fn padded(&mut self, data: &[u8]) {
        self.polynomial.padded(data);
    }

    /// Takes in the end of a message: 1 to 15 bytes, ended by the one of RFC 8439, section 2.5.1.
    ///
    /// # Panics
    /// If `data` is empty or not shorter than a block.
    #[inline]
    pub fn partial(&mut self, data: &[u8]) {
        assert!(matches!(data.len(), 1..16), "a partial block has 1 to 15 bytes");
        self.polynomial.partial(data);
    }

    /// Takes in all that an AEAD of RFC 8439, section 2.8, authenticates: both inputs padded with
    /// zeros to whole blocks, then their lengths in bytes as 64-bit words.
    #[inline]
    pub fn aead(&mut self, aad: &[u8], ciphertext: &[u8]) {
        self.padded(aad);
        self.aead_end(ciphertext, aad.len(), ciphertext.len());
    }

    /// The end of [`aead`](Self::aead): the rest of the ciphertext, from a multiple of 16 bytes on,
    /// padded with zeros, and the two lengths in bytes.
    #[inline]
    pub fn aead_end(&mut self, rest: &[u8], aad_len: usize, ciphertext_len: usize) {
        self.polynomial.padded_then(rest, polynomial::lengths(aad_len, ciphertext_len));
    }

    /// The accumulator and r, for a caller who takes in blocks one at a time beside other work.
    ///
    /// ```
    /// use poly1305_simd::{Backend, engine::Mac};
    ///
    /// let mut mac = Mac::new(&[7; 32], Backend::detect());
    /// let mut stepper = mac.stepper();
    /// stepper.step(&[1; 16]);
    /// stepper.step(&[2; 16]);
    /// mac.resume(&stepper);
    ///
    /// let mut same = Mac::new(&[7; 32], Backend::detect());
    /// same.blocks([[1; 16], [2; 16]].as_flattened());
    /// assert_eq!(mac.finish(), same.finish());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn stepper(&self) -> Stepper {
        Stepper { acc: self.polynomial.acc, r: self.polynomial.r.clone() }
    }

    /// Takes over what a [`Stepper`] of this computation has taken in.
    #[inline(always)]
    pub fn resume(&mut self, stepper: &Stepper) {
        self.polynomial.acc = stepper.acc;
    }

    /// The tag.
    #[inline]
    #[must_use]
    pub fn finish(self) -> [u8; 16] {
        self.finish_number().to_le_bytes()
    }

    /// The tag as a number, little-endian: in registers.
    #[inline]
    #[must_use]
    pub fn finish_number(self) -> u128 {
        self.polynomial.acc.finish(self.s)
    }

    /// Goes on with another backend. For tests: kernels must agree on the state between them.
    #[doc(hidden)]
    pub fn set_backend(&mut self, backend: Backend) {
        self.polynomial.backend = backend;
    }

    /// Replaces the accumulator, in radix 2^64. For tests: no message reaches some of its edges.
    ///
    /// # Panics
    /// If the top limb is more than 4, which no kernel leaves behind.
    #[doc(hidden)]
    pub fn set_accumulator(&mut self, limbs: [u64; 3]) {
        assert!(limbs[2] <= Element::MAX_TOP);
        self.polynomial.acc = Element(limbs);
    }
}

/// The tag of an AEAD's message, whose ciphertext is there as a whole: [`Mac::aead`] from the key to
/// the tag, as a little-endian number.
///
/// ```
/// use poly1305_simd::{Backend, engine};
///
/// let (key, backend) = ([7; 32], Backend::detect());
/// let tag = engine::aead_tag(&key, backend, b"header", b"ciphertext");
///
/// let mut mac = engine::Mac::new(&key, backend);
/// mac.aead(b"header", b"ciphertext");
/// assert_eq!(tag.to_le_bytes(), mac.finish());
/// ```
#[inline]
#[must_use]
pub fn aead_tag(key: &[u8; 32], backend: Backend, aad: &[u8], ciphertext: &[u8]) -> u128 {
    if let Some(tag) = backend.aead_tag(key, aad, ciphertext) {
        return tag;
    }
    long_aead_tag(key, backend, aad, ciphertext)
}

/// Apart from its caller, in whose frame nothing of the key is left then.
#[inline(never)]
fn long_aead_tag(key: &[u8; 32], backend: Backend, aad: &[u8], ciphertext: &[u8]) -> u128 {
    let mut mac = Mac::new(key, backend);
    mac.aead(aad, ciphertext);
    mac.finish_number()
}

/// The accumulator and r of a [`Mac`], apart from everything else so that they can stay in
/// registers: see [`Mac::stepper`]. Wiped when it is dropped.
pub struct Stepper {
    acc: Element,
    r: Multiplier,
}

impl Stepper {
    /// Takes in one whole block, in scalar code that is inlined: five multiplications, 15 cycles
    /// from one accumulator to the next on Zen 3.
    #[inline(always)]
    pub fn step(&mut self, block: &[u8; 16]) {
        self.acc = Element::mul_clamped(self.acc.add(u128::from_le_bytes(*block), 1), &self.r);
    }
}

impl core::fmt::Debug for Stepper {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Stepper").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Stepper {
    #[inline(always)]
    fn drop(&mut self) {
        use zeroize::Zeroize;
        self.acc.0.zeroize();
        self.r.zeroize();
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Mac {
    #[inline(always)]
    fn drop(&mut self) {
        use zeroize::Zeroize;
        self.s.zeroize();
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Mac {}
