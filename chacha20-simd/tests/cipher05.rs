//! The newer generation of the traits: against RustCrypto's own types of that generation, and the
//! counter rules where the generations differ.

#![cfg(feature = "cipher05")]

use chacha20_new as theirs;
use chacha20_simd as ours;
use cipher05::{InOutBuf, KeyIvInit, StreamCipher, StreamCipherSeek};
use ours::cipher05;
use testkit::rng::Rng;

/// (2^32 - 1) * 64, the end of the keystream of 32-bit counters.
const END: u64 = u32::MAX as u64 * 64;

/// Everything that the traits offer, from random positions around `base`.
fn log<C: KeyIvInit + StreamCipher + StreamCipherSeek>(base: u64) -> Vec<u8> {
    let mut rng = Rng::new(21);
    let (key, iv) = (rng.bytes(C::key_size()), rng.bytes(C::iv_size()));
    let mut cipher = C::new_from_slices(&key, &iv).expect("lengths");
    let mut log = Vec::new();
    for _ in 0..300 {
        let mut data = vec![0x6b; rng.length(3000)];
        match rng.below(9) {
            0 => cipher.apply_keystream(&mut data),
            1 => cipher.try_apply_keystream(&mut data).expect("room"),
            2 => cipher.apply_keystream_b2b(&vec![0x3c; data.len()], &mut data),
            3 => cipher.write_keystream(&mut data),
            4 => cipher.try_write_keystream(&mut data).expect("room"),
            5 => cipher.unchecked_apply_keystream(&mut data),
            6 => cipher.unchecked_write_keystream(&mut data),
            7 => {
                let source = vec![0x51; data.len()];
                let buf = InOutBuf::new(&source, &mut data).expect("same lengths");
                cipher.apply_keystream_inout(buf);
            }
            _ => cipher.seek(base + rng.next_u64() % 10_000),
        }
        assert!(cipher.check_remaining(data.len()).is_ok());
        log.extend(cipher.current_pos::<u128>().to_le_bytes());
        log.extend(data);
    }
    assert!(C::new_from_slices(&key[1..], &iv).is_err());
    log
}

fn compare<A, B>(bases: &[u64])
where
    A: KeyIvInit + StreamCipher + StreamCipherSeek,
    B: KeyIvInit + StreamCipher + StreamCipherSeek,
{
    for &base in bases {
        assert!(log::<A>(base) == log::<B>(base), "from {base}");
    }
}

#[test]
fn as_upstream() {
    let bases = [0, 1 << 30, 1 << 37];
    compare::<theirs::ChaCha20, ours::ChaCha20>(&bases);
    compare::<theirs::ChaCha12, ours::ChaCha12>(&bases);
    compare::<theirs::ChaCha8, ours::ChaCha8>(&bases);
    compare::<theirs::XChaCha20, ours::XChaCha20>(&bases);
    compare::<theirs::XChaCha12, ours::XChaCha12>(&bases);
    compare::<theirs::XChaCha8, ours::XChaCha8>(&bases);
}

/// 64 bits of counter: across 2^32 blocks, and far beyond.
#[test]
fn legacy_counts_64_bits() {
    let bases = [0, (1 << 38) - 5000, 1 << 50, u64::MAX - 2_000_000];
    compare::<theirs::ChaCha20Legacy, ours::ChaCha20Legacy>(&bases);

    let mut cipher = ours::ChaCha20Legacy::new(&[1; 32].into(), &[2; 8].into());
    let end = u128::from(u64::MAX) * 64;
    cipher.seek(end - 10);
    assert!(cipher.check_remaining(10).is_ok());
    assert!(cipher.try_apply_keystream(&mut [0; 11]).is_err());
    cipher.apply_keystream(&mut [0; 10]);
    assert_eq!(cipher.current_pos::<u128>(), end);
    assert!(cipher.try_seek(end + 1).is_err());
    assert!(cipher.try_seek(end + 64).is_err());
    assert!(cipher.try_seek(u128::MAX).is_err());
}

/// Both generations on one object: the older one keeps to its own, narrower range.
#[test]
fn generations_mixed() {
    use chacha20::cipher::{StreamCipher as Old, StreamCipherSeek as OldSeek};
    let mut cipher = ours::ChaCha20Legacy::new(&[1; 32].into(), &[2; 8].into());
    StreamCipherSeek::seek(&mut cipher, END + 1);
    assert!(Old::try_apply_keystream(&mut cipher, &mut [0; 100]).is_err());
    assert_eq!(StreamCipherSeek::current_pos::<u64>(&cipher), END + 1);
    assert!(OldSeek::try_seek(&mut cipher, END + 1).is_err());
}

fn at_the_end(mut cipher: impl StreamCipher + StreamCipherSeek) {
    for left in [0u64, 1, 63, 64, 65, 200, 1500] {
        cipher.seek(END - left);
        assert!(cipher.check_remaining(left as usize).is_ok());
        assert!(cipher.check_remaining(left as usize + 1).is_err());
        let mut data = vec![0x33; left as usize + 1];
        assert!(cipher.try_apply_keystream(&mut data).is_err());
        assert!(cipher.try_write_keystream(&mut data).is_err());
        assert!(data.iter().all(|&byte| byte == 0x33), "nothing is written");
        assert_eq!(cipher.current_pos::<u64>(), END - left, "the position is unchanged");
        cipher.apply_keystream(&mut data[1..]);
        assert_eq!(cipher.current_pos::<u64>(), END);
        cipher.apply_keystream(&mut []);
    }
    cipher.seek(100u32);
    for beyond in [END + 1, END + 63, END + 64, 1 << 38, u64::MAX] {
        assert!(cipher.try_seek(beyond).is_err());
    }
    for negative in [-1i32, -63, -64, -65, i32::MIN] {
        assert!(cipher.try_seek(negative).is_err(), "{negative}");
    }
    assert_eq!(cipher.current_pos::<i32>(), 100, "the position is unchanged");
}

#[test]
fn end_of_keystream() {
    at_the_end(ours::ChaCha20::new(&[1; 32].into(), &[2; 12].into()));
    at_the_end(ours::XChaCha8::new(&[1; 32].into(), &[2; 24].into()));
}

/// The unchecked methods go on with block 0, as upstream's.
#[test]
fn unchecked_wraps() {
    let run = |cipher: &mut dyn FnMut(&mut [u8])| {
        let mut data = [0; 200];
        cipher(&mut data);
        data
    };
    let mut a = theirs::ChaCha20::new(&[1; 32].into(), &[2; 12].into());
    let mut b = ours::ChaCha20::new(&[1; 32].into(), &[2; 12].into());
    a.seek(END - 10);
    b.seek(END - 10);
    assert_eq!(
        run(&mut |data| a.unchecked_apply_keystream(data)),
        run(&mut |data| b.unchecked_apply_keystream(data))
    );
}
