//! The members of the family: number of rounds, and what words 12 to 15 hold.

use crate::engine::{RoundCount, State};
use crate::xchacha;

mod sealed {
    pub trait Sealed {}
}

/// A number of rounds, as a type: [`R8`], [`R12`] or [`R20`]. Sealed.
pub trait Rounds: sealed::Sealed + Send + Sync + 'static {
    /// The number of rounds; each double round is four column and four diagonal quarter-rounds.
    const ROUNDS: RoundCount;
}

/// 8 rounds.
#[derive(Clone, Copy, Debug)]
pub enum R8 {}
/// 12 rounds.
#[derive(Clone, Copy, Debug)]
pub enum R12 {}
/// 20 rounds.
#[derive(Clone, Copy, Debug)]
pub enum R20 {}

impl sealed::Sealed for R8 {}
impl sealed::Sealed for R12 {}
impl sealed::Sealed for R20 {}

impl Rounds for R8 {
    const ROUNDS: RoundCount = RoundCount::R8;
}
impl Rounds for R12 {
    const ROUNDS: RoundCount = RoundCount::R12;
}
impl Rounds for R20 {
    const ROUNDS: RoundCount = RoundCount::R20;
}

/// A layout of words 12 to 15, the block counter and the nonce: [`Ietf`], [`X`] or [`Legacy`].
/// Sealed.
pub trait Variant: sealed::Sealed + Send + Sync + 'static {
    /// The nonce: `[u8; 12]`, `[u8; 24]` or `[u8; 8]`.
    type Nonce: AsRef<[u8]> + AsMut<[u8]> + Copy + Default + core::fmt::Debug;

    /// The block counter: `u32`, or `u64` for [`Legacy`].
    type Counter: Into<u64> + Copy;

    /// The state with block counter 0.
    #[doc(hidden)]
    fn state<R: Rounds>(key: &[u8; 32], nonce: &Self::Nonce) -> State;

    /// Reads the block counter.
    #[doc(hidden)]
    fn counter(state: &State) -> u64;

    /// Sets the block counter. The caller has checked that it fits the layout.
    #[doc(hidden)]
    fn set_counter(state: &mut State, counter: u64);
}

/// RFC 8439: a 32-bit block counter in word 12, a 12-byte nonce in words 13 to 15.
#[derive(Clone, Copy, Debug)]
pub enum Ietf {}
/// draft-irtf-cfrg-xchacha: the first 16 of 24 nonce bytes make a subkey by HChaCha; the last 8 go
/// into words 14 and 15, word 13 is zero, word 12 is a 32-bit block counter.
#[derive(Clone, Copy, Debug)]
pub enum X {}
/// D. J. Bernstein's original: a 64-bit block counter in words 12 and 13, an 8-byte nonce in words
/// 14 and 15.
#[derive(Clone, Copy, Debug)]
pub enum Legacy {}

impl sealed::Sealed for Ietf {}
impl sealed::Sealed for X {}
impl sealed::Sealed for Legacy {}

#[inline]
fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl Variant for Ietf {
    type Nonce = [u8; 12];
    type Counter = u32;

    #[inline]
    fn state<R: Rounds>(key: &[u8; 32], nonce: &[u8; 12]) -> State {
        State::new(key, [0, word(&nonce[0..]), word(&nonce[4..]), word(&nonce[8..])])
    }

    #[inline]
    fn counter(state: &State) -> u64 {
        u64::from(state.counter32())
    }

    #[inline]
    fn set_counter(state: &mut State, counter: u64) {
        debug_assert!(counter <= u64::from(u32::MAX));
        state.set_counter32(counter as u32);
    }
}

impl Variant for X {
    type Nonce = [u8; 24];
    type Counter = u32;

    // Out of line: what it leaves of the subkey lies below its caller's frame, and can be wiped.
    #[inline(never)]
    fn state<R: Rounds>(key: &[u8; 32], nonce: &[u8; 24]) -> State {
        let (input, rest) = nonce.split_first_chunk::<16>().expect("24 bytes");
        xchacha::subkey_state(R::ROUNDS, key, input, [0, 0, word(rest), word(&rest[4..])])
    }

    #[inline]
    fn counter(state: &State) -> u64 {
        u64::from(state.counter32())
    }

    #[inline]
    fn set_counter(state: &mut State, counter: u64) {
        debug_assert!(counter <= u64::from(u32::MAX));
        state.set_counter32(counter as u32);
    }
}

impl Variant for Legacy {
    type Nonce = [u8; 8];
    type Counter = u64;

    #[inline]
    fn state<R: Rounds>(key: &[u8; 32], nonce: &[u8; 8]) -> State {
        State::new(key, [0, 0, word(nonce), word(&nonce[4..])])
    }

    #[inline]
    fn counter(state: &State) -> u64 {
        state.counter64()
    }

    #[inline]
    fn set_counter(state: &mut State, counter: u64) {
        state.set_counter64(counter);
    }
}
