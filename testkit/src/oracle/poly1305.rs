//! Poly1305 (RFC 8439 section 2.5) by schoolbook arithmetic on 32-bit limbs.

/// A number below 2^288, little-endian. Products here stay below 2^131 * 2^128.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Number([u32; 9]);

impl Number {
    const ZERO: Self = Self([0; 9]);
    /// p = 2^130 - 5.
    const P: Self = Self([0xffff_fffb, !0, !0, !0, 3, 0, 0, 0, 0]);

    fn from_le_bytes(bytes: &[u8]) -> Self {
        let mut n = Self::ZERO;
        for (i, &b) in bytes.iter().enumerate() {
            n.0[i / 4] |= u32::from(b) << (8 * (i % 4));
        }
        n
    }

    fn plus(self, other: Self) -> Self {
        let mut sum = Self::ZERO;
        let mut carry = 0;
        for i in 0..9 {
            let t = u64::from(self.0[i]) + u64::from(other.0[i]) + carry;
            sum.0[i] = t as u32;
            carry = t >> 32;
        }
        assert_eq!(carry, 0, "sum beyond 2^288");
        sum
    }

    /// `self - other`, or `None` if that is negative.
    fn minus(self, other: Self) -> Option<Self> {
        let mut difference = Self::ZERO;
        let mut borrow = false;
        for i in 0..9 {
            let (t, b1) = self.0[i].overflowing_sub(other.0[i]);
            let (t, b2) = t.overflowing_sub(u32::from(borrow));
            difference.0[i] = t;
            borrow = b1 | b2;
        }
        (!borrow).then_some(difference)
    }

    fn times(self, other: Self) -> Self {
        let mut product = Self::ZERO;
        for (i, &a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for j in 0..9 - i {
                let t = u64::from(product.0[i + j]) + u64::from(a) * u64::from(other.0[j]) + carry;
                product.0[i + j] = t as u32;
                carry = t >> 32;
            }
            assert_eq!(carry, 0, "product beyond 2^288");
        }
        product
    }

    /// The number split at bit 130.
    fn split_at_130(self) -> (Self, Self) {
        let mut low = self;
        low.0[4] &= 3;
        low.0[5..].fill(0);
        let mut high = Self::ZERO;
        for i in 0..5 {
            let next = if i < 4 { self.0[i + 5] } else { 0 };
            high.0[i] = (self.0[i + 4] >> 2) | (next << 30);
        }
        (low, high)
    }

    /// The residue modulo p, in 0..p: 2^130 is 5 modulo p.
    fn modulo_p(mut self) -> Self {
        loop {
            let (low, high) = self.split_at_130();
            if high == Self::ZERO {
                break;
            }
            self = low.plus(high.times(Self::from_le_bytes(&[5])));
        }
        self.minus(Self::P).unwrap_or(self)
    }

    fn to_le_bytes<const N: usize>(self) -> [u8; N] {
        core::array::from_fn(|i| (self.0[i / 4] >> (8 * (i % 4))) as u8)
    }
}

/// Clamps the first half of the key (RFC 8439 section 2.5.1).
fn clamp(r: &[u8]) -> Number {
    let mut r: [u8; 16] = r.try_into().expect("sixteen bytes");
    for i in [3, 7, 11, 15] {
        r[i] &= 15;
    }
    for i in [4, 8, 12] {
        r[i] &= 252;
    }
    Number::from_le_bytes(&r)
}

fn evaluate(r: Number, mut h: Number, message: &[u8]) -> Number {
    for block in message.chunks(16) {
        let mut with_one = [0; 17];
        with_one[..block.len()].copy_from_slice(block);
        with_one[block.len()] = 1;
        h = h.plus(Number::from_le_bytes(&with_one)).times(r).modulo_p();
    }
    h
}

/// The tag of `message` under the one-time `key` (r, then s).
#[must_use]
pub fn poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let h = evaluate(clamp(&key[..16]), Number::ZERO, message);
    h.plus(Number::from_le_bytes(&key[16..])).to_le_bytes()
}

/// The polynomial alone, without `+ s`: the residue modulo p in little-endian order.
///
/// `r` is clamped here.
#[must_use]
pub fn polynomial(r: &[u8; 16], message: &[u8]) -> [u8; 17] {
    polynomial_from(r, &[0; 17], message)
}

/// As [`polynomial`], from an accumulator other than zero (any value below 2^136).
#[must_use]
pub fn polynomial_from(r: &[u8; 16], accumulator: &[u8; 17], message: &[u8]) -> [u8; 17] {
    let start = Number::from_le_bytes(accumulator).modulo_p();
    evaluate(clamp(r), start, message).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::parse;

    fn tag(key: &str, message: &str) -> [u8; 16] {
        poly1305(&parse(key).unwrap().try_into().unwrap(), &parse(message).unwrap())
    }

    fn hex(terms: &str) -> [u8; 16] {
        parse(terms).unwrap().try_into().unwrap()
    }

    /// RFC 8439 section 2.5.2.
    #[test]
    fn rfc8439_example() {
        let key = parse("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
        let message = b"Cryptographic Forum Research Group";
        assert_eq!(
            poly1305(&key.unwrap().try_into().unwrap(), message),
            hex("a8061dc1305136c6c22b8baf0c0127a9")
        );
    }

    /// RFC 8439 appendix A.3, numbers 7 to 11: the carries and the last subtraction.
    #[test]
    fn rfc8439_edges() {
        assert_eq!(tag("02 00*31", "ff*16"), hex("03 00*15"));
        assert_eq!(tag("02 00*15 ff*16", "02 00*15"), hex("03 00*15"));
        assert_eq!(tag("01 00*31", "ff*16 f0 ff*15 11 00*15"), hex("05 00*15"));
        assert_eq!(tag("01 00*31", "ff*16 fb fe*15 01*16"), hex("00*16"));
        assert_eq!(tag("02 00*31", "fd ff*15"), hex("fa ff*15"));
    }

    /// With r = 0 nothing of the message is left.
    #[test]
    fn r_zero_gives_s() {
        assert_eq!(tag("00*16 inc:9:16", "mul:5:3:77"), hex("inc:9:16"));
    }

    /// Going on from a residue is the same as hashing at once.
    #[test]
    fn polynomial_continues() {
        let (r, message) = (hex("ff*16"), parse("mul:7:1:160").unwrap());
        let half = polynomial(&r, &message[..64]);
        assert_eq!(polynomial_from(&r, &half, &message[64..]), polynomial(&r, &message));
    }
}
