//! ChaCha of RFC 8439 section 2, of djb's original layout, and HChaCha of the XChaCha draft.
//!
//! `rounds` is 8, 12 or 20 in all of these.

/// `"expand 32-byte k"` as four little-endian words (RFC 8439 section 2.3).
const SIGMA: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

fn word(bytes: &[u8], i: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"))
}

/// Words 0..12 are the constant and the key, words 12..16 are `tail`.
fn initial(key: &[u8; 32], tail: [u32; 4]) -> [u32; 16] {
    core::array::from_fn(|i| match i {
        0..4 => SIGMA[i],
        4..12 => word(key, i - 4),
        _ => tail[i - 12],
    })
}

fn quarter_round(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(16);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(12);
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(8);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(7);
}

fn permute(s: &mut [u32; 16], rounds: usize) {
    assert!(rounds.is_multiple_of(2), "ChaCha has double rounds");
    for _ in 0..rounds / 2 {
        for i in 0..4 {
            quarter_round(s, i, 4 + i, 8 + i, 12 + i);
        }
        for i in 0..4 {
            quarter_round(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
        }
    }
}

fn keystream_block(rounds: usize, start: [u32; 16]) -> [u8; 64] {
    let mut s = start;
    permute(&mut s, rounds);
    let mut out = [0; 64];
    for i in 0..16 {
        out[4 * i..4 * i + 4].copy_from_slice(&s[i].wrapping_add(start[i]).to_le_bytes());
    }
    out
}

/// One block of the IETF layout: 32-bit counter, 96-bit nonce.
#[must_use]
pub fn block(rounds: usize, key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> [u8; 64] {
    let tail = [counter, word(nonce, 0), word(nonce, 1), word(nonce, 2)];
    keystream_block(rounds, initial(key, tail))
}

/// One block of the original layout: 64-bit counter, 64-bit nonce.
#[must_use]
pub fn block_legacy(rounds: usize, key: &[u8; 32], nonce: &[u8; 8], counter: u64) -> [u8; 64] {
    let tail = [counter as u32, (counter >> 32) as u32, word(nonce, 0), word(nonce, 1)];
    keystream_block(rounds, initial(key, tail))
}

/// XORs `data` with the keystream that starts at block `counter`.
///
/// The counter wraps modulo 2^32 and never touches the nonce, as the kernels do.
pub fn xor(rounds: usize, key: &[u8; 32], nonce: &[u8; 12], counter: u32, data: &mut [u8]) {
    for (i, chunk) in data.chunks_mut(64).enumerate() {
        let stream = block(rounds, key, nonce, counter.wrapping_add(i as u32));
        chunk.iter_mut().zip(stream).for_each(|(d, k)| *d ^= k);
    }
}

/// As [`xor`] for the original layout; the counter wraps modulo 2^64.
pub fn xor_legacy(rounds: usize, key: &[u8; 32], nonce: &[u8; 8], counter: u64, data: &mut [u8]) {
    for (i, chunk) in data.chunks_mut(64).enumerate() {
        let stream = block_legacy(rounds, key, nonce, counter.wrapping_add(i as u64));
        chunk.iter_mut().zip(stream).for_each(|(d, k)| *d ^= k);
    }
}

/// HChaCha (draft-irtf-cfrg-xchacha section 2.2): the first and the last row after the rounds,
/// without the feed-forward.
#[must_use]
pub fn hchacha(rounds: usize, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
    let mut s = initial(key, core::array::from_fn(|i| word(input, i)));
    permute(&mut s, rounds);
    let mut out = [0; 32];
    for (i, w) in s[..4].iter().chain(&s[12..]).enumerate() {
        out[4 * i..4 * i + 4].copy_from_slice(&w.to_le_bytes());
    }
    out
}

/// The key and nonce that XChaCha hands to the IETF layout (draft section 2.3).
pub(super) fn xchacha_subkey(
    rounds: usize,
    key: &[u8; 32],
    nonce: &[u8; 24],
) -> ([u8; 32], [u8; 12]) {
    let subkey = hchacha(rounds, key, nonce[..16].try_into().expect("sixteen bytes"));
    let mut rest = [0; 12];
    rest[4..].copy_from_slice(&nonce[16..]);
    (subkey, rest)
}

/// As [`xor`] for XChaCha.
pub fn xchacha_xor(rounds: usize, key: &[u8; 32], nonce: &[u8; 24], counter: u32, data: &mut [u8]) {
    let (subkey, rest) = xchacha_subkey(rounds, key, nonce);
    xor(rounds, &subkey, &rest, counter, data);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::parse;

    fn bytes<const N: usize>(terms: &str) -> [u8; N] {
        parse(terms).expect("terms").try_into().expect("length")
    }

    /// RFC 8439 sections 2.1.1 and 2.2.1: a quarter round alone, and one in a state.
    #[test]
    fn rfc8439_quarter_rounds() {
        let mut s = [0; 16];
        s[..4].copy_from_slice(&[0x1111_1111, 0x0102_0304, 0x9b8d_6f43, 0x0123_4567]);
        quarter_round(&mut s, 0, 1, 2, 3);
        assert_eq!(s[..4], [0xea2a_92f4, 0xcb1c_f8ce, 0x4581_472e, 0x5881_c4bb]);

        let start = [
            0x8795_31e0,
            0xc5ec_f37d,
            0x5164_61b1,
            0xc9a6_2f8a,
            0x44c2_0ef3,
            0x3390_af7f,
            0xd9fc_690b,
            0x2a5f_714c,
            0x5337_2767,
            0xb00a_5631,
            0x974c_541a,
            0x359e_9963,
            0x5c97_1061,
            0x3d63_1689,
            0x2098_d9d6,
            0x91db_d320,
        ];
        let mut want = start;
        (want[2], want[7], want[8], want[13]) =
            (0xbdb8_86dc, 0xcfac_afd2, 0xe46b_ea80, 0xccc0_7c79);
        let mut s = start;
        quarter_round(&mut s, 2, 7, 8, 13);
        assert_eq!(s, want);
    }

    /// RFC 8439 section 2.3.2.
    #[test]
    fn rfc8439_block() {
        let out = block(20, &bytes("inc:0:32"), &bytes("000000090000004a00000000"), 1);
        let want = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e
                    d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e";
        assert_eq!(out, bytes::<64>(want));
    }

    /// Draft XChaCha section 2.2.1.
    #[test]
    fn draft_hchacha() {
        let out = hchacha(20, &bytes("inc:0:32"), &bytes("000000090000004a0000000031415927"));
        let want = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc";
        assert_eq!(out, bytes::<32>(want));
    }

    /// The two layouts are one permutation: they agree while the high counter word is the nonce's
    /// first word.
    #[test]
    fn layouts_agree() {
        let key = bytes("mul:7:3:32");
        let ietf = block(12, &key, &bytes("05000000 1122334455667788"), 9);
        assert_eq!(ietf, block_legacy(12, &key, &bytes("1122334455667788"), (5 << 32) | 9));
    }
}
