//! A buffer between two pages that may not be touched.

use std::ptr::{self, NonNull};

/// Whole pages of memory with an inaccessible page before and after them.
///
/// A kernel that reads or writes one byte beyond its slice dies with `SIGSEGV` instead of passing
/// the test: hand it [`Guarded::at_end`] to catch what runs over the end, [`Guarded::at_start`]
/// for what reaches before the start.
///
/// ```
/// let mut memory = testkit::Guarded::new(100);
/// memory.at_end(100).fill(7);
/// assert_eq!(memory.at_end(1), [7]);
/// ```
pub struct Guarded {
    base: NonNull<u8>,
    page: usize,
    capacity: usize,
}

impl Guarded {
    /// Maps room for at least `capacity` bytes, all zero.
    ///
    /// # Panics
    /// If the system refuses the mapping.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        // SAFETY: sysconf has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("page size");
        let capacity = capacity.max(1).next_multiple_of(page);
        // SAFETY: a new anonymous mapping; no address is asked for, so none is replaced.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                capacity + 2 * page,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(base, libc::MAP_FAILED, "mmap: {}", std::io::Error::last_os_error());
        let base = NonNull::new(base.cast::<u8>()).expect("mmap gives no null");
        // SAFETY: the range lies inside the mapping above, after its first page.
        let opened = unsafe {
            let middle = base.as_ptr().add(page).cast();
            libc::mprotect(middle, capacity, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(opened, 0, "mprotect: {}", std::io::Error::last_os_error());
        Self { base, page, capacity }
    }

    /// How many bytes lie between the guards.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// All bytes between the guards.
    pub fn all(&mut self) -> &mut [u8] {
        // SAFETY: `capacity` readable and writable bytes begin one page into the mapping, which
        // lives as long as `self`; the exclusive borrow of `self` makes the slice unique.
        unsafe { core::slice::from_raw_parts_mut(self.base.as_ptr().add(self.page), self.capacity) }
    }

    /// The first `len` bytes: the guard lies directly before them.
    ///
    /// # Panics
    /// If `len` is more than [`Guarded::capacity`].
    pub fn at_start(&mut self, len: usize) -> &mut [u8] {
        &mut self.all()[..len]
    }

    /// The last `len` bytes: the guard lies directly after them.
    ///
    /// # Panics
    /// If `len` is more than [`Guarded::capacity`].
    pub fn at_end(&mut self, len: usize) -> &mut [u8] {
        let start = self.capacity.checked_sub(len).expect("longer than the capacity");
        &mut self.all()[start..]
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping that `new` made; no slice of it outlives `self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.capacity + 2 * self.page) };
    }
}

// SAFETY: the mapping belongs to this value alone, like a Box<[u8]>.
unsafe impl Send for Guarded {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_touch_the_guards() {
        let mut memory = Guarded::new(5000);
        let (page, capacity) = (memory.page, memory.capacity());
        assert_eq!(capacity % page, 0);
        assert_eq!(memory.at_start(10).as_ptr().align_offset(page), 0);
        assert_eq!(memory.at_end(10).as_ptr_range().end.align_offset(page), 0);
        assert!(memory.at_end(0).is_empty());
    }

    /// The page after the end is really closed: the system refuses to read it for us.
    #[test]
    fn guards_are_closed() {
        let mut memory = Guarded::new(1);
        let end = memory.at_end(1).as_ptr_range().end;
        let start = memory.at_start(1).as_ptr().wrapping_sub(1);
        for outside in [end, start] {
            let mut pipe = [0; 2];
            // SAFETY: `write` checks the address itself and answers EFAULT; nothing here
            // dereferences it. The two descriptors are new and closed once.
            let (written, error) = unsafe {
                assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
                let written = libc::write(pipe[1], outside.cast(), 1);
                let error = std::io::Error::last_os_error();
                libc::close(pipe[0]);
                libc::close(pipe[1]);
                (written, error)
            };
            assert_eq!((written, error.raw_os_error()), (-1, Some(libc::EFAULT)));
        }
    }
}
