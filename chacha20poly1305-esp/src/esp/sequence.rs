//! Sequence numbers: how a sender counts, and how a receiver finds the half that is not sent.

use super::Error;
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A sequence number, 32 bits or extended (ESN).
///
/// Only the low 32 bits are sent. The high half of an extended number is authenticated nevertheless:
/// it goes into the associated data (RFC 7634 section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SequenceNumber {
    /// A security association without extended sequence numbers.
    Short(u32),
    /// A security association with extended sequence numbers: all 64 bits.
    Extended(u64),
}

impl SequenceNumber {
    /// The number of an SA with extended numbers, or without if `number` fits.
    pub(super) const fn new(number: u64, extended: bool) -> Self {
        if extended { Self::Extended(number) } else { Self::Short(number as u32) }
    }

    /// The 32 bits that are sent.
    #[must_use]
    #[inline]
    pub const fn low(self) -> u32 {
        match self {
            Self::Short(low) => low,
            Self::Extended(number) => number as u32,
        }
    }

    /// The number as 64 bits; the high half of a short one is 0.
    #[must_use]
    #[inline]
    pub const fn value(self) -> u64 {
        match self {
            Self::Short(low) => low as u64,
            Self::Extended(number) => number,
        }
    }
}

/// The last number of an SA; the next one would be a second use of number 0.
pub(super) const fn last_number(extended: bool) -> u64 {
    if extended { u64::MAX } else { u32::MAX as u64 }
}

/// What can be asked of an SA's numbers, whoever else holds them. [`Sequence`] and [`SharedSequence`] are
/// all there is.
pub trait Numbers: sealed::Sealed {
    /// How many numbers are left.
    fn remaining(&self) -> u64;
    /// The number that was used last; one less than the first if none was.
    fn last(&self) -> u64;
    /// How often a number was asked for when none was left, an audit event of RFC 4303 section 3.3.3.
    fn refused(&self) -> u64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Sequence {}
    #[cfg(target_has_atomic = "64")]
    impl Sealed for super::SharedSequence {}
}

/// The numbers of an outbound SA, each handed out once.
///
/// Keeps the number that was used last, so that running out needs no state of its own: nothing follows
/// the last number, and nothing ever wraps (RFC 4303 section 3.3.3).
#[derive(Debug)]
pub struct Sequence {
    last: u64,
    refused: u64,
    extended: bool,
}

impl Sequence {
    /// Starts with `first`, which is 1 for a new SA.
    ///
    /// # Errors
    /// [`Error::SequenceZero`] for 0; [`Error::SequenceExhausted`] if `first` needs extended numbers and
    /// `extended` is false.
    pub const fn new(first: u64, extended: bool) -> Result<Self, Error> {
        match first.checked_sub(1) {
            None => Err(Error::SequenceZero),
            Some(_) if first > last_number(extended) => Err(Error::SequenceExhausted),
            Some(last) => Ok(Self { last, refused: 0, extended }),
        }
    }

    /// The next number, which is used up by that.
    ///
    /// # Errors
    /// [`Error::SequenceExhausted`], now and ever after.
    #[inline]
    pub fn take(&mut self) -> Result<SequenceNumber, Error> {
        if self.remaining() == 0 {
            self.refused = self.refused.wrapping_add(1);
            return Err(Error::SequenceExhausted);
        }
        self.last += 1;
        Ok(SequenceNumber::new(self.last, self.extended))
    }
}

impl Numbers for Sequence {
    fn remaining(&self) -> u64 {
        last_number(self.extended) - self.last
    }

    fn last(&self) -> u64 {
        self.last
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}

/// The numbers of an outbound SA that several threads seal on.
///
/// ```
/// use chacha20poly1305_esp::esp::{Error, SequenceNumber, SharedSequence};
/// let numbers = SharedSequence::new(u64::from(u32::MAX), false)?;
/// assert_eq!(numbers.take(), Ok(SequenceNumber::Short(u32::MAX)));
/// assert_eq!(numbers.take(), Err(Error::SequenceExhausted));
/// # Ok::<(), Error>(())
/// ```
#[cfg(target_has_atomic = "64")]
#[derive(Debug)]
pub struct SharedSequence {
    last: AtomicU64,
    refused: AtomicU64,
    extended: bool,
}

// Numbers order nothing but themselves, so all operations are relaxed.
#[cfg(target_has_atomic = "64")]
impl SharedSequence {
    /// Starts with `first`, which is 1 for a new SA.
    ///
    /// # Errors
    /// As [`Sequence::new`].
    pub const fn new(first: u64, extended: bool) -> Result<Self, Error> {
        match Sequence::new(first, extended) {
            Ok(Sequence { last, .. }) => {
                Ok(Self { last: AtomicU64::new(last), refused: AtomicU64::new(0), extended })
            }
            Err(error) => Err(error),
        }
    }

    /// The next number, which no other thread gets.
    ///
    /// # Errors
    /// [`Error::SequenceExhausted`], now and ever after.
    #[inline]
    pub fn take(&self) -> Result<SequenceNumber, Error> {
        // A plain addition would go beyond the last number, and with extended numbers start again.
        let end = last_number(self.extended);
        let next = |last| if last == end { None } else { Some(last + 1) };
        match self.last.fetch_update(Relaxed, Relaxed, next) {
            Ok(last) => Ok(SequenceNumber::new(last + 1, self.extended)),
            Err(_) => {
                self.refused.fetch_add(1, Relaxed);
                Err(Error::SequenceExhausted)
            }
        }
    }
}

#[cfg(target_has_atomic = "64")]
impl Numbers for SharedSequence {
    fn remaining(&self) -> u64 {
        last_number(self.extended) - self.last()
    }

    fn last(&self) -> u64 {
        self.last.load(Relaxed)
    }

    fn refused(&self) -> u64 {
        self.refused.load(Relaxed)
    }
}

/// The extended number that a packet with these low 32 bits stands for, when `highest` is the highest
/// number received and `window` the size of the anti-replay window, 1 to 2^31 (RFC 4303 appendix A2.2).
///
/// Of all numbers with these low bits it is the one inside the window, or else the next one to its
/// right. `None` if that would be a number below 0 or above 2^64 - 1: then the packet is left of all
/// that can be received.
#[inline]
pub(super) const fn infer(low: u32, highest: u64, window: u32) -> Option<u64> {
    let (high_half, low_half) = ((highest >> 32) as u32, highest as u32);
    // Low bits of the window's left edge; they wrap when the window spans two halves.
    let left = low_half.wrapping_sub(window - 1);
    let half = match (low_half >= window - 1, low >= left) {
        (true, true) | (false, false) => Some(high_half),
        (true, false) => high_half.checked_add(1),
        (false, true) => high_half.checked_sub(1),
    };
    match half {
        Some(half) => Some((half as u64) << 32 | low as u64),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by trying all numbers near enough, in an arithmetic that has room on both sides.
    fn brute_force(low: u32, highest: u64, window: u32) -> Option<u64> {
        let (highest, window) = (i128::from(highest), i128::from(window));
        let half = highest >> 32;
        let numbers = || (half - 1..=half + 1).map(|half| half << 32 | i128::from(low));
        let inside = numbers().find(|n| (highest - window + 1..=highest).contains(n));
        inside.or_else(|| numbers().find(|&n| n > highest)).and_then(|n| n.try_into().ok())
    }

    fn number() -> impl Strategy<Value = u64> {
        let near = (0..=4u64, -70_000..70_000i64)
            .prop_map(|(half, offset)| (half << 32).wrapping_add_signed(offset));
        prop_oneof![
            any::<u64>(),
            0..200_000u64,
            near,
            (0..200_000u64).prop_map(|below| u64::MAX - below)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn inference_equals_brute_force(
            highest in number(),
            offset in -140_000..140_000i64,
            any_low in any::<u32>(),
            window in prop_oneof![1..=128u32, Just(1024), Just(65536), Just(1 << 31)],
        ) {
            for low in [any_low, highest.wrapping_add_signed(offset) as u32, 0, u32::MAX] {
                prop_assert_eq!(
                    infer(low, highest, window),
                    brute_force(low, highest, window),
                    "{:#x}", low
                );
            }
        }
    }

    #[test]
    fn edges() {
        // A new SA: the numbers left of 0 are none.
        assert_eq!(infer(1, 0, 64), Some(1));
        assert_eq!(infer(u32::MAX - 63, 0, 64), Some(0xffff_ffc0));
        assert_eq!(infer(u32::MAX - 62, 0, 64), None);
        assert_eq!(infer(u32::MAX, 62, 64), None);
        assert_eq!(infer(u32::MAX, 63, 64), Some(0xffff_ffff));
        // The last half: nothing is right of it.
        assert_eq!(infer(u32::MAX, u64::MAX, 64), Some(u64::MAX));
        assert_eq!(infer(u32::MAX - 63, u64::MAX, 64), Some(u64::MAX - 63));
        assert_eq!(infer(u32::MAX - 64, u64::MAX, 64), None);
        assert_eq!(infer(0, u64::MAX, 64), None);
    }

    #[test]
    fn numbers_end_and_never_wrap() {
        for extended in [false, true] {
            let end = last_number(extended);
            let mut numbers = Sequence::new(end - 1, extended).unwrap();
            assert_eq!(numbers.remaining(), 2);
            assert_eq!(numbers.take().map(SequenceNumber::value), Ok(end - 1));
            assert_eq!(numbers.take().map(SequenceNumber::value), Ok(end));
            for refused in 1..4 {
                assert_eq!(numbers.take(), Err(Error::SequenceExhausted));
                assert_eq!((numbers.last(), numbers.remaining()), (end, 0));
                assert_eq!(numbers.refused(), refused);
            }
            assert_eq!(Sequence::new(0, extended).err(), Some(Error::SequenceZero));
        }
        assert_eq!(Sequence::new(1 << 32, false).err(), Some(Error::SequenceExhausted));
        assert_eq!(
            Sequence::new(1 << 32, true).unwrap().take(),
            Ok(SequenceNumber::Extended(1 << 32))
        );
    }

    #[cfg(target_has_atomic = "64")]
    #[test]
    fn shared_numbers_end_too() {
        for extended in [false, true] {
            let end = last_number(extended);
            let numbers = SharedSequence::new(end, extended).unwrap();
            assert_eq!(numbers.take().map(SequenceNumber::value), Ok(end));
            for refused in 1..4 {
                assert_eq!(numbers.take(), Err(Error::SequenceExhausted));
                assert_eq!((numbers.remaining(), numbers.refused()), (0, refused));
            }
        }
    }
}
