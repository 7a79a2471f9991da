//! Source and destination of an XOR with keystream.

mod inout;

use core::marker::PhantomData;

/// A source and a destination of the same length: one buffer that is worked on in place, or two
/// that do not overlap.
///
/// This is what the kernels take, so that each of them exists once for both uses.
///
/// ```
/// use chacha20_simd::engine::XorBuf;
/// let mut out = [0u8; 5];
/// let mut buf = XorBuf::between(b"hello", &mut out);
/// assert_eq!(buf.len(), 5);
/// assert_eq!(buf.src(), b"hello");
/// buf.dst_mut()[0] = b'H';
/// assert_eq!(&out, b"H\0\0\0\0");
/// ```
#[derive(Debug)]
pub struct XorBuf<'a> {
    src: *const u8,
    dst: *mut u8,
    len: usize,
    lifetimes: PhantomData<(&'a [u8], &'a mut [u8])>,
}

// SAFETY: it stands for a `&[u8]` and a `&mut [u8]`, which are both Send and Sync.
unsafe impl Send for XorBuf<'_> {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for XorBuf<'_> {}

impl<'a> XorBuf<'a> {
    /// One buffer, worked on in place.
    #[inline]
    pub fn in_place(buf: &'a mut [u8]) -> Self {
        let dst = buf.as_mut_ptr();
        Self { src: dst, dst, len: buf.len(), lifetimes: PhantomData }
    }

    /// The bytes of words, worked on in place.
    #[inline]
    pub fn words(words: &'a mut [u32]) -> Self {
        let len = size_of_val(words);
        let dst = words.as_mut_ptr().cast();
        Self { src: dst, dst, len, lifetimes: PhantomData }
    }

    /// From one buffer into another.
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline]
    pub fn between(src: &'a [u8], dst: &'a mut [u8]) -> Self {
        assert_eq!(src.len(), dst.len(), "source and destination differ in length");
        Self { src: src.as_ptr(), dst: dst.as_mut_ptr(), len: src.len(), lifetimes: PhantomData }
    }

    /// Length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds no byte.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether source and destination are the same buffer.
    #[inline]
    pub fn is_in_place(&self) -> bool {
        core::ptr::eq(self.src, self.dst)
    }

    /// The source as it is now: in place, what has been written is seen.
    #[inline]
    pub fn src(&self) -> &[u8] {
        // SAFETY: `src` is valid for reads of `len` bytes for 'a, and while `self` is borrowed
        // nothing writes through `dst`, which may be the same memory.
        unsafe { core::slice::from_raw_parts(self.src, self.len) }
    }

    /// The destination.
    #[inline]
    pub fn dst_mut(&mut self) -> &mut [u8] {
        // SAFETY: `dst` is valid for reads and writes of `len` bytes for 'a, and `self` is borrowed
        // exclusively, so no slice of the source, which may be the same memory, is alive.
        unsafe { core::slice::from_raw_parts_mut(self.dst, self.len) }
    }

    /// The two parts before and from `mid`.
    ///
    /// # Panics
    /// If `mid` is greater than the length.
    #[inline]
    pub fn split_at(self, mid: usize) -> (Self, Self) {
        assert!(mid <= self.len, "split beyond the end");
        let lifetimes = PhantomData;
        // SAFETY: `mid` is within both allocations.
        let (src, dst) = unsafe { (self.src.add(mid), self.dst.add(mid)) };
        (
            Self { src: self.src, dst: self.dst, len: mid, lifetimes },
            Self { src, dst, len: self.len - mid, lifetimes },
        )
    }

    /// The same buffers for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> XorBuf<'_> {
        XorBuf { src: self.src, dst: self.dst, len: self.len, lifetimes: PhantomData }
    }

    /// XORs `keystream` into it.
    ///
    /// # Panics
    /// If `keystream` is shorter.
    #[inline(never)]
    pub fn xor(&mut self, keystream: &[u8]) {
        assert!(keystream.len() >= self.len, "too little keystream");
        // SAFETY: all three are valid for `len` bytes. `keystream` is borrowed while `self` is
        // borrowed exclusively, so it is disjoint from the destination; it may be read beside the
        // source.
        unsafe { xor_bytes(self.src, self.dst, keystream.as_ptr(), self.len) }
    }

    /// Pointers to source and destination: what the kernels load from and store to.
    #[inline]
    pub(crate) fn as_ptrs(&mut self) -> (*const u8, *mut u8) {
        (self.src, self.dst)
    }
}

/// `dst = src ^ keystream`, all `len` bytes long.
///
/// Ends with one access that overlaps what is done already, rather than with single bytes. Its
/// source is loaded before that is overwritten, so it is right in place, too.
///
/// # Safety
/// The pointers are valid for `len` bytes; source and destination are the same or disjoint, and the
/// keystream is disjoint from the destination.
#[inline(always)]
pub(crate) unsafe fn xor_bytes(
    mut src: *const u8,
    mut dst: *mut u8,
    mut keystream: *const u8,
    mut len: usize,
) {
    /// XORs the first and the last word of type `$word`, which overlap or meet.
    macro_rules! ends {
        ($word:ty) => {{
            let end = len - size_of::<$word>();
            let load = |p: *const u8| p.cast::<$word>().read_unaligned();
            let first = load(src) ^ load(keystream);
            let last = load(src.add(end)) ^ load(keystream.add(end));
            dst.cast::<$word>().write_unaligned(first);
            dst.add(end).cast::<$word>().write_unaligned(last);
        }};
    }
    // SAFETY: every access lies within `len` bytes by the conditions.
    unsafe {
        while len > 32 {
            let load = |p: *const u8| p.cast::<u128>().read_unaligned();
            dst.cast::<u128>().write_unaligned(load(src) ^ load(keystream));
            (src, dst, keystream) = (src.add(16), dst.add(16), keystream.add(16));
            len -= 16;
        }
        match len {
            0 => {}
            1 => ends!(u8),
            2..4 => ends!(u16),
            4..8 => ends!(u32),
            8..16 => ends!(u64),
            _ => ends!(u128),
        }
    }
}
