//! The stream cipher through its traits: against RustCrypto's, and at the edges of the counter.

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20_simd as ours;
use testkit::rng::Rng;

/// (2^32 - 1) * 64: the first byte of the block that `StreamCipher` never hands out.
const LAST: u64 = u32::MAX as u64 * 64;

/// Compares a type of ours with RustCrypto's.
macro_rules! compare {
    ($name:ident, $ours:ty, $theirs:ty, $nonce:literal) => {
        #[test]
        fn $name() {
            let mut rng = Rng::new($nonce);
            let (key, nonce) = (rng.array::<32>(), rng.array::<$nonce>());
            let ours = || <$ours>::new(&key.into(), &nonce.into());
            let theirs = || <$theirs>::new(&key.into(), &nonce.into());
            for len in 0..=2100 {
                let (mut a, mut b) = (vec![7; len], vec![7; len]);
                ours().apply_keystream(&mut a);
                theirs().apply_keystream(&mut b);
                assert_eq!(a, b, "length {len}");
            }
            for _ in 0..200 {
                let len = rng.length(6000);
                let start = u64::from(rng.next_u32()) * 3;
                let (mut a, mut b) = (vec![7; len], vec![7; len]);
                let mut cipher = ours();
                cipher.seek(start);
                for piece in rng.pieces(len) {
                    assert_eq!(cipher.current_pos::<u64>(), start + piece.start as u64);
                    cipher.apply_keystream(&mut a[piece]);
                }
                let mut reference = theirs();
                reference.seek(start);
                reference.apply_keystream(&mut b);
                assert_eq!(a, b, "{len} bytes from {start}");

                // Between buffers, and back.
                cipher.seek(start);
                let mut c = vec![0; len];
                cipher.apply_keystream_b2b(&a, &mut c).unwrap();
                assert!(c.iter().all(|&byte| byte == 7));
            }
        }
    };
}

compare!(chacha20, ours::ChaCha20, chacha20::ChaCha20, 12);
compare!(chacha12, ours::ChaCha12, chacha20::ChaCha12, 12);
compare!(chacha8, ours::ChaCha8, chacha20::ChaCha8, 12);
compare!(xchacha20, ours::XChaCha20, chacha20::XChaCha20, 24);
compare!(xchacha12, ours::XChaCha12, chacha20::XChaCha12, 24);
compare!(xchacha8, ours::XChaCha8, chacha20::XChaCha8, 24);
compare!(legacy, ours::ChaCha20Legacy, chacha20::ChaCha20Legacy, 8);

#[test]
fn hchacha() {
    use chacha20::cipher::consts::{U4, U6, U10};
    let mut rng = Rng::new(5);
    for _ in 0..100 {
        let (key, input) = (rng.array::<32>().into(), rng.array::<16>().into());
        assert_eq!(ours::hchacha::<ours::R8>(&key, &input), chacha20::hchacha::<U4>(&key, &input));
        assert_eq!(ours::hchacha::<ours::R12>(&key, &input), chacha20::hchacha::<U6>(&key, &input));
        assert_eq!(
            ours::hchacha::<ours::R20>(&key, &input),
            chacha20::hchacha::<U10>(&key, &input)
        );
    }
}

fn cipher() -> ours::ChaCha20 {
    ours::ChaCha20::new(&[1; 32].into(), &[2; 12].into())
}

/// Each piece length after each other, from each position in a block: the partial block is kept.
#[test]
fn every_split() {
    let mut whole = [0; 64 * 20];
    cipher().apply_keystream(&mut whole);
    for first in 0..=150 {
        for second in [0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 129, 191, 256, 511, 512, 513, 1030] {
            let mut data = [0; 64 * 20];
            let mut cipher = cipher();
            let (a, rest) = data.split_at_mut(first);
            let (b, c) = rest.split_at_mut(second);
            cipher.apply_keystream(a);
            cipher.apply_keystream(b);
            cipher.apply_keystream(c);
            assert_eq!(data, whole, "{first}, {second}");
        }
    }
}

#[test]
fn seek_to_every_byte() {
    let mut whole = [0; 1024];
    cipher().apply_keystream(&mut whole);
    let mut cipher = cipher();
    for at in 0..=1000 {
        cipher.seek(at as u32);
        assert_eq!(cipher.current_pos::<u128>(), at);
        let mut data = [0; 20];
        cipher.apply_keystream(&mut data);
        assert_eq!(data, whole[at as usize..at as usize + 20]);
    }
}

/// The end of the keystream is the same as RustCrypto's, and asking for more changes nothing.
#[test]
fn end_of_keystream() {
    let mut cipher = cipher();
    for left in [0u64, 1, 63, 64, 65, 200, 512, 1500] {
        let start = LAST - left;
        cipher.seek(start);
        for too_long in [1, 64, 4096] {
            let mut data = vec![0x33; left as usize + too_long];
            assert!(cipher.try_apply_keystream(&mut data).is_err());
            assert!(data.iter().all(|&byte| byte == 0x33), "nothing is written");
            assert_eq!(cipher.current_pos::<u64>(), start, "the position is unchanged");
        }
        let mut data = vec![0x33; left as usize];
        cipher.apply_keystream(&mut data);
        assert_eq!(cipher.current_pos::<u64>(), LAST);
        cipher.apply_keystream(&mut []);

        let mut reference = chacha20::ChaCha20::new(&[1; 32].into(), &[2; 12].into());
        let mut expected = vec![0x33; left as usize];
        reference.seek(start);
        reference.apply_keystream(&mut expected);
        assert_eq!(data, expected);
    }
}

/// Positions outside the keystream are refused; RustCrypto's older generation takes some of them.
#[test]
fn refused_seeks() {
    fn check(mut cipher: impl StreamCipher + StreamCipherSeek) {
        cipher.seek(100u32);
        assert!(cipher.try_seek(LAST + 1).is_err());
        assert!(cipher.try_seek(LAST + 63).is_err());
        assert!(cipher.try_seek(LAST + 64).is_err());
        assert!(cipher.try_seek(1u64 << 38).is_err());
        assert!(cipher.try_seek(u64::MAX).is_err());
        assert!(cipher.try_seek(u128::MAX).is_err());
        for negative in [-1i32, -63, -64, -65, i32::MIN] {
            assert!(cipher.try_seek(negative).is_err(), "{negative}");
        }
        assert_eq!(cipher.current_pos::<u64>(), 100, "the position is unchanged");
        assert!(cipher.try_seek(LAST).is_ok());
        assert!(cipher.try_apply_keystream(&mut [0]).is_err());
    }
    check(cipher());
    check(ours::ChaCha20Legacy::new(&[1; 32].into(), &[2; 8].into()));
    check(ours::XChaCha20::new(&[1; 32].into(), &[2; 24].into()));
}

#[test]
fn positions_that_do_not_fit() {
    let mut cipher = cipher();
    cipher.seek(1u64 << 31);
    assert!(cipher.try_current_pos::<i32>().is_err());
    assert_eq!(cipher.try_current_pos::<u32>().unwrap(), 1 << 31);
    cipher.seek(1u64 << 32);
    assert!(cipher.try_current_pos::<u32>().is_err());
}

/// Any block by its number, also the one that `StreamCipher` never hands out; the position stays.
#[test]
fn blocks_by_number() {
    let mut cipher = cipher();
    cipher.seek(77u32);
    for counter in [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX] {
        let expected = testkit::oracle::block(20, &[1; 32], &[2; 12], counter);
        assert_eq!(cipher.block(counter), expected);
    }
    assert_eq!(cipher.current_pos::<u32>(), 77);

    let legacy = ours::ChaCha20Legacy::new(&[1; 32].into(), &[2; 8].into());
    for counter in [0, u32::MAX.into(), 1 << 32, u64::MAX] {
        let expected = testkit::oracle::block_legacy(20, &[1; 32], &[2; 8], counter);
        assert_eq!(legacy.block(counter), expected);
    }
}

#[test]
fn lengths_of_key_and_nonce() {
    for len in [0, 16, 31, 33, 36, 64] {
        assert!(ours::ChaCha20::new_from_slices(&vec![0; len], &[0; 12]).is_err());
    }
    for len in [0, 8, 11, 13, 24] {
        assert!(ours::ChaCha20::new_from_slices(&[0; 32], &vec![0; len]).is_err());
    }
    assert!(ours::XChaCha20::new_from_slices(&[0; 32], &[0; 24]).is_ok());
    assert!(ours::ChaCha20Legacy::new_from_slices(&[0; 32], &[0; 8]).is_ok());
}

#[test]
fn debug_shows_no_secret() {
    let cipher = ours::ChaCha20::new(&[0xab; 32].into(), &[0xab; 12].into());
    let text = format!("{cipher:?}");
    assert!(text.starts_with("ChaCha { backend: "), "{text}");
    assert!(!text.contains("171") && !text.contains("ab") && text.len() < 60, "{text}");
}

#[test]
fn sizes() {
    // RustCrypto's is 132: state 64, block 64, position; ours adds the backend.
    assert!(size_of::<ours::ChaCha20>() <= 192);
}

/// Key and keystream are gone after a drop.
#[cfg(feature = "zeroize")]
#[test]
fn wiped_on_drop() {
    use core::mem::ManuallyDrop;

    fn wipes_on_drop<T: zeroize::ZeroizeOnDrop>() {}
    wipes_on_drop::<ours::ChaCha20>();
    wipes_on_drop::<ours::XChaCha8>();
    wipes_on_drop::<ours::ChaCha20Legacy>();

    let mut cipher = ManuallyDrop::new(ours::ChaCha20::new(&[0xab; 32].into(), &[0xcd; 12].into()));
    cipher.apply_keystream(&mut [0; 70]);
    let size = size_of::<ours::ChaCha20>();
    let secrets = |cipher: &ManuallyDrop<ours::ChaCha20>| {
        let at = core::ptr::from_ref(cipher).cast::<u8>();
        let byte = |i| {
            // SAFETY: the object is borrowed, and `ManuallyDrop` keeps its memory after the drop.
            // Volatile, so that it is read at all. To look at a dropped object, and at padding, is
            // beyond the language's rules; it is what this test is for.
            unsafe { at.add(i).read_volatile() }
        };
        let bytes: Vec<u8> = (0..size).map(byte).collect();
        let block = testkit::oracle::block(20, &[0xab; 32], &[0xcd; 12], 1);
        bytes.windows(4).filter(|four| *four == [0xab; 4]).count()
            + bytes.windows(8).filter(|eight| **eight == block[32..40]).count()
    };
    assert!(secrets(&cipher) > 8, "the check sees the secrets while they are there");
    // SAFETY: dropped once, and used afterwards only as memory.
    unsafe { ManuallyDrop::drop(&mut cipher) };
    assert_eq!(secrets(&cipher), 0);
}
