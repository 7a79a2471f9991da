//! The anti-replay window (RFC 4303 section 3.4.3): which of the last numbers were received.
//!
//! A ring of 64-bit blocks, as RFC 6479 proposes, so that moving the window clears whole blocks and
//! never shifts. Unlike that RFC's sample code the window is as wide as asked for, not up to 64 numbers
//! wider, and no comparison can overflow.

#[cfg(feature = "alloc")]
extern crate alloc;

use super::Error;

const BLOCK_BITS: u64 = u64::BITS as u64;

/// Smallest window (RFC 4303 section 3.4.3 asks receivers to support it).
pub const WINDOW_MIN: u32 = 32;
/// Window of an SA for which nothing else is said (ibid.).
pub const WINDOW_DEFAULT: u32 = 64;

/// How many 64-bit words a window of `size` numbers takes: the window and a part of a block at each end,
/// rounded up to a power of two, for a ring index without division.
///
/// ```
/// # use chacha20poly1305_esp::esp::window_words;
/// assert_eq!([32, 64, 1024, 65536].map(window_words), [2, 2, 32, 2048]);
/// ```
#[must_use]
pub const fn window_words(size: u32) -> usize {
    ((size as usize + 62) / 64 + 1).next_power_of_two()
}

/// An anti-replay window over the numbers 1 to 2^64 - 1.
///
/// `S` holds the bits, [`window_words`] words or more: an array, or a boxed slice for a size that is
/// known only at run time.
///
/// A window of size `W` whose highest number is `T` accepts each of `T - W + 1` to `T` once, refuses all
/// to the left, and moves when a number to the right of `T` is committed. Either takes constant time,
/// but for a move across more than 64 numbers, which clears one word for each 64, and never more words
/// than there are.
///
/// ```
/// use chacha20poly1305_esp::esp::{Error, Window};
/// let mut window = Window::new([0; 2], 64)?;
/// window.commit(100)?;
/// assert_eq!(window.check(100), Err(Error::Replay));
/// assert_eq!(window.check(37), Ok(()));
/// assert_eq!(window.check(36), Err(Error::TooOld));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Window<S> {
    /// Bit `n % 64` of block `n / 64 % blocks` tells whether number `n` was received, for all `n` from
    /// the first of the block of `highest - size + 1` to the last of the block of `highest`.
    ring: S,
    highest: u64,
    /// 0: switched off.
    size: u32,
    /// Number of blocks in use less 1.
    mask: u32,
}

impl Window<[u64; 0]> {
    /// No window: every number but 0 passes, and passes again. For SAs whose packets are protected from
    /// replay elsewhere; not with extended numbers (RFC 4303 section 2.2.1).
    #[must_use]
    pub const fn off() -> Self {
        Self::off_with([])
    }
}

#[cfg(feature = "alloc")]
impl Window<alloc::boxed::Box<[u64]>> {
    /// A window of `size` numbers, on the heap.
    ///
    /// # Errors
    /// As [`Window::new`].
    pub fn boxed(size: u32) -> Result<Self, Error> {
        // A size that `new` refuses shall not ask for memory first.
        let words = if size > 1 << 31 { 0 } else { window_words(size) };
        Self::new(alloc::vec![0; words].into(), size)
    }
}

impl<S> Window<S> {
    /// [`off`](Window::off) with memory that is not used, where windows on and off must have one type.
    #[must_use]
    pub const fn off_with(ring: S) -> Self {
        Self { ring, highest: 0, size: 0, mask: 0 }
    }

    /// The highest number that was committed, 0 before the first.
    #[must_use]
    pub const fn highest(&self) -> u64 {
        self.highest
    }

    /// How many numbers it is wide; 0 if it is off.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size
    }
}

impl<S: AsRef<[u64]> + AsMut<[u64]>> Window<S> {
    /// A window of `size` numbers that nothing was received in. What `ring` holds is cleared.
    ///
    /// # Errors
    /// [`Error::WindowSize`] if `size` is below 32 or above 2^31, or `ring` is shorter than
    /// [`window_words`].
    pub fn new(mut ring: S, size: u32) -> Result<Self, Error> {
        // Beyond 2^31, appendix A of RFC 4303 cannot tell the halves apart.
        let sensible = (WINDOW_MIN..=1 << 31).contains(&size);
        if !sensible || ring.as_ref().len() < window_words(size) {
            return Err(Error::WindowSize);
        }
        ring.as_mut().fill(0);
        Ok(Self { ring, highest: 0, size, mask: window_words(size) as u32 - 1 })
    }

    /// Whether `number` may be received now. Nothing changes.
    ///
    /// # Errors
    /// [`Error::SequenceZero`] for 0; [`Error::TooOld`] left of the window; [`Error::Replay`] if it was
    /// committed before.
    #[inline]
    pub fn check(&self, number: u64) -> Result<(), Error> {
        if number == 0 {
            return Err(Error::SequenceZero);
        }
        if number > self.highest || self.size == 0 {
            return Ok(());
        }
        if self.highest - number >= u64::from(self.size) {
            return Err(Error::TooOld);
        }
        let block = self.ring.as_ref()[self.index(number)];
        if block >> (number % BLOCK_BITS) & 1 != 0 {
            return Err(Error::Replay);
        }
        Ok(())
    }

    /// Marks `number` as received and moves the window if need be. To be called once the packet is known
    /// to be authentic, never before.
    ///
    /// # Errors
    /// As [`check`](Self::check), which is done again: between the two another packet may have come.
    #[inline]
    pub fn commit(&mut self, number: u64) -> Result<(), Error> {
        self.check(number)?;
        if number > self.highest {
            if self.size != 0 {
                self.clear_between(self.highest, number);
            }
            self.highest = number;
        }
        if self.size != 0 {
            let index = self.index(number);
            self.ring.as_mut()[index] |= 1 << (number % BLOCK_BITS);
        }
        Ok(())
    }

    /// Marks all numbers up to `number` as received, as a receiver should that comes back without its
    /// window but with its highest number.
    pub fn commit_up_to(&mut self, number: u64) {
        self.highest = self.highest.max(number);
        if self.highest == number && self.size != 0 {
            self.ring.as_mut().fill(u64::MAX);
            // What lies right of it in its own block is new.
            let index = self.index(number);
            self.ring.as_mut()[index] = u64::MAX >> (BLOCK_BITS - 1 - number % BLOCK_BITS);
        }
    }

    /// Clears the blocks that the window enters on its way from one number to a higher one.
    #[inline]
    fn clear_between(&mut self, from: u64, to: u64) {
        let entered = (to / BLOCK_BITS - from / BLOCK_BITS).min(u64::from(self.mask) + 1);
        for n in 0..entered {
            let index = self.index(to - n * BLOCK_BITS);
            self.ring.as_mut()[index] = 0;
        }
    }

    #[inline]
    fn index(&self, number: u64) -> usize {
        (number / BLOCK_BITS) as usize & self.mask as usize
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// All numbers ever received, and the definition of a window.
    #[derive(Default)]
    struct Model {
        received: BTreeSet<u64>,
        highest: u64,
    }

    impl Model {
        fn commit(&mut self, number: u64, size: u32) -> Result<(), Error> {
            if number == 0 {
                return Err(Error::SequenceZero);
            }
            if i128::from(number) <= i128::from(self.highest) - i128::from(size) {
                return Err(Error::TooOld);
            }
            if !self.received.insert(number) {
                return Err(Error::Replay);
            }
            self.highest = self.highest.max(number);
            Ok(())
        }
    }

    /// Where the next number lies, seen from the highest one.
    #[derive(Clone, Debug)]
    enum Step {
        Near(i64),
        Edge(i64),
        Jump(u64),
        Absolute(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => (-70..6i64).prop_map(Step::Near),
            2 => (-2..3i64).prop_map(Step::Edge),
            2 => (0..20_000u64).prop_map(Step::Jump),
            1 => any::<u32>().prop_map(|n| Step::Jump(n.into())),
            1 => (-3..3i64).prop_map(|n| Step::Absolute((1u64 << 32).wrapping_add_signed(n))),
            1 => (0..3u64).prop_map(|n| Step::Absolute(u64::MAX - n)),
        ]
    }

    fn walk(size: u32, start: u64, steps: &[Step]) {
        let mut model = Model::default();
        // One ring of just enough blocks, one of more.
        let blocks = window_words(size);
        let mut windows =
            [blocks, 3 * blocks].map(|len| Window::new(std::vec![7; len], size).unwrap());
        for step in [Step::Absolute(start)].iter().chain(steps) {
            let number = match *step {
                Step::Near(offset) => model.highest.saturating_add_signed(offset),
                Step::Edge(offset) => {
                    model.highest.saturating_sub(size.into()).saturating_add_signed(offset)
                }
                Step::Jump(distance) => model.highest.saturating_add(distance),
                Step::Absolute(number) => number,
            };
            let expected = model.commit(number, size);
            for window in &mut windows {
                assert_eq!(window.check(number), expected, "{number} in a window of {size}");
                assert_eq!(window.commit(number), expected);
                assert_eq!(window.highest(), model.highest);
                // At once after it, and at the edges, whatever the step was.
                for probe in [number, model.highest.saturating_sub(u64::from(size) - 1)] {
                    let known = model.received.contains(&probe);
                    if probe != 0 && model.highest.saturating_sub(probe) < u64::from(size) {
                        assert_eq!(window.check(probe).is_err(), known, "{probe}");
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn equals_a_set_of_numbers(
            size in prop_oneof![
                Just(32), Just(33), Just(64), Just(65), Just(66), Just(1000), Just(4096),
                Just(65536), 32..300u32
            ],
            start in prop_oneof![
                Just(0), Just(1), Just((1 << 32) - 40), any::<u64>(), Just(u64::MAX - 3000)
            ],
            steps in vec(step(), 0..200),
        ) {
            walk(size, start, &steps);
        }
    }

    /// Every size around the block's edges, walked in the order that is worst for a ring: ahead by one
    /// window, then back through all of it.
    #[test]
    fn all_small_sizes_exactly() {
        for size in 32..=200u32 {
            for start in [1, 63, 64, 65, (1 << 32) - 1] {
                let mut window = Window::<std::boxed::Box<[u64]>>::boxed(size).unwrap();
                let mut top = start + u64::from(size);
                for _ in 0..4 {
                    window.commit(top).unwrap();
                    for back in 1..u64::from(size) {
                        assert_eq!(window.commit(top - back), Ok(()), "{size} {back}");
                        assert_eq!(window.commit(top - back), Err(Error::Replay));
                    }
                    assert_eq!(window.commit(top - u64::from(size)), Err(Error::TooOld));
                    top += u64::from(size);
                }
            }
        }
    }

    #[test]
    fn sizes_and_rings() {
        let ok = |len, size| Window::new(std::vec![0; len], size).is_ok();
        assert!(ok(2, 32) && ok(2, 64) && ok(2, 65));
        assert!(!ok(2, 66) && !ok(1, 32) && !ok(2, 31) && !ok(2, 0) && !ok(2, u32::MAX));
        assert!(ok(32, 1024) && !ok(31, 1024));
        assert!(Window::<std::boxed::Box<[u64]>>::boxed(1 << 20).is_ok());
    }

    #[test]
    fn a_jump_of_any_length_is_cheap_and_clears() {
        let mut window = Window::new([0; 2], 64).unwrap();
        for number in 1..=64 {
            window.commit(number).unwrap();
        }
        window.commit(u64::MAX).unwrap();
        for number in u64::MAX - 63..u64::MAX {
            assert_eq!(window.commit(number), Ok(()));
        }
        assert_eq!(window.commit(u64::MAX - 64), Err(Error::TooOld));
    }

    #[test]
    fn all_up_to_a_number() {
        for number in [0, 1, 62, 63, 64, 65, 1000, u64::MAX] {
            let mut window = Window::new([0; 2], 64).unwrap();
            window.commit_up_to(number);
            assert_eq!(window.highest(), number);
            for back in 0..63.min(number) {
                assert_eq!(window.check(number - back), Err(Error::Replay));
            }
            if let Some(next) = number.checked_add(1) {
                assert_eq!(window.check(next), Ok(()));
                window.commit(next).unwrap();
                assert_eq!(window.check(next), Err(Error::Replay));
                assert_eq!(window.check(next + 1), Ok(()));
            }
        }
    }

    #[test]
    fn switched_off() {
        let mut windows: [Window<std::boxed::Box<[u64]>>; 2] =
            [Window::off_with([].into()), Window::off_with([0; 2].into())];
        for window in &mut windows {
            for number in [5, 5, 1, u64::MAX, 1] {
                assert_eq!(window.commit(number), Ok(()));
            }
            assert_eq!(window.commit(0), Err(Error::SequenceZero));
            assert_eq!(window.highest(), u64::MAX);
            window.commit_up_to(u64::MAX);
            assert_eq!(window.check(9), Ok(()));
        }
    }
}
