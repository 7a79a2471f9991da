//! A small deterministic generator, so that a failing case can be run again from its seed.

/// `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014): every seed gives the full period.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose output depends on `seed` alone.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// A number in `0..bound` (the bias of at most `bound` / 2^64 does not matter for tests).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert_ne!(bound, 0, "nothing is below 0");
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A length in `0..=max`: one third below 128, one third below 3072, the rest anything.
    ///
    /// Short lengths hold most of the edges, and an even distribution would hardly ever draw one.
    pub fn length(&mut self, max: usize) -> usize {
        let bound = match self.below(3) {
            0 => 128.min(max + 1),
            1 => 3072.min(max + 1),
            _ => max + 1,
        };
        self.below(bound)
    }

    /// Fills `out` with random bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        for chunk in out.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
    }

    /// `len` random bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.fill(&mut out);
        out
    }

    /// `N` random bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.fill(&mut out);
        out
    }

    /// Cuts `0..len` at random: ranges in order that cover it, some of them empty.
    pub fn pieces(&mut self, len: usize) -> Vec<core::ops::Range<usize>> {
        let mut ranges = Vec::new();
        let mut start = 0;
        while start < len {
            let end = start + self.length(len - start);
            ranges.push(start..end);
            start = end;
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs for the seed 0, as published with the generator.
    #[test]
    fn known_answers() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(rng.next_u64(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn lengths_reach_every_class() {
        let mut rng = Rng::new(1);
        let lengths: Vec<_> = (0..3000).map(|_| rng.length(10_000)).collect();
        assert!(lengths.iter().all(|&n| n <= 10_000));
        assert!(lengths.iter().filter(|&&n| n < 128).count() > 900);
        assert!(lengths.iter().filter(|&&n| n >= 3072).count() > 500);
        assert!((0..1000).all(|_| rng.length(3) <= 3));
    }

    #[test]
    fn pieces_cover() {
        let mut rng = Rng::new(2);
        for len in 0..200 {
            let pieces = rng.pieces(len);
            let mut next = 0;
            for piece in pieces {
                assert_eq!(piece.start, next);
                next = piece.end;
            }
            assert_eq!(next, len);
        }
    }
}
