//! The random number generators: the stand-in beside the original, call by call.

use ours_chacha20_v2 as ours;
use rand_core::block::{BlockRng, Generator};
use rand_core::{Rng as _, SeedableRng};
use testkit::rng::Rng;
use theirs_chacha20_v2 as theirs;

/// Random calls on both; every answer and every position must agree.
macro_rules! compare {
    ($test:ident, $rng:ident) => {
        #[test]
        fn $test() {
            let mut rng = Rng::new(41);
            let seed = rng.array();
            let mut a = ours::$rng::from_seed(seed);
            let mut b = theirs::$rng::from_seed(seed);
            assert_eq!(format!("{a:?}"), format!("{b:?}"));
            for _ in 0..4000 {
                match rng.below(10) {
                    0 => assert_eq!(a.next_u32(), b.next_u32()),
                    1 => assert_eq!(a.next_u64(), b.next_u64()),
                    // Longer than the buffer: whole blocks are made in place.
                    2..=5 => {
                        let len = rng.length(20_000);
                        let (mut x, mut y) = (vec![1; len], vec![2; len]);
                        a.fill_bytes(&mut x);
                        b.fill_bytes(&mut y);
                        assert!(x == y, "{len} bytes");
                    }
                    6 => {
                        // Also around the ends of both counters.
                        let base = [0, u128::from(u32::MAX) * 16, (1 << 68) - 100][rng.below(3)];
                        let pos = base + u128::from(rng.next_u32() % 200);
                        a.set_word_pos(pos);
                        b.set_word_pos(pos);
                    }
                    7 => {
                        let pos = rng.next_u64();
                        a.set_block_pos(pos);
                        b.set_block_pos(pos);
                        assert_eq!(a.get_block_pos(), pos);
                    }
                    8 => {
                        let stream = rng.next_u64();
                        a.set_stream(stream);
                        b.set_stream(stream);
                    }
                    _ => {
                        let state = a.serialize_state();
                        assert_eq!(state, b.serialize_state());
                        let copy = ours::$rng::deserialize_state(&state);
                        assert!(copy == a);
                        a = copy;
                        b = theirs::$rng::deserialize_state(&state);
                    }
                }
                assert_eq!(a.get_word_pos(), b.get_word_pos());
                assert_eq!(a.get_stream(), b.get_stream());
                assert_eq!(a.get_seed(), b.get_seed());
            }
        }
    };
}

compare!(chacha8, ChaCha8Rng);
compare!(chacha12, ChaCha12Rng);
compare!(chacha20, ChaCha20Rng);

#[test]
fn equal_positions_are_equal() {
    let mut a = ours::ChaCha20Rng::from_seed([1; 32]);
    let mut b = ours::ChaCha20Rng::from_seed([1; 32]);
    a.fill_bytes(&mut [0; 1024]);
    assert!(a != b);
    for _ in 0..256 {
        b.next_u32();
    }
    assert!(a == b, "whatever their buffers hold");
}

/// `rand` builds its thread-local generator on the core itself.
#[test]
fn cores() {
    fn log<C: SeedableRng<Seed = [u8; 32]> + Generator<Output = [u32; 64]>>() -> Vec<u32> {
        let mut rng = BlockRng::new(C::from_seed([7; 32]));
        (0..1000).map(|_| rng.next_word()).collect()
    }
    type Ours = ours::ChaChaCore<ours::R12, ours::variants::Legacy>;
    type Theirs = theirs::ChaChaCore<theirs::R12, theirs::variants::Legacy>;
    assert_eq!(log::<Ours>(), log::<Theirs>());
}
