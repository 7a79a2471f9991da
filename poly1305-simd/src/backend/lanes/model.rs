//! Lanes in plain Rust: the arithmetic of the kernels on every CPU, every sum checked for overflow
//! and every operand for bits that the instruction would not read. What is left to the machine is
//! whether its instructions do what these lanes do.

use super::super::powers::{Falling, Powers};
use super::{Lanes, Multiply32, Multiply52};
use crate::{backend::soft, field::Element, key::Multiplier};

#[derive(Clone, Copy)]
pub(crate) struct Model<const L: usize>([u64; L]);

impl<const L: usize> Model<L> {
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(core::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl<const L: usize> Lanes for Model<L> {
    const LANES: usize = L;

    unsafe fn splat(x: u64) -> Self {
        Self([x; L])
    }

    unsafe fn load(blocks: &[[u8; 16]]) -> [Self; 2] {
        assert_eq!(blocks.len(), L);
        // SAFETY: no instructions are needed.
        unsafe { Self::load_short(blocks) }
    }

    unsafe fn load_short(blocks: &[[u8; 16]]) -> [Self; 2] {
        let mut halves = [Self([0; L]); 2];
        for (i, block) in blocks.iter().enumerate() {
            let block = u128::from_le_bytes(*block);
            halves[0].0[L - blocks.len() + i] = block as u64;
            halves[1].0[L - blocks.len() + i] = (block >> 64) as u64;
        }
        halves
    }

    unsafe fn mask_last(count: usize) -> Self {
        Self(core::array::from_fn(|i| if i + count >= L { u64::MAX } else { 0 }))
    }

    unsafe fn falling(powers: &mut Powers, r: &Multiplier) -> [Self; 3] {
        // SAFETY: no instructions are needed.
        unsafe { Self::spread(powers.falling(r)) }
    }

    fn first(self) -> Self {
        Self([self.0[0]; L])
    }

    fn sum(self) -> u64 {
        self.0.iter().sum()
    }

    fn below(self, bound: u64) -> Self {
        assert!(self.0.iter().all(|x| *x < bound), "{:x?} below {bound:x}", self.0);
        self
    }

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    fn and_not(self, other: Self) -> Self {
        self.zip(other, |a, b| !a & b)
    }

    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    fn shl<const N: i32>(self) -> Self {
        Self(self.0.map(|a| a << N))
    }

    fn shr<const N: i32>(self) -> Self {
        Self(self.0.map(|a| a >> N))
    }
}

impl<const L: usize> Multiply32 for Model<L> {
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| product(a, b, 32) as u64)
    }

    fn opaque(self) -> Self {
        self
    }
}

impl<const L: usize> Multiply52 for Model<L> {
    unsafe fn spread(Falling { halves, tops }: Falling<4>) -> [Self; 3] {
        // SAFETY: sixteen bytes as they lie in memory.
        let halves = halves.map(|half| unsafe { core::mem::transmute::<_, [u64; 2]>(half) });
        // With two lanes, the last two powers.
        let at = |i| (4 - L.min(4) + i) % 4;
        [
            Self(core::array::from_fn(|i| halves[at(i)][0])),
            Self(core::array::from_fn(|i| halves[at(i)][1])),
            Self(core::array::from_fn(|i| tops >> (16 * at(i)) & 0xffff)),
        ]
    }

    unsafe fn load_end(blocks: &[[u8; 16]], partial: Option<u128>, last: u128) -> [Self; 2] {
        let numbers = partial.into_iter().chain([last]).map(u128::to_le_bytes);
        let mut group = blocks.iter().copied().chain(numbers);
        let blocks = core::array::from_fn::<_, L, _>(|_| group.next().expect("a group"));
        assert!(group.next().is_none());
        // SAFETY: no instructions are needed.
        unsafe { Self::load(&blocks) }
    }

    unsafe fn one_by_one(h: Element, r: &Multiplier, blocks: &[[u8; 16]]) -> Element {
        soft::blocks(h, r, blocks)
    }

    fn here(self) -> Self {
        self
    }

    fn add_mul_low(self, a: Self, b: Self) -> Self {
        self.add(a.zip(b, |a, b| (product(a, b, 52) & ((1 << 52) - 1)) as u64))
    }

    fn add_mul_high(self, a: Self, b: Self) -> Self {
        self.add(a.zip(b, |a, b| (product(a, b, 52) >> 52) as u64))
    }

    fn add_mul(self, a: Self, k: Self) -> Self {
        assert!(a.0.iter().zip(k.0).all(|(a, k)| product(*a, k, 52) >> 52 == 0));
        self.add_mul_low(a, k)
    }
}

/// What an instruction multiplies, provided that it reads all the bits there are.
fn product(a: u64, b: u64, bits: u32) -> u128 {
    assert!(a >> bits == 0 && b >> bits == 0, "{a:x} * {b:x}");
    u128::from(a) * u128::from(b)
}
