//! Radix 2^64: the fewest multiplications where the CPU has 64 x 64 -> 128.
//!
//! Radix 2^44 needs nine products for a block and unpacks it first; with a clamped r, radix 2^64
//! needs four wide and two narrow ones and takes the block in as it lies in memory.
//!
//! One block at a time. The chain from one accumulator to the next is 15 cycles long on Zen 3, and
//! two or four blocks at a time with r^2..r^4, which are not clamped and so need six wide products
//! and a second reduction, were measured to take longer for each block (17 to 23 cycles).
//!
//! The step and its bounds are [`Element::mul_clamped`].

use crate::{field::Element, key::Multiplier, polynomial::Top};

#[cfg_attr(not(target_pointer_width = "64"), allow(dead_code))]
#[inline]
pub(crate) fn blocks(mut h: Element, r: &Multiplier, blocks: &[[u8; 16]]) -> Element {
    for block in blocks {
        h = step(h, r, u128::from_le_bytes(*block), 1);
    }
    h
}

#[cfg_attr(not(target_pointer_width = "64"), allow(dead_code))]
#[inline]
pub(crate) fn block(h: Element, r: &Multiplier, block: u128, top: Top) -> Element {
    step(h, r, block, matches!(top, Top::One) as u64)
}

/// (h + block + top * 2^128) * r
#[inline(always)]
fn step(h: Element, r: &Multiplier, block: u128, top: u64) -> Element {
    Element::mul_clamped(h.add(block, top), r)
}
